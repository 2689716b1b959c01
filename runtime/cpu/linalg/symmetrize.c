/* Completion of a symmetric matrix from one triangle, by tiled transposes: a tile is read by
 * rows and written by columns while both are in the L1 cache. */
#include "runtime/cpu/linalg/symmetrize.h"

#include "runtime/base/base.h"

enum { TILE = 32 };

#define MIRROR(name, T, TURNED)                                    \
    static void name(T *a, int n, bool up) {                       \
        for (int j0 = 0; j0 < n; j0 += TILE)                       \
            for (int i0 = 0; i0 <= j0; i0 += TILE)                 \
                for (int j = j0; j < MIN(j0 + TILE, n); j++)       \
                    for (int i = i0; i < MIN(i0 + TILE, j); i++) { \
                        T *below = a + (size_t)j * (size_t)n + i,  \
                          *above = a + (size_t)i * (size_t)n + j;  \
                        if (up)                                    \
                            *above = TURNED(T, *below);            \
                        else                                       \
                            *below = TURNED(T, *above);            \
                    }                                              \
    }
#define SAME(T, x) (x)
#define CONJUGATE(T, x) ((T){(x).re, -(x).im})
MIRROR(mirror_4, uint32_t, SAME)
MIRROR(mirror_8, uint64_t, SAME)
MIRROR(mirror_16, gpa_c128, SAME)
MIRROR(conjugate_8, gpa_c64, CONJUGATE)
MIRROR(conjugate_16, gpa_c128, CONJUGATE)

void symmetrize_triangle(void *a, int n, size_t size, bool up) {
    if (size == 4) mirror_4(a, n, up);
    if (size == 8) mirror_8(a, n, up);
    if (size == 16) mirror_16(a, n, up);
}

void symmetrize_hermitian(void *a, int n, gpa_dtype t, bool up) {
    if (t == DT_C64)
        conjugate_8(a, n, up);
    else if (t == DT_C128)
        conjugate_16(a, n, up);
    else
        symmetrize_triangle(a, n, dtype_size(t), up);
}
