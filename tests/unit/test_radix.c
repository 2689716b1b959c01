/* Mixed-radix FFT with SIMD lanes: every register width that the processor has gives the same bits,
 * and agrees with a DFT in double. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/base/base.h"
#include "runtime/base/simd_clones.h"
#include "runtime/cpu/fft/mixed_radix.h"
#include "runtime/cpu/parallel/lanes.h"

enum { ALIGNED = 64, REGISTERS_LEAST = 16, REGISTERS_MOST = 64 };

static void *room_for(size_t bytes) {
    void *p = aligned_alloc(ALIGNED, (bytes + ALIGNED - 1) / ALIGNED * ALIGNED);
    assert_non_null(p);
    return p;
}

static double number(gpa_dtype t, const void *from, int64_t i) {
    return t == DT_C64 ? (double)((const float *)from)[i] : ((const double *)from)[i];
}

static void fill(gpa_dtype t, void *to, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        double v = (double)((uint64_t)(i + 1) * 2654435761u % 1009) / 500 - 1;
        if (t == DT_C64)
            ((float *)to)[i] = (float)v;
        else
            ((double *)to)[i] = v;
    }
}

/* Whether the processor has vector registers of so many bytes. */
static bool has_registers(int bytes) { return bytes <= gpa_simd_bytes(); }

/* Part of point k of row l, in the layout p. */
static double part(gpa_dtype t, const radix_points *p, int64_t k, int64_t l, int which) {
    const int64_t all = radix_point_elems(t) / 2;
    return number(t, p->at, k * p->step + (p->pairs ? 2 * l + which : which * all + l));
}

static double near_of(gpa_dtype t, int64_t n) {
    return (t == DT_C64 ? 1e-6 : 2e-15) * sqrt((double)n) * log2((double)n + 2);
}

/* The largest difference from sums over the points of lines 0, all/2 and the last. */
static double error_of(gpa_dtype t, int64_t n, const radix_points *in, const radix_points *out,
                       bool inverse, double scale) {
    const int64_t all = radix_point_elems(t) / 2, lines[] = {0, all / 2, all - 1};
    double most = 0;
    for (int i = 0; i < 3; i++)
        for (int64_t k = 0; k < n; k++) {
            double re = 0, im = 0;
            for (int64_t j = 0; j < n; j++) {
                double angle = (inverse ? 2 : -2) * 3.14159265358979323846 * (double)(j * k % n) /
                               (double)n,
                       c = cos(angle), s = sin(angle);
                double a = part(t, in, j, lines[i], 0), b = part(t, in, j, lines[i], 1);
                re += a * c - b * s;
                im += a * s + b * c;
            }
            most = fmax(most, fmax(fabs(re * scale - part(t, out, k, lines[i], 0)),
                                   fabs(im * scale - part(t, out, k, lines[i], 1))));
        }
    return most;
}

static const int64_t lengths[] = {
    1,    2,  3,  4,  5,  6,  7,  8,  9,   10,  12,  14,  15,  16,  18,  20,  21,     25,
    27,   28, 30, 32, 35, 49, 60, 64, 81,  100, 105, 125, 128, 210, 256, 343, 512,    625,
    1000, 11, 13, 22, 33, 81, 97, 99, 121, 101, 143, 202, 243, 291, 303, 407, 211 * 4};

