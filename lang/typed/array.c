/* Array views in compiled functions: slicing, indexing with bounds checks, loads, stores,
 * attributes.
 *
 * Invariant: the kir values of a view (offset, sizes, strides) are emitted in the region that
 * creates the view, so they dominate every use. A subscript is bounds-checked once (KIR_BOUND),
 * however often it is used.
 *
 * Reading order: arithmetic, views of whole arrays, slices, subscripts, elements, attributes. */
#include <string.h>

#include "runtime/base/arena.h"
#include "lang/typed/array_expr.h"

static const typed_ty py_int = {.dtype = DT_I64, .weak = true};

/* ---- int64 arithmetic ---- */

static int32_t constant(lowering *lw, int64_t i) {
    return kir_const(lw->f, DT_I64, (gpa_val){.I64 = i});
}

static int32_t plus(lowering *lw, int32_t a, int32_t b) { return kir_op2(lw->f, OP_ADD, a, b); }

/* a * b; b = -1 means the constant 1. */
static int32_t times(lowering *lw, int32_t a, int32_t b) {
    return b < 0 ? a : kir_op2(lw->f, OP_MULTIPLY, a, b);
}

static int32_t stride_of(lowering *lw, const tview *a, int d) {
    return a->stride[d] < 0 ? constant(lw, 1) : a->stride[d];
}

static tv integer(int32_t v) { return (tv){.kind = TV_NUMBER, .t = py_int, .v = v}; }

bool typed_constant(const lowering *lw, int32_t v, int64_t *out) {
    const kir_ins *i = v < 0 ? NULL : &lw->f->code[v];
    if (!i || i->code != KIR_CONST || i->type != DT_I64) return false;
    *out = lw->f->consts[i->imm].v.I64;
    return true;
}

/* Index along a dimension. The bounds check is omitted where the index is provably in bounds: a
 * loop counter whose range bound is this size, or a literal within a constant size. */
static int32_t index_of(lowering *lw, tv v, int32_t size, int axis) {
    int64_t n, most;
    bool fixed = typed_constant(lw, size, &n);
    if (v.limit && (int32_t)v.limit - 1 == size) return v.v;
    if (v.limit && fixed && typed_constant(lw, (int32_t)v.limit - 1, &most) && most <= n)
        return v.v;
    if (v.literal && fixed && v.i < n && v.i >= -n) return constant(lw, v.i < 0 ? v.i + n : v.i);
    return kir_emit(lw->f, (kir_ins){.code = KIR_BOUND,
                                     .type = DT_I64,
                                     .sub = (uint16_t)axis,
                                     .a = typed_cast(lw, v, py_int),
                                     .b = size,
                                     .c = -1});
}

/* ---- views ---- */

gpa_code typed_view_value(lowering *lw, const tview *a, tv *out) {
    *out = (tv){.kind = TV_ARRAY, .view = arena_alloc(lw->arena, sizeof *a)};
    if (!out->view) return vm_no_memory(lw->vm);
    *out->view = *a;
    out->t = (typed_ty){.dtype = a->dtype,
                        .rank = (uint8_t)(a->ndim + 1),
                        .unit_stride = a->ndim && a->stride[a->ndim - 1] < 0};
    return GPA_OK;
}

gpa_code typed_view(lowering *lw, int array, int ndim, bool unit, const int64_t *size, tv *out) {
    const kir_array *k = &lw->f->arrays[array];
    tview a = {.array = array,
               .dtype = k->dtype,
               .ndim = (uint8_t)ndim,
               .readonly = k->where == KIR_CONSTANT};
    int64_t c_stride = 1;
    a.offset = constant(lw, 0);
    for (int d = ndim - 1; d >= 0; d--) {
        bool whole = !size, last = d == ndim - 1;
        a.size[d] = whole ? typed_axis(lw, KIR_SIZE, array, d) : constant(lw, size[d]);
        a.stride[d] = last && (unit || !whole) ? -1
                      : whole                  ? typed_axis(lw, KIR_STRIDE, array, d)
                                               : constant(lw, c_stride);
        if (!whole) c_stride *= size[d];
    }
    return typed_view_value(lw, &a, out);
}

