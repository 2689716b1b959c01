/* Lowering of statements of compiled functions to kir.
 *
 * kir is structured: there is no goto. A return that ends its function sets the results; any
 * other return also leaves a BLOCK around the function's body. Statements after an `if` with an
 * arm that always leaves are moved into the other arm, so the common early return needs no
 * BLOCK.
 *
 * Reading order: returns, assignments, branches, one statement; loops are in iterate.c, calls in
 * inline.c. */
#include <stdio.h>
#include <string.h>

#include "runtime/base/arena.h"
#include "lang/typed/lower.h"

/* Continuation: the statements of a list from `at` on, then the rest of the enclosing lists.
 * `last`: no statement of the function follows. */
typedef struct continuation {
    ast_list list;
    uint32_t at;
    const struct continuation *then;
} continuation;

static gpa_code statements(lowering *lw, const continuation *r, bool last, bool *left);

/* ---- returns ---- */

static gpa_code learn_shape(lowering *lw, const ast_node *at, const tv *v, return_shape *s) {
    uint32_t n = v->kind == TV_TUPLE ? v->n : 1;
    bool tuple = v->kind == TV_TUPLE;
    if (n > TYPED_MAX_TUPLE)
        return typed_fail(lw, at, GPA_E_UNSUPPORTED,
                          "a compiled function returns tuples of at most %d items",
                          TYPED_MAX_TUPLE);
    if (s->n == 0) {
        s->n = n;
        s->tuple = tuple;
        return GPA_OK;
    }
    if (s->n == n && s->tuple == tuple) return GPA_OK;
    return typed_fail(lw, at, GPA_E_TYPE,
                      "all returns of a compiled function must give the same number of values");
}

static void set_flag(lowering *lw, int32_t flag) {
    typed_emit(lw, KIR_SET, DT_NONE, flag, kir_const(lw->f, DT_BOOL, (gpa_val){.BOOL = true}), 0);
}

static gpa_code returns(lowering *lw, const ast_node *n, bool last) {
    inline_frame *fr = lw->frame;
    tv v;
    gpa_code rc = GPA_OK;
    if (!fr->returns_value)
        v = (tv){.kind = TV_NONE};
    else if (!n->return_.value)
        rc = typed_fail(lw, n, GPA_E_TYPE, "a compiled function of numbers must return a number");
    else
        rc = typed_expr(lw, n->return_.value, &v);
    if (rc) return rc;
    bool outermost = lw->nest == fr->nest;
    if (last && outermost && !fr->returned) {
        fr->direct = v;
        fr->has_direct = true;
        return GPA_OK;
    }
    fr->returned = true;
    return_shape *s = &lw->shapes[fr->shape];
    if (fr->returns_value) rc = learn_shape(lw, n, &v, s);
    for (uint32_t i = 0; i < s->n && !rc; i++)
        rc = typed_assign(lw, n, (int32_t)(s->first + i), v.kind == TV_TUPLE ? v.items[i] : v);
    if (rc || last) return rc;
    if (!s->block) s->block = lw->changed = true;
    if (fr->returned_flag >= 0) set_flag(lw, fr->returned_flag);
    typed_emit(lw, KIR_BREAK, DT_NONE, -1, -1, (uint32_t)(lw->regions - fr->regions - 1));
    return GPA_OK;
}

/* ---- assignments ---- */

/* The array and the subscript of an assignment target a[...]. */
static gpa_code target_subscript(lowering *lw, const ast_node *target, tview *out) {
    tv a;
    gpa_code rc = typed_expr(lw, target->index.object, &a);
    if (rc) return rc;
    if (a.kind == TV_ARRAY) return typed_subscript(lw, target, &a, target->index.index, out);
    rc = typed_fail(lw, target, GPA_E_TYPE, "'%s' object does not support item assignment",
                    typed_kind(&a));
    typed_note(lw, target->index.object, a);
    return rc;
}

static gpa_code assign_item(lowering *lw, const ast_node *target, tv v) {
    tview to;
    gpa_code rc = target_subscript(lw, target, &to);
    return rc ? rc : typed_fill(lw, target, &to, &v);
}

