/* Lowering of calls: ufuncs, scalar functions of math and cmath, conversions, intrinsics, and
 * inlined gpa functions.
 *
 * Reading order: scalar functions (scalar_calls.def), special cases, intrinsics, gpa functions,
 * signatures, the call. */
#include <stdio.h>
#include <string.h>

#include "runtime/base/arena.h"
#include "lang/vm/kinds.h"
#include "lang/typed/array_expr.h"
#include "lang/typed/lower.h"
#include "lang/typed/types.h"

/* ---- scalar functions ---- */

/* How a function converts its arguments before the operation is applied. */
typedef enum {
    AS_NUMPY,   /* not at all: NumPy's promotion */
    AS_FLOAT,   /* integers to float64; complex numbers are a TypeError */
    AS_COMPLEX, /* to complex */
    TO_INT      /* as AS_FLOAT; the result is converted to Python's int */
} conversion;

/* A scalar function: the operation that it means, and how its arguments are converted. */
typedef struct {
    const char *owner, *name;
    gpa_op op;
    conversion convert_as;
} scalar_function;

static const scalar_function rows[] = {
#define SCALAR_CALL(owner, name, op, convert_as) {owner, name, OP_##op, convert_as},
#include "lang/typed/scalar_calls.def"
#undef SCALAR_CALL
};

static gpa_code prepare(lowering *lw, const ast_node *at, conversion convert_as, const char *name,
                        tv *v) {
    typed_ty t = v->t;
    if (convert_as == AS_NUMPY) return GPA_OK;
    if (dtype_is_complex((gpa_dtype)t.dtype)) {
        if (convert_as == AS_COMPLEX) return GPA_OK;
        gpa_code rc = typed_fail(lw, at, GPA_E_TYPE, "math.%s() takes real numbers, not %s", name,
                                 typed_name(t));
        typed_note(lw, at, *v);
        return rc;
    }
    if (!dtype_is_float((gpa_dtype)t.dtype)) t = (typed_ty){.dtype = DT_F64, .weak = t.weak};
    if (convert_as == AS_COMPLEX) t.dtype = t.dtype == DT_F64 ? DT_C128 : DT_C64;
    *v = (tv){.kind = TV_NUMBER, .t = t, .v = typed_cast(lw, *v, t)};
    return GPA_OK;
}

static gpa_code apply(lowering *lw, const ast_node *n, const scalar_function *f, tv *v,
                      uint32_t n_args, tv *out) {
    const gpa_op op = f->op;
    const conversion convert_as = f->convert_as;
    const char *name = f->name;
    static const typed_ty py_int = {.dtype = DT_I64, .weak = true};
    if (n_args != op_info[op].arity)
        return typed_fail(lw, n, GPA_E_TYPE, "%s() takes %u argument%s here (%u given)", name,
                          op_info[op].arity, op_info[op].arity == 1 ? "" : "s", n_args);
    gpa_code rc = GPA_OK;
    for (uint32_t i = 0; i < n_args && !rc; i++)
        rc = prepare(lw, n->call.args.at[i], convert_as, name, &v[i]);
    if (!rc && (rc = typed_apply(lw, n, op, v, (int)n_args, out)))
        for (uint32_t i = 0; i < n_args; i++) typed_note(lw, n->call.args.at[i], v[i]);
    if (!rc && convert_as == TO_INT)
        *out = (tv){.kind = TV_NUMBER, .t = py_int, .v = typed_cast(lw, *out, py_int)};
    return rc;
}

/* ---- special cases ---- */

/* Python's min and max: the first of equal values wins. */
static gpa_code min_max(lowering *lw, const ast_node *n, gpa_op beats, const tv *v, uint32_t n_args,
                        tv *out) {
    if (n_args < 2)
        return typed_fail(lw, n, GPA_E_TYPE,
                          "min() and max() of a compiled function take two numbers or more");
    tv best = v[0];
    for (uint32_t i = 1; i < n_args; i++) {
        tv test;
        gpa_code rc = typed_apply(lw, n, beats, (tv[]){v[i], best}, 2, &test);
        if (!rc) rc = typed_apply(lw, n, OP_WHERE, (tv[]){test, v[i], best}, 3, &best);
        if (rc) return rc;
    }
    *out = best;
    return GPA_OK;
}

