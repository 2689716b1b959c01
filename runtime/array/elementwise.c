/* Elementwise operations (ufuncs): promotion, broadcasting, and the node of the result. All
 * errors are raised here, not when the node is computed.
 *
 * Reading order: dtypes, shapes, the operation, in place. */
#include <math.h>
#include <stdio.h>

#include "runtime/tables/promotion.h"
#include "runtime/array/tape.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/rt.h"
#include "runtime/graph/shape.h"
#include "runtime/array/store.h"

/* ---- dtypes ---- */

static gpa_dtype opnd_dtype(const gpa_opnd *o) {
    return o->arr ? (gpa_dtype)o->arr->dtype : o->dtype;
}

static bool is_weak(const gpa_opnd *o) { return !o->arr && o->weak != WEAK_NO; }

gpa_code arr_result_type(const gpa_opnd *in, int n, gpa_dtype *out, gpa_err *e) {
    gpa_dtype few[8] = {DT_BOOL},
              *strong = n <= (int)COUNT_OF(few) ? few : mem_new((size_t)n * sizeof *strong);
    gpa_weak weak = WEAK_NO;
    int n_strong = 0;
    if (!strong) return gpa_no_memory(e);
    for (int i = 0; i < n; i++) {
        if (is_weak(&in[i]))
            weak = MAX(weak, in[i].weak);
        else
            strong[n_strong++] = opnd_dtype(&in[i]);
    }
    gpa_dtype t = dtype_promote_all(strong, n_strong);
    *out = weak == WEAK_NO ? t : dtype_of_weak(weak, t);
    if (strong != few) mem_free(strong);
    return GPA_OK;
}

/* NumPy's class name of an operand's dtype: UInt8DType for uint8. */
static const char *type_name(const gpa_opnd *o, char *text, size_t n) {
    static const char *const weak[] = {"", "Bool", "_PyLong", "_PyFloat", "_PyComplex"};
    const char *name = dtype_info[opnd_dtype(o)].name;
    int second = dtype_info[opnd_dtype(o)].kind == 'U';
    if (is_weak(o))
        snprintf(text, n, "<class 'numpy.dtypes.%sDType'>", weak[o->weak]);
    else
        snprintf(text, n, "<class 'numpy.dtypes.%s%c%sDType'>", second ? "U" : "",
                 name[second] - 'a' + 'A', name + 1 + second);
    return text;
}

/* NumPy's message for a missing loop of ufuncs whose type resolver looks for exact types. */
static gpa_code no_signature(gpa_op op, const gpa_opnd *in, gpa_err *e) {
    char a[64], b[64];
    type_name(&in[0], a, sizeof a);
    if (op_info[op].arity == 1)
        return gpa_fail(
            e, GPA_E_UFUNC_TYPE,
            "ufunc '%s' did not contain a loop with signature matching types %s -> None",
            op_info[op].name, a);
    return gpa_fail(
        e, GPA_E_UFUNC_TYPE,
        "ufunc '%s' did not contain a loop with signature matching types (%s, %s) -> None",
        op_info[op].name, a, type_name(&in[1], b, sizeof b));
}

static gpa_code no_loop(gpa_op op, gpa_dtype t, gpa_err *e) {
    if (op == OP_SUBTRACT && t == DT_BOOL)
        return gpa_fail(e, GPA_E_TYPE,
                        "numpy boolean subtract, the `-` operator, is not supported, use the "
                        "bitwise_xor, the `^` operator, or "
                        "the logical_xor function instead.");
    if (op == OP_NEGATIVE && t == DT_BOOL)
        return gpa_fail(e, GPA_E_TYPE,
                        "The numpy boolean negative, the `-` operator, is not supported, use the "
                        "`~` operator or the "
                        "logical_not function instead.");
    return gpa_fail(e, GPA_E_TYPE,
                    "ufunc '%s' not supported for the input types, and the inputs could not be "
                    "safely coerced to any supported "
                    "types according to the casting rule ''safe''",
                    op_info[op].name);
}

