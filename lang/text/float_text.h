/* Float formatting: NumPy's format_float_positional and format_float_scientific, with unique or
 * a fixed number of digits, trimming and padding. Printed arrays use these for their columns. */
#ifndef GPA_TEXT_FLOAT_TEXT_H
#define GPA_TEXT_FLOAT_TEXT_H

#include "runtime/runtime.h"

/* Counts are -1 where not given. Unique: the shortest digits that read back as the value,
 * rounded to `precision` or continued exactly to `min_digits`. Otherwise the exact value to
 * `precision` digits. */
typedef struct {
    int precision, min_digits;
    int pad_left, pad_right; /* minimal characters before and after the point, padded with spaces */
    int exp_digits;
    bool unique;
    bool fractional; /* positional: digits count from the point; else they are significant digits */
    bool sign;       /* print + for positive values */
    char trim;       /* trailing zeros: 'k' keep, '.' drop, '0' keep one, '-' drop with the point */
} float_form;

/* v is a finite value representable in dtype t. */
void float_positional(gpa_str *out, double v, gpa_dtype t, const float_form *f);
void float_scientific(gpa_str *out, double v, gpa_dtype t, const float_form *f);

#endif
