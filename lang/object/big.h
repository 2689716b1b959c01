/* Ints beyond 64 bits: what Python's ints do where those of 64 bits end.
 *
 * A BIG holds a sign and digits to the base 2^32, and never an int that INT could hold: the two are
 * never equal. All functions take INT, BOOL and BIG alike, and give an INT where it suffices. */
#ifndef GPA_OBJECT_BIG_H
#define GPA_OBJECT_BIG_H

#include "lang/syntax/ast.h"
#include "lang/object/value.h"
#include "lang/syntax/ast.h"

struct big_obj {
    obj head;
    bool negative;
    size_t n;         /* digits; the last is not 0 */
    uint32_t digit[]; /* least first */
};

static inline bool is_int(value v) { return v.tag == V_INT || v.tag == V_BOOL || v.tag == V_BIG; }

value v_uint(gpa_vm *vm, uint64_t u);
/* The whole part of a finite float. */
value big_of_double(gpa_vm *vm, double f);
/* The bytes as digits, least first; two's complement where `is_signed`. */
value big_of_bytes(gpa_vm *vm, const unsigned char *bytes, size_t n, bool is_signed);
/* n digits of the base, in letters of either case, valid, underscores among them. ValueError: more
 * than Python reads. */
gpa_code big_parse(gpa_vm *vm, const char *text, size_t n, unsigned base, bool negative,
                   value *out);

/* An arithmetic operator, a shift or one of bits. */
gpa_code big_binary(gpa_vm *vm, ast_op op, value a, value b, value *out);
gpa_code big_unary(gpa_vm *vm, ast_op op, value a, value *out);
int big_compare(value a, value b);
/* The order of a BIG and a float that is not NaN. */
int big_compare_double(const struct big_obj *b, double f);

/* Rounded once; infinite beyond floats. */
double big_double(const struct big_obj *b);
/* The number as a fraction from 1/2 to 1, rounded once, times 2^*e. */
double big_frexp(const struct big_obj *b, int64_t *e);
/* OverflowError: int too large to convert to float. */
gpa_code big_float(gpa_vm *vm, value v, double *out);
/* Whether it is from 2^63 to 2^64 - 1. */
bool big_is_uint(const struct big_obj *b, uint64_t *out);
int64_t big_hash(const struct big_obj *b);
size_t big_bits(const struct big_obj *b);
size_t big_ones(const struct big_obj *b);
/* n bytes, least first, two's complement; false: the value needs more. */
bool big_bytes(value v, unsigned char *to, size_t n, bool is_signed);
/* |b| in digits of the base. ValueError: more decimal digits than Python writes. */
gpa_code big_put_digits(gpa_vm *vm, const struct big_obj *b, unsigned base, bool upper,
                        gpa_str *out);

/* Truncates a float to an int of any size, with int()'s errors. */
gpa_code int_of_float(gpa_vm *vm, double f, value *out);
gpa_code int_too_large(gpa_vm *vm); /* OverflowError */

#endif
