/* The parser's internal interface: its state, and the grammar rules that other files call.
 *
 * Every rule returns its node, or NULL when it failed and the error is set. The current token is
 * p->tok; the lexer has read no token after it, so a copy of the lexer and the token is a
 * backtracking point (parse_mark). */
#ifndef GPA_SYNTAX_PARSE_STATE_H
#define GPA_SYNTAX_PARSE_STATE_H

#include "lang/syntax/ast.h"
#include "lang/syntax/lex.h"
#include "lang/syntax/parse.h"

typedef struct {
    lexer lex;
    token tok;
    uint32_t prev_hi; /* where the last consumed token ends */
    token_kind prev_kind;
    uint8_t level,
        prev_level;    /* open brackets after the current and after the last consumed token */
    uint16_t depth;    /* nesting depth of rules */
    uint32_t furthest; /* start of the last token read, including lookahead */
    bool plain;     /* the failure is "invalid syntax", which a more specific message may replace */
    bool committed; /* an `as` was consumed: only a with statement can have it inside parentheses */
    bool refused;   /* the failure is a construct that gpa does not support */
    bool trial;     /* parsing ahead only to word a message: do not nest */
    bool library;   /* parse_options.library */
    arena *arena;
    gpa_err *err;
    const ast_node *group; /* the last expression in parentheses of its own */
    ast_node **items;      /* lists under construction, as a stack */
    size_t n_items, cap_items;
} parser;

/* ---- parse.c: tokens, nodes, failures ---- */

void parse_advance(parser *p);
/* Consumes the current token if it is of this kind. */
bool parse_accept(parser *p, token_kind kind);
/* The same; any other token is an error. */
bool parse_expect(parser *p, token_kind kind);
/* Any other token is the error "expected 'text'". */
bool parse_demand(parser *p, token_kind kind);

/* From byte lo to the end of the last consumed token; and that of the current token. */
gpa_span parse_span(const parser *p, uint32_t lo);
gpa_span parse_here(const parser *p);
gpa_span parse_range(const ast_node *first, const ast_node *last);

ast_node *parse_new(parser *p, ast_kind kind, gpa_span span);
/* The same for a node that began at byte lo and ends at the last consumed token. */
ast_node *parse_new_from(parser *p, ast_kind kind, uint32_t lo);
/* Call once the fields of a composite node are set: checks its height. NULL in, NULL out. */
ast_node *parse_done(parser *p, ast_node *n);
/* NULL when rules are nested too deeply; pairs with parse_leave. */
bool parse_enter(parser *p);
void parse_leave(parser *p);
/* A list under construction: nodes pushed since `mark` (p->n_items at its start) become *out.
 * False: out of memory, or the node pushed is NULL. */
bool parse_push(parser *p, ast_node *n);
bool parse_take(parser *p, size_t mark, ast_list *out);

/* Record an error; all return NULL. parse_unexpected is the plain "invalid syntax" at the
 * current token. */
ast_node *parse_fail(parser *p, gpa_code code, gpa_span at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
ast_node *parse_syntax(parser *p, gpa_span at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
ast_node *parse_unexpected(parser *p);
/* At a keyword that gpa does not support (async, await): fails with that message. */
ast_node *parse_refuse(parser *p);
/* The same for constructs without a keyword: `what` is the message. */
ast_node *parse_left_out(parser *p, gpa_span at, const char *what);

/* A backtracking point. Between parse_try and parse_back, failures jump to it. */
typedef struct {
    lexer lex;
    token tok;
    uint32_t prev_hi;
    token_kind prev_kind;
    uint8_t level, prev_level;
    uint16_t depth;
    bool trial;
    const ast_node *group;
    size_t n_items;
    gpa_err *outer, err;
} parse_mark;
void parse_try(parser *p, parse_mark *m);
/* Returns to the mark. False: the lexer failed while reading ahead; this is the parser's error
 * now. */
bool parse_back(parser *p, parse_mark *m);
/* Drops the mark and continues from the current token. */
void parse_keep(parser *p, parse_mark *m);

/* ---- parse_expr.c ---- */

ast_node *parse_expression(parser *p);
ast_node *parse_named(parser *p);
ast_node *parse_star_named(parser *p);
ast_node *parse_disjunction(parser *p);
/* binary operators of at least this binding power; 1: all (the grammar's bitwise_or) */
ast_node *parse_binary(parser *p, int bind);
/* a, *b, c: one expression, or a TUPLE where there is a comma. */
ast_node *parse_star_expressions(parser *p);
/* At `yield`: the expression with its operand. */
ast_node *parse_yield(parser *p);
/* One target, possibly starred, as an expression. */
ast_node *parse_star_target(parser *p);
/* The targets of a for, up to `in`. */
ast_node *parse_for_targets(parser *p);
/* for x in y if z ...: CLAUSE nodes. */
bool parse_clauses(parser *p, ast_list *out);
bool parse_starts_expression(token_kind kind);
bool parse_is_group(const parser *p, const ast_node *n);

/* ---- parse_call.c: arguments and parameters ---- */

/* The arguments of a call, after '(' and through ')'; lo: the first byte of the call. */
ast_node *parse_call(parser *p, ast_node *func, uint32_t lo);
/* Parameters up to `closer` (')' of a def, ':' of a lambda), which is not consumed. */
bool parse_parameters(parser *p, token_kind closer, ast_list *out);

/* ---- parse_string.c ---- */

/* Adjacent string literals and f-strings as one node. */
ast_node *parse_strings(parser *p);

/* ---- parse_error.c: error messages ---- */

/* The part of n that is no valid assignment target; NULL if n is valid. */
const ast_node *parse_bad_target(const ast_node *n);
/* Fails with "cannot assign to ...". */
ast_node *parse_fail_target(parser *p, const ast_node *bad);
/* At '=' or ':=' after an expression where none is allowed; NULL after an error, n when another
 * rule reports it. */
ast_node *parse_stray_assign(parser *p, ast_node *n);
/* At the start of an expression directly after expression n: a missing comma, Python 2's print.
 * As above. */
ast_node *parse_run_on(parser *p, ast_node *n, const token *first);

/* ---- parse_stmt.c ---- */

/* The statements of one logical line, up to its NEWLINE, pushed on p->items. */
bool parse_simple_statements(parser *p);

/* ---- parse_compound.c ---- */

/* The statements of one logical line, or one compound statement, pushed on p->items. */
bool parse_statement(parser *p);
/* The docstring of a body: a string that is its first statement; or NULL. */
ast_node *parse_docstring(ast_list body);

#endif