/* Functions with two results: divmod, math.modf, math.frexp. */
static const struct {
    const char *owner, *name;
    gpa_op first, second;
    uint8_t n_args;
    bool int_second;
} pairs[] = {{"builtins", "divmod", OP_FLOOR_DIVIDE, OP_REMAINDER, 2, false},
             {"math", "modf", OP_MODF_FRAC, OP_MODF_INT, 1, false},
             {"math", "frexp", OP_FREXP_M, OP_FREXP_E, 1, true}};

static gpa_code pair(lowering *lw, const ast_node *n, size_t row, tv *v, uint32_t n_args, tv *out) {
    static const typed_ty py_int = {.dtype = DT_I64, .weak = true};
    conversion convert_as = pairs[row].n_args == 1 ? AS_FLOAT : AS_NUMPY;
    tv first, second;
    if (n_args != pairs[row].n_args)
        return typed_fail(lw, n, GPA_E_TYPE, "%s() takes %u argument%s here (%u given)",
                          pairs[row].name, pairs[row].n_args, pairs[row].n_args == 1 ? "" : "s",
                          n_args);
    scalar_function f = {.name = pairs[row].name, .op = pairs[row].first, .convert_as = convert_as};
    gpa_code rc = apply(lw, n, &f, v, n_args, &first);
    f.op = pairs[row].second;
    if (!rc) rc = apply(lw, n, &f, v, n_args, &second);
    if (rc) return rc;
    if (pairs[row].int_second)
        second = (tv){.kind = TV_NUMBER, .t = py_int, .v = typed_cast(lw, second, py_int)};
    if (typed_tuple(lw, 2, out)) return GPA_E_MEMORY;
    out->items[0] = first;
    out->items[1] = second;
    return GPA_OK;
}

static gpa_code native_call(lowering *lw, const ast_node *n, const native *f, tv *v,
                            uint32_t n_args, tv *out) {
    static const typed_ty py_int = {.dtype = DT_I64, .weak = true};
    if (strcmp(f->owner, "math") == 0 && strcmp(f->name, "log") == 0 && n_args == 2) {
        const scalar_function ln = {.name = "log", .op = OP_LOG, .convert_as = AS_FLOAT};
        tv a, b;
        gpa_code rc = apply(lw, n, &ln, v, 1, &a);
        if (!rc) rc = apply(lw, n, &ln, v + 1, 1, &b);
        return rc ? rc : typed_apply(lw, n, OP_DIVIDE, (tv[]){a, b}, 2, out);
    }
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (strcmp(f->owner, rows[i].owner) == 0 && strcmp(f->name, rows[i].name) == 0)
            return apply(lw, n, &rows[i], v, n_args, out);
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        if (strcmp(f->owner, pairs[i].owner) == 0 && strcmp(f->name, pairs[i].name) == 0)
            return pair(lw, n, i, v, n_args, out);
    if (strcmp(f->owner, "math") == 0 && strcmp(f->name, "ldexp") == 0 && n_args == 2) {
        gpa_code rc = prepare(lw, n->call.args.at[0], AS_FLOAT, "ldexp", &v[0]);
        return rc ? rc : typed_apply(lw, n, OP_LDEXP, v, 2, out);
    }
    if (strcmp(f->owner, "builtins") == 0) {
        if (strcmp(f->name, "min") == 0) return min_max(lw, n, OP_LESS, v, n_args, out);
        if (strcmp(f->name, "max") == 0) return min_max(lw, n, OP_GREATER, v, n_args, out);
        if (strcmp(f->name, "round") == 0 && n_args == 1) {
            const scalar_function nearest = {
                .name = "round", .op = OP_RINT, .convert_as = AS_FLOAT};
            gpa_code rc = apply(lw, n, &nearest, v, 1, out);
            if (!rc) *out = (tv){.kind = TV_NUMBER, .t = py_int, .v = typed_cast(lw, *out, py_int)};
            return rc;
        }
    }
    lw->fallback = true;
    return typed_fail(lw, n, GPA_E_UNSUPPORTED, "%s.%s() cannot be used in a compiled function",
                      f->owner, f->name);
}

