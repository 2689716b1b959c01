/* The reference device: an interpreter of kir in host memory that checks every access.
 *
 * It is the oracle of the other devices, and the fallback where there is none. Work is done
 * synchronously: there is no queue.
 *
 * Reading order: the device, memory, programs, launches, the backend table. */
#include "runtime/ref/ref.h"
#include "runtime/base/str.h"

#include <unistd.h>

/* ---- the device ---- */

static int ref_count(char *why, size_t n) {
    if (n) why[0] = 0;
    return 1;
}

static gpa_code ref_open(int i, gpa_dev **out, gpa_err *e) {
    (void)i;
    gpa_dev *d = mem_zero(sizeof *d);
    if (!d) return gpa_no_memory(e);
    *out = d;
    return GPA_OK;
}

static void ref_close(gpa_dev *d) { mem_free(d); }

static void ref_caps(gpa_dev *d, gpa_caps *out) {
    (void)d;
    *out = (gpa_caps){.name = "ref",
                      .desc = "interpreter, every access checked",
                      .dtypes = (1u << DT_COUNT) - 1,
                      .align = 16,
                      .max_arrays = KIR_MAX_ARRAYS,
                      .max_params = 4096,
                      .max_threads = 1024,
                      .max_shared = 48 << 10,
                      .units = 1,
                      .host_visible = true,
                      .interprets = true};
    out->mem_total = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* ---- memory ---- */

static gpa_code ref_alloc(gpa_dev *d, size_t n, gpa_mem **out, gpa_err *e) {
    gpa_mem *m = n < SIZE_MAX / 2 ? mem_new(sizeof *m + n) : NULL;
    if (!m) return gpa_no_memory(e);
    m->n = n;
    d->live += (int64_t)n;
    *out = m;
    return GPA_OK;
}

static void ref_free(gpa_dev *d, gpa_mem *m) {
    if (m) d->live -= (int64_t)m->n;
    mem_free(m);
}

static void *ref_base(gpa_mem *m) { return m->data; }

static gpa_code check_range(const gpa_mem *m, size_t at, size_t n, gpa_err *e) {
    if (at <= m->n && n <= m->n - at) return GPA_OK;
    return gpa_fail(e, GPA_E_INTERNAL, "bytes %zu to %zu of an allocation of %zu", at, at + n,
                    m->n);
}

static gpa_code ref_upload(gpa_dev *d, gpa_mem *to, size_t at, const void *from, size_t n,
                           gpa_err *e) {
    (void)d;
    gpa_code rc = check_range(to, at, n, e);
    if (!rc && n) memcpy(to->data + at, from, n);
    return rc;
}

static gpa_code ref_download(gpa_dev *d, void *to, gpa_mem *from, size_t at, size_t n, gpa_err *e) {
    (void)d;
    gpa_code rc = check_range(from, at, n, e);
    if (!rc && n) memcpy(to, from->data + at, n);
    return rc;
}

static gpa_code ref_copy(gpa_dev *d, const gpa_copy *c, gpa_err *e) {
    (void)d;
    gpa_code rc = check_range(c->to, c->to_at, c->n, e);
    if (!rc) rc = check_range(c->from, c->from_at, c->n, e);
    if (!rc && c->n) memmove(c->to->data + c->to_at, c->from->data + c->from_at, c->n);
    return rc;
}

/* ---- programs ---- */

static gpa_code ref_build(gpa_dev *d, const kir_func *f, gpa_prog **out, gpa_err *e) {
    (void)d;
    gpa_code rc = kir_check(f, e);
    return rc ? rc : ref_decode(f, out, e);
}

static void ref_drop_prog(gpa_dev *d, gpa_prog *p) {
    (void)d;
    ref_drop(p);
}

static gpa_code ref_dump(gpa_dev *d, gpa_prog *p, gpa_dump what, gpa_str *out, gpa_err *e) {
    (void)d;
    switch (what) {
        case GPA_DUMP_SOURCE:
        case GPA_DUMP_IR: str_put(out, p->ir); break;
        case GPA_DUMP_ASM: break;
        case GPA_DUMP_RESOURCES:
            str_printf(out, "%zu steps, %zu registers\n", p->n_steps, p->n_regs);
            break;
    }
    return out->failed ? gpa_no_memory(e) : GPA_OK;
}

/* ---- launches ---- */

static gpa_val fixed_value(const gpa_prog *p, const gpa_launch *l, const kir_ins *i) {
    gpa_val v = {.bits = {0, 0}};
    if (i->code == KIR_CONST)
        v = p->consts[i->imm];
    else if (i->code == KIR_PARAM)
        v = l->params[i->imm];
    else if (i->code == KIR_STRIDE)
        v.I64 = l->arrays[i->sub].stride[i->imm];
    else
        v.I64 = i->sub == KIR_SPACE ? l->size[i->imm] : l->arrays[i->sub].size[i->imm];
    return v;
}

void ref_fill(const gpa_prog *p, const gpa_launch *l, gpa_val *r) {
    for (size_t k = 0; k < p->n_fixed; k++)
        r[p->fixed[k].reg] = fixed_value(p, l, &p->fixed[k].ins);
}

/* Binds the arrays of the launch; SHARED and LOCAL arrays are bound where their memory is
 * allocated. */
static void bind_arrays(ref_frame *fr) {
    for (size_t k = 0; k < fr->prog->n_arrays; k++) {
        const kir_array *a = &fr->prog->arrays[k];
        const gpa_binding *b = &fr->launch->arrays[k];
        bool bound = (a->where == KIR_GLOBAL || a->where == KIR_CONSTANT) && b->mem;
        fr->cursor[k] = b->offset;
        fr->memory[k] = (ref_memory){
            .base = bound ? b->mem->data : NULL,
            .first = bound ? b->offset : 0,
            .count = bound ? (int64_t)(b->mem->n / dtype_size((gpa_dtype)a->dtype)) : 0};
    }
}

static size_t local_bytes(const kir_array *a) {
    return a->where == KIR_LOCAL ? (a->count * dtype_size((gpa_dtype)a->dtype) + 15u) & ~(size_t)15
                                 : 0;
}

/* Allocates the LOCAL arrays of a MAP program, which has one thread, in one block (owned by the
 * caller). */
static unsigned char *alloc_locals(ref_frame *fr) {
    const gpa_prog *p = fr->prog;
    size_t n = 0;
    for (size_t k = 0; k < p->n_arrays; k++) n += local_bytes(&p->arrays[k]);
    unsigned char *all = mem_zero(n), *at = all;
    for (size_t k = 0; k < p->n_arrays && all; k++) {
        if (p->arrays[k].where == KIR_LOCAL)
            fr->memory[k] = (ref_memory){.base = at, .count = p->arrays[k].count};
        at += local_bytes(&p->arrays[k]);
    }
    return all;
}

gpa_code ref_run_map(ref_frame *fr) {
    const gpa_prog *p = fr->prog;
    uint32_t outer = ~(uint32_t)p->inner & ((1u << p->ndim) - 1);
    for (unsigned d = 0; d < p->ndim; d++) {
        if (fr->launch->size[d] > 0) continue;
        if (outer >> d & 1u) return GPA_OK;
        fr->inner_is_empty = true;
    }
    do {
        ref_go(fr, p->steps);
    } while (fr->why == REF_DONE && ref_alive(fr) && ref_advance(fr, outer));
    return fr->why == REF_FAILED ? fr->rc : GPA_OK;
}

static gpa_code ref_run_prog(gpa_dev *d, gpa_prog *p, const gpa_launch *l, gpa_err *e) {
    gpa_code rc = GPA_OK;
    ref_frame fr = {.prog = p, .launch = l, .dev = d, .fuel = 1, .e = e};
    unsigned char *locals = NULL;
    fr.r = mem_new(p->n_regs * sizeof *fr.r);
    fr.memory = mem_new(p->n_arrays * sizeof *fr.memory);
    fr.cursor = mem_new(p->n_arrays * sizeof *fr.cursor);
    fr.accs = mem_new(p->n_accs * sizeof *fr.accs);
    if (!fr.r || !fr.memory || !fr.cursor || !fr.accs) {
        rc = gpa_no_memory(e);
        goto out;
    }
    ref_fill(p, l, fr.r);
    bind_arrays(&fr);
    if (p->form == KIR_KERNEL) {
        rc = ref_run_kernel(&fr);
        goto out;
    }
    locals = alloc_locals(&fr);
    rc = locals ? ref_run_map(&fr) : gpa_no_memory(e);
out:
    mem_free(locals);
    mem_free(fr.r);
    mem_free(fr.memory);
    mem_free(fr.cursor);
    mem_free(fr.accs);
    return rc;
}

static gpa_code ref_sync(gpa_dev *d, gpa_err *e) {
    (void)d, (void)e;
    return GPA_OK;
}

static void ref_interrupt(gpa_dev *d, bool on) {
    atomic_store_explicit(&d->interrupted, on, memory_order_relaxed);
}

/* ---- the backend table ---- */

/* `tables` stays 0: the backend is part of the core, built from the same tables. */
const gpa_backend gpa_ref_backend = {
    .abi = GPA_BACKEND_ABI,
    .size = sizeof(gpa_backend),
    .name = "ref",
    .count = ref_count,
    .open = ref_open,
    .close = ref_close,
    .caps = ref_caps,
    .alloc = ref_alloc,
    .free = ref_free,
    .base = ref_base,
    .upload = ref_upload,
    .download = ref_download,
    .copy = ref_copy,
    .build = ref_build,
    .drop = ref_drop_prog,
    .run = ref_run_prog,
    .dump = ref_dump,
    .sync = ref_sync,
    .interrupt = ref_interrupt,
};
