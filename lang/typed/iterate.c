/* Lowering of loops: while; for over range, arrays, enumerate, zip; their else clauses.
 *
 * Reading order: while, arrays, enumerate and zip, range, the for loop, else. */
#include <string.h>

#include "lang/typed/lower.h"

/* ---- while ---- */

gpa_code typed_while(walk *w, const ast_node *n) {
    tv test;
    typed_open(w, KIR_LOOP, DT_NONE, -1, -1, -1);
    gpa_code rc = typed_truth(w, n->while_.test, &test);
    if (!rc && n->while_.test->kind != AST_TRUE) {
        typed_open(w, KIR_IF, DT_NONE, kir_op1(w->f, OP_LOGICAL_NOT, test.v), -1, -1);
        typed_emit(w, KIR_BREAK, DT_NONE, -1, -1, -1, 0);
        typed_close(w, KIR_IF);
    }
    if (!rc) rc = typed_block(w, n->while_.body);
    typed_close(w, KIR_LOOP);
    return rc;
}

/* ---- arrays ---- */

/* Item `counter` of an array: an element, or a row. */
static gpa_code item_of(walk *w, const ast_node *at, const tview *a, tv counter, tv *out) {
    tview item;
    gpa_code rc = typed_place_of(w, at, a, &counter, 1, &item);
    if (rc) return rc;
    if (item.ndim) return typed_sub(w, &item, out);
    *out = typed_load(w, &item);
    return GPA_OK;
}

static tv open_counter(walk *w, int32_t stop) {
    int32_t zero = typed_int(w, 0).v, step = typed_int(w, 1).v;
    typed_open(w, KIR_FOR, DT_I64, zero, stop, step);
    return (tv){
        .kind = TV_NUMBER, .t = {.dtype = DT_I64, .weak = true}, .v = (int32_t)w->f->n_code - 1};
}

/* for x in array: iterates over elements or rows. */
gpa_code typed_each(walk *w, const ast_node *n, const tv *a) {
    tv one;
    if (a->view->ndim == 0)
        return typed_fail(w, n->for_.iter, GPA_E_TYPE, "iteration over a 0-d array");
    tv counter = open_counter(w, a->view->size[0]);
    gpa_code rc = item_of(w, n->for_.iter, a->view, counter, &one);
    if (!rc) rc = typed_assign_to(w, n->for_.target, one);
    if (!rc) rc = typed_block(w, n->for_.body);
    typed_close(w, KIR_FOR);
    return rc;
}

/* ---- enumerate and zip ---- */

enum { MOST_TOGETHER = 4 };

/* Evaluates the arrays that a loop iterates over together; the trip count is the shortest
 * length. */
static gpa_code arrays_of(walk *w, const ast_list *args, uint32_t n, tv *a, int32_t *stop) {
    gpa_code rc = GPA_OK;
    for (uint32_t i = 0; i < n && !rc; i++) {
        rc = typed_expr(w, args->at[i], &a[i]);
        bool array = !rc && a[i].kind == TV_ARRAY && a[i].view->ndim;
        w->host = w->host || (!rc && !array);
        if (!rc && !array)
            rc = typed_fail(w, args->at[i], GPA_E_UNSUPPORTED,
                            "a compiled function can only loop over range(...) and arrays");
        if (!rc)
            *stop = i ? kir_op2(w->f, OP_MINIMUM, *stop, a[i].view->size[0]) : a[i].view->size[0];
    }
    return rc;
}

/* for i, x in enumerate(array, start) (counts), and for x, y in zip(a, b). */
static gpa_code together(walk *w, const ast_node *n, bool counts) {
    const ast_node *it = n->for_.iter;
    const ast_list *args = &it->call.args;
    uint32_t n_arrays = counts ? 1 : args->n;
    tv a[MOST_TOGETHER], item[MOST_TOGETHER + 1], all = {.kind = TV_TUPLE, .items = item},
                                                  start = typed_int(w, 0);
    int32_t stop = -1;
    if (it->call.keywords.n || args->n < 1 || args->n > (counts ? 2 : MOST_TOGETHER))
        return typed_fail(
            w, it, GPA_E_UNSUPPORTED,
            "a compiled loop has enumerate(array, start), or zip() of at most %d arrays",
            MOST_TOGETHER);
    gpa_code rc = arrays_of(w, args, n_arrays, a, &stop);
    if (!rc && counts && args->n == 2) rc = typed_number(w, args->at[1], &start);
    if (!rc && !dtype_is_int((gpa_dtype)start.t.dtype))
        rc = typed_fail(w, args->at[1], GPA_E_TYPE,
                        "'%s' object cannot be interpreted as an integer", typed_name(start.t));
    if (rc) return rc;
    tv counter = open_counter(w, stop);
    if (counts) rc = typed_apply(w, it, OP_ADD, (tv[]){counter, start}, 2, &item[all.n++]);
    for (uint32_t i = 0; i < n_arrays && !rc; i++)
        rc = item_of(w, args->at[i], a[i].view, counter, &item[all.n++]);
    if (!rc) rc = typed_assign_to(w, n->for_.target, all);
    if (!rc) rc = typed_block(w, n->for_.body);
    typed_close(w, KIR_FOR);
    return rc;
}

/* ---- range ---- */

