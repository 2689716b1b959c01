/* Matrix products of arrays (matmul).
 *
 * Operands are computed first; the library of the device runs the call where it supports it,
 * else the host. Products that are better as reductions are these, and fuse. Reading order: the
 * stacks of matrices, calls, tensor cores, reductions, matmul. */
#include <stdio.h>

#include "runtime/exec/device.h"
#include "runtime/exec/precision.h"
#include "runtime/array/diagonal.h"
#include "runtime/array/tape.h"
#include "runtime/exec/explain.h"
#include "runtime/array/host_view.h"
#include "runtime/array/device_transfer.h"
#include "runtime/host/host.h"
#include "runtime/lib/attention_match.h"
#include "runtime/lib/library.h"
#include "runtime/exec/buffer.h"
#include "runtime/exec/storage.h"
#include "runtime/graph/shape.h"
#include "runtime/libcalls.h"
#include "runtime/tables/tuning.h"

/* ---- the stacks of matrices ---- */

#define SIGNATURE "(n?,k),(k,m?)->(n?,m?)"

/* A batched product: vectors have become matrices of one row or column. */
typedef struct {
    gpa_arr *a, *b; /* in the dtype of the result (owned) */
    int64_t m, n, k;
    int64_t as[2], bs[2];                               /* row and column strides */
    int stack;                                          /* dimensions of the stack */
    int64_t shape[GPA_MAX_DIMS];                        /* of the stack */
    int64_t a_step[GPA_MAX_DIMS], b_step[GPA_MAX_DIMS]; /* strides over the stack */
    int ndim;                                           /* of the result */
    int64_t result[GPA_MAX_DIMS];
} stacks;

static gpa_code refuse_number(const gpa_opnd *o, int which, gpa_err *e) {
    if (o->arr && o->arr->ndim) return GPA_OK;
    return gpa_fail(e, GPA_E_VALUE,
                    "matmul: Input operand %d does not have enough dimensions (has 0, gufunc core "
                    "with signature " SIGNATURE " requires 1)",
                    which);
}

static gpa_code stack_mismatch(int na, const int64_t *sa, int nb, const int64_t *sb,
                               const stacks *s, gpa_err *e) {
    char text[2][SHAPE_TEXT], core[2][SHAPE_TEXT], want[SHAPE_TEXT];
    int64_t open[GPA_MAX_DIMS];
    const int64_t *in[2] = {sa, sb};
    int n[2] = {na, nb};
    for (int i = 0; i < 2; i++) {
        for (int d = 0; d < n[i]; d++) open[d] = d < n[i] - 2 ? in[i][d] : -1;
        shape_text(text[i], n[i], in[i]);
        shape_text(core[i], n[i], open);
    }
    return gpa_fail(e, GPA_E_VALUE,
                    "operands could not be broadcast together with remapped shapes "
                    "[original->remapped]: %s->%s %s->%s  and "
                    "requested shape %s",
                    text[0], core[0], text[1], core[1],
                    shape_text(want, 2, (int64_t[]){s->m, s->n}));
}

/* One matrix b for the last dimensions of the stack, over which the rows of a continue: one product
 * of all these rows instead of a batch. */
static void join_rows(stacks *s) {
    for (; s->stack; s->stack--) {
        const int d = s->stack - 1;
        if (s->b_step[d] || (s->m != 1 && s->a_step[d] != s->m * s->as[0])) return;
        if (s->m == 1) s->as[0] = s->a_step[d];
        s->m *= s->shape[d];
    }
}

