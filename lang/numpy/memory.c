/* Memory of arrays: sharing, bytes, arrays over existing memory. */
#include "lang/numpy/all.h"
#include "lang/numpy/numpy.h"
#include "lang/vm/foreign.h"

/* A scalar is copied into each array that is made of it. */
static bool are_arrays(const value *argv) {
    return argv[0].tag == V_ARRAY && !argv[0].aux && argv[1].tag == V_ARRAY && !argv[1].aux;
}

/* max_work: 0, only the ranges are compared; else every case is decided exactly, which needs no
 * limit. None is `by_default`. */
static gpa_code overlap(gpa_vm *vm, const value *argv, int64_t by_default, value *out) {
    int64_t work = by_default;
    gpa_code rc = argv[2].tag == V_NONE ? GPA_OK : arg_int(vm, argv[2], "max_work", &work);
    if (rc == GPA_E_TYPE) {
        vm_clear_error(vm);
        return vm_fail(vm, GPA_E_VALUE, "max_work must be an integer");
    }
    if (rc) return rc;
    if (work < -2) return vm_fail(vm, GPA_E_VALUE, "Invalid value for max_work");
    bool (*share)(const gpa_arr *, const gpa_arr *) =
        work == 0 ? arr_may_share_memory : arr_shares_memory;
    *out = v_bool(are_arrays(argv) && share(argv[0].array->arr, argv[1].array->arr));
    return GPA_OK;
}

gpa_code np_shares_memory(gpa_vm *vm, value *argv, value *out) { /* a, b, max_work */
    return overlap(vm, argv, -1, out);
}

gpa_code np_may_share_memory(gpa_vm *vm, value *argv, value *out) { /* a, b, max_work */
    return overlap(vm, argv, 0, out);
}

/* ---- bytes ---- */

gpa_code nd_tobytes(gpa_vm *vm, value *argv, value *out) { /* self, order */
    gpa_arr *a = NULL, *transposed = NULL;
    char order;
    gpa_code rc = arg_order_letter(vm, argv[1], &order);
    if (!rc) rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (rc) return rc;
    bool columns = order == 'F' || (order == 'A' && arr_is_only_f_contiguous(a));
    if (!rc && columns) rc = arr_transpose(vm_rt(vm), a, NULL, &transposed, vm_err(vm));
    size_t size = (size_t)a->size * dtype_size((gpa_dtype)a->dtype);
    value bytes = v_unset();
    if (!rc) rc = native_return(v_bytes(vm, NULL, size), &bytes);
    if (!rc) rc = arr_read(vm_rt(vm), transposed ? transposed : a, bytes.str->text, vm_err(vm));
    if (rc)
        value_release(vm, bytes);
    else
        *out = bytes;
    arr_release(vm_rt(vm), transposed);
    arr_release(vm_rt(vm), a);
    return rc;
}

gpa_code np_bytes_array(gpa_vm *vm, value *argv, value *out) { /* bytes */
    gpa_arr *a = NULL;
    if (argv[0].tag != V_BYTES)
        return vm_fail(vm, GPA_E_TYPE, "a bytes-like object is required, not '%s'",
                       value_type_name(argv[0]));
    gpa_code rc = arr_from(vm_rt(vm), &(arr_spec){DT_U8, 1, &(int64_t){argv[0].str->size}},
                           argv[0].str->text, &a, vm_err(vm));
    return rc ? rc : np_return_array(vm, a, out);
}

/* ---- addresses ---- */

gpa_code np_is_foreign(gpa_vm *vm, value *argv, value *out) { /* x */
    (void)vm;
    *out = v_bool(is_foreign(argv[0]));
    return GPA_OK;
}

/* The address of the first element, for display and foreign code. */
gpa_code np_address(gpa_vm *vm, value *argv, value *out) { /* a */
    arr_location at = {0};
    gpa_arr *a = NULL;
    gpa_code rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc) rc = arr_expose(vm_rt(vm), a, &at, vm_err(vm));
    if (!rc && a->size && (!at.address || at.gpu != ARR_HOST_MEMORY))
        rc = vm_fail(vm, GPA_E_ATTRIBUTE, "the memory of an array on %s has no host address",
                     arr_device(vm_rt(vm), a));
    if (!rc) *out = v_int((int64_t)(uintptr_t)at.address);
    arr_release(vm_rt(vm), a);
    return rc;
}

/* Calls a function of the library with one array. */
static gpa_code call_library(gpa_vm *vm, const char *name, value *argv, value *out) {
    value fn = v_none();
    gpa_code rc = np_library_func(vm, name, &fn);
    if (!rc) rc = vm_call(vm, fn, ARGS(1, argv), out);
    value_release(vm, fn);
    return rc;
}

gpa_code nd_data(gpa_vm *vm, value *argv, value *out) {
    return call_library(vm, "_memory_view", argv, out);
}
gpa_code nd_array_interface(gpa_vm *vm, value *argv, value *out) {
    return call_library(vm, "_array_interface", argv, out);
}

/* ---- views ---- */

gpa_code nd_set_dtype(gpa_vm *vm, value *argv, value *out) { /* self, value */
    gpa_arr *a = argv[0].array->arr, *view = NULL;
    gpa_dtype t;
    gpa_code rc = arg_dtype(vm, argv[1], &t);
    *out = v_none();
    if (!rc) rc = arr_reinterpret(vm_rt(vm), a, t, &view, vm_err(vm));
    if (!rc) np_replace_take(vm, argv[0], view);
    return rc;
}

gpa_code nd_new(gpa_vm *vm, value *argv,
                value *out) { /* cls, shape, dtype, buffer, offset, strides, order */
    value make = v_none();
    gpa_code rc = np_library_func(vm, "_ndarray", &make);
    if (!rc) rc = vm_call(vm, make, ARGS(6, argv + 1), out);
    value_release(vm, make);
    return rc;
}
