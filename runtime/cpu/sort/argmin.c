/* argmin and argmax: argmin.h.
 *
 * One pass over a row, four registers at a time: each lane keeps its best element and the offset of
 * the group of four that brought it, so an element costs one max and a quarter of a compare. The
 * group of the best lane is then searched for the index. Loops are branch-free and vectorized by
 * the compiler. Short rows are reduced one row per lane, two registers at a time. NaN wins over all
 * numbers: it shows in the sum of a block, which is then searched one by one. Reading order:
 * blocks and short rows (argmin.inc), bytes, bools, rows, calls. */
#include "runtime/cpu/sort/argmin.h"

#include <string.h>

#include "runtime/base/base.h"
#include "runtime/cpu/parallel/lanes.h"
#include "runtime/cpu/parallel/memory.h"
#include "runtime/cpu/parallel/threads.h"
#include "runtime/base/simd_clones.h"
#include "runtime/tables/tuning.h"

/* Before functions that do not get NaN, so that the compiler may use the processor's max
 * instruction; and before those inlined in them. Unrolled, they would spill the lanes. */
#ifdef __clang__
#define FINITE_MATH
#else
#define FINITE_MATH \
    __attribute__((optimize("O3", "finite-math-only", "no-signed-zeros", "no-loop-unroll-and-jam")))
#endif
#define WITHOUT_NAN GPA_TARGET_CLONES FINITE_MATH
#define WITHOUT_NAN_INLINE static inline __attribute__((always_inline)) FINITE_MATH

/* ---- blocks and short rows ---- */

#define T float
#define I int32_t
#define BEYOND >
#define FLOATS 1
#define VECTOR lanes_4
#define TRANSPOSE lanes_transpose_4
#define NAME(x) f32_most_##x
#include "runtime/cpu/sort/argmin.inc"
#define T float
#define I int32_t
#define BEYOND <
#define FLOATS 1
#define VECTOR lanes_4
#define TRANSPOSE lanes_transpose_4
#define NAME(x) f32_least_##x
#include "runtime/cpu/sort/argmin.inc"
#define T double
#define I int64_t
#define BEYOND >
#define FLOATS 1
#define VECTOR lanes_8
#define TRANSPOSE lanes_transpose_8
#define NAME(x) f64_most_##x
#include "runtime/cpu/sort/argmin.inc"
#define T double
#define I int64_t
#define BEYOND <
#define FLOATS 1
#define VECTOR lanes_8
#define TRANSPOSE lanes_transpose_8
#define NAME(x) f64_least_##x
#include "runtime/cpu/sort/argmin.inc"
#define T int16_t
#define I int16_t
#define BEYOND >
#define FLOATS 0
#define NAME(x) i16_most_##x
#include "runtime/cpu/sort/argmin.inc"
#define T int16_t
#define I int16_t
#define BEYOND <
#define FLOATS 0
#define NAME(x) i16_least_##x
#include "runtime/cpu/sort/argmin.inc"
#define T int32_t
#define I int32_t
#define BEYOND >
#define FLOATS 0
#define VECTOR lanes_4
#define TRANSPOSE lanes_transpose_4
#define NAME(x) i32_most_##x
#include "runtime/cpu/sort/argmin.inc"
#define T int32_t
#define I int32_t
#define BEYOND <
#define FLOATS 0
#define VECTOR lanes_4
#define TRANSPOSE lanes_transpose_4
#define NAME(x) i32_least_##x
#include "runtime/cpu/sort/argmin.inc"
#define T int64_t
#define I int64_t
#define BEYOND >
#define FLOATS 0
#define VECTOR lanes_8
#define TRANSPOSE lanes_transpose_8
#define NAME(x) i64_most_##x
#include "runtime/cpu/sort/argmin.inc"
#define T int64_t
#define I int64_t
#define BEYOND <
#define FLOATS 0
#define VECTOR lanes_8
#define TRANSPOSE lanes_transpose_8
#define NAME(x) i64_least_##x
#include "runtime/cpu/sort/argmin.inc"
#define T uint16_t
#define I int16_t
#define BEYOND >
#define FLOATS 0
#define NAME(x) u16_most_##x
#include "runtime/cpu/sort/argmin.inc"
#define T uint16_t
#define I int16_t
#define BEYOND <
#define FLOATS 0
#define NAME(x) u16_least_##x
#include "runtime/cpu/sort/argmin.inc"
#define T uint32_t
#define I int32_t
#define BEYOND >
#define FLOATS 0
#define NAME(x) u32_most_##x
#include "runtime/cpu/sort/argmin.inc"
#define T uint32_t
#define I int32_t
#define BEYOND <
#define FLOATS 0
#define NAME(x) u32_least_##x
#include "runtime/cpu/sort/argmin.inc"
#define T uint64_t
#define I int64_t
#define BEYOND >
#define FLOATS 0
#define NAME(x) u64_most_##x
#include "runtime/cpu/sort/argmin.inc"
#define T uint64_t
#define I int64_t
#define BEYOND <
#define FLOATS 0
#define NAME(x) u64_least_##x
#include "runtime/cpu/sort/argmin.inc"

