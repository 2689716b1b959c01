/* The methods of compiled ufuncs: reduce, accumulate, reduceat, outer, at.
 *
 * A function of two numbers need not be associative, so elements are taken in order, one after the other along the axis, by a
 * generalised ufunc; all other axes at once. */
#include <string.h>

#include "lang/builtin/all.h"
#include "lang/numpy/numpy.h"
#include "lang/typed/typed.h"
#include "lang/vm.h"

static gpa_code two(gpa_vm *vm, object_obj *o, value a, value b, value *out) {
    return vectorized_call(vm, o, (value[]){a, b}, out);
}

static gpa_code binary_only(gpa_vm *vm, const object_obj *o, const char *method) {
    if (vectorized_arity(o) == 2) return GPA_OK;
    return vm_fail(vm, GPA_E_VALUE, "%s only supported for binary functions", method);
}

/* The programs that fold along an axis (numba.gpa): made once, from the function itself. Borrowed. */
static gpa_code folds_of(gpa_vm *vm, object_obj *o, module_obj *numba, value *out) {
    value make = module_get_text_peek(vm, numba, "_folds");
    gpa_code rc = GPA_OK;
    if (o->fields[VECTORIZED_FOLDS].tag == V_NONE) rc = vm_call(vm, make, 1, &o->fields[0], 0, NULL, &o->fields[VECTORIZED_FOLDS]);
    *out = o->fields[VECTORIZED_FOLDS];
    return rc;
}

/* Calls a function of numba.gpa with the ufunc, its programs, and the n arguments behind the first. */
static gpa_code fold(gpa_vm *vm, const char *method, const char *function, const value *argv, size_t n, value *out) {
    object_obj *o = argv[0].object;
    module_obj *numba;
    value args[8] = {argv[0]};
    gpa_code rc = binary_only(vm, o, method);
    if (!rc) rc = vm_import(vm, "numba", &numba);
    if (!rc) rc = folds_of(vm, o, numba, &args[1]);
    if (rc) return rc;
    memcpy(args + 2, argv + 1, n * sizeof *args);
    return vm_call(vm, module_get_text_peek(vm, numba, function), n + 2, args, 0, NULL, out);
}

/* self, array, axis, dtype, out, keepdims, initial */
gpa_code typed_reduce(gpa_vm *vm, value *argv, value *out) { return fold(vm, "reduce", "_reduce", argv, 6, out); }
/* self, array, axis, dtype, out */
gpa_code typed_accumulate(gpa_vm *vm, value *argv, value *out) { return fold(vm, "accumulate", "_accumulate", argv, 4, out); }
/* self, array, indices, axis, dtype, out */
gpa_code typed_reduceat(gpa_vm *vm, value *argv, value *out) { return fold(vm, "reduceat", "_reduceat", argv, 5, out); }

/* a[i] = f(a[i], b[i]) for one place after the other, so that repeated places count each time. */
gpa_code typed_at(gpa_vm *vm, value *argv, value *out) { /* self, a, indices, b */
    object_obj *o = argv[0].object;
    uint32_t arity = vectorized_arity(o);
    value places = v_none(), others = v_none(), old = v_none(), new = v_none();
    gpa_code rc = GPA_OK;
    (void)out;
    if (argv[1].tag != V_ARRAY) return vm_fail(vm, GPA_E_TYPE, "first operand must be array");
    if (arity > 2) return vm_fail(vm, GPA_E_VALUE, "Only unary and binary ufuncs supported at this time");
    if ((arity == 2) != (argv[3].tag != V_UNSET))
        return vm_fail(vm, GPA_E_VALUE, arity == 2 ? "second operand needed for ufunc" : "second operand provided when ufunc is unary");
    bool several = argv[2].tag == V_ARRAY || argv[2].tag == V_LIST, many = argv[3].tag == V_ARRAY || argv[3].tag == V_LIST;
    if (several) TRY(vm_collect(vm, argv[2], &places));
    if (several && many) TRY(vm_collect(vm, argv[3], &others));
    size_t n = several ? places.list->count : 1;
    if (several && many && others.list->count != n && others.list->count != 1) TRY(vm_fail(vm, GPA_E_VALUE, "array is not broadcastable to correct shape"));
    for (size_t i = 0; i < n; i++) {
        value at = several ? places.list->items[i] : argv[2];
        value by = several && many ? others.list->items[others.list->count == 1 ? 0 : i] : argv[3];
        TRY(vm_poll(vm));
        TRY(vm_getitem(vm, argv[1], at, &old));
        TRY(vectorized_call(vm, o, (value[]){old, by}, &new));
        TRY(vm_setitem(vm, argv[1], at, new));
        value_release(vm, old);
        value_release(vm, new);
        old = new = v_none();
    }
out:
    value_release(vm, places);
    value_release(vm, others);
    value_release(vm, old);
    value_release(vm, new);
    return rc;
}

gpa_code typed_outer(gpa_vm *vm, value *argv, value *out) { /* self, A, B */
    gpa_arr *a = NULL, *b = NULL, *tall = NULL;
    value left = v_none();
    int64_t shape[GPA_MAX_DIMS];
    gpa_code rc = binary_only(vm, argv[0].object, "outer");
    if (rc) return rc;
    TRY(arg_array(vm, argv[1], DT_NONE, &a));
    TRY(arg_array(vm, argv[2], DT_NONE, &b));
    int n = a->ndim + b->ndim;
    if (n > GPA_MAX_DIMS)
        TRY(vm_fail(vm, GPA_E_VALUE, "maximum supported dimension for an ndarray is currently %d, found %d", GPA_MAX_DIMS, n));
    for (int d = 0; d < n; d++) shape[d] = d < a->ndim ? a->shape[d] : 1;
    TRY(arr_reshape(vm_rt(vm), a, n, shape, &tall, vm_err(vm)));
    TRY(np_return_array(vm, tall, &left));
    rc = two(vm, argv[0].object, left, argv[2], out);
out:
    arr_release(vm_rt(vm), a);
    arr_release(vm_rt(vm), b);
    value_release(vm, left);
    return rc;
}
