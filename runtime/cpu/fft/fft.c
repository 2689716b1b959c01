/* Fourier transforms: by our own passes where there are lines enough or long ones (fft_axis.h), the
 * others by FFTW.
 *
 * FFTW's guru interface takes any strides, so operands go in as they lie; only large transforms of
 * points that lie far apart are gathered, a few neighbouring lines at a time, because each point
 * would otherwise cost a line of the cache. A plan is made by estimate, so that results do not
 * depend on timing, and kept for calls of the same layout. Transforms of an even number of real
 * numbers go through complex ones of half the length (half_length.h), lengths with a large prime
 * factor through longer ones (bluestein.h). Reading order: the library, plans, lines, lines in
 * blocks, rows of complex numbers, rows of real numbers (twice), calls. */
#include "runtime/cpu/fft/fft.h"

#include <dlfcn.h>
#include <stdio.h>

#include "runtime/base/base.h"
#include "runtime/cpu/fft/bluestein.h"
#include "runtime/cpu/parallel/memory.h"
#include "runtime/cpu/fft/fft_axis.h"
#include "runtime/cpu/parallel/threads.h"
#include "runtime/cpu/fft/half_length.h"

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

/* ROW_FROM, ROW_TO: numbers of a row that is transformed by itself; HALVES_FROM, HALVES_TO: numbers
 * of a real transform that goes through a complex one; ROWS_BYTES: of its rows that are done at a
 * time. BLOCK_BYTES: of a point in the lines of a block, fewer where the block would leave the
 * nearer caches; AHEAD: points that memory is asked for in advance. */
enum {
    PLANS = 32,
    THREADS_FROM = 1 << 14,
    LARGE = 1 << 16,
    FAR = 1024,
    LINE = 64,
    BLOCK_BYTES = 256,
    BLOCK_ROOM = 256 << 10,
    AHEAD = 32,
    FACTORS = 4,
    CHIRPS = 4,
    AHEAD_BYTES = 64 << 10,
    HALVES_FROM = 16,
    HALVES_TO = 1 << 19,
    ROWS_BYTES = 32 << 10,
    ROWS_STEP = 8,
    ROW_FROM = 64,
    ROW_TO = 1 << 16
};

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
    struct {
        chirp c;
        uint64_t used;
    } chirps[CHIRPS];
    smooth *smooth;
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
    if (!l->c2c || !l->r2c || !l->c2r || !l->run_c2c || !l->run_r2c || !l->run_c2r || !l->destroy ||
        !l->alignment)
        l->library = NULL;
    void *more = l->library ? dlopen(threads, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!more) return;
    find(more, prefix, "init_threads", &l->threads_init);
    find(more, prefix, "plan_with_nthreads", &l->threads);
    if (!l->threads_init || !l->threads || !l->threads_init()) l->threads = NULL;
}

/* ---- axes ---- */

/* The call along one axis of a space whose extents are n. */
static gpa_libcall along(const gpa_libcall *c, int axis, gpa_fft_form form, const int64_t *n,
                         const gpa_binding *in, const gpa_binding *out) {
    gpa_libcall one = *c;
    one.fft.form = form;
    one.fft.rank = 1;
    one.fft.in = *in, one.fft.out = *out;
    memcpy(one.fft.n, n, sizeof one.fft.n);
    one.fft.n[0] = n[axis], one.fft.in.stride[0] = in->stride[axis],
    one.fft.out.stride[0] = out->stride[axis];
    for (int d = axis; d > 0; d--)
        one.fft.n[d] = n[d - 1], one.fft.in.stride[d] = in->stride[d - 1],
        one.fft.out.stride[d] = out->stride[d - 1];
    return one;
}

