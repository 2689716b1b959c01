/* @vectorize: a function of numbers as a ufunc.
 *
 * A call finds the operands' types, has the function compiled for them (once), and makes a node: nothing runs until the
 * result is needed. With signatures the first whose types the operands can be cast to safely is taken, as NumPy chooses
 * a loop.
 *
 * Reading order: signatures, calls, methods, decorators. */
#include <stdio.h>
#include <string.h>

#include "lang/builtin/all.h"
#include "lang/builtin/kinds.h"
#include "lang/numpy/numpy.h"
#include "lang/typed/typed.h"

enum { FUNCTION, SIGNATURES, FIELDS };

static uint32_t arity_of(const object_obj *o) { return func_node(o->fields[FUNCTION].func)->function.scope->n_positional; }

static const char *name_of(gpa_vm *vm, const object_obj *o) { return func_name(vm, o->fields[FUNCTION].func); }

/* ---- signatures ---- */

static bool takes(const typed_signature *s, const gpa_opnd *in, int n) {
    bool good = s->n == n;
    for (int i = 0; i < n && good; i++) {
        typed_ty t = typed_of(&in[i]);
        if (!t.weak) good = dtype_can_cast((gpa_dtype)t.dtype, (gpa_dtype)s->args[i].dtype, CAST_SAFE);
        else good = dtype_of_weak(in[i].weak, (gpa_dtype)s->args[i].dtype) == (gpa_dtype)s->args[i].dtype;
    }
    return good;
}

/* The types to compile for: of the first signature that fits, else the operands' own. */
static gpa_code choose(gpa_vm *vm, const object_obj *o, const gpa_opnd *in, int n, gpa_dtype loop, typed_ty *types, gpa_dtype *result) {
    const value *list = &o->fields[SIGNATURES];
    *result = loop;
    for (int i = 0; i < n; i++) types[i] = loop == DT_NONE ? typed_of(&in[i]) : (typed_ty){.dtype = (uint8_t)loop};
    if (list->tag == V_NONE || loop != DT_NONE) return GPA_OK;
    for (size_t k = 0; k < list->list->count; k++) {
        typed_signature s;
        gpa_code rc = typed_read_signature(vm, list->list->items[k], &s);
        if (rc) return rc;
        if (!takes(&s, in, n)) continue;
        for (int i = 0; i < n; i++) types[i] = s.args[i];
        *result = (gpa_dtype)s.result.dtype;
        return GPA_OK;
    }
    return vm_fail(vm, GPA_E_TYPE,
                   "ufunc '%s' not supported for the input types, and the inputs could not be safely coerced to any supported "
                   "types according to the casting rule ''safe''",
                   name_of(vm, o));
}

/* ---- calls ---- */

typedef struct {
    value out, where, dtype;
} keywords;

static gpa_code bind(gpa_vm *vm, const object_obj *o, size_t n_kw, const value *names, const value *values, keywords *k) {
    for (size_t i = 0; i < n_kw; i++) {
        const char *s = names[i].str->text;
        if (strcmp(s, "out") == 0) k->out = values[i];
        else if (strcmp(s, "where") == 0) k->where = values[i];
        else if (strcmp(s, "dtype") == 0) k->dtype = values[i];
        else return vm_fail(vm, GPA_E_TYPE, "%s() got an unexpected keyword argument '%s'", name_of(vm, o), s);
    }
    return GPA_OK;
}

static gpa_code run(gpa_vm *vm, object_obj *o, gpa_opnd *in, int n, arr_ufunc_opts *opts, gpa_arr **out) {
    typed_ty types[BODY_MAX_IN];
    gpa_dtype result;
    typed_fn *known = o->data, *t;
    gpa_code rc = choose(vm, o, in, n, opts->dtype, types, &result);
    if (rc) return rc;
    rc = typed_get(vm, &known, o->fields[FUNCTION].func, TYPED_BODY, types, n, result, &t);
    o->data = known;
    if (!rc) rc = typed_numbers(vm, t, in + n);
    return rc ? rc : arr_apply(vm_rt(vm), t->body, in, opts, out, vm_err(vm));
}

