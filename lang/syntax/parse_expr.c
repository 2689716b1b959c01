/* Expressions, from the loosest to the tightest rule, then atoms and comprehensions. Binary
 * operators take their precedence from token.def. */
#include "lang/syntax/parse_state.h"

#include "runtime/base/base.h"

bool parse_starts_expression(token_kind kind) {
    static const bool starts[TOKEN_COUNT] = {
        [TOKEN_NAME] = true,      [TOKEN_INTEGER] = true, [TOKEN_FLOAT] = true,
        [TOKEN_IMAGINARY] = true, [TOKEN_STRING] = true,  [TOKEN_BYTES] = true,
        [TOKEN_FSTRING] = true,   [TOKEN_NONE] = true,    [TOKEN_TRUE] = true,
        [TOKEN_FALSE] = true,     [TOKEN_LAMBDA] = true,  [TOKEN_NOT] = true,
        [TOKEN_LPAR] = true,      [TOKEN_LSQB] = true,    [TOKEN_LBRACE] = true,
        [TOKEN_PLUS] = true,      [TOKEN_MINUS] = true,   [TOKEN_TILDE] = true,
        [TOKEN_ELLIPSIS] = true,
    };
    return starts[kind];
}

bool parse_is_group(const parser *p, const ast_node *n) { return p->group == n; }

/* ---- expression lists ---- */

typedef ast_node *(*rule)(parser *p);

static ast_node *slice(parser *p);

/* True if the token ends an expression list after a trailing comma. */
static bool ends_list(token_kind kind) {
    static const bool ends[TOKEN_COUNT] = {
        [TOKEN_NEWLINE] = true, [TOKEN_END] = true,    [TOKEN_SEMICOLON] = true,
        [TOKEN_ASSIGN] = true,  [TOKEN_COLON] = true,  [TOKEN_RPAR] = true,
        [TOKEN_RSQB] = true,    [TOKEN_RBRACE] = true, [TOKEN_IN] = true,
        [TOKEN_FOR] = true,     [TOKEN_BANG] = true,   [TOKEN_FTEXT] = true,
    };
    return ends[kind] || token_info[kind].class == TOKEN_IS_AUGMENTED;
}

/* items: item (',' item)* [','], pushed; the first item is already parsed. */
static bool more_items(parser *p, ast_node *first, rule item) {
    if (!parse_push(p, first)) return false;
    while (parse_accept(p, TOKEN_COMMA)) {
        bool slice_follows = item == slice && p->tok.kind == TOKEN_COLON;
        if (ends_list(p->tok.kind) && !slice_follows) break;
        if (!parse_push(p, item(p))) return false;
    }
    return true;
}

/* One item, or a TUPLE where there is a comma. */
static ast_node *tuple_of(parser *p, rule item) {
    uint32_t lo = p->tok.lo;
    ast_node *first = item(p);
    if (!first || p->tok.kind != TOKEN_COMMA) return first;
    size_t mark = p->n_items;
    if (!more_items(p, first, item)) return NULL;
    ast_node *n = parse_new(p, AST_TUPLE, parse_span(p, lo));
    if (!n || !parse_take(p, mark, &n->tuple.items)) return NULL;
    return parse_done(p, n);
}

static ast_node *bitwise_or(parser *p) { return parse_binary(p, 1); }

static ast_node *starred(parser *p, rule value) {
    if (p->tok.kind != TOKEN_STAR) return value(p);
    uint32_t lo = p->tok.lo;
    parse_advance(p);
    ast_node *inner = bitwise_or(p);
    ast_node *n = inner ? parse_new(p, AST_STARRED, parse_span(p, lo)) : NULL;
    if (!n) return NULL;
    n->starred.value = inner;
    return parse_done(p, n);
}

/* star_expression: '*' bitwise_or | expression */
static ast_node *star_expression(parser *p) { return starred(p, parse_expression); }

/* star_named_expression: '*' bitwise_or | named_expression */
ast_node *parse_star_named(parser *p) { return starred(p, parse_named); }

/* star_expressions: star_expression (',' star_expression)* [','] */
ast_node *parse_star_expressions(parser *p) { return tuple_of(p, star_expression); }

