/* Square matrices of which a library made one triangle. */
#ifndef GPA_CPU_LINALG_SYMMETRIZE_H
#define GPA_CPU_LINALG_SYMMETRIZE_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/tables/dtype.h"

/* Fills the other triangle of n x n elements of 4, 8 or 16 bytes: what is above the diagonal, by
 * rows, goes below it, or with `up` the other way. */
void symmetrize_triangle(void *a, int n, size_t size, bool up);
/* The same of a Hermitian matrix: complex elements are conjugated. */
void symmetrize_hermitian(void *a, int n, gpa_dtype t, bool up);

#endif
