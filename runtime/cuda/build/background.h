/* Background compilation: a work queue with a few threads per device, started at first use.
 *
 * Quick builds of programs that will be launched soon run in parallel; full builds replace those of
 * hot programs. */
#ifndef GPA_CUDA_BUILD_BACKGROUND_H
#define GPA_CUDA_BUILD_BACKGROUND_H

#include "runtime/cuda/build/nvrtc.h"

typedef struct cu_builder cu_builder;
typedef struct cu_job cu_job;

/* The result of a job; module NULL: the build failed. */
typedef struct {
    char *ptx; /* owned by the caller: mem_free */
    CUmodule module;
    CUfunction function;
    cu_effort effort; /* of the build that the cache or the compiler gave */
} cu_built;

/* A build: compiles and loads `source` for a target. */
typedef struct {
    const cu_driver *cu;
    CUcontext context;
    const char *source;
    cu_target target;
    cu_effort effort;
    bool urgent; /* a thread will wait for it soon: it precedes others in the queue */
} cu_build;

/* Queues a build: an owned job, or NULL if no thread can be started. *builder is created at first
 * use. */
cu_job *background_begin(cu_builder **builder, const cu_build *b);
/* True once the job is done; then *out is the caller's and the job is freed. */
bool background_take(cu_builder *b, cu_job *job, cu_built *out);
/* Waits until it is done, and takes the result. */
void background_wait(cu_builder *b, cu_job *job, cu_built *out);
/* Waits until no job is queued or running. NULL is ignored. */
void background_settle(cu_builder *b);
/* Cancels a job; waits for it if it is running. */
void background_drop(cu_builder *b, cu_job *job);
/* Joins the threads, after all jobs were taken or dropped. NULL is ignored. */
void background_close(cu_builder *b);

#endif
