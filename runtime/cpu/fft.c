/* Fourier transforms by FFTW.
 *
 * FFTW's guru interface takes any strides, so operands go in as they lie; only large transforms of points that lie far apart
 * are gathered, a few neighbouring lines at a time, because each point would otherwise cost a line of the cache. A plan is
 * made by estimate, so that results do not depend on timing, and kept for calls of the same layout. Transforms of an even number of
 * real numbers go through complex ones of half the length (unfold.h). Reading order: the library, plans, lines in blocks, rows of complex
 * numbers, rows of real numbers, calls. */
#include "runtime/cpu/fft.h"

#include <dlfcn.h>
#include <stdio.h>

#include "runtime/base.h"
#include "runtime/cpu/run.h"
#include "runtime/cpu/threads.h"
#include "runtime/cpu/unfold.h"

/* FFTW's interface, which is the same for both precisions. */
enum { FFTW_PRESERVE_INPUT = 1 << 4, FFTW_ESTIMATE = 1 << 6 };
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
    int (*alignment)(void *);
    int (*threads_init)(void); /* NULL: no threads */
    void (*threads)(int);
} library;

/* ROW_FROM, ROW_TO: numbers of a row that is transformed by itself; HALVES_FROM, HALVES_TO: numbers of a real transform that goes through a complex one; ROWS_BYTES: of its rows that are done at a time.
 * BLOCK_BYTES: of a point in the lines of a block, fewer where the block would leave the nearer caches; AHEAD: points that memory is asked
 * for in advance. */
enum { PLANS = 32, THREADS_FROM = 1 << 14, LARGE = 1 << 16, FAR = 1024, LINE = 64, BLOCK_BYTES = 256, BLOCK_ROOM = 256 << 10, AHEAD = 32, FACTORS = 4, HALVES_FROM = 16, HALVES_TO = 1 << 19,
       ROWS_BYTES = 32 << 10, ROWS_STEP = 8, ROW_FROM = 64, ROW_TO = 1 << 16 };

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
} entry;

/* Factors of real transforms. */
typedef struct {
    gpa_dtype dtype;
    int64_t h;
    void *w; /* owned */
    uint64_t used;
} factors;

