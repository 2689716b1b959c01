/* @jit, @njit, @autojit: the decorators, and dispatch by signature. Loops are compiled when they
 * are reached (lift.h). With signatures, arguments and result are cast to the declared types. */
#include "lang/typed/all.h"
#include "lang/vm/kinds.h"
#include "lang/numpy/numpy.h"
#include "lang/typed/typed.h"

enum { FUNCTION, SIGNATURES, FIELDS };

/* ---- functions with signatures ---- */

static const char *name_of(gpa_vm *vm, const object_obj *o) {
    return func_name(vm, o->fields[FUNCTION].func);
}

/* Casts an argument to a signature's type; *fits false: the casting rule forbids it. */
static gpa_code cast_argument(gpa_vm *vm, value v, typed_ty t, gpa_casting how, bool *fits,
                              value *out) {
    gpa_opnd o = {0};
    gpa_code rc = arg_opnd(vm, v, &o);
    if (rc) return rc;
    *fits = (o.arr ? o.arr->ndim + 1 : 0) == t.rank;
    if (*fits && o.arr) *fits = o.arr->dtype == t.dtype;
    if (*fits && !o.arr) *fits = typed_may_cast(typed_of(&o), (gpa_dtype)t.dtype, how);
    if (*fits)
        *out = o.arr ? value_retain(v)
                     : v_num(vm, (gpa_dtype)t.dtype, dtype_cast(o.v, o.dtype, (gpa_dtype)t.dtype));
    arg_opnd_release(vm, &o);
    return out->tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
}

static gpa_code cast_result(gpa_vm *vm, typed_ty t, value v, value *out) {
    bool fits;
    *out = v_none();
    if (t.dtype == DT_NONE || t.rank || v.tag == V_NONE || v.tag == V_TUPLE || v.tag == V_ARRAY) {
        *out = value_retain(v);
        return GPA_OK;
    }
    gpa_code rc = cast_argument(vm, v, t, CAST_SAME_KIND, &fits, out);
    if (!rc && !fits) *out = value_retain(v);
    return rc;
}

/* A signature to try: the rule that its arguments may be cast by, and their number in the call. */
typedef struct {
    typed_signature signature;
    gpa_casting rule;
    int n_args;
} overload;

/* Calls the function if its arguments can be cast to a signature by the rule. */
static gpa_code try_signature(gpa_vm *vm, object_obj *o, const overload *v, const value *args,
                              bool *fits, value *out) {
    const typed_signature *s = &v->signature;
    value cast[BODY_MAX_IN], result = v_none(), typed = v_none();
    gpa_code rc = GPA_OK;
    int have = 0;
    *fits = s->n == v->n_args;
    for (; have < s->n && *fits; have++) {
        cast[have] = v_none();
        TRY(cast_argument(vm, args[have], s->args[have], v->rule, fits, &cast[have]));
    }
    if (!*fits) goto out;
    TRY(vm_call(vm, o->fields[FUNCTION], ARGS((size_t)s->n, cast), &result));
    TRY(cast_result(vm, s->result, result, &typed));
    if (vm_in_jitted(vm))
        *out = value_retain(typed);
    else
        rc = value_to_python(vm, typed, out);
out:
    for (int i = 0; i < have; i++) value_release(vm, cast[i]);
    value_release(vm, result);
    value_release(vm, typed);
    return rc;
}

static gpa_code call(gpa_vm *vm, object_obj *o, const call_args *a, value *out) {
    static const gpa_casting rules[] = TYPED_RULES;
    const list_obj *list = o->fields[SIGNATURES].list;
    value bound[BODY_MAX_IN];
    const value *args = a->values;
    int n = (int)a->n;
    if (a->n_named) {
        gpa_code rc = typed_bind(vm, o->fields[FUNCTION].func, a, bound, &n);
        if (rc) return rc;
        args = bound;
    }
    for (size_t i = 0; i < TYPED_N_RULES * list->count; i++) {
        overload v = {.rule = rules[i / list->count], .n_args = n};
        bool fits;
        gpa_code rc = typed_read_signature(vm, list->items[i % list->count], &v.signature);
        if (!rc) rc = try_signature(vm, o, &v, args, &fits, out);
        if (rc || fits) return rc;
    }
    gpa_str have;
    str_init(&have);
    for (int i = 0; i < n; i++) {
        gpa_opnd x = {0};
        bool convertible = args[i].tag != V_STR && !arg_opnd(vm, args[i], &x);
        if (!convertible) vm_clear_error(vm);
        str_printf(&have, "%s%s", i ? ", " : "",
                   !convertible ? value_type_name(args[i])
                                : typed_name(x.arr ? typed_of_array(x.arr) : typed_of(&x)));
        arg_opnd_release(vm, &x);
    }
    gpa_code rc =
        vm_fail(vm, GPA_E_TYPE, "No matching definition for argument type(s) %s", have.text);
    str_free(&have);
    return rc;
}

