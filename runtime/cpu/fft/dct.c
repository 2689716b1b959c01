/* Discrete cosine and sine transforms (DCT, DST) by FFT: dct.h.
 *
 * A pass reorders a group of rows into scratch memory and multiplies it by twiddle factors, so
 * that its DCT becomes an FFT (fft.h); a pass after the FFT computes the result. Groups are
 * processed in batches whose scratch memory fits the cache. Rows that are adjacent in memory are
 * processed together, one per SIMD lane. Reading order: twiddle factors, passes, groups of rows,
 * calls. */
#include "runtime/cpu/fft/dct.h"

#include <math.h>

#include "runtime/base/base.h"
#include "runtime/cpu/fft/fft_call.h"
#include "runtime/cpu/parallel/lanes.h"
#include "runtime/cpu/parallel/memory.h"
#include "runtime/base/simd_clones.h"
#include "runtime/tables/tuning.h"

enum { LINE = 64 }; /* bytes of a cache line */

#define PI 3.14159265358979323846

/* One algorithm per type, and two for type 4, by the parity of the length. */
typedef enum { DCT_1, DCT_2, DCT_3, DCT_4_EVEN, DCT_4_ODD } dct_algorithm;

typedef struct {
    gpa_dtype dtype;
    int64_t n;
    bool paired;
    void *w; /* owned: cosines, then sines */
    uint64_t used;
} factors;

struct cosines {
    factors kept[TUNE_DCT_TABLES_CACHED];
    uint64_t clock;
};

/* ---- twiddle factors ---- */

static void *factors_new(gpa_dtype t, int64_t n, bool paired) {
    const int64_t count = paired ? n / 2 : n / 2 + 1;
    void *w = mem_new(2 * (size_t)count * dtype_size(t));
    for (int64_t k = 0; w && k < count; k++) {
        const double angle =
            paired ? PI * (double)(8 * k + 1) / (double)(8 * n) : PI * (double)k / (double)(2 * n);
        if (t == DT_F32)
            ((float *)w)[k] = (float)cos(angle), ((float *)w)[count + k] = (float)sin(angle);
        else
            ((double *)w)[k] = cos(angle), ((double *)w)[count + k] = sin(angle);
    }
    return w;
}

/* Looks up a table of twiddle factors or computes it; evicts the least recently used one. NULL
 * when out of memory. */
static const void *factors_of(cosines *s, gpa_dtype t, int64_t n, bool paired) {
    factors *oldest = s->kept;
    for (factors *f = s->kept; f < s->kept + TUNE_DCT_TABLES_CACHED; f++) {
        if (f->w && f->dtype == t && f->n == n && f->paired == paired) {
            f->used = ++s->clock;
            return f->w;
        }
        if (f->used < oldest->used) oldest = f;
    }
    mem_free(oldest->w);
    *oldest = (factors){
        .dtype = t, .n = n, .paired = paired, .w = factors_new(t, n, paired), .used = ++s->clock};
    return oldest->w;
}

void dct_free(cosines *s) {
    for (size_t i = 0; s && i < TUNE_DCT_TABLES_CACHED; i++) mem_free(s->kept[i].w);
    mem_free(s);
}

/* ---- passes ---- */

/* Parameters of a pass over a row. edge_in, edge_out: weights of the end elements. */
typedef struct {
    int64_t n;
    bool sines;
    double scale, edge_in, edge_out;
    const void *w;
} work;

typedef struct {
    void (*bring)(const work *q, const void *from, void *to, int64_t step);
    void (*take)(const work *q, const void *from, void *to, int64_t step);
} passes;

#define T float
#define NAME(x) x##_4_row
#define W 1
#define STEP 1
#include "runtime/cpu/fft/dct_passes.inc"

#define T float
#define NAME(x) x##_4_any
#define W 1
#define STEP step
#include "runtime/cpu/fft/dct_passes.inc"

#define T float
#define NAME(x) x##_4_side
#define W 16
#define STEP step
#include "runtime/cpu/fft/dct_passes.inc"

#define T double
#define NAME(x) x##_8_row
#define W 1
#define STEP 1
#include "runtime/cpu/fft/dct_passes.inc"

#define T double
#define NAME(x) x##_8_any
#define W 1
#define STEP step
#include "runtime/cpu/fft/dct_passes.inc"

#define T double
#define NAME(x) x##_8_side
#define W 8
#define STEP step
#include "runtime/cpu/fft/dct_passes.inc"

/* ---- groups of rows ---- */

/* A call in groups of `width` rows that are adjacent along dimension `adjacent_dim` of the array
 * (width 1: single rows). */
typedef struct {
    const gpa_libcall *c;
    work q;
    dct_algorithm algorithm;
    int64_t item, width, adjacent_dim, groups;
    int64_t points,
        made_points; /* elements of a row before and after the FFT, complex ones counted twice */
    int64_t before, after;        /* bytes of a group in scratch memory, before and after the FFT */
    char *in, *out, *from, *to;   /* arrays; scratch memory, aligned */
    int64_t first, count, chunks; /* the groups in scratch memory, and their chunks for threads */
    bool failed;
} row_groups;