/* ---- bytes ---- */

/* memchr finds the extremum once its value is known. */
GPA_SIMD_CLONES static int64_t i8_most_row(const void *row, int64_t n) {
    const int8_t *x = row;
    int8_t best = x[0];
    for (int64_t i = 1; i < n; i++) best = MAX(best, x[i]);
    return (const int8_t *)memchr(x, (uint8_t)best, (size_t)n) - x;
}

GPA_SIMD_CLONES static int64_t i8_least_row(const void *row, int64_t n) {
    const int8_t *x = row;
    int8_t best = x[0];
    for (int64_t i = 1; i < n; i++) best = MIN(best, x[i]);
    return (const int8_t *)memchr(x, (uint8_t)best, (size_t)n) - x;
}

GPA_SIMD_CLONES static int64_t u8_most_row(const void *row, int64_t n) {
    const uint8_t *x = row;
    uint8_t best = x[0];
    for (int64_t i = 1; i < n; i++) best = MAX(best, x[i]);
    return (const uint8_t *)memchr(x, best, (size_t)n) - x;
}

GPA_SIMD_CLONES static int64_t u8_least_row(const void *row, int64_t n) {
    const uint8_t *x = row;
    uint8_t best = x[0];
    for (int64_t i = 1; i < n; i++) best = MIN(best, x[i]);
    return (const uint8_t *)memchr(x, best, (size_t)n) - x;
}

/* ---- bools ---- */

GPA_SIMD_CLONES static bool any_true(const uint8_t *x) {
    uint8_t any = 0;
    for (int i = 0; i < TUNE_ARGMIN_BOOLS_SKIPPED; i++) any |= x[i];
    return any;
}

/* How many of n bools may be skipped: no true (nonzero) one is among them; no false one. */
static int64_t skip_false(const uint8_t *x, int64_t n) {
    int64_t from = 0;
    while (from + TUNE_ARGMIN_BOOLS_SKIPPED <= n && !any_true(x + from))
        from += TUNE_ARGMIN_BOOLS_SKIPPED;
    return from;
}

static int64_t skip_true(const uint8_t *x, int64_t n) {
    const uint8_t *found = memchr(x, 0, (size_t)n);
    return found ? found - x : n;
}

/* The lowest bit of each true byte of a word; bit 7 of each false one up to the first. */
static inline uint64_t true_bytes(uint64_t w) { return w; }

static inline uint64_t false_bytes(uint64_t w) {
    return (w - UINT64_MAX / 255) & ~w & UINT64_MAX / 255 * 128;
}

/* Index of the first bool that `hits` marks in a word; else 0. The first bools are checked eight at
 * a time; `skip` skips through the rest. */
static inline __attribute__((always_inline)) int64_t first_hit(const uint8_t *x, int64_t n,
                                                               uint64_t (*hits)(uint64_t),
                                                               int64_t (*skip)(const uint8_t *,
                                                                               int64_t)) {
    for (int64_t i = 0; i < n; i += 8) {
        if (i == TUNE_ARGMIN_BOOLS_BY_WORD) i += skip(x + i, n - i);
        uint64_t w = 0;
        int64_t from = MAX(0, MIN(i, n - 8)), at;
        if (n < 8)
            memcpy(&w, x, (size_t)n);
        else
            memcpy(&w, x + from, sizeof w);
        if (hits(w) && (at = from + (__builtin_ctzll(hits(w)) >> 3)) < n) return at;
    }
    return 0;
}

static int64_t bool_most_row(const void *row, int64_t n) {
    return first_hit(row, n, true_bytes, skip_false);
}

static int64_t bool_least_row(const void *row, int64_t n) {
    return first_hit(row, n, false_bytes, skip_true);
}

/* ---- rows ---- */

typedef int64_t (*finder)(const void *row, int64_t n);

typedef bool (*rows_finder)(const void *rows, int64_t n, int64_t *out);

