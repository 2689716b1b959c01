/* Compiled loops, inside lang/typed/: analysis results, specializations, random sampling. */
#ifndef GPA_TYPED_LOOP_H
#define GPA_TYPED_LOOP_H

#include "lang/typed/lift.h"
#include "lang/typed/lower.h"

/* Uses of a variable of the function by a loop (bits). */
typedef enum {
    USE_NONE = 0,
    USE_READ = 1, /* mentioned */
    USE_WRITTEN = 2,
    USE_AFTER = 4, /* may be live after the loop */
    USE_KEPT = 8   /* its value may be read after the loop */
} loop_use;

/* Data sharing of a variable that a prange loop writes. */
typedef enum { ROLE_PRIVATE, ROLE_SUM, ROLE_PRODUCT, ROLE_MIN, ROLE_MAX, ROLE_CARRIED } loop_role;

struct typed_lift {
    const ast_node *loop, *function;
    bool parallel, returns, interpreted; /* interpreted: known to need the interpreter */
    uint32_t n;                          /* variables of the function */
    uint8_t *use;                        /* loop_use of each */
    uint8_t *role;                       /* loop_role of each */
    typed_ty *types;        /* of each in the program compiled last; dtype NONE: unknown */
    uint8_t random_sources; /* bit per source (LOOP_RANDOM_...) that its programs sample from */
    struct loop_fn *compiled;
};

/* Kind of a variable when the loop is reached. */
typedef enum { IN_UNBOUND, IN_VALUE, IN_TUPLE, IN_STATIC } loop_kind;
typedef struct {
    uint8_t kind;   /* loop_kind */
    uint8_t n;      /* TUPLE: items */
    value constant; /* STATIC (owned) */
} loop_in;

typedef struct {
    uint32_t slot;
    typed_ty t;
    int result; /* number of its result */
    int flag;   /* result that is true if the variable was assigned; -1: it is always assigned */
    bool clear; /* its value cannot leave the loop: unbound afterwards */
} loop_out;

enum { LOOP_MAX_RESULTS = 24, LOOP_MAX_SCRATCH = 16 };

/* Limits of the memory of scratch arrays: of all workers of a prange loop; of a sequential loop
 * that computes with whole arrays, beyond which the interpreter's array operations use all threads.
 */
enum { LOOP_MAX_WORKERS_SCRATCH_BYTES = 1 << 26, LOOP_MAX_ARRAY_MATH_BYTES = 1 << 15 };

/* An array that the loop creates (scratch.c). */
typedef struct {
    const ast_node *at;
    int array, ndim;
    int32_t size[KIR_MAX_DIMS]; /* kir values */
} loop_scratch;

/* Sources of random numbers in a loop. */
enum { LOOP_RANDOM_NONE, LOOP_RANDOM_NUMPY, LOOP_RANDOM_PYTHON };

/* A specialization of a loop. base.args: the leaves of the input variables, then the iterable:
 * start and stop of a range (start and trip count for prange), or the array. The program's last
 * arrays are its results, one each. */
typedef struct loop_fn {
    typed_fn base;
    struct loop_fn *next;
    const typed_lift *of;
    loop_in *in;     /* of->n */
    loop_out *out;   /* capacity of->n */
    typed_ty *types; /* of the variables: of->n; dtype NONE: unknown */
    uint32_t n_out;
    bool over_array, strided;
    uint8_t random_sources; /* as in typed_lift */
    int n_over;
    int64_t step;
    int returned; /* result that is true if the loop returned; -1: it has no return */
    int first_returned;
    uint32_t n_returned; /* values that it returns; 0: None */
    bool returned_tuple;
    loop_scratch scratch[LOOP_MAX_SCRATCH];
    int n_scratch;
    bool array_math; /* it computes with whole arrays, which pays for small ones only */
    int n_results;
    typed_ty result[LOOP_MAX_RESULTS];
    gpa_arr *result_memory; /* sequential loops: memory of the results, 16 bytes each */
    gpa_arr *result_view[LOOP_MAX_RESULTS];
} loop_fn;

/* Liveness and data sharing of the variables: fills l->use and l->role. */
void loop_analyze(gpa_vm *vm, typed_lift *l, bool inner);
/* One iteration of the fixed point over a loop (fixed_point.c). */
gpa_code loop_lower(lowering *lw, func_obj *fn);
/* An uninitialized array that each worker has for itself; size: int64 kir values. */
gpa_code loop_scratch_array(lowering *lw, const ast_node *at, gpa_dtype t, int ndim,
                            const int32_t *size, tv *out);
/* NotImplementedError, or fallback, if a size is not known before the loop starts. */
gpa_code loop_scratch_check(lowering *lw);
/* Elements of each scratch array for one worker. arrays and params: what a launch binds. */
gpa_code loop_scratch_sizes(gpa_vm *vm, const loop_fn *l, gpa_arr *const *arrays,
                            const gpa_val *params, int64_t *elements);
/* Creates the generator states of a source of random numbers, one per worker. */
gpa_code loop_prepare_random(gpa_vm *vm, int generator, bool strided);

#endif
