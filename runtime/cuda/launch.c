/* Launches: schedule, scratch memory of split reductions and scans, parameter block, printf
 * buffer. */
#include "runtime/cuda/launch.h"

#include "runtime/base/base.h"
#include "runtime/cuda/build/interpreter.h"
#include "runtime/cuda/emit/schedule.h"
#include "runtime/cuda/driver/graph.h"
#include "runtime/cuda/driver/interrupt.h"
#include "runtime/cuda/driver/stream.h"
#include "runtime/cuda/driver/wait.h"

enum { MAX_PARAMETER_BYTES = 32 << 10 };

typedef struct {
    gpa_dev *d;
    gpa_prog *p;
    const gpa_launch *l;
    CUstream stream;
    cu_schedule y;
    uint64_t base[KIR_MAX_ARRAYS], capacity[KIR_MAX_ARRAYS];
    CUdeviceptr scratch; /* partial states, then the results of regions */
    uint64_t *state_at;  /* per instruction: offset of its partial states; at n_code + instruction:
                            of its  results */
    uint32_t slot;       /* fault record */
    CUdeviceptr print_buffer; /* the printf buffer of a KERNEL */
} launch;

/* ---- the parameter block ---- */

/* Division by multiplication (Granlund and Montgomery): n / d == (mulhi(n, m) + n) >> s for every
 * n < 2^31. */
static void division_magic(uint64_t d, uint32_t *m, uint32_t *s) {
    uint32_t shift = 0;
    while ((UINT64_C(1) << shift) < d) shift++;
    *s = shift;
    *m = (uint32_t)(((UINT64_C(1) << 32) * ((UINT64_C(1) << shift) - d)) / d + 1);
}

static int64_t field_extent(const launch *L, const cu_field *x) {
    int64_t n = L->l->size[x->a],
            one = L->y.plan.strip_dim == x->a + 1 ? L->y.plan.unroll : L->y.plan.vec;
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
        case FIELD_CAPACITY: return L->capacity[x->a];
        case FIELD_SIZE:
        case FIELD_SPAN: return (uint64_t)field_extent(L, x);
        case FIELD_MAGIC:
        case FIELD_SHIFT:
            division_magic((uint64_t)MAX(field_extent(L, x), 1), &m, &s);
            return x->kind == FIELD_MAGIC ? m : s;
        case FIELD_OUTER: return (uint64_t)L->y.outer;
        case FIELD_ACCESSES: return (uint64_t)L->y.accesses;
        case FIELD_PART_ACCESSES: return (uint64_t)L->y.part_accesses;
        case FIELD_SCRATCH: return L->scratch + L->state_at[x->a];
        case FIELD_RESULT: return L->scratch + L->state_at[L->p->copy.n_code + x->a];
        case FIELD_COUNTER: return L->d->counters;
        case FIELD_LOOKBACK: return L->scratch;
        case FIELD_CLAIM:
            return L->scratch + L->state_at[x->a] +
                   (uint64_t)l->arrays[L->p->copy.code[x->a].sub].offset *
                       (L->p->copy.flags & KIR_F_SMALL ? 4 : 8);
        case FIELD_RECORD: return L->d->faults.address + L->slot * sizeof(kir_fault_record);
        case FIELD_LOCK: return L->d->faults.locks + L->slot * FAULT_LOCK_BYTES;
        case FIELD_PRINT: return L->print_buffer;
        case FIELD_INTERRUPT: return L->d->interrupt_address + L->slot * sizeof *L->d->interrupt;
        case FIELD_INTERRUPT_SEEN: return L->d->faults.seen + (uint64_t)L->slot * SEEN_BYTES;
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
    gpa_code rc = x->n == FAULT_SLOTS ? wait_idle(L->d, e) : GPA_OK;
    if (rc) return rc;
    L->slot = x->n;
    x->to[x->n++] = L->l->fault;
    return GPA_OK;
}

static bool takes_slot(const launch *L) { return L->p->facts.faults || L->p->facts.polls; }

/* Interprets a program that is not compiled yet. *done stays false if it exceeded its budget: the
 * launch was waited for, so its slot is free again. */
