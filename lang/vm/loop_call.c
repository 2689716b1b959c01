/* Calls and attributes in a walk over a loop's body.
 *
 * Reading order: known functions, functions of the program, attributes. */
#include <string.h>

#include "lang/vm/instance.h"
#include "lang/vm/loop_walk.h"
#include "lang/vm/step.h"

/* ---- known functions ---- */

/* An argument of a function: no scalar that changes, in any depth. */
static bool may_pass(walk *w, const abstract *a) {
    if (walk_changes(w, a)) return walk_refuse(w, RT_LOOP_SCALAR);
    if (a->kind == METHOD_OF || (a->kind == FIXED && (a->v.tag >= V_FUNC || a->v.tag == V_LIST)))
        return walk_refuse(w, RT_LOOP_CALL);
    return true;
}

/* Facts about a function. */
enum {
    ANY_LENGTH = 1, /* its launches are the same for all lengths of its arguments */
    SCALARS = 2     /* it returns scalars for scalars, not arrays */
};

typedef struct {
    const char *name;
    unsigned facts;
} known_function;

/* Functions of numpy, and methods of arrays, that read their arguments and make arrays. */
static const known_function known_functions[] = {
    {"abs", ANY_LENGTH | SCALARS},
    {"absolute", ANY_LENGTH | SCALARS},
    {"accumulate", 0},
    {"all", ANY_LENGTH | SCALARS},
    {"amax", ANY_LENGTH | SCALARS},
    {"amin", ANY_LENGTH | SCALARS},
    {"any", ANY_LENGTH | SCALARS},
    {"arange", 0},
    {"astype", ANY_LENGTH},
    {"average", 0},
    {"broadcast_to", 0},
    {"clip", ANY_LENGTH},
    {"concatenate", 0},
    {"copy", ANY_LENGTH},
    {"cumprod", 0},
    {"cumsum", 0},
    {"diagonal", 0},
    {"diff", 0},
    {"dot", ANY_LENGTH},
    {"einsum", 0},
    {"empty", 0},
    {"empty_like", ANY_LENGTH},
    {"expand_dims", 0},
    {"eye", 0},
    {"fabs", ANY_LENGTH},
    {"fft", 0},
    {"fft2", 0},
    {"fftn", 0},
    {"fftshift", 0},
    {"fill", ANY_LENGTH},
    {"flip", ANY_LENGTH},
    {"full", 0},
    {"full_like", ANY_LENGTH},
    {"gradient", 0},
    {"hstack", 0},
    {"identity", 0},
    {"ifft", 0},
    {"ifft2", 0},
    {"ifftn", 0},
    {"ifftshift", 0},
    {"imag", 0},
    {"inner", 0},
    {"irfft", 0},
    {"irfft2", 0},
    {"irfftn", 0},
    {"linspace", 0},
    {"matmul", ANY_LENGTH},
    {"max", ANY_LENGTH},
    {"mean", 0},
    {"min", ANY_LENGTH},
    {"norm", 0},
    {"ones", 0},
    {"ones_like", ANY_LENGTH},
    {"outer", ANY_LENGTH},
    {"pad", 0},
    {"prod", ANY_LENGTH},
    {"ptp", 0},
    {"ravel", 0},
    {"real", 0},
    {"reduce", 0},
    {"repeat", 0},
    {"reshape", 0},
    {"rfft", 0},
    {"rfft2", 0},
    {"rfftn", 0},
    {"roll", 0},
    {"round", ANY_LENGTH},
    {"squeeze", 0},
    {"stack", 0},
    {"std", 0},
    {"sum", ANY_LENGTH},
    {"swapaxes", 0},
    {"tensordot", 0},
    {"tile", 0},
    {"trace", 0},
    {"transpose", 0},
    {"tril", 0},
    {"triu", 0},
    {"var", 0},
    {"vdot", 0},
    {"vstack", 0},
    {"where", ANY_LENGTH},
    {"zeros", 0},
    {"zeros_like", ANY_LENGTH},
};
static const known_function any_ufunc = {"", ANY_LENGTH};

static const known_function *find_known(const char *name) {
    for (size_t i = 0; i < COUNT_OF(known_functions); i++)
        if (strcmp(known_functions[i].name, name) == 0) return &known_functions[i];
    return NULL;
}

