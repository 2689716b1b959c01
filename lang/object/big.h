/* Arbitrary-precision integers: Python's ints beyond 64 bits.
 *
 * A BIG is a sign and digits in base 2^32. Its value is never representable as INT, so an INT never
 * equals a BIG. All functions accept INT, BOOL and BIG, and return an INT if the result fits one.
 */
#ifndef GPA_OBJECT_BIG_H
#define GPA_OBJECT_BIG_H

#include "lang/syntax/ast.h"
#include "lang/object/value.h"
#include "lang/syntax/ast.h"

struct big_obj {
    obj head;
    bool negative;
    size_t n;         /* number of digits; the highest is not 0 */
    uint32_t digit[]; /* least significant first */
};

static inline bool is_int(value v) { return v.tag == V_INT || v.tag == V_BOOL || v.tag == V_BIG; }

value v_uint(gpa_vm *vm, uint64_t u);
/* The integral part of a finite float. */
value big_of_double(gpa_vm *vm, double f);
/* From bytes, least significant first; two's complement if `is_signed`. */
value big_of_bytes(gpa_vm *vm, const unsigned char *bytes, size_t n, bool is_signed);
/* From n digits in the base, letters of either case, valid, underscores allowed. ValueError beyond
 * Python's limit of digits. */
gpa_code big_parse(gpa_vm *vm, const char *text, size_t n, unsigned base, bool negative,
                   value *out);

/* An arithmetic, shift or bitwise operator. */
gpa_code big_binary(gpa_vm *vm, ast_op op, value a, value b, value *out);
gpa_code big_unary(gpa_vm *vm, ast_op op, value a, value *out);
int big_compare(value a, value b);
/* The order of a BIG and a float that is not NaN. */
int big_compare_double(const struct big_obj *b, double f);

/* Correctly rounded; infinite beyond the float range. */
double big_double(const struct big_obj *b);
/* frexp: a fraction in [1/2, 1), correctly rounded, times 2^*e. */
double big_frexp(const struct big_obj *b, int64_t *e);
/* OverflowError: int too large to convert to float. */
gpa_code big_float(gpa_vm *vm, value v, double *out);
/* True if it is in [2^63, 2^64 - 1]. */
bool big_is_uint(const struct big_obj *b, uint64_t *out);
int64_t big_hash(const struct big_obj *b);
size_t big_bits(const struct big_obj *b);
size_t big_ones(const struct big_obj *b);
/* To n bytes, least significant first, two's complement; false: does not fit. */
bool big_bytes(value v, unsigned char *to, size_t n, bool is_signed);
/* |b| in digits of the base. ValueError beyond Python's limit of decimal digits. */
gpa_code big_put_digits(gpa_vm *vm, const struct big_obj *b, unsigned base, bool upper,
                        gpa_str *out);

/* Truncates a float to an int of any size, with int()'s errors. */
gpa_code int_of_float(gpa_vm *vm, double f, value *out);
gpa_code int_too_large(gpa_vm *vm); /* OverflowError */

#endif
