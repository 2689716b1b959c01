/* Launches of user-written programs (@vectorize, @jit, @cuda.jit): argument checks, hazards with
 * pending work, specialization by bounds facts. */
#include "runtime/exec/program_cache.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/loop_log.h"
#include "runtime/array/host_view.h"
#include "runtime/ir/bounds.h"
#include "runtime/exec/profile.h"
#include "runtime/exec/rt.h"
#include "runtime/exec/printf_buffer.h"
#include "runtime/graph/shape.h"
#include "runtime/array/store.h"
#include "runtime/programs.h"
#include "runtime/tables/tuning.h"
#include "runtime/array/tape.h"

/* Advances *k to the program's next array that is bound at launch; NULL at the end. */
static gpa_arr *const *next_bound(const kir_func *f, size_t *k, gpa_arr *const *at) {
    while (*k < f->n_arrays && f->arrays[*k].where != KIR_GLOBAL &&
           f->arrays[*k].where != KIR_CONSTANT)
        ++*k;
    return *k < f->n_arrays ? at : NULL;
}

static gpa_code check_dims(const gpa_arr *a, gpa_err *e) {
    if (a->ndim <= KIR_MAX_DIMS) return GPA_OK;
    return gpa_fail(e, GPA_E_UNSUPPORTED,
                    "compiled functions take arrays of at most %d dimensions, not %d", KIR_MAX_DIMS,
                    a->ndim);
}

/* Computes the arrays, and pending work that reads those that are written; *d: their device. */
static gpa_code compute_arrays(gpa_rt *rt, const kir_func *f, gpa_arr *const *at, gpa_device **d,
                               gpa_err *e) {
    bool first = true;
    gpa_code rc = device_default(rt, d, e);
    for (size_t k = 0; !rc && next_bound(f, &k, at); k++, at++) {
        bool writes = f->arrays[k].access & KIR_WRITE;
        if ((rc = check_dims(*at, e))) break;
        if (writes && (*at)->readonly)
            return gpa_fail(e, GPA_E_VALUE, "assignment destination is read-only");
        rc = writes ? store_begin(rt, *at, e) : arr_force(rt, *at, CUT_USER, e);
        if (rc) break;
        gpa_device *device = (*at)->storage->buf->device;
        if (!first && device != *d && !rt->simulating)
            return gpa_fail(e, GPA_E_DEVICE,
                            "the arrays of a compiled function are on different devices: %s and %s",
                            device->caps.name, (*d)->caps.name);
        *d = device;
        first = false;
    }
    return rc;
}

/* Checks grid, block and shared memory against the device's limits, with CUDA's. */
static gpa_code check_blocks(const kir_func *f, const gpa_device *d, const arr_program *p,
                             gpa_err *e) {
    uint64_t threads = (uint64_t)p->block[0] * p->block[1] * p->block[2], shared = p->shared;
    for (size_t k = 0; k < f->n_arrays; k++)
        if (f->arrays[k].where == KIR_SHARED)
            shared += f->arrays[k].count * dtype_size((gpa_dtype)f->arrays[k].dtype);
    if (!d->caps.max_threads)
        return gpa_fail(e, GPA_E_UNSUPPORTED, "kernels on the device %s", d->caps.name);
    if (threads == 0 || p->grid[0] == 0 || p->grid[1] == 0 || p->grid[2] == 0)
        return gpa_fail(e, GPA_E_VALUE,
                        "a launch has at least one block of at least one thread: the grid is (%u, "
                        "%u, %u), a block (%u, %u, %u)",
                        p->grid[0], p->grid[1], p->grid[2], p->block[0], p->block[1], p->block[2]);
    if (threads > d->caps.max_threads || p->block[0] > 1024 || p->block[1] > 1024 ||
        p->block[2] > 64)
        return gpa_fail(
            e, GPA_E_VALUE,
            "a block has at most %u threads (1024, 1024 and 64 along x, y and z), not (%u, %u, %u)",
            d->caps.max_threads, p->block[0], p->block[1], p->block[2]);
    if (p->grid[0] > INT32_MAX || p->grid[1] > 65535 || p->grid[2] > 65535)
        return gpa_fail(e, GPA_E_VALUE,
                        "a grid has at most 2147483647, 65535 and 65535 blocks along x, y and z, "
                        "not (%u, %u, %u)",
                        p->grid[0], p->grid[1], p->grid[2]);
    if (shared > d->caps.max_shared)
        return gpa_fail(e, GPA_E_VALUE,
                        "a block has at most %u bytes of shared memory on %s, not %llu",
                        d->caps.max_shared, d->caps.name, (unsigned long long)shared);
    return GPA_OK;
}

