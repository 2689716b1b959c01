/* The transform of 2h real numbers through that of the h complex numbers whose parts they are: half
 * the work, by the codelets for complex numbers, which are those that use vectors. */
#ifndef GPA_CPU_FFT_HALF_LENGTH_H
#define GPA_CPU_FFT_HALF_LENGTH_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/tables/dtype.h"

/* The factors for 2h numbers; NULL when memory is short. The caller owns them (mem_free). */
void *unfold_factors(gpa_dtype complex, int64_t h);
/* Makes of the h transformed numbers of a row the h + 1 of the real transform; with `inverse` the
 * way back, times 2. `to` may be `from`. */
void unfold(gpa_dtype complex, const void *from, void *to, int64_t h, const void *factors,
            bool inverse);

#endif
