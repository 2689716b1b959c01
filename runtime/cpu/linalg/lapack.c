/* LAPACK factorizations.
 *
 * Matrices are in Fortran order, contiguous, in memory that may be overwritten, as LAPACK requires.
 * A large batch is partitioned among the threads of the pool, a chunk at a time with one workspace;
 * a small one is left to the library's own threads. Reading order: one matrix, chunks of matrices,
 * calls. */
#include "runtime/cpu/linalg/lapack.h"

#include <math.h>

#include "runtime/base/base.h"
#include "runtime/cpu/linalg/symmetrize.h"
#include "runtime/cpu/parallel/detached.h"
#include "runtime/cpu/parallel/memory.h"
#include "runtime/cpu/linalg/batched_lu.h"
#include "runtime/cpu/linalg/batched_eigen.h"
#include "runtime/cpu/parallel/threads.h"
#include "runtime/tables/tuning.h"

enum {
    SOLVED_INVERSE_MAX_ROWS = 32, /* an inverse by solving for the identity, for NumPy's rounding */
    GELSD_MAX_LEVELS = 32         /* bound of its recursion depth (divide and conquer) */
};

bool lapack_can(lapack **l, blas **b, const gpa_libcall *c) {
    if (blas_type_index(c->dtype) < 0 || c->matrix.m > INT32_MAX || c->matrix.n > INT32_MAX ||
        c->matrix.k > INT32_MAX)
        return false;
    return lapack_load(l, b);
}

/* ---- one matrix ---- */

/* One matrix of a call, and its workspace. */
typedef struct {
    const lapack_routines *r;
    const gpa_libcall *c;
    int m, n, k, p; /* p = min(m, n) */
    char *x[LIB_MATRICES];
    void *work;
    void *real_work; /* of the real dtype; geev: eigenvalues' parts, and packed vectors */
    int *ints;
    int n_work; /* elements of work; -1: a workspace query */
} task;

static int at_least_1(int n) { return n > 1 ? n : 1; }

#define POSITIVE_REAL(x) ((x) > 0 && (x) < INFINITY)
#define POSITIVE_COMPLEX(x) (POSITIVE_REAL((x).re) && (x).im == 0)
#define EQUAL(x, y) ((x) == (y))
#define CONJUGATE(x, y) ((x).re == (y).re && (x).im == -(y).im)

#define T float
#define IS_POSITIVE POSITIVE_REAL
#define ARE_CONJUGATE EQUAL
#define NAME(x) x##_f32
#include "runtime/cpu/linalg/square_matrix.inc"
#define T double
#define IS_POSITIVE POSITIVE_REAL
#define ARE_CONJUGATE EQUAL
#define NAME(x) x##_f64
#include "runtime/cpu/linalg/square_matrix.inc"
#define T gpa_c64
#define IS_POSITIVE POSITIVE_COMPLEX
#define ARE_CONJUGATE CONJUGATE
#define NAME(x) x##_c64
#include "runtime/cpu/linalg/square_matrix.inc"
#define T gpa_c128
#define IS_POSITIVE POSITIVE_COMPLEX
#define ARE_CONJUGATE CONJUGATE
#define NAME(x) x##_c128
#include "runtime/cpu/linalg/square_matrix.inc"

/* Of each dtype, in the order of blas_types. */
static const struct {
    void (*transpose)(void *matrix, int n);
    bool (*is_hermitian)(const void *matrix, int n);
    void (*diagonal)(void *matrix, int n, void *saved, bool restore);
} squares[BLAS_TYPES] = {
    {transpose_f32, is_hermitian_f32, diagonal_f32},
    {transpose_f64, is_hermitian_f64, diagonal_f64},
    {transpose_c64, is_hermitian_c64, diagonal_c64},
    {transpose_c128, is_hermitian_c128, diagonal_c128},
};

static void transpose(const task *t) {
    squares[blas_type_index(t->c->dtype)].transpose(t->x[0], t->n);
}

/* Factors the matrix itself (C order), not the transpose that LAPACK sees, so that the rounding is
 * that of NumPy. */
static int solve(const task *t) {
    int info = 0, lead = at_least_1(t->n);
    transpose(t);
    t->r->gesv(&t->n, &t->k, t->x[0], &lead, t->ints, t->x[1], &lead, &info);
    return info;
}

static int lu(const task *t) {
    int info = 0, lead = at_least_1(t->m);
    t->r->getrf(&t->m, &t->n, t->x[0], &lead, (int *)(void *)t->x[1], &info);
    return info < 0 ? info : 0; /* a zero pivot is not an error of a factorization */
}

