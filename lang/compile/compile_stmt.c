/* Bytecode generation for statements. break, continue, return and exceptions leave enclosing
 * statements, each with its clean-up (block.leave). The clean-up code of `try ... finally` and
 * `with` is emitted once per exit path; exception table entries (code_guard) cover the ranges
 * between.
 *
 * Reading order: leave_blocks, then loops, try and with. */
#include "lang/compile/compile.h"

#include "lang/text/source.h"

#include "runtime/base/base.h"

/* A guard's `to` before its handler is emitted: with the block's id. */
#define PENDING 0x80000000u

static void statement(compiler *c, const ast_node *n);

void compile_body(compiler *c, const ast_list *body) {
    for (uint32_t i = 0; i < body->n && !c->failed; i++) {
        uint32_t mark = c->top;
        c->at = body->at[i];
        statement(c, body->at[i]);
        c->top = mark;
    }
}

/* ---- blocks ---- */

static void push_block(compiler *c, block *b) {
    b->outer = c->blocks;
    b->level = b->outer ? b->outer->level + 1 : 1;
    b->id = c->n_blocks++;
    b->open = b->guarded ? (int64_t)c->n_ins : -1;
    c->blocks = b;
}

/* Ends the current guarded range of a block. */
static void close_guarded_range(compiler *c, block *b) {
    code *k = c->code;
    if (b->open < 0 || c->failed) return;
    if ((int64_t)c->n_ins > b->open) {
        if (!mem_grow(&k->guards, k->n_guards, &c->cap_guards, sizeof *k->guards)) {
            vm_no_memory(c->vm);
            c->failed = true;
            return;
        }
        k->guards[k->n_guards++] = (code_guard){.lo = (uint32_t)b->open,
                                                .hi = (uint32_t)c->n_ins,
                                                .to = PENDING | b->id,
                                                .level = b->level,
                                                .reg = b->reg,
                                                .depth = b->depth};
    }
    b->open = -1;
}

static void pop_block(compiler *c) {
    close_guarded_range(c, c->blocks);
    c->blocks = c->blocks->outer;
}

/* Starts the handler of a block. */
static void handler_here(compiler *c, const block *b) {
    for (uint32_t i = 0; i < c->code->n_guards; i++)
        if (c->code->guards[i].to == (PENDING | b->id)) c->code->guards[i].to = (uint32_t)c->n_ins;
}

/* Emits the deferred error check at an end of a block. */
static void emit_check(compiler *c, const block *b) {
    if (b->checks) emit(c, I_CHECK, 0, 0, 0);
    if (b->in_context) emit(c, I_CHECK_FOR, b->outer->reg, 0, 0);
}

void compile_pause(compiler *c) {
    for (const block *b = c->blocks; b; b = b->outer) emit_check(c, b);
}

/* Emits the clean-up of every block inside `until`, innermost first, with the guards of left blocks
 * suspended. The caller emits the jump or return, then calls resume_blocks with the result. */
static block *leave_blocks(compiler *c, const block *until) {
    block *inner = c->blocks;
    for (block *b = inner; b != until; b = b->outer) {
        emit_check(c, b);
        if (b->guarded) close_guarded_range(c, b);
        c->blocks = b->outer;
        if (b->leave) b->leave(c, b);
    }
    return inner;
}

static void resume_blocks(compiler *c, block *inner, const block *until) {
    c->blocks = inner;
    for (block *b = inner; b != until; b = b->outer)
        if (b->guarded) b->open = (int64_t)c->n_ins;
}

static void drop_register(compiler *c, block *b) { emit(c, I_CLEAR, b->reg, 0, 0); }

/* ---- loops ---- */

static void while_loop(compiler *c, const ast_node *n) {
    block b = {.node = n, .loop = true, .brk = LABEL_NEW, .cont = LABEL_NEW};
    label body = LABEL_NEW;
    push_block(c, &b);
    emit_jump(c, I_JUMP, 0, &b.cont);
    label_here(c, &body);
    compile_body(c, &n->while_.body);
    label_here(c, &b.cont);
    c->at = n;
    compile_jump(c, n->while_.test, true, &body);
    pop_block(c);
    compile_body(c, &n->while_.other);
    label_here(c, &b.brk);
}

