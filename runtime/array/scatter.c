/* Scatters in host memory.
 *
 * The broadcast index arrays are points in C order. Each point has an offset in the target and,
 * if there are slices or newaxis too, a block of elements. All bounds are checked first, so that
 * a bad index leaves the array unchanged; then offsets are computed a chunk at a time.
 *
 * Reading order: coordinates, values, assignment, updates. */
#include "runtime/array/scatter.h"

#include "runtime/host/mask_select.h"
#include "runtime/exec/explain.h"
#include "runtime/array/host_view.h"
#include "runtime/graph/shape.h"
#include "runtime/base/simd_clones.h"
#include "runtime/tables/tuning.h"

/* ---- coordinates ---- */

/* An axis with an index array: one coordinate per point. */
typedef struct {
    host_view own;
    const int64_t *at;
    int64_t extent, stride;
    bool forward; /* no coordinate is negative */
} index_axis;

typedef struct {
    index_axis axis[GPA_MAX_DIMS];
    int axes;
    int64_t base; /* the offset of integer indices */
    int64_t points;
    host_view value;
    char scalar[sizeof(gpa_val)];
    int64_t to_strides[GPA_MAX_DIMS]; /* of the target */
    const char *from;                 /* the value's first element; NULL: no value */
    int64_t strides[GPA_MAX_DIMS];    /* of the value, over the result's shape */
} scatter;

/* True if one of n coordinates is out of bounds; *forward: none is negative. */
GPA_SIMD_CLONES static bool out_of_bounds(const int64_t *at, int64_t n, uint64_t extent,
                                          bool *forward) {
    int64_t signs = 0;
    uint64_t outside = 0;
    for (int64_t i = 0; i < n; i++) {
        signs |= at[i];
        outside |= (uint64_t)at[i] + extent >= 2 * extent;
    }
    *forward = signs >= 0;
    return outside != 0;
}

static gpa_code check_bounds(index_axis *p, int64_t n, int axis, gpa_err *e) {
    if (!out_of_bounds(p->at, n, (uint64_t)p->extent, &p->forward)) return GPA_OK;
    int64_t i = 0;
    while (p->at[i] >= -p->extent && p->at[i] < p->extent) i++;
    return gpa_fail(e, GPA_E_INDEX, "index %lld is out of bounds for axis %d with size %lld",
                    (long long)p->at[i], axis, (long long)p->extent);
}

/* Expands index arrays to all points; copies only those that are broadcast. */
static gpa_code get_coordinates(gpa_rt *rt, const index_map *m, scatter *s, gpa_err *e) {
    gpa_arr *broadcast = NULL;
    gpa_code rc = GPA_OK;
    s->axes = 0;
    s->base = 0;
    s->value = (host_view){"", NULL, NULL};
    s->from = NULL;
    memset(s->scalar, 0, sizeof s->scalar);
    memset(s->strides, 0, (size_t)m->ndim * sizeof *s->strides);
    s->points = shape_size(m->broadcast_ndim, m->shape + m->broadcast_at);
    host_target_strides(m->view, s->to_strides);
    for (int k = 0; k < m->view->ndim; k++) {
        if (m->from[k] >= 0) continue;
        if (!m->arr[k]) {
            s->base += m->start[k] * s->to_strides[k];
            continue;
        }
        index_axis *p = &s->axis[s->axes++];
        p->own = (host_view){"", NULL, NULL};
        p->extent = m->view->shape[k];
        p->stride = s->to_strides[k];
        TRY(arr_broadcast_to(rt, m->arr[k], m->broadcast_ndim, m->shape + m->broadcast_at,
                             &broadcast, e));
        TRY(host_view_get_as(rt, broadcast, DT_I64, &p->own, e));
        p->at = (const int64_t *)(const void *)p->own.data;
        TRY(check_bounds(p, s->points, k, e));
        arr_release(rt, broadcast);
        broadcast = NULL;
    }
out:
    arr_release(rt, broadcast);
    return rc;
}

/* The offsets of n points from the i-th, in elements. */
GPA_SIMD_CLONES static void make_offsets(const scatter *s, int64_t i, int64_t n, int64_t *to) {
    for (int64_t j = 0; j < n && !s->axes; j++) to[j] = s->base; /* integers alone: one point */
    for (int k = 0; k < s->axes; k++) {
        const index_axis *p = &s->axis[k];
        const int64_t *from = p->at + i, extent = p->extent, stride = p->stride, base = s->base;
        if (k)
            for (int64_t j = 0; j < n; j++)
                to[j] += (from[j] + (from[j] < 0 ? extent : 0)) * stride;
        else
            for (int64_t j = 0; j < n; j++)
                to[j] = base + (from[j] + (from[j] < 0 ? extent : 0)) * stride;
    }
}

