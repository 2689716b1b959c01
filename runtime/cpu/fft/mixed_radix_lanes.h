/* Mixed-radix FFT passes in SIMD lanes: mixed_radix.c includes this for each dtype and vector
 * width, with
 *
 *   T             the dtype; I: integers of its size
 *   LANES         of a vector
 *   TARGET        attribute of functions: the processor that has such vectors
 *   NAME(x)       a name with the suffix of dtype and width
 *   TURN          steps of lanes_transpose.h for LANES
 *   EVEN, ODD     shuffles of two vectors: the lanes with even index, with odd index
 *   LOWER, UPPER  the two halves of the interleaved vectors
 *
 * A pass joins r transforms of m points to one of r * m points (Cooley and Tukey 1965,
 * decimation in time): it multiplies points k, k + m, ... by twiddle factors and computes a
 * butterfly, the DFT of r points. Transforms are in place and recursive, so that a sub-transform
 * is still in the cache when it is joined; the first pass reads the input, the last one writes
 * the scaled output. Prime radices from 11 on read their roots of unity from a table; large ones
 * are convolutions (Bluestein's algorithm, bluestein.h). Reading order: butterflies, points,
 * passes, butterflies of any odd radix, transforms, real transforms, transposes. */

#define VEC NAME(vec)
#define WORD NAME(word)
#define POINT NAME(point)
#define ALL ((int)(LANES_BYTES / sizeof(T)))
#define PARTS (ALL / LANES)
#define INLINE TARGET static inline __attribute__((always_inline))
typedef T VEC __attribute__((vector_size(LANES * sizeof(T))));
typedef I WORD __attribute__((vector_size(LANES * sizeof(T))));
typedef struct {
    VEC re, im;
} POINT;

/* ---- butterflies of radix 1, 2, 3, 4, 5, 7, 8, 9 ---- */

#define ADDED(a, b) ((POINT){(a).re + (b).re, (a).im + (b).im})
#define LESS(a, b) ((POINT){(a).re - (b).re, (a).im - (b).im})
#define TIMES(x, c, s) ((POINT){(x).re * (c) - (x).im * (s), (x).im * (c) + (x).re * (s)})

INLINE void NAME(sums1)(POINT *x) { (void)x; }

INLINE void NAME(sums2)(POINT *x) {
    POINT a = x[0], b = x[1];
    x[0] = ADDED(a, b), x[1] = LESS(a, b);
}

INLINE void NAME(sums4)(POINT *x) {
    POINT a = ADDED(x[0], x[2]), b = LESS(x[0], x[2]), c = ADDED(x[1], x[3]), d = LESS(x[1], x[3]);
    x[0] = ADDED(a, c), x[2] = LESS(a, c);
    x[1] = (POINT){b.re + d.im, b.im - d.re}, x[3] = (POINT){b.re - d.im, b.im + d.re};
}

INLINE void NAME(sums8)(POINT *x) {
    const T root = (T)0.70710678118654752440;
    POINT e[4], o[4];
    UNROLLED for (int j = 0; j < 4; j++) e[j] = ADDED(x[j], x[j + 4]), o[j] = LESS(x[j], x[j + 4]);
    o[1] = (POINT){(o[1].re + o[1].im) * root, (o[1].im - o[1].re) * root};
    o[2] = (POINT){o[2].im, -o[2].re};
    o[3] = (POINT){(o[3].im - o[3].re) * root, (o[3].re + o[3].im) * -root};
    NAME(sums4)(e);
    NAME(sums4)(o);
    UNROLLED for (int j = 0; j < 4; j++) x[2 * j] = e[j], x[2 * j + 1] = o[j];
}

