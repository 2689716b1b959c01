/* Lowering of loops: while; for over range, arrays, enumerate, zip; their else clauses.
 *
 * Reading order: while, arrays, enumerate and zip, range, the for loop, else. */
#include <string.h>

#include "lang/typed/lower.h"

/* ---- while ---- */

gpa_code typed_while(lowering *lw, const ast_node *n) {
    tv test;
    typed_open(lw, KIR_LOOP, DT_NONE, -1, -1, -1);
    gpa_code rc = typed_truth(lw, n->while_.test, &test);
    if (!rc && n->while_.test->kind != AST_TRUE) {
        typed_open(lw, KIR_IF, DT_NONE, kir_op1(lw->f, OP_LOGICAL_NOT, test.v), -1, -1);
        typed_emit(lw, KIR_BREAK, DT_NONE, -1, -1, 0);
        typed_close(lw, KIR_IF);
    }
    if (!rc) rc = typed_block(lw, n->while_.body);
    typed_close(lw, KIR_LOOP);
    return rc;
}

/* ---- arrays ---- */

/* Item `counter` of an array: an element, or a row. */
static gpa_code item_of(lowering *lw, const ast_node *at, const tview *a, tv counter, tv *out) {
    tview item;
    gpa_code rc = typed_index(lw, at, a, &counter, 1, &item);
    if (rc) return rc;
    if (item.ndim) return typed_view_value(lw, &item, out);
    *out = typed_load(lw, &item);
    return GPA_OK;
}

static tv open_counter(lowering *lw, int32_t stop) {
    int32_t zero = typed_int(lw, 0).v, step = typed_int(lw, 1).v;
    typed_open(lw, KIR_FOR, DT_I64, zero, stop, step);
    return (tv){
        .kind = TV_NUMBER, .t = {.dtype = DT_I64, .weak = true}, .v = (int32_t)lw->f->n_code - 1};
}

/* for x in array: iterates over elements or rows. */
gpa_code typed_for_array(lowering *lw, const ast_node *n, const tv *a) {
    tv one;
    if (a->view->ndim == 0)
        return typed_fail(lw, n->for_.iter, GPA_E_TYPE, "iteration over a 0-d array");
    tv counter = open_counter(lw, a->view->size[0]);
    gpa_code rc = item_of(lw, n->for_.iter, a->view, counter, &one);
    if (!rc) rc = typed_assign_to(lw, n->for_.target, one);
    if (!rc) rc = typed_block(lw, n->for_.body);
    typed_close(lw, KIR_FOR);
    return rc;
}

/* ---- enumerate and zip ---- */

enum { MAX_ZIP_ARRAYS = 4 };

/* Evaluates the arrays of a loop over several (zip); the trip count is the shortest length. */
static gpa_code arrays_of(lowering *lw, const ast_list *args, uint32_t n, tv *a, int32_t *stop) {
    gpa_code rc = GPA_OK;
    for (uint32_t i = 0; i < n && !rc; i++) {
        rc = typed_expr(lw, args->at[i], &a[i]);
        bool array = !rc && a[i].kind == TV_ARRAY && a[i].view->ndim;
        lw->fallback = lw->fallback || (!rc && !array);
        if (!rc && !array)
            rc = typed_fail(lw, args->at[i], GPA_E_UNSUPPORTED,
                            "a compiled function can only loop over range(...) and arrays");
        if (!rc)
            *stop = i ? kir_op2(lw->f, OP_MINIMUM, *stop, a[i].view->size[0]) : a[i].view->size[0];
    }
    return rc;
}

