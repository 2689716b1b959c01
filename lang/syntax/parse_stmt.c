/* Simple statements: assignments, return, raise, del, assert, imports, magics. */
#include "lang/syntax/parse_state.h"

/* ---- simple statements ---- */

static bool ends_simple(token_kind kind) {
    return kind == TOKEN_NEWLINE || kind == TOKEN_SEMICOLON || kind == TOKEN_END;
}

/* The right side of an assignment: yield_expr, star_expressions, or a magic where the options
 * allow magics. */
static ast_node *assigned_value(parser *p) {
    bool magic = p->lex.magics && p->level == 0 &&
                 (p->tok.kind == TOKEN_PERCENT || p->tok.kind == TOKEN_BANG);
    if (p->tok.kind == TOKEN_YIELD) return parse_yield(p);
    if (!magic) return parse_star_expressions(p);
    lex_magic(&p->lex, &p->tok);
    if (p->tok.kind == TOKEN_ERROR) return NULL;
    ast_node *n = parse_new(p, AST_MAGIC, parse_here(p));
    if (n) n->magic.text = p->tok.text;
    parse_advance(p);
    return n;
}

/* Reports why the first left side is no valid target. */
static ast_node *fail_target(parser *p, ast_node *left) {
    ast_node *last = left;
    if (left->kind == AST_TUPLE && !parse_is_group(p, left) && left->tuple.items.n)
        last = left->tuple.items.at[left->tuple.items.n - 1];
    if (!parse_stray_assign(p, last)) return NULL;
    return parse_fail_target(p, parse_bad_target(left));
}

/* assignment: (star_targets '=')+ value; the first target is parsed, and the current token is '='.
 */
static ast_node *assignment(parser *p, ast_node *left, uint32_t lo) {
    size_t mark = p->n_items;
    ast_node *value = left;
    while (p->tok.kind == TOKEN_ASSIGN) {
        if (value->kind == AST_YIELD && !parse_is_group(p, value))
            return parse_syntax(p, value->span, "assignment to yield expression not possible");
        const ast_node *bad = parse_bad_target(value);
        if (bad) return p->n_items == mark ? fail_target(p, value) : parse_fail_target(p, bad);
        if (!parse_push(p, value)) return NULL;
        parse_advance(p);
        if (!(value = assigned_value(p))) return NULL;
    }
    ast_node *n = parse_new_from(p, AST_ASSIGN, lo);
    if (!n || !parse_take(p, mark, &n->assign.targets)) return NULL;
    n->assign.value = value;
    return parse_done(p, n);
}

/* single_target augassign star_expressions */
static ast_node *augmented(parser *p, ast_node *target, uint32_t lo) {
    if (target->kind != AST_NAME && target->kind != AST_ATTR && target->kind != AST_INDEX)
        return parse_syntax(p, target->span,
                            "'%s' is an illegal expression for augmented assignment",
                            ast_what((ast_kind)target->kind));
    ast_op op = (ast_op)token_info[p->tok.kind].op;
    gpa_span op_span = parse_here(p);
    parse_advance(p);
    ast_node *value = assigned_value(p);
    ast_node *n = value ? parse_new_from(p, AST_AUGASSIGN, lo) : NULL;
    if (!n) return NULL;
    n->augassign.op = op;
    n->augassign.op_span = op_span;
    n->augassign.target = target;
    n->augassign.value = value;
    return parse_done(p, n);
}

/* single_target ':' expression ['=' value] */
static ast_node *annotated(parser *p, ast_node *target, uint32_t lo) {
    if (target->kind == AST_LIST || target->kind == AST_TUPLE)
        return parse_syntax(p, target->span, "only single target (not %s) can be annotated",
                            ast_what((ast_kind)target->kind));
    if (target->kind != AST_NAME && target->kind != AST_ATTR && target->kind != AST_INDEX)
        return parse_syntax(p, target->span, "illegal target for annotation");
    parse_advance(p);
    ast_node *annotation = parse_expression(p), *value = NULL;
    if (!annotation) return NULL;
    if (parse_accept(p, TOKEN_ASSIGN) && !(value = assigned_value(p))) return NULL;
    ast_node *n = parse_new_from(p, AST_ANNASSIGN, lo);
    if (!n) return NULL;
    n->annassign.target = target;
    n->annassign.annotation = annotation;
    n->annassign.value = value;
    return parse_done(p, n);
}

