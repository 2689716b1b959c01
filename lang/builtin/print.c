/* numpy's print options and the functions that print arrays.
 *
 * The current options are a dict in the module numpy, under a name that no program can write;
 * without it the defaults apply. A change stores a new dict, so that `with printoptions(...)`
 * restores the previous one by keeping a reference. */
#include <math.h>

#include "lang/format/array_format.h"
#include "lang/builtin/all.h"
#include "lang/vm/kinds.h"
#include "lang/object/container.h"
#include "lang/text/float_text.h"
#include "lang/object/number.h"
#include "lang/vm/vm.h"

/* In the order of get_printoptions(). */
static const char *const names[] = {"edgeitems", "threshold", "floatmode", "precision",
                                    "suppress",  "linewidth", "nanstr",    "infstr",
                                    "sign",      "formatter", "legacy",    "override_repr"};

/* ---- the dict ---- */

static gpa_code put_text(gpa_vm *vm, dict_obj *d, const char *name, const char *text) {
    value v = v_cstr(vm, text);
    gpa_code rc = v.tag == V_UNSET ? GPA_E_MEMORY : dict_set_text(vm, d, name, v);
    value_release(vm, v);
    return rc;
}

static gpa_code default_options(gpa_vm *vm, value *out) {
    value d = v_dict(vm);
    gpa_code rc = d.tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
    if (!rc) rc = dict_set_text(vm, d.dict, "edgeitems", v_int(3));
    if (!rc) rc = dict_set_text(vm, d.dict, "threshold", v_int(1000));
    if (!rc) rc = put_text(vm, d.dict, "floatmode", "maxprec");
    if (!rc) rc = dict_set_text(vm, d.dict, "precision", v_int(8));
    if (!rc) rc = dict_set_text(vm, d.dict, "suppress", v_bool(false));
    if (!rc) rc = dict_set_text(vm, d.dict, "linewidth", v_int(75));
    if (!rc) rc = put_text(vm, d.dict, "nanstr", "nan");
    if (!rc) rc = put_text(vm, d.dict, "infstr", "inf");
    if (!rc) rc = put_text(vm, d.dict, "sign", "-");
    if (!rc) rc = dict_set_text(vm, d.dict, "formatter", v_none());
    if (!rc) rc = dict_set_text(vm, d.dict, "legacy", v_bool(false));
    if (!rc) rc = dict_set_text(vm, d.dict, "override_repr", v_none());
    return native_finish(vm, rc, d, out);
}

/* The current options, as a copy. */
static gpa_code current_options(gpa_vm *vm, value *out) {
    module_obj *numpy;
    gpa_code rc = vm_import(vm, "numpy", &numpy);
    if (rc) return rc;
    value d = module_get_text_peek(vm, numpy, print_options_name);
    return d.tag == V_DICT ? native_return(dict_copy(vm, d.dict), out) : default_options(vm, out);
}

static gpa_code set_current(gpa_vm *vm, value d) {
    module_obj *numpy;
    gpa_code rc = vm_import(vm, "numpy", &numpy);
    return rc ? rc : module_set_text(vm, numpy, print_options_name, d);
}

static gpa_code check_option(gpa_vm *vm, const char *name, value v) {
    if (strcmp(name, "floatmode") == 0) {
        for (size_t i = 0; i < FLOAT_MODES; i++)
            if (v.tag == V_STR && strcmp(v.str->text, float_mode_names[i]) == 0) return GPA_OK;
        return vm_fail(vm, GPA_E_VALUE,
                       "floatmode option must be one of \"fixed\", \"unique\", \"maxprec\", "
                       "\"maxprec_equal\"");
    }
    if (strcmp(name, "sign") == 0 &&
        (v.tag != V_STR || v.str->size != 1 || !strchr("-+ ", v.str->text[0])))
        return vm_fail(vm, GPA_E_VALUE, "sign option must be one of ' ', '+', or '-'");
    int64_t i;
    if (strcmp(name, "precision") == 0 && arg_int(vm, v, name, &i)) {
        vm_clear_error(vm);
        return vm_fail(vm, GPA_E_TYPE, "precision must be an integer");
    }
    number n = number_of(v);
    if (strcmp(name, "threshold") == 0 && n.kind == NUMBER_NOT)
        return vm_fail(vm, GPA_E_TYPE, "threshold must be numeric");
    if (strcmp(name, "threshold") == 0 && isnan(n.re))
        return vm_fail(vm, GPA_E_VALUE,
                       "threshold must be non-NAN, try sys.maxsize for untruncated representation");
    return GPA_OK;
}

/* Sets an option, unless the value is None. suppress becomes a bool. */
static gpa_code set_option(gpa_vm *vm, dict_obj *d, const char *name, value v) {
    if (v.tag == V_NONE || v.tag == V_UNSET) return GPA_OK;
    gpa_code rc = check_option(vm, name, v);
    if (!rc && strcmp(name, "suppress") == 0) {
        bool truth;
        rc = value_truth(vm, v, &truth);
        v = v_bool(truth);
    }
    bool old = strcmp(name, "legacy") == 0 && v.tag == V_STR && strcmp(v.str->text, "1.13") == 0;
    if (!rc && old) rc = put_text(vm, d, "sign", "-"); /* NumPy 1.13 had no such option */
    return rc ? rc : dict_set_text(vm, d, name, v);
}