/* Element offsets of the first row of group g in both arrays; returns the number of its rows. */
static int64_t group_at(const row_groups *p, int64_t g, int64_t *in, int64_t *out) {
    const gpa_libcall *c = p->c;
    int64_t rows = 1;
    *in = *out = 0;
    for (int d = c->dct.ndim - 1; d > 0; d--) {
        const int64_t width = d == p->adjacent_dim ? p->width : 1,
                      extent = (c->dct.n[d] + width - 1) / width, at = g % extent * width;
        if (d == p->adjacent_dim) rows = MIN(width, c->dct.n[d] - at);
        *in += at * c->dct.in.stride[d];
        *out += at * c->dct.out.stride[d];
        g /= extent;
    }
    return rows;
}

static const passes *passes_of(const row_groups *p, int64_t step) {
    const bool wide = p->item == 8;
    if (p->width > 1) return (wide ? passes_8_side : passes_4_side) + p->algorithm;
    if (step == 1) return (wide ? passes_8_row : passes_4_row) + p->algorithm;
    return (wide ? passes_8_any : passes_4_any) + p->algorithm;
}

/* Copies `rows` rows, fewer than a group has, to the layout of a group or back. */
static void narrow(const row_groups *p, int64_t rows, const char *from, int64_t from_step, char *to,
                   int64_t to_step) {
    for (int64_t k = 0; k < p->q.n; k++)
        memcpy(to + k * to_step * p->item, from + k * from_step * p->item,
               (size_t)(rows * p->item));
}

static void bring_chunk(void *arg, int64_t chunk) {
    row_groups *p = arg;
    const int64_t step = p->c->dct.in.stride[0];
    char *scratch = NULL;
    for (int64_t i = p->count * chunk / p->chunks; i < p->count * (chunk + 1) / p->chunks; i++) {
        int64_t in, out;
        const int64_t rows = group_at(p, p->first + i, &in, &out);
        const char *from = p->in + in * p->item;
        if (rows < p->width) {
            scratch = scratch ? scratch : mem_zero((size_t)(p->q.n * p->width * p->item));
            if (scratch)
                narrow(p, rows, from, step, scratch, p->width);
            else
                __atomic_store_n(&p->failed, true, __ATOMIC_RELAXED);
        }
        if (rows == p->width || scratch)
            passes_of(p, step)->bring(&p->q, rows < p->width ? scratch : from,
                                      p->from + i * p->before, rows < p->width ? p->width : step);
    }
    mem_free(scratch);
}

static void take_chunk(void *arg, int64_t chunk) {
    row_groups *p = arg;
    const int64_t step = p->c->dct.out.stride[0];
    char *scratch = NULL;
    for (int64_t i = p->count * chunk / p->chunks; i < p->count * (chunk + 1) / p->chunks; i++) {
        int64_t in, out;
        const int64_t rows = group_at(p, p->first + i, &in, &out);
        char *to = p->out + out * p->item;
        if (rows == p->width) {
            passes_of(p, step)->take(&p->q, p->to + i * p->after, to, step);
            continue;
        }
        scratch = scratch ? scratch : mem_new((size_t)(p->q.n * p->width * p->item));
        if (!scratch) __atomic_store_n(&p->failed, true, __ATOMIC_RELAXED);
        if (!scratch) break;
        passes_of(p, p->width)->take(&p->q, p->to + i * p->after, scratch, p->width);
        narrow(p, rows, scratch, p->width, to, step);
    }
    mem_free(scratch);
}

/* The FFT of `count` groups from one scratch buffer to the other, as a library call. */
static gpa_libcall inner(const row_groups *p, int64_t count, gpa_mem *from, gpa_mem *to) {
    static const gpa_fft_form forms[] = {[DCT_1] = FFT_R2C,
                                         [DCT_2] = FFT_R2C,
                                         [DCT_3] = FFT_C2R,
                                         [DCT_4_EVEN] = FFT_C2C,
                                         [DCT_4_ODD] = FFT_R2C};
    const gpa_fft_form form = forms[p->algorithm];
    const gpa_dtype complex = p->item == 4 ? DT_C64 : DT_C128;
    const int64_t in_item = form == FFT_R2C ? p->item : 2 * p->item,
                  out_item = form == FFT_C2R ? p->item : 2 * p->item;
    gpa_libcall c = {.kind = LIB_FFT,
                     .dtype = complex,
                     .fft = {.form = form, .inverse = form == FFT_C2R, .rank = 1, .ndim = 1}};
    c.fft.n[0] = form == FFT_R2C ? p->points : form == FFT_C2R ? p->made_points : p->points / 2;
    c.fft.in = (gpa_binding){.mem = from, .stride = {p->width}};
    c.fft.out = (gpa_binding){.mem = to, .stride = {p->width}};
    const int64_t n[] = {p->width, count}, in_step[] = {1, p->before / in_item},
                  out_step[] = {1, p->after / out_item};
    for (int i = 0; i < 2; i++) {
        if (n[i] == 1) continue;
        const int d = c.fft.ndim++;
        c.fft.n[d] = n[i];
        c.fft.in.stride[d] = in_step[i];
        c.fft.out.stride[d] = out_step[i];
    }
    return c;
}

