/* Fourier transforms along one axis: fft_axis.h.
 *
 * Three algorithms; choose() takes the cheapest by an estimate: rows in lanes (fft_lanes.h), the
 * four-step algorithm (fft_four_step.h), and Bluestein's algorithm (bluestein.h), by which lengths
 * with a large prime factor are convolutions by four-step transforms of a longer, smooth length.
 *
 * Reading order: Bluestein, choice, strided rows, calls. */
#include "runtime/cpu/fft/fft_axis.h"

#include <math.h>

#include "runtime/base/base.h"
#include "runtime/cpu/fft/fft_call.h"
#include "runtime/cpu/fft/fft_four_step.h"
#include "runtime/cpu/fft/fft_lanes.h"
#include "runtime/cpu/fft/fft_tables.h"
#include "runtime/cpu/fft/half_length.h"
#include "runtime/tables/tuning.h"

/* ---- Bluestein ---- */

/* A row of n points as a convolution of length m. */
typedef struct {
    gpa_dtype dtype;
    int64_t n, m;
    bool inverse;
} convolution;

/* The filter of a convolution from the LRU cache, else new: q is prepared for m points, `scratch`
 * has as many. NULL when memory is short or the call was stopped. */
static const bluestein *filter_of(fft_tables *s, const convolution *v, four_step *q,
                                  const fft_context *ctx, char *scratch) {
    int oldest = 0;
    for (int i = 0; i < FFT_FILTERS_CACHED; i++) {
        const bluestein *c = &s->filters[i].c;
        if (c->w && c->dtype == v->dtype && c->n == v->n && c->inverse == v->inverse) {
            s->filters[i].used = ++s->clock;
            return c;
        }
        if (s->filters[i].used < s->filters[oldest].used) oldest = i;
    }
    bluestein *c = &s->filters[oldest].c;
    bluestein_free(c);
    if (!bluestein_new(c, v->dtype, v->n, v->m, v->inverse, ctx->stop)) return NULL;
    if (!four_step_row(q, ctx, c->spectrum, scratch)) {
        bluestein_free(c);
        return NULL;
    }
    bluestein_set_spectrum(c, scratch);
    s->filters[oldest].used = ++s->clock;
    return c;
}

/* The length of the convolution for n points: that of a cached filter, else searched for. */
static int64_t padded_length(const fft_tables *s, gpa_dtype t, int64_t n) {
    for (int i = 0; i < FFT_FILTERS_CACHED; i++)
        if (s->filters[i].c.w && s->filters[i].c.dtype == t && s->filters[i].c.n == n)
            return s->filters[i].c.m;
    return radix_padded_length(2 * n - 1);
}

static gpa_code run_bluestein(fft_tables *s, const fft_context *ctx, const gpa_libcall *c, void *in,
                              void *out, gpa_err *e) {
    const int64_t n = fft_complex_length(c), item = (int64_t)dtype_size(c->dtype),
                  count = fft_row_count(c);
    const convolution v = {c->dtype, n, padded_length(s, c->dtype, n), fft_is_inverse(c)};
    const bool odd = fft_is_odd_real(c), half_length = fft_is_half_length(c),
               from_real = c->fft.form == FFT_R2C, to_real = c->fft.form == FFT_C2R;
    const fft_factors *split =
        half_length ? fft_factors_of(s, FACTORS_ROW_SPLIT, c->dtype, n, 0) : NULL;
    char *memory = NULL, *more = mem_new((size_t)(2 * v.m * item + FFT_LINE_BYTES)),
         *a = more ? fft_align(more) : NULL, *b = a + v.m * item;
    four_step q;
    bool failed = !more || !four_step_new(s, c, v.m, false, &q, &memory) || (half_length && !split);
    const bluestein *w = failed ? NULL : filter_of(s, &v, &q, ctx, a);
    failed = !w;
    for (int64_t i = 0; i < count && !failed; i++) {
        char *from = fft_row_at(c, &c->fft.in, in, !from_real, i),
             *to = fft_row_at(c, &c->fft.out, out, !to_real, i);
        if (odd)
            (from_real ? bluestein_from_real : bluestein_from_half)(w, from, 1, a);
        else if (to_real)
            real_split(c->dtype, from, a, n, split->split, true);
        bluestein_premultiply(w, odd || to_real ? a : from, a);
        q.inverse = false, q.scale = 1;
        failed = !four_step_row(&q, ctx, a, b);
        bluestein_multiply_spectrum(w, b);
        q.inverse = true, q.scale = fft_scale(c);
        failed = failed || !four_step_row(&q, ctx, b, a);
        if (failed) break;
        bluestein_postmultiply(w, a, odd ? a : to);
        if (odd)
            (from_real ? bluestein_to_half : bluestein_to_real)(w, a, to, 1);
        else if (from_real)
            real_split(c->dtype, to, to, n, split->split, false);
    }
    mem_free(more);
    mem_free(memory);
    return failed ? fft_fail(ctx, e) : GPA_OK;
}

