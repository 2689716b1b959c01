/* Programs and their compiled variants, and the device that runs them. */
#ifndef GPA_CUDA_BUILD_PROGRAM_H
#define GPA_CUDA_BUILD_PROGRAM_H

#include "runtime/backend.h"
#include "runtime/cuda/build/background.h"
#include "runtime/cuda/emit/emit.h"

enum {
    FAULT_SLOTS = 256,
    FAULT_LOCK_BYTES = 16,
    SEEN_WORDS = 16,
    SEEN_STRIDE = 128,
    SEEN_BYTES = SEEN_WORDS * SEEN_STRIDE,
    SCRATCH_BYTES = 8 << 20,
    COUNTERS = 1 << 16,
    MARKS = 16,
    USER_STREAMS = 32
};

struct gpa_mem {
    CUdeviceptr at;
    size_t n;
    unsigned life;   /* of the device's, in which it was made */
    uint64_t queued; /* stream.c: when the queue used it last, */
    uint64_t round;  /* and in this round these streams: */
    uint32_t users, writers;
};

/* One program that may have faulted: slot i of the records, and where its caller wants to read it.
 */
typedef struct {
    kir_fault_record *to[FAULT_SLOTS];
    uint32_t n;             /* slots in use */
    kir_fault_record *host; /* in cu_shared; the device writes them */
    CUdeviceptr seen, locks,
        told; /* the records as the device sees them; FAULT_LOCK_BYTES, SEEN_BYTES bytes each */
} cu_faults;

/* Pinned memory that host and device see. */
typedef struct {
    kir_fault_record faults[FAULT_SLOTS];
    int stop[FAULT_SLOTS]; /* interrupt.h */
    int spent;             /* the interpreter has given a launch up */
    char word[1024];       /* a few bytes on their way to the host */
} cu_shared;

/* Marks in the queue that the device has not passed yet, and about how many seconds of work stand
 * before each (wait.c). */
typedef struct {
    CUevent mark[MARKS];
    double cost[MARKS];
    int first, n, allowed;
    unsigned launches;
    double queued, since; /* before marks; behind the last one */
} cu_throttle;

/* A stream beside the queue (stream.c). */
typedef struct {
    CUstream stream;
    CUevent mark;
    uint64_t followed; /* of gpa_dev.queued: it waits for all that was in the queue then */
} cu_user_stream;

struct gpa_dev {
    const cu_driver *cu;
    int number;
    CUdevice device;
    CUcontext context;
    CUstream stream;
    cu_user_stream sides[USER_STREAMS];
    uint32_t busy; /* bit per side: it had work in this round */
    uint64_t round, queued,
        touched; /* rounds; what was put in the queue; the last of it that may use any memory */
    CUmemoryPool pool;
    CUevent done, clock[2]; /* clock: made when it is first asked for */
    unsigned life;          /* counts contexts */
    bool checks_memory;     /* GPA_MEMORY_CHECK: what is made or given back becomes NaN */
    bool beside; /* the context stands beside one that is held: libraries, which wait for all of
                    them, are not called */
    bool stuck;  /* the wait for `done` was given up: nothing is queued before it has passed
                    (wait_usable) */
    cu_target target;
    uint32_t units, max_threads, max_shared;
    cu_shared *shared;
    CUdeviceptr shared_seen, stop_seen;
    int *stop; /* shared->stop; NULL: there is none */
    int asked; /* whether the user wants all work to end */
    cu_faults faults;
    CUdeviceptr counters; /* zero between launches */
    cu_throttle pace;
    struct cu_ring *ring; /* transfer.c: made at the first large copy */
    int transfer_threads; /* of large copies; 0: as the driver does them */
    uint64_t shared_with; /* bit per device number: whether it may reach this pool was settled */
    const cu_blas *blas;
    cublasHandle_t blas_handle;
    const cu_fft *fft;
    struct cu_fft_plans *fft_plans;
    const cu_solver *solver;
    cusolverDnHandle_t solver_handle;
    cusolverDnParams_t solver_params;
    struct cu_batched *small;   /* small.c: its programs so far */
    struct cu_search *search; /* search.c: likewise */
    const cu_sparse *sparse;
    cusparseHandle_t sparse_handle;
    cu_builder *builder;
    struct cu_interpreter *interpreter;
};

typedef struct {
    cu_plan plan;
    cu_source source;
    char *ptx;
    CUmodule module,
        first; /* first: the quick build that was replaced; launches of it may still be queued */
    CUfunction function; /* NULL: it is being built for the first time */
    cu_effort effort;
    cu_job *job;      /* that build, or later the full one, on its way */
    double points;    /* computed so far by the quick build */
    bool interpreted; /* such a launch went to the interpreter */
    gpa_val *numbers; /* the parameters that are compiled in; NULL: it serves any */
    gpa_val *latest;  /* those of the latest launch, */
    uint32_t alike;   /* and how many launches in a row had them */
} cu_variant;

struct gpa_prog {
    kir_func copy;
    cu_facts facts;
    cu_variant *variants;
    size_t n_variants, cap_variants,
        ran;              /* ran: the index of the one that served the latest launch */
    double seconds;       /* spent on compiling them */
    struct ic_code *code; /* for the interpreter; NULL: it is not known yet, or cannot be */
    bool coded;           /* it is known */
    uint8_t when;         /* interpret_when */
    uint64_t interpreted; /* launches so far */
    unsigned life;        /* of the device's, in which they were loaded */
};

gpa_code program_new(const kir_func *f, gpa_prog **out, gpa_err *e);
void program_free(gpa_dev *d, gpa_prog *p);
/* The variant for a plan, which will now compute so many points with these parameters: compiled
 * quickly and loaded at first need, again and better in the background when it has computed many,
 * and once more with the parameters as literals when it waits for instructions and they stay as
 * they are. Valid until the next call. */
gpa_code program_variant(gpa_dev *d, gpa_prog *p, const cu_plan *plan, double points,
                         const gpa_val *numbers, const cu_variant **out, gpa_err *e);
/* Whether a launch goes to the interpreter, since the variant for its plan is not there and is not
 * waited for: it is built in the background. */
bool program_interprets(gpa_dev *d, gpa_prog *p, const cu_plan *plan, double points);
/* It has taken too long in the interpreter: not again. */
void program_not_interpreted(gpa_prog *p);
/* Begins to build in the background the variant for a plan that will be wanted, unless it is there
 * or on disk. */
void program_begin(gpa_dev *d, gpa_prog *p, const cu_plan *plan, double points);
/* The same for a launch that will come; nothing if it cannot be told what it will need. */
void program_prepare(gpa_dev *d, gpa_prog *p, const gpa_launch *l);
/* Queues a launch. */
gpa_code program_run(gpa_dev *d, gpa_prog *p, const gpa_launch *l, gpa_err *e);
/* Hands the reports of faults over to those who wait for them; all work is done. */
void fault_deliver(gpa_dev *d);
/* Nobody waits for those reports any more, though work may still be under way. `stopped`: whoever
 * expects one is told that it was interrupted. */
void fault_discard(gpa_dev *d, bool stopped);

#endif
