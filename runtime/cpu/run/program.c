/* Programs and their compiled variants. */
#include "runtime/cpu/run/program.h"

#include "runtime/base/base.h"
#include "runtime/base/clock.h"
#include "runtime/cpu/emit/kernel.h"
#include "runtime/cpu/run/widen.h"

gpa_code program_new(const kir_func *f, gpa_prog **out, gpa_err *e) {
    gpa_prog *p = mem_zero(sizeof *p);
    if (!p || !kir_copy(&p->copy, f)) {
        program_free(p);
        return gpa_no_memory(e);
    }
    p->f = &p->copy;
    p->facts = emit_examine(f);
    p->widen = widen_examine(f);
    gpa_code rc = f->form == KIR_KERNEL ? kernel_plan_make(p->f, &p->kernel, e) : GPA_OK;
    if (rc)
        program_free(p);
    else
        *out = p;
    return rc;
}

void program_free(gpa_prog *p) {
    if (!p) return;
    for (size_t i = 0; i < p->n_variants; i++) jit_unlink(p->variants[i].code);
    mem_free(p->variants);
    for (size_t i = 0; i < p->n_wide; i++) program_free(p->wide[i]);
    mem_free(p->wide);
    kernel_plan_free(&p->kernel);
    kir_copy_free(&p->copy);
    mem_free(p);
}

gpa_code program_emit(const gpa_prog *p, jit *j, const emit_plan *plan, LLVMModuleRef *out,
                      gpa_err *e) {
    if (p->f->form == KIR_MAP) return emit_module(jit_target(j), p->f, plan, out, e);
    return emit_kernel(jit_target(j), p->f, &p->kernel,
                       (kernel_shape){.lanes = plan->lanes, .whole = plan->stream}, out, e);
}

jit_effort program_effort(const gpa_prog *p) {
    return p->f->form == KIR_KERNEL ? JIT_PHASES : p->facts.loops ? JIT_LOOPS : JIT_PLAIN;
}

gpa_code program_variant(gpa_prog *p, jit *j, const emit_plan *plan, cpu_fn *out, gpa_err *e) {
    for (size_t i = 0; i < p->n_variants; i++)
        if (!memcmp(&p->variants[i].plan, plan, sizeof *plan)) {
            *out = p->variants[i].fn;
            return GPA_OK;
        }
    gpa_code rc = GPA_OK;
    LLVMModuleRef m;
    void *address = NULL;
    if (!mem_grow(&p->variants, p->n_variants, &p->cap_variants, sizeof *p->variants))
        return gpa_no_memory(e);
    cpu_variant *v = &p->variants[p->n_variants];
    *v = (cpu_variant){.plan = *plan};
    double begun = clock_seconds();
    TRY(program_emit(p, j, plan, &m, e));
    TRY(jit_link_take(j, m, program_effort(p), &v->code, &address, e));
    memcpy(&v->fn, &address, sizeof address);
    *out = v->fn;
    p->n_variants++;
    p->seconds += clock_seconds() - begun;
out:
    return rc;
}
