/* Shape arithmetic: sizes, broadcasting, strides of a reshape, memory overlap of two layouts.
 * Reading order: sizes and text, broadcasting, reshaping, overlap.
 *
 * Overlap of two layouts is a bounded linear Diophantine equation: is there a point of each box at
 * which the addresses agree? (As numpy.shares_memory.) A depth-first search tries the largest
 * stride first and prunes by the greatest common divisor and the range of the remaining terms, so
 * common layouts (interleaved, shifted, adjacent blocks) take a few steps. */
#include "runtime/graph/shape.h"

#include <stdio.h>

#include "runtime/runtime.h"

enum { OVERLAP_STEPS = 4096, OVERLAP_TERMS = 2 * GPA_MAX_DIMS + 2 };

/* ---- sizes and text ---- */

const char *shape_text(char *to, int ndim, const int64_t *shape) {
    size_t at = 1;
    int first = 0;
    to[0] = '(';
    while (first < ndim && shape[first] < 0) first++; /* NumPy omits unknown leading extents */
    for (int d = first; d < ndim; d++) {
        char one[24];
        if (shape[d] < 0)
            snprintf(one, sizeof one, "newaxis");
        else
            snprintf(one, sizeof one, "%lld", (long long)shape[d]);
        size_t n = strlen(one);
        if (at + n + 6 > SHAPE_TEXT) {
            memcpy(to + at, "...", 3);
            at += 3;
            break;
        }
        memcpy(to + at, one, n);
        at += n;
        if (d + 1 < ndim || ndim == 1) to[at++] = ',';
    }
    to[at++] = ')';
    to[at] = 0;
    return to;
}

int64_t shape_size(int ndim, const int64_t *shape) {
    int64_t n = 1;
    for (int d = 0; d < ndim; d++) n *= shape[d];
    return n;
}

gpa_code shape_check(int ndim, const int64_t *shape, size_t itemsize, int64_t *size, gpa_err *e) {
    if (ndim > GPA_MAX_DIMS)
        return gpa_fail(e, GPA_E_VALUE,
                        "maximum supported dimension for an ndarray is currently %d, found %d",
                        GPA_MAX_DIMS, ndim);
    int64_t n = 1; /* without extents of 0: NumPy rejects (0, 2**40, 2**40) too */
    bool empty = false, big = false;
    for (int d = 0; d < ndim; d++) {
        if (shape[d] < 0) return gpa_fail(e, GPA_E_VALUE, "negative dimensions are not allowed");
        if (shape[d] == 0)
            empty = true;
        else
            big |= __builtin_mul_overflow(n, shape[d], &n);
    }
    if (big || n > INT64_MAX / (int64_t)itemsize)
        return gpa_fail(e, GPA_E_VALUE,
                        "array is too big; `arr.size * arr.dtype.itemsize` is larger than the "
                        "maximum possible size.");
    if (size) *size = empty ? 0 : n;
    return GPA_OK;
}

bool shape_equal(int na, const int64_t *a, int nb, const int64_t *b) {
    if (na != nb) return false;
    for (int d = 0; d < na; d++)
        if (a[d] != b[d]) return false;
    return true;
}

void shape_c_strides(int ndim, const int64_t *shape, int64_t *strides) {
    int64_t step = 1;
    for (int d = ndim - 1; d >= 0; d--) {
        strides[d] = step;
        if (shape[d] > 1) step *= shape[d];
    }
}

bool shape_is_c(int ndim, const int64_t *shape, const int64_t *strides) {
    int64_t step = 1;
    bool c = true;
    for (int d = ndim - 1; d >= 0; d--) {
        if (shape[d] == 0) return true;
        if (shape[d] > 1 && strides[d] != step) c = false;
        step *= shape[d];
    }
    return c;
}

bool shape_is_f(int ndim, const int64_t *shape, const int64_t *strides) {
    int64_t step = 1;
    bool f = true;
    for (int d = 0; d < ndim; d++) {
        if (shape[d] == 0) return true;
        if (shape[d] > 1 && strides[d] != step) f = false;
        step *= shape[d];
    }
    return f;
}

gpa_code shape_axis(int axis, int ndim, int *out, gpa_err *e) {
    if (axis < -ndim || axis >= ndim)
        return gpa_fail(e, GPA_E_AXIS, "axis %d is out of bounds for array of dimension %d", axis,
                        ndim);
    *out = axis < 0 ? axis + ndim : axis;
    return GPA_OK;
}

/* ---- broadcasting ---- */

bool shape_broadcast(int *ndim, int64_t *shape, int nb, const int64_t *b) {
    int n = *ndim, common = MAX(n, nb);
    if (nb > n) {
        memmove(shape + (nb - n), shape, (size_t)n * sizeof *shape);
        for (int d = 0; d < nb - n; d++) shape[d] = 1;
    }
    *ndim = common;
    for (int d = 0; d < nb; d++) {
        int64_t *s = &shape[common - nb + d];
        if (*s == 1)
            *s = b[d];
        else if (b[d] != 1 && b[d] != *s)
            return false;
    }
    return true;
}