/* Unpacks a row, whose length is checked at run time. */
static gpa_code unpack(lowering *lw, const ast_node *target, const tview *row, uint32_t n,
                       tv *out) {
    tview element;
    gpa_code rc = GPA_OK;
    for (int more = 0; more < 2; more++) {
        char text[64];
        snprintf(text, sizeof text,
                 more ? "too many values to unpack (expected %u)"
                      : "not enough values to unpack (expected %u, got \1)",
                 n);
        typed_open(lw, KIR_IF, DT_NONE,
                   kir_op2(lw->f, more ? OP_GREATER : OP_LESS, row->size[0], typed_int(lw, n).v),
                   -1, -1);
        typed_raise_here(lw, GPA_E_VALUE, kir_add_text(lw->f, text), more ? -1 : row->size[0]);
        typed_close(lw, KIR_IF);
    }
    if (typed_tuple(lw, n, out)) return GPA_E_MEMORY;
    for (uint32_t i = 0; i < n && !rc; i++) {
        tv ix = typed_int(lw, i);
        rc = typed_index(lw, target, row, &ix, 1, &element);
        if (!rc && element.ndim)
            rc = typed_view_value(lw, &element, &out->items[i]);
        else if (!rc)
            out->items[i] = typed_load(lw, &element);
    }
    return rc;
}

gpa_code typed_assign_to(lowering *lw, const ast_node *target, tv v) {
    if (target->kind == AST_NAME) {
        if (target->name.storage.kind == AST_IN_SLOT)
            return typed_assign(lw, target, (int32_t)(lw->frame->slots + target->name.storage.slot),
                                v);
        return typed_fail(lw, target, GPA_E_UNSUPPORTED,
                          "a compiled function cannot change a variable outside of itself");
    }
    if (target->kind == AST_INDEX) return assign_item(lw, target, v);
    if (target->kind != AST_TUPLE && target->kind != AST_LIST)
        return typed_fail(lw, target, GPA_E_UNSUPPORTED,
                          "cannot assign to this in a compiled function of numbers");
    const ast_list *to = target->kind == AST_TUPLE ? &target->tuple.items : &target->list.items;
    gpa_code rc = GPA_OK;
    if (v.kind == TV_ARRAY && v.view->ndim && (rc = unpack(lw, target, v.view, to->n, &v)))
        return rc;
    if (v.kind != TV_TUPLE)
        return typed_fail(lw, target, GPA_E_TYPE, "cannot unpack non-iterable %s object",
                          typed_kind(&v));
    if (v.n < to->n)
        return typed_fail(lw, target, GPA_E_VALUE,
                          "not enough values to unpack (expected %u, got %u)", to->n, v.n);
    if (v.n > to->n)
        return typed_fail(lw, target, GPA_E_VALUE, "too many values to unpack (expected %u)",
                          to->n);
    for (uint32_t i = 0; i < to->n && !rc; i++) rc = typed_assign_to(lw, to->at[i], v.items[i]);
    return rc;
}

static gpa_code assign_all(lowering *lw, const ast_node *n) {
    tv v;
    gpa_code rc = typed_expr(lw, n->assign.value, &v);
    for (uint32_t i = 0; i < n->assign.targets.n && !rc; i++)
        rc = typed_assign_to(lw, n->assign.targets.at[i], v);
    return rc;
}

/* a[i] += v: evaluates the index once. Applies to each element of a view. */
static gpa_code augment_item(lowering *lw, const ast_node *n) {
    const ast_node *target = n->augassign.target;
    tview to;
    tv a, b, v;
    gpa_code rc = target_subscript(lw, target, &to);
    if (!rc)
        rc = to.ndim ? typed_expr(lw, n->augassign.value, &b)
                     : typed_number(lw, n->augassign.value, &b);
    if (rc || to.ndim) return rc ? rc : typed_fill(lw, n, &to, &b);
    kir_set_span(lw->f, target->span);
    a = typed_load(lw, &to);
    rc = typed_binary(lw, n, ast_op_row(n->augassign.op), (typed_operand){target, a},
                      (typed_operand){n->augassign.value, b}, &v);
    return rc ? rc : typed_store(lw, target, &to, v);
}

/* x += v of an array, in place. */
static gpa_code augment_array(lowering *lw, const ast_node *n, const tv *array) {
    tv v;
    gpa_code rc = typed_expr(lw, n->augassign.value, &v);
    bool exact = v.kind == TV_NUMBER ? dtype_is_float((gpa_dtype)array->t.dtype)
                                     : v.kind == TV_ARRAY && v.t.dtype == array->t.dtype;
    bool plain = n->augassign.op == AST_OP_ADD || n->augassign.op == AST_OP_SUB ||
                 n->augassign.op == AST_OP_MUL;
    lw->fallback = lw->fallback || !exact || !plain;
    if (!rc && !(exact && plain))
        rc = typed_fail(lw, n, GPA_E_UNSUPPORTED,
                        "this operation on an array cannot be compiled in place");
    return rc ? rc : typed_fill(lw, n, array->view, &v);
}

