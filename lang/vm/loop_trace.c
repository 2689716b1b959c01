/* Traces of loops: the walk over the instructions of a body (loop_walk.h).
 *
 * Reading order: operators, instructions, the end, loop_trace_make. */
#include "lang/vm/loop_trace.h"

#include "lang/vm/instance.h"
#include "lang/vm/iterate.h"
#include "lang/vm/loop_walk.h"
#include "lang/vm/operate.h"
#include "lang/vm/step.h"

enum { MAX_STEPS = 8000, MAX_WALKS = 6 };

/* ---- operators ---- */

/* Hands a scalar to an array operation. */
static bool give(walk *w, const abstract *a) {
    loop_trace *t = w->t;
    if (a->kind != SCALAR) return true;
    if (a->v.tag == V_BOOL) return walk_refuse(w, RT_LOOP_SCALAR);
    for (size_t i = 0; i < t->n_given; i++)
        if (t->given[i] == a->slot) return true;
    if (t->n_given == RT_LOOP_MAX_SCALARS) return walk_refuse(w, RT_LOOP_SIZE);
    t->given_float[t->n_given] = a->v.tag == V_FLOAT;
    t->given[t->n_given++] = a->slot;
    return true;
}

static bool takes_scalars(ast_op op) {
    return op == AST_OP_ADD || op == AST_OP_SUB || op == AST_OP_MUL || op == AST_OP_DIV;
}

/* Arithmetic on two fixed numbers (constant folding). */
static bool fold(walk *w, ast_op op, value x, value y, unsigned to) {
    value out = v_none();
    if (op_binary(w->vm, op, x, y, &out)) {
        vm_clear_error(w->vm);
        return walk_refuse(w, RT_LOOP_SCALAR);
    }
    if (!is_real_scalar(out)) {
        value_release(w->vm, out);
        return walk_refuse(w, RT_LOOP_SCALAR);
    }
    walk_set(w, to, fixed(out));
    return true;
}

static bool binary(walk *w, ast_op op, unsigned to, unsigned b, unsigned c) {
    const abstract x = *walk_reg(w, b), y = *walk_reg(w, c);
    abstract out = empty;
    if (w->why) return false;
    if (x.kind == ARRAY || y.kind == ARRAY) {
        const abstract *other = x.kind == ARRAY ? &y : &x;
        if (op == AST_OP_IN || op == AST_OP_NOT_IN) return walk_refuse(w, RT_LOOP_INSTRUCTION);
        if (other->kind != ARRAY && other->kind != FIXED && other->kind != SCALAR)
            return walk_refuse(w, RT_LOOP_INSTRUCTION);
        if (other->kind == SCALAR && (!takes_scalars(op) || !give(w, other)))
            return walk_refuse(w, RT_LOOP_SCALAR);
        walk_set(w, to, array_of(v_unset()));
        return true;
    }
    if (x.kind == FIXED && y.kind == FIXED && !(is_real_scalar(x.v) && is_real_scalar(y.v)))
        return walk_refuse(w, RT_LOOP_SCALAR);
    if (x.kind == FIXED && y.kind == FIXED && !walk_is_comparison(op))
        return fold(w, op, x.v, y.v, to);
    if (walk_slot_of(w, &x) < 0 || walk_slot_of(w, &y) < 0) return walk_refuse(w, RT_LOOP_SCALAR);
    if (!(walk_is_comparison(op) ? walk_compare(w, op, &x, &y, &out)
                                 : walk_arithmetic(w, op, &x, &y, &out)))
        return false;
    walk_set(w, to, x.kind == FIXED && y.kind == FIXED ? fixed(out.v) : out);
    return true;
}

/* ---- instructions ---- */

static bool make_parts(walk *w, const ins *i, kind as, unsigned n) {
    if (w->n_parts + n > MAX_PARTS) return walk_refuse(w, RT_LOOP_SIZE);
    abstract out = {.kind = (uint8_t)as,
                    .slot = -1,
                    .root = -1,
                    .part = (int16_t)w->n_parts,
                    .n_part = (int16_t)n};
    for (unsigned k = 0; k < n; k++) {
        const abstract a = *walk_reg(w, i->b + k);
        w->parts[w->n_parts++] = a;
    }
    walk_set(w, i->a, out);
    return !w->why;
}

