/* The arithmetic of an access of several points.
 *
 * A loop of few trips goes around the points of an access, not each point through its own loop:
 * `Vn[u][k]` hold what a stretch of instructions computed and another one needs, `Wn[u][k]` the
 * variables; the compiler keeps both in registers. And random bits whose counter is that of the
 * point before are not made again, nor is anything that is computed of them alone: neighbours share
 * a block of bits, half each, where the law divides its position by two. Where accesses begin with
 * a block (random_blocks.h) it is known when compiling which points those are, and which part of
 * the block each of them takes.
 *
 * Reading order: random bits, stretches, em_batch_arithmetic. */
#include <stdio.h>

#include "runtime/cuda/emit/random_blocks.h"
#include "runtime/cuda/emit/emitter.h"

/* ---- random bits ---- */

static bool is_fixed(uint8_t code) {
    return code == KIR_CONST || code == KIR_PARAM || code == KIR_SIZE || code == KIR_STRIDE;
}

static bool computes(const kir_ins *i) { return i->code == KIR_OP || i->code == KIR_CAST; }

enum { POSITION = -1 }; /* in em.group */

static int arity(const kir_ins *i) { return i->code == KIR_OP ? op_info[i->sub].arity : 1; }

/* The same for all points: numbers, counters of loops around them, and what is computed of those.
 */
static bool is_same(const em *E, int32_t v) {
    const kir_ins *i = &E->f->code[v];
    if (is_fixed(i->code) || i->code == KIR_FOR) return true;
    if (!computes(i)) return false;
    const int32_t in[3] = {i->a, i->b, i->c};
    for (int n = 0; n < arity(i); n++)
        if (!is_same(E, in[n])) return false;
    return true;
}

static bool of_group(const em *E, int32_t first, int32_t at) {
    const kir_ins *x = &E->f->code[first], *y = &E->f->code[at];
    return bits_are(y) && y->a == x->a && y->b == x->b && y->c == x->c;
}

/* Marks what is computed of the bits of instruction `first` alone, up to hi, with its number. */
static void mark_group(em *E, int32_t first, int32_t hi) {
    for (int32_t at = first; at < hi; at++) {
        const kir_ins *i = &E->f->code[at];
        const int32_t in[3] = {i->a, i->b, i->c};
        bool member = of_group(E, first, at), others = false;
        if (!computes(i) || E->group[at]) continue;
        for (int n = 0; n < arity(i) && !member; n++) {
            bool mine = E->group[in[n]] == first + 1;
            others = others || (!mine && !is_same(E, in[n]));
        }
        for (int n = 0; n < arity(i) && !others && !member; n++)
            member = E->group[in[n]] == first + 1;
        if (member) E->group[at] = first + 1;
    }
}

static bool used_outside(const em *E, int32_t v) {
    for (int32_t at = v + 1; at < (int32_t)E->f->n_code; at++) {
        const kir_ins *i = &E->f->code[at];
        int n = i->code == KIR_OP ? arity(i) : kir_info[i->code].args;
        const int32_t in[3] = {i->a, i->b, i->c};
        for (int k = 0; k < n; k++)
            if (in[k] == v && E->group[at] != E->group[v]) return true;
    }
    return false;
}

/* bits_position, where accesses begin with a block; else -1. */
static int32_t position_of(const em *E, int32_t bits, unsigned *shift) {
    return E->plan->blocks ? bits_position(E->f, bits, shift) : -1;
}