static void for_loop(compiler *c, const ast_node *n, uint32_t it) {
    block b = {.node = n,
               .loop = true,
               .brk = LABEL_NEW,
               .cont = LABEL_NEW,
               .reg = (uint16_t)it,
               .leave = drop_register};
    label body = LABEL_NEW, end = LABEL_NEW;
    c->at = n->for_.iter;
    emit(c, I_ITER, it, it, 0);
    const ast_node *t = n->for_.target;
    bool plain = t->kind == AST_NAME && t->name.storage.kind == AST_IN_SLOT;
    uint32_t item = plain ? t->name.storage.slot : temp(c);
    push_block(c, &b);
    emit_jump(c, I_JUMP, 0, &b.cont);
    label_here(c, &body);
    if (!plain) compile_store(c, t, item);
    compile_body(c, &n->for_.body);
    label_here(c, &b.cont);
    c->at = n->for_.iter;
    emit(c, I_NEXT, it, item, 0);
    emit_jump_word(c, &body);
    pop_block(c);
    compile_body(c, &n->for_.other);
    emit_jump(c, I_JUMP, 0, &end);
    label_here(c, &b.brk);
    emit(c, I_CLEAR, it, 0, 0);
    label_here(c, &end);
}

/* The loop's index among the compiled loops of the code. */
static uint32_t add_lift(compiler *c, const ast_node *n) {
    code *k = c->code;
    const block *b = c->blocks;
    while (b && !b->loop) b = b->outer;
    typed_lift *l = typed_compiler.loop_new(c->vm, k->jit, n, b != NULL);
    if (!l || !mem_grow(&k->lifts, k->n_lifts, &c->cap_lifts, sizeof *k->lifts)) {
        typed_compiler.loop_free(c->vm, l);
        vm_no_memory(c->vm);
        c->failed = true;
        return 0;
    }
    k->lifts[k->n_lifts] = l;
    return k->n_lifts++;
}

/* A loop. In a jitted function LIFT runs it as a compiled program; if that declines, the
 * interpreter runs the loop below. */
static void loop(compiler *c, const ast_node *n) {
    bool lifted = c->code->jit && typed_compiler.loop_wanted(c->vm, c->code->jit, n),
         is_for = n->kind == AST_FOR;
    label done = LABEL_NEW, end = LABEL_NEW;
    uint32_t it = is_for || lifted ? temp(c) : 0;
    if (is_for)
        compile_into(c, n->for_.iter, it);
    else if (lifted)
        emit(c, I_CLEAR, it, 0, 0);
    if (lifted) {
        emit(c, I_LIFT, it, add_lift(c, n), 0);
        emit_jump_word(c, &done);
    }
    if (is_for)
        for_loop(c, n, it);
    else
        while_loop(c, n);
    if (!lifted) return;
    label_here(c, &done);
    if (!typed_compiler.loop_returns(c->vm, c->code->jit, n)) return;
    emit(c, I_LIFTED, it, 0, 0);
    emit_jump_word(c, &end);
    block *inner = leave_blocks(c, NULL);
    emit_return(c, it);
    resume_blocks(c, inner, NULL);
    label_here(c, &end);
}

static void loop_jump(compiler *c, bool leaving) {
    block *b = c->blocks;
    while (b && !b->loop) b = b->outer;
    if (!b) return;
    block *inner = leave_blocks(c, b);
    emit_jump(c, I_JUMP, 0, leaving ? &b->brk : &b->cont);
    resume_blocks(c, inner, b);
}

static void return_value(compiler *c, const ast_node *value_node) {
    uint32_t r;
    if (value_node && !c->blocks) {
        r = compile_any(c, value_node);
    } else {
        r = temp(c);
        if (value_node)
            compile_into(c, value_node, r);
        else
            emit_d(c, I_CONST, r, add_const(c, v_none()));
    }
    block *inner = leave_blocks(c, NULL);
    emit_return(c, r);
    resume_blocks(c, inner, NULL);
}

/* ---- try ---- */

static void leave_finally(compiler *c, block *b) { compile_body(c, &b->node->try_.final); }

