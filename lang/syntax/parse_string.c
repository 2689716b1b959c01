/* String literals: adjacent literals are concatenated, and f-strings are split into text and
 * fields. */
#include "lang/syntax/parse_state.h"

#include "runtime/base/base.h"

/* kind: STRING or BYTES, which have the same field. */
static ast_node *text_node(parser *p, ast_kind kind, gpa_span span, ast_text text) {
    ast_node *n = parse_new(p, kind, span);
    if (n) n->string.text = text;
    return n;
}

static bool push_text(parser *p, ast_kind kind, gpa_span span, ast_text text) {
    return parse_push(p, text_node(p, kind, span, text));
}

static bool is_text(const ast_node *n) { return n->kind == AST_STRING || n->kind == AST_BYTES; }

/* Concatenates the text nodes at items[from .. to). */
static ast_node *merge(parser *p, size_t from, size_t to) {
    ast_node *first = p->items[from];
    if (to - from == 1) return first;
    size_t len = 0;
    for (size_t i = from; i < to; i++) len += p->items[i]->string.text.len;
    char *all = arena_alloc(p->arena, len + 1), *at = all;
    if (!all) {
        gpa_no_memory(p->err);
        return NULL;
    }
    for (size_t i = from; i < to; i++) {
        ast_text t = p->items[i]->string.text;
        if (t.len) memcpy(at, t.at, t.len);
        at += t.len;
    }
    first->string.text = (ast_text){all, (uint32_t)len};
    first->span.hi = p->items[to - 1]->span.hi;
    return first;
}

/* Concatenates adjacent text nodes since `mark` and drops empty ones. */
static bool merge_runs(parser *p, size_t mark) {
    size_t kept = mark;
    for (size_t i = mark; i < p->n_items;) {
        size_t run = i;
        while (run < p->n_items && is_text(p->items[run])) run++;
        ast_node *n = run > i ? merge(p, i, run) : p->items[i];
        if (!n) return false;
        if (!is_text(n) || n->string.text.len) p->items[kept++] = n;
        i = run > i ? run : i + 1;
    }
    p->n_items = kept;
    return true;
}

/* The parts since `mark` as one node: a STRING if no part is a formatted field. */
static ast_node *join(parser *p, size_t mark, gpa_span span, bool format) {
    if (!merge_runs(p, mark)) return NULL;
    if (!format) {
        ast_text text = p->n_items > mark ? p->items[mark]->string.text : (ast_text){"", 0};
        p->n_items = mark;
        return text_node(p, AST_STRING, span, text);
    }
    ast_node *node = parse_new(p, AST_FSTRING, span);
    if (!node || !parse_take(p, mark, &node->fstring.parts)) return NULL;
    return parse_done(p, node);
}

static bool field(parser *p);

/* The format specification of a field, after its colon and up to its closing brace. NULL with
 * *empty if there is none. */
static ast_node *specification(parser *p, bool *empty) {
    size_t mark = p->n_items;
    uint32_t lo = p->prev_hi;
    bool format = false;
    while (p->tok.kind == TOKEN_FTEXT || p->tok.kind == TOKEN_LBRACE) {
        if (p->tok.kind == TOKEN_LBRACE) {
            format = true;
            if (!field(p)) return NULL;
        } else {
            if (!push_text(p, AST_STRING, parse_here(p), p->tok.text)) return NULL;
            parse_advance(p);
        }
    }
    *empty = p->n_items == mark;
    if (p->tok.kind != TOKEN_RBRACE)
        return p->tok.kind == TOKEN_ERROR
                   ? NULL
                   : parse_syntax(p, parse_here(p), "f-string: expecting '}', or format specs");
    return *empty ? NULL : join(p, mark, parse_span(p, lo), format);
}

/* '!' NAME; 0 on failure. The current token is the '!'. */
static uint32_t conversion(parser *p) {
    uint32_t bang = p->tok.hi;
    gpa_span at = parse_here(p);
    parse_advance(p);
    if (p->tok.kind == TOKEN_COLON || p->tok.kind == TOKEN_RBRACE) {
        parse_syntax(p, at, "f-string: missing conversion character");
        return 0;
    }
    if (p->tok.kind != TOKEN_NAME) {
        if (p->tok.kind != TOKEN_ERROR)
            parse_syntax(p, at, "f-string: invalid conversion character");
        return 0;
    }
    at = parse_here(p);
    if (at.lo != bang) {
        parse_syntax(p, at,
                     "f-string: conversion type must come right after the exclamanation mark");
        return 0;
    }
    const char *name = intern_text(p->lex.names, p->tok.sym);
    if (name[1] || !strchr("rsa", name[0])) {
        parse_syntax(p, at,
                     "f-string: invalid conversion character '%.100s': expected 's', 'r', or 'a'",
                     name);
        return 0;
    }
    parse_advance(p);
    return (uint32_t)name[0];
}

static bool expecting(parser *p, const char *what) {
    if (p->tok.kind != TOKEN_ERROR) parse_syntax(p, parse_here(p), "f-string: expecting %s", what);
    return false;
}

