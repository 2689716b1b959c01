/* Building of MIME bundles. */
#include "lang/object/mime.h"

#include "lang/object/core.h"

gpa_code mime_add(gpa_vm *vm, mime_bundle *b, const char *mime, const char *data, size_t n,
                  const char *meta) {
    if (b->n == MIME_MOST)
        return vm_fail(vm, GPA_E_INTERNAL, "a value has at most %d representations", MIME_MOST);
    mime_item item = {mime, mem_text(data, n), meta ? mem_text(meta, strlen(meta)) : NULL, n};
    if (!item.data || (meta && !item.meta)) {
        mem_free(item.data);
        mem_free(item.meta);
        return vm_no_memory(vm);
    }
    b->item[b->n++] = item;
    return GPA_OK;
}

void mime_clear(mime_bundle *b) {
    while (b->n > 0) {
        mime_item *item = &b->item[--b->n];
        mem_free(item->data);
        mem_free(item->meta);
    }
}
