/* Index expressions, resolved: what a[...] means for one array, for reading (index.c) and writing
 * (assign.c).
 *
 * An expression becomes a list of entries in the order in which the result's dimensions come, each
 * taking the axes of the array it consumes: an ellipsis is spelt out, missing axes are full slices,
 * slices are clamped, integers checked. Masks and index arrays stay what they are until
 * index_coordinates makes them coordinates. */
#ifndef GPA_ARRAY_INDEX_H
#define GPA_ARRAY_INDEX_H

#include "runtime/array/array.h"

typedef enum {
    AT_INT,     /* coordinate start of `axis` */
    AT_SLICE,   /* count coordinates from start by step */
    AT_NEWAXIS, /* consumes nothing, makes an extent of 1 */
    AT_GAP,  /* where an ellipsis stood: nothing, but it parts the index arrays on its two sides */
    AT_MASK, /* arr: bool; consumes as many axes as it has (0-d: none) */
    AT_INDICES, /* arr: integers along `axis`; axis -1: only takes part in broadcasting (a 0-d mask)
                 */
} index_kind;

typedef struct {
    uint8_t kind; /* index_kind */
    int8_t axis;  /* the first one it consumes */
    int64_t start, step, count;
    gpa_arr *arr; /* an owner of it */
    bool sure;    /* PLACES: none is negative or outside */
    gpa_span span;
} index_entry;

enum { INDEX_ENTRIES = 4 * GPA_MAX_DIMS };

typedef struct {
    index_entry at[INDEX_ENTRIES];
    int n;
    int masks, places; /* entries of these kinds */
    bool ellipsis;     /* one was written: a 0-d result stays an array */
} index_plan;

/* Resolves an expression; p is given back with index_drop, also after a failure. NumPy's
 * IndexErrors, at the span of the item they are about. */
gpa_code index_resolve(gpa_rt *rt, gpa_arr *a, const gpa_index *ix, int n, index_plan *p,
                       gpa_err *e);
void index_drop(gpa_rt *rt, index_plan *p);
/* Whether it is a mask over the first axes and nothing else. */
bool index_is_lone_mask(const gpa_arr *a, const index_plan *p);
/* The view that integers, slices and newaxis make; the axes of masks are kept whole. No places. */
gpa_code index_view(gpa_rt *rt, gpa_arr *a, const index_plan *p, gpa_arr **out, gpa_err *e);

/* An index with coordinates that are arrays: the result has dimensions from slices and newaxis, and
 * those of the broadcast index arrays, which stand together. */
typedef struct {
    int ndim, lead, wide; /* of the result; where the places' dimensions begin, how many they are */
    int64_t shape[GPA_MAX_DIMS]; /* of the result */
    int8_t from[GPA_MAX_DIMS];   /* per axis of `view`: the dimension of the result it follows; -1:
                                    arr */
    gpa_arr *arr[GPA_MAX_DIMS];  /* per axis of `view`: its coordinates (borrowed from the plan), or
                                    NULL: start */
    int64_t start[GPA_MAX_DIMS];
    bool sure, once; /* no place is negative or outside; none comes twice */
    gpa_arr *view;   /* of the array, with as many axes: those of slices are sliced (owned) */
} index_map;
/* Makes the masks of a plan into places (their true elements are counted: this computes them) and
 * broadcasts all. Bounds of index arrays are not looked at. m is given back with index_map_drop,
 * also after a failure. */
gpa_code index_coordinates(gpa_rt *rt, gpa_arr *a, index_plan *p, index_map *m, gpa_err *e);
void index_map_drop(gpa_rt *rt, index_map *m);
/* The coordinates as nodes of the result's shape, for node_gather and store_scatter: node[axis],
 * NULL where from says it. Owned by the caller, also after a failure: release all that are not
 * NULL. */
gpa_code index_nodes(gpa_rt *rt, const index_map *m, node **nodes, gpa_err *e);

#endif
