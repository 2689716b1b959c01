/* The plugin contract: a device backend in about twenty functions.
 *
 * A backend receives verified kir, never the graph. It is loaded at first need and never unloaded.
 * "Not available, and why" is not an error. All functions are called from one thread at a time per
 * device, except `interrupt`. Work is queued in order: a later call sees the effects of an earlier
 * one on the same device; only `download` and `sync` wait. Streams change nothing in that but which
 * work may run at the same time. */
#ifndef GPA_BACKEND_H
#define GPA_BACKEND_H

#include "runtime/tables/dtype.h"
#include "runtime/base/err.h"
#include "runtime/ir/kir.h"
#include "runtime/ir/raw_module.h"

struct gpa_libcall; /* runtime/lib/libcall.h */
struct gpa_str;

enum { GPA_BACKEND_ABI = 1 };

/* The backend's own structures: an opened device, one allocation on it, one compiled program. */
typedef struct gpa_dev gpa_dev;
typedef struct gpa_mem gpa_mem;
typedef struct gpa_prog gpa_prog;
typedef struct gpa_raw gpa_raw;     /* a compiled module of raw.h */
typedef struct gpa_event gpa_event; /* a moment in a stream */

typedef struct {
    char name[16];                    /* "cuda:0", "cpu", "ref" */
    char desc[96];                    /* "NVIDIA H100 80GB HBM3", "AMD EPYC, 2 threads, AVX-512" */
    uint64_t mem_total, mem_free;     /* bytes; 0: not known */
    uint64_t dtypes;                  /* bit DT_x: programs may use it */
    uint32_t align;                   /* of an allocation, in bytes */
    uint32_t max_arrays, max_params;  /* of one program */
    uint32_t max_threads, max_shared; /* of a block, for KERNEL programs; 0: those cannot run */
    uint32_t units;                   /* threads or multiprocessors that share the work */
    bool host_visible; /* `base` gives host memory, which the host may access after `sync` */
    bool gpu;       /* a GPU: launches are asynchronous, and run at full clock only after a while */
    bool cuda_code; /* `dump` gives CUDA C as source and PTX as assembly */
    bool interprets; /* programs are interpreted: times say nothing about the hardware */
    int compute_major, compute_minor; /* CUDA compute capability; 0: none */
} gpa_caps;

/* A GLOBAL array bound for one launch. Strides are in elements and may be negative or 0; the
 * element at the origin is at `offset` elements from the start of the memory. VIRTUAL arrays have
 * mem NULL. */
typedef struct {
    gpa_mem *mem;
    int64_t offset;
    int64_t stride[KIR_MAX_DIMS];
    int64_t size[KIR_MAX_DIMS]; /* KERNEL: the array's own extents */
} gpa_binding;

/* What a PRINT said: its text's number, its arguments, and which thread of which block (counted
 * along x, then y, z). */
typedef struct {
    uint64_t block;
    uint32_t thread, text, n;
    gpa_val args[KIR_MAX_PRINT];
} gpa_printed;

typedef struct {
    int64_t size[KIR_MAX_DIMS]; /* MAP: extents of the space; an extent 0 runs nothing but REDUCE
                                   identities */
    uint32_t grid[3], block[3]; /* KERNEL */
    uint32_t shared;            /* KERNEL: bytes of dynamic shared memory */
    uint32_t stream; /* KERNEL: it may run beside what other streams do; 0: in the queue */
    const gpa_binding *arrays; /* one per kir_array (SHARED, LOCAL ones unused) */
    const gpa_val *params;     /* one per parameter */
    kir_fault_record
        *fault; /* where a fault is reported, at the latest by sync; NULL: the program has none */
    void (*say)(void *user, const gpa_printed *what); /* receives what a KERNEL prints, before run
                                                      returns; NULL: nobody listens */
    void *user;
} gpa_launch;

/* A launch of a raw function. An argument is an address (`at` bytes into mem) or, mem NULL, the
 * first `size` bytes of v. */
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

/* What `dump` may be asked for. */
typedef enum { GPA_DUMP_SOURCE, GPA_DUMP_IR, GPA_DUMP_ASM, GPA_DUMP_RESOURCES } gpa_dump;

