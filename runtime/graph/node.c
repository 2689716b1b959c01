/* Graph nodes: allocation from free lists, hash-consing in a weak table, constructors.
 *
 * A node's slots follow it in one block: shape, inputs, map, in this order, so that equality is one
 * memcmp. A constructor fills a fresh node and calls `intern`, which returns the equal node that
 * exists, if any. Invariant: a node in the table never changes; node_materialize takes it out
 * before it becomes a leaf.
 *
 * Reading order: allocation, the weak table, leaves, operations, index maps, reshape. */
#include "runtime/graph/node.h"

#include "runtime/graph/shape.h"
#include "runtime/graph/state.h"

static const uint16_t class_slots[NODE_CLASSES] = {7, 12, 20, 36, 68, 0};
enum { UNPOOLED = NODE_CLASSES - 1 };

#ifdef GPA_CHECK
#define POOL_NODES false /* so that a sanitizer detects use after free */
#else
#define POOL_NODES true
#endif

typedef struct {
    node_kind kind;
    gpa_dtype dtype;
    int ndim, n_in, map_len;
} node_spec;

static gpa_code alloc_node(gpa_rt *rt, node_spec s, node **out, gpa_err *e) {
    size_t slots = (size_t)s.ndim + (size_t)MAX(s.n_in + s.map_len, s.ndim + 1);
    int class = 0;
    while (class < UNPOOLED && class_slots[class] < slots) class ++;
    node *n = rt->nodes.free[class];
    if (n) {
        rt->nodes.free[class] = n->chain;
    } else {
        size_t capacity = class == UNPOOLED ? slots : class_slots[class];
        n = mem_new(sizeof *n + capacity * sizeof(int64_t));
        if (!n) return gpa_no_memory(e);
    }
    *n = (node){.refs = 1,
                .kind = (uint8_t)s.kind,
                .dtype = (uint8_t)s.dtype,
                .ndim = (uint8_t)s.ndim,
                .n_in = (uint8_t)s.n_in};
    n->size = 1;
    n->size_class = (uint8_t) class;
    n->span = rt->at;
    n->map_len = (uint16_t)s.map_len;
    n->shape = (int64_t *)(n + 1);
    n->in = (node **)(n->shape + s.ndim);
    n->map = n->shape + s.ndim + s.n_in;
    rt->stats.nodes++;
    *out = n;
    return GPA_OK;
}

static void free_node(gpa_rt *rt, node *n) {
    if (n->size_class == UNPOOLED || !POOL_NODES) {
        mem_free(n);
        return;
    }
    n->chain = rt->nodes.free[n->size_class];
    rt->nodes.free[n->size_class] = n;
}

static size_t slots_of(const node *n) { return (size_t)n->ndim + n->n_in + n->map_len; }

static void set_shape(node *n, const int64_t *shape) {
    for (int d = 0; d < n->ndim; d++) {
        n->shape[d] = shape[d];
        n->size *= shape[d];
    }
}

static void set_input(node *n, int i, node *in) {
    n->in[i] = node_retain(in);
    n->height = (uint16_t)MAX(n->height, in->height + 1);
}

/* ---- the weak table ---- */

static uint64_t hash_of(const node *n) {
    uint64_t head = (uint64_t)n->kind | (uint64_t)n->dtype << 8 | (uint64_t)n->ndim << 16 |
                    (uint64_t)n->sub << 32;
    uint64_t at = (uint64_t)(uintptr_t)n->buf * 31 + (uint64_t)(uintptr_t)n->body * 131 +
                  (n->buf ? n->buf->version : 0) * 8191;
    uint64_t h =
        hash_words((const uint64_t *)n->shape, slots_of(n), head ^ (uint64_t)n->axes << 48 ^ at);
    if (n->kind == NODE_SCALAR) h = hash_bytes(&n->v, dtype_size(n->dtype), h);
    return h ? h : 1;
}

static bool same(const node *a, const node *b) {
    return a->hash == b->hash && a->kind == b->kind && a->dtype == b->dtype && a->ndim == b->ndim &&
           a->n_in == b->n_in && a->sub == b->sub && a->axes == b->axes && a->buf == b->buf &&
           a->body == b->body && a->map_len == b->map_len &&
           memcmp(a->shape, b->shape, slots_of(a) * sizeof(int64_t)) == 0 &&
           (a->kind != NODE_SCALAR || memcmp(&a->v, &b->v, dtype_size(a->dtype)) == 0);
}

