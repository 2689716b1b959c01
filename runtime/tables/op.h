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

/* Type signatures: how the types of the operands determine those of computation and result. */
typedef enum {
#define SIG(id, doc) SIG_##id,
#include "runtime/tables/sig.def"
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
extern const char *const op_sig_docs[SIG_ROWS]; /* the texts of sig.def */

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
 * merged as an accumulator of its own). v has the COMPUTE dtype of t: half types accumulate in
 * float32 and are rounded at the end. */
typedef struct {
    gpa_val v;
    int64_t at; /* arg reductions: -1 before the first element */
} gpa_red_state;
gpa_red_state red_start(gpa_red r, gpa_dtype t);
/* Left fold of n >= 1 contiguous complex numbers of type t into `to`. */
typedef void (*gpa_red_fold)(const char *x, int64_t n, char *to);
gpa_red_fold red_fold(gpa_red r, gpa_dtype t);
gpa_red_state red_combine(gpa_red r, gpa_dtype t, gpa_red_state a, gpa_red_state b);
/* The same for two bools; not for arg reductions. */
bool red_combine_bools(gpa_red r, bool a, bool b);

#endif
