/* CPU device: plugin entry point, memory allocation, interface to the compiler.
 *
 * All calls are synchronous: they finish before they return. There is no queue, and sync has
 * nothing to wait for.
 *
 * Reading order: this file; program.c and run.c for launches; emit.h for the translation of kir
 * to LLVM IR. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/base.h"
#include "runtime/cpu/linalg/attention.h"
#include "runtime/cpu/linalg/blas.h"
#include "runtime/cpu/fft/dct.h"
#include "runtime/cpu/linalg/solve.h"
#include "runtime/cpu/sort/argmin.h"
#include "runtime/cpu/fft/fft.h"
#include "runtime/cpu/fft/fft_axis.h"
#include "runtime/cpu/linalg/lapack.h"
#include "runtime/cpu/run/repeat.h"
#include "runtime/cpu/run/run.h"
#include "runtime/cpu/run/run_kernel.h"
#include "runtime/cpu/sort/search.h"
#include "runtime/cpu/sort/sort.h"
#include "runtime/cpu/linalg/sparse.h"
#include "runtime/cpu/parallel/detached.h"
#include "runtime/cpu/parallel/memory.h"
#include "runtime/cpu/parallel/threads.h"
#include "runtime/cpu/run/widen.h"
#include "runtime/base/str.h"

struct gpa_dev {
    jit *j; /* NULL until the first program */
    int threads;
    int32_t stop;
    blas *b;       /* NULL until the first matrix product */
    lapack *l;     /* NULL until the first factorization or solve */
    fft_tables *f; /* NULL until the first transform */
    cosines *c;    /* NULL until the first cosine transform */
};

static int cpu_count(char *why, size_t n) {
    if (n) why[0] = 0;
    return 1;
}

static gpa_code cpu_open(int i, gpa_dev **out, gpa_err *e) {
    (void)i;
    gpa_dev *d = mem_zero(sizeof *d);
    if (!d) return gpa_no_memory(e);
    gpa_code rc = threads_wanted(&d->threads, e);
    if (rc)
        mem_free(d);
    else
        *out = d;
    return rc;
}

static void cpu_close(gpa_dev *d) {
    if (!d) return;
    if (!detached_is_running()) { /* else its routines are in use until the process ends */
        blas_free(d->b);
        lapack_free(d->l);
    }
    fft_tables_free(d->f);
    dct_free(d->c);
    jit_free(d->j);
    mem_free(d);
}

static gpa_code need_jit(gpa_dev *d, gpa_err *e) { return d->j ? GPA_OK : jit_new(&d->j, e); }

/* The processor's name as the operating system reports it. */
static void model_name(char *out, size_t n) {
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");
    snprintf(out, n, "CPU");
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !colon) continue;
        colon[strcspn(colon, "\n")] = 0;
        snprintf(out, n, "%.60s", colon + 2);
        break;
    }
    if (f) fclose(f);
}

