/* Launches of elementwise programs: the plan of a launch, its division among threads, and the
 * joining of partial reductions. */
#ifndef GPA_CPU_RUN_RUN_H
#define GPA_CPU_RUN_RUN_H

#include "runtime/cpu/parallel/memory.h"
#include "runtime/cpu/emit/fault.h"
#include "runtime/cpu/run/program.h"

/* Runs the program to its end. */
gpa_code run_launch(jit *j, int threads, const int32_t *stop, gpa_prog *p, const gpa_launch *l,
                    gpa_err *e);
/* The plan of a launch with these extents and this view (NULL: a large one, to show code without a
 * launch). */
emit_plan run_plan(const gpa_prog *p, const cpu_target_info *host, const int64_t *size,
                   const int64_t *view);

#endif
