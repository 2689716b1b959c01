/* Methods of compiled ufuncs: reduce, accumulate, reduceat, outer, at.
 *
 * A function of two numbers need not be associative: elements along the axis are folded
 * sequentially, in order, by a generalized ufunc, which is parallel over all other axes. */
#include <string.h>

#include "lang/typed/all.h"
#include "lang/object/container.h"
#include "lang/numpy/numpy.h"
#include "lang/typed/typed.h"
#include "lang/vm/vm.h"

static gpa_code two(gpa_vm *vm, object_obj *o, value a, value b, value *out) {
    return vectorized_call(vm, o, (value[]){a, b}, out);
}

static gpa_code binary_only(gpa_vm *vm, const object_obj *o, const char *method) {
    if (vectorized_arity(o) == 2) return GPA_OK;
    return vm_fail(vm, GPA_E_VALUE, "%s only supported for binary functions", method);
}

/* Generalized ufuncs that fold along an axis (numba.gpa), compiled once per function. Borrowed. */
static gpa_code folds_of(gpa_vm *vm, object_obj *o, module_obj *numba, value *out) {
    value make = module_get_text_peek(vm, numba, "_folds");
    gpa_code rc = GPA_OK;
    if (o->fields[VECTORIZED_FOLDS].tag == V_NONE)
        rc = vm_call(vm, make, ARGS(1, &o->fields[0]), &o->fields[VECTORIZED_FOLDS]);
    *out = o->fields[VECTORIZED_FOLDS];
    return rc;
}

/* The NumPy ufunc that the function equals for integers of dtype t, if that is associative and
 * commutative; else NULL. */
static const char *reorderable(gpa_vm *vm, object_obj *o, gpa_dtype t) {
    typed_ty types[2] = {{.dtype = (uint8_t)t}, {.dtype = (uint8_t)t}};
    typed_fn *compiled = o->data, *fn = NULL;
    if (t >= DT_COUNT || !dtype_is_int(t)) return NULL;
    gpa_code rc = typed_get(
        vm, &compiled, o->fields[0].func,
        &(typed_request){.form = TYPED_BODY, .args = types, .n = 2, .result = DT_NONE}, &fn);
    o->data = compiled;
    if (rc) vm_clear_error(vm);
    if (rc || fn->body->dtype[0] != t) return NULL;
    const kir_ins *code = fn->body->f->code, *i = &code[fn->body->value[0]];
    static const gpa_op rows[] = {OP_ADD,  OP_MULTIPLY,    OP_MINIMUM,    OP_MAXIMUM,    OP_FMIN,
                                  OP_FMAX, OP_BITWISE_AND, OP_BITWISE_OR, OP_BITWISE_XOR};
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        if (i->code != KIR_OP || i->sub != rows[k]) continue;
        const kir_ins *a = &code[i->a], *b = &code[i->b];
        return a->code == KIR_PARAM && b->code == KIR_PARAM && a->imm + b->imm == 1
                   ? op_info[rows[k]].name
                   : NULL;
    }
    return NULL;
}

/* Calls a function of numba.gpa with the ufunc, its folds, and arguments 1 .. n. */
static gpa_code call_fold(gpa_vm *vm, const char *method, const char *function, const value *argv,
                          size_t n, value *out) {
    object_obj *o = argv[0].object;
    module_obj *numba;
    value args[12] = {argv[0]};
    gpa_code rc = method ? binary_only(vm, o, method) : GPA_OK;
    if (!rc) rc = vm_import(vm, "numba", &numba);
    if (!rc) rc = folds_of(vm, o, numba, &args[1]);
    if (rc) return rc;
    memcpy(args + 2, argv + 1, n * sizeof *args);
    return vm_call(vm, module_get_text_peek(vm, numba, function), ARGS(n + 2, args), out);
}

gpa_code typed_reduce(gpa_vm *vm, value *argv,
                      value *out) { /* self, array, axis, dtype, out, keepdims, initial, where */
    value args[9];
    gpa_dtype t = argv[1].tag == V_ARRAY ? (gpa_dtype)argv[1].array->arr->dtype : DT_NONE;
    const char *name = vectorized_arity(argv[0].object) == 2 && argv[3].tag == V_NONE
                           ? reorderable(vm, argv[0].object, t)
                           : NULL;
    memcpy(args, argv, 8 * sizeof *args);
    args[8] = name ? v_cstr(vm, name) : v_none();
    if (args[8].tag == V_UNSET) return GPA_E_MEMORY;
    gpa_code rc = call_fold(vm, "reduce", "_reduce", args, 8, out);
    value_release(vm, args[8]);
    return rc;
}

/* self, array, axis, dtype, out */
gpa_code typed_accumulate(gpa_vm *vm, value *argv, value *out) {
    return call_fold(vm, "accumulate", "_accumulate", argv, 4, out);
}
/* self, array, indices, axis, dtype, out */
gpa_code typed_reduceat(gpa_vm *vm, value *argv, value *out) {
    return call_fold(vm, "reduceat", "_reduceat", argv, 5, out);
}

/* a[i] = f(a[i], b[i]), sequentially: repeated indices accumulate. */
gpa_code typed_at(gpa_vm *vm, value *argv, value *out) { /* self, a, indices, b */
    uint32_t arity = vectorized_arity(argv[0].object);
    if (argv[1].tag != V_ARRAY) return vm_fail(vm, GPA_E_TYPE, "first operand must be array");
    if (arity > 2)
        return vm_fail(vm, GPA_E_VALUE, "Only unary and binary ufuncs supported at this time");
    if ((arity == 2) != (argv[3].tag != V_UNSET))
        return vm_fail(vm, GPA_E_VALUE,
                       arity == 2 ? "second operand needed for ufunc"
                                  : "second operand provided when ufunc is unary");
    return call_fold(vm, NULL, arity == 2 ? "_at" : "_at_each", argv, arity + 1, out);
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
        TRY(vm_fail(vm, GPA_E_VALUE,
                    "maximum supported dimension for an ndarray is currently %d, found %d",
                    GPA_MAX_DIMS, n));
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
