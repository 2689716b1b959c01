/* Fourier transforms along one axis: fft_axis.h.
 *
 * Three algorithms; choose() takes the cheapest by an estimate.
 *
 * In lanes: as many rows as a vector has lanes are transposed into vectors, transformed together by
 * mixed-radix passes (mixed_radix.h) and transposed back. Complex rows with unit stride across the
 * lanes are read and written in place. 2h real elements are h complex ones; an odd number of real
 * elements has passes of its own.
 *
 * Four-step (Bailey 1990): a row of n1 n2 points is a matrix of n1 rows. Its columns are
 * transformed in lanes, multiplied by twiddle factors and transposed, and then its rows are
 * transformed, so that memory is traversed four times and always in whole cache lines.
 *
 * Bluestein's algorithm (bluestein.h): lengths with a large prime factor are convolutions by
 * four-step transforms of a longer, smooth length.
 *
 * Reading order: tables, rows in lanes, four-step, Bluestein, choice, calls. */
#include "runtime/cpu/fft/fft_axis.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/base/base.h"
#include "runtime/cpu/fft/bluestein.h"
#include "runtime/cpu/parallel/lanes.h"
#include "runtime/cpu/fft/mixed_radix.h"
#include "runtime/cpu/parallel/threads.h"
#include "runtime/cpu/fft/half_length.h"
#include "runtime/base/simd_clones.h"
#include "runtime/tables/tuning.h"

/* Slots of the caches of tables, of Bluestein's tables, and of choices of an algorithm. */
enum { KEPT = 32, CHIRPS = 8, CHOICES = 64, LINE = 64 };

/* IN_LANES: several lines in the lanes of vectors. FOUR_STEP: a long line as a matrix. */
typedef enum { IN_LANES, FOUR_STEP, BLUESTEIN } algorithm;

/* ---- tables ---- */

typedef enum { NOTHING, PASSES, HALVES, UNFOLDING, TURNS } factor_kind;

typedef struct {
    factor_kind kind;
    gpa_dtype dtype;
    int64_t n, n1; /* n1: of TURNS */
    radix *passes;
    void *w;
    radix_twiddles turns;
    uint64_t used;
} factors;

typedef struct {
    gpa_dtype dtype;
    gpa_fft_form form;
    int64_t n, count;
    bool contiguous;
    algorithm algorithm;
} choice;

struct fft_tables {
    factors kept[KEPT];
    struct {
        bluestein c;
        uint64_t used;
    } chirps[CHIRPS];
    choice choices[CHOICES];
    uint64_t clock;
};

static void drop(factors *f) {
    radix_free(f->passes);
    mem_free(f->w);
    radix_twiddles_free(&f->turns);
    *f = (factors){0};
}

/* The table of a kind for n points from the LRU cache, valid until KEPT others were used; NULL when
 * memory is short. */
static const factors *factors_of(fft_tables *s, factor_kind kind, gpa_dtype t, int64_t n,
                                 int64_t n1) {
    factors *oldest = s->kept;
    for (factors *f = s->kept; f < s->kept + KEPT; f++) {
        if (f->kind == kind && f->dtype == t && f->n == n && f->n1 == n1) {
            f->used = ++s->clock;
            return f;
        }
        if (f->used < oldest->used) oldest = f;
    }
    drop(oldest);
    factors f = {.kind = kind, .dtype = t, .n = n, .n1 = n1, .used = ++s->clock};
    if (kind == PASSES) f.passes = radix_new(t, n);
    if (kind == HALVES) f.w = radix_real_factors(t, n);
    if (kind == UNFOLDING) f.w = real_split_factors(t, n);
    if (kind == TURNS && !radix_twiddles_new(&f.turns, t, n1, n / n1)) return NULL;
    if (kind != TURNS && !f.passes && !f.w) return NULL;
    *oldest = f;
    return oldest;
}

void fft_tables_free(fft_tables *s) {
    for (size_t i = 0; s && i < KEPT; i++) drop(&s->kept[i]);
    for (size_t i = 0; s && i < CHIRPS; i++) bluestein_free(&s->chirps[i].c);
    mem_free(s);
}

static char *aligned(char *at) { return at + (LINE - (uintptr_t)at % LINE) % LINE; }

static bool is_inverse(const gpa_libcall *c) { return c->fft.inverse || c->fft.form == FFT_C2R; }

/* True for an odd number of real elements, which cannot be paired to complex ones. */
static bool is_odd_real(const gpa_libcall *c) { return c->fft.form != FFT_C2C && c->fft.n[0] % 2; }

static double scale_of(const gpa_libcall *c) { return c->fft.scaled ? c->fft.scale : 1; }

/* ---- rows in lanes ---- */

/* The memory layout of a row, in real elements: `numbers` of them; the two parts of a complex
 * element are adjacent. */
typedef struct {
    char *at;
    bool complex;
    int64_t numbers, step;      /* step: from a real or complex number to the next */
    int64_t line[KIR_MAX_DIMS]; /* from a line to the next along each of the other dimensions */
} side;

