/* Decoding kir into steps: registers are numbered as their instructions, structured control flow
 * becomes jumps.
 *
 * Launch constants make no step. Invariant: step_of[i] is the step of instruction i or, if it
 * has none, the next step, so that any instruction can be a jump target. */
#include "runtime/ref/ref.h"
#include "runtime/base/str.h"

typedef struct {
    const kir_func *f;
    gpa_prog *p;
    size_t *step_of; /* n_code + 1 */
    int32_t *close;  /* per opener: its END;  per ELSE: its END */
    int32_t *divide; /* per IF: its ELSE or -1 */
    int32_t *outer;  /* per instruction: the innermost region around it, or -1 */
} decode;

/* Finds the extent and nesting of regions, and numbers the steps. */
static void scan_regions(decode *d) {
    const kir_func *f = d->f;
    int32_t around = -1;
    size_t n = 0;
    for (size_t i = 0; i < f->n_code; i++) {
        const kir_ins *k = &f->code[i];
        d->step_of[i] = n;
        if (!kir_has(k->code, KI_FIXED)) n++;
        d->close[i] = d->divide[i] = -1;
        d->outer[i] = around;
        if (kir_has(k->code, KI_REGION)) {
            around = (int32_t)i;
        } else if (k->code == KIR_ELSE) {
            d->divide[around] = (int32_t)i;
        } else if (k->code == KIR_END) {
            d->close[k->imm] = (int32_t)i;
            if (d->divide[k->imm] >= 0) d->close[d->divide[k->imm]] = (int32_t)i;
            around = d->outer[k->imm];
            d->outer[i] = (int32_t)k->imm;
        }
    }
    d->step_of[f->n_code] = n;
    d->p->n_steps = n + 1; /* and the end of the program */
}

/* The instruction after the region that BREAK leaves, or the END of the loop that NEXT
 * continues. */
static int32_t jump_target(const decode *d, size_t at) {
    const kir_ins *k = &d->f->code[at];
    uint32_t left = k->imm;
    for (int32_t r = d->outer[at];; r = d->outer[r]) {
        if (kir_counts_region(k->code, d->f->code[r].code) && left-- == 0)
            return d->close[r] + (k->code == KIR_BREAK);
    }
}

/* The jump target of instruction `at`, as an instruction; -1: none. */
static int32_t target(const decode *d, size_t at) {
    const kir_ins *k = &d->f->code[at];
    switch ((int)k->code) {
        case KIR_EACH:
        case KIR_FOR: return d->close[at] + 1;
        case KIR_IF: return (d->divide[at] >= 0 ? d->divide[at] : d->close[at]) + 1;
        case KIR_ELSE: return d->close[at] + 1;
        case KIR_END: return (int32_t)k->imm;
        case KIR_BREAK:
        case KIR_NEXT: return jump_target(d, at);
        default: return -1;
    }
}

static ref_step make_step(const decode *d, size_t at) {
    const kir_func *f = d->f;
    const kir_ins *k = &f->code[at];
    ref_step s = {.run = ref_step_run(f, k),
                  .out = (int32_t)at,
                  .a = k->a,
                  .b = k->b,
                  .c = k->c,
                  .imm = k->imm,
                  .line = k->line,
                  .sub = k->sub,
                  .type = k->type,
                  .from = DT_NONE};
    if (k->a >= 0) s.from = f->code[k->a].type;
    if (k->code == KIR_OP) {
        gpa_op op = (gpa_op)k->sub;
        s.fn =
            op_function(op, (gpa_dtype)f->code[op_info[op].sig == SIG_SELECT ? k->b : k->a].type);
        if (k->b < 0) s.b = k->a;
        if (k->c < 0) s.c = k->a;
    }
    if (kir_has(k->code, KI_READS | KI_WRITES))
        s.size = dtype_info[f->arrays[k->sub].dtype].size, s.type = f->arrays[k->sub].dtype;
    if (k->code == KIR_PRINT) s.b = kir_print_args(f, (int32_t)at);
    int32_t to = target(d, at);
    if (to >= 0) s.jump = &d->p->steps[d->step_of[to]];
    return s;
}

