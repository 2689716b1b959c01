/* Name scopes of magics: the names of the module that contains the magic, and within a function the
 * function's variables before them.
 *
 * For a function, a temporary module is filled with both while the magic runs; assignments of the
 * magic to other names go to the function's module afterwards. Magics may run within magics, so
 * there are several such modules; they are reused. */
#include "lang/session/state.h"

module_obj *session_scope(gpa_session *s) { return s->scope ? s->scope : vm_main(s->vm); }

static void count_local(void *user, gpa_sym name, value v) {
    (void)name, (void)v;
    ++*(size_t *)user;
}

typedef struct {
    gpa_session *s;
    module_obj *to;
    gpa_code rc;
} filling;

static void set_local(void *user, gpa_sym name, value v) {
    filling *f = user;
    if (!f->rc) f->rc = module_set(f->s->vm, f->to, name, v);
}

typedef struct {
    gpa_sym name;
    bool found;
} lookup;

static void find_local(void *user, gpa_sym name, value v) {
    (void)v;
    if (name == ((lookup *)user)->name) ((lookup *)user)->found = true;
}

static void empty(gpa_session *s, module_obj *m) {
    for (uint32_t i = 0; i < m->n; i++) module_set(s->vm, m, m->names[i], v_unset());
}

gpa_code scope_enter(gpa_session *s, scope_mark *mark) {
    size_t locals = 0;
    *mark = (scope_mark){s->scope, vm_module(s->vm), NULL};
    s->scope = mark->base;
    vm_locals(s->vm, count_local, &locals);
    if (!locals || s->n_scopes == SCOPES) return GPA_OK;
    gpa_code rc =
        s->scopes[s->n_scopes] ? GPA_OK : vm_module_new(s->vm, "<magic>", &s->scopes[s->n_scopes]);
    if (rc) return rc;
    filling f = {s, s->scopes[s->n_scopes], GPA_OK};
    for (uint32_t i = 0; i < mark->base->n && !f.rc; i++)
        if (mark->base->slots[i].tag != V_UNSET)
            f.rc = module_set(s->vm, f.to, mark->base->names[i], mark->base->slots[i]);
    if (!f.rc) vm_locals(s->vm, set_local, &f);
    if (f.rc) {
        empty(s, f.to);
        return f.rc;
    }
    mark->filled = s->scope = f.to;
    s->n_scopes++;
    return GPA_OK;
}

void scope_leave(gpa_session *s, const scope_mark *mark) {
    module_obj *m = mark->filled;
    s->scope = mark->outer;
    if (!m) return;
    s->n_scopes--;
    for (uint32_t i = 0; i < m->n; i++) {
        lookup l = {m->names[i], false};
        vm_locals(s->vm, find_local, &l);
        if (!l.found && !value_is(m->slots[i], module_get_peek(mark->base, l.name)))
            module_set(s->vm, mark->base, l.name, m->slots[i]);
    }
    empty(s, m);
}