/* The program for f, looked up at most once: *cached is retained. */
static gpa_code get_program(gpa_rt *rt, gpa_device *d, const kir_func *f,
                            program_cache_entry **cached, gpa_err *e) {
    program_cache_entry *x;
    bool built;
    if (*cached) return GPA_OK;
    gpa_code rc = program_cache_get(rt, d, f, &x, &built, e);
    if (!rc) *cached = program_retain(x);
    return rc;
}

/* The specializations of a kernel on one device. Programs are retained. */
struct arr_launches {
    gpa_device *device;
    uint32_t epoch;               /* the device's: a restart drops its programs */
    program_cache_entry *checked; /* the program with all bounds checks */
    gpa_prog *last;               /* what ran last; NULL: look again */
    struct {
        program_cache_entry *program;
        uint8_t *marks; /* per instruction: the bounds fact it was compiled with (bounds.h) */
    } specialized[TUNE_KERNEL_MAX_SPECIALIZATIONS];
    int n_specialized;
    bounds *bounds;
};

static void free_specializations(struct arr_launches *k) {
    for (int i = 0; i < k->n_specialized; i++) {
        program_release(k->specialized[i].program);
        mem_free(k->specialized[i].marks);
    }
    program_release(k->checked);
    bounds_free(k->bounds);
}

void arr_launch_cache_free(arr_launch_cache *cache) {
    if (*cache) free_specializations(*cache);
    mem_free(*cache);
    *cache = NULL;
}

/* The record of a kernel's launches on this device as it is now; NULL without `cache` or memory. */
static struct arr_launches *launch_cache_on(arr_launch_cache *cache, gpa_device *d) {
    struct arr_launches *k = cache ? *cache : NULL;
    if (cache && !k && !(k = *cache = mem_zero(sizeof *k))) return NULL;
    if (k && (k->device != d || k->epoch != d->epoch)) {
        free_specializations(k);
        *k = (struct arr_launches){.device = d, .epoch = d->epoch};
    }
    return k;
}

/* A program to launch on a device. */
typedef struct {
    gpa_device *device;
    const kir_func *f;
    struct arr_launches *cache; /* NULL: none */
} kernel;

static gpa_code program_of(gpa_rt *rt, const kernel *k, gpa_prog **out, gpa_err *e) {
    struct arr_launches *c = k->cache;
    program_cache_entry *x;
    bool built;
    if (c && c->last) {
        *out = c->last;
        return GPA_OK;
    }
    gpa_code rc = c ? get_program(rt, k->device, k->f, &c->checked, e)
                    : program_cache_get(rt, k->device, k->f, &x, &built, e);
    if (!rc) *out = c ? c->checked->prog : x->prog;
    return rc;
}