static void leave_except(compiler *c, block *b) {
    emit(c, I_CLEAR, b->reg, 0, 0);
    const ast_node *target = b->node->except.target;
    if (!target) return;
    uint32_t r = temp(c); /* the program may have deleted the name: bind it first */
    emit_d(c, I_CONST, r, add_const(c, v_none()));
    compile_store(c, target, r);
    compile_delete(c, target);
    c->top = r;
}

static void add_handler(compiler *c, uint32_t lo, uint32_t reg) {
    code *k = c->code;
    if (!mem_grow(&k->handlers, k->n_handlers, &c->cap_handlers, sizeof *k->handlers)) {
        vm_no_memory(c->vm);
        c->failed = true;
        return;
    }
    k->handlers[k->n_handlers++] = (code_handler){lo, (uint32_t)c->n_ins, (uint16_t)reg};
}

/* One except clause: the exception is in e. Falls through when the type does not match. */
static void except_clause(compiler *c, const ast_node *n, uint32_t e, label *end) {
    label next = LABEL_NEW;
    c->at = n;
    if (n->except.type) {
        uint32_t t = compile_any(c, n->except.type);
        c->at = n->except.type;
        emit(c, I_MATCH, e, t, 0);
        emit_jump_word(c, &next);
        c->top = e + 1;
    }
    if (n->except.target) {
        uint32_t copy = temp(c);
        emit(c, I_MOVE, copy, e, 0);
        compile_store(c, n->except.target, copy);
        c->top = e + 1;
    }
    uint32_t inner_error = n->except.target ? temp(c) : 0;
    block b = {.node = n, .leave = leave_except, .reg = (uint16_t)e};
    block cleanup = {
        .node = n, .guarded = true, .reg = (uint16_t)inner_error, .depth = (uint16_t)inner_error};
    push_block(c, &b);
    if (n->except.target) push_block(c, &cleanup);
    int32_t outer = c->handling;
    uint32_t lo = (uint32_t)c->n_ins;
    c->handling = (int32_t)e;
    compile_body(c, &n->except.body);
    c->handling = outer;
    add_handler(c, lo, e);
    if (n->except.target) pop_block(c);
    pop_block(c);
    leave_except(c, &b);
    emit_jump(c, I_JUMP, 0, end);
    if (n->except.target) { /* an exception in the handler unbinds the name, too */
        handler_here(c, &cleanup);
        leave_except(c, &b);
        emit(c, I_RERAISE, inner_error, 0, 0);
    }
    c->top = e + 1;
    label_here(c, &next);
}

static void try_except(compiler *c, const ast_node *n) {
    label end = LABEL_NEW;
    uint32_t e = temp(c);
    block b = {
        .node = n, .guarded = true, .checks = true, .reg = (uint16_t)e, .depth = (uint16_t)e};
    emit(c, I_CHECK, 0, 0, 0); /* it belongs to an enclosing block */
    push_block(c, &b);
    compile_body(c, &n->try_.body);
    emit_check(c, &b);
    pop_block(c);
    compile_body(c, &n->try_.other);
    emit_jump(c, I_JUMP, 0, &end);
    handler_here(c, &b);
    for (uint32_t i = 0; i < n->try_.handlers.n; i++)
        except_clause(c, n->try_.handlers.at[i], e, &end);
    c->at = n;
    emit(c, I_RERAISE, e, 0, 0);
    label_here(c, &end);
}

static void try_statement(compiler *c, const ast_node *n) {
    if (!n->try_.final.n) {
        try_except(c, n);
        return;
    }
    label end = LABEL_NEW;
    uint32_t e = temp(c);
    block b = {.node = n,
               .guarded = true,
               .reg = (uint16_t)e,
               .depth = (uint16_t)e,
               .leave = leave_finally};
    push_block(c, &b);
    if (n->try_.handlers.n) {
        try_except(c, n);
    } else {
        compile_body(c, &n->try_.body);
        compile_body(c, &n->try_.other);
    }
    pop_block(c);
    compile_body(c, &n->try_.final);
    emit_jump(c, I_JUMP, 0, &end);
    handler_here(c, &b);
    block raised = {.node = n, .reg = (uint16_t)e, .leave = drop_register};
    push_block(c, &raised);
    uint32_t lo = (uint32_t)c->n_ins;
    int32_t outer = c->handling;
    c->handling = (int32_t)e;
    compile_body(c, &n->try_.final);
    c->handling = outer;
    add_handler(c, lo, e);
    pop_block(c);
    c->at = n;
    emit(c, I_RERAISE, e, 0, 0);
    label_here(c, &end);
}

