/* Destruction of values whose reference count reached zero.
 *
 * A deferred destruction queue replaces recursion: a chain of a million tuples does not need a
 * million C frames. */
#include "lang/object/container.h"
#include "lang/object/kind.h"
#include "lang/object/module.h"

enum { INLINE_CAPACITY = 64 };

/* Objects whose count reached zero and that are still to be freed. Releases during the destruction
 * of one object join the queue. */
typedef struct destroy_queue {
    gpa_vm *vm;
    size_t n, cap;
    value *items; /* `few`, or a block */
    value few[INLINE_CAPACITY];
} destroy_queue;

static void destroy_object(destroy_queue *q, value v);

/* Defers the destruction of an object; destroys it at once when the queue cannot grow. */
static void enqueue(destroy_queue *q, value v) {
    if (q->n == q->cap) {
        value *more = mem_resize(q->items == q->few ? NULL : q->items, 2 * q->cap * sizeof *more);
        if (!more) {
            destroy_object(q, v);
            return;
        }
        if (q->items == q->few) memcpy(more, q->few, sizeof q->few);
        q->items = more;
        q->cap *= 2;
    }
    q->items[q->n++] = v;
}

static void release(destroy_queue *q, value v) {
    if (value_is_heap[v.tag] && --v.o->refs == 0) enqueue(q, v);
}

static void release_all(destroy_queue *q, const value *items, size_t n) {
    for (size_t i = 0; i < n; i++) release(q, items[i]);
}

static void release_table(destroy_queue *q, dict_obj *t) {
    module_obj *m = t->module;
    if (m) m->dict = NULL;
    if (m && m->temporary) module_free(q->vm, m);
    for (size_t i = 0; i < t->n; i++) {
        release(q, t->entries[i].key);
        release(q, t->entries[i].v);
    }
    mem_free(t->entries);
    mem_free(t->index);
}

/* Frees one object, and releases the values it holds. */
static void destroy_object(destroy_queue *q, value v) {
    switch ((value_tag)v.o->tag) {
        case V_LIST:
            release_all(q, v.list->items, v.list->count);
            mem_free(v.list->items);
            break;
        case V_TUPLE: release_all(q, v.tuple->items, v.tuple->count); break;
        case V_DICT: release_table(q, v.dict); break;
        case V_SET: release_table(q, &v.set->d); break;
        case V_SLICE:
            release_all(q, (value[]){v.slice->start, v.slice->stop, v.slice->step}, 3);
            break;
        case V_ARRAY: arr_release(vm_rt(q->vm), v.array->arr); break;
        case V_METHOD: release_all(q, (value[]){v.method->self, v.method->fn}, 2); break;
        case V_EXCEPTION:
            value_hooks.unlink_exception(q->vm, v.exc);
            release_all(q,
                        (value[]){v.exc->args, v.exc->cause, v.exc->context, v.exc->notes,
                                  v.exc->class, v.exc->fields, v.exc->foreign},
                        7);
            break;
        case V_CLASS:
            value_hooks.unlink_class(q->vm, v.class);
            release_all(q,
                        (value[]){v.class->bases, v.class->order, v.class->members,
                                  v.class->abstract, v.class->replaced},
                        5);
            break;
        case V_ITER: release_all(q, (value[]){v.iter->source, v.iter->extra}, 2); break;
        case V_CELL: release(q, v.cell->v); break;
        case V_OBJECT:
            if (v.object->kind->free) v.object->kind->free(q->vm, v.object);
            release_all(q, v.object->fields, v.object->count);
            break;
        case V_FUNC: value_hooks.free_function(q->vm, v.func); return;
        case V_MODULE: module_free(q->vm, v.module); return;
        case V_STR: mem_free(v.str->index); break;
        case V_COMPLEX:
        case V_BIG:
        case V_BYTES:
        case V_RANGE:
        case V_UNSET:
        case V_NONE:
        case V_BOOL:
        case V_INT:
        case V_FLOAT:
        case V_NUM:
        case V_ELLIPSIS:
        case V_NOT_IMPLEMENTED:
        case V_DTYPE:
        case V_TYPE:
        case V_NATIVE:
        case V_UFUNC:
        case V_COUNT: break;
    }
    mem_free(v.o);
}

void value_destroy(gpa_vm *vm, value v) {
    vm_core *core = vm_core_of(vm);
    if (core->destroying) {
        enqueue(core->destroying, v);
        return;
    }
    destroy_queue q;
    q.vm = vm;
    q.n = 0;
    q.cap = INLINE_CAPACITY;
    q.items = q.few;
    core->destroying = &q;
    destroy_object(&q, v);
    while (q.n) destroy_object(&q, q.items[--q.n]);
    core->destroying = NULL;
    if (q.items != q.few) mem_free(q.items);
}
