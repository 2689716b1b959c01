/* The array runtime: lazy N-dimensional arrays on CPU and GPU, with NumPy's semantics. With
 * libcalls.h and programs.h all that lang/ includes of runtime/ besides the tables and base
 * headers.
 *
 * An array (gpa_arr) is a reference-counted handle: a strided view of a storage. A storage is
 * either computed (device memory) or pending (a node of the lazy expression graph); results
 * never depend on which. Every function that makes an array checks shapes and dtypes
 * immediately, with NumPy's errors, and normally only records the operation.
 *
 * Ownership: arguments are borrowed; an array returned through `out` is owned by the caller
 * (arr_release). On failure nothing is returned, unless the function says otherwise. Threads:
 * one at a time per runtime, except rt_interrupt. */
#ifndef GPA_RUNTIME_H
#define GPA_RUNTIME_H

#include "runtime/base/base.h"
#include "runtime/tables/dtype.h"
#include "runtime/base/err.h"
#include "runtime/tables/op.h"
#include "runtime/base/str.h"

enum { GPA_MAX_DIMS = 64 };

/* A set of axes: bit per axis. */
typedef uint64_t gpa_axes;
static inline gpa_axes gpa_axis(int axis) { return UINT64_C(1) << axis; }
/* Axes 0 to n - 1. */
static inline gpa_axes gpa_first_axes(int n) { return n < 64 ? gpa_axis(n) - 1 : UINT64_MAX; }

typedef struct gpa_rt gpa_rt;

/* The handle. Fields are for reading; only runtime/ writes them. */
typedef struct gpa_arr {
    int32_t refs;
    uint8_t dtype; /* gpa_dtype */
    uint8_t ndim;
    bool readonly; /* stores fail: a broadcast view, or not WRITEABLE */
    int64_t size;  /* elements */
    /* Of the first element, in elements of this dtype from the start of the storage. */
    int64_t offset;
    int64_t *shape, *strides; /* ndim each; strides in elements */
    struct gpa_storage *storage;
    struct gpa_arr *base; /* ndarray.base (owned): the array it is a view of; NULL: owns its data */
} gpa_arr;

/* An operand: an array, or (arr NULL) a scalar. With `weak` set it is a Python scalar (NEP 50):
 * `v` holds BOOL, I64, F64 or C128 as dtype says, and an int beyond int64 is U64, or beyond that
 * the nearest F64. With WEAK_NO it is a NumPy scalar of that dtype. */
typedef struct {
    gpa_arr *arr;
    gpa_weak weak;
    bool last;     /* the last use of the array: a store may take over its memory or value */
    bool sequence; /* made from a list or tuple, whose nesting depth NumPy checks */
    bool element;  /* a NumPy scalar assigned to one element: signed dtypes check its range */
    gpa_dtype dtype;
    gpa_val v;
    gpa_span span; /* its source location, for carets; may be empty */
} gpa_opnd;

/* ---- the runtime ---- */

typedef struct {
    const char *device;     /* "cpu", "cuda:1", "ref"; NULL: GPA_DEVICE, else the best there is */
    const char *plugin_dir; /* NULL: GPA_PLUGIN_DIR, else next to the executable or in ../lib/gpa */
    /* Calls `each` for every named array; MemoryError lists the largest. May be NULL. */
    void (*name_arrays)(void *user, void (*each)(void *to, const char *name, const gpa_arr *a),
                        void *to);
    void *user;
} rt_config;

/* Creates a runtime. Cheap: devices open at first need. GPA_E_VALUE for an unknown device name
 * or an unreadable setting. */
gpa_code rt_new(const rt_config *c, gpa_rt **out, gpa_err *e);
void rt_free(gpa_rt *rt);
/* Begins to open the default device in the background if that takes long (a GPU). Returns
 * immediately; calls after the first do nothing. */
void rt_prepare(gpa_rt *rt);
/* True while a device is opening in the background: the process may end by _exit without waiting
 * for it. */
bool rt_is_starting(const gpa_rt *rt);
/* True if a kernel that does not end holds a device, or held one that rt_revive gave up: then
 * only _exit ends the process. */
bool rt_is_held(const gpa_rt *rt);
/* Makes running work stop soon and fail with GPA_E_INTERRUPT. Callable from any thread and from
 * signal handlers. rt_interrupt_clear withdraws the request. */
void rt_interrupt(gpa_rt *rt);
void rt_interrupt_clear(gpa_rt *rt);
bool rt_interrupted(const gpa_rt *rt);

/* True if recorded or launched work may still fail (an index out of bounds). Cheap. */
bool rt_may_raise(const gpa_rt *rt);
/* Reports deferred errors: runs the bounds checks of pending and of unused gathers without
 * computing them, and waits for launched work. Fails with the first error, at the source line
 * that caused it. */
