/* Detection of pending diagonal matrices: diag(v), eye(n), and finite multiples of them. */
#ifndef GPA_ARRAY_DIAGONAL_H
#define GPA_ARRAY_DIAGONAL_H

#include "runtime/array/array.h"

/* *out (owned): the diagonal of a square matrix, pending; NULL if the matrix is not known to be
 * diagonal. Computes nothing. */
gpa_code diagonal_of(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_err *e);

#endif
