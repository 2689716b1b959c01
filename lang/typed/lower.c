/* State of the lowering pass: error reports, type lattice, regions, slots (variables).
 *
 * Invariant: the order in which slots are created does not depend on types, so a slot of one
 * iteration is that of the next. Types only widen.
 *
 * Reading order: errors, types, kir, slots. */
#include <stdio.h>
#include <string.h>

#include "runtime/base/arena.h"
#include "lang/object/container.h"
#include "lang/typed/loop.h"

/* ---- errors ---- */

const char *typed_name(typed_ty t) {
    static const char *const weak[] = {"", "bool", "int", "float", "complex"};
    static const char *const arrays[DT_COUNT][KIR_MAX_DIMS + 1] = {
#define DT(id, name, ...)                \
    [DT_##id] = {name "[()]",            \
                 name "[:]",             \
                 name "[:,:]",           \
                 name "[:,:,:]",         \
                 name "[:,:,:,:]",       \
                 name "[:,:,:,:,:]",     \
                 name "[:,:,:,:,:,:]",   \
                 name "[:,:,:,:,:,:,:]", \
                 name "[:,:,:,:,:,:,:,:]"},
#include "runtime/tables/dtype.def"
#undef DT
    };
    if (t.dtype >= DT_COUNT) return "nothing";
    if (t.rank) return arrays[t.dtype][t.rank - 1];
    if (!t.weak) return dtype_info[t.dtype].name;
    return weak[t.dtype == DT_BOOL  ? WEAK_BOOL
                : t.dtype == DT_I64 ? WEAK_INT
                : t.dtype == DT_F64 ? WEAK_FLOAT
                                    : WEAK_COMPLEX];
}

/* Appends the type at t; returns the address of the next one. */
static const typed_ty *put_type(const typed_ty *t, gpa_str *out) {
    int n = t->mark - TYPED_TUPLE;
    if (t->mark < TYPED_TUPLE) {
        str_put(out, t->mark ? "none" : typed_name(*t));
        return t + 1;
    }
    str_putc(out, '(');
    t++;
    for (int i = 0; i < n; i++) {
        if (i) str_put(out, ", ");
        t = put_type(t, out);
    }
    str_put(out, n == 1 ? ",)" : ")");
    return t;
}

void typed_put_types(const typed_ty *t, int n, gpa_str *out) {
    for (const typed_ty *at = t; at < t + n;) {
        if (at > t) str_put(out, ", ");
        at = put_type(at, out);
    }
}

const char *typed_kind(const tv *v) {
    switch (v->kind) {
        case TV_NUMBER:
        case TV_ARRAY: return typed_name(v->t);
        case TV_TUPLE: return v->is.tag == V_OBJECT ? "vector" : "tuple";
        case TV_NONE: return "NoneType";
        case TV_TEXT: return "str";
        case TV_STATIC: break;
    }
    return value_type_name(v->is);
}

bool typed_is_none(const tv *v) {
    return v->kind == TV_NONE || (v->kind == TV_STATIC && v->is.tag == V_NONE);
}

const char *typed_article(const tv *v) { return strchr("aeio", typed_kind(v)[0]) ? "an" : "a"; }

gpa_code typed_fail(walk *w, const ast_node *at, gpa_code code, const char *fmt, ...) {
    gpa_err *e = vm_err(w->vm);
    va_list ap;
    va_start(ap, fmt);
    gpa_failv(e, code, fmt, ap);
    va_end(ap);
    if (!at) return e->code;
    gpa_span span = at->kind == AST_BINARY      ? at->binary.op_span
                    : at->kind == AST_AUGASSIGN ? at->augassign.op_span
                                                : at->span;
    return gpa_fail_at(e, span);
}

void typed_note(walk *w, const ast_node *at, tv v) {
    if (at) gpa_err_note(vm_err(w->vm), at->span, "%s", typed_kind(&v));
}

/* ---- types ---- */

static gpa_weak weakness(typed_ty t) {
    if (!t.weak) return WEAK_NO;
    return t.dtype == DT_BOOL  ? WEAK_BOOL
           : t.dtype == DT_I64 ? WEAK_INT
           : t.dtype == DT_F64 ? WEAK_FLOAT
                               : WEAK_COMPLEX;
}

typed_ty typed_join(typed_ty a, typed_ty b) {
    if (a.dtype == DT_NONE) return b;
    if (b.dtype == DT_NONE) return a;
    if (a.weak && b.weak) return weakness(a) > weakness(b) ? a : b;
    if (a.weak) return (typed_ty){.dtype = (uint8_t)dtype_of_weak(weakness(a), (gpa_dtype)b.dtype)};
    if (b.weak) return (typed_ty){.dtype = (uint8_t)dtype_of_weak(weakness(b), (gpa_dtype)a.dtype)};
    return (typed_ty){.dtype = (uint8_t)dtype_promote((gpa_dtype)a.dtype, (gpa_dtype)b.dtype)};
}