/* ---- with ---- */

static void leave_with(compiler *c, block *b) {
    const ast_node *outer = c->at;
    c->at = b->node;
    uint32_t r = temp(c);
    emit(c, I_MOVE, r, b->reg, 0);
    emit(c, I_LEAVE, r, 0, 0);
    emit(c, I_CLEAR, b->reg, 0, 0);
    c->top = r;
    c->at = outer;
}

static void with_items(compiler *c, const ast_node *n, uint32_t i) {
    if (i == n->with_.items.n) {
        compile_body(c, &n->with_.body);
        return;
    }
    const ast_node *item = n->with_.items.at[i];
    label end = LABEL_NEW, swallowed = LABEL_NEW;
    uint32_t context = temp(c), result = temp(c);
    compile_into(c, item->withitem.context, context);
    c->at = item->withitem.context;
    emit(c, I_ENTER, result, context, 0);
    /* Two blocks: the outer one calls __exit__ on a jump; the guard of the inner one catches
     * exceptions into `result`. */
    block ended = {.node = item->withitem.context, .reg = (uint16_t)context, .leave = leave_with};
    block b = {.node = item->withitem.context,
               .guarded = true,
               .in_context = true,
               .reg = (uint16_t)result,
               .depth = (uint16_t)result};
    push_block(c, &ended);
    push_block(c, &b);
    if (item->withitem.target)
        compile_store(c, item->withitem.target, result);
    else
        emit(c, I_CLEAR, result, 0, 0);
    with_items(c, n, i + 1);
    emit_check(c, &b);
    pop_block(c);
    pop_block(c);
    leave_with(c, &ended);
    emit_jump(c, I_JUMP, 0, &end);
    handler_here(c, &b);
    c->at = item->withitem.context;
    emit(c, I_LEAVE_RAISED, context, result, 0);
    emit_jump_word(c, &swallowed);
    emit(c, I_RERAISE, result, 0, 0);
    label_here(c, &swallowed);
    emit(c, I_CLEAR, result, 0, 0);
    label_here(c, &end);
}

/* ---- imports ---- */

static void import(compiler *c, const ast_node *n) {
    for (uint32_t i = 0; i < n->import.names.n; i++) {
        const ast_node *a = n->import.names.at[i];
        const intern *names = vm_names(c->vm);
        uint32_t r = temp(c);
        c->at = a;
        uint32_t k =
            add_text(c, intern_text(names, a->alias.name), intern_len(names, a->alias.name));
        emit_d(c, a->alias.renamed ? I_IMPORT : I_IMPORT_ROOT, r, k);
        compile_store(c, a->alias.target, r);
        c->top = r;
    }
}

static void import_from(compiler *c, const ast_node *n) {
    uint32_t m = temp(c);
    const intern *names = vm_names(c->vm);
    gpa_sym module = n->from.module;
    gpa_str name; /* relative imports: a dot per level, then the module */
    str_init(&name);
    for (uint32_t i = 0; i < n->from.level; i++) str_putn(&name, ".", 1);
    if (module) str_putn(&name, intern_text(names, module), intern_len(names, module));
    emit_d(c, I_IMPORT, m, add_text(c, name.text ? name.text : "", name.len));
    str_free(&name);
    if (!n->from.names.n) {
        emit(c, I_IMPORT_ALL, m, 0, 0);
        return;
    }
    for (uint32_t i = 0; i < n->from.names.n; i++) {
        const ast_node *a = n->from.names.at[i];
        uint32_t r = temp(c);
        c->at = a;
        emit(c, I_IMPORT_NAME, r, m, 0);
        emit_name(c, a->alias.name);
        compile_store(c, a->alias.target, r);
        c->top = r;
    }
    emit(c, I_CLEAR, m, 0, 0);
}

/* ---- assignment ---- */

