/* The bytes that a range of points of an iteration space accesses in an array, from the array's
 * affine index map. */
#ifndef GPA_RANKS_REGION_H
#define GPA_RANKS_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REGION_MAX_DIMS = 8 };

/* Points: a range [lo, hi) of the linear index over the first `divided` dimensions, the last of
 * these fastest, and all of the others. */
typedef struct {
    int ndim, divided;
    int64_t size[REGION_MAX_DIMS], stride[REGION_MAX_DIMS]; /* strides in elements */
    int64_t lo, hi;
    int64_t offset; /* of the element at the origin */
    int64_t item;   /* bytes of an element */
} region;

/* Calls `emit` for intervals of bytes [from, to) that contain all those accessed; `exact`: and no
 * others. They may overlap. False if emit returned false. */
typedef bool (*region_emit)(void *user, int64_t from, int64_t to, bool exact);
bool region_intervals(const region *r, region_emit emit, void *user);

#endif
