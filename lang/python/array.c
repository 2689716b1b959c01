/* Arrays across the languages, without copies where both sides can use the memory.
 *
 * An array of gpa becomes a numpy.ndarray on its elements; its owner there is a handle of the
 * array. An array that NumPy cannot use, on a GPU or of bfloat16, becomes a stand-in with the
 * protocols of GPU libraries (class Array of arrays.py). A numpy.ndarray becomes an array on its
 * elements, which keeps a reference to it; if the current device is a GPU, its elements are copied.
 * Memory of a GPU is shared (__cuda_array_interface__, DLPack). */
#include "lang/python/convert.h"
#include "lang/python/arrow.h"
#include "lang/python/dlpack.h"

#include <stdio.h>

/* ---- gpa to NumPy ---- */

static py_object *ints_to_python(int n, const int64_t *values, int64_t factor) {
    py_object *t = py.PyTuple_New(n);
    for (int i = 0; t && i < n; i++)
        py.PyTuple_SetItem(t, i, py.PyLong_FromLongLong(values[i] * factor));
    return t;
}

/* "<f8": NumPy's type string. */
static void type_string(gpa_dtype t, char *to, size_t n) {
    const char kind = dtype_info[t].kind;
    const char letter = kind == 'B'   ? 'b'
                        : kind == 'I' ? 'i'
                        : kind == 'U' ? 'u'
                        : kind == 'F' ? 'f'
                                      : 'c';
    snprintf(to, n, "%c%c%d", dtype_size(t) == 1 ? '|' : '<', letter, (int)dtype_size(t));
}

/* NumPy's array of elements in host memory. */
static py_object *numpy_array(python_host *h, value v, void *first) {
    const gpa_arr *a = v.array->arr;
    char type[8];
    type_string((gpa_dtype)a->dtype, type, sizeof type);
    py_object *o = python_helper(
        h->array, 6,
        (py_object *[]){
            stand_in_new(h, v), py.PyLong_FromLongLong((int64_t)(uintptr_t)first),
            py.PyUnicode_DecodeUTF8(type, (py_size)strlen(type), NULL),
            ints_to_python(a->ndim, a->shape, 1),
            ints_to_python(a->ndim, a->strides, (int64_t)dtype_size((gpa_dtype)a->dtype)),
            py_keep(a->readonly ? py.true_ : py.false_)});
    if (!o) python_fail(h);
    return o;
}

py_object *array_to_python(python_host *h, value v) {
    gpa_vm *vm = h->vm;
    arr_location at;
    if (arr_expose(vm_rt(vm), v.array->arr, &at, vm_err(vm))) return NULL;
    h->shares_memory = true;
    const bool numpy = at.gpu == ARR_HOST_MEMORY && v.array->arr->dtype != DT_BF16;
    return numpy ? numpy_array(h, v, at.address) : stand_in_new(h, v);
}

/* (address, number of the GPU or -1, type string or None, read-only). */
gpa_code array_memory(gpa_vm *vm, value v, value *out) {
    const gpa_arr *a = v.array->arr;
    arr_location at;
    char type[8];
    gpa_code rc = arr_expose(vm_rt(vm), v.array->arr, &at, vm_err(vm));
    if (rc) return rc;
    type_string((gpa_dtype)a->dtype, type, sizeof type);
    value facts[] = {v_int((int64_t)(uintptr_t)at.address), v_int(at.gpu),
                     a->dtype == DT_BF16 ? v_none() : v_cstr(vm, type), v_bool(a->readonly)};
    rc = facts[2].tag == V_UNSET ? vm_err(vm)->code : native_return(v_tuple(vm, 4, facts), out);
    value_release(vm, facts[2]);
    return rc;
}