/* a, b = x, y: without creating a tuple. */
static bool parallel(compiler *c, const ast_node *target, const ast_node *v) {
    if (target->kind != AST_TUPLE || v->kind != AST_TUPLE ||
        target->tuple.items.n != v->tuple.items.n)
        return false;
    uint32_t n = v->tuple.items.n, base = c->top;
    for (uint32_t i = 0; i < n; i++)
        if (target->tuple.items.at[i]->kind == AST_STARRED ||
            v->tuple.items.at[i]->kind == AST_STARRED)
            return false;
    if (n > 16) return false;
    for (uint32_t i = 0; i < n; i++) compile_into(c, v->tuple.items.at[i], temp(c));
    for (uint32_t i = 0; i < n; i++) compile_store(c, target->tuple.items.at[i], base + i);
    return true;
}

static void assign(compiler *c, const ast_list *targets, const ast_node *v) {
    const ast_node *first = targets->at[0];
    if (targets->n == 1 && first->kind == AST_NAME && first->name.storage.kind == AST_IN_SLOT) {
        compile_into(c, v, first->name.storage.slot);
        return;
    }
    if (targets->n == 1 && parallel(c, first, v)) return;
    label end = LABEL_NEW;
    if (targets->n == 1 && first->kind == AST_INDEX) compile_masked(c, first, v, &end);
    uint32_t r = temp(c);
    compile_into(c, v, r);
    for (uint32_t i = 0; i < targets->n; i++) {
        uint32_t mark = c->top, from = r;
        if (i + 1 < targets->n) {
            from = temp(c);
            emit(c, I_MOVE, from, r, 0);
        }
        compile_store(c, targets->at[i], from);
        c->top = mark;
    }
    label_here(c, &end);
}

/* dst = dst op= r */
static void update(compiler *c, const ast_node *n, uint32_t dst, uint32_t r) {
    ast_op op = n->augassign.op;
    c->at = n;
    if (op == AST_OP_ADD || op == AST_OP_SUB || op == AST_OP_MUL) {
        emit(c,
             op == AST_OP_ADD   ? I_UPDATE_ADD
             : op == AST_OP_SUB ? I_UPDATE_SUB
                                : I_UPDATE_MUL,
             dst, dst, r);
        return;
    }
    emit(c, I_UPDATE, dst, dst, r);
    emit_word(c, (ins){.a = (uint16_t)op});
}

/* The calls in the value of an augmented assignment. */
typedef struct {
    compiler *c;
    unsigned n;   /* the callees that were loaded, into registers from `first` on */
    bool any;     /* there is a call, or a yield */
    bool unknown; /* of a callee that could not be loaded */
} calls_in_value;

static void load_callees(void *user, ast_node *n) {
    calls_in_value *calls = user;
    switch ((int)n->kind) {
        case AST_FUNCTION:
        case AST_LISTCOMP:
        case AST_SETCOMP:
        case AST_DICTCOMP:
        case AST_GENEXP:
        case AST_YIELD: calls->any = calls->unknown = true; return;
        case AST_CALL: {
            const ast_node *root = n->call.func;
            while (root->kind == AST_ATTR) root = root->attr.object;
            calls->any = true;
            if (root->kind == AST_NAME) {
                compile_into(calls->c, root, temp(calls->c));
                calls->n++;
            } else {
                calls->unknown = true;
            }
        }
    }
    ast_each_child(n, load_callees, user);
}

/* True if an index yields a view of an array, as far as the syntax tells. */
static bool is_view(const ast_node *index) {
    bool slice = index->kind == AST_SLICE || index->kind == AST_ELLIPSIS;
    if (index->kind == AST_TUPLE)
        for (uint32_t i = 0; i < index->tuple.items.n; i++)
            slice |= is_view(index->tuple.items.at[i]);
    return slice;
}

/* Loads o[k] before the value v of `o[k] op= v` is evaluated, if v contains calls. Returns its
 * register, or 0. */