/* Whether every axis goes by our own passes. */
static bool all_smooth(const gpa_libcall *c) {
    int64_t n[KIR_MAX_DIMS];
    memcpy(n, c->fft.n, sizeof n);
    for (int axis = c->fft.rank - 1; axis >= 0; axis--) {
        bool last = axis == c->fft.rank - 1;
        gpa_libcall one = along(c, axis, last ? c->fft.form : FFT_C2C, n,
                                last ? &c->fft.in : &c->fft.out, &c->fft.out);
        if (!smooth_can(&one)) return false;
        if (c->fft.form == FFT_R2C && last) n[axis] = n[axis] / 2 + 1;
    }
    return true;
}

/* ---- the library, found ---- */

static library *library_of(fft *f, gpa_dtype t) { return t == DT_C128 ? &f->wide : &f->single; }

bool fft_can(fft **f, const gpa_libcall *c) {
    if (c->fft.alone && !all_smooth(c)) return false;
    if (!*f && !(*f = mem_zero(sizeof **f))) return false;
    library *l = library_of(*f, c->dtype);
    if (!l->library && c->dtype == DT_C128)
        load(l, "fftw", "libfftw3.so.3", "libfftw3_threads.so.3");
    if (!l->library && c->dtype == DT_C64)
        load(l, "fftwf", "libfftw3f.so.3", "libfftw3f_threads.so.3");
    return l->library != NULL;
}

void fft_free(fft *f) {
    for (size_t i = 0; f && i < PLANS; i++)
        if (f->plans[i].p) library_of(f, f->plans[i].k.dtype)->destroy(f->plans[i].p);
    for (size_t i = 0; f && i < FACTORS; i++) mem_free(f->factors[i].w);
    for (size_t i = 0; f && i < CHIRPS; i++) chirp_free(&f->chirps[i].c);
    if (f) smooth_free(f->smooth);
    mem_free(f);
}

/* ---- plans ---- */

static char *at(const gpa_binding *b, gpa_dtype t) {
    return b->mem->base + b->offset * (int64_t)dtype_size(t);
}

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

/* ---- lines ---- */

static size_t rounded(size_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }
static char *aligned(char *at) { return at + (LINE - (uintptr_t)at % LINE) % LINE; }

/* The transform of a line: n points between aligned places. */
typedef struct {
    const library *l;
    plan p; /* with a chirp that of its length, forward */
    plan back;
    const chirp *c; /* NULL: none */
} line;

/* Bytes that line_run wants to work in, aligned. */
static size_t line_room(const line *q) {
    return q->c ? 2 * rounded((size_t)q->c->m * dtype_size(q->c->dtype)) : 0;
}

static void line_run(const line *q, const char *in, char *out, char *room) {
    if (!q->c) {
        q->l->run_c2c(q->p, (void *)(uintptr_t)in, out);
        return;
    }
    char *other = room + line_room(q) / 2;
    chirp_begin(q->c, in, room);
    q->l->run_c2c(q->p, room, other);
    chirp_middle(q->c, other);
    q->l->run_c2c(q->back, other, room);
    chirp_end(q->c, room, out);
}

/* The plan of `width` lines between aligned places, `pitch` points from line to line. */
static gpa_code lines_plan(fft *f, gpa_dtype t, int64_t n, int64_t width, int64_t pitch,
                           bool inverse, plan *out, gpa_err *e) {
    const size_t bytes = rounded((size_t)((width - 1) * pitch + n) * dtype_size(t));
    key k;
    memset(&k, 0, sizeof k);
    k.dtype = t;
    k.inverse = inverse;
    k.rank = k.threads = 1;
    k.ndim = width > 1 ? 2 : 1;
    k.n[0] = n, k.is[0] = k.os[0] = 1;
    if (width > 1) k.n[1] = width, k.is[1] = k.os[1] = pitch;
    char *sample = mem_new(2 * bytes + LINE), *first = sample ? aligned(sample) : NULL;
    if (!sample) return gpa_no_memory(e);
    *out = plan_of(f, library_of(f, t), &k, first, first + bytes);
    mem_free(sample);
    return *out ? GPA_OK : gpa_fail(e, GPA_E_INTERNAL, "FFTW has no plan for this transform");
}

