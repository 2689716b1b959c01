/* %explain: a textual record of the steps that ran. */
#ifndef GPA_EXEC_EXPLAIN_H
#define GPA_EXEC_EXPLAIN_H

#include "runtime/exec/program_cache.h"
#include "runtime/plan/fuse.h"
#include "runtime/plan/lower.h"

/* A step that ran. */
typedef struct {
    gpa_device *device;
    const fuse_plan *plan;
    int step;
    const lowered *lowered;
    program_cache_entry *program;
    bool built; /* now; else the program was in the cache */
} explained_step;
/* Records a step; called only while rt->explain is set. */
void explain_step(gpa_rt *rt, const explained_step *x);
/* Records a library call of device d, or of the host (NULL), whose result is `a`; no effect unless
 * %explain is recording. */
void explain_call(gpa_rt *rt, const char *name, const gpa_device *d, const gpa_arr *a);
/* Statistics of a replay. */
typedef struct {
    uint64_t iterations, launches, calls; /* calls of libraries */
    uint64_t read, written;               /* bytes */
    uint64_t graphs;                      /* of the device, each of */
    uint32_t graph_trips;                 /* so many iterations */
} explain_loop;
/* Records iterations of a loop that were replayed; no effect unless %explain is recording. */
void explain_replay(gpa_rt *rt, const explain_loop *x);
/* Records what the records of a tape keep for the backward pass, which begins at `tape`: how many
 * there are, and the bytes of the arrays; each tape once. */
typedef struct {
    const void *tape;
    uint64_t records, bytes;
} explain_tape;
void explain_kept(gpa_rt *rt, const explain_tape *x);
/* "row reduce: array float64 (100,) = sum(a * b, axis=1)": a step on one line. */
void explain_put_step(gpa_str *out, const fuse_plan *p, int s, const lowered *l);
/* A value as an expression of its inputs. */
void explain_put_value(gpa_str *out, const node *n);
void explain_free(gpa_rt *rt);

#endif
