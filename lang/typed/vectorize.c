/* @vectorize: scalar functions as ufuncs.
 *
 * A call infers the types from its operands, finds or compiles the specialization, and creates a
 * lazy node. With signatures, the first one to whose types the operands can be cast safely is
 * used, as NumPy selects a loop.
 *
 * Reading order: signatures, calls, attributes, decorators; the methods are in methods.c. */
#include <stdio.h>
#include <string.h>

#include "lang/typed/all.h"
#include "lang/typed/body_arrays.h"
#include "lang/vm/kinds.h"
#include "lang/object/container.h"
#include "lang/numpy/numpy.h"
#include "lang/typed/typed.h"
#include "runtime/tape.h"

enum { FUNCTION, SIGNATURES, FOLDS = VECTORIZED_FOLDS, GPU, FIELDS }; /* GPU: target='cuda' */

uint32_t vectorized_arity(const object_obj *o) {
    return func_node(o->fields[FUNCTION].func)->function.scope->n_positional;
}

static const char *name_of(gpa_vm *vm, const object_obj *o) {
    return func_name(vm, o->fields[FUNCTION].func);
}

/* ---- signatures ---- */

/* The types to compile for: those of the first signature that matches, else the operands' own. */
static gpa_code choose_types(gpa_vm *vm, const object_obj *o, const gpa_opnd *in, int n,
                             gpa_dtype loop, typed_signature *s) {
    value list = o->fields[SIGNATURES];
    s->n = n;
    s->result = (typed_ty){.dtype = (uint8_t)loop};
    for (int i = 0; i < n; i++)
        s->args[i] = loop == DT_NONE ? typed_of(&in[i]) : (typed_ty){.dtype = (uint8_t)loop};
    if (list.tag == V_NONE || loop != DT_NONE) return GPA_OK;
    return typed_match_signature(
        vm, o->fields[FUNCTION].func, list,
        (typed_operands){.in = in, .n = n, .n_types = n, .scalars_convert = o->fields[GPU].i != 0},
        s);
}

/* ---- calls ---- */

typedef struct {
    value out, where, dtype, casting, signature;
} keywords;

static const keywords no_keywords = {
    {.tag = V_UNSET}, {.tag = V_UNSET}, {.tag = V_UNSET}, {.tag = V_UNSET}, {.tag = V_UNSET}};

static gpa_code bind(gpa_vm *vm, const object_obj *o, size_t n_kw, const value *names,
                     const value *values, keywords *k) {
    for (size_t i = 0; i < n_kw; i++) {
        const char *s = names[i].str->text;
        if (strcmp(s, "out") == 0)
            k->out = values[i];
        else if (strcmp(s, "where") == 0)
            k->where = values[i];
        else if (strcmp(s, "dtype") == 0)
            k->dtype = values[i];
        else if (strcmp(s, "casting") == 0)
            k->casting = values[i];
        else if (strcmp(s, "signature") == 0 || strcmp(s, "sig") == 0)
            k->signature = values[i];
        else if (strcmp(s, "stream") == 0 && o->fields[GPU].i)
            continue; /* results wait for their operands, whichever stream they were copied on */
        else
            return vm_fail(vm, GPA_E_TYPE, "%s() got an unexpected keyword argument '%s'",
                           name_of(vm, o), s);
    }
    return GPA_OK;
}

/* The type of the loop that a string like "dd->d" names, which is the same for all operands. */
static gpa_code loop_type(gpa_vm *vm, const object_obj *o, value v, gpa_dtype *out) {
    if (v.tag != V_STR || v.str->size == 0)
        return vm_fail(vm, GPA_E_TYPE,
                       "the signature object to ufunc must be a string or a tuple.");
    const char *s = v.str->text;
    *out = dtype_find(s, 1);
    for (; *s; s++)
        if (*s != '-' && *s != '>' && dtype_find(s, 1) != *out) *out = DT_NONE;
    if (*out != DT_NONE) return GPA_OK;
    return vm_fail(vm, GPA_E_TYPE,
                   "No loop matching the specified signature and casting was found for ufunc %s",
                   name_of(vm, o));
}

