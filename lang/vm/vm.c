/* Creation and destruction of the vm, evaluation of modules, services for natives. */
#include "lang/vm/vm.h"

#include <stdio.h>

#include "runtime/base/base.h"

#include "lang/object/container.h"
#include "lang/vm/debug_hooks.h"
#include "lang/vm/format_interface.h"
#include "lang/vm/generator.h"
#include "lang/vm/foreign.h"
#include "lang/vm/instance.h"
#include "lang/syntax/parse.h"
#include "lang/vm/library.h"
#include "lang/vm/loop.h"
#include "lang/vm/step.h"

module_obj *vm_main(gpa_vm *vm) { return vm->main; }

/* ---- creation ---- */

/* numpy._method: a decorator of the library that also adds a function to the methods of arrays. */
static gpa_code add_method(gpa_vm *vm, value *argv, value *out) {
    if (argv[0].tag != V_FUNC) return vm_fail(vm, GPA_E_TYPE, "_method decorates functions");
    gpa_code rc = dict_set_text(vm, vm->methods, func_name(vm, argv[0].func), argv[0]);
    if (!rc) *out = value_retain(argv[0]);
    return rc;
}

static const native method_row = {"numpy",
                                  "_method",
                                  add_method,
                                  "function, /",
                                  "Makes a function a method of arrays, too.",
                                  NATIVE_FUNCTION};

static const struct {
    const char *name;
    gpa_code code;
} errors[] = {
#define ERR(code, name, parent) {name, GPA_E_##code},
#include "runtime/base/err.def"
#undef ERR
};

static gpa_code fill_builtins(gpa_vm *vm) {
    gpa_code rc = vm_import(vm, "builtins", &vm->builtins);
    for (size_t i = 0; i < COUNT_OF(errors) && !rc; i++)
        if (errors[i].code != GPA_E_INCOMPLETE)
            rc = module_set_text(vm, vm->builtins, errors[i].name,
                                 v_type(AUX_ERROR + (uint32_t)errors[i].code));
    if (!rc) rc = module_set_text(vm, vm->builtins, "__builtins__", v_obj(V_MODULE, vm->builtins));
    return rc;
}

static const char *const other_names[] = {
#define OPA(alias, id) alias,
#define OP(...)
#define OPX(...)
#include "runtime/tables/op.def"
#undef OPA
#undef OP
#undef OPX
};

/* Binds a ufunc to a name, unless the tables have a function of that name. */
static gpa_code add_ufunc(gpa_vm *vm, const char *name) {
    if (module_get_text_peek(vm, vm->numpy, name).tag != V_UNSET) return GPA_OK;
    return module_set_text(vm, vm->numpy, name, (value){.tag = V_UFUNC, .ufunc = ufunc_find(name)});
}

static gpa_code fill_numpy(gpa_vm *vm) {
    gpa_code rc = vm_import(vm, "numpy", &vm->numpy);
    for (int op = 0; op < OP_COUNT && !rc; op++) rc = add_ufunc(vm, op_info[op].name);
    for (size_t i = 0; i < COUNT_OF(other_names) && !rc; i++) rc = add_ufunc(vm, other_names[i]);
    value methods = v_dict(vm);
    if (methods.tag == V_UNSET) return vm->core.err.code;
    vm->methods = methods.dict;
    if (!rc)
        rc = module_set_text(vm, vm->numpy, "_method",
                             (value){.tag = V_NATIVE, .native = &method_row});
    if (!rc) rc = module_set_text(vm, vm->numpy, "np", v_obj(V_MODULE, vm->numpy));
    return rc;
}

gpa_code vm_run_library(gpa_vm *vm, module_obj *m, const char *name) {
    uint32_t id;
    ast_module *ast = NULL;
    const parse_options options = {.library = true};
    const library_module *p = library_modules;
    while (p->module && strcmp(p->module, name) != 0) p++;
    if (!p->module) return GPA_OK;
    m->library = true;
    gpa_code rc = source_add_borrowed(vm->core.sources,
                                      &(source_text){SOURCE_FILE, "<library>", p->text, p->size},
                                      &id, &vm->core.err);
    if (!rc)
        rc = parse_module(source_get(vm->core.sources, id), vm->core.names, &options, &ast,
                          &vm->core.err);
    if (!rc) rc = vm_eval(vm, ast, m, NULL);
    ast_release(ast);
    m->hidden = true; /* from now on: errors in the library's own top level do show */
    return rc;
}

