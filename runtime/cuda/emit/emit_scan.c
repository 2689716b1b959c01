/* Prefix sums (parallel scans), in place or tiled.
 *
 * In place: the lanes of a block take adjacent points, in step. Tiled: a lane scans whole accesses
 * in registers, warps scan the lanes' totals (Kogge-Stone), and one exchange through shared memory
 * per tile gives every access its exclusive prefix. A row that is split among blocks is read twice
 * (reduce-then-scan): the total of each part, then the parts themselves, each of which adds the
 * totals before it. No block waits for another one, and the order of combination is fixed.
 *
 * Reading order: in place, tiles. */
#include <stdio.h>

#include "runtime/cuda/emit/emitter.h"

/* ---- in place ---- */

void em_start_scan(em *E, int32_t at) { em_line(E, "g_state%d r%d = {};", (int)at, (int)at); }

static void scan_thread(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    int n = (int)at;
    em_line(E, "const %s v%d = c == first ? v%d : %s(g_join%d(r%d, v%d));",
            em_type(E, (gpa_dtype)i->type), n, (int)i->a, em_round(E, (gpa_dtype)i->type), n, n,
            (int)i->a);
    em_line(E, "r%d = v%d;", n, n);
}

/* Over the lanes of a block, in order. */
static void scan_block(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    int n = (int)at;
    E->needs |= NEED_SHUFFLE;
    em_line(E, "__shared__ g_state%d s%d[32];", n, n);
    em_line(E, "g_state%d t%d = v%d;", n, n, (int)i->a);
    em_line(E,
            "for (int d = 1; d < 32; d <<= 1) { const g_state%d o = g_shfl_up(t%d, d, 32, "
            "0xffffffffu); if (lane %% 32 >= d) t%d = g_join%d(o, t%d); }",
            n, n, n, n, n);
    em_line(E, "__syncthreads();");
    em_line(E, "if (lane %% 32 == 31) s%d[lane / 32] = t%d;", n, n);
    em_line(E, "__syncthreads();");
    em_line(E, "{");
    em_line(E, "    g_state%d before = r%d; bool some = base != first;", n, n);
    em_line(E,
            "    for (unsigned w = 0; w < lane / 32; w++) { before = some ? g_join%d(before, "
            "s%d[w]) : s%d[w]; some = true; }",
            n, n, n);
    em_line(E, "    if (some) t%d = g_join%d(before, t%d);", n, n, n);
    em_line(E, "    before = r%d; some = base != first;", n);
    em_line(E,
            "    for (unsigned w = 0; w < lanes / 32; w++) { before = some ? g_join%d(before, "
            "s%d[w]) : s%d[w]; some = true; }",
            n, n, n);
    em_line(E, "    r%d = before;", n);
    em_line(E, "}");
    em_line(E, "const %s v%d = %s(t%d);", em_type(E, (gpa_dtype)i->type), n,
            em_round(E, (gpa_dtype)i->type), n);
}

/* ---- tiles ---- */

bool em_has_scan(const em *E, int32_t each) {
    for (int32_t i = each + 1; i < E->end_of[each]; i++)
        if (E->f->code[i].code == KIR_SCAN) return true;
    return false;
}

static void each_scan(em *E, int32_t each, void (*fn)(em *, int32_t)) {
    for (int32_t i = each + 1; i < E->end_of[each]; i++)
        if (E->f->code[i].code == KIR_SCAN) fn(E, i);
}

static void declare_tile(em *E, int32_t at) {
    em_line(E, "__shared__ g_state%d s%d[%d];", (int)at, (int)at,
            2 * E->plan->unroll * TUNE_CUDA_SCAN_MAX_WARPS);
}

/* In tiles every lane has points of its own: stores need no guard. */
static const char *open_tiles(em *E) {
    const char *guard = E->guard;
    em_line(E, "for (%s c0 = first; c0 < end; c0 += lanes * %d) {", em_count_type(E),
            E->plan->unroll);
    E->indent++;
    E->in_region = true;
    E->guard = NULL;
    return guard;
}

static void close_tiles(em *E, const char *guard) {
    E->in_region = false;
    E->guard = guard;
    E->pass = PASS_POINT;
    em_close_block(E);
}

em_iteration em_iterate_tiles(const em *E, int32_t each) {
    em_iteration w = em_iterate_over(E, E->f->inner);
    w.lo = each + 1, w.hi = E->end_of[each];
    w.access = "c0 + u * lanes + lane", w.limit = "end";
    return w;
}

/* Reduces all points from `first` to `end` into states r. */
static void total_tiles(em *E, const em_iteration *w) {
    const char *guard = open_tiles(E);
    E->pass = PASS_TOTAL;
    em_batch_load(E, w);
    em_batch_compute(E, w);
    close_tiles(E, guard);
}

void em_scan_totals(em *E, int32_t each) {
    em_iteration w = em_iterate_tiles(E, each);
    each_scan(E, each, declare_tile);
    each_scan(E, each, em_start_state);
    total_tiles(E, &w);
    each_scan(E, each, em_join_block);
    em_line(E, "if (%s) {", em_leader(E));
    E->indent++;
    each_scan(E, each, em_put_partial);
    em_close_block(E);
    em_line(E, "return;");
}

