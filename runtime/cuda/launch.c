/* Launches: the layout, scratch memory for divided reductions, the parameter block. */
#include "runtime/base/base.h"
#include "runtime/cuda/build/interpreter.h"
#include "runtime/cuda/emit/schedule.h"
#include "runtime/cuda/build/program.h"
#include "runtime/cuda/driver/interrupt.h"
#include "runtime/cuda/driver/stream.h"
#include "runtime/cuda/driver/wait.h"

enum { BLOCK_BYTES = 32 << 10 };

typedef struct {
    gpa_dev *d;
    gpa_prog *p;
    const gpa_launch *l;
    CUstream stream;
    cu_layout y;
    uint64_t base[KIR_MAX_ARRAYS], room[KIR_MAX_ARRAYS];
    CUdeviceptr scratch; /* partial states, then results of regions */
    uint64_t *state_at; /* per instruction: offset of its partial states and, n_code further, of its
                           results */
    uint32_t slot;      /* fault record */
    CUdeviceptr said;   /* what a KERNEL prints */
} launch;

/* ---- the parameter block ---- */

/* Multiplier and shift with n / d == (mulhi(n, m) + n) >> s for every n < 2^31. */
static void magic(uint64_t d, uint32_t *m, uint32_t *s) {
    uint32_t shift = 0;
    while ((UINT64_C(1) << shift) < d) shift++;
    *s = shift;
    *m = (uint32_t)(((UINT64_C(1) << 32) * ((UINT64_C(1) << shift) - d)) / d + 1);
}

static int64_t extent(const launch *L, const cu_field *x) {
    int64_t n = L->l->size[x->a],
            one = L->y.plan.strip == x->a + 1 ? L->y.plan.unroll : L->y.plan.vec;
    return x->kind == FIELD_SPAN || (x->kind != FIELD_SIZE && x->b == 0) ? (n + one - 1) / one : n;
}

static uint64_t field_value(const launch *L, const cu_field *x) {
    const gpa_launch *l = L->l;
    uint32_t m, s;
    switch ((cu_field_kind)x->kind) {
        case FIELD_BASE: return L->base[x->a];
        case FIELD_OFFSET: return (uint64_t)l->arrays[x->a].offset;
        case FIELD_STRIDE: return (uint64_t)l->arrays[x->a].stride[x->b];
        case FIELD_EXTENT: return (uint64_t)l->arrays[x->a].size[x->b];
        case FIELD_ROOM: return L->room[x->a];
        case FIELD_SIZE:
        case FIELD_SPAN: return (uint64_t)extent(L, x);
        case FIELD_MAGIC:
        case FIELD_SHIFT:
            magic((uint64_t)MAX(extent(L, x), 1), &m, &s);
            return x->kind == FIELD_MAGIC ? m : s;
        case FIELD_OUTER: return (uint64_t)L->y.outer;
        case FIELD_CHUNKS: return (uint64_t)L->y.chunks;
        case FIELD_LENGTH: return (uint64_t)L->y.length;
        case FIELD_SCRATCH: return L->scratch + L->state_at[x->a];
        case FIELD_DONE: return L->scratch + L->state_at[L->p->copy.n_code + x->a];
        case FIELD_COUNTER: return L->d->counters;
        case FIELD_CHAIN: return L->scratch;
        case FIELD_CLAIM:
            return L->scratch + L->state_at[x->a] +
                   (uint64_t)l->arrays[L->p->copy.code[x->a].sub].offset *
                       (L->p->copy.flags & KIR_F_SMALL ? 4 : 8);
        case FIELD_RECORD: return L->d->faults.seen + L->slot * sizeof(kir_fault_record);
        case FIELD_LOCK: return L->d->faults.locks + L->slot * FAULT_LOCK;
        case FIELD_SAY: return L->said;
        case FIELD_STOP: return L->d->stop_seen + L->slot * sizeof *L->d->stop;
        case FIELD_TOLD: return L->d->faults.told + (uint64_t)L->slot * TOLD;
        case FIELD_PARAM: break;
    }
    return 0;
}

static void fill_block(const launch *L, const cu_source *s, char *block) {
    for (size_t i = 0; i < s->n_fields; i++) {
        const cu_field *x = &s->fields[i];
        uint64_t v = x->kind == FIELD_PARAM ? 0 : field_value(L, x);
        if (x->kind == FIELD_PARAM)
            memcpy(block + x->at, &L->l->params[x->a], x->size);
        else
            memcpy(block + x->at, &v, x->size); /* little-endian: the low bytes */
    }
}

