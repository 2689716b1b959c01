/* Promotion of several dtypes together. */
#ifndef GPA_PROMOTION_H
#define GPA_PROMOTION_H

#include "runtime/tables/dtype.h"

/* NumPy's promotion of n dtypes together; DT_NONE for none. Promotion is not associative: int8,
 * uint8 and float16 are float16 together, but int8 and uint8 are int16, which with float16 is
 * float32. Each is promoted with the dtype of the highest type number first. */
gpa_dtype dtype_promote_all(const gpa_dtype *t, int n);

#endif
