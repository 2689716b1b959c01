/* Division of library calls: library_share.h.
 *
 * Reading order: units, shares, accesses. */
#include "runtime/ranks/library_share.h"

#include "runtime/base/base.h"
#include "runtime/tables/tuning.h"

enum {
    GEMM_PANEL = 192, /* rows: a multiple of the register blocks of BLAS kernels (4 to 24, 64) */
    FFT_ROWS = 32     /* a multiple of all numbers of lanes */
};
/* A product with a shorter side is a thin one. A variable in MODE=tuning. */
#define GEMM_MIN_SIDE (4 * TUNE_GEMM_THIN_MAX_SIDE + 1)

static int64_t gcd(int64_t a, int64_t b) {
    while (b) {
        const int64_t rest = a % b;
        a = b, b = rest;
    }
    return a;
}

/* ---- units ---- */

/* Batches; or panels of rows, where the library works on whole blocks in the same order. */
static library_units gemm_units(const gpa_libcall *c) {
    const gpa_binding *a = &c->gemm.a, *b = &c->gemm.b;
    const int64_t m = c->gemm.m, n = c->gemm.n, k = c->gemm.k;
    if (c->gemm.batch > 1)
        return (library_units){
            c->gemm.batch,
            c->gemm.batch < 2 * TUNE_BATCHED_GEMM_MIN_BATCH ? 1 : TUNE_BATCHED_GEMM_MIN_BATCH, 0};
    const bool gram = a->mem == b->mem && a->offset == b->offset; /* a triangle, mirrored */
    if (gram || m < 2 * GEMM_PANEL || n < GEMM_MIN_SIDE || k < GEMM_MIN_SIDE)
        return (library_units){0};
    return (library_units){m, GEMM_PANEL, 0};
}

/* Rows of one batch dimension, the longest. The algorithm depends on the number of rows, but for
 * multiples of FFT_ROWS. */
static library_units fft_units(const int64_t *n, int ndim) {
    int64_t rows = 1;
    int dim = 1;
    for (int d = 1; d < ndim; d++) {
        rows *= n[d];
        if (n[d] > n[dim]) dim = d;
    }
    if (ndim < 2 || rows % FFT_ROWS) return (library_units){0};
    return (library_units){n[dim], FFT_ROWS / gcd(FFT_ROWS, rows / n[dim]), dim};
}

/* Batches, or multiples of the blocks of queries that the CPU computes (cpu/linalg/attention.c). */
static library_units attention_units(const gpa_libcall *c) {
    enum { BLOCK = 128 };
    if (c->attention.n_batch) return (library_units){c->attention.extent[0], 1, 0};
    return (library_units){c->attention.m, BLOCK, 0};
}

/* Rows; of interleaved ones whole groups. */
static library_units sort_units(const gpa_libcall *c) {
    const int64_t group = MAX(c->sort.stride, 1);
    if (c->sort.n_kth || c->sort.rows / group < 2) return (library_units){0};
    return (library_units){c->sort.rows, group, 0};
}

library_units library_units_of(const gpa_libcall *c) {
    switch (c->kind) {
        case LIB_GEMM: return gemm_units(c);
        case LIB_ATTENTION: return attention_units(c);
        case LIB_SORT:
        case LIB_ARGSORT: return sort_units(c);
        case LIB_SEARCHSORTED: return (library_units){c->search.count, 1, 0};
        case LIB_ARGMINMAX: return (library_units){c->argminmax.rows, 1, 0};
        case LIB_FFT:
            return c->fft.rank == 1 ? fft_units(c->fft.n, c->fft.ndim) : (library_units){0};
        case LIB_DCT: return fft_units(c->dct.n, c->dct.ndim);
        case LIB_SPMM: return (library_units){c->spmm.a.rows, 1, 0};
        default: break; /* run on one rank */
    }
    return (library_units){0};
}

/* ---- shares ---- */

static void share_gemm(gpa_libcall *c, int64_t lo, int64_t hi) {
    const bool batch = c->gemm.batch > 1;
    const int dim = batch ? 0 : 1;
    c->gemm.a.offset += lo * c->gemm.a.stride[dim];
    if (batch) c->gemm.b.offset += lo * c->gemm.b.stride[0];
    c->gemm.c.offset += lo * c->gemm.n * (batch ? c->gemm.m : 1);
    *(batch ? &c->gemm.batch : &c->gemm.m) = hi - lo;
}