/* The chirp of a line, with its spectrum; NULL when memory is short. */
static const chirp *chirp_of(fft *f, const line *q, gpa_dtype t, int64_t n, int64_t m,
                             bool inverse) {
    int oldest = 0;
    for (int i = 0; i < CHIRPS; i++) {
        const chirp *c = &f->chirps[i].c;
        if (c->w && c->dtype == t && c->n == n && c->inverse == inverse) {
            f->chirps[i].used = ++f->clock;
            return c;
        }
        if (f->chirps[i].used < f->chirps[oldest].used) oldest = i;
    }
    chirp *c = &f->chirps[oldest].c;
    size_t bytes = rounded((size_t)m * dtype_size(t));
    char *room = mem_new(2 * bytes + LINE), *at = room ? aligned(room) : NULL;
    chirp_free(c);
    bool made = room && chirp_make(c, t, n, m, inverse);
    if (made) {
        memcpy(at, c->spectrum, (size_t)m * dtype_size(t));
        q->l->run_c2c(q->p, at, at + bytes);
        chirp_scale(c, at + bytes);
        f->chirps[oldest].used = ++f->clock;
    }
    mem_free(room);
    return made ? c : NULL;
}

static gpa_code line_of(fft *f, gpa_dtype t, int64_t n, bool inverse, line *q, gpa_err *e) {
    gpa_code rc = GPA_OK;
    int64_t m = chirp_length(t, n);
    *q = (line){.l = library_of(f, t)};
    if (!m) return lines_plan(f, t, n, 1, 0, inverse, &q->p, e);
    TRY(lines_plan(f, t, m, 1, 0, false, &q->p, e));
    TRY(lines_plan(f, t, m, 1, 0, true, &q->back, e));
    q->c = chirp_of(f, q, t, n, m, inverse);
    if (!q->c) rc = gpa_no_memory(e);
out:
    return rc;
}

/* ---- lines in blocks ---- */

/* The transforms along one axis of complex numbers, from one layout to another or in place. */
typedef struct {
    const library *l;
    plan p; /* of a block, between two places, its lines one after the other; NULL: line by line */
    line one;
    const char *in;
    char *out;
    int64_t item, n, is, os; /* of the axis */
    int64_t width, near_n, near_is,
        near_os;   /* lines of a block, and the axis along which they are neighbours */
    int64_t pitch; /* from line to line in a block */
    int ndim;      /* the other axes */
    int64_t shape[KIR_MAX_DIMS], in_step[KIR_MAX_DIMS], out_step[KIR_MAX_DIMS];
    int64_t blocks, chunks;
    bool failed;
} lines;

/* A block of lines from the array at `far` to the buffer at `near`, or back. */
#define COPIES(item)                                                                            \
    static void gather_##item(const lines *q, char *near, const char *far, int64_t width) {     \
        const int64_t n = q->n, step = q->is * item, next = q->near_is * item,                  \
                      pitch = q->pitch * item;                                                  \
        for (int64_t k = 0; k < n; k++, near += item, far += step) {                            \
            for (int64_t w = 0; k + AHEAD < n && w < width; w += LINE / item)                   \
                __builtin_prefetch(far + AHEAD * step + w * next);                              \
            for (int64_t w = 0; w < width; w++) memcpy(near + w * pitch, far + w * next, item); \
        }                                                                                       \
    }                                                                                           \
    static void scatter_##item(const lines *q, char *far, const char *near, int64_t width) {    \
        const int64_t n = q->n, step = q->os * item, next = q->near_os * item,                  \
                      pitch = q->pitch * item;                                                  \
        for (int64_t k = 0; k < n; k++, near += item, far += step) {                            \
            for (int64_t w = 0; k + AHEAD < n && w < width; w += LINE / item)                   \
                __builtin_prefetch(far + AHEAD * step + w * next, 1);                           \
            for (int64_t w = 0; w < width; w++) memcpy(far + w * next, near + w * pitch, item); \
        }                                                                                       \
    }
