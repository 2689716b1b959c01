/* The parser's core: tokens, nodes, failures; parsing of whole modules, and the completeness
 * check of a prompt.
 *
 * Like CPython's, the parser stops at its first error and then lets the lexer read on: an
 * unclosed bracket or a stray quote explains more than the token at which the grammar failed. */
#include "lang/syntax/parse.h"

#include "lang/syntax/parse_state.h"
#include "lang/syntax/scope.h"
#include "lang/text/unicode.h"
#include "runtime/base/base.h"

/* ---- tokens ---- */

void parse_advance(parser *p) {
    p->prev_hi = p->tok.hi;
    p->prev_kind = p->tok.kind;
    p->prev_level = p->level;
    lex_next(&p->lex, &p->tok);
    p->furthest = MAX(p->furthest, p->tok.lo);
    p->level = p->lex.n_brackets;
}

bool parse_accept(parser *p, token_kind kind) {
    if (p->tok.kind != kind) return false;
    parse_advance(p);
    return true;
}

bool parse_expect(parser *p, token_kind kind) {
    if (parse_accept(p, kind)) return true;
    parse_unexpected(p);
    return false;
}

bool parse_demand(parser *p, token_kind kind) {
    if (parse_accept(p, kind)) return true;
    if (p->tok.kind != TOKEN_ERROR)
        parse_syntax(p, parse_here(p), "expected '%s'", token_info[kind].text);
    return false;
}

gpa_span parse_span(const parser *p, uint32_t lo) {
    return (gpa_span){p->lex.src->id, lo, p->prev_hi};
}

gpa_span parse_here(const parser *p) { return (gpa_span){p->lex.src->id, p->tok.lo, p->tok.hi}; }

gpa_span parse_range(const ast_node *first, const ast_node *last) {
    return (gpa_span){first->span.src, first->span.lo, last->span.hi};
}

/* ---- nodes ---- */

ast_node *parse_new(parser *p, ast_kind kind, gpa_span span) {
    ast_node *n = ast_new(p->arena, kind, span);
    if (!n) gpa_no_memory(p->err);
    return n;
}

ast_node *parse_new_from(parser *p, ast_kind kind, uint32_t lo) {
    return parse_new(p, kind, parse_span(p, lo));
}

static ast_node *fail_depth(parser *p, gpa_span at) {
    return parse_fail(p, GPA_E_RECURSION, at,
                      "maximum recursion depth exceeded during compilation");
}

ast_node *parse_done(parser *p, ast_node *n) {
    if (!n || ast_seal(n)) return n;
    return fail_depth(p, n->span);
}

bool parse_enter(parser *p) {
    if (++p->depth <= AST_MAX_HEIGHT) return true;
    fail_depth(p, parse_here(p));
    return false;
}

void parse_leave(parser *p) { p->depth--; }

bool parse_push(parser *p, ast_node *n) {
    if (!n) return false;
    if (!mem_grow(&p->items, p->n_items, &p->cap_items, sizeof *p->items)) {
        gpa_no_memory(p->err);
        return false;
    }
    p->items[p->n_items++] = n;
    return true;
}

bool parse_take(parser *p, size_t mark, ast_list *out) {
    size_t n = p->n_items - mark;
    *out = (ast_list){NULL, (uint32_t)n};
    p->n_items = mark;
    if (n == 0) return true;
    out->at = arena_alloc(p->arena, n * sizeof *out->at);
    if (!out->at) {
        gpa_no_memory(p->err);
        return false;
    }
    memcpy(out->at, p->items + mark, n * sizeof *out->at);
    return true;
}

/* ---- failures ---- */

static ast_node *failv(parser *p, gpa_code code, gpa_span at, const char *fmt, va_list ap) {
    gpa_failv(p->err, code, fmt, ap);
    gpa_fail_at(p->err, at);
    return NULL;
}

ast_node *parse_fail(parser *p, gpa_code code, gpa_span at, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    failv(p, code, at, fmt, ap);
    va_end(ap);
    return NULL;
}

ast_node *parse_syntax(parser *p, gpa_span at, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    failv(p, GPA_E_SYNTAX, at, fmt, ap);
    va_end(ap);
    return NULL;
}

ast_node *parse_unexpected(parser *p) {
    if (p->tok.kind == TOKEN_ERROR) return NULL;
    if (p->tok.kind == TOKEN_INDENT)
        return parse_fail(p, GPA_E_INDENTATION, parse_here(p), "unexpected indent");
    if (p->tok.kind == TOKEN_DEDENT)
        return parse_fail(p, GPA_E_INDENTATION, parse_here(p), "unexpected unindent");
    p->plain = !p->err->code;
    return parse_syntax(p, parse_here(p), "invalid syntax");
}

ast_node *parse_left_out(parser *p, gpa_span at, const char *what) {
    p->refused = true;
    return parse_syntax(p, at, "%s", what);
}

