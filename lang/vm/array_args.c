/* Array arguments of natives: conversions between values and arrays, and NumPy's asarray.
 *
 * Nested sequences are walked twice: `discover` finds shape and dtype, `fill` writes the elements
 * into host memory, which is then uploaded. A flat sequence of arrays of one shape is concatenated
 * on the device instead. */
#include <math.h>
#include <stdio.h>

#include "lang/compile/typed_interface.h"
#include "lang/object/big.h"
#include "lang/vm/absent.h"
#include "lang/vm/array_args.h"
#include "lang/vm/array_interface.h"
#include "lang/vm/class.h"
#include "lang/vm/record.h"
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

/* True if the integer dtype has no value for the number. An element that has none is an error. */
static bool exceeds(const gpa_opnd *o, gpa_dtype to) {
    const gpa_val x = dtype_cast(o->v, o->dtype, DT_F64);
    return arr_check_number(&(gpa_opnd){.weak = WEAK_FLOAT, .dtype = DT_F64, .v = x}, to, NULL);
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

/* An attribute, or UNSET if there is none; other errors of a property or __getattr__ are its own.
 */
static gpa_code optional_attr(gpa_vm *vm, value v, const char *name, value *out) {
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
        rc = depth < MAX_DEPTH ? optional_attr(vm, held, "dtype", &next)
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
    if (into->readonly) return vm_fail(vm, GPA_E_VALUE, "output array is read-only");
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

/* A number as a typed or weakly typed operand (NEP 50); false if the value is not a number. */
static bool number(value v, gpa_opnd *o) {
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
    if (number(v, out)) return GPA_OK;
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

/* True for a lazy NumPy scalar that may be out of range as an element of a signed dtype: its value
 * must be computed and checked (arr_check_number). */
static bool is_unchecked_scalar(value v, gpa_dtype t) {
    return v.tag == V_ARRAY && v.aux && dtype_info[t].kind == 'I' &&
           !dtype_can_cast((gpa_dtype)v.array->arr->dtype, t, CAST_SAFE);
}

gpa_code arg_element(gpa_vm *vm, value v, gpa_dtype t, gpa_opnd *out) {
    *out = (gpa_opnd){0};
    v = value_underlying(v);
    if (is_unchecked_scalar(v, t)) {
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
    if (!rc) number(n, out);
    value_release(vm, n);
    return rc;
}

void arg_opnd_release(gpa_vm *vm, gpa_opnd *o) {
    arr_release(vm_rt(vm), o->arr);
    o->arr = NULL;
}

/* ---- asarray of sequences ---- */

typedef struct {
    gpa_vm *vm;
    int ndim; /* dimensions found; fixed by the first leaf */
    int64_t shape[GPA_MAX_DIMS];
    bool fixed;
    gpa_dtype dtype; /* promotion of the leaves; DT_NONE before the first */
    gpa_dtype want;  /* requested dtype: str and None are then elements, too; DT_NONE: dtype */
    char *at;        /* fill: offset of the next element */
} walk;

static bool is_sequence(value v) { return v.tag == V_LIST || v.tag == V_TUPLE || v.tag == V_RANGE; }

static int64_t sequence_len(value v) {
    if (v.tag == V_LIST) return (int64_t)v.list->count;
    if (v.tag == V_TUPLE) return (int64_t)v.tuple->count;
    int64_t n = 0;
    const range_obj *r = v.range;
    if (r->step > 0 && r->start < r->stop) n = (r->stop - r->start - 1) / r->step + 1;
    if (r->step < 0 && r->start > r->stop) n = (r->start - r->stop - 1) / -r->step + 1;
    return n;
}

static value sequence_item_peek(value v, int64_t i) {
    if (v.tag == V_LIST) return v.list->items[i];
    if (v.tag == V_TUPLE) return v.tuple->items[i];
    return v_int(v.range->start + i * v.range->step);
}

static const value *items_of(value v) { return v.tag == V_LIST ? v.list->items : v.tuple->items; }

/* The number of items from i on that are numbers of one kind: the first one's properties hold for
 * all. */
static int64_t uniform_run(value v, int64_t i, int64_t n) {
    if (v.tag == V_RANGE) return 0;
    const value *items = items_of(v), first = items[i];
    if (first.tag != V_FLOAT && first.tag != V_INT && first.tag != V_BOOL && first.tag != V_NUM)
        return 0;
    int64_t end = i + 1;
    while (end < n && items[end].tag == first.tag &&
           (first.tag != V_NUM || items[end].aux == first.aux))
        end++;
    return end - i;
}

static gpa_code fail_ragged(walk *w, int depth) {
    char shape[256];
    int n = 0;
    for (int d = 0; d < depth; d++)
        n += snprintf(shape + n, sizeof shape - (size_t)n, "%s%lld", d ? ", " : "",
                      (long long)w->shape[d]);
    return vm_fail(w->vm, GPA_E_VALUE,
                   "setting an array element with a sequence. The requested array has an "
                   "inhomogeneous shape after %d dimensions. "
                   "The detected shape was (%s%s) + inhomogeneous part.",
                   depth, shape, depth == 1 ? "," : "");
}

static gpa_code leaf_shape(walk *w, int depth, int ndim, const int64_t *shape) {
    if (!w->fixed) {
        if (depth + ndim > GPA_MAX_DIMS)
            return vm_fail(w->vm, GPA_E_VALUE,
                           "setting an array element with a sequence. The requested array would "
                           "exceed the maximum number of dimension of %d.",
                           GPA_MAX_DIMS);
        for (int d = 0; d < ndim; d++) w->shape[depth + d] = shape[d];
        w->ndim = depth + ndim;
        w->fixed = true;
        return GPA_OK;
    }
    if (w->ndim != depth + ndim) return fail_ragged(w, MIN(depth, w->ndim));
    for (int d = 0; d < ndim; d++)
        if (w->shape[depth + d] != shape[d]) return fail_ragged(w, depth + d);
    return GPA_OK;
}

/* An int outside every integer dtype's range (NumPy would make an object array). */
static gpa_code fail_int_too_large(gpa_vm *vm) {
    gpa_code rc = vm_fail(vm, GPA_E_OVERFLOW, "Python int too large to convert to C long");
    gpa_err_hint(vm_err(vm), "%s", name_absent("numpy", "object_"));
    return rc;
}

static gpa_code discover(walk *w, value v, int depth) {
    v = value_underlying(v);
    if (is_sequence(v)) {
        int64_t n = sequence_len(v);
        if (depth >= GPA_MAX_DIMS)
            return vm_fail(w->vm, GPA_E_VALUE,
                           "setting an array element with a sequence. The requested array would "
                           "exceed the maximum number of dimension of %d.",
                           GPA_MAX_DIMS);
        if (w->fixed && depth >= w->ndim) return fail_ragged(w, w->ndim);
        if (w->fixed && w->shape[depth] != n) return fail_ragged(w, depth);
        w->shape[depth] = n;
        if (n == 0) return leaf_shape(w, depth, 1, &n);
        for (int64_t i = 0; i < n; i += MAX(uniform_run(v, i, n), 1)) {
            gpa_code rc = discover(w, sequence_item_peek(v, i), depth + 1);
            if (rc) return rc;
        }
        return GPA_OK;
    }
    gpa_opnd o;
    gpa_dtype t;
    gpa_code rc;
    if (v.tag == V_ARRAY) {
        t = (gpa_dtype)v.array->arr->dtype;
        rc = leaf_shape(w, depth, v.array->arr->ndim, v.array->arr->shape);
    } else if (number(v, &o)) {
        t = o.dtype;
        if (v.tag == V_BIG && t == DT_F64 && w->want == DT_NONE) return fail_int_too_large(w->vm);
        rc = leaf_shape(w, depth, 0, NULL);
    } else if (w->want != DT_NONE && (v.tag == V_STR || v.tag == V_NONE)) {
        t = w->want;
        rc = leaf_shape(w, depth, 0, NULL);
    } else {
        return vm_fail(w->vm, GPA_E_TYPE,
                       "arrays hold numbers: an element of type '%s' has no dtype",
                       value_type_name(v));
    }
    if (rc) return rc;
    gpa_dtype both = w->dtype == DT_NONE ? t : dtype_promote(w->dtype, t);
    if (both == DT_NONE)
        return vm_fail(w->vm, GPA_E_DTYPE_PROMOTION, "no common dtype for %s and %s",
                       dtype_info[w->dtype].name, dtype_info[t].name);
    w->dtype = both;
    return GPA_OK;
}

/* Out-of-range elements are an error (arr_check_number); others are cast as by astype. */
static gpa_code convert(gpa_vm *vm, const gpa_opnd *o, gpa_dtype to, gpa_val *out) {
    *out = dtype_cast(o->v, o->dtype, to);
    gpa_code rc = arr_check_number(o, to, vm_err(vm));
    return rc ? rc : np_check_cast(vm, o, to);
}

/* Copies n numbers of one kind when their payload has the element's representation, or converts
 * ints to float64. */
static bool fill_uniform(walk *w, const value *items, int64_t n) {
    gpa_dtype t = items->tag == V_FLOAT ? DT_F64
                  : items->tag == V_INT ? DT_I64
                  : items->tag == V_NUM ? (gpa_dtype)items->aux
                                        : DT_NONE;
    const size_t word = sizeof items->bits, size = dtype_size(w->want);
    bool floats = t == DT_I64 && w->want == DT_F64;
    if (t != w->want && !floats) return false;
    for (int64_t k = 0; k < n && floats; k++)
        memcpy(w->at + (size_t)k * word, &(double){(double)items[k].i}, word);
    for (int64_t k = 0; k < n && !floats && size == word; k++)
        memcpy(w->at + (size_t)k * word, &items[k].bits, word);
    for (int64_t k = 0; k < n && size < word; k++)
        memcpy(w->at + (size_t)k * size, &items[k].bits, size);
    w->at += (size_t)n * size;
    return true;
}

static gpa_code fill(walk *w, value v) {
    gpa_code rc = GPA_OK;
    v = value_underlying(v);
    if (is_sequence(v)) {
        int64_t n = sequence_len(v);
        for (int64_t i = 0, run; i < n; i += run) {
            run = MAX(uniform_run(v, i, n), 1);
            if (run > 1 && fill_uniform(w, items_of(v) + i, run)) continue;
            for (int64_t k = i; k < i + run; k++)
                if ((rc = fill(w, sequence_item_peek(v, k)))) return rc;
        }
        return GPA_OK;
    }
    if (v.tag == V_ARRAY && !is_unchecked_scalar(v, w->want)) {
        gpa_arr *cast = NULL;
        if ((rc = np_check_cast(w->vm, &(gpa_opnd){.arr = v.array->arr}, w->want))) return rc;
        rc = arr_cast(vm_rt(w->vm), v.array->arr, w->want, false, &cast, vm_err(w->vm));
        if (!rc) rc = arr_read(vm_rt(w->vm), cast, w->at, vm_err(w->vm));
        if (!rc) w->at += (size_t)cast->size * dtype_size(w->want);
        arr_release(vm_rt(w->vm), cast);
        return rc;
    }
    gpa_opnd o;
    gpa_val x;
    if ((rc = arg_element(w->vm, v, w->want, &o)) || (rc = convert(w->vm, &o, w->want, &x)))
        return rc;
    dtype_store(w->at, w->want, x);
    w->at += dtype_size(w->want);
    return GPA_OK;
}

/* Stacks a list of arrays of one shape along a new first axis, on the device. */
static bool all_arrays(value v, gpa_dtype want) {
    if (!is_sequence(v) || v.tag == V_RANGE || sequence_len(v) == 0) return false;
    for (int64_t i = 0; i < sequence_len(v); i++) {
        value item = sequence_item_peek(v, i);
        if (item.tag != V_ARRAY || is_unchecked_scalar(item, want)) return false;
    }
    return true;
}

static gpa_code concatenate_items(gpa_vm *vm, value v, const walk *w, gpa_arr **out) {
    gpa_rt *rt = vm_rt(vm);
    int64_t n = sequence_len(v);
    gpa_code rc = GPA_OK;
    gpa_arr **parts = mem_zero((size_t)n * sizeof *parts);
    if (!parts) return vm_no_memory(vm);
    int64_t shape[GPA_MAX_DIMS + 1] = {1};
    for (int d = 1; d < w->ndim; d++) shape[d] = w->shape[d];
    for (int64_t i = 0; i < n; i++)
        TRY(arr_reshape(rt, sequence_item_peek(v, i).array->arr, w->ndim, shape, &parts[i],
                        vm_err(vm)));
    rc = arr_concat(rt, &(arr_concatenation){.in = parts, .n = (int)n, .dtype = w->want}, out,
                    vm_err(vm));
out:
    for (int64_t i = 0; i < n; i++) arr_release(rt, parts[i]);
    mem_free(parts);
    return rc;
}

static gpa_code from_sequence(gpa_vm *vm, value v, gpa_dtype t, gpa_arr **out) {
    walk w = {.vm = vm, .dtype = DT_NONE, .want = t};
    gpa_code rc = discover(&w, v, 0);
    if (rc) return rc;
    if (w.dtype == DT_NONE) w.dtype = DT_F64;
    if (t == DT_NONE) w.want = w.dtype;
    if (all_arrays(v, w.want)) return concatenate_items(vm, v, &w, out);
    int64_t n = 1;
    for (int d = 0; d < w.ndim; d++) n *= w.shape[d];
    char *data = mem_new((size_t)n * dtype_size(w.want));
    if (!data) return vm_no_memory(vm);
    w.at = data;
    rc = fill(&w, v);
    if (!rc) rc = arr_from(vm_rt(vm), &(arr_spec){w.want, w.ndim, w.shape}, data, out, vm_err(vm));
    mem_free(data);
    return rc;
}

/* Conversion of an object with NumPy's protocols or those of a sequence: the array of __array__,
 * or the list of its items. */
static gpa_code array_of_object(gpa_vm *vm, value v, value *out, bool *found) {
    static const char *const protocols[] = {"__array_interface__", "__array_struct__", "__array__"};
    const class_obj *class = class_of_peek(v);
    *found = is_foreign(v);
    gpa_code rc = *found ? foreign.array(vm, v, out) : record_array(vm, v, out, found);
    if (rc || *found || !class) return rc;
    bool dynamic = class_text_peek(class, "__getattr__").tag != V_UNSET;
    for (size_t i = 0; i < COUNT_OF(protocols) && !rc; i++) { /* their errors are not hidden */
        if (!dynamic && class_text_peek(class, protocols[i]).tag == V_UNSET) continue;
        rc = optional_attr(vm, v, protocols[i], out);
        value_release(vm, *out);
        *out = v_none();
    }
    if (rc || class_text_peek(class, "__getitem__").tag == V_UNSET ||
        class_text_peek(class, "__len__").tag == V_UNSET)
        return rc;
    int64_t n;
    rc = vm_len(vm, v, &n);
    if (rc && !gpa_err_is(rc, GPA_E_RECURSION) && !gpa_err_is(rc, GPA_E_MEMORY)) {
        vm_clear_error(vm); /* an object without a length is no sequence */
        return GPA_OK;
    }
    if (!rc) rc = vm_collect(vm, v, out);
    *found = !rc;
    return rc;
}

gpa_code arg_array(gpa_vm *vm, value v, gpa_dtype t, gpa_arr **out) {
    gpa_opnd o;
    *out = NULL;
    if (v.tag == V_ARRAY) {
        gpa_arr *a = v.array->arr;
        if (t == DT_NONE || t == (gpa_dtype)a->dtype) {
            *out = arr_retain(a);
            return GPA_OK;
        }
        gpa_code rc = np_check_cast(vm, &(gpa_opnd){.arr = a}, t);
        return rc ? rc : arr_cast(vm_rt(vm), a, t, false, out, vm_err(vm));
    }
    if (number(v, &o) || (v.tag == V_STR && t != DT_NONE)) {
        gpa_val x;
        gpa_dtype to = t == DT_NONE ? o.dtype : t;
        if (v.tag == V_BIG && to == DT_F64 && t == DT_NONE) return fail_int_too_large(vm);
        gpa_code rc = v.tag == V_STR ? arg_element(vm, v, t, &o) : GPA_OK;
        if (!rc) rc = convert(vm, &o, to, &x);
        return rc ? rc : arr_scalar(vm_rt(vm), to, x, out, vm_err(vm));
    }
    v = value_underlying(v);
    if (is_sequence(v)) return from_sequence(vm, v, t, out);
    bool record;
    value stands_for = v_none();
    gpa_code rc = array_of_object(vm, v, &stands_for, &record);
    if (!rc && record) rc = arg_array(vm, stands_for, t, out);
    value_release(vm, stands_for);
    if (rc || record) return rc;
    if (v.tag == V_ITER || v.tag == V_SET || v.tag == V_DICT)
        return vm_fail(vm, GPA_E_TYPE,
                       "an array cannot be made from a '%s': give a list, as in array(list(...))",
                       value_type_name(v));
    return vm_fail(vm, GPA_E_TYPE, "arrays hold numbers: a value of type '%s' has no dtype",
                   value_type_name(v));
}