/* Doubles the table; if memory is short, the chains grow longer instead. */
static void grow(gpa_rt *rt) {
    size_t cap = rt->nodes.cap ? rt->nodes.cap * 2 : 256;
    node **slot = mem_zero(cap * sizeof *slot);
    if (!slot) return;
    for (size_t i = 0; i < rt->nodes.cap; i++) {
        for (node *n = rt->nodes.slot[i], *next; n; n = next) {
            next = n->chain;
            n->chain = slot[n->hash & (cap - 1)];
            slot[n->hash & (cap - 1)] = n;
        }
    }
    mem_free(rt->nodes.slot);
    rt->nodes.slot = slot;
    rt->nodes.cap = cap;
}

static void remove_from_table(gpa_rt *rt, node *n) {
    if (!n->hash) return;
    node **at = &rt->nodes.slot[n->hash & (rt->nodes.cap - 1)];
    while (*at != n) at = &(*at)->chain;
    *at = n->chain;
    n->hash = 0;
    rt->nodes.count--;
}

static void drop_inputs(gpa_rt *rt, node *n) {
    rt->products.n -= n->kind == NODE_PRODUCT;
    for (int i = 0; i < n->n_in; i++) node_release(rt, n->in[i]);
    n->n_in = 0;
    body_release(n->body);
    n->body = NULL;
}

void node_bounds_checked(gpa_rt *rt, node *n) {
    rt->nodes.unchecked -= n->unchecked;
    n->unchecked = false;
}

void node_release(gpa_rt *rt, node *n) {
    if (!n || --n->refs > 0) return;
    remove_from_table(rt, n);
    if (n->unchecked) {
        if (rt->nodes.on_unused_gather) rt->nodes.on_unused_gather(rt, n);
        node_bounds_checked(rt, n);
    }
    drop_inputs(rt, n);
    if (n->buf) buf_remove_reader(rt, n->buf);
    free_node(rt, n);
}

/* Hash-consing: returns the existing node that equals a fresh one, and frees the fresh one; else
 * inserts the fresh one and returns it. */
static node *intern(gpa_rt *rt, node *fresh) {
    if (rt->nodes.count >= rt->nodes.cap) grow(rt);
    if (!rt->nodes.cap) return fresh;
    fresh->hash = hash_of(fresh);
    node **head = &rt->nodes.slot[fresh->hash & (rt->nodes.cap - 1)];
    for (node *n = *head; n; n = n->chain) {
        if (!same(n, fresh)) continue;
        node_retain(n);
        fresh->hash = 0;
        node_release(rt, fresh);
        return n;
    }
    fresh->chain = *head;
    *head = fresh;
    rt->nodes.count++;
    return fresh;
}

void node_free_all(gpa_rt *rt) {
    for (int class = 0; class < UNPOOLED; class ++) {
        for (node *n = rt->nodes.free[class], *next; n; n = next) {
            next = n->chain;
            mem_free(n);
        }
        rt->nodes.free[class] = NULL;
    }
    mem_free(rt->nodes.slot);
    rt->nodes.slot = NULL;
    rt->nodes.cap = rt->nodes.count = 0;
}

/* ---- leaves ---- */

/* A BUF, or without a buffer an IOTA. */
static gpa_code leaf(gpa_rt *rt, gpa_buf *b, gpa_dtype t, const shape_layout *l, node **out,
                     gpa_err *e) {
    node *n;
    node_spec s = {b ? NODE_BUF : NODE_IOTA, t, l->ndim, 0, l->ndim + 1};
    gpa_code rc = alloc_node(rt, s, &n, e);
    if (rc) return rc;
    set_shape(n, l->shape);
    /* Canonical form: a dimension of extent 1 has stride 0. */
    for (int d = 0; d < l->ndim; d++) n->map[d] = l->shape[d] == 1 ? 0 : l->strides[d];
    n->map[l->ndim] = l->offset;
    if (b) {
        n->buf = b;
        buf_add_reader(rt, b);
    }
    *out = intern(rt, n);
    return GPA_OK;
}

