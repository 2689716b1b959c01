/* Specific messages for common syntax errors, in CPython's words and by its rules (invalid_* in
 * its grammar). */
#include "lang/syntax/parse_state.h"

#include "runtime/base/base.h"

const ast_node *parse_bad_target(const ast_node *n) {
    if (n->kind == AST_NAME || n->kind == AST_ATTR || n->kind == AST_INDEX) return NULL;
    if (n->kind == AST_STARRED) return parse_bad_target(n->starred.value);
    if (n->kind != AST_TUPLE && n->kind != AST_LIST) return n;
    ast_list items = n->kind == AST_TUPLE ? n->tuple.items : n->list.items;
    for (uint32_t i = 0; i < items.n; i++) {
        const ast_node *bad = parse_bad_target(items.at[i]);
        if (bad) return bad;
    }
    return NULL;
}

ast_node *parse_fail_target(parser *p, const ast_node *bad) {
    return parse_syntax(p, bad->span, "cannot assign to %s", ast_what((ast_kind)bad->kind));
}

/* True if the grammar's bitwise_or derives n: not a comparison, boolean operator, conditional or
 * lambda. */
static bool is_bitwise_or(const parser *p, const ast_node *n) {
    if (parse_is_group(p, n)) return true;
    bool looser = n->kind == AST_STARRED || n->kind == AST_COMPARE || n->kind == AST_BOOLOP ||
                  n->kind == AST_IFEXP || n->kind == AST_FUNCTION || n->kind == AST_NAMED;
    return !looser && !(n->kind == AST_UNARY && n->unary.op == AST_OP_NOT);
}

/* Parses `= bitwise_or`, which no other '=' may follow, or `:= expression`. NULL: not of this
 * form, or the error is set. */
static const ast_node *value_after_assign(parser *p, bool *failed) {
    parse_mark m;
    parse_try(p, &m);
    p->trial = true;
    bool walrus = parse_accept(p, TOKEN_WALRUS);
    if (!walrus) parse_advance(p);
    const ast_node *value = walrus ? parse_expression(p) : parse_binary(p, 1);
    if (!walrus && (p->tok.kind == TOKEN_ASSIGN || p->tok.kind == TOKEN_WALRUS)) value = NULL;
    *failed = !parse_back(p, &m);
    return value;
}

ast_node *parse_stray_assign(parser *p, ast_node *n) {
    bool name = n->kind == AST_NAME && !parse_is_group(p, n), walrus = p->tok.kind == TOKEN_WALRUS,
         failed;
    if (p->trial || (walrus && name)) return n;
    const ast_node *value = value_after_assign(p, &failed);
    if (failed) return NULL;
    if (!value) return n;
    if (walrus)
        return parse_syntax(p, n->span, "cannot use assignment expressions with %s",
                            ast_what((ast_kind)n->kind));
    if (name)
        return parse_syntax(p, parse_range(n, value),
                            "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
    bool other = n->kind == AST_LIST || n->kind == AST_TUPLE || n->kind == AST_GENEXP ||
                 n->kind == AST_TRUE || n->kind == AST_FALSE ||
                 n->kind == AST_NONE; /* kinds that are no plausible comparison operand */
    if (other || !is_bitwise_or(p, n)) return n;
    return parse_syntax(p, n->span,
                        "cannot assign to %s here. Maybe you meant '==' instead of '='?",
                        ast_what((ast_kind)n->kind));
}

static bool is_soft_keyword(const parser *p, const token *t) {
    if (t->kind != TOKEN_NAME) return false;
    const char *name = intern_text(p->lex.names, t->sym);
    return strcmp(name, "match") == 0 || strcmp(name, "case") == 0 || strcmp(name, "type") == 0 ||
           strcmp(name, "_") == 0;
}

/* Python 2's statements that became functions. */
static const char *legacy_statement(const parser *p, const ast_node *n) {
    if (n->kind != AST_NAME || parse_is_group(p, n)) return NULL;
    const char *name = intern_text(p->lex.names, n->name.name);
    return strcmp(name, "print") == 0 || strcmp(name, "exec") == 0 ? name : NULL;
}

ast_node *parse_run_on(parser *p, ast_node *n, const token *first) {
    if (p->trial) return n;
    const char *legacy = legacy_statement(p, n);
    bool text_prefix =
        n->kind == AST_NAME &&
        (p->tok.kind == TOKEN_STRING || p->tok.kind == TOKEN_BYTES || p->tok.kind == TOKEN_FSTRING);
    if (!legacy && (text_prefix || is_soft_keyword(p, first))) return n;
    parse_mark m;
    parse_try(p, &m);
    p->trial = true;
    const ast_node *next = legacy ? parse_star_expressions(p) : parse_expression(p);
    bool inside = p->prev_level > 0;
    if (!parse_back(p, &m)) return NULL;
    if (!next) return n;
    if (legacy)
        return parse_syntax(p, parse_range(n, next),
                            "Missing parentheses in call to '%s'. Did you mean %s(...)?", legacy,
                            legacy);
    return inside ? parse_syntax(p, parse_range(n, next),
                                 "invalid syntax. Perhaps you forgot a comma?")
                  : n;
}
