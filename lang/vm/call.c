/* Calls: binding arguments to the parameters of functions written in the language and of natives,
 * calls of other callables, function objects. Error messages are CPython's. */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/base.h"

#include "lang/vm/debug_hooks.h"
#include "lang/vm/instance.h"
#include "lang/vm/array_interface.h"
#include "lang/vm/record.h"
#include "lang/vm/step.h"

static bool text_is(value s, const char *text) { return strcmp(s.str->text, text) == 0; }

/* ---- functions written in gpa ---- */

static const char *param_name(gpa_vm *vm, const code *c, unsigned i) {
    return intern_text(vm->core.names, c->scope->vars[i].name);
}

/* 'a', 'b', and 'c' */
static void put_names(gpa_vm *vm, const code *c, const unsigned *at, unsigned n, gpa_str *out) {
    for (unsigned i = 0; i < n; i++) {
        if (i) str_put(out, n == 2 ? " and " : i + 1 == n ? ", and " : ", ");
        str_printf(out, "'%s'", param_name(vm, c, at[i]));
    }
}

static gpa_code fail_missing(gpa_vm *vm, const func_obj *f, const value *regs, unsigned lo,
                             unsigned hi, const char *kind) {
    unsigned missing[256], n = 0;
    for (unsigned i = lo; i < hi && n < COUNT_OF(missing); i++)
        if (regs[i].tag == V_UNSET) missing[n++] = i;
    gpa_str names;
    str_init(&names);
    put_names(vm, f->code, missing, n, &names);
    gpa_code rc = vm_fail(vm, GPA_E_TYPE, "%s() missing %u required %s argument%s: %s",
                          func_title(vm, f), n, kind, n == 1 ? "" : "s", names.text);
    str_free(&names);
    return rc;
}

static gpa_code fail_too_many(gpa_vm *vm, const func_obj *f, const value *regs, size_t given) {
    const ast_scope *s = f->code->scope;
    unsigned most = s->n_positional, named = 0;
    unsigned defaults = f->defaults.tag == V_TUPLE ? (unsigned)f->defaults.tuple->count : 0;
    for (unsigned i = most; i < most + s->n_keyword_only; i++) named += regs[i].tag != V_UNSET;
    char takes[64], extra[80] = "";
    if (defaults)
        snprintf(takes, sizeof takes, "from %u to %u", most - defaults, most);
    else
        snprintf(takes, sizeof takes, "%u", most);
    if (named)
        snprintf(extra, sizeof extra, " positional argument%s (and %u keyword-only argument%s)",
                 given == 1 ? "" : "s", named, named == 1 ? "" : "s");
    return vm_fail(vm, GPA_E_TYPE, "%s() takes %s positional argument%s but %zu%s %s given",
                   func_title(vm, f), takes, most == 1 && !defaults ? "" : "s", given, extra,
                   given == 1 && !named ? "was" : "were");
}

static gpa_code fail_unexpected(gpa_vm *vm, const func_obj *f, value name) {
    const ast_scope *s = f->code->scope;
    const char *best = NULL;
    size_t cost = SIZE_MAX;
    for (unsigned i = 0; i < s->n_positional_only; i++)
        if (text_is(name, param_name(vm, f->code, i)))
            return vm_fail(
                vm, GPA_E_TYPE,
                "%s() got some positional-only arguments passed as keyword arguments: '%s'",
                func_title(vm, f), name.str->text);
    gpa_code rc = vm_fail(vm, GPA_E_TYPE, "%s() got an unexpected keyword argument '%s'",
                          func_title(vm, f), name.str->text);
    for (unsigned i = s->n_positional_only; i < s->n_positional + s->n_keyword_only; i++)
        vm_suggest(name.str->text, param_name(vm, f->code, i), &best, &cost);
    if (best) gpa_err_hint(&vm->core.err, "did you mean: '%s'?", best);
    return rc;
}

int call_keyword_at(gpa_vm *vm, const code *c, value name) {
    const ast_scope *s = c->scope;
    gpa_sym sym = intern_find(vm->core.names, name.str->text, name.str->size);
    for (unsigned i = s->n_positional_only; sym && i < s->n_positional + s->n_keyword_only; i++)
        if (c->scope->vars[i].name == sym) return (int)i;
    return -1;
}