gpa_code node_buf(gpa_rt *rt, gpa_buf *b, gpa_dtype t, const shape_layout *l, node **out,
                  gpa_err *e) {
    return leaf(rt, b, t, l, out, e);
}

gpa_code node_iota(gpa_rt *rt, const shape_layout *l, node **out, gpa_err *e) {
    return leaf(rt, NULL, DT_I64, l, out, e);
}

/* Integral scalars are not interned: equal values are often a coincidence (loop counters). */
static bool is_integral(gpa_dtype t, gpa_val v) {
    double d = dtype_cast(v, t, DT_F64).F64;
    return !dtype_is_float(t) || (double)(int64_t)MIN(MAX(d, -1e18), 1e18) == d;
}

gpa_code node_scalar(gpa_rt *rt, gpa_dtype t, gpa_val v, node **out, gpa_err *e) {
    node *n;
    gpa_code rc = alloc_node(rt, (node_spec){NODE_SCALAR, t, 0, 0, 0}, &n, e);
    if (rc) return rc;
    n->v = v;
    *out = is_integral(t, v) ? n : intern(rt, n);
    return GPA_OK;
}

void node_materialize(gpa_rt *rt, node *n, gpa_buf *b) {
    remove_from_table(rt, n);
    node_bounds_checked(rt, n);
    drop_inputs(rt, n);
    n->kind = NODE_BUF;
    n->height = 0;
    n->in = NULL;
    n->map = n->shape + n->ndim;
    n->map_len = (uint16_t)(n->ndim + 1);
    int64_t stride = 1;
    for (int d = n->ndim; d-- > 0;) {
        n->map[d] = n->shape[d] == 1 ? 0 : stride;
        stride *= n->shape[d];
    }
    n->map[n->ndim] = 0;
    n->buf = b;
    buf_add_reader(rt, b);
}

bool node_is_leaf(const node *n) { return n->kind <= NODE_SCALAR; }

bool node_is_contiguous(const node *n) {
    if (n->kind != NODE_BUF) return false;
    int64_t stride = 1;
    for (int d = n->ndim; d-- > 0;) {
        if (n->shape[d] != 1 && n->map[d] != stride) return false;
        stride *= n->shape[d];
    }
    return true;
}

/* ---- operations ---- */

gpa_code node_op(gpa_rt *rt, gpa_op op, gpa_dtype result, node *const *in, node **out, gpa_err *e) {
    int n_in = op_info[op].arity;
    const node *shaped = in[0];
    for (int i = 0; i < n_in; i++)
        if (in[i]->ndim > shaped->ndim) shaped = in[i];
    node *n;
    gpa_code rc = alloc_node(rt, (node_spec){NODE_OP, result, shaped->ndim, n_in, 0}, &n, e);
    if (rc) return rc;
    n->sub = (uint16_t)op;
    set_shape(n, shaped->shape);
    for (int i = 0; i < n_in; i++) set_input(n, i, in[i]);
    *out = intern(rt, n);
    return GPA_OK;
}

gpa_code node_body(gpa_rt *rt, gpa_body *body, int which, node *const *in, node **out, gpa_err *e) {
    int n_in = (int)body->f->n_params, ndim = 0;
    const int64_t *shape = NULL;
    for (int i = 0; i < n_in; i++) {
        if (in[i]->ndim < ndim || (shape && in[i]->ndim == ndim)) continue;
        ndim = in[i]->ndim;
        shape = in[i]->shape;
    }
    node *n;
    gpa_code rc =
        alloc_node(rt, (node_spec){NODE_BODY, (gpa_dtype)body->dtype[which], ndim, n_in, 0}, &n, e);
    if (rc) return rc;
    n->sub = (uint16_t)which;
    n->body = body_retain(body);
    set_shape(n, shape);
    for (int i = 0; i < n_in; i++) set_input(n, i, in[i]);
    *out = intern(rt, n);
    return GPA_OK;
}

gpa_code node_op1(gpa_rt *rt, gpa_op op, node *a, node **out, gpa_err *e) {
    gpa_dtype compute, result;
    if (!op_types(op, a->dtype, &compute, &result))
        return gpa_fail(e, GPA_E_INTERNAL, "%s of this type", op_info[op].name);
    return node_op(rt, op, result, &a, out, e);
}

