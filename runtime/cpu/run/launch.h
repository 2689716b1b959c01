/* A launch that is being run: what run.c and divided.c share. */
#ifndef GPA_CPU_RUN_LAUNCH_H
#define GPA_CPU_RUN_LAUNCH_H

#include "runtime/cpu/run/program.h"
#include "runtime/tables/tuning.h"

typedef struct {
    jit *j;
    int threads;
    const int32_t *stop;
    gpa_prog *p;
    emit_plan plan;
    cpu_fn fn, join; /* join: for groups of narrow rows */
    const int64_t *size;
    int64_t outer, inner;   /* numbers of points */
    int64_t first, last;    /* run_whole: the outer points to run */
    const gpa_share *share; /* NULL: the whole launch */
    /* run_whole: points per item; the fields below: divided.c */
    int64_t step;
    int64_t block_lanes, blocks_in_row, blocks, span, spans, items, parts, part_points, visit,
        begun;
    char *done, *partial;
    size_t slot, states; /* bytes of a state slot; of all states of one block */
    bool early_exit;
    /* Per block: final states, which no further point changes; set by the first part that reaches
     * them. */
    const char *final[TUNE_CPU_DIVIDED_MAX_BLOCKS];
    int64_t view[]; /* slots for all arrays of the program */
} launch;

/* ---- run.c ---- */

/* Compiles a part of the program (emit_plan.part) by the launch's plan: L->fn. */
gpa_code launch_compile(launch *L, int32_t part, gpa_err *e);
/* True if points load or store elements of the array; if they load. */
bool launch_accesses(const kir_func *f, size_t array);
bool launch_loads(const kir_func *f, size_t array);
/* Bytes of the largest element type among all arrays. */
unsigned launch_widest_element(const kir_func *f);

/* ---- divided.c ---- */

/* True if the reductions of the launch are divided, with what divided_run needs of it in L. */
bool divided_plan(launch *L);
gpa_code divided_run(launch *L, gpa_err *e);

#endif
