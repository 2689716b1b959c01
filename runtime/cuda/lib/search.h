/* Places of values in a sorted array, by a program of gpa's own for each dtype and side: a thread
 * does a value. */
#ifndef GPA_CUDA_LIB_SEARCH_H
#define GPA_CUDA_LIB_SEARCH_H

#include "runtime/cuda/build/program.h"
#include "runtime/ir/libcall.h"

/* Whether there is a program for the LIB_SEARCHSORTED call. Compiles it at first need. */
bool search_can(gpa_dev *d, const gpa_libcall *c);
gpa_code search_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e);
void search_close(gpa_dev *d);

#endif