/* Builds the program with the bounds facts of this launch as literals (specialization). */
static gpa_code specialize(gpa_rt *rt, const kernel *k, const uint8_t *marks, gpa_prog **out,
                           gpa_err *e) {
    const kir_func *f = k->f;
    struct arr_launches *c = k->cache;
    kir_func marked = *f;
    program_cache_entry *program = NULL;
    uint8_t *copy = mem_new(f->n_code);
    gpa_code rc = GPA_OK;
    marked.code = mem_new(f->n_code * sizeof *f->code);
    *out = NULL;
    if (!copy || !marked.code) TRY(gpa_no_memory(e));
    memcpy(copy, marks, f->n_code);
    memcpy(marked.code, f->code, f->n_code * sizeof *f->code);
    for (size_t i = 0; i < f->n_code; i++)
        if (marks[i]) marked.code[i].imm = marks[i];
    TRY(get_program(rt, k->device, &marked, &program, e));
    *out = program->prog;
    c->specialized[c->n_specialized].program = program;
    c->specialized[c->n_specialized++].marks = copy;
    copy = NULL;
out:
    mem_free(copy);
    mem_free(marked.code);
    return rc;
}

/* True if a program compiled with `marks` assumes nothing beyond `known`. */
static bool assumes_at_most(const uint8_t *known, const uint8_t *marks, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (marks[i] && marks[i] != known[i]) return false;
    return true;
}

/* The program specialized for this launch's bounds facts; once there are
 * TUNE_KERNEL_MAX_SPECIALIZATIONS, one of them that assumes no more than is known, or the program
 * with all checks. */
static gpa_code specialized_program(gpa_rt *rt, const kernel *k, gpa_prog **out, gpa_err *e) {
    struct arr_launches *c = k->cache;
    size_t n;
    const uint8_t *known = bounds_marks(c->bounds, &n);
    for (int i = 0; n && i < c->n_specialized; i++) {
        if (memcmp(c->specialized[i].marks, known, k->f->n_code) != 0 &&
            (c->n_specialized < TUNE_KERNEL_MAX_SPECIALIZATIONS ||
             !assumes_at_most(known, c->specialized[i].marks, k->f->n_code)))
            continue;
        *out = c->specialized[i].program->prog;
        return GPA_OK;
    }
    if (n && c->n_specialized < TUNE_KERNEL_MAX_SPECIALIZATIONS)
        return specialize(rt, k, known, out, e);
    gpa_code rc = get_program(rt, k->device, k->f, &c->checked, e);
    *out = rc ? NULL : c->checked->prog;
    return rc;
}

/* The program for this launch. */
static gpa_code program_for(gpa_rt *rt, const kernel *k, const gpa_launch *l, gpa_prog **out,
                            gpa_err *e) {
    struct arr_launches *c = k->cache;
    bounds_result a = BOUNDS_UNKNOWN;
    if (c && k->f->form == KIR_KERNEL) a = bounds_analyze(&c->bounds, k->f, l);
    if (c && a == BOUNDS_UNKNOWN) c->last = NULL;
    if (a != BOUNDS_NEW) return program_of(rt, k, out, e);
    gpa_code rc = specialized_program(rt, k, out, e);
    c->last = rc ? NULL : *out;
    return rc;
}

/* A kernel may always fault: the reference device checks more than the program contains. */
static bool may_fault(const kir_func *f) {
    if (f->form == KIR_KERNEL) return true;
    for (size_t i = 0; i < f->n_code; i++)
        if (kir_has(f->code[i].code, KI_FAULTS)) return true;
    return false;
}

/* The bytes of the arrays that a launch reads and writes. */
static uint64_t bytes_accessed(const kir_func *f, gpa_arr *const *at) {
    uint64_t sum = 0;
    for (size_t k = 0; next_bound(f, &k, at); k++, at++) {
        uint64_t bytes = (uint64_t)(*at)->size * dtype_size((gpa_dtype)(*at)->dtype);
        sum += bytes * ((f->arrays[k].access & KIR_READ ? 1u : 0u) +
                        (f->arrays[k].access & KIR_WRITE ? 1u : 0u));
    }
    return sum;
}

/* Compiled functions of arrays that a tape records have no rule. */
static gpa_code refuse_traced(gpa_rt *rt, const kir_func *f, gpa_arr *const *at, gpa_err *e) {
    gpa_code rc = GPA_OK;
    for (size_t k = 0; !rc && tape_is_on(rt) && next_bound(f, &k, at); k++, at++)
        rc = tape_refuse(rt, f->name, at, 1, e);
    return rc;
}

