/* The scalar program of a traced loop. */
#include <math.h>

#include "lang/vm/compare.h"
#include "lang/vm/loop_trace.h"

#include "runtime/base/base.h"

enum { EXACT_BITS = 53 }; /* of an int that converts to float64 exactly */

static bool is_exact(int64_t i) {
    return i >= -(INT64_C(1) << EXACT_BITS) && i <= INT64_C(1) << EXACT_BITS;
}

void loop_scalars_load(loop_trace *t) {
    for (size_t i = 0; i < t->n_carried; i++) {
        const loop_carried *c = &t->carried[i];
        t->slots[c->in].i = c->at ? c->at->i : *c->field;
    }
}

void loop_scalars_store(loop_trace *t) {
    for (size_t i = 0; i < t->n_carried; i++) {
        const loop_carried *c = &t->carried[i];
        if (c->at)
            *c->at = (value){.tag = c->tag, .i = t->slots[c->in].i};
        else
            *c->field = t->slots[c->in].i;
    }
}

bool loop_scalars_arrived(const loop_trace *t) {
    bool same = true;
    for (size_t i = 0; i < t->n_carried; i++) {
        const loop_carried *c = &t->carried[i];
        same = same && (c->at ? c->at->tag == c->tag && c->at->i == t->slots[c->in].i
                              : *c->field == t->slots[c->in].i);
    }
    return same;
}

bool loop_compare(ast_op op, value x, value y) {
    return x.tag == V_FLOAT ? compare_floats(op, x.f, y.f) : compare_ints(op, x.i, y.i);
}

static bool divide_ints(const loop_op *o, int64_t a, int64_t b, loop_slot *to) {
    if (o->code == LOOP_DIV) {
        if (!b || !is_exact(a) || !is_exact(b)) return false;
        to->f = (double)a / (double)b;
        return true;
    }
    if (b <= 0) return false;
    int64_t rest = a % b;
    if (o->code == LOOP_MOD)
        to->i = rest < 0 ? rest + b : rest;
    else
        to->i = a / b - (rest < 0);
    return true;
}

/* One operation; false: a guard failed. */
static inline bool step(loop_slot *s, const loop_op *o) {
    const loop_slot a = s[o->a], b = s[o->b];
    loop_slot *to = &s[o->to];
    switch ((loop_code)o->code) {
        case LOOP_ADD: return !__builtin_add_overflow(a.i, b.i, &to->i);
        case LOOP_SUB: return !__builtin_sub_overflow(a.i, b.i, &to->i);
        case LOOP_MUL: return !__builtin_mul_overflow(a.i, b.i, &to->i);
        case LOOP_FLOORDIV:
        case LOOP_MOD:
        case LOOP_DIV: return divide_ints(o, a.i, b.i, to);
        case LOOP_FADD: to->f = a.f + b.f; return true;
        case LOOP_FSUB: to->f = a.f - b.f; return true;
        case LOOP_FMUL: to->f = a.f * b.f; return true;
        case LOOP_FDIV: to->f = a.f / b.f; return b.f != 0;
        case LOOP_NEG: return !__builtin_sub_overflow(INT64_C(0), a.i, &to->i);
        case LOOP_FNEG: to->f = -a.f; return true;
        case LOOP_TO_FLOAT: to->f = (double)a.i; return true;
        case LOOP_COMPARE: to->i = compare_ints((ast_op)o->how, a.i, b.i); return true;
        case LOOP_FCOMPARE: to->i = compare_floats((ast_op)o->how, a.f, b.f); return true;
        case LOOP_NOT: to->i = !a.i; return true;
        case LOOP_GUARD: return (a.i != 0) == (bool)o->how;
        case LOOP_WITHIN: return a.i >= b.i && a.i <= s[o->to].i;
        case LOOP_NEXT: to->i = a.i - 1; return a.i > 0;
    }
    return false;
}

bool loop_scalars_run(loop_trace *t, rt_loop_scalar *given) {
    for (size_t i = 0; i < t->n_ops; i++)
        if (!step(t->slots, &t->ops[i])) return false;
    for (size_t i = 0; i < t->n_given; i++) {
        const loop_slot s = t->slots[t->given[i]];
        if (t->given_float[i])
            given[i] = (rt_loop_scalar){DT_F64, {.F64 = s.f}};
        else if (is_exact(s.i))
            given[i] = (rt_loop_scalar){DT_I64, {.I64 = s.i}};
        else
            return false;
    }
    /* The iteration will run: its results become the operands of the next one. */
    loop_slot out[LOOP_MAX_SCALARS_OUT];
    for (size_t i = 0; i < t->n_carried; i++) out[i] = t->slots[t->carried[i].out];
    for (size_t i = 0; i < t->n_carried; i++) {
        t->before[i] = t->slots[t->carried[i].in];
        t->slots[t->carried[i].in] = out[i];
    }
    return true;
}

void loop_scalars_leave(loop_trace *t) {
    for (size_t i = 0; i < t->n_carried; i++) {
        const loop_carried *c = &t->carried[i];
        if (c->late) t->slots[c->in] = t->before[i];
    }
}

bool loop_scalars_advance(const loop_trace *t, int16_t slot, int depth, int64_t *out) {
    /* Copies of copies: what a variable held before the loop has gone after as many iterations as
     * are logged. */
    enum { MAX_COPIES = 2 };
    *out = 0;
    if (depth > MAX_COPIES) return false;
    for (size_t i = 0; i < t->n_carried; i++) {
        if (t->carried[i].in != slot) continue;
        int16_t from = t->carried[i].out;
        int64_t by = 0;
        for (size_t k = t->n_ops; k-- > 0 && from != slot;) {
            const loop_op *o = &t->ops[k];
            if (o->to != from || (o->code != LOOP_ADD && o->code != LOOP_SUB)) continue;
            if (!t->is_constant[o->b]) return false;
            by += o->code == LOOP_ADD ? t->slots[o->b].i : -t->slots[o->b].i;
            from = o->a;
        }
        *out = by;
        return from == slot || loop_scalars_advance(t, from, depth + 1, out);
    }
    return false;
}

static bool scales(const loop_op *o) {
    return o->code == LOOP_MUL || o->code == LOOP_FLOORDIV || o->code == LOOP_MOD;
}

uint64_t loop_scalars_key(const loop_trace *t, uint64_t seed) {
    uint64_t key = hash_bytes(t->ops, t->n_ops * sizeof *t->ops, seed);
    for (size_t i = 0; i < t->n_ops; i++) {
        const loop_op *o = &t->ops[i];
        const int64_t factors[] = {t->is_constant[o->a] ? t->slots[o->a].i : 0,
                                   t->is_constant[o->b] ? t->slots[o->b].i : 0};
        if (scales(o)) key = hash_bytes(factors, sizeof factors, key);
    }
    for (size_t i = 0; i < t->n_carried; i++) {
        int64_t advance;
        if (loop_scalars_advance(t, t->carried[i].in, 0, &advance))
            key = hash_bytes(&advance, sizeof advance, key);
    }
    return key;
}
