/* Transforms of lengths with a large prime factor by Bluestein's way: with w[k] = exp(-i pi k^2 /
 * n) and jk = (j^2 + k^2 - (j - k)^2) / 2 a transform is a convolution, which two transforms of a
 * longer length do, whose factors are small. This file has the factors and the passes over a row;
 * the transforms are the caller's:
 *
 *   chirp_begin, transform (-1), chirp_middle, transform (+1), chirp_end
 *
 * Rows of real numbers become complex ones before (chirp_widen, chirp_mirror) and real ones after
 * (chirp_reals). */
#ifndef GPA_CPU_FFT_BLUESTEIN_H
#define GPA_CPU_FFT_BLUESTEIN_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/tables/dtype.h"

typedef struct {
    gpa_dtype dtype; /* complex */
    bool inverse;
    int64_t n, m;
    void *w;        /* n factors; owned */
    void *spectrum; /* m: the transform of their reciprocals, over m; owned */
} chirp;

/* Fills c for n points by m. `spectrum` is not yet transformed: once it is, chirp_scale makes it
 * what it has to be. False when memory is short; then there is nothing to free. */
bool chirp_make(chirp *c, gpa_dtype complex, int64_t n, int64_t m, bool inverse);
void chirp_scale(chirp *c, const void *transformed);
void chirp_free(chirp *c);

/* exp(pi i part/n) for part < 2n, from an angle of at most pi/4. */
void chirp_turned(int64_t part, int64_t n, double *re, double *im);

/* n points of `in` times w, and zeros, to the m of `out`. */
void chirp_begin(const chirp *c, const void *in, void *out);
/* The m points of `at` times the spectrum. */
void chirp_middle(const chirp *c, void *at);
/* The first n points of `in` times w to `out`. */
void chirp_end(const chirp *c, const void *in, void *out);

/* The n complex numbers of a row: n real ones, `step` apart; or those whose transform is real, of
 * which the n/2 + 1 first are given. */
void chirp_widen(const chirp *c, const void *in, int64_t step, void *row);
void chirp_mirror(const chirp *c, const void *in, int64_t step, void *row);
/* To places `step` apart: the n/2 + 1 first numbers of a row, the transform of real ones, so that
 * some have no imaginary part; or the real parts of all. */
void chirp_half(const chirp *c, const void *row, void *out, int64_t step);
void chirp_reals(const chirp *c, const void *row, void *out, int64_t step);

#endif
