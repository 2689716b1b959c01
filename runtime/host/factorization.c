/* Textbook matrix factorizations in host memory (Golub and Van Loan, Matrix Computations).
 *
 * Every matrix is computed in complex double whatever its dtype, in Fortran order. Reading order:
 * elements, triangular factorizations, QR, Jacobi methods for Hermitian matrices and singular
 * values, the general eigenvalue problem, calls. */
#include <complex.h>
#include <float.h>
#include <math.h>

#include "runtime/base/base.h"
#include "runtime/host/host.h"

typedef double complex num;

enum {
    MAX_SWEEPS = 60, /* of Jacobi's methods */
    MAX_STEPS = 60   /* QR iterations for an eigenvalue */
};

/* One matrix of a call: x[i] as libcall.h says, copies in complex double. */
typedef struct {
    const gpa_libcall *c;
    int64_t m, n, k, p, u; /* p = min(m, n); u: how many columns of U */
    num *x[LIB_MATRICES];
    num *scratch; /* 2 max(m, n)^2 + 2 max(m, n) elements */
} task;

/* ---- elements ---- */

static double norm2(num z) { return creal(z) * creal(z) + cimag(z) * cimag(z); }

static num load(gpa_dtype t, const char *p) {
    gpa_val v = dtype_cast(dtype_load(p, t), t, DT_C128);
    num z;
    memcpy(&z, &v.C128, sizeof z); /* CMPLX is not available everywhere */
    return z;
}

static void store(gpa_dtype t, char *p, num z) {
    dtype_store(p, t, dtype_cast((gpa_val){.C128 = {creal(z), cimag(z)}}, DT_C128, t));
}

static double column_norm(const num *a, int64_t n) {
    double sum = 0, most = 0;
    for (int64_t i = 0; i < n; i++) sum += norm2(a[i]);
    if ((sum > DBL_MIN / DBL_EPSILON && sum <= DBL_MAX) || isnan(sum)) return sqrt(sum);
    for (int64_t i = 0; i < n; i++) most = fmax(most, fmax(fabs(creal(a[i])), fabs(cimag(a[i]))));
    if (most == 0 || isinf(most)) return most;
    sum = 0;
    for (int64_t i = 0; i < n; i++) sum += norm2(a[i] / most);
    return most * sqrt(sum);
}

/* conj(a) . b */
static num dot(const num *a, const num *b, int64_t n) {
    num sum = 0;
    for (int64_t i = 0; i < n; i++) sum += conj(a[i]) * b[i];
    return sum;
}

static void swap(num *a, num *b) {
    num z = *a;
    *a = *b;
    *b = z;
}

/* ---- triangular factorizations ---- */

/* LU with partial pivoting. Returns the index, from 1, of the first zero pivot, or 0. */
static int lu(num *a, int64_t m, int64_t n, num *pivot) {
    int info = 0;
    for (int64_t j = 0; j < MIN(m, n); j++) {
        int64_t best = j;
        for (int64_t i = j + 1; i < m; i++)
            if (cabs(a[i + j * m]) > cabs(a[best + j * m])) best = i;
        pivot[j] = (double)(best + 1);
        if (a[best + j * m] == 0) {
            if (!info) info = (int)j + 1;
            continue;
        }
        for (int64_t k = 0; k < n && best != j; k++) swap(&a[j + k * m], &a[best + k * m]);
        for (int64_t i = j + 1; i < m; i++) a[i + j * m] /= a[j + j * m];
        for (int64_t k = j + 1; k < n; k++)
            for (int64_t i = j + 1; i < m; i++) a[i + k * m] -= a[i + j * m] * a[j + k * m];
    }
    return info;
}

/* Solves A X = B, with b in Fortran order and A in C order. */
static int solve_for(const task *t, num *x, int64_t k) {
    int64_t n = t->n;
    num *a = t->x[0], *pivot = t->scratch;
    for (int64_t j = 1; j < n; j++)
        for (int64_t i = 0; i < j; i++) swap(&a[i + j * n], &a[j + i * n]);
    int info = lu(a, n, n, pivot);
    for (int64_t c = 0; c < k && !info; c++) {
        num *b = x + c * n;
        for (int64_t i = 0; i < n; i++) swap(&b[i], &b[(int64_t)creal(pivot[i]) - 1]);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = j + 1; i < n; i++) b[i] -= a[i + j * n] * b[j];
        for (int64_t j = n - 1; j >= 0; j--) {
            b[j] /= a[j + j * n];
            for (int64_t i = 0; i < j; i++) b[i] -= a[i + j * n] * b[j];
        }
    }
    return info;
}

