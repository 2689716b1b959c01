/* The JIT compiler: LLVM's passes, code generator and ORC linker, opened once per device.
 *
 * A module goes through a short pipeline of passes, becomes an object file in memory and is linked
 * by ORC. Symbols that it refers to (cpu_target_symbol) are defined before the object is added.
 * Objects are kept on disk (runtime/exec/disk_cache.h): generating machine code takes twenty times
 * as long as emitting the module and linking a stored object.
 *
 * GPA_CPU_QUICK=never is for tests: JIT_QUICK means JIT_PLAIN. */
#ifndef GPA_CPU_RUN_JIT_H
#define GPA_CPU_RUN_JIT_H

#include <llvm-c/LLJIT.h>

#include "runtime/cpu/emit/target.h"

struct gpa_str;

typedef struct jit jit;
typedef struct jit_code jit_code; /* one linked object */

/* The pass pipeline: a short one, or a longer one for a kernel's phases or a compiled function's
 * loops. JIT_QUICK: almost none, and code generation without optimisation, which takes a third of
 * the time. All give the same bits. */
typedef enum { JIT_PLAIN, JIT_PHASES, JIT_LOOPS, JIT_QUICK } jit_effort;

gpa_code jit_new(jit **out, gpa_err *e);
void jit_free(jit *j);
/* The target of the modules; owned by j. */
cpu_target *jit_target(jit *j);
const cpu_target_info *jit_host_of(const jit *j);
/* Optimises, compiles and links the module, which it takes; or links the stored object of an equal
 * module: with JIT_QUICK, that of JIT_PLAIN if there is one. Each call needs one jit_unlink. */
gpa_code jit_link_take(jit *j, LLVMModuleRef m, jit_effort effort, jit_code **out, gpa_err *e);
void *jit_address(const jit_code *c); /* of its function */
bool jit_is_quick(const jit_code *c); /* compiled with JIT_QUICK */
void jit_unlink(jit_code *c);
/* The text of a module: as emitted, optimised, or as assembly. */
typedef enum { JIT_EMITTED, JIT_OPTIMISED, JIT_ASSEMBLY } jit_text;

/* Appends the module's text. Takes the module. */
gpa_code jit_print_take(jit *j, LLVMModuleRef m, jit_effort effort, jit_text what,
                        struct gpa_str *out, gpa_err *e);

#endif
