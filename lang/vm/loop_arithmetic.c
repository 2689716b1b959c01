/* Numbers of a walk over a loop's body: arithmetic of the scalar program, and indices that advance.
 *
 * Reading order: scalars, indices. */
#include <stdlib.h>

#include "lang/vm/loop_walk.h"

/* ---- scalars ---- */

int16_t walk_slot_of(walk *w, const abstract *a) {
    if (a->kind == SCALAR) return a->slot;
    return a->kind == FIXED && is_real_scalar(a->v) ? walk_constant(w, a->v.i) : -1;
}

static int16_t float_slot(walk *w, const abstract *a) {
    int16_t s = walk_slot_of(w, a);
    return a->v.tag == V_FLOAT ? s : walk_emit(w, LOOP_TO_FLOAT, 0, s, s);
}

bool walk_result(walk *w, int16_t slot, value_tag tag, loop_slot now, abstract *out) {
    *out = (abstract){
        .kind = SCALAR, .slot = slot, .v = {.tag = tag, .i = now.i}, .root = -1, .factor = 0};
    return !w->why;
}

static bool fixed_number(const abstract *a) { return a->kind == FIXED && is_real_scalar(a->v); }

/* Keeps track of ints that are affine in one variable: sums with, and products by, fixed ones. */
static void follow(const abstract *x, const abstract *y, ast_op op, abstract *out) {
    long long f;
    if (op == AST_OP_ADD || op == AST_OP_SUB) {
        if (x->kind == SCALAR && fixed_number(y)) {
            out->root = x->root;
            out->factor = x->factor;
        } else if (fixed_number(x) && y->kind == SCALAR) {
            out->root = y->root;
            out->factor = op == AST_OP_ADD ? y->factor : -y->factor;
        }
    } else if (op == AST_OP_MUL && (fixed_number(x) || fixed_number(y))) {
        const abstract *s = x->kind == SCALAR ? x : y, *k = x->kind == SCALAR ? y : x;
        if (s->kind == SCALAR && !__builtin_smulll_overflow(s->factor, k->v.i, &f)) {
            out->root = s->root;
            out->factor = f;
        }
    }
}

static bool int_arithmetic(walk *w, ast_op op, const abstract *x, const abstract *y,
                           abstract *out) {
    const int64_t a = x->v.i, b = y->v.i;
    long long r = 0;
    loop_slot now = {0};
    loop_code as;
    bool bad = false;
    switch ((int)op) {
        case AST_OP_ADD: as = LOOP_ADD, bad = __builtin_saddll_overflow(a, b, &r); break;
        case AST_OP_SUB: as = LOOP_SUB, bad = __builtin_ssubll_overflow(a, b, &r); break;
        case AST_OP_MUL: as = LOOP_MUL, bad = __builtin_smulll_overflow(a, b, &r); break;
        case AST_OP_FLOORDIV:
            as = LOOP_FLOORDIV, bad = b <= 0;
            if (!bad) r = a / b - (a % b < 0);
            break;
        case AST_OP_MOD:
            as = LOOP_MOD, bad = b <= 0;
            if (!bad) r = a % b + (a % b < 0 ? b : 0);
            break;
        case AST_OP_DIV:
            as = LOOP_DIV, bad = b == 0;
            if (!bad) now.f = (double)a / (double)b;
            break;
        default: return walk_refuse(w, RT_LOOP_SCALAR);
    }
    if (bad) return walk_refuse(w, RT_LOOP_SCALAR);
    if (op != AST_OP_DIV) now.i = r;
    int16_t i = walk_slot_of(w, x), k = walk_slot_of(w, y);
    walk_result(w, walk_emit(w, as, 0, i, k), op == AST_OP_DIV ? V_FLOAT : V_INT, now, out);
    follow(x, y, op, out);
    return !w->why;
}

