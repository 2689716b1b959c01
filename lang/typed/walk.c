/* The walk over a function: types, slots, what lies outside, and the rounds until nothing changes.
 *
 * Invariant: the order in which slots are asked for does not depend on types, so a slot of one round is that of the
 * next. Types only widen, so the rounds end. The kir of a round that changed something is thrown away unread.
 *
 * Reading order: errors, types, slots, kir, outside, rounds, the list of what was compiled. */
#include <stdio.h>
#include <string.h>

#include "lang/arena.h"
#include "lang/container.h"
#include "lang/typed/lower.h"

/* ---- errors ---- */

const char *typed_name(typed_ty t) {
    static const char *const weak[] = {"", "bool", "int", "float", "complex"};
    if (t.dtype >= DT_COUNT) return "nothing";
    if (!t.weak) return dtype_info[t.dtype].name;
    return weak[t.dtype == DT_BOOL ? WEAK_BOOL : t.dtype == DT_I64 ? WEAK_INT : t.dtype == DT_F64 ? WEAK_FLOAT : WEAK_COMPLEX];
}

gpa_code typed_fail(walk *w, const ast_node *at, gpa_code code, const char *fmt, ...) {
    gpa_err *e = vm_err(w->vm);
    va_list ap;
    va_start(ap, fmt);
    gpa_failv(e, code, fmt, ap);
    va_end(ap);
    if (!at) return e->code;
    gpa_span span = at->kind == AST_BINARY ? at->binary.op_span : at->kind == AST_AUGASSIGN ? at->augassign.op_span : at->span;
    return gpa_fail_at(e, span);
}

void typed_note(walk *w, const ast_node *at, tv v) {
    if (!at) return;
    if (v.kind == TV_NUMBER) gpa_err_note(vm_err(w->vm), at->span, "%s", typed_name(v.t));
    else gpa_err_note(vm_err(w->vm), at->span, "%s", v.kind == TV_TUPLE ? "tuple" : value_type_name(v.is));
}

/* ---- types ---- */

static gpa_weak weakness(typed_ty t) {
    if (!t.weak) return WEAK_NO;
    return t.dtype == DT_BOOL ? WEAK_BOOL : t.dtype == DT_I64 ? WEAK_INT : t.dtype == DT_F64 ? WEAK_FLOAT : WEAK_COMPLEX;
}

typed_ty typed_join(typed_ty a, typed_ty b) {
    if (a.dtype == DT_NONE) return b;
    if (b.dtype == DT_NONE) return a;
    if (a.weak && b.weak) return weakness(a) > weakness(b) ? a : b;
    if (a.weak) return (typed_ty){.dtype = (uint8_t)dtype_of_weak(weakness(a), (gpa_dtype)b.dtype)};
    if (b.weak) return (typed_ty){.dtype = (uint8_t)dtype_of_weak(weakness(b), (gpa_dtype)a.dtype)};
    return (typed_ty){.dtype = (uint8_t)dtype_promote((gpa_dtype)a.dtype, (gpa_dtype)b.dtype)};
}

static bool same_ty(typed_ty a, typed_ty b) { return a.dtype == b.dtype && a.weak == b.weak; }

/* ---- kir ---- */

int32_t typed_emit(walk *w, kir_code code, gpa_dtype t, int32_t a, int32_t b, int32_t c, uint32_t imm) {
    return kir_emit(w->f, (kir_ins){.code = (uint8_t)code, .type = (uint8_t)t, .a = a, .b = b, .c = c, .imm = imm});
}

int32_t typed_cast(walk *w, tv v, typed_ty t) { return kir_cast(w->f, (gpa_dtype)t.dtype, v.v); }

void typed_open(walk *w, kir_code code, gpa_dtype t, int32_t a, int32_t b, int32_t c) {
    kir_open(w->f, (kir_ins){.code = (uint8_t)code, .type = (uint8_t)t, .a = a, .b = b, .c = c});
    w->nest++;
    if (code != KIR_IF) w->regions++;
}

void typed_close(walk *w, kir_code code) {
    kir_close(w->f);
    w->nest--;
    if (code != KIR_IF) w->regions--;
}

/* ---- slots ---- */

