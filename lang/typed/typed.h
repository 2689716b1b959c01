/* The compiled sub-language: abstract interpretation of function bodies, with type inference and
 * lowering to kir in one pass.
 *
 * A variable's type is the join of the types of all its assignments. When a later assignment
 * widens a type that was already used, the pass runs again with what it learnt, until a fixed
 * point.
 *
 * Types are NumPy's, and Python's own numbers, which are weak (NEP 50): a literal, a counter of
 * range, or a number without a dtype takes the type of the other operand, so x * 2 of a float32
 * is float32 (Numba gives float64). Python's operators widen integers to 64 bits, as Numba's do
 * (lang/vm/jit_integers.h). Python's bool, int, float, complex are computed as bool,
 * int64 (which wraps), float64, complex128. Comparisons give Python's bool: (a > 0) + (b > 0)
 * counts. Functions of math convert integers to float64 and keep float32; NumPy's follow NumPy.
 * Division by zero gives NumPy's values; in loops of jitted functions it raises
 * ZeroDivisionError, unless error_model='numpy'.
 *
 * Arrays are arguments, or globals read at the call; elements have NumPy's types, which are not
 * weak. Negative indices wrap once and all are bounds-checked (kir's BOUND), so a fault names
 * line, index and axis. An array in a body is a view of one of the program's arrays: array,
 * number of dimensions and contiguity are compile-time facts; offset, sizes and strides are
 * values. Slices are views, a[i] of a matrix is a row; both can be passed to other functions.
 *
 * Calls of gpa functions are inlined; they cannot be recursive. Globals and captured variables
 * are read at the call of the compiled function: numbers become parameters, functions and
 * modules are part of the specialization. */
#ifndef GPA_TYPED_TYPED_H
#define GPA_TYPED_TYPED_H

#include "lang/vm/vm.h"
#include "runtime/ir/body.h"
#include "runtime/programs.h"

typedef struct {
    uint8_t dtype;    /* gpa_dtype; DT_NONE: unknown */
    bool weak;        /* Python's own number (NEP 50) */
    uint8_t rank;     /* 0: a scalar; n + 1: an array of n dimensions, with elements of the dtype */
    bool unit_stride; /* an array with unit stride along the last dimension */
    uint8_t mark; /* in a list of arguments, with dtype NONE: TYPED_NONE is None, TYPED_TUPLE + n a
                     tuple of the n types that follow */
} typed_ty;

enum { TYPED_NONE = 1, TYPED_TUPLE = 2 };

/* A free or global variable that a compiled function depends on. */
typedef struct {
    module_obj *module; /* NULL: captured */
    gpa_sym name;
    value cell;     /* cell of the captured variable (owned), else NONE */
    typed_ty ty;    /* type of a number or array; DT_NONE: other values */
    value snapshot; /* other values: the one compiled for (owned) */
    bool frozen;    /* a number specialized as a constant: `snapshot`; ty is DT_NONE */
} typed_dep;

/* The kind of program that a function is compiled to. */
typedef enum {
    TYPED_BODY,   /* scalars to one scalar: the body of an elementwise node */
    TYPED_KERNEL, /* a kir KERNEL, run once per thread; arrays and scalars, no result */
    TYPED_LOOP,   /* a loop of a jitted function (loop.h) */
    TYPED_CORE    /* a kir MAP over the loop dimensions of a generalized ufunc */
} typed_form;

/* How a CORE program takes its arguments: each is one array with the loop dimensions, then its
 * core dimensions. */
typedef struct {
    uint8_t loops;       /* loop dimensions of the iteration space */
    uint32_t scalars;    /* bit per argument: passed by value (its only element) */
    uint32_t contiguous; /* bit per argument: its core is contiguous */
    uint32_t packed;     /* bit per argument: its cores, of constant size, are adjacent (one loop
                            dimension) */
    int8_t dim[BODY_MAX_IN][KIR_MAX_DIMS]; /* index in the layout of each core dimension */
    int64_t const_size[KIR_MAX_DIMS]; /* constant size of a core dimension; -1: given at launch */
} typed_core;

/* A specialization of a function for argument types. Parameters of the program: the scalars
 * among the arguments, then those among deps. Its arrays: those among the arguments, then those
 * among deps, then shared and local ones. */
typedef struct typed_fn {
    struct typed_fn *next;
    typed_form form;
    gpa_body *body;         /* BODY */
    kir_func *f;            /* other forms: the verified program (owned) */
    arr_launch_cache cache; /* where it was built */
    typed_core core;        /* CORE */
    int n_args;
    typed_ty args[BODY_MAX_IN];
    typed_ty result; /* requested result type; DT_NONE: inferred */
    typed_dep *deps;
    size_t n_deps, cap_deps;
    size_t serial;     /* in order of compilation, from 0 */
    bool globals_vary; /* KERNEL: a guard failed once: global integers are read at every launch
                          instead of being specialized */
} typed_fn;

/* The key of a specialization: the argument types a function is compiled for. */
typedef struct {
    typed_form form;
    const typed_core *core; /* CORE; else NULL */
    const typed_ty *args;
    int n;
    gpa_dtype result; /* BODY: the value is cast to it; DT_NONE: inferred */
} typed_request;
/* Finds the specialization in the list at *compiled, if its guards hold, else compiles it; moves
 * it to the front. Borrowed from the list. */
gpa_code typed_get(gpa_vm *vm, typed_fn **compiled, func_obj *fn, const typed_request *r,
                   typed_fn **out);
