/* The value functions of the floats; the halves compute in float. See op_eval.inc. */
#include <float.h>
#include <stdint.h>
#include <tgmath.h>
#undef I

#include "runtime/op_eval.h"

#define MEMBER(p) MEMBER_OF(p, ID)
#define MEMBER_OF(p, dt) MEMBER_PASTE(p, dt)
#define MEMBER_PASTE(p, dt) (p)->dt
#define COLUMN(DO, B, I, U, F, C, ...) DO(F, F, __VA_ARGS__)
#define LOWEST (-INFINITY)
#define HIGHEST INFINITY

#define HELP_I(...)
#define HELP_F(name, ret, params, ...) static inline ret H(name) params __VA_ARGS__
#define HELP_C(...)
#define ID F16
#define T float
#define CT gpa_c64
#define DIGITS 11
#define TINY -24
#define LARGEST 65504.0f
#define GET(p) half_to_float(MEMBER(p))
#define PUT(o, v) MEMBER(o) = half_from_float((T)(v))
#define PUT_REAL(o, v) PUT(o, v)
#define PUT_JOIN(o, v) (o)->C64 = (v)
#define IS_HALF
#include "runtime/op_eval.inc"
#undef IS_HALF
#undef ID
#undef T
#undef CT
#undef DIGITS
#undef TINY
#undef LARGEST
#undef GET
#undef PUT
#undef PUT_REAL
#undef PUT_JOIN

#define HELP_I(...)
#define HELP_F(name, ret, params, ...) static inline ret H(name) params __VA_ARGS__
#define HELP_C(...)
#define ID BF16
#define T float
#define CT gpa_c64
#define DIGITS 8
#define TINY -133
#define LARGEST 0x1.fep127f
#define GET(p) bfloat_to_float(MEMBER(p))
#define PUT(o, v) MEMBER(o) = bfloat_from_float((T)(v))
#define PUT_REAL(o, v) PUT(o, v)
#define PUT_JOIN(o, v) (o)->C64 = (v)
#define IS_HALF
#include "runtime/op_eval.inc"
#undef IS_HALF
#undef ID
#undef T
#undef CT
#undef DIGITS
#undef TINY
#undef LARGEST
#undef GET
#undef PUT
#undef PUT_REAL
#undef PUT_JOIN

#define HELP_I(...)
#define HELP_F(name, ret, params, ...) static inline ret H(name) params __VA_ARGS__
#define HELP_C(...)
#define ID F32
#define T float
#define CT gpa_c64
#define DIGITS 24
#define TINY -149
#define LARGEST FLT_MAX
#define GET(p) MEMBER(p)
#define PUT(o, v) MEMBER(o) = (T)(v)
#define PUT_REAL(o, v) PUT(o, v)
#define PUT_JOIN(o, v) (o)->C64 = (v)
#include "runtime/op_eval.inc"
#undef ID
#undef T
#undef CT
#undef DIGITS
#undef TINY
#undef LARGEST
#undef GET
#undef PUT
#undef PUT_REAL
#undef PUT_JOIN

#define HELP_I(...)
#define HELP_F(name, ret, params, ...) static inline ret H(name) params __VA_ARGS__
#define HELP_C(...)
#define ID F64
#define T double
#define CT gpa_c128
#define DIGITS 53
#define TINY -1074
#define LARGEST DBL_MAX
#define GET(p) MEMBER(p)
#define PUT(o, v) MEMBER(o) = (T)(v)
#define PUT_REAL(o, v) PUT(o, v)
#define PUT_JOIN(o, v) (o)->C128 = (v)
#include "runtime/op_eval.inc"
#undef ID
#undef T
#undef CT
#undef DIGITS
#undef TINY
#undef LARGEST
#undef GET
#undef PUT
#undef PUT_REAL
#undef PUT_JOIN
