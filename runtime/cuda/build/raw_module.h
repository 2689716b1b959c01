/* Users' modules in CUDA C (RawModule, RawKernel): compiled by NVRTC, cached on disk, launched by
 * function name. */
#ifndef GPA_CUDA_BUILD_RAW_MODULE_H
#define GPA_CUDA_BUILD_RAW_MODULE_H

#include "runtime/cuda/driver/device.h"

gpa_code raw_build(gpa_dev *d, const raw_source *s, gpa_raw **out, gpa_err *e);
void raw_drop(gpa_dev *d, gpa_raw *r);
/* Queues a launch; number and sizes of the arguments must be those of the PTX declaration. */
gpa_code raw_run(gpa_dev *d, gpa_raw *r, const gpa_raw_launch *l, gpa_err *e);
/* An attribute of a function. */
gpa_code raw_fact_of(gpa_dev *d, CUfunction f, raw_fact which, int64_t *out, gpa_err *e);
gpa_code raw_get_fact(gpa_dev *d, gpa_raw *r, const char *function, raw_fact which, int64_t *out,
                      gpa_err *e);

#endif
