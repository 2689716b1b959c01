/* Branch-free float32 division and square root.
 *
 * The compiler's versions round correctly for all operands, at the price of a range test and a
 * branch to a slow path for each one (large, subnormal and special operands), which prevents
 * instruction-level parallelism across the points of an access. Here the same Newton steps run
 * without a branch: `far` gets its sign bit set if any operand was outside of the range in which
 * they are exact, and the points of such an access are computed again by the compiler's versions,
 * one by one and from memory.
 *
 * The arithmetic is thus emitted twice, so it is done in builds with literal parameters of programs
 * that are compute bound. Invariant: both paths give the same bits. */
#include <stdio.h>

#include "runtime/cuda/emit/emitter.h"

static bool is_f32_op(const kir_func *f, int32_t at, gpa_op op) {
    return f->code[at].code == KIR_OP && f->code[at].sub == op &&
           f->code[f->code[at].a].type == DT_F32;
}

/* True for a literal. */
static bool is_literal(const em *E, int32_t v, float *out) {
    const kir_ins *i = &E->f->code[v];
    if (i->code == KIR_PARAM)
        *out = E->literals[i->imm].F32;
    else if (i->code == KIR_CONST)
        *out = E->f->consts[i->imm].v.F32;
    else
        return false;
    return true;
}

bool em_can_divide_fast(const em *E, int32_t lo, int32_t hi) {
    bool some = false;
    if (!E->literals || E->plan->group != GROUP_NONE || E->f->flags & KIR_F_FASTMATH ||
        hi - lo > TUNE_CUDA_FAST_DIVISION_MAX_INSTRUCTIONS)
        return false;
    for (int32_t at = lo; at < hi; at++) {
        if (kir_has(E->f->code[at].code, KI_REGION)) return false;
        some = some || is_f32_op(E->f, at, OP_DIVIDE) || is_f32_op(E->f, at, OP_SQRT);
    }
    return some;
}

bool em_fast_division(em *E, gpa_str *out, int32_t at) {
    int a = (int)E->f->code[at].a, b = (int)E->f->code[at].b;
    float number = 0;
    if (!E->fast_division || !(is_f32_op(E->f, at, OP_DIVIDE) || is_f32_op(E->f, at, OP_SQRT)))
        return false;
    E->needs |= NEED_FAST_DIVISION | NEED_RECIPROCAL;
    if (is_f32_op(E->f, at, OP_SQRT))
        str_printf(out, "g_root(v%d, far)", a);
    else if (is_literal(E, b, &number))
        str_printf(out, "g_over(v%d, g_by(v%d), far)", a, b);
    else if (!is_literal(E, a, &number))
        str_printf(out, "g_divide(v%d, v%d, far)", a, b);
    else if (number == 1)
        str_printf(out, "g_inverse(v%d, far)", b);
    else
        str_printf(out, "g_into(v%d, v%d, far)", a, b);
    return true;
}
