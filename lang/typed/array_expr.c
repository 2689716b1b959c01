/* Operations on whole arrays in compiled loops: elementwise operations with broadcasting, matrix
 * products, copies. Each result is a new array (typed_new_array).
 *
 * Reading order: loops, broadcasting, elementwise operations, copies, matrix products. */
#include "lang/typed/array_expr.h"

#include "lang/typed/loop.h"

static int32_t constant(lowering *lw, int64_t i) {
    return kir_const(lw->f, DT_I64, (gpa_val){.I64 = i});
}

/* ---- loops ---- */

/* Opens a loop over the indices of a dimension; returns the counter. */
static tv open_loop(lowering *lw, int32_t size) {
    static const typed_ty py_int = {.dtype = DT_I64, .weak = true};
    typed_open(lw, KIR_FOR, DT_I64, constant(lw, 0), size, constant(lw, 1));
    return (tv){.kind = TV_NUMBER,
                .t = py_int,
                .v = (int32_t)lw->f->n_code - 1,
                .limit = (uint32_t)size + 1};
}

/* The element of a view at indices that are in bounds. */
static tview element_at(lowering *lw, const tview *a, const tv *ix) {
    tview e = {.array = a->array, .dtype = a->dtype, .readonly = a->readonly, .offset = a->offset};
    for (int d = 0; d < a->ndim; d++) {
        int32_t by =
            a->stride[d] < 0 ? ix[d].v : kir_op2(lw->f, OP_MULTIPLY, ix[d].v, a->stride[d]);
        e.offset = kir_op2(lw->f, OP_ADD, e.offset, by);
    }
    return e;
}

/* A new array whose dtype is set when its elements are known (set_dtype). */
static gpa_code new_array(lowering *lw, const ast_node *at, int ndim, const int32_t *size,
                          tv *out) {
    loop_fn *l = (loop_fn *)(void *)lw->to;
    l->array_math = true;
    return typed_new_array(lw, at, DT_F64, ndim, size, out);
}

static void set_dtype(lowering *lw, tv *a, gpa_dtype t) {
    lw->f->arrays[a->view->array].dtype = (uint8_t)t;
    a->view->dtype = a->t.dtype = (uint8_t)t;
}

static void raise_unless(lowering *lw, int32_t good, const char *text) {
    typed_open(lw, KIR_IF, DT_NONE, kir_op1(lw->f, OP_LOGICAL_NOT, good), -1, -1);
    typed_raise_here(lw, GPA_E_VALUE, kir_add_text(lw->f, text), -1);
    typed_close(lw, KIR_IF);
}

/* ---- broadcasting ---- */

static bool is_one(const lowering *lw, int32_t size) {
    int64_t n;
    return typed_constant(lw, size, &n) && n == 1;
}

static int32_t equals(lowering *lw, int32_t a, int32_t b) { return kir_op2(lw->f, OP_EQUAL, a, b); }

/* The common extent of two: they are equal, or one of them is 1. */
static int32_t join_sizes(lowering *lw, int32_t a, int32_t b) {
    if (a == b || is_one(lw, b)) return a;
    if (is_one(lw, a)) return b;
    int32_t one = constant(lw, 1), a_is_one = equals(lw, a, one);
    int32_t fits = kir_op2(lw->f, OP_LOGICAL_OR, equals(lw, a, b),
                           kir_op2(lw->f, OP_LOGICAL_OR, a_is_one, equals(lw, b, one)));
    raise_unless(lw, fits, "operands could not be broadcast together");
    return kir_op3(lw->f, OP_WHERE, a_is_one, b, a);
}

/* A view broadcast to the given sizes: stride 0 where its extent is 1. */
static tview broadcast(lowering *lw, const tview *a, int ndim, const int32_t *size) {
    tview v = *a;
    int more = ndim - a->ndim;
    v.ndim = (uint8_t)ndim;
    for (int d = 0; d < ndim; d++) {
        int32_t zero = constant(lw, 0), own = d < more ? -1 : a->size[d - more],
                stride = d < more ? zero : a->stride[d - more];
        v.size[d] = size[d];
        if (d >= more && own != size[d]) {
            if (stride < 0) stride = constant(lw, 1);
            stride = is_one(lw, own)
                         ? zero
                         : kir_op3(lw->f, OP_WHERE, equals(lw, own, constant(lw, 1)), zero, stride);
        }
        v.stride[d] = stride;
    }
    return v;
}

