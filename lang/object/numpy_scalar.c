/* Operators on NumPy scalars: the fast path of the interpreter.
 *
 * Operands are converted to the common dtype by NumPy's rules (NEP 50: Python's numbers are weak),
 * computed in registers, and the result is checked: every operation that may warn (integer
 * overflow, division by zero, a result that is not finite, underflow) is left to the ufunc. */
#include "lang/object/numpy_scalar.h"

#include <float.h>
#include <math.h>

/* Integers of this magnitude or less are exact in float64. */
static const int64_t exact_f64 = INT64_C(1) << 53, exact_f32 = 1 << 24;

static bool is_ordering(ast_op op) { return op >= AST_OP_EQ && op <= AST_OP_GE; }

/* order: -1, 0, 1; 2: unordered. */
static value comparison(ast_op op, int order) {
    bool truth;
    switch ((int)op) {
        case AST_OP_EQ: truth = order == 0; break;
        case AST_OP_NE: truth = order != 0; break;
        case AST_OP_LT: truth = order == -1; break;
        case AST_OP_LE: truth = order == -1 || order == 0; break;
        case AST_OP_GT: truth = order == 1; break;
        default: truth = order == 0 || order == 1; break;
    }
    return (value){.tag = V_NUM, .aux = DT_BOOL, .bits = truth};
}

/* ---- integers ---- */

/* Range of a signed or unsigned integer dtype that an int64 holds: all but uint64. */
typedef struct {
    int64_t least, most;
    unsigned bits;
    bool sign;
} int_range;

static int_range range_of(gpa_dtype t) {
    const bool sign = dtype_info[t].kind == 'I';
    const unsigned bits = 8 * (unsigned)dtype_size(t);
    const int64_t most =
        bits == 64 ? INT64_MAX : (int64_t)((UINT64_C(1) << (sign ? bits - 1 : bits)) - 1);
    return (int_range){sign ? -most - 1 : 0, most, bits, sign};
}

/* The value of an integer scalar (not uint64), a NumPy bool or a Python int or bool. */
static inline int64_t integer_of(value v) {
    if (v.tag != V_NUM || v.aux == DT_I64) return v.i;
    switch (v.aux) {
        case DT_I8: return (int8_t)v.bits;
        case DT_I16: return (int16_t)v.bits;
        case DT_I32: return (int32_t)v.bits;
        case DT_U16: return (uint16_t)v.bits;
        case DT_U32: return (uint32_t)v.bits;
        default: return (uint8_t)v.bits;
    }
}

/* The low bits of r, as an integer of the dtype. */
static int64_t wrap(int_range to, int64_t r) {
    const unsigned unused = 64 - to.bits;
    return to.sign ? (int64_t)((uint64_t)r << unused) >> unused
                   : (int64_t)((uint64_t)r << unused >> unused);
}

/* //, % and **: the ufunc's own function for one element. */
static gpa_val by_function(ast_op op, gpa_dtype t, gpa_val x, gpa_val y) {
    return op_scalar(ast_op_row(op), t, x, y, y);
}

static bool integers(ast_op op, gpa_dtype t, int64_t x, int64_t y, value *out) {
    const int_range to = range_of(t);
    long long r;
    switch ((int)op) {
        case AST_OP_ADD:
            if (__builtin_add_overflow(x, y, &r)) return false;
            break;
        case AST_OP_SUB:
            if (__builtin_sub_overflow(x, y, &r)) return false;
            break;
        case AST_OP_MUL:
            if (__builtin_mul_overflow(x, y, &r)) return false;
            break;
        case AST_OP_FLOORDIV:
            if (y == 0 || (y == -1 && x == to.least)) return false;
            r = x / y - (x % y != 0 && (x ^ y) < 0);
            break;
        case AST_OP_MOD:
            if (y == 0 || (y == -1 && x == to.least)) return false;
            r = x % y;
            r += r != 0 && (r ^ y) < 0 ? y : 0;
            break;
        case AST_OP_POW:
            if (y < 0) return false;
            r = wrap(to, by_function(op, DT_I64, (gpa_val){.I64 = x}, (gpa_val){.I64 = y}).I64);
            break;
        case AST_OP_BITAND: r = x & y; break;
        case AST_OP_BITOR: r = x | y; break;
        case AST_OP_BITXOR: r = x ^ y; break;
        case AST_OP_LSHIFT:
            if ((uint64_t)y >= to.bits) return false;
            r = wrap(to, (int64_t)((uint64_t)x << y));
            break;
        case AST_OP_RSHIFT:
            if ((uint64_t)y >= to.bits) return false;
            r = x >> y;
            break;
        default: return false;
    }
    if (r < to.least || r > to.most) return false;
    *out = (value){.tag = V_NUM, .aux = t, .i = r};
    if (to.bits < 64) out->bits = out->bits << (64 - to.bits) >> (64 - to.bits);
    return true;
}