/* for i, x in enumerate(array, start) (counts), and for x, y in zip(a, b). */
static gpa_code for_together(lowering *lw, const ast_node *n, bool counts) {
    const ast_node *it = n->for_.iter;
    const ast_list *args = &it->call.args;
    uint32_t n_arrays = counts ? 1 : args->n;
    tv a[MAX_ZIP_ARRAYS], item[MAX_ZIP_ARRAYS + 1], all = {.kind = TV_TUPLE, .items = item},
                                                    start = typed_int(lw, 0);
    int32_t stop = -1;
    if (it->call.keywords.n || args->n < 1 || args->n > (counts ? 2 : MAX_ZIP_ARRAYS))
        return typed_fail(
            lw, it, GPA_E_UNSUPPORTED,
            "a compiled loop has enumerate(array, start), or zip() of at most %d arrays",
            MAX_ZIP_ARRAYS);
    gpa_code rc = arrays_of(lw, args, n_arrays, a, &stop);
    if (!rc && counts && args->n == 2) rc = typed_number(lw, args->at[1], &start);
    if (!rc && !dtype_is_int((gpa_dtype)start.t.dtype))
        rc = typed_fail(lw, args->at[1], GPA_E_TYPE,
                        "'%s' object cannot be interpreted as an integer", typed_name(start.t));
    if (rc) return rc;
    tv counter = open_counter(lw, stop);
    if (counts) rc = typed_apply(lw, it, OP_ADD, (tv[]){counter, start}, 2, &item[all.n++]);
    for (uint32_t i = 0; i < n_arrays && !rc; i++)
        rc = item_of(lw, args->at[i], a[i].view, counter, &item[all.n++]);
    if (!rc) rc = typed_assign_to(lw, n->for_.target, all);
    if (!rc) rc = typed_block(lw, n->for_.body);
    typed_close(lw, KIR_FOR);
    return rc;
}

/* ---- range ---- */

/* A step of 0 is a ValueError; a ufunc, which cannot raise, executes no iteration. */
static gpa_code check_step(lowering *lw, const ast_node *at, int32_t bounds[3]) {
    static const char why[] = "range() arg 3 must not be zero";
    int64_t step;
    if (typed_constant(lw, bounds[2], &step))
        return step ? GPA_OK : typed_fail(lw, at, GPA_E_VALUE, "%s", why);
    int32_t none = kir_op2(lw->f, OP_EQUAL, bounds[2], typed_int(lw, 0).v);
    if (lw->to->form == TYPED_BODY) {
        bounds[1] = kir_op3(lw->f, OP_WHERE, none, bounds[0], bounds[1]);
        return GPA_OK;
    }
    kir_set_span(lw->f, at->span);
    typed_open(lw, KIR_IF, DT_NONE, none, -1, -1);
    typed_raise_here(lw, GPA_E_VALUE, kir_add_text(lw->f, why), -1);
    typed_close(lw, KIR_IF);
    return GPA_OK;
}

/* Start, stop and step of range(...), promoted to one type. */
static gpa_code range_bounds(lowering *lw, const ast_node *n, int32_t bounds[3]) {
    static const typed_ty t = {.dtype = DT_I64, .weak = true};
    const ast_node *it = n->for_.iter;
    tv f = {0}, v[3];
    gpa_code rc = it->kind == AST_CALL ? typed_expr(lw, it->call.func, &f) : GPA_OK;
    if (rc) return rc;
    bool range = f.kind == TV_STATIC &&
                 ((f.constant.tag == V_TYPE && f.constant.aux == V_RANGE) ||
                  (f.constant.tag == V_NATIVE && strcmp(f.constant.native->name, "prange") == 0));
    lw->fallback = lw->fallback || !range;
    if (!range || it->call.keywords.n)
        return typed_fail(lw, it, GPA_E_UNSUPPORTED,
                          "a compiled function can only loop over range(...) and arrays");
    uint32_t n_args = it->call.args.n;
    if (n_args < 1 || n_args > 3)
        return typed_fail(lw, it, GPA_E_TYPE, "range expected %s, got %u",
                          n_args ? "at most 3 arguments" : "at least 1 argument", n_args);
    for (uint32_t i = 0; i < n_args; i++) {
        if ((rc = typed_number(lw, it->call.args.at[i], &v[i]))) return rc;
        if (!dtype_is_complex((gpa_dtype)v[i].t.dtype)) continue; /* Numba truncates floats */
        rc = typed_fail(lw, it->call.args.at[i], GPA_E_TYPE,
                        "'%s' object cannot be interpreted as an integer", typed_name(v[i].t));
        typed_note(lw, it->call.args.at[i], v[i]);
        return rc;
    }
    bounds[0] = typed_cast(lw, n_args > 1 ? v[0] : typed_int(lw, 0), t);
    bounds[1] = typed_cast(lw, v[n_args > 1], t);
    bounds[2] = typed_cast(lw, n_args > 2 ? v[2] : typed_int(lw, 1), t);
    return check_step(lw, it, bounds);
}

typedef struct {
    uint32_t slot;
    bool found;
} assigned;

