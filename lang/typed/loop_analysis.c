/* Loop analysis on the syntax tree: liveness of variables, reduction recognition, eligibility
 * for compilation.
 *
 * Reading order: uses, reductions, first use in an iteration (privatization), eligible loops. */
#include <string.h>

#include "lang/typed/loop.h"

static bool is_slot(const ast_node *n, uint32_t *slot_index) {
    if (n->kind != AST_NAME || n->name.storage.kind != AST_IN_SLOT) return false;
    *slot_index = n->name.storage.slot;
    return true;
}

/* ---- uses ---- */

typedef struct {
    uint8_t *use;
    uint32_t n;
    const ast_node *except; /* subtree to skip */
    uint8_t mark;
} mentions;

static void mark(mentions *m, const ast_node *target, uint8_t how) {
    uint32_t s;
    if (is_slot(target, &s) && s < m->n) m->use[s] |= how;
    const ast_list *l = target->kind == AST_TUPLE  ? &target->tuple.items
                        : target->kind == AST_LIST ? &target->list.items
                                                   : NULL;
    for (uint32_t i = 0; l && i < l->n; i++) mark(m, l->at[i], how);
}

static void mark_uses(void *user, ast_node *n) {
    mentions *m = user;
    if (n == m->except) return;
    if (n->kind == AST_NAME) mark(m, n, m->mark);
    if (m->mark == USE_READ) {
        if (n->kind == AST_ASSIGN)
            for (uint32_t i = 0; i < n->assign.targets.n; i++)
                mark(m, n->assign.targets.at[i], USE_WRITTEN);
        else if (n->kind == AST_AUGASSIGN)
            mark(m, n->augassign.target, USE_WRITTEN);
        else if (n->kind == AST_ANNASSIGN && n->annassign.value)
            mark(m, n->annassign.target, USE_WRITTEN);
        else if (n->kind == AST_FOR)
            mark(m, n->for_.target, USE_WRITTEN);
        else if (n->kind == AST_NAMED)
            mark(m, n->named.target, USE_WRITTEN);
    }
    ast_each_child(n, mark_uses, m);
}

static const ast_list *body_of(const ast_node *loop) {
    return loop->kind == AST_FOR ? &loop->for_.body : &loop->while_.body;
}

/* ---- reductions ---- */

static bool mentions_slot(const ast_node *n, uint32_t slot_index);

typedef struct {
    uint32_t slot;
    bool found;
} search;

static void search_slot(void *user, ast_node *n) {
    search *s = user;
    s->found = s->found || mentions_slot(n, s->slot);
}

static bool mentions_slot(const ast_node *n, uint32_t slot_index) {
    search s = {slot_index, false};
    uint32_t have;
    if (is_slot(n, &have)) return have == slot_index;
    ast_each_child(n, search_slot, &s);
    return s.found;
}

static loop_role role_of_operator(ast_op op) {
    return op == AST_OP_ADD || op == AST_OP_SUB ? ROLE_SUM
           : op == AST_OP_MUL                   ? ROLE_PRODUCT
                                                : ROLE_CARRIED;
}

/* Recognizes x = x + e, x = e + x, x = min(x, e), where e does not mention x. */
static loop_role role_of_update(const ast_node *v, uint32_t slot_index) {
    uint32_t s;
    if (v->kind == AST_BINARY) {
        const ast_node *a = v->binary.left, *b = v->binary.right;
        loop_role t = role_of_operator(v->binary.op);
        if (is_slot(a, &s) && s == slot_index && !mentions_slot(b, slot_index)) return t;
        if (v->binary.op != AST_OP_SUB && is_slot(b, &s) && s == slot_index &&
            !mentions_slot(a, slot_index))
            return t;
        return ROLE_CARRIED;
    }
    if (v->kind != AST_CALL || v->call.func->kind != AST_NAME || v->call.args.n != 2)
        return ROLE_CARRIED;
    int mine = -1;
    for (int i = 0; i < 2; i++)
        if (is_slot(v->call.args.at[i], &s) && s == slot_index) mine = i;
    if (mine < 0 || mentions_slot(v->call.args.at[1 - mine], slot_index)) return ROLE_CARRIED;
    return ROLE_MIN; /* or MAX: the caller decides by the function's name */
}

typedef struct {
    uint32_t slot;
    uint32_t mentions, in_updates; /* mentions: all occurrences; in_updates: those that belong to
                                      updates of one kind */
    loop_role kind;
    gpa_sym name; /* name of the function: min or max */
} update;

static void record_update(update *u, loop_role t, uint32_t n, gpa_sym name) {
    bool first = u->in_updates == 0;
    if (t == ROLE_CARRIED || (!first && (t != u->kind || name != u->name))) {
        u->kind = ROLE_CARRIED;
        return;
    }
    if (first) u->kind = t;
    u->name = name;
    u->in_updates += n;
}

