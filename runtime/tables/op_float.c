/* Value functions of floating-point dtypes (op_eval.inc); half types compute in float. */
#include <float.h>
#include <stdint.h>
#include <tgmath.h>
#undef I

#include "runtime/tables/op_eval.h"

#define COLUMN(DO, B, I, U, F, C, ...) DO(F, F, __VA_ARGS__)
#define HELPERS(I, F, C) F

#define ID F16
#define T float
#define CT gpa_c64
#define DIGITS 11
#define TINY -24
#define LARGEST 65504.0f
#define GET(p) half_to_float(MEMBER(p))
#define PUT(o, v) MEMBER(o) = half_from_float((T)(v))
#define PUT_JOIN(o, v) (o)->C64 = (v)
#define IS_HALF
#include "runtime/tables/op_eval.inc"

#define ID BF16
#define T float
#define CT gpa_c64
#define DIGITS 8
#define TINY -133
#define LARGEST 0x1.fep127f
#define GET(p) bfloat_to_float(MEMBER(p))
#define PUT(o, v) MEMBER(o) = bfloat_from_float((T)(v))
#define PUT_JOIN(o, v) (o)->C64 = (v)
#define IS_HALF
#include "runtime/tables/op_eval.inc"

#define ID F32
#define T float
#define CT gpa_c64
#define DIGITS 24
#define TINY -149
#define LARGEST FLT_MAX
#define PUT_JOIN(o, v) (o)->C64 = (v)
#include "runtime/tables/op_eval.inc"

#define ID F64
#define T double
#define CT gpa_c128
#define DIGITS 53
#define TINY -1074
#define LARGEST DBL_MAX
#define PUT_JOIN(o, v) (o)->C128 = (v)
#include "runtime/tables/op_eval.inc"