bool typed_same(typed_ty a, typed_ty b) {
    return a.dtype == b.dtype && a.weak == b.weak && a.rank == b.rank && a.unit == b.unit &&
           a.mark == b.mark;
}

typed_ty typed_of_array(const gpa_arr *a) {
    bool unit = a->ndim && a->strides[a->ndim - 1] == 1;
    return (typed_ty){.dtype = a->dtype, .rank = (uint8_t)(a->ndim + 1), .unit = unit};
}

/* ---- kir ---- */

int32_t typed_emit(walk *w, kir_code code, gpa_dtype t, int32_t a, int32_t b, int32_t c,
                   uint32_t imm) {
    return kir_emit(
        w->f,
        (kir_ins){.code = (uint8_t)code, .type = (uint8_t)t, .a = a, .b = b, .c = c, .imm = imm});
}

int32_t typed_cast(walk *w, tv v, typed_ty t) { return kir_cast(w->f, (gpa_dtype)t.dtype, v.v); }

/* Opens a region with a new id: a value defined in it is valid while it is open. */
static void enter_region(walk *w) {
    if (mem_room(&w->open, w->n_open, &w->cap_open, sizeof *w->open))
        w->open[w->n_open++] = ++w->n_numbered;
    else
        w->f->failed = true;
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

/* Declares a slot at the start of an iteration. Every use is dominated by this point, so its VAR
 * is emitted here. */
static void begin_slot(walk *w, slot *s) {
    s->bound = false;
    s->nest = w->nest;
    s->var = s->flag = -1;
    s->latest_region = s->counter_region = UINT32_MAX;
    if (s->stored && s->t.dtype != DT_NONE)
        s->var = typed_emit(w, KIR_VAR, (gpa_dtype)s->t.dtype, -1, -1, -1, 0);
    for (uint32_t i = 0; i < s->n_parts; i++) begin_slot(w, &s->parts[i]);
}

int32_t typed_slot(walk *w) {
    if (w->n_slots == w->known_slots) {
        if (!mem_room(&w->slots, w->n_slots, &w->cap_slots, sizeof *w->slots)) return -1;
        w->slots[w->n_slots] = (slot){.t.dtype = DT_NONE};
        w->known_slots++;
    }
    begin_slot(w, &w->slots[w->n_slots]);
    return (int32_t)w->n_slots++;
}

void typed_free_slots(walk *w) {
    for (size_t i = 0; i < w->known_slots; i++) mem_free(w->slots[i].parts);
    mem_free(w->slots);
}

/* Assigns an array or a tuple in a branch or loop: valid until that closes. A value assigned
 * outside cannot change inside: after the join, or in the next iteration of the loop, it would
 * not be unique at compile time. */
static gpa_code assign_inside(walk *w, const ast_node *at, slot *s, tv v) {
    uint32_t here = innermost(w);
    if (s->stored)
        return typed_fail(w, at, GPA_E_TYPE, "the variable would be both %s and %s",
                          typed_name(s->t), typed_kind(&v));
    bool changes = s->bound && s->region != here && is_open(w, s->region);
    w->host = w->host || (changes && v.kind == TV_TUPLE);
    if (changes)
        return typed_fail(
            w, at, GPA_E_UNSUPPORTED,
            "a variable that holds a %s before a branch or a loop cannot change in it",
            typed_kind(&s->direct));
    s->direct = v;
    s->bound = true;
    s->region = here;
    return GPA_OK;
}

static gpa_code assign(walk *w, const ast_node *at, slot *s, tv v);

/* Assigns a tuple of numbers item by item. */
static gpa_code assign_parts(walk *w, const ast_node *at, slot *s, tv v) {
    gpa_code rc = GPA_OK;
    if (v.kind != TV_TUPLE || v.n != s->n_parts)
        return typed_fail(w, at, GPA_E_TYPE, "the variable would be both a tuple of %u and %s%s",
                          s->n_parts,
                          v.kind == TV_TUPLE ? "one of another length" : typed_article(&v),
                          v.kind == TV_TUPLE ? "" : typed_kind(&v));
    for (uint32_t i = 0; i < v.n && !rc; i++) rc = assign(w, at, &s->parts[i], v.items[i]);
    s->direct = v;
    s->bound = true;
    return rc;
}

/* True for a value that may change in a branch or loop as separate variables: a tuple of
 * numbers, unless the variable belongs to the interpreter's frame. */
static bool has_parts(const walk *w, const tv *v) {
    bool good = v->kind == TV_TUPLE && v->n && (w->to->form != TYPED_LOOP || w->frame->outer);
    for (uint32_t i = 0; good && i < v->n; i++) good = v->items[i].kind == TV_NUMBER;
    return good;
}

static gpa_code make_parts(walk *w, slot *s, uint32_t n) {
    if (!(s->parts = mem_new(n * sizeof *s->parts))) return vm_no_memory(w->vm);
    s->n_parts = n;
    for (uint32_t i = 0; i < n; i++)
        s->parts[i] = (slot){.t.dtype = DT_NONE,
                             .var = -1,
                             .flag = -1,
                             .latest_region = UINT32_MAX,
                             .counter_region = UINT32_MAX,
                             .nest = s->nest};
    w->changed = true;
    return GPA_OK;
}

gpa_code typed_keep(walk *w, int32_t i, bool *kept) {
    slot *s = &w->slots[i];
    *kept = has_parts(w, &s->direct);
    return *kept ? make_parts(w, s, s->direct.n) : GPA_OK;
}

static gpa_code assign(walk *w, const ast_node *at, slot *s, tv v) {
    bool straight = w->nest == s->nest && !s->stored;
    if (s->parts) return assign_parts(w, at, s, v);
    if (v.kind != TV_NUMBER && !straight) {
        bool changes = s->bound && s->direct.kind == TV_TUPLE && s->region != innermost(w) &&
                       is_open(w, s->region);
        if (s->stored || !changes || !has_parts(w, &v) || !has_parts(w, &s->direct))
            return assign_inside(w, at, s, v);
        gpa_code rc = make_parts(w, s, v.n);
        return rc ? rc : assign_parts(w, at, s, v);
    }
    if (straight) {
        s->direct = v;
        s->bound = true;
        s->region = innermost(w);
    }
    if (v.kind != TV_NUMBER) return GPA_OK;
    typed_ty t = typed_join(s->t, v.t);
    if (straight) { /* its current type; a later branch needs the join of all */
        if (t.dtype != DT_NONE) s->t = t;
        return GPA_OK;
    }
    if (t.dtype == DT_NONE)
        return typed_fail(w, at, GPA_E_TYPE, "the variable would be both %s and %s",
                          typed_name(s->t), typed_name(v.t));
    if (!typed_same(t, s->t) || !s->stored) {
        s->t = t;
        s->stored = w->changed = true;
        s->var = typed_emit(w, KIR_VAR, (gpa_dtype)t.dtype, -1, -1, -1, 0);
    }
    s->bound = true;
    if (s->flag >= 0)
        typed_emit(w, KIR_SET, DT_NONE, s->flag, kir_const(w->f, DT_BOOL, (gpa_val){.BOOL = true}),
                   -1, 0);
    s->latest = typed_cast(w, v, t);
    s->latest_region = innermost(w);
    typed_emit(w, KIR_SET, DT_NONE, s->var, s->latest, -1, 0);
    return GPA_OK;
}

gpa_code typed_assign(walk *w, const ast_node *at, int32_t i, tv v) {
    return assign(w, at, &w->slots[i], v);
}

void typed_fix(walk *w, int32_t i, uint32_t below) {
    slot *s = &w->slots[i];
    s->counter = s->latest;
    s->counter_below = s->t.dtype == DT_I64 ? below : 0;
    s->counter_region = s->stored ? innermost(w) : UINT32_MAX;
}

bool typed_known(const walk *w, int32_t i) {
    const slot *s = &w->slots[i];
    return s->bound && (s->stored || s->parts || s->direct.kind == TV_NUMBER ||
                        s->direct.kind == TV_STATIC || is_open(w, s->region));
}

static tv read_slot(walk *w, slot *s) {
    if (s->parts) {
        tv all = s->direct;
        if (typed_tuple(w, s->n_parts, &all)) return s->direct; /* the pass ends: out of memory */
        all.is = s->direct.is;
        for (uint32_t i = 0; i < s->n_parts; i++) all.items[i] = read_slot(w, &s->parts[i]);
        return all;
    }
    if (!s->stored) return s->direct;
    if (s->counter_region != UINT32_MAX && is_open(w, s->counter_region))
        return (tv){.kind = TV_NUMBER, .t = s->t, .v = s->counter, .below = s->counter_below};
    if (s->latest_region == innermost(w)) return (tv){.kind = TV_NUMBER, .t = s->t, .v = s->latest};
    return (tv){.kind = TV_NUMBER,
                .t = s->t,
                .v = typed_emit(w, KIR_GET, (gpa_dtype)s->t.dtype, s->var, -1, -1, 0)};
}

tv typed_read(walk *w, int32_t i) { return read_slot(w, &w->slots[i]); }