int32_t typed_axis(lowering *lw, kir_code code, int array, int d) {
    return kir_emit(lw->f, (kir_ins){.code = (uint8_t)code,
                                     .type = DT_I64,
                                     .sub = (uint16_t)array,
                                     .imm = (uint32_t)d,
                                     .a = -1,
                                     .b = -1,
                                     .c = -1});
}

tv typed_length(lowering *lw, const tview *a, int d) {
    (void)lw;
    return integer(a->size[d]);
}

/* ---- slices ---- */

static gpa_code bound_of(lowering *lw, const ast_node *n, int32_t *out) {
    tv v;
    gpa_code rc = typed_number(lw, n, &v);
    if (rc) return rc;
    if (!dtype_is_int((gpa_dtype)v.t.dtype)) {
        rc = typed_fail(lw, n, GPA_E_TYPE,
                        "slice indices must be integers or None or have an __index__ method");
        typed_note(lw, n, v);
        return rc;
    }
    *out = typed_cast(lw, v, py_int);
    return GPA_OK;
}

/* Normalizes a slice bound: adds the size to a negative one, then clamps to lo .. hi. */
static int32_t clamp_bound(lowering *lw, int32_t v, int32_t n, int32_t lo, int32_t hi) {
    int32_t negative = kir_op2(lw->f, OP_LESS, v, constant(lw, 0));
    v = kir_op3(lw->f, OP_WHERE, negative, plus(lw, v, n), v);
    return kir_op2(lw->f, OP_MINIMUM, kir_op2(lw->f, OP_MAXIMUM, v, lo), hi);
}

static gpa_code step_of(lowering *lw, const ast_node *n, int64_t *out) {
    tv v;
    *out = 1;
    if (!n || n->kind == AST_NONE) return GPA_OK;
    gpa_code rc = typed_number(lw, n, &v);
    if (rc) return rc;
    if (!v.literal)
        return typed_fail(lw, n, GPA_E_UNSUPPORTED,
                          "the step of a slice must be a literal in a compiled function");
    if (v.i == 0) return typed_fail(lw, n, GPA_E_VALUE, "slice step cannot be zero");
    *out = v.i;
    return GPA_OK;
}

/* Slices dimension d of `from` into dimension k of `to`. */
static gpa_code slice(lowering *lw, const ast_node *n, const tview *from, int d, tview *to, int k) {
    int64_t step;
    int32_t size = from->size[d], zero = constant(lw, 0), one = constant(lw, 1), start, stop;
    gpa_code rc = step_of(lw, n->slice.step, &step);
    if (rc) return rc;
    bool up = step > 0, has_start = n->slice.start && n->slice.start->kind != AST_NONE,
         has_stop = n->slice.stop && n->slice.stop->kind != AST_NONE;
    to->size[k] = size;
    to->stride[k] = from->stride[d];
    if (up && step == 1 && !has_start && !has_stop) return GPA_OK;
    int32_t last = kir_op2(lw->f, OP_SUBTRACT, size, one), lo = up ? zero : constant(lw, -1),
            hi = up ? size : last;
    start = up ? zero : last;
    stop = up ? size : lo;
    if (has_start && !(rc = bound_of(lw, n->slice.start, &start)))
        start = clamp_bound(lw, start, size, lo, hi);
    if (!rc && has_stop && !(rc = bound_of(lw, n->slice.stop, &stop)))
        stop = clamp_bound(lw, stop, size, lo, hi);
    if (rc) return rc;
    int32_t count =
        up ? kir_op2(lw->f, OP_SUBTRACT, stop, start) : kir_op2(lw->f, OP_SUBTRACT, start, stop);
    count = kir_op2(lw->f, OP_MAXIMUM, count, zero);
    int64_t by = up ? step : -step;
    if (by != 1)
        count = kir_op2(lw->f, OP_FLOOR_DIVIDE, plus(lw, count, constant(lw, by - 1)),
                        constant(lw, by));
    to->size[k] = count;
    to->offset = plus(lw, to->offset, times(lw, start, from->stride[d]));
    if (step != 1)
        to->stride[k] = kir_op2(lw->f, OP_MULTIPLY, stride_of(lw, from, d), constant(lw, step));
    return GPA_OK;
}

/* ---- subscripts ---- */

/* A subscript: an AST node (a slice), or (n NULL) an index that is already evaluated. */
typedef struct {
    const ast_node *n;
    tv v;
} subscript;

