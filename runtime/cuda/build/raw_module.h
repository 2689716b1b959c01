/* Modules that users write in CUDA C: compiled by NVRTC, kept in the disk cache, launched by name.
 */
#ifndef GPA_CUDA_BUILD_RAW_MODULE_H
#define GPA_CUDA_BUILD_RAW_MODULE_H

#include "runtime/cuda/driver/device.h"

gpa_code raw_build(gpa_dev *d, const raw_source *s, gpa_raw **out, gpa_err *e);
void raw_drop(gpa_dev *d, gpa_raw *r);
/* Queues a launch whose number of arguments and their sizes are those that the compiler noted. */
gpa_code raw_run(gpa_dev *d, gpa_raw *r, const gpa_raw_launch *l, gpa_err *e);
/* A fact of any function. */
gpa_code raw_fact_of(gpa_dev *d, CUfunction f, raw_fact which, int64_t *out, gpa_err *e);
gpa_code raw_get_fact(gpa_dev *d, gpa_raw *r, const char *function, raw_fact which, int64_t *out,
                      gpa_err *e);

#endif
