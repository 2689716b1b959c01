/* Calls of the device's libraries, for the files of runtime/ that make them. */
#ifndef GPA_LIB_LIBRARY_H
#define GPA_LIB_LIBRARY_H

#include "runtime/array/array.h"
#include "runtime/exec/library_call.h"

/* A copy of a in dtype t that the call may overwrite, computed: in C order, or with the last two
 * axes exchanged - its matrices lie by columns. */
gpa_code library_copy(gpa_rt *rt, gpa_arr *a, gpa_dtype t, bool by_columns, gpa_arr **out,
                      gpa_err *e);

#endif