static gpa_code run_interpreted(launch *L, bool *done, gpa_err *e) {
    bool spent = false;
    gpa_code rc =
        interpreter_run(L->d, L->p, &(interpreter_launch){L->l, L->base, L->slot}, &spent, e);
    L->p->interpreted += !rc && !spent;
    *done = !rc && !spent;
    if (!spent) return rc;
    program_never_interpret(L->p);
    return takes_slot(L) ? take_slot(L, e) : GPA_OK;
}

/* Queues or records the kernel. */
static CUresult issue(const launch *L, const cu_variant *v, void *block) {
    const cu_driver *cu = L->d->cu;
    const uint32_t *g = L->y.grid, *b = L->y.block;
    void *args[] = {block};
    uint32_t shared = L->p->copy.form == KIR_KERNEL ? L->l->shared : L->y.shared;
    CUresult r = shared > CU_STATIC_SHARED_BYTES
                     ? cu->function_set(v->function, CU_FUNC_MAX_DYNAMIC, (int)shared)
                     : 0;
    if (r) return r;
    if (!L->d->recording)
        return cu->launch(v->function, g[0], g[1], g[2], b[0], b[1], b[2], shared, L->stream, args,
                          NULL);
    const cu_kernel k = {v->function, {g[0], g[1], g[2]}, {b[0], b[1], b[2]}, shared, NULL, NULL};
    return graph_add(L->d, &k, block, v->source.bytes);
}

static gpa_code queue_kernel(launch *L, gpa_err *e) {
    const cu_variant *v;
    bool done = false, interprets = program_interprets(L->d, L->p, &L->y.plan, points_of(L));
    gpa_code rc = GPA_OK;
    if (interprets && L->d->recording) {
        graph_refuse(L->d);
        return GPA_OK;
    }
    if (interprets) rc = run_interpreted(L, &done, e);
    if (rc || done) return rc;
    _Alignas(16) char on_stack[1024];
    char *block = on_stack;
    const cu_demand need = {&L->y.plan, points_of(L), L->l->params};
    rc = program_variant(L->d, L->p, &need, &v, e);
    if (rc) return rc;
    if (interrupt_requested(L->d))
        return gpa_interrupted(e); /* the user may have interrupted during compilation */
    if (v->source.bytes > MAX_PARAMETER_BYTES)
        return gpa_fail(e, GPA_E_UNSUPPORTED, "a program with that many arrays on the GPU");
    if (v->source.bytes > sizeof on_stack && !(block = mem_new(v->source.bytes)))
        return gpa_no_memory(e);
    memset(block, 0, v->source.bytes);
    fill_block(L, &v->source, block);
    CUresult r = issue(L, v, block);
    if (block != on_stack) mem_free(block);
    return api_check(r, "cuLaunchKernel", e);
}

static gpa_code take_scratch(launch *L, size_t bytes, gpa_err *e) {
    gpa_dev *d = L->d;
    if (!d->recording)
        return api_check(d->cu->alloc(&L->scratch, bytes, d->stream), "cuMemAllocAsync", e);
    L->scratch = graph_scratch(d, bytes);
    return GPA_OK;
}

static void free_scratch(launch *L) {
    if (L->scratch && !L->d->recording) L->d->cu->free(L->scratch, L->d->stream);
}

static size_t aligned(size_t n) { return (n + 255) / 256 * 256; }

static uint32_t phases_of(const launch *L) {
    return L->p->facts.n_each + (L->y.plan.scan == SCAN_TILED);
}

/* A split launch: one kernel per region; partial states and results are in scratch memory, freed in
 * stream order. */