gpa_code rt_check(gpa_rt *rt, gpa_err *e);
/* After another error: drops the deferred checks. Pending gathers are then checked only if they
 * are read. */
void rt_discard_checks(gpa_rt *rt);

/* Sets the current source location: nodes recorded from now on carry it for deferred errors. */
void rt_set_location(gpa_rt *rt, gpa_span where);

/* True if pending arrays exist. Cheap enough for every loop back-edge. */
bool rt_has_pending(const gpa_rt *rt);
/* A loop back-edge: computes pending arrays that are still referenced, so that each iteration
 * runs the same program, or holds them back to run several iterations in one program
 * (loop_batch.h). */
gpa_code rt_loop_edge(gpa_rt *rt, gpa_err *e);
/* Before a back-edge: the next iteration will probably replace the array without reading it. If it
 * is pending and nothing else refers to its elements, it is not computed at this edge. */
void rt_loop_dead(gpa_arr *a);
/* ---- replay of loops (exec/loop_model.h) ---- */

/* Why a loop is not replayed (tables/loop_reason.def). */
typedef enum {
    RT_LOOP_FINE,
#define LOOP_REASON(id, text) RT_LOOP_##id,
#include "runtime/tables/loop_reason.def"
#undef LOOP_REASON
    RT_LOOP_REASONS
} rt_loop_reason;
enum { RT_LOOP_MAX_ARRAYS = 40, RT_LOOP_MAX_SCALARS = 16 };

/* An array of a loop, held by a variable, at the end of an iteration. */
typedef struct {
    gpa_arr *arr;
    const void *object; /* identifies the value that the variable holds */
    bool assigned;      /* the loop assigns the variable */
    bool read;          /* an iteration reads it before it assigns it */
    bool owned;         /* only the loop's variables refer to that value */
    bool late;          /* the loop assigns it after the read that may end it (rt_loop_outcome) */
} rt_loop_array;
/* A scalar that changes from iteration to iteration and is an operand of an array operation. */
typedef struct {
    gpa_dtype dtype; /* DT_I64 or DT_F64 */
    gpa_val v;
} rt_loop_scalar;
/* The arrays and scalars of a loop; always the same numbers, in the same order. At the start of an
 * iteration n_inputs arrays follow that only this iteration reads; it is given others than the
 * last.
 */
typedef struct {
    rt_loop_array *arrays;
    rt_loop_scalar *scalars;
    size_t n_arrays, n_scalars, n_inputs;
    uint64_t left; /* iterations after the one that begins, at most */
    uint64_t key;  /* equal for executions of one loop in which the same indices advance by the same
                     amounts; 0: unknown */
} rt_loop_state;
/* Prepares the coming iteration of a replay: its scalars and its input arrays, computed
 * and of the layouts of those recorded. False: the replay ends before it. */
typedef bool rt_loop_next(void *user, rt_loop_scalar *scalars, gpa_arr **inputs);
/* The value of a variable after a replay: the array that variable number `from` held before it, or
 * (from < 0) a new array, owned by the caller; variables with the same `same` hold the same one. */
typedef struct {
    int from, same;
    gpa_arr *made;
} rt_loop_result;

/* Loops may be replayed (unless GPA_LOOPS=off). */
bool rt_loops_enabled(const gpa_rt *rt);
/* An iteration is being recorded. What the host reads cannot be replayed. */
bool rt_loop_is_recorded(const gpa_rt *rt);
/* An iteration begins: computes what is pending, and logs the launches that follow. The arrays stay
 * alive until rt_loop_end. `first`: of a recording; the log of another loop is dropped. */
gpa_code rt_loop_begin(gpa_rt *rt, const rt_loop_state *s, bool first, rt_loop_reason *why,
                       gpa_err *e);
/* The iteration has ended with these arrays; the scalars are those that it used. Computes what is
 * pending. *ready: rt_loop_replay may run the iterations that follow. *why: it cannot be replayed,
 * and the recording has ended. */
gpa_code rt_loop_end(gpa_rt *rt, const rt_loop_state *s, bool *ready, rt_loop_reason *why,
                     gpa_err *e);
/* How a replay ended: the iterations that ran; whether a bool that the host read at the end of the
 * last one was not what it was in the recorded ones. */
typedef struct {
    uint64_t count;
    bool exited;
} rt_loop_outcome;
/* Replays iterations while next() returns true. Then result[i] (as many as arrays) says what
 * variable i holds. */
gpa_code rt_loop_replay(gpa_rt *rt, rt_loop_next *next, void *user, rt_loop_result *result,
                        rt_loop_outcome *out, gpa_err *e);