/* ---- choice ---- */

/* Estimated cost of a mixed-radix transform of n points in all lanes at once, in vector operations:
 * the sum of its passes. A prime factor above TUNE_RADIX_DIRECT_MAX is a convolution of two
 * transforms. */
static double lanes_cost(int64_t n) {
    const double points = (double)n;
    double per_point = TUNE_FFT_COST_MOVE;
    for (int64_t p = 2, rest = n; rest > 1; rest /= p) {
        while (rest % p) p = p * p > rest ? rest : p + 1;
        const int64_t m = p > TUNE_RADIX_DIRECT_MAX ? radix_padded_length(2 * p - 1) : 0;
        per_point += m ? (2 * lanes_cost(m) + TUNE_FFT_COST_MOVE * (double)m) / (double)p
                       : TUNE_FFT_COST_PASS + TUNE_FFT_COST_TERM * (double)p;
    }
    return points * per_point;
}

/* Estimated cost of the four-step algorithm for n = n1 n2 points, lane padding included. */
static double four_step_cost(int64_t n, int64_t lanes) {
    const int64_t n1 = four_step_rows(n), n2 = n / n1, columns = (n2 + lanes - 1) / lanes,
                  rows = (n1 + lanes - 1) / lanes;
    return (double)columns * (lanes_cost(n1) + TUNE_FFT_COST_MOVE * (double)n1) +
           (double)rows * lanes_cost(n2) + TUNE_FFT_COST_CALL;
}

/* The cheapest algorithm for a few short rows, which do not fill the lanes of vectors. */
static fft_algorithm choose_for_few(int64_t n, int64_t count, int64_t lanes) {
    const int64_t vectors = (count + lanes - 1) / lanes;
    const double calls = (double)count, in_lanes = (double)vectors * lanes_cost(n);
    if (n < 2 * lanes || in_lanes < TUNE_FFT_COST_CALL) return FFT_IN_LANES;
    const int64_t m = radix_padded_length(2 * n - 1);
    const double by_four_step = four_step_rows(n) > 1 ? calls * four_step_cost(n, lanes) : INFINITY;
    const double by_convolution =
        calls * (2 * four_step_cost(m, lanes) + TUNE_FFT_COST_MOVE * (double)m / (double)lanes);
    return in_lanes <= MIN(by_four_step, by_convolution) ? FFT_IN_LANES
           : by_four_step <= by_convolution              ? FFT_FOUR_STEP
                                                         : FFT_BLUESTEIN;
}

/* True if the rows fill most lanes of vectors; an odd number of real values always counts as full,
 * because its four-step transform costs twice as much. */
static bool fills_lanes(const gpa_libcall *c, int64_t lanes) {
    const int64_t count = fft_row_count(c), padded = (count + lanes - 1) / lanes * lanes;
    return fft_is_odd_real(c) || 8 * count >= 7 * padded;
}

static bool is_contiguous(const gpa_libcall *c) {
    return c->fft.in.stride[0] == 1 && c->fft.out.stride[0] == 1;
}

static fft_algorithm choose(const gpa_libcall *c) {
    const int64_t n = fft_complex_length(c), lanes = radix_point_elems(c->dtype) / 2,
                  count = fft_row_count(c);
    if (n < TUNE_FFT_FOUR_STEP_MIN_POINTS && 2 * count < lanes)
        return choose_for_few(n, count, lanes);
    const bool smooth = radix_can(n), splits = 2 * four_step_rows(n) >= lanes;
    if (smooth && splits && is_contiguous(c) && !fft_is_odd_real(c) &&
        n >= TUNE_FFT_FOUR_STEP_MIN_ROW_POINTS)
        return FFT_FOUR_STEP;
    if (smooth && 2 * count >= lanes && n <= TUNE_FFT_IN_LANES_MAX_POINTS &&
        (n < TUNE_FFT_FOUR_STEP_MIN_POINTS || fills_lanes(c, lanes)))
        return FFT_IN_LANES;
    return smooth && splits ? FFT_FOUR_STEP : FFT_BLUESTEIN;
}

/* The choice for a call, cached for the last lengths: factorizing n costs as much as a short
 * transform. */
