/* Vectorized float remainders and floor division, integer powers and greatest common divisors:
 * op_lanes.h.
 *
 * Floats: the quotient is rounded to nearest, so its truncation is the true one or one more, never
 * less. While it is below 2^53, a - q b is a multiple of b's last place and below b in magnitude:
 * one fused multiply-add computes it exactly, and adding b once, where it came out negative, is
 * exact too. Floats are computed as doubles. Larger quotients, infinities, NaN and divisors of 0
 * are left to the operation's scalar function.
 *
 * Integers: all lanes iterate until the last one is done. Powers by repeated squaring; greatest
 * common divisors by Stein's binary algorithm, which needs no division. */
#include "runtime/cpu/emit/op_lanes.h"

#include <math.h>
#include <string.h>

#include "runtime/base/simd_clones.h"

/* REGISTERS: before functions whose loops are compiled for AVX-512. */
#if defined __x86_64__ && defined __gnu_linux__ && !defined __SANITIZE_ADDRESS__
#ifdef __clang__
#define REGISTERS __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,fma")))
#else
#define REGISTERS                                                                            \
    __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,fma,prefer-vector-width=512"), \
                   optimize("O3", "no-trapping-math")))
#endif
static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}
#else
#define REGISTERS
static bool has_avx512(void) { return false; }
#endif

/* ---- floats ---- */

#define REGISTERS_INLINE REGISTERS static inline __attribute__((always_inline))
#define EXACT_QUOTIENT_LIMIT 0x1p53

#define T double
#define NAME(x) x##_f64
#include "runtime/cpu/emit/op_lanes_float.inc"
#define T float
#define NAME(x) x##_f32
#include "runtime/cpu/emit/op_lanes_float.inc"

/* ---- integers ---- */

enum { GROUP_LANES = 16 };

/* The number of trailing zero bits of x, from the exponent of its lowest set bit as a float: vector
 * units convert integers, but do not count zeros. */
static inline uint32_t trailing_zeros_32(uint32_t x) {
    float lowest = (float)(x & (0 - x));
    uint32_t bits;
    memcpy(&bits, &lowest, sizeof bits);
    return ((bits >> 23) - 127) & 31;
}

static inline uint64_t trailing_zeros_64(uint64_t x) {
    double lowest = (double)(x & (0 - x));
    uint64_t bits;
    memcpy(&bits, &lowest, sizeof bits);
    return ((bits >> 52) - 1023) & 63;
}

#define NEGATIVE(x) ((x) < 0)
#define NEVER(x) false
#define T int8_t
#define U uint32_t
#define TRAILING_ZEROS trailing_zeros_32
#define IS_NEGATIVE NEGATIVE
#define NAME(x) x##_i8
#include "runtime/cpu/emit/op_lanes_int.inc"
#define T uint8_t
#define U uint32_t
#define TRAILING_ZEROS trailing_zeros_32
#define IS_NEGATIVE NEVER
#define NAME(x) x##_u8
#include "runtime/cpu/emit/op_lanes_int.inc"
#define T int16_t
#define U uint32_t
#define TRAILING_ZEROS trailing_zeros_32
#define IS_NEGATIVE NEGATIVE
#define NAME(x) x##_i16
#include "runtime/cpu/emit/op_lanes_int.inc"
#define T uint16_t
#define U uint32_t
#define TRAILING_ZEROS trailing_zeros_32
#define IS_NEGATIVE NEVER
#define NAME(x) x##_u16
#include "runtime/cpu/emit/op_lanes_int.inc"
#define T int32_t
#define U uint32_t
#define TRAILING_ZEROS trailing_zeros_32
#define IS_NEGATIVE NEGATIVE
#define NAME(x) x##_i32
#include "runtime/cpu/emit/op_lanes_int.inc"
#define T uint32_t
#define U uint32_t
#define TRAILING_ZEROS trailing_zeros_32
#define IS_NEGATIVE NEVER
#define NAME(x) x##_u32
#include "runtime/cpu/emit/op_lanes_int.inc"
#define T int64_t
#define U uint64_t
#define TRAILING_ZEROS trailing_zeros_64
#define IS_NEGATIVE NEGATIVE
#define NAME(x) x##_i64
#include "runtime/cpu/emit/op_lanes_int.inc"
#define T uint64_t
#define U uint64_t
#define TRAILING_ZEROS trailing_zeros_64
#define IS_NEGATIVE NEVER
#define NAME(x) x##_u64
#include "runtime/cpu/emit/op_lanes_int.inc"

/* ---- calls ---- */

bool op_lanes_can(gpa_op op, gpa_dtype t) {
    if (!has_avx512()) return false;
    if (op == OP_POWER || op == OP_GCD) return dtype_is_int(t);
    return (op == OP_REMAINDER || op == OP_FMOD || op == OP_FLOOR_DIVIDE) &&
           (t == DT_F64 || t == DT_F32);
}

bool op_lanes_run(gpa_op op, gpa_dtype t, const void *a, const void *b, void *out, uint64_t n) {
    if (t == DT_F64)
        return (op == OP_REMAINDER ? remainder_f64
                : op == OP_FMOD    ? fmod_f64
                                   : floor_divide_f64)(a, b, out, n);
    if (t == DT_F32)
        return (op == OP_REMAINDER ? remainder_f32
                : op == OP_FMOD    ? fmod_f32
                                   : floor_divide_f32)(a, b, out, n);
    if (n % GROUP_LANES) return false;
    switch ((int)t) {
        case DT_I8: return (op == OP_GCD ? gcd_i8 : power_i8)(a, b, out, n);
        case DT_U8: return (op == OP_GCD ? gcd_u8 : power_u8)(a, b, out, n);
        case DT_I16: return (op == OP_GCD ? gcd_i16 : power_i16)(a, b, out, n);
        case DT_U16: return (op == OP_GCD ? gcd_u16 : power_u16)(a, b, out, n);
        case DT_I32: return (op == OP_GCD ? gcd_i32 : power_i32)(a, b, out, n);
        case DT_U32: return (op == OP_GCD ? gcd_u32 : power_u32)(a, b, out, n);
        case DT_I64: return (op == OP_GCD ? gcd_i64 : power_i64)(a, b, out, n);
        case DT_U64: return (op == OP_GCD ? gcd_u64 : power_u64)(a, b, out, n);
    }
    return false;
}
