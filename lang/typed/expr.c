/* Lowering of expressions: type inference by NumPy's promotion rules, values as kir.
 *
 * Reading order: operators, truth values and conditionals, comparisons, names and attributes,
 * the expression. */
#include <string.h>

#include "runtime/base/arena.h"
#include "lang/syntax/literal.h"
#include "lang/typed/array_expr.h"
#include "lang/vm/jit_integers.h"

static const typed_ty py_bool = {.dtype = DT_BOOL, .weak = true},
                      py_int = {.dtype = DT_I64, .weak = true},
                      py_float = {.dtype = DT_F64, .weak = true};

/* ---- operators ---- */

tv typed_int(lowering *lw, int64_t i) {
    return (tv){.kind = TV_NUMBER,
                .t = py_int,
                .v = kir_const(lw->f, DT_I64, (gpa_val){.I64 = i}),
                .literal = true,
                .i = i};
}

static tv number(typed_ty t, int32_t v) { return (tv){.kind = TV_NUMBER, .t = t, .v = v}; }

static tv constant_bool(lowering *lw, bool truth) {
    return (tv){.kind = TV_NUMBER,
                .t = py_bool,
                .v = kir_const(lw->f, DT_BOOL, (gpa_val){.BOOL = truth}),
                .decided = true,
                .i = truth};
}

/* Converts Python's bool to its int, for arithmetic. */
static tv as_int(lowering *lw, tv v) {
    if (!v.t.weak || v.t.dtype != DT_BOOL) return v;
    return number(py_int, typed_cast(lw, v, py_int));
}

static bool arithmetic(gpa_op op) {
    gpa_sig s = (gpa_sig)op_info[op].sig;
    return s != SIG_COMPARE && s != SIG_LOGIC && s != SIG_BITS && s != SIG_TEST && s != SIG_SELECT;
}

gpa_code typed_apply(lowering *lw, const ast_node *at, gpa_op op, const tv *in, int n, tv *out) {
    typed_ty t = {.dtype = DT_NONE};
    tv a[3];
    int first = op_info[op].sig == SIG_SELECT;
    bool weak = true;
    for (int i = 0; i < n; i++) {
        a[i] = arithmetic(op) ? as_int(lw, in[i]) : in[i];
        if (i < first || (i && op_info[op].sig == SIG_LDEXP)) continue;
        typed_ty one = a[i].t;
        if (!one.weak) one.dtype = (uint8_t)op_promotion_type(op, (gpa_dtype)one.dtype);
        weak = weak && one.weak;
        bool joined = t.dtype != DT_NONE;
        t = typed_join(t, one);
        if (joined && t.dtype == DT_NONE) break;
    }
    gpa_dtype compute, result;
    if (t.dtype == DT_NONE || !op_types(op, (gpa_dtype)t.dtype, &compute, &result)) {
        const char *symbol = op_info[op].symbol;
        if (n == 2 && symbol)
            return typed_fail(lw, at, GPA_E_TYPE,
                              "unsupported operand type(s) for %s: '%s' and '%s'", symbol,
                              typed_name(in[0].t), typed_name(in[1].t));
        return typed_fail(lw, at, GPA_E_TYPE, "%s() is not defined for '%s'", op_info[op].name,
                          typed_name(in[n > 1 ? first : 0].t));
    }
    int32_t v[3] = {-1, -1, -1};
    for (int i = 0; i < n; i++) v[i] = kir_cast(lw->f, op_operand_type(op, compute, i), a[i].v);
    bool python_type =
        result == DT_BOOL || result == DT_I64 || result == DT_F64 || result == DT_C128;
    bool compares = op_info[op].sig == SIG_COMPARE || op_info[op].sig == SIG_LOGIC ||
                    op_info[op].sig == SIG_TEST;
    int32_t r = n == 1   ? kir_op1(lw->f, op, v[0])
                : n == 2 ? kir_op2(lw->f, op, v[0], v[1])
                         : kir_op3(lw->f, op, v[0], v[1], v[2]);
    *out =
        number((typed_ty){.dtype = (uint8_t)result, .weak = compares || (weak && python_type)}, r);
    return GPA_OK;
}

