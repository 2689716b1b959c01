/* The CUDA device: the plugin's entry point, its backend table, and device memory.
 *
 * All work is queued on one stream of the primary context, in order, except for kernels that the
 * user gave a stream (stream.h). Every function starts by making its device current for the thread.
 *
 * Reading order: this file; driver/ (device.h, context.c, transfer.c, wait.c, stream.c); launch.c;
 * emit/ (schedule.c: mapping to threads, emit.h: CUDA C); build/ (program.h); lib/. */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/base.h"
#include "runtime/cuda/lib/attention.h"
#include "runtime/cuda/lib/cublas.h"
#include "runtime/cuda/driver/context.h"
#include "runtime/cuda/driver/event.h"
#include "runtime/cuda/driver/graph.h"
#include "runtime/cuda/lib/cufft.h"
#include "runtime/cuda/lib/search.h"
#include "runtime/cuda/lib/cusolver.h"
#include "runtime/cuda/lib/sort.h"
#include "runtime/cuda/lib/cusparse.h"
#include "runtime/cuda/lib/batched.h"
#include "runtime/cuda/build/interpreter.h"
#include "runtime/cuda/launch.h"
#include "runtime/cuda/build/raw_module.h"
#include "runtime/cuda/driver/nvml.h"
#include "runtime/cuda/driver/interrupt.h"
#include "runtime/cuda/driver/stream.h"
#include "runtime/cuda/driver/transfer.h"
#include "runtime/cuda/driver/wait.h"
#include "runtime/base/str.h"
#include "runtime/tables/tuning.h"

#define CALL(name, ...) api_check(d->cu->name(__VA_ARGS__), #name, e)

/* ---- devices ---- */

static int cuda_count(char *why, size_t n) {
    int count = 0;
    if (n) why[0] = 0;
    const cu_driver *cu = context_driver(why, n);
    if (!cu) return 0;
    if (cu->device_count(&count) || !count) {
        snprintf(why, n, "the driver sees no GPU");
        return 0;
    }
    if (api_nvrtc_version()) return count;
    char missing[200] = "";
    api_nvrtc(missing, sizeof missing);
    snprintf(why, n, "the driver sees %d GPU%s, but there is no run-time compiler: %s", count,
             count == 1 ? "" : "s", missing);
    return 0;
}

static void open_rooms(gpa_dev *d) { interpreter_open(d); }

static void close_rooms(gpa_dev *d) {
    background_close(d->builder);
    d->builder = NULL;
    interpreter_close(d);
    cusparse_close(d);
    cusolver_close(d);
    batched_close(d);
    attention_close(d);
    cuda_search_close(d);
    cufft_close(d);
    cublas_close(d);
}

static void abandon_rooms(gpa_dev *d) {
    d->builder = NULL;
    d->interpreter = NULL;
    d->blas_handle = NULL;
    d->fft_plans = NULL;
    d->solver_handle = NULL;
    d->solver_params = NULL;
    d->sparse_handle = NULL;
}

static const cu_context_hooks hooks = {open_rooms, close_rooms, abandon_rooms};

static void cuda_close(gpa_dev *d) {
    context_close(d);
    mem_free(d);
}

static gpa_code cuda_open(int i, gpa_dev **out, gpa_err *e) {
    char why[160] = "";
    gpa_dev *d = mem_zero(sizeof *d);
    if (!d) return gpa_no_memory(e);
    d->number = i;
    d->hooks = &hooks;
    d->checks_memory = getenv("GPA_MEMORY_CHECK");
    d->cu = context_driver(why, sizeof why);
    gpa_code rc = d->cu ? context_open(d, e) : gpa_fail(e, GPA_E_DEVICE, "%s", why);
    if (rc)
        cuda_close(d);
    else
        *out = d;
    return rc;
}

