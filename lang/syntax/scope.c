/* Name resolution: from names to variables, in two steps.
 *
 * First a traversal of the tree enters every use of a name in a symbol table: one symbol per name
 * and scope, with how the scope uses it. Then, with all scopes known, each symbol gets its storage:
 * a name bound in a function is a slot of its frame; a name bound in an outer function is captured,
 * which makes the slot there a cell and adds a free variable to every function in between; any
 * other name is a global.
 *
 * A comprehension is a scope without a frame: its names are slots of the enclosing frame. A class
 * is two scopes: that of its frame, which contains only __class__ and is visible to inner
 * functions, and within it a scope without a frame for the names of the class body, which inner
 * functions do not see.
 *
 * The traversal also makes the checks that CPython's compiler makes after parsing. CPython makes
 * them in two passes, names first; so errors of the second pass wait in `late` until the traversal
 * ends.
 *
 * Reading order: symbols, the binding rules of the traversal, its checks, the traversal, storage.
 */
#include "lang/syntax/scope.h"

#include <stdio.h>

#include "runtime/base/arena.h"
#include "runtime/base/base.h"

enum {
    USED = 1,
    BOUND = 2,
    PARAM = 4,
    GLOBAL = 8,
    NONLOCAL = 16,
    ANNOTATED = 32,
    ITERATED = 64, /* bound by the `for` of a comprehension */
    CARRIED = 128  /* bound further out, by a walrus in this comprehension */
};

typedef struct {
    gpa_sym name;
    uint32_t scope;
    unsigned flags;
    gpa_span declared; /* of its global or nonlocal statement */
    bool resolved;
    uint32_t home;       /* the symbol whose storage it has; NONE: a global */
    ast_storage storage; /* when it is its own home */
    ast_storage from;    /* AST_IN_FREE: where the frame around has it */
} symbol;

#define NONE UINT32_MAX /* no symbol, no level */

enum { MAX_BLOCKS = 20 };

/* A scope under construction. Scopes of comprehensions and of the names of a class have no `out`.
 */
typedef struct {
    ast_scope *out;
    uint32_t parent; /* NONE for the module */
    uint32_t n_slots, n_frees;
    bool of_class;             /* the names of a class */
    const char *comprehension; /* its kind ("list comprehension"), or NULL */
} level;

typedef struct {
    ast_node *node; /* NULL: the symbol has no NAME node */
    uint32_t symbol;
} use;

typedef struct {
    arena *arena;
    const intern *names;
    gpa_sym class, super, annotations; /* "__class__", "super", "__annotations__" */
    gpa_err *err, late;
    symbol *symbols;
    size_t n_symbols, cap_symbols;
    level *levels;
    size_t n_levels, cap_levels;
    use *uses;
    size_t n_uses, cap_uses;
    uint32_t *table; /* symbol + 1 by scope and name */
    size_t mask;
    uint32_t here;          /* the current level */
    uint32_t loops, blocks; /* open ones in the current function */
    bool in_iterable;       /* of a comprehension */
} scoper;

/* ---- symbols ---- */

static bool no_memory(scoper *s) {
    gpa_no_memory(s->err);
    return false;
}

static size_t table_slot(const scoper *s, uint32_t scope, gpa_sym name) {
    uint64_t h = ((uint64_t)scope << 32 | name) * 0x9e3779b97f4a7c15u;
    size_t i = (size_t)(h >> 32) & s->mask;
    for (; s->table[i]; i = (i + 1) & s->mask) {
        const symbol *found = &s->symbols[s->table[i] - 1];
        if (found->name == name && found->scope == scope) break;
    }
    return i;
}

static uint32_t find(const scoper *s, uint32_t scope, gpa_sym name) {
    return s->table[table_slot(s, scope, name)] - 1;
}

static bool grow_table(scoper *s) {
    size_t mask = s->mask * 2 + 1;
    uint32_t *table = mem_zero((mask + 1) * sizeof *table);
    if (!table) return no_memory(s);
    mem_free(s->table);
    s->table = table;
    s->mask = mask;
    for (uint32_t i = 0; i < s->n_symbols; i++)
        table[table_slot(s, s->symbols[i].scope, s->symbols[i].name)] = i + 1;
    return true;
}

