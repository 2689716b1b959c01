/* Products of sparse matrices with dense arrays. */
#include "runtime/explain.h"
#include "runtime/host.h"
#include "runtime/hostcall.h"
#include "runtime/library.h"
#include "runtime/place.h"

/* The operands, in the order of the call's bindings, and the result. */
enum { START, COLUMN, AT, X, OPERANDS };

static gpa_code on_host(gpa_rt *rt, const gpa_libcall *c, gpa_arr *const *in, const int64_t *shape, int ndim, gpa_arr **out, gpa_err *e) {
    host_dense h[OPERANDS] = {{0}};
    host_new_array y = {0};
    gpa_code rc = GPA_OK;
    for (int i = 0; i < OPERANDS; i++) TRY(host_get(rt, in[i], &h[i], e));
    TRY(host_new(rt, c->dtype, ndim, shape, &y, e));
    rc = hostcall_sparse(c, (const int32_t *)(const void *)h[START].data, (const int32_t *)(const void *)h[COLUMN].data, h[AT].data, h[X].data, y.data,
                         &rt->interrupted, e);
    if (rc) host_unmade(rt, &y);
    else TRY(host_made(rt, &y, out, e));
out:
    for (int i = 0; i < OPERANDS; i++) host_drop(rt, &h[i]);
    return rc;
}

static void bind(gpa_binding *b, const gpa_arr *a) { *b = (gpa_binding){.mem = a->storage->buf->mem, .offset = a->offset}; }

gpa_code arr_sparse(gpa_rt *rt, gpa_arr *start, gpa_arr *column, gpa_arr *at, gpa_arr *x, gpa_arr **out, gpa_err *e) {
    gpa_arr *given[OPERANDS] = {start, column, at, x}, *in[OPERANDS] = {NULL}, *y = NULL;
    gpa_dtype t = dtype_promote((gpa_dtype)at->dtype, (gpa_dtype)x->dtype);
    int64_t shape[2] = {start->size - 1, x->ndim > 1 ? x->shape[1] : 1};
    gpa_libcall c = {.kind = LIB_SPARSE, .dtype = t, .sparse = {.m = shape[0], .n = x->shape[0], .k = shape[1], .count = column->size}};
    place_stay stay = place_enter(rt, &at, 1); /* work is done where the elements are */
    gpa_code rc = GPA_OK;
    for (int i = 0; i < OPERANDS; i++) {
        gpa_arr *cast = NULL;
        TRY(arr_cast(rt, given[i], i < AT ? DT_I32 : t, false, &cast, e));
        if (arr_is_contiguous(cast)) in[i] = arr_retain(cast);
        else rc = arr_copy(rt, cast, &in[i], e);
        arr_release(rt, cast);
        if (rc) goto out;
    }
    if (!shape[0] || !shape[1] || !c.sparse.count) {
        TRY(arr_full(rt, t, x->ndim, shape, (gpa_val){.bits = {0, 0}}, out, e));
        goto out;
    }
    TRY(arr_eval(rt, in, OPERANDS, e));
    gpa_device *d = in[AT]->storage->buf->device;
    for (int i = 0; i < OPERANDS; i++) TRY(place_bring(rt, d, &in[i], e));
    if (library_can(d, &c)) {
        TRY(arr_empty(rt, t, x->ndim, shape, &y, e));
        bind(&c.sparse.start, in[START]);
        bind(&c.sparse.column, in[COLUMN]);
        bind(&c.sparse.at, in[AT]);
        bind(&c.sparse.x, in[X]);
        bind(&c.sparse.y, y);
        TRY(library_run(rt, d, &c, e));
        explain_call(rt, library_names[LIB_SPARSE], d, y);
        *out = arr_retain(y);
        goto out;
    }
    TRY(on_host(rt, &c, in, shape, x->ndim, out, e));
    explain_call(rt, library_names[LIB_SPARSE], NULL, *out);
out:
    for (int i = 0; i < OPERANDS; i++) arr_release(rt, in[i]);
    arr_release(rt, y);
    place_leave(rt, stay);
    return rc;
}