/* Keyword arguments that are bound to parameters; values that were bound become UNSET. */
typedef struct {
    value *values;
    const value *names;
    size_t n;
} named_args;

/* Moves keyword arguments to their parameters; those without one into kwargs, a dict or UNSET. */
static gpa_code take_keywords(gpa_vm *vm, func_obj *f, value *regs, value kwargs, named_args k) {
    for (size_t i = 0; i < k.n; i++) {
        int at = call_keyword_at(vm, f->code, k.names[i]);
        if (at >= 0) {
            if (regs[at].tag != V_UNSET)
                return vm_fail(vm, GPA_E_TYPE, "%s() got multiple values for argument '%s'",
                               func_title(vm, f), k.names[i].str->text);
            regs[at] = k.values[i];
            k.values[i] = v_unset();
        } else if (kwargs.tag == V_DICT) {
            gpa_code rc = dict_set(vm, kwargs.dict, k.names[i], k.values[i]);
            if (rc) return rc;
        } else {
            return fail_unexpected(vm, f, k.names[i]);
        }
    }
    return GPA_OK;
}

static gpa_code take_defaults(gpa_vm *vm, func_obj *f, value *regs) {
    const ast_scope *s = f->code->scope;
    unsigned n = s->n_positional,
             defaults = f->defaults.tag == V_TUPLE ? (unsigned)f->defaults.tuple->count : 0;
    for (unsigned i = 0; i < n; i++) {
        if (regs[i].tag != V_UNSET) continue;
        if (i < n - defaults) return fail_missing(vm, f, regs, 0, n - defaults, "positional");
        regs[i] = value_retain(f->defaults.tuple->items[i - (n - defaults)]);
    }
    for (unsigned i = n; i < n + s->n_keyword_only; i++) {
        value v = v_unset();
        if (regs[i].tag != V_UNSET) continue;
        if (f->kwdefaults.tag == V_DICT)
            v = dict_text_peek(vm, f->kwdefaults.dict, param_name(vm, f->code, i));
        if (v.tag != V_UNSET) regs[i] = value_retain(v);
    }
    for (unsigned i = n; i < n + s->n_keyword_only; i++)
        if (regs[i].tag == V_UNSET)
            return fail_missing(vm, f, regs, n, n + s->n_keyword_only, "keyword-only");
    return GPA_OK;
}

gpa_code call_bind(gpa_vm *vm, func_obj *f, value *regs, size_t n, size_t n_named,
                   const value *names) {
    const ast_scope *s = f->code->scope;
    size_t params = f->code->n_params, positional = s->n_positional;
    value kept[16], *named = kept, args = v_unset(), kwargs = v_unset();
    gpa_code rc = GPA_OK;
    if (n_named > COUNT_OF(kept) && !(named = mem_new(n_named * sizeof *named))) {
        rc = vm_no_memory(vm);
        n_named = 0;
    }
    for (size_t i = 0; i < n_named; i++) { /* moved out of the parameters' registers */
        named[i] = regs[n + i];
        regs[n + i].tag = V_UNSET;
    }
    for (size_t i = n; i < params; i++) regs[i].tag = V_UNSET;
    if (!rc && s->has_args) {
        args = v_tuple(vm, n > positional ? n - positional : 0, regs + positional);
        if (args.tag == V_UNSET) rc = vm->core.err.code;
    }
    if (!rc && s->has_kwargs && (kwargs = v_dict(vm)).tag == V_UNSET) rc = vm->core.err.code;
    bool too_many = n > positional && !s->has_args;
    for (size_t i = positional; i < n; i++) reg_put(vm, &regs[i], v_unset());
    if (!rc) rc = take_keywords(vm, f, regs, kwargs, (named_args){named, names, n_named});
    if (!rc && too_many) rc = fail_too_many(vm, f, regs, n);
    if (!rc) rc = take_defaults(vm, f, regs);
    size_t at = positional + s->n_keyword_only;
    if (!rc && s->has_args) regs[at++] = args;
    if (!rc && s->has_kwargs) regs[at] = kwargs;
    for (size_t i = 0; i < n_named; i++) value_release(vm, named[i]);
    if (rc) {
        value_release(vm, args);
        value_release(vm, kwargs);
        for (size_t i = 0; i < MAX(n, params); i++) reg_put(vm, &regs[i], v_unset());
    }
    if (named != kept) mem_free(named);
    return rc;
}

