/* Traces of loops.
 *
 * The walk gives each register, global and captured variable an abstract value: fixed (the same in
 * all iterations), a scalar (a slot of the scalar program, with the value of the coming iteration,
 * which decides branches), an array, or a tuple or slice of these. A variable that the body assigns
 * is a scalar from the start; one that it only reads is fixed. Calls of the program's functions are
 * walked as if their bodies stood in the loop (inlining).
 *
 * Reading order: abstract values, variables, scalars, indices, arrays and calls, functions of the
 * program, attributes, instructions, the end, loop_trace_make. */
#include "lang/vm/loop_trace.h"

#include <stdio.h>
#include <string.h>

#include "lang/vm/iterate.h"
#include "lang/vm/step.h"

enum {
    MAX_REGS = 512, /* of the loop's function and of those that are inlined at one time */
    MAX_GLOBALS = 32,
    MAX_PARTS = 192,
    MAX_STEPS = 2000,
    MAX_ADVANCES = 48,
    MAX_DEPTH = 8, /* of inlined calls */
};

typedef enum { EMPTY, UNBOUND, FIXED, SCALAR, ARRAY, TUPLE_OF, SLICE_OF, METHOD_OF } kind;

typedef struct {
    uint8_t kind;
    int16_t slot;         /* SCALAR */
    int16_t part, n_part; /* TUPLE_OF, SLICE_OF: range of the parts */
    value v; /* FIXED; SCALAR: in the coming iteration; ARRAY: if it exists already, else UNSET;
                METHOD_OF: its native row */
    /* SCALAR, int: factor * (slot root, a variable at the start) + constant; root -1: not so */
    int16_t root;
    int64_t factor;
} abstract;

typedef struct {
    value *at; /* NULL: a register of an inlined function, unbound at first */
    abstract now;
    bool assigned, read; /* by the body; before it is assigned */
    int16_t in;          /* slot of the value at the start; -1: not read as a scalar */
} variable;

/* The function whose instructions are walked. */
typedef struct {
    const code *code;
    module_obj *module;
    const value *free; /* the cells of its closure */
    variable *regs;
    const ins *back; /* the instruction of the caller at which the walk goes on */
    uint16_t dst;    /* the caller's register for the result */
} scope;

typedef struct {
    gpa_vm *vm;
    loop_trace *t;
    rt_loop_reason why;
    scope scopes[MAX_DEPTH + 1], *f; /* the loop's function first; the innermost one */
    variable regs[MAX_REGS], globals[MAX_GLOBALS]; /* globals and captured variables */
    size_t n_globals;
    abstract parts[MAX_PARTS];
    size_t n_parts;
    /* Indices: the advance of scalar a per iteration equals that of b (-1: 0). */
    struct {
        int16_t a, b;
        int64_t a_factor, b_factor;
    } advances[MAX_ADVANCES];
    size_t n_advances;
    const ins *head; /* where an iteration begins */
} walk;

static const abstract empty = {.kind = EMPTY, .slot = -1, .root = -1}, /* not read yet */
    unbound = {.kind = UNBOUND, .slot = -1, .root = -1};

static bool refuse(walk *w, rt_loop_reason why) {
    if (!w->why) w->why = why;
    return false;
}

/* ---- abstract values ---- */

static abstract fixed(value v) {
    abstract a = empty;
    a.kind = FIXED;
    a.v = v;
    return a;
}

static abstract array_of(value v) {
    abstract a = empty;
    a.kind = ARRAY;
    a.v = v;
    return a;
}

static bool is_number(value v) { return v.tag == V_INT || v.tag == V_FLOAT || v.tag == V_BOOL; }

static int16_t new_slot(walk *w) {
    if (w->t->n_slots == LOOP_MAX_SLOTS) {
        refuse(w, RT_LOOP_SIZE);
        return 0;
    }
    return (int16_t)w->t->n_slots++;
}

static int16_t constant(walk *w, int64_t bits) {
    int16_t s = new_slot(w);
    w->t->is_constant[s] = true;
    w->t->slots[s].i = bits;
    return s;
}

static int16_t emit(walk *w, loop_code op, int how, int16_t a, int16_t b) {
    loop_trace *t = w->t;
    if (t->n_ops == LOOP_MAX_OPS) {
        refuse(w, RT_LOOP_SIZE);
        return 0;
    }
    int16_t to = op == LOOP_GUARD || op == LOOP_WITHIN ? 0 : new_slot(w);
    t->ops[t->n_ops++] = (loop_op){(uint8_t)op, (uint8_t)how, to, a, b};
    return to;
}

/* ---- variables ---- */

/* Adds an array of the program; one that a container holds has no variable. */
static void add_array(walk *w, value *at, value held, bool assigned) {
    loop_trace *t = w->t;
    for (size_t i = 0; i < t->n_arrays; i++)
        if (at ? t->arrays[i].at == at : !t->arrays[i].at && t->arrays[i].held.o == held.o) return;
    if (t->n_arrays == RT_LOOP_MAX_ARRAYS) {
        refuse(w, RT_LOOP_SIZE);
        return;
    }
    t->arrays[t->n_arrays].at = at;
    t->arrays[t->n_arrays].held = held;
    t->arrays[t->n_arrays++].assigned = assigned;
}

