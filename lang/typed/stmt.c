/* Statements.
 *
 * A return that is the last thing its function does sets the results and goes on; any other also leaves the BLOCK that
 * then stands around the function's body. What follows an `if` one arm of which always leaves is written into the other
 * arm, so the common early return needs no BLOCK.
 *
 * Reading order: returns, assignments, branches, loops, one statement; calls are in inline.c. */
#include <string.h>

#include "lang/arena.h"
#include "lang/typed/lower.h"

/* Statements still to do: a list from `at` on, then those behind it. `last`: nothing of the function follows. */
typedef struct rest {
    ast_list list;
    uint32_t at;
    const struct rest *then;
} rest;

static gpa_code statements(walk *w, const rest *r, bool last, bool *left);

/* ---- returns ---- */

static gpa_code learn_shape(walk *w, const ast_node *at, const tv *v, shape_of_return *s) {
    uint32_t n = v->kind == TV_TUPLE ? v->n : 1;
    bool tuple = v->kind == TV_TUPLE;
    if (s->n == 0) {
        s->n = n;
        s->tuple = tuple;
        return GPA_OK;
    }
    if (s->n == n && s->tuple == tuple) return GPA_OK;
    return typed_fail(w, at, GPA_E_TYPE, "all returns of a compiled function must give the same number of values");
}

static void set_flag(walk *w, int32_t flag) {
    typed_emit(w, KIR_SET, DT_NONE, flag, kir_const(w->f, DT_BOOL, (gpa_val){.BOOL = true}), -1, 0);
}

static gpa_code returns(walk *w, const ast_node *n, bool last) {
    tframe *fr = w->frame;
    tv v;
    gpa_code rc = GPA_OK;
    if (!fr->gives) v = (tv){.kind = TV_NONE};
    else if (!n->return_.value) rc = typed_fail(w, n, GPA_E_TYPE, "a compiled function of numbers must return a number");
    else rc = typed_expr(w, n->return_.value, &v);
    if (rc) return rc;
    bool outermost = w->nest == fr->nest;
    if (last && outermost && !fr->returned) {
        fr->direct = v;
        fr->has_direct = true;
        return GPA_OK;
    }
    fr->returned = true;
    shape_of_return *s = &w->shapes[fr->shape];
    if (fr->gives) rc = learn_shape(w, n, &v, s);
    for (uint32_t i = 0; i < s->n && !rc; i++)
        rc = typed_assign(w, n, (int32_t)(s->first + i), v.kind == TV_TUPLE ? v.items[i] : v);
    if (rc || last) return rc;
    if (!s->block) s->block = w->changed = true;
    if (fr->returned_flag >= 0) set_flag(w, fr->returned_flag);
    typed_emit(w, KIR_BREAK, DT_NONE, -1, -1, -1, (uint32_t)(w->regions - fr->regions - 1));
    return GPA_OK;
}

/* ---- assignments ---- */

/* The array of a[...] that is assigned to, and the place in it. */
static gpa_code place_of(walk *w, const ast_node *target, tview *out) {
    tv a;
    gpa_code rc = typed_expr(w, target->index.object, &a);
    if (rc) return rc;
    if (a.kind == TV_ARRAY) return typed_place(w, target, &a, target->index.index, out);
    rc = typed_fail(w, target, GPA_E_TYPE, "'%s' object does not support item assignment", typed_kind(&a));
    typed_note(w, target->index.object, a);
    return rc;
}

static gpa_code assign_item(walk *w, const ast_node *target, tv v) {
    tview to;
    gpa_code rc = place_of(w, target, &to);
    return rc ? rc : typed_fill(w, target, &to, &v);
}

