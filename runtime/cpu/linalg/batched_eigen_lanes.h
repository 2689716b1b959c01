/* Householder reflections and rotations in SIMD lanes: batched_eigen.c includes this for each
 * dtype, with
 *
 *   T          the dtype
 *   I          integers of its size
 *   EPSILON    its rounding unit
 *   LOW, HIGH  bounds of a matrix whose squares neither underflow nor overflow
 *   FAINT      bound of a part of a matrix whose squares underflow
 *   NAME(x)    a name with the suffix of the element size, as in lanes.h
 *
 * A matrix of m rows is in Fortran order: element (i, j) of all of them is the vector a[j * m + i].
 * Reading order: reflections, QR, symmetric matrices, singular values, calls. */

#define LANES ((int)(LANES_BYTES / sizeof(T)))
#define VEC NAME(vec)
#define MASK NAME(mask)
typedef T VEC __attribute__((vector_size(LANES_BYTES)));
typedef I MASK __attribute__((vector_size(LANES_BYTES)));

#define ALL(x) ((VEC){0} + (T)(x))
#define SIGN_BIT ((MASK){0} + (I)((uint64_t)1 << (8 * sizeof(I) - 1)))
#define SIZE(a) ((VEC)((MASK)(a) & ~SIGN_BIT))
/* Lanes of a where the mask is set, else of b; a with the sign of b. */
#define SELECT(mask, a, b) ((VEC)(((MASK)(a) & (mask)) | ((MASK)(b) & ~(mask))))
#define SIGNED(a, b) ((VEC)(((MASK)(a) & ~SIGN_BIT) | ((MASK)(b)&SIGN_BIT)))

INLINE void NAME(root)(VEC *v) {
    T x[LANES];
    memcpy(x, v, sizeof x);
    for (int l = 0; l < LANES; l++) x[l] = ROOT(x[l]);
    memcpy(v, x, sizeof x);
}

/* True if the mask is set in any lane. */
INLINE bool NAME(any)(const MASK *m) {
    uint64_t word[LANES_BYTES / sizeof(uint64_t)], all = 0;
    memcpy(word, m, sizeof word);
    for (size_t i = 0; i < COUNT_OF(word); i++) all |= word[i];
    return all != 0;
}

/* ---- reflections ---- */

/* Householder reflection 1 - tau v v^T that maps x to (beta, 0, ...), as LAPACK (larfg) chooses it:
 * v[0] = 1 is not stored, the others overwrite x[1 ..]. */
GPA_SIMD_CLONES static void NAME(reflection)(VEC *x, int64_t n, VEC *beta, VEC *tau) {
    VEC rest = ALL(0), alpha = x[0];
    for (int64_t i = 1; i < n; i++) rest += x[i] * x[i];
    MASK none = rest == 0;
    VEC norm = rest + alpha * alpha;
    NAME(root)(&norm);
    VEC b = SELECT(none, alpha, -SIGNED(norm, alpha)), by = 1 / SELECT(none, ALL(1), alpha - b);
    for (int64_t i = 1; i < n; i++) x[i] *= by;
    *tau = SELECT(none, ALL(0), (b - alpha) / SELECT(none, ALL(1), b));
    *beta = b;
}

/* Applies 1 - tau v v^T to columns of n elements from c on, `pitch` vectors apart. */
GPA_SIMD_CLONES static void NAME(reflect)(const VEC *v, const VEC *tau, VEC *c, int64_t n,
                                          int64_t columns, int64_t pitch) {
    const VEC by = *tau;
    for (int64_t j = 0; j < columns; j++, c += pitch) {
        VEC w = c[0], w1 = ALL(0);
        int64_t i = 1;
        for (; i + 2 <= n; i += 2) w += v[i] * c[i], w1 += v[i + 1] * c[i + 1];
        if (i < n) w += v[i] * c[i];
        w = (w + w1) * by;
        c[0] -= w;
        for (i = 1; i < n; i++) c[i] -= w * v[i];
    }
}

/* The product of reflections, whose vectors are the columns of a (m rows) from row `below` + j on,
 * as the columns of q: m x k. */
static void NAME(product)(const VEC *a, const VEC *tau, int64_t m, int64_t reflections,
                          int64_t below, int64_t k, VEC *q) {
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < m; i++) q[j * m + i] = ALL(i == j);
    for (int64_t j = reflections - 1; j >= 0; j--) {
        int64_t first = j + below;
        NAME(reflect)(a + j * m + first, &tau[j], q + first * m + first, m - first, k - first, m);
    }
}

/* ---- QR ---- */

