/* Bluestein's algorithm: bluestein.h. k^2 is reduced modulo 2n as an integer, so that angles stay
 * accurate. Reading order: tables, pointwise passes. */
#include "runtime/cpu/fft/bluestein.h"

#include <math.h>

#include "runtime/base/base.h"
#include "runtime/base/simd_clones.h"

/* ---- tables ---- */

void unit_root(int64_t part, int64_t n, double *re, double *im) {
    int64_t eighths = 4 * part / n, rest = 4 * part - eighths * n; /* pi/4 * (eighths + rest / n) */
    bool before = eighths & 1; /* a little before the next quarter turn */
    double angle = 0.78539816339744830962 * (double)(before ? n - rest : rest) / (double)n,
           c = cos(angle), s = before ? -sin(angle) : sin(angle);
    int64_t quarters = (eighths + 1) / 2 % 4;
    *re = quarters == 0 ? c : quarters == 1 ? -s : quarters == 2 ? -c : s;
    *im = quarters == 0 ? s : quarters == 1 ? c : quarters == 2 ? -s : -c;
}

static void put(const bluestein *c, void *to, int64_t i, double re, double im) {
    if (c->dtype == DT_C64)
        ((gpa_c64 *)to)[i] = (gpa_c64){(float)re, (float)im};
    else
        ((gpa_c128 *)to)[i] = (gpa_c128){re, im};
}

bool bluestein_new(bluestein *c, gpa_dtype complex, int64_t n, int64_t m, bool inverse) {
    size_t item = dtype_size(complex);
    *c = (bluestein){.dtype = complex,
                     .inverse = inverse,
                     .n = n,
                     .m = m,
                     .w = mem_new((size_t)n * item),
                     .spectrum = mem_zero((size_t)m * item)};
    if (!c->w || !c->spectrum) {
        bluestein_free(c);
        return false;
    }
    for (int64_t k = 0, square = 0; k < n; k++) {
        double re, im;
        unit_root(square, n, &re, &im);
        if (!inverse) im = -im;
        put(c, c->w, k, re, im);
        put(c, c->spectrum, k, re, -im);
        if (k) put(c, c->spectrum, m - k, re, -im);
        square = (square + 2 * k + 1) % (2 * n);
    }
    return true;
}

void bluestein_free(bluestein *c) {
    mem_free(c->w);
    mem_free(c->spectrum);
    *c = (bluestein){0};
}

/* ---- passes ---- */

#define PASSES(name, T)                                                                    \
    GPA_SIMD_CLONES static void name##_scale(const T *in, T by, int64_t numbers, T *out) { \
        for (int64_t i = 0; i < numbers; i++) out[i] = in[i] * by;                         \
    }                                                                                      \
    GPA_SIMD_CLONES static void name##_product(const T *a, const T *restrict b, int64_t n, \
                                               T *out) { /* out may be a */                \
        for (int64_t i = 0; i < n; i++) {                                                  \
            T re = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1];                      \
            T im = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i];                      \
            out[2 * i] = re, out[2 * i + 1] = im;                                          \
        }                                                                                  \
    }                                                                                      \
    static void name##_widen(const T *in, int64_t step, int64_t n, T *row) {               \
        for (int64_t k = 0; k < n; k++) row[2 * k] = in[k * step], row[2 * k + 1] = 0;     \
    }                                                                                      \
    static void name##_mirror(const T *in, int64_t step, int64_t n, T *row) {              \
        row[0] = in[0], row[1] = 0;                                                        \
        for (int64_t k = 1; k <= n / 2; k++) {                                             \
            T re = in[2 * k * step], im = 2 * k == n ? 0 : in[2 * k * step + 1];           \
            row[2 * k] = row[2 * (n - k)] = re;                                            \
            row[2 * k + 1] = im;                                                           \
            if (2 * k != n) row[2 * (n - k) + 1] = -im;                                    \
        }                                                                                  \
    }                                                                                      \
    static void name##_half(const T *row, int64_t n, T *out, int64_t step) {               \
        for (int64_t k = 0; k <= n / 2; k++)                                               \
            out[2 * k * step] = row[2 * k],                                                \
                        out[2 * k * step + 1] = k && 2 * k != n ? row[2 * k + 1] : 0;      \
    }                                                                                      \
    static void name##_reals(const T *row, int64_t n, T *out, int64_t step) {              \
        for (int64_t k = 0; k < n; k++) out[k * step] = row[2 * k];                        \
    }
PASSES(single, float)
PASSES(wide, double)
#undef PASSES

void bluestein_set_spectrum(bluestein *c, const void *transformed) {
    double by = 1 / (double)c->m;
    if (c->dtype == DT_C64)
        single_scale(transformed, (float)by, 2 * c->m, c->spectrum);
    else
        wide_scale(transformed, by, 2 * c->m, c->spectrum);
}

static void product(const bluestein *c, const void *in, const void *by, int64_t n, void *out) {
    if (c->dtype == DT_C64)
        single_product(in, by, n, out);
    else
        wide_product(in, by, n, out);
}

void bluestein_premultiply(const bluestein *c, const void *in, void *out) {
    size_t item = dtype_size(c->dtype);
    product(c, in, c->w, c->n, out);
    memset((char *)out + (size_t)c->n * item, 0, (size_t)(c->m - c->n) * item);
}

void bluestein_multiply_spectrum(const bluestein *c, void *at) {
    product(c, at, c->spectrum, c->m, at);
}

void bluestein_postmultiply(const bluestein *c, const void *in, void *out) {
    product(c, in, c->w, c->n, out);
}

void bluestein_from_real(const bluestein *c, const void *in, int64_t step, void *row) {
    if (c->dtype == DT_C64)
        single_widen(in, step, c->n, row);
    else
        wide_widen(in, step, c->n, row);
}

void bluestein_from_half(const bluestein *c, const void *in, int64_t step, void *row) {
    if (c->dtype == DT_C64)
        single_mirror(in, step, c->n, row);
    else
        wide_mirror(in, step, c->n, row);
}

void bluestein_to_half(const bluestein *c, const void *row, void *out, int64_t step) {
    if (c->dtype == DT_C64)
        single_half(row, c->n, out, step);
    else
        wide_half(row, c->n, out, step);
}

void bluestein_to_real(const bluestein *c, const void *row, void *out, int64_t step) {
    if (c->dtype == DT_C64)
        single_reals(row, c->n, out, step);
    else
        wide_reals(row, c->n, out, step);
}
