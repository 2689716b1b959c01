/* Bluestein's algorithm: bluestein.h. k^2 is reduced modulo 2n as an integer, so that angles stay
 * accurate. Reading order: tables, pointwise passes. */
#include "runtime/cpu/fft/bluestein.h"

#include <math.h>

#include "runtime/base/base.h"
#include "runtime/base/simd_clones.h"

/* ---- tables ---- */

void unit_root(int64_t part, int64_t n, double *re, double *im) {
    int64_t eighths = 4 * part / n, rest = 4 * part - eighths * n; /* pi/4 * (eighths + rest / n) */
    bool before = eighths & 1; /* just below the next multiple of pi/2 */
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

bool bluestein_new(bluestein *c, gpa_dtype complex, int64_t n, int64_t m, bool inverse,
                   const int32_t *stop) {
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
        if (k % 4096 != 0 || !__atomic_load_n(stop, __ATOMIC_RELAXED)) continue;
        bluestein_free(c);
        return false;
    }
    return true;
}

void bluestein_free(bluestein *c) {
    mem_free(c->w);
    mem_free(c->spectrum);
    *c = (bluestein){0};
}

/* ---- passes ---- */

#define T float
#define NAME(x) x##_c64
#include "runtime/cpu/fft/bluestein.inc"
#define T double
#define NAME(x) x##_c128
#include "runtime/cpu/fft/bluestein.inc"

void bluestein_set_spectrum(bluestein *c, const void *transformed) {
    const double factor = 1 / (double)c->m;
    if (c->dtype == DT_C64)
        scale_c64(transformed, (float)factor, 2 * c->m, c->spectrum);
    else
        scale_c128(transformed, factor, 2 * c->m, c->spectrum);
}

static void multiply(const bluestein *c, const void *a, const void *b, int64_t n, void *out) {
    if (c->dtype == DT_C64)
        multiply_c64(a, b, n, out);
    else
        multiply_c128(a, b, n, out);
}

void bluestein_premultiply(const bluestein *c, const void *in, void *out) {
    size_t item = dtype_size(c->dtype);
    multiply(c, in, c->w, c->n, out);
    memset((char *)out + (size_t)c->n * item, 0, (size_t)(c->m - c->n) * item);
}

void bluestein_multiply_spectrum(const bluestein *c, void *at) {
    multiply(c, at, c->spectrum, c->m, at);
}

void bluestein_postmultiply(const bluestein *c, const void *in, void *out) {
    multiply(c, in, c->w, c->n, out);
}

void bluestein_from_real(const bluestein *c, const void *in, int64_t step, void *row) {
    if (c->dtype == DT_C64)
        from_real_c64(in, step, c->n, row);
    else
        from_real_c128(in, step, c->n, row);
}

void bluestein_from_half(const bluestein *c, const void *in, int64_t step, void *row) {
    if (c->dtype == DT_C64)
        from_half_c64(in, step, c->n, row);
    else
        from_half_c128(in, step, c->n, row);
}

void bluestein_to_half(const bluestein *c, const void *row, void *out, int64_t step) {
    if (c->dtype == DT_C64)
        to_half_c64(row, c->n, out, step);
    else
        to_half_c128(row, c->n, out, step);
}

void bluestein_to_real(const bluestein *c, const void *row, void *out, int64_t step) {
    if (c->dtype == DT_C64)
        to_real_c64(row, c->n, out, step);
    else
        to_real_c128(row, c->n, out, step);
}
