/* Programs and their variants: tiered compilation in the background. */
#include "runtime/cuda/build/program.h"

#include "runtime/base/base.h"
#include "runtime/base/clock.h"
#include "runtime/cuda/driver/context.h"
#include "runtime/cuda/build/interpreter.h"
#include "runtime/cuda/driver/wait.h"
#include "runtime/tables/tuning.h"

gpa_code program_new(const kir_func *f, gpa_prog **out, gpa_err *e) {
    gpa_prog *p = mem_zero(sizeof *p);
    if (!p) return gpa_no_memory(e);
    if (!kir_copy(&p->copy, f)) {
        kir_copy_free(&p->copy);
        mem_free(p);
        return gpa_no_memory(e);
    }
    p->facts = emit_facts(f);
    p->when = (uint8_t)interpreter_when();
    *out = p;
    return GPA_OK;
}

static void free_variant(gpa_dev *d, cu_variant *v) {
    if (v->job) background_drop(d->builder, v->job);
    if (v->replaced) d->cu->module_unload(v->replaced);
    if (v->module) d->cu->module_unload(v->module);
    emit_free(&v->source);
    mem_free(v->ptx);
    mem_free(v->literals);
    mem_free(v->recent);
}

void program_free(gpa_dev *d, gpa_prog *p) {
    if (!p) return;
    bool served = context_serves(d, p->generation);
    gpa_err quiet = {0};
    if (p->n_variants && served)
        served =
            !wait_idle(d, &quiet) || !d->stuck; /* the driver cannot unload code that is running */
    for (size_t i = 0; i < p->n_variants && served; i++) free_variant(d, &p->variants[i]);
    mem_free(p->variants);
    interpret_free(p->code);
    kir_copy_free(&p->copy);
    mem_free(p);
}

static cu_target target_of(const gpa_dev *d, const kir_func *f) {
    cu_target t = d->target;
    t.fast_math = f->flags & KIR_F_FASTMATH;
    t.contract = f->form == KIR_KERNEL;
    t.line_info = f->flags & KIR_F_LINES;
    return t;
}

/* The effort of a first build. A launch of many points, or with loops, whose time is not bounded,
 * gets the full build at once if its source is short; others get it after
 * TUNE_CUDA_FULL_BUILD_MIN_POINTS (build_in_full). Where floating-point contraction is allowed, its
 * choice depends on the effort, so that there is one build only. */
static cu_effort first_effort(const gpa_prog *p, const cu_variant *v, cu_target t, double points) {
    bool long_launch = (p->facts.loops || points >= TUNE_CUDA_FULL_BUILD_MIN_POINTS) &&
                       v->source.text.len <= TUNE_CUDA_FULL_BUILD_AT_ONCE_MAX_BYTES;
    return long_launch || t.contract || t.fast_math ? EFFORT_FULL : EFFORT_QUICK;
}

/* Compiles and loads. A driver that rejects the PTX version gets machine code from then on. */
static gpa_code compile_and_load(gpa_dev *d, cu_variant *v, const gpa_prog *p, double points,
                                 gpa_err *e) {
    cu_target target = target_of(d, &p->copy);
    mem_free(v->ptx); /* left by an attempt that failed */
    v->ptx = NULL;
    v->effort = first_effort(p, v, target, points);
    gpa_code rc = compile_ptx(v->source.text.text, target, &v->effort, &v->ptx, e);
    if (rc) return rc;
    CUresult r = compile_load(d->cu, v->ptx, v->effort, &v->module);
    if (!target.cubin &&
        (r == CUDA_UNSUPPORTED_PTX || r == CUDA_INVALID_PTX || r == CUDA_NO_KERNEL_IMAGE)) {
        d->target.cubin = true;
        return compile_and_load(d, v, p, points, e);
    }
    if (!r) r = d->cu->module_function(&v->function, v->module, "gpa");
    return api_check(r, "cuModuleLoadData", e);
}

/* ---- in the background ---- */

static cu_job *begin_build(gpa_dev *d, const gpa_prog *p, const cu_variant *v, cu_effort effort,
                           bool urgent) {
    return background_begin(&d->builder, &(cu_build){.cu = d->cu,
                                                     .context = d->context,
                                                     .source = v->source.text.text,
                                                     .target = target_of(d, &p->copy),
                                                     .effort = effort,
                                                     .urgent = urgent});
}

static void install_build(cu_variant *v, const cu_built *x) {
    v->job = NULL;
    if (x->module)
        v->ptx = x->ptx, v->module = x->module, v->function = x->function, v->effort = x->effort;
}

/* Waits for the first build of a variant; if that failed, builds here and reports the error. */
static gpa_code finish_first_build(gpa_dev *d, cu_variant *v, const gpa_prog *p, double points,
                                   gpa_err *e) {
    cu_built first = {0};
    if (v->job) background_wait(d->builder, v->job, &first);
    install_build(v, &first);
    return v->function ? GPA_OK : compile_and_load(d, v, p, points, e);
}