/* The symbol of a name in a scope, entered when new; NONE when memory is short. */
static uint32_t enter(scoper *s, uint32_t scope, gpa_sym name) {
    size_t i = table_slot(s, scope, name);
    if (s->table[i]) return s->table[i] - 1;
    if (s->n_symbols * 2 > s->mask) {
        if (!grow_table(s)) return NONE;
        i = table_slot(s, scope, name);
    }
    if (!mem_grow(&s->symbols, s->n_symbols, &s->cap_symbols, sizeof *s->symbols)) {
        no_memory(s);
        return NONE;
    }
    uint32_t made = (uint32_t)s->n_symbols++;
    s->symbols[made] = (symbol){.name = name, .scope = scope, .home = NONE};
    s->table[i] = made + 1;
    return made;
}

static uint32_t open_level(scoper *s, ast_scope *out) {
    if (!mem_grow(&s->levels, s->n_levels, &s->cap_levels, sizeof *s->levels)) {
        no_memory(s);
        return NONE;
    }
    uint32_t around = s->here;
    if (around != NONE && s->levels[around].of_class) around = s->levels[around].parent;
    s->levels[s->n_levels] = (level){.out = out, .parent = around};
    return (uint32_t)s->n_levels++;
}

static bool fail(scoper *s, gpa_span at, const char *fmt, const char *name) {
    gpa_fail(s->err, GPA_E_SYNTAX, fmt, name);
    gpa_fail_at(s->err, at);
    return false;
}

static void fail_late(scoper *s, gpa_span at, const char *text) {
    gpa_fail(&s->late, GPA_E_SYNTAX, "%s", text);
    gpa_fail_at(&s->late, at);
}

static const char *text_of(const scoper *s, gpa_sym name) { return intern_text(s->names, name); }

static bool is_module(const scoper *s, uint32_t scope) { return s->levels[scope].parent == NONE; }

static bool is_comprehension(const scoper *s, uint32_t scope) {
    return s->levels[scope].comprehension != NULL;
}

/* Notes a use of a name in a scope; node: its NAME, or NULL. */
static bool note(scoper *s, uint32_t scope, gpa_sym name, ast_node *node, unsigned flags) {
    uint32_t made = enter(s, scope, name);
    if (made == NONE) return false;
    s->symbols[made].flags |= flags;
    if (!mem_grow(&s->uses, s->n_uses, &s->cap_uses, sizeof *s->uses)) return no_memory(s);
    s->uses[s->n_uses++] = (use){node, made};
    return true;
}

static bool touch(scoper *s, uint32_t scope, ast_node *name, unsigned flags) {
    return note(s, scope, name->name.name, name, flags);
}

/* ---- binding ---- */

static bool bind(scoper *s, ast_node *name, unsigned flags) {
    uint32_t known = flags & ITERATED ? find(s, s->here, name->name.name) : NONE;
    if (known != NONE && s->symbols[known].flags & CARRIED)
        return fail(s, name->span,
                    "comprehension inner loop cannot rebind assignment expression target '%s'",
                    text_of(s, name->name.name));
    return touch(s, s->here, name, BOUND | flags);
}

/* A walrus in a comprehension binds in the function around it, which must not be iterating over
 * that name. */
static bool bind_walrus(scoper *s, ast_node *name) {
    uint32_t scope = s->here;
    if (s->in_iterable)
        return fail(s, name->span,
                    "assignment expression cannot be used in a comprehension iterable expression%s",
                    "");
    while (is_comprehension(s, scope)) {
        uint32_t known = enter(s, scope, name->name.name);
        if (known == NONE) return false;
        s->symbols[known].flags |= CARRIED;
        if (s->symbols[known].flags & ITERATED)
            return fail(s, name->span,
                        "assignment expression cannot rebind comprehension iteration variable '%s'",
                        text_of(s, name->name.name));
        scope = s->levels[scope].parent;
    }
    if (s->levels[scope].out && s->levels[scope].out->kind == AST_SCOPE_CLASS)
        return fail(s, name->span,
                    "assignment expression within a comprehension cannot be used in a class body%s",
                    "");
    uint32_t made = enter(s, scope, name->name.name);
    if (made == NONE) return false;
    s->symbols[made].flags |= BOUND;
    return touch(s, s->here, name,
                 0); /* a generator has its own frame, so the variable may be captured */
}

