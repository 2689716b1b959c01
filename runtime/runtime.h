/* Arrays, as the language sees them. The only header of runtime/ that lang/ includes beside the
 * tables.
 *
 * An array is a reference-counted handle on a view of storage. Storage is either computed (device
 * memory) or pending (a node of the lazy graph); nobody can tell from a value. Every function that
 * makes an array checks shapes and dtypes at once, with NumPy's errors, and normally computes
 * nothing. An array returned through `out` is owned by the caller (arr_release); arguments are
 * borrowed.
 *
 * One thread at a time, except rt_interrupt. */
#ifndef GPA_RUNTIME_H
#define GPA_RUNTIME_H

#include "runtime/base/base.h"
#include "runtime/tables/dtype.h"
#include "runtime/base/err.h"
#include "runtime/tables/op.h"
#include "runtime/ir/raw_module.h"
#include "runtime/base/str.h"

enum { GPA_MAX_DIMS = 32 };

typedef struct gpa_rt gpa_rt;

/* The handle. Fields are for reading; only runtime/ writes them. */
typedef struct gpa_arr {
    int32_t refs;
    uint8_t dtype; /* gpa_dtype */
    uint8_t ndim;
    bool readonly; /* a broadcast view: stores are refused, as NumPy does */
    int64_t size;  /* elements */
    int64_t
        offset; /* of the first element, in elements of this dtype, from the start of the storage */
    int64_t *shape, *strides; /* ndim each; strides in elements */
    struct gpa_storage *storage;
    struct gpa_arr
        *base; /* the array this is a view of (owned), as ndarray.base; NULL: owns its data */
} gpa_arr;

/* An operand: an array, or (arr NULL) a number. A number with weak set is Python's own (bool, int,
 * float, complex: `v` holds BOOL, I64, F64 or C128, and dtype says which; of an int beyond int64
 * U64, or beyond that the nearest F64); with WEAK_NO it is a typed NumPy scalar. */
typedef struct {
    gpa_arr *arr;
    gpa_weak weak;
    bool last; /* nobody needs the array afterwards: what it is stored into may take its memory */
    bool sequence; /* the array was made of a list or a tuple, whose depth counts */
    bool element;  /* a NumPy scalar that becomes an element by itself: a signed dtype refuses what
                      does not fit */
    gpa_dtype dtype;
    gpa_val v;
    gpa_span span; /* where the operand stands, for carets; may be empty */
} gpa_opnd;

/* ---- the runtime ---- */

typedef struct {
    const char *device;     /* "cpu", "cuda:1", "ref"; NULL: GPA_DEVICE, else the best there is */
    const char *plugin_dir; /* NULL: GPA_PLUGIN_DIR, else beside the executable or in ../lib/gpa */
    /* Called when memory is short, to name the largest live values in the message; may be NULL. */
    void (*name_arrays)(void *user, void (*each)(void *to, const char *name, const gpa_arr *a),
                        void *to);
    void *user;
} rt_config;

/* Nothing heavy happens here: devices open at first need. GPA_E_VALUE for an unknown device name.
 */
gpa_code rt_new(const rt_config *c, gpa_rt **out, gpa_err *e);
void rt_free(gpa_rt *rt);
/* Arrays will be wanted: a device that takes long to open (a GPU) begins to, in the background.
 * Returns at once, and does nothing from the second time on. */
void rt_prepare(gpa_rt *rt);
/* Whether a device is still coming up: the program may end without waiting for it, if it ends by
 * _exit. */
bool rt_is_starting(const gpa_rt *rt);
/* Whether a program that does not end holds a device, or one was given up to it: then only _exit
 * ends the process. */
bool rt_is_held(const gpa_rt *rt);
/* Stops running work soon: it fails with GPA_E_INTERRUPT. From any thread or a signal handler.
 * `rt_interrupt_clear` forgets a request. */
void rt_interrupt(gpa_rt *rt);
void rt_interrupt_clear(gpa_rt *rt);
bool rt_interrupted(const gpa_rt *rt);

/* Whether something was recorded or launched that may still turn out to be an error (an index out
 * of bounds). Cheap. */
bool rt_may_raise(const gpa_rt *rt);
/* Finds it: checks what is pending, or was dropped unread, without computing it, and waits for what
 * was launched. The error is that of the first, at the line that wrote it. */
gpa_code rt_check(gpa_rt *rt, gpa_err *e);
/* Another error has ended what was recorded: nothing of it is looked for any more, but when it is
 * read. */
void rt_excuse(gpa_rt *rt);

/* Who is writing: nodes made from now on carry this place, and late errors report it. */
void rt_at(gpa_rt *rt, gpa_span where);

/* Whether pending arrays exist: cheap enough for every back edge of a loop. */
bool rt_has_pending(const gpa_rt *rt);
/* The back edge of a loop: computes what is pending and still referenced, so that each trip runs
 * the same program; or waits for the trips that follow, to run several of them in one
 * (loop_batch.h). */
gpa_code rt_loop_edge(gpa_rt *rt, gpa_err *e);
/* The end of a cell: launches everything pending that is still referenced; does not wait. */
gpa_code rt_flush(gpa_rt *rt, gpa_err *e);
/* Waits for all launched work and reports its errors. */
gpa_code rt_sync(gpa_rt *rt, gpa_err *e);

/* Devices: one line each about what is there or why it is not, for `gpa --devices`. */
void rt_devices(gpa_rt *rt, gpa_str *out);
/* Compiled programs on disk: a line for each folder about what it holds; or the user's own folder
 * is emptied. */
void rt_programs(bool clear, gpa_str *out);
/* The current device's name, and a change of it ("cpu", "ref", "cuda:0"; "": the best there is):
 * new arrays are made there. What is pending is computed first. And the name that was asked for
 * last, "" if none was. */