/* The row of what a register holds; NULL: it is not known. */
static const known_function *known_callee(const gpa_vm *vm, const abstract *fn) {
    const bool is_fixed = fn->kind == FIXED;
    if (fn->kind == METHOD_OF) return find_known(fn->v.native->name);
    if (is_fixed && fn->v.tag == V_UFUNC) return &any_ufunc;
    if (is_fixed && fn->v.tag == V_NATIVE) {
        const char *owner = fn->v.native->owner, *name = fn->v.native->name;
        const bool is_abs = strcmp(owner, "builtins") == 0 && strcmp(name, "abs") == 0;
        return is_abs || strcmp(owner, "numpy") == 0 ? find_known(name) : NULL;
    }
    if (!is_fixed || fn->v.tag != V_FUNC || !fn->v.func->module->library ||
        strncmp(sym_text(vm, fn->v.func->module->name), "numpy", 5) != 0)
        return NULL;
    return find_known(sym_text(vm, fn->v.func->name));
}

/* A call of a function of the language itself, which makes an array. */
static bool call_known(walk *w, const ins *i) {
    const abstract fn = *walk_reg(w, i->a);
    unsigned first = i->a + 2u, n = i->b + (i->op == I_CALL_NAMED ? i->c : 0u);
    const known_function *known = w->why ? NULL : known_callee(w->vm, &fn);
    if (!known) return walk_refuse(w, RT_LOOP_CALL);
    if (w->grows && !(known->facts & ANY_LENGTH)) return walk_refuse(w, RT_LOOP_INDEX);
    bool arrays = fn.kind == METHOD_OF && walk_reg(w, i->a + 1u)->kind == ARRAY;
    for (unsigned k = 0; k < n; k++) {
        const abstract *a = walk_reg(w, first + k);
        if (w->why || !may_pass(w, a)) return false;
        arrays = arrays || walk_has_array(w, a);
    }
    bool makes = fn.kind == FIXED && fn.v.tag == V_NATIVE && !(known->facts & SCALARS);
    if (!arrays && !makes) return walk_refuse(w, RT_LOOP_CALL);
    walk_set(w, i->a, array_of(v_unset()));
    return true;
}

/* range() of fixed integers, few enough to unroll a loop over them. */
static bool call_range(walk *w, const ins *i) {
    int64_t at[3] = {0, 0, 1}, step;
    if (i->op == I_CALL_NAMED || i->b < 1 || i->b > 3) return walk_refuse(w, RT_LOOP_CALL);
    for (unsigned k = 0; k < i->b; k++) {
        const abstract *a = walk_reg(w, i->a + 2u + k);
        if (a->kind != FIXED || a->v.tag != V_INT || a->v.aux) return walk_refuse(w, RT_LOOP_INNER);
        at[i->b == 1 ? 1 : k] = a->v.i;
    }
    if (w->why || !(step = at[2])) return walk_refuse(w, RT_LOOP_CALL);
    const bool up = step > 0;
    int64_t n = 0, next = at[0];
    while (n <= MAX_UNROLL && (up ? next < at[1] : next > at[1])) {
        n++;
        if (__builtin_add_overflow(next, step, &next)) break;
    }
    if (n > MAX_UNROLL) return walk_refuse(w, RT_LOOP_INNER);
    walk_set(w, i->a,
             (abstract){.kind = RANGE_OF,
                        .slot = -1,
                        .root = -1,
                        .v = v_int(at[0]),
                        .factor = step,
                        .n_part = (int16_t)n});
    return true;
}

/* ---- functions of the program ---- */

/* A call: its arguments (the receiver of a method first), n of which are positional. */
typedef struct {
    abstract args[UINT8_MAX];
    unsigned n, n_named;
    const value *names;
} call_site;

/* `self`: the receiver, or NULL. */
static bool read_call(walk *w, const ins *i, const abstract *self, call_site *out) {
    unsigned n = 0;
    *out = (call_site){.n = i->b + (self ? 1u : 0u)};
    if (i->op == I_CALL_NAMED) {
        out->n_named = i->c;
        out->names = w->f->code->consts[i[1].d].tuple->items;
    }
    if (out->n + out->n_named > COUNT_OF(out->args)) return walk_refuse(w, RT_LOOP_SIZE);
    if (self) out->args[n++] = *self;
    for (unsigned k = 0; k < i->b + out->n_named; k++) out->args[n++] = *walk_reg(w, i->a + 2u + k);
    return !w->why;
}

/* True if a call binds every parameter of a function once, from the arguments and
 * the defaults; *to: the parameters. */