static void convert_scalars(gpa_opnd *in, int n, const typed_signature *s) {
    for (int i = 0; i < n; i++) {
        gpa_dtype to = (gpa_dtype)s->args[i].dtype;
        if (in[i].arr) continue;
        in[i].v = dtype_cast(in[i].v, in[i].dtype, to);
        in[i].dtype = to;
        in[i].weak = WEAK_NO;
    }
}

/* The specialization for n operands, after which its numbers are put. */
static gpa_code specialize(gpa_vm *vm, object_obj *o, gpa_opnd *in, int n,
                           const arr_ufunc_opts *opts, typed_fn **out) {
    typed_signature s;
    typed_fn *compiled = o->data;
    gpa_code rc = choose_types(vm, o, in, n, opts->dtype, &s);
    if (!rc && o->fields[GPU].i) convert_scalars(in, n, &s);
    for (int i = 0; i < n && !rc; i++)
        if (in[i].weak == WEAK_NO)
            rc = ufunc_check_input(vm, name_of(vm, o), &in[i], i, (gpa_dtype)s.args[i].dtype,
                                   opts->casting);
    if (rc) return rc;
    rc = typed_get(
        vm, &compiled, o->fields[FUNCTION].func,
        &(typed_request){
            .form = TYPED_BODY, .args = s.args, .n = n, .result = (gpa_dtype)s.result.dtype},
        out);
    o->data = compiled;
    return rc ? rc : typed_numbers(vm, *out, in + n);
}

static gpa_code run(gpa_vm *vm, object_obj *o, gpa_opnd *in, int n, arr_ufunc_opts *opts,
                    gpa_arr **out) {
    typed_fn *t;
    gpa_code rc = specialize(vm, o, in, n, opts, &t);
    return rc ? rc : arr_apply(vm_rt(vm), t->body, in, opts, out, vm_err(vm));
}

gpa_code vectorized_on_arrays(gpa_vm *vm, value *argv, value *out) { /* self, operands */
    object_obj *o = argv[0].object;
    const int n = (int)vectorized_arity(o);
    gpa_opnd in[BODY_MAX_IN] = {0};
    const arr_ufunc_opts opts = {.dtype = DT_NONE};
    gpa_arr *result;
    typed_fn *t;
    gpa_code rc = GPA_OK;
    *out = v_none();
    if (argv[1].tag != V_TUPLE || argv[1].tuple->count != (size_t)n)
        return vm_fail(vm, GPA_E_TYPE, "a tuple of %d operands is required", n);
    for (int i = 0; i < n; i++) TRY(arg_opnd(vm, argv[1].tuple->items[i], &in[i]));
    TRY(specialize(vm, o, in, n, &opts, &t));
    if (!body_is_unrolled(t->body)) goto out;
    TRY(body_on_arrays(vm_rt(vm), t->body, in, &result, vm_err(vm)));
    rc = np_return(vm, result, out);
out:
    for (int i = 0; i < n; i++) arg_opnd_release(vm, &in[i]);
    return rc;
}

/* True if a tape records what is computed from an operand, of a call without keywords. */
static bool is_traced(gpa_vm *vm, const gpa_opnd *in, int n, const keywords *k) {
    bool traced = false;
    for (int i = 0; i < n; i++) traced |= tape_is_active(vm_rt(vm), in[i].arr);
    return traced && k->out.tag == no_keywords.out.tag && k->where.tag == no_keywords.where.tag &&
           k->dtype.tag == no_keywords.dtype.tag && k->signature.tag == no_keywords.signature.tag;
}

/* The call as one operation of the tapes (autograd._special). */
static gpa_code call_traced(gpa_vm *vm, object_obj *o, const value *args, int n, value *out) {
    value fn = v_none(),
          argv[] = {(value){.tag = V_OBJECT, .object = o}, v_tuple(vm, (size_t)n, args)};
    gpa_code rc = argv[1].tag == V_UNSET ? GPA_E_MEMORY : np_library_func(vm, "_traced_ufunc", &fn);
    if (!rc) rc = vm_call(vm, fn, ARGS(2, argv), out);
    value_release(vm, argv[1]);
    value_release(vm, fn);
    return rc;
}