/* The value of a variable at the start of the iteration. */
static void read_first(walk *w, variable *x) {
    value v = *x->at;
    x->read = true;
    if (v.tag == V_ARRAY) {
        add_array(w, x->at, v, x->assigned);
        x->now = array_of(v);
    } else if (!x->assigned) {
        x->now = fixed(v);
        if (v.tag == V_UNSET) refuse(w, RT_LOOP_INSTRUCTION);
    } else if (is_number(v)) {
        x->in = new_slot(w);
        x->now = (abstract){.kind = SCALAR,
                            .slot = x->in,
                            .v = v,
                            .root = v.tag == V_INT ? x->in : -1,
                            .factor = 1};
    } else {
        refuse(w, RT_LOOP_SCALAR);
    }
}

static abstract *reg(walk *w, unsigned i) {
    variable *x = &w->f->regs[i];
    if (x->now.kind == EMPTY) read_first(w, x);
    if (x->now.kind == UNBOUND) refuse(w, RT_LOOP_INSTRUCTION);
    return &x->now;
}

static void set(walk *w, unsigned i, abstract a) { w->f->regs[i].now = a; }

/* Notes that the trace refers to the globals of a module, which move when one is added. */
static void watch_module(walk *w, const module_obj *m) {
    loop_trace *t = w->t;
    for (size_t i = 0; i < t->n_modules; i++)
        if (t->modules[i].module == m) return;
    if (t->n_modules == LOOP_MAX_MODULES) {
        refuse(w, RT_LOOP_SIZE);
        return;
    }
    t->modules[t->n_modules].module = m;
    t->modules[t->n_modules++].slots = m->slots;
}

/* The variable, global or captured, at an address. */
static variable *outside(walk *w, value *at) {
    for (size_t i = 0; i < w->n_globals; i++)
        if (w->globals[i].at == at) return &w->globals[i];
    if (w->n_globals == MAX_GLOBALS) {
        refuse(w, RT_LOOP_SIZE);
        return &w->globals[0];
    }
    variable *x = &w->globals[w->n_globals++];
    *x = (variable){.at = at, .now = empty, .in = -1};
    return x;
}

static variable *global(walk *w, int32_t slot) {
    watch_module(w, w->f->module);
    return outside(w, &w->f->module->slots[slot]);
}

/* The variable in a cell of the loop's function, or NULL. */
static variable *celled(walk *w, unsigned slot) {
    const value *at = w->f->regs[slot].at;
    if (!at || at->tag != V_CELL) {
        refuse(w, RT_LOOP_INSTRUCTION);
        return NULL;
    }
    return outside(w, &at->cell->v);
}

static abstract read_outside(walk *w, variable *x) {
    if (x && x->now.kind == EMPTY) read_first(w, x);
    return x ? x->now : empty;
}

static abstract read_global(walk *w, int32_t slot) {
    variable *x = global(w, slot);
    const value builtin = w->f->module->builtins[slot];
    if (x->now.kind != EMPTY) return x->now;
    if (x->at->tag == V_UNSET && !x->assigned && builtin.tag != V_UNSET) return fixed(builtin);
    return read_outside(w, x);
}

/* Notes which variables the body assigns: all that an instruction between its first and its last
 * one writes. */
static void find_assigned(walk *w) {
    const code *c = w->f->code;
    const ins *end = c->ins + c->n_ins, *last = w->head;
    for (const ins *i = w->head; i < end; i += code_words[i->op]) {
        const char *layout = code_layout(i->op);
        const char *second = strchr(layout, ',');
        if (!second && layout[1] == 'j' && i + i->d == w->head) last = i;
        if (second && second[1] == 'j' && i + 1 + i[1].d == w->head) last = i;
    }
    for (const ins *i = w->head; i <= last; i += code_words[i->op]) {
        const char *layout = code_layout(i->op);
        unsigned n = i->op == I_UNPACK ? i->c : i->op == I_GET_METHOD ? 2 : 1;
        if (i->op == I_SET_GLOBAL) global(w, i->d)->assigned = true;
        if (i->op == I_SET_FREE) outside(w, &w->f->free[i->a].cell->v)->assigned = true;
        if (i->op == I_SET_CELL) {
            variable *x = celled(w, i->a);
            if (x) x->assigned = true;
        }
        if (i->op == I_NEXT) w->regs[i->b].assigned = true;
        if (layout[0] == 'r' || i->op == I_CALL || i->op == I_CALL_METHOD || i->op == I_CALL_NAMED)
            for (unsigned k = 0; k < n && i->a + k < c->n_regs; k++)
                w->regs[i->a + k].assigned = true;
        if (layout[0] != 'r' && layout[1] == 'r' && i->op != I_NEXT) refuse(w, RT_LOOP_INSTRUCTION);
    }
}

/* ---- scalars ---- */

