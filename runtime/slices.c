/* Reductions of many slices: slices.h.
 *
 * Slices that are short go element by element; longer ones in blocks of a few elements side by side, and what blocks give is put together
 * pair by pair, so that rounding errors of sums stay small. The combinations are those of reduce.def; a type's loops are in
 * slices.inc. */
#include "runtime/slices.h"

#include <string.h>

#include "runtime/base.h"
#include "runtime/wide.h"

/* Elements of a block, blocks of which none is put together yet, bytes side by side. Slices of fewer than FEW elements, and of fewer than
 * SOME rounds of REGISTER bytes, go by shorter ways: there the putting together counts. */
enum { BLOCK = 1024, PAIRS = 64, REGISTERS = 128, REGISTER = 32, FEW = 16, SOME = 40 };

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
        FOLD_ROWS(v)      \
        return;           \
    }

#define T int32_t
#define UT uint32_t
#define NAME slices_i32
#define COLUMN(I, F) I
#include "runtime/slices.inc"
#define T int64_t
#define UT uint64_t
#define NAME slices_i64
#define COLUMN(I, F) I
#include "runtime/slices.inc"
#define T float
#define UT float
#define NAME slices_f32
#define COLUMN(I, F) F
#include "runtime/slices.inc"
#define T double
#define UT double
#define NAME slices_f64
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
