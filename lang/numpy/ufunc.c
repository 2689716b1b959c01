/* Ufuncs as values: calls and attributes.
 *
 * A ufunc is a row of op.def. Scalar operands are computed at once; otherwise the runtime makes a
 * node. */
#include <math.h>

#include "lang/numpy/all.h"
#include "lang/numpy/float_errors.h"
#include "lang/numpy/numpy.h"
#include "lang/numpy/override.h"
#include "lang/vm/vm.h"

/* ---- calls ---- */

typedef struct {
    value out, where, dtype, casting, signature, order;
} keywords;

static const keywords no_keywords = {{.tag = V_UNSET}, {.tag = V_UNSET}, {.tag = V_UNSET},
                                     {.tag = V_UNSET}, {.tag = V_UNSET}, {.tag = V_UNSET}};

static bool is(value name, const char *text) { return strcmp(name.str->text, text) == 0; }

static gpa_code bind_keywords(gpa_vm *vm, const ufunc *u, size_t n_kw, const value *names,
                              const value *values, keywords *k) {
    for (size_t i = 0; i < n_kw; i++) {
        if (is(names[i], "out"))
            k->out = values[i];
        else if (is(names[i], "where"))
            k->where = values[i];
        else if (is(names[i], "dtype"))
            k->dtype = values[i];
        else if (is(names[i], "casting"))
            k->casting = values[i];
        else if ((is(names[i], "signature") || is(names[i], "sig")) && k->signature.tag != V_UNSET)
            return vm_fail(vm, GPA_E_TYPE, "cannot specify both 'sig' and 'signature'");
        else if (is(names[i], "signature") || is(names[i], "sig"))
            k->signature = values[i];
        else if (is(names[i], "order"))
            k->order = values[i];
        else if (is(names[i], "subok") && values[i].tag != V_BOOL)
            return vm_fail(vm, GPA_E_TYPE, "'subok' must be a boolean");
        else if (!is(names[i], "subok"))
            return vm_fail(vm, GPA_E_TYPE, "%s() got an unexpected keyword argument '%s'", u->name,
                           names[i].str->text);
    }
    return GPA_OK;
}

static bool is_whole(const gpa_opnd *o) { return dtype_is_int(o->dtype) || o->weak == WEAK_INT; }

/* Computes one element: all operands are scalars. */
static gpa_code apply_scalars(gpa_vm *vm, const ufunc *u, const gpa_opnd *in, value *out) {
    gpa_dtype compute, result;
    gpa_code rc = arr_number_types(u->op, in, &compute, &result, vm_err(vm));
    if (rc) return rc;
    if (op_info[u->op].sig == SIG_COMPARE && dtype_is_float(compute) && is_whole(&in[0]) &&
        is_whole(&in[1])) {
        gpa_arr *compared; /* exact comparison of signed with unsigned integers or beyond both,
                              which takes several operations */
        rc = arr_ufunc(vm_rt(vm), u->op, in, NULL, &compared, vm_err(vm));
        return rc ? rc : np_return(vm, compared, out);
    }
    if (u->op == OP_POWER && dtype_info[compute].kind == 'I' &&
        dtype_cast(in[1].v, in[1].dtype, DT_I64).I64 < 0)
        return vm_fail(vm, GPA_E_VALUE, "Integers to negative integer powers are not allowed.");
    gpa_val v[3] = {0};
    for (int i = 0; i < op_info[u->op].arity && !rc; i++)
        if (in[i].weak == WEAK_INT || in[i].weak == WEAK_FLOAT)
            rc = np_check_cast(vm, &in[i], op_operand_type(u->op, compute, i));
    if (rc) return rc;
    for (int i = 0; i < op_info[u->op].arity; i++)
        v[i] = dtype_cast(in[i].v, in[i].dtype, op_operand_type(u->op, compute, i));
    *out = v_num(vm, result, op_scalar(u->op, compute, v[0], v[1], v[2]));
    return out->tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
}