static gpa_code augment(lowering *lw, const ast_node *n) {
    tv a, b, v;
    if (n->augassign.target->kind == AST_INDEX) return augment_item(lw, n);
    gpa_code rc = typed_expr(lw, n->augassign.target, &a);
    if (!rc && a.kind == TV_ARRAY && lw->to->form == TYPED_LOOP) return augment_array(lw, n, &a);
    if (!rc && a.kind != TV_NUMBER) rc = typed_number(lw, n->augassign.target, &a);
    if (!rc) rc = typed_number(lw, n->augassign.value, &b);
    if (!rc)
        rc = typed_binary(lw, n, ast_op_row(n->augassign.op),
                          (typed_operand){n->augassign.target, a},
                          (typed_operand){n->augassign.value, b}, &v);
    return rc ? rc : typed_assign_to(lw, n->augassign.target, v);
}

/* ---- branches ---- */

/* True if control never reaches the end of a list. */
static bool always_leaves(const ast_list *l) {
    if (l->n == 0) return false;
    const ast_node *n = l->at[l->n - 1];
    if (n->kind == AST_RETURN || n->kind == AST_BREAK || n->kind == AST_CONTINUE ||
        n->kind == AST_RAISE)
        return true;
    return n->kind == AST_IF && always_leaves(&n->if_.body) && always_leaves(&n->if_.other);
}

/* True if a break leaves the loop with this body. */
static bool breaks(const ast_list *l) {
    bool found = false;
    for (uint32_t i = 0; i < l->n && !found; i++) {
        const ast_node *n = l->at[i];
        found = n->kind == AST_BREAK ||
                (n->kind == AST_IF && (breaks(&n->if_.body) || breaks(&n->if_.other))) ||
                (n->kind == AST_FOR && breaks(&n->for_.other)) ||
                (n->kind == AST_WHILE && breaks(&n->while_.other));
    }
    return found;
}

/* True if control never leaves a loop at its end: it is infinite, or its else clause leaves. */
static bool never_ends(const ast_node *n) {
    if (n->kind != AST_WHILE && n->kind != AST_FOR) return false;
    const ast_list *body = n->kind == AST_FOR ? &n->for_.body : &n->while_.body,
                   *other = n->kind == AST_FOR ? &n->for_.other : &n->while_.other;
    return !breaks(body) &&
           (always_leaves(other) || (n->kind == AST_WHILE && n->while_.test->kind == AST_TRUE));
}

static bool nothing(const continuation *r) {
    for (; r; r = r->then)
        if (r->at < r->list.n) return false;
    return true;
}

static gpa_code must_return(lowering *lw, const ast_node *n) {
    return typed_fail(lw, n, GPA_E_TYPE,
                      "a compiled function of numbers must return a number on every path");
}

/* The taken arm of an `if` whose test is decided at compile time, and its continuation. */
static gpa_code taken_arm(lowering *lw, const ast_node *n, bool first, const continuation *after,
                          bool last, bool *left) {
    continuation all = {first ? n->if_.body : n->if_.other, 0, after};
    gpa_code rc = statements(lw, &all, last, left);
    return !rc && last && lw->frame->returns_value && !*left ? must_return(lw, n) : rc;
}

/* An `if`, with its continuation if *done; *left: control never reaches the end. */
static gpa_code if_statement(lowering *lw, const ast_node *n, const continuation *after, bool last,
                             bool *left, bool *done) {
    tv test;
    bool ends[2] = {always_leaves(&n->if_.body), always_leaves(&n->if_.other)}, out[2];
    bool moved = ends[0] != ends[1], arm_last = last && (moved || nothing(after));
    continuation body = {n->if_.body, 0, moved && ends[1] ? after : NULL},
                 other = {n->if_.other, 0, moved && ends[0] ? after : NULL};
    gpa_code rc = typed_truth(lw, n->if_.test, &test);
    *done = moved || test.decided;
    if (rc) return rc;
    if (test.decided) return taken_arm(lw, n, test.i, after, last, left);
    typed_open(lw, KIR_IF, DT_NONE, test.v, -1, -1);
    rc = statements(lw, &body, arm_last, &out[0]);
    if (!rc && !nothing(&other)) {
        typed_else(lw);
        rc = statements(lw, &other, arm_last, &out[1]);
    } else {
        out[1] = false;
    }
    typed_close(lw, KIR_IF);
    *left = out[0] && out[1];
    return !rc && moved && last && lw->frame->returns_value && !*left ? must_return(lw, n) : rc;
}