static int solve(const task *t) { return solve_for(t, t->x[1], t->k); }

static int inverse(const task *t) {
    int64_t n = t->n;
    num *x = t->scratch + n;
    for (int64_t i = 0; i < n * n; i++) x[i] = i % (n + 1) == 0;
    int info = solve_for(t, x, n);
    for (int64_t i = 0; i < n * n && !info; i++) t->x[0][i] = x[i % n * n + i / n];
    return info;
}

/* With `upper` works on the conjugate of the upper triangle as the lower one, and transposes the
 * result back. */
static int cholesky(const task *t) {
    int64_t n = t->n;
    num *a = t->x[0];
    bool upper = t->c->matrix.upper;
#define AT(i, j) a[upper ? (j) + (i)*n : (i) + (j)*n]
    for (int64_t j = 0; j < n; j++) {
        double d = creal(AT(j, j));
        for (int64_t k = 0; k < j; k++) d -= norm2(AT(j, k));
        if (d <= 0) return (int)j + 1;
        AT(j, j) = sqrt(d);
        for (int64_t i = j + 1; i < n; i++) {
            num s = AT(i, j); /* of U^H U = A: u[j][i] is stored conjugated at l[i][j] */
            for (int64_t k = 0; k < j; k++)
                s -= upper ? conj(AT(j, k)) * AT(i, k) : AT(i, k) * conj(AT(j, k));
            AT(i, j) = s / sqrt(d);
        }
    }
#undef AT
    return 0;
}

/* ---- QR ---- */

/* Applies 1 - factor v v^H to columns; v is 1, then the entries below row j of the column of the
 * reflector. */
static void reflect(const num *v, int64_t m, int64_t j, num factor, num *to, int64_t columns) {
    for (int64_t c = 0; c < columns; c++) {
        num *b = to + c * m, s = b[j];
        for (int64_t i = j + 1; i < m; i++) s += conj(v[i]) * b[i];
        s *= factor;
        b[j] -= s;
        for (int64_t i = j + 1; i < m; i++) b[i] -= v[i] * s;
    }
}

/* Householder reflector that clears column v below row j; stores the reflector there. */
static num reflector(num *v, int64_t m, int64_t j) {
    double below = column_norm(v + j + 1, m - j - 1);
    num alpha = v[j];
    if (below == 0 && cimag(alpha) == 0) return 0;
    double beta = -copysign(hypot(cabs(alpha), below), creal(alpha));
    for (int64_t i = j + 1; i < m; i++) v[i] /= alpha - beta;
    v[j] = beta;
    return (beta - alpha) / beta;
}

static int qr(const task *t) {
    int64_t m = t->m;
    num *a = t->x[0], *factor = t->x[1], *q = t->x[2];
    for (int64_t j = 0; j < t->p; j++) {
        factor[j] = reflector(a + j * m, m, j);
        reflect(a + j * m, m, j, conj(factor[j]), a + (j + 1) * m, t->n - j - 1);
    }
    if (!q) return 0;
    for (int64_t i = 0; i < m * t->k; i++) q[i] = i % m == i / m;
    for (int64_t j = t->p - 1; j >= 0; j--) reflect(a + j * m, m, j, factor[j], q, t->k);
    return 0;
}

/* ---- Jacobi methods ---- */

/* The rotation (c, s; -conj s, c) that diagonalizes the Hermitian matrix (a, b; conj b, d). */
static void rotation(double a, num b, double d, double *c, num *s) {
    double size = cabs(b), theta = (d - a) / (2 * size);
    double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
    if (!isfinite(theta)) t = 0;
    *c = 1 / sqrt(t * t + 1);
    *s = t * *c * (b / size);
}

