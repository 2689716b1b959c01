/* The interpreter loop: a register machine with threaded dispatch (computed goto).
 *
 * Fast paths are inline here: moves, arithmetic on ints and floats, jumps, loops over ranges and
 * lists, calls and returns. Every other instruction is a function of step.c. `f->ip` is stored
 * before anything that can fail, so that an error finds its source location. Calls of functions
 * written in the language push a frame and continue in the same loop.
 *
 * Reading order: the macros, any instruction, then calls, `leave` and `failed`. */
#include "lang/vm/generator.h"
#include "lang/vm/instance.h"
#include "lang/vm/iterate.h"
#include "lang/vm/operate.h"
#include "lang/vm/step.h"

#pragma GCC diagnostic ignored \
    "-Wpedantic" /* labels as values: each instruction dispatches the next one itself */

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

value *run_top(gpa_vm *vm) {
    for (uint32_t i = vm->depth; i > 0; i--) {
        const frame *f = &vm->frames[i - 1];
        if (!f->detached) return f->regs + f->code->n_regs;
    }
    return vm->stack;
}

frame *run_push(gpa_vm *vm, code *c, func_obj *fn, module_obj *m, value *regs) {
    frame *f = &vm->frames[vm->depth++];
    f->code = c;
    f->fn = fn;
    f->free = fn ? fn->free : NULL;
    f->module = m;
    f->regs = regs;
    f->ip = f->next = c->ins;
    f->base = f->detached = f->constructs = false;
    for (unsigned i = c->n_params; i < c->n_vars; i++) regs[i].tag = V_UNSET;
    value *to = regs + c->n_vars;
    for (unsigned i = 0; i < c->n_consts_in_frame; i++) to[i] = c->consts[i];
    return f;
}

/* Work done at loop back-edges: poll for interrupts, flush pending nodes. Loops of library modules
 * run over axes and arguments; they leave the arrays they were given pending. */
static gpa_code poll(gpa_vm *vm) {
    if (atomic_load_explicit(&vm->core.interrupted, memory_order_relaxed)) return vm_poll(vm);
    if (vm->frames[vm->depth - 1].module->hidden) return GPA_OK;
    if (rt_has_pending(vm->core.rt)) return rt_loop_edge(vm->core.rt, &vm->core.err);
    vm->maybe_pending = false;
    return GPA_OK;
}

static void drop_registers(gpa_vm *vm, const frame *f, unsigned from) {
    for (unsigned i = from; i < f->code->n_regs; i++) {
        value v = f->regs[i];
        f->regs[i].tag = V_UNSET;
        if (is_counted(v)) value_release(vm, v);
    }
}

/* Unwinds to the innermost exception handler, leaving frames on the way, down to the frame that was
 * entered from C. True when the exception was caught: the topmost frame continues at its ip. */
static bool catch_error(gpa_vm *vm) {
    bool placed = vm->tracing && vm->core.err.span.src; /* recorded by an inner frame */
    if (!vm->tracing) vm->n_trace = 0;
    vm->tracing = true;
    if (!placed) raise_locate(vm);
    if (vm->core.err.code == GPA_E_INTERRUPT)
        vm_interrupt_clear(vm); /* delivered: a handler may compute again */
    for (;;) {
        frame *f = &vm->frames[vm->depth - 1];
        const code_guard *g = code_guard_at(f->code, f->ip);
        value exc = v_unset();
        if (g) {
            vm_check_deferred(vm); /* a handler gets the first error of its block */
            raise_trace(vm, f);
            exc = raise_take(vm);
        }
        if (exc.tag != V_UNSET) {
            unsigned from = MAX(g->depth, f->code->first_temp);
            drop_registers(vm, f, from);
            f->regs[g->reg] = exc;
            f->ip = f->code->ins + g->to;
            return true;
        }
        if (!g) raise_trace(vm, f);
        if (f->detached)
            generator_fail(vm, f->generator);
        else
            drop_registers(vm, f, 0);
        vm->depth--;
        if (f->base) return false;
    }
}

