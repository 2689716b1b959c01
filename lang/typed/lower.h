/* Inside lang/typed/: the walk's state and what its parts give each other. */
#ifndef GPA_TYPED_LOWER_H
#define GPA_TYPED_LOWER_H

#include "lang/typed/typed.h"

enum { TYPED_MAX_TUPLE = 16, TYPED_MAX_DEPTH = 64 };

/* A view of one of the program's arrays. Element (i, j ...) is element offset + i * stride[0] + j *
 * stride[1] ... of it (LOADX, STOREX); with ndim 0 the view is one element. Sizes and so on are
 * int64 values of the kir, made where the view is. */
typedef struct {
    int array; /* in kir_func.arrays: GLOBAL, SHARED, LOCAL or CONSTANT */
    uint8_t dtype, ndim;
    bool readonly;
    int32_t offset;
    int32_t size[KIR_MAX_DIMS];
    int32_t stride[KIR_MAX_DIMS]; /* -1: 1 */
} tview;

/* The value of an expression: a number, several, an array, or something known when compiling (a
 * function, a module). NONE: what a function without a return gives. TEXT: an f-string with numbers
 * in it, which can be printed. */
typedef struct tv {
    enum { TV_NUMBER, TV_TUPLE, TV_STATIC, TV_ARRAY, TV_TEXT, TV_NONE } kind;
    typed_ty t;  /* NUMBER, ARRAY */
    int32_t v;   /* NUMBER: in the kir */
    tview *view; /* ARRAY: in the walk's arena */
    bool known;  /* NUMBER: a literal int, `i` */
    bool sure;   /* NUMBER: a truth, `i`, that follows from what is None: branches that it rules out
                    are not compiled */
    int64_t i;
    uint32_t below; /* NUMBER, not 0: it is not negative and less than value below - 1 of the kir (a
                       loop's counter) */
    value is; /* STATIC, TEXT (as KIR_PRINT has it): borrowed from the walk. TUPLE: the vector type
                 that it is of, or none */
    uint32_t n;       /* TUPLE; TEXT: its numbers */
    struct tv *items; /* in the walk's arena */
} tv;

/* A variable, or a hidden one: what was learnt stays from walk to walk. */
typedef struct slot {
    typed_ty t;
    bool stored; /* a number assigned inside a branch or a loop: a VAR; else it is the value
                    `direct`, the latest */
    bool bound;  /* in this walk */
    int nest;    /* the regions open where it was made */
    int32_t var;
    int32_t flag;    /* a bool VAR that says whether it was assigned; -1: nobody asks */
    uint32_t region; /* where `direct` was assigned: known while that is open */
    tv direct;
    int32_t latest;          /* stored: the value last assigned, */
    uint32_t latest_region;  /* in this region, and no other: reads there need not ask the VAR */
    int32_t counter;         /* a loop's counter that its body does not assign to, known while */
    uint32_t counter_below;  /* as tv.below */
    uint32_t counter_region; /* this is open */
    struct slot *parts; /* a tuple of numbers assigned inside a branch or a loop: a variable for
                           each item (owned); else NULL */
    uint32_t n_parts;
} slot;

/* A call being written: the function, where its variables are, what was learnt about its returns.
 */
typedef struct tframe {
    struct tframe *outer;
    func_obj *fn;
    const ast_node *node;
    uint32_t slots, shape; /* first variable; place in `shapes` */
    int nest, regions;     /* open regions, and those that BREAK counts, when it began */
    bool gives;            /* it returns something */
    int32_t returned_flag; /* a bool VAR that a return sets; -1: nobody asks */
    bool returned;
    tv direct; /* the only return, at the outermost level */
    bool has_direct;
    int depth;
} tframe;

typedef struct {
    bool block; /* some return is not the last thing done */
    bool tuple;
    uint32_t n;     /* numbers returned; 0: not known yet */
    uint32_t first; /* slots of the results */
} shape_of_return;

typedef struct typed_walk {
    gpa_vm *vm;
    kir_func *f;
    typed_fn *to;
    struct arena *arena;
    slot *slots;
    size_t n_slots, cap_slots, known_slots;
    shape_of_return *shapes;
    size_t n_shapes, cap_shapes, known_shapes;
    value kept;      /* a list: values that statics are borrowed from */
    bool changed;    /* walk again */
    bool host;       /* what failed could be done by the machine */
    gpa_span blamed; /* after an error in a function that was called: the call, in the outermost
                        function */
    int nest, regions;
    uint32_t leave; /* how many regions around the nearest a break leaves: 1 where the loop has an
                       else */
    uint32_t *open; /* the numbers of the open regions, outermost first; an ELSE begins another */
    size_t n_open, cap_open;
    uint32_t n_numbered;
    int32_t
        lane; /* the number of this thread among those that share a loop; -1: it is the only one */
    tframe *frame;
} walk;

