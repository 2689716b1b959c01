/* Function tables of the compiled value expressions, one per dtype: defined by op_int.c, op_float.c
 * and op_complex.c, read by op.c.
 *
 * An entry is NULL where the row has no value for the dtype's kind, or no loop. Only COMPUTE dtypes
 * have tables of reductions: half types use those of float32. */
#ifndef GPA_TABLES_OP_EVAL_H
#define GPA_TABLES_OP_EVAL_H

#include <string.h>

#include "runtime/tables/op.h"

#define DT(id, ...)                                \
    extern const gpa_op_fn op_rows_##id[OP_COUNT]; \
    extern const gpa_op_loop op_loops_##id[OP_COUNT];
#include "runtime/tables/dtype.def"
#undef DT
#define DT(id) extern const gpa_op_fn red_rows_##id[RED_COUNT], red_starts_##id[RED_COUNT];
extern const gpa_red_fold red_folds_C64[RED_COUNT], red_folds_C128[RED_COUNT];
DT(BOOL)
DT(I8) DT(I16) DT(I32) DT(I64) DT(U8) DT(U16) DT(U32) DT(U64) DT(F32) DT(F64) DT(C64) DT(C128)
#undef DT

#endif