struct fft {
    library wide, single; /* float64, float32 */
    entry plans[PLANS];
    factors factors[FACTORS];
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
    find(l->library, prefix, "alignment_of", &l->alignment);
    if (!l->c2c || !l->r2c || !l->c2r || !l->run_c2c || !l->run_r2c || !l->run_c2r || !l->destroy || !l->alignment)
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
    for (size_t i = 0; f && i < FACTORS; i++) mem_free(f->factors[i].w);
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

/* What every plan for a call has in common. Keys are compared as bytes. */
static void begin_key(key *k, const gpa_libcall *c) {
    memset(k, 0, sizeof *k);
    k->dtype = c->dtype;
    k->inverse = c->fft.inverse;
}

static key key_of(const library *l, const gpa_libcall *c, int threads, void *in, void *out) {
    key k;
    begin_key(&k, c);
    k.form = c->fft.form;
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

static plan plan_new(const library *l, const key *k, void *in, void *out) {
    iodim d[KIR_MAX_DIMS];
    unsigned how = FFTW_ESTIMATE;
    for (int i = 0; i < k->ndim; i++) d[i] = (iodim){k->n[i], k->is[i], k->os[i]};
    if (l->threads) l->threads(k->threads);
    if (k->form != FFT_C2R) how |= FFTW_PRESERVE_INPUT;
    int others = k->ndim - k->rank;
    if (k->form == FFT_R2C) return l->r2c(k->rank, d, others, d + k->rank, in, out, how);
    if (k->form == FFT_C2R) return l->c2r(k->rank, d, others, d + k->rank, in, out, how);
    return l->c2c(k->rank, d, others, d + k->rank, in, out, k->inverse ? 1 : -1, how);
}

/* The plan of a call, made when it is not there yet; NULL when FFTW has none. */
static plan plan_of(fft *f, const library *l, const key *k, void *in, void *out) {
    entry *oldest = f->plans;
    for (entry *i = f->plans; i < f->plans + PLANS; i++) {
        if (i->p && memcmp(&i->k, k, sizeof *k) == 0) {
            i->used = ++f->clock;
            return i->p;
        }
        if (i->used < oldest->used) oldest = i;
    }
    plan p = plan_new(l, k, in, out);
    if (!p) return NULL;
    if (oldest->p) library_of(f, oldest->k.dtype)->destroy(oldest->p);
    *oldest = (entry){.k = *k, .p = p, .used = ++f->clock};
    return p;
}

/* ---- lines in blocks ---- */

/* The transforms along one axis of complex numbers, from one layout to another or in place. */
typedef struct {
    const library *l;
    plan p;                                    /* of a block, in place: its lines one after the other */
    const char *in;
    char *out;
    int64_t item, n, is, os;                   /* of the axis */
    int64_t width, near_n, near_is, near_os;   /* lines of a block, and the axis along which they are neighbours */
    int64_t pitch;                             /* from line to line in a block */
    int ndim;                                  /* the other axes */
    int64_t shape[KIR_MAX_DIMS], in_step[KIR_MAX_DIMS], out_step[KIR_MAX_DIMS];
    int64_t blocks, chunks;
    bool failed;
} lines;

/* A block of lines from the array at `far` to the buffer at `near`, or back. */
#define COPIES(item)                                                                                                       \
    static void gather_##item(const lines *q, char *near, const char *far, int64_t width) {                                \
        const int64_t n = q->n, step = q->is * item, next = q->near_is * item, pitch = q->pitch * item;                    \
        for (int64_t k = 0; k < n; k++, near += item, far += step) {                                                       \
            for (int64_t w = 0; k + AHEAD < n && w < width; w += LINE / item) __builtin_prefetch(far + AHEAD * step + w * next); \
            for (int64_t w = 0; w < width; w++) memcpy(near + w * pitch, far + w * next, item);                            \
        }                                                                                                                  \
    }                                                                                                                      \
    static void scatter_##item(const lines *q, char *far, const char *near, int64_t width) {                               \
        const int64_t n = q->n, step = q->os * item, next = q->near_os * item, pitch = q->pitch * item;                    \
        for (int64_t k = 0; k < n; k++, near += item, far += step) {                                                       \
            for (int64_t w = 0; k + AHEAD < n && w < width; w += LINE / item) __builtin_prefetch(far + AHEAD * step + w * next, 1); \
            for (int64_t w = 0; w < width; w++) memcpy(far + w * next, near + w * pitch, item);                            \
        }                                                                                                                  \
    }
COPIES(8)
COPIES(16)
#undef COPIES

static void run_chunk(void *arg, int64_t chunk) {
    lines *q = arg;
    char *block = mem_new((size_t)(q->width * q->pitch * q->item) + 64), *buffer = block ? block + (64 - (uintptr_t)block % 64) % 64 : NULL;
    int64_t per_row = (q->near_n + q->width - 1) / q->width;
    if (!block) __atomic_store_n(&q->failed, true, __ATOMIC_RELAXED);
    for (int64_t b = q->blocks * chunk / q->chunks; block && b < q->blocks * (chunk + 1) / q->chunks; b++) {
        int64_t first = b % per_row * q->width, rest = b / per_row, in = first * q->near_is, out = first * q->near_os;
        for (int d = q->ndim - 1; d >= 0; d--) {
            in += rest % q->shape[d] * q->in_step[d];
            out += rest % q->shape[d] * q->out_step[d];
            rest /= q->shape[d];
        }
        int64_t width = MIN(q->width, q->near_n - first);
        (q->item == 8 ? gather_8 : gather_16)(q, buffer, q->in + in * q->item, width);
        q->l->run_c2c(q->p, buffer, buffer); /* what stands in the lines that are not there does not matter */
        (q->item == 8 ? scatter_8 : scatter_16)(q, q->out + out * q->item, buffer, width);
    }
    mem_free(block);
}

