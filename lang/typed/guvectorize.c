/* @guvectorize: generalized ufuncs.
 *
 * A call matches its arrays against the layout, broadcasts every argument over all loop
 * dimensions (strides of 0), collapses adjacent loop dimensions whose strides are compatible in
 * all arguments, and runs the function once per loop index. Small core dimensions are compile-
 * time constants, so that their loops unroll. Outputs are allocated by the call, or given; an
 * output that overlaps an input is computed in a temporary and copied.
 *
 * Reading order: the object, types, one argument, the launch, the call, decorators. */
#include <string.h>

#include "runtime/tables/tuning.h"
#include "lang/typed/all.h"
#include "lang/vm/kinds.h"
#include "lang/numpy/numpy.h"
#include "lang/typed/layout.h"

enum { FUNCTION, SIGNATURES, LAYOUT, GPU, FIELDS }; /* GPU: target='cuda' */

typedef struct {
    typed_layout layout;
    typed_fn *compiled;
} gufunc;

static const char *name_of(gpa_vm *vm, const object_obj *o) {
    return func_name(vm, o->fields[FUNCTION].func);
}
static const char *text_of(const object_obj *o) { return o->fields[LAYOUT].str->text; }

/* ---- types ---- */

/* Types without signatures: inputs keep theirs; outputs have that of the given array, else the
 * result type of the inputs. */
static gpa_code infer_types(gpa_vm *vm, const typed_layout *l, const gpa_opnd *in,
                            gpa_arr *const *given, typed_ty *types) {
    gpa_dtype common;
    gpa_code rc = arr_result_type(in, l->n_in, &common, vm_err(vm));
    for (int k = 0; k < l->n_in + l->n_out; k++) {
        gpa_dtype t = k < l->n_in ? (gpa_dtype)typed_of(&in[k]).dtype
                      : given[k]  ? (gpa_dtype)given[k]->dtype
                                  : common;
        bool alone = k < l->n_in && l->ndim[k] == 0;
        types[k] =
            (typed_ty){.dtype = (uint8_t)t, .rank = alone ? 0 : (uint8_t)(MAX(l->ndim[k], 1) + 1)};
    }
    return rc;
}

/* Dtype and rank of every argument; rank 0 is passed by value. */
static gpa_code choose_types(gpa_vm *vm, const object_obj *o, const typed_layout *l,
                             const gpa_opnd *in, gpa_arr *const *given, typed_ty *types) {
    value list = o->fields[SIGNATURES];
    typed_signature s;
    if (list.tag == V_NONE) return infer_types(vm, l, in, given, types);
    bool gpu = o->fields[GPU].i != 0;
    gpa_code rc = typed_match_signature(
        vm, o->fields[FUNCTION].func, list,
        (typed_operands){.in = in, .n = l->n_in, .scalars_convert = gpu, .arrays_narrow = gpu}, &s);
    if (!rc) memcpy(types, s.args, sizeof s.args);
    return rc;
}

/* ---- one argument ---- */

/* A view of `a` broadcast over the loop dimensions, followed by its `core` core dimensions.
 * Arguments without a core that are passed as arrays have one element. */
static gpa_code broadcast_argument(gpa_vm *vm, int core, typed_ty t, const layout_fit *f,
                                   gpa_arr *a, gpa_arr **out) {
    int64_t shape[GPA_MAX_DIMS], strides[GPA_MAX_DIMS];
    int loops = a->ndim - core, n = 0;
    for (int d = 0; d < f->loops; d++, n++) {
        int from = d - (f->loops - loops);
        shape[n] = f->loop[d];
        strides[n] = from < 0 || a->shape[from] == 1 ? 0 : a->strides[from];
    }
    for (int d = 0; d < core; d++, n++) {
        shape[n] = a->shape[loops + d];
        strides[n] = a->strides[loops + d];
    }
    if (core == 0 && t.rank) {
        shape[n] = 1;
        strides[n++] = 1;
    }
    return arr_view(vm_rt(vm), a, &(arr_layout){(gpa_dtype)a->dtype, n, shape, strides, 0}, out,
                    vm_err(vm));
}

