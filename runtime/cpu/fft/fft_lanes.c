/* Fourier transforms in lanes: fft_lanes.h.
 *
 * As many rows as a vector has lanes are transposed into vectors, transformed together by
 * mixed-radix passes (mixed_radix.h) and transposed back. Complex rows with unit stride across the
 * lanes are read and written in place. 2h real elements are transformed as h complex ones
 * (half_length.h); an odd number of them by passes over half spectra.
 *
 * Reading order: layout, transposes, blocks of rows, calls. */
#include "runtime/cpu/fft/fft_lanes.h"

#include <stdlib.h>

#include "runtime/base/base.h"
#include "runtime/cpu/fft/fft_call.h"
#include "runtime/cpu/parallel/lanes.h"
#include "runtime/cpu/parallel/threads.h"
#include "runtime/tables/tuning.h"

/* ---- layout ---- */

/* The memory layout of the rows of an array, in reals: elements, or parts of complex ones, which
 * are adjacent. */
typedef struct {
    char *at;
    bool complex;
    int64_t reals;                /* of a row */
    int64_t step;                 /* from an element of a row to the next */
    int64_t stride[KIR_MAX_DIMS]; /* from a row to the next along each of the other dimensions */
} layout;

typedef struct {
    const gpa_libcall *c;
    layout in, out;
    const radix *r;
    const void *split;  /* factors of the half-length real transform; NULL: not one */
    int64_t real_bytes; /* of a real */
    int64_t lanes;      /* rows of a block */
    int64_t length;     /* of the complex transform */
    int64_t spectrum;   /* points of the complex array of the call */
    int64_t count, blocks, chunks;
    const int32_t *stop;
    bool failed;
} lane_rows;

/* The offsets at which the rows of a block begin. */
static void offsets(const lane_rows *q, const layout *s, int64_t first, int64_t count,
                    int64_t *at) {
    int64_t index[KIR_MAX_DIMS], rest = first, now = 0;
    const int ndim = q->c->fft.ndim;
    for (int d = 1; d < ndim; d++) {
        index[d] = rest % q->c->fft.n[d];
        rest /= q->c->fft.n[d];
        now += index[d] * s->stride[d];
    }
    for (int64_t i = 0; i < count; i++) {
        at[i] = now;
        for (int d = 1; d < ndim; d++) {
            now += s->stride[d];
            if (++index[d] < q->c->fft.n[d]) break;
            now -= s->stride[d] * index[d];
            index[d] = 0;
        }
    }
}

/* The common stride from row to row, 0 if it varies. */
static int64_t common_stride(const int64_t *at, int64_t count) {
    for (int64_t i = 2; i < count; i++)
        if (at[i] - at[i - 1] != at[1] - at[0]) return 0;
    return count > 1 ? at[1] - at[0] : 1;
}

/* True if the rows are complex, interleaved with unit stride, and fill all lanes. */
static bool are_adjacent_complex(const lane_rows *q, const layout *s, const int64_t *at,
                                 int64_t count) {
    return s->complex && count == q->lanes && common_stride(at, count) == 2;
}

/* True if the rows are interleaved with unit stride but do not fill all lanes. */
static bool are_partial(const lane_rows *q, const layout *s, const int64_t *at, int64_t count) {
    return count < q->lanes && (count == 1 || common_stride(at, count) == (s->complex ? 2 : 1)) &&
           llabs(s->step) > (s->complex ? 2 : 1);
}

/* ---- transposes ---- */

/* The offset of real k of a row. */
static int64_t real_offset(const layout *s, int64_t k) {
    return s->complex ? k / 2 * s->step + k % 2 : k * s->step;
}

/* Copies n strided runs of `bytes` bytes each. */
static void copy_runs(const char *from, int64_t from_step, char *to, int64_t to_step, int64_t bytes,
                      int64_t n) {
    for (; n > 0; n--, from += from_step, to += to_step) {
        int64_t i = 0;
        for (; i + 16 <= bytes; i += 16) memcpy(to + i, from + i, 16);
        for (; i < bytes; i += 4) memcpy(to + i, from + i, 4);
    }
}

/* Loads and stores partial blocks; complex ones go through `pairs`, scratch for as many points. */
static void load_partial(const lane_rows *q, const layout *s, const int64_t *at, int64_t count,
                         char *points, char *pairs) {
    const int64_t row = (s->complex ? 2 : 1) * LANES_BYTES,
                  n = s->complex ? s->reals / 2 : s->reals;
    const radix_points from = {pairs, 2 * q->lanes, .pairs = true},
                       to = {points, 2 * q->lanes, .scale = 1};
    char *loaded = s->complex ? pairs : points;
    memset(loaded, 0, (size_t)(n * row));
    copy_runs(s->at + at[0] * q->real_bytes, s->step * q->real_bytes, loaded, row,
              count * row / q->lanes, n);
    if (s->complex) radix_move(q->c->dtype, n, &from, &to);
}