COPIES(8)
COPIES(16)
#undef COPIES

/* Bytes of a block. */
static size_t block_of(const lines *q) { return rounded((size_t)(q->width * q->pitch * q->item)); }

static void run_chunk(void *arg, int64_t chunk) {
    lines *q = arg;
    const size_t bytes = block_of(q), pitch = (size_t)(q->pitch * q->item);
    char *room = mem_new(2 * bytes + (q->p ? 0 : line_room(&q->one)) + LINE),
         *near = room ? aligned(room) : NULL, *done = near + bytes;
    int64_t per_row = (q->near_n + q->width - 1) / q->width;
    if (!room) __atomic_store_n(&q->failed, true, __ATOMIC_RELAXED);
    for (int64_t b = q->blocks * chunk / q->chunks; room && b < q->blocks * (chunk + 1) / q->chunks;
         b++) {
        int64_t first = b % per_row * q->width, rest = b / per_row, in = first * q->near_is,
                out = first * q->near_os;
        for (int d = q->ndim - 1; d >= 0; d--) {
            in += rest % q->shape[d] * q->in_step[d];
            out += rest % q->shape[d] * q->out_step[d];
            rest /= q->shape[d];
        }
        int64_t width = MIN(q->width, q->near_n - first);
        (q->item == 8 ? gather_8 : gather_16)(q, near, q->in + in * q->item, width);
        if (q->p)
            q->l->run_c2c(q->p, near,
                          done); /* what stands in the lines that are not there does not matter */
        for (int64_t w = 0; !q->p && w < width; w++)
            line_run(&q->one, near + (size_t)w * pitch, done + (size_t)w * pitch, done + bytes);
        (q->item == 8 ? scatter_8 : scatter_16)(q, q->out + out * q->item, done, width);
    }
    mem_free(room);
}

/* The transforms along an axis of a call's space, whose extents are n: of the complex layout `in`
 * to the layout `out`. */
static gpa_code by_blocks(fft *f, int threads, const gpa_libcall *c, int axis, const int64_t *n,
                          const char *in, const int64_t *is, char *out, const int64_t *os,
                          gpa_err *e) {
    const library *l = library_of(f, c->dtype);
    lines q = {.l = l,
               .in = in,
               .out = out,
               .item = (int64_t)dtype_size(c->dtype),
               .n = n[axis],
               .is = is[axis],
               .os = os[axis],
               .near_n = 1,
               .blocks = 1};
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
    if (q.pitch * q.item % (16 * LINE) == 0)
        q.pitch += LINE / q.item; /* else the lines' points would meet in few sets of the cache */
    q.width =
        MIN(q.near_n, MAX(LINE, MIN(BLOCK_BYTES, BLOCK_ROOM / q.pitch / LINE * LINE)) / q.item);
    q.blocks *= (q.near_n + q.width - 1) / q.width;
    q.chunks = MIN(q.blocks, 8 * threads);
    gpa_code rc = chirp_length(c->dtype, q.n)
                      ? line_of(f, c->dtype, q.n, c->fft.inverse, &q.one, e)
                      : lines_plan(f, c->dtype, q.n, q.width, q.pitch, c->fft.inverse, &q.p, e);
    if (rc) return rc;
    int32_t never = 0;
    threads_each(threads, q.chunks, &never, run_chunk, &q);
    return q.failed ? gpa_no_memory(e) : GPA_OK;
}

/* ---- rows of complex numbers ---- */

/* Transforms along the first dimension, whose numbers are neighbours, row by row: for a row FFTW
 * estimates better plans than for many at once. */
