/* An emulated cuSPARSE: products of CSR matrices of float32 and float64 by their definition,
 * tridiagonal systems by elimination. Calls are logged to $STUB_CUDA_LOG. Scratch memory is WANTED
 * bytes; a call without it fails. */
#include "tests/stub/stub.h"

#include "runtime/cuda/driver/api.h"

enum { NOT_INITIALIZED = 1, BAD_VALUE = 3, NOT_SUPPORTED = 10, WANTED = 64 };

struct cusparseSpMatDescr {
    int64_t m, n, count;
    int *start, *column;
    void *at;
    int type;
};
struct cusparseDnMatDescr {
    int64_t m, n, step;
    void *at;
};
struct cusparseDnVecDescr {
    int64_t n;
    void *at;
};
struct cusparseSpGEMMDescr {
    int64_t m, count;
    int *start, *column;
    double *at;
};

static double get(const void *at, int type, int64_t i) {
    return type == CUDA_R_32F ? (double)((const float *)at)[i] : ((const double *)at)[i];
}

static void put(void *at, int type, int64_t i, double v) {
    if (type == CUDA_R_32F)
        ((float *)at)[i] = (float)v;
    else
        ((double *)at)[i] = v;
}

int cusparseCreate(cusparseHandle_t *out) {
    static int something;
    return *out = (cusparseHandle_t)(void *)&something, 0;
}
int cusparseDestroy(cusparseHandle_t h) { return (void)h, 0; }
int cusparseSetStream(cusparseHandle_t h, CUstream s) { return (void)h, (void)s, 0; }

int cusparseCreateCsr(cusparseSpMatDescr_t *out, int64_t m, int64_t n, int64_t count, void *start,
                      void *column, void *at, int start_type, int column_type, int base, int type) {
    if (start_type != CUSPARSE_INDEX_32I || column_type != CUSPARSE_INDEX_32I || base ||
        count > m * n || (count && !(start && column && at)))
        return BAD_VALUE;
    if (type != CUDA_R_32F && type != CUDA_R_64F) return NOT_SUPPORTED;
    *out = malloc(sizeof **out);
    **out = (struct cusparseSpMatDescr){m, n, count, start, column, at, type};
    return 0;
}
int cusparseDestroySpMat(cusparseSpMatDescr_t a) { return free(a), 0; }
int cusparseSpMatGetSize(cusparseSpMatDescr_t a, int64_t *m, int64_t *n, int64_t *count) {
    return *m = a->m, *n = a->n, *count = a->count, 0;
}
int cusparseCsrSetPointers(cusparseSpMatDescr_t a, void *start, void *column, void *at) {
    if (!start || !column || !at) return BAD_VALUE;
    a->start = start, a->column = column, a->at = at;
    return 0;
}

int cusparseCreateDnMat(cusparseDnMatDescr_t *out, int64_t m, int64_t n, int64_t step, void *at,
                        int type, int order) {
    (void)type;
    if (order != CUSPARSE_ORDER_ROW) return NOT_SUPPORTED;
    *out = malloc(sizeof **out);
    **out = (struct cusparseDnMatDescr){m, n, step, at};
    return 0;
}
int cusparseDestroyDnMat(cusparseDnMatDescr_t a) { return free(a), 0; }
int cusparseCreateDnVec(cusparseDnVecDescr_t *out, int64_t n, void *at, int type) {
    (void)type;
    *out = malloc(sizeof **out);
    **out = (struct cusparseDnVecDescr){n, at};
    return 0;
}
int cusparseDestroyDnVec(cusparseDnVecDescr_t x) { return free(x), 0; }

static void times_dense(const struct cusparseSpMatDescr *a, const void *x, void *y, int64_t k) {
    stub_log("sparse %d x %d times %d\n", (int)a->m, (int)a->n, (int)k);
    for (int64_t i = 0; i < a->m; i++)
        for (int64_t j = 0; j < k; j++) {
            double sum = 0;
            for (int s = a->start[i]; s < a->start[i + 1]; s++)
                sum += get(a->at, a->type, s) * get(x, a->type, a->column[s] * k + j);
            put(y, a->type, i * k + j, sum);
        }
}

