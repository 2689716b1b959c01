/* The ranks device without MPI: byte intervals of index maps and placement of memory, both against
 * a table of bytes; the sort by regular sampling. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/base/base.h"
#include "runtime/ranks/placement.h"
#include "runtime/ranks/region.h"
#include "runtime/ranks/sort_share.h"

enum { BYTES = 4096, ROUNDS = 3000 };

static uint32_t below(uint64_t *state, uint32_t n) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % n;
}

/* ---- regions ---- */

typedef struct {
    bool covered[BYTES], exact;
    int64_t low, high; /* of the offsets that may occur */
} cover;

static bool emit(void *user, int64_t from, int64_t to, bool exact) {
    cover *c = user;
    assert_true(from < to && from >= 0 && to <= BYTES);
    for (int64_t i = from; i < to; i++) c->covered[i] = true;
    c->exact = c->exact && exact;
    return true;
}

/* Marks what each point of the region accesses. */
static void access_points(const region *r, bool *accessed) {
    int64_t points = 1, others = 1;
    for (int i = 0; i < r->ndim; i++) *(i < r->divided ? &points : &others) *= r->size[i];
    for (int64_t p = r->lo; p < r->hi; p++)
        for (int64_t q = 0; q < others; q++) {
            int64_t at = r->offset, rest = p;
            for (int i = r->divided - 1; i >= 0; i--) {
                at += rest % r->size[i] * r->stride[i];
                rest /= r->size[i];
            }
            rest = q;
            for (int i = r->ndim - 1; i >= r->divided; i--) {
                at += rest % r->size[i] * r->stride[i];
                rest /= r->size[i];
            }
            for (int64_t b = 0; b < r->item; b++) accessed[at * r->item + b] = true;
        }
}

static region random_region(uint64_t *state) {
    static const int64_t items[] = {1, 2, 4, 8};
    region r = {.ndim = (int)below(state, 4), .item = items[below(state, 4)]};
    int64_t points = 1, low = 0;
    r.divided = (int)below(state, (uint32_t)r.ndim + 1);
    for (int i = 0; i < r.ndim; i++) {
        r.size[i] = 1 + below(state, 5);
        r.stride[i] = (int64_t)below(state, 49) - 24;
        if (below(state, 3) == 0) r.stride[i] = 1;
        if (r.stride[i] < 0) low += r.stride[i] * (r.size[i] - 1);
        if (i < r.divided) points *= r.size[i];
    }
    r.offset = below(state, 20) - low;
    r.lo = below(state, (uint32_t)points + 1);
    r.hi = r.lo + below(state, (uint32_t)(points - r.lo) + 1);
    return r;
}

static void test_region(void **state) {
    uint64_t random = 1;
    int exact = 0;
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        const region r = random_region(&random);
        static cover c;
        static bool accessed[BYTES];
        memset(&c, 0, sizeof c), memset(accessed, 0, sizeof accessed);
        c.exact = true;
        assert_true(region_intervals(&r, emit, &c));
        access_points(&r, accessed);
        for (int b = 0; b < BYTES; b++) {
            assert_true(c.covered[b] || !accessed[b]);
            if (c.exact) assert_true(accessed[b] || !c.covered[b]);
        }
        exact += c.exact;
    }
    assert_true(exact > ROUNDS / 2);
}

/* Many rows: the gaps between them are included, and the intervals stay few. */
static bool count(void *user, int64_t from, int64_t to, bool exact) {
    (void)from, (void)to, (void)exact;
    ++*(int *)user;
    return true;
}

static void test_many_rows(void **state) {
    const region r = {
        .ndim = 2, .size = {100000, 10}, .stride = {1000, 1}, .item = 8, .hi = 1, .divided = 0};
    int n = 0;
    (void)state;
    assert_true(region_intervals(&r, count, &n));
    assert_int_equal(n, 1);
}

/* ---- placement ---- */

static void test_placement(void **state) {
    enum { N = 200, OPERATIONS = 4000 };
    uint64_t random = 7;
    rank_set ranks[N];
    placement p;
    memset(ranks, 0, sizeof ranks);
    (void)state;
    assert_true(placement_init(&p, N));
    for (int i = 0; i < OPERATIONS; i++) {
        const size_t from = below(&random, N), to = from + below(&random, (uint32_t)(N - from) + 1);
        const int rank = (int)below(&random, 4) * 300; /* also of other words of a set */
        const bool add = below(&random, 2);
        assert_true(add ? placement_add(&p, from, to, rank) : placement_set(&p, from, to, rank));
        for (size_t k = from; k < to; k++) {
            if (!add) ranks[k] = rank_set_of(rank);
            rank_set_add(&ranks[k], rank);
        }
        for (size_t k = 0; k < N; k++)
            assert_true(rank_set_equal(&p.run[placement_find(&p, k)].ranks, &ranks[k]));
        for (size_t k = 1; k < p.n; k++) {
            assert_false(rank_set_equal(&p.run[k].ranks, &p.run[k - 1].ranks));
            assert_true(p.run[k].end > p.run[k - 1].end);
        }
        assert_int_equal(p.run[p.n - 1].end, N);
    }
    placement_free(&p);
}

