/* Elementwise operations (ufuncs) and reductions: enums and properties from op.def and reduce.def,
 * and the scalar functions compiled from their value expressions. */
#ifndef GPA_TABLES_OP_H
#define GPA_TABLES_OP_H

#include "runtime/tables/dtype.h"

/* Primitive rows reach kir; kir_op1 .. kir_op3 expand composite rows into others. Nodes of the
 * graph hold either kind. */
typedef enum {
#define OP(id, ...) OP_##id,
#define OPX(id, ...) OP_##id,
#include "runtime/tables/op.def"
#undef OP
#undef OPX
    OP_COUNT
} gpa_op;

typedef enum {
#define RED(id, ...) RED_##id,
#include "runtime/tables/reduce.def"
#undef RED
    RED_COUNT
} gpa_red;

/* Forms of a Fourier transform: complex to complex, real to half-complex, half-complex to real. */
typedef enum { FFT_C2C, FFT_R2C, FFT_C2R } gpa_fft_form;

/* Factorizations of a matrix: none, it is triangular; Cholesky; LU with partial pivoting (unit
 * lower and upper triangle). */
typedef enum { FACTORS_TRIANGLE, FACTORS_CHOLESKY, FACTORS_LU } gpa_factorization;

/* Type signatures (NumPy's ufunc loops): how the operands' types determine the type an operation
 * computes in and the type of its result. The smallest float that holds an integer is float16 for
 * bool, int8 and uint8, float32 for int16 and uint16, float64 for wider ones. The texts appear in
 * the docstrings of ufuncs: operand dtypes and result dtype. */
#define GPA_SIGS(SIG)                                                                              \
    SIG(ARITH,                                                                                     \
        "bool, integers, floats and complex numbers; the result has the operands' common dtype")   \
    SIG(ARITH_NB,                                                                                  \
        "integers, floats and complex numbers; the result has the operands' common dtype")         \
    SIG(ARITH_I8,                                                                                  \
        "integers, floats and complex numbers, bool as int8; the result has the operands' common " \
        "dtype")                                                                                   \
    SIG(REAL, "bool, integers and floats; the result has the operands' common dtype")              \
    SIG(REAL_I8, "integers and floats, bool as int8; the result has the operands' common dtype")   \
    SIG(FLOAT, "floats; integers are computed as the smallest float that holds them")              \
    SIG(FLOATC,                                                                                    \
        "floats and complex numbers; integers are computed as the smallest float that holds them") \
    SIG(DIVIDE, "floats and complex numbers; integers are computed as float64")                    \
    SIG(DOUBLE, "all are computed as float64, complex numbers as complex128")                      \
    SIG(COMPARE, "any, converted to their common dtype; the result is bool")                       \
    SIG(LOGIC, "any; the result is bool")                                                          \
    SIG(BITS, "bool and integers; the result has the operands' common dtype")                      \
    SIG(INT, "integers; the result has the operands' common dtype")                                \
    SIG(INT_I8, "integers, bool as int8; the result has the operands' common dtype")               \
    SIG(TEST, "any; the result is bool")                                                           \
    SIG(TEST_REAL, "floats, integers as the smallest float that holds them; the result is bool")   \
    SIG(ABS,                                                                                       \
        "bool, integers, floats and complex numbers; the result has the operand's dtype, for a "   \
        "complex number that of its parts")                                                        \
    SIG(PART, "any; the result has the operand's dtype, for a complex number that of its parts")   \
    SIG(ANGLE,                                                                                     \
        "floats and complex numbers, integers as the smallest float that holds them, bool as "     \
        "float64; the result is real")                                                             \
    SIG(JOIN,                                                                                      \
        "floats, integers as the smallest float that holds them, never halves; the result is "     \
        "complex")                                                                                 \
    SIG(LDEXP,                                                                                     \
        "floats, integers as the smallest float that holds them, and int64; the result has the "   \
        "dtype of the first")                                                                      \
    SIG(FREXP, "floats, integers as the smallest float that holds them; the result is int32")      \
    SIG(REBIT, "int32; the result is float32")                                                     \
    SIG(UNBIT, "float32; the result is int32")                                                     \
    SIG(COUNT, "integers, bool as int8; the result is uint8")                                      \
    SIG(WORD, "uint64; the result the same")                                                       \
    SIG(SELECT, "a bool and two operands; the result has the common dtype of these two")
typedef enum {
#define SIG(id, doc) SIG_##id,
    GPA_SIGS(SIG)
#undef SIG
        SIG_ROWS
} gpa_sig;

