/* Choosing a layout. Everything depends on the program, the sizes and the device alone: the same
 * input gives the same bits.
 *
 * Reading order: points, teams, plan_layout. */
#include "runtime/cuda/emit/schedule.h"

#include "runtime/base/base.h"
#include "runtime/cuda/emit/random_blocks.h"

/* FEW_POINTS: below this many points a short source, which compiles sooner, is as fast.
 * MANY_POINTS: above, a longer one is worth it. */
enum {
    SIDE_ROWS = 512,
    SIDE_LOADS = 4,
    SIDE_BLOCKS = 12,
    CHAIN_BYTES = 128,
    MOST_CHAINED = 12,
    STAGE_BYTES = 36 << 10,
    BIN_BYTES = 24 << 10,
    BIN_COPIES = POINT_THREADS / 32,
    BIN_BLOCKS = 8,
    ORDER_BLOCKS = 16,
    MOST_COLUMNS = 64,
    COLUMN_BLOCKS = 24,
    COLUMN_LOADS = 16,
    ROW_BLOCKS = 12,
    MOST_SHARED = 48 << 10,
    FEW_POINTS = 1 << 15,
    MANY_POINTS = 1 << 20,
    ROW_LANES = 1024,
    FAR_BYTES = 64 << 20,
    TILE_BLOCKS = 8,
    FEW_CUT = 16,
    MOST_AHEAD = 4,
    STRIP_WORDS = 48,
    FEW_PER_UNIT = 4,
    PART_BYTES = 1 << 16,
    MOST_PARTS = 4096,
    KEPT = 16,
    MOST_KEPT_BYTES = 128
};

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

static bool by_points(const kir_func *f, size_t a) {
    for (size_t i = 0; i < f->n_code; i++)
        if ((f->code[i].code == KIR_LOAD || f->code[i].code == KIR_STORE) && f->code[i].sub == a)
            return true;
    return false;
}

static int last_dim(const kir_func *f, unsigned among) {
    int d = f->ndim - 1;
    while (d >= 0 && !(among >> d & 1)) d--;
    return d;
}

/* How many points one access takes along dimension `last`, and which arrays can be accessed so:
 * those with neighbours in memory whose every access is aligned. */
static void choose_vector(const kir_func *f, const cu_facts *facts, const gpa_launch *l,
                          const uint64_t *base, int last, unsigned walked, cu_plan *p) {
    size_t widest = 1;
    int64_t near = 0, all = 0;
    int64_t points = 1;
    for (int d = 0; d < f->ndim; d++) points *= MAX(l->size[d], 1);
    p->vec = 1;
    if (last < 0 || points < FEW_POINTS) return;
    for (size_t a = 0; a < f->n_arrays; a++)
        if (by_points(f, a) && f->arrays[a].unit >> last & 1)
            widest = MAX(widest, dtype_size((gpa_dtype)f->arrays[a].dtype));
    unsigned vec = (unsigned)(16 / widest);
    vec = MIN(vec, facts->ops > 60 ? 4u : 8u);
    if (l->size[last] < 2 * (int64_t)vec) return;
    for (size_t a = 0; a < f->n_arrays; a++) {
        const kir_array *k = &f->arrays[a];
        int64_t size = (int64_t)dtype_size((gpa_dtype)k->dtype);
        if (!by_points(f, a) || !(walked & ~k->zero)) continue;
        all += size;
        bool fits = k->unit >> last & 1 && base[a] % (vec * (uint64_t)size) == 0;
        for (int d = 0; d < f->ndim && fits; d++)
            if (d != last && l->arrays[a].stride[d] % (int64_t)vec != 0 && l->size[d] > 1)
                fits = false;
        if (k->zero >> last & 1) near += size; /* one element serves the access */
        if (fits) p->wide |= UINT64_C(1) << a, near += size;
    }
    if (p->wide && 2 * near >= all)
        p->vec = (uint8_t)vec;
    else
        p->wide = 0;
    p->even = p->vec > 1 && points >= MANY_POINTS && l->size[last] % p->vec == 0;
}

/* ---- no inner points ---- */

/* A dimension in which some array has its neighbours, beside the last one in which others have; -1:
 * none. */
