/* Arrays across the languages, without copies where both sides can use the memory.
 *
 * An array of gpa becomes a numpy.ndarray on its elements; its owner there is a handle of the
 * array. A numpy.ndarray becomes an array on its elements, which keeps a reference to it. On a GPU,
 * whose memory NumPy cannot read, elements are copied. */
#include "lang/python/convert.h"

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

/* The array itself or, where the host cannot read its memory, a copy on a device where it can. */
static gpa_code on_host(gpa_vm *vm, gpa_arr *a, gpa_arr **out, void **first) {
    *out = arr_retain(a);
    gpa_code rc = arr_expose(vm_rt(vm), a, first, vm_err(vm));
    if (rc || *first || !a->size) return rc;
    arr_release(vm_rt(vm), *out);
    *out = NULL;
    rc = arr_to(vm_rt(vm), a, rt_host_device(vm_rt(vm)), true, out, vm_err(vm));
    return rc ? rc : arr_expose(vm_rt(vm), *out, first, vm_err(vm));
}

py_object *array_to_python(python_host *h, value v) {
    gpa_vm *vm = h->vm;
    gpa_arr *a = v.array->arr, *shared = NULL;
    void *first = NULL;
    if (a->dtype == DT_BF16) {
        vm_fail(vm, GPA_E_TYPE, "NumPy has no bfloat16: pass a.astype(float32) to Python");
        return NULL;
    }
    gpa_code rc = on_host(vm, a, &shared, &first);
    value owner = shared ? v_array_take(vm, shared, false) : v_unset();
    if (rc || owner.tag == V_UNSET) {
        value_release(vm, owner);
        return NULL;
    }
    h->shares_memory = true;
    a = owner.array->arr;
    char type[8];
    type_string((gpa_dtype)a->dtype, type, sizeof type);
    py_object *o = python_helper(
        h->array, 6,
        (py_object *[]){
            stand_in_new(h, owner), py.PyLong_FromLongLong((int64_t)(uintptr_t)first),
            py.PyUnicode_DecodeUTF8(type, (py_size)strlen(type), NULL),
            ints_to_python(a->ndim, a->shape, 1),
            ints_to_python(a->ndim, a->strides, (int64_t)dtype_size((gpa_dtype)a->dtype)),
            py_keep(a->readonly ? py.true_ : py.false_)});
    value_release(vm, owner);
    if (!o) python_fail(h);
    return o;
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
    f->memory = (arr_foreign_memory){.address = (void *)(uintptr_t)at,
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

gpa_code array_from_python(python_host *h, py_object *o, value *out) {
    gpa_vm *vm = h->vm;
    *out = v_unset();
    py_object *facts = python_helper(h->array_facts, 1, (py_object *[]){py_keep(o)});
    if (!facts) return python_fail(h);
    array_facts f;
    gpa_arr *a = NULL;
    gpa_code rc = GPA_OK;
    if (facts == py.none || !read_facts(h, facts, &f)) goto out;
    const arr_layout l = {f.dtype, f.ndim, f.shape, f.strides, 0};
    if (f.whole) TRY(arr_adopt(vm_rt(vm), &l, &f.memory, &a, vm_err(vm)));
    if (a) {
        py_keep(f.memory.owner);
        h->shares_memory = true;
    } else {
        TRY(copy_elements(h, &f, &a));
    }
    rc = native_return(v_array_take(vm, a, false), out);
out:
    py_drop(facts);
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