/* assignment, or star_expressions or yield_expr alone */
static ast_node *expression_statement(parser *p) {
    uint32_t lo = p->tok.lo;
    bool yields = p->tok.kind == TOKEN_YIELD;
    ast_node *left = yields ? parse_yield(p) : parse_star_expressions(p);
    if (!left) return NULL;
    if (p->tok.kind == TOKEN_ASSIGN) return assignment(p, left, lo);
    if (!yields && p->tok.kind == TOKEN_COLON) {
        parse_mark m;
        parse_try(p, &m);
        parse_advance(p);
        bool annotation = parse_starts_expression(p->tok.kind);
        if (!parse_back(p, &m)) return NULL;
        if (annotation) return annotated(p, left, lo);
    }
    if (!yields && p->tok.kind == TOKEN_WALRUS && !parse_stray_assign(p, left)) return NULL;
    if (!yields && token_info[p->tok.kind].class == TOKEN_IS_AUGMENTED)
        return augmented(p, left, lo);
    ast_node *n = parse_new_from(p, AST_EXPR, lo);
    if (n) n->expr.value = left;
    return parse_done(p, n);
}

static ast_node *return_statement(parser *p, uint32_t lo) {
    ast_node *value = NULL;
    if (!ends_simple(p->tok.kind) && !(value = parse_star_expressions(p))) return NULL;
    ast_node *n = parse_new_from(p, AST_RETURN, lo);
    if (n) n->return_.value = value;
    return parse_done(p, n);
}

/* raise_stmt: 'raise' [expression ['from' expression]] */
static ast_node *raise_statement(parser *p, uint32_t lo) {
    ast_node *value = NULL, *cause = NULL;
    if (!ends_simple(p->tok.kind)) {
        if (!(value = parse_expression(p))) return NULL;
        if (parse_accept(p, TOKEN_FROM) && !(cause = parse_expression(p))) return NULL;
    }
    ast_node *n = parse_new_from(p, AST_RAISE, lo);
    if (!n) return NULL;
    n->raise_.value = value;
    n->raise_.cause = cause;
    return parse_done(p, n);
}

/* global_stmt: 'global' NAME (',' NAME)*; the same for nonlocal */
static ast_node *names_statement(parser *p, ast_kind kind, uint32_t lo) {
    size_t mark = p->n_items;
    do {
        if (p->tok.kind != TOKEN_NAME) return parse_unexpected(p);
        ast_node *name = parse_new(p, AST_NAME, parse_here(p));
        if (!parse_push(p, name)) return NULL;
        name->name.name = p->tok.sym;
        parse_advance(p);
    } while (parse_accept(p, TOKEN_COMMA));
    ast_node *n = parse_new_from(p, kind, lo);
    if (!n || !parse_take(p, mark, kind == AST_GLOBAL ? &n->global.names : &n->nonlocal.names))
        return NULL;
    return parse_done(p, n);
}

/* Pushes the targets of one expression: tuples and lists only group here. */
static bool push_deleted(parser *p, ast_node *target) {
    if (target->kind == AST_NAME || target->kind == AST_ATTR || target->kind == AST_INDEX)
        return parse_push(p, target);
    if (target->kind != AST_TUPLE && target->kind != AST_LIST)
        return parse_syntax(p, target->span, "cannot delete %s",
                            ast_what((ast_kind)target->kind)) != NULL;
    ast_list items = target->kind == AST_TUPLE ? target->tuple.items : target->list.items;
    for (uint32_t i = 0; i < items.n; i++)
        if (!push_deleted(p, items.at[i])) return false;
    return true;
}

/* del_stmt: 'del' targets */
static ast_node *del_statement(parser *p, uint32_t lo) {
    size_t mark = p->n_items;
    ast_node *targets = parse_star_expressions(p);
    if (!targets) return NULL;
    if (!push_deleted(p, targets)) return NULL;
    if (!ends_simple(p->tok.kind)) return parse_unexpected(p);
    ast_node *n = parse_new_from(p, AST_DEL, lo);
    if (!n || !parse_take(p, mark, &n->del.targets)) return NULL;
    return parse_done(p, n);
}