/* Releases a value between two instructions, or where the difference cannot be observed: an
 * abandoned generator is ended here. */
static inline void release(gpa_vm *vm, value v) {
    if (--v.o->refs) return;
    value_destroy(vm, v);
    if (UNLIKELY(vm->abandoned)) generator_end_abandoned(vm);
}

/* Pops the topmost frame and releases its variables. */
static inline void pop_frame(gpa_vm *vm, const frame *f) {
    value *r = f->regs;
    for (unsigned i = 0, n = f->code->n_vars; i < n; i++)
        if (is_counted(r[i])) {
            value v = r[i];
            r[i].tag = V_UNSET;
            release(vm, v);
        }
    vm->depth--;
}

/* ---- the loop ---- */

/* Replaces the value of a register. */
static inline void put(gpa_vm *vm, value *r, value v) {
    if (LIKELY(!is_counted(*r))) {
        *r = v;
        return;
    }
    value old = *r;
    *r = v;
    release(vm, old);
}

static inline void end_abandoned(gpa_vm *vm) {
    if (UNLIKELY(vm->abandoned)) generator_end_abandoned(vm);
}

static inline bool both(const value *x, const value *y, value_tag t) {
    return x->tag == t && y->tag == t;
}

/* The fast paths of operators, on two ints or two floats; `op` is a constant, so that each call is
 * inlined to one operation. False: the operands are others, or the result is beyond an int64. */
static inline __attribute__((always_inline)) bool arithmetic(ast_op op, const value *x,
                                                             const value *y, value *out) {
    if (both(x, y, V_INT)) {
        long long r, i = x->i, k = y->i;
        bool over = op == AST_OP_ADD   ? __builtin_saddll_overflow(i, k, &r)
                    : op == AST_OP_SUB ? __builtin_ssubll_overflow(i, k, &r)
                                       : __builtin_smulll_overflow(i, k, &r);
        if (UNLIKELY(over)) return false;
        *out = v_int(r);
        return true;
    }
    if (!both(x, y, V_FLOAT)) return false;
    *out = v_float(op == AST_OP_ADD ? x->f + y->f : op == AST_OP_SUB ? x->f - y->f : x->f * y->f);
    return true;
}

static inline __attribute__((always_inline)) bool bitwise(ast_op op, const value *x, const value *y,
                                                          value *out) {
    if (!both(x, y, V_INT)) return false;
    *out = v_int(op == AST_OP_BITAND  ? x->i & y->i
                 : op == AST_OP_BITOR ? x->i | y->i
                                      : x->i ^ y->i);
    return true;
}

static inline __attribute__((always_inline)) bool int_compare(ast_op op, int64_t a, int64_t b) {
    switch ((int)op) {
        case AST_OP_EQ: return a == b;
        case AST_OP_NE: return a != b;
        case AST_OP_LT: return a < b;
        case AST_OP_LE: return a <= b;
        case AST_OP_GT: return a > b;
        default: return a >= b;
    }
}

static inline __attribute__((always_inline)) bool float_compare(ast_op op, double a, double b) {
    switch ((int)op) {
        case AST_OP_EQ: return a == b;
        case AST_OP_NE: return a != b;
        case AST_OP_LT: return a < b;
        case AST_OP_LE: return a <= b;
        case AST_OP_GT: return a > b;
        default: return a >= b;
    }
}

static inline __attribute__((always_inline)) bool compared(ast_op op, const value *x,
                                                           const value *y, bool *out) {
    if (LIKELY(both(x, y, V_INT)))
        *out = int_compare(op, x->i, y->i);
    else if (both(x, y, V_FLOAT))
        *out = float_compare(op, x->f, y->f);
    else
        return false;
    return true;
}

static inline __attribute__((always_inline)) bool comparison(ast_op op, const value *x,
                                                             const value *y, value *out) {
    bool answer;
    if (!compared(op, x, y, &answer)) return false;
    *out = v_bool(answer);
    return true;
}

