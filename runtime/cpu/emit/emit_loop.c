/* Counted loops.
 *
 * A loop without inner loops is strip-mined: it runs in stretches of at most
 * TUNE_CPU_LOOP_STRETCH_TRIPS iterations. The stop flag is polled between them, so that the loop
 * itself is plain and LLVM can unroll and vectorise it. Before each stretch, the bounds checks of
 * indices that are loop-invariant or affine in the counter are hoisted: they test the first and the
 * last iteration. If all pass, a copy of the loop without those checks runs; otherwise a copy with
 * the checks runs, which reports the fault.
 *
 * Reading order: hoisted bounds checks, one copy of the loop, loops in stretches. */
#include "runtime/cpu/emit/emitter.h"

#include "runtime/base/base.h"
#include "runtime/tables/tuning.h"

/* EVEN: an index whose step per iteration is smaller than this in magnitude does not overflow an
 * int64 within a stretch. */

#define EVEN (INT64_C(1) << 48)

/* ---- hoisted bounds checks ---- */

/* How a value changes over the iterations. */
typedef enum { VARIES, CONSTANT, EVENLY /* by the same step in every iteration (affine) */ } course;

static bool set_inside(const em *M, int32_t at, int32_t var) {
    for (int32_t i = at; i < M->partner[at]; i++)
        if (M->f->code[i].code == KIR_SET && M->f->code[i].a == var) return true;
    return false;
}

static course course_of(const em *M, int32_t at, int32_t v, int depth) {
    const kir_ins *i = &M->f->code[v];
    if (v == at) return EVENLY;
    if (v < at) return M->vals[v].v && !M->vals[v].vec ? CONSTANT : VARIES;
    if (kir_has(i->code, KI_FIXED)) return CONSTANT;
    if (i->code == KIR_GET) return i->a < at && !set_inside(M, at, i->a) ? CONSTANT : VARIES;
    if (i->code != KIR_OP || i->type != DT_I64 || depth == 0) return VARIES;
    bool adds = i->sub == OP_ADD, takes = i->sub == OP_SUBTRACT, multiplies = i->sub == OP_MULTIPLY;
    if (!adds && !takes && !multiplies) return VARIES;
    course a = course_of(M, at, i->a, depth - 1), b = course_of(M, at, i->b, depth - 1);
    if (a == VARIES || b == VARIES) return VARIES;
    if (a == CONSTANT && b == CONSTANT) return CONSTANT;
    return multiplies && a == EVENLY && b == EVENLY ? VARIES : EVENLY;
}

/* The value for a given counter, emitted at the builder's position before the loop. */
static V ahead(em *M, int32_t at, int32_t v, V counter) {
    const kir_ins *i = &M->f->code[v];
    if (v == at) return counter;
    if (v < at) return M->vals[v].v;
    if (i->code == KIR_GET)
        return LLVMBuildLoad2(M->E.b, ll_elem(&M->E, i->type), M->vals[i->a].v, "");
    if (i->code != KIR_OP) return em_instruction(M, v).v;
    V a = ahead(M, at, i->a, counter), b = ahead(M, at, i->b, counter);
    if (i->sub == OP_ADD) return LLVMBuildAdd(M->E.b, a, b, "");
    return i->sub == OP_SUBTRACT ? LLVMBuildSub(M->E.b, a, b, "") : LLVMBuildMul(M->E.b, a, b, "");
}

/* The counter in the first, second and last iteration of a stretch. */
typedef struct {
    V first, second, last;
} ends;

static V both(em *M, V a, V b) { return a ? LLVMBuildAnd(M->E.b, a, b, "") : b; }

/* True if a loop-invariant index is in bounds (0 .. n), after wrapping a negative one. */
static V stays_inside(em *M, V index, V n) {
    LLVMBuilderRef b = M->E.b;
    V below = LLVMBuildICmp(b, LLVMIntSLT, index, ll_i64(&M->E, 0), "");
    index = LLVMBuildSelect(b, below, LLVMBuildAdd(b, index, n, ""), index, "");
    return LLVMBuildICmp(b, LLVMIntULT, index, n, "");
}

/* True if an affine index is in bounds over the whole stretch, without wrapping. */
static V goes_inside(em *M, int32_t at, int32_t v, const ends *x, V n) {
    LLVMBuilderRef b = M->E.b;
    V first = ahead(M, at, v, x->first),
      by = LLVMBuildSub(b, ahead(M, at, v, x->second), first, "");
    V even = LLVMBuildICmp(b, LLVMIntULT, LLVMBuildAdd(b, by, ll_i64(&M->E, EVEN), ""),
                           ll_i64(&M->E, 2 * EVEN), "");
    V all = both(M, even, LLVMBuildICmp(b, LLVMIntULT, first, n, ""));
    return both(M, all, LLVMBuildICmp(b, LLVMIntULT, ahead(M, at, v, x->last), n, ""));
}

/* Hoists and marks the bounds checks that can be made before the loop. Returns whether all pass;
 * NULL: there are none. */
static V check_ahead(em *M, int32_t at, const ends *x) {
    V all = NULL;
    for (int32_t k = at + 1; k < M->partner[at]; k++) {
        const kir_ins *i = &M->f->code[k];
        M->proven[k] = 0;
        if (i->code != KIR_BOUND || course_of(M, at, i->b, 4) != CONSTANT) continue;
        course c = course_of(M, at, i->a, 8);
        if (c == VARIES) continue;
        V n = ahead(M, at, i->b, x->first);
        if (c == CONSTANT)
            all = both(M, all, stays_inside(M, ahead(M, at, i->a, x->first), n));
        else
            all = both(M, all, goes_inside(M, at, i->a, x, n));
        M->proven[k] = c == CONSTANT ? PROVEN_WRAPS : PROVEN;
    }
    return all;
}