/* Ends a recording. */
void rt_loop_stop(gpa_rt *rt);
/* The back edge of a loop within an iteration that is recorded: pending arrays stay so, except
 * reductions, whose order depends on what they are fused with. */
gpa_code rt_loop_inner_edge(gpa_rt *rt, gpa_err *e);
/* A store of one element is work of the device, which loops gain from replaying. */
bool rt_loop_gains_from_elements(const gpa_rt *rt);
/* Seconds on the clock, without those of compilation; 0 on a device that computes while the host
 * goes on, and with GPA_LOOPS=on. */
double rt_loop_clock(const gpa_rt *rt);
/* True if iterations of the running loop are held back, to run in one program (rt_loop_edge). */
bool rt_loop_is_batched(const gpa_rt *rt);
/* The location of the operation that cannot be replayed, of the last recording; empty: unknown. */
gpa_span rt_loop_refused_at(const gpa_rt *rt);
/* Records for %explain why a loop is not replayed, and the line (0: unknown): each pair once. */
void rt_loop_explain(gpa_rt *rt, rt_loop_reason why, uint32_t line);

/* The end of a cell: launches all pending work that is still referenced. Does not wait. */
gpa_code rt_flush(gpa_rt *rt, gpa_err *e);
/* Waits for all launched work and reports its errors. */
gpa_code rt_sync(gpa_rt *rt, gpa_err *e);

/* Appends one line per device, or why there is none of its kind, for `gpa --devices`. */
void rt_devices(gpa_rt *rt, gpa_str *out);
/* Appends the processes that the current device consists of, with their memory and traffic. */
gpa_code rt_ranks(gpa_rt *rt, gpa_str *out, gpa_err *e);
/* Starts these processes again, but the first; all arrays stay. */
gpa_code rt_restart_ranks(gpa_rt *rt, gpa_err *e);
/* In a process that is a worker of another one's device: works until that ends. */
gpa_code rt_serve(const char *device, gpa_err *e);
/* Appends a line about each folder of the disk cache; with `clear`, empties the user's folder
 * instead. */
void rt_programs(bool clear, gpa_str *out);
/* The current device, where new arrays are made: its name; setting it ("cpu", "ref", "cuda:0";
 * "": the best available), which computes pending work first; and the name last set, "" if none. */
const char *rt_device(gpa_rt *rt);
gpa_code rt_set_device(gpa_rt *rt, const char *name, gpa_err *e);
const char *rt_device_requested(const gpa_rt *rt);
/* How products of float32 matrices are computed: the name of a row of precision.def. Devices
 * without tensor cores compute in float32 always. rt_check_precision and rt_set_precision fail for
 * another name; rt_precision_name returns the name of row i, NULL: there is none. */
const char *rt_precision(const gpa_rt *rt);
gpa_code rt_check_precision(const char *name, gpa_err *e);
gpa_code rt_set_precision(gpa_rt *rt, const char *name, gpa_err *e);
const char *rt_precision_name(int64_t i);
/* While on, compiled functions run on the current device, which is open: arrays of other devices
 * are copied to it for each launch, and back. */
void rt_simulate(gpa_rt *rt, bool on);
/* Properties of the current device, which is opened first: a GPU; a device whose source is CUDA C
 * and whose assembly is PTX. False if it does not open. */
bool rt_is_gpu(gpa_rt *rt);
bool rt_has_cuda_code(gpa_rt *rt);
/* The name of the device that checks every access, and of the first device with host memory. */
const char *rt_reference_device(void);
const char *rt_host_device(gpa_rt *rt);
/* Opens a device: its full name ("cuda" is "cuda:0"), its free and total memory in bytes (may be
 * NULL; 0: unknown). GPA_E_DEVICE if it is not available, GPA_E_VALUE for an unknown name. */
gpa_code rt_find_device(gpa_rt *rt, const char *name, const char **full, uint64_t *free_bytes,
                        uint64_t *total, gpa_err *e);
/* Launch limits of a device. */
typedef struct {
    uint32_t max_threads, max_shared; /* of a block */
    uint32_t units;                   /* multiprocessors, or threads */
    int major, minor;                 /* compute capability of a GPU, else 0 */
    char description[96];
} rt_facts;
gpa_code rt_launch_facts(gpa_rt *rt, const char *name, rt_facts *out, gpa_err *e);
/* A device attribute by the CUDA driver's numbering (CUdevice_attribute); 0: the driver's
 * version. Devices without a driver give `elsewhere`. */
gpa_code rt_attribute(gpa_rt *rt, const char *name, int which, int64_t elsewhere, int64_t *out,
                      gpa_err *e);

