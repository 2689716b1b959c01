/* Reductions of many slices: segmented_reduce.h.
 *
 * Slices that are short go element by element; longer ones in blocks of as many elements side by
 * side as fill a register, and what blocks give is put together pair by pair, so that rounding
 * errors of sums stay small. Slices of lines go line by line. The combinations are those of
 * reduce.def; a type's loops are in segmented_reduce.inc. */
#include "runtime/host/segmented_reduce.h"

#include <math.h>
#include <string.h>

#include "runtime/base/base.h"
#include "runtime/base/simd_clones.h"

/* Elements of a block, blocks of which none is put together yet, bytes side by side; elements of a
 * slice from which on there are blocks, of narrow ones so many side by side as that, below the
 * last. */
enum { BLOCK = 2048, PAIRS = 64, REGISTER = 64, FEW = 16, SHORT = 512 };

/* A row of the table with its column, whose second word says that there is none. */
#define NONE none, 1
#define SAME_I none, 1
#define UNWRAP(...) __VA_ARGS__
#define CASE_1(red, column)
#define CASE_0(red, column) CASE_X(red, UNWRAP column, 0, 0)
#define CASE_X(...) CASE_OF(__VA_ARGS__)
#define CASE_OF(red, v, none, ...) CASE_OF_##none(red, v)
#define CASE_OF_1(red, v)
#define CASE_OF_0(red, v)                                                      \
    case red: {                                                                \
        const bool least = red == RED_MIN || red == RED_FMIN,                  \
                   pass = red == RED_FMIN || red == RED_FMAX;                  \
        const bool extreme = (T)0.5 != 0 && (least || pass || red == RED_MAX); \
        if (!(ROWS >> red & 1)) return;                                        \
        if (wide > 1) {                                                        \
            FOLD_LINES(v)                                                      \
        } else {                                                               \
            FOLD_ROWS(v)                                                       \
        }                                                                      \
        return;                                                                \
    }

/* The largest or smallest of n floats, some of which are no numbers: `lost`, or with `pass` the one
 * among the others. */
#define AMONG_FLOATS(name, T, I)                                                                  \
    GPA_SIMD_CLONES static T name(const T *p, int64_t n, bool least, bool pass, T lost) {                \
        enum { LANES = REGISTER / sizeof(T) };                                                    \
        const T limit = least ? (T)INFINITY : -(T)INFINITY;                                       \
        T s[LANES], best = limit;                                                                 \
        I no = 0, yes = 0;                                                                        \
        for (int64_t i = 0; !pass && i < n; i++) no |= p[i] != p[i];                              \
        if (no) return lost;                                                                      \
        GPA_NO_UNROLL for (I i = 0; i < LANES; i++) s[i] = limit;                                     \
        for (int64_t j = 0; least && j + LANES <= n; j += LANES)                                  \
            GPA_NO_UNROLL for (I i = 0; i < LANES; i++) s[i] = p[j + i] < s[i] ? p[j + i] : s[i];     \
        for (int64_t j = 0; !least && j + LANES <= n; j += LANES)                                 \
            GPA_NO_UNROLL for (I i = 0; i < LANES; i++) s[i] = p[j + i] > s[i] ? p[j + i] : s[i];     \
        for (int i = 0; i < LANES; i++) best = (least ? s[i] < best : s[i] > best) ? s[i] : best; \
        for (int64_t i = n / LANES * LANES; i < n; i++)                                           \
            best = (least ? p[i] < best : p[i] > best) ? p[i] : best;                             \
        for (int64_t i = 0; best == limit && i < n; i++)                                          \
            yes |= p[i] == p[i]; /* or there was no number */                                     \
        return best != limit || yes ? best : lost;                                                \
    }
AMONG_FLOATS(extreme_f32, float, int32_t)
AMONG_FLOATS(extreme_f64, double, int64_t)

/* The bits of rows. Of integers that are put together in 64 bits the narrower types have no sums.
 */
enum {
    EXTREMES = 1 << RED_MIN | 1 << RED_MAX,
    BITS = 1 << RED_AND | 1 << RED_OR | 1 << RED_XOR,
    SUMS = 1 << RED_SUM | 1 << RED_PROD,
    FLOAT_ROWS = SUMS | EXTREMES | 1 << RED_FMIN | 1 << RED_FMAX
};

