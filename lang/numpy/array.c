/* Attributes and methods of ndarray and NumPy scalars, and functions of the module numpy that
 * return views or rearrange elements. A function that is both (np.reshape(a, ...), a.reshape(...))
 * is written once where the arguments agree. */
#include <stdlib.h>

#include "lang/object/big.h"
#include "lang/numpy/all.h"
#include "lang/numpy/float_errors.h"
#include "lang/numpy/numpy.h"

/* ---- attributes ---- */

static gpa_code ints_tuple(gpa_vm *vm, int n, const int64_t *v, int64_t scale, value *out) {
    *out = v_tuple(vm, (size_t)n, NULL);
    if (out->tag == V_UNSET) return vm_err(vm)->code;
    for (int d = 0; d < n; d++) out->tuple->items[d] = v_int(v[d] * scale);
    return GPA_OK;
}

/* Runs the statements with `a` bound to argv[0] converted to an array, then releases it. */
#define WITH_ARRAY(...)                                    \
    do {                                                   \
        gpa_arr *a = NULL;                                 \
        gpa_code rc = arg_array(vm, argv[0], DT_NONE, &a); \
        if (rc) return rc;                                 \
        __VA_ARGS__;                                       \
        arr_release(vm_rt(vm), a);                         \
        return rc;                                         \
    } while (0)

gpa_code nd_shape(gpa_vm *vm, value *argv, value *out) {
    WITH_ARRAY(rc = ints_tuple(vm, a->ndim, a->shape, 1, out));
}
gpa_code nd_strides(gpa_vm *vm, value *argv, value *out) {
    WITH_ARRAY(
        rc = ints_tuple(vm, a->ndim, a->strides, (int64_t)dtype_size((gpa_dtype)a->dtype), out));
}
gpa_code nd_ndim(gpa_vm *vm, value *argv, value *out) { WITH_ARRAY(*out = v_int(a->ndim)); }
gpa_code nd_size(gpa_vm *vm, value *argv, value *out) { WITH_ARRAY(*out = v_int(a->size)); }
gpa_code nd_dtype(gpa_vm *vm, value *argv, value *out) {
    WITH_ARRAY(*out = v_dtype((gpa_dtype)a->dtype));
}
gpa_code nd_itemsize(gpa_vm *vm, value *argv, value *out) {
    WITH_ARRAY(*out = v_int((int64_t)dtype_size((gpa_dtype)a->dtype)));
}
gpa_code nd_nbytes(gpa_vm *vm, value *argv, value *out) {
    WITH_ARRAY(*out = v_int(a->size * (int64_t)dtype_size((gpa_dtype)a->dtype)));
}
gpa_code nd_device(gpa_vm *vm, value *argv, value *out) {
    WITH_ARRAY(*out = v_cstr(vm, arr_device(vm_rt(vm), a));
               if (out->tag == V_UNSET) rc = vm_err(vm)->code);
}

gpa_code nd_base(gpa_vm *vm, value *argv, value *out) {
    WITH_ARRAY(if (a->base) rc = np_return_array(vm, arr_retain(a->base), out));
}

gpa_code nd_T(gpa_vm *vm, value *argv, value *out) {
    gpa_arr *t = NULL;
    WITH_ARRAY(rc = arr_transpose(vm_rt(vm), a, NULL, &t, vm_err(vm));
               if (!rc) rc = np_return_array(vm, t, out));
}

gpa_code nd_mT(gpa_vm *vm, value *argv, value *out) {
    gpa_arr *t = NULL;
    int perm[GPA_MAX_DIMS];
    WITH_ARRAY(if (a->ndim < 2) rc =
                   vm_fail(vm, GPA_E_VALUE, "matrix transpose with ndim < 2 is undefined");
               for (int d = 0; d < a->ndim; d++) perm[d] =
                   d < a->ndim - 2 ? d : 2 * a->ndim - 3 - d;
               if (!rc) rc = arr_transpose(vm_rt(vm), a, perm, &t, vm_err(vm));
               if (!rc) rc = np_return_array(vm, t, out));
}

