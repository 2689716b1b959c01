/* Single-pass prefix sums with decoupled look-back (Merrill and Garland, 2016), and stream
 * compaction on top of them.
 *
 * One launch; a block takes one tile of a row. It publishes the aggregate of its tile; 32 tiles are
 * a group, whose last block publishes the group's aggregate and then its inclusive prefix. A
 * block's exclusive prefix joins the nearest inclusive prefix of a group, the aggregates of the
 * groups since then and those of its own group, in an order that does not depend on what was found:
 * the result is deterministic. Blocks start in order, so all predecessors make progress. A 64-bit
 * word holds 32 bits of a state and a flag, so that it is read atomically.
 *
 * A tile is loaded once and kept in registers; each warp has adjacent accesses. In a compaction
 * (the scan counts a mask, whose true elements are stored), selected elements are staged in shared
 * memory, so that the stores coalesce. Only the last tile is partial: the others need no limits.
 *
 * Reading order: publishing and look-back, tiles in registers, compaction, em_scan_lookback. */
#include <stdio.h>

#include "runtime/cuda/emit/emitter.h"

/* ---- publishing and look-back ---- */

void em_scan_take_tile(em *E, const char *chunks) {
    const char *t = em_count_type(E);
    char chain[FIELD_NAME_BYTES], outer[FIELD_NAME_BYTES], length[FIELD_NAME_BYTES];
    int words = (int)emit_lookback_words(E->f);
    em_field(E, outer, FIELD_OUTER, 0, 0);
    em_field(E, length, FIELD_PART_ACCESSES, 0, 0);
    em_line(E, "const unsigned tiles = gridDim.x / %s, tile = blockIdx.x / %s;", outer, outer);
    em_line(E,
            "volatile unsigned long long *const chain = %s + (size_t)row * (tiles + tiles / 32 + "
            "1) * %d, *const groups = chain + (size_t)tiles * %d;",
            em_field(E, chain, FIELD_LOOKBACK, 0, 0), words, words);
    em_line(E, "const %s first = (%s)tile * %s;", t, t, length);
    em_line(E, "%s end = first + %s < %s ? first + %s : %s;", t, length, chunks, length, chunks);
}

/* Publishes a state, each of its words with a flag: 1 an aggregate, 2 an inclusive prefix. */
static void publish_state(em *E, const char *where, const char *index, const char *state,
                          int mark) {
    int words = (int)emit_lookback_words(E->f);
    em_line(E,
            "{ const auto y = g_split(%s); for (int w = 0; w < %d; w++) %s[(%s) * %d + w] = %d | "
            "(unsigned long long)(unsigned)y.w[w] << 32; }",
            state, words, where, index, words, mark);
}

/* Reads one: x and its flag, 0 while words are missing. */
static void read_state(em *E, int n, const char *where, const char *index) {
    int words = (int)emit_lookback_words(E->f);
    em_line(E, "g_words<g_state%d> y; mark = 3;", n);
    em_line(
        E,
        "for (int w = 0; w < %d; w++) { const unsigned long long got = %s[(%s) * %d + w]; y.w[w] = "
        "(int)(got >> 32); mark = mark == 3 || mark == (unsigned)got ? (unsigned)got : 0; }",
        words, where, index, words);
    em_line(E, "x = g_join<g_state%d>(y);", n);
}

/* Warp reduction of x in lane order, to all lanes. */
static void fold_lanes(em *E, int n) {
    em_line(E,
            "for (int d = 1; d < 32; d <<= 1) x = g_join%d(x, g_shfl_down(x, d, 32, 0xffffffffu));",
            n);
    em_line(E, "x = g_shfl(x, 0, 32, 0xffffffffu);");
}

/* before: the exclusive prefix of the group, from the nearest inclusive prefix and the aggregates
 * of the groups since then. */
