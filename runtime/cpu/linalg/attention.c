/* Attention on the CPU: an online softmax over blocks of keys (FlashAttention, Dao et al. 2022).
 *
 * The threads of the pool share blocks of queries. For each block of keys: scores by GEMM into a
 * buffer that stays in cache, their softmax relative to the maximum so far, and a GEMM that adds to
 * the result. Scores are never stored as a whole. Each result depends on the sizes alone, not on
 * the number of threads. Reading order: operands, blocks, calls. */
#include "runtime/cpu/linalg/attention.h"

#include <math.h>

#include "runtime/base/base.h"
#include "runtime/base/simd_clones.h"
#include "runtime/cpu/parallel/memory.h"
#include "runtime/cpu/parallel/threads.h"

/* Values of the CBLAS interface. */
enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };
enum { ROWS = 128, KEYS = 512, LANES = 16 }; /* of a block; SIMD lanes of the loops */

typedef void (*sgemm_fn)(int, int, int, int, int, int, float, const void *, int, const void *, int,
                         float, void *, int);
typedef void (*dgemm_fn)(int, int, int, int, int, int, double, const void *, int, const void *, int,
                         double, void *, int);

/* ---- operands ---- */

/* How OpenBLAS reads a matrix. */
typedef struct {
    int trans, lead;
    int64_t row; /* elements between rows */
} operand;

/* False unless rows or columns are contiguous. */
static bool describe(operand *o, const int64_t *stride, int64_t rows, int64_t columns) {
    const int64_t row = rows > 1 ? stride[0] : MAX(columns, 1),
                  column = columns > 1 ? stride[1] : 1;
    *o = (operand){NO_TRANS, (int)row, row};
    if (column == 1 && row >= MAX(columns, 1) && row <= INT32_MAX) return true;
    *o = (operand){TRANS, (int)column, 1};
    return (rows == 1 || row == 1) && column >= MAX(rows, 1) && column <= INT32_MAX;
}

static bool describe_all(const gpa_libcall *c, operand *q, operand *k, operand *v) {
    const int n = c->attention.n_batch;
    return describe(q, c->attention.q.stride + n, c->attention.m, c->attention.dk) &&
           describe(k, c->attention.k.stride + n, c->attention.n, c->attention.dk) &&
           describe(v, c->attention.v.stride + n, c->attention.n, c->attention.dv);
}

/* ---- blocks ---- */

typedef struct {
    const gpa_libcall *c;
    operand q, k, v;
    sgemm_fn sgemm;
    dgemm_fn dgemm;
    int64_t blocks, rows; /* of a matrix of queries; of a block */
    const int32_t *stop;
    bool *failed; /* memory was short */
} attention;

/* Queries of one batch index from `row` on, and the matrices of the index. */
typedef struct {
    const char *q, *k, *v, *mask;
    char *out;
    int64_t row, rows;
} block_index;

/* A block of scores: rows of `lead` elements; the columns of the result. */
typedef struct {
    int64_t row, rows, key, keys, lead, columns;
} block;

/* The keys that the queries before `row` see. */
static int64_t keys_of(const gpa_libcall *c, int64_t row) {
    const int64_t n = c->attention.n;
    return c->attention.causal ? MAX(0, MIN(n, row + c->attention.diagonal)) : n;
}

/* The row length of the buffer of scores for so many keys. */
static int64_t block_lead(int64_t keys) { return (MIN(keys, KEYS) + LANES - 1) / LANES * LANES; }

/* The sum of the terms of exp(r) from the second power on, divided by r r. */
static inline __attribute__((always_inline)) float exp_terms_f32(float r) {
    float sum = 1.9875691500e-4f;
    sum = sum * r + 1.3981999507e-3f;
    sum = sum * r + 8.3334519073e-3f;
    sum = sum * r + 4.1665795894e-2f;
    sum = sum * r + 1.6666665459e-1f;
    return sum * r + 5.0000001201e-1f;
}
static inline __attribute__((always_inline)) double exp_terms_f64(double r) {
    double sum = 1.0 / 6227020800;
    sum = sum * r + 1.0 / 479001600;
    sum = sum * r + 1.0 / 39916800;
    sum = sum * r + 1.0 / 3628800;
    sum = sum * r + 1.0 / 362880;
    sum = sum * r + 1.0 / 40320;
    sum = sum * r + 1.0 / 5040;
    sum = sum * r + 1.0 / 720;
    sum = sum * r + 1.0 / 120;
    sum = sum * r + 1.0 / 24;
    sum = sum * r + 1.0 / 6;
    return sum * r + 0.5;
}