/* Freed memory that the pool retains: available, though the driver does not report it as free. */
static uint64_t pool_free_bytes(const gpa_dev *d) {
    uint64_t reserved = 0, used = 0;
    if (d->cu->pool_get(d->pool, CU_POOL_RESERVED, &reserved) ||
        d->cu->pool_get(d->pool, CU_POOL_USED, &used))
        return 0;
    return reserved > used ? reserved - used : 0;
}

/* Kernels have 32 KiB for their parameters since CUDA 12.1, in the driver and in the compiler, 4
 * KiB before. */
enum {
    LARGE_BLOCK_VERSION = 12010,
    LARGE_BLOCK_ARRAYS = 40, /* of KIR_MAX_ARRAYS: fusion underestimates views of joined arrays */
    SMALL_BLOCK_ARRAYS = 32,
    LARGE_BLOCK_PARAMS = 1024, /* next to the arrays */
    SMALL_BLOCK_PARAMS = 96
};

static bool has_large_blocks(void) {
    return MIN(api_driver_version(), api_nvrtc_version()) >= LARGE_BLOCK_VERSION;
}

static void cuda_caps(gpa_dev *d, gpa_caps *out) {
    char name[80] = "NVIDIA GPU";
    size_t unused = 0, total = 0;
    const bool large = has_large_blocks();
    context_enter(d);
    d->cu->device_name(name, sizeof name, d->device);
    d->cu->memory_info(&unused, &total);
    *out = (gpa_caps){.align = 256,
                      .max_arrays = large ? LARGE_BLOCK_ARRAYS : SMALL_BLOCK_ARRAYS,
                      .max_params = large ? LARGE_BLOCK_PARAMS : SMALL_BLOCK_PARAMS,
                      .max_threads = d->max_threads,
                      .max_shared = d->max_shared,
                      .units = d->units,
                      .gpu = true,
                      .cuda_code = true,
                      .graphs = graph_is_supported(d),
                      .compute_major = d->target.major,
                      .compute_minor = d->target.minor};
    snprintf(out->name, sizeof out->name, "cuda:%d", d->number);
    snprintf(out->desc, sizeof out->desc, "%.60s, compute %d.%d", name, d->target.major,
             d->target.minor);
    out->mem_total = total;
    out->mem_free = unused + pool_free_bytes(d);
    out->dtypes = (UINT64_C(1) << DT_COUNT) - 1;
}

/* ---- memory ---- */

enum { NAN_BYTE = 0xff };

/* GPA_MEMORY_CHECK: fills memory such that reads of uninitialized or freed elements give NaN. */
static void fill_nan(gpa_dev *d, const gpa_mem *m) {
    if (d->checks_memory && m->n) d->cu->fill(m->address, NAN_BYTE, m->n, d->stream);
}

static gpa_code cuda_alloc(gpa_dev *d, size_t n, gpa_mem **out, gpa_err *e) {
    gpa_mem *m = mem_zero(sizeof *m);
    if (!m) return gpa_no_memory(e);
    context_enter(d);
    gpa_code rc = wait_usable(d, e);
    CUresult r = rc ? CUDA_OK : d->cu->alloc(&m->address, n ? n : 1, d->stream);
    if (r == CUDA_OUT_OF_MEMORY && !(rc = wait_idle(d, e))) {
        d->cu->pool_trim(d->pool, 0); /* return cached blocks of other sizes */
        r = d->cu->alloc(&m->address, n, d->stream);
    }
    if (!rc) rc = api_check(r, "cuMemAllocAsync", e);
    m->n = n;
    m->generation = d->generation;
    m->queued = ++d->queued;
    if (rc) {
        mem_free(m);
        return rc;
    }
    fill_nan(d, m);
    *out = m;
    return GPA_OK;
}

static void cuda_free(gpa_dev *d, gpa_mem *m) {
    if (!m) return;
    gpa_err quiet = {0};
    context_enter(d);
    if (m->generation == d->generation && !stream_use(d, m, true, &quiet)) {
        if (!m->foreign) fill_nan(d, m);
        if (m->foreign)
            wait_idle(d, &quiet);
        else
            d->cu->free(m->address, d->stream);
    }
    mem_free(m);
}

