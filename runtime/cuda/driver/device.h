/* The device: its context, streams, pinned memory and fault records, and the state that the rooms
 * above the driver keep in it. */
#ifndef GPA_CUDA_DRIVER_DEVICE_H
#define GPA_CUDA_DRIVER_DEVICE_H

#include "runtime/backend.h"
#include "runtime/cuda/driver/api.h"

enum {
    FAULT_SLOTS = 256,
    FAULT_LOCK_BYTES = 16,
    SEEN_WORDS = 16,   /* copies of an interrupt flag in device memory, */
    SEEN_STRIDE = 128, /* each in a cache line of its own */
    SEEN_BYTES = SEEN_WORDS * SEEN_STRIDE,
    COUNTERS = 1 << 16,
    MARKS = 16,
    USER_STREAMS = 32
};

/* The compilation target. */
typedef struct {
    int major, minor; /* compute capability */
    bool fast_math, contract, line_info;
    bool specific; /* with the instructions of this architecture alone (sm_90a) */
    bool cubin;    /* machine code, for a driver that does not support the compiler's PTX version */
} cu_target;

struct gpa_mem {
    CUdeviceptr address;
    size_t n;
    bool foreign;            /* adopted: another library frees it */
    unsigned generation;     /* generation of the device in which it was allocated */
    uint64_t queued;         /* stream.c: the number of its latest use in the queue */
    uint64_t epoch;          /* stream.c: the epoch in which `users` and `writers` are valid */
    uint32_t users, writers; /* bit per user stream: it used, or wrote, the memory */
};

/* Fault records of launches in flight: slot i belongs to one launch. */
typedef struct {
    kir_fault_record *to[FAULT_SLOTS]; /* per slot: where the caller wants the record */
    uint32_t n;                        /* slots in use */
    kir_fault_record *host;            /* in cu_mapped; the device writes the records */
    CUdeviceptr address;               /* device address of the records */
    CUdeviceptr locks, seen; /* FAULT_LOCK_BYTES and SEEN_BYTES per slot, in device memory */
} cu_faults;

/* Pinned memory that host and device access. */
typedef struct {
    kir_fault_record faults[FAULT_SLOTS];
    int interrupt[FAULT_SLOTS]; /* interrupt.h */
    int spent;                  /* the interpreter has exceeded its budget */
    char word[1024];            /* staging of small downloads */
} cu_mapped;

/* Marks (events) in the queue that the device has not passed yet, and the estimated seconds of work
 * before each (wait.c). */
typedef struct {
    CUevent mark[MARKS];
    double cost[MARKS];
    int first, n, allowed; /* a ring; `allowed` marks may be outstanding */
    unsigned launches;
    double queued, since; /* seconds before the marks; after the last one */
} cu_throttle;

/* A stream of the user, next to the queue (stream.c). */
typedef struct {
    CUstream stream;
    CUevent mark;
    uint64_t followed; /* it waits for all work in the queue up to this number */
} cu_user_stream;

/* Functions of the rooms above the driver, called when a context was created, before it is
 * destroyed, and when it must be leaked because a program in it does not end: they then forget the
 * objects that belong to it. */
typedef struct {
    void (*open)(gpa_dev *d);
    void (*close)(gpa_dev *d);
    void (*abandon)(gpa_dev *d);
} cu_context_hooks;

struct gpa_dev {
    const cu_driver *cu;
    const cu_context_hooks *hooks;
    int number;
    CUdevice device;
    CUcontext context;
    CUstream stream; /* the queue */
    cu_user_stream user_streams[USER_STREAMS];
    uint32_t busy;    /* bit per user stream: it had work in this epoch */
    uint64_t epoch;   /* stream.c */
    uint64_t queued;  /* number of the latest work in the queue */
    uint64_t touched; /* the number of the latest work that may use any memory */
    CUmemoryPool pool;
    CUevent done, clock[2]; /* clock: created at first use */
    unsigned generation;    /* counts contexts */
    bool checks_memory;     /* GPA_MEMORY_CHECK: fill fresh and freed memory with NaN */
    bool second_context;    /* the context replaces one that a program still holds: libraries, which
                               synchronize with all contexts, are not called */
    bool stuck; /* the wait for `done` was abandoned: nothing is queued before it has passed
                   (wait_usable) */
    cu_target target;
    uint32_t units, max_threads, max_shared;
    cu_mapped *mapped;
    CUdeviceptr mapped_address, interrupt_address;
    int *interrupt;   /* mapped->interrupt; NULL: not allocated. Atomic */
    int is_requested; /* the user has requested that all work ends. Atomic */
    cu_faults faults;
    CUdeviceptr counters; /* zero between launches */
    cu_throttle throttle;
    struct gpa_graph *recording; /* graph.h: launches go there; NULL: into the queue */
    struct cu_ring *ring;        /* transfer.c: created at the first large copy */
    int transfer_threads;        /* of large copies; 0: copies go through the driver */
    uint64_t peers;              /* bit per device number: peer access to this pool was decided */
    /* State of the rooms above. */
    struct cu_builder *builder;
    struct cu_interpreter *interpreter;
    const cu_blas *blas;
    cublasHandle_t blas_handle;
    const cu_fft *fft;
    struct cu_fft_plans *fft_plans;
    const cu_solver *solver;
    cusolverDnHandle_t solver_handle;
    cusolverDnParams_t solver_params;
    const cu_sparse *sparse;
    cusparseHandle_t sparse_handle;
    struct cu_batched *batched;     /* batched.c: compiled kernels */
    struct cu_search *search;       /* search.c: likewise */
    struct cu_attention *attention; /* attention.c: likewise */
};

#endif