static bool unsigned_integers(ast_op op, uint64_t x, uint64_t y, value *out) {
    unsigned long long r;
    switch ((int)op) {
        case AST_OP_ADD:
            if (__builtin_add_overflow(x, y, &r)) return false;
            break;
        case AST_OP_SUB:
            if (__builtin_sub_overflow(x, y, &r)) return false;
            break;
        case AST_OP_MUL:
            if (__builtin_mul_overflow(x, y, &r)) return false;
            break;
        case AST_OP_FLOORDIV:
            if (y == 0) return false;
            r = x / y;
            break;
        case AST_OP_MOD:
            if (y == 0) return false;
            r = x % y;
            break;
        case AST_OP_POW:
            r = by_function(op, DT_U64, (gpa_val){.U64 = x}, (gpa_val){.U64 = y}).U64;
            break;
        case AST_OP_BITAND: r = x & y; break;
        case AST_OP_BITOR: r = x | y; break;
        case AST_OP_BITXOR: r = x ^ y; break;
        case AST_OP_LSHIFT:
            if (y >= 64) return false;
            r = x << y;
            break;
        case AST_OP_RSHIFT:
            if (y >= 64) return false;
            r = x >> y;
            break;
        default: return false;
    }
    *out = (value){.tag = V_NUM, .aux = DT_U64, .bits = r};
    return true;
}

/* Two NumPy bool_scalars: only the operators that give bool_scalars. */
static bool bool_scalars(ast_op op, bool x, bool y, value *out) {
    bool r;
    switch ((int)op) {
        case AST_OP_BITAND: r = x && y; break;
        case AST_OP_BITOR: r = x || y; break;
        case AST_OP_BITXOR: r = x != y; break;
        default: return false;
    }
    *out = (value){.tag = V_NUM, .aux = DT_BOOL, .bits = r};
    return true;
}

/* ---- floats ---- */

/* True if a result cannot have raised a floating-point flag but "inexact". `zero`: an exact zero is
 * a possible result. */
static bool is_quiet(double r, double least, bool zero) {
    return (isfinite(r) && fabs(r) >= least) || (r == 0 && zero);
}

static bool is_exact_zero(ast_op op, double x, double y) {
    return op == AST_OP_ADD || op == AST_OP_SUB || op == AST_OP_FLOORDIV || op == AST_OP_MOD ||
           x == 0 || (op == AST_OP_MUL && y == 0);
}

#define NAME doubles
#define T double
#define DTYPE F64
#define SMALLEST_NORMAL DBL_MIN
#include "lang/object/numpy_scalar_op.inc"
#define NAME singles
#define T float
#define DTYPE F32
#define SMALLEST_NORMAL FLT_MIN
#include "lang/object/numpy_scalar_op.inc"

/* float16 and bfloat16 compute in float32 and round. */
static bool half_scalars(ast_op op, gpa_dtype t, gpa_val x, gpa_val y, value *out) {
    const double a = dtype_cast(x, t, DT_F64).F64, b = dtype_cast(y, t, DT_F64).F64;
    if (is_ordering(op)) {
        *out = comparison(op, isunordered(a, b) ? 2 : a < b ? -1 : a > b);
        return true;
    }
    const bool divides = op == AST_OP_DIV || op == AST_OP_FLOORDIV || op == AST_OP_MOD;
    if (op < AST_OP_ADD || op > AST_OP_POW || (divides && b == 0)) return false;
    const gpa_val r = by_function(op, t, x, y);
    *out = (value){.tag = V_NUM, .aux = t, .bits = r.bits[0] & 0xFFFF};
    return is_quiet(dtype_cast(r, t, DT_F64).F64, 6.103515625e-05, is_exact_zero(op, a, b));
}

/* ---- conversion to the common dtype ---- */

typedef enum { KIND_NONE, KIND_INTEGER, KIND_U64, KIND_F32, KIND_F64, KIND_HALF } operand_kind;

