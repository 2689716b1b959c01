/* Gradients with respect to storages (runtime/tape.h).
 *
 * A layout without negative strides whose strides divide each other is a box in the storage, taken
 * as an array of as many axes: x[1::2] of 10 elements is a column of (5, 2). Gradients of boxes are
 * padded and added, without storing into memory, so that they fuse. Small parts, and other layouts,
 * are added in memory of the gradient's own.
 *
 * Reading order: boxes, padding, contributions, the table, parts, the interface. */
#include "runtime/array/gradients.h"

#include "runtime/array/array.h"
#include "runtime/array/tape.h"

/* Parts of fewer elements than 1 / SMALL_PART of the storage are added in place. */
enum { SMALL_PART = 8 };

typedef struct {
    uint64_t number; /* of the storage; 0: free */
    gpa_arr *a;      /* of the storage's elements, in order, in any shape; NULL: zero */
    bool owned;      /* nothing else refers to its memory */
} entry;

struct tape_gradients {
    entry *slot;
    size_t cap, count; /* cap: a power of two */
};

/* ---- boxes ---- */

typedef struct {
    int ndim;
    int64_t shape[GPA_MAX_DIMS];                       /* of the storage */
    int64_t start[GPA_MAX_DIMS], extent[GPA_MAX_DIMS]; /* of the box */
    int axis[GPA_MAX_DIMS];                            /* of the layout; -1: none */
} box;

static int64_t n_elements(const tape_operand *o) {
    int64_t n = 1;
    for (int d = 0; d < o->ndim; d++) n *= o->layout[d];
    return n;
}

/* True if a layout is all elements of its storage, in order. */
static bool is_whole(const tape_operand *o) {
    int64_t step = 1;
    bool in_order = true;
    for (int d = o->ndim - 1; d >= 0; d--) {
        in_order &= o->layout[d] == 1 || o->layout[o->ndim + d] == step;
        step *= o->layout[d];
    }
    return in_order && o->offset == 0 && step == o->storage_size && o->dtype == o->storage_dtype;
}

/* The axes of a layout that have several elements, by decreasing stride. */
static int sorted_axes(const tape_operand *o, int *axis) {
    int n = 0;
    for (int d = 0; d < o->ndim; d++) {
        if (o->layout[d] == 1) continue;
        int k = n++;
        for (; k > 0 && o->layout[o->ndim + axis[k - 1]] < o->layout[o->ndim + d]; k--)
            axis[k] = axis[k - 1];
        axis[k] = d;
    }
    return n;
}

/* False: the layout is no box. */
static bool find_box(const tape_operand *o, box *x) {
    int axis[GPA_MAX_DIMS];
    const int n = sorted_axes(o, axis);
    int64_t left = o->storage_size, at = o->offset;
    *x = (box){.ndim = 0};
    if (o->dtype != o->storage_dtype || n_elements(o) == 0 || n >= GPA_MAX_DIMS) return false;
    for (int k = 0; k <= n; k++) {
        const int64_t stride = k < n ? o->layout[o->ndim + axis[k]] : 1;
        if (stride <= 0 || left % stride) return false;
        if (k == n && left == 1) break; /* the innermost stride is 1 */
        /* The axis of this stride: its extent is what is left of the one before. */
        x->shape[x->ndim] = left / stride;
        x->start[x->ndim] = at / stride;
        x->extent[x->ndim] = k < n ? o->layout[axis[k]] : 1;
        x->axis[x->ndim] = k < n ? axis[k] : -1;
        if (x->start[x->ndim] + x->extent[x->ndim] > x->shape[x->ndim]) return false;
        at %= stride;
        left = stride;
        x->ndim++;
    }
    return true;
}

/* ---- padding ---- */

typedef struct {
    const box *x;
    gpa_arr *from; /* an array of the storage's shape, or NULL: zeros */
    gpa_dtype dtype;
} surroundings;

/* Rows along an axis: the axes before it are whole, those after it are the box's. */
typedef struct {
    int axis;
    int64_t first, extent;
} slab;

static gpa_code slab_of(gpa_rt *rt, const surroundings *s, slab m, gpa_arr **out, gpa_err *e) {
    const box *x = s->x;
    int64_t shape[GPA_MAX_DIMS], offset = 0;
    for (int d = 0; d < x->ndim; d++) {
        const int64_t first = d < m.axis ? 0 : d == m.axis ? m.first : x->start[d];
        shape[d] = d < m.axis ? x->shape[d] : d == m.axis ? m.extent : x->extent[d];
        offset += s->from ? first * s->from->strides[d] : 0;
    }
    if (!s->from)
        return arr_full(rt, &(arr_spec){s->dtype, x->ndim, shape}, (gpa_val){.bits = {0, 0}}, out,
                        e);
    const arr_layout l = {s->dtype, x->ndim, shape, s->from->strides, offset};
    return arr_view(rt, s->from, &l, out, e);
}