/* Starts the full build of a hot variant, and swaps it in when it is finished. */
static void build_in_full(gpa_dev *d, const gpa_prog *p, cu_variant *v, double points) {
    cu_built better;
    if (v->job) {
        if (!background_take(d->builder, v->job, &better)) return;
        v->job = NULL;
        v->effort = EFFORT_FULL; /* a build that failed is not repeated */
        if (!better.module) return;
        mem_free(v->ptx);
        v->replaced = v->module;
        v->ptx = better.ptx, v->module = better.module, v->function = better.function;
    } else if (v->points >= TUNE_CUDA_FULL_BUILD_MIN_POINTS ||
               (p->facts.loops && v->points > 0 &&
                v->source.text.len <= TUNE_CUDA_FULL_BUILD_SECOND_LAUNCH_MAX_BYTES)) {
        v->job = begin_build(d, p, v, EFFORT_FULL, false);
        if (!v->job) v->effort = EFFORT_FULL;
    }
    v->points += MAX(points, TUNE_CUDA_FULL_BUILD_LAUNCH_POINTS);
}

/* ---- variants ---- */

static cu_variant *known_variant(const gpa_prog *p, const cu_plan *plan) {
    for (size_t i = 0; i < p->n_variants; i++)
        if (!p->variants[i].literals && !memcmp(&p->variants[i].plan, plan, sizeof *plan))
            return &p->variants[i];
    return NULL;
}

/* An empty variant, not counted in n_variants yet. */
static gpa_code new_variant(gpa_dev *d, gpa_prog *p, const cu_plan *plan, cu_variant **out,
                            gpa_err *e) {
    if (!mem_grow(&p->variants, p->n_variants, &p->cap_variants, sizeof *p->variants))
        return gpa_no_memory(e);
    cu_variant *v = *out = &p->variants[p->n_variants];
    memset(v, 0, sizeof *v);
    v->plan = *plan;
    p->generation = d->generation;
    return GPA_OK;
}

static gpa_code ensure_source(const gpa_prog *p, cu_variant *v, gpa_err *e) {
    return v->source.text.len ? GPA_OK
                              : emit_source(&p->copy, &v->plan, v->literals, "gpa", &v->source, e);
}

/* ---- literal specialization: parameters that stay the same become literals, which need no loads
 * and fold into instructions. Worth a build for compute-bound programs with many points ---- */

static bool same_params(const gpa_prog *p, const gpa_val *a, const gpa_val *b) {
    for (size_t i = 0; i < p->copy.n_params; i++)
        if (memcmp(&a[i], &b[i], dtype_size((gpa_dtype)p->copy.params[i])) != 0) return false;
    return true;
}

static gpa_val *copy_params(const gpa_prog *p, const gpa_val *params) {
    gpa_val *c = mem_new(p->copy.n_params * sizeof *c);
    if (c) memcpy(c, params, p->copy.n_params * sizeof *c);
    return c;
}

/* True if enough consecutive launches of variant v had these parameters. */
static bool are_stable(const gpa_prog *p, cu_variant *v, const gpa_val *params) {
    if (v->recent && same_params(p, v->recent, params))
        return ++v->repeats >= TUNE_CUDA_LITERAL_BUILD_MIN_LAUNCHES;
    if (!v->recent)
        v->recent = copy_params(p, params);
    else
        memcpy(v->recent, params, p->copy.n_params * sizeof *params);
    v->repeats = 0;
    return false;
}

/* Starts a build of variant `at` with these parameters as literals. */
static void begin_specialized(gpa_dev *d, gpa_prog *p, size_t at, const gpa_val *params) {
    cu_variant *s;
    gpa_err quiet = {0};
    cu_plan plan = p->variants[at].plan;
    if (new_variant(d, p, &plan, &s, &quiet)) return;
    if ((s->literals = copy_params(p, params)) && !ensure_source(p, s, &quiet))
        s->job = begin_build(d, p, s, EFFORT_FULL, false);
    s->effort = EFFORT_FULL;
    if (s->job)
        p->n_variants++;
    else
        free_variant(d, s);
}

/* The variant with these parameters compiled in if it is finished, else v. */
static const cu_variant *specialized_variant(gpa_dev *d, gpa_prog *p, cu_variant *v, double points,
                                             const gpa_val *params) {
    unsigned n = 0;
    cu_built built;
    bool worth = p->facts.ops > TUNE_CUDA_COMPUTE_BOUND_MIN_OPS && p->copy.n_params &&
                 p->copy.form == KIR_MAP && !p->facts.loops &&
                 points >= TUNE_CUDA_FULL_BUILD_MIN_POINTS;
    if (!worth || !params || v->effort != EFFORT_FULL) return v;
    for (size_t i = 0; i < p->n_variants; i++) {
        cu_variant *s = &p->variants[i];
        if (!s->literals || memcmp(&s->plan, &v->plan, sizeof v->plan) != 0) continue;
        n++;
        if (!same_params(p, s->literals, params)) continue;
        if (s->job && background_take(d->builder, s->job, &built)) install_build(s, &built);
        return s->function ? s : v;
    }
    if (n < TUNE_CUDA_LITERAL_BUILDS_MAX && are_stable(p, v, params)) {
        size_t at = (size_t)(v - p->variants);
        begin_specialized(d, p, at, params);
        v = &p->variants[at]; /* the array may have been reallocated */
    }
    return v;
}