int32_t typed_slot(walk *w) {
    if (w->n_slots == w->known_slots) {
        if (!mem_room(&w->slots, w->n_slots, &w->cap_slots, sizeof *w->slots)) return -1;
        w->slots[w->n_slots] = (slot){.t.dtype = DT_NONE};
        w->known_slots++;
    }
    slot *s = &w->slots[w->n_slots];
    s->bound = false;
    s->nest = w->nest;
    s->var = -1;
    /* One place for all assignments: where the slot is made, every use lies inside or behind. */
    if (s->stored && s->t.dtype != DT_NONE) s->var = typed_emit(w, KIR_VAR, (gpa_dtype)s->t.dtype, -1, -1, -1, 0);
    return (int32_t)w->n_slots++;
}

gpa_code typed_assign(walk *w, const ast_node *at, int32_t i, tv v) {
    slot *s = &w->slots[i];
    bool straight = w->nest == s->nest && !s->stored;
    if (straight) s->direct = v;
    if (straight) s->bound = true;
    if (v.kind != TV_NUMBER && straight) return GPA_OK;
    if (v.kind != TV_NUMBER)
        return typed_fail(w, at, GPA_E_UNSUPPORTED, "a variable that is assigned in a branch or a loop holds a number, not a %s",
                          v.kind == TV_TUPLE ? "tuple" : value_type_name(v.is));
    typed_ty t = typed_join(s->t, v.t);
    if (straight) { /* what it holds now; a later branch must know all that it held */
        if (t.dtype != DT_NONE) s->t = t;
        return GPA_OK;
    }
    if (t.dtype == DT_NONE) return typed_fail(w, at, GPA_E_TYPE, "the variable would be both %s and %s", typed_name(s->t), typed_name(v.t));
    if (!same_ty(t, s->t) || !s->stored) {
        s->t = t;
        s->stored = w->changed = true;
        s->var = typed_emit(w, KIR_VAR, (gpa_dtype)t.dtype, -1, -1, -1, 0);
    }
    s->bound = true;
    typed_emit(w, KIR_SET, DT_NONE, s->var, typed_cast(w, v, t), -1, 0);
    return GPA_OK;
}

tv typed_read(walk *w, int32_t i) {
    slot *s = &w->slots[i];
    if (!s->stored) return s->direct;
    return (tv){.kind = TV_NUMBER, .t = s->t, .v = typed_emit(w, KIR_GET, (gpa_dtype)s->t.dtype, s->var, -1, -1, 0)};
}

/* ---- outside ---- */

/* A number or anything else as an operand: false for what is no number. */
static bool number_of(gpa_vm *vm, value v, gpa_opnd *out, gpa_code *rc) {
    value now = v_unset();
    *out = (gpa_opnd){0};
    *rc = GPA_OK;
    if (v.tag == V_ARRAY && !v.aux) return false;
    *rc = value_now(vm, v, &now);
    if (*rc) return false;
    bool is = now.tag == V_BOOL || now.tag == V_INT || now.tag == V_FLOAT || now.tag == V_NUM || now.tag == V_COMPLEX;
    if (is) *rc = arg_opnd(vm, now, out);
    value_release(vm, now);
    return is && !*rc;
}

static value current(gpa_vm *vm, const typed_dep *d) {
    if (!d->module) return d->cell.cell->v;
    value v = module_get_peek(d->module, d->name);
    return v.tag == V_UNSET ? vm_builtin_peek(vm, d->name) : v;
}

static gpa_code keep(walk *w, value v) { return list_append(w->vm, w->kept.list, v); }

static gpa_code not_number(walk *w, const ast_node *at, value v, tv *out) {
    if (v.tag == V_ARRAY || v.tag == V_LIST || v.tag == V_DICT || v.tag == V_STR || v.tag == V_SET)
        return typed_fail(w, at, GPA_E_TYPE, "a compiled function of numbers cannot use a %s; give it as an argument",
                          value_type_name(v));
    *out = (tv){.kind = TV_STATIC, .is = v};
    return keep(w, v);
}

gpa_code typed_value(walk *w, const ast_node *at, value v, tv *out) {
    gpa_opnd o;
    gpa_code rc;
    if (!number_of(w->vm, v, &o, &rc)) return rc ? rc : not_number(w, at, v, out);
    typed_ty t = typed_of(&o);
    *out = (tv){.kind = TV_NUMBER, .t = t, .v = kir_const(w->f, (gpa_dtype)t.dtype, o.v)};
    return GPA_OK;
}

