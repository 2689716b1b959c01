/* Array creation: from values, filled, ranges. No function computes elements: constants and ranges
 * are generated inside the program that uses them. */
#include <math.h>

#include "lang/numpy/all.h"
#include "lang/object/big.h"
#include "lang/numpy/numpy.h"
#include "lang/vm/operate.h"
#include "lang/object/number.h"

/* ---- from values ---- */

gpa_code arg_order_letter(gpa_vm *vm, value v, char *letter) {
    *letter = 0;
    if (v.tag == V_NONE || v.tag == V_UNSET) return GPA_OK;
    if (v.tag != V_STR)
        return vm_fail(vm, GPA_E_TYPE, "order must be str, not %s", value_type_name(v));
    char c = v.str->size == 1 ? (char)(v.str->text[0] & ~0x20) : 0;
    if (c == 0 || !strchr("CFAK", c))
        return vm_fail(vm, GPA_E_VALUE, "order must be one of 'C', 'F', 'A', or 'K' (got '%s')",
                       v.str->text);
    *letter = c;
    return GPA_OK;
}

gpa_code arg_order(gpa_vm *vm, value v, const gpa_arr *filled_like, bool *by_columns) {
    char c;
    *by_columns = false;
    gpa_code rc = arg_order_letter(vm, v, &c);
    if (rc || !c) return rc;
    *by_columns = c == 'F' || (c != 'C' && filled_like && arr_is_only_f_contiguous(filled_like));
    return GPA_OK;
}

/* Transpose; consumes a. */
static gpa_code reversed_take(gpa_vm *vm, gpa_arr *a, gpa_arr **out) {
    gpa_code rc = arr_transpose(vm_rt(vm), a, NULL, out, vm_err(vm));
    arr_release(vm_rt(vm), a);
    return rc;
}

/* Transpose of a fresh copy: the result is its only view, and owns the data. */
static gpa_code reversed_copy_take(gpa_vm *vm, gpa_arr *a, gpa_arr **out) {
    gpa_code rc = reversed_take(vm, a, out);
    if (!rc) arr_own(vm_rt(vm), *out);
    return rc;
}

/* The same elements in F order, copied if they are not; consumes a. */
static gpa_code to_f_order_take(gpa_vm *vm, gpa_arr *a, gpa_arr **out) {
    gpa_arr *transposed = NULL, *dense = NULL;
    if (arr_is_f_contiguous(a)) {
        *out = a;
        return GPA_OK;
    }
    gpa_code rc = reversed_take(vm, a, &transposed);
    if (!rc) rc = arr_copy(vm_rt(vm), transposed, &dense, vm_err(vm));
    arr_release(vm_rt(vm), transposed);
    return rc ? rc : reversed_copy_take(vm, dense, out);
}

/* True if order='C' is demanded and the array is not C-contiguous. */
static bool needs_c_order(value order, const gpa_arr *a) {
    return order.tag == V_STR && (order.str->text[0] == 'C' || order.str->text[0] == 'c') &&
           !arr_is_contiguous(a);
}

/* The options of np.array. */
typedef struct {
    value dtype, order;
    bool copy;
    int64_t ndmin;
} make_opts;

/* The array of a value; the cast of an array keeps its memory order (order='K', or none given). */
static gpa_code array_in_order(gpa_vm *vm, value v, gpa_dtype t, bool keep, gpa_arr **out) {
    if (!keep || t == DT_NONE || v.tag != V_ARRAY) return arg_array(vm, v, t, out);
    gpa_arr *a = v.array->arr;
    gpa_code rc = np_check_cast(vm, &(gpa_opnd){.arr = a}, t);
    return rc ? rc : arr_cast_order_k(vm_rt(vm), a, t, false, out, vm_err(vm));
}

