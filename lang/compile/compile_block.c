/* Bytecode generation for statements that a jump or an exception leaves with a clean-up: loops, try
 * and with.
 *
 * break, continue, return and exceptions leave enclosing statements, each with its clean-up
 * (block.leave). The clean-up code of `try ... finally` and `with` is emitted once per exit path;
 * exception table entries (code_guard) cover the ranges between.
 *
 * Reading order: leave_blocks, then loops, try and with. */
#include "lang/compile/compile.h"

#include "lang/text/source.h"

#include "runtime/base/base.h"

/* A guard's `to` before its handler is emitted: with the block's id. */
#define PENDING 0x80000000u

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
void compile_loop(compiler *c, const ast_node *n) {
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

void compile_loop_jump(compiler *c, bool leaving) {
    block *b = c->blocks;
    while (b && !b->loop) b = b->outer;
    if (!b) return;
    block *inner = leave_blocks(c, b);
    emit_jump(c, I_JUMP, 0, leaving ? &b->brk : &b->cont);
    resume_blocks(c, inner, b);
}

void compile_return(compiler *c, const ast_node *value_node) {
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

void compile_try(compiler *c, const ast_node *n) {
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

void compile_with(compiler *c, const ast_node *n, uint32_t i) {
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
    compile_with(c, n, i + 1);
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
