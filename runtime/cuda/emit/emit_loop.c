/* Loops, blocks, jumps, and interrupt polling.
 *
 * A thread polls for an interrupt after TUNE_CUDA_POLL_INTERVAL_INSTRUCTIONS in loops, the first
 * time after fewer: a launch of many points is many waves of blocks, each of which starts anew.
 * `fuel` estimates the instructions since the last poll; loops that are short at compile time do
 * not poll. An innermost counted loop is strip-mined: strips of about one poll interval, counted by
 * an int, with a poll between them. A small body is unrolled: a main loop of
 * TUNE_CUDA_LOOP_UNROLL_FACTOR iterations and a remainder loop.
 *
 * A poll reads a copy of the flag in device memory; few blocks at the first poll, all at later
 * ones, also read the host's flag over the bus, and update the copies for the others.
 *
 * Labels: n<region> precedes the next iteration, b<region> follows the region. In the second copy
 * of a body they end in r.
 *
 * Reading order: cost of loops, jumps, polling, strip mining, other loops. */
#include <math.h>
#include <stdio.h>

#include "runtime/cuda/emit/emitter.h"

/* In the unit of estimate_work(), whose results may be INFINITY. */
#define POLL_WORK ((double)TUNE_CUDA_POLL_INTERVAL_INSTRUCTIONS)
#define SHORT_WORK ((double)TUNE_CUDA_FIRST_POLL_INSTRUCTIONS)

/* ---- cost of loops ---- */

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

static double cost_of(const kir_ins *i) {
    if (i->code == KIR_OP) return 1 + op_info[i->sub].cost;
    return kir_has(i->code, KI_OFFSET) ? 4 : 1;
}

/* Estimates the work of one iteration and of all (INFINITY if the trip count is unknown), in
 * instructions. The work of an iteration excludes inner loops that count their own. Returns the
 * loop's END. */
static int32_t estimate_work(const kir_func *f, int32_t loop, double *iteration, double *all) {
    const kir_ins *i = &f->code[loop];
    double inside = 1, whole = 1, one, many;
    int64_t a, b;
    int32_t k = loop + 1;
    for (int32_t open = 1;; k++) {
        uint8_t code = f->code[k].code;
        if (kir_has(code, KI_LOOP)) {
            k = estimate_work(f, k, &one, &many);
            inside += many <= SHORT_WORK ? many : 1;
            whole += many;
            continue;
        }
        if (code == KIR_END && !--open) break;
        open += kir_has(code, KI_REGION);
        inside += cost_of(&f->code[k]);
        whole += cost_of(&f->code[k]);
    }
    bool known = i->code == KIR_FOR && is_constant(f, i->a, &a) && is_constant(f, i->b, &b);
    *iteration = inside;
    *all = known ? whole * fabs((double)b - (double)a) : INFINITY;
    if (i->code == KIR_FOR && i->imm) *all = MIN(whole, SHORT_WORK); /* such loops do not poll */
    return k;
}

static double trip_work(const em *E, int32_t loop) {
    double iteration, all;
    estimate_work(E->f, loop, &iteration, &all);
    return MIN(iteration, POLL_WORK);
}

bool em_is_short(const kir_func *f, int32_t loop) {
    double iteration, all;
    estimate_work(f, loop, &iteration, &all);
    return all <= SHORT_WORK;
}

static int64_t short_trip_count(const em *E, int32_t loop) {
    const kir_ins *i = &E->f->code[loop];
    int64_t a, b;
    bool few = i->code == KIR_FOR && is_one(E, i->c) && is_constant(E->f, i->a, &a) &&
               is_constant(E->f, i->b, &b) && em_is_short(E->f, loop) &&
               b - a <= TUNE_CUDA_UNROLL_MAX_TRIPS;
    return few ? MAX(b - a, 0) : 0;
}

/* True if an enclosing loop counts the work of this one. */
static bool is_counted(const em *E, int32_t loop) {
    bool counted = false;
    for (int32_t r = E->enclosing[loop]; r >= 0; r = E->enclosing[r])
        counted |= kir_has(E->f->code[r].code, KI_LOOP);
    return counted;
}

/* Instructions of a loop's body with inner loops unrolled; counting stops above the limit. */
static int64_t unrolled_size(const em *E, int32_t loop) {
    int64_t n = 0;
    for (int32_t k = loop + 1; k < E->end_of[loop] && n <= TUNE_CUDA_UNROLL_MAX_INSTRUCTIONS; k++) {
        n++;
        if (E->f->code[k].code != KIR_FOR) continue;
        int64_t inside = unrolled_size(E, k), trips = short_trip_count(E, k);
        n += inside * (trips * inside <= TUNE_CUDA_UNROLL_MAX_INSTRUCTIONS ? MAX(trips, 1) : 1);
        k = E->end_of[k];
    }
    return n;
}