static bool walk(scoper *s, ast_node *n);

static bool walk_list(scoper *s, ast_list l) {
    for (uint32_t i = 0; i < l.n; i++)
        if (!walk(s, l.at[i])) return false;
    return true;
}

/* Binds the names of a target, and reads what its attributes and subscripts need. */
static bool bind_target(scoper *s, ast_node *n, unsigned flags) {
    if (n->kind == AST_NAME) return bind(s, n, flags);
    if (n->kind == AST_STARRED) return bind_target(s, n->starred.value, flags);
    if (n->kind != AST_TUPLE && n->kind != AST_LIST) return walk(s, n);
    ast_list items = n->kind == AST_TUPLE ? n->tuple.items : n->list.items;
    uint32_t stars = 0;
    for (uint32_t i = 0; i < items.n; i++) {
        ast_node *item = items.at[i];
        if (item->kind == AST_STARRED && ++stars == 2)
            fail_late(s, n->span, "multiple starred expressions in assignment");
        if (!bind_target(s, item, flags)) return false;
    }
    return true;
}

static bool bind_whole_target(scoper *s, ast_node *n, unsigned flags) {
    if (n->kind == AST_STARRED)
        fail_late(s, n->span, "starred assignment target must be in a list or tuple");
    return bind_target(s, n, flags);
}

/* global x, nonlocal x: before any other use of x in the function. */
static bool declare(scoper *s, ast_node *statement) {
    bool global = statement->kind == AST_GLOBAL;
    const char *word = global ? "global" : "nonlocal";
    ast_list list = global ? statement->global.names : statement->nonlocal.names;
    for (uint32_t i = 0; i < list.n; i++) {
        ast_node *name = list.at[i];
        uint32_t made = enter(s, s->here, name->name.name);
        if (made == NONE) return false;
        symbol *sym = &s->symbols[made];
        unsigned flags = sym->flags;
        char fmt[80];
        const char *how = flags & PARAM       ? "name '%%s' is parameter and %s"
                          : flags & USED      ? "name '%%s' is used prior to %s declaration"
                          : flags & ANNOTATED ? "annotated name '%%s' can't be %s"
                          : flags & BOUND     ? "name '%%s' is assigned to before %s declaration"
                                              : NULL;
        if (how) {
            snprintf(fmt, sizeof fmt, how, word);
            return fail(s, statement->span, fmt, text_of(s, name->name.name));
        }
        sym->flags |= global ? GLOBAL : NONLOCAL;
        if (!(flags & (GLOBAL | NONLOCAL))) sym->declared = statement->span;
        if (!touch(s, s->here, name, 0)) return false;
    }
    return true;
}

/* ---- the traversal ---- */

/* State saved at the start of a function and restored at its end. */
typedef struct {
    uint32_t here, loops, blocks;
    bool in_iterable;
} outside;

static bool open_scope(scoper *s, ast_scope *out, outside *o) {
    *o = (outside){s->here, s->loops, s->blocks, s->in_iterable};
    uint32_t made = open_level(s, out);
    if (made == NONE) return false;
    s->here = made;
    s->loops = s->blocks = 0;
    s->in_iterable = false;
    return true;
}

static void close_scope(scoper *s, const outside *o) {
    s->here = o->here;
    s->loops = o->loops;
    s->blocks = o->blocks;
    s->in_iterable = o->in_iterable;
}

static ast_scope *new_scope(scoper *s, ast_scope_kind kind) {
    ast_scope *out = arena_alloc(s->arena, sizeof *out);
    if (!out) {
        no_memory(s);
        return NULL;
    }
    out->kind = kind;
    uint32_t around = s->here;
    while (around != NONE && !s->levels[around].out) around = s->levels[around].parent;
    out->parent = around == NONE ? NULL : s->levels[around].out;
    return out;
}

