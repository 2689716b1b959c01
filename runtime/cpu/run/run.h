/* Launches: choosing how to walk a program's space, dividing it among threads, joining what was
 * divided. */
#ifndef GPA_CPU_RUN_RUN_H
#define GPA_CPU_RUN_RUN_H

#include "runtime/cpu/parallel/memory.h"
#include "runtime/cpu/run/program.h"

/* Keeps what a call of compiled code on [lo, ..) and [from, ..) faulted with, unless an earlier
 * range has faulted. Threads may call it at the same time. */
void run_fault(cpu_fault_cell *cell, int64_t lo, int64_t from, const kir_fault_record *r);
/* Runs the program to its end. */
gpa_code run_launch(jit *j, int threads, const int32_t *stop, gpa_prog *p, const gpa_launch *l,
                    gpa_err *e);
/* The plan of a launch with these extents and this view (NULL: a large one, to show code without a
 * launch). */
emit_plan run_plan(const gpa_prog *p, const jit_host *host, const int64_t *size,
                   const int64_t *view);

#endif
