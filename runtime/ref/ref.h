/* The reference device's insides: a program decoded into steps, and the frame that runs them.
 *
 * A step is a function with its operands; running it gives the step that follows, or NULL when the
 * frame stops (and `why` says for what). Values live in registers, one per instruction of kir. What
 * a launch does not change (constants, parameters, sizes) is written into the registers once,
 * before the first point, and makes no step. */
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
    const ref_step *jump; /* where a structured instruction goes when it does not go on */
    uint32_t imm, line;
    uint16_t sub;
    uint8_t type, from; /* result; operand of CAST, REDUCE, SCAN and ARG */
    uint8_t size;       /* of an element, for memory */
};

/* One REDUCE or SCAN. Elements are combined in blocks and the blocks in a tree, so that a long
 * float sum is nearly as good as exact: tree[k] holds 2^k blocks where bit k of `blocks` is set. */
enum { REF_BLOCK = 8, REF_LEVELS = 56 };
typedef struct {
    gpa_red_state part, tree[REF_LEVELS];
    uint64_t blocks;
    uint32_t n; /* elements in `part` */
} ref_acc;

/* A launch constant: instruction `ins` of kir gives register `ins`. */
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
    _Alignas(16) unsigned char data[]; /* what mem_new gives */
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
    ref_step *accs; /* per accumulator its REDUCE or SCAN */
    char **texts;
    char *ir;         /* printed, for dump */
    uint64_t written; /* bit per array: STOREX or ATOMIC speaks of it */
};

/* Where array k of the program lies during a launch (or for one block, or one thread). */
typedef struct {
    unsigned char *base;
    int64_t first, count; /* origin and extent in elements from base */
} ref_place;

typedef enum { REF_DONE, REF_FAILED, REF_FAULT, REF_BARRIER, REF_WARP } ref_why;

struct ref_frame {
    gpa_val *r;
    ref_place *places; /* per array */
    int64_t *cursor;   /* per array: its element at the current point */
    int64_t index[KIR_MAX_DIMS];
    const gpa_prog *prog;
    const gpa_launch *launch;
    gpa_dev *dev;
    ref_acc *accs;
    bool hollow;   /* the inner space has no point */
    uint32_t fuel; /* points and trips until the next look at the interrupt flag */
    ref_why why;
    const ref_step *resume; /* BARRIER, WARP: the step waited at */
    gpa_code rc;
    gpa_err *e;
    uint32_t block[3], thread[3];
    uint32_t linear;  /* the thread's number in its block */
    ref_check *check; /* KERNEL: who touched what; else NULL */
};

/* Decodes kir, which it copies. */
gpa_code ref_decode(const kir_func *f, gpa_prog **out, gpa_err *e);
void ref_drop(gpa_prog *p);
/* The function that runs a step of this instruction; NULL for instructions that make none. */
ref_run ref_step_run(const kir_func *f, const kir_ins *i);
/* Runs from step `s` until the frame stops. */
void ref_go(ref_frame *fr, const ref_step *s);
/* False, with the frame stopped, when the device was interrupted. */
bool ref_alive(ref_frame *fr);
/* Stops the frame with an error. */
const ref_step *ref_stop(ref_frame *fr, gpa_code rc, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Stops the frame with a fault of the kind and payload given; place and thread are filled in. */
const ref_step *ref_fault(ref_frame *fr, const ref_step *s, kir_fault_record what);
/* Writes the launch's constants into registers. */
void ref_fill(const gpa_prog *p, const gpa_launch *l, gpa_val *r);
/* The whole iteration space of a MAP program; every thread of a KERNEL. */
gpa_code ref_run_map(ref_frame *fr);
gpa_code ref_run_kernel(ref_frame *fr);

/* ---- race_check.c: races, and reads of shared memory that nobody wrote ---- */

typedef enum { REF_READS, REF_WRITES, REF_UPDATES /* atomically */ } ref_access;

/* For the launch of fr, whose GLOBAL arrays are placed; the block's shared memory follows with
 * check_shared. Owned: check_free. */
gpa_code check_new(const ref_frame *fr, ref_check **out, gpa_err *e);
void check_free(ref_check *c); /* NULL is ignored */
/* Array k of elements of `unit` bytes lies at base, n bytes, in the memory of the block; arrays at
 * one place share what is known. */
gpa_code check_shared(ref_check *c, size_t k, const unsigned char *base, size_t n, size_t unit,
                      gpa_err *e);
/* A block begins: its shared memory is unwritten. */
void check_block(ref_check *c, uint64_t block);
void check_barrier(ref_check *c);                     /* all threads of the block met */
void check_warp_barrier(ref_check *c, uint32_t warp); /* the lanes of a warp met */
/* Every thread of the block has ended or waits. False, with the frame of the launch stopped, when
 * one of them read shared memory that nobody has written by now. */
bool check_round(ref_frame *top);
void check_fence(ref_check *c); /* the block's writes so far can be seen by others */
/* A thread touches element `at` of an array, which lies at p; `now` is what a write leaves there.
 * False, with the frame stopped, when that is a race or reads what nobody wrote. */
bool check_access(ref_frame *fr, const ref_step *s, const unsigned char *p, int64_t at,
                  ref_access how, const void *now);

/* Moves the point on by one in the dimensions of `dims`; false after the last. */
bool ref_advance(ref_frame *fr, uint32_t dims);

#endif