static uint64_t available_bytes(void) {
    char line[128];
    unsigned long long kib = 0;
    FILE *f = fopen("/proc/meminfo", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %llu", &kib) == 1) break;
    if (f) fclose(f);
    return kib * 1024;
}

static void cpu_caps(gpa_dev *d, gpa_caps *out) {
    char model[64];
    const char *vectors = d->j ? jit_host_of(d->j)->name : cpu_target_vectors();
    *out = (gpa_caps){.name = "cpu",
                      .align = MEMORY_ALIGN,
                      .max_arrays = KIR_MAX_ARRAYS,
                      .max_params = 4096,
                      .max_threads = 1024,
                      .max_shared = 48 << 10,
                      .host_visible = true};
    model_name(model, sizeof model);
    snprintf(out->desc, sizeof out->desc, "%s, %d thread%s, %s", model, d->threads,
             d->threads == 1 ? "" : "s", vectors);
    out->mem_total = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    out->mem_free = available_bytes();
    out->dtypes = (UINT64_C(1) << DT_COUNT) - 1;
    out->units = (uint32_t)d->threads;
}

static gpa_code cpu_alloc(gpa_dev *d, size_t n, gpa_mem **out, gpa_err *e) {
    (void)d;
    gpa_mem *m = mem_zero(sizeof *m);
    if (!m || !memory_block_new(m, n)) {
        mem_free(m);
        return gpa_no_memory(e);
    }
    *out = m;
    return GPA_OK;
}

static gpa_code cpu_adopt(gpa_dev *d, void *at, size_t n, gpa_mem **out, gpa_err *e) {
    (void)d;
    gpa_mem *m = mem_zero(sizeof *m);
    if (!m) return gpa_no_memory(e);
    *m = (gpa_mem){.base = at, .n = n};
    *out = m;
    return GPA_OK;
}

static void cpu_free(gpa_dev *d, gpa_mem *m) {
    (void)d;
    if (!m) return;
    mem_free(m->block);
    mem_free(m);
}

static void *cpu_base(gpa_mem *m) { return m->base; }

static gpa_code cpu_upload(gpa_dev *d, gpa_mem *to, size_t at, const void *from, size_t n,
                           gpa_err *e) {
    (void)d, (void)e;
    if (n) memcpy(to->base + at, from, n);
    return GPA_OK;
}

static gpa_code cpu_download(gpa_dev *d, void *to, gpa_mem *from, size_t at, size_t n, gpa_err *e) {
    (void)d, (void)e;
    if (n) memcpy(to, from->base + at, n);
    return GPA_OK;
}

static gpa_code cpu_copy(gpa_dev *d, const gpa_copy *c, gpa_err *e) {
    (void)d, (void)e;
    if (c->n) memmove(c->to->base + c->to_at, c->from->base + c->from_at, c->n);
    return GPA_OK;
}

static gpa_code cpu_build(gpa_dev *d, const kir_func *f, gpa_prog **out, gpa_err *e) {
    (void)d;
    return program_new(f, out, e);
}

static void cpu_drop(gpa_dev *d, gpa_prog *p) {
    (void)d;
    program_free(p);
}

static gpa_code cpu_run(gpa_dev *d, gpa_prog *p, const gpa_launch *l, gpa_err *e) {
    static const int32_t never = 0;
    const int32_t *stop = l->uninterrupted ? &never : &d->stop;
    gpa_code rc = need_jit(d, e);
    if (rc) return rc;
    if (p->f->form == KIR_KERNEL) return run_kernel(d->j, d->threads, &d->stop, p, l, e);
    const run_device on = {d->j, d->threads, stop};
    widened w;
    gpa_prog *wide;
    if (l->share) {
        rc = widen_integer_program(p, &wide, e);
        return rc ? rc : run_launch(&on, wide, l, e);
    }
    rc = widen_program(p, l, &wide, &w, e);
    if (rc) return rc;
    l = wide == p ? l : &w.l;
    if (!repeats_run(d->threads, stop, wide, l)) return run_launch(&on, wide, l, e);
    return threads_stopped(stop) ? gpa_interrupted(e) : GPA_OK;
}

static gpa_code cpu_plan_share(gpa_dev *d, gpa_prog *p, const gpa_launch *l, gpa_share_plan *out,
                               gpa_err *e) {
    gpa_code rc = need_jit(d, e);
    if (!rc) rc = widen_integer_program(p, &p, e);
    return rc ? rc : run_plan_share(&(run_device){d->j, d->threads, &d->stop}, p, l, out, e);
}

/* Dumps the variant that ran first, or the one that a large launch would use. */
static gpa_code cpu_dump(gpa_dev *d, gpa_prog *p, gpa_dump what, gpa_str *out, gpa_err *e) {
    LLVMModuleRef m;
    gpa_code rc = GPA_OK;
    TRY(need_jit(d, e));
    bool kernel = p->f->form == KIR_KERNEL;
    emit_plan plan = p->n_variants ? p->variants[0].plan
                     : kernel      ? kernel_layout(p, jit_host_of(d->j), 256)
                                   : run_plan(p, jit_host_of(d->j), NULL, NULL);
    if (kernel && what == GPA_DUMP_RESOURCES) {
        str_printf(out,
                   "kernel, %d lanes, %u slots per thread live across barriers, %zu bytes shared, "
                   "%zu bytes local, %zu variants compiled\n",
                   plan.lanes, p->kernel.contexts, p->kernel.shared, p->kernel.local,
                   p->n_variants);
        return out->failed ? gpa_no_memory(e) : GPA_OK;
    }
    if (what == GPA_DUMP_RESOURCES) {
        static const char *const nests[] = {"points", "rows", "columns", "tiles"};
        str_printf(out, "%s, %d lanes along dimension %d, %zu variants compiled\n",
                   nests[plan.nest], plan.lanes, plan.dim, p->n_variants);
        return out->failed ? gpa_no_memory(e) : GPA_OK;
    }
    TRY(program_emit(p, d->j, &plan, &m, e));
    jit_text text = what == GPA_DUMP_ASM  ? JIT_ASSEMBLY
                    : what == GPA_DUMP_IR ? JIT_OPTIMISED
                                          : JIT_EMITTED;
    TRY(jit_print_take(d->j, m, program_effort(p), text, out, e));
out:
    return rc;
}

/* ---- libraries ---- */

static bool can_blas(gpa_dev *d, const gpa_libcall *c) { return blas_can(&d->b, c); }
static gpa_code run_blas(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    return blas_run(d->b, d->threads, &d->stop, c, e);
}
static bool can_attention(gpa_dev *d, const gpa_libcall *c) { return attention_can(&d->b, c); }
static gpa_code run_attention(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    return attention_run(&d->b, d->threads, &d->stop, c, e);
}
static bool can_lapack(gpa_dev *d, const gpa_libcall *c) { return lapack_can(&d->l, &d->b, c); }
static gpa_code run_lapack(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    return lapack_run(d->l, &(lapack_context){d->b, d->threads, &d->stop}, c, e);
}
static bool can_solve(gpa_dev *d, const gpa_libcall *c) { return solve_can(&d->l, &d->b, c); }
static gpa_code run_solve(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    return solve_run(d->l, &(lapack_context){d->b, d->threads, &d->stop}, c, e);
}
static bool can_fft(gpa_dev *d, const gpa_libcall *c) { return (void)d, (void)c, true; }
static gpa_code run_fft(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    return fft_run(&d->f, &(fft_context){d->threads, &d->stop}, c, e);
}

static bool can_cosines(gpa_dev *d, const gpa_libcall *c) {
    return (void)d, c->dtype == DT_F32 || c->dtype == DT_F64;
}
static gpa_code run_cosines(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    return dct_run(&d->c, &d->f, &(fft_context){d->threads, &d->stop}, c, e);
}

static bool can_sort(gpa_dev *d, const gpa_libcall *c) { return (void)d, sort_can(c); }
static gpa_code run_sort(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    return sort_run(d->threads, &d->stop, c, e);
}
static bool can_search(gpa_dev *d, const gpa_libcall *c) { return (void)d, search_can(c); }
static gpa_code run_search(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    return search_run(d->threads, &d->stop, c, e);
}
static bool can_argminmax(gpa_dev *d, const gpa_libcall *c) { return (void)d, argminmax_can(c); }
static gpa_code run_argminmax(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    return argminmax_run(d->threads, &d->stop, c, e);
}
static bool can_sparse(gpa_dev *d, const gpa_libcall *c) { return (void)d, sparse_can(c); }
static gpa_code run_sparse(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    return sparse_run(d->threads, &d->stop, c, e);
}

/* Implementations of the calls of lib.def; the host executes the others. */
static const gpa_lib_impl libraries[LIB_COUNT] = {
    [LIB_GEMM] = {can_blas, run_blas},
    [LIB_ATTENTION] = {can_attention, run_attention},
    [LIB_SORT] = {can_sort, run_sort},
    [LIB_ARGSORT] = {can_sort, run_sort},
    [LIB_SEARCHSORTED] = {can_search, run_search},
    [LIB_ARGMINMAX] = {can_argminmax, run_argminmax},
    [LIB_FFT] = {can_fft, run_fft},
    [LIB_DCT] = {can_cosines, run_cosines},
    [LIB_LU] = {can_lapack, run_lapack},
    [LIB_SOLVE] = {can_lapack, run_lapack},
    [LIB_INVERSE] = {can_lapack, run_lapack},
    [LIB_CHOLESKY] = {can_lapack, run_lapack},
    [LIB_QR] = {can_lapack, run_lapack},
    [LIB_SVD] = {can_lapack, run_lapack},
    [LIB_EIGH] = {can_lapack, run_lapack},
    [LIB_EIG] = {can_lapack, run_lapack},
    [LIB_LSTSQ] = {can_lapack, run_lapack},
    [LIB_SOLVE_FACTORED] = {can_solve, run_solve},
    [LIB_SOLVE_BANDED] = {can_solve, run_solve},
    [LIB_SPMM] = {can_sparse, run_sparse},
};

static bool cpu_lib_can(gpa_dev *d, const gpa_libcall *c) {
    return libraries[c->kind].can && libraries[c->kind].can(d, c);
}
static gpa_code cpu_lib_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    return libraries[c->kind].run(d, c, e);
}