/* Finds the groups of a stretch and declares what the points of an access share. */
static void open_groups(em *E, int32_t lo, int32_t hi) {
    unsigned shift;
    for (int32_t at = lo; at < hi; at++) {
        const kir_ins *i = &E->f->code[at];
        bool shared = bits_are(i) && !E->group[at] && !is_same(E, i->a) && is_same(E, i->b) &&
                      is_same(E, i->c);
        if (!shared || E->group[at] == POSITION) continue;
        mark_group(E, at, hi);
        int32_t position = position_of(E, at, &shift);
        if (position < 0)
            em_line(E, "unsigned long long at%d = 0;", (int)at);
        else if (E->group[position] != POSITION)
            em_line(E, "unsigned long long first%d = 0;", (int)position);
        if (position >= 0) E->group[position] = POSITION;
        for (int32_t v = at; v < hi; v++)
            if (E->group[v] == at + 1 && used_outside(E, v))
                em_line(E, "%s s%d = {};", em_type(E, (gpa_dtype)E->f->code[v].type), (int)v);
    }
}

/* Position `at`, whose lowest bits are those of k. */
static void put_position(em *E, int32_t at) {
    E->group[at] = 0;
    em_line(E, "if (k == 0) {");
    E->depth++;
    em_steps(E, at, at + 1);
    em_line(E, "first%d = v%d & ~%dULL;", (int)at, (int)at, E->plan->vec - 1);
    em_close_block(E);
    em_line(E, "const unsigned long long v%d = first%d | k;", (int)at, (int)at);
    E->group[at] = POSITION;
}

void em_group(em *E, int32_t at, int32_t hi) {
    int32_t mine = at + 1;
    int counter = (int)E->f->code[at].a;
    unsigned shift;
    if (E->group[at] == POSITION) {
        put_position(E, at);
        return;
    }
    if (E->group[at] != mine) return;
    bool begins = position_of(E, at, &shift) >= 0;
    if (begins)
        em_line(E, "if (k %% %d == 0) {", 1 << shift);
    else
        em_line(E, "if (k == 0 || v%d != at%d) {", counter, (int)at);
    E->depth++;
    if (!begins) em_line(E, "at%d = v%d;", (int)at, counter);
    for (int32_t v = at; v < hi; v++) {
        const kir_ins *i = &E->f->code[v];
        if (E->group[v] != mine && !(computes(i) && is_same(E, v))) continue;
        int32_t was = E->group[v];
        E->group[v] = 0; /* now it is written */
        em_steps(E, v, v + 1);
        E->group[v] = was;
        if (was == mine && used_outside(E, v)) em_line(E, "s%d = v%d;", (int)v, (int)v);
    }
    em_close_block(E);
    for (int32_t v = at; v < hi; v++)
        if (E->group[v] == mine && used_outside(E, v))
            em_line(E, "const %s v%d = s%d;", em_type(E, (gpa_dtype)E->f->code[v].type), (int)v,
                    (int)v);
}

/* ---- stretches ---- */

static const char *type_of(em *E, int32_t v) {
    return E->narrow[v] ? "int" : em_type(E, (gpa_dtype)E->f->code[v].type);
}

/* Whether instructions lo .. hi look at value or variable v. */
static bool looks_at(const em *E, int32_t v, int32_t lo, int32_t hi) {
    for (int32_t at = lo; at < hi; at++) {
        const kir_ins *i = &E->f->code[at];
        int n = i->code == KIR_OP ? arity(i) : kir_info[i->code].args;
        const int32_t in[3] = {i->a, i->b, i->c};
        for (int k = 0; k < n; k++)
            if (in[k] == v) return true;
    }
    return false;
}

/* What one stretch makes and others need. */
static bool crosses(const em *E, int32_t v, int32_t lo, int32_t hi) {
    const kir_ins *i = &E->f->code[v];
    if (is_fixed(i->code) || kir_info[i->code].result != 'Y') return false;
    return looks_at(E, v, 0, lo) || looks_at(E, v, hi, (int32_t)E->f->n_code);
}

