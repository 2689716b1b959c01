/* Reductions of many slices: slices.h.
 *
 * Slices that are short go element by element; longer ones in blocks of as many elements side by side as fill a register, and what blocks
 * give is put together pair by pair, so that rounding errors of sums stay small. The combinations are those of reduce.def; a type's loops are in
 * slices.inc. */
#include "runtime/slices.h"

#include <math.h>
#include <string.h>

#include "runtime/base.h"
#include "runtime/wide.h"

/* Elements of a block, blocks of which none is put together yet, bytes side by side; elements of a slice from which on there are blocks. */
enum { BLOCK = 2048, PAIRS = 64, REGISTER = 64, FEW = 16 };

/* A row of the table with its column, whose second word says that there is none. */
#define NONE none, 1
#define SAME_I none, 1
#define UNWRAP(...) __VA_ARGS__
#define CASE_1(red, column)
#define CASE_0(red, column) CASE_X(red, UNWRAP column, 0, 0)
#define CASE_X(...) CASE_OF(__VA_ARGS__)
#define CASE_OF(red, v, none, ...) CASE_OF_##none(red, v)
#define CASE_OF_1(red, v)
#define CASE_OF_0(red, v) \
    case red: {           \
        const bool least = red == RED_MIN || red == RED_FMIN, pass = red == RED_FMIN || red == RED_FMAX;     \
        const bool extreme = (T)0.5 != 0 && (least || pass || red == RED_MAX);                                      \
        FOLD_ROWS(v)      \
        return;           \
    }

/* The largest or smallest of n floats, some of which are no numbers: `lost`, or with `pass` the one among the others. */
#define AMONG_FLOATS(name, T, I)                                                                               \
    GPA_WIDE static T name(const T *p, int64_t n, bool least, bool pass, T lost) {                             \
        enum { LANES = REGISTER / sizeof(T) };                                                                 \
        const T limit = least ? (T)INFINITY : -(T)INFINITY;                                                    \
        T s[LANES], best = limit;                                                                              \
        I no = 0, yes = 0;                                                                                     \
        for (int64_t i = 0; !pass && i < n; i++) no |= p[i] != p[i];                                           \
        if (no) return lost;                                                                                   \
        GPA_LANES for (I i = 0; i < LANES; i++) s[i] = limit;                                                  \
        for (int64_t j = 0; least && j + LANES <= n; j += LANES)                                               \
            GPA_LANES for (I i = 0; i < LANES; i++) s[i] = p[j + i] < s[i] ? p[j + i] : s[i];                  \
        for (int64_t j = 0; !least && j + LANES <= n; j += LANES)                                              \
            GPA_LANES for (I i = 0; i < LANES; i++) s[i] = p[j + i] > s[i] ? p[j + i] : s[i];                  \
        for (int i = 0; i < LANES; i++) best = (least ? s[i] < best : s[i] > best) ? s[i] : best;              \
        for (int64_t i = n / LANES * LANES; i < n; i++) best = (least ? p[i] < best : p[i] > best) ? p[i] : best; \
        for (int64_t i = 0; best == limit && i < n; i++) yes |= p[i] == p[i]; /* or there was no number */      \
        return best != limit || yes ? best : lost;                                                             \
    }
AMONG_FLOATS(extreme_f32, float, int32_t)
AMONG_FLOATS(extreme_f64, double, int64_t)

#define T int32_t
#define INT int32_t
#define UT uint32_t
#define NAME slices_i32
#define AMONG(p, ...) *(p)
#define COLUMN(I, F) I
#include "runtime/slices.inc"
#define T int64_t
#define INT int64_t
#define UT uint64_t
#define NAME slices_i64
#define AMONG(p, ...) *(p)
#define COLUMN(I, F) I
#include "runtime/slices.inc"
#define T float
#define INT int32_t
#define UT float
#define NAME slices_f32
#define AMONG extreme_f32
#define COLUMN(I, F) F
#include "runtime/slices.inc"
#define T double
#define INT int64_t
#define UT double
#define NAME slices_f64
#define AMONG extreme_f64
#define COLUMN(I, F) F
#include "runtime/slices.inc"

bool slices_can(gpa_red red, gpa_dtype t) {
    bool typed = t == DT_I32 || t == DT_I64 || t == DT_F32 || t == DT_F64;
    return typed && !red_info[red].arg && red_info[red].text[op_kind_at(dtype_info[t].kind)];
}

void slices_reduce(gpa_red red, gpa_dtype t, const void *x, int64_t rows, int64_t n, const int64_t *at, int64_t m, void *out) {
    switch ((int)t) {
    case DT_I32: slices_i32(red, x, rows, n, at, m, out); return;
    case DT_I64: slices_i64(red, x, rows, n, at, m, out); return;
    case DT_F32: slices_f32(red, x, rows, n, at, m, out); return;
    case DT_F64: slices_f64(red, x, rows, n, at, m, out);
    }
}
