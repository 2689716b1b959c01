/* Launches: choosing how to walk a program's space, dividing it among threads, joining what was divided. */
#ifndef GPA_CPU_RUN_H
#define GPA_CPU_RUN_H

#include "runtime/cpu/program.h"

struct gpa_mem {
    void *block; /* as allocated */
    char *base;  /* aligned */
    size_t n;
};

/* Runs the program to its end. */
gpa_code run_launch(jit *j, int threads, const int32_t *stop, gpa_prog *p, const gpa_launch *l, gpa_err *e);
/* The plan of a launch with these extents (NULL: a large one, to show code without a launch). */
emit_plan run_plan(const gpa_prog *p, const jit_host *host, const int64_t *size);

#endif