/* A copy in host memory; of bfloat16, its bits as uint16. */
gpa_code array_on_host(gpa_vm *vm, value v, value *out) {
    gpa_rt *rt = vm_rt(vm);
    gpa_arr *a = v.array->arr, *bits = NULL, *copy = NULL;
    gpa_code rc = GPA_OK;
    if (a->dtype == DT_BF16) rc = arr_reinterpret(rt, a, DT_U16, &bits, vm_err(vm));
    if (!rc) rc = arr_to(rt, bits ? bits : a, rt_host_device(rt), true, &copy, vm_err(vm));
    arr_release(rt, bits);
    return rc ? rc : native_return(v_array_take(vm, copy, false), out);
}

py_object *array_capsule(python_host *h, value v, bool versioned) {
    arr_location at;
    if (arr_expose(vm_rt(h->vm), v.array->arr, &at, vm_err(h->vm))) return NULL;
    h->shares_memory = true;
    py_object *owner = stand_in_new(h, v);
    return owner ? dlpack_export_take(v.array->arr, at, owner, versioned) : NULL;
}

py_object *array_columns(python_host *h, value v) {
    arr_location at;
    if (arr_expose(vm_rt(h->vm), v.array->arr, &at, vm_err(h->vm))) return NULL;
    h->shares_memory = true;
    py_object *owner = stand_in_new(h, v);
    return owner ? arrow_export_take(v.array->arr, at, owner) : NULL;
}

/* ---- NumPy to gpa ---- */

static void release_object(void *owner) {
    int state = py.PyGILState_Ensure();
    py.Py_DecRef(owner);
    py.PyGILState_Release(state);
}

/* A tuple of ints; false: too many, or no ints. */
static bool read_ints(py_object *t, int *n, int64_t *out) {
    int overflow = 0;
    py_size size = py.PyTuple_Size(t);
    if (size < 0 || size > GPA_MAX_DIMS) return false;
    *n = (int)size;
    for (py_size i = 0; i < size && !overflow; i++)
        out[i] = py.PyLong_AsLongLongAndOverflow(py.PyTuple_GetItem(t, i), &overflow);
    return !overflow;
}

/* NumPy's description of an array's memory. */
typedef struct {
    arr_foreign_memory memory;
    gpa_dtype dtype;
    int ndim;
    int64_t shape[GPA_MAX_DIMS], strides[GPA_MAX_DIMS]; /* strides in elements */
    bool whole; /* the strides are multiples of the element's size */
} array_facts;

/* False: a dtype that gpa does not have, or too many dimensions. */
static bool read_facts(python_host *h, py_object *facts, array_facts *f) {
    int overflow = 0, n;
    gpa_str type;
    str_init(&type);
    bool ok = !python_text(h, py.PyTuple_GetItem(facts, 2), &type);
    f->dtype = ok ? dtype_find(type.text, type.len) : DT_NONE;
    str_free(&type);
    if (f->dtype == DT_NONE || !read_ints(py.PyTuple_GetItem(facts, 3), &f->ndim, f->shape) ||
        !read_ints(py.PyTuple_GetItem(facts, 4), &n, f->strides))
        return false;
    long long at = py.PyLong_AsLongLongAndOverflow(py.PyTuple_GetItem(facts, 0), &overflow);
    long long gpu = py.PyLong_AsLongLongAndOverflow(py.PyTuple_GetItem(facts, 6), &overflow);
    f->memory = (arr_foreign_memory){.address = (void *)(uintptr_t)at,
                                     .gpu = (int)gpu,
                                     .readonly = py.PyTuple_GetItem(facts, 1) == py.true_,
                                     .owner = py.PyTuple_GetItem(facts, 5),
                                     .release = release_object};
    const int64_t item = (int64_t)dtype_size(f->dtype);
    f->whole = (uintptr_t)at % dtype_info[dtype_info[f->dtype].real].size == 0;
    for (int k = 0; k < f->ndim; k++) {
        f->whole = f->whole && f->strides[k] % item == 0;
        f->strides[k] /= item;
    }
    return !overflow;
}

