/* Counted loops.
 *
 * A loop that counts by one and holds no other loop runs in stretches: the stop flag is looked at between them, so that
 * the loop itself is a plain one, which LLVM can unroll and vectorise. Before a stretch the indices it will check that
 * follow the counter (or do not change) are checked at its first and last trip; if all are inside, a copy of the loop
 * without those checks runs, else one that has them and reports the place.
 *
 * Reading order: indices known before, one copy of the loop, loops in stretches, other loops. */
#include "runtime/cpu/emitter.h"

#include "runtime/base.h"

enum { STRETCH = 1 << 14 };

/* ---- indices known before ---- */

/* How a value changes over the trips. */
typedef enum { VARIES, CONSTANT, FOLLOWS /* counter plus something constant */ } course;

static bool set_inside(const em *M, int32_t at, int32_t var) {
    for (int32_t i = at; i < M->partner[at]; i++)
        if (M->f->code[i].code == KIR_SET && M->f->code[i].a == var) return true;
    return false;
}

static course course_of(const em *M, int32_t at, int32_t v, int depth) {
    const kir_ins *i = &M->f->code[v];
    if (v == at) return FOLLOWS;
    if (v < at) return M->vals[v].v && !M->vals[v].vec ? CONSTANT : VARIES;
    if (i->code == KIR_CONST || i->code == KIR_PARAM || i->code == KIR_SIZE || i->code == KIR_STRIDE) return CONSTANT;
    if (i->code == KIR_GET) return i->a < at && !set_inside(M, at, i->a) ? CONSTANT : VARIES;
    if (i->code != KIR_OP || i->type != DT_I64 || depth == 0) return VARIES;
    bool adds = i->sub == OP_ADD, takes = i->sub == OP_SUBTRACT, multiplies = i->sub == OP_MULTIPLY;
    if (!adds && !takes && !multiplies) return VARIES;
    course a = course_of(M, at, i->a, depth - 1), b = course_of(M, at, i->b, depth - 1);
    if (a == CONSTANT && b == CONSTANT) return CONSTANT;
    if (adds && ((a == FOLLOWS && b == CONSTANT) || (a == CONSTANT && b == FOLLOWS))) return FOLLOWS;
    return takes && a == FOLLOWS && b == CONSTANT ? FOLLOWS : VARIES;
}

/* The value where the builder stands, in front of the loop, for this counter. */
static V ahead(em *M, int32_t at, int32_t v, V counter) {
    const kir_ins *i = &M->f->code[v];
    if (v == at) return counter;
    if (v < at) return M->vals[v].v;
    if (i->code == KIR_GET) return LLVMBuildLoad2(M->E.b, ll_elem(&M->E, i->type), M->vals[i->a].v, "");
    if (i->code != KIR_OP) return em_instruction(M, v).v;
    V a = ahead(M, at, i->a, counter), b = ahead(M, at, i->b, counter);
    if (i->sub == OP_ADD) return LLVMBuildAdd(M->E.b, a, b, "");
    return i->sub == OP_SUBTRACT ? LLVMBuildSub(M->E.b, a, b, "") : LLVMBuildMul(M->E.b, a, b, "");
}

static V both(em *M, V a, V b) { return a ? LLVMBuildAnd(M->E.b, a, b, "") : b; }

/* Marks the checks that can be made ahead and makes them for trips first .. last; NULL: there are none. */
static V check_ahead(em *M, int32_t at, V first, V last) {
    LLVMBuilderRef b = M->E.b;
    V all = NULL;
    for (int32_t k = at + 1; k < M->partner[at]; k++) {
        const kir_ins *i = &M->f->code[k];
        M->proven[k] = 0;
        if (i->code != KIR_BOUND || course_of(M, at, i->b, 4) != CONSTANT) continue;
        course c = course_of(M, at, i->a, 8);
        if (c == VARIES) continue;
        V n = ahead(M, at, i->b, first), lo = ahead(M, at, i->a, first);
        if (c == CONSTANT) {
            V below = LLVMBuildICmp(b, LLVMIntSLT, lo, ll_i64(&M->E, 0), "");
            lo = LLVMBuildSelect(b, below, LLVMBuildAdd(b, lo, n, ""), lo, "");
            all = both(M, all, LLVMBuildICmp(b, LLVMIntULT, lo, n, ""));
        } else {
            V hi = ahead(M, at, i->a, last);
            all = both(M, all, LLVMBuildICmp(b, LLVMIntSGE, lo, ll_i64(&M->E, 0), ""));
            all = both(M, all, LLVMBuildICmp(b, LLVMIntSLT, hi, n, ""));
        }
        M->proven[k] = c == CONSTANT ? PROVEN_WRAPS : PROVEN;
    }
    return all;
}

