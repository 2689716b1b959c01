/* The four-step algorithm: fft_four_step.h.
 *
 * The columns of the matrix are transformed in lanes, multiplied by twiddle factors and transposed,
 * and then its rows are transformed, so that memory is traversed four times and always in whole
 * cache lines. Reading order: passes, calls. */
#include "runtime/cpu/fft/fft_four_step.h"

#include "runtime/base/base.h"
#include "runtime/base/simd_clones.h"
#include "runtime/cpu/fft/fft_call.h"
#include "runtime/cpu/fft/half_length.h"
#include "runtime/tables/tuning.h"

/* ---- passes ---- */

static int64_t blocks_of(const four_step *q, int64_t n) { return (n + q->lanes - 1) / q->lanes; }

/* Points of several rows, `pitch` of them from a row to the next. */
typedef struct {
    char *at;
    int64_t pitch;
} matrix;

/* Copies `count` points of each of n rows. */
static void copy_points(const four_step *q, int64_t n, int64_t count, matrix from, matrix to) {
    for (int64_t k = 0; k < n; k++)
        memcpy(to.at + k * to.pitch * q->item, from.at + k * from.pitch * q->item,
               (size_t)(count * q->item));
}

#define T float
#define NAME(x) x##_c64
#include "runtime/cpu/fft/fft_odd_columns.inc"
#define T double
#define NAME(x) x##_c128
#include "runtime/cpu/fft/fft_odd_columns.inc"

/* Rows of the matrix after the column transforms; for real input half of them, since the others are
 * their conjugates. */
static int64_t rows_of(const four_step *q) { return q->form == FFT_C2C ? q->n1 : q->n1 / 2 + 1; }

/* Transforms block b of complex columns from the input to `work`. */
static void complex_columns(const four_step *q, int64_t b, bool is_last, char *points, char *work) {
    const int64_t bytes = q->lanes * q->item, count = MIN(q->lanes, q->n2 - b * q->lanes);
    char *from = (char *)(uintptr_t)q->in + b * bytes;
    radix_points in = {from, 2 * q->n2, .pairs = true, .swapped = q->inverse},
                 out = {work, 2 * q->lanes, .scale = 1};
    if (count < q->lanes) {
        memset(points, 0, (size_t)(q->n1 * bytes));
        copy_points(q, q->n1, count, (matrix){from, q->n2}, (matrix){points, q->lanes});
        in.at = points, in.step = 2 * q->lanes;
    }
    if (!is_last) fft_prefetch(from + bytes, q->n2 * q->item, q->n1);
    radix_run(q->columns, &in, &out, work);
}

static void odd_columns(const four_step *q, int64_t b, char *points, char *work) {
    const int64_t count = MIN(q->lanes, q->n2 - b * q->lanes);
    if (q->item == 8)
        load_odd_columns_c64(q, b * q->lanes, count, (float *)(void *)points);
    else
        load_odd_columns_c128(q, b * q->lanes, count, (double *)(void *)points);
    radix_odd_real(q->columns, points, work);
}

static void columns_chunk(void *arg, int64_t chunk) {
    four_step *q = arg;
    const int64_t blocks = blocks_of(q, q->n2), bytes = q->lanes * q->item;
    char *memory =
             mem_new((size_t)((q->n1 + radix_scratch_points(q->columns)) * bytes + FFT_LINE_BYTES)),
         *points = memory ? fft_align(memory) : NULL, *work = points + q->n1 * bytes;
    if (!memory) __atomic_store_n(&q->failed, true, __ATOMIC_RELAXED);
    for (int64_t b = blocks * chunk / q->chunks;
         memory && b < blocks * (chunk + 1) / q->chunks && !threads_stopped(q->stop); b++) {
        if (q->form == FFT_C2C)
            complex_columns(q, b, b + 1 == blocks, points, work);
        else
            odd_columns(q, b, points, work);
        const radix_transpose t = {q->n1, rows_of(q), b, work, q->blocks, q->pitch};
        radix_twiddle_transpose(q->twiddles, q->dtype, &t);
    }
    mem_free(memory);
}