/* ---- elementwise operations ---- */

typedef struct {
    const ast_node *at;
    gpa_op op;
    const tv *in; /* numbers and arrays */
    int n;
    tview view[3]; /* of the arrays, broadcast */
    tv *out;
} elementwise;

static gpa_code each_element(lowering *lw, const elementwise *e, int d, tv *ix) {
    if (d < e->out->view->ndim) {
        ix[d] = open_loop(lw, e->out->view->size[d]);
        gpa_code rc = each_element(lw, e, d + 1, ix);
        typed_close(lw, KIR_FOR);
        return rc;
    }
    tv in[3], v;
    for (int i = 0; i < e->n; i++) {
        tview x = e->view[i];
        if (e->in[i].kind == TV_ARRAY) x = element_at(lw, &e->view[i], ix);
        in[i] = e->in[i].kind == TV_ARRAY ? typed_load(lw, &x) : e->in[i];
    }
    gpa_code rc = e->op == OP_POSITIVE ? GPA_OK : typed_apply(lw, e->at, e->op, in, e->n, &v);
    if (rc) return rc;
    if (e->op == OP_POSITIVE) v = in[0];
    set_dtype(lw, e->out, (gpa_dtype)v.t.dtype);
    tview to = element_at(lw, e->out->view, ix);
    return typed_store(lw, e->at, &to, v);
}

bool typed_has_array(const tv *in, int n) {
    for (int i = 0; i < n; i++)
        if (in[i].kind == TV_ARRAY) return true;
    return false;
}

gpa_code typed_elementwise(lowering *lw, const ast_node *at, gpa_op op, const tv *in, int n,
                           tv *out) {
    elementwise e = {.at = at, .op = op, .in = in, .n = n, .out = out};
    int32_t size[KIR_MAX_DIMS];
    int ndim = 0;
    tv ix[KIR_MAX_DIMS];
    for (int i = 0; i < n; i++) {
        bool taken = (in[i].kind == TV_ARRAY || in[i].kind == TV_NUMBER) &&
                     (op != OP_POWER || !dtype_is_int((gpa_dtype)in[0].t.dtype));
        lw->fallback = lw->fallback || !taken || op == OP_COUNT;
        if (!taken || op == OP_COUNT)
            return typed_fail(lw, at, GPA_E_UNSUPPORTED,
                              "this operation on arrays cannot be compiled");
        if (in[i].kind == TV_ARRAY && in[i].view->ndim > ndim) ndim = in[i].view->ndim;
    }
    for (int d = 0; d < ndim; d++) size[d] = constant(lw, 1);
    for (int i = 0; i < n; i++) {
        const tview *a = in[i].kind == TV_ARRAY ? in[i].view : NULL;
        for (int d = 0; a && d < a->ndim; d++) {
            int32_t *to = &size[d + ndim - a->ndim];
            *to = join_sizes(lw, *to, a->size[d]);
        }
    }
    for (int i = 0; i < n; i++)
        if (in[i].kind == TV_ARRAY) e.view[i] = broadcast(lw, in[i].view, ndim, size);
    gpa_code rc = new_array(lw, at, ndim, size, out);
    return rc ? rc : each_element(lw, &e, 0, ix);
}

/* ---- copies ---- */

gpa_code typed_copy_array(lowering *lw, const ast_node *at, const tv *a, tv *out) {
    return typed_elementwise(lw, at, OP_POSITIVE, a, 1, out);
}

/* ---- matrix products ---- */

typedef struct {
    const ast_node *at;
    tview a, b; /* matrices: (n, k) and (k, m) */
    gpa_dtype dtype;
} product;