/* Enters the parameters of one kind: slots count up in this order. */
static bool bind_params(scoper *s, ast_list params, ast_param_kind kind) {
    for (uint32_t i = 0; i < params.n; i++) {
        ast_node *name = params.at[i]->param.target;
        if ((ast_param_kind)params.at[i]->param.kind != kind) continue;
        uint32_t known = find(s, s->here, name->name.name);
        if (known != NONE && s->symbols[known].flags & PARAM)
            return fail(s, name->span, "duplicate argument '%s' in function definition",
                        text_of(s, name->name.name));
        if (!bind(s, name, PARAM)) return false;
    }
    return true;
}

static void count_params(ast_scope *out, ast_list params) {
    for (uint32_t i = 0; i < params.n; i++) {
        ast_param_kind kind = (ast_param_kind)params.at[i]->param.kind;
        out->n_positional_only += kind == AST_POSITIONAL_ONLY;
        out->n_positional += kind == AST_POSITIONAL_ONLY || kind == AST_ORDINARY;
        out->n_keyword_only += kind == AST_KEYWORD_ONLY;
        out->has_args |= kind == AST_STAR_ARGS;
        out->has_kwargs |= kind == AST_STAR_KWARGS;
    }
}

/* The parameters and the body, in the scope of the function: a new one, or `out`. */
static bool walk_body(scoper *s, ast_node *n, ast_scope *out) {
    ast_list params = n->function.params;
    outside o;
    if (!out || !open_scope(s, out, &o)) return false;
    n->function.scope = out;
    count_params(out, params);
    for (ast_param_kind kind = AST_POSITIONAL_ONLY; kind <= AST_STAR_KWARGS; kind++)
        if (!bind_params(s, params, kind)) return false;
    if (!walk_list(s, n->function.body)) return false;
    close_scope(s, &o);
    return true;
}

static bool walk_function(scoper *s, ast_node *n) {
    ast_list params = n->function.params;
    for (uint32_t i = 0; i < params.n; i++) {
        if (params.at[i]->param.init && !walk(s, params.at[i]->param.init)) return false;
        ast_node *annotation = params.at[i]->param.annotation;
        if (annotation &&
            !walk(s, annotation->kind == AST_STARRED ? annotation->starred.value : annotation))
            return false;
    }
    if (n->function.returns && !walk(s, n->function.returns)) return false;
    return walk_body(s, n, new_scope(s, AST_SCOPE_FUNCTION));
}

/* The body of a class: a frame, and in it a scope of names. */
static bool walk_class(scoper *s, ast_node *n) {
    if (!walk_list(s, n->class_.decorators) || !bind(s, n->class_.target, 0) ||
        !walk(s, n->class_.bases))
        return false;
    ast_scope *out = new_scope(s, AST_SCOPE_CLASS);
    outside o;
    if (!out || !open_scope(s, out, &o)) return false;
    n->class_.scope = out;
    uint32_t cell = enter(s, s->here, s->class), names = open_level(s, NULL);
    if (cell == NONE || names == NONE) return false;
    s->symbols[cell].flags = BOUND;
    s->levels[names].of_class = true;
    s->here = names;
    if (!walk_list(s, n->class_.body)) return false;
    close_scope(s, &o);
    return true;
}

/* The clauses of a comprehension and its items. The first iterable belongs to the scope around it.
 */
static bool walk_comprehension(scoper *s, const ast_node *n, ast_list clauses, ast_node *item,
                               ast_node *second, ast_scope *out) {
    bool in_iterable = s->in_iterable;
    s->in_iterable = true;
    if (!walk(s, clauses.at[0]->clause.iter)) return false;
    s->in_iterable = in_iterable;
    outside o;
    uint32_t loops = s->loops, blocks = s->blocks;
    if (!open_scope(s, out, &o)) return false;
    s->levels[s->here].comprehension = ast_what((ast_kind)n->kind);
    s->loops = loops;
    s->blocks = blocks;
    s->in_iterable = in_iterable;
    if (out) {
        uint32_t hidden = enter(s, s->here, 0);
        if (hidden == NONE) return false;
        s->symbols[hidden].flags = BOUND | PARAM;
    }
    for (uint32_t i = 0; i < clauses.n; i++) {
        ast_node *clause = clauses.at[i];
        if (!bind_whole_target(s, clause->clause.target, ITERATED)) return false;
        s->in_iterable = true;
        if (i > 0 && !walk(s, clause->clause.iter)) return false;
        s->in_iterable = in_iterable;
        if (!walk_list(s, clause->clause.conditions)) return false;
    }
    if (!walk(s, item) || (second && !walk(s, second))) return false;
    close_scope(s, &o);
    return true;
}

