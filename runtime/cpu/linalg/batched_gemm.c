/* Batched GEMM of small matrices: batched_gemm.h. A row of the result is a vector, the linear
 * combination of the second factor's rows; a row of three is a vector of four whose last lane is
 * not stored. All sizes are compile-time constants. Sums start from 0, as in a library: a sum of
 * products that are all -0.0 is 0.0. */
#include "runtime/cpu/linalg/batched_gemm.h"

#include "runtime/base/base.h"
#include "runtime/cpu/parallel/memory.h"
#include "runtime/base/simd_clones.h"
#include "runtime/tables/tuning.h"

#define T float
#define N 2
#define PADDED 2
#define NAME(x) x##_f32_2
#include "runtime/cpu/linalg/batched_gemm.inc"
#define T double
#define N 2
#define PADDED 2
#define NAME(x) x##_f64_2
#include "runtime/cpu/linalg/batched_gemm.inc"
#define T float
#define N 3
#define PADDED 4
#define NAME(x) x##_f32_3
#include "runtime/cpu/linalg/batched_gemm.inc"
#define T double
#define N 3
#define PADDED 4
#define NAME(x) x##_f64_3
#include "runtime/cpu/linalg/batched_gemm.inc"
#define T float
#define N 4
#define PADDED 4
#define NAME(x) x##_f32_4
#include "runtime/cpu/linalg/batched_gemm.inc"
#define T double
#define N 4
#define PADDED 4
#define NAME(x) x##_f64_4
#include "runtime/cpu/linalg/batched_gemm.inc"
#define T float
#define N 8
#define PADDED 8
#define NAME(x) x##_f32_8
#include "runtime/cpu/linalg/batched_gemm.inc"
#define T double
#define N 8
#define PADDED 8
#define NAME(x) x##_f64_8
#include "runtime/cpu/linalg/batched_gemm.inc"

typedef void (*products)(const gpa_libcall *c, int64_t from, int64_t to);

/* The function of a size and dtype; NULL: none. */
static products products_of(const gpa_libcall *c) {
    const bool single = c->dtype == DT_F32;
    if (!single && c->dtype != DT_F64) return NULL;
    switch (c->gemm.n) {
        case 2: return single ? products_f32_2 : products_f64_2;
        case 3: return single ? products_f32_3 : products_f64_3;
        case 4: return single ? products_f32_4 : products_f64_4;
        case 8: return single ? products_f32_8 : products_f64_8;
    }
    return NULL;
}

bool batched_gemm_can(const gpa_libcall *c) {
    return products_of(c) && c->gemm.batch >= TUNE_BATCHED_GEMM_MIN_BATCH &&
           c->gemm.m == c->gemm.n && c->gemm.k == c->gemm.n && c->gemm.b.stride[2] == 1;
}

void batched_gemm_run(const gpa_libcall *c, int64_t from, int64_t to) {
    products_of(c)(c, from, to);
}
