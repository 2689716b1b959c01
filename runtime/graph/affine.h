/* Index maps from the space of a step to the coordinates of a node, interned: equal maps have equal
 * numbers.
 *
 * Coordinate k is start[k] + sum over d of step[k][d] * o[d]. A map stores no columns past the last
 * one it uses, so a space may gain dimensions and the numbers stay. */
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
} affines;

void affine_reset(affines *t);
void affine_free(affines *t);
/* All makers return -1 when memory is short. */
int affine_make(affines *t, int rows, int cols, const int64_t *start, const int64_t *step);
/* Coordinate k follows dimension dims[k] of the space; -1: it stays 0. */
int affine_follow(affines *t, int rows, const int8_t *dims);
/* The map of a view's input, when m is the view's. */
int affine_below(affines *t, int m, const node *view);
int64_t affine_start(const affines *t, int m, int k);
int64_t affine_step(const affines *t, int m, int k, int d);
/* The space's dimension that coordinate k follows exactly (start 0, step 1, nothing else); -1:
 * none, it is 0; -2: it does not follow one. */
int affine_followed(const affines *t, int m, int k);
/* Whether any coordinate depends on one of these dimensions of the space. */
bool affine_touches(const affines *t, int m, uint32_t dims);

#endif