/* Type conversions: int(x), np.float32(x), complex(a, b). */
static gpa_code convert(lowering *lw, const ast_node *n, uint32_t aux, const tv *v, uint32_t n_args,
                        tv *out) {
    typed_ty t = {.dtype = DT_NONE, .weak = true};
    if (aux >= AUX_DTYPE && aux < AUX_DTYPE + DT_COUNT)
        t = (typed_ty){.dtype = (uint8_t)(aux - AUX_DTYPE)};
    else if (aux == V_BOOL)
        t.dtype = DT_BOOL;
    else if (aux == V_INT)
        t.dtype = DT_I64;
    else if (aux == V_FLOAT)
        t.dtype = DT_F64;
    else if (aux == V_COMPLEX)
        t.dtype = DT_C128;
    if (t.dtype == DT_NONE)
        return typed_fail(lw, n, GPA_E_UNSUPPORTED,
                          "this type cannot be used in a compiled function of numbers");
    if (aux == V_COMPLEX && n_args == 2) return typed_apply(lw, n, OP_COMPLEX, v, 2, out);
    if (n_args != 1)
        return typed_fail(lw, n, GPA_E_TYPE, "a conversion takes one number here (%u given)",
                          n_args);
    if (dtype_is_complex((gpa_dtype)v->t.dtype) && (aux == V_INT || aux == V_FLOAT))
        return typed_fail(lw, n, GPA_E_TYPE, "%s() argument must be a real number, not '%s'",
                          aux == V_INT ? "int" : "float", typed_name(v->t));
    *out = (tv){.kind = TV_NUMBER, .t = t, .v = typed_cast(lw, *v, t)};
    return GPA_OK;
}

/* ---- intrinsics.def ---- */

typedef struct {
    const char *of, *name;
    typed_intrinsic fn;
} intrinsic_row;

static const intrinsic_row intrinsic_calls[] = {
#define CALL(owner, name, function) {owner, name, function},
#include "lang/typed/intrinsics.def"
#undef CALL
};

/* The terminating row keeps the table from being empty. */
static const intrinsic_row intrinsic_reads[] = {
#define READ(kind, name, function) {kind, name, function},
#include "lang/typed/intrinsics.def"
#undef READ
    {"", "", NULL}};

static typed_intrinsic find_intrinsic(const intrinsic_row *rows_, size_t n, const char *of,
                                      const char *name) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(rows_[i].name, name) == 0 && strcmp(rows_[i].of, of) == 0) return rows_[i].fn;
    return NULL;
}

static typed_intrinsic intrinsic_call(const native *f) {
    return find_intrinsic(intrinsic_calls, COUNT_OF(intrinsic_calls), f->owner, f->name);
}

gpa_code typed_read_intrinsic(lowering *lw, const typed_site *s, const char *name, bool *found,
                              tv *out) {
    value v = s->args[0].constant;
    typed_intrinsic fn = v.tag == V_OBJECT
                             ? find_intrinsic(intrinsic_reads, COUNT_OF(intrinsic_reads),
                                              v.object->kind->type_name, name)
                             : NULL;
    *found = fn != NULL;
    return fn ? fn(lw, s, out) : GPA_OK;
}

/* ---- gpa functions ---- */

/* Arguments of a call by parameter: positional, keyword-only, the tuple of *args. Error messages
 * are CPython's. */
typedef struct {
    const func_obj *f;
    const ast_scope *scope;
    tv at[BODY_MAX_IN];
    bool given[BODY_MAX_IN];
    uint32_t n; /* named parameters */
} bound;

static const char *parameter(const lowering *lw, const bound *b, uint32_t i) {
    return intern_text(vm_names(lw->vm), b->scope->vars[i].name);
}

static gpa_code too_many(lowering *lw, const ast_node *n, const bound *b, uint32_t have) {
    uint32_t most = b->scope->n_positional,
             defaults = b->f->defaults.tag == V_TUPLE ? (uint32_t)b->f->defaults.tuple->count : 0;
    char least[24] = "";
    if (defaults) snprintf(least, sizeof least, "from %u to ", most - defaults);
    return typed_fail(lw, n, GPA_E_TYPE, "%s() takes %s%u positional argument%s but %u %s given",
                      func_name(lw->vm, b->f), least, most, most == 1 && !defaults ? "" : "s", have,
                      have == 1 ? "was" : "were");
}