gpa_code vm_new(const vm_config *c, gpa_vm **out, gpa_err *e) {
    gpa_vm *vm = mem_zero(sizeof *vm);
    *out = NULL;
    if (!vm) return gpa_no_memory(e);
    vm->config = *c;
    vm->core.rt = c->rt;
    vm->core.names = c->names;
    vm->core.sources = c->sources;
    vm->raised = v_unset();
    vm->warning_filters = vm->warning_log = v_none();
    vm->floats = FLOAT_ACTIONS_DEFAULT;
    vm->frames = mem_new((MAX_FRAMES + 1) * sizeof *vm->frames);
    vm->stack = mem_zero(STACK_VALUES * sizeof *vm->stack);
    vm->stack_end = vm->stack ? vm->stack + STACK_VALUES : NULL;
    gpa_sym main = intern_get(c->names, "__main__", 8);
    vm->sym_new = intern_get(c->names, "__new__", 7);
    vm->sym_init = intern_get(c->names, "__init__", 8);
    gpa_code rc =
        vm->frames && vm->stack && main && vm->sym_new && vm->sym_init ? GPA_OK : vm_no_memory(vm);
    if (!rc && !(vm->main = module_new(vm, main))) rc = vm->core.err.code;
    if (!rc) rc = fill_builtins(vm);
    if (!rc) rc = fill_numpy(vm);
    if (!rc) rc = vm_run_library(vm, vm->numpy, "numpy");
    vm->sealed = true;
    if (!rc) {
        value name = v_cstr(vm, "__main__");
        rc = name.tag == V_UNSET ? vm->core.err.code
                                 : module_set_text(vm, vm->main, "__name__", name);
        value_release(vm, name);
    }
    if (rc) {
        *e = vm->core.err;
        vm_free(vm);
        return rc;
    }
    *out = vm;
    return GPA_OK;
}

/* Breaks reference cycles through functions by emptying their cells. All functions are retained
 * meanwhile, so that the list does not change. */
static void break_cycles(gpa_vm *vm) {
    for (func_obj *f = vm->functions; f; f = f->next) f->head.refs++;
    for (func_obj *f = vm->functions; f; f = f->next) {
        value *fields[] = {&f->defaults, &f->kwdefaults, &f->attrs};
        for (uint32_t i = 0; i < f->n_free; i++) {
            value content = f->free[i].cell->v;
            f->free[i].cell->v = v_unset();
            value_release(vm, content);
        }
        for (size_t i = 0; i < COUNT_OF(fields); i++) {
            value v = *fields[i];
            *fields[i] = v_none();
            value_release(vm, v);
        }
    }
    for (func_obj *f = vm->functions, *next; f; f = next) {
        next = f->next;
        value_release(vm, v_obj(V_FUNC, f));
    }
}

void vm_free(gpa_vm *vm) {
    if (!vm) return;
    loop_free(vm);
    vm_clear_error(vm);
    generator_end_all(vm);
    foreign.free(vm);
    for (module_obj *m = vm->modules; m; m = m->next) module_clear(vm, m);
    if (vm->methods) value_release(vm, v_obj(V_DICT, vm->methods));
    if (vm->records) value_release(vm, v_obj(V_DICT, vm->records));
    if (vm->warned) value_release(vm, v_obj(V_DICT, vm->warned));
    value_release(vm, vm->warning_filters);
    value_release(vm, vm->warning_log);
    value_release(vm, vm->random);
    debug_free(vm);
    instance_break_cycles(vm);
    exception_break_cycles(vm);
    class_break_cycles(vm);
    break_cycles(vm);
    generator_break_cycles(vm);
    signatures_free(vm);
    for (module_obj *m = vm->modules, *next; m; m = next) {
        next = m->next;
        value_release(vm, v_obj(V_MODULE, m));
    }
    mem_free(vm->frames);
    mem_free(vm->stack);
    mem_free(vm->trace);
    mem_free(vm->trace_out);
    mem_free(vm->folder);
    mem_free(vm);
}

gpa_code vm_set_script_folder(gpa_vm *vm, const char *folder) {
    char *copy = mem_text(folder, strlen(folder));
    if (!copy) return vm_no_memory(vm);
    mem_free(vm->folder);
    vm->folder = copy;
    return GPA_OK;
}

/* ---- evaluation ---- */

/* `keep`: the value of the last expression is returned. */
static gpa_code compile_module(gpa_vm *vm, ast_module *ast, module_obj *in, bool keep, code **out) {
    if (vm->depth == 0) {
        vm_clear_error(vm);
        vm->n_trace = 0;
    }
    code *c = code_new(ast, NULL, ast->scope, 0);
    if (!c) return vm_no_memory(vm);
    gpa_code rc = compile_code(vm, c, in, keep);
    if (rc) {
        code_release(vm, c);
        return rc;
    }
    debug_compiled(vm, c, in);
    *out = c;
    return GPA_OK;
}

