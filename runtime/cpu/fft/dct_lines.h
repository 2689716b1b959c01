/* Passes before and after the FFT of a discrete cosine or sine transform: dct.c includes this
 * for each dtype and memory layout, with
 *
 *   T        the dtype
 *   NAME(x)  a name with the suffix of dtype and layout
 *   W        rows per group: element k of row l is l elements after that of row 0
 *   STEP     stride of a row in the array, in elements
 *
 * In scratch memory, element k of row l has index k * W + l, also if elements are complex (re,
 * im). DST-II is the DCT-II of the input with alternating signs, in reverse order; DST-III is
 * the DCT-III of the reversed input, with alternating signs; DST-IV is the DCT-IV of the
 * reversed input, with alternating signs. */

#if W > 1
#define EACH(l) GPA_NO_UNROLL for (int64_t l = 0; l < W; l++)
#else
#define EACH(l) for (int64_t l = 0; l < 1; l++)
#endif
/* A pass from the array to scratch memory, or back. */
#define PASS(name) \
    GPA_SIMD_CLONES static void NAME(name)(const work *q, const void *from, void *to, int64_t step)
#define IN(k) in[(k)*STEP + l]
#define OUT(k) out[(k)*STEP + l]
#define REAL(k) v[(k)*W + l]
#define RE(k) v[2 * ((k)*W + l)]
#define IM(k) v[2 * ((k)*W + l) + 1]

/* Type 1: FFT of the even (DCT) or odd (DST) periodic extension. */
PASS(continue) {
    const T *restrict in = from;
    T *restrict v = to;
    (void)step;
    const int64_t n = q->n;
    const T edge = (T)q->edge_in;
    if (q->sines) {
        for (int64_t k = 0; k < n; k++) EACH(l) REAL(k + 1) = IN(k);
        for (int64_t k = 0; k < n; k++) EACH(l) REAL(2 * n + 1 - k) = -IN(k);
        EACH(l) REAL(0) = REAL(n + 1) = 0;
        return;
    }
    for (int64_t k = 0; k < n; k++) EACH(l) REAL(k) = IN(k);
    for (int64_t k = 1; k < n - 1; k++) EACH(l) REAL(2 * (n - 1) - k) = IN(k);
    EACH(l) REAL(0) *= edge, REAL(n - 1) *= edge;
}

PASS(half) {
    const T *restrict v = from;
    T *restrict out = to;
    (void)step;
    const int64_t n = q->n;
    const T scale = (T)q->scale, edge = (T)q->edge_out;
    if (q->sines) {
        for (int64_t k = 0; k < n; k++) EACH(l) OUT(k) = -scale * IM(k + 1);
        return;
    }
    for (int64_t k = 0; k < n; k++) EACH(l) OUT(k) = scale * RE(k);
    EACH(l) OUT(0) *= edge, OUT(n - 1) *= edge;
}

/* Type 2 (Makhoul 1980): the even-indexed elements, then the odd-indexed ones in reverse. After
 * the FFT, `turn` multiplies by twiddle factors and takes twice the real part. */
PASS(fold) {
    const T *restrict in = from;
    T *restrict v = to;
    (void)step;
    const int64_t n = q->n;
    const T sign = q->sines ? -1 : 1;
    for (int64_t k = 0; k < n / 2; k++) EACH(l) REAL(k) = IN(2 * k);
    for (int64_t k = 0; k < n / 2; k++) EACH(l) REAL(n - 1 - k) = sign * IN(2 * k + 1);
    if (n % 2) EACH(l) REAL(n / 2) = IN(n - 1);
}

PASS(turn) {
    const T *restrict v = from;
    T *restrict out = to;
    (void)step;
    const int64_t n = q->n;
    const T *c = q->w, *s = c + n / 2 + 1, twice = (T)(2 * q->scale), edge = (T)q->edge_out;
    if (q->sines) {
        EACH(l) OUT(n - 1) = twice * edge * RE(0);
        for (int64_t k = 1; k <= n / 2; k++)
            EACH(l) OUT(n - 1 - k) = twice * (RE(k) * c[k] + IM(k) * s[k]);
        for (int64_t k = 1; k < (n + 1) / 2; k++)
            EACH(l) OUT(k - 1) = twice * (RE(k) * s[k] - IM(k) * c[k]);
        return;
    }
    EACH(l) OUT(0) = twice * edge * RE(0);
    for (int64_t k = 1; k <= n / 2; k++) EACH(l) OUT(k) = twice * (RE(k) * c[k] + IM(k) * s[k]);
    for (int64_t k = 1; k < (n + 1) / 2; k++)
        EACH(l) OUT(n - k) = twice * (RE(k) * s[k] - IM(k) * c[k]);
}