#define T int8_t
#define INT int8_t
#define UT uint8_t
#define NAME slices_i8
#define AMONG(p, ...) *(p)
#define COLUMN(I, F) I
#define ROWS (EXTREMES | BITS)
#include "runtime/host/segmented_reduce.inc"
#define T int16_t
#define INT int16_t
#define UT uint16_t
#define NAME slices_i16
#define AMONG(p, ...) *(p)
#define COLUMN(I, F) I
#define ROWS (EXTREMES | BITS)
#include "runtime/host/segmented_reduce.inc"
#define T int32_t
#define INT int32_t
#define UT uint32_t
#define NAME slices_i32
#define AMONG(p, ...) *(p)
#define COLUMN(I, F) I
#define ROWS (SUMS | EXTREMES | BITS)
#include "runtime/host/segmented_reduce.inc"
#define T int64_t
#define INT int64_t
#define UT uint64_t
#define NAME slices_i64
#define AMONG(p, ...) *(p)
#define COLUMN(I, F) I
#define ROWS (SUMS | EXTREMES | BITS)
#include "runtime/host/segmented_reduce.inc"
#define T uint8_t
#define INT int8_t
#define UT uint8_t
#define NAME slices_u8
#define AMONG(p, ...) *(p)
#define COLUMN(I, F) I
#define ROWS (EXTREMES)
#include "runtime/host/segmented_reduce.inc"
#define T uint16_t
#define INT int16_t
#define UT uint16_t
#define NAME slices_u16
#define AMONG(p, ...) *(p)
#define COLUMN(I, F) I
#define ROWS (EXTREMES)
#include "runtime/host/segmented_reduce.inc"
#define T uint32_t
#define INT int32_t
#define UT uint32_t
#define NAME slices_u32
#define AMONG(p, ...) *(p)
#define COLUMN(I, F) I
#define ROWS (EXTREMES)
#include "runtime/host/segmented_reduce.inc"
#define T uint64_t
#define INT int64_t
#define UT uint64_t
#define NAME slices_u64
#define AMONG(p, ...) *(p)
#define COLUMN(I, F) I
#define ROWS (EXTREMES)
#include "runtime/host/segmented_reduce.inc"
#define T float
#define INT int32_t
#define UT float
#define NAME slices_f32
#define AMONG extreme_f32
#define COLUMN(I, F) F
#define ROWS FLOAT_ROWS
#include "runtime/host/segmented_reduce.inc"
#define T double
#define INT int64_t
#define UT double
#define NAME slices_f64
#define AMONG extreme_f64
#define COLUMN(I, F) F
#define ROWS FLOAT_ROWS
#include "runtime/host/segmented_reduce.inc"

/* Sums of complex numbers, whose parts stand in turns in the lanes. */
#define COMPLEX_SUMS(name, T, INT)                                                          \
    GPA_SIMD_CLONES static void name(const void *from, int64_t rows, int64_t n, const int64_t *at, \
                              int64_t m, void *result) {                                    \
        enum { LANES = REGISTER / sizeof(T) };                                              \
        const T *x = from;                                                                  \
        T *to = result, pairs[PAIRS][2], s[LANES];                                          \
        for (int64_t r = 0; r < rows; r++, x += 2 * n)                                      \
            for (int64_t k = 0; k < m; k++, to += 2) {                                      \
                const T *p = x + 2 * at[k];                                                 \
                const int64_t long_ = 2 * MAX((k + 1 < m ? at[k + 1] : n) - at[k], 1);      \
                int kept = 0;                                                               \
                if (long_ < 2 * FEW) {                                                      \
                    T re = p[0], im = p[1];                                                 \
                    for (int64_t i = 2; i < long_; i += 2) re += p[i], im += p[i + 1];      \
                    to[0] = re, to[1] = im;                                                 \
                    continue;                                                               \
                }                                                                           \
                for (int64_t block = 0, j = 0, end; j < long_; j = end, block++) {          \
                    end = long_ - j < BLOCK + LANES ? long_ : j + BLOCK;                    \
                    GPA_NO_UNROLL for (INT i = 0; i < LANES; i++) s[i] = p[j + i];              \
                    for (j += LANES; j + 4 * LANES <= end; j += 4 * LANES)                  \
                        GPA_NO_UNROLL for (INT i = 0; i < LANES; i++) {                         \
                            const T *y = p + j + i;                                         \
                            s[i] += (y[0] + y[LANES]) + (y[2 * LANES] + y[3 * LANES]);      \
                        }                                                                   \
                    for (; j + LANES <= end; j += LANES)                                    \
                        GPA_NO_UNROLL for (INT i = 0; i < LANES; i++) s[i] += p[j + i];         \
                    for (int i = 0; j < end; i++, j++) s[i] += p[j];                        \
                    _Pragma("GCC unroll 8") for (INT half = LANES / 2; half > 1; half /= 2) \
                        GPA_NO_UNROLL for (INT i = 0; i < half; i++) s[i] += s[i + half];       \
                    for (int64_t done = block; done & 1; done /= 2, kept--)                 \
                        s[0] += pairs[kept - 1][0], s[1] += pairs[kept - 1][1];             \
                    pairs[kept][0] = s[0], pairs[kept++][1] = s[1];                         \
                }                                                                           \
                for (; kept > 1; kept--)                                                    \
                    pairs[kept - 2][0] += pairs[kept - 1][0],                               \
                        pairs[kept - 2][1] += pairs[kept - 1][1];                           \
                to[0] = pairs[0][0], to[1] = pairs[0][1];                                   \
            }                                                                               \
    }