static bool get_item(walk *w, const ins *i) {
    const abstract x = *walk_reg(w, i->b), key = *walk_reg(w, i->c);
    if (w->why) return false;
    if (x.kind == TUPLE_OF && key.kind == FIXED && key.v.tag == V_INT && key.v.i >= 0 &&
        key.v.i < x.n_part) {
        walk_set(w, i->a, w->parts[x.part + key.v.i]);
        return true;
    }
    if (x.kind != ARRAY) return walk_refuse(w, RT_LOOP_INSTRUCTION);
    if (!walk_check_subscript(w, &x, &key)) return false;
    walk_set(w, i->a, array_of(v_unset()));
    return true;
}

/* a[b] = c, or a[b] op= c */
static bool set_item(walk *w, const ins *i) {
    const abstract x = *walk_reg(w, i->a), key = *walk_reg(w, i->b), item = *walk_reg(w, i->c);
    if (w->why) return false;
    if (x.kind != ARRAY || (item.kind != ARRAY && item.kind != FIXED && item.kind != SCALAR))
        return walk_refuse(w, RT_LOOP_INSTRUCTION);
    if (i->op == I_UPDATE_ITEM && item.kind == SCALAR && !takes_scalars((ast_op)i[1].a))
        return walk_refuse(w, RT_LOOP_SCALAR);
    return walk_check_subscript(w, &x, &key) && give(w, &item);
}

/* a = b[c] for UPDATE_ITEM: of an array, it is not read yet if the value calls nothing of the
 * program. */
static bool old_item(walk *w, const ins *i) {
    bool is_read = i[1].b == OLD_ITEM_ALWAYS;
    for (unsigned k = 0; k < i[1].b && !is_read; k++) {
        const abstract callee = *walk_reg(w, i[1].a + k);
        is_read = w->why || callee.kind != FIXED || op_runs_program(callee.v);
    }
    return (!is_read && walk_reg(w, i->b)->kind == ARRAY) || walk_refuse(w, RT_LOOP_INSTRUCTION);
}

/* Arrays and numbers: their shapes and dtypes are those of the iterations that are recorded. If
 * predicated stores do not apply, what runs instead reads values, and is not recorded. */
static bool predicable(walk *w, const ins *i) {
    for (unsigned k = 0; k < i->c; k++) {
        const abstract x = *walk_reg(w, i->b + k);
        if (w->why) return false;
        if (x.kind != ARRAY && x.kind != SCALAR && x.kind != FIXED)
            return walk_refuse(w, RT_LOOP_INSTRUCTION);
    }
    walk_set(w, i->a, fixed(v_bool(true)));
    return true;
}

static bool set_where(walk *w, const ins *i) {
    const abstract x = *walk_reg(w, i->a), key = *walk_reg(w, i->b), item = *walk_reg(w, i->c);
    if (w->why) return false;
    return (x.kind == ARRAY && key.kind == ARRAY && item.kind == ARRAY) ||
           walk_refuse(w, RT_LOOP_INSTRUCTION);
}

static bool unpack(walk *w, const ins *i) {
    const abstract x = *walk_reg(w, i->b);
    if (w->why) return false;
    if (x.kind != TUPLE_OF || x.n_part != i->c) return walk_refuse(w, RT_LOOP_INSTRUCTION);
    for (unsigned k = 0; k < i->c; k++) walk_set(w, i->a + k, w->parts[(unsigned)x.part + k]);
    return true;
}

static bool unary(walk *w, const ins *i) {
    const abstract x = *walk_reg(w, i->b);
    abstract out;
    if (w->why) return false;
    if (x.kind == ARRAY && i->op != I_NOT) {
        walk_set(w, i->a, array_of(v_unset()));
        return true;
    }
    int16_t s = walk_slot_of(w, &x);
    if (s < 0 || (i->op == I_NEG && x.v.tag == V_BOOL) || (i->op != I_NEG && i->op != I_NOT) ||
        (i->op == I_NOT && x.v.tag == V_FLOAT) || (i->op == I_NEG && x.v.i == INT64_MIN))
        return walk_refuse(w, x.kind == ARRAY ? RT_LOOP_READ : RT_LOOP_SCALAR);
    loop_slot now = {.i = i->op == I_NOT ? !x.v.i : -x.v.i};
    loop_code as = i->op == I_NOT ? LOOP_NOT : x.v.tag == V_FLOAT ? LOOP_FNEG : LOOP_NEG;
    if (as == LOOP_FNEG) now.f = -x.v.f;
    value_tag tag = i->op == I_NOT ? V_BOOL : (value_tag)x.v.tag;
    walk_result(w, walk_emit(w, as, 0, s, s), tag, now, &out);
    if (as == LOOP_NEG && x.kind == SCALAR) {
        out.root = x.root;
        out.factor = -x.factor;
    }
    walk_set(w, i->a, x.kind == FIXED ? fixed(out.v) : out);
    return !w->why;
}