/* The sum over k of a[i, k] * b[k, j]. */
static gpa_code dot(lowering *lw, const product *p, tv i, tv j, tv *out) {
    const typed_ty t = {.dtype = (uint8_t)p->dtype};
    int32_t sum = typed_emit(lw, KIR_VAR, p->dtype, -1, -1, 0);
    tv v;
    typed_emit(lw, KIR_SET, DT_NONE, sum, kir_cast(lw->f, p->dtype, constant(lw, 0)), 0);
    tv k = open_loop(lw, p->a.size[1]);
    tview x = element_at(lw, &p->a, (tv[]){i, k}), y = element_at(lw, &p->b, (tv[]){k, j});
    gpa_code rc =
        typed_apply(lw, p->at, OP_MULTIPLY, (tv[]){typed_load(lw, &x), typed_load(lw, &y)}, 2, &v);
    tv before = {.kind = TV_NUMBER, .t = t, .v = typed_emit(lw, KIR_GET, p->dtype, sum, -1, 0)};
    if (!rc) rc = typed_apply(lw, p->at, OP_ADD, (tv[]){before, v}, 2, &v);
    if (!rc) typed_emit(lw, KIR_SET, DT_NONE, sum, typed_cast(lw, v, t), 0);
    typed_close(lw, KIR_FOR);
    *out = (tv){.kind = TV_NUMBER, .t = t, .v = typed_emit(lw, KIR_GET, p->dtype, sum, -1, 0)};
    return rc;
}

/* A vector as a matrix: a row (first operand) or a column. */
static tview as_matrix(lowering *lw, const tview *v, bool row) {
    tview m = *v;
    if (v->ndim == 2) return m;
    m.ndim = 2;
    m.size[row] = v->size[0];
    m.stride[row] = v->stride[0] < 0 ? constant(lw, 1) : v->stride[0];
    m.size[!row] = constant(lw, 1);
    m.stride[!row] = constant(lw, 0);
    return m;
}

gpa_code typed_matmul(lowering *lw, const ast_node *at, const tv *a, const tv *b, tv *out) {
    bool arrays = a->kind == TV_ARRAY && b->kind == TV_ARRAY && a->view->ndim && b->view->ndim &&
                  a->view->ndim <= 2 && b->view->ndim <= 2;
    gpa_dtype t = arrays ? dtype_promote((gpa_dtype)a->t.dtype, (gpa_dtype)b->t.dtype) : DT_NONE;
    bool good = t != DT_NONE && t != DT_BOOL && t != DT_F16;
    lw->fallback = lw->fallback || !good;
    if (!good)
        return typed_fail(lw, at, GPA_E_UNSUPPORTED, "this matrix product cannot be compiled");
    product p = {at, as_matrix(lw, a->view, true), as_matrix(lw, b->view, false), t};
    if (p.a.size[1] != p.b.size[0])
        raise_unless(lw, equals(lw, p.a.size[1], p.b.size[0]),
                     "matmul: Input operand 1 has a mismatch in its core dimension 0");
    bool rows = a->view->ndim == 2, columns = b->view->ndim == 2;
    tv i = typed_int(lw, 0), j = typed_int(lw, 0), ix[2], v;
    if (!rows && !columns) return dot(lw, &p, i, j, out);
    int32_t size[2] = {rows ? p.a.size[0] : p.b.size[1], p.b.size[1]};
    int d = 0;
    gpa_code rc = new_array(lw, at, rows && columns ? 2 : 1, size, out);
    if (rc) return rc;
    set_dtype(lw, out, t);
    if (rows) ix[d++] = i = open_loop(lw, p.a.size[0]);
    if (columns) ix[d] = j = open_loop(lw, p.b.size[1]);
    rc = dot(lw, &p, i, j, &v);
    tview to = element_at(lw, out->view, ix);
    if (!rc) rc = typed_store(lw, at, &to, v);
    if (columns) typed_close(lw, KIR_FOR);
    if (rows) typed_close(lw, KIR_FOR);
    return rc;
}
