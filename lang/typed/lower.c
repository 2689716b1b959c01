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
// clang-format off
#define DT(id, name, ...) [DT_##id] = {name "[()]", name "[:]", name "[:,:]", name "[:,:,:]", \
    name "[:,:,:,:]", name "[:,:,:,:,:]", name "[:,:,:,:,:,:]", name "[:,:,:,:,:,:,:]", \
    name "[:,:,:,:,:,:,:,:]"},
// clang-format on
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

void typed_print_types(const typed_ty *t, int n, gpa_str *out) {
    for (const typed_ty *at = t; at < t + n;) {
        if (at > t) str_put(out, ", ");
        at = put_type(at, out);
    }
}

const char *typed_kind(const tv *v) {
    switch (v->kind) {
        case TV_NUMBER:
        case TV_ARRAY: return typed_name(v->t);
        case TV_TUPLE: return v->constant.tag == V_OBJECT ? "vector" : "tuple";
        case TV_NONE: return "NoneType";
        case TV_TEXT: return "str";
        case TV_STATIC: break;
    }
    return value_type_name(v->constant);
}

bool typed_is_none(const tv *v) {
    return v->kind == TV_NONE || (v->kind == TV_STATIC && v->constant.tag == V_NONE);
}

const char *typed_article(const tv *v) { return strchr("aeio", typed_kind(v)[0]) ? "an" : "a"; }

gpa_code typed_fail(lowering *lw, const ast_node *at, gpa_code code, const char *fmt, ...) {
    gpa_err *e = vm_err(lw->vm);
    va_list ap;
    va_start(ap, fmt);
    gpa_failv(e, code == GPA_E_TYPE ? GPA_E_TYPING : code, fmt, ap);
    va_end(ap);
    if (!at) return e->code;
    gpa_span span = at->kind == AST_BINARY      ? at->binary.op_span
                    : at->kind == AST_AUGASSIGN ? at->augassign.op_span
                                                : at->span;
    return gpa_fail_at(e, span);
}