gpa_code call_ready(gpa_vm *vm, func_obj *f, const value *regs) {
    if (!f->code->compiled) {
        gpa_code rc = compile_code(vm, f->code, f->module, false);
        if (rc) return rc;
        debug_compiled(vm, f->code, f->module);
    }
    if (vm->depth >= MAX_FRAMES || regs + f->code->n_regs + f->code->n_params >= vm->stack_end)
        return vm_fail(vm, GPA_E_RECURSION, "maximum recursion depth exceeded");
    return GPA_OK;
}

/* ---- calls of natives ---- */

/* "list.append", or "len": how CPython's errors name a native. */
static const char *native_title(const native *row, char *buffer, size_t n) {
    bool module = owner_is_module(owner_find(row->owner));
    snprintf(buffer, n,
             module                              ? "%.0s%s"
             : strcmp(row->name, "__new__") == 0 ? "%s%.0s"
                                                 : "%s.%s",
             row->owner, row->name);
    return buffer;
}

static gpa_code fail_native_count(gpa_vm *vm, const signature *s, size_t given) {
    char title[96];
    size_t skip = s->row->kind == NATIVE_METHOD ||
                  strcmp(s->row->name, "__new__") == 0; /* self is not counted */
    size_t most = s->n_positional - skip, least = 0;
    native_title(s->row, title, sizeof title);
    for (unsigned i = 0; i < s->n_positional; i++) least += s->required[i];
    least -= skip;
    given -= MIN(skip, given);
    if (most == least && most == 0)
        return vm_fail(vm, GPA_E_TYPE, "%s() takes no arguments (%zu given)", title, given);
    if (most == least && most == 1)
        return vm_fail(vm, GPA_E_TYPE, "%s() takes exactly one argument (%zu given)", title, given);
    if (most == least)
        return vm_fail(vm, GPA_E_TYPE, "%s expected %zu arguments, got %zu", title, most, given);
    if (given > most)
        return vm_fail(vm, GPA_E_TYPE,
                       "%s() takes from %zu to %zu positional arguments but %zu %s given", title,
                       least, most, given, given == 1 ? "was" : "were");
    return vm_fail(vm, GPA_E_TYPE, "%s expected at least %zu argument%s, got %zu", title, least,
                   least == 1 ? "" : "s", given);
}

static gpa_code fail_native_missing(gpa_vm *vm, const signature *s, size_t given,
                                    const value *argv) {
    char title[96];
    native_title(s->row, title, sizeof title);
    if (s->n_positional_only < s->n_positional || s->args >= 0)
        for (unsigned i = 0; i < s->n; i++)
            if (s->required[i] && argv[i].tag == V_UNSET && i >= s->n_positional_only)
                return vm_fail(vm, GPA_E_TYPE, "%s() missing 1 required %s argument: '%s'", title,
                               i < s->n_positional ? "positional" : "keyword-only", s->names[i]);
    return fail_native_count(vm, s, given);
}

/* Keyword arguments of a native, to their parameters in argv or into kwargs (a dict or UNSET). */
static gpa_code bind_native_names(gpa_vm *vm, const signature *s, value *argv, const call_args *a,
                                  value kwargs) {
    char title[96];
    const value *args = a->values + a->n, *names = a->names;
    for (size_t i = 0; i < a->n_named; i++) {
        unsigned at = s->n_positional_only;
        while (at < s->n &&
               (!text_is(names[i], s->names[at]) || (int)at == s->args || (int)at == s->kwargs))
            at++;
        native_title(s->row, title, sizeof title);
        if (at < s->n) {
            if (argv[at].tag != V_UNSET)
                return vm_fail(vm, GPA_E_TYPE, "%s() got multiple values for argument '%s'", title,
                               names[i].str->text);
            argv[at] = args[i];
        } else if (kwargs.tag == V_DICT) {
            gpa_code rc = dict_set(vm, kwargs.dict, names[i], args[i]);
            if (rc) return rc;
        } else if (s->n_positional_only == s->n) {
            return vm_fail(vm, GPA_E_TYPE, "%s() takes no keyword arguments", title);
        } else {
            const char *best = NULL;
            size_t cost = SIZE_MAX;
            gpa_code rc = vm_fail(vm, GPA_E_TYPE, "%s() got an unexpected keyword argument '%s'",
                                  title, names[i].str->text);
            for (unsigned k = s->n_positional_only; k < s->n; k++)
                vm_suggest(names[i].str->text, s->names[k], &best, &cost);
            if (best) gpa_err_hint(&vm->core.err, "did you mean: '%s'?", best);
            return rc;
        }
    }
    return GPA_OK;
}