/* Shapes and strides of a @ b. */
static gpa_code plan_product(const gpa_arr *a, const gpa_arr *b, stacks *s, gpa_err *e) {
    int na = a->ndim, nb = b->ndim;
    bool row = na == 1, column = nb == 1;
    s->m = row ? 1 : a->shape[na - 2];
    s->k = a->shape[na - 1];
    s->n = column ? 1 : b->shape[nb - 1];
    int64_t rows = column ? b->shape[0] : b->shape[nb - 2];
    if (rows != s->k)
        return gpa_fail(e, GPA_E_VALUE,
                        "matmul: Input operand 1 has a mismatch in its core dimension 0, with "
                        "gufunc signature " SIGNATURE " (size %lld is different from %lld)",
                        (long long)rows, (long long)s->k);
    int a_stack = row ? 0 : na - 2, b_stack = column ? 0 : nb - 2;
    s->stack = 0;
    if (!shape_broadcast(&s->stack, s->shape, a_stack, a->shape) ||
        !shape_broadcast(&s->stack, s->shape, b_stack, b->shape))
        return stack_mismatch(na, a->shape, nb, b->shape, s, e);
    shape_broadcast_strides(a_stack, a->shape, a->strides, s->stack, s->shape, s->a_step);
    shape_broadcast_strides(b_stack, b->shape, b->strides, s->stack, s->shape, s->b_step);
    s->as[0] = row ? s->k : a->strides[na - 2];
    s->as[1] = a->strides[na - 1];
    s->bs[0] = column ? b->strides[0] : b->strides[nb - 2];
    s->bs[1] = column ? 1 : b->strides[nb - 1];
    s->ndim = s->stack;
    memcpy(s->result, s->shape, (size_t)s->stack * sizeof *s->shape);
    if (!row) s->result[s->ndim++] = s->m;
    if (!column) s->result[s->ndim++] = s->n;
    join_rows(s);
    return shape_check(s->ndim, s->result, 1, NULL, e);
}

/* The call for the last dimension of a collapsed stack, its operands not yet bound. */
static gpa_libcall product_call(const stacks *s, gpa_dtype t) {
    gpa_libcall c = {
        .kind = LIB_GEMM, .dtype = t, .gemm = {.batch = 1, .m = s->m, .n = s->n, .k = s->k}};
    c.gemm.a.stride[1] = s->as[0];
    c.gemm.a.stride[2] = s->as[1];
    c.gemm.b.stride[1] = s->bs[0];
    c.gemm.b.stride[2] = s->bs[1];
    c.gemm.c.stride[0] = s->m * s->n;
    c.gemm.c.stride[1] = s->n;
    c.gemm.c.stride[2] = 1;
    return c;
}

/* ---- calls ---- */

/* Target of products: a device, or host memory. */
typedef struct {
    gpa_rt *rt;
    gpa_device *d; /* NULL: the host */
    const char *a, *b;
    char *c;
} target;

static gpa_code one_call(target *p, const gpa_libcall *c, gpa_err *e) {
    return p->d ? library_run(p->rt, p->d, c, e)
                : hostcall_run(c, &(host_operands){.in = {p->a, p->b}, .out = {p->c}},
                               &p->rt->interrupted, e);
}

/* Makes the longest of n dimensions the last one. */
static void put_longest_last(int n, int64_t *shape, int64_t *const *strides, int n_strides) {
    int best = n - 1;
    for (int d = 0; d < n; d++)
        if (shape[d] > shape[best]) best = d;
    for (int i = -1; i < n_strides; i++) {
        int64_t *x = i < 0 ? shape : strides[i], last = x[n - 1];
        x[n - 1] = x[best];
        x[best] = last;
    }
}

/* Computes every product of the stack: one call per index of its outer dimensions, after
 * collapsing. On a GPU, where a call costs more than a stride of C, its longest dimension is the
 * batch of the calls. */
static gpa_code walk_stack(target *p, const stacks *s, gpa_libcall c, gpa_err *e) {
    int64_t shape[GPA_MAX_DIMS], as[GPA_MAX_DIMS], bs[GPA_MAX_DIMS], cs[GPA_MAX_DIMS],
        at[GPA_MAX_DIMS] = {0}, *const strides[] = {as, bs, cs};
    memcpy(shape, s->shape, sizeof shape);
    memcpy(as, s->a_step, sizeof as);
    memcpy(bs, s->b_step, sizeof bs);
    shape_c_strides(s->stack, s->shape, cs);
    for (int d = 0; d < s->stack; d++) cs[d] *= s->m * s->n;
    int outer = shape_collapse(s->stack, shape, 3, strides);
    if (outer > 1 && p->d && !p->d->caps.host_visible) put_longest_last(outer, shape, strides, 3);
    if (outer) {
        outer--;
        c.gemm.batch = shape[outer];
        c.gemm.a.stride[0] = as[outer];
        c.gemm.b.stride[0] = bs[outer];
        c.gemm.c.stride[0] = cs[outer];
    }
    for (;;) {
        gpa_code rc = one_call(p, &c, e);
        if (rc) return rc;
        int d = outer - 1;
        for (; d >= 0; d--) {
            c.gemm.a.offset += as[d];
            c.gemm.b.offset += bs[d];
            c.gemm.c.offset += cs[d];
            if (++at[d] < shape[d]) break;
            c.gemm.a.offset -= as[d] * shape[d];
            c.gemm.b.offset -= bs[d] * shape[d];
            c.gemm.c.offset -= cs[d] * shape[d];
            at[d] = 0;
        }
        if (d < 0) return GPA_OK;
    }
}