static void *cuda_base(gpa_mem *m) { return (void *)(uintptr_t)m->address; }

static gpa_code cuda_adopt(gpa_dev *d, void *at, size_t n, gpa_mem **out, gpa_err *e) {
    int number = d->number;
    const CUdeviceptr address = (CUdeviceptr)(uintptr_t)at;
    context_enter(d);
    gpa_code rc = wait_usable(d, e);
    if (!rc) rc = CALL(pointer_attribute, &number, CU_POINTER_DEVICE_ORDINAL, address);
    if (!rc && number != d->number)
        rc =
            gpa_fail(e, GPA_E_VALUE, "the memory is on cuda:%d, not on cuda:%d", number, d->number);
    gpa_mem *m = rc ? NULL : mem_zero(sizeof *m);
    if (!m) return rc ? rc : gpa_no_memory(e);
    *m = (gpa_mem){.address = address,
                   .n = n,
                   .foreign = true,
                   .generation = d->generation,
                   .queued = ++d->queued};
    *out = m;
    return GPA_OK;
}

/* Libraries of the process share the primary context. */
static gpa_code cuda_sync_others(gpa_dev *d, gpa_err *e) {
    context_enter(d);
    if (wait_is_stuck(d) || d->second_context) return GPA_OK;
    gpa_code rc = wait_idle(d, e); /* interruptible, as the next wait is not */
    return rc ? rc : api_check(d->cu->context_synchronize(), "cuCtxSynchronize", e);
}

static gpa_code cuda_upload(gpa_dev *d, gpa_mem *to, size_t at, const void *from, size_t n,
                            gpa_err *e) {
    context_enter(d);
    gpa_code rc = wait_usable(d, e);
    if (!rc) rc = stream_use(d, to, true, e);
    return n && !rc ? transfer_up(d, to->address + at, from, n, e) : rc;
}

static gpa_code cuda_download(gpa_dev *d, void *to, gpa_mem *from, size_t at, size_t n,
                              gpa_err *e) {
    context_enter(d);
    gpa_code rc = wait_usable(d, e);
    if (!rc) rc = stream_use(d, from, false, e);
    return n && !rc ? transfer_down(d, to, from->address + at, n, e) : rc;
}

static gpa_code cuda_copy(gpa_dev *d, const gpa_copy *c, gpa_err *e) {
    const CUdeviceptr to = c->to->address + c->to_at, from = c->from->address + c->from_at;
    context_enter(d);
    gpa_code rc = wait_usable(d, e);
    if (!rc) rc = stream_use(d, c->from, false, e);
    if (!rc) rc = stream_use(d, c->to, true, e);
    return c->n && !rc ? CALL(copy, to, from, c->n, d->stream) : rc;
}

static gpa_code cuda_copy_from(gpa_dev *d, gpa_dev *other, const gpa_copy *c, gpa_err *e) {
    const CUdeviceptr to = c->to->address + c->to_at, from = c->from->address + c->from_at;
    context_enter(other);
    gpa_code rc = stream_join(other, true, e);
    context_enter(d);
    if (!rc) rc = stream_join(d, true, e);
    if (!rc && c->n) rc = transfer_from(d, to, other, from, c->n, e);
    return rc ? rc : wait_throttle(d, (double)c->n * TUNE_CUDA_PEER_COPY_SECONDS_PER_BYTE, e);
}

/* ---- programs ---- */

static gpa_code cuda_build(gpa_dev *d, const kir_func *f, gpa_prog **out, gpa_err *e) {
    (void)d;
    return program_new(f, out, e);
}

static void cuda_drop(gpa_dev *d, gpa_prog *p) {
    context_enter(d);
    program_free(d, p);
}

/* Estimated time of a launch, conservative: for throttling. */
static double estimated_seconds(const kir_func *f, const gpa_launch *l) {
    double points = 1;
    if (f->form == KIR_KERNEL) {
        for (int i = 0; i < 3; i++) points *= (double)l->grid[i] * l->block[i];
        return points * TUNE_CUDA_KERNEL_SECONDS_PER_THREAD;
    }
    for (int i = 0; i < f->ndim; i++) points *= (double)l->size[i];
    return points * TUNE_CUDA_MAP_SECONDS_PER_POINT;
}