/* yield_expr: 'yield' 'from' expression | 'yield' [star_expressions] */
ast_node *parse_yield(parser *p) {
    uint32_t lo = p->tok.lo;
    ast_node *value = NULL;
    parse_advance(p);
    bool from = parse_accept(p, TOKEN_FROM),
         more = from || parse_starts_expression(p->tok.kind) || p->tok.kind == TOKEN_STAR;
    if (p->tok.kind == TOKEN_ERROR) return NULL;
    if (more && !(value = from ? parse_expression(p) : parse_star_expressions(p))) return NULL;
    ast_node *n = parse_new(p, AST_YIELD, parse_span(p, lo));
    if (!n) return NULL;
    n->yield_.from = from;
    n->yield_.value = value;
    return parse_done(p, n);
}

/* star_target, as an expression: '*' bitwise_or | bitwise_or */
ast_node *parse_star_target(parser *p) { return starred(p, bitwise_or); }

/* The targets of a for, parsed as expressions (which end before `in`) and checked afterwards. */
ast_node *parse_for_targets(parser *p) {
    token first = p->tok;
    ast_node *n = tuple_of(p, parse_star_target);
    const ast_node *bad = n ? parse_bad_target(n) : NULL;
    if (bad && bad->kind == AST_COMPARE && bad->compare.links.at[0]->link.op == AST_OP_IN)
        return parse_unexpected(p);
    if (n && n->kind != AST_TUPLE && parse_starts_expression(p->tok.kind) &&
        !parse_run_on(p, n, &first))
        return NULL;
    return bad ? parse_fail_target(p, bad) : n;
}

/* ---- from named_expression down to comparison ---- */

/* named_expression: NAME ':=' expression | expression */
ast_node *parse_named(parser *p) {
    uint32_t lo = p->tok.lo;
    ast_node *target = parse_expression(p);
    if (!target) return NULL;
    if (p->tok.kind == TOKEN_ASSIGN) return parse_stray_assign(p, target);
    if (p->tok.kind != TOKEN_WALRUS) return target;
    if (target->kind != AST_NAME || parse_is_group(p, target)) return parse_stray_assign(p, target);
    parse_advance(p);
    ast_node *value = parse_expression(p);
    ast_node *n = value ? parse_new(p, AST_NAMED, parse_span(p, lo)) : NULL;
    if (!n) return NULL;
    n->named.target = target;
    n->named.value = value;
    return parse_done(p, n);
}

/* lambdef: 'lambda' [parameters] ':' expression */
static ast_node *lambda(parser *p) {
    uint32_t lo = p->tok.lo;
    parse_advance(p);
    ast_list params;
    if (!parse_parameters(p, TOKEN_COLON, &params)) return NULL;
    gpa_span head = parse_span(p, lo);
    if (!parse_expect(p, TOKEN_COLON)) return NULL;
    if (p->tok.kind == TOKEN_FTEXT)
        return parse_syntax(p, head,
                            "f-string: lambda expressions are not allowed without parentheses");
    uint32_t body_lo = p->tok.lo;
    ast_node *value = parse_expression(p);
    ast_node *result = value ? parse_new(p, AST_RETURN, parse_span(p, body_lo)) : NULL;
    if (!result) return NULL;
    result->return_.value = value;
    if (!parse_done(p, result)) return NULL;
    size_t mark = p->n_items;
    ast_node *n = parse_new(p, AST_FUNCTION, parse_span(p, lo));
    if (!n || !parse_push(p, result) || !parse_take(p, mark, &n->function.body)) return NULL;
    n->function.params = params;
    return parse_done(p, n);
}

/* The rest of: disjunction 'if' disjunction 'else' expression */
static ast_node *conditional(parser *p, ast_node *then, uint32_t lo) {
    parse_advance(p);
    ast_node *test = parse_disjunction(p);
    if (!test) return NULL;
    if (p->tok.kind == TOKEN_COLON) return parse_unexpected(p);
    if (p->tok.kind != TOKEN_ELSE)
        return parse_syntax(p, parse_range(then, test), "expected 'else' after 'if' expression");
    parse_advance(p);
    ast_node *other = parse_expression(p);
    ast_node *n = other ? parse_new(p, AST_IFEXP, parse_span(p, lo)) : NULL;
    if (!n) return NULL;
    n->ifexp.test = test;
    n->ifexp.then = then;
    n->ifexp.other = other;
    return parse_done(p, n);
}

