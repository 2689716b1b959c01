/* Passes of Fourier transforms in the lanes of vectors: radix.c includes this for each dtype and width of registers, with
 *
 *   T             the dtype; I: integers of its size
 *   LANES         of a register
 *   TARGET        what stands before functions for its processors
 *   NAME(x)       a name of its own
 *   TURN          steps of lanes_turn.h for LANES
 *   EVEN, ODD, LOWER, UPPER   lanes of two vectors: those at even and odd places, and the two halves of what is taken from them by turns
 *
 * A pass joins transforms of m points to those of r * m: points k, k + m, ... times factors, then r sums of r terms (Cooley and Tukey 1965,
 * decimation in time). It is done in place, part by part, so that a part is in the nearest cache when it is joined; the first passes read from
 * where the points are given, the last one writes, scaled, to where they are wanted. Reading order: sums, points, passes, real transforms, turns. */

#define VEC NAME(vec)
#define WORD NAME(word)
#define POINT NAME(point)
#define ALL ((int)(LANES_BYTES / sizeof(T)))
#define PARTS (ALL / LANES)
#define INLINE TARGET static inline __attribute__((always_inline))
typedef T VEC __attribute__((vector_size(LANES * sizeof(T))));
typedef I WORD __attribute__((vector_size(LANES * sizeof(T))));
typedef struct { VEC re, im; } POINT;

/* ---- sums of 2, 3, 4, 5, 7, 8 terms ---- */

#define ADDED(a, b) ((POINT){(a).re + (b).re, (a).im + (b).im})
#define LESS(a, b) ((POINT){(a).re - (b).re, (a).im - (b).im})

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
#define SUMS(r)                                                                                                       \
    INLINE void NAME(sums##r)(POINT *x) {                                                                             \
        POINT t[r / 2], u[r / 2], all = x[0], first = x[0];                                                           \
        UNROLLED for (int j = 0; j < r / 2; j++) {                                                                    \
            t[j] = ADDED(x[j + 1], x[r - 1 - j]), u[j] = LESS(x[j + 1], x[r - 1 - j]);                                \
            all = ADDED(all, t[j]);                                                                                   \
        }                                                                                                             \
        x[0] = all;                                                                                                   \
        UNROLLED for (int k = 1; k <= r / 2; k++) {                                                                   \
            const T s = (T)sines_##r[k];                                                                              \
            POINT c = first, d = {u[0].re * s, u[0].im * s};                                                          \
            UNROLLED for (int j = 1; j <= r / 2; j++) {                                                               \
                const T by = (T)cosines_##r[j * k % r];                                                               \
                c.re += t[j - 1].re * by, c.im += t[j - 1].im * by;                                                   \
            }                                                                                                         \
            UNROLLED for (int j = 2; j <= r / 2; j++) {                                                               \
                const T by = (T)sines_##r[j * k % r];                                                                 \
                d.re += u[j - 1].re * by, d.im += u[j - 1].im * by;                                                   \
            }                                                                                                         \
            x[k] = (POINT){c.re + d.im, c.im - d.re}, x[r - k] = (POINT){c.re - d.im, c.im + d.re};                   \
        }                                                                                                             \
    }
SUMS(3)
SUMS(5)
SUMS(7)
#undef SUMS

/* ---- points ---- */

/* Part p of the lanes of a point. */
INLINE void NAME(load)(const T *at, int p, bool pairs, bool turned, POINT *x) {
    VEC a, b;
    memcpy(&a, at + (pairs ? 2 * p : p) * LANES, sizeof a);
    memcpy(&b, at + (pairs ? (2 * p + 1) * LANES : p * LANES + ALL), sizeof b);
    if (pairs) *x = (POINT){PICK(WORD, a, b, EVEN), PICK(WORD, a, b, ODD)};
    else *x = (POINT){a, b};
    if (turned) *x = (POINT){x->im, x->re};
}

INLINE void NAME(store)(T *at, int p, bool pairs, bool turned, const POINT *from) {
    POINT x = turned ? (POINT){from->im, from->re} : *from;
    VEC a = x.re, b = x.im;
    if (pairs) a = PICK(WORD, x.re, x.im, LOWER), b = PICK(WORD, x.re, x.im, UPPER);
    memcpy(at + (pairs ? 2 * p : p) * LANES, &a, sizeof a);
    memcpy(at + (pairs ? (2 * p + 1) * LANES : p * LANES + ALL), &b, sizeof b);
}

TARGET static void NAME(move)(int64_t n, const radix_points *from, const radix_points *to) {
    const T *in = from->at, scale = (T)to->scale;
    T *out = to->at;
    for (int64_t k = 0; k < n; k++, in += from->step, out += to->step)
        for (int p = 0; p < PARTS; p++) {
            POINT x;
            NAME(load)(in, p, from->pairs, from->turned, &x);
            x = (POINT){x.re * scale, x.im * scale};
            NAME(store)(out, p, to->pairs, to->turned, &x);
        }
}

/* ---- passes ---- */

