/* Programs and their variants. */
#include "runtime/cuda/program.h"

#include "runtime/base.h"

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
    c->n_code = f->n_code, c->n_arrays = f->n_arrays, c->n_params = f->n_params, c->n_consts = f->n_consts;
    if (!copy_items(&c->code, f->code, f->n_code, sizeof *f->code) || !copy_items(&c->arrays, f->arrays, f->n_arrays, sizeof *f->arrays) ||
        !copy_items(&c->params, f->params, f->n_params, sizeof *f->params) || !copy_items(&c->consts, f->consts, f->n_consts, sizeof *f->consts))
        return false;
    if (f->n_texts && !(c->texts = mem_zero(f->n_texts * sizeof *c->texts))) return false;
    for (; c->n_texts < f->n_texts; c->n_texts++)
        if (!(c->texts[c->n_texts] = mem_text(f->texts[c->n_texts], strlen(f->texts[c->n_texts])))) return false;
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
    *out = p;
    return GPA_OK;
}

static void free_variant(gpa_dev *d, cu_variant *v) {
    if (v->module) d->cu->module_unload(v->module);
    emit_free(&v->source);
    mem_free(v->ptx);
}

void program_free(gpa_dev *d, gpa_prog *p) {
    if (!p) return;
    if (p->n_variants) d->cu->stream_wait(d->stream);
    for (size_t i = 0; i < p->n_variants; i++) free_variant(d, &p->variants[i]);
    mem_free(p->variants);
    free_copy(&p->copy);
    mem_free(p);
}

/* Compiles and loads. A driver that does not understand the PTX gets machine code, from then on. */
static gpa_code load(gpa_dev *d, cu_variant *v, const kir_func *f, gpa_err *e) {
    cu_target target = d->target;
    target.fast_math = f->flags & KIR_F_FASTMATH;
    target.contract = f->form == KIR_KERNEL;
    target.line_info = f->flags & KIR_F_LINES;
    gpa_code rc = compile_ptx(v->source.text.text, target, &v->ptx, e);
    if (rc) return rc;
    CUresult r = d->cu->module_load(&v->module, v->ptx);
    if (!target.cubin && (r == CUDA_UNSUPPORTED_PTX || r == CUDA_INVALID_PTX || r == CUDA_NO_KERNEL_IMAGE)) {
        d->target.cubin = true;
        mem_free(v->ptx);
        v->ptx = NULL;
        return load(d, v, f, e);
    }
    if (!r) r = d->cu->module_function(&v->function, v->module, "gpa");
    return api_check(r, "cuModuleLoadData", e);
}

gpa_code program_variant(gpa_dev *d, gpa_prog *p, const cu_plan *plan, const cu_variant **out, gpa_err *e) {
    for (size_t i = 0; i < p->n_variants; i++)
        if (!memcmp(&p->variants[i].plan, plan, sizeof *plan)) {
            *out = &p->variants[i];
            return GPA_OK;
        }
    if (!mem_room(&p->variants, p->n_variants, &p->cap_variants, sizeof *p->variants)) return gpa_no_memory(e);
    cu_variant *v = &p->variants[p->n_variants];
    memset(v, 0, sizeof *v);
    v->plan = *plan;
    gpa_code rc = emit_source(&p->copy, plan, "gpa", &v->source, e);
    if (rc) return rc;
    rc = load(d, v, &p->copy, e);
    if (rc) {
        free_variant(d, v);
        return rc;
    }
    p->n_variants++;
    *out = v;
    return GPA_OK;
}
