/* eval(), exec(), globals() and locals(): texts and variables in the scope of the calling function.
 */
#include "lang/builtin/all.h"
#include "lang/object/container.h"
#include "lang/vm/machine.h"
#include "lang/vm/vm.h"

/* The value of a variable of a frame; UNSET if it is not bound. Borrowed. */
static value variable_peek(value v) { return v.tag == V_CELL ? v.cell->v : v; }

/* The frame that calls a built-in function; NULL: none, as in a function of atexit. */
static const frame *caller(const gpa_vm *vm) {
    return vm->depth ? &vm->frames[vm->depth - 1] : NULL;
}

static module_obj *module_at(gpa_vm *vm, const frame *f) { return f ? f->module : vm_main(vm); }

/* The variables of a function, with their values; nothing at the top level. */
static gpa_code variables_of(gpa_vm *vm, const frame *f, value *out) {
    gpa_code rc = native_return(v_dict(vm), out);
    if (rc || !f) return rc;
    for (uint32_t i = 0; f->fn && i < f->code->scope->n_vars && !rc; i++) {
        value v = variable_peek(f->regs[i]);
        if (v.tag != V_UNSET)
            rc = dict_set_text(vm, out->dict,
                               intern_text(vm_names(vm), f->code->scope->vars[i].name), v);
    }
    for (uint32_t i = 0; f->fn && i < f->code->scope->n_frees && !rc; i++) {
        value v = variable_peek(f->free[i]);
        if (v.tag != V_UNSET)
            rc = dict_set_text(vm, out->dict,
                               intern_text(vm_names(vm), f->code->scope->frees[i].name), v);
    }
    return rc;
}

gpa_code core_globals(gpa_vm *vm, value *argv, value *out) {
    module_obj *m = module_at(vm, caller(vm));
    (void)argv;
    return module_dict(vm, m->globals ? m->globals : m, out);
}

gpa_code core_import(gpa_vm *vm, value *argv, value *out) {
    bool whole = false;
    if (argv[0].tag != V_STR) return vm_fail(vm, GPA_E_TYPE, "module name must be a string");
    const char *name = argv[0].str->text;
    if (argv[4].tag != V_INT || argv[4].i)
        return vm_fail(vm, GPA_E_IMPORT, "attempted relative import with no known parent package");
    if (!*name) return vm_fail(vm, GPA_E_VALUE, "Empty module name");
    gpa_code rc = value_truth(vm, argv[3], &whole);
    if (rc) return rc;
    return whole ? import_any(vm, name, out) : import_root(vm, name, out);
}

gpa_code core_locals(gpa_vm *vm, value *argv, value *out) {
    const frame *f = caller(vm);
    (void)argv;
    return f && f->fn ? variables_of(vm, f, out) : module_dict(vm, module_at(vm, f), out);
}

/* Appends the names of a dict to the parameters of a lambda, its values to the arguments. */
static gpa_code add_parameters(gpa_vm *vm, const dict_obj *names, gpa_str *text,
                               list_obj *arguments) {
    size_t at = 0;
    gpa_code rc = GPA_OK;
    for (dict_entry *e; (e = dict_next(names, &at)) && !rc;) {
        value is_name = v_bool(false);
        if (e->key.tag == V_STR) rc = str_isidentifier(vm, &e->key, &is_name);
        if (rc || !is_name.i) continue;
        str_printf(text, "%s%s", arguments->count ? ", " : " ", e->key.str->text);
        rc = list_append(vm, arguments, e->v);
    }
    return rc;
}

static gpa_code check_arguments(gpa_vm *vm, const char *name, const value *argv) {
    if (argv[0].tag != V_STR)
        return vm_fail(vm, GPA_E_TYPE, "%s() arg 1 must be a string, not '%s'", name,
                       value_type_name(argv[0]));
    for (int i = 1; i <= 2; i++)
        if (argv[i].tag != V_NONE && argv[i].tag != V_DICT)
            return vm_fail(vm, GPA_E_TYPE, "%s() arg %d must be a dict, not '%s'", name, i + 1,
                           value_type_name(argv[i]));
    return GPA_OK;
}

