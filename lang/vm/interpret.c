/* The interpreter loop: a register machine with threaded dispatch (computed goto).
 *
 * Fast paths are inline here: moves, arithmetic on ints and floats, jumps, loops over ranges and
 * lists, calls and returns. Every other instruction is a function of step.c. `f->ip` is stored
 * before anything that can fail, so that an error finds its source location. Calls of functions
 * written in the language push a frame and continue in the same loop.
 *
 * The instructions stand in interpret_*.inc, by group. Reading order: the macros, `loop`, any
 * instruction, then interpret_calls.inc, `leave` and `failed`. */
#include "lang/vm/compare.h"
#include "lang/vm/debug_hooks.h"
#include "lang/vm/generator.h"
#include "lang/vm/instance.h"
#include "lang/vm/iterate.h"
#include "lang/vm/loop.h"
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

/* Other threads ask for an interrupt or a visit. */
#define REQUESTED() atomic_load_explicit(&vm->core.requests, memory_order_relaxed)

static gpa_code attend(gpa_vm *vm) {
    vm_visit(vm);
    return vm_poll(vm);
}

/* Work done at loop back-edges: poll for interrupts and visits, flush pending nodes. Loops of
 * library modules run over axes and arguments; they leave the arrays they were given pending. */
static gpa_code poll(gpa_vm *vm) {
    gpa_code asked = UNLIKELY(REQUESTED()) ? attend(vm) : GPA_OK;
    if (asked) return asked;
    if (vm->frames[vm->depth - 1].module->library) return GPA_OK;
    if (!vm->maybe_pending) return GPA_OK;
    vm->maybe_pending = false;
    gpa_code rc = loop_edge(vm, &vm->frames[vm->depth - 1]);
    vm->maybe_pending = vm->maybe_pending || rt_has_pending(vm->core.rt);
    return rc;
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
    if (!vm->tracing) debug_error(vm);
    bool placed = vm->tracing && vm->core.err.span.src; /* recorded by an inner frame */
    if (!vm->tracing) vm->n_trace = 0;
    vm->tracing = true;
    loop_leave(vm);
    if (!placed) raise_locate(vm);
    raise_in_context(vm);
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

static inline __attribute__((always_inline)) bool compared(ast_op op, const value *x,
                                                           const value *y, bool *out) {
    if (LIKELY(both(x, y, V_INT)))
        *out = compare_ints(op, x->i, y->i);
    else if (both(x, y, V_FLOAT))
        *out = compare_floats(op, x->f, y->f);
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
#define JUMP(word)                                                           \
    do {                                                                     \
        const ins *w_ = (word);                                              \
        int32_t d_ = w_->d;                                                  \
        I = w_ + d_;                                                         \
        if (d_ <= 0 && UNLIKELY(vm->maybe_pending | REQUESTED())) goto edge; \
        DISPATCH();                                                          \
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
/* Jumps if a register's truth is `wanted`; KEEPING_JUMP leaves the value there. */
#define TRUTH_JUMP(NAME, wanted)                                         \
    L_##NAME : {                                                         \
        value v = R[I->a];                                               \
        if (LIKELY(v.tag == V_BOOL || v.tag == V_INT)) {                 \
            answer = v.i != 0;                                           \
        } else {                                                         \
            f->ip = I;                                                   \
            if (UNLIKELY(step_truth(vm, f, R, I, &answer))) goto failed; \
        }                                                                \
        if (answer == (wanted)) JUMP(I);                                 \
        GO(1);                                                           \
    }
#define KEEPING_JUMP(NAME, wanted)                        \
    L_##NAME : f->ip = I;                                 \
    if (R[I->a].tag == V_BOOL)                            \
        answer = R[I->a].i != 0;                          \
    else if (UNLIKELY(value_truth(vm, R[I->a], &answer))) \
        goto failed;                                      \
    if (answer == (wanted)) JUMP(I);                      \
    put(vm, &R[I->a], v_unset());                         \
    GO(1);
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

/* The instructions are labels of this function, not functions: f, R and I stay in registers, and
 * each dispatches the next. */
#include "lang/vm/interpret_moves.inc"
#include "lang/vm/interpret_operators.inc"
#include "lang/vm/interpret_jumps.inc"
#include "lang/vm/interpret_iteration.inc"
#include "lang/vm/interpret_containers.inc"
#include "lang/vm/interpret_calls.inc"
#include "lang/vm/interpret_generators.inc"
#include "lang/vm/interpret_exceptions.inc"

leave: /* C entered the frame */
    *out = given;
    return GPA_OK;
edge:
    f->ip = I;
    if (UNLIKELY(poll(vm))) goto failed;
    I = f->ip;
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
