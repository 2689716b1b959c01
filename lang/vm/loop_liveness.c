/* Liveness of a loop's variables at its back edge, from one pass over the instructions.
 *
 * Reading order: instructions, the loop, what surrounds it. */
#include "lang/vm/loop_liveness.h"

#include <string.h>

#include "runtime/base/base.h"

/* ---- instructions ---- */

/* The target of a jump; NULL: it is none. */
static const ins *jump_target(const ins *i) {
    const char *layout = code_layout(i->op), *second = strchr(layout, ',');
    if (!second && layout[1] == 'j') return i + i->d;
    return second && second[1] == 'j' ? i + 1 + i[1].d : NULL;
}

const ins *loop_last(const code *c, const ins *head) {
    const ins *last = head;
    for (const ins *i = head; i < c->ins + c->n_ins; i += code_words[i->op])
        if (jump_target(i) == head) last = i;
    return last;
}

static void set(loop_dead_vars *x, unsigned reg) {
    if (reg < LOOP_LIVENESS_VARS) x->bits[reg / 64] |= UINT64_C(1) << reg % 64;
}

/* Adds the registers that an instruction reads, or writes. Those of more than its three operands
 * are temporaries. */
static void add_operands(const ins *i, bool written, loop_dead_vars *to) {
    const unsigned operand[] = {i->a, i->b, i->c};
    const char *layout = code_layout(i->op);
    for (int k = 0; k < 3 && layout[k] && layout[k] != ','; k++)
        if (written ? layout[k] == 'r' : layout[k] == 'x' || layout[k] == 'k') set(to, operand[k]);
}

/* ---- the loop ---- */

/* True if an instruction may store into an array, before which all that reads it is computed. */
static bool may_store(const ins *i) {
    switch (i->op) {
        case I_UPDATE:
        case I_UPDATE_ADD:
        case I_UPDATE_SUB:
        case I_UPDATE_MUL:
        case I_UPDATE_ITEM:
        case I_SET_ITEM:
        case I_SET_WHERE: return true;
        default: return false;
    }
}

/* The variables that the body assigns before it reads them, and before it stores or branches: jumps
 * out of the loop are no branches. */
static void find_assigned_first(const ins *head, const ins *last, loop_dead_vars *out) {
    loop_dead_vars read = {{0}};
    for (const ins *i = head; i <= last; i += code_words[i->op]) {
        loop_dead_vars now = {{0}};
        const ins *to = jump_target(i);
        add_operands(i, false, &read);
        if (may_store(i) || (to && to >= head && to <= last)) return;
        add_operands(i, true, &now);
        if (i->op == I_UNPACK)
            for (unsigned k = 0; k < i->c; k++) set(&now, i->a + k);
        for (size_t k = 0; k < COUNT_OF(out->bits); k++)
            out->bits[k] |= now.bits[k] & ~read.bits[k];
    }
}

/* ---- what surrounds it ---- */

static bool has_outer_loop(const code *c, const ins *head, const ins *last) {
    for (const ins *i = last + code_words[last->op]; i < c->ins + c->n_ins;
         i += code_words[i->op]) {
        const ins *to = jump_target(i);
        if (to && to <= head) return true;
    }
    return false;
}

void loop_find_dead(const code *c, const ins *head, loop_dead_vars *out) {
    loop_dead_vars read = {{0}};
    *out = (loop_dead_vars){{0}};
    if (c->jit || c->n_guards) return; /* a handler may read what was assigned before */
    const ins *last = loop_last(c, head), *end = c->ins + c->n_ins;
    find_assigned_first(head, last, out);
    for (const ins *i = has_outer_loop(c, head, last) ? c->ins : last + code_words[last->op];
         i < end; i += code_words[i->op])
        if (i < head || i > last) add_operands(i, false, &read);
    for (unsigned k = 0; k < LOOP_LIVENESS_VARS; k++)
        if (k >= c->n_vars) read.bits[k / 64] |= UINT64_C(1) << k % 64;
    for (size_t k = 0; k < COUNT_OF(out->bits); k++) out->bits[k] &= ~read.bits[k];
}
