/* The table of gradients of storages inside runtime/ (its interface for the language:
 * runtime/tape.h). */
#ifndef GPA_ARRAY_GRADIENTS_H
#define GPA_ARRAY_GRADIENTS_H

#include "runtime/tape.h"

/* The gradient of a storage (borrowed), with the elements of the storage in order, and no base
 * unless something else refers to it; NULL: zero. *owned: nothing else refers to its memory. */
gpa_arr *gradient_of(gpa_rt *rt, const tape_gradients *g, uint64_t storage, bool *owned);
/* The same, which is zero from now on (owned by the caller). */
gpa_arr *gradient_remove(tape_gradients *g, uint64_t storage);
/* Sets the gradient of a storage, which is consumed. */
gpa_code gradient_set_take(gpa_rt *rt, tape_gradients *g, uint64_t storage, gpa_arr *a, bool owned,
                           gpa_err *e);

#endif