static gpa_code complex_part(gpa_vm *vm, value *argv, bool imag, value *out) {
    gpa_arr *p = NULL;
    bool scalar = argv[0].tag != V_ARRAY || argv[0].aux;
    WITH_ARRAY(if (dtype_is_complex((gpa_dtype)a->dtype)) rc =
                   arr_part(vm_rt(vm), a, imag, &p, vm_err(vm));
               else if (!imag) p = arr_retain(a);
               else rc = arr_full(vm_rt(vm), &(arr_spec){(gpa_dtype)a->dtype, a->ndim, a->shape},
                                  (gpa_val){0}, &p, vm_err(vm));
               if (p && imag && !dtype_is_complex((gpa_dtype)a->dtype)) p->readonly = true;
               if (!rc) rc = scalar ? np_return(vm, p, out) : np_return_array(vm, p, out));
}
gpa_code nd_real(gpa_vm *vm, value *argv, value *out) { return complex_part(vm, argv, false, out); }
gpa_code nd_imag(gpa_vm *vm, value *argv, value *out) { return complex_part(vm, argv, true, out); }

/* True for a Python complex number, whose parts are Python floats. */
static bool is_plain_complex(value v) { return v.tag == V_COMPLEX && !v.aux; }

gpa_code np_real(gpa_vm *vm, value *argv, value *out) { /* val */
    if (argv[0].tag == V_INT || argv[0].tag == V_BOOL) return int_conjugate(vm, argv, out);
    if (argv[0].tag == V_FLOAT) return float_conjugate(vm, argv, out);
    return is_plain_complex(argv[0]) ? complex_real(vm, argv, out) : nd_real(vm, argv, out);
}

gpa_code np_imag(gpa_vm *vm, value *argv, value *out) { /* val */
    if (argv[0].tag == V_INT || argv[0].tag == V_BOOL) return int_imag(vm, argv, out);
    if (argv[0].tag == V_FLOAT) return float_imag(vm, argv, out);
    return is_plain_complex(argv[0]) ? complex_imag(vm, argv, out) : nd_imag(vm, argv, out);
}

gpa_code np_angle(gpa_vm *vm, value *argv, value *out) { /* z, deg */
    bool deg;
    gpa_code rc = arg_bool(vm, argv[1], "deg", &deg);
    if (!rc) rc = ufunc_call(vm, ufunc_of(OP_ANGLE), ARGS(1, argv), out);
    if (rc || !deg) return rc;
    value radians = *out;
    rc = ufunc_call(vm, ufunc_of(OP_MULTIPLY),
                    ARGS(2, (value[]){radians, v_float(180 / 3.141592653589793)}), out);
    value_release(vm, radians);
    return rc;
}

static gpa_code flags_attr(gpa_vm *vm, object_obj *o, const char *name, value *out) {
    const value *f = o->fields;
    (void)vm;
    *out = v_unset();
#define FLAG(attribute, key, letter, on) \
    if (strcmp(name, attribute) == 0) *out = v_bool(on);
#include "lang/numpy/flags.def"
#undef FLAG
    return GPA_OK;
}

static gpa_code flags_getitem(gpa_vm *vm, object_obj *o, value key, value *out) {
    const value *f = o->fields;
    const char *name = key.tag == V_STR ? key.str->text : "";
#define FLAG(attribute, full, letter, on) \
    if (strcmp(name, full) == 0 || strcmp(name, letter) == 0) return *out = v_bool(on), GPA_OK;
#include "lang/numpy/flags.def"
#undef FLAG
    return vm_fail(vm, GPA_E_KEY, "Unknown flag");
}

static gpa_code flags_repr(gpa_vm *vm, object_obj *o, gpa_str *out) {
    static const char *const names[] = {"C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE"};
    (void)vm;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        str_printf(out, "  %s : %s\n", names[i], o->fields[i].i ? "True" : "False");
    str_put(out, "  ALIGNED : True\n  WRITEBACKIFCOPY : False\n");
    return GPA_OK;
}

/* Sets WRITEABLE, the only flag that a program may set. */
static gpa_code set_writeable(gpa_vm *vm, value array, value on) {
    bool write;
    gpa_code rc = arg_bool(vm, on, "write", &write);
    return rc ? rc : arr_set_writeable(array.array->arr, write, vm_err(vm));
}

static gpa_code flags_set(gpa_vm *vm, object_obj *o, const char *name, value on) {
    if (strcmp(name, "writeable") != 0)
        return vm_fail(vm, GPA_E_ATTRIBUTE, "attribute '%s' of '%s' objects is not writable", name,
                       o->kind->type_name);
    gpa_code rc = set_writeable(vm, o->fields[4], on);
    if (!rc) o->fields[3] = v_bool(!o->fields[4].array->arr->readonly);
    return rc;
}