typedef struct {
    const gpa_libcall *c;
    side in, out;
    const radix *r;
    const void *halves; /* NULL: complex on both sides, or an odd number of real ones */
    int64_t real, all, length, given; /* real: bytes of a real number; all: lanes; length: complex
                                         points; given: on a complex side */
    int64_t count, blocks, chunks;
    bool failed;
} lines;

/* The offsets at which the rows of a block begin. */
static void offsets(const lines *q, const side *s, int64_t first, int64_t count, int64_t *at) {
    int64_t index[KIR_MAX_DIMS], rest = first, now = 0;
    const int ndim = q->c->fft.ndim;
    for (int d = 1; d < ndim; d++) {
        index[d] = rest % q->c->fft.n[d];
        rest /= q->c->fft.n[d];
        now += index[d] * s->line[d];
    }
    for (int64_t i = 0; i < count; i++) {
        at[i] = now;
        for (int d = 1; d < ndim; d++) {
            now += s->line[d];
            if (++index[d] < q->c->fft.n[d]) break;
            now -= s->line[d] * index[d];
            index[d] = 0;
        }
    }
}

/* The common stride from row to row, 0 if it varies. */
static int64_t common_step(const int64_t *at, int64_t count) {
    for (int64_t i = 2; i < count; i++)
        if (at[i] - at[i - 1] != at[1] - at[0]) return 0;
    return count > 1 ? at[1] - at[0] : 1;
}

/* True if the rows are complex, interleaved with unit stride, and fill all lanes. */
static bool are_adjacent_complex(const lines *q, const side *s, const int64_t *at, int64_t count) {
    return s->complex && count == q->all && common_step(at, count) == 2;
}

static int64_t place(const side *s, int64_t number) {
    return s->complex ? number / 2 * s->step + number % 2 : number * s->step;
}

/* Copies n strided rows of `bytes` bytes each. */
static void copy_rows(const char *from, int64_t from_step, char *to, int64_t to_step, int64_t bytes,
                      int64_t n) {
    for (; n > 0; n--, from += from_step, to += to_step) {
        int64_t i = 0;
        for (; i + 16 <= bytes; i += 16) memcpy(to + i, from + i, 16);
        for (; i < bytes; i += 4) memcpy(to + i, from + i, 4);
    }
}

/* True if the rows are interleaved with unit stride but do not fill all lanes. */
static bool are_partial(const lines *q, const side *s, const int64_t *at, int64_t count) {
    return count < q->all && (count == 1 || common_step(at, count) == (s->complex ? 2 : 1)) &&
           llabs(s->step) > (s->complex ? 2 : 1);
}

/* Loads and stores such rows; complex ones go through `between`, scratch for as many points. */
static void load_partial(const lines *q, const side *s, const int64_t *at, int64_t count,
                         char *points, char *between) {
    const int64_t row = (s->complex ? 2 : 1) * LANES_BYTES,
                  n = s->complex ? s->numbers / 2 : s->numbers;
    const radix_points pairs = {between, 2 * q->all, .pairs = true},
                       there = {points, 2 * q->all, .scale = 1};
    char *to = s->complex ? between : points;
    memset(to, 0, (size_t)(n * row));
    copy_rows(s->at + at[0] * q->real, s->step * q->real, to, row, count * row / q->all, n);
    if (s->complex) radix_move(q->c->dtype, n, &pairs, &there);
}

static void store_partial(const lines *q, const side *s, const int64_t *at, int64_t count,
                          char *points, char *between) {
    const int64_t row = (s->complex ? 2 : 1) * LANES_BYTES,
                  n = s->complex ? s->numbers / 2 : s->numbers;
    const radix_points pairs = {between, 2 * q->all, .pairs = true, .scale = 1},
                       there = {points, 2 * q->all, .scale = 1};
    if (s->complex) radix_move(q->c->dtype, n, &there, &pairs);
    copy_rows(s->complex ? between : points, row, s->at + at[0] * q->real, s->step * q->real,
              count * row / q->all, n);
}

/* Transposes rows into vectors, and back; any strides. */
#define MOVES(T, size)                                                                             \
    static void bring_##size(const lines *q, const side *s, const int64_t *at, int64_t count,      \
                             void *to) {                                                           \
        const T *from = (const T *)(const void *)s->at + at[0];                                    \
        const int64_t step = common_step(at, count);                                               \
        if (step && s->step == (s->complex ? 2 : 1))                                               \
            lanes_load_##size(from, step, count, s->numbers, to);                                  \
        else if (step == 1 && !s->complex)                                                         \
            lanes_load_interleaved_##size(from, s->step, count, s->numbers, to);                   \
        else                                                                                       \
            for (int64_t k = 0; k < s->numbers; k++)                                               \
                for (int64_t l = 0; l < q->all; l++)                                               \
                    ((T *)to)[k * q->all + l] =                                                    \
                        ((const T *)(const void *)s->at)[at[MIN(l, count - 1)] + place(s, k)];     \
    }                                                                                              \
    static void take_##size(const lines *q, const side *s, const int64_t *at, int64_t count,       \
                            const void *from) {                                                    \
        T *to = (T *)(void *)s->at + at[0];                                                        \
        const int64_t step = common_step(at, count);                                               \
        if (step && s->step == (s->complex ? 2 : 1))                                               \
            lanes_store_##size(from, s->numbers, to, step, count);                                 \
        else if (step == 1 && !s->complex)                                                         \
            lanes_store_interleaved_##size(from, s->numbers, to, s->step, count);                  \
        else                                                                                       \
            for (int64_t k = 0; k < s->numbers; k++)                                               \
                for (int64_t l = 0; l < count; l++)                                                \
                    ((T *)(void *)s->at)[at[l] + place(s, k)] = ((const T *)from)[k * q->all + l]; \
    }
