/* The CUDA device: the plugin's entry, the context, memory and transfers.
 *
 * Everything is queued on one stream of the primary context, in order. What the device tells the host outside of
 * transfers - faults - and the host the device - interrupts - lies in pinned memory that both see.
 *
 * Reading order: this file; program.h and run.c for launches; plan.c for the layout over threads; emit.h for the source. */
#include <stdio.h>
#include <time.h>

#include "runtime/base.h"
#include "runtime/cuda/blas.h"
#include "runtime/cuda/fft.h"
#include "runtime/cuda/program.h"
#include "runtime/str.h"

#define CALL(name, ...) api_check(d->cu->name(__VA_ARGS__), #name, e)

/* ---- devices ---- */

static const cu_driver *started(char *why, size_t n) {
    static bool ready;
    const cu_driver *cu = api_driver(why, n);
    if (!cu || ready) return cu;
    CUresult r = cu->init(0);
    if (r) {
        const char *text = NULL;
        cu->error_text(r, &text);
        snprintf(why, n, "the driver does not start: %s", text ? text : "unknown error");
        return NULL;
    }
    ready = true;
    return cu;
}

static int cuda_count(char *why, size_t n) {
    int count = 0;
    if (n) why[0] = 0;
    const cu_driver *cu = started(why, n);
    if (!cu) return 0;
    if (cu->device_count(&count) || !count) snprintf(why, n, "the driver sees no GPU");
    return count;
}

static int attribute(gpa_dev *d, int which) {
    int v = 0;
    d->cu->device_attribute(&v, which, d->device);
    return v;
}

static gpa_code make_pool(gpa_dev *d, gpa_err *e) {
    uint64_t keep = UINT64_MAX;
    if (!attribute(d, CU_ATTR_MEMORY_POOLS)) return gpa_fail(e, GPA_E_DEVICE, "the driver has no memory pools");
    gpa_code rc = CALL(pool_default, &d->pool, d->device);
    return rc ? rc : CALL(pool_set, d->pool, CU_POOL_RELEASE_THRESHOLD, &keep);
}

/* Pinned memory that the device sees. */
static gpa_code make_shared(gpa_dev *d, size_t n, void *host, CUdeviceptr *seen, gpa_err *e) {
    void *p = NULL;
    gpa_code rc = CALL(host_alloc, &p, n, CU_MEMHOSTALLOC_PORTABLE_MAPPED);
    if (rc) return rc;
    memset(p, 0, n);
    memcpy(host, &p, sizeof p);
    return seen ? CALL(host_pointer, seen, p, 0) : GPA_OK;
}

static gpa_code make_cleared(gpa_dev *d, size_t n, CUdeviceptr *out, gpa_err *e) {
    gpa_code rc = CALL(alloc, out, n, d->stream);
    return rc ? rc : CALL(fill, *out, 0, n, d->stream);
}

/* The primary context stays for the life of the process: making one takes longer than a session of tests. */
static void cuda_close(gpa_dev *d) {
    const cu_driver *cu = d->cu;
    if (d->context) {
        cu->context_set(d->context);
        if (d->stream) cu->stream_wait(d->stream);
        fft_close(d);
        blas_close(d);
        if (d->counters) cu->free(d->counters, d->stream);
        if (d->faults.locks) cu->free(d->faults.locks, d->stream);
        if (d->faults.host) cu->host_free(d->faults.host);
        if (d->stop) cu->host_free(d->stop);
        if (d->stage.at) cu->host_free(d->stage.at);
        for (int i = 0; i < 2; i++)
            if (d->stage.sent[i]) cu->event_destroy(d->stage.sent[i]);
        if (d->done) cu->event_destroy(d->done);
        if (d->stream) cu->stream_destroy(d->stream);
    }
    mem_free(d);
}