/* The transforms along an axis of a call's space, whose extents are n: of the complex layout `in` to the layout `out`. */
static gpa_code by_blocks(fft *f, int threads, const gpa_libcall *c, int axis, const int64_t *n, const char *in, const int64_t *is, char *out,
                          const int64_t *os, gpa_err *e) {
    const library *l = library_of(f, c->dtype);
    lines q = {.l = l, .in = in, .out = out, .item = (int64_t)dtype_size(c->dtype), .n = n[axis], .is = is[axis], .os = os[axis], .near_n = 1, .blocks = 1};
    int near = -1;
    for (int d = 0; d < c->fft.ndim; d++)
        if (d != axis && n[d] > 1 && (near < 0 || os[d] < os[near])) near = d;
    for (int d = 0; d < c->fft.ndim; d++) {
        if (d == axis || d == near) continue;
        q.shape[q.ndim] = n[d];
        q.in_step[q.ndim] = is[d];
        q.out_step[q.ndim++] = os[d];
        q.blocks *= n[d];
    }
    if (near >= 0) q.near_n = n[near], q.near_is = is[near], q.near_os = os[near];
    q.pitch = (q.n * q.item + LINE - 1) / LINE * LINE / q.item;
    if (q.pitch * q.item % (16 * LINE) == 0) q.pitch += LINE / q.item; /* else the lines' points would meet in few sets of the cache */
    q.width = MIN(q.near_n, MAX(LINE, MIN(BLOCK_BYTES, BLOCK_ROOM / q.pitch / LINE * LINE)) / q.item);
    q.blocks *= (q.near_n + q.width - 1) / q.width;
    q.chunks = MIN(q.blocks, 8 * threads);
    key k;
    begin_key(&k, c);
    k.in_place = k.rank = k.threads = 1;
    k.ndim = 2;
    k.n[0] = q.n, k.n[1] = q.width;
    k.is[0] = k.os[0] = 1, k.is[1] = k.os[1] = q.pitch;
    char *sample = mem_new((size_t)(q.width * q.pitch * q.item) + 64), *aligned = sample ? sample + (64 - (uintptr_t)sample % 64) % 64 : NULL;
    if (!sample) return gpa_no_memory(e);
    q.p = plan_of(f, l, &k, aligned, aligned);
    mem_free(sample);
    if (!q.p) return gpa_fail(e, GPA_E_INTERNAL, "FFTW has no plan for this transform");
    int32_t never = 0;
    threads_each(threads, q.chunks, &never, run_chunk, &q);
    return q.failed ? gpa_no_memory(e) : GPA_OK;
}

/* ---- rows of complex numbers ---- */

/* Transforms along the first dimension, whose numbers are neighbours, row by row: for a row FFTW estimates better plans than for many at once. */
typedef struct {
    const library *l;
    const gpa_libcall *c;
    plan p;                     /* of a row between aligned places */
    const char *in;
    char *out;
    size_t bytes;               /* of a row */
    bool copied;                /* rows lie unevenly, or are overwritten, and go through places of their own */
    int64_t in_step[KIR_MAX_DIMS], out_step[KIR_MAX_DIMS]; /* bytes from row to row along each of the other dimensions */
    int64_t count, chunks;
    bool failed;
} row_by_row;

static char *aligned(char *at) { return at + (LINE - (uintptr_t)at % LINE) % LINE; }