static gpa_code run_module(gpa_vm *vm, code *c, module_obj *in, value *last) {
    value *regs = run_top(vm), result = v_unset();
    if (vm->depth >= MAX_FRAMES || regs + c->n_regs >= vm->stack_end)
        return vm_fail(vm, GPA_E_RECURSION, "maximum recursion depth exceeded");
    run_push(vm, c, NULL, in, regs)->base = true;
    gpa_code rc = run(vm, &result);
    loop_leave(vm);
    if (vm->depth == 0) debug_ended(vm);
    if (last && !rc)
        *last = result;
    else if (!rc)
        value_release(vm, result);
    return rc;
}

gpa_code vm_eval(gpa_vm *vm, ast_module *ast, module_obj *in, value *last) {
    code *c;
    if (!in) in = vm->main;
    if (last) *last = v_unset();
    gpa_code rc = compile_module(vm, ast, in, last != NULL, &c);
    if (rc) return rc;
    rc = run_module(vm, c, in, last);
    code_release(vm, c);
    return rc;
}

void vm_measure(gpa_vm *vm, bool on) { vm->core.measured = on; }

gpa_code vm_compile(gpa_vm *vm, ast_module *ast, module_obj *in, vm_program **out) {
    return compile_module(vm, ast, in ? in : vm->main, true, out);
}

gpa_code vm_run(gpa_vm *vm, vm_program *p, module_obj *in, value *last) {
    *last = v_unset();
    return run_module(vm, p, in ? in : vm->main, last);
}

void vm_program_free(gpa_vm *vm, vm_program *p) {
    if (p) code_release(vm, p);
}

module_obj *vm_module(gpa_vm *vm) {
    uint32_t i = vm->depth;
    while (i && vm->frames[i - 1].module->hidden) i--;
    return i ? vm->frames[i - 1].module : vm->main;
}

static value content_of(value v) { return v.tag == V_CELL ? v.cell->v : v; }

static void locals_of(const frame *f, void (*each)(void *user, gpa_sym name, value v), void *user) {
    const ast_scope *s = f->code->scope;
    for (uint32_t i = 0; i < s->n_vars; i++) {
        value v = content_of(f->regs[i]);
        if (s->vars[i].name && v.tag != V_UNSET) each(user, s->vars[i].name, v);
    }
    for (uint32_t i = 0; i < s->n_frees; i++) {
        value v = content_of(f->free[i]);
        if (v.tag != V_UNSET) each(user, s->frees[i].name, v);
    }
}

void vm_locals(gpa_vm *vm, void (*each)(void *user, gpa_sym name, value v), void *user) {
    uint32_t i = vm->depth;
    while (i && vm->frames[i - 1].module->hidden) i--;
    if (i && vm->frames[i - 1].fn) locals_of(&vm->frames[i - 1], each, user);
}

void vm_frame_locals(gpa_vm *vm, uint32_t i, void (*each)(void *user, gpa_sym name, value v),
                     void *user) {
    if (vm->frames[i].fn) locals_of(&vm->frames[i], each, user);
}

void vm_all_locals(gpa_vm *vm, void (*each)(void *user, gpa_sym name, value v), void *user) {
    for (uint32_t i = vm->depth; i-- > 0;)
        if (vm->frames[i].fn && !vm->frames[i].module->hidden)
            locals_of(&vm->frames[i], each, user);
}

gpa_code vm_module_new(gpa_vm *vm, const char *name, module_obj **out) {
    gpa_sym s = intern_get(vm->core.names, name, strlen(name));
    *out = s ? module_new(vm, s) : NULL;
    if (!s) return vm_no_memory(vm);
    return *out ? GPA_OK : vm->core.err.code;
}

bool vm_interrupt(gpa_vm *vm) {
    bool before = atomic_fetch_or(&vm->core.requests, VM_INTERRUPT) & VM_INTERRUPT;
    void (*pass_on)(void) = atomic_load(&vm->foreign_interrupt);
    rt_interrupt(vm->core.rt);
    if (pass_on) pass_on();
    return before;
}

void vm_interrupt_clear(gpa_vm *vm) {
    atomic_fetch_and(&vm->core.requests, ~(unsigned)VM_INTERRUPT);
    rt_interrupt_clear(vm->core.rt);
}

void vm_request_visit(gpa_vm *vm) { atomic_fetch_or(&vm->core.requests, VM_VISIT); }

void vm_visit(gpa_vm *vm) {
    if (!vm_wants_visit(vm)) return;
    atomic_fetch_and(&vm->core.requests, ~(unsigned)VM_VISIT);
    if (!vm->config.visit) return;
    loop_leave(vm); /* a recorded iteration contains nothing of the visit */
    vm->config.visit(vm->config.user);
}

