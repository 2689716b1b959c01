/* Array arguments of natives: dtypes, shapes, axes, out=, operands. */
#include <math.h>
#include <stdio.h>

#include "lang/compile/typed_interface.h"
#include "lang/object/big.h"
#include "lang/vm/absent.h"
#include "lang/vm/array_args.h"
#include "lang/vm/array_interface.h"
#include "lang/vm/foreign.h"

gpa_code np_return(gpa_vm *vm, gpa_arr *a, value *out) {
    *out = v_array_take(vm, a, a->ndim == 0);
    return out->tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
}

gpa_code np_return_array(gpa_vm *vm, gpa_arr *a, value *out) {
    *out = v_array_take(vm, a, false);
    return out->tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
}

gpa_code np_warn_cast(gpa_vm *vm, gpa_dtype from, gpa_dtype to) {
    if (!dtype_is_complex(from) || dtype_is_complex(to) || to == DT_BOOL) return GPA_OK;
    return vm_warn(vm, GPA_E_COMPLEX_WARNING,
                   "Casting complex values to real discards the imaginary part");
}

/* True if the range of the dtype is smaller: of its real part. */
static bool has_smaller_range(gpa_dtype from, gpa_dtype to) {
    if (dtype_is_int(to)) return dtype_is_float(from) || dtype_is_complex(from);
    if (!dtype_is_float(to) && !dtype_is_complex(to)) return false;
    const gpa_dtype real = dtype_info[to].real;
    if (dtype_is_int(from)) return real == DT_F16;
    return (dtype_is_float(from) || dtype_is_complex(from)) &&
           dtype_size(real) < dtype_size(dtype_info[from].real);
}

/* True if a part of the number is finite, but infinite in the dtype. */
static bool overflows(const gpa_opnd *o, gpa_dtype to) {
    const gpa_c128 x = dtype_cast(o->v, o->dtype, DT_C128).C128,
                   y = dtype_cast(dtype_cast(o->v, o->dtype, to), to, DT_C128).C128;
    return (isfinite(x.re) && isinf(y.re)) || (isfinite(x.im) && isinf(y.im));
}

/* True if the conversion of the number to an integer dtype is an invalid operation: NumPy converts
 * to int32, int64 (uint32 too) or uint64, whose low bits are the result. */
static bool exceeds(const gpa_opnd *o, gpa_dtype to) {
    const double x = trunc(dtype_cast(o->v, o->dtype, DT_F64).F64);
    const bool wide = dtype_size(to) == 8 || to == DT_U32;
    const double least = wide ? -0x1p63 : -0x1p31, most = to == DT_U64 ? 0x1p64 : -least;
    return !(x >= least && x < most);
}

gpa_code np_check_cast(gpa_vm *vm, const gpa_opnd *o, gpa_dtype to) {
    const gpa_dtype from = o->arr ? (gpa_dtype)o->arr->dtype : o->dtype;
    gpa_code rc = np_warn_cast(vm, from, to);
    if (rc || !has_smaller_range(from, to)) return rc;
    if (o->arr) return array_operators.check_cast(vm, o->arr, to);
    const bool out_of_range = dtype_is_int(to) ? !o->element && exceeds(o, to) : overflows(o, to);
    return out_of_range ? array_operators.cast_error(vm, to) : GPA_OK;
}

gpa_code np_return_arrays(gpa_vm *vm, gpa_code rc, int n, gpa_arr **parts, value *out) {
    if (!rc) *out = v_tuple(vm, (size_t)n, NULL);
    if (!rc && out->tag == V_UNSET) rc = vm_err(vm)->code;
    for (int i = 0; i < n; i++) {
        if (!rc)
            rc = np_return_array(vm, parts[i], &out->tuple->items[i]);
        else
            arr_release(vm_rt(vm), parts[i]);
    }
    return rc;
}

/* ---- dtypes ---- */

static gpa_dtype type_dtype(value v) {
    if (v.aux >= AUX_KIND || (v.aux >= AUX_ERROR && v.aux < AUX_KIND)) return DT_NONE;
    if (v.aux == AUX_DTYPE_META) return DT_NONE;
    if (v.aux >= AUX_DTYPE_CLASS) return (gpa_dtype)(v.aux - AUX_DTYPE_CLASS);
    if (v.aux >= AUX_DTYPE) return (gpa_dtype)(v.aux - AUX_DTYPE);
    switch ((int)v.aux) {
        case V_BOOL: return DT_BOOL;
        case V_INT: return DT_I64;
        case V_FLOAT: return DT_F64;
        case V_COMPLEX: return DT_C128;
    }
    return DT_NONE;
}