/* ---- one launch ---- */

static double points_of(const launch *L) {
    double n = 1;
    if (L->p->copy.form == KIR_KERNEL)
        for (int d = 0; d < 3; d++) n *= (double)L->y.grid[d] * L->y.block[d];
    else
        for (int d = 0; d < L->p->copy.ndim; d++) n *= (double)L->l->size[d];
    return n;
}

static gpa_code take_slot(launch *L, gpa_err *e) {
    cu_faults *x = &L->d->faults;
    gpa_code rc = x->n == FAULT_SLOTS ? wait_done(L->d, e) : GPA_OK;
    if (rc) return rc;
    L->slot = x->n;
    x->to[x->n++] = L->l->fault;
    return GPA_OK;
}

static bool takes_slot(const launch *L) { return L->p->facts.faults || L->p->facts.stops; }

/* In place of a program that is not compiled yet. *done stays false where the interpreter has given
 * up: it was waited for, so its slot is free again. */
static gpa_code interpret(launch *L, bool *done, gpa_err *e) {
    bool spent = false;
    gpa_code rc = interpreter_run(L->d, L->p, L->l, L->base, L->slot, &spent, e);
    L->p->interpreted += !rc && !spent;
    *done = !rc && !spent;
    if (!spent) return rc;
    program_not_interpreted(L->p);
    return takes_slot(L) ? take_slot(L, e) : GPA_OK;
}

static gpa_code queue(launch *L, gpa_err *e) {
    const cu_variant *v;
    bool done = false;
    gpa_code rc =
        program_interprets(L->d, L->p, &L->y.plan, points_of(L)) ? interpret(L, &done, e) : GPA_OK;
    if (rc || done) return rc;
    const cu_driver *cu = L->d->cu;
    _Alignas(16) char small[1024];
    char *block = small;
    const uint32_t *g = L->y.grid, *b = L->y.block;
    rc = program_variant(L->d, L->p, &L->y.plan, points_of(L), L->l->params, &v, e);
    if (rc) return rc;
    if (stop_asked(L->d)) return gpa_interrupted(e); /* compiling took a while */
    if (v->source.bytes > BLOCK_BYTES)
        return gpa_fail(e, GPA_E_UNSUPPORTED, "a program with that many arrays on the GPU");
    if (v->source.bytes > sizeof small && !(block = mem_new(v->source.bytes)))
        return gpa_no_memory(e);
    memset(block, 0, v->source.bytes);
    fill_block(L, &v->source, block);
    void *args[] = {block};
    uint32_t shared = L->p->copy.form == KIR_KERNEL ? L->l->shared : L->y.shared;
    CUresult r =
        shared > 48u << 10 ? cu->function_set(v->function, CU_FUNC_MAX_DYNAMIC, (int)shared) : 0;
    if (!r)
        r = cu->launch(v->function, g[0], g[1], g[2], b[0], b[1], b[2], shared, L->stream, args,
                       NULL);
    if (block != small) mem_free(block);
    return api_check(r, "cuLaunchKernel", e);
}

static size_t aligned(size_t n) { return (n + 255) / 256 * 256; }

static uint32_t parts_of(const launch *L) {
    return L->p->facts.n_each + (L->y.plan.scan == SCAN_TILES);
}

/* One launch per region; partial states and results lie in memory of their own, given back in the
 * queue's order. */
static gpa_code queue_parts(launch *L, gpa_err *e) {
    const kir_func *f = &L->p->copy;
    const cu_driver *cu = L->d->cu;
    gpa_code rc = GPA_OK;
    uint64_t total = 0;
    int64_t parts = (L->y.chunks + L->y.length - 1) / L->y.length;
    if (!(L->state_at = mem_zero(2 * f->n_code * sizeof *L->state_at))) return gpa_no_memory(e);
    for (size_t i = 0; i < f->n_code; i++) {
        if (f->code[i].code != KIR_REDUCE && f->code[i].code != KIR_SCAN) continue;
        size_t bytes = emit_state_bytes(f, (int32_t)i) * (size_t)L->y.outer;
        L->state_at[i] = total;
        total += aligned(bytes * (size_t)parts);
        L->state_at[f->n_code + i] = total;
        total += aligned(bytes);
    }
    if (total) TRY(api_check(cu->alloc(&L->scratch, total, L->d->stream), "cuMemAllocAsync", e));
    L->y.grid[1] = (uint32_t)parts;
    for (uint32_t k = 0; k < parts_of(L); k++) {
        L->y.plan.part = (int16_t)k;
        TRY(queue(L, e));
    }
    if (L->p->facts.stops) /* blocks that were stopped have not counted */
        rc = api_check(cu->fill(L->d->counters, 0, sizeof(uint32_t) * L->y.grid[0], L->d->stream),
                       "cuMemsetD8Async", e);
out:
    if (L->scratch) cu->free(L->scratch, L->d->stream);
    mem_free(L->state_at);
    return rc;
}