static gpa_code apply(gpa_vm *vm, object_obj *o, const value *args, const keywords *k, value *out) {
    int n = (int)arity_of(o);
    gpa_opnd in[BODY_MAX_IN] = {0};
    gpa_arr *where = NULL, *result = NULL;
    arr_ufunc_opts opts = {.dtype = DT_NONE};
    gpa_code rc = GPA_OK;
    for (int i = 0; i < n; i++) TRY(arg_opnd(vm, args[i], &in[i]));
    TRY(arg_dtype(vm, k->dtype, &opts.dtype));
    TRY(arg_out(vm, k->out, &opts.into));
    if (k->where.tag != V_UNSET && !(k->where.tag == V_BOOL && k->where.i)) TRY(arg_array(vm, k->where, DT_BOOL, &where));
    opts.where = where;
    TRY(run(vm, o, in, n, &opts, &result));
    if (opts.into) {
        arr_release(vm_rt(vm), result);
        *out = value_retain(k->out.tag == V_TUPLE ? k->out.tuple->items[0] : k->out);
    } else {
        rc = np_return(vm, result, out);
    }
out:
    for (int i = 0; i < n; i++) arg_opnd_release(vm, &in[i]);
    arr_release(vm_rt(vm), where);
    return rc;
}

static gpa_code call(gpa_vm *vm, object_obj *o, size_t n, const value *args, size_t n_kw, const value *names, value *out) {
    keywords k = {v_unset(), v_unset(), v_unset()};
    size_t arity = arity_of(o);
    gpa_code rc = bind(vm, o, n_kw, names, args + n, &k);
    if (rc) return rc;
    if (n < arity || n > arity + 1)
        return vm_fail(vm, GPA_E_TYPE, "%s() takes from %zu to %zu positional arguments but %zu were given", name_of(vm, o), arity, arity + 1, n);
    if (n == arity + 1) k.out = args[arity];
    return apply(vm, o, args, &k, out);
}

static void forget(gpa_vm *vm, object_obj *o) { typed_free_all(vm, o->data); }

static gpa_code repr(gpa_vm *vm, object_obj *o, gpa_str *out) {
    str_printf(out, "<ufunc '%s'>", name_of(vm, o));
    return GPA_OK;
}

const object_kind vectorized_kind = {.type_name = "numba.DUFunc", .free = forget, .call = call, .repr = repr};

/* ---- methods ---- */

static gpa_code two(gpa_vm *vm, object_obj *o, value a, value b, value *out) {
    keywords k = {v_unset(), v_unset(), v_unset()};
    return apply(vm, o, (value[]){a, b}, &k, out);
}

static gpa_code binary_only(gpa_vm *vm, const object_obj *o, const char *method) {
    if (arity_of(o) == 2) return GPA_OK;
    return vm_fail(vm, GPA_E_VALUE, "%s only supported for binary functions", method);
}