static gpa_code fail_self(gpa_vm *vm, const native *row, value self) {
    if (self.tag == V_UNSET)
        return vm_fail(vm, GPA_E_TYPE, "unbound method %s.%s() needs an argument", row->owner,
                       row->name);
    return vm_fail(vm, GPA_E_TYPE,
                   "descriptor '%s' for '%s' objects doesn't apply to a '%s' object", row->name,
                   row->owner, value_type_name(self));
}

/* The native may create nodes: record its source location, and make loop back-edges check for
 * pending work. */
static void note_arrays(gpa_vm *vm) {
    vm->maybe_pending = true;
    rt_set_location(vm->core.rt, vm_where(vm));
}

static gpa_code call_bound(gpa_vm *vm, const native *row, const call_args *a, value *out) {
    const signature *s = signature_of(vm, row);
    if (!s) return vm_no_memory(vm);
    *out = v_none();
    if (row->kind == NATIVE_METHOD && !native_takes(row, a->n ? a->values[0] : v_unset()))
        return fail_self(vm, row, a->n ? a->values[0] : v_unset());
    value argv[MAX_NATIVE_PARAMS], rest = v_unset(), kwargs = v_unset();
    if (s->arrays) note_arrays(vm);
    if (s->plain && a->n == s->n && !a->n_named) {
        memcpy(argv, a->values, a->n * sizeof *a->values);
        return row->fn(vm, argv, out);
    }
    gpa_code rc = GPA_OK;
    size_t positional = MIN(a->n, s->n_positional);
    for (unsigned i = 0; i < s->n; i++) argv[i] = v_unset();
    memcpy(argv, a->values, positional * sizeof *a->values);
    if (a->n > positional && s->args < 0) return fail_native_count(vm, s, a->n);
    if (s->args >= 0) {
        argv[s->args] = rest = v_tuple(vm, a->n - positional, a->values + positional);
        if (rest.tag == V_UNSET) return vm->core.err.code;
    }
    if (s->kwargs >= 0) {
        argv[s->kwargs] = kwargs = v_dict(vm);
        if (kwargs.tag == V_UNSET) rc = vm->core.err.code;
    }
    if (!rc && a->n_named) rc = bind_native_names(vm, s, argv, a, kwargs);
    for (unsigned i = 0; i < s->n && !rc; i++) {
        if (argv[i].tag != V_UNSET) continue;
        if (s->required[i])
            rc = fail_native_missing(vm, s, a->n, argv);
        else
            argv[i] = s->defaults[i];
    }
    if (!rc) rc = row->fn(vm, argv, out);
    value_release(vm, rest);
    value_release(vm, kwargs);
    return rc;
}

gpa_code call_native(gpa_vm *vm, const native *row, const call_args *a, value *out) {
    gpa_code rc = call_bound(vm, row, a, out);
    if (rc || !vm->floats.traps) return rc;
    rc = array_operators.trap_call(vm, row->name, a, *out);
    if (!rc) return GPA_OK;
    value_release(vm, *out);
    *out = v_none();
    return rc;
}

/* ---- calls of other values ---- */

/* The row "__new__" of a type; cached for built-in types and NumPy's scalar types. */
static const native *constructor(gpa_vm *vm, uint32_t aux) {
    bool kept = aux < COUNT_OF(vm->constructors);
    if (kept && vm->constructors[aux]) return vm->constructors[aux];
    native_owner o = owner_of_type(aux);
    const native *row = o == OWNER_COUNT ? NULL : native_find(o, "__new__");
    if (kept) vm->constructors[aux] = row;
    return row;
}

