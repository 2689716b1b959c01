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
#define ORDER(mask, a, ...) __builtin_shufflevector(a, a, __VA_ARGS__)
#else
#define ORDER(mask, a, ...) __builtin_shuffle(a, (mask){__VA_ARGS__})
#endif
#define ONE(...) __VA_ARGS__

/* For real numbers T: `turned` numbers in reverse order, `crossed` their parts exchanged; `step`
 * numbers are done at a time. */
#define UNFOLD(name, T, lanes, step, turned, crossed)                                             \
    typedef T name##_vec __attribute__((vector_size(LANES_BYTES)));                               \
    static void name##_factors(T *w, int64_t h) {                                                 \
        T *c = w, *s = w + 2 * (h / 2 + 1);                                                       \
        for (int64_t k = 0; k <= h / 2; k++) {                                                    \
            double angle = 3.14159265358979323846 * (double)k / (double)h;                        \
            c[2 * k] = (T)cos(angle), c[2 * k + 1] = -c[2 * k];                                   \
            s[2 * k] = s[2 * k + 1] = (T)-sin(angle);                                             \
        }                                                                                         \
    }                                                                                             \
    GPA_SIMD_CLONES static void name(const T *in, T *x, int64_t h, const T *w, bool inverse) {    \
        const T *c = w, *s = w + 2 * (h / 2 + 1), way = inverse ? -1 : 1,                         \
                scale = inverse ? 1 : (T)0.5;                                                     \
        const T first = in[0], other = inverse ? in[2 * h] : in[1];                               \
        name##_vec sign;                                                                          \
        for (int j = 0; j < lanes; j++) sign[j] = j % 2 ? -1 : 1;                                 \
        x[0] = first + other;                                                                     \
        x[1] = inverse ? first - other : 0;                                                       \
        if (!inverse) x[2 * h] = first - other, x[2 * h + 1] = 0;                                 \
        int64_t k = 1;                                                                            \
        for (; 2 * (k + step) <= h; k += step) {                                                  \
            const int64_t near = 2 * k, far = 2 * (h - k - step + 1);                             \
            name##_vec a, b, by_c, by_s;                                                          \
            memcpy(&a, in + near, sizeof a);                                                      \
            memcpy(&b, in + far, sizeof b);                                                       \
            memcpy(&by_c, c + 2 * k, sizeof by_c);                                                \
            memcpy(&by_s, s + 2 * k, sizeof by_s);                                                \
            b = ORDER(lanes_##lanes##_mask, b, turned) * sign;                                    \
            name##_vec both = a + b, apart = a - b;                                               \
            name##_vec t =                                                                        \
                way * by_c * ORDER(lanes_##lanes##_mask, apart, crossed) + by_s * apart;          \
            a = scale * (both + t);                                                               \
            b = scale * (both - t) * sign;                                                        \
            b = ORDER(lanes_##lanes##_mask, b, turned);                                           \
            memcpy(x + near, &a, sizeof a);                                                       \
            memcpy(x + far, &b, sizeof b);                                                        \
        }                                                                                         \
        for (; 2 * k <= h; k++) {                                                                 \
            const T *a = in + 2 * k, *b = in + 2 * (h - k);                                       \
            T *near = x + 2 * k, *far = x + 2 * (h - k);                                          \
            T re = a[0] + b[0], im = a[1] - b[1], apart_re = a[0] - b[0], apart_im = a[1] + b[1]; \
            T t_re = way * c[2 * k] * apart_im + s[2 * k] * apart_re,                             \
              t_im = s[2 * k] * apart_im - way * c[2 * k] * apart_re;                             \
            near[0] = scale * (re + t_re), near[1] = scale * (im + t_im);                         \
            if (near != far) far[0] = scale * (re - t_re), far[1] = scale * (t_im - im);          \
        }                                                                                         \
    }
typedef lanes_4 lanes_16_mask;
typedef lanes_8 lanes_8_mask;
UNFOLD(single, float, 16, 8, ONE(14, 15, 12, 13, 10, 11, 8, 9, 6, 7, 4, 5, 2, 3, 0, 1),
       ONE(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14))
UNFOLD(wide, double, 8, 4, ONE(6, 7, 4, 5, 2, 3, 0, 1), ONE(1, 0, 3, 2, 5, 4, 7, 6))

void *real_split_factors(gpa_dtype complex, int64_t h) {
    void *w = mem_new(4 * (size_t)(h / 2 + 1) * dtype_size(dtype_info[complex].real));
    if (w && complex == DT_C64) single_factors(w, h);
    if (w && complex == DT_C128) wide_factors(w, h);
    return w;
}

void real_split(gpa_dtype complex, const void *from, void *to, int64_t h, const void *factors,
                bool inverse) {
    if (complex == DT_C64)
        single(from, to, h, factors, inverse);
    else
        wide(from, to, h, factors, inverse);
}