/* ---- one copy of the loop ---- */

static void forget_checks(em *M, int32_t at) {
    memset(M->proven + at, 0, (size_t)(M->partner[at] - at));
}

/* A stretch: the counter starts at `from` and advances by `by`; the trip count is at least one. */
typedef struct {
    V from, by, trips;
    bool one; /* `by` is the constant 1 */
} stretch;

/* Emits the loop of one stretch, which exits to `after`. */
static void copy_of_loop(em *M, int32_t at, const stretch *x, LLVMBasicBlockRef after) {
    LLVMBuilderRef b = M->E.b;
    LLVMBasicBlockRef body = em_block(M, "body"), next = em_block(M, "next");
    V trip = ll_slot(&M->E, LLVMTypeOf(x->from), "trip");
    for (int32_t k = at + 1; k < M->partner[at]; k++) M->vals[k] = (ll_val){0};
    em_set_next(M, next);
    LLVMBuildStore(b, ll_i64(&M->E, 0), trip);
    LLVMBuildBr(b, body);
    LLVMPositionBuilderAtEnd(b, body);
    V t = LLVMBuildLoad2(b, LLVMTypeOf(x->from), trip, "");
    V now = x->one ? LLVMBuildNSWAdd(b, x->from, t, "")
                   : LLVMBuildAdd(b, x->from, LLVMBuildMul(b, t, x->by, ""), "");
    M->vals[at] = (ll_val){now, NULL, M->f->code[at].type, false};
    em_code(M, at + 1, M->partner[at]);
    LLVMBuildBr(b, next);
    LLVMPositionBuilderAtEnd(b, next);
    V then = LLVMBuildNSWAdd(b, t, ll_i64(&M->E, 1), "");
    LLVMBuildStore(b, then, trip);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, then, x->trips, ""), body, after);
}

/* ---- loops in stretches ---- */

static bool is_one(const em *M, int32_t v) {
    const kir_ins *i = &M->f->code[v];
    return i->code == KIR_CONST && i->type == DT_I64 && M->f->consts[i->imm].v.I64 == 1;
}

bool em_in_stretches(const em *M, int32_t at) {
    if (M->f->code[at].type != DT_I64) return false;
    for (int32_t i = at + 1; i < M->partner[at]; i++)
        if (kir_has(M->f->code[i].code, KI_LOOP)) return false;
    return true;
}

/* The remaining trip count, at least one, unsigned. A step of 0 counts as 1. */
static V trips_left(em *M, const stretch *x, V down, V stop) {
    LLVMBuilderRef b = M->E.b;
    V up = LLVMBuildSub(b, stop, x->from, "");
    if (x->one) return up;
    V zero = ll_i64(&M->E, 0), one = ll_i64(&M->E, 1);
    V far = LLVMBuildSelect(b, down, LLVMBuildNeg(b, up, ""), up, ""),
      by = LLVMBuildSelect(b, down, LLVMBuildNeg(b, x->by, ""), x->by, "");
    by = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, by, zero, ""), one, by, "");
    return LLVMBuildAdd(b, LLVMBuildUDiv(b, LLVMBuildSub(b, far, one, ""), by, ""), one, "");
}

void em_stretches(em *M, int32_t at, LLVMBasicBlockRef after) {
    LLVMBuilderRef b = M->E.b;
    V from = M->vals[M->f->code[at].a].v, stop = M->vals[M->f->code[at].b].v;
    stretch x = {.by = M->vals[M->f->code[at].c].v, .one = is_one(M, M->f->code[at].c)};
    V count = ll_slot(&M->E, LLVMTypeOf(from), "count"),
      most = ll_i64(&M->E, TUNE_CPU_LOOP_STRETCH_TRIPS), one = ll_i64(&M->E, 1);
    LLVMBasicBlockRef head = em_block(M, "stretch"), more = em_block(M, "more");
    LLVMBuildStore(b, from, count);
    V down = LLVMBuildICmp(b, LLVMIntSLT, x.by, ll_i64(&M->E, 0), "");
    V any = LLVMBuildSelect(b, down, LLVMBuildICmp(b, LLVMIntSGT, from, stop, ""),
                            LLVMBuildICmp(b, LLVMIntSLT, from, stop, ""), "");
    LLVMBuildCondBr(b, any, head, after);
    LLVMPositionBuilderAtEnd(b, head);
    x.from = LLVMBuildLoad2(b, LLVMTypeOf(from), count, "");
    V left = trips_left(M, &x, down, stop), full = LLVMBuildICmp(b, LLVMIntUGT, left, most, "");
    x.trips = LLVMBuildSelect(b, full, most, left, "");
    em_poll(M);
    V further = LLVMBuildMul(b, LLVMBuildSub(b, x.trips, one, ""), x.by, "");
    ends e = {x.from, LLVMBuildAdd(b, x.from, x.by, ""), LLVMBuildAdd(b, x.from, further, "")};
    V inside = check_ahead(M, at, &e);
    if (inside) {
        LLVMBasicBlockRef fast = em_block(M, "unchecked"), slow = em_block(M, "checked");
        LLVMBuildCondBr(b, inside, fast, slow);
        LLVMPositionBuilderAtEnd(b, fast);
        copy_of_loop(M, at, &x, more);
        LLVMPositionBuilderAtEnd(b, slow);
        forget_checks(M, at);
    }
    copy_of_loop(M, at, &x, more);
    LLVMPositionBuilderAtEnd(b, more);
    LLVMBuildStore(b, LLVMBuildAdd(b, e.last, x.by, ""), count);
    LLVMBuildCondBr(b, full, head, after);
    LLVMPositionBuilderAtEnd(b, after);
}