static void NAME(qr)(VEC *a, int64_t m, int64_t n, VEC *tau) {
    for (int64_t j = 0; j < MIN(m, n); j++) {
        VEC beta, *x = a + j * m + j;
        NAME(reflection)(x, m - j, &beta, &tau[j]);
        NAME(reflect)(x, &tau[j], x + m, m - j, n - j - 1, m);
        *x = beta;
    }
}

/* ---- symmetric matrices ---- */

/* Tridiagonalization by reflections of the lower triangle (sytrd): d and e; the vectors stay below
 * the diagonal. p is scratch for a column. */
GPA_SIMD_CLONES static void NAME(tridiagonal)(VEC *a, int64_t n, VEC *d, VEC *e, VEC *tau, VEC *p) {
    for (int64_t k = 0; k + 1 < n; k++) {
        int64_t m = n - k - 1;
        VEC *v = a + k * n + k + 1, *rest = a + (k + 1) * n + k + 1, both = ALL(0);
        NAME(reflection)(v, m, &e[k], &tau[k]);
        d[k] = a[k * n + k];
        v[0] = ALL(1);
        for (int64_t i = 0; i < m; i++) p[i] = ALL(0);
        for (int64_t j = 0; j < m; j++) {
            const VEC *c = rest + j * n, by = v[j];
            VEC sum = p[j] + c[j] * by;
            for (int64_t i = j + 1; i < m; i++) p[i] += c[i] * by, sum += c[i] * v[i];
            p[j] = sum;
        }
        for (int64_t i = 0; i < m; i++) p[i] *= tau[k], both += p[i] * v[i];
        both *= tau[k] * (T)-0.5;
        for (int64_t i = 0; i < m; i++) p[i] += both * v[i];
        for (int64_t j = 0; j < m; j++) {
            VEC *c = rest + j * n, by = p[j], with = v[j];
            for (int64_t i = j; i < m; i++) c[i] -= v[i] * by + p[i] * with;
        }
    }
    d[n - 1] = a[n * n - 1];
    e[n - 1] = ALL(0);
}

/* One implicit QL step (Wilkinson shift) on rows l .. m of the lanes in *active, m and its diagonal
 * element per lane; *g starts with the shifted one. */
GPA_SIMD_CLONES static void NAME(step)(VEC *d, VEC *e, int64_t n, int64_t l, int64_t top,
                                       const MASK *m, const MASK *active, const VEC *first,
                                       VEC *z) {
    VEC g = *first, s = ALL(1), c = ALL(1), p = ALL(0);
    MASK going = *active;
    for (int64_t i = top - 1; i >= l; i--) {
        MASK in = going & (*m > (I)i);
        VEC f = s * e[i], b = c * e[i], r = f * f + g * g;
        NAME(root)(&r);
        e[i + 1] = SELECT(in, r, e[i + 1]);
        MASK ends = in & (r == 0); /* the matrix decouples */
        if (NAME(any)(&ends))
            d[i + 1] = SELECT(ends, d[i + 1] - p, d[i + 1]), going &= ~ends, in &= ~ends;
        VEC by = 1 / SELECT(in, r, ALL(1));
        s = SELECT(in, f * by, s);
        c = SELECT(in, g * by, c);
        VEC before = d[i + 1] - p, part = (d[i] - before) * s + 2 * c * b;
        p = SELECT(in, s * part, p);
        d[i + 1] = SELECT(in, before + p, d[i + 1]);
        g = SELECT(in, c * part - b, g);
        VEC cosine = SELECT(in, c, ALL(1)), sine = SELECT(in, s, ALL(0)), *x = z + i * n,
            *y = x + n;
        for (int64_t k = 0; z && k < n; k++) {
            VEC old = y[k];
            y[k] = sine * x[k] + cosine * old;
            x[k] = cosine * x[k] - sine * old;
        }
    }
    d[l] = SELECT(going, d[l] - p, d[l]);
    e[l] = SELECT(going, g, e[l]);
    for (int k = 0; k < LANES; k++)
        if ((*active)[k]) ((T *)(e + (*m)[k]))[k] = 0;
}

/* Eigenvalues of the tridiagonal matrices to d (implicit QL); z, if not NULL, is multiplied by the
 * rotations. False when some do not converge. */
GPA_SIMD_CLONES static bool NAME(values)(VEC *d, VEC *e, int64_t n, VEC *z) {
    for (int64_t l = 0; l + 1 < n; l++)
        for (int steps = 0;; steps++) {
            MASK m = (MASK){0} + (I)(n - 1), active;
            VEC last = d[n - 1];
            for (int64_t k = n - 2; k >= l; k--) {
                MASK apart = SIZE(e[k]) <= (T)EPSILON * (SIZE(d[k]) + SIZE(d[k + 1]));
                m = (((MASK){0} + (I)k) & apart) | (m & ~apart);
                last = SELECT(apart, d[k], last);
            }
            active = m > (I)l;
            if (!NAME(any)(&active)) break;
            if (steps == STEPS) return false;
            int64_t top = l + 1;
            for (int k = 0; k < LANES; k++) top = MAX(top, (int64_t)m[k]);
            VEC off = SELECT(active, e[l], ALL(1)), g = (d[l + 1] - d[l]) / (2 * off),
                r = g * g + 1;
            NAME(root)(&r);
            g = last - d[l] + off / (g + SIGNED(r, g));
            NAME(step)(d, e, n, l, top, &m, &active, &g, z);
        }
    return true;
}