ast_node *parse_refuse(parser *p) {
    return parse_left_out(p, parse_here(p),
                          "async and await are not part of gpa: work on arrays is queued, and "
                          "waited for when its values are needed");
}

/* ---- backtracking ---- */

void parse_try(parser *p, parse_mark *m) {
    *m = (parse_mark){p->lex,   p->tok,   p->prev_hi, p->prev_kind, p->level, p->prev_level,
                      p->depth, p->trial, p->group,   p->n_items,   p->err,   {.code = GPA_OK}};
    p->err = p->lex.err = &m->err;
}

bool parse_back(parser *p, parse_mark *m) {
    bool lexer_failed = m->err.code && (p->tok.kind == TOKEN_ERROR || m->err.code == GPA_E_MEMORY);
    bool at_end = p->lex.at_end;
    p->lex = m->lex;
    p->tok = m->tok;
    p->prev_hi = m->prev_hi;
    p->prev_kind = m->prev_kind;
    p->level = m->level;
    p->prev_level = m->prev_level;
    p->depth = m->depth;
    p->trial = m->trial;
    p->group = m->group;
    p->n_items = m->n_items;
    p->err = m->outer;
    p->lex.err = m->outer;
    if (!lexer_failed) return true;
    if (!p->err->code) *p->err = m->err;
    p->lex.at_end = at_end;
    p->tok.kind = TOKEN_ERROR;
    return false;
}

void parse_keep(parser *p, parse_mark *m) {
    if (m->err.code && !m->outer->code) *m->outer = m->err;
    p->err = p->lex.err = m->outer;
}

/* ---- modules ---- */

/* After a failure of the grammar: an error of the lexer further on takes precedence. */
static void blame_lexer(parser *p) {
    token_kind at = p->tok.kind;
    if (at == TOKEN_ERROR || at == TOKEN_INDENT || at == TOKEN_DEDENT || p->refused ||
        !gpa_err_is(p->err->code, GPA_E_SYNTAX))
        return;
    uint32_t line = lex_line(&p->lex, p->furthest);
    gpa_err found = {.code = GPA_OK};
    bool at_end = p->lex.at_end;
    p->lex.err = &found;
    p->lex.at_end = false;
    while (p->tok.kind != TOKEN_END && p->tok.kind != TOKEN_ERROR) lex_next(&p->lex, &p->tok);
    bool open = p->lex.at_end && p->lex.n_brackets > 0;
    bool better = found.code && !gpa_err_is(found.code, GPA_E_INDENTATION) &&
                  !(open && line <= lex_line(&p->lex, found.span.lo));
    if (better)
        *p->err = found;
    else
        p->lex.at_end = at_end;
    p->lex.err = p->err;
}

/* The text must be UTF-8 without zero bytes. */
static gpa_code check_text(const source *s, gpa_err *e) {
    const char *end = s->text + s->len;
    for (const char *p = s->text; p < end;) {
        uint32_t cp;
        size_t n = utf8_get(p, end, &cp);
        if (n == 1 && *p == 0) {
            gpa_fail(e, GPA_E_SYNTAX, "source code string cannot contain null bytes");
        } else if (n == 0) {
            gpa_fail(e, GPA_E_SYNTAX,
                     "(unicode error) 'utf-8' codec can't decode byte 0x%02x in position %zu: "
                     "invalid start byte",
                     (unsigned)(unsigned char)*p, (size_t)(p - s->text));
        } else {
            p += n;
            continue;
        }
        return gpa_fail_at(e,
                           (gpa_span){s->id, (uint32_t)(p - s->text), (uint32_t)(p - s->text) + 1});
    }
    return GPA_OK;
}

static ast_module *module_new(const source *s) {
    ast_module *m = mem_zero(sizeof *m);
    if (!m) return NULL;
    m->refs = 1;
    m->src = s->id;
    m->arena = arena_new();
    if (m->arena) return m;
    mem_free(m);
    return NULL;
}

/* file: statement* END */
static bool statements(parser *p, ast_module *m) {
    parse_advance(p);
    while (p->tok.kind != TOKEN_END)
        if (!parse_statement(p)) return false;
    if (!parse_take(p, 0, &m->body)) return false;
    m->doc = parse_docstring(m->body);
    return true;
}

/* How a text ended, for a prompt. */
typedef struct {
    bool at_end; /* it failed because the text ended */
    bool in_block;
} ending;