/* A chain of tiles, which begins with nothing published. */
static gpa_code queue_chain(launch *L, gpa_err *e) {
    const cu_driver *cu = L->d->cu;
    size_t tiles = (size_t)L->y.tiles, bytes = (size_t)L->y.outer * (tiles + tiles / 32 + 1) *
                                               emit_chain_words(&L->p->copy) * 8;
    gpa_code rc = api_check(cu->alloc(&L->scratch, bytes, L->d->stream), "cuMemAllocAsync", e);
    if (rc) return rc;
    rc = api_check(cu->fill(L->scratch, 0, bytes, L->d->stream), "cuMemsetD8Async", e);
    if (!rc) rc = queue(L, e);
    cu->free(L->scratch, L->d->stream);
    return rc;
}

/* A scatter in two launches: every point claims its element, the last one in order gets it, and
 * stores. */
static gpa_code queue_scatter(launch *L, gpa_err *e) {
    const kir_func *f = &L->p->copy;
    const cu_driver *cu = L->d->cu;
    gpa_code rc = GPA_OK;
    uint64_t total = 0, word = f->flags & KIR_F_SMALL ? 4 : 8;
    if (!(L->state_at = mem_zero(2 * f->n_code * sizeof *L->state_at))) return gpa_no_memory(e);
    for (size_t i = 0; i < f->n_code; i++) {
        if (f->code[i].code != KIR_STOREX) continue;
        unsigned a = f->code[i].sub;
        L->state_at[i] = total;
        total += aligned(L->l->arrays[a].mem->n / dtype_size((gpa_dtype)f->arrays[a].dtype) * word);
    }
    TRY(api_check(cu->alloc(&L->scratch, total, L->d->stream), "cuMemAllocAsync", e));
    TRY(api_check(cu->fill(L->scratch, 0, total, L->d->stream), "cuMemsetD8Async", e));
    for (int16_t part = PART_CLAIM; part <= PART_STORE; part++) {
        L->y.plan.part = part;
        TRY(queue(L, e));
    }
out:
    if (L->scratch) cu->free(L->scratch, L->d->stream);
    mem_free(L->state_at);
    return rc;
}

/* ---- what kernels print ---- */

enum {
    SAID_WORDS = 1 << 16,
    WORD = 16
}; /* of WORD bytes: a line takes one, and one for each argument */

typedef struct {
    uint32_t w[4];
} said_word;

static void tell(const launch *L, const said_word *buf) {
    for (uint32_t at = 0; at < buf->w[0];) {
        const said_word *line = buf + 1 + at;
        gpa_printed s = {.block = line->w[0] | (uint64_t)line->w[1] << 32,
                      .thread = line->w[2],
                      .text = line->w[3] >> 8,
                      .n = line->w[3] & 255};
        for (uint32_t i = 0; i < s.n && i < KIR_MAX_PRINT; i++)
            memcpy(&s.args[i], line + 1 + i, WORD);
        L->l->say(L->l->user, &s);
        at += 1 + s.n;
    }
}

/* A launch that prints: into a buffer, which is read when the launch has ended. Lines beyond its
 * room are counted. */
static gpa_code queue_printing(launch *L, gpa_err *e) {
    const cu_driver *cu = L->d->cu;
    CUstream stream = L->d->stream;
    const size_t bytes = (SAID_WORDS + 1) * sizeof(said_word);
    said_word *buf = mem_zero(bytes);
    gpa_code rc = buf ? GPA_OK : gpa_no_memory(e);
    if (rc) return rc;
    buf->w[1] = SAID_WORDS;
    TRY(api_check(cu->alloc(&L->said, bytes, stream), "cuMemAllocAsync", e));
    TRY(api_check(cu->to_device(L->said, buf, sizeof *buf, stream), "cuMemcpyHtoDAsync", e));
    TRY(queue(L, e));
    TRY(wait_done(L->d, e)); /* before the copy, which no interrupt would end */
    TRY(api_check(cu->to_host(buf, L->said, bytes, stream), "cuMemcpyDtoHAsync", e));
    TRY(api_check(cu->stream_wait(stream), "cuStreamSynchronize", e));
    if (L->l->say) tell(L, buf);
    if (buf->w[2])
        rc = gpa_fail(e, GPA_E_DEVICE, "a kernel printed too much: %u lines are lost", buf->w[2]);
out:
    if (L->said) cu->free(L->said, stream);
    mem_free(buf);
    return rc;
}