/* ---- singular values ---- */

/* One-sided Jacobi: rotates pairs of columns of a, m x n, until all are orthogonal, and those of v,
 * n x n, if not NULL, with them; `square` is scratch for n vectors. False when some do not
 * converge. */
GPA_SIMD_CLONES static bool NAME(orthogonal)(VEC *a, int64_t m, int64_t n, VEC *v, VEC *square) {
    const T small = (T)EPSILON * (T)EPSILON * (T)m;
    for (int sweeps = 0; sweeps < STEPS; sweeps++) {
        bool turned = false;
        for (int64_t j = 0; j < n; j++) {
            square[j] = ALL(0);
            for (int64_t i = 0; i < m; i++) square[j] += a[j * m + i] * a[j * m + i];
        }
        for (int64_t p = 0; p + 1 < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                VEC *x = a + p * m, *y = a + q * m, both = ALL(0), more = ALL(0);
                int64_t i = 0;
                for (; i + 2 <= m; i += 2) both += x[i] * y[i], more += x[i + 1] * y[i + 1];
                if (i < m) both += x[i] * y[i];
                both += more;
                MASK in = both * both > small * square[p] * square[q];
                if (!NAME(any)(&in)) continue;
                turned = true;
                VEC zeta = (square[q] - square[p]) / (2 * SELECT(in, both, ALL(1))),
                    r = zeta * zeta + 1;
                NAME(root)(&r);
                VEC t = SELECT(in, SIGNED(1 / (SIZE(zeta) + r), zeta), ALL(0)), c = t * t + 1;
                NAME(root)(&c);
                c = 1 / c;
                VEC s = c * t;
                square[p] -= t * both;
                square[q] += t * both;
                for (i = 0; i < m; i++) {
                    VEC old = x[i];
                    x[i] = c * old - s * y[i];
                    y[i] = s * old + c * y[i];
                }
                if (v) x = v + p * n, y = v + q * n;
                for (i = 0; v && i < n; i++) {
                    VEC old = x[i];
                    x[i] = c * old - s * y[i];
                    y[i] = s * old + c * y[i];
                }
            }
        if (!turned) return true;
    }
    return false;
}

/* ---- calls ---- */

static void NAME(bring)(const void *from, int64_t step, int count, int64_t n, VEC *to) {
    NAME(lanes_load)(from, step / (int64_t)sizeof(T), count, n, (MASK *)to);
}
static void NAME(take)(const VEC *from, int64_t n, void *to, int64_t step, int count) {
    NAME(lanes_store)((const MASK *)from, n, to, step / (int64_t)sizeof(T), count);
}

/* True if the matrices are finite and need no scaling; their norms. */
GPA_SIMD_CLONES static bool NAME(fit)(const VEC *a, int64_t n, VEC *size) {
    VEC most = ALL(0);
    MASK bad = (MASK){0};
    for (int64_t i = 0; i < n; i++) {
        VEC x = SIZE(a[i]);
        bad |= ~(MASK)(x <= ALL(HIGH));
        most = SELECT(x > most, x, most);
    }
    bad |= (most < ALL(LOW)) & (most != 0);
    *size = most;
    return !NAME(any)(&bad);
}

static bool NAME(run_qr)(const gpa_libcall *call, char *const *x, const int64_t *step, int count,
                         VEC *a) {
    int64_t m = call->matrix.m, n = call->matrix.n, p = MIN(m, n), k = call->matrix.k;
    VEC *tau = a + m * n, *q = tau + p, size;
    NAME(bring)(x[0], step[0], count, m * n, a);
    if (!NAME(fit)(a, m * n, &size)) return false;
    NAME(qr)(a, m, n, tau);
    NAME(take)(a, m * n, x[0], step[0], count);
    NAME(take)(tau, p, x[1], step[1], count);
    if (!x[2]) return true;
    NAME(product)(a, tau, m, MIN(p, k), 0, k, q);
    NAME(take)(q, m * k, x[2], step[2], count);
    return true;
}

/* The permutation that sorts the lane's values. */
static void NAME(order)(const VEC *values, int lane, int64_t n, bool descending, int *at) {
    for (int64_t i = 0; i < n; i++) {
        T x = values[i][lane];
        int64_t j = i;
        for (; j > 0 && (descending ? values[at[j - 1]][lane] < x : values[at[j - 1]][lane] > x);
             j--)
            at[j] = at[j - 1];
        at[j] = (int)i;
    }
}