static gpa_code make(gpa_vm *vm, value v, const make_opts *o, value *out) {
    const value order = o->order;
    /* A scalar is immutable: arrays made of it share no memory with it. */
    const bool copy = o->copy || (v.tag == V_ARRAY && v.aux);
    const int64_t ndmin = o->ndmin;
    gpa_dtype t;
    bool columns;
    char letter;
    gpa_arr *a = NULL, *b = NULL;
    gpa_code rc = GPA_OK;
    TRY(arg_dtype(vm, o->dtype, &t));
    TRY(arg_order_letter(vm, order, &letter));
    TRY(arg_order(vm, order, v.tag == V_ARRAY ? v.array->arr : NULL, &columns));
    const bool keep = letter == 0 || letter == 'K';
    TRY(array_in_order(vm, v, t, keep || letter == 'A', &a));
    if (columns) {
        b = a;
        a = NULL;
        if (copy && v.tag == V_ARRAY && b == v.array->arr && arr_is_f_contiguous(b)) {
            TRY(reversed_take(vm, b, &a));
            b = NULL;
            TRY(arr_copy(vm_rt(vm), a, &b, vm_err(vm)));
            arr_release(vm_rt(vm), a);
            a = NULL;
            TRY(reversed_copy_take(vm, b, &a));
        } else {
            TRY(to_f_order_take(vm, b, &a));
        }
        b = NULL;
    } else if ((copy || needs_c_order(order, a)) && v.tag == V_ARRAY && a == v.array->arr) {
        if (keep)
            TRY(arr_cast_order_k(vm_rt(vm), a, (gpa_dtype)a->dtype, true, &b, vm_err(vm)));
        else
            TRY(arr_copy(vm_rt(vm), a, &b, vm_err(vm)));
        arr_release(vm_rt(vm), a);
        a = b;
        b = NULL;
    }
    if (a->ndim < ndmin) {
        int64_t shape[GPA_MAX_DIMS];
        int more = (int)ndmin - a->ndim;
        for (int d = 0; d < ndmin; d++) shape[d] = d < more ? 1 : a->shape[d - more];
        TRY(arr_reshape(vm_rt(vm), a, (int)ndmin, shape, &b, vm_err(vm)));
        arr_release(vm_rt(vm), a);
        a = b;
        b = NULL;
    }
    if (v.tag == V_ARRAY && v.array->arr == a && !v.aux) {
        *out = value_retain(v);
        goto out;
    }
    rc = np_return_array(vm, a, out);
    a = NULL;
out:
    arr_release(vm_rt(vm), a);
    return rc;
}

/* copy=False: fails unless the result is the argument itself. */
static gpa_code check_not_copied(gpa_vm *vm, value v, value made) {
    static const char message[] =
        "Unable to avoid copy while creating an array as requested.\n"
        "If using `np.array(obj, copy=False)` replace it with `np.asarray(obj)` to allow a copy "
        "when needed (no behavior change in NumPy 1.x).\n"
        "For more details, see "
        "https://numpy.org/devdocs/"
        "numpy_2_0_migration_guide.html#adapting-to-changes-in-the-copy-keyword.";
    bool same = v.tag == V_ARRAY && !v.aux && made.tag == V_ARRAY &&
                v.array->arr->dtype == made.array->arr->dtype;
    if (same && (v.array == made.array || v.array->arr->size == 0 ||
                 arr_may_share_memory(v.array->arr, made.array->arr)))
        return GPA_OK;
    return vm_fail(vm, GPA_E_VALUE, "%s", message);
}

/* copy: None copies if needed, True always, False fails if a copy is needed. */
static gpa_code make_with_copy(gpa_vm *vm, value v, make_opts o, value copy, value *out) {
    if (copy.tag == V_STR)
        return vm_fail(vm, GPA_E_VALUE,
                       "strings are not allowed for 'copy' keyword. Use True/False/None instead.");
    gpa_code rc = copy.tag == V_NONE ? GPA_OK : arg_bool(vm, copy, "copy", &o.copy);
    if (!rc) rc = make(vm, v, &o, out);
    if (rc || o.copy || copy.tag == V_NONE || !(rc = check_not_copied(vm, v, *out))) return rc;
    value_release(vm, *out);
    *out = v_none();
    return rc;
}

