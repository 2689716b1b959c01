/* Properties of arrays and dtypes: ndim, shape, result_type, can_cast, dtype attributes, finfo and
 * iinfo; and small private functions of the library. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "lang/vm/generic_alias.h"
#include "lang/object/big.h"
#include "lang/numpy/all.h"
#include "lang/object/number.h"
#include "lang/numpy/numpy.h"
#include "lang/vm/vm.h"

static gpa_code return_text(gpa_vm *vm, const char *s, value *out) {
    *out = v_cstr(vm, s);
    return out->tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
}

/* ---- dtypes ---- */

gpa_code dt_new(gpa_vm *vm, value *argv, value *out) { /* cls, dtype */
    gpa_dtype t;
    gpa_code rc = arg_dtype(vm, argv[1], &t);
    if (!rc) *out = v_dtype(t == DT_NONE ? DT_F64 : t);
    return rc;
}

gpa_code dt_name(gpa_vm *vm, value *argv, value *out) {
    return return_text(vm, dtype_info[argv[0].aux].name, out);
}

gpa_code dt_char(gpa_vm *vm, value *argv, value *out) {
    *out = v_str(vm, &dtype_info[argv[0].aux].np_char, 1);
    return out->tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
}

/* NumPy's kind letters: 'b' for bool, the others are the table's in lower case. */
static char kind_letter(gpa_dtype t) { return (char)(dtype_info[t].kind | 0x20); }

gpa_code dt_kind(gpa_vm *vm, value *argv, value *out) {
    char k = kind_letter((gpa_dtype)argv[0].aux);
    *out = v_str(vm, &k, 1);
    return out->tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
}

gpa_code dt_itemsize(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_int((int64_t)dtype_size((gpa_dtype)argv[0].aux));
    return GPA_OK;
}

gpa_code dt_str(gpa_vm *vm, value *argv, value *out) {
    gpa_dtype t = (gpa_dtype)argv[0].aux;
    *out = v_strf(vm, "%c%c%zu", dtype_size(t) > 1 ? '<' : '|', kind_letter(t), dtype_size(t));
    return out->tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
}

gpa_code dt_type(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_type(AUX_DTYPE + argv[0].aux);
    return GPA_OK;
}

/* ---- arrays ---- */

/* True for the values that numpy.isscalar accepts. */
static bool is_numpy_scalar(value v) {
    return v.tag == V_NONE || v.tag == V_STR || v.tag == V_BYTES || v.tag == V_BIG ||
           v.tag == V_DICT || v.tag == V_SET || v.tag == V_FUNC;
}

gpa_code np_ndim(gpa_vm *vm, value *argv, value *out) {
    *out = v_int(0);
    return is_numpy_scalar(argv[0]) ? GPA_OK : nd_ndim(vm, argv, out);
}

gpa_code np_shape(gpa_vm *vm, value *argv, value *out) {
    return is_numpy_scalar(argv[0]) ? native_return(v_tuple(vm, 0, NULL), out)
                                    : nd_shape(vm, argv, out);
}

gpa_code np_size(gpa_vm *vm, value *argv, value *out) { /* a, axis */
    *out = v_int(1);
    if (argv[1].tag == V_NONE) return is_numpy_scalar(argv[0]) ? GPA_OK : nd_size(vm, argv, out);
    gpa_arr *a = NULL;
    int axis;
    gpa_code rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc) rc = arg_axis(vm, argv[1], a->ndim, &axis);
    if (!rc) *out = v_int(a->shape[axis]);
    arr_release(vm_rt(vm), a);
    return rc;
}

gpa_code np_isscalar(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    value v = argv[0];
    *out = v_bool(v.tag == V_BOOL || v.tag == V_INT || v.tag == V_BIG || v.tag == V_FLOAT ||
                  v.tag == V_NUM || v.tag == V_COMPLEX || v.tag == V_STR ||
                  (v.tag == V_ARRAY && v.aux));
    return GPA_OK;
}

static bool is_dtype_like(value v) { return v.tag == V_DTYPE || v.tag == V_TYPE || v.tag == V_STR; }

