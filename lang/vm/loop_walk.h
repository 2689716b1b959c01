/* The walk over the instructions of a loop's body that makes its trace (loop_trace.h).
 *
 * The walk gives each register, global, captured variable and attribute an abstract value: fixed
 * (the same in all iterations), a scalar (a slot of the scalar program, with the value of the
 * coming iteration, which decides branches), an array, or a tuple or slice of these. A variable
 * that the iteration assigns is a scalar from the start; one that it only reads is fixed. Calls of
 * the program's functions are walked as if their bodies stood in the loop (inlining).
 *
 * Functions that return bool refuse the loop when they return false. */
#ifndef GPA_VM_LOOP_WALK_H
#define GPA_VM_LOOP_WALK_H

#include "lang/vm/loop_trace.h"

enum {
    MAX_REGS = 512, /* of the loop's function and of those that are inlined at one time */
    MAX_OUTSIDE = 48,
    MAX_PARTS = 6144,
    MAX_ADVANCES = 96,
    MAX_DEPTH = 8,   /* of inlined calls */
    MAX_UNROLL = 24, /* iterations of an inner loop */
};

typedef enum {
    EMPTY,
    UNBOUND,
    FIXED,
    SCALAR,
    ARRAY,
    TUPLE_OF,
    SLICE_OF,
    METHOD_OF,
    RANGE_OF, /* a range, or an iterator of one: fixed */
} kind;

typedef struct {
    uint8_t kind;
    int16_t slot;         /* SCALAR */
    int16_t part, n_part; /* TUPLE_OF, SLICE_OF: range of the parts */
    value v; /* FIXED; SCALAR: in the coming iteration; ARRAY: if it exists already, else UNSET;
                METHOD_OF: its native row */
    /* SCALAR, int: factor * (slot root, a variable at the start) + constant; root -1: not so.
     * RANGE_OF: n_part integers from v on, with step factor. ARRAY: factor is a number if it was
     * computed before the test that may end the loop, else 0. */
    int16_t root;
    int64_t factor;
} abstract;

typedef struct {
    value *at; /* NULL: a register of an inlined function, unbound at first */
    abstract now;
    bool assigned, read; /* by the iteration; before it is assigned */
    int16_t in;          /* slot of the value at the start; -1: not read as a scalar */
} variable;

/* The function whose instructions are walked. */
typedef struct {
    const code *code;
    module_obj *module;
    const value *free; /* the cells of its closure */
    variable *regs;
    const ins *back; /* the instruction of the caller at which the walk goes on */
    uint16_t dst;    /* the caller's register for the result */
} scope;

/* Where variables outside of registers are that an iteration assigns. They are found on the way; a
 * walk that has taken one for fixed before is repeated. */
typedef struct {
    value *at[MAX_OUTSIDE];
    size_t n;
    bool grown; /* by this walk */
} walk_stores;

typedef struct {
    gpa_vm *vm;
    loop_trace *t;
    rt_loop_reason why;
    scope scopes[MAX_DEPTH + 1], *f; /* the loop's function first; the innermost one */
    size_t n_outside, n_parts, n_advances;
    walk_stores *stores;
    bool grows;         /* slices so far have lengths that change */
    const ins *head;    /* where an iteration begins */
    const ast_node *at; /* of the instruction that is walked; NULL: it has none */
    size_t n_outside_at_exit;
    /* The members below are set before they are read. */
    variable regs[MAX_REGS], outside[MAX_OUTSIDE]; /* globals, captured variables, attributes */
    abstract regs_at_exit[MAX_REGS], outside_at_exit[MAX_OUTSIDE]; /* at the test (t->exit) */
    abstract parts[MAX_PARTS];
    /* Indices: the advance of scalar a per iteration equals that of b (-1: 0). */
    struct {
        int16_t a, b;
        int64_t a_factor, b_factor;
    } advances[MAX_ADVANCES];
} walk;