/* Operands of Python's operators, integers widened to 64 bits as in Numba. A module of the library
 * that computes in narrower words defines _NARROW_INTEGERS. */
static void widen_integers(lowering *lw, gpa_op op, tv *in, int n) {
    jit_operand types[2];
    const module_obj *m = lw->frame->fn->module;
    if (m->builtin && module_get_text_peek(lw->vm, m, "_NARROW_INTEGERS").tag != V_UNSET) return;
    for (int i = 0; i < n; i++)
        types[i] = (jit_operand){.dtype = (gpa_dtype)in[i].t.dtype, .weak = in[i].t.weak};
    gpa_dtype t = jit_integer_type(op, types, n);
    if (t == DT_NONE) return;
    const typed_ty wide = {.dtype = (uint8_t)t};
    for (int i = 0; i < n; i++)
        if (!in[i].t.weak) in[i] = number(wide, typed_cast(lw, in[i], wide));
}

/* Strength reduction of powers with a small literal exponent, as NumPy does it. */
static bool small_power(lowering *lw, tv a, tv b, const ast_node *at, tv *out, gpa_code *rc) {
    if (!b.literal) return false;
    if (b.i == 2)
        *rc = typed_apply(lw, at, OP_SQUARE, &a, 1, out);
    else if (b.i < 0 && dtype_is_int((gpa_dtype)a.t.dtype)) { /* Python's result is a float */
        tv f = number(py_float, typed_cast(lw, a, py_float));
        *rc = typed_apply(lw, at, OP_POWER, (tv[]){f, b}, 2, out);
    } else
        return false;
    return true;
}

/* CPython's message for division of its own numbers by zero; NULL: op does not divide. */
static const char *zero_division_message(gpa_op op, gpa_dtype t) {
    const char *by_int = NULL, *by_float = NULL;
    if (op == OP_DIVIDE) by_int = "division by zero", by_float = "float division by zero";
    if (op == OP_FLOOR_DIVIDE)
        by_int = "integer division or modulo by zero", by_float = "float floor division by zero";
    if (op == OP_REMAINDER) by_int = "integer modulo by zero", by_float = "float modulo";
    if (op == OP_DIVIDE && dtype_is_complex(t)) return "complex division by zero";
    return dtype_is_int(t) || t == DT_BOOL ? by_int : by_float;
}

/* Emits a ZeroDivisionError check in loops of jitted functions, also for array elements, unless
 * error_model='numpy'. */
static gpa_code check_divisor(lowering *lw, const ast_node *at, gpa_op op, tv a, tv b) {
    typed_ty t = typed_join(a.t, b.t);
    const char *words = zero_division_message(op, (gpa_dtype)t.dtype);
    tv none;
    if (lw->to->form != TYPED_LOOP || vm_is_lenient(lw->vm) || !words || t.dtype == DT_NONE ||
        (b.literal && b.i))
        return GPA_OK;
    gpa_code rc = typed_apply(lw, at, OP_EQUAL, (tv[]){b, typed_int(lw, 0)}, 2, &none);
    if (rc) return rc;
    kir_set_span(lw->f, at->span);
    typed_open(lw, KIR_IF, DT_NONE, none.v, -1, -1);
    typed_raise_here(lw, GPA_E_ZERO_DIVISION, kir_add_text(lw->f, words), -1);
    typed_close(lw, KIR_IF);
    return GPA_OK;
}

gpa_code typed_binary(lowering *lw, const ast_node *at, gpa_op op, typed_operand left,
                      typed_operand right, tv *out) {
    tv ab[2] = {left.v, right.v};
    if (op != OP_COUNT) widen_integers(lw, op, ab, 2);
    const tv a = ab[0], b = ab[1];
    gpa_code rc = GPA_OK;
    if (op == OP_COUNT)
        rc = typed_fail(lw, at, GPA_E_UNSUPPORTED, "this operator cannot be compiled for numbers");
    else if (op != OP_POWER || !small_power(lw, a, b, at, out, &rc)) {
        rc = check_divisor(lw, at, op, a, b);
        if (!rc) rc = typed_apply(lw, at, op, (tv[]){a, b}, 2, out);
    }
    if (!rc) return GPA_OK;
    typed_note(lw, left.node, a);
    typed_note(lw, right.node, b);
    return rc;
}

