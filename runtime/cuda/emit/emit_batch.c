/* Arithmetic of a batch whose points share loops and random bits.
 *
 * Loop interchange: a loop with a small trip count runs around the points of an access, instead of
 * every point running its own loop, for instruction-level parallelism. `Vn[u][k]` hold values that
 * one segment of instructions computes and another one uses, `Wn[u][k]` the variables; the compiler
 * keeps both in registers.
 *
 * Sharing: a block of random bits (Philox) whose counter equals that of the previous point is not
 * computed again, nor are values that depend only on it: where a distribution takes several
 * numbers from a block, adjacent points share one. If accesses are aligned to blocks
 * (random_blocks.h), the points that share a block are known at compile time.
 *
 * Reading order: random bits, segments, em_batch_arithmetic. */
#include <stdio.h>

#include "runtime/cuda/emit/random_blocks.h"
#include "runtime/cuda/emit/emitter.h"

/* ---- random bits ---- */

enum { COUNTER = -1 }; /* in em.random_group */

/* True for a value that is uniform over the points of a batch: literals, counters of loops around
 * them, and functions of these. */
static bool is_uniform(const em *E, int32_t v) {
    const kir_ins *i = &E->f->code[v];
    if (kir_has(i->code, KI_FIXED | KI_COUNTER)) return true;
    if (!kir_has(i->code, KI_COMPUTES)) return false;
    const int32_t in[3] = {i->a, i->b, i->c};
    for (int n = 0; n < kir_arity(i); n++)
        if (!is_uniform(E, in[n])) return false;
    return true;
}

static bool is_same_block(const em *E, int32_t first, int32_t at) {
    const kir_ins *x = &E->f->code[first], *y = &E->f->code[at];
    return random_is_block(y) && y->a == x->a && y->b == x->b && y->c == x->c;
}

/* Assigns everything up to hi that is a function of the random block `first` and uniform values
 * alone to its group. */
static void mark_random_group(em *E, int32_t first, int32_t hi) {
    for (int32_t at = first; at < hi; at++) {
        const kir_ins *i = &E->f->code[at];
        const int32_t in[3] = {i->a, i->b, i->c};
        bool member = is_same_block(E, first, at), others = false;
        if (!kir_has(i->code, KI_COMPUTES) || E->random_group[at]) continue;
        for (int n = 0; n < kir_arity(i) && !member; n++) {
            bool mine = E->random_group[in[n]] == first + 1;
            others = others || (!mine && !is_uniform(E, in[n]));
        }
        for (int n = 0; n < kir_arity(i) && !others && !member; n++)
            member = E->random_group[in[n]] == first + 1;
        if (member) E->random_group[at] = first + 1;
    }
}

static bool used_outside(const em *E, int32_t v) {
    for (int32_t at = v + 1; at < (int32_t)E->f->n_code; at++) {
        const kir_ins *i = &E->f->code[at];
        int n = kir_arity(i);
        const int32_t in[3] = {i->a, i->b, i->c};
        for (int k = 0; k < n; k++)
            if (in[k] == v && E->random_group[at] != E->random_group[v]) return true;
    }
    return false;
}

/* The counter of a random block if accesses are aligned to blocks; else -1. */
static int32_t aligned_counter(const em *E, int32_t bits, unsigned *shift) {
    return E->plan->random_blocks ? random_block_counter(E->f, bits, shift) : -1;
}