/* Surrounds *a, of the box's shape, up to the shape of the storage: by zeros, or by the
 * elements of `from` around the box. */
static gpa_code surround(gpa_rt *rt, const box *x, gpa_arr *from, gpa_arr **a, gpa_err *e) {
    const surroundings s = {x, from, (gpa_dtype)(*a)->dtype};
    gpa_code rc = GPA_OK;
    for (int d = 0; d < x->ndim && !rc; d++) {
        const slab before = {d, 0, x->start[d]};
        const int64_t end = x->start[d] + x->extent[d];
        const slab after = {d, end, x->shape[d] - end};
        gpa_arr *part[3] = {NULL}, *joined = NULL;
        int n = 0;
        if (before.extent) rc = slab_of(rt, &s, before, &part[n++], e);
        part[n++] = arr_retain(*a);
        if (after.extent && !rc) rc = slab_of(rt, &s, after, &part[n++], e);
        const arr_concatenation c = {
            .in = part, .n = n, .axis = d, .dtype = s.dtype, .fuses = true};
        if (n > 1 && !rc) rc = arr_concat(rt, &c, &joined, e);
        for (int i = 0; i < n; i++) arr_release(rt, part[i]);
        if (!joined) continue;
        arr_release(rt, *a);
        *a = joined;
    }
    return rc;
}

/* ---- contributions ---- */

/* A contribution in the shape and dtype of an operand: summed over what was broadcast. */
static gpa_code fitted(gpa_rt *rt, gpa_arr *c, const tape_operand *o, gpa_arr **out, gpa_err *e) {
    gpa_arr *sum = NULL, *shaped = NULL, *real = NULL;
    const int extra = c->ndim - o->ndim;
    gpa_axes axes = 0;
    gpa_code rc = GPA_OK;
    for (int d = 0; d < c->ndim; d++)
        if (d < extra || (extra >= 0 && o->layout[d - extra] == 1 && c->shape[d] != 1))
            axes |= gpa_axis(d);
    const arr_reduce_opts over = {.axes = axes, .keepdims = true, .dtype = (gpa_dtype)c->dtype};
    if (axes) TRY(arr_reduce(rt, RED_SUM, c, &over, &sum, e));
    gpa_arr *from = sum ? sum : c;
    if (extra > 0)
        TRY(arr_reshape(rt, from, o->ndim, o->layout, &shaped, e));
    else
        TRY(arr_broadcast_to(rt, from, o->ndim, o->layout, &shaped, e));
    if (dtype_is_complex((gpa_dtype)c->dtype) && !dtype_is_complex((gpa_dtype)o->dtype))
        TRY(arr_part(rt, shaped, false, &real, e));
    rc = arr_cast(rt, real ? real : shaped, (gpa_dtype)o->dtype, false, out, e);
out:
    arr_release(rt, sum);
    arr_release(rt, shaped);
    arr_release(rt, real);
    return rc;
}

/* Arranges a contribution of the layout's shape as its box. */
static gpa_code boxed(gpa_rt *rt, gpa_arr *c, const box *x, gpa_arr **out, gpa_err *e) {
    int64_t strides[GPA_MAX_DIMS];
    for (int d = 0; d < x->ndim; d++) strides[d] = x->axis[d] < 0 ? 0 : c->strides[x->axis[d]];
    const arr_layout l = {(gpa_dtype)c->dtype, x->ndim, x->extent, strides, 0};
    return arr_view(rt, c, &l, out, e);
}

/* ---- the table ---- */

static entry *find_slot(const tape_gradients *g, uint64_t number) {
    size_t i = hash_words(&number, 1, 0) & (g->cap - 1);
    while (g->slot[i].number && g->slot[i].number != number) i = (i + 1) & (g->cap - 1);
    return &g->slot[i];
}

static entry *find(const tape_gradients *g, uint64_t number) {
    entry *x = g->cap ? find_slot(g, number) : NULL;
    return x && x->number && x->a ? x : NULL;
}

