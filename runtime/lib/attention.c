/* Attention of arrays.
 *
 * The device's library computes it in one call (flash attention); a device without one, by blocks
 * of queries: products, an elementwise softmax that fuses, and a product, so that memory stays
 * linear in the number of keys. Reading order: shapes, the library, blocks, attention. */
#include <math.h>

#include "runtime/array/array.h"
#include "runtime/array/device_transfer.h"
#include "runtime/array/tape.h"
#include "runtime/graph/shape.h"
#include "runtime/lib/library.h"
#include "runtime/libcalls.h"
#include "runtime/tables/tuning.h"

/* ---- shapes ---- */

enum { Q, K, V, MASK, OPERANDS };

/* Operands with the common batch shape (owned), and the result's shape. */
typedef struct {
    gpa_arr *x[OPERANDS]; /* MASK: NULL without one */
    int64_t m, n, dk, dv;
    int ndim, batch;             /* of the result; its dimensions before the last two */
    int64_t shape[GPA_MAX_DIMS]; /* batch, m, dv */
} operands;

static void operands_release(gpa_rt *rt, operands *a) {
    for (int i = 0; i < OPERANDS; i++) arr_release(rt, a->x[i]);
}

static gpa_code refuse_shapes(const gpa_arr *const *in, gpa_err *e) {
    char text[3][SHAPE_TEXT];
    for (int i = 0; i < 3; i++) shape_text(text[i], in[i]->ndim, in[i]->shape);
    return gpa_fail(e, GPA_E_VALUE,
                    "attention: shapes of q %s, k %s and v %s do not match (..., m, d), "
                    "(..., n, d), (..., n, e)",
                    text[0], text[1], text[2]);
}

/* Broadcasts operand i to the batch, its core dimensions rows x columns. */
static gpa_code broadcast_operand(gpa_rt *rt, operands *a, int i, int64_t rows, int64_t columns,
                                  gpa_err *e) {
    int64_t shape[GPA_MAX_DIMS];
    gpa_arr *made;
    memcpy(shape, a->shape, (size_t)a->batch * sizeof *shape);
    shape[a->batch] = rows;
    shape[a->batch + 1] = columns;
    gpa_code rc = arr_broadcast_to(rt, a->x[i], a->batch + 2, shape, &made, e);
    if (rc) return rc;
    arr_release(rt, a->x[i]);
    a->x[i] = made;
    return GPA_OK;
}

/* Checks shapes and broadcasts operands that have been cast. */
static gpa_code match_shapes(gpa_rt *rt, operands *a, gpa_err *e) {
    const gpa_arr *const in[] = {a->x[Q], a->x[K], a->x[V]};
    bool fits = true;
    gpa_code rc = GPA_OK;
    for (int i = 0; i < 3; i++) fits = fits && in[i]->ndim >= 2;
    if (!fits) return refuse_shapes(in, e);
    a->m = in[Q]->shape[in[Q]->ndim - 2];
    a->dk = in[Q]->shape[in[Q]->ndim - 1];
    a->n = in[K]->shape[in[K]->ndim - 2];
    a->dv = in[V]->shape[in[V]->ndim - 1];
    fits = in[K]->shape[in[K]->ndim - 1] == a->dk && in[V]->shape[in[V]->ndim - 2] == a->n;
    for (int i = 0; i < 3 && fits; i++)
        fits = shape_broadcast(&a->batch, a->shape, in[i]->ndim - 2, in[i]->shape);
    if (!fits) return refuse_shapes(in, e);
    if (a->x[MASK]) {
        const gpa_arr *mask = a->x[MASK];
        const int64_t *last = mask->shape + mask->ndim;
        if ((mask->ndim > 0 && last[-1] != 1 && last[-1] != a->n) ||
            (mask->ndim > 1 && last[-2] != 1 && last[-2] != a->m) ||
            !shape_broadcast(&a->batch, a->shape, mask->ndim > 2 ? mask->ndim - 2 : 0,
                             mask->shape)) {
            char text[SHAPE_TEXT];
            return gpa_fail(e, GPA_E_VALUE,
                            "attention: a mask of shape %s does not broadcast with scores of shape "
                            "(..., %lld, %lld)",
                            shape_text(text, mask->ndim, mask->shape), (long long)a->m,
                            (long long)a->n);
        }
    }
    if (!a->n)
        return gpa_fail(e, GPA_E_VALUE,
                        "zero-size array to reduction operation maximum which has no identity");
    a->ndim = a->batch + 2;
    TRY(broadcast_operand(rt, a, Q, a->m, a->dk, e));
    TRY(broadcast_operand(rt, a, K, a->n, a->dk, e));
    TRY(broadcast_operand(rt, a, V, a->n, a->dv, e));
    if (a->x[MASK]) TRY(broadcast_operand(rt, a, MASK, a->m, a->n, e));
    a->shape[a->batch] = a->m;
    a->shape[a->batch + 1] = a->dv;
    TRY(shape_check(a->ndim, a->shape, dtype_size((gpa_dtype)a->x[Q]->dtype), NULL, e));
out:
    return rc;
}