static void share_attention(gpa_libcall *c, int64_t lo, int64_t hi) {
    gpa_binding *const all[] = {&c->attention.q, &c->attention.mask, &c->attention.k,
                                &c->attention.v};
    const bool batch = c->attention.n_batch > 0;
    int64_t rows = c->attention.m; /* of the result, for each unit */
    for (int d = 1; d < c->attention.n_batch; d++) rows *= c->attention.extent[d];
    for (int i = 0; i < (batch ? 4 : 2); i++) all[i]->offset += lo * all[i]->stride[0];
    c->attention.out.offset += lo * c->attention.dv * (batch ? rows : 1);
    if (!batch) c->attention.diagonal += lo;
    *(batch ? &c->attention.extent[0] : &c->attention.m) = hi - lo;
}

gpa_libcall library_share(const gpa_libcall *call, const library_units *u, int64_t lo, int64_t hi) {
    gpa_libcall c = *call;
    switch (c.kind) {
        case LIB_GEMM: share_gemm(&c, lo, hi); break;
        case LIB_ATTENTION: share_attention(&c, lo, hi); break;
        case LIB_SORT:
        case LIB_ARGSORT:
            c.sort.in.offset += lo * c.sort.n;
            c.sort.out.offset += lo * c.sort.n;
            c.sort.rows = hi - lo;
            break;
        case LIB_SEARCHSORTED:
            c.search.v.offset += lo;
            c.search.out.offset += lo;
            c.search.count = hi - lo;
            break;
        case LIB_ARGMINMAX:
            c.argminmax.in.offset += lo * c.argminmax.n;
            c.argminmax.out.offset += lo;
            c.argminmax.rows = hi - lo;
            break;
        case LIB_FFT:
            c.fft.in.offset += lo * c.fft.in.stride[u->dim];
            c.fft.out.offset += lo * c.fft.out.stride[u->dim];
            c.fft.n[u->dim] = hi - lo;
            break;
        case LIB_DCT:
            c.dct.in.offset += lo * c.dct.in.stride[u->dim];
            c.dct.out.offset += lo * c.dct.out.stride[u->dim];
            c.dct.n[u->dim] = hi - lo;
            break;
        case LIB_SPMM:
            c.spmm.a.indptr.offset += lo;
            c.spmm.y.offset += lo * c.spmm.k;
            c.spmm.a.rows = hi - lo;
            break;
        default: break; /* run on one rank */
    }
    return c;
}

/* ---- accesses ---- */

static library_access access_of(const gpa_binding *b, gpa_dtype t, bool write) {
    return (library_access){
        b, write, {.offset = b->offset, .item = (int64_t)dtype_size(t), .hi = 1}};
}

/* n contiguous elements. */
static library_access run_of(const gpa_binding *b, gpa_dtype t, bool write, int64_t n) {
    library_access x = access_of(b, t, write);
    x.r.ndim = 1, x.r.size[0] = n, x.r.stride[0] = 1;
    return x;
}

static library_access strided(const gpa_binding *b, gpa_dtype t, bool write, const int64_t *size,
                              int ndim) {
    library_access x = access_of(b, t, write);
    x.r.ndim = ndim;
    for (int d = 0; d < ndim; d++) x.r.size[d] = size[d], x.r.stride[d] = b->stride[d];
    return x;
}

/* Extents of the complex side of a real transform: n / 2 + 1 along the first dimension. */
static library_access transformed(const gpa_libcall *c, const gpa_binding *b, bool write) {
    const bool real = c->fft.form == (write ? FFT_C2R : FFT_R2C);
    int64_t size[KIR_MAX_DIMS];
    memcpy(size, c->fft.n, sizeof size);
    if (c->fft.form != FFT_C2C && !real) size[0] = size[0] / 2 + 1;
    return strided(b, real ? dtype_info[c->dtype].real : c->dtype, write, size, c->fft.ndim);
}

/* A matrix of rows x columns for each index of the batch. */
static library_access batched(const gpa_libcall *c, const gpa_binding *b, gpa_dtype t, int64_t rows,
                              int64_t columns) {
    const int n = c->attention.n_batch;
    int64_t size[KIR_MAX_DIMS];
    memcpy(size, c->attention.extent, (size_t)n * sizeof *size);
    size[n] = rows;
    size[n + 1] = columns;
    return strided(b, t, false, size, n + 2);
}