static operand_kind kind_of(value v) {
    if (v.tag == V_INT || v.tag == V_BOOL) return KIND_INTEGER;
    if (v.tag == V_FLOAT) return KIND_F64;
    if (v.tag != V_NUM) return KIND_NONE;
    switch (v.aux) {
        case DT_F64: return KIND_F64;
        case DT_F32: return KIND_F32;
        case DT_U64: return KIND_U64;
        case DT_F16:
        case DT_BF16: return KIND_HALF;
        default:
            return v.aux == DT_BOOL || dtype_is_int((gpa_dtype)v.aux) ? KIND_INTEGER : KIND_NONE;
    }
}

static float f32_of(value v) {
    float x;
    memcpy(&x, &v.bits, sizeof x);
    return x;
}

/* The operand as a float64; false if it is an integer that rounds. */
static bool to_double(value v, operand_kind k, double *x) {
    if (k == KIND_U64) {
        *x = (double)v.bits;
        return v.bits <= (uint64_t)exact_f64;
    }
    *x = k == KIND_F64 ? v.f : k == KIND_F32 ? (double)f32_of(v) : (double)integer_of(v);
    return k == KIND_F64 || k == KIND_F32 ||
           (k == KIND_INTEGER && integer_of(v) <= exact_f64 && integer_of(v) >= -exact_f64);
}

/* True if the operand enters a float32 computation without widening it: a float32, a weak number
 * or an integer of at most 16 bits. */
static bool to_single(value v, operand_kind k, float *x) {
    const bool narrow = v.tag != V_NUM || dtype_size((gpa_dtype)v.aux) <= 2;
    if (k == KIND_F32) {
        *x = f32_of(v);
        return true;
    }
    if (v.tag == V_FLOAT) {
        *x = (float)v.f;
        return isfinite(*x) || !isfinite(v.f);
    }
    *x = (float)integer_of(v);
    return k == KIND_INTEGER && narrow && integer_of(v) <= exact_f32 && integer_of(v) >= -exact_f32;
}

static bool in_floats(ast_op op, value a, value b, operand_kind ka, operand_kind kb, value *out) {
    double x, y;
    float s, t;
    if ((ka == KIND_F32 || kb == KIND_F32) && to_single(a, ka, &s) && to_single(b, kb, &t)) {
        if (!is_ordering(op)) return singles(op, s, t, out);
        *out = comparison(op, isunordered(s, t) ? 2 : s < t ? -1 : s > t);
        return true;
    }
    if (ka == KIND_F32 && b.tag == V_FLOAT) return false; /* the float32 nearest to it overflows */
    if (kb == KIND_F32 && a.tag == V_FLOAT) return false;
    if ((ka == KIND_F32 && b.tag != V_NUM) || (kb == KIND_F32 && a.tag != V_NUM)) return false;
    if (!to_double(a, ka, &x) || !to_double(b, kb, &y)) return false;
    if (!is_ordering(op)) return doubles(op, x, y, out);
    *out = comparison(op, isunordered(x, y) ? 2 : x < y ? -1 : x > y);
    return true;
}

/* The common dtype of two integers, at least one of them NumPy's; DT_NONE: a Python int beyond the
 * dtype, or next to a bool. */
static gpa_dtype common_dtype(value a, value b) {
    if (a.tag == V_NUM && b.tag == V_NUM)
        return a.aux == b.aux ? (gpa_dtype)a.aux
                              : dtype_promote((gpa_dtype)a.aux, (gpa_dtype)b.aux);
    const value strong = a.tag == V_NUM ? a : b, weak = a.tag == V_NUM ? b : a;
    const gpa_dtype t = (gpa_dtype)strong.aux;
    if (t == DT_BOOL) return weak.tag == V_BOOL ? t : DT_NONE;
    if (t == DT_U64) return weak.i >= 0 ? t : DT_NONE;
    const int_range to = range_of(t);
    return weak.i < to.least || weak.i > to.most ? DT_NONE : t;
}

/* A half-type scalar with another one of its dtype, or with a Python float that it can hold. */
static bool half_operands(ast_op op, value a, value b, value *out) {
    const gpa_dtype t = (gpa_dtype)(a.tag == V_NUM ? a.aux : b.aux);
    gpa_val x[2];
    for (int k = 0; k < 2; k++) {
        const value v = k ? b : a;
        if (v.tag != V_FLOAT && (v.tag != V_NUM || v.aux != t)) return false;
        x[k] = v.tag == V_NUM ? (gpa_val){.bits = {v.bits, 0}}
                              : dtype_cast((gpa_val){.F64 = v.f}, DT_F64, t);
        if (v.tag == V_FLOAT && !isfinite(dtype_cast(x[k], t, DT_F64).F64)) return false;
    }
    return half_scalars(op, t, x[0], x[1], out);
}