static gpa_code need_number(lowering *lw, const ast_node *n, const tv *v);

static gpa_code binary(lowering *lw, const ast_node *n, tv *out) {
    tv in[2];
    gpa_op op = ast_op_row(n->binary.op);
    gpa_code rc = typed_expr(lw, n->binary.left, &in[0]);
    if (!rc) rc = typed_expr(lw, n->binary.right, &in[1]);
    if (rc) return rc;
    kir_set_span(lw->f, n->span);
    bool arrays = lw->to->form == TYPED_LOOP && typed_has_array(in, 2);
    if (arrays && op == OP_POWER && in[1].literal && in[1].i == 2)
        return typed_elementwise(lw, n, OP_SQUARE, in, 1, out);
    if (arrays)
        return n->binary.op == AST_OP_MATMUL ? typed_matmul(lw, n, &in[0], &in[1], out)
                                             : typed_elementwise(lw, n, op, in, 2, out);
    if (in[0].kind != TV_NUMBER) return need_number(lw, n->binary.left, &in[0]);
    if (in[1].kind != TV_NUMBER) return need_number(lw, n->binary.right, &in[1]);
    return typed_binary(lw, n, op, (typed_operand){n->binary.left, in[0]},
                        (typed_operand){n->binary.right, in[1]}, out);
}

static bool big_value(const ast_node *n, uint64_t *out) {
    return literal_integer(n->big.digits.at, n->big.digits.len, out);
}

static gpa_code unary(lowering *lw, const ast_node *n, tv *out) {
    tv a;
    if (n->unary.op == AST_OP_NOT) {
        gpa_code rc = typed_truth(lw, n->unary.operand, &a);
        if (!rc)
            *out = a.decided ? constant_bool(lw, !a.i)
                             : number(py_bool, kir_op1(lw->f, OP_LOGICAL_NOT, a.v));
        return rc;
    }
    gpa_op op = ast_op_row(n->unary.op);
    if (op == OP_NEGATIVE && n->unary.operand->kind == AST_FLOAT) {
        *out = number(py_float,
                      kir_const(lw->f, DT_F64, (gpa_val){.F64 = -n->unary.operand->real.value}));
        return GPA_OK;
    }
    uint64_t u;
    if (op == OP_NEGATIVE && n->unary.operand->kind == AST_BIG && big_value(n->unary.operand, &u) &&
        u == 1ull << 63) {
        *out = typed_int(lw, INT64_MIN);
        return GPA_OK;
    }
    gpa_code rc = typed_expr(lw, n->unary.operand, &a);
    if (rc) return rc;
    if (lw->to->form == TYPED_LOOP && a.kind == TV_ARRAY)
        return typed_elementwise(lw, n, op, &a, 1, out);
    if (a.kind != TV_NUMBER) return need_number(lw, n->unary.operand, &a);
    if (op == OP_NEGATIVE && a.literal && a.i != INT64_MIN) {
        *out = typed_int(lw, -a.i);
        return GPA_OK;
    }
    if (op == OP_INVERT) a = as_int(lw, a);
    widen_integers(lw, op, &a, 1);
    if ((rc = typed_apply(lw, n, op, &a, 1, out))) typed_note(lw, n->unary.operand, a);
    return rc;
}

/* ---- truth values and conditionals ---- */

static gpa_code need_number(lowering *lw, const ast_node *n, const tv *v) {
    lw->fallback = lw->fallback || v->kind == TV_ARRAY;
    return typed_fail(lw, n, GPA_E_TYPE, "a number is needed here, not %s %s", typed_article(v),
                      typed_kind(v));
}

/* Truth value of a tuple (non-empty) and of a compile-time constant (a function or module is
 * true). */
static gpa_code truth_of(lowering *lw, const ast_node *n, const tv *v, tv *out) {
    bool is_static = v->kind == TV_STATIC && v->constant.tag != V_STR && v->constant.tag != V_NONE;
    if (typed_is_none(v) || v->kind == TV_TUPLE || is_static)
        *out = constant_bool(lw, is_static || (v->kind == TV_TUPLE && v->n));
    else if (v->kind == TV_NUMBER)
        *out = v->decided ? *v : number(py_bool, kir_cast(lw->f, DT_BOOL, v->v));
    else
        return need_number(lw, n, v);
    return GPA_OK;
}