static void scan_updates(void *user, ast_node *n) {
    update *u = user;
    uint32_t s;
    if (is_slot(n, &s) && s == u->slot) u->mentions++;
    if (n->kind == AST_AUGASSIGN && is_slot(n->augassign.target, &s) && s == u->slot)
        record_update(
            u,
            mentions_slot(n->augassign.value, s) ? ROLE_CARRIED : role_of_operator(n->augassign.op),
            1, 0);
    if (n->kind == AST_ASSIGN && n->assign.targets.n == 1 && is_slot(n->assign.targets.at[0], &s) &&
        s == u->slot) {
        const ast_node *v = n->assign.value;
        record_update(
            u, role_of_update(v, s), 2,
            v->kind == AST_CALL && v->call.func->kind == AST_NAME ? v->call.func->name.name : 0);
    }
    ast_each_child(n, scan_updates, u);
}

/* ---- first use in an iteration ---- */

typedef enum { UNUSED, ASSIGNED, READ } first_use;

static first_use use_of(const ast_list *body, uint32_t slot_index);

static first_use use_in(const ast_node *n, uint32_t slot_index) {
    uint32_t s;
    first_use a, b;
    switch ((int)n->kind) {
        case AST_ASSIGN:
            if (mentions_slot(n->assign.value, slot_index)) return READ;
            for (uint32_t i = 0; i < n->assign.targets.n; i++) {
                const ast_node *t = n->assign.targets.at[i];
                if (is_slot(t, &s) ? s == slot_index
                                   : (t->kind == AST_TUPLE && mentions_slot(t, slot_index)))
                    return ASSIGNED;
                if (mentions_slot(t, slot_index)) return READ;
            }
            return UNUSED;
        case AST_ANNASSIGN:
            if (n->annassign.value && mentions_slot(n->annassign.value, slot_index)) return READ;
            return n->annassign.value && is_slot(n->annassign.target, &s) && s == slot_index
                       ? ASSIGNED
                       : UNUSED;
        case AST_IF:
            if (mentions_slot(n->if_.test, slot_index)) return READ;
            a = use_of(&n->if_.body, slot_index);
            b = use_of(&n->if_.other, slot_index);
            return a == READ || b == READ           ? READ
                   : a == ASSIGNED && b == ASSIGNED ? ASSIGNED
                                                    : UNUSED;
        case AST_FOR:
            if (mentions_slot(n->for_.iter, slot_index)) return READ;
            if (mentions_slot(n->for_.target, slot_index)) return ASSIGNED;
            return use_of(&n->for_.body, slot_index) == READ ? READ : UNUSED;
        case AST_WHILE:
            if (mentions_slot(n->while_.test, slot_index)) return READ;
            return use_of(&n->while_.body, slot_index) == READ ? READ : UNUSED;
        default: return mentions_slot(n, slot_index) ? READ : UNUSED;
    }
}

static first_use use_of(const ast_list *body, uint32_t slot_index) {
    for (uint32_t i = 0; i < body->n; i++) {
        first_use u = use_in(body->at[i], slot_index);
        if (u != UNUSED) return u;
    }
    return UNUSED;
}

static loop_role role_of(gpa_vm *vm, const typed_lift *l, uint32_t slot_index) {
    update u = {.slot = slot_index, .kind = ROLE_CARRIED};
    const ast_list *body = body_of(l->loop);
    if (mentions_slot(l->loop->for_.target, slot_index)) return ROLE_PRIVATE;
    for (uint32_t i = 0; i < body->n; i++) scan_updates(&u, body->at[i]);
    const char *name = u.kind == ROLE_MIN ? intern_text(vm_names(vm), u.name) : "";
    if (u.kind == ROLE_MIN)
        u.kind = strcmp(name, "min") == 0   ? ROLE_MIN
                 : strcmp(name, "max") == 0 ? ROLE_MAX
                                            : ROLE_CARRIED;
    if (u.kind != ROLE_CARRIED && u.in_updates == u.mentions) return u.kind;
    return use_of(body, slot_index) == READ ? ROLE_CARRIED : ROLE_PRIVATE;
}

/* ---- reads after the loop ---- */

/* Liveness of a variable after the loop, along the statements that follow it in a list. */
typedef enum { NOT_REACHED, UNCHANGED, OVERWRITTEN, MAY_BE_READ } fate;

static fate fate_in(const ast_list *body, const ast_node *loop, uint32_t slot_index);

/* True if the loop is n, or in it. */
static bool contains_loop(const ast_node *n, const ast_node *loop) {
    return n->span.lo <= loop->span.lo && loop->span.hi <= n->span.hi;
}

static void find_jump(void *user, ast_node *n) {
    bool *found = user;
    *found = *found || n->kind == AST_BREAK || n->kind == AST_CONTINUE;
    if (!*found) ast_each_child(n, find_jump, found);
}

static fate fate_of_loop(const ast_node *n, const ast_node *loop, uint32_t slot_index) {
    const ast_list *body = body_of(n);
    fate f = fate_in(body, loop, slot_index);
    if (f != UNCHANGED) return f;
    bool next = n->kind == AST_WHILE && mentions_slot(n->while_.test, slot_index);
    return next || use_of(body, slot_index) == READ ? MAY_BE_READ : UNCHANGED;
}

