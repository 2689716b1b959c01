/* Loading and launching the bytecode interpreter.
 *
 * A thread reads and loads its file after a few launches, or at the first program that is not in
 * the disk cache, so that short processes with known programs do not load it. */
#include "runtime/cuda/build/interpreter.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/base.h"
#include "runtime/cuda/driver/find.h"
#include "runtime/cuda/driver/wait.h"
#include "runtime/tables/tuning.h"

enum { LARGEST_FILE = 64 << 20 };

typedef struct cu_interpreter {
    const cu_driver *cu;
    CUcontext context;
    cu_target target;
    pthread_t thread;
    int launches;        /* launches before the interpreter was loaded */
    bool begun, loading; /* the thread was started; it was not joined yet */
    int done;            /* atomic: the thread has finished */
    CUmodule module;
    CUfunction function; /* NULL: not loaded */
} interpreter;

interpret_when interpreter_when(void) {
    const char *mode = getenv("GPA_CUDA_INTERPRET");
    return !mode                     ? INTERPRET_UNTIL_COMPILED
           : !strcmp(mode, "never")  ? INTERPRET_NEVER
           : !strcmp(mode, "always") ? INTERPRET_ALWAYS
                                     : INTERPRET_UNTIL_COMPILED;
}

/* ---- loading ---- */

void interpreter_heading(char out[96], int compiler, cu_target target) {
    snprintf(out, 96, "gpa interpreter 1, nvrtc %d, sm_%d, tables %016llx\n", compiler,
             target.major, (unsigned long long)interpret_hash());
}

static char *read_file(const char *path) {
    FILE *in = fopen(path, "rb");
    char *text = NULL;
    long n = in && !fseek(in, 0, SEEK_END) ? ftell(in) : 0;
    if (n > 0 && n < LARGEST_FILE && !fseek(in, 0, SEEK_SET) && (text = mem_new((size_t)n + 1))) {
        text[n] = 0;
        if (fread(text, 1, (size_t)n, in) != (size_t)n) mem_free(text), text = NULL;
    }
    if (in) fclose(in);
    return text;
}

/* A file of another compiler version, or of other tables, is ignored. */
static void *load(void *at) {
    interpreter *x = at;
    const char *file_name = getenv("GPA_CUDA_INTERPRETER");
    char path[4096], name[40], heading[96];
    snprintf(name, sizeof name, "gpa-interpreter.sm_%d", x->target.major);
    char *file = file_name                                      ? read_file(file_name)
                 : find_next_to_plugin(name, path, sizeof path) ? read_file(path)
                                                                : NULL;
    interpreter_heading(heading, api_nvrtc_version(), x->target);
    if (file && !strncmp(file, heading, strlen(heading)) && !x->cu->context_set(x->context)) {
        CUresult r = compile_load(x->cu, file + strlen(heading), EFFORT_FULL, &x->module);
        if (!r && x->cu->module_function(&x->function, x->module, "gpa")) x->function = NULL;
    }
    mem_free(file);
    __atomic_store_n(&x->done, 1, __ATOMIC_RELEASE);
    return NULL;
}

void interpreter_open(gpa_dev *d) {
    if (interpreter_when() == INTERPRET_NEVER) return;
    interpreter *x = d->interpreter = mem_zero(sizeof *x);
    if (!x) return;
    x->cu = d->cu, x->context = d->context, x->target = d->target;
}

static void start_loading(interpreter *x) {
    if (x->begun) return;
    x->begun = true;
    x->loading = !pthread_create(&x->thread, NULL, load, x);
    if (!x->loading) __atomic_store_n(&x->done, 1, __ATOMIC_RELEASE);
}

void interpreter_count_launch(gpa_dev *d) {
    interpreter *x = d->interpreter;
    if (x && !x->begun && ++x->launches > TUNE_CUDA_INTERPRETER_LOAD_LAUNCHES) start_loading(x);
}

static void join_loader(interpreter *x) {
    if (x->loading) pthread_join(x->thread, NULL);
    x->loading = false;
}

void interpreter_close(gpa_dev *d) {
    interpreter *x = d->interpreter;
    d->interpreter = NULL;
    if (!x) return;
    join_loader(x);
    if (x->module) d->cu->module_unload(x->module);
    mem_free(x);
}

bool interpreter_is_loaded(gpa_dev *d, bool wait) {
    interpreter *x = d->interpreter;
    if (!x || (!wait && !__atomic_load_n(&x->done, __ATOMIC_ACQUIRE))) return false;
    start_loading(x);
    join_loader(x);
    return x->function;
}

bool interpreter_is_expected(gpa_dev *d) {
    interpreter *x = d->interpreter;
    return x && (!__atomic_load_n(&x->done, __ATOMIC_ACQUIRE) || x->function);
}

/* ---- launches ---- */

/* A value in its slot representation: halves are floats. */
static gpa_val slot_value(gpa_val v, gpa_dtype t) {
    bool half = t == DT_F16 || t == DT_BF16;
    return half ? dtype_cast(v, t, DT_F32) : v;
}

