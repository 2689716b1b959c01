/* The compiler: LLVM's target machine and ORC, opened once per device.
 *
 * A module goes through a short pipeline of passes, becomes an object file in memory and is linked
 * by ORC. Functions that compiled code calls are named and defined before the object is added.
 * Objects are kept on disk (runtime/exec/disk_cache.h): generating machine code takes twenty times
 * as long as writing the module and linking what it gave before. */
#ifndef GPA_CPU_RUN_JIT_H
#define GPA_CPU_RUN_JIT_H

#include <llvm-c/Core.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/TargetMachine.h>

#include <stdbool.h>

#include "runtime/base/err.h"

struct gpa_str;

typedef struct jit jit;
typedef struct jit_code jit_code; /* one linked object */

/* A module defines one function, of this name. */
#define JIT_FUNCTION "program"

/* How a module is optimised: shortly, or beyond that at length, for a kernel's phases or a compiled
 * function's loops. */
typedef enum { JIT_PLAIN, JIT_PHASES, JIT_LOOPS } jit_effort;

/* What the host's vectors are: bytes of a register, the letter of its vector function ABI (0:
 * none), masks. */
typedef struct {
    unsigned bytes;
    char letter;
    bool fma;    /* fused multiplication and addition is an instruction */
    bool masks;  /* masked loads and stores of every width are instructions */
    bool halves; /* the halves of a register are read and written one after the other: from far
                    memory faster by themselves */
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
/* Optimises, compiles and links the module, which it takes; or links what a module of the same
 * bytes gave before. To be undone by jit_unlink, once for each call. */
gpa_code jit_link_take(jit *j, LLVMModuleRef m, jit_effort effort, jit_code **out, void **address,
                       gpa_err *e);
void jit_unlink(jit_code *c);
/* Appends the module's text: as it is, optimised, or as assembly. Takes the module. */
gpa_code jit_print_take(jit *j, LLVMModuleRef m, jit_effort effort, int optimised, int assembly,
                        struct gpa_str *out, gpa_err *e);

#endif
