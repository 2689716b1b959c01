/* The value functions of the complex numbers. See op_eval.inc. */
#include <stdint.h>
#include <tgmath.h>
#undef I

#include "runtime/op_eval.h"

#define MEMBER(p) MEMBER_OF(p, ID)
#define MEMBER_OF(p, dt) MEMBER_PASTE(p, dt)
#define MEMBER_PASTE(p, dt) (p)->dt
#define COLUMN(DO, B, I, U, F, C, ...) DO(C, C, __VA_ARGS__)
#define GET(p) MEMBER(p)
#define PUT(o, v) MEMBER(o) = (v)
#define PI 3.14159265358979323846

#define HELP_I(...)
#define HELP_F(...)
#define HELP_C(name, ret, params, ...) static inline ret H(name) params __VA_ARGS__
#define ID C64
#define T gpa_c64
#define R float
#define PUT_REAL(o, v) (o)->F32 = (R)(v)
#include "runtime/op_eval.inc"
#undef ID
#undef T
#undef R
#undef PUT_REAL

#define HELP_I(...)
#define HELP_F(...)
#define HELP_C(name, ret, params, ...) static inline ret H(name) params __VA_ARGS__
#define ID C128
#define T gpa_c128
#define R double
#define PUT_REAL(o, v) (o)->F64 = (R)(v)
#include "runtime/op_eval.inc"
#undef ID
#undef T
#undef R
#undef PUT_REAL