gpa_code typed_truth(lowering *lw, const ast_node *n, tv *out) {
    tv v;
    gpa_code rc = typed_expr(lw, n, &v);
    return rc ? rc : truth_of(lw, n, &v, out);
}

/* Searches for operations that may fail (a call, an element access, a division in a loop): these
 * must not be evaluated speculatively. */
typedef struct {
    bool loop, found;
} risk;

static bool fails_itself(const ast_node *n, bool loop) {
    return n->kind == AST_CALL || n->kind == AST_INDEX ||
           (loop && n->kind == AST_BINARY &&
            zero_division_message(ast_op_row(n->binary.op), DT_I64));
}

static void look_for_risk(void *user, ast_node *n) {
    risk *r = user;
    r->found = r->found || fails_itself(n, r->loop);
    if (!r->found) ast_each_child(n, look_for_risk, r);
}

static bool may_fail(const lowering *lw, const ast_node *n) {
    risk r = {.loop = lw->to->form == TYPED_LOOP};
    r.found = fails_itself(n, r.loop);
    if (!r.found) ast_each_child(n, look_for_risk, &r);
    return r.found;
}

/* A conditional expression. `then` NULL: it is `first`, from which the test was computed. */
typedef struct {
    int32_t test;
    const ast_node *then, *other;
    const tv *first;
} arms;

/* Conditional value. Without operations that may fail both arms are evaluated and a select
 * (OP_WHERE) chooses; else a branch evaluates one arm. */
static gpa_code conditional(lowering *lw, const ast_node *at, const arms *c, tv *out) {
    const ast_node *then = c->then, *other = c->other;
    const tv *first = c->first;
    int32_t test = c->test, s = typed_slot(lw);
    tv a = first ? *first : (tv){0}, b;
    gpa_code rc = GPA_OK;
    if (s < 0) return vm_no_memory(lw->vm);
    if ((!then || !may_fail(lw, then)) && !may_fail(lw, other)) {
        if (then) rc = typed_number(lw, then, &a);
        if (!rc) rc = typed_number(lw, other, &b);
        if (rc) return rc;
        typed_ty t = typed_join(a.t, b.t);
        if (t.dtype == DT_NONE)
            return typed_fail(lw, at, GPA_E_TYPE, "the value would be %s or %s", typed_name(a.t),
                              typed_name(b.t));
        *out =
            number(t, kir_op3(lw->f, OP_WHERE, test, typed_cast(lw, a, t), typed_cast(lw, b, t)));
        return GPA_OK;
    }
    typed_open(lw, KIR_IF, DT_NONE, test, -1, -1);
    if (then) rc = typed_number(lw, then, &a);
    if (!rc) rc = typed_assign(lw, at, s, a);
    if (!rc) {
        typed_else(lw);
        rc = typed_number(lw, other, &b);
    }
    if (!rc) rc = typed_assign(lw, at, s, b);
    typed_close(lw, KIR_IF);
    if (!rc) *out = typed_read(lw, s);
    return rc;
}

/* a and b and c: short-circuit evaluation, the value of the deciding operand. */
static gpa_code boolop(lowering *lw, const ast_node *n, tv *out) {
    bool is_and = n->boolop.op == AST_OP_AND;
    gpa_code rc = typed_expr(lw, n->boolop.items.at[0], out);
    for (uint32_t i = 1; i < n->boolop.items.n && !rc; i++) {
        tv truth;
        if ((rc = truth_of(lw, n->boolop.items.at[i - 1], out, &truth))) break;
        if (truth.decided && (bool)truth.i != is_and) break;
        if (truth.decided)
            rc = typed_expr(lw, n->boolop.items.at[i], out);
        else
            rc = conditional(
                lw, n,
                &(arms){.test = is_and ? kir_op1(lw->f, OP_LOGICAL_NOT, truth.v) : truth.v,
                        .other = n->boolop.items.at[i],
                        .first = out},
                out);
    }
    return rc;
}

