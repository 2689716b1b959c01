/* Pending matrices that are diagonal by the way they were written: diag(v), eye(n), and what is
 * made of them by multiplication. */
#ifndef GPA_ARRAY_DIAGONAL_H
#define GPA_ARRAY_DIAGONAL_H

#include "runtime/array/array.h"

/* The diagonal of a square matrix, pending, in *out (owned); NULL when the matrix is not known to
 * be diagonal. Nothing is computed. */
gpa_code diagonal_of(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_err *e);

#endif