static bool bind(walk *w, const func_obj *f, const call_site *call, variable *to) {
    const ast_scope *s = f->code->scope;
    const unsigned n = s->n_positional,
                   defaults = f->defaults.tag == V_TUPLE ? (unsigned)f->defaults.tuple->count : 0;
    if (s->has_args || s->has_kwargs || s->n_keyword_only || call->n > n) return false;
    for (unsigned k = 0; k < call->n; k++) to[k].now = call->args[k];
    for (unsigned k = 0; k < call->n_named; k++) {
        const int at = call_keyword_at(w->vm, f->code, call->names[k]);
        if (at < 0 || to[at].now.kind != UNBOUND) return false;
        to[at].now = call->args[call->n + k];
    }
    for (unsigned k = 0; k < n; k++) {
        if (to[k].now.kind != UNBOUND) continue;
        if (k + defaults < n) return false;
        const value v = f->defaults.tuple->items[k + defaults - n];
        if (v.tag == V_ARRAY) walk_add_array(w, NULL, v, false, false);
        to[k].now = v.tag == V_ARRAY ? array_of(v) : fixed(v);
    }
    return true;
}

/* Goes on with the instructions of a function. */
static bool enter(walk *w, const func_obj *f, const ins *i, const abstract *self,
                  const ins **after) {
    const code *c = f->code;
    scope *inner = w->f + 1;
    call_site call;
    if (!c->compiled || c->jit || c->ops || c->n_guards) return walk_refuse(w, RT_LOOP_CALL);
    if (inner > w->scopes + MAX_DEPTH) return walk_refuse(w, RT_LOOP_SIZE);
    *inner = (scope){.code = c,
                     .module = f->module,
                     .free = f->free,
                     .regs = w->f->regs + w->f->code->n_regs,
                     .back = *after,
                     .dst = i->a};
    if (inner->regs + c->n_regs > w->regs + MAX_REGS) return walk_refuse(w, RT_LOOP_SIZE);
    if (!read_call(w, i, self, &call)) return false;
    for (unsigned k = 0; k < c->n_regs; k++) inner->regs[k] = (variable){.now = unbound, .in = -1};
    for (unsigned k = 0; k < c->n_consts_in_frame; k++)
        inner->regs[c->n_vars + k].now = fixed(c->consts[k]);
    if (!bind(w, f, &call, inner->regs)) return walk_refuse(w, RT_LOOP_CALL);
    w->f = inner;
    *after = c->ins;
    return true;
}

bool walk_return(walk *w, const ins *i, const ins **after) {
    if (w->f == w->scopes) return walk_refuse(w, RT_LOOP_INSTRUCTION);
    const abstract result = *walk_reg(w, i->a);
    *after = w->f->back;
    const unsigned dst = w->f->dst;
    w->f--;
    walk_set(w, dst, result);
    return !w->why;
}

static bool fixed_instance(const abstract *a) {
    return a->kind == FIXED && is_kind(a->v, &instance_kind);
}

bool walk_call(walk *w, const ins *i, const ins **after) {
    abstract fn = *walk_reg(w, i->a), self = w->f->regs[i->a + 1u].now;
    bool method = i->op != I_CALL && fixed_instance(&self);
    if (w->why) return false;
    if (fn.kind == FIXED && fn.v.tag == V_METHOD && !method) { /* a bound method */
        self = fixed(fn.v.method->self);
        fn = fixed(fn.v.method->fn);
        method = true;
    }
    if (fn.kind == FIXED && fn.v.tag == V_TYPE && fn.v.aux == V_RANGE) return call_range(w, i);
    const bool own = fn.kind == FIXED && fn.v.tag == V_FUNC && !fn.v.func->module->library;
    return own ? enter(w, fn.v.func, i, method ? &self : NULL, after) : call_known(w, i);
}

/* ---- attributes ---- */

/* A method of an instance's class, or a function that is its own attribute. */
static bool get_instance_method(walk *w, const ins *i, const abstract *x) {
    class_obj *c = class_of_peek(x->v);
    variable *own = walk_attribute(w, x->v, i[1].sym);
    const value m = c ? class_member_peek(w->vm, c, i[1].sym) : v_unset();
    if (w->why) return false;
    if (own && !c->has_data_descriptors) {
        walk_set(w, i->a, walk_read(w, own));
        walk_set(w, i->a + 1u, unbound);
        return !w->why;
    }
    if (own || m.tag != V_FUNC || m.func->unbound) return walk_refuse(w, RT_LOOP_CALL);
    walk_set(w, i->a, fixed(m));
    walk_set(w, i->a + 1u, *x);
    return true;
}