static void put_stretch(em *E, const cu_walk *w, int32_t lo, int32_t hi) {
    int32_t n_code = (int32_t)E->f->n_code;
    if (lo == hi) return;
    em_open_unrolled(E, "u", w->unroll);
    if (w->vec > 1) open_groups(E, lo, hi);
    em_open_unrolled(E, "k", w->vec);
    em_point_of_access(E, w, w->vec > 1 ? " + k" : "");
    for (int32_t v = 0; v < n_code; v++) {
        bool variable = E->f->code[v].code == KIR_VAR;
        if ((v >= lo && v < hi) || is_fixed(E->f->code[v].code) ||
            kir_info[E->f->code[v].code].result != 'Y' || !looks_at(E, v, lo, hi))
            continue;
        if (variable)
            em_line(E, "%s w%d = W%d[u][k];", type_of(E, v), (int)v, (int)v);
        else
            em_line(E, "const %s v%d = V%d[u][k];", type_of(E, v), (int)v, (int)v);
    }
    E->share_end = hi;
    E->access = ACCESS_BATCH;
    em_steps(E, lo, hi);
    E->access = ACCESS_DIRECT;
    for (int32_t v = 0; v < n_code; v++) {
        if (E->f->code[v].code == KIR_VAR) {
            if ((v >= lo && v < hi) || looks_at(E, v, lo, hi))
                em_line(E, "W%d[u][k] = w%d;", (int)v, (int)v);
        } else if (v >= lo && v < hi && crosses(E, v, lo, hi)) {
            em_line(E, "V%d[u][k] = v%d;", (int)v, (int)v);
        }
    }
    em_close_block(E);
    em_close_block(E);
    for (int32_t at = lo; at < hi; at++) E->group[at] = 0;
}

static bool is_few(const em *E, int32_t at) {
    return E->f->code[at].code == KIR_FOR && E->f->code[at].imm == KIR_SHORT_LOOP && E->outer[at] < 0;
}

/* The end of the stretch that begins at `at`. */
static int32_t stretch_end(const em *E, int32_t at, int32_t hi) {
    while (at < hi && !is_few(E, at)) at++;
    return at;
}

static void declare_crossing(em *E, const cu_walk *w, int32_t lo, int32_t hi) {
    for (int32_t v = lo; v < hi; v++)
        if (E->f->code[v].code == KIR_VAR)
            em_line(E, "%s W%d[%d][%d];", type_of(E, v), (int)v, w->unroll, w->vec);
        else if (crosses(E, v, lo, hi))
            em_line(E, "%s V%d[%d][%d];", type_of(E, v), (int)v, w->unroll, w->vec);
}

bool em_shares(const em *E, const cu_walk *w) {
    bool some = false;
    if (E->f->inner || w->vec * w->unroll == 1 || E->plan->team != TEAM_NONE || em_only_slice(E))
        return false;
    for (int32_t at = w->lo; at < w->hi; at++) {
        uint8_t c = E->f->code[at].code;
        if (kir_info[c].result == 'R' && !is_few(E, at)) return false;
        if (c == KIR_LOADX || c == KIR_STOREX || c == KIR_ATOMIC || c == KIR_BOUND ||
            c == KIR_PRINT || c == KIR_FAULT)
            return false;
        some = some || is_few(E, at) || bits_are(&E->f->code[at]);
    }
    return some;
}

void em_batch_arithmetic(em *E, const cu_walk *w) {
    for (int32_t at = w->lo; at < w->hi;) { /* stretches and loops in turn */
        int32_t end = stretch_end(E, at, w->hi);
        declare_crossing(E, w, at, end);
        if (end < w->hi) declare_crossing(E, w, end + 1, E->close[end]);
        at = end < w->hi ? E->close[end] + 1 : end;
    }
    for (int32_t at = w->lo; at < w->hi;) {
        int32_t end = stretch_end(E, at, w->hi);
        put_stretch(E, w, at, end);
        if (end == w->hi) break;
        em_loop(E, end);
        put_stretch(E, w, end + 1, E->close[end]);
        em_loop_end(E, E->close[end]);
        at = E->close[end] + 1;
    }
}