static gpa_code cpu_sync(gpa_dev *d, gpa_err *e) {
    if (!threads_stopped(&d->stop)) return GPA_OK;
    return gpa_interrupted(e);
}

static void cpu_interrupt(gpa_dev *d, bool on) { __atomic_store_n(&d->stop, on, __ATOMIC_RELAXED); }

static double cpu_compile_seconds(const gpa_prog *p) {
    double all = p->seconds;
    for (size_t i = 0; i < p->n_wide; i++) all += p->wide[i]->seconds;
    return all;
}

static gpa_backend table = {.abi = GPA_BACKEND_ABI,
                            .size = sizeof(gpa_backend),
                            .name = "cpu",
                            .count = cpu_count,
                            .open = cpu_open,
                            .close = cpu_close,
                            .caps = cpu_caps,
                            .alloc = cpu_alloc,
                            .free = cpu_free,
                            .base = cpu_base,
                            .adopt = cpu_adopt,
                            .upload = cpu_upload,
                            .download = cpu_download,
                            .copy = cpu_copy,
                            .build = cpu_build,
                            .drop = cpu_drop,
                            .compile_seconds = cpu_compile_seconds,
                            .run = cpu_run,
                            .plan_share = cpu_plan_share,
                            .dump = cpu_dump,
                            .lib_can = cpu_lib_can,
                            .lib_run = cpu_lib_run,
                            .sync = cpu_sync,
                            .interrupt = cpu_interrupt};

/* The only symbol that the plugin exports. The hash equals the core's: both must be built from
 * the same tables. */
__attribute__((visibility("default"))) const gpa_backend *gpa_backend_entry(uint32_t abi);

const gpa_backend *gpa_backend_entry(uint32_t abi) {
    if (abi != GPA_BACKEND_ABI) return NULL;
    table.tables = gpa_tables_hash();
    return &table;
}