static gpa_code missing(lowering *lw, const ast_node *n, const bound *b, uint32_t first) {
    bool keyword = first >= b->scope->n_positional;
    uint32_t end = keyword ? b->n : b->scope->n_positional, count = 0, at = 0;
    gpa_str names;
    for (uint32_t i = first; i < end; i++)
        count += !b->given[i] && typed_default_peek(lw->vm, b->f, i).tag == V_UNSET;
    str_init(&names);
    for (uint32_t i = first; i < end; i++) {
        if (b->given[i] || typed_default_peek(lw->vm, b->f, i).tag != V_UNSET) continue;
        str_printf(&names, "%s'%s'",
                   at == 0          ? ""
                   : at + 1 < count ? ", "
                   : count == 2     ? " and "
                                    : ", and ",
                   parameter(lw, b, i));
        at++;
    }
    gpa_code rc = typed_fail(
        lw, n, GPA_E_TYPE, "%s() missing %u required %s argument%s: %s", func_name(lw->vm, b->f),
        count, keyword ? "keyword-only" : "positional", count == 1 ? "" : "s", names.text);
    str_free(&names);
    return rc;
}

static gpa_code place_keyword(lowering *lw, const ast_node *k, bound *b) {
    const char *fn = func_name(lw->vm, b->f);
    if (!k->keyword.name)
        return typed_fail(lw, k, GPA_E_UNSUPPORTED,
                          "calls in a compiled function have no ** arguments");
    for (uint32_t i = b->scope->n_positional_only; i < b->n; i++) {
        if (b->scope->vars[i].name != k->keyword.name) continue;
        if (b->given[i])
            return typed_fail(lw, k, GPA_E_TYPE, "%s() got multiple values for argument '%s'", fn,
                              parameter(lw, b, i));
        b->given[i] = true;
        return typed_expr(lw, k->keyword.value, &b->at[i]);
    }
    return typed_fail(lw, k, GPA_E_TYPE, "%s() got an unexpected keyword argument '%s'", fn,
                      intern_text(vm_names(lw->vm), k->keyword.name));
}

/* Binds the arguments that the call gives. */
static gpa_code bind_given(lowering *lw, const ast_node *n, const tv *v, uint32_t have, bound *b) {
    uint32_t most = b->scope->n_positional;
    gpa_code rc = GPA_OK;
    if (b->n + b->scope->has_args > BODY_MAX_IN)
        return typed_fail(lw, n, GPA_E_UNSUPPORTED, "a compiled function has at most %d arguments",
                          BODY_MAX_IN);
    if (have > most && !b->scope->has_args) return too_many(lw, n, b, have);
    for (uint32_t i = 0; i < MIN(have, most); i++) {
        b->at[i] = v[i];
        b->given[i] = true;
    }
    for (uint32_t i = 0; i < n->call.keywords.n && !rc; i++)
        rc = place_keyword(lw, n->call.keywords.at[i], b);
    if (rc || !b->scope->has_args) return rc;
    tv *rest = &b->at[b->n];
    rc = typed_tuple(lw, have > most ? have - most : 0, rest);
    for (uint32_t i = 0; i < rest->n && !rc; i++) rest->items[i] = v[most + i];
    return rc;
}

/* Fills unbound parameters with their defaults. */
static gpa_code bind_defaults(lowering *lw, const ast_node *n, bound *b) {
    gpa_code rc = GPA_OK;
    for (uint32_t i = 0; i < b->n && !rc; i++) {
        if (b->given[i]) continue;
        value v = typed_default_peek(lw->vm, b->f, i);
        rc = v.tag == V_UNSET ? missing(lw, n, b, i) : typed_value(lw, n, v, &b->at[i]);
    }
    return rc;
}

/* ---- signatures ---- */

/* True if a signature accepts the arguments by a casting rule, as in calls from the host: array
 * types must be equal, scalars must be castable. */
