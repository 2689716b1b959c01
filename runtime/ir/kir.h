/* kir: the intermediate representation (IR) of compute programs. One program is one launch.
 *
 * A kir_func is a flat list of typed SSA-like instructions with structured regions, in two forms:
 *
 *   MAP      runs over an iteration space of `ndim` dimensions given at launch. Dimensions are
 *            outer (parallel, in no order) or inner (bit in `inner`). The list runs once per outer
 *            point; EACH regions iterate over the inner dimensions. An elementwise program has no
 *            inner dimensions and no EACH. A softmax over rows has one outer and one inner
 *            dimension and three EACH regions: maximum, sum, store. A full reduction has no outer
 *            dimension. The strides distinguish row from column reductions.
 *   KERNEL   runs once per thread of a grid of blocks: a user's CUDA kernel. It has no iteration
 *            space, but THREAD, BARRIER, shared and local arrays.
 *
 * A value is the index of the instruction that made it. Values are defined before they are used,
 * and used only in the region that made them or one inside it, except REDUCE, which is used after
 * its EACH. Instructions of an EACH may use values computed outside of it.
 *
 * Arrays are numbered by their index in `arrays`. A GLOBAL array is bound at launch to memory, an
 * offset, and one stride per dimension of the space (MAP), or one size and stride per own dimension
 * (KERNEL). What the program may assume about strides is in its flags, which are part of the
 * program cache key; sizes, strides, offsets and scalar parameters are not. An array that a MAP
 * program only accesses at computed offsets may use the strides and sizes of its binding for its
 * own dimensions. A CONSTANT array is bound like a GLOBAL one and only read.
 *
 * The interpreter (runtime/ref/) is the definition of every instruction. */
#ifndef GPA_IR_KIR_H
#define GPA_IR_KIR_H

#include "runtime/tables/dtype.h"
#include "runtime/base/err.h"
#include "runtime/tables/op.h"

struct gpa_str;

typedef enum {
#define KI(id, ...) KIR_##id,
#include "runtime/ir/kir.def"
#undef KI
    KIR_COUNT
} kir_code;

enum { KIR_MAX_DIMS = 8, KIR_MAX_ARRAYS = 64, KIR_SPACE = 0xffff };
#define KIR_NO_TEXT UINT32_MAX /* FAULT without a text */

typedef struct {
    uint8_t code; /* kir_code */
    uint8_t type; /* gpa_dtype of the result; DT_NONE where there is none */
    uint16_t sub;
    int32_t a, b, c; /* values; -1: none */
    uint32_t imm;
    uint32_t line; /* index into `spans`: its source location */
} kir_ins;

typedef enum { KIR_MAP, KIR_KERNEL } kir_form;

typedef enum { KIR_GLOBAL, KIR_VIRTUAL, KIR_SHARED, KIR_LOCAL, KIR_CONSTANT } kir_where;

enum { KIR_READ = 1, KIR_WRITE = 2 }; /* kir_array.access */
enum { KIR_IN_BOUNDS = 1 };           /* BOUND.imm: in bounds for every thread */
/* FOR.imm: the loop is short enough not to poll for interrupts; its counter increases (or
 * decreases) monotonically and does not wrap */
enum { KIR_SHORT_LOOP = 1, KIR_SHORT_LOOP_DOWN = 2 };
enum { KIR_NEVER = 1 }; /* IF.imm: false for every thread */
/* BELOW.imm: which value most points have */
enum { KIR_MOSTLY_FALSE, KIR_MOSTLY_TRUE };

typedef struct {
    uint8_t dtype;
    uint8_t where; /* kir_where; VIRTUAL arrays have strides and no memory (IOTA) */
    uint8_t access;
    uint8_t ndim;   /* KERNEL: own dimensions.  MAP: 0 (the space's dimensions) */
    uint16_t zero;  /* MAP: bit d: the stride along dimension d is 0 */
    uint16_t unit;  /* MAP: bit d: the stride along dimension d is 1 */
    uint16_t group; /* arrays with equal group may share memory; others never do */
    uint32_t count; /* SHARED, LOCAL, CONSTANT: elements (0 with SHARED: given at launch) */
} kir_array;