const char *rt_device(gpa_rt *rt);
gpa_code rt_set_device(gpa_rt *rt, const char *name, gpa_err *e);
const char *rt_device_asked(const gpa_rt *rt);
/* What the current device is, opened if need be: a GPU; a device whose source is CUDA C and whose
 * assembly is PTX. False if it does not open. */
bool rt_is_gpu(gpa_rt *rt);
bool rt_has_cuda_code(gpa_rt *rt);
/* The name of the device that checks every access, and of the first device with host memory. */
const char *rt_reference_device(void);
const char *rt_host_device(gpa_rt *rt);
/* Opens a device: its full name ("cuda" is "cuda:0"), and its memory in bytes, free and in all (may
 * be NULL; 0: not known). GPA_E_DEVICE when it is not there, GPA_E_VALUE when there is no such
 * name. */
gpa_code rt_find_device(gpa_rt *rt, const char *name, const char **full, uint64_t *free_bytes,
                        uint64_t *total, gpa_err *e);
/* What a device is, for those who ask before they launch. */
typedef struct {
    uint32_t max_threads, max_shared; /* of a block */
    uint32_t units;                   /* multiprocessors, or threads */
    int major, minor;                 /* compute capability of a GPU, else 0 */
    char description[96];
} rt_facts;
gpa_code rt_launch_facts(gpa_rt *rt, const char *name, rt_facts *out, gpa_err *e);
/* A number of the device, by the driver's number of it, 0: the driver's version; devices without a
 * driver say `elsewhere`. */
gpa_code rt_attribute(gpa_rt *rt, const char *name, int which, int64_t elsewhere, int64_t *out,
                      gpa_err *e);

typedef struct {
    uint64_t launches, compiles, cache_hits, lib_calls, nodes;
    uint64_t interpreted;               /* of the launches: the program was not compiled yet */
    uint64_t plans_known;               /* computed without being fused and lowered again */
    uint64_t bytes_read, bytes_written; /* by programs, counted from operands */
    uint64_t bytes_live, bytes_cached,
        bytes_peak;         /* device memory: in use, kept for reuse, most ever in use */
    uint64_t bytes_pending; /* kept alive only by pending work */
    double compile_seconds;
} rt_stats;
void rt_get_stats(const gpa_rt *rt, rt_stats *out);
/* Waits until all that is being compiled in the background is there; counts as compiling. */
void rt_finish_builds(gpa_rt *rt);

/* Gives memory that is kept for reuse back to the devices. */
void rt_trim(gpa_rt *rt);
/* How much memory arrays may take on each device: "4G", "25%", NULL: all there is. GPA_E_VALUE. */
gpa_code rt_set_memory_limit(gpa_rt *rt, const char *text, gpa_err *e);

/* The default device, opened if need be. */
typedef struct {
    char name[16], desc[96];
    uint64_t total, limit; /* bytes; 0: not known, none */
} rt_device_facts;
gpa_code rt_get_device(gpa_rt *rt, rt_device_facts *out, gpa_err *e);

/* What a GPU says about itself, without being opened: its name and driver, bytes in use by all
 * processes and (0: not known) by this one, per cent and degrees Celsius (-1: not known), other
 * processes that compute on it (-1: not known). */
typedef struct {
    char name[96], driver[48];
    uint64_t total, used, used_here;
    int utilisation, temperature, others;
} rt_gpu_facts;
/* GPA_E_DEVICE, with the reason, when there is no GPU of this number. */
gpa_code rt_get_gpu(gpa_rt *rt, int i, rt_gpu_facts *out, gpa_err *e);

/* Starts devices afresh that have failed, or that a program holds which does not end; all that
 * their memory holds is lost. False: there are none. */
bool rt_revive(gpa_rt *rt);

/* Explaining: between start and stop every step is recorded. The text has, for each step: what it
 * computes, its template, why it was cut there, launches, bytes read and written, time to compile,
 * and what else is asked for. */
typedef enum {
    RT_EXPLAIN_PLAN,
    RT_EXPLAIN_SOURCE,   /* with the generated code: CUDA C, LLVM's IR */
    RT_EXPLAIN_KIR,      /* with the program IR */
    RT_EXPLAIN_ASSEMBLY, /* with PTX, or the processor's assembly */
    RT_EXPLAIN_RESOURCES /* with registers, shared memory ... */
} rt_explain_what;
void rt_explain_start(gpa_rt *rt, rt_explain_what what);
void rt_explain_stop(gpa_rt *rt, gpa_str *out);

/* Profiling: between start and stop each program and library call is timed by itself. */
typedef struct {
    const char *what;      /* "row reduce: array float64 (100,) = sum(a * b, axis=1)", "matmul" */
    uint64_t calls, bytes; /* bytes 0: not counted */
    double seconds;
} rt_profile_row;
gpa_code rt_profile_start(gpa_rt *rt, gpa_err *e);
bool rt_has_clock(gpa_rt *rt); /* whether the default device times its programs itself, so that what
                                  lies between them does not count */
/* Calls each (may be NULL) with every row. */
void rt_profile_stop(gpa_rt *rt, void (*each)(void *user, const rt_profile_row *row), void *user);
/* Bytes that a copy of a large array reads and writes in a second on the default device: measured
 * at the first call, which leaves no trace in the statistics. 0: not known. */
double rt_bandwidth(gpa_rt *rt);

/* ---- handles ---- */

static inline gpa_arr *arr_retain(gpa_arr *a) {
    a->refs++;
    return a;
}
void arr_release(gpa_rt *rt, gpa_arr *a); /* NULL is ignored */
bool arr_is_contiguous(const gpa_arr *a); /* C order */
bool arr_is_f_contiguous(const gpa_arr *a);
bool arr_is_only_f_contiguous(const gpa_arr *a); /* Fortran order, and not C order as well */
/* Where the elements are, or will be computed. */
const char *arr_device(gpa_rt *rt, const gpa_arr *a);
/* The array on another device: itself if it is there already and copy is false, else a copy in C
 * order. What is pending is computed first, where it would have been. */