static int attention_accesses(const gpa_libcall *c, library_access *out) {
    const int64_t m = c->attention.m, n = c->attention.n;
    library_access *x = out;
    int64_t rows = m;
    for (int d = 0; d < c->attention.n_batch; d++) rows *= c->attention.extent[d];
    *x++ = batched(c, &c->attention.q, c->dtype, m, c->attention.dk);
    *x++ = batched(c, &c->attention.k, c->dtype, n, c->attention.dk);
    *x++ = batched(c, &c->attention.v, c->dtype, n, c->attention.dv);
    if (c->attention.mask_form != ATTENTION_NO_MASK)
        *x++ = batched(
            c, &c->attention.mask,
            c->attention.mask_form == ATTENTION_SELECT ? DT_BOOL : dtype_info[c->dtype].compute, m,
            n);
    *x++ = run_of(&c->attention.out, c->dtype, true, rows * c->attention.dv);
    return (int)(x - out);
}

int library_accesses(const gpa_libcall *c, library_access *out) {
    const gpa_dtype t = c->dtype;
    library_access *x = out;
    switch (c->kind) {
        case LIB_GEMM: {
            const int64_t a[] = {c->gemm.batch, c->gemm.m, c->gemm.k},
                          b[] = {c->gemm.batch, c->gemm.k, c->gemm.n};
            *x++ = strided(&c->gemm.a, t, false, a, 3);
            *x++ = strided(&c->gemm.b, t, false, b, 3);
            *x++ = run_of(&c->gemm.c, t, true, c->gemm.batch * c->gemm.m * c->gemm.n);
            break;
        }
        case LIB_ATTENTION: return attention_accesses(c, out);
        case LIB_SORT:
        case LIB_ARGSORT:
            *x++ = run_of(&c->sort.in, t, false, c->sort.rows * c->sort.n);
            *x++ = run_of(&c->sort.out, c->kind == LIB_SORT ? t : DT_I64, true,
                          c->sort.rows * c->sort.n);
            break;
        case LIB_SEARCHSORTED:
            *x++ = run_of(&c->search.a, t, false, c->search.n);
            *x++ = run_of(&c->search.v, t, false, c->search.count);
            *x++ = run_of(&c->search.out, DT_I64, true, c->search.count);
            break;
        case LIB_ARGMINMAX:
            *x++ = run_of(&c->argminmax.in, t, false, c->argminmax.rows * c->argminmax.n);
            *x++ = run_of(&c->argminmax.out, DT_I64, true, c->argminmax.rows);
            break;
        case LIB_FFT:
            *x++ = transformed(c, &c->fft.in, false);
            *x++ = transformed(c, &c->fft.out, true);
            break;
        case LIB_DCT:
            *x++ = strided(&c->dct.in, t, false, c->dct.n, c->dct.ndim);
            *x++ = strided(&c->dct.out, t, true, c->dct.n, c->dct.ndim);
            break;
        case LIB_SPMM:
            *x++ = run_of(&c->spmm.a.indptr, DT_I32, false, c->spmm.a.rows + 1);
            *x++ = run_of(&c->spmm.a.indices, DT_I32, false, c->spmm.a.nnz);
            *x++ = run_of(&c->spmm.a.data, t, false, c->spmm.a.nnz);
            *x++ = run_of(&c->spmm.x, t, false, c->spmm.a.cols * c->spmm.k);
            *x++ = run_of(&c->spmm.y, t, true, c->spmm.a.rows * c->spmm.k);
            break;
        default: break; /* run on one rank */
    }
    return (int)(x - out);
}

uint64_t library_bytes(const gpa_libcall *c) {
    library_access x[LIB_OPERANDS];
    uint64_t bytes = 0, most = 0;
    const int n = library_accesses(c, x);
    for (int i = 0; i < n; i++) {
        bytes = (uint64_t)x[i].r.item;
        for (int d = 0; d < x[i].r.ndim; d++) bytes *= (uint64_t)x[i].r.size[d];
        most = MAX(most, bytes);
    }
    if (lib_has_matrices(c->kind))
        most = (uint64_t)(c->matrix.batch * c->matrix.m * c->matrix.n) * dtype_size(c->dtype);
    if (c->kind == LIB_GEMM)
        most = MAX(most, (uint64_t)(c->gemm.batch * c->gemm.m * c->gemm.n) * (uint64_t)c->gemm.k);
    if (c->kind == LIB_ATTENTION) most *= (uint64_t)c->attention.n;
    return most;
}