gpa_code np_result_type(gpa_vm *vm, value *argv, value *out) { /* *arrays_and_dtypes */
    int n = (int)argv[0].tuple->count;
    gpa_dtype t;
    gpa_code rc = GPA_OK;
    if (n == 0) return vm_fail(vm, GPA_E_VALUE, "at least one array or dtype is required");
    gpa_opnd *in = mem_zero((size_t)n * sizeof *in);
    if (!in) return vm_no_memory(vm);
    for (int i = 0; i < n; i++) {
        value v = argv[0].tuple->items[i];
        if (is_dtype_like(v))
            TRY(arg_dtype(vm, v, &in[i].dtype));
        else
            TRY(arg_opnd(vm, v, &in[i]));
    }
    TRY(arr_result_type(in, n, &t, vm_err(vm)));
    if (n == 1 && in->weak == WEAK_INT) { /* nothing to promote: the dtype that holds it */
        t = in->dtype;
        if (t == DT_F64)
            TRY(vm_fail(vm, GPA_E_OVERFLOW, "Python int too large to convert to C long"));
    }
    *out = v_dtype(t);
out:
    for (int i = 0; i < n; i++) arg_opnd_release(vm, &in[i]);
    mem_free(in);
    return rc;
}

gpa_code np_promote_types(gpa_vm *vm, value *argv, value *out) { /* type1, type2 */
    gpa_dtype a, b;
    gpa_code rc = arg_dtype(vm, argv[0], &a);
    if (!rc) rc = arg_dtype(vm, argv[1], &b);
    if (rc) return rc;
    gpa_dtype t = dtype_promote(a, b);
    if (t == DT_NONE)
        return vm_fail(vm, GPA_E_DTYPE_PROMOTION, "no common dtype for %s and %s",
                       dtype_info[a].name, dtype_info[b].name);
    *out = v_dtype(t);
    return GPA_OK;
}

gpa_code np_can_cast(gpa_vm *vm, value *argv, value *out) { /* from_, to, casting */
    gpa_dtype from = DT_NONE, to;
    gpa_casting casting;
    gpa_code rc = GPA_OK;
    if (is_dtype_like(argv[0]))
        rc = arg_dtype(vm, argv[0], &from);
    else if (argv[0].tag == V_ARRAY)
        from = (gpa_dtype)argv[0].array->arr->dtype;
    else if (argv[0].tag == V_NUM)
        from = (gpa_dtype)argv[0].aux;
    else
        rc = vm_fail(vm, GPA_E_TYPE,
                     "can_cast() does not support Python ints, floats, and complex because the "
                     "result used to depend on the value.\nThis change was part of adopting NEP "
                     "50, we may explicitly allow them again in the future.");
    if (!rc) rc = arg_dtype(vm, argv[1], &to);
    if (!rc) rc = arg_casting(vm, argv[2], &casting);
    if (!rc) *out = v_bool(dtype_can_cast(from, to, casting));
    return rc;
}

/* An abstract type is the string of the kinds below it. */
bool np_abstract_has(const object_obj *abstract, uint32_t type) {
    return type >= AUX_DTYPE && type < AUX_DTYPE + DT_COUNT &&
           strchr(abstract->data, dtype_info[type - AUX_DTYPE].kind);
}

gpa_code np_issubdtype(gpa_vm *vm, value *argv, value *out) { /* arg1, arg2 */
    gpa_dtype a, b;
    if (is_kind(argv[0], &abstract_kind)) { /* derives from an abstract type that has its kinds */
        const char *kinds = argv[0].object->data;
        *out = v_bool(is_kind(argv[1], &abstract_kind) &&
                      strspn(kinds, argv[1].object->data) == strlen(kinds));
        return GPA_OK;
    }
    gpa_code rc = arg_dtype(vm, argv[0], &a);
    if (rc) return rc;
    if (is_kind(argv[1], &abstract_kind)) {
        *out = v_bool(np_abstract_has(argv[1].object, AUX_DTYPE + a));
        return GPA_OK;
    }
    rc = arg_dtype(vm, argv[1], &b);
    if (!rc) *out = v_bool(a == b);
    return rc;
}

static gpa_code abstract_repr(gpa_vm *vm, object_obj *o, gpa_str *out) {
    (void)vm;
    str_printf(out, "<class 'numpy.%s'>", o->fields[0].str->text);
    return GPA_OK;
}

static gpa_code abstract_attr(gpa_vm *vm, object_obj *o, const char *name, value *out) {
    *out = v_unset();
    if (strcmp(name, "__name__") == 0 || strcmp(name, "__qualname__") == 0)
        *out = value_retain(o->fields[0]);
    else if (strcmp(name, "__module__") == 0)
        return return_text(vm, "numpy", out);
    return GPA_OK;
}