/* Applies the rotation to columns i and j of a. */
static void rotate(num *a, int64_t rows, int64_t i, int64_t j, double c, num s) {
    for (int64_t r = 0; r < rows; r++) {
        num x = a[r + i * rows], y = a[r + j * rows];
        a[r + i * rows] = c * x - conj(s) * y;
        a[r + j * rows] = s * x + c * y;
    }
}

static void swap_columns(num *a, int64_t rows, int64_t i, int64_t j) {
    for (int64_t r = 0; r < rows && a; r++) swap(&a[r + i * rows], &a[r + j * rows]);
}

/* Sorts values, descending or ascending, and permutes the columns of v, n rows, and of u (NULL:
 * none) with them. */
static void sort_values(num *w, int64_t n, bool descending, num *v, num *u, int64_t u_rows) {
    for (int64_t i = 0; i < n; i++) {
        int64_t best = i;
        for (int64_t j = i + 1; j < n; j++)
            if (descending ? creal(w[j]) > creal(w[best]) : creal(w[j]) < creal(w[best])) best = j;
        if (best == i) continue;
        swap(&w[i], &w[best]);
        swap_columns(v, n, i, best);
        swap_columns(u, u_rows, i, best);
    }
}

static int eigh(const task *t) {
    int64_t n = t->n;
    num *a = t->x[0], *v = t->scratch;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            if (i == j)
                a[i + j * n] = creal(a[i + j * n]);
            else if (t->c->matrix.upper ? i > j : i < j)
                a[i + j * n] = conj(a[j + i * n]);
            v[i + j * n] = i == j;
        }
    double size = column_norm(a, n * n), off = size;
    for (int sweep = 0; sweep < MAX_SWEEPS && off > DBL_EPSILON * 1e-3 * size; sweep++) {
        off = 0;
        for (int64_t j = 1; j < n; j++)
            for (int64_t i = 0; i < j; i++) {
                num b = a[i + j * n], s;
                double c;
                if (b == 0) continue;
                off = hypot(off, cabs(b));
                rotation(creal(a[i + i * n]), b, creal(a[j + j * n]), &c, &s);
                rotate(a, n, i, j, c, s);
                for (int64_t k = 0; k < n; k++) { /* the rows, by the adjoint */
                    num x = a[i + k * n], y = a[j + k * n];
                    a[i + k * n] = c * x - s * y;
                    a[j + k * n] = conj(s) * x + c * y;
                }
                a[i + j * n] = a[j + i * n] = 0;
                rotate(v, n, i, j, c, s);
            }
    }
    for (int64_t i = 0; i < n; i++) t->x[1][i] = creal(a[i + i * n]);
    sort_values(t->x[1], n, false, v, NULL, 0);
    memcpy(a, v, (size_t)(n * n) * sizeof *a);
    return 0;
}

/* Completes columns from .. to - 1 of q to orthonormal columns. */
static void complete_basis(num *q, int64_t rows, int64_t from, int64_t to) {
    for (int64_t j = from; j < to; j++) {
        num *x = q + j * rows;
        double left = 0;
        for (int64_t e = 0; e < rows && left < 0.5 / sqrt((double)rows);
             e++) { /* some unit vector is far enough from their span */
            for (int64_t i = 0; i < rows; i++) x[i] = i == e;
            for (int twice = 0; twice < 2; twice++)
                for (int64_t k = 0; k < j; k++) {
                    num s = dot(q + k * rows, x, rows);
                    for (int64_t i = 0; i < rows; i++) x[i] -= s * q[i + k * rows];
                }
            left = column_norm(x, rows);
        }
        for (int64_t i = 0; i < rows; i++) x[i] /= left;
    }
}

/* One-sided Jacobi SVD (Hestenes 1958): a (rows x cols, rows >= cols) becomes u diag(w) v^H by
 * rotating its columns until they are orthogonal: u overwrites a, v is cols x cols. Columns
 * negligible relative to a are left, as their directions are rounding noise. False without
 * convergence. */