static bool accepts(const typed_signature *s, const tv *v, uint32_t n_args,
                    gpa_casting convert_as) {
    bool fits = (uint32_t)s->n == n_args;
    for (uint32_t i = 0; i < n_args && fits; i++) {
        typed_ty have = v[i].t, want = s->args[i];
        bool number = v[i].kind == TV_NUMBER;
        if (!number || want.rank)
            fits = v[i].kind == TV_ARRAY && want.rank == have.rank && want.dtype == have.dtype;
        else
            fits = typed_may_cast(have, (gpa_dtype)want.dtype, convert_as);
    }
    return fits;
}

/* Overload resolution: casts the scalar arguments to the first signature that accepts them under
 * the strictest casting rule, and returns its result type. */
static gpa_code cast_arguments(lowering *lw, const ast_node *n, value list, tv *v, uint32_t n_args,
                               typed_ty *result) {
    static const gpa_casting rules[] = TYPED_RULES;
    typed_signature s;
    *result = (typed_ty){.dtype = DT_NONE};
    if (list.tag != V_LIST) return GPA_OK;
    size_t count = list.list->count;
    for (size_t i = 0; i < TYPED_N_RULES * count; i++) {
        gpa_code rc = typed_read_signature(lw->vm, list.list->items[i % count], &s);
        if (rc) return rc;
        if (!accepts(&s, v, n_args, rules[i / count])) continue;
        for (uint32_t k = 0; k < n_args; k++)
            if (v[k].kind == TV_NUMBER)
                v[k] = (tv){.kind = TV_NUMBER,
                            .t = {.dtype = s.args[k].dtype},
                            .v = typed_cast(lw, v[k], s.args[k])};
        *result = s.result;
        return GPA_OK;
    }
    gpa_str have;
    str_init(&have);
    for (uint32_t i = 0; i < n_args; i++)
        str_printf(&have, "%s%s", i ? ", " : "", typed_kind(&v[i]));
    gpa_code rc =
        typed_fail(lw, n, GPA_E_TYPE, "No matching definition for argument type(s) %s", have.text);
    str_free(&have);
    return rc;
}

/* A function to call, with the signatures that its decorator gives, or None. */
typedef struct {
    func_obj *fn;
    value signatures;
} target;

static gpa_code function_call(lowering *lw, const ast_node *n, target t, const tv *v,
                              uint32_t n_args, tv *out) {
    func_obj *f = t.fn;
    bound b = {.f = f, .scope = func_node(f)->function.scope};
    typed_ty result;
    uint32_t in_order = 0;
    b.n = b.scope->n_positional + b.scope->n_keyword_only;
    gpa_code rc = bind_given(lw, n, v, n_args, &b);
    while (!rc && in_order < b.n && b.given[in_order]) in_order++;
    if (!rc) rc = cast_arguments(lw, n, t.signatures, b.at, in_order, &result);
    if (!rc) rc = bind_defaults(lw, n, &b);
    if (!rc) rc = typed_inline(lw, n, f, b.at, out);
    if (!rc && result.dtype != DT_NONE && out->kind == TV_NUMBER)
        *out = (tv){
            .kind = TV_NUMBER, .t = {.dtype = result.dtype}, .v = typed_cast(lw, *out, result)};
    return rc;
}

/* ---- the call ---- */

/* Evaluates the positional arguments of a call; *t is expanded to the items of a tuple. */
static gpa_code positional(lowering *lw, const ast_node *n, tv *v, uint32_t *have) {
    const ast_list *args = &n->call.args;
    gpa_code rc = GPA_OK;
    *have = 0;
    for (uint32_t i = 0; i < args->n && !rc; i++) {
        bool starred = args->at[i]->kind == AST_STARRED;
        tv one;
        if ((rc = typed_expr(lw, starred ? args->at[i]->starred.value : args->at[i], &one))) break;
        if (starred && one.kind != TV_TUPLE)
            return typed_fail(lw, args->at[i], GPA_E_TYPE,
                              "a compiled call takes the items of a tuple by *, not of %s %s",
                              typed_article(&one), typed_kind(&one));
        uint32_t count = starred ? one.n : 1;
        if (*have + count > BODY_MAX_IN)
            return typed_fail(lw, n, GPA_E_UNSUPPORTED,
                              "a compiled function has at most %d arguments", BODY_MAX_IN);
        for (uint32_t k = 0; k < count; k++) v[(*have)++] = starred ? one.items[k] : one;
    }
    return rc;
}