static uint32_t old_item(compiler *c, const ast_node *n, uint32_t o, uint32_t k) {
    const ast_node *v = n->augassign.value;
    uint32_t r = temp(c), first = c->top;
    calls_in_value calls = {.c = c};
    load_callees(&calls, (ast_node *)v);
    if (calls.any) {
        bool view = is_view(n->augassign.target->index.index);
        c->at = n->augassign.target;
        emit(c, I_OLD_ITEM, r, o, k);
        emit_word(c, (ins){.a = (uint16_t)first,
                           .b = (uint16_t)(view            ? 0
                                           : calls.unknown ? OLD_ITEM_ALWAYS
                                                           : calls.n)});
    }
    c->top = calls.any ? r + 1 : r;
    return calls.any ? r : 0;
}

static void augmented(compiler *c, const ast_node *n) {
    const ast_node *t = n->augassign.target, *v = n->augassign.value;
    if (t->kind == AST_NAME && t->name.storage.kind == AST_IN_SLOT) {
        update(c, n, t->name.storage.slot, compile_any(c, v));
    } else if (t->kind == AST_NAME) {
        uint32_t r = temp(c);
        compile_into(c, t, r);
        update(c, n, r, compile_any(c, v));
        compile_store(c, t, r);
    } else if (t->kind == AST_INDEX) {
        uint32_t o = compile_any(c, t->index.object);
        uint32_t k = compile_any(c, t->index.index);
        uint32_t old = old_item(c, n, o, k);
        uint32_t r = compile_any(c, v);
        c->at = n;
        emit(c, I_UPDATE_ITEM, o, k, r);
        emit_word(c, (ins){.a = (uint16_t)n->augassign.op, .b = (uint16_t)old});
    } else {
        uint32_t o = temp(c), r = temp(c);
        compile_into(c, t->attr.object, o);
        c->at = t;
        emit(c, I_MOVE, r, o, 0);
        emit(c, I_GET_ATTR, r, r, 0);
        emit_name(c, t->attr.name);
        update(c, n, r, compile_any(c, v));
        c->at = t;
        emit(c, I_SET_ATTR, o, r, 0);
        emit_name(c, t->attr.name);
    }
}

/* ---- other statements ---- */

static void if_statement(compiler *c, const ast_node *n) {
    label other = LABEL_NEW, end = LABEL_NEW;
    compile_jump(c, n->if_.test, false, &other);
    compile_body(c, &n->if_.body);
    if (n->if_.other.n) emit_jump(c, I_JUMP, 0, &end);
    label_here(c, &other);
    compile_body(c, &n->if_.other);
    label_here(c, &end);
}

/* Evaluates decorators in order, each into the register where its call expects it: function,
 * unused, argument. */
static void open_decorators(compiler *c, const ast_list *decorators) {
    for (uint32_t i = 0; i < decorators->n; i++) {
        uint32_t r = temp(c);
        temp(c);
        compile_into(c, decorators->at[i], r);
    }
}

/* Calls the decorators, innermost first; the last result is in `base`, the register of the first
 * one. */
static void call_decorators(compiler *c, const ast_list *decorators, uint32_t base) {
    for (uint32_t i = decorators->n; i > 0; i--) {
        c->at = decorators->at[i - 1];
        emit(c, I_CALL, base + 2 * (i - 1), 1, 0);
    }
}

static void def(compiler *c, const ast_node *n) {
    uint32_t base = c->top;
    open_decorators(c, &n->def.decorators);
    compile_into(c, n->def.function, temp(c));
    call_decorators(c, &n->def.decorators, base);
    c->at = n;
    compile_store(c, n->def.target, base);
}

/* The class body is a function without parameters that returns its namespace. */
static void class_statement(compiler *c, const ast_node *n) {
    uint32_t base = c->top;
    open_decorators(c, &n->class_.decorators);
    uint32_t made = temp(c), body = temp(c);
    compile_into(c, n->class_.bases, made);
    c->at = n->class_.target;
    uint32_t inner = add_inner(c, n, n->class_.scope, n->class_.name);
    emit(c, I_FUNCTION, body, inner, 0);
    emit(c, I_CALL, body, 0, 0);
    emit(c, I_CLASS, made, made, body);
    emit_word(c, (ins){.a = (uint16_t)inner});
    call_decorators(c, &n->class_.decorators, base);
    c->at = n;
    compile_store(c, n->class_.target, base);
}

