/* Fourier transforms along one axis: smooth.h.
 *
 * As many lines as vectors have lanes are brought into them, transformed, and taken back; complex numbers that are neighbours are
 * read and written where they lie. 2h real numbers go through h complex ones, whose parts they are. A long line of n1 n2 points is a
 * matrix of n1 rows: its columns are transformed side by side, multiplied by roots of unity and turned, and then its rows are
 * (Bailey 1990), so that memory is walked four times and in whole lines of the cache.
 * Reading order: factors, lines side by side, long lines, calls. */
#include "runtime/cpu/smooth.h"

#include <stdlib.h>

#include "runtime/base.h"
#include "runtime/cpu/lanes.h"
#include "runtime/cpu/radix.h"
#include "runtime/cpu/threads.h"
#include "runtime/cpu/unfold.h"

/* KEPT: factors; SIDE_TO: points of lines that are done side by side, if they must; LONG_FROM: points of a line that is done as a long
 * one, LONG_MANY: where there are others beside it; THREADS_FROM: points that are worth waking others. */
enum { KEPT = 12, SIDE_TO = 1 << 17, LONG_FROM = 1 << 12, LONG_MANY = 1 << 14, LONG_TO = 1 << 26, THREADS_FROM = 1 << 14, LINE = 64 };

/* ---- factors ---- */

typedef enum { NOTHING, PASSES, HALVES, UNFOLDING, TURNS } factor_kind;

typedef struct {
    factor_kind kind;
    gpa_dtype dtype;
    int64_t n, n1; /* n1: of TURNS */
    radix *passes;
    void *w;
    radix_turns turns;
    uint64_t used;
} factors;

struct smooth {
    factors kept[KEPT];
    uint64_t clock;
};

static void drop(factors *f) {
    radix_free(f->passes);
    mem_free(f->w);
    radix_turns_free(&f->turns);
    *f = (factors){0};
}

/* The factors for n points, which stay until KEPT others were asked for; NULL when memory is short. */
static const factors *factors_of(smooth *s, factor_kind kind, gpa_dtype t, int64_t n, int64_t n1) {
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
    if (kind == HALVES) f.w = radix_halves(t, n);
    if (kind == UNFOLDING) f.w = unfold_factors(t, n);
    if (kind == TURNS && !radix_turns_new(&f.turns, t, n1, n / n1)) return NULL;
    if (kind != TURNS && !f.passes && !f.w) return NULL;
    *oldest = f;
    return oldest;
}

void smooth_free(smooth *s) {
    for (size_t i = 0; s && i < KEPT; i++) drop(&s->kept[i]);
    mem_free(s);
}

static char *aligned(char *at) { return at + (LINE - (uintptr_t)at % LINE) % LINE; }

static bool is_inverse(const gpa_libcall *c) { return c->fft.inverse || c->fft.form == FFT_C2R; }

static double scale_of(const gpa_libcall *c) { return c->fft.alone ? c->fft.scale : 1; }

/* ---- lines side by side ---- */

/* Numbers of a line in memory, real ones counted: `numbers` of them, of which a complex one's two are neighbours. */
typedef struct {
    char *at;
    bool complex;
    int64_t numbers, step;       /* step: from a real or complex number to the next */
    int64_t line[KIR_MAX_DIMS];  /* from a line to the next along each of the other dimensions */
} side;

typedef struct {
    const gpa_libcall *c;
    side in, out;
    const radix *r;
    const void *halves; /* NULL: complex on both sides */
    int64_t real, all, length; /* real: bytes of a real number; all: lanes; length: complex points */
    int64_t count, blocks, chunks;
    bool failed;
} lines;

/* Where the lines of a block begin. */
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

/* The step from line to line where there is one and the same, else 0. */
static int64_t even_step(const int64_t *at, int64_t count) {
    for (int64_t i = 2; i < count; i++)
        if (at[i] - at[i - 1] != at[1] - at[0]) return 0;
    return count > 1 ? at[1] - at[0] : 1;
}

/* Whether the lines are complex numbers side by side, as many as lanes. */
static bool are_pairs(const lines *q, const side *s, const int64_t *at, int64_t count) {
    return s->complex && count == q->all && even_step(at, count) == 2;
}

static int64_t place(const side *s, int64_t number) { return s->complex ? number / 2 * s->step + number % 2 : number * s->step; }