/* Fills the program's tables. Accumulators are numbered in order of their instructions, so those
 * of an EACH are contiguous: [a, b) of its step. */
static void fill(decode *d) {
    const kir_func *f = d->f;
    gpa_prog *p = d->p;
    for (size_t i = 0; i < f->n_code; i++) {
        const kir_ins *k = &f->code[i];
        if (kir_has(k->code, KI_FIXED)) {
            p->fixed[p->n_fixed++] = (ref_fixed){.reg = (int32_t)i, .ins = *k};
            continue;
        }
        ref_step *s = &p->steps[d->step_of[i]];
        *s = make_step(d, i);
        if (kir_has(k->code, KI_WRITES) && kir_has(k->code, KI_OFFSET))
            p->written |= UINT64_C(1) << k->sub;
        if (k->code == KIR_REDUCE || k->code == KIR_SCAN) {
            s->imm = (uint32_t)p->n_accs;
            p->accs[p->n_accs++] = *s;
        } else if (k->code == KIR_EACH) {
            s->a = s->b = (int32_t)p->n_accs;
        } else if (k->code == KIR_END && f->code[k->imm].code == KIR_EACH) {
            p->steps[d->step_of[k->imm]].b = (int32_t)p->n_accs;
        }
    }
    p->steps[p->n_steps - 1] = (ref_step){.run = ref_step_run(f, NULL)};
}

static bool copy_tables(const kir_func *f, gpa_prog *p) {
    for (size_t i = 0; i < f->n_arrays; i++) p->arrays[i] = f->arrays[i];
    for (size_t i = 0; i < f->n_consts; i++) p->consts[i] = f->consts[i].v;
    for (; p->n_texts < f->n_texts; p->n_texts++) {
        p->texts[p->n_texts] = mem_text(f->texts[p->n_texts], strlen(f->texts[p->n_texts]));
        if (!p->texts[p->n_texts]) return false;
    }
    gpa_str ir;
    str_init(&ir);
    kir_print(f, &ir);
    p->ir = str_take(&ir);
    return p->ir != NULL;
}

gpa_code ref_decode(const kir_func *f, gpa_prog **out, gpa_err *e) {
    size_t n = f->n_code + 1;
    gpa_prog *p = mem_zero(sizeof *p);
    decode d = {.f = f, .p = p, .step_of = mem_new(n * sizeof *d.step_of)};
    int32_t *shape = mem_new(3 * n * sizeof *shape);
    gpa_code rc = GPA_OK;
    if (!p || !d.step_of || !shape) {
        rc = gpa_no_memory(e);
        goto out;
    }
    d.close = shape;
    d.divide = shape + n;
    d.outer = shape + 2 * n;
    scan_regions(&d);
    p->form = f->form;
    p->ndim = f->ndim;
    p->inner = f->inner;
    p->flags = f->flags;
    p->n_regs = f->n_code;
    p->n_arrays = f->n_arrays;
    p->steps = mem_zero(p->n_steps * sizeof *p->steps);
    p->fixed = mem_new(n * sizeof *p->fixed);
    p->accs = mem_new(n * sizeof *p->accs);
    p->arrays = mem_new(f->n_arrays * sizeof *p->arrays);
    p->consts = mem_new(f->n_consts * sizeof *p->consts);
    p->texts = mem_new(f->n_texts * sizeof *p->texts);
    if (!p->steps || !p->fixed || !p->accs || !p->arrays || !p->consts || !p->texts ||
        !copy_tables(f, p)) {
        rc = gpa_no_memory(e);
        goto out;
    }
    fill(&d);
    *out = p;
    p = NULL;
out:
    ref_drop(p);
    mem_free(d.step_of);
    mem_free(shape);
    return rc;
}

void ref_drop(gpa_prog *p) {
    if (!p) return;
    for (size_t i = 0; i < p->n_texts; i++) mem_free(p->texts[i]);
    mem_free(p->steps);
    mem_free(p->fixed);
    mem_free(p->accs);
    mem_free(p->arrays);
    mem_free(p->consts);
    mem_free(p->texts);
    mem_free(p->ir);
    mem_free(p);
}