/* Complex types have two type arguments, of which the second may be left out. */
static gpa_code abstract_getitem(gpa_vm *vm, object_obj *o, value key, value *out) {
    const char *kinds = o->data;
    if (strchr(kinds, 'B'))
        return vm_fail(vm, GPA_E_TYPE, "There are no type variables left in numpy.%s",
                       o->fields[0].str->text);
    return generic_alias(vm, (value){.tag = V_OBJECT, .object = o}, key, 1,
                         strcmp(kinds, "C") == 0 ? 2 : 1, out);
}

const object_kind abstract_kind = {.type_name = "numpy.abstract",
                                   .repr = abstract_repr,
                                   .attr = abstract_attr,
                                   .getitem = abstract_getitem,
                                   .derives = np_abstract_has};

value np_abstract(gpa_vm *vm, const char *name, char *kinds) {
    value v = v_object(vm, &abstract_kind, 1);
    if (v.tag == V_UNSET) return v;
    v.object->data = kinds;
    v.object->fields[0] = v_cstr(vm, name);
    if (v.object->fields[0].tag != V_UNSET) return v;
    v.object->fields[0] = v_none();
    value_release(vm, v);
    return v_unset();
}

/* ---- finfo, iinfo ---- */

static gpa_code find_field(object_obj *o, const char *const *names, const char *name, value *out) {
    *out = v_unset();
    for (size_t i = 0; i < o->count; i++)
        if (strcmp(names[i], name) == 0) *out = value_retain(o->fields[i]);
    return GPA_OK;
}

enum {
#define ROW(id, name) FINFO_##id,
#include "lang/numpy/finfo.def"
#undef ROW
};
static const char *const finfo_names[] = {
#define ROW(id, name) name,
#include "lang/numpy/finfo.def"
#undef ROW
};
static const char *const iinfo_names[] = {"dtype", "bits", "min", "max", "kind"};

static gpa_code finfo_attr(gpa_vm *vm, object_obj *o, const char *name, value *out) {
    (void)vm;
    return find_field(o, finfo_names, name, out);
}

static gpa_code iinfo_attr(gpa_vm *vm, object_obj *o, const char *name, value *out) {
    (void)vm;
    return find_field(o, iinfo_names, name, out);
}

/* Number of decimals to print, by the size of an element. */
static int finfo_digits(const object_obj *o) {
    static const int digits[] = {[2] = 5, [4] = 7, [8] = 16};
    return digits[dtype_size((gpa_dtype)o->fields[FINFO_DTYPE].aux)];
}

static gpa_code finfo_repr(gpa_vm *vm, object_obj *o, gpa_str *out) {
    gpa_dtype t = (gpa_dtype)o->fields[FINFO_DTYPE].aux;
    number max = number_of(o->fields[FINFO_MAX]), min = number_of(o->fields[FINFO_MIN]);
    int n = finfo_digits(o);
    str_put(out, "finfo(resolution=");
    gpa_code rc = vm_str(vm, o->fields[FINFO_RESOLUTION], out);
    str_printf(out, ", min=%.*e, max=%.*e, dtype=%s)", n, number_real(&min), n, number_real(&max),
               dtype_info[t].name);
    return rc;
}

static gpa_code iinfo_repr(gpa_vm *vm, object_obj *o, gpa_str *out) {
    str_put(out, "iinfo(min=");
    gpa_code rc = vm_str(vm, o->fields[2], out);
    str_put(out, ", max=");
    if (!rc) rc = vm_str(vm, o->fields[3], out);
    str_printf(out, ", dtype=%s)", dtype_info[o->fields[0].aux].name);
    return rc;
}

static const char ruler[] = "---------------------------------------------------------------\n";

static gpa_code iinfo_str(gpa_vm *vm, object_obj *o, gpa_str *out) {
    str_printf(out, "Machine parameters for %s\n%smin = ", dtype_info[o->fields[0].aux].name,
               ruler);
    gpa_code rc = vm_str(vm, o->fields[2], out);
    str_put(out, "\nmax = ");
    if (!rc) rc = vm_str(vm, o->fields[3], out);
    str_printf(out, "\n%s", ruler);
    return rc;
}

