/* Nodes: allocation from free lists, the weak table, the makers.
 *
 * A node's slots lie behind it in one block: shape, inputs, map, in this order, so that the table
 * compares one run of bytes. A maker fills a fresh node and calls `intern`, which gives back the
 * equal node that already exists, if any. Invariant: a node in the table never changes; turning
 * into a leaf (node_settle) takes it out first.
 *
 * Reading order: take/give, intern, the leaves, the operations, index maps, reshape. */
#include "runtime/graph/node.h"

#include "runtime/exec/rt.h"
#include "runtime/graph/shape.h"
#include "runtime/exec/unused_gather.h"

static const uint16_t class_slots[NODE_CLASSES] = {7, 12, 20, 36, 68, 0};
enum { UNPOOLED = NODE_CLASSES - 1 };

#ifdef GPA_CHECK
#define KEEP_NODES false /* so that a sanitizer sees the use of a freed node */
#else
#define KEEP_NODES true
#endif

static gpa_code take(gpa_rt *rt, node_kind kind, gpa_dtype t, int ndim, int n_in, int map_len,
                     node **out, gpa_err *e) {
    size_t slots = (size_t)ndim + (size_t)MAX(n_in + map_len, ndim + 1);
    int class = 0;
    while (class < UNPOOLED && class_slots[class] < slots) class ++;
    node *n = rt->nodes.free[class];
    if (n) {
        rt->nodes.free[class] = n->chain;
    } else {
        size_t room = class == UNPOOLED ? slots : class_slots[class];
        n = mem_new(sizeof *n + room * sizeof(int64_t));
        if (!n) return gpa_no_memory(e);
    }
    *n = (node){.refs = 1,
                .kind = (uint8_t)kind,
                .dtype = (uint8_t)t,
                .ndim = (uint8_t)ndim,
                .n_in = (uint8_t)n_in};
    n->size = 1;
    n->room = (uint8_t) class;
    n->span = rt->at;
    n->map_len = (uint16_t)map_len;
    n->shape = (int64_t *)(n + 1);
    n->in = (node **)(n->shape + ndim);
    n->map = n->shape + ndim + n_in;
    rt->stats.nodes++;
    *out = n;
    return GPA_OK;
}