/* The slot of a fixed or changing int, float or bool; -1: it is something else. */
static int16_t slot_of(walk *w, const abstract *a) {
    if (a->kind == SCALAR) return a->slot;
    return a->kind == FIXED && is_number(a->v) ? constant(w, a->v.i) : -1;
}

static int16_t float_slot(walk *w, const abstract *a) {
    int16_t s = slot_of(w, a);
    return a->v.tag == V_FLOAT ? s : emit(w, LOOP_TO_FLOAT, 0, s, s);
}

/* The scalar that the last operation computes, evaluated for the coming iteration. */
static bool result(walk *w, int16_t slot, value_tag tag, loop_slot now, abstract *out) {
    *out = (abstract){
        .kind = SCALAR, .slot = slot, .v = {.tag = tag, .i = now.i}, .root = -1, .factor = 0};
    return !w->why;
}

static bool fixed_number(const abstract *a) { return a->kind == FIXED && is_number(a->v); }

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
        default: return refuse(w, RT_LOOP_SCALAR);
    }
    if (bad) return refuse(w, RT_LOOP_SCALAR);
    if (op != AST_OP_DIV) now.i = r;
    int16_t i = slot_of(w, x), k = slot_of(w, y);
    result(w, emit(w, as, 0, i, k), op == AST_OP_DIV ? V_FLOAT : V_INT, now, out);
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
            if (b == 0) return refuse(w, RT_LOOP_SCALAR);
            as = LOOP_FDIV, now.f = a / b;
            break;
        default: return refuse(w, RT_LOOP_SCALAR);
    }
    int16_t i = float_slot(w, x), k = float_slot(w, y);
    return result(w, emit(w, as, 0, i, k), V_FLOAT, now, out);
}

/* Python's arithmetic on two numbers, one of which may change. */
static bool arithmetic(walk *w, ast_op op, const abstract *x, const abstract *y, abstract *out) {
    if (x->v.tag == V_BOOL || y->v.tag == V_BOOL) return refuse(w, RT_LOOP_SCALAR);
    return x->v.tag == V_INT && y->v.tag == V_INT ? int_arithmetic(w, op, x, y, out)
                                                  : float_arithmetic(w, op, x, y, out);
}

static bool is_comparison(ast_op op) {
    return op == AST_OP_EQ || op == AST_OP_NE || op == AST_OP_LT || op == AST_OP_LE ||
           op == AST_OP_GT || op == AST_OP_GE;
}

static bool compare(walk *w, ast_op op, const abstract *x, const abstract *y, abstract *out) {
    if (!is_number(x->v) || !is_number(y->v) || x->v.tag == V_BOOL || y->v.tag == V_BOOL ||
        x->v.tag != y->v.tag)
        return refuse(w, RT_LOOP_SCALAR);
    loop_code as = x->v.tag == V_FLOAT ? LOOP_FCOMPARE : LOOP_COMPARE;
    int16_t i = slot_of(w, x), k = slot_of(w, y);
    int16_t to = emit(w, as, (int)op, i, k);
    bool now = loop_compare(op, x->v, y->v);
    return result(w, to, V_BOOL, (loop_slot){.i = now}, out);
}

/* ---- indices ---- */

static bool same_advance(walk *w, const abstract *a, const abstract *b) {
    if (w->n_advances == MAX_ADVANCES) return refuse(w, RT_LOOP_SIZE);
    bool x = a && a->kind == SCALAR, y = b && b->kind == SCALAR;
    if ((x && a->root < 0) || (y && b->root < 0)) return refuse(w, RT_LOOP_INDEX);
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
    if (a->v.tag != V_INT || a->root < 0) return refuse(w, RT_LOOP_INDEX);
    const bool back = a->v.i < 0;
    int16_t lo = constant(w, back ? -n : 0), hi = constant(w, back ? -1 : last);
    emit(w, LOOP_WITHIN, 0, a->slot, lo);
    if (!w->why) w->t->ops[w->t->n_ops - 1].to = hi;
    return same_advance(w, a, a);
}

static bool changes(const walk *w, const abstract *a) {
    bool any = a->kind == SCALAR;
    for (int i = 0; i < a->n_part && (a->kind == TUPLE_OF || a->kind == SLICE_OF); i++)
        any = any || changes(w, &w->parts[a->part + i]);
    return any;
}

static bool has_array(const walk *w, const abstract *a) {
    bool any = a->kind == ARRAY;
    for (int i = 0; i < a->n_part && (a->kind == TUPLE_OF || a->kind == SLICE_OF); i++)
        any = any || has_array(w, &w->parts[a->part + i]);
    return any;
}

static bool check_slice(walk *w, const abstract *s, int64_t n) {
    const abstract *start = &w->parts[s->part], *stop = start + 1, *step = start + 2;
    bool forward =
        step->kind == FIXED && (step->v.tag == V_NONE || (step->v.tag == V_INT && step->v.i > 0));
    if (!changes(w, s)) return true;
    if (!forward) return refuse(w, RT_LOOP_INDEX);
    return check_index(w, start, n, n) && check_index(w, stop, n, n) &&
           same_advance(w, start, stop);
}

