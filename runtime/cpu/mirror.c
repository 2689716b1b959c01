/* A tile is read by rows and written by columns while both are in the nearest cache. */
#include "runtime/cpu/mirror.h"

#include "runtime/base.h"
#include "runtime/dtype.h"

enum { TILE = 32 };

#define MIRROR(name, T)                                                                                                   \
    static void name(T *a, int n, bool up) {                                                                              \
        for (int j0 = 0; j0 < n; j0 += TILE)                                                                              \
            for (int i0 = 0; i0 <= j0; i0 += TILE) {                                                                      \
                for (int j = j0; up && j < MIN(j0 + TILE, n); j++)                                                        \
                    for (int i = i0; i < MIN(i0 + TILE, j); i++) a[(size_t)i * (size_t)n + (size_t)j] = a[(size_t)j * (size_t)n + (size_t)i]; \
                for (int j = j0; !up && j < MIN(j0 + TILE, n); j++)                                                       \
                    for (int i = i0; i < MIN(i0 + TILE, j); i++) a[(size_t)j * (size_t)n + (size_t)i] = a[(size_t)i * (size_t)n + (size_t)j]; \
            }                                                                                                             \
    }
MIRROR(mirror_4, uint32_t)
MIRROR(mirror_8, uint64_t)
MIRROR(mirror_16, gpa_c128)
#undef MIRROR

void mirror_triangle(void *a, int n, size_t size, bool up) {
    if (size == 4) mirror_4(a, n, up);
    if (size == 8) mirror_8(a, n, up);
    if (size == 16) mirror_16(a, n, up);
}