/* The promoted dtype of the operands. */
static gpa_code common_type(gpa_op op, const gpa_opnd *in, int n, gpa_dtype *out, gpa_err *e) {
    gpa_dtype t[3] = {DT_BOOL};
    bool weak = false;
    for (int i = 0; i < n; i++) {
        t[i] = op_promotion_type(op, opnd_dtype(&in[i]));
        weak = weak || is_weak(&in[i]);
    }
    *out = dtype_promote_all(t, n);
    return weak ? arr_result_type(in, n, out, e) : GPA_OK;
}

/* True if the exponent of ldexp has no loop: NumPy's take C's int and long. */
static bool is_bad_exponent(const gpa_opnd *exponent) {
    gpa_dtype t = opnd_dtype(exponent);
    return t == DT_U64 || (!dtype_is_int(t) && t != DT_BOOL);
}

gpa_code arr_ufunc_types(gpa_op op, const gpa_opnd *in, gpa_dtype *compute, gpa_dtype *result,
                         gpa_err *e) {
    gpa_dtype t;
    gpa_sig sig = (gpa_sig)op_info[op].sig;
    /* The condition of `where` and the exponent of ldexp take no part in promotion. */
    const gpa_opnd *first = in + (sig == SIG_SELECT);
    int n = sig == SIG_LDEXP ? 1 : op_info[op].arity - (sig == SIG_SELECT);
    gpa_code rc = common_type(op, first, n, &t, e);
    if (!rc && sig == SIG_LDEXP) {
        if (is_bad_exponent(&in[1])) return no_loop(op, t, e);
        if (!in->arr && in->weak == WEAK_INT && !is_weak(&in[1]))
            t = DT_F16; /* NumPy's first loop that accepts a Python int */
    }
    if (rc || op_types(op, t, compute, result)) return rc;
    bool by_type = sig == SIG_INT || (t == DT_BOOL && op != OP_SUBTRACT && op != OP_NEGATIVE);
    return by_type ? no_signature(op, in, e) : no_loop(op, t, e);
}

/* A Python int must be in range of its dtype; comparisons and logic of integers handle others
 * (widen_comparison). */
static gpa_code check_number(gpa_op op, const gpa_opnd *o, gpa_dtype t, gpa_err *e) {
    if (o->arr || o->weak != WEAK_INT || (op == OP_WHERE && dtype_is_int(o->dtype)))
        return GPA_OK; /* np.where converts like astype */
    return arr_check_number(o, t, e);
}

/* A Python int beyond int64. */
static bool is_large(const gpa_opnd *o) {
    return !o->arr && o->weak == WEAK_INT && o->dtype != DT_I64;
}

/* Logical operations, and comparisons with booleans, convert Python ints to int64. */
static gpa_code check_large(gpa_op op, const gpa_opnd *in, gpa_err *e) {
    const gpa_sig sig = (gpa_sig)op_info[op].sig;
    for (int i = 0; i < op_info[op].arity; i++) {
        if (!is_large(&in[i])) continue;
        bool booleans =
            sig == SIG_COMPARE && in[1 - i].weak == WEAK_NO && opnd_dtype(&in[1 - i]) == DT_BOOL;
        if (sig == SIG_LOGIC || booleans)
            return gpa_fail(e, GPA_E_OVERFLOW, "Python int too large to convert to C long");
    }
    return GPA_OK;
}

/* Comparisons of integers with a Python int beyond int64: rewrites that operand in `own` to
 * uint64, or beyond that to infinity. Returns the operands to use. */
static const gpa_opnd *compare_large(gpa_op op, const gpa_opnd *in, gpa_opnd *own) {
    if (op_info[op].sig != SIG_COMPARE) return in;
    for (int i = 0; i < 2; i++) {
        gpa_dtype other = opnd_dtype(&in[1 - i]);
        if (!is_large(&in[i]) || !dtype_is_int(other)) continue;
        memcpy(own, in, 2 * sizeof *own);
        bool beyond = in[i].dtype == DT_F64;
        own[i].weak = beyond ? WEAK_FLOAT : WEAK_NO;
        if (beyond)
            own[i].v.F64 = copysign(INFINITY, in[i].v.F64);
        else if (own[1 - i].weak == WEAK_INT)
            own[1 - i].weak = WEAK_NO;
        return own;
    }
    return in;
}