typedef struct {
    subscript at[2 * KIR_MAX_DIMS];
    int n, numbers, ellipsis; /* ellipsis: its index in `at`; -1: none */
} subscripts;

static gpa_code add_subscript(lowering *lw, const ast_node *at, subscripts *s, subscript one) {
    if (s->n == (int)COUNT_OF(s->at))
        return typed_fail(lw, at, GPA_E_INDEX, "too many indices for array");
    s->at[s->n++] = one;
    return GPA_OK;
}

/* Reads one subscript; a name may be bound to a tuple, which contributes all its items. */
static gpa_code read_subscript(lowering *lw, const ast_node *n, subscripts *s) {
    tv v;
    if (n->kind == AST_SLICE) return add_subscript(lw, n, s, (subscript){.n = n});
    if (n->kind == AST_ELLIPSIS) {
        if (s->ellipsis >= 0)
            return typed_fail(lw, n, GPA_E_INDEX,
                              "an index can only have a single ellipsis ('...')");
        s->ellipsis = s->n;
        return GPA_OK;
    }
    gpa_code rc = typed_expr(lw, n, &v);
    if (rc) return rc;
    uint32_t count = v.kind == TV_TUPLE ? v.n : 1;
    for (uint32_t i = 0; i < count && !rc; i++) {
        tv one = v.kind == TV_TUPLE ? v.items[i] : v;
        if (one.kind != TV_NUMBER || !dtype_is_int((gpa_dtype)one.t.dtype)) {
            lw->fallback = true;
            rc = typed_fail(
                lw, n, GPA_E_INDEX,
                "arrays of compiled functions are indexed by integers, slices and `...`");
            typed_note(lw, n, one);
            return rc;
        }
        rc = add_subscript(lw, n, s, (subscript){.v = one});
    }
    return rc;
}

static gpa_code too_many_indices(lowering *lw, const ast_node *at, const tview *a, int n) {
    return typed_fail(lw, at, GPA_E_INDEX,
                      "too many indices for array: array is %d-dimensional, but %d were indexed",
                      a->ndim, n);
}

static gpa_code apply_subscripts(lowering *lw, const ast_node *at, const tview *a,
                                 const subscripts *s, tview *out) {
    tview r = {.array = a->array, .dtype = a->dtype, .readonly = a->readonly, .offset = a->offset};
    int k = 0, skip = a->ndim - s->n;
    if (skip < 0) return too_many_indices(lw, at, a, s->n);
    int gap = s->ellipsis < 0 ? s->n : s->ellipsis;
    for (int d = 0, i = 0; d < a->ndim; d++) {
        if (d >= gap && d < gap + skip) {
            r.size[k] = a->size[d];
            r.stride[k++] = a->stride[d];
            continue;
        }
        const subscript *one = &s->at[i++];
        if (one->n) {
            gpa_code rc = slice(lw, one->n, a, d, &r, k++);
            if (rc) return rc;
            continue;
        }
        int32_t index = index_of(lw, one->v, a->size[d], d);
        r.offset = plus(lw, r.offset, times(lw, index, a->stride[d]));
    }
    r.ndim = (uint8_t)k;
    *out = r;
    return GPA_OK;
}

gpa_code typed_subscript(lowering *lw, const ast_node *at, const tv *a, const ast_node *index,
                         tview *out) {
    subscripts s = {.ellipsis = -1};
    gpa_code rc = GPA_OK;
    if (index->kind == AST_TUPLE)
        for (uint32_t i = 0; i < index->tuple.items.n && !rc; i++)
            rc = read_subscript(lw, index->tuple.items.at[i], &s);
    else
        rc = read_subscript(lw, index, &s);
    kir_set_span(lw->f, at->span);
    return rc ? rc : apply_subscripts(lw, at, a->view, &s, out);
}

gpa_code typed_index(lowering *lw, const ast_node *at, const tview *a, const tv *ix, int n,
                     tview *out) {
    subscripts s = {.ellipsis = -1};
    if (n > a->ndim) return too_many_indices(lw, at, a, n);
    for (int i = 0; i < n; i++) s.at[s.n++] = (subscript){.v = ix[i]};
    return apply_subscripts(lw, at, a, &s, out);
}

gpa_code typed_subscript_value(lowering *lw, const ast_node *at, const tv *a, const ast_node *index,
                               tv *out) {
    tview element;
    gpa_code rc = typed_subscript(lw, at, a, index, &element);
    if (rc) return rc;
    if (element.ndim) return typed_view_value(lw, &element, out);
    *out = typed_load(lw, &element);
    return GPA_OK;
}