/* expression: disjunction ['if' disjunction 'else' expression] | lambdef */
ast_node *parse_expression(parser *p) {
    if (!parse_enter(p)) return NULL;
    token first = p->tok;
    ast_node *n;
    if (first.kind == TOKEN_LAMBDA) {
        n = lambda(p);
    } else {
        n = parse_disjunction(p);
        if (n && p->tok.kind == TOKEN_IF)
            n = conditional(p, n, first.lo);
        else if (n && parse_starts_expression(p->tok.kind))
            n = parse_run_on(p, n, &first);
    }
    parse_leave(p);
    return n;
}

/* item (word item)*, for `or` and `and` */
static ast_node *boolean(parser *p, token_kind word, ast_op op, rule item) {
    uint32_t lo = p->tok.lo;
    ast_node *first = item(p);
    if (!first || p->tok.kind != word) return first;
    size_t mark = p->n_items;
    if (!parse_push(p, first)) return NULL;
    while (parse_accept(p, word))
        if (!parse_push(p, item(p))) return NULL;
    ast_node *n = parse_new(p, AST_BOOLOP, parse_span(p, lo));
    if (!n || !parse_take(p, mark, &n->boolop.items)) return NULL;
    n->boolop.op = op;
    return parse_done(p, n);
}

static ast_node *unary(parser *p, ast_op op, uint32_t lo, ast_node *operand) {
    ast_node *n = operand ? parse_new(p, AST_UNARY, parse_span(p, lo)) : NULL;
    if (!n) return NULL;
    n->unary.op = op;
    n->unary.operand = operand;
    return parse_done(p, n);
}

/* The operator of a comparison, consumed; AST_OPS when the current token is none. */
static ast_op compare_op(parser *p) {
    const token_facts *facts = &token_info[p->tok.kind];
    if (facts->class == TOKEN_IS_COMPARE) {
        parse_advance(p);
        return (ast_op)facts->op;
    }
    if (parse_accept(p, TOKEN_IN)) return AST_OP_IN;
    if (parse_accept(p, TOKEN_IS)) return parse_accept(p, TOKEN_NOT) ? AST_OP_IS_NOT : AST_OP_IS;
    if (p->tok.kind != TOKEN_NOT) return AST_OPS;
    token before = p->tok;
    lexer at = p->lex;
    uint32_t prev_hi = p->prev_hi;
    parse_advance(p);
    if (parse_accept(p, TOKEN_IN)) return AST_OP_NOT_IN;
    p->lex = at; /* `a not b`: the caller parses the `not` */
    p->tok = before;
    p->prev_hi = prev_hi;
    return AST_OPS;
}

/* comparison: bitwise_or (('==' | '<' | 'in' | 'not' 'in' | ...) bitwise_or)* */
static ast_node *comparison(parser *p) {
    uint32_t lo = p->tok.lo;
    ast_node *first = bitwise_or(p);
    if (!first) return NULL;
    size_t mark = p->n_items;
    for (;;) {
        uint32_t op_lo = p->tok.lo;
        ast_op op = compare_op(p);
        if (op == AST_OPS) break;
        gpa_span op_span = parse_span(p, op_lo);
        ast_node *right = bitwise_or(p);
        ast_node *link = right ? parse_new(p, AST_LINK, parse_span(p, op_lo)) : NULL;
        if (!link) return NULL;
        link->link.op = op;
        link->link.op_span = op_span;
        link->link.right = right;
        if (!parse_push(p, parse_done(p, link))) return NULL;
    }
    if (p->n_items == mark) return first;
    ast_node *n = parse_new(p, AST_COMPARE, parse_span(p, lo));
    if (!n || !parse_take(p, mark, &n->compare.links)) return NULL;
    n->compare.first = first;
    return parse_done(p, n);
}

/* inversion: 'not' inversion | comparison */
static ast_node *inversion(parser *p) {
    if (p->tok.kind != TOKEN_NOT) return comparison(p);
    if (!parse_enter(p)) return NULL;
    uint32_t lo = p->tok.lo;
    parse_advance(p);
    ast_node *n = unary(p, AST_OP_NOT, lo, inversion(p));
    parse_leave(p);
    return n;
}

/* conjunction: inversion ('and' inversion)* */
static ast_node *conjunction(parser *p) { return boolean(p, TOKEN_AND, AST_OP_AND, inversion); }

/* disjunction: conjunction ('or' conjunction)* */
ast_node *parse_disjunction(parser *p) { return boolean(p, TOKEN_OR, AST_OP_OR, conjunction); }

/* ---- operators ---- */