/* A copy of elements whose strides may be any number of bytes, by NumPy. */
static gpa_code copy_elements(python_host *h, const array_facts *f, gpa_arr **out) {
    gpa_vm *vm = h->vm;
    py_object *bytes = py.PyObject_GetAttrString(f->memory.owner, "tobytes"), *text = NULL;
    if (bytes) text = python_helper(bytes, 0, NULL);
    py_drop(bytes);
    char *data;
    py_size n;
    if (!text || py.PyBytes_AsStringAndSize(text, &data, &n)) {
        py_drop(text);
        return python_fail(h);
    }
    gpa_code rc =
        arr_from(vm_rt(vm), &(arr_spec){f->dtype, f->ndim, f->shape}, data, out, vm_err(vm));
    py_drop(text);
    return rc;
}

/* The array of the facts about memory: a tuple of arrays.py. */
static gpa_code array_of_facts(python_host *h, py_object *facts, value *out) {
    gpa_vm *vm = h->vm;
    array_facts f;
    gpa_arr *a = NULL;
    gpa_code rc = GPA_OK;
    if (!read_facts(h, facts, &f)) return GPA_OK;
    const arr_layout l = {f.dtype, f.ndim, f.shape, f.strides, 0};
    if (f.whole) rc = arr_adopt(vm_rt(vm), &l, &f.memory, &a, vm_err(vm));
    if (rc) return rc;
    if (a) {
        py_keep(f.memory.owner);
        h->shares_memory = true;
    } else if (f.memory.gpu == ARR_HOST_MEMORY) {
        rc = copy_elements(h, &f, &a);
    } else if (f.whole) { /* without elements */
        rc = arr_empty(vm_rt(vm), &(arr_spec){f.dtype, f.ndim, f.shape}, &a, vm_err(vm));
    } else {
        rc =
            vm_fail(vm, GPA_E_BUFFER, "the array's strides are no multiples of its elements' size");
    }
    return rc ? rc : native_return(v_array_take(vm, a, false), out);
}

gpa_code array_from_python(python_host *h, py_object *o, value *out) {
    *out = v_unset();
    py_object *facts = python_helper(h->array_facts, 1, (py_object *[]){py_keep(o)});
    if (!facts) return python_fail(h);
    gpa_code rc = facts == py.none ? GPA_OK : array_of_facts(h, facts, out);
    py_drop(facts);
    return rc;
}

gpa_code array_of_protocol(python_host *h, py_object *o, value *out) {
    *out = v_unset();
    py_object *found = python_helper(h->as_array, 1, (py_object *[]){py_keep(o)});
    if (!found) return python_fail(h);
    py_object *type = py.PyObject_Type(found);
    gpa_code rc = dlpack_is_capsule(found) ? dlpack_import(h, found, out)
                  : type == py.tuple_type  ? array_of_facts(h, found, out)
                                           : from_python_take(h, py_keep(found), out);
    if (!rc && out->tag == V_UNSET)
        rc = vm_fail(h->vm, GPA_E_TYPE, "gpa has no arrays of this dtype or number of dimensions");
    py_drop(type);
    py_drop(found);
    return rc;
}

gpa_code scalar_from_python(python_host *h, py_object *facts, value *out) {
    gpa_vm *vm = h->vm;
    gpa_str name;
    value plain = v_unset();
    str_init(&name);
    gpa_code rc = python_text(h, py.PyTuple_GetItem(facts, 0), &name);
    if (!rc) {
        gpa_dtype t = dtype_find(name.text, name.len);
        *out = v_unset();
        if (t != DT_NONE) rc = from_python_take(h, py_keep(py.PyTuple_GetItem(facts, 1)), &plain);
        if (!rc && t != DT_NONE)
            rc = vm_call(vm, v_type(AUX_DTYPE + (uint32_t)t), ARGS(1, &plain), out);
        value_release(vm, plain);
    }
    str_free(&name);
    return rc;
}