/* ---- the library ---- */

static gpa_binding *binding_of(gpa_libcall *c, int i) {
    gpa_binding *const all[] = {&c->attention.q, &c->attention.k, &c->attention.v,
                                &c->attention.mask};
    return all[i];
}

/* Describes the call for operands whose strides are known; false if the batch has too many
 * dimensions. */
static bool describe_call(const operands *a, const arr_attention_opts *o, gpa_libcall *c) {
    int64_t shape[GPA_MAX_DIMS], strides[OPERANDS][GPA_MAX_DIMS] = {{0}};
    int64_t *const all[] = {strides[Q], strides[K], strides[V], strides[MASK]};
    *c = (gpa_libcall){.kind = LIB_ATTENTION,
                       .dtype = (gpa_dtype)a->x[Q]->dtype,
                       .attention = {.m = a->m,
                                     .n = a->n,
                                     .dk = a->dk,
                                     .dv = a->dv,
                                     .scale = o->scale,
                                     .causal = o->causal,
                                     .diagonal = o->diagonal}};
    if (a->x[MASK])
        c->attention.mask_form = a->x[MASK]->dtype == DT_BOOL ? ATTENTION_SELECT : ATTENTION_ADD;
    memcpy(shape, a->shape, (size_t)a->batch * sizeof *shape);
    for (int i = 0; i < OPERANDS; i++)
        if (a->x[i]) memcpy(strides[i], a->x[i]->strides, (size_t)a->batch * sizeof *strides[i]);
    const int n = shape_collapse(a->batch, shape, OPERANDS, all);
    if (n > ATTENTION_BATCH_DIMS) return false;
    c->attention.n_batch = n;
    memcpy(c->attention.extent, shape, (size_t)n * sizeof *shape);
    for (int i = 0; i < OPERANDS; i++) {
        if (!a->x[i]) continue;
        gpa_binding *b = binding_of(c, i);
        int64_t *to = b->stride;
        b->mem = a->x[i]->storage->buf->mem;
        b->offset = a->x[i]->offset;
        memcpy(to, strides[i], (size_t)n * sizeof *to);
        to[n] = a->x[i]->strides[a->batch];
        to[n + 1] = a->x[i]->strides[a->batch + 1];
    }
    return true;
}

/* The same for contiguous operands. */
static void describe_contiguous(const operands *a, gpa_libcall *c) {
    c->attention.n_batch = 1;
    c->attention.extent[0] = shape_size(a->batch, a->shape);
    for (int i = 0; i < OPERANDS; i++) {
        if (!a->x[i]) continue;
        const int64_t *last = a->x[i]->shape + a->batch;
        int64_t *to = binding_of(c, i)->stride;
        to[0] = last[0] * last[1];
        to[1] = last[1];
        to[2] = 1;
        binding_of(c, i)->offset = 0;
    }
}

/* Replaces q, k and v by contiguous copies, of their own elements where they are broadcast. */
static gpa_code make_contiguous(gpa_rt *rt, operands *a, gpa_err *e) {
    gpa_code rc = GPA_OK;
    for (int i = Q; i <= V && !rc; i++) {
        gpa_arr *own = NULL, *copy = NULL, *x = a->x[i];
        int64_t shape[GPA_MAX_DIMS];
        for (int d = 0; d < x->ndim; d++) shape[d] = x->strides[d] || !x->size ? x->shape[d] : 1;
        rc = arr_view(rt, x, &(arr_layout){(gpa_dtype)x->dtype, x->ndim, shape, x->strides, 0},
                      &own, e);
        if (!rc) rc = library_copy(rt, own, (gpa_dtype)x->dtype, false, &copy, e);
        if (!rc) {
            gpa_arr *whole;
            rc = arr_broadcast_to(rt, copy, x->ndim, x->shape, &whole, e);
            if (!rc) {
                arr_release(rt, a->x[i]);
                a->x[i] = whole;
            }
        }
        arr_release(rt, own);
        arr_release(rt, copy);
    }
    return rc;
}

