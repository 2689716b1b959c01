/* Uniformity and phase analysis of KERNEL programs. See kernel_analysis.h.
 *
 * A fixed-point iteration: levels only rise, so it terminates. Reading order: regions, levels,
 * variables, phases, contexts. */
#include "runtime/cpu/emit/kernel_analysis.h"

#include "runtime/base/base.h"

/* ---- regions ---- */

static void scan_regions(const kir_func *f, kernel_plan *p) {
    int32_t around = -1;
    for (size_t i = 0; i < f->n_code; i++) {
        const kir_ins *k = &f->code[i];
        kernel_fact *x = &p->at[i];
        x->close = x->context = -1;
        x->outer = around;
        if (kir_has(k->code, KI_REGION)) around = (int32_t)i;
        if (k->code != KIR_END) continue;
        p->at[k->imm].close = (int32_t)i;
        around = p->at[k->imm].outer;
        x->outer = around;
    }
}

int32_t kernel_target(const kir_func *f, const kernel_plan *p, int32_t at) {
    const kir_ins *k = &f->code[at];
    uint32_t left = k->imm;
    for (int32_t r = p->at[at].outer; r >= 0; r = p->at[r].outer) {
        if (kir_counts_region(k->code, f->code[r].code) && left-- == 0) return r;
    }
    return -1;
}

/* ---- levels ---- */

static bool raise(uint8_t *level, uint8_t to) {
    if (*level >= to) return false;
    *level = to;
    return true;
}

static uint8_t of_value(const kernel_plan *p, int32_t v) {
    return v < 0 ? SAME_IN_BLOCK : p->at[v].level;
}

/* The highest level of an operand. */
static uint8_t most(const kir_ins *k, const kernel_plan *p) {
    int n = kir_arity(k);
    uint8_t a = of_value(p, k->a), b = n > 1 ? of_value(p, k->b) : 0,
            c = n > 2 ? of_value(p, k->c) : 0;
    return MAX(a, MAX(b, c));
}

static uint8_t own_level(const kir_func *f, const kernel_plan *p, size_t i) {
    const kir_ins *k = &f->code[i];
    switch ((int)k->code) {
        case KIR_THREAD:
            if (k->sub == KIR_TH_LANE) return SAME_NOWHERE;
            return k->sub != KIR_TH_TID ? SAME_IN_BLOCK : k->imm ? SAME_IN_ROW : SAME_NOWHERE;
        case KIR_OP:
        case KIR_CAST:
        case KIR_VAR:
        case KIR_IF:
        case KIR_BOUND:
        case KIR_FOR: return most(k, p);
        case KIR_GET: return p->at[k->a].level;
        case KIR_LOADX:
            if (f->arrays[k->sub].where == KIR_LOCAL) return SAME_NOWHERE;
            return MAX(SAME_IN_ROW, of_value(p, k->a));
        case KIR_ATOMIC:
        case KIR_WARP: return SAME_NOWHERE;
        default: return SAME_IN_BLOCK;
    }
}

/* Raises the level of loops with jumps to the highest level of the regions between the jump and
 * the loop. */
static bool raise_by_jump(const kir_func *f, kernel_plan *p, int32_t at) {
    int32_t to = kernel_target(f, p, at);
    uint8_t level = SAME_IN_BLOCK;
    bool changed = false;
    for (int32_t r = p->at[at].outer; r >= 0; r = p->at[r].outer) {
        p->at[r].jumps = true;
        if (f->code[r].code != KIR_IF) changed |= raise(&p->at[r].level, level);
        level = MAX(level, p->at[r].level);
        if (r == to) break;
    }
    return changed;
}

/* A variable is as divergent as the values stored in it, and as the branches around the stores. */
static bool raise_by_set(const kir_func *f, kernel_plan *p, int32_t at) {
    int32_t var = f->code[at].a, home = p->at[var].outer;
    uint8_t level = of_value(p, f->code[at].b);
    for (int32_t r = p->at[at].outer; r >= 0 && r != home; r = p->at[r].outer)
        level = MAX(level, p->at[r].level);
    return raise(&p->at[var].level, level);
}