/* assert_stmt: 'assert' expression [',' expression] */
static ast_node *assert_statement(parser *p, uint32_t lo) {
    ast_node *message = NULL, *test = parse_expression(p);
    if (!test) return NULL;
    if (parse_accept(p, TOKEN_COMMA) && !(message = parse_expression(p))) return NULL;
    ast_node *n = parse_new_from(p, AST_ASSERT, lo);
    if (!n) return NULL;
    n->assert_.test = test;
    n->assert_.message = message;
    return parse_done(p, n);
}

/* ---- imports ---- */

/* dotted_name: NAME ('.' NAME)*; *first is the part before the first dot. 0 on failure. */
static gpa_sym dotted_name(parser *p, gpa_sym *first) {
    gpa_str text;
    str_init(&text);
    gpa_sym whole = 0;
    *first = p->tok.kind == TOKEN_NAME ? p->tok.sym : 0;
    for (;;) {
        if (p->tok.kind != TOKEN_NAME) {
            parse_unexpected(p);
            goto out;
        }
        str_put(&text, intern_text(p->lex.names, p->tok.sym));
        parse_advance(p);
        if (!parse_accept(p, TOKEN_DOT)) break;
        str_putc(&text, '.');
    }
    whole = text.failed ? 0 : intern_get(p->lex.names, text.text, text.len);
    if (!whole) gpa_no_memory(p->err);
out:
    str_free(&text);
    return whole;
}

/* The rest of an alias: ['as' NAME]. */
static ast_node *alias(parser *p, gpa_sym name, gpa_sym bound, uint32_t lo) {
    gpa_span span = parse_span(p, lo);
    bool renamed = parse_accept(p, TOKEN_AS);
    if (renamed) {
        if (p->tok.kind != TOKEN_NAME) return parse_unexpected(p);
        bound = p->tok.sym;
        span = parse_here(p);
        parse_advance(p);
    }
    ast_node *target = parse_new(p, AST_NAME, span);
    ast_node *n = target ? parse_new_from(p, AST_ALIAS, lo) : NULL;
    if (!n) return NULL;
    target->name.name = bound;
    n->alias.name = name;
    n->alias.renamed = renamed;
    n->alias.target = target;
    return parse_done(p, n);
}

/* import_name: 'import' dotted_name ['as' NAME] (',' dotted_name ['as' NAME])* */
static ast_node *import_statement(parser *p, uint32_t lo) {
    size_t mark = p->n_items;
    do {
        uint32_t name_lo = p->tok.lo;
        gpa_sym first, whole = dotted_name(p, &first);
        if (!whole || !parse_push(p, alias(p, whole, first, name_lo))) return NULL;
    } while (parse_accept(p, TOKEN_COMMA));
    ast_node *n = parse_new_from(p, AST_IMPORT, lo);
    if (!n || !parse_take(p, mark, &n->import.names)) return NULL;
    return parse_done(p, n);
}

/* import_from_targets: '(' names [','] ')' | names | '*' */
static bool import_targets(parser *p, ast_list *out) {
    size_t mark = p->n_items;
    if (parse_accept(p, TOKEN_STAR)) return parse_take(p, mark, out);
    bool group = parse_accept(p, TOKEN_LPAR);
    for (;;) {
        gpa_sym name = p->tok.kind == TOKEN_NAME ? p->tok.sym : 0;
        uint32_t lo = p->tok.lo;
        if (!name) return parse_unexpected(p) != NULL;
        parse_advance(p);
        if (!parse_push(p, alias(p, name, name, lo))) return false;
        if (!parse_accept(p, TOKEN_COMMA)) break;
        if (group && p->tok.kind == TOKEN_RPAR) break;
        if (!group && p->tok.kind == TOKEN_NEWLINE)
            return parse_syntax(p, parse_here(p),
                                "trailing comma not allowed without surrounding parentheses") !=
                   NULL;
    }
    if (group && !parse_expect(p, TOKEN_RPAR)) return false;
    return parse_take(p, mark, out);
}

