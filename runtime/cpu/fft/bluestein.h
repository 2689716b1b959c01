/* Bluestein's algorithm (chirp z-transform, 1970) for transforms of any length, large primes
 * included.
 *
 * With w[k] = exp(-i pi k^2 / n) and jk = (j^2 + k^2 - (j - k)^2) / 2 a transform is a cyclic
 * convolution, computed by two transforms of a longer length m >= 2n - 1 with small factors. This
 * file has the tables and the pointwise passes; the caller runs the transforms:
 *
 *   bluestein_premultiply, forward, bluestein_multiply_spectrum, inverse, bluestein_postmultiply
 *
 * Rows of real elements are converted before (bluestein_from_real, bluestein_from_half) and after
 * (bluestein_to_half, bluestein_to_real). */
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
    void *spectrum; /* m points: the transform of the factors' reciprocals, divided by m; owned */
} bluestein;

/* Fills c for n points by a convolution of length m. `spectrum` holds the untransformed filter: the
 * caller transforms it and hands the result to bluestein_set_spectrum. False when memory is short
 * or *stop was set; then there is nothing to free. */
bool bluestein_new(bluestein *c, gpa_dtype complex, int64_t n, int64_t m, bool inverse,
                   const int32_t *stop);
void bluestein_set_spectrum(bluestein *c, const void *transformed);
void bluestein_free(bluestein *c);

/* exp(pi i part/n) for part < 2n, from an angle of at most pi/4. */
void unit_root(int64_t part, int64_t n, double *re, double *im);

/* out = the n points of `in` times w, padded with zeros to m points. */
void bluestein_premultiply(const bluestein *c, const void *in, void *out);
/* Multiplies the m points at `at` by the spectrum, in place. */
void bluestein_multiply_spectrum(const bluestein *c, void *at);
/* out = the first n points of `in` times w. */
void bluestein_postmultiply(const bluestein *c, const void *in, void *out);

/* Fills a row of n complex elements: from n real elements with stride `step`; or from the first
 * n/2 + 1 elements of a conjugate-symmetric row. */
void bluestein_from_real(const bluestein *c, const void *in, int64_t step, void *row);
void bluestein_from_half(const bluestein *c, const void *in, int64_t step, void *row);
/* Stores of a row, with stride `step`: the first n/2 + 1 elements of a conjugate-symmetric row (the
 * elements that are real get the imaginary part 0); or the real parts of all n elements. */
void bluestein_to_half(const bluestein *c, const void *row, void *out, int64_t step);
void bluestein_to_real(const bluestein *c, const void *row, void *out, int64_t step);

#endif