/* By the device's library, or where memory is the host's, by the host. *out NULL: neither. */
static gpa_code by_library(gpa_rt *rt, gpa_device *d, operands *a, const arr_attention_opts *o,
                           gpa_arr **out, gpa_err *e) {
    enum { OUT = OPERANDS };
    library_arrays arrays = {.ndim = a->ndim, .shape = a->shape};
    gpa_libcall c;
    gpa_code rc = GPA_OK;
    *out = NULL;
    TRY(arr_eval(rt, a->x, a->x[MASK] ? OPERANDS : MASK, e));
    for (int i = 0; i < OPERANDS; i++)
        if (a->x[i]) TRY(arr_bring_to_device(rt, d, &a->x[i], e));
    bool fits = describe_call(a, o, &c);
    if (!fits || !library_can(d, &c)) {
        const gpa_libcall given = c;
        for (int i = Q; fits && i <= V; i++) { /* would it do with contiguous rows? */
            binding_of(&c, i)->stride[c.attention.n_batch] = i == V ? a->dv : a->dk;
            binding_of(&c, i)->stride[c.attention.n_batch + 1] = 1;
        }
        if (!fits || library_can(d, &c)) {
            TRY(make_contiguous(rt, a, e));
            fits = describe_call(a, o, &c);
        } else {
            c = given;
        }
    }
    if (!fits) goto out;
    if (!library_can(d, &c)) {
        if (!d->caps.host_visible) goto out;
        describe_contiguous(a, &c);
    }
    for (int i = 0; i < OPERANDS; i++)
        if (a->x[i]) arrays.x[i] = arr_retain(a->x[i]);
    TRY(library_call(rt, d, &c, &arrays, e));
    *out = library_take(&arrays, OUT);
out:
    library_release(rt, &arrays);
    return rc;
}

/* ---- blocks ---- */

static gpa_opnd number(double x) {
    return (gpa_opnd){.weak = WEAK_FLOAT, .dtype = DT_F64, .v = {.F64 = x}};
}

/* *a = op(*a, b), or op(*a). */
static gpa_code apply(gpa_rt *rt, gpa_op op, gpa_arr **a, gpa_opnd b, gpa_err *e) {
    gpa_arr *made;
    gpa_code rc = arr_ufunc(rt, op, (gpa_opnd[]){{.arr = *a}, b}, NULL, &made, e);
    if (rc) return rc;
    arr_release(rt, *a);
    *a = made;
    return GPA_OK;
}

/* The indices [first, first + count) along an axis. */
typedef struct {
    int axis;
    int64_t first, count;
} axis_range;

/* A view of a range of x. */
static gpa_code slice(gpa_rt *rt, gpa_arr *x, axis_range r, gpa_arr **out, gpa_err *e) {
    int64_t shape[GPA_MAX_DIMS];
    memcpy(shape, x->shape, (size_t)x->ndim * sizeof *shape);
    shape[r.axis] = r.count;
    return arr_view(rt, x,
                    &(arr_layout){(gpa_dtype)x->dtype, x->ndim, shape, x->strides,
                                  r.first * x->strides[r.axis]},
                    out, e);
}

/* The bool (rows, keys) matrix j <= row + i + diagonal. */
static gpa_code causal_mask(gpa_rt *rt, int64_t row, int64_t rows, int64_t keys, gpa_arr **out,
                            gpa_err *e) {
    gpa_arr *i = NULL, *j = NULL, *column = NULL;
    gpa_code rc = GPA_OK;
    TRY(arr_iota(rt, rows, row, 1, &i, e));
    TRY(arr_iota(rt, keys, 0, 1, &j, e));
    TRY(arr_reshape(rt, i, 2, (int64_t[]){rows, 1}, &column, e));
    rc = arr_ufunc(rt, OP_LESS_EQUAL, (gpa_opnd[]){{.arr = j}, {.arr = column}}, NULL, out, e);
out:
    arr_release(rt, i);
    arr_release(rt, j);
    arr_release(rt, column);
    return rc;
}

/* *scores where `visible`, else -infinity. */
static gpa_code hide(gpa_rt *rt, gpa_arr **scores, gpa_arr *visible, gpa_err *e) {
    gpa_arr *made;
    gpa_code rc = arr_ufunc(
        rt, OP_WHERE, (gpa_opnd[]){{.arr = visible}, {.arr = *scores}, number(-(double)INFINITY)},
        NULL, &made, e);
    if (rc) return rc;
    arr_release(rt, *scores);
    *scores = made;
    return GPA_OK;
}

/* A block of scores: those of `rows` queries from `row` on with the first `keys` keys. */
typedef struct {
    int64_t row, rows, keys;
} score_block;