static void runs(void **state) {
    (void)state;
    for (int d = 0; d < 2; d++)
        for (size_t i = 0; i < COUNT_OF(lengths); i++) {
            const gpa_dtype t = d ? DT_C128 : DT_C64;
            const int64_t n = lengths[i], point = radix_point_elems(t);
            const size_t bytes = (size_t)(n * (point + 3)) * dtype_size(dtype_info[t].real);
            radix *r = radix_new(t, n);
            assert_true(radix_can(n));
            assert_non_null(r);
            char *in = room_for(bytes), *out = room_for(bytes), *first = room_for(bytes);
            char *work = room_for((size_t)(radix_scratch_points(r) * point) *
                                  dtype_size(dtype_info[t].real));
            for (int kind = 0; kind < 8; kind++) {
                bool inverse = kind & 1;
                radix_points a = {in, point + 3, .pairs = (kind & 2) != 0, .swapped = inverse},
                             b = {out, point + 3, .pairs = (kind & 4) != 0, .swapped = inverse,
                                  .scale = 0.5};
                fill(t, in, n * (point + 3));
                for (int width = REGISTERS_LEAST; has_registers(width); width *= 2) {
                    memset(out, 0, bytes);
                    radix_limit_registers(width);
                    radix_run(r, &a, &b, work);
                    if (width == REGISTERS_LEAST) {
                        memcpy(first, out, bytes);
                        assert_true(error_of(t, n, &a, &b, inverse, 0.5) < near_of(t, n));
                    }
                    assert_memory_equal(first, out, bytes);
                }
                radix_limit_registers(REGISTERS_MOST);
                if (a.pairs != b.pairs) continue;
                radix_points same = b; /* in place */
                same.at = in;
                radix_run(r, &a, &same, work);
                for (int64_t k = 0; k < n; k++)
                    assert_memory_equal(
                        in + (size_t)(k * (point + 3)) * dtype_size(dtype_info[t].real),
                        first + (size_t)(k * (point + 3)) * dtype_size(dtype_info[t].real),
                        2 * LANES_BYTES);
            }
            radix_free(r);
            free(in), free(out), free(first), free(work);
        }
}

/* Real transforms computed as complex ones of half the length: equal to the complex transform of
 * the same values; the inverse restores them. */
static void half_length(void **state) {
    (void)state;
    for (int d = 0; d < 2; d++)
        for (int64_t h = 2; h <= 30; h++) {
            const gpa_dtype t = d ? DT_C128 : DT_C64;
            const int64_t point = radix_point_elems(t), all = point / 2;
            const size_t bytes = (size_t)((2 * h + 1) * point) * dtype_size(dtype_info[t].real);
            if (!radix_can(h)) continue;
            char *x = room_for(bytes), *whole = room_for(bytes), *want = room_for(bytes),
                 *work = room_for(bytes);
            radix *r = radix_new(t, h), *r2 = radix_new(t, 2 * h);
            void *w = radix_real_factors(t, h);
            assert_true(r && r2 && w);
            fill(t, x, h * point);
            memset(whole, 0, bytes);
            for (int64_t k = 0; k < 2 * h; k++)
                memcpy(whole + (size_t)(k * point) * dtype_size(dtype_info[t].real),
                       x + (size_t)(k * all) * dtype_size(dtype_info[t].real), LANES_BYTES);
            radix_points p = {x, point, .scale = 1}, all_of = {whole, point, .scale = 1},
                         back = {want, point, .swapped = true, .scale = 0.5 / (double)h};
            radix_run(r2, &all_of, &all_of, work);
            radix_run(r, &p, &p, work);
            radix_real_split(t, x, h, w, false);
            for (int64_t k = 0; k <= h; k++)
                for (int64_t l = 0; l < all; l++)
                    for (int which = 0; which < 2; which++)
                        assert_true(fabs(part(t, &p, k, l, which) - part(t, &all_of, k, l, which)) <
                                    near_of(t, 2 * h));
            radix_real_split(t, x, h, w, true);
            p.swapped = true;
            radix_run(r, &p, &back, work);
            fill(t, whole, h * point);
            for (int64_t k = 0; k < h * point; k++)
                assert_true(fabs(number(t, want, k) - number(t, whole, k)) < near_of(t, h));
            radix_free(r), radix_free(r2), mem_free(w);
            free(x), free(whole), free(want), free(work);
        }
}

