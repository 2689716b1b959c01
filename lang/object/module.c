/* Module namespaces: slots of variables, found through a hash table of slot numbers, at most half
 * full. */
#include "lang/object/module.h"

#include "lang/object/container.h"

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

int32_t module_find(const module_obj *m, gpa_sym name) { return (int32_t)find(m, name) - 1; }

value module_get_peek(const module_obj *m, gpa_sym name) {
    uint32_t at = find(m, name);
    return at ? m->slots[at - 1] : v_unset();
}

value module_get_text_peek(gpa_vm *vm, const module_obj *m, const char *name) {
    gpa_sym s = intern_find(vm_names(vm), name, strlen(name));
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
    gpa_sym s = intern_get(vm_names(vm), name, strlen(name));
    return s ? module_set(vm, m, s, v) : vm_no_memory(vm);
}

/* ---- the dict of the variables ---- */

gpa_code module_update_dict(const module_obj *m) {
    gpa_vm *vm = m->vm;
    dict_obj *d = m->dict;
    gpa_code rc = GPA_OK;
    d->module = NULL; /* the changes below are not variables of the program's making */
    for (uint32_t i = 0; i < m->n && !rc; i++) {
        const char *name = intern_text(vm_names(vm), m->names[i]);
        bool found;
        value now = dict_text_peek(vm, d, name);
        if (m->slots[i].tag != V_UNSET && !value_is(now, m->slots[i])) {
            rc = dict_set_text(vm, d, name, m->slots[i]);
        } else if (m->slots[i].tag == V_UNSET && now.tag != V_UNSET) {
            value key = v_cstr(vm, name);
            rc = key.tag == V_UNSET ? GPA_E_MEMORY : dict_remove(vm, d, key, &found);
            value_release(vm, key);
        }
    }
    d->module = (module_obj *)m;
    return rc;
}

gpa_code module_bind_dict(gpa_vm *vm, module_obj *m, dict_obj *d) {
    size_t at = 0;
    gpa_code rc = GPA_OK;
    for (dict_entry *e; !rc && (e = dict_next(d, &at));)
        if (e->key.tag == V_STR) rc = module_set_text(vm, m, e->key.str->text, e->v);
    if (rc) return rc;
    m->dict = d;
    d->module = m;
    return module_update_dict(m);
}

void module_keep(module_obj *m) {
    m->temporary = false;
    if (m->globals) m->globals->temporary = false;
}

void module_clear(gpa_vm *vm, module_obj *m) {
    value dict = m->dict ? value_retain(v_obj(V_DICT, m->dict)) : v_none();
    if (m->dict) m->dict->module = NULL;
    m->dict = NULL;
    for (uint32_t i = 0; i < m->n; i++) {
        value v = m->slots[i];
        m->slots[i] = v_unset();
        value_release(vm, v);
    }
    if (dict.tag == V_DICT) dict_clear(vm, dict.dict);
    value_release(vm, dict);
}

void module_free(gpa_vm *vm, module_obj *m) {
    module_clear(vm, m);
    *m->link = m->next;
    if (m->next) m->next->link = m->link;
    value_release(vm, m->doc);
    mem_free(m->names);
    mem_free(m->slots);
    mem_free(m->builtins);
    mem_free(m->index);
    mem_free(m);
}
