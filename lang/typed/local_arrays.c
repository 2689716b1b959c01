/* Arrays created in compiled code: shared memory of a block (cuda.shared.array), private arrays
 * of a thread or point (cuda.local.array, np.zeros, np.ones, np.empty, np.full, np.array). Their
 * sizes are compile-time constants, or in loops of @jit known when the loop starts (scratch.c).
 *
 * Reading order: arguments, allocation, arrays in loops, the functions. */
#include <string.h>

#include "lang/typed/all.h"
#include "lang/typed/array_expr.h"
#include "lang/typed/loop.h"

enum {
    MAX_LOCAL_BYTES = 512 * 1024, /* GPUs' limit of local memory per thread */
    LOCAL_ARRAY_MAX_ELEMS = 256   /* in loops; larger ones are scratch memory */
};

/* ---- arguments ---- */

typedef struct {
    const ast_node *shape, *dtype;
} array_args;

static gpa_code bind(lowering *lw, const typed_site *s, array_args *a) {
    const ast_list *args = &s->node->call.args, *keywords = &s->node->call.keywords;
    *a = (array_args){args->n > 0 ? args->at[0] : NULL, args->n > 1 ? args->at[1] : NULL};
    for (uint32_t i = 0; i < keywords->n; i++) {
        const char *name = intern_text(vm_names(lw->vm), keywords->at[i]->keyword.name);
        if (strcmp(name, "shape") == 0)
            a->shape = keywords->at[i]->keyword.value;
        else if (strcmp(name, "dtype") == 0 || strcmp(name, "type") == 0)
            a->dtype = keywords->at[i]->keyword.value;
        else
            return typed_fail(lw, keywords->at[i], GPA_E_TYPE,
                              "%s() got an unexpected keyword argument '%s'", s->callee->name,
                              name);
    }
    return a->shape ? GPA_OK
                    : typed_fail(lw, s->node, GPA_E_TYPE, "%s() missing required argument: 'shape'",
                                 s->callee->name);
}

static gpa_code read_dtype(lowering *lw, const ast_node *n, gpa_dtype *out) {
    tv v;
    if (n->kind == AST_STRING) {
        *out = dtype_find(n->string.text.at, n->string.text.len);
        if (*out != DT_NONE) return GPA_OK;
    } else {
        gpa_code rc = typed_expr(lw, n, &v);
        if (rc) return rc;
        if (v.kind == TV_STATIC && v.constant.tag != V_NONE && !arg_dtype(lw->vm, v.constant, out))
            return GPA_OK;
        vm_clear_error(lw->vm);
    }
    return typed_fail(lw, n, GPA_E_TYPE, "a dtype such as numba.float32 is needed here");
}

/* ---- allocation ---- */

static gpa_code check_allowed(lowering *lw, const typed_site *s, kir_where where) {
    bool kernel = lw->to->form == TYPED_KERNEL;
    if (kernel || (where == KIR_LOCAL && lw->to->form != TYPED_BODY)) return GPA_OK;
    if (where == KIR_LOCAL)
        return typed_fail(lw, s->node, GPA_E_UNSUPPORTED,
                          "%s.%s() cannot be used in a compiled function of numbers",
                          s->callee->owner, s->callee->name);
    return typed_fail(lw, s->node, GPA_E_UNSUPPORTED,
                      "threads and blocks exist in kernels only: functions under @cuda.jit");
}

static gpa_code too_large(lowering *lw, const ast_node *at) {
    return typed_fail(lw, at, GPA_E_VALUE, "an array that compiled code makes has at most %d bytes",
                      MAX_LOCAL_BYTES);
}

/* Declares an array of constant sizes. Shared memory of size 0 takes its size from the launch
 * (dynamic shared memory). */