/* Sets state r to the exclusive prefix of this block's part. */
static void sum_earlier_parts(em *E, int32_t at) {
    em_start_state(E, at);
    em_join_partials(E, at, "blockIdx.y");
    em_join_block(E, at);
}

static void declare_local(em *E, int32_t at) {
    em_line(E, "g_state%d t%d[%d][%d] = {};", (int)at, (int)at, E->plan->unroll, E->plan->vec);
}

/* Scans the lanes of each warp over the totals of their accesses (in t); publishes the warps'
 * totals in shared memory. */
static void publish_warp_totals(em *E, int32_t at) {
    int n = (int)at;
    E->needs |= NEED_SHUFFLE;
    em_line(E, "g_state%d p%d[%d];", n, n, E->plan->unroll);
    em_open_unrolled(E, "u", E->plan->unroll);
    em_line(E, "g_state%d e = t%d[u][%d];", n, n, E->plan->vec - 1);
    em_line(E,
            "for (int d = 1; d < 32; d <<= 1) { const g_state%d o = g_shfl_up(e, d, 32, "
            "0xffffffffu); if (lane %% 32 >= d) e = g_join%d(o, e); }",
            n, n);
    em_line(E, "if (lane %% 32 == 31) s%d[half + u * (lanes / 32) + lane / 32] = e;", n);
    em_line(E, "p%d[u] = g_shfl_up(e, 1, 32, 0xffffffffu);", n);
    em_close_block(E);
}

/* Sets p to the exclusive prefix of each access of this lane, and r to that of the next tile. */
static void add_prefixes(em *E, int32_t at) {
    int n = (int)at;
    em_line(E, "{");
    E->indent++;
    em_line(E, "bool got = some;");
    em_open_unrolled(E, "u", E->plan->unroll);
    em_line(E, "g_state%d before = r%d; bool any = got;", n, n);
    em_line(E, "for (unsigned w = 0; w < lanes / 32; w++) {");
    em_line(E, "    if (w == lane / 32) before = r%d, any = got;", n);
    em_line(E, "    const g_state%d x = s%d[half + u * (lanes / 32) + w];", n, n);
    em_line(E, "    r%d = got ? g_join%d(r%d, x) : x; got = true;", n, n, n);
    em_line(E, "}");
    em_line(E, "p%d[u] = lane %% 32 == 0 ? before : any ? g_join%d(before, p%d[u]) : p%d[u];", n, n,
            n, n);
    em_close_block(E);
    em_close_block(E);
}

/* Scans the points from `first` to `end`; states r hold the exclusive prefix, `before` tells if
 * there is one. */
static void scan_points(em *E, int32_t each, const char *before) {
    em_iteration w = em_iterate_tiles(E, each);
    em_line(E, "bool some = %s; /* is there anything before the tile */", before);
    em_line(E, "unsigned half = 0; /* of s, that is written: the other one may still be read */");
    const char *guard = open_tiles(E);
    em_batch_load(E, &w);
    each_scan(E, each, declare_local);
    E->pass = PASS_LOCAL;
    em_batch_compute(E, &w);
    each_scan(E, each, publish_warp_totals);
    em_line(E, "__syncthreads();");
    each_scan(E, each, add_prefixes);
    E->pass = PASS_FINAL;
    em_batch_compute(E, &w);
    em_line(E, "some = true; half = %d - half;", E->plan->unroll * TUNE_CUDA_SCAN_MAX_WARPS);
    close_tiles(E, guard);
}

void em_scan_tiles(em *E, int32_t each) {
    bool split = E->plan->phase != PHASE_ALL;
    each_scan(E, each, declare_tile);
    each_scan(E, each, split ? sum_earlier_parts : em_start_scan);
    if (split) em_line(E, "__syncthreads();");
    scan_points(E, each, split ? "blockIdx.y != 0" : "false");
}

void em_scan(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    int n = (int)at, a = (int)i->a;
    switch (E->pass) {
        case PASS_POINT:
            if (E->plan->group == GROUP_THREAD)
                scan_thread(E, at);
            else
                scan_block(E, at);
            break;
        case PASS_TOTAL: em_line(E, "if (k < lim[u]) r%d = g_join%d(r%d, v%d);", n, n, n, a); break;
        case PASS_LOCAL:
            em_line(E, "t%d[u][k] = k ? g_join%d(t%d[u][k ? k - 1 : 0], v%d) : v%d;", n, n, n, a,
                    a);
            break;
        case PASS_FINAL: /* only the very first access has no prefix */
            em_line(
                E,
                "const %s v%d = %s(some || u || lane ? g_join%d(p%d[u], t%d[u][k]) : t%d[u][k]);",
                em_type(E, (gpa_dtype)i->type), n, em_round(E, (gpa_dtype)i->type), n, n, n, n);
            break;
        case PASS_MASK:
            em_line(E, "%sm%d[u] |= (unsigned)(v%d != 0) << k;", E->full ? "" : "if (k < lim[u]) ",
                    n, a);
            break;
        case PASS_STAGE: break; /* elements are staged in order */
        case PASS_STORE:
            em_line(E, "const %s v%d = r%d + i + 1;", em_type(E, (gpa_dtype)i->type), n, n);
            break;
    }
}