static void find_levels(const kir_func *f, kernel_plan *p) {
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < f->n_code; i++) {
            uint8_t code = f->code[i].code;
            changed |= raise(&p->at[i].level, own_level(f, p, i));
            if (code == KIR_BREAK || code == KIR_NEXT) changed |= raise_by_jump(f, p, (int32_t)i);
            if (code == KIR_SET) changed |= raise_by_set(f, p, (int32_t)i);
        }
    }
}

/* ---- known ranges of integers ---- */

static bool is_positive(const kir_func *f, const kernel_plan *p, size_t i) {
    const kir_ins *k = &f->code[i];
    gpa_dtype t = (gpa_dtype)k->type;
    if (t >= DT_COUNT || !dtype_is_int(t)) return false;
    if (dtype_info[t].kind == 'U' || k->code == KIR_THREAD || k->code == KIR_SIZE ||
        k->code == KIR_BOUND)
        return true;
    if (k->code == KIR_CONST) return dtype_cast(f->consts[k->imm].v, t, DT_I64).I64 >= 0;
    if (k->code == KIR_CAST)
        return p->at[k->a].positive && dtype_size((gpa_dtype)f->code[k->a].type) < dtype_size(t);
    if (k->code == KIR_FOR) return p->at[k->a].positive && p->at[k->c].positive;
    if (k->code != KIR_OP) return false;
    bool a = p->at[k->a].positive, b = k->b >= 0 && p->at[k->b].positive;
    switch ((int)k->sub) {
        case OP_ADD:
        case OP_MULTIPLY:
        case OP_FLOOR_DIVIDE:
        case OP_MINIMUM:
        case OP_BITWISE_OR:
        case OP_RIGHT_SHIFT: return a && b;
        case OP_BITWISE_AND:
        case OP_MAXIMUM: return a || b;
        case OP_REMAINDER: return b;
        default: return false;
    }
}

/* ---- variables at block level ---- */

static bool at_block_level(const kernel_plan *p, int32_t i) {
    for (int32_t r = p->at[i].outer; r >= 0; r = p->at[r].outer)
        if (!p->at[r].syncs) return false;
    return true;
}

/* A region contains a synchronization point (`syncs`) if any instruction in it is one. */
static void mark_synchronizing_regions(const kir_func *f, kernel_plan *p) {
    for (size_t i = 0; i < f->n_code; i++)
        if (p->at[i].syncs)
            for (int32_t r = p->at[i].outer; r >= 0; r = p->at[r].outer) p->at[r].syncs = true;
}

/* Block-uniform variables that are only accessed at block level are stored once per block.
 * Others that are used in several phases are stored per thread. */
static void choose_variables(const kir_func *f, kernel_plan *p, bool *changed) {
    for (size_t v = 0; v < f->n_code; v++) {
        if (f->code[v].code != KIR_VAR || p->at[v].level != SAME_IN_BLOCK) continue;
        bool once = at_block_level(p, (int32_t)v), other_phase = false;
        for (size_t i = v; i < f->n_code; i++) {
            bool speaks = i == v || ((f->code[i].code == KIR_GET || f->code[i].code == KIR_SET) &&
                                     f->code[i].a == (int32_t)v);
            if (!speaks) continue;
            once = once && at_block_level(p, (int32_t)i);
            other_phase = other_phase || p->at[i].phase != p->at[v].phase;
        }
        if (!other_phase) continue;
        if (!once) {
            p->at[v].level = SAME_IN_ROW; /* stored per thread */
            *changed = true;
            continue;
        }
        for (size_t i = v; i < f->n_code; i++)
            if (i == v || ((f->code[i].code == KIR_GET || f->code[i].code == KIR_SET) &&
                           f->code[i].a == (int32_t)v))
                p->at[i].syncs = true;
    }
}

/* A uniform jump out of a region at block level is a real jump at block level; other jumps mask
 * threads individually. */
