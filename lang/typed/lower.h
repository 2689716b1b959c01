/* The lowering pass (abstract interpretation of a function body), inside lang/typed/: its state
 * and the interface of its parts. */
#ifndef GPA_TYPED_LOWER_H
#define GPA_TYPED_LOWER_H

#include "lang/typed/typed.h"

enum { TYPED_MAX_TUPLE = 16, TYPED_MAX_DEPTH = 64 };

/* A view of one of the program's arrays. Element (i, j, ...) is element offset + i * stride[0] +
 * j * stride[1] + ... of it (LOADX, STOREX); a view with ndim 0 designates one element. Offset,
 * sizes and strides are int64 kir values, emitted where the view is created. */
typedef struct {
    int array; /* index in kir_func.arrays: GLOBAL, SHARED, LOCAL or CONSTANT */
    uint8_t dtype, ndim;
    bool readonly;
    int32_t offset;
    int32_t size[KIR_MAX_DIMS];
    int32_t stride[KIR_MAX_DIMS]; /* -1: the constant 1 */
} tview;

/* Abstract value of an expression: a number, a tuple, an array view, or a compile-time constant
 * (a function, a module). NONE: result of a function without a return value. TEXT: an f-string
 * with numbers, which can be printed. */
typedef struct tv {
    enum { TV_NUMBER, TV_TUPLE, TV_STATIC, TV_ARRAY, TV_TEXT, TV_NONE } kind;
    typed_ty t;   /* NUMBER, ARRAY */
    int32_t v;    /* NUMBER: kir value */
    tview *view;  /* ARRAY: in the pass's arena */
    bool literal; /* NUMBER: an int literal, value `i` */
    bool decided; /* NUMBER: a truth value `i` decided at compile time (comparison with None):
                     untaken branches are not compiled */
    int64_t i;
    uint32_t limit; /* NUMBER, not 0: the value is in 0 .. n - 1, where n is the kir value limit - 1
                       (a loop counter): range analysis for bounds checks */
    value constant; /* STATIC, TEXT (in KIR_PRINT's format): borrowed from `retained`. TUPLE: its
                       CUDA vector type, or NONE */
    uint32_t n;     /* TUPLE: items; TEXT: numbers */
    struct tv *items; /* in the pass's arena */
} tv;

/* A variable or temporary of the function. Types persist from one iteration of the fixed point
 * to the next. */
typedef struct slot {
    typed_ty t;
    bool stored; /* a number assigned in a branch or loop: a kir VAR. Else its value is `direct`
                    (SSA form) */
    bool bound;  /* assigned in this iteration */
    int nest;    /* number of regions that enclose its declaration */
    int32_t var;
    int32_t flag;    /* a bool VAR: assigned at run time; -1: not needed */
    uint32_t region; /* region of the assignment of `direct`, valid while that is open */
    tv direct;
    /* Stored: the value assigned last, in last_region. A read in that region needs no GET
     * (store-to-load forwarding). */
    int32_t last_value;
    uint32_t last_region;
    /* Value of a loop counter that the loop's body does not assign, while counter_region is open;
     * counter_limit as tv.limit. */
    int32_t counter;
    uint32_t counter_limit, counter_region;
    /* A tuple of numbers assigned in a branch or loop: a variable per item (owned); else NULL. */
    struct slot *items;
    uint32_t n_items;
} slot;

/* An inlined call: the function, its variables, and its return values. */
typedef struct inline_frame {
    struct inline_frame *outer;
    func_obj *fn;
    const ast_node *node;
    uint32_t slots, shape; /* index of the first variable; index in `shapes` */
    int nest, regions;     /* enclosing regions, and those that BREAK counts, at its start */
    bool returns_value;    /* contains a return with a value */
    int32_t returned_flag; /* a bool VAR that a return sets; -1: not needed */
    bool returned;
    tv direct; /* the value of the only return, at the outermost level */
    bool has_direct;
    int depth;
} inline_frame;

typedef struct {
    bool block; /* some return is not the last statement executed */
    bool tuple;
    uint32_t n;     /* values returned; 0: unknown */
    uint32_t first; /* first slot of the results */
} return_shape;

typedef struct typed_lowering {
    gpa_vm *vm;
    kir_func *f;
    typed_fn *to;
    struct arena *arena;
    slot *slots;
    size_t n_slots, cap_slots, total_slots;
    return_shape *shapes;
    size_t n_shapes, cap_shapes, total_shapes;
    value retained;      /* a list that owns the values that STATIC borrows */
    bool changed;        /* a type was widened: another iteration is needed */
    bool fallback;       /* the unsupported construct can be interpreted instead */
    gpa_span error_site; /* after an error in an inlined function: its call site in the outermost
                            function */
    int nest, regions;
    uint32_t break_extra; /* regions that a break leaves beyond the innermost: 1 for a loop with an
                             else clause */
    uint32_t *open_regions; /* ids of the open regions, outermost first; an ELSE opens a new one */
    size_t n_open, cap_open;
    uint32_t n_regions_made;
    int32_t worker; /* index of this worker among those of a prange loop; -1: sequential */
    inline_frame *frame;
} lowering;

