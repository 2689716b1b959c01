/* Device objects, and transfers of arrays between devices. */
#include <stdio.h>
#include <stdlib.h>

#include "lang/typed/all.h"
#include "lang/numpy/scoped.h"
#include "lang/vm/kinds.h"
#include "lang/numpy/numpy.h"
#include "lang/vm/vm.h"

/* ---- the object ---- */

static const scoped_setting setting = {&device_kind, rt_device_requested, rt_set_device};

static gpa_code device_repr(gpa_vm *vm, object_obj *o, gpa_str *out) {
    (void)vm;
    str_printf(out, "device('%s')", scoped_name(o));
    return GPA_OK;
}

static gpa_code device_enter(gpa_vm *vm, object_obj *o, value *out) {
    return scoped_enter(vm, &setting, o, out);
}

static gpa_code device_exit(gpa_vm *vm, object_obj *o, value exc, bool *swallow) {
    *swallow = false;
    return scoped_exit(vm, &setting, o, exc);
}

const object_kind device_kind = {
    .type_name = "gpa.device", .repr = device_repr, .enter = device_enter, .exit = device_exit};

/* The device name of an argument: a name, a device, or the index of a GPU. */
static gpa_code arg_device(gpa_vm *vm, value v, char name[32]) {
    const char *text;
    size_t n;
    if (is_kind(v, &device_kind)) {
        snprintf(name, 32, "%s", scoped_name(v.object));
        return GPA_OK;
    }
    if (v.tag == V_INT) {
        snprintf(name, 32, "cuda:%lld", (long long)v.i);
        return GPA_OK;
    }
    gpa_code rc = arg_text(vm, v, "device", &text, &n);
    if (!rc) snprintf(name, 32, "%s", text);
    return rc;
}

/* Returns a device object for a device that exists. */
static gpa_code return_device(gpa_vm *vm, const char *name, value *out) {
    gpa_code rc = rt_find_device(vm_rt(vm), name, &name, NULL, NULL, vm_err(vm));
    if (rc) return rc;
    return native_return(scoped_new(vm, &setting, name), out);
}

gpa_code device_new(gpa_vm *vm, value *argv, value *out) { /* name */
    char name[32];
    gpa_code rc = argv[0].tag == V_NONE ? GPA_OK : arg_device(vm, argv[0], name);
    return rc ? rc : return_device(vm, argv[0].tag == V_NONE ? rt_device(vm_rt(vm)) : name, out);
}

gpa_code device_use(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    return rt_set_device(vm_rt(vm), scoped_name(argv[0].object), vm_err(vm));
}

gpa_code device_synchronize(gpa_vm *vm, value *argv, value *out) {
    (void)argv, (void)out;
    gpa_code rc = rt_flush(vm_rt(vm), vm_err(vm));
    return rc ? rc : rt_sync(vm_rt(vm), vm_err(vm));
}

gpa_code device_name(gpa_vm *vm, value *argv, value *out) {
    return native_return(v_cstr(vm, scoped_name(argv[0].object)), out);
}

gpa_code device_id(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    const char *colon = strchr(scoped_name(argv[0].object), ':');
    *out = v_int(colon ? atoi(colon + 1) : 0);
    return GPA_OK;
}

gpa_code device_mem_info(gpa_vm *vm, value *argv, value *out) {
    const char *name;
    uint64_t free_bytes = 0, total = 0;
    gpa_code rc = rt_find_device(vm_rt(vm), scoped_name(argv[0].object), &name, &free_bytes, &total,
                                 vm_err(vm));
    if (rc) return rc;
    return native_return(
        v_tuple(vm, 2, (value[]){v_int((int64_t)free_bytes), v_int((int64_t)total)}), out);
}

/* ---- moving arrays ---- */

/* Transposes `a` on request; consumes it. */
static gpa_code transpose_take(gpa_vm *vm, gpa_arr *a, bool transpose, gpa_arr **out) {
    gpa_code rc = GPA_OK;
    if (transpose)
        rc = arr_transpose(vm_rt(vm), a, NULL, out, vm_err(vm));
    else
        *out = arr_retain(a);
    arr_release(vm_rt(vm), a);
    return rc;
}