/* The scores of a block, masked. */
static gpa_code block_scores(gpa_rt *rt, const operands *a, const arr_attention_opts *o,
                             const score_block *b, gpa_arr **out, gpa_err *e) {
    const axis_range queries = {a->batch, b->row, b->rows};
    gpa_arr *q = NULL, *k = NULL, *kt = NULL, *scores = NULL, *mask = NULL, *part = NULL;
    int perm[GPA_MAX_DIMS];
    gpa_code rc = GPA_OK;
    for (int d = 0; d < a->ndim; d++) perm[d] = d < a->batch ? d : 2 * a->batch + 1 - d;
    TRY(slice(rt, a->x[Q], queries, &q, e));
    TRY(slice(rt, a->x[K], (axis_range){a->batch, 0, b->keys}, &k, e));
    TRY(arr_transpose(rt, k, perm, &kt, e));
    TRY(arr_matmul(rt, &(gpa_opnd){.arr = q}, &(gpa_opnd){.arr = kt}, &scores, e));
    TRY(apply(rt, OP_MULTIPLY, &scores, number(o->scale), e));
    if (a->x[MASK]) {
        TRY(slice(rt, a->x[MASK], queries, &part, e));
        TRY(slice(rt, part, (axis_range){a->batch + 1, 0, b->keys}, &mask, e));
        if (mask->dtype == DT_BOOL)
            TRY(hide(rt, &scores, mask, e));
        else
            TRY(apply(rt, OP_ADD, &scores, (gpa_opnd){.arr = mask}, e));
        arr_release(rt, mask);
        mask = NULL;
    }
    if (o->causal && b->row + o->diagonal + 1 < b->keys) {
        TRY(causal_mask(rt, b->row + o->diagonal, b->rows, b->keys, &mask, e));
        TRY(hide(rt, &scores, mask, e));
    }
    *out = scores;
    scores = NULL;
out:
    arr_release(rt, q);
    arr_release(rt, k);
    arr_release(rt, kt);
    arr_release(rt, part);
    arr_release(rt, mask);
    arr_release(rt, scores);
    return rc;
}

/* softmax(scores) @ v for a block of queries. Takes the scores, so that they are not stored. */
static gpa_code attend_block_take(gpa_rt *rt, const operands *a, gpa_arr *scores, int64_t keys,
                                  gpa_arr **out, gpa_err *e) {
    const arr_reduce_opts last = {
        .axes = gpa_axis(a->ndim - 1), .keepdims = true, .dtype = DT_NONE};
    gpa_arr *most = NULL, *p = scores, *sum = NULL, *v = NULL;
    gpa_code rc = GPA_OK;
    TRY(arr_reduce(rt, RED_MAX, p, &last, &most, e));
    TRY(apply(rt, OP_SUBTRACT, &p, (gpa_opnd){.arr = most}, e));
    TRY(apply(rt, OP_EXP, &p, (gpa_opnd){0}, e));
    TRY(arr_reduce(rt, RED_SUM, p, &last, &sum, e));
    TRY(apply(rt, OP_DIVIDE, &p, (gpa_opnd){.arr = sum}, e));
    TRY(slice(rt, a->x[V], (axis_range){a->batch, 0, keys}, &v, e));
    TRY(arr_matmul(rt, &(gpa_opnd){.arr = p}, &(gpa_opnd){.arr = v}, out, e));
out:
    arr_release(rt, most);
    arr_release(rt, p);
    arr_release(rt, sum);
    arr_release(rt, v);
    return rc;
}

/* Computes blocks of queries whose scores take at most TUNE_ATTENTION_BLOCK_BYTES. */
static gpa_code by_blocks(gpa_rt *rt, operands *a, const arr_attention_opts *o, gpa_arr **out,
                          gpa_err *e) {
    const gpa_dtype t = (gpa_dtype)a->x[Q]->dtype;
    const double row_bytes =
        (double)shape_size(a->batch, a->shape) * (double)a->n * (double)dtype_size(t);
    const int64_t block = MAX(1, (int64_t)((double)TUNE_ATTENTION_BLOCK_BYTES / row_bytes));
    gpa_arr *made = NULL, *scores = NULL, *part = NULL, *to = NULL;
    gpa_code rc = GPA_OK;
    TRY(arr_full(rt, &(arr_spec){t, a->ndim, a->shape},
                 dtype_cast((gpa_val){.F64 = NAN}, DT_F64, t), &made, e));
    for (int64_t row = 0; row < a->m; row += block) {
        const int64_t rows = MIN(block, a->m - row),
                      keys = o->causal ? MIN(a->n, row + rows + o->diagonal) : a->n;
        if (keys <= 0) continue; /* no query sees a key */
        TRY(block_scores(rt, a, o, &(score_block){row, rows, keys}, &scores, e));
        rc = attend_block_take(rt, a, scores, keys, &part, e);
        scores = NULL;
        if (rc) goto out;
        TRY(slice(rt, made, (axis_range){a->batch, row, rows}, &to, e));
        TRY(arr_set(rt, to, NULL, &(gpa_opnd){.arr = part}, e));
        arr_release(rt, part);
        arr_release(rt, to);
        part = to = NULL;
    }
    *out = made;
    made = NULL;
out:
    arr_release(rt, made);
    arr_release(rt, scores);
    arr_release(rt, part);
    arr_release(rt, to);
    return rc;
}