/* Compares a typed integer with a scalar out of its range in int64, or if that is too small in
 * float64. */
static void widen_comparison(gpa_op op, const gpa_opnd *in, gpa_dtype *compute) {
    gpa_sig sig = (gpa_sig)op_info[op].sig;
    if ((sig != SIG_COMPARE && sig != SIG_LOGIC) || !dtype_is_int(*compute)) return;
    for (int i = 0; i < op_info[op].arity; i++) {
        if (!check_number(op, &in[i], *compute, NULL)) continue;
        bool beyond = *compute == DT_U64 || *compute == DT_I64;
        *compute = beyond ? DT_F64 : DT_I64;
    }
}

gpa_code arr_number_types(gpa_op op, const gpa_opnd *in, gpa_dtype *compute, gpa_dtype *result,
                          gpa_err *e) {
    gpa_opnd own[2];
    gpa_code rc = check_large(op, in, e);
    in = compare_large(op, in, own);
    if (!rc) rc = arr_ufunc_types(op, in, compute, result, e);
    if (rc) return rc;
    widen_comparison(op, in, compute);
    for (int i = 0; i < op_info[op].arity && !rc; i++)
        rc = check_number(op, &in[i], op_operand_type(op, *compute, i), e);
    return rc;
}

/* NumPy's strength reduction of powers with a constant exponent. */
static gpa_op power_row(gpa_op op, const gpa_opnd *in, gpa_dtype compute) {
    if (op != OP_POWER || in[1].arr) return op;
    double x = dtype_cast(in[1].v, in[1].dtype, DT_F64).F64;
    if (dtype_is_complex(in[1].dtype)) return op;
    if (x == 2 && compute != DT_BOOL) return OP_SQUARE;
    if (x == 3 && compute != DT_BOOL && !dtype_is_complex(compute)) return OP_CUBE;
    bool real = dtype_is_float(compute) || dtype_is_complex(compute);
    if (x == 1 && real) return OP_POSITIVE;
    if (x == 0.5 && real) return OP_SQRT;
    if (x == -1 && real) return OP_RECIPROCAL;
    return op;
}

/* ---- shapes ---- */

enum { MAX_SHAPES = BODY_MAX_IN + 2 }; /* operands, out=, where= */

/* The broadcast shape of the operands, where= and out=; out= itself must not be broadcast. */
static gpa_code common_shape(const gpa_opnd *in, int n, const arr_ufunc_opts *o, int *ndim,
                             int64_t *shape, gpa_err *e) {
    const gpa_arr *each[MAX_SHAPES];
    int ndims[MAX_SHAPES];
    const int64_t *shapes[MAX_SHAPES];
    char have[SHAPE_TEXT], want[SHAPE_TEXT];
    int count = 0;
    bool fits = true;
    for (int i = 0; i < n; i++) each[count++] = in[i].arr;
    if (o->into) each[count++] = o->into;
    if (o->where) each[count++] = o->where;
    *ndim = 0;
    for (int i = 0; i < count; i++) {
        ndims[i] = each[i] ? each[i]->ndim : 0;
        shapes[i] = each[i] ? each[i]->shape : NULL;
        fits = fits && shape_broadcast(ndim, shape, ndims[i], shapes[i]);
    }
    if (!fits) {
        shape_mismatch(count, ndims, shapes, e);
        for (int i = 0; i < n; i++)
            if (in[i].arr)
                gpa_err_note(e, in[i].span, "%s",
                             shape_text(have, in[i].arr->ndim, in[i].arr->shape));
        return GPA_E_VALUE;
    }
    if (!o->into || shape_equal(o->into->ndim, o->into->shape, *ndim, shape)) return GPA_OK;
    return gpa_fail(
        e, GPA_E_VALUE,
        "non-broadcastable output operand with shape %s doesn't match the broadcast shape %s",
        shape_text(have, o->into->ndim, o->into->shape), shape_text(want, *ndim, shape));
}

