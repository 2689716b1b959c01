/* The elementwise operations and the reductions: enums and facts from op.def and reduce.def, and the scalar
 * functions compiled from their value expressions. */
#ifndef GPA_OP_H
#define GPA_OP_H

#include "runtime/dtype.h"

/* Primitive rows reach kir; composite rows are written in terms of other rows and expanded when a node is made. */
typedef enum {
#define OP(id, ...) OP_##id,
#define OPX(id, ...) OP_##id,
#include "runtime/op.def"
#undef OP
#undef OPX
    OP_COUNT
} gpa_op;

typedef enum {
#define RED(id, ...) RED_##id,
#include "runtime/reduce.def"
#undef RED
    RED_COUNT
} gpa_red;

/* How the operands of an operation choose the type it computes in and the type of its result: NumPy's loops. */
#define GPA_SIGS(SIG)                                                                              \
    SIG(ARITH, "bool, integers, floats, complex; result the same")                                 \
    SIG(ARITH_NB, "as ARITH, but not bool")                                                        \
    SIG(ARITH_I8, "as ARITH, bool computed as int8")                                               \
    SIG(REAL, "bool, integers, floats; result the same")                                           \
    SIG(REAL_I8, "integers, floats; bool computed as int8")                                        \
    SIG(FLOAT, "floats; integers become the smallest float that holds them")                       \
    SIG(FLOATC, "floats and complex; integers as FLOAT")                                           \
    SIG(DIVIDE, "floats and complex; integers become float64")                                     \
    SIG(COMPARE, "anything promoted; result bool")                                                 \
    SIG(LOGIC, "anything; result bool")                                                            \
    SIG(BITS, "bool and integers; result the same")                                                \
    SIG(SHIFT, "integers; bool computed as int8")                                                  \
    SIG(TEST, "integers, floats, complex; result bool")                                            \
    SIG(TEST_REAL, "floats, integers as FLOAT; result bool")                                       \
    SIG(ABS, "as ARITH; complex gives its real type")                                              \
    SIG(PART, "anything; complex gives its real type")                                             \
    SIG(LDEXP, "a float and an integer; result the float")                                         \
    SIG(FREXP, "a float; result int32")                                                            \
    SIG(COUNT, "integers; result uint8")                                                           \
    SIG(SELECT, "a bool and two operands promoted; result theirs")
typedef enum {
#define SIG(id, doc) SIG_##id,
    GPA_SIGS(SIG)
#undef SIG
        SIG_ROWS
} gpa_sig;

typedef struct {
    const char *id, *name, *doc;
    const char *symbol;  /* the operator that spells it ("+"), or NULL */
    uint8_t arity;
    uint8_t sig;         /* gpa_sig */
    bool composite;
    uint8_t cost;        /* 0 free, 1 an arithmetic instruction, 8 a division, 20 a transcendental function */
    uint8_t identity;    /* gpa_red whose combination this operation is, for ufunc.reduce; RED_COUNT: none */
    const char *text[5]; /* the value expression for kinds B I U F C as text; NULL where the kind has none */
} gpa_op_info;

extern const gpa_op_info op_info[OP_COUNT];

typedef struct {
    const char *id, *name, *doc;
    bool arg;      /* the result is the index of the chosen element */
    bool has_identity;
} gpa_red_info;

extern const gpa_red_info red_info[RED_COUNT];

/* The operation named so ("add"), else OP_COUNT. */
gpa_op op_find(const char *name, size_t n);
gpa_red red_find(const char *name, size_t n);

/* The type an operation computes in and the type of its result, for the promoted operand type `t` (for SELECT and
 * LDEXP that of the values). False when the operation is not defined for it. */
bool op_types(gpa_op op, gpa_dtype t, gpa_dtype *compute, gpa_dtype *result);
/* One element: the value expression compiled as C, for operands of type t (a type op_types gave as `compute`). Half
 * types compute in float and round. b and c are ignored where the arity has none. */
gpa_val op_scalar(gpa_op op, gpa_dtype t, gpa_val a, gpa_val b, gpa_val c);

/* The state a reduction begins with, one step of it, and the combination of two states. A state is two values:
 * the second is the index of an arg reduction and unused otherwise. */
typedef struct {
    gpa_val v;
    int64_t at; /* arg reductions: -1 before the first element */
} gpa_red_state;
gpa_red_state red_start(gpa_red r, gpa_dtype t);
gpa_red_state red_combine(gpa_red r, gpa_dtype t, gpa_red_state a, gpa_red_state b);

#endif