static gpa_code queue_split(launch *L, gpa_err *e) {
    const kir_func *f = &L->p->copy;
    const cu_driver *cu = L->d->cu;
    gpa_code rc = GPA_OK;
    uint64_t total = 0;
    int64_t parts = (L->y.accesses + L->y.part_accesses - 1) / L->y.part_accesses;
    if (!(L->state_at = mem_zero(2 * f->n_code * sizeof *L->state_at))) return gpa_no_memory(e);
    for (size_t i = 0; i < f->n_code; i++) {
        if (f->code[i].code != KIR_REDUCE && f->code[i].code != KIR_SCAN) continue;
        size_t bytes = emit_state_bytes(f, (int32_t)i) * (size_t)L->y.outer;
        L->state_at[i] = total;
        total += aligned(bytes * (size_t)parts);
        L->state_at[f->n_code + i] = total;
        total += aligned(bytes);
    }
    if (total) TRY(take_scratch(L, total, e));
    L->y.grid[1] = (uint32_t)parts;
    for (uint32_t k = 0; k < phases_of(L); k++) {
        L->y.plan.phase = (int16_t)k;
        TRY(queue_kernel(L, e));
    }
    if (L->p->facts.polls) /* interrupted blocks did not increment the counters */
        rc = api_check(cu->fill(L->d->counters, 0, sizeof(uint32_t) * L->y.grid[0], L->d->stream),
                       "cuMemsetD8Async", e);
out:
    free_scratch(L);
    mem_free(L->state_at);
    return rc;
}

/* A look-back scan, whose tile states start as empty. */
static gpa_code queue_lookback(launch *L, gpa_err *e) {
    const cu_driver *cu = L->d->cu;
    size_t tiles = (size_t)L->y.tiles, bytes = (size_t)L->y.outer * (tiles + tiles / 32 + 1) *
                                               emit_lookback_words(&L->p->copy) * 8;
    gpa_code rc = api_check(cu->alloc(&L->scratch, bytes, L->d->stream), "cuMemAllocAsync", e);
    if (rc) return rc;
    rc = api_check(cu->fill(L->scratch, 0, bytes, L->d->stream), "cuMemsetD8Async", e);
    if (!rc) rc = queue_kernel(L, e);
    cu->free(L->scratch, L->d->stream);
    return rc;
}

/* A deterministic scatter in two kernels: the last point in C order claims each element by
 * atomicMax, then stores it. */
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
    for (int part = PHASE_CLAIM; part <= PHASE_STORE; part++) {
        L->y.plan.phase = (int16_t)part;
        TRY(queue_kernel(L, e));
    }
out:
    if (L->scratch) cu->free(L->scratch, L->d->stream);
    mem_free(L->state_at);
    return rc;
}

/* ---- device printf ---- */

enum {
    PRINT_WORDS = 1 << 16,
    WORD = 16
}; /* a line takes one word of WORD bytes, and one per argument */

typedef struct {
    uint32_t w[4];
} print_word;

static void print_lines(const launch *L, const print_word *buf) {
    for (uint32_t at = 0; at < buf->w[0];) {
        const print_word *line = buf + 1 + at;
        gpa_printed s = {.block = line->w[0] | (uint64_t)line->w[1] << 32,
                         .thread = line->w[2],
                         .text = line->w[3] >> 8,
                         .n = line->w[3] & 255};
        for (uint32_t i = 0; i < s.n && i < KIR_MAX_PRINT; i++)
            memcpy(&s.args[i], line + 1 + i, WORD);
        L->l->print(L->l->user, &s);
        at += 1 + s.n;
    }
}

/* A launch with printf: into a buffer that is read after the launch. Lines beyond its capacity are
 * counted. */
static gpa_code queue_printing(launch *L, gpa_err *e) {
    const cu_driver *cu = L->d->cu;
    CUstream stream = L->d->stream;
    const size_t bytes = (PRINT_WORDS + 1) * sizeof(print_word);
    print_word *buf = mem_zero(bytes);
    gpa_code rc = buf ? GPA_OK : gpa_no_memory(e);
    if (rc) return rc;
    buf->w[1] = PRINT_WORDS;
    TRY(api_check(cu->alloc(&L->print_buffer, bytes, stream), "cuMemAllocAsync", e));
    TRY(api_check(cu->to_device(L->print_buffer, buf, sizeof *buf, stream), "cuMemcpyHtoDAsync",
                  e));
    TRY(queue_kernel(L, e));
    TRY(wait_idle(L->d, e)); /* before the copy, which cannot be interrupted */
    TRY(api_check(cu->to_host(buf, L->print_buffer, bytes, stream), "cuMemcpyDtoHAsync", e));
    TRY(api_check(cu->stream_synchronize(stream), "cuStreamSynchronize", e));
    if (L->l->print) print_lines(L, buf);
    if (buf->w[2])
        rc = gpa_fail(e, GPA_E_DEVICE, "a kernel printed too much: %u lines are lost", buf->w[2]);
out:
    if (L->print_buffer) cu->free(L->print_buffer, stream);
    mem_free(buf);
    return rc;
}