static gpa_code check_cast(const char *name, gpa_dtype result, const arr_ufunc_opts *o,
                           gpa_err *e) {
    static const char *const rules[] = {"no", "equiv", "safe", "same_kind", "unsafe"};
    gpa_casting casting = o->casting == CAST_NO ? CAST_SAME_KIND : o->casting;
    if (!o->into || dtype_can_cast(result, (gpa_dtype)o->into->dtype, casting)) return GPA_OK;
    return gpa_fail(
        e, GPA_E_UFUNC_TYPE,
        "Cannot cast ufunc '%s' output from dtype('%s') to dtype('%s') with casting rule '%s'",
        name, dtype_info[result].name, dtype_info[o->into->dtype].name, rules[casting]);
}

/* Integers to negative integer powers are a ValueError, even for one of many exponents. Reduces
 * the exponents immediately, because the error must not be deferred. */
static gpa_code check_exponents(gpa_rt *rt, const gpa_opnd *in, gpa_dtype compute, gpa_err *e) {
    gpa_arr *b = in[1].arr, *min = NULL;
    gpa_val v = in[1].v;
    gpa_dtype t = in[1].dtype;
    gpa_code rc = GPA_OK;
    if (dtype_info[compute].kind != 'I' || (in[0].arr && in[0].arr->size == 0) ||
        (b && (b->size == 0 || dtype_info[b->dtype].kind != 'I')))
        return GPA_OK;
    if (b) {
        t = (gpa_dtype)b->dtype;
        rc = arr_reduce(rt, RED_MIN, b, &(arr_reduce_opts){.axes = ~0u, .dtype = DT_NONE}, &min, e);
        if (!rc) rc = arr_item(rt, min, &v, e);
        arr_release(rt, min);
    }
    if (!rc && dtype_cast(v, t, DT_I64).I64 < 0)
        rc = gpa_fail(e, GPA_E_VALUE, "Integers to negative integer powers are not allowed.");
    return rc;
}

/* ---- the operation ---- */

/* The node of the operation; constant folding for scalars. */
static gpa_code apply_op(gpa_rt *rt, const ufunc_loop *l, node *const *in, node **out, gpa_err *e) {
    bool all_scalars = true;
    gpa_val v[3] = {0};
    for (int i = 0; i < op_info[l->op].arity; i++) {
        all_scalars = all_scalars && in[i]->kind == NODE_SCALAR;
        v[i] = in[i]->v;
    }
    if (!all_scalars) return node_op(rt, l->op, l->result, in, out, e);
    return node_scalar(rt, l->result, op_scalar(l->op, l->compute, v[0], v[1], v[2]), out, e);
}

/* Stores a result into out= where where= is true. */
static gpa_code store_into(gpa_rt *rt, node *value, const arr_ufunc_opts *o, gpa_arr **out,
                           gpa_err *e) {
    node *mask = NULL;
    gpa_code rc = GPA_OK;
    if (o->where) TRY(arr_node(rt, o->where, &mask, e));
    TRY(store_result(rt, o->into, value, mask, e));
    *out = arr_retain(o->into);
out:
    node_release(rt, mask);
    return rc;
}

/* True for comparisons of signed integers with uint64. Their promoted dtype, float64, represents
 * neither exactly. */
static bool is_signed_with_uint64(gpa_op op, const gpa_opnd *in) {
    if (op_info[op].sig != SIG_COMPARE || is_weak(&in[0]) || is_weak(&in[1])) return false;
    gpa_dtype a = opnd_dtype(&in[0]), b = opnd_dtype(&in[1]);
    return (dtype_info[a].kind == 'I' && b == DT_U64) || (a == DT_U64 && dtype_info[b].kind == 'I');
}