/* Terms j and r - j have the same cosines and opposite sines. */
#define SUMS(r)                                                                        \
    INLINE void NAME(sums##r)(POINT * x) {                                             \
        POINT t[r / 2], u[r / 2], all = x[0], first = x[0];                            \
        UNROLLED for (int j = 0; j < r / 2; j++) {                                     \
            t[j] = ADDED(x[j + 1], x[r - 1 - j]), u[j] = LESS(x[j + 1], x[r - 1 - j]); \
            all = ADDED(all, t[j]);                                                    \
        }                                                                              \
        x[0] = all;                                                                    \
        UNROLLED for (int k = 1; k <= r / 2; k++) {                                    \
            const T s = (T)sines_##r[k];                                               \
            POINT c = first, d = {u[0].re * s, u[0].im * s};                           \
            UNROLLED for (int j = 1; j <= r / 2; j++) {                                \
                const T by = (T)cosines_##r[j * k % r];                                \
                c.re += t[j - 1].re * by, c.im += t[j - 1].im * by;                    \
            }                                                                          \
            UNROLLED for (int j = 2; j <= r / 2; j++) {                                \
                const T by = (T)sines_##r[j * k % r];                                  \
                d.re += u[j - 1].re * by, d.im += u[j - 1].im * by;                    \
            }                                                                          \
            x[k] = (POINT){c.re + d.im, c.im - d.re},                                  \
            x[r - k] = (POINT){c.re - d.im, c.im + d.re};                              \
        }                                                                              \
    }
SUMS(3)
SUMS(5)
SUMS(7)
#undef SUMS

INLINE void NAME(sums9)(POINT *x) {
    POINT y[3][3];
    UNROLLED for (int j = 0; j < 3; j++) {
        y[j][0] = x[j], y[j][1] = x[j + 3], y[j][2] = x[j + 6];
        NAME(sums3)(y[j]);
    }
    UNROLLED for (int j = 1; j < 3; j++) UNROLLED for (int k = 1; k < 3; k++) y[j][k] =
        TIMES(y[j][k], (T)cosines_9[j * k], (T)-sines_9[j * k]);
    UNROLLED for (int k = 0; k < 3; k++) {
        POINT z[3] = {y[0][k], y[1][k], y[2][k]};
        NAME(sums3)(z);
        UNROLLED for (int j = 0; j < 3; j++) x[k + 3 * j] = z[j];
    }
}

/* ---- points ---- */

/* Loads vector p of a point. */
INLINE void NAME(load)(const T *at, int p, bool pairs, bool swapped, POINT *x) {
    VEC a, b;
    memcpy(&a, at + (pairs ? 2 * p : p) * LANES, sizeof a);
    memcpy(&b, at + (pairs ? (2 * p + 1) * LANES : p * LANES + ALL), sizeof b);
    if (pairs)
        *x = (POINT){SHUFFLE(WORD, a, b, EVEN), SHUFFLE(WORD, a, b, ODD)};
    else
        *x = (POINT){a, b};
    if (swapped) *x = (POINT){x->im, x->re};
}

INLINE void NAME(store)(T *at, int p, bool pairs, bool swapped, const POINT *from) {
    POINT x = swapped ? (POINT){from->im, from->re} : *from;
    VEC a = x.re, b = x.im;
    if (pairs) a = SHUFFLE(WORD, x.re, x.im, LOWER), b = SHUFFLE(WORD, x.re, x.im, UPPER);
    memcpy(at + (pairs ? 2 * p : p) * LANES, &a, sizeof a);
    memcpy(at + (pairs ? (2 * p + 1) * LANES : p * LANES + ALL), &b, sizeof b);
}

/* Loads vector p of a point in format `from`: separate real and imaginary parts, interleaved
 * pairs, or real parts only. */
INLINE void NAME(given)(const T *at, int p, int from, bool swapped, POINT *x) {
    if (from != REALS) {
        NAME(load)(at, p, from == PAIRS, swapped, x);
        return;
    }
    *x = (POINT){(VEC){0}, (VEC){0}};
    memcpy(&x->re, at + p * LANES, sizeof x->re);
}

TARGET static void NAME(move)(int64_t n, const radix_points *from, const radix_points *to) {
    const T *in = from->at, scale = (T)to->scale;
    T *out = to->at;
    for (int64_t k = 0; k < n; k++, in += from->step, out += to->step)
        for (int p = 0; p < PARTS; p++) {
            POINT x;
            NAME(load)(in, p, from->pairs, from->swapped, &x);
            x = (POINT){x.re * scale, x.im * scale};
            NAME(store)(out, p, to->pairs, to->swapped, &x);
        }
}

/* ---- passes ---- */