static void store_partial(const lane_rows *q, const layout *s, const int64_t *at, int64_t count,
                          char *points, char *pairs) {
    const int64_t row = (s->complex ? 2 : 1) * LANES_BYTES,
                  n = s->complex ? s->reals / 2 : s->reals;
    const radix_points from = {points, 2 * q->lanes, .scale = 1},
                       to = {pairs, 2 * q->lanes, .pairs = true, .scale = 1};
    if (s->complex) radix_move(q->c->dtype, n, &from, &to);
    copy_runs(s->complex ? pairs : points, row, s->at + at[0] * q->real_bytes,
              s->step * q->real_bytes, count * row / q->lanes, n);
}

#define T int32_t
#define LANES(f) lanes_##f##_4
#define NAME(x) x##_4
#include "runtime/cpu/fft/fft_lanes.inc"
#define T int64_t
#define LANES(f) lanes_##f##_8
#define NAME(x) x##_8
#include "runtime/cpu/fft/fft_lanes.inc"

/* ---- blocks of rows ---- */

/* A block of at most as many rows as there are lanes. */
typedef struct {
    int64_t count;
    int64_t from[LANES_4], to[LANES_4]; /* offsets of the rows */
    radix_points in, out;               /* in the arrays, if the rows are adjacent and complex */
    radix_points points, work;          /* in scratch, as vectors */
} row_block;

/* Fills b, whose spare offsets stay undefined. */
static void block_of(const lane_rows *q, int64_t block, char *points, char *work, row_block *b) {
    const int64_t first = block * q->lanes;
    b->count = MIN(q->lanes, q->count - first);
    offsets(q, &q->in, first, b->count, b->from);
    offsets(q, &q->out, first, b->count, b->to);
    b->in = (radix_points){q->in.at + b->from[0] * q->real_bytes, q->in.step, .pairs = true,
                           .scale = 1};
    b->out = (radix_points){q->out.at + b->to[0] * q->real_bytes, q->out.step, .pairs = true,
                            .scale = 1};
    b->points = (radix_points){points, 2 * q->lanes, .scale = 1};
    b->work = (radix_points){work, 2 * q->lanes, .scale = 1};
}

/* Loads a block unless the transform can read it in place; returns what it reads. An odd number of
 * reals of an inverse transform is loaded to `work`. */
static radix_points load_block(const lane_rows *q, const row_block *b, bool is_last) {
    const bool to_work = fft_is_odd_real(q->c) && fft_is_inverse(q->c);
    const radix_points *to = to_work ? &b->work : &b->points,
                       *scratch = to_work ? &b->points : &b->work;
    if (are_adjacent_complex(q, &q->in, b->from, b->count)) {
        if (!is_last)
            fft_prefetch((const char *)b->in.at + 2 * LANES_BYTES, q->in.step * q->real_bytes,
                         q->spectrum);
        if (q->c->fft.form == FFT_C2C) return b->in;
        radix_move(q->c->dtype, q->spectrum, &b->in, to);
    } else if (are_partial(q, &q->in, b->from, b->count)) {
        load_partial(q, &q->in, b->from, b->count, to->at, scratch->at);
    } else {
        (q->real_bytes == 4 ? load_4 : load_8)(q, &q->in, b->from, b->count, to->at);
    }
    return b->points;
}

/* Stores the transform at `from`, which differs from `scratch`. */
static void store_block(const lane_rows *q, const row_block *b, const radix_points *from,
                        const radix_points *scratch) {
    if (are_partial(q, &q->out, b->to, b->count))
        store_partial(q, &q->out, b->to, b->count, from->at, scratch->at);
    else
        (q->real_bytes == 4 ? store_4 : store_8)(q, &q->out, b->to, b->count, from->at);
}

/* Odd numbers of reals: from `points` to `work`; of an inverse transform from `work` to `points`.
 */
static void transform_odd(const lane_rows *q, const row_block *b, bool in_place) {
    radix_points scaled = in_place ? b->out : b->work;
    scaled.scale = fft_scale(q->c);
    if (fft_is_inverse(q->c)) {
        radix_hartley(q->r, b->work.at, b->points.at, 1);
        radix_odd_real(q->r, b->points.at, b->work.at);
        radix_hartley(q->r, b->work.at, b->points.at, fft_scale(q->c));
    } else {
        radix_odd_real(q->r, b->points.at, b->work.at);
        if (in_place || scaled.scale != 1) radix_move(q->c->dtype, q->spectrum, &b->work, &scaled);
    }
}

/* Others: from `in` to `points`, or to `out` in place. */
static void transform(const lane_rows *q, const row_block *b, radix_points in, bool in_place) {
    const bool inverse = fft_is_inverse(q->c);
    radix_points out = in_place && q->c->fft.form == FFT_C2C ? b->out : b->points;
    if (q->split && inverse) radix_real_split(q->c->dtype, b->points.at, q->length, q->split, true);
    in.swapped = out.swapped = inverse;
    out.scale = fft_scale(q->c);
    radix_run(q->r, &in, &out, b->work.at);
    if (q->split && !inverse)
        radix_real_split(q->c->dtype, b->points.at, q->length, q->split, false);
    if (in_place && q->split) radix_move(q->c->dtype, q->spectrum, &b->points, &b->out);
}

