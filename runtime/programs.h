/* Programs that users write: compiled functions and kernels, streams and events, raw kernels.
 *
 * Conventions as in runtime.h. */
#ifndef GPA_PROGRAMS_H
#define GPA_PROGRAMS_H

#include "runtime/ir/raw_module.h"
#include "runtime/runtime.h"

struct kir_func;
/* The launch cache of one program: where it was built, its specializations. NULL at first; freed
 * by the program's owner with arr_launch_cache_free. */
typedef struct arr_launches *arr_launch_cache;
void arr_launch_cache_free(arr_launch_cache *cache);

typedef struct {
    /* One per GLOBAL and CONSTANT array, in order; each binds its own shape and strides. */
    gpa_arr *const *arrays;
    const gpa_val *params;
    const int64_t *size;        /* MAP: the iteration space */
    uint32_t grid[3], block[3]; /* KERNEL */
    uint32_t shared;            /* KERNEL: bytes of dynamic shared memory */
    uint32_t stream;            /* KERNEL: of rt_stream_new; 0: the default queue */
    arr_launch_cache *cache;    /* avoids program cache lookups; may be NULL */
    /* KERNEL: called for each line that it printed, after it has ended: a text with \1 for each
     * argument, and the arguments with their dtypes. NULL: output is dropped. Its error is
     * arr_run's. */
    gpa_code (*print)(void *user, const char *text, uint32_t n, const uint8_t *types,
                      const gpa_val *args);
    void *user;
} arr_program;

/* Runs a verified kir program on arrays of at most KIR_MAX_DIMS dimensions. Computes the arrays
 * first, and pending work that reads those that the program writes. Does not wait, except for
 * printed output: faults are reported by rt_sync or a read, on host devices immediately. */
gpa_code arr_run(gpa_rt *rt, const struct kir_func *f, const arr_program *p, gpa_err *e);

/* ---- streams ---- */

/* A new stream. Kernels of different streams may run concurrently if the device supports it and
 * the arrays they use do not conflict; results never depend on it. */
uint32_t rt_stream_new(gpa_rt *rt);
/* Launches pending work, then waits for the work of a stream (0: all work) and reports faults. */
gpa_code rt_stream_wait(gpa_rt *rt, uint32_t stream, gpa_err *e);
/* Launches pending work; *done: the work of the stream has finished. Waits on devices without
 * streams. */
gpa_code rt_stream_query(gpa_rt *rt, uint32_t stream, bool *done, gpa_err *e);

/* A CUDA-style event in a stream of the current device; without streams, the time at which all
 * earlier work was done. */
typedef struct rt_event rt_event;
gpa_code rt_event_new(gpa_rt *rt, rt_event **out, gpa_err *e);
void rt_event_free(rt_event *x); /* NULL is ignored */
gpa_code rt_event_record(gpa_rt *rt, rt_event *x, uint32_t stream, gpa_err *e);
/* Makes later work of the stream wait for the event (cudaStreamWaitEvent). */
gpa_code rt_event_follow(gpa_rt *rt, rt_event *x, uint32_t stream, gpa_err *e);
gpa_code rt_event_wait(gpa_rt *rt, rt_event *x, gpa_err *e);
gpa_code rt_event_query(gpa_rt *rt, rt_event *x, bool *passed, gpa_err *e);
/* Milliseconds between two recorded events; waits for the later one. GPA_E_DEVICE if one is not
 * recorded. */
gpa_code rt_event_elapsed(gpa_rt *rt, rt_event *from, rt_event *to, double *ms, gpa_err *e);

/* ---- raw kernels: source in the device's own language (CUDA C, PTX) ---- */

typedef struct rt_raw rt_raw;

/* A kernel argument: the address of an array's first element, or the first `size` bytes of v. */
typedef struct {
    gpa_arr *arr;
    size_t size;
    gpa_val v;
} rt_raw_arg;

/* Compiles a source for the current device. GPA_E_UNSUPPORTED if that has no such language,
 * GPA_E_COMPILE with the compiler's first error. *out is owned by the caller (rt_raw_free). */
gpa_code rt_raw_new(gpa_rt *rt, const raw_source *s, rt_raw **out, gpa_err *e);
void rt_raw_free(gpa_rt *rt, rt_raw *r); /* NULL is ignored */
/* True if its device was restarted since: only rt_raw_free may be called. */
bool rt_raw_is_lost(const rt_raw *r);
typedef struct {
    const char *function;
    uint32_t grid[3], block[3];
    uint32_t shared; /* bytes of dynamic shared memory */
    const rt_raw_arg *args;
    size_t n_args;
} rt_raw_launch;
/* Queues a launch. Computes the arrays first, and pending work that reads them, since the kernel
 * may write any of them. The arrays must be contiguous and on the module's device. */
gpa_code rt_raw_run(gpa_rt *rt, rt_raw *r, const rt_raw_launch *l, gpa_err *e);
gpa_code rt_raw_fact(gpa_rt *rt, rt_raw *r, const char *function, raw_fact which, int64_t *out,
                     gpa_err *e);

/* A program's code on the current device as text: generated source of its last variant, IR,
 * assembly, resource use. Builds it if necessary. */
typedef enum { ARR_SOURCE, ARR_IR, ARR_ASM, ARR_RESOURCES } arr_text;
gpa_code arr_program_text(gpa_rt *rt, const struct kir_func *f, arr_launch_cache *cache,
                          arr_text what, gpa_str *out, gpa_err *e);
/* The resources of a thread block. */
typedef struct {
    uint32_t threads, shared; /* bytes of dynamic shared memory */
} arr_block;
/* A fact about a kernel's program (registers, shared memory; -1: unknown), and its occupancy:
 * resident blocks per multiprocessor. */
gpa_code arr_program_fact(gpa_rt *rt, const struct kir_func *f, arr_launch_cache *cache,
                          raw_fact which, int64_t *out, gpa_err *e);
gpa_code arr_program_blocks(gpa_rt *rt, const struct kir_func *f, arr_launch_cache *cache,
                            const arr_block *block, int64_t *out, gpa_err *e);

#endif