/* Small matrices as NumPy inverts them, by solving for the identity, for NumPy's rounding. */
static int inverse_by_columns(const task *t) {
    size_t item = dtype_size(t->c->dtype), n = (size_t)t->n;
    task s = *t;
    memset(t->work, 0, n * n * item);
    for (size_t i = 0; i < n; i++) { /* a complex 1 has the same bits in its real part */
        void *at = (char *)t->work + i * (n + 1) * item;
        if (dtype_info[t->c->dtype].real == DT_F32)
            *(float *)at = 1;
        else
            *(double *)at = 1;
    }
    s.k = t->n;
    s.x[1] = t->work;
    int info = solve(&s);
    memcpy(t->x[0], t->work, n * n * item);
    transpose(t);
    return info;
}

static bool has_nan(const task *t) {
    size_t reals = (size_t)t->n * (size_t)t->n * (dtype_is_complex(t->c->dtype) ? 2 : 1), nans = 0;
    const float *narrow = (const float *)(void *)t->x[0];
    const double *wide = (const double *)(void *)t->x[0];
    if (dtype_info[t->c->dtype].real == DT_F32)
        for (size_t i = 0; i < reals; i++) nans += narrow[i] != narrow[i];
    else
        for (size_t i = 0; i < reals; i++) nans += wide[i] != wide[i];
    return nans;
}

/* The inverse of a positive definite matrix by Cholesky, in two thirds of the time of LU. False,
 * with the matrix unchanged: it is not positive definite. */
static bool inverse_of_definite(const task *t, int *info) {
    void *a = t->x[0];
    int lead = t->n, type = blas_type_index(t->c->dtype);
    if (!squares[type].is_hermitian(a, t->n)) return false;
    squares[type].diagonal(a, t->n, t->work, false);
    t->r->potrf("L", &t->n, a, &lead, info);
    bool definite = !*info;
    if (definite) t->r->potri("L", &t->n, a, &lead, info);
    symmetrize_hermitian(a, t->n, t->c->dtype, !definite);
    if (!definite) squares[type].diagonal(a, t->n, t->work, true), *info = 0;
    return definite;
}

/* In Fortran order the matrix is the transpose, whose inverse is the transposed inverse. The
 * library does not propagate NaN to every element. */
static int inverse(const task *t) {
    int info = 0, lead = at_least_1(t->n);
    size_t bytes = (size_t)t->n * (size_t)t->n * dtype_size(t->c->dtype);
    if (t->n <= SOLVED_INVERSE_MAX_ROWS) return inverse_by_columns(t);
    if (t->n_work >= 0) {
        if (has_nan(t)) {
            memset(t->x[0], 0xff, bytes);
            return 0;
        }
        if (inverse_of_definite(t, &info)) return info;
        t->r->getrf(&t->n, &t->n, t->x[0], &lead, t->ints, &info);
    }
    if (!info) t->r->getri(&t->n, t->x[0], &lead, t->ints, t->work, &t->n_work, &info);
    return info;
}

/* The library computes L in two thirds of the time of U; U is the L of the transpose. */
static int cholesky(const task *t) {
    int info = 0, lead = at_least_1(t->n);
    bool transposes = t->c->matrix.upper && t->n > SOLVED_INVERSE_MAX_ROWS;
    if (transposes) symmetrize_triangle(t->x[0], t->n, dtype_size(t->c->dtype), true);
    t->r->potrf(t->c->matrix.upper && !transposes ? "U" : "L", &t->n, t->x[0], &lead, &info);
    if (transposes) symmetrize_triangle(t->x[0], t->n, dtype_size(t->c->dtype), false);
    return info;
}

/* Q, in x[2], from the Householder reflectors below the diagonal of x[0]. */
static int qr(const task *t) {
    int info = 0, lead = at_least_1(t->m);
    size_t item = dtype_size(t->c->dtype);
    if (t->n_work < 0) { /* a workspace query asks both routines */
        double first = 0, second = 0;
        bool single = t->c->dtype == DT_F32 || t->c->dtype == DT_C64;
        t->r->geqrf(&t->m, &t->n, t->x[0], &lead, t->x[1], t->work, &t->n_work, &info);
        first = single ? *(float *)t->work : *(double *)t->work;
        if (t->x[2])
            t->r->orgqr(&t->m, &t->k, &t->p, t->x[2], &lead, t->x[1], t->work, &t->n_work, &info);
        second = single ? *(float *)t->work : *(double *)t->work;
        if (single)
            *(float *)t->work = (float)MAX(first, second);
        else
            *(double *)t->work = MAX(first, second);
        return info;
    }
    t->r->geqrf(&t->m, &t->n, t->x[0], &lead, t->x[1], t->work, &t->n_work, &info);
    if (info || !t->x[2]) return info;
    memcpy(t->x[2], t->x[0], (size_t)t->m * (size_t)(t->k < t->n ? t->k : t->n) * item);
    t->r->orgqr(&t->m, &t->k, &t->p, t->x[2], &lead, t->x[1], t->work, &t->n_work, &info);
    return info;
}