/* Lines between memory and vectors. */
#define MOVES(T, size)                                                                                                \
    static void bring_##size(const lines *q, const side *s, const int64_t *at, int64_t count, void *to) {             \
        const T *from = (const T *)(const void *)s->at + at[0];                                                       \
        const int64_t step = even_step(at, count);                                                                    \
        if (step && s->step == (s->complex ? 2 : 1)) lanes_bring_##size(from, step, count, s->numbers, to);           \
        else if (step == 1 && !s->complex) lanes_bring_beside_##size(from, s->step, count, s->numbers, to);           \
        else                                                                                                          \
            for (int64_t k = 0; k < s->numbers; k++)                                                                  \
                for (int64_t l = 0; l < q->all; l++)                                                                  \
                    ((T *)to)[k * q->all + l] = ((const T *)(const void *)s->at)[at[MIN(l, count - 1)] + place(s, k)]; \
    }                                                                                                                 \
    static void take_##size(const lines *q, const side *s, const int64_t *at, int64_t count, const void *from) {      \
        T *to = (T *)(void *)s->at + at[0];                                                                           \
        const int64_t step = even_step(at, count);                                                                    \
        if (step && s->step == (s->complex ? 2 : 1)) lanes_take_##size(from, s->numbers, to, step, count);            \
        else if (step == 1 && !s->complex) lanes_take_beside_##size(from, s->numbers, to, s->step, count);            \
        else                                                                                                          \
            for (int64_t k = 0; k < s->numbers; k++)                                                                  \
                for (int64_t l = 0; l < count; l++) ((T *)(void *)s->at)[at[l] + place(s, k)] = ((const T *)from)[k * q->all + l]; \
    }
MOVES(int32_t, 4)
MOVES(int64_t, 8)
#undef MOVES

/* Asks memory for n places of a block's lines, `step` bytes apart. */
static void ask_for(const char *at, int64_t step, int64_t n) {
    for (int64_t k = 0; k < n; k++, at += step) {
        __builtin_prefetch(at, 0, 2);
        __builtin_prefetch(at + LINE, 0, 2);
    }
}

static void lines_block(const lines *q, int64_t block, char *points, char *work) {
    const bool inverse = is_inverse(q->c);
    const int64_t first = block * q->all, count = MIN(q->all, q->count - first);
    int64_t from[LANES_4], to[LANES_4];
    offsets(q, &q->in, first, count, from);
    offsets(q, &q->out, first, count, to);
    const radix_points in_pairs = {q->in.at + from[0] * q->real, q->in.step, .pairs = true};
    const radix_points out_pairs = {q->out.at + to[0] * q->real, q->out.step, .pairs = true, .scale = 1};
    const radix_points there = {points, 2 * q->all, .scale = 1};
    radix_points in = there, out = there;
    if (are_pairs(q, &q->in, from, count)) {
        if (block + 1 < q->blocks) ask_for((const char *)in_pairs.at + 2 * LANES_BYTES, q->in.step * q->real, q->length);
        if (q->halves) radix_move(q->c->dtype, q->length + 1, &in_pairs, &there);
        else in = in_pairs;
    } else {
        (q->real == 4 ? bring_4 : bring_8)(q, &q->in, from, count, points);
    }
    bool pairs = are_pairs(q, &q->out, to, count);
    if (pairs) ask_for(out_pairs.at, q->out.step * q->real, q->length);
    if (pairs && !q->halves) out = out_pairs;
    if (q->halves && inverse) radix_unfold(q->c->dtype, points, q->length, q->halves, true);
    in.turned = out.turned = inverse;
    out.scale = scale_of(q->c);
    radix_run(q->r, &in, &out, work);
    if (q->halves && !inverse) radix_unfold(q->c->dtype, points, q->length, q->halves, false);
    if (pairs && q->halves) radix_move(q->c->dtype, q->length + 1, &there, &out_pairs);
    else if (!pairs) (q->real == 4 ? take_4 : take_8)(q, &q->out, to, count, points);
}

static void lines_chunk(void *arg, int64_t chunk) {
    lines *q = arg;
    const int64_t bytes = radix_point(q->c->dtype) * q->real;
    char *room = mem_new((size_t)((2 * q->length + 1) * bytes + LINE)), *points = room ? aligned(room) : NULL;
    if (!room) __atomic_store_n(&q->failed, true, __ATOMIC_RELAXED);
    for (int64_t b = q->blocks * chunk / q->chunks; room && b < q->blocks * (chunk + 1) / q->chunks; b++)
        lines_block(q, b, points, points + (q->length + 1) * bytes);
    mem_free(room);
}

static side side_of(const gpa_libcall *c, const gpa_binding *b, bool complex, int64_t numbers, void *at) {
    side s = {.at = at, .complex = complex, .numbers = numbers, .step = b->stride[0] * (complex ? 2 : 1)};
    for (int d = 1; d < c->fft.ndim; d++) s.line[d] = b->stride[d] * (complex ? 2 : 1);
    return s;
}

static void swap(int64_t *a, int64_t *b) {
    int64_t t = *a;
    *a = *b;
    *b = t;
}

