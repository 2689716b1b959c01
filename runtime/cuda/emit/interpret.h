/* The interpreter: a program that is there already and runs others, so that a new elementwise
 * program need not wait for the compiler.
 *
 * A program becomes a code of 16-byte instructions, about one for each of kir's. Every thread of
 * the interpreter takes a point and runs over it; values lie in shared memory, where each thread
 * has a slot for each value that lives at a time. What an instruction does is the text that the
 * emitter writes for it, compiled by the same compiler with the same options: results are those of
 * the compiled program, bit for bit.
 *
 * It is compiled when gpa is built (.make/interpreter.c) and lies beside the plugin, a file for
 * each architecture. Reading order: this file; interpret_code.c, from kir to code;
 * interpret_text.c, its source; interpret.c, how it is loaded and launched. */
#ifndef GPA_CUDA_EMIT_INTERPRET_H
#define GPA_CUDA_EMIT_INTERPRET_H

#include "runtime/ir/kir.h"
#include "runtime/base/str.h"

/* What an instruction does: a row of op.def on operands of a dtype (row * DT_COUNT + dtype), a
 * conversion (from * DT_COUNT + to), an access of an element of a dtype, or a row of interpret.def.
 */
enum {
    IC_OP,
    IC_CAST = (int)OP_COUNT * DT_COUNT,
    IC_LOAD = IC_CAST + DT_COUNT * DT_COUNT, /* d: the point's element of the array that a
                                                describes, its coordinates from c on */
    IC_STORE = IC_LOAD + DT_COUNT,           /* a into that of b */
    IC_LOADX = IC_STORE + DT_COUNT,          /* d: element a of b */
    IC_STOREX = IC_LOADX + DT_COUNT,         /* b into element a of c */
    IC_CALLED =
        IC_STOREX + DT_COUNT, /* these are functions; what follows stands in the loop itself */
    IC_BEFORE = IC_CALLED - 1,
#define IC(id, text) IC_##id,
#include "runtime/cuda/emit/interpret.def"
#undef IC
    IC_COUNT
};

/* 64-bit words of a program that fit in the kernel parameters (4 KiB). */
enum { NEAR_WORDS = 440 };

/* An operand is a place in shared memory by 8 bytes; with INTERPRET_UNIFORM one for all threads,
 * else that of thread 0. */
enum { INTERPRET_UNIFORM = 0x8000 };

typedef struct {
    uint16_t code, d, a, b, c, x;
    uint32_t y;
} ic_ins;

/* The parameter block. The words are copied to shared memory: the code, then what is the same for
 * all threads. An array's description there: its address (of a virtual one, its offset); how far
 * apart the slots of two values are, in bytes, times 256, and how many dimensions it has; a stride
 * for each. */
typedef struct {
    uint64_t points, spent, stop, record, lock, far;
    int64_t fuel, patience;            /* what a thread may take: instructions, cycles */
    uint32_t words, item, ndim, sizes; /* behind the words are the slots, of so many bytes; sizes:
                                          the word where extents begin */
    uint64_t near[NEAR_WORDS];
} ic_params;

/* Something that is the same for all threads and known at launch, and at which word it stands. */
typedef enum { IC_ZERO, IC_CONST, IC_PARAM, IC_SIZE, IC_STRIDE, IC_ARRAY, IC_SPACE } ic_kind;
typedef struct {
    uint8_t kind;
    uint16_t a, b; /* CONST, PARAM: number a; STRIDE: b of array a; SIZE: likewise, or of the space;
                      ARRAY: a is described */
    uint32_t at;
} ic_uniform;

/* A program's code. */
typedef struct ic_code {
    ic_ins *ins;
    ic_uniform *same;
    size_t n_ins, n_same;
    uint32_t words, slots, sizes;   /* words: all; slots: of a thread */
    uint32_t item, threads, shared; /* shared: bytes for a block of so many threads */
    bool loops;
} ic_code;

/* The code of a program, owned by the caller (interpret_free); NULL where the interpreter lacks
 * what it needs, or memory. */
ic_code *interpret_code(const kir_func *f);
void interpret_free(ic_code *c);
/* The interpreter's source (appended). GPA_E_MEMORY. */
gpa_code interpret_text(gpa_str *out, gpa_err *e);
/* Changes with whatever the source is made from. */
uint64_t interpret_hash(void);

#endif