/* ---- interpretation while the first build runs ---- */

void program_never_interpret(gpa_prog *p) {
    interpret_free(p->code);
    p->code = NULL;
}

static bool can_interpret(gpa_dev *d, gpa_prog *p, double points) {
    if (p->when == INTERPRET_NEVER || !interpreter_is_expected(d)) return false;
    if (!p->coded) p->code = interpret_code(&p->copy);
    p->coded = true;
    return p->code && (p->when == INTERPRET_ALWAYS || points <= TUNE_CUDA_INTERPRET_MAX_POINTS ||
                       points * (double)p->code->n_ins <= TUNE_CUDA_INTERPRET_MAX_INSTRUCTIONS);
}

/* True if the variant is in the disk cache and the interpreter is not loaded yet: the variant is
 * faster to load. */
static bool is_cached(gpa_dev *d, const gpa_prog *p, cu_variant *v) {
    gpa_err quiet = {0};
    return !interpreter_is_loaded(d, false) && !ensure_source(p, v, &quiet) &&
           compile_is_known(v->source.text.text, target_of(d, &p->copy));
}

/* Starts a full build while the interpreter executes the program. Errors are reported by the build
 * that is waited for. */
static void build_in_background(gpa_dev *d, const gpa_prog *p, cu_variant *v, double points) {
    gpa_err quiet = {0};
    if (v->job || ensure_source(p, v, &quiet)) return;
    cu_effort effort = v->source.text.len <= TUNE_CUDA_FULL_BUILD_SECOND_LAUNCH_MAX_BYTES
                           ? EFFORT_FULL
                           : first_effort(p, v, target_of(d, &p->copy), points);
    v->job = begin_build(d, p, v, effort, false);
}

bool program_interprets(gpa_dev *d, gpa_prog *p, const cu_plan *plan, double points) {
    interpreter_count_launch(d);
    bool always = p->when == INTERPRET_ALWAYS;
    cu_variant *v = known_variant(p, plan);
    cu_built built;
    gpa_err quiet = {0};
    if (v && v->job && !v->function && v->interpreted &&
        background_take(d->builder, v->job, &built))
        install_build(v, &built);
    if (v && !always && (v->function || !v->interpreted)) return false;
    if (!can_interpret(d, p, points) || (!v && new_variant(d, p, plan, &v, &quiet))) return false;
    if (!v->interpreted) {
        bool elsewhere = (!always && is_cached(d, p, v)) || !interpreter_is_loaded(d, true);
        if (elsewhere) emit_free(&v->source);
        if (elsewhere) return false;
        p->n_variants++;
    }
    if (!always) build_in_background(d, p, v, points);
    p->ran = (size_t)(v - p->variants);
    return v->interpreted = true;
}

void program_begin(gpa_dev *d, gpa_prog *p, const cu_plan *plan, double points) {
    cu_variant *v;
    gpa_err quiet = {0};
    cu_target target = target_of(d, &p->copy);
    if (known_variant(p, plan) || can_interpret(d, p, points) ||
        new_variant(d, p, plan, &v, &quiet) || ensure_source(p, v, &quiet))
        return;
    if (!compile_is_known(v->source.text.text, target))
        v->job = begin_build(d, p, v, first_effort(p, v, target, points), true);
    if (v->job)
        p->n_variants++;
    else
        emit_free(&v->source);
}

gpa_code program_variant(gpa_dev *d, gpa_prog *p, const cu_demand *x, const cu_variant **out,
                         gpa_err *e) {
    cu_variant *v = known_variant(p, x->plan);
    bool fresh = !v;
    double begun = fresh || !v->function ? clock_seconds() : 0;
    gpa_code rc = fresh ? new_variant(d, p, x->plan, &v, e) : GPA_OK;
    if (rc) return rc;
    if (!v->function && !(rc = ensure_source(p, v, e)))
        rc = finish_first_build(d, v, p, x->points, e);
    if (begun > 0) p->seconds += clock_seconds() - begun;
    if (rc && fresh) free_variant(d, v);
    if (rc) return rc;
    p->n_variants += fresh;
    if (v->effort == EFFORT_QUICK) build_in_full(d, p, v, x->points);
    *out = specialized_variant(d, p, v, x->points, x->params);
    p->ran = (size_t)(*out - p->variants);
    return GPA_OK;
}