/* import_from: 'from' ('.' | '...')* [dotted_name] 'import' import_from_targets */
static ast_node *from_statement(parser *p, uint32_t lo) {
    uint32_t level = 0;
    for (;;) {
        if (parse_accept(p, TOKEN_DOT))
            level++;
        else if (parse_accept(p, TOKEN_ELLIPSIS))
            level += 3;
        else
            break;
    }
    gpa_sym first, module = 0;
    if (!(level && p->tok.kind == TOKEN_IMPORT) && !(module = dotted_name(p, &first))) return NULL;
    if (!parse_expect(p, TOKEN_IMPORT)) return NULL;
    ast_list names;
    if (!import_targets(p, &names)) return NULL;
    ast_node *n = parse_new_from(p, AST_FROM, lo);
    if (!n) return NULL;
    n->from.module = module;
    n->from.level = level;
    n->from.names = names;
    return parse_done(p, n);
}

static ast_node *magic_statement(parser *p, uint32_t lo) {
    ast_node *magic = parse_new(p, AST_MAGIC, parse_here(p));
    if (!magic) return NULL;
    magic->magic.text = p->tok.text;
    parse_advance(p);
    ast_node *n = parse_new_from(p, AST_EXPR, lo);
    if (n) n->expr.value = magic;
    return parse_done(p, n);
}

static ast_node *simple_statement(parser *p) {
    uint32_t lo = p->tok.lo;
    token_kind word = p->tok.kind;
    switch (word) {
        case TOKEN_PASS:
        case TOKEN_BREAK:
        case TOKEN_CONTINUE:
            parse_advance(p);
            return parse_new_from(p,
                                  word == TOKEN_PASS    ? AST_PASS
                                  : word == TOKEN_BREAK ? AST_BREAK
                                                        : AST_CONTINUE,
                                  lo);
        case TOKEN_RETURN: parse_advance(p); return return_statement(p, lo);
        case TOKEN_RAISE: parse_advance(p); return raise_statement(p, lo);
        case TOKEN_GLOBAL: parse_advance(p); return names_statement(p, AST_GLOBAL, lo);
        case TOKEN_NONLOCAL: parse_advance(p); return names_statement(p, AST_NONLOCAL, lo);
        case TOKEN_DEL: parse_advance(p); return del_statement(p, lo);
        case TOKEN_ASSERT: parse_advance(p); return assert_statement(p, lo);
        case TOKEN_IMPORT: parse_advance(p); return import_statement(p, lo);
        case TOKEN_FROM: parse_advance(p); return from_statement(p, lo);
        case TOKEN_MAGIC: return magic_statement(p, lo);
        default: return expression_statement(p);
    }
}

/* `match x:` and `type X = y`, whose first words are ordinary names. `first` is the first token. */
static ast_node *soft_statement(parser *p, const token *first) {
    if (first->kind != TOKEN_NAME || p->tok.kind == TOKEN_ERROR) return NULL;
    const char *word = intern_text(p->lex.names, first->sym);
    gpa_span at = {p->lex.src->id, first->lo, first->hi};
    if (strcmp(word, "type") == 0 && p->prev_hi == first->hi && p->tok.kind == TOKEN_NAME)
        return parse_left_out(p, at, "type aliases are not part of gpa: write an assignment");
    if (strcmp(word, "match") != 0) return NULL;
    token_kind last = TOKEN_ERROR;
    parse_mark m;
    parse_try(p, &m);
    for (; p->tok.kind != TOKEN_NEWLINE && p->tok.kind != TOKEN_END && p->tok.kind != TOKEN_ERROR;
         parse_advance(p))
        last = p->tok.kind;
    if (!parse_back(p, &m) || last != TOKEN_COLON) return NULL;
    return parse_left_out(p, at, "the match statement is not part of gpa: write if, elif and else");
}

/* simple_stmts: simple_stmt (';' simple_stmt)* [';'] NEWLINE */
bool parse_simple_statements(parser *p) {
    token first;
    do {
        first = p->tok;
        if (!parse_push(p, simple_statement(p))) return false;
    } while (parse_accept(p, TOKEN_SEMICOLON) && p->tok.kind != TOKEN_NEWLINE);
    if (p->tok.kind != TOKEN_NEWLINE) soft_statement(p, &first);
    return parse_expect(p, TOKEN_NEWLINE);
}