/* Launches on device d, which holds the arrays. */
static gpa_code run_on(gpa_rt *rt, gpa_device *d, const kir_func *f, const arr_program *p,
                       gpa_err *e) {
    gpa_binding bind[KIR_MAX_ARRAYS];
    gpa_prog *prog;
    gpa_arr *const *at = p->arrays;
    gpa_code rc = f->form == KIR_KERNEL ? check_blocks(f, d, p, e) : GPA_OK;
    if (rc) return rc;
    memset(bind, 0, f->n_arrays * sizeof *bind);
    for (size_t k = 0; next_bound(f, &k, at); k++, at++) {
        arr_bind(*at, &bind[k]);
        uint64_t bytes = (uint64_t)(*at)->size * dtype_size((gpa_dtype)(*at)->dtype);
        if (f->arrays[k].access & KIR_READ) rt->stats.bytes_read += bytes;
        if (f->arrays[k].access & KIR_WRITE) rt->stats.bytes_written += bytes;
    }
    printf_buffer printed = {0};
    for (size_t k = 0; k < f->n_arrays; k++)
        if (f->arrays[k].where == KIR_SHARED && !f->arrays[k].count)
            bind[k].size[0] = (int64_t)(p->shared / dtype_size((gpa_dtype)f->arrays[k].dtype));
    gpa_launch l = {.arrays = bind,
                    .params = p->params,
                    .shared = p->shared,
                    .stream = p->stream,
                    .print = printf_buffer_append,
                    .user = &printed};
    for (int i = 0; p->size && i < f->ndim; i++) l.size[i] = p->size[i];
    memcpy(l.grid, p->grid, sizeof l.grid);
    memcpy(l.block, p->block, sizeof l.block);
    rc = program_for(rt, &(kernel){d, f, launch_cache_on(p->cache, d)}, &l, &prog, e);
    if (rc) return rc;
    if (exec_unsettled(rt) >= TUNE_MAX_UNSETTLED_LAUNCHES) rc = exec_wait(rt, d, e);
    loop_log_refuse(rt, RT_LOOP_HOST);
    bool raises = may_fault(f);
    if (!rc && (raises || exec_may_stop(d, f)))
        rc = exec_add_fault_record(rt, d, f, raises, &l.fault, e);
    profile_begin(rt, d);
    if (!rc) rc = device_result(rt, d, d->be->run(d->dev, prog, &l, e), e);
    profile_call(rt, d, f->name, bytes_accessed(f, p->arrays));
    rt->stats.launches++;
    if (!rc && p->print && printed.n_lines)
        rc = printf_buffer_emit(&printed, f, p->print, p->user, e);
    printf_buffer_free(&printed);
    if (!rc && d->caps.host_visible)
        rc = exec_report_faults(rt, d, GPA_OK, e); /* it has finished */
    return rc;
}

/* A storage whose buffer is replaced, during a launch, by a copy on another device. */
typedef struct {
    gpa_storage *storage;
    gpa_buf *original;
    bool written;
} moved_storage;

/* Moves a storage to device d: its buffer becomes a copy, until restore. */
static gpa_code move_storage(gpa_rt *rt, gpa_device *d, gpa_storage *s, moved_storage *m,
                             gpa_err *e) {
    gpa_buf *copy;
    gpa_code rc = buf_new(rt, d, s->buf->bytes, &copy, e);
    if (rc) return rc;
    rc = buf_copy(rt, &(buf_transfer){.to = copy, .from = s->buf, .n = s->buf->bytes}, e);
    if (rc) {
        buf_remove_owner(rt, copy);
        return rc;
    }
    *m = (moved_storage){s, s->buf, false};
    s->buf = copy;
    return GPA_OK;
}

/* The same on the current device, %simulate's, with copies of the arrays, which are copied back if
 * the launch succeeded. */