gpa_code ufunc_numbers(gpa_vm *vm, gpa_op op, const value *args, value *out) {
    gpa_opnd in[3] = {0};
    gpa_code rc = GPA_OK;
    bool arrays = false;
    for (int i = 0; i < op_info[op].arity && !rc; i++) {
        rc = arg_opnd(vm, args[i], &in[i]);
        arrays |= in[i].arr != NULL;
    }
    if (!rc)
        rc = arrays ? ufunc_call(vm, ufunc_of(op), ARGS(op_info[op].arity, args), out)
                    : apply_scalars(vm, ufunc_of(op), in, out);
    for (int i = 0; i < op_info[op].arity; i++) arg_opnd_release(vm, &in[i]);
    return rc;
}

static gpa_code apply(gpa_vm *vm, const ufunc *u, const value *args, const keywords *k, value *out);

/* Checks for floating-point errors in a separate evaluation: operands and out= may be the same
 * array. */
static gpa_code check_errors(gpa_vm *vm, const ufunc *u, const value *args, const keywords *k) {
    keywords trial = *k;
    value result = v_none();
    trial.out = trial.where = v_unset();
    float_enable_checks(vm, false);
    gpa_code rc = apply(vm, u, args, &trial, &result);
    float_enable_checks(vm, true);
    if (!rc) rc = float_check_array(vm, u->op, args, k->where, result);
    value_release(vm, result);
    return rc;
}

/* Applies the casting rule to operands and out=. Logical operations take any operands. */
static gpa_code check_casts(gpa_vm *vm, const ufunc *u, const gpa_opnd *in,
                            const arr_ufunc_opts *o) {
    gpa_dtype compute = o->dtype, result = DT_NONE;
    gpa_code rc = GPA_OK;
    if (o->dtype == DT_NONE)
        rc = arr_ufunc_types(u->op, in, &compute, &result, vm_err(vm));
    else
        op_types(u->op, o->dtype, &compute, &result);
    int n = op_info[u->op].sig == SIG_LOGIC ? 0 : op_info[u->op].arity;
    for (int i = 0; i < n && !rc; i++) { /* Python ints first, as NumPy */
        gpa_dtype to = op_operand_type(u->op, compute, i);
        if (in[i].arr || in[i].weak != WEAK_INT) continue;
        if (to == DT_BOOL && in[i].dtype != DT_I64)
            rc = vm_fail(vm, GPA_E_OVERFLOW, "Python int too large to convert to C long");
        else if (result != DT_BOOL)
            rc = arr_check_number(&in[i], to, vm_err(vm));
    }
    for (int i = 0; i < n && !rc; i++)
        rc = ufunc_check_input(vm, u->name, &in[i], n > 1 ? i : -1,
                               op_operand_type(u->op, compute, i), o->casting);
    return rc || !o->into
               ? rc
               : ufunc_check_output(vm, u->name, result, (gpa_dtype)o->into->dtype, o->casting);
}

/* The letter of order=; 'A' is 'F' if all operands are in F order, else 'C'. */
static gpa_code order_of(gpa_vm *vm, value order, const gpa_opnd *in, int n, char *letter) {
    gpa_code rc = arg_order_letter(vm, order, letter);
    if (rc || *letter != 'A') return rc;
    *letter = 'F';
    for (int i = 0; i < n; i++)
        if (in[i].arr && !arr_is_f_contiguous(in[i].arr)) *letter = 'C';
    return GPA_OK;
}

gpa_code ufunc_return_array(gpa_vm *vm, gpa_code rc, value *out) {
    gpa_arr *a = NULL;
    if (rc) return rc;
    rc = arg_array(vm, *out, DT_NONE, &a);
    value_release(vm, *out);
    *out = v_none();
    return rc ? rc : np_return_array(vm, a, out);
}

gpa_code ufunc_refuse_ellipsis(gpa_vm *vm, value v) {
    for (size_t i = 0; v.tag == V_TUPLE && i < v.tuple->count; i++)
        if (v.tuple->items[i].tag == V_ELLIPSIS)
            return vm_fail(vm, GPA_E_TYPE,
                           "must use `...` as `out=...` and not per-operand/in a tuple");
    return GPA_OK;
}