bool walk_get_method(walk *w, const ins *i) {
    const abstract x = *walk_reg(w, i->b);
    const char *name = sym_text(w->vm, i[1].sym);
    if (w->why) return false;
    if (x.kind == FIXED && x.v.tag == V_MODULE && x.v.module != w->f->module) {
        value v = module_get_peek(x.v.module, i[1].sym);
        if (v.tag == V_UNSET || v.tag == V_ARRAY) return walk_refuse(w, RT_LOOP_CALL);
        walk_set(w, i->a, fixed(v));
        walk_set(w, i->a + 1u, unbound);
        return true;
    }
    if (fixed_instance(&x)) return get_instance_method(w, i, &x);
    const bool of_ufunc = x.kind == FIXED && x.v.tag == V_UFUNC;
    const native *row = x.kind == ARRAY ? native_find(OWNER_ARRAY, name)
                        : of_ufunc      ? native_find(OWNER_UFUNC, name)
                                        : NULL;
    if (!row || row->kind != NATIVE_METHOD) return walk_refuse(w, RT_LOOP_CALL);
    walk_set(w, i->a, (abstract){.kind = METHOD_OF, .slot = -1, .root = -1, .v = {.native = row}});
    walk_set(w, i->a + 1u, x);
    return true;
}

/* An own attribute, or a number of the class. */
static bool get_instance_attr(walk *w, const ins *i, const abstract *x) {
    class_obj *c = class_of_peek(x->v);
    const value m = c ? class_member_peek(w->vm, c, i[1].sym) : v_unset();
    if (m.tag == V_OBJECT && c->has_data_descriptors) return walk_refuse(w, RT_LOOP_INSTRUCTION);
    variable *own = walk_attribute(w, x->v, i[1].sym);
    if (!own && !is_real_scalar(m)) return walk_refuse(w, RT_LOOP_INSTRUCTION);
    walk_set(w, i->a, own ? walk_read(w, own) : fixed(m));
    return !w->why;
}

/* The transpose or a part of an array; numbers that describe one that exists already. */
static bool get_array_attr(walk *w, const ins *i, const abstract *x) {
    const char *name = sym_text(w->vm, i[1].sym);
    const gpa_arr *a = x->v.tag == V_ARRAY ? x->v.array->arr : NULL;
    if (strcmp(name, "T") == 0 || strcmp(name, "real") == 0 || strcmp(name, "imag") == 0)
        walk_set(w, i->a, array_of(v_unset()));
    else if (a && strcmp(name, "size") == 0)
        walk_set(w, i->a, fixed(v_int(a->size)));
    else if (a && strcmp(name, "ndim") == 0)
        walk_set(w, i->a, fixed(v_int(a->ndim)));
    else
        walk_refuse(w, RT_LOOP_INSTRUCTION);
    return !w->why;
}

/* A value of a module, or a module within a package of the library, such as numpy.linalg; UNSET: it
 * has none of that name. */
static value module_member(walk *w, module_obj *m, gpa_sym name) {
    value v = module_get_peek(m, name);
    if (v.tag != V_UNSET || !m->builtin) return v;
    if (import_member(w->vm, m, name, &v)) {
        vm_clear_error(w->vm);
        return v_unset();
    }
    value_release(w->vm, v); /* the table of modules holds it */
    return v.tag == V_MODULE ? v : v_unset();
}

bool walk_get_attr(walk *w, const ins *i) {
    const abstract x = *walk_reg(w, i->b);
    if (w->why) return false;
    if (x.kind == ARRAY) return get_array_attr(w, i, &x);
    if (fixed_instance(&x)) return get_instance_attr(w, i, &x);
    if (x.kind != FIXED || x.v.tag != V_MODULE || x.v.module == w->f->module)
        return walk_refuse(w, RT_LOOP_INSTRUCTION);
    const value v = module_member(w, x.v.module, i[1].sym);
    if (!is_real_scalar(v) && v.tag != V_DTYPE && v.tag != V_TYPE && v.tag != V_NONE &&
        v.tag != V_UFUNC && v.tag != V_MODULE)
        return walk_refuse(w, RT_LOOP_INSTRUCTION);
    walk_set(w, i->a, fixed(v));
    return true;
}

bool walk_set_attr(walk *w, const ins *i) {
    const abstract x = *walk_reg(w, i->a), item = *walk_reg(w, i->b);
    const class_obj *c = !w->why && fixed_instance(&x) ? class_of_peek(x.v) : NULL;
    if (!c || c->sets || c->has_data_descriptors) return walk_refuse(w, RT_LOOP_INSTRUCTION);
    return walk_assign(w, walk_attribute(w, x.v, i[1].sym), item);
}