typedef struct {
    uint64_t launches, compiles, cache_hits, lib_calls, nodes;
    uint64_t interpreted;               /* launches run by an interpreter: not compiled yet */
    uint64_t plans_known;               /* plan cache hits: neither fused nor lowered again */
    uint64_t replayed;                  /* iterations of loops that were not interpreted */
    uint64_t bytes_read, bytes_written; /* by programs, counted from operands */
    /* Device memory: in use, cached for reuse, the most ever in use. */
    uint64_t bytes_live, bytes_cached, bytes_peak;
    uint64_t bytes_pending; /* kept alive only by pending work */
    double compile_seconds;
} rt_stats;
void rt_get_stats(const gpa_rt *rt, rt_stats *out);
/* Waits for background compilation; the time counts as compile_seconds. */
void rt_finish_builds(gpa_rt *rt);

/* Frees cached memory of all devices. */
void rt_trim(gpa_rt *rt);
/* Limits the memory of arrays on each device: "4G", "25%"; NULL: no limit. GPA_E_VALUE for other
 * texts. */
gpa_code rt_set_memory_limit(gpa_rt *rt, const char *text, gpa_err *e);

/* The current device, opened if necessary. */
typedef struct {
    char name[16], desc[96];
    uint64_t total, limit; /* bytes; 0: unknown, no limit */
} rt_device_facts;
gpa_code rt_get_device(gpa_rt *rt, rt_device_facts *out, gpa_err *e);

/* The driver's status of a GPU, which is not opened: name, driver, bytes in use by all processes
 * and by this one (0: unknown), utilisation in per cent, degrees Celsius, other processes that
 * compute on it (-1: unknown). */
typedef struct {
    char name[96], driver[48];
    uint64_t total, used, used_here;
    int utilisation, temperature, others;
} rt_gpu_facts;
/* GPA_E_DEVICE, with the reason, if there is no such GPU. */
gpa_code rt_get_gpu(gpa_rt *rt, int i, rt_gpu_facts *out, gpa_err *e);

/* Restarts devices that failed, or that a kernel that does not end holds; their memory contents
 * are lost. False: there are none. */
bool rt_revive(gpa_rt *rt);

/* %explain: between start and stop every step is recorded as text: what it computes, its
 * template, its cut reason, launches, bytes read and written, compile time, and the code asked
 * for. */
typedef enum {
    RT_EXPLAIN_PLAN,
    RT_EXPLAIN_SOURCE,   /* with the generated code: CUDA C, LLVM IR */
    RT_EXPLAIN_KIR,      /* with the program IR */
    RT_EXPLAIN_ASSEMBLY, /* with PTX or CPU assembly */
    RT_EXPLAIN_RESOURCES /* with registers, spills, shared memory, occupancy */
} rt_explain_what;
void rt_explain_start(gpa_rt *rt, rt_explain_what what);
void rt_explain_stop(gpa_rt *rt, gpa_str *out);

/* Profiling: between start and stop each program and library call is timed on its own. */
typedef struct {
    const char *what;      /* "row reduce: array float64 (100,) = sum(a * b, axis=1)", "matmul" */
    uint64_t calls, bytes; /* bytes 0: not counted */
    double seconds;
} rt_profile_row;
gpa_code rt_profile_start(gpa_rt *rt, gpa_err *e);
/* True if the current device times its programs by its own clock, without launch overhead. */
bool rt_has_clock(gpa_rt *rt);
/* Ends a profile; calls `each` (may be NULL) for every row. */
void rt_profile_stop(gpa_rt *rt, void (*each)(void *user, const rt_profile_row *row), void *user);
/* Memory bandwidth of the current device in bytes read and written per second by a copy of a
 * large array: measured at the first call, which does not show in the statistics, and `again` when
 * asked; the best of the measurements. 0: unknown. */
double rt_bandwidth(gpa_rt *rt, bool again);

/* ---- handles ---- */

static inline gpa_arr *arr_retain(gpa_arr *a) {
    a->refs++;
    return a;
}
void arr_release(gpa_rt *rt, gpa_arr *a); /* NULL is ignored */
bool arr_is_contiguous(const gpa_arr *a); /* C order */
bool arr_is_f_contiguous(const gpa_arr *a);
bool arr_is_only_f_contiguous(const gpa_arr *a); /* Fortran order and not C order */
/* The name of the device that holds the elements or will compute them; true if it is a GPU. */
const char *arr_device(gpa_rt *rt, const gpa_arr *a);
bool arr_on_gpu(gpa_rt *rt, const gpa_arr *a);
/* The array on another device: itself if it is there and `copy` is false, else a copy in C
 * order. A pending array is computed first, on its own device. */
gpa_code arr_to(gpa_rt *rt, gpa_arr *a, const char *device, bool copy, gpa_arr **out, gpa_err *e);
/* Makes the device that n arrays (some may be NULL) share, if they share one, the current device
 * until device_scope_leave: around library calls and compiled functions, whose results are made
 * on the current device. */