static bool orthogonalize(num *a, int64_t rows, int64_t cols, num *w, num *v) {
    bool rotated = true;
    double limit = DBL_EPSILON * (1 + sqrt((double)rows)),
           nothing = DBL_EPSILON * DBL_EPSILON / 8 * column_norm(a, rows * cols);
    for (int64_t i = 0; i < cols * cols; i++) v[i] = i % cols == i / cols;
    for (int sweep = 0; sweep < MAX_SWEEPS && rotated; sweep++) {
        rotated = false;
        for (int64_t j = 1; j < cols; j++)
            for (int64_t i = 0; i < j; i++) {
                double x = creal(dot(a + i * rows, a + i * rows, rows)),
                       y = creal(dot(a + j * rows, a + j * rows, rows)), c;
                num b = dot(a + i * rows, a + j * rows, rows), s;
                if (!(cabs(b) > limit * sqrt(x) * sqrt(y)) || sqrt(x) <= nothing ||
                    sqrt(y) <= nothing)
                    continue;
                rotated = true;
                rotation(x, b, y, &c, &s);
                rotate(a, rows, i, j, c, s);
                rotate(v, cols, i, j, c, s);
            }
    }
    for (int64_t j = 0; j < cols; j++) w[j] = column_norm(a + j * rows, rows);
    sort_values(w, cols, true, v, a, rows);
    return !rotated;
}

static int svd(const task *t) {
    int64_t m = t->m, n = t->n, done = 0;
    num *a = t->scratch, *v = a + m * m, *w = t->x[1];
    memcpy(a, t->x[0], (size_t)(m * n) * sizeof *a);
    if (!isfinite(column_norm(a, m * n)) || !orthogonalize(a, m, n, w, v)) return 1;
    double least = creal(w[0]) * DBL_EPSILON * DBL_EPSILON;
    for (; done < n && creal(w[done]) > least; done++)
        for (int64_t i = 0; i < m; i++) a[i + done * m] /= w[done];
    if (!t->x[2]) return 0;
    complete_basis(a, m, done, t->u);
    memcpy(t->x[2], a, (size_t)(m * t->u) * sizeof *a);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) t->x[3][i + j * n] = conj(v[j + i * n]);
    return 0;
}

/* ---- the general eigenvalue problem ---- */

/* Hessenberg form: a becomes q^H a q, with zeros below the first subdiagonal. */
static void hessenberg(num *a, int64_t n, num *q) {
    for (int64_t i = 0; i < n * n; i++) q[i] = i % n == i / n;
    for (int64_t j = 0; j + 2 < n; j++) {
        num *v = a + j * n, factor = reflector(v, n, j + 1);
        reflect(v, n, j + 1, conj(factor), a + (j + 1) * n, n - j - 1);
        for (num *to = a;; to = q) { /* both from the right: x - (x v) factor v^H */
            for (int64_t r = 0; r < n; r++) {
                num s = to[r + (j + 1) * n];
                for (int64_t i = j + 2; i < n; i++) s += to[r + i * n] * v[i];
                s *= factor;
                to[r + (j + 1) * n] -= s;
                for (int64_t i = j + 2; i < n; i++) to[r + i * n] -= s * conj(v[i]);
            }
            if (to == q) break;
        }
        for (int64_t i = j + 2; i < n; i++) v[i] = 0;
    }
}

/* Wilkinson shift: the eigenvalue of the trailing 2 x 2 block at row k that is nearer to its
 * corner. */
static num wilkinson_shift(const num *a, int64_t n, int64_t k) {
    num x = a[k - 1 + (k - 1) * n], y = a[k - 1 + k * n] * a[k + (k - 1) * n], z = a[k + k * n];
    num half = (x - z) / 2, root = csqrt(half * half + y);
    if (creal(conj(half) * root) < 0) root = -root;
    return half + root == 0 ? z : z - y / (half + root);
}

/* QR iteration to Schur form: the matrix, and the product of the unitary transformations;
 * rotations: scratch for 2 n. */
typedef struct {
    num *a, *q, *rotations;
    int64_t n;
} schur_form;

