/* Replay of loops: iterations that repeat are launched again without being interpreted.
 *
 * Three consecutive iterations are logged (loop_log.h). If they have the same launches on memory of
 * the same names, offsets and sizes advance by constant amounts, each parameter is constant or one
 * of the scalars that the caller announces, and the variables hold afterwards what the names
 * predict, then the following iterations are those launches, with the names bound to other memory:
 * ping-pong buffers are a permutation, new memory comes from a list of the blocks that the loop has
 * freed.
 *
 * Sizes that change (slices that grow or shrink, as in triangular solves) end the replay before
 * they leave the range of LOOP_SIZE_RANGE: new memory is allocated for its upper end, and what a
 * launch writes and reads of the same memory stays apart within it.
 *
 * An iteration may end with a test of a bool that it computed (`while error > limit`): the host
 * reads it after each iteration, and the replay ends when it is not what it was in the recorded
 * ones.
 *
 * A loop that runs again, such as an inner one, keeps its model: one logged iteration is enough if
 * it has the same launches on memory of the same layouts, and the caller's key says that everything
 * advances by the same amounts.
 *
 * The caller (lang/vm/loop.h) proves what the log cannot show: that the interpreter would take the
 * same path, that indices are affine in the iteration and in bounds, and that nothing but the
 * announced variables and scalars changes. */
#ifndef GPA_EXEC_LOOP_MODEL_H
#define GPA_EXEC_LOOP_MODEL_H

#include "runtime/exec/loop_graph.h"
#include "runtime/exec/loop_log.h"

/* A logged iteration with what its variables held at its end. */
typedef struct {
    loop_log log;
    double began; /* seconds on the clock, without compilation */
    /* The last records of the open tape before and after it; equal: nothing was recorded. */
    const struct tape_record *tape_before, *tape_last;
    rt_loop_scalar scalars[RT_LOOP_MAX_SCALARS];
    size_t n_scalars;
    log_array end[RT_LOOP_MAX_ARRAYS];
    /* Of each array at the end: the name of its memory; which array at the start has its object, or
     * its storage: a number, or if new, -1 less the number of the first array at the end with it.
     */
    int32_t name[RT_LOOP_MAX_ARRAYS], object[RT_LOOP_MAX_ARRAYS], storage[RT_LOOP_MAX_ARRAYS];
} loop_iteration;

enum {
    LOOP_RECORDED = 3,
    LOOP_MAX_SIZES = 16,
    LOOP_MAX_FREE = 16,  /* unused blocks of a size */
    LOOP_KEPT = 4,       /* models of loops that have run */
    LOOP_SIZE_RANGE = 4, /* by what factor a size may grow or shrink from the recorded one; small
                            sizes may by more */
};

/* The model of a loop: the common part of three iterations. */
typedef struct {
    int64_t advance[LOG_MAX_OPERANDS]; /* of offsets, per iteration */
    int64_t moves[RT_LOOP_MAX_ARRAYS]; /* of the offsets of arrays at the end */
    /* Of the sizes of launches, of the shapes of arrays at the end, of bytes read and written. */
    int64_t grows[LOG_MAX_ACTIONS][KIR_MAX_DIMS];
    int64_t shape_grows[RT_LOOP_MAX_ARRAYS][KIR_MAX_DIMS];
    int64_t read_grows[LOG_MAX_ACTIONS], written_grows[LOG_MAX_ACTIONS];
    bool fresh_grows[LOG_MAX_FRESH]; /* the bytes of new memory change */
    bool grown;                      /* some size changes */
    uint64_t limit;                  /* iterations that may be replayed */
    int32_t read;                    /* the action that is a read; -1: none */
    int8_t scalar[LOG_MAX_PARAMS];   /* of parameters: which scalar, or -1: constant */
    int32_t last_use[LOG_MAX_FRESH]; /* the action after which new memory is free; the number of
                                        actions: records keep it; -1: it is held at the end */
    uint8_t size_of[LOG_NAMES];      /* which size class a name's memory belongs to */
    size_t sizes[LOOP_MAX_SIZES];    /* bytes */
    uint32_t need[LOOP_MAX_SIZES];   /* blocks allocated by one iteration */
    size_t n_sizes;
    bool gone[RT_LOOP_MAX_ARRAYS]; /* names that no array holds at the end */
    bool kept[LOG_NAMES];          /* names of memory that records keep; set before the rest */
    size_t first_dead; /* the actions from this one on store what no later iteration reads */
} loop_model;

/* The model of a loop that has run, for its next execution. */
typedef struct {
    uint64_t key, used; /* 0: empty; a count, the latest is the largest */
    loop_iteration *x;  /* the last recorded iteration, of which only programs are retained; NULL:
                           the  loop was seen once */
    loop_model model;
} loop_kept;

struct loop_replay {
    bool logging;
    int n, tries;                      /* iterations logged in a row, and in all */
    loop_iteration *at[LOOP_RECORDED]; /* oldest first */
    loop_iteration iterations[LOOP_RECORDED];
    loop_model model;
    uint64_t key, left;   /* of the loop that is recorded (rt_loop_state) */
    struct loop_run *run; /* its replay (array/loop_replay.c): memory that is used again */
    loop_kept kept[LOOP_KEPT];
    uint64_t uses;
    struct tape_replay *tape; /* the records of an iteration (array/tape_replay.h); NULL: none */
    loop_graph graphs[LOOP_GRAPHS];
    uint64_t graph_uses;
};

/* The log of the iteration that runs; NULL: none is being logged. */
static inline loop_log *loop_replay_log(struct loop_replay *r) {
    return r->logging ? &r->at[LOOP_RECORDED - 1]->log : NULL;
}

/* The model of three iterations, in r->model, of which `kept` is set; else why there is none. */
rt_loop_reason loop_model_make(struct loop_replay *r);
/* Keeps the model for the loop's next execution, if this is not the first one. */
void loop_model_keep(struct loop_replay *r);
/* The model of the loop's last execution fits the last logged iteration: makes it r->model. */
bool loop_model_again(struct loop_replay *r);
/* Ends the recording and frees its memory. */
void loop_replay_free(gpa_rt *rt);

#endif
