/* Views and copies of arrays: reshape, transpose, broadcast, casts, strided views. */
#include <stdlib.h>
#include <strings.h>

#include "lang/numpy/all.h"
#include "lang/numpy/float_errors.h"
#include "lang/numpy/numpy.h"
#include "lang/object/number.h"

/* ---- reshape ---- */

static gpa_code reshape_to(gpa_vm *vm, value a_value, value shape, value *out) {
    int ndim;
    int64_t dims[GPA_MAX_DIMS];
    gpa_arr *a = NULL, *b = NULL;
    gpa_code rc = GPA_OK;
    TRY(arg_array(vm, a_value, DT_NONE, &a));
    TRY(arg_ints(vm, shape, "shape", GPA_MAX_DIMS, &ndim, dims));
    if (a_value.tag == V_ARRAY && a_value.aux) { /* a scalar, which must not change by a view */
        TRY(arr_copy(vm_rt(vm), a, &b, vm_err(vm)));
        arr_release(vm_rt(vm), a);
        a = b;
        b = NULL;
    }
    TRY(arr_reshape(vm_rt(vm), a, ndim, dims, &b, vm_err(vm)));
    rc = number_is_numpy(a_value) ? np_return(vm, b, out) : np_return_array(vm, b, out);
out:
    arr_release(vm_rt(vm), a);
    return rc;
}

/* Reshape in F order ('F', or 'A' of an F-contiguous array): a C-order reshape of the transpose. */
static gpa_code reshape_order(gpa_vm *vm, value a_value, value shape, value order, value *out) {
    char letter;
    gpa_code bad = arg_order_letter(vm, order, &letter);
    if (bad) return bad;
    if (letter == 'K') return vm_fail(vm, GPA_E_VALUE, "order 'K' is not permitted for reshaping");
    const gpa_arr *a = a_value.tag == V_ARRAY ? a_value.array->arr : NULL;
    bool f_order = letter == 'F' || (letter == 'A' && a && arr_is_only_f_contiguous(a));
    if (!f_order) return reshape_to(vm, a_value, shape, out);
    value t = v_none(), reversed = v_none(), reshaped = v_none();
    gpa_code rc = GPA_OK;
    int ndim;
    int64_t dims[GPA_MAX_DIMS];
    TRY(arg_ints(vm, shape, "shape", GPA_MAX_DIMS, &ndim, dims));
    reversed = v_tuple(vm, (size_t)ndim, NULL);
    if (reversed.tag == V_UNSET) TRY(vm_err(vm)->code);
    for (int d = 0; d < ndim; d++) reversed.tuple->items[d] = v_int(dims[ndim - 1 - d]);
    TRY(nd_T(vm, &a_value, &t));
    TRY(reshape_to(vm, t, reversed, &reshaped));
    rc = nd_T(vm, &reshaped, out);
out:
    value_release(vm, t);
    value_release(vm, reversed);
    value_release(vm, reshaped);
    return rc;
}

/* copy=True always copies; copy=False fails if a copy is needed. */
static gpa_code reshape(gpa_vm *vm, value a, value shape, value order, value copy, value *out) {
    gpa_arr *fresh = NULL;
    gpa_code rc = arg_refuse_bools(vm, shape);
    if (!rc) rc = reshape_order(vm, a, shape, order, out);
    if (rc || copy.tag == V_NONE || a.tag != V_ARRAY) return rc;
    bool view = a.array->arr->size == 0 || arr_shares_memory(a.array->arr, out->array->arr), wanted;
    rc = arg_bool(vm, copy, "copy", &wanted);
    if (!rc && !wanted && !view)
        rc = vm_fail(vm, GPA_E_VALUE, "Unable to avoid creating a copy while reshaping.");
    if (!rc && wanted && view) rc = arr_copy(vm_rt(vm), out->array->arr, &fresh, vm_err(vm));
    if (!rc && !fresh) return GPA_OK;
    value_release(vm, *out);
    *out = v_none();
    return rc ? rc : np_return_array(vm, fresh, out);
}

gpa_code np_reshape(gpa_vm *vm, value *argv, value *out) { /* a, shape, order, newshape, copy */
    bool old = argv[3].tag != V_NONE;
    if (old && argv[1].tag != V_NONE)
        return vm_fail(vm, GPA_E_TYPE,
                       "You cannot specify 'newshape' and 'shape' arguments at the same time.");
    if (!old && argv[1].tag == V_NONE)
        return vm_fail(vm, GPA_E_TYPE, "reshape() missing 1 required positional argument: 'shape'");
    if (old && vm_warn(vm, GPA_E_DEPRECATION,
                       "`newshape` keyword argument is deprecated, use `shape=...` or pass shape "
                       "positionally instead. (deprecated in NumPy 2.1)"))
        return vm_err(vm)->code;
    return reshape(vm, argv[0], argv[old ? 3 : 1], argv[2], argv[4], out);
}

