/* String literals and f-strings, token by token. */
#include "lang/syntax/lex_state.h"

#include "lang/syntax/literal.h"
#include "runtime/base/base.h"

int lex_string_prefix(const char *p, unsigned *flags) {
    *flags = 0;
    bool u = false;
    for (int n = 0; n < 3; n++) {
        char c = (char)(p[n] | 0x20);
        unsigned flag = c == 'r'   ? PREFIX_RAW
                        : c == 'b' ? PREFIX_BYTES
                        : c == 'f' ? PREFIX_FORMAT
                                   : 0;
        if (p[n] == '\'' || p[n] == '"') return n;
        if (c == 'u' && n == 0)
            u = true;
        else if (!flag || u || (*flags & flag) || (flag | *flags) == (PREFIX_BYTES | PREFIX_FORMAT))
            return -1;
        *flags |= flag;
    }
    return -1;
}

/* An f-string with an unclosed field looks like a string that starts at the closing quote of the
 * f-string. */
static bool closes_fstring(const lexer *l, char quote, uint32_t quotes) {
    const lex_fstring *f = l->n_fstrings ? &l->fstrings[l->n_fstrings - 1] : NULL;
    return f && f->quote == quote && f->quotes == quotes;
}

static void fail_unterminated(lexer *l, token *t, const char *start, const char *stop,
                              uint32_t quotes, const char *what) {
    uint32_t line =
        lex_line(l, lex_here(l, stop > start ? stop - (stop == l->end && stop[-1] == '\n') : stop));
    bool triple = quotes == 3;
    lex_fail(l, t, triple ? GPA_E_INCOMPLETE : GPA_E_SYNTAX, (char_range){start, start + 1},
             "unterminated %s%s literal (detected at line %u)", triple ? "triple-quoted " : "",
             what, line);
    /* A string of one line continues after a backslash. */
    const char *last = stop - (stop[-1] == '\n');
    if (triple || (stop == l->end && last[-1] == '\\')) l->at_end = true;
}

static void decode(lexer *l, token *t, const char *lo, const char *hi, unsigned flags) {
    if (literal_text(l->arena, lo, (size_t)(hi - lo), flags, &t->text, l->err)) {
        gpa_fail_at(l->err, (gpa_span){l->src->id, t->lo, lex_here(l, l->at)});
        t->kind = TOKEN_ERROR;
    }
}

void lex_string(lexer *l, token *t, int prefix, unsigned flags) {
    const char *start = l->at, *p = l->at + prefix;
    char quote = *p;
    uint32_t quotes = lex_quotes(p, quote);
    p += quotes;
    const char *text = p;
    while (quotes == 3 ? !(*p == quote && lex_quotes(p, quote) == 3) : *p != quote) {
        if (*p == '\\' && p + 1 < l->end) {
            p += p[1] == '\r' && p[2] == '\n' ? 2 : 1;
        } else if (p == l->end || (quotes == 1 && (*p == '\n' || *p == '\r'))) {
            if (closes_fstring(l, quote, quotes))
                lex_fail(l, t, GPA_E_SYNTAX, (char_range){start, start + 1},
                         "f-string: expecting '}'");
            else
                fail_unterminated(l, t, start, p, quotes, "string");
            return;
        }
        p++;
    }
    l->at = p + quotes;
    t->kind = flags & PREFIX_BYTES ? TOKEN_BYTES : TOKEN_STRING;
    decode(l, t, text, p,
           (flags & PREFIX_RAW ? LITERAL_RAW : 0u) | (flags & PREFIX_BYTES ? LITERAL_BYTES : 0u));
}

void lex_fstring_start(lexer *l, token *t, int prefix, unsigned flags) {
    const char *quote = l->at + prefix;
    if (l->n_fstrings == LEX_MAX_FSTRINGS) {
        lex_fail(l, t, GPA_E_SYNTAX, (char_range){l->at, quote}, "too many nested f-strings");
        return;
    }
    lex_fstring *f = &l->fstrings[l->n_fstrings++];
    *f = (lex_fstring){.lo = lex_here(l, l->at),
                       .quote = *quote,
                       .quotes = lex_quotes(quote, *quote),
                       .raw = flags & PREFIX_RAW};
    l->at = quote + f->quotes;
    t->kind = TOKEN_FSTRING;
}

/* The end of an f-string's literal text: its closing quote or a single brace. NULL: *t is an
 * error. */
static const char *fstring_text_end(lexer *l, token *t, const lex_fstring *f) {
    const char *p = l->at, *start = l->src->text + f->lo;
    for (;; p++) {
        if (*p == f->quote && (f->quotes == 1 || lex_quotes(p, f->quote) == 3)) return p;
        if (p == l->end || (f->quotes == 1 && (*p == '\n' || *p == '\r'))) {
            if (f->n_fields && f->quotes == 1 && p < l->end)
                return p; /* the parser reports the missing brace */
            fail_unterminated(l, t, start, p, f->quotes, "f-string");
            return NULL;
        }
        if (*p == '\\' && p + 1 < l->end && p[1] != '{' && p[1] != '}') {
            p += p[1] == '\r' && p[2] == '\n' ? 2 : 1;
        } else if (*p == '{' || *p == '}') {
            if (f->n_fields || p[1] != *p) return p;
            p++;
        }
    }
}

void lex_fstring_text(lexer *l, token *t) {
    lex_fstring *f = &l->fstrings[l->n_fstrings - 1];
    const char *start = l->at, *stop = fstring_text_end(l, t, f);
    if (!stop) return;
    if (stop > start) {
        l->at = stop;
        t->kind = TOKEN_FTEXT;
        decode(l, t, start, stop,
               (f->raw ? LITERAL_RAW : 0u) | (f->n_fields ? 0u : (unsigned)LITERAL_BRACES));
    } else if (*stop == '{') {
        if (f->n_fields == LEX_MAX_FIELDS) {
            lex_fail(l, t, GPA_E_SYNTAX, (char_range){stop, stop + 1},
                     "f-string: expressions nested too deeply");
            return;
        }
        lex_open_bracket(l, t, '{');
        if (t->kind == TOKEN_ERROR) return;
        f->fields[f->n_fields].depth = l->n_brackets;
        f->fields[f->n_fields++].in_spec = false;
    } else if (*stop == '}') {
        if (f->n_fields == 0)
            lex_fail(l, t, GPA_E_SYNTAX, (char_range){stop, stop + 1},
                     "f-string: single '}' is not allowed");
        else
            lex_close_bracket(l, t, '}');
    } else if (f->n_fields) {
        lex_fail(l, t, GPA_E_SYNTAX, (char_range){stop, stop + 1},
                 "f-string: expecting '}', or format specs");
    } else {
        l->at = stop + f->quotes;
        l->n_fstrings--;
        t->kind = TOKEN_FEND;
    }
}