const char other_order[] =
    "gpa's arrays have the machine's order of bytes: read '<' in place of '>', and swap by "
    "byteswap()";

gpa_code arg_optional_attr(gpa_vm *vm, value v, const char *name, value *out) {
    *out = v_unset();
    gpa_code rc = vm_attr(vm, v, name, out);
    if (!rc || !gpa_err_is(rc, GPA_E_ATTRIBUTE)) return rc;
    vm_clear_error(vm);
    *out = v_unset();
    return GPA_OK;
}

static bool has_attributes(value v) { return v.tag == V_CLASS || class_of_peek(v) != NULL; }

/* The dtype of a scalar, or that of the attribute `dtype` of an object or class. */
static gpa_code dtype_attribute(gpa_vm *vm, value v, gpa_dtype *out) {
    enum { MAX_DEPTH = 100 };
    value held = value_retain(v), next;
    gpa_code rc = GPA_OK;
    for (int depth = 0; !rc && has_attributes(held); depth++) {
        rc = depth < MAX_DEPTH ? arg_optional_attr(vm, held, "dtype", &next)
                               : vm_fail(vm, GPA_E_RECURSION, "maximum recursion depth exceeded");
        value_release(vm, held);
        held = rc ? v_unset() : next;
    }
    if (held.tag == V_NUM)
        *out = (gpa_dtype)held.aux;
    else if (!rc)
        rc = arg_dtype(vm, held, out);
    value_release(vm, held);
    return rc;
}

gpa_code arg_dtype(gpa_vm *vm, value v, gpa_dtype *out) {
    *out = DT_NONE;
    if (v.tag == V_NONE || v.tag == V_UNSET) return GPA_OK;
    if (v.tag == V_DTYPE) *out = (gpa_dtype)v.aux;
    if (v.tag == V_TYPE) *out = type_dtype(v);
    if (v.tag == V_OBJECT) *out = typed_compiler.scalar_dtype(v);
    if (v.tag == V_STR) {
        *out = dtype_find(v.str->text, v.str->size);
        if (*out == DT_NONE) {
            gpa_code rc = vm_fail(vm, GPA_E_TYPE, "data type '%s' not understood", v.str->text);
            if (v.str->text[0] == '>' && dtype_find(v.str->text + 1, v.str->size - 1) != DT_NONE)
                gpa_err_hint(vm_err(vm), "%s", other_order);
            else if (strpbrk(v.str->text, "USOVmM,"))
                gpa_err_hint(vm_err(vm), "%s", name_absent("numpy", "object_"));
            return rc;
        }
    }
    if (*out != DT_NONE) return GPA_OK;
    if (v.tag == V_BYTES) *out = dtype_find(v.str->text, v.str->size);
    if (*out == DT_NONE && (v.tag == V_NUM || has_attributes(v))) {
        gpa_code rc = dtype_attribute(vm, v, out);
        if (rc) return rc;
    }
    if (*out != DT_NONE) return GPA_OK;
    if (v.tag == V_TYPE && v.aux == V_DTYPE)
        return vm_fail(vm, GPA_E_TYPE, "Cannot convert np.dtype into a dtype.");
    gpa_code rc = vm_fail_showing(vm, GPA_E_TYPE, "Cannot interpret '", v, "' as a data type");
    if (v.tag == V_LIST || v.tag == V_DICT || v.tag == V_TUPLE || v.tag == V_TYPE)
        gpa_err_hint(vm_err(vm), "%s", name_absent("numpy", "object_"));
    return rc;
}

/* ---- integers ---- */

gpa_code arg_ints(gpa_vm *vm, value v, const char *what, int max, int *n, int64_t *out) {
    *n = 0;
    v = value_underlying(v);
    bool sequence = v.tag == V_LIST || v.tag == V_TUPLE || v.tag == V_RANGE ||
                    (v.tag == V_ARRAY && v.array->arr->ndim);
    if (!sequence) {
        *n = 1;
        return arg_int(vm, v, what, out);
    }
    value list;
    gpa_code rc = vm_collect(vm, v, &list);
    if (rc) return rc;
    if (list.list->count > (size_t)max) {
        rc = vm_fail(vm, GPA_E_VALUE,
                     "maximum supported dimension for an ndarray is currently %d, found %zu", max,
                     list.list->count);
        goto out;
    }
    for (size_t i = 0; i < list.list->count; i++)
        TRY(arg_int(vm, list.list->items[i], what, &out[i]));
    *n = (int)list.list->count;
out:
    value_release(vm, list);
    return rc;
}