static gpa_code piece(row_groups *p, fft_tables **f, const fft_context *ctx, gpa_err *e) {
    const bool few = p->count * p->width * p->q.n < TUNE_FFT_THREADS_MIN_POINTS;
    const int threads = few ? 1 : ctx->threads;
    gpa_mem from = {.base = p->from}, to = {.base = p->to};
    gpa_libcall c = inner(p, p->count, &from, &to);
    p->chunks = MIN(p->count, 8 * ctx->threads);
    threads_each(threads, p->chunks, ctx->stop, bring_chunk, p);
    gpa_code rc = p->failed ? GPA_OK : fft_run(f, ctx, &c, e);
    if (!rc && !p->failed) threads_each(threads, p->chunks, ctx->stop, take_chunk, p);
    return rc ? rc : p->failed || threads_stopped(ctx->stop) ? fft_fail(ctx, e) : GPA_OK;
}

/* ---- calls ---- */

static dct_algorithm algorithm_of(const gpa_libcall *c) {
    switch (c->dct.type) {
        case 1: return DCT_1;
        case 2: return DCT_2;
        case 3: return DCT_3;
        default: return c->dct.n[0] % 2 ? DCT_4_ODD : DCT_4_EVEN;
    }
}

static int64_t rounded(int64_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }

/* Groups rows along a dimension of unit stride in both arrays, if it fills at least half of the
 * SIMD lanes. */
static void arrange(row_groups *p) {
    const gpa_libcall *c = p->c;
    const int64_t lanes = LANES_BYTES / p->item;
    p->width = p->groups = 1;
    for (int d = 1; d < c->dct.ndim && c->dct.in.stride[0] != 1; d++)
        if (c->dct.in.stride[d] == 1 && c->dct.out.stride[d] == 1 && 2 * c->dct.n[d] >= lanes)
            p->adjacent_dim = d, p->width = lanes;
    for (int d = 1; d < c->dct.ndim; d++)
        p->groups *= d == p->adjacent_dim ? (c->dct.n[d] + lanes - 1) / lanes : c->dct.n[d];
}

gpa_code dct_run(cosines **s, fft_tables **f, const fft_context *ctx, const gpa_libcall *c,
                 gpa_err *e) {
    const int64_t n = c->dct.n[0];
    const double root = 1.41421356237309504880;
    const bool weighed =
        c->dct.orthogonalize && c->dct.type != 4 && !(c->dct.dst && c->dct.type == 1);
    row_groups p = {.c = c, .algorithm = algorithm_of(c), .item = (int64_t)dtype_size(c->dtype)};
    gpa_code rc = GPA_OK;
    p.q = (work){.n = n, .sines = c->dct.dst, .scale = c->dct.scale};
    p.q.edge_in = weighed && c->dct.type != 2 ? root : 1;
    p.q.edge_out = weighed && c->dct.type != 3 ? 1 / root : 1;
    if (!*s && !(*s = mem_zero(sizeof **s))) return gpa_no_memory(e);
    if (p.algorithm == DCT_2 || p.algorithm == DCT_3 || p.algorithm == DCT_4_EVEN) {
        p.q.w = factors_of(*s, c->dtype, n, p.algorithm == DCT_4_EVEN);
        if (!p.q.w) return gpa_no_memory(e);
    }
    const int64_t half = 2 * (n / 2 + 1), period = c->dct.dst ? 2 * (n + 1) : 2 * (n - 1);
    p.points = p.algorithm == DCT_1 ? period : p.algorithm == DCT_3 ? half : n;
    p.made_points = p.algorithm == DCT_1                               ? period + 2
                    : p.algorithm == DCT_2 || p.algorithm == DCT_4_ODD ? half
                                                                       : n;
    arrange(&p);
    p.before = rounded(p.points * p.width * p.item);
    p.after = rounded(p.made_points * p.width * p.item);
    p.in = c->dct.in.mem->base + c->dct.in.offset * p.item;
    p.out = c->dct.out.mem->base + c->dct.out.offset * p.item;
    const int64_t most =
        MAX(1, MIN(p.groups, TUNE_DCT_SCRATCH_BYTES * ctx->threads / (p.before + p.after)));
    char *scratch = mem_new((size_t)(most * (p.before + p.after) + LINE));
    if (!scratch) return gpa_no_memory(e);
    p.from = scratch + (LINE - (uintptr_t)scratch % LINE) % LINE;
    p.to = p.from + most * p.before;
    for (; p.first < p.groups && !rc; p.first += most) {
        p.count = MIN(most, p.groups - p.first);
        rc = piece(&p, f, ctx, e);
    }
    mem_free(scratch);
    return rc;
}
