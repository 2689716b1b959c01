/* A rank's share of a library call on its own memory. */
#ifndef GPA_RANKS_LIBRARY_WORK_H
#define GPA_RANKS_LIBRARY_WORK_H

#include "runtime/ir/libcall.h"
#include "runtime/ranks/sort_share.h"

/* The rank's device. */
typedef struct {
    const gpa_backend *be;
    gpa_dev *dev;
} library_device;

gpa_code library_work_call(const library_device *d, const gpa_libcall *c, gpa_err *e);

/* A block of a row that is being sorted: its elements [lo, hi) of `in` become sorted `keys`, and
 * for argsort (with memory) `indices` in the row. */
typedef struct {
    gpa_dtype dtype;
    int64_t lo, hi;
    gpa_binding in, keys, indices;
} sort_block;

/* Sorts a block, and takes n samples. */
gpa_code library_work_sort(const library_device *d, const sort_block *x, splitter *samples,
                           int64_t n, gpa_err *e);
/* The number of elements of a sorted block before each of n splitters. */
void library_work_search(const library_device *d, const sort_block *x, const splitter *s, int64_t n,
                         int64_t *out);

/* A range of a sorted block. */
typedef struct {
    int64_t at, n;
} sorted_range;

/* A rank's share of a merge: n ranges of sorted blocks become the elements of `to` from `at` on. */
typedef struct {
    const sorted_range *range;
    int n;
    const gpa_binding *to;
    int64_t at;
} merge_share;

/* Merges ranges of sorted blocks whose arrays x describes. */
gpa_code library_work_merge(const library_device *d, const sort_block *x, const merge_share *share,
                            gpa_err *e);

#endif
