/* A peephole pass over PTX: float64 immediates become operands in constant memory.
 *
 * Machine instructions cannot encode 64-bit immediates: ptxas loads both halves into registers at
 * each use, a fifth of the instructions of a loop with exp and log. Constant memory operands are
 * free. */
#ifndef GPA_CUDA_EMIT_PTX_CONSTANTS_H
#define GPA_CUDA_EMIT_PTX_CONSTANTS_H

#include "runtime/base/str.h"

/* Appends the program to `out` with its float64 immediates in constant memory, except those whose
 * lower half is 0, which instructions can encode. Text that is not PTX, or has no such immediates,
 * is appended unchanged. */
void ptx_constants_to_memory(const char *ptx, gpa_str *out);

#endif
