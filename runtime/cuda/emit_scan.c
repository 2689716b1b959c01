/* Running reductions.
 *
 * In place: the lanes of a block take neighbouring points, and every step of their loop waits for all of them. By tiles: a
 * lane takes whole accesses, scans them in registers, warps scan the lanes' totals, and one exchange through shared memory
 * for each tile gives every access what is before it. A row that is divided among blocks is read twice: first each part's
 * total, then the parts themselves, each of which joins the totals before it. Nothing waits for another block, and the
 * order of joining is always the same.
 *
 * In a chain: where states join exactly in any order, each tile is read once. A warp has neighbouring accesses. A tile publishes its
 * total, and then its total with all before it; a tile that needs what is before it looks back over the totals to the
 * nearest such sum. Blocks begin in their order, so those before it are under way. A word holds half of its bits of a state
 * beside a mark of what it is, so that it is read in one piece.
 *
 * Reading order: in place, tiles, chains. */
#include <stdio.h>

#include "runtime/cuda/emitter.h"

/* ---- in place ---- */

void em_start_scan(em *E, int32_t at) { em_line(E, "g_state%d r%d = {};", (int)at, (int)at); }

static void scan_thread(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    int n = (int)at;
    em_line(E, "const %s v%d = c == first ? v%d : %s(g_join%d(r%d, v%d));", em_type(E, (gpa_dtype)i->type), n, (int)i->a,
            em_round(E, (gpa_dtype)i->type), n, n, (int)i->a);
    em_line(E, "r%d = v%d;", n, n);
}

/* Over the lanes of a block in order. */
static void scan_block(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    int n = (int)at;
    E->needs |= NEED_SHUFFLE;
    em_line(E, "__shared__ g_state%d s%d[32];", n, n);
    em_line(E, "g_state%d t%d = v%d;", n, n, (int)i->a);
    em_line(E, "for (int d = 1; d < 32; d <<= 1) { const g_state%d o = g_shfl_up(t%d, d, 32, 0xffffffffu); if (lane %% 32 >= d) t%d = g_join%d(o, t%d); }", n, n, n, n, n);
    em_line(E, "__syncthreads();");
    em_line(E, "if (lane %% 32 == 31) s%d[lane / 32] = t%d;", n, n);
    em_line(E, "__syncthreads();");
    em_line(E, "{");
    em_line(E, "    g_state%d before = r%d; bool some = base != first;", n, n);
    em_line(E, "    for (unsigned w = 0; w < lane / 32; w++) { before = some ? g_join%d(before, s%d[w]) : s%d[w]; some = true; }", n, n, n);
    em_line(E, "    if (some) t%d = g_join%d(before, t%d);", n, n, n);
    em_line(E, "    before = r%d; some = base != first;", n);
    em_line(E, "    for (unsigned w = 0; w < lanes / 32; w++) { before = some ? g_join%d(before, s%d[w]) : s%d[w]; some = true; }", n, n, n);
    em_line(E, "    r%d = before;", n);
    em_line(E, "}");
    em_line(E, "const %s v%d = %s(t%d);", em_type(E, (gpa_dtype)i->type), n, em_round(E, (gpa_dtype)i->type), n);
}

/* ---- tiles ---- */

bool em_has_scan(const em *E, int32_t each) {
    for (int32_t i = each + 1; i < E->close[each]; i++)
        if (E->f->code[i].code == KIR_SCAN) return true;
    return false;
}

static void each_scan(em *E, int32_t each, void (*fn)(em *, int32_t)) {
    for (int32_t i = each + 1; i < E->close[each]; i++)
        if (E->f->code[i].code == KIR_SCAN) fn(E, i);
}

static void share_tile(em *E, int32_t at) {
    em_line(E, "__shared__ g_state%d s%d[%d];", (int)at, (int)at, 2 * E->plan->unroll * SCAN_WARPS);
}

/* Within tiles every lane has points of its own to act for. */
static const char *open_tiles(em *E) {
    const char *guard = E->guard;
    em_line(E, "for (%s c0 = first; c0 < end; c0 += lanes * %d) {", em_count_type(E), E->plan->unroll);
    E->depth++;
    E->in_each = true;
    E->guard = NULL;
    return guard;
}

static void close_tiles(em *E, const char *guard) {
    E->in_each = false;
    E->guard = guard;
    E->scan = SCAN_PLACE;
    em_close_block(E);
}