/* ---- expr.c ---- */
gpa_code typed_expr(walk *w, const ast_node *n, tv *out);
gpa_code typed_number(walk *w, const ast_node *n,
                      tv *out); /* the same, and a TypeError for what is no number */
/* Whether n is true: a bool, which may be sure. */
gpa_code typed_truth(walk *w, const ast_node *n, tv *out);
gpa_code typed_binary(walk *w, const ast_node *at, gpa_op op, const ast_node *left,
                      const ast_node *right, tv a, tv b, tv *out);
gpa_code typed_apply(walk *w, const ast_node *at, gpa_op op, const tv *in, int n, tv *out);
tv typed_int(walk *w, int64_t i);
/* A constant or parameter that stands for a value; STATIC where it is no number. */
gpa_code typed_value(walk *w, const ast_node *at, value v, tv *out);
gpa_code typed_fstring(walk *w, const ast_node *n, tv *out);
gpa_op typed_operator(ast_op op);

/* ---- tuple.c ---- */
gpa_code typed_tuple(walk *w, uint32_t n, tv *out); /* one whose n items are still to be set */
gpa_code typed_tuple_item(walk *w, const ast_node *n, const tv *t, tv *out); /* t[index] */
bool typed_vector_part(const tv *v, const char *name, tv *out);              /* v.x */
gpa_code typed_vector(walk *w, const ast_node *n, const object_obj *type, const tv *v,
                      uint32_t n_args, tv *out);                    /* cuda.float32x4(...) */
gpa_code typed_tuple_each(walk *w, const ast_node *n, const tv *t); /* the loop n, over t */

/* ---- array.c ---- */
/* The view of a whole array of the program. GLOBAL ones have their own sizes and strides; of others
 * the (constant) sizes are given and elements lie in C order. */
gpa_code typed_view(walk *w, int array, int ndim, bool unit, const int64_t *size, tv *out);
gpa_code typed_sub(walk *w, const tview *a, tv *out); /* a view as a value */
/* a[n]: an element's number, or a view. */
gpa_code typed_item(walk *w, const ast_node *at, const tv *a, const ast_node *index, tv *out);
/* a[n] as a view, of no dimensions for an element: what is assigned to, or given to an atomic. */
gpa_code typed_place(walk *w, const ast_node *at, const tv *a, const ast_node *index, tview *out);
/* The same with subscripts that are numbers already. */
gpa_code typed_place_of(walk *w, const ast_node *at, const tview *a, const tv *ix, int n,
                        tview *out);
tv typed_load(walk *w, const tview *element);
gpa_code typed_store(walk *w, const ast_node *at, const tview *element, tv v);
/* a.shape, a.size, a.T ...; *found false: no such attribute. */
/* a[...] = v: a number everywhere, or the elements of an array. */
gpa_code typed_fill(walk *w, const ast_node *at, const tview *to, const tv *v);
int32_t typed_axis(walk *w, kir_code code, int array, int d); /* SIZE or STRIDE d of an array */
gpa_code typed_array_attr(walk *w, const ast_node *at, const tv *a, const char *name, bool *found,
                          tv *out);
bool typed_constant(const walk *w, int32_t v, int64_t *out); /* an int64 constant of the kir */
tv typed_length(walk *w, const tview *a, int d);

/* ---- call.c ---- */
gpa_code typed_call(walk *w, const ast_node *n, tv *out);

/* What compiled code can call and read beside the functions of numbers in call.c:
 * lang/typed/known.def. A call comes with its positional arguments evaluated; keywords are at
 * node->call.keywords, not yet evaluated. */
typedef struct {
    const ast_node *node; /* the CALL, or the ATTR */
    const native *callee; /* a CALL's */
    const tv *args;
    uint32_t n;
} typed_site;
typedef gpa_code (*typed_known_fn)(walk *w, const typed_site *s, tv *out);
#define CALL(owner, name, function) gpa_code function(walk *w, const typed_site *s, tv *out);
#define READ(kind, name, function) gpa_code function(walk *w, const typed_site *s, tv *out);
#include "lang/typed/known.def"
#undef CALL
#undef READ
/* An attribute of a STATIC, by known.def. */
gpa_code typed_read_known(walk *w, const typed_site *s, const char *name, bool *found, tv *out);

/* ---- draw.c ---- */
/* Which source of random numbers (LOOP_DRAWS of loop.h) a function of them belongs to, in a loop.
 */