gpa_code arr_to(gpa_rt *rt, gpa_arr *a, const char *device, bool copy, gpa_arr **out, gpa_err *e);
/* Makes the device that n arrays (some may be NULL) share the current one for a while, if they do:
 * for calls of libraries and of compiled functions, which make their results there. Ended by
 * device_scope_leave. */
typedef struct {
    bool entered;
    struct gpa_device *before;
} device_scope;
device_scope device_scope_enter(gpa_rt *rt, gpa_arr *const *in, int n);
void device_scope_leave(gpa_rt *rt, device_scope p);
bool arr_is_pending(const gpa_arr *a);
/* Whether they have memory in common. */
bool arr_shares_memory(const gpa_arr *a, const gpa_arr *b);
/* Whether the spans of memory from their first to their last elements meet. */
bool arr_may_share_memory(const gpa_arr *a, const gpa_arr *b);

/* ---- making ---- */

/* From host memory, C order, copied. */
gpa_code arr_from(gpa_rt *rt, gpa_dtype t, int ndim, const int64_t *shape, const void *data,
                  gpa_arr **out, gpa_err *e);
/* The same, written by `fill` where they stay as far as the host sees that memory: n bytes at `to`.
 * What it fails with is passed on. */
gpa_code arr_filled(gpa_rt *rt, gpa_dtype t, int ndim, const int64_t *shape,
                    gpa_code (*fill)(void *user, void *to, size_t n), void *user, gpa_arr **out,
                    gpa_err *e);
gpa_code arr_empty(gpa_rt *rt, gpa_dtype t, int ndim, const int64_t *shape, gpa_arr **out,
                   gpa_err *e);
/* Every element v (a value of dtype t). Pending: costs nothing until needed. */
gpa_code arr_full(gpa_rt *rt, gpa_dtype t, int ndim, const int64_t *shape, gpa_val v, gpa_arr **out,
                  gpa_err *e);
/* The int64 values start + i * step, i < n: generated inside the program that uses them. */
gpa_code arr_iota(gpa_rt *rt, int64_t n, int64_t start, int64_t step, gpa_arr **out, gpa_err *e);
/* A 0-d array of one value. */
gpa_code arr_scalar(gpa_rt *rt, gpa_dtype t, gpa_val v, gpa_arr **out, gpa_err *e);

/* ---- elementwise ---- */

typedef struct {
    gpa_dtype dtype; /* the loop's dtype (NumPy's dtype=); DT_NONE: chosen from the operands */
    gpa_arr *into;   /* out=: stored there, and returned */
    gpa_arr *where;  /* where=: bool, broadcast; elements elsewhere keep what `into` holds (or are
                        undefined) */
    gpa_casting casting;
} arr_ufunc_opts;

/* A row of op.def on `op_info[op].arity` operands, broadcast and promoted. opts may be NULL.
 * Errors: NumPy's (UFuncTypeError, broadcasting ValueError with a note under each operand). */
gpa_code arr_ufunc(gpa_rt *rt, gpa_op op, const gpa_opnd *in, const arr_ufunc_opts *opts,
                   gpa_arr **out, gpa_err *e);
/* The same with a result that lies in memory as the operands do, by columns for instance (NumPy's
 * order='K'). */
gpa_code arr_ufunc_order_k(gpa_rt *rt, gpa_op op, const gpa_opnd *in, const arr_ufunc_opts *opts,
                        gpa_arr **out, gpa_err *e);
struct gpa_body;
/* A compiled function (body.h) on as many operands as it has parameters, cast to their dtypes and
 * broadcast. `dtype` of the options is not looked at: a body is made for its types. */
gpa_code arr_apply(gpa_rt *rt, struct gpa_body *body, const gpa_opnd *in,
                   const arr_ufunc_opts *opts, gpa_arr **out, gpa_err *e);
/* The dtypes arr_ufunc would compute in and return. */
gpa_code arr_ufunc_types(gpa_op op, const gpa_opnd *in, gpa_dtype *compute, gpa_dtype *result,
                         gpa_err *e);
/* The same for operands that are all numbers: GPA_E_OVERFLOW for a Python int that does not fit
 * beside a typed one, but a comparison is computed in a type that holds both. */
gpa_code arr_number_types(gpa_op op, const gpa_opnd *in, gpa_dtype *compute, gpa_dtype *result,
                          gpa_err *e);
/* NumPy's result_type of n operands. */
gpa_code arr_result_type(const gpa_opnd *in, int n, gpa_dtype *out, gpa_err *e);
/* astype: the same array when nothing changes and copy is false. */
gpa_code arr_cast(gpa_rt *rt, gpa_arr *a, gpa_dtype to, bool copy, gpa_arr **out, gpa_err *e);
/* The same with a result that lies in memory as `a` does. */
gpa_code arr_cast_order_k(gpa_rt *rt, gpa_arr *a, gpa_dtype to, bool copy, gpa_arr **out, gpa_err *e);
/* A fresh copy in C order. */
gpa_code arr_copy(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_err *e);

/* ---- views ---- */

/* Makes the only handle on a storage its owner: it has no base any more. */
void arr_own(gpa_rt *rt, gpa_arr *a);
/* Any view of the storage of `a`, by strides in elements relative to a's first element (offset
 * added to a's). */
gpa_code arr_view(gpa_rt *rt, gpa_arr *a, int ndim, const int64_t *shape, const int64_t *strides,
                  int64_t offset, gpa_arr **out, gpa_err *e);
/* ndarray.flags.writeable: whether stores through this handle are refused. GPA_E_VALUE where NumPy
 * does not allow them: in views of read-only arrays, and where elements share their memory. */