gpa_code nd_reshape(gpa_vm *vm, value *argv, value *out) { /* self, *shape, order, copy */
    value shape = argv[1];
    if (shape.tuple->count == 0)
        return vm_fail(vm, GPA_E_TYPE, "reshape() takes exactly 1 argument (0 given)");
    if (shape.tuple->count == 1) shape = shape.tuple->items[0];
    return reshape(vm, argv[0], shape, argv[2], argv[3], out);
}

gpa_code np_reshaped_copy(gpa_vm *vm, value *argv, value *out) { /* a, shape */
    gpa_arr *a = NULL, *copy = NULL;
    int64_t shape[GPA_MAX_DIMS];
    int ndim;
    gpa_code rc = arg_shape(vm, argv[1], &ndim, shape);
    if (!rc) rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc) rc = arr_reshaped_copy(vm_rt(vm), a, ndim, shape, &copy, vm_err(vm));
    arr_release(vm_rt(vm), a);
    return rc ? rc : np_return_array(vm, copy, out);
}

/* View with the axes sorted by decreasing stride; broadcast axes keep their positions. */
static gpa_code sort_axes_by_stride(gpa_vm *vm, value a_value, value *out) {
    gpa_arr *a = NULL, *sorted = NULL;
    int perm[GPA_MAX_DIMS];
    gpa_code rc = arg_array(vm, a_value, DT_NONE, &a);
    if (rc) return rc;
    for (int d = 0; d < a->ndim; d++) {
        int64_t step = llabs(a->strides[d]);
        int at = d;
        for (; at > 0 && a->strides[perm[at - 1]] != 0 && llabs(a->strides[perm[at - 1]]) < step;
             at--)
            perm[at] = perm[at - 1];
        perm[at] = d;
    }
    rc = arr_transpose(vm_rt(vm), a, perm, &sorted, vm_err(vm));
    arr_release(vm_rt(vm), a);
    return rc ? rc : np_return_array(vm, sorted, out);
}

gpa_code np_ravel(gpa_vm *vm, value *argv, value *out) { /* a, order */
    value flat = v_none(), source = v_none();
    bool keep_order = argv[1].tag == V_STR && strcasecmp(argv[1].str->text, "K") == 0;
    bool scalar = argv[0].tag != V_ARRAY || argv[0].aux;
    gpa_code rc = keep_order && !scalar ? sort_axes_by_stride(vm, argv[0], &source)
                                        : native_return(value_retain(argv[0]), &source);
    if (!rc) rc = reshape_order(vm, source, v_int(-1), keep_order ? v_none() : argv[1], &flat);
    bool copied =
        !rc && (source.tag != V_ARRAY || source.array->arr->storage != flat.array->arr->storage);
    value_release(vm, source);
    if (copied) arr_own(vm_rt(vm), flat.array->arr);
    if (rc || arr_is_contiguous(flat.array->arr)) {
        *out = flat;
        return rc;
    }
    rc = np_copy(vm, (value[]){flat, v_none()}, out);
    value_release(vm, flat);
    return rc;
}

gpa_code nd_flatten(gpa_vm *vm, value *argv, value *out) { /* self, order */
    value flat = v_none();
    gpa_code rc = np_ravel(vm, argv, &flat);
    if (!rc) rc = np_copy(vm, (value[]){flat, v_none()}, out);
    value_release(vm, flat);
    return rc;
}

/* ---- transpose ---- */

gpa_code nd_T(gpa_vm *vm, value *argv, value *out) {
    gpa_arr *a = NULL, *t = NULL;
    if (number_is_numpy(argv[0])) /* a scalar is its own transpose */
        return native_return(value_retain(argv[0]), out);
    gpa_code rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc) rc = arr_transpose(vm_rt(vm), a, NULL, &t, vm_err(vm));
    arr_release(vm_rt(vm), a);
    return rc ? rc : np_return_array(vm, t, out);
}