/* By dtype: argmin and argmax of a row; the same of several short rows at a time. */
#define ROW(name) .find = {name##_least_row, name##_most_row}
#define ROWS(name) ROW(name), .find_rows = {name##_least_rows, name##_most_rows}
static const struct {
    finder find[2];
    rows_finder find_rows[2];
} finders[DT_COUNT] = {
    [DT_BOOL] = {ROW(bool)}, [DT_I8] = {ROW(i8)},    [DT_I16] = {ROW(i16)},  [DT_I32] = {ROWS(i32)},
    [DT_I64] = {ROWS(i64)},  [DT_U8] = {ROW(u8)},    [DT_U16] = {ROW(u16)},  [DT_U32] = {ROW(u32)},
    [DT_U64] = {ROW(u64)},   [DT_F32] = {ROWS(f32)}, [DT_F64] = {ROWS(f64)},
};
#undef ROWS
#undef ROW

typedef struct {
    finder find;
    rows_finder find_rows; /* NULL: one row at a time */
    const char *in;
    int64_t *out, rows, n, item, per_item;
    int64_t parts, *best; /* of a row that several threads share: the best index of each part */
} work;

static void some_rows(void *arg, int64_t i) {
    const work *k = arg;
    int64_t row = i * k->per_item, end = MIN((i + 1) * k->per_item, k->rows),
            together = LANES_BYTES / k->item;
    for (; k->find_rows && row + together <= end; row += together)
        if (!k->find_rows(k->in + row * k->n * k->item, k->n, k->out + row))
            for (int64_t r = row; r < row + together; r++)
                k->out[r] = k->find(k->in + r * k->n * k->item, k->n);
    for (; row < end; row++) k->out[row] = k->find(k->in + row * k->n * k->item, k->n);
}

static void one_part(void *arg, int64_t i) {
    const work *k = arg;
    int64_t from = k->n * i / k->parts, to = k->n * (i + 1) / k->parts;
    k->best[i] = from + k->find(k->in + from * k->item, to - from);
}

/* ---- calls ---- */

bool argminmax_can(const gpa_libcall *c) {
    return c->argminmax.n >= TUNE_ARGMIN_MIN_ROW_ELEMS && finders[c->dtype].find[c->argminmax.max];
}

/* One long row, partitioned among the threads: the best of their results. */
static gpa_code split_row(work *k, int threads, const int32_t *stop, gpa_err *e) {
    k->parts = MIN(threads, k->n * k->item / TUNE_ARGMIN_PART_BYTES);
    k->best = mem_new((size_t)k->parts * sizeof *k->best);
    char *values = mem_new((size_t)(k->parts * k->item));
    gpa_code rc = k->best && values ? GPA_OK : gpa_no_memory(e);
    if (!rc) threads_each(threads, k->parts, stop, one_part, k);
    for (int64_t i = 0; i < k->parts && !rc && !threads_stopped(stop); i++)
        memcpy(values + i * k->item, k->in + k->best[i] * k->item, (size_t)k->item);
    if (!rc && !threads_stopped(stop)) k->out[0] = k->best[k->find(values, k->parts)];
    mem_free(k->best);
    mem_free(values);
    return rc;
}

gpa_code argminmax_run(int threads, const int32_t *stop, const gpa_libcall *c, gpa_err *e) {
    int64_t item = (int64_t)dtype_size(c->dtype);
    work k = {.find = finders[c->dtype].find[c->argminmax.max],
              .rows = c->argminmax.rows,
              .n = c->argminmax.n,
              .item = item,
              .per_item = MAX(1, TUNE_ARGMIN_ITEM_ELEMS / c->argminmax.n)};
    if (k.n <= (k.rows * k.n * item > TUNE_ARGMIN_SHORT_ROWS_MAX_BYTES
                    ? TUNE_ARGMIN_SHORT_ROW_MAX_ELEMS / 2
                    : TUNE_ARGMIN_SHORT_ROW_MAX_ELEMS)) {
        k.find_rows = finders[c->dtype].find_rows[c->argminmax.max];
        k.per_item = (k.per_item + LANES_4 - 1) / LANES_4 * LANES_4;
    }
    k.in = c->argminmax.in.mem->base + c->argminmax.in.offset * item;
    k.out = (int64_t *)(void *)c->argminmax.out.mem->base + c->argminmax.out.offset;
    gpa_code rc = GPA_OK;
    if (k.rows == 1 && threads > 1 && k.n * k.item >= 2 * TUNE_ARGMIN_PART_BYTES)
        rc = split_row(&k, threads, stop, e);
    else
        threads_each(k.rows * k.n < TUNE_ARGMIN_ITEM_ELEMS ? 1 : threads,
                     (k.rows + k.per_item - 1) / k.per_item, stop, some_rows, &k);
    if (!rc && threads_stopped(stop)) rc = gpa_interrupted(e);
    return rc;
}