static void choose_branches(const kir_func *f, kernel_plan *p, bool *changed) {
    for (size_t i = 0; i < f->n_code; i++) {
        if (f->code[i].code != KIR_BREAK && f->code[i].code != KIR_NEXT) continue;
        int32_t to = kernel_target(f, p, (int32_t)i);
        if (to < 0 || !p->at[to].syncs) continue;
        bool whole = true;
        for (int32_t r = p->at[i].outer; r != to && whole; r = p->at[r].outer)
            whole = f->code[r].code == KIR_IF && p->at[r].level == SAME_IN_BLOCK;
        if (!whole || p->at[to].level != SAME_IN_BLOCK) {
            for (int32_t r = p->at[i].outer; r >= 0; r = p->at[r].outer) {
                if (p->at[r].syncs && f->code[r].code != KIR_IF)
                    *changed |= raise(&p->at[r].level, SAME_NOWHERE);
                if (r == to) break;
            }
            continue;
        }
        p->at[i].syncs = true;
        for (int32_t r = p->at[i].outer; r != to; r = p->at[r].outer) p->at[r].syncs = true;
    }
}

/* ---- phases ---- */

static void number_phases(const kir_func *f, kernel_plan *p) {
    int32_t phase = 0;
    for (size_t i = 0; i < f->n_code; i++) {
        const kir_ins *k = &f->code[i];
        bool ends = p->at[i].syncs || (k->code == KIR_END && p->at[k->imm].syncs) ||
                    (k->code == KIR_ELSE && p->at[p->at[i].outer].syncs);
        phase += ends;
        p->at[i].phase = phase;
        phase += ends;
    }
}

/* ---- contexts ---- */

static bool cheap(const kir_func *f, const kir_ins *k) {
    if (k->type >= DT_COUNT || !(dtype_is_int((gpa_dtype)k->type) || k->type == DT_BOOL))
        return false;
    if (k->code == KIR_CAST) {
        gpa_dtype from = (gpa_dtype)f->code[k->a].type;
        return dtype_is_int(from) || from == DT_BOOL;
    }
    return k->code == KIR_BOUND || (k->code == KIR_OP && op_info[k->sub].cost <= 1 &&
                                    k->sub != OP_FLOOR_DIVIDE && k->sub != OP_REMAINDER);
}

static void find_repeatable(const kir_func *f, kernel_plan *p) {
    for (size_t i = 0; i < f->n_code; i++) {
        const kir_ins *k = &f->code[i];
        kernel_fact *x = &p->at[i];
        bool pure = kir_has(k->code, KI_COMPUTES) || k->code == KIR_BOUND;
        unsigned n = k->code == KIR_OP ? op_info[k->sub].arity : k->code == KIR_BOUND ? 2 : 1;
        const int32_t args[] = {k->a, k->b, k->c};
        x->positive = is_positive(f, p, i);
        x->again = kir_has(k->code, KI_FIXED) || k->code == KIR_THREAD;
        /* Block-uniform results of synchronization points remain available. */
        bool given = x->syncs && x->level == SAME_IN_BLOCK &&
                     (k->code == KIR_BARRIER || k->code == KIR_GET || k->code == KIR_FOR);
        if (given) x->again = true;
        if (!pure || (x->level != SAME_IN_BLOCK && !cheap(f, k))) continue;
        x->again = true;
        for (unsigned a = 0; a < n; a++) x->again = x->again && p->at[args[a]].again;
    }
}

static void keep(const kir_func *f, kernel_plan *p, int32_t v) {
    if (v < 0 || p->at[v].context >= 0) return;
    p->at[v].context = (int32_t)p->contexts;
    p->contexts += dtype_is_complex((gpa_dtype)f->code[v].type) ? 2 : 1;
}

/* Allocates context slots for synchronization points: of regions the active masks, the loop
 * masks and the counters; of a warp exchange the result and the operands; of a vote the
 * predicates. */