int cusparseSpMV_bufferSize(cusparseHandle_t h, int op, const void *alpha, cusparseSpMatDescr_t a,
                            cusparseDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y,
                            int type, int algorithm, size_t *n) {
    (void)h, (void)op, (void)alpha, (void)a, (void)x, (void)beta, (void)y, (void)type,
        (void)algorithm;
    return *n = WANTED, 0;
}
int cusparseSpMV(cusparseHandle_t h, int op, const void *alpha, cusparseSpMatDescr_t a,
                 cusparseDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, int type,
                 int algorithm, void *buffer) {
    (void)h, (void)op, (void)alpha, (void)beta, (void)type, (void)algorithm;
    return buffer ? times_dense(a, x->at, y->at, 1), 0 : BAD_VALUE;
}
int cusparseSpMM_bufferSize(cusparseHandle_t h, int op_a, int op_x, const void *alpha,
                            cusparseSpMatDescr_t a, cusparseDnMatDescr_t x, const void *beta,
                            cusparseDnMatDescr_t y, int type, int algorithm, size_t *n) {
    (void)h, (void)op_a, (void)op_x, (void)alpha, (void)a, (void)x, (void)beta, (void)y, (void)type,
        (void)algorithm;
    return *n = WANTED, 0;
}
int cusparseSpMM(cusparseHandle_t h, int op_a, int op_x, const void *alpha, cusparseSpMatDescr_t a,
                 cusparseDnMatDescr_t x, const void *beta, cusparseDnMatDescr_t y, int type,
                 int algorithm, void *buffer) {
    (void)h, (void)op_a, (void)op_x, (void)alpha, (void)beta, (void)type, (void)algorithm;
    return buffer ? times_dense(a, x->at, y->at, x->n), 0 : BAD_VALUE;
}

/* ---- SpGEMM ---- */

int cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *out) {
    return (*out = calloc(1, sizeof **out)) ? 0 : NOT_INITIALIZED;
}
int cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t p) {
    free(p->start), free(p->column), free(p->at), free(p);
    return 0;
}
int cusparseSpGEMM_workEstimation(cusparseHandle_t h, int op_a, int op_b, const void *alpha,
                                  cusparseSpMatDescr_t a, cusparseSpMatDescr_t b, const void *beta,
                                  cusparseSpMatDescr_t c, int type, int algorithm,
                                  cusparseSpGEMMDescr_t p, size_t *n, void *buffer) {
    (void)h, (void)op_a, (void)op_b, (void)alpha, (void)a, (void)b, (void)beta, (void)c, (void)type,
        (void)algorithm, (void)p, (void)buffer;
    return *n = WANTED, 0;
}
int cusparseSpGEMM_compute(cusparseHandle_t h, int op_a, int op_b, const void *alpha,
                           cusparseSpMatDescr_t a, cusparseSpMatDescr_t b, const void *beta,
                           cusparseSpMatDescr_t c, int type, int algorithm, cusparseSpGEMMDescr_t p,
                           size_t *n, void *buffer) {
    (void)h, (void)op_a, (void)op_b, (void)alpha, (void)beta, (void)type, (void)algorithm;
    if (!buffer) return *n = WANTED, 0;
    stub_log("spgemm %d x %d x %d\n", (int)a->m, (int)a->n, (int)b->n);
    p->m = a->m;
    p->start = calloc((size_t)a->m + 1, sizeof *p->start);
    p->column = malloc((size_t)(a->m * b->n + 1) * sizeof *p->column);
    p->at = malloc((size_t)(a->m * b->n + 1) * sizeof *p->at);
    for (int64_t i = 0; i < a->m; i++) {
        for (int64_t j = 0; j < b->n; j++) {
            double sum = 0;
            bool there = false;
            for (int s = a->start[i]; s < a->start[i + 1]; s++)
                for (int t = b->start[a->column[s]]; t < b->start[a->column[s] + 1]; t++)
                    if (b->column[t] == j)
                        sum += get(a->at, a->type, s) * get(b->at, b->type, t), there = true;
            if (!there) continue;
            p->column[p->count] = (int)j;
            p->at[p->count++] = sum;
        }
        p->start[i + 1] = (int)p->count;
    }
    return c->count = p->count, 0;
}
int cusparseSpGEMM_copy(cusparseHandle_t h, int op_a, int op_b, const void *alpha,
                        cusparseSpMatDescr_t a, cusparseSpMatDescr_t b, const void *beta,
                        cusparseSpMatDescr_t c, int type, int algorithm, cusparseSpGEMMDescr_t p) {
    (void)h, (void)op_a, (void)op_b, (void)alpha, (void)a, (void)b, (void)beta, (void)type,
        (void)algorithm;
    if (!c->column || !p->start) return BAD_VALUE;
    memcpy(c->start, p->start, (size_t)(p->m + 1) * sizeof *p->start);
    memcpy(c->column, p->column, (size_t)p->count * sizeof *p->column);
    for (int64_t k = 0; k < p->count; k++) put(c->at, c->type, k, p->at[k]);
    return 0;
}