/* Computes the product into a new array, or adds it to one. */
static gpa_code product_into(gpa_rt *rt, gpa_device *d, const stacks *s, gpa_libcall c,
                             gpa_arr *out, gpa_err *e) {
    c.gemm.a.mem = s->a->storage->buf->mem;
    c.gemm.a.offset = s->a->offset;
    c.gemm.b.mem = s->b->storage->buf->mem;
    c.gemm.b.offset = s->b->offset;
    c.gemm.c.mem = out->storage->buf->mem;
    return walk_stack(&(target){.rt = rt, .d = d}, s, c, e);
}

static gpa_code product_on_device(gpa_rt *rt, gpa_device *d, const stacks *s, gpa_libcall c,
                                  gpa_arr **out, gpa_err *e) {
    const gpa_dtype t = c.gemm.widen ? dtype_info[c.dtype].compute : c.dtype;
    gpa_arr *made;
    gpa_code rc = arr_empty(rt, &(arr_spec){t, s->ndim, s->result}, &made, e);
    if (rc) return rc;
    rc = product_into(rt, d, s, c, made, e);
    if (rc)
        arr_release(rt, made);
    else
        *out = made;
    return rc;
}

/* Host operands may be copies: recompute their strides. */
static gpa_code product_on_host(gpa_rt *rt, const stacks *s, gpa_dtype t, gpa_arr **out,
                                gpa_err *e) {
    host_view a = {0}, b = {0};
    host_result c = {0};
    stacks there;
    gpa_arr ta = *s->a, tb = *s->b;
    int64_t sa[GPA_MAX_DIMS], sb[GPA_MAX_DIMS];
    gpa_code rc = GPA_OK;
    TRY(host_view_get_strided(rt, s->a, &a, ta.strides = sa, e));
    TRY(host_view_get_strided(rt, s->b, &b, tb.strides = sb, e));
    TRY(plan_product(&ta, &tb, &there, e));
    TRY(host_result_new(rt, t, s->ndim, s->result, &c, e));
    target p = {.rt = rt, .a = a.data, .b = b.data, .c = c.data};
    rc = walk_stack(&p, &there, product_call(&there, t), e);
    if (rc)
        host_result_discard(rt, &c);
    else
        TRY(host_result_finish(rt, &c, out, e));
out:
    host_view_release(rt, &a);
    host_view_release(rt, &b);
    return rc;
}

/* ---- products by tensor cores ---- */

enum { TENSOR_CORES_MIN_COMPUTE_MAJOR = 8 }; /* of TensorFloat-32 and bfloat16 */

/* The precision of products on a device. Those of other dtypes than float32 have no choice. */
static gpa_precision device_precision(const gpa_rt *rt, const gpa_device *d, gpa_dtype t) {
    return t == DT_F32 && d->caps.compute_major >= TENSOR_CORES_MIN_COMPUTE_MAJOR
               ? rt->precision
               : PRECISION_FLOAT32;
}

/* The elements of a where they are finite, else 0. */
static gpa_code finite_or_zero(gpa_rt *rt, gpa_arr *a, gpa_arr *finite, gpa_arr **out, gpa_err *e) {
    const gpa_opnd zero = {.weak = WEAK_FLOAT, .dtype = DT_F64};
    gpa_arr *is = NULL;
    gpa_code rc = arr_ufunc(rt, OP_ISFINITE, (gpa_opnd[]){{.arr = finite}}, NULL, &is, e);
    if (!rc)
        rc = arr_ufunc(rt, OP_WHERE, (gpa_opnd[]){{.arr = is}, {.arr = a}, zero}, NULL, out, e);
    arr_release(rt, is);
    return rc;
}