/* Singular values have no sign: gesdd returns -0 for rows of zeros. */
static void clear_signs(const task *t) {
    const bool single = dtype_info[t->c->dtype].real == DT_F32;
    for (int i = 0; i < MIN(t->m, t->n); i++) {
        if (single)
            ((float *)t->x[1])[i] += 0.0f;
        else
            ((double *)t->x[1])[i] += 0.0;
    }
}

static int svd(const task *t) {
    int info = 0, lead = at_least_1(t->m), lead_v = at_least_1(t->n);
    const char *job = !t->x[2] ? "N" : t->c->matrix.full ? "A" : "S";
    if (dtype_is_complex(t->c->dtype))
        t->r->gesdd_complex(job, &t->m, &t->n, t->x[0], &lead, t->x[1], t->x[2], &lead, t->x[3],
                            &lead_v, t->work, &t->n_work, t->real_work, t->ints, &info);
    else
        t->r->gesdd(job, &t->m, &t->n, t->x[0], &lead, t->x[1], t->x[2], &lead, t->x[3], &lead_v,
                    t->work, &t->n_work, t->ints, &info);
    if (t->n_work >= 0 && !info) clear_signs(t);
    return info;
}

/* Workspace of syevd and heevd besides `work`: 3 + 5n integers, for complex matrices 1 + 5n + 2n^2
 * reals as well. */
static int eigh(const task *t) {
    int info = 0, lead = at_least_1(t->n), n_ints = 3 + 5 * t->n,
        n_reals = 1 + 5 * t->n + 2 * t->n * t->n;
    const char *job = t->c->matrix.vectors ? "V" : "N", *part = t->c->matrix.upper ? "U" : "L";
    if (dtype_is_complex(t->c->dtype))
        t->r->heevd(job, part, &t->n, t->x[0], &lead, t->x[1], t->work, &t->n_work, t->real_work,
                    &n_reals, t->ints, &n_ints, &info);
    else
        t->r->syevd(job, part, &t->n, t->x[0], &lead, t->x[1], t->work, &t->n_work, t->ints,
                    &n_ints, &info);
    return info;
}

/* geev returns the eigenvalues of a real matrix as two arrays, real and imaginary parts. */
static int eig(const task *t) {
    int info = 0, lead = at_least_1(t->n), one = 1;
    size_t item = dtype_size(t->c->dtype), n = t->n_work < 0 ? 0 : (size_t)t->n;
    const char *job = t->x[2] ? "V" : "N";
    if (dtype_is_complex(t->c->dtype)) {
        t->r->geev_complex("N", job, &t->n, t->x[0], &lead, t->x[1], NULL, &one, t->x[2], &lead,
                           t->work, &t->n_work, t->real_work, &info);
        return info;
    }
    char *re = t->real_work, *im = re + n * item;
    t->r->geev("N", job, &t->n, t->x[0], &lead, re, im, NULL, &one, t->x[2], &lead, t->work,
               &t->n_work, &info);
    for (size_t i = 0; i < n; i++) {
        memcpy(t->x[1] + 2 * i * item, re + i * item, item);
        memcpy(t->x[1] + (2 * i + 1) * item, im + i * item, item);
    }
    return info;
}

static int lstsq(const task *t) {
    int info = 0, rank = 0, lead = at_least_1(t->m), lead_b = at_least_1(MAX(t->m, t->n));
    float narrow = (float)t->c->matrix.rcond;
    const void *limit =
        dtype_info[t->c->dtype].real == DT_F32 ? (const void *)&narrow : &t->c->matrix.rcond;
    if (dtype_is_complex(t->c->dtype))
        t->r->gelsd_complex(&t->m, &t->n, &t->k, t->x[0], &lead, t->x[1], &lead_b, t->x[2], limit,
                            &rank, t->work, &t->n_work, t->real_work, t->ints, &info);
    else
        t->r->gelsd(&t->m, &t->n, &t->k, t->x[0], &lead, t->x[1], &lead_b, t->x[2], limit, &rank,
                    t->work, &t->n_work, t->ints, &info);
    if (t->n_work >= 0) *(int32_t *)(void *)t->x[3] = rank;
    return info;
}

