/* Syntax highlighting: the parts of a source text, for a front end that colours it while it is
 * typed.
 *
 * The parts are the lexer's tokens and the comments in the gaps between them. After an error the
 * lexer continues behind the location, so that one wrong character does not remove the colours of
 * the rest. Invariant: everything before `done` has been reported, in order, and every step moves
 * the lexer forward. */
#include "lang/syntax/lex.h"
#include "lang/session/state.h"
#include "lang/text/unicode.h"

typedef struct {
    gpa_session *s;
    lexer l;
    const char *text;
    size_t n, done;
    token_kind before; /* the previous token: `def name`, `a.name` */
    uint8_t brackets;  /* number of open brackets when the innermost f-string began */
    gpa_err err;
    void (*each)(void *user, size_t lo, size_t hi, gpa_style style);
    void *user;
} painter;

static void put(painter *p, size_t lo, size_t hi, gpa_style style) {
    if (lo < p->done) lo = p->done;
    if (hi > p->n) hi = p->n;
    if (lo >= hi) return;
    p->each(p->user, lo, hi, style);
    p->done = hi;
}

/* Emits comments up to a byte offset: the lexer skips only comments and blanks. */
static void put_gap(painter *p, size_t to) {
    for (size_t at = p->done; at < to && at < p->n; at++) {
        if (p->text[at] != '#') continue;
        size_t end = at;
        while (end < p->n && p->text[end] != '\n' && p->text[end] != '\r') end++;
        put(p, at, end, GPA_STYLE_COMMENT);
        at = end;
    }
}

/* A binding: `name = ...`, `f(name=...)`. */
static bool is_given(const painter *p, const token *t) {
    size_t at = t->hi;
    while (at < p->n && p->text[at] == ' ') at++;
    return at < p->n && p->text[at] == '=' && (at + 1 == p->n || p->text[at + 1] != '=');
}

/* A name has the built-in style unless it is an attribute or is rebound by the user. */
static gpa_style name_style(const painter *p, const token *t) {
    if (p->before == TOKEN_DEF || p->before == TOKEN_CLASS) return GPA_STYLE_DEFINITION;
    if (p->before == TOKEN_DOT || is_given(p, t)) return GPA_STYLE_PLAIN;
    gpa_sym known = intern_find(p->s->names, p->text + t->lo, t->hi - t->lo);
    if (!known || module_get_peek(vm_main(p->s->vm), known).tag != V_UNSET) return GPA_STYLE_PLAIN;
    return vm_builtin_peek(p->s->vm, known).tag != V_UNSET ? GPA_STYLE_BUILTIN : GPA_STYLE_PLAIN;
}

/* Styles by token kind; other tokens have the style of their class. */
static const uint8_t kind_style[TOKEN_COUNT] = {
    [TOKEN_NONE] = GPA_STYLE_NUMBER,    [TOKEN_TRUE] = GPA_STYLE_NUMBER,
    [TOKEN_FALSE] = GPA_STYLE_NUMBER,   [TOKEN_INTEGER] = GPA_STYLE_NUMBER,
    [TOKEN_FLOAT] = GPA_STYLE_NUMBER,   [TOKEN_IMAGINARY] = GPA_STYLE_NUMBER,
    [TOKEN_STRING] = GPA_STYLE_STRING,  [TOKEN_BYTES] = GPA_STYLE_STRING,
    [TOKEN_FSTRING] = GPA_STYLE_STRING, [TOKEN_FTEXT] = GPA_STYLE_STRING,
    [TOKEN_FEND] = GPA_STYLE_STRING,    [TOKEN_LPAR] = GPA_STYLE_BRACKET,
    [TOKEN_RPAR] = GPA_STYLE_BRACKET,   [TOKEN_LSQB] = GPA_STYLE_BRACKET,
    [TOKEN_RSQB] = GPA_STYLE_BRACKET,   [TOKEN_LBRACE] = GPA_STYLE_BRACKET,
    [TOKEN_RBRACE] = GPA_STYLE_BRACKET, [TOKEN_UNKNOWN] = GPA_STYLE_WRONG,
};

static gpa_style style_of(const painter *p, const token *t) {
    if (t->kind == TOKEN_NAME) return name_style(p, t);
    if (kind_style[t->kind]) return (gpa_style)kind_style[t->kind];
    switch ((token_class)token_info[t->kind].class) {
        case TOKEN_IS_KEYWORD: return GPA_STYLE_KEYWORD;
        case TOKEN_IS_MARK: return t->kind == TOKEN_DOT ? GPA_STYLE_PLAIN : GPA_STYLE_OPERATOR;
        case TOKEN_IS_BINARY:
        case TOKEN_IS_COMPARE:
        case TOKEN_IS_AUGMENTED: return GPA_STYLE_OPERATOR;
        case TOKEN_IS_OTHER: return GPA_STYLE_PLAIN;
    }
    return GPA_STYLE_PLAIN;
}

