/* argmin and argmax: argmin.h.
 *
 * One pass over a row, four registers at a time: each lane keeps its best element and the offset of
 * the group of four that brought it, so an element costs one max and a quarter of a compare. The
 * group of the best lane is then searched for the index. Loops are branch-free and vectorized by
 * the compiler. Short rows are reduced one row per lane, two registers at a time. NaN wins over all
 * numbers: it shows in the sum of a block, which is then searched one by one. Reading order:
 * blocks, bytes and bools, short rows, rows, calls. */
#include "runtime/cpu/sort/argmin.h"

#include <string.h>

#include "runtime/base/base.h"
#include "runtime/cpu/parallel/lanes.h"
#include "runtime/cpu/parallel/memory.h"
#include "runtime/cpu/parallel/threads.h"
#include "runtime/base/simd_clones.h"

/* Elements of a block, of the shortest row that pays for the call, of the longest short rows, of an
 * item of work; bytes beyond the cache, where short rows are half as long; bytes of the share of a
 * row that a thread takes; bools that are checked by words, and that are skipped at once. */
enum {
    BLOCK = 1 << 14,
    SHORTEST = 48,
    SHORT = 512,
    ITEM = 1 << 15,
    FARTHER = 12 << 20,
    PART = 1 << 20,
    NEAR = 64,
    FAR = 512
};

/* Without NaN the compiler may use the processor's max instruction. Unrolled, it would spill the
 * lanes. */
#ifdef __clang__
#define NUMBERS GPA_SIMD_CLONES
#else
#define NUMBERS                       \
    GPA_TARGET_CLONES __attribute__(( \
        optimize("O3", "finite-math-only", "no-signed-zeros", "no-loop-unroll-and-jam")))
#endif

/* ---- blocks ---- */

/* Each lane keeps the best of n elements of type T, and the offset of the G registers (1, 2 or 4)
 * that brought it; and sums the elements. n elements fill at least G registers; the last load may
 * overlap. */
#define WALK(T, I, G, BEYOND, ADD, x, n, best, at, sum)                                      \
    GPA_NO_UNROLL for (I k = 0; k < L; k++) best[k] = x[k];                                  \
    GPA_NO_UNROLL for (I k = 0; k < L; k++) at[k] = 0;                                       \
    GPA_NO_UNROLL for (I k = 0; k < L; k++) sum[k] = 0;                                      \
    int64_t i = 0;                                                                           \
    do {                                                                                     \
        I here = (I)MIN(i, n - G * L);                                                       \
        const T *y = x + here;                                                               \
        GPA_NO_UNROLL for (I k = 0; k < L; k++) {                                            \
            T a = y[k], b = y[k + (G > 1) * L], c = y[k + (G > 2) * 2 * L],                  \
              d = y[k + (G > 2 ? 3 : G > 1) * L];                                            \
            T e = a BEYOND b ? a : b, f = c BEYOND d ? c : d, g = e BEYOND f ? e : f;        \
            sum[k] = ADD(sum[k], G > 2 ? ADD(ADD(a, b), ADD(c, d)) : G > 1 ? ADD(a, b) : a); \
            at[k] = g BEYOND best[k] ? here : at[k];                                         \
            best[k] = g BEYOND best[k] ? g : best[k];                                        \
        }                                                                                    \
    } while ((i += G * L) < n);

/* True if there was a NaN, by the sums: INFINITE are the bits of infinity, 0 for integers. */
#define LOOK_FOR_LOST(I, INFINITE, sum, count, lost)                                            \
    if (INFINITE) {                                                                             \
        I bits[count], most = (I)(INT64_MAX >> (64 - 8 * (int)sizeof(I)));                      \
        memcpy(bits, sum, sizeof bits);                                                         \
        GPA_NO_UNROLL for (I k = 0; k < (count); k++) lost |= (bits[k] & most) > (I)(INFINITE); \
    }