gpa_code arr_set_writeable(gpa_arr *a, bool writeable, gpa_err *e);
/* .real and .imag of complex arrays, as views with a float dtype. */
gpa_code arr_part(gpa_rt *rt, gpa_arr *a, bool imag, gpa_arr **out, gpa_err *e);
/* ndarray.view(dtype): the same bytes as another dtype; NumPy's rules for the last axis. */
gpa_code arr_reinterpret(gpa_rt *rt, gpa_arr *a, gpa_dtype t, gpa_arr **out, gpa_err *e);
gpa_code arr_transpose(gpa_rt *rt, gpa_arr *a, const int *perm, gpa_arr **out,
                       gpa_err *e); /* perm NULL: reversed */
/* One extent may be -1. A view where strides allow it, else a copy. */
gpa_code arr_reshape(gpa_rt *rt, gpa_arr *a, int ndim, const int64_t *shape, gpa_arr **out,
                     gpa_err *e);
/* The elements in another shape, in an array of their own. */
gpa_code arr_reshaped_copy(gpa_rt *rt, gpa_arr *a, int ndim, const int64_t *shape, gpa_arr **out,
                           gpa_err *e);
gpa_code arr_broadcast_to(gpa_rt *rt, gpa_arr *a, int ndim, const int64_t *shape, gpa_arr **out,
                          gpa_err *e);
/* The common shape of n arrays; *ndim and shape (room for GPA_MAX_DIMS) are filled. */
gpa_code arr_broadcast_shape(gpa_arr *const *in, int n, int *ndim, int64_t *shape, gpa_err *e);

/* ---- indexing ---- */

typedef enum { IX_INT, IX_SLICE, IX_NEWAXIS, IX_ELLIPSIS, IX_ARRAY } gpa_index_kind;

typedef struct {
    gpa_index_kind kind;
    int64_t i;                 /* INT */
    int64_t start, stop, step; /* SLICE; the has_ flags say which were written */
    bool has_start, has_stop, has_step;
    gpa_arr *arr; /* ARRAY: integers or bool */
    bool sure; /* ARRAY: no place is negative or outside: a device with memory of its own does not
                  check */
    gpa_span span;
} gpa_index;

/* a[ix...], with NumPy's rules: a view for basic indexing, else a new array. `one` (may be NULL) is
 * set when the result is one element that NumPy would give as a scalar. */
gpa_code arr_get(gpa_rt *rt, gpa_arr *a, const gpa_index *ix, int n, bool *one, gpa_arr **out,
                 gpa_err *e);
/* Whether a number may become an element of an array of dtype `to`: Python's own are converted as
 * int(), float() and complex() would, and what does not fit is refused; NumPy's are cast, but for
 * elements of signed integers. */
gpa_code arr_check_number(const gpa_opnd *o, gpa_dtype to, gpa_err *e);
/* a[ix...] = rhs: one fused store. */
gpa_code arr_set(gpa_rt *rt, gpa_arr *a, const gpa_index *ix, int n, const gpa_opnd *rhs,
                 gpa_err *e);
/* a[...] op= rhs on the whole of a view, casting 'same_kind' as NumPy's in-place operators. */
gpa_code arr_update(gpa_rt *rt, gpa_op op, gpa_arr *a, const gpa_opnd *rhs, gpa_err *e);
/* ufunc.at: unbuffered, repeated indices count each time. */
gpa_code arr_update_at(gpa_rt *rt, gpa_op op, gpa_arr *a, const gpa_index *ix, int n,
                       const gpa_opnd *rhs, gpa_err *e);
/* One element, by a full set of indices (negative allowed, bounds checked): the fast way for scalar
 * loops. */
gpa_code arr_get_item(gpa_rt *rt, gpa_arr *a, const int64_t *ix, int n, gpa_val *out, gpa_err *e);
gpa_code arr_set_item(gpa_rt *rt, gpa_arr *a, const int64_t *ix, int n, gpa_dtype t, gpa_val v,
                      gpa_err *e);

/* ---- reductions, scans, library calls ---- */

typedef struct {
    uint32_t axes; /* bit per axis; all bits of the array: everything */
    bool keepdims;
    gpa_dtype dtype; /* the accumulator's and the result's; DT_NONE: NumPy's choice */
    gpa_arr *where;  /* bool, broadcast to the array; NULL: everywhere */
    bool has_initial,
        no_identity; /* no_identity: of no elements there is no result, whatever the operation */
    gpa_opnd initial;
    gpa_arr *into; /* out= */
} arr_reduce_opts;

/* A row of reduce.def over the axes. NumPy's errors for empty input without an identity. */
gpa_code arr_reduce(gpa_rt *rt, gpa_red red, gpa_arr *a, const arr_reduce_opts *o, gpa_arr **out,
                    gpa_err *e);
/* ufunc.reduceat along an axis, of integers `at` in one dimension: by the host, where that sees the
 * memory. *out is NULL where it has no way, and where slices are so few or so even that threads
 * share them rather. GPA_E_INDEX. */
gpa_code arr_reduceat(gpa_rt *rt, gpa_red red, gpa_arr *a, gpa_arr *at, int axis,
                           gpa_dtype dtype, gpa_arr **out, gpa_err *e);
/* mean and var are fused programs of their own: one pass. ddof as NumPy's. */
gpa_code arr_mean(gpa_rt *rt, gpa_arr *a, const arr_reduce_opts *o, gpa_arr **out, gpa_err *e);
gpa_code arr_var(gpa_rt *rt, gpa_arr *a, double ddof, const arr_reduce_opts *o, gpa_arr **out,
                 gpa_err *e);
/* Running reduction along an axis (cumsum, cumprod, maximum.accumulate). */
gpa_code arr_scan(gpa_rt *rt, gpa_red red, gpa_arr *a, int axis, gpa_dtype dtype, gpa_arr **out,
                  gpa_err *e);