static gpa_code finfo_str(gpa_vm *vm, object_obj *o, gpa_str *out) {
    (void)vm;
    double x[COUNT_OF(finfo_names)];
    for (size_t i = 1; i < COUNT_OF(x); i++) {
        number n = number_of(o->fields[i]);
        x[i] = number_real(&n);
    }
    int n = finfo_digits(o);
    str_printf(out, "Machine parameters for %s\n%sprecision = %3.0f   resolution = %.*e\n",
               dtype_info[o->fields[0].aux].name, ruler, x[FINFO_PRECISION], n,
               x[FINFO_RESOLUTION]);
    str_printf(out, "machep = %6.0f   eps =        %.*e\nnegep =  %6.0f   epsneg =     %.*e\n",
               x[FINFO_MACHEP], n, x[FINFO_EPS], x[FINFO_NEGEP], n, x[FINFO_EPSNEG]);
    str_printf(out, "minexp = %6.0f   tiny =       %.*e\nmaxexp = %6.0f   max =        %.*e\n",
               x[FINFO_MINEXP], n, x[FINFO_TINY], x[FINFO_MAXEXP], n, x[FINFO_MAX]);
    str_printf(out,
               "nexp =   %6.0f   min =        -max\nsmallest_normal = %.*e   smallest_subnormal = "
               "%.*e\n%s",
               x[FINFO_NEXP], n, x[FINFO_SMALLEST_NORMAL], n, x[FINFO_SMALLEST_SUBNORMAL], ruler);
    return GPA_OK;
}

const object_kind finfo_kind = {
    .type_name = "numpy.finfo", .attr = finfo_attr, .repr = finfo_repr, .str = finfo_str};
const object_kind iinfo_kind = {
    .type_name = "numpy.iinfo", .attr = iinfo_attr, .repr = iinfo_repr, .str = iinfo_str};

/* The dtype of a dtype, an array or a number. */
static gpa_code dtype_of(gpa_vm *vm, value v, gpa_dtype *out) {
    if (is_dtype_like(v)) return arg_dtype(vm, v, out);
    if (v.tag == V_OBJECT && !arg_dtype(vm, v, out)) return GPA_OK;
    if (v.tag == V_OBJECT) vm_clear_error(vm);
    gpa_arr *a = NULL;
    gpa_code rc = arg_array(vm, v, DT_NONE, &a);
    if (!rc) *out = (gpa_dtype)a->dtype;
    arr_release(vm_rt(vm), a);
    return rc;
}

static gpa_code make_finfo(gpa_vm *vm, gpa_dtype t, value *out) {
    int bits = (int)dtype_size(t) * 8,
        mantissa = t == DT_F16    ? 10
                   : t == DT_BF16 ? 7
                   : t == DT_F32  ? 23
                                  : 52,
        exponent = bits - mantissa - 1;
    int top = 1 << (exponent - 1), precision = (int)floor(mantissa * 0.30102999566398119);
    double eps = ldexp(1, -mantissa), tiny = ldexp(1, 2 - top), max = ldexp(2 - eps, top - 1);
    const int whole[] = {bits,      precision,     mantissa, exponent, exponent,
                         -mantissa, -mantissa - 1, 2 - top,  top};
    const double numbers[] = {
        eps, eps / 2, max, -max, tiny, tiny, ldexp(tiny, -mantissa), pow(10, -precision)};
    *out = v_object(vm, &finfo_kind, COUNT_OF(finfo_names));
    if (out->tag == V_UNSET) return vm_err(vm)->code;
    value *f = out->object->fields;
    f[FINFO_DTYPE] = v_dtype(t);
    for (size_t i = 0; i < COUNT_OF(whole); i++) f[FINFO_BITS + i] = v_int(whole[i]);
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        f[FINFO_EPS + i] = v_num(vm, t, dtype_cast((gpa_val){.F64 = numbers[i]}, DT_F64, t));
    return GPA_OK;
}

/* The only finfo of a dtype, kept under a name that no program can write. */
static gpa_code kept_finfo(gpa_vm *vm, gpa_dtype t, value *out) {
    module_obj *numpy;
    char name[40];
    snprintf(name, sizeof name, "(finfo %s)", dtype_info[t].name);
    gpa_code rc = vm_import(vm, "numpy", &numpy);
    if (rc) return rc;
    value kept = module_get_text_peek(vm, numpy, name);
    if (kept.tag != V_UNSET) {
        *out = value_retain(kept);
        return GPA_OK;
    }
    rc = make_finfo(vm, t, out);
    return rc ? rc : module_set_text(vm, numpy, name, *out);
}