static bool quotient(value a, value b, value *out) {
    double x, y;
    return to_double(a, kind_of(a), &x) && to_double(b, kind_of(b), &y) &&
           doubles(AST_OP_DIV, x, y, out);
}

static bool in_integers(ast_op op, value a, value b, operand_kind ka, operand_kind kb, value *out) {
    const gpa_dtype t = common_dtype(a, b);
    if (op == AST_OP_DIV) return (t == DT_BOOL || t == DT_NONE) ? false : quotient(a, b, out);
    if (ka == KIND_INTEGER && kb == KIND_INTEGER && is_ordering(op)) {
        const int64_t x = integer_of(a), y = integer_of(b);
        *out = comparison(op, x < y ? -1 : x > y);
        return true;
    }
    if (t == DT_BOOL) return bool_scalars(op, integer_of(a) != 0, integer_of(b) != 0, out);
    if (t == DT_U64) {
        const uint64_t x = ka == KIND_U64 ? a.bits : (uint64_t)integer_of(a);
        const uint64_t y = kb == KIND_U64 ? b.bits : (uint64_t)integer_of(b);
        if (!is_ordering(op)) return unsigned_integers(op, x, y, out);
        *out = comparison(op, x < y ? -1 : x > y);
        return true;
    }
    return t != DT_NONE && dtype_is_int(t) && integers(op, t, integer_of(a), integer_of(b), out);
}

bool numpy_scalar_binary(ast_op op, value a, value b, value *out) {
    if (a.tag != V_NUM && b.tag != V_NUM) return false;
    const operand_kind ka = kind_of(a), kb = kind_of(b);
    if (ka == KIND_NONE || kb == KIND_NONE) return false;
    if (ka <= KIND_U64 && kb <= KIND_U64) return in_integers(op, a, b, ka, kb, out);
    if (ka == KIND_HALF || kb == KIND_HALF) return half_operands(op, a, b, out);
    return in_floats(op, a, b, ka, kb, out);
}

bool numpy_scalar_unary(ast_op op, value a, value *out) {
    const operand_kind k = kind_of(a);
    if (a.tag != V_NUM || k == KIND_NONE) return false;
    *out = a;
    if (dtype_is_float((gpa_dtype)a.aux)) {
        if (op == AST_OP_INVERT) return false;
        if (op == AST_OP_NEG) out->bits ^= UINT64_C(1) << (8 * dtype_size((gpa_dtype)a.aux) - 1);
        return true;
    }
    if (a.aux == DT_BOOL) {
        out->bits = !a.bits;
        return op == AST_OP_INVERT;
    }
    if (op == AST_OP_POS) return true;
    const unsigned unused = 64 - 8 * (unsigned)dtype_size((gpa_dtype)a.aux);
    if (op == AST_OP_INVERT) {
        out->bits = ~a.bits << unused >> unused;
        return true;
    }
    const int_range r = range_of((gpa_dtype)a.aux);
    if (!r.sign || integer_of(a) == r.least) return false;
    out->bits = (uint64_t)-integer_of(a) << unused >> unused;
    return true;
}

bool numpy_scalar_absolute(value a, value *out) {
    const operand_kind k = kind_of(a);
    if (a.tag != V_NUM || k == KIND_NONE) return false;
    *out = a;
    if (dtype_is_float((gpa_dtype)a.aux)) {
        out->bits &= ~(UINT64_C(1) << (8 * dtype_size((gpa_dtype)a.aux) - 1));
        return true;
    }
    return k == KIND_U64 || integer_of(a) >= 0 || numpy_scalar_unary(AST_OP_NEG, a, out);
}

bool numpy_scalar_truth(value v, bool *out) {
    const operand_kind k = kind_of(v);
    if (v.tag != V_NUM || k == KIND_NONE) return false;
    const bool is_float = dtype_is_float((gpa_dtype)v.aux);
    const unsigned sign = 8 * (unsigned)dtype_size((gpa_dtype)v.aux) - 1;
    *out = is_float ? (v.bits & ~(UINT64_C(1) << sign)) != 0 : v.bits != 0; /* -0.0 is false */
    return true;
}
