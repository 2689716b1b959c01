/* Mixed-radix FFT of several rows at once in the lanes of vectors.
 *
 * Point k of all rows is two vectors of LANES_BYTES, real and imaginary parts. Points that are
 * interleaved with unit stride in memory are read and written there. Primes up to RADIX_PRIME_MAX
 * are supported: small ones by kernels, others by direct sums, large ones by Bluestein's algorithm.
 * The result of a row does not depend on the other rows, nor on the width of the processor's
 * registers. */
#ifndef GPA_CPU_FFT_MIXED_RADIX_H
#define GPA_CPU_FFT_MIXED_RADIX_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/tables/dtype.h"

typedef struct radix radix;

bool radix_can(int64_t n);
/* The next length from `least` on that is quick: for convolutions. */
int64_t radix_padded_length(int64_t least);
/* NULL when memory is short. The caller owns it: radix_free. */
radix *radix_new(gpa_dtype complex, int64_t n);
void radix_free(radix *r);

/* Where points are: point k begins k * step real numbers after `at`, as vectors, or with `pairs` as
 * complex numbers side by side; swapped: real and imaginary parts exchanged, which on both sides
 * makes an inverse transform of a forward one. */
typedef struct {
    void *at;
    int64_t step;
    bool pairs, swapped;
    double scale; /* of what is written there */
} radix_points;

/* Real numbers in a point of all lines. */
int64_t radix_point_elems(gpa_dtype complex);
/* Points of vectors that radix_run works in. */
int64_t radix_scratch_points(const radix *r);
/* `in` may be `out`, and is kept otherwise; work has room for radix_scratch_points points of
 * vectors, aligned as vectors are. */
void radix_run(const radix *r, const radix_points *in, const radix_points *out, void *work);
/* For tests: use vector registers of at most 16, 32 or 64 bytes. Not thread-safe. */
void radix_limit_registers(int bytes);
/* n points from one place to the other, scaled. */
void radix_move(gpa_dtype complex, int64_t n, const radix_points *from, const radix_points *to);

/* Factors for real transforms of 2h numbers, for radix_real_split; NULL when memory is short. The
 * caller owns them (mem_free). */
void *radix_real_factors(gpa_dtype complex, int64_t h);
/* Makes of h points of vectors, the transforms of complex numbers whose parts are real ones, the h
 * + 1 of the real transform; with `inverse` the way back, times 2. */
void radix_real_split(gpa_dtype complex, void *points, int64_t h, const void *factors,
                      bool inverse);

/* An odd number n of real numbers, a vector each: `reals` to the n/2 + 1 points of their transform
 * at `work`, or such points to numbers, scaled, whose transform, done with likewise, has the
 * inverse transform of the points. */
void radix_odd_real(const radix *r, const void *reals, void *work);
void radix_hartley(const radix *r, const void *points, void *reals, double scale);

/* Twiddle factors between the columns and the rows of the four-step algorithm, for n1 * n2 points:
 * point k of column c is multiplied by exp(-2 pi i c k / n). `lanes` has the factors of the first
 * block of columns, n1 points of vectors; `blocks` those of column 0 of each block, n1 complex
 * numbers. */
typedef struct {
    void *lanes, *blocks;
} radix_twiddles;
/* False when memory is short. The caller owns the tables: radix_twiddles_free. */
bool radix_twiddles_new(radix_twiddles *t, gpa_dtype complex, int64_t n1, int64_t n2);
void radix_twiddles_free(radix_twiddles *t);

/* The first `rows` points of each column of block `block`, of n1 points, from vectors at `from`.
 * Point k of column c becomes point c of row k: rows are vectors in `to`, in blocks of `pitch`
 * points. */
typedef struct {
    int64_t n1, rows, block;
    const void *from;
    void *to;
    int64_t pitch;
} radix_transpose;
/* Multiplies a block of columns by twiddle factors and transposes it. */
void radix_twiddle_transpose(const radix_twiddles *t, gpa_dtype complex, const radix_transpose *a);

#endif
