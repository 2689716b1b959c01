/* Arguments of a call, and parameters of a def or lambda. */
#include "lang/syntax/parse_state.h"

#include "runtime/base/base.h"

/* ---- arguments ---- */

typedef struct {
    ast_list args, keywords;
    size_t n_args;
    bool keyword, unpacked; /* a name=value, a **mapping was seen */
} arguments;

static bool at_clauses(const parser *p) {
    return p->tok.kind == TOKEN_FOR || p->tok.kind == TOKEN_ASYNC;
}

/* A generator expression without its own parentheses, which is valid only as the sole argument. */
static ast_node *bare_generator(parser *p, ast_node *item, bool sole, uint32_t call_paren) {
    ast_list clauses;
    gpa_span span = item->span;
    if (!parse_clauses(p, &clauses)) return NULL;
    span.hi = p->prev_hi;
    bool last = p->tok.kind == TOKEN_RPAR;
    if (p->tok.kind == TOKEN_COMMA) {
        parse_mark m;
        parse_try(p, &m);
        parse_advance(p);
        last = p->tok.kind == TOKEN_RPAR && sole;
        if (!parse_back(p, &m)) return NULL;
    }
    if (!sole || (!last && p->tok.kind == TOKEN_COMMA))
        return parse_syntax(p, span, "Generator expression must be parenthesized");
    if (!last) return parse_unexpected(p);
    if (p->tok.kind == TOKEN_COMMA)
        return parse_syntax(p, span, "Generator expression must be parenthesized");
    ast_node *n = parse_new(p, AST_GENEXP, (gpa_span){span.src, call_paren, p->tok.hi});
    if (!n) return NULL;
    n->genexp.item = item;
    n->genexp.clauses = clauses;
    return parse_done(p, n);
}

