/* Launches of KERNEL programs: thread blocks divided among host threads. */
#ifndef GPA_CPU_RUN_RUN_KERNEL_H
#define GPA_CPU_RUN_RUN_KERNEL_H

#include "runtime/cpu/run/program.h"

/* The layout of blocks that are x threads wide. */
emit_plan kernel_layout(const gpa_prog *p, const cpu_target_info *host, uint32_t x);
gpa_code run_kernel(jit *j, int threads, const int32_t *stop, gpa_prog *p, const gpa_launch *l,
                    gpa_err *e);

#endif