MOVES(int32_t, 4)
MOVES(int64_t, 8)
#undef MOVES

/* Prefetches n locations `step` bytes apart, two cache lines each. */
static void prefetch(const char *at, int64_t step, int64_t n) {
    for (int64_t k = 0; k < n; k++, at += step) {
        __builtin_prefetch(at, 0, 2);
        __builtin_prefetch(at + LINE, 0, 2);
    }
}

static void lines_block(const lines *q, int64_t block, char *points, char *work) {
    const bool inverse = is_inverse(q->c), complex = q->c->fft.form == FFT_C2C,
               odd = is_odd_real(q->c);
    const int64_t first = block * q->all, count = MIN(q->all, q->count - first);
    int64_t from[LANES_4], to[LANES_4];
    offsets(q, &q->in, first, count, from);
    offsets(q, &q->out, first, count, to);
    const radix_points in_pairs = {q->in.at + from[0] * q->real, q->in.step, .pairs = true,
                                   .scale = 1};
    const radix_points out_pairs = {q->out.at + to[0] * q->real, q->out.step, .pairs = true,
                                    .scale = 1};
    const radix_points there = {points, 2 * q->all, .scale = 1};
    const radix_points worked = {work, 2 * q->all, .scale = 1};
    radix_points in = there, out = there;
    char *given = odd && inverse ? work : points, *done = odd && !inverse ? work : points;
    if (are_adjacent_complex(q, &q->in, from, count)) {
        if (block + 1 < q->blocks)
            prefetch((const char *)in_pairs.at + 2 * LANES_BYTES, q->in.step * q->real, q->given);
        if (complex)
            in = in_pairs;
        else
            radix_move(q->c->dtype, q->given, &in_pairs, odd ? &worked : &there);
    } else if (are_partial(q, &q->in, from, count)) {
        load_partial(q, &q->in, from, count, given, given == points ? work : points);
    } else {
        (q->real == 4 ? bring_4 : bring_8)(q, &q->in, from, count, given);
    }
    bool pairs = are_adjacent_complex(q, &q->out, to, count);
    if (pairs) prefetch(out_pairs.at, q->out.step * q->real, q->given);
    if (pairs && complex) out = out_pairs;
    if (odd) {
        radix_points scaled = pairs ? out_pairs : worked;
        scaled.scale = scale_of(q->c);
        if (inverse) radix_hartley(q->r, work, points, 1);
        radix_odd_real(q->r, points, work);
        if (inverse)
            radix_hartley(q->r, work, points, scale_of(q->c));
        else if (pairs || scaled.scale != 1)
            radix_move(q->c->dtype, q->given, &worked, &scaled);
    } else {
        if (q->halves && inverse) radix_real_split(q->c->dtype, points, q->length, q->halves, true);
        in.swapped = out.swapped = inverse;
        out.scale = scale_of(q->c);
        radix_run(q->r, &in, &out, work);
        if (q->halves && !inverse)
            radix_real_split(q->c->dtype, points, q->length, q->halves, false);
        if (pairs && q->halves) radix_move(q->c->dtype, q->given, &there, &out_pairs);
    }
    if (pairs) return;
    if (are_partial(q, &q->out, to, count))
        store_partial(q, &q->out, to, count, done, done == points ? work : points);
    else
        (q->real == 4 ? take_4 : take_8)(q, &q->out, to, count, done);
}

static void lines_chunk(void *arg, int64_t chunk) {
    lines *q = arg;
    const int64_t bytes = radix_point_elems(q->c->dtype) * q->real;
    char *room = mem_new((size_t)((q->length + 1 + radix_scratch_points(q->r)) * bytes + LINE)),
         *points = room ? aligned(room) : NULL;
    if (!room) __atomic_store_n(&q->failed, true, __ATOMIC_RELAXED);
    for (int64_t b = q->blocks * chunk / q->chunks; room && b < q->blocks * (chunk + 1) / q->chunks;
         b++)
        lines_block(q, b, points, points + (q->length + 1) * bytes);
    mem_free(room);
}