/* ---- expr.c ---- */
gpa_code typed_expr(lowering *lw, const ast_node *n, tv *out);
/* As typed_expr; TypeError unless it is a number. */
gpa_code typed_number(lowering *lw, const ast_node *n, tv *out);
/* Truth value of n: a bool, possibly decided at compile time. */
gpa_code typed_truth(lowering *lw, const ast_node *n, tv *out);
/* An evaluated operand, with its node for error messages. */
typedef struct {
    const ast_node *node;
    tv v;
} typed_operand;
gpa_code typed_binary(lowering *lw, const ast_node *at, gpa_op op, typed_operand left,
                      typed_operand right, tv *out);
gpa_code typed_apply(lowering *lw, const ast_node *at, gpa_op op, const tv *in, int n, tv *out);
tv typed_int(lowering *lw, int64_t i);
/* A constant or parameter for a value; STATIC if it is not a number. */
gpa_code typed_value(lowering *lw, const ast_node *at, value v, tv *out);
gpa_code typed_fstring(lowering *lw, const ast_node *n, tv *out);

/* ---- tuple.c ---- */
gpa_code typed_tuple(lowering *lw, uint32_t n, tv *out); /* n items, which the caller sets */
gpa_code typed_tuple_item(lowering *lw, const ast_node *n, const tv *t, tv *out); /* t[index] */
bool typed_vector_part(const tv *v, const char *name, tv *out);                   /* v.x */
gpa_code typed_vector(lowering *lw, const ast_node *n, const object_obj *type, const tv *v,
                      uint32_t n_args, tv *out);                        /* cuda.float32x4(...) */
gpa_code typed_for_tuple(lowering *lw, const ast_node *n, const tv *t); /* a for loop over t */

/* ---- array.c ---- */
/* A view of a whole array of the program. GLOBAL arrays have runtime sizes and strides; others
 * have the given constant sizes and C order. */
gpa_code typed_view(lowering *lw, int array, int ndim, bool unit, const int64_t *size, tv *out);
gpa_code typed_view_value(lowering *lw, const tview *a, tv *out); /* a view as an abstract value */
/* a[n]: the value of an element, or a view. */
gpa_code typed_subscript_value(lowering *lw, const ast_node *at, const tv *a, const ast_node *index,
                               tv *out);
/* a[n] as a view, with ndim 0 for an element: an assignment target, or the operand of an atomic. */
gpa_code typed_subscript(lowering *lw, const ast_node *at, const tv *a, const ast_node *index,
                         tview *out);
/* The same with evaluated indices. */
gpa_code typed_index(lowering *lw, const ast_node *at, const tview *a, const tv *ix, int n,
                     tview *out);
tv typed_load(lowering *lw, const tview *element);
gpa_code typed_store(lowering *lw, const ast_node *at, const tview *element, tv v);

/* a[...] = v: broadcasts a number, or copies the elements of an array. */
gpa_code typed_fill(lowering *lw, const ast_node *at, const tview *to, const tv *v);
int32_t typed_axis(lowering *lw, kir_code code, int array, int d); /* SIZE or STRIDE along axis d */
gpa_code typed_array_attr(lowering *lw, const ast_node *at, const tv *a, const char *name,
                          bool *found, tv *out);
bool typed_constant(const lowering *lw, int32_t v,
                    int64_t *out); /* value of an int64 kir constant; false: not one */
tv typed_length(lowering *lw, const tview *a, int d);

/* ---- call.c ---- */
gpa_code typed_call(lowering *lw, const ast_node *n, tv *out);

/* Intrinsics (lang/typed/intrinsics.def). A call comes with its positional arguments evaluated;
 * keywords, at node->call.keywords, are not evaluated. */
typedef struct {
    const ast_node *node; /* the CALL or ATTR node */
    const native *callee; /* of a CALL */
    const tv *args;
    uint32_t n;
} typed_site;
typedef gpa_code (*typed_intrinsic)(lowering *lw, const typed_site *s, tv *out);
#define CALL(owner, name, function) gpa_code function(lowering *lw, const typed_site *s, tv *out);
#define READ(kind, name, function) gpa_code function(lowering *lw, const typed_site *s, tv *out);
#include "lang/typed/intrinsics.def"
#undef CALL
#undef READ
/* Attribute of a STATIC value, by intrinsics.def. */
gpa_code typed_read_intrinsic(lowering *lw, const typed_site *s, const char *name, bool *found,
                              tv *out);

/* ---- sampling.c ---- */
/* The source of random numbers (LOOP_RANDOM_... of loop.h) that a function samples from. */
int typed_random_source(const lowering *lw, value callee);
/* The function that replaces it (*fn, borrowed), and that function's first two arguments. */
gpa_code typed_random_call(lowering *lw, const ast_node *n, int generator, value callee, tv *v,
                           value *fn);

/* ---- constant.c ---- */
/* Evaluates a compile-time shape: an integer or a tuple of integers, of literals and frozen
 * variables. */