COMPLEX_SUMS(sums_c64, float, int32_t)
COMPLEX_SUMS(sums_c128, double, int64_t)

/* Another reduction of complex numbers, one after the other. */
static void folded(gpa_red red, gpa_dtype t, const char *x, int64_t rows, int64_t n,
                   const int64_t *at, int64_t m, char *to) {
    const gpa_red_fold fold = red_fold(red, t);
    const int64_t item = (int64_t)dtype_size(t);
    for (int64_t r = 0; r < rows; r++, x += n * item)
        for (int64_t k = 0; k < m; k++, to += item)
            fold(x + at[k] * item, MAX((k + 1 < m ? at[k + 1] : n) - at[k], 1), to);
}

/* Of one byte, what is true being 1: any of them, or all. */
static void truths(bool all, const void *x, int64_t rows, int64_t n, int64_t wide,
                   const int64_t *at, int64_t m, uint8_t *out) {
    slices_u8(all ? RED_MIN : RED_MAX, x, rows, n, wide, at, m, out);
    for (int64_t i = 0; i < rows * m * wide; i++) out[i] = out[i] != 0;
}

bool slices_can(gpa_red red, gpa_dtype t, bool lines) {
    const char kind = dtype_info[t].kind;
    const bool sums = red == RED_SUM || red == RED_PROD, same = dtype_info[t].compute == t;
    if (red_info[red].arg || !red_info[red].text[op_kind_index(kind)]) return false;
    if (kind == 'B') return red != RED_XOR;
    if (kind == 'C') return !lines || red == RED_SUM;
    return same && !(sums && kind != 'F' && dtype_size(t) < 4);
}

void slices_reduce(gpa_red red, gpa_dtype t, const void *x, int64_t rows, int64_t n, int64_t wide,
                   const int64_t *at, int64_t m, void *out) {
    const char kind = dtype_info[t].kind;
    const bool least = red == RED_MIN || red == RED_FMIN,
               extreme = least || red == RED_MAX || red == RED_FMAX;
    if (kind == 'B') {
        truths(least || red == RED_ALL || red == RED_AND || red == RED_PROD, x, rows, n, wide, at,
               m, out);
        return;
    }
    if (kind == 'C' && wide > 1) t = dtype_info[t].real, wide *= 2; /* sums of parts */
    if (kind == 'I' || kind == 'U') red = extreme ? least ? RED_MIN : RED_MAX : red;
#define AS(type, name)                           \
    case type:                                   \
        name(red, x, rows, n, wide, at, m, out); \
        return
#define PLAIN(type, name, wrapped) \
    case type: (extreme ? name : wrapped)(red, x, rows, n, wide, at, m, out); return
    switch ((int)t) {
        AS(DT_I8, slices_i8);
        AS(DT_I16, slices_i16);
        AS(DT_I32, slices_i32);
        AS(DT_I64, slices_i64);
        PLAIN(DT_U8, slices_u8, slices_i8);
        PLAIN(DT_U16, slices_u16, slices_i16);
        PLAIN(DT_U32, slices_u32, slices_i32);
        PLAIN(DT_U64, slices_u64, slices_i64);
        AS(DT_F32, slices_f32);
        AS(DT_F64, slices_f64);
    }
#undef AS
#undef PLAIN
    if (red != RED_SUM)
        folded(red, t, x, rows, n, at, m, out);
    else
        (t == DT_C64 ? sums_c64 : sums_c128)(x, rows, n, at, m, out);
}