static gpa_code apply(gpa_vm *vm, object_obj *o, const value *args, const keywords *k, value *out) {
    int n = (int)vectorized_arity(o);
    gpa_opnd in[BODY_MAX_IN] = {0};
    gpa_arr *where = NULL, *result = NULL;
    arr_ufunc_opts opts = {.dtype = DT_NONE};
    gpa_code rc = GPA_OK;
    for (int i = 0; i < n; i++) TRY(arg_opnd(vm, args[i], &in[i]));
    if (is_traced(vm, in, n, k)) {
        rc = call_traced(vm, o, args, n, out);
        goto out;
    }
    TRY(arg_dtype(vm, k->dtype, &opts.dtype));
    TRY(arg_casting(vm, k->casting, &opts.casting));
    if (k->signature.tag != V_UNSET) TRY(loop_type(vm, o, k->signature, &opts.dtype));
    TRY(arg_out(vm, k->out, &opts.into));
    if (k->where.tag != V_UNSET && !(k->where.tag == V_BOOL && k->where.i))
        TRY(arg_array(vm, k->where, DT_BOOL, &where));
    opts.where = where;
    TRY(run(vm, o, in, n, &opts, &result));
    if (opts.into) {
        arr_release(vm_rt(vm), result);
        *out = value_retain(k->out.tag == V_TUPLE ? k->out.tuple->items[0] : k->out);
    } else {
        rc = np_return(vm, result, out);
    }
out:
    for (int i = 0; i < n; i++) arg_opnd_release(vm, &in[i]);
    arr_release(vm_rt(vm), where);
    return rc;
}

static gpa_code call(gpa_vm *vm, object_obj *o, const call_args *a, value *out) {
    keywords k = no_keywords;
    size_t arity = vectorized_arity(o);
    gpa_code rc = bind(vm, o, a->n_named, a->names, a->values + a->n, &k);
    if (rc) return rc;
    if (a->n < arity || a->n > arity + 1)
        return vm_fail(vm, GPA_E_TYPE,
                       "%s() takes from %zu to %zu positional arguments but %zu were given",
                       name_of(vm, o), arity, arity + 1, a->n);
    if (a->n == arity + 1) k.out = a->values[arity];
    return apply(vm, o, a->values, &k, out);
}

gpa_code vectorized_call(gpa_vm *vm, object_obj *o, const value *args, value *out) {
    return apply(vm, o, args, &no_keywords, out);
}

static void free_specializations(gpa_vm *vm, object_obj *o) { typed_free_all(vm, o->data); }

static gpa_code repr(gpa_vm *vm, object_obj *o, gpa_str *out) {
    const bool declared = o->fields[SIGNATURES].tag == V_LIST;
    str_printf(out, declared ? "<ufunc '%s'>" : "<numba._DUFunc '%s'>", name_of(vm, o));
    return GPA_OK;
}

const object_kind vectorized_kind = {
    .type_name = "numba.DUFunc", .free = free_specializations, .call = call, .repr = repr};

/* ---- attributes ---- */

gpa_code typed_nin(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_int(vectorized_arity(argv[0].object));
    return GPA_OK;
}

gpa_code typed_nout(gpa_vm *vm, value *argv, value *out) {
    (void)vm, (void)argv;
    *out = v_int(1);
    return GPA_OK;
}

gpa_code typed_nargs(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_int(vectorized_arity(argv[0].object) + 1);
    return GPA_OK;
}

/* Appends a signature in NumPy's notation, "dd->d", of n_in inputs. */
static gpa_code append_types(gpa_vm *vm, const typed_ty *types, int n_in, int n, value list) {
    gpa_str text;
    str_init(&text);
    for (int i = 0; i < n; i++) {
        if (i == n_in) str_printf(&text, "->");
        str_putc(&text, types[i].dtype == DT_NONE ? '?' : dtype_info[types[i].dtype].np_char);
    }
    value v = v_str_take(vm, &text);
    gpa_code rc = v.tag == V_UNSET ? GPA_E_MEMORY : list_append(vm, list.list, v);
    value_release(vm, v);
    return rc;
}

