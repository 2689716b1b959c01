/* The precision of products of float32 matrices. */
#ifndef GPA_EXEC_PRECISION_H
#define GPA_EXEC_PRECISION_H

#include <stdbool.h>

#include "runtime/base/err.h"
#include "runtime/tables/precision.h"

extern const char *const precision_names[PRECISION_COUNT];

/* The precision with this name; false: there is none. */
bool precision_find(const char *name, gpa_precision *out);
/* Fails with the names that there are; `what` was set to `name`. */
gpa_code precision_unknown(const char *what, const char *name, gpa_err *e);

#endif