static bool is_bool(value v) { return v.tag == V_BOOL || (v.tag == V_NUM && v.aux == DT_BOOL); }

gpa_code arg_refuse_bools(gpa_vm *vm, value v) {
    if (is_bool(v))
        return vm_fail_showing(
            vm, GPA_E_TYPE, "expected a sequence of integers or a single integer, got '", v, "'");
    if (v.tag != V_LIST && v.tag != V_TUPLE) return GPA_OK;
    const value *items = v.tag == V_LIST ? v.list->items : v.tuple->items;
    const size_t n = v.tag == V_LIST ? v.list->count : v.tuple->count;
    for (size_t i = 0; i < n; i++)
        if (is_bool(items[i])) return vm_fail(vm, GPA_E_TYPE, "an integer is required");
    return GPA_OK;
}

/* Fails for extents beyond int64, with NumPy's error. */
static gpa_code refuse_large_extents(gpa_vm *vm, value v) {
    const value *items = v.tag == V_LIST ? v.list->items : v.tag == V_TUPLE ? v.tuple->items : &v;
    const size_t n = v.tag == V_LIST ? v.list->count : v.tag == V_TUPLE ? v.tuple->count : 1;
    for (size_t i = 0; i < n; i++)
        if (items[i].tag == V_BIG)
            return vm_fail(vm, GPA_E_VALUE, "Maximum allowed dimension exceeded");
    return GPA_OK;
}

gpa_code arg_shape(gpa_vm *vm, value v, int *ndim, int64_t *shape) {
    if (v.tag == V_FLOAT)
        return vm_fail_showing(
            vm, GPA_E_TYPE, "expected a sequence of integers or a single integer, got '", v, "'");
    gpa_code rc = arg_refuse_bools(vm, v);
    if (!rc) rc = refuse_large_extents(vm, v);
    if (!rc) rc = arg_ints(vm, v, "shape", GPA_MAX_DIMS, ndim, shape);
    for (int d = 0; !rc && d < *ndim; d++)
        if (shape[d] < 0) rc = vm_fail(vm, GPA_E_VALUE, "negative dimensions are not allowed");
    return rc;
}

gpa_code np_axis_error(gpa_vm *vm, value prefix, int64_t axis, int64_t ndim) {
    return vm_raise(vm, GPA_E_AXIS, 3,
                    (value[]){v_int(axis), v_int(ndim), prefix.tag == V_STR ? prefix : v_none()});
}

gpa_code arg_axis(gpa_vm *vm, value v, int ndim, int *out) {
    int64_t axis;
    gpa_code rc = arg_int(vm, v, "axis", &axis);
    if (rc) return rc;
    if (axis < -ndim || axis >= ndim) return np_axis_error(vm, v_none(), axis, ndim);
    *out = (int)(axis < 0 ? axis + ndim : axis);
    return GPA_OK;
}

gpa_code arg_axes(gpa_vm *vm, value v, int ndim, gpa_axes *axes, bool *given) {
    *given = v.tag != V_NONE && v.tag != V_UNSET;
    *axes = gpa_first_axes(ndim);
    if (!*given) return GPA_OK;
    int n;
    int64_t list[GPA_MAX_DIMS];
    gpa_code rc = arg_ints(vm, v, "axis", GPA_MAX_DIMS, &n, list);
    if (rc) return rc;
    *axes = 0;
    for (int i = 0; i < n; i++) {
        if (list[i] < -ndim || list[i] >= ndim) return np_axis_error(vm, v_none(), list[i], ndim);
        const gpa_axes bit = gpa_axis((int)(list[i] < 0 ? list[i] + ndim : list[i]));
        if (*axes & bit) return vm_fail(vm, GPA_E_VALUE, "duplicate value in 'axis'");
        *axes |= bit;
    }
    return GPA_OK;
}