static bool float_arithmetic(walk *w, ast_op op, const abstract *x, const abstract *y,
                             abstract *out) {
    const double a = x->v.tag == V_FLOAT ? x->v.f : (double)x->v.i,
                 b = y->v.tag == V_FLOAT ? y->v.f : (double)y->v.i;
    loop_slot now = {0};
    loop_code as;
    switch ((int)op) {
        case AST_OP_ADD: as = LOOP_FADD, now.f = a + b; break;
        case AST_OP_SUB: as = LOOP_FSUB, now.f = a - b; break;
        case AST_OP_MUL: as = LOOP_FMUL, now.f = a * b; break;
        case AST_OP_DIV:
            if (b == 0) return walk_refuse(w, RT_LOOP_SCALAR);
            as = LOOP_FDIV, now.f = a / b;
            break;
        default: return walk_refuse(w, RT_LOOP_SCALAR);
    }
    int16_t i = float_slot(w, x), k = float_slot(w, y);
    return walk_result(w, walk_emit(w, as, 0, i, k), V_FLOAT, now, out);
}

bool walk_arithmetic(walk *w, ast_op op, const abstract *x, const abstract *y, abstract *out) {
    if (x->v.tag == V_BOOL || y->v.tag == V_BOOL) return walk_refuse(w, RT_LOOP_SCALAR);
    return x->v.tag == V_INT && y->v.tag == V_INT ? int_arithmetic(w, op, x, y, out)
                                                  : float_arithmetic(w, op, x, y, out);
}

bool walk_is_comparison(ast_op op) {
    return op == AST_OP_EQ || op == AST_OP_NE || op == AST_OP_LT || op == AST_OP_LE ||
           op == AST_OP_GT || op == AST_OP_GE;
}

bool walk_compare(walk *w, ast_op op, const abstract *x, const abstract *y, abstract *out) {
    if (!is_real_scalar(x->v) || !is_real_scalar(y->v) || x->v.tag == V_BOOL ||
        y->v.tag == V_BOOL || x->v.tag != y->v.tag)
        return walk_refuse(w, RT_LOOP_SCALAR);
    loop_code as = x->v.tag == V_FLOAT ? LOOP_FCOMPARE : LOOP_COMPARE;
    int16_t i = walk_slot_of(w, x), k = walk_slot_of(w, y);
    int16_t to = walk_emit(w, as, (int)op, i, k);
    bool now = loop_compare(op, x->v, y->v);
    return walk_result(w, to, V_BOOL, (loop_slot){.i = now}, out);
}

/* ---- indices ---- */

static bool same_advance(walk *w, const abstract *a, const abstract *b) {
    if (w->n_advances == MAX_ADVANCES) return walk_refuse(w, RT_LOOP_SIZE);
    bool x = a && a->kind == SCALAR, y = b && b->kind == SCALAR;
    if ((x && a->root < 0) || (y && b->root < 0)) return walk_refuse(w, RT_LOOP_INDEX);
    w->advances[w->n_advances].a = x ? a->root : -1;
    w->advances[w->n_advances].b = y ? b->root : -1;
    w->advances[w->n_advances].a_factor = x ? a->factor : 0;
    w->advances[w->n_advances++].b_factor = y ? b->factor : 0;
    return true;
}

/* An index that changes must stay within [0, last], or within [-n, -1] if it counts from the end.
 */
static bool check_index(walk *w, const abstract *a, int64_t n, int64_t last) {
    if (a->kind != SCALAR) return true;
    if (a->v.tag != V_INT || a->root < 0) return walk_refuse(w, RT_LOOP_INDEX);
    const bool back = a->v.i < 0;
    int16_t lo = walk_constant(w, back ? -n : 0), hi = walk_constant(w, back ? -1 : last);
    walk_emit(w, LOOP_WITHIN, 0, a->slot, lo);
    if (!w->why) w->t->ops[w->t->n_ops - 1].to = hi;
    return same_advance(w, a, a);
}

bool walk_changes(const walk *w, const abstract *a) {
    bool any = a->kind == SCALAR;
    for (int i = 0; i < a->n_part && (a->kind == TUPLE_OF || a->kind == SLICE_OF); i++)
        any = any || walk_changes(w, &w->parts[a->part + i]);
    return any;
}

bool walk_has_array(const walk *w, const abstract *a) {
    bool any = a->kind == ARRAY;
    for (int i = 0; i < a->n_part && (a->kind == TUPLE_OF || a->kind == SLICE_OF); i++)
        any = any || walk_has_array(w, &w->parts[a->part + i]);
    return any;
}