typedef int driver(const task *t);

static driver *const drivers[LIB_COUNT] = {
    [LIB_LU] = lu,       [LIB_SOLVE] = solve, [LIB_INVERSE] = inverse, [LIB_CHOLESKY] = cholesky,
    [LIB_QR] = qr,       [LIB_SVD] = svd,     [LIB_EIGH] = eigh,       [LIB_EIG] = eig,
    [LIB_LSTSQ] = lstsq,
};

static int factorize(const task *t) { return drivers[t->c->kind](t); }

/* ---- chunks of matrices ---- */

/* Elements of the real workspace, and of the integer one. */
static size_t reals_of(const gpa_libcall *c) {
    size_t m = (size_t)c->matrix.m, n = (size_t)c->matrix.n, p = MIN(m, n), q = MAX(m, n);
    bool is_complex = dtype_is_complex(c->dtype);
    if (c->kind == LIB_SVD && is_complex) return p * MAX(5 * p + 7, 2 * q + 2 * p + 1) + 1;
    if (c->kind == LIB_EIGH && is_complex) return 1 + 5 * n + 2 * n * n;
    if (c->kind == LIB_EIG) return 2 * n + 1;
    if (c->kind == LIB_LSTSQ && is_complex)
        return n * (60 + 8 * GELSD_MAX_LEVELS) + 75 * (size_t)c->matrix.k +
               MAX(676, n * (1 + (size_t)c->matrix.k) + 2 * (size_t)c->matrix.k);
    return 1;
}

static size_t ints_of(const gpa_libcall *c) {
    size_t n = (size_t)c->matrix.n, p = (size_t)MIN(c->matrix.m, c->matrix.n);
    if (c->kind == LIB_SVD) return 8 * p + 1;
    if (c->kind == LIB_EIGH) return 3 + 5 * n;
    if (c->kind == LIB_LSTSQ) return p * (11 + 3 * GELSD_MAX_LEVELS) + 1;
    return n + 1;
}

/* Workspace query: elements of `work`; 0: none. */
static int work_of(const task *asked) {
    task t = *asked;
    gpa_c128 answer = {0, 0}, real_answer = {0, 0};
    int int_answer = 0;
    if (t.c->kind != LIB_INVERSE && t.c->kind != LIB_QR && t.c->kind != LIB_SVD &&
        t.c->kind != LIB_EIGH && t.c->kind != LIB_EIG && t.c->kind != LIB_LSTSQ)
        return 0;
    if (t.c->kind == LIB_INVERSE && t.n <= SOLVED_INVERSE_MAX_ROWS) return t.n * t.n;
    t.work = &answer;
    t.real_work = &real_answer;
    t.ints = &int_answer;
    t.n_work = -1;
    factorize(&t);
    bool single = t.c->dtype == DT_F32 || t.c->dtype == DT_C64;
    float narrow;
    memcpy(&narrow, &answer, sizeof narrow);
    return (int)ceil(single ? nextafterf(narrow, INFINITY)
                            : answer.re); /* the size may have been rounded down to float */
}

typedef struct {
    const task *first;   /* matrix 0 */
    const int64_t *step; /* bytes between consecutive matrices, per array */
    int64_t batch, chunks;
    int lanes; /* matrices of one SIMD run; 1: by the library */
    struct failure {
        int64_t at;
        int info;
        bool memory;
    } * failures; /* one per chunk; at < 0: none */
} runs;

/* Matrices from .. to - 1, one per SIMD lane. */
static void run_small(const runs *r, int64_t from, int64_t to, struct failure *f) {
    const gpa_libcall *c = r->first->c;
    int lanes = r->lanes, which = 0;
    char *x[LIB_MATRICES], *memory = mem_new(batched_lu_scratch(c) + 64);
    f->memory = !memory;
    for (int64_t i = from; memory && i < to; i += lanes) {
        for (int k = 0; k < LIB_MATRICES; k++)
            x[k] = r->first->x[k] ? r->first->x[k] + i * r->step[k] : NULL;
        int info = batched_lu_run(c, x, r->step, (int)MIN(lanes, to - i),
                                  (void *)(((uintptr_t)memory + 63) / 64 * 64), &which);
        if (info && f->at < 0) *f = (struct failure){.at = i + which, .info = info};
    }
    mem_free(memory);
}