/* Subscripts of an array that change: guards that keep them in bounds and slices of one length. */
static bool check_subscript(walk *w, const abstract *a, const abstract *key) {
    const abstract *part = key->kind == TUPLE_OF ? &w->parts[key->part] : key;
    int n = key->kind == TUPLE_OF ? key->n_part : 1, axis = 0;
    if (!changes(w, key)) return true;
    if (a->v.tag != V_ARRAY) return refuse(w, RT_LOOP_INDEX);
    const gpa_arr *arr = a->v.array->arr;
    for (int i = 0; i < n; i++) {
        const abstract *p = &part[i];
        bool index = p->kind == SCALAR || (p->kind == FIXED && p->v.tag == V_INT);
        if (p->kind == FIXED && p->v.tag == V_NONE) continue;
        if ((!index && p->kind != SLICE_OF) || axis >= arr->ndim) return refuse(w, RT_LOOP_INDEX);
        const int64_t extent = arr->shape[axis++];
        if (index ? !check_index(w, p, extent, extent - 1) : !check_slice(w, p, extent))
            return false;
    }
    return true;
}

/* ---- arrays and calls ---- */

/* Hands a scalar to an array operation. */
static bool give(walk *w, const abstract *a) {
    loop_trace *t = w->t;
    if (a->kind != SCALAR) return true;
    if (a->v.tag == V_BOOL) return refuse(w, RT_LOOP_SCALAR);
    for (size_t i = 0; i < t->n_given; i++)
        if (t->given[i] == a->slot) return true;
    if (t->n_given == RT_LOOP_MAX_SCALARS) return refuse(w, RT_LOOP_SIZE);
    t->given_float[t->n_given] = a->v.tag == V_FLOAT;
    t->given[t->n_given++] = a->slot;
    return true;
}

static bool takes_scalars(ast_op op) {
    return op == AST_OP_ADD || op == AST_OP_SUB || op == AST_OP_MUL || op == AST_OP_DIV;
}

static bool binary(walk *w, ast_op op, unsigned to, unsigned b, unsigned c) {
    const abstract x = *reg(w, b), y = *reg(w, c);
    abstract out = empty;
    if (w->why) return false;
    if (x.kind == ARRAY || y.kind == ARRAY) {
        const abstract *other = x.kind == ARRAY ? &y : &x;
        if (op == AST_OP_IN || op == AST_OP_NOT_IN || op == AST_OP_IS || op == AST_OP_IS_NOT)
            return refuse(w, RT_LOOP_INSTRUCTION);
        if (other->kind != ARRAY && other->kind != FIXED && other->kind != SCALAR)
            return refuse(w, RT_LOOP_INSTRUCTION);
        if (other->kind == SCALAR && (!takes_scalars(op) || !give(w, other)))
            return refuse(w, RT_LOOP_SCALAR);
        set(w, to, array_of(v_unset()));
        return true;
    }
    if (x.kind == FIXED && y.kind == FIXED && !(is_number(x.v) && is_number(y.v)))
        return refuse(w, RT_LOOP_SCALAR);
    if (slot_of(w, &x) < 0 || slot_of(w, &y) < 0) return refuse(w, RT_LOOP_SCALAR);
    if (!(is_comparison(op) ? compare(w, op, &x, &y, &out) : arithmetic(w, op, &x, &y, &out)))
        return false;
    set(w, to, x.kind == FIXED && y.kind == FIXED ? fixed(out.v) : out);
    return true;
}

/* An argument of a function: no scalar that changes, in any depth. */
static bool may_pass(walk *w, const abstract *a) {
    if (changes(w, a)) return refuse(w, RT_LOOP_SCALAR);
    if (a->kind == METHOD_OF || (a->kind == FIXED && (a->v.tag >= V_FUNC || a->v.tag == V_LIST)))
        return refuse(w, RT_LOOP_CALL);
    return true;
}

/* Functions of numpy, and methods of arrays, that read their arguments and make arrays. */
static bool is_pure(const char *name) {
    static const char *const names =
        " sum mean min max amin amax prod std var where zeros ones full zeros_like ones_like "
        "full_like copy reshape transpose ravel clip round abs absolute fabs dot matmul outer roll "
        "pad concatenate stack hstack vstack cumsum diff flip tile repeat triu tril swapaxes "
        "expand_dims squeeze broadcast_to diagonal any all fill ";
    char wanted[32];
    int n = snprintf(wanted, sizeof wanted, " %s ", name);
    return n < (int)sizeof wanted && strstr(names, wanted);
}

