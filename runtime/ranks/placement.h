/* Placement of memory: which ranks have current copies of which bytes of a block. */
#ifndef GPA_RANKS_PLACEMENT_H
#define GPA_RANKS_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/ranks/rank_set.h"

/* Bytes up to `end`, from the end of the run before, and the ranks that have them; none: they were
 * never written. */
typedef struct {
    size_t end;
    rank_set ranks;
} placement_run;

/* The runs of a block in order; neighbours differ. */
typedef struct {
    placement_run *run;
    size_t n, cap;
} placement;

/* The placement of a block of n uninitialized bytes: on no rank. False: memory is short. */
bool placement_init(placement *p, size_t n);
void placement_free(placement *p);
/* The index of the run that byte `at` is in. */
size_t placement_find(const placement *p, size_t at);
/* [from, to) is now with this rank alone, or also with it. False: memory is short; p is
 * unchanged. */
bool placement_set(placement *p, size_t from, size_t to, int rank);
bool placement_add(placement *p, size_t from, size_t to, int rank);

#endif