static gpa_code cuda_run(gpa_dev *d, gpa_prog *p, const gpa_launch *l, gpa_err *e) {
    context_enter(d);
    gpa_code rc = wait_usable(d, e);
    if (!rc) rc = launch_run(d, p, l, e);
    if (rc) return rc;
    const double seconds = estimated_seconds(&p->copy, l);
    if (!d->recording) return wait_throttle(d, seconds, e);
    graph_cost(d, seconds);
    return GPA_OK;
}

static void cuda_prepare(gpa_dev *d, gpa_prog *p, const gpa_launch *l) {
    context_enter(d);
    launch_prepare(d, p, l);
}

static gpa_code dump_source(const gpa_prog *p, gpa_str *out, gpa_err *e) {
    cu_plan plan;
    cu_source s;
    memset(&plan, 0, sizeof plan);
    plan.phase = PHASE_ALL;
    plan.vec = plan.unroll = 1;
    plan.threads = 256;
    plan.group = p->copy.form == KIR_KERNEL || !p->facts.n_each ? GROUP_NONE
                 : p->facts.outer_writes                        ? GROUP_THREAD
                                                                : GROUP_BLOCK;
    gpa_code rc = emit_source(&p->copy, &plan, NULL, "gpa", &s, e);
    if (rc) return rc;
    str_put(out, s.text.text);
    emit_free(&s);
    return GPA_OK;
}

/* The variant of the latest launch, or the simplest one. */
static gpa_code cuda_dump(gpa_dev *d, gpa_prog *p, gpa_dump what, gpa_str *out, gpa_err *e) {
    static const char *const groups[] = {"points", "a thread per row", "a warp per row",
                                         "a block per row", "columns"};
    if (!p->n_variants) return what == GPA_DUMP_SOURCE ? dump_source(p, out, e) : GPA_OK;
    const cu_variant *v = &p->variants[p->ran];
    cu_plan plan = v->plan;
    gpa_code rc = v->function
                      ? GPA_OK
                      : program_variant(d, p, &(cu_demand){.plan = &plan}, &v,
                                        e); /* compiles a variant that was interpreted so far */
    if (rc) return rc;
    int registers = 0, local = 0, shared = 0;
    switch (what) {
        case GPA_DUMP_SOURCE: str_put(out, v->source.text.text); break;
        case GPA_DUMP_IR:
        case GPA_DUMP_ASM:
            str_put(out, strncmp(v->ptx, "\177ELF", 4) ? v->ptx : "(machine code)\n");
            break;
        case GPA_DUMP_RESOURCES:
            d->cu->function_attribute(&registers, CU_FUNC_REGISTERS, v->function);
            d->cu->function_attribute(&local, CU_FUNC_LOCAL, v->function);
            d->cu->function_attribute(&shared, CU_FUNC_SHARED, v->function);
            str_printf(out,
                       "%s, %d points an access, %d accesses in flight, %d registers, %d bytes "
                       "local, %d shared, %zu variants\n",
                       p->copy.form == KIR_KERNEL ? "kernel" : groups[v->plan.group], v->plan.vec,
                       v->plan.row_accesses ? v->plan.row_accesses : v->plan.unroll, registers,
                       local, shared, p->n_variants);
            break;
    }
    return out->failed ? gpa_no_memory(e) : GPA_OK;
}

/* ---- graphs ---- */

static gpa_code cuda_graph_begin(gpa_dev *d, gpa_graph **g, gpa_err *e) {
    context_enter(d);
    return graph_begin(d, g, e);
}

static gpa_code cuda_graph_end(gpa_dev *d, gpa_graph *g, bool *ready, gpa_err *e) {
    context_enter(d);
    return graph_end(d, g, ready, e);
}

