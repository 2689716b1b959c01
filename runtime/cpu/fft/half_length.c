/* Real transforms through complex ones: half_length.h.
 *
 * With Z the transform of the h complex elements whose parts are the real ones, a = Z[k] and b =
 * conj Z[h - k], element k of the real transform is (a + b)/2 + w (a - b)/2, w = -i exp(-pi i k/h),
 * and element h - k the conjugate of the difference. Factors are stored twice, for both parts. */
#include "runtime/cpu/fft/half_length.h"

#include <math.h>

#include "runtime/base/base.h"
#include "runtime/cpu/parallel/lanes.h"
#include "runtime/base/simd_clones.h"

#ifdef __clang__
#define SHUFFLE(mask, a, ...) __builtin_shufflevector(a, a, __VA_ARGS__)
#else
#define SHUFFLE(mask, a, ...) __builtin_shuffle(a, (mask){__VA_ARGS__})
#endif

#define T float
#define I int32_t
#define LANES 16
#define REVERSED 14, 15, 12, 13, 10, 11, 8, 9, 6, 7, 4, 5, 2, 3, 0, 1
#define EXCHANGED 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14
#define NAME(x) x##_c64
#include "runtime/cpu/fft/half_length.inc"
#define T double
#define I int64_t
#define LANES 8
#define REVERSED 6, 7, 4, 5, 2, 3, 0, 1
#define EXCHANGED 1, 0, 3, 2, 5, 4, 7, 6
#define NAME(x) x##_c128
#include "runtime/cpu/fft/half_length.inc"

void *real_split_factors(gpa_dtype complex, int64_t h) {
    void *w = mem_new(4 * (size_t)(h / 2 + 1) * dtype_size(dtype_info[complex].real));
    if (w && complex == DT_C64) factors_c64(w, h);
    if (w && complex == DT_C128) factors_c128(w, h);
    return w;
}

void real_split(gpa_dtype complex, const void *from, void *to, int64_t h, const void *factors,
                bool inverse) {
    if (complex == DT_C64)
        split_c64(from, to, h, factors, inverse);
    else
        split_c128(from, to, h, factors, inverse);
}