static gpa_code parse(const source *s, intern *names, const parse_options *o, ast_module **out,
                      ending *how, gpa_err *e) {
    gpa_err own = {.code = GPA_OK};
    ast_module *m = NULL;
    parser *p = NULL;
    *how = (ending){false, false};
    gpa_code rc = o && o->library ? GPA_OK : check_text(s, &own);
    if (rc) goto out;
    m = module_new(s);
    p = mem_zero(sizeof *p);
    if (!m || !p) {
        rc = gpa_no_memory(&own);
        goto out;
    }
    lex_start(&p->lex, s, names, m->arena, o && o->magics, &own);
    if (o && o->to) lex_within(&p->lex, o->from, o->to);
    p->arena = m->arena;
    p->err = &own;
    p->library = o && o->library;
    if (!statements(p, m)) {
        gpa_fail(&own, GPA_E_INTERNAL, "the parser failed without saying why");
        blame_lexer(p);
    }
    how->at_end = p->lex.at_end;
    how->in_block = p->prev_kind == TOKEN_DEDENT;
    rc = own.code;
    if (!rc) rc = scope_resolve(m, names, &own);
out:
    if (p) mem_free(p->items);
    mem_free(p);
    if (rc) {
        ast_release(m);
        if (e && !e->code) *e = own;
        return rc;
    }
    *out = m;
    return GPA_OK;
}

gpa_code parse_module(const source *s, intern *names, const parse_options *o, ast_module **out,
                      gpa_err *e) {
    ending how;
    return parse(s, names, o, out, &how, e);
}

/* block of a function: INDENT statement+ DEDENT */
static bool rest(parser *p, ast_node *function) {
    parse_advance(p);
    if (!parse_expect(p, TOKEN_INDENT)) return false;
    while (!parse_accept(p, TOKEN_DEDENT))
        if (!parse_statement(p)) return false;
    if (!parse_take(p, 0, &function->function.body)) return false;
    function->function.doc = parse_docstring(function->function.body);
    return parse_done(p, function) != NULL;
}

gpa_code parse_rest(const source *s, intern *names, ast_module *m, ast_node *function, gpa_err *e) {
    const gpa_span left = function->function.rest;
    if (!left.hi) return GPA_OK;
    gpa_err own = {.code = GPA_OK};
    parser *p = mem_zero(sizeof *p);
    if (!p) return gpa_no_memory(e);
    lex_start(&p->lex, s, names, m->arena, false, &own);
    lex_within(&p->lex, left.lo, left.hi);
    p->arena = m->arena;
    p->err = &own;
    if (!rest(p, function)) gpa_fail(&own, GPA_E_INTERNAL, "a function of the library is invalid");
    gpa_code rc = own.code ? own.code : scope_resolve_rest(m, function, names, &own);
    mem_free(p->items);
    mem_free(p);
    if (!rc) function->function.rest = (gpa_span){0};
    if (rc && e && !e->code) *e = own;
    return rc;
}

/* ---- completeness of a prompt's input ---- */

enum { STEP = 4 };

static bool ends_with_blank_line(const char *text, size_t n) {
    size_t newlines = 0;
    while (n > 0 && strchr(" \t\r\n", text[n - 1])) newlines += text[--n] == '\n';
    return newlines >= 2;
}

/* The indentation of the last line that is not blank; *line and *end are set to its text. */
static uint32_t last_margin(const char *text, size_t n, const char **line, const char **end) {
    while (n > 0 && strchr(" \t\r\n", text[n - 1])) n--;
    *end = text + n;
    while (n > 0 && text[n - 1] != '\n') n--;
    *line = text + n;
    uint32_t columns = 0;
    for (; **line == ' ' || **line == '\t'; (*line)++)
        columns += **line == '\t' ? 8 - columns % 8 : 1;
    return columns;
}

static bool leaves_block(const char *line, const char *end) {
    static const char *const words[] = {"return", "pass", "break", "continue", "raise"};
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        size_t n = strlen(words[i]);
        if ((size_t)(end - line) >= n && memcmp(line, words[i], n) == 0 &&
            (line + n == end || line[n] == ' '))
            return true;
    }
    return false;
}

static uint32_t next_margin(const char *text, size_t n) {
    const char *line, *end;
    uint32_t margin = last_margin(text, n, &line, &end);
    if (end > line && strchr(":([{", end[-1])) return margin + STEP;
    if (leaves_block(line, end)) return margin >= STEP ? margin - STEP : 0;
    return margin;
}

parse_status parse_check(const char *text, size_t n, const parse_options *o, uint32_t *indent) {
    *indent = 0;
    parse_status status = PARSE_INVALID;
    ast_module *m = NULL;
    uint32_t id;
    ending how = {false, false};
    gpa_err e = {.code = GPA_OK};
    sources *texts = sources_new();
    intern *names = intern_new();
    if (!texts || !names || source_add(texts, &(source_text){SOURCE_CELL, "", text, n}, &id, &e))
        goto out;
    gpa_code rc = parse(source_get(texts, id), names, o, &m, &how, &e);
    if (rc)
        status = how.at_end ? PARSE_INCOMPLETE : PARSE_INVALID;
    else
        status = how.in_block && !ends_with_blank_line(text, n) ? PARSE_INCOMPLETE : PARSE_COMPLETE;
    if (status == PARSE_INCOMPLETE) *indent = next_margin(text, n);
out:
    ast_release(m);
    intern_free(names);
    sources_free(texts);
    return status;
}