/* The same with a result that lies in memory as `a` does; the axis counts from the first one on. */
gpa_code arr_scan_order_k(gpa_rt *rt, gpa_red red, gpa_arr *a, int axis, gpa_dtype dtype,
                       gpa_arr **out, gpa_err *e);
/* NumPy's matmul: stacks, vectors, integer dtypes. */
gpa_code arr_matmul(gpa_rt *rt, const gpa_opnd *a, const gpa_opnd *b, gpa_arr **out, gpa_err *e);
gpa_code arr_concat(gpa_rt *rt, gpa_arr *const *in, int n, int axis, gpa_dtype dtype, gpa_arr **out,
                    gpa_err *e);
gpa_code arr_concat_order_k(gpa_rt *rt, gpa_arr *const *in, int n, int axis, gpa_dtype dtype,
                         gpa_arr **out, gpa_err *e); /* as arr_scan_order_k */
gpa_code arr_sort(gpa_rt *rt, gpa_arr *a, int axis, gpa_arr **out,
                  gpa_err *e); /* stable, NaN last */
gpa_code arr_sort_order_k(gpa_rt *rt, gpa_arr *a, int axis, gpa_arr **out,
                       gpa_err *e); /* as arr_scan_order_k */
gpa_code arr_argsort(gpa_rt *rt, gpa_arr *a, int axis, gpa_arr **out,
                     gpa_err *e); /* int64, stable */
/* The same, done as `a` lies; the result lies in C order, as NumPy's does. The axis as above. */
gpa_code arr_argsort_order_k(gpa_rt *rt, gpa_arr *a, int axis, gpa_arr **out, gpa_err *e);
/* Ordered as far as n > 0 places (0 <= place < extent, ascending) ask: what sorting puts there is
 * there, what is smaller before it. */
gpa_code arr_partition(gpa_rt *rt, gpa_arr *a, int axis, int n, const int64_t *places,
                       gpa_arr **out, gpa_err *e);
gpa_code arr_argpartition(gpa_rt *rt, gpa_arr *a, int axis, int n, const int64_t *places,
                          gpa_arr **out, gpa_err *e);
gpa_code arr_searchsorted(gpa_rt *rt, gpa_arr *a, gpa_arr *v, bool right, gpa_arr **out,
                          gpa_err *e);

typedef struct {
    gpa_fft_form form;
    bool inverse; /* the sign of the exponent: + */
    int n_axes;   /* at least one, all different */
    int axes[GPA_MAX_DIMS];
    int64_t last;  /* the length of the last axis on its real side (R2C, C2R) */
    double scale;  /* the result is multiplied by it */
    gpa_arr *into; /* where the result is stored (it may be `a`, for C2C); NULL: a new array */
} arr_fft_opts;

/* The discrete Fourier transform over some axes, in float32 or float64 arithmetic: a is of a float
 * dtype for R2C, of one or complex for C2C, else complex, and none of the axes is empty. */
gpa_code arr_fft(gpa_rt *rt, gpa_arr *a, const arr_fft_opts *o, gpa_arr **out, gpa_err *e);

typedef struct {
    int kind;            /* 1 to 4 */
    bool sines, weighed; /* weighed: as `orthogonalize` of SciPy's dct */
    int axis;            /* not empty; type 1 by cosines has at least 2 points */
    double scale;        /* the result is multiplied by it */
} arr_dct_opts;

/* SciPy's transform by cosines or sines of float32 or float64 along an axis; *out NULL: the device
 * has no library for it. */
gpa_code arr_dct(gpa_rt *rt, gpa_arr *a, const arr_dct_opts *o, gpa_arr **out, gpa_err *e);

/* Matrix factorizations, of stacks (..., m, n) of float32, float64, complex64 or complex128. They
 * are computed at once; GPA_E_LINALG in NumPy's words for what has none. `part` is the real dtype;
 * p = min(m, n). */

/* For determinants: L below the diagonal and U of a square matrix, or of its transpose where that
 * is nearer, and the pivots as LAPACK counts them: int32 (..., p). A singular matrix is no error.
 */
gpa_code arr_lu(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_arr **pivots, gpa_err *e);
/* X of A X = B, for (..., n, n) and (..., n, k) with the same stack and dtype. */
gpa_code arr_solve(gpa_rt *rt, gpa_arr *a, gpa_arr *b, gpa_arr **out, gpa_err *e);
typedef struct {
    gpa_factors form;
    int way;          /* 0: A X = B, 1: A^T X = B, 2: A^H X = B; not with Cholesky's */
    bool upper, unit; /* which triangle, not of LU; of FACTORS_TRIANGLE, whether its diagonal counts
                         as ones */
} arr_solve_factored_opts;

/* X of A X = B for factors (..., n, n) of A, of which nothing else is read, and (..., n, k) with
 * the same stack and dtype; pivots: of LU, n places from 0 on, GPA_E_VALUE for what is none. *zero:
 * where, from 1 on, a diagonal that counts has a 0, else 0. *out NULL: the device has no library
 * for it, or an operand is empty. */
gpa_code arr_solve_factored(gpa_rt *rt, gpa_arr *a, gpa_arr *pivots, gpa_arr *b, const arr_solve_factored_opts *o,
                     gpa_arr **out, int64_t *zero, gpa_err *e);
/* X of A X = B for a matrix by its diagonals, (below + above + 1, n) as SciPy's solve_banded has
 * them, and (n, k) of the same dtype. *out NULL: as above. */
gpa_code arr_solve_banded(gpa_rt *rt, int64_t below, int64_t above, gpa_arr *bands, gpa_arr *b,
                    gpa_arr **out, gpa_err *e);