typedef struct {
    const library *l;
    const gpa_libcall *c;
    line one; /* of a row */
    const char *in;
    char *out;
    size_t bytes; /* of a row */
    bool copied;  /* rows lie unevenly, or are overwritten, and go through places of their own */
    int64_t in_step[KIR_MAX_DIMS],
        out_step[KIR_MAX_DIMS]; /* bytes from row to row along each of the other dimensions */
    int64_t count, chunks;
    bool failed;
} row_by_row;

/* Asks memory for a row that comes next: FFTW jumps in it. */
static void ask_for(const char *row, size_t bytes) {
    for (size_t i = 0; i < bytes; i += LINE) __builtin_prefetch(row + i, 0, 2);
}

static void rows_chunk(void *arg, int64_t chunk) {
    row_by_row *q = arg;
    const size_t pitch = rounded(q->bytes);
    char *room = mem_new((q->copied ? 2 * pitch : 0) + line_room(&q->one) + LINE),
         *near = room ? aligned(room) : NULL, *more = near + (q->copied ? 2 * pitch : 0);
    if (!room) __atomic_store_n(&q->failed, true, __ATOMIC_RELAXED);
    for (int64_t r = q->count * chunk / q->chunks; room && r < q->count * (chunk + 1) / q->chunks;
         r++) {
        const char *in = q->in;
        char *out = q->out;
        int64_t rest = r;
        for (int d = q->c->fft.ndim - 1; d > 0; d--) {
            in += rest % q->c->fft.n[d] * q->in_step[d];
            out += rest % q->c->fft.n[d] * q->out_step[d];
            rest /= q->c->fft.n[d];
        }
        if (q->copied) {
            memcpy(near, in, q->bytes);
            line_run(&q->one, near, near + pitch, more);
            memcpy(out, near + pitch, q->bytes);
        } else {
            if (q->bytes <= AHEAD_BYTES && q->c->fft.ndim > 1 &&
                r % q->c->fft.n[1] + 1 < q->c->fft.n[1])
                ask_for(in + q->in_step[1], q->bytes);
            line_run(&q->one, in, out, more);
        }
    }
    mem_free(room);
}

static bool rows_can(const gpa_libcall *c) {
    if (c->fft.form != FFT_C2C || c->fft.rank != 1 || c->fft.in.stride[0] != 1 ||
        c->fft.out.stride[0] != 1)
        return false;
    return c->fft.n[0] >= ROW_FROM && c->fft.n[0] <= ROW_TO &&
           (points(c) >= 2 * c->fft.n[0] || chirp_length(c->dtype, c->fft.n[0]));
}

static gpa_code by_rows(fft *f, int threads, const gpa_libcall *c, void *in, void *out,
                        gpa_err *e) {
    const int64_t item = (int64_t)dtype_size(c->dtype);
    row_by_row q = {.l = library_of(f, c->dtype),
                    .c = c,
                    .in = in,
                    .out = out,
                    .bytes = (size_t)(c->fft.n[0] * item),
                    .count = points(c) / c->fft.n[0]};
    gpa_code rc = line_of(f, c->dtype, c->fft.n[0], c->fft.inverse, &q.one, e);
    if (rc) return rc;
    q.copied = in == out;
    for (int d = 1; d < c->fft.ndim; d++) {
        q.in_step[d] = c->fft.in.stride[d] * item;
        q.out_step[d] = c->fft.out.stride[d] * item;
        q.copied = q.copied || q.l->alignment((char *)in + q.in_step[d]) ||
                   q.l->alignment((char *)out + q.out_step[d]);
    }
    q.copied = !q.one.c && (q.copied || q.l->alignment(in) ||
                            q.l->alignment(out)); /* a chirp reads all of a row before it writes */
    q.chunks = MIN(q.count, 8 * threads);
    int32_t never = 0;
    threads_each(points(c) < THREADS_FROM ? 1 : threads, q.chunks, &never, rows_chunk, &q);
    return q.failed ? gpa_no_memory(e) : GPA_OK;
}

/* ---- rows of real numbers ---- */

/* Real transforms along the first dimension, whose numbers are neighbours, by complex ones of half
 * the length. */