static gpa_code assign(walk *w, const ast_node *target, tv v) {
    if (target->kind == AST_NAME) {
        if (target->name.place.where == AST_IN_SLOT)
            return typed_assign(w, target, (int32_t)(w->frame->slots + target->name.place.slot), v);
        return typed_fail(w, target, GPA_E_UNSUPPORTED, "a compiled function cannot change a variable outside of itself");
    }
    if (target->kind == AST_INDEX) return assign_item(w, target, v);
    if (target->kind != AST_TUPLE && target->kind != AST_LIST)
        return typed_fail(w, target, GPA_E_UNSUPPORTED, "cannot assign to this in a compiled function of numbers");
    const ast_list *to = target->kind == AST_TUPLE ? &target->tuple.items : &target->list.items;
    if (v.kind != TV_TUPLE) return typed_fail(w, target, GPA_E_TYPE, "cannot unpack non-iterable %s object", typed_kind(&v));
    if (v.n < to->n) return typed_fail(w, target, GPA_E_VALUE, "not enough values to unpack (expected %u, got %u)", to->n, v.n);
    if (v.n > to->n) return typed_fail(w, target, GPA_E_VALUE, "too many values to unpack (expected %u)", to->n);
    gpa_code rc = GPA_OK;
    for (uint32_t i = 0; i < to->n && !rc; i++) rc = assign(w, to->at[i], v.items[i]);
    return rc;
}

static gpa_code assign_all(walk *w, const ast_node *n) {
    tv v;
    gpa_code rc = typed_expr(w, n->assign.value, &v);
    for (uint32_t i = 0; i < n->assign.targets.n && !rc; i++) rc = assign(w, n->assign.targets.at[i], v);
    return rc;
}

/* a[i] += v: the index is computed once. */
static gpa_code augment_item(walk *w, const ast_node *n) {
    const ast_node *target = n->augassign.target;
    tview to;
    tv a, b, v;
    gpa_code rc = place_of(w, target, &to);
    if (!rc && to.ndim) rc = typed_fail(w, n, GPA_E_UNSUPPORTED, "arithmetic on whole arrays cannot be compiled here: write the loop");
    if (!rc) rc = typed_number(w, n->augassign.value, &b);
    if (rc) return rc;
    kir_at(w->f, target->span);
    a = typed_load(w, &to);
    rc = typed_binary(w, n, typed_operator(n->augassign.op), target, n->augassign.value, a, b, &v);
    return rc ? rc : typed_store(w, target, &to, v);
}

static gpa_code augment(walk *w, const ast_node *n) {
    tv a, b, v;
    if (n->augassign.target->kind == AST_INDEX) return augment_item(w, n);
    gpa_code rc = typed_number(w, n->augassign.target, &a);
    if (!rc) rc = typed_number(w, n->augassign.value, &b);
    if (!rc) rc = typed_binary(w, n, typed_operator(n->augassign.op), n->augassign.target, n->augassign.value, a, b, &v);
    return rc ? rc : assign(w, n->augassign.target, v);
}

/* ---- branches ---- */

/* Whether control never reaches the end of a list. */
static bool leaves(const ast_list *l) {
    if (l->n == 0) return false;
    const ast_node *n = l->at[l->n - 1];
    if (n->kind == AST_RETURN || n->kind == AST_BREAK || n->kind == AST_CONTINUE || n->kind == AST_RAISE) return true;
    return n->kind == AST_IF && leaves(&n->if_.body) && leaves(&n->if_.other);
}

/* Whether a break leaves the loop with this body. */
static bool breaks(const ast_list *l) {
    bool found = false;
    for (uint32_t i = 0; i < l->n && !found; i++) {
        const ast_node *n = l->at[i];
        found = n->kind == AST_BREAK || (n->kind == AST_IF && (breaks(&n->if_.body) || breaks(&n->if_.other))) ||
                (n->kind == AST_FOR && breaks(&n->for_.other)) || (n->kind == AST_WHILE && breaks(&n->while_.other));
    }
    return found;
}

/* Whether control does not come out of a loop at its end: it has none, or the else that follows leaves. */
static bool endless(const ast_node *n) {
    if (n->kind != AST_WHILE && n->kind != AST_FOR) return false;
    const ast_list *body = n->kind == AST_FOR ? &n->for_.body : &n->while_.body, *other = n->kind == AST_FOR ? &n->for_.other : &n->while_.other;
    return !breaks(body) && (leaves(other) || (n->kind == AST_WHILE && n->while_.test->kind == AST_TRUE));
}

static bool nothing(const rest *r) {
    for (; r; r = r->then)
        if (r->at < r->list.n) return false;
    return true;
}