/* A call of a function of the language itself, which makes an array. */
static bool call_known(walk *w, const ins *i, unsigned n_named) {
    const abstract fn = *reg(w, i->a);
    unsigned first = i->a + 2u, n = i->b + n_named;
    const gpa_vm *vm = w->vm;
    bool pure = false;
    if (fn.kind == METHOD_OF)
        pure = is_pure(fn.v.native->name);
    else if (fn.kind == FIXED && fn.v.tag == V_UFUNC)
        pure = true;
    else if (fn.kind == FIXED && fn.v.tag == V_NATIVE)
        pure =
            (strcmp(fn.v.native->owner, "numpy") == 0 && is_pure(fn.v.native->name)) ||
            (strcmp(fn.v.native->owner, "builtins") == 0 && strcmp(fn.v.native->name, "abs") == 0);
    else if (fn.kind == FIXED && fn.v.tag == V_FUNC)
        pure = fn.v.func->module->library && is_pure(sym_text(vm, fn.v.func->name)) &&
               strncmp(sym_text(vm, fn.v.func->module->name), "numpy", 5) == 0;
    if (!pure || w->why) return refuse(w, RT_LOOP_CALL);
    bool arrays = fn.kind == METHOD_OF;
    for (unsigned k = 0; k < n; k++) {
        const abstract *a = reg(w, first + k);
        if (w->why || !may_pass(w, a)) return false;
        arrays = arrays || has_array(w, a);
    }
    bool makes = fn.kind == FIXED && fn.v.tag == V_NATIVE && fn.v.native->name[0] != 'a';
    if (!arrays && !makes) return refuse(w, RT_LOOP_CALL);
    set(w, i->a, array_of(v_unset()));
    return true;
}

/* ---- functions of the program ---- */

/* Whether a call gives every parameter of a function a value, each once, from the registers from
 * `args` on and the defaults; *to: the parameters. */
static bool bind(walk *w, const func_obj *f, const abstract *args, const ins *i, unsigned n_named,
                 variable *to) {
    const ast_scope *s = f->code->scope;
    const unsigned n = s->n_positional,
                   defaults = f->defaults.tag == V_TUPLE ? (unsigned)f->defaults.tuple->count : 0;
    if (s->has_args || s->has_kwargs || s->n_keyword_only || i->b > n) return false;
    for (unsigned k = 0; k < i->b; k++) to[k].now = args[k];
    for (unsigned k = 0; k < n_named; k++) {
        const value name = w->f->code->consts[i[1].d].tuple->items[k];
        const int at = call_keyword_at(w->vm, f->code, name);
        if (at < 0 || to[at].now.kind != UNBOUND) return false;
        to[at].now = args[i->b + k];
    }
    for (unsigned k = 0; k < n; k++) {
        if (to[k].now.kind != UNBOUND) continue;
        if (k + defaults < n) return false;
        const value v = f->defaults.tuple->items[k + defaults - n];
        if (v.tag == V_ARRAY) add_array(w, NULL, v, false);
        to[k].now = v.tag == V_ARRAY ? array_of(v) : fixed(v);
    }
    return true;
}

/* Goes on with the instructions of a function. */
static bool enter(walk *w, const func_obj *f, const ins *i, unsigned n_named, const ins **after) {
    const code *c = f->code;
    scope *inner = w->f + 1;
    abstract args[UINT8_MAX];
    const unsigned n = i->b + n_named;
    if (!c->compiled || c->jit || c->n_guards) return refuse(w, RT_LOOP_CALL);
    if (inner > w->scopes + MAX_DEPTH || n > COUNT_OF(args)) return refuse(w, RT_LOOP_SIZE);
    *inner = (scope){.code = c,
                     .module = f->module,
                     .free = f->free,
                     .regs = w->f->regs + w->f->code->n_regs,
                     .back = *after,
                     .dst = i->a};
    if (inner->regs + c->n_regs > w->regs + MAX_REGS) return refuse(w, RT_LOOP_SIZE);
    for (unsigned k = 0; k < n; k++) args[k] = *reg(w, i->a + 2u + k);
    for (unsigned k = 0; k < c->n_regs; k++) inner->regs[k] = (variable){.now = unbound, .in = -1};
    for (unsigned k = 0; k < c->n_consts_in_frame; k++)
        inner->regs[c->n_vars + k].now = fixed(c->consts[k]);
    if (w->why || !bind(w, f, args, i, n_named, inner->regs)) return refuse(w, RT_LOOP_CALL);
    w->f = inner;
    *after = c->ins;
    return true;
}

/* Returns from an inlined function. */
static bool leave(walk *w, const ins *i, const ins **after) {
    if (w->f == w->scopes) return refuse(w, RT_LOOP_INSTRUCTION);
    const abstract result = *reg(w, i->a);
    *after = w->f->back;
    const unsigned dst = w->f->dst;
    w->f--;
    set(w, dst, result);
    return !w->why;
}

static bool call(walk *w, const ins *i, const ins **after) {
    const abstract fn = *reg(w, i->a);
    const unsigned n_named = i->op == I_CALL_NAMED ? i->c : 0;
    if (w->why) return false;
    const bool own = fn.kind == FIXED && fn.v.tag == V_FUNC && !fn.v.func->module->library;
    return own ? enter(w, fn.v.func, i, n_named, after) : call_known(w, i, n_named);
}

/* ---- attributes ---- */