/* ---- sort ---- */

enum { ROW = 3000, SORT_RANKS = 5, SAMPLES = 16 };

/* Elements by key, and equal ones by index: the definition. */
static const float *sorted_row;
static int by_key(const void *a, const void *b) {
    const int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    const uint64_t x = sort_share_key(DT_F32, &sorted_row[i]),
                   y = sort_share_key(DT_F32, &sorted_row[j]);
    return x != y ? (x < y ? -1 : 1) : (i > j) - (i < j);
}

static void sort_indices(const float *row, int64_t lo, int64_t hi, int64_t *out) {
    sorted_row = row;
    for (int64_t i = lo; i < hi; i++) out[i] = i;
    qsort(out + lo, (size_t)(hi - lo), sizeof *out, by_key);
}

/* Sorts a row by blocks, splitters and merges; returns the elements of the largest share. */
static int64_t sort_by_ranks(const float *row, float *out, int64_t *indices) {
    int64_t at[ROW], cut[SORT_RANKS + 1], most = 0, made = 0;
    float keys[ROW];
    splitter samples[SORT_RANKS * SAMPLES], chosen[SORT_RANKS];
    for (int r = 0; r <= SORT_RANKS; r++) cut[r] = ROW * r / SORT_RANKS;
    for (int r = 0; r < SORT_RANKS; r++) {
        sort_indices(row, cut[r], cut[r + 1], at);
        for (int64_t i = cut[r]; i < cut[r + 1]; i++) keys[i] = row[at[i]];
        sort_share_sample(DT_F32, keys + cut[r], cut[r + 1] - cut[r], SAMPLES,
                          samples + r * SAMPLES);
        for (int i = 0; i < SAMPLES; i++) samples[r * SAMPLES + i].at += cut[r];
    }
    sort_share_choose(samples, SORT_RANKS * SAMPLES, SORT_RANKS - 1, chosen);
    int64_t begun[SORT_RANKS] = {0};
    for (int r = 0; r < SORT_RANKS; r++) {
        sorted_run runs[SORT_RANKS], with_indices[SORT_RANKS];
        int64_t n = 0;
        for (int b = 0; b < SORT_RANKS; b++) {
            const int64_t all = cut[b + 1] - cut[b],
                          end = r == SORT_RANKS - 1 ? all
                                                    : sort_share_search(DT_F32, keys + cut[b], all,
                                                                        cut[b], &chosen[r]);
            assert_true(end >= begun[b]);
            runs[b] = (sorted_run){keys + cut[b] + begun[b], NULL, end - begun[b]};
            with_indices[b] = runs[b];
            with_indices[b].indices = at + cut[b] + begun[b];
            n += end - begun[b];
            begun[b] = end;
        }
        assert_true(sort_share_merge(DT_F32, runs, SORT_RANKS, out + made));
        assert_true(sort_share_merge(DT_F32, with_indices, SORT_RANKS, indices + made));
        made += n;
        most = n > most ? n : most;
    }
    assert_int_equal(made, ROW);
    return most;
}

/* The result is the stable sort of the row, also of equal elements, zeros of both signs and NaN;
 * and the shares are of about equal size. */
static void test_sort(void **state) {
    (void)state;
    uint64_t random = 9;
    static float row[ROW], out[ROW];
    static int64_t indices[ROW], want[ROW];
    static const float special[] = {NAN, -0.0f, 0.0f, INFINITY, -INFINITY};
    for (int round = 0; round < 12; round++) {
        const uint32_t values = round % 4 == 0 ? 1 : round % 4 == 1 ? 3 : 100000;
        for (int i = 0; i < ROW; i++)
            row[i] = round % 3 == 2 && below(&random, 4) == 0 ? special[below(&random, 5)]
                                                              : (float)below(&random, values) - 1;
        const int64_t most = sort_by_ranks(row, out, indices);
        assert_true(most <= ROW / SORT_RANKS + 2 * ROW / SAMPLES);
        sort_indices(row, 0, ROW, want);
        for (int i = 0; i < ROW; i++) {
            assert_int_equal(indices[i], want[i]);
            assert_memory_equal(&out[i], &row[want[i]], sizeof *out);
        }
    }
}

UNIT_TESTS(TEST(test_region), TEST(test_many_rows), TEST(test_placement), TEST(test_sort))