static gpa_code declare(lowering *lw, const ast_node *at, kir_array a, int ndim,
                        const int64_t *size, tv *out) {
    bool dynamic = a.where == KIR_SHARED && a.count == 0;
    a.access = KIR_READ | KIR_WRITE;
    a.group = (uint16_t)(2 + (dynamic ? 0 : lw->f->n_arrays));
    int k = kir_add_array(lw->f, a);
    if (k < 0) return vm_no_memory(lw->vm);
    if (k >= KIR_MAX_ARRAYS)
        return typed_fail(lw, at, GPA_E_UNSUPPORTED, "a compiled function has at most %d arrays",
                          KIR_MAX_ARRAYS);
    return typed_view(lw, k, ndim, true, dynamic ? NULL : size, out);
}

/* ---- arrays in loops ---- */

gpa_code typed_new_array(lowering *lw, const ast_node *at, gpa_dtype t, int ndim,
                         const int32_t *size, tv *out) {
    int64_t fixed[KIR_MAX_DIMS], total = 1;
    bool local = true;
    for (int d = 0; d < ndim && local; d++)
        local = typed_constant(lw, size[d], &fixed[d]) && fixed[d] > 0 &&
                !__builtin_mul_overflow(total, fixed[d], &total) && total <= LOCAL_ARRAY_MAX_ELEMS;
    if (!local) return loop_scratch_array(lw, at, t, ndim, size, out);
    return declare(lw, at,
                   (kir_array){.dtype = (uint8_t)t, .where = KIR_LOCAL, .count = (uint32_t)total},
                   ndim, fixed, out);
}

/* Evaluates a shape: an integer or a tuple of integers. */
static gpa_code read_shape(lowering *lw, const ast_node *n, int *ndim, int32_t *size) {
    tv v;
    gpa_code rc = typed_expr(lw, n, &v);
    uint32_t count = v.kind == TV_TUPLE ? v.n : 1;
    if (rc) return rc;
    if (count > KIR_MAX_DIMS)
        return typed_fail(lw, n, GPA_E_VALUE, "an array has at most %d dimensions here",
                          KIR_MAX_DIMS);
    for (uint32_t i = 0; i < count; i++) {
        const tv *one = v.kind == TV_TUPLE ? &v.items[i] : &v;
        bool whole = one->kind == TV_NUMBER && dtype_is_int((gpa_dtype)one->t.dtype);
        lw->fallback = lw->fallback || !whole;
        if (!whole)
            return typed_fail(lw, n, GPA_E_TYPE, "'%s' object cannot be interpreted as an integer",
                              typed_kind(one));
        size[i] = kir_cast(lw->f, DT_I64, one->v);
    }
    *ndim = (int)count;
    return GPA_OK;
}

static gpa_code loop_array(lowering *lw, const typed_site *s, const int64_t *fill, tv *out) {
    array_args a = {0};
    int32_t size[KIR_MAX_DIMS];
    int ndim = 0;
    gpa_dtype t = DT_F64;
    const bool fallback = lw->fallback;
    lw->fallback = true; /* for arguments that only the interpreter takes */
    gpa_code rc = bind(lw, s, &a);
    if (!rc && a.dtype) rc = read_dtype(lw, a.dtype, &t);
    if (!rc) lw->fallback = fallback;
    if (!rc) rc = read_shape(lw, a.shape, &ndim, size);
    if (!rc) rc = typed_new_array(lw, s->node, t, ndim, size, out);
    if (rc || !fill) return rc;
    const tv one = typed_int(lw, *fill);
    return typed_fill(lw, s->node, out->view, &one);
}

/* ---- arrays of constant sizes ---- */