/* An `if` and what follows it; *left: control leaves in both arms, or what follows was written into one. */
static gpa_code branch(walk *w, const ast_node *n, const rest *after, bool last, bool *left) {
    int32_t test;
    bool ends[2] = {leaves(&n->if_.body), leaves(&n->if_.other)}, out[2];
    bool moved = ends[0] != ends[1], arm_last = last && (moved || nothing(after));
    rest body = {n->if_.body, 0, moved && ends[1] ? after : NULL}, other = {n->if_.other, 0, moved && ends[0] ? after : NULL};
    gpa_code rc = typed_truth(w, n->if_.test, &test);
    if (rc) return rc;
    typed_open(w, KIR_IF, DT_NONE, test, -1, -1);
    rc = statements(w, &body, arm_last, &out[0]);
    if (!rc && !nothing(&other)) {
        typed_else(w);
        rc = statements(w, &other, arm_last, &out[1]);
    } else {
        out[1] = false;
    }
    typed_close(w, KIR_IF);
    *left = moved || (out[0] && out[1]);
    if (!rc && moved && last && w->frame->gives && !(out[0] && out[1]))
        rc = typed_fail(w, n, GPA_E_TYPE, "a compiled function of numbers must return a number on every way through it");
    return rc;
}

/* ---- loops ---- */

static gpa_code loop_body(walk *w, ast_list body) {
    bool left;
    return statements(w, &(rest){body, 0, NULL}, false, &left);
}

gpa_code typed_while(walk *w, const ast_node *n) {
    int32_t test;
    typed_open(w, KIR_LOOP, DT_NONE, -1, -1, -1);
    gpa_code rc = typed_truth(w, n->while_.test, &test);
    if (!rc && n->while_.test->kind != AST_TRUE) {
        typed_open(w, KIR_IF, DT_NONE, kir_op1(w->f, OP_LOGICAL_NOT, test), -1, -1);
        typed_emit(w, KIR_BREAK, DT_NONE, -1, -1, -1, 0);
        typed_close(w, KIR_IF);
    }
    if (!rc) rc = loop_body(w, n->while_.body);
    typed_close(w, KIR_LOOP);
    return rc;
}

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
    return (tv){.kind = TV_NUMBER, .t = {.dtype = DT_I64, .weak = true}, .v = (int32_t)w->f->n_code - 1};
}

/* for x in array: its elements, or its rows. */
gpa_code typed_each(walk *w, const ast_node *n, const tv *a) {
    tv one;
    if (a->view->ndim == 0) return typed_fail(w, n->for_.iter, GPA_E_TYPE, "iteration over a 0-d array");
    tv counter = open_counter(w, a->view->size[0]);
    gpa_code rc = item_of(w, n->for_.iter, a->view, counter, &one);
    if (!rc) rc = assign(w, n->for_.target, one);
    if (!rc) rc = loop_body(w, n->for_.body);
    typed_close(w, KIR_FOR);
    return rc;
}

enum { MOST_TOGETHER = 4 };

/* The arrays that a loop goes over together, and how many items the shortest has. */
static gpa_code arrays_of(walk *w, const ast_list *args, uint32_t n, tv *a, int32_t *stop) {
    gpa_code rc = GPA_OK;
    for (uint32_t i = 0; i < n && !rc; i++) {
        rc = typed_expr(w, args->at[i], &a[i]);
        bool array = !rc && a[i].kind == TV_ARRAY && a[i].view->ndim;
        w->host = w->host || (!rc && !array);
        if (!rc && !array) rc = typed_fail(w, args->at[i], GPA_E_UNSUPPORTED, "a compiled function can only loop over range(...) and arrays");
        if (!rc) *stop = i ? kir_op2(w->f, OP_MINIMUM, *stop, a[i].view->size[0]) : a[i].view->size[0];
    }
    return rc;
}

/* for i, x in enumerate(array, start): a count and an item. for x, y in zip(a, b): items of several arrays. */
static gpa_code together(walk *w, const ast_node *n, bool counts) {
    const ast_node *it = n->for_.iter;
    const ast_list *args = &it->call.args;
    uint32_t n_arrays = counts ? 1 : args->n;
    tv a[MOST_TOGETHER], item[MOST_TOGETHER + 1], all = {.kind = TV_TUPLE, .items = item}, start = typed_int(w, 0);
    int32_t stop = -1;
    if (it->call.keywords.n || args->n < 1 || args->n > (counts ? 2 : MOST_TOGETHER))
        return typed_fail(w, it, GPA_E_UNSUPPORTED, "a compiled loop has enumerate(array, start), or zip() of at most %d arrays", MOST_TOGETHER);
    gpa_code rc = arrays_of(w, args, n_arrays, a, &stop);
    if (!rc && counts && args->n == 2) rc = typed_number(w, args->at[1], &start);
    if (!rc && !dtype_is_int((gpa_dtype)start.t.dtype))
        rc = typed_fail(w, args->at[1], GPA_E_TYPE, "'%s' object cannot be interpreted as an integer", typed_name(start.t));
    if (rc) return rc;
    tv counter = open_counter(w, stop);
    if (counts) rc = typed_apply(w, it, OP_ADD, (tv[]){counter, start}, 2, &item[all.n++]);
    for (uint32_t i = 0; i < n_arrays && !rc; i++) rc = item_of(w, args->at[i], a[i].view, counter, &item[all.n++]);
    if (!rc) rc = assign(w, n->for_.target, all);
    if (!rc) rc = loop_body(w, n->for_.body);
    typed_close(w, KIR_FOR);
    return rc;
}

