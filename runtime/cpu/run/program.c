/* Programs and their compiled variants. */
#include "runtime/cpu/run/program.h"

#include "runtime/base/base.h"
#include "runtime/base/clock.h"
#include "runtime/cpu/emit/kernel.h"
#include "runtime/cpu/run/widen.h"
#include "runtime/tables/tuning.h"

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

/* Compiles the function of a variant, and replaces the one it has. */
static gpa_code compile_variant(const gpa_prog *p, jit *j, jit_effort effort, cpu_variant *v,
                                gpa_err *e) {
    gpa_code rc = GPA_OK;
    LLVMModuleRef m;
    jit_code *code;
    TRY(program_emit(p, j, &v->plan, &m, e));
    TRY(jit_link_take(j, m, effort, &code, e));
    jit_unlink(v->code);
    v->code = code;
    void *address = jit_address(code);
    memcpy(&v->fn, &address, sizeof address);
out:
    return rc;
}

static cpu_variant *find_variant(gpa_prog *p, const emit_plan *plan) {
    for (size_t i = 0; i < p->n_variants; i++)
        if (!memcmp(&p->variants[i].plan, plan, sizeof *plan)) return &p->variants[i];
    return NULL;
}

gpa_code program_variant(gpa_prog *p, jit *j, const emit_plan *plan, int64_t work, cpu_fn *out,
                         gpa_err *e) {
    jit_effort effort = program_effort(p);
    cpu_variant *v = find_variant(p, plan);
    gpa_code rc = GPA_OK;
    if (v && !jit_is_quick(v->code)) {
        *out = v->fn;
        return GPA_OK;
    }
    if (!v) {
        if (!mem_grow(&p->variants, p->n_variants, &p->cap_variants, sizeof *p->variants))
            return gpa_no_memory(e);
        v = &p->variants[p->n_variants];
        *v = (cpu_variant){.plan = *plan};
    }
    if (__builtin_add_overflow(v->work, work, &v->work)) v->work = INT64_MAX;
    if (effort == JIT_PLAIN && v->work <= TUNE_CPU_QUICK_MAX_WORK && !p->facts.halves)
        effort = JIT_QUICK;
    if (!v->code || effort != JIT_QUICK) {
        double begun = clock_seconds();
        bool first = !v->code;
        TRY(compile_variant(p, j, effort, v, e));
        p->n_variants += first;
        p->seconds += clock_seconds() - begun;
    }
    *out = v->fn;
out:
    return rc;
}