/* The offsets of n points: for one axis computed from its coordinates on the fly, else
 * precomputed. */
typedef struct {
    const int64_t *at;
    int64_t extent, stride, base;
    bool plain; /* `at` are offsets from base */
} points;

static points points_at(const scatter *s, int64_t i, int64_t n, int64_t *scratch) {
    const index_axis *p = &s->axis[0];
    if (s->axes == 1)
        return (points){p->at + i, p->extent, p->stride, s->base, p->forward && p->stride == 1};
    make_offsets(s, i, n, scratch);
    return (points){scratch, 0, 1, 0, true};
}

static inline int64_t offset_of(const points *p, int64_t j) {
    return p->base + (p->at[j] + (p->at[j] >> 63 & p->extent)) * p->stride;
}

static void scatter_end(gpa_rt *rt, scatter *s) {
    for (int k = 0; k < s->axes; k++) host_view_release(rt, &s->axis[k].own);
    host_view_release(rt, &s->value);
}

/* ---- values ---- */

bool broadcast_value(const gpa_arr *v, int ndim, const int64_t *shape, int64_t *strides) {
    int skip = 0;
    while (v->ndim - skip > ndim && v->shape[skip] == 1) skip++;
    return shape_broadcast_strides(v->ndim - skip, v->shape + skip, v->strides + skip, ndim, shape,
                                   strides);
}

/* The value in host memory, in dtype t. Copies a value that shares the target's storage, which
 * changes while it is read. */
static gpa_code get_value(gpa_rt *rt, const index_map *m, const gpa_opnd *rhs, gpa_dtype t,
                          scatter *s, gpa_err *e) {
    gpa_arr *v = rhs->arr, *copy = NULL;
    gpa_code rc = GPA_OK;
    if (!v) {
        dtype_store(s->scalar, t, dtype_cast(rhs->v, rhs->dtype, t));
        s->from = s->scalar;
        return GPA_OK;
    }
    if (v->storage == m->view->storage) {
        TRY(arr_copy(rt, v, &copy, e));
        v = copy;
    }
    TRY(host_view_get_as(rt, v, t, &s->value, e));
    gpa_arr dense = *v;
    int64_t strides[GPA_MAX_DIMS];
    shape_c_strides(v->ndim, v->shape, strides);
    dense.strides = strides;
    broadcast_value(&dense, m->ndim, m->shape, s->strides);
    s->from = s->value.data;
out:
    arr_release(rt, copy);
    return rc;
}

/* Copies index arrays that share the target's storage. */
static gpa_code copy_aliased_coordinates(const index_map *m, scatter *s, gpa_err *e) {
    for (int k = 0; k < s->axes; k++) {
        host_view *h = &s->axis[k].own;
        if (h->own || !h->arr || h->arr->storage != m->view->storage) continue;
        size_t n = (size_t)s->points * sizeof(int64_t);
        h->own = mem_new(n);
        if (!h->own) return gpa_no_memory(e);
        memcpy(h->own, h->data, n);
        s->axis[k].at = h->own;
    }
    return GPA_OK;
}

/* The block of elements at every point: the dimensions of slices and newaxis. */
typedef struct {
    int ndim;
    int64_t shape[GPA_MAX_DIMS], to[GPA_MAX_DIMS], from[GPA_MAX_DIMS];
} block;

static block block_of(const index_map *m, const scatter *s) {
    block b = {.ndim = 0};
    for (int d = 0; d < m->ndim; d++) {
        if (d >= m->broadcast_at && d < m->broadcast_at + m->broadcast_ndim) continue;
        b.shape[b.ndim] = m->shape[d];
        b.from[b.ndim] = s->strides[d];
        b.to[b.ndim] = 0;
        for (int k = 0; k < m->view->ndim; k++)
            if (m->from[k] == d) b.to[b.ndim] = s->to_strides[k];
        b.ndim++;
    }
    return b;
}

/* True if the value's offsets at successive points differ by a constant step. */
static bool has_constant_step(const index_map *m, const scatter *s, int64_t *step) {
    const int64_t *shape = m->shape + m->broadcast_at, *strides = s->strides + m->broadcast_at;
    *step = m->broadcast_ndim ? strides[m->broadcast_ndim - 1] : 0;
    for (int d = m->broadcast_ndim - 2; d >= 0; d--)
        if (strides[d] != strides[d + 1] * shape[d + 1]) return false;
    return true;
}