static uint8_t result_dtype(const typed_fn *t) {
    return t->form == TYPED_BODY ? t->body->dtype[0] : (uint8_t)DT_NONE;
}

/* True if a specialization compiled before t takes t's arguments by safe casts and has its result
 * type: Numba then compiles no other one. */
static bool is_covered(const typed_fn *all, const typed_fn *t) {
    for (const typed_fn *s = all; s; s = s->next) {
        bool fits = s->serial < t->serial && s->form == t->form && s->n_args == t->n_args &&
                    result_dtype(s) == result_dtype(t);
        for (int i = 0; i < t->n_args && fits; i++)
            fits =
                dtype_can_cast((gpa_dtype)t->args[i].dtype, (gpa_dtype)s->args[i].dtype, CAST_SAFE);
        if (fits) return true;
    }
    return false;
}

/* The specialization with the lowest serial number from `from` on, or NULL. */
static const typed_fn *next_compiled(const typed_fn *all, size_t from) {
    const typed_fn *best = NULL;
    for (const typed_fn *t = all; t; t = t->next)
        if (t->serial >= from && (!best || t->serial < best->serial)) best = t;
    return best;
}

static gpa_code types_of_calls(gpa_vm *vm, const typed_fn *all, int n_in, value list) {
    gpa_code rc = GPA_OK;
    for (const typed_fn *t = next_compiled(all, 0); t && !rc;
         t = next_compiled(all, t->serial + 1)) {
        typed_ty types[BODY_MAX_IN + 1];
        const bool body = t->form == TYPED_BODY;
        if (is_covered(all, t)) continue;
        memcpy(types, t->args, (size_t)t->n_args * sizeof *types);
        if (body) types[t->n_args] = (typed_ty){.dtype = result_dtype(t)};
        rc = append_types(vm, types, n_in, t->n_args + body, list);
    }
    return rc;
}

gpa_code typed_list_types(gpa_vm *vm, value declared, const typed_fn *compiled, int n_in,
                          value *out) {
    gpa_code rc = native_return(v_list(vm, 0, NULL), out);
    if (rc) return rc;
    if (declared.tag != V_LIST) rc = types_of_calls(vm, compiled, n_in, *out);
    for (size_t k = 0; !rc && declared.tag == V_LIST && k < declared.list->count; k++) {
        typed_signature s;
        typed_ty types[BODY_MAX_IN + 1];
        if ((rc = typed_read_signature(vm, declared.list->items[k], &s))) break;
        memcpy(types, s.args, (size_t)s.n * sizeof *types);
        types[s.n] = s.result;
        rc = append_types(vm, types, n_in, s.n == n_in ? s.n + 1 : s.n, *out);
    }
    if (rc) value_release(vm, *out);
    return rc;
}

gpa_code typed_types(gpa_vm *vm, value *argv, value *out) {
    const object_obj *o = argv[0].object;
    return typed_list_types(vm, o->fields[SIGNATURES], o->data, (int)vectorized_arity(o), out);
}

gpa_code typed_ntypes(gpa_vm *vm, value *argv, value *out) {
    value list = v_unset();
    gpa_code rc = typed_types(vm, argv, &list);
    if (rc) return rc;
    *out = v_int((int64_t)list.list->count);
    value_release(vm, list);
    return GPA_OK;
}

/* The identity element of a compiled function is unknown. */
gpa_code typed_identity(gpa_vm *vm, value *argv, value *out) {
    (void)vm, (void)argv;
    *out = v_none();
    return GPA_OK;
}

gpa_code typed_py_func(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = value_retain(argv[0].object->fields[FUNCTION]);
    return GPA_OK;
}

/* Field 0 of every compiled function is the original function. */
gpa_code typed_doc(gpa_vm *vm, value *argv, value *out) {
    return vm_attr(vm, argv[0].object->fields[FUNCTION], "__doc__", out);
}