static void look_back(em *E, int n) {
    em_line(E, "g_state%d before = start%d;", n, n);
    em_line(E, "if (group) {");
    E->indent++;
    em_line(E, "const int there = (int)group - 1 - (int)lane;");
    em_line(E, "g_state%d x = start%d;", n, n);
    em_line(E, "unsigned whole;");
    em_line(E, "for (;;) {");
    E->indent++;
    em_line(E, "unsigned mark = 2;");
    em_line(E, "if (there >= 0) {");
    E->indent++;
    read_state(E, n, "groups", "there");
    em_close_block(E);
    em_line(E, "whole = __ballot_sync(0xffffffffu, mark == 2);");
    em_line(E, "const unsigned missing = __ballot_sync(0xffffffffu, mark == 0);");
    em_line(E, "if (whole && !(missing & ((whole & (0u - whole)) - 1))) break;");
    em_close_block(E);
    em_line(E, "int k = __popc((whole & (0u - whole)) - 1);");
    em_line(E, "before = g_shfl(x, k, 32, 0xffffffffu);");
    em_line(E, "while (--k >= 0) before = g_join%d(before, g_shfl(x, k, 32, 0xffffffffu));", n);
    em_close_block(E);
}

/* Publishes this tile's aggregate, which is in r. */
static void publish_aggregate(em *E, int32_t at) {
    char name[16];
    E->needs |= NEED_SHUFFLE;
    snprintf(name, sizeof name, "r%d", (int)at);
    em_line(E, "if (lane == 0)");
    publish_state(E, "chain", "tile", name, 1);
}

/* Replaces this tile's aggregate in r by its exclusive prefix: that of its group, then the earlier
 * tiles of the group. */
static void find_exclusive_prefix(em *E, int32_t at) {
    int n = (int)at;
    em_line(E, "__shared__ g_state%d b%d;", n, n);
    em_line(E, "if (lane < 32) {");
    E->indent++;
    em_line(E, "const unsigned group = tile / 32, member = tile %% 32;");
    em_line(E, "g_state%d x = lane == member ? r%d : start%d;", n, n, n);
    em_line(E, "if (lane < member) {");
    em_line(E, "    unsigned mark;");
    em_line(E, "    do {");
    E->indent += 2;
    read_state(E, n, "chain", "group * 32 + lane");
    E->indent -= 2;
    em_line(E, "    } while (!mark);");
    em_line(E, "}");
    em_line(E, "const g_state%d own = x; g_state%d total = x;", n, n);
    em_line(E, "if (member == 31) {");
    E->indent++;
    fold_lanes(E, n);
    em_line(E, "total = x;");
    em_line(E, "if (lane == 0)");
    publish_state(E, "groups", "group", "total", 1);
    em_close_block(E);
    look_back(E, n);
    em_line(E, "if (member == 31 && lane == 0)");
    em_line(E, "{ const g_state%d all = group ? g_join%d(before, total) : total;", n, n);
    publish_state(E, "groups", "group", "all", 2);
    em_line(E, "}");
    em_line(E, "x = lane < member ? own : start%d;", n);
    fold_lanes(E, n);
    em_line(E, "if (lane == 0) b%d = group && member ? g_join%d(before, x) : group ? before : x;",
            n, n);
    em_close_block(E);
    em_line(E, "__syncthreads();");
    em_line(E, "r%d = b%d;", n, n);
}

/* ---- tiles in registers ---- */

/* From the scans within accesses (t), the exclusive prefix of each access in its warp (p) by a
 * Kogge-Stone scan over the lanes; own: the warp's aggregate. */
static void join_lanes(em *E, int32_t at) {
    int n = (int)at;
    E->needs |= NEED_SHUFFLE;
    em_line(E, "g_state%d p%d[%d], own%d = {};", n, n, E->plan->unroll, n);
    em_open_unrolled(E, "u", E->plan->unroll);
    em_line(E, "g_state%d e = t%d[u][%d];", n, n, E->plan->vec - 1);
    em_line(E,
            "_Pragma(\"unroll\") for (int d = 1; d < 32; d <<= 1) { const g_state%d o = "
            "g_shfl_up(e, d, 32, 0xffffffffu); if (lane %% 32 >= d) e = g_join%d(o, e); }",
            n, n);
    em_line(E,
            "const g_state%d up = g_shfl_up(e, 1, 32, 0xffffffffu), last = g_shfl(e, 31, 32, "
            "0xffffffffu);",
            n);
    em_line(E, "p%d[u] = lane %% 32 == 0 ? own%d : u ? g_join%d(own%d, up) : up;", n, n, n, n);
    em_line(E, "own%d = u ? g_join%d(own%d, last) : last;", n, n, n);
    em_close_block(E);
}