/* Creates the array, filled with *fill; NULL: uninitialized. */
static gpa_code make_array(lowering *lw, const typed_site *s, kir_where where, const int64_t *fill,
                           tv *out) {
    array_args a = {0};
    int64_t size[KIR_MAX_DIMS], total = 1;
    int ndim;
    gpa_dtype t = DT_F64;
    gpa_code rc = check_allowed(lw, s, where);
    if (!rc && lw->to->form == TYPED_LOOP) return loop_array(lw, s, fill, out);
    if (!rc) rc = bind(lw, s, &a);
    if (!rc) rc = typed_sizes(lw, a.shape, KIR_MAX_DIMS, &ndim, size);
    if (!rc && a.dtype) rc = read_dtype(lw, a.dtype, &t);
    if (rc) return rc;
    bool dynamic = where == KIR_SHARED && ndim == 1 && size[0] == 0;
    for (int d = 0; d < ndim; d++) {
        if (size[d] < (dynamic ? 0 : 1))
            return typed_fail(lw, a.shape, GPA_E_VALUE, "the size of an array must be positive");
        if (__builtin_mul_overflow(total, size[d], &total) ||
            total > MAX_LOCAL_BYTES / (int64_t)dtype_size(t))
            return too_large(lw, a.shape);
    }
    rc = declare(lw, s->node,
                 (kir_array){.dtype = (uint8_t)t,
                             .where = (uint8_t)where,
                             .ndim = lw->to->form == TYPED_KERNEL,
                             .count = (uint32_t)total},
                 ndim, size, out);
    if (rc || !fill) return rc;
    const tv one = typed_int(lw, *fill);
    return typed_fill(lw, s->node, out->view, &one);
}

/* ---- the functions ---- */

static gpa_code cuda_array(lowering *lw, const typed_site *s, kir_where where, tv *out) {
    const ast_node *call = s->node;
    bool dtype = call->call.args.n > 1;
    for (uint32_t i = 0; i < call->call.keywords.n && !dtype; i++)
        dtype = intern_text(vm_names(lw->vm), call->call.keywords.at[i]->keyword.name)[0] != 's';
    if (!dtype)
        return typed_fail(lw, call, GPA_E_TYPE, "array() missing required argument: 'dtype'");
    return make_array(lw, s, where, NULL, out);
}

gpa_code typed_cuda_shared(lowering *lw, const typed_site *s, tv *out) {
    return cuda_array(lw, s, KIR_SHARED, out);
}
gpa_code typed_cuda_local(lowering *lw, const typed_site *s, tv *out) {
    return cuda_array(lw, s, KIR_LOCAL, out);
}
gpa_code typed_np_empty(lowering *lw, const typed_site *s, tv *out) {
    return make_array(lw, s, KIR_LOCAL, NULL, out);
}
gpa_code typed_np_zeros(lowering *lw, const typed_site *s, tv *out) {
    return make_array(lw, s, KIR_LOCAL, &(int64_t){0}, out);
}
gpa_code typed_np_ones(lowering *lw, const typed_site *s, tv *out) {
    return make_array(lw, s, KIR_LOCAL, &(int64_t){1}, out);
}

/* Refuses what only the interpreter can do, outside of loops too. */
static gpa_code only_in_loops(lowering *lw, const typed_site *s, uint32_t most) {
    bool good =
        lw->to->form == TYPED_LOOP && s->n >= 1 && s->n <= most && !s->node->call.keywords.n;
    if (good) return GPA_OK;
    lw->fallback = true;
    return typed_fail(lw, s->node, GPA_E_UNSUPPORTED,
                      "%s.%s() cannot be used like this in a compiled function", s->callee->owner,
                      s->callee->name);
}

/* Stores a number in all elements of a new array. */
static gpa_code filled(lowering *lw, const typed_site *s, const tv *v, tv *array) {
    return v ? typed_fill(lw, s->node, array->view, v) : GPA_OK;
}

gpa_code typed_np_full(lowering *lw, const typed_site *s, tv *out) {
    int32_t size[KIR_MAX_DIMS];
    int ndim = 0;
    gpa_code rc = only_in_loops(lw, s, 3);
    const ast_list *args = &s->node->call.args;
    bool number = !rc && s->n > 1 && s->args[1].kind == TV_NUMBER;
    if (rc) return rc;
    lw->fallback = lw->fallback || !number;
    if (!number)
        return typed_fail(lw, s->node, GPA_E_TYPE, "full() takes a shape and a number here");
    gpa_dtype t = (gpa_dtype)s->args[1].t.dtype;
    if (s->n > 2) rc = read_dtype(lw, args->at[2], &t);
    if (!rc) rc = read_shape(lw, args->at[0], &ndim, size);
    if (!rc) rc = typed_new_array(lw, s->node, t, ndim, size, out);
    return rc ? rc : filled(lw, s, &s->args[1], out);
}