/* The number of the parameter for dependence i. */
static uint32_t param_of(const walk *w, size_t i) {
    uint32_t n = (uint32_t)w->to->n_args;
    for (size_t k = 0; k < i; k++) n += w->to->deps[k].ty.dtype != DT_NONE;
    return n;
}

static gpa_code depend(walk *w, const ast_node *at, typed_dep d, tv *out) {
    typed_fn *to = w->to;
    size_t i = 0;
    while (i < to->n_deps && (to->deps[i].module != d.module || to->deps[i].name != d.name || (!d.module && to->deps[i].cell.cell != d.cell.cell))) i++;
    if (i == to->n_deps) {
        gpa_opnd o;
        gpa_code rc;
        value v = current(w->vm, &d);
        if (v.tag == V_UNSET)
            return typed_fail(w, at, GPA_E_NAME, "name '%s' is not defined", intern_text(vm_names(w->vm), d.name));
        d.ty.dtype = DT_NONE;
        bool number = number_of(w->vm, v, &o, &rc);
        if (rc) return rc;
        if (!mem_room(&to->deps, to->n_deps, &to->cap_deps, sizeof *to->deps)) return vm_no_memory(w->vm);
        if (number) d.ty = typed_of(&o);
        d.was = number ? v_none() : value_retain(v);
        value_retain(d.cell);
        to->deps[to->n_deps++] = d;
        if (number && param_of(w, to->n_deps) > BODY_MAX_IN)
            return typed_fail(w, at, GPA_E_UNSUPPORTED, "a compiled function has at most %d arguments and global numbers", BODY_MAX_IN);
        if (number) kir_add_param(w->f, (gpa_dtype)d.ty.dtype);
    }
    const typed_dep *have = &to->deps[i];
    if (have->ty.dtype == DT_NONE) return not_number(w, at, have->was, out);
    *out = (tv){.kind = TV_NUMBER, .t = have->ty};
    out->v = typed_emit(w, KIR_PARAM, (gpa_dtype)have->ty.dtype, -1, -1, -1, param_of(w, i));
    return GPA_OK;
}

gpa_code typed_outside(walk *w, const ast_node *n, tv *out) {
    typed_dep d = {.module = w->frame->fn->module, .name = n->name.name, .cell = v_none()};
    if (n->name.place.where == AST_IN_FREE) {
        d.module = NULL;
        d.cell = w->frame->fn->free[n->name.place.slot];
    }
    return depend(w, n, d, out);
}

gpa_code typed_member(walk *w, const ast_node *n, module_obj *m, tv *out) {
    if (!m->builtin) return depend(w, n, (typed_dep){.module = m, .name = n->attr.name, .cell = v_none()}, out);
    value v = v_none();
    gpa_code rc = vm_attr(w->vm, v_obj(V_MODULE, m), intern_text(vm_names(w->vm), n->attr.name), &v);
    if (rc) return gpa_fail_at(vm_err(w->vm), n->attr.name_span);
    rc = typed_value(w, n, v, out);
    value_release(w->vm, v);
    return rc;
}

/* ---- rounds ---- */

static void begin_round(walk *w, const func_obj *fn) {
    kir_reset(w->f, KIR_MAP, func_name(w->vm, fn));
    w->n_slots = w->n_shapes = 0;
    w->changed = false;
    w->nest = w->regions = 0;
    for (int i = 0; i < w->to->n_args; i++) kir_add_param(w->f, (gpa_dtype)w->to->args[i].dtype);
    for (size_t i = 0; i < w->to->n_deps; i++)
        if (w->to->deps[i].ty.dtype != DT_NONE) kir_add_param(w->f, (gpa_dtype)w->to->deps[i].ty.dtype);
}

static gpa_code one_round(walk *w, func_obj *fn, tv *out) {
    tv args[BODY_MAX_IN];
    w->frame = NULL;
    begin_round(w, fn);
    for (int i = 0; i < w->to->n_args; i++) {
        typed_ty t = w->to->args[i];
        args[i] = (tv){.kind = TV_NUMBER, .t = t, .v = typed_emit(w, KIR_PARAM, (gpa_dtype)t.dtype, -1, -1, -1, (uint32_t)i)};
    }
    gpa_code rc = typed_inline(w, func_node(fn), fn, args, out);
    if (!rc && out->kind != TV_NUMBER)
        rc = typed_fail(w, func_node(fn), GPA_E_TYPE, "a ufunc gives one number, not a %s",
                        out->kind == TV_TUPLE ? "tuple" : value_type_name(out->is));
    return rc;
}

