/* Real transforms of 2h elements through complex ones of half the length. */
#ifndef GPA_CPU_FFT_HALF_LENGTH_H
#define GPA_CPU_FFT_HALF_LENGTH_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/tables/dtype.h"

/* The factors for 2h real elements; NULL when memory is short. The caller owns them (mem_free). */
void *real_split_factors(gpa_dtype complex, int64_t h);
/* Computes the h + 1 points of the real transform from the h points of the complex one; with
 * `inverse` the h points, times 2, from the h + 1. `to` may be `from`. */
void real_split(gpa_dtype complex, const void *from, void *to, int64_t h, const void *factors,
                bool inverse);

#endif