static gpa_code flags_setitem(gpa_vm *vm, object_obj *o, value key, value on) {
    const char *name = key.tag == V_STR ? key.str->text : "";
    if (strcmp(name, "WRITEABLE") == 0 || strcmp(name, "W") == 0)
        return flags_set(vm, o, "writeable", on);
    return vm_fail(vm, GPA_E_KEY, "Unknown flag");
}

const object_kind flags_kind = {.type_name = "numpy._core.multiarray.flagsobj",
                                .attr = flags_attr,
                                .set = flags_set,
                                .getitem = flags_getitem,
                                .setitem = flags_setitem,
                                .repr = flags_repr};

gpa_code nd_setflags(gpa_vm *vm, value *argv, value *out) { /* self, write, align, uic */
    bool other;
    gpa_code rc = GPA_OK;
    *out = v_none();
    if (argv[3].tag != V_NONE) {
        rc = arg_bool(vm, argv[3], "uic", &other);
        if (!rc && other) rc = vm_fail(vm, GPA_E_VALUE, "cannot set WRITEBACKIFCOPY flag to True");
    }
    return rc || argv[1].tag == V_NONE ? rc : set_writeable(vm, argv[0], argv[1]);
}

gpa_code nd_flags(gpa_vm *vm, value *argv, value *out) {
    WITH_ARRAY(*out = v_object(vm, &flags_kind, 5); if (out->tag == V_UNSET) rc = vm_err(vm)->code;
               else {
                   out->object->fields[0] = v_bool(arr_is_contiguous(a));
                   out->object->fields[1] = v_bool(arr_is_f_contiguous(a));
                   out->object->fields[2] = v_bool(a->base == NULL);
                   out->object->fields[3] = v_bool(!a->readonly);
                   out->object->fields[4] = value_retain(argv[0]);
               });
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

/* ---- attributes that can be set ---- */

void np_replace_take(gpa_vm *vm, value v, gpa_arr *view) {
    gpa_arr *a = v.array->arr, *base = view->base;
    view->base = a->base ? arr_retain(a->base) : NULL;
    v.array->arr = view;
    arr_release(vm_rt(vm), base);
    arr_release(vm_rt(vm), a);
}

gpa_code nd_set_shape(gpa_vm *vm, value *argv, value *out) { /* self, value */
    int ndim;
    int64_t shape[GPA_MAX_DIMS];
    gpa_arr *a = argv[0].array->arr, *view = NULL;
    gpa_code rc = arg_ints(vm, argv[1], "shape", GPA_MAX_DIMS, &ndim, shape);
    *out = v_none();
    if (!rc) rc = arr_reshape(vm_rt(vm), a, ndim, shape, &view, vm_err(vm));
    if (rc) return rc;
    if (view->storage != a->storage) {
        arr_release(vm_rt(vm), view);
        return vm_fail(vm, GPA_E_ATTRIBUTE,
                       "Incompatible shape for in-place modification. Use `.reshape()` to make a "
                       "copy with the desired shape.");
    }
    np_replace_take(vm, argv[0], view);
    return GPA_OK;
}

gpa_code nd_resize(gpa_vm *vm, value *argv, value *out) { /* self, *new_shape, refcheck */
    gpa_arr *a = argv[0].array->arr;
    value shape = argv[1], resized = v_none(), filled = v_none();
    bool check;
    gpa_code rc = arg_bool(vm, argv[2], "refcheck", &check);
    *out = v_none();
    if (rc) return rc;
    if (a->base)
        return vm_fail(vm, GPA_E_VALUE, "cannot resize this array: it does not own its data");
    if (check && a->refs > 1)
        return vm_fail(vm, GPA_E_VALUE,
                       "cannot resize an array that references or is referenced\nby another array "
                       "in this way.\nUse the np.resize function or refcheck=False");
    if (shape.tuple->count == 1) shape = shape.tuple->items[0];
    rc = np_library_func(vm, "_resized", &resized);
    if (!rc) rc = vm_call(vm, resized, ARGS(2, (value[]){argv[0], shape}), &filled);
    if (!rc) {
        argv[0].array->arr = arr_retain(filled.array->arr);
        arr_release(vm_rt(vm), a);
    }
    value_release(vm, filled);
    value_release(vm, resized);
    return rc;
}

static gpa_code assign_all(gpa_vm *vm, gpa_arr *target, value v) {
    gpa_opnd rhs = {0};
    gpa_code rc = arg_opnd(vm, v, &rhs);
    if (!rc) rc = arr_set(vm_rt(vm), target, NULL, &rhs, vm_err(vm));
    arg_opnd_release(vm, &rhs);
    return rc;
}

static gpa_code set_complex_part(gpa_vm *vm, value *argv, bool imag, value *out) {
    gpa_arr *a = argv[0].array->arr, *target = NULL;
    gpa_code rc = GPA_OK;
    *out = v_none();
    if (dtype_is_complex((gpa_dtype)a->dtype))
        rc = arr_part(vm_rt(vm), a, imag, &target, vm_err(vm));
    else if (imag)
        rc = vm_fail(vm, GPA_E_TYPE, "array does not have imaginary part to set");
    else
        target = arr_retain(a);
    if (!rc) rc = assign_all(vm, target, argv[1]);
    arr_release(vm_rt(vm), target);
    return rc;
}

gpa_code nd_set_real(gpa_vm *vm, value *argv, value *out) {
    return set_complex_part(vm, argv, false, out);
}
gpa_code nd_set_imag(gpa_vm *vm, value *argv, value *out) {
    return set_complex_part(vm, argv, true, out);
}

gpa_code nd_set_flat(gpa_vm *vm, value *argv,
                     value *out) { /* self, value: assigned in C order, repeated as needed */
    gpa_arr *a = argv[0].array->arr;
    value filled = v_none(), resize = v_none(), shape = v_none();
    gpa_code rc = GPA_OK;
    *out = v_none();
    if (argv[1].tag != V_ARRAY && argv[1].tag != V_LIST && argv[1].tag != V_TUPLE)
        return assign_all(vm, a, argv[1]);
    TRY(ints_tuple(vm, a->ndim, a->shape, 1, &shape));
    TRY(np_library_func(vm, "resize", &resize));
    TRY(vm_call(vm, resize, ARGS(2, (value[]){argv[1], shape}), &filled));
    rc = assign_all(vm, a, filled);
out:
    value_release(vm, filled);
    value_release(vm, resize);
    value_release(vm, shape);
    return rc;
}

/* ---- views and copies ---- */

static gpa_code reshape_to(gpa_vm *vm, value a_value, value shape, value *out) {
    int ndim;
    int64_t dims[GPA_MAX_DIMS];
    gpa_arr *a = NULL, *b = NULL;
    gpa_code rc = GPA_OK;
    TRY(arg_array(vm, a_value, DT_NONE, &a));
    TRY(arg_ints(vm, shape, "shape", GPA_MAX_DIMS, &ndim, dims));
    TRY(arr_reshape(vm_rt(vm), a, ndim, dims, &b, vm_err(vm)));
    rc = np_return_array(vm, b, out);
out:
    arr_release(vm_rt(vm), a);
    return rc;
}

/* Reshape in F order ('F', or 'A' of an F-contiguous array): a C-order reshape of the transpose. */
static gpa_code reshape_order(gpa_vm *vm, value a_value, value shape, value order, value *out) {
    char wish;
    gpa_code bad = arg_order_letter(vm, order, &wish);
    if (bad) return bad;
    if (wish == 'K') return vm_fail(vm, GPA_E_VALUE, "order 'K' is not permitted for reshaping");
    const gpa_arr *a = a_value.tag == V_ARRAY ? a_value.array->arr : NULL;
    bool columns = wish == 'F' || (wish == 'A' && a && arr_is_only_f_contiguous(a));
    if (!columns) return reshape_to(vm, a_value, shape, out);
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
    gpa_code rc = reshape_order(vm, a, shape, order, out);
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
    bool keep_order = argv[1].tag == V_STR && strcmp(argv[1].str->text, "K") == 0;
    gpa_code rc = keep_order ? sort_axes_by_stride(vm, argv[0], &source)
                             : native_return(value_retain(argv[0]), &source);
    if (!rc) rc = reshape_order(vm, source, v_int(-1), keep_order ? v_none() : argv[1], &flat);
    value_release(vm, source);
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

static gpa_code transpose(gpa_vm *vm, value a_value, value axes, value *out) {
    if (axes.tag == V_NONE) return nd_T(vm, &a_value, out);
    gpa_arr *a = NULL, *b = NULL;
    int n, perm[GPA_MAX_DIMS];
    int64_t list[GPA_MAX_DIMS];
    uint32_t seen = 0;
    gpa_code rc = GPA_OK;
    TRY(arg_array(vm, a_value, DT_NONE, &a));
    TRY(arg_ints(vm, axes, "axes", GPA_MAX_DIMS, &n, list));
    if (n != a->ndim) TRY(vm_fail(vm, GPA_E_VALUE, "axes don't match array"));
    for (int d = 0; d < n; d++) {
        TRY(arg_axis(vm, v_int(list[d]), n, &perm[d]));
        if (seen >> perm[d] & 1) TRY(vm_fail(vm, GPA_E_VALUE, "repeated axis in transpose"));
        seen |= 1u << perm[d];
    }
    TRY(arr_transpose(vm_rt(vm), a, perm, &b, vm_err(vm)));
    rc = np_return_array(vm, b, out);
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

gpa_code np_broadcast_to(gpa_vm *vm, value *argv, value *out) { /* array, shape */
    int ndim;
    int64_t shape[GPA_MAX_DIMS];
    gpa_arr *b = NULL;
    gpa_code shape_rc = arg_shape(vm, argv[1], &ndim, shape);
    if (shape_rc) return shape_rc;
    WITH_ARRAY(rc = arr_broadcast_to(vm_rt(vm), a, ndim, shape, &b, vm_err(vm));
               if (!rc) rc = np_return_array(vm, b, out));
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

gpa_code np_broadcast_shapes(gpa_vm *vm, value *argv, value *out) { /* *shapes */
    gpa_arr *parts[GPA_MAX_DIMS] = {0};
    size_t n = argv[0].tuple->count;
    int ndim = 0;
    int64_t shape[GPA_MAX_DIMS];
    gpa_code rc = GPA_OK;
    if (n > GPA_MAX_DIMS)
        return vm_fail(vm, GPA_E_VALUE, "Need at least 0 and at most %d array objects.",
                       GPA_MAX_DIMS);
    for (size_t i = 0; i < n; i++) {
        TRY(arg_shape(vm, argv[0].tuple->items[i], &ndim, shape));
        TRY(arr_full(vm_rt(vm), &(arr_spec){DT_BOOL, ndim, shape}, (gpa_val){0}, &parts[i],
                     vm_err(vm)));
    }
    for (size_t j = 1; j < n; j++)
        for (size_t i = 0; i < j; i++)
            if (arr_broadcast_shape((gpa_arr *[]){parts[i], parts[j]}, 2, &ndim, shape, NULL)) {
                rc = fail_broadcast(vm, argv[0], i, j);
                goto out;
            }
    ndim = 0;
    if (n) TRY(arr_broadcast_shape(parts, (int)n, &ndim, shape, vm_err(vm)));
    rc = ints_tuple(vm, ndim, shape, 1, out);
out:
    for (size_t i = 0; i < n; i++) arr_release(vm_rt(vm), parts[i]);
    return rc;
}

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
    WITH_ARRAY(
        bool by_rows = order == 'C' || (order == 'A' && !arr_is_f_contiguous(a));
        gpa_dtype from = (gpa_dtype)a->dtype;
        if (!dtype_can_cast(from, t, casting)) rc = vm_fail(
            vm, GPA_E_TYPE,
            "Cannot cast array data from dtype('%s') to dtype('%s') according to the rule '%s'",
            dtype_info[from].name, dtype_info[t].name, argv[3].str->text);
        if (!rc) rc = np_warn_cast(vm, from, t);
        if (!rc) rc =
            (by_rows ? arr_cast : arr_cast_order_k)(vm_rt(vm), a, t, copy, &b, vm_err(vm));
        if (!rc && (rc = float_check_arr(vm, "_float_look_cast", 1, (value[2]){argv[0]}, b)))
            arr_release(vm_rt(vm), b);
        if (!rc) rc = scalar ? np_return(vm, b, out) : np_return_array(vm, b, out);
        if (!rc && !scalar && argv[2].tag != V_NONE) rc = apply_order(vm, argv[2], out));
}

gpa_code nd_view(gpa_vm *vm, value *argv, value *out) { /* self, dtype, type */
    gpa_dtype t;
    gpa_arr *b = NULL;
    bool kind_first = argv[1].tag == V_TYPE && argv[1].aux == V_ARRAY &&
                      argv[2].tag == V_NONE; /* view(np.ndarray) */
    value dtype = kind_first ? v_none() : argv[1], kind = kind_first ? argv[1] : argv[2];
    if (kind.tag != V_NONE && (kind.tag != V_TYPE || kind.aux != V_ARRAY))
        return vm_fail(vm, GPA_E_VALUE, "Type must be a sub-type of ndarray type");
    gpa_code args = arg_dtype(vm, dtype, &t);
    if (args) return args;
    WITH_ARRAY(if (t != DT_NONE) rc = arr_reinterpret(vm_rt(vm), a, t, &b, vm_err(vm));
               else rc =
                   arr_view(vm_rt(vm), a,
                            &(arr_layout){(gpa_dtype)a->dtype, a->ndim, a->shape, a->strides, 0},
                            &b, vm_err(vm));
               if (!rc) rc = np_return_array(vm, b, out));
}

/* View whose row i is a[i : i + n]: sliding windows. */
gpa_code np_windows(gpa_vm *vm, value *argv, value *out) { /* a, n */
    int64_t n;
    gpa_arr *b = NULL;
    gpa_code args = arg_int(vm, argv[1], "n", &n);
    if (args) return args;
    WITH_ARRAY(
        rc = arr_view(vm_rt(vm), a,
                      &(arr_layout){(gpa_dtype)a->dtype, 2, (int64_t[]){a->shape[0] - n + 1, n},
                                    (int64_t[]){a->strides[0], a->strides[0]}, 0},
                      &b, vm_err(vm));
        if (!rc) rc = np_return_array(vm, b, out));
}

/* Evaluates a lazy array now: for values that the next iteration reads, where fusing all of them
 * would recompute. */
gpa_code np_materialize(gpa_vm *vm, value *argv, value *out) {
    WITH_ARRAY(rc = arr_eval(vm_rt(vm), &a, 1, vm_err(vm));
               if (!rc) rc = np_return_array(vm, arr_retain(a), out));
}

/* View of the diagonal k of the last two axes. */
gpa_code np_diagonal_view(gpa_vm *vm, value *argv, value *out) { /* a, k */
    int64_t k, shape[GPA_MAX_DIMS], strides[GPA_MAX_DIMS];
    gpa_arr *b = NULL;
    gpa_code args = arg_int(vm, argv[1], "k", &k);
    if (args) return args;
    WITH_ARRAY(
        int n = a->ndim - 1; int64_t rows = a->shape[n - 1], cols = a->shape[n];
        int64_t len = MIN(k < 0 ? rows + k : rows, k > 0 ? cols - k : cols);
        for (int d = 0; d < n; d++) shape[d] = a->shape[d], strides[d] = a->strides[d];
        shape[n - 1] = MAX(len, 0); strides[n - 1] = a->strides[n - 1] + a->strides[n];
        int64_t offset = shape[n - 1] == 0 ? 0
                         : k < 0           ? -k * a->strides[n - 1]
                                           : k * a->strides[n];
        rc = arr_view(vm_rt(vm), a, &(arr_layout){(gpa_dtype)a->dtype, n, shape, strides, offset},
                      &b, vm_err(vm));
        if (!rc) rc = np_return_array(vm, b, out));
}

/* ---- values ---- */

static value python_scalar(gpa_vm *vm, gpa_dtype t, const char *p) {
    gpa_val v = dtype_load(p, t);
    if (t == DT_BOOL) return v_bool(v.BOOL);
    if (t == DT_U64) return v_uint(vm, v.U64);
    if (dtype_is_int(t)) return v_int(dtype_cast(v, t, DT_I64).I64);
    if (dtype_is_complex(t)) {
        v = dtype_cast(v, t, DT_C128);
        return v_complex(vm, v.C128.re, v.C128.im);
    }
    return v_float(dtype_cast(v, t, DT_F64).F64);
}

static gpa_code nested_list(gpa_vm *vm, const gpa_arr *a, int d, const char **p, value *out) {
    gpa_dtype t = (gpa_dtype)a->dtype;
    if (d == a->ndim) {
        *out = python_scalar(vm, t, *p);
        *p += dtype_size(t);
        return out->tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
    }
    *out = v_list(vm, (size_t)a->shape[d], NULL);
    if (out->tag == V_UNSET) return vm_err(vm)->code;
    for (int64_t i = 0; i < a->shape[d]; i++) {
        gpa_code rc = nested_list(vm, a, d + 1, p, &out->list->items[i]);
        if (rc) {
            out->list->items[i] = v_none();
            value_release(vm, *out);
            *out = v_none();
            return rc;
        }
    }
    return GPA_OK;
}

gpa_code nd_tolist(gpa_vm *vm, value *argv, value *out) {
    WITH_ARRAY(char *data = mem_new((size_t)a->size * dtype_size((gpa_dtype)a->dtype));
               const char *p = data; if (!data) rc = vm_no_memory(vm);
               if (!rc) rc = arr_read(vm_rt(vm), a, data, vm_err(vm));
               if (!rc) rc = nested_list(vm, a, 0, &p, out); mem_free(data));
}

gpa_code nd_item(gpa_vm *vm, value *argv, value *out) { /* self, *args */
    size_t n = argv[1].tuple->count;
    int64_t ix[GPA_MAX_DIMS];
    gpa_val v;
    WITH_ARRAY(value key = n == 1 ? argv[1].tuple->items[0] : argv[1]; int count = 0;
               if (n == 0 && a->size != 1) rc = vm_fail(
                   vm, GPA_E_VALUE, "can only convert an array of size 1 to a Python scalar");
               else if (n == 0) rc = arr_item(vm_rt(vm), a, &v, vm_err(vm));
               else rc = arg_ints(vm, key, "index", GPA_MAX_DIMS, &count, ix);
               if (!rc && count == 1 && a->ndim != 1) {
                   int64_t flat = ix[0] < 0 ? ix[0] + a->size : ix[0];
                   if (flat < 0 || flat >= a->size)
                       rc = vm_fail(vm, GPA_E_INDEX, "index %lld is out of bounds for size %lld",
                                    (long long)ix[0], (long long)a->size);
                   for (int d = a->ndim; !rc && d-- > 0; flat /= a->shape[d])
                       ix[d] = flat % a->shape[d];
                   count = a->ndim;
               } if (!rc && n && count != a->ndim) rc =
                   vm_fail(vm, GPA_E_VALUE, "incorrect number of indices for array");
               if (!rc && n) rc = arr_get_item(vm_rt(vm), a, ix, count, &v, vm_err(vm));
               if (!rc) *out = python_scalar(vm, (gpa_dtype)a->dtype, (const char *)&v);
               if (!rc && out->tag == V_UNSET) rc = vm_err(vm)->code);
}

gpa_code nd_fill(gpa_vm *vm, value *argv, value *out) { /* self, value */
    gpa_opnd rhs = {0};
    *out = v_none();
    WITH_ARRAY(rc = arg_element(vm, argv[1], (gpa_dtype)a->dtype, &rhs);
               if (!rc && !rhs.weak) rc = np_warn_cast(
                   vm, rhs.arr ? (gpa_dtype)rhs.arr->dtype : rhs.dtype, (gpa_dtype)a->dtype);
               if (!rc) rc = arr_set(vm_rt(vm), a, NULL, &rhs, vm_err(vm));
               arg_opnd_release(vm, &rhs));
}

gpa_code np_copyto(gpa_vm *vm, value *argv, value *out) { /* dst, src, where */
    *out = v_none();
    if (argv[0].tag != V_ARRAY || argv[0].aux)
        return vm_fail(vm, GPA_E_TYPE, "copyto() argument 1 must be a numpy.ndarray, not %s",
                       value_type_name(argv[0]));
    value chosen = v_none();
    gpa_code rc = GPA_OK;
    if (argv[2].tag == V_BOOL && argv[2].i)
        chosen = value_retain(argv[1]);
    else
        rc = np_where(vm, (value[]){argv[2], argv[1], argv[0]}, &chosen);
    if (!rc) rc = nd_fill(vm, (value[]){argv[0], chosen}, out);
    value_release(vm, chosen);
    return rc;
}

gpa_code nd_compress(gpa_vm *vm, value *argv, value *out) { /* self, condition, axis, out */
    value fn;
    gpa_code rc = np_library_func(vm, "compress", &fn);
    if (rc) return rc;
    rc = vm_call(vm, fn, ARGS(4, (value[]){argv[1], argv[0], argv[2], argv[3]}), out);
    value_release(vm, fn);
    return rc;
}

gpa_code nd_flat(gpa_vm *vm, value *argv, value *out) {
    value type;
    gpa_code rc = np_library_func(vm, "flatiter", &type);
    if (rc) return rc;
    rc = vm_call(vm, type, ARGS(1, argv), out);
    value_release(vm, type);
    return rc;
}

/* A real array is its own conjugate. */
gpa_code nd_conj(gpa_vm *vm, value *argv, value *out) {
    bool itself = argv[0].tag == V_ARRAY && !argv[0].aux &&
                  !dtype_is_complex((gpa_dtype)argv[0].array->arr->dtype);
    if (!itself) return ufunc_call(vm, ufunc_of(OP_CONJUGATE), ARGS(1, argv), out);
    *out = value_retain(argv[0]);
    return GPA_OK;
}

/* Rounds real and imaginary parts separately: dividing by a complex power of ten would round once
 * more. */
static gpa_code round_complex(gpa_vm *vm, gpa_arr *a, value *argv, value *out) {
    value name = v_cstr(vm, "out"), parts[2] = {v_none(), v_none()},
          rounded[2] = {v_none(), v_none()};
    gpa_code rc = name.tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
    for (int i = 0; i < 2 && !rc; i++) {
        gpa_arr *p = NULL;
        rc = arr_part(vm_rt(vm), a, i == 1, &p, vm_err(vm));
        if (!rc) rc = np_return(vm, p, &parts[i]);
        if (!rc) rc = nd_round(vm, (value[]){parts[i], argv[1], v_none()}, &rounded[i]);
    }
    if (!rc)
        rc = ufunc_call(vm, ufunc_of(OP_COMPLEX),
                        &(call_args){2, 1, (value[]){rounded[0], rounded[1], argv[2]}, &name}, out);
    for (int i = 0; i < 2; i++) {
        value_release(vm, parts[i]);
        value_release(vm, rounded[i]);
    }
    value_release(vm, name);
    return rc;
}

static gpa_code cast_to(gpa_vm *vm, value v, gpa_dtype t, value *out) {
    return nd_astype(vm, (value[]){v, v_dtype(t), v_none(), v_none(), v_none(), v_bool(true)}, out);
}

/* Rounds to decimals other than 0 as NumPy does: multiplies by a power of ten, rounds half to even,
 * divides. Integers of dtype t wrap around. argv: a, decimals, out. */
static gpa_code round_scaled(gpa_vm *vm, value *argv, int64_t decimals, gpa_dtype t, value out_name,
                             value *out) {
    value scaled = v_none(), whole = v_none(), wrapped = v_none(), rounded = v_none(),
          integers = v_none();
    bool exact = dtype_is_int(t) || t == DT_BOOL;
    gpa_code rc = GPA_OK;
    double power = 1;
    for (int64_t i = 0; i < (decimals < 0 ? -decimals : decimals) && i < 400; i++) power *= 10;
    gpa_op up = decimals > 0 ? OP_MULTIPLY : OP_DIVIDE,
           down = decimals > 0 ? OP_DIVIDE : OP_MULTIPLY;
    value by = exact ? v_int((int64_t)power) : v_float(power);
    TRY(ufunc_call(vm, ufunc_of(up), ARGS(2, (value[]){argv[0], by}), &scaled));
    TRY(ufunc_call(vm, ufunc_of(OP_RINT), ARGS(1, &scaled), &whole));
    if (!exact) {
        rc = ufunc_call(vm, ufunc_of(down),
                        &(call_args){2, 1, (value[]){whole, by, argv[2]}, &out_name}, out);
        goto out;
    }
    TRY(ufunc_call(vm, ufunc_of(down), ARGS(2, (value[]){whole, by}), &integers));
    TRY(cast_to(vm, integers, DT_I64, &wrapped));
    TRY(cast_to(vm, wrapped, t == DT_BOOL ? DT_I64 : t, &rounded));
    if (argv[2].tag == V_NONE || argv[2].tag == V_UNSET)
        *out = value_retain(rounded);
    else
        rc = ufunc_call(vm, ufunc_of(OP_POSITIVE),
                        &(call_args){1, 1, (value[]){rounded, argv[2]}, &out_name}, out);
out:
    value_release(vm, scaled);
    value_release(vm, whole);
    value_release(vm, integers);
    value_release(vm, wrapped);
    value_release(vm, rounded);
    return rc;
}

gpa_code nd_round(gpa_vm *vm, value *argv, value *out) { /* a, decimals, out */
    int64_t decimals;
    gpa_arr *a = NULL;
    gpa_code rc = arg_int(vm, argv[1], "decimals", &decimals);
    if (!rc) rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (rc) return rc;
    gpa_dtype t = (gpa_dtype)a->dtype;
    if (dtype_is_complex(t) && decimals) rc = round_complex(vm, a, argv, out);
    arr_release(vm_rt(vm), a);
    if (rc || (dtype_is_complex(t) && decimals)) return rc;
    value name = v_cstr(vm, "out");
    if (name.tag == V_UNSET) return vm_err(vm)->code;
    /* NumPy's rint computes bool in float16. */
    bool unchanged = decimals >= 0 && (t == DT_BOOL ? decimals != 0 : dtype_is_int(t));
    if (unchanged || decimals == 0)
        rc = ufunc_call(vm, ufunc_of(unchanged ? OP_POSITIVE : OP_RINT),
                        &(call_args){1, 1, (value[]){argv[0], argv[2]}, &name}, out);
    else
        rc = round_scaled(vm, argv, decimals, t, name, out);
    value_release(vm, name);
    return rc;
}
