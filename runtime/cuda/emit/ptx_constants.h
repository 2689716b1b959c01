/* Constants of doubles in PTX.
 *
 * A machine instruction has no room for 64 bits: where a number stands in the text, ptxas brings
 * both halves into registers each time it is wanted, which is a fifth of the instructions of a loop
 * with exp and log. Operands may come from constant memory, though. */
#ifndef GPA_CUDA_EMIT_PTX_CONSTANTS_H
#define GPA_CUDA_EMIT_PTX_CONSTANTS_H

#include "runtime/base/str.h"

/* Appends the program to `out` with its doubles in constant memory, but for those whose lower half
 * is 0, which fit. What is no PTX, or has no such numbers, is appended as it is. */
void ptx_constants_to_memory(const char *ptx, gpa_str *out);

#endif