/* The variables visible to an expression other than the globals: those of the caller, or of the
 * mappings given, of which locals come first. */
static gpa_code names_for(gpa_vm *vm, const value *argv, const frame *f, value *out) {
    const value globals = argv[1], locals = argv[2];
    gpa_code rc = check_arguments(vm, "eval", argv);
    if (rc) return rc;
    if (globals.tag == V_NONE && locals.tag == V_NONE) return variables_of(vm, f, out);
    rc = native_return(globals.tag == V_NONE ? v_dict(vm) : dict_copy(vm, globals.dict), out);
    if (!rc && locals.tag == V_DICT) rc = dict_update(vm, out->dict, locals.dict);
    return rc;
}

/* The expression becomes the body of a function whose parameters are the local variables. */
gpa_code core_eval(gpa_vm *vm, value *argv, value *out) { /* source, globals, locals */
    const frame *f = caller(vm);
    value names = v_none(), arguments = v_none(), function = v_none();
    gpa_str text;
    str_init(&text);
    str_put(&text, "lambda");
    gpa_code rc = names_for(vm, argv, f, &names);
    if (!rc) rc = native_return(v_list(vm, 0, NULL), &arguments);
    if (!rc) rc = add_parameters(vm, names.dict, &text, arguments.list);
    str_printf(&text, ": (\n%s\n)", argv[0].str->text);
    if (!rc)
        rc = vm_run_text(vm, "<string>", text.text, argv[1].tag == V_NONE ? module_at(vm, f) : NULL,
                         &function);
    if (!rc) rc = vm_call(vm, function, ARGS(arguments.list->count, arguments.list->items), out);
    str_free(&text);
    value_release(vm, names);
    value_release(vm, arguments);
    value_release(vm, function);
    return rc;
}

/* ---- exec ---- */

/* The module whose variables a dict holds; made for a dict that has none. */
static gpa_code module_of(gpa_vm *vm, dict_obj *d, module_obj **out) {
    *out = d->module;
    if (*out) return GPA_OK;
    gpa_code rc = vm_module_new(vm, "__main__", out);
    if (rc) return rc;
    (*out)->temporary = true;
    return module_bind_dict(vm, *out, d);
}

/* The module in which statements run whose assignments go to `locals`; it reads other names from
 * those of `globals`. */
static gpa_code module_of_locals(gpa_vm *vm, dict_obj *locals, module_obj *globals,
                                 module_obj **out) {
    const bool fresh = !locals->module;
    gpa_code rc = module_of(vm, locals, out);
    if (!rc && (fresh || (*out)->globals)) (*out)->globals = globals;
    return rc;
}

gpa_code core_exec(gpa_vm *vm, value *argv, value *out) { /* source, globals, locals */
    (void)out;
    const frame *f = caller(vm);
    value globals = v_none(), locals = v_none(), last = v_none();
    module_obj *m;
    gpa_code rc = check_arguments(vm, "exec", argv);
    if (rc) return rc;
    const bool own = argv[1].tag == V_NONE, within = own && f && f->fn;
    TRY(own ? module_dict(vm, module_at(vm, f), &globals)
            : native_return(value_retain(argv[1]), &globals));
    if (argv[2].tag == V_DICT)
        locals = value_retain(argv[2]);
    else if (within)
        TRY(variables_of(vm, f, &locals));
    TRY(module_of(vm, globals.dict, &m));
    if (locals.tag == V_DICT && locals.dict != globals.dict)
        TRY(module_of_locals(vm, locals.dict, m, &m));
    rc = vm_run_text(vm, "<string>", argv[0].str->text, m, &last);
    value_release(vm, last);
    if (module_update_dict(m) && !rc) rc = GPA_E_MEMORY;
out:
    value_release(vm, globals);
    value_release(vm, locals);
    return rc;
}
