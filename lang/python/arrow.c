/* Arrow's C device data interface: the structures of its specification, for primitive columns. */
#include "lang/python/arrow.h"

#include <string.h>

enum { DEVICE_CPU = 1, DEVICE_CUDA = 2 }; /* as in DLPack */

typedef struct arrow_schema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct arrow_schema **children, *dictionary;
    void (*release)(struct arrow_schema *self); /* NULL: released */
    void *context;
} arrow_schema;

typedef struct arrow_array {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers; /* validity (NULL: no nulls), values */
    struct arrow_array **children, *dictionary;
    void (*release)(struct arrow_array *self); /* NULL: released */
    void *context;
} arrow_array;

typedef struct {
    arrow_array array;
    int64_t device_number;
    int32_t device_type;
    void *sync_event; /* NULL: the values are there */
    int64_t reserved[3];
} arrow_device_array;

/* The resources that an exported array owns; consumers may move its structure. */
typedef struct {
    py_object *owner;
    const void *buffers[2];
} owned;

static const char schema_name[] = "arrow_schema", array_name[] = "arrow_device_array";

/* The format of a dtype; NULL: Arrow has none, or packs it differently. */
static const char *format_of(gpa_dtype t) {
    switch (t) {
        case DT_I8: return "c";
        case DT_I16: return "s";
        case DT_I32: return "i";
        case DT_I64: return "l";
        case DT_U8: return "C";
        case DT_U16: return "S";
        case DT_U32: return "I";
        case DT_U64: return "L";
        case DT_F16: return "e";
        case DT_F32: return "f";
        case DT_F64: return "g";
        default: return NULL;
    }
}

static void release_schema(arrow_schema *self) { self->release = NULL; }

static void release_array(arrow_array *self) {
    owned *x = self->context;
    int state = py.PyGILState_Ensure();
    py_drop(x->owner);
    py.PyGILState_Release(state);
    mem_free(x);
    self->release = NULL;
}

static void end_schema(py_object *capsule) {
    arrow_schema *s = py.PyCapsule_GetPointer(capsule, schema_name);
    if (s->release) s->release(s);
    mem_free(s);
}

static void end_array(py_object *capsule) {
    arrow_device_array *a = py.PyCapsule_GetPointer(capsule, array_name);
    if (a->array.release) a->array.release(&a->array);
    mem_free(a);
}

static py_object *schema_capsule(const char *format) {
    arrow_schema *s = mem_zero(sizeof *s);
    if (!s) return py.PyErr_NoMemory();
    *s = (arrow_schema){.format = format, .name = "", .release = release_schema};
    py_object *capsule = py.PyCapsule_New(s, schema_name, end_schema);
    if (!capsule) mem_free(s);
    return capsule;
}

static py_object *array_capsule_take(const gpa_arr *a, arr_location at, py_object *owner) {
    arrow_device_array *d = mem_zero(sizeof *d);
    owned *x = mem_zero(sizeof *x);
    if (!d || !x) {
        mem_free(d);
        mem_free(x);
        py_drop(owner);
        return py.PyErr_NoMemory();
    }
    *x = (owned){owner, {NULL, at.address}};
    d->array = (arrow_array){.length = a->size,
                             .n_buffers = 2,
                             .buffers = x->buffers,
                             .release = release_array,
                             .context = x};
    const bool on_host = at.gpu == ARR_HOST_MEMORY;
    d->device_type = on_host ? DEVICE_CPU : DEVICE_CUDA;
    d->device_number = on_host ? -1 : at.gpu;
    py_object *capsule = py.PyCapsule_New(d, array_name, end_array);
    if (!capsule) {
        release_array(&d->array);
        mem_free(d);
    }
    return capsule;
}

py_object *arrow_export_take(const gpa_arr *a, arr_location at, py_object *owner) {
    const char *format = format_of((gpa_dtype)a->dtype);
    if (!format) {
        py_drop(owner);
        py.PyErr_SetString(py.type_error, "Arrow has no columns of this dtype as gpa keeps it");
        return NULL;
    }
    py_object *array = array_capsule_take(a, at, owner),
              *schema = array ? schema_capsule(format) : NULL,
              *pair = schema ? py.PyTuple_New(2) : NULL;
    if (!pair) {
        py_drop(array);
        py_drop(schema);
        return NULL;
    }
    py.PyTuple_SetItem(pair, 0, schema);
    py.PyTuple_SetItem(pair, 1, array);
    return pair;
}
