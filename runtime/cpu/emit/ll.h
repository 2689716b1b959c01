/* Values of kir in LLVM IR: the emitter's state, and operations on values.
 *
 * Code is emitted as vectors from the start: `lanes` adjacent points at a time. A value is a
 * vector (one element per lane) or uniform (a scalar, the same for every lane). Its
 * representation:
 *
 *   bool         i1
 *   half types   float, always exactly representable in the half type
 *   complex      two values, v and im
 *   others       their own LLVM type */
#ifndef GPA_CPU_EMIT_LL_H
#define GPA_CPU_EMIT_LL_H

#include "runtime/cpu/emit/target.h"
#include "runtime/ir/kir.h"

typedef LLVMValueRef V;

typedef struct {
    V v, im; /* v NULL: no value */
    uint8_t t;
    bool vec;
} ll_val;

typedef struct {
    cpu_target *target;
    const cpu_target_info *host;
    LLVMContextRef ctx;
    LLVMModuleRef mod;
    LLVMBuilderRef b, slots; /* `slots` allocates stack slots, at the start of the function */
    V fn;
    unsigned lanes;
    bool contract; /* a * b + c may be contracted to a fused multiply-add */
    bool divides;  /* an operation may create basic blocks */
    gpa_code rc;   /* the first failure; emission continues with undefined values */
    gpa_err *err;
} ll;

/* ---- ll.c: types, constants, shapes of values ---- */

LLVMTypeRef ll_i(ll *E, unsigned bits);
LLVMTypeRef ll_ptr(ll *E);
/* The LLVM type of a value of dtype t (of one part of a complex one): of one lane, or of all. */
LLVMTypeRef ll_elem(ll *E, gpa_dtype t);
LLVMTypeRef ll_type(ll *E, gpa_dtype t, bool vec);
/* The LLVM type of an element in memory (of one part of a complex one). */
LLVMTypeRef ll_memory(ll *E, gpa_dtype t);
/* Constants of the type of `like`, which may be a vector. */
V ll_int_like(ll *E, V like, int64_t n);
V ll_real_like(ll *E, V like, double x);
V ll_i64(ll *E, int64_t n);
/* The constant as a uniform value. */
ll_val ll_const(ll *E, gpa_dtype t, gpa_val v);
/* Allocates a stack slot of the type, in the function's entry block. */
V ll_slot(ll *E, LLVMTypeRef type, const char *name);
/* Broadcasts the scalar, or the value, to a vector of all lanes. */
V ll_spread(ll *E, V scalar);
ll_val ll_vector(ll *E, ll_val a);
/* Lanes [at, at + n) of a vector; the concatenation of two vectors, the second one not wider than
 * the first. */
V ll_slice(ll *E, V v, unsigned at, unsigned n);
V ll_join(ll *E, V lo, V hi);
/* Interleaves: a0 b0 a1 b1 ...; and the inverse, every second lane from `first` on. */
V ll_interleave(ll *E, V a, V b);
V ll_every_second(ll *E, V v, unsigned first);
/* Transposes n vectors of n lanes: v[i][j] becomes v[j][i]. */
void ll_transpose(ll *E, V *v, unsigned n);
/* Reverses the lanes. */
V ll_backwards(ll *E, V v);
ll_val ll_val_backwards(ll *E, ll_val a);
unsigned ll_width(V v); /* lanes of a vector, 1 for a scalar */
V ll_select(ll *E, V cond, V a, V b);
ll_val ll_choose(ll *E, V cond, ll_val a, ll_val b);
/* The vector 0, 1, 2 ... of an integer type. */
V ll_ramp(ll *E, LLVMTypeRef one);
/* Calls an overloaded intrinsic ("llvm.sqrt") on operands of one type. */
V ll_intrinsic(ll *E, const char *name, V *args, unsigned n);
/* The same for one that is overloaded on the given types. */
V ll_intrinsic_of(ll *E, const char *name, LLVMTypeRef *types, unsigned n_types, V *args,
                  unsigned n);
/* The external symbol of a C function, which is linked by its name. */
V ll_function(ll *E, const char *name, void *address, LLVMTypeRef type);
/* Calls a C function, defined in compiled code under this name. */
V ll_call(ll *E, const char *name, void *address, LLVMTypeRef result, V *args, unsigned n);

/* ---- emit_op.c, emit_cast.c ---- */

/* A row of op.def on operands. */
typedef struct {
    gpa_op op;
    gpa_dtype t, to; /* the type it computes in, that of its result */
    ll_val a, b, c;
} ll_operation;

ll_val ll_op(ll *E, const ll_operation *o);
/* True if b replaces a as the maximum (`most`) or minimum: it is greater (less), or the first
 * NaN. */
V ll_beats(ll *E, bool most, ll_val b, ll_val a);
ll_val ll_cast(ll *E, gpa_dtype to, ll_val a);
/* Rounds a float to the half type t; other types are unchanged. */
V ll_round(ll *E, gpa_dtype t, V v);
/* Converts a value (one part of a complex one) to its memory format, and back. */
V ll_to_memory(ll *E, gpa_dtype t, V v);
V ll_from_memory(ll *E, gpa_dtype t, V v);

/* ---- emit_complex.c ---- */

/* Row op on vectors of complex numbers (b: second operand of a power): *out is valid in the
 * lanes *holds, in all lanes if that is NULL. False: there is no vector implementation. */
bool ll_complex(ll *E, gpa_op op, ll_val a, ll_val b, ll_val *out, V *holds);

/* The absolute value of complex vectors, without overflow. */
V ll_modulus(ll *E, ll_val a);

/* ---- emit_float.c: scalars and vectors of float or double ---- */

/* The fractional part, with the operand's sign. */
V ll_fraction(ll *E, V a);
/* a = mantissa * 2^exponent, |mantissa| in [0.5, 1); the exponent is an integer of a's width. */
void ll_split(ll *E, V a, V *mantissa, V *exponent);
/* a * 2^n, rounded once; n has 64 bits. */
V ll_scaled(ll *E, V a, V n);
/* The number of dtype t next to a in the direction of `to` (nextafter). */
V ll_next(ll *E, gpa_dtype t, V a, V to);
/* The distance of a to the adjacent number away from 0, for float16 to the next larger one; NaN
 * for infinities. */
V ll_spacing(ll *E, gpa_dtype t, V a);
/* log(exp(x) + exp(y)) (logaddexp), or the same to base 2; NULL if a required function is
 * missing. */
V ll_sum_of_exponentials(ll *E, V x, V y, bool of_2);

/* ---- vecmath.c ---- */

/* The libm function of this name on one or two operands; NULL if there is no vector variant and
 * the operands are vectors. */
V ll_libm(ll *E, const char *name, V *args, unsigned n);

#endif