/* The inverses of (..., n, n); by the host where the device's library has none. */
gpa_code arr_inverse(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_err *e);
/* The shortest of the X that make B - A X least, for an (m, n) matrix A and B of max(m, n) rows, of
 * which those beyond m do not count: X in its first n rows, and where rank = n < m what remains in
 * the others; the singular values (p), and how many are larger than `limit` times the first (1,
 * int32). *x NULL: the device's library has no such call. */
gpa_code arr_lstsq(gpa_rt *rt, gpa_arr *a, gpa_arr *b, double limit, gpa_arr **x, gpa_arr **s,
                   gpa_arr **rank, gpa_err *e);
/* The triangular factor in the lower (or upper) triangle that is looked at; what the rest is then
 * is not said. */
gpa_code arr_cholesky(gpa_rt *rt, gpa_arr *a, bool upper, gpa_arr **out, gpa_err *e);
/* R and Householder's reflectors (..., m, n), their factors (..., p), and the first k columns of Q
 * (q NULL: not wanted). */
gpa_code arr_qr(gpa_rt *rt, gpa_arr *a, int64_t k, gpa_arr **r, gpa_arr **factors, gpa_arr **q,
                gpa_err *e);
/* U, the singular values (part) and V^H, reduced or full; u and vh NULL: values only. */
gpa_code arr_svd(gpa_rt *rt, gpa_arr *a, bool full, gpa_arr **u, gpa_arr **s, gpa_arr **vh,
                 gpa_err *e);
/* Of Hermitian matrices, given by a triangle: eigenvalues (part), ascending, and vectors (v NULL:
 * not wanted). */
gpa_code arr_eigh(gpa_rt *rt, gpa_arr *a, bool upper, gpa_arr **w, gpa_arr **v, gpa_err *e);
/* Eigenvalues, complex, and right eigenvectors (v NULL: not wanted) of a's dtype: where a real
 * matrix has a pair of conjugate ones, their real part and then their imaginary part. */
gpa_code arr_eig(gpa_rt *rt, gpa_arr *a, gpa_arr **w, gpa_arr **v, gpa_err *e);
/* The product of a sparse matrix by rows - values at[start[i]] .. at[start[i + 1] - 1] of row i
 * stand in the columns `column` - with a vector or a matrix x. The caller has checked that starts
 * and columns are in range. */
gpa_code arr_spmm(gpa_rt *rt, gpa_arr *start, gpa_arr *column, gpa_arr *at, gpa_arr *x,
                    gpa_arr **out, gpa_err *e);
/* The product of two, each given by its starts, columns and values, the second with n columns, as
 * three such parts. A device's library has ascending columns in each row, the host leaves out
 * values that are 0. GPA_E_VALUE when it has 2^31 values or more. After a failure out may hold some
 * parts: the caller releases them. */
gpa_code arr_spgemm(gpa_rt *rt, gpa_arr *const *a, gpa_arr *const *b, int64_t n, gpa_arr **out,
                    gpa_err *e);
/* By the host, for matrices given by starts, columns and values (of any dtype) and with n columns;
 * GPA_E_VALUE where these do not fit. After a failure out may hold some parts: the caller releases
 * them.
 *
 * Whether the columns ascend in each row. */
gpa_code arr_csr_is_canonical(gpa_rt *rt, gpa_arr *const *a, int64_t n, bool *yes, gpa_err *e);
/* The same matrix with ascending columns in each row and values at one place as they stand, with
 * `adding` added up: three parts, of which columns and values may have more room at their end than
 * the last of the starts says. out stays empty for a dtype that has no sums here. */
gpa_code arr_csr_sort_columns(gpa_rt *rt, gpa_arr *const *a, int64_t n, bool adding, gpa_arr **out,
                          gpa_err *e);
/* What is in one or both of two matrices of as many rows; `ascending`: the columns do, in each row
 * of both. Starts, columns and, of operations that are done here, where both are of a dtype that
 * has it, what comes of the values, zeros left out; else, of ascending ones, a's values and, a
 * fourth part, b's, 0 where there is none. With more room at the end of columns and values, as
 * above. out stays empty where neither is done. */
gpa_code arr_csr_binary(gpa_rt *rt, gpa_op op, gpa_arr *const *a, gpa_arr *const *b, int64_t n,
                          bool ascending, gpa_arr **out, gpa_err *e);
/* Some rows as a matrix; GPA_E_INDEX for one that is not there. */
gpa_code arr_csr_select_rows(gpa_rt *rt, gpa_arr *const *a, int64_t n, gpa_arr *rows, gpa_arr **out,
                         gpa_err *e);
/* Some elements, each the sum of the values at its place; `ascending`: the columns are, in each
 * row. *out stays NULL as above. */
gpa_code arr_csr_gather(gpa_rt *rt, gpa_arr *const *a, int64_t n, gpa_arr *rows,
                             gpa_arr *columns, bool ascending, gpa_arr **out, gpa_err *e);
/* Which values stand at some places, as int32: their numbers from 1 on, 0 for none; of a matrix
 * whose columns ascend in each row. */
gpa_code arr_csr_gather_indices(gpa_rt *rt, gpa_arr *const *a, int64_t n, gpa_arr *rows,
                           gpa_arr *columns, gpa_arr **out, gpa_err *e);
/* The product of a sparse matrix with a vector or a matrix x, where it is given by starts of
 * columns, rows and values, or with `places` by columns, rows and values; it has m rows. */
gpa_code arr_spmm_csc(gpa_rt *rt, gpa_arr *const *a, bool places, int64_t m, gpa_arr *x,
                            gpa_arr **out, gpa_err *e);
/* Every range[2]-th of the columns range[0] .. range[1] - 1; with more room, as above. GPA_E_VALUE
 * for a step below 1. */
gpa_code arr_csr_slice_columns(gpa_rt *rt, gpa_arr *const *a, int64_t n, const int64_t *range,
                            gpa_arr **out, gpa_err *e);