bool em_is_unrolled(const em *E, int32_t loop) {
    int64_t trips = short_trip_count(E, loop);
    return trips && trips * unrolled_size(E, loop) <= TUNE_CUDA_UNROLL_MAX_INSTRUCTIONS;
}

bool em_is_strip_mined(const em *E, int32_t at) {
    if (E->f->code[at].code != KIR_FOR || E->f->code[at].type != DT_I64 || em_is_short(E->f, at))
        return false;
    for (int32_t k = at + 1; k < E->end_of[at]; k++)
        if (kir_has(E->f->code[k].code, KI_LOOP)) return false;
    return true;
}

static bool has_small_body(const em *E, int32_t loop) {
    for (int32_t k = loop + 1; k < E->end_of[loop]; k++) {
        uint8_t code = E->f->code[k].code;
        if (code == KIR_BARRIER || code == KIR_WARP || code == KIR_PRINT || code == KIR_ATOMIC)
            return false;
    }
    return E->end_of[loop] - loop <= TUNE_CUDA_LOOP_UNROLL_MAX_BODY;
}

/* ---- jumps ---- */

static const char *label(const em *E, char buf[24], char what, int32_t region) {
    bool copied = E->second_copy >= 0 &&
                  (region > E->second_copy || (region == E->second_copy && what == 'n'));
    snprintf(buf, 24, "%c%d%s", what, (int)region, copied ? "r" : "");
    return buf;
}

/* The region that BREAK or NEXT refers to. */
static int32_t jump_region(const em *E, int32_t at) {
    const kir_ins *k = &E->f->code[at];
    uint32_t left = k->imm;
    for (int32_t r = E->enclosing[at]; r >= 0; r = E->enclosing[r]) {
        if (kir_counts_region(k->code, E->f->code[r].code) && left-- == 0) return r;
    }
    return 0;
}

void em_jump(em *E, int32_t at) {
    char to[24];
    em_line(E, "goto %s;",
            label(E, to, E->f->code[at].code == KIR_BREAK ? 'b' : 'n', jump_region(E, at)));
}

/* ---- polling ---- */

/* The expression that polls; `again`: the condition under which the thread has polled before. */
static const char *poll_text(em *E, char buf[200], const char *again) {
    char stop[FIELD_NAME_BYTES], record[FIELD_NAME_BYTES], told[FIELD_NAME_BYTES];
    E->needs |= NEED_FAULT_RECORD | NEED_POLL;
    snprintf(buf, 200, "g_stops(%s, %s, %s, %uu, %s)",
             em_field(E, told, FIELD_INTERRUPT_SEEN, 0, 0),
             em_field(E, stop, FIELD_INTERRUPT, 0, 0), em_field(E, record, FIELD_RECORD, 0, 0),
             (unsigned)KIR_FT_STOPPED, again);
    return buf;
}

/* ---- strip mining ---- */

/* One iteration: the counter's value, the body, the label that NEXT jumps to. */
static void put_iteration(em *E, int32_t at) {
    char next[24];
    int n = (int)at;
    if (is_one(E, E->f->code[at].c))
        em_line(E, "long long v%d; v%d = f%d + k%d;", n, n, n, n);
    else
        em_line(E,
                "long long v%d; v%d = x%d; x%d = (long long)((unsigned long long)x%d + (unsigned "
                "long long)v%d);",
                n, n, n, n, n, (int)E->f->code[at].c);
    em_instructions(E, at + 1, E->end_of[at]);
    em_line(E, "%s:;", label(E, next, 'n', at));
}

static void put_iterations(em *E, int32_t at) {
    int n = (int)at;
    int32_t before = E->second_copy;
    if (has_small_body(E, at)) {
        em_line(E, "#pragma unroll 1");
        em_line(E, "while (k%d <= m%d - %d) {", n, n, TUNE_CUDA_LOOP_UNROLL_FACTOR);
        E->indent++;
        em_line(E, "#pragma unroll");
        em_line(E, "for (int u%d = 0; u%d < %d; u%d++, k%d++) {", n, n,
                TUNE_CUDA_LOOP_UNROLL_FACTOR, n, n);
        E->indent++;
        put_iteration(E, at);
        em_close_block(E);
        em_close_block(E);
        E->second_copy = at;
    }
    if (E->second_copy == at) em_line(E, "#pragma unroll 1");
    em_line(E, "for (; k%d < m%d; k%d++) {", n, n, n);
    E->indent++;
    put_iteration(E, at);
    em_close_block(E);
    E->second_copy = before;
}

