/* Fourier transforms of several lines side by side in the lanes of vectors, of lengths whose prime
 * factors are not very large.
 *
 * Point k of all lines is two vectors of LANES_BYTES, real and imaginary parts, which is what
 * lanes_load makes of rows; numbers of all lines that are neighbours in memory are read and
 * written where they lie. A line's result does not depend on what lies beside it, nor on the
 * processor. */
#ifndef GPA_CPU_FFT_MIXED_RADIX_H
#define GPA_CPU_FFT_MIXED_RADIX_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/tables/dtype.h"

typedef struct radix radix;

bool radix_can(int64_t n);
/* The next length from `least` on that is quick: for convolutions. */
int64_t radix_longer(int64_t least);
/* NULL when memory is short. The caller owns it: radix_free. */
radix *radix_new(gpa_dtype complex, int64_t n);
void radix_free(radix *r);

/* Where points are: point k begins k * step real numbers after `at`, as vectors, or with `pairs` as
 * complex numbers side by side; turned: real and imaginary parts exchanged, which on both sides
 * makes an inverse transform of a forward one. */
typedef struct {
    void *at;
    int64_t step;
    bool pairs, turned;
    double scale; /* of what is written there */
} radix_points;

/* Real numbers in a point of all lines. */
int64_t radix_point(gpa_dtype complex);
/* Points of vectors that radix_run works in. */
int64_t radix_room(const radix *r);
/* `in` may be `out`, and is kept otherwise; work has room for radix_room points of vectors, aligned
 * as vectors are. */
void radix_run(const radix *r, const radix_points *in, const radix_points *out, void *work);
/* n points from one place to the other, scaled. */
void radix_move(gpa_dtype complex, int64_t n, const radix_points *from, const radix_points *to);

/* Factors for real transforms of 2h numbers, for radix_unfold; NULL when memory is short. The
 * caller owns them (mem_free). */
void *radix_halves(gpa_dtype complex, int64_t h);
/* Makes of h points of vectors, the transforms of complex numbers whose parts are real ones, the h
 * + 1 of the real transform; with `inverse` the way back, times 2. */
void radix_unfold(gpa_dtype complex, void *points, int64_t h, const void *factors, bool inverse);

/* An odd number n of real numbers, a vector each: `reals` to the n/2 + 1 points of their transform
 * at `work`, or such points to numbers, scaled, whose transform, done with likewise, has the
 * inverse transform of the points. */
void radix_reals(const radix *r, const void *reals, void *work);
void radix_turn_over(const radix *r, const void *points, void *reals, double scale);

/* A transform of n1 * n2 points as n2 of n1, side by side, and then n1 of n2. Column c of the first
 * ones times exp(-2 pi i c k / n): `lanes` for the first block of columns, n1 points of vectors;
 * `blocks` for column 0 of each block, n1 pairs of numbers. */
typedef struct {
    void *lanes, *blocks;
} radix_turns;
bool radix_turns_new(radix_turns *t, gpa_dtype complex, int64_t n1, int64_t n2);
void radix_turns_free(radix_turns *t);
/* The first `rows` of block b of columns, points of vectors at `from`, times their factors, turned:
 * numbers of rows r of all columns become the points of block r / lanes of rows in `to`, where each
 * block has `pitch` points, a column's number. */
void radix_turn(const radix_turns *t, gpa_dtype complex, int64_t n1, int64_t rows, int64_t b,
                const void *from, void *to, int64_t pitch);

#endif