static int across(const kir_func *f, const gpa_launch *l, int last) {
    bool along = false;
    int other = -1;
    if (last < 1 || l->size[last] < TILE) return -1;
    for (size_t a = 0; a < f->n_arrays; a++) {
        if (!by_points(f, a)) continue;
        along |= f->arrays[a].unit >> last & 1;
        for (int d = 0; d < last; d++)
            if (f->arrays[a].unit >> d & 1 && !(f->arrays[a].zero >> last & 1) &&
                l->size[d] >= TILE)
                other = d;
    }
    return along ? other : -1;
}

/* Whether tiles of such a side along a dimension are whole, or nearly all of them. */
static bool are_whole(int64_t size, int64_t side) {
    return size % side == 0 || size >= FEW_CUT * side;
}

static void lay_tiles(const kir_func *f, const gpa_launch *l, int last, int other, uint32_t units,
                      cu_layout *y) {
    int64_t shared = 0, side = 2 * TILE, blocks;
    unsigned n = 0;
    for (size_t a = 0; a < f->n_arrays; a++) { /* turned in shared memory */
        n += by_points(f, a);
        if (by_points(f, a) && f->arrays[a].unit >> other & 1)
            shared += (int64_t)dtype_size((gpa_dtype)f->arrays[a].dtype);
    }
    for (;; side = TILE) {
        blocks = 1;
        for (int d = 0; d < f->ndim; d++)
            blocks *= d == last || d == other ? ceil_div(l->size[d], side) : l->size[d];
        bool fits = blocks <= INT32_MAX && side * (side + 1) * shared <= MOST_SHARED;
        if (side == TILE && !fits) return;
        bool whole = are_whole(l->size[last], side) && are_whole(l->size[other], side);
        if (fits && (side == TILE || (n <= 3 && whole && blocks >= (int64_t)units * TILE_BLOCKS)))
            break;
    }
    y->plan.tile = (uint8_t)(other + 1);
    y->plan.width = (uint8_t)side;
    y->plan.unroll = (uint8_t)(side * side / POINT_THREADS);
    y->grid[0] = (uint32_t)blocks;
    y->block[0] = (uint32_t)side;
    y->block[1] = (uint32_t)(POINT_THREADS / side);
}

/* ---- strips: of arrays that are one another some rows ahead, as in a stencil, a thread reads a
 * row once for all of them ---- */

static bool is_written(const kir_func *f, const gpa_launch *l, const gpa_mem *mem) {
    for (size_t a = 0; a < f->n_arrays; a++)
        if (l->arrays[a].mem == mem && f->arrays[a].access & KIR_WRITE) return true;
    return false;
}

/* How many elements array b is ahead of array a along dimension d, all else alike; -1: it is not.
 */
static int ahead_of(const kir_func *f, const gpa_launch *l, const uint64_t *base, size_t a,
                    size_t b, int d) {
    const kir_array *x = &f->arrays[a], *y = &f->arrays[b];
    const int64_t *s = l->arrays[a].stride;
    if (l->arrays[a].mem != l->arrays[b].mem || x->dtype != y->dtype || x->unit != y->unit ||
        x->zero != y->zero || base[b] < base[a])
        return -1;
    if (x->where != KIR_GLOBAL || y->where != KIR_GLOBAL || s[d] <= 0 || x->zero >> d & 1 ||
        is_written(f, l, l->arrays[a].mem))
        return -1;
    for (int k = 0; k < f->ndim; k++)
        if (!(x->zero >> k & 1) && s[k] != l->arrays[b].stride[k]) return -1;
    uint64_t step = (uint64_t)s[d] * dtype_size((gpa_dtype)x->dtype), off = base[b] - base[a];
    return off % step == 0 && off / step <= MOST_AHEAD ? (int)(off / step) : -1;
}

/* Whether some array lies behind array a, which then does not lead others. */
static bool follows(const kir_func *f, const gpa_launch *l, const uint64_t *base, size_t a, int d) {
    for (size_t b = 0; b < f->n_arrays; b++)
        if (by_points(f, b) && ahead_of(f, l, base, b, a, d) > 0) return true;
    return false;
}

/* Fills lead and ahead for dimension d. The registers that a thread of n rows needs; 0: no array is
 * ahead of another one. */