/* Two terms in bfloat16 whose sum is a, rounded to 16 bits: term[0] is a rounded to 8 bits. term[1]
 * is 0 where that is infinite or NaN. */
static gpa_code split_operand(gpa_rt *rt, gpa_arr *a, gpa_arr *term[2], gpa_err *e) {
    gpa_arr *high = NULL, *rest = NULL, *low = NULL;
    gpa_code rc = GPA_OK;
    TRY(arr_cast_order_k(rt, a, DT_BF16, false, &term[0], e));
    TRY(arr_cast_order_k(rt, term[0], DT_F32, false, &high, e));
    TRY(arr_ufunc_order_k(rt, OP_SUBTRACT, (gpa_opnd[]){{.arr = a}, {.arr = high}}, NULL, &rest,
                          e));
    TRY(finite_or_zero(rt, rest, high, &low, e));
    TRY(arr_cast_order_k(rt, low, DT_BF16, false, &term[1], e));
out:
    arr_release(rt, high);
    arr_release(rt, rest);
    arr_release(rt, low);
    return rc;
}

/* Computes the product of two terms into *out, or adds it to *out. */
static gpa_code product_of_terms(gpa_rt *rt, gpa_device *d, gpa_arr *a, gpa_arr *b, gpa_arr **out,
                                 gpa_err *e) {
    stacks s = {.a = a, .b = b};
    gpa_code rc = plan_product(a, b, &s, e);
    if (rc) return rc;
    gpa_libcall c = product_call(&s, DT_BF16);
    c.gemm.widen = true;
    c.gemm.accumulate = *out;
    return *out ? product_into(rt, d, &s, c, *out, e) : product_on_device(rt, d, &s, c, out, e);
}

/* A product of float32 matrices whose operands are split into two terms: the product of the low
 * terms is below the error of the split and left out. The other small products are 0 where they
 * are not finite: the first product has what NumPy gives for infinite elements and NaN. */
static gpa_code split_product(gpa_rt *rt, gpa_device *d, const stacks *s, gpa_arr **out,
                              gpa_err *e) {
    gpa_arr *a[2] = {NULL, NULL}, *b[2] = {NULL, NULL}, *whole = NULL, *small = NULL, *rest = NULL;
    gpa_code rc = GPA_OK;
    TRY(split_operand(rt, s->a, a, e));
    TRY(split_operand(rt, s->b, b, e));
    TRY(arr_eval(rt, (gpa_arr *[]){a[0], a[1], b[0], b[1]}, 4, e));
    TRY(product_of_terms(rt, d, a[0], b[1], &small, e));
    TRY(product_of_terms(rt, d, a[1], b[0], &small, e));
    TRY(product_of_terms(rt, d, a[0], b[0], &whole, e));
    TRY(finite_or_zero(rt, small, small, &rest, e));
    TRY(arr_ufunc(rt, OP_ADD, (gpa_opnd[]){{.arr = whole}, {.arr = rest}}, NULL, out, e));
out:
    for (int i = 0; i < 2; i++) arr_release(rt, a[i]), arr_release(rt, b[i]);
    arr_release(rt, whole);
    arr_release(rt, small);
    arr_release(rt, rest);
    return rc;
}

/* True if the library of the device multiplies bfloat16 matrices with a float32 result. */
static bool can_split(gpa_device *d, const stacks *s) {
    gpa_libcall c = product_call(s, DT_BF16);
    c.gemm.widen = true;
    return library_can(d, &c);
}

/* ---- reductions ---- */

/* A dot product as a sum, which fuses with its producers. */
static gpa_code lazy_inner_product(gpa_rt *rt, gpa_arr *a, gpa_arr *b, gpa_dtype t, gpa_arr **out,
                                   gpa_err *e) {
    gpa_opnd in[2] = {{.arr = a}, {.arr = b}};
    arr_reduce_opts all = {.axes = 1, .dtype = t};
    gpa_arr *each = NULL;
    gpa_code rc = arr_ufunc(rt, OP_MULTIPLY, in, NULL, &each, e);
    if (!rc) rc = arr_reduce(rt, RED_SUM, each, &all, out, e);
    arr_release(rt, each);
    return rc;
}

/* The `what` of a captured dot product. */
enum { CAPTURED_DOT = 1 };

