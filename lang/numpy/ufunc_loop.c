/* Selection of a ufunc's loop (its computation dtype): dtype=, signature= and casting=.
 *
 * A loop is identified by the dtype it computes in, which determines the dtypes of operands and
 * result (op_operand_type, op_types). */
#include <stdio.h>

#include "lang/numpy/all.h"
#include "lang/numpy/numpy.h"

/* ---- casting rules ---- */

static const char *const rules[] = {[CAST_NO] = "no",
                                    [CAST_EQUIV] = "equiv",
                                    [CAST_SAFE] = "safe",
                                    [CAST_SAME_KIND] = "same_kind",
                                    [CAST_UNSAFE] = "unsafe"};

gpa_code arg_casting(gpa_vm *vm, value v, gpa_casting *out) {
    *out = CAST_SAME_KIND;
    if (v.tag == V_UNSET) return GPA_OK;
    if (v.tag != V_STR)
        return vm_fail(vm, GPA_E_TYPE, "casting must be str, not %s", value_type_name(v));
    for (size_t i = 0; i < COUNT_OF(rules); i++)
        if (strcmp(v.str->text, rules[i]) == 0) {
            *out = (gpa_casting)i;
            return GPA_OK;
        }
    return vm_fail(
        vm, GPA_E_VALUE,
        "casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' (got '%s')",
        v.str->text);
}

gpa_code ufunc_check_input(gpa_vm *vm, const char *name, const gpa_opnd *in, int i, gpa_dtype to,
                           gpa_casting casting) {
    char number[16] = "";
    gpa_dtype from = in->arr ? (gpa_dtype)in->arr->dtype : in->dtype;
    bool weak = !in->arr && in->weak != WEAK_NO;
    if (weak && (in->weak == WEAK_BOOL || (in->weak == WEAK_INT && to != DT_BOOL)))
        return GPA_OK; /* its range is checked later */
    if (weak && (dtype_is_complex(to) || (dtype_is_float(to) && in->weak == WEAK_FLOAT)))
        return GPA_OK;
    if (dtype_can_cast(from, to, casting)) return GPA_OK;
    if (i >= 0) snprintf(number, sizeof number, " %d", i);
    return vm_fail(
        vm, GPA_E_UFUNC_TYPE,
        "Cannot cast ufunc '%s' input%s from dtype('%s') to dtype('%s') with casting rule '%s'",
        name, number, dtype_info[from].name, dtype_info[to].name, rules[casting]);
}

gpa_code ufunc_check_output(gpa_vm *vm, const char *name, gpa_dtype from, gpa_dtype to,
                            gpa_casting casting) {
    if (dtype_can_cast(from, to, casting)) return GPA_OK;
    return vm_fail(
        vm, GPA_E_UFUNC_TYPE,
        "Cannot cast ufunc '%s' output from dtype('%s') to dtype('%s') with casting rule '%s'",
        name, dtype_info[from].name, dtype_info[to].name, rules[casting]);
}

/* ---- loops ---- */

enum { MAX_IN = 3 };

/* Requested dtypes of operands and result; DT_NONE: any. */
typedef struct {
    gpa_dtype in[MAX_IN], result;
} requested_loop;

static gpa_code no_loop(gpa_vm *vm, const ufunc *u) {
    return vm_fail(vm, GPA_E_TYPE,
                   "No loop matching the specified signature and casting was found for ufunc %s",
                   u->name);
}

/* Parses "dd->d": a type code for each operand and for the result. */
static gpa_code read_letters(gpa_vm *vm, const ufunc *u, const char *s, requested_loop *w) {
    size_t n = op_info[u->op].arity;
    if (strlen(s) == 1)
        return vm_fail(vm, GPA_E_TYPE, "Use `dtype` or  fill the tuple with more than one 'None'.");
    if (strlen(s) != n + 3 || strncmp(s + n, "->", 2) != 0)
        return vm_fail(vm, GPA_E_VALUE,
                       "a type-string for %s, %zu typecode(s) before and 1 after the -> sign",
                       u->name, n);
    for (size_t i = 0; i <= n; i++) {
        gpa_dtype t = dtype_find(s + (i < n ? i : n + 2), 1);
        if (t == DT_NONE) return no_loop(vm, u);
        *(i < n ? &w->in[i] : &w->result) = t;
    }
    return GPA_OK;
}

static gpa_code read_signature(gpa_vm *vm, const ufunc *u, value v, requested_loop *w) {
    size_t n = op_info[u->op].arity;
    if (v.tag == V_STR) return read_letters(vm, u, v.str->text, w);
    if (v.tag != V_TUPLE)
        return vm_fail(vm, GPA_E_TYPE,
                       "the signature object to ufunc must be a string or a tuple.");
    if (v.tuple->count == 1)
        return vm_fail(vm, GPA_E_TYPE, "Use `dtype` or  fill the tuple with more than one 'None'.");
    if (v.tuple->count != n + 1)
        return vm_fail(vm, GPA_E_VALUE,
                       "a type-tuple must be specified of length %zu for ufunc '%s'", n + 1,
                       u->name);
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i <= n && !rc; i++)
        rc = arg_dtype(vm, v.tuple->items[i], i < n ? &w->in[i] : &w->result);
    return rc;
}

/* True if a loop that computes in c exists and has the requested dtypes. */
static bool matches(gpa_op op, gpa_dtype c, const requested_loop *w) {
    gpa_dtype compute, result;
    if (!op_types(op, c, &compute, &result) || compute != c) return false;
    bool same = w->result == DT_NONE || w->result == result;
    for (int i = 0; i < op_info[op].arity; i++)
        same = same && (w->in[i] == DT_NONE || w->in[i] == op_operand_type(op, c, i));
    return same;
}

gpa_code ufunc_loop(gpa_vm *vm, const ufunc *u, const gpa_opnd *in, value dtype, value signature,
                    gpa_dtype *loop) {
    requested_loop w = {{DT_NONE, DT_NONE, DT_NONE}, DT_NONE};
    gpa_dtype compute, result;
    gpa_err quiet = {0};
    gpa_code rc = arg_dtype(vm, dtype, &w.result);
    *loop = DT_NONE;
    if (rc) return rc;
    if (signature.tag != V_UNSET && signature.tag != V_NONE) {
        if (w.result != DT_NONE)
            return vm_fail(vm, GPA_E_TYPE, "cannot specify both 'signature' and 'dtype'");
        if ((rc = read_signature(vm, u, signature, &w))) return rc;
    } else if (w.result == DT_NONE || (w.result == DT_BOOL && op_info[u->op].sig == SIG_COMPARE)) {
        return GPA_OK; /* as promotion selects; all comparisons give bool */
    }
    /* The loop that promotion selects, if it fits, else the first that does. */
    if (arr_ufunc_types(u->op, in, &compute, &result, &quiet) == GPA_OK &&
        matches(u->op, compute, &w)) {
        *loop = compute;
        return GPA_OK;
    }
    for (int t = 0; t < DT_COUNT; t++)
        if (matches(u->op, (gpa_dtype)t, &w)) {
            *loop = (gpa_dtype)t;
            return GPA_OK;
        }
    return no_loop(vm, u);
}

gpa_code ufunc_check_reduction(gpa_vm *vm, const ufunc *u, value dtype) {
    gpa_dtype t;
    gpa_code rc = arg_dtype(vm, dtype, &t);
    if (rc || t == DT_NONE || u->op == OP_LDEXP) return rc;
    return matches(u->op, t, &(requested_loop){{t, t}, t}) ? GPA_OK : no_loop(vm, u);
}