static int64_t find_strips(const kir_func *f, const gpa_launch *l, const uint64_t *base, int d,
                           int64_t n, cu_plan *p) {
    int64_t words = 0;
    bool any = false;
    for (size_t a = 0; a < f->n_arrays; a++) {
        int reach = 0;
        p->lead[a] = (uint8_t)a, p->ahead[a] = 0;
        for (size_t b = 0; b < f->n_arrays && by_points(f, a); b++) {
            int ahead = by_points(f, b) ? ahead_of(f, l, base, b, a, d) : -1,
                behind = by_points(f, b) ? ahead_of(f, l, base, a, b, d) : -1;
            if (ahead > p->ahead[a] && !follows(f, l, base, b, d))
                p->lead[a] = (uint8_t)b, p->ahead[a] = (uint8_t)ahead;
            reach = MAX(reach, behind);
        }
        any |= p->ahead[a] > 0;
        if (by_points(f, a) && !p->ahead[a])
            words += (n + reach) * (int64_t)MAX(dtype_size((gpa_dtype)f->arrays[a].dtype) / 4, 1u);
    }
    return any ? words : 0;
}

static void lay_strips(const kir_func *f, const cu_facts *facts, const gpa_launch *l,
                       const uint64_t *base, cu_layout *y) {
    cu_plan *p = &y->plan;
    int last = f->ndim - 1;
    if (f->n_arrays > STRIP_ARRAYS || facts->ops > 60) return;
    for (int d = last - 1; d >= 0; d--)
        for (int64_t n = 8; n >= 4; n /= 2) {
            int64_t words = find_strips(f, l, base, d, n, p);
            if (!words || words > STRIP_WORDS || l->size[d] < 4 * n) continue;
            p->strip = (uint8_t)(d + 1);
            p->unroll = (uint8_t)n;
            y->chunks = 1;
            for (int k = 0; k < f->ndim; k++)
                y->chunks *= k == d ? ceil_div(l->size[k], n) : l->size[k];
            y->outer = y->chunks;
            y->grid[0] = (uint32_t)ceil_div(y->chunks, POINT_THREADS);
            return;
        }
    memset(p->lead, 0, sizeof p->lead);
    memset(p->ahead, 0, sizeof p->ahead);
}

/* Few elements that many points add to: each block gathers its own sums, and there are as many
 * blocks as run at once. Counts are kept by each warp for itself where there is room. */
static void lay_bins(const cu_facts *facts, uint64_t room, uint32_t units, cu_layout *y) {
    uint64_t item = facts->counts ? 4 : 8, copies = facts->counts ? BIN_COPIES : 1;
    if (room == 0 || room > BIN_BYTES / item || y->chunks < FEW_POINTS) return;
    while (copies * room * item > BIN_BYTES) copies /= 2;
    y->plan.bins = (uint8_t)copies;
    y->plan.unroll = y->plan.vec > 1 ? 2 : 4;
    y->shared = (uint32_t)(copies * room * item);
    y->grid[0] = (uint32_t)MIN(ceil_div(y->chunks, (int64_t)POINT_THREADS * y->plan.unroll),
                               (int64_t)units * BIN_BLOCKS);
}

static void lay_points(const kir_func *f, const cu_facts *facts, const gpa_launch *l,
                       const uint64_t *base, const uint64_t *room, uint32_t units, cu_layout *y) {
    int last = f->ndim - 1;
    cu_plan *p = &y->plan;
    p->team = TEAM_NONE;
    p->vec = p->unroll = 1;
    p->threads = POINT_THREADS;
    bool plain = !facts->branches && !facts->reread && !facts->scatters;
    int other = plain ? across(f, l, last) : -1;
    if (plain && other < 0) {
        choose_vector(f, facts, l, base, last, (1u << f->ndim) - 1, p);
        int64_t points = 1;
        for (int d = 0; d < f->ndim; d++) points *= l->size[d];
        if (points > MANY_POINTS)
            p->unroll = p->vec > 1 ? (facts->ops > 60 ? 1 : 2) : facts->ops > 60 ? 2 : 4;
        p->blocks = p->vec > 1 && facts->bits && bits_begin(f, l, last, p->vec);
        if (p->blocks && points > MANY_POINTS && !facts->doubles)
            p->unroll = 2; /* two blocks at once: their registers are few */
    }
    for (size_t a = 0; a < f->n_arrays && f->flags & KIR_F_UNORDERED; a++) /* those reached by offsets */
        if (f->arrays[a].where == KIR_GLOBAL && !by_points(f, a) && base[a] % 16 == 0)
            p->wide |= UINT64_C(1) << a;
    y->chunks = last < 0 ? 1 : ceil_div(l->size[last], p->vec);
    for (int d = 0; d < last; d++) y->chunks *= l->size[d];
    y->outer = y->chunks;
    y->grid[0] = (uint32_t)ceil_div(y->chunks, (int64_t)POINT_THREADS * p->unroll);
    y->block[0] = POINT_THREADS;
    if (other >= 0)
        lay_tiles(f, l, last, other, units, y);
    else if (facts->bins >= 0)
        lay_bins(facts, room[facts->bins], units, y);
    else if (plain && p->vec == 1 && p->unroll > 1)
        lay_strips(f, facts, l, base, y);
}