static fate fate_at(const ast_node *n, const ast_node *loop, uint32_t slot_index) {
    if (n == loop) return UNCHANGED;
    if (!contains_loop(n, loop)) return NOT_REACHED;
    if (n->kind == AST_FOR || n->kind == AST_WHILE) return fate_of_loop(n, loop, slot_index);
    if (n->kind != AST_IF) return MAY_BE_READ;
    fate f = fate_in(&n->if_.body, loop, slot_index);
    return f == NOT_REACHED ? fate_in(&n->if_.other, loop, slot_index) : f;
}

static fate fate_in(const ast_list *body, const ast_node *loop, uint32_t slot_index) {
    fate f = NOT_REACHED;
    for (uint32_t i = 0; i < body->n; i++) {
        if (f == NOT_REACHED) {
            f = fate_at(body->at[i], loop, slot_index);
            if (f == OVERWRITTEN || f == MAY_BE_READ) return f;
            continue;
        }
        bool jumps = false;
        first_use u = use_in(body->at[i], slot_index);
        find_jump(&jumps, body->at[i]);
        if (u == READ || jumps) return MAY_BE_READ;
        if (u == ASSIGNED) return OVERWRITTEN;
    }
    return f;
}

/* True if the value that the loop leaves in a variable may be read. */
static bool read_after(const typed_lift *l, uint32_t slot_index) {
    return fate_in(&l->function->function.body, l->loop, slot_index) == MAY_BE_READ;
}

void loop_analyze(gpa_vm *vm, typed_lift *l, bool inner) {
    mentions in = {.use = l->use, .n = l->n, .mark = USE_READ};
    mentions out = {.use = l->use, .n = l->n, .except = l->loop, .mark = USE_AFTER};
    mark_uses(&in, (ast_node *)(uintptr_t)l->loop);
    for (uint32_t i = 0; i < l->function->function.body.n; i++)
        mark_uses(&out, l->function->function.body.at[i]);
    for (uint32_t i = 0; i < l->n; i++) {
        if (l->use[i] & USE_WRITTEN && read_after(l, i)) l->use[i] |= USE_KEPT;
        if (inner && l->use[i]) l->use[i] |= USE_AFTER;
        l->role[i] =
            l->parallel && l->use[i] & USE_WRITTEN ? (uint8_t)role_of(vm, l, i) : ROLE_PRIVATE;
    }
}

/* ---- eligible loops ---- */

/* The current value of a free or global variable; UNSET: a local variable, or unbound. */
static value free_value(gpa_vm *vm, const func_obj *fn, const ast_node *name) {
    ast_storage p = name->name.storage;
    if (p.kind == AST_IN_FREE) return fn->free[p.slot].cell->v;
    if (p.kind != AST_IN_GLOBALS) return v_unset();
    value v = module_get_peek(fn->module, name->name.name);
    return v.tag == V_UNSET ? vm_builtin_peek(vm, name->name.name) : v;
}

/* True if a loop iterates over prange(...), under any name or module. */
static bool over_prange(gpa_vm *vm, const func_obj *fn, const ast_node *loop) {
    if (loop->kind != AST_FOR || loop->for_.iter->kind != AST_CALL) return false;
    const ast_node *f = loop->for_.iter->call.func;
    gpa_sym prange = intern_get(vm_names(vm), "prange", 6);
    if (f->kind != AST_NAME) return f->kind == AST_ATTR && f->attr.name == prange;
    value v = free_value(vm, fn, f);
    return v.tag == V_UNSET ? f->name.name == prange
                            : v.tag == V_NATIVE && strcmp(v.native->name, "prange") == 0;
}

typedef struct {
    gpa_vm *vm;
    const func_obj *fn;
    bool parallel, returns, other; /* other: contains what only the interpreter can run */
} content;

static void scan_content(void *user, ast_node *n) {
    content *c = user;
    bool loop = n->kind == AST_FOR || n->kind == AST_WHILE;
    if (over_prange(c->vm, c->fn, n)) c->parallel = true;
    if (n->kind == AST_RETURN) c->returns = true;
    if (loop && (n->kind == AST_FOR ? n->for_.other.n : n->while_.other.n)) c->other = true;
    c->other = c->other || n->kind == AST_FUNCTION || n->kind == AST_TRY || n->kind == AST_WITH ||
               n->kind == AST_GENEXP || n->kind == AST_YIELD;
    ast_each_child(n, scan_content, c);
}

static content content_of(gpa_vm *vm, const func_obj *fn, const ast_node *loop) {
    content c = {.vm = vm, .fn = fn};
    scan_content(&c, (ast_node *)(uintptr_t)loop);
    return c;
}

bool lift_eligible(gpa_vm *vm, const func_obj *fn, const ast_node *loop) {
    content c = content_of(vm, fn, loop);
    return !c.other && (over_prange(vm, fn, loop) ? !c.returns : !c.parallel);
}

bool lift_returns(gpa_vm *vm, const func_obj *fn, const ast_node *loop) {
    return content_of(vm, fn, loop).returns;
}

bool lift_parallel(gpa_vm *vm, const func_obj *fn, const ast_node *loop) {
    return over_prange(vm, fn, loop);
}
