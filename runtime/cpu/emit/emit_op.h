/* Code generation for elementwise operations: what emit_op.c and its parts share.
 *
 * emit_op.c       the switch over op.def; arithmetic, comparison, complex numbers
 * emit_op_call.c  calls of a row's C function: the fallback of all others
 * emit_divide.c   division of integers */
#ifndef GPA_CPU_EMIT_EMIT_OP_H
#define GPA_CPU_EMIT_EMIT_OP_H

#include "runtime/cpu/emit/ll.h"

/* One operation being emitted: the row of op.def, the types it computes in and returns, operands of
 * equal shape. */
typedef struct {
    gpa_op op;
    gpa_dtype t, to;
    char kind; /* of t */
    ll_val a, b, c;
    V one_b; /* b as a scalar if it is uniform; else NULL */
} ll_row;

static inline ll_val ll_result(const ll_row *r, V v) {
    return (ll_val){v, NULL, (uint8_t)r->to, r->a.vec};
}

/* ---- emit_op.c ---- */

/* An instruction of two operands; contracts floating-point products and sums where E allows it. */
V ll_binary(ll *E, LLVMOpcode code, V a, V b);
/* The absolute value of integers of the row's type; unsigned ones are their own. */
V ll_int_size(ll *E, const ll_row *r, V v);

/* ---- emit_op_call.c ---- */

/* Calls the row's C function lane by lane, or its vectorized C implementation (op_lanes.h). */
ll_val ll_by_function(ll *E, const ll_row *r);
/* A function of complex numbers: vectorized, with the C function for lanes in which the vector code
 * does not apply. */
ll_val ll_complex_row(ll *E, const ll_row *r);

/* ---- emit_divide.c ---- */

typedef enum { DIV_FLOOR, DIV_MOD, DIV_REM } ll_division_kind;

/* Python's // and % and C's %. Division of integers by 0 gives 0; the minimum divided by -1 wraps.
 */
ll_val ll_division(ll *E, const ll_row *r, ll_division_kind what);
/* Least common multiple |a| / gcd * |b|, which wraps on overflow. */
ll_val ll_lcm(ll *E, const ll_row *r);

#endif