/* ---- statements ---- */

static gpa_code refuse(lowering *lw, const ast_node *n) {
    lw->fallback = true;
    return typed_fail(lw, n, GPA_E_UNSUPPORTED,
                      "this statement cannot be compiled: a compiled function of numbers has "
                      "assignments, if, for ... in range, while and return");
}

/* Message of a raised error: a text with at most one runtime number (\1 marks its position). */
typedef struct {
    uint32_t text;
    int32_t number; /* int64 kir value; -1: none */
} message;

static gpa_code put_message(lowering *lw, const ast_node *at, const tv *v, bool quoted,
                            gpa_str *out, message *m) {
    bool known = v->kind == TV_STATIC && v->constant.tag == V_STR;
    if (known && quoted) return vm_repr(lw->vm, v->constant, out);
    if (known) str_put(out, v->constant.str->text);
    if (known) return GPA_OK;
    const tv *number = v->kind == TV_TEXT && v->n == 1 ? &v->items[0] : v;
    bool whole = number->kind == TV_NUMBER &&
                 (dtype_is_int((gpa_dtype)number->t.dtype) || number->t.dtype == DT_BOOL);
    if (!whole || m->number >= 0 ||
        (v->kind == TV_TEXT && (quoted || strchr(v->constant.str->text, '\2'))))
        return typed_fail(
            lw, at, GPA_E_UNSUPPORTED,
            "the message of a compiled error is a text with at most one integer in it");
    m->number = kir_cast(lw->f, DT_I64, number->v);
    str_put(out, v->kind == TV_TEXT ? v->constant.str->text : "\1");
    return GPA_OK;
}

/* Formats the arguments of an error as Python does: one as itself, several as a tuple. */
static gpa_code read_message(lowering *lw, const ast_list *args, message *m) {
    gpa_str text;
    gpa_code rc = GPA_OK;
    tv v;
    str_init(&text);
    if (args->n > 1) str_putc(&text, '(');
    for (uint32_t i = 0; i < args->n && !rc; i++) {
        if (i) str_put(&text, ", ");
        rc = args->at[i]->kind == AST_FSTRING ? typed_fstring(lw, args->at[i], &v)
                                              : typed_expr(lw, args->at[i], &v);
        if (!rc) rc = put_message(lw, args->at[i], &v, args->n > 1, &text, m);
    }
    if (args->n > 1) str_putc(&text, ')');
    if (!rc && args->n) m->text = kir_add_text(lw->f, text.len ? text.text : "");
    str_free(&text);
    return rc;
}

static gpa_code assertion(lowering *lw, const ast_node *n) {
    tv test;
    message text = {KIR_NO_TEXT, -1};
    const ast_node *m = n->assert_.message;
    if (lw->to->form == TYPED_BODY)
        return typed_fail(lw, n, GPA_E_UNSUPPORTED, "a ufunc cannot assert");
    gpa_code rc = typed_truth(lw, n->assert_.test, &test);
    if (rc) return rc;
    typed_open(lw, KIR_IF, DT_NONE, kir_op1(lw->f, OP_LOGICAL_NOT, test.v), -1, -1);
    if (m) rc = read_message(lw, &(ast_list){(ast_node **)(uintptr_t)&m, 1}, &text);
    kir_set_span(lw->f, n->assert_.test->span);
    kir_emit(lw->f, (kir_ins){.code = KIR_FAULT,
                              .type = DT_NONE,
                              .sub = KIR_FT_ASSERT,
                              .imm = text.text,
                              .a = -1,
                              .b = text.number,
                              .c = -1});
    typed_close(lw, KIR_IF);
    return rc;
}

/* The error that `raise` names: an exception class, or a call of one with a message or without
 * arguments. */
