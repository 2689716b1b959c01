/* Launches of elementwise programs: the plan of a launch, its division among threads, and the
 * joining of partial reductions. */
#ifndef GPA_CPU_RUN_RUN_H
#define GPA_CPU_RUN_RUN_H

#include "runtime/cpu/parallel/memory.h"
#include "runtime/cpu/emit/fault.h"
#include "runtime/cpu/run/program.h"

/* The executor of launches. */
typedef struct {
    jit *j;
    int threads;
    const int32_t *stop;
} run_device;

/* Runs the program, or the launch's share of it, to its end. */
gpa_code run_launch(const run_device *on, gpa_prog *p, const gpa_launch *l, gpa_err *e);
/* gpa_backend.plan_share. */
gpa_code run_plan_share(const run_device *on, gpa_prog *p, const gpa_launch *l, gpa_share_plan *out,
                        gpa_err *e);
/* The plan of a launch with these extents and this view (NULL: a large one, to show code without a
 * launch). */
emit_plan run_plan(const gpa_prog *p, const cpu_target_info *host, const int64_t *size,
                   const int64_t *view);

#endif