static gpa_code repr(gpa_vm *vm, object_obj *o, gpa_str *out) {
    str_printf(out, "CPUDispatcher(<function %s>)", name_of(vm, o));
    return GPA_OK;
}

const object_kind jitted_kind = {
    .type_name = "numba.CPUDispatcher", .binds = true, .call = call, .repr = repr};

/* ---- decorators ---- */

/* numba.config.DISABLE_JIT: decorators return the function as it is. */
static gpa_code jit_disabled(gpa_vm *vm, bool *disabled) {
    module_obj *config;
    gpa_code rc = vm_import(vm, "numba.config", &config);
    value v = rc ? v_none() : module_get_text_peek(vm, config, "DISABLE_JIT");
    return rc ? rc : value_truth(vm, v, disabled);
}

gpa_code jitted_new(gpa_vm *vm, value fn, value signatures, bool numpy_errors, value *out) {
    value f = v_none();
    if (fn.tag != V_FUNC)
        return vm_fail(vm, GPA_E_TYPE, "@jit takes a function, not '%s'", value_type_name(fn));
    bool disabled;
    gpa_code rc = jit_disabled(vm, &disabled);
    if (rc) return rc;
    if (disabled) {
        *out = value_retain(fn);
        return GPA_OK;
    }
    rc = func_jitted(vm, fn, numpy_errors, &f);
    if (rc || signatures.tag == V_NONE) {
        *out = f;
        return rc;
    }
    value o = v_object(vm, &jitted_kind, FIELDS);
    if (o.tag == V_UNSET) {
        value_release(vm, f);
        return GPA_E_MEMORY;
    }
    o.object->fields[FUNCTION] = f;
    o.object->fields[SIGNATURES] = value_retain(signatures);
    *out = o;
    return GPA_OK;
}

/* The decorator object that @jit(...) returns: signatures or None, and the error model (true:
 * NumPy's). */
enum { WITH_SIGNATURES, WITH_NUMPY_ERRORS, WITH_FIELDS };

static gpa_code with_call(gpa_vm *vm, object_obj *o, const call_args *a, value *out) {
    if (a->n != 1 || a->n_named)
        return vm_fail(vm, GPA_E_TYPE, "a decorator takes the function alone");
    return jitted_new(vm, a->values[0], o->fields[WITH_SIGNATURES], o->fields[WITH_NUMPY_ERRORS].i,
                      out);
}

static const object_kind jit_with_kind = {.type_name = "numba.jit", .call = with_call};

/* jit(target='gpu') defined kernels in versions of Numba before cuda.jit. */
static bool for_gpu(gpa_vm *vm, value options) {
    value v = options.tag == V_DICT ? dict_text_peek(vm, options.dict, "target") : v_unset();
    return v.tag == V_STR && (strcmp(v.str->text, "gpu") == 0 || strcmp(v.str->text, "cuda") == 0);
}

/* error_model: 'python' raises ZeroDivisionError, 'numpy' gives infinities and NaN. */
static gpa_code read_error_model(gpa_vm *vm, value options, bool *numpy_errors) {
    value v = options.tag == V_DICT ? dict_text_peek(vm, options.dict, "error_model") : v_unset();
    *numpy_errors = v.tag == V_STR && strcmp(v.str->text, "numpy") == 0;
    if (v.tag == V_UNSET || *numpy_errors || (v.tag == V_STR && strcmp(v.str->text, "python") == 0))
        return GPA_OK;
    return vm_fail(vm, GPA_E_VALUE, "error_model is 'python' or 'numpy'");
}

gpa_code numba_jit(gpa_vm *vm, value *argv, value *out) { /* signature_or_function, **options */
    value list;
    bool numpy_errors;
    if (for_gpu(vm, argv[1]))
        return cuda_jit(vm, (value[]){argv[0], v_unset(), v_bool(false), argv[1]}, out);
    gpa_code rc = read_error_model(vm, argv[1], &numpy_errors);
    if (rc) return rc;
    if (argv[0].tag == V_FUNC) return jitted_new(vm, argv[0], v_none(), numpy_errors, out);
    rc = typed_signatures(vm, argv[0], &list);
    if (rc) return rc;
    value o = v_object(vm, &jit_with_kind, WITH_FIELDS);
    if (o.tag == V_UNSET) {
        value_release(vm, list);
        return GPA_E_MEMORY;
    }
    o.object->fields[WITH_SIGNATURES] = list;
    o.object->fields[WITH_NUMPY_ERRORS] = v_bool(numpy_errors);
    *out = o;
    return GPA_OK;
}

gpa_code jitted_py_func(gpa_vm *vm, value *argv, value *out) {
    value fn = argv[0].tag == V_FUNC ? argv[0] : argv[0].object->fields[FUNCTION];
    return vm_attr(vm, fn, "py_func", out);
}