static gpa_code cuda_open(int i, gpa_dev **out, gpa_err *e) {
    char why[160] = "";
    gpa_code rc = GPA_OK;
    gpa_dev *d = mem_zero(sizeof *d);
    if (!d) return gpa_no_memory(e);
    d->number = i;
    d->cu = started(why, sizeof why);
    if (!d->cu) TRY(gpa_fail(e, GPA_E_DEVICE, "%s", why));
    TRY(CALL(device_get, &d->device, i));
    TRY(CALL(context_retain, &d->context, d->device));
    TRY(CALL(context_set, d->context));
    d->target = (cu_target){.major = attribute(d, CU_ATTR_CC_MAJOR), .minor = attribute(d, CU_ATTR_CC_MINOR)};
    d->units = (uint32_t)attribute(d, CU_ATTR_UNITS);
    d->max_threads = (uint32_t)attribute(d, CU_ATTR_MAX_THREADS);
    d->max_shared = (uint32_t)attribute(d, CU_ATTR_MAX_SHARED_OPTIN);
    if (d->target.major * 10 + d->target.minor < 70) TRY(gpa_fail(e, GPA_E_DEVICE, "compute capability 7.0 or later is needed"));
    TRY(CALL(stream_create, &d->stream, CU_STREAM_NON_BLOCKING));
    TRY(CALL(event_create, &d->done, CU_EVENT_DISABLE_TIMING));
    TRY(make_pool(d, e));
    TRY(make_shared(d, sizeof *d->stop, &d->stop, &d->stop_seen, e));
    TRY(make_shared(d, FAULT_SLOTS * sizeof *d->faults.host, &d->faults.host, &d->faults.seen, e));
    TRY(make_cleared(d, FAULT_SLOTS * sizeof(uint32_t), &d->faults.locks, e));
    TRY(make_cleared(d, COUNTERS * sizeof(uint32_t), &d->counters, e));
    *out = d;
    d = NULL;
out:
    if (d) cuda_close(d);
    return rc;
}

static void cuda_caps(gpa_dev *d, gpa_caps *out) {
    char name[80] = "NVIDIA GPU";
    size_t unused = 0, total = 0;
    d->cu->device_name(name, sizeof name, d->device);
    d->cu->memory_info(&unused, &total);
    *out = (gpa_caps){.align = 256, .max_arrays = 32, .max_params = 96, .max_threads = d->max_threads, .max_shared = d->max_shared, .units = d->units};
    snprintf(out->name, sizeof out->name, "cuda:%d", d->number);
    snprintf(out->desc, sizeof out->desc, "%.60s, compute %d.%d", name, d->target.major, d->target.minor);
    out->mem_total = total;
    out->mem_free = unused;
    out->dtypes = (UINT64_C(1) << DT_COUNT) - 1;
}

/* ---- memory ---- */

static gpa_code cuda_alloc(gpa_dev *d, size_t n, gpa_mem **out, gpa_err *e) {
    gpa_mem *m = mem_zero(sizeof *m);
    if (!m) return gpa_no_memory(e);
    CUresult r = d->cu->alloc(&m->at, n ? n : 1, d->stream);
    if (r == CUDA_OUT_OF_MEMORY && !d->cu->stream_wait(d->stream)) {
        d->cu->pool_trim(d->pool, 0); /* what was freed in other sizes goes back first */
        r = d->cu->alloc(&m->at, n, d->stream);
    }
    gpa_code rc = api_check(r, "cuMemAllocAsync", e);
    m->n = n;
    if (rc) mem_free(m);
    else *out = m;
    return rc;
}

static void cuda_free(gpa_dev *d, gpa_mem *m) {
    if (!m) return;
    d->cu->free(m->at, d->stream);
    mem_free(m);
}

/* ---- transfers: through two halves of pinned memory, one filled while the other is on its way ---- */

static gpa_code need_stage(gpa_dev *d, gpa_err *e) {
    gpa_code rc = GPA_OK;
    if (d->stage.at) return GPA_OK;
    for (int i = 0; i < 2; i++)
        if (!d->stage.sent[i]) TRY(CALL(event_create, &d->stage.sent[i], CU_EVENT_DISABLE_TIMING));
    TRY(make_shared(d, 2 * (size_t)STAGE_BYTES, &d->stage.at, NULL, e));
out:
    return rc;
}

