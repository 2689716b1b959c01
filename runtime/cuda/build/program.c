/* Programs and their variants. */
#include "runtime/cuda/build/program.h"

#include <time.h>

#include "runtime/base/base.h"
#include "runtime/cuda/driver/context.h"
#include "runtime/cuda/build/interpreter.h"
#include "runtime/cuda/driver/wait.h"

static bool copy_items(void *to, const void *from, size_t n, size_t size) {
    void **slot = to;
    if (!n) return true;
    if (!(*slot = mem_new(n * size))) return false;
    memcpy(*slot, from, n * size);
    return true;
}

/* What emission reads: not the spans. */
static bool copy_func(kir_func *c, const kir_func *f) {
    *c = (kir_func){.form = f->form, .ndim = f->ndim, .inner = f->inner, .flags = f->flags};
    memcpy(c->name, f->name, sizeof c->name);
    c->n_code = f->n_code, c->n_arrays = f->n_arrays, c->n_params = f->n_params,
    c->n_consts = f->n_consts;
    if (!copy_items(&c->code, f->code, f->n_code, sizeof *f->code) ||
        !copy_items(&c->arrays, f->arrays, f->n_arrays, sizeof *f->arrays) ||
        !copy_items(&c->params, f->params, f->n_params, sizeof *f->params) ||
        !copy_items(&c->consts, f->consts, f->n_consts, sizeof *f->consts))
        return false;
    if (f->n_texts && !(c->texts = mem_zero(f->n_texts * sizeof *c->texts))) return false;
    for (; c->n_texts < f->n_texts; c->n_texts++)
        if (!(c->texts[c->n_texts] = mem_text(f->texts[c->n_texts], strlen(f->texts[c->n_texts]))))
            return false;
    return true;
}

static void free_copy(kir_func *c) {
    for (size_t i = 0; i < c->n_texts; i++) mem_free(c->texts[i]);
    mem_free(c->texts);
    mem_free(c->code);
    mem_free(c->arrays);
    mem_free(c->params);
    mem_free(c->consts);
}

gpa_code program_new(const kir_func *f, gpa_prog **out, gpa_err *e) {
    gpa_prog *p = mem_zero(sizeof *p);
    if (!p) return gpa_no_memory(e);
    if (!copy_func(&p->copy, f)) {
        free_copy(&p->copy);
        mem_free(p);
        return gpa_no_memory(e);
    }
    p->facts = emit_facts(f);
    p->when = (uint8_t)interpreter_when();
    *out = p;
    return GPA_OK;
}

/* A program that has computed so many points and is wanted again is worth a full build. One whose
 * first launch has as many points, or with loops, which may take any time in a single launch, gets
 * the full build at once if its source is short: what is built quickly is several times slower on
 * large arrays. One with loops and a longer source gets it when it is wanted again, if that takes
 * some seconds at most. */
#define MANY_POINTS 4e6
enum { SHORT_SOURCE = 16 << 10, LONG_SOURCE = 64 << 10 };

static void free_variant(gpa_dev *d, cu_variant *v) {
    if (v->job) build_drop(d->builder, v->job);
    if (v->first) d->cu->module_unload(v->first);
    if (v->module) d->cu->module_unload(v->module);
    emit_free(&v->source);
    mem_free(v->ptx);
    mem_free(v->numbers);
    mem_free(v->latest);
}

void program_free(gpa_dev *d, gpa_prog *p) {
    if (!p) return;
    bool served = context_serves(d, p->life);
    gpa_err quiet = {0};
    if (p->n_variants && served)
        served = !wait_done(d, &quiet) || !d->stuck; /* code that runs stays where it is */
    for (size_t i = 0; i < p->n_variants && served; i++) free_variant(d, &p->variants[i]);
    mem_free(p->variants);
    interpret_free(p->code);
    free_copy(&p->copy);
    mem_free(p);
}