static gpa_code ifexp(lowering *lw, const ast_node *n, tv *out) {
    tv test;
    gpa_code rc = typed_truth(lw, n->ifexp.test, &test);
    if (rc) return rc;
    if (test.decided) return typed_expr(lw, test.i ? n->ifexp.then : n->ifexp.other, out);
    return conditional(
        lw, n, &(arms){.test = test.v, .then = n->ifexp.then, .other = n->ifexp.other}, out);
}

/* x in (a, b): true if x equals one of the items. */
static gpa_code membership(lowering *lw, const ast_node *n, tv *out) {
    const ast_node *link = n->compare.links.at[0];
    tv x, all, one;
    gpa_code rc = typed_number(lw, n->compare.first, &x);
    if (!rc) rc = typed_expr(lw, link->link.right, &all);
    if (!rc && all.kind != TV_TUPLE)
        rc = typed_fail(lw, link, GPA_E_UNSUPPORTED,
                        "`in` is compiled for tuples of numbers, not for %s", typed_kind(&all));
    int32_t found = rc ? -1 : kir_const(lw->f, DT_BOOL, (gpa_val){.BOOL = false});
    for (uint32_t i = 0; !rc && i < all.n; i++) {
        if (all.items[i].kind != TV_NUMBER)
            return typed_fail(lw, link, GPA_E_TYPE, "a number is needed here, not %s %s",
                              typed_article(&all.items[i]), typed_kind(&all.items[i]));
        rc = typed_apply(lw, link, OP_EQUAL, (tv[]){x, all.items[i]}, 2, &one);
        if (!rc) found = kir_op2(lw->f, OP_LOGICAL_OR, found, one.v);
    }
    if (rc) return rc;
    *out = number(py_bool,
                  link->link.op == AST_OP_NOT_IN ? kir_op1(lw->f, OP_LOGICAL_NOT, found) : found);
    return GPA_OK;
}

/* x is None, x == None: decided at compile time from the kind of value. Numbers are not compared
 * by `is`. */
static gpa_code compare_none(lowering *lw, const ast_node *n, ast_op op, bool *found, tv *out) {
    tv left, right;
    bool is = op == AST_OP_IS || op == AST_OP_IS_NOT,
         none = n->compare.first->kind == AST_NONE ||
                n->compare.links.at[0]->link.right->kind == AST_NONE;
    *found = is || (none && (op == AST_OP_EQ || op == AST_OP_NE));
    if (!*found) return GPA_OK;
    gpa_code rc = typed_expr(lw, n->compare.first, &left);
    if (!rc) rc = typed_expr(lw, n->compare.links.at[0]->link.right, &right);
    if (rc) return rc;
    bool a = typed_is_none(&left), b = typed_is_none(&right);
    if (!a && !b)
        return typed_fail(lw, n->compare.links.at[0], GPA_E_UNSUPPORTED,
                          "`is` is compiled for None, not for %s and %s", typed_kind(&left),
                          typed_kind(&right));
    *out = constant_bool(lw, (a == b) == (op == AST_OP_IS || op == AST_OP_EQ));
    return GPA_OK;
}

/* Chained comparison from link i on, with its left operand evaluated. Links that may fail are
 * evaluated only if the earlier ones hold. */
static gpa_code compare_links(lowering *lw, const ast_node *n, uint32_t i, tv left, tv *out) {
    const ast_node *link = n->compare.links.at[i],
                   *before = i ? n->compare.links.at[i - 1]->link.right : n->compare.first;
    tv right, one, rest;
    gpa_code rc = typed_number(lw, link->link.right, &right);
    if (!rc)
        rc = typed_binary(lw, link, ast_op_row(link->link.op), (typed_operand){before, left},
                          (typed_operand){link->link.right, right}, &one);
    if (rc || i + 1 == n->compare.links.n) {
        *out = number(py_bool, rc ? -1 : one.v);
        return rc;
    }
    bool risky = false;
    for (uint32_t k = i + 1; k < n->compare.links.n; k++)
        risky = risky || may_fail(lw, n->compare.links.at[k]->link.right);
    if (!risky) {
        rc = compare_links(lw, n, i + 1, right, &rest);
        if (!rc) *out = number(py_bool, kir_op2(lw->f, OP_LOGICAL_AND, one.v, rest.v));
        return rc;
    }
    int32_t all = typed_emit(lw, KIR_VAR, DT_BOOL, -1, -1, 0);
    typed_open(lw, KIR_IF, DT_NONE, one.v, -1, -1);
    rc = compare_links(lw, n, i + 1, right, &rest);
    if (!rc) typed_emit(lw, KIR_SET, DT_NONE, all, rest.v, 0);
    typed_close(lw, KIR_IF);
    *out = number(py_bool, typed_emit(lw, KIR_GET, DT_BOOL, all, -1, 0));
    return rc;
}

