/* Quotients and roots of float32 by fewer instructions, and without a branch for each.
 *
 * The compiler's own are rounded correctly for all operands, at the price of a look at each of them
 * and of a jump to another way for the large, the tiny and the special ones, which keeps the points
 * of an access from being computed side by side. Here the same steps go without a jump: `far` gets
 * its highest bit where an operand was outside of the range in which they are right, and the points
 * of an access where any was are computed again as they are written, one by one and from memory.
 * That is a second source for what is computed, so it is done where a program is built once more
 * with its numbers as literals, since it waits for instructions.
 *
 * Invariant: a quotient or a root has the same bits by every way. */
#include <stdio.h>

#include "runtime/cuda/emit/emitter.h"

static bool is_operation(const kir_func *f, int32_t at, gpa_op op) {
    return f->code[at].code == KIR_OP && f->code[at].sub == op &&
           f->code[f->code[at].a].type == DT_F32;
}

/* A number that is known now. */
static bool is_number(const em *E, int32_t v, float *out) {
    const kir_ins *i = &E->f->code[v];
    if (i->code == KIR_PARAM)
        *out = E->numbers[i->imm].F32;
    else if (i->code == KIR_CONST)
        *out = E->f->consts[i->imm].v.F32;
    else
        return false;
    return true;
}

bool em_can_be_brief(const em *E, int32_t lo, int32_t hi) {
    bool some = false;
    if (!E->numbers || E->plan->team != TEAM_NONE || E->f->flags & KIR_F_FASTMATH ||
        hi - lo > TUNE_CUDA_FAST_DIVISION_MAX_INSTRUCTIONS)
        return false;
    for (int32_t at = lo; at < hi; at++) {
        if (kir_info[E->f->code[at].code].result == 'R') return false;
        some = some || is_operation(E->f, at, OP_DIVIDE) || is_operation(E->f, at, OP_SQRT);
    }
    return some;
}

bool em_brief_op(em *E, gpa_str *out, int32_t at) {
    int a = (int)E->f->code[at].a, b = (int)E->f->code[at].b;
    float number = 0;
    if (!E->brief || !(is_operation(E->f, at, OP_DIVIDE) || is_operation(E->f, at, OP_SQRT)))
        return false;
    E->needs |= NEED_BRIEF | NEED_QUOTIENT;
    if (is_operation(E->f, at, OP_SQRT))
        str_printf(out, "g_root(v%d, far)", a);
    else if (is_number(E, b, &number))
        str_printf(out, "g_over(v%d, g_by(v%d), far)", a, b);
    else if (!is_number(E, a, &number))
        str_printf(out, "g_divide(v%d, v%d, far)", a, b);
    else if (number == 1)
        str_printf(out, "g_inverse(v%d, far)", b);
    else
        str_printf(out, "g_into(v%d, v%d, far)", a, b);
    return true;
}
