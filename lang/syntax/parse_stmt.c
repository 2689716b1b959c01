/* Statements: simple statements, compound statements, imports, definitions. */
#include "lang/syntax/parse_state.h"
#include "lang/syntax/name_mangling.h"

#include "runtime/base/base.h"

/* ---- simple statements ---- */

/* A node of the statement that began at byte lo and ends at the last consumed token. */
static ast_node *wrap(parser *p, ast_kind kind, uint32_t lo) {
    return parse_new(p, kind, parse_span(p, lo));
}

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
    ast_node *n = wrap(p, AST_ASSIGN, lo);
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
    ast_node *n = value ? wrap(p, AST_AUGASSIGN, lo) : NULL;
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
    ast_node *n = wrap(p, AST_ANNASSIGN, lo);
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
    ast_node *n = wrap(p, AST_EXPR, lo);
    if (n) n->expr.value = left;
    return parse_done(p, n);
}

static ast_node *return_statement(parser *p, uint32_t lo) {
    ast_node *value = NULL;
    if (!ends_simple(p->tok.kind) && !(value = parse_star_expressions(p))) return NULL;
    ast_node *n = wrap(p, AST_RETURN, lo);
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
    ast_node *n = wrap(p, AST_RAISE, lo);
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
    ast_node *n = wrap(p, kind, lo);
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
    ast_node *n = wrap(p, AST_DEL, lo);
    if (!n || !parse_take(p, mark, &n->del.targets)) return NULL;
    return parse_done(p, n);
}