static gpa_code cuda_upload(gpa_dev *d, gpa_mem *to, size_t at, const void *from, size_t n, gpa_err *e) {
    const char *src = from;
    gpa_code rc = n ? need_stage(d, e) : GPA_OK;
    while (n && !rc) {
        size_t part = MIN(n, (size_t)STAGE_BYTES);
        int half = d->stage.next;
        char *pinned = d->stage.at + (size_t)half * STAGE_BYTES;
        d->stage.next = !half;
        TRY(CALL(event_wait, d->stage.sent[half]));
        memcpy(pinned, src, part);
        TRY(CALL(to_device, to->at + at, pinned, part, d->stream));
        TRY(CALL(event_record, d->stage.sent[half], d->stream));
        src += part, at += part, n -= part;
    }
out:
    return rc;
}

static gpa_code cuda_download(gpa_dev *d, void *to, gpa_mem *from, size_t at, size_t n, gpa_err *e) {
    char *dst = to;
    gpa_code rc = n ? need_stage(d, e) : GPA_OK;
    bool waits = n > 0;
    size_t waiting = 0; /* bytes of the piece on its way */
    int half = 0;
    while ((n || waiting) && !rc) {
        size_t part = MIN(n, (size_t)STAGE_BYTES);
        half = d->stage.next;
        if (part) {
            TRY(CALL(event_wait, d->stage.sent[half]));
            TRY(CALL(to_host, d->stage.at + (size_t)half * STAGE_BYTES, from->at + at, part, d->stream));
            TRY(CALL(event_record, d->stage.sent[half], d->stream));
        }
        if (waiting) {
            TRY(CALL(event_wait, d->stage.sent[!half]));
            memcpy(dst, d->stage.at + (size_t)!half * STAGE_BYTES, waiting);
            dst += waiting;
        }
        d->stage.next = !half;
        waiting = part, at += part, n -= part;
    }
    if (!rc && waits) program_faults(d); /* all that was queued before is done */
out:
    return rc;
}

static gpa_code cuda_copy(gpa_dev *d, gpa_mem *to, size_t to_at, gpa_mem *from, size_t from_at, size_t n, gpa_err *e) {
    return n ? CALL(copy, to->at + to_at, from->at + from_at, n, d->stream) : GPA_OK;
}

/* ---- programs ---- */

static gpa_code cuda_build(gpa_dev *d, const kir_func *f, gpa_prog **out, gpa_err *e) {
    (void)d;
    return program_new(f, out, e);
}

static void cuda_drop(gpa_dev *d, gpa_prog *p) { program_free(d, p); }

static gpa_code cuda_run(gpa_dev *d, gpa_prog *p, const gpa_launch *l, gpa_err *e) { return program_run(d, p, l, e); }

static gpa_code dump_source(const gpa_prog *p, gpa_str *out, gpa_err *e) {
    cu_plan plan;
    cu_source s;
    memset(&plan, 0, sizeof plan);
    plan.part = PLAN_WHOLE;
    plan.vec = plan.unroll = 1;
    plan.threads = 256;
    plan.team = p->copy.form == KIR_KERNEL || !p->facts.n_each ? TEAM_NONE : p->facts.outer_writes ? TEAM_THREAD : TEAM_BLOCK;
    gpa_code rc = emit_source(&p->copy, &plan, "gpa", &s, e);
    if (rc) return rc;
    str_put(out, s.text.text);
    emit_free(&s);
    return GPA_OK;
}