static gpa_code compare(lowering *lw, const ast_node *n, tv *out) {
    tv in[2];
    ast_op op = n->compare.links.at[0]->link.op;
    if (n->compare.links.n == 1 && (op == AST_OP_IN || op == AST_OP_NOT_IN))
        return membership(lw, n, out);
    bool found = false;
    gpa_code rc = n->compare.links.n == 1 ? compare_none(lw, n, op, &found, out) : GPA_OK;
    if (rc || found) return rc;
    if ((rc = typed_expr(lw, n->compare.first, &in[0]))) return rc;
    if (lw->to->form == TYPED_LOOP && in[0].kind == TV_ARRAY && n->compare.links.n == 1) {
        rc = typed_expr(lw, n->compare.links.at[0]->link.right, &in[1]);
        return rc ? rc : typed_elementwise(lw, n, ast_op_row(op), in, 2, out);
    }
    if (in[0].kind != TV_NUMBER) return need_number(lw, n->compare.first, &in[0]);
    return compare_links(lw, n, 0, in[0], out);
}

/* ---- names and attributes ---- */

static gpa_code name(lowering *lw, const ast_node *n, tv *out) {
    ast_storage p = n->name.storage;
    lw->fallback = lw->fallback || p.kind == AST_IN_CELL;
    if (p.kind == AST_IN_CELL)
        return typed_fail(lw, n, GPA_E_UNSUPPORTED,
                          "a variable that an inner function uses cannot be compiled");
    if (p.kind != AST_IN_SLOT) return typed_free_variable(lw, n, out);
    slot *s = &lw->slots[lw->frame->slots + p.slot];
    bool kept = true;
    if (s->bound && !typed_is_bound(lw, (int32_t)(lw->frame->slots + p.slot))) {
        gpa_code rc = typed_split_tuple(lw, (int32_t)(lw->frame->slots + p.slot), &kept);
        if (rc) return rc;
    }
    lw->fallback = lw->fallback || (!kept && s->direct.kind == TV_ARRAY);
    if (!kept)
        return typed_fail(
            lw, n, GPA_E_UNSUPPORTED,
            "'%s' holds a %s that was assigned in a branch or a loop: it has no value here",
            intern_text(vm_names(lw->vm), n->name.name), typed_kind(&s->direct));
    if (!s->bound)
        return typed_fail(
            lw, n, GPA_E_UNBOUND,
            "cannot access local variable '%s' where it is not associated with a value",
            intern_text(vm_names(lw->vm), n->name.name));
    *out = typed_read(lw, (int32_t)(lw->frame->slots + p.slot));
    return GPA_OK;
}

static gpa_code attribute(lowering *lw, const ast_node *n, tv *out) {
    tv a;
    const char *what = intern_text(vm_names(lw->vm), n->attr.name);
    gpa_code rc = typed_expr(lw, n->attr.object, &a);
    if (rc) return rc;
    if (a.kind == TV_STATIC && a.constant.tag == V_MODULE)
        return typed_member(lw, n, a.constant.module, out);
    if (a.kind == TV_NUMBER && strcmp(what, "real") == 0)
        return typed_apply(lw, n, OP_REAL, &a, 1, out);
    if (a.kind == TV_NUMBER && strcmp(what, "imag") == 0)
        return typed_apply(lw, n, OP_IMAG, &a, 1, out);
    bool found = false;
    if (a.kind == TV_TUPLE && a.constant.tag == V_OBJECT) found = typed_vector_part(&a, what, out);
    if (a.kind == TV_ARRAY) rc = typed_array_attr(lw, n, &a, what, &found, out);
    if (a.kind == TV_STATIC)
        rc = typed_read_intrinsic(lw, &(typed_site){.node = n, .args = &a, .n = 1}, what, &found,
                                  out);
    if (rc || found) return rc;
    lw->fallback =
        lw->fallback || a.kind == TV_ARRAY || (a.kind == TV_STATIC && lw->to->form == TYPED_LOOP);
    return typed_fail(lw, n, GPA_E_ATTRIBUTE,
                      "'%s' object has no attribute '%s' in a compiled function", typed_kind(&a),
                      what);
}

