/* Real transforms of 2h elements through complex ones of half the length. */
#ifndef GPA_CPU_FFT_HALF_LENGTH_H
#define GPA_CPU_FFT_HALF_LENGTH_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/tables/dtype.h"

/* The factors for 2h numbers; NULL when memory is short. The caller owns them (mem_free). */
void *real_split_factors(gpa_dtype complex, int64_t h);
/* Makes of the h transformed numbers of a row the h + 1 of the real transform; with `inverse` the
 * way back, times 2. `to` may be `from`. */
void real_split(gpa_dtype complex, const void *from, void *to, int64_t h, const void *factors,
                bool inverse);

#endif