/* The variant that ran last, or the simplest one. */
static gpa_code cuda_dump(gpa_dev *d, gpa_prog *p, gpa_dump what, gpa_str *out, gpa_err *e) {
    static const char *const teams[] = {"points", "a thread per row", "a warp per row", "a block per row", "columns"};
    if (!p->n_variants) return what == GPA_DUMP_SOURCE ? dump_source(p, out, e) : GPA_OK;
    const cu_variant *v = &p->variants[p->n_variants - 1];
    int registers = 0, local = 0, shared = 0;
    switch (what) {
    case GPA_DUMP_SOURCE: str_put(out, v->source.text.text); break;
    case GPA_DUMP_IR:
    case GPA_DUMP_ASM: str_put(out, strncmp(v->ptx, "\177ELF", 4) ? v->ptx : "(machine code)\n"); break;
    case GPA_DUMP_RESOURCES:
        d->cu->function_attribute(&registers, CU_FUNC_REGISTERS, v->function);
        d->cu->function_attribute(&local, CU_FUNC_LOCAL, v->function);
        d->cu->function_attribute(&shared, CU_FUNC_SHARED, v->function);
        str_printf(out, "%s, %d points an access, %d accesses in flight, %d registers, %d bytes local, %d shared, %zu variants\n",
                   p->copy.form == KIR_KERNEL ? "kernel" : teams[v->plan.team], v->plan.vec, v->plan.keep ? v->plan.keep : v->plan.unroll, registers,
                   local, shared, p->n_variants);
        break;
    }
    return out->failed ? gpa_no_memory(e) : GPA_OK;
}

/* ---- waiting ---- */

/* Asks whether the work is done, first eagerly, then with pauses; programs watch the interrupt flag themselves. */
static gpa_code cuda_sync(gpa_dev *d, gpa_err *e) {
    gpa_code rc = CALL(event_record, d->done, d->stream);
    CUresult r = CUDA_NOT_READY;
    for (long asked = 0; !rc && (r = d->cu->event_query(d->done)) == CUDA_NOT_READY; asked++) {
        struct timespec pause = {0, asked < 20000 ? 20000 : 500000};
        if (asked > 2000) nanosleep(&pause, NULL);
    }
    if (!rc) rc = api_check(r, "a program", e);
    if (!rc) rc = CALL(stream_wait, d->stream); /* done already: shows what programs printed */
    if (!rc) program_faults(d);
    if (!rc && __atomic_load_n(d->stop, __ATOMIC_RELAXED)) rc = gpa_fail(e, GPA_E_INTERRUPT, "%s", "");
    return rc;
}

static void cuda_interrupt(gpa_dev *d, bool on) { __atomic_store_n(d->stop, on, __ATOMIC_RELAXED); }

/* ---- libraries ---- */

/* Who does an operation of lib.def; nobody: the host. */
static const struct {
    bool (*can)(gpa_dev *, const gpa_libcall *);
    gpa_code (*run)(gpa_dev *, const gpa_libcall *, gpa_err *);
} libraries[LIB_COUNT] = {
    [LIB_GEMM] = {blas_can, blas_run},
    [LIB_FFT] = {fft_can, fft_run},
};

static bool cuda_lib_can(gpa_dev *d, const gpa_libcall *c) { return libraries[c->kind].can && libraries[c->kind].can(d, c); }
static gpa_code cuda_lib_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e) { return libraries[c->kind].run(d, c, e); }

/* ---- the contract ---- */

static gpa_backend table = {
    .abi = GPA_BACKEND_ABI, .size = sizeof(gpa_backend), .name = "cuda", .count = cuda_count, .open = cuda_open,
    .close = cuda_close, .caps = cuda_caps, .alloc = cuda_alloc, .free = cuda_free, .upload = cuda_upload,
    .download = cuda_download, .copy = cuda_copy, .build = cuda_build, .drop = cuda_drop, .run = cuda_run,
    .dump = cuda_dump, .lib_can = cuda_lib_can, .lib_run = cuda_lib_run, .sync = cuda_sync, .interrupt = cuda_interrupt};

/* The one symbol the plugin exports. */
__attribute__((visibility("default"))) const gpa_backend *gpa_backend_entry(uint32_t abi);

const gpa_backend *gpa_backend_entry(uint32_t abi) {
    if (abi != GPA_BACKEND_ABI) return NULL;
    table.tables = gpa_tables_hash();
    return &table;
}
