/* The device plugin interface: what a backend implements to run kir programs on a device.
 *
 * A backend receives verified kir (runtime/ir/kir.h), never the expression graph. It is loaded
 * at first need and never unloaded. "Not available, and why" is not an error. An optional
 * function may be NULL; its comment says what that means.
 *
 * Threads: one at a time per device, except for `interrupt`. Order: work is queued, and a later
 * call sees the effects of earlier ones on the same device; only `download`, `sync` and the
 * *_wait functions wait. Streams only change which work may run concurrently.
 *
 * Errors: functions return a code and fill *e. Faults of programs (an index out of bounds) are
 * not errors of `run`: they are reported through gpa_launch.fault. */
#ifndef GPA_BACKEND_H
#define GPA_BACKEND_H

#include "runtime/tables/dtype.h"
#include "runtime/base/err.h"
#include "runtime/ir/kir.h"
#include "runtime/ir/raw_module.h"

struct gpa_libcall; /* runtime/ir/libcall.h */
struct gpa_str;

enum { GPA_BACKEND_ABI = 1 };

/* The backend's own structures: an opened device, an allocation, a compiled program. */
typedef struct gpa_dev gpa_dev;
typedef struct gpa_mem gpa_mem;
typedef struct gpa_prog gpa_prog;
typedef struct gpa_raw gpa_raw;     /* a compiled module (ir/raw_module.h) */
typedef struct gpa_event gpa_event; /* an event in a stream */
typedef struct gpa_graph gpa_graph; /* launches that one call queues */

typedef struct {
    char name[16];                    /* "cuda:0", "cpu", "ref" */
    char desc[96];                    /* "NVIDIA H100 80GB HBM3", "AMD EPYC, 2 threads, AVX-512" */
    uint64_t mem_total, mem_free;     /* bytes; 0: unknown */
    uint64_t dtypes;                  /* bit DT_x: programs may use the dtype */
    uint32_t align;                   /* of an allocation, in bytes */
    uint32_t max_arrays, max_params;  /* of one program */
    uint32_t max_threads, max_shared; /* of a block of a KERNEL program; 0: unsupported */
    uint32_t units;                   /* CPU threads or multiprocessors */
    bool host_visible; /* `base` gives host memory, which the host may access after `sync` */
    bool gpu;       /* a GPU: launches are asynchronous, and run at full clock only after a while */
    bool cuda_code; /* `dump` gives CUDA C as source and PTX as assembly */
    bool interprets; /* programs are interpreted: times say nothing about the hardware */
    bool graphs;     /* graph_begin and its companions work */
    int compute_major, compute_minor; /* CUDA compute capability; 0: none */
} gpa_caps;

/* A copy of n bytes from one allocation to another. */
typedef struct {
    gpa_mem *to, *from;
    size_t to_at, from_at, n;
} gpa_copy;

/* A GLOBAL array bound for one launch. Strides are in elements and may be negative or 0;
 * `offset` is that of the element at the origin, in elements from the start of the memory.
 * VIRTUAL arrays have mem NULL. */
typedef struct {
    gpa_mem *mem;
    int64_t offset;
    int64_t stride[KIR_MAX_DIMS];
    int64_t size[KIR_MAX_DIMS]; /* KERNEL: the array's own extents */
} gpa_binding;

/* One execution of a PRINT: its text's index, its n arguments, and the linear index (x fastest)
 * of the thread in its block and of the block. */
typedef struct {
    uint64_t block;
    uint32_t thread, text, n;
    gpa_val args[KIR_MAX_PRINT];
} gpa_printed;

/* How one launch may be divided among devices that run the same program on copies of the same
 * memory, with the bits of an undivided launch. POINTS: by ranges of outer points. PARTS: a
 * reduction, by ranges of the parts of the inner points whose partial states are joined at the end.
 */
typedef enum { GPA_SHARE_NONE, GPA_SHARE_POINTS, GPA_SHARE_PARTS } gpa_share_form;
typedef struct {
    gpa_share_form form;
    uint8_t ndim, dims[KIR_MAX_DIMS]; /* the dimensions divided: outer (POINTS) or inner ones
                                         (PARTS), the last varies fastest */
    int64_t n;                        /* POINTS: points.  PARTS: parts */
    int64_t unit; /* POINTS: ranges begin at multiples of it.  PARTS: inner points of a part */
    size_t bytes; /* PARTS: of the states of a part */
} gpa_share_plan;