/* ---- set, get, with ---- */

gpa_code print_set(gpa_vm *vm, value *argv, value *out) {
    static const char *const order[] = {"precision", "threshold", "edgeitems", "linewidth",
                                        "suppress",  "nanstr",    "infstr",    "formatter",
                                        "sign",      "floatmode", "legacy",    "override_repr"};
    (void)out;
    value d = v_none();
    gpa_code rc = current_options(vm, &d);
    if (!rc) rc = dict_set_text(vm, d.dict, "formatter", v_none());
    if (!rc) rc = dict_set_text(vm, d.dict, "override_repr", v_none());
    for (size_t i = 0; i < COUNT_OF(order) && !rc; i++)
        rc = set_option(vm, d.dict, order[i], argv[i]);
    if (!rc) rc = set_current(vm, d);
    value_release(vm, d);
    return rc;
}

gpa_code print_get(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    return current_options(vm, out);
}

/* Fields: the options of the block, and, while it runs, the previous ones. */
static gpa_code with_enter(gpa_vm *vm, object_obj *o, value *out) {
    gpa_code rc = current_options(vm, &o->fields[1]);
    if (!rc) rc = set_current(vm, o->fields[0]);
    if (!rc) *out = value_retain(o->fields[0]);
    return rc;
}

static gpa_code with_exit(gpa_vm *vm, object_obj *o, value exc, bool *swallow) {
    (void)exc;
    *swallow = false;
    return set_current(vm, o->fields[1]);
}

const object_kind print_with_kind = {
    .type_name = "contextlib._GeneratorContextManager", .enter = with_enter, .exit = with_exit};

gpa_code print_with(gpa_vm *vm, value *argv, value *out) {
    value o = v_object(vm, &print_with_kind, 2);
    if (o.tag == V_UNSET) return GPA_E_MEMORY;
    gpa_code rc = current_options(vm, &o.object->fields[0]);
    dict_obj *d = o.object->fields[0].dict;
    size_t at = 0;
    for (const dict_entry *e; !rc && (e = dict_next(argv[1].dict, &at));) {
        bool known = false;
        for (size_t i = 0; i < COUNT_OF(names); i++)
            known = known || strcmp(e->key.str->text, names[i]) == 0;
        if (known)
            rc = set_option(vm, d, e->key.str->text, e->v);
        else
            rc = vm_fail(vm, GPA_E_TYPE, "printoptions() got an unexpected keyword argument '%s'",
                         e->key.str->text);
    }
    if (!rc && argv[0].tuple->count) rc = set_option(vm, d, "precision", argv[0].tuple->items[0]);
    return native_finish(vm, rc, o, out);
}

/* ---- arrays ---- */

/* The current options with some changed for one call; *d owns the memory that they point to. */
static gpa_code options_with(gpa_vm *vm, const char *const *which, const value *to, size_t n,
                             value *d, print_options *o) {
    *d = v_none();
    *o = print_options_default;
    gpa_code rc = current_options(vm, d);
    for (size_t i = 0; i < n && !rc; i++) rc = set_option(vm, d->dict, which[i], to[i]);
    if (!rc) print_options_read(vm, d->dict, o);
    return rc;
}

gpa_code print_array(gpa_vm *vm, value *argv, value *out) {
    static const char *const which[] = {"linewidth", "precision", "suppress",
                                        "formatter", "threshold", "edgeitems",
                                        "sign",      "floatmode", "legacy"};
    const value to[] = {argv[1], argv[2],  argv[3],  argv[7], argv[8],
                        argv[9], argv[10], argv[11], argv[13]};
    const char *separator, *prefix, *suffix;
    size_t n, n_prefix, n_suffix;
    print_options o;
    value d = v_none();
    gpa_arr *a = NULL;
    gpa_str s;
    str_init(&s);
    gpa_code rc = arg_text(vm, argv[4], "separator", &separator, &n);
    if (!rc) rc = arg_text(vm, argv[5], "prefix", &prefix, &n_prefix);
    if (!rc) rc = arg_text(vm, argv[12], "suffix", &suffix, &n_suffix);
    if (!rc) rc = options_with(vm, which, to, COUNT_OF(to), &d, &o);
    if (!rc) rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc) rc = array_put(vm, a, &o, &(array_margins){separator, n_prefix, n_suffix}, &s);
    if (!rc) rc = native_return(v_str_take(vm, &s), out);
    str_free(&s);
    arr_release(vm_rt(vm), a);
    value_release(vm, d);
    return rc;
}