gpa_code np_array(gpa_vm *vm, value *argv,
                  value *out) { /* object, dtype, copy, order, subok, ndmin, like */
    int64_t ndmin;
    gpa_code rc = arg_int(vm, argv[5], "ndmin", &ndmin);
    if (!rc && ndmin > GPA_MAX_DIMS)
        rc = vm_fail(vm, GPA_E_VALUE,
                     "ndmin bigger than allowable number of dimensions NPY_MAXDIMS (=%d)",
                     GPA_MAX_DIMS);
    return rc ? rc
              : make_with_copy(vm, argv[0], (make_opts){argv[1], argv[3], false, ndmin}, argv[2],
                               out);
}

/* device=: moves a new array to that device; replaces *out. */
static gpa_code to_device(gpa_vm *vm, gpa_code rc, value device, value *out) {
    if (rc || device.tag == V_NONE) return rc;
    value made = *out;
    *out = v_none();
    bool host = device.tag == V_STR &&
                strcmp(device.str->text, "cpu") == 0; /* NumPy's only device: host memory */
    if (host)
        rc = native_find(OWNER_NUMPY, "asnumpy")
                 ->fn(vm, (value[]){made, v_none(), v_none(), v_none()}, out);
    else
        rc = native_find(OWNER_ARRAY, "to_device")->fn(vm, (value[]){made, device, v_none()}, out);
    value_release(vm, made);
    return rc;
}

gpa_code np_asarray(gpa_vm *vm, value *argv, value *out) { /* a, dtype, order, device, copy */
    return to_device(
        vm, make_with_copy(vm, argv[0], (make_opts){argv[1], argv[2], false, 0}, argv[4], out),
        argv[3], out);
}

gpa_code np_copy(gpa_vm *vm, value *argv, value *out) {
    return make(vm, argv[0], &(make_opts){v_none(), argv[1], true, 0}, out);
} /* a, order */

gpa_code nd_copy(gpa_vm *vm, value *argv, value *out) { /* self, order: a scalar is immutable */
    return number_is_numpy(argv[0]) ? native_return(value_retain(argv[0]), out)
                                    : np_copy(vm, argv, out);
}

gpa_code np_ascontiguousarray(gpa_vm *vm, value *argv, value *out) { /* a, dtype */
    gpa_code rc = make(vm, argv[0], &(make_opts){argv[1], v_none(), false, 1}, out);
    if (rc || arr_is_contiguous(out->array->arr)) return rc;
    gpa_arr *b = NULL;
    rc = arr_copy(vm_rt(vm), out->array->arr, &b, vm_err(vm));
    value_release(vm, *out);
    *out = v_none();
    return rc ? rc : np_return_array(vm, b, out);
}

gpa_code np_asfortranarray(gpa_vm *vm, value *argv, value *out) { /* a, dtype */
    value order = v_cstr(vm, "F");
    gpa_code rc = order.tag == V_UNSET
                      ? vm_err(vm)->code
                      : make(vm, argv[0], &(make_opts){argv[1], order, false, 1}, out);
    value_release(vm, order);
    return rc;
}

/* ---- constant fill ---- */

typedef enum { FILL_NONE, FILL_ZERO, FILL_ONE, FILL_VALUE } filling;

/* A new array: its elements (v: those of FILL_VALUE), shape, dtype and layout. */
typedef struct {
    filling how;
    value v;
    int ndim;
    int64_t shape[GPA_MAX_DIMS];
    gpa_dtype dtype; /* DT_NONE: that of v */
    bool permuted;   /* not in C order: perm holds the axes, largest stride first */
    int perm[GPA_MAX_DIMS];
} array_spec;

static void set_f_order(array_spec *spec) {
    spec->permuted = spec->ndim > 1;
    for (int d = 0; d < spec->ndim; d++) spec->perm[d] = spec->ndim - 1 - d;
}

