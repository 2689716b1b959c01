/* The record of one loop iteration: what it launched, on which memory, with which scalars.
 *
 * Memory has names instead of addresses: the arrays that exist at the start of the iteration are
 * numbered by the caller, memory allocated during it by order of allocation. Two iterations with
 * equal records do the same work on their own arrays. */
#ifndef GPA_EXEC_LOOP_LOG_H
#define GPA_EXEC_LOOP_LOG_H

#include "runtime/exec/program_cache.h"
#include "runtime/exec/rt.h"
#include "runtime/ir/libcall.h"
#include "runtime/plan/lower.h"

enum {
    LOG_MAX_ACTIONS = 192,
    LOG_MAX_OPERANDS = 1024,
    LOG_MAX_PARAMS = 768,
    LOG_MAX_FRESH = 64,
    LOG_MAX_CALLS = 24,
    LOG_FRESH = RT_LOOP_MAX_ARRAYS, /* the name of the first memory allocated in the iteration */
    LOG_NAMES = LOG_FRESH + LOG_MAX_FRESH,
    LOG_NO_MEMORY = -1 /* the name of a virtual array's memory */
};

/* An array of a launch: the name of its memory, and its binding. */
typedef struct {
    int32_t name;
    bool stored;      /* the launch writes it */
    gpa_binding bind; /* mem is not used */
} log_operand;

typedef enum {
    LOG_LAUNCH, /* of a program */
    LOG_CALL,   /* of a library */
    LOG_STORE,  /* by the host, of operand 1 or of the only parameter, into operand 0 */
    LOG_READ    /* by the host, of operand 0, a bool, whose value was the parameter */
} log_kind;

typedef struct {
    log_kind kind;
    program_cache_entry *program; /* LOG_LAUNCH: retained; else NULL */
    uint32_t call;                /* LOG_CALL: its number */
    uint32_t operand, n_operands, param, n_params, fresh, n_fresh; /* ranges */
    int64_t size[KIR_MAX_DIMS]; /* of a product: batch, m, n, k */
    uint64_t bytes_read, bytes_written;
    int ndim;     /* LOG_STORE */
    uint8_t item; /* LOG_STORE: bytes of an element */
} log_action;

/* An array at the start or the end of an iteration. */
typedef struct {
    rt_loop_array given;
    gpa_storage *storage;
    gpa_buf *buf;
    const gpa_arr *base;
    uint8_t dtype, ndim;
    bool readonly;
    int64_t offset, shape[KIR_MAX_DIMS], strides[KIR_MAX_DIMS];
} log_array;

/* One iteration. */
typedef struct {
    log_array start[RT_LOOP_MAX_ARRAYS]; /* its inputs come last */
    size_t n_start, n_named;             /* without these; with them */
    log_action actions[LOG_MAX_ACTIONS];
    log_operand operands[LOG_MAX_OPERANDS];
    gpa_val params[LOG_MAX_PARAMS];
    uint8_t types[LOG_MAX_PARAMS]; /* of the parameters */
    gpa_libcall calls[LOG_MAX_CALLS];
    gpa_buf *fresh[LOG_MAX_FRESH];
    size_t fresh_bytes[LOG_MAX_FRESH];
    size_t n_actions, n_operands, n_params, n_calls, n_fresh;
    gpa_buf *unused[LOG_MAX_FRESH]; /* allocated in the iteration, not named yet */
    size_t n_unused;
    gpa_device *device;
    rt_loop_reason why; /* RT_LOOP_FINE, or why it cannot be replayed */
    gpa_span refused_at;
} loop_log;

/* Describes computed arrays; false: one of them has too many dimensions. */
bool loop_log_arrays(log_array *to, const rt_loop_array *arrays, size_t n);
/* Releases the programs of a record. */
void loop_log_clear(loop_log *g);
/* The name of a buffer; false: no array of the record holds it. */
bool loop_log_name(const loop_log *g, const gpa_buf *b, int32_t *name);

/* Called for each new buffer. It gets its name from the library call whose result it is or, on a
 * device whose memory the host cannot access, from the first launch that stores to it. */
void loop_log_new(gpa_rt *rt, gpa_buf *b);
/* Called by the executor after each launch, before its results are settled; no effect unless an
 * iteration is being recorded. fresh: the new memory of its roots. */
void loop_log_launch(gpa_rt *rt, gpa_device *d, const lowered *l, program_cache_entry *program,
                     gpa_buf *const *fresh);
/* Called after each library call. */
void loop_log_call(gpa_rt *rt, gpa_device *d, const gpa_libcall *c);
/* The sizes of a product that change where its operands grow: those of its action. */
void loop_call_set_sizes(gpa_libcall *c, const int64_t *size);
/* A store of a few elements by the host; from NULL: of scalar v. */
typedef struct {
    const gpa_arr *to, *from;
    const int64_t *from_strides; /* broadcast to the shape of `to` */
    gpa_val v;
} log_store;
void loop_log_store(gpa_rt *rt, const log_store *s);
/* The host has read an element of value v. */
void loop_log_read(gpa_rt *rt, const gpa_buf *b, gpa_dtype t, int64_t offset, gpa_val v);
/* The iteration does something that cannot be replayed. */
void loop_log_refuse(gpa_rt *rt, rt_loop_reason why);

#endif
