/* Doubt: whether what a launch wrote is a value at all.
 *
 * A fault of a launched program (a bad index) is known only after the device was waited for. Until
 * then memory that the program wrote, and all that was computed from it, is in doubt; if it did
 * fault, whoever reads it gets the fault's error, as often as it is read. Doubts are counted; one
 * that depends on others holds them until they are settled. */
#ifndef GPA_EXEC_DEFERRED_ERROR_H
#define GPA_EXEC_DEFERRED_ERROR_H

#include <stdbool.h>

#include "runtime/base/err.h"

typedef struct doubt doubt;

/* A doubt of its own; NULL when memory is short. */
doubt *doubt_new(void);
doubt *doubt_retain(doubt *d); /* NULL stays NULL */
void doubt_release(doubt *d);  /* NULL is ignored */
/* *all (owned, or NULL) is from now on what depends on it and on `other`. */
gpa_code doubt_join(doubt **all, doubt *other, gpa_err *e);
/* What became of the launch: its error, or (NULL) nothing wrong. */
void doubt_settle(doubt *d, const gpa_err *fault);
/* Whether it is open, or was found to be wrong; false: what depends on it is a value. */
bool doubt_is_open(const doubt *d);
/* The error of a launch that it depends on, with its place; GPA_OK while none is known. */
gpa_code doubt_check(const doubt *d, gpa_err *e);

#endif