typedef struct {
    const char *id, *name, *doc;
    const char *symbol; /* the operator that spells it ("+"), or NULL */
    uint8_t arity;
    uint8_t sig; /* gpa_sig */
    bool composite;
    uint8_t
        cost; /* 0 free, 1 an arithmetic instruction, 8 a division, 20 a transcendental function */
    uint8_t identity; /* gpa_red that ufunc.reduce computes with this operation; RED_COUNT: none */
    const char *text[5]; /* the value expression for kinds B I U F C as text; NULL where the kind
                            has none */
} gpa_op_info;

/* Index of a kind (dtype_info[t].kind) in op_info[op].text and red_info[r].text. */
static inline int op_kind_index(char kind) {
    return kind == 'B' ? 0 : kind == 'I' ? 1 : kind == 'U' ? 2 : kind == 'F' ? 3 : 4;
}

/* Source of the functions that value expressions call as H(name), in the common subset of C and
 * C++: `text` is a complete definition whose name is written H(name). kind: the operands it is for,
 * I integers of either sign, F floats, C complex. It may use the macros that op.def lists and the
 * helpers before it. */
typedef struct {
    const char *name, *text;
    char kind;
} gpa_op_helper;

extern const gpa_op_helper op_helpers[];
extern const size_t op_helper_count;

extern const gpa_op_info op_info[OP_COUNT];
extern const char *const op_sig_docs[SIG_ROWS]; /* GPA_SIGS' texts */

typedef struct {
    const char *id, *name, *doc;
    bool arg;            /* argmin, argmax: the result is an index */
    bool has_identity;   /* reducing no element gives the identity; else it is an error */
    uint8_t op;          /* gpa_op that it folds; OP_COUNT: none */
    const char *text[5]; /* the combination (for arg rows: whether b beats a) for kinds B I U F C,
                            or NULL */
    const char *start[5];
} gpa_red_info;

extern const gpa_red_info red_info[RED_COUNT];

/* The operation of this name ("add", and NumPy's aliases "mod", "abs", "true_divide" ...), else
 * OP_COUNT. */
gpa_op op_find(const char *name, size_t n);
/* The reduction of this name ("sum"), else RED_COUNT. */
gpa_red red_find(const char *name, size_t n);

/* The type an operation computes in and the type of its result, for the promoted operand type `t`
 * (for SELECT and LDEXP that of the values). False when the operation is not defined for it. */
bool op_types(gpa_op op, gpa_dtype t, gpa_dtype *compute, gpa_dtype *result);
/* The type with which an operand of type t enters promotion: t, but for float operations the
 * smallest float that holds it (arctan2 of int8 and uint8 is float16, though their common type is
 * int16). Not used where an operand is a weak scalar: then operands are promoted as they are. */
gpa_dtype op_promotion_type(gpa_op op, gpa_dtype t);
/* The type of operand i when the operation computes in `compute`: that type, but bool for the
 * condition of SELECT and int64 for the exponent of LDEXP. */
gpa_dtype op_operand_type(gpa_op op, gpa_dtype compute, int i);

/* The value expression compiled as C for operands of type t (a type op_types gave as `compute`);
 * NULL where op_types gives none. Operands beyond the arity are not read. Half types compute
 * in float and round. */
typedef void (*gpa_op_fn)(gpa_val *out, const gpa_val *a, const gpa_val *b, const gpa_val *c);
gpa_op_fn op_function(gpa_op op, gpa_dtype t);
/* The inner loop of ufunc.at: target[at[i]] = op(target[at[i]], value[i * step]) for i in order; a
 * unary operation has no value. NULL where the result has another type, or where the operation is
 * so slow that calling op_function for each element costs little more. */
typedef void (*gpa_op_loop)(char *target, const int64_t *at, int64_t n, const char *value,
                            int64_t step);
gpa_op_loop op_loop(gpa_op op, gpa_dtype t);
/* The result for one element. */
gpa_val op_scalar(gpa_op op, gpa_dtype t, gpa_val a, gpa_val b, gpa_val c);

/* The accumulator of a reduction: red_start initializes it, red_combine merges two (an element is
 * merged as an accumulator of its own). v has the COMPUTE dtype of t: halves accumulate in float32
 * and are rounded at the end. */
typedef struct {
    gpa_val v;
    int64_t at; /* arg reductions: -1 before the first element */
} gpa_red_state;
gpa_red_state red_start(gpa_red r, gpa_dtype t);
/* Left fold of n >= 1 contiguous complex numbers of type t into `to`. */
typedef void (*gpa_red_fold)(const char *x, int64_t n, char *to);
gpa_red_fold red_fold(gpa_red r, gpa_dtype t);
gpa_red_state red_combine(gpa_red r, gpa_dtype t, gpa_red_state a, gpa_red_state b);

#endif