static void give(gpa_rt *rt, node *n) {
    if (n->room == UNPOOLED || !KEEP_NODES) {
        mem_free(n);
        return;
    }
    n->chain = rt->nodes.free[n->room];
    rt->nodes.free[n->room] = n;
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

/* Doubles the table; when memory is short the chains just grow longer. */
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

static void forget(gpa_rt *rt, node *n) {
    if (!n->hash) return;
    node **at = &rt->nodes.slot[n->hash & (rt->nodes.cap - 1)];
    while (*at != n) at = &(*at)->chain;
    *at = n->chain;
    n->hash = 0;
    rt->nodes.count--;
}

static void drop_inputs(gpa_rt *rt, node *n) {
    for (int i = 0; i < n->n_in; i++) node_release(rt, n->in[i]);
    n->n_in = 0;
    body_release(n->body);
    n->body = NULL;
}

void node_checked(gpa_rt *rt, node *n) {
    rt->nodes.unchecked -= n->unchecked;
    n->unchecked = false;
}

void node_release(gpa_rt *rt, node *n) {
    if (!n || --n->refs > 0) return;
    forget(rt, n);
    if (n->unchecked) {
        unused_gather_keep(rt, n);
        node_checked(rt, n);
    }
    drop_inputs(rt, n);
    if (n->buf) buf_remove_reader(rt, n->buf);
    give(rt, n);
}

/* The node equal to a fresh one: an older one, and the fresh one is given back, or itself. */
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

static gpa_code leaf(gpa_rt *rt, node_kind kind, gpa_buf *b, gpa_dtype t, int ndim,
                     const int64_t *shape, const int64_t *strides, int64_t offset, node **out,
                     gpa_err *e) {
    node *n;
    gpa_code rc = take(rt, kind, t, ndim, 0, ndim + 1, &n, e);
    if (rc) return rc;
    set_shape(n, shape);
    /* One form for each view: a dimension of one element has no stride. */
    for (int d = 0; d < ndim; d++) n->map[d] = shape[d] == 1 ? 0 : strides[d];
    n->map[ndim] = offset;
    if (b) {
        n->buf = b;
        buf_add_reader(rt, b);
    }
    *out = intern(rt, n);
    return GPA_OK;
}

gpa_code node_buf(gpa_rt *rt, gpa_buf *b, gpa_dtype t, int ndim, const int64_t *shape,
                  const int64_t *strides, int64_t offset, node **out, gpa_err *e) {
    return leaf(rt, NODE_BUF, b, t, ndim, shape, strides, offset, out, e);
}

gpa_code node_iota(gpa_rt *rt, int ndim, const int64_t *shape, const int64_t *strides,
                   int64_t offset, node **out, gpa_err *e) {
    return leaf(rt, NODE_IOTA, NULL, DT_I64, ndim, shape, strides, offset, out, e);
}

/* Numbers with a fraction are worth sharing; whole ones coincide by accident. */
static bool is_whole(gpa_dtype t, gpa_val v) {
    double d = dtype_cast(v, t, DT_F64).F64;
    return !dtype_is_float(t) || (double)(int64_t)MIN(MAX(d, -1e18), 1e18) == d;
}

gpa_code node_scalar(gpa_rt *rt, gpa_dtype t, gpa_val v, node **out, gpa_err *e) {
    node *n;
    gpa_code rc = take(rt, NODE_SCALAR, t, 0, 0, 0, &n, e);
    if (rc) return rc;
    n->v = v;
    *out = is_whole(t, v) ? n : intern(rt, n);
    return GPA_OK;
}

void node_settle(gpa_rt *rt, node *n, gpa_buf *b) {
    forget(rt, n);
    node_checked(rt, n);
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
    gpa_code rc = take(rt, NODE_OP, result, shaped->ndim, n_in, 0, &n, e);
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
    gpa_code rc = take(rt, NODE_BODY, (gpa_dtype)body->dtype[which], ndim, n_in, 0, &n, e);
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
    gpa_code rc = take(rt, NODE_CAST, to, a->ndim, 1, 0, &n, e);
    if (rc) return rc;
    set_shape(n, a->shape);
    set_input(n, 0, a);
    *out = intern(rt, n);
    return GPA_OK;
}

/* The places, in C order of the reduced axes, that an arg reduction chooses from. */
static gpa_code places(gpa_rt *rt, const node *a, uint32_t axes, node **out, gpa_err *e) {
    int64_t strides[GPA_MAX_DIMS], stride = 1;
    for (int d = a->ndim; d-- > 0;) {
        bool reduced = axes >> d & 1;
        strides[d] = reduced ? stride : 0;
        if (reduced) stride *= a->shape[d];
    }
    return node_iota(rt, a->ndim, a->shape, strides, 0, out, e);
}

/* A reduction over one element is that element, at place 0. */
static gpa_code reduce_one(gpa_rt *rt, bool arg, node *a, uint32_t axes, int ndim,
                           const int64_t *shape, node **out, gpa_err *e) {
    if (arg) {
        int64_t strides[GPA_MAX_DIMS] = {0};
        return node_iota(rt, ndim, shape, strides, 0, out, e);
    }
    int64_t start[GPA_MAX_DIMS] = {0}, step[GPA_MAX_DIMS * GPA_MAX_DIMS];
    memset(step, 0, (size_t)(a->ndim * ndim) * sizeof *step);
    for (int k = 0, d = 0; k < a->ndim; k++)
        if (!(axes >> k & 1)) step[k * ndim + d++] = 1;
    return node_view(rt, a, ndim, shape, start, step, out, e);
}

gpa_code node_reduce(gpa_rt *rt, gpa_red red, node *a, uint32_t axes, node **out, gpa_err *e) {
    bool arg = red_info[red].arg;
    int64_t shape[GPA_MAX_DIMS], reduced = 1;
    int ndim = 0;
    for (int d = 0; d < a->ndim; d++) {
        if (axes >> d & 1)
            reduced *= a->shape[d];
        else
            shape[ndim++] = a->shape[d];
    }
    if (reduced == 1) return reduce_one(rt, arg, a, axes, ndim, shape, out, e);
    node *n, *at = NULL;
    gpa_code rc = GPA_OK;
    if (arg) TRY(places(rt, a, axes, &at, e));
    TRY(take(rt, NODE_REDUCE, arg ? DT_I64 : a->dtype, ndim, arg ? 2 : 1, 0, &n, e));
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
    gpa_code rc = take(rt, NODE_SCAN, a->dtype, a->ndim, 1, 0, &n, e);
    if (rc) return rc;
    n->sub = (uint16_t)red;
    set_shape(n, a->shape);
    set_input(n, 0, a);
    *out = intern(rt, n);
    return GPA_OK;
}

gpa_code node_gather(gpa_rt *rt, node *a, node *const *index, const int8_t *from, int ndim,
                     const int64_t *shape, bool sure, node **out, gpa_err *e) {
    int n_in = 1;
    for (int k = 0; k < a->ndim; k++) n_in += index[k] != NULL;
    node *n;
    gpa_code rc = take(rt, NODE_GATHER, a->dtype, ndim, n_in, a->ndim, &n, e);
    if (rc) return rc;
    set_shape(n, shape);
    n->sub = sure;
    set_input(n, 0, a);
    for (int k = 0, i = 1; k < a->ndim; k++) {
        n->map[k] = index[k] ? -1 : from[k];
        if (index[k]) set_input(n, i++, index[k]);
    }
    *out = intern(rt, n);
    if (sure || (*out != n && !(*out)->suspect))
        return GPA_OK; /* it was there: what is known of it stays */
    if ((*out)->size && !(*out)->unchecked) rt->nodes.unchecked++, (*out)->unchecked = true;
    return GPA_OK;
}

/* ---- index maps ---- */

static bool is_identity(const node *a, int ndim, const int64_t *shape, const int64_t *start,
                        const int64_t *step) {
    if (a->ndim != ndim || (a->kind == NODE_SCALAR && ndim)) return false;
    for (int k = 0; k < ndim; k++) {
        if (shape[k] != a->shape[k] || start[k]) return false;
        for (int d = 0; d < ndim; d++)
            if (shape[d] != 1 && step[k * ndim + d] != (k == d)) return false;
    }
    return true;
}

/* A view of a leaf is a leaf. */
static gpa_code view_leaf(gpa_rt *rt, node *a, int ndim, const int64_t *shape, const int64_t *start,
                          const int64_t *step, node **out, gpa_err *e) {
    int64_t strides[GPA_MAX_DIMS] = {0}, offset = a->map[a->ndim];
    for (int k = 0; k < a->ndim; k++) {
        offset += a->map[k] * start[k];
        for (int d = 0; d < ndim; d++) strides[d] += a->map[k] * step[k * ndim + d];
    }
    return leaf(rt, (node_kind)a->kind, a->buf, (gpa_dtype)a->dtype, ndim, shape, strides, offset,
                out, e);
}

/* A view of a view is a view of what is below: a's map after this one. */
static void compose(const node *a, int ndim, const int64_t *start, const int64_t *step,
                    int64_t *to) {
    int rows = a->in[0]->ndim, mid = a->ndim;
    const int64_t *first = a->map, *inner = a->map + rows;
    for (int k = 0; k < rows; k++) {
        to[k] = first[k];
        for (int d = 0; d < ndim; d++) to[rows + k * ndim + d] = 0;
        for (int m = 0; m < mid; m++) {
            int64_t by = inner[k * mid + m];
            if (!by) continue;
            to[k] += by * start[m];
            for (int d = 0; d < ndim; d++) to[rows + k * ndim + d] += by * step[m * ndim + d];
        }
    }
}

gpa_code node_view(gpa_rt *rt, node *a, int ndim, const int64_t *shape, const int64_t *start,
                   const int64_t *step, node **out, gpa_err *e) {
    if (is_identity(a, ndim, shape, start, step)) {
        *out = node_retain(a);
        return GPA_OK;
    }
    if (a->kind == NODE_BUF || a->kind == NODE_IOTA)
        return view_leaf(rt, a, ndim, shape, start, step, out, e);
    if (a->kind == NODE_CAST &&
        a->in[0]->kind == NODE_IOTA) { /* counters stay known for what they are */
        node *counter;
        gpa_code made = view_leaf(rt, a->in[0], ndim, shape, start, step, &counter, e);
        if (made) return made;
        made = node_cast(rt, counter, (gpa_dtype)a->dtype, out, e);
        node_release(rt, counter);
        return made;
    }
    node *n, *below = a->kind == NODE_VIEW ? a->in[0] : a;
    int rows = below->ndim;
    gpa_code rc = take(rt, NODE_VIEW, (gpa_dtype)a->dtype, ndim, 1, rows + rows * ndim, &n, e);
    if (rc) return rc;
    set_shape(n, shape);
    set_input(n, 0, below);
    if (below != a) {
        compose(a, ndim, start, step, n->map);
    } else {
        memcpy(n->map, start, (size_t)rows * sizeof *start);
        memcpy(n->map + rows, step, (size_t)(rows * ndim) * sizeof *step);
    }
    for (int k = 0; k < rows; k++)
        for (int d = 0; d < ndim; d++)
            if (shape[d] == 1) n->map[rows + k * ndim + d] = 0;
    if (below == a || !is_identity(below, ndim, shape, n->map, n->map + rows)) {
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
    memset(start, 0, (size_t)a->ndim * sizeof *start);
    memset(step, 0, (size_t)(a->ndim * ndim) * sizeof *step);
    for (int k = 0; k < a->ndim; k++)
        if (a->shape[k] != 1) step[k * ndim + lead + k] = 1;
    return node_view(rt, a, ndim, shape, start, step, out, e);
}

/* ---- reshape ---- */

/* Splits both shapes into the smallest runs with equal products: advances *i and *j past one run
 * each. */
static void next_run(const node *a, int ndim, const int64_t *shape, int *i, int *j) {
    int64_t left = *i < a->ndim ? a->shape[(*i)++] : 1, right = *j < ndim ? shape[(*j)++] : 1;
    while (left != right) {
        if (left < right)
            left *= a->shape[(*i)++];
        else
            right *= shape[(*j)++];
    }
}

/* The index map of a reshape that only splits dimensions; false when it merges some. */
static bool reshape_map(const node *a, int ndim, const int64_t *shape, int64_t *start,
                        int64_t *step) {
    memset(start, 0, (size_t)a->ndim * sizeof *start);
    memset(step, 0, (size_t)(a->ndim * ndim) * sizeof *step);
    for (int i = 0, j = 0; i < a->ndim || j < ndim;) {
        int i0 = i, j0 = j, only = -1;
        next_run(a, ndim, shape, &i, &j);
        for (int k = i0; k < i; k++) {
            if (a->shape[k] == 1) continue;
            if (only >= 0) return false;
            only = k;
        }
        int64_t by = 1;
        for (int k = j; only >= 0 && k-- > j0;) {
            step[only * ndim + k] = by;
            by *= shape[k];
        }
    }
    return true;
}

typedef struct {
    gpa_rt *rt;
    int ndim;
    const int64_t *shape;
    node **done; /* results by slot; NULL: cannot be done */
    size_t n, cap;
} reshaping;

static gpa_code reshape_into(reshaping *r, node *a, node **out, gpa_err *e);

/* An elementwise node is reshaped by reshaping its inputs; *out NULL when one of them cannot be. */
static gpa_code reshape_inputs(reshaping *r, node *a, node **out, gpa_err *e) {
    node *in[BODY_MAX_IN] = {0};
    gpa_code rc = GPA_OK;
    *out = NULL;
    for (int i = 0; i < a->n_in; i++) {
        if (a->in[i]->kind == NODE_SCALAR)
            in[i] = node_retain(a->in[i]);
        else
            TRY(reshape_into(r, a->in[i], &in[i], e));
        if (!in[i]) goto out;
    }
    if (a->kind == NODE_CAST)
        TRY(node_cast(r->rt, in[0], (gpa_dtype)a->dtype, out, e));
    else if (a->kind == NODE_BODY)
        TRY(node_body(r->rt, a->body, a->sub, in, out, e));
    else
        TRY(node_op(r->rt, (gpa_op)a->sub, (gpa_dtype)a->dtype, in, out, e));
out:
    for (int i = 0; i < a->n_in; i++) node_release(r->rt, in[i]);
    return rc;
}

static gpa_code reshape_one(reshaping *r, node *a, node **out, gpa_err *e) {
    int64_t start[GPA_MAX_DIMS], strides[GPA_MAX_DIMS];
    *out = NULL;
    if (a->kind == NODE_BUF || a->kind == NODE_IOTA) {
        if (!shape_restride(a->ndim, a->shape, a->map, r->ndim, r->shape, strides)) return GPA_OK;
        return leaf(r->rt, (node_kind)a->kind, a->buf, (gpa_dtype)a->dtype, r->ndim, r->shape,
                    strides, a->map[a->ndim], out, e);
    }
    bool repeated = a->kind == NODE_VIEW && a->in[0]->kind == NODE_SCALAR;
    if (repeated) return node_broadcast(r->rt, a->in[0], r->ndim, r->shape, out, e);
    if (node_is_elementwise(a) && a->size > 1) return reshape_inputs(r, a, out, e);
    int64_t step[GPA_MAX_DIMS * GPA_MAX_DIMS];
    if (!reshape_map(a, r->ndim, r->shape, start, step)) return GPA_OK;
    return node_view(r->rt, a, r->ndim, r->shape, start, step, out, e);
}

/* Once per node: graphs share. */
static gpa_code reshape_into(reshaping *r, node *a, node **out, gpa_err *e) {
    if (a->mark != r->rt->nodes.mark) {
        node *made;
        gpa_code rc = reshape_one(r, a, &made, e);
        if (rc) return rc;
        if (!mem_room(&r->done, r->n, &r->cap, sizeof *r->done)) {
            node_release(r->rt, made);
            return gpa_no_memory(e);
        }
        a->mark = r->rt->nodes.mark;
        a->slot = (int32_t)r->n;
        r->done[r->n++] = made;
    }
    *out = r->done[a->slot];
    if (*out) node_retain(*out);
    return GPA_OK;
}

gpa_code node_reshape(gpa_rt *rt, node *a, int ndim, const int64_t *shape, node **out, gpa_err *e) {
    reshaping r = {.rt = rt, .ndim = ndim, .shape = shape};
    int64_t start[GPA_MAX_DIMS];
    *out = NULL;
    if (a->size == 0) return GPA_OK;
    if (!node_is_leaf(a)) { /* splitting keeps the node shared with its other readers */
        int64_t step[GPA_MAX_DIMS * GPA_MAX_DIMS];
        if (reshape_map(a, ndim, shape, start, step))
            return node_view(rt, a, ndim, shape, start, step, out, e);
    }
    rt->nodes.mark++;
    gpa_code rc = reshape_into(&r, a, out, e);
    for (size_t i = 0; i < r.n; i++) node_release(rt, r.done[i]);
    mem_free(r.done);
    return rc;
}