/* The slot of a slice's bound, counted from the start of an axis of n elements; `otherwise`: where
 * it is None. */
static int16_t bound_slot(walk *w, const abstract *a, int64_t n, int64_t otherwise) {
    if (a->kind == FIXED && a->v.tag == V_NONE) return walk_constant(w, otherwise);
    if (a->kind == FIXED && a->v.tag == V_INT) {
        const int64_t i = a->v.i < 0 ? a->v.i + n : a->v.i;
        return walk_constant(w, MIN(MAX(i, 0), n));
    }
    if (a->kind != SCALAR) {
        walk_refuse(w, RT_LOOP_INDEX);
        return 0;
    }
    return a->v.i < 0 ? walk_emit(w, LOOP_ADD, 0, a->slot, walk_constant(w, n)) : a->slot;
}

/* A slice whose bounds change. Without a step its length may change with them: it stays above 1, as
 * arrays of one element are broadcast. */
static bool check_slice(walk *w, const abstract *s, int64_t n) {
    const abstract *start = &w->parts[s->part], *stop = start + 1, *step = start + 2;
    const bool is_int = step->kind == FIXED && step->v.tag == V_INT,
               by_one =
                   (step->kind == FIXED && step->v.tag == V_NONE) || (is_int && step->v.i == 1);
    if (!walk_changes(w, s)) return true;
    if (!by_one && !(is_int && step->v.i > 0)) return walk_refuse(w, RT_LOOP_INDEX);
    if (!check_index(w, start, n, n) || !check_index(w, stop, n, n)) return false;
    const bool together = start->kind == SCALAR && stop->kind == SCALAR &&
                          start->root == stop->root && start->factor == stop->factor;
    if (!by_one || together) return same_advance(w, start, stop);
    w->grows = true;
    const int16_t lo = bound_slot(w, start, n, 0), hi = bound_slot(w, stop, n, n);
    const int16_t length = w->why ? 0 : walk_emit(w, LOOP_SUB, 0, hi, lo);
    if (!w->why) walk_emit(w, LOOP_WITHIN, 0, length, walk_constant(w, 2));
    if (!w->why) w->t->ops[w->t->n_ops - 1].to = walk_constant(w, n);
    return !w->why;
}

/* A subscript that fits arrays of every length: whole slices, forwards or backwards, new axes. */
static bool fits_any_length(const walk *w, const abstract *p) {
    if (p->kind == FIXED) return p->v.tag == V_NONE || p->v.tag == V_ELLIPSIS;
    if (p->kind != SLICE_OF) return false;
    const abstract *start = &w->parts[p->part], *stop = start + 1, *step = start + 2;
    return start->kind == FIXED && start->v.tag == V_NONE && stop->kind == FIXED &&
           stop->v.tag == V_NONE && step->kind == FIXED &&
           (step->v.tag == V_NONE || (step->v.tag == V_INT && llabs(step->v.i) == 1));
}

bool walk_check_subscript(walk *w, const abstract *a, const abstract *key) {
    const abstract *part = key->kind == TUPLE_OF ? &w->parts[key->part] : key;
    int n = key->kind == TUPLE_OF ? key->n_part : 1, axis = 0;
    for (int i = 0; i < n && w->grows && a->v.tag != V_ARRAY; i++)
        if (!fits_any_length(w, &part[i])) return walk_refuse(w, RT_LOOP_INDEX);
    if (!walk_changes(w, key)) return true;
    if (a->v.tag != V_ARRAY) return walk_refuse(w, RT_LOOP_INDEX);
    const gpa_arr *arr = a->v.array->arr;
    for (int i = 0; i < n; i++) {
        const abstract *p = &part[i];
        bool index = p->kind == SCALAR || (p->kind == FIXED && p->v.tag == V_INT);
        if (p->kind == FIXED && p->v.tag == V_NONE) continue;
        if ((!index && p->kind != SLICE_OF) || axis >= arr->ndim)
            return walk_refuse(w, RT_LOOP_INDEX);
        const int64_t extent = arr->shape[axis++];
        if (index ? !check_index(w, p, extent, extent - 1) : !check_slice(w, p, extent))
            return false;
    }
    return true;
}