static void allocate_sync_slots(const kir_func *f, kernel_plan *p) {
    for (size_t i = 0; i < f->n_code; i++) {
        const kir_ins *k = &f->code[i];
        uint32_t n = 0;
        if (kir_has(k->code, KI_REGION) && p->at[i].syncs && p->at[i].level != SAME_IN_BLOCK)
            n = KERNEL_REGION_PLACES;
        if (k->code == KIR_WARP) n = KERNEL_WARP_PLACES;
        if (k->code == KIR_BARRIER && k->a >= 0 && k->sub != KIR_BA_WARP) n = 1;
        if (n) p->at[i].context = (int32_t)p->contexts;
        p->contexts += n;
    }
}

static void allocate_contexts(const kir_func *f, kernel_plan *p) {
    allocate_sync_slots(f, p);
    for (size_t i = 0; i < f->n_code; i++) {
        const kir_ins *k = &f->code[i];
        const int32_t args[] = {k->a, k->b, k->c};
        for (int a = 0; a < kir_arity(k); a++) {
            int32_t v = args[a];
            bool variable = (k->code == KIR_GET || k->code == KIR_SET) && a == 0;
            if (v < 0 || p->at[v].phase == p->at[i].phase || (!variable && p->at[v].again))
                continue;
            if (variable && p->at[v].syncs) continue;
            if (kir_has(f->code[v].code, KI_REGION))
                continue; /* a loop counter: stored by its region */
            keep(f, p, v);
        }
    }
}

/* ---- all ---- */

static void find_sizes(const kir_func *f, kernel_plan *p) {
    p->widest = 4;
    for (size_t k = 0; k < f->n_arrays; k++) {
        size_t bytes =
            (f->arrays[k].count * dtype_size((gpa_dtype)f->arrays[k].dtype) + 63) / 64 * 64;
        if (f->arrays[k].where == KIR_SHARED) p->shared += bytes;
        if (f->arrays[k].where == KIR_LOCAL) p->local += bytes;
    }
    for (size_t i = 0; i < f->n_code; i++) {
        uint8_t t = f->code[i].type;
        if (t < DT_COUNT && dtype_is_float((gpa_dtype)t) && dtype_size((gpa_dtype)t) == 8)
            p->widest = 8;
        if (t == DT_C128) p->widest = 8;
    }
}

/* Values that are stored in the context are reloaded as vectors. */
static bool raise_kept(const kir_func *f, kernel_plan *p) {
    bool changed = false;
    for (size_t i = 0; i < f->n_code; i++)
        if (p->at[i].context >= 0 && kir_has(f->code[i].code, KI_VALUE) &&
            f->code[i].code != KIR_BARRIER)
            changed |= raise(&p->at[i].level, SAME_NOWHERE);
    return changed;
}

/* One iteration: levels only rise, everything else is recomputed. */
static bool analyse(const kir_func *f, kernel_plan *p) {
    bool changed = false;
    p->contexts = 0;
    scan_regions(f, p);
    for (size_t i = 0; i < f->n_code; i++) {
        p->at[i].syncs = f->code[i].code == KIR_BARRIER || f->code[i].code == KIR_WARP;
        p->at[i].again = p->at[i].positive = false;
    }
    mark_synchronizing_regions(f, p);
    find_levels(f, p);
    number_phases(f, p);
    choose_variables(f, p, &changed);
    mark_synchronizing_regions(f, p);
    if (!changed) choose_branches(f, p, &changed);
    number_phases(f, p);
    find_repeatable(f, p);
    allocate_contexts(f, p);
    return raise_kept(f, p) || changed;
}

gpa_code kernel_plan_make(const kir_func *f, kernel_plan *p, gpa_err *e) {
    *p = (kernel_plan){.at = mem_zero((f->n_code + 1) * sizeof *p->at)};
    if (!p->at) return gpa_no_memory(e);
    while (analyse(f, p)) continue;
    find_sizes(f, p);
    return GPA_OK;
}

void kernel_plan_free(kernel_plan *p) {
    mem_free(p->at);
    p->at = NULL;
}