static side side_of(const gpa_libcall *c, const gpa_binding *b, bool complex, int64_t numbers,
                    void *at) {
    side s = {
        .at = at, .complex = complex, .numbers = numbers, .step = b->stride[0] * (complex ? 2 : 1)};
    for (int d = 1; d < c->fft.ndim; d++) s.line[d] = b->stride[d] * (complex ? 2 : 1);
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

/* The length of the complex transform that computes a row. */
static int64_t complex_length(const gpa_libcall *c) {
    return c->fft.form == FFT_C2C || is_odd_real(c) ? c->fft.n[0] : c->fft.n[0] / 2;
}

static int64_t line_count(const gpa_libcall *c) {
    int64_t count = 1;
    for (int d = 1; d < c->fft.ndim; d++) count *= c->fft.n[d];
    return count;
}

static gpa_code run_in_lanes(fft_tables *s, int threads, const gpa_libcall *call, void *in,
                             void *out, gpa_err *e) {
    const gpa_libcall ordered = in_output_order(call), *c = &ordered;
    const int64_t n = c->fft.n[0], h = complex_length(c),
                  given = c->fft.form == FFT_C2C ? n : n / 2 + 1;
    lines q = {.c = c,
               .length = h,
               .given = given,
               .all = radix_point_elems(c->dtype) / 2,
               .count = line_count(c)};
    q.real = (int64_t)dtype_size(dtype_info[c->dtype].real);
    q.in =
        side_of(c, &c->fft.in, c->fft.form != FFT_R2C, c->fft.form == FFT_R2C ? n : 2 * given, in);
    q.out = side_of(c, &c->fft.out, c->fft.form != FFT_C2R, c->fft.form == FFT_C2R ? n : 2 * given,
                    out);
    const factors *passes = factors_of(s, PASSES, c->dtype, h, 0);
    const bool folded = c->fft.form != FFT_C2C && !is_odd_real(c);
    const factors *halves = folded ? factors_of(s, HALVES, c->dtype, h, 0) : NULL;
    if (!passes || (folded && !halves)) return gpa_no_memory(e);
    q.r = passes->passes;
    if (halves) q.halves = halves->w;
    q.blocks = (q.count + q.all - 1) / q.all;
    q.chunks = MIN(q.blocks, 8 * threads);
    int32_t never = 0;
    threads_each(q.count * h < TUNE_FFT_THREADS_MIN_POINTS ? 1 : threads, q.chunks, &never,
                 lines_chunk, &q);
    return q.failed ? gpa_no_memory(e) : GPA_OK;
}

/* ---- four-step ---- */

typedef struct {
    gpa_dtype dtype;
    gpa_fft_form form; /* FFT_R2C, FFT_C2R: of an odd number */
    bool inverse;
    double scale;
    const char *in;
    char *out, *between; /* between: blocks of rows, aligned */
    const radix *columns, *rows;
    const radix_twiddles *turns;
    int64_t n1, n2, pitch, item, all, chunks;
    bool failed;
} long_line;

static int64_t blocks_of(const long_line *q, int64_t n) { return (n + q->all - 1) / q->all; }

/* Copies n rows of `count` complex elements between row lengths `from` and `to`. */
static void narrow(const long_line *q, int64_t n, int64_t count, const char *in, int64_t from,
                   char *out, int64_t to) {
    for (int64_t k = 0; k < n; k++)
        memcpy(out + k * to * q->item, in + k * from * q->item, (size_t)(count * q->item));
}

/* Columns of an odd number of real numbers, n1 x n2, to vectors at `wide`: as they are given, or
 * those that radix_hartley makes of points. And row r of their transforms, n2 points of which
 * vectors have `count`, to where they are wanted: a number of it, and by its conjugate one of row
 * n1 - r. */
#define ODD_COLUMNS(T, size)                                                                      \
    GPA_SIMD_CLONES static void odd_in_##size(const long_line *q, int64_t first, int64_t count,   \
                                              T *wide) {                                          \
        const T *in = (const T *)(const void *)q->in;                                             \
        const int64_t n = q->n1 * q->n2;                                                          \
        for (int64_t k = 0; k < q->n1; k++, wide += q->all) {                                     \
            const int64_t at = k * q->n2 + first,                                                 \
                          near = q->form == FFT_R2C ? count : MAX(0, MIN(count, n / 2 + 1 - at)); \
            const T *ahead = in + 2 * at, *back = in + 2 * (n - at);                              \
            if (q->form == FFT_R2C)                                                               \
                memcpy(wide, in + at, (size_t)count * sizeof(T));                                 \
            else                                                                                  \
                for (int64_t l = 0; l < near; l++) wide[l] = ahead[2 * l] - ahead[2 * l + 1];     \
            for (int64_t l = near; l < count; l++) wide[l] = back[-2 * l] + back[1 - 2 * l];      \
            for (int64_t l = count; l < q->all; l++) wide[l] = 0;                                 \
            if (at == 0) wide[0] = in[0];                                                         \
        }                                                                                         \
    }                                                                                             \
    GPA_SIMD_CLONES static void odd_out_##size(const long_line *q, int64_t first, int64_t count,  \
                                               T *wide) {                                         \
        T *out = (T *)(void *)q->out;                                                             \
        const int64_t n = q->n1 * q->n2;                                                          \
        if (first == 0) wide[1] = 0; /* the sum of all is real */                                 \
        for (int64_t j = 0; j < q->n2; j++, wide += 2 * q->all) {                                 \
            const int64_t at = j * q->n1 + first, near = MAX(0, MIN(count, n / 2 + 1 - at));      \
            T *ahead = out + at, *back = out + n - at, *far = out + 2 * (n - at);                 \
            if (q->form == FFT_C2R) {                                                             \
                for (int64_t l = 0; l < count; l++) ahead[l] = wide[2 * l] - wide[2 * l + 1];     \
                for (int64_t l = at == 0; l < count; l++)                                         \
                    back[-l] = wide[2 * l] + wide[2 * l + 1];                                     \
                continue;                                                                         \
            }                                                                                     \
            memcpy(ahead + at, wide, (size_t)near * 2 * sizeof(T));                               \
            for (int64_t l = near; l < count; l++)                                                \
                far[-2 * l] = wide[2 * l], far[1 - 2 * l] = -wide[2 * l + 1];                     \
        }                                                                                         \
    }