static gpa_code captured_inner_product(gpa_rt *rt, const captured_program *c,
                                       const captured_operands *x, gpa_dtype t, gpa_arr **out,
                                       gpa_err *e) {
    gpa_arr *made;
    gpa_code rc = arr_empty(rt, &(arr_spec){t, 0, NULL}, &made, e);
    if (rc) return rc;
    rc = captured_run(rt, c, x, made->storage->buf, e);
    if (rc)
        arr_release(rt, made);
    else
        *out = made;
    return rc;
}

/* A dot product of vectors of one dtype. A short one of computed operands is computed at once,
 * which costs less than a node. Halves on a GPU are left to the library call, which rounds once. */
static gpa_code inner_product(gpa_rt *rt, gpa_arr *a, gpa_arr *b, gpa_dtype t, gpa_arr **out,
                              gpa_err *e) {
    const captured_operands x = {{a, b}, 2};
    const captured_program *c = NULL;
    bool now = false;
    gpa_code rc = GPA_OK;
    if (a->size <= TUNE_DOT_NOW_MAX_ELEMS)
        rc = exec_find_captured(rt, CAPTURED_DOT, &x, &c, &now, e);
    if (rc) return rc;
    if (c) return captured_inner_product(rt, c, &x, t, out, e);
    rc = lazy_inner_product(rt, a, b, t, out, e);
    if (rc || !now || !(*out)->storage->node) return rc;
    rc = exec_capture_reduction(rt, CAPTURED_DOT, &x, (*out)->storage->node, e);
    if (rc) arr_release(rt, *out);
    return rc;
}

/* True if a matrix is an elementwise expression that is not computed yet. */
static bool is_pending(const gpa_arr *a) {
    const node *n = a->storage->node;
    return a->ndim == 2 && n && node_is_elementwise(n) && a->size == n->size;
}

/* True if a matrix-vector product, or a batch of small ones, is better as a sum over elementwise
 * products: libraries have none, or only one matrix at a time, or the sum needs no memory for the
 * matrix; on a GPU, also if rows are contiguous and long. */
static bool is_sum(const gpa_device *d, const stacks *s, gpa_dtype t) {
    const gpa_arr *a = s->a, *b = s->b;
    const bool column = a->ndim > 1 && (b->ndim == 1 || (s->n == 1 && !s->stack));
    bool vector = a->ndim == 1 || b->ndim == 1 || s->n == 1;
    if (t == DT_BOOL)
        return vector &&
               s->k <= TUNE_MATMUL_BOOL_SUM_MAX_TERMS; /* longer sums stop at the first true term */
    return vector && dtype_info[t].compute == t &&
           (dtype_is_int(t) || (column && is_pending(a)) ||
            (column && !d->caps.host_visible && s->as[1] == 1 &&
             s->k >= TUNE_GPU_MATVEC_SUM_MIN_TERMS) ||
            (s->stack && b->ndim > 1 && a->ndim > 1 && s->m * s->k <= TUNE_MATMUL_SUM_MAX_ELEMS));
}

/* Such a product as a reduction, which fuses. */
static gpa_code vector_product(gpa_rt *rt, const stacks *s, gpa_dtype t, gpa_arr **out,
                               gpa_err *e) {
    gpa_arr *a = s->a, *b = s->b, *moved = NULL, *each = NULL;
    bool row = a->ndim == 1, column = b->ndim == 1;
    int perm[GPA_MAX_DIMS], n = b->ndim;
    gpa_code rc = GPA_OK;
    for (int d = 0; d < n; d++) perm[d] = d < n - 2 ? d : 2 * n - 3 - d;
    if (row)
        TRY(arr_reshape(rt, a, 2, (int64_t[]){a->size, 1}, &moved, e));
    else if (!column)
        TRY(arr_transpose(rt, b, perm, &moved, e));
    gpa_opnd in[2] = {{.arr = row ? moved : a}, {.arr = row || column ? b : moved}};
    TRY(arr_ufunc(rt, OP_MULTIPLY, in, NULL, &each, e));
    arr_reduce_opts over = {
        .axes = gpa_axis(each->ndim - (row ? 2 : 1)), .keepdims = !row && !column, .dtype = t};
    TRY(arr_reduce(rt, t == DT_BOOL ? RED_ANY : RED_SUM, each, &over, out, e));
out:
    arr_release(rt, moved);
    arr_release(rt, each);
    return rc;
}

