/* kir: the intermediate representation (IR) of compute programs. One program is one launch.
 *
 * A kir_func is a flat list of typed SSA-like instructions with structured regions, in two forms:
 *
 *   MAP      runs over an iteration space of `ndim` dimensions given at launch. Dimensions are
 * outer (parallel, in no order) or inner (bit in `inner`). The list runs once per outer point; EACH
 * regions iterate over the inner dimensions. An elementwise program has no inner dimensions and no
 * EACH. A softmax over rows has one outer, one inner dimension and three EACH regions: maximum,
 * sum, store. A full reduction has no outer dimension. The strides tell row from column reductions.
 *   KERNEL   runs once per thread of a grid of blocks: a user's CUDA kernel. No iteration space,
 * but THREAD, BARRIER, shared and local arrays.
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
    uint8_t ndim;   /* MAP: dimensions of the space, the last varies fastest */
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

/* Rows of the smaller tables: KX(ID, name); atomics KX(ID, name, OP): the new element is OP of the
 * old one and b. OP COUNT: not an operation of op.def, see kir_atomic_result. */
// clang-format off
#define KIR_ATOMICS(KX)                                                     \
    KX(ADD, "add", ADD)         KX(SUB, "sub", SUBTRACT)                    \
    KX(MIN, "min", FMIN)        KX(MAX, "max", FMAX)                        \
    KX(AND, "and", BITWISE_AND) KX(OR, "or", BITWISE_OR)                    \
    KX(XOR, "xor", BITWISE_XOR) KX(EXCH, "exch", COUNT)                     \
    KX(INC, "inc", COUNT)       KX(DEC, "dec", COUNT)                       \
    KX(CAS, "cas", COUNT)
#define KIR_THREADS(KX)                                                     \
    KX(TID, "threadIdx")  KX(BID, "blockIdx")                               \
    KX(BDIM, "blockDim")  KX(GDIM, "gridDim")                               \
    KX(LANE, "laneid")    KX(WARPSIZE, "warpsize")
#define KIR_BARRIERS(KX)                                                    \
    KX(BLOCK, "syncthreads")   KX(COUNT, "syncthreads_count")               \
    KX(AND, "syncthreads_and") KX(OR, "syncthreads_or")                     \
    KX(WARP, "syncwarp")
#define KIR_FENCES(KX)                                                      \
    KX(BLOCK, "threadfence_block") KX(DEVICE, "threadfence")                \
    KX(SYSTEM, "threadfence_system")
#define KIR_WARPS(KX)                                                       \
    KX(SHFL, "shfl")           KX(SHFL_UP, "shfl_up")                       \
    KX(SHFL_DOWN, "shfl_down") KX(SHFL_XOR, "shfl_xor")                     \
    KX(ALL, "all")             KX(ANY, "any")                               \
    KX(EQ, "eq")               KX(BALLOT, "ballot")                         \
    KX(MATCH_ANY, "match_any") KX(MATCH_ALL, "match_all")                   \
    KX(ACTIVEMASK, "activemask")
/* RACE .. LANE are found by the reference device; STOPPED: an interrupt ended the program early. */
#define KIR_FAULTS(KX)                                                      \
    KX(INDEX, "index")     KX(ASSERT, "assert")   KX(RAISE, "raise")        \
    KX(DIVIDE, "divide")   KX(SHAPE, "shape")     KX(RACE, "race")          \
    KX(BARRIER, "barrier") KX(UNWRITTEN, "unwritten")                       \
    KX(LANE, "lane")       KX(STOPPED, "stopped")
// clang-format on

typedef enum {
#define KX(id, name, op) KIR_AT_##id,
    KIR_ATOMICS(KX)
#undef KX
        KIR_AT_ROWS
} kir_atomic;
typedef enum {
#define KX(id, name) KIR_TH_##id,
    KIR_THREADS(KX)
#undef KX
        KIR_TH_ROWS
} kir_thread;
typedef enum {
#define KX(id, name) KIR_BA_##id,
    KIR_BARRIERS(KX)
#undef KX
        KIR_BA_ROWS
} kir_barrier;
typedef enum {
#define KX(id, name) KIR_FE_##id,
    KIR_FENCES(KX)
#undef KX
        KIR_FE_ROWS
} kir_fence;
typedef enum {
#define KX(id, name) KIR_WA_##id,
    KIR_WARPS(KX)
#undef KX
        KIR_WA_ROWS
} kir_warp;
typedef enum {
#define KX(id, name) KIR_FT_##id,
    KIR_FAULTS(KX)
#undef KX
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

/* The columns of kir.def. */
extern const struct kir_info {
    const char *name, *doc;
    uint8_t args;
    uint8_t reuse; /* kir_reuse */
    bool in_body;
    char result; /* 'Y', 'N' or 'R' */
} kir_info[KIR_COUNT];

#endif