/* order: 'C', 'F', or 'A', F order if the array is F-contiguous. */
static gpa_code transfer_in_order(gpa_vm *vm, value v, const char *device, bool copy, char order,
                                  value *out) {
    gpa_arr *a = NULL, *moved = NULL;
    gpa_code rc = arg_array(vm, v, DT_NONE, &a);
    if (rc) return rc;
    bool columns = order == 'F' ? a->ndim > 1 : order == 'A' && arr_is_only_f_contiguous(a);
    if ((rc = transpose_take(vm, a, columns, &a))) return rc;
    rc = arr_to(vm_rt(vm), a, device, copy || (order != 'A' && !arr_is_contiguous(a)), &moved,
                vm_err(vm));
    arr_release(vm_rt(vm), a);
    if (!rc) rc = transpose_take(vm, moved, columns, &moved);
    return rc ? rc : np_return_array(vm, moved, out);
}

static gpa_code transfer(gpa_vm *vm, value v, const char *device, bool copy, value *out) {
    return transfer_in_order(vm, v, device, copy, 'A', out);
}

/* target[...] = v; returns the target. */
static gpa_code store_into(gpa_vm *vm, value target, value v, value *out) {
    gpa_arr *to = NULL;
    gpa_opnd from = {0};
    gpa_index all = {.kind = IX_ELLIPSIS};
    gpa_code rc = arg_out(vm, target, &to);
    if (!rc) rc = arg_opnd(vm, v, &from);
    if (!rc) rc = arr_set(vm_rt(vm), to, &(gpa_indices){&all, 1}, &from, vm_err(vm));
    arg_opnd_release(vm, &from);
    if (!rc) *out = value_retain(target);
    return rc;
}

gpa_code nd_to(gpa_vm *vm, value *argv, value *out) { /* self, device, copy */
    char name[32];
    bool copy = false;
    gpa_code rc = arg_device(vm, argv[1], name);
    if (!rc) rc = arg_bool(vm, argv[2], "copy", &copy);
    return rc ? rc : transfer(vm, argv[0], name, copy, out);
}

gpa_code nd_to_device(gpa_vm *vm, value *argv, value *out) { /* self, device, stream */
    char name[32];
    gpa_code rc = arg_device(vm, argv[1], name);
    if (!rc && argv[2].tag != V_NONE)
        rc = vm_fail(vm, GPA_E_VALUE, "The stream argument in to_device() is not supported");
    if (rc) return rc;
    if (argv[0].tag != V_ARRAY) { /* a scalar is on the host */
        *out = value_retain(argv[0]);
        return GPA_OK;
    }
    return transfer(vm, argv[0], name, false, out);
}

static gpa_code to_host(gpa_vm *vm, value v, value into, bool copy, char order, value *out) {
    return into.tag == V_NONE
               ? transfer_in_order(vm, v, rt_host_device(vm_rt(vm)), copy, order, out)
               : store_into(vm, into, v, out);
}

static char order_of(value v) {
    char c = v.tag == V_STR && v.str->size == 1 ? (char)(v.str->text[0] & ~32) : 'C';
    return c == 'F' || c == 'A' ? c : 'C';
}

gpa_code nd_copy_to_host(gpa_vm *vm, value *argv, value *out) {
    return to_host(vm, argv[0], argv[1], true, 'A', out);
} /* self, ary, stream */
gpa_code nd_to_host(gpa_vm *vm, value *argv, value *out) {
    return to_host(vm, argv[0], v_none(), true, 'A', out);
} /* self, stream */
gpa_code nd_get(gpa_vm *vm, value *argv, value *out) { /* self, stream, order, out */
    return to_host(vm, argv[0], argv[3], true, order_of(argv[2]), out);
}
gpa_code np_asnumpy(gpa_vm *vm, value *argv, value *out) { /* a, stream, order, out */
    return to_host(vm, argv[0], argv[3], false, order_of(argv[2]), out);
}

gpa_code nd_copy_to_device(gpa_vm *vm, value *argv, value *out) { /* self, ary, stream */
    value target;
    gpa_code rc = store_into(vm, argv[0], argv[1], &target);
    if (!rc) value_release(vm, target);
    (void)out;
    return rc;
}

/* ---- names of CuPy and Numba ---- */

gpa_code np_get_array_module(gpa_vm *vm, value *argv, value *out) {
    module_obj *numpy;
    (void)argv;
    gpa_code rc = vm_import(vm, "numpy", &numpy);
    if (!rc) *out = value_retain(v_obj(V_MODULE, numpy));
    return rc;
}

/* cupy.cuda.Stream: a call creates a stream; the attribute `null` is the default stream. */
static gpa_code stream_new(gpa_vm *vm, object_obj *o, const call_args *a, value *out) {
    (void)o, (void)a;
    return cuda_stream(vm, NULL, out);
}

