/* The reference device: a direct-threaded interpreter of kir. Internal structures.
 *
 * A program is decoded into steps: a function pointer with its operands. Running a step returns
 * the next one, or NULL when the frame stops, with the reason in `why`. Values live in
 * registers, one per kir instruction. Launch constants (literals, parameters, sizes) are written
 * to their registers before the first point and make no step. */
#ifndef GPA_REF_REF_H
#define GPA_REF_REF_H

#include <stdatomic.h>

#include "runtime/backend.h"
#include "runtime/base/base.h"

typedef struct ref_step ref_step;
typedef struct ref_frame ref_frame;
typedef struct ref_check ref_check;
typedef const ref_step *(*ref_run)(ref_frame *, const ref_step *);

struct ref_step {
    ref_run run;
    gpa_op_fn fn;         /* OP */
    int32_t out, a, b, c; /* registers */
    const ref_step *jump; /* branch target of a structured instruction */
    uint32_t imm, line;
    uint16_t sub;
    uint8_t type, from; /* result; operand of CAST, REDUCE, SCAN and ARG */
    uint8_t size;       /* of an element, for memory */
};

/* The accumulator of a REDUCE or SCAN. Pairwise summation: elements are combined in blocks and
 * the blocks in a binary tree; tree[k] holds 2^k blocks if bit k of `blocks` is set. */
enum { REF_BLOCK = 8, REF_LEVELS = 56 };
typedef struct {
    gpa_red_state part, tree[REF_LEVELS];
    uint64_t blocks;
    uint32_t n; /* elements in `part` */
} ref_acc;

/* A launch constant: instruction `ins` defines register `reg`. */
typedef struct {
    int32_t reg;
    kir_ins ins;
} ref_fixed;

struct gpa_dev {
    _Atomic bool interrupted;
    int64_t live; /* bytes allocated */
};

struct gpa_mem {
    size_t n;
    _Alignas(16) unsigned char data[]; /* the alignment of mem_new */
};

struct gpa_prog {
    uint8_t form, ndim;
    uint16_t inner;
    uint32_t flags;
    ref_step *steps;
    size_t n_regs, n_steps, n_arrays, n_fixed, n_accs, n_texts, n_consts;
    kir_array *arrays;
    ref_fixed *fixed;
    gpa_val *consts;
    ref_step *accs; /* the REDUCE or SCAN of each accumulator */
    char **texts;
    char *ir;         /* printed, for dump */
    uint64_t written; /* bit per array: some STOREX or ATOMIC writes it */
};

/* The memory of an array during a launch (SHARED: one block, LOCAL: one thread). */
typedef struct {
    unsigned char *base;
    int64_t first, count; /* offset of the origin, and size, in elements from base */
} ref_memory;

typedef enum { REF_DONE, REF_FAILED, REF_FAULT, REF_BARRIER, REF_WARP } ref_why;

struct ref_frame {
    gpa_val *r;
    ref_memory *memory; /* per array */
    int64_t *cursor;    /* per array: offset of its element at the current point */
    int64_t index[KIR_MAX_DIMS];
    const gpa_prog *prog;
    const gpa_launch *launch;
    gpa_dev *dev;
    ref_acc *accs;
    bool inner_is_empty; /* the inner iteration space is empty */
    uint32_t fuel;       /* points and iterations until the interrupt flag is polled */
    ref_why why;
    const ref_step *resume; /* BARRIER, WARP: the step at which it waits */
    gpa_code rc;
    gpa_err *e;
    uint32_t block[3], thread[3];
    uint32_t linear;  /* linear index of the thread in its block */
    ref_check *check; /* KERNEL: race checker; else NULL */
};

/* Decodes a program; keeps no pointer into f. */
gpa_code ref_decode(const kir_func *f, gpa_prog **out, gpa_err *e);
void ref_drop(gpa_prog *p);
/* The function that runs a step of this instruction; NULL for launch constants. */
ref_run ref_step_run(const kir_func *f, const kir_ins *i);
/* Runs from step `s` until the frame stops. */
void ref_go(ref_frame *fr, const ref_step *s);
/* Polls for interrupts; false, with the frame stopped, after one. */
bool ref_alive(ref_frame *fr);
/* Stops the frame with an error. */
const ref_step *ref_stop(ref_frame *fr, gpa_code rc, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Stops the frame with a fault; fills in source line and thread. */
const ref_step *ref_fault(ref_frame *fr, const ref_step *s, kir_fault_record what);
/* Writes the launch constants into their registers. */
void ref_fill(const gpa_prog *p, const gpa_launch *l, gpa_val *r);
/* Runs the iteration space of a MAP program; all threads of a KERNEL. */
gpa_code ref_run_map(ref_frame *fr);
gpa_code ref_run_kernel(ref_frame *fr);

/* ---- race_check.c: data races, and reads of uninitialized shared memory ---- */

typedef enum { REF_READS, REF_WRITES, REF_UPDATES /* atomically */ } ref_access;

/* A checker for the launch of fr, whose GLOBAL arrays are bound; check_shared adds the block's
 * shared memory. Owned by the caller: check_free. */
gpa_code check_new(const ref_frame *fr, ref_check **out, gpa_err *e);
void check_free(ref_check *c); /* NULL is ignored */
/* Adds SHARED array k: n bytes at base, elements of `unit` bytes. Arrays at one address share
 * their shadow memory. */
gpa_code check_shared(ref_check *c, size_t k, const unsigned char *base, size_t n, size_t unit,
                      gpa_err *e);
/* Starts a block: its shared memory is uninitialized. */
void check_block(ref_check *c, uint64_t block);
void check_barrier(ref_check *c); /* all threads of the block are at a barrier */
void check_warp_barrier(ref_check *c, uint32_t warp); /* the lanes of a warp are at a barrier */
/* Called when every thread of the block has ended or waits. False, with the launch's frame
 * stopped, if one of them read shared memory that no thread has written by then. */
bool check_round(ref_frame *top);
void check_fence(ref_check *c); /* makes the block's earlier writes visible to other blocks */
/* Checks a thread's access to element `at` of an array, at address p; `now`: the bytes that a
 * write stores. False, with the frame stopped, after a race. */
bool check_access(ref_frame *fr, const ref_step *s, const unsigned char *p, int64_t at,
                  ref_access how, const void *now);

/* Advances to the next point in the dimensions of `dims`; false after the last. */
bool ref_advance(ref_frame *fr, uint32_t dims);

#endif
