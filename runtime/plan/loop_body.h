/* Bodies of batched loops: several iterations of the user's loop as one elementwise node.
 *
 * Describes what one iteration computed, decides whether another iteration continues the same loop,
 * and makes the body (body.h) that runs any number of them. Recording and launching is the work of
 * exec/loop_batch.h. */
#ifndef GPA_PLAN_LOOP_BODY_H
#define GPA_PLAN_LOOP_BODY_H

#include "runtime/graph/state.h"

enum {
    LOOP_MAX_OUT = BODY_MAX_OUT,
    LOOP_MAX_NODES = 128, /* of an iteration */
    LOOP_MAX_WORDS = 640, /* of its description */
    LOOP_MAX_SCALARS = 24,
    LOOP_CACHED_BODIES = 8, /* loops whose bodies are kept */
    LOOP_MAX_TABLE = 8      /* iterations for which scalars are tabulated */
};

/* How a scalar changes from iteration to iteration: not at all; by an integral stride (induction
 * variable); in any way; as an earlier scalar that equals it. */
typedef enum { INVARIANT, INDUCTION, TABULATED, SAME_AS } scalar_kind;

/* An iteration: its description, and the operands that the description leaves out. */
typedef struct {
    uint64_t words[LOOP_MAX_WORDS + LOOP_MAX_SCALARS + 1]; /* the end only for keys of bodies */
    node *nodes[LOOP_MAX_NODES]; /* by number; the first n_out: results of the previous iteration,
                                    NULL where they are not read */
    node *arrays[BODY_MAX_IN];   /* loop-invariant arrays that it reads */
    gpa_val v[LOOP_MAX_SCALARS]; /* scalars, in the order in which nodes use them */
    uint8_t type[LOOP_MAX_SCALARS];
    gpa_storage *storage[LOOP_MAX_OUT]; /* which take its results, */
    int32_t root[LOOP_MAX_OUT];         /* and the numbers of the results' nodes */
    int n_words, n_nodes, n_arrays, n_scalars, n_out;
    bool carries; /* it reads a result of the previous iteration */
} iteration;

typedef struct {
    uint64_t *words; /* the key */
    size_t n_words;
    gpa_body *body;
    gpa_body **callees; /* bodies whose addresses `words` holds; retained */
    size_t n_callees;
} cached_body;

/* The iterations recorded for one loop.
 *
 *   count 0   none; `last` names the buffers of the results that the last back edge launched: an
 *             iteration that reads one may be recorded
 *   count 1   one, as the graph that it was
 *   count n   result[i] is a node of the loop's body, made anew for every iteration
 *
 * Invariant: result[i] is the node of the i-th result of the last iteration, and keeps alive every
 * node that `previous` names. */
struct loop_batch {
    iteration iteration[2], *current, *previous;
    const gpa_buf *last[LOOP_MAX_OUT];
    int n_last;
    int64_t count, limit; /* of iterations: recorded, and at which they are launched */
    node *result[LOOP_MAX_OUT];
    gpa_body *body;        /* count > 1; retained */
    node *in[BODY_MAX_IN]; /* its inputs, retained; the last one is the trip count */
    int n_in;
    bool is_read[LOOP_MAX_OUT]; /* carried results: those have an initial value among the inputs */
    scalar_kind kind[LOOP_MAX_SCALARS];
    uint64_t stride[LOOP_MAX_SCALARS]; /* INDUCTION; of SAME_AS: which scalar */
    enum {
        HISTORY_NONE,
        IRREGULAR,
        DISTINCT
    } history[LOOP_MAX_SCALARS]; /* scalars of this loop that broke a prediction: they are tabulated
                                  */
    int table_len, n_tables, first_table; /* iterations in a table, 0: no table; tabulated scalars;
                                             the first table's position in `in` */
    cached_body cached[LOOP_CACHED_BODIES];
    int next_cached; /* to be evicted */
    bool busy;       /* the recorded iterations are being launched */
};

/* Describes all pending work as one iteration; false: it cannot be batched. Reads and changes the
 * nodes' scratch marks. */
bool loop_describe(gpa_rt *rt, struct loop_batch *r, iteration *t);
/* True if t, described after `previous`, is another iteration of the same loop. The second
 * iteration classifies the scalars. */
bool loop_continues(struct loop_batch *r, const iteration *t);
/* True if two iterations compute the same function of their operands. */
bool loop_same_words(const iteration *a, const iteration *b);
/* The loop's body, cached or new, in *out (retained); its text is not set. unrolled: exactly
 * table_len iterations, else any number. */
gpa_code loop_find_body(struct loop_batch *r, iteration *t, bool unrolled, gpa_body **out,
                        gpa_err *e);
void loop_free_bodies(struct loop_batch *r);

#endif