/* The same for masks m: population counts, those of several accesses packed into one word. */
static void count_lanes(em *E, int32_t at) {
    int n = (int)at, bits = E->plan->vec * 32 < 256 ? 8 : 16,
        fields = MIN(32 / bits, E->plan->unroll);
    unsigned mask = (1u << bits) - 1;
    em_line(E, "g_state%d p%d[%d], own%d = 0;", n, n, E->plan->unroll, n);
    em_open_unrolled(E, "g", E->plan->unroll / fields);
    em_line(E, "unsigned x = 0;");
    em_line(E,
            "_Pragma(\"unroll\") for (int j = 0; j < %d; j++) x |= (unsigned)__popc(m%d[g * %d + "
            "j]) << j * %d;",
            fields, n, fields, bits);
    em_line(E,
            "_Pragma(\"unroll\") for (int d = 1; d < 32; d <<= 1) { const unsigned o = "
            "__shfl_up_sync(0xffffffffu, x, d); if (lane %% 32 >= d) x += o; }");
    em_line(E, "const unsigned all = __shfl_sync(0xffffffffu, x, 31);");
    em_open_unrolled(E, "j", fields);
    em_line(E, "p%d[g * %d + j] = own%d + (x >> j * %d & %uu) - __popc(m%d[g * %d + j]);", n,
            fields, n, bits, mask, n, fields);
    em_line(E, "own%d += all >> j * %d & %uu;", n, bits, mask);
    em_close_block(E);
    em_close_block(E);
}

/* From the warps' aggregates: before, the sum of earlier warps (unless `warp` is 0), and r, the
 * tile's aggregate. */
static void join_warps(em *E, int32_t at) {
    int n = (int)at;
    em_line(E, "if (lane %% 32 == 0) s%d[lane / 32] = own%d;", n, n);
    em_line(E, "__syncthreads();");
    em_line(E, "const unsigned warp = lane / 32;");
    em_line(E, "g_state%d before = s%d[0], r%d = s%d[0];", n, n, n, n);
    em_open_unrolled(E, "w", TUNE_CUDA_SCAN_MAX_WARPS);
    em_line(E, "if (w) { if (w == warp) before = r%d; r%d = g_join%d(r%d, s%d[w]); }", n, n, n, n,
            n);
    em_close_block(E);
}

/* Emits fn for full tiles, and once more with limits for the last tile. */
static void full_and_partial(em *E, const em_iteration *w, void (*fn)(em *, const em_iteration *)) {
    for (int whole = 1; whole >= 0; whole--) {
        em_line(E, whole ? "if (tile != tiles - 1) {" : "else {");
        E->indent++;
        E->full = whole;
        fn(E, w);
        em_close_block(E);
    }
}

static void store_tile(em *E, const em_iteration *w) {
    em_batch_coordinates(E, w);
    em_batch_store(E, w);
}

/* Adds the exclusive prefixes of tile and warp to those of the accesses. */
static void join_before(em *E, int32_t at) {
    int n = (int)at;
    em_line(E, "const bool some = tile || warp;");
    em_line(E, "if (tile) before = warp ? g_join%d(r%d, before) : r%d;", n, n, n);
    em_open_unrolled(E, "u", E->plan->unroll);
    em_line(E, "if (some) p%d[u] = u || lane %% 32 ? g_join%d(before, p%d[u]) : before;", n, n, n);
    em_close_block(E);
}

/* A scan whose results are stored. If the points are free of side effects, only the last tile has
 * limits. */