static gpa_code cuda_graph_run(gpa_dev *d, gpa_graph *g, gpa_err *e) {
    context_enter(d);
    return graph_run(d, g, e);
}

static void cuda_graph_free(gpa_dev *d, gpa_graph *g) {
    context_enter(d);
    graph_free(d, g);
}

/* ---- waiting ---- */

static gpa_code cuda_sync(gpa_dev *d, gpa_err *e) {
    context_enter(d);
    if (wait_is_stuck(d)) return GPA_OK; /* nothing was queued since the wait was abandoned */
    gpa_code rc = wait_idle(d, e);
    if (!rc)
        rc = CALL(stream_synchronize, d->stream); /* returns at once; the driver flushes printf */
    if (!rc && interrupt_requested(d)) rc = gpa_interrupted(e);
    return rc;
}

static double cuda_clock(gpa_dev *d, bool begin) {
    context_enter(d);
    return wait_clock(d, begin);
}

static bool cuda_broken(gpa_dev *d) { return context_is_broken(d); }
static gpa_code cuda_restart(gpa_dev *d, gpa_err *e) { return context_restart(d, e); }

/* ---- libraries ---- */

/* Implementations of the rows of lib.def; NULL: the host's. */
static const gpa_lib_impl libraries[LIB_COUNT] = {
    [LIB_GEMM] = {cublas_can, cublas_run},
    [LIB_ATTENTION] = {attention_can, attention_run},
    [LIB_SORT] = {cub_sort_can, cub_sort_run},
    [LIB_ARGSORT] = {cub_sort_can, cub_sort_run},
    [LIB_SEARCHSORTED] = {cuda_search_can, cuda_search_run},
    [LIB_FFT] = {cufft_can, cufft_run},
    [LIB_LU] = {cusolver_can, cusolver_run},
    [LIB_SOLVE] = {cusolver_can, cusolver_run},
    [LIB_CHOLESKY] = {cusolver_can, cusolver_run},
    [LIB_QR] = {cusolver_can, cusolver_run},
    [LIB_SVD] = {cusolver_can, cusolver_run},
    [LIB_EIGH] = {cusolver_can, cusolver_run},
    [LIB_EIG] = {cusolver_can, cusolver_run},
    [LIB_SOLVE_BANDED] = {cusparse_banded_can, cusparse_banded_run},
    [LIB_SPMM] = {cusparse_can, cusparse_run},
    [LIB_SPGEMM] = {cusparse_can, cusparse_spgemm_run},
    [LIB_SPARSE_TRANSPOSE] = {cub_transpose_can, cub_transpose_run},
};

static bool cuda_lib_can(gpa_dev *d, const gpa_libcall *c) {
    context_enter(d);
    return !d->second_context && libraries[c->kind].can && libraries[c->kind].can(d, c);
}

/* Estimated time of a call, for throttling. */
static double library_seconds(const gpa_libcall *c) {
    double products = 0;
    if (c->kind == LIB_GEMM)
        products =
            (double)c->gemm.batch * (double)c->gemm.m * (double)c->gemm.n * (double)c->gemm.k;
    if (c->kind == LIB_ATTENTION) {
        products = (double)c->attention.m * (double)c->attention.n *
                   (double)(c->attention.dk + c->attention.dv);
        for (int i = 0; i < c->attention.n_batch; i++) products *= (double)c->attention.extent[i];
    }
    return products > 0 ? products * TUNE_CUDA_GEMM_SECONDS_PER_MULTIPLY
                        : TUNE_CUDA_LIBRARY_CALL_SECONDS;
}

static gpa_code cuda_lib_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    context_enter(d);
    gpa_code rc = wait_usable(d, e);
    if (!rc) rc = stream_join(d, true, e);
    if (!rc) rc = libraries[c->kind].run(d, c, e);
    return rc ? rc : wait_throttle(d, library_seconds(c), e);
}