typedef struct kir_func {
    uint8_t form;   /* kir_form */
    uint8_t ndim;   /* MAP: dimensions of the space, the last one varies fastest */
    uint16_t inner; /* MAP: bit d: dimension d is inner; inner dimensions may stand anywhere */
    uint32_t flags; /* KIR_F_... */
    kir_ins *code;
    size_t n_code, cap_code;
    kir_array *arrays;
    size_t n_arrays, cap_arrays;
    uint8_t *params; /* dtypes of the scalar parameters */
    size_t n_params, cap_params;
    struct kir_const {
        gpa_val v;
        uint8_t type;
    } * consts;
    size_t n_consts, cap_consts;
    gpa_span *spans; /* not part of the key */
    size_t n_spans, cap_spans;
    char **texts;
    size_t n_texts, cap_texts;
    char name[32];               /* shown by %explain; not part of the key */
    bool failed;                 /* an allocation failed while building: kir_check reports it */
    struct kir_builder *builder; /* private to kir.c: value numbering and the open regions */
} kir_func;

enum {
    KIR_F_SMALL = 1,      /* every offset and size fits in 31 bits */
    KIR_F_FASTMATH = 2,   /* the user asked for it on a kernel */
    KIR_F_UNCHECKED = 4,  /* BOUND wraps and does not check */
    KIR_F_UNORDERED = 8,  /* MAP: of several STOREX to one element, any may win */
    KIR_F_LINES = 64,     /* emit line information for profilers */
    KIR_F_REGISTERS = 256 /* KERNEL: bits 8 to 15 are the register limit of a thread; 0: none */
};

typedef enum {
#define ATOMIC_ROW(id, ...) KIR_AT_##id,
#include "runtime/ir/kir_rows.def"
    KIR_AT_ROWS
} kir_atomic;
typedef enum {
#define THREAD_ROW(id, ...) KIR_TH_##id,
#include "runtime/ir/kir_rows.def"
    KIR_TH_ROWS
} kir_thread;
typedef enum {
#define BARRIER_ROW(id, ...) KIR_BA_##id,
#include "runtime/ir/kir_rows.def"
    KIR_BA_ROWS
} kir_barrier;
typedef enum {
#define FENCE_ROW(id, ...) KIR_FE_##id,
#include "runtime/ir/kir_rows.def"
    KIR_FE_ROWS
} kir_fence;
typedef enum {
#define WARP_ROW(id, ...) KIR_WA_##id,
#include "runtime/ir/kir_rows.def"
    KIR_WA_ROWS
} kir_warp;
typedef enum {
#define FAULT_ROW(id, ...) KIR_FT_##id,
#include "runtime/ir/kir_rows.def"
    KIR_FT_ROWS
} kir_fault;

/* A program's fault report, read after the launch: of the first point that faults (on a GPU: of one
 * of the first). */
typedef struct {
    uint32_t set;  /* 0: no fault */
    uint32_t kind; /* kir_fault */
    uint32_t line; /* index into the program's spans */
    uint32_t axis; /* INDEX: the axis.  FAULT: its text.  RACE, UNWRITTEN: the array */
    int64_t a, b;  /* INDEX: the index and the size.  RAISE: the gpa_code; ASSERT, RAISE: b the
                      value in its text. SHAPE: the actual and the required extent.  RACE,
                      UNWRITTEN: the element.  LANE: the one that does not take part */
    int32_t block[3], thread[3];
    uint32_t other_line, how; /* RACE, BARRIER: the other thread's line; KIR_HOW_... */
    int32_t other_block[3], other_thread[3];
} kir_fault_record;

/* RACE: which of the two write.  BARRIER: the other thread has exited.  LANE: the thread's own. */
enum { KIR_HOW_WRITES = 1, KIR_HOW_OTHER_WRITES = 2, KIR_HOW_ENDED = 4, KIR_HOW_OWN = 8 };

