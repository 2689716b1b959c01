/* Fourier transforms by FFTW.
 *
 * FFTW's guru interface takes any strides, so operands go in as they lie. A plan is made by estimate and kept for calls of
 * the same layout; one that is used again and again is made once more, by measuring. Reading order: the library, plans,
 * calls. */
#include "runtime/cpu/fft.h"

#include <dlfcn.h>
#include <stdio.h>

#include "runtime/base.h"
#include "runtime/cpu/run.h"

/* FFTW's interface, which is the same for both precisions. */
enum { FFTW_MEASURE = 0, FFTW_UNALIGNED = 1 << 1, FFTW_PRESERVE_INPUT = 1 << 4, FFTW_ESTIMATE = 1 << 6 };
typedef struct {
    ptrdiff_t n, is, os;
} iodim;
typedef struct fftw_plan_s *plan;

typedef struct {
    void *library;
    plan (*c2c)(int, const iodim *, int, const iodim *, void *, void *, int, unsigned);
    plan (*r2c)(int, const iodim *, int, const iodim *, void *, void *, unsigned);
    plan (*c2r)(int, const iodim *, int, const iodim *, void *, void *, unsigned);
    void (*run_c2c)(plan, void *, void *);
    void (*run_r2c)(plan, void *, void *);
    void (*run_c2r)(plan, void *, void *);
    void (*destroy)(plan);
    void (*time_limit)(double);
    int (*alignment)(void *);
    int (*threads_init)(void); /* NULL: no threads */
    void (*threads)(int);
} library;

enum { PLANS = 32, THREADS_FROM = 1 << 14, MEASURE_FROM = 1 << 12, MEASURE_AT = 8 };
static const double MEASURE_SECONDS = 0.5;

/* What a plan depends on. */
typedef struct {
    gpa_dtype dtype;
    gpa_fft_form form;
    int32_t inverse, in_place, rank, ndim, threads, in_align, out_align;
    int64_t n[KIR_MAX_DIMS], is[KIR_MAX_DIMS], os[KIR_MAX_DIMS];
} key;

typedef struct {
    key k;
    plan p;
    uint64_t used; /* when, for the choice of the one to give up */
    int uses;
    bool measured;
} entry;

struct fft {
    library wide, single; /* float64, float32 */
    entry plans[PLANS];
    uint64_t clock;
};

/* ---- the library ---- */

static void find(void *from, const char *prefix, const char *name, void *fn) {
    char symbol[64];
    snprintf(symbol, sizeof symbol, "%s_%s", prefix, name);
    void *found = dlsym(from, symbol);
    memcpy(fn, &found, sizeof found);
}

static void load(library *l, const char *prefix, const char *name, const char *threads) {
    l->library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (!l->library) return;
    find(l->library, prefix, "plan_guru64_dft", &l->c2c);
    find(l->library, prefix, "plan_guru64_dft_r2c", &l->r2c);
    find(l->library, prefix, "plan_guru64_dft_c2r", &l->c2r);
    find(l->library, prefix, "execute_dft", &l->run_c2c);
    find(l->library, prefix, "execute_dft_r2c", &l->run_r2c);
    find(l->library, prefix, "execute_dft_c2r", &l->run_c2r);
    find(l->library, prefix, "destroy_plan", &l->destroy);
    find(l->library, prefix, "set_timelimit", &l->time_limit);
    find(l->library, prefix, "alignment_of", &l->alignment);
    if (!l->c2c || !l->r2c || !l->c2r || !l->run_c2c || !l->run_r2c || !l->run_c2r || !l->destroy || !l->time_limit || !l->alignment)
        l->library = NULL;
    void *more = l->library ? dlopen(threads, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!more) return;
    find(more, prefix, "init_threads", &l->threads_init);
    find(more, prefix, "plan_with_nthreads", &l->threads);
    if (!l->threads_init || !l->threads || !l->threads_init()) l->threads = NULL;
}

static library *library_of(fft *f, gpa_dtype t) { return t == DT_C128 ? &f->wide : &f->single; }

bool fft_can(fft **f, const gpa_libcall *c) {
    if (!*f && !(*f = mem_zero(sizeof **f))) return false;
    library *l = library_of(*f, c->dtype);
    if (!l->library && c->dtype == DT_C128) load(l, "fftw", "libfftw3.so.3", "libfftw3_threads.so.3");
    if (!l->library && c->dtype == DT_C64) load(l, "fftwf", "libfftw3f.so.3", "libfftw3f_threads.so.3");
    return l->library != NULL;
}

void fft_free(fft *f) {
    for (size_t i = 0; f && i < PLANS; i++)
        if (f->plans[i].p) library_of(f, f->plans[i].k.dtype)->destroy(f->plans[i].p);
    mem_free(f);
}

/* ---- plans ---- */

static char *at(const gpa_binding *b, gpa_dtype t) { return b->mem->base + b->offset * (int64_t)dtype_size(t); }

/* Points of the space. */
static int64_t points(const gpa_libcall *c) {
    int64_t n = 1;
    for (int d = 0; d < c->fft.ndim; d++) n *= c->fft.n[d];
    return n;
}