gpa_code nd_mT(gpa_vm *vm, value *argv, value *out) {
    gpa_arr *a = NULL, *t = NULL;
    int perm[GPA_MAX_DIMS];
    gpa_code rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (rc) return rc;
    for (int d = 0; d < a->ndim; d++) perm[d] = d < a->ndim - 2 ? d : 2 * a->ndim - 3 - d;
    rc = a->ndim < 2 ? vm_fail(vm, GPA_E_VALUE, "matrix transpose with ndim < 2 is undefined")
                     : arr_transpose(vm_rt(vm), a, perm, &t, vm_err(vm));
    arr_release(vm_rt(vm), a);
    return rc ? rc : np_return_array(vm, t, out);
}

static gpa_code transpose(gpa_vm *vm, value a_value, value axes, value *out) {
    if (axes.tag == V_NONE) return nd_T(vm, &a_value, out);
    gpa_arr *a = NULL, *b = NULL;
    int n, perm[GPA_MAX_DIMS];
    int64_t list[GPA_MAX_DIMS];
    gpa_axes seen = 0;
    gpa_code rc = GPA_OK;
    TRY(arg_array(vm, a_value, DT_NONE, &a));
    TRY(arg_ints(vm, axes, "axes", GPA_MAX_DIMS, &n, list));
    if (n != a->ndim) TRY(vm_fail(vm, GPA_E_VALUE, "axes don't match array"));
    for (int d = 0; d < n; d++) {
        TRY(arg_axis(vm, v_int(list[d]), n, &perm[d]));
        if (seen >> perm[d] & 1) TRY(vm_fail(vm, GPA_E_VALUE, "repeated axis in transpose"));
        seen |= gpa_axis(perm[d]);
    }
    TRY(arr_transpose(vm_rt(vm), a, perm, &b, vm_err(vm)));
    rc = number_is_numpy(a_value) ? np_return(vm, b, out) : np_return_array(vm, b, out);
out:
    arr_release(vm_rt(vm), a);
    return rc;
}

gpa_code np_transpose(gpa_vm *vm, value *argv, value *out) {
    return transpose(vm, argv[0], argv[1], out);
} /* a, axes */
gpa_code nd_transpose(gpa_vm *vm, value *argv, value *out) { /* self, *axes */
    value axes = argv[1];
    if (axes.tuple->count == 0)
        axes = v_none();
    else if (axes.tuple->count == 1)
        axes = axes.tuple->items[0];
    return transpose(vm, argv[0], axes, out);
}

gpa_code np_order_like(gpa_vm *vm, value *argv, value *out) { /* a */
    gpa_arr *a = NULL;
    int perm[GPA_MAX_DIMS];
    int64_t axes[GPA_MAX_DIMS];
    gpa_code rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (rc) return rc;
    const int n = a->ndim;
    const bool permuted = arr_order_like(a, perm);
    arr_release(vm_rt(vm), a);
    if (!permuted) return native_return(v_none(), out);
    for (int d = 0; d < n; d++) axes[d] = perm[d];
    return np_ints_tuple(vm, n, axes, out);
}

gpa_code np_permuted_back(gpa_vm *vm, value *argv, value *out) { /* a, order */
    gpa_arr *made = argv[0].array->arr, *permuted = NULL;
    int back[GPA_MAX_DIMS];
    for (int d = 0; d < made->ndim; d++) back[argv[1].tuple->items[d].i] = d;
    gpa_code rc = arr_transpose(vm_rt(vm), made, back, &permuted, vm_err(vm));
    if (rc) return rc;
    arr_own(vm_rt(vm), permuted);
    return np_return_array(vm, permuted, out);
}

/* ---- broadcast ---- */

gpa_code np_broadcast_to(gpa_vm *vm, value *argv, value *out) { /* array, shape */
    int ndim;
    int64_t shape[GPA_MAX_DIMS];
    gpa_arr *a = NULL, *b = NULL;
    gpa_code rc = arg_shape(vm, argv[1], &ndim, shape);
    if (!rc) rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc) rc = arr_broadcast_to(vm_rt(vm), a, ndim, shape, &b, vm_err(vm));
    arr_release(vm_rt(vm), a);
    return rc ? rc : np_return_array(vm, b, out);
}

static gpa_code fail_broadcast(gpa_vm *vm, value shapes, size_t i, size_t j) {
    gpa_str a, b;
    str_init(&a);
    str_init(&b);
    gpa_code rc = vm_repr(vm, shapes.tuple->items[i], &a);
    if (!rc) rc = vm_repr(vm, shapes.tuple->items[j], &b);
    if (!rc)
        rc = vm_fail(vm, GPA_E_VALUE,
                     "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is "
                     "between arg %zu with shape %s and arg %zu with shape %s.",
                     i, a.text, j, b.text);
    str_free(&a);
    str_free(&b);
    return rc;
}