static bool get_method(walk *w, const ins *i) {
    const abstract x = *reg(w, i->b);
    const char *name = sym_text(w->vm, i[1].sym);
    if (w->why) return false;
    if (x.kind == FIXED && x.v.tag == V_MODULE && x.v.module != w->f->module) {
        value v = module_get_peek(x.v.module, i[1].sym);
        if (v.tag == V_UNSET || v.tag == V_ARRAY) return refuse(w, RT_LOOP_CALL);
        set(w, i->a, fixed(v));
        set(w, i->a + 1u, fixed(v_none()));
        return true;
    }
    const native *row = x.kind == ARRAY ? native_find(OWNER_ARRAY, name) : NULL;
    if (!row || row->kind != NATIVE_METHOD) return refuse(w, RT_LOOP_CALL);
    set(w, i->a, (abstract){.kind = METHOD_OF, .slot = -1, .root = -1, .v = {.native = row}});
    set(w, i->a + 1u, x);
    return true;
}

static bool get_attr(walk *w, const ins *i) {
    const abstract x = *reg(w, i->b);
    const char *name = sym_text(w->vm, i[1].sym);
    if (w->why) return false;
    if (x.kind == FIXED && x.v.tag == V_MODULE && x.v.module != w->f->module) {
        value v = module_get_peek(x.v.module, i[1].sym);
        if (!is_number(v) && v.tag != V_DTYPE && v.tag != V_TYPE && v.tag != V_NONE)
            return refuse(w, RT_LOOP_INSTRUCTION);
        set(w, i->a, fixed(v));
        return true;
    }
    if (x.kind != ARRAY || strcmp(name, "T") != 0) return refuse(w, RT_LOOP_INSTRUCTION);
    set(w, i->a, array_of(v_unset()));
    return true;
}

/* ---- instructions ---- */

static bool make_parts(walk *w, const ins *i, kind as, unsigned n) {
    if (w->n_parts + n > MAX_PARTS) return refuse(w, RT_LOOP_SIZE);
    abstract out = {.kind = (uint8_t)as,
                    .slot = -1,
                    .root = -1,
                    .part = (int16_t)w->n_parts,
                    .n_part = (int16_t)n};
    for (unsigned k = 0; k < n; k++) {
        const abstract a = *reg(w, i->b + k);
        w->parts[w->n_parts++] = a;
    }
    set(w, i->a, out);
    return !w->why;
}

static bool get_item(walk *w, const ins *i) {
    const abstract x = *reg(w, i->b), key = *reg(w, i->c);
    if (w->why) return false;
    if (x.kind == TUPLE_OF && key.kind == FIXED && key.v.tag == V_INT && key.v.i >= 0 &&
        key.v.i < x.n_part) {
        set(w, i->a, w->parts[x.part + key.v.i]);
        return true;
    }
    if (x.kind != ARRAY) return refuse(w, RT_LOOP_INSTRUCTION);
    if (!check_subscript(w, &x, &key)) return false;
    set(w, i->a, array_of(v_unset()));
    return true;
}

/* a[b] = c, or a[b] op= c */
static bool set_item(walk *w, const ins *i) {
    const abstract x = *reg(w, i->a), key = *reg(w, i->b), item = *reg(w, i->c);
    if (w->why) return false;
    if (x.kind != ARRAY || (item.kind != ARRAY && item.kind != FIXED && item.kind != SCALAR))
        return refuse(w, RT_LOOP_INSTRUCTION);
    if (i->op == I_UPDATE_ITEM && item.kind == SCALAR && !takes_scalars((ast_op)i[1].a))
        return refuse(w, RT_LOOP_SCALAR);
    return check_subscript(w, &x, &key) && give(w, &item);
}

static bool unpack(walk *w, const ins *i) {
    const abstract x = *reg(w, i->b);
    if (w->why) return false;
    if (x.kind != TUPLE_OF || x.n_part != i->c) return refuse(w, RT_LOOP_INSTRUCTION);
    for (unsigned k = 0; k < i->c; k++) set(w, i->a + k, w->parts[(unsigned)x.part + k]);
    return true;
}

static bool unary(walk *w, const ins *i) {
    const abstract x = *reg(w, i->b);
    abstract out;
    if (w->why) return false;
    if (x.kind == ARRAY && i->op != I_NOT) {
        set(w, i->a, array_of(v_unset()));
        return true;
    }
    int16_t s = slot_of(w, &x);
    if (s < 0 || (i->op == I_NEG && x.v.tag == V_BOOL) || (i->op != I_NEG && i->op != I_NOT) ||
        (i->op == I_NOT && x.v.tag == V_FLOAT) || (i->op == I_NEG && x.v.i == INT64_MIN))
        return refuse(w, x.kind == ARRAY ? RT_LOOP_READ : RT_LOOP_SCALAR);
    loop_slot now = {.i = i->op == I_NOT ? !x.v.i : -x.v.i};
    loop_code as = i->op == I_NOT ? LOOP_NOT : x.v.tag == V_FLOAT ? LOOP_FNEG : LOOP_NEG;
    if (as == LOOP_FNEG) now.f = -x.v.f;
    value_tag tag = i->op == I_NOT ? V_BOOL : (value_tag)x.v.tag;
    result(w, emit(w, as, 0, s, s), tag, now, &out);
    if (as == LOOP_NEG && x.kind == SCALAR) {
        out.root = x.root;
        out.factor = -x.factor;
    }
    set(w, i->a, x.kind == FIXED ? fixed(out.v) : out);
    return !w->why;
}