typedef struct {
    bool entered;
    struct gpa_device *before;
} device_scope;
device_scope device_scope_enter(gpa_rt *rt, gpa_arr *const *in, int n);
void device_scope_leave(gpa_rt *rt, device_scope p);
bool arr_is_pending(const gpa_arr *a);
/* numpy.shares_memory: exact. */
bool arr_shares_memory(const gpa_arr *a, const gpa_arr *b);
/* numpy.may_share_memory: compares the address ranges only. */
bool arr_may_share_memory(const gpa_arr *a, const gpa_arr *b);

/* ---- making ---- */

/* The dtype and shape of an array. */
typedef struct {
    gpa_dtype dtype;
    int ndim;
    const int64_t *shape;
} arr_spec;

/* A copy of host memory in C order. */
gpa_code arr_from(gpa_rt *rt, const arr_spec *s, const void *data, gpa_arr **out, gpa_err *e);
/* The same with elements that `fill` writes: n bytes at `to`, which is the array's own memory on
 * host-visible devices. Its error is passed on. */
gpa_code arr_filled(gpa_rt *rt, const arr_spec *s, gpa_code (*fill)(void *user, void *to, size_t n),
                    void *user, gpa_arr **out, gpa_err *e);
gpa_code arr_empty(gpa_rt *rt, const arr_spec *s, gpa_arr **out, gpa_err *e);
/* Every element v (a value of the dtype); a pending array. */
gpa_code arr_full(gpa_rt *rt, const arr_spec *s, gpa_val v, gpa_arr **out, gpa_err *e);
/* int64 values start + i * step, i < n, generated inside the programs that read them. */
gpa_code arr_iota(gpa_rt *rt, int64_t n, int64_t start, int64_t step, gpa_arr **out, gpa_err *e);
/* A 0-d array. */
gpa_code arr_scalar(gpa_rt *rt, gpa_dtype t, gpa_val v, gpa_arr **out, gpa_err *e);

/* ---- memory shared with another language ---- */

/* A strided layout in elements. */
typedef struct {
    gpa_dtype dtype;
    int ndim;
    const int64_t *shape, *strides;
    int64_t offset;
} arr_layout;
enum { ARR_HOST_MEMORY = -1 };
/* The address of the first element, in the memory of a GPU (by its number) or of the host. */
typedef struct {
    void *address;
    int gpu;
} arr_location;
/* Memory of a GPU or of the host: the address of the first element, and what keeps it alive. */
typedef struct {
    void *address;
    int gpu;
    bool readonly;
    void *owner;
    void (*release)(void *owner); /* called once, when no array uses the memory any more */
} arr_foreign_memory;

/* An array on foreign memory; strides in elements, `offset` unused. *out NULL: the current device
 * cannot use host memory, or the array is empty. The owner is taken over only with an array.
 * ValueError: the memory is another GPU's. */
gpa_code arr_adopt(gpa_rt *rt, const arr_layout *l, const arr_foreign_memory *m, gpa_arr **out,
                   gpa_err *e);
/* The address of the first element, valid while the array lives, computed if it was pending. NULL:
 * the device's memory has no addresses. */
gpa_code arr_expose(gpa_rt *rt, gpa_arr *a, arr_location *out, gpa_err *e);
/* Before foreign code runs: finishes work on shared memory. After it: shared memory may have
 * changed. */
void rt_finish_shared(gpa_rt *rt);
void rt_invalidate_shared(gpa_rt *rt);

/* ---- elementwise ---- */

typedef struct {
    gpa_dtype dtype; /* the loop's dtype (NumPy's dtype=); DT_NONE: chosen from the operands */
    gpa_arr *into;   /* out=: stored into, and returned; NULL: a new array */
    /* where=: bool, broadcast; other elements keep the value of `into`, or are undefined. */
    gpa_arr *where;
    gpa_casting casting;
} arr_ufunc_opts;

/* An elementwise operation (a row of op.def) on op_info[op].arity operands, broadcast and
 * promoted as NumPy's ufuncs. opts may be NULL. NumPy's errors: UFuncTypeError, broadcasting
 * ValueError with a note under each operand. */
gpa_code arr_ufunc(gpa_rt *rt, gpa_op op, const gpa_opnd *in, const arr_ufunc_opts *opts,
                   gpa_arr **out, gpa_err *e);
/* The same with the result in the operands' memory order (order='K'). */
gpa_code arr_ufunc_order_k(gpa_rt *rt, gpa_op op, const gpa_opnd *in, const arr_ufunc_opts *opts,
                           gpa_arr **out, gpa_err *e);
struct gpa_body;
/* A compiled function (body.h) on as many operands as it has parameters, cast to the parameters'
 * dtypes and broadcast. Ignores opts->dtype: a body is compiled for its types. */