static gpa_code array_text(gpa_vm *vm, value *argv, bool repr, value *out) {
    static const char *const which[] = {"linewidth", "precision", "suppress"};
    print_options o;
    value d = v_none();
    gpa_arr *a = NULL;
    gpa_str s;
    str_init(&s);
    gpa_code rc = options_with(vm, which, argv + 1, 3, &d, &o);
    if (!rc) rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc && repr)
        rc = array_put_repr_with(vm, a, &o, &s);
    else if (!rc && a->ndim == 0)
        rc = vm_str(vm, argv[0], &s);
    else if (!rc)
        rc = array_put(vm, a, &o, &(array_margins){" ", 0, 0}, &s);
    if (!rc) rc = native_return(v_str_take(vm, &s), out);
    str_free(&s);
    arr_release(vm_rt(vm), a);
    value_release(vm, d);
    return rc;
}

gpa_code print_repr(gpa_vm *vm, value *argv, value *out) { return array_text(vm, argv, true, out); }
gpa_code print_str(gpa_vm *vm, value *argv, value *out) { return array_text(vm, argv, false, out); }

/* ---- single floats ---- */

/* A non-negative int, or None: -1. */
static gpa_code count_or_none(gpa_vm *vm, value v, const char *name, int *out) {
    int64_t i = -1;
    gpa_code rc = v.tag == V_NONE ? GPA_OK : arg_int(vm, v, name, &i);
    if (!rc && v.tag != V_NONE && i < 0) return vm_fail(vm, GPA_E_VALUE, "%s must be >= 0", name);
    *out = (int)MIN(i, 5000);
    return rc;
}

/* The arguments that format_float_positional and format_float_scientific share. */
typedef struct {
    value precision, unique, trim, sign, pad_left, min_digits;
} float_args;

static gpa_code float_form_of(gpa_vm *vm, const float_args *a, float_form *f) {
    *f = (float_form){.exp_digits = -1, .pad_right = -1, .fractional = true};
    gpa_code rc = count_or_none(vm, a->precision, "precision", &f->precision);
    if (!rc) rc = count_or_none(vm, a->pad_left, "pad_left", &f->pad_left);
    if (!rc) rc = count_or_none(vm, a->min_digits, "min_digits", &f->min_digits);
    if (!rc) rc = value_truth(vm, a->unique, &f->unique);
    if (!rc) rc = value_truth(vm, a->sign, &f->sign);
    if (rc) return rc;
    if (f->min_digits > 0 && f->precision > 0 && f->min_digits > f->precision)
        return vm_fail(vm, GPA_E_VALUE, "min_digits must be less than or equal to precision");
    if (!f->unique && f->precision < 0)
        return vm_fail(vm, GPA_E_TYPE, "in non-unique mode `precision` must be supplied");
    value trim = a->trim;
    if (trim.tag != V_STR || trim.str->size != 1 || !strchr("k.0-", trim.str->text[0]))
        return vm_fail(vm, GPA_E_TYPE, "if supplied, trim must be 'k', '.', '0' or '-' found `%s`",
                       trim.tag == V_STR ? trim.str->text : "?");
    f->trim = trim.str->text[0];
    return GPA_OK;
}

/* The number to print in its own dtype: that of a NumPy scalar, else float64. */
static gpa_code float_arg(gpa_vm *vm, value v, double *x, gpa_dtype *t) {
    value now;
    gpa_code rc = value_computed(vm, v, &now);
    if (rc) return rc;
    *t = now.tag == V_NUM && dtype_is_float((gpa_dtype)now.aux) ? (gpa_dtype)now.aux : DT_F64;
    rc = arg_float(vm, now, "x", x);
    value_release(vm, now);
    return rc;
}

static gpa_code give_float(gpa_vm *vm, value v, const float_form *f, bool scientific, value *out) {
    double x;
    gpa_dtype t;
    gpa_code rc = float_arg(vm, v, &x, &t);
    if (rc) return rc;
    gpa_str s;
    str_init(&s);
    if (!isfinite(x))
        str_put(&s, isnan(x) ? "nan" : x < 0 ? "-inf" : f->sign ? "+inf" : "inf");
    else if (scientific)
        float_scientific(&s, x, t, f);
    else
        float_positional(&s, x, t, f);
    return native_return(v_str_take(vm, &s), out);
}

gpa_code print_positional(gpa_vm *vm, value *argv, value *out) {
    float_form f;
    gpa_code rc =
        float_form_of(vm, &(float_args){argv[1], argv[2], argv[4], argv[5], argv[6], argv[8]}, &f);
    if (!rc) rc = count_or_none(vm, argv[7], "pad_right", &f.pad_right);
    if (!rc) rc = value_truth(vm, argv[3], &f.fractional);
    if (!rc && !f.fractional && f.precision == 0)
        rc = vm_fail(vm, GPA_E_VALUE, "precision must be greater than 0 if fractional=False");
    return rc ? rc : give_float(vm, argv[0], &f, false, out);
}

gpa_code print_scientific(gpa_vm *vm, value *argv, value *out) {
    float_form f;
    gpa_code rc =
        float_form_of(vm, &(float_args){argv[1], argv[2], argv[3], argv[4], argv[5], argv[7]}, &f);
    if (!rc) rc = count_or_none(vm, argv[6], "exp_digits", &f.exp_digits);
    return rc ? rc : give_float(vm, argv[0], &f, true, out);
}