static ast_node *binary_node(parser *p, ast_op op, gpa_span op_span, uint32_t lo, ast_node *left,
                             ast_node *right) {
    ast_node *n = right ? parse_new(p, AST_BINARY, parse_span(p, lo)) : NULL;
    if (!n) return NULL;
    n->binary.op = op;
    n->binary.op_span = op_span;
    n->binary.left = left;
    n->binary.right = right;
    return parse_done(p, n);
}

static ast_node *primary(parser *p);
static ast_node *factor(parser *p);

/* power: primary ['**' factor] */
static ast_node *power(parser *p) {
    uint32_t lo = p->tok.lo;
    ast_node *base = primary(p);
    if (!base || p->tok.kind != TOKEN_DSTAR) return base;
    gpa_span op_span = parse_here(p);
    if (!parse_enter(p)) return NULL;
    parse_advance(p);
    ast_node *n = binary_node(p, AST_OP_POW, op_span, lo, base, factor(p));
    parse_leave(p);
    return n;
}

/* factor: ('+' | '-' | '~') factor | power */
static ast_node *factor(parser *p) {
    token_kind sign = p->tok.kind;
    if (sign != TOKEN_PLUS && sign != TOKEN_MINUS && sign != TOKEN_TILDE) return power(p);
    if (!parse_enter(p)) return NULL;
    uint32_t lo = p->tok.lo;
    parse_advance(p);
    ast_node *n = unary(p,
                        sign == TOKEN_PLUS    ? AST_OP_POS
                        : sign == TOKEN_MINUS ? AST_OP_NEG
                                              : AST_OP_INVERT,
                        lo, factor(p));
    parse_leave(p);
    return n;
}

/* bitwise_or and below: factor (operator factor)*, by precedence climbing: operators of at least
 * binding power `bind` */
ast_node *parse_binary(parser *p, int bind) {
    uint32_t lo = p->tok.lo;
    ast_node *left = factor(p);
    while (left) {
        const token_facts *op = &token_info[p->tok.kind];
        if (op->bind == 0 || op->bind < bind) break;
        gpa_span op_span = parse_here(p);
        parse_advance(p);
        left = binary_node(p, (ast_op)op->op, op_span, lo, left, parse_binary(p, op->bind + 1));
    }
    return left;
}

/* ---- primaries ---- */

/* slice: [expression] ':' [expression] [':' [expression]] | named_expression | '*' bitwise_or */
static ast_node *slice(parser *p) {
    uint32_t lo = p->tok.lo;
    ast_node *parts[3] = {NULL, NULL, NULL};
    if (p->tok.kind != TOKEN_COLON) {
        parts[0] = parse_star_named(p);
        if (!parts[0] || p->tok.kind != TOKEN_COLON) return parts[0];
        if (parts[0]->kind == AST_STARRED ||
            (parts[0]->kind == AST_NAMED && !parse_is_group(p, parts[0])))
            return parse_unexpected(p);
    }
    for (int i = 1; i < 3 && parse_accept(p, TOKEN_COLON); i++) {
        token_kind next = p->tok.kind;
        if (next == TOKEN_COLON || next == TOKEN_COMMA || next == TOKEN_RSQB) continue;
        if (!(parts[i] = parse_expression(p))) return NULL;
    }
    ast_node *n = parse_new(p, AST_SLICE, parse_span(p, lo));
    if (!n) return NULL;
    n->slice.start = parts[0];
    n->slice.stop = parts[1];
    n->slice.step = parts[2];
    return parse_done(p, n);
}

/* '[' slice (',' slice)* [','] ']' */
static ast_node *index_of(parser *p, ast_node *object, uint32_t lo) {
    parse_advance(p);
    uint32_t index_lo = p->tok.lo;
    ast_node *index = tuple_of(p, slice);
    if (index && index->kind == AST_STARRED) { /* a[*b] is a[(*b,)] */
        size_t mark = p->n_items;
        ast_node *tuple = parse_new(p, AST_TUPLE, parse_span(p, index_lo));
        if (!tuple || !parse_push(p, index) || !parse_take(p, mark, &tuple->tuple.items))
            return NULL;
        index = parse_done(p, tuple);
    }
    if (!index || !parse_expect(p, TOKEN_RSQB)) return NULL;
    ast_node *n = parse_new(p, AST_INDEX, parse_span(p, lo));
    if (!n) return NULL;
    n->index.object = object;
    n->index.index = index;
    return parse_done(p, n);
}

