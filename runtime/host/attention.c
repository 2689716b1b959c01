/* Attention in host memory: the definition, in float64, one row of scores at a time. */
#include <math.h>

#include "runtime/base/base.h"
#include "runtime/host/host.h"

/* The matrices of one index of the batch; strides in elements. */
typedef struct {
    const char *q, *k, *v, *mask;
    char *out;
} matrices;

static double element(const char *at, gpa_dtype t, int64_t i) {
    return dtype_cast(dtype_load(at + i * (int64_t)dtype_size(t), t), t, DT_F64).F64;
}

static void put_element(char *at, gpa_dtype t, int64_t i, double x) {
    dtype_store(at + i * (int64_t)dtype_size(t), t, dtype_cast((gpa_val){.F64 = x}, DT_F64, t));
}

/* The scores of query i; returns their maximum, NaN if one is. */
static double row_scores(const gpa_libcall *c, const matrices *x, int64_t i, double *scores) {
    const int64_t *qs = c->attention.q.stride + c->attention.n_batch,
                  *ks = c->attention.k.stride + c->attention.n_batch,
                  *ms = c->attention.mask.stride + c->attention.n_batch;
    const bool selects = c->attention.mask_form == ATTENTION_SELECT;
    double highest = -INFINITY;
    for (int64_t j = 0; j < c->attention.n; j++) {
        double sum = 0;
        for (int64_t d = 0; d < c->attention.dk; d++)
            sum += element(x->q, c->dtype, i * qs[0] + d * qs[1]) *
                   element(x->k, c->dtype, j * ks[0] + d * ks[1]);
        sum *= c->attention.scale;
        if (x->mask) {
            const int64_t at = i * ms[0] + j * ms[1];
            if (!selects)
                sum += element(x->mask, dtype_info[c->dtype].compute, at);
            else if (!x->mask[at])
                sum = -INFINITY;
        }
        if (c->attention.causal && j > i + c->attention.diagonal) sum = -INFINITY;
        scores[j] = sum;
        if (!(sum <= highest)) highest = isnan(highest) ? highest : sum;
    }
    return highest;
}

static void attend_row(const gpa_libcall *c, const matrices *x, int64_t i, double *scores) {
    const int64_t *vs = c->attention.v.stride + c->attention.n_batch;
    const double highest = row_scores(c, x, i, scores);
    double all = 0;
    for (int64_t j = 0; j < c->attention.n; j++) all += scores[j] = exp(scores[j] - highest);
    int64_t seen = c->attention.n;
    if (c->attention.causal) seen = MAX(0, MIN(seen, i + c->attention.diagonal + 1));
    for (int64_t d = 0; d < c->attention.dv; d++) {
        double sum = 0;
        for (int64_t j = 0; j < seen; j++)
            sum += scores[j] / all * element(x->v, c->dtype, j * vs[0] + d * vs[1]);
        put_element(x->out, c->dtype, i * c->attention.dv + d, isnan(all) || !seen ? NAN : sum);
    }
}

/* The offset of an operand's matrix for a batch index, in elements. */
static int64_t batch_offset(const gpa_libcall *c, const gpa_binding *b, int64_t index) {
    int64_t at = b->offset;
    for (int d = c->attention.n_batch - 1; d >= 0; index /= c->attention.extent[d--])
        at += index % c->attention.extent[d] * b->stride[d];
    return at;
}

gpa_code hostcall_attention(const gpa_libcall *c, const host_operands *x, const atomic_bool *stop,
                            gpa_err *e) {
    const int64_t size = (int64_t)dtype_size(c->dtype), m = c->attention.m, dv = c->attention.dv;
    const int64_t mask_size = c->attention.mask_form == ATTENTION_SELECT
                                  ? 1
                                  : (int64_t)dtype_size((gpa_dtype)dtype_info[c->dtype].compute);
    int64_t batch = 1;
    double *scores = mem_new((size_t)MAX(c->attention.n, 1) * sizeof *scores);
    if (!scores) return gpa_no_memory(e);
    for (int d = 0; d < c->attention.n_batch; d++) batch *= c->attention.extent[d];
    for (int64_t b = 0; b < batch; b++) {
        const matrices at = {
            (const char *)x->in[0] + batch_offset(c, &c->attention.q, b) * size,
            (const char *)x->in[1] + batch_offset(c, &c->attention.k, b) * size,
            (const char *)x->in[2] + batch_offset(c, &c->attention.v, b) * size,
            c->attention.mask_form == ATTENTION_NO_MASK
                ? NULL
                : (const char *)x->in[3] + batch_offset(c, &c->attention.mask, b) * mask_size,
            (char *)x->out[0] + (c->attention.out.offset + b * m * dv) * size};
        for (int64_t i = 0; i < m && !hostcall_stopped(stop); i++) attend_row(c, &at, i, scores);
    }
    mem_free(scores);
    return hostcall_stopped(stop) ? gpa_interrupted(e) : GPA_OK;
}