static gpa_code run_moved(gpa_rt *rt, const kir_func *f, const arr_program *p, gpa_err *e) {
    moved_storage moved[KIR_MAX_ARRAYS];
    size_t n = 0;
    gpa_device *d = rt->device;
    gpa_arr *const *at = p->arrays;
    gpa_code rc = GPA_OK;
    for (size_t k = 0; !rc && next_bound(f, &k, at); k++, at++) {
        gpa_storage *s = (*at)->storage;
        size_t i = 0;
        while (i < n && moved[i].storage != s) i++;
        if (i == n && s->buf->device != d) rc = move_storage(rt, d, s, &moved[n++], e);
        if (rc) n--;
        if (!rc && i < n) moved[i].written |= (f->arrays[k].access & KIR_WRITE) != 0;
    }
    if (!rc) rc = run_on(rt, d, f, p, e);
    for (size_t i = 0; i < n; i++) {
        gpa_buf *copy = moved[i].storage->buf, *original = moved[i].original;
        if (!rc && moved[i].written)
            rc = buf_copy(rt, &(buf_transfer){.to = original, .from = copy, .n = copy->bytes}, e);
        moved[i].storage->buf = original;
        buf_remove_owner(rt, copy);
    }
    return rc;
}

void rt_simulate(gpa_rt *rt, bool on) { rt->simulating = on; }

gpa_code arr_run(gpa_rt *rt, const kir_func *f, const arr_program *p, gpa_err *e) {
    gpa_device *d;
    if (rt_interrupted(rt)) return gpa_interrupted(e);
    gpa_code rc = refuse_traced(rt, f, p->arrays, e);
    if (!rc) rc = compute_arrays(rt, f, p->arrays, &d, e);
    if (rc) return rc;
    return rt->simulating ? run_moved(rt, f, p, e) : run_on(rt, d, f, p, e);
}

/* The program on the device where it ran last, else on the current device. */
static gpa_code find_built_program(gpa_rt *rt, const kir_func *f, arr_launch_cache *cache,
                                   gpa_device **d, gpa_prog **out, gpa_err *e) {
    *d = cache && *cache ? (*cache)->device : NULL;
    gpa_code rc = *d ? GPA_OK : device_default(rt, d, e);
    return rc ? rc : program_of(rt, &(kernel){*d, f, launch_cache_on(cache, *d)}, out, e);
}

gpa_code arr_program_text(gpa_rt *rt, const kir_func *f, arr_launch_cache *cache, arr_text what,
                          gpa_str *out, gpa_err *e) {
    static const gpa_dump dumps[] = {[ARR_SOURCE] = GPA_DUMP_SOURCE,
                                     [ARR_IR] = GPA_DUMP_IR,
                                     [ARR_ASM] = GPA_DUMP_ASM,
                                     [ARR_RESOURCES] = GPA_DUMP_RESOURCES};
    gpa_device *d;
    gpa_prog *prog;
    gpa_code rc = find_built_program(rt, f, cache, &d, &prog, e);
    return rc ? rc : d->be->dump(d->dev, prog, dumps[what], out, e);
}

gpa_code arr_program_fact(gpa_rt *rt, const kir_func *f, arr_launch_cache *cache, raw_fact which,
                          int64_t *out, gpa_err *e) {
    gpa_device *d;
    gpa_prog *prog;
    gpa_code rc = find_built_program(rt, f, cache, &d, &prog, e);
    *out = -1;
    return rc || !d->be->fact ? rc : d->be->fact(d->dev, prog, which, out, e);
}

gpa_code arr_program_blocks(gpa_rt *rt, const kir_func *f, arr_launch_cache *cache,
                            const arr_block *block, int64_t *out, gpa_err *e) {
    gpa_device *d;
    gpa_prog *prog;
    int blocks = -1;
    gpa_code rc = find_built_program(rt, f, cache, &d, &prog, e);
    if (!rc && d->be->occupancy)
        rc = d->be->occupancy(d->dev, prog, block->threads, block->shared, &blocks, e);
    *out = blocks;
    return rc;
}
