/* Tapes: records of array operations, from which derivatives are computed (reverse mode).
 *
 * Between tape_open and tape_close every operation that reads an active array is recorded: which
 * rule differentiates it, where its operands and results lie, and the values that the rule needs.
 * Arrays are told apart by their storages and described by their strided layouts, so that views
 * need no record and stores through them are recorded as what they are. Tapes nest: each has active
 * arrays of its own. An array that was recorded keeps its value for the record when it is stored
 * into later: the record then gets a copy of the old value (copy-on-write). */
#ifndef GPA_TAPE_H
#define GPA_TAPE_H

#include "runtime/runtime.h"

/* The storage and layout of an operand or result, and its value. */
typedef struct tape_operand {
    uint64_t storage;             /* number of its storage; 0: a scalar */
    bool active;                  /* it depends on a watched array */
    uint8_t dtype, storage_dtype; /* gpa_dtype */
    int ndim;
    int64_t offset, storage_size; /* in elements of dtype; of storage_dtype */
    int64_t *layout;              /* ndim extents, then ndim strides */
    gpa_arr *value;               /* NULL: not kept, or a scalar */
    gpa_opnd number;              /* a scalar */
    struct tape_operand *next;    /* the next one of the tape that keeps a value of this storage */
} tape_operand;

/* An operation. Operands first, then results; for a store the array that is stored into is a
 * result. */
typedef struct tape_record {
    const char *rule; /* "multiply", "sum", "getitem", ... */
    int op;           /* gpa_op of an elementwise operation, else -1 */
    int n_in, n_out;
    int64_t *ints; /* options of the rule */
    int n_ints;
    double scale;     /* of Fourier transforms */
    gpa_index *index; /* of getitem and setitem; index arrays are operands, in order */
    int n_index;
    bool ends_iteration;        /* of a loop of the program; what follows is of the next one */
    struct tape_record *before; /* the record made before this one */
    tape_operand operand[];
} tape_record;

/* Starts recording what depends on n arrays, which must own their storages: nothing else may refer
 * to these. Everything is recorded on each open tape that it concerns.
 *
 * mapped: the tape of vmap. Its records are computed again with batches for the watched arrays, so
 * arrays of all dtypes are active, operations without a derivative are recorded too, records keep
 * the values of operands that are not active, and reading an active array is an error. */
gpa_code tape_open(gpa_rt *rt, gpa_arr *const *watched, int n, bool mapped, gpa_err *e);
/* Ends the recording of the innermost tape. Returns its last record, from which `before` leads to
 * the others; the caller frees them. NULL: there are none. */
tape_record *tape_close(gpa_rt *rt);
void tape_free(gpa_rt *rt, tape_record *last);
/* The number of open tapes. */
int tape_depth(const gpa_rt *rt);
/* True if an open tape records operations on the array. */
bool tape_is_active(const gpa_rt *rt, const gpa_arr *a);
/* True if an open tape of vmap records operations on the array. */
bool tape_is_mapped(const gpa_rt *rt, const gpa_arr *a);
/* The number of the innermost tape of vmap that records operations on the array, among the tapes of
 * vmap, from 0 for the innermost one; -1: none. */
int tape_mapped_level(const gpa_rt *rt, const gpa_arr *a);
/* The records so far of a tape of vmap, which forgets them, as from tape_close. */
tape_record *tape_drain(gpa_rt *rt, int level);
/* Describes an array, for the innermost tape; the caller frees out->layout with mem_free. */
gpa_code tape_describe(gpa_rt *rt, gpa_arr *a, tape_operand *out, gpa_err *e);

/* Stops recording on all open tapes, or goes on; calls nest. Tapes that are opened meanwhile
 * record. mapped: on tapes of vmap too. */
void tape_pause(gpa_rt *rt, bool pause, bool mapped);
/* Starts to collect on all open tapes, instead of recording, the active arrays that are read and
 * were not computed meanwhile. False, without effect: no tape is open, one is of vmap, or they
 * collect already. */
bool tape_collect(gpa_rt *rt);
/* Ends it. Passes the storages that were read to `each`, as 1-d arrays, until that fails; what was
 * computed meanwhile is not active any more. */
gpa_code tape_collected(gpa_rt *rt, gpa_code (*each)(void *user, gpa_arr *a), void *user);

/* A call of a function with a gradient of its own; NULL: an operand or result is no array. */
typedef struct {
    gpa_arr *const *in, *const *out;
    int n_in, n_out;
    int64_t number;
} tape_call;

/* Records the rule "call" with the number for results that were computed while recording was
 * stopped. */
gpa_code tape_note_call(gpa_rt *rt, const tape_call *call, gpa_err *e);

/* A loop back-edge: in the backward pass, arrays are computed there, too. */
void tape_note_edge(gpa_rt *rt);

/* Gradients with respect to storages, during the backward pass. Operands describe the
 * storage and layout that a value had. Arrays that functions return are owned by the caller. */
typedef struct tape_gradients tape_gradients;
tape_gradients *tape_gradients_new(void); /* NULL when memory is short */
void tape_gradients_free(gpa_rt *rt, tape_gradients *g);
/* Adds a contribution, which is summed over broadcast axes and cast, to the gradient of an active
 * operand. */
gpa_code tape_gradient_add(gpa_rt *rt, tape_gradients *g, const tape_operand *o, gpa_arr *c,
                           gpa_err *e);
/* The gradient of the operand; *out NULL: zero. */
gpa_code tape_gradient_get(gpa_rt *rt, tape_gradients *g, const tape_operand *o, gpa_arr **out,
                           gpa_err *e);
/* The same of a result that did not exist before: its storage has no gradient any more. */
gpa_code tape_gradient_take(gpa_rt *rt, tape_gradients *g, const tape_operand *o, gpa_arr **out,
                            gpa_err *e);
/* A view of the gradient that may be stored into. */
gpa_code tape_gradient_view(gpa_rt *rt, tape_gradients *g, const tape_operand *o, gpa_arr **out,
                            gpa_err *e);
/* True if what tape_gradient_get would return is not the caller's alone: other arrays share its
 * memory, it is read-only, or later contributions are stored into it. */
bool tape_gradient_is_shared(const tape_gradients *g, const tape_operand *o);
/* The operand has no gradient any more: a store overwrote it. */
gpa_code tape_gradient_forget(gpa_rt *rt, tape_gradients *g, const tape_operand *o, gpa_err *e);
/* The gradient of what was stored there is that of the operand that was stored. */
gpa_code tape_gradient_move(gpa_rt *rt, tape_gradients *g, const tape_operand *from,
                            const tape_operand *to, gpa_err *e);

/* The backward pass over records. Iterations of a loop whose records repeat are replayed: launched
 * again without visiting their records (exec/loop_model.h). */
typedef struct tape_walk tape_walk;
/* Begins behind the last record. NULL when memory is short. The records and gradients must outlive
 * the walk. */
tape_walk *tape_walk_new(gpa_rt *rt, tape_gradients *g, const tape_record *last);
void tape_walk_free(tape_walk *w);
/* The next record in reverse order; NULL: there are no more. */
gpa_code tape_walk_next(tape_walk *w, const tape_record **out, gpa_err *e);

/* The expressions of the gradient of an elementwise operation with respect to its operands (rows
 * of partial.def); "": zero. */
const char *tape_partial(gpa_op op, int operand);

#endif