/* ---- attention ---- */

/* Replaces *x by its elements in dtype t. */
static gpa_code cast(gpa_rt *rt, gpa_arr **x, gpa_dtype t, gpa_err *e) {
    gpa_arr *made;
    if (!*x || (*x)->dtype == t) return GPA_OK;
    gpa_code rc = arr_cast_order_k(rt, *x, t, false, &made, e);
    if (rc) return rc;
    arr_release(rt, *x);
    *x = made;
    return GPA_OK;
}

static gpa_code result_dtype(gpa_arr *q, gpa_arr *k, gpa_arr *v, gpa_dtype *t, gpa_err *e) {
    gpa_code rc = arr_result_type((gpa_opnd[]){{.arr = q}, {.arr = k}, {.arr = v}}, 3, t, e);
    if (rc) return rc;
    if (dtype_is_complex(*t))
        return gpa_fail(e, GPA_E_TYPE, "attention: complex arrays have no softmax");
    if (!dtype_is_float(*t)) *t = DT_F64;
    return GPA_OK;
}

static gpa_code attention(gpa_rt *rt, gpa_arr *const *in, const arr_attention_opts *o,
                          gpa_arr **out, gpa_err *e) {
    operands a = {.x = {arr_retain(in[Q]), arr_retain(in[K]), arr_retain(in[V])}};
    gpa_arr *made = NULL;
    gpa_device *d;
    gpa_dtype t;
    gpa_code rc = GPA_OK;
    if (in[MASK]) a.x[MASK] = arr_retain(in[MASK]);
    TRY(result_dtype(in[Q], in[K], in[V], &t, e));
    TRY(device_default(rt, &d, e));
    const gpa_dtype wide = dtype_info[t].compute;
    if (a.x[MASK] && dtype_is_complex((gpa_dtype)a.x[MASK]->dtype))
        TRY(gpa_fail(e, GPA_E_TYPE, "attention: a complex mask"));
    if (a.x[MASK] && a.x[MASK]->dtype != DT_BOOL) TRY(cast(rt, &a.x[MASK], wide, e));
    for (int i = Q; i <= V; i++) TRY(cast(rt, &a.x[i], d->caps.host_visible ? wide : t, e));
    TRY(match_shapes(rt, &a, e));
    if (!shape_size(a.ndim, a.shape)) {
        TRY(arr_empty(rt, &(arr_spec){t, a.ndim, a.shape}, out, e));
        goto out;
    }
    TRY(by_library(rt, d, &a, o, &made, e));
    if (!made) {
        for (int i = Q; i <= V; i++) TRY(cast(rt, &a.x[i], wide, e));
        TRY(by_blocks(rt, &a, o, &made, e));
    }
    TRY(cast(rt, &made, t, e));
    *out = made;
    made = NULL;
out:
    operands_release(rt, &a);
    arr_release(rt, made);
    return rc;
}

gpa_code arr_attention(gpa_rt *rt, const arr_attention_operands *x, const arr_attention_opts *o,
                       gpa_arr **out, gpa_err *e) {
    gpa_arr *in[] = {x->q, x->k, x->v, x->mask};
    const int n = x->mask ? OPERANDS : MASK;
    device_scope p = device_scope_enter(rt, in, n);
    const bool on = tape_enter(rt);
    gpa_code rc = attention(rt, in, o, out, e);
    tape_leave(rt, on);
    device_scope_leave(rt, p);
    if (rc || !on) return rc;
    rc = tape_note(
        rt,
        &(tape_entry){
            .rule = "attention",
            .in = (gpa_opnd[]){{.arr = x->q}, {.arr = x->k}, {.arr = x->v}, {.arr = x->mask}},
            .out = out,
            .n_in = n,
            .n_out = 1,
            .ints = (int64_t[]){o->causal, o->diagonal, rt->precision},
            .n_ints = 3,
            .scale = o->scale,
            .keep_in = 15},
        e);
    if (rc) arr_release(rt, *out);
    return rc;
}