ODD_COLUMNS(float, 4)
ODD_COLUMNS(double, 8)
#undef ODD_COLUMNS

/* Rows of the matrix after the column transforms; for real input half of them, since the others are
 * their conjugates. */
static int64_t rows_of(const long_line *q) { return q->form == FFT_C2C ? q->n1 : q->n1 / 2 + 1; }

static void columns_chunk(void *arg, int64_t chunk) {
    long_line *q = arg;
    const int64_t blocks = blocks_of(q, q->n2), bytes = q->all * q->item;
    char *room = mem_new((size_t)((q->n1 + radix_scratch_points(q->columns)) * bytes + LINE)),
         *wide = room ? aligned(room) : NULL, *work = wide + q->n1 * bytes;
    if (!room) __atomic_store_n(&q->failed, true, __ATOMIC_RELAXED);
    for (int64_t b = blocks * chunk / q->chunks; room && b < blocks * (chunk + 1) / q->chunks;
         b++) {
        const int64_t count = MIN(q->all, q->n2 - b * q->all);
        if (q->form == FFT_C2C) {
            char *from = (char *)(uintptr_t)q->in + b * bytes;
            radix_points in = {from, 2 * q->n2, .pairs = true, .swapped = q->inverse},
                         out = {work, 2 * q->all, .scale = 1};
            if (count < q->all) {
                memset(wide, 0, (size_t)(q->n1 * bytes));
                narrow(q, q->n1, count, from, q->n2, wide, q->all);
                in.at = wide, in.step = 2 * q->all;
            }
            if (b + 1 < blocks) prefetch(from + bytes, q->n2 * q->item, q->n1);
            radix_run(q->columns, &in, &out, work);
        } else {
            if (q->item == 8)
                odd_in_4(q, b * q->all, count, (float *)(void *)wide);
            else
                odd_in_8(q, b * q->all, count, (double *)(void *)wide);
            radix_odd_real(q->columns, wide, work);
        }
        radix_twiddle_transpose(q->turns, q->dtype, q->n1, rows_of(q), b, work, q->between,
                                q->pitch);
    }
    mem_free(room);
}

static void rows_chunk(void *arg, int64_t chunk) {
    long_line *q = arg;
    const int64_t rows = rows_of(q), blocks = blocks_of(q, rows), bytes = q->all * q->item;
    char *room = mem_new((size_t)((q->n2 + radix_scratch_points(q->rows)) * bytes + LINE)),
         *wide = room ? aligned(room) : NULL, *work = wide + q->n2 * bytes;
    if (!room) __atomic_store_n(&q->failed, true, __ATOMIC_RELAXED);
    for (int64_t b = blocks * chunk / q->chunks; room && b < blocks * (chunk + 1) / q->chunks;
         b++) {
        const int64_t count = MIN(q->all, rows - b * q->all);
        const bool odd = q->form != FFT_C2C, apart = odd || count < q->all;
        char *to = q->out + b * bytes;
        radix_points in = {.at = q->between + b * q->pitch * bytes, .step = 2 * q->all};
        radix_points out = {apart ? wide : to, 2 * (apart ? q->all : q->n1), .pairs = true,
                            .swapped = q->inverse, .scale = q->scale};
        if (!apart) prefetch(to, q->n1 * q->item, q->n2);
        radix_run(q->rows, &in, &out, work);
        if (odd && q->item == 8)
            odd_out_4(q, b * q->all, count, (float *)(void *)wide);
        else if (odd)
            odd_out_8(q, b * q->all, count, (double *)(void *)wide);
        else if (apart)
            narrow(q, q->n2, count, wide, q->all, to, q->n1);
    }
    mem_free(room);
}

/* The largest divisor of n that is at most its square root. */
static int64_t largest_divisor_to_root(int64_t n) {
    int64_t best = 1;
    for (int64_t k = 2; k * k <= n; k++)
        if (n % k == 0) best = k;
    return best;
}

