/* Mixed-radix FFT in host memory.
 *
 * A transform of n = p m points, p the smallest prime factor, is p transforms of m points and m
 * sums of p terms (Cooley and Tukey 1965). All arithmetic is in double; the roots of unity come
 * from a table of n. The iteration space is that of the call, one transformed dimension after the
 * other. Reading order: one row, the rows of a call, the call. */
#include <math.h>

#include "runtime/base/base.h"
#include "runtime/host/host.h"

/* ---- one row ---- */

typedef struct {
    int64_t n;
    gpa_c128 *root;             /* exp(sign 2 pi i k / n), k < n */
    gpa_c128 *in, *out, *terms; /* n each */
    const atomic_bool *stop;
} plan;

static gpa_c128 multiply_complex(gpa_c128 a, gpa_c128 b) {
    return (gpa_c128){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static void plan_free(plan *p) {
    mem_free(p->root);
    mem_free(p->in);
    mem_free(p->out);
    mem_free(p->terms);
}

static gpa_code plan_new(int64_t n, bool inverse, const atomic_bool *stop, plan *p, gpa_err *e) {
    const double angle = (inverse ? 2 : -2) * 3.14159265358979323846 / (double)n;
    size_t bytes = (size_t)n * sizeof(gpa_c128);
    *p = (plan){n, mem_new(bytes), mem_new(bytes), mem_new(bytes), mem_new(bytes), stop};
    if (!p->root || !p->in || !p->out || !p->terms) {
        plan_free(p);
        *p = (plan){0};
        return gpa_no_memory(e);
    }
    for (int64_t k = 0; k < n; k++)
        p->root[k] = (gpa_c128){cos(angle * (double)k), sin(angle * (double)k)};
    return GPA_OK;
}

static int64_t smallest_factor(int64_t n) {
    for (int64_t p = 2; p * p <= n; p++)
        if (n % p == 0) return p;
    return n;
}

/* Decimation in time: transforms the n points in[0], in[step], ... to out[0 .. n - 1], where n step
 * is the row length. */
static void transform_points(const plan *p, const gpa_c128 *in, int64_t step, gpa_c128 *out,
                             int64_t n) {
    if (n == 1) {
        *out = *in;
        return;
    }
    const int64_t radix = smallest_factor(n), m = n / radix;
    for (int64_t r = 0; r < radix; r++)
        transform_points(p, in + r * step, step * radix, out + r * m, m);
    for (int64_t k = 0; k < m && !hostcall_stopped(p->stop); k++) {
        for (int64_t r = 0; r < radix; r++)
            p->terms[r] = multiply_complex(out[r * m + k], p->root[r * k * step]);
        for (int64_t q = 0; q < radix; q++) {
            gpa_c128 sum = p->terms[0];
            int64_t angle = 0; /* of term r: q r / radix of a circle, in n-ths */
            for (int64_t r = 1; r < radix; r++) {
                angle += q * m * step;
                if (angle >= p->n) angle -= p->n;
                gpa_c128 t = multiply_complex(p->terms[r], p->root[angle]);
                sum.re += t.re;
                sum.im += t.im;
            }
            out[q * m + k] = sum;
        }
    }
}

/* ---- the rows of a call ---- */

static gpa_c128 load(const void *p, int64_t i, gpa_dtype t) {
    switch ((int)t) {
        case DT_F32: return (gpa_c128){((const float *)p)[i], 0};
        case DT_F64: return (gpa_c128){((const double *)p)[i], 0};
        case DT_C64: return (gpa_c128){((const gpa_c64 *)p)[i].re, ((const gpa_c64 *)p)[i].im};
    }
    return ((const gpa_c128 *)p)[i];
}

static void store(void *p, int64_t i, gpa_dtype t, gpa_c128 v) {
    if (t == DT_F32) ((float *)p)[i] = (float)v.re;
    if (t == DT_F64) ((double *)p)[i] = v.re;
    if (t == DT_C64) ((gpa_c64 *)p)[i] = (gpa_c64){(float)v.re, (float)v.im};
    if (t == DT_C128) ((gpa_c128 *)p)[i] = v;
}

/* The transforms along one dimension: a row starts at every point of the other dimensions. */
typedef struct {
    const void *in;
    void *out;
    gpa_dtype from, to;
    const int64_t *is, *os; /* strides over the space */
    int64_t n_in, n_out;    /* points read and written of a row */
    bool half;              /* the other points are conjugates of those read */
} row_layout;

static void transform_row(const plan *p, const row_layout *l, int axis, int64_t in_at,
                          int64_t out_at) {
    for (int64_t k = 0; k < l->n_in; k++) p->in[k] = load(l->in, in_at + k * l->is[axis], l->from);
    if (l->half) p->in[0].im = 0;
    for (int64_t k = l->n_in; k < p->n; k++)
        p->in[k] = (gpa_c128){p->in[p->n - k].re, -p->in[p->n - k].im};
    if (l->half && p->n % 2 == 0) p->in[p->n / 2].im = 0;
    transform_points(p, p->in, 1, p->out, p->n);
    if (!dtype_is_complex(l->from)) p->out[0].im = 0;
    if (!dtype_is_complex(l->from) && p->n % 2 == 0) p->out[p->n / 2].im = 0;
    for (int64_t k = 0; k < l->n_out; k++)
        store(l->out, out_at + k * l->os[axis], l->to, p->out[k]);
}

/* Every row along an axis of a space whose other extents are n. */
static gpa_code transform_rows(const plan *p, const row_layout *l, int ndim, const int64_t *n,
                               int axis, gpa_err *e) {
    int64_t at[KIR_MAX_DIMS] = {0}, in = 0, out = 0;
    for (;;) {
        transform_row(p, l, axis, in, out);
        if (hostcall_stopped(p->stop)) return gpa_interrupted(e);
        int d = ndim - 1;
        for (; d >= 0; d--) {
            if (d == axis) continue;
            in += l->is[d];
            out += l->os[d];
            if (++at[d] < n[d]) break;
            in -= l->is[d] * n[d];
            out -= l->os[d] * n[d];
            at[d] = 0;
        }
        if (d < 0) return GPA_OK;
    }
}

/* ---- the call ---- */

gpa_code hostcall_fft(const gpa_libcall *call, const host_operands *x, const atomic_bool *stop,
                      gpa_err *e) {
    const void *in = x->in[0];
    void *out = x->out[0];
    gpa_fft_form form = call->fft.form;
    gpa_dtype complex = call->dtype, real = dtype_info[complex].real;
    int last = call->fft.rank - 1;
    int64_t n[KIR_MAX_DIMS];
    plan p;
    memcpy(n, call->fft.n, sizeof n);
    /* The last dimension goes from in to out, the others in place in out. */
    for (int axis = last; axis >= 0; axis--) {
        bool first = axis == last;
        row_layout l = {
            out,     out,     complex, complex, call->fft.out.stride, call->fft.out.stride,
            n[axis], n[axis], false};
        if (first) {
            l.in = in;
            l.is = call->fft.in.stride;
        }
        if (first && form == FFT_R2C) {
            l.from = real;
            l.n_out = n[axis] / 2 + 1;
        }
        if (first && form == FFT_C2R) {
            l.to = real;
            l.half = true;
            l.n_in = n[axis] / 2 + 1;
        }
        gpa_code rc = plan_new(n[axis], call->fft.inverse, stop, &p, e);
        if (!rc) rc = transform_rows(&p, &l, call->fft.ndim, n, axis, e);
        plan_free(&p);
        if (rc) return rc;
        n[axis] = l.n_out;
    }
    return GPA_OK;
}