/* *out: the truth value of a fixed value that is no number: None, a function, an instance without
 * __bool__ and __len__. False: it is none of these. */
static bool fixed_truth(const abstract *a, bool *out) {
    const unsigned t = a->v.tag;
    *out = t != V_NONE;
    return a->kind == FIXED &&
           (t == V_NONE || t == V_FUNC || t == V_METHOD || t == V_NATIVE || t == V_UFUNC ||
            (t == V_OBJECT && is_instance(a->v) && !instance_has(a->v, "__bool__") &&
             !instance_has(a->v, "__len__") && is_kind(a->v, &instance_kind)));
}

/* The target of the unconditional jumps that begin at an instruction. */
static const ins *landing(const ins *i) {
    while (i->op == I_JUMP) i += i->d;
    return i;
}

/* Numbers an array that the iteration has computed, which tells it from those that it computes
 * later. Returns it. */
static abstract mark_computed(abstract *a, size_t slot) {
    if (a->kind == ARRAY && a->v.tag == V_UNSET) a->factor = (int64_t)slot + 1;
    return *a;
}

/* A jump on a bool that the iteration has computed: the value that stays in the loop is expected,
 * the other one ends it, after all that the iteration does. `word` holds the jump, which is taken
 * if the bool is `when`. */
static bool exit_if(walk *w, const ins *word, bool when, bool *out) {
    const ins *to = landing(word + word->d), *next = landing(word + 1);
    const bool leaves = to < w->head || to > w->t->last,
               falls_out = next < w->head || next > w->t->last;
    if (w->t->exit || w->f != w->scopes || leaves == falls_out) return walk_refuse(w, RT_LOOP_READ);
    w->t->exit = leaves ? to : next;
    for (unsigned k = 0; k < w->f->code->n_regs; k++)
        w->regs_at_exit[k] = mark_computed(&w->regs[k].now, k);
    for (size_t k = 0; k < w->n_outside; k++)
        w->outside_at_exit[k] = mark_computed(&w->outside[k].now, MAX_REGS + k);
    w->n_outside_at_exit = w->n_outside;
    *out = leaves ? !when : when;
    return true;
}

/* After the test that may end the loop an iteration only computes what it assigns to variables. */
static bool may_follow_exit(walk *w, const ins *i) {
    switch (i->op) {
        case I_CALL:
        case I_CALL_METHOD:
        case I_CALL_NAMED:
        case I_RETURN:
        case I_SET_ITEM:
        case I_UPDATE_ITEM:
        case I_SET_WHERE:
        case I_SET_ATTR: return false;
        case I_NEXT: return i + 1 + i[1].d == w->head;
        case I_UPDATE: /* of arrays in place */
        case I_UPDATE_ADD:
        case I_UPDATE_SUB:
        case I_UPDATE_MUL: return walk_reg(w, i->b)->kind != ARRAY;
        default: return true;
    }
}

/* The truth value of a register that decides a jump: a guard. */
static bool truth(walk *w, unsigned r, bool *out) {
    const abstract x = *walk_reg(w, r);
    if (w->why) return false;
    if (x.kind == ARRAY) return walk_refuse(w, RT_LOOP_READ);
    if (fixed_truth(&x, out)) return true;
    int16_t s = walk_slot_of(w, &x);
    if (s < 0 || x.v.tag == V_FLOAT) return walk_refuse(w, RT_LOOP_SCALAR);
    *out = x.v.i != 0;
    walk_emit(w, LOOP_GUARD, *out, s, s);
    return !w->why;
}

