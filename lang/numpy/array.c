/* Attributes of ndarray and NumPy scalars, flags, and methods that read or fill elements. A method
 * and a function of the module numpy with the same arguments share one C function. */
#include "lang/object/big.h"
#include "lang/numpy/all.h"
#include "lang/numpy/numpy.h"
#include "lang/object/number.h"

/* ---- attributes ---- */

gpa_code np_ints_tuple(gpa_vm *vm, int n, const int64_t *v, value *out) {
    *out = v_tuple(vm, (size_t)n, NULL);
    if (out->tag == V_UNSET) return vm_err(vm)->code;
    for (int d = 0; d < n; d++) out->tuple->items[d] = v_int(v[d]);
    return GPA_OK;
}

/* Calls get with an array or NumPy scalar as an array. */
static gpa_code attribute(gpa_vm *vm, value self,
                          gpa_code (*get)(gpa_vm *vm, const gpa_arr *a, value *out), value *out) {
    gpa_arr *a = NULL;
    gpa_code rc = arg_array(vm, self, DT_NONE, &a);
    if (!rc) rc = get(vm, a, out);
    arr_release(vm_rt(vm), a);
    return rc;
}

static int64_t item_size(const gpa_arr *a) { return (int64_t)dtype_size((gpa_dtype)a->dtype); }

static gpa_code get_shape(gpa_vm *vm, const gpa_arr *a, value *out) {
    return np_ints_tuple(vm, a->ndim, a->shape, out);
}
static gpa_code get_strides(gpa_vm *vm, const gpa_arr *a, value *out) {
    int64_t bytes[GPA_MAX_DIMS];
    for (int d = 0; d < a->ndim; d++) bytes[d] = a->strides[d] * item_size(a);
    return np_ints_tuple(vm, a->ndim, bytes, out);
}
static gpa_code get_ndim(gpa_vm *vm, const gpa_arr *a, value *out) {
    (void)vm;
    *out = v_int(a->ndim);
    return GPA_OK;
}
static gpa_code get_size(gpa_vm *vm, const gpa_arr *a, value *out) {
    (void)vm;
    *out = v_int(a->size);
    return GPA_OK;
}
static gpa_code get_dtype(gpa_vm *vm, const gpa_arr *a, value *out) {
    (void)vm;
    *out = v_dtype((gpa_dtype)a->dtype);
    return GPA_OK;
}
static gpa_code get_itemsize(gpa_vm *vm, const gpa_arr *a, value *out) {
    (void)vm;
    *out = v_int(item_size(a));
    return GPA_OK;
}
static gpa_code get_nbytes(gpa_vm *vm, const gpa_arr *a, value *out) {
    (void)vm;
    *out = v_int(a->size * item_size(a));
    return GPA_OK;
}
static gpa_code get_device(gpa_vm *vm, const gpa_arr *a, value *out) {
    return native_return(v_cstr(vm, arr_device(vm_rt(vm), a)), out);
}
static gpa_code get_base(gpa_vm *vm, const gpa_arr *a, value *out) {
    return a->base ? np_return_array(vm, arr_retain(a->base), out) : GPA_OK;
}

gpa_code np_on_gpu(gpa_vm *vm, value *argv, value *out) { /* a */
    *out = v_bool(argv[0].tag == V_ARRAY && arr_on_gpu(vm_rt(vm), argv[0].array->arr));
    return GPA_OK;
}

NATIVE_FN(nd_shape) { return attribute(vm, argv[0], get_shape, out); }
NATIVE_FN(nd_strides) { return attribute(vm, argv[0], get_strides, out); }
NATIVE_FN(nd_ndim) { return attribute(vm, argv[0], get_ndim, out); }
NATIVE_FN(nd_size) { return attribute(vm, argv[0], get_size, out); }
NATIVE_FN(nd_dtype) { return attribute(vm, argv[0], get_dtype, out); }
NATIVE_FN(nd_itemsize) { return attribute(vm, argv[0], get_itemsize, out); }
NATIVE_FN(nd_nbytes) { return attribute(vm, argv[0], get_nbytes, out); }
NATIVE_FN(nd_device) { return attribute(vm, argv[0], get_device, out); }
NATIVE_FN(nd_base) { return attribute(vm, argv[0], get_base, out); }