static gpa_code read_raise(lowering *lw, const ast_node *n, gpa_code *code, message *text) {
    const ast_node *v = n->raise_.value;
    const ast_list *args = v && v->kind == AST_CALL ? &v->call.args : NULL;
    tv type;
    if (!v || n->raise_.cause)
        return typed_fail(lw, n, GPA_E_UNSUPPORTED,
                          "a kernel raises an error by its name, without a cause");
    gpa_code rc = typed_expr(lw, args ? v->call.func : v, &type);
    if (rc) return rc;
    bool is_error = type.kind == TV_STATIC && type.constant.tag == V_TYPE &&
                    type.constant.aux >= AUX_ERROR && type.constant.aux < AUX_FROZENSET;
    if (!is_error || !gpa_err_is((gpa_code)(type.constant.aux - AUX_ERROR), GPA_E_EXCEPTION))
        return typed_fail(lw, v, GPA_E_TYPE, "exceptions must derive from BaseException");
    if (args && v->call.keywords.n)
        return typed_fail(lw, v, GPA_E_TYPE, "%s() takes no keyword arguments",
                          gpa_err_name((gpa_code)(type.constant.aux - AUX_ERROR)));
    *code = (gpa_code)(type.constant.aux - AUX_ERROR);
    return args ? read_message(lw, args, text) : GPA_OK;
}

static void raise_it(lowering *lw, gpa_code code, message m) {
    int32_t payload = kir_const(lw->f, DT_I64, (gpa_val){.I64 = code});
    kir_emit(lw->f, (kir_ins){.code = KIR_FAULT,
                              .type = DT_NONE,
                              .sub = KIR_FT_RAISE,
                              .imm = m.text,
                              .a = payload,
                              .b = m.number,
                              .c = -1});
}

void typed_raise_here(lowering *lw, gpa_code code, uint32_t text, int32_t number) {
    raise_it(lw, code, (message){text, number});
}

static gpa_code raises(lowering *lw, const ast_node *n) {
    gpa_code code = GPA_OK;
    message text = {KIR_NO_TEXT, -1};
    if (lw->to->form != TYPED_KERNEL) return refuse(lw, n);
    gpa_code rc = read_raise(lw, n, &code, &text);
    if (rc) return rc;
    kir_set_span(lw->f, n->span);
    raise_it(lw, code, text);
    return GPA_OK;
}

static gpa_code simple(lowering *lw, const ast_node *n) {
    tv v;
    switch ((int)n->kind) {
        case AST_PASS: return GPA_OK;
        case AST_EXPR:
            if (n->expr.value->kind == AST_STRING || n->expr.value->kind == AST_ELLIPSIS)
                return GPA_OK;
            return typed_expr(lw, n->expr.value, &v);
        case AST_ASSIGN: return assign_all(lw, n);
        case AST_AUGASSIGN: return augment(lw, n);
        case AST_ANNASSIGN: {
            if (!n->annassign.value) return GPA_OK;
            gpa_code rc = typed_expr(lw, n->annassign.value, &v);
            return rc ? rc : typed_assign_to(lw, n->annassign.target, v);
        }
        case AST_WHILE:
        case AST_FOR: return typed_loop(lw, n);
        case AST_ASSERT: return assertion(lw, n);
        case AST_RAISE: return raises(lw, n);
        case AST_GLOBAL:
        case AST_NONLOCAL: return GPA_OK; /* declarations, checked by the compiler of scopes */
        default: return refuse(lw, n);
    }
}

/* *left: control never reaches the end. */
static gpa_code statements(lowering *lw, const continuation *r, bool last, bool *left) {
    gpa_code rc = GPA_OK;
    bool done = false;
    *left = false;
    for (continuation here = *r; !rc && !*left && !done;) {
        if (here.at == here.list.n) {
            if (!here.then) break;
            here = *here.then;
            continue;
        }
        const ast_node *n = here.list.at[here.at++];
        kir_set_span(lw->f, n->span);
        switch ((int)n->kind) {
            case AST_IF: rc = if_statement(lw, n, &here, last, left, &done); break;
            case AST_RETURN:
                *left = true;
                rc = returns(lw, n, last);
                break;
            case AST_BREAK:
            case AST_CONTINUE:
                *left = true;
                typed_emit(lw, n->kind == AST_BREAK ? KIR_BREAK : KIR_NEXT, DT_NONE, -1, -1,
                           n->kind == AST_BREAK ? lw->break_extra : 0);
                break;
            default: rc = simple(lw, n); *left = never_ends(n) || n->kind == AST_RAISE;
        }
    }
    return rc;
}

gpa_code typed_body(lowering *lw, ast_list body, bool *left) {
    return statements(lw, &(continuation){body, 0, NULL}, true, left);
}

gpa_code typed_block(lowering *lw, ast_list body) {
    bool left;
    return statements(lw, &(continuation){body, 0, NULL}, false, &left);
}