#define PASSES(r)                                                                                                     \
    INLINE void NAME(from##r)(const T *in, int64_t step, bool pairs, bool turned, T *out) {                           \
        for (int p = 0; p < PARTS; p++) {                                                                             \
            POINT x[r];                                                                                               \
            UNROLLED for (int i = 0; i < r; i++) NAME(load)(in + i * step, p, pairs, turned, &x[i]);                  \
            NAME(sums##r)(x);                                                                                         \
            UNROLLED for (int i = 0; i < r; i++) NAME(store)(out + i * 2 * ALL, p, false, false, &x[i]);              \
        }                                                                                                             \
    }                                                                                                                 \
    TARGET static void NAME(first##r)(const T *in, int64_t step, bool pairs, bool turned, T *out) {                   \
        if (pairs) NAME(from##r)(in, step, true, turned, out);                                                        \
        else NAME(from##r)(in, step, false, turned, out);                                                             \
    }                                                                                                                 \
    INLINE void NAME(to##r)(const T *in, int64_t m, const T *w, T *out, int64_t step, bool pairs, const radix_points *to) { \
        const T scale = to ? (T)to->scale : 1;                                                                        \
        const int64_t apart = m * 2 * ALL;                                                                            \
        for (int64_t k = 0; k < m; k++, in += 2 * ALL, w += 2 * (r - 1))                                              \
            for (int p = 0; p < PARTS; p++) {                                                                         \
                POINT x[r];                                                                                           \
                NAME(load)(in, p, false, false, &x[0]);                                                               \
                UNROLLED for (int i = 1; i < r; i++) {                                                                \
                    const T c = w[2 * i - 2], s = w[2 * i - 1];                                                       \
                    POINT y;                                                                                          \
                    NAME(load)(in + i * apart, p, false, false, &y);                                                  \
                    x[i] = (POINT){y.re * c - y.im * s, y.im * c + y.re * s};                                         \
                }                                                                                                     \
                NAME(sums##r)(x);                                                                                     \
                UNROLLED for (int i = 0; i < r; i++) {                                                                \
                    if (to) x[i] = (POINT){x[i].re * scale, x[i].im * scale};                                         \
                    NAME(store)(out + (k + i * m) * step, p, pairs, to && to->turned, &x[i]);                         \
                }                                                                                                     \
            }                                                                                                         \
    }                                                                                                                 \
    TARGET static void NAME(join##r)(T *at, int64_t m, const T *w, const radix_points *to) {                          \
        if (!to) NAME(to##r)(at, m, w, at, 2 * ALL, false, NULL);                                                     \
        else if (to->pairs) NAME(to##r)(at, m, w, to->at, to->step, true, to);                                        \
        else NAME(to##r)(at, m, w, to->at, to->step, false, to);                                                      \
    }
PASSES(2)
PASSES(3)
PASSES(4)
PASSES(5)
PASSES(7)
PASSES(8)
#undef PASSES

static void (*const NAME(first)[])(const T *, int64_t, bool, bool, T *) = {
    NULL, NULL, NAME(first2), NAME(first3), NAME(first4), NAME(first5), NULL, NAME(first7), NAME(first8)};
static void (*const NAME(join)[])(T *, int64_t, const T *, const radix_points *) = {
    NULL, NULL, NAME(join2), NAME(join3), NAME(join4), NAME(join5), NULL, NAME(join7), NAME(join8)};

/* The transform of every `apart`-th point from `in` on, with the passes from `level` on. */
static void NAME(part)(const radix *r, int level, const radix_points *from, const T *in, int64_t step, T *out) {
    const pass *a = &r->passes[level];
    if (level == r->count - 1) {
        NAME(first)[a->parts](in, step, from->pairs, from->turned, out);
        return;
    }
    for (int j = 0; j < a->parts; j++) NAME(part)(r, level + 1, from, in + j * step, step * a->parts, out + j * a->m * 2 * ALL);
    NAME(join)[a->parts](out, a->m, a->w, NULL);
}

static void NAME(run)(const radix *r, const radix_points *in, const radix_points *out, T *work) {
    const pass *a = &r->passes[0];
    if (r->count == 1) {
        const radix_points there = {.at = work, .step = 2 * ALL};
        NAME(part)(r, 0, in, in->at, in->step, work);
        NAME(move)(r->n, &there, out);
        return;
    }
    for (int j = 0; j < a->parts; j++) NAME(part)(r, 1, in, (const T *)in->at + j * in->step, in->step * a->parts, work + j * a->m * 2 * ALL);
    NAME(join)[a->parts](work, a->m, a->w, out);
}

/* ---- real transforms ---- */

/* With a = Z[k] and b = conj Z[h - k], number k of the real transform is (a + b)/2 + f (a - b)/2 with f = -i exp(-pi i k/h), and number
 * h - k the conjugate of the difference. */
TARGET static void NAME(unfold)(T *x, int64_t h, const T *w, bool inverse) {
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

/* ---- turns ---- */

TARGET static void NAME(turn)(const T *lanes, const T *blocks, int64_t n1, const T *from, T *to, int64_t pitch) {
    for (int64_t first = 0; first < (n1 + ALL - 1) / ALL * ALL; first += LANES) { /* rows that are not there are as the last one */
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
                re[i] = (WORD)(x.re * w.re - x.im * w.im), im[i] = (WORD)(x.im * w.re + x.re * w.im);
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
