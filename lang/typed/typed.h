/* The compiled sub-language: function bodies to kir.
 *
 * One walk infers and lowers. It gives each variable the type that all its assignments have in
 * common; when a later assignment widens a type that was relied upon, the walk begins again with
 * what it learnt, until nothing changes.
 *
 * Types are NumPy's, and those of Python's own numbers, which are weak (NEP 50): a literal, a
 * counter of range, a number that the call or a global brings without a dtype takes the type of
 * what it meets, so x * 2 of a float32 is float32 (Numba gives float64). Python's bool, int, float,
 * complex are computed as bool, int64 (which wraps), float64, complex128. Comparisons give Python's
 * bool: (a > 0) + (b > 0) counts. The functions of math take integers as float64 and keep float32;
 * NumPy's follow NumPy. Dividing by zero gives NumPy's values; in loops of jitted functions it is
 * an error, unless their error model is NumPy's.
 *
 * Arrays are arguments, or globals read at the call; elements have NumPy's types, which are not
 * weak. Indices wrap once when negative and are checked (kir's BOUND), so a fault names line, index
 * and axis. An array in a body is a view of one of the program's arrays: which one, how many
 * dimensions and whether it is contiguous are known when compiling; offset, sizes and strides are
 * values. Slices are views, a[i] of a matrix is a row; both can be given to other functions.
 *
 * Calls of gpa functions are written into the body; they cannot be recursive. Globals and captured
 * variables are read at the call of the compiled function: numbers become its parameters, functions
 * and modules are part of what was compiled. */
#ifndef GPA_TYPED_TYPED_H
#define GPA_TYPED_TYPED_H

#include "lang/vm/vm.h"
#include "runtime/ir/body.h"

typedef struct {
    uint8_t dtype; /* gpa_dtype; DT_NONE: not known yet */
    bool weak;     /* Python's own number */
    uint8_t rank;  /* 0: a number; n + 1: an array of n dimensions, with elements of the dtype */
    bool unit;     /* an array whose last dimension has stride 1 */
    uint8_t mark; /* of a list of arguments, dtype NONE: TYPED_NONE stands for None, TYPED_TUPLE + n
                     for a tuple of the n that follow */
} typed_ty;

enum { TYPED_NONE = 1, TYPED_TUPLE = 2 };

/* A name that a body reads from outside: a module's variable, or a captured one. */
typedef struct {
    module_obj *module; /* NULL: captured */
    gpa_sym name;
    value cell;  /* the captured variable's cell (owned), else NONE */
    typed_ty ty; /* numbers: their type; others DT_NONE, */
    value was;   /* and what it was (owned) */
    bool pinned; /* a number whose value is part of what was compiled: `was`; ty is DT_NONE */
} typed_dep;

/* What a function becomes. */
typedef enum {
    TYPED_BODY,   /* numbers to one number: the body of an elementwise node */
    TYPED_KERNEL, /* a kir KERNEL, run once per thread; arrays and numbers, no result */
    TYPED_LOOP,   /* a loop of a jitted function (loop.h) */
    TYPED_CORE    /* a kir MAP over loop dimensions, whose points take parts of the arrays: a
                     generalised ufunc */
} typed_form;

/* How a CORE function takes its arguments. Each is one array of the program: the loop dimensions,
 * then those of its core. */
typedef struct {
    uint8_t loops;   /* dimensions of the space */
    uint32_t number; /* bit per argument: it arrives as its only element, not as an array */
    uint32_t dense;  /* bit per argument: its core is contiguous */
    uint32_t packed; /* bit per argument: its cores, of sizes compiled in, follow each other (one
                        loop dimension) */
    int8_t dim[BODY_MAX_IN]
              [KIR_MAX_DIMS]; /* which core dimension of the signature each dimension is */
    int64_t
        fixed[KIR_MAX_DIMS]; /* size of a core dimension that is compiled in; -1: given at launch */
} typed_core;

/* A function compiled for some types of arguments. Parameters of the program: the numbers among the
 * arguments, then those among deps; its arrays: those among the arguments, then those among deps,
 * then shared and local ones. */
typedef struct typed_fn {
    struct typed_fn *next;
    typed_form form;
    gpa_body *body;  /* BODY */
    kir_func *f;     /* other forms: the program, checked (owned) */
    arr_memo memo;   /* where it was built */
    typed_core core; /* CORE */
    int n_args;
    typed_ty args[BODY_MAX_IN];
    typed_ty result; /* what was asked for; DT_NONE: inferred */
    typed_dep *deps;
    size_t n_deps, cap_deps;
    bool varies; /* KERNEL: what it was compiled for has changed once: integers from outside are
                    read at every launch */
} typed_fn;

/* The function compiled for these types: from the list at *known if what it depends on is as it
 * was, else compiled and put in front. `result` a dtype: the value is cast to it (BODY). Borrowed
 * from the list. */
gpa_code typed_get(gpa_vm *vm, typed_fn **known, func_obj *fn, typed_form form,
                   const typed_ty *args, int n, gpa_dtype result, typed_fn **out);