/* The kind of an argument of a row function, as in numba's _row_functions; 0: none takes it. */
static char kind_letter(const tv *v) {
    const gpa_dtype t = (gpa_dtype)v->t.dtype;
    if (v->kind == TV_NUMBER) return dtype_is_int(t) ? 'i' : dtype_is_float(t) ? 'n' : 0;
    if (v->kind != TV_ARRAY || (t != DT_F32 && t != DT_F64 && t != DT_I64)) return 0;
    return v->view->ndim == 2                  ? 'm'
           : v->view->ndim == 1 && t == DT_F64 ? 'd'
           : v->view->ndim == 1                ? 'v'
                                               : 0;
}

/* The function of a name for arguments of these kinds: exactly these, else v for d and n for i. */
static value row_function(gpa_vm *vm, value table, const tv *v, uint32_t n) {
    char letters[4] = "", wider[4] = "";
    for (uint32_t i = 0; i < n; i++) {
        letters[i] = wider[i] = kind_letter(&v[i]);
        if (letters[i] == 'd') wider[i] = 'v';
        if (letters[i] == 'i' && i < 2) wider[i] = 'n';
    }
    const value fn = dict_text_peek(vm, table.dict, letters);
    return fn.tag == V_FUNC ? fn : dict_text_peek(vm, table.dict, wider);
}

/* Functions of vectors and matrices, x.sum() and np.sum(x): inlines the loop of numba's
 * _row_functions. *found false: the call is not one of these. */
static gpa_code row_call(lowering *lw, const ast_node *n, const char *name, bool method,
                         bool *found, tv *out) {
    enum { MOST = 3 };
    tv v[MOST];
    module_obj *numba;
    uint32_t n_args = method;
    *found = false;
    if (lw->to->form != TYPED_LOOP || n->call.keywords.n || n->call.args.n + method == 0 ||
        n->call.args.n + method > MOST)
        return GPA_OK;
    gpa_code rc = vm_import(lw->vm, "numba", &numba);
    if (rc) return rc;
    value functions = module_get_text_peek(lw->vm, numba, "_row_functions"),
          table = dict_text_peek(lw->vm, functions.dict, name);
    if (table.tag != V_DICT) return GPA_OK;
    if (method && (rc = typed_expr(lw, n->call.func->attr.object, &v[0]))) return rc;
    for (uint32_t i = 0; i < n->call.args.n && !rc; i++)
        rc = typed_expr(lw, n->call.args.at[i], &v[n_args++]);
    if (rc) return rc;
    const value fn = row_function(lw->vm, table, v, n_args);
    *found = fn.tag == V_FUNC;
    return *found ? function_call(lw, n, (target){fn.func, v_none()}, v, n_args, out) : GPA_OK;
}

/* Method calls: z.conjugate(), row.sum(). */
static bool method_call(lowering *lw, const ast_node *n, tv *out, gpa_code *rc) {
    const ast_node *f = n->call.func;
    bool found = false;
    tv a;
    if (f->kind != AST_ATTR) return false;
    const char *name = intern_text(vm_names(lw->vm), f->attr.name);
    const ast_kind of = (ast_kind)f->attr.object->kind;
    if (of == AST_NAME || of == AST_INDEX || of == AST_BINARY || of == AST_CALL)
        *rc = row_call(lw, n, name, true, &found, out);
    if (*rc || found) return true;
    bool copy = strcmp(name, "copy") == 0 && lw->to->form == TYPED_LOOP;
    if (n->call.args.n || n->call.keywords.n || (!copy && strcmp(name, "conjugate") != 0))
        return false;
    *rc = typed_expr(lw, f->attr.object, &a);
    if (!*rc && copy && a.kind == TV_ARRAY) {
        *rc = typed_copy_array(lw, n, &a, out);
        return true;
    }
    if (!*rc && a.kind != TV_NUMBER) return false;
    if (!*rc) *rc = typed_apply(lw, n, OP_CONJUGATE, &a, 1, out);
    return true;
}