gpa_code arr_apply(gpa_rt *rt, struct gpa_body *body, const gpa_opnd *in,
                   const arr_ufunc_opts *opts, gpa_arr **out, gpa_err *e);
/* The dtypes that arr_ufunc would compute in and return. */
gpa_code arr_ufunc_types(gpa_op op, const gpa_opnd *in, gpa_dtype *compute, gpa_dtype *result,
                         gpa_err *e);
/* The same for scalars alone: GPA_E_OVERFLOW for a Python int out of range of the other
 * operand's dtype; comparisons are computed in a dtype that holds both. */
gpa_code arr_number_types(gpa_op op, const gpa_opnd *in, gpa_dtype *compute, gpa_dtype *result,
                          gpa_err *e);
/* NumPy's result_type of n operands. */
gpa_code arr_result_type(const gpa_opnd *in, int n, gpa_dtype *out, gpa_err *e);
/* astype: the same array when nothing changes and copy is false. */
gpa_code arr_cast(gpa_rt *rt, gpa_arr *a, gpa_dtype to, bool copy, gpa_arr **out, gpa_err *e);
/* The same with the result in the memory order of `a`. */
gpa_code arr_cast_order_k(gpa_rt *rt, gpa_arr *a, gpa_dtype to, bool copy, gpa_arr **out,
                          gpa_err *e);
/* The axes in the memory order of a copy of `a` (order='K'), largest stride first; false: C order,
 * perm is not set. */
bool arr_order_like(const gpa_arr *a, int *perm);
/* The axes of an operand with this shape and strides as NumPy's iterator sorts them, largest stride
 * first; axes of stride 0 keep their position. True if that is not C order. */
bool arr_sort_axes(int ndim, const int64_t *shape, const int64_t *strides, int *perm);
/* A fresh copy in C order. */
gpa_code arr_copy(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_err *e);
/* A read-only array on a storage of its own, which shares the memory of `a` if that is computed and
 * whole. Nothing may be stored into either. */
gpa_code arr_share(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_err *e);

/* ---- views ---- */

/* Makes the only handle of a storage its owner: base becomes NULL. */
void arr_own(gpa_rt *rt, gpa_arr *a);
/* as_strided: a view of a's storage, with strides and offset relative to a's first element and
 * a's dtype. GPA_E_VALUE if it reaches outside the storage. */
gpa_code arr_view(gpa_rt *rt, gpa_arr *a, const arr_layout *l, gpa_arr **out, gpa_err *e);
/* Sets ndarray.flags.writeable. GPA_E_VALUE where NumPy does not allow True: views of read-only
 * arrays, and arrays whose elements share memory. */
gpa_code arr_set_writeable(gpa_arr *a, bool writeable, gpa_err *e);
/* .real and .imag: for complex arrays, views of the float dtype. */
gpa_code arr_part(gpa_rt *rt, gpa_arr *a, bool imag, gpa_arr **out, gpa_err *e);
/* ndarray.view(dtype): reinterprets the bytes, with NumPy's rules for the last axis. */
gpa_code arr_reinterpret(gpa_rt *rt, gpa_arr *a, gpa_dtype t, gpa_arr **out, gpa_err *e);
/* perm NULL: axes reversed. */
gpa_code arr_transpose(gpa_rt *rt, gpa_arr *a, const int *perm, gpa_arr **out, gpa_err *e);
/* One extent may be -1. A view if strides allow one, else a copy. */
gpa_code arr_reshape(gpa_rt *rt, gpa_arr *a, int ndim, const int64_t *shape, gpa_arr **out,
                     gpa_err *e);
/* A reshaped copy that owns its data. */
gpa_code arr_reshaped_copy(gpa_rt *rt, gpa_arr *a, int ndim, const int64_t *shape, gpa_arr **out,
                           gpa_err *e);
gpa_code arr_broadcast_to(gpa_rt *rt, gpa_arr *a, int ndim, const int64_t *shape, gpa_arr **out,
                          gpa_err *e);
/* The broadcast shape of n arrays, in *ndim and shape (capacity GPA_MAX_DIMS). */
gpa_code arr_broadcast_shape(gpa_arr *const *in, int n, int *ndim, int64_t *shape, gpa_err *e);

/* ---- indexing ---- */

typedef enum { IX_INT, IX_SLICE, IX_NEWAXIS, IX_ELLIPSIS, IX_ARRAY } gpa_index_kind;

typedef struct {
    gpa_index_kind kind;
    int64_t i;                 /* INT */
    int64_t start, stop, step; /* SLICE; has_*: which of them are given */
    bool has_start, has_stop, has_step;
    gpa_arr *arr;   /* ARRAY: integers or bool */
    bool in_bounds; /* ARRAY: all indices are known to be, and not negative: no bounds check */
    gpa_span span;
} gpa_index;