static void rows_chunk(void *arg, int64_t chunk) {
    four_step *q = arg;
    const int64_t rows = rows_of(q), blocks = blocks_of(q, rows), bytes = q->lanes * q->item;
    char *memory =
             mem_new((size_t)((q->n2 + radix_scratch_points(q->rows)) * bytes + FFT_LINE_BYTES)),
         *points = memory ? fft_align(memory) : NULL, *work = points + q->n2 * bytes;
    if (!memory) __atomic_store_n(&q->failed, true, __ATOMIC_RELAXED);
    for (int64_t b = blocks * chunk / q->chunks;
         memory && b < blocks * (chunk + 1) / q->chunks && !threads_stopped(q->stop); b++) {
        const int64_t count = MIN(q->lanes, rows - b * q->lanes);
        const bool odd = q->form != FFT_C2C, in_place = !odd && count == q->lanes;
        char *to = q->out + b * bytes;
        radix_points in = {.at = q->blocks + b * q->pitch * bytes, .step = 2 * q->lanes};
        radix_points out = {in_place ? to : points, 2 * (in_place ? q->n1 : q->lanes),
                            .pairs = true, .swapped = q->inverse, .scale = q->scale};
        if (in_place) fft_prefetch(to, q->n1 * q->item, q->n2);
        radix_run(q->rows, &in, &out, work);
        if (odd && q->item == 8)
            store_odd_rows_c64(q, b * q->lanes, count, (float *)(void *)points);
        else if (odd)
            store_odd_rows_c128(q, b * q->lanes, count, (double *)(void *)points);
        else if (!in_place)
            copy_points(q, q->n2, count, (matrix){points, q->lanes}, (matrix){to, q->n1});
    }
    mem_free(memory);
}

/* ---- calls ---- */

int64_t four_step_rows(int64_t n) {
    int64_t best = 1;
    for (int64_t k = 2; k * k <= n; k++)
        if (n % k == 0) best = k;
    return best;
}

bool four_step_new(fft_tables *s, const gpa_libcall *c, int64_t n, bool inverse, four_step *q,
                   char **memory) {
    *q = (four_step){.dtype = c->dtype,
                     .inverse = inverse,
                     .scale = 1,
                     .n1 = four_step_rows(n),
                     .item = (int64_t)dtype_size(c->dtype),
                     .lanes = radix_point_elems(c->dtype) / 2};
    q->n2 = n / q->n1;
    q->pitch = blocks_of(q, q->n2) * q->lanes;
    const fft_factors *columns = fft_factors_of(s, FACTORS_PASSES, c->dtype, q->n1, 0),
                      *rows = fft_factors_of(s, FACTORS_PASSES, c->dtype, q->n2, 0);
    const fft_factors *twiddles = fft_factors_of(s, FACTORS_FOUR_STEP, c->dtype, n, q->n1);
    *memory =
        mem_new((size_t)(blocks_of(q, q->n1) * q->lanes * q->pitch * q->item + FFT_LINE_BYTES));
    if (!*memory || !columns || !rows || !twiddles) return false;
    q->blocks = fft_align(*memory);
    q->columns = columns->passes, q->rows = rows->passes, q->twiddles = &twiddles->four_step;
    return true;
}

bool four_step_row(four_step *q, const fft_context *ctx, const char *in, char *out) {
    const int threads = q->n1 * q->n2 < TUNE_FFT_THREADS_MIN_POINTS ? 1 : ctx->threads;
    q->in = in, q->out = out, q->stop = ctx->stop;
    q->chunks = MIN(blocks_of(q, q->n2), 8 * ctx->threads);
    threads_each(threads, q->chunks, q->stop, columns_chunk, q);
    q->chunks = MIN(blocks_of(q, rows_of(q)), 8 * ctx->threads);
    if (!q->failed) threads_each(threads, q->chunks, q->stop, rows_chunk, q);
    return !q->failed && !threads_stopped(q->stop);
}

gpa_code four_step_run(fft_tables *s, const fft_context *ctx, const gpa_libcall *c, void *in,
                       void *out, gpa_err *e) {
    const int64_t n = fft_complex_length(c), count = fft_row_count(c);
    const bool half_length = fft_is_half_length(c),
               split_first = half_length && c->fft.form == FFT_C2R;
    const fft_factors *split =
        half_length ? fft_factors_of(s, FACTORS_ROW_SPLIT, c->dtype, n, 0) : NULL;
    char *memory = NULL;
    four_step q;
    bool failed = !four_step_new(s, c, n, fft_is_inverse(c) && !fft_is_odd_real(c), &q, &memory) ||
                  (half_length && !split);
    q.scale = fft_scale(c);
    q.form = half_length ? FFT_C2C : c->fft.form;
    for (int64_t i = 0; i < count && !failed; i++) {
        char *from = fft_row_at(c, &c->fft.in, in, c->fft.form != FFT_R2C, i),
             *to = fft_row_at(c, &c->fft.out, out, c->fft.form != FFT_C2R, i);
        if (split_first) real_split(c->dtype, from, to, n, split->split, true);
        failed = !four_step_row(&q, ctx, split_first ? to : from, to);
        if (half_length && !split_first && !failed)
            real_split(c->dtype, to, to, n, split->split, false);
    }
    mem_free(memory);
    return failed ? fft_fail(ctx, e) : GPA_OK;
}
