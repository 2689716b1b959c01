/* Inside lang/typed/: compiled loops. */
#ifndef GPA_TYPED_LOOP_H
#define GPA_TYPED_LOOP_H

#include "lang/typed/lift.h"
#include "lang/typed/lower.h"

/* How a loop treats a variable of its function. */
typedef enum {
    USE_NONE = 0,
    USE_READ = 1, /* mentioned */
    USE_WRITTEN = 2,
    USE_AFTER = 4 /* may be read after the loop */
} loop_use;

/* Of a variable that a prange loop writes. */
typedef enum { TRIP_OWN, TRIP_SUM, TRIP_PRODUCT, TRIP_MIN, TRIP_MAX, TRIP_CARRIED } loop_trip;

struct typed_lift {
    const ast_node *loop, *function;
    bool parallel, returns, host; /* host: it was seen that only the machine can run it */
    uint32_t n;                   /* variables of the function */
    uint8_t *use;                 /* loop_use of each */
    uint8_t *trip;                /* loop_trip */
    uint8_t draws;                /* bit per source (LOOP_DRAWS): what its programs draw from */
    struct loop_fn *known;
};

/* What a variable is when the loop is reached. */
typedef enum { IN_UNBOUND, IN_VALUE, IN_TUPLE, IN_STATIC } loop_kind;
typedef struct {
    uint8_t kind; /* loop_kind */
    uint8_t n;    /* TUPLE: items */
    value is;     /* STATIC (owned) */
} loop_in;

typedef struct {
    uint32_t slot;
    typed_ty t;
    int result; /* number of its result */
    int flag;   /* result that says whether it was assigned; -1: it always has a value */
    bool clear; /* what it holds cannot leave the loop: it is unbound afterwards */
} loop_out;

enum { LOOP_MAX_RESULTS = 24 };

/* How many threads share a prange loop at most. */
enum { LOOP_WORKERS = 256, LOOP_GPU_WORKERS = 1 << 18 };

/* Where a loop's random numbers come from. */
enum { LOOP_DRAWS_NOTHING, LOOP_DRAWS_NUMPY, LOOP_DRAWS_PYTHON };

/* A loop compiled for some types. base.args: the leaves of the variables that come in, then what it
 * goes over: start and stop of a range (start and trips for prange), or the array. The program's
 * last arrays take the results, one each. */
typedef struct loop_fn {
    typed_fn base;
    struct loop_fn *next;
    const typed_lift *of;
    loop_in *in;   /* of->n */
    loop_out *out; /* room for of->n */
    uint32_t n_out;
    bool over_array, strided;
    uint8_t draws; /* as typed_lift's */
    int n_over;
    int64_t step;
    int returned; /* result: whether the loop returned; -1: it cannot */
    int first_returned;
    uint32_t n_returned; /* results that it returns; 0: None */
    bool returned_tuple;
    int n_results;
    typed_ty result[LOOP_MAX_RESULTS];
    gpa_arr *place; /* plain loops: memory for the results, one in 16 bytes */
    gpa_arr *result_at[LOOP_MAX_RESULTS];
} loop_fn;

/* Marks what the loop does with the variables: fills l->use and l->trip. */
void loop_examine(gpa_vm *vm, typed_lift *l, bool inner);
/* One round of the walk over a loop (walk.c). */
gpa_code loop_round(walk *w, func_obj *fn);
/* The states of a source of random numbers are there, one for each thread. */
gpa_code loop_ready_draws(gpa_vm *vm, int family, bool strided);

#endif