#define DISPATCH() goto *labels[I->op]
#define GO(words) goto *labels[(I += (words))->op]
/* Loads the topmost frame into the loop's registers; execution continues at its `at` (ip or next).
 */
#define TOP(at_) (f = &vm->frames[vm->depth - 1], R = f->regs, I = f->at_)

/* The macros below stay macros: they hold labels and jump to those of the loop, and each
 * instruction has an indirect jump of its own, which branch predictors learn. */
#define JUMP(word)                                                                               \
    do {                                                                                         \
        const ins *w_ = (word);                                                                  \
        int32_t d_ = w_->d;                                                                      \
        I = w_ + d_;                                                                             \
        if (d_ <= 0 && UNLIKELY(vm->maybe_pending | atomic_load_explicit(&vm->core.interrupted,  \
                                                                         memory_order_relaxed))) \
            goto edge;                                                                           \
        DISPATCH();                                                                              \
    } while (0)
#define STEP(NAME, name, words)                          \
    L_##NAME : f->ip = I;                                \
    if (UNLIKELY(step_##name(vm, f, R, I))) goto failed; \
    end_abandoned(vm);                                   \
    GO(words);
/* An operator with a fast path; otherwise `slow` continues (binary or update). Results are locals
 * of the instruction, so that they stay in registers. */
#define OPERATOR(NAME, fast, op_, slow)          \
    L_##NAME : {                                 \
        value r;                                 \
        if (fast(op_, &R[I->b], &R[I->c], &r)) { \
            put(vm, &R[I->a], r);                \
            GO(1);                               \
        }                                        \
        op = op_;                                \
        goto slow;                               \
    }
#define COMPARE_JUMP(NAME, op_)                                                 \
    L_##NAME : {                                                                \
        bool t;                                                                 \
        if (UNLIKELY(!compared(op_, &R[I->a], &R[I->b], &t))) {                 \
            f->ip = I;                                                          \
            if (UNLIKELY(step_compare(vm, f, R, I, op_, &answer))) goto failed; \
            t = answer;                                                         \
        }                                                                       \
        if (t == (bool)I->c) JUMP(I + 1);                                       \
        GO(2);                                                                  \
    }
#define SLOW(NAME, op_)  \
    L_##NAME : op = op_; \
    goto binary;