/* Index of the best of n numbers; -1 when one may be NaN. I is an integer of the size of T. */
#define BLOCK_OF(name, T, I, G, BEYOND, ADD, INFINITE)                                    \
    NUMBERS static int64_t name(const T *x, int64_t n) {                                  \
        enum { L = LANES_BYTES / sizeof(T) };                                             \
        T best[L], sum[L], one;                                                           \
        I at[L], none = (I)BLOCK, from = none, place = none, lost = 0;                    \
        WALK(T, I, G, BEYOND, ADD, x, n, best, at, sum)                                   \
        LOOK_FOR_LOST(I, INFINITE, sum, L, lost)                                          \
        if (lost) return -1;                                                              \
        one = best[0];                                                                    \
        GPA_NO_UNROLL for (I k = 0; k < L; k++) one = best[k] BEYOND one ? best[k] : one; \
        GPA_NO_UNROLL for (I k = 0; k < L; k++) {                                         \
            I here = best[k] == one ? at[k] : none;                                       \
            from = here < from ? here : from;                                             \
        }                                                                                 \
        GPA_NO_UNROLL for (I k = 0; k < G * L; k++) {                                     \
            I here = x[from + k] == one ? k : none;                                       \
            place = here < place ? here : place;                                          \
        }                                                                                 \
        return from + place;                                                              \
    }