/* Finds the groups of a segment and declares the values that the points of an access share. */
static void open_random_groups(em *E, int32_t lo, int32_t hi) {
    unsigned shift;
    for (int32_t at = lo; at < hi; at++) {
        const kir_ins *i = &E->f->code[at];
        bool shared = random_is_block(i) && !E->random_group[at] && !is_uniform(E, i->a) &&
                      is_uniform(E, i->b) && is_uniform(E, i->c);
        if (!shared || E->random_group[at] == COUNTER) continue;
        mark_random_group(E, at, hi);
        int32_t position = aligned_counter(E, at, &shift);
        if (position < 0)
            em_line(E, "unsigned long long at%d = 0;", (int)at);
        else if (E->random_group[position] != COUNTER)
            em_line(E, "unsigned long long first%d = 0;", (int)position);
        if (position >= 0) E->random_group[position] = COUNTER;
        for (int32_t v = at; v < hi; v++)
            if (E->random_group[v] == at + 1 && used_outside(E, v))
                em_line(E, "%s s%d = {};", em_type(E, (gpa_dtype)E->f->code[v].type), (int)v);
    }
}

/* The counter `at`, computed at the first point of an access: its low bits are k. */
static void put_counter(em *E, int32_t at) {
    E->random_group[at] = 0;
    em_line(E, "if (k == 0) {");
    E->indent++;
    em_instructions(E, at, at + 1);
    em_line(E, "first%d = v%d & ~%dULL;", (int)at, (int)at, E->plan->vec - 1);
    em_close_block(E);
    em_line(E, "const unsigned long long v%d = first%d | k;", (int)at, (int)at);
    E->random_group[at] = COUNTER;
}

void em_random_group(em *E, int32_t at, int32_t hi) {
    int32_t mine = at + 1;
    int counter = (int)E->f->code[at].a;
    unsigned shift;
    if (E->random_group[at] == COUNTER) {
        put_counter(E, at);
        return;
    }
    if (E->random_group[at] != mine) return;
    bool begins = aligned_counter(E, at, &shift) >= 0;
    if (begins)
        em_line(E, "if (k %% %d == 0) {", 1 << shift);
    else
        em_line(E, "if (k == 0 || v%d != at%d) {", counter, (int)at);
    E->indent++;
    if (!begins) em_line(E, "at%d = v%d;", (int)at, counter);
    for (int32_t v = at; v < hi; v++) {
        const kir_ins *i = &E->f->code[v];
        if (E->random_group[v] != mine && !(kir_has(i->code, KI_COMPUTES) && is_uniform(E, v)))
            continue;
        int32_t was = E->random_group[v];
        E->random_group[v] = 0; /* so that it is emitted as itself */
        em_instructions(E, v, v + 1);
        E->random_group[v] = was;
        if (was == mine && used_outside(E, v)) em_line(E, "s%d = v%d;", (int)v, (int)v);
    }
    em_close_block(E);
    for (int32_t v = at; v < hi; v++)
        if (E->random_group[v] == mine && used_outside(E, v))
            em_line(E, "const %s v%d = s%d;", em_type(E, (gpa_dtype)E->f->code[v].type), (int)v,
                    (int)v);
}

/* ---- segments: the instructions between loops ---- */

static const char *type_of(em *E, int32_t v) {
    return E->as_int32[v] ? "int" : em_type(E, (gpa_dtype)E->f->code[v].type);
}

/* True if instructions lo .. hi use value or variable v. */
static bool is_used_in(const em *E, int32_t v, int32_t lo, int32_t hi) {
    for (int32_t at = lo; at < hi; at++) {
        const kir_ins *i = &E->f->code[at];
        int n = kir_arity(i);
        const int32_t in[3] = {i->a, i->b, i->c};
        for (int k = 0; k < n; k++)
            if (in[k] == v) return true;
    }
    return false;
}

/* True if value v, of segment lo .. hi, is live outside of it. */
static bool is_live_out(const em *E, int32_t v, int32_t lo, int32_t hi) {
    const kir_ins *i = &E->f->code[v];
    if (kir_has(i->code, KI_FIXED) || !kir_has(i->code, KI_VALUE)) return false;
    return is_used_in(E, v, 0, lo) || is_used_in(E, v, hi, (int32_t)E->f->n_code);
}