/* Permutes the axes of a new array back; the result owns the data. Consumes a. */
static gpa_code permute_back_take(gpa_vm *vm, gpa_arr *a, const array_spec *spec, gpa_arr **out) {
    int back[GPA_MAX_DIMS];
    for (int d = 0; d < spec->ndim; d++) back[spec->perm[d]] = d;
    gpa_code rc = arr_transpose(vm_rt(vm), a, back, out, vm_err(vm));
    arr_release(vm_rt(vm), a);
    if (!rc) arr_own(vm_rt(vm), *out);
    return rc;
}

static gpa_code filled(gpa_vm *vm, const array_spec *spec, value *out) {
    const filling how = spec->how;
    const int ndim = spec->ndim;
    const gpa_dtype t = spec->dtype;
    gpa_rt *rt = vm_rt(vm);
    gpa_arr *a = NULL, *b = NULL;
    int64_t shape[GPA_MAX_DIMS];
    gpa_code rc = GPA_OK;
    for (int d = 0; d < ndim; d++) shape[d] = spec->shape[spec->permuted ? spec->perm[d] : d];
    if (how == FILL_NONE) {
        TRY(arr_empty(rt, &(arr_spec){t, ndim, shape}, &a, vm_err(vm)));
    } else if (how != FILL_VALUE) {
        gpa_val x = dtype_cast((gpa_val){.BOOL = how == FILL_ONE}, DT_BOOL, t);
        TRY(arr_full(rt, &(arr_spec){t, ndim, shape}, x, &a, vm_err(vm)));
    } else {
        const value_tag tag = (value_tag)spec->v.tag;
        const bool cast = tag == V_FLOAT || tag == V_COMPLEX || tag == V_LIST || tag == V_TUPLE;
        if (tag == V_BIG && t == DT_BOOL)
            TRY(vm_fail(vm, GPA_E_OVERFLOW, "Python int too large to convert to C long"));
        TRY(arg_array(vm, spec->v, cast ? DT_NONE : t, &b)); /* without a range check */
        if (b->ndim == 0) {
            gpa_val x;
            gpa_dtype to = t == DT_NONE ? (gpa_dtype)b->dtype : t;
            TRY(arr_item(rt, b, &x, vm_err(vm)));
            TRY(np_check_cast(vm, &(gpa_opnd){.dtype = (gpa_dtype)b->dtype, .v = x}, to));
            TRY(arr_full(rt, &(arr_spec){to, ndim, shape}, dtype_cast(x, (gpa_dtype)b->dtype, to),
                         &a, vm_err(vm)));
        } else {
            TRY(arr_empty(rt, &(arr_spec){t == DT_NONE ? (gpa_dtype)b->dtype : t, ndim, shape}, &a,
                          vm_err(vm)));
        }
    }
    if (spec->permuted) {
        gpa_arr *sorted = a;
        a = NULL;
        TRY(permute_back_take(vm, sorted, spec, &a));
    }
    if (b && b->ndim) TRY(np_check_cast(vm, &(gpa_opnd){.arr = b}, (gpa_dtype)a->dtype));
    if (b && b->ndim) TRY(arr_set(rt, a, NULL, &(gpa_opnd){.arr = b}, vm_err(vm)));
out:
    arr_release(rt, b);
    if (rc) arr_release(rt, a);
    return rc ? rc : np_return_array(vm, a, out);
}

/* argv: shape, dtype, order, device, like */
static gpa_code filled_with_shape(gpa_vm *vm, filling how, value v, const value *argv, value *out) {
    array_spec spec = {.how = how, .v = v};
    value order = argv[2];
    gpa_code rc = arg_shape(vm, argv[0], &spec.ndim, spec.shape);
    if (!rc) rc = arg_dtype(vm, argv[1], &spec.dtype);
    bool f_order;
    if (!rc) rc = arg_order(vm, order, NULL, &f_order);
    if (rc) return rc;
    if (f_order) set_f_order(&spec);
    if (order.tag == V_STR && strchr("AaKk", order.str->text[0]))
        return vm_fail(vm, GPA_E_VALUE, "only 'C' or 'F' order is permitted");
    if (spec.dtype == DT_NONE && how != FILL_VALUE) spec.dtype = DT_F64;
    return to_device(vm, filled(vm, &spec, out), argv[3], out);
}