/* An object that is an intrinsic value, such as cuda.laneid. */
static gpa_code intrinsic_value(lowering *lw, const ast_node *n, gpa_code rc, tv *out) {
    bool found = false;
    tv object = *out;
    if (rc || out->kind != TV_STATIC || out->constant.tag != V_OBJECT) return rc;
    return typed_read_intrinsic(lw, &(typed_site){.node = n, .args = &object, .n = 1}, "", &found,
                                out);
}

static gpa_code static_text(lowering *lw, const char *at, size_t n, tv *out) {
    value v = v_str(lw->vm, at, n);
    if (v.tag == V_UNSET) return GPA_E_MEMORY;
    gpa_code rc = list_append(lw->vm, lw->retained.list, v);
    value_release(lw->vm, v);
    *out = (tv){.kind = TV_STATIC, .constant = v};
    return rc;
}

static gpa_code text(lowering *lw, const ast_node *n, tv *out) {
    return static_text(lw, n->string.text.at, n->string.text.len, out);
}

/* One {value:spec} of an f-string: constants are formatted at compile time, numbers become
 * placeholders formatted when printing. */
static gpa_code field(lowering *lw, const ast_node *n, tv *whole, gpa_str *to) {
    const ast_node *spec = n->field.spec;
    tv v;
    if (spec && spec->kind != AST_STRING)
        return typed_fail(lw, spec, GPA_E_UNSUPPORTED,
                          "the format of a number in a kernel is a fixed text");
    gpa_code rc = typed_expr(lw, n->field.value, &v);
    if (rc) return rc;
    if (v.kind == TV_STATIC && v.constant.tag == V_STR && !spec &&
        (!n->field.conversion || n->field.conversion == 's')) {
        str_put(to, v.constant.str->text);
        return GPA_OK;
    }
    if (v.kind != TV_NUMBER)
        return typed_fail(lw, n, GPA_E_TYPE, "an f-string of a kernel holds numbers, not %s %s",
                          typed_article(&v), typed_kind(&v));
    if (spec && n->field.conversion)
        return typed_fail(lw, n, GPA_E_UNSUPPORTED,
                          "a number with a format is not converted before");
    if (spec) str_printf(to, "\2%.*s", (int)spec->string.text.len, spec->string.text.at);
    str_putc(to, '\1');
    whole->items[whole->n++] = v;
    return GPA_OK;
}

gpa_code typed_fstring(lowering *lw, const ast_node *n, tv *out) {
    const ast_list *parts = &n->fstring.parts;
    tv whole = {.kind = TV_TEXT, .items = arena_alloc(lw->arena, (parts->n + 1) * sizeof(tv))},
       text = {.kind = TV_NONE};
    gpa_code rc = GPA_OK;
    gpa_str all;
    if (!whole.items) return vm_no_memory(lw->vm);
    str_init(&all);
    for (uint32_t i = 0; i < parts->n && !rc; i++) {
        const ast_node *part = parts->at[i];
        if (part->kind == AST_FIELD)
            rc = field(lw, part, &whole, &all);
        else
            str_putn(&all, part->string.text.at, part->string.text.len);
    }
    if (!rc && all.failed) rc = vm_no_memory(lw->vm);
    if (!rc) rc = static_text(lw, all.len ? all.text : "", all.len, &text);
    str_free(&all);
    whole.constant = text.constant;
    *out = whole.n ? whole : text;
    return rc;
}

static gpa_code tuple(lowering *lw, const ast_list *items, tv *out) {
    gpa_code rc = GPA_OK;
    if (typed_tuple(lw, items->n, out)) return GPA_E_MEMORY;
    for (uint32_t i = 0; i < items->n && !rc; i++)
        rc = typed_expr(lw, items->at[i], &out->items[i]);
    return rc;
}

