/* Traces of loops: what one iteration does to the variables, found without running it.
 *
 * loop_trace_make walks the instructions of a body along the path that the coming iteration takes.
 * Arithmetic on Python's ints and floats becomes a program of its own (loop_scalars.h); operations
 * on arrays are left to the runtime, which logs what they launch. Functions and methods of the
 * program are walked as parts of the body, short inner loops over ranges are unrolled, and
 * attributes of instances are variables. The walk refuses whatever else the program could observe:
 * calls of unknown functions, properties, containers that change. */
#ifndef GPA_VM_LOOP_TRACE_H
#define GPA_VM_LOOP_TRACE_H

#include "lang/vm/machine.h"

enum {
    LOOP_MAX_SLOTS = 224,
    LOOP_MAX_OPS = 160,
    LOOP_MAX_SCALARS_OUT = 24,
    LOOP_MAX_MODULES = 4,
    LOOP_MAX_OBJECTS = 8,
};

typedef union {
    int64_t i;
    double f;
} loop_slot;

/* An operation of the scalar program; a guard ends the replay before the iteration. */
typedef enum {
    LOOP_ADD,
    LOOP_SUB,
    LOOP_MUL, /* ints: guarded against overflow */
    LOOP_FLOORDIV,
    LOOP_MOD, /* ints, by a positive one */
    LOOP_DIV, /* ints up to 2^53: true division */
    LOOP_FADD,
    LOOP_FSUB,
    LOOP_FMUL,
    LOOP_FDIV,
    LOOP_NEG,
    LOOP_FNEG,
    LOOP_TO_FLOAT,
    LOOP_COMPARE, /* by ast_op `how` */
    LOOP_FCOMPARE,
    LOOP_NOT,
    LOOP_GUARD,  /* the truth of a is how */
    LOOP_WITHIN, /* b <= a <= c */
    LOOP_NEXT,   /* a = b counted down; the iterator is not exhausted */
} loop_code;

typedef struct {
    uint8_t code, how;
    int16_t to, a, b;
} loop_op;

/* A variable whose scalar is carried round the loop, or that an iteration sets. */
typedef struct {
    value *at; /* NULL: a field of an iterator */
    int64_t *field;
    int16_t in, out; /* slots: before and after an iteration */
    uint8_t tag;
    bool late; /* assigned after the test that may end the loop (exit) */
} loop_carried;

typedef struct {
    loop_slot slots[LOOP_MAX_SLOTS];
    bool is_constant[LOOP_MAX_SLOTS];
    loop_op ops[LOOP_MAX_OPS];
    loop_carried carried[LOOP_MAX_SCALARS_OUT];
    int16_t given[RT_LOOP_MAX_SCALARS]; /* slots that are operands of array operations */
    bool given_float[RT_LOOP_MAX_SCALARS];
    size_t n_slots, n_ops, n_carried, n_given;
    /* The arrays: variables, or (at NULL) arrays that a container of the program holds. */
    struct {
        value *at;
        value held;
        bool assigned, read; /* by an iteration; before it is assigned */
        bool late;           /* assigned after the test that may end the loop */
    } arrays[RT_LOOP_MAX_ARRAYS];
    size_t n_arrays;
    /* The modules whose globals the trace refers to, and where these were. */
    struct {
        const module_obj *module;
        const value *slots;
    } modules[LOOP_MAX_MODULES];
    size_t n_modules;
    /* The attributes of instances that the trace refers to, and where these were. */
    struct {
        dict_obj *fields; /* borrowed */
        const dict_entry *entries;
    } objects[LOOP_MAX_OBJECTS];
    size_t n_objects;
    gpa_span refused_at; /* where the walk ended early */
    uint64_t key;        /* rt_loop_state */
    /* Where the program goes on when a bool that an iteration has computed ends the loop; NULL:
     * none does. Then what is assigned late keeps what it was before that iteration. */
    const ins *exit;
    loop_slot before[LOOP_MAX_SCALARS_OUT]; /* carried scalars before the last iteration */
    const ins *last;                        /* instruction of the body */
    bool unrolls;                           /* loops within the body are a part of the iteration */
    value iterator; /* of the loop (borrowed), UNSET for a while loop: `carried` refers to fields */
} loop_trace;

/* The trace of the iteration that begins at f->ip. Returns why there is none. */
rt_loop_reason loop_trace_make(gpa_vm *vm, const frame *f, loop_trace *t);

/* A comparison of two ints or two floats. */
bool loop_compare(ast_op op, value x, value y);
/* Loads the variables into slots, or stores them back. */
void loop_scalars_load(loop_trace *t);
void loop_scalars_store(loop_trace *t);
/* The loop was left at the end of the last iteration (exit): the range does not advance. */
void loop_scalars_leave(loop_trace *t);
/* True if the variables hold what the scalar program has computed for the end of the iteration.
 * False: that iteration ended otherwise, and this is another execution of the loop. */
bool loop_scalars_arrived(const loop_trace *t);
/* Runs the scalar program of one iteration; false: a guard failed, and no slot has changed that an
 * iteration reads. */
bool loop_scalars_run(loop_trace *t, rt_loop_scalar *given);

/* The amount by which an int variable, given by its slot before an iteration, advances in each one.
 * False: it does not advance by a constant. depth: 0. */
bool loop_scalars_advance(const loop_trace *t, int16_t slot, int depth, int64_t *out);

/* A hash of what decides by how much the trace's integers advance. */
uint64_t loop_scalars_key(const loop_trace *t, uint64_t seed);

#endif