static void rows_chunk(void *arg, int64_t chunk) {
    row_by_row *q = arg;
    const size_t pitch = (q->bytes + LINE - 1) / LINE * LINE;
    char *room = q->copied ? mem_new(2 * pitch + LINE) : NULL, *near = room ? aligned(room) : NULL;
    if (q->copied && !room) {
        __atomic_store_n(&q->failed, true, __ATOMIC_RELAXED);
        return;
    }
    for (int64_t r = q->count * chunk / q->chunks; r < q->count * (chunk + 1) / q->chunks; r++) {
        const char *in = q->in;
        char *out = q->out;
        int64_t rest = r;
        for (int d = q->c->fft.ndim - 1; d > 0; d--) {
            in += rest % q->c->fft.n[d] * q->in_step[d];
            out += rest % q->c->fft.n[d] * q->out_step[d];
            rest /= q->c->fft.n[d];
        }
        if (near) {
            memcpy(near, in, q->bytes);
            q->l->run_c2c(q->p, near, near + pitch);
            memcpy(out, near + pitch, q->bytes);
        } else {
            q->l->run_c2c(q->p, (void *)(uintptr_t)in, out);
        }
    }
    mem_free(room);
}

static bool rows_can(const gpa_libcall *c) {
    if (c->fft.form != FFT_C2C || c->fft.rank != 1 || c->fft.in.stride[0] != 1 || c->fft.out.stride[0] != 1) return false;
    return c->fft.n[0] >= ROW_FROM && c->fft.n[0] <= ROW_TO && points(c) >= 2 * c->fft.n[0];
}

static gpa_code by_rows(fft *f, int threads, const gpa_libcall *c, void *in, void *out, gpa_err *e) {
    const int64_t item = (int64_t)dtype_size(c->dtype);
    row_by_row q = {.l = library_of(f, c->dtype), .c = c, .in = in, .out = out, .bytes = (size_t)(c->fft.n[0] * item), .count = points(c) / c->fft.n[0]};
    q.copied = in == out;
    for (int d = 1; d < c->fft.ndim; d++) {
        q.in_step[d] = c->fft.in.stride[d] * item;
        q.out_step[d] = c->fft.out.stride[d] * item;
        q.copied = q.copied || q.l->alignment((char *)in + q.in_step[d]) || q.l->alignment((char *)out + q.out_step[d]);
    }
    q.copied = q.copied || q.l->alignment(in) || q.l->alignment(out);
    q.chunks = MIN(q.count, 8 * threads);
    key k;
    begin_key(&k, c);
    k.rank = k.ndim = k.threads = 1;
    k.n[0] = c->fft.n[0];
    k.is[0] = k.os[0] = 1;
    char *sample = mem_new(2 * q.bytes + 2 * LINE), *first = sample ? aligned(sample) : NULL;
    if (!sample) return gpa_no_memory(e);
    q.p = plan_of(f, q.l, &k, first, aligned(first + q.bytes));
    mem_free(sample);
    if (!q.p) return gpa_fail(e, GPA_E_INTERNAL, "FFTW has no plan for this transform");
    int32_t never = 0;
    threads_each(points(c) < THREADS_FROM ? 1 : threads, q.chunks, &never, rows_chunk, &q);
    return q.failed ? gpa_no_memory(e) : GPA_OK;
}

/* ---- rows of real numbers ---- */

/* Real transforms along the first dimension, whose numbers are neighbours, by complex ones of half the length. */
typedef struct {
    const library *l;
    const gpa_libcall *c;
    plan whole, last;          /* of a block, and of the last one of a row of blocks */
    const void *w;
    char *in, *out;
    int64_t item, h, width;    /* item: bytes of a complex number; rows of a block */
    int64_t in_step[KIR_MAX_DIMS], out_step[KIR_MAX_DIMS]; /* bytes from row to row along each of the other dimensions */
    int64_t per_row, blocks, chunks;
} halves;

static const void *factors_of(fft *f, gpa_dtype t, int64_t h) {
    factors *oldest = f->factors;
    for (factors *i = f->factors; i < f->factors + FACTORS; i++) {
        if (i->w && i->h == h && i->dtype == t) {
            i->used = ++f->clock;
            return i->w;
        }
        if (i->used < oldest->used) oldest = i;
    }
    mem_free(oldest->w);
    *oldest = (factors){.dtype = t, .h = h, .w = unfold_factors(t, h), .used = ++f->clock};
    return oldest->w;
}