/* The value's offsets at the next n points; *where and `at` are the iteration state. */
static void value_offsets(const index_map *m, const scatter *s, int64_t *at, int64_t *where,
                          int64_t n, int64_t *to) {
    const int64_t *shape = m->shape + m->broadcast_at, *strides = s->strides + m->broadcast_at;
    int64_t step;
    if (has_constant_step(m, s, &step)) {
        for (int64_t j = 0; j < n; j++) to[j] = *where + j * step;
        *where += n * step;
        return;
    }
    for (int64_t j = 0; j < n; j++) {
        to[j] = *where;
        for (int d = m->broadcast_ndim - 1; d >= 0; d--) {
            *where += strides[d];
            if (++at[d] < shape[d]) break;
            *where -= strides[d] * shape[d];
            at[d] = 0;
        }
    }
}

/* ---- assignment ---- */

/* Writes n elements of `bytes` bytes, a constant of the caller. */
static inline __attribute__((always_inline)) void write_sized(const points *p, int64_t n,
                                                              char *target, const char *value,
                                                              int64_t step, size_t bytes) {
    const int64_t size = (int64_t)bytes;
    if (p->plain)
        for (int64_t j = 0; j < n; j++)
            memcpy(target + (p->base + p->at[j]) * size, value + j * step * size, bytes);
    else
        for (int64_t j = 0; j < n; j++)
            memcpy(target + offset_of(p, j) * size, value + j * step * size, bytes);
}

/* Writes single elements, with a loop for each element size. */
static void write_elements(points p, int64_t n, char *target, const char *value, int64_t step,
                           size_t item) {
    switch (item) {
        case 1: write_sized(&p, n, target, value, step, 1); break;
        case 2: write_sized(&p, n, target, value, step, 2); break;
        case 4: write_sized(&p, n, target, value, step, 4); break;
        case 8: write_sized(&p, n, target, value, step, 8); break;
        case 16: write_sized(&p, n, target, value, step, 16); break;
    }
}

/* The size in bytes of a contiguous block whose value is contiguous too or one scalar (*scalar,
 * strides 0); 0: neither. */
static size_t contiguous_bytes(const block *b, size_t item, bool *scalar) {
    int64_t n = 1;
    bool same_layout = true;
    *scalar = true;
    for (int d = b->ndim - 1; d >= 0; n *= b->shape[d--]) {
        if (b->shape[d] == 1) continue;
        if (b->to[d] != n) return 0;
        same_layout = same_layout && b->from[d] == n;
        *scalar = *scalar && b->from[d] == 0;
    }
    return same_layout || *scalar ? (size_t)n * item : 0;
}

enum {
    LONG_ROW = 512,
    ROW = 4096
}; /* bytes: inline copies up to LONG_ROW, block copies up to ROW */

/* n contiguous blocks to write, at offsets in elements; from NULL: all from `value`. */
typedef struct {
    char *target;
    const char *value;
    const int64_t *to, *from;
    int64_t n;
} row_run;

/* Writes short contiguous blocks of elements of `item` bytes. Those of 16 bytes and more are copied
 * in 16-byte steps, with an overlapping last step. */
static void write_rows(const row_run *x, size_t item, size_t bytes) {
    for (int64_t j = 0; j < x->n; j++) {
        char *row = x->target + x->to[j] * (int64_t)item;
        const char *source = x->value + (x->from ? x->from[j] * (int64_t)item : 0);
        if (bytes < 16 || bytes > LONG_ROW) {
            memcpy(row, source, bytes);
            continue;
        }
        for (size_t k = 0; k + 16 < bytes; k += 16) memcpy(row + k, source + k, 16);
        memcpy(row + bytes - 16, source + bytes - 16, 16);
    }
}

static void write_points(const index_map *m, const scatter *s, char *target, size_t item) {
    int64_t to[TUNE_SCATTER_CHUNK_POINTS], from[TUNE_SCATTER_CHUNK_POINTS], at[GPA_MAX_DIMS] = {0},
                                                                            where = 0;
    block b = block_of(m, s);
    bool scalar;
    size_t bytes = contiguous_bytes(&b, item, &scalar);
    char row[ROW];
    int64_t step;
    bool even = has_constant_step(m, s, &step), single = shape_size(b.ndim, b.shape) == 1 && even;
    bool rows = bytes && bytes <= ROW && (!scalar || (even && step == 0));
    for (size_t k = 0; rows && scalar && k < bytes; k += item) memcpy(row + k, s->from, item);
    for (int64_t i = 0; i < s->points; i += TUNE_SCATTER_CHUNK_POINTS) {
        int64_t n = MIN((int64_t)TUNE_SCATTER_CHUNK_POINTS, s->points - i);
        if (single) {
            write_elements(points_at(s, i, n, to), n, target, s->from + i * step * (int64_t)item,
                           step, item);
            continue;
        }
        make_offsets(s, i, n, to);
        value_offsets(m, s, at, &where, n, from);
        if (rows) {
            write_rows(&(row_run){target, scalar ? row : s->from, to, scalar ? NULL : from, n},
                       item, bytes);
            continue;
        }
        for (int64_t j = 0; j < n; j++)
            strided_copy(target + to[j] * (int64_t)item, b.to, s->from + from[j] * (int64_t)item,
                         b.from, &(strided_elems){item, b.ndim, b.shape});
    }
}

