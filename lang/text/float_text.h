/* Floats as NumPy's format_float_positional and format_float_scientific print them: unique digits
 * or a fixed number, trimmed and padded. The columns of printed arrays are made of these. */
#ifndef GPA_TEXT_FLOAT_TEXT_H
#define GPA_TEXT_FLOAT_TEXT_H

#include "runtime/runtime.h"

/* Numbers are -1 where nothing is asked for. Unique: the shortest digits that read back as the
 * value, cut to `precision` (rounded from the exact value) or continued exactly to `min_digits`.
 * Else the exact value to `precision` digits. */
typedef struct {
    int precision, min_digits;
    int pad_left, pad_right; /* characters before and behind the point, filled with spaces */
    int exp_digits;
    bool unique;
    bool fractional; /* positional: digits count from the point; else from the first one that is not
                        0 */
    bool sign;       /* a + on positive numbers */
    char trim; /* trailing zeros: 'k' stay, '.' go, '0' all but one go, '-' go with the point */
} float_form;

/* v is exactly a value of t, and finite. */
void float_positional(gpa_str *out, double v, gpa_dtype t, const float_form *f);
void float_scientific(gpa_str *out, double v, gpa_dtype t, const float_form *f);

#endif