bool shape_broadcast_strides(int ndim, const int64_t *shape, const int64_t *strides, int nto,
                             const int64_t *to, int64_t *out) {
    int lead = nto - ndim;
    if (lead < 0) return false;
    for (int d = 0; d < lead; d++) out[d] = 0;
    for (int d = 0; d < ndim; d++) {
        if (shape[d] == to[lead + d])
            out[lead + d] = strides[d];
        else if (shape[d] == 1)
            out[lead + d] = 0;
        else
            return false;
    }
    return true;
}

gpa_code shape_mismatch(int n, const int *ndims, const int64_t *const *shapes, gpa_err *e) {
    char all[GPA_ERR_TEXT], one[SHAPE_TEXT];
    size_t at = 0;
    for (int i = 0; i < n; i++) {
        shape_text(one, ndims[i], shapes[i]);
        size_t len = strlen(one);
        if (at + len + 2 > sizeof all) break;
        memcpy(all + at, one, len);
        at += len;
        all[at++] = ' ';
    }
    all[at] = 0;
    return gpa_fail(e, GPA_E_VALUE, "operands could not be broadcast together with shapes %s", all);
}

/* ---- reshaping ---- */

gpa_code shape_infer(int64_t size, int ndim, int64_t *shape, gpa_err *e) {
    int64_t known = 1;
    int open = -1;
    bool bad = false;
    for (int d = 0; d < ndim; d++) {
        if (shape[d] < 0) {
            if (open >= 0)
                return gpa_fail(e, GPA_E_VALUE, "can only specify one unknown dimension");
            open = d;
        } else if (__builtin_mul_overflow(known, shape[d], &known))
            bad = true;
    }
    if (!bad && open >= 0 && known > 0 && size % known == 0) {
        shape[open] = size / known;
        return GPA_OK;
    }
    if (!bad && open < 0 && known == size) return GPA_OK;
    char text[SHAPE_TEXT];
    return gpa_fail(e, GPA_E_VALUE, "cannot reshape array of size %lld into shape %s",
                    (long long)size, shape_text(text, ndim, shape));
}

/* Collapses the old layout into blocks of uniform stride, then splits the new dimensions off the
 * blocks, last first. A dimension across two blocks has no single stride. */
bool shape_reshape_strides(int ndim, const int64_t *shape, const int64_t *strides, int nto,
                           const int64_t *to, int64_t *out) {
    int64_t block[GPA_MAX_DIMS], step[GPA_MAX_DIMS], *steps = step;
    if (ndim == 0 || shape_size(ndim, shape) == 0) {
        shape_c_strides(nto, to, out);
        return true;
    }
    memcpy(block, shape, (size_t)ndim * sizeof *shape);
    memcpy(step, strides, (size_t)ndim * sizeof *strides);
    int b = shape_collapse(ndim, block, 1, &steps) - 1;
    int64_t left = b < 0 ? 1 : block[b], s = b < 0 ? 1 : step[b];
    for (int d = nto - 1; d >= 0; d--) {
        if (to[d] > 1 && left == 1 && b > 0) {
            b--;
            left = block[b];
            s = step[b];
        }
        if (left % to[d]) return false;
        out[d] = s;
        left /= to[d];
        s *= to[d];
    }
    return true;
}

int shape_collapse(int ndim, int64_t *shape, int n, int64_t *const *strides) {
    int kept = 0;
    for (int d = 0; d < ndim; d++) {
        if (shape[d] == 1) continue;
        bool joins = kept > 0;
        for (int i = 0; i < n && joins; i++)
            joins = strides[i][kept - 1] == strides[i][d] * shape[d];
        if (joins)
            shape[kept - 1] *= shape[d];
        else
            shape[kept++] = shape[d];
        for (int i = 0; i < n; i++) strides[i][kept - 1] = strides[i][d];
    }
    return kept;
}

/* ---- overlap ---- */

static int64_t saturated_sum(int64_t a, int64_t b) {
    int64_t r;
    return !__builtin_add_overflow(a, b, &r) ? r : b < 0 ? INT64_MIN : INT64_MAX;
}

