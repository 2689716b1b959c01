/* Loops, blocks and the ways out of them.
 *
 * A counted loop that holds no other runs in stretches of so many trips, which a narrow counter counts; the stop flag is looked
 * at between them, early for the first time: a launch of many points is many waves, each of which begins anew. A small body is written twice: four trips at a time, where a trip finds what the one before has computed
 * and no counter is compared, and for the trips that are left.
 *
 * Labels: n<region> is where the next trip begins, b<region> what comes behind. In the second copy of a body they end in r.
 *
 * Reading order: what a loop is like, ways out, stretches, other loops. */
#include <stdio.h>

#include "runtime/cuda/emitter.h"

/* SHORT: loops of so few trips end without being asked to. FIRST: the first stretch. MOST_UNROLLED: instructions of all trips.
 * SMALL: of a body. */
enum { SHORT = EM_UNASKED, FEW = 32, FIRST = EM_UNASKED, MOST_UNROLLED = 2048, STRETCH = EM_STRETCH, SMALL = 40, COPIES = 4 };

/* ---- what a loop is like ---- */

static bool is_constant(const kir_func *f, int32_t v, int64_t *out) {
    const kir_ins *k = &f->code[v];
    if (k->code != KIR_CONST || !dtype_is_int((gpa_dtype)k->type)) return false;
    *out = dtype_cast(f->consts[k->imm].v, (gpa_dtype)k->type, DT_I64).I64;
    return true;
}

static bool is_one(const em *E, int32_t v) {
    int64_t n;
    return is_constant(E->f, v, &n) && n == 1;
}

bool em_is_short(const kir_func *f, int32_t loop) {
    const kir_ins *i = &f->code[loop];
    int64_t a, b;
    return i->code == KIR_FOR && is_constant(f, i->a, &a) && is_constant(f, i->b, &b) && b > a - SHORT && b < a + SHORT;
}

static int64_t few_trips(const em *E, int32_t loop) {
    const kir_ins *i = &E->f->code[loop];
    int64_t a, b;
    bool few = i->code == KIR_FOR && is_one(E, i->c) && is_constant(E->f, i->a, &a) && is_constant(E->f, i->b, &b) && em_is_short(E->f, loop) && b - a <= FEW;
    return few ? MAX(b - a, 0) : 0;
}

/* Instructions of a loop's body with the loops in it unrolled; no more are counted than matter. */
static int64_t unrolled_size(const em *E, int32_t loop) {
    int64_t n = 0;
    for (int32_t k = loop + 1; k < E->close[loop] && n <= MOST_UNROLLED; k++) {
        n++;
        if (E->f->code[k].code != KIR_FOR) continue;
        int64_t inside = unrolled_size(E, k), trips = few_trips(E, k);
        n += inside * (trips * inside <= MOST_UNROLLED ? MAX(trips, 1) : 1);
        k = E->close[k];
    }
    return n;
}

bool em_is_unrolled(const em *E, int32_t loop) {
    int64_t trips = few_trips(E, loop);
    return trips && trips * unrolled_size(E, loop) <= MOST_UNROLLED;
}

bool em_in_stretches(const em *E, int32_t at) {
    if (E->f->code[at].code != KIR_FOR || E->f->code[at].type != DT_I64 || em_is_short(E->f, at)) return false;
    for (int32_t k = at + 1; k < E->close[at]; k++)
        if (E->f->code[k].code == KIR_FOR || E->f->code[k].code == KIR_LOOP) return false;
    return true;
}

static bool is_small(const em *E, int32_t loop) {
    for (int32_t k = loop + 1; k < E->close[loop]; k++) {
        uint8_t code = E->f->code[k].code;
        if (code == KIR_BARRIER || code == KIR_WARP || code == KIR_PRINT || code == KIR_ATOMIC) return false;
    }
    return E->close[loop] - loop <= SMALL;
}

/* ---- ways out ---- */