static void put_descriptor(const ic_code *c, const kir_func *f, const gpa_launch *l,
                           const uint64_t *base, unsigned a, uint64_t *to) {
    const kir_array *k = &f->arrays[a];
    to[0] = k->where == KIR_VIRTUAL ? (uint64_t)l->arrays[a].offset : base[a];
    to[1] = (uint64_t)c->threads * c->item << 8 | f->ndim;
    for (unsigned d = 0; d < f->ndim; d++)
        to[2 + d] = k->zero >> d & 1 ? 0 : k->unit >> d & 1 ? 1 : (uint64_t)l->arrays[a].stride[d];
}

static void fill_parameters(const ic_code *c, const kir_func *f, const gpa_launch *l,
                            const uint64_t *base, uint64_t *words) {
    memcpy(words, c->ins, c->n_ins * sizeof *c->ins);
    for (size_t k = 0; k < c->n_uniforms; k++) {
        const ic_uniform *s = &c->uniforms[k];
        uint64_t *to = words + s->at;
        gpa_val v = {.bits = {0, 0}};
        switch ((ic_kind)s->kind) {
            case IC_ZERO: break;
            case IC_CONST:
                v = slot_value(f->consts[s->a].v, (gpa_dtype)f->consts[s->a].type);
                break;
            case IC_PARAM: v = slot_value(l->params[s->a], (gpa_dtype)f->params[s->a]); break;
            case IC_SIZE:
                v.I64 = s->a == KIR_SPACE ? l->size[s->b] : l->arrays[s->a].size[s->b];
                break;
            case IC_STRIDE: v.I64 = l->arrays[s->a].stride[s->b]; break;
            case IC_ARRAY: put_descriptor(c, f, l, base, s->a, to); continue;
            case IC_SPACE: memcpy(to, l->size, f->ndim * sizeof *to); continue;
        }
        memcpy(to, &v, c->item);
    }
}

/* Uploads a program that is too long for the kernel parameters; the memory is freed in stream
 * order. */
static gpa_code upload_words(gpa_dev *d, const uint64_t *words, size_t n, uint64_t *out,
                             gpa_err *e) {
    CUdeviceptr at = 0;
    gpa_code rc = api_check(d->cu->alloc(&at, n * sizeof *words, d->stream), "cuMemAllocAsync", e);
    *out = at;
    return rc ? rc
              : api_check(d->cu->to_device(at, words, n * sizeof *words, d->stream),
                          "cuMemcpyHtoDAsync", e);
}

static gpa_code wait_for_budget(gpa_dev *d, bool *spent, gpa_err *e) {
    gpa_code rc = wait_idle(d, e);
    *spent = !rc && d->mapped->spent;
    return rc;
}

gpa_code interpreter_run(gpa_dev *d, const gpa_prog *p, const interpreter_launch *x, bool *spent,
                         gpa_err *e) {
    const ic_code *c = p->code;
    const kir_func *f = &p->copy;
    bool is_long = c->words > INLINE_WORDS, bounded = c->loops && p->when != INTERPRET_ALWAYS;
    ic_params P = {.points = 1,
                   .item = c->item,
                   .ndim = f->ndim,
                   .sizes = c->sizes,
                   .words = c->words,
                   .fuel = INT64_MAX,
                   .max_cycles = INT64_MAX};
    uint64_t *words = is_long ? mem_zero(c->words * sizeof *words) : P.inline_words;
    gpa_code rc = GPA_OK;
    *spent = false;
    if (!words) return gpa_no_memory(e);
    for (int k = 0; k < f->ndim; k++) P.points *= (uint64_t)x->l->size[k];
    if (bounded)
        P.fuel = (int64_t)MIN(TUNE_CUDA_INTERPRET_LOOP_MAX_INSTRUCTIONS / (double)P.points,
                              (double)TUNE_CUDA_INTERPRET_LOOP_MAX_PER_THREAD),
        P.max_cycles = TUNE_CUDA_INTERPRET_LOOP_MAX_CYCLES;
    P.spent = d->mapped_address + offsetof(cu_mapped, spent);
    P.stop = d->interrupt_address + x->slot * sizeof *d->interrupt;
    P.record = d->faults.address + x->slot * sizeof(kir_fault_record);
    P.lock = d->faults.locks + x->slot * FAULT_LOCK_BYTES;
    fill_parameters(c, f, x->l, x->base, words);
    if (bounded) d->mapped->spent = 0;
    if (is_long) TRY(upload_words(d, words, c->words, &P.long_words, e));
    TRY(api_check(d->cu->launch(d->interpreter->function,
                                (unsigned)((P.points + c->threads - 1) / c->threads), 1, 1,
                                c->threads, 1, 1, c->shared, d->stream, (void *[]){&P}, NULL),
                  "cuLaunchKernel", e));
    if (bounded) rc = wait_for_budget(d, spent, e);
out:
    if (P.long_words) d->cu->free(P.long_words, d->stream);
    if (is_long) mem_free(words);
    return rc;
}