/* a = b is c, or its opposite: of fixed values other than numbers; nothing else is None. */
static bool identity(walk *w, const ins *i) {
    const abstract x = *walk_reg(w, i->b), y = *walk_reg(w, i->c);
    if (w->why) return false;
    const bool numbers = is_real_scalar(x.v) || is_real_scalar(y.v),
               fixed_both = x.kind == FIXED && y.kind == FIXED,
               none =
                   (x.kind == FIXED && x.v.tag == V_NONE) || (y.kind == FIXED && y.v.tag == V_NONE);
    if (!none && (!fixed_both || numbers)) return walk_refuse(w, RT_LOOP_INSTRUCTION);
    const bool same = fixed_both && value_is(x.v, y.v);
    walk_set(w, i->a, fixed(v_bool(same == (i->op == I_IS))));
    return true;
}

static bool compared(walk *w, const ins *i, bool *out) {
    static const uint8_t ops[] = {AST_OP_EQ, AST_OP_NE, AST_OP_LT, AST_OP_LE, AST_OP_GT, AST_OP_GE};
    const abstract x = *walk_reg(w, i->a), y = *walk_reg(w, i->b);
    abstract t;
    if (w->why) return false;
    if (x.kind == ARRAY || y.kind == ARRAY) {
        const abstract *other = x.kind == ARRAY ? &y : &x;
        if (other->kind != ARRAY && other->kind != FIXED && other->kind != SCALAR)
            return walk_refuse(w, RT_LOOP_READ);
        return give(w, other) && exit_if(w, i + 1, i->c, out);
    }
    if (walk_slot_of(w, &x) < 0 || walk_slot_of(w, &y) < 0) return walk_refuse(w, RT_LOOP_SCALAR);
    if (!walk_compare(w, (ast_op)ops[i->op - I_JUMP_EQ], &x, &y, &t)) return false;
    *out = t.v.i;
    walk_emit(w, LOOP_GUARD, *out, t.slot, t.slot);
    return !w->why;
}

/* A variable of the scalar program that is a field of an iterator. */
static int16_t field(walk *w, int64_t *at, int16_t out) {
    loop_trace *t = w->t;
    int16_t in = walk_new_slot(w);
    if (t->n_carried == LOOP_MAX_SCALARS_OUT) {
        walk_refuse(w, RT_LOOP_SIZE);
        return 0;
    }
    t->carried[t->n_carried++] = (loop_carried){.field = at, .in = in, .out = out, .late = true};
    return in;
}

/* The next item of an inner loop's range: the loop is unrolled. */
static bool next_inner(walk *w, const ins *i, const ins **after) {
    abstract *x = walk_reg(w, i->a);
    if (x->kind != RANGE_OF) return walk_refuse(w, RT_LOOP_INNER);
    w->t->unrolls = true;
    if (!x->n_part) {
        walk_set(w, i->a, unbound);
        return !w->why;
    }
    const int64_t item = x->v.i;
    x->n_part--;
    x->v.i = (int64_t)((uint64_t)item + (uint64_t)x->factor);
    walk_set(w, i->b, fixed(v_int(item)));
    *after = i + 1 + i[1].d;
    return !w->why;
}

/* The next item of the loop's own range. */
static bool next(walk *w, const ins *i) {
    const value v = *w->f->regs[i->a].at;
    loop_trace *t = w->t;
    if (v.tag != V_ITER || v.iter->next != iter_range_next || v.iter->end <= 0)
        return walk_refuse(w, RT_LOOP_ITERATOR);
    iter_obj *it = v.iter;
    t->iterator = v;
    int16_t left = field(w, &it->end, 0), at = field(w, &it->at, 0);
    if (w->why) return false;
    int16_t less = walk_emit(w, LOOP_NEXT, 0, left, left),
            more = walk_emit(w, LOOP_ADD, 0, at, walk_constant(w, it->step));
    if (w->why) return false;
    t->carried[t->n_carried - 2].out = less;
    t->carried[t->n_carried - 1].out = more;
    walk_set(w, i->b,
             (abstract){.kind = SCALAR, .slot = at, .v = v_int(it->at), .root = at, .factor = 1});
    return true;
}

