/* searchsorted: binary search in a sorted array, a kernel per dtype and side, a thread per value.
 */
#ifndef GPA_CUDA_LIB_SEARCH_H
#define GPA_CUDA_LIB_SEARCH_H

#include "runtime/cuda/driver/device.h"
#include "runtime/ir/libcall.h"

/* True if there is a kernel for the LIB_SEARCHSORTED call. Compiles it at first use. */
bool cuda_search_can(gpa_dev *d, const gpa_libcall *c);
gpa_code cuda_search_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e);
void cuda_search_close(gpa_dev *d);

#endif
