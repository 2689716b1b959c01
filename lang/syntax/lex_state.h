/* The lexer's internal interface: failures and brackets (lex.c), and string literals
 * (lex_string.c).
 */
#ifndef GPA_SYNTAX_LEX_STATE_H
#define GPA_SYNTAX_LEX_STATE_H

#include "lang/syntax/lex.h"

/* A range of characters of the source. */
typedef struct {
    const char *lo, *hi;
} char_range;

static inline uint32_t lex_here(const lexer *l, const char *p) {
    return (uint32_t)(p - l->src->text);
}

/* ---- lex.c ---- */

void lex_fail(lexer *l, token *t, gpa_code code, char_range at, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
void lex_open_bracket(lexer *l, token *t, char c);
void lex_close_bracket(lexer *l, token *t, char c);

/* ---- lex_string.c ---- */

enum { PREFIX_RAW = 1, PREFIX_BYTES = 2, PREFIX_FORMAT = 4 };

/* The length of a string prefix at p that is followed by a quote, and its flags; -1 if there is
 * none. */
int lex_string_prefix(const char *p, unsigned *flags);
/* 3 at a triple quote, else 1. */
static inline uint32_t lex_quotes(const char *p, char quote) {
    return p[0] == quote && p[1] == quote && p[2] == quote ? 3 : 1;
}
void lex_string(lexer *l, token *t, int prefix, unsigned flags);
void lex_fstring_start(lexer *l, token *t, int prefix, unsigned flags);
/* True if the next characters are literal text of an f-string: outside its fields, or in a
 * format specification. */
static inline bool lex_in_fstring_text(const lexer *l) {
    if (!l->n_fstrings) return false;
    const lex_fstring *f = &l->fstrings[l->n_fstrings - 1];
    return f->n_fields == 0 || f->fields[f->n_fields - 1].in_spec;
}
/* The next token there: FTEXT, FEND, or the brace that opens or closes a field. */
void lex_fstring_text(lexer *l, token *t);

#endif