/* An index expression of n items. */
typedef struct {
    const gpa_index *items;
    int n;
} gpa_indices;

/* a[ix...] with NumPy's rules: a view for basic indexing, else a new array. *one (may be NULL):
 * the result is one element, which NumPy returns as a scalar. */
gpa_code arr_get(gpa_rt *rt, gpa_arr *a, const gpa_indices *ix, bool *one, gpa_arr **out,
                 gpa_err *e);
/* Checks that a scalar can be stored as an element of dtype `to`. Python scalars convert as by
 * int(), float() and complex(), with range checks; NumPy scalars are cast, except that `element`
 * ones are range-checked for signed dtypes. */
gpa_code arr_check_number(const gpa_opnd *o, gpa_dtype to, gpa_err *e);
/* a[ix...] = rhs: one fused store. ix NULL: a[...]. */
gpa_code arr_set(gpa_rt *rt, gpa_arr *a, const gpa_indices *ix, const gpa_opnd *rhs, gpa_err *e);
/* a[mask] = v[mask] of arrays of one shape, the mask of bools: one predicated store, which does not
 * compute what only the caller holds of mask and v. Releases mask and v. Not under a tape. */
gpa_code arr_set_where(gpa_rt *rt, gpa_arr *a, gpa_arr *mask, gpa_arr *v, gpa_err *e);
/* a[...] op= rhs, casting 'same_kind' as NumPy's in-place operators. */
gpa_code arr_update(gpa_rt *rt, gpa_op op, gpa_arr *a, const gpa_opnd *rhs, gpa_err *e);
/* ufunc.at: unbuffered; repeated indices apply each time (scatter-add for OP_ADD). */
gpa_code arr_update_at(gpa_rt *rt, gpa_op op, gpa_arr *a, const gpa_indices *ix,
                       const gpa_opnd *rhs, gpa_err *e);
/* The caller will not read `a` again, and releases it soon: while it is pending, a store into what
 * it reads does not compute it. Pending arrays that depend on it keep its value. */
void arr_drop_value(const gpa_rt *rt, gpa_arr *a);
/* One element by a full set of indices (negative ones allowed, bounds checked): fast, for scalar
 * loops. */
gpa_code arr_get_item(gpa_rt *rt, gpa_arr *a, const int64_t *ix, int n, gpa_val *out, gpa_err *e);
gpa_code arr_set_item(gpa_rt *rt, gpa_arr *a, const int64_t *ix, int n, const gpa_opnd *number,
                      gpa_err *e); /* number: a scalar, which is cast */

/* ---- reductions, scans, joins, sorting ---- */

typedef struct {
    gpa_axes axes; /* all of the array: everything */
    bool keepdims;
    gpa_dtype dtype; /* the accumulator's and the result's; DT_NONE: NumPy's choice */
    gpa_arr *where;  /* bool, broadcast to the array; NULL: everywhere */
    bool has_initial;
    bool no_identity; /* an empty reduction is an error even if the operation has an identity */
    gpa_opnd initial;
    gpa_arr *into; /* out= */
} arr_reduce_opts;

/* A reduction (a row of reduce.def) over axes. NumPy's errors for empty input without an
 * identity. */
gpa_code arr_reduce(gpa_rt *rt, gpa_red red, gpa_arr *a, const arr_reduce_opts *o, gpa_arr **out,
                    gpa_err *e);
/* A reduction along one axis. */
typedef struct {
    gpa_red red;
    int axis;
    gpa_dtype dtype; /* the accumulator's and the result's; DT_NONE: NumPy's choice */
} arr_axis_reduction;

/* ufunc.reduceat (segmented reduction) along an axis; `at`: 1-d integer segment starts. Computed
 * by the host on host-visible devices. *out is NULL if it does not apply: another device or
 * operation, or so few or even segments that parallel programs are faster. GPA_E_INDEX. */
gpa_code arr_reduceat(gpa_rt *rt, const arr_axis_reduction *r, gpa_arr *a, gpa_arr *at,
                      gpa_arr **out, gpa_err *e);
/* Mean and variance in one fused pass each; ddof as NumPy's. */
gpa_code arr_mean(gpa_rt *rt, gpa_arr *a, const arr_reduce_opts *o, gpa_arr **out, gpa_err *e);
gpa_code arr_var(gpa_rt *rt, gpa_arr *a, double ddof, const arr_reduce_opts *o, gpa_arr **out,
                 gpa_err *e);