/* The operator of an instruction; IN for the instructions that are none. */
static ast_op operator_of(unsigned op) {
    static const uint8_t of[][2] = {{I_ADD, AST_OP_ADD},       {I_UPDATE_ADD, AST_OP_ADD},
                                    {I_SUB, AST_OP_SUB},       {I_UPDATE_SUB, AST_OP_SUB},
                                    {I_MUL, AST_OP_MUL},       {I_UPDATE_MUL, AST_OP_MUL},
                                    {I_DIV, AST_OP_DIV},       {I_FLOORDIV, AST_OP_FLOORDIV},
                                    {I_MOD, AST_OP_MOD},       {I_POW, AST_OP_POW},
                                    {I_MATMUL, AST_OP_MATMUL}, {I_EQ, AST_OP_EQ},
                                    {I_NE, AST_OP_NE},         {I_LT, AST_OP_LT},
                                    {I_LE, AST_OP_LE},         {I_GT, AST_OP_GT},
                                    {I_GE, AST_OP_GE},         {I_BITAND, AST_OP_BITAND},
                                    {I_BITOR, AST_OP_BITOR},   {I_BITXOR, AST_OP_BITXOR}};
    for (size_t i = 0; i < COUNT_OF(of); i++)
        if (of[i][0] == op) return (ast_op)of[i][1];
    return AST_OP_IN;
}

/* Walks one instruction that does not jump. */
static bool plain(walk *w, const ins *i) {
    const code *c = w->f->code;
    switch (i->op) {
        case I_MOVE:
        case I_TAKE: walk_set(w, i->a, *walk_reg(w, i->b)); return !w->why;
        case I_CONST: walk_set(w, i->a, fixed(c->consts[i->d])); return true;
        case I_CLEAR: walk_set(w, i->a, unbound); return true;
        case I_GET_GLOBAL: walk_set(w, i->a, walk_read_global(w, i->d)); return !w->why;
        case I_GET_CELL: walk_set(w, i->a, walk_read(w, walk_celled(w, i->b))); return !w->why;
        case I_GET_FREE: walk_set(w, i->a, walk_read(w, walk_free(w, i->b))); return !w->why;
        case I_SET_GLOBAL: return walk_assign(w, walk_global(w, i->d), *walk_reg(w, i->a));
        case I_SET_CELL: return walk_assign(w, walk_celled(w, i->a), *walk_reg(w, i->b));
        case I_SET_FREE: return walk_assign(w, walk_free(w, i->a), *walk_reg(w, i->b));
        case I_UPDATE: return binary(w, (ast_op)i[1].a, i->a, i->b, i->c);
        case I_POS:
        case I_NEG:
        case I_INVERT:
        case I_NOT: return unary(w, i);
        case I_IS:
        case I_IS_NOT: return identity(w, i);
        case I_ITER:
            if (walk_reg(w, i->b)->kind != RANGE_OF) return walk_refuse(w, RT_LOOP_INNER);
            walk_set(w, i->a, *walk_reg(w, i->b));
            return true;
        case I_TUPLE: return make_parts(w, i, TUPLE_OF, i->c);
        case I_SLICE: return make_parts(w, i, SLICE_OF, 3);
        case I_UNPACK: return unpack(w, i);
        case I_GET_ITEM: return get_item(w, i);
        case I_OLD_ITEM: return old_item(w, i);
        case I_SET_ITEM:
        case I_UPDATE_ITEM: return set_item(w, i);
        case I_PREDICABLE: return predicable(w, i);
        case I_SET_WHERE: return set_where(w, i);
        case I_GET_ATTR: return walk_get_attr(w, i);
        case I_SET_ATTR: return walk_set_attr(w, i);
        case I_GET_METHOD: return walk_get_method(w, i);
        default:
            return operator_of(i->op) == AST_OP_IN
                       ? walk_refuse(w, RT_LOOP_INSTRUCTION)
                       : binary(w, operator_of(i->op), i->a, i->b, i->c);
    }
}

/* Follows a jump; *done: the iteration has ended. */
static bool jump(walk *w, const ins *word, const ins **at, bool *done) {
    const ins *to = word + word->d;
    *done = to == w->head && w->f == w->scopes;
    if (to <= word && !*done) return walk_refuse(w, RT_LOOP_INNER);
    *at = to;
    return true;
}