static void put_segment(em *E, const em_iteration *w, int32_t lo, int32_t hi) {
    int32_t n_code = (int32_t)E->f->n_code;
    if (lo == hi) return;
    em_open_unrolled(E, "u", w->unroll);
    if (w->vec > 1) open_random_groups(E, lo, hi);
    em_open_unrolled(E, "k", w->vec);
    em_point_of_access(E, w, w->vec > 1 ? " + k" : "");
    for (int32_t v = 0; v < n_code; v++) {
        bool variable = E->f->code[v].code == KIR_VAR;
        uint8_t code = E->f->code[v].code;
        if ((v >= lo && v < hi) || kir_has(code, KI_FIXED) || !kir_has(code, KI_VALUE) ||
            !is_used_in(E, v, lo, hi))
            continue;
        if (variable)
            em_line(E, "%s w%d = W%d[u][k];", type_of(E, v), (int)v, (int)v);
        else
            em_line(E, "const %s v%d = V%d[u][k];", type_of(E, v), (int)v, (int)v);
    }
    E->segment_end = hi;
    E->access = ACCESS_BATCH;
    em_instructions(E, lo, hi);
    E->access = ACCESS_DIRECT;
    for (int32_t v = 0; v < n_code; v++) {
        if (E->f->code[v].code == KIR_VAR) {
            if ((v >= lo && v < hi) || is_used_in(E, v, lo, hi))
                em_line(E, "W%d[u][k] = w%d;", (int)v, (int)v);
        } else if (v >= lo && v < hi && is_live_out(E, v, lo, hi)) {
            em_line(E, "V%d[u][k] = v%d;", (int)v, (int)v);
        }
    }
    em_close_block(E);
    em_close_block(E);
    for (int32_t at = lo; at < hi; at++) E->random_group[at] = 0;
}

static bool is_batched_loop(const em *E, int32_t at) {
    return E->f->code[at].code == KIR_FOR && E->f->code[at].imm == KIR_SHORT_LOOP &&
           E->enclosing[at] < 0;
}

/* The end of the segment that begins at `at`. */
static int32_t segment_end_of(const em *E, int32_t at, int32_t hi) {
    while (at < hi && !is_batched_loop(E, at)) at++;
    return at;
}

static void declare_live_out(em *E, const em_iteration *w, int32_t lo, int32_t hi) {
    for (int32_t v = lo; v < hi; v++)
        if (E->f->code[v].code == KIR_VAR)
            em_line(E, "%s W%d[%d][%d];", type_of(E, v), (int)v, w->unroll, w->vec);
        else if (is_live_out(E, v, lo, hi))
            em_line(E, "%s V%d[%d][%d];", type_of(E, v), (int)v, w->unroll, w->vec);
}

bool em_batches_instructions(const em *E, const em_iteration *w) {
    bool some = false;
    if (E->f->inner || w->vec * w->unroll == 1 || E->plan->group != GROUP_NONE || em_only_slice(E))
        return false;
    for (int32_t at = w->lo; at < w->hi; at++) {
        uint8_t c = E->f->code[at].code;
        if (kir_has(c, KI_REGION) && !is_batched_loop(E, at)) return false;
        if (em_has_effect(c)) return false;
        some = some || is_batched_loop(E, at) || random_is_block(&E->f->code[at]);
    }
    return some;
}

void em_batch_arithmetic(em *E, const em_iteration *w) {
    for (int32_t at = w->lo; at < w->hi;) { /* segments and loops alternate */
        int32_t end = segment_end_of(E, at, w->hi);
        declare_live_out(E, w, at, end);
        if (end < w->hi) declare_live_out(E, w, end + 1, E->end_of[end]);
        at = end < w->hi ? E->end_of[end] + 1 : end;
    }
    for (int32_t at = w->lo; at < w->hi;) {
        int32_t end = segment_end_of(E, at, w->hi);
        put_segment(E, w, at, end);
        if (end == w->hi) break;
        em_loop(E, end);
        put_segment(E, w, end + 1, E->end_of[end]);
        em_loop_end(E, E->end_of[end]);
        at = E->end_of[end] + 1;
    }
}