static const char *label(const em *E, char buf[24], char what, int32_t region) {
    bool copied = E->again >= 0 && (region > E->again || (region == E->again && what == 'n'));
    snprintf(buf, 24, "%c%d%s", what, (int)region, copied ? "r" : "");
    return buf;
}

/* The region that BREAK or NEXT speaks of. */
static int32_t jump_region(const em *E, int32_t at) {
    const kir_ins *k = &E->f->code[at];
    uint32_t left = k->imm;
    for (int32_t r = E->outer[at]; r >= 0; r = E->outer[r]) {
        uint8_t code = E->f->code[r].code;
        bool counts = code == KIR_LOOP || code == KIR_FOR || (code == KIR_BLOCK && k->code == KIR_BREAK);
        if (counts && left-- == 0) return r;
    }
    return 0;
}

void em_jump(em *E, int32_t at) {
    char to[24];
    em_line(E, "goto %s;", label(E, to, E->f->code[at].code == KIR_BREAK ? 'b' : 'n', jump_region(E, at)));
}

/* What the code that found the interrupt flag set does: the results are none. */
static void put_stopped(em *E, const char *when) {
    char stop[NAME_ROOM], record[NAME_ROOM];
    E->needs |= NEED_RECORD;
    em_field(E, record, FIELD_RECORD, 0, 0);
    em_line(E, "if (%s && *%s) { %s->kind = %uu; %s->set = 1u; return; }", when, em_field(E, stop, FIELD_STOP, 0, 0), record,
            (unsigned)KIR_FT_STOPPED, record);
}

/* ---- stretches ---- */

/* A trip: the counter's value, the body, the place that NEXT goes to. */
static void put_trip(em *E, int32_t at) {
    char next[24];
    int n = (int)at;
    if (is_one(E, E->f->code[at].c)) em_line(E, "long long v%d; v%d = f%d + k%d;", n, n, n, n);
    else em_line(E, "long long v%d; v%d = x%d; x%d = (long long)((unsigned long long)x%d + (unsigned long long)v%d);", n, n, n, n, n, (int)E->f->code[at].c);
    em_steps(E, at + 1, E->close[at]);
    em_line(E, "%s:;", label(E, next, 'n', at));
}

static void put_trips(em *E, int32_t at) {
    int n = (int)at;
    int32_t before = E->again;
    if (is_small(E, at)) {
        em_line(E, "#pragma unroll 1");
        em_line(E, "while (k%d <= m%d - %d) {", n, n, COPIES);
        E->depth++;
        em_line(E, "#pragma unroll");
        em_line(E, "for (int u%d = 0; u%d < %d; u%d++, k%d++) {", n, n, COPIES, n, n);
        E->depth++;
        put_trip(E, at);
        em_close_block(E);
        em_close_block(E);
        E->again = at;
    }
    if (E->again == at) em_line(E, "#pragma unroll 1");
    em_line(E, "for (; k%d < m%d; k%d++) {", n, n, n);
    E->depth++;
    put_trip(E, at);
    em_close_block(E);
    E->again = before;
}

