/* Concatenations that nothing fuses with: each input is copied into its slice of the result. */
#ifndef GPA_EXEC_CONCAT_SLICES_H
#define GPA_EXEC_CONCAT_SLICES_H

#include "runtime/graph/state.h"
#include "runtime/graph/storage.h"

/* True for a concatenation that only moves elements of computed arrays. */
bool concat_only_moves(const node *n);
/* Computes a pending storage whose value is such a concatenation, large, in host memory, and read
 * by nothing else; leaves others pending. A single program would select an input at each element,
 * programs that copy one input each are contiguous copies. */
gpa_code concat_store_slices(gpa_rt *rt, gpa_storage *s, gpa_err *e);

#endif
