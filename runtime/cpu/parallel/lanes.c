/* Rows to SIMD lanes and back: lanes.h. Square blocks, as many elements of as many rows as a
 * register has lanes, are transposed in registers. One template (lanes.inc) makes the code for each
 * register width (PARTS registers hold LANES_BYTES), since GCC splits vectors wider than a register
 * into scalars. */
#include "runtime/cpu/parallel/lanes.h"

#include <string.h>

#include "runtime/base/base.h"
#include "runtime/cpu/parallel/lanes_transpose.h"
#include "runtime/base/simd_clones.h"

#define T int32_t
#define LANES 4
#define TARGET GPA_TARGET_16
#define NAME(x) x##_4_16
#include "runtime/cpu/parallel/lanes.inc"
#define T int64_t
#define LANES 2
#define TARGET GPA_TARGET_16
#define NAME(x) x##_8_16
#include "runtime/cpu/parallel/lanes.inc"
#ifdef GPA_TARGET_64
#define T int32_t
#define LANES 8
#define TARGET GPA_TARGET_32
#define NAME(x) x##_4_32
#include "runtime/cpu/parallel/lanes.inc"
#define T int64_t
#define LANES 4
#define TARGET GPA_TARGET_32
#define NAME(x) x##_8_32
#include "runtime/cpu/parallel/lanes.inc"
#define T int32_t
#define LANES 16
#define TARGET GPA_TARGET_64
#define NAME(x) x##_4_64
#include "runtime/cpu/parallel/lanes.inc"
#define T int64_t
#define LANES 8
#define TARGET GPA_TARGET_64
#define NAME(x) x##_8_64
#include "runtime/cpu/parallel/lanes.inc"
#define BY_WIDTH(f) (gpa_simd_bytes() == 64 ? f##_64 : gpa_simd_bytes() == 32 ? f##_32 : f##_16)
#else
#define BY_WIDTH(f) f##_16
#endif

void lanes_load_4(const int32_t *from, int64_t step, int64_t rows, int64_t n, lanes_4 *to) {
    BY_WIDTH(load_4)(from, step, rows, n, to);
}

void lanes_load_8(const int64_t *from, int64_t step, int64_t rows, int64_t n, lanes_8 *to) {
    BY_WIDTH(load_8)(from, step, rows, n, to);
}

void lanes_transpose_4(const int32_t *from, lanes_4 *to) { BY_WIDTH(transpose_4)(from, to); }

void lanes_transpose_8(const int64_t *from, lanes_8 *to) { BY_WIDTH(transpose_8)(from, to); }

void lanes_store_4(const lanes_4 *from, int64_t n, int32_t *to, int64_t step, int64_t rows) {
    BY_WIDTH(store_4)(from, n, to, step, rows);
}

void lanes_store_8(const lanes_8 *from, int64_t n, int64_t *to, int64_t step, int64_t rows) {
    BY_WIDTH(store_8)(from, n, to, step, rows);
}

void lanes_load_interleaved_4(const int32_t *from, int64_t step, int64_t rows, int64_t n,
                              lanes_4 *to) {
    for (int64_t i = 0; i < n; i++, from += step) {
        if (rows == LANES_4)
            memcpy(&to[i], from, sizeof to[i]);
        else
            for (int k = 0; k < LANES_4; k++) to[i][k] = from[MIN(k, rows - 1)];
    }
}

void lanes_store_interleaved_4(const lanes_4 *from, int64_t n, int32_t *to, int64_t step,
                               int64_t rows) {
    for (int64_t i = 0; i < n; i++, to += step) memcpy(to, &from[i], (size_t)rows * sizeof *to);
}

void lanes_load_interleaved_8(const int64_t *from, int64_t step, int64_t rows, int64_t n,
                              lanes_8 *to) {
    for (int64_t i = 0; i < n; i++, from += step) {
        if (rows == LANES_8)
            memcpy(&to[i], from, sizeof to[i]);
        else
            for (int k = 0; k < LANES_8; k++) to[i][k] = from[MIN(k, rows - 1)];
    }
}

void lanes_store_interleaved_8(const lanes_8 *from, int64_t n, int64_t *to, int64_t step,
                               int64_t rows) {
    for (int64_t i = 0; i < n; i++, to += step) memcpy(to, &from[i], (size_t)rows * sizeof *to);
}