static cu_walk walk_tiles(em *E, int32_t each) {
    cu_walk w = em_walk_over(E, E->f->inner);
    w.lo = each + 1, w.hi = E->close[each];
    w.chunk = "c0 + u * lanes + lane", w.end = "end";
    return w;
}

void em_scan_totals(em *E, int32_t each) {
    cu_walk w = walk_tiles(E, each);
    each_scan(E, each, share_tile);
    each_scan(E, each, em_start_state);
    const char *guard = open_tiles(E);
    E->scan = SCAN_TOTAL;
    em_batch_load(E, &w);
    em_batch_compute(E, &w);
    close_tiles(E, guard);
    each_scan(E, each, em_join_block);
    em_line(E, "if (%s) {", em_leader(E));
    E->depth++;
    each_scan(E, each, em_put_partial);
    em_close_block(E);
    em_line(E, "return;");
}

/* State r becomes what is before this block's part. */
static void take_totals(em *E, int32_t at) {
    char scratch[NAME_ROOM], outer[NAME_ROOM];
    int n = (int)at;
    em_start_state(E, at);
    em_line(E, "for (unsigned p = lane; p < blockIdx.y; p += lanes) r%d = g_join%d(r%d, %s[(size_t)p * %s + row]);", n, n, n,
            em_field(E, scratch, FIELD_SCRATCH, (unsigned)at, 0), em_field(E, outer, FIELD_OUTER, 0, 0));
    em_join_block(E, at);
}

static void declare_local(em *E, int32_t at) {
    em_line(E, "g_state%d t%d[%d][%d] = {};", (int)at, (int)at, E->plan->unroll, E->plan->vec);
}

/* The scans within accesses (t) become scans of the warps' lanes; the warps' totals are shared. */
static void share_warps(em *E, int32_t at) {
    int n = (int)at;
    E->needs |= NEED_SHUFFLE;
    em_line(E, "g_state%d p%d[%d];", n, n, E->plan->unroll);
    em_open_unrolled(E, "u", E->plan->unroll);
    em_line(E, "g_state%d e = t%d[u][%d];", n, n, E->plan->vec - 1);
    em_line(E, "for (int d = 1; d < 32; d <<= 1) { const g_state%d o = g_shfl_up(e, d, 32, 0xffffffffu); if (lane %% 32 >= d) e = g_join%d(o, e); }", n, n);
    em_line(E, "if (lane %% 32 == 31) s%d[turn + u * (lanes / 32) + lane / 32] = e;", n);
    em_line(E, "p%d[u] = g_shfl_up(e, 1, 32, 0xffffffffu);", n);
    em_close_block(E);
}

/* p becomes what is before each access of this lane, r what is before the next tile. */
static void take_warps(em *E, int32_t at) {
    int n = (int)at;
    em_line(E, "{");
    E->depth++;
    em_line(E, "bool got = some;");
    em_open_unrolled(E, "u", E->plan->unroll);
    em_line(E, "g_state%d before = r%d; bool any = got;", n, n);
    em_line(E, "for (unsigned w = 0; w < lanes / 32; w++) {");
    em_line(E, "    if (w == lane / 32) before = r%d, any = got;", n);
    em_line(E, "    const g_state%d x = s%d[turn + u * (lanes / 32) + w];", n, n);
    em_line(E, "    r%d = got ? g_join%d(r%d, x) : x; got = true;", n, n, n);
    em_line(E, "}");
    em_line(E, "p%d[u] = lane %% 32 == 0 ? before : any ? g_join%d(before, p%d[u]) : p%d[u];", n, n, n, n);
    em_close_block(E);
    em_close_block(E);
}

void em_scan_tiles(em *E, int32_t each) {
    cu_walk w = walk_tiles(E, each);
    bool divided = E->plan->part != PLAN_WHOLE;
    each_scan(E, each, share_tile);
    each_scan(E, each, divided ? take_totals : em_start_scan);
    if (divided) em_line(E, "__syncthreads();");
    em_line(E, "bool some = %s; /* is there anything before the tile */", divided ? "blockIdx.y != 0" : "false");
    em_line(E, "unsigned turn = 0; /* the half of s that is written: the other one may still be read */");
    const char *guard = open_tiles(E);
    em_batch_load(E, &w);
    each_scan(E, each, declare_local);
    E->scan = SCAN_LOCAL;
    em_batch_compute(E, &w);
    each_scan(E, each, share_warps);
    em_line(E, "__syncthreads();");
    each_scan(E, each, take_warps);
    E->scan = SCAN_FINAL;
    em_batch_compute(E, &w);
    em_line(E, "some = true; turn = %d - turn;", E->plan->unroll * SCAN_WARPS);
    close_tiles(E, guard);
}

