/* Arrays created in compiled code: shared memory of a block (cuda.shared.array), private arrays
 * of a thread or point (cuda.local.array, np.zeros, np.ones, np.empty). Their sizes are compile-
 * time constants.
 *
 * In a sequential loop of @jit the interpreter creates arrays, since they may outlive the loop.
 *
 * Reading order: arguments, allocation, the functions. */
#include <string.h>

#include "lang/typed/all.h"
#include "lang/typed/loop.h"

enum { MAX_LOCAL_BYTES = 512 * 1024 }; /* GPUs' limit of local memory per thread */

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
        if (v.kind == TV_STATIC && v.constant.tag != V_NONE &&
            !arg_dtype(lw->vm, v.constant, out))
            return GPA_OK;
        vm_clear_error(lw->vm);
    }
    return typed_fail(lw, n, GPA_E_TYPE, "a dtype such as numba.float32 is needed here");
}

/* ---- allocation ---- */

static gpa_code check_allowed(lowering *lw, const typed_site *s, kir_where where) {
    bool kernel = lw->to->form == TYPED_KERNEL,
         plain = lw->to->form == TYPED_LOOP && lw->f->ndim == 0;
    lw->fallback = lw->fallback || plain;
    if (kernel || (where == KIR_LOCAL && lw->to->form != TYPED_BODY && !plain)) return GPA_OK;
    if (where == KIR_LOCAL)
        return typed_fail(lw, s->node, GPA_E_UNSUPPORTED,
                          "%s.%s() cannot be used in a compiled function of numbers",
                          s->callee->owner, s->callee->name);
    return typed_fail(lw, s->node, GPA_E_UNSUPPORTED,
                      "threads and blocks exist in kernels only: functions under @cuda.jit");
}

/* Creates the array, filled with *fill; NULL: uninitialized. Shared memory of size 0 takes its
 * size from the launch (dynamic shared memory). */
static gpa_code make_array(lowering *lw, const typed_site *s, kir_where where, const int64_t *fill,
                           tv *out) {
    array_args a = {0};
    int64_t size[KIR_MAX_DIMS], total = 1;
    int ndim;
    gpa_dtype t = DT_F64;
    gpa_code rc = check_allowed(lw, s, where);
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
            return typed_fail(lw, a.shape, GPA_E_VALUE,
                              "an array that compiled code makes has at most %d bytes",
                              MAX_LOCAL_BYTES);
    }
    uint8_t own_dims = lw->to->form == TYPED_KERNEL;
    int k =
        kir_add_array(lw->f, (kir_array){.dtype = (uint8_t)t,
                                         .where = (uint8_t)where,
                                         .access = KIR_READ | KIR_WRITE,
                                         .ndim = own_dims,
                                         .group = (uint16_t)(2 + (dynamic ? 0 : lw->f->n_arrays)),
                                         .count = (uint32_t)total});
    if (k < 0) return vm_no_memory(lw->vm);
    if (k >= KIR_MAX_ARRAYS)
        return typed_fail(lw, s->node, GPA_E_UNSUPPORTED,
                          "a compiled function has at most %d arrays", KIR_MAX_ARRAYS);
    rc = typed_view(lw, k, ndim, true, dynamic ? NULL : size, out);
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