/* Prepares q for rows of n complex points; false when memory is short. *room is scratch memory that
 * the caller frees afterwards. */
static bool long_line_of(fft_tables *s, const gpa_libcall *c, int64_t n, bool inverse, long_line *q,
                         char **room) {
    *q = (long_line){.dtype = c->dtype,
                     .inverse = inverse,
                     .scale = 1,
                     .n1 = largest_divisor_to_root(n),
                     .item = (int64_t)dtype_size(c->dtype)};
    q->all = radix_point_elems(c->dtype) / 2;
    q->n2 = n / q->n1;
    q->pitch = blocks_of(q, q->n2) * q->all;
    const factors *columns = factors_of(s, PASSES, c->dtype, q->n1, 0),
                  *rows = factors_of(s, PASSES, c->dtype, q->n2, 0);
    const factors *turns = factors_of(s, TURNS, c->dtype, n, q->n1);
    *room = mem_new((size_t)(blocks_of(q, q->n1) * q->all * q->pitch * q->item + LINE));
    if (!*room || !columns || !rows || !turns) return false;
    q->between = aligned(*room);
    q->columns = columns->passes, q->rows = rows->passes, q->turns = &turns->turns;
    return true;
}

/* In place if out is in: all columns are read before rows are written. False when memory is short.
 */
static bool long_line_run(long_line *q, int threads, const char *in, char *out) {
    int32_t never = 0;
    const int team = q->n1 * q->n2 < TUNE_FFT_THREADS_MIN_POINTS ? 1 : threads;
    q->in = in, q->out = out;
    q->chunks = MIN(blocks_of(q, q->n2), 8 * threads);
    threads_each(team, q->chunks, &never, columns_chunk, q);
    q->chunks = MIN(blocks_of(q, rows_of(q)), 8 * threads);
    if (!q->failed) threads_each(team, q->chunks, &never, rows_chunk, q);
    return !q->failed;
}

/* The element offset, and the address, at which row l of a call begins. */
static int64_t line_place(const gpa_libcall *c, const gpa_binding *b, int64_t l) {
    int64_t number = 0;
    for (int d = 1; d < c->fft.ndim; l /= c->fft.n[d], d++)
        number += l % c->fft.n[d] * b->stride[d];
    return number;
}

static char *line_at(const gpa_libcall *c, const gpa_binding *b, void *at, bool complex,
                     int64_t l) {
    return (char *)at + line_place(c, b, l) *
                            (int64_t)dtype_size(complex ? c->dtype : dtype_info[c->dtype].real);
}

static gpa_code run_four_step(fft_tables *s, int threads, const gpa_libcall *c, void *in, void *out,
                              gpa_err *e) {
    const int64_t n = complex_length(c);
    const bool folded = c->fft.form != FFT_C2C && !is_odd_real(c);
    const factors *unfolding = folded ? factors_of(s, UNFOLDING, c->dtype, n, 0) : NULL;
    char *room = NULL;
    long_line q;
    bool failed = !long_line_of(s, c, n, is_inverse(c) && !is_odd_real(c), &q, &room) ||
                  (folded && !unfolding);
    q.scale = scale_of(c);
    q.form = folded ? FFT_C2C : c->fft.form;
    for (int64_t l = 0; l < line_count(c) && !failed; l++) {
        char *from = line_at(c, &c->fft.in, in, c->fft.form != FFT_R2C, l),
             *to = line_at(c, &c->fft.out, out, c->fft.form != FFT_C2R, l);
        const bool first = folded && c->fft.form == FFT_C2R;
        if (first) real_split(c->dtype, from, to, n, unfolding->w, true);
        failed = !long_line_run(&q, threads, first ? to : from, to);
        if (folded && !first && !failed) real_split(c->dtype, to, to, n, unfolding->w, false);
    }
    mem_free(room);
    return failed ? gpa_no_memory(e) : GPA_OK;
}

/* ---- Bluestein ---- */

/* The tables for n points by m, for which q is prepared; `room` is scratch for 2 m points; NULL
 * when memory is short. */
static const bluestein *bluestein_of(fft_tables *s, long_line *q, int64_t n, int64_t m,
                                     bool inverse, int threads, char *room) {
    int oldest = 0;
    for (int i = 0; i < CHIRPS; i++) {
        const bluestein *c = &s->chirps[i].c;
        if (c->w && c->dtype == q->dtype && c->n == n && c->inverse == inverse) {
            s->chirps[i].used = ++s->clock;
            return c;
        }
        if (s->chirps[i].used < s->chirps[oldest].used) oldest = i;
    }
    bluestein *c = &s->chirps[oldest].c;
    bluestein_free(c);
    if (!bluestein_new(c, q->dtype, n, m, inverse)) return NULL;
    if (!long_line_run(q, threads, c->spectrum, room)) {
        bluestein_free(c);
        return NULL;
    }
    bluestein_set_spectrum(c, room);
    s->chirps[oldest].used = ++s->clock;
    return c;
}