void typed_note(lowering *lw, const ast_node *at, tv v) {
    if (at) gpa_err_note(vm_err(lw->vm), at->span, "%s", typed_kind(&v));
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

bool typed_same_type(typed_ty a, typed_ty b) {
    return a.dtype == b.dtype && a.weak == b.weak && a.rank == b.rank &&
           a.unit_stride == b.unit_stride && a.mark == b.mark;
}

typed_ty typed_of_array(const gpa_arr *a) {
    bool unit = a->ndim && a->strides[a->ndim - 1] == 1;
    return (typed_ty){.dtype = a->dtype, .rank = (uint8_t)(a->ndim + 1), .unit_stride = unit};
}

/* ---- kir ---- */

int32_t typed_emit(lowering *lw, kir_code code, gpa_dtype t, int32_t a, int32_t b, uint32_t imm) {
    return kir_emit(
        lw->f,
        (kir_ins){.code = (uint8_t)code, .type = (uint8_t)t, .a = a, .b = b, .c = -1, .imm = imm});
}

int32_t typed_cast(lowering *lw, tv v, typed_ty t) {
    return kir_cast(lw->f, (gpa_dtype)t.dtype, v.v);
}

/* Opens a region with a new id: a value defined in it is valid while it is open. */
static void enter_region(lowering *lw) {
    if (mem_grow(&lw->open_regions, lw->n_open, &lw->cap_open, sizeof *lw->open_regions))
        lw->open_regions[lw->n_open++] = ++lw->n_regions_made;
    else
        lw->f->failed = true;
}

static bool is_open(const lowering *lw, uint32_t region) {
    bool found = region == 0;
    for (size_t i = 0; i < lw->n_open && !found; i++) found = lw->open_regions[i] == region;
    return found;
}

static uint32_t innermost(const lowering *lw) {
    return lw->n_open ? lw->open_regions[lw->n_open - 1] : 0;
}

void typed_else(lowering *lw) {
    typed_emit(lw, KIR_ELSE, DT_NONE, -1, -1, 0);
    if (lw->n_open) lw->n_open--;
    enter_region(lw);
}

void typed_open(lowering *lw, kir_code code, gpa_dtype t, int32_t a, int32_t b, int32_t c) {
    enter_region(lw);
    kir_open(lw->f, (kir_ins){.code = (uint8_t)code, .type = (uint8_t)t, .a = a, .b = b, .c = c});
    lw->nest++;
    if (code != KIR_IF) lw->regions++;
}

void typed_close(lowering *lw, kir_code code) {
    kir_close(lw->f);
    if (lw->n_open) lw->n_open--;
    lw->nest--;
    if (code != KIR_IF) lw->regions--;
}

/* ---- slots ---- */

/* Declares a slot at the start of an iteration. Every use is dominated by this point, so its VAR
 * is emitted here. */
static void begin_slot(lowering *lw, slot *s) {
    s->bound = false;
    s->nest = lw->nest;
    s->var = s->flag = -1;
    s->last_region = s->counter_region = UINT32_MAX;
    if (s->stored && s->t.dtype != DT_NONE)
        s->var = typed_emit(lw, KIR_VAR, (gpa_dtype)s->t.dtype, -1, -1, 0);
    for (uint32_t i = 0; i < s->n_items; i++) begin_slot(lw, &s->items[i]);
}

int32_t typed_slot(lowering *lw) {
    if (lw->n_slots == lw->total_slots) {
        if (!mem_grow(&lw->slots, lw->n_slots, &lw->cap_slots, sizeof *lw->slots)) return -1;
        lw->slots[lw->n_slots] = (slot){.t.dtype = DT_NONE};
        lw->total_slots++;
    }
    begin_slot(lw, &lw->slots[lw->n_slots]);
    return (int32_t)lw->n_slots++;
}

void typed_free_slots(lowering *lw) {
    for (size_t i = 0; i < lw->total_slots; i++) mem_free(lw->slots[i].items);
    mem_free(lw->slots);
}

/* Assigns an array or a tuple in a branch or loop: valid until that closes. A value assigned
 * outside cannot change inside: after the join, or in the next iteration of the loop, it would
 * not be unique at compile time. */
static gpa_code assign_inside(lowering *lw, const ast_node *at, slot *s, tv v) {
    uint32_t here = innermost(lw);
    lw->fallback = lw->fallback || (s->stored && v.kind == TV_ARRAY);
    if (s->stored)
        return typed_fail(lw, at, GPA_E_TYPE, "the variable would be both %s and %s",
                          typed_name(s->t), typed_kind(&v));
    bool changes = s->bound && s->region != here && is_open(lw, s->region);
    lw->fallback = lw->fallback || (changes && (v.kind == TV_TUPLE || v.kind == TV_ARRAY));
    if (changes)
        return typed_fail(
            lw, at, GPA_E_UNSUPPORTED,
            "a variable that holds a %s before a branch or a loop cannot change in it",
            typed_kind(&s->direct));
    s->direct = v;
    s->bound = true;
    s->region = here;
    return GPA_OK;
}

static gpa_code assign(lowering *lw, const ast_node *at, slot *s, tv v);

/* Assigns a tuple of numbers item by item. */
static gpa_code assign_items(lowering *lw, const ast_node *at, slot *s, tv v) {
    gpa_code rc = GPA_OK;
    if (v.kind != TV_TUPLE || v.n != s->n_items)
        return typed_fail(lw, at, GPA_E_TYPE, "the variable would be both a tuple of %u and %s%s",
                          s->n_items,
                          v.kind == TV_TUPLE ? "one of another length" : typed_article(&v),
                          v.kind == TV_TUPLE ? "" : typed_kind(&v));
    for (uint32_t i = 0; i < v.n && !rc; i++) rc = assign(lw, at, &s->items[i], v.items[i]);
    s->direct = v;
    s->bound = true;
    return rc;
}

/* True for a value that may change in a branch or loop as separate variables: a tuple of
 * numbers, unless the variable belongs to the interpreter's frame. */
static bool is_number_tuple(const lowering *lw, const tv *v) {
    bool good = v->kind == TV_TUPLE && v->n && (lw->to->form != TYPED_LOOP || lw->frame->outer);
    for (uint32_t i = 0; good && i < v->n; i++) good = v->items[i].kind == TV_NUMBER;
    return good;
}

static gpa_code split_into_items(lowering *lw, slot *s, uint32_t n) {
    if (!(s->items = mem_new(n * sizeof *s->items))) return vm_no_memory(lw->vm);
    s->n_items = n;
    for (uint32_t i = 0; i < n; i++)
        s->items[i] = (slot){.t.dtype = DT_NONE,
                             .var = -1,
                             .flag = -1,
                             .last_region = UINT32_MAX,
                             .counter_region = UINT32_MAX,
                             .nest = s->nest};
    lw->changed = true;
    return GPA_OK;
}

gpa_code typed_split_tuple(lowering *lw, int32_t i, bool *kept) {
    slot *s = &lw->slots[i];
    *kept = is_number_tuple(lw, &s->direct);
    return *kept ? split_into_items(lw, s, s->direct.n) : GPA_OK;
}

static gpa_code assign(lowering *lw, const ast_node *at, slot *s, tv v) {
    bool straight = lw->nest == s->nest && !s->stored;
    if (s->items) return assign_items(lw, at, s, v);
    if (v.kind != TV_NUMBER && !straight) {
        bool changes = s->bound && s->direct.kind == TV_TUPLE && s->region != innermost(lw) &&
                       is_open(lw, s->region);
        if (s->stored || !changes || !is_number_tuple(lw, &v) || !is_number_tuple(lw, &s->direct))
            return assign_inside(lw, at, s, v);
        gpa_code rc = split_into_items(lw, s, v.n);
        return rc ? rc : assign_items(lw, at, s, v);
    }
    if (straight) {
        s->direct = v;
        s->bound = true;
        s->region = innermost(lw);
    }
    if (v.kind != TV_NUMBER) return GPA_OK;
    typed_ty t = typed_join(s->t, v.t);
    if (straight) { /* its current type; a later branch needs the join of all */
        if (t.dtype != DT_NONE) s->t = t;
        return GPA_OK;
    }
    if (t.dtype == DT_NONE)
        return typed_fail(lw, at, GPA_E_TYPE, "the variable would be both %s and %s",
                          typed_name(s->t), typed_name(v.t));
    if (!typed_same_type(t, s->t) || !s->stored) {
        s->t = t;
        s->stored = lw->changed = true;
        s->var = typed_emit(lw, KIR_VAR, (gpa_dtype)t.dtype, -1, -1, 0);
    }
    s->bound = true;
    if (s->flag >= 0)
        typed_emit(lw, KIR_SET, DT_NONE, s->flag,
                   kir_const(lw->f, DT_BOOL, (gpa_val){.BOOL = true}), 0);
    s->last_value = typed_cast(lw, v, t);
    s->last_region = innermost(lw);
    typed_emit(lw, KIR_SET, DT_NONE, s->var, s->last_value, 0);
    return GPA_OK;
}

gpa_code typed_assign(lowering *lw, const ast_node *at, int32_t i, tv v) {
    return assign(lw, at, &lw->slots[i], v);
}

void typed_hold_counter(lowering *lw, int32_t i, uint32_t below) {
    slot *s = &lw->slots[i];
    s->counter = s->last_value;
    s->counter_limit = s->t.dtype == DT_I64 ? below : 0;
    s->counter_region = s->stored ? innermost(lw) : UINT32_MAX;
}

bool typed_is_bound(const lowering *lw, int32_t i) {
    const slot *s = &lw->slots[i];
    return s->bound && (s->stored || s->items || s->direct.kind == TV_NUMBER ||
                        s->direct.kind == TV_STATIC || is_open(lw, s->region));
}

static tv read_slot(lowering *lw, slot *s) {
    if (s->items) {
        tv all = s->direct;
        if (typed_tuple(lw, s->n_items, &all)) return s->direct; /* the pass ends: out of memory */
        all.constant = s->direct.constant;
        for (uint32_t i = 0; i < s->n_items; i++) all.items[i] = read_slot(lw, &s->items[i]);
        return all;
    }
    if (!s->stored) return s->direct;
    if (s->counter_region != UINT32_MAX && is_open(lw, s->counter_region))
        return (tv){.kind = TV_NUMBER, .t = s->t, .v = s->counter, .limit = s->counter_limit};
    if (s->last_region == innermost(lw))
        return (tv){.kind = TV_NUMBER, .t = s->t, .v = s->last_value};
    return (tv){.kind = TV_NUMBER,
                .t = s->t,
                .v = typed_emit(lw, KIR_GET, (gpa_dtype)s->t.dtype, s->var, -1, 0)};
}

tv typed_read(lowering *lw, int32_t i) { return read_slot(lw, &lw->slots[i]); }