static bool walk_genexp(scoper *s, ast_node *n) {
    ast_scope *out = new_scope(s, AST_SCOPE_GENEXP);
    if (!out) return false;
    n->genexp.scope = out;
    out->n_positional_only = out->n_positional = 1;
    return walk_comprehension(s, n, n->genexp.clauses, n->genexp.item, NULL, out);
}

/* A loop, try or with: CPython allows twenty nested ones. */
static bool open_block(scoper *s, const ast_node *n) {
    if (++s->blocks > MAX_BLOCKS) fail_late(s, n->span, "too many statically nested blocks");
    return true;
}

static bool walk_loop_body(scoper *s, ast_list body, ast_list other) {
    s->loops++;
    if (!walk_list(s, body)) return false;
    s->loops--;
    s->blocks--;
    return walk_list(s, other);
}

static bool walk_try(scoper *s, ast_node *n) {
    bool outer = n->try_.final.n && open_block(s, n);
    bool inner = n->try_.handlers.n && open_block(s, n);
    if (!walk_list(s, n->try_.body)) return false;
    if (inner) s->blocks--;
    for (uint32_t i = 0; i < n->try_.handlers.n; i++) {
        ast_node *h = n->try_.handlers.at[i];
        if (!h->except.type && i + 1 < n->try_.handlers.n)
            fail_late(s, h->span, "default 'except:' must be last");
        if (h->except.type && !walk(s, h->except.type)) return false;
        if (h->except.target && !bind(s, h->except.target, 0)) return false;
        open_block(s, h);
        if (!walk_list(s, h->except.body)) return false;
        s->blocks--;
    }
    if (!walk_list(s, n->try_.other)) return false;
    if (outer) s->blocks--;
    return walk_list(s, n->try_.final);
}

static bool walk_with(scoper *s, ast_node *n) {
    for (uint32_t i = 0; i < n->with_.items.n; i++) {
        ast_node *item = n->with_.items.at[i];
        if (!walk(s, item->withitem.context)) return false;
        open_block(s, n);
        if (item->withitem.target && !bind_whole_target(s, item->withitem.target, 0)) return false;
    }
    if (!walk_list(s, n->with_.body)) return false;
    s->blocks -= n->with_.items.n;
    return true;
}

static bool walk_import(scoper *s, ast_node *n) {
    ast_list list = n->kind == AST_IMPORT ? n->import.names : n->from.names;
    if (n->kind == AST_FROM && list.n == 0 && !is_module(s, s->here))
        return fail(s, n->span, "import * only allowed at module level%s", "");
    for (uint32_t i = 0; i < list.n; i++)
        if (!bind(s, list.at[i]->alias.target, 0)) return false;
    return true;
}

static bool walk_annotated(scoper *s, ast_node *n) {
    ast_node *target = n->annassign.target;
    if (target->kind == AST_NAME) {
        uint32_t known = find(s, s->here, target->name.name);
        unsigned flags = known == NONE ? 0 : s->symbols[known].flags;
        if (flags & (GLOBAL | NONLOCAL) && !is_module(s, s->here))
            return fail(s, n->span,
                        flags & GLOBAL ? "annotated name '%s' can't be global"
                                       : "annotated name '%s' can't be nonlocal",
                        text_of(s, target->name.name));
        if (!bind(s, target, ANNOTATED)) return false;
        if (s->levels[s->here].of_class && !note(s, s->here, s->annotations, NULL, BOUND))
            return false;
    } else if (!walk(s, target)) {
        return false;
    }
    return walk(s, n->annassign.annotation) && (!n->annassign.value || walk(s, n->annassign.value));
}