static bool is_contiguous(const gpa_arr *a, int first) {
    int64_t stride = 1;
    bool dense = true;
    for (int d = a->ndim - 1; d >= first; d--) {
        dense = dense && (a->strides[d] == stride || a->shape[d] == 1);
        stride *= a->shape[d];
    }
    return dense;
}

/* ---- the launch ---- */

/* True if loop dimensions d and d + 1 can be collapsed in every argument; *keep: the one whose
 * strides the result has. */
static bool can_collapse(gpa_arr *const *views, int n, const int64_t *loop, int d, int *keep) {
    *keep = loop[d + 1] == 1 ? d : d + 1;
    if (loop[d] == 1 || loop[d + 1] == 1) return true;
    for (int k = 0; k < n; k++)
        if (views[k]->strides[d] != views[k]->strides[d + 1] * loop[d + 1]) return false;
    return true;
}

/* Collapses dimensions d and d + 1 into one of this size, with the strides of `keep`. */
static gpa_code collapse_dims(gpa_vm *vm, gpa_arr **view, int d, int keep, int64_t size) {
    int64_t shape[GPA_MAX_DIMS], strides[GPA_MAX_DIMS];
    gpa_arr *a = *view, *made;
    int n = 0;
    for (int i = 0; i < a->ndim; i++) {
        if (i == d || i == d + 1) {
            if (i != keep) continue;
            shape[n] = size;
        } else {
            shape[n] = a->shape[i];
        }
        strides[n++] = a->strides[i];
    }
    gpa_code rc = arr_view(vm_rt(vm), a, &(arr_layout){(gpa_dtype)a->dtype, n, shape, strides, 0},
                           &made, vm_err(vm));
    if (rc) return rc;
    arr_release(vm_rt(vm), a);
    *view = made;
    return GPA_OK;
}

static gpa_code collapse_loops(gpa_vm *vm, gpa_arr **views, int n, layout_fit *f) {
    gpa_code rc = GPA_OK;
    for (int d = f->loops - 2, keep; d >= 0 && !rc; d--) {
        if (!can_collapse(views, n, f->loop, d, &keep)) continue;
        int64_t size = f->loop[d] * f->loop[d + 1];
        for (int k = 0; k < n && !rc; k++) rc = collapse_dims(vm, &views[k], d, keep, size);
        f->loop[d] = size;
        for (int i = d + 1; i + 1 < f->loops; i++) f->loop[i] = f->loop[i + 1];
        f->loops--;
    }
    return rc;
}

static void describe_core(const typed_layout *l, const layout_fit *f, gpa_arr *const *views,
                          const typed_ty *types, typed_core *c) {
    memset(c, 0, sizeof *c);
    memset(c->dim, -1, sizeof c->dim);
    for (int i = 0; i < KIR_MAX_DIMS; i++) c->const_size[i] = -1;
    c->loops = (uint8_t)f->loops;
    for (int k = 0; k < l->n_in + l->n_out; k++) {
        int64_t elements = 1;
        if (!types[k].rank) c->scalars |= 1u << k;
        if (is_contiguous(views[k], f->loops)) c->contiguous |= 1u << k;
        for (int d = 0; d < l->ndim[k]; d++) {
            c->dim[k][d] = l->dim[k][d];
            elements *= f->core[l->dim[k][d]];
        }
        for (int d = 0; d < l->ndim[k]; d++) {
            int64_t size = f->core[l->dim[k][d]];
            if (size <= TUNE_GUFUNC_MAX_CONST_CORE_DIM &&
                elements <= TUNE_GUFUNC_MAX_CONST_CORE_ELEMS)
                c->const_size[l->dim[k][d]] = size;
        }
    }
    for (int k = 0; k < l->n_in + l->n_out; k++) {
        int64_t elements = 1;
        bool packed = f->loops == 1 && c->contiguous >> k & 1;
        for (int d = 0; d < l->ndim[k]; d++) {
            packed = packed && c->const_size[l->dim[k][d]] >= 0;
            elements *= f->core[l->dim[k][d]];
        }
        if (packed && views[k]->strides[0] == elements) c->packed |= 1u << k;
    }
}