/* The entry of a storage, added if it is missing. NULL when memory is short. */
static entry *enter(tape_gradients *g, uint64_t number) {
    if (2 * g->count >= g->cap) {
        tape_gradients bigger = {.cap = g->cap ? 2 * g->cap : 64};
        bigger.slot = mem_zero(bigger.cap * sizeof *bigger.slot);
        if (!bigger.slot) return NULL;
        for (size_t i = 0; i < g->cap; i++) /* entries without a gradient are left behind */
            if (g->slot[i].number && g->slot[i].a) {
                *find_slot(&bigger, g->slot[i].number) = g->slot[i];
                bigger.count++;
            }
        mem_free(g->slot);
        *g = bigger;
    }
    entry *x = find_slot(g, number);
    if (!x->number) {
        x->number = number;
        g->count++;
    }
    return x;
}

/* Replaces the gradient of a storage by *a, which is consumed. */
static void put(gpa_rt *rt, entry *x, gpa_arr *a, bool owned) {
    arr_release(rt, x->a);
    x->a = a;
    x->owned = owned;
}

gpa_arr *gradient_of(gpa_rt *rt, const tape_gradients *g, uint64_t storage, bool *owned) {
    const entry *x = find(g, storage);
    if (!x) return NULL;
    *owned = x->owned;
    if (x->a->refs == 1) {
        arr_release(rt, x->a->base);
        x->a->base = NULL;
    }
    return x->a;
}

gpa_arr *gradient_remove(tape_gradients *g, uint64_t storage) {
    entry *x = find(g, storage);
    gpa_arr *a = x ? x->a : NULL;
    if (x) x->a = NULL;
    return a;
}

gpa_code gradient_set_take(gpa_rt *rt, tape_gradients *g, uint64_t storage, gpa_arr *a, bool owned,
                           gpa_err *e) {
    entry *x = enter(g, storage);
    if (!x) arr_release(rt, a);
    if (!x) return gpa_no_memory(e);
    put(rt, x, a, owned);
    return GPA_OK;
}

/* ---- parts ---- */

/* True if a layout is of the real or the imaginary parts of a complex storage. */
static bool is_of_parts(const tape_operand *o) {
    return dtype_is_complex((gpa_dtype)o->storage_dtype) && dtype_is_float((gpa_dtype)o->dtype);
}

static gpa_code refuse_reinterpreted(gpa_err *e) {
    return gpa_fail(e, GPA_E_UNSUPPORTED,
                    "views that reinterpret an array as another dtype have no derivative");
}

/* The part of the gradient `a` of a storage that a layout is. */
static gpa_code part_of(gpa_rt *rt, gpa_arr *a, const tape_operand *o, gpa_arr **out, gpa_err *e) {
    gpa_arr *dense = NULL, *flat = NULL;
    const arr_layout l = {(gpa_dtype)o->dtype, o->ndim, o->layout, o->layout + o->ndim, o->offset};
    gpa_code rc = GPA_OK;
    if (!arr_is_contiguous(a)) TRY(arr_copy(rt, a, &dense, e)); /* one that is stored into is */
    TRY(arr_reshape(rt, dense ? dense : a, 1, &a->size, &flat, e));
    if (o->dtype == o->storage_dtype) {
        TRY(arr_view(rt, flat, &l, out, e));
    } else if (!is_of_parts(o)) {
        rc = refuse_reinterpreted(e);
    } else {
        gpa_arr *parts = NULL;
        TRY(arr_reinterpret(rt, flat, (gpa_dtype)o->dtype, &parts, e));
        rc = arr_view(rt, parts, &l, out, e);
        arr_release(rt, parts);
    }
out:
    arr_release(rt, dense);
    arr_release(rt, flat);
    return rc;
}

/* True if a layout is of the imaginary parts of a complex storage, where gradients change sign:
 * du = Re(g dz) and z = x + iy give -Im g for y. */
static bool is_imaginary(const tape_operand *o) { return is_of_parts(o) && o->offset % 2; }

static gpa_code negated(gpa_rt *rt, gpa_arr **a, gpa_err *e) {
    gpa_arr *n;
    gpa_code rc = arr_ufunc(rt, OP_NEGATIVE, &(gpa_opnd){.arr = *a}, NULL, &n, e);
    if (rc) return rc;
    arr_release(rt, *a);
    *a = n;
    return GPA_OK;
}

gpa_code tape_gradient_view(gpa_rt *rt, tape_gradients *g, const tape_operand *o, gpa_arr **out,
                            gpa_err *e) {
    entry *x = enter(g, o->storage);
    gpa_arr *own = NULL;
    gpa_code rc = GPA_OK;
    if (!x) return gpa_no_memory(e);
    const arr_spec all = {(gpa_dtype)o->storage_dtype, 1, &o->storage_size};
    if (!x->a) {
        gpa_arr *zero = NULL;
        TRY(arr_full(rt, &all, (gpa_val){.bits = {0, 0}}, &zero, e));
        rc = arr_copy(rt, zero, &own, e);
        arr_release(rt, zero);
    } else if (!x->owned) {
        rc = arr_copy(rt, x->a, &own, e);
    }
    if (rc) goto out;
    if (own) put(rt, x, own, true);
    rc = part_of(rt, x->a, o, out, e);
out:
    return rc;
}