static bool walk_call(scoper *s, ast_node *n) {
    ast_list keywords = n->call.keywords;
    for (uint32_t i = 0; i < keywords.n; i++)
        for (uint32_t k = 0; keywords.at[i]->keyword.name && k < i; k++)
            if (keywords.at[k]->keyword.name == keywords.at[i]->keyword.name && !s->late.code) {
                gpa_fail(&s->late, GPA_E_SYNTAX, "keyword argument repeated: %s",
                         text_of(s, keywords.at[i]->keyword.name));
                gpa_fail_at(&s->late, keywords.at[i]->span);
            }
    if (!walk(s, n->call.func)) return false;
    for (uint32_t i = 0; i < n->call.args.n; i++) {
        ast_node *arg = n->call.args.at[i];
        if (!walk(s, arg->kind == AST_STARRED ? arg->starred.value : arg)) return false;
    }
    for (uint32_t i = 0; i < keywords.n; i++)
        if (!walk(s, keywords.at[i]->keyword.value)) return false;
    return true;
}

/* Items of a display or subscript, where stars may stand. */
static bool walk_items(scoper *s, ast_list items) {
    for (uint32_t i = 0; i < items.n; i++) {
        ast_node *item = items.at[i];
        if (!walk(s, item->kind == AST_STARRED ? item->starred.value : item)) return false;
    }
    return true;
}

static void check_jump(scoper *s, const ast_node *n) {
    if (s->loops) return;
    fail_late(s, n->span,
              n->kind == AST_BREAK ? "'break' outside loop" : "'continue' not properly in loop");
}

/* The function around, or NULL. */
static ast_scope *function_around(const scoper *s) {
    uint32_t scope = s->here;
    while (!s->levels[scope].out) scope = s->levels[scope].parent;
    return s->levels[scope].out->kind == AST_SCOPE_FUNCTION ? s->levels[scope].out : NULL;
}

/* A yield expression: its function is a generator function. */
static bool walk_yield(scoper *s, ast_node *n) {
    ast_scope *function = function_around(s);
    if (n->yield_.value && !walk(s, n->yield_.value)) return false;
    if (s->levels[s->here].comprehension)
        return fail(s, n->span, "'yield' inside %s", s->levels[s->here].comprehension);
    if (!function)
        fail_late(s, n->span, "'yield' outside function");
    else
        function->yields = true;
    return true;
}

typedef struct {
    scoper *s;
    bool ok;
} children;

static void walk_child(void *user, ast_node *child) {
    children *c = user;
    c->ok = c->ok && walk(c->s, child);
}

/* The default case of the traversal: children in order, and leaves. */
static bool walk_children(scoper *s, ast_node *n) {
    children c = {s, true};
    ast_each_child(n, walk_child, &c);
    return c.ok;
}

static bool walk_targets(scoper *s, ast_list targets) {
    for (uint32_t i = 0; i < targets.n; i++)
        if (!bind_whole_target(s, targets.at[i], 0)) return false;
    return true;
}

