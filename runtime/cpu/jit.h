/* The compiler: LLVM's target machine and ORC, opened once per device.
 *
 * A module goes through a short pipeline of passes, becomes an object file in memory and is linked by ORC. Functions
 * that compiled code calls are named and defined before the object is added. */
#ifndef GPA_CPU_JIT_H
#define GPA_CPU_JIT_H

#include <llvm-c/Core.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/TargetMachine.h>

#include <stdbool.h>

#include "runtime/err.h"

struct gpa_str;

typedef struct jit jit;
typedef struct jit_code jit_code; /* one linked object */

/* What the host's vectors are: bytes of a register, the letter of its vector function ABI (0: none), masks. */
typedef struct {
    unsigned bytes;
    char letter;
    bool fma;   /* fused multiplication and addition is an instruction */
    bool masks; /* masked loads and stores of every width are instructions */
    char cpu[48];
    const char *name; /* "AVX-512" */
} jit_host;

gpa_code jit_new(jit **out, gpa_err *e);
void jit_free(jit *j);
const jit_host *jit_host_of(const jit *j);
/* The name of the host's vectors, known without opening anything. */
const char *jit_vectors(void);

/* An empty module of this target, in a context of its own; jit_link or jit_discard takes it. */
LLVMModuleRef jit_module(jit *j, const char *name);
void jit_discard(LLVMModuleRef m);
/* Makes `name` mean `address` in all compiled code. */
gpa_code jit_define(jit *j, const char *name, void *address, gpa_err *e);
/* Optimises, compiles and links the module, which it takes. `function` is the name looked up. */
gpa_code jit_link_take(jit *j, LLVMModuleRef m, const char *function, jit_code **out, void **address, gpa_err *e);
void jit_unlink(jit_code *c);
/* Optimises a module at length, beyond what jit_link_take does: a kernel's phases, or a compiled function's loops. */
typedef enum { JIT_PHASES, JIT_LOOPS } jit_effort;
gpa_code jit_optimise(jit *j, LLVMModuleRef m, jit_effort effort, gpa_err *e);
/* Appends the module's text: as it is, optimised, or as assembly. Takes the module. */
gpa_code jit_print_take(jit *j, LLVMModuleRef m, int optimised, int assembly, struct gpa_str *out, gpa_err *e);

#endif