void typed_free_all(gpa_vm *vm, typed_fn *list);
/* Current values of the numbers among the dependences, as operands that follow the arguments. */
gpa_code typed_numbers(gpa_vm *vm, const typed_fn *t, gpa_opnd *to);
/* Current arrays among the dependences, borrowed, in order; `to` has capacity KIR_MAX_ARRAYS. */
int typed_arrays(gpa_vm *vm, const typed_fn *t, gpa_arr **to);

/* The program as text; the bytes of its SHARED (or LOCAL) arrays of constant size. */
void typed_print(const typed_fn *t, gpa_str *out);
size_t typed_array_bytes(const typed_fn *t, bool shared);

/* Type of a whole array, as programs with arrays take it. */
typed_ty typed_of_array(const gpa_arr *a);
/* Type of a scalar, or of an array's elements (as ufuncs take it). */
static inline typed_ty typed_of(const gpa_opnd *o) {
    return (typed_ty){.dtype = (uint8_t)(o->arr ? (gpa_dtype)o->arr->dtype : o->dtype),
                      .weak = !o->arr && o->weak != WEAK_NO};
}
/* Name for messages: "float32", "int" (Python's), "float32[:,:]". */
const char *typed_name(typed_ty t);
/* Appends a list of argument types: "float32[:], (int, int), none". */
void typed_print_types(const typed_ty *t, int n, gpa_str *out);
/* Binds the arguments of a call to parameters, with keywords and defaults. Values are borrowed;
 * `to` has capacity BODY_MAX_IN. Error messages are those of inspect.Signature, which Numba
 * uses. */
gpa_code typed_bind(gpa_vm *vm, const func_obj *fn, const call_args *a, value *to, int *n_out);
/* Default of parameter i; UNSET: none. Borrowed. */
value typed_default_peek(gpa_vm *vm, const func_obj *fn, size_t i);

/* The object of @vectorize; data: its specializations. Field 0 is the function, */
extern const object_kind vectorized_kind;
enum { VECTORIZED_FOLDS = 2 }; /* this field the folds that its methods created, or None */
uint32_t vectorized_arity(const object_obj *o);
/* Calls the ufunc with as many values as its arity. */
gpa_code vectorized_call(gpa_vm *vm, object_obj *o, const value *args, value *out);
/* A function under @jit with signatures. Field 0 is the function; field 1 the list of
 * signatures, as in vectorized_kind. */
extern const object_kind jitted_kind;
gpa_code jitted_new(gpa_vm *vm, value fn, value signatures, bool lenient, value *out);
/* The signatures of a ufunc of n_in inputs in NumPy's notation, "dd->d": the declared ones if
 * `declared` is a list, else those that the calls so far compiled. */
gpa_code typed_list_types(gpa_vm *vm, value declared, const typed_fn *compiled, int n_in,
                          value *out);
/* The object of @guvectorize; field 0 is the function. */
extern const object_kind gufunc_kind;

/* ---- signature.c: Numba's type signatures ---- */

typedef struct {
    typed_ty result; /* dtype DT_NONE: void, or not given */
    int n;
    typed_ty args[BODY_MAX_IN];
} typed_signature;
/* Parses "float32(float32, int64[:])", "void(f8[:,:], f8)", "(f4[:], f4[:])": a str, or a
 * signature object. */
gpa_code typed_read_signature(gpa_vm *vm, value v, typed_signature *s);

/* Operands of a ufunc, and how many types its signatures have (0: any number). */
typedef struct {
    const gpa_opnd *in;
    int n, n_types;
    bool scalars_convert; /* target='cuda': scalars take the types that the arrays select */
    bool arrays_narrow;   /* generalized ufuncs with target='cuda': also arrays of wider types */
} typed_operands;
/* Overload resolution of a ufunc: the first signature with n_types types to whose first types the
 * operands can be cast safely; else the ufunc's TypeError. A number without
 * a dtype matches every type of its kind and above; if all operands are such numbers, signatures
 * with int64, float64 or complex128 are preferred. If none matches, scalars and arrays convert as
 * Numba's ufuncs for GPUs convert them: see typed_operands. */
gpa_code typed_match_signature(gpa_vm *vm, const func_obj *fn, value list, typed_operands o,
                               typed_signature *s);
/* Signatures of a decorator's argument as a list (owned); None if it gives none. */
gpa_code typed_signatures(gpa_vm *vm, value v, value *list);
/* Checks the argument target; *gpu: it is 'cuda' or 'gpu'. */
gpa_code typed_check_target(gpa_vm *vm, value v, bool *gpu);
/* Signature i of a decorator's list; Numba's TypeError unless it has as many arguments as the
 * function. */
gpa_code typed_signature_for(gpa_vm *vm, const func_obj *fn, value list, size_t i,
                             typed_signature *s);
/* Casting rules in the order of overload resolution: all signatures are tried by each. */
#define TYPED_RULES \
    { CAST_EQUIV, CAST_SAFE, CAST_SAME_KIND }
enum { TYPED_N_RULES = 3 };
/* True if the rule allows casting a scalar; by the last rule Python's own numbers may lose their
 * fractional part. */
static inline bool typed_may_cast(typed_ty from, gpa_dtype to, gpa_casting rule) {
    bool own =
        from.weak && rule == CAST_SAME_KIND && (from.dtype != DT_C128 || dtype_is_complex(to));
    return own || dtype_can_cast((gpa_dtype)from.dtype, to, rule);
}

#endif