int typed_draws(const walk *w, value callee);
/* The function that takes its place (*fn, borrowed), and its first two arguments. */
gpa_code typed_draw(walk *w, const ast_node *n, int family, value callee, tv *v, value *fn);

/* ---- constant.c ---- */
/* A shape that is known when compiling: an integer or a tuple of them, of literals and variables
 * from outside. */
gpa_code typed_sizes(walk *w, const ast_node *n, int most, int *ndim, int64_t *size);

/* ---- stmt.c ---- */
/* A function's statements; *left: control does not come out at the end. */
gpa_code typed_body(walk *w, ast_list body, bool *left);
/* The statements of a loop's body, or of its else. */
gpa_code typed_block(walk *w, ast_list body);
gpa_code typed_assign_to(walk *w, const ast_node *target, tv v);
void typed_raise_here(walk *w, gpa_code code, uint32_t text,
                      int32_t number); /* a fault that is this error; number: in the text, or -1 */

/* ---- iterate.c ---- */
/* A loop with its else; and the loop alone. */
gpa_code typed_loop(walk *w, const ast_node *n);
gpa_code typed_while(walk *w, const ast_node *n);
gpa_code typed_for(walk *w, const ast_node *n,
                   const int32_t abc[3]); /* from a to before b by steps of c */
gpa_code typed_each(walk *w, const ast_node *n, const tv *array);

/* ---- inline.c ---- */
/* Writes a call of fn with its arguments already in order. */
gpa_code typed_inline(walk *w, const ast_node *at, func_obj *fn, const tv *args, tv *out);
/* Makes the variables of a function and the places of its results; the caller binds what is known.
 */
gpa_code typed_enter(walk *w, const ast_node *at, tframe *fr);
bool typed_gives(const ast_node *n); /* somewhere in n something is returned */

/* ---- rounds.c ---- */
/* Empties the program and declares the arguments and dependences. */
void typed_begin(walk *w, const func_obj *fn);
gpa_code typed_argument(walk *w, typed_ty t, uint32_t *number, int *array, tv *out);
gpa_code typed_compile(gpa_vm *vm, func_obj *fn, typed_fn *t, bool *host);
/* Releases what a compiled function holds, but not the structure itself. */
void typed_clear(gpa_vm *vm, typed_fn *t);

/* ---- outside.c ---- */
static inline bool typed_is_number(typed_ty t) { return t.dtype != DT_NONE && !t.rank; }
void typed_declare(walk *w, typed_ty t); /* a parameter or an array of the program */
/* Whether what a compiled function depends on is as it was. */
bool typed_still_true(gpa_vm *vm, const typed_fn *t);

/* ---- walk.c ---- */
bool typed_same(typed_ty a, typed_ty b);
gpa_code typed_fail(walk *w, const ast_node *at, gpa_code code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* What a value is, for messages: "float32", "tuple", "float32[:]", "function". */
const char *typed_kind(const tv *v);
const char *typed_article(const tv *v); /* "a" or "an", before its kind */
void typed_note(walk *w, const ast_node *at, tv v);
/* What two types have in common; DT_NONE: nothing. */
typed_ty typed_join(typed_ty a, typed_ty b);
int32_t typed_cast(walk *w, tv v, typed_ty t);
/* A new slot, or the one that the walk before had at this point; -1: no memory. */
int32_t typed_slot(walk *w);
gpa_code typed_assign(walk *w, const ast_node *at, int32_t slot, tv v);
bool typed_known(const walk *w, int32_t slot); /* it has a value here */
tv typed_read(walk *w, int32_t slot);
bool typed_is_none(const tv *v);
/* What was assigned in a branch is wanted behind it: from the next round on it is there, if it can
 * be. */
gpa_code typed_keep(walk *w, int32_t slot, bool *kept);
void typed_free_slots(walk *w);
/* Until the innermost region closes the variable is what it was just assigned. */
void typed_fix(walk *w, int32_t slot, uint32_t below);
int32_t typed_emit(walk *w, kir_code code, gpa_dtype t, int32_t a, int32_t b, int32_t c,
                   uint32_t imm);
void typed_open(walk *w, kir_code code, gpa_dtype t, int32_t a, int32_t b, int32_t c);
void typed_else(walk *w);
void typed_close(walk *w, kir_code code);
/* The variable that a NAME reads from outside of the function. */
gpa_code typed_outside(walk *w, const ast_node *name, tv *out);
gpa_code typed_global(walk *w, const ast_node *at, module_obj *m, const char *name,
                      tv *out); /* a module's variable */
/* Its value now, which becomes part of what is compiled; borrowed from the function. */
gpa_code typed_pinned(walk *w, const ast_node *name, value *out);
gpa_code typed_member(walk *w, const ast_node *attr, module_obj *m, tv *out);

#endif