static void scan_tile(em *E, const em_iteration *w, int32_t at) {
    int n = (int)at;
    bool free = em_batch_is_pure(E, w);
    if (free) {
        em_batch_declare(E, w);
        full_and_partial(E, w, em_batch_fill);
        E->full = true;
    } else {
        em_batch_load(E, w);
    }
    em_line(E, "g_state%d t%d[%d][%d] = {};", n, n, E->plan->unroll, E->plan->vec);
    E->pass = PASS_LOCAL;
    em_batch_compute(E, w);
    join_lanes(E, at);
    join_warps(E, at);
    publish_aggregate(E, at);
    em_line(E, "const g_state%d chosen = r%d;", n, n);
    find_exclusive_prefix(E, at);
    join_before(E, at);
    E->pass = PASS_FINAL;
    em_batch_values(E, w);
    if (free)
        full_and_partial(E, w, store_tile);
    else
        em_batch_store(E, w);
    E->full = false;
}

/* ---- stream compaction ---- */

/* Marks the backward slice of the index of the marked stores. False if it needs more than the scan
 * and values that are uniform over a row. */
static bool mark_index_slice(const kir_func *f, int32_t each, bool *compaction) {
    bool good = true;
    for (int32_t k = (int32_t)f->n_code - 1; good && k > each; k--) {
        const kir_ins *i = &f->code[k];
        const int32_t in[3] = {i->a, i->b, i->c};
        if (!compaction[k] || i->code == KIR_SCAN || i->code == KIR_STOREX) continue;
        bool fixed = i->code == KIR_IOTA && !(f->inner & ~f->arrays[i->sub].zero);
        good = fixed || kir_has(i->code, KI_COMPUTES | KI_FIXED);
        for (int j = 0; j < kir_arity(i); j++)
            if (in[j] >= 0) compaction[in[j]] = true;
    }
    return good;
}

bool em_is_compaction(const kir_func *f, bool *compaction) {
    bool *late = mem_zero(f->n_code + 1), good = late != NULL; /* functions of the count */
    int32_t scan = 0, each = 0, mask, chosen = -1, depth = 0, stores = 0;
    while (f->code[scan].code != KIR_SCAN) scan++;
    while (f->code[each].code != KIR_EACH) each++;
    const kir_ins *from = &f->code[f->code[scan].a];
    good = good && f->code[scan].sub == RED_SUM && from->code == KIR_CAST &&
           f->code[from->a].type == DT_BOOL;
    mask = from->a;
    for (int32_t k = each + 1;
         good && !(f->code[k].code == KIR_END && (int32_t)f->code[k].imm == each); k++) {
        const kir_ins *i = &f->code[k];
        const int32_t in[3] = {i->a, i->b, i->c};
        bool count = false;
        for (int j = 0; j < kir_arity(i); j++) count |= in[j] >= 0 && late[in[j]];
        switch ((int)i->code) {
            case KIR_SCAN: late[k] = true; break;
            case KIR_OP:
            case KIR_CAST: late[k] = count; break;
            case KIR_IF:
                good = !count && depth == 0;
                depth = 1;
                chosen = i->a;
                break;
            case KIR_END: depth = 0; break;
            case KIR_STOREX:
                good = depth && chosen == mask && late[i->a] && !late[i->b];
                compaction[k] = true;
                compaction[i->a] = true;
                stores++;
                break;
            case KIR_CONST:
            case KIR_PARAM:
            case KIR_SIZE:
            case KIR_STRIDE:
            case KIR_INDEX:
            case KIR_IOTA:
            case KIR_LOAD:
            case KIR_REDUCE: good = !count; break;
            default: good = false;
        }
    }
    mem_free(late);
    return good && stores && mark_index_slice(f, each, compaction);
}

static void each_compacted_store(em *E, int32_t each, void (*fn)(em *, int32_t)) {
    for (int32_t i = each + 1; i < E->end_of[each]; i++)
        if (E->f->code[i].code == KIR_STOREX) fn(E, i);
}