/* shape, dtype, order, device, like */
gpa_code np_zeros(gpa_vm *vm, value *argv, value *out) {
    return filled_with_shape(vm, FILL_ZERO, v_none(), argv, out);
}
gpa_code np_ones(gpa_vm *vm, value *argv, value *out) {
    return filled_with_shape(vm, FILL_ONE, v_none(), argv, out);
}
gpa_code np_empty(gpa_vm *vm, value *argv, value *out) {
    return filled_with_shape(vm, FILL_NONE, v_none(), argv, out);
}
/* shape, fill_value, dtype, order, device, like */
gpa_code np_full(gpa_vm *vm, value *argv, value *out) {
    return filled_with_shape(vm, FILL_VALUE, argv[1], (value[]){argv[0], argv[2], argv[3], argv[4]},
                             out);
}

/* argv: dtype, order, subok, shape, device */
static gpa_code filled_like(gpa_vm *vm, filling how, value v, value prototype, const value *argv,
                            value *out) {
    array_spec spec = {.how = how, .v = v};
    gpa_arr *a = NULL;
    gpa_code rc = GPA_OK;
    TRY(arg_array(vm, prototype, DT_NONE, &a));
    TRY(arg_dtype(vm, argv[0], &spec.dtype));
    char letter;
    TRY(arg_order_letter(vm, argv[1], &letter));
    spec.ndim = a->ndim;
    for (int d = 0; d < a->ndim; d++) spec.shape[d] = a->shape[d];
    if (argv[3].tag != V_NONE) TRY(arg_shape(vm, argv[3], &spec.ndim, spec.shape));
    if (letter == 'F' || (letter == 'A' && arr_is_only_f_contiguous(a)))
        set_f_order(&spec);
    else if ((letter == 'K' || !letter) && spec.ndim == a->ndim)
        spec.permuted = arr_order_like(a, spec.perm);
    if (spec.dtype == DT_NONE) spec.dtype = (gpa_dtype)a->dtype;
    rc = to_device(vm, filled(vm, &spec, out), argv[4], out);
out:
    arr_release(vm_rt(vm), a);
    return rc;
}

/* prototype, dtype, order, subok, shape, device */
gpa_code np_zeros_like(gpa_vm *vm, value *argv, value *out) {
    return filled_like(vm, FILL_ZERO, v_none(), argv[0], argv + 1, out);
}
gpa_code np_ones_like(gpa_vm *vm, value *argv, value *out) {
    return filled_like(vm, FILL_ONE, v_none(), argv[0], argv + 1, out);
}
gpa_code np_empty_like(gpa_vm *vm, value *argv, value *out) {
    return filled_like(vm, FILL_NONE, v_none(), argv[0], argv + 1, out);
}
/* prototype, fill_value, dtype, order, subok, shape, device */
gpa_code np_full_like(gpa_vm *vm, value *argv, value *out) {
    return filled_like(vm, FILL_VALUE, argv[1], argv[0], argv + 2, out);
}

/* ---- ranges ---- */

/* NumPy's check that the dtype holds the first two elements; for bool, that there is no third. */
static gpa_code arange_fits(gpa_vm *vm, double count, double first, double second, gpa_dtype t) {
    if (t == DT_BOOL && count > 2)
        return vm_fail(
            vm, GPA_E_TYPE,
            "arange() is only supported for booleans when the result has at most length 2.");
    gpa_opnd o[2] = {{.dtype = DT_I64, .weak = WEAK_INT, .v.I64 = (int64_t)first},
                     {.dtype = DT_I64, .weak = WEAK_INT, .v.I64 = (int64_t)second}};
    gpa_code rc =
        count > 0 && fabs(first) < 0x1p62 ? arr_check_number(&o[0], t, vm_err(vm)) : GPA_OK;
    return rc || !(count > 1 && fabs(second) < 0x1p62) ? rc
                                                       : arr_check_number(&o[1], t, vm_err(vm));
}