static void raise_here(walk *w, gpa_code code, uint32_t text) {
    int32_t payload = kir_const(w->f, DT_I64, (gpa_val){.I64 = code});
    kir_emit(w->f, (kir_ins){.code = KIR_FAULT, .type = DT_NONE, .sub = KIR_FT_RAISE, .imm = text, .a = payload, .b = -1, .c = -1});
}

/* A step of 0 is an error; in a ufunc, which reports none, the loop has no trip. */
static gpa_code check_step(walk *w, const ast_node *at, int32_t abc[3]) {
    static const char why[] = "range() arg 3 must not be zero";
    int64_t step;
    if (typed_constant(w, abc[2], &step)) return step ? GPA_OK : typed_fail(w, at, GPA_E_VALUE, "%s", why);
    int32_t none = kir_op2(w->f, OP_EQUAL, abc[2], typed_int(w, 0).v);
    if (w->to->form == TYPED_BODY) {
        abc[1] = kir_op3(w->f, OP_WHERE, none, abc[0], abc[1]);
        return GPA_OK;
    }
    kir_at(w->f, at->span);
    typed_open(w, KIR_IF, DT_NONE, none, -1, -1);
    raise_here(w, GPA_E_VALUE, kir_add_text(w->f, why));
    typed_close(w, KIR_IF);
    return GPA_OK;
}