static key key_of(const library *l, const gpa_libcall *c, int threads, void *in, void *out) {
    key k;
    memset(&k, 0, sizeof k); /* keys are compared as bytes */
    k.dtype = c->dtype;
    k.form = c->fft.form;
    k.inverse = c->fft.inverse;
    k.in_place = in == out;
    k.rank = c->fft.rank;
    k.ndim = c->fft.ndim;
    k.threads = l->threads && points(c) >= THREADS_FROM ? threads : 1;
    k.in_align = l->alignment(in);
    k.out_align = l->alignment(out);
    memcpy(k.n, c->fft.n, (size_t)k.ndim * sizeof *k.n);
    memcpy(k.is, c->fft.in.stride, (size_t)k.ndim * sizeof *k.is);
    memcpy(k.os, c->fft.out.stride, (size_t)k.ndim * sizeof *k.os);
    return k;
}

static plan plan_new(const library *l, const key *k, void *in, void *out, unsigned how) {
    iodim d[KIR_MAX_DIMS];
    for (int i = 0; i < k->ndim; i++) d[i] = (iodim){k->n[i], k->is[i], k->os[i]};
    if (l->threads) l->threads(k->threads);
    if (k->form != FFT_C2R) how |= FFTW_PRESERVE_INPUT;
    int others = k->ndim - k->rank;
    if (k->form == FFT_R2C) return l->r2c(k->rank, d, others, d + k->rank, in, out, how);
    if (k->form == FFT_C2R) return l->c2r(k->rank, d, others, d + k->rank, in, out, how);
    return l->c2c(k->rank, d, others, d + k->rank, in, out, k->inverse ? 1 : -1, how);
}

/* The bytes from the first to the last element of a layout that starts at 0, which has no negative strides. */
static size_t extent(const key *k, const int64_t *strides, size_t item) {
    int64_t last = 0;
    for (int i = 0; i < k->ndim; i++) {
        if (strides[i] < 0) return 0;
        last += (k->n[i] - 1) * strides[i];
    }
    return (size_t)(last + 1) * item;
}

/* Replaces the plan by a measured one, made on memory of its own because measuring overwrites it. What cannot be had stays
 * as it is. */
static void measure(const library *l, entry *entry_) {
    const key *k = &entry_->k;
    size_t item = dtype_size(k->dtype), in_size = extent(k, k->is, item), out_size = extent(k, k->os, item), slack = 128;
    entry_->measured = true;
    if (!in_size || !out_size) return;
    char *in = mem_new(in_size + slack), *out = k->in_place ? in : mem_new(out_size + slack);
    if (in && out) {
        char *x = in, *y = out;
        while (l->alignment(x) != k->in_align) x += sizeof(float);
        while (l->alignment(y) != k->out_align) y += sizeof(float);
        l->time_limit(MEASURE_SECONDS);
        plan better = plan_new(l, k, x, k->in_place ? x : y, FFTW_MEASURE);
        if (better) {
            l->destroy(entry_->p);
            entry_->p = better;
        }
    }
    if (out != in) mem_free(out);
    mem_free(in);
}

/* The plan of a call, made when it is not there yet; NULL when FFTW has none. */
static plan plan_of(fft *f, const library *l, const key *k, void *in, void *out) {
    entry *oldest = f->plans;
    for (entry *i = f->plans; i < f->plans + PLANS; i++) {
        if (i->p && memcmp(&i->k, k, sizeof *k) == 0) {
            i->used = ++f->clock;
            if (!i->measured && ++i->uses >= MEASURE_AT) measure(l, i);
            return i->p;
        }
        if (i->used < oldest->used) oldest = i;
    }
    plan p = plan_new(l, k, in, out, FFTW_ESTIMATE);
    if (!p) return NULL;
    if (oldest->p) library_of(f, oldest->k.dtype)->destroy(oldest->p);
    int64_t n = 1;
    for (int d = 0; d < k->ndim; d++) n *= k->n[d];
    *oldest = (entry){.k = *k, .p = p, .used = ++f->clock, .measured = n < MEASURE_FROM};
    return p;
}

/* ---- calls ---- */

gpa_code fft_run(fft *f, int threads, const gpa_libcall *c, gpa_err *e) {
    const library *l = library_of(f, c->dtype);
    gpa_dtype real = dtype_info[c->dtype].real;
    void *in = at(&c->fft.in, c->fft.form == FFT_R2C ? real : c->dtype);
    void *out = at(&c->fft.out, c->fft.form == FFT_C2R ? real : c->dtype);
    key k = key_of(l, c, threads, in, out);
    plan p = plan_of(f, l, &k, in, out);
    if (!p) return gpa_fail(e, GPA_E_INTERNAL, "FFTW has no plan for this transform");
    if (c->fft.form == FFT_R2C) l->run_r2c(p, in, out);
    else if (c->fft.form == FFT_C2R) l->run_c2r(p, in, out);
    else l->run_c2c(p, in, out);
    return GPA_OK;
}
