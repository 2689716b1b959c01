/* Rows to SIMD lanes and back: lanes.h. Square blocks, as many elements of as many rows as a
 * register has lanes, are transposed in registers. The code is made for the registers of several
 * processors, of which PARTS hold LANES_BYTES: GCC splits wider vectors lane by lane. */
#include "runtime/cpu/parallel/lanes.h"

#include <string.h>

#include "runtime/base/base.h"
#include "runtime/cpu/parallel/lanes_transpose.h"
#include "runtime/base/simd_clones.h"

/* For elements of type T and registers of so many lanes. Remainders of squares go one by one. */
#define WAYS(T, size, lanes, TARGET)                                                             \
    typedef T vec_##size##_##lanes __attribute__((vector_size(sizeof(T) * lanes)));              \
    enum {                                                                                       \
        PARTS_##size##_##lanes = LANES_BYTES / (sizeof(T) * lanes),                              \
        ALL_##size##_##lanes = LANES_BYTES / sizeof(T)                                           \
    };                                                                                           \
    TARGET static void bring_##size##_##lanes(const T *from, int64_t step, int64_t rows,         \
                                              int64_t n, void *memory) {                         \
        vec_##size##_##lanes *to = memory;                                                       \
        const int parts = PARTS_##size##_##lanes, all = ALL_##size##_##lanes;                    \
        int64_t i = 0;                                                                           \
        for (; i + lanes <= n; i += lanes)                                                       \
            for (int p = 0; p < parts; p++) {                                                    \
                vec_##size##_##lanes v[lanes];                                                   \
                for (int k = 0; k < lanes; k++)                                                  \
                    memcpy(&v[k], from + MIN(p * lanes + k, rows - 1) * step + i, sizeof v[k]);  \
                TRANSPOSE_##lanes(vec_##size##_##lanes, v) for (int k = 0; k < lanes; k++)       \
                    to[(i + k) * parts + p] = v[k];                                              \
            }                                                                                    \
        for (; i < n; i++)                                                                       \
            for (int k = 0; k < all; k++)                                                        \
                ((T *)memory)[i * all + k] = from[MIN(k, rows - 1) * step + i];                  \
    }                                                                                            \
    TARGET static void turn_##size##_##lanes(const T *from, void *to) {                          \
        const int parts = PARTS_##size##_##lanes, all = ALL_##size##_##lanes;                    \
        for (int i = 0; i < all; i += lanes)                                                     \
            for (int p = 0; p < parts; p++) {                                                    \
                vec_##size##_##lanes v[lanes];                                                   \
                for (int k = 0; k < lanes; k++)                                                  \
                    memcpy(&v[k], from + (p * lanes + k) * all + i, sizeof v[k]);                \
                TRANSPOSE_##lanes(vec_##size##_##lanes, v) for (int k = 0; k < lanes; k++)       \
                    memcpy((T *)to + (i + k) * all + p * lanes, &v[k], sizeof v[k]);             \
            }                                                                                    \
    }                                                                                            \
    TARGET static void take_##size##_##lanes(const void *memory, int64_t n, T *to, int64_t step, \
                                             int64_t rows) {                                     \
        const vec_##size##_##lanes *from = memory;                                               \
        const int parts = PARTS_##size##_##lanes, all = ALL_##size##_##lanes;                    \
        int64_t i = 0;                                                                           \
        for (; i + lanes <= n; i += lanes)                                                       \
            for (int p = 0; p < parts; p++) {                                                    \
                vec_##size##_##lanes v[lanes];                                                   \
                for (int k = 0; k < lanes; k++) v[k] = from[(i + k) * parts + p];                \
                TRANSPOSE_##lanes(vec_##size##_##lanes, v) for (int k = 0; k < lanes;            \
                                                                k++) if (p * lanes + k < rows)   \
                    memcpy(to + (p * lanes + k) * step + i, &v[k], sizeof v[k]);                 \
            }                                                                                    \
        for (; i < n; i++)                                                                       \
            for (int64_t k = 0; k < rows; k++)                                                   \
                to[k * step + i] = ((const T *)memory)[i * all + k];                             \
    }
WAYS(int32_t, 4, 4, GPA_TARGET_16)
WAYS(int64_t, 8, 2, GPA_TARGET_16)
#ifdef GPA_TARGET_64
WAYS(int32_t, 4, 8, GPA_TARGET_32)
WAYS(int64_t, 8, 4, GPA_TARGET_32)
WAYS(int32_t, 4, 16, GPA_TARGET_64)
WAYS(int64_t, 8, 8, GPA_TARGET_64)
#define BY_WIDTH(width, way16, way32, way64) (width == 64 ? way64 : width == 32 ? way32 : way16)
#else
#define BY_WIDTH(width, way16, way32, way64) way16
#endif

void lanes_load_4(const int32_t *from, int64_t step, int64_t rows, int64_t n, lanes_4 *to) {
    BY_WIDTH(gpa_simd_bytes(), bring_4_4, bring_4_8, bring_4_16)(from, step, rows, n, to);
}

void lanes_load_8(const int64_t *from, int64_t step, int64_t rows, int64_t n, lanes_8 *to) {
    BY_WIDTH(gpa_simd_bytes(), bring_8_2, bring_8_4, bring_8_8)(from, step, rows, n, to);
}

void lanes_transpose_4(const int32_t *from, lanes_4 *to) {
    BY_WIDTH(gpa_simd_bytes(), turn_4_4, turn_4_8, turn_4_16)(from, to);
}

void lanes_transpose_8(const int64_t *from, lanes_8 *to) {
    BY_WIDTH(gpa_simd_bytes(), turn_8_2, turn_8_4, turn_8_8)(from, to);
}

void lanes_store_4(const lanes_4 *from, int64_t n, int32_t *to, int64_t step, int64_t rows) {
    BY_WIDTH(gpa_simd_bytes(), take_4_4, take_4_8, take_4_16)(from, n, to, step, rows);
}

void lanes_store_8(const lanes_8 *from, int64_t n, int64_t *to, int64_t step, int64_t rows) {
    BY_WIDTH(gpa_simd_bytes(), take_8_2, take_8_4, take_8_8)(from, n, to, step, rows);
}

#define BESIDE(T, size)                                                                           \
    void lanes_load_interleaved_##size(const T *from, int64_t step, int64_t rows, int64_t n,      \
                                       lanes_##size *to) {                                        \
        for (int64_t i = 0; i < n; i++, from += step) {                                           \
            if (rows == LANES_##size)                                                             \
                memcpy(&to[i], from, sizeof to[i]);                                               \
            else                                                                                  \
                for (int k = 0; k < LANES_##size; k++) to[i][k] = from[MIN(k, rows - 1)];         \
        }                                                                                         \
    }                                                                                             \
    void lanes_store_interleaved_##size(const lanes_##size *from, int64_t n, T *to, int64_t step, \
                                        int64_t rows) {                                           \
        for (int64_t i = 0; i < n; i++, to += step)                                               \
            memcpy(to, &from[i], (size_t)rows * sizeof *to);                                      \
    }
BESIDE(int32_t, 4)
BESIDE(int64_t, 8)