/* Some columns, also several times, in the order in which the rows have them; with more room, as
 * above. GPA_E_INDEX for one that is not there. */
gpa_code arr_csr_select_columns(gpa_rt *rt, gpa_arr *const *a, int64_t n, gpa_arr *columns, gpa_arr **out,
                         gpa_err *e);
/* The diagonal that begins in column `offset`, or row -offset; the sums of the columns; the largest
 * or smallest elements of the rows, of a matrix whose places have one value each. *out stays NULL
 * for a dtype that has none here. */
gpa_code arr_csr_diagonal(gpa_rt *rt, gpa_arr *const *a, int64_t n, int64_t offset,
                             gpa_arr **out, gpa_err *e);
gpa_code arr_csr_column_sums(gpa_rt *rt, gpa_arr *const *a, int64_t n, gpa_arr **out,
                                gpa_err *e);
gpa_code arr_csr_row_minmax(gpa_rt *rt, gpa_arr *const *a, int64_t n, bool largest, gpa_arr **out,
                             gpa_err *e);
/* The columns of these, of the first where there are several, as int64; the columns ascend in each
 * row. */
gpa_code arr_csr_row_argminmax(gpa_rt *rt, gpa_arr *const *a, int64_t n, bool largest, gpa_arr **out,
                          gpa_err *e);
/* The line of each of `count` values, from where each line begins; where each of so many lines
 * begins, *out NULL if the places, of which `other` is the second part, do not ascend. */
gpa_code arr_csr_row_indices(gpa_rt *rt, gpa_arr *start, int64_t count, gpa_arr **out, gpa_err *e);
gpa_code arr_coo_row_starts(gpa_rt *rt, gpa_arr *line, gpa_arr *other, int64_t lines, gpa_arr **out,
                           gpa_err *e);
/* The transpose: columns ascend in each of its rows, and values at one place stand as they stood.
 */
gpa_code arr_csr_transpose(gpa_rt *rt, gpa_arr *const *a, int64_t n, gpa_arr **out, gpa_err *e);
/* The elements as an array, with `turned` those of the transpose; added to those of an array of
 * that shape and dtype, or NULL. Those of an m x n matrix that is given by rows, columns and
 * values. *out stays NULL for a dtype that has no sums here. */
gpa_code arr_csr_to_dense(gpa_rt *rt, gpa_arr *const *a, int64_t n, bool turned, gpa_arr *added,
                          gpa_arr **out, gpa_err *e);
gpa_code arr_coo_to_dense(gpa_rt *rt, gpa_arr *const *a, int64_t m, int64_t n, gpa_arr **out,
                                 gpa_err *e);
/* The m x n matrix whose diagonals are these values, one diagonal after the other, or in rows, each
 * from its place in the first row or column on, without those that are 0; offsets ascend. */
gpa_code arr_dia_to_csr(gpa_rt *rt, gpa_arr *values, gpa_arr *offsets, int64_t m, int64_t n,
                              gpa_arr **out, gpa_err *e);
/* Of an n x n matrix, n > 0: an order of elimination in which few values fill in, and how many
 * operations it takes. The factors of a matrix by columns in this order: where each row stands in
 * them, then the lower and the upper one by columns, three parts each. GPA_E_LINALG for a singular
 * matrix. With order, place and both factors the solution for right hand sides b, a vector or the
 * columns of a matrix; with `turned` that of the transpose. */
gpa_code arr_sparse_lu_order(gpa_rt *rt, gpa_arr *const *a, int64_t n, gpa_arr **out, gpa_err *e);
gpa_code arr_sparse_lu(gpa_rt *rt, gpa_arr *const *a, gpa_arr *order, int64_t n, gpa_arr **out,
                       gpa_err *e);
gpa_code arr_sparse_lu_solve(gpa_rt *rt, gpa_arr *const *factors, gpa_arr *b, bool turned,
                             gpa_arr **out, gpa_err *e);
/* At least one matrix, each of n[b] columns, side by side: three parts of each, values of one
 * dtype. */
gpa_code arr_csr_hstack(gpa_rt *rt, gpa_arr *const *parts, const int64_t *n, int64_t blocks,
                           gpa_arr **out, gpa_err *e);
/* The values of a sparse matrix, given as columns, rows and values (of any dtype), in the order of
 * their columns, those of one column as they stand: where each of n columns begins, rows, values.
 * Rows NULL are neither taken nor given. After a failure as above. */
gpa_code arr_sparse_transpose(gpa_rt *rt, gpa_arr *const *given, int64_t n, gpa_arr **out, gpa_err *e);
/* How often each non-negative integer of a vector occurs, or the sums of the weights (NULL: none)
 * beside it in their order; at least `least` of them. By the host, where that sees the memory; *out
 * is NULL elsewhere. GPA_E_VALUE for negative ones. */
gpa_code arr_bincount(gpa_rt *rt, gpa_arr *x, gpa_arr *weights, int64_t least, gpa_arr **out,
                      gpa_err *e);
/* Indices of the true elements, one int64 array per dimension (at least one), into out[0 .. ndim).
 */
gpa_code arr_nonzero(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_err *e);
/* How many elements of a bool array are true; -1 where it is pending, or not dense in visible
 * memory: a sum is faster then. */
gpa_code arr_count_true(gpa_rt *rt, gpa_arr *a, int64_t *out, gpa_err *e);

/* ---- programs that users write ---- */

struct kir_func;
/* Where a program was built, and what is known of its launches; NULL at first, kept by whoever
 * keeps the program: arr_memo_free. */
typedef struct arr_known *arr_memo;
void arr_memo_free(arr_memo *memo);