/* ---- chains ---- */

void em_scan_take_tile(em *E, const char *chunks) {
    const char *t = em_count_type(E);
    char chain[NAME_ROOM], outer[NAME_ROOM];
    int words = (int)emit_chain_words(E->f), size = 32 * SCAN_WARPS * E->plan->unroll;
    em_line(E, "const unsigned tiles = (%s + %d) / %d, tile = blockIdx.x / %s;", chunks, size - 1, size, em_field(E, outer, FIELD_OUTER, 0, 0));
    em_line(E, "volatile unsigned long long *const chain = %s + (size_t)row * tiles * %d;", em_field(E, chain, FIELD_CHAIN, 0, 0), words);
    em_line(E, "const %s first = (%s)tile * %d;", t, t, size);
    em_line(E, "%s end = first + %d < %s ? first + %d : %s;", t, size, chunks, size, chunks);
}

/* What counts is how many of some bits are true. */
static bool counts_bits(const em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at], *a = &E->f->code[i->a];
    return i->sub == RED_SUM && E->plan->vec == 1 && a->code == KIR_CAST && E->f->code[a->a].type == DT_BOOL;
}

/* p[u] becomes what is before access u within the warp, own what all of them come to. */
static void scan_warp(em *E, int32_t at) {
    int n = (int)at;
    em_line(E, "g_state%d p%d[%d], own%d = start%d;", n, n, E->plan->unroll, n, n);
    em_open_unrolled(E, "u", E->plan->unroll);
    if (counts_bits(E, at)) {
        em_line(E, "const unsigned set = __ballot_sync(0xffffffffu, t%d[u][0] != 0);", n);
        em_line(E, "p%d[u] = own%d + __popc(set & ((1u << lane %% 32) - 1));", n, n);
        em_line(E, "own%d += __popc(set);", n);
    } else {
        E->needs |= NEED_SHUFFLE;
        em_line(E, "g_state%d e = t%d[u][%d];", n, n, E->plan->vec - 1);
        em_line(E, "for (int d = 1; d < 32; d <<= 1) { const g_state%d o = g_shfl_up(e, d, 32, 0xffffffffu); if (lane %% 32 >= d) e = g_join%d(o, e); }", n, n);
        em_line(E, "const g_state%d left = g_shfl_up(e, 1, 32, 0xffffffffu);", n);
        em_line(E, "p%d[u] = lane %% 32 ? g_join%d(own%d, left) : own%d;", n, n, n, n);
        em_line(E, "own%d = g_join%d(own%d, g_shfl(e, 31, 32, 0xffffffffu));", n, n, n);
    }
    em_close_block(E);
}

/* Publishes a state of this tile: marked 1 its total, 2 with all before it. */
static void put_link(em *E, const char *state, const char *mark) {
    int words = (int)emit_chain_words(E->f);
    for (int w = 0; w < words; w++)
        em_line(E, "chain[tile * %d + %d] = %s | (unsigned long long)(unsigned)(%s >> %d) << 32;", words, w, mark, state, 32 * w);
}

/* The first warp looks back, 32 tiles at a time, until one has published all that is before: `before`. */
static void look_back(em *E, int32_t at) {
    int n = (int)at, words = (int)emit_chain_words(E->f);
    E->needs |= NEED_SHUFFLE;
    em_line(E, "for (int near = (int)tile - 1; near >= 0; near -= 32) {");
    E->depth++;
    em_line(E, "const int there = near - (int)lane;");
    em_line(E, "unsigned mark = 2;");
    em_line(E, "g_state%d x = start%d;", n, n);
    em_line(E, "if (there >= 0) do {");
    em_line(E, "    const unsigned long long low = chain[there * %d];", words);
    em_line(E, "    mark = (unsigned)low; x = (g_state%d)(low >> 32);", n);
    if (words == 2) {
        em_line(E, "    const unsigned long long high = chain[there * 2 + 1];");
        em_line(E, "    x = (g_state%d)(low >> 32 | high >> 32 << 32); if ((unsigned)high != mark) mark = 0;", n);
    }
    em_line(E, "} while (!mark);");
    em_line(E, "const unsigned whole = __ballot_sync(0xffffffffu, mark == 2);");
    em_line(E, "if (whole & ((1u << lane) - 1)) x = start%d;", n);
    em_line(E, "for (int d = 16; d; d >>= 1) x = g_join%d(x, g_shfl_xor(x, d, 32, 0xffffffffu));", n);
    em_line(E, "before = g_join%d(x, before);", n);
    em_line(E, "if (whole) break;");
    em_close_block(E);
}