typedef struct {
    const library *l;
    const gpa_libcall *c;
    plan whole, last; /* of a block, and of the last one of a row of blocks; NULL: row by row */
    line one;
    const void *w;
    char *in, *out;
    int64_t item, h, width; /* item: bytes of a complex number; rows of a block */
    int64_t in_step[KIR_MAX_DIMS],
        out_step[KIR_MAX_DIMS]; /* bytes from row to row along each of the other dimensions */
    int64_t per_row, blocks, chunks;
    bool failed;
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
    halves *q = arg;
    bool inverse = q->c->fft.form == FFT_C2R;
    char *room = q->whole ? NULL : mem_new(line_room(&q->one) + LINE);
    bool ready = q->whole || room;
    if (!ready) __atomic_store_n(&q->failed, true, __ATOMIC_RELAXED);
    for (int64_t b = q->blocks * chunk / q->chunks;
         ready && b < q->blocks * (chunk + 1) / q->chunks; b++) {
        int64_t first = b % q->per_row * q->width, rest = b / q->per_row,
                width = MIN(q->width, q->c->fft.n[1] - first);
        char *in = q->in + first * q->in_step[1], *out = q->out + first * q->out_step[1];
        for (int d = q->c->fft.ndim - 1; d > 1; d--) {
            in += rest % q->c->fft.n[d] * q->in_step[d];
            out += rest % q->c->fft.n[d] * q->out_step[d];
            rest /= q->c->fft.n[d];
        }
        for (int64_t k = 0; inverse && k < width; k++)
            unfold(q->c->dtype, in + k * q->in_step[1], in + k * q->in_step[1], q->h, q->w, true);
        if (q->whole) q->l->run_c2c(width == q->width ? q->whole : q->last, in, out);
        for (int64_t k = 0; !q->whole && k < width; k++)
            line_run(&q->one, in + k * q->in_step[1], out + k * q->out_step[1], aligned(room));
        for (int64_t k = 0; !inverse && k < width; k++)
            unfold(q->c->dtype, out + k * q->out_step[1], out + k * q->out_step[1], q->h, q->w,
                   false);
    }
    mem_free(room);
}

static bool halves_can(const gpa_libcall *c) {
    int64_t n = c->fft.n[0];
    const int64_t *real = c->fft.form == FFT_R2C ? c->fft.in.stride : c->fft.out.stride;
    if (c->fft.form == FFT_C2C || c->fft.rank != 1 || n % 2 || n < HALVES_FROM || n > HALVES_TO)
        return false;
    if (c->fft.in.stride[0] != 1 || c->fft.out.stride[0] != 1) return false;
    for (int d = 1; d < c->fft.ndim; d++)
        if (real[d] % 2) return false;
    return true;
}

/* FFTW's plans for blocks of rows. */
static bool halves_plans(fft *f, int threads, halves *q, void *in, void *out) {
    key k;
    begin_key(&k, q->c);
    k.inverse = q->c->fft.form == FFT_C2R;
    k.rank = 1;
    k.ndim = 2;
    k.threads = q->l->threads && q->blocks == 1 && points(q->c) >= THREADS_FROM ? threads : 1;
    k.in_align = q->l->alignment(in);
    k.out_align = q->l->alignment(out);
    k.n[0] = q->h, k.n[1] = q->width;
    k.is[0] = k.os[0] = 1, k.is[1] = q->in_step[1] / q->item, k.os[1] = q->out_step[1] / q->item;
    q->whole = plan_of(f, q->l, &k, in, out);
    k.n[1] = q->c->fft.n[1] % q->width;
    if (k.n[1]) q->last = plan_of(f, q->l, &k, in, out);
    return q->whole && (!k.n[1] || q->last);
}