static void put_strips(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    int n = (int)at, a = (int)i->a, b = (int)i->b, c = (int)i->c;
    char poll[200], behind[24], again[40];
    bool one = is_one(E, i->c);
    double work = trip_work(E, at);
    int first = (int)(SHORT_WORK / work) + 1,
        strip = (int)MIN(POLL_WORK / work + 1, (double)TUNE_CUDA_STRIP_MAX_TRIPS);
    em_line(E, "{");
    E->indent++;
    em_line(E, "long long f%d; f%d = v%d;", n, n, a);
    em_line(E, "unsigned long long left%d; left%d = 0;", n, n);
    em_line(E, "int m%d, k%d; k%d = 0;", n, n, n);
    if (one) {
        em_line(E, "if (f%d < v%d) left%d = (unsigned long long)v%d - (unsigned long long)f%d;", n,
                b, n, b, n);
    } else { /* a step of 0 counts as 1 */
        em_line(E, "long long x%d; x%d = f%d;", n, n, n);
        em_line(E, "if (v%d < 0 ? f%d > v%d : f%d < v%d) {", c, n, b, n, b);
        em_line(
            E, "    unsigned long long by = v%d < 0 ? 0 - (unsigned long long)v%d : v%d ? v%d : 1;",
            c, c, c, c);
        em_line(E, "    left%d = (unsigned long long)v%d - (unsigned long long)f%d;", n, b, n);
        em_line(E, "    left%d = ((v%d < 0 ? 0 - left%d : left%d) - 1) / by + 1;", n, c, n, n);
        em_line(E, "}");
    }
    em_line(E, "int s%d; s%d = %d;", n, n, first);
    em_line(E, "while (left%d) {", n);
    E->indent++;
    em_line(E, "m%d = left%d > s%d ? s%d : (int)left%d; k%d = 0;", n, n, n, n, n, n);
    put_iterations(E, at);
    if (one) em_line(E, "f%d += m%d;", n, n);
    em_line(E, "left%d -= m%d;", n, n);
    snprintf(again, sizeof again, "s%d != %d", n, first);
    em_line(E, "if (left%d && %s) return;", n,
            poll_text(E, poll, E->f->form == KIR_KERNEL ? "true" : again));
    em_line(E, "s%d = %d;", n, strip);
    em_close_block(E);
    em_line(E, "%s:;", label(E, behind, 'b', at));
    if (is_counted(E, at)) em_line(E, "fuel += k%d * %uu;", n, (unsigned)work);
    em_close_block(E);
}

/* ---- other loops ---- */

static void put_for(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    const char *t = em_type(E, (gpa_dtype)i->type);
    int n = (int)at;
    em_line(E, "{");
    E->indent++;
    if (em_is_unrolled(E, at)) em_line(E, "#pragma unroll");
    if (is_one(E, i->c)) {
        em_line(E, "for (%s v%d = v%d; v%d < v%d; v%d++) {", t, n, (int)i->a, n, (int)i->b, n);
    } else if (i->imm) {
        em_line(E, "for (%s v%d = v%d; v%d %c v%d; v%d += v%d) {", t, n, (int)i->a, n,
                i->imm == KIR_SHORT_LOOP ? '<' : '>', (int)i->b, n, (int)i->c);
    } else {
        em_line(E,
                "long long f%d, e%d, d%d; bool over%d; f%d = v%d; e%d = v%d; d%d = v%d; over%d = "
                "false;",
                n, n, n, n, n, (int)i->a, n, (int)i->b, n, (int)i->c, n);
        em_line(E, "for (; !over%d && (d%d < 0 ? f%d > e%d : f%d < e%d);) {", n, n, n, n, n, n);
        em_line(E, "    %s v%d; v%d = (%s)f%d;", t, n, n, t, n);
        em_line(E,
                "    { long long next = (long long)((unsigned long long)f%d + (unsigned long "
                "long)d%d); over%d = d%d < 0 ? next > f%d : next < f%d; f%d = next; }",
                n, n, n, n, n, n, n);
    }
    E->indent++;
}

void em_loop(em *E, int32_t at) {
    uint8_t code = E->f->code[at].code;
    if (em_is_strip_mined(E, at)) {
        put_strips(E, at);
    } else if (code == KIR_FOR) {
        put_for(E, at);
    } else {
        em_line(E, code == KIR_LOOP ? "for (;;) {" : "{");
        E->indent++;
    }
}

static void put_poll(em *E, int32_t loop) {
    char poll[200];
    bool kernel = E->f->form == KIR_KERNEL;
    if (em_is_short(E->f, loop)) return;
    em_line(E, "if ((fuel += %uu) > %uu) { fuel = 0; if (%s) return;%s }",
            (unsigned)trip_work(E, loop), (unsigned)TUNE_CUDA_POLL_INTERVAL_INSTRUCTIONS,
            poll_text(E, poll, kernel ? "true" : "asked"), kernel ? "" : " asked = true;");
}

void em_loop_end(em *E, int32_t at) {
    int32_t region = (int32_t)E->f->code[at].imm;
    uint8_t code = E->f->code[region].code;
    bool loop = kir_has(code, KI_LOOP);
    char name[24];
    if (loop) {
        em_line(E, "%s:;", label(E, name, 'n', region));
        put_poll(E, region);
    }
    em_close_block(E);
    if (code == KIR_FOR) em_close_block(E);
    if (kir_has(code, KI_BREAKABLE)) em_line(E, "%s:;", label(E, name, 'b', region));
}