/* Such a comparison, exact as NumPy's: in uint64 where the signed operand is not negative; where
 * it is, the result is constant. `in` are the operands as int64 and uint64. */
static gpa_code compare_signed_with_uint64(gpa_rt *rt, gpa_op op, bool signed_first,
                                           node *const *in, node **out, gpa_err *e) {
    node *zero = NULL, *negative = NULL, *bits = NULL, *compared = NULL;
    bool true_if_less = op == (signed_first ? OP_LESS : OP_GREATER) ||
                        op == (signed_first ? OP_LESS_EQUAL : OP_GREATER_EQUAL);
    bool when_negative = true_if_less || op == OP_NOT_EQUAL;
    gpa_code rc = GPA_OK;
    node *s = in[!signed_first], *u = in[signed_first];
    TRY(node_scalar(rt, DT_I64, (gpa_val){.I64 = 0}, &zero, e));
    const ufunc_loop sign = {when_negative ? OP_LESS : OP_GREATER_EQUAL, DT_I64, DT_BOOL};
    TRY(apply_op(rt, &sign, (node *[]){s, zero, NULL}, &negative, e));
    TRY(node_cast(rt, s, DT_U64, &bits, e));
    node *const pair[3] = {signed_first ? bits : u, signed_first ? u : bits, NULL};
    TRY(apply_op(rt, &(ufunc_loop){op, DT_U64, DT_BOOL}, pair, &compared, e));
    gpa_op join = when_negative ? OP_LOGICAL_OR : OP_LOGICAL_AND;
    TRY(apply_op(rt, &(ufunc_loop){join, DT_BOOL, DT_BOOL}, (node *[]){negative, compared, NULL},
                 out, e));
out:
    node_release(rt, zero);
    node_release(rt, negative);
    node_release(rt, bits);
    node_release(rt, compared);
    return rc;
}

/* True for operands of apply_fast_path(): arrays of a's dtype and shape, and real Python scalars.
 */
static bool is_fast_path_operand(const gpa_opnd *o, const gpa_arr *a) {
    if (!o->arr) return o->weak != WEAK_NO && o->weak != WEAK_COMPLEX;
    return o->arr == a || (o->arr->dtype == a->dtype &&
                           shape_equal(o->arr->ndim, o->arr->shape, a->ndim, a->shape));
}

/* Fast path: two float arrays of one dtype and shape, or one of them and a Python scalar, which
 * need no cast, broadcast or check. *out stays NULL for others. */
static gpa_code apply_fast_path(gpa_rt *rt, gpa_op op, const gpa_opnd *in, node **out, gpa_err *e) {
    const gpa_arr *a = in[0].arr ? in[0].arr : in[1].arr;
    gpa_dtype t, result;
    node *nodes[2] = {0};
    gpa_code rc = GPA_OK;
    bool shaped = true;
    if (!a || !dtype_is_float((gpa_dtype)a->dtype) || !is_fast_path_operand(&in[0], a) ||
        !is_fast_path_operand(&in[1], a))
        return GPA_OK;
    if (op == OP_POWER || op_info[op].sig == SIG_LDEXP ||
        !op_types(op, (gpa_dtype)a->dtype, &t, &result) || t != a->dtype)
        return GPA_OK;
    for (int i = 0; i < 2; i++) {
        if (in[i].arr)
            TRY(arr_node(rt, in[i].arr, &nodes[i], e));
        else
            TRY(node_scalar(rt, t, dtype_cast(in[i].v, in[i].dtype, t), &nodes[i], e));
        shaped = shaped && (!in[i].arr || nodes[i]->kind != NODE_SCALAR);
    }
    if (shaped) TRY(node_op(rt, op, result, nodes, out, e));
out:
    node_release(rt, nodes[0]);
    node_release(rt, nodes[1]);
    return rc;
}

/* The array that a ufunc returns: new, or o->into. */
typedef struct {
    const arr_ufunc_opts *o;
    int ndim;
    const int64_t *shape;
} result_spec;