static ast_node *attribute_of(parser *p, ast_node *object, uint32_t lo) {
    parse_advance(p);
    if (p->tok.kind != TOKEN_NAME) return parse_unexpected(p);
    gpa_sym name = p->tok.sym;
    gpa_span name_span = parse_here(p);
    parse_advance(p);
    ast_node *n = parse_new(p, AST_ATTR, parse_span(p, lo));
    if (!n) return NULL;
    n->attr.object = object;
    n->attr.name = name;
    n->attr.name_span = name_span;
    return parse_done(p, n);
}

static ast_node *atom(parser *p);

/* primary: atom ('.' NAME | '(' [arguments] ')' | '[' slices ']')* */
static ast_node *primary(parser *p) {
    uint32_t lo = p->tok.lo;
    ast_node *n = atom(p);
    while (n) {
        if (p->tok.kind == TOKEN_DOT) {
            n = attribute_of(p, n, lo);
        } else if (p->tok.kind == TOKEN_LPAR) {
            parse_advance(p);
            n = parse_call(p, n, lo);
        } else if (p->tok.kind == TOKEN_LSQB) {
            n = index_of(p, n, lo);
        } else {
            break;
        }
    }
    return n;
}

/* ---- comprehensions and displays ---- */

/* for_if_clauses: ('for' targets 'in' disjunction ('if' disjunction)*)+ */
bool parse_clauses(parser *p, ast_list *out) {
    size_t mark = p->n_items;
    const uint16_t depth = p->depth;
    while (p->tok.kind == TOKEN_FOR || p->tok.kind == TOKEN_ASYNC) {
        if (p->tok.kind == TOKEN_ASYNC) return parse_refuse(p) != NULL;
        if (!parse_enter(p)) return false; /* a clause is nested in those before it */
        uint32_t lo = p->tok.lo;
        parse_advance(p);
        ast_node *target = parse_for_targets(p);
        if (!target || !parse_expect(p, TOKEN_IN)) return false;
        ast_node *iter = parse_disjunction(p);
        if (!iter) return false;
        size_t inner = p->n_items;
        while (parse_accept(p, TOKEN_IF))
            if (!parse_push(p, parse_disjunction(p))) return false;
        ast_node *n = parse_new(p, AST_CLAUSE, parse_span(p, lo));
        if (!n || !parse_take(p, inner, &n->clause.conditions)) return false;
        n->clause.target = target;
        n->clause.iter = iter;
        if (!parse_push(p, parse_done(p, n))) return false;
    }
    p->depth = depth;
    return parse_take(p, mark, out);
}

/* The first item of a display, when `for` follows. */
static bool may_have_clauses(parser *p, const ast_node *item) {
    if (item->kind != AST_STARRED) return true;
    parse_syntax(p, item->span, "iterable unpacking cannot be used in comprehension");
    return false;
}

/* [a, b for ...]: the current token is `for`, after the items since `mark`. */
static ast_node *fail_bare_target(parser *p, size_t mark) {
    parse_mark m;
    ast_list clauses;
    parse_try(p, &m);
    p->trial = true;
    bool comprehension = parse_clauses(p, &clauses);
    if (!parse_back(p, &m)) return NULL;
    if (!comprehension) return parse_unexpected(p);
    gpa_span span = parse_range(p->items[mark], p->items[p->n_items - 1]);
    if (p->n_items - mark == 1) span.hi = p->prev_hi;
    return parse_syntax(p, span, "did you forget parentheses around the comprehension target?");
}

static bool at_clauses(const parser *p) {
    return p->tok.kind == TOKEN_FOR || p->tok.kind == TOKEN_ASYNC;
}

/* After the first item of a list or a set: clauses, or further items on the parser's stack from
 * mark on. */
static bool rest_of_display(parser *p, ast_node *first, size_t mark, ast_list *clauses) {
    if (at_clauses(p)) return may_have_clauses(p, first) && parse_clauses(p, clauses);
    return more_items(p, first, parse_star_named) && (!at_clauses(p) || fail_bare_target(p, mark));
}