/* Merges a shape into the common one, aligned at the last axis. False if they do not broadcast. */
static bool merge_shape(int ndim, const int64_t *shape, int *common_ndim, int64_t *common) {
    int64_t merged[GPA_MAX_DIMS];
    int n = ndim > *common_ndim ? ndim : *common_ndim;
    for (int d = 0; d < n; d++) {
        int mine = d - (n - ndim), theirs = d - (n - *common_ndim);
        int64_t a = mine < 0 ? 1 : shape[mine], b = theirs < 0 ? 1 : common[theirs];
        if (a != b && a != 1 && b != 1) return false;
        merged[d] = a == 1 ? b : a;
    }
    memcpy(common, merged, (size_t)n * sizeof *merged);
    *common_ndim = n;
    return true;
}

gpa_code np_broadcast_shapes(gpa_vm *vm, value *argv, value *out) { /* *shapes */
    const tuple_obj *shapes = argv[0].tuple;
    int ndim = 0, common_ndim = 0;
    int64_t shape[GPA_MAX_DIMS], common[GPA_MAX_DIMS];
    for (size_t j = 0; j < shapes->count; j++) {
        gpa_code rc = arg_shape(vm, shapes->items[j], &ndim, shape);
        if (rc) return rc;
        if (merge_shape(ndim, shape, &common_ndim, common)) continue;
        for (size_t i = 0; i < j; i++) { /* the first argument that it does not fit */
            int64_t pair[GPA_MAX_DIMS];
            int pair_ndim = ndim, first_ndim;
            memcpy(pair, shape, sizeof pair);
            rc = arg_shape(vm, shapes->items[i], &first_ndim, common);
            if (rc) return rc;
            if (!merge_shape(first_ndim, common, &pair_ndim, pair))
                return fail_broadcast(vm, argv[0], i, j);
        }
    }
    return np_ints_tuple(vm, common_ndim, common, out);
}

/* ---- casts ---- */

/* Replaces *v by an array in the memory layout that order= demands. */
static gpa_code apply_order(gpa_vm *vm, value order, value *v) {
    value kept = *v;
    *v = v_none();
    gpa_code rc = np_asarray(vm, (value[]){kept, v_none(), order, v_none(), v_none()}, v);
    value_release(vm, kept);
    return rc;
}

gpa_code nd_astype(gpa_vm *vm, value *argv,
                   value *out) { /* self, dtype, order, casting, subok, copy */
    gpa_dtype t;
    bool copy;
    gpa_arr *b = NULL;
    gpa_code args = arg_dtype(vm, argv[1], &t);
    if (!args) args = arg_bool(vm, argv[5], "copy", &copy);
    if (args) return args;
    if (t == DT_NONE) t = DT_F64;
    gpa_casting casting = CAST_UNSAFE;
    if (argv[3].tag != V_NONE) args = arg_casting(vm, argv[3], &casting);
    if (args) return args;
    bool scalar = argv[0].tag != V_ARRAY || argv[0].aux;
    char order = argv[2].tag == V_STR ? (char)(argv[2].str->text[0] & ~0x20) : 0;
    gpa_arr *a = NULL;
    gpa_code rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (rc) return rc;
    bool c_order = order == 'C' || (order == 'A' && !arr_is_f_contiguous(a));
    copy |= order == 'A' && c_order && !arr_is_contiguous(a);
    gpa_dtype from = (gpa_dtype)a->dtype;
    if (!dtype_can_cast(from, t, casting))
        rc = vm_fail(
            vm, GPA_E_TYPE,
            "Cannot cast array data from dtype('%s') to dtype('%s') according to the rule '%s'",
            dtype_info[from].name, dtype_info[t].name, argv[3].str->text);
    if (!rc) rc = np_warn_cast(vm, from, t);
    if (!rc) rc = (c_order ? arr_cast : arr_cast_order_k)(vm_rt(vm), a, t, copy, &b, vm_err(vm));
    if (!rc && (rc = float_check_arr(vm, "_check_float_cast", 1, (value[2]){argv[0]}, b)))
        arr_release(vm_rt(vm), b);
    arr_release(vm_rt(vm), a);
    if (!rc) rc = scalar ? np_return(vm, b, out) : np_return_array(vm, b, out);
    if (!rc && !scalar && argv[2].tag != V_NONE) rc = apply_order(vm, argv[2], out);
    return rc;
}

/* ---- strided views ---- */

