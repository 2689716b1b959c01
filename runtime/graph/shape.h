/* Shape arithmetic: strides, broadcasting, reshaping, memory overlap. Pure functions: no
 * allocation.
 *
 * A layout is ndim, shape and strides, strides in elements. Rules and error messages are NumPy's.
 */
#ifndef GPA_GRAPH_SHAPE_H
#define GPA_GRAPH_SHAPE_H

#include "runtime/base/base.h"
#include "runtime/base/err.h"

/* Capacity of a shape_text buffer (a longer text ends in "...)"). */
enum { SHAPE_TEXT = 160 };

/* "(3,4)", "(3,)", "()", as NumPy's error messages write a shape; a negative extent is "newaxis",
 * and left out in front. Returns `to`, a buffer of SHAPE_TEXT bytes. */
const char *shape_text(char *to, int ndim, const int64_t *shape);

/* The number of elements, for a shape known to be valid. */
int64_t shape_size(int ndim, const int64_t *shape);
/* Validates a user's shape and computes its number of elements (`size` may be NULL). GPA_E_VALUE
 * for more than GPA_MAX_DIMS dimensions, a negative extent, or more bytes than an address can
 * count. */
gpa_code shape_check(int ndim, const int64_t *shape, size_t itemsize, int64_t *size, gpa_err *e);
bool shape_equal(int na, const int64_t *a, int nb, const int64_t *b);
/* The strides of an array in C order. */
void shape_c_strides(int ndim, const int64_t *shape, int64_t *strides);
/* True if the layout is contiguous in C order, Fortran order. Strides of dimensions of extent 0 and
 * 1 are ignored; an empty array is both. */
bool shape_is_c(int ndim, const int64_t *shape, const int64_t *strides);
bool shape_is_f(int ndim, const int64_t *shape, const int64_t *strides);

/* Normalizes a negative axis to 0 .. ndim - 1. GPA_E_AXIS. */
gpa_code shape_axis(int axis, int ndim, int *out, gpa_err *e);

/* Broadcasts `b` with the shape *ndim, shape (capacity GPA_MAX_DIMS), which becomes the common
 * shape. False when the two are incompatible; the shape is then undefined. */
bool shape_broadcast(int *ndim, int64_t *shape, int nb, const int64_t *b);
/* The strides of a layout broadcast to shape `to`: 0 along broadcast dimensions. False when it does
 * not broadcast. */
bool shape_broadcast_strides(int ndim, const int64_t *shape, const int64_t *strides, int nto,
                             const int64_t *to, int64_t *out);
/* "operands could not be broadcast together with shapes (3,4) (3,) ". Returns GPA_E_VALUE. */
gpa_code shape_mismatch(int n, const int *ndims, const int64_t *const *shapes, gpa_err *e);

/* Fills in the one extent of -1 and checks that the shape holds `size` elements. GPA_E_VALUE in
 * NumPy's words. */
gpa_code shape_infer(int64_t size, int ndim, int64_t *shape, gpa_err *e);
/* The strides of a reshape without a copy (C order, as many elements); false when a copy is needed.
 */
bool shape_reshape_strides(int ndim, const int64_t *shape, const int64_t *strides, int nto,
                           const int64_t *to, int64_t *out);

/* Collapses adjacent dimensions that all `n` layouts can iterate over as one, and drops extents
 * of 1. shape and every strides[i] are changed in place; returns the number of dimensions left. */
int shape_collapse(int ndim, int64_t *shape, int n, int64_t *const *strides);

/* A strided layout in memory. */
typedef struct {
    int ndim;
    const int64_t *shape, *strides; /* strides in elements */
    int64_t offset;                 /* of the first element, in elements */
    int64_t item;                   /* bytes of one element; 0 where they do not matter */
} shape_layout;

/* The bytes [*lo, *hi) that a layout touches; both 0 for an empty one. Saturated where they exceed
 * 64 bits: such a layout lies within no storage. */
void shape_byte_range(const shape_layout *m, int64_t *lo, int64_t *hi);

/* True if two layouts of one storage share a byte. */
typedef enum {
    OVERLAP_NONE,
    OVERLAP_SAME, /* element i of one is element i of the other, and no element occurs twice */
    OVERLAP_SOME, /* they share bytes, or the search was cut off */
} shape_overlap_kind;
shape_overlap_kind shape_overlap(const shape_layout *a, const shape_layout *b);
/* True if no two elements of a layout share a byte. Conservative; true for all but broadcasts and
 * sliding windows. */
bool shape_is_injective(int ndim, const int64_t *shape, const int64_t *strides);

#endif
