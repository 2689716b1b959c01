/* DCT and DST of arrays, where the device has a library for them. */
#include "runtime/lib/library.h"
#include "runtime/array/device_transfer.h"
#include "runtime/graph/shape.h"
#include "runtime/libcalls.h"
#include "runtime/array/tape.h"

/* Describes a call between two layouts, its memory not yet bound. False when it has more dimensions
 * than a call can have. */
static bool describe_call(const arr_dct_opts *o, const gpa_arr *a, const int64_t *to,
                          gpa_libcall *c) {
    int64_t shape[GPA_MAX_DIMS], is[GPA_MAX_DIMS], os[GPA_MAX_DIMS];
    int others = 0;
    *c = (gpa_libcall){
        .kind = LIB_DCT,
        .dtype = (gpa_dtype)a->dtype,
        .dct = {
            .type = o->type, .dst = o->dst, .orthogonalize = o->orthogonalize, .scale = o->scale}};
    for (int d = 0; d < a->ndim; d++) {
        if (d == o->axis) continue;
        shape[others] = a->shape[d];
        is[others] = a->strides[d];
        os[others++] = to[d];
    }
    others = shape_collapse(others, shape, 2, (int64_t *[]){is, os});
    if (others + 1 > KIR_MAX_DIMS) return false;
    c->dct.ndim = others + 1;
    c->dct.n[0] = a->shape[o->axis];
    c->dct.in.stride[0] = a->strides[o->axis];
    c->dct.out.stride[0] = to[o->axis];
    memcpy(c->dct.n + 1, shape, (size_t)others * sizeof *shape);
    memcpy(c->dct.in.stride + 1, is, (size_t)others * sizeof *is);
    memcpy(c->dct.out.stride + 1, os, (size_t)others * sizeof *os);
    return true;
}

gpa_code arr_dct(gpa_rt *rt, gpa_arr *a, const arr_dct_opts *o, gpa_arr **out, gpa_err *e) {
    enum { IN, OUT };
    library_arrays arrays = {.x = {arr_retain(a)}};
    gpa_libcall c;
    gpa_device *d;
    int64_t strides[GPA_MAX_DIMS];
    device_scope at = device_scope_enter(rt, &a, 1);
    gpa_code rc = GPA_OK;
    *out = NULL;
    if (tape_is_on(rt) && tape_is_active(rt, a))
        goto out; /* by Fourier transforms, which have a rule */
    shape_c_strides(a->ndim, a->shape, strides);
    TRY(arr_find_device(rt, a, &d, e));
    if (!a->size || !describe_call(o, a, strides, &c) || !library_can(d, &c)) goto out;
    TRY(arr_force(rt, a, CUT_LIBRARY, e));
    if (a->storage->buf->device != d) goto out;
    describe_call(o, a, strides, &c); /* the strides of a pending operand are known only now */
    if (!library_can(d, &c)) goto out;
    TRY(library_call(rt, d, &c, &arrays, e));
    *out = library_take(&arrays, OUT);
out:
    library_release(rt, &arrays);
    device_scope_leave(rt, at);
    return rc;
}
