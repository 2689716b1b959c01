/* Calls of the device's libraries, for the files of runtime/ that make them. */
#ifndef GPA_LIB_LIBRARY_H
#define GPA_LIB_LIBRARY_H

#include "runtime/exec/device.h"
#include "runtime/ir/libcall.h"
#include "runtime/exec/rt.h"

/* The operation's name, for explanations. */
extern const char *const library_names[LIB_COUNT];

/* Whether the device has a library that does this call with the operands as they lie. */
bool library_can(gpa_device *d, const gpa_libcall *c);
/* Queues the call. */
gpa_code library_run(gpa_rt *rt, gpa_device *d, const gpa_libcall *c, gpa_err *e);

/* A copy of a in dtype t that the call may overwrite, computed: in C order, or with the last two
 * axes exchanged - its matrices lie by columns. */
gpa_code library_copy(gpa_rt *rt, gpa_arr *a, gpa_dtype t, bool by_columns, gpa_arr **out,
                      gpa_err *e);

#endif