static gpa_code apply(gpa_vm *vm, const ufunc *u, const value *args, const keywords *k,
                      value *out) {
    int arity = op_info[u->op].arity;
    gpa_opnd in[3] = {0};
    gpa_arr *where = NULL, *result = NULL;
    value rows = v_none();
    arr_ufunc_opts opts = {.dtype = DT_NONE};
    bool arrays = false;
    char order;
    gpa_code rc = GPA_OK;
    for (int i = 0; i < arity; i++) {
        if (args[i].tag == V_STR || args[i].tag == V_NONE || args[i].tag == V_DICT)
            TRY(vm_fail(
                vm, GPA_E_TYPE,
                "ufunc '%s' not supported for the input types, and the inputs could not be safely "
                "coerced to any supported types according to the casting rule ''safe''",
                u->name));
        TRY(arg_opnd(vm, args[i], &in[i]));
        arrays |= in[i].arr != NULL;
    }
    TRY(arg_out(vm, k->out, &opts.into));
    TRY(arg_casting(vm, k->casting, &opts.casting));
    TRY(order_of(vm, k->order, in, arity, &order));
    TRY(ufunc_loop(vm, u, in, k->dtype, k->signature, &opts.dtype));
    if (opts.dtype != DT_NONE || k->casting.tag != V_UNSET) TRY(check_casts(vm, u, in, &opts));
    bool everywhere = k->where.tag == V_UNSET || (k->where.tag == V_BOOL && k->where.i);
    bool plain =
        k->where.tag != V_ARRAY && k->where.tag != V_NUM; /* NumPy scalars are truth values here */
    if (!everywhere) TRY(arg_array(vm, k->where, plain ? DT_BOOL : DT_NONE, &where));
    if (where && where->dtype != DT_BOOL) {
        rc = vm_fail(
            vm, GPA_E_TYPE,
            "Cannot cast array data from dtype('%s') to dtype('bool') according to the rule 'safe'",
            dtype_info[where->dtype].name);
        goto out;
    }
    opts.where = where;
    if (!arrays && everywhere && !opts.into && opts.dtype == DT_NONE) {
        rc = apply_scalars(vm, u, in, out);
        if (!rc) rc = float_finish_check(vm, float_check_number(vm, u->op, false, args, *out), out);
        goto out;
    }
    if (float_checks_enabled(vm)) TRY(check_errors(vm, u, args, k));
    TRY((order == 'C' ? arr_ufunc : arr_ufunc_order_k)(vm_rt(vm), u->op, in, &opts, &result,
                                                       vm_err(vm)));
    if (opts.into) {
        value v = k->out.tag == V_TUPLE ? k->out.tuple->items[0] : k->out;
        arr_release(vm_rt(vm), result);
        *out = value_retain(v);
    } else {
        bool transpose = order == 'F' && result->ndim > 1;
        rc = np_return(vm, result, transpose ? &rows : out);
        if (!rc && transpose) rc = np_asfortranarray(vm, (value[]){rows, v_none(), v_none()}, out);
    }
out:
    for (int i = 0; i < arity; i++) arg_opnd_release(vm, &in[i]);
    arr_release(vm_rt(vm), where);
    value_release(vm, rows);
    return rc;
}

/* A call of a ufunc with an overriding operand: a positional out becomes the keyword. */
static gpa_code override_call_of(gpa_vm *vm, const ufunc *u, const call_args *a, value *out) {
    size_t arity = op_info[u->op].arity, n_named = 0;
    const char *names[UFUNC_MAX_KEYWORDS + 1];
    value values[UFUNC_MAX_KEYWORDS + 1];
    for (size_t i = 0; i < a->n_named && n_named < UFUNC_MAX_KEYWORDS; i++) {
        if (is(a->names[i], "out") && a->values[a->n + i].tag == V_NONE) continue;
        names[n_named] = is(a->names[i], "sig") ? "signature" : a->names[i].str->text;
        values[n_named++] = a->values[a->n + i];
    }
    if (a->n == arity + 1 && a->values[arity].tag != V_NONE) {
        names[n_named] = "out";
        values[n_named++] = a->values[arity];
    }
    return override_run(vm, (value){.tag = V_UFUNC, .ufunc = u}, "__call__",
                        &(override_call){arity, a->values, n_named, names, values}, out);
}