static gpa_code array_like(lowering *lw, const typed_site *s, const tv *v, tv *out) {
    gpa_code rc = only_in_loops(lw, s, 2);
    if (rc) return rc;
    const tv *a = &s->args[0];
    lw->fallback = lw->fallback || a->kind != TV_ARRAY;
    if (a->kind != TV_ARRAY)
        return typed_fail(lw, s->node, GPA_E_TYPE, "%s() takes an array here", s->callee->name);
    gpa_dtype t = (gpa_dtype)a->t.dtype;
    if (s->n > 1) rc = read_dtype(lw, s->node->call.args.at[1], &t);
    if (!rc) rc = typed_new_array(lw, s->node, t, a->view->ndim, a->view->size, out);
    return rc ? rc : filled(lw, s, v, out);
}

gpa_code typed_np_empty_like(lowering *lw, const typed_site *s, tv *out) {
    return array_like(lw, s, NULL, out);
}
gpa_code typed_np_zeros_like(lowering *lw, const typed_site *s, tv *out) {
    const tv zero = typed_int(lw, 0);
    return array_like(lw, s, &zero, out);
}
gpa_code typed_np_ones_like(lowering *lw, const typed_site *s, tv *out) {
    const tv one = typed_int(lw, 1);
    return array_like(lw, s, &one, out);
}

/* np.array of the items: a vector. */
static gpa_code array_of(lowering *lw, const typed_site *s, const tv *items, uint32_t n, tv *out) {
    typed_ty t = {.dtype = DT_NONE};
    gpa_dtype dtype = DT_F64;
    gpa_code rc = GPA_OK;
    for (uint32_t i = 0; i < n; i++) {
        bool number = items[i].kind == TV_NUMBER;
        lw->fallback = lw->fallback || !number;
        if (!number)
            return typed_fail(lw, s->node, GPA_E_TYPE, "array() takes a list of numbers here");
        t = i ? typed_join(t, items[i].t) : items[i].t;
    }
    if (n && t.dtype != DT_NONE) dtype = (gpa_dtype)t.dtype;
    if (s->n > 1) rc = read_dtype(lw, s->node->call.args.at[1], &dtype);
    int32_t size = typed_int(lw, n).v;
    if (!rc) rc = typed_new_array(lw, s->node, dtype, 1, &size, out);
    for (uint32_t i = 0; i < n && !rc; i++) {
        tview e;
        const tv ix = typed_int(lw, i);
        rc = typed_index(lw, s->node, out->view, &ix, 1, &e);
        if (!rc) rc = typed_store(lw, s->node, &e, items[i]);
    }
    return rc;
}

gpa_code typed_np_array(lowering *lw, const typed_site *s, tv *out) {
    tv v;
    gpa_code rc = only_in_loops(lw, s, 2);
    if (rc) return rc;
    const ast_node *n = s->node->call.args.at[0];
    if (n->kind == AST_LIST) {
        rc = typed_tuple(lw, n->list.items.n, &v);
        for (uint32_t i = 0; i < n->list.items.n && !rc; i++)
            rc = typed_expr(lw, n->list.items.at[i], &v.items[i]);
    } else {
        rc = typed_expr(lw, n, &v);
    }
    if (rc) return rc;
    if (v.kind == TV_ARRAY && s->n == 1) return typed_copy_array(lw, s->node, &v, out);
    if (v.kind == TV_TUPLE) return array_of(lw, s, v.items, v.n, out);
    lw->fallback = true;
    return typed_fail(lw, n, GPA_E_UNSUPPORTED, "array() takes a list of numbers here");
}