static gpa_code call_type(gpa_vm *vm, value type, const call_args *a, value *out) {
    if (type.aux >= AUX_ERROR && type.aux < AUX_FROZENSET) {
        bool prefixed = type.aux == AUX_ERROR + GPA_E_AXIS && a->n == 2 && a->n_named == 1 &&
                        text_is(a->names[0], "msg_prefix"); /* the third argument */
        if (a->n_named && !prefixed)
            return vm_fail(vm, GPA_E_TYPE, "%s() takes no keyword arguments", type_name(type.aux));
        value t = v_tuple(vm, a->n + a->n_named, a->values);
        if (t.tag == V_UNSET) return vm->core.err.code;
        gpa_code kind = (gpa_code)(type.aux - AUX_ERROR);
        bool numbered = kind == GPA_E_OS && a->n >= 2 && a->values[0].tag == V_INT;
        if (numbered) kind = gpa_err_of_errno((int)a->values[0].i);
        *out = v_exception(vm, kind, t);
        gpa_code rc = out->tag == V_UNSET ? vm->core.err.code : GPA_OK;
        if (!rc) rc = raise_describe(vm, out->exc);
        value_release(vm, t);
        if (rc) {
            value_release(vm, *out);
            *out = v_none();
        }
        return rc;
    }
    if (type.aux >= AUX_KIND && record_is(object_kinds[type.aux - AUX_KIND]))
        return record_new(vm, object_kinds[type.aux - AUX_KIND], a, out);
    if (aux_is_dtype_class(type.aux)) {
        if (a->n + a->n_named)
            return vm_fail(vm, GPA_E_TYPE, "%s() takes no arguments", type_name(type.aux));
        *out = v_dtype((gpa_dtype)(type.aux - AUX_DTYPE_CLASS));
        return GPA_OK;
    }
    const native *row = constructor(vm, type.aux);
    if (!row) return vm_fail(vm, GPA_E_TYPE, "cannot create '%s' instances", type_name(type.aux));
    value few[9], *all = few;
    if (a->n + a->n_named + 1 > COUNT_OF(few) &&
        !(all = mem_new((a->n + a->n_named + 1) * sizeof *all)))
        return vm_no_memory(vm);
    all[0] = type;
    memcpy(all + 1, a->values, (a->n + a->n_named) * sizeof *a->values);
    gpa_code rc = call_native(vm, row, &(call_args){a->n + 1, a->n_named, all, a->names}, out);
    if (all != few) mem_free(all);
    return rc;
}

static gpa_code call_method(gpa_vm *vm, const method_obj *m, const call_args *a, value *out) {
    value few[9], *all = few;
    if (a->n + a->n_named + 1 > COUNT_OF(few) &&
        !(all = mem_new((a->n + a->n_named + 1) * sizeof *all)))
        return vm_no_memory(vm);
    all[0] = m->self;
    if (a->n + a->n_named) memcpy(all + 1, a->values, (a->n + a->n_named) * sizeof *a->values);
    gpa_code rc = vm_call(vm, m->fn, &(call_args){a->n + 1, a->n_named, all, a->names}, out);
    if (all != few) mem_free(all);
    return rc;
}

gpa_code call_other(gpa_vm *vm, value fn, const call_args *a, value *out) {
    *out = v_none();
    if (fn.tag != V_TYPE) note_arrays(vm);
    if (fn.tag == V_TYPE) return call_type(vm, fn, a, out);
    if (fn.tag == V_CLASS) return instance_new(vm, fn.class, a, out);
    if (fn.tag == V_UFUNC) {
        value few[9], *all = few;
        if (a->n_named == 0) return array_operators.call_ufunc(vm, fn.ufunc, a, out);
        if (a->n + a->n_named > COUNT_OF(few) &&
            !(all = mem_new((a->n + a->n_named) * sizeof *all)))
            return vm_no_memory(vm);
        memcpy(all, a->values, (a->n + a->n_named) * sizeof *a->values);
        gpa_code rc = array_operators.call_ufunc(
            vm, fn.ufunc, &(call_args){a->n, a->n_named, all, a->names}, out);
        if (all != few) mem_free(all);
        return rc;
    }
    if (fn.tag == V_METHOD) return call_method(vm, fn.method, a, out);
    if (fn.tag == V_OBJECT && fn.object->kind->call)
        return vm->floats.traps ? array_operators.trap_launch(vm, fn, a, out)
                                : fn.object->kind->call(vm, fn.object, a, out);
    return vm_fail(vm, GPA_E_TYPE, "'%s' object is not callable", value_type_name(fn));
}