static gpa_code launch(gpa_vm *vm, object_obj *o, gpa_arr **views, const typed_ty *types,
                       layout_fit *f) {
    gufunc *g = o->data;
    const typed_layout *l = &g->layout;
    int n = l->n_in + l->n_out;
    typed_ty args[BODY_MAX_IN];
    typed_core core;
    typed_fn *t;
    gpa_opnd numbers[BODY_MAX_IN] = {0};
    gpa_arr *arrays[BODY_MAX_IN + KIR_MAX_ARRAYS];
    gpa_val params[BODY_MAX_IN];
    gpa_code rc = collapse_loops(vm, views, n, f);
    if (rc) return rc;
    describe_core(l, f, views, types, &core);
    for (int k = 0; k < n; k++) {
        args[k] = types[k];
        args[k].weak = false;
        args[k].unit_stride = core.contiguous >> k & 1;
        args[k].rank = (uint8_t)(views[k]->ndim - f->loops + 1);
        if (views[k]->ndim > KIR_MAX_DIMS)
            return vm_fail(vm, GPA_E_UNSUPPORTED,
                           "%s: loop and core dimensions together are more than %d", name_of(vm, o),
                           KIR_MAX_DIMS);
        arrays[k] = views[k];
    }
    if ((rc = typed_get(
             vm, &g->compiled, o->fields[FUNCTION].func,
             &(typed_request){
                 .form = TYPED_CORE, .core = &core, .args = args, .n = n, .result = DT_NONE},
             &t)))
        return rc;
    if ((rc = typed_numbers(vm, t, numbers))) return rc;
    int n_params = (int)t->f->n_params;
    for (int i = 0; i < n_params; i++) params[i] = numbers[i].v;
    typed_arrays(vm, t, arrays + n);
    arr_program p = {.arrays = arrays, .params = params, .size = f->loop, .cache = &t->cache};
    return arr_run(vm_rt(vm), t->f, &p, vm_err(vm));
}

/* ---- the call ---- */

typedef struct {
    gpa_opnd in[BODY_MAX_IN];
    gpa_arr *arg[BODY_MAX_IN];  /* inputs cast to their dtype; given outputs (both owned) */
    gpa_arr *to[BODY_MAX_IN];   /* outputs: arrays that the program writes (owned) */
    gpa_arr *view[BODY_MAX_IN]; /* all arguments, broadcast over the loop dimensions (owned) */
    value out[BODY_MAX_IN];     /* given outputs, borrowed */
} operands;

static void release(gpa_vm *vm, operands *x, int n) {
    for (int k = 0; k < n; k++) {
        arg_opnd_release(vm, &x->in[k]);
        arr_release(vm_rt(vm), x->arg[k]);
        arr_release(vm_rt(vm), x->to[k]);
        arr_release(vm_rt(vm), x->view[k]);
    }
}

static gpa_code convert_input(gpa_vm *vm, const gpa_opnd *o, typed_ty t, gpa_arr **out) {
    if (!o->arr)
        return arr_scalar(vm_rt(vm), (gpa_dtype)t.dtype,
                          dtype_cast(o->v, o->dtype, (gpa_dtype)t.dtype), out, vm_err(vm));
    return arr_cast(vm_rt(vm), o->arr, (gpa_dtype)t.dtype, false, out, vm_err(vm));
}

/* The array that output k is written to: the given one if it has the dtype and overlaps no
 * input, else a new one. */
static gpa_code choose_output(gpa_vm *vm, const typed_layout *l, int k, typed_ty t,
                              const layout_fit *f, operands *x) {
    int64_t shape[2 * GPA_MAX_DIMS];
    gpa_arr *given = x->arg[k];
    bool fits = given && given->dtype == t.dtype;
    for (int i = 0; i < k && fits; i++)
        fits = !arr_shares_memory(given, i < l->n_in ? x->arg[i] : x->to[i]);
    if (fits) {
        x->to[k] = arr_retain(given);
        return GPA_OK;
    }
    int n = f->loops;
    memcpy(shape, f->loop, (size_t)n * sizeof *shape);
    for (int d = 0; d < l->ndim[k]; d++) shape[n++] = f->core[l->dim[k][d]];
    gpa_code rc =
        arr_empty(vm_rt(vm), &(arr_spec){(gpa_dtype)t.dtype, n, shape}, &x->to[k], vm_err(vm));
    if (rc || !given) return rc;
    gpa_opnd old = {.arr =
                        given}; /* elements that the function does not assign keep their values */
    gpa_index all = {.kind = IX_ELLIPSIS};
    return arr_set(vm_rt(vm), x->to[k], &(gpa_indices){&all, 1}, &old, vm_err(vm));
}