/* The expression of a field, and for {x=} its source text with '='. */
static ast_node *field_value(parser *p) {
    token_kind first = p->tok.kind;
    if (first == TOKEN_ASSIGN || first == TOKEN_BANG || first == TOKEN_COLON ||
        first == TOKEN_RBRACE)
        return parse_syntax(p, parse_here(p), "f-string: valid expression required before '%s'",
                            token_info[first].text);
    if (p->tok.kind == TOKEN_YIELD) return parse_yield(p);
    if (!parse_starts_expression(p->tok.kind) && p->tok.kind != TOKEN_STAR &&
        p->tok.kind != TOKEN_ERROR && p->tok.kind != TOKEN_AWAIT)
        return parse_syntax(p, parse_here(p), "f-string: expecting a valid expression after '{'");
    return parse_star_expressions(p);
}

/* The expression of a field failed: CPython names the tokens that may follow its valid prefix, if
 * it has one. */
static bool fail_value(parser *p, token_kind first) {
    if (!p->plain || p->trial) return false;
    gpa_err_clear(p->err);
    bool begins_late = first == TOKEN_PLUS || first == TOKEN_MINUS || first == TOKEN_TILDE ||
                       first == TOKEN_NOT || first == TOKEN_LAMBDA || first == TOKEN_STAR;
    return expecting(p,
                     begins_late ? "a valid expression after '{'" : "'=', or '!', or ':', or '}'");
}

/* replacement_field: '{' star_expressions ['='] ['!' NAME] [':' specification] '}', pushed */
static bool field(parser *p) {
    uint32_t lo = p->tok.lo, text_lo = p->tok.hi;
    if (!parse_enter(p)) return false;
    parse_advance(p);
    token_kind first = p->tok.kind;
    ast_node *value = field_value(p);
    if (!value) return fail_value(p, first);
    token_kind next = p->tok.kind;
    if (next != TOKEN_ASSIGN && next != TOKEN_BANG && next != TOKEN_COLON && next != TOKEN_RBRACE)
        return expecting(p, "'=', or '!', or ':', or '}'");
    bool debug = parse_accept(p, TOKEN_ASSIGN);
    if (debug) {
        next = p->tok.kind;
        if (next != TOKEN_BANG && next != TOKEN_COLON && next != TOKEN_RBRACE)
            return expecting(p, "'!', or ':', or '}'");
        const char *text = p->lex.src->text + text_lo;
        ast_text shown = {arena_text(p->arena, text, p->tok.lo - text_lo), p->tok.lo - text_lo};
        if (!shown.at) return gpa_no_memory(p->err) == GPA_OK;
        if (!push_text(p, AST_STRING, (gpa_span){p->lex.src->id, text_lo, p->tok.lo}, shown))
            return false;
    }
    uint32_t letter = 0;
    if (p->tok.kind == TOKEN_BANG) {
        if (!(letter = conversion(p))) return false;
        if (p->tok.kind != TOKEN_COLON && p->tok.kind != TOKEN_RBRACE)
            return expecting(p, "':' or '}'");
    }
    ast_node *spec = NULL;
    bool empty = true, has_spec = parse_accept(p, TOKEN_COLON);
    if (has_spec && !(spec = specification(p, &empty)) && !(empty && p->tok.kind == TOKEN_RBRACE))
        return false;
    if (!parse_expect(p, TOKEN_RBRACE)) return false;
    ast_node *n = parse_new(p, AST_FIELD, parse_span(p, lo));
    if (!n) return false;
    n->field.value = value;
    n->field.conversion = debug && !letter && !has_spec ? 'r' : letter;
    n->field.spec = spec;
    parse_leave(p);
    return parse_push(p, parse_done(p, n));
}

/* fstring: FSTRING (FTEXT | replacement_field)* FEND, its parts pushed */
static bool fstring(parser *p) {
    parse_advance(p);
    while (p->tok.kind != TOKEN_FEND) {
        if (p->tok.kind == TOKEN_LBRACE) {
            if (!field(p)) return false;
        } else if (p->tok.kind == TOKEN_FTEXT) {
            if (!push_text(p, AST_STRING, parse_here(p), p->tok.text)) return false;
            parse_advance(p);
        } else {
            return parse_unexpected(p) != NULL;
        }
    }
    parse_advance(p);
    return true;
}

/* strings: (STRING | fstring)+ | BYTES+ */
ast_node *parse_strings(parser *p) {
    uint32_t lo = p->tok.lo;
    size_t mark = p->n_items;
    bool bytes = false, text = false, format = false;
    for (;;) {
        if (p->tok.kind == TOKEN_FSTRING) {
            text = format = true;
            if (!fstring(p)) return NULL;
        } else if (p->tok.kind == TOKEN_STRING || p->tok.kind == TOKEN_BYTES) {
            ast_kind kind = p->tok.kind == TOKEN_BYTES ? AST_BYTES : AST_STRING;
            bytes |= kind == AST_BYTES;
            text |= kind == AST_STRING;
            if (!push_text(p, kind, parse_here(p), p->tok.text)) return NULL;
            parse_advance(p);
        } else {
            break;
        }
    }
    gpa_span span = parse_span(p, lo);
    if (bytes && text) return parse_syntax(p, span, "cannot mix bytes and nonbytes literals");
    ast_node *n = join(p, mark, span, format);
    if (n && bytes) n->kind = AST_BYTES;
    return n;
}