/* Broadcasts a value to the result's shape, which that of broadcast scalars lacks, and returns or
 * stores it. */
static gpa_code return_or_store(gpa_rt *rt, node *value, const result_spec *r, gpa_arr **out,
                                gpa_err *e) {
    node *full = NULL;
    gpa_code rc = node_broadcast(rt, value, r->ndim, r->shape, &full, e);
    if (!rc) rc = r->o->into ? store_into(rt, full, r->o, out, e) : arr_of_node(rt, full, out, e);
    node_release(rt, full);
    return rc;
}

/* A result that is stored into o->into while operations are recorded: computed, then stored. */
static gpa_code apply_then_store(gpa_rt *rt, gpa_op op, const gpa_opnd *in, const arr_ufunc_opts *o,
                                 gpa_arr **out, gpa_err *e) {
    arr_ufunc_opts fresh = *o;
    gpa_arr *made = NULL, *chosen = NULL;
    gpa_code rc = GPA_OK;
    fresh.into = fresh.where = NULL;
    TRY(arr_ufunc(rt, op, in, &fresh, &made, e));
    if (o->where) {
        const gpa_opnd choice[3] = {{.arr = o->where}, {.arr = made}, {.arr = o->into}};
        TRY(arr_ufunc(rt, OP_WHERE, choice, NULL, &chosen, e));
    }
    TRY(arr_set(rt, o->into, NULL, &(gpa_opnd){.arr = chosen ? chosen : made}, e));
    *out = arr_retain(o->into);
out:
    arr_release(rt, made);
    arr_release(rt, chosen);
    return rc;
}

/* True if an operand or o->into is active on a tape. */
static bool concerns_tape(const gpa_rt *rt, const gpa_opnd *in, int n, const arr_ufunc_opts *o) {
    bool active = o->into && tape_is_active(rt, o->into);
    for (int i = 0; i < n; i++) active |= tape_is_active(rt, in[i].arr);
    return active;
}

/* True for a Python number that is finite and not zero. */
static bool is_plain_factor(const gpa_opnd *o) {
    if (o->arr || (o->dtype != DT_I64 && o->dtype != DT_F64)) return false;
    const double v = o->dtype == DT_I64 ? (double)o->v.I64 : o->v.F64;
    return v != 0 && v - v == 0;
}

/* The operation that computes the same for these operands and costs less. */
static gpa_op cheaper(gpa_op op, const gpa_opnd *in) {
    const bool plain =
        op == OP_PRODUCT_OR_ZERO && (is_plain_factor(&in[0]) || is_plain_factor(&in[1]));
    return plain ? OP_MULTIPLY : op;
}