/* True if elements of a layout may share memory: a window that slides over an array, or a
 * broadcast. */
static bool overlaps(const tape_operand *o) {
    int axis[GPA_MAX_DIMS];
    int64_t reach = 0;
    bool shares = false;
    tape_operand positive = *o;
    int64_t layout[2 * GPA_MAX_DIMS];
    for (int d = 0; d < o->ndim; d++) {
        layout[d] = o->layout[d];
        layout[o->ndim + d] =
            o->layout[o->ndim + d] < 0 ? -o->layout[o->ndim + d] : o->layout[o->ndim + d];
    }
    positive.layout = layout;
    for (int k = sorted_axes(&positive, axis) - 1; k >= 0; k--) {
        const int64_t stride = layout[o->ndim + axis[k]];
        shares |= stride <= reach;
        reach += stride * (layout[axis[k]] - 1);
    }
    return shares;
}

/* Adds c to each element of an overlapping layout: indices into the storage. */
static gpa_code add_overlapping(gpa_rt *rt, tape_gradients *g, const tape_operand *o, gpa_arr *c,
                                gpa_err *e) {
    int64_t layout[2] = {o->storage_size, 1};
    const tape_operand all = {.storage = o->storage,
                              .dtype = o->storage_dtype,
                              .storage_dtype = o->storage_dtype,
                              .ndim = 1,
                              .storage_size = o->storage_size,
                              .layout = layout};
    gpa_arr *flat = NULL, *numbers = NULL, *at = NULL;
    gpa_code rc = GPA_OK;
    const arr_layout l = {DT_I64, o->ndim, o->layout, o->layout + o->ndim, o->offset};
    TRY(tape_gradient_view(rt, g, &all, &flat, e));
    TRY(arr_iota(rt, o->storage_size, 0, 1, &numbers, e));
    TRY(arr_view(rt, numbers, &l, &at, e));
    const gpa_index one = {.kind = IX_ARRAY, .arr = at};
    rc = arr_update_at(rt, OP_ADD, flat, &(gpa_indices){&one, 1}, &(gpa_opnd){.arr = c}, e);
out:
    arr_release(rt, flat);
    arr_release(rt, numbers);
    arr_release(rt, at);
    return rc;
}

static gpa_code add_in_place(gpa_rt *rt, tape_gradients *g, const tape_operand *o, gpa_arr *c,
                             gpa_err *e) {
    gpa_arr *part = NULL;
    gpa_code rc = tape_gradient_view(rt, g, o, &part, e);
    if (!rc) rc = arr_update(rt, OP_ADD, part, &(gpa_opnd){.arr = c}, e);
    arr_release(rt, part);
    return rc;
}

/* The gradient of the storage plus c (consumed), which has a shape of the storage's elements. */
static gpa_code add_all(gpa_rt *rt, entry *x, gpa_arr *c, gpa_err *e) {
    gpa_arr *before = NULL, *sum = NULL;
    gpa_code rc = GPA_OK;
    if (!x->a) {
        put(rt, x, c, false);
        return GPA_OK;
    }
    TRY(arr_reshape(rt, x->a, c->ndim, c->shape, &before, e));
    TRY(arr_ufunc(rt, OP_ADD, (gpa_opnd[]){{.arr = before}, {.arr = c}}, NULL, &sum, e));
    put(rt, x, sum, false);
out:
    arr_release(rt, before);
    arr_release(rt, c);
    return rc;
}

static bool is_small(const tape_operand *o) { return n_elements(o) < o->storage_size / SMALL_PART; }

/* ---- the interface ---- */

tape_gradients *tape_gradients_new(void) { return mem_zero(sizeof(tape_gradients)); }

void tape_gradients_free(gpa_rt *rt, tape_gradients *g) {
    for (size_t i = 0; g && i < g->cap; i++) arr_release(rt, g->slot[i].a);
    if (g) mem_free(g->slot);
    mem_free(g);
}

