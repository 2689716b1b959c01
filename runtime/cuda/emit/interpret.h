/* The bytecode interpreter: a precompiled kernel that executes programs, so that a new elementwise
 * program need not wait for the compiler.
 *
 * A program becomes bytecode of 16-byte instructions, about one per kir instruction. Every thread
 * of the interpreter executes it for one point; values are in shared memory, where each thread has
 * a slot per live value. An instruction executes the text that the emitter writes for it, compiled
 * by the same compiler with the same options: results equal those of the compiled program, bit for
 * bit.
 *
 * It is compiled when gpa is built (.make/interpreter.c) and installed next to the plugin, a file
 * per architecture. Reading order: this file; interpret_code.c, from kir to bytecode;
 * interpret_text.c, its CUDA source; build/interpreter.c, loading and launching. */
#ifndef GPA_CUDA_EMIT_INTERPRET_H
#define GPA_CUDA_EMIT_INTERPRET_H

#include "runtime/ir/kir.h"
#include "runtime/base/str.h"

/* Opcodes: a row of op.def for a dtype (row * DT_COUNT + dtype), a cast (from * DT_COUNT + to), an
 * access of an element of a dtype, or a row of interpret.def. */
enum {
    IC_OP,
    IC_CAST = (int)OP_COUNT * DT_COUNT,
    IC_LOAD = IC_CAST + DT_COUNT * DT_COUNT, /* d = the point's element of the array with descriptor
                                                a; coordinates from c on */
    IC_STORE = IC_LOAD + DT_COUNT,           /* that of descriptor b = a */
    IC_LOADX = IC_STORE + DT_COUNT,          /* d = element a of b */
    IC_STOREX = IC_LOADX + DT_COUNT,         /* element a of c = b */
    IC_CALLED =
        IC_STOREX +
        DT_COUNT, /* those below are functions, those above are cases of the interpreter's loop */
    IC_BEFORE = IC_CALLED - 1,
#define IC(id, text) IC_##id,
#include "runtime/cuda/emit/interpret.def"
#undef IC
    IC_COUNT
};

/* 64-bit words of a program that fit in the kernel parameters (4 KiB). */
enum { INLINE_WORDS = 440 };

/* An operand is an index into shared memory in units of 8 bytes; with INTERPRET_UNIFORM it is
 * shared by all threads, else it is the slot of thread 0. */
enum { INTERPRET_UNIFORM = 0x8000 };

typedef struct {
    uint16_t code, d, a, b, c, x;
    uint32_t y;
} ic_ins;

/* The parameter block. Its words are copied to shared memory: the bytecode, then the uniform
 * values. An array descriptor there: its address (of a virtual array, its offset); the distance of
 * the slots of two values in bytes, times 256, plus the number of dimensions; the strides. */
typedef struct {
    uint64_t points, spent, stop, record, lock;
    uint64_t long_words;      /* address of the words of a longer program; 0: inline_words */
    int64_t fuel, max_cycles; /* budget of a thread: instructions, cycles */
    uint32_t words, item, ndim, sizes; /* after the words come the slots, of `item` bytes; sizes:
                                          the word at which extents begin */
    uint64_t inline_words[INLINE_WORDS];
} ic_params;

/* A value that is uniform over the launch, and its word. */
typedef enum { IC_ZERO, IC_CONST, IC_PARAM, IC_SIZE, IC_STRIDE, IC_ARRAY, IC_SPACE } ic_kind;
typedef struct {
    uint8_t kind;
    uint16_t a, b; /* CONST, PARAM: number a; STRIDE: dimension b of array a; SIZE: likewise, or of
                      the iteration space; ARRAY: the descriptor of array a */
    uint32_t at;
} ic_uniform;

/* The bytecode of a program. */
typedef struct ic_code {
    ic_ins *ins;
    ic_uniform *uniforms;
    size_t n_ins, n_uniforms;
    uint32_t words, slots, sizes;   /* words: bytecode and uniform values; slots: of a thread */
    uint32_t item, threads, shared; /* shared: bytes of a block */
    bool loops;
} ic_code;

/* Translates a program to bytecode, owned by the caller (interpret_free); NULL if the interpreter
 * does not support it, or memory is short. */
ic_code *interpret_code(const kir_func *f);
void interpret_free(ic_code *c);
/* Appends the interpreter's CUDA source. GPA_E_MEMORY. */
gpa_code interpret_text(gpa_str *out, gpa_err *e);
/* A hash of everything that the source is generated from. */
uint64_t interpret_hash(void);

#endif