/* Variants for few elements or with NaN, and for a whole row. */
#define BLOCKS(name, T, I, BEYOND, ADD, INFINITE)                                              \
    BLOCK_OF(name##_by_one, T, I, 1, BEYOND, ADD, INFINITE)                                    \
    BLOCK_OF(name##_by_four, T, I, 4, BEYOND, ADD, INFINITE)                                   \
    static int64_t name##_any(const T *x, int64_t n) {                                         \
        int64_t best = 0;                                                                      \
        for (int64_t i = 0; i < n; i++) {                                                      \
            if (x[i] != x[i]) return i;                                                        \
            if (x[i] BEYOND x[best]) best = i;                                                 \
        }                                                                                      \
        return best;                                                                           \
    }                                                                                          \
    static int64_t name(const void *row, int64_t n) {                                          \
        enum { L = LANES_BYTES / sizeof(T) };                                                  \
        const T *x = row;                                                                      \
        int64_t at = 0, m = MIN(BLOCK, n);                                                     \
        for (int64_t i = 0; i < n; i += BLOCK) {                                               \
            const T *y = x + MIN(i, n - m);                                                    \
            int64_t p = m >= 4 * L ? name##_by_four(y, m) : m >= L ? name##_by_one(y, m) : -1; \
            if (p < 0) p = name##_any(y, m);                                                   \
            if (y[p] != y[p]) return y - x + p;                                                \
            if (y[p] BEYOND x[at]) at = y - x + p;                                             \
        }                                                                                      \
        return at;                                                                             \
    }
#define INFINITE_4 0x7F800000
#define INFINITE_8 0x7FF0000000000000
#define SUM(a, b) ((a) + (b))
#define WHOLE(a, b) ((void)(b), (a)) /* integers have no NaN */
#define BOTH(name, T, I, ADD, INFINITE) \
    BLOCKS(name##_most, T, I, >, ADD, INFINITE) BLOCKS(name##_least, T, I, <, ADD, INFINITE)
BOTH(f32, float, int32_t, SUM, INFINITE_4)
BOTH(f64, double, int64_t, SUM, INFINITE_8)
BOTH(i16, int16_t, int16_t, WHOLE, 0)
BOTH(i32, int32_t, int32_t, WHOLE, 0)
BOTH(i64, int64_t, int64_t, WHOLE, 0)
BOTH(u16, uint16_t, int16_t, WHOLE, 0)
BOTH(u32, uint32_t, int32_t, WHOLE, 0)
BOTH(u64, uint64_t, int64_t, WHOLE, 0)

/* Bytes: memchr finds the extremum once its value is known. */
#define BYTES(name, T, BEYOND)                                                 \
    GPA_SIMD_CLONES static int64_t name(const void *row, int64_t n) {          \
        const T *x = row;                                                      \
        T best = x[0];                                                         \
        for (int64_t i = 1; i < n; i++) best = x[i] BEYOND best ? x[i] : best; \
        return (const T *)memchr(x, (uint8_t)best, (size_t)n) - x;             \
    }
BYTES(i8_most, int8_t, >)
BYTES(i8_least, int8_t, <)
BYTES(u8_most, uint8_t, >)
BYTES(u8_least, uint8_t, <)

/* How many of n bools can be skipped before the first true (nonzero) byte, or the first false
 * one. */
GPA_SIMD_CLONES static bool some_true(const uint8_t *x) {
    uint8_t any = 0;
    for (int i = 0; i < FAR; i++) any |= x[i];
    return any;
}

static int64_t far_true(const uint8_t *x, int64_t n) {
    int64_t from = 0;
    while (from + FAR <= n && !some_true(x + from)) from += FAR;
    return from;
}

static int64_t far_false(const uint8_t *x, int64_t n) {
    const uint8_t *found = memchr(x, 0, (size_t)n);
    return found ? found - x : n;
}

/* Index of the first true or false bool: HIT sets the lowest bit of each such byte of a word. The
 * first ones are checked eight at a time; FIRST skips through the rest. */
#define BOOL(name, HIT, FIRST)                                                         \
    static int64_t name(const void *row, int64_t n) {                                  \
        const uint8_t *x = row;                                                        \
        for (int64_t i = 0; i < n; i += 8) {                                           \
            if (i == NEAR) i += FIRST(x + i, n - i);                                   \
            uint64_t w = 0;                                                            \
            int64_t from = MAX(0, MIN(i, n - 8)), at;                                  \
            if (n < 8)                                                                 \
                memcpy(&w, x, (size_t)n);                                              \
            else                                                                       \
                memcpy(&w, x + from, sizeof w);                                        \
            if (HIT(w) && (at = from + (__builtin_ctzll(HIT(w)) >> 3)) < n) return at; \
        }                                                                              \
        return 0;                                                                      \
    }
#define IS_TRUE(w) (w)
#define IS_FALSE(w) (((w)-UINT64_MAX / 255) & ~(w)&UINT64_MAX / 255 * 128)
BOOL(bool_most, IS_TRUE, far_true)
BOOL(bool_least, IS_FALSE, far_false)

/* ---- short rows ---- */

/* For elements of type T, of `size` bytes: the indices of as many rows as there are lanes,
 * transposed into lanes. False when there may be a NaN. */
#define SHORT_ROWS(name, T, size, BEYOND, ADD, INFINITE)                                   \
    NUMBERS static bool name(const void *rows, int64_t n, int64_t *out) {                  \
        enum { L = LANES_##size, G = 2 }; /* four take longer to search than they save */  \
        typedef int##size##_bits I;                                                        \
        lanes_##size values[L], turned[L];                                                 \
        T bests[L * L], sums[L * L], best[L], sum[L];                                      \
        I ats[L * L], places[L * L], at[L], from[L], place[L], none = (I)BLOCK, lost = 0;  \
        for (int r = 0; r < L; r++) {                                                      \
            const T *x = (const T *)rows + r * n;                                          \
            WALK(T, I, G, BEYOND, ADD, x, n, best, at, sum)                                \
            GPA_NO_UNROLL for (I k = 0; k < L; k++) bests[r * L + k] = best[k];            \
            GPA_NO_UNROLL for (I k = 0; k < L; k++) ats[r * L + k] = at[k];                \
            GPA_NO_UNROLL for (I k = 0; k < L; k++) sums[r * L + k] = sum[k];              \
        }                                                                                  \
        for (int r = 0; r < L - 1; r++)                                                    \
            GPA_NO_UNROLL for (I k = 0; k < L; k++) sum[k] = ADD(sum[k], sums[r * L + k]); \
        LOOK_FOR_LOST(I, INFINITE, sum, L, lost)                                           \
        if (lost) return false;                                                            \
        lanes_transpose_##size((void *)bests, values);                                     \
        lanes_transpose_##size(ats, turned);                                               \
        memcpy(best, values, sizeof best);                                                 \
        for (int l = 1; l < L; l++) {                                                      \
            T other[L];                                                                    \
            memcpy(other, values + l, sizeof other);                                       \
            GPA_NO_UNROLL for (I k = 0; k < L; k++) best[k] =                              \
                other[k] BEYOND best[k] ? other[k] : best[k];                              \
        }                                                                                  \
        GPA_NO_UNROLL for (I k = 0; k < L; k++) from[k] = place[k] = none;                 \
        for (int l = 0; l < L; l++) {                                                      \
            T other[L];                                                                    \
            memcpy(other, values + l, sizeof other);                                       \
            memcpy(at, turned + l, sizeof at);                                             \
            GPA_NO_UNROLL for (I k = 0; k < L; k++) {                                      \
                I here = other[k] == best[k] ? at[k] : none;                               \
                from[k] = here < from[k] ? here : from[k];                                 \
            }                                                                              \
        }                                                                                  \
        for (int r = 0; r < L; r++) {                                                      \
            const T *y = (const T *)rows + r * n + from[r], one = best[r];                 \
            GPA_NO_UNROLL for (I k = 0; k < L; k++) {                                      \
                I here = none;                                                             \
                for (int g = G - 1; g >= 0; g--)                                           \
                    here = y[g * L + k] == one ? (I)(g * L + k) : here;                    \
                places[r * L + k] = here;                                                  \
            }                                                                              \
        }                                                                                  \
        lanes_transpose_##size(places, turned);                                            \
        for (int l = 0; l < L; l++) {                                                      \
            memcpy(at, turned + l, sizeof at);                                             \
            GPA_NO_UNROLL for (I k = 0; k < L; k++) place[k] =                             \
                at[k] < place[k] ? at[k] : place[k];                                       \
        }                                                                                  \
        for (int k = 0; k < L; k++) out[k] = from[k] + place[k];                           \
        return true;                                                                       \
    }
typedef int32_t int4_bits;
typedef int64_t int8_bits;
#define BOTH_ROWS(name, T, size, ADD, INFINITE)             \
    SHORT_ROWS(name##_most_rows, T, size, >, ADD, INFINITE) \
    SHORT_ROWS(name##_least_rows, T, size, <, ADD, INFINITE)
BOTH_ROWS(f32, float, 4, SUM, INFINITE_4)
BOTH_ROWS(f64, double, 8, SUM, INFINITE_8)
BOTH_ROWS(i32, int32_t, 4, WHOLE, 0)
BOTH_ROWS(i64, int64_t, 8, WHOLE, 0)

/* ---- rows ---- */

typedef int64_t (*finder)(const void *row, int64_t n);

typedef bool (*rows_finder)(const void *rows, int64_t n, int64_t *out);

/* By dtype: argmin and argmax of a row; the same of several short rows at a time. */
#define ROW(name) .find = {name##_least, name##_most}
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
    rows_finder find_rows; /* NULL: one by one */
    const char *in;
    int64_t *out, rows, n, item, per_item;
    int64_t parts, *place; /* of a row that several threads share: the best index of each share */
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
    k->place[i] = from + k->find(k->in + from * k->item, to - from);
}

/* ---- calls ---- */

bool argminmax_can(const gpa_libcall *c) {
    return c->argminmax.n >= SHORTEST && finders[c->dtype].find[c->argminmax.max];
}

/* One long row, partitioned among the threads: the best of their results. */
static gpa_code by_parts(work *k, int threads, const int32_t *stop, gpa_err *e) {
    k->parts = MIN(threads, k->n * k->item / PART);
    k->place = mem_new((size_t)k->parts * sizeof *k->place);
    char *best = mem_new((size_t)(k->parts * k->item));
    gpa_code rc = k->place && best ? GPA_OK : gpa_no_memory(e);
    if (!rc) threads_each(threads, k->parts, stop, one_part, k);
    for (int64_t i = 0; i < k->parts && !rc && !threads_stopped(stop); i++)
        memcpy(best + i * k->item, k->in + k->place[i] * k->item, (size_t)k->item);
    if (!rc && !threads_stopped(stop)) k->out[0] = k->place[k->find(best, k->parts)];
    mem_free(k->place);
    mem_free(best);
    return rc;
}

gpa_code argminmax_run(int threads, const int32_t *stop, const gpa_libcall *c, gpa_err *e) {
    int64_t item = (int64_t)dtype_size(c->dtype);
    work k = {.find = finders[c->dtype].find[c->argminmax.max],
              .rows = c->argminmax.rows,
              .n = c->argminmax.n,
              .item = item,
              .per_item = MAX(1, ITEM / c->argminmax.n)};
    if (k.n <= (k.rows * k.n * item > FARTHER ? SHORT / 2 : SHORT)) {
        k.find_rows = finders[c->dtype].find_rows[c->argminmax.max];
        k.per_item = (k.per_item + LANES_4 - 1) / LANES_4 * LANES_4;
    }
    k.in = c->argminmax.in.mem->base + c->argminmax.in.offset * item;
    k.out = (int64_t *)(void *)c->argminmax.out.mem->base + c->argminmax.out.offset;
    gpa_code rc = GPA_OK;
    if (k.rows == 1 && threads > 1 && k.n * k.item >= 2 * PART)
        rc = by_parts(&k, threads, stop, e);
    else
        threads_each(k.rows * k.n < ITEM ? 1 : threads, (k.rows + k.per_item - 1) / k.per_item,
                     stop, some_rows, &k);
    if (!rc && threads_stopped(stop)) rc = gpa_interrupted(e);
    return rc;
}