/* What is before each warp, from the warps' totals and the chain. */
static void link_tiles(em *E, int32_t at) {
    int n = (int)at;
    em_line(E, "__shared__ g_state%d s%d[%d];", n, n, SCAN_WARPS + 1);
    em_line(E, "if (lane %% 32 == 0) s%d[lane / 32] = own%d;", n, n);
    em_line(E, "__syncthreads();");
    em_line(E, "if (lane < 32) {");
    E->depth++;
    em_line(E, "g_state%d total = start%d, before = start%d;", n, n, n);
    em_line(E, "for (int w = 0; w < %d; w++) total = g_join%d(total, s%d[w]);", SCAN_WARPS, n, n);
    em_line(E, "if (lane == 0 && tile) {");
    E->depth++;
    put_link(E, "total", "1");
    em_close_block(E);
    look_back(E, at);
    em_line(E, "total = g_join%d(before, total);", n);
    em_line(E, "if (lane == 0) {");
    E->depth++;
    put_link(E, "total", "2");
    em_line(E, "s%d[%d] = before;", n, SCAN_WARPS);
    em_close_block(E);
    em_close_block(E);
    em_line(E, "__syncthreads();");
    em_line(E, "g_state%d r%d = s%d[%d];", n, n, n, SCAN_WARPS);
    em_line(E, "for (int w = 0; w < lane / 32; w++) r%d = g_join%d(r%d, s%d[w]);", n, n, n, n);
}

void em_scan_chain(em *E, int32_t each) {
    cu_walk w = walk_tiles(E, each);
    const char *guard = E->guard;
    gpa_str start;
    int32_t at = each + 1;
    char chunk[96];
    while (E->f->code[at].code != KIR_SCAN) at++;
    snprintf(chunk, sizeof chunk, "first + lane / 32 * %d + u * 32 + lane %% 32", 32 * E->plan->unroll);
    w.chunk = chunk;
    str_init(&start);
    em_put_start(E, &start, at);
    em_line(E, "const g_state%d start%d = %s;", (int)at, (int)at, start.text);
    str_free(&start);
    E->in_each = true;
    E->guard = NULL;
    em_batch_load(E, &w);
    declare_local(E, at);
    E->scan = SCAN_LOCAL;
    em_batch_compute(E, &w);
    scan_warp(E, at);
    link_tiles(E, at);
    E->scan = SCAN_LINKED;
    em_batch_compute(E, &w);
    E->scan = SCAN_PLACE;
    E->guard = guard;
    E->in_each = false;
}

void em_scan(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    int n = (int)at, a = (int)i->a;
    switch (E->scan) {
    case SCAN_PLACE:
        if (E->plan->team == TEAM_THREAD) scan_thread(E, at);
        else scan_block(E, at);
        break;
    case SCAN_TOTAL: em_line(E, "if (k < lim[u]) r%d = g_join%d(r%d, v%d);", n, n, n, a); break;
    case SCAN_LOCAL: em_line(E, "t%d[u][k] = k ? g_join%d(t%d[u][k ? k - 1 : 0], v%d) : v%d;", n, n, n, a, a); break;
    case SCAN_FINAL: /* only the very first access has nothing before it */
        em_line(E, "const %s v%d = %s(some || u || lane ? g_join%d(p%d[u], t%d[u][k]) : t%d[u][k]);", em_type(E, (gpa_dtype)i->type), n,
                em_round(E, (gpa_dtype)i->type), n, n, n, n);
        break;
    case SCAN_LINKED:
        em_line(E, "const %s v%d = g_join%d(g_join%d(r%d, p%d[u]), t%d[u][k]);", em_type(E, (gpa_dtype)i->type), n, n, n, n, n, n);
        break;
    }
}