/* list: '[' [star_named_expressions] ']' | '[' named_expression for_if_clauses ']' */
static ast_node *list(parser *p) {
    uint32_t lo = p->tok.lo;
    parse_advance(p);
    size_t mark = p->n_items;
    ast_list clauses = {NULL, 0};
    ast_node *first = NULL;
    if (p->tok.kind != TOKEN_RSQB &&
        (!(first = parse_star_named(p)) || !rest_of_display(p, first, mark, &clauses)))
        return NULL;
    if (!parse_expect(p, TOKEN_RSQB)) return NULL;
    ast_node *n = parse_new(p, clauses.n ? AST_LISTCOMP : AST_LIST, parse_span(p, lo));
    if (!n) return NULL;
    if (clauses.n) {
        n->listcomp.item = first;
        n->listcomp.clauses = clauses;
    } else if (!parse_take(p, mark, &n->list.items)) {
        return NULL;
    }
    return parse_done(p, n);
}

/* pair: '**' bitwise_or | expression ':' expression; key: the part before the colon, already
 * parsed, or NULL */
static ast_node *pair(parser *p, ast_node *key) {
    uint32_t lo = key ? key->span.lo : p->tok.lo;
    bool unpack = !key && parse_accept(p, TOKEN_DSTAR);
    if (!unpack && !key) {
        bool trial = p->trial;
        p->trial = true; /* after a key a colon is missing, not a comma */
        key = parse_expression(p);
        p->trial = trial;
        if (!key) return NULL;
    }
    if (!unpack) {
        if (p->tok.kind != TOKEN_COLON)
            return parse_syntax(p, (gpa_span){key->span.src, p->prev_hi - 1, p->prev_hi},
                                "':' expected after dictionary key");
        gpa_span colon = parse_here(p);
        parse_advance(p);
        if (p->tok.kind == TOKEN_RBRACE || p->tok.kind == TOKEN_COMMA)
            return parse_syntax(p, colon, "expression expected after dictionary key and ':'");
        if (p->tok.kind == TOKEN_STAR)
            return parse_syntax(p, parse_here(p),
                                "cannot use a starred expression in a dictionary value");
    }
    ast_node *value = unpack ? bitwise_or(p) : parse_expression(p);
    ast_node *n = value ? parse_new(p, AST_PAIR, parse_span(p, lo)) : NULL;
    if (!n) return NULL;
    n->pair.key = key;
    n->pair.value = value;
    return parse_done(p, n);
}

/* The rest of a dict, from its first pair. */
static ast_node *dict(parser *p, uint32_t lo, ast_node *key) {
    size_t mark = p->n_items;
    ast_node *first = pair(p, key);
    if (!first) return NULL;
    ast_list clauses = {NULL, 0};
    if (at_clauses(p)) {
        if (!first->pair.key)
            return parse_syntax(p, (gpa_span){first->span.src, first->span.lo, first->span.lo + 2},
                                "dict unpacking cannot be used in dict comprehension");
        if (!parse_clauses(p, &clauses)) return NULL;
    } else {
        if (!parse_push(p, first)) return NULL;
        while (parse_accept(p, TOKEN_COMMA) && p->tok.kind != TOKEN_RBRACE)
            if (!parse_push(p, pair(p, NULL))) return NULL;
    }
    if (!parse_expect(p, TOKEN_RBRACE)) return NULL;
    ast_node *n = parse_new(p, clauses.n ? AST_DICTCOMP : AST_DICT, parse_span(p, lo));
    if (!n) return NULL;
    if (clauses.n) {
        n->dictcomp.key = first->pair.key;
        n->dictcomp.value = first->pair.value;
        n->dictcomp.clauses = clauses;
    } else if (!parse_take(p, mark, &n->dict.pairs)) {
        return NULL;
    }
    return parse_done(p, n);
}

/* set or dict: '{' ... '}' */
static ast_node *braces(parser *p) {
    uint32_t lo = p->tok.lo;
    parse_advance(p);
    if (parse_accept(p, TOKEN_RBRACE)) return parse_new(p, AST_DICT, parse_span(p, lo));
    if (p->tok.kind == TOKEN_DSTAR) return dict(p, lo, NULL);
    size_t mark = p->n_items;
    ast_list clauses = {NULL, 0};
    ast_node *first = parse_star_named(p);
    if (!first) return NULL;
    if (p->tok.kind == TOKEN_COLON && first->kind != AST_STARRED &&
        (first->kind != AST_NAMED || parse_is_group(p, first)))
        return dict(p, lo, first);
    if (!rest_of_display(p, first, mark, &clauses) || !parse_expect(p, TOKEN_RBRACE)) return NULL;
    ast_node *n = parse_new(p, clauses.n ? AST_SETCOMP : AST_SET, parse_span(p, lo));
    if (!n) return NULL;
    if (clauses.n) {
        n->setcomp.item = first;
        n->setcomp.clauses = clauses;
    } else if (!parse_take(p, mark, &n->set.items)) {
        return NULL;
    }
    return parse_done(p, n);
}