/* A product with a diagonal matrix scales rows or columns: elementwise, so it fuses. *out NULL:
 * neither is known to be diagonal. */
static gpa_code scaled(gpa_rt *rt, gpa_arr *a, gpa_arr *b, gpa_arr **out, gpa_err *e) {
    gpa_arr *diagonal = NULL, *column = NULL;
    gpa_code rc = GPA_OK;
    *out = NULL;
    TRY(diagonal_of(rt, b, &diagonal, e));
    if (diagonal) {
        rc = arr_ufunc(rt, OP_MULTIPLY, (gpa_opnd[]){{.arr = a}, {.arr = diagonal}}, NULL, out, e);
        goto out;
    }
    TRY(diagonal_of(rt, a, &diagonal, e));
    if (!diagonal) goto out;
    if (b->ndim > 1)
        TRY(arr_view(rt, diagonal,
                     &(arr_layout){(gpa_dtype)diagonal->dtype, 2, (int64_t[]){diagonal->size, 1},
                                   (int64_t[]){diagonal->strides[0], 0}, 0},
                     &column, e));
    rc = arr_ufunc(rt, OP_MULTIPLY, (gpa_opnd[]){{.arr = column ? column : diagonal}, {.arr = b}},
                   NULL, out, e);
out:
    arr_release(rt, diagonal);
    arr_release(rt, column);
    return rc;
}

/* ---- matmul ---- */

/* True for vectors of equal length and of one dtype that computes in itself. */
static bool is_plain_inner_product(const gpa_arr *a, const gpa_arr *b) {
    return a && b && a->ndim == 1 && b->ndim == 1 && a->dtype == b->dtype && a->size == b->size &&
           dtype_info[a->dtype].compute == (gpa_dtype)a->dtype && a->dtype != DT_BOOL;
}

/* Makes *a contiguous. */
static gpa_code make_dense(gpa_rt *rt, gpa_arr **a, gpa_err *e) {
    gpa_arr *copy;
    if (arr_is_contiguous(*a)) return GPA_OK;
    gpa_code rc = library_copy(rt, *a, (gpa_dtype)(*a)->dtype, false, &copy, e);
    if (rc) return rc;
    arr_release(rt, *a);
    *a = copy;
    return GPA_OK;
}

/* True if the stack has a negative stride, which cuBLAS rejects for some dtypes. */
static bool has_negative_stride(const stacks *s) {
    bool back = false;
    for (int i = 0; i < s->stack; i++)
        back |= s->shape[i] > 1 && (s->a_step[i] < 0 || s->b_step[i] < 0);
    return back;
}

static gpa_code matmul(gpa_rt *rt, const gpa_opnd *a, const gpa_opnd *b, gpa_arr **out, gpa_err *e);

/* A product of halves in their compute dtype, rounded once, where the device has no product for
 * halves. */
static gpa_code wide_product(gpa_rt *rt, gpa_arr *a, gpa_arr *b, gpa_dtype t, gpa_arr **out,
                             gpa_err *e) {
    const gpa_dtype wide = dtype_info[t].compute;
    gpa_arr *wa = NULL, *wb = NULL, *product = NULL;
    gpa_code rc = GPA_OK;
    TRY(arr_cast(rt, a, wide, false, &wa, e));
    TRY(arr_cast(rt, b, wide, false, &wb, e));
    TRY(matmul(rt, &(gpa_opnd){.arr = wa}, &(gpa_opnd){.arr = wb}, &product, e));
    TRY(arr_cast(rt, product, t, false, out, e));
out:
    arr_release(rt, wa);
    arr_release(rt, wb);
    arr_release(rt, product);
    return rc;
}

static void explain_product(gpa_rt *rt, const gpa_device *d, gpa_precision precision,
                            const gpa_arr *result) {
    char name[48];
    if (!rt->explain) return;
    snprintf(name, sizeof name, "%s%s%s", library_names[LIB_GEMM], precision ? " in " : "",
             precision ? precision_names[precision] : "");
    explain_call(rt, name, d, result);
}

/* ---- pending products ---- */

/* True if the product is far larger than its operands: not storing it is worth a pending node. */
static bool is_outer(const stacks *s) {
    return s->a->ndim > 1 && s->b->ndim > 1 && s->m * s->n >= TUNE_PENDING_PRODUCT_MIN_ELEMS &&
           s->m * s->n > 2 * (s->m + s->n) * s->k;
}

