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

#if defined __x86_64__ && defined __gnu_linux__ && !defined __SANITIZE_ADDRESS__
#ifdef __clang__
#define REGISTERS __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,fma")))
#else
#define REGISTERS                                                                            \
    __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,fma,prefer-vector-width=512"), \
                   optimize("O3", "no-trapping-math")))
#endif
static bool has_registers(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}
#else
#define REGISTERS
static bool has_registers(void) { return false; }
#endif

/* ---- floats ---- */

#define LARGEST 0x1p53

/* The remainder of a[i] by b[i] with the sign of a[i], as `r`. Increments `slow` if the scalar
 * function must compute it. */
#define REMAINDER(T)                                                                   \
    double x = fabs((double)a[i]), y = fabs((double)b[i]), q = __builtin_trunc(x / y); \
    double rest = __builtin_fma(-q, y, x), more = rest + y;                            \
    slow += !(q < LARGEST) | !(y < (double)INFINITY);                                  \
    T r = (T)copysign(rest < 0 ? more : rest, (double)a[i])

/* PYTHON: with the divisor's sign. */
#define REMAINDERS(name, T, PYTHON)                                                              \
    REGISTERS static bool name(const T *restrict a, const T *restrict b, T *restrict out,        \
                               uint64_t n) {                                                     \
        int64_t slow = 0;                                                                        \
        for (uint64_t i = 0; i < n; i++) {                                                       \
            REMAINDER(T);                                                                        \
            T moved = r + b[i];                                                                  \
            if (PYTHON)                                                                          \
                r = r == 0 ? (T)copysign(0.0, (double)b[i]) : (b[i] < 0) != (r < 0) ? moved : r; \
            out[i] = r;                                                                          \
        }                                                                                        \
        return !slow;                                                                            \
    }
REMAINDERS(python_f64, double, true)
REMAINDERS(python_f32, float, true)
REMAINDERS(c_f64, double, false)
REMAINDERS(c_f32, float, false)

/* (a - r) / b is an integer except for rounding, which may also have made it slightly smaller. */
#define FLOORS(name, T)                                                                   \
    REGISTERS static bool name(const T *restrict a, const T *restrict b, T *restrict out, \
                               uint64_t n) {                                              \
        int64_t slow = 0;                                                                 \
        for (uint64_t i = 0; i < n; i++) {                                                \
            REMAINDER(T);                                                                 \
            T whole = (a[i] - r) / b[i], less = whole - 1;                                \
            bool apart = (r != 0) & ((b[i] < 0) != (r < 0));                              \
            whole = apart ? less : whole;                                                 \
            T low = (T)__builtin_floor((double)whole), high = low + 1;                    \
            T zero = (T)(copysign(0.0, (double)a[i]) * copysign(1.0, (double)b[i]));      \
            out[i] = whole == 0 ? zero : whole - low > (T)0.5 ? high : low;               \
        }                                                                                 \
        return !slow;                                                                     \
    }
FLOORS(floor_f64, double)
FLOORS(floor_f32, float)

/* ---- integers ---- */

enum { GROUP = 16 };

/* T; the unsigned type U of at least 32 bits that computes it; a float of the same size, whose
 * exponent gives the position of a bit. */