static void run_chunk(void *arg, int64_t chunk) {
    const runs *r = arg;
    const gpa_libcall *c = r->first->c;
    task t = *r->first;
    size_t real = dtype_size(dtype_info[c->dtype].real);
    struct failure *f = &r->failures[chunk];
    *f = (struct failure){.at = -1};
    int lanes = r->lanes;
    int64_t groups = (r->batch + lanes - 1) / lanes, from = groups * chunk / r->chunks * lanes,
            to = MIN(groups * (chunk + 1) / r->chunks * lanes, r->batch);
    if (batched_lu_can(c)) {
        run_small(r, from, to, f);
        return;
    }
    char *memory = lanes > 1 ? mem_new(batched_eigen_scratch(c) + 64) : NULL,
         *aligned = memory ? memory + (64 - (uintptr_t)memory % 64) % 64 : NULL;
    t.work = mem_new((size_t)at_least_1(t.n_work) * dtype_size(c->dtype));
    t.real_work = mem_new(reals_of(c) * real);
    t.ints = mem_new(ints_of(c) * sizeof *t.ints);
    f->memory = !t.work || !t.real_work || !t.ints || (lanes > 1 && !memory);
    for (int64_t i = from; i < to && !f->memory; i += lanes) {
        int count = (int)MIN(lanes, to - i);
        for (int x = 0; x < LIB_MATRICES; x++)
            t.x[x] = r->first->x[x] ? r->first->x[x] + i * r->step[x] : NULL;
        if (lanes > 1 && batched_eigen_run(c, t.x, r->step, count, aligned)) continue;
        for (int k = 0; k < count;
             k++) { /* singly: results must not depend on the other matrices of the run */
            int info =
                lanes > 1 && batched_eigen_run(c, t.x, r->step, 1, aligned) ? 0 : factorize(&t);
            if (info && f->at < 0) *f = (struct failure){.at = i + k, .info = info};
            for (int x = 0; x < LIB_MATRICES; x++) t.x[x] = t.x[x] ? t.x[x] + r->step[x] : NULL;
        }
    }
    mem_free(memory);
    mem_free(t.work);
    mem_free(t.real_work);
    mem_free(t.ints);
}

/* Bytes of one matrix in each array. */
static void steps_of(const gpa_libcall *c, int64_t *step) {
    for (int i = 0; i < LIB_MATRICES; i++) {
        const lib_operand x = lib_operand_of(c, i);
        step[i] = lib_operand_size(&x) * (int64_t)dtype_size(x.dtype);
    }
}

/* Operations of one matrix, weighted by the speed that the library reaches: a bidiagonal or
 * Hessenberg reduction is bound by memory. */
static double work_estimate(const gpa_libcall *c) {
    static const double weights[LIB_COUNT] = {
        [LIB_LU] = 1,   [LIB_SOLVE] = 1, [LIB_INVERSE] = 3, [LIB_CHOLESKY] = 1, [LIB_QR] = 4,
        [LIB_SVD] = 40, [LIB_EIGH] = 20, [LIB_EIG] = 100,   [LIB_LSTSQ] = 40,
    };
    const double m = (double)c->matrix.m, n = (double)c->matrix.n, k = (double)c->matrix.k;
    return weights[c->kind] * (m * n * MIN(m, n) + m * n * (c->kind == LIB_QR ? 0 : k));
}

/* A call with all that its thread needs, so that an interrupt can detach it. */
typedef struct {
    const gpa_libcall *theirs; /* the caller's, until it is detached */
    gpa_libcall c;
    gpa_mem mem[LIB_MATRICES];
    int64_t step[LIB_MATRICES];
    int32_t info, stop;
    task first;
    runs r;
    int threads;
} job;

static void job_free(void *arg) {
    job *j = arg;
    if (!j->theirs)
        for (int x = 0; x < LIB_MATRICES; x++) mem_free(j->mem[x].block);
    mem_free(j->r.failures);
    mem_free(j);
}

static void job_run(void *arg) {
    job *j = arg;
    threads_each(j->threads, j->r.chunks, &j->stop, run_chunk, &j->r);
}

