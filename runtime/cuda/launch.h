/* Launches of compiled programs on a CUDA device. */
#ifndef GPA_CUDA_LAUNCH_H
#define GPA_CUDA_LAUNCH_H

#include "runtime/cuda/build/program.h"

/* Queues a launch. */
gpa_code launch_run(gpa_dev *d, gpa_prog *p, const gpa_launch *l, gpa_err *e);
/* Starts background builds of the variants that the launch will need. */
void launch_prepare(gpa_dev *d, gpa_prog *p, const gpa_launch *l);

#endif