static void look_for_assignment(void *user, ast_node *n) {
    assigned *a = user;
    const ast_node *to = n->kind == AST_AUGASSIGN ? n->augassign.target
                         : n->kind == AST_FOR     ? n->for_.target
                         : n->kind == AST_NAMED   ? n->named.target
                                                  : NULL;
    ast_node *const *targets = n->kind == AST_ASSIGN      ? n->assign.targets.at
                               : n->kind == AST_ANNASSIGN ? &n->annassign.target
                                                          : NULL;
    uint32_t many = n->kind == AST_ASSIGN ? n->assign.targets.n : targets != NULL;
    for (uint32_t i = 0; i < many + (to != NULL); i++) {
        const ast_node *t = i < many ? targets[i] : to;
        if (t->kind == AST_NAME
                ? t->name.storage.kind == AST_IN_SLOT && t->name.storage.slot == a->slot
                : t->kind != AST_INDEX)
            a->found = true;
    }
    ast_each_child(n, look_for_assignment, a);
}

/* True if a statement of the list may assign to the variable. */
static bool assigns_to(const ast_list *l, uint32_t which) {
    assigned a = {which, false};
    for (uint32_t i = 0; i < l->n && !a.found; i++) look_for_assignment(&a, l->at[i]);
    return a.found;
}

gpa_code typed_for(lowering *lw, const ast_node *n, const int32_t bounds[3]) {
    typed_open(lw, KIR_FOR, DT_I64, bounds[0], bounds[1], bounds[2]);
    tv counter = {
        .kind = TV_NUMBER, .t = {.dtype = DT_I64, .weak = true}, .v = (int32_t)lw->f->n_code - 1};
    const ast_node *t = n->for_.target;
    gpa_code rc = typed_assign_to(lw, t, counter);
    bool fixed_counter = t->kind == AST_NAME && t->name.storage.kind == AST_IN_SLOT &&
                         !assigns_to(&n->for_.body, t->name.storage.slot);
    int64_t from, by;
    bool up = typed_constant(lw, bounds[0], &from) && typed_constant(lw, bounds[2], &by) &&
              from >= 0 && by > 0;
    if (!rc && fixed_counter)
        typed_hold_counter(lw, (int32_t)(lw->frame->slots + t->name.storage.slot),
                           up ? (uint32_t)bounds[1] + 1 : 0);
    if (!rc) rc = typed_block(lw, n->for_.body);
    typed_close(lw, KIR_FOR);
    return rc;
}

static gpa_code for_loop(lowering *lw, const ast_node *n) {
    int32_t bounds[3] = {-1, -1, -1};
    gpa_code rc;
    if (n->for_.iter->kind != AST_CALL) {
        tv a;
        rc = typed_expr(lw, n->for_.iter, &a);
        if (rc) return rc;
        if (a.kind == TV_ARRAY) return typed_for_array(lw, n, &a);
        if (a.kind == TV_TUPLE) return typed_for_tuple(lw, n, &a);
    }
    tv f = {0};
    if (n->for_.iter->kind == AST_CALL && (rc = typed_expr(lw, n->for_.iter->call.func, &f)))
        return rc;
    const native *callee =
        f.kind == TV_STATIC && f.constant.tag == V_NATIVE ? f.constant.native : NULL;
    bool builtin = callee && strcmp(callee->owner, "builtins") == 0;
    if (builtin && strcmp(callee->name, "enumerate") == 0) return for_together(lw, n, true);
    if (builtin && strcmp(callee->name, "zip") == 0) return for_together(lw, n, false);
    rc = range_bounds(lw, n, bounds);
    return rc ? rc : typed_for(lw, n, bounds);
}

/* ---- else ---- */

/* A loop and its else clause, which a break skips. */
static gpa_code loop_with_else(lowering *lw, const ast_node *n, const ast_list *other,
                               gpa_code (*loop)(lowering *, const ast_node *)) {
    uint32_t before = lw->break_extra;
    if (other->n) typed_open(lw, KIR_BLOCK, DT_NONE, -1, -1, -1);
    lw->break_extra = other->n > 0;
    gpa_code rc = loop(lw, n);
    lw->break_extra = before + (other->n > 0);
    if (!rc && other->n) rc = typed_block(lw, *other);
    lw->break_extra = before;
    if (other->n) typed_close(lw, KIR_BLOCK);
    return rc;
}

gpa_code typed_loop(lowering *lw, const ast_node *n) {
    return n->kind == AST_FOR ? loop_with_else(lw, n, &n->for_.other, for_loop)
                              : loop_with_else(lw, n, &n->while_.other, typed_while);
}