/* Gives the caller new blocks for its operands. */
static bool job_take_over(void *arg) {
    job *j = arg;
    gpa_mem fresh[LIB_MATRICES] = {{0}};
    bool good = true;
    for (int x = 0; x < LIB_MATRICES && good; x++)
        good = !j->theirs->matrix.x[x] || memory_block_new(&fresh[x], j->mem[x].n);
    for (int x = 0; x < LIB_MATRICES; x++) {
        if (good && j->theirs->matrix.x[x]) *j->theirs->matrix.x[x] = fresh[x];
        if (!good) mem_free(fresh[x].block);
    }
    if (!good) return false;
    j->theirs = NULL;
    __atomic_store_n(&j->stop, 1, __ATOMIC_RELAXED);
    return true;
}

/* The number of chunks: work is shared among threads, and each chunk is short enough to wait for
 * after an interrupt. */
static int64_t chunks_of(const gpa_libcall *c, int64_t groups, int threads, double work) {
    const double all = work * (double)c->matrix.batch;
    const int64_t most = MAX(groups, 1), shares = threads > 1 ? TUNE_LAPACK_CHUNKS_PER_THREAD : 1;
    return MIN(most, MAX(shares * threads, (int64_t)(all / TUNE_LAPACK_DIRECT_MAX_WORK)));
}

/* *out: the call with copies of its description. */
static gpa_code job_new(const lapack *l, const lapack_context *ctx, const gpa_libcall *c, job **out,
                        gpa_err *e) {
    job *j = mem_zero(sizeof *j);
    if (!j) return gpa_no_memory(e);
    j->theirs = c;
    j->c = *c;
    j->c.matrix.info = &j->info;
    task *t = &j->first;
    *t = (task){.r = &l->of[blas_type_index(c->dtype)],
                .c = &j->c,
                .m = (int)c->matrix.m,
                .n = (int)c->matrix.n,
                .k = (int)c->matrix.k};
    t->p = MIN(t->m, t->n);
    steps_of(c, j->step);
    for (int x = 0; x < LIB_MATRICES; x++)
        if (c->matrix.x[x]) {
            j->mem[x] = *c->matrix.x[x];
            j->c.matrix.x[x] = &j->mem[x];
            t->x[x] = j->mem[x].base;
        }
    t->n_work = batched_lu_can(c) ? 0 : work_of(t);
    int lanes = batched_lu_can(c)      ? batched_lu_width(c)
                : batched_eigen_can(c) ? batched_eigen_width(c)
                                       : 1;
    int64_t groups = (c->matrix.batch + lanes - 1) / lanes;
    bool many = ctx->threads > 1 && (lanes > 1 || groups >= ctx->threads);
    j->threads = many ? ctx->threads : 1;
    j->r = (runs){.first = t,
                  .step = j->step,
                  .batch = c->matrix.batch,
                  .chunks = chunks_of(c, groups, j->threads, work_estimate(c)),
                  .lanes = lanes};
    j->r.failures = mem_zero((size_t)j->r.chunks * sizeof *j->r.failures);
    if (!j->r.failures) {
        mem_free(j);
        return gpa_no_memory(e);
    }
    *out = j;
    return GPA_OK;
}

/* The call's outcome, after all chunks have run. */
static gpa_code job_result(const job *j, const gpa_libcall *c, gpa_err *e) {
    *c->matrix.info = 0;
    for (int64_t i = 0; i < j->r.chunks; i++) {
        if (j->r.failures[i].memory) return gpa_no_memory(e);
        if (j->r.failures[i].at >= 0 && !*c->matrix.info) *c->matrix.info = j->r.failures[i].info;
    }
    return GPA_OK;
}

/* True if the operands' memory can be left to a detached thread. */
static bool owns_blocks(const job *j) {
    for (int x = 0; x < LIB_MATRICES; x++)
        if (j->theirs->matrix.x[x] && !j->mem[x].block) return false;
    return true;
}

gpa_code lapack_run(const lapack *l, const lapack_context *ctx, const gpa_libcall *c, gpa_err *e) {
    static const detached_call call = {job_run, job_take_over, job_free};
    job *j = NULL;
    gpa_code rc = job_new(l, ctx, c, &j, e);
    if (rc) return rc;
    blas_threads(ctx->b, j->threads > 1 ? 1 : ctx->threads);
    if (work_estimate(c) > TUNE_LAPACK_DIRECT_MAX_WORK && owns_blocks(j)) {
        if (!detached_run(&call, j, ctx->stop)) return gpa_interrupted(e);
    } else {
        threads_each(j->threads, j->r.chunks, ctx->stop, run_chunk, &j->r);
    }
    rc = threads_stopped(ctx->stop) ? gpa_interrupted(e) : job_result(j, c, e);
    job_free(j);
    return rc;
}