/* ---- elements ---- */

tv typed_load(lowering *lw, const tview *x) {
    lw->f->arrays[x->array].access |= KIR_READ;
    int32_t v = kir_emit(lw->f, (kir_ins){.code = KIR_LOADX,
                                          .type = x->dtype,
                                          .sub = (uint16_t)x->array,
                                          .a = x->offset,
                                          .b = -1,
                                          .c = -1});
    return (tv){.kind = TV_NUMBER, .t = {.dtype = x->dtype}, .v = v};
}

gpa_code typed_store(lowering *lw, const ast_node *at, const tview *x, tv v) {
    if (x->readonly) return typed_fail(lw, at, GPA_E_VALUE, "assignment destination is read-only");
    if (v.kind != TV_NUMBER) {
        gpa_code rc = typed_fail(lw, at, GPA_E_TYPE, "an element of an array is a number");
        typed_note(lw, at, v);
        return rc;
    }
    if (dtype_is_complex((gpa_dtype)v.t.dtype) && !dtype_is_complex((gpa_dtype)x->dtype))
        return typed_fail(lw, at, GPA_E_TYPE, "a %s cannot be stored in an array of %s",
                          typed_name(v.t), dtype_info[x->dtype].name);
    lw->f->arrays[x->array].access |= KIR_WRITE;
    int32_t as = typed_cast(lw, v, (typed_ty){.dtype = x->dtype});
    kir_emit(lw->f, (kir_ins){.code = KIR_STOREX,
                              .type = DT_NONE,
                              .sub = (uint16_t)x->array,
                              .a = x->offset,
                              .b = as,
                              .c = -1});
    return GPA_OK;
}

/* An elementwise assignment to a view. `from` (a view with as many dimensions, or fewer)
 * broadcasts along the leading ones; NULL: every element is *v. */
typedef struct {
    const ast_node *at; /* the assignment's target, or the whole statement if it is augmented */
    const tview *to, *from;
    const tv *v;
} element_copy;

/* Emits the loop nest of an assignment, from dimension d on; `ix` holds the counters of the loops
 * opened so far. */
static gpa_code copy_elements(lowering *lw, const element_copy *copy, int d, const tv *ix) {
    const ast_node *at = copy->at;
    const tview *to = copy->to, *from = copy->from;
    tv now[KIR_MAX_DIMS];
    tview element;
    if (d == to->ndim) {
        gpa_code rc = typed_index(lw, at, to, ix, d, &element);
        tv one = *copy->v;
        tview origin;
        if (!rc && from)
            rc = typed_index(lw, at, from, ix + (to->ndim - from->ndim), from->ndim, &origin);
        if (!rc && from) one = typed_load(lw, &origin);
        if (!rc && at->kind == AST_AUGASSIGN)
            rc = typed_binary(lw, at, ast_op_row(at->augassign.op),
                              (typed_operand){at->augassign.target, typed_load(lw, &element)},
                              (typed_operand){at->augassign.value, one}, &one);
        return rc ? rc : typed_store(lw, at, &element, one);
    }
    if (d) memcpy(now, ix, (size_t)d * sizeof *now);
    typed_open(lw, KIR_FOR, DT_I64, constant(lw, 0), to->size[d], constant(lw, 1));
    now[d] = integer((int32_t)lw->f->n_code - 1);
    now[d].limit = (uint32_t)to->size[d] + 1;
    gpa_code rc = copy_elements(lw, copy, d + 1, now);
    typed_close(lw, KIR_FOR);
    return rc;
}

/* Emits a runtime check that two sizes agree, unless they are the same kir value. */
static void check_size(lowering *lw, int32_t want, int32_t have) {
    if (want == have) return;
    typed_open(lw, KIR_IF, DT_NONE, kir_op2(lw->f, OP_NOT_EQUAL, want, have), -1, -1);
    kir_emit(lw->f, (kir_ins){.code = KIR_FAULT,
                              .type = DT_NONE,
                              .sub = KIR_FT_SHAPE,
                              .imm = KIR_NO_TEXT,
                              .a = have,
                              .b = want,
                              .c = -1});
    typed_close(lw, KIR_IF);
}