static gpa_code return_output(gpa_vm *vm, const operands *x, int k, value *out) {
    if (!x->arg[k]) return np_return(vm, arr_retain(x->to[k]), out);
    *out = value_retain(x->out[k]);
    if (x->arg[k] == x->to[k]) return GPA_OK;
    gpa_opnd made = {.arr = x->to[k]};
    gpa_index all = {.kind = IX_ELLIPSIS};
    return arr_set(vm_rt(vm), x->arg[k], &(gpa_indices){&all, 1}, &made, vm_err(vm));
}

static gpa_code return_outputs(gpa_vm *vm, const typed_layout *l, const operands *x, value *out) {
    value one[BODY_MAX_IN];
    gpa_code rc = GPA_OK;
    int n = 0;
    for (; n < l->n_out && !rc; n++) {
        one[n] = v_none();
        rc = return_output(vm, x, l->n_in + n, &one[n]);
    }
    if (!rc && l->n_out > 1)
        rc = native_return(v_tuple(vm, (size_t)n, one), out);
    else if (!rc)
        *out = value_retain(one[0]);
    for (int i = 0; i < n; i++) value_release(vm, one[i]);
    return rc;
}

static gpa_code run_on_device(gpa_vm *vm, object_obj *o, operands *x, value *out) {
    gufunc *g = o->data;
    const typed_layout *l = &g->layout;
    int n = l->n_in + l->n_out;
    typed_ty types[BODY_MAX_IN];
    layout_fit fit;
    gpa_code rc = GPA_OK;
    TRY(choose_types(vm, o, l, x->in, x->arg, types));
    for (int k = 0; k < l->n_in; k++) TRY(convert_input(vm, &x->in[k], types[k], &x->arg[k]));
    TRY(layout_match(vm, name_of(vm, o), text_of(o), l, x->arg, &fit));
    for (int k = l->n_in; k < n; k++) TRY(choose_output(vm, l, k, types[k], &fit, x));
    for (int k = 0; k < n; k++)
        TRY(broadcast_argument(vm, l->ndim[k], types[k], &fit, k < l->n_in ? x->arg[k] : x->to[k],
                               &x->view[k]));
    TRY(launch(vm, o, x->view, types, &fit));
    rc = return_outputs(vm, l, x, out);
out:
    return rc;
}

/* Converts the operands and runs the call on their device. */
static gpa_code apply(gpa_vm *vm, object_obj *o, const value *args, operands *x, value *out) {
    const typed_layout *l = &((const gufunc *)o->data)->layout;
    int n = l->n_in + l->n_out;
    gpa_arr *at[BODY_MAX_IN];
    for (int k = 0; k < n; k++) {
        gpa_code rc =
            k < l->n_in ? arg_opnd(vm, args[k], &x->in[k]) : arg_out(vm, x->out[k], &x->arg[k]);
        if (rc) return rc;
        if (k >= l->n_in && x->arg[k]) arr_retain(x->arg[k]);
        at[k] = k < l->n_in ? x->in[k].arr : x->arg[k];
    }
    device_scope stay = device_scope_enter(vm_rt(vm), at, n);
    gpa_code rc = run_on_device(vm, o, x, out);
    device_scope_leave(vm_rt(vm), stay);
    return rc;
}