static void halves_chunk(void *arg, int64_t chunk) {
    const halves *q = arg;
    bool inverse = q->c->fft.form == FFT_C2R;
    for (int64_t b = q->blocks * chunk / q->chunks; b < q->blocks * (chunk + 1) / q->chunks; b++) {
        int64_t first = b % q->per_row * q->width, rest = b / q->per_row, width = MIN(q->width, q->c->fft.n[1] - first);
        char *in = q->in + first * q->in_step[1], *out = q->out + first * q->out_step[1];
        for (int d = q->c->fft.ndim - 1; d > 1; d--) {
            in += rest % q->c->fft.n[d] * q->in_step[d];
            out += rest % q->c->fft.n[d] * q->out_step[d];
            rest /= q->c->fft.n[d];
        }
        for (int64_t k = 0; inverse && k < width; k++) unfold(q->c->dtype, in + k * q->in_step[1], q->h, q->w, true);
        q->l->run_c2c(width == q->width ? q->whole : q->last, in, out);
        for (int64_t k = 0; !inverse && k < width; k++) unfold(q->c->dtype, out + k * q->out_step[1], q->h, q->w, false);
    }
}

static bool halves_can(const gpa_libcall *c) {
    int64_t n = c->fft.n[0];
    const int64_t *real = c->fft.form == FFT_R2C ? c->fft.in.stride : c->fft.out.stride;
    if (c->fft.form == FFT_C2C || c->fft.rank != 1 || n % 2 || n < HALVES_FROM || n > HALVES_TO) return false;
    if (c->fft.in.stride[0] != 1 || c->fft.out.stride[0] != 1) return false;
    for (int d = 1; d < c->fft.ndim; d++)
        if (real[d] % 2) return false;
    return true;
}

/* Whether it was done: not when the rows do not lie alike, FFTW has no plan, or memory is short. */
static bool by_halves(fft *f, int threads, const gpa_libcall *call, void *in, void *out) {
    gpa_libcall c = *call;
    halves q = {.l = library_of(f, c.dtype), .c = &c, .in = in, .out = out, .item = (int64_t)dtype_size(c.dtype), .h = c.fft.n[0] / 2, .blocks = 1};
    if (!halves_can(call)) return false;
    if (c.fft.ndim == 1) { /* one row */
        c.fft.n[1] = 1;
        c.fft.in.stride[1] = c.fft.out.stride[1] = 0;
        c.fft.ndim = 2;
    }
    bool inverse = c.fft.form == FFT_C2R;
    q.width = MIN(c.fft.n[1], MAX(ROWS_STEP, ROWS_BYTES / (q.h * q.item) / ROWS_STEP * ROWS_STEP));
    for (int d = 1; d < c.fft.ndim; d++) {
        q.in_step[d] = c.fft.in.stride[d] * q.item / (inverse ? 1 : 2);
        q.out_step[d] = c.fft.out.stride[d] * q.item / (inverse ? 2 : 1);
        int64_t rows = d > 1 ? 1 : q.width < c.fft.n[1] ? q.width : 0; /* from a block to the next */
        if (q.l->alignment((char *)in + rows * q.in_step[d]) != q.l->alignment(in)) return false;
        if (q.l->alignment((char *)out + rows * q.out_step[d]) != q.l->alignment(out)) return false;
        if (d > 1) q.blocks *= c.fft.n[d];
    }
    q.per_row = (c.fft.n[1] + q.width - 1) / q.width;
    q.blocks *= q.per_row;
    q.chunks = MIN(q.blocks, 8 * threads);
    key k;
    memset(&k, 0, sizeof k);
    k.dtype = c.dtype;
    k.inverse = inverse;
    k.rank = 1;
    k.ndim = 2;
    k.threads = q.l->threads && q.blocks == 1 && points(&c) >= THREADS_FROM ? threads : 1;
    k.in_align = q.l->alignment(in);
    k.out_align = q.l->alignment(out);
    k.n[0] = q.h, k.n[1] = q.width;
    k.is[0] = k.os[0] = 1, k.is[1] = q.in_step[1] / q.item, k.os[1] = q.out_step[1] / q.item;
    q.whole = plan_of(f, q.l, &k, in, out);
    k.n[1] = c.fft.n[1] % q.width;
    if (k.n[1]) q.last = plan_of(f, q.l, &k, in, out);
    q.w = factors_of(f, c.dtype, q.h);
    if (!q.whole || (k.n[1] && !q.last) || !q.w) return false;
    int32_t never = 0;
    threads_each(points(&c) < THREADS_FROM ? 1 : threads, q.chunks, &never, halves_chunk, &q);
    return true;
}