typedef struct {
    gpa_arr *const *arrays; /* one per GLOBAL and CONSTANT array, in order; each binds its own shape
                               and strides */
    const gpa_val *params;
    const int64_t *size;        /* MAP: the space */
    uint32_t grid[3], block[3]; /* KERNEL */
    uint32_t shared;            /* KERNEL: bytes of dynamic shared memory */
    uint32_t stream;            /* KERNEL: rt_stream_new's; 0: in the order of all work */
    arr_memo *memo;             /* spares looking the program up; may be NULL */
    /* KERNEL: receives what it prints, line by line, when it has ended: a text with \1 in the place
     * of each argument, and the arguments with their dtypes. NULL: nobody listens. An error of it
     * is arr_run's. */
    gpa_code (*say)(void *user, const char *text, uint32_t n, const uint8_t *types,
                    const gpa_val *args);
    void *user;
} arr_program;

/* Runs a checked kir program on arrays of at most KIR_MAX_DIMS dimensions. Arrays are computed
 * first; of those that the program writes, so is what pending work reads. Does not wait, except for
 * what a kernel prints: faults are reported by rt_sync or whoever reads, on devices of the host at
 * once. */
gpa_code arr_run(gpa_rt *rt, const struct kir_func *f, const arr_program *p, gpa_err *e);

/* ---- streams ---- */

/* Kernels of different streams may run at the same time where the device can do that and the arrays
 * that they use let them: what a program says never depends on it. */
uint32_t rt_stream_new(gpa_rt *rt);
/* Waits for the work of a stream, 0: for all work, and reports faults. What is pending is launched
 * before. */
gpa_code rt_stream_wait(gpa_rt *rt, uint32_t stream, gpa_err *e);
/* Whether that work is done; waits where there are no streams. What is pending is launched before.
 */
gpa_code rt_stream_query(gpa_rt *rt, uint32_t stream, bool *done, gpa_err *e);

/* A moment in a stream of the current device; where there are no streams, the time when all work
 * before it was done. */
typedef struct rt_event rt_event;
gpa_code rt_event_new(gpa_rt *rt, rt_event **out, gpa_err *e);
void rt_event_free(rt_event *x); /* NULL is ignored */
gpa_code rt_event_record(gpa_rt *rt, rt_event *x, uint32_t stream, gpa_err *e);
/* The stream goes on when the event has passed. */
gpa_code rt_event_follow(gpa_rt *rt, rt_event *x, uint32_t stream, gpa_err *e);
gpa_code rt_event_wait(gpa_rt *rt, rt_event *x, gpa_err *e);
gpa_code rt_event_query(gpa_rt *rt, rt_event *x, bool *passed, gpa_err *e);
/* Milliseconds between two recorded events, for the later of which it waits. GPA_E_DEVICE: one was
 * not recorded. */
gpa_code rt_event_elapsed(gpa_rt *rt, rt_event *from, rt_event *to, double *ms, gpa_err *e);

/* ---- programs in the device's own language ---- */

typedef struct rt_raw rt_raw;

/* An argument: an array, whose first element's address is passed, or the first `size` bytes of v.
 */
typedef struct {
    gpa_arr *arr;
    size_t size;
    gpa_val v;
} rt_raw_arg;

/* Compiles a source for the default device; GPA_E_UNSUPPORTED with a sentence when that has no such
 * language, GPA_E_COMPILE with the compiler's first complaint. *out is owned by the caller:
 * rt_raw_free. */
gpa_code rt_raw_new(gpa_rt *rt, const raw_source *s, rt_raw **out, gpa_err *e);
void rt_raw_free(gpa_rt *rt, rt_raw *r); /* NULL is ignored */
/* Whether its device failed since: then it is only good for rt_raw_free. */
bool rt_raw_is_lost(const rt_raw *r);
/* Queues a launch of a function. Arrays are computed first, and so is what pending work reads of
 * them, since the program may write any of them. They lie in one piece each and on the module's
 * device. */
gpa_code rt_raw_run(gpa_rt *rt, rt_raw *r, const char *function, const uint32_t grid[3],
                    const uint32_t block[3], uint32_t shared, const rt_raw_arg *args, size_t n_args,
                    gpa_err *e);
gpa_code rt_raw_fact(gpa_rt *rt, rt_raw *r, const char *function, raw_fact which, int64_t *out,
                     gpa_err *e);

/* What became of a program, on the device that is current, as text: the source of its last variant,
 * its intermediate form, its assembly, what it takes of the machine. Builds it if need be. */
typedef enum { ARR_SOURCE, ARR_IR, ARR_ASM, ARR_RESOURCES } arr_text;
gpa_code arr_program_text(gpa_rt *rt, const struct kir_func *f, arr_memo *memo, arr_text what,
                          gpa_str *out, gpa_err *e);
/* Numbers of a kernel's program: *out -1 where the device has none; and blocks of so many threads
 * on one multiprocessor. */
gpa_code arr_program_fact(gpa_rt *rt, const struct kir_func *f, arr_memo *memo, raw_fact which,
                          int64_t *out, gpa_err *e);
gpa_code arr_program_blocks(gpa_rt *rt, const struct kir_func *f, arr_memo *memo, uint32_t threads,
                            uint32_t shared, int64_t *out, gpa_err *e);

/* ---- values ----
 *
 * Later, memory of a device may be shared with other programs here, by CUDA's IPC handles, and with
 * other libraries, by DLPack's capsules: both need of an array what arr_bind and the device tell -
 * address, dtype, shape, strides, number of the device - and an owner that keeps its buffer until
 * the other side lets go. */

/* Computes the arrays now, together where they fit in one program. */
gpa_code arr_eval(gpa_rt *rt, gpa_arr *const *arrays, int n, gpa_err *e);
/* Copies the elements to host memory in C order (size * itemsize bytes). Waits. */
gpa_code arr_read(gpa_rt *rt, gpa_arr *a, void *to, gpa_err *e);
/* The only element of a size-1 array. */
gpa_code arr_item(gpa_rt *rt, gpa_arr *a, gpa_val *out, gpa_err *e);

#endif