/* ---- teams ---- */

static int64_t inner_chunks(const kir_func *f, const gpa_launch *l, int last, int vec) {
    int64_t n = 1;
    for (int d = 0; d < f->ndim; d++)
        if (f->inner >> d & 1) n *= d == last ? ceil_div(l->size[d], vec) : l->size[d];
    return n;
}

/* Whether neighbours in memory are neighbouring outer points rather than inner ones. */
static bool columns(const kir_func *f, const gpa_launch *l, int outer_last, int inner_last) {
    int64_t outer = 0, inner = 0;
    if (outer_last < 0 || l->size[outer_last] < 8) return false;
    for (size_t a = 0; a < f->n_arrays; a++) {
        if (!by_points(f, a) || !(f->inner & ~f->arrays[a].zero)) continue;
        int64_t size = (int64_t)dtype_size((gpa_dtype)f->arrays[a].dtype);
        if (f->arrays[a].unit >> outer_last & 1) outer += size;
        if (f->arrays[a].unit >> inner_last & 1) inner += size;
    }
    return outer > inner;
}

/* Bytes per point that a lane would hold to keep its row. */
static int64_t kept_bytes(const kir_func *f) {
    int64_t n = 0;
    for (size_t a = 0; a < f->n_arrays; a++)
        if (by_points(f, a) && f->arrays[a].access & KIR_READ && (f->inner & ~f->arrays[a].zero))
            n += (int64_t)dtype_size((gpa_dtype)f->arrays[a].dtype);
    return n;
}

/* The same of what is stored at computed places alone. */
static int64_t chosen_bytes(const kir_func *f) {
    bool *wanted = mem_zero(f->n_code + 1);
    int64_t n = 0;
    if (!wanted) return kept_bytes(f);
    for (size_t k = f->n_code; k-- > 0;) {
        const kir_ins *i = &f->code[k];
        const int32_t in[3] = {i->a, i->b, i->c};
        if (i->code == KIR_STOREX) wanted[i->b] = true;
        if (!wanted[k]) continue;
        if (i->code == KIR_LOAD && (f->inner & ~f->arrays[i->sub].zero))
            n += (int64_t)dtype_size((gpa_dtype)f->arrays[i->sub].dtype);
        for (int j = 0; j < kir_info[i->code].args; j++)
            if (in[j] >= 0) wanted[in[j]] = true;
    }
    mem_free(wanted);
    return n;
}

/* Accesses of a part of a chain, for each lane: what is loaded, or the states, fit in CHAIN_BYTES
 * of registers, and what is stored side by side in shared memory. Larger parts with fewer of them
 * at once are the faster ones where no more than that is kept. */
static int64_t chain_accesses(const kir_func *f, const cu_facts *facts, int64_t vec) {
    int64_t bytes = facts->picks ? chosen_bytes(f) : kept_bytes(f), stored = 0, n = 8;
    for (size_t k = 0; k < f->n_code; k++) {
        if (f->code[k].code == KIR_SCAN)
            bytes = MAX(bytes, (int64_t)emit_state_bytes(f, (int32_t)k));
        if (f->code[k].code == KIR_STOREX)
            stored += (int64_t)dtype_size((gpa_dtype)f->arrays[f->code[k].sub].dtype);
    }
    if (!facts->picks && vec * bytes <= 16) return MOST_CHAINED;
    while (n > 1 && (n * vec * bytes > CHAIN_BYTES ||
                     (facts->picks && n * vec * stored * 32 * SCAN_WARPS > STAGE_BYTES)))
        n /= 2;
    return n;
}