/* One QR step with a shift on rows lo .. hi, by Givens rotations. */
static void qr_step(const schur_form *s, int64_t lo, int64_t hi, num shift) {
    num *a = s->a, *q = s->q, *rotations = s->rotations;
    const int64_t n = s->n;
    for (int64_t i = lo; i <= hi; i++) a[i + i * n] -= shift;
    for (int64_t i = lo; i < hi; i++) {
        num x = a[i + i * n], y = a[i + 1 + i * n];
        double size = hypot(cabs(x), cabs(y));
        num cosine = size > 0 ? x / size : 1, sine = size > 0 ? y / size : 0;
        rotations[2 * i] = cosine;
        rotations[2 * i + 1] = sine;
        for (int64_t k = i; k < n; k++) {
            x = a[i + k * n];
            y = a[i + 1 + k * n];
            a[i + k * n] = conj(cosine) * x + conj(sine) * y;
            a[i + 1 + k * n] = cosine * y - sine * x;
        }
    }
    for (int64_t i = lo; i < hi; i++) {
        num cosine = rotations[2 * i], sine = rotations[2 * i + 1];
        for (num *to = a;; to = q) {
            int64_t rows = to == q ? n : MIN(i + 2, hi + 1);
            for (int64_t r = 0; r < rows; r++) {
                num x = to[r + i * n], y = to[r + (i + 1) * n];
                to[r + i * n] = cosine * x + sine * y;
                to[r + (i + 1) * n] = conj(cosine) * y - conj(sine) * x;
            }
            if (to == q) break;
        }
    }
    for (int64_t i = lo; i <= hi; i++) a[i + i * n] += shift;
}

/* Schur form: a becomes upper triangular, q the unitary transformation. False without
 * convergence. */
static bool schur(num *a, int64_t n, num *q, num *rotations) {
    const schur_form s = {a, q, rotations, n};
    hessenberg(a, n, q);
    double size = column_norm(a, n * n);
    int steps = 0;
    for (int64_t hi = n - 1; hi > 0;) {
        int64_t lo = hi;
        for (; lo > 0; lo--) {
            double around = cabs(a[lo + lo * n]) + cabs(a[lo - 1 + (lo - 1) * n]);
            if (cabs(a[lo + (lo - 1) * n]) <= DBL_EPSILON * (around > 0 ? around : size)) break;
        }
        if (lo > 0) a[lo + (lo - 1) * n] = 0;
        if (lo == hi) {
            hi--;
            steps = 0;
        } else if (steps++ == MAX_STEPS) {
            return false;
        } else { /* an exceptional shift every few steps, against cycles */
            qr_step(&s, lo, hi,
                    steps % 10 ? wilkinson_shift(a, n, hi)
                               : a[hi + hi * n] + cabs(a[hi + (hi - 1) * n]));
        }
    }
    return true;
}

/* Eigenvectors of the triangular a, times q: unit columns of v, whose largest element is real. */
static void vectors(const num *a, int64_t n, const num *q, num *v, num *y) {
    double least = DBL_EPSILON * column_norm(a, n * n) + DBL_MIN;
    for (int64_t k = 0; k < n; k++) {
        y[k] = 1;
        for (int64_t i = k - 1; i >= 0; i--) {
            num s = 0, d = a[k + k * n] - a[i + i * n];
            for (int64_t j = i + 1; j <= k; j++) s += a[i + j * n] * y[j];
            y[i] = s / (cabs(d) < least ? least : d);
        }
        for (int64_t i = 0; i < n; i++) {
            v[i + k * n] = 0;
            for (int64_t j = 0; j <= k; j++) v[i + k * n] += q[i + j * n] * y[j];
        }
        double length = column_norm(v + k * n, n);
        num largest = 0;
        for (int64_t i = 0; i < n; i++)
            if (cabs(v[i + k * n]) > cabs(largest)) largest = v[i + k * n];
        for (int64_t i = 0; i < n; i++) v[i + k * n] *= conj(largest) / cabs(largest) / length;
    }
}

/* A real matrix has real eigenvalues and vectors, and conjugate pairs: removes the rounding noise,
 * and stores the vectors of a pair as real and imaginary parts. */
