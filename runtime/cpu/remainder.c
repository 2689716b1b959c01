/* Remainders of floats, several at a time.
 *
 * The quotient rounds to nearest, so what is cut off it is the true one or, where it rounded up to a whole number, one more: never
 * less. While it is below 2^53, a - q b is a whole number of the last places of b and below b in size, so that one fused operation
 * has it without rounding, and adding b once, where it came out negative, has none either. Floats are computed as doubles. Larger
 * quotients, infinities, NaN and divisors of 0 are left to the operation's own function. */
#include "runtime/cpu/remainder.h"

#include <math.h>

#if defined __x86_64__ && defined __gnu_linux__ && !defined __SANITIZE_ADDRESS__
#ifdef __clang__
#define REGISTERS __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,fma")))
#else
#define REGISTERS __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,fma"), optimize("O3", "no-trapping-math")))
#endif
static bool has_registers(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}
#else
#define REGISTERS
static bool has_registers(void) { return false; }
#endif

#define LARGEST 0x1p53

/* PYTHON: with the divisor's sign. */
#define LANES(name, T, PYTHON)                                                                          \
    REGISTERS static bool name(const T *a, const T *b, T *out, uint64_t n) {                             \
        int64_t slow = 0;                                                                                \
        for (uint64_t i = 0; i < n; i++) {                                                               \
            double x = fabs((double)a[i]), y = fabs((double)b[i]), q = __builtin_trunc(x / y);           \
            double rest = __builtin_fma(-q, y, x), more = rest + y;                                      \
            slow += !(q < LARGEST) | !(y < (double)INFINITY);                                            \
            rest = copysign(rest < 0 ? more : rest, (double)a[i]);                                       \
            T r = (T)rest, moved = r + b[i];                                                             \
            if (PYTHON) r = r == 0 ? (T)copysign(0.0, (double)b[i]) : (b[i] < 0) != (r < 0) ? moved : r; \
            out[i] = r;                                                                                  \
        }                                                                                                \
        return !slow;                                                                                    \
    }
LANES(python_f64, double, true)
LANES(python_f32, float, true)
LANES(c_f64, double, false)
LANES(c_f32, float, false)

bool remainder_can(gpa_op op, gpa_dtype t) {
    return (op == OP_REMAINDER || op == OP_FMOD) && (t == DT_F64 || t == DT_F32) && has_registers();
}

bool remainder_lanes(gpa_op op, gpa_dtype t, const void *a, const void *b, void *out, uint64_t n) {
    if (t == DT_F64) return (op == OP_REMAINDER ? python_f64 : c_f64)(a, b, out, n);
    return (op == OP_REMAINDER ? python_f32 : c_f32)(a, b, out, n);
}