static gpa_code call(gpa_vm *vm, object_obj *o, const call_args *a, value *out) {
    const gufunc *g = o->data;
    const typed_layout *l = &g->layout;
    size_t n_in = (size_t)l->n_in, all = n_in + (size_t)l->n_out;
    operands x;
    memset(&x, 0, sizeof x);
    if (a->n < n_in || a->n > all)
        return vm_fail(vm, GPA_E_TYPE,
                       "%s() takes from %zu to %zu positional arguments but %zu were given",
                       name_of(vm, o), n_in, all, a->n);
    for (size_t k = n_in; k < all; k++) x.out[k] = k < a->n ? a->values[k] : v_unset();
    for (size_t i = 0; i < a->n_named; i++) {
        value v = a->values[a->n + i];
        if (strcmp(a->names[i].str->text, "stream") == 0 && o->fields[GPU].i) continue;
        if (strcmp(a->names[i].str->text, "out") != 0)
            return vm_fail(vm, GPA_E_TYPE, "%s() got an unexpected keyword argument '%s'",
                           name_of(vm, o), a->names[i].str->text);
        bool several = v.tag == V_TUPLE;
        if (several && v.tuple->count != (size_t)l->n_out)
            return vm_fail(vm, GPA_E_VALUE,
                           "The 'out' tuple must have exactly one entry per ufunc output");
        for (size_t k = 0; k < (several ? v.tuple->count : 1); k++)
            x.out[n_in + k] = several ? v.tuple->items[k] : v;
    }
    gpa_code rc = apply(vm, o, a->values, &x, out);
    release(vm, &x, (int)all);
    return rc;
}

static void free_gufunc(gpa_vm *vm, object_obj *o) {
    gufunc *g = o->data;
    if (g) typed_free_all(vm, g->compiled);
    mem_free(g);
}

static gpa_code repr(gpa_vm *vm, object_obj *o, gpa_str *out) {
    str_printf(out, "<numba._GUFunc '%s'>", name_of(vm, o));
    return GPA_OK;
}

const object_kind gufunc_kind = {
    .type_name = "numba._GUFunc", .free = free_gufunc, .call = call, .repr = repr};

/* ---- attributes ---- */

gpa_code gufunc_types(gpa_vm *vm, value *argv, value *out) {
    const object_obj *o = argv[0].object;
    const gufunc *g = o->data;
    return typed_list_types(vm, o->fields[SIGNATURES], g->compiled, g->layout.n_in, out);
}

gpa_code gufunc_nin(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_int(((gufunc *)argv[0].object->data)->layout.n_in);
    return GPA_OK;
}

gpa_code gufunc_nout(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_int(((gufunc *)argv[0].object->data)->layout.n_out);
    return GPA_OK;
}

gpa_code gufunc_signature(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = value_retain(argv[0].object->fields[LAYOUT]);
    return GPA_OK;
}

/* ---- decorators ---- */

/* Checks the ranks: arrays where the layout has a core, scalars or arrays elsewhere. */
static gpa_code check_signatures(gpa_vm *vm, const typed_layout *l, value list) {
    for (size_t i = 0; list.tag == V_LIST && i < list.list->count; i++) {
        typed_signature s;
        gpa_code rc = typed_read_signature(vm, list.list->items[i], &s);
        if (rc) return rc;
        if (s.n != l->n_in + l->n_out)
            return vm_fail(vm, GPA_E_TYPE, "'%s' has %d arguments, the layout %d",
                           list.list->items[i].str->text, s.n, l->n_in + l->n_out);
        for (int k = 0; k < s.n; k++) {
            int have = s.args[k].rank ? s.args[k].rank - 1 : 0;
            bool fits = have == l->ndim[k] || (l->ndim[k] == 0 && have == 1);
            if (k >= l->n_in && !s.args[k].rank) fits = false;
            if (!fits)
                return vm_fail(vm, GPA_E_TYPE,
                               "argument %d of '%s' has %d dimensions, that of the layout %d",
                               k + 1, list.list->items[i].str->text, have, l->ndim[k]);
        }
    }
    return GPA_OK;
}

/* Compiles for each signature eagerly, with one loop dimension and cores of any size, so that
 * type errors are raised at the definition. */
static gpa_code compile_signatures(gpa_vm *vm, object_obj *o) {
    gufunc *g = o->data;
    value list = o->fields[SIGNATURES];
    gpa_code rc = GPA_OK;
    for (size_t i = 0; list.tag == V_LIST && i < list.list->count && !rc; i++) {
        typed_signature s;
        typed_core core = {.loops = 1};
        typed_fn *t;
        rc = typed_signature_for(vm, o->fields[FUNCTION].func, list, i, &s);
        memset(core.dim, -1, sizeof core.dim);
        for (int d = 0; d < KIR_MAX_DIMS; d++) core.const_size[d] = -1;
        for (int k = 0; k < s.n && !rc; k++) {
            if (!s.args[k].rank) core.scalars |= 1u << k;
            for (int d = 0; d < g->layout.ndim[k]; d++) core.dim[k][d] = g->layout.dim[k][d];
            s.args[k] =
                (typed_ty){.dtype = s.args[k].dtype, .rank = s.args[k].rank ? s.args[k].rank : 1};
        }
        if (!rc)
            rc = typed_get(
                vm, &g->compiled, o->fields[FUNCTION].func,
                &(typed_request){
                    .form = TYPED_CORE, .core = &core, .args = s.args, .n = s.n, .result = DT_NONE},
                &t);
    }
    return rc;
}