/* The share of one device: the points or parts [lo, hi). */
typedef struct {
    gpa_share_form form;
    int64_t lo, hi;
    /* PARTS: `states` has those of all parts, of which [lo, hi) are computed. *finish: the others
     * have been filled in, and this device joins them and finishes the launch. */
    gpa_code (*join)(void *user, char *states, bool *finish, gpa_err *e);
    void *user;
} gpa_share;

/* Host access to memory that `base` gives the address of. */
typedef enum {
    GPA_HOST_READ,
    GPA_HOST_WRITE, /* and reads */
    GPA_HOST_KEEP   /* from now on, at any time: others have the address */
} gpa_host_use;
typedef struct {
    size_t at, n; /* the bytes */
    gpa_host_use use;
} gpa_host_access;

typedef struct {
    /* MAP: extents of the iteration space; with an extent 0 only REDUCE identities are stored. */
    int64_t size[KIR_MAX_DIMS];
    uint32_t grid[3], block[3]; /* KERNEL */
    uint32_t shared;            /* KERNEL: bytes of dynamic shared memory */
    uint32_t stream; /* KERNEL: may run concurrently with other streams; 0: in the queue */
    const gpa_binding *arrays; /* one per kir_array (SHARED, LOCAL ones unused) */
    const gpa_val *params;     /* one per parameter */
    /* Where a fault is reported, at the latest by sync; NULL: the program cannot fault. */
    kir_fault_record *fault;
    bool uninterrupted;     /* a short launch, which runs to its end even if it is interrupted */
    const gpa_share *share; /* MAP: only this share, as plan_share allows; NULL: all of it */
    /* Receives what a KERNEL prints, before `run` returns; NULL: output is dropped. */
    void (*print)(void *user, const gpa_printed *what);
    void *user;
} gpa_launch;

/* An argument of a raw kernel: an address (`at` bytes into mem) or, mem NULL, the first `size`
 * bytes of v. */
typedef struct {
    gpa_mem *mem;
    size_t at, size;
    gpa_val v;
} gpa_raw_arg;

typedef struct {
    const char *function;
    uint32_t grid[3], block[3], shared;
    const gpa_raw_arg *args;
    size_t n_args;
} gpa_raw_launch;

/* The texts that `dump` gives. */
typedef enum { GPA_DUMP_SOURCE, GPA_DUMP_IR, GPA_DUMP_ASM, GPA_DUMP_RESOURCES } gpa_dump;

/* Status of a GPU from its driver. */
typedef struct gpa_status {
    char name[96], driver[48];
    uint64_t total, used;         /* bytes, of all processes */
    uint64_t used_here;           /* by this process; 0: unknown */
    int utilisation, temperature; /* per cent, degrees Celsius; -1: unknown */
    int others;                   /* other processes that compute on it; -1: unknown */
} gpa_status;

/* Traffic between the processes of a device. */
typedef struct {
    uint64_t bytes, messages;
    const char *why;   /* of the bytes: "halo" ...; NULL: none */
    const char *alone; /* why the last large launch or call was not divided; NULL: it was */
} gpa_traffic;

