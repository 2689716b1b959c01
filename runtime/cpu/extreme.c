/* The first of the largest or smallest elements: extreme.h.
 *
 * A row is walked in blocks that stay in the nearest cache: one comparison an element finds the blocks that hold something better,
 * few after the first ones; such a block is walked again, for the value and then for its first place. What is no number is better
 * than any number. Loops say what they compute without a branch, and the compiler makes vectors of them. Short rows are walked once,
 * each lane keeping its best element and that one's place; as many rows as there are lanes are then decided side by side. Reading
 * order: blocks, short rows, rows, calls. */
#include "runtime/cpu/extreme.h"

#include <string.h>

#include "runtime/base.h"
#include "runtime/cpu/lanes.h"
#include "runtime/cpu/run.h"
#include "runtime/cpu/threads.h"
#include "runtime/wide.h"

/* Elements of a block, of the shortest row that is worth the call, of the longest short ones, of an item of work; bytes of the part of
 * a row that a thread takes. */
enum { BLOCK = 2048, SHORTEST = 48, SHORT = 512, SHORT_FLOATS = 1024, ITEM = 1 << 15, PART = 1 << 20, NEAR = 64, TOGETHER = 256 };

/* Comparisons of numbers alone: the compiler may take the processor's own maximum. */
#ifdef __clang__
#define NUMBERS GPA_WIDE
#else
#define NUMBERS GPA_WIDE_CLONES __attribute__((optimize("O3", "finite-math-only", "no-signed-zeros")))
#endif

/* ---- blocks ---- */

/* For elements of type T: whether one of n is BEYOND v or no number; the best of n numbers; the first place of v; whether one is no
 * number. I counts a block's places in as many bits as T has. */