/* Element after element along the axis; `all`: every step is kept, else the last. */
static gpa_code fold(gpa_vm *vm, value *argv, bool all, value *out) {
    object_obj *o = argv[0].object;
    gpa_rt *rt = vm_rt(vm);
    gpa_arr *a = NULL, *moved = NULL, *kept = NULL, *back = NULL;
    value acc = v_unset(), item = v_unset(), next = v_unset();
    int perm[GPA_MAX_DIMS], axis;
    gpa_code rc = binary_only(vm, o, all ? "accumulate" : "reduce");
    if (rc) return rc;
    TRY(arg_array(vm, argv[1], DT_NONE, &a));
    TRY(arg_axis(vm, argv[2], a->ndim, &axis));
    perm[0] = axis;
    for (int d = 0, k = 1; d < a->ndim; d++)
        if (d != axis) perm[k++] = d;
    TRY(arr_transpose(rt, a, perm, &moved, vm_err(vm)));
    if (!all && moved->shape[0] == 0) TRY(vm_fail(vm, GPA_E_VALUE, "zero-size array to reduction operation %s which has no identity", name_of(vm, o)));
    for (int64_t i = 0; i < moved->shape[0]; i++) {
        gpa_index at = {.kind = IX_INT, .i = i};
        gpa_arr *part = NULL;
        TRY(vm_poll(vm));
        TRY(arr_get(rt, moved, &at, 1, NULL, &part, vm_err(vm)));
        TRY(np_return_array(vm, part, &item));
        if (acc.tag != V_UNSET) TRY(two(vm, o, acc, item, &next));
        else next = value_retain(item);
        value_release(vm, acc);
        value_release(vm, item);
        acc = next;
        next = item = v_unset();
        if (!all) continue;
        gpa_opnd rhs = {0};
        TRY(arg_opnd(vm, acc, &rhs));
        if (!kept) rc = arr_empty(rt, typed_of(&rhs).dtype, moved->ndim, moved->shape, &kept, vm_err(vm));
        if (!rc) rc = arr_set(rt, kept, &at, 1, &rhs, vm_err(vm));
        arg_opnd_release(vm, &rhs);
        if (rc) goto out;
    }
    if (!all) {
        *out = value_retain(acc);
        goto out;
    }
    if (!kept) TRY(arr_empty(rt, (gpa_dtype)a->dtype, moved->ndim, moved->shape, &kept, vm_err(vm)));
    for (int d = 0, k = 1; d < a->ndim; d++) perm[d] = d == axis ? 0 : k++;
    TRY(arr_transpose(rt, kept, perm, &back, vm_err(vm)));
    rc = np_return_array(vm, back, out);
out:
    arr_release(rt, a);
    arr_release(rt, moved);
    arr_release(rt, kept);
    value_release(vm, acc);
    value_release(vm, item);
    return rc;
}

gpa_code typed_reduce(gpa_vm *vm, value *argv, value *out) { return fold(vm, argv, false, out); }

gpa_code typed_accumulate(gpa_vm *vm, value *argv, value *out) { return fold(vm, argv, true, out); }