static int64_t saturated_product(int64_t a, int64_t b) {
    int64_t r;
    return !__builtin_mul_overflow(a, b, &r) ? r : (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
}

void shape_byte_range(const shape_layout *m, int64_t *lo, int64_t *hi) {
    int64_t first = m->offset, last = m->offset;
    for (int d = 0; d < m->ndim; d++) {
        if (m->shape[d] == 0) {
            *lo = *hi = 0;
            return;
        }
        int64_t span = saturated_product(m->shape[d] - 1, m->strides[d]);
        if (span < 0)
            first = saturated_sum(first, span);
        else
            last = saturated_sum(last, span);
    }
    *lo = saturated_product(first, m->item);
    *hi = saturated_product(saturated_sum(last, 1), m->item);
}

/* c * x with 0 <= x <= max. */
typedef struct {
    int64_t c, max;
} overlap_term;

typedef struct {
    overlap_term t[OVERLAP_TERMS];
    int n, steps;
    int64_t rest[OVERLAP_TERMS + 1]; /* the largest sum of terms i and after */
    int64_t gcd[OVERLAP_TERMS + 1];
} overlap_problem;

static void add_term(overlap_problem *q, int64_t c, int64_t max) {
    if (c == 0 || max == 0) return;
    int at = 0;
    while (at < q->n && q->t[at].c > c) at++;
    if (at < q->n && q->t[at].c == c) {
        q->t[at].max += max;
        return;
    }
    memmove(&q->t[at + 1], &q->t[at], (size_t)(q->n - at) * sizeof q->t[0]);
    q->t[at] = (overlap_term){c, max};
    q->n++;
}

/* The terms of a layout, measured from its lowest element. */
static void add_layout(overlap_problem *q, const shape_layout *m, int64_t unit) {
    for (int d = 0; d < m->ndim; d++) {
        int64_t s = m->strides[d] * unit;
        add_term(q, s < 0 ? -s : s, m->shape[d] - 1);
    }
}

static int64_t gcd_of(int64_t a, int64_t b) {
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* 1: terms i and after can sum to `sum`; 0: they cannot; -1: the search was cut off. */
static int solve_overlap(overlap_problem *q, int i, int64_t sum) {
    if (sum == 0) return 1;
    if (i == q->n || sum < 0 || sum > q->rest[i] || sum % q->gcd[i]) return 0;
    if (++q->steps > OVERLAP_STEPS) return -1;
    int64_t c = q->t[i].c, x = MIN(q->t[i].max, sum / c);
    for (; x >= 0 && sum - c * x <= q->rest[i + 1]; x--) {
        int found = solve_overlap(q, i + 1, sum - c * x);
        if (found) return found;
        if (++q->steps > OVERLAP_STEPS) return -1;
    }
    return 0;
}

static bool same_layout(const shape_layout *a, const shape_layout *b) {
    if (a->item != b->item || a->offset != b->offset ||
        !shape_equal(a->ndim, a->shape, b->ndim, b->shape))
        return false;
    for (int d = 0; d < a->ndim; d++)
        if (a->shape[d] > 1 && a->strides[d] != b->strides[d]) return false;
    return shape_is_injective(a->ndim, a->shape, a->strides);
}

shape_overlap_kind shape_overlap(const shape_layout *a, const shape_layout *b) {
    int64_t alo, ahi, blo, bhi;
    shape_byte_range(a, &alo, &ahi);
    shape_byte_range(b, &blo, &bhi);
    if (alo == ahi || blo == bhi || ahi <= blo || bhi <= alo) return OVERLAP_NONE;
    if (same_layout(a, b)) return OVERLAP_SAME;
    /* alo + A = blo + B, where A sums the terms of a and B those of b. Counting b's terms from its
     * highest element makes every sign positive: A + (top - B) = top - (alo - blo). */
    overlap_problem q = {.n = 0};
    bool bytes = a->item != b->item;
    int64_t au = bytes ? a->item : 1, bu = bytes ? b->item : 1, unit = bytes ? 1 : a->item;
    add_layout(&q, a, au);
    add_layout(&q, b, bu);
    if (bytes) add_term(&q, 1, a->item - 1 + b->item - 1);
    for (int i = q.n - 1; i >= 0; i--) {
        q.rest[i] = q.rest[i + 1] + q.t[i].c * q.t[i].max;
        q.gcd[i] = gcd_of(q.t[i].c, q.gcd[i + 1]);
    }
    return solve_overlap(&q, 0, (bhi - alo) / unit - 1) ? OVERLAP_SOME : OVERLAP_NONE;
}

bool shape_is_injective(int ndim, const int64_t *shape, const int64_t *strides) {
    int order[GPA_MAX_DIMS], n = 0;
    int64_t size[GPA_MAX_DIMS];
    for (int d = 0; d < ndim; d++) {
        if (shape[d] == 0) return true;
        if (shape[d] == 1) continue;
        size[d] = strides[d] < 0 ? -strides[d] : strides[d];
        int at = n++;
        for (; at > 0 && size[order[at - 1]] > size[d]; at--) order[at] = order[at - 1];
        order[at] = d;
    }
    /* Sufficient: each stride exceeds the span of all smaller ones. */
    int64_t span = 0;
    for (int i = 0; i < n; i++) {
        if (size[order[i]] <= span) return false;
        span += (shape[order[i]] - 1) * size[order[i]];
    }
    return true;
}
