/* Multi-dimensional Fourier transforms as transforms along one axis after the other (fft_axis.h):
 * fft.h. */
#include "runtime/cpu/fft/fft.h"

#include "runtime/base/base.h"
#include "runtime/cpu/fft/fft_axis.h"
#include "runtime/cpu/parallel/memory.h"

/* The call along one axis of an iteration space with extents n: that axis becomes the first. */
static gpa_libcall along(const gpa_libcall *c, int axis, gpa_fft_form form, const int64_t *n,
                         const gpa_binding *in) {
    gpa_libcall one = *c;
    const int64_t *is = in->stride, *os = c->fft.out.stride;
    one.fft.form = form;
    one.fft.rank = 1;
    one.fft.in = *in;
    memcpy(one.fft.n, n, sizeof one.fft.n);
    one.fft.n[0] = n[axis], one.fft.in.stride[0] = is[axis], one.fft.out.stride[0] = os[axis];
    for (int d = axis; d > 0; d--)
        one.fft.n[d] = n[d - 1], one.fft.in.stride[d] = is[d - 1],
        one.fft.out.stride[d] = os[d - 1];
    return one;
}

static char *address(const gpa_binding *b, gpa_dtype t) {
    return b->mem->base + b->offset * (int64_t)dtype_size(t);
}

/* The last axis goes from in to out and is scaled; the others are transformed in place. */
gpa_code fft_run(fft_tables **s, const fft_context *ctx, const gpa_libcall *c, gpa_err *e) {
    const gpa_dtype real = dtype_info[c->dtype].real;
    const int last = c->fft.rank - 1;
    char *in = address(&c->fft.in, c->fft.form == FFT_R2C ? real : c->dtype),
         *out = address(&c->fft.out, c->fft.form == FFT_C2R ? real : c->dtype);
    int64_t n[KIR_MAX_DIMS];
    memcpy(n, c->fft.n, sizeof n);
    gpa_libcall one = along(c, last, c->fft.form, n, &c->fft.in);
    gpa_code rc = fft_axis_run(s, ctx, &one, in, out, e);
    if (c->fft.form == FFT_R2C) n[last] = n[last] / 2 + 1;
    for (int axis = last - 1; axis >= 0 && !rc; axis--) {
        one = along(c, axis, FFT_C2C, n, &c->fft.out);
        one.fft.scaled = false;
        rc = fft_axis_run(s, ctx, &one, out, out, e);
    }
    return rc;
}
