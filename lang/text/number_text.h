/* Conversion between numbers and text: shortest round-trip digits, repr in Python's and NumPy's
 * forms, and the parsers of int(), float(), complex() and text files. */
#ifndef GPA_TEXT_NUMBER_TEXT_H
#define GPA_TEXT_NUMBER_TEXT_H

#include "runtime/runtime.h"

/* A finite value as decimal digits: d.ddd * 10^exp, without trailing zeros. Zero is one digit 0
 * with exp 0. */
typedef struct {
    bool negative;
    int n, exp;
    char digit[20]; /* '0' .. '9', then a zero byte */
} decimal;

/* The shortest digits that read back as v in dtype t (F16, BF16, F32, F64); v is representable
 * in t. */
decimal decimal_shortest(double v, gpa_dtype t);
/* The exact value rounded to n significant digits (1 to 17), trailing zeros dropped. */
decimal decimal_rounded(double v, int n);

void number_put_int(gpa_str *out, int64_t v);
/* repr() of a float as Python prints it ("1.0", "1e+16", "nan"); and of a NumPy scalar of dtype t
 * as str() prints it. */
void number_put_float(gpa_str *out, double v);
void number_put_np_float(gpa_str *out, double v, gpa_dtype t);
/* "(1+2j)", "2j". t: C64, or C128 (Python's complex too). */
void number_put_complex(gpa_str *out, double re, double im, gpa_dtype t);

/* UNDERSCORE: one that is not between digits. */
typedef enum { PARSE_OK, PARSE_BAD, PARSE_UNDERSCORE, PARSE_TOO_LARGE } parse_result;
/* The digits of an integer literal after its sign and prefix. */
typedef struct {
    const char *text;
    size_t n;
    int base;
    bool negative;
} int_digits;
/* int(text, base): surrounding spaces, sign, 0x/0o/0b prefixes where the base allows them (base
 * 0: the prefix decides), underscores. TOO_LARGE also fills *digits. */
parse_result parse_int(const char *text, size_t n, int base, int64_t *out, int_digits *digits);
/* float(text): surrounding spaces, underscores between digits, inf, infinity, nan. */
parse_result parse_float(const char *text, size_t n, double *out);
/* complex(text): "1+2j", "(1+2j)", "2j", "1". */
parse_result parse_complex(const char *text, size_t n, double *re, double *im);

#endif