gpa_code typed_sizes(lowering *lw, const ast_node *n, int most, int *ndim, int64_t *size);

/* ---- local_arrays.c ---- */
/* An uninitialized array of a loop; size: int64 kir values, which must be known when the loop
 * starts. */
gpa_code typed_new_array(lowering *lw, const ast_node *at, gpa_dtype t, int ndim,
                         const int32_t *size, tv *out);

/* ---- stmt.c ---- */
/* Statements of a function; *left: control never reaches the end. */
gpa_code typed_body(lowering *lw, ast_list body, bool *left);
/* Statements of a loop body, or of an else clause. */
gpa_code typed_block(lowering *lw, ast_list body);
gpa_code typed_assign_to(lowering *lw, const ast_node *target, tv v);
void typed_raise_here(lowering *lw, gpa_code code, uint32_t text,
                      int32_t number); /* raises this error; number: a value in its text, or -1 */

/* ---- iterate.c ---- */
/* A loop with its else clause; the loop alone. */
gpa_code typed_loop(lowering *lw, const ast_node *n);
gpa_code typed_while(lowering *lw, const ast_node *n);
gpa_code typed_for(lowering *lw, const ast_node *n, const int32_t abc[3]); /* start, stop, step */
gpa_code typed_for_array(lowering *lw, const ast_node *n, const tv *array);

/* ---- inline.c ---- */
/* Inlines a call of fn; arguments are in parameter order. */
gpa_code typed_inline(lowering *lw, const ast_node *at, func_obj *fn, const tv *args, tv *out);
/* Creates the slots of a function's variables and results; the caller binds the arguments. */
gpa_code typed_begin_frame(lowering *lw, const ast_node *at, inline_frame *fr);
bool typed_returns_value(const ast_node *n); /* n contains a return with a value */

/* ---- fixed_point.c ---- */
/* Clears the program and declares its arguments and dependences. */
void typed_begin_program(lowering *lw, const func_obj *fn);
gpa_code typed_argument(lowering *lw, typed_ty t, uint32_t *number, int *array, tv *out);
gpa_code typed_compile_fixed_point(gpa_vm *vm, func_obj *fn, typed_fn *t, bool *host);
/* Releases what a compiled function owns, but not the structure. */
void typed_clear(gpa_vm *vm, typed_fn *t);

/* ---- free_variables.c ---- */
static inline bool typed_is_scalar(typed_ty t) { return t.dtype != DT_NONE && !t.rank; }
void typed_declare(lowering *lw, typed_ty t); /* adds a parameter or an array to the program */
/* True if the globals that a compiled function depends on are unchanged. */
bool typed_guards_hold(gpa_vm *vm, const typed_fn *t);

/* ---- lower.c ---- */
bool typed_same_type(typed_ty a, typed_ty b);
gpa_code typed_fail(lowering *lw, const ast_node *at, gpa_code code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Name of a value's type, for messages: "float32", "tuple", "float32[:]", "function". */
const char *typed_kind(const tv *v);
const char *typed_article(const tv *v); /* "a" or "an", for its name */
void typed_note(lowering *lw, const ast_node *at, tv v);
/* Least upper bound of two types (NumPy's promotion); DT_NONE: none. */
typed_ty typed_join(typed_ty a, typed_ty b);
int32_t typed_cast(lowering *lw, tv v, typed_ty t);
/* A new slot, or the one created at this point in the last iteration; -1: out of memory. */
int32_t typed_slot(lowering *lw);
gpa_code typed_assign(lowering *lw, const ast_node *at, int32_t slot, tv v);
bool typed_is_bound(const lowering *lw, int32_t slot); /* it is bound here */
tv typed_read(lowering *lw, int32_t slot);
bool typed_is_none(const tv *v);
/* Called when a value assigned in a branch is read after it: makes the items of a tuple
 * variables from the next iteration on, if possible. */
gpa_code typed_split_tuple(lowering *lw, int32_t slot, bool *kept);
void typed_free_slots(lowering *lw);
/* Records that the variable keeps its value (a loop counter) until the innermost region closes. */
void typed_hold_counter(lowering *lw, int32_t slot, uint32_t below);
int32_t typed_emit(lowering *lw, kir_code code, gpa_dtype t, int32_t a, int32_t b, uint32_t imm);
void typed_open(lowering *lw, kir_code code, gpa_dtype t, int32_t a, int32_t b, int32_t c);
void typed_else(lowering *lw);
void typed_close(lowering *lw, kir_code code);
/* A free or global variable that a NAME refers to. */
gpa_code typed_free_variable(lowering *lw, const ast_node *name, tv *out);
gpa_code typed_global(lowering *lw, const ast_node *at, module_obj *m, const char *name,
                      tv *out); /* a variable of a module */
/* Its current value, which becomes part of the specialization (frozen); borrowed from the
 * function. */
gpa_code typed_frozen(lowering *lw, const ast_node *name, value *out);
gpa_code typed_member(lowering *lw, const ast_node *attr, module_obj *m, tv *out);

#endif
