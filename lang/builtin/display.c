/* display() and its like: they hand values to the session, which knows what its front end can show. */
#include "lang/builtin/all.h"
#include "lang/vm.h"

/* None is no name. */
static gpa_code id_of(gpa_vm *vm, value v, const char **id) {
    size_t n;
    *id = NULL;
    return v.tag == V_NONE ? GPA_OK : arg_text(vm, v, "display_id", id, &n);
}

gpa_code display_show(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    const char *id;
    gpa_code rc = id_of(vm, argv[1], &id);
    const tuple_obj *objects = argv[0].tuple;
    for (size_t i = 0; i < objects->count && !rc; i++) rc = vm_display(vm, objects->items[i], id, false);
    return rc;
}

gpa_code display_update(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    const char *id;
    gpa_code rc = id_of(vm, argv[1], &id);
    return rc ? rc : vm_display(vm, argv[0], id, true);
}

gpa_code display_clear(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    bool wait;
    gpa_code rc = arg_bool(vm, argv[0], "wait", &wait);
    return rc ? rc : vm_clear_output(vm, wait);
}