gpa_code node_op2(gpa_rt *rt, gpa_op op, node *a, node *b, node **out, gpa_err *e) {
    gpa_dtype compute, result;
    if (!op_types(op, b->dtype, &compute, &result))
        return gpa_fail(e, GPA_E_INTERNAL, "%s of this type", op_info[op].name);
    node *in[2] = {a, b};
    return node_op(rt, op, result, in, out, e);
}

gpa_code node_cast(gpa_rt *rt, node *a, gpa_dtype to, node **out, gpa_err *e) {
    if (a->dtype == to) {
        *out = node_retain(a);
        return GPA_OK;
    }
    if (a->kind == NODE_SCALAR) return node_scalar(rt, to, dtype_cast(a->v, a->dtype, to), out, e);
    node *n;
    gpa_code rc = alloc_node(rt, (node_spec){NODE_CAST, to, a->ndim, 1, 0}, &n, e);
    if (rc) return rc;
    set_shape(n, a->shape);
    set_input(n, 0, a);
    *out = intern(rt, n);
    return GPA_OK;
}

/* Index of each element in C order of the reduced axes: the second input of argmin and argmax. */
static gpa_code flat_indices(gpa_rt *rt, const node *a, gpa_axes axes, node **out, gpa_err *e) {
    int64_t strides[GPA_MAX_DIMS], stride = 1;
    for (int d = a->ndim; d-- > 0;) {
        bool reduced = axes >> d & 1;
        strides[d] = reduced ? stride : 0;
        if (reduced) stride *= a->shape[d];
    }
    return node_iota(rt, &(shape_layout){a->ndim, a->shape, strides, 0, 0}, out, e);
}

/* A reduction over one element is that element, without its axes of extent 1. */
static gpa_code reduce_one(gpa_rt *rt, node *a, gpa_axes axes, node_map m, node **out, gpa_err *e) {
    static const int64_t start[GPA_MAX_DIMS];
    int64_t step[GPA_MAX_DIMS * GPA_MAX_DIMS];
    memset(step, 0, (size_t)(a->ndim * m.ndim) * sizeof *step);
    for (int k = 0, d = 0; k < a->ndim; k++)
        if (!(axes >> k & 1)) step[k * m.ndim + d++] = 1;
    m.start = start;
    m.step = step;
    return node_view(rt, a, &m, out, e);
}

gpa_code node_reduce(gpa_rt *rt, gpa_red red, node *a, gpa_axes axes, node **out, gpa_err *e) {
    bool arg = red_info[red].arg;
    int64_t shape[GPA_MAX_DIMS], reduced = 1;
    int ndim = 0;
    for (int d = 0; d < a->ndim; d++) {
        if (axes >> d & 1)
            reduced *= a->shape[d];
        else
            shape[ndim++] = a->shape[d];
    }
    if (reduced == 1 && !arg)
        return reduce_one(rt, a, axes, (node_map){.ndim = ndim, .shape = shape}, out, e);
    if (reduced == 1) { /* index 0 */
        static const int64_t strides[GPA_MAX_DIMS];
        return node_iota(rt, &(shape_layout){ndim, shape, strides, 0, 0}, out, e);
    }
    node *n, *at = NULL;
    gpa_code rc = GPA_OK;
    if (arg) TRY(flat_indices(rt, a, axes, &at, e));
    TRY(alloc_node(rt, (node_spec){NODE_REDUCE, arg ? DT_I64 : a->dtype, ndim, arg ? 2 : 1, 0}, &n,
                   e));
    n->sub = (uint16_t)red;
    n->axes = axes;
    set_shape(n, shape);
    set_input(n, 0, a);
    if (arg) set_input(n, 1, at);
    *out = intern(rt, n);
out:
    node_release(rt, at);
    return rc;
}