static void put_stretches(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    int n = (int)at, a = (int)i->a, b = (int)i->b, c = (int)i->c;
    char more[24], behind[24];
    bool one = is_one(E, i->c);
    em_line(E, "{");
    E->depth++;
    em_line(E, "long long f%d; f%d = v%d;", n, n, a);
    em_line(E, "unsigned long long left%d; left%d = 0;", n, n);
    if (one) {
        em_line(E, "if (f%d < v%d) left%d = (unsigned long long)v%d - (unsigned long long)f%d;", n, b, n, b, n);
    } else { /* a step of 0 is taken for one of 1 */
        em_line(E, "long long x%d; x%d = f%d;", n, n, n);
        em_line(E, "if (v%d < 0 ? f%d > v%d : f%d < v%d) {", c, n, b, n, b);
        em_line(E, "    unsigned long long by = v%d < 0 ? 0 - (unsigned long long)v%d : v%d ? v%d : 1;", c, c, c, c);
        em_line(E, "    left%d = (unsigned long long)v%d - (unsigned long long)f%d;", n, b, n);
        em_line(E, "    left%d = ((v%d < 0 ? 0 - left%d : left%d) - 1) / by + 1;", n, c, n, n);
        em_line(E, "}");
    }
    em_line(E, "int s%d; s%d = %d;", n, n, FIRST);
    em_line(E, "while (left%d) {", n);
    E->depth++;
    em_line(E, "int m%d, k%d; m%d = left%d > s%d ? s%d : (int)left%d; k%d = 0; s%d = %d;", n, n, n, n, n, n, n, n, n, STRETCH);
    put_trips(E, at);
    if (one) em_line(E, "f%d += m%d;", n, n);
    em_line(E, "left%d -= m%d;", n, n);
    snprintf(more, sizeof more, "left%d", n);
    put_stopped(E, more);
    em_close_block(E);
    em_close_block(E);
    em_line(E, "%s:;", label(E, behind, 'b', at));
}

/* ---- other loops ---- */

static void put_for(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    const char *t = em_type(E, (gpa_dtype)i->type);
    int n = (int)at;
    em_line(E, "{");
    E->depth++;
    if (em_is_unrolled(E, at)) em_line(E, "#pragma unroll");
    if (!em_is_short(E->f, at)) em_line(E, "bool far%d; far%d = (unsigned long long)v%d - (unsigned long long)v%d + %dULL > %dULL;", n, n, (int)i->b, (int)i->a, SHORT, 2 * SHORT);
    if (is_one(E, i->c)) {
        em_line(E, "for (%s v%d = v%d; v%d < v%d; v%d++) {", t, n, (int)i->a, n, (int)i->b, n);
    } else {
        em_line(E, "long long f%d, e%d, d%d; bool over%d; f%d = v%d; e%d = v%d; d%d = v%d; over%d = false;", n, n, n, n, n, (int)i->a, n, (int)i->b, n, (int)i->c, n);
        em_line(E, "for (; !over%d && (d%d < 0 ? f%d > e%d : f%d < e%d);) {", n, n, n, n, n, n);
        em_line(E, "    %s v%d; v%d = (%s)f%d;", t, n, n, t, n);
        em_line(E, "    { long long next = (long long)((unsigned long long)f%d + (unsigned long long)d%d); over%d = d%d < 0 ? next > f%d : next < f%d; f%d = next; }", n, n, n, n, n, n, n);
    }
    E->depth++;
}

void em_loop(em *E, int32_t at) {
    uint8_t code = E->f->code[at].code;
    if (em_in_stretches(E, at)) {
        put_stretches(E, at);
    } else if (code == KIR_FOR) {
        put_for(E, at);
    } else {
        em_line(E, code == KIR_LOOP ? "for (;;) {" : "{");
        E->depth++;
    }
}

static void put_poll(em *E, int32_t loop) {
    char when[64], far[32] = "";
    if (em_is_short(E->f, loop)) return;
    if (E->f->code[loop].code == KIR_FOR) snprintf(far, sizeof far, "far%d && ", (int)loop);
    snprintf(when, sizeof when, "%s(++fuel & %uu) == 0", far, EM_STRETCH - 1u);
    put_stopped(E, when);
}

void em_loop_end(em *E, int32_t at) {
    int32_t region = (int32_t)E->f->code[at].imm;
    uint8_t code = E->f->code[region].code;
    bool loop = code == KIR_FOR || code == KIR_LOOP;
    char name[24];
    if (loop) {
        em_line(E, "%s:;", label(E, name, 'n', region));
        put_poll(E, region);
    }
    em_close_block(E);
    if (code == KIR_FOR) em_close_block(E);
    if (loop || code == KIR_BLOCK) em_line(E, "%s:;", label(E, name, 'b', region));
}