static ast_node *generator(parser *p, uint32_t lo, ast_node *item) {
    ast_list clauses;
    if (!may_have_clauses(p, item) || !parse_clauses(p, &clauses) || !parse_expect(p, TOKEN_RPAR))
        return NULL;
    ast_node *n = parse_new(p, AST_GENEXP, parse_span(p, lo));
    if (!n) return NULL;
    n->genexp.item = item;
    n->genexp.clauses = clauses;
    return parse_done(p, n);
}

/* tuple, group or genexp: '(' [star_named_expressions] ')' | '(' yield_expr ')' | '('
 * named_expression for_if_clauses ')' */
static ast_node *parentheses(parser *p) {
    uint32_t lo = p->tok.lo;
    parse_advance(p);
    if (parse_accept(p, TOKEN_RPAR)) return parse_new(p, AST_TUPLE, parse_span(p, lo));
    if (p->tok.kind == TOKEN_DSTAR) {
        gpa_span stars = parse_here(p);
        parse_advance(p);
        return parse_expression(p) && p->tok.kind == TOKEN_RPAR
                   ? parse_syntax(p, stars, "cannot use double starred expression here")
                   : parse_unexpected(p);
    }
    bool yields = p->tok.kind == TOKEN_YIELD;
    ast_node *first = yields ? parse_yield(p) : parse_star_named(p);
    if (!first) return NULL;
    if (!yields && at_clauses(p)) return generator(p, lo, first);
    if (yields || p->tok.kind != TOKEN_COMMA) {
        if (first->kind == AST_STARRED && p->tok.kind == TOKEN_RPAR)
            return parse_syntax(p, first->span, "cannot use starred expression here");
        if (!parse_expect(p, TOKEN_RPAR)) return NULL;
        p->group = first;
        return first;
    }
    size_t mark = p->n_items;
    if (!more_items(p, first, parse_star_named) || !parse_expect(p, TOKEN_RPAR)) return NULL;
    ast_node *n = parse_new(p, AST_TUPLE, parse_span(p, lo));
    if (!n || !parse_take(p, mark, &n->tuple.items)) return NULL;
    p->group = n;
    return parse_done(p, n);
}

/* ---- atoms ---- */

static ast_node *leaf(parser *p, ast_kind kind) {
    ast_node *n = parse_new(p, kind, parse_here(p));
    if (n && kind == AST_NAME) n->name.name = p->tok.sym;
    if (n && kind == AST_INTEGER) n->integer.value = p->tok.integer;
    if (n && kind == AST_BIG) n->big.digits = p->tok.text;
    if (n && kind == AST_FLOAT) n->real.value = p->tok.real;
    if (n && kind == AST_IMAGINARY) n->imag.value = p->tok.real;
    parse_advance(p);
    return n;
}

/* atom: NAME | NUMBER | strings | 'None' | 'True' | 'False' | '...' | a bracketed display */
static ast_node *atom(parser *p) {
    switch (p->tok.kind) {
        case TOKEN_NAME: return leaf(p, AST_NAME);
        case TOKEN_INTEGER: return leaf(p, p->tok.too_big ? AST_BIG : AST_INTEGER);
        case TOKEN_FLOAT: return leaf(p, AST_FLOAT);
        case TOKEN_IMAGINARY: return leaf(p, AST_IMAGINARY);
        case TOKEN_STRING:
        case TOKEN_BYTES:
        case TOKEN_FSTRING: return parse_strings(p);
        case TOKEN_NONE: return leaf(p, AST_NONE);
        case TOKEN_TRUE: return leaf(p, AST_TRUE);
        case TOKEN_FALSE: return leaf(p, AST_FALSE);
        case TOKEN_ELLIPSIS: return leaf(p, AST_ELLIPSIS);
        case TOKEN_LPAR: return parentheses(p);
        case TOKEN_LSQB: return list(p);
        case TOKEN_LBRACE: return braces(p);
        case TOKEN_AWAIT: return parse_refuse(p);
        default: return parse_unexpected(p); /* no other token begins an atom */
    }
}