gpa_code tape_gradient_add(gpa_rt *rt, tape_gradients *g, const tape_operand *o, gpa_arr *c,
                           gpa_err *e) {
    gpa_arr *fit = NULL, *part = NULL;
    gpa_code rc = GPA_OK;
    box x;
    if (!o->active || !o->storage) return GPA_OK;
    entry *at = enter(g, o->storage);
    if (!at) return gpa_no_memory(e);
    TRY(fitted(rt, c, o, &fit, e));
    if (is_whole(o)) {
        rc = add_all(rt, at, arr_retain(fit), e);
    } else if (!(at->owned && at->a) && !is_small(o) && find_box(o, &x)) {
        TRY(boxed(rt, fit, &x, &part, e));
        TRY(surround(rt, &x, NULL, &part, e));
        rc = add_all(rt, at, part, e);
        part = NULL;
    } else {
        if (is_imaginary(o)) TRY(negated(rt, &fit, e));
        rc = overlaps(o) ? add_overlapping(rt, g, o, fit, e) : add_in_place(rt, g, o, fit, e);
    }
out:
    arr_release(rt, fit);
    arr_release(rt, part);
    return rc;
}

gpa_code tape_gradient_get(gpa_rt *rt, tape_gradients *g, const tape_operand *o, gpa_arr **out,
                           gpa_err *e) {
    const entry *x = find(g, o->storage);
    *out = NULL;
    if (!x) return GPA_OK;
    if (is_whole(o)) return arr_reshape(rt, x->a, o->ndim, o->layout, out, e);
    gpa_code rc = part_of(rt, x->a, o, out, e);
    if (!rc && is_imaginary(o)) rc = negated(rt, out, e);
    return rc;
}

gpa_code tape_gradient_take(gpa_rt *rt, tape_gradients *g, const tape_operand *o, gpa_arr **out,
                            gpa_err *e) {
    gpa_code rc = tape_gradient_get(rt, g, o, out, e);
    entry *x = find(g, o->storage);
    if (!rc && x) put(rt, x, NULL, false);
    return rc;
}

bool tape_gradient_is_shared(const tape_gradients *g, const tape_operand *o) {
    const entry *x = find(g, o->storage);
    return x && (x->owned || x->a->readonly || x->a->storage->refs > 1);
}

/* The gradient of the storage, but zero in a box. */
static gpa_code clear_box(gpa_rt *rt, entry *at, const box *x, gpa_err *e) {
    const arr_spec inside = {(gpa_dtype)at->a->dtype, x->ndim, x->extent};
    gpa_arr *rest = NULL, *shaped = NULL;
    gpa_code rc = GPA_OK;
    TRY(arr_reshape(rt, at->a, x->ndim, x->shape, &shaped, e));
    TRY(arr_full(rt, &inside, (gpa_val){.bits = {0, 0}}, &rest, e));
    TRY(surround(rt, x, shaped, &rest, e));
    put(rt, at, rest, false);
    rest = NULL;
out:
    arr_release(rt, rest);
    arr_release(rt, shaped);
    return rc;
}

/* True if the part of a layout is cleared without storing into memory; *x: its box. */
static bool clears_box(const entry *at, const tape_operand *o, box *x) {
    return !at->owned && !is_small(o) && find_box(o, x);
}

gpa_code tape_gradient_forget(gpa_rt *rt, tape_gradients *g, const tape_operand *o, gpa_err *e) {
    const gpa_opnd zero = {.weak = WEAK_INT, .dtype = DT_I64};
    entry *at = find(g, o->storage);
    gpa_arr *part = NULL;
    box x;
    if (!at) return GPA_OK;
    if (is_whole(o)) {
        put(rt, at, NULL, false);
        return GPA_OK;
    }
    if (clears_box(at, o, &x)) return clear_box(rt, at, &x, e);
    gpa_code rc = tape_gradient_view(rt, g, o, &part, e);
    if (!rc) rc = arr_set(rt, part, NULL, &zero, e);
    arr_release(rt, part);
    return rc;
}

gpa_code tape_gradient_move(gpa_rt *rt, tape_gradients *g, const tape_operand *from,
                            const tape_operand *to, gpa_err *e) {
    const entry *at = find(g, from->storage);
    gpa_arr *found = NULL, *kept = NULL;
    gpa_code rc = GPA_OK;
    box x;
    if (!at) return GPA_OK;
    const bool in_place = !is_whole(from) && !clears_box(at, from, &x);
    TRY(tape_gradient_get(rt, g, from, &found, e));
    if (to->active && in_place) TRY(arr_copy(rt, found, &kept, e));
    TRY(tape_gradient_forget(rt, g, from, e));
    rc = tape_gradient_add(rt, g, to, kept ? kept : found, e);
out:
    arr_release(rt, found);
    arr_release(rt, kept);
    return rc;
}