/* Whether that is the way: not when the rows do not lie alike, or FFTW has no plan. */
static bool by_halves(fft *f, int threads, const gpa_libcall *call, void *in, void *out,
                      gpa_code *rc, gpa_err *e) {
    gpa_libcall c = *call;
    halves q = {.l = library_of(f, c.dtype),
                .c = &c,
                .in = in,
                .out = out,
                .item = (int64_t)dtype_size(c.dtype),
                .h = c.fft.n[0] / 2,
                .blocks = 1};
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
        int64_t rows = d > 1                  ? 1
                       : q.width < c.fft.n[1] ? q.width
                                              : 0; /* from a block to the next */
        if (q.l->alignment((char *)in + rows * q.in_step[d]) != q.l->alignment(in)) return false;
        if (q.l->alignment((char *)out + rows * q.out_step[d]) != q.l->alignment(out)) return false;
        if (d > 1) q.blocks *= c.fft.n[d];
    }
    q.per_row = (c.fft.n[1] + q.width - 1) / q.width;
    q.blocks *= q.per_row;
    q.chunks = MIN(q.blocks, 8 * threads);
    q.w = factors_of(f, c.dtype, q.h);
    if (!q.w) return false;
    if (chirp_length(c.dtype, q.h))
        *rc = line_of(f, c.dtype, q.h, inverse, &q.one, e);
    else if (!halves_plans(f, threads, &q, in, out))
        return false;
    int32_t never = 0;
    if (!*rc)
        threads_each(points(&c) < THREADS_FROM ? 1 : threads, q.chunks, &never, halves_chunk, &q);
    if (q.failed) *rc = gpa_no_memory(e);
    return true;
}

/* ---- rows of real numbers through complex ones of their length ---- */

typedef struct {
    const gpa_libcall *c;
    line one;
    const char *in;
    char *out;
    int64_t in_item, out_item, count, chunks;
    bool failed;
} wholes;

static void wholes_chunk(void *arg, int64_t chunk) {
    wholes *q = arg;
    const gpa_libcall *c = q->c;
    const size_t bytes = rounded((size_t)c->fft.n[0] * dtype_size(c->dtype));
    char *room = mem_new(bytes + line_room(&q->one) + LINE), *row = room ? aligned(room) : NULL;
    if (!room) __atomic_store_n(&q->failed, true, __ATOMIC_RELAXED);
    for (int64_t r = q->count * chunk / q->chunks; room && r < q->count * (chunk + 1) / q->chunks;
         r++) {
        const char *in = q->in;
        char *out = q->out;
        int64_t rest = r;
        for (int d = c->fft.ndim - 1; d > 0; d--) {
            in += rest % c->fft.n[d] * c->fft.in.stride[d] * q->in_item;
            out += rest % c->fft.n[d] * c->fft.out.stride[d] * q->out_item;
            rest /= c->fft.n[d];
        }
        if (c->fft.form == FFT_R2C)
            chirp_widen(q->one.c, in, c->fft.in.stride[0], row);
        else
            chirp_mirror(q->one.c, in, c->fft.in.stride[0], row);
        line_run(&q->one, row, row, row + bytes);
        if (c->fft.form == FFT_R2C)
            chirp_half(q->one.c, row, out, c->fft.out.stride[0]);
        else
            chirp_reals(q->one.c, row, out, c->fft.out.stride[0]);
    }
    mem_free(room);
}

static gpa_code by_wholes(fft *f, int threads, const gpa_libcall *c, void *in, void *out,
                          gpa_err *e) {
    const int64_t item = (int64_t)dtype_size(c->dtype), real = item / 2;
    bool forward = c->fft.form == FFT_R2C;
    wholes q = {.c = c,
                .in = in,
                .out = out,
                .in_item = forward ? real : item,
                .out_item = forward ? item : real,
                .count = points(c) / c->fft.n[0]};
    gpa_code rc = line_of(f, c->dtype, c->fft.n[0], !forward, &q.one, e);
    if (rc) return rc;
    q.chunks = MIN(q.count, 8 * threads);
    int32_t never = 0;
    threads_each(points(c) < THREADS_FROM ? 1 : threads, q.chunks, &never, wholes_chunk, &q);
    return q.failed ? gpa_no_memory(e) : GPA_OK;
}