/* The truth of a register decides a jump: a guard. */
static bool truth(walk *w, unsigned r, bool *out) {
    const abstract x = *reg(w, r);
    if (w->why) return false;
    if (x.kind == ARRAY) return refuse(w, RT_LOOP_READ);
    int16_t s = slot_of(w, &x);
    if (s < 0 || x.v.tag == V_FLOAT) return refuse(w, RT_LOOP_SCALAR);
    *out = x.v.i != 0;
    emit(w, LOOP_GUARD, *out, s, s);
    return !w->why;
}

static bool compared(walk *w, const ins *i, bool *out) {
    static const uint8_t ops[] = {AST_OP_EQ, AST_OP_NE, AST_OP_LT, AST_OP_LE, AST_OP_GT, AST_OP_GE};
    const abstract x = *reg(w, i->a), y = *reg(w, i->b);
    abstract t;
    if (w->why) return false;
    if (x.kind == ARRAY || y.kind == ARRAY) return refuse(w, RT_LOOP_READ);
    if (slot_of(w, &x) < 0 || slot_of(w, &y) < 0) return refuse(w, RT_LOOP_SCALAR);
    if (!compare(w, (ast_op)ops[i->op - I_JUMP_EQ], &x, &y, &t)) return false;
    *out = t.v.i;
    emit(w, LOOP_GUARD, *out, t.slot, t.slot);
    return !w->why;
}

/* A variable of the scalar program that is a field of an iterator. */
static int16_t field(walk *w, int64_t *at, int16_t out) {
    loop_trace *t = w->t;
    int16_t in = new_slot(w);
    if (t->n_carried == LOOP_MAX_SCALARS_OUT) {
        refuse(w, RT_LOOP_SIZE);
        return 0;
    }
    t->carried[t->n_carried++] = (loop_carried){.field = at, .in = in, .out = out};
    return in;
}