gpa_code scatter_set(gpa_rt *rt, const index_map *m, const gpa_opnd *rhs, gpa_err *e) {
    scatter s; /* large, so not cleared */
    host_target to;
    gpa_dtype t = (gpa_dtype)m->view->dtype;
    gpa_code rc = GPA_OK;
    TRY(get_coordinates(rt, m, &s, e));
    TRY(copy_aliased_coordinates(m, &s, e));
    TRY(get_value(rt, m, rhs, t, &s, e));
    TRY(host_target_open(rt, m->view, true, &to, e));
    write_points(m, &s, to.first, dtype_size(t));
    TRY(host_target_close(rt, &to, e));
    explain_call(rt, "scatter into", NULL, m->view);
out:
    scatter_end(rt, &s);
    return rc;
}

gpa_code scatter_masked(gpa_rt *rt, gpa_arr *a, gpa_arr *mask, gpa_arr *v, bool *done, gpa_err *e) {
    host_view m = {0}, value = {0};
    host_target to;
    gpa_code rc = GPA_OK;
    *done = false;
    if (v->ndim != 1 || mask->ndim != a->ndim || !a->size || !a->storage->buf->host ||
        !arr_is_contiguous(a) || v->storage == a->storage || mask->storage == a->storage)
        return rc;
    TRY(host_view_get(rt, mask, &m, e));
    if (mask_select_count(m.data, mask->size) != v->shape[0]) goto out;
    TRY(host_view_get_as(rt, v, (gpa_dtype)a->dtype, &value, e));
    TRY(host_target_open(rt, a, true, &to, e));
    mask_select_expand(to.first, value.data, m.data, mask->size, v->shape[0],
                       dtype_size((gpa_dtype)a->dtype));
    TRY(host_target_close(rt, &to, e));
    explain_call(rt, "scatter into", NULL, a);
    *done = true;
out:
    host_view_release(rt, &m);
    host_view_release(rt, &value);
    return rc;
}

/* ---- updates ---- */

/* An operation and its dtypes. */
typedef struct {
    gpa_op op;
    gpa_op_fn fn;
    gpa_dtype compute, second, result, own; /* second: of the other operand; own: the array's */
    gpa_op_loop loop;                       /* or NULL */
    bool plain;                             /* no conversions */
} update;

static void update_converted(const update *u, char *to, const char *from) {
    gpa_val a = dtype_load(to, u->own), b = {.bits = {0, 0}}, r = {.bits = {0, 0}};
    if (u->own != u->compute) a = dtype_cast(a, u->own, u->compute);
    if (from) b = dtype_load(from, u->second);
    u->fn(&r, &a, &b, &b);
    dtype_store(to, u->own, u->result == u->own ? r : dtype_cast(r, u->result, u->own));
}

/* n elements of `target` to update, at offsets `at`; their values are `step` elements apart. */
typedef struct {
    char *target;
    const int64_t *at;
    int64_t n;
    const char *value;
    int64_t step;
} element_run;

/* Updates elements of `bytes` bytes, a constant of the caller. */
static inline __attribute__((always_inline)) void update_sized(gpa_op_fn fn, const element_run *x,
                                                               size_t bytes) {
    const int64_t size = (int64_t)bytes;
    gpa_val a, b, r;
    for (int64_t j = 0; j < x->n; j++) {
        memcpy(&a, x->target + x->at[j] * size, bytes);
        memcpy(&b, x->value + j * x->step * size, bytes);
        fn(&r, &a, &b, &b);
        memcpy(x->target + x->at[j] * size, &r, bytes);
    }
}

/* Updates elements without conversions. */
static void update_elements(const update *u, const element_run *x) {
    if (u->loop) {
        u->loop(x->target, x->at, x->n, x->value, x->step);
        return;
    }
    switch (dtype_size(u->own)) {
        case 1: update_sized(u->fn, x, 1); break;
        case 2: update_sized(u->fn, x, 2); break;
        case 4: update_sized(u->fn, x, 4); break;
        case 8: update_sized(u->fn, x, 8); break;
        case 16: update_sized(u->fn, x, 16); break;
    }
}