/* ---- tridiagonal systems: elimination without pivots ---- */

#define OPERANDS \
    cusparseHandle_t h, int m, int n, const void *lower, const void *diagonal, const void *upper
#define WORKSPACE(name)                                                                  \
    int name(OPERANDS, const void *x, int lead, size_t *bytes) {                         \
        (void)h, (void)m, (void)n, (void)lower, (void)diagonal, (void)upper, (void)lead; \
        return *bytes = x ? WANTED : 0, 0;                                               \
    }
WORKSPACE(cusparseSgtsv2_bufferSizeExt)
WORKSPACE(cusparseDgtsv2_bufferSizeExt)
WORKSPACE(cusparseCgtsv2_bufferSizeExt)
WORKSPACE(cusparseZgtsv2_bufferSizeExt)

static int eliminate(int type, int m, int n, const void *lower, const void *diagonal,
                     const void *upper, void *x, int lead, const void *buffer) {
    double *d = malloc((size_t)m * sizeof *d);
    if (!buffer || m < 3 || get(lower, type, 0) != 0 || get(upper, type, m - 1) != 0)
        return free(d), BAD_VALUE;
    stub_log("tridiagonal %d by %d\n", m, n);
    for (int j = 0; j < n; j++) {
        const int64_t column = (int64_t)j * lead;
        for (int i = 0; i < m; i++) {
            const double factor = i ? get(lower, type, i) / d[i - 1] : 0;
            d[i] = get(diagonal, type, i) - (i ? factor * get(upper, type, i - 1) : 0);
            if (i)
                put(x, type, column + i,
                    get(x, type, column + i) - factor * get(x, type, column + i - 1));
        }
        for (int i = m - 1; i >= 0; i--) {
            const double next = i + 1 < m ? get(upper, type, i) * get(x, type, column + i + 1) : 0;
            put(x, type, column + i, (get(x, type, column + i) - next) / d[i]);
        }
    }
    return free(d), 0;
}

#define SOLVE(name, type)                                                           \
    int name(OPERANDS, void *x, int lead, void *buffer) {                           \
        (void)h;                                                                    \
        return type == CUDA_R_32F || type == CUDA_R_64F                             \
                   ? eliminate(type, m, n, lower, diagonal, upper, x, lead, buffer) \
                   : NOT_SUPPORTED;                                                 \
    }
SOLVE(cusparseSgtsv2, CUDA_R_32F)
SOLVE(cusparseDgtsv2, CUDA_R_64F)
SOLVE(cusparseCgtsv2, CUDA_C_32F)
SOLVE(cusparseZgtsv2, CUDA_C_64F)