#define T float
#define NAME(f) f##_f32
#define GEMM sgemm
#define WORD uint32_t
#define MAGIC 12582912.0f
#define BIAS 127u
#define SHIFT 23
#define LN2_HIGH 0.693359375f
#define LN2_LOW (-2.12194440e-4f)
#define EXP_LEAST (-87.0f)
#include "runtime/cpu/linalg/attention_block.inc"
#undef T
#undef NAME
#undef GEMM
#undef WORD
#undef MAGIC
#undef BIAS
#undef SHIFT
#undef LN2_HIGH
#undef LN2_LOW
#undef EXP_LEAST
#define T double
#define NAME(f) f##_f64
#define GEMM dgemm
#define WORD uint64_t
#define MAGIC 6755399441055744.0
#define BIAS 1023u
#define SHIFT 52
#define LN2_HIGH 0.6931471803691238
#define LN2_LOW 1.9082149292705877e-10
#define EXP_LEAST (-708.0)
#include "runtime/cpu/linalg/attention_block.inc"

static const char *matrix_at(const gpa_libcall *c, const gpa_binding *b, int64_t index,
                             size_t size) {
    int64_t at = b->offset;
    if (!b->mem) return NULL;
    for (int d = c->attention.n_batch - 1; d >= 0; index /= c->attention.extent[d--])
        at += index % c->attention.extent[d] * b->stride[d];
    return b->mem->base + at * (int64_t)size;
}

/* Item i: a block of queries; the last blocks, which see the most keys, first. */
static void run_block(void *arg, int64_t i) {
    const attention *a = arg;
    const gpa_libcall *c = a->c;
    const int64_t index = i / a->blocks, number = a->blocks - 1 - i % a->blocks;
    const size_t size = dtype_size(c->dtype);
    const block_index at = {
        .q = matrix_at(c, &c->attention.q, index, size),
        .k = matrix_at(c, &c->attention.k, index, size),
        .v = matrix_at(c, &c->attention.v, index, size),
        .mask = matrix_at(c, &c->attention.mask, index,
                          c->attention.mask_form == ATTENTION_SELECT ? 1 : size),
        .out = c->attention.out.mem->base +
               (c->attention.out.offset + index * c->attention.m * c->attention.dv) * (int64_t)size,
        .row = number * a->rows,
        .rows = MIN(a->rows, c->attention.m - number * a->rows)};
    if (c->dtype == DT_F32)
        attend_f32(a, &at);
    else
        attend_f64(a, &at);
}

/* ---- calls ---- */

bool attention_can(blas **b, const gpa_libcall *c) {
    operand q, k, v;
    if (c->dtype != DT_F32 && c->dtype != DT_F64) return false;
    if (MAX(MAX(c->attention.m, c->attention.n), MAX(c->attention.dk, c->attention.dv)) > INT32_MAX)
        return false;
    return describe_all(c, &q, &k, &v) && blas_find(b, "cblas_sgemm") &&
           blas_find(b, "cblas_dgemm");
}

gpa_code attention_run(blas **b, int threads, const int32_t *stop, const gpa_libcall *c,
                       gpa_err *e) {
    bool failed = false;
    attention a = {.c = c, .stop = stop, .failed = &failed};
    void *const sgemm = blas_find(b, "cblas_sgemm"), *const dgemm = blas_find(b, "cblas_dgemm");
    int64_t batch = 1;
    memcpy(&a.sgemm, &sgemm, sizeof sgemm);
    memcpy(&a.dgemm, &dgemm, sizeof dgemm);
    if (!describe_all(c, &a.q, &a.k, &a.v))
        return gpa_fail(e, GPA_E_INTERNAL, "an attention whose operands are not contiguous");
    for (int d = 0; d < c->attention.n_batch; d++) batch *= c->attention.extent[d];
    a.rows = ROWS;
    a.blocks = (c->attention.m + a.rows - 1) / a.rows;
    blas_threads(*b, 1);
    threads_each(threads, batch * a.blocks, stop, run_block, &a);
    if (failed) return gpa_no_memory(e);
    return threads_stopped(stop) ? gpa_interrupted(e) : GPA_OK;
}