enum { KIR_MAX_PRINT = 32 }; /* arguments of one PRINT */

/* ---- building ---- */

/* An empty function, owned by the caller: kir_free. NULL when memory is short. */
kir_func *kir_new(kir_form form, const char *name);
void kir_free(kir_func *f);
/* Copies into *copy what a device reads of a program, for code generation that outlives f: all but
 * the spans. False: out of memory. kir_copy_free frees the copy, also an incomplete one. */
bool kir_copy(kir_func *copy, const kir_func *f);
void kir_copy_free(kir_func *copy);
/* Empties a function and keeps its memory for the next program. */
void kir_reset(kir_func *f, kir_form form, const char *name);
/* Appends an instruction; the result is its value, or -1 when memory ran out (then f->failed).
 * Local value numbering (CSE): a pure instruction equal to a visible one gives the earlier value;
 * so does a load with no store in between. Operands beyond the instruction's are ignored. */
int32_t kir_emit(kir_func *f, kir_ins ins);
int32_t kir_const(kir_func *f, gpa_dtype type, gpa_val v);
/* A row of op.def on operands that have the type it computes in (op_operand_type); the value's type
 * is the row's result for it. Composite rows expand to several instructions, identities (floor of
 * an integer) to none; integer division by a constant power of two is strength-reduced to shifts
 * and masks. */
int32_t kir_op1(kir_func *f, gpa_op op, int32_t a);
int32_t kir_op2(kir_func *f, gpa_op op, int32_t a, int32_t b);
int32_t kir_op3(kir_func *f, gpa_op op, int32_t a, int32_t b, int32_t c);
/* a converted to a type; a itself if it has it. */
int32_t kir_cast(kir_func *f, gpa_dtype to, int32_t a);
/* Declares an array or a parameter and returns its number, -1 when memory ran out. */
int kir_add_array(kir_func *f, kir_array a);
int kir_add_param(kir_func *f, gpa_dtype type);
/* Copies a text for PRINT or FAULT and returns its number, KIR_NO_TEXT when memory ran out. */
uint32_t kir_add_text(kir_func *f, const char *text);
/* Sets the source location of the instructions that follow. */
void kir_set_span(kir_func *f, gpa_span span);
/* Opens a region (EACH, IF, FOR, LOOP, BLOCK) and closes the innermost one. */
int32_t kir_open(kir_func *f, kir_ins ins);
void kir_close(kir_func *f);

/* ---- verifier, printer, key, analysis ---- */

/* The verifier: every rule of this header. GPA_E_INTERNAL with the instruction and the rule broken.
 */
gpa_code kir_check(const kir_func *f, gpa_err *e);
/* The program as text, one instruction a line, regions indented. */
void kir_print(const kir_func *f, struct gpa_str *out);
/* The structural key: equal programs give equal bytes, whatever their spans and names. Appends to
 * `out`. */
void kir_key(const kir_func *f, struct gpa_str *out);

/* Range analysis: how many bits hold an integer value that is known to be non-negative; -1:
 * unknown. For sizes, thread indices, counters and expressions of them. */
int kir_bits(const kir_func *f, int32_t v);

/* The operation of an atomic; OP_COUNT: none. */
extern const gpa_op kir_atomic_op[KIR_AT_ROWS];
/* The element after ATOMIC, from the old one and the operands, all of dtype t. INC and DEC wrap at
 * b as CUDA's atomicInc and atomicDec do. */
gpa_val kir_atomic_result(kir_atomic row, gpa_dtype t, gpa_val old, gpa_val b, gpa_val c);

typedef enum { KIR_REUSE_PURE, KIR_REUSE_LOADED, KIR_REUSE_EFFECT, KIR_REUSE_WRITES } kir_reuse;

