/* Value functions of complex dtypes (op_eval.inc). */
#include <stdint.h>
#include <tgmath.h>
#undef I

#include "runtime/tables/op_eval.h"

#define COLUMN(DO, B, I, U, F, C, ...) DO(C, C, __VA_ARGS__)
#define HELPERS(I, F, C) C
#define PI 3.14159265358979323846

#define ID C64
#define T gpa_c64
#define R float
#define PUT(o, v) MEMBER(o) = (v)
#define PUT_REAL(o, v) (o)->F32 = (R)(v)
#define FOLDS
#include "runtime/tables/op_eval.inc"

#define ID C128
#define T gpa_c128
#define R double
#define PUT(o, v) MEMBER(o) = (v)
#define PUT_REAL(o, v) (o)->F64 = (R)(v)
#define FOLDS
#include "runtime/tables/op_eval.inc"
