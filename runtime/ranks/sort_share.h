/* The sort of one row by several ranks: local sorts of blocks, samples of their keys, splitters,
 * and the stable merge of what lies between two splitters.
 *
 * Elements are ordered as by the sort of one device: NaN last, -0 equal to 0, equal ones in their
 * original order. */
#ifndef GPA_RANKS_SORT_SHARE_H
#define GPA_RANKS_SORT_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/tables/dtype.h"

/* True for the dtypes that have keys of 64 bits: all real ones. */
bool sort_share_can(gpa_dtype t);

/* The order key of an element. */
uint64_t sort_share_key(gpa_dtype t, const void *element);

/* An element as a splitter: its key, and its index in the row for order among equal keys. */
typedef struct {
    uint64_t key;
    int64_t at;
} splitter;

/* `count` of the n sorted keys, at regular distances: those of the elements that divide the block
 * into count + 1 ranges. */
void sort_share_sample(gpa_dtype t, const void *sorted, int64_t n, int64_t count, splitter *out);
/* Sorts the samples of all blocks and chooses the `count` splitters of count + 1 ranks. */
void sort_share_choose(splitter *samples, int64_t n, int64_t count, splitter *out);
/* The number of elements of a sorted block, whose elements have the indices first .. first + n - 1
 * in order, that come before the splitter. */
int64_t sort_share_search(gpa_dtype t, const void *sorted, int64_t n, int64_t first,
                          const splitter *s);

/* A sorted run of elements and, for argsort, their indices. */
typedef struct {
    const void *keys;
    const int64_t *indices; /* or NULL */
    int64_t n;
} sorted_run;

/* Merges runs into `out`: the elements, or the indices if the runs have these. Earlier runs come
 * first among equal elements. False: memory is short. */
bool sort_share_merge(gpa_dtype t, const sorted_run *runs, int n_runs, void *out);

#endif
