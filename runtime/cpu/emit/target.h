/* The host as an LLVM target: its instruction set, data layout, modules for it, and the symbols of
 * C functions that emitted code calls. The linker (runtime/cpu/run/jit.c) defines these symbols, so
 * that modules hold no addresses and their object code can be cached on disk. */
#ifndef GPA_CPU_EMIT_TARGET_H
#define GPA_CPU_EMIT_TARGET_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/err.h"

/* A module defines one function, of this name. */
#define JIT_FUNCTION "program"

/* The host's vector registers. */
typedef struct {
    unsigned bytes;     /* of a register */
    char letter;        /* of the vector function ABI; 0: none */
    bool fma;           /* fused multiplication and addition is an instruction */
    bool masks;         /* masked loads and stores of every width are instructions */
    bool double_pumped; /* executes vector instructions as two halves of a register: half registers
                           are faster where memory bandwidth is the limit */
    char cpu[48];
    const char *name; /* "AVX-512" */
} cpu_target_info;

typedef struct {
    char *name; /* owned */
    void *address;
} cpu_symbol;

typedef struct {
    LLVMTargetMachineRef machine, quick; /* quick: generates code without optimisation */
    char *layout, *triple, *features;
    cpu_target_info info;
    cpu_symbol *symbols; /* owned; those of all modules so far */
    size_t n_symbols, cap_symbols;
} cpu_target;

/* Fills *t, which is zeroed; to be closed even after a failure. */
gpa_code cpu_target_open(cpu_target *t, gpa_err *e);
void cpu_target_close(cpu_target *t);
/* The name of the host's vector extension ("AVX2"), without opening a target. */
const char *cpu_target_vectors(void);
/* Makes the external symbol `name` mean `address` in code of this target. The first address of a
 * name stays. */
gpa_code cpu_target_symbol(cpu_target *t, const char *name, void *address, gpa_err *e);

/* An empty module in an LLVM context of its own; cpu_module_free destroys both. */
LLVMModuleRef cpu_module_new(const cpu_target *t, const char *name);
void cpu_module_free(LLVMModuleRef m);

#endif