static void run_block(const lane_rows *q, int64_t block, char *points, char *work) {
    row_block b;
    block_of(q, block, points, work, &b);
    const radix_points in = load_block(q, &b, block + 1 == q->blocks);
    const bool in_place = are_adjacent_complex(q, &q->out, b.to, b.count),
               odd = fft_is_odd_real(q->c), to_work = odd && !fft_is_inverse(q->c);
    if (in_place) fft_prefetch(b.out.at, q->out.step * q->real_bytes, q->spectrum);
    if (odd)
        transform_odd(q, &b, in_place);
    else
        transform(q, &b, in, in_place);
    if (!in_place) store_block(q, &b, to_work ? &b.work : &b.points, to_work ? &b.points : &b.work);
}

static void run_chunk(void *arg, int64_t chunk) {
    lane_rows *q = arg;
    const int64_t bytes = radix_point_elems(q->c->dtype) * q->real_bytes;
    char *block = mem_new(
             (size_t)((q->length + 1 + radix_scratch_points(q->r)) * bytes + FFT_LINE_BYTES)),
         *points = block ? fft_align(block) : NULL;
    if (!block) __atomic_store_n(&q->failed, true, __ATOMIC_RELAXED);
    for (int64_t b = q->blocks * chunk / q->chunks;
         block && b < q->blocks * (chunk + 1) / q->chunks && !threads_stopped(q->stop); b++)
        run_block(q, b, points, points + (q->length + 1) * bytes);
    mem_free(block);
}

/* ---- calls ---- */

static layout layout_of(const gpa_libcall *c, const gpa_binding *b, bool complex, int64_t reals,
                        void *at) {
    layout s = {
        .at = at, .complex = complex, .reals = reals, .step = b->stride[0] * (complex ? 2 : 1)};
    for (int d = 1; d < c->fft.ndim; d++) s.stride[d] = b->stride[d] * (complex ? 2 : 1);
    return s;
}

static void swap(int64_t *a, int64_t *b) {
    int64_t t = *a;
    *a = *b;
    *b = t;
}

/* The call with its other dimensions sorted by the stride of the result. */
static gpa_libcall in_output_order(const gpa_libcall *call) {
    gpa_libcall c = *call;
    int64_t *n = c.fft.n, *is = c.fft.in.stride, *os = c.fft.out.stride;
    for (int d = 2; d < c.fft.ndim; d++)
        for (int i = d; i > 1 && llabs(os[i]) < llabs(os[i - 1]); i--) {
            swap(&n[i], &n[i - 1]);
            swap(&is[i], &is[i - 1]);
            swap(&os[i], &os[i - 1]);
        }
    return c;
}

gpa_code fft_lanes_run(fft_tables *s, const fft_context *ctx, const gpa_libcall *call, void *in,
                       void *out, gpa_err *e) {
    const gpa_libcall ordered = in_output_order(call), *c = &ordered;
    const int64_t n = c->fft.n[0], length = fft_complex_length(c),
                  spectrum = c->fft.form == FFT_C2C ? n : n / 2 + 1;
    const bool from_real = c->fft.form == FFT_R2C, to_real = c->fft.form == FFT_C2R,
               half_length = fft_is_half_length(c);
    const fft_factors *passes = fft_factors_of(s, FACTORS_PASSES, c->dtype, length, 0);
    const fft_factors *split =
        half_length ? fft_factors_of(s, FACTORS_LANES_SPLIT, c->dtype, length, 0) : NULL;
    if (!passes || (half_length && !split)) return gpa_no_memory(e);
    lane_rows q = {.c = c,
                   .in = layout_of(c, &c->fft.in, !from_real, from_real ? n : 2 * spectrum, in),
                   .out = layout_of(c, &c->fft.out, !to_real, to_real ? n : 2 * spectrum, out),
                   .r = passes->passes,
                   .split = split ? split->split : NULL,
                   .real_bytes = (int64_t)dtype_size(dtype_info[c->dtype].real),
                   .lanes = radix_point_elems(c->dtype) / 2,
                   .length = length,
                   .spectrum = spectrum,
                   .count = fft_row_count(c),
                   .stop = ctx->stop};
    q.blocks = (q.count + q.lanes - 1) / q.lanes;
    q.chunks = MIN(q.blocks, 8 * ctx->threads);
    threads_each(q.count * length < TUNE_FFT_THREADS_MIN_POINTS ? 1 : ctx->threads, q.chunks,
                 ctx->stop, run_chunk, &q);
    return q.failed || threads_stopped(ctx->stop) ? fft_fail(ctx, e) : GPA_OK;
}