static bool NAME(run_eigh)(const gpa_libcall *call, char *const *x, const int64_t *step, int count,
                           VEC *a) {
    int64_t n = call->matrix.n;
    VEC *d = a + n * n, *e = d + n, *tau = e + n, *p = tau + n,
        *z = call->matrix.vectors ? p + n : NULL, size;
    int at[MOST];
    NAME(bring)(x[0], step[0], count, n * n, a);
    for (int64_t j = 0; call->matrix.upper && j < n; j++)
        for (int64_t i = j + 1; i < n; i++) a[j * n + i] = a[i * n + j];
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < j; i++) a[j * n + i] = ALL(0);
    if (!NAME(fit)(a, n * n, &size)) return false;
    NAME(tridiagonal)(a, n, d, e, tau, p);
    if (z) NAME(product)(a, tau, n, n - 1, 1, n, z);
    if (!NAME(values)(d, e, n, z)) return false;
    for (int l = 0; l < count; l++) {
        T *value = (T *)(void *)(x[1] + l * step[1]), *vector = (T *)(void *)(x[0] + l * step[0]);
        NAME(order)(d, l, n, false, at);
        for (int64_t j = 0; j < n; j++) value[j] = d[at[j]][l];
        for (int64_t j = 0; z && j < n; j++)
            for (int64_t i = 0; i < n; i++) vector[j * n + i] = ((const T *)(z + at[j] * n + i))[l];
    }
    return true;
}

/* Powers of two that scale the norms to about 1. */
static void NAME(powers)(const VEC *size, VEC *power) {
    for (int l = 0; l < LANES; l++) {
        int exponent = 0;
        (void)frexp((double)(*size)[l], &exponent);
        ((T *)power)[l] = (T)ldexp(1, -exponent);
    }
}

GPA_SIMD_CLONES static void NAME(scale)(VEC *a, int64_t n, const VEC *by) {
    for (int64_t i = 0; i < n; i++) a[i] *= *by;
}

static bool NAME(run_svd)(const gpa_libcall *call, char *const *x, const int64_t *step, int count,
                          VEC *a) {
    int64_t m = call->matrix.m, n = call->matrix.n;
    VEC *square = a + m * n, *v = x[2] ? square + n : NULL, size, power;
    int at[MOST];
    NAME(bring)(x[0], step[0], count, m * n, a);
    if (!NAME(fit)(a, m * n, &size)) return false;
    NAME(powers)(&size, &power);
    NAME(scale)(a, m * n, &power);
    for (int64_t i = 0; v && i < n * n; i++) v[i] = ALL(i % (n + 1) == 0);
    if (!NAME(orthogonal)(a, m, n, v, square)) return false;
    for (int64_t j = 0; j < n; j++) {
        square[j] = ALL(0);
        for (int64_t i = 0; i < m; i++) square[j] += a[j * m + i] * a[j * m + i];
        NAME(root)(&square[j]);
        MASK faint = square[j] < ALL(FAINT);
        if (v && NAME(any)(&faint)) return false; /* its direction is not determined */
    }
    for (int l = 0; l < count; l++) {
        T *value = (T *)(void *)(x[1] + l * step[1]), *u = (T *)(void *)(x[2] + l * step[2]),
          *vh = (T *)(void *)(x[3] + l * step[3]);
        NAME(order)(square, l, n, true, at);
        for (int64_t j = 0; j < n; j++) value[j] = square[at[j]][l] / power[l];
        for (int64_t j = 0; v && j < n; j++) {
            T by = 1 / square[at[j]][l];
            for (int64_t i = 0; i < m; i++) u[j * m + i] = ((const T *)(a + at[j] * m + i))[l] * by;
            for (int64_t i = 0; i < n; i++) vh[i * n + j] = ((const T *)(v + at[j] * n + i))[l];
        }
    }
    return true;
}

static bool NAME(run)(const gpa_libcall *call, char *const *x, const int64_t *step, int count,
                      void *scratch) {
    if (call->kind == LIB_QR) return NAME(run_qr)(call, x, step, count, scratch);
    if (call->kind == LIB_EIGH) return NAME(run_eigh)(call, x, step, count, scratch);
    return NAME(run_svd)(call, x, step, count, scratch);
}

#undef LANES
#undef VEC
#undef MASK
#undef ALL
#undef SIGN_BIT
#undef SIZE
#undef SELECT
#undef SIGNED
#undef T
#undef I
#undef ROOT
#undef EPSILON
#undef LOW
#undef HIGH
#undef FAINT
#undef NAME