/* ---- services ---- */

gpa_code vm_write(gpa_vm *vm, bool to_stderr, const char *text, size_t n) {
    if (vm->config.write) vm->config.write(vm->config.user, to_stderr, text, n);
    return GPA_OK;
}

gpa_code vm_put(gpa_vm *vm, value to, const char *text, size_t n) {
    value write = v_none(), done = v_none(), line = v_none();
    if (to.tag == V_NONE) return GPA_OK;
    gpa_code rc = vm_attr(vm, to, "write", &write);
    if (!rc) rc = native_return(v_str(vm, text, n), &line);
    if (!rc) rc = vm_call(vm, write, ARGS(1, &line), &done);
    value_release(vm, write);
    value_release(vm, line);
    value_release(vm, done);
    return rc;
}

gpa_code vm_print(gpa_vm *vm, bool to_stderr, const char *text, size_t n) {
    module_obj *sys;
    if (!vm->redirected) return vm_write(vm, to_stderr, text, n);
    gpa_code rc = vm_import(vm, "sys", &sys);
    if (rc) return rc;
    value to = value_retain(module_get_text_peek(vm, sys, to_stderr ? "stderr" : "stdout"));
    rc = vm_put(vm, to, text, n);
    value_release(vm, to);
    return rc;
}

void vm_flush(gpa_vm *vm) {
    if (vm->config.flush) vm->config.flush(vm->config.user);
}

gpa_code vm_display(gpa_vm *vm, value v, const char *id, bool update) {
    return vm->config.display ? vm->config.display(vm->config.user, v, id, update) : GPA_OK;
}

const char *vm_figure_setting(const gpa_vm *vm, enum figure_setting which) {
    const figure_settings *s = vm->config.figures;
    const gpa_str *texts[] = {s ? &s->format : NULL, s ? &s->options : NULL, s ? &s->close : NULL};
    return texts[which] && texts[which]->len ? texts[which]->text : "";
}

gpa_code vm_set_figure_format(gpa_vm *vm, value format) {
    figure_settings *s = vm->config.figures;
    if (!s) return GPA_OK;
    str_clear(&s->format);
    return vm_str(vm, format, &s->format);
}

gpa_code vm_page(gpa_vm *vm, const char *text, size_t n) {
    if (!vm->config.page) return vm_write(vm, false, text, n);
    vm->config.page(vm->config.user, text, n);
    return GPA_OK;
}

gpa_code vm_clear_output(gpa_vm *vm, bool wait) {
    if (vm->config.clear) vm->config.clear(vm->config.user, wait);
    return GPA_OK;
}

void vm_progress(gpa_vm *vm, const char *text, double done, double left) {
    if (vm->config.progress) vm->config.progress(vm->config.user, text, done, left);
}

gpa_code vm_magic(gpa_vm *vm, const char *text, size_t n, value *out) {
    if (!vm->config.magic) return vm_fail(vm, GPA_E_RUNTIME, "magics need a session");
    return vm->config.magic(vm->config.user, text, n, vm_where(vm), out);
}

bool vm_has_comms(const gpa_vm *vm) { return vm->config.comm != NULL; }

gpa_code vm_input(gpa_vm *vm, const char *prompt, bool hidden, value *out) {
    char line[4096];
    if (!vm->config.input) return vm_fail(vm, GPA_E_EOF, "EOF when reading a line");
    gpa_code rc = vm->config.input(vm->config.user, prompt, hidden, line, sizeof line);
    if (rc == GPA_E_EOF) return vm_fail(vm, rc, "EOF when reading a line");
    if (rc == GPA_E_UNSUPPORTED)
        return vm_fail(vm, rc,
                       "input() was called, but this front end does not support input requests.");
    if (rc == GPA_E_INTERRUPT) return vm_poll(vm) ? rc : vm_fail(vm, rc, "%s", "");
    if (rc) return vm_fail(vm, rc, "%s", "");
    size_t n = strlen(line);
    if (n && line[n - 1] == '\n') n--;
    *out = v_str(vm, line, n);
    return out->tag == V_UNSET ? vm->core.err.code : GPA_OK;
}

gpa_code vm_repr(gpa_vm *vm, value v, gpa_str *out) { return formatter.repr(vm, v, out); }

gpa_code vm_str(gpa_vm *vm, value v, gpa_str *out) { return formatter.str(vm, v, out); }

gpa_code vm_format(gpa_vm *vm, value v, const char *spec, size_t n, gpa_str *out) {
    return formatter.format(vm, v, spec, n, out);
}

gpa_code vm_fail_showing(gpa_vm *vm, gpa_code kind, const char *before, value v,
                         const char *after) {
    return formatter.fail_showing(vm, kind, before, v, after);
}