/* Subscripts of arrays and tuples: a[i]. */
static gpa_code subscript(lowering *lw, const ast_node *n, tv *out) {
    tv t;
    gpa_code rc = typed_expr(lw, n->index.object, &t);
    if (rc) return rc;
    if (t.kind == TV_ARRAY) return typed_subscript_value(lw, n, &t, n->index.index, out);
    if (t.kind != TV_TUPLE) {
        rc = typed_fail(lw, n, GPA_E_TYPE, "'%s' object is not subscriptable", typed_kind(&t));
        typed_note(lw, n->index.object, t);
        return rc;
    }
    return typed_tuple_item(lw, n, &t, out);
}

/* ---- the expression ---- */

static gpa_code named(lowering *lw, const ast_node *n, tv *out) {
    gpa_code rc = typed_expr(lw, n->named.value, out);
    if (rc || n->named.target->name.storage.kind != AST_IN_SLOT) return rc;
    return typed_assign(lw, n, (int32_t)(lw->frame->slots + n->named.target->name.storage.slot),
                        *out);
}

static gpa_code not_compiled(lowering *lw, const ast_node *n) {
    lw->fallback = true;
    return typed_fail(lw, n, GPA_E_UNSUPPORTED, "a %s cannot be compiled in a function of numbers",
                      ast_what((ast_kind)n->kind));
}

/* Integer literals beyond int64 are uint64, as in Numba. */
static gpa_code big_literal(lowering *lw, const ast_node *n, tv *out) {
    uint64_t u;
    if (!big_value(n, &u))
        return typed_fail(lw, n, GPA_E_OVERFLOW, "Int value is too large: %s", n->big.digits.at);
    *out = number((typed_ty){.dtype = DT_U64}, kir_const(lw->f, DT_U64, (gpa_val){.U64 = u}));
    return GPA_OK;
}

gpa_code typed_expr(lowering *lw, const ast_node *n, tv *out) {
    kir_set_span(lw->f, n->span);
    *out = (tv){.kind = TV_NONE};
    switch ((int)n->kind) {
        case AST_NONE: return GPA_OK;
        case AST_TRUE:
        case AST_FALSE:
            *out =
                number(py_bool, kir_const(lw->f, DT_BOOL, (gpa_val){.BOOL = n->kind == AST_TRUE}));
            return GPA_OK;
        case AST_INTEGER: *out = typed_int(lw, n->integer.value); return GPA_OK;
        case AST_BIG: return big_literal(lw, n, out);
        case AST_FLOAT:
            *out = number(py_float, kir_const(lw->f, DT_F64, (gpa_val){.F64 = n->real.value}));
            return GPA_OK;
        case AST_IMAGINARY:
            *out = number((typed_ty){.dtype = DT_C128, .weak = true},
                          kir_const(lw->f, DT_C128, (gpa_val){.C128 = {0, n->imag.value}}));
            return GPA_OK;
        case AST_STRING: return text(lw, n, out);
        case AST_FSTRING:
            return lw->to->form == TYPED_KERNEL ? typed_fstring(lw, n, out) : not_compiled(lw, n);
        case AST_NAME: return intrinsic_value(lw, n, name(lw, n, out), out);
        case AST_ATTR: return intrinsic_value(lw, n, attribute(lw, n, out), out);
        case AST_UNARY: return unary(lw, n, out);
        case AST_BINARY: return binary(lw, n, out);
        case AST_BOOLOP: return boolop(lw, n, out);
        case AST_COMPARE: return compare(lw, n, out);
        case AST_IFEXP: return ifexp(lw, n, out);
        case AST_NAMED: return named(lw, n, out);
        case AST_TUPLE: return tuple(lw, &n->tuple.items, out);
        case AST_INDEX: return subscript(lw, n, out);
        case AST_CALL: return typed_call(lw, n, out);
        default: return not_compiled(lw, n);
    }
}

gpa_code typed_number(lowering *lw, const ast_node *n, tv *out) {
    gpa_code rc = typed_expr(lw, n, out);
    return rc || out->kind == TV_NUMBER ? rc : need_number(lw, n, out);
}
