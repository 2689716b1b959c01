/* Programs compiled in the background: quick builds of what will be launched soon, side by side,
 * and the optimised ones that replace quick builds when that is worth its time. A few threads per
 * device, started at first need. */
#ifndef GPA_CUDA_BUILD_BACKGROUND_H
#define GPA_CUDA_BUILD_BACKGROUND_H

#include "runtime/cuda/build/nvrtc.h"

typedef struct cu_builder cu_builder;
typedef struct cu_job cu_job;

/* What a finished job gives; module NULL: it failed, and the quick build stays. */
typedef struct {
    char *ptx; /* owned by who takes it: mem_free */
    CUmodule module;
    CUfunction function;
    cu_effort effort; /* what was had */
} cu_built;

/* Compiles and loads the source in the background: a job, owned, or NULL where that cannot begin.
 * Somebody will soon wait for a job that is urgent: it goes before others. *builder is made at
 * first need. */
cu_job *background_begin(cu_builder **builder, const cu_driver *cu, CUcontext context,
                    const char *source, cu_target target, cu_effort effort, bool urgent);
/* True once the job is done; then *out is the caller's and the job is gone. */
bool background_take(cu_builder *b, cu_job *job, cu_built *out);
/* Waits until it is done, and takes it. */
void background_wait(cu_builder *b, cu_job *job, cu_built *out);
/* Waits until no job waits or is worked on. NULL is ignored. */
void background_settle(cu_builder *b);
/* Gives a job up: waits for it if it has begun. */
void background_drop(cu_builder *b, cu_job *job);
/* Ends the threads, when all jobs are taken or dropped. NULL is ignored. */
void background_close(cu_builder *b);

#endif
