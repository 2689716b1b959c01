/* Compound statements: if, while, for, with, try, function and class definitions. */
#include "lang/syntax/parse_state.h"
#include "lang/syntax/name_mangling.h"

/* block: NEWLINE INDENT statement+ DEDENT | simple_stmts. `what` and `line` name the statement it
 * belongs to. */
static bool block(parser *p, const char *what, uint32_t at, ast_list *out) {
    size_t mark = p->n_items;
    if (!parse_accept(p, TOKEN_NEWLINE))
        return parse_simple_statements(p) && parse_take(p, mark, out);
    if (p->tok.kind == TOKEN_ERROR) return false;
    if (!parse_accept(p, TOKEN_INDENT)) {
        p->lex.at_end |=
            p->tok.kind == TOKEN_END || (p->tok.kind == TOKEN_DEDENT && p->lex.at == p->lex.end);
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
        ast_node *n = parse_new_from(p, AST_IF, lo);
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
    ast_node *n = parse_new_from(p, AST_WHILE, lo);
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
    ast_node *n = parse_new_from(p, AST_FOR, lo);
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
    ast_node *n = parse_new_from(p, AST_WITHITEM, lo);
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
    ast_node *n = parse_new_from(p, AST_WITH, lo);
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
    ast_node *n = parse_new_from(p, AST_EXCEPT, lo);
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
    ast_node *n = parse_new_from(p, AST_TRY, lo);
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
    ast_node *f = parse_new_from(p, AST_FUNCTION, def_lo);
    if (!f) return NULL;
    f->function.rest = rest;
    f->function.name = target->name.name;
    f->function.params = params;
    f->function.returns = returns;
    f->function.body = body;
    f->function.doc = parse_docstring(body);
    ast_node *n = parse_done(p, f) ? parse_new_from(p, AST_DEF, lo) : NULL;
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
    ast_node *n = parse_new_from(p, AST_TUPLE, lo);
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
    ast_node *n = parse_new_from(p, AST_CLASS, lo);
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
        default: return parse_simple_statements(p);
    }
}