/* The call with its lines in the order in which results lie in memory. */
static gpa_libcall in_order(const gpa_libcall *call) {
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

/* Complex points of the call's lines. */
static int64_t length_of(const gpa_libcall *c) { return c->fft.form == FFT_C2C ? c->fft.n[0] : c->fft.n[0] / 2; }

static int64_t lines_of(const gpa_libcall *c) {
    int64_t count = 1;
    for (int d = 1; d < c->fft.ndim; d++) count *= c->fft.n[d];
    return count;
}

static gpa_code by_side(smooth *s, int threads, const gpa_libcall *call, void *in, void *out, gpa_err *e) {
    const gpa_libcall ordered = in_order(call), *c = &ordered;
    const int64_t h = length_of(c), complex = 2 * (c->fft.form == FFT_C2C ? h : h + 1);
    lines q = {.c = c, .length = h, .all = radix_point(c->dtype) / 2, .count = lines_of(c)};
    q.real = (int64_t)dtype_size(dtype_info[c->dtype].real);
    q.in = side_of(c, &c->fft.in, c->fft.form != FFT_R2C, c->fft.form == FFT_R2C ? 2 * h : complex, in);
    q.out = side_of(c, &c->fft.out, c->fft.form != FFT_C2R, c->fft.form == FFT_C2R ? 2 * h : complex, out);
    const factors *passes = factors_of(s, PASSES, c->dtype, h, 0);
    const factors *halves = c->fft.form == FFT_C2C ? NULL : factors_of(s, HALVES, c->dtype, h, 0);
    if (!passes || (c->fft.form != FFT_C2C && !halves)) return gpa_no_memory(e);
    q.r = passes->passes;
    if (halves) q.halves = halves->w;
    q.blocks = (q.count + q.all - 1) / q.all;
    q.chunks = MIN(q.blocks, 8 * threads);
    int32_t never = 0;
    threads_each(q.count * h < THREADS_FROM ? 1 : threads, q.chunks, &never, lines_chunk, &q);
    return q.failed ? gpa_no_memory(e) : GPA_OK;
}

/* ---- long lines ---- */

typedef struct {
    gpa_dtype dtype;
    bool inverse;
    double scale;
    const char *in;
    char *out, *between; /* between: blocks of rows, aligned */
    const radix *columns, *rows;
    const radix_turns *turns;
    int64_t n1, n2, pitch, item, all, chunks;
    bool failed;
} long_line;

static int64_t blocks_of(const long_line *q, int64_t n) { return (n + q->all - 1) / q->all; }

/* n rows of `count` complex numbers, between places whose rows are from and to numbers long. */
static void narrow(const long_line *q, int64_t n, int64_t count, const char *in, int64_t from, char *out, int64_t to) {
    for (int64_t k = 0; k < n; k++) memcpy(out + k * to * q->item, in + k * from * q->item, (size_t)(count * q->item));
}

static void columns_chunk(void *arg, int64_t chunk) {
    long_line *q = arg;
    const int64_t blocks = blocks_of(q, q->n2), bytes = q->all * q->item, last = q->n2 % q->all;
    char *room = mem_new((size_t)(2 * q->n1 * bytes + LINE)), *work = room ? aligned(room) : NULL, *wide = work + q->n1 * bytes;
    if (!room) __atomic_store_n(&q->failed, true, __ATOMIC_RELAXED);
    for (int64_t b = blocks * chunk / q->chunks; room && b < blocks * (chunk + 1) / q->chunks; b++) {
        char *from = (char *)(uintptr_t)q->in + b * bytes;
        radix_points in = {from, 2 * q->n2, .pairs = true, .turned = q->inverse}, out = {work, 2 * q->all, .scale = 1};
        if (last && b == blocks - 1) {
            memset(wide, 0, (size_t)(q->n1 * bytes));
            narrow(q, q->n1, last, from, q->n2, wide, q->all);
            in.at = wide, in.step = 2 * q->all;
        }
        if (b + 1 < blocks) ask_for(from + bytes, q->n2 * q->item, q->n1);
        radix_run(q->columns, &in, &out, work);
        radix_turn(q->turns, q->dtype, q->n1, b, work, q->between, q->pitch);
    }
    mem_free(room);
}

static void rows_chunk(void *arg, int64_t chunk) {
    long_line *q = arg;
    const int64_t blocks = blocks_of(q, q->n1), bytes = q->all * q->item, last = q->n1 % q->all;
    char *room = mem_new((size_t)(2 * q->n2 * bytes + LINE)), *work = room ? aligned(room) : NULL, *wide = work + q->n2 * bytes;
    if (!room) __atomic_store_n(&q->failed, true, __ATOMIC_RELAXED);
    for (int64_t b = blocks * chunk / q->chunks; room && b < blocks * (chunk + 1) / q->chunks; b++) {
        char *to = q->out + b * bytes;
        const bool part = last && b == blocks - 1;
        radix_points in = {.at = q->between + b * q->pitch * bytes, .step = 2 * q->all};
        radix_points out = {part ? wide : to, 2 * (part ? q->all : q->n1), .pairs = true, .turned = q->inverse, .scale = q->scale};
        if (!part) ask_for(to, q->n1 * q->item, q->n2);
        radix_run(q->rows, &in, &out, work);
        if (part) narrow(q, q->n2, last, wide, q->all, to, q->n1);
    }
    mem_free(room);
}

/* The divisor of n nearest to its root that is not above it. */
static int64_t half_of(int64_t n) {
    int64_t best = 1;
    for (int64_t k = 2; k * k <= n; k++)
        if (n % k == 0) best = k;
    return best;
}

static gpa_code by_length(smooth *s, int threads, const gpa_libcall *c, void *in, void *out, gpa_err *e) {
    const int64_t n = length_of(c), item = (int64_t)dtype_size(c->dtype);
    const int64_t in_item = c->fft.form == FFT_R2C ? item / 2 : item, out_item = c->fft.form == FFT_C2R ? item / 2 : item;
    long_line q = {.dtype = c->dtype, .inverse = is_inverse(c), .scale = scale_of(c), .n1 = half_of(n), .item = item};
    q.all = radix_point(c->dtype) / 2;
    q.n2 = n / q.n1;
    q.pitch = blocks_of(&q, q.n2) * q.all;
    const factors *columns = factors_of(s, PASSES, c->dtype, q.n1, 0), *rows = factors_of(s, PASSES, c->dtype, q.n2, 0);
    const factors *turns = factors_of(s, TURNS, c->dtype, n, q.n1);
    const factors *unfolding = c->fft.form == FFT_C2C ? NULL : factors_of(s, UNFOLDING, c->dtype, n, 0);
    char *room = mem_new((size_t)(blocks_of(&q, q.n1) * q.all * q.pitch * item + LINE));
    bool failed = !room || !columns || !rows || !turns || (c->fft.form != FFT_C2C && !unfolding);
    const int64_t count = lines_of(c);
    for (int64_t l = 0; l < count && !failed; l++) {
        char *from = in, *to = out;
        int64_t rest = l;
        int32_t never = 0;
        for (int d = 1; d < c->fft.ndim; d++) {
            from += rest % c->fft.n[d] * c->fft.in.stride[d] * in_item;
            to += rest % c->fft.n[d] * c->fft.out.stride[d] * out_item;
            rest /= c->fft.n[d];
        }
        q.columns = columns->passes, q.rows = rows->passes, q.turns = &turns->turns;
        q.in = c->fft.form == FFT_C2R ? to : from, q.out = to, q.between = aligned(room); /* columns are all read before rows are written */
        if (c->fft.form == FFT_C2R) unfold(c->dtype, from, to, n, unfolding->w, true);
        q.chunks = MIN(blocks_of(&q, q.n2), 8 * threads);
        threads_each(n < THREADS_FROM ? 1 : threads, q.chunks, &never, columns_chunk, &q);
        q.chunks = MIN(blocks_of(&q, q.n1), 8 * threads);
        if (!q.failed) threads_each(n < THREADS_FROM ? 1 : threads, q.chunks, &never, rows_chunk, &q);
        if (c->fft.form == FFT_R2C && !q.failed) unfold(c->dtype, to, to, n, unfolding->w, false);
        failed = q.failed;
    }
    mem_free(room);
    return failed ? gpa_no_memory(e) : GPA_OK;
}

/* ---- calls ---- */

/* Whether lines lie as long ones must: their numbers one after the other. */
static bool is_long(const gpa_libcall *c) {
    const int64_t n = length_of(c), lanes = radix_point(c->dtype) / 2;
    if (c->fft.in.stride[0] != 1 || c->fft.out.stride[0] != 1 || n < LONG_FROM || n > LONG_TO) return false;
    return n >= LONG_MANY || 2 * lines_of(c) < lanes;
}

static bool is_side(const gpa_libcall *c) { return length_of(c) <= SIDE_TO && 2 * lines_of(c) >= radix_point(c->dtype) / 2; }

bool smooth_can(const gpa_libcall *c) {
    const int64_t n = length_of(c);
    if (c->fft.rank != 1 || n < 2 || (c->fft.form != FFT_C2C && c->fft.n[0] % 2) || !radix_can(n)) return false;
    return is_long(c) || is_side(c);
}

gpa_code smooth_run(smooth **s, int threads, const gpa_libcall *c, void *in, void *out, gpa_err *e) {
    if (!*s && !(*s = mem_zero(sizeof **s))) return gpa_no_memory(e);
    return (is_long(c) ? by_length : by_side)(*s, threads, c, in, out, e);
}