/* Computes the addresses of the arrays and the schedule. False: the launch is empty. */
static bool prepare_schedule(launch *L) {
    const kir_func *f = &L->p->copy;
    const gpa_launch *l = L->l;
    for (size_t a = 0; a < f->n_arrays; a++) {
        const gpa_binding *b = &l->arrays[a];
        size_t item = dtype_size((gpa_dtype)f->arrays[a].dtype);
        if (f->arrays[a].where != KIR_GLOBAL && f->arrays[a].where != KIR_CONSTANT) continue;
        L->base[a] = (b->mem ? b->mem->address : 0) + (uint64_t)b->offset * item;
        L->capacity[a] = b->mem ? b->mem->n / item : 0;
    }
    for (int d = 0; f->form == KIR_MAP && d < f->ndim; d++)
        if (!(f->inner >> d & 1) && l->size[d] <= 0) return false;
    if (f->form == KIR_KERNEL && (!l->grid[0] || !l->grid[1] || !l->grid[2])) return false;
    L->y = schedule_launch(&(cu_schedule_input){.f = f,
                                                .facts = &L->p->facts,
                                                .l = l,
                                                .base = L->base,
                                                .capacity = L->capacity,
                                                .units = L->d->units});
    return L->y.grid[0];
}

/* True if rows are split: one kernel per region. */
static bool is_split(const launch *L) {
    return L->y.plan.scan != SCAN_LOOKBACK && L->y.split && L->y.grid[0] <= COUNTERS;
}

/* Records a launch in a graph: kernels alone. */
static gpa_code record(launch *L, gpa_err *e) {
    const cu_facts *x = &L->p->facts;
    if (takes_slot(L) || x->prints || (x->scatters && L->y.accesses > 1) ||
        L->y.plan.scan == SCAN_LOOKBACK) {
        graph_refuse(L->d);
        return GPA_OK;
    }
    return is_split(L) ? queue_split(L, e) : queue_kernel(L, e);
}

gpa_code launch_run(gpa_dev *d, gpa_prog *p, const gpa_launch *l, gpa_err *e) {
    launch L = {.d = d, .p = p, .l = l, .stream = d->stream};
    gpa_code rc = GPA_OK;
    graph_begin_launch(d);
    if (!prepare_schedule(&L)) return GPA_OK;
    if (d->recording) return record(&L, e);
    if (takes_slot(&L)) rc = take_slot(&L, e);
    bool concurrent = l->stream && p->copy.form == KIR_KERNEL &&
                      !p->facts.prints; /* a launch with printf is synchronous */
    if (!rc)
        rc = concurrent ? stream_begin(d, &p->copy, l, &L.stream, e)
                        : stream_use_all(d, &p->copy, l, e);
    if (rc) return rc;
    if (p->facts.prints) return queue_printing(&L, e);
    if (p->facts.scatters && L.y.accesses > 1) return queue_scatter(&L, e);
    if (L.y.plan.scan == SCAN_LOOKBACK) return queue_lookback(&L, e);
    return is_split(&L) ? queue_split(&L, e) : queue_kernel(&L, e);
}

void launch_prepare(gpa_dev *d, gpa_prog *p, const gpa_launch *l) {
    launch L = {.d = d, .p = p, .l = l};
    if (p->facts.scatters || !prepare_schedule(&L)) return;
    uint32_t n = is_split(&L) ? phases_of(&L) : 1;
    for (uint32_t k = 0; k < n; k++) {
        if (is_split(&L)) L.y.plan.phase = (int16_t)k;
        program_begin(d, p, &L.y.plan, points_of(&L));
    }
}
