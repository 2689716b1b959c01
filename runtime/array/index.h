/* Index expressions resolved against an array, for reading (index.c) and writing (assign.c).
 *
 * An expression becomes a list of entries in order of the result's dimensions, each consuming
 * axes of the array: an ellipsis and missing axes become full slices, slices are clamped,
 * integers bounds-checked. Masks and index arrays are kept until index_coordinates turns them
 * into coordinates (advanced indexing). */
#ifndef GPA_ARRAY_INDEX_H
#define GPA_ARRAY_INDEX_H

#include "runtime/array/array.h"

typedef enum {
    AT_INT,     /* coordinate start of `axis` */
    AT_SLICE,   /* count coordinates from start by step */
    AT_NEWAXIS, /* consumes nothing, makes an extent of 1 */
    AT_GAP,     /* an ellipsis: consumes nothing, but separates index arrays on its sides */
    AT_MASK,    /* arr: bool; consumes as many axes as it has dimensions (0-d: none) */
    AT_INDICES, /* arr: integer indices along `axis`; axis -1: broadcast only (a 0-d mask) */
} index_kind;

typedef struct {
    uint8_t kind; /* index_kind */
    int8_t axis;  /* the first axis it consumes */
    int64_t start, step, count;
    gpa_arr *arr;   /* retained */
    bool in_bounds; /* INDICES: known to be, and not negative */
    gpa_span span;
} index_entry;

enum { INDEX_ENTRIES = 4 * GPA_MAX_DIMS };

typedef struct {
    index_entry at[INDEX_ENTRIES];
    int n;
    int masks, index_arrays; /* number of MASK and of INDICES entries */
    bool ellipsis;           /* the expression has one: a 0-d result stays an array */
} index_plan;

/* Resolves an expression; index_drop also after a failure. NumPy's IndexErrors, at the span of
 * the item concerned. */
gpa_code index_resolve(gpa_rt *rt, gpa_arr *a, const gpa_indices *ix, index_plan *p, gpa_err *e);
void index_drop(gpa_rt *rt, index_plan *p);
/* True if the expression is one mask over the first axes (boolean select). */
bool index_is_lone_mask(const gpa_arr *a, const index_plan *p);
/* The view by integers, slices and newaxis; axes of masks are kept whole. For plans without
 * INDICES. */
gpa_code index_view(gpa_rt *rt, gpa_arr *a, const index_plan *p, gpa_arr **out, gpa_err *e);

/* Advanced indexing: the result has the dimensions of slices and newaxis, and in between,
 * adjacent, those of the broadcast index arrays. */
typedef struct {
    int ndim;                         /* of the result */
    int broadcast_at, broadcast_ndim; /* the first of the broadcast dimensions; how many */
    int64_t shape[GPA_MAX_DIMS];      /* of the result */
    /* Per axis of `view`: the dimension of the result it follows; -1: arr. */
    int8_t from[GPA_MAX_DIMS];
    /* Per axis of `view`: its coordinates (borrowed from the plan); NULL: `start`. */
    gpa_arr *arr[GPA_MAX_DIMS];
    int64_t start[GPA_MAX_DIMS];
    bool in_bounds; /* all indices are, and not negative */
    bool distinct;  /* no element is selected twice */
    gpa_arr *view;  /* of the array, with its axes of slices sliced (owned) */
} index_map;
/* Turns the masks of a plan into index arrays (nonzero, which computes them) and broadcasts all
 * index arrays. Does not check bounds. index_map_drop also after a failure. */
gpa_code index_coordinates(gpa_rt *rt, gpa_arr *a, index_plan *p, index_map *m, gpa_err *e);
void index_map_drop(gpa_rt *rt, index_map *m);
/* The coordinates as int64 nodes of the result's shape, for node_gather and store_scatter:
 * nodes[axis], NULL where `from` >= 0. Owned by the caller, also after a failure: release all
 * that are not NULL. */
gpa_code index_nodes(gpa_rt *rt, const index_map *m, node **nodes, gpa_err *e);

#endif
