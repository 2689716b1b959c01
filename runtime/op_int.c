/* The value functions of bool and the integers. See op_eval.inc. */
#include <stdint.h>

#include "runtime/op_eval.h"

#define MEMBER(p) MEMBER_OF(p, ID)
#define MEMBER_OF(p, dt) MEMBER_PASTE(p, dt)
#define MEMBER_PASTE(p, dt) (p)->dt
#define GET(p) MEMBER(p)
#define PUT(o, v) MEMBER(o) = (T)(v)
#define PUT_REAL(o, v) PUT(o, v)

/* ---- bool ---- */

#define COLUMN(DO, B, I, U, F, C, ...) DO(B, B, __VA_ARGS__)
#define HELP_I(...)
#define HELP_F(...)
#define HELP_C(...)
#define ID BOOL
#define T uint8_t
#include "runtime/op_eval.inc"
#undef COLUMN
#undef ID
#undef T

/* ---- signed ---- */

#define COLUMN(DO, B, I, U, F, C, ...) DO(I, I, __VA_ARGS__)
#define NEG(x) ((x) < 0)
#define BITS (sizeof(T) * 8)

#define HELP_I(name, ret, params, ...) static inline ret H(name) params __VA_ARGS__
#define HELP_F(...)
#define HELP_C(...)
#define ID I8
#define T int8_t
#define UT uint32_t
#define LOWEST INT8_MIN
#define HIGHEST INT8_MAX
#include "runtime/op_eval.inc"
#undef ID
#undef T
#undef UT
#undef LOWEST
#undef HIGHEST

#define HELP_I(name, ret, params, ...) static inline ret H(name) params __VA_ARGS__
#define HELP_F(...)
#define HELP_C(...)
#define ID I16
#define T int16_t
#define UT uint32_t
#define LOWEST INT16_MIN
#define HIGHEST INT16_MAX
#include "runtime/op_eval.inc"
#undef ID
#undef T
#undef UT
#undef LOWEST
#undef HIGHEST

#define HELP_I(name, ret, params, ...) static inline ret H(name) params __VA_ARGS__
#define HELP_F(...)
#define HELP_C(...)
#define ID I32
#define T int32_t
#define UT uint32_t
#define LOWEST INT32_MIN
#define HIGHEST INT32_MAX
#include "runtime/op_eval.inc"
#undef ID
#undef T
#undef UT
#undef LOWEST
#undef HIGHEST

#define HELP_I(name, ret, params, ...) static inline ret H(name) params __VA_ARGS__
#define HELP_F(...)
#define HELP_C(...)
#define ID I64
#define T int64_t
#define UT uint64_t
#define LOWEST INT64_MIN
#define HIGHEST INT64_MAX
#include "runtime/op_eval.inc"
#undef ID
#undef T
#undef UT
#undef LOWEST
#undef HIGHEST

/* ---- unsigned ---- */

#undef COLUMN
#undef NEG
#define COLUMN(DO, B, I, U, F, C, ...) DO(I, U, __VA_ARGS__)
#define NEG(x) false

#define HELP_I(name, ret, params, ...) static inline ret H(name) params __VA_ARGS__
#define HELP_F(...)
#define HELP_C(...)
#define ID U8
#define T uint8_t
#define UT uint32_t
#define LOWEST 0
#define HIGHEST UINT8_MAX
#include "runtime/op_eval.inc"
#undef ID
#undef T
#undef UT
#undef LOWEST
#undef HIGHEST

#define HELP_I(name, ret, params, ...) static inline ret H(name) params __VA_ARGS__
#define HELP_F(...)
#define HELP_C(...)
#define ID U16
#define T uint16_t
#define UT uint32_t
#define LOWEST 0
#define HIGHEST UINT16_MAX
#include "runtime/op_eval.inc"
#undef ID
#undef T
#undef UT
#undef LOWEST
#undef HIGHEST

#define HELP_I(name, ret, params, ...) static inline ret H(name) params __VA_ARGS__
#define HELP_F(...)
#define HELP_C(...)
#define ID U32
#define T uint32_t
#define UT uint32_t
#define LOWEST 0
#define HIGHEST UINT32_MAX
#include "runtime/op_eval.inc"
#undef ID
#undef T
#undef UT
#undef LOWEST
#undef HIGHEST

#define HELP_I(name, ret, params, ...) static inline ret H(name) params __VA_ARGS__
#define HELP_F(...)
#define HELP_C(...)
#define ID U64
#define T uint64_t
#define UT uint64_t
#define LOWEST 0
#define HIGHEST UINT64_MAX
#include "runtime/op_eval.inc"
#undef ID
#undef T
#undef UT
#undef LOWEST
#undef HIGHEST
