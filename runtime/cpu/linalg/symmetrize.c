/* Completion of a symmetric matrix from one triangle, by tiled transposes: a tile is read by
 * rows and written by columns while both are in the L1 cache. */
#include "runtime/cpu/linalg/symmetrize.h"

#include "runtime/base/base.h"

#define SAME(x) (x)
#define CONJUGATE_C64(x) ((gpa_c64){(x).re, -(x).im})
#define CONJUGATE_C128(x) ((gpa_c128){(x).re, -(x).im})

#define T uint32_t
#define MIRRORED SAME
#define NAME(x) x##_4
#include "runtime/cpu/linalg/symmetrize.inc"
#define T uint64_t
#define MIRRORED SAME
#define NAME(x) x##_8
#include "runtime/cpu/linalg/symmetrize.inc"
#define T gpa_c128
#define MIRRORED SAME
#define NAME(x) x##_16
#include "runtime/cpu/linalg/symmetrize.inc"
#define T gpa_c64
#define MIRRORED CONJUGATE_C64
#define NAME(x) x##_c64
#include "runtime/cpu/linalg/symmetrize.inc"
#define T gpa_c128
#define MIRRORED CONJUGATE_C128
#define NAME(x) x##_c128
#include "runtime/cpu/linalg/symmetrize.inc"

void symmetrize_triangle(void *a, int n, size_t size, bool up) {
    if (size == 4) symmetrize_4(a, n, up);
    if (size == 8) symmetrize_8(a, n, up);
    if (size == 16) symmetrize_16(a, n, up);
}

void symmetrize_hermitian(void *a, int n, gpa_dtype t, bool up) {
    if (t == DT_C64)
        symmetrize_c64(a, n, up);
    else if (t == DT_C128)
        symmetrize_c128(a, n, up);
    else
        symmetrize_triangle(a, n, dtype_size(t), up);
}