static gpa_code arange_int(gpa_vm *vm, const int64_t at[3], gpa_dtype t, value *out) {
    int64_t start = at[0], stop = at[1], step = at[2], n = 0;
    if (step == 0) return vm_fail(vm, GPA_E_ZERO_DIVISION, "division by zero");
    /* the difference may exceed int64: computed unsigned */
    if (step > 0 && start < stop)
        n = (int64_t)(((uint64_t)stop - (uint64_t)start - 1) / (uint64_t)step) + 1;
    if (step < 0 && start > stop)
        n = (int64_t)(((uint64_t)start - (uint64_t)stop - 1) / (0 - (uint64_t)step)) + 1;
    if (n < 0) return vm_fail(vm, GPA_E_VALUE, "Maximum allowed size exceeded");
    gpa_arr *a = NULL, *b = NULL;
    gpa_code rc = arange_fits(vm, (double)n, (double)start, (double)start + (double)step, t);
    if (!rc) rc = arr_iota(vm_rt(vm), n, start, step, &a, vm_err(vm));
    if (!rc) rc = arr_cast(vm_rt(vm), a, t, false, &b, vm_err(vm));
    arr_release(vm_rt(vm), a);
    return rc ? rc : np_return_array(vm, b, out);
}

/* NumPy's arange: the step is the difference of the first two elements in the array's dtype. at:
 * start, stop, step, stop - start. */
static gpa_code arange_float(gpa_vm *vm, const double at[4], gpa_dtype t, value *out) {
    gpa_rt *rt = vm_rt(vm);
    if (at[2] == 0) return vm_fail(vm, GPA_E_ZERO_DIVISION, "float division by zero");
    double span = at[3], quotient = span / at[2], count = ceil(quotient);
    if (quotient == 0 && span != 0) count = signbit(quotient) ? 0 : 1; /* also an infinite step */
    if (isnan(count)) return vm_fail(vm, GPA_E_VALUE, "arange: cannot compute length");
    if (count > 9.2e18 || count < -9.2e18)
        return vm_fail(vm, GPA_E_VALUE, "Maximum allowed size exceeded");
    if (count < 0) count = 0;
    gpa_dtype work = dtype_is_complex(t) ? dtype_info[t].real : t;
    gpa_val start = dtype_cast((gpa_val){.F64 = at[0]}, DT_F64, work),
            second = dtype_cast((gpa_val){.F64 = count > 1 ? at[0] + at[2] : at[0]}, DT_F64, work);
    gpa_opnd first = {.dtype = work, .v = start},
             step = {.dtype = work, .v = op_scalar(OP_SUBTRACT, work, second, start, start)};
    gpa_arr *i = NULL, *x = NULL, *y = NULL, *z = NULL, *w = NULL;
    gpa_code rc = arange_fits(vm, count, at[0], at[0] + at[2], t);
    if (rc) goto out;
    TRY(arr_iota(rt, (int64_t)count, 0, 1, &i, vm_err(vm)));
    TRY(arr_cast(rt, i, work, false, &x, vm_err(vm)));
    TRY(arr_ufunc(rt, OP_MULTIPLY, (gpa_opnd[]){{.arr = x}, step}, NULL, &y, vm_err(vm)));
    TRY(arr_ufunc(rt, OP_ADD, (gpa_opnd[]){first, {.arr = y}}, NULL, &z, vm_err(vm)));
    TRY(arr_cast(rt, z, t, false, &w, vm_err(vm)));
out:
    arr_release(rt, i);
    arr_release(rt, x);
    arr_release(rt, y);
    arr_release(rt, z);
    return rc ? rc : np_return_array(vm, w, out);
}