/* The function that arr_reduce_order_k calls: arr_reduce, arr_mean or arr_var. */
typedef struct {
    enum { STAT_REDUCTION, STAT_MEAN, STAT_VARIANCE } kind;
    gpa_red red; /* STAT_REDUCTION */
    double ddof; /* STAT_VARIANCE */
} arr_statistic;
/* The same with the result in the memory order of `a` (order='K'). */
gpa_code arr_reduce_order_k(gpa_rt *rt, const arr_statistic *s, gpa_arr *a,
                            const arr_reduce_opts *o, gpa_arr **out, gpa_err *e);
/* Scan (running reduction) along an axis: cumsum, cumprod, maximum.accumulate. */
gpa_code arr_scan(gpa_rt *rt, const arr_axis_reduction *r, gpa_arr *a, gpa_arr **out, gpa_err *e);
/* The same with the result in the memory order of `a`; axis >= 0. */
gpa_code arr_scan_order_k(gpa_rt *rt, const arr_axis_reduction *r, gpa_arr *a, gpa_arr **out,
                          gpa_err *e);
/* numpy.concatenate of n arrays; dtype DT_NONE: their common one. */
typedef struct {
    gpa_arr *const *in;
    int n, axis;
    gpa_dtype dtype;
    bool fuses; /* the result is read by fused operations: the host does not copy small inputs */
} arr_concatenation;
gpa_code arr_concat(gpa_rt *rt, const arr_concatenation *c, gpa_arr **out, gpa_err *e);
gpa_code arr_concat_order_k(gpa_rt *rt, const arr_concatenation *c, gpa_arr **out,
                            gpa_err *e); /* order='K' */
gpa_code arr_sort(gpa_rt *rt, gpa_arr *a, int axis, gpa_arr **out,
                  gpa_err *e); /* stable, NaN last */
gpa_code arr_sort_order_k(gpa_rt *rt, gpa_arr *a, int axis, gpa_arr **out,
                          gpa_err *e); /* as arr_scan_order_k */
gpa_code arr_argsort(gpa_rt *rt, gpa_arr *a, int axis, gpa_arr **out,
                     gpa_err *e); /* int64, stable */
/* The same, computed in the memory order of `a`; the result is in C order, as NumPy's. axis >=
 * 0. */
gpa_code arr_argsort_order_k(gpa_rt *rt, gpa_arr *a, int axis, gpa_arr **out, gpa_err *e);
typedef struct {
    int axis;
    int n_kth;          /* at least 1 */
    const int64_t *kth; /* ascending, in [0, extent) */
} arr_partition_opts;
/* numpy.partition: the elements at the indices kth are where sorting would put them, smaller ones
 * before. */
gpa_code arr_partition(gpa_rt *rt, gpa_arr *a, const arr_partition_opts *o, gpa_arr **out,
                       gpa_err *e);
gpa_code arr_argpartition(gpa_rt *rt, gpa_arr *a, const arr_partition_opts *o, gpa_arr **out,
                          gpa_err *e);
/* As arr_sort_order_k and arr_argsort_order_k; axis >= 0. */
gpa_code arr_partition_order_k(gpa_rt *rt, gpa_arr *a, const arr_partition_opts *p, gpa_arr **out,
                               gpa_err *e);
gpa_code arr_argpartition_order_k(gpa_rt *rt, gpa_arr *a, const arr_partition_opts *p,
                                  gpa_arr **out, gpa_err *e);
gpa_code arr_searchsorted(gpa_rt *rt, gpa_arr *a, gpa_arr *v, bool right, gpa_arr **out,
                          gpa_err *e);
/* numpy.bincount: counts of non-negative integers, or sums of `weights` (NULL: none) in order;
 * minlength = `least`. Computed by the host on host-visible devices; *out is NULL on others.
 * GPA_E_VALUE for negative values. */
gpa_code arr_bincount(gpa_rt *rt, gpa_arr *x, gpa_arr *weights, int64_t least, gpa_arr **out,
                      gpa_err *e);
/* numpy.nonzero: the indices of true elements, an int64 array per dimension (at least one), into
 * out[0 .. ndim). */
gpa_code arr_nonzero(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_err *e);
/* The number of true elements of a bool array; -1 if it is pending or not contiguous in host-
 * visible memory, where a sum is faster. */
gpa_code arr_count_true(gpa_rt *rt, gpa_arr *a, int64_t *out, gpa_err *e);

/* ---- values ---- */

/* Computes the arrays now, fused where possible. Does not wait. */
gpa_code arr_eval(gpa_rt *rt, gpa_arr *const *arrays, int n, gpa_err *e);
/* Waits, and copies the elements to host memory in C order (size * itemsize bytes). */
gpa_code arr_read(gpa_rt *rt, gpa_arr *a, void *to, gpa_err *e);
/* The element of an array of size 1. Waits. */
gpa_code arr_item(gpa_rt *rt, gpa_arr *a, gpa_val *out, gpa_err *e);

#endif