#define PASSES(r)                                                                                 \
    INLINE void NAME(from##r)(const T *in, int64_t step, bool pairs, bool swapped, T *out) {      \
        for (int p = 0; p < PARTS; p++) {                                                         \
            POINT x[r];                                                                           \
            UNROLLED for (int i = 0; i < r; i++)                                                  \
                NAME(load)(in + i * step, p, pairs, swapped, &x[i]);                              \
            NAME(sums##r)(x);                                                                     \
            UNROLLED for (int i = 0; i < r; i++)                                                  \
                NAME(store)(out + i * 2 * ALL, p, false, false, &x[i]);                           \
        }                                                                                         \
    }                                                                                             \
    TARGET static void NAME(first##r)(const T *in, int64_t step, bool pairs, bool swapped,        \
                                      T *out) {                                                   \
        if (pairs)                                                                                \
            NAME(from##r)(in, step, true, swapped, out);                                          \
        else                                                                                      \
            NAME(from##r)(in, step, false, swapped, out);                                         \
    }                                                                                             \
    INLINE void NAME(to##r)(const T *in, int64_t m, const T *w, T *out, int64_t step, bool pairs, \
                            const radix_points *to) {                                             \
        const T scale = to ? (T)to->scale : 1;                                                    \
        const int64_t apart = m * 2 * ALL;                                                        \
        for (int64_t k = 0; k < m; k++, in += 2 * ALL, w += 2 * (r - 1))                          \
            for (int p = 0; p < PARTS; p++) {                                                     \
                POINT x[r];                                                                       \
                NAME(load)(in, p, false, false, &x[0]);                                           \
                UNROLLED for (int i = 1; i < r; i++) {                                            \
                    const T c = w[2 * i - 2], s = w[2 * i - 1];                                   \
                    POINT y;                                                                      \
                    NAME(load)(in + i * apart, p, false, false, &y);                              \
                    x[i] = (POINT){y.re * c - y.im * s, y.im * c + y.re * s};                     \
                }                                                                                 \
                NAME(sums##r)(x);                                                                 \
                UNROLLED for (int i = 0; i < r; i++) {                                            \
                    if (to) x[i] = (POINT){x[i].re * scale, x[i].im * scale};                     \
                    NAME(store)(out + (k + i * m) * step, p, pairs, to && to->swapped, &x[i]);    \
                }                                                                                 \
            }                                                                                     \
    }                                                                                             \
    TARGET static void NAME(join##r)(T * at, int64_t m, const T *w, const radix_points *to) {     \
        if (!to)                                                                                  \
            NAME(to##r)(at, m, w, at, 2 * ALL, false, NULL);                                      \
        else if (to->pairs)                                                                       \
            NAME(to##r)(at, m, w, to->at, to->step, true, to);                                    \
        else                                                                                      \
            NAME(to##r)(at, m, w, to->at, to->step, false, to);                                   \
    }
PASSES(1)
PASSES(2)
PASSES(3)
PASSES(4)
PASSES(5)
PASSES(7)
PASSES(8)
PASSES(9)
#undef PASSES

static void (*const NAME(first)[])(const T *, int64_t, bool, bool, T *) = {
    NULL,         NAME(first1), NAME(first2), NAME(first3), NAME(first4),
    NAME(first5), NULL,         NAME(first7), NAME(first8), NAME(first9)};
static void (*const NAME(join)[])(T *, int64_t, const T *, const radix_points *) = {
    NULL,        NAME(join1), NAME(join2), NAME(join3), NAME(join4),
    NAME(join5), NULL,        NAME(join7), NAME(join8), NAME(join9)};

/* ---- butterflies of any odd radix ---- */

/* Direct DFT of points with stride `apart`, times twiddle factors w unless NULL. Terms j and r -
 * j are combined, and two outputs computed at a time. Output k <= r/2 goes to near + k * step,
 * output r - k to far - k * step, or with `folded` its conjugate to far + k * step. */
INLINE void NAME(odd)(const pass *a, const T *in, int64_t apart, int from, bool swapped, const T *w,
                      T *near, T *far, int64_t step, bool folded, bool pairs,
                      const radix_points *to) {
    const int64_t r = a->parts, half = r / 2;
    const T scale = to ? (T)to->scale : 1;
    const bool back = to && to->swapped;
    for (int p = 0; p < PARTS; p++) {
        const T *root = a->roots;
        POINT first, all, t[TUNE_RADIX_DIRECT_MAX / 2], u[TUNE_RADIX_DIRECT_MAX / 2];
        NAME(given)(in, p, from, swapped, &first);
        all = first;
        for (int64_t j = 1; j <= half; j++) {
            POINT x, y;
            NAME(given)(in + j * apart, p, from, swapped, &x);
            NAME(given)(in + (r - j) * apart, p, from, swapped, &y);
            if (w)
                x = TIMES(x, w[2 * j - 2], w[2 * j - 1]),
                y = TIMES(y, w[2 * (r - j) - 2], w[2 * (r - j) - 1]);
            t[j - 1] = ADDED(x, y), u[j - 1] = LESS(x, y);
            all = ADDED(all, t[j - 1]);
        }
        if (to) all = (POINT){all.re * scale, all.im * scale};
        NAME(store)(near, p, pairs, back, &all);
        for (int64_t k = 1; k <= half; k += 2) {
            POINT c[2] = {first, first}, d[2] = {{(VEC){0}, (VEC){0}}, {(VEC){0}, (VEC){0}}};
            for (int64_t j = 0; j < half; j++, root += 4) UNROLLED for (int i = 0; i < 2; i++) {
                    c[i].re += t[j].re * root[2 * i], d[i].re += u[j].re * root[2 * i + 1];
                    if (from != REALS)
                        c[i].im += t[j].im * root[2 * i], d[i].im += u[j].im * root[2 * i + 1];
                }
            UNROLLED for (int i = 0; i < 2; i++) {
                POINT x = {c[i].re + d[i].im, c[i].im - d[i].re},
                      y = {c[i].re - d[i].im, c[i].im + d[i].re};
                if (k + i > half) break;
                if (to)
                    x = (POINT){x.re * scale, x.im * scale},
                    y = (POINT){y.re * scale, y.im * scale};
                if (folded) y.im = -y.im;
                NAME(store)(near + (k + i) * step, p, pairs, back, &x);
                NAME(store)
                (folded ? far + (k + i) * step : far - (k + i) * step, p, pairs, back, &y);
            }
        }
    }
}

static void NAME(run)(const radix *r, const radix_points *in, const radix_points *out, T *work);

/* Multiplies n points of `in`, with stride `apart`, by w from the second one on unless it is
 * NULL, by v, and by the scale of `to`. */
INLINE void NAME(times)(int64_t n, const T *in, int64_t apart, int from, bool swapped, const T *w,
                        const T *v, T *out, int64_t step, bool pairs, const radix_points *to) {
    const T scale = to ? (T)to->scale : 1;
    for (int64_t i = 0; i < n; i++)
        for (int p = 0; p < PARTS; p++) {
            POINT x;
            NAME(given)(in + i * apart, p, from, swapped, &x);
            if (w && i) x = TIMES(x, w[2 * i - 2], w[2 * i - 1]);
            x = TIMES(x, v[2 * i], v[2 * i + 1]);
            if (to) x = (POINT){x.re * scale, x.im * scale};
            NAME(store)(out + i * step, p, pairs, to && to->swapped, &x);
        }
}

/* The same DFT by Bluestein's convolution, in `work`; the caller multiplies by the last factors. */
INLINE void NAME(convolved)(const pass *a, const T *in, int64_t apart, int from, bool swapped,
                            const T *w, T *work) {
    const int64_t m = a->bluestein.m;
    radix_points there = {.at = work, .step = 2 * ALL, .scale = 1};
    NAME(times)(a->parts, in, apart, from, swapped, w, a->bluestein.w, work, 2 * ALL, false, NULL);
    memset(work + a->parts * 2 * ALL, 0, (size_t)((m - a->parts) * 2 * ALL) * sizeof(T));
    NAME(run)(a->longer, &there, &there, work + m * 2 * ALL);
    NAME(times)
    (m, work, 2 * ALL, APART, false, NULL, a->bluestein.spectrum, work, 2 * ALL, false, NULL);
    there.swapped = true;
    NAME(run)(a->longer, &there, &there, work + m * 2 * ALL);
}

INLINE void NAME(any)(const pass *a, const T *in, int64_t apart, int from, bool swapped, const T *w,
                      T *out, int64_t step, bool pairs, const radix_points *to, T *work) {
    if (!a->longer) {
        NAME(odd)
        (a, in, apart, from, swapped, w, out, out + a->parts * step, step, false, pairs, to);
        return;
    }
    NAME(convolved)(a, in, apart, from, swapped, w, work);
    NAME(times)(a->parts, work, 2 * ALL, APART, false, NULL, a->bluestein.w, out, step, pairs, to);
}

TARGET static void NAME(first_any)(const pass *a, const T *in, int64_t step, bool pairs,
                                   bool swapped, T *out, T *work) {
    if (pairs)
        NAME(any)(a, in, step, PAIRS, swapped, NULL, out, 2 * ALL, false, NULL, work);
    else
        NAME(any)(a, in, step, APART, swapped, NULL, out, 2 * ALL, false, NULL, work);
}

TARGET static void NAME(join_any)(const pass *a, T *at, const radix_points *to, T *work) {
    const int64_t m = a->m, apart = m * 2 * ALL, step = to ? m * to->step : apart;
    const T *w = a->w;
    for (int64_t k = 0; k < m; k++, w += 2 * (a->parts - 1)) {
        T *in = at + k * 2 * ALL, *out = to ? (T *)to->at + k * to->step : in;
        if (!to)
            NAME(any)(a, in, apart, APART, false, w, out, step, false, NULL, work);
        else if (to->pairs)
            NAME(any)(a, in, apart, APART, false, w, out, step, true, to, work);
        else
            NAME(any)(a, in, apart, APART, false, w, out, step, false, to, work);
    }
}

/* ---- transforms ---- */

static void NAME(joined)(const pass *a, T *at, const radix_points *to, T *work) {
    if (a->parts < ROOTS_FROM)
        NAME(join)[a->parts](at, a->m, a->w, to);
    else
        NAME(join_any)(a, at, to, work);
}

/* The transform of the points with stride `step` from `in` on, by the passes from `level` on. */
static void NAME(part)(const radix *r, int level, const radix_points *from, const T *in,
                       int64_t step, T *out, T *work) {
    const pass *a = &r->passes[level];
    if (level == r->count - 1) {
        if (a->parts < ROOTS_FROM)
            NAME(first)[a->parts](in, step, from->pairs, from->swapped, out);
        else
            NAME(first_any)(a, in, step, from->pairs, from->swapped, out, work);
        return;
    }
    for (int64_t j = 0; j < a->parts; j++) NAME(part)
    (r, level + 1, from, in + j * step, step * a->parts, out + j * a->m * 2 * ALL, work);
    NAME(joined)(a, out, NULL, work);
}

static void NAME(run)(const radix *r, const radix_points *in, const radix_points *out, T *work) {
    const pass *a = &r->passes[0];
    T *more = work + r->n * 2 * ALL;
    if (r->count == 1) {
        const radix_points there = {.at = work, .step = 2 * ALL};
        NAME(part)(r, 0, in, in->at, in->step, work, more);
        NAME(move)(r->n, &there, out);
        return;
    }
    for (int64_t j = 0; j < a->parts; j++) NAME(part)
    (r, 1, in, (const T *)in->at + j * in->step, in->step * a->parts, work + j * a->m * 2 * ALL,
     more);
    NAME(joined)(a, work, out, more);
}

/* ---- real transforms ---- */

/* Real FFT from a half-length complex FFT. With a = Z[k] and b = conj Z[h - k], output k is (a +
 * b)/2 + f (a - b)/2 with f = -i exp(-pi i k/h), and output h - k the conjugate of the
 * difference. */
TARGET static void NAME(real_split)(T *x, int64_t h, const T *w, bool inverse) {
    const T way = inverse ? -1 : 1, scale = inverse ? 1 : (T)0.5;
    for (int p = 0; p < PARTS; p++) {
        POINT a, b;
        NAME(load)(x, p, false, false, &a);
        if (inverse) {
            NAME(load)(x + h * 2 * ALL, p, false, false, &b);
            b = (POINT){a.re + b.re, a.re - b.re};
            NAME(store)(x, p, false, false, &b);
            continue;
        }
        b = (POINT){a.re - a.im, (VEC){0}};
        a = (POINT){a.re + a.im, (VEC){0}};
        NAME(store)(x, p, false, false, &a);
        NAME(store)(x + h * 2 * ALL, p, false, false, &b);
    }
    for (int64_t k = 1; 2 * k <= h; k++) {
        T *near = x + k * 2 * ALL, *far = x + (h - k) * 2 * ALL;
        const T c = way * w[2 * k], s = w[2 * k + 1];
        for (int p = 0; p < PARTS; p++) {
            POINT a, b;
            NAME(load)(near, p, false, false, &a);
            NAME(load)(far, p, false, false, &b);
            POINT both = {a.re + b.re, a.im - b.im}, apart = {a.re - b.re, a.im + b.im};
            POINT t = {c * apart.im + s * apart.re, s * apart.im - c * apart.re};
            a = (POINT){scale * (both.re + t.re), scale * (both.im + t.im)};
            b = (POINT){scale * (both.re - t.re), scale * (t.im - both.im)};
            if (far != near) NAME(store)(far, p, false, false, &b);
            NAME(store)(near, p, false, false, &a);
        }
    }
}

/* ---- real transforms of odd length ---- */

/* Butterfly of half spectra: each sub-transform stores its first m/2 + 1 points, since the
 * others are their conjugates. For k up to m/2 the outputs k + i m, i <= r/2, are among the
 * first n/2 + 1, and so are the conjugates of the others, with index i m - k. */
INLINE void NAME(fold)(const pass *a, const T *in, int64_t apart, int from, const T *w, int64_t k,
                       T *out, T *work) {
    T *near = out + k * 2 * ALL, *far = out - k * 2 * ALL;
    const int64_t step = a->m * 2 * ALL;
    if (!a->longer) {
        NAME(odd)(a, in, apart, from, false, w, near, far, step, true, false, NULL);
        return;
    }
    NAME(convolved)(a, in, apart, from, false, w, work);
    NAME(times)
    (a->parts, work, 2 * ALL, APART, false, NULL, a->bluestein.w, work, 2 * ALL, false, NULL);
    for (int64_t i = 0; i < a->parts; i++)
        for (int p = 0; p < PARTS; p++) {
            POINT x;
            NAME(load)(work + i * 2 * ALL, p, false, false, &x);
            if (2 * i > a->parts) x.im = -x.im;
            NAME(store)
            (2 * i > a->parts ? far + (a->parts - i) * step : near + i * step, p, false, false, &x);
        }
}

TARGET static void NAME(fold_any)(const pass *a, const T *in, int64_t step, T *out, T *work) {
    NAME(fold)(a, in, step, REALS, NULL, 0, out, work);
}

TARGET static void NAME(unite_any)(const pass *a, const T *in, T *out, T *work) {
    const T *w = a->w;
    for (int64_t k = 0; k <= a->m / 2; k++, w += 2 * (a->parts - 1))
        NAME(fold)(a, in + k * 2 * ALL, (a->m / 2 + 1) * 2 * ALL, APART, w, k, out, work);
}

#define FOLDS(r)                                                                           \
    TARGET static void NAME(fold##r)(const T *in, int64_t step, T *out) {                  \
        for (int p = 0; p < PARTS; p++) {                                                  \
            POINT x[r];                                                                    \
            UNROLLED for (int i = 0; i < r; i++)                                           \
                NAME(given)(in + i * step, p, REALS, false, &x[i]);                        \
            NAME(sums##r)(x);                                                              \
            UNROLLED for (int i = 0; i <= r / 2; i++)                                      \
                NAME(store)(out + i * 2 * ALL, p, false, false, &x[i]);                    \
        }                                                                                  \
    }                                                                                      \
    TARGET static void NAME(unite##r)(const T *in, int64_t m, const T *w, T *out) {        \
        const int64_t apart = (m / 2 + 1) * 2 * ALL, step = m * 2 * ALL;                   \
        for (int64_t k = 0; k <= m / 2; k++, in += 2 * ALL, w += 2 * (r - 1))              \
            for (int p = 0; p < PARTS; p++) {                                              \
                POINT x[r];                                                                \
                NAME(load)(in, p, false, false, &x[0]);                                    \
                UNROLLED for (int i = 1; i < r; i++) {                                     \
                    NAME(load)(in + i * apart, p, false, false, &x[i]);                    \
                    x[i] = TIMES(x[i], w[2 * i - 2], w[2 * i - 1]);                        \
                }                                                                          \
                NAME(sums##r)(x);                                                          \
                UNROLLED for (int i = 0; i <= r / 2; i++)                                  \
                    NAME(store)(out + k * 2 * ALL + i * step, p, false, false, &x[i]);     \
                UNROLLED for (int i = 1; i <= r / 2; i++) {                                \
                    x[r - i].im = -x[r - i].im;                                            \
                    NAME(store)(out - k * 2 * ALL + i * step, p, false, false, &x[r - i]); \
                }                                                                          \
            }                                                                              \
    }
FOLDS(1)
FOLDS(3)
FOLDS(5)
FOLDS(7)
FOLDS(9)
#undef FOLDS

static void (*const NAME(folds)[])(const T *, int64_t, T *) = {
    NULL, NAME(fold1), NULL, NAME(fold3), NULL, NAME(fold5), NULL, NAME(fold7), NULL, NAME(fold9)};
static void (*const NAME(unites)[])(const T *, int64_t, const T *, T *) = {
    NULL,         NAME(unite1), NULL,         NAME(unite3), NULL,
    NAME(unite5), NULL,         NAME(unite7), NULL,         NAME(unite9)};

/* The first n/2 + 1 points of a transform, stored from `out` on. The sub-transforms are stored
 * from `other` on, and use `out` as their second buffer. */
static void NAME(halved)(const radix *r, int level, const T *in, int64_t step, T *out, T *other,
                         T *work) {
    const pass *a = &r->passes[level];
    const int64_t next = (a->m / 2 + 1) * 2 * ALL;
    if (level == r->count - 1) {
        if (a->parts < ROOTS_FROM)
            NAME(folds)[a->parts](in, step, out);
        else
            NAME(fold_any)(a, in, step, out, work);
        return;
    }
    for (int64_t j = 0; j < a->parts; j++) NAME(halved)
    (r, level + 1, in + j * step, step * a->parts, other + j * next, out + j * next, work);
    if (a->parts < ROOTS_FROM)
        NAME(unites)[a->parts](other, a->m, a->w, out);
    else
        NAME(unite_any)(a, other, out, work);
}

static void NAME(reals)(const radix *r, const T *in, T *work) {
    NAME(halved)(r, 0, in, ALL, work, work + r->n * 2 * ALL, work + 2 * r->n * 2 * ALL);
    memset(work + ALL, 0, LANES_BYTES); /* the sum of all elements is real */
}

/* Inverse real FFT by a forward one (Hartley 1942): point a + ib becomes the real numbers a - b
 * at k and a + b at n - k. The same step on the transform of these gives the inverse transform
 * of the points. */
TARGET static void NAME(turn_over)(const T *in, int64_t n, T *out, double by) {
    const T scale = (T)by;
    for (int64_t k = 0; k <= n / 2; k++)
        for (int p = 0; p < PARTS; p++) {
            POINT x;
            NAME(load)(in + k * 2 * ALL, p, false, false, &x);
            if (k == 0) x.im = (VEC){0};
            VEC a = (x.re - x.im) * scale, b = (x.re + x.im) * scale;
            memcpy(out + k * ALL + p * LANES, &a, sizeof a);
            if (k) memcpy(out + (n - k) * ALL + p * LANES, &b, sizeof b);
        }
}

/* ---- transposes with twiddle factors ---- */

TARGET static void NAME(turn)(const T *lanes, const T *blocks, int64_t n1, const T *from, T *to,
                              int64_t pitch) {
    for (int64_t first = 0; first < (n1 + ALL - 1) / ALL * ALL;
         first += LANES) { /* missing rows repeat the last one */
        T *block = to + first / ALL * ALL * 2 * pitch + first % ALL;
        for (int p = 0; p < PARTS; p++) {
            WORD re[LANES], im[LANES];
            for (int i = 0; i < LANES; i++) {
                const int64_t k = MIN(first + i, n1 - 1);
                const T c = blocks[2 * k], s = blocks[2 * k + 1];
                POINT x, w;
                NAME(load)(from + k * 2 * ALL, p, false, false, &x);
                NAME(load)(lanes + k * 2 * ALL, p, false, false, &w);
                w = (POINT){w.re * c - w.im * s, w.im * c + w.re * s};
                re[i] = (WORD)(x.re * w.re - x.im * w.im),
                im[i] = (WORD)(x.im * w.re + x.re * w.im);
            }
            TURN(WORD, re)
            TURN(WORD, im)
            for (int i = 0; i < LANES; i++) {
                T *point = block + (p * LANES + i) * 2 * ALL;
                memcpy(point, &re[i], sizeof re[i]);
                memcpy(point + ALL, &im[i], sizeof im[i]);
            }
        }
    }
}

#undef VEC
#undef WORD
#undef POINT
#undef ALL
#undef PARTS
#undef INLINE
#undef ADDED
#undef LESS
#undef TIMES
#undef T
#undef I
#undef LANES
#undef TARGET
#undef NAME
#undef TURN
#undef EVEN
#undef ODD
#undef LOWER
#undef UPPER