static gpa_code stream_attr(gpa_vm *vm, object_obj *o, const char *name, value *out) {
    (void)o;
    bool known = strcmp(name, "null") == 0 || strcmp(name, "ptds") == 0;
    *out = v_unset();
    return known ? cuda_default_stream(vm, NULL, out) : GPA_OK;
}

const object_kind cupy_stream_kind = {.type_name = "type", .call = stream_new, .attr = stream_attr};

/* GPU 0 is the current device if that is not a GPU, which simulates one. */
static bool is_simulated(gpa_vm *vm, value number) {
    return !rt_is_gpu(vm_rt(vm)) && number.tag == V_INT && number.i == 0;
}

gpa_code cupy_device(gpa_vm *vm, value *argv, value *out) {
    return is_simulated(vm, argv[0]) ? numba_current_device(vm, argv, out)
                                     : device_new(vm, argv, out);
}

/* Bytes in use by arrays, and bytes cached for new ones. */
gpa_code cupy_memory(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    rt_stats s;
    rt_get_stats(vm_rt(vm), &s);
    return native_return(
        v_tuple(vm, 2, (value[]){v_int((int64_t)s.bytes_live), v_int((int64_t)s.bytes_cached)}),
        out);
}

gpa_code cupy_trim(gpa_vm *vm, value *argv, value *out) {
    (void)argv, (void)out;
    rt_trim(vm_rt(vm));
    return GPA_OK;
}

gpa_code cupy_limit(gpa_vm *vm, value *argv, value *out) { /* text, or None */
    (void)out;
    return rt_set_memory_limit(vm_rt(vm), argv[0].tag == V_STR ? argv[0].str->text : NULL,
                               vm_err(vm));
}

gpa_code numba_to_device(gpa_vm *vm, value *argv, value *out) { /* obj, stream, copy, to */
    return argv[3].tag == V_NONE ? transfer(vm, argv[0], rt_device(vm_rt(vm)), true, out)
                                 : store_into(vm, argv[3], argv[0], out);
}

static gpa_code unset(gpa_vm *vm, gpa_dtype t, int ndim, const int64_t *shape, bool columns,
                      value *out) {
    gpa_arr *a;
    int64_t lying[GPA_MAX_DIMS];
    for (int d = 0; d < ndim; d++) lying[d] = shape[columns ? ndim - 1 - d : d];
    gpa_code rc = arr_empty(vm_rt(vm), &(arr_spec){t, ndim, lying}, &a, vm_err(vm));
    if (!rc) rc = transpose_take(vm, a, columns, &a);
    return rc ? rc : np_return_array(vm, a, out);
}

gpa_code numba_device_array(gpa_vm *vm, value *argv,
                            value *out) { /* shape, dtype, strides, order, stream */
    int64_t shape[GPA_MAX_DIMS];
    int ndim;
    gpa_dtype t;
    gpa_code rc = arg_shape(vm, argv[0], &ndim, shape);
    if (!rc) rc = arg_dtype(vm, argv[1], &t);
    return rc ? rc
              : unset(vm, t == DT_NONE ? DT_F64 : t, ndim, shape, order_of(argv[3]) == 'F', out);
}

gpa_code numba_device_array_like(gpa_vm *vm, value *argv, value *out) { /* ary, stream */
    gpa_arr *a;
    gpa_code rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (rc) return rc;
    rc = unset(vm, (gpa_dtype)a->dtype, a->ndim, a->shape, arr_is_only_f_contiguous(a), out);
    arr_release(vm_rt(vm), a);
    return rc;
}

gpa_code numba_synchronize(gpa_vm *vm, value *argv, value *out) {
    return device_synchronize(vm, argv, out);
}

gpa_code numba_is_available(gpa_vm *vm, value *argv, value *out) {
    gpa_err quiet = {0};
    const char *name;
    (void)argv;
    *out = v_bool(rt_find_device(vm_rt(vm), "cuda:0", &name, NULL, NULL, &quiet) == GPA_OK);
    return GPA_OK;
}

gpa_code numba_select_device(gpa_vm *vm, value *argv, value *out) { /* device_id */
    if (is_simulated(vm, argv[0])) return numba_current_device(vm, argv, out);
    gpa_code rc = device_new(vm, argv, out);
    return rc ? rc : rt_set_device(vm_rt(vm), scoped_name(out->object), vm_err(vm));
}

gpa_code numba_current_device(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    return return_device(vm, rt_device(vm_rt(vm)), out);
}
