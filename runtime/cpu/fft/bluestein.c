/* Bluestein's way: bluestein.h. Angles are reduced by integers before they become numbers: k^2 is
 * taken modulo 2n.
 *
 * Reading order: when it is worth its while, factors, passes. */
#include "runtime/cpu/fft/bluestein.h"

#include <math.h>

#include "runtime/base/base.h"
#include "runtime/base/simd_clones.h"

/* ---- when ---- */

/* PRIME_FROM: FFTW's sums over fewer points are quick; N_MOST: with more points memory decides;
 * SMALL: of p - 1, up to which FFTW takes Rader's way; FIVES: in a length; CROWDED: from here on
 * the points of powers of two share places in the cache. */
enum { PRIME_FROM = 71, N_MOST = 20000, SMALL = 13, FIVES = 4, LEAST_POWER = 8, CROWDED = 4096 };

static int64_t largest_prime(int64_t n) {
    int64_t most = 1;
    for (int64_t p = 2; p * p <= n; p++)
        for (; n % p == 0; n /= p) most = p;
    return MAX(most, n);
}

static double transform_cost(int64_t n) { return (double)n * log2((double)n); }

/* The cheapest of 2^a 5^b, for which FFTW's estimated plans are good; *cost: of the whole way. */
static int64_t padded(int64_t least, double *cost) {
    int64_t best = 0;
    for (int64_t fives = 1, b = 0; b <= FIVES; b++, fives *= 5) {
        int64_t m = LEAST_POWER * fives;
        while (m < least) m *= 2;
        double c = 2.2 * transform_cost(m) *
                   (b == 0 && m > CROWDED ? 1.4 : 1); /* two transforms, and passes */
        if (!best || c < *cost) best = m, *cost = c;
    }
    return best;
}

/* A point's part of the cost of Rader's way for p, in that of a point of a good transform: fitted
 * to times of all primes' kinds. For float32 FFTW does it without vectors. */
static double rader(gpa_dtype t, int64_t p, int64_t part) {
    if (t == DT_C64) return p < 1500 ? 10 : 7.5;
    return part <= 5 ? 4.4 : part <= 7 ? 5 : 7;
}

int64_t chirp_length(gpa_dtype complex, int64_t n) {
    if (n < PRIME_FROM || n > N_MOST) return 0;
    int64_t p = largest_prime(n), part = p >= PRIME_FROM ? largest_prime(p - 1) : 0;
    if (p < PRIME_FROM || part > SMALL) return 0; /* those FFTW does by Bluestein's way itself */
    double mine = 0,
           theirs = (double)n * (log2((double)p) * rader(complex, p, part) + log2((double)(n / p)));
    int64_t m = padded(2 * n - 1, &mine);
    return mine < theirs ? m : 0;
}

/* ---- factors ---- */

void chirp_turned(int64_t part, int64_t n, double *re, double *im) {
    int64_t eighths = 4 * part / n, rest = 4 * part - eighths * n; /* pi/4 * (eighths + rest / n) */
    bool before = eighths & 1; /* a little before the next quarter turn */
    double angle = 0.78539816339744830962 * (double)(before ? n - rest : rest) / (double)n,
           c = cos(angle), s = before ? -sin(angle) : sin(angle);
    int64_t quarters = (eighths + 1) / 2 % 4;
    *re = quarters == 0 ? c : quarters == 1 ? -s : quarters == 2 ? -c : s;
    *im = quarters == 0 ? s : quarters == 1 ? c : quarters == 2 ? -s : -c;
}

static void put(const chirp *c, void *to, int64_t i, double re, double im) {
    if (c->dtype == DT_C64)
        ((gpa_c64 *)to)[i] = (gpa_c64){(float)re, (float)im};
    else
        ((gpa_c128 *)to)[i] = (gpa_c128){re, im};
}

bool chirp_make(chirp *c, gpa_dtype complex, int64_t n, int64_t m, bool inverse) {
    size_t item = dtype_size(complex);
    *c = (chirp){.dtype = complex,
                 .inverse = inverse,
                 .n = n,
                 .m = m,
                 .w = mem_new((size_t)n * item),
                 .spectrum = mem_zero((size_t)m * item)};
    if (!c->w || !c->spectrum) {
        chirp_free(c);
        return false;
    }
    for (int64_t k = 0, square = 0; k < n; k++) {
        double re, im;
        chirp_turned(square, n, &re, &im);
        if (!inverse) im = -im;
        put(c, c->w, k, re, im);
        put(c, c->spectrum, k, re, -im);
        if (k) put(c, c->spectrum, m - k, re, -im);
        square = (square + 2 * k + 1) % (2 * n);
    }
    return true;
}