gpa_code node_scan(gpa_rt *rt, gpa_red red, node *a, node **out, gpa_err *e) {
    if (a->ndim == 0 || a->shape[a->ndim - 1] == 1) {
        *out = node_retain(a);
        return GPA_OK;
    }
    node *n;
    gpa_code rc = alloc_node(rt, (node_spec){NODE_SCAN, a->dtype, a->ndim, 1, 0}, &n, e);
    if (rc) return rc;
    n->sub = (uint16_t)red;
    set_shape(n, a->shape);
    set_input(n, 0, a);
    *out = intern(rt, n);
    return GPA_OK;
}

gpa_code node_product(gpa_rt *rt, const node_factors *f, node **out, gpa_err *e) {
    node *n;
    gpa_code rc = alloc_node(rt, (node_spec){NODE_PRODUCT, f->dtype, f->ndim, 2, 0}, &n, e);
    if (rc) return rc;
    n->sub = (uint16_t)f->precision;
    set_shape(n, f->shape);
    set_input(n, 0, f->a);
    set_input(n, 1, f->b);
    rt->products.n++;
    *out = intern(rt, n);
    return GPA_OK;
}

gpa_code node_gather(gpa_rt *rt, node *a, const gather_map *m, node **out, gpa_err *e) {
    int n_in = 1;
    for (int k = 0; k < a->ndim; k++) n_in += m->index[k] != NULL;
    node *n;
    gpa_code rc = shape_check(m->ndim, m->shape, dtype_size((gpa_dtype)a->dtype), NULL, e);
    if (!rc) rc = alloc_node(rt, (node_spec){NODE_GATHER, a->dtype, m->ndim, n_in, a->ndim}, &n, e);
    if (rc) return rc;
    set_shape(n, m->shape);
    n->sub = m->in_bounds;
    set_input(n, 0, a);
    for (int k = 0, i = 1; k < a->ndim; k++) {
        n->map[k] = m->index[k] ? -1 : m->from[k];
        if (m->index[k]) set_input(n, i++, m->index[k]);
    }
    *out = intern(rt, n);
    if (m->in_bounds || (*out != n && !(*out)->suspect))
        return GPA_OK; /* an existing node keeps its flags */
    if ((*out)->size && !(*out)->unchecked) rt->nodes.unchecked++, (*out)->unchecked = true;
    return GPA_OK;
}

gpa_code node_concat(gpa_rt *rt, node *const *in, int n_in, int axis, node **out, gpa_err *e) {
    node *n;
    int64_t shape[GPA_MAX_DIMS];
    const node *first = in[0];
    node_spec s = {NODE_CONCAT, (gpa_dtype)first->dtype, first->ndim, n_in, 0};
    memcpy(shape, first->shape, first->ndim * sizeof *shape);
    for (int i = 1; i < n_in; i++) shape[axis] += in[i]->shape[axis];
    gpa_code rc = shape_check(first->ndim, shape, dtype_size(s.dtype), NULL, e);
    if (!rc) rc = alloc_node(rt, s, &n, e);
    if (rc) return rc;
    n->sub = (uint16_t)axis;
    set_shape(n, shape);
    for (int i = 0; i < n_in; i++) set_input(n, i, in[i]);
    *out = intern(rt, n);
    return GPA_OK;
}

/* ---- index maps ---- */

static bool is_identity(const node *a, const node_map *m) {
    if (a->ndim != m->ndim || (a->kind == NODE_SCALAR && m->ndim)) return false;
    for (int k = 0; k < m->ndim; k++) {
        if (m->shape[k] != a->shape[k] || m->start[k]) return false;
        for (int d = 0; d < m->ndim; d++)
            if (m->shape[d] != 1 && m->step[k * m->ndim + d] != (k == d)) return false;
    }
    return true;
}

/* A view of a leaf is a leaf. */
static gpa_code view_leaf(gpa_rt *rt, node *a, const node_map *m, node **out, gpa_err *e) {
    int64_t strides[GPA_MAX_DIMS], offset = a->map[a->ndim];
    memset(strides, 0, (size_t)m->ndim * sizeof *strides);
    for (int k = 0; k < a->ndim; k++) {
        offset += a->map[k] * m->start[k];
        for (int d = 0; d < m->ndim; d++) strides[d] += a->map[k] * m->step[k * m->ndim + d];
    }
    const shape_layout l = {m->ndim, m->shape, strides, offset, 0};
    return leaf(rt, a->buf, (gpa_dtype)a->dtype, &l, out, e);
}