gpa_code arg_out(gpa_vm *vm, value v, gpa_arr **out) {
    *out = NULL;
    if (v.tag == V_TUPLE && v.tuple->count == 1) v = v.tuple->items[0];
    if (v.tag == V_NONE || v.tag == V_UNSET) return GPA_OK;
    if (v.tag == V_ELLIPSIS)
        return vm_fail(vm, GPA_E_TYPE, "out=... is only allowed as a keyword argument.");
    if (v.tag != V_ARRAY || v.aux)
        return vm_fail(vm, GPA_E_TYPE, "return arrays must be of ArrayType");
    *out = v.array->arr;
    return GPA_OK;
}

/* A shape as NumPy writes it in messages. */
static void write_shape(char *to, size_t capacity, int ndim, const int64_t *shape) {
    size_t n = (size_t)snprintf(to, capacity, "(");
    for (int d = 0; d < ndim && n + 24 < capacity; d++)
        n += (size_t)snprintf(to + n, capacity - n, "%s%lld", d ? "," : "", (long long)shape[d]);
    snprintf(to + n, capacity - n, ndim == 1 ? ",)" : ")");
}

static gpa_code fail_out_shape(gpa_vm *vm, const out_rule *rule, int ndim, const int64_t *shape,
                               const gpa_arr *into) {
    char have[128], want[128];
    const char *message = into->ndim != ndim && rule->rank ? rule->rank : rule->shape;
    if (message) return vm_fail(vm, GPA_E_VALUE, "%s", message);
    write_shape(have, sizeof have, into->ndim, into->shape);
    write_shape(want, sizeof want, ndim, shape);
    return vm_fail(vm, GPA_E_VALUE,
                   "operands could not be broadcast together with remapped shapes "
                   "[original->remapped]: %s->%s %s->%s ",
                   have, have, want, want);
}

static const char *const rules[] = {"no", "equiv", "safe", "same_kind", "unsafe"};

gpa_code out_check_cast(gpa_vm *vm, gpa_dtype from, gpa_dtype to, gpa_casting casting) {
    if (dtype_can_cast(from, to, casting)) return GPA_OK;
    return vm_fail(
        vm, GPA_E_TYPE,
        "Cannot cast array data from dtype('%s') to dtype('%s') according to the rule '%s'",
        dtype_info[from].name, dtype_info[to].name, rules[casting]);
}

gpa_code out_check(gpa_vm *vm, const out_rule *rule, int ndim, const int64_t *shape, gpa_dtype t,
                   const gpa_arr *into) {
    gpa_dtype own = (gpa_dtype)into->dtype, from = rule->back ? own : t, to = rule->back ? t : own;
    if (into->ndim != ndim || memcmp(into->shape, shape, (size_t)ndim * sizeof *shape) != 0)
        return fail_out_shape(vm, rule, ndim, shape, into);
    if (into->readonly)
        return vm_fail(vm, GPA_E_VALUE, "%s is read-only",
                       rule->readonly ? rule->readonly : "output array");
    if (rule->ufunc && !dtype_can_cast(from, to, rule->casting))
        return vm_fail(
            vm, GPA_E_UFUNC_TYPE,
            "Cannot cast ufunc '%s' output from dtype('%s') to dtype('%s') with casting rule '%s'",
            rule->ufunc, dtype_info[from].name, dtype_info[to].name, rules[rule->casting]);
    return out_check_cast(vm, from, to, rule->casting);
}

gpa_code out_return_take(gpa_vm *vm, const out_rule *rule, gpa_arr *result, value where,
                         value *out) {
    gpa_arr *into;
    gpa_code rc;
    if (where.tag == V_TUPLE && where.tuple->count == 1) where = where.tuple->items[0];
    if (where.tag == V_NONE || where.tag == V_UNSET) return np_return_array(vm, result, out);
    rc = rule->missing && where.tag != V_ARRAY ? vm_fail(vm, GPA_E_TYPE, "%s", rule->missing)
                                               : arg_out(vm, where, &into);
    if (!rc) rc = out_check(vm, rule, result->ndim, result->shape, (gpa_dtype)result->dtype, into);
    if (!rc) rc = arr_set(vm_rt(vm), into, NULL, &(gpa_opnd){.arr = result}, vm_err(vm));
    if (!rc) *out = value_retain(where);
    arr_release(vm_rt(vm), result);
    return rc;
}

/* ---- operands ---- */