gpa_code typed_reduceat(gpa_vm *vm, value *argv, value *out) { /* self, array, indices, axis */
    gpa_rt *rt = vm_rt(vm);
    gpa_arr *a = NULL, *part = NULL, *whole = NULL;
    value places = v_none(), piece = v_none(), parts = v_list(vm, 0, NULL), reduced = v_none();
    gpa_index ix[GPA_MAX_DIMS] = {0};
    int axis;
    gpa_code rc = binary_only(vm, argv[0].object, "reduceat");
    TRY(rc);
    TRY(arg_array(vm, argv[1], DT_NONE, &a));
    TRY(arg_axis(vm, argv[3], a->ndim, &axis));
    TRY(vm_collect(vm, argv[2], &places));
    size_t n = places.list->count;
    if (n == 0) TRY(vm_fail(vm, GPA_E_VALUE, "need at least one index"));
    for (int d = 0; d < axis; d++) ix[d] = (gpa_index){.kind = IX_SLICE};
    for (size_t i = 0; i < n; i++) {
        int64_t lo, hi = a->shape[axis];
        TRY(arg_int(vm, places.list->items[i], "indices", &lo));
        if (i + 1 < n) TRY(arg_int(vm, places.list->items[i + 1], "indices", &hi));
        if (lo < 0 || lo >= a->shape[axis])
            TRY(vm_fail(vm, GPA_E_INDEX, "index %lld out-of-bounds in %s.reduceat [0, %lld)", (long long)lo,
                        name_of(vm, argv[0].object), (long long)a->shape[axis]));
        ix[axis] = (gpa_index){.kind = IX_SLICE, .has_start = true, .has_stop = true, .start = lo, .stop = hi > lo ? hi : lo + 1};
        TRY(arr_get(rt, a, ix, axis + 1, NULL, &part, vm_err(vm)));
        TRY(np_return_array(vm, part, &piece));
        TRY(fold(vm, (value[]){argv[0], piece, v_int(axis)}, false, &reduced));
        TRY(list_append(vm, parts.list, reduced));
        value_release(vm, piece);
        value_release(vm, reduced);
        piece = reduced = v_none();
    }
    TRY(arg_array(vm, parts, DT_NONE, &part));
    whole = part;
    int perm[GPA_MAX_DIMS];
    for (int d = 0, k = 1; d < whole->ndim; d++) perm[d] = d == axis ? 0 : k++;
    TRY(arr_transpose(rt, whole, perm, &part, vm_err(vm)));
    rc = np_return_array(vm, part, out);
out:
    arr_release(rt, a);
    arr_release(rt, whole);
    value_release(vm, places);
    value_release(vm, piece);
    value_release(vm, parts);
    value_release(vm, reduced);
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

gpa_code typed_nin(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_int(arity_of(argv[0].object));
    return GPA_OK;
}

gpa_code typed_nout(gpa_vm *vm, value *argv, value *out) {
    (void)vm, (void)argv;
    *out = v_int(1);
    return GPA_OK;
}

gpa_code typed_py_func(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = value_retain(argv[0].object->fields[FUNCTION]);
    return GPA_OK;
}

gpa_code typed_its_name(gpa_vm *vm, value *argv, value *out) { return native_give(v_cstr(vm, name_of(vm, argv[0].object)), out); }

/* ---- decorators ---- */

static gpa_code make(gpa_vm *vm, value fn, value signatures, value *out) {
    if (fn.tag != V_FUNC) return vm_fail(vm, GPA_E_TYPE, "@vectorize takes a function, not '%s'", value_type_name(fn));
    value o = v_object(vm, &vectorized_kind, FIELDS);
    if (o.tag == V_UNSET) return GPA_E_MEMORY;
    o.object->fields[FUNCTION] = value_retain(fn);
    o.object->fields[SIGNATURES] = value_retain(signatures);
    *out = o;
    uint32_t n = arity_of(o.object);
    if (n >= 1 && n <= BODY_MAX_IN) return GPA_OK;
    *out = v_none();
    value_release(vm, o);
    return vm_fail(vm, GPA_E_TYPE, "a ufunc has from 1 to %d arguments", BODY_MAX_IN);
}

/* What @vectorize(...) gives: called with the function. Its field is the list of signatures or None. */
static gpa_code with_call(gpa_vm *vm, object_obj *o, size_t n, const value *args, size_t n_kw, const value *names, value *out) {
    (void)names;
    if (n != 1 || n_kw) return vm_fail(vm, GPA_E_TYPE, "a decorator takes the function alone");
    return make(vm, args[0], o->fields[0], out);
}

const object_kind vectorize_with_kind = {.type_name = "numba.vectorize", .call = with_call};

gpa_code numba_vectorize(gpa_vm *vm, value *argv, value *out) { /* ftylist_or_function, target, **kws */
    value list, o;
    gpa_code rc = typed_check_target(vm, argv[1]);
    if (rc) return rc;
    if (argv[0].tag == V_FUNC) return make(vm, argv[0], v_none(), out);
    if ((rc = typed_signatures(vm, argv[0], &list))) return rc;
    o = v_object(vm, &vectorize_with_kind, 1);
    if (o.tag == V_UNSET) TRY(GPA_E_MEMORY);
    o.object->fields[0] = value_retain(list);
    *out = o;
out:
    value_release(vm, list);
    return rc;
}

gpa_code numba_prange(gpa_vm *vm, value *argv, value *out) { /* start, stop, step */
    int64_t at[3] = {0, 0, 1};
    bool one = argv[1].tag == V_UNSET;
    gpa_code rc = arg_int(vm, argv[0], "start", &at[one ? 1 : 0]);
    if (!rc && !one) rc = arg_int(vm, argv[1], "stop", &at[1]);
    if (!rc && argv[2].tag != V_UNSET) rc = arg_int(vm, argv[2], "step", &at[2]);
    if (!rc && at[2] == 0) rc = vm_fail(vm, GPA_E_VALUE, "range() arg 3 must not be zero");
    return rc ? rc : native_give(v_range(vm, at[0], at[1], at[2]), out);
}