/* Counters of random draws: n consecutive uint64 from `first` on. `first` is a parameter of the
 * program, so that draws from another counter run the same program. */
gpa_code np_counter_range(gpa_vm *vm, value *argv, value *out) { /* n, first */
    gpa_rt *rt = vm_rt(vm);
    gpa_arr *i = NULL, *at = NULL, *all = NULL;
    int64_t n, first;
    gpa_code rc = arg_int(vm, argv[0], "n", &n);
    if (!rc) rc = arg_int(vm, argv[1], "first", &first);
    if (rc) return rc;
    if (n < 0) return vm_fail(vm, GPA_E_VALUE, "negative dimensions are not allowed");
    TRY(arr_iota(rt, n, 0, 1, &i, vm_err(vm)));
    TRY(arr_cast(rt, i, DT_U64, false, &at, vm_err(vm)));
    gpa_opnd sum[2] = {{.arr = at}, {.dtype = DT_U64, .v.I64 = first}};
    TRY(arr_ufunc(rt, OP_ADD, sum, NULL, &all, vm_err(vm)));
out:
    arr_release(rt, i);
    arr_release(rt, at);
    return rc ? rc : np_return_array(vm, all, out);
}

gpa_code np_arange(gpa_vm *vm, value *argv,
                   value *out) { /* start, stop, step, dtype, device, like */
    value v[3] = {argv[0], argv[1], argv[2]};
    if (v[1].tag == V_NONE) { /* arange(stop), but not arange(start=0) */
        v[1] = v[0];
        v[0] = v_unset();
    }
    if (v[1].tag == V_UNSET)
        return vm_fail(vm, GPA_E_TYPE, "arange() requires stop to be specified.");
    if (v[0].tag == V_UNSET) v[0] = v_int(0);
    if (v[2].tag == V_NONE) v[2] = v_int(1);
    gpa_dtype t, found = DT_I64;
    gpa_code rc = arg_dtype(vm, argv[3], &t);
    if (rc) return rc;
    gpa_opnd o[3];
    for (int k = 0; k < 3; k++) {
        if (v[k].tag == V_BIG && !big_is_uint(v[k].big, &(uint64_t){0}))
            return vm_fail(vm, GPA_E_VALUE, "Maximum allowed size exceeded");
        if ((rc = arg_opnd(vm, v[k], &o[k]))) return rc;
        gpa_dtype own = o[k].arr ? (gpa_dtype)o[k].arr->dtype : o[k].dtype;
        found = dtype_promote(found, own);
        bool truth = own == DT_BOOL && (!o[k].arr || o[k].arr->ndim == 0);
        arg_opnd_release(vm, &o[k]);
        if (!truth) continue;
        if ((rc = value_truth(vm, v[k], &truth))) return rc;
        v[k] = v_bool(truth);
    }
    if (dtype_is_int(found)) {
        int64_t at[3];
        for (int k = 0; k < 3; k++)
            if ((rc = arg_int(vm, v[k], "arange", &at[k]))) return rc;
        return to_device(vm, arange_int(vm, at, t == DT_NONE ? found : t, out), argv[4], out);
    }
    double at[4];
    for (int k = 0; k < 3; k++)
        if ((rc = arg_float(vm, v[k], "arange", &at[k]))) return rc;
    at[3] = at[1] - at[0];
    if (v[0].tag == V_BIG || v[1].tag == V_BIG) { /* Python subtracts ints exactly */
        value span = v_none();
        rc = op_binary(vm, AST_OP_SUB, v[1], v[0], &span);
        if (!rc) rc = arg_float(vm, span, "arange", &at[3]);
        value_release(vm, span);
        if (rc) return rc;
    }
    return to_device(vm, arange_float(vm, at, t == DT_NONE ? found : t, out), argv[4], out);
}