#define BLOCKS(name, T, I, BEYOND, NOT_AFTER, ADD)                                       \
    GPA_WIDE static bool name##_any(const T *x, int64_t n, T v) {                    \
        I any = 0;                                                                   \
        for (int64_t i = 0; i < n; i++) any |= !(x[i] NOT_AFTER v);                  \
        return any;                                                                  \
    }                                                                                \
    NUMBERS static T name##_best(const T *x, int64_t n, T *all) {                    \
        enum { L = TOGETHER / sizeof(T) };                                           \
        T best[L], sum[L], one = x[0];                                               \
        memset(sum, 0, sizeof sum);                                                  \
        for (int64_t i = 0; i < n && n < L; i++) {                                   \
            one = x[i] BEYOND one ? x[i] : one;                                      \
            sum[0] = ADD(sum[0], x[i]);                                              \
        }                                                                            \
        if (n >= L) memcpy(best, x, sizeof best), memcpy(sum, x, sizeof sum);        \
        for (int64_t i = L; i < n; i += L) { /* the last ones again */               \
            const T *y = x + MIN(i, n - L);                                          \
            GPA_LANES for (int k = 0; k < L; k++) {                                  \
                best[k] = y[k] BEYOND best[k] ? y[k] : best[k];                      \
                sum[k] = ADD(sum[k], y[k]);                                          \
            }                                                                        \
        }                                                                            \
        GPA_LANES for (int k = 0; k < L && n >= L; k++) one = best[k] BEYOND one ? best[k] : one; \
        memcpy(all, sum, sizeof sum);                                                \
        return one;                                                                  \
    }                                                                                \
    GPA_WIDE static int64_t name##_place(const T *x, int64_t n, T v) {               \
        int64_t from = 0;                                                            \
        for (I any = 0; from + NEAR < n; from += NEAR) {                             \
            for (int i = 0; i < NEAR; i++) any |= x[from + i] == v;                  \
            if (any) break;                                                          \
        }                                                                            \
        I place = (I)BLOCK;                                                          \
        for (I i = 0; i < (I)MIN(n - from, (int64_t)NEAR); i++) {                    \
            I here = x[from + i] == v ? i : (I)BLOCK;                                \
            place = here < place ? here : place;                                     \
        }                                                                            \
        return from + place;                                                         \
    }                                                                                \
    GPA_WIDE static bool name##_lost(const T *x, int64_t n) {                        \
        I lost = 0;                                                                  \
        for (int64_t i = 0; i < n; i++) lost |= x[i] != x[i];                        \
        return lost;                                                                 \
    }                                                                                \
    static int64_t name(const void *row, int64_t n) {                                \
        const T *x = row;                                                            \
        int64_t at = -1;                                                             \
        for (int64_t from = 0; from < n; from += BLOCK) {                            \
            int64_t m = MIN(BLOCK, n - from);                                        \
            if (at >= 0 && !name##_any(x + from, m, x[at])) continue;                \
            T sum[TOGETHER / sizeof(T)], best = name##_best(x + from, m, sum);       \
            if (name##_lost(sum, TOGETHER / sizeof(T)) && name##_lost(x + from, m)) { \
                while (x[from] == x[from]) from++;                                   \
                return from;                                                         \
            }                                                                        \
            at = from + name##_place(x + from, m, best);                             \
        }                                                                            \
        return at;                                                                   \
    }
#define SUM(a, b) ((a) + (b))
#define WHOLE(a, b) (a) /* every integer is a number */
#define BOTH(name, T, I, ADD) BLOCKS(name##_most, T, I, >, <=, ADD) BLOCKS(name##_least, T, I, <, >=, ADD)
BOTH(f32, float, int32_t, SUM)
BOTH(f64, double, int64_t, SUM)
BOTH(i16, int16_t, int16_t, WHOLE)
BOTH(i32, int32_t, int32_t, WHOLE)
BOTH(i64, int64_t, int64_t, WHOLE)
BOTH(u16, uint16_t, int16_t, WHOLE)
BOTH(u32, uint32_t, int32_t, WHOLE)
BOTH(u64, uint64_t, int64_t, WHOLE)

/* Bytes are found by the C library once their value is known. */
#define BYTES(name, T, BEYOND)                                                       \
    GPA_WIDE static int64_t name(const void *row, int64_t n) {                       \
        const T *x = row;                                                            \
        T best = x[0];                                                               \
        for (int64_t i = 1; i < n; i++) best = x[i] BEYOND best ? x[i] : best;       \
        return (const T *)memchr(x, (uint8_t)best, (size_t)n) - x;                   \
    }
BYTES(i8_most, int8_t, >)
BYTES(i8_least, int8_t, <)
BYTES(u8_most, uint8_t, >)
BYTES(u8_least, uint8_t, <)

/* The first bool that is true; any byte that is not 0 is. */
static int64_t bool_most(const void *row, int64_t n) {
    const uint8_t *x = row;
    for (int64_t from = 0; from < n; from += BLOCK) {
        int64_t m = MIN(BLOCK, n - from), i = u8_most(x + from, m);
        if (!x[from + i]) continue;
        for (i = 0; !x[from + i];) i++;
        return from + i;
    }
    return 0;
}

static int64_t bool_least(const void *row, int64_t n) {
    const uint8_t *x = row, *found = memchr(x, 0, (size_t)n);
    return found ? found - x : 0;
}

/* ---- short rows ---- */

/* For elements of type T, of `size` bytes: the places of as many rows as there are lanes. False when there may be what is no number. The
 * last vector of a row overlaps the one before. */
#define SHORT_ROWS(name, T, size, BEYOND)                                                                             \
    GPA_WIDE static bool name##_rows(const void *rows, int64_t n, int64_t *out) {                                     \
        typedef T vec __attribute__((vector_size(LANES_BYTES)));                                                      \
        enum { L = LANES_##size };                                                                                    \
        lanes_##size best[L], at[L], turned[L], place[L], first;                                                      \
        vec sum = {0};                                                                                                \
        for (int l = 0; l < L; l++) first[l] = l;                                                                     \
        for (int k = 0; k < L; k++) {                                                                                 \
            const T *row = (const T *)rows + k * n;                                                                   \
            vec b, x;                                                                                                 \
            memcpy(&b, row, sizeof b);                                                                                \
            lanes_##size p = first;                                                                                   \
            sum += b;                                                                                                 \
            for (int64_t i = L; i < n; i += L) {                                                                      \
                int64_t from = MIN(i, n - L);                                                                         \
                memcpy(&x, row + from, sizeof x);                                                                     \
                lanes_##size take = x BEYOND b, here = first + (int32_t)from;                                         \
                b = (vec)(((lanes_##size)x & take) | ((lanes_##size)b & ~take));                                      \
                p = (here & take) | (p & ~take);                                                                      \
                sum += x;                                                                                             \
            }                                                                                                         \
            best[k] = (lanes_##size)b;                                                                                \
            at[k] = p;                                                                                                \
        }                                                                                                             \
        for (int l = 0; l < L; l++)                                                                                   \
            if (sum[l] != sum[l]) return false;                                                                       \
        lanes_bring_##size((void *)best, L, L, L, turned);                                                            \
        lanes_bring_##size((void *)at, L, L, L, place);                                                               \
        vec b = (vec)turned[0];                                                                                       \
        lanes_##size p = first * 0 + SHORT_FLOATS;                                                                    \
        for (int l = 1; l < L; l++) {                                                                                 \
            lanes_##size take = (vec)turned[l] BEYOND b;                                                              \
            b = (vec)((turned[l] & take) | ((lanes_##size)b & ~take));                                                \
        }                                                                                                             \
        for (int l = 0; l < L; l++) {                                                                                 \
            lanes_##size alike = (vec)turned[l] == b, here = (place[l] & alike) | (p & ~alike), before = here < p;    \
            p = (here & before) | (p & ~before);                                                                      \
        }                                                                                                             \
        for (int l = 0; l < L; l++) out[l] = p[l];                                                                    \
        return true;                                                                                                  \
    }
#define BOTH_ROWS(name, T, size) SHORT_ROWS(name##_most, T, size, >) SHORT_ROWS(name##_least, T, size, <)
BOTH_ROWS(f32, float, 4)
BOTH_ROWS(f64, double, 8)
BOTH_ROWS(i32, int32_t, 4)
BOTH_ROWS(i64, int64_t, 8)

/* ---- rows ---- */

typedef int64_t (*finder)(const void *row, int64_t n);

typedef bool (*rows_finder)(const void *rows, int64_t n, int64_t *out);

/* By dtype: the place of the least element of a row, of the largest; the same of several short rows at a time. */
#define ROW(name) .find = {name##_least, name##_most}
#define ROWS(name) ROW(name), .find_rows = {name##_least_rows, name##_most_rows}
static const struct {
    finder find[2];
    rows_finder find_rows[2];
} finders[DT_COUNT] = {
    [DT_BOOL] = {ROW(bool)},
    [DT_I8] = {ROW(i8)},   [DT_I16] = {ROW(i16)}, [DT_I32] = {ROWS(i32)}, [DT_I64] = {ROWS(i64)},
    [DT_U8] = {ROW(u8)},   [DT_U16] = {ROW(u16)}, [DT_U32] = {ROW(u32)},  [DT_U64] = {ROW(u64)},
    [DT_F32] = {ROWS(f32)}, [DT_F64] = {ROWS(f64)},
};
#undef ROWS
#undef ROW

typedef struct {
    finder find;
    rows_finder find_rows; /* NULL: one by one */
    const char *in;
    int64_t *out, rows, n, item, per_item;
    int64_t parts, *place; /* of a row that several threads share: the best place of each part */
} work;

static void some_rows(void *arg, int64_t i) {
    const work *k = arg;
    int64_t row = i * k->per_item, end = MIN((i + 1) * k->per_item, k->rows), together = LANES_BYTES / k->item;
    for (; k->find_rows && row + together <= end; row += together)
        if (!k->find_rows(k->in + row * k->n * k->item, k->n, k->out + row))
            for (int64_t r = row; r < row + together; r++) k->out[r] = k->find(k->in + r * k->n * k->item, k->n);
    for (; row < end; row++) k->out[row] = k->find(k->in + row * k->n * k->item, k->n);
}

static void one_part(void *arg, int64_t i) {
    const work *k = arg;
    int64_t from = k->n * i / k->parts, to = k->n * (i + 1) / k->parts;
    k->place[i] = from + k->find(k->in + from * k->item, to - from);
}

/* ---- calls ---- */

bool extreme_can(const gpa_libcall *c) { return c->extreme.n >= SHORTEST && finders[c->dtype].find[c->extreme.most]; }

/* One long row: the best of the parts' best elements, put side by side. */
static gpa_code by_parts(work *k, int threads, const int32_t *stop, gpa_err *e) {
    k->parts = MIN(threads, k->n * k->item / PART);
    k->place = mem_new((size_t)k->parts * sizeof *k->place);
    char *best = mem_new((size_t)(k->parts * k->item));
    gpa_code rc = k->place && best ? GPA_OK : gpa_no_memory(e);
    if (!rc) threads_each(threads, k->parts, stop, one_part, k);
    for (int64_t i = 0; i < k->parts && !rc && !__atomic_load_n(stop, __ATOMIC_RELAXED); i++)
        memcpy(best + i * k->item, k->in + k->place[i] * k->item, (size_t)k->item);
    if (!rc && !__atomic_load_n(stop, __ATOMIC_RELAXED)) k->out[0] = k->place[k->find(best, k->parts)];
    mem_free(k->place);
    mem_free(best);
    return rc;
}

gpa_code extreme_run(int threads, const int32_t *stop, const gpa_libcall *c, gpa_err *e) {
    int64_t item = (int64_t)dtype_size(c->dtype);
    work k = {.find = finders[c->dtype].find[c->extreme.most], .rows = c->extreme.rows, .n = c->extreme.n, .item = item, .per_item = MAX(1, ITEM / c->extreme.n)};
    if (k.n <= (dtype_is_float(c->dtype) ? SHORT_FLOATS : SHORT)) {
        k.find_rows = finders[c->dtype].find_rows[c->extreme.most];
        k.per_item = (k.per_item + LANES_4 - 1) / LANES_4 * LANES_4;
    }
    k.in = c->extreme.in.mem->base + c->extreme.in.offset * item;
    k.out = (int64_t *)(void *)c->extreme.out.mem->base + c->extreme.out.offset;
    gpa_code rc = GPA_OK;
    if (k.rows == 1 && threads > 1 && k.n * k.item >= 2 * PART) rc = by_parts(&k, threads, stop, e);
    else threads_each(k.rows * k.n < ITEM ? 1 : threads, (k.rows + k.per_item - 1) / k.per_item, stop, some_rows, &k);
    if (!rc && __atomic_load_n(stop, __ATOMIC_RELAXED)) rc = gpa_fail(e, GPA_E_INTERRUPT, "%s", "");
    return rc;
}