gpa_code np_finfo(gpa_vm *vm, value *argv, value *out) { /* cls, dtype */
    gpa_dtype t;
    gpa_code rc = dtype_of(vm, argv[1], &t);
    if (rc) return rc;
    if (dtype_is_complex(t)) t = dtype_info[t].real;
    if (!dtype_is_float(t))
        return vm_fail(vm, GPA_E_VALUE, "data type <class 'numpy.%s'> not inexact",
                       dtype_info[t].name);
    return kept_finfo(vm, t, out);
}

gpa_code np_iinfo(gpa_vm *vm, value *argv, value *out) { /* cls, type */
    gpa_dtype t;
    gpa_code rc = dtype_of(vm, argv[1], &t);
    if (rc && argv[1].tag == V_STR) {
        vm_clear_error(vm);
        return vm_fail(vm, GPA_E_VALUE, "Invalid integer data type 'U'.");
    }
    if (rc) return rc;
    if (!dtype_is_int(t))
        return vm_fail(vm, GPA_E_VALUE, "Invalid integer data type '%c'.", kind_letter(t));
    int bits = (int)dtype_size(t) * 8;
    bool is_signed = dtype_info[t].kind == 'I';
    char kind = is_signed ? 'i' : 'u';
    *out = v_object(vm, &iinfo_kind, COUNT_OF(iinfo_names));
    if (out->tag == V_UNSET) return vm_err(vm)->code;
    value *f = out->object->fields;
    f[0] = v_dtype(t);
    f[1] = v_int(bits);
    f[2] = v_int(is_signed ? INT64_MIN >> (64 - bits) : 0);
    f[3] = is_signed   ? v_int(INT64_MAX >> (64 - bits))
           : bits < 64 ? v_int((int64_t)(UINT64_MAX >> (64 - bits)))
                       : v_uint(vm, UINT64_MAX);
    f[4] = v_str(vm, &kind, 1);
    if (f[4].tag != V_UNSET) return GPA_OK;
    f[4] = v_none();
    value_release(vm, *out);
    *out = v_none();
    return vm_err(vm)->code;
}

/* ---- private functions of the library ---- */

gpa_code np_index(gpa_vm *vm, value *argv, value *out) { /* n */
    int64_t n;
    gpa_code rc = arg_int(vm, argv[0], "n", &n);
    *out = v_int(n);
    return rc;
}

gpa_code np_is_int(gpa_vm *vm, value *argv, value *out) { /* dtype */
    gpa_dtype t;
    gpa_code rc = arg_dtype(vm, argv[0], &t);
    if (!rc) *out = v_bool(dtype_is_int(t));
    return rc;
}

gpa_code np_is_exact(gpa_vm *vm, value *argv, value *out) { /* dtype */
    gpa_dtype t;
    gpa_code rc = arg_dtype(vm, argv[0], &t);
    if (!rc) *out = v_bool(dtype_is_int(t) || t == DT_BOOL);
    return rc;
}

gpa_code np_axis(gpa_vm *vm, value *argv, value *out) { /* axis, ndim, name */
    int64_t ndim, axis;
    gpa_code rc = arg_int(vm, argv[1], "ndim", &ndim);
    if (!rc) rc = arg_int(vm, argv[0], "axis", &axis);
    if (rc) return rc;
    if (axis < -ndim || axis >= ndim) return np_axis_error(vm, argv[2], axis, ndim);
    *out = v_int(axis < 0 ? axis + ndim : axis);
    return GPA_OK;
}

gpa_code np_axes(gpa_vm *vm, value *argv, value *out) { /* axis, ndim, name, repeated */
    int64_t ndim, list[GPA_MAX_DIMS];
    int n, axis;
    gpa_axes seen = 0;
    gpa_code rc = arg_int(vm, argv[1], "ndim", &ndim);
    if (!rc) rc = arg_ints(vm, argv[0], "axis", GPA_MAX_DIMS, &n, list);
    if (rc) return rc;
    *out = v_list(vm, (size_t)n, NULL);
    if (out->tag == V_UNSET) return vm_err(vm)->code;
    for (int i = 0; i < n && !rc; i++) {
        if (list[i] < -ndim || list[i] >= ndim) {
            rc = np_axis_error(vm, argv[2], list[i], ndim);
            break;
        }
        axis = (int)(list[i] < 0 ? list[i] + ndim : list[i]);
        if (seen >> axis & 1 && !argv[3].i)
            rc = vm_fail(vm, GPA_E_VALUE,
                         argv[2].tag == V_STR ? "repeated axis in `%s` argument" : "repeated axis",
                         argv[2].tag == V_STR ? argv[2].str->text : "");
        seen |= gpa_axis(axis);
        out->list->items[i] = v_int(axis);
    }
    if (rc) value_release(vm, *out);
    if (rc) *out = v_none();
    return rc;
}