static size_t line_end(const painter *p, size_t at) {
    while (at < p->n && p->text[at] != '\n' && p->text[at] != '\r') at++;
    return at;
}

/* `%timeit x + 1`: the magic's name, then code. `!ls`, `%%bash` and text that does not lex stay
 * plain. */
static void put_magic(painter *p, const token *t) {
    size_t at = t->lo, end = line_end(p, t->lo);
    bool shell = p->text[at] == '!',
         cell = at + 1 < p->n && p->text[at] == '%' && p->text[at + 1] == '%';
    while (at < end && strchr("%!?", p->text[at])) at++;
    while (!shell && at < end && p->text[at] != ' ' && p->text[at] != '\t') at++;
    put(p, t->lo, at, GPA_STYLE_MAGIC);
    if (shell || p->text[t->lo] == '?') at = end;
    p->done = at;
    p->l.at = p->text + (cell ? end : at);
    p->l.open_line = !cell;
    p->l.line_start = cell;
}

/* An invalid token: its first character is marked; an unterminated string keeps its style to the
 * end of the line or text. */
static void put_wrong(painter *p, const token *t) {
    size_t lo = t->lo, hi = MAX(t->hi, t->lo + 1);
    bool quote = lo < p->n && strchr("'\"bBfFrRuU", p->text[lo]) && !p->l.at_end;
    while (hi < p->n && (p->text[hi] & 0xc0) == 0x80) hi++;
    if (p->l.at_end || quote || p->l.n_fstrings) {
        /* the lexer is at the string, or inside an f-string whose start is reported already */
        size_t end = p->l.at_end ? p->n : line_end(p, lo);
        put(p, lo, lo + 1, GPA_STYLE_WRONG);
        put(p, lo, end, GPA_STYLE_STRING);
        if (p->l.n_fstrings) p->l.n_brackets = p->brackets;
        p->l.n_fstrings = 0;
        hi = MAX(end, hi);
    } else {
        put(p, lo, hi, GPA_STYLE_WRONG);
    }
    if (hi < p->done) hi = p->done;
    if (p->text + hi > p->l.at) p->l.at = p->text + MIN(hi, p->n);
}

/* Skips past a lexer error; false if lexing cannot continue. */
static bool recover(painter *p, const token *t) {
    const char *at = p->l.at;
    bool unclosed = p->l.at_end && p->l.at == p->l.end;
    if (unclosed) {
        /* unclosed brackets: the front end matches them */
        put_gap(p, p->n);
        return false;
    }
    bool margin = p->err.code == GPA_E_INDENTATION ||
                  p->err.code == GPA_E_TAB; /* the lexer is past it already */
    if (!margin) put_wrong(p, t);
    p->err = (gpa_err){0};
    p->l.at_end = false;
    return margin || (p->l.at > at && p->l.at < p->l.end);
}

static void walk(painter *p) {
    for (;;) {
        token t;
        lex_next(&p->l, &t);
        if (t.kind != TOKEN_ERROR || t.lo > p->done) put_gap(p, t.lo);
        if (t.kind == TOKEN_END) return;
        if (t.kind == TOKEN_FSTRING) p->brackets = p->l.n_brackets;
        if (t.kind == TOKEN_ERROR) {
            if (!recover(p, &t)) return;
        } else if (t.kind == TOKEN_MAGIC) {
            put_magic(p, &t);
        } else if (t.kind != TOKEN_NEWLINE && t.hi > t.lo) {
            put(p, t.lo, t.hi, style_of(p, &t));
        }
        p->before = t.kind;
    }
}

void gpa_session_highlight(gpa_session *s, const char *src, size_t n,
                           void (*each)(void *user, size_t lo, size_t hi, gpa_style style),
                           void *user) {
    uint32_t id;
    painter p = {.s = s, .n = n, .each = each, .user = user, .before = TOKEN_NEWLINE};
    sources *texts = sources_new();
    intern *names =
        intern_new(); /* a separate table: half-typed names must not be interned in the session's */
    arena *a = arena_new();
    if (texts && names && a &&
        !source_add(texts, &(source_text){SOURCE_CELL, "", src, n}, &id, &p.err)) {
        const source *text = source_get(texts, id);
        p.text = text->text;
        p.n = text->len;
        lex_start(&p.l, text, names, a, true, &p.err);
        walk(&p);
    }
    arena_free(a);
    intern_free(names);
    sources_free(texts);
}

size_t gpa_text_width(const char *text, size_t n) { return unicode_width(text, n); }
