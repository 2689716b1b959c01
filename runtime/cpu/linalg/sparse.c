/* Sparse matrix products: rows are partitioned into chunks of about equal numbers of values. */
#include "runtime/cpu/linalg/sparse.h"

#include "runtime/base/base.h"
#include "runtime/cpu/parallel/memory.h"
#include "runtime/cpu/parallel/threads.h"
#include "runtime/host/spmm.h"
#include "runtime/tables/tuning.h"

/* minimum of a chunk */

typedef struct {
    spmm p;
    const gpa_libcall *c;
    int64_t runs;
} product;

bool sparse_can(const gpa_libcall *c) { return spmm_rows(c->dtype, &(spmm){0}, 0, 0); }

/* First row of a chunk: its share of all values lies before it. */
static int64_t first_row(const product *p, int64_t run) {
    int64_t low = 0, high = p->c->spmm.a.rows;
    double share = (double)p->c->spmm.a.nnz * (double)run / (double)p->runs;
    if (run == p->runs) return high;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if ((double)p->p.indptr[middle] < share)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void run(void *arg, int64_t i) {
    const product *p = arg;
    spmm_rows(p->c->dtype, &p->p, first_row(p, i), first_row(p, i + 1));
}

static void *at(const gpa_binding *b, size_t item) {
    return b->mem->base + b->offset * (int64_t)item;
}

gpa_code sparse_run(int threads, const int32_t *stop, const gpa_libcall *c, gpa_err *e) {
    size_t item = dtype_size(c->dtype), index = sizeof(int32_t);
    product p = {.p = {c->spmm.k, at(&c->spmm.a.indptr, index), at(&c->spmm.a.indices, index),
                       at(&c->spmm.a.data, item), at(&c->spmm.x, item), at(&c->spmm.y, item)},
                 .c = c};
    p.runs = MAX(1, MIN(c->spmm.a.nnz * c->spmm.k / TUNE_SPMM_CHUNK_MIN_VALUES, 8 * threads));
    threads_each(threads, p.runs, stop, run, &p);
    return threads_stopped(stop) ? gpa_interrupted(e) : GPA_OK;
}