static gpa_code make(gpa_vm *vm, value fn, const object_obj *with, value *out) {
    if (fn.tag != V_FUNC)
        return vm_fail(vm, GPA_E_TYPE, "@guvectorize takes a function, not '%s'",
                       value_type_name(fn));
    value signatures = with->fields[0], layout = with->fields[1];
    value o = v_object(vm, &gufunc_kind, FIELDS);
    gufunc *g = mem_zero(sizeof *g);
    gpa_code rc = GPA_OK;
    if (o.tag == V_UNSET || !g) TRY(vm_no_memory(vm));
    o.object->data = g;
    o.object->fields[FUNCTION] = value_retain(fn);
    o.object->fields[SIGNATURES] = value_retain(signatures);
    o.object->fields[LAYOUT] = value_retain(layout);
    o.object->fields[GPU] = with->fields[2];
    TRY(layout_read(vm, layout.str->text, &g->layout));
    TRY(check_signatures(vm, &g->layout, signatures));
    uint32_t takes_ = func_node(fn.func)->function.scope->n_positional;
    if (takes_ != (uint32_t)(g->layout.n_in + g->layout.n_out))
        TRY(vm_fail(vm, GPA_E_TYPE, "%s() takes %u arguments, the layout %s has %d",
                    func_name(vm, fn.func), takes_, layout.str->text,
                    g->layout.n_in + g->layout.n_out));
    TRY(compile_signatures(vm, o.object));
    *out = o;
    return GPA_OK;
out:
    if (o.tag == V_UNSET) mem_free(g);
    value_release(vm, o);
    return rc;
}

/* The decorator object that @guvectorize(...) returns; fields: the signatures or None, the
 * layout, and whether the target is a GPU. */
static gpa_code decorator_call(gpa_vm *vm, object_obj *o, const call_args *a, value *out) {
    if (a->n != 1 || a->n_named)
        return vm_fail(vm, GPA_E_TYPE, "a decorator takes the function alone");
    return make(vm, a->values[0], o, out);
}

static const object_kind guvectorize_with_kind = {.type_name = "numba.guvectorize",
                                                  .call = decorator_call};

gpa_code numba_guvectorize(gpa_vm *vm, value *argv,
                           value *out) { /* ftylist_or_layout, layout, target, **kws */
    value list = v_none(), o, layout = argv[1].tag == V_UNSET ? argv[0] : argv[1];
    bool gpu = false;
    gpa_code rc = typed_check_target(vm, argv[2], &gpu);
    if (rc) return rc;
    if (argv[3].tag == V_DICT && dict_text_peek(vm, argv[3].dict, "writable_args").tag != V_UNSET)
        return vm_fail(vm, GPA_E_UNSUPPORTED,
                       "writable_args: a generalized ufunc stores into its outputs only");
    if (layout.tag != V_STR)
        return vm_fail(vm, GPA_E_TYPE, "the layout is text such as '(m,n),(n,p)->(m,p)', not '%s'",
                       value_type_name(layout));
    typed_layout read;
    if ((rc = layout_read(vm, layout.str->text, &read))) return rc;
    if (argv[1].tag != V_UNSET && (rc = typed_signatures(vm, argv[0], &list))) return rc;
    TRY(check_signatures(vm, &read, list));
    o = v_object(vm, &guvectorize_with_kind, 3);
    if (o.tag == V_UNSET) TRY(GPA_E_MEMORY);
    o.object->fields[0] = value_retain(list);
    o.object->fields[1] = value_retain(layout);
    o.object->fields[2] = v_bool(gpu);
    *out = o;
out:
    value_release(vm, list);
    return rc;
}