static const abstract empty = {.kind = EMPTY, .slot = -1, .root = -1}, /* not read yet */
    unbound = {.kind = UNBOUND, .slot = -1, .root = -1};

static inline abstract fixed(value v) {
    abstract a = empty;
    a.kind = FIXED;
    a.v = v;
    return a;
}

static inline abstract array_of(value v) {
    abstract a = empty;
    a.kind = ARRAY;
    a.v = v;
    return a;
}

static inline bool is_real_scalar(value v) {
    return v.tag == V_INT || v.tag == V_FLOAT || v.tag == V_BOOL;
}

/* Ends the walk for a reason (the first one stays). Returns false. */
bool walk_refuse(walk *w, rt_loop_reason why);

/* ---- loop_variables.c: slots, variables, what an iteration leaves in them ---- */

int16_t walk_new_slot(walk *w);
int16_t walk_constant(walk *w, int64_t bits);
/* Appends an operation of the scalar program. Returns its slot. */
int16_t walk_emit(walk *w, loop_code op, int how, int16_t a, int16_t b);
/* The abstract value of a register. */
abstract *walk_reg(walk *w, unsigned i);
static inline void walk_set(walk *w, unsigned i, abstract a) { w->f->regs[i].now = a; }
/* The variable of a global, or in a cell of the loop's function or of the closure of the one that
 * is walked; NULL: refused. */
variable *walk_global(walk *w, int32_t slot);
variable *walk_celled(walk *w, unsigned slot);
variable *walk_free(walk *w, unsigned i);
/* The variable of an instance's own attribute; NULL: it has none. */
variable *walk_attribute(walk *w, value v, gpa_sym name);
/* Reads a variable (NULL: refused), or a global or builtin function. */
abstract walk_read(walk *w, variable *x);
abstract walk_read_global(walk *w, int32_t slot);
/* Assigns to a variable outside of registers (NULL: refused). */
bool walk_assign(walk *w, variable *x, abstract a);
/* Notes an array of the program. `at` NULL: a container holds it. */
void walk_add_array(walk *w, value *at, value held, bool assigned, bool read);
/* Notes that the array of a variable is assigned after the test that may end the loop. */
void walk_array_is_late(walk *w, const value *at);
/* Notes which variables the body itself assigns. */
void walk_find_assigned(walk *w);
/* A variable after the iteration: scalars are carried, arrays are the runtime's to follow. */
bool walk_end_variable(walk *w, variable *x);

/* ---- loop_arithmetic.c: scalars and indices ---- */

/* The slot of a fixed or changing int, float or bool; -1: it is something else. */
int16_t walk_slot_of(walk *w, const abstract *a);
/* The scalar that the last operation computes, evaluated for the coming iteration. */
bool walk_result(walk *w, int16_t slot, value_tag tag, loop_slot now, abstract *out);
/* Python's arithmetic or a comparison on two numbers, one of which may change. */
bool walk_arithmetic(walk *w, ast_op op, const abstract *x, const abstract *y, abstract *out);
bool walk_is_comparison(ast_op op);
bool walk_compare(walk *w, ast_op op, const abstract *x, const abstract *y, abstract *out);
/* True if a value contains a scalar that changes, or an array, at any depth. */
bool walk_changes(const walk *w, const abstract *a);
bool walk_has_array(const walk *w, const abstract *a);
/* Subscripts of an array that change: guards that keep them in bounds and slices of one length. */
bool walk_check_subscript(walk *w, const abstract *a, const abstract *key);

/* ---- loop_call.c: calls, attributes ---- */

/* The instructions of these kinds; *after: the instruction at which the walk goes on. */
bool walk_call(walk *w, const ins *i, const ins **after);
bool walk_return(walk *w, const ins *i, const ins **after);
bool walk_get_attr(walk *w, const ins *i);
bool walk_set_attr(walk *w, const ins *i);
bool walk_get_method(walk *w, const ins *i);

#endif
