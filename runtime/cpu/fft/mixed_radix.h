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
/* The smallest length >= `least` whose transform is fast: the padded length of a convolution. */
int64_t radix_padded_length(int64_t least);
/* NULL when memory is short. The caller owns it: radix_free. */
radix *radix_new(gpa_dtype complex, int64_t n);
void radix_free(radix *r);

/* The memory layout of points: point k begins k * step reals after `at`, as two vectors, or with
 * `pairs` as interleaved complex numbers. swapped: real and imaginary parts are exchanged; if both
 * operand and result are swapped, the forward transform computes the inverse one. */
typedef struct {
    void *at;
    int64_t step;
    bool pairs, swapped;
    double scale; /* factor of the stored points */
} radix_points;

/* Reals in a point (two vectors). */
int64_t radix_point_elems(gpa_dtype complex);
/* Points in the scratch memory of radix_run. */
int64_t radix_scratch_points(const radix *r);
/* `in` may equal `out`; otherwise it is not modified. `work` holds radix_scratch_points points,
 * aligned to a vector. */
void radix_run(const radix *r, const radix_points *in, const radix_points *out, void *work);
/* For tests: use vector registers of at most 16, 32 or 64 bytes. Not thread-safe. */
void radix_limit_registers(int bytes);
/* Copies n points, scaled, from one layout to the other. */
void radix_move(gpa_dtype complex, int64_t n, const radix_points *from, const radix_points *to);

/* The factors of radix_real_split for 2h reals; NULL when memory is short. The
 * caller owns them (mem_free). */
void *radix_real_factors(gpa_dtype complex, int64_t h);
/* real_split (half_length.h) of h points of vectors, in place. */
void radix_real_split(gpa_dtype complex, void *points, int64_t h, const void *factors,
                      bool inverse);

/* Real transforms of odd length n; a real is one vector. radix_odd_real computes the n/2 + 1 points
 * of the transform of `reals` into `work`. radix_hartley prepares the inverse: from the n/2 + 1
 * points it computes n reals, scaled; radix_odd_real of these, then radix_hartley again, gives the
 * inverse transform of the points (Hartley 1942). */
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
