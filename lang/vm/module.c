/* Built-in modules: filling them from the tables of natives; lookup of built-in names. */
#include <stdio.h>

#include "lang/vm/machine.h"

#include "lang/object/container.h"

static value *builtin_slot(module_obj *m, gpa_sym name) {
    int32_t at = m ? module_find(m, name) : -1;
    return at >= 0 && m->slots[at].tag != V_UNSET ? &m->slots[at] : NULL;
}

static value *builtin_of(gpa_vm *vm, gpa_sym name) {
    value *v = builtin_slot(vm->builtins, name);
    return v ? v : builtin_slot(vm->numpy, name);
}

value vm_builtin_peek(gpa_vm *vm, gpa_sym name) {
    const value *v = builtin_of(vm, name);
    return v ? *v : v_unset();
}

/* Names of other modules that are available without an import. The module is created when one of
 * its names is first used. */
static const struct {
    const char *module, *names;
} unimported[] = {
    {"matplotlib.pyplot",
     " plot scatter hist bar barh errorbar imshow pcolormesh contour contourf fill_between axhline "
     "axvline text xlabel "
     "ylabel title suptitle legend xlim ylim xscale yscale loglog semilogx semilogy grid colorbar "
     "figure subplot subplots "
     "tight_layout show savefig "},
    {"IPython", " get_ipython "},
    {"IPython.display", " display update_display HTML Markdown image table "},
    {"python.builtins", " bytearray memoryview BaseExceptionGroup ExceptionGroup "},
};

/* A name of a foreign module, kept as a built-in one. */
static const value *foreign_name(gpa_vm *vm, const char *module, gpa_sym name, gpa_code *rc) {
    value m = v_unset(), v = v_unset();
    *rc = import_any(vm, module, &m);
    if (!*rc) *rc = vm_attr(vm, m, sym_text(vm, name), &v);
    if (!*rc) *rc = module_set(vm, vm->builtins, name, v);
    value_release(vm, v);
    value_release(vm, m);
    return *rc ? NULL : builtin_slot(vm->builtins, name);
}

/* A built-in name of CPython: undefined where there is no Python. */
static const value *builtin_of_python(gpa_vm *vm, const char *module, gpa_sym name, gpa_code *rc) {
    const value *v = foreign_name(vm, module, name, rc);
    if (*rc == GPA_E_NO_MODULE) {
        vm_clear_error(vm);
        *rc = GPA_OK;
    }
    return v;
}

/* The value of such a name; NULL if it is none, or (*rc) creating its module fails. */
static const value *from_unimported(gpa_vm *vm, gpa_sym name, gpa_code *rc) {
    char wanted[32];
    module_obj *m = NULL;
    int n = snprintf(wanted, sizeof wanted, " %s ", sym_text(vm, name));
    for (size_t i = 0; i < COUNT_OF(unimported) && n < (int)sizeof wanted; i++)
        if (strstr(unimported[i].names, wanted)) {
            if (is_foreign_plotting(vm, unimported[i].module))
                return foreign_name(vm, unimported[i].module, name, rc);
            if (strncmp(unimported[i].module, "python.", strlen("python.")) == 0)
                return builtin_of_python(vm, unimported[i].module, name, rc);
            *rc = vm_import(vm, unimported[i].module, &m);
            return *rc ? NULL : builtin_slot(m, name);
        }
    return NULL;
}

const value *module_fallback(gpa_vm *vm, module_obj *m, int32_t slot) {
    gpa_sym name = m->names[slot];
    const value *v = builtin_slot(m->globals, name);
    gpa_code rc = GPA_OK;
    if (v) return v;
    v = builtin_of(vm, name);
    if (!v && vm->sealed) v = from_unimported(vm, name, &rc);
    if (!v) {
        if (!rc) raise_name(vm, m, name);
        return NULL;
    }
    if (vm->sealed && !m->globals)
        m->builtins[slot] = *v; /* built-in modules do not change once sealed */
    return v;
}

module_obj *module_new(gpa_vm *vm, gpa_sym name) {
    module_obj *m = mem_zero(sizeof *m);
    if (!m) {
        vm_no_memory(vm);
        return NULL;
    }
    m->head = (obj){1, V_MODULE};
    m->name = name;
    m->doc = v_none();
    m->vm = vm;
    m->next = vm->modules;
    m->link = &vm->modules;
    if (m->next) m->next->link = &m->next;
    vm->modules = m;
    return m;
}

gpa_code module_fill(gpa_vm *vm, module_obj *m, native_owner owner) {
    size_t n;
    gpa_code rc = GPA_OK;
    const native *rows = native_rows(owner, &n);
    for (size_t i = 0; i < n && !rc; i++)
        rc = module_set_text(vm, m, rows[i].name, (value){.tag = V_NATIVE, .native = &rows[i]});
    const native_const *consts = native_consts(owner, &n);
    for (size_t i = 0; i < n && !rc; i++) {
        value v = v_none();
        rc = native_const_value(vm, owner, consts[i].name, &v);
        if (!rc && v.tag != V_UNSET) rc = module_set_text(vm, m, consts[i].name, v);
        value_release(vm, v);
    }
    return rc;
}

gpa_code module_dict(gpa_vm *vm, module_obj *m, value *out) {
    if (m->dict) {
        *out = value_retain(v_obj(V_DICT, m->dict));
        return module_update_dict(m);
    }
    value d = v_dict(vm);
    if (d.tag == V_UNSET) return GPA_E_MEMORY;
    gpa_code rc = GPA_OK;
    for (uint32_t i = 0; i < m->n && !rc; i++)
        if (m->slots[i].tag != V_UNSET)
            rc = dict_set_text(vm, d.dict, sym_text(vm, m->names[i]), m->slots[i]);
    if (!rc && !m->builtin) rc = module_bind_dict(vm, m, d.dict);
    if (!rc)
        *out = d;
    else
        value_release(vm, d);
    return rc;
}
