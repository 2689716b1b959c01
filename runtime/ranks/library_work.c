/* A rank's share of a library call: library_work.h. */
#include "runtime/ranks/library_work.h"

#include "runtime/base/base.h"

gpa_code library_work_call(const library_device *d, const gpa_libcall *c, gpa_err *e) {
    if (!d->be->lib_can(d->dev, c)) /* which loads the library */
        return gpa_fail(e, GPA_E_DEVICE, "a library that rank 0 has is not here");
    return d->be->lib_run(d->dev, c, e);
}

/* The address of element `at` of a binding. */
static char *address(const library_device *d, const gpa_binding *b, int64_t at, size_t item) {
    return (char *)d->be->base(b->mem) + (b->offset + at) * (int64_t)item;
}

/* The elements at sorted indices of a block, which then become those of the row. */
static inline __attribute__((always_inline)) void gather(const char *in, int64_t *indices,
                                                         int64_t n, int64_t lo, char *to,
                                                         size_t item) {
    for (int64_t i = 0; i < n; i++) {
        memcpy(to + i * (int64_t)item, in + indices[i] * (int64_t)item, item);
        indices[i] += lo;
    }
}

gpa_code library_work_sort(const library_device *d, const sort_block *x, splitter *samples,
                           int64_t n, gpa_err *e) {
    const bool arg = x->indices.mem;
    const size_t item = dtype_size(x->dtype);
    gpa_libcall c = {.kind = arg ? LIB_ARGSORT : LIB_SORT, .dtype = x->dtype};
    c.sort.rows = 1, c.sort.n = x->hi - x->lo;
    c.sort.in = x->in, c.sort.out = arg ? x->indices : x->keys;
    c.sort.in.offset += x->lo, c.sort.out.offset += x->lo;
    gpa_code rc = library_work_call(d, &c, e);
    if (rc) return rc;
    char *keys = address(d, &x->keys, x->lo, item);
    if (arg) {
        const char *in = address(d, &x->in, x->lo, item);
        int64_t *indices = (void *)address(d, &x->indices, x->lo, sizeof *indices);
        switch (item) {
            case 1: gather(in, indices, c.sort.n, x->lo, keys, 1); break;
            case 2: gather(in, indices, c.sort.n, x->lo, keys, 2); break;
            case 4: gather(in, indices, c.sort.n, x->lo, keys, 4); break;
            default: gather(in, indices, c.sort.n, x->lo, keys, 8);
        }
    }
    sort_share_sample(x->dtype, keys, c.sort.n, n, samples);
    for (int64_t i = 0; i < n; i++) samples[i].at += x->lo;
    return GPA_OK;
}

void library_work_search(const library_device *d, const sort_block *x, const splitter *s, int64_t n,
                         int64_t *out) {
    const char *keys = address(d, &x->keys, x->lo, dtype_size(x->dtype));
    for (int64_t i = 0; i < n; i++)
        out[i] = sort_share_search(x->dtype, keys, x->hi - x->lo, x->lo, &s[i]);
}

gpa_code library_work_merge(const library_device *d, const sort_block *x, const merge_share *share,
                            gpa_err *e) {
    const sorted_range *r = share->range;
    const int n = share->n;
    const size_t item = dtype_size(x->dtype);
    const bool arg = x->indices.mem;
    sorted_run *runs = mem_new((size_t)(n + 1) * sizeof *runs);
    if (!runs) return gpa_no_memory(e);
    for (int i = 0; i < n; i++)
        runs[i] = (sorted_run){
            address(d, &x->keys, r[i].at, item),
            arg ? (void *)address(d, &x->indices, r[i].at, sizeof(int64_t)) : NULL, r[i].n};
    const bool good = sort_share_merge(
        x->dtype, runs, n, address(d, share->to, share->at, arg ? sizeof(int64_t) : item));
    mem_free(runs);
    return good ? GPA_OK : gpa_no_memory(e);
}