gpa_code np_shape_text(gpa_vm *vm, value *argv, value *out) { /* shape: "(3,4)" */
    int n;
    int64_t shape[GPA_MAX_DIMS];
    gpa_str s;
    str_init(&s);
    gpa_code rc = arg_ints(vm, argv[0], "shape", GPA_MAX_DIMS, &n, shape);
    str_putc(&s, '(');
    for (int d = 0; !rc && d < n; d++) str_printf(&s, "%s%lld", d ? "," : "", (long long)shape[d]);
    str_put(&s, !rc && n == 1 ? ",)" : ")");
    if (!rc) rc = return_text(vm, s.text, out);
    str_free(&s);
    return rc;
}

/* Casts a number whose conversion cannot fail, without an array. */
static bool cast_number(value x, gpa_dtype t, gpa_val *out) {
    gpa_val v = {.I64 = x.i};
    if (x.tag == V_FLOAT && (dtype_is_float(t) || dtype_is_complex(t))) {
        *out = dtype_cast((gpa_val){.F64 = x.f}, DT_F64, t);
        return true;
    }
    if (x.tag != V_INT && x.tag != V_BOOL) return false;
    *out = dtype_cast(v, DT_I64, t);
    bool fits = dtype_cast(*out, t, DT_I64).I64 == x.i && (x.i >= 0 || dtype_info[t].kind != 'U');
    return fits || !dtype_is_int(t);
}

/* numpy.float32(x): a scalar of the type, or an array when x is a sequence or an array. */
gpa_code np_scalar_new(gpa_vm *vm, value *argv, value *out) { /* cls, x, *args */
    gpa_dtype t;
    gpa_arr *a = NULL;
    gpa_val v;
    value x = argv[1];
    gpa_code rc = arg_dtype(vm, argv[0], &t);
    if (rc) return rc;
    if (argv[2].tuple->count)
        return vm_fail(vm, GPA_E_TYPE, "function takes at most 1 argument (%zu given)",
                       argv[2].tuple->count + 1);
    if (x.tag == V_STR) {
        gpa_opnd n = {.dtype = DT_I64,
                      .v.I64 = x.str->size != 0}; /* bool of a string: true if it is not empty */
        if (t != DT_BOOL) rc = arg_element(vm, x, t, &n);
        if (!rc) rc = arr_check_number(&n, t, vm_err(vm));
        if (!rc) rc = np_check_cast(vm, &n, t);
        if (!rc) *out = v_num(vm, t, dtype_cast(n.v, n.dtype, t));
        return rc ? rc : out->tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
    }
    if (cast_number(x, t, &v)) {
        gpa_opnd from;
        rc = arg_opnd(vm, x, &from);
        if (!rc) rc = np_check_cast(vm, &from, t);
        if (rc) return rc;
        *out = v_num(vm, t, v);
        return out->tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
    }
    if ((rc = arg_array(vm, x, t, &a))) return rc;
    if (a->ndim || x.tag == V_ARRAY) return np_return(vm, a, out);
    rc = arr_item(vm_rt(vm), a, &v, vm_err(vm));
    arr_release(vm_rt(vm), a);
    if (!rc) *out = v_num(vm, t, v);
    return rc ? rc : out->tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
}

gpa_code np_constants(gpa_vm *vm, value *argv, value *out) { /* module: its name */
    const char *name;
    size_t n;
    gpa_code rc = arg_text(vm, argv[0], "module", &name, &n);
    if (!rc) rc = native_return(v_dict(vm), out);
    const native_const *rows = native_consts(rc ? OWNER_COUNT : owner_find(name), &n);
    for (size_t i = 0; i < n && !rc; i++) {
        value doc = v_cstr(vm, rows[i].doc);
        rc = doc.tag == V_UNSET ? GPA_E_MEMORY : dict_set_text(vm, out->dict, rows[i].name, doc);
        value_release(vm, doc);
    }
    return rc;
}