static cu_target target_of(const gpa_dev *d, const kir_func *f) {
    cu_target t = d->target;
    t.fast_math = f->flags & KIR_F_FASTMATH;
    t.contract = f->form == KIR_KERNEL;
    t.line_info = f->flags & KIR_F_LINES;
    return t;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* What a first build aims at. Contractions depend on the effort. */
static cu_effort first_effort(const gpa_prog *p, const cu_variant *v, cu_target t, double points) {
    bool long_launch =
        (p->facts.loops || points >= MANY_POINTS) && v->source.text.len <= SHORT_SOURCE;
    return long_launch || t.contract || t.fast_math ? EFFORT_FULL : EFFORT_QUICK;
}

/* Compiles and loads. A driver that does not understand the PTX gets machine code, from then on. */
static gpa_code load(gpa_dev *d, cu_variant *v, const gpa_prog *p, double points, gpa_err *e) {
    cu_target target = target_of(d, &p->copy);
    mem_free(v->ptx); /* of an attempt that failed */
    v->ptx = NULL;
    v->effort = first_effort(p, v, target, points);
    gpa_code rc = compile_ptx(v->source.text.text, target, &v->effort, &v->ptx, e);
    if (rc) return rc;
    CUresult r = compile_load(d->cu, v->ptx, v->effort, &v->module);
    if (!target.cubin &&
        (r == CUDA_UNSUPPORTED_PTX || r == CUDA_INVALID_PTX || r == CUDA_NO_KERNEL_IMAGE)) {
        d->target.cubin = true;
        return load(d, v, p, points, e);
    }
    if (!r) r = d->cu->module_function(&v->function, v->module, "gpa");
    return api_check(r, "cuModuleLoadData", e);
}

/* ---- in the background ---- */

static void adopt(cu_variant *v, const cu_built *x) {
    v->job = NULL;
    if (x->module)
        v->ptx = x->ptx, v->module = x->module, v->function = x->function, v->effort = x->effort;
}

/* The first build of a variant that was begun before; what failed there is tried, and reported,
 * here. */
static gpa_code finish(gpa_dev *d, cu_variant *v, const gpa_prog *p, double points, gpa_err *e) {
    cu_built first = {0};
    if (v->job) build_wait(d->builder, v->job, &first);
    adopt(v, &first);
    return v->function ? GPA_OK : load(d, v, p, points, e);
}

/* Begins the full build of a variant that computes much, and takes it over when it is there. */
static void improve(gpa_dev *d, const gpa_prog *p, cu_variant *v, double points) {
    cu_built better;
    if (v->job) {
        if (!build_take(d->builder, v->job, &better)) return;
        v->job = NULL;
        v->effort = EFFORT_FULL; /* a failed one is not tried again */
        if (!better.module) return;
        mem_free(v->ptx);
        v->first = v->module;
        v->ptx = better.ptx, v->module = better.module, v->function = better.function;
    } else if (v->points >= MANY_POINTS ||
               (p->facts.loops && v->points > 0 && v->source.text.len <= LONG_SOURCE)) {
        v->job = build_begin(&d->builder, d->cu, d->context, v->source.text.text,
                             target_of(d, &p->copy), EFFORT_FULL, false);
        if (!v->job) v->effort = EFFORT_FULL;
    }
    v->points += points;
}

/* ---- variants ---- */

static cu_variant *known_variant(const gpa_prog *p, const cu_plan *plan) {
    for (size_t i = 0; i < p->n_variants; i++)
        if (!p->variants[i].numbers && !memcmp(&p->variants[i].plan, plan, sizeof *plan))
            return &p->variants[i];
    return NULL;
}

/* An empty variant, not counted yet. */
static gpa_code new_variant(gpa_dev *d, gpa_prog *p, const cu_plan *plan, cu_variant **out,
                            gpa_err *e) {
    if (!mem_grow(&p->variants, p->n_variants, &p->cap_variants, sizeof *p->variants))
        return gpa_no_memory(e);
    cu_variant *v = *out = &p->variants[p->n_variants];
    memset(v, 0, sizeof *v);
    v->plan = *plan;
    p->life = d->life;
    return GPA_OK;
}

static gpa_code need_source(const gpa_prog *p, cu_variant *v, gpa_err *e) {
    return v->source.text.len ? GPA_OK
                              : emit_source(&p->copy, &v->plan, v->numbers, "gpa", &v->source, e);
}

/* ---- numbers that stay as they are: as literals they take no instructions, where as parameters
 * they are fetched at every use. That is worth a compilation of its own where many points wait for
 * instructions, not for memory ---- */

enum { FEW_OPS = 60, ENOUGH_ALIKE = 3, MOST_LITERAL = 3 };

static bool same_numbers(const gpa_prog *p, const gpa_val *a, const gpa_val *b) {
    for (size_t i = 0; i < p->copy.n_params; i++)
        if (memcmp(&a[i], &b[i], dtype_size((gpa_dtype)p->copy.params[i])) != 0) return false;
    return true;
}

static gpa_val *copy_numbers(const gpa_prog *p, const gpa_val *numbers) {
    gpa_val *c = mem_new(p->copy.n_params * sizeof *c);
    if (c) memcpy(c, numbers, p->copy.n_params * sizeof *c);
    return c;
}

/* Whether the launches of variant v have had these numbers for long enough. */
static bool are_steady(const gpa_prog *p, cu_variant *v, const gpa_val *numbers) {
    if (v->latest && same_numbers(p, v->latest, numbers)) return ++v->alike >= ENOUGH_ALIKE;
    if (!v->latest)
        v->latest = copy_numbers(p, numbers);
    else
        memcpy(v->latest, numbers, p->copy.n_params * sizeof *numbers);
    v->alike = 0;
    return false;
}

/* Begins to build variant `at` once more with these numbers. */
static void begin_literal(gpa_dev *d, gpa_prog *p, size_t at, const gpa_val *numbers) {
    cu_variant *s;
    gpa_err quiet = {0};
    cu_plan plan = p->variants[at].plan;
    if (new_variant(d, p, &plan, &s, &quiet)) return;
    if ((s->numbers = copy_numbers(p, numbers)) && !need_source(p, s, &quiet))
        s->job = build_begin(&d->builder, d->cu, d->context, s->source.text.text,
                             target_of(d, &p->copy), EFFORT_FULL, false);
    s->effort = EFFORT_FULL;
    if (s->job)
        p->n_variants++;
    else
        free_variant(d, s);
}

/* In place of variant v the one that has these numbers compiled in, if it is there. */
static const cu_variant *with_literals(gpa_dev *d, gpa_prog *p, cu_variant *v, double points,
                                       const gpa_val *numbers) {
    unsigned n = 0;
    cu_built built;
    bool worth = p->facts.ops > FEW_OPS && p->copy.n_params && p->copy.form == KIR_MAP &&
                 !p->facts.loops && points >= MANY_POINTS;
    if (!worth || !numbers || v->effort != EFFORT_FULL) return v;
    for (size_t i = 0; i < p->n_variants; i++) {
        cu_variant *s = &p->variants[i];
        if (!s->numbers || memcmp(&s->plan, &v->plan, sizeof v->plan) != 0) continue;
        n++;
        if (!same_numbers(p, s->numbers, numbers)) continue;
        if (s->job && build_take(d->builder, s->job, &built)) adopt(s, &built);
        return s->function ? s : v;
    }
    if (n < MOST_LITERAL && are_steady(p, v, numbers)) {
        size_t at = (size_t)(v - p->variants);
        begin_literal(d, p, at, numbers);
        v = &p->variants[at]; /* they may have moved */
    }
    return v;
}

/* ---- interpreted first ---- */

/* Instructions of all points: so many take the interpreter some milliseconds. */
#define MOST_INTERPRETED 1e9

void program_not_interpreted(gpa_prog *p) {
    interpret_free(p->code);
    p->code = NULL;
}

static bool can_interpret(gpa_dev *d, gpa_prog *p, double points) {
    if (p->when == INTERPRET_NEVER || !interpreter_is_expected(d)) return false;
    if (!p->coded) p->code = interpret_code(&p->copy);
    p->coded = true;
    return p->code &&
           (p->when == INTERPRET_ALWAYS || points * (double)p->code->n_ins <= MOST_INTERPRETED);
}

/* Whether the disk cache has the variant, which then is there before an interpreter that has not
 * been loaded yet. */
static bool is_sooner(gpa_dev *d, const gpa_prog *p, cu_variant *v) {
    gpa_err quiet = {0};
    return !interpreter_is_there(d, false) && !need_source(p, v, &quiet) &&
           compile_is_known(v->source.text.text, target_of(d, &p->copy));
}

/* Begins to build the variant, optimised, while the interpreter serves. Where that fails nobody
 * needs to know now. */
static void build_behind(gpa_dev *d, const gpa_prog *p, cu_variant *v, double points) {
    gpa_err quiet = {0};
    if (v->job || need_source(p, v, &quiet)) return;
    cu_effort effort = v->source.text.len <= LONG_SOURCE
                           ? EFFORT_FULL
                           : first_effort(p, v, target_of(d, &p->copy), points);
    v->job = build_begin(&d->builder, d->cu, d->context, v->source.text.text,
                         target_of(d, &p->copy), effort, false);
}

bool program_interprets(gpa_dev *d, gpa_prog *p, const cu_plan *plan, double points) {
    interpreter_notice(d);
    bool always = p->when == INTERPRET_ALWAYS;
    cu_variant *v = known_variant(p, plan);
    cu_built built;
    gpa_err quiet = {0};
    if (v && v->job && !v->function && v->interpreted && build_take(d->builder, v->job, &built))
        adopt(v, &built);
    if (v && !always && (v->function || !v->interpreted)) return false;
    if (!can_interpret(d, p, points) || (!v && new_variant(d, p, plan, &v, &quiet))) return false;
    if (!v->interpreted) {
        bool elsewhere = (!always && is_sooner(d, p, v)) || !interpreter_is_there(d, true);
        if (elsewhere) emit_free(&v->source);
        if (elsewhere) return false;
        p->n_variants++;
    }
    if (!always) build_behind(d, p, v, points);
    p->ran = (size_t)(v - p->variants);
    return v->interpreted = true;
}

void program_begin(gpa_dev *d, gpa_prog *p, const cu_plan *plan, double points) {
    cu_variant *v;
    gpa_err quiet = {0};
    cu_target target = target_of(d, &p->copy);
    if (known_variant(p, plan) || can_interpret(d, p, points) ||
        new_variant(d, p, plan, &v, &quiet) || need_source(p, v, &quiet))
        return;
    const char *source = v->source.text.text;
    if (!compile_is_known(source, target))
        v->job = build_begin(&d->builder, d->cu, d->context, source, target,
                             first_effort(p, v, target, points), true);
    if (v->job)
        p->n_variants++;
    else
        emit_free(&v->source);
}

gpa_code program_variant(gpa_dev *d, gpa_prog *p, const cu_plan *plan, double points,
                         const gpa_val *numbers, const cu_variant **out, gpa_err *e) {
    cu_variant *v = known_variant(p, plan);
    bool fresh = !v;
    double begun = fresh || !v->function ? now() : 0;
    gpa_code rc = fresh ? new_variant(d, p, plan, &v, e) : GPA_OK;
    if (rc) return rc;
    if (!v->function && !(rc = need_source(p, v, e))) rc = finish(d, v, p, points, e);
    if (begun > 0) p->seconds += now() - begun;
    if (rc && fresh) free_variant(d, v);
    if (rc) return rc;
    p->n_variants += fresh;
    if (v->effort == EFFORT_QUICK) improve(d, p, v, points);
    *out = with_literals(d, p, v, points, numbers);
    p->ran = (size_t)(*out - p->variants);
    return GPA_OK;
}