bool vm_callable(value v) {
    return v.tag == V_FUNC || v.tag == V_NATIVE || v.tag == V_TYPE || v.tag == V_CLASS ||
           v.tag == V_UFUNC || v.tag == V_METHOD || (v.tag == V_OBJECT && v.object->kind->call);
}

gpa_code vm_call(gpa_vm *vm, value fn, const call_args *a, value *out) {
    *out = v_none();
    if (fn.tag == V_NATIVE) return call_native(vm, fn.native, a, out);
    if (fn.tag != V_FUNC) return call_other(vm, fn, a, out);
    value *regs = run_top(vm);
    func_obj *f = fn.func;
    gpa_code rc = call_ready(vm, f, regs + a->n + a->n_named);
    if (rc) return rc;
    for (size_t i = 0; i < a->n + a->n_named; i++) regs[i] = value_retain(a->values[i]);
    if (!f->code->simple || a->n != f->code->n_params || a->n_named)
        rc = call_bind(vm, f, regs, a->n, a->n_named, a->names);
    if (rc) return rc;
    frame *top = run_push(vm, f->code, f, f->module, regs);
    top->base = true;
    value_retain(fn);
    rc = run(vm, out);
    value_release(vm, fn);
    return rc;
}

/* ---- function values ---- */

gpa_code function_new(gpa_vm *vm, frame *f, code *c, value defaults, value kwdefaults, value *out) {
    uint32_t n = c->scope->n_frees;
    func_obj *g = mem_zero(sizeof *g + n * sizeof(value));
    if (!g) return vm_no_memory(vm);
    g->head = (obj){1, V_FUNC};
    g->code = code_retain(c);
    g->module = f->module;
    module_keep(g->module);
    g->name = c->name;
    g->defaults = value_retain(defaults);
    g->kwdefaults = value_retain(kwdefaults);
    g->doc = v_unset();
    g->attrs = v_none();
    g->n_free = n;
    for (uint32_t i = 0; i < n; i++) {
        ast_storage p = c->scope->frees[i].from;
        g->free[i] = value_retain(p.kind == AST_IN_FREE ? f->free[p.slot] : f->regs[p.slot]);
    }
    g->next = vm->functions;
    if (g->next) g->next->prev = g;
    vm->functions = g;
    *out = v_obj(V_FUNC, g);
    return GPA_OK;
}

value func_doc(gpa_vm *vm, func_obj *f) {
    if (f->doc.tag == V_UNSET) {
        if (code_parse(vm, f->code)) return v_unset();
        const ast_node *n = f->code->node, *doc = n->kind == AST_FUNCTION ? n->function.doc : NULL;
        f->doc = doc ? v_str(vm, doc->string.text.at, doc->string.text.len) : v_none();
    }
    return value_retain(f->doc);
}

gpa_code func_jitted(gpa_vm *vm, value fn, bool lenient, value *out) {
    const func_obj *f = fn.func;
    code *c = code_new(f->code->ast, f->code->node, f->code->scope, f->code->name);
    func_obj *g = mem_zero(sizeof *g + f->n_free * sizeof(value));
    if (!c || !g) {
        code_release(vm, c);
        mem_free(g);
        return vm_no_memory(vm);
    }
    c->jit = g;
    c->lenient = lenient;
    *g = (func_obj){
        .head = {1, V_FUNC}, .code = c, .module = f->module, .name = f->name, .n_free = f->n_free};
    g->doc = value_retain(f->doc);
    g->defaults = value_retain(f->defaults);
    g->kwdefaults = value_retain(f->kwdefaults);
    g->attrs = v_none();
    for (uint32_t i = 0; i < f->n_free; i++) g->free[i] = value_retain(f->free[i]);
    g->next = vm->functions;
    if (g->next) g->next->prev = g;
    vm->functions = g;
    *out = v_obj(V_FUNC, g);
    return vm_setattr(vm, *out, "py_func", fn);
}

bool vm_in_jitted(const gpa_vm *vm) { return vm->depth && vm->frames[vm->depth - 1].code->jit; }
bool vm_is_lenient(const gpa_vm *vm) {
    return vm->depth && vm->frames[vm->depth - 1].code->lenient;
}

