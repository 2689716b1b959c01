/* Interned affine index maps from the iteration space of a step to the coordinates of a node: equal
 * maps have equal numbers.
 *
 * Coordinate k is start[k] + sum over d of step[k][d] * o[d]. A map stores no columns past the last
 * one it uses, so a space may gain dimensions without changing numbers. */
#ifndef GPA_GRAPH_AFFINE_H
#define GPA_GRAPH_AFFINE_H

#include "runtime/graph/node.h"

typedef struct {
    struct affine_map {
        uint32_t at;
        uint8_t rows, cols;
        uint64_t hash;
    } * map;
    size_t n, cap;
    int64_t *v; /* of each map: start[rows], then step[rows][cols] */
    size_t n_v, cap_v;
} affine_table;

void affine_reset(affine_table *t);
void affine_free(affine_table *t);
/* Constructors return a map's number, -1 when memory is short. */
int affine_make(affine_table *t, int rows, int cols, const int64_t *start, const int64_t *step);
/* Coordinate k is dimension dims[k] of the space; -1: 0. */
int affine_from_dims(affine_table *t, int rows, const int8_t *dims);
/* The map of a view's input, from the view's map m. */
int affine_compose(affine_table *t, int m, const node *view);
/* The map m with `by` added to coordinate k; -1: memory is short. */
int affine_shift(affine_table *t, int m, int k, int64_t by);
/* The least and the largest value of coordinate k over a space with these extents. */
typedef struct {
    int64_t lo, hi;
} affine_interval;
affine_interval affine_range(const affine_table *t, int m, int k, const int64_t *shape, int ndim);
/* The inputs of a CONCAT that a space reaches at map m: in[first .. last]; the first begins at
 * index `begin` of the dimension. */
typedef struct {
    int first, last;
    int64_t begin;
} concat_range;
concat_range affine_concat_range(const affine_table *t, int m, const node *concat,
                                 const int64_t *shape, int ndim);
int64_t affine_start(const affine_table *t, int m, int k);
int64_t affine_step(const affine_table *t, int m, int k, int d);
/* The dimension of the space that coordinate k equals (start 0, step 1, no other term); -1: k is
 * constant 0; -2: neither. */
int affine_identity_dim(const affine_table *t, int m, int k);
/* True if any coordinate depends on one of the space's dimensions `dims` (a bit set). */
bool affine_depends_on(const affine_table *t, int m, gpa_axes dims);

#endif