/* Where the arrays begin, and the layout. False: there is nothing to run. */
static bool lay_out(launch *L) {
    const kir_func *f = &L->p->copy;
    const gpa_launch *l = L->l;
    for (size_t a = 0; a < f->n_arrays; a++) {
        const gpa_binding *b = &l->arrays[a];
        size_t item = dtype_size((gpa_dtype)f->arrays[a].dtype);
        if (f->arrays[a].where != KIR_GLOBAL && f->arrays[a].where != KIR_CONSTANT) continue;
        L->base[a] = (b->mem ? b->mem->at : 0) + (uint64_t)b->offset * item;
        L->room[a] = b->mem ? b->mem->n / item : 0;
    }
    for (int d = 0; f->form == KIR_MAP && d < f->ndim; d++)
        if (!(f->inner >> d & 1) && l->size[d] <= 0) return false;
    if (f->form == KIR_KERNEL && (!l->grid[0] || !l->grid[1] || !l->grid[2])) return false;
    L->y = plan_layout(f, &L->p->facts, l, L->base, L->room, L->d->units);
    return L->y.grid[0];
}

/* Divided rows take a launch for each region. */
static bool in_parts(const launch *L) {
    return L->y.plan.scan != SCAN_CHAIN && L->y.parts && L->y.grid[0] <= COUNTERS;
}

gpa_code program_run(gpa_dev *d, gpa_prog *p, const gpa_launch *l, gpa_err *e) {
    launch L = {.d = d, .p = p, .l = l, .stream = d->stream};
    gpa_code rc = GPA_OK;
    if (!lay_out(&L)) return GPA_OK;
    if (takes_slot(&L)) rc = take_slot(&L, e);
    bool beside = l->stream && p->copy.form == KIR_KERNEL &&
                  !p->facts.prints; /* who prints is waited for at once */
    if (!rc)
        rc =
            beside ? stream_begin(d, &p->copy, l, &L.stream, e) : stream_use_all(d, &p->copy, l, e);
    if (rc) return rc;
    if (p->facts.prints) return queue_printing(&L, e);
    if (p->facts.scatters && L.y.chunks > 1) return queue_scatter(&L, e);
    if (L.y.plan.scan == SCAN_CHAIN) return queue_chain(&L, e);
    return in_parts(&L) ? queue_parts(&L, e) : queue(&L, e);
}

void program_prepare(gpa_dev *d, gpa_prog *p, const gpa_launch *l) {
    launch L = {.d = d, .p = p, .l = l};
    if (p->facts.scatters || !lay_out(&L)) return;
    uint32_t n = in_parts(&L) ? parts_of(&L) : 1;
    for (uint32_t k = 0; k < n; k++) {
        if (in_parts(&L)) L.y.plan.part = (int16_t)k;
        program_begin(d, p, &L.y.plan, points_of(&L));
    }
}

void program_faults(gpa_dev *d) {
    cu_faults *x = &d->faults;
    bool any = false;
    for (uint32_t i = 0; i < x->n; i++) {
        if (!x->host[i].set) continue;
        any = true;
        if (x->to[i] && !x->to[i]->set) *x->to[i] = x->host[i];
    }
    if (any) {
        memset(x->host, 0, FAULT_SLOTS * sizeof *x->host);
        d->cu->fill(x->locks, 0, FAULT_SLOTS * FAULT_LOCK, d->stream);
        d->cu->fill(x->told, 0, FAULT_SLOTS * TOLD, d->stream);
        d->touched = ++d->queued;
    }
    x->n = 0;
    stop_settled(d);
}

void program_forget(gpa_dev *d, bool stopped) {
    for (uint32_t i = 0; i < d->faults.n; i++) {
        kir_fault_record *to = d->faults.to[i];
        if (to && stopped && !to->set) *to = (kir_fault_record){.set = 1, .kind = KIR_FT_STOPPED};
        d->faults.to[i] = NULL;
    }
}