static void pair_conjugates(num *w, int64_t n, num *v, double size) {
    for (int64_t k = 0; k < n; k++) {
        int64_t other = -1;
        for (int64_t j = k + 1; j < n && fabs(cimag(w[k])) > 100 * DBL_EPSILON * size; j++)
            if (other < 0 || cabs(w[j] - conj(w[k])) < cabs(w[other] - conj(w[k]))) other = j;
        if (other < 0) {
            w[k] = creal(w[k]);
            for (int64_t i = 0; v && i < n; i++) v[i + k * n] = creal(v[i + k * n]);
            continue;
        }
        swap(&w[k + 1], &w[other]);
        if (v) swap_columns(v, n, k + 1, other);
        if (cimag(w[k]) < 0) {
            w[k] = conj(w[k]);
            for (int64_t i = 0; v && i < n; i++) v[i + k * n] = conj(v[i + k * n]);
        }
        w[k + 1] = conj(w[k]);
        for (int64_t i = 0; v && i < n; i++) {
            v[i + (k + 1) * n] = cimag(v[i + k * n]);
            v[i + k * n] = creal(v[i + k * n]);
        }
        k++;
    }
}

static int eig(const task *t) {
    int64_t n = t->n;
    num *a = t->x[0], *q = t->scratch, *scratch = q + n * n;
    double size = column_norm(a, n * n);
    if (!isfinite(size) || !schur(a, n, q, scratch)) return 1;
    for (int64_t i = 0; i < n; i++) t->x[1][i] = a[i + i * n];
    if (t->x[2]) vectors(a, n, q, t->x[2], scratch);
    if (!dtype_is_complex(t->c->dtype)) pair_conjugates(t->x[1], n, t->x[2], size);
    return 0;
}

/* ---- calls ---- */

static int lu_of(const task *t) {
    lu(t->x[0], t->m, t->n, t->x[1]);
    return 0;
}

typedef int algorithm(const task *t);

static algorithm *const algorithms[LIB_COUNT] = {
    [LIB_LU] = lu_of, [LIB_SOLVE] = solve, [LIB_INVERSE] = inverse, [LIB_CHOLESKY] = cholesky,
    [LIB_QR] = qr,    [LIB_SVD] = svd,     [LIB_EIGH] = eigh,       [LIB_EIG] = eig,
};

gpa_code hostcall_matrix(const gpa_libcall *call, const host_operands *x, const atomic_bool *stop,
                         gpa_err *e) {
    int64_t m = call->matrix.m, n = call->matrix.n, big = MAX(MAX(m, n), 1), p = MIN(m, n);
    lib_operand of[LIB_MATRICES];
    int64_t size[LIB_MATRICES]; /* of one matrix */
    task t = {
        .c = call, .m = m, .n = n, .k = call->matrix.k, .p = p, .u = call->matrix.full ? m : n};
    gpa_code rc = GPA_OK;
    for (int i = 0; i < LIB_MATRICES; i++) {
        of[i] = lib_operand_of(call, i);
        size[i] = lib_operand_size(&of[i]);
    }
    *call->matrix.info = 0;
    t.scratch = mem_new((size_t)(2 * big * big + 2 * big) * sizeof *t.scratch);
    if (!t.scratch) rc = gpa_no_memory(e);
    for (int i = 0; i < LIB_MATRICES && !rc; i++)
        if (x->out[i] && size[i] && !(t.x[i] = mem_zero((size_t)size[i] * sizeof *t.x[i])))
            rc = gpa_no_memory(e);
    for (int64_t b = 0; b < call->matrix.batch && !rc; b++) {
        char *matrix[LIB_MATRICES];
        for (int i = 0; i < LIB_MATRICES; i++) {
            const int64_t item = (int64_t)dtype_size(of[i].dtype);
            matrix[i] = (char *)x->out[i] + b * size[i] * item;
            for (int64_t k = 0; of[i].access == LIB_UPDATE && k < size[i]; k++)
                t.x[i][k] = load(of[i].dtype, matrix[i] + k * item);
        }
        int info = algorithms[call->kind](&t);
        if (info && !*call->matrix.info) *call->matrix.info = info;
        for (int i = 0; i < LIB_MATRICES; i++)
            for (int64_t k = 0; t.x[i] && k < size[i]; k++)
                store(of[i].dtype, matrix[i] + k * (int64_t)dtype_size(of[i].dtype), t.x[i][k]);
        if (hostcall_stopped(stop)) rc = gpa_interrupted(e);
    }
    for (int i = 0; i < LIB_MATRICES; i++) mem_free(t.x[i]);
    mem_free(t.scratch);
    return rc;
}