/* for ... in range(...): a, b, c of the counter, in one type. */
static gpa_code range_of(walk *w, const ast_node *n, int32_t abc[3]) {
    static const typed_ty t = {.dtype = DT_I64, .weak = true};
    const ast_node *it = n->for_.iter;
    tv f = {0}, v[3];
    gpa_code rc = it->kind == AST_CALL ? typed_expr(w, it->call.func, &f) : GPA_OK;
    if (rc) return rc;
    bool range = f.kind == TV_STATIC && ((f.is.tag == V_TYPE && f.is.aux == V_RANGE) || (f.is.tag == V_NATIVE && strcmp(f.is.native->name, "prange") == 0));
    w->host = w->host || !range;
    if (!range || it->call.keywords.n) return typed_fail(w, it, GPA_E_UNSUPPORTED, "a compiled function can only loop over range(...) and arrays");
    uint32_t n_args = it->call.args.n;
    if (n_args < 1 || n_args > 3) return typed_fail(w, it, GPA_E_TYPE, "range expected %s, got %u", n_args ? "at most 3 arguments" : "at least 1 argument", n_args);
    for (uint32_t i = 0; i < n_args; i++) {
        if ((rc = typed_number(w, it->call.args.at[i], &v[i]))) return rc;
        if (dtype_is_int((gpa_dtype)v[i].t.dtype) || v[i].t.dtype == DT_BOOL) continue;
        rc = typed_fail(w, it->call.args.at[i], GPA_E_TYPE, "'%s' object cannot be interpreted as an integer", typed_name(v[i].t));
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
    const ast_node *to = n->kind == AST_AUGASSIGN ? n->augassign.target : n->kind == AST_FOR ? n->for_.target : n->kind == AST_NAMED ? n->named.target : NULL;
    ast_node *const *targets = n->kind == AST_ASSIGN ? n->assign.targets.at : n->kind == AST_ANNASSIGN ? &n->annassign.target : NULL;
    uint32_t many = n->kind == AST_ASSIGN ? n->assign.targets.n : targets != NULL;
    for (uint32_t i = 0; i < many + (to != NULL); i++) {
        const ast_node *t = i < many ? targets[i] : to;
        if (t->kind == AST_NAME ? t->name.place.where == AST_IN_SLOT && t->name.place.slot == a->slot : t->kind != AST_INDEX) a->found = true;
    }
    ast_each_child(n, look_for_assignment, a);
}

/* Whether something in the list may assign to the variable. */
static bool assigns_to(const ast_list *l, uint32_t which) {
    assigned a = {which, false};
    for (uint32_t i = 0; i < l->n && !a.found; i++) look_for_assignment(&a, l->at[i]);
    return a.found;
}

gpa_code typed_for(walk *w, const ast_node *n, const int32_t abc[3]) {
    typed_open(w, KIR_FOR, DT_I64, abc[0], abc[1], abc[2]);
    tv counter = {.kind = TV_NUMBER, .t = {.dtype = DT_I64, .weak = true}, .v = (int32_t)w->f->n_code - 1};
    const ast_node *t = n->for_.target;
    gpa_code rc = assign(w, t, counter);
    bool own = t->kind == AST_NAME && t->name.place.where == AST_IN_SLOT && !assigns_to(&n->for_.body, t->name.place.slot);
    int64_t from, by;
    bool up = typed_constant(w, abc[0], &from) && typed_constant(w, abc[2], &by) && from >= 0 && by > 0;
    if (!rc && own) typed_fix(w, (int32_t)(w->frame->slots + t->name.place.slot), up ? (uint32_t)abc[1] + 1 : 0);
    if (!rc) rc = loop_body(w, n->for_.body);
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
    }
    tv f = {0};
    if (n->for_.iter->kind == AST_CALL && (rc = typed_expr(w, n->for_.iter->call.func, &f))) return rc;
    const native *known = f.kind == TV_STATIC && f.is.tag == V_NATIVE ? f.is.native : NULL;
    bool builtin = known && strcmp(known->owner, "builtins") == 0;
    if (builtin && strcmp(known->name, "enumerate") == 0) return together(w, n, true);
    if (builtin && strcmp(known->name, "zip") == 0) return together(w, n, false);
    rc = range_of(w, n, abc);
    return rc ? rc : typed_for(w, n, abc);
}

/* A loop and its else, which a break goes around. */
static gpa_code with_else(walk *w, const ast_node *n, const ast_list *other, gpa_code (*loop)(walk *, const ast_node *)) {
    uint32_t before = w->leave;
    bool left;
    if (other->n) typed_open(w, KIR_BLOCK, DT_NONE, -1, -1, -1);
    w->leave = other->n > 0;
    gpa_code rc = loop(w, n);
    w->leave = before + (other->n > 0);
    if (!rc && other->n) rc = statements(w, &(rest){*other, 0, NULL}, false, &left);
    w->leave = before;
    if (other->n) typed_close(w, KIR_BLOCK);
    return rc;
}

/* ---- statements ---- */

static gpa_code refuse(walk *w, const ast_node *n) {
    w->host = true;
    return typed_fail(w, n, GPA_E_UNSUPPORTED, "this statement cannot be compiled: a compiled function of numbers has assignments, if, for ... in range, while and return");
}

static gpa_code assertion(walk *w, const ast_node *n) {
    int32_t test;
    const ast_node *m = n->assert_.message;
    if (w->to->form == TYPED_BODY) return typed_fail(w, n, GPA_E_UNSUPPORTED, "a ufunc cannot assert");
    if (m && m->kind != AST_STRING) return typed_fail(w, m, GPA_E_UNSUPPORTED, "the message of a compiled assert is a text");
    gpa_code rc = typed_truth(w, n->assert_.test, &test);
    if (rc) return rc;
    uint32_t text = m ? kir_add_text(w->f, m->string.text.at) : KIR_NO_TEXT;
    kir_at(w->f, n->assert_.test->span);
    typed_open(w, KIR_IF, DT_NONE, kir_op1(w->f, OP_LOGICAL_NOT, test), -1, -1);
    kir_emit(w->f, (kir_ins){.code = KIR_FAULT, .type = DT_NONE, .sub = KIR_FT_ASSERT, .imm = text, .a = -1, .b = -1, .c = -1});
    typed_close(w, KIR_IF);
    return GPA_OK;
}