/* The same for a CORE function. */
gpa_code typed_get_core(gpa_vm *vm, typed_fn **known, func_obj *fn, const typed_core *core,
                        const typed_ty *args, int n, typed_fn **out);
void typed_free_all(gpa_vm *vm, typed_fn *list);
/* The numbers among the dependences as they are now, as operands behind the arguments. */
gpa_code typed_numbers(gpa_vm *vm, const typed_fn *t, gpa_opnd *to);
/* The arrays among the dependences as they are now, borrowed, in order; `to` has room for
 * KIR_MAX_ARRAYS. */
int typed_arrays(gpa_vm *vm, const typed_fn *t, gpa_arr **to);

/* The program as text, and the bytes of a kernel's SHARED (or LOCAL) arrays of known size. */
void typed_print(const typed_fn *t, gpa_str *out);
size_t typed_own_bytes(const typed_fn *t, bool shared);

/* The type of a whole array: how programs with arrays take it. */
typed_ty typed_of_array(const gpa_arr *a);
/* The type of a number, or of an array's elements (how ufuncs take it). */
static inline typed_ty typed_of(const gpa_opnd *o) {
    return (typed_ty){.dtype = (uint8_t)(o->arr ? (gpa_dtype)o->arr->dtype : o->dtype),
                      .weak = !o->arr && o->weak != WEAK_NO};
}
/* "float32", "int" (Python's), "float32[:,:]", for messages. */
const char *typed_name(typed_ty t);
/* A list of arguments: "float32[:], (int, int), none". */
void typed_put_types(const typed_ty *t, int n, gpa_str *out);
/* Arguments of a call by position: keywords find their parameters, what is left out takes its
 * default. Borrowed; `to` has room for BODY_MAX_IN. The words of errors are inspect.Signature's,
 * which Numba binds by. */
gpa_code typed_bind(gpa_vm *vm, const func_obj *fn, size_t n, const value *args, size_t n_kw,
                    const value *names, value *to, int *n_out);
/* The default of parameter i; UNSET: it has none. Borrowed. */
value typed_default_peek(gpa_vm *vm, const func_obj *fn, size_t i);

/* @vectorize's object; data: what was compiled. Its field 0 is the function, */
extern const object_kind vectorized_kind;
enum { VECTORIZED_FOLDS = 2 }; /* and this one what its methods made of it, or None */
uint32_t vectorized_arity(const object_obj *o);
/* The ufunc of as many values as it has arguments. */
gpa_code vectorized_call(gpa_vm *vm, object_obj *o, const value *args, value *out);
/* A function under @jit with signatures; its field 0 is the function. As vectorized_kind's, its
 * field 1 is the list of signatures. */
extern const object_kind jitted_kind;
gpa_code jitted_new(gpa_vm *vm, value fn, value signatures, bool lenient, value *out);
/* @guvectorize's object; its field 0 is the function. */
extern const object_kind gufunc_kind;

/* ---- signature.c: Numba's types as text ---- */

typedef struct {
    typed_ty result; /* dtype DT_NONE: void, or not given */
    int n;
    typed_ty args[BODY_MAX_IN];
} typed_signature;
/* "float32(float32, int64[:])", "void(f8[:,:], f8)", "(f4[:], f4[:])": a str, or a signature
 * object. */
gpa_code typed_read_signature(gpa_vm *vm, value v, typed_signature *s);

/* Of a list of signatures the first one of `n` types (0: of any number) to whose first types n_in
 * operands can be cast safely; fails with the ufunc's TypeError. A number without a dtype fits
 * every type of its kind and above; where there are no other operands, signatures that take int64,
 * float64 or complex128 for it come first. */
gpa_code typed_choose(gpa_vm *vm, const func_obj *fn, value list, const gpa_opnd *in, int n_in,
                      int n, typed_signature *s);
/* The signatures of a decorator's argument as a list (owned), or None where it gives none. */
gpa_code typed_signatures(gpa_vm *vm, value v, value *list);
gpa_code typed_check_target(gpa_vm *vm, value v);
/* Signature i of a decorator's list, which must have as many arguments as the function: Numba's
 * TypeError if not. */
gpa_code typed_signature_for(gpa_vm *vm, const func_obj *fn, value list, size_t i,
                             typed_signature *s);
/* In which order the signatures of a function are tried: all of them by each rule. */
#define TYPED_RULES \
    { CAST_EQUIV, CAST_SAFE, CAST_SAME_KIND }
enum { TYPED_N_RULES = 3 };
/* Whether a number may be cast by the rule; by the last one Python's own may lose what is behind
 * the point. */
static inline bool typed_may_cast(typed_ty from, gpa_dtype to, gpa_casting rule) {
    bool own =
        from.weak && rule == CAST_SAME_KIND && (from.dtype != DT_C128 || dtype_is_complex(to));
    return own || dtype_can_cast((gpa_dtype)from.dtype, to, rule);
}

#endif