gpa_code matmul_leaf(gpa_rt *rt, const node *leaf, gpa_arr **out, gpa_err *e) {
    const gpa_dtype t = (gpa_dtype)leaf->dtype;
    gpa_storage *storage;
    buf_add_owner(rt, leaf->buf);
    gpa_code rc = storage_of_buf_take(rt, leaf->buf, t, (int64_t)(leaf->buf->bytes / dtype_size(t)),
                                      &storage, e);
    if (rc) return rc;
    rc = arr_handle(rt, storage,
                    &(arr_layout){t, leaf->ndim, leaf->shape, leaf->map, leaf->map[leaf->ndim]},
                    NULL, out, e);
    storage_release(rt, storage);
    return rc;
}

static gpa_code general_product(gpa_rt *rt, gpa_device *d, stacks *s, gpa_dtype t, gpa_arr **out,
                                gpa_err *e);

/* Computes a pending product. */
static gpa_code compute_pending(gpa_rt *rt, const node *n, gpa_buf **out, gpa_err *e) {
    gpa_arr *made = NULL;
    const gpa_precision now = rt->precision;
    stacks s = {.a = NULL};
    gpa_code rc = GPA_OK;
    rt->precision = (gpa_precision)n->sub;
    TRY(matmul_leaf(rt, n->in[0], &s.a, e));
    TRY(matmul_leaf(rt, n->in[1], &s.b, e));
    TRY(plan_product(s.a, s.b, &s, e));
    TRY(general_product(rt, n->in[0]->buf->device, &s, (gpa_dtype)n->dtype, &made, e));
    TRY(arr_force(rt, made, CUT_LIBRARY, e));
    *out = made->storage->buf;
    buf_add_owner(rt, *out);
out:
    rt->precision = now;
    arr_release(rt, s.a);
    arr_release(rt, s.b);
    arr_release(rt, made);
    return rc;
}

/* The product as a node. */
static gpa_code pending_product(gpa_rt *rt, gpa_device *d, stacks *s, gpa_dtype t, gpa_arr **out,
                                gpa_err *e) {
    node *in[2] = {NULL, NULL}, *n = NULL;
    gpa_code rc = GPA_OK;
    TRY(arr_eval(rt, (gpa_arr *[]){s->a, s->b}, 2, e));
    TRY(arr_bring_to_device(rt, d, &s->a, e));
    TRY(arr_bring_to_device(rt, d, &s->b, e));
    TRY(arr_node(rt, s->a, &in[0], e));
    TRY(arr_node(rt, s->b, &in[1], e));
    rt->products.compute = compute_pending;
    TRY(node_product(rt, &(node_factors){in[0], in[1], t, (int)rt->precision, s->ndim, s->result},
                     &n, e));
    rc = arr_of_node(rt, n, out, e);
out:
    node_release(rt, in[0]);
    node_release(rt, in[1]);
    node_release(rt, n);
    return rc;
}

/* ---- products by libraries ---- */

/* The product of s->a and s->b by the device's library, or by the host where that has none. */
static gpa_code general_product(gpa_rt *rt, gpa_device *d, stacks *s, gpa_dtype t, gpa_arr **out,
                                gpa_err *e) {
    gpa_code rc = GPA_OK;
    TRY(arr_eval(rt, (gpa_arr *[]){s->a, s->b}, 2, e));
    TRY(arr_bring_to_device(rt, d, &s->a, e));
    TRY(arr_bring_to_device(rt, d, &s->b, e));
    TRY(plan_product(s->a, s->b, s, e)); /* a cast is contiguous: new strides */
    gpa_libcall c = product_call(s, t);
    bool library = library_can(d, &c) && (d->caps.host_visible || !has_negative_stride(s));
    if (!library && !d->caps.host_visible && (dtype_is_float(t) || dtype_is_complex(t))) {
        /* Neither rows nor columns are contiguous, or a stride is negative: a copy is cheaper than
         * the fallback to the host. */
        TRY(make_dense(rt, &s->a, e));
        TRY(make_dense(rt, &s->b, e));
        TRY(plan_product(s->a, s->b, s, e));
        c = product_call(s, t);
        library = library_can(d, &c);
    }
    gpa_precision precision = library ? device_precision(rt, d, t) : PRECISION_FLOAT32;
    if (precision == PRECISION_BF16X3 && !can_split(d, s)) precision = PRECISION_FLOAT32;
    c.gemm.precision = precision;
    if (precision == PRECISION_BF16X3)
        TRY(split_product(rt, d, s, out, e));
    else if (library)
        TRY(product_on_device(rt, d, s, c, out, e));
    else
        TRY(product_on_host(rt, s, t, out, e));
    explain_product(rt, library ? d : NULL, precision, *out);
out:
    return rc;
}