static bool walk_body(walk *w) {
    const ins *i = w->head;
    bool done = false, taken = false;
    for (int n = 0; !done; n++) {
        if (n == MAX_STEPS || w->why) return walk_refuse(w, RT_LOOP_SIZE);
        const ins *after = i + code_words[i->op];
        w->t->key = hash_bytes(i, sizeof *i, w->t->key);
        if (w->t->exit && !may_follow_exit(w, i)) return walk_refuse(w, RT_LOOP_READ);
        w->at = w->f->code->nodes[i - w->f->code->ins];
        switch (i->op) {
            case I_JUMP:
            case I_LOOP:
                if (!jump(w, i, &after, &done)) return false;
                break;
            case I_JUMP_IF:
            case I_JUMP_IF_NOT:
                if (walk_reg(w, i->a)->kind == ARRAY ? !exit_if(w, i, i->op == I_JUMP_IF, &taken)
                                                     : !truth(w, i->a, &taken))
                    return false;
                if (taken == (i->op == I_JUMP_IF) && !jump(w, i, &after, &done)) return false;
                break;
            case I_AND: /* the value that decides stays */
            case I_OR:
                if (!truth(w, i->a, &taken)) return false;
                if (taken == (i->op == I_OR) && !jump(w, i, &after, &done)) return false;
                break;
            case I_JUMP_EQ:
            case I_JUMP_NE:
            case I_JUMP_LT:
            case I_JUMP_LE:
            case I_JUMP_GT:
            case I_JUMP_GE:
                if (!compared(w, i, &taken)) return false;
                if (taken == (bool)i->c && !jump(w, i + 1, &after, &done)) return false;
                break;
            case I_CALL:
            case I_CALL_METHOD:
            case I_CALL_NAMED:
                if (!walk_call(w, i, &after)) return false;
                break;
            case I_RETURN:
                if (!walk_return(w, i, &after)) return false;
                break;
            case I_NEXT:
                done = i + 1 + i[1].d == w->head && w->f == w->scopes;
                if (done ? !next(w, i) : !next_inner(w, i, &after)) return false;
                break;
            default:
                if (!plain(w, i)) return false;
        }
        i = after;
    }
    return !w->why;
}

/* ---- the end ---- */

static bool check_advances(walk *w) {
    for (size_t i = 0; i < w->n_advances; i++) {
        int64_t a = 0, b = 0;
        if ((w->advances[i].a >= 0 && !loop_scalars_advance(w->t, w->advances[i].a, 0, &a)) ||
            (w->advances[i].b >= 0 && !loop_scalars_advance(w->t, w->advances[i].b, 0, &b)) ||
            a * w->advances[i].a_factor != b * w->advances[i].b_factor)
            return walk_refuse(w, RT_LOOP_INDEX);
    }
    return true;
}

/* One walk. Returns why the loop is refused. */
static rt_loop_reason walk_once(walk *w, const frame *f) {
    const unsigned n = f->code->n_regs;
    w->f = w->scopes;
    *w->f = (scope){.code = f->code, .module = f->module, .free = f->free, .regs = w->regs};
    w->head = f->ip;
    for (unsigned i = 0; i < n; i++)
        w->regs[i] = (variable){.at = &f->regs[i], .now = empty, .in = -1};
    walk_find_assigned(w);
    if (!w->why && walk_body(w)) {
        for (unsigned i = 0; i < n && !w->why; i++)
            if (i < f->code->n_vars || w->regs[i].read) walk_end_variable(w, &w->regs[i]);
        for (size_t i = 0; i < w->n_outside && !w->why; i++) walk_end_variable(w, &w->outside[i]);
        if (!w->why) check_advances(w);
        w->t->key = loop_scalars_key(w->t, w->t->key);
    }
    return w->why;
}

rt_loop_reason loop_trace_make(gpa_vm *vm, const frame *f, loop_trace *t) {
    walk_stores stores = {.n = 0};
    rt_loop_reason why = RT_LOOP_SIZE;
    walk *w = f->code->n_regs <= MAX_REGS ? mem_new(sizeof *w) : NULL;
    if (!w) return why;
    for (int n = 0; n < MAX_WALKS && (n == 0 || stores.grown); n++) {
        stores.grown = false;
        memset(w, 0, offsetof(walk, regs));
        *t = (loop_trace){.n_slots = 1, .iterator = v_unset()}; /* slot 0: results of guards */
        w->vm = vm;
        w->t = t;
        w->stores = &stores;
        why = walk_once(w, f);
    }
    mem_free(w);
    return stores.grown ? RT_LOOP_SIZE : why;
}