/* Stores the items of a tuple in a one-dimensional view. */
static gpa_code fill_row(lowering *lw, const ast_node *at, const tview *to, const tv *v) {
    tview element;
    gpa_code rc = GPA_OK;
    check_size(lw, to->size[0], constant(lw, v->n));
    for (uint32_t i = 0; i < v->n && !rc; i++) {
        tv ix = typed_int(lw, i);
        rc = typed_index(lw, at, to, &ix, 1, &element);
        if (!rc) rc = typed_store(lw, at, &element, v->items[i]);
    }
    return rc;
}

gpa_code typed_fill(lowering *lw, const ast_node *at, const tview *to, const tv *v) {
    const tview *from = v->kind == TV_ARRAY ? v->view : NULL;
    if (to->ndim == 0 && !from) return typed_store(lw, at, to, *v);
    if (to->ndim == 1 && v->kind == TV_TUPLE && v->n > 1 && at->kind != AST_AUGASSIGN)
        return fill_row(lw, at, to, v);
    lw->fallback = lw->fallback || v->kind == TV_TUPLE;
    if (from && from->ndim > to->ndim)
        return typed_fail(lw, at, GPA_E_VALUE,
                          "an array of %d dimensions cannot be assigned to a view of %d",
                          from->ndim, to->ndim);
    tv copy;
    bool overlaps = from && from->array == to->array;
    if (overlaps && lw->to->form == TYPED_LOOP) {
        gpa_code rc = typed_copy_array(lw, at, v, &copy);
        return rc ? rc : typed_fill(lw, at, to, &copy);
    }
    if (overlaps)
        return typed_fail(lw, at, GPA_E_UNSUPPORTED,
                          "a slice of an array cannot be assigned to a slice of the same array "
                          "here: write the loop");
    for (int d = 0; from && d < from->ndim; d++)
        check_size(lw, to->size[d + to->ndim - from->ndim], from->size[d]);
    return copy_elements(lw, &(element_copy){.at = at, .to = to, .from = from, .v = v}, 0, NULL);
}

/* ---- attributes ---- */

static gpa_code shape_of(lowering *lw, const tview *a, tv *out) {
    if (typed_tuple(lw, a->ndim, out)) return GPA_E_MEMORY;
    for (int d = 0; d < a->ndim; d++) out->items[d] = integer(a->size[d]);
    return GPA_OK;
}

gpa_code typed_array_attr(lowering *lw, const ast_node *at, const tv *a, const char *name,
                          bool *found, tv *out) {
    const tview *x = a->view;
    (void)at;
    *found = true;
    if (strcmp(name, "shape") == 0) return shape_of(lw, x, out);
    if (strcmp(name, "ndim") == 0)
        *out = typed_int(lw, x->ndim);
    else if (strcmp(name, "size") == 0) {
        int32_t n = constant(lw, 1);
        for (int d = 0; d < x->ndim; d++) n = d ? times(lw, n, x->size[d]) : x->size[d];
        *out = integer(n);
    } else if (strcmp(name, "dtype") == 0)
        *out = (tv){.kind = TV_STATIC, .constant = v_dtype((gpa_dtype)x->dtype)};
    else if (strcmp(name, "T") == 0) {
        tview t = *x;
        for (int d = 0; d < x->ndim; d++) {
            t.size[d] = x->size[x->ndim - 1 - d];
            t.stride[d] = x->stride[x->ndim - 1 - d];
        }
        return typed_view_value(lw, &t, out);
    } else
        *found = false;
    return GPA_OK;
}

/* len(x) of an array or a tuple. */
gpa_code typed_len(lowering *lw, const typed_site *s, tv *out) {
    if (s->n != 1)
        return typed_fail(lw, s->node, GPA_E_TYPE, "len() takes exactly one argument (%u given)",
                          s->n);
    const tv *a = &s->args[0];
    if (a->kind == TV_TUPLE)
        *out = typed_int(lw, a->n);
    else if (a->kind == TV_ARRAY && a->view->ndim)
        *out = integer(a->view->size[0]);
    else if (a->kind == TV_ARRAY)
        return typed_fail(lw, s->node, GPA_E_TYPE, "len() of unsized object");
    else
        return typed_fail(lw, s->node, GPA_E_TYPE, "object of type '%s' has no len()",
                          typed_kind(a));
    return GPA_OK;
}