static fft_algorithm algorithm_of(fft_tables *s, const gpa_libcall *c) {
    const int64_t n = c->fft.n[0], count = fft_row_count(c);
    fft_choice *k = &s->choices[(size_t)(n + 7 * count + (int)c->fft.form) % COUNT_OF(s->choices)];
    if (k->n != n || k->count != count || k->dtype != c->dtype || k->form != c->fft.form ||
        k->contiguous != is_contiguous(c))
        *k = (fft_choice){c->dtype, c->fft.form, n, count, is_contiguous(c), choose(c)};
    return k->algorithm;
}

/* ---- strided rows ---- */

/* Rows of n elements of an array, and contiguous copies of them. */
typedef struct {
    const gpa_libcall *c;
    const gpa_binding *b;
    size_t item;
    int64_t n;
    char *array, *rows;
} row_copies;

static inline __attribute__((always_inline)) void copy_elements(char *to, int64_t to_step,
                                                                const char *from, int64_t from_step,
                                                                int64_t n, size_t item) {
    for (int64_t k = 0; k < n; k++, to += to_step, from += from_step) memcpy(to, from, item);
}

/* Copies to the rows, or with `back` from them; a block of each row at a time, since rows may be
 * interleaved. */
static void copy_rows(const row_copies *q, bool back) {
    const int64_t item = (int64_t)q->item, step = q->b->stride[0] * item,
                  count = fft_row_count(q->c);
    for (int64_t first = 0; first < q->n; first += TUNE_FFT_COPY_BLOCK_ELEMS)
        for (int64_t i = 0; i < count; i++) {
            char *strided = q->array + fft_row_offset(q->c, q->b, i) * item + first * step,
                 *contiguous = q->rows + (i * q->n + first) * item;
            char *to = back ? strided : contiguous, *from = back ? contiguous : strided;
            const int64_t to_step = back ? step : item, from_step = back ? item : step,
                          n = MIN(q->n - first, TUNE_FFT_COPY_BLOCK_ELEMS);
            switch (item) {
                case 4: copy_elements(to, to_step, from, from_step, n, 4); break;
                case 8: copy_elements(to, to_step, from, from_step, n, 8); break;
                default: copy_elements(to, to_step, from, from_step, n, 16);
            }
        }
}

static gpa_code run(fft_tables *s, const fft_context *ctx, const gpa_libcall *c, void *in,
                    void *out, gpa_err *e);

static gpa_code run_on_copies(fft_tables *s, const fft_context *ctx, const gpa_libcall *call,
                              void *in, void *out, gpa_err *e) {
    const int64_t n = call->fft.n[0], half = n / 2 + 1, count = fft_row_count(call);
    const size_t item = dtype_size(call->dtype);
    const bool from_real = call->fft.form == FFT_R2C, to_real = call->fft.form == FFT_C2R;
    row_copies from = {call, &call->fft.in, from_real ? item / 2 : item, to_real ? half : n,
                       in,   NULL};
    row_copies to = {call, &call->fft.out, to_real ? item / 2 : item, from_real ? half : n, out,
                     NULL};
    from.rows = mem_new((size_t)(count * from.n) * from.item);
    to.rows = mem_new((size_t)(count * to.n) * to.item);
    gpa_libcall c = *call;
    gpa_code rc = GPA_OK;
    c.fft.ndim = 2;
    c.fft.n[1] = count;
    c.fft.in.stride[0] = c.fft.out.stride[0] = 1;
    c.fft.in.stride[1] = from.n, c.fft.out.stride[1] = to.n;
    if (!from.rows || !to.rows) TRY(gpa_no_memory(e));
    copy_rows(&from, false);
    TRY(run(s, ctx, &c, from.rows, to.rows, e));
    copy_rows(&to, true);
out:
    mem_free(from.rows);
    mem_free(to.rows);
    return rc;
}

/* ---- calls ---- */

/* The four-step and Bluestein's algorithm need contiguous rows, and get copies of others. */
static gpa_code run(fft_tables *s, const fft_context *ctx, const gpa_libcall *c, void *in,
                    void *out, gpa_err *e) {
    const fft_algorithm a = algorithm_of(s, c);
    if (a == FFT_IN_LANES) return fft_lanes_run(s, ctx, c, in, out, e);
    if (!is_contiguous(c)) return run_on_copies(s, ctx, c, in, out, e);
    return (a == FFT_FOUR_STEP ? four_step_run : run_bluestein)(s, ctx, c, in, out, e);
}

gpa_code fft_axis_run(fft_tables **s, const fft_context *ctx, const gpa_libcall *c, void *in,
                      void *out, gpa_err *e) {
    if (!*s && !(*s = mem_zero(sizeof **s))) return gpa_no_memory(e);
    return run(*s, ctx, c, in, out, e);
}