/* The module of a function, or "". */
static const char *module_of(const lowering *lw, value f) {
    return f.tag == V_NATIVE                   ? f.native->owner
           : f.tag == V_FUNC && f.func->module ? intern_text(vm_names(lw->vm), f.func->module->name)
                                               : "";
}

/* Name of the function of numpy or numpy.linalg that f is, or NULL. */
static const char *numpy_name(const lowering *lw, value f) {
    const char *of = module_of(lw, f);
    if (strcmp(of, "numpy") != 0 && strcmp(of, "numpy.linalg") != 0) return NULL;
    return f.tag == V_NATIVE ? f.native->name : func_name(lw->vm, f.func);
}

/* Random sampling; unsupported calls fall back to the interpreter. */
static gpa_code random_call(lowering *lw, const ast_node *n, int generator, value callee, tv *out) {
    enum { LEADING = 2 };
    tv v[BODY_MAX_IN + LEADING];
    value fn = v_none();
    uint32_t n_args;
    bool host = lw->fallback;
    gpa_code rc = typed_random_call(lw, n, generator, callee, v, &fn);
    if (!rc) rc = positional(lw, n, v + LEADING, &n_args);
    kir_set_span(lw->f, n->span);
    if (!rc) rc = function_call(lw, n, (target){fn.func, v_none()}, v, n_args + LEADING, out);
    if (!rc) lw->fallback = host;
    return rc;
}

/* A ufunc of arrays in a loop. */
static gpa_code array_ufunc(lowering *lw, const ast_node *n, const ufunc *u, const tv *v,
                            uint32_t n_args, tv *out) {
    bool fits = n_args == op_info[u->op].arity;
    lw->fallback = lw->fallback || !fits;
    return fits ? typed_elementwise(lw, n, u->op, v, (int)n_args, out)
                : typed_fail(lw, n, GPA_E_TYPE, "%s() takes %u arguments here (%u given)", u->name,
                             op_info[u->op].arity, n_args);
}

/* A call of a ufunc, a built-in function or a type. `intrinsic`: its own lowering, or NULL. */
static gpa_code builtin_call(lowering *lw, const ast_node *n, value callee,
                             typed_intrinsic intrinsic, tv *out) {
    tv v[BODY_MAX_IN];
    uint32_t n_args = n->call.args.n;
    gpa_code rc = GPA_OK;
    lw->fallback = lw->fallback || (callee.tag == V_METHOD && lw->to->form == TYPED_LOOP);
    bool vector = is_kind(callee, &cuda_vector_kind);
    if (!intrinsic && n->call.keywords.n)
        return typed_fail(
            lw, n->call.keywords.at[0], GPA_E_UNSUPPORTED,
            "calls of built-in functions have no keyword arguments in a compiled function");
    if (n_args > BODY_MAX_IN)
        return typed_fail(lw, n, GPA_E_UNSUPPORTED, "a compiled function has at most %d arguments",
                          BODY_MAX_IN);
    bool any = intrinsic || vector || (callee.tag == V_UFUNC && lw->to->form == TYPED_LOOP);
    bool evaluates = intrinsic == typed_np_array; /* its arguments by itself */
    for (uint32_t i = 0; i < n_args && !rc && !evaluates; i++)
        rc = any ? typed_expr(lw, n->call.args.at[i], &v[i])
                 : typed_number(lw, n->call.args.at[i], &v[i]);
    if (rc) return rc;
    kir_set_span(lw->f, n->span);
    if (any && callee.tag == V_UFUNC && typed_has_array(v, (int)n_args))
        return array_ufunc(lw, n, callee.ufunc, v, n_args, out);
    if (intrinsic)
        return intrinsic(
            lw, &(typed_site){.node = n, .callee = callee.native, .args = v, .n = n_args}, out);
    if (vector) return typed_vector(lw, n, callee.object, v, n_args, out);
    if (callee.tag == V_UFUNC) {
        const scalar_function f = {
            .name = callee.ufunc->name, .op = callee.ufunc->op, .convert_as = AS_NUMPY};
        return apply(lw, n, &f, v, n_args, out);
    }
    if (callee.tag == V_NATIVE) return native_call(lw, n, callee.native, v, n_args, out);
    gpa_dtype t = typed_scalar_dtype(callee);
    if (t != DT_NONE) return convert(lw, n, AUX_DTYPE + (uint32_t)t, v, n_args, out);
    if (callee.tag == V_TYPE) return convert(lw, n, callee.aux, v, n_args, out);
    return typed_fail(lw, n->call.func, GPA_E_UNSUPPORTED,
                      "a %s cannot be called in a compiled function", value_type_name(callee));
}