gpa_code nd_view(gpa_vm *vm, value *argv, value *out) { /* self, dtype, type */
    gpa_dtype t;
    gpa_arr *a = NULL, *b = NULL;
    bool kind_first = argv[1].tag == V_TYPE && argv[1].aux == V_ARRAY &&
                      argv[2].tag == V_NONE; /* view(np.ndarray) */
    value dtype = kind_first ? v_none() : argv[1], kind = kind_first ? argv[1] : argv[2];
    if (kind.tag != V_NONE && (kind.tag != V_TYPE || kind.aux != V_ARRAY))
        return vm_fail(vm, GPA_E_VALUE, "Type must be a sub-type of ndarray type");
    gpa_code rc = arg_dtype(vm, dtype, &t);
    if (!rc) rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc)
        rc = t != DT_NONE
                 ? arr_reinterpret(vm_rt(vm), a, t, &b, vm_err(vm))
                 : arr_view(vm_rt(vm), a,
                            &(arr_layout){(gpa_dtype)a->dtype, a->ndim, a->shape, a->strides, 0},
                            &b, vm_err(vm));
    arr_release(vm_rt(vm), a);
    if (rc) return rc;
    return argv[0].tag == V_ARRAY && !argv[0].aux ? np_return_array(vm, b, out)
                                                  : np_return(vm, b, out);
}

/* View whose row i is a[i : i + n]: sliding windows. */
gpa_code np_windows(gpa_vm *vm, value *argv, value *out) { /* a, n */
    int64_t n;
    gpa_arr *a = NULL, *b = NULL;
    gpa_code rc = arg_int(vm, argv[1], "n", &n);
    if (!rc) rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc)
        rc = arr_view(vm_rt(vm), a,
                      &(arr_layout){(gpa_dtype)a->dtype, 2, (int64_t[]){a->shape[0] - n + 1, n},
                                    (int64_t[]){a->strides[0], a->strides[0]}, 0},
                      &b, vm_err(vm));
    arr_release(vm_rt(vm), a);
    return rc ? rc : np_return_array(vm, b, out);
}

/* View of the diagonal k of the last two axes. */
gpa_code np_diagonal_view(gpa_vm *vm, value *argv, value *out) { /* a, k */
    int64_t k, shape[GPA_MAX_DIMS], strides[GPA_MAX_DIMS];
    gpa_arr *a = NULL, *b = NULL;
    gpa_code rc = arg_int(vm, argv[1], "k", &k);
    if (!rc) rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (rc) return rc;
    int n = a->ndim - 1;
    int64_t rows = a->shape[n - 1], columns = a->shape[n];
    int64_t extent = MIN(k < 0 ? rows + k : rows, k > 0 ? columns - k : columns);
    for (int d = 0; d < n; d++) shape[d] = a->shape[d], strides[d] = a->strides[d];
    shape[n - 1] = MAX(extent, 0);
    strides[n - 1] = a->strides[n - 1] + a->strides[n];
    int64_t offset = shape[n - 1] == 0 ? 0 : k < 0 ? -k * a->strides[n - 1] : k * a->strides[n];
    rc = arr_view(vm_rt(vm), a, &(arr_layout){(gpa_dtype)a->dtype, n, shape, strides, offset}, &b,
                  vm_err(vm));
    arr_release(vm_rt(vm), a);
    return rc ? rc : np_return_array(vm, b, out);
}

gpa_code np_as_strided(gpa_vm *vm, value *argv, value *out) { /* a, shape, strides in bytes */
    gpa_arr *a = NULL, *view = NULL;
    int ndim = 0, n = 0;
    int64_t shape[GPA_MAX_DIMS], strides[GPA_MAX_DIMS];
    gpa_code rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc) rc = arg_shape(vm, argv[1], &ndim, shape);
    if (!rc) rc = arg_ints(vm, argv[2], "strides", GPA_MAX_DIMS, &n, strides);
    if (!rc && n != ndim) rc = vm_fail(vm, GPA_E_VALUE, "mismatch in length of strides and shape");
    for (int d = 0; d < ndim && !rc; d++) {
        int64_t item = (int64_t)dtype_size((gpa_dtype)a->dtype);
        if (strides[d] % item)
            rc = vm_fail(vm, GPA_E_UNSUPPORTED,
                         "strides that are no multiples of the element's size, %lld bytes",
                         (long long)item);
        strides[d] /= item;
    }
    if (!rc)
        rc = arr_view(vm_rt(vm), a, &(arr_layout){(gpa_dtype)a->dtype, ndim, shape, strides, 0},
                      &view, vm_err(vm));
    arr_release(vm_rt(vm), a);
    return rc ? rc : np_return_array(vm, view, out);
}