/* A step of 0 is a ValueError; a ufunc, which cannot raise, executes no iteration. */
static gpa_code check_step(walk *w, const ast_node *at, int32_t abc[3]) {
    static const char why[] = "range() arg 3 must not be zero";
    int64_t step;
    if (typed_constant(w, abc[2], &step))
        return step ? GPA_OK : typed_fail(w, at, GPA_E_VALUE, "%s", why);
    int32_t none = kir_op2(w->f, OP_EQUAL, abc[2], typed_int(w, 0).v);
    if (w->to->form == TYPED_BODY) {
        abc[1] = kir_op3(w->f, OP_WHERE, none, abc[0], abc[1]);
        return GPA_OK;
    }
    kir_at(w->f, at->span);
    typed_open(w, KIR_IF, DT_NONE, none, -1, -1);
    typed_raise_here(w, GPA_E_VALUE, kir_add_text(w->f, why), -1);
    typed_close(w, KIR_IF);
    return GPA_OK;
}

/* Start, stop and step of range(...), promoted to one type. */
static gpa_code range_of(walk *w, const ast_node *n, int32_t abc[3]) {
    static const typed_ty t = {.dtype = DT_I64, .weak = true};
    const ast_node *it = n->for_.iter;
    tv f = {0}, v[3];
    gpa_code rc = it->kind == AST_CALL ? typed_expr(w, it->call.func, &f) : GPA_OK;
    if (rc) return rc;
    bool range =
        f.kind == TV_STATIC && ((f.is.tag == V_TYPE && f.is.aux == V_RANGE) ||
                                (f.is.tag == V_NATIVE && strcmp(f.is.native->name, "prange") == 0));
    w->host = w->host || !range;
    if (!range || it->call.keywords.n)
        return typed_fail(w, it, GPA_E_UNSUPPORTED,
                          "a compiled function can only loop over range(...) and arrays");
    uint32_t n_args = it->call.args.n;
    if (n_args < 1 || n_args > 3)
        return typed_fail(w, it, GPA_E_TYPE, "range expected %s, got %u",
                          n_args ? "at most 3 arguments" : "at least 1 argument", n_args);
    for (uint32_t i = 0; i < n_args; i++) {
        if ((rc = typed_number(w, it->call.args.at[i], &v[i]))) return rc;
        if (dtype_is_int((gpa_dtype)v[i].t.dtype) || v[i].t.dtype == DT_BOOL) continue;
        rc = typed_fail(w, it->call.args.at[i], GPA_E_TYPE,
                        "'%s' object cannot be interpreted as an integer", typed_name(v[i].t));
        typed_note(w, it->call.args.at[i], v[i]);
        return rc;
    }
    abc[0] = typed_cast(w, n_args > 1 ? v[0] : typed_int(w, 0), t);
    abc[1] = typed_cast(w, v[n_args > 1], t);
    abc[2] = typed_cast(w, n_args > 2 ? v[2] : typed_int(w, 1), t);
    return check_step(w, it, abc);
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
                ? t->name.place.where == AST_IN_SLOT && t->name.place.slot == a->slot
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

gpa_code typed_for(walk *w, const ast_node *n, const int32_t abc[3]) {
    typed_open(w, KIR_FOR, DT_I64, abc[0], abc[1], abc[2]);
    tv counter = {
        .kind = TV_NUMBER, .t = {.dtype = DT_I64, .weak = true}, .v = (int32_t)w->f->n_code - 1};
    const ast_node *t = n->for_.target;
    gpa_code rc = typed_assign_to(w, t, counter);
    bool own = t->kind == AST_NAME && t->name.place.where == AST_IN_SLOT &&
               !assigns_to(&n->for_.body, t->name.place.slot);
    int64_t from, by;
    bool up =
        typed_constant(w, abc[0], &from) && typed_constant(w, abc[2], &by) && from >= 0 && by > 0;
    if (!rc && own)
        typed_fix(w, (int32_t)(w->frame->slots + t->name.place.slot),
                  up ? (uint32_t)abc[1] + 1 : 0);
    if (!rc) rc = typed_block(w, n->for_.body);
    typed_close(w, KIR_FOR);
    return rc;
}

static gpa_code for_loop(walk *w, const ast_node *n) {
    int32_t abc[3] = {-1, -1, -1};
    gpa_code rc;
    if (n->for_.iter->kind != AST_CALL) {
        tv a;
        rc = typed_expr(w, n->for_.iter, &a);
        if (rc) return rc;
        if (a.kind == TV_ARRAY) return typed_each(w, n, &a);
        if (a.kind == TV_TUPLE) return typed_tuple_each(w, n, &a);
    }
    tv f = {0};
    if (n->for_.iter->kind == AST_CALL && (rc = typed_expr(w, n->for_.iter->call.func, &f)))
        return rc;
    const native *known = f.kind == TV_STATIC && f.is.tag == V_NATIVE ? f.is.native : NULL;
    bool builtin = known && strcmp(known->owner, "builtins") == 0;
    if (builtin && strcmp(known->name, "enumerate") == 0) return together(w, n, true);
    if (builtin && strcmp(known->name, "zip") == 0) return together(w, n, false);
    rc = range_of(w, n, abc);
    return rc ? rc : typed_for(w, n, abc);
}

/* ---- else ---- */

/* A loop and its else clause, which a break skips. */
static gpa_code with_else(walk *w, const ast_node *n, const ast_list *other,
                          gpa_code (*loop)(walk *, const ast_node *)) {
    uint32_t before = w->leave;
    if (other->n) typed_open(w, KIR_BLOCK, DT_NONE, -1, -1, -1);
    w->leave = other->n > 0;
    gpa_code rc = loop(w, n);
    w->leave = before + (other->n > 0);
    if (!rc && other->n) rc = typed_block(w, *other);
    w->leave = before;
    if (other->n) typed_close(w, KIR_BLOCK);
    return rc;
}

gpa_code typed_loop(walk *w, const ast_node *n) {
    return n->kind == AST_FOR ? with_else(w, n, &n->for_.other, for_loop)
                              : with_else(w, n, &n->while_.other, typed_while);
}