static void lay_rows(const kir_func *f, const cu_facts *facts, uint32_t units, int last,
                     bool dividable, cu_layout *y) {
    cu_plan *p = &y->plan;
    int64_t chunks = y->chunks;
    bool keeps = facts->n_each > 1 && !p->scan && !facts->reread && !facts->branches &&
                 !facts->scans && last >= 0;
    int64_t bytes = kept_bytes(f) * p->vec;
    int64_t most = bytes ? MIN(MOST_KEPT_BYTES / bytes, KEPT / p->vec) : 0;
    p->team = chunks <= 256 && y->outer >= 64 && !p->scan ? TEAM_WARP : TEAM_BLOCK;
    if (keeps && p->team == TEAM_WARP && chunks > 32 * most) p->team = TEAM_BLOCK;
    int64_t lanes = p->team == TEAM_WARP ? 32
                    : chunks >= 1 << 16  ? 512
                    : chunks >= 1024     ? 256
                                         : MAX(32, ceil_div(chunks, 32) * 32);
    const bool light = facts->n_each == 1 && facts->ops < 20 && !p->scan;
    const int64_t once =
        light && p->team == TEAM_BLOCK && p->vec > 1 && y->outer >= (int64_t)units * FEW_PER_UNIT
            ? MAX(ceil_div(chunks, ROW_LANES), 2)
            : 0;
    const bool whole =
        once && once <= 3; /* a row is so many accesses of each thread, all of them in flight */
    if (whole) lanes = ceil_div(ceil_div(chunks, once), 32) * 32;
    if (p->scan) lanes = MIN(lanes, 32 * SCAN_WARPS);
    if (dividable && p->team == TEAM_BLOCK && y->outer < (int64_t)units * FEW_PER_UNIT) {
        int64_t blocks = ceil_div((int64_t)units * (lanes == 512 ? ROW_BLOCKS : 2 * ROW_BLOCKS),
                                  y->outer),
                least = MAX(PART_BYTES / (16 * lanes), 1) * lanes;
        y->length = MAX(ceil_div(chunks, MIN(blocks, MOST_PARTS)), least);
        y->parts = y->length < chunks;
    }
    bool few = y->outer * chunks < FEW_POINTS;
    for (int e = 1; keeps && !few && !y->parts && e <= most && !p->keep; e *= 2) {
        int64_t need = p->team == TEAM_WARP ? 32 : ceil_div(ceil_div(chunks, e), 32) * 32;
        if (need > (e * 2 <= most ? 384 : 1024) || chunks > need * e) continue;
        p->keep = (uint8_t)e;
        lanes = MAX(need, 32);
    }
    p->once = facts->n_each == 1 && p->team == TEAM_BLOCK && !p->scan &&
              y->outer * chunks * 16 > FAR_BYTES;
    p->unroll = p->vec > 1 ? 2 : 4;
    if (whole) {
        p->unroll = (uint8_t)once;
    } else if (light) {
        p->unroll = p->vec > 1 ? 4 : 8;
        int64_t all = ceil_div(chunks, lanes); /* a few more, where they take the whole row */
        if (!y->parts && all > p->unroll && all <= p->unroll + p->unroll / 2)
            p->unroll = (uint8_t)all;
    }
    if (p->scan) p->unroll = chunks > lanes ? 2 : 1;
    if (few) p->unroll = 1;
    p->threads =
        p->team == TEAM_WARP ? 32 * WARP_ROWS : (uint16_t)MAX(lanes, p->keep ? lanes : 256);
    if (p->team == TEAM_BLOCK) p->threads = p->threads > 512 ? 1024 : p->threads > 256 ? 512 : 256;
    y->block[0] = p->team == TEAM_WARP ? 32 * WARP_ROWS : (uint32_t)lanes;
    y->grid[0] = (uint32_t)(p->team == TEAM_WARP ? ceil_div(y->outer, WARP_ROWS) : y->outer);
    if (!y->parts || !facts->chains || y->outer > 64 || lanes != 32 * SCAN_WARPS) return;
    p->scan = SCAN_CHAIN;
    p->unroll = (uint8_t)chain_accesses(f, facts, p->vec);
    y->length = lanes * p->unroll;
    y->tiles = ceil_div(chunks, y->length);
    y->parts = false;
    y->grid[0] = (uint32_t)(y->outer * y->tiles);
}

