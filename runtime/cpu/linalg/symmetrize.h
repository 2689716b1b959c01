/* Completion of a symmetric or Hermitian matrix of which one triangle was computed. */
#ifndef GPA_CPU_LINALG_SYMMETRIZE_H
#define GPA_CPU_LINALG_SYMMETRIZE_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/tables/dtype.h"

enum { SYMMETRIZE_TILE = 32 }; /* rows and columns of a tile in the L1 cache */

/* Copies the upper triangle of n x n elements of 4, 8 or 16 bytes, in C order, to the lower one, or
 * with `up` the lower to the upper one. */
void symmetrize_triangle(void *a, int n, size_t size, bool up);
/* The same for a Hermitian matrix: complex elements are conjugated. */
void symmetrize_hermitian(void *a, int n, gpa_dtype t, bool up);

#endif
