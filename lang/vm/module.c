/* Modules: variables in slots, found by name once. */
#include <stdio.h>

#include "lang/vm/machine.h"

#include "runtime/base/base.h"

#include "lang/numpy/numpy.h"

static uint32_t hash_sym(gpa_sym s) { return s * 0x9e3779b1u; }

/* The slot of a name + 1, or 0. */
static uint32_t find(const module_obj *m, gpa_sym name) {
    if (!m->n_index) return 0;
    uint32_t mask = m->n_index - 1;
    for (uint32_t at = hash_sym(name) >> 7 & mask; m->index[at]; at = (at + 1) & mask)
        if (m->names[m->index[at] - 1] == name) return m->index[at];
    return 0;
}

static bool grow_index(module_obj *m) {
    uint32_t n = m->n_index ? m->n_index * 2 : 32;
    uint32_t *index = mem_zero(n * sizeof *index);
    if (!index) return false;
    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t at = hash_sym(m->names[i]) >> 7 & (n - 1);
        while (index[at]) at = (at + 1) & (n - 1);
        index[at] = i + 1;
    }
    mem_free(m->index);
    m->index = index;
    m->n_index = n;
    return true;
}

static bool grow_slots(module_obj *m) {
    uint32_t cap = m->cap ? m->cap * 2 : 16;
    gpa_sym *names = mem_resize(m->names, cap * sizeof *names);
    if (names) m->names = names;
    value *slots = names ? mem_resize(m->slots, cap * sizeof *slots) : NULL;
    if (slots) m->slots = slots;
    value *builtins = slots ? mem_resize(m->builtins, cap * sizeof *builtins) : NULL;
    if (builtins) m->builtins = builtins;
    if (!builtins) return false;
    m->cap = cap;
    return true;
}

int32_t module_slot(gpa_vm *vm, module_obj *m, gpa_sym name) {
    uint32_t known = find(m, name);
    if (known) return (int32_t)known - 1;
    if ((m->n == m->cap && !grow_slots(m)) || (m->n * 2 >= m->n_index && !grow_index(m))) {
        vm_no_memory(vm);
        return -1;
    }
    uint32_t at = hash_sym(name) >> 7 & (m->n_index - 1);
    while (m->index[at]) at = (at + 1) & (m->n_index - 1);
    m->names[m->n] = name;
    m->slots[m->n] = v_unset();
    m->builtins[m->n] = v_unset();
    m->index[at] = ++m->n;
    return (int32_t)m->n - 1;
}

value module_get_peek(const module_obj *m, gpa_sym name) {
    uint32_t at = find(m, name);
    return at ? m->slots[at - 1] : v_unset();
}

value module_get_text_peek(gpa_vm *vm, const module_obj *m, const char *name) {
    gpa_sym s = intern_find(vm->config.names, name, strlen(name));
    return s ? module_get_peek(m, s) : v_unset();
}

gpa_code module_set(gpa_vm *vm, module_obj *m, gpa_sym name, value v) {
    int32_t at = module_slot(vm, m, name);
    if (at < 0) return GPA_E_MEMORY;
    value old = m->slots[at];
    m->slots[at] = value_retain(v);
    value_release(vm, old);
    return GPA_OK;
}

gpa_code module_set_text(gpa_vm *vm, module_obj *m, const char *name, value v) {
    gpa_sym s = intern_get(vm->config.names, name, strlen(name));
    return s ? module_set(vm, m, s, v) : vm_no_memory(vm);
}

static value *builtin_slot(module_obj *m, gpa_sym name) {
    uint32_t at = m ? find(m, name) : 0;
    return at && m->slots[at - 1].tag != V_UNSET ? &m->slots[at - 1] : NULL;
}

static value *builtin_of(gpa_vm *vm, gpa_sym name) {
    value *v = builtin_slot(vm->builtins, name);
    return v ? v : builtin_slot(vm->numpy, name);
}

value vm_builtin_peek(gpa_vm *vm, gpa_sym name) {
    const value *v = builtin_of(vm, name);
    return v ? *v : v_unset();
}

/* Names of other modules that are there without an import. Their modules are made when one of them
 * is first asked for. */
static const struct {
    const char *module, *names;
} unimported[] = {
    {"matplotlib.pyplot",
     " plot scatter hist bar barh errorbar imshow pcolormesh contour contourf fill_between axhline "
     "axvline annotate text xlabel "
     "ylabel title suptitle legend xlim ylim xscale yscale loglog semilogx semilogy grid colorbar "
     "figure subplot subplots "
     "tight_layout show savefig "},
    {"IPython.display", " display update_display HTML Markdown image table "},
};

/* The value of such a name; NULL where it is none, or (*rc) its module fails. */
static const value *from_unimported(gpa_vm *vm, gpa_sym name, gpa_code *rc) {
    char wanted[32];
    module_obj *m = NULL;
    int n = snprintf(wanted, sizeof wanted, " %s ", sym_text(vm, name));
    for (size_t i = 0; i < COUNT_OF(unimported) && n < (int)sizeof wanted; i++)
        if (strstr(unimported[i].names, wanted)) {
            *rc = vm_import(vm, unimported[i].module, &m);
            return *rc ? NULL : builtin_slot(m, name);
        }
    return NULL;
}

const value *module_fallback(gpa_vm *vm, module_obj *m, int32_t slot) {
    gpa_sym name = m->names[slot];
    const value *v = builtin_of(vm, name);
    gpa_code rc = GPA_OK;
    if (!v && vm->sealed) v = from_unimported(vm, name, &rc);
    if (!v) {
        if (!rc) raise_name(vm, m, name);
        return NULL;
    }
    if (vm->sealed)
        m->builtins[slot] = *v; /* the values of built-in modules do not change any more */
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
    m->next = vm->modules;
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

void module_clear(gpa_vm *vm, module_obj *m) {
    for (uint32_t i = 0; i < m->n; i++) {
        value v = m->slots[i];
        m->slots[i] = v_unset();
        value_release(vm, v);
    }
}

void module_free(gpa_vm *vm, module_obj *m) {
    module_clear(vm, m);
    value_release(vm, m->doc);
    mem_free(m->names);
    mem_free(m->slots);
    mem_free(m->builtins);
    mem_free(m->index);
    mem_free(m);
}