/* name '=' value; the name is parsed and the current token is '='. */
static ast_node *keyword_argument(parser *p, ast_node *name) {
    gpa_span upto = parse_here(p);
    upto.lo = name->span.lo;
    if (name->kind == AST_TRUE || name->kind == AST_FALSE || name->kind == AST_NONE)
        return parse_syntax(p, upto, "cannot assign to %s", ast_what((ast_kind)name->kind));
    if (name->kind != AST_NAME || parse_is_group(p, name))
        return parse_syntax(p, upto,
                            "expression cannot contain assignment, perhaps you meant \"==\"?");
    parse_advance(p);
    if (p->tok.kind == TOKEN_COMMA || p->tok.kind == TOKEN_RPAR)
        return parse_syntax(p, upto, "expected argument value expression");
    ast_node *value = parse_expression(p);
    if (!value) return NULL;
    if (at_clauses(p))
        return parse_syntax(p, upto,
                            "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
    ast_node *n = parse_new(p, AST_KEYWORD, parse_span(p, name->span.lo));
    if (!n) return NULL;
    n->keyword.name = name->name.name;
    n->keyword.value = value;
    return parse_done(p, n);
}

/* '*' expression | '**' expression; the current token is the star */
static ast_node *unpacking(parser *p, ast_kind kind) {
    uint32_t lo = p->tok.lo;
    parse_advance(p);
    ast_node *value = parse_expression(p);
    ast_node *n = value ? parse_new(p, kind, parse_span(p, lo)) : NULL;
    if (!n) return NULL;
    if (kind == AST_STARRED)
        n->starred.value = value;
    else
        n->keyword.value = value;
    return parse_done(p, n);
}

/* A positional argument or the head of a keyword argument. */
static ast_node *plain_argument(parser *p) {
    ast_node *n = parse_expression(p);
    if (!n || p->tok.kind != TOKEN_WALRUS) return n;
    if (n->kind != AST_NAME || parse_is_group(p, n)) return parse_unexpected(p);
    parse_advance(p);
    ast_node *value = parse_expression(p);
    ast_node *named = value ? parse_new(p, AST_NAMED, parse_span(p, n->span.lo)) : NULL;
    if (!named) return NULL;
    named->named.target = n;
    named->named.value = value;
    return parse_done(p, named);
}

/* Checks the position of a positional argument, already parsed, among the keywords. */
static bool in_order(parser *p, const arguments *a, const ast_node *arg) {
    if (arg->kind == AST_STARRED && !a->unpacked) return true;
    if (!a->keyword && !a->unpacked) return true;
    if (arg->kind == AST_STARRED)
        parse_syntax(p, arg->span,
                     "iterable argument unpacking follows keyword argument unpacking");
    else if (a->unpacked)
        parse_syntax(p, arg->span, "positional argument follows keyword argument unpacking");
    else
        parse_syntax(p, arg->span, "positional argument follows keyword argument");
    return false;
}

/* One argument, positional or keyword. NULL: failed. */
static ast_node *argument(parser *p, arguments *a, uint32_t paren) {
    if (p->tok.kind == TOKEN_DSTAR) return unpacking(p, AST_KEYWORD);
    ast_node *n = p->tok.kind == TOKEN_STAR ? unpacking(p, AST_STARRED) : plain_argument(p);
    if (!n) return NULL;
    if (p->tok.kind == TOKEN_ASSIGN) return keyword_argument(p, n);
    if (at_clauses(p) && n->kind == AST_STARRED)
        return parse_syntax(p, n->span, "iterable unpacking cannot be used in comprehension");
    if (at_clauses(p)) n = bare_generator(p, n, a->n_args == 0, paren);
    return n && in_order(p, a, n) ? n : NULL;
}

/* Splits the nodes pushed since `mark` into arguments and keywords, preserving order. */
static bool split(parser *p, size_t mark, arguments *a) {
    size_t end = p->n_items;
    for (size_t i = mark; i < end; i++)
        if (p->items[i]->kind != AST_KEYWORD && !parse_push(p, p->items[i])) return false;
    if (!parse_take(p, end, &a->args)) return false;
    for (size_t i = mark; i < end; i++)
        if (p->items[i]->kind == AST_KEYWORD && !parse_push(p, p->items[i])) return false;
    if (!parse_take(p, end, &a->keywords)) return false;
    p->n_items = mark;
    return true;
}

/* arguments: (argument (',' argument)* [','])? ')' */
ast_node *parse_call(parser *p, ast_node *func, uint32_t lo) {
    uint32_t paren = p->prev_hi - 1;
    size_t mark = p->n_items;
    arguments a = {.n_args = 0};
    while (p->tok.kind != TOKEN_RPAR) {
        ast_node *n = argument(p, &a, paren);
        if (!parse_push(p, n)) return NULL;
        a.n_args++;
        a.keyword |= n->kind == AST_KEYWORD;
        a.unpacked |= n->kind == AST_KEYWORD && !n->keyword.name;
        if (!parse_accept(p, TOKEN_COMMA)) break;
    }
    if (!parse_expect(p, TOKEN_RPAR) || !split(p, mark, &a)) return NULL;
    ast_node *n = parse_new(p, AST_CALL, parse_span(p, lo));
    if (!n) return NULL;
    n->call.func = func;
    n->call.args = a.args;
    n->call.keywords = a.keywords;
    return parse_done(p, n);
}

/* ---- parameters ---- */

typedef struct {
    token_kind closer;
    ast_param_kind kind;    /* of the next plain name */
    bool slash, star, init; /* seen: '/', '*', a default */
    size_t mark;
} parameters;

static ast_node *param_name(parser *p) {
    if (p->tok.kind != TOKEN_NAME) return parse_unexpected(p);
    ast_node *n = parse_new(p, AST_NAME, parse_here(p));
    if (n) n->name.name = p->tok.sym;
    parse_advance(p);
    return n;
}

/* NAME [':' annotation] ['=' default] */
static ast_node *param(parser *p, const parameters *ps, ast_param_kind kind) {
    uint32_t lo = p->tok.lo;
    ast_node *target = param_name(p), *annotation = NULL, *init = NULL;
    if (!target) return NULL;
    if (ps->closer == TOKEN_RPAR && parse_accept(p, TOKEN_COLON)) {
        annotation = kind == AST_STAR_ARGS ? parse_star_named(p) : parse_expression(p);
        if (!annotation) return NULL;
    }
    if (p->tok.kind == TOKEN_ASSIGN) {
        gpa_span at = parse_here(p);
        if (kind == AST_STAR_ARGS)
            return parse_syntax(p, at, "var-positional argument cannot have default value");
        if (kind == AST_STAR_KWARGS)
            return parse_syntax(p, at, "var-keyword argument cannot have default value");
        parse_advance(p);
        if (p->tok.kind == TOKEN_COMMA || p->tok.kind == TOKEN_RPAR)
            return parse_syntax(p, at, "expected default value expression");
        if (!(init = parse_expression(p))) return NULL;
    } else if (ps->init && (kind == AST_ORDINARY || kind == AST_POSITIONAL_ONLY)) {
        return parse_syntax(p, target->span,
                            "parameter without a default follows parameter with a default");
    }
    ast_node *n = parse_new(p, AST_PARAM, parse_span(p, lo));
    if (!n) return NULL;
    n->param.kind = kind;
    n->param.target = target;
    n->param.init = init;
    n->param.annotation = annotation;
    return parse_done(p, n);
}

/* '/': the parameters before it are positional only. */
static bool slash(parser *p, parameters *ps) {
    gpa_span at = parse_here(p);
    if (ps->slash) return parse_syntax(p, at, "/ may appear only once") != NULL;
    if (ps->star) return parse_syntax(p, at, "/ must be ahead of *") != NULL;
    for (size_t i = ps->mark; i < p->n_items; i++) p->items[i]->param.kind = AST_POSITIONAL_ONLY;
    bool first = p->n_items == ps->mark;
    ps->slash = true;
    parse_advance(p);
    if (first && p->tok.kind == TOKEN_COMMA)
        return parse_syntax(p, at, "at least one argument must precede /") != NULL;
    if (first) return parse_syntax(p, at, "invalid syntax") != NULL;
    if (p->tok.kind == TOKEN_STAR)
        return parse_syntax(p, parse_here(p), "expected comma between / and *") != NULL;
    return true;
}

/* '*' [NAME]: the parameters after it are keyword only. */
static bool star(parser *p, parameters *ps) {
    gpa_span at = parse_here(p);
    bool again = ps->star;
    ps->star = true;
    ps->kind = AST_KEYWORD_ONLY;
    parse_advance(p);
    if (again && p->tok.kind != TOKEN_NAME && p->tok.kind != TOKEN_COMMA)
        return parse_syntax(p, at, "invalid syntax") != NULL;
    if (again) return parse_syntax(p, at, "* argument may appear only once") != NULL;
    if (p->tok.kind == ps->closer)
        return parse_syntax(p, at, "named arguments must follow bare *") != NULL;
    if (p->tok.kind != TOKEN_COMMA) return parse_push(p, param(p, ps, AST_STAR_ARGS));
    parse_mark m;
    parse_try(p, &m);
    parse_advance(p);
    bool bare = p->tok.kind == ps->closer || p->tok.kind == TOKEN_DSTAR;
    if (!parse_back(p, &m)) return false;
    return bare ? parse_syntax(p, at, "named arguments must follow bare *") != NULL : true;
}

/* '**' NAME: it must be the last parameter. */
static bool double_star(parser *p, parameters *ps) {
    parse_advance(p);
    if (!parse_push(p, param(p, ps, AST_STAR_KWARGS))) return false;
    if (!parse_accept(p, TOKEN_COMMA)) return true;
    token_kind next = p->tok.kind;
    if (next == TOKEN_NAME || next == TOKEN_STAR || next == TOKEN_DSTAR || next == TOKEN_SLASH)
        return parse_syntax(p, parse_here(p), "arguments cannot follow var-keyword argument") !=
               NULL;
    return true;
}

/* def f((a, b)): Python 2's tuple parameters. The current token is '('. */
static bool parenthesized(parser *p, const parameters *ps) {
    gpa_span span = parse_here(p);
    parse_mark m;
    parse_try(p, &m);
    parse_advance(p);
    bool names = p->tok.kind == TOKEN_NAME;
    while (parse_accept(p, TOKEN_NAME) && parse_accept(p, TOKEN_COMMA)) {
    }
    names = names && p->tok.kind == TOKEN_RPAR;
    span.hi = p->tok.hi;
    if (!parse_back(p, &m)) return false;
    if (!names || ps->init) return parse_unexpected(p) != NULL;
    const char *what = ps->closer == TOKEN_RPAR ? "Function" : "Lambda expression";
    return parse_syntax(p, span, "%s parameters cannot be parenthesized", what) != NULL;
}

/* parameters: plain names, then '/', then more, then '*args' or '*', then keyword-only names, then
 * '**kwargs' */
bool parse_parameters(parser *p, token_kind closer, ast_list *out) {
    parameters ps = {.closer = closer, .kind = AST_ORDINARY, .mark = p->n_items};
    while (p->tok.kind != closer) {
        bool ok, last = p->tok.kind == TOKEN_DSTAR;
        if (p->tok.kind == TOKEN_SLASH) {
            ok = slash(p, &ps);
        } else if (p->tok.kind == TOKEN_STAR) {
            ok = star(p, &ps);
        } else if (last) {
            ok = double_star(p, &ps);
        } else if (p->tok.kind == TOKEN_LPAR) {
            ok = parenthesized(p, &ps);
        } else {
            ok = parse_push(p, param(p, &ps, ps.kind));
            if (ok && ps.kind == AST_ORDINARY)
                ps.init |= p->items[p->n_items - 1]->param.init != NULL;
        }
        if (!ok) return false;
        if (last || !parse_accept(p, TOKEN_COMMA)) break;
    }
    return parse_take(p, ps.mark, out);
}