/* True for functions of NumPy and its modules but ufuncs: what these take that is not lowered here,
 * the interpreter takes. */
static bool is_numpy_function(const lowering *lw, value f) {
    const char *of = module_of(lw, f);
    return strcmp(of, "numpy") == 0 || strncmp(of, "numpy.", strlen("numpy.")) == 0;
}

/* np.where of numbers; in a loop also of arrays, elementwise. */
static gpa_code where_call(lowering *lw, const ast_node *n, const native *callee, tv *out) {
    enum { ARITY = 3 };
    tv v[ARITY];
    gpa_code rc = GPA_OK;
    bool numbers = true;
    for (uint32_t i = 0; i < ARITY && !rc; i++) {
        rc = typed_expr(lw, n->call.args.at[i], &v[i]);
        numbers = numbers && v[i].kind == TV_NUMBER;
    }
    if (rc || numbers) return rc ? rc : native_call(lw, n, callee, v, ARITY, out);
    if (lw->to->form == TYPED_LOOP && v[0].t.dtype == DT_BOOL)
        return typed_elementwise(lw, n, OP_WHERE, v, ARITY, out);
    return typed_fail(lw, n, GPA_E_UNSUPPORTED, "where() cannot be used like this here");
}

/* A call of a compile-time constant: a function, a type. */
static gpa_code call_value(lowering *lw, const ast_node *n, value callee, tv *out) {
    tv v[BODY_MAX_IN];
    uint32_t n_args;
    gpa_code rc = GPA_OK;
    typed_intrinsic intrinsic = callee.tag == V_NATIVE ? intrinsic_call(callee.native) : NULL;
    lw->fallback = lw->fallback || (!intrinsic && n->call.keywords.n && callee.tag == V_NATIVE);
    bool compiled = is_kind(callee, &vectorized_kind) || is_kind(callee, &jitted_kind);
    const value signatures = compiled ? callee.object->fields[1] : v_none();
    if (compiled) callee = callee.object->fields[0];
    const char *name = numpy_name(lw, callee);
    bool found = false;
    if (name && ((rc = row_call(lw, n, name, false, &found, out)) || found)) return rc;
    if (name && strcmp(name, "where") == 0 && callee.tag == V_NATIVE && n->call.args.n == 3 &&
        !n->call.keywords.n)
        return where_call(lw, n, callee.native, out);
    if (name && (strcmp(name, "dot") == 0 || strcmp(name, "matmul") == 0) &&
        lw->to->form == TYPED_LOOP && n->call.args.n == 2 && !n->call.keywords.n) {
        for (uint32_t i = 0; i < 2 && !rc; i++) rc = typed_expr(lw, n->call.args.at[i], &v[i]);
        return rc ? rc : typed_matmul(lw, n, &v[0], &v[1], out);
    }
    int generator = typed_random_source(lw, callee);
    if (generator) return random_call(lw, n, generator, callee, out);
    if (callee.tag == V_FUNC) {
        rc = positional(lw, n, v, &n_args);
        kir_set_span(lw->f, n->span);
        return rc ? rc : function_call(lw, n, (target){callee.func, signatures}, v, n_args, out);
    }
    return builtin_call(lw, n, callee, intrinsic, out);
}

gpa_code typed_call(lowering *lw, const ast_node *n, tv *out) {
    tv f;
    gpa_code rc = GPA_OK;
    if (method_call(lw, n, out, &rc)) return rc;
    if ((rc = typed_expr(lw, n->call.func, &f))) return rc;
    if (f.kind != TV_STATIC)
        return typed_fail(lw, n->call.func, GPA_E_TYPE, "'%s' object is not callable",
                          typed_kind(&f));
    rc = call_value(lw, n, f.constant, out);
    lw->fallback =
        lw->fallback || (rc && lw->to->form == TYPED_LOOP && is_numpy_function(lw, f.constant));
    return rc;
}
