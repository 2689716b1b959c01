/* numpy.bincount in host memory (arr_bincount).
 *
 * A chunk at a time is range-checked and counted while it is in the cache, so that memory is
 * read once. The table grows with the first chunks up to a size; then the rest is scanned once
 * for its maximum, and the table gets its final size. */
#include <stdlib.h>

#include "runtime/exec/explain.h"
#include "runtime/array/host_view.h"
#include "runtime/array/tape.h"
#include "runtime/exec/rt.h"
#include "runtime/base/simd_clones.h"
#include "runtime/tables/tuning.h"

/* Counts (int64), or with weights sums (float64), for the integers below `capacity`; those below
 * `used` may have occurred. */
typedef struct {
    const int64_t *x;
    const double *weight;
    int64_t n, used, capacity;
    void *table;
    bool is_final; /* the capacity suffices for all of x */
} bins;

GPA_SIMD_CLONES static void find_min_max(const int64_t *x, int64_t n, int64_t *low, int64_t *high) {
    int64_t a = x[0], b = x[0];
    for (int64_t i = 1; i < n; i++) {
        a = x[i] < a ? x[i] : a;
        b = x[i] > b ? x[i] : b;
    }
    *low = a;
    *high = b;
}

/* Range-checks n integers from the i-th on and grows the table; beyond the first capacity, for
 * all the rest. */
static gpa_code grow_table(bins *b, int64_t i, int64_t n, gpa_err *e) {
    int64_t low, high;
    find_min_max(b->x + i, n, &low, &high);
    if (low >= 0 && high >= b->capacity && high >= TUNE_BINCOUNT_FIRST_CAPACITY && !b->is_final) {
        find_min_max(b->x + i, b->n - i, &low, &high);
        b->is_final = true;
    }
    if (low < 0) return gpa_fail(e, GPA_E_VALUE, "'list' argument must have no negative elements");
    if (high >= INT64_MAX / (int64_t)sizeof(int64_t)) return gpa_no_memory(e);
    if (high >= b->capacity) {
        int64_t capacity =
            b->is_final ? high + 1 : MIN(2 * (high + 1), (int64_t)TUNE_BINCOUNT_FIRST_CAPACITY);
        void *table = mem_resize(b->table, (size_t)capacity * sizeof(int64_t));
        if (!table) return gpa_no_memory(e);
        b->table = table;
        memset((char *)table + (size_t)b->capacity * sizeof(int64_t), 0,
               (size_t)(capacity - b->capacity) * sizeof(int64_t));
        b->capacity = capacity;
    }
    b->used = MAX(b->used, high + 1);
    return GPA_OK;
}

static gpa_code fill(gpa_rt *rt, bins *b, gpa_err *e) {
    for (int64_t i = 0; i < b->n; i += TUNE_BINCOUNT_CHUNK_ELEMS) {
        int64_t n = MIN((int64_t)TUNE_BINCOUNT_CHUNK_ELEMS, b->n - i);
        const int64_t *x = b->x + i;
        gpa_code rc = rt_interrupted(rt) ? gpa_interrupted(e) : grow_table(b, i, n, e);
        if (rc) return rc;
        int64_t *count = b->table;
        double *sum = b->table;
        if (b->weight)
            for (int64_t j = 0; j < n; j++) sum[x[j]] += b->weight[i + j];
        else
            for (int64_t j = 0; j < n; j++) count[x[j]]++;
    }
    return GPA_OK;
}

gpa_code arr_bincount(gpa_rt *rt, gpa_arr *x, gpa_arr *weights, int64_t least, gpa_arr **out,
                      gpa_err *e) {
    host_view at = {"", NULL, NULL}, weight = {"", NULL, NULL};
    host_result made;
    bins b = {.n = x->size};
    gpa_device *d;
    gpa_code rc = tape_refuse(rt, "bincount", &weights, 1, e);
    if (!rc) rc = device_default(rt, &d, e);
    *out = NULL;
    if (rc || !d->caps.host_visible) return rc;
    TRY(host_view_get_as(rt, x, DT_I64, &at, e));
    b.x = (const int64_t *)(const void *)at.data;
    if (weights) {
        TRY(host_view_get_as(rt, weights, DT_F64, &weight, e));
        b.weight = (const double *)(const void *)weight.data;
    }
    TRY(fill(rt, &b, e));
    int64_t size = MAX(b.used, least);
    TRY(host_result_new(rt, weights ? DT_F64 : DT_I64, 1, &size, &made, e));
    if (b.used) memcpy(made.data, b.table, (size_t)b.used * sizeof(int64_t));
    memset(made.data + (size_t)b.used * sizeof(int64_t), 0,
           (size_t)(size - b.used) * sizeof(int64_t));
    TRY(host_result_finish(rt, &made, out, e));
    explain_call(rt, "bincount", NULL, *out);
out:
    mem_free(b.table);
    host_view_release(rt, &at);
    host_view_release(rt, &weight);
    return rc;
}