static void declare_stage(em *E, int32_t at) {
    em_line(E, "__shared__ %s g_stage%d[%d];",
            em_memory(E, (gpa_dtype)E->f->arrays[E->f->code[at].sub].dtype), (int)at,
            32 * TUNE_CUDA_SCAN_MAX_WARPS * E->plan->unroll * E->plan->vec);
}

static void fill_mask(em *E, const em_iteration *w) {
    em_batch_fill(E, w);
    E->pass = PASS_MASK;
    em_batch_compute(E, w);
    E->pass = PASS_POINT;
}

/* Loads the tile and computes the mask m of the selected elements. */
static void load_mask(em *E, const em_iteration *w, int32_t at) {
    em_batch_declare(E, w);
    em_line(E, "unsigned m%d[%d] = {};", (int)at, E->plan->unroll);
    full_and_partial(E, w, fill_mask);
}

/* Stages what is stored of the selected elements, in order. */
static void stage_selected(em *E, const em_iteration *w, int32_t at) {
    int n = (int)at;
    E->pass = PASS_STAGE;
    em_open_unrolled(E, "u", w->unroll);
    em_line(E, "g_state%d position = p%d[u] + (warp ? before : 0);", n, n);
    em_open_unrolled(E, "k", w->vec);
    em_line(E, "if (m%d[u] >> k & 1) {", n);
    E->indent++;
    em_point_of_access(E, w, w->vec > 1 ? " + k" : "");
    E->access = ACCESS_BATCH;
    em_instructions(E, w->lo, w->hi);
    E->access = ACCESS_DIRECT;
    em_line(E, "position++;");
    for (int k = 0; k < 3; k++) em_close_block(E);
}

static void compact_tile(em *E, const em_iteration *w, int32_t each, int32_t at) {
    int n = (int)at;
    each_compacted_store(E, each, declare_stage);
    load_mask(E, w, at);
    count_lanes(E, at);
    join_warps(E, at);
    publish_aggregate(E, at);
    em_line(E, "const g_state%d chosen = r%d;", n, n);
    stage_selected(E, w, at);
    find_exclusive_prefix(E, at);
    em_line(E, "for (g_state%d i = lane; i < chosen; i += lanes) {", n);
    E->indent++;
    E->pass = PASS_STORE;
    em_instructions(E, each + 1, E->end_of[each]);
    em_close_block(E);
}

/* ---- the scan ---- */

/* The block of the last tile continues after the region, and knows the total count. */
static void end_lookback(em *E, int32_t each, int32_t at) {
    em_line(E, "if (tile != tiles - 1) return;");
    for (int32_t i = each + 1; i < E->end_of[each]; i++)
        if (E->f->code[i].code == KIR_REDUCE)
            em_line(E, "const %s v%d = (%s)(r%d + chosen);",
                    em_type(E, (gpa_dtype)E->f->code[i].type), (int)i,
                    em_type(E, (gpa_dtype)E->f->code[i].type), (int)at);
}

void em_scan_lookback(em *E, int32_t each) {
    em_iteration w = em_iterate_tiles(E, each);
    const char *guard = E->guard;
    char chunk[96];
    gpa_str start;
    int32_t at = each + 1;
    while (E->f->code[at].code != KIR_SCAN) at++;
    str_init(&start);
    em_put_identity(E, &start, at);
    em_line(E, "const g_state%d start%d = %s;", (int)at, (int)at, start.text);
    str_free(&start);
    snprintf(chunk, sizeof chunk, "first + lane / 32 * %d + u * 32 + lane %% 32",
             32 * E->plan->unroll);
    w.access = chunk;
    E->in_region = true;
    E->guard = NULL;
    em_line(E, "__shared__ g_state%d s%d[%d];", (int)at, (int)at, TUNE_CUDA_SCAN_MAX_WARPS);
    if (E->facts.compacts)
        compact_tile(E, &w, each, at);
    else
        scan_tile(E, &w, at);
    E->pass = PASS_POINT;
    E->in_region = false;
    E->guard = guard;
    end_lookback(E, each, at);
}
