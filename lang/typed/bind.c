/* Argument binding: positional and keyword arguments of a call to the parameters of a compiled
 * function, with defaults.
 *
 * Compiled functions have named parameters only. **kwargs is not supported; *args only in
 * inlined calls (inline.c). */
#include "lang/typed/all.h"
#include "lang/object/container.h"
#include "lang/typed/typed.h"

static const char *param_name(gpa_vm *vm, const func_obj *fn, size_t i) {
    return intern_text(vm_names(vm), func_node(fn)->function.scope->vars[i].name);
}

static gpa_code bind_keyword(gpa_vm *vm, const func_obj *fn, value name, value v, value *to) {
    const ast_scope *s = func_node(fn)->function.scope;
    gpa_sym sym = intern_find(vm_names(vm), name.str->text, name.str->size);
    for (size_t i = s->n_positional_only; sym && i < s->n_positional + s->n_keyword_only; i++) {
        if (s->vars[i].name != sym) continue;
        if (to[i].tag != V_UNSET)
            return vm_fail(vm, GPA_E_TYPE, "multiple values for argument '%s'", name.str->text);
        to[i] = v;
        return GPA_OK;
    }
    return vm_fail(vm, GPA_E_TYPE, "got an unexpected keyword argument '%s'", name.str->text);
}

value typed_default_peek(gpa_vm *vm, const func_obj *fn, size_t i) {
    size_t positional = func_node(fn)->function.scope->n_positional,
           n = fn->defaults.tag == V_TUPLE ? fn->defaults.tuple->count : 0;
    if (i >= positional)
        return fn->kwdefaults.tag == V_DICT
                   ? dict_text_peek(vm, fn->kwdefaults.dict, param_name(vm, fn, i))
                   : v_unset();
    return i + n >= positional ? fn->defaults.tuple->items[i + n - positional] : v_unset();
}

gpa_code typed_bind(gpa_vm *vm, const func_obj *fn, const call_args *a, value *to, int *n_out) {
    const ast_scope *s = func_node(fn)->function.scope;
    size_t want = s->n_positional + s->n_keyword_only, n = a->n;
    gpa_code rc = GPA_OK;
    if (s->has_args || s->has_kwargs)
        return vm_fail(vm, GPA_E_UNSUPPORTED,
                       "%s() has * parameters: they cannot be compiled for a call from the host",
                       func_name(vm, fn));
    if (want > BODY_MAX_IN)
        return vm_fail(vm, GPA_E_UNSUPPORTED, "a compiled function has at most %d arguments",
                       BODY_MAX_IN);
    if (n > s->n_positional) return vm_fail(vm, GPA_E_TYPE, "too many positional arguments");
    for (size_t i = 0; i < want; i++) to[i] = i < n ? a->values[i] : v_unset();
    for (size_t i = 0; i < a->n_named && !rc; i++)
        rc = bind_keyword(vm, fn, a->names[i], a->values[n + i], to);
    for (size_t i = n; i < want && !rc; i++) {
        if (to[i].tag == V_UNSET) to[i] = typed_default_peek(vm, fn, i);
        if (to[i].tag == V_UNSET)
            rc =
                vm_fail(vm, GPA_E_TYPE, "missing a required argument: '%s'", param_name(vm, fn, i));
    }
    *n_out = (int)want;
    return rc;
}

/* A function's positional parameter names, as a tuple. */
gpa_code typed_parameters(gpa_vm *vm, value *argv, value *out) {
    value names[BODY_MAX_IN];
    if (argv[0].tag != V_FUNC)
        return vm_fail(vm, GPA_E_TYPE, "a function is needed here, not a '%s'",
                       value_type_name(argv[0]));
    size_t n = MIN(func_node(argv[0].func)->function.scope->n_positional, (size_t)BODY_MAX_IN),
           have = 0;
    gpa_code rc = GPA_OK;
    for (; have < n && !rc; have++) {
        names[have] = v_cstr(vm, param_name(vm, argv[0].func, have));
        if (names[have].tag == V_UNSET) rc = GPA_E_MEMORY;
    }
    if (!rc) rc = native_return(v_tuple(vm, n, names), out);
    for (size_t i = 0; i < have; i++) value_release(vm, names[i]);
    return rc;
}