gpa_code ufunc_call(gpa_vm *vm, const ufunc *u, const call_args *a, value *out) {
    size_t arity = op_info[u->op].arity;
    keywords k = no_keywords;
    if (a->n >= arity && a->n <= arity + 1 && override_among(a->n + a->n_named, a->values))
        return override_call_of(vm, u, a, out);
    gpa_code rc = bind_keywords(vm, u, a->n_named, a->names, a->values + a->n, &k);
    if (rc) return rc;
    if (a->n < arity || a->n > arity + 1)
        return vm_fail(vm, GPA_E_TYPE,
                       "%s() takes from %zu to %zu positional arguments but %zu were given",
                       u->name, arity, arity + 1, a->n);
    if (a->n == arity + 1) {
        if (k.out.tag != V_UNSET)
            return vm_fail(vm, GPA_E_TYPE,
                           "cannot specify 'out' as both a positional and keyword argument");
        k.out = a->values[arity];
        if (k.out.tag == V_ELLIPSIS)
            return vm_fail(vm, GPA_E_TYPE, "out=... is only allowed as a keyword argument.");
    }
    if ((rc = ufunc_refuse_ellipsis(vm, k.out))) return rc;
    if (k.out.tag != V_ELLIPSIS) return apply(vm, u, a->values, &k, out);
    k.out = v_unset();
    return ufunc_return_array(vm, apply(vm, u, a->values, &k, out), out);
}

/* ---- attributes ---- */

gpa_code np_mark_ufunc(gpa_vm *vm, value *argv, value *out) { /* function */
    if (argv[0].tag != V_FUNC)
        return vm_fail(vm, GPA_E_TYPE, "a function of the library is marked, not %s",
                       value_type_name(argv[0]));
    argv[0].func->ufunc = argv[0].func->unbound = true;
    *out = v_none();
    return GPA_OK;
}

gpa_code np_mark_unbound(gpa_vm *vm, value *argv, value *out) { /* function */
    if (argv[0].tag != V_FUNC)
        return vm_fail(vm, GPA_E_TYPE, "a function of the library is marked, not %s",
                       value_type_name(argv[0]));
    argv[0].func->unbound = true;
    *out = v_none();
    return GPA_OK;
}

gpa_code uf_nin(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_int(op_info[argv[0].ufunc->op].arity);
    return GPA_OK;
}

gpa_code uf_nout(gpa_vm *vm, value *argv, value *out) {
    (void)vm, (void)argv;
    *out = v_int(1);
    return GPA_OK;
}

gpa_code uf_name(gpa_vm *vm, value *argv, value *out) {
    *out = v_cstr(vm, argv[0].ufunc->name);
    return out->tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
}

gpa_code uf_doc(gpa_vm *vm, value *argv, value *out) {
    gpa_str text;
    str_init(&text);
    ufunc_doc(argv[0].ufunc->op, &text);
    if (text.failed)
        vm_no_memory(vm);
    else
        *out = v_str(vm, text.text, text.len);
    str_free(&text);
    return vm_err(vm)->code;
}

gpa_code uf_identity(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    gpa_red red = (gpa_red)op_info[argv[0].ufunc->op].identity;
    *out = v_none();
    if (argv[0].ufunc->op == OP_GCD || argv[0].ufunc->op == OP_HYPOT) *out = v_int(0);
    if (argv[0].ufunc->op == OP_LOGADDEXP || argv[0].ufunc->op == OP_LOGADDEXP2)
        *out = v_float(-INFINITY);
    if (argv[0].ufunc->op == OP_LOGICAL_XOR) *out = v_bool(false);
    if (red == RED_COUNT || !red_info[red].has_identity) return GPA_OK;
    gpa_val v = red_start(red, red == RED_ANY || red == RED_ALL ? DT_BOOL : DT_I64).v;
    *out = red == RED_ANY || red == RED_ALL ? v_bool(v.BOOL) : v_int(v.I64);
    return GPA_OK;
}