/* failing: raise the current error at the topmost frame's instruction. */
static gpa_code loop(gpa_vm *vm, bool failing, value *out) {
    static const void *const labels[I_COUNT] = {
#define OPC(name, words, layout) [I_##name] = &&L_##name,
#include "lang/compile/opcode.def"
#undef OPC
    };
    frame *f = &vm->frames[vm->depth - 1];
    value *R = f->regs;
    const ins *I = f->next;
    ast_op op;
    size_t n, n_named;
    value *fn, *args;
    const value *names;
    value given;
    bool answer;
    if (failing) goto failed;
    DISPATCH();

    /* moving */
L_MOVE : {
    value v = R[I->b];
    if (UNLIKELY(v.tag == V_UNSET)) goto unset;
    if (is_counted(v)) v.o->refs++;
    put(vm, &R[I->a], v);
    GO(1);
}
L_TAKE : {
    value v = R[I->b];
    R[I->b].tag = V_UNSET;
    put(vm, &R[I->a], v);
    GO(1);
}
L_CONST : {
    value v = value_retain(f->code->consts[I->d]);
    put(vm, &R[I->a], v);
    GO(1);
}
L_CLEAR:
    put(vm, &R[I->a], v_unset());
    GO(1);
    STEP(KEEP, keep, 1)
L_DELETE:
    if (R[I->a].tag == V_UNSET) goto unset;
    put(vm, &R[I->a], v_unset());
    GO(1);
L_GET_GLOBAL : {
    value v = f->module->slots[I->d];
    if (UNLIKELY(v.tag == V_UNSET)) {
        v = f->module->builtins[I->d];
        if (UNLIKELY(v.tag == V_UNSET)) {
            f->ip = I;
            if (step_get_global(vm, f, R, I)) goto failed;
            GO(1);
        }
    }
    if (is_counted(v)) v.o->refs++;
    put(vm, &R[I->a], v);
    GO(1);
}
L_SET_GLOBAL : {
    if (UNLIKELY(R[I->a].tag == V_UNSET)) goto unset;
    value *slot = &f->module->slots[I->d], old = *slot;
    *slot = reg_take(f, I->a);
    if (is_counted(old)) release(vm, old);
    GO(1);
}
    STEP(GET_OWN, get_own, 2)
    STEP(DEL_GLOBAL, del_global, 1)
    STEP(NEW_CELL, new_cell, 1)
    STEP(GET_CELL, get_cell, 1)
    STEP(SET_CELL, set_cell, 1)
    STEP(DEL_CELL, del_cell, 1)
    STEP(GET_FREE, get_free, 1)
    STEP(SET_FREE, set_free, 1)
    STEP(DEL_FREE, del_free, 1)

    /* operators */
    OPERATOR(ADD, arithmetic, AST_OP_ADD, binary)
    OPERATOR(SUB, arithmetic, AST_OP_SUB, binary)
    OPERATOR(MUL, arithmetic, AST_OP_MUL, binary)
    OPERATOR(UPDATE_ADD, arithmetic, AST_OP_ADD, update)
    OPERATOR(UPDATE_SUB, arithmetic, AST_OP_SUB, update)
    OPERATOR(UPDATE_MUL, arithmetic, AST_OP_MUL, update)
L_DIV : {
    const value *x = &R[I->b], *y = &R[I->c];
    if (both(x, y, V_FLOAT) && y->f != 0) {
        double r = x->f / y->f;
        put(vm, &R[I->a], v_float(r));
        GO(1);
    }
    op = AST_OP_DIV;
    goto binary;
}
L_FLOORDIV : {
    const value *x = &R[I->b], *y = &R[I->c];
    if (both(x, y, V_INT) && y->i > 0) {
        int64_t q = x->i / y->i;
        q -= x->i % y->i < 0;
        put(vm, &R[I->a], v_int(q));
        GO(1);
    }
    op = AST_OP_FLOORDIV;
    goto binary;
}
L_MOD : {
    const value *x = &R[I->b], *y = &R[I->c];
    if (both(x, y, V_INT) && y->i > 0) {
        /* a 32-bit division has a fraction of the latency */
        int64_t m = (uint64_t)(x->i | y->i) >> 32 ? x->i % y->i
                                                  : (int64_t)((uint32_t)x->i % (uint32_t)y->i);
        m += m < 0 ? y->i : 0;
        put(vm, &R[I->a], v_int(m));
        GO(1);
    }
    op = AST_OP_MOD;
    goto binary;
}
    SLOW(POW, AST_OP_POW)
    SLOW(MATMUL, AST_OP_MATMUL)
    SLOW(LSHIFT, AST_OP_LSHIFT)
L_RSHIFT : {
    const value *x = &R[I->b], *y = &R[I->c];
    if (both(x, y, V_INT) && (uint64_t)y->i < 64) {
        int64_t r = x->i >> y->i;
        put(vm, &R[I->a], v_int(r));
        GO(1);
    }
    op = AST_OP_RSHIFT;
    goto binary;
}
    OPERATOR(BITAND, bitwise, AST_OP_BITAND, binary)
    OPERATOR(BITOR, bitwise, AST_OP_BITOR, binary)
    OPERATOR(BITXOR, bitwise, AST_OP_BITXOR, binary)
L_UPDATE:
    f->ip = I;
    if (UNLIKELY(step_update(vm, f, R, I, (ast_op)I[1].a))) goto failed;
    GO(2);
    STEP(UPDATE_ITEM, update_item, 2)
    STEP(POS, unary, 1)
L_NEG:
    if (R[I->b].tag == V_FLOAT) {
        double r = -R[I->b].f;
        put(vm, &R[I->a], v_float(r));
        GO(1);
    }
    f->ip = I;
    if (UNLIKELY(step_unary(vm, f, R, I))) goto failed;
    GO(1);
    STEP(INVERT, unary, 1)
    STEP(NOT, unary, 1)
    OPERATOR(EQ, comparison, AST_OP_EQ, binary)
    OPERATOR(NE, comparison, AST_OP_NE, binary)
    OPERATOR(LT, comparison, AST_OP_LT, binary)
    OPERATOR(LE, comparison, AST_OP_LE, binary)
    OPERATOR(GT, comparison, AST_OP_GT, binary)
    OPERATOR(GE, comparison, AST_OP_GE, binary)
    SLOW(IN, AST_OP_IN)
    SLOW(NOT_IN, AST_OP_NOT_IN)
    SLOW(IS, AST_OP_IS)
    SLOW(IS_NOT, AST_OP_IS_NOT)
binary:
    f->ip = I;
    if (UNLIKELY(step_binary(vm, f, R, I, op))) goto failed;
    GO(1);
update:
    f->ip = I;
    if (UNLIKELY(step_update(vm, f, R, I, op))) goto failed;
    GO(1);

    /* jumps */
L_JUMP:
L_LOOP:
    JUMP(I);
L_JUMP_IF:
L_JUMP_IF_NOT : {
    value v = R[I->a];
    if (LIKELY(v.tag == V_BOOL || v.tag == V_INT)) {
        answer = v.i != 0;
    } else {
        f->ip = I;
        if (UNLIKELY(step_truth(vm, f, R, I, &answer))) goto failed;
    }
    if (answer == (I->op == I_JUMP_IF)) JUMP(I);
    GO(1);
}
L_AND:
L_OR:
    f->ip = I;
    if (R[I->a].tag == V_BOOL)
        answer = R[I->a].i != 0;
    else if (UNLIKELY(value_truth(vm, R[I->a], &answer)))
        goto failed;
    if (answer == (I->op == I_OR)) JUMP(I);
    put(vm, &R[I->a], v_unset());
    GO(1);
    COMPARE_JUMP(JUMP_EQ, AST_OP_EQ)
    COMPARE_JUMP(JUMP_NE, AST_OP_NE)
    COMPARE_JUMP(JUMP_LT, AST_OP_LT)
    COMPARE_JUMP(JUMP_LE, AST_OP_LE)
    COMPARE_JUMP(JUMP_GT, AST_OP_GT)
    COMPARE_JUMP(JUMP_GE, AST_OP_GE)

    /* iteration */
    STEP(ITER, iter, 1)
L_NEXT : {
    iter_obj *it = R[I->a].iter;
    value v;
    if (it->next == iter_range_next) {
        if (it->end > 0) {
            it->end--;
            v = v_int(it->at);
            it->at = (int64_t)((uint64_t)it->at + (uint64_t)it->step);
            put(vm, &R[I->b], v);
            JUMP(I + 1);
        }
    } else if (it->next == iter_list_next) {
        const list_obj *l = it->source.list;
        if ((size_t)it->at < l->count) {
            v = value_retain(l->items[it->at++]);
            put(vm, &R[I->b], v);
            JUMP(I + 1);
        }
    } else if (it->next == generator_next) {
        generator *g = generator_of(it);
        f->ip = I;
        if (!g->done) {
            if (UNLIKELY(generator_enter(vm, g, v_none()))) goto failed;
            goto called;
        }
    } else {
        const ins *body = I + 1 + I[1].d;
        f->ip = I;
        answer = false;
        if (it->row && body->op == I_UNPACK && body->b == I->b && body->c == it->width) {
            value row[ITER_ROW];
            if (UNLIKELY(it->row(vm, it, row, &answer))) goto failed;
            for (n = 0; n < it->width && !answer; n++) put(vm, &R[body->a + n], row[n]);
            if (!answer) {
                I = body + 1;
                if (UNLIKELY(vm->maybe_pending |
                             atomic_load_explicit(&vm->core.interrupted, memory_order_relaxed)))
                    goto edge;
                DISPATCH();
            }
            put(vm, &R[I->a], v_unset());
            GO(2);
        }
        v = v_none();
        if (UNLIKELY(it->next(vm, it, &v, &answer))) goto failed;
        if (!answer) {
            put(vm, &R[I->b], v);
            JUMP(I + 1);
        }
    }
    put(vm, &R[I->a], v_unset());
    GO(2);
}
    STEP(UNPACK, unpack, 1)
    STEP(UNPACK_STAR, unpack_star, 2)

    /* containers */
    STEP(LIST, list, 1)
    STEP(TUPLE, tuple, 1)
    STEP(SET, set, 1)
    STEP(DICT, dict, 1)
    STEP(APPEND, append, 1)
    STEP(EXTEND, extend, 1)
    STEP(SET_ADD, set_add, 1)
    STEP(SET_EXTEND, set_extend, 1)
    STEP(DICT_SET, dict_set, 1)
    STEP(DICT_MERGE, dict_merge, 1)
    STEP(TO_TUPLE, to_tuple, 1)
    STEP(SLICE, slice, 1)
    STEP(STRING, string, 1)
    STEP(FORMAT, format, 2)
L_GET_ITEM : {
    const value *x = &R[I->b], *y = &R[I->c];
    if (y->tag == V_INT && x->tag == V_LIST && x->list->count > (uint64_t)y->i) {
        value v = value_retain(x->list->items[y->i]);
        reg_consume(vm, f, I->b);
        put(vm, &R[I->a], v);
        GO(1);
    }
    f->ip = I;
    if (UNLIKELY(step_get_item(vm, f, R, I))) goto failed;
    GO(1);
}
L_SET_ITEM : {
    const value *x = &R[I->a], *y = &R[I->b];
    if (y->tag == V_INT && x->tag == V_LIST && x->list->count > (uint64_t)y->i &&
        R[I->c].tag != V_UNSET) {
        value *item = &x->list->items[y->i], old = *item;
        *item = reg_take(f, I->c);
        reg_consume(vm, f, I->a);
        if (is_counted(old)) release(vm, old);
        GO(1);
    }
    f->ip = I;
    if (UNLIKELY(step_set_item(vm, f, R, I))) goto failed;
    end_abandoned(vm);
    GO(1);
}
    STEP(DEL_ITEM, del_item, 1)
    STEP(SETTLE, settle, 1)
    STEP(GET_ATTR, get_attr, 2)
    STEP(SET_ATTR, set_attr, 2)
    STEP(DEL_ATTR, del_attr, 2)

    /* calls */
L_GET_METHOD : {
    const attr_cache *known = &f->code->caches[I[1].cache];
    value v = R[I->b];
    if (v.tag == known->tag && v.tag != V_SET && !v.aux && known->row &&
        known->row->kind == NATIVE_METHOD) {
        value method = {.tag = V_NATIVE, .native = known->row};
        value self = reg_take(f, I->b);
        put(vm, &R[I->a], method);
        put(vm, &R[I->a + 1], self);
        GO(2);
    }
    if (v.tag == V_MODULE && known->owner == v.module &&
        v.module->slots[known->slot].tag != V_UNSET) {
        value member = value_retain(v.module->slots[known->slot]);
        reg_consume(vm, f, I->b);
        put(vm, &R[I->a], member);
        put(vm, &R[I->a + 1], v_unset());
        GO(2);
    }
    f->ip = I;
    if (UNLIKELY(step_get_method(vm, f, R, I))) goto failed;
    GO(2);
}
L_CALL:
    fn = &R[I->a];
    args = fn + 2;
    n = I->b;
    goto call;
L_CALL_METHOD:
    fn = &R[I->a];
    args = fn + 2;
    n = I->b;
    if (fn[1].tag != V_UNSET) {
        args--;
        n++;
    }
call:
    f->ip = I;
    f->next = I + 1;
    f->dst = I->a;
    if (LIKELY(fn->tag == V_FUNC)) {
        func_obj *g = fn->func;
        code *c = g->code;
        if (LIKELY(c->simple && c->n_params == n && c->compiled && !f->detached &&
                   args + c->n_regs < vm->stack_end && vm->depth < MAX_FRAMES &&
                   !atomic_load_explicit(&vm->core.interrupted, memory_order_relaxed))) {
            f = run_push(vm, c, g, g->module, args);
            R = args;
            I = c->ins;
            DISPATCH();
        }
    }
    if (fn->tag == V_NATIVE) {
        value result = v_none();
        if (UNLIKELY(call_native(vm, fn->native, ARGS(n, args), &result))) goto failed;
        for (size_t i = 0; i < n; i++)
            if (is_counted(args[i])) {
                value v = args[i];
                args[i].tag = V_UNSET;
                release(vm, v);
            }
        *fn = result;
        end_abandoned(vm);
        GO(1);
    }
    n_named = 0;
    names = NULL;
    goto call_slowly;
L_CALL_NAMED:
    fn = &R[I->a];
    args = fn + 2;
    n = I->b;
    n_named = I->c;
    names = f->code->consts[I[1].d].tuple->items;
    if (fn[1].tag != V_UNSET) {
        args--;
        n++;
    }
    f->ip = I;
    f->next = I + 2;
    f->dst = I->a;
call_slowly: /* recursion has no back-edges: calls poll, too */
    if (UNLIKELY(atomic_load_explicit(&vm->core.interrupted, memory_order_relaxed)) && poll(vm))
        goto failed;
    if (UNLIKELY(run_call(vm, f, fn, &(call_regs){n, n_named, args, names}, &answer))) goto failed;
    end_abandoned(vm);
    goto called;
L_CALL_SPREAD:
    f->ip = I;
    f->next = I + 1;
    f->dst = I->a;
    if (UNLIKELY(run_call_spread(vm, f, &R[I->a], &answer))) goto failed;
    end_abandoned(vm);
called:
    TOP(next);
    DISPATCH();
    STEP(ENTER_JITTED, enter_jitted, 1)
    STEP(LEAVE_JITTED, leave_jitted, 1)
    STEP(PYTHON, python, 1)
L_RETURN:
    given = R[I->a];
    if (UNLIKELY(given.tag == V_UNSET && I->a < f->code->n_vars)) goto unset;
    R[I->a].tag = V_UNSET;
returned:
    pop_frame(vm, f);
    answer = f->constructs;
    if (f->base) goto leave;
    TOP(next);
    if (UNLIKELY(answer)) {
        if (LIKELY(given.tag == V_NONE)) DISPATCH();
        instance_fail_init(vm, given);
        value_release(vm, given);
        goto failed;
    }
    reg_put(vm, &R[f->dst], given);
    DISPATCH();
    STEP(NAMESPACE, namespace, 1)
    STEP(CLASS, class, 2)
    STEP(FUNCTION, function, 1)

    /* generators */
    STEP(GENERATOR, generator, 1)
L_SUSPEND:
    f->ip = I;
    if (UNLIKELY(generator_suspend(vm, f, &given))) goto failed;
    goto returned;
L_YIELD:
    given = R[I->b];
    R[I->b].tag = V_UNSET;
yielded:
    f->generator->at = I;
    f->generator->started = true;
    f->generator->running = false;
    vm->depth--;
    if (f->base) goto leave;
    TOP(ip);
    if (I->op == I_YIELD_FROM) goto yielded;
    put(vm, &R[I->b], given);
    JUMP(I + 1);
L_YIELD_FROM:
    f->ip = I;
    if (UNLIKELY(atomic_load_explicit(&vm->core.interrupted, memory_order_relaxed)) && poll(vm))
        goto failed;
    if (generator_is(R[I->a]) && !generator_of(R[I->a].iter)->done) {
        value sent = R[I->b];
        R[I->b].tag = V_UNSET;
        if (UNLIKELY(generator_enter(vm, generator_of(R[I->a].iter),
                                     sent.tag == V_UNSET ? v_none() : sent)))
            goto failed;
        goto called;
    }
    if (generator_is(R[I->a])) {
        given = v_none();
    } else {
        if (UNLIKELY(generator_delegate(vm, R[I->a], R[I->b], &given, &answer))) goto failed;
        if (!answer) goto yielded;
    }
delegated:
    put(vm, &R[I->b], v_unset());
    put(vm, &R[I->a], given);
    GO(1);
L_FINISH:
    given = R[I->a];
    if (UNLIKELY(given.tag == V_UNSET && I->a < f->code->n_vars)) goto unset;
    R[I->a].tag = V_UNSET;
    f->ip = I;
    generator_end(vm, f->generator);
    vm->depth--;
    if (f->base) goto leave;
    TOP(ip);
    if (I->op == I_YIELD_FROM) goto delegated;
    value_release(vm, given);
    put(vm, &R[I->a], v_unset());
    GO(2);

    /* exceptions, with, imports */
    STEP(RAISE, raise, 1)
    STEP(CHECK, check, 1)
    STEP(CHECK_FOR, check_for, 1)
    STEP(RERAISE, reraise, 1)
    STEP(RERAISE_HANDLED, reraise_handled, 1)
    STEP(FAIL_ASSERT, fail_assert, 1)
L_MATCH:
    f->ip = I;
    if (UNLIKELY(step_match(vm, f, R, I, &answer))) goto failed;
    if (!answer) JUMP(I + 1);
    GO(2);
L_LIFT:
    f->ip = I;
    if (UNLIKELY(step_lift(vm, f, R, I, &answer))) goto failed;
    if (answer) JUMP(I + 1);
    GO(2);
L_LIFTED:
    if (R[I->a].tag == V_UNSET) JUMP(I + 1);
    GO(2);
    STEP(ENTER, enter, 1)
    STEP(LEAVE, leave, 1)
L_LEAVE_RAISED:
    f->ip = I;
    if (UNLIKELY(step_leave_raised(vm, f, R, I, &answer))) goto failed;
    if (answer) JUMP(I + 1);
    GO(2);
    STEP(IMPORT, import, 1)
    STEP(IMPORT_ROOT, import_root, 1)
    STEP(IMPORT_NAME, import_name, 2)
    STEP(IMPORT_ALL, import_all, 1)
    STEP(MAGIC, magic, 1)

leave: /* C entered the frame */
    *out = given;
    return GPA_OK;
edge:
    f->ip = I;
    if (UNLIKELY(poll(vm))) goto failed;
    DISPATCH();
unset:
    f->ip = I;
    step_unset(vm, f, R, I);
failed:
    if (!catch_error(vm)) return vm->core.err.code;
    end_abandoned(vm);
    TOP(ip);
    DISPATCH();
}

static gpa_code enter(gpa_vm *vm, bool failing, value *out) {
    if (vm->reentry >= MAX_REENTRY) {
        frame *f = &vm->frames[vm->depth - 1];
        drop_registers(vm, f, 0);
        vm->depth--;
        return vm_fail(vm, GPA_E_RECURSION, "maximum recursion depth exceeded");
    }
    vm->reentry++;
    gpa_code rc = loop(vm, failing, out);
    vm->reentry--;
    if (UNLIKELY(vm->abandoned) && vm->reentry == 0) generator_end_abandoned(vm);
    return rc;
}

gpa_code run(gpa_vm *vm, value *out) { return enter(vm, false, out); }
gpa_code run_failing(gpa_vm *vm, value *out) { return enter(vm, true, out); }