/* x: int = 3. Annotations are not evaluated; in a class their text is kept for __annotations__. */
static void annotated(compiler *c, const ast_node *n) {
    const ast_node *target = n->annassign.target;
    if (n->annassign.value)
        assign(c, &(ast_list){(ast_node *[]){n->annassign.target}, 1}, n->annassign.value);
    if (c->annotations < 0 || target->kind != AST_NAME) return;
    gpa_span at = n->annassign.annotation->span;
    const source *src = source_get(vm_sources(c->vm), at.src);
    uint32_t key = temp(c), text = temp(c);
    emit_d(c, I_CONST, key,
           add_text(c, intern_text(vm_names(c->vm), target->name.name),
                    intern_len(vm_names(c->vm), target->name.name)));
    emit_d(c, I_CONST, text, add_text(c, src->text + at.lo, at.hi - at.lo));
    emit(c, I_DICT_SET, (uint32_t)c->annotations, key, text);
}

static void assert_statement(compiler *c, const ast_node *n) {
    label fine = LABEL_NEW;
    compile_jump(c, n->assert_.test, true, &fine);
    uint32_t r = temp(c);
    if (n->assert_.message) compile_into(c, n->assert_.message, r);
    c->at = n;
    emit(c, I_FAIL_ASSERT, r, n->assert_.message != NULL, 0);
    label_here(c, &fine);
}

static void raise(compiler *c, const ast_node *n) {
    if (!n->raise_.value) {
        if (c->handling < 0) {
            emit(c, I_RERAISE_HANDLED, 0, 0, 0);
            return;
        }
        uint32_t r = temp(c);
        emit(c, I_MOVE, r, (uint32_t)c->handling, 0);
        emit(c, I_RERAISE, r, 0, 0);
        return;
    }
    uint32_t v = compile_any(c, n->raise_.value);
    uint32_t cause = n->raise_.cause ? compile_any(c, n->raise_.cause) : v;
    c->at = n;
    emit(c, I_RAISE, v, cause, n->raise_.cause != NULL);
}

static void expression_statement(compiler *c, const ast_node *n) {
    const ast_node *v = n->expr.value;
    if (v->kind == AST_STRING || v->kind == AST_INTEGER || v->kind == AST_BIG ||
        v->kind == AST_ELLIPSIS)
        return;
    if (v->kind == AST_YIELD && !v->yield_.from) {
        compile_yield(c, v);
        return;
    }
    uint32_t r = temp(c);
    compile_into(c, v, r);
    if (v->kind == AST_INDEX)
        emit(c, I_SETTLE, r, 0, 0); /* the bounds check of a subscript whose value is unused */
    else if (c->measured)
        emit(c, I_KEEP, r, 0, 0);
    emit(c, I_CLEAR, r, 0, 0);
}

static void statement(compiler *c, const ast_node *n) {
    switch ((int)n->kind) {
        case AST_EXPR: expression_statement(c, n); break;
        case AST_ASSIGN: assign(c, &n->assign.targets, n->assign.value); break;
        case AST_AUGASSIGN: augmented(c, n); break;
        case AST_ANNASSIGN: annotated(c, n); break;
        case AST_IF: if_statement(c, n); break;
        case AST_WHILE:
        case AST_FOR: loop(c, n); break;
        case AST_BREAK: loop_jump(c, true); break;
        case AST_CONTINUE: loop_jump(c, false); break;
        case AST_DEF: def(c, n); break;
        case AST_CLASS: class_statement(c, n); break;
        case AST_RETURN: return_value(c, n->return_.value); break;
        case AST_DEL:
            for (uint32_t i = 0; i < n->del.targets.n; i++) compile_delete(c, n->del.targets.at[i]);
            break;
        case AST_ASSERT: assert_statement(c, n); break;
        case AST_TRY: try_statement(c, n); break;
        case AST_RAISE: raise(c, n); break;
        case AST_WITH: with_items(c, n, 0); break;
        case AST_IMPORT: import(c, n); break;
        case AST_FROM: import_from(c, n); break;
        case AST_MAGIC: {
            uint32_t r = temp(c);
            compile_into(c, n, r);
            emit(c, I_CLEAR, r, 0, 0);
            break;
        }
        default: break; /* PASS, GLOBAL, NONLOCAL: nothing to do */
    }
}