static gpa_code complex_part(gpa_vm *vm, value *argv, bool imag, value *out) {
    gpa_arr *a = NULL, *p = NULL;
    bool scalar = argv[0].tag != V_ARRAY || argv[0].aux;
    gpa_code rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (rc) return rc;
    if (dtype_is_complex((gpa_dtype)a->dtype))
        rc = arr_part(vm_rt(vm), a, imag, &p, vm_err(vm));
    else if (!imag)
        p = arr_retain(a);
    else {
        rc = arr_full(vm_rt(vm), &(arr_spec){(gpa_dtype)a->dtype, a->ndim, a->shape}, (gpa_val){0},
                      &p, vm_err(vm));
        if (!rc) p->readonly = true;
    }
    arr_release(vm_rt(vm), a);
    if (rc) return rc;
    return scalar ? np_return(vm, p, out) : np_return_array(vm, p, out);
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

gpa_code np_receiver(gpa_vm *vm, value self, value *out) {
    *out = v_none();
    return self.tag == V_ARRAY && !self.aux ? native_return(value_retain(self), out)
                                            : np_copy(vm, (value[]){self, v_none()}, out);
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
    if (o->fields[4].tag != V_ARRAY || o->fields[4].aux)
        return vm_fail(vm, GPA_E_VALUE, "Cannot set flags on array scalars.");
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

static bool flags_equal(const object_obj *a, const object_obj *b) {
    bool equal = true;
    for (int i = 0; i < 4; i++) equal = equal && a->fields[i].i == b->fields[i].i;
    return equal;
}

const object_kind flags_kind = {.type_name = "numpy._core.multiarray.flagsobj",
                                .attr = flags_attr,
                                .set = flags_set,
                                .getitem = flags_getitem,
                                .setitem = flags_setitem,
                                .equal = flags_equal,
                                .repr = flags_repr};

gpa_code nd_setflags(gpa_vm *vm, value *argv, value *out) { /* self, write, align, uic */
    bool other;
    gpa_code rc = GPA_OK;
    *out = v_none();
    if (argv[3].tag != V_NONE) {
        rc = arg_bool(vm, argv[3], "uic", &other);
        if (!rc && other) rc = vm_fail(vm, GPA_E_VALUE, "cannot set WRITEBACKIFCOPY flag to True");
    }
    if (rc || argv[1].tag == V_NONE) return rc;
    value self;
    rc = np_receiver(vm, argv[0], &self);
    if (!rc) rc = set_writeable(vm, self, argv[1]);
    value_release(vm, self);
    return rc;
}

gpa_code nd_flags(gpa_vm *vm, value *argv, value *out) {
    gpa_arr *a = NULL;
    gpa_code rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (rc) return rc;
    *out = v_object(vm, &flags_kind, 5);
    if (out->tag == V_UNSET) {
        rc = vm_err(vm)->code;
    } else {
        value *f = out->object->fields;
        f[0] = v_bool(arr_is_contiguous(a));
        f[1] = v_bool(arr_is_f_contiguous(a));
        f[2] = v_bool(a->base == NULL);
        f[3] = v_bool(!a->readonly && !number_is_numpy(argv[0]));
        f[4] = value_retain(argv[0]);
    }
    arr_release(vm_rt(vm), a);
    return rc;
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

gpa_code nd_set_strides(gpa_vm *vm, value *argv, value *out) { /* self, value */
    value shape = v_none(), view = v_none();
    gpa_code rc = nd_shape(vm, argv, &shape);
    if (!rc) rc = np_as_strided(vm, (value[]){argv[0], shape, argv[1]}, &view);
    if (!rc) np_replace_take(vm, argv[0], arr_retain(view.array->arr));
    value_release(vm, shape);
    value_release(vm, view);
    *out = v_none();
    return rc;
}

/* True if an array of this shape has another number of elements. shape: the arguments of resize */
static gpa_code changes_size(gpa_vm *vm, const gpa_arr *a, value shape, bool *out) {
    int ndim;
    *out = true;
    int64_t dims[GPA_MAX_DIMS], size = 1;
    if (shape.tuple->count == 1) shape = shape.tuple->items[0];
    const value *items = shape.tag == V_TUPLE ? shape.tuple->items : &shape;
    for (size_t i = 0; i < (shape.tag == V_TUPLE ? shape.tuple->count : 1); i++)
        if (items[i].tag == V_INT && items[i].i < 0)
            return vm_fail(vm, GPA_E_VALUE, "negative dimensions not allowed");
    gpa_code rc = arg_shape(vm, shape, &ndim, dims);
    bool fits = true;
    for (int d = 0; d < ndim && !rc; d++)
        fits = !__builtin_mul_overflow(size, dims[d], &size) && fits;
    *out = !fits || size != a->size;
    return rc;
}

/* argv: an array that is no scalar, the new shape, refcheck */
static gpa_code resize(gpa_vm *vm, value *argv) {
    gpa_arr *a = argv[0].array->arr;
    value shape = argv[1], resized = v_none(), filled = v_none();
    bool check, changes;
    if (argv[2].tag == V_STR)
        return vm_fail(vm, GPA_E_TYPE, "'str' object cannot be interpreted as an integer");
    gpa_code rc = arg_bool(vm, argv[2], "refcheck", &check);
    bool none = shape.tuple->count == 1 && shape.tuple->items[0].tag == V_NONE;
    if (rc || none || shape.tuple->count == 0) return rc; /* a.resize() changes nothing */
    rc = changes_size(vm, a, shape, &changes);
    if (rc) return rc;
    if (a->base && changes)
        return vm_fail(vm, GPA_E_VALUE, "cannot resize this array: it does not own its data");
    if (check && changes && a->refs > 1)
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

gpa_code nd_resize(gpa_vm *vm, value *argv, value *out) { /* self, *new_shape, refcheck */
    value self;
    gpa_code rc = np_receiver(vm, argv[0], &self);
    *out = v_none();
    if (!rc) rc = resize(vm, (value[]){self, argv[1], argv[2]});
    value_release(vm, self);
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
    TRY(np_ints_tuple(vm, a->ndim, a->shape, &shape));
    TRY(np_library_func(vm, "resize", &resize));
    TRY(vm_call(vm, resize, ARGS(2, (value[]){argv[1], shape}), &filled));
    rc = assign_all(vm, a, filled);
out:
    value_release(vm, filled);
    value_release(vm, resize);
    value_release(vm, shape);
    return rc;
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
    gpa_arr *a = NULL;
    gpa_code rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc) rc = arg_untraced(vm, a);
    if (rc) goto out;
    char *data = mem_new((size_t)a->size * dtype_size((gpa_dtype)a->dtype));
    const char *p = data;
    rc = data ? arr_read(vm_rt(vm), a, data, vm_err(vm)) : vm_no_memory(vm);
    if (!rc) rc = nested_list(vm, a, 0, &p, out);
    mem_free(data);
out:
    arr_release(vm_rt(vm), a);
    return rc;
}

/* Converts a position in the flattened array to one index per axis. */
static gpa_code unravel(gpa_vm *vm, const gpa_arr *a, int64_t position, int64_t *ix) {
    int64_t flat = position < 0 ? position + a->size : position;
    if (flat < 0 || flat >= a->size)
        return vm_fail(vm, GPA_E_INDEX, "index %lld is out of bounds for size %lld",
                       (long long)position, (long long)a->size);
    for (int d = a->ndim; d-- > 0; flat /= a->shape[d]) ix[d] = flat % a->shape[d];
    return GPA_OK;
}

/* The element at the indices `args`: none (of an array of size 1), one in the flattened array, or
 * one per axis. */
static gpa_code get_item(gpa_vm *vm, gpa_arr *a, const tuple_obj *args, gpa_val *v) {
    int64_t ix[GPA_MAX_DIMS];
    int count = 0;
    if (args->count == 0 && a->size != 1)
        return vm_fail(vm, GPA_E_VALUE, "can only convert an array of size 1 to a Python scalar");
    if (args->count == 0) return arr_item(vm_rt(vm), a, v, vm_err(vm));
    value key = args->count == 1 ? args->items[0] : v_obj(V_TUPLE, (tuple_obj *)args);
    gpa_code rc = arg_ints(vm, key, "index", GPA_MAX_DIMS, &count, ix);
    if (!rc && count == 1 && a->ndim != 1) {
        rc = unravel(vm, a, ix[0], ix);
        count = a->ndim;
    }
    if (!rc && count != a->ndim)
        rc = vm_fail(vm, GPA_E_VALUE, "incorrect number of indices for array");
    return rc ? rc : arr_get_item(vm_rt(vm), a, ix, count, v, vm_err(vm));
}

gpa_code nd_item(gpa_vm *vm, value *argv, value *out) { /* self, *args */
    gpa_arr *a = NULL;
    gpa_val v;
    gpa_code rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc) rc = arg_untraced(vm, a);
    if (!rc) rc = get_item(vm, a, argv[1].tuple, &v);
    if (!rc) rc = native_return(python_scalar(vm, (gpa_dtype)a->dtype, (const char *)&v), out);
    arr_release(vm_rt(vm), a);
    return rc;
}

gpa_code nd_fill(gpa_vm *vm, value *argv, value *out) { /* self, value */
    gpa_opnd rhs = {0};
    value self;
    *out = v_none();
    if (argv[1].tag == V_LIST || argv[1].tag == V_TUPLE)
        return vm_fail(vm, GPA_E_VALUE, "setting an array element with a sequence.");
    gpa_code rc = np_receiver(vm, argv[0], &self);
    if (rc) return rc;
    gpa_arr *a = self.array->arr;
    gpa_dtype t = (gpa_dtype)a->dtype;
    rc = arg_element(vm, argv[1], t, &rhs);
    if (!rc && rhs.weak != WEAK_COMPLEX) rc = np_check_cast(vm, &rhs, t);
    if (!rc) rc = arr_set(vm_rt(vm), a, NULL, &rhs, vm_err(vm));
    arg_opnd_release(vm, &rhs);
    value_release(vm, self);
    return rc;
}

/* Evaluates a lazy array now: for values that the next iteration reads, where fusing all of them
 * would recompute. */
gpa_code np_materialize(gpa_vm *vm, value *argv, value *out) {
    gpa_arr *a = NULL;
    gpa_code rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc) rc = arr_eval(vm_rt(vm), &a, 1, vm_err(vm));
    if (!rc) return np_return_array(vm, a, out);
    arr_release(vm_rt(vm), a);
    return rc;
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
    bool listed = chosen.tag == V_LIST || chosen.tag == V_TUPLE;
    if (!rc)
        rc = listed ? assign_all(vm, argv[0].array->arr, chosen)
                    : nd_fill(vm, (value[]){argv[0], chosen}, out);
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
gpa_code nd_conj(gpa_vm *vm, value *argv, value *out) { /* self, out */
    if (argv[1].tag != V_NONE) return ufunc_call(vm, ufunc_of(OP_CONJUGATE), ARGS(2, argv), out);
    bool itself = argv[0].tag == V_ARRAY && !argv[0].aux &&
                  !dtype_is_complex((gpa_dtype)argv[0].array->arr->dtype);
    if (!itself) return ufunc_call(vm, ufunc_of(OP_CONJUGATE), ARGS(1, argv), out);
    *out = value_retain(argv[0]);
    return GPA_OK;
}
