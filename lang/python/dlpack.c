/* DLPack (the structures of its header dlpack.h, versions 0.x and 1.x). */
#include "lang/python/dlpack.h"

#include <string.h>

enum { DEVICE_CPU = 1, DEVICE_CUDA = 2, DEVICE_CUDA_HOST = 3, DEVICE_CUDA_MANAGED = 13 };
enum { CODE_INT, CODE_UINT, CODE_FLOAT, CODE_BFLOAT = 4, CODE_COMPLEX, CODE_BOOL };
enum { MAJOR = 1, MINOR = 0, FLAG_READ_ONLY = 1 };

typedef struct {
    uint8_t code, bits;
    uint16_t lanes;
} dl_dtype;

typedef struct {
    void *data;
    struct {
        int32_t type, number;
    } device;
    int32_t ndim;
    dl_dtype dtype;
    int64_t *shape, *strides; /* strides in elements; NULL: C order */
    uint64_t byte_offset;
} dl_tensor;

typedef struct dl_managed {
    dl_tensor tensor;
    void *context;
    void (*end)(struct dl_managed *self);
} dl_managed;

typedef struct dl_versioned {
    struct {
        uint32_t major, minor;
    } version;
    void *context;
    void (*end)(struct dl_versioned *self);
    uint64_t flags;
    dl_tensor tensor;
} dl_versioned;

static const char plain_name[] = "dltensor", versioned_name[] = "dltensor_versioned";
static const char plain_used[] = "used_dltensor", versioned_used[] = "used_dltensor_versioned";

/* ---- dtypes ---- */

static dl_dtype dtype_to_dl(gpa_dtype t) {
    const char kind = dtype_info[t].kind;
    const int type = t == DT_BF16  ? CODE_BFLOAT
                     : kind == 'B' ? CODE_BOOL
                     : kind == 'I' ? CODE_INT
                     : kind == 'U' ? CODE_UINT
                     : kind == 'F' ? CODE_FLOAT
                                   : CODE_COMPLEX;
    return (dl_dtype){(uint8_t)type, (uint8_t)(8 * dtype_size(t)), 1};
}

static gpa_dtype dtype_from_dl(dl_dtype x) {
    for (int t = 0; t < DT_COUNT; t++) {
        const dl_dtype own = dtype_to_dl((gpa_dtype)t);
        if (own.code == x.code && own.bits == x.bits && x.lanes == 1) return (gpa_dtype)t;
    }
    return DT_NONE;
}

/* ---- gpa to Python ---- */

/* An exported array: the structure that the capsule points to, and what that points to. */
typedef struct {
    union {
        dl_managed plain; /* first */
        dl_versioned versioned;
    } as;
    py_object *owner;
    int64_t shape[GPA_MAX_DIMS], strides[GPA_MAX_DIMS];
} exported;

static void end_export(exported *x) {
    int state = py.PyGILState_Ensure();
    py.Py_DecRef(x->owner);
    py.PyGILState_Release(state);
    mem_free(x);
}

static void end_plain(dl_managed *m) { end_export((exported *)m); }
static void end_versioned(dl_versioned *m) { end_export((exported *)m); }

/* Of a capsule that no consumer has opened. */
static void end_capsule(py_object *capsule) {
    const char *name = py.PyCapsule_IsValid(capsule, plain_name)       ? plain_name
                       : py.PyCapsule_IsValid(capsule, versioned_name) ? versioned_name
                                                                       : NULL;
    if (name) end_export(py.PyCapsule_GetPointer(capsule, name));
}

py_object *dlpack_export_take(const gpa_arr *a, arr_location at, py_object *owner, bool versioned) {
    exported *x = mem_zero(sizeof *x);
    if (!x) {
        py_drop(owner);
        return py.PyErr_NoMemory();
    }
    x->owner = owner;
    memcpy(x->shape, a->shape, sizeof *a->shape * (size_t)a->ndim);
    memcpy(x->strides, a->strides, sizeof *a->strides * (size_t)a->ndim);
    const dl_tensor tensor = {.data = at.address,
                              .device = {at.gpu == ARR_HOST_MEMORY ? DEVICE_CPU : DEVICE_CUDA,
                                         at.gpu == ARR_HOST_MEMORY ? 0 : at.gpu},
                              .ndim = a->ndim,
                              .dtype = dtype_to_dl((gpa_dtype)a->dtype),
                              .shape = x->shape,
                              .strides = x->strides};
    if (versioned)
        x->as.versioned = (dl_versioned){.version = {MAJOR, MINOR},
                                         .end = end_versioned,
                                         .flags = a->readonly ? FLAG_READ_ONLY : 0,
                                         .tensor = tensor};
    else
        x->as.plain = (dl_managed){.tensor = tensor, .end = end_plain};
    py_object *capsule = py.PyCapsule_New(x, versioned ? versioned_name : plain_name, end_capsule);
    if (!capsule) end_export(x);
    return capsule;
}

/* ---- Python to gpa ---- */

/* A tensor taken out of its capsule: one of the two. */
typedef struct {
    dl_managed *plain;
    dl_versioned *versioned;
} imported;