/* Which call asked, for the reader of an error. */
static void say_types(gpa_vm *vm, const func_obj *fn, const typed_fn *t) {
    char text[120];
    int at = snprintf(text, sizeof text, "%s(", func_name(vm, fn));
    for (int i = 0; i < t->n_args && at < (int)sizeof text - 16; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s%s", i ? ", " : "", typed_name(t->args[i]));
    if (!vm_err(vm)->hint[0]) gpa_err_hint(vm_err(vm), "compiled for %s)", text);
}

static gpa_code compile(gpa_vm *vm, func_obj *fn, typed_fn *t) {
    walk w = {.vm = vm, .to = t, .kept = v_list(vm, 0, NULL), .arena = arena_new()};
    gpa_code rc = GPA_OK;
    tv result = {0};
    w.f = kir_new(KIR_MAP, func_name(vm, fn));
    if (!w.f || !w.arena || w.kept.tag == V_UNSET) TRY(vm_no_memory(vm));
    do {
        TRY(vm_poll(vm));
        TRY(one_round(&w, fn, &result));
    } while (w.changed);
    typed_ty to = t->result.dtype == DT_NONE ? result.t : t->result;
    int32_t v = typed_cast(&w, result, to);
    kir_func *f = w.f;
    w.f = NULL;
    rc = body_new_take(f, v, &t->body, vm_err(vm));
out:
    if (rc) {
        say_types(vm, fn, t);
        vm_trace_inner(vm, fn->name);
    }
    kir_free(w.f);
    arena_free(w.arena);
    mem_free(w.slots);
    mem_free(w.shapes);
    value_release(vm, w.kept);
    return rc;
}

/* ---- the list ---- */

static void free_one(gpa_vm *vm, typed_fn *t) {
    for (size_t i = 0; i < t->n_deps; i++) {
        value_release(vm, t->deps[i].cell);
        value_release(vm, t->deps[i].was);
    }
    mem_free(t->deps);
    body_release(t->body);
    mem_free(t);
}

void typed_free_all(gpa_vm *vm, typed_fn *list) {
    while (list) {
        typed_fn *next = list->next;
        free_one(vm, list);
        list = next;
    }
}

static bool still_true(gpa_vm *vm, const typed_fn *t) {
    for (size_t i = 0; i < t->n_deps; i++) {
        const typed_dep *d = &t->deps[i];
        value v = current(vm, d);
        gpa_opnd o;
        gpa_code rc;
        bool number = number_of(vm, v, &o, &rc);
        if (rc || number != (d->ty.dtype != DT_NONE)) return false;
        if (number ? !same_ty(typed_of(&o), d->ty) : !value_is(v, d->was)) return false;
    }
    return true;
}

static bool same_args(const typed_fn *t, const typed_ty *args, int n, gpa_dtype result) {
    bool same = t->n_args == n && t->result.dtype == result;
    for (int i = 0; i < n && same; i++) same = same_ty(t->args[i], args[i]);
    return same;
}

gpa_code typed_get(gpa_vm *vm, typed_fn **known, func_obj *fn, typed_form form, const typed_ty *args, int n, gpa_dtype result,
                   typed_fn **out) {
    for (typed_fn **at = known; *at; at = &(*at)->next) {
        typed_fn *t = *at;
        if (t->form != form || !same_args(t, args, n, result)) continue;
        *at = t->next; /* to the front, or away */
        if (!still_true(vm, t)) {
            free_one(vm, t);
            break;
        }
        t->next = *known;
        *out = *known = t;
        return GPA_OK;
    }
    typed_fn *t = mem_zero(sizeof *t);
    if (!t) return vm_no_memory(vm);
    t->form = form;
    t->n_args = n;
    memcpy(t->args, args, (size_t)n * sizeof *args);
    t->result = (typed_ty){.dtype = (uint8_t)result};
    gpa_code rc = compile(vm, fn, t);
    if (rc) {
        free_one(vm, t);
        return rc;
    }
    t->next = *known;
    *out = *known = t;
    return GPA_OK;
}

gpa_code typed_numbers(gpa_vm *vm, const typed_fn *t, gpa_opnd *to) {
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < t->n_deps && !rc; i++)
        if (t->deps[i].ty.dtype != DT_NONE && number_of(vm, current(vm, &t->deps[i]), to, &rc)) to++;
    return rc;
}