/* How many columns one access may take: the one region joins only, and what it reads has neighbours
 * there, aligned, or the same element for all. 0: one by one. */
static int sides(const kir_func *f, const cu_facts *facts, const gpa_launch *l,
                 const uint64_t *base, int outer, cu_plan *p) {
    uint64_t wide = 0;
    size_t widest = 1, states = 0;
    int n = 0;
    for (int d = 0; d < f->ndim; d++) n += !(f->inner >> d & 1);
    bool each = false;
    if (n != 1 || facts->n_each != 1 || facts->branches) return 0;
    for (size_t i = 0; i < f->n_code; i++) {
        const kir_ins *k = &f->code[i];
        if (k->code == KIR_LOADX || k->code == KIR_BOUND || k->code == KIR_STOREX ||
            k->code == KIR_ATOMIC || k->code == KIR_FAULT)
            return 0;
        if (k->code == KIR_REDUCE) states += emit_state_bytes(f, (int32_t)i);
        each |= k->code == KIR_EACH;
        if (each) continue;
        if (k->code == KIR_LOAD || k->code == KIR_STORE || k->code == KIR_INDEX ||
            k->code == KIR_IOTA)
            return 0;
    }
    for (size_t a = 0; a < f->n_arrays; a++)
        if (by_points(f, a) && f->inner & ~f->arrays[a].zero) {
            if (f->arrays[a].access & KIR_WRITE) return 0;
            widest = MAX(widest, dtype_size((gpa_dtype)f->arrays[a].dtype));
        }
    int64_t side = 16 / (int64_t)widest;
    if (side > 4 || side < 2 || l->size[outer] % side || states > 16) return 0;
    for (size_t a = 0; a < f->n_arrays; a++) {
        const kir_array *k = &f->arrays[a];
        uint64_t size = dtype_size((gpa_dtype)k->dtype);
        if (!by_points(f, a) || !(f->inner & ~k->zero) || k->zero >> outer & 1) continue;
        bool fits = k->unit >> outer & 1 && base[a] % ((uint64_t)side * size) == 0;
        for (int d = 0; d < f->ndim; d++)
            fits &= d == outer || l->size[d] == 1 || l->arrays[a].stride[d] % side == 0;
        if (!fits) return 0;
        wide |= UINT64_C(1) << a;
    }
    if (!wide) return 0;
    p->wide = wide;
    return (int)side;
}

/* A block takes neighbouring columns, so that what it reads of a row lies together, and some rows
 * at a time. */
static void lay_columns(const kir_func *f, const cu_facts *facts, const gpa_launch *l,
                        const uint64_t *base, int outer, uint32_t units, bool dividable,
                        cu_layout *y) {
    cu_plan *p = &y->plan;
    int64_t width = 32;
    while (width < MOST_COLUMNS && y->outer >= 4 * width && y->chunks >= 64) width *= 2;
    if (width == MOST_COLUMNS && y->chunks >= SIDE_ROWS)
        p->side = (uint8_t)sides(f, facts, l, base, outer, p);
    if (p->side) width = 32 * p->side;
    int64_t rows = COLUMN_THREADS / width;
    while (rows > 1 && rows * 4 > y->chunks) rows /= 2;
    p->team = TEAM_COLUMN;
    p->width = (uint8_t)width;
    p->unroll = p->side                                                ? SIDE_LOADS
                : facts->branches || y->outer * y->chunks < FEW_POINTS ? 1
                                                                       : COLUMN_LOADS;
    p->threads = COLUMN_THREADS;
    y->block[0] = (uint32_t)width;
    y->block[1] = (uint32_t)rows;
    y->grid[0] = (uint32_t)ceil_div(y->outer, width);
    int64_t want = (int64_t)units * (p->side ? SIDE_BLOCKS : COLUMN_BLOCKS) /
                   y->grid[0]; /* rounded down: no few blocks are left for the end */
    if (dividable && want > 1 && y->chunks > 512) {
        y->length = MAX(ceil_div(y->chunks, MIN(want, MOST_PARTS)), 128);
        y->parts = y->length < y->chunks;
    }
}