/* The error that `raise` names: a class of errors, or a call of one with a text or nothing. */
static gpa_code raised(walk *w, const ast_node *n, gpa_code *code, uint32_t *text) {
    const ast_node *v = n->raise_.value;
    const ast_list *args = v && v->kind == AST_CALL ? &v->call.args : NULL;
    tv type, message = {.kind = TV_NONE};
    if (!v || n->raise_.cause) return typed_fail(w, n, GPA_E_UNSUPPORTED, "a kernel raises an error by its name, without a cause");
    gpa_code rc = typed_expr(w, args ? v->call.func : v, &type);
    if (rc) return rc;
    bool is_error = type.kind == TV_STATIC && type.is.tag == V_TYPE && type.is.aux >= AUX_ERROR && type.is.aux < AUX_FROZENSET;
    if (!is_error || !gpa_err_is((gpa_code)(type.is.aux - AUX_ERROR), GPA_E_EXCEPTION))
        return typed_fail(w, v, GPA_E_TYPE, "exceptions must derive from BaseException");
    if (args && (args->n > 1 || v->call.keywords.n)) return typed_fail(w, v, GPA_E_UNSUPPORTED, "an error that a kernel raises has one text");
    if (args && args->n) rc = typed_expr(w, args->at[0], &message);
    if (rc) return rc;
    if (args && args->n && (message.kind != TV_STATIC || message.is.tag != V_STR))
        return typed_fail(w, args->at[0], GPA_E_UNSUPPORTED, "the message of an error that a kernel raises is a text");
    *code = (gpa_code)(type.is.aux - AUX_ERROR);
    *text = message.kind == TV_STATIC ? kir_add_text(w->f, message.is.str->text) : KIR_NO_TEXT;
    return GPA_OK;
}

static gpa_code raises(walk *w, const ast_node *n) {
    gpa_code code = GPA_OK;
    uint32_t text = KIR_NO_TEXT;
    if (w->to->form != TYPED_KERNEL) return refuse(w, n);
    gpa_code rc = raised(w, n, &code, &text);
    if (rc) return rc;
    kir_at(w->f, n->span);
    raise_here(w, code, text);
    return GPA_OK;
}

static gpa_code simple(walk *w, const ast_node *n) {
    tv v;
    switch ((int)n->kind) {
        case AST_PASS: return GPA_OK;
        case AST_EXPR: return n->expr.value->kind == AST_STRING ? GPA_OK : typed_expr(w, n->expr.value, &v);
        case AST_ASSIGN: return assign_all(w, n);
        case AST_AUGASSIGN: return augment(w, n);
        case AST_ANNASSIGN: {
            if (!n->annassign.value) return GPA_OK;
            gpa_code rc = typed_expr(w, n->annassign.value, &v);
            return rc ? rc : assign(w, n->annassign.target, v);
        }
        case AST_WHILE: return with_else(w, n, &n->while_.other, typed_while);
        case AST_FOR: return with_else(w, n, &n->for_.other, for_loop);
        case AST_ASSERT: return assertion(w, n);
        case AST_RAISE: return raises(w, n);
        case AST_GLOBAL:
        case AST_NONLOCAL: return GPA_OK; /* what they forbid is refused where it is done */
        default: return refuse(w, n);
    }
}

/* *left: control does not come out at the end. */
static gpa_code statements(walk *w, const rest *r, bool last, bool *left) {
    gpa_code rc = GPA_OK;
    *left = false;
    for (rest here = *r; !rc && !*left;) {
        if (here.at == here.list.n) {
            if (!here.then) break;
            here = *here.then;
            continue;
        }
        const ast_node *n = here.list.at[here.at++];
        kir_at(w->f, n->span);
        switch ((int)n->kind) {
            case AST_IF: rc = branch(w, n, &here, last, left); break;
            case AST_RETURN:
                *left = true;
                rc = returns(w, n, last);
                break;
            case AST_BREAK:
            case AST_CONTINUE:
                *left = true;
                typed_emit(w, n->kind == AST_BREAK ? KIR_BREAK : KIR_NEXT, DT_NONE, -1, -1, -1, n->kind == AST_BREAK ? w->leave : 0);
                break;
            default:
                rc = simple(w, n);
                *left = endless(n) || n->kind == AST_RAISE;
        }
    }
    return rc;
}

gpa_code typed_body(walk *w, ast_list body, bool *left) { return statements(w, &(rest){body, 0, NULL}, true, left); }