static gpa_code matmul(gpa_rt *rt, const gpa_opnd *a, const gpa_opnd *b, gpa_arr **out,
                       gpa_err *e) {
    gpa_device *d;
    stacks s = {.a = NULL};
    gpa_opnd in[2] = {*a, *b};
    gpa_dtype t;
    gpa_code rc = GPA_OK;
    if (is_plain_inner_product(a->arr, b->arr))
        return inner_product(rt, a->arr, b->arr, (gpa_dtype)a->arr->dtype, out, e);
    TRY(refuse_number(a, 0, e));
    TRY(refuse_number(b, 1, e));
    TRY(arr_result_type(in, 2, &t, e));
    TRY(plan_product(a->arr, b->arr, &s, e));
    TRY(scaled(rt, a->arr, b->arr, out, e));
    if (!*out && rt->products.n && !rt->tape)
        TRY(attention_of_softmax(rt, a->arr, b->arr, t, out, e));
    if (*out) goto out;
    TRY(arr_cast(rt, a->arr, t, false, &s.a, e));
    TRY(arr_cast(rt, b->arr, t, false, &s.b, e));
    TRY(device_default(rt, &d, e));
    if (d->caps.host_visible && dtype_is_float(t) && dtype_info[t].compute != t) {
        TRY(wide_product(rt, s.a, s.b, t, out, e));
        goto out;
    }
    if (a->arr->ndim == 1 && b->arr->ndim == 1 && dtype_info[t].compute == t) {
        TRY(inner_product(rt, s.a, s.b, t, out, e));
        goto out;
    }
    if (shape_size(s.ndim, s.result) == 0 || s.k == 0) {
        TRY(arr_full(rt, &(arr_spec){t, s.ndim, s.result}, (gpa_val){.bits = {0, 0}}, out, e));
        goto out;
    }
    if (is_sum(d, &s, t)) {
        TRY(vector_product(rt, &s, t, out, e));
        goto out;
    }
    if (is_outer(&s) && dtype_is_float(t) && !rt->tape)
        TRY(pending_product(rt, d, &s, t, out, e));
    else
        TRY(general_product(rt, d, &s, t, out, e));
out:
    arr_release(rt, s.a);
    arr_release(rt, s.b);
    if (rc && e && !e->n_notes && a->arr && b->arr) {
        char text[SHAPE_TEXT];
        gpa_err_note(e, a->span, "%s", shape_text(text, a->arr->ndim, a->arr->shape));
        gpa_err_note(e, b->span, "%s", shape_text(text, b->arr->ndim, b->arr->shape));
    }
    return rc;
}

gpa_code arr_matmul(gpa_rt *rt, const gpa_opnd *a, const gpa_opnd *b, gpa_arr **out, gpa_err *e) {
    device_scope p = device_scope_enter(rt, (gpa_arr *[]){a->arr, b->arr}, 2);
    const bool on = tape_enter(rt);
    gpa_code rc = matmul(rt, a, b, out, e);
    tape_leave(rt, on);
    device_scope_leave(rt, p);
    if (rc || !on) return rc;
    rc = tape_note(rt,
                   &(tape_entry){.rule = "matmul",
                                 .in = (gpa_opnd[]){*a, *b},
                                 .out = out,
                                 .n_in = 2,
                                 .n_out = 1,
                                 .ints = (int64_t[]){rt->precision},
                                 .n_ints = 1,
                                 .keep_in = (tape_is_active(rt, a->arr) ? 2u : 0) |
                                            (tape_is_active(rt, b->arr) ? 1u : 0)},
                   e);
    if (rc) arr_release(rt, *out);
    return rc;
}
