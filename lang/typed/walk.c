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
#include "lang/typed/loop.h"

/* ---- errors ---- */

const char *typed_name(typed_ty t) {
    static const char *const weak[] = {"", "bool", "int", "float", "complex"};
    static const char *const arrays[DT_COUNT][KIR_MAX_DIMS + 1] = {
#define DT(id, name, ...)                                                                                        \
    [DT_##id] = {name "[()]", name "[:]", name "[:,:]", name "[:,:,:]", name "[:,:,:,:]", name "[:,:,:,:,:]",     \
                 name "[:,:,:,:,:,:]", name "[:,:,:,:,:,:,:]", name "[:,:,:,:,:,:,:,:]"},
#include "runtime/dtype.def"
#undef DT
    };
    if (t.dtype >= DT_COUNT) return "nothing";
    if (t.rank) return arrays[t.dtype][t.rank - 1];
    if (!t.weak) return dtype_info[t.dtype].name;
    return weak[t.dtype == DT_BOOL ? WEAK_BOOL : t.dtype == DT_I64 ? WEAK_INT : t.dtype == DT_F64 ? WEAK_FLOAT : WEAK_COMPLEX];
}

const char *typed_kind(const tv *v) {
    switch (v->kind) {
        case TV_NUMBER:
        case TV_ARRAY: return typed_name(v->t);
        case TV_TUPLE: return "tuple";
        case TV_NONE: return "NoneType";
        case TV_STATIC: break;
    }
    return value_type_name(v->is);
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
    if (at) gpa_err_note(vm_err(w->vm), at->span, "%s", typed_kind(&v));
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

bool typed_same(typed_ty a, typed_ty b) { return a.dtype == b.dtype && a.weak == b.weak && a.rank == b.rank && a.unit == b.unit; }

typed_ty typed_of_array(const gpa_arr *a) {
    bool unit = a->ndim && a->strides[a->ndim - 1] == 1;
    return (typed_ty){.dtype = a->dtype, .rank = (uint8_t)(a->ndim + 1), .unit = unit};
}

/* ---- kir ---- */

int32_t typed_emit(walk *w, kir_code code, gpa_dtype t, int32_t a, int32_t b, int32_t c, uint32_t imm) {
    return kir_emit(w->f, (kir_ins){.code = (uint8_t)code, .type = (uint8_t)t, .a = a, .b = b, .c = c, .imm = imm});
}

int32_t typed_cast(walk *w, tv v, typed_ty t) { return kir_cast(w->f, (gpa_dtype)t.dtype, v.v); }

/* The regions by number: what was made in one is known while it is open. */
static void enter_region(walk *w) {
    if (mem_room(&w->open, w->n_open, &w->cap_open, sizeof *w->open)) w->open[w->n_open++] = ++w->n_numbered;
    else w->f->failed = true;
}

static bool is_open(const walk *w, uint32_t region) {
    bool found = region == 0;
    for (size_t i = 0; i < w->n_open && !found; i++) found = w->open[i] == region;
    return found;
}

static uint32_t innermost(const walk *w) { return w->n_open ? w->open[w->n_open - 1] : 0; }

void typed_else(walk *w) {
    typed_emit(w, KIR_ELSE, DT_NONE, -1, -1, -1, 0);
    if (w->n_open) w->n_open--;
    enter_region(w);
}

void typed_open(walk *w, kir_code code, gpa_dtype t, int32_t a, int32_t b, int32_t c) {
    enter_region(w);
    kir_open(w->f, (kir_ins){.code = (uint8_t)code, .type = (uint8_t)t, .a = a, .b = b, .c = c});
    w->nest++;
    if (code != KIR_IF) w->regions++;
}

void typed_close(walk *w, kir_code code) {
    kir_close(w->f);
    if (w->n_open) w->n_open--;
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
    s->var = s->flag = -1;
    s->latest_region = s->counter_region = UINT32_MAX;
    /* One place for all assignments: where the slot is made, every use lies inside or behind. */
    if (s->stored && s->t.dtype != DT_NONE) s->var = typed_emit(w, KIR_VAR, (gpa_dtype)s->t.dtype, -1, -1, -1, 0);
    return (int32_t)w->n_slots++;
}

/* An array or a tuple in a branch or a loop: it is known until that ends. What was assigned outside cannot change inside,
 * since what follows, or the next trip, would have to know which it is. */
static gpa_code assign_inside(walk *w, const ast_node *at, slot *s, tv v) {
    uint32_t here = innermost(w);
    if (s->stored) return typed_fail(w, at, GPA_E_TYPE, "the variable would be both %s and %s", typed_name(s->t), typed_kind(&v));
    if (s->bound && s->region != here && is_open(w, s->region))
        return typed_fail(w, at, GPA_E_UNSUPPORTED, "a variable that holds a %s before a branch or a loop cannot change in it", typed_kind(&s->direct));
    s->direct = v;
    s->bound = true;
    s->region = here;
    return GPA_OK;
}

gpa_code typed_assign(walk *w, const ast_node *at, int32_t i, tv v) {
    slot *s = &w->slots[i];
    bool straight = w->nest == s->nest && !s->stored;
    if (v.kind != TV_NUMBER && !straight) return assign_inside(w, at, s, v);
    if (straight) {
        s->direct = v;
        s->bound = true;
        s->region = innermost(w);
    }
    if (v.kind != TV_NUMBER) return GPA_OK;
    typed_ty t = typed_join(s->t, v.t);
    if (straight) { /* what it holds now; a later branch must know all that it held */
        if (t.dtype != DT_NONE) s->t = t;
        return GPA_OK;
    }
    if (t.dtype == DT_NONE) return typed_fail(w, at, GPA_E_TYPE, "the variable would be both %s and %s", typed_name(s->t), typed_name(v.t));
    if (!typed_same(t, s->t) || !s->stored) {
        s->t = t;
        s->stored = w->changed = true;
        s->var = typed_emit(w, KIR_VAR, (gpa_dtype)t.dtype, -1, -1, -1, 0);
    }
    s->bound = true;
    if (s->flag >= 0) typed_emit(w, KIR_SET, DT_NONE, s->flag, kir_const(w->f, DT_BOOL, (gpa_val){.BOOL = true}), -1, 0);
    s->latest = typed_cast(w, v, t);
    s->latest_region = innermost(w);
    typed_emit(w, KIR_SET, DT_NONE, s->var, s->latest, -1, 0);
    return GPA_OK;
}

void typed_fix(walk *w, int32_t i, uint32_t below) {
    slot *s = &w->slots[i];
    s->counter = s->latest;
    s->counter_below = s->t.dtype == DT_I64 ? below : 0;
    s->counter_region = s->stored ? innermost(w) : UINT32_MAX;
}

bool typed_known(const walk *w, int32_t i) {
    const slot *s = &w->slots[i];
    return s->bound && (s->stored || s->direct.kind == TV_NUMBER || s->direct.kind == TV_STATIC || is_open(w, s->region));
}

tv typed_read(walk *w, int32_t i) {
    slot *s = &w->slots[i];
    if (!s->stored) return s->direct;
    if (s->counter_region != UINT32_MAX && is_open(w, s->counter_region)) return (tv){.kind = TV_NUMBER, .t = s->t, .v = s->counter, .below = s->counter_below};
    if (s->latest_region == innermost(w)) return (tv){.kind = TV_NUMBER, .t = s->t, .v = s->latest};
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

static gpa_code constants(walk *w, const ast_node *at, const tuple_obj *t, tv *out) {
    gpa_code rc = GPA_OK;
    *out = (tv){.kind = TV_TUPLE, .n = (uint32_t)t->count, .items = arena_take(w->arena, (t->count + 1) * sizeof(tv))};
    if (!out->items) return vm_no_memory(w->vm);
    if (t->count > TYPED_MAX_TUPLE) return typed_fail(w, at, GPA_E_UNSUPPORTED, "a compiled function has tuples of at most %d items", TYPED_MAX_TUPLE);
    for (size_t i = 0; i < t->count && !rc; i++) rc = typed_value(w, at, t->items[i], &out->items[i]);
    return rc;
}

static gpa_code not_number(walk *w, const ast_node *at, value v, tv *out) {
    if (v.tag == V_TUPLE) return constants(w, at, v.tuple, out);
    w->host = w->host || v.tag == V_STR || v.tag == V_LIST || v.tag == V_ARRAY;
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

static bool is_number(typed_ty t) { return t.dtype != DT_NONE && !t.rank; }

/* The number of the parameter, or of the array, for dependence i. */
static uint32_t place_of(const walk *w, size_t i, bool array) {
    uint32_t n = 0;
    for (int k = 0; k < w->to->n_args; k++) n += array ? w->to->args[k].rank > 0 : is_number(w->to->args[k]);
    for (size_t k = 0; k < i; k++) n += array ? w->to->deps[k].ty.rank > 0 : is_number(w->to->deps[k].ty);
    return n;
}

static int add_array(walk *w, typed_ty t) {
    return kir_add_array(w->f, (kir_array){.dtype = t.dtype, .where = KIR_GLOBAL, .ndim = w->f->form == KIR_KERNEL ? (uint8_t)(t.rank - 1) : 0,
                                             .group = w->to->form == TYPED_CORE ? (uint16_t)(1 + w->f->n_arrays) : 1});
}

static gpa_code read_dependence(walk *w, const ast_node *at, size_t i, tv *out) {
    const typed_dep *d = &w->to->deps[i];
    if (d->ty.dtype == DT_NONE) return not_number(w, at, d->was, out);
    if (d->ty.rank) return typed_view(w, (int)place_of(w, i, true), d->ty.rank - 1, d->ty.unit, NULL, out);
    *out = (tv){.kind = TV_NUMBER, .t = d->ty};
    out->v = typed_emit(w, KIR_PARAM, (gpa_dtype)d->ty.dtype, -1, -1, -1, place_of(w, i, false));
    return GPA_OK;
}

/* An array of the program: those of dependences stand before shared and local ones, so the next walk declares it. */
static gpa_code new_array(walk *w, const ast_node *at, const gpa_arr *a, typed_dep *d) {
    if (a->ndim > KIR_MAX_DIMS)
        return typed_fail(w, at, GPA_E_UNSUPPORTED, "compiled functions take arrays of at most %d dimensions, not %d", KIR_MAX_DIMS, a->ndim);
    d->ty = typed_of_array(a);
    w->changed = true;
    return GPA_OK;
}

/* The dependence on the same variable, of the same manner; n_deps: there is none. */
static size_t find_dependence(const typed_fn *to, const typed_dep *d) {
    size_t i = 0;
    for (; i < to->n_deps; i++) {
        const typed_dep *x = &to->deps[i];
        if (x->module == d->module && x->name == d->name && x->pinned == d->pinned && (d->module || x->cell.cell == d->cell.cell)) break;
    }
    return i;
}

static gpa_code depend(walk *w, const ast_node *at, typed_dep d, tv *out) {
    typed_fn *to = w->to;
    size_t i = find_dependence(to, &d);
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
        bool array = !number && v.tag == V_ARRAY && w->to->form != TYPED_BODY;
        if (number) d.ty = typed_of(&o);
        if (array && (rc = new_array(w, at, v.array->arr, &d))) return rc;
        d.was = number || array ? v_none() : value_retain(v);
        value_retain(d.cell);
        to->deps[to->n_deps++] = d;
        if (number && place_of(w, to->n_deps, false) > BODY_MAX_IN)
            return typed_fail(w, at, GPA_E_UNSUPPORTED, "a compiled function has at most %d arguments and global numbers", BODY_MAX_IN);
        if (number) kir_add_param(w->f, (gpa_dtype)d.ty.dtype);
        if (array) return typed_view(w, add_array(w, d.ty), d.ty.rank - 1, d.ty.unit, NULL, out);
    }
    return read_dependence(w, at, i, out);
}

static typed_dep outside(const walk *w, const ast_node *n) {
    typed_dep d = {.module = w->frame->fn->module, .name = n->name.name, .cell = v_none()};
    if (n->name.place.where == AST_IN_FREE) {
        d.module = NULL;
        d.cell = w->frame->fn->free[n->name.place.slot];
    }
    return d;
}

gpa_code typed_outside(walk *w, const ast_node *n, tv *out) { return depend(w, n, outside(w, n), out); }

gpa_code typed_pinned(walk *w, const ast_node *n, value *out) {
    typed_fn *to = w->to;
    typed_dep d = outside(w, n);
    d.pinned = true;
    size_t i = find_dependence(to, &d);
    if (i == to->n_deps) {
        value v = current(w->vm, &d);
        if (v.tag == V_UNSET) return typed_fail(w, n, GPA_E_NAME, "name '%s' is not defined", intern_text(vm_names(w->vm), d.name));
        if (!mem_room(&to->deps, to->n_deps, &to->cap_deps, sizeof *to->deps)) return vm_no_memory(w->vm);
        d.ty.dtype = DT_NONE;
        d.was = value_retain(v);
        value_retain(d.cell);
        to->deps[to->n_deps++] = d;
    }
    *out = to->deps[i].was;
    return GPA_OK;
}

gpa_code typed_small(walk *w, const ast_node *n, int64_t most, value *out) {
    typed_dep d = outside(w, n);
    value v = current(w->vm, &d);
    *out = v_unset();
    return v.tag == V_INT && v.i >= 0 && v.i <= most ? typed_pinned(w, n, out) : GPA_OK;
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

static void declare(walk *w, typed_ty t) {
    if (t.rank) add_array(w, t);
    else if (is_number(t)) kir_add_param(w->f, (gpa_dtype)t.dtype);
}

/* Argument i of a CORE function at the current point: a view of its core, or its only element. */
static gpa_code core_argument(walk *w, int i, tv *out) {
    const typed_core *c = &w->to->core;
    typed_ty t = w->to->args[i];
    tview a = {.array = i, .dtype = t.dtype, .ndim = (uint8_t)(t.rank - 1)};
    int32_t apart = -1;
    a.offset = kir_const(w->f, DT_I64, (gpa_val){.I64 = 0});
    for (int d = 0; d < c->loops; d++) {
        int32_t at = typed_emit(w, KIR_INDEX, DT_I64, -1, -1, -1, (uint32_t)d);
        int64_t elements = 1;
        for (int k = 0; k < a.ndim; k++) elements *= c->dim[i][k] < 0 ? 1 : c->fixed[c->dim[i][k]];
        int32_t by = c->packed >> i & 1 ? kir_const(w->f, DT_I64, (gpa_val){.I64 = elements}) : typed_axis(w, KIR_STRIDE, i, d);
        a.offset = kir_op2(w->f, OP_ADD, a.offset, kir_op2(w->f, OP_MULTIPLY, at, by));
    }
    for (int d = a.ndim - 1; d >= 0; d--) {
        int64_t fixed = c->dim[i][d] < 0 ? 1 : c->fixed[c->dim[i][d]];
        a.size[d] = fixed >= 0 ? kir_const(w->f, DT_I64, (gpa_val){.I64 = fixed}) : typed_axis(w, KIR_SIZE, i, c->loops + d);
        bool dense = c->dense >> i & 1;
        a.stride[d] = dense ? apart : typed_axis(w, KIR_STRIDE, i, c->loops + d);
        apart = apart < 0 ? a.size[d] : kir_op2(w->f, OP_MULTIPLY, apart, a.size[d]);
    }
    if (!(c->number >> i & 1)) return typed_sub(w, &a, out);
    *out = typed_load(w, &a);
    return GPA_OK;
}

void typed_begin(walk *w, const func_obj *fn) {
    kir_reset(w->f, w->to->form == TYPED_KERNEL ? KIR_KERNEL : KIR_MAP, func_name(w->vm, fn));
    w->n_slots = w->n_shapes = w->n_open = 0;
    w->n_numbered = 0;
    w->changed = false;
    w->nest = w->regions = 0;
    for (int i = 0; i < w->to->n_args; i++) declare(w, w->to->args[i]);
    for (size_t i = 0; i < w->to->n_deps; i++) declare(w, w->to->deps[i].ty);
    if (w->to->form != TYPED_CORE) return;
    w->f->ndim = w->to->core.loops;
    w->f->flags |= KIR_F_FREE;
}

gpa_code typed_argument(walk *w, typed_ty t, uint32_t *number, int *array, tv *out) {
    if (t.rank) return typed_view(w, (*array)++, t.rank - 1, t.unit, NULL, out);
    *out = (tv){.kind = TV_NUMBER, .t = t, .v = typed_emit(w, KIR_PARAM, (gpa_dtype)t.dtype, -1, -1, -1, (*number)++)};
    return GPA_OK;
}

static gpa_code one_round(walk *w, func_obj *fn, tv *out) {
    tv args[BODY_MAX_IN];
    uint32_t number = 0;
    int array = 0;
    gpa_code rc = GPA_OK;
    w->frame = NULL;
    typed_begin(w, fn);
    for (int i = 0; i < w->to->n_args && !rc; i++)
        rc = w->to->form == TYPED_CORE ? core_argument(w, i, &args[i]) : typed_argument(w, w->to->args[i], &number, &array, &args[i]);
    if (!rc) rc = typed_inline(w, func_node(fn), fn, args, out);
    if (rc) return rc;
    if (w->to->form == TYPED_BODY && out->kind == TV_NONE)
        return typed_fail(w, func_node(fn), GPA_E_TYPE, "%s() returns no number: a compiled function of numbers must return one", func_name(w->vm, fn));
    if (w->to->form == TYPED_BODY && out->kind != TV_NUMBER)
        return typed_fail(w, func_node(fn), GPA_E_TYPE, "a ufunc gives one number, not a %s", typed_kind(out));
    if (w->to->form != TYPED_BODY && out->kind != TV_NONE)
        return typed_fail(w, func_node(fn), GPA_E_TYPE, "%s() returns a %s: it gives its results through its arrays", func_name(w->vm, fn), typed_kind(out));
    return GPA_OK;
}

/* Which call asked, for the reader of an error. */
static void say_types(gpa_vm *vm, const func_obj *fn, const typed_fn *t) {
    char text[120];
    int at = snprintf(text, sizeof text, "%s(", func_name(vm, fn));
    for (int i = 0; i < t->n_args && at < (int)sizeof text - 16; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s%s", i ? ", " : "", typed_name(t->args[i]));
    if (!vm_err(vm)->hint[0]) gpa_err_hint(vm_err(vm), "compiled for %s)", text);
}

/* The program that the last walk wrote becomes the function's. */
static gpa_code finish(walk *w, typed_fn *t, tv result) {
    kir_func *f = w->f;
    gpa_err *e = vm_err(w->vm);
    w->f = NULL;
    if (t->form == TYPED_BODY) {
        typed_ty to = t->result.dtype == DT_NONE ? result.t : t->result;
        return body_new_take(f, kir_cast(f, (gpa_dtype)to.dtype, result.v), &t->body, e);
    }
    t->f = f;
    return f->failed ? gpa_no_memory(e) : kir_check(f, e);
}

gpa_code typed_compile(gpa_vm *vm, func_obj *fn, typed_fn *t, bool *host) {
    walk w = {.vm = vm, .to = t, .kept = v_list(vm, 0, NULL), .arena = arena_new()};
    gpa_code rc = GPA_OK;
    tv result = {0};
    w.f = kir_new(KIR_MAP, func_name(vm, fn));
    if (!w.f || !w.arena || w.kept.tag == V_UNSET) TRY(vm_no_memory(vm));
    do {
        TRY(vm_poll(vm));
        TRY(t->form == TYPED_LOOP ? loop_round(&w, fn) : one_round(&w, fn, &result));
    } while (w.changed);
    rc = finish(&w, t, result);
out:
    if (host) *host = w.host;
    if (rc && t->form != TYPED_LOOP) {
        say_types(vm, fn, t);
        vm_trace_inner(vm, fn->name);
    }
    kir_free(w.f);
    arena_free(w.arena);
    mem_free(w.slots);
    mem_free(w.shapes);
    mem_free(w.open);
    value_release(vm, w.kept);
    return rc;
}

/* ---- the list ---- */

void typed_clear(gpa_vm *vm, typed_fn *t) {
    for (size_t i = 0; i < t->n_deps; i++) {
        value_release(vm, t->deps[i].cell);
        value_release(vm, t->deps[i].was);
    }
    mem_free(t->deps);
    body_release(t->body);
    kir_free(t->f);
}

static void free_one(gpa_vm *vm, typed_fn *t) {
    typed_clear(vm, t);
    mem_free(t);
}

void typed_free_all(gpa_vm *vm, typed_fn *list) {
    while (list) {
        typed_fn *next = list->next;
        free_one(vm, list);
        list = next;
    }
}

bool typed_still_true(gpa_vm *vm, const typed_fn *t) {
    for (size_t i = 0; i < t->n_deps; i++) {
        const typed_dep *d = &t->deps[i];
        value v = current(vm, d);
        gpa_opnd o;
        gpa_code rc;
        if (d->pinned) {
            if (v.tag != d->was.tag || !value_is(v, d->was)) return false;
            continue;
        }
        bool number = number_of(vm, v, &o, &rc);
        if (rc || number != is_number(d->ty)) return false;
        if (d->ty.rank) {
            if (v.tag != V_ARRAY || !typed_same(typed_of_array(v.array->arr), d->ty)) return false;
            continue;
        }
        if (number ? !typed_same(typed_of(&o), d->ty) : !value_is(v, d->was)) return false;
    }
    return true;
}

static bool same_args(const typed_fn *t, const typed_ty *args, int n, gpa_dtype result) {
    bool same = t->n_args == n && t->result.dtype == result;
    for (int i = 0; i < n && same; i++) same = typed_same(t->args[i], args[i]);
    return same;
}

static gpa_code get(gpa_vm *vm, typed_fn **known, func_obj *fn, typed_form form, const typed_core *core, const typed_ty *args, int n,
                    gpa_dtype result, typed_fn **out) {
    for (typed_fn **at = known; *at; at = &(*at)->next) {
        typed_fn *t = *at;
        if (t->form != form || memcmp(&t->core, core, sizeof *core) != 0 || !same_args(t, args, n, result)) continue;
        *at = t->next; /* to the front, or away */
        if (!typed_still_true(vm, t)) {
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
    t->core = *core;
    t->n_args = n;
    memcpy(t->args, args, (size_t)n * sizeof *args);
    t->result = (typed_ty){.dtype = (uint8_t)result};
    gpa_code rc = typed_compile(vm, fn, t, NULL);
    if (rc) {
        free_one(vm, t);
        return rc;
    }
    t->next = *known;
    *out = *known = t;
    return GPA_OK;
}

gpa_code typed_get(gpa_vm *vm, typed_fn **known, func_obj *fn, typed_form form, const typed_ty *args, int n, gpa_dtype result,
                   typed_fn **out) {
    static const typed_core none;
    return get(vm, known, fn, form, &none, args, n, result, out);
}

gpa_code typed_get_core(gpa_vm *vm, typed_fn **known, func_obj *fn, const typed_core *core, const typed_ty *args, int n, typed_fn **out) {
    return get(vm, known, fn, TYPED_CORE, core, args, n, DT_NONE, out);
}

gpa_code typed_numbers(gpa_vm *vm, const typed_fn *t, gpa_opnd *to) {
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < t->n_deps && !rc; i++)
        if (is_number(t->deps[i].ty) && number_of(vm, current(vm, &t->deps[i]), to, &rc)) to++;
    return rc;
}

int typed_arrays(gpa_vm *vm, const typed_fn *t, gpa_arr **to) {
    int n = 0;
    for (size_t i = 0; i < t->n_deps; i++)
        if (t->deps[i].ty.rank) to[n++] = current(vm, &t->deps[i]).array->arr;
    return n;
}

/* ---- looking ---- */

void typed_print(const typed_fn *t, gpa_str *out) {
    if (t->f) kir_print(t->f, out);
}

size_t typed_own_bytes(const typed_fn *t, bool shared) {
    size_t n = 0;
    for (size_t k = 0; t->f && k < t->f->n_arrays; k++)
        if (t->f->arrays[k].where == (shared ? KIR_SHARED : KIR_LOCAL)) n += t->f->arrays[k].count * dtype_size((gpa_dtype)t->f->arrays[k].dtype);
    return n;
}