/* Real transforms of odd length: the first half of the complex transform, and the inverse. */
static void odd_length(void **state) {
    (void)state;
    static const int64_t odd_lengths[] = {1,   3,   5,   7,   9,   11,  15,  21,  25,
                                          27,  33,  35,  63,  81,  97,  99,  101, 121,
                                          105, 135, 243, 303, 343, 407, 625, 909, 1155};
    for (int d = 0; d < 2; d++)
        for (size_t i = 0; i < COUNT_OF(odd_lengths); i++) {
            const gpa_dtype t = d ? DT_C128 : DT_C64;
            const int64_t n = odd_lengths[i], point = radix_point_elems(t), all = point / 2;
            const size_t real = dtype_size(dtype_info[t].real), bytes = (size_t)(n * point) * real,
                         half = (size_t)((n / 2 + 1) * point) * real;
            radix *r = radix_new(t, n);
            assert_non_null(r);
            const size_t room = (size_t)(radix_scratch_points(r) * point) * real;
            char *x = room_for(bytes), *whole = room_for(bytes), *work = room_for(room),
                 *more = room_for(room);
            fill(t, x, n * all);
            memset(whole, 0, bytes);
            for (int64_t k = 0; k < n; k++)
                memcpy(whole + (size_t)(k * point) * real, x + (size_t)(k * all) * real,
                       LANES_BYTES);
            const radix_points p = {whole, point, .scale = 1}, found = {work, point, .scale = 1};
            radix_run(r, &p, &p, more);
            for (int width = REGISTERS_LEAST; has_registers(width); width *= 2) {
                memset(work, 255, room);
                radix_limit_registers(width);
                radix_odd_real(r, x, work);
                for (int64_t k = 0; k <= n / 2; k++)
                    for (int64_t l = 0; l < all; l++)
                        for (int which = 0; which < 2; which++)
                            assert_true(fabs(part(t, &p, k, l, which) -
                                             part(t, &found, k, l, which)) < near_of(t, n));
                if (width > REGISTERS_LEAST) assert_memory_equal(more, work, half);
                memcpy(more, work, half);
            }
            radix_limit_registers(REGISTERS_MOST);
            radix_hartley(r, work, whole, 1);
            radix_odd_real(r, whole, work);
            radix_hartley(r, work, whole, 1 / (double)n);
            for (int64_t k = 0; k < n * all; k++)
                assert_true(fabs(number(t, whole, k) - number(t, x, k)) < near_of(t, n));
            radix_free(r);
            free(x), free(whole), free(work), free(more);
        }
}

static void lengths_that_can(void **state) {
    (void)state;
    assert_false(radix_can(65537) || radix_can(3 * 65537) || radix_can(1000003));
    assert_true(radix_can(2) && radix_can(1 << 20) && radix_can(7 * 7 * 5 * 3 * 2) &&
                radix_can(11) && radix_can(22) && radix_can(13 * 64) && radix_can(1009));
    assert_true(radix_padded_length(1) == 8 && radix_padded_length(17) == 24 &&
                radix_padded_length(24) == 24 && radix_padded_length(2 * 101 - 1) == 216 &&
                radix_padded_length(1025) == 1080);
}

static void short_memory(void **state) {
    (void)state;
    radix_twiddles twiddles;
    for (uint64_t k = 1; k <= 2; k++) {
        mem_fail_at(k);
        assert_null(radix_new(DT_C64, 100));
        mem_fail_at(k);
        assert_false(radix_twiddles_new(&twiddles, DT_C128, 8, 9));
        mem_fail_at(0);
    }
    int failed = 0;
    for (uint64_t k = 1; k < 20; k++) { /* roots, and all that a bluestein has */
        mem_fail_at(k);
        radix *r = radix_new(DT_C64, 11 * 101);
        mem_fail_at(0);
        failed += !r;
        radix_free(r);
    }
    assert_true(failed >= 7 && failed < 19);
}

UNIT_TESTS(TEST(runs), TEST(half_length), TEST(odd_length), TEST(lengths_that_can),
           TEST(short_memory))