/* The length of the convolution for n points: of tables that are there, else searched for. */
static int64_t padded_length(const fft_tables *s, gpa_dtype t, int64_t n) {
    for (int i = 0; i < CHIRPS; i++)
        if (s->chirps[i].c.w && s->chirps[i].c.dtype == t && s->chirps[i].c.n == n)
            return s->chirps[i].c.m;
    return radix_padded_length(2 * n - 1);
}

static gpa_code run_bluestein(fft_tables *s, int threads, const gpa_libcall *c, void *in, void *out,
                              gpa_err *e) {
    const int64_t n = complex_length(c), m = padded_length(s, c->dtype, n),
                  item = (int64_t)dtype_size(c->dtype);
    const bool folded = c->fft.form != FFT_C2C && !is_odd_real(c);
    const factors *unfolding = folded ? factors_of(s, UNFOLDING, c->dtype, n, 0) : NULL;
    char *room = NULL, *more = mem_new((size_t)(2 * m * item + LINE)),
         *a = more ? aligned(more) : NULL, *b = a + m * item;
    long_line q;
    bool failed = !more || !long_line_of(s, c, m, false, &q, &room) || (folded && !unfolding);
    const bluestein *w = failed ? NULL : bluestein_of(s, &q, n, m, is_inverse(c), threads, a);
    failed = !w;
    for (int64_t l = 0; l < line_count(c) && !failed; l++) {
        char *from = line_at(c, &c->fft.in, in, c->fft.form != FFT_R2C, l),
             *to = line_at(c, &c->fft.out, out, c->fft.form != FFT_C2R, l);
        if (is_odd_real(c))
            (c->fft.form == FFT_R2C ? bluestein_from_real : bluestein_from_half)(w, from, 1, a);
        else if (c->fft.form == FFT_C2R)
            real_split(c->dtype, from, a, n, unfolding->w, true);
        bluestein_premultiply(
            w, c->fft.form == FFT_C2C || (folded && c->fft.form == FFT_R2C) ? from : a, a);
        q.inverse = false, q.scale = 1;
        failed = !long_line_run(&q, threads, a, b);
        bluestein_multiply_spectrum(w, b);
        q.inverse = true, q.scale = scale_of(c);
        failed = failed || !long_line_run(&q, threads, b, a);
        if (failed) break;
        bluestein_postmultiply(w, a, is_odd_real(c) ? a : to);
        if (is_odd_real(c))
            (c->fft.form == FFT_R2C ? bluestein_to_half : bluestein_to_real)(w, a, to, 1);
        else if (c->fft.form == FFT_R2C)
            real_split(c->dtype, to, to, n, unfolding->w, false);
    }
    mem_free(more);
    mem_free(room);
    return failed ? gpa_no_memory(e) : GPA_OK;
}

/* ---- calls ---- */

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
    const int64_t n1 = largest_divisor_to_root(n), n2 = n / n1, columns = (n2 + lanes - 1) / lanes,
                  rows = (n1 + lanes - 1) / lanes;
    return (double)columns * (lanes_cost(n1) + TUNE_FFT_COST_MOVE * (double)n1) +
           (double)rows * lanes_cost(n2) + TUNE_FFT_COST_CALL;
}

/* The cheapest algorithm for a few short lines, which do not fill the lanes of vectors. */
static algorithm choose_for_few(int64_t n, int64_t count, int64_t lanes) {
    const double calls = (double)count,
                 in_lanes = (double)((count + lanes - 1) / lanes) * lanes_cost(n);
    if (n < 2 * lanes || in_lanes < TUNE_FFT_COST_CALL) return IN_LANES;
    const int64_t m = radix_padded_length(2 * n - 1);
    const double four_step =
        largest_divisor_to_root(n) > 1 ? calls * four_step_cost(n, lanes) : INFINITY;
    const double convolution =
        calls * (2 * four_step_cost(m, lanes) + TUNE_FFT_COST_MOVE * (double)m / (double)lanes);
    return in_lanes <= MIN(four_step, convolution) ? IN_LANES
           : four_step <= convolution              ? FOUR_STEP
                                                   : BLUESTEIN;
}

/* True if the lines fill most lanes of vectors; an odd number of real values always counts as full,
 * because its four-step transform costs twice as much. */
static bool fills_lanes(const gpa_libcall *c, int64_t lanes) {
    const int64_t count = line_count(c), padded = (count + lanes - 1) / lanes * lanes;
    return is_odd_real(c) || 8 * count >= 7 * padded;
}

static bool is_contiguous(const gpa_libcall *c) {
    return c->fft.in.stride[0] == 1 && c->fft.out.stride[0] == 1;
}