/* What a device says about itself. */
typedef struct gpa_status {
    char name[96], driver[48];
    uint64_t total, used;         /* bytes, of all processes */
    uint64_t used_here;           /* by this process as the driver counts it; 0: not known */
    int utilisation, temperature; /* per cent, degrees Celsius; -1: not known */
    int others;                   /* other processes that compute on it; -1: not known */
} gpa_status;

typedef struct gpa_backend {
    uint32_t abi, size; /* GPA_BACKEND_ABI, sizeof(gpa_backend) */
    uint64_t
        tables; /* gpa_tables_hash(): op.def, dtype.def, kir.def as this plugin was built with */
    const char *name; /* "cuda" */

    /* Number of devices; 0 is not an error: `why` (a buffer of n bytes) says what is missing. */
    int (*count)(char *why, size_t n);
    gpa_code (*open)(int i, gpa_dev **out, gpa_err *e);
    void (*close)(gpa_dev *d);
    void (*caps)(gpa_dev *d, gpa_caps *out);

    /* Memory, uninitialised. GPA_E_MEMORY lets the caller trim and try again. */
    gpa_code (*alloc)(gpa_dev *d, size_t n, gpa_mem **out, gpa_err *e);
    void (*free)(gpa_dev *d, gpa_mem *m); /* safe while queued work uses it */
    void *(*base)(gpa_mem *m);            /* (optional: NULL) host_visible devices only */
    gpa_code (*upload)(gpa_dev *d, gpa_mem *to, size_t at, const void *from, size_t n,
                       gpa_err *e); /* `from` may be reused at return */
    gpa_code (*download)(gpa_dev *d, void *to, gpa_mem *from, size_t at, size_t n,
                         gpa_err *e); /* waits */
    gpa_code (*copy)(gpa_dev *d, gpa_mem *to, size_t to_at, gpa_mem *from, size_t from_at, size_t n,
                     gpa_err *e);
    /* The same from memory of another opened device of this backend, behind all that is queued
     * there. (optional: through the host) */
    gpa_code (*copy_from)(gpa_dev *d, gpa_mem *to, size_t to_at, gpa_dev *other, gpa_mem *from,
                          size_t from_at, size_t n, gpa_err *e);

    /* Programs. `build` compiles verified kir and keeps nothing of f. `run` queues. */
    gpa_code (*build)(gpa_dev *d, const kir_func *f, gpa_prog **out, gpa_err *e);
    void (*drop)(gpa_dev *d, gpa_prog *p);
    /* Seconds that launches of this program have spent compiling it further. (optional: `build`
     * does it all) */
    double (*compile_seconds)(const gpa_prog *p);
    /* How many launches of this program were interpreted, since its machine code was not there yet;
     * and a wait for all machine code that launches have begun to build in the background.
     * (optional, both NULL: nothing is interpreted) */
    uint64_t (*interpreted)(const gpa_prog *p);
    void (*finish_builds)(gpa_dev *d);
    gpa_code (*run)(gpa_dev *d, gpa_prog *p, const gpa_launch *l, gpa_err *e);
    /* Such a launch will come: what it makes the device compile may be begun in the background.
     * Memory may be missing (mem NULL): it will be aligned as an allocation is. (optional) */
    void (*prepare)(gpa_dev *d, gpa_prog *p, const gpa_launch *l);
    gpa_code (*dump)(gpa_dev *d, gpa_prog *p, gpa_dump what, struct gpa_str *out, gpa_err *e);

    /* Library calls (matrix products, sorts, FFT ...). lib_can says whether this one can be done
     * here; if not the caller has another way. (optional: both NULL) */
    bool (*lib_can)(gpa_dev *d, const struct gpa_libcall *c);
    gpa_code (*lib_run)(gpa_dev *d, const struct gpa_libcall *c, gpa_err *e);

    /* Waits for all queued work and reports the first failure of it. */
    gpa_code (*sync)(gpa_dev *d, gpa_err *e);
    /* The device's own clock: `begin` marks the queue; without it, waits for all that is queued and
     * gives the seconds since that mark, negative after a failure. (optional: the host's clock
     * does) */
    double (*clock)(gpa_dev *d, bool begin);
    /* Makes running programs end soon with GPA_E_INTERRUPT from sync or run; callable from any
     * thread or a signal handler. `on` false takes the request back. */
    void (*interrupt)(gpa_dev *d, bool on);

    /* Whether the device itself has failed, so that nothing works on it any more and what its
     * memory held is lost, or is held by a program that did not end when it was asked to; and a
     * fresh start of such a device, GPA_E_DEVICE when it cannot be had. Memory and programs made
     * before are only good for free and drop. (optional, both NULL: it never fails as a whole) */
    bool (*broken)(gpa_dev *d);
    gpa_code (*restart)(gpa_dev *d, gpa_err *e);

    /* Programs in the device's own language (optional, all NULL). raw_build: the compiler's
     * complaints are a GPA_E_COMPILE. raw_run queues; a function that is not there or an argument
     * that does not fit is a ValueError or TypeError. Modules made before a restart are only good
     * for raw_drop. */
    gpa_code (*raw_build)(gpa_dev *d, const raw_source *s, gpa_raw **out, gpa_err *e);
    void (*raw_drop)(gpa_dev *d, gpa_raw *r);
    gpa_code (*raw_run)(gpa_dev *d, gpa_raw *r, const gpa_raw_launch *l, gpa_err *e);
    gpa_code (*raw_fact)(gpa_dev *d, gpa_raw *r, const char *function, raw_fact which, int64_t *out,
                         gpa_err *e);

    /* A number of the device, by the driver's number of it (lang/typed/cuda_attribute.def). Of a
     * KERNEL program that was launched (else -1): a fact, and how many blocks of so many threads
     * and bytes of dynamic shared memory a multiprocessor can have at a time. (optional, all NULL)
     */
    gpa_code (*attribute)(gpa_dev *d, int which, int *out, gpa_err *e);
    gpa_code (*fact)(gpa_dev *d, gpa_prog *p, raw_fact which, int64_t *out, gpa_err *e);
    gpa_code (*occupancy)(gpa_dev *d, gpa_prog *p, uint32_t threads, uint32_t shared, int *out,
                          gpa_err *e);

    /* Streams, which are numbers from 1: launches of different ones may run at the same time, as
     * far as the memory that they use lets them, and beside the queue. What `sync` waits for
     * includes them. stream_wait and event_wait wait for theirs; *faulted: something that has ended
     * reports a fault, which sync will say. stream_query does not wait (0: the queue and all
     * streams). An event is recorded in a stream (0: in the queue, behind all streams); a stream
     * that follows one goes on when it has passed. Times between events are in milliseconds.
     * (optional, all NULL: all work is in the queue) */
    gpa_code (*stream_wait)(gpa_dev *d, uint32_t stream, bool *faulted, gpa_err *e);
    gpa_code (*stream_query)(gpa_dev *d, uint32_t stream, bool *done, gpa_err *e);
    gpa_code (*event_new)(gpa_dev *d, gpa_event **out, gpa_err *e);
    void (*event_free)(gpa_dev *d, gpa_event *x);
    gpa_code (*event_record)(gpa_dev *d, gpa_event *x, uint32_t stream, gpa_err *e);
    gpa_code (*event_follow)(gpa_dev *d, gpa_event *x, uint32_t stream, gpa_err *e);
    gpa_code (*event_wait)(gpa_dev *d, gpa_event *x, bool *faulted, gpa_err *e);
    gpa_code (*event_query)(gpa_dev *d, gpa_event *x, bool *passed, gpa_err *e);
    gpa_code (*event_elapsed)(gpa_dev *d, gpa_event *from, gpa_event *to, double *ms, gpa_err *e);

    /* What device number i says about itself; it need not be open, and is not opened. (optional) */
    gpa_code (*status)(int i, gpa_status *out, gpa_err *e);
} gpa_backend;

/* The plugin's one exported symbol; NULL when it does not speak this abi. */
typedef const gpa_backend *(*gpa_backend_entry_fn)(uint32_t abi);
#define GPA_BACKEND_ENTRY "gpa_backend_entry"

/* The backend built into the core: interprets kir and checks every bound. */
extern const gpa_backend gpa_ref_backend;

uint64_t gpa_tables_hash(void);

#endif