void chirp_free(chirp *c) {
    mem_free(c->w);
    mem_free(c->spectrum);
    *c = (chirp){0};
}

/* ---- passes ---- */

#define PASSES(name, T)                                                                \
    GPA_SIMD_CLONES static void name##_scale(const T *in, T by, int64_t numbers, T *out) {    \
        for (int64_t i = 0; i < numbers; i++) out[i] = in[i] * by;                     \
    }                                                                                  \
    GPA_SIMD_CLONES static void name##_product(const T *a, const T *restrict b, int64_t n,    \
                                        T *out) { /* out may be a */                   \
        for (int64_t i = 0; i < n; i++) {                                              \
            T re = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1];                  \
            T im = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i];                  \
            out[2 * i] = re, out[2 * i + 1] = im;                                      \
        }                                                                              \
    }                                                                                  \
    static void name##_widen(const T *in, int64_t step, int64_t n, T *row) {           \
        for (int64_t k = 0; k < n; k++) row[2 * k] = in[k * step], row[2 * k + 1] = 0; \
    }                                                                                  \
    static void name##_mirror(const T *in, int64_t step, int64_t n, T *row) {          \
        row[0] = in[0], row[1] = 0;                                                    \
        for (int64_t k = 1; k <= n / 2; k++) {                                         \
            T re = in[2 * k * step], im = 2 * k == n ? 0 : in[2 * k * step + 1];       \
            row[2 * k] = row[2 * (n - k)] = re;                                        \
            row[2 * k + 1] = im;                                                       \
            if (2 * k != n) row[2 * (n - k) + 1] = -im;                                \
        }                                                                              \
    }                                                                                  \
    static void name##_half(const T *row, int64_t n, T *out, int64_t step) {           \
        for (int64_t k = 0; k <= n / 2; k++)                                           \
            out[2 * k * step] = row[2 * k],                                            \
                        out[2 * k * step + 1] = k && 2 * k != n ? row[2 * k + 1] : 0;  \
    }                                                                                  \
    static void name##_reals(const T *row, int64_t n, T *out, int64_t step) {          \
        for (int64_t k = 0; k < n; k++) out[k * step] = row[2 * k];                    \
    }
PASSES(single, float)
PASSES(wide, double)
#undef PASSES

void chirp_scale(chirp *c, const void *transformed) {
    double by = 1 / (double)c->m;
    if (c->dtype == DT_C64)
        single_scale(transformed, (float)by, 2 * c->m, c->spectrum);
    else
        wide_scale(transformed, by, 2 * c->m, c->spectrum);
}

static void product(const chirp *c, const void *in, const void *by, int64_t n, void *out) {
    if (c->dtype == DT_C64)
        single_product(in, by, n, out);
    else
        wide_product(in, by, n, out);
}

void chirp_begin(const chirp *c, const void *in, void *out) {
    size_t item = dtype_size(c->dtype);
    product(c, in, c->w, c->n, out);
    memset((char *)out + (size_t)c->n * item, 0, (size_t)(c->m - c->n) * item);
}

void chirp_middle(const chirp *c, void *at) { product(c, at, c->spectrum, c->m, at); }

void chirp_end(const chirp *c, const void *in, void *out) { product(c, in, c->w, c->n, out); }

void chirp_widen(const chirp *c, const void *in, int64_t step, void *row) {
    if (c->dtype == DT_C64)
        single_widen(in, step, c->n, row);
    else
        wide_widen(in, step, c->n, row);
}

void chirp_mirror(const chirp *c, const void *in, int64_t step, void *row) {
    if (c->dtype == DT_C64)
        single_mirror(in, step, c->n, row);
    else
        wide_mirror(in, step, c->n, row);
}

void chirp_half(const chirp *c, const void *row, void *out, int64_t step) {
    if (c->dtype == DT_C64)
        single_half(row, c->n, out, step);
    else
        wide_half(row, c->n, out, step);
}

void chirp_reals(const chirp *c, const void *row, void *out, int64_t step) {
    if (c->dtype == DT_C64)
        single_reals(row, c->n, out, step);
    else
        wide_reals(row, c->n, out, step);
}