static algorithm choose(const gpa_libcall *c) {
    const int64_t n = complex_length(c), lanes = radix_point_elems(c->dtype) / 2,
                  count = line_count(c);
    if (n < TUNE_FFT_FOUR_STEP_MIN_POINTS && 2 * count < lanes)
        return choose_for_few(n, count, lanes);
    const bool can = radix_can(n), splits = 2 * largest_divisor_to_root(n) >= lanes;
    if (can && splits && is_contiguous(c) && !is_odd_real(c) &&
        n >= TUNE_FFT_FOUR_STEP_MIN_ROW_POINTS)
        return FOUR_STEP;
    if (can && 2 * count >= lanes && n <= TUNE_FFT_IN_LANES_MAX_POINTS &&
        (n < TUNE_FFT_FOUR_STEP_MIN_POINTS || fills_lanes(c, lanes)))
        return IN_LANES;
    return can && splits ? FOUR_STEP : BLUESTEIN;
}

/* The choice for a call, remembered for the last lengths: factorizing n costs as much as a short
 * transform. */
static algorithm algorithm_of(fft_tables *s, const gpa_libcall *c) {
    const int64_t n = c->fft.n[0], count = line_count(c);
    choice *k = &s->choices[(size_t)(n + 7 * count + (int)c->fft.form) % COUNT_OF(s->choices)];
    if (k->n != n || k->count != count || k->dtype != c->dtype || k->form != c->fft.form ||
        k->contiguous != is_contiguous(c))
        *k = (choice){c->dtype, c->fft.form, n, count, is_contiguous(c), choose(c)};
    return k->algorithm;
}

/* Copies all rows between a strided array and contiguous rows of n elements; a block of each row at
 * a time, since rows may be interleaved. */
#define COPIES(size)                                                                            \
    static void copy_##size(const gpa_libcall *c, const gpa_binding *b, char *array, int64_t n, \
                            char *rows, bool back) {                                            \
        const int64_t step = b->stride[0] * size;                                               \
        for (int64_t first = 0; first < n; first += TUNE_FFT_COPY_BLOCK_ELEMS)                  \
            for (int64_t l = 0; l < line_count(c); l++) {                                       \
                char *far = array + line_place(c, b, l) * size + first * step,                  \
                     *near = rows + (l * n + first) * size;                                     \
                for (int64_t k = first; k < MIN(n, first + TUNE_FFT_COPY_BLOCK_ELEMS);          \
                     k++, far += step, near += size)                                            \
                    memcpy(back ? far : near, back ? near : far, size);                         \
            }                                                                                   \
    }
COPIES(4)
COPIES(8)
COPIES(16)
#undef COPIES

static void copy_lines(const gpa_libcall *c, const gpa_binding *b, int64_t size, char *array,
                       int64_t n, char *rows, bool back) {
    (size == 4 ? copy_4 : size == 8 ? copy_8 : copy_16)(c, b, array, n, rows, back);
}

static gpa_code run(fft_tables *s, int threads, const gpa_libcall *c, void *in, void *out,
                    gpa_err *e);

static gpa_code run_on_copies(fft_tables *s, int threads, const gpa_libcall *call, void *in,
                              void *out, gpa_err *e) {
    const int64_t n = call->fft.n[0], half = n / 2 + 1, item = (int64_t)dtype_size(call->dtype),
                  count = line_count(call);
    const int64_t in_n = call->fft.form == FFT_C2R ? half : n,
                  in_item = call->fft.form == FFT_R2C ? item / 2 : item;
    const int64_t out_n = call->fft.form == FFT_R2C ? half : n,
                  out_item = call->fft.form == FFT_C2R ? item / 2 : item;
    char *rows = mem_new((size_t)(count * in_n * in_item)),
         *done = mem_new((size_t)(count * out_n * out_item));
    gpa_libcall c = *call;
    gpa_code rc = GPA_OK;
    c.fft.ndim = 2;
    c.fft.n[1] = count;
    c.fft.in.stride[0] = c.fft.out.stride[0] = 1;
    c.fft.in.stride[1] = in_n, c.fft.out.stride[1] = out_n;
    if (!rows || !done) TRY(gpa_no_memory(e));
    copy_lines(call, &call->fft.in, in_item, in, in_n, rows, false);
    TRY(run(s, threads, &c, rows, done, e));
    copy_lines(call, &call->fft.out, out_item, out, out_n, done, true);
out:
    mem_free(rows);
    mem_free(done);
    return rc;
}

/* The four-step and Bluestein's algorithm need contiguous lines, and get copies of others. */
static gpa_code run(fft_tables *s, int threads, const gpa_libcall *c, void *in, void *out,
                    gpa_err *e) {
    const algorithm a = algorithm_of(s, c);
    if (a == IN_LANES) return run_in_lanes(s, threads, c, in, out, e);
    if (c->fft.in.stride[0] != 1 || c->fft.out.stride[0] != 1)
        return run_on_copies(s, threads, c, in, out, e);
    return (a == FOUR_STEP ? run_four_step : run_bluestein)(s, threads, c, in, out, e);
}

gpa_code fft_axis_run(fft_tables **s, int threads, const gpa_libcall *c, void *in, void *out,
                      gpa_err *e) {
    if (!*s && !(*s = mem_zero(sizeof **s))) return gpa_no_memory(e);
    return run(*s, threads, c, in, out, e);
}