/* ---- calls ---- */

/* Whether the points of an axis of the complex side lie far apart. */
static bool is_far(const gpa_libcall *c, const int64_t *strides, int axis) {
    return strides[axis] * (int64_t)dtype_size(c->dtype) >= FAR && c->fft.n[axis] > 8;
}

static gpa_code by_plan(fft *f, int threads, const gpa_libcall *c, void *in, void *out,
                        gpa_err *e) {
    const library *l = library_of(f, c->dtype);
    gpa_code rc = GPA_OK;
    if (smooth_can(c)) return smooth_run(&f->smooth, threads, c, in, out, e);
    if (by_halves(f, threads, c, in, out, &rc, e)) return rc;
    if (rows_can(c)) return by_rows(f, threads, c, in, out, e);
    if (c->fft.rank == 1 && chirp_length(c->dtype, c->fft.n[0]))
        return c->fft.form == FFT_C2C ? by_blocks(f, threads, c, 0, c->fft.n, in, c->fft.in.stride,
                                                  out, c->fft.out.stride, e)
                                      : by_wholes(f, threads, c, in, out, e);
    key k = key_of(l, c, threads, in, out);
    plan p = plan_of(f, l, &k, in, out);
    if (!p) return gpa_fail(e, GPA_E_INTERNAL, "FFTW has no plan for this transform");
    if (c->fft.form == FFT_R2C)
        l->run_r2c(p, in, out);
    else if (c->fft.form == FFT_C2R)
        l->run_c2r(p, in, out);
    else
        l->run_c2c(p, in, out);
    return GPA_OK;
}

/* The last axis first, from in to out, then the others in out. */
static gpa_code by_axes(fft *f, int threads, const gpa_libcall *c, void *in, void *out,
                        gpa_err *e) {
    int last = c->fft.rank - 1;
    gpa_code rc;
    int64_t n[KIR_MAX_DIMS];
    memcpy(n, c->fft.n, sizeof n);
    gpa_libcall one = along(c, last, c->fft.form, n, &c->fft.in, &c->fft.out);
    if (c->fft.form == FFT_C2C && is_far(c, c->fft.in.stride, last) && !smooth_can(&one))
        rc = by_blocks(f, threads, c, last, n, in, c->fft.in.stride, out, c->fft.out.stride, e);
    else
        rc = by_plan(f, threads, &one, in, out, e);
    if (c->fft.form == FFT_R2C) n[last] = n[last] / 2 + 1;
    for (int axis = last - 1; axis >= 0 && !rc; axis--) {
        one = along(c, axis, FFT_C2C, n, &c->fft.out, &c->fft.out);
        one.fft.alone = false;
        if (smooth_can(&one))
            rc = smooth_run(&f->smooth, threads, &one, out, out, e);
        else
            rc = by_blocks(f, threads, c, axis, n, out, c->fft.out.stride, out, c->fft.out.stride,
                           e);
    }
    return rc;
}

gpa_code fft_run(fft *f, int threads, const gpa_libcall *c, gpa_err *e) {
    gpa_dtype real = dtype_info[c->dtype].real;
    void *in = at(&c->fft.in, c->fft.form == FFT_R2C ? real : c->dtype);
    void *out = at(&c->fft.out, c->fft.form == FFT_C2R ? real : c->dtype);
    bool apart = all_smooth(c);
    for (int axis = 0; axis < c->fft.rank; axis++)
        apart = apart || (is_far(c, c->fft.out.stride, axis) && points(c) >= LARGE) ||
                (c->fft.rank > 1 && chirp_length(c->dtype, c->fft.n[axis]));
    if (apart && c->fft.form != FFT_C2R) return by_axes(f, threads, c, in, out, e);
    return by_plan(f, threads, c, in, out, e);
}