/* ---- one copy of the loop ---- */

static void forget_checks(em *M, int32_t at) { memset(M->proven + at, 0, (size_t)(M->partner[at] - at)); }

/* From the counter's value to before `end`, which is at least one trip; then to `after`. */
static void copy_of_loop(em *M, int32_t at, V count, V end, LLVMBasicBlockRef after) {
    LLVMBuilderRef b = M->E.b;
    LLVMBasicBlockRef body = em_block(M, "body"), next = em_block(M, "next");
    for (int32_t k = at + 1; k < M->partner[at]; k++) M->vals[k] = (ll_val){0};
    em_set_next(M, next);
    LLVMBuildBr(b, body);
    LLVMPositionBuilderAtEnd(b, body);
    V now = LLVMBuildLoad2(b, LLVMTypeOf(end), count, "");
    M->vals[at] = (ll_val){now, NULL, M->f->code[at].type, false};
    em_code(M, at + 1, M->partner[at]);
    LLVMBuildBr(b, next);
    LLVMPositionBuilderAtEnd(b, next);
    V then = LLVMBuildNSWAdd(b, now, LLVMConstInt(LLVMTypeOf(end), 1, 0), "");
    LLVMBuildStore(b, then, count);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, then, end, ""), body, after);
}

/* ---- loops in stretches ---- */

static bool is_one(const em *M, int32_t v) {
    const kir_ins *i = &M->f->code[v];
    return i->code == KIR_CONST && i->type == DT_I64 && M->f->consts[i->imm].v.I64 == 1;
}

bool em_in_stretches(const em *M, int32_t at) {
    if (!is_one(M, M->f->code[at].c)) return false;
    for (int32_t i = at + 1; i < M->partner[at]; i++)
        if (M->f->code[i].code == KIR_FOR || M->f->code[i].code == KIR_LOOP) return false;
    return true;
}

void em_stretches(em *M, int32_t at, LLVMBasicBlockRef after) {
    LLVMBuilderRef b = M->E.b;
    V from = M->vals[M->f->code[at].a].v, stop = M->vals[M->f->code[at].b].v;
    V count = ll_slot(&M->E, LLVMTypeOf(from), "count"), most = ll_i64(&M->E, STRETCH);
    LLVMBasicBlockRef head = em_block(M, "for"), stretch = em_block(M, "stretch");
    LLVMBuildStore(b, from, count);
    LLVMBuildBr(b, head);
    LLVMPositionBuilderAtEnd(b, head);
    V now = LLVMBuildLoad2(b, LLVMTypeOf(from), count, "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, now, stop, ""), stretch, after);
    LLVMPositionBuilderAtEnd(b, stretch);
    em_poll(M);
    V left = LLVMBuildSub(b, stop, now, "");
    V end = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntUGT, left, most, ""), LLVMBuildAdd(b, now, most, ""), stop, "");
    V inside = check_ahead(M, at, now, LLVMBuildSub(b, end, ll_i64(&M->E, 1), ""));
    if (inside) {
        LLVMBasicBlockRef fast = em_block(M, "unchecked"), slow = em_block(M, "checked");
        LLVMBuildCondBr(b, inside, fast, slow);
        LLVMPositionBuilderAtEnd(b, fast);
        copy_of_loop(M, at, count, end, head);
        LLVMPositionBuilderAtEnd(b, slow);
        forget_checks(M, at);
    }
    copy_of_loop(M, at, count, end, head);
    LLVMPositionBuilderAtEnd(b, after);
}