static bool walk(scoper *s, ast_node *n) {
    switch ((ast_kind)n->kind) {
        case AST_NAME:
            return touch(s, s->here, n, USED) &&
                   (n->name.name != s->super || note(s, s->here, s->class, NULL, USED));
        case AST_FUNCTION: return walk_function(s, n);
        case AST_LISTCOMP:
            return walk_comprehension(s, n, n->listcomp.clauses, n->listcomp.item, NULL, NULL);
        case AST_SETCOMP:
            return walk_comprehension(s, n, n->setcomp.clauses, n->setcomp.item, NULL, NULL);
        case AST_DICTCOMP:
            return walk_comprehension(s, n, n->dictcomp.clauses, n->dictcomp.key, n->dictcomp.value,
                                      NULL);
        case AST_GENEXP: return walk_genexp(s, n);
        case AST_NAMED: return bind_walrus(s, n->named.target) && walk(s, n->named.value);
        case AST_CALL: return walk_call(s, n);
        case AST_YIELD: return walk_yield(s, n);
        case AST_TUPLE: return walk_items(s, n->tuple.items);
        case AST_LIST: return walk_items(s, n->list.items);
        case AST_SET: return walk_items(s, n->set.items);
        case AST_STARRED:
            fail_late(s, n->span, "can't use starred expression here");
            return walk(s, n->starred.value);
        case AST_ASSIGN: return walk(s, n->assign.value) && walk_targets(s, n->assign.targets);
        case AST_AUGASSIGN:
            if (n->augassign.target->kind != AST_NAME) return walk_children(s, n);
            return bind(s, n->augassign.target, 0) && walk(s, n->augassign.value);
        case AST_ANNASSIGN: return walk_annotated(s, n);
        case AST_DEL: return walk_targets(s, n->del.targets);
        case AST_GLOBAL: return declare(s, n);
        case AST_NONLOCAL:
            if (is_module(s, s->here))
                return fail(s, n->span, "nonlocal declaration not allowed at module level%s", "");
            return declare(s, n);
        case AST_FOR:
            open_block(s, n);
            return bind_whole_target(s, n->for_.target, 0) && walk(s, n->for_.iter) &&
                   walk_loop_body(s, n->for_.body, n->for_.other);
        case AST_WHILE:
            open_block(s, n);
            return walk(s, n->while_.test) && walk_loop_body(s, n->while_.body, n->while_.other);
        case AST_TRY: return walk_try(s, n);
        case AST_WITH: return walk_with(s, n);
        case AST_DEF:
            return walk_list(s, n->def.decorators) && bind(s, n->def.target, 0) &&
                   walk(s, n->def.function);
        case AST_CLASS: return walk_class(s, n);
        case AST_IMPORT:
        case AST_FROM: return walk_import(s, n);
        case AST_RETURN:
            if (!function_around(s)) fail_late(s, n->span, "'return' outside function");
            return walk_children(s, n);
        case AST_BREAK:
        case AST_CONTINUE: check_jump(s, n); return true;
        default: return walk_children(s, n);
    }
}

/* ---- storage ---- */

/* True if a symbol is a variable of its own scope, with a frame slot. */
static bool is_local(const scoper *s, const symbol *sym) {
    return sym->flags & BOUND && !(sym->flags & (GLOBAL | NONLOCAL)) && !is_module(s, sym->scope);
}

/* Slots go to the symbols of a frame in order of appearance, so parameters come first. */
static void assign_slots(scoper *s) {
    for (uint32_t i = 0; i < s->n_symbols; i++) {
        symbol *sym = &s->symbols[i];
        if (!is_local(s, sym)) continue;
        uint32_t frame = sym->scope;
        while (!s->levels[frame].out) frame = s->levels[frame].parent;
        sym->storage = (ast_storage){AST_IN_SLOT, s->levels[frame].n_slots++};
        sym->home = i;
        sym->resolved = true;
    }
}

/* Finds what a name means in a scope: the symbol, of the same frame, whose storage it has; NONE: a
 * global. False: out of memory. */
static bool resolve(scoper *s, uint32_t scope, gpa_sym name, uint32_t *home) {
    uint32_t i = enter(s, scope, name), outer = NONE;
    if (i == NONE) return false;
    *home = s->symbols[i].home;
    if (s->symbols[i].resolved) return true;
    bool global = is_module(s, scope) || s->symbols[i].flags & GLOBAL;
    if (!global && !resolve(s, s->levels[scope].parent, name, &outer)) return false;
    symbol *sym = &s->symbols[i];
    sym->resolved = true;
    sym->home = outer;
    if (outer != NONE && s->levels[scope].out) { /* captured from the frame around this one */
        symbol *from = &s->symbols[outer];
        if (from->storage.kind == AST_IN_SLOT) from->storage.kind = AST_IN_CELL;
        sym->from = from->storage;
        sym->storage = (ast_storage){AST_IN_FREE, s->levels[scope].n_frees++};
        sym->home = i;
    }
    *home = sym->home;
    return true;
}

