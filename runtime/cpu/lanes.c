/* Rows in memory and lanes of vectors: lanes.h. As many elements of as many rows as there are lanes are a square, which is turned in
 * registers: in each step two vectors that are `distance` apart exchange the lanes in which they differ there. */
#include "runtime/cpu/lanes.h"

#include <string.h>

#include "runtime/base.h"
#include "runtime/wide.h"

#ifdef __clang__
#define PICK(mask, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define PICK(mask, a, b, ...) __builtin_shuffle(a, b, (mask){__VA_ARGS__})
#endif

#define EXCHANGE(vec, v, lanes, distance, first, second)    \
    for (int i = 0; i < lanes; i++)                         \
        if (!(i & distance)) {                              \
            vec a = v[i], b = v[i + distance];              \
            v[i] = PICK(vec, a, b, first);                  \
            v[i + distance] = PICK(vec, a, b, second);      \
        }
#define ONE(...) __VA_ARGS__

static inline __attribute__((always_inline)) void turn_8(lanes_8 *v) {
    EXCHANGE(lanes_8, v, LANES_8, 1, ONE(0, 8, 2, 10, 4, 12, 6, 14), ONE(1, 9, 3, 11, 5, 13, 7, 15))
    EXCHANGE(lanes_8, v, LANES_8, 2, ONE(0, 1, 8, 9, 4, 5, 12, 13), ONE(2, 3, 10, 11, 6, 7, 14, 15))
    EXCHANGE(lanes_8, v, LANES_8, 4, ONE(0, 1, 2, 3, 8, 9, 10, 11), ONE(4, 5, 6, 7, 12, 13, 14, 15))
}

static inline __attribute__((always_inline)) void turn_4(lanes_4 *v) {
    EXCHANGE(lanes_4, v, LANES_4, 1, ONE(0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30),
             ONE(1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31))
    EXCHANGE(lanes_4, v, LANES_4, 2, ONE(0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29),
             ONE(2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31))
    EXCHANGE(lanes_4, v, LANES_4, 4, ONE(0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27),
             ONE(4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31))
    EXCHANGE(lanes_4, v, LANES_4, 8, ONE(0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),
             ONE(8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31))
}

/* For elements of type T, as many lanes. What is left beyond whole squares goes one by one. */
#define WAYS(size, T, lanes)                                                                                          \
    GPA_WIDE void lanes_bring_##size(const T *from, int64_t step, int64_t rows, int64_t n, lanes_##size *to) {        \
        int64_t i = 0;                                                                                                \
        for (; i + lanes <= n; i += lanes) {                                                                          \
            lanes_##size v[lanes];                                                                                    \
            for (int k = 0; k < lanes; k++) memcpy(&v[k], from + MIN(k, rows - 1) * step + i, sizeof v[k]);           \
            turn_##size(v);                                                                                           \
            for (int k = 0; k < lanes; k++) to[i + k] = v[k];                                                         \
        }                                                                                                             \
        for (; i < n; i++)                                                                                            \
            for (int k = 0; k < lanes; k++) ((T *)(to + i))[k] = from[MIN(k, rows - 1) * step + i];                   \
    }                                                                                                                 \
    GPA_WIDE void lanes_take_##size(const lanes_##size *from, int64_t n, T *to, int64_t step, int64_t rows) {         \
        int64_t i = 0;                                                                                                \
        for (; rows == lanes && i + lanes <= n; i += lanes) {                                                         \
            lanes_##size v[lanes];                                                                                    \
            for (int k = 0; k < lanes; k++) v[k] = from[i + k];                                                       \
            turn_##size(v);                                                                                           \
            for (int k = 0; k < lanes; k++) memcpy(to + k * step + i, &v[k], sizeof v[k]);                            \
        }                                                                                                             \
        for (; i < n; i++)                                                                                            \
            for (int64_t k = 0; k < rows; k++) to[k * step + i] = ((const T *)(from + i))[k];                         \
    }
WAYS(4, int32_t, LANES_4)
WAYS(8, int64_t, LANES_8)
