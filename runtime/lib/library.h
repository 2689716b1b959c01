/* Library calls on arrays: operands and results by the rows of lib.def, on the device or the
 * host. */
#ifndef GPA_LIB_LIBRARY_H
#define GPA_LIB_LIBRARY_H

#include "runtime/array/array.h"
#include "runtime/exec/library_call.h"

/* The arrays of a call in the order of its operands in lib.def; owned, all of them. */
typedef struct {
    gpa_arr *x[LIB_OPERANDS]; /* NULL: an operand that the call does without, or a result */
    int ndim;                 /* the shape of the results that lib.def leaves open */
    const int64_t *shape;
} library_arrays;

/* Runs a call whose arm is described but for its bindings' memory and offsets, by the library of d
 * where that supports it, else by the host: computes the operands, copies them to d, allocates the
 * results a->x and explains the call. Operands are in the layout that the arm says, which is a
 * contiguous one where it has no strides. An operand that was copied to d is replaced. */
gpa_code library_call(gpa_rt *rt, gpa_device *d, gpa_libcall *c, library_arrays *a, gpa_err *e);
/* The same by the host: strides are those of contiguous operands. */
gpa_code library_call_on_host(gpa_rt *rt, const gpa_libcall *c, library_arrays *a, gpa_err *e);
void library_release(gpa_rt *rt, library_arrays *a);
/* Moves an array out. */
gpa_arr *library_take(library_arrays *a, int i);

/* Allocates the results among the first n operands x of a call of the matrix arm, for the stack of
 * matrices `stack`. */
gpa_code library_matrix_results(gpa_rt *rt, const gpa_libcall *c, const gpa_arr *stack, int n,
                                gpa_arr **x, gpa_err *e);

/* A copy of a in dtype t that the call may overwrite, computed; in C order, or with `fortran` its
 * matrices (the last two axes) in Fortran order. */
gpa_code library_copy(gpa_rt *rt, gpa_arr *a, gpa_dtype t, bool fortran, gpa_arr **out, gpa_err *e);
/* Swaps the last two axes of a, which is consumed: a matrix in Fortran order as NumPy sees it. */
gpa_code library_transpose_take(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_err *e);

#endif