/* Updates the block at `to`, a row of its last dimension at a time. `line`: the offsets of
 * TUNE_SCATTER_CHUNK_POINTS elements of a row. */
static void update_block(const update *u, const block *b, const int64_t *line, char *to,
                         const char *from) {
    const int last = b->ndim - 1;
    const int64_t own = (int64_t)dtype_size(u->own), item = (int64_t)dtype_size(u->second),
                  row = last < 0 ? 1 : b->shape[last];
    const int64_t step = last < 0 ? 0 : b->to[last], value_step = last < 0 ? 0 : b->from[last];
    int64_t in[GPA_MAX_DIMS] = {0};
    for (int64_t k = last < 0 ? 1 : shape_size(last, b->shape); k > 0; k--) {
        for (int64_t j = 0; j < row && u->plain; j += TUNE_SCATTER_CHUNK_POINTS)
            update_elements(u, &(element_run){to + j * step * own, line,
                                              MIN((int64_t)TUNE_SCATTER_CHUNK_POINTS, row - j),
                                              from + j * value_step * item, value_step});
        for (int64_t j = 0; j < row && !u->plain; j++)
            update_converted(u, to + j * step * own, from + j * value_step * item);
        for (int d = last - 1; d >= 0; d--) {
            bool over = ++in[d] == b->shape[d];
            int64_t by = over ? 1 - b->shape[d] : 1;
            to += b->to[d] * by * own;
            from += b->from[d] * by * item;
            if (!over) break;
            in[d] = 0;
        }
    }
}

static void update_points(const index_map *m, const scatter *s, char *target, const update *u) {
    int64_t own = (int64_t)dtype_size(u->own), item = (int64_t)dtype_size(u->second);
    int64_t to[TUNE_SCATTER_CHUNK_POINTS], from[TUNE_SCATTER_CHUNK_POINTS],
        line[TUNE_SCATTER_CHUNK_POINTS], at[GPA_MAX_DIMS] = {0}, where = 0, step;
    const char *value = s->from ? s->from : s->scalar; /* not read by unary operations */
    const block b = block_of(m, s);
    const bool single =
        shape_size(b.ndim, b.shape) == 1 && has_constant_step(m, s, &step) && u->plain;
    for (int64_t j = 0; j < TUNE_SCATTER_CHUNK_POINTS; j++)
        line[j] = b.ndim ? j * b.to[b.ndim - 1] : 0;
    for (int64_t i = 0; i < s->points; i += TUNE_SCATTER_CHUNK_POINTS) {
        int64_t n = MIN((int64_t)TUNE_SCATTER_CHUNK_POINTS, s->points - i);
        const points p = points_at(s, i, n, to);
        if (single && p.plain) {
            update_elements(
                u, &(element_run){target + p.base * own, p.at, n, value + i * step * item, step});
            continue;
        }
        if (p.at != to) make_offsets(s, i, n, to);
        if (single) {
            update_elements(u, &(element_run){target, to, n, value + i * step * item, step});
            continue;
        }
        value_offsets(m, s, at, &where, n, from);
        for (int64_t j = 0; j < n; j++) {
            __builtin_prefetch(target + to[MIN(j + TUNE_SCATTER_PREFETCH_UPDATES, n - 1)] * own, 1);
            update_block(u, &b, line, target + to[j] * own, value + from[j] * item);
        }
    }
}

gpa_code scatter_update(gpa_rt *rt, const index_map *m, const ufunc_loop *l, const gpa_opnd *rhs,
                        gpa_err *e) {
    const gpa_dtype own = (gpa_dtype)m->view->dtype, compute = l->compute, result = l->result;
    const gpa_op op = l->op;
    update u = {op,  op_function(op, compute), compute, op_operand_type(op, compute, 1), result,
                own, op_loop(op, own),         false};
    scatter s; /* large, so not cleared */
    host_target to;
    gpa_code rc = GPA_OK;
    u.plain = own == compute && own == result && (u.loop || own == u.second);
    TRY(get_coordinates(rt, m, &s, e));
    TRY(copy_aliased_coordinates(m, &s, e));
    if (rhs) TRY(get_value(rt, m, rhs, u.second, &s, e));
    TRY(host_target_open(rt, m->view, true, &to, e));
    update_points(m, &s, to.first, &u);
    TRY(host_target_close(rt, &to, e));
    explain_call(rt, op_info[op].name, NULL, m->view);
out:
    scatter_end(rt, &s);
    return rc;
}
