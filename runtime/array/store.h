/* Stores: one fused program that writes into memory an array already has. */
#ifndef GPA_ARRAY_STORE_H
#define GPA_ARRAY_STORE_H

#include "runtime/array/array.h"

/* Before memory of `a` is written by anything but the functions below (an upload, a library call):
 * computes its storage and every pending array that reads it. */
gpa_code store_begin(gpa_rt *rt, gpa_arr *a, gpa_err *e);
/* target[...] = value where mask. `value` is cast and broadcast to the target; `mask` (NULL:
 * everywhere) is a bool node broadcast likewise. Target may be any view, also of an array that
 * value and mask read: the result is as if they had been computed before. ValueError "assignment
 * destination is read-only". */
gpa_code store_node(gpa_rt *rt, gpa_arr *target, node *value, node *mask, gpa_err *e);
/* target[...] = from without a copy, where both are computed, whole, alike, on a device with memory
 * of its own, and nothing else sees `from`: their storages change memories. What pends on the old
 * contents keeps them. False: not such a case, nothing is done. */
bool store_take(gpa_arr *target, gpa_arr *from);
/* What a scatter stores: all of one shape. */
typedef struct {
    node *value;
    node *mask; /* bool: only where true, and only there the places are checked; NULL: everywhere */
    bool add;  /* adds, for integers; else one of the values stays where a place is written twice */
    bool sure; /* no place is negative or out of bounds: they are not checked */
    bool once; /* no place is written twice */
    gpa_arr *beside; /* pending: computed too, in the same program if that goes; NULL: nothing */
} scatter_options;
/* target[index...] = value at computed places: for dimension k of the target index[k] (int64 nodes
 * of the shape given, wrapped and checked) or, where NULL, the coordinate from[k] of that shape. */
gpa_code store_scatter(gpa_rt *rt, gpa_arr *target, node *const *index, const int8_t *from,
                       int ndim, const int64_t *shape, const scatter_options *what, gpa_err *e);

#endif
