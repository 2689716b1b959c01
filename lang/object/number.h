/* Numeric value of any number type.
 *
 * int, bool, float, complex and NumPy's scalars of every dtype compare and hash by numeric value: 1
 * == 1.0 == True == numpy.int8(1), exactly (large integers are not rounded to float). */
#ifndef GPA_OBJECT_NUMBER_H
#define GPA_OBJECT_NUMBER_H

#include "lang/object/value.h"
#include "lang/syntax/ast.h"

typedef enum {
    NUMBER_NOT,
    NUMBER_INT,
    NUMBER_UINT,
    NUMBER_BIG,
    NUMBER_FLOAT,
    NUMBER_COMPLEX
} number_kind;

/* UINT only if INT cannot hold it (above 2^63 - 1), BIG only if neither can (`re` may be infinite
 * then). FLOAT uses re; COMPLEX both. */
typedef struct {
    number_kind kind;
    int64_t i;
    uint64_t u;
    const struct big_obj *big; /* borrowed */
    double re, im;
} number;

/* NUMBER_NOT for values that are not numbers, and for lazy NumPy scalars (value_computed first). */
number number_of(value v);
/* The numeric value of one array element. */
number number_of_element(gpa_dtype t, gpa_val v);
/* The payload of a NUM or a numpy.complex128 (COMPLEX with aux 1), with its dtype. */
gpa_val number_payload(value v, gpa_dtype *t);
/* True for a NumPy scalar (NUM, numpy.complex128, or a lazy one). */
bool number_is_numpy(value v);
double number_real(const number *n);
bool number_equal(const number *a, const number *b);
/* Negative, 0, positive; 2 when unordered (NaN). Complex numbers are compared by their real parts.
 */
int number_compare(const number *a, const number *b);
/* CPython's hash of the number. */
int64_t number_hash(const number *n);

/* An operator on two int, bool, float or complex values (arithmetic.c). *out is owned. */
gpa_code op_number(gpa_vm *vm, ast_op op, value a, value b, value *out);

#endif