gpa_code typed_func_name(gpa_vm *vm, value *argv, value *out) {
    return native_return(v_cstr(vm, name_of(vm, argv[0].object)), out);
}

/* ---- decorators ---- */

/* Compiles for each signature eagerly, so that type errors are raised at the definition. */
static gpa_code compile_signatures(gpa_vm *vm, object_obj *o) {
    value list = o->fields[SIGNATURES];
    gpa_code rc = GPA_OK;
    for (size_t i = 0; list.tag == V_LIST && i < list.list->count && !rc; i++) {
        typed_signature s;
        typed_fn *compiled = o->data, *t;
        rc = typed_signature_for(vm, o->fields[FUNCTION].func, list, i, &s);
        if (!rc)
            rc = typed_get(vm, &compiled, o->fields[FUNCTION].func,
                           &(typed_request){.form = TYPED_BODY,
                                            .args = s.args,
                                            .n = s.n,
                                            .result = (gpa_dtype)s.result.dtype},
                           &t);
        o->data = compiled;
    }
    return rc;
}

static gpa_code make(gpa_vm *vm, value fn, value signatures, bool gpu, value *out) {
    if (fn.tag != V_FUNC)
        return vm_fail(vm, GPA_E_TYPE, "@vectorize takes a function, not '%s'",
                       value_type_name(fn));
    value o = v_object(vm, &vectorized_kind, FIELDS);
    if (o.tag == V_UNSET) return GPA_E_MEMORY;
    o.object->fields[FUNCTION] = value_retain(fn);
    o.object->fields[SIGNATURES] = value_retain(signatures);
    o.object->fields[GPU] = v_bool(gpu);
    uint32_t n = vectorized_arity(o.object);
    bool fits = n >= 1 && n <= BODY_MAX_IN;
    gpa_code rc = fits ? compile_signatures(vm, o.object)
                       : vm_fail(vm, GPA_E_TYPE, "a ufunc has from 1 to %d arguments", BODY_MAX_IN);
    return native_finish(vm, rc, o, out);
}

/* The decorator object that @vectorize(...) returns; fields: the list of signatures or None, and
 * whether the target is a GPU. */
static gpa_code decorator_call(gpa_vm *vm, object_obj *o, const call_args *a, value *out) {
    if (a->n != 1 || a->n_named)
        return vm_fail(vm, GPA_E_TYPE, "a decorator takes the function alone");
    return make(vm, a->values[0], o->fields[0], o->fields[1].i != 0, out);
}

const object_kind vectorize_with_kind = {.type_name = "numba.vectorize", .call = decorator_call};

gpa_code numba_vectorize(gpa_vm *vm, value *argv,
                         value *out) { /* ftylist_or_function, target, **kws */
    value list, o;
    bool gpu = false;
    gpa_code rc = typed_check_target(vm, argv[1], &gpu);
    if (rc) return rc;
    if (argv[0].tag == V_FUNC) return make(vm, argv[0], v_none(), gpu, out);
    if ((rc = typed_signatures(vm, argv[0], &list))) return rc;
    o = v_object(vm, &vectorize_with_kind, 2);
    if (o.tag == V_UNSET) TRY(GPA_E_MEMORY);
    o.object->fields[0] = value_retain(list);
    o.object->fields[1] = v_bool(gpu);
    *out = o;
out:
    value_release(vm, list);
    return rc;
}

gpa_code numba_prange(gpa_vm *vm, value *argv, value *out) { /* start, stop, step */
    int64_t at[3] = {0, 0, 1};
    bool one = argv[1].tag == V_UNSET;
    gpa_code rc = arg_int(vm, argv[0], "start", &at[one ? 1 : 0]);
    if (!rc && !one) rc = arg_int(vm, argv[1], "stop", &at[1]);
    if (!rc && argv[2].tag != V_UNSET) rc = arg_int(vm, argv[2], "step", &at[2]);
    if (!rc && at[2] == 0) rc = vm_fail(vm, GPA_E_VALUE, "range() arg 3 must not be zero");
    return rc ? rc : native_return(v_range(vm, at[0], at[1], at[2]), out);
}