void func_free(gpa_vm *vm, func_obj *f) {
    if (f->prev)
        f->prev->next = f->next;
    else
        vm->functions = f->next;
    if (f->next) f->next->prev = f->prev;
    for (uint32_t i = 0; i < f->n_free; i++) value_release(vm, f->free[i]);
    value_release(vm, f->defaults);
    value_release(vm, f->kwdefaults);
    value_release(vm, f->doc);
    value_release(vm, f->attrs);
    code_release(vm, f->code);
    mem_free(f);
}

const ast_node *func_node(const func_obj *f) { return f->code->node; }
ast_module *func_ast(const func_obj *f) { return f->code->ast; }
const char *func_name(gpa_vm *vm, const func_obj *f) {
    return intern_text(vm->core.names, f->name);
}
const char *func_title(gpa_vm *vm, const func_obj *f) {
    return intern_text(vm->core.names, f->code->title ? f->code->title : f->name);
}

/* The text that a program has set as __text_signature__, or UNSET. */
static value stated_signature(gpa_vm *vm, const func_obj *f) {
    value text = f->attrs.tag == V_DICT ? dict_text_peek(vm, f->attrs.dict, "__text_signature__")
                                        : v_unset();
    return text.tag == V_STR ? text : v_unset();
}

gpa_code func_parameters(gpa_vm *vm, const func_obj *f, bool bound,
                         gpa_code (*each)(void *user, const char *name, param_kind kind,
                                          value otherwise),
                         void *user) {
    const ast_scope *s = f->code->scope;
    size_t defaults = f->defaults.tag == V_TUPLE ? f->defaults.tuple->count : 0;
    unsigned n = s->n_positional, args = n + s->n_keyword_only, kwargs = args + s->has_args;
    gpa_code rc = GPA_OK;
    for (unsigned i = bound && n; i < n && !rc; i++)
        rc = each(user, param_name(vm, f->code, i),
                  i < s->n_positional_only ? PARAM_POSITIONAL_ONLY : PARAM_POSITIONAL,
                  i + defaults >= n ? f->defaults.tuple->items[i + defaults - n] : v_unset());
    if (!rc && s->has_args) rc = each(user, param_name(vm, f->code, args), PARAM_ARGS, v_unset());
    for (unsigned i = n; i < args && !rc; i++) {
        const char *name = param_name(vm, f->code, i);
        rc = each(
            user, name, PARAM_KEYWORD_ONLY,
            f->kwdefaults.tag == V_DICT ? dict_text_peek(vm, f->kwdefaults.dict, name) : v_unset());
    }
    if (!rc && s->has_kwargs)
        rc = each(user, param_name(vm, f->code, kwargs), PARAM_KWARGS, v_unset());
    return rc;
}

typedef struct {
    gpa_vm *vm;
    gpa_str *out;
    int last; /* the kind of the parameter before; -1: there is none */
} signing;

static gpa_code sign_parameter(void *user, const char *name, param_kind kind, value otherwise) {
    signing *to = user;
    static const char *const stars[] = {[PARAM_ARGS] = "*", [PARAM_KWARGS] = "**"};
    if (to->last == PARAM_POSITIONAL_ONLY && kind != PARAM_POSITIONAL_ONLY) str_put(to->out, ", /");
    if (to->last >= 0) str_put(to->out, ", ");
    if (kind == PARAM_KEYWORD_ONLY && to->last != PARAM_ARGS && to->last != PARAM_KEYWORD_ONLY)
        str_put(to->out, "*, ");
    str_printf(to->out, "%s%s", kind == PARAM_ARGS || kind == PARAM_KWARGS ? stars[kind] : "",
               name);
    to->last = (int)kind;
    if (otherwise.tag == V_UNSET) return GPA_OK;
    str_putc(to->out, '=');
    return vm_repr(to->vm, otherwise, to->out);
}

gpa_code func_signature(gpa_vm *vm, const func_obj *f, bool bound, gpa_str *out) {
    value stated = stated_signature(vm, f);
    if (stated.tag != V_UNSET) {
        str_putn(out, stated.str->text, stated.str->size);
        return GPA_OK;
    }
    signing to = {vm, out, -1};
    str_putc(out, '(');
    gpa_code rc = func_parameters(vm, f, bound, sign_parameter, &to);
    str_put(out, to.last == PARAM_POSITIONAL_ONLY ? ", /)" : ")");
    return rc;
}