static void lay_thread(cu_layout *y) {
    y->plan.team = TEAM_THREAD;
    y->plan.unroll = y->plan.vec = 1;
    y->plan.threads = 128;
    y->block[0] = 128;
    y->grid[0] = (uint32_t)ceil_div(y->outer, 128);
}

/* A thread takes a whole row where rows are short, or lie side by side and are many; else a block
 * takes it. */
static bool scan_by_thread(const cu_facts *facts, const cu_layout *y, bool down) {
    if (y->chunks <= 64) return true;
    return down || !facts->tiles ? y->outer >= (down ? 1 << 10 : 1 << 14) : false;
}

/* A point at a time. Few rows without scans are divided among blocks, as others are; what a branch
 * decides is different work, so that these are more than run at once. */
static void lay_in_order(const cu_facts *facts, uint32_t units, cu_layout *y) {
    bool simple =
        !facts->scans && !facts->reread &&
        !facts->nested; /* nothing needs the whole row's lanes to meet but their joining */
    bool warp = simple && y->chunks <= 256 && y->outer >= 64;
    y->plan.team = warp ? TEAM_WARP : TEAM_BLOCK;
    y->plan.threads = warp ? 32 * WARP_ROWS : facts->scans ? 512 : 256;
    y->block[0] = y->plan.threads;
    y->grid[0] = (uint32_t)(warp ? ceil_div(y->outer, WARP_ROWS) : y->outer);
    if (warp || !simple || facts->n_each != 1 || y->outer >= (int64_t)units * FEW_PER_UNIT) return;
    int64_t blocks = ceil_div((int64_t)units * ORDER_BLOCKS, y->outer);
    y->length = MAX(ceil_div(y->chunks, MIN(blocks, MOST_PARTS)), (int64_t)y->plan.threads);
    y->parts = y->length < y->chunks;
}

static void lay_teams(const kir_func *f, const cu_facts *facts, const gpa_launch *l,
                      const uint64_t *base, uint32_t units, cu_layout *y) {
    unsigned all = (1u << f->ndim) - 1;
    int last = last_dim(f, f->inner), outer_last = last_dim(f, all & ~f->inner);
    bool plain = !facts->branches && !facts->reread && (!facts->scans || facts->tiles);
    bool dividable = plain && !facts->outer_writes;
    y->plan.vec = y->plan.unroll = 1;
    y->outer = 1;
    for (int d = 0; d < f->ndim; d++)
        if (!(f->inner >> d & 1)) y->outer *= l->size[d];
    y->chunks = inner_chunks(f, l, last, 1);
    bool down = columns(f, l, outer_last, last);
    bool by_thread = facts->branches && y->outer >= 1024 && (down || y->chunks < 32);
    if (facts->outer_writes || by_thread || y->chunks < 8 ||
        (facts->scans && scan_by_thread(facts, y, down))) {
        lay_thread(y);
        return;
    }
    if (plain && !facts->scans && down) {
        lay_columns(f, facts, l, base, outer_last, units, dividable, y);
        return;
    }
    if (!plain) {
        lay_in_order(facts, units, y);
        return;
    }
    if (!facts->packs || facts->picks) choose_vector(f, facts, l, base, last, f->inner, &y->plan);
    y->plan.scan = facts->scans ? SCAN_TILES : SCAN_STEPS;
    y->chunks = inner_chunks(f, l, last, y->plan.vec);
    lay_rows(f, facts, units, last, dividable, y);
}

cu_layout plan_layout(const kir_func *f, const cu_facts *facts, const gpa_launch *l,
                      const uint64_t *base, const uint64_t *room, uint32_t units) {
    cu_layout y;
    memset(&y, 0, sizeof y);
    y.plan.part = PLAN_WHOLE;
    for (int d = 0; d < 3; d++) y.grid[d] = y.block[d] = 1;
    if (f->form == KIR_KERNEL) {
        for (int d = 0; d < 3; d++) y.grid[d] = l->grid[d], y.block[d] = l->block[d];
        y.plan.vec = y.plan.unroll = 1;
    } else if (!facts->n_each) {
        lay_points(f, facts, l, base, room, units, &y);
    } else {
        lay_teams(f, facts, l, base, units, &y);
    }
    return y;
}