static double cuda_compile_seconds(const gpa_prog *p) { return p->seconds; }
static uint64_t cuda_interpreted(const gpa_prog *p) { return p->interpreted; }
static void cuda_finish_builds(gpa_dev *d) { background_settle(d->builder); }

static gpa_code cuda_status(int i, gpa_status *out, gpa_err *e) {
    char why[160] = "";
    const cu_driver *cu = context_driver(why, sizeof why);
    return cu ? nvml_status(cu, i, out, e) : gpa_fail(e, GPA_E_DEVICE, "%s", why);
}

/* ---- the contract ---- */

static gpa_code cuda_attribute(gpa_dev *d, int which, int *out, gpa_err *e) {
    if (!which) {
        *out = api_driver_version();
        return GPA_OK;
    }
    return api_check(d->cu->device_attribute(out, which, d->device), "cuDeviceGetAttribute", e);
}

static gpa_code cuda_fact(gpa_dev *d, gpa_prog *p, raw_fact which, int64_t *out, gpa_err *e) {
    context_enter(d);
    *out = -1;
    return p->n_variants ? raw_fact_of(d, p->variants[p->n_variants - 1].function, which, out, e)
                         : GPA_OK;
}

static gpa_code cuda_occupancy(gpa_dev *d, gpa_prog *p, uint32_t threads, uint32_t shared, int *out,
                               gpa_err *e) {
    context_enter(d);
    *out = -1;
    if (!p->n_variants) return GPA_OK;
    return api_check(
        d->cu->occupancy(out, p->variants[p->n_variants - 1].function, (int)threads, shared),
        "cuOccupancyMaxActiveBlocksPerMultiprocessor", e);
}

static gpa_backend table = {.abi = GPA_BACKEND_ABI,
                            .size = sizeof(gpa_backend),
                            .name = "cuda",
                            .count = cuda_count,
                            .open = cuda_open,
                            .close = cuda_close,
                            .caps = cuda_caps,
                            .alloc = cuda_alloc,
                            .free = cuda_free,
                            .base = cuda_base,
                            .adopt = cuda_adopt,
                            .sync_others = cuda_sync_others,
                            .upload = cuda_upload,
                            .download = cuda_download,
                            .copy = cuda_copy,
                            .copy_from = cuda_copy_from,
                            .build = cuda_build,
                            .drop = cuda_drop,
                            .run = cuda_run,
                            .prepare = cuda_prepare,
                            .compile_seconds = cuda_compile_seconds,
                            .interpreted = cuda_interpreted,
                            .finish_builds = cuda_finish_builds,
                            .dump = cuda_dump,
                            .graph_begin = cuda_graph_begin,
                            .graph_keep = graph_keep,
                            .graph_end = cuda_graph_end,
                            .graph_run = cuda_graph_run,
                            .graph_free = cuda_graph_free,
                            .lib_can = cuda_lib_can,
                            .lib_run = cuda_lib_run,
                            .sync = cuda_sync,
                            .clock = cuda_clock,
                            .interrupt = interrupt_request,
                            .broken = cuda_broken,
                            .restart = cuda_restart,
                            .raw_build = raw_build,
                            .raw_drop = raw_drop,
                            .raw_run = raw_run,
                            .raw_fact = raw_get_fact,
                            .status = cuda_status,
                            .attribute = cuda_attribute,
                            .fact = cuda_fact,
                            .occupancy = cuda_occupancy,
                            .stream_wait = event_stream_wait,
                            .stream_query = event_stream_query,
                            .event_new = event_new,
                            .event_free = event_free,
                            .event_record = event_record,
                            .event_follow = event_follow,
                            .event_wait = event_wait,
                            .event_query = event_query,
                            .event_elapsed = event_elapsed};

/* The one symbol the plugin exports. */
__attribute__((visibility("default"))) const gpa_backend *gpa_backend_entry(uint32_t abi);

const gpa_backend *gpa_backend_entry(uint32_t abi) {
    if (abi != GPA_BACKEND_ABI) return NULL;
    table.tables = gpa_tables_hash();
    return &table;
}