#define INTEGERS(t, T, U, F, DIGITS, BIAS, BELOW_0)                                            \
    REGISTERS static bool power_##t(const T *restrict a, const T *restrict b, T *restrict out, \
                                    uint64_t n) {                                              \
        for (uint64_t i = 0; i < n; i += GROUP) {                                              \
            U x[GROUP], k[GROUP], r[GROUP], more = 0, negative = 0;                            \
            GPA_NO_UNROLL for (unsigned j = 0; j < GROUP; j++) {                               \
                x[j] = (U)a[i + j], k[j] = (U)b[i + j], r[j] = 1;                              \
                more |= k[j], negative |= (U)BELOW_0(b[i + j]);                                \
            }                                                                                  \
            if (negative) return false;                                                        \
            for (; more; more >>= 1) GPA_NO_UNROLL for (unsigned j = 0; j < GROUP; j++) {      \
                    U product = r[j] * x[j];                                                   \
                    r[j] = k[j] & 1 ? product : r[j];                                          \
                    x[j] *= x[j], k[j] >>= 1;                                                  \
                }                                                                              \
            GPA_NO_UNROLL for (unsigned j = 0; j < GROUP; j++) out[i + j] = (T)r[j];           \
        }                                                                                      \
        return true;                                                                           \
    }                                                                                          \
    static inline U twos_##t(U x) {                                                            \
        F lowest = (F)(x & (0 - x));                                                           \
        U bits;                                                                                \
        memcpy(&bits, &lowest, sizeof bits);                                                   \
        return ((bits >> DIGITS) - BIAS) & (sizeof(U) * 8 - 1);                                \
    }                                                                                          \
    REGISTERS static bool gcd_##t(const T *restrict a, const T *restrict b, T *restrict out,   \
                                  uint64_t n) {                                                \
        for (uint64_t i = 0; i < n; i += GROUP) {                                              \
            U x[GROUP], y[GROUP], common[GROUP], none[GROUP], more = 0;                        \
            GPA_NO_UNROLL for (unsigned j = 0; j < GROUP; j++) {                               \
                U u = (U)a[i + j], v = (U)b[i + j];                                            \
                u = BELOW_0(a[i + j]) ? 0 - u : u, v = BELOW_0(b[i + j]) ? 0 - v : v;          \
                none[j] = u == 0 || v == 0 ? u | v : 0;                                        \
                common[j] = twos_##t(u | v);                                                   \
                x[j] = u >> twos_##t(u), y[j] = u == 0 ? 0 : v;                                \
                more |= y[j];                                                                  \
            }                                                                                  \
            while (more) {                                                                     \
                more = 0;                                                                      \
                GPA_NO_UNROLL for (unsigned j = 0; j < GROUP; j++) {                           \
                    U u = x[j], v = y[j] >> twos_##t(y[j]), there = 0 - (U)(v != 0);           \
                    U low = v < u ? v : u, high = v < u ? u : v;                               \
                    x[j] = (low & there) | (u & ~there), y[j] = (high - low) & there;          \
                    more |= y[j];                                                              \
                }                                                                              \
            }                                                                                  \
            GPA_NO_UNROLL for (unsigned j = 0; j < GROUP; j++) out[i + j] =                    \
                (T)(none[j] ? none[j] : x[j] << common[j]);                                    \
        }                                                                                      \
        return true;                                                                           \
    }
#define NEGATIVE(x) ((x) < 0)
#define NEVER(x) false
#define NARROW(t, T, BELOW_0) INTEGERS(t, T, uint32_t, float, 23, 127, BELOW_0)
#define LONG(t, T, BELOW_0) INTEGERS(t, T, uint64_t, double, 52, 1023, BELOW_0)
NARROW(i8, int8_t, NEGATIVE)
NARROW(u8, uint8_t, NEVER)
NARROW(i16, int16_t, NEGATIVE)
NARROW(u16, uint16_t, NEVER)
NARROW(i32, int32_t, NEGATIVE)
NARROW(u32, uint32_t, NEVER)
LONG(i64, int64_t, NEGATIVE)
LONG(u64, uint64_t, NEVER)

/* ---- all ---- */

bool op_lanes_can(gpa_op op, gpa_dtype t) {
    if (!has_registers()) return false;
    if (op == OP_POWER || op == OP_GCD) return dtype_is_int(t);
    return (op == OP_REMAINDER || op == OP_FMOD || op == OP_FLOOR_DIVIDE) &&
           (t == DT_F64 || t == DT_F32);
}

bool op_lanes_run(gpa_op op, gpa_dtype t, const void *a, const void *b, void *out, uint64_t n) {
    if (t == DT_F64)
        return (op == OP_REMAINDER ? python_f64 : op == OP_FMOD ? c_f64 : floor_f64)(a, b, out, n);
    if (t == DT_F32)
        return (op == OP_REMAINDER ? python_f32 : op == OP_FMOD ? c_f32 : floor_f32)(a, b, out, n);
    if (n % GROUP) return false;
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