/* A view of a view: the composition of both maps, on the input of a. */
static void compose(const node *a, const node_map *m, int64_t *to) {
    int rows = a->in[0]->ndim, mid = a->ndim, ndim = m->ndim;
    const int64_t *first = a->map, *inner = a->map + rows;
    for (int k = 0; k < rows; k++) {
        to[k] = first[k];
        for (int d = 0; d < ndim; d++) to[rows + k * ndim + d] = 0;
        for (int j = 0; j < mid; j++) {
            int64_t stride = inner[k * mid + j];
            if (!stride) continue;
            to[k] += stride * m->start[j];
            for (int d = 0; d < ndim; d++)
                to[rows + k * ndim + d] += stride * m->step[j * ndim + d];
        }
    }
}

gpa_code node_view(gpa_rt *rt, node *a, const node_map *m, node **out, gpa_err *e) {
    if (is_identity(a, m)) {
        *out = node_retain(a);
        return GPA_OK;
    }
    if (a->kind == NODE_BUF || a->kind == NODE_IOTA) return view_leaf(rt, a, m, out, e);
    if (a->kind == NODE_CAST && a->in[0]->kind == NODE_IOTA) {
        /* a view of a cast IOTA stays a cast IOTA, which diagonal.c recognizes */
        node *counter;
        gpa_code rc = view_leaf(rt, a->in[0], m, &counter, e);
        if (rc) return rc;
        rc = node_cast(rt, counter, (gpa_dtype)a->dtype, out, e);
        node_release(rt, counter);
        return rc;
    }
    node *n, *below = a->kind == NODE_VIEW ? a->in[0] : a;
    int rows = below->ndim, ndim = m->ndim;
    node_spec s = {NODE_VIEW, (gpa_dtype)a->dtype, ndim, 1, rows + rows * ndim};
    gpa_code rc = alloc_node(rt, s, &n, e);
    if (rc) return rc;
    set_shape(n, m->shape);
    set_input(n, 0, below);
    if (below != a) {
        compose(a, m, n->map);
    } else {
        memcpy(n->map, m->start, (size_t)rows * sizeof *n->map);
        memcpy(n->map + rows, m->step, (size_t)(rows * ndim) * sizeof *n->map);
    }
    for (int k = 0; k < rows; k++)
        for (int d = 0; d < ndim; d++)
            if (m->shape[d] == 1) n->map[rows + k * ndim + d] = 0;
    const node_map composed = {ndim, m->shape, n->map, n->map + rows};
    if (below == a || !is_identity(below, &composed)) {
        *out = intern(rt, n);
        return GPA_OK;
    }
    *out = node_retain(below);
    node_release(rt, n);
    return GPA_OK;
}

gpa_code node_broadcast(gpa_rt *rt, node *a, int ndim, const int64_t *shape, node **out,
                        gpa_err *e) {
    int64_t start[GPA_MAX_DIMS], step[GPA_MAX_DIMS * GPA_MAX_DIMS];
    int lead = ndim - a->ndim;
    if (a->kind != NODE_SCALAR && shape_equal(a->ndim, a->shape, ndim, shape)) {
        *out = node_retain(a);
        return GPA_OK;
    }
    gpa_code rc = shape_check(ndim, shape, dtype_size((gpa_dtype)a->dtype), NULL, e);
    if (rc) return rc;
    memset(start, 0, (size_t)a->ndim * sizeof *start);
    memset(step, 0, (size_t)(a->ndim * ndim) * sizeof *step);
    for (int k = 0; k < a->ndim; k++)
        if (a->shape[k] != 1) step[k * ndim + lead + k] = 1;
    return node_view(rt, a, &(node_map){ndim, shape, start, step}, out, e);
}

gpa_code node_like(gpa_rt *rt, const node *a, node *const *in, node **out, gpa_err *e) {
    if (a->kind == NODE_CAST) return node_cast(rt, in[0], (gpa_dtype)a->dtype, out, e);
    if (a->kind == NODE_BODY) return node_body(rt, a->body, a->sub, in, out, e);
    return node_op(rt, (gpa_op)a->sub, (gpa_dtype)a->dtype, in, out, e);
}