bool arg_number(value v, gpa_opnd *o) {
    *o = (gpa_opnd){.weak = WEAK_NO};
    switch ((int)v.tag) {
        case V_BOOL:
            o->weak = WEAK_BOOL;
            o->dtype = DT_BOOL;
            o->v.BOOL = (uint8_t)v.i;
            return true;
        case V_INT:
            o->weak = WEAK_INT;
            o->dtype = DT_I64;
            o->v.I64 = v.i;
            return true;
        case V_BIG:
            o->weak = WEAK_INT;
            o->dtype = big_is_uint(v.big, &o->v.bits[0]) ? DT_U64 : DT_F64;
            if (o->dtype == DT_F64) o->v.F64 = big_double(v.big);
            return true;
        case V_FLOAT:
            o->weak = WEAK_FLOAT;
            o->dtype = DT_F64;
            o->v.F64 = v.f;
            return true;
        case V_NUM:
            o->dtype = (gpa_dtype)v.aux;
            o->v.bits[0] = v.bits;
            return true;
        case V_COMPLEX:
            o->weak = v.aux ? WEAK_NO : WEAK_COMPLEX;
            o->dtype = DT_C128;
            o->v.C128 = (gpa_c128){v.complex->re, v.complex->im};
            return true;
    }
    return false;
}

gpa_code arg_opnd(gpa_vm *vm, value v, gpa_opnd *out) {
    if (v.tag == V_ARRAY) {
        *out = (gpa_opnd){.arr = arr_retain(v.array->arr)};
        return GPA_OK;
    }
    if (arg_number(v, out)) return GPA_OK;
    *out = (gpa_opnd){0};
    return arg_array(vm, v, DT_NONE, &out->arr);
}

gpa_code np_sequence_error(gpa_vm *vm, gpa_dtype t, value v) {
    if (dtype_is_float(t))
        return vm_fail(vm, GPA_E_VALUE, "setting an array element with a sequence.");
    if (dtype_is_complex(t))
        return vm_fail(vm, GPA_E_TYPE, "must be real number, not %s", value_type_name(v));
    return vm_fail(
        vm, GPA_E_TYPE,
        "int() argument must be a string, a bytes-like object or a real number, not '%s'",
        value_type_name(v));
}

bool arg_is_unchecked_scalar(value v, gpa_dtype t) {
    return v.tag == V_ARRAY && v.aux && dtype_info[t].kind == 'I' &&
           !dtype_can_cast((gpa_dtype)v.array->arr->dtype, t, CAST_SAFE);
}

gpa_code arg_element(gpa_vm *vm, value v, gpa_dtype t, gpa_opnd *out) {
    *out = (gpa_opnd){0};
    v = value_underlying(v);
    if (arg_is_unchecked_scalar(v, t)) {
        value now;
        gpa_code rc = value_computed(vm, v, &now);
        if (!rc) rc = arg_opnd(vm, now, out);
        if (!rc) out->element = true;
        value_release(vm, now);
        return rc;
    }
    out->sequence = v.tag == V_LIST || v.tag == V_TUPLE;
    if (out->sequence) return arg_array(vm, v, t, &out->arr); /* its values must be in range, too */
    if (v.tag != V_STR && v.tag != V_NONE) {
        gpa_code rc = arg_opnd(vm, v, out);
        out->element = true;
        return rc;
    }
    if (t == DT_BOOL) {
        *out = (gpa_opnd){
            .weak = WEAK_BOOL, .dtype = DT_BOOL, .v.BOOL = v.tag == V_STR && v.str->size};
        return GPA_OK;
    }
    if (v.tag == V_NONE && (dtype_is_float(t) || dtype_is_complex(t))) {
        *out = (gpa_opnd){.weak = WEAK_FLOAT, .dtype = DT_F64, .v.F64 = NAN};
        return GPA_OK;
    }
    value n = v_none();
    gpa_code rc = vm_call(vm,
                          v_type(dtype_is_int(t)       ? V_INT
                                 : dtype_is_complex(t) ? V_COMPLEX
                                                       : V_FLOAT),
                          ARGS(1, &v), &n);
    if (!rc) arg_number(n, out);
    value_release(vm, n);
    return rc;
}

void arg_opnd_release(gpa_vm *vm, gpa_opnd *o) {
    arr_release(vm_rt(vm), o->arr);
    o->arr = NULL;
}