static bool resolve_all(scoper *s) {
    assign_slots(s);
    for (size_t i = 0; i < s->n_uses; i++) {
        const symbol *sym = &s->symbols[s->uses[i].symbol];
        uint32_t home;
        if (sym->flags & NONLOCAL && sym->flags & GLOBAL)
            return fail(s, sym->declared, "name '%s' is nonlocal and global",
                        text_of(s, sym->name));
        if (!resolve(s, sym->scope, sym->name, &home)) return false;
        sym = &s->symbols[s->uses[i].symbol];
        if (home == NONE && sym->flags & NONLOCAL)
            return fail(s, sym->declared, "no binding for nonlocal '%s' found",
                        text_of(s, sym->name));
        s->uses[i].symbol = home;
    }
    return true;
}

/* Writes the results: the storage of the NAMEs, and each frame's variables. */
static bool publish(scoper *s) {
    for (size_t i = 0; i < s->n_uses; i++)
        if (s->uses[i].symbol != NONE && s->uses[i].node)
            s->uses[i].node->name.storage = s->symbols[s->uses[i].symbol].storage;
    for (size_t i = 0; i < s->n_levels; i++) {
        ast_scope *out = s->levels[i].out;
        if (!out) continue;
        out->n_vars = s->levels[i].n_slots;
        out->n_frees = s->levels[i].n_frees;
        out->vars = arena_alloc(s->arena, out->n_vars * sizeof *out->vars);
        out->frees = arena_alloc(s->arena, out->n_frees * sizeof *out->frees);
        if (!out->vars || !out->frees) return no_memory(s);
    }
    for (size_t i = 0; i < s->n_symbols; i++) {
        const symbol *sym = &s->symbols[i];
        if (sym->home != i) continue;
        uint32_t frame = sym->scope;
        while (!s->levels[frame].out) frame = s->levels[frame].parent;
        ast_scope *out = s->levels[frame].out;
        if (sym->storage.kind == AST_IN_FREE)
            out->frees[sym->storage.slot] = (ast_free_var){sym->name, sym->from};
        else
            out->vars[sym->storage.slot] =
                (ast_var){sym->name, sym->storage.kind == AST_IN_CELL, (sym->flags & PARAM) != 0,
                          frame != sym->scope && !s->levels[sym->scope].of_class};
    }
    return true;
}

static bool begin(scoper *s, ast_module *m, intern *names, gpa_err *e) {
    *s = (scoper){.arena = m->arena, .names = names, .err = e, .here = NONE, .mask = 255};
    s->table = mem_zero((s->mask + 1) * sizeof *s->table);
    s->class = intern_get(names, "__class__", 9);
    s->super = intern_get(names, "super", 5);
    s->annotations = intern_get(names, "__annotations__", 15);
    return (s->table && s->class && s->super && s->annotations) || no_memory(s);
}

static void finish(scoper *s, bool walked, gpa_err *own, gpa_err *e) {
    bool ok = walked && resolve_all(s) && (s->late.code || publish(s));
    if (ok && s->late.code) *own = s->late;
    mem_free(s->table);
    mem_free(s->symbols);
    mem_free(s->levels);
    mem_free(s->uses);
    if (own->code && e && !e->code) *e = *own;
}

gpa_code scope_resolve(ast_module *m, intern *names, gpa_err *e) {
    gpa_err own = {.code = GPA_OK};
    scoper s;
    bool walked = begin(&s, m, names, &own) && (m->scope = new_scope(&s, AST_SCOPE_MODULE)) &&
                  (s.here = open_level(&s, m->scope)) != NONE && walk_list(&s, m->body);
    finish(&s, walked, &own, e);
    return own.code;
}

gpa_code scope_resolve_rest(ast_module *m, ast_node *function, intern *names, gpa_err *e) {
    gpa_err own = {.code = GPA_OK};
    scoper s;
    ast_scope module = *m->scope; /* published already; nothing here adds to it */
    ast_scope *out = function->function.scope;
    *out = (ast_scope){.kind = out->kind, .parent = out->parent};
    bool walked = begin(&s, m, names, &own) && (s.here = open_level(&s, &module)) != NONE &&
                  walk_body(&s, function, out);
    finish(&s, walked, &own, e);
    return own.code;
}