/* The next item of the loop's own range. */
static bool next(walk *w, const ins *i) {
    const value v = *w->f->regs[i->a].at;
    loop_trace *t = w->t;
    if (v.tag != V_ITER || v.iter->next != iter_range_next || v.iter->end <= 0)
        return refuse(w, RT_LOOP_ITERATOR);
    iter_obj *it = v.iter;
    t->iterator = v;
    int16_t left = field(w, &it->end, 0), at = field(w, &it->at, 0);
    if (w->why) return false;
    int16_t less = emit(w, LOOP_NEXT, 0, left, left),
            more = emit(w, LOOP_ADD, 0, at, constant(w, it->step));
    if (w->why) return false;
    t->carried[t->n_carried - 2].out = less;
    t->carried[t->n_carried - 1].out = more;
    set(w, i->b,
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

/* Assigns to a global or captured variable. One that the body itself does not assign was taken for
 * fixed. */
static bool assign(walk *w, variable *x, abstract a) {
    if (w->why || !x->assigned) return refuse(w, RT_LOOP_INSTRUCTION);
    x->now = a;
    return true;
}

/* Walks one instruction that does not jump. */
static bool plain(walk *w, const ins *i) {
    const code *c = w->f->code;
    switch (i->op) {
        case I_MOVE:
        case I_TAKE: set(w, i->a, *reg(w, i->b)); return !w->why;
        case I_CONST: set(w, i->a, fixed(c->consts[i->d])); return true;
        case I_CLEAR: set(w, i->a, unbound); return true;
        case I_GET_GLOBAL: set(w, i->a, read_global(w, i->d)); return !w->why;
        case I_GET_CELL: set(w, i->a, read_outside(w, celled(w, i->b))); return !w->why;
        case I_GET_FREE:
            set(w, i->a, read_outside(w, outside(w, &w->f->free[i->b].cell->v)));
            return !w->why;
        case I_SET_GLOBAL: return assign(w, global(w, i->d), *reg(w, i->a));
        case I_SET_CELL: return assign(w, celled(w, i->a), *reg(w, i->b));
        case I_SET_FREE: return assign(w, outside(w, &w->f->free[i->a].cell->v), *reg(w, i->b));
        case I_UPDATE: return binary(w, (ast_op)i[1].a, i->a, i->b, i->c);
        case I_POS:
        case I_NEG:
        case I_INVERT:
        case I_NOT: return unary(w, i);
        case I_TUPLE: return make_parts(w, i, TUPLE_OF, i->c);
        case I_SLICE: return make_parts(w, i, SLICE_OF, 3);
        case I_UNPACK: return unpack(w, i);
        case I_GET_ITEM: return get_item(w, i);
        case I_OLD_ITEM:
            return (reg(w, i->b)->kind == ARRAY && !i[1].b) || refuse(w, RT_LOOP_INSTRUCTION);
        case I_SET_ITEM:
        case I_UPDATE_ITEM: return set_item(w, i);
        case I_GET_ATTR: return get_attr(w, i);
        case I_GET_METHOD: return get_method(w, i);
        default:
            return operator_of(i->op) == AST_OP_IN
                       ? refuse(w, RT_LOOP_INSTRUCTION)
                       : binary(w, operator_of(i->op), i->a, i->b, i->c);
    }
}

/* Follows a jump; *done: the iteration has ended. */
static bool jump(walk *w, const ins *word, const ins **at, bool *done) {
    const ins *to = word + word->d;
    *done = to == w->head && w->f == w->scopes;
    if (to <= word && !*done) return refuse(w, RT_LOOP_INNER);
    *at = to;
    return true;
}

static bool walk_body(walk *w) {
    const ins *i = w->head;
    bool done = false, taken = false;
    for (int n = 0; !done; n++) {
        if (n == MAX_STEPS || w->why) return refuse(w, RT_LOOP_SIZE);
        const ins *after = i + code_words[i->op];
        switch (i->op) {
            case I_JUMP:
            case I_LOOP:
                if (!jump(w, i, &after, &done)) return false;
                break;
            case I_JUMP_IF:
            case I_JUMP_IF_NOT:
                if (!truth(w, i->a, &taken)) return false;
                if (taken == (i->op == I_JUMP_IF) && !jump(w, i, &after, &done)) return false;
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
                if (!call(w, i, &after)) return false;
                break;
            case I_RETURN:
                if (!leave(w, i, &after)) return false;
                break;
            case I_NEXT:
                if (i + 1 + i[1].d != w->head || w->f != w->scopes) return refuse(w, RT_LOOP_INNER);
                if (!next(w, i)) return false;
                done = true;
                break;
            default:
                if (!plain(w, i)) return false;
        }
        i = after;
    }
    return !w->why;
}

/* ---- the end ---- */

/* A variable after the iteration: scalars are carried, arrays are the runtime's to follow. */
static bool end_variable(walk *w, variable *x) {
    loop_trace *t = w->t;
    abstract *a = &x->now;
    if (!x->assigned || a->kind == EMPTY) return true;
    if (a->kind == UNBOUND) return x->at->tag == V_UNSET || refuse(w, RT_LOOP_INSTRUCTION);
    if (a->kind == ARRAY) {
        if (x->at->tag != V_ARRAY) return refuse(w, RT_LOOP_STRUCTURE);
        add_array(w, x->at, *x->at, true);
        return !w->why;
    }
    if (a->kind == FIXED && !is_number(a->v) && is_counted(a->v)) return refuse(w, RT_LOOP_SCALAR);
    if (a->kind == TUPLE_OF || a->kind == SLICE_OF || a->kind == METHOD_OF)
        return changes(w, a) || has_array(w, a) || a->kind == METHOD_OF
                   ? refuse(w, RT_LOOP_INSTRUCTION)
                   : true;
    int16_t out = slot_of(w, a);
    if (out < 0) return x->in < 0 ? true : refuse(w, RT_LOOP_SCALAR);
    if (x->at->tag != a->v.tag) return refuse(w, RT_LOOP_SCALAR);
    if (t->n_carried == LOOP_MAX_SCALARS_OUT) return refuse(w, RT_LOOP_SIZE);
    t->carried[t->n_carried++] = (loop_carried){
        .at = x->at, .in = x->in < 0 ? new_slot(w) : x->in, .out = out, .tag = (uint8_t)a->v.tag};
    return !w->why;
}

static bool check_advances(walk *w) {
    for (size_t i = 0; i < w->n_advances; i++) {
        int64_t a = 0, b = 0;
        if ((w->advances[i].a >= 0 && !loop_scalars_advance(w->t, w->advances[i].a, 0, &a)) ||
            (w->advances[i].b >= 0 && !loop_scalars_advance(w->t, w->advances[i].b, 0, &b)) ||
            a * w->advances[i].a_factor != b * w->advances[i].b_factor)
            return refuse(w, RT_LOOP_INDEX);
    }
    return true;
}

rt_loop_reason loop_trace_make(gpa_vm *vm, const frame *f, loop_trace *t) {
    const unsigned n = f->code->n_regs;
    walk *w = n <= MAX_REGS ? mem_zero(sizeof *w) : NULL;
    if (!w) return RT_LOOP_SIZE;
    *t = (loop_trace){.n_slots = 1, .iterator = v_unset()}; /* slot 0: results of guards */
    w->vm = vm;
    w->f = w->scopes;
    *w->f = (scope){.code = f->code, .module = f->module, .free = f->free, .regs = w->regs};
    w->t = t;
    w->head = f->ip;
    for (unsigned i = 0; i < n; i++)
        w->regs[i] = (variable){.at = &f->regs[i], .now = empty, .in = -1};
    find_assigned(w);
    if (!w->why && walk_body(w)) {
        for (unsigned i = 0; i < n && !w->why; i++)
            if (i < f->code->n_vars || w->regs[i].read) end_variable(w, &w->regs[i]);
        for (size_t i = 0; i < w->n_globals && !w->why; i++) end_variable(w, &w->globals[i]);
        if (!w->why) check_advances(w);
    }
    rt_loop_reason why = w->why;
    mem_free(w);
    return why;
}