/* Type 3: the inverse steps of type 2. */
PASS(turn_back) {
    const T *restrict in = from;
    T *restrict v = to;
    (void)step;
    const int64_t n = q->n;
    const T *c = q->w, *s = c + n / 2 + 1, edge = (T)q->edge_in;
    EACH(l) RE(0) = edge * IN(q->sines ? n - 1 : 0), IM(0) = 0;
    if (q->sines)
        for (int64_t k = 1; k <= n / 2; k++) EACH(l) {
                const T near = IN(n - 1 - k), far = IN(k - 1);
                RE(k) = near * c[k] + far * s[k], IM(k) = near * s[k] - far * c[k];
            }
    else
        for (int64_t k = 1; k <= n / 2; k++) EACH(l) {
                const T near = IN(k), far = IN(n - k);
                RE(k) = near * c[k] + far * s[k], IM(k) = near * s[k] - far * c[k];
            }
}

PASS(unfold) {
    const T *restrict v = from;
    T *restrict out = to;
    (void)step;
    const int64_t n = q->n;
    const T scale = (T)q->scale, other = q->sines ? -scale : scale;
    for (int64_t k = 0; k < n / 2; k++) EACH(l) {
            const T even = REAL(k), odd = REAL(n - 1 - k);
            OUT(2 * k) = scale * even, OUT(2 * k + 1) = other * odd;
        }
    if (n % 2) EACH(l) OUT(n - 1) = scale * REAL(n / 2);
}

/* Type 4 of even length: an even-indexed element and an odd-indexed one, in reverse, make a
 * complex element; twiddle factors before and after the FFT. */
PASS(pair) {
    const T *restrict in = from;
    T *restrict v = to;
    (void)step;
    const int64_t n = q->n;
    const T *c = q->w, *s = c + n / 2;
    const bool sines = q->sines;
    for (int64_t k = 0; k < n / 2; k++) EACH(l) {
            const T even = IN(2 * k), odd = IN(n - 1 - 2 * k), re = sines ? odd : even,
                    im = sines ? even : odd;
            RE(k) = re * c[k] + im * s[k], IM(k) = im * c[k] - re * s[k];
        }
}

PASS(unpair) {
    const T *restrict v = from;
    T *restrict out = to;
    (void)step;
    const int64_t n = q->n, h = n / 2;
    const T *c = q->w, *s = c + h, twice = (T)(2 * q->scale), other = q->sines ? twice : -twice;
    for (int64_t k = 0; k < h; k++) EACH(l) {
            const int64_t b = h - 1 - k; /* the point that gives the odd-indexed element */
            OUT(2 * k) = twice * (RE(k) * c[k] + IM(k) * s[k]);
            OUT(2 * k + 1) = other * (IM(b) * c[b] - RE(b) * s[b]);
        }
}

/* Type 4 of odd length n by a real FFT of n points. The input, extended with its signs to every
 * odd a, is sampled at a = n + 8m, which visits each element once. There the cosine cos(pi a b /
 * 4n), b odd, is cos(pi b / 4 + 2 pi m b / n). */
PASS(step_by_8) {
    const T *restrict in = from;
    T *restrict v = to;
    (void)step;
    const int64_t n = q->n;
    for (int64_t m = 0, a = n; m < n; m++, a = a + 8 < 8 * n ? a + 8 : a + 8 - 8 * n) {
        const int64_t place = a < 2 * n   ? a
                              : a < 4 * n ? 4 * n - a
                              : a < 6 * n ? a - 4 * n
                                          : 8 * n - a;
        const int64_t k = q->sines ? n - 1 - (place - 1) / 2 : (place - 1) / 2;
        const T sign = a > 2 * n && a < 6 * n ? -1 : 1;
        EACH(l) REAL(m) = sign * IN(k);
    }
}

PASS(eighths) {
    const T *restrict v = from;
    T *restrict out = to;
    (void)step;
    const int64_t n = q->n;
    const T scale = (T)(1.41421356237309504880 * q->scale);
    for (int64_t k = 0; k < n; k++) {
        const int64_t b = 2 * k + 1, at = b < n ? b : b - n;
        const T sign = q->sines && k % 2 ? -scale : scale,
                by_re = b % 8 == 1 || b % 8 == 7 ? sign : -sign, by_im = b % 8 < 4 ? sign : -sign;
        if (2 * at < n)
            EACH(l) OUT(k) = by_re * RE(at) + by_im * IM(at);
        else
            EACH(l) OUT(k) = by_re * RE(n - at) - by_im * IM(n - at);
    }
}

static const passes NAME(passes)[] = {
    [CONTINUED] = {NAME(continue), NAME(half)},   [FOLDED] = {NAME(fold), NAME(turn)},
    [TURNED] = {NAME(turn_back), NAME(unfold)},   [PAIRED] = {NAME(pair), NAME(unpair)},
    [EIGHTHS] = {NAME(step_by_8), NAME(eighths)},
};

#undef EACH
#undef PASS
#undef IN
#undef OUT
#undef REAL
#undef RE
#undef IM
#undef T
#undef NAME
#undef W
#undef STEP