/* Facts about an instruction, column FACTS of kir.def. */
enum {
    KI_VALUE = 1,      /* its result is a value */
    KI_COUNTER = 2,    /* a region whose counter is a value */
    KI_REGION = 4,     /* opens a region, closed by END */
    KI_LOOP = 8,       /* a region that BREAK leaves and NEXT continues */
    KI_BREAKABLE = 16, /* a region that BREAK leaves */
    KI_ENDS = 32,      /* control does not reach the instruction after it */
    KI_FIXED = 64, /* a launch constant: known when the launch starts, one value for all of it */
    KI_COMPUTES = 128, /* a function of its operands, defined for all of them */
    KI_READS = 256,    /* accesses an element of array `sub` ... */
    KI_WRITES = 512,   /* */
    KI_OFFSET = 1024,  /* ... at offset a; otherwise at the current point */
    KI_FAULTS = 2048,  /* may end the program with a fault */
    KI_KERNEL = 4096,  /* is about threads: not in a MAP */
    KI_BODY = 8192     /* allowed in a body (body.h) */
};

/* The contents of the fields `sub` and `imm`. */
typedef enum {
    KIR_FIELD_NONE,
    KIR_FIELD_OP,     /* a row of op.def */
    KIR_FIELD_RED,    /* a row of reduce.def */
    KIR_FIELD_ARRAY,  /* an index into `arrays` */
    KIR_FIELD_CONST,  /* an index into `consts` */
    KIR_FIELD_PARAM,  /* an index into `params` */
    KIR_FIELD_TEXT,   /* an index into `texts` */
    KIR_FIELD_DIM,    /* a dimension of the iteration space, an array or the grid */
    KIR_FIELD_AXIS,   /* an axis, as a fault names it */
    KIR_FIELD_DEPTH,  /* how many enclosing regions are skipped */
    KIR_FIELD_REGION, /* the instruction that opened the region */
    KIR_FIELD_ATOMIC, /* kir_rows.def, from here on */
    KIR_FIELD_THREAD,
    KIR_FIELD_BARRIER,
    KIR_FIELD_FENCE,
    KIR_FIELD_WARP,
    KIR_FIELD_FAULT,
    KIR_FIELD_BOUND, /* 0 or KIR_IN_BOUNDS */
    KIR_FIELD_FOR,   /* 0, KIR_SHORT_LOOP or KIR_SHORT_LOOP_DOWN */
    KIR_FIELD_IF,    /* 0 or KIR_NEVER */
    KIR_FIELD_BELOW, /* KIR_MOSTLY_FALSE or KIR_MOSTLY_TRUE */
    KIR_FIELD_COUNT
} kir_field;

/* The columns of kir.def. */
extern const struct kir_info {
    const char *name, *doc;
    uint16_t facts; /* KI_... */
    uint8_t args;
    uint8_t reuse;    /* kir_reuse */
    uint8_t sub, imm; /* kir_field */
} kir_info[KIR_COUNT];

/* Per kir_field: the names of its rows, "" where none is printed; NULL: it has none. */
extern const struct kir_rows {
    const char *const *names;
    uint32_t n;
} kir_rows[KIR_FIELD_COUNT];

/* True if the instruction `which`, a kir_code, has one of the facts. */
static inline bool kir_has(uint8_t which, unsigned facts) {
    return (kir_info[which].facts & facts) != 0;
}

/* True if a BREAK or NEXT (`jump`) counts the enclosing region that `opener` opened. */
static inline bool kir_counts_region(uint8_t jump, uint8_t opener) {
    return kir_has(opener, jump == KIR_BREAK ? KI_BREAKABLE : KI_LOOP);
}

/* How many of a, b, c are operands. */
static inline int kir_arity(const kir_ins *i) {
    return i->code == KIR_OP ? op_info[i->sub].arity : kir_info[i->code].args;
}

/* The number of ARG instructions directly before PRINT `at`. */
static inline int32_t kir_print_args(const kir_func *f, int32_t at) {
    int32_t n = 0;
    while (n < at && f->code[at - n - 1].code == KIR_ARG) n++;
    return n;
}

#endif