gpa_code arr_ufunc(gpa_rt *rt, gpa_op op, const gpa_opnd *in, const arr_ufunc_opts *opts,
                   gpa_arr **out, gpa_err *e) {
    static const arr_ufunc_opts none = {.dtype = DT_NONE};
    const arr_ufunc_opts *o = opts ? opts : &none;
    int arity = op_info[op].arity, ndim;
    int64_t shape[GPA_MAX_DIMS];
    gpa_dtype compute, result;
    node *nodes[3] = {0}, *value = NULL, *full = NULL;
    gpa_code rc = GPA_OK;
    gpa_opnd own[2];
    op = cheaper(op, in);
    TRY(check_large(op, in, e));
    in = compare_large(op, in, own);
    if (!opts && arity == 2) TRY(apply_fast_path(rt, op, in, &full, e));
    if (full) TRY(arr_of_node(rt, full, out, e));
    if (full) goto note;
    if (o->into && o->into->readonly) TRY(gpa_fail(e, GPA_E_VALUE, "output array is read-only"));
    if (o->dtype == DT_NONE)
        TRY(arr_ufunc_types(op, in, &compute, &result, e));
    else if (!op_types(op, o->dtype, &compute, &result) ||
             (op_info[op].sig == SIG_LDEXP && is_bad_exponent(&in[1])))
        TRY(no_loop(op, o->dtype, e));
    widen_comparison(op, in, &compute);
    for (int i = 0; i < arity; i++)
        TRY(check_number(op, &in[i], op_operand_type(op, compute, i), e));
    TRY(check_cast(op_info[op].name, result, o, e));
    TRY(common_shape(in, arity, o, &ndim, shape, e));
    if (op == OP_POWER) TRY(check_exponents(rt, in, compute, e));
    if (o->into && tape_is_on(rt) && concerns_tape(rt, in, arity, o)) {
        TRY(apply_then_store(rt, op, in, o, out, e));
        goto out;
    }
    op = power_row(op, in, compute);
    arity = op_info[op].arity;
    bool signed_with_uint64 = o->dtype == DT_NONE && is_signed_with_uint64(op, in),
         first = signed_with_uint64 && opnd_dtype(&in[0]) != DT_U64;
    for (int i = 0; i < arity; i++) {
        gpa_dtype t = !signed_with_uint64 ? op_operand_type(op, compute, i)
                      : first == (i == 0) ? DT_I64
                                          : DT_U64;
        TRY(opnd_node(rt, &in[i], &(arr_spec){t, ndim, shape}, &nodes[i], e));
    }
    if (signed_with_uint64)
        TRY(compare_signed_with_uint64(rt, op, first, nodes, &value, e));
    else
        TRY(apply_op(rt, &(ufunc_loop){op, compute, result}, nodes, &value, e));
    TRY(return_or_store(rt, value, &(result_spec){o, ndim, shape}, out, e));
note:
    if (tape_is_on(rt) && (rc = tape_note_ufunc(rt, op, o->dtype, in, *out, e)))
        arr_release(rt, *out);
out:
    for (int i = 0; i < 3; i++) node_release(rt, nodes[i]);
    node_release(rt, value);
    node_release(rt, full);
    return rc;
}

gpa_code arr_apply(gpa_rt *rt, gpa_body *body, const gpa_opnd *in, const arr_ufunc_opts *opts,
                   gpa_arr **out, gpa_err *e) {
    static const arr_ufunc_opts none = {.dtype = DT_NONE};
    const arr_ufunc_opts *o = opts ? opts : &none;
    int n = (int)body->f->n_params, ndim;
    int64_t shape[GPA_MAX_DIMS];
    node *nodes[BODY_MAX_IN] = {0}, *value = NULL;
    gpa_code rc = GPA_OK;
    for (int i = 0; i < n && tape_is_on(rt); i++)
        TRY(tape_refuse(rt, body->f->name, &in[i].arr, 1, e));
    if (o->into && o->into->readonly) TRY(gpa_fail(e, GPA_E_VALUE, "output array is read-only"));
    TRY(check_cast(body->f->name, (gpa_dtype)body->dtype[0], o, e));
    TRY(common_shape(in, n, o, &ndim, shape, e));
    for (int i = 0; i < n; i++)
        TRY(opnd_node(rt, &in[i], &(arr_spec){(gpa_dtype)body->f->params[i], ndim, shape},
                      &nodes[i], e));
    TRY(node_body(rt, body, 0, nodes, &value, e));
    TRY(return_or_store(rt, value, &(result_spec){o, ndim, shape}, out, e));
out:
    for (int i = 0; i < n; i++) node_release(rt, nodes[i]);
    node_release(rt, value);
    return rc;
}

/* ---- in place ---- */

gpa_code arr_update(gpa_rt *rt, gpa_op op, gpa_arr *a, const gpa_opnd *rhs, gpa_err *e) {
    const gpa_opnd in[2] = {{.arr = a}, *rhs};
    const arr_ufunc_opts into = {.dtype = DT_NONE, .into = a, .casting = CAST_SAME_KIND};
    gpa_arr *result;
    gpa_code rc = arr_ufunc(rt, op, in, &into, &result, e);
    if (!rc) arr_release(rt, result);
    return rc;
}