/* ---- calls ---- */

/* Whether the points of an axis of the complex side lie far apart. */
static bool is_far(const gpa_libcall *c, const int64_t *strides, int axis) {
    return strides[axis] * (int64_t)dtype_size(c->dtype) >= FAR && c->fft.n[axis] > 8;
}

static gpa_code by_plan(fft *f, int threads, const gpa_libcall *c, void *in, void *out, gpa_err *e) {
    const library *l = library_of(f, c->dtype);
    if (by_halves(f, threads, c, in, out)) return GPA_OK;
    if (rows_can(c)) return by_rows(f, threads, c, in, out, e);
    key k = key_of(l, c, threads, in, out);
    plan p = plan_of(f, l, &k, in, out);
    if (!p) return gpa_fail(e, GPA_E_INTERNAL, "FFTW has no plan for this transform");
    if (c->fft.form == FFT_R2C) l->run_r2c(p, in, out);
    else if (c->fft.form == FFT_C2R) l->run_c2r(p, in, out);
    else l->run_c2c(p, in, out);
    return GPA_OK;
}

/* The last axis first, from in to out, then the others in out. */
static gpa_code by_axes(fft *f, int threads, const gpa_libcall *c, void *in, void *out, gpa_err *e) {
    gpa_libcall one = *c;
    int last = c->fft.rank - 1;
    gpa_code rc;
    int64_t n[KIR_MAX_DIMS];
    memcpy(n, c->fft.n, sizeof n);
    if (c->fft.form == FFT_C2C && is_far(c, c->fft.in.stride, last)) {
        rc = by_blocks(f, threads, c, last, n, in, c->fft.in.stride, out, c->fft.out.stride, e);
    } else { /* the call with its last axis as the only one */
        one.fft.rank = 1;
        for (int d = last; d > 0; d--) {
            one.fft.n[d] = c->fft.n[d - 1];
            one.fft.in.stride[d] = c->fft.in.stride[d - 1];
            one.fft.out.stride[d] = c->fft.out.stride[d - 1];
        }
        one.fft.n[0] = c->fft.n[last];
        one.fft.in.stride[0] = c->fft.in.stride[last];
        one.fft.out.stride[0] = c->fft.out.stride[last];
        rc = by_plan(f, threads, &one, in, out, e);
    }
    if (c->fft.form == FFT_R2C) n[last] = n[last] / 2 + 1;
    for (int axis = last - 1; axis >= 0 && !rc; axis--)
        rc = by_blocks(f, threads, c, axis, n, out, c->fft.out.stride, out, c->fft.out.stride, e);
    return rc;
}

gpa_code fft_run(fft *f, int threads, const gpa_libcall *c, gpa_err *e) {
    gpa_dtype real = dtype_info[c->dtype].real;
    void *in = at(&c->fft.in, c->fft.form == FFT_R2C ? real : c->dtype);
    void *out = at(&c->fft.out, c->fft.form == FFT_C2R ? real : c->dtype);
    bool far = false;
    for (int axis = 0; axis < c->fft.rank; axis++) far = far || is_far(c, c->fft.out.stride, axis);
    if (far && c->fft.form != FFT_C2R && points(c) >= LARGE) return by_axes(f, threads, c, in, out, e);
    return by_plan(f, threads, c, in, out, e);
}
