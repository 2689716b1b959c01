/* Value functions of bool and integer dtypes (op_eval.inc). */
#include <stdint.h>

#include "runtime/tables/op_eval.h"

#define WIDE(a, b) ((unsigned long long)(a) * (b))

/* ---- bool ---- */

#define COLUMN(DO, B, I, U, F, C, ...) DO(B, B, __VA_ARGS__)
#define HELPERS(I, F, C) SKIP
#define ID BOOL
#define T uint8_t
#include "runtime/tables/op_eval.inc"
#undef COLUMN
#undef HELPERS

/* ---- signed ---- */

#define COLUMN(DO, B, I, U, F, C, ...) DO(I, I, __VA_ARGS__)
#define HELPERS(I, F, C) I
#define NEG(x) ((x) < 0)
#define BITS (sizeof(T) * 8)

#define ID I8
#define T int8_t
#define UT uint32_t
#define LOWEST INT8_MIN
#define HIGHEST INT8_MAX
#include "runtime/tables/op_eval.inc"

#define ID I16
#define T int16_t
#define UT uint32_t
#define LOWEST INT16_MIN
#define HIGHEST INT16_MAX
#include "runtime/tables/op_eval.inc"

#define ID I32
#define T int32_t
#define UT uint32_t
#define LOWEST INT32_MIN
#define HIGHEST INT32_MAX
#include "runtime/tables/op_eval.inc"

#define ID I64
#define T int64_t
#define UT uint64_t
#define LOWEST INT64_MIN
#define HIGHEST INT64_MAX
#include "runtime/tables/op_eval.inc"

/* ---- unsigned ---- */

#undef COLUMN
#undef NEG
#define COLUMN(DO, B, I, U, F, C, ...) DO(I, U, __VA_ARGS__)
#define NEG(x) false

#define ID U8
#define T uint8_t
#define UT uint32_t
#define LOWEST 0
#define HIGHEST UINT8_MAX
#include "runtime/tables/op_eval.inc"

#define ID U16
#define T uint16_t
#define UT uint32_t
#define LOWEST 0
#define HIGHEST UINT16_MAX
#include "runtime/tables/op_eval.inc"

#define ID U32
#define T uint32_t
#define UT uint32_t
#define LOWEST 0
#define HIGHEST UINT32_MAX
#include "runtime/tables/op_eval.inc"

#define ID U64
#define T uint64_t
#define UT uint64_t
#define LOWEST 0
#define HIGHEST UINT64_MAX
#include "runtime/tables/op_eval.inc"