static void end_import(void *owner) {
    imported *x = owner;
    int state = py.PyGILState_Ensure();
    if (x->plain && x->plain->end) x->plain->end(x->plain);
    if (x->versioned && x->versioned->end) x->versioned->end(x->versioned);
    py.PyGILState_Release(state);
    mem_free(x);
}

/* Makes the caller the owner of the tensor in a capsule. */
static gpa_code take_tensor(python_host *h, py_object *capsule, imported **out) {
    imported *x = mem_zero(sizeof *x);
    if (!x) return vm_no_memory(h->vm);
    if (py.PyCapsule_IsValid(capsule, versioned_name)) {
        x->versioned = py.PyCapsule_GetPointer(capsule, versioned_name);
        py.PyCapsule_SetName(capsule, versioned_used);
    } else {
        x->plain = py.PyCapsule_GetPointer(capsule, plain_name);
        py.PyCapsule_SetName(capsule, plain_used);
    }
    *out = x;
    return GPA_OK;
}

/* Copies elements of host memory at any strides into C order. */
static void copy_strided(const arr_layout *l, int axis, const char *from, char **to) {
    const size_t item = dtype_size(l->dtype);
    if (axis == l->ndim) {
        memcpy(*to, from, item);
        *to += item;
        return;
    }
    for (int64_t i = 0; i < l->shape[axis]; i++)
        copy_strided(l, axis + 1, from + i * l->strides[axis] * (int64_t)item, to);
}

/* An array of these elements, copied; of the host's memory, or without elements. */
static gpa_code copied(python_host *h, const arr_layout *l, const char *from, gpa_arr **out) {
    int64_t n = 1;
    for (int k = 0; k < l->ndim; k++) n *= l->shape[k];
    char *data = mem_new((size_t)(n ? n : 1) * dtype_size(l->dtype)), *to = data;
    if (!data) return vm_no_memory(h->vm);
    copy_strided(l, 0, from, &to);
    gpa_code rc =
        arr_from(vm_rt(h->vm), &(arr_spec){l->dtype, l->ndim, l->shape}, data, out, vm_err(h->vm));
    mem_free(data);
    return rc;
}

static gpa_code adopt(python_host *h, const dl_tensor *t, imported *owner, bool readonly,
                      gpa_arr **out) {
    gpa_vm *vm = h->vm;
    const bool on_host = t->device.type == DEVICE_CPU || t->device.type == DEVICE_CUDA_HOST;
    const gpa_dtype type = dtype_from_dl(t->dtype);
    int64_t contiguous[GPA_MAX_DIMS], step = 1;
    if (!on_host && t->device.type != DEVICE_CUDA && t->device.type != DEVICE_CUDA_MANAGED)
        return vm_fail(vm, GPA_E_BUFFER, "gpa cannot use memory of DLPack's device type %d",
                       t->device.type);
    if (type == DT_NONE)
        return vm_fail(vm, GPA_E_TYPE, "gpa has no arrays of DLPack's type %d of %d bits",
                       t->dtype.code, t->dtype.bits);
    if (t->ndim < 0 || t->ndim > GPA_MAX_DIMS)
        return vm_fail(vm, GPA_E_VALUE,
                       "maximum supported dimension for an ndarray is %d, found %d", GPA_MAX_DIMS,
                       t->ndim);
    for (int k = t->ndim - 1; k >= 0; k--) {
        contiguous[k] = step;
        step *= t->shape[k];
    }
    const arr_layout l = {type, t->ndim, t->shape, t->strides ? t->strides : contiguous, 0};
    char *first = (char *)t->data + t->byte_offset;
    const arr_foreign_memory m = {.address = first,
                                  .gpu = on_host ? ARR_HOST_MEMORY : t->device.number,
                                  .readonly = readonly,
                                  .owner = owner,
                                  .release = end_import};
    gpa_code rc = GPA_OK;
    *out = NULL;
    if ((uintptr_t)first % dtype_info[dtype_info[type].real].size == 0)
        rc = arr_adopt(vm_rt(vm), &l, &m, out, vm_err(vm));
    if (rc || *out) return rc;
    if (!on_host && step) return vm_fail(vm, GPA_E_BUFFER, "the tensor's elements are not aligned");
    rc = copied(h, &l, first, out);
    if (!rc) end_import(owner);
    return rc;
}

bool dlpack_is_capsule(py_object *o) {
    return py.PyCapsule_IsValid(o, plain_name) || py.PyCapsule_IsValid(o, versioned_name);
}

gpa_code dlpack_import(python_host *h, py_object *capsule, value *out) {
    imported *x = NULL;
    gpa_arr *a = NULL;
    gpa_code rc = take_tensor(h, capsule, &x);
    if (rc) return rc;
    const dl_versioned *v = x->versioned;
    if (v && v->version.major > MAJOR)
        rc = vm_fail(h->vm, GPA_E_BUFFER, "gpa reads DLPack %d, not %u.%u", MAJOR, v->version.major,
                     v->version.minor);
    else
        rc = adopt(h, v ? &v->tensor : &x->plain->tensor, x, v && v->flags & FLAG_READ_ONLY, &a);
    if (rc) {
        end_import(x);
        return rc;
    }
    h->shares_memory = true;
    return native_return(v_array_take(h->vm, a, false), out);
}
