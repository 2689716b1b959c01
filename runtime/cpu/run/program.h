/* Programs: a copy of the kir and the variants of it compiled so far. */
#ifndef GPA_CPU_RUN_PROGRAM_H
#define GPA_CPU_RUN_PROGRAM_H

#include "runtime/cpu/emit/emit.h"
#include "runtime/cpu/emit/kernel_analysis.h"
#include "runtime/cpu/emit/launch_view.h"
#include "runtime/cpu/run/jit.h"

typedef struct {
    emit_plan plan;
    jit_code *code;
    cpu_fn fn;
    int64_t work; /* done by its quick code */
} cpu_variant;

enum { WIDEN_PARAMS = 32 };

/* Of a program that only moves elements (widen.h): bits of arrays and parameters. */
typedef struct {
    uint64_t moved;   /* arrays whose elements move; 0: it does other things, too */
    uint64_t counted; /* virtual arrays that count such elements, */
    uint64_t params;  /* and parameters that do */
    uint8_t dtype;    /* of what moves */
} widen_facts;

struct gpa_prog {
    const kir_func *f; /* the copy */
    kir_func copy;
    emit_facts facts;
    kernel_plan kernel; /* KERNEL */
    cpu_variant *variants;
    size_t n_variants, cap_variants;
    double seconds; /* spent compiling them */
    widen_facts widen;
    gpa_prog **wide; /* the same program on rows as single elements */
    size_t n_wide, cap_wide;
};

/* A program with a copy of f. Variants are compiled at launch, when the extents are known. */
gpa_code program_new(const kir_func *f, gpa_prog **out, gpa_err *e);
void program_free(gpa_prog *p);
/* The module of a plan. Of a KERNEL's only `lanes` counts, and `stream`: a row of a block is a
 * number of whole vectors. */
gpa_code program_emit(const gpa_prog *p, jit *j, const emit_plan *plan, LLVMModuleRef *out,
                      gpa_err *e);
jit_effort program_effort(const gpa_prog *p); /* the pass pipeline of its modules */
/* The function for a plan and a launch of so much work (operations), compiled at first need. Plain
 * programs are compiled quickly, and optimised once their work exceeds CPU_QUICK_MAX_WORK; those
 * with float16 at once: unoptimised, moving a half through float would quiet its NaN. *out is valid
 * until the next call with the same plan. */
gpa_code program_variant(gpa_prog *p, jit *j, const emit_plan *plan, int64_t work, cpu_fn *out,
                         gpa_err *e);

#endif