/* assert_stmt: 'assert' expression [',' expression] */
static ast_node *assert_statement(parser *p, uint32_t lo) {
    ast_node *message = NULL, *test = parse_expression(p);
    if (!test) return NULL;
    if (parse_accept(p, TOKEN_COMMA) && !(message = parse_expression(p))) return NULL;
    ast_node *n = wrap(p, AST_ASSERT, lo);
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
    ast_node *n = target ? wrap(p, AST_ALIAS, lo) : NULL;
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
    ast_node *n = wrap(p, AST_IMPORT, lo);
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
    ast_node *n = wrap(p, AST_FROM, lo);
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
    ast_node *n = wrap(p, AST_EXPR, lo);
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
            return wrap(p,
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
static bool simple_statements(parser *p) {
    token first;
    do {
        first = p->tok;
        if (!parse_push(p, simple_statement(p))) return false;
    } while (parse_accept(p, TOKEN_SEMICOLON) && p->tok.kind != TOKEN_NEWLINE);
    if (p->tok.kind != TOKEN_NEWLINE) soft_statement(p, &first);
    return parse_expect(p, TOKEN_NEWLINE);
}

/* ---- blocks ---- */

/* block: NEWLINE INDENT statement+ DEDENT | simple_stmts. `what` and `line` name the statement it
 * belongs to. */
static bool block(parser *p, const char *what, uint32_t at, ast_list *out) {
    size_t mark = p->n_items;
    if (!parse_accept(p, TOKEN_NEWLINE)) return simple_statements(p) && parse_take(p, mark, out);
    if (p->tok.kind == TOKEN_ERROR) return false;
    if (!parse_accept(p, TOKEN_INDENT)) {
        p->lex.at_end |= p->tok.kind == TOKEN_END || p->lex.at == p->lex.end;
        parse_fail(p, GPA_E_INDENTATION, parse_here(p),
                   "expected an indented block after %s on line %u", what, lex_line(&p->lex, at));
        return false;
    }
    if (!parse_enter(p)) return false;
    while (!parse_accept(p, TOKEN_DEDENT))
        if (!parse_statement(p)) return false;
    parse_leave(p);
    return parse_take(p, mark, out);
}

/* The ':' after a named expression or a list. A missing one at the end of the line has a message
 * of its own. */
static bool at_colon(parser *p) {
    if (p->tok.kind == TOKEN_COLON) return true;
    return p->tok.kind == TOKEN_NEWLINE ? parse_demand(p, TOKEN_COLON)
                                        : parse_unexpected(p) != NULL;
}

static bool colon(parser *p) { return at_colon(p) && parse_accept(p, TOKEN_COLON); }

/* else_block: 'else' ':' block */
static bool else_block(parser *p, ast_list *out) {
    uint32_t at = p->tok.lo;
    *out = (ast_list){NULL, 0};
    if (!parse_accept(p, TOKEN_ELSE)) return true;
    return parse_demand(p, TOKEN_COLON) && block(p, "'else' statement", at, out);
}

/* if_stmt: 'if' named_expression ':' block (elif_stmt | [else_block]); elif the same. Built from
 * the last branch. */
static ast_node *if_statement(parser *p) {
    size_t mark = p->n_items;
    ast_list other = {NULL, 0};
    while (p->n_items == mark || p->tok.kind == TOKEN_ELIF) {
        uint32_t lo = p->tok.lo;
        const char *what = p->tok.kind == TOKEN_IF ? "'if' statement" : "'elif' statement";
        parse_advance(p);
        ast_node *test = parse_named(p);
        ast_list body;
        if (!test || !colon(p) || !block(p, what, lo, &body)) return NULL;
        ast_node *n = wrap(p, AST_IF, lo);
        if (!parse_push(p, n)) return NULL;
        n->if_.test = test;
        n->if_.body = body;
    }
    if (!else_block(p, &other)) return NULL;
    uint32_t hi = p->prev_hi;
    ast_node *n = NULL;
    while (p->n_items > mark) {
        n = p->items[--p->n_items];
        n->if_.other = other;
        n->span.hi = hi;
        if (!parse_done(p, n)) return NULL;
        size_t top = p->n_items;
        if (top > mark && (!parse_push(p, n) || !parse_take(p, top, &other))) return NULL;
    }
    return n;
}

/* while_stmt: 'while' named_expression ':' block [else_block] */
static ast_node *while_statement(parser *p) {
    uint32_t lo = p->tok.lo;
    parse_advance(p);
    ast_list body, other;
    ast_node *test = parse_named(p);
    if (!test || !colon(p) || !block(p, "'while' statement", lo, &body) || !else_block(p, &other))
        return NULL;
    ast_node *n = wrap(p, AST_WHILE, lo);
    if (!n) return NULL;
    n->while_.test = test;
    n->while_.body = body;
    n->while_.other = other;
    return parse_done(p, n);
}

/* for_stmt: 'for' star_targets 'in' star_expressions ':' block [else_block] */
static ast_node *for_statement(parser *p) {
    uint32_t lo = p->tok.lo;
    parse_advance(p);
    ast_list body, other;
    ast_node *target = parse_for_targets(p);
    if (!target || !parse_expect(p, TOKEN_IN)) return NULL;
    ast_node *iter = parse_star_expressions(p);
    if (!iter || !colon(p) || !block(p, "'for' statement", lo, &body) || !else_block(p, &other))
        return NULL;
    ast_node *n = wrap(p, AST_FOR, lo);
    if (!n) return NULL;
    n->for_.target = target;
    n->for_.iter = iter;
    n->for_.body = body;
    n->for_.other = other;
    return parse_done(p, n);
}

/* with_item: expression ['as' star_target] */
static ast_node *with_item(parser *p) {
    uint32_t lo = p->tok.lo;
    ast_node *context = parse_expression(p), *target = NULL;
    if (!context) return NULL;
    if (parse_accept(p, TOKEN_AS)) {
        p->committed = true;
        if (!(target = parse_star_target(p))) return NULL;
        const ast_node *bad = parse_bad_target(target);
        if (bad) return parse_fail_target(p, bad);
    }
    ast_node *n = wrap(p, AST_WITHITEM, lo);
    if (!n) return NULL;
    n->withitem.context = context;
    n->withitem.target = target;
    return parse_done(p, n);
}

/* The items of a with, pushed; inside parentheses a trailing comma is allowed. False: not of
 * this form, or failed. */
static bool with_items(parser *p, bool group) {
    if (group) parse_advance(p);
    do {
        if (group && p->tok.kind == TOKEN_RPAR) break;
        if (!parse_push(p, with_item(p))) return false;
    } while (parse_accept(p, TOKEN_COMMA));
    if (!group) return true;
    if (!parse_expect(p, TOKEN_RPAR)) return false;
    return p->committed ? at_colon(p) : p->tok.kind == TOKEN_COLON;
}

/* with_stmt: 'with' ('(' with_item (',' with_item)* [','] ')' | with_item (',' with_item)*) ':'
 * block. Parentheses are first tried as the statement's own; if no ':' follows them they belong
 * to the first expression. */
static ast_node *with_statement(parser *p) {
    uint32_t lo = p->tok.lo;
    parse_advance(p);
    size_t mark = p->n_items;
    bool read = false;
    if (p->tok.kind == TOKEN_LPAR) {
        parse_mark m;
        parse_try(p, &m);
        p->committed = false;
        read = with_items(p, true) && p->n_items > mark;
        if (read || p->committed)
            parse_keep(p, &m);
        else if (!parse_back(p, &m))
            return NULL;
        if (!read && p->committed) return NULL;
    }
    if (!read && !with_items(p, false)) return NULL;
    ast_list items, body;
    if (!parse_take(p, mark, &items) || !colon(p) || !block(p, "'with' statement", lo, &body))
        return NULL;
    ast_node *n = wrap(p, AST_WITH, lo);
    if (!n) return NULL;
    n->with_.items = items;
    n->with_.body = body;
    return parse_done(p, n);
}

/* except_block: 'except' [expression ['as' NAME]] ':' block */
static ast_node *except_block(parser *p) {
    uint32_t lo = p->tok.lo;
    parse_advance(p);
    ast_node *type = NULL, *target = NULL;
    if (p->tok.kind == TOKEN_STAR)
        return parse_left_out(
            p, parse_here(p),
            "except* is not part of gpa: there are no exception groups; write except");
    if (p->tok.kind != TOKEN_COLON && p->tok.kind != TOKEN_NEWLINE) {
        if (!(type = parse_expression(p))) return NULL;
        if (p->tok.kind == TOKEN_COMMA) {
            parse_mark m;
            parse_try(p, &m);
            parse_advance(p);
            ast_node *last = parse_star_expressions(p);
            bool several = last && (p->tok.kind == TOKEN_COLON || p->tok.kind == TOKEN_AS);
            if (!parse_back(p, &m)) return NULL;
            return several ? parse_syntax(p, parse_range(type, last),
                                          "multiple exception types must be parenthesized")
                           : parse_unexpected(p);
        }
        if (parse_accept(p, TOKEN_AS)) {
            if (p->tok.kind != TOKEN_NAME) return parse_unexpected(p);
            target = parse_new(p, AST_NAME, parse_here(p));
            if (!target) return NULL;
            target->name.name = p->tok.sym;
            parse_advance(p);
        }
    }
    ast_list body;
    if (!colon(p) || !block(p, "'except' statement", lo, &body)) return NULL;
    ast_node *n = wrap(p, AST_EXCEPT, lo);
    if (!n) return NULL;
    n->except.type = type;
    n->except.target = target;
    n->except.body = body;
    return parse_done(p, n);
}

/* try_stmt: 'try' ':' block (finally_block | except_block+ [else_block] [finally_block]) */
static ast_node *try_statement(parser *p) {
    uint32_t lo = p->tok.lo;
    parse_advance(p);
    ast_list body, handlers, other = {NULL, 0}, final = {NULL, 0};
    if (!parse_demand(p, TOKEN_COLON) || !block(p, "'try' statement", lo, &body)) return NULL;
    size_t mark = p->n_items;
    while (p->tok.kind == TOKEN_EXCEPT)
        if (!parse_push(p, except_block(p))) return NULL;
    if (!parse_take(p, mark, &handlers)) return NULL;
    if (handlers.n && !else_block(p, &other)) return NULL;
    uint32_t final_lo = p->tok.lo;
    bool has_final = parse_accept(p, TOKEN_FINALLY);
    if (!handlers.n && !has_final) {
        if (p->tok.kind == TOKEN_ERROR) return NULL;
        p->lex.at_end |= p->tok.kind == TOKEN_END;
        return parse_syntax(p, parse_here(p), "expected 'except' or 'finally' block");
    }
    if (has_final &&
        (!parse_demand(p, TOKEN_COLON) || !block(p, "'finally' statement", final_lo, &final)))
        return NULL;
    ast_node *n = wrap(p, AST_TRY, lo);
    if (!n) return NULL;
    n->try_.body = body;
    n->try_.handlers = handlers;
    n->try_.other = other;
    n->try_.final = final;
    return parse_done(p, n);
}

ast_node *parse_docstring(ast_list body) {
    if (!body.n || body.at[0]->kind != AST_EXPR) return NULL;
    ast_node *value = body.at[0]->expr.value;
    return value->kind == AST_STRING ? value : NULL;
}

/* The keyword that begins a definition and the NAME after it, which is returned. */
static ast_node *defined_name(parser *p) {
    parse_advance(p);
    if (p->tok.kind != TOKEN_NAME) return parse_unexpected(p);
    ast_node *target = parse_new(p, AST_NAME, parse_here(p));
    if (!target) return NULL;
    target->name.name = p->tok.sym;
    parse_advance(p);
    if (p->tok.kind == TOKEN_LSQB)
        return parse_left_out(p, parse_here(p),
                              "type parameters are not part of gpa: leave them out");
    return target;
}

/* True at a block of the outermost level whose parsing is left for later. */
static bool is_left(const parser *p) {
    return p->library && p->tok.kind == TOKEN_NEWLINE && !p->lex.n_indents;
}

/* Leaves a block: consumes its text as if it had been parsed. */
static void leave_block(parser *p, gpa_span *rest, ast_list *body) {
    *body = (ast_list){NULL, 0};
    rest->src = p->lex.src->id;
    rest->lo = (uint32_t)(p->lex.at - p->lex.src->text);
    lex_skip_block(&p->lex);
    rest->hi = (uint32_t)(p->lex.at - p->lex.src->text);
    rest->hi -= p->lex.at[-1] == '\n';
    parse_advance(p);
    p->prev_hi = p->tok.lo; /* where a DEDENT ends */
}

/* function_def: 'def' NAME '(' [parameters] ')' ['->' expression] ':' block */
static ast_node *def_statement(parser *p, ast_list decorators, uint32_t lo) {
    uint32_t def_lo = p->tok.lo;
    ast_node *target = defined_name(p);
    if (!target || !parse_demand(p, TOKEN_LPAR)) return NULL;
    ast_list params, body;
    if (!parse_parameters(p, TOKEN_RPAR, &params) || !parse_expect(p, TOKEN_RPAR)) return NULL;
    ast_node *returns = NULL;
    gpa_span arrow = parse_here(p);
    if (parse_accept(p, TOKEN_ARROW)) {
        if (p->tok.kind == TOKEN_COLON) return parse_syntax(p, arrow, "expected ':'");
        if (!(returns = parse_expression(p))) return NULL;
    }
    gpa_span rest = {0};
    if (!parse_demand(p, TOKEN_COLON)) return NULL;
    if (is_left(p))
        leave_block(p, &rest, &body);
    else if (!block(p, "function definition", def_lo, &body))
        return NULL;
    ast_node *f = wrap(p, AST_FUNCTION, def_lo);
    if (!f) return NULL;
    f->function.rest = rest;
    f->function.name = target->name.name;
    f->function.params = params;
    f->function.returns = returns;
    f->function.body = body;
    f->function.doc = parse_docstring(body);
    ast_node *n = parse_done(p, f) ? wrap(p, AST_DEF, lo) : NULL;
    if (!n) return NULL;
    n->def.target = target;
    n->def.decorators = decorators;
    n->def.function = f;
    return parse_done(p, n);
}

/* The bases of a class, from '(' on: a TUPLE. */
static ast_node *class_bases(parser *p, ast_node *name) {
    uint32_t lo = p->tok.lo;
    ast_list bases = {NULL, 0};
    if (parse_accept(p, TOKEN_LPAR)) {
        ast_node *call = parse_call(p, name, lo);
        if (!call) return NULL;
        if (call->call.keywords.n)
            return parse_left_out(
                p, call->call.keywords.at[0]->span,
                "metaclasses and other keywords of a class are not part of gpa: derive it from "
                "another class (from abc.ABC, when it is abstract)");
        bases = call->call.args;
    }
    ast_node *n = wrap(p, AST_TUPLE, lo);
    if (n) n->tuple.items = bases;
    return parse_done(p, n);
}

/* class_def: 'class' NAME ['(' [arguments] ')'] ':' block */
static ast_node *class_statement(parser *p, ast_list decorators, uint32_t lo) {
    uint32_t class_lo = p->tok.lo;
    ast_node *target = defined_name(p);
    ast_node *bases = target ? class_bases(p, target) : NULL;
    ast_list body;
    if (!bases || !parse_demand(p, TOKEN_COLON) || !block(p, "class definition", class_lo, &body))
        return NULL;
    ast_node *n = wrap(p, AST_CLASS, lo);
    if (!n) return NULL;
    n->class_.name = target->name.name;
    n->class_.target = target;
    n->class_.decorators = decorators;
    n->class_.bases = bases;
    n->class_.body = body;
    n->class_.doc = parse_docstring(body);
    if (!mangle_names(p->lex.names, target->name.name, body)) {
        gpa_no_memory(p->err);
        return NULL;
    }
    return parse_done(p, n);
}

/* decorators: ('@' named_expression NEWLINE)+ (function_def | class_def) */
static ast_node *decorated(parser *p) {
    uint32_t lo = p->tok.lo;
    size_t mark = p->n_items;
    while (parse_accept(p, TOKEN_AT))
        if (!parse_push(p, parse_named(p)) || !parse_expect(p, TOKEN_NEWLINE)) return NULL;
    ast_list decorators;
    if (!parse_take(p, mark, &decorators)) return NULL;
    if (p->tok.kind == TOKEN_ASYNC) return parse_refuse(p);
    if (p->tok.kind == TOKEN_CLASS) return class_statement(p, decorators, lo);
    p->lex.at_end |= p->tok.kind == TOKEN_END;
    return p->tok.kind == TOKEN_DEF ? def_statement(p, decorators, lo) : parse_unexpected(p);
}

/* statement: a compound statement, or simple_stmts */
bool parse_statement(parser *p) {
    switch (p->tok.kind) {
        case TOKEN_IF: return parse_push(p, if_statement(p));
        case TOKEN_WHILE: return parse_push(p, while_statement(p));
        case TOKEN_FOR: return parse_push(p, for_statement(p));
        case TOKEN_WITH: return parse_push(p, with_statement(p));
        case TOKEN_TRY: return parse_push(p, try_statement(p));
        case TOKEN_DEF: return parse_push(p, def_statement(p, (ast_list){NULL, 0}, p->tok.lo));
        case TOKEN_AT: return parse_push(p, decorated(p));
        case TOKEN_CLASS: return parse_push(p, class_statement(p, (ast_list){NULL, 0}, p->tok.lo));
        case TOKEN_ASYNC: return parse_refuse(p) != NULL;
        default: return simple_statements(p);
    }
}