typedef struct gpa_backend {
    uint32_t abi, size; /* GPA_BACKEND_ABI, sizeof(gpa_backend) */
    uint64_t tables;    /* gpa_tables_hash() of the tables that this plugin was built with */
    const char *name;   /* "cuda" */

    /* Number of devices; 0 is not an error: `why` (n bytes) gets the reason. */
    int (*count)(char *why, size_t n);
    gpa_code (*open)(int i, gpa_dev **out, gpa_err *e);
    void (*close)(gpa_dev *d);
    void (*caps)(gpa_dev *d, gpa_caps *out);

    /* Allocates n bytes, uninitialised. On GPA_E_MEMORY the caller trims its pool and tries
     * again. */
    gpa_code (*alloc)(gpa_dev *d, size_t n, gpa_mem **out, gpa_err *e);
    void (*free)(gpa_dev *d, gpa_mem *m); /* allowed while queued work uses it */
    /* The address of the memory, in the host if host_visible, else in the device. (optional: NULL)
     */
    void *(*base)(gpa_mem *m);
    /* Makes host memory current before the host uses it, until the next launch. (optional:
     * host-visible memory always is) */
    gpa_code (*host_access)(gpa_dev *d, gpa_mem *m, const gpa_host_access *x, gpa_err *e);
    /* n bytes at such an address that stay the caller's, as memory of the device; `free` ends that,
     * after the work that uses it. (optional: the contents are copied) */
    gpa_code (*adopt)(gpa_dev *d, void *at, size_t n, gpa_mem **out, gpa_err *e);
    /* Waits for all work that other libraries of this process have queued on the device. (optional:
     * there are none) */
    gpa_code (*sync_others)(gpa_dev *d, gpa_err *e);
    gpa_code (*upload)(gpa_dev *d, gpa_mem *to, size_t at, const void *from, size_t n,
                       gpa_err *e); /* `from` may be reused on return */
    gpa_code (*download)(gpa_dev *d, void *to, gpa_mem *from, size_t at, size_t n,
                         gpa_err *e); /* waits */
    gpa_code (*copy)(gpa_dev *d, const gpa_copy *c, gpa_err *e);
    /* Peer copy from another opened device of this backend, after the work queued there.
     * (optional: copies go through the host) */
    gpa_code (*copy_from)(gpa_dev *d, gpa_dev *other, const gpa_copy *c, gpa_err *e);

    /* Programs. `build` compiles verified kir and keeps no pointer into f. `run` queues a
     * launch. `drop` frees a program that no queued work uses. */
    gpa_code (*build)(gpa_dev *d, const kir_func *f, gpa_prog **out, gpa_err *e);
    void (*drop)(gpa_dev *d, gpa_prog *p);
    /* Seconds that launches of this program spent compiling variants of it. (optional: `build`
     * compiles everything) */
    double (*compile_seconds)(const gpa_prog *p);
    /* Number of launches of this program that an interpreter ran because it was not compiled
     * yet; and a wait for all background compilation. (optional, both: nothing is interpreted) */
    uint64_t (*interpreted)(const gpa_prog *p);
    void (*finish_builds)(gpa_dev *d);
    gpa_code (*run)(gpa_dev *d, gpa_prog *p, const gpa_launch *l, gpa_err *e);
    /* How the launch of a MAP may be divided. (optional: not at all) */
    gpa_code (*plan_share)(gpa_dev *d, gpa_prog *p, const gpa_launch *l, gpa_share_plan *out,
                           gpa_err *e);
    /* Announces a launch, so that its compilation can begin in the background. Memory that is
     * not allocated yet is NULL; assume the alignment of an allocation. (optional) */
    void (*prepare)(gpa_dev *d, gpa_prog *p, const gpa_launch *l);
    gpa_code (*dump)(gpa_dev *d, gpa_prog *p, gpa_dump what, struct gpa_str *out, gpa_err *e);

    /* Graphs. Between graph_begin and graph_end `run` records launches instead of queueing them: in
     * a new graph (*g NULL), else in place of those that *g has. graph_end: *ready is false if the
     * launches cannot be recorded: one is not compiled yet, may fault, or they are not like those
     * of *g; the graph may then only be freed. graph_keep: the next launch is the one that *g has
     * at its place. graph_run queues the recorded launches, in order, on the memory that they were
     * recorded with; until graph_free the programs must exist. graph_free is allowed while the
     * graph runs. (optional, all: see caps.graphs) */
    gpa_code (*graph_begin)(gpa_dev *d, gpa_graph **g, gpa_err *e);
    void (*graph_keep)(gpa_dev *d);
    gpa_code (*graph_end)(gpa_dev *d, gpa_graph *g, bool *ready, gpa_err *e);
    gpa_code (*graph_run)(gpa_dev *d, gpa_graph *g, gpa_err *e);
    void (*graph_free)(gpa_dev *d, gpa_graph *g);

    /* Library calls (GEMM, sorts, FFT ...). lib_can: true if the device supports this call; if
     * not, the caller uses a program or the host. (optional, both) */
    bool (*lib_can)(gpa_dev *d, const struct gpa_libcall *c);
    gpa_code (*lib_run)(gpa_dev *d, const struct gpa_libcall *c, gpa_err *e);

    /* Waits for all queued work and reports its first failure. */
    gpa_code (*sync)(gpa_dev *d, gpa_err *e);
    /* The device's clock: with `begin`, marks the current point of the queue; without, waits for
     * all queued work and gives the seconds since the mark, negative after a failure. (optional:
     * the host's clock is used) */
    double (*clock)(gpa_dev *d, bool begin);
    /* Makes running programs end soon, with GPA_E_INTERRUPT from sync or run; `on` false
     * withdraws the request. Callable from any thread and from signal handlers. */
    void (*interrupt)(gpa_dev *d, bool on);

    /* broken: the device has failed as a whole and its memory contents are lost, or a program
     * that ignores interrupts holds it. restart: makes such a device usable again, or fails with
     * GPA_E_DEVICE; older memory and programs may then only be freed and dropped. (optional,
     * both: the device never fails as a whole) */
    bool (*broken)(gpa_dev *d);
    gpa_code (*restart)(gpa_dev *d, gpa_err *e);

    /* Raw kernels: programs in the device's own language (optional, all). raw_build: compiler
     * errors are GPA_E_COMPILE. raw_run queues a launch; an unknown function or an argument that
     * does not fit is a ValueError or TypeError. Modules older than a restart may only be
     * dropped. */
    gpa_code (*raw_build)(gpa_dev *d, const raw_source *s, gpa_raw **out, gpa_err *e);
    void (*raw_drop)(gpa_dev *d, gpa_raw *r);
    gpa_code (*raw_run)(gpa_dev *d, gpa_raw *r, const gpa_raw_launch *l, gpa_err *e);
    gpa_code (*raw_fact)(gpa_dev *d, gpa_raw *r, const char *function, raw_fact which, int64_t *out,
                         gpa_err *e);

    /* attribute: a device attribute by the driver's numbering. For a KERNEL program that was
     * launched (else -1), fact: registers, memory ...; occupancy: resident blocks per
     * multiprocessor for so many threads and bytes of dynamic shared memory. (optional, all) */
    gpa_code (*attribute)(gpa_dev *d, int which, int *out, gpa_err *e);
    gpa_code (*fact)(gpa_dev *d, gpa_prog *p, raw_fact which, int64_t *out, gpa_err *e);
    gpa_code (*occupancy)(gpa_dev *d, gpa_prog *p, uint32_t threads, uint32_t shared, int *out,
                          gpa_err *e);

    /* Streams, numbered from 1. Launches of different streams may run concurrently with each
     * other and with the queue, unless they use the same memory. `sync` waits for streams too;
     * stream_wait and event_wait wait for one stream or event; *faulted: finished work has
     * reported a fault, which `sync` will return. stream_query does not wait (0: the queue and
     * all streams). An event is recorded in a stream (0: in the queue, after all streams);
     * event_follow makes a stream wait for it. Elapsed times are in milliseconds. (optional,
     * all: all work is in the queue) */
    gpa_code (*stream_wait)(gpa_dev *d, uint32_t stream, bool *faulted, gpa_err *e);
    gpa_code (*stream_query)(gpa_dev *d, uint32_t stream, bool *done, gpa_err *e);
    gpa_code (*event_new)(gpa_dev *d, gpa_event **out, gpa_err *e);
    void (*event_free)(gpa_dev *d, gpa_event *x);
    gpa_code (*event_record)(gpa_dev *d, gpa_event *x, uint32_t stream, gpa_err *e);
    gpa_code (*event_follow)(gpa_dev *d, gpa_event *x, uint32_t stream, gpa_err *e);
    gpa_code (*event_wait)(gpa_dev *d, gpa_event *x, bool *faulted, gpa_err *e);
    gpa_code (*event_query)(gpa_dev *d, gpa_event *x, bool *passed, gpa_err *e);
    gpa_code (*event_elapsed)(gpa_dev *d, gpa_event *from, gpa_event *to, double *ms, gpa_err *e);

    /* Status of device number i, which is not opened. (optional) */
    gpa_code (*status)(int i, gpa_status *out, gpa_err *e);

    /* A backend over another one, whose devices of several processes it joins to one (optional,
     * all). wrap: names the other backend, before any other call. serve: in a process that is a
     * worker, runs what the others ask for until the end. traffic: what was exchanged since the
     * last call. describe: the processes as text. renew: starts the workers again; memory and
     * programs stay. */
    void (*wrap)(const struct gpa_backend *inner);
    gpa_code (*serve)(gpa_err *e);
    void (*traffic)(gpa_dev *d, gpa_traffic *out);
    void (*describe)(gpa_dev *d, struct gpa_str *out);
    gpa_code (*renew)(gpa_dev *d, gpa_err *e);
} gpa_backend;

/* The plugin's one exported symbol; returns NULL for an ABI version it does not implement. */
typedef const gpa_backend *(*gpa_backend_entry_fn)(uint32_t abi);
#define GPA_BACKEND_ENTRY "gpa_backend_entry"

/* The reference backend, built into the core: interprets kir and checks every access. */
extern const gpa_backend gpa_ref_backend;

/* Hash of the tables and structures shared by the core and its plugins (exec/abi_hash.c). */
uint64_t gpa_tables_hash(void);

#endif
