/* Lexer (tokenizer) of Python 3.12's syntax with magics.
 *
 * Invariant between tokens: `at` is the byte after the last token; brackets, indents and
 * f-strings describe what is open there. The text is valid UTF-8 without zero bytes and ends
 * with one, so reading one byte ahead is always safe.
 *
 * Reading order: failures, indentation, names and numbers, operators, blocks, magics, the next
 * token; lex_string.c for strings and f-strings. */
#include "lang/syntax/lex_state.h"

#include <stdio.h>

#include "lang/syntax/literal.h"
#include "lang/text/unicode.h"
#include "runtime/base/base.h"

enum { NAME_START = 1, NAME_PART = 2, DIGIT = 4, HEX = 8, SKIP_STOP = 16 };

#define D (NAME_PART | DIGIT | HEX)
#define X (NAME_START | NAME_PART | HEX)
#define L (NAME_START | NAME_PART)
/* Classes of ASCII bytes, and where lex_skip_block looks closer; other characters are classified by
 * unicode.h. */
static const uint8_t ascii[256] = {
    ['0'] = D,         ['1'] = D,         ['2'] = D,          ['3'] = D,
    ['4'] = D,         ['5'] = D,         ['6'] = D,          ['7'] = D,
    ['8'] = D,         ['9'] = D,         ['a'] = X,          ['b'] = X,
    ['c'] = X,         ['d'] = X,         ['e'] = X,          ['f'] = X,
    ['A'] = X,         ['B'] = X,         ['C'] = X,          ['D'] = X,
    ['E'] = X,         ['F'] = X,         ['g'] = L,          ['h'] = L,
    ['i'] = L,         ['j'] = L,         ['k'] = L,          ['l'] = L,
    ['m'] = L,         ['n'] = L,         ['o'] = L,          ['p'] = L,
    ['q'] = L,         ['r'] = L,         ['s'] = L,          ['t'] = L,
    ['u'] = L,         ['v'] = L,         ['w'] = L,          ['x'] = L,
    ['y'] = L,         ['z'] = L,         ['G'] = L,          ['H'] = L,
    ['I'] = L,         ['J'] = L,         ['K'] = L,          ['L'] = L,
    ['M'] = L,         ['N'] = L,         ['O'] = L,          ['P'] = L,
    ['Q'] = L,         ['R'] = L,         ['S'] = L,          ['T'] = L,
    ['U'] = L,         ['V'] = L,         ['W'] = L,          ['X'] = L,
    ['Y'] = L,         ['Z'] = L,         ['_'] = L,          ['\n'] = SKIP_STOP,
    ['#'] = SKIP_STOP, ['"'] = SKIP_STOP, ['\''] = SKIP_STOP, ['\\'] = SKIP_STOP,
    [0] = SKIP_STOP,
};
#undef D
#undef X
#undef L

static bool is(char c, unsigned what) { return ascii[(unsigned char)c] & what; }

void lex_start(lexer *l, const source *src, intern *names, arena *a, bool magics, gpa_err *err) {
    *l = (lexer){.src = src, .names = names, .arena = a, .err = err, .magics = magics};
    l->at = src->text;
    l->end = src->text + src->len;
    if (src->len >= 3 && memcmp(l->at, "\xef\xbb\xbf", 3) == 0) l->at += 3;
    l->line_start = true;
}

void lex_within(lexer *l, uint32_t from, uint32_t to) {
    l->at = l->src->text + from;
    l->end = l->src->text + to;
}

uint32_t lex_line(const lexer *l, uint32_t at) { return source_at(l->src, at).line; }

/* ---- failures ---- */

void lex_fail(lexer *l, token *t, gpa_code code, char_range at, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    gpa_failv(l->err, code, fmt, ap);
    va_end(ap);
    gpa_fail_at(l->err, (gpa_span){l->src->id, lex_here(l, at.lo), lex_here(l, at.hi)});
    t->kind = TOKEN_ERROR;
    t->lo = lex_here(l, at.lo);
    t->hi = lex_here(l, at.hi);
}

static void fail_at_end(lexer *l, token *t, const char *lo, const char *hi, const char *text) {
    lex_fail(l, t, GPA_E_INCOMPLETE, (char_range){lo, hi}, "%s", text);
    l->at_end = true;
}

/* Fails at the character at `lo`, which starts no token. */
static void fail_character(lexer *l, token *t, const char *lo) {
    uint32_t cp = 0;
    size_t n = utf8_get(lo, l->end, &cp);
    const char *hi = lo + (n ? n : 1);
    if (cp < 0x20 || cp == 0x7f || unicode_classes(cp) & (U_N | U_Z))
        lex_fail(l, t, GPA_E_SYNTAX, (char_range){lo, hi}, "invalid non-printable character U+%04X",
                 cp);
    else
        lex_fail(l, t, GPA_E_SYNTAX, (char_range){lo, hi}, "invalid character '%.*s' (U+%04X)",
                 (int)n, lo, cp);
}

/* ---- lines and indentation ---- */

static bool at_line_end(const lexer *l) {
    return *l->at == '\n' || *l->at == '\r' || l->at == l->end;
}

static void skip_line_end(lexer *l) {
    if (*l->at == '\r' && l->at[1] == '\n') l->at++;
    if (l->at < l->end) l->at++;
}

static void skip_comment(lexer *l) {
    while (!at_line_end(l)) l->at++;
}

/* Skips blank lines and measures the indentation of the next line that is not blank. */
static void skip_margin(lexer *l, uint32_t *column, uint32_t *alternative) {
    for (;;) {
        *column = *alternative = 0;
        for (;; l->at++) {
            if (*l->at == ' ') {
                (*column)++, (*alternative)++;
            } else if (*l->at == '\t') {
                *column = (*column / 8 + 1) * 8;
                (*alternative)++;
            } else if (*l->at == '\f') {
                *column = *alternative = 0;
            } else if (*l->at == '\\' && l->at[1] == '\n' && l->at + 2 < l->end) {
                l->at++; /* a backslash continues the indentation: that of the next line is added */
            } else {
                break;
            }
        }
        if (*l->at == '#') skip_comment(l);
        if (!at_line_end(l) || l->at == l->end) return;
        skip_line_end(l);
    }
}

/* Compares the indentation of the new line with the open blocks. False: *t is an error. */
static bool indentation(lexer *l, token *t) {
    uint32_t column, alternative;
    skip_margin(l, &column, &alternative);
    l->line_start = false;
    if (l->at == l->end) column = alternative = 0;
    uint32_t top = l->n_indents ? l->indents[l->n_indents - 1].column : 0;
    uint32_t top_alternative = l->n_indents ? l->indents[l->n_indents - 1].alternative : 0;
    const char *line = l->at;
    bool consistent = (column == top) == (alternative == top_alternative) &&
                      (column > top) == (alternative > top_alternative);
    if (column > top && consistent) {
        if (l->n_indents + 1 == LEX_MAX_INDENTS) {
            lex_fail(l, t, GPA_E_INDENTATION, (char_range){line, line},
                     "too many levels of indentation");
            return false;
        }
        l->indents[l->n_indents].column = column;
        l->indents[l->n_indents++].alternative = alternative;
        l->indent = true;
        return true;
    }
    while (consistent && l->n_indents && column < l->indents[l->n_indents - 1].column) {
        l->n_indents--;
        l->dedents++;
    }
    top = l->n_indents ? l->indents[l->n_indents - 1].column : 0;
    top_alternative = l->n_indents ? l->indents[l->n_indents - 1].alternative : 0;
    if (consistent && column != top) {
        const char *stop = line;
        while (stop < l->end && *stop != '\n' && *stop != '\r') stop++;
        lex_fail(l, t, GPA_E_INDENTATION, (char_range){line, stop},
                 "unindent does not match any outer indentation level");
        return false;
    }
    if (!consistent || alternative != top_alternative) {
        lex_fail(l, t, GPA_E_TAB, (char_range){line, line},
                 "inconsistent use of tabs and spaces in indentation");
        return false;
    }
    return true;
}

/* Skips white space between tokens and, inside brackets, line ends. False: *t is an error. */
static bool skip_blanks(lexer *l, token *t) {
    while (l->at < l->end) {
        char c = *l->at;
        if (c == ' ' || c == '\t' || c == '\f') {
            l->at++;
        } else if (c == '#') {
            skip_comment(l);
        } else if ((c == '\n' || c == '\r') && l->n_brackets) {
            skip_line_end(l);
        } else if (c == '\\') {
            const char *slash = l->at++;
            if (!at_line_end(l)) {
                lex_fail(l, t, GPA_E_SYNTAX, (char_range){l->at, l->at + 1},
                         "unexpected character after line continuation character");
                return false;
            }
            skip_line_end(l);
            if (l->at == l->end) {
                fail_at_end(l, t, slash, slash + 1, "unexpected EOF while parsing");
                return false;
            }
        } else {
            return true;
        }
    }
    return true;
}

/* ---- names and numbers ---- */

/* Consumes a name of at least one character. False: *t is an error. */
static bool skip_name(lexer *l, token *t) {
    const char *start = l->at;
    for (;;) {
        while (is(*l->at, NAME_PART)) l->at++;
        if ((unsigned char)*l->at < 0x80) return true;
        uint32_t cp;
        size_t n = utf8_get(l->at, l->end, &cp);
        unsigned classes = n ? unicode_classes(cp) : 0;
        if (!(classes & (l->at == start ? U_S : U_S | U_C))) {
            fail_character(l, t, l->at);
            return false;
        }
        l->at += n;
    }
}

static void name(lexer *l, token *t) {
    const char *start = l->at;
    if (!skip_name(l, t)) return;
    t->sym = intern_get(l->names, start, (size_t)(l->at - start));
    t->kind =
        t->sym <= TOKEN_KEYWORDS ? (token_kind)(TOKEN_FIRST_KEYWORD + t->sym - 1) : TOKEN_NAME;
    if (!t->sym) {
        gpa_no_memory(l->err);
        t->kind = TOKEN_ERROR;
    }
}

static bool fail_number(lexer *l, token *t, const char *kind) {
    const char *last = l->at - 1;
    lex_fail(l, t, GPA_E_SYNTAX, (char_range){last, l->at}, "invalid %s literal", kind);
    return false;
}

/* Digits up to `highest` (or hexadecimal ones), with single underscores between them. */
static bool skip_digits(lexer *l, token *t, char highest, bool hex, const char *kind) {
    for (;;) {
        while (hex ? is(*l->at, HEX) : *l->at >= '0' && *l->at <= highest) l->at++;
        if (*l->at != '_') return true;
        l->at++;
        if (hex ? !is(*l->at, HEX) : !is(*l->at, DIGIT)) return fail_number(l, t, kind);
        if (!hex && *l->at > highest) return true;
    }
}

/* A number may be followed directly by a keyword (`1if x else 2`), not by another name. */
static bool ends_number(lexer *l, token *t, const char *kind) {
    static const char *const words[] = {"if", "in", "is", "and", "else", "for", "or", "not"};
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        size_t n = strlen(words[i]);
        if (strncmp(l->at, words[i], n) == 0 && (i < 3 || !is(l->at[n], NAME_PART))) return true;
    }
    return is(*l->at, NAME_PART) ? fail_number(l, t, kind) : true;
}

/* 0x, 0o, 0b; `at` is at the 0. */
static bool based_integer(lexer *l, token *t) {
    char letter = (char)(l->at[1] | 0x20);
    const char *kind = letter == 'x' ? "hexadecimal" : letter == 'o' ? "octal" : "binary";
    char highest = letter == 'o' ? '7' : '1';
    l->at += 2;
    const char *digits = l->at;
    if (*l->at == '_') l->at++;
    if (letter == 'x' ? !is(*l->at, HEX) : !is(*l->at, DIGIT)) return fail_number(l, t, kind);
    if (!skip_digits(l, t, highest, letter == 'x', kind)) return false;
    if (is(*l->at, DIGIT)) {
        lex_fail(l, t, GPA_E_SYNTAX, (char_range){l->at, l->at + 1},
                 "invalid digit '%c' in %s literal", *l->at, kind);
        return false;
    }
    return digits < l->at && ends_number(l, t, kind);
}

static bool exponent_follows(const char *p) {
    if (*p != 'e' && *p != 'E') return false;
    p++;
    return is(*p, DIGIT) || *p == '+' || *p == '-';
}

/* Consumes a decimal number and sets its kind. False: *t is an error. */
static bool decimal(lexer *l, token *t) {
    const char *start = l->at;
    t->kind = TOKEN_INTEGER;
    if (*l->at != '.' && !skip_digits(l, t, '9', false, "decimal")) return false;
    const char *whole = l->at;
    if (*l->at == '.') {
        t->kind = TOKEN_FLOAT;
        l->at++;
        if (is(*l->at, DIGIT) && !skip_digits(l, t, '9', false, "decimal")) return false;
    }
    if (exponent_follows(l->at)) {
        t->kind = TOKEN_FLOAT;
        l->at += is(l->at[1], DIGIT) ? 1 : 2;
        if (!is(*l->at, DIGIT)) return fail_number(l, t, "decimal");
        if (!skip_digits(l, t, '9', false, "decimal")) return false;
    }
    if (*l->at == 'j' || *l->at == 'J') {
        t->kind = TOKEN_IMAGINARY;
        l->at++;
        return ends_number(l, t, "imaginary");
    }
    if (t->kind == TOKEN_INTEGER && *start == '0') {
        const char *zeros = start;
        while (*zeros == '0' || *zeros == '_') zeros++;
        if (zeros < whole) {
            lex_fail(
                l, t, GPA_E_SYNTAX, (char_range){start, zeros},
                "leading zeros in decimal integer literals are not permitted; use an 0o prefix "
                "for octal integers");
            return false;
        }
    }
    return ends_number(l, t, "decimal");
}

/* The token's text: n source bytes. */
static void spelled(lexer *l, token *t, const char *start, size_t n) {
    char *text = arena_alloc(l->arena, n + 1);
    if (!text) {
        gpa_no_memory(l->err);
        t->kind = TOKEN_ERROR;
        return;
    }
    memcpy(text, start, n);
    text[n] = 0;
    t->text = (ast_text){text, (uint32_t)n};
}

static void number(lexer *l, token *t) {
    const char *start = l->at;
    char letter = *start == '0' ? (char)(start[1] | 0x20) : 0;
    if (letter == 'x' || letter == 'o' || letter == 'b') {
        t->kind = TOKEN_INTEGER;
        if (!based_integer(l, t)) return;
    } else if (!decimal(l, t)) {
        return;
    }
    size_t n = (size_t)(l->at - start);
    if (t->kind == TOKEN_INTEGER) {
        uint64_t value = 0;
        t->too_big = !literal_integer(start, n, &value) || value > INT64_MAX;
        t->integer = (int64_t)value;
        if (t->too_big) spelled(l, t, start, n);
    } else if (!literal_real(l->arena, start, n - (t->kind == TOKEN_IMAGINARY), &t->real)) {
        gpa_no_memory(l->err);
        t->kind = TOKEN_ERROR;
    }
}

/* ---- brackets and operators ---- */

static token_kind bracket_kind(char c) {
    return c == '('   ? TOKEN_LPAR
           : c == ')' ? TOKEN_RPAR
           : c == '[' ? TOKEN_LSQB
           : c == ']' ? TOKEN_RSQB
           : c == '{' ? TOKEN_LBRACE
                      : TOKEN_RBRACE;
}

void lex_open_bracket(lexer *l, token *t, char c) {
    if (l->n_brackets == LEX_MAX_BRACKETS) {
        lex_fail(l, t, GPA_E_SYNTAX, (char_range){l->at, l->at + 1}, "too many nested parentheses");
        return;
    }
    l->brackets[l->n_brackets].open = c;
    l->brackets[l->n_brackets++].lo = lex_here(l, l->at);
    l->at++;
    t->kind = bracket_kind(c);
}

static char closer_of(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

void lex_close_bracket(lexer *l, token *t, char c) {
    lex_fstring *f = l->n_fstrings ? &l->fstrings[l->n_fstrings - 1] : NULL;
    bool field = f && f->n_fields && f->fields[f->n_fields - 1].depth == l->n_brackets;
    if (field && c != '}') {
        lex_fail(l, t, GPA_E_SYNTAX, (char_range){l->at, l->at + 1}, "f-string: unmatched '%c'", c);
        return;
    }
    if (l->n_brackets == 0) {
        lex_fail(l, t, GPA_E_SYNTAX, (char_range){l->at, l->at + 1}, "unmatched '%c'", c);
        return;
    }
    char open = l->brackets[l->n_brackets - 1].open;
    if (closer_of(open) != c) {
        uint32_t line = lex_line(l, l->brackets[l->n_brackets - 1].lo);
        char on[32] = "";
        if (line != lex_line(l, lex_here(l, l->at))) snprintf(on, sizeof on, " on line %u", line);
        lex_fail(l, t, GPA_E_SYNTAX, (char_range){l->at, l->at + 1},
                 "closing parenthesis '%c' does not match opening parenthesis '%c'%s", c, open, on);
        return;
    }
    l->n_brackets--;
    if (field) f->n_fields--;
    l->at++;
    t->kind = bracket_kind(c);
}

/* The operators, longest first for each first character, so that the first match is the longest. */
static const struct {
    char text[4];
    uint8_t kind;
} operators[] = {
#define LENGTH_3(id, s) {s, sizeof s == 4 ? TOKEN_##id : 0},
#define LENGTH_2(id, s) {s, sizeof s == 3 ? TOKEN_##id : 0},
#define LENGTH_1(id, s) {s, sizeof s == 2 ? TOKEN_##id : 0},
#define TOKEN_MARK(id, text) LENGTH_3(id, text)
#define TOKEN_AUGMENTED(id, text, op) LENGTH_3(id, text)
#include "lang/syntax/token.def"
#define TOKEN_MARK(id, text) LENGTH_2(id, text)
#define TOKEN_BINARY(id, text, bind, op) LENGTH_2(id, text)
#define TOKEN_COMPARE(id, text, op) LENGTH_2(id, text)
#define TOKEN_AUGMENTED(id, text, op) LENGTH_2(id, text)
#include "lang/syntax/token.def"
#define TOKEN_MARK(id, text) LENGTH_1(id, text)
#define TOKEN_BINARY(id, text, bind, op) LENGTH_1(id, text)
#define TOKEN_COMPARE(id, text, op) LENGTH_1(id, text)
#include "lang/syntax/token.def"
};

/* A ':' at the top level of an f-string field starts its format specification, even before '=':
 * f"{x:=5}". */
static bool field_colon(lexer *l) {
    if (*l->at != ':' || !l->n_fstrings) return false;
    lex_fstring *f = &l->fstrings[l->n_fstrings - 1];
    if (!f->n_fields || f->fields[f->n_fields - 1].depth != l->n_brackets) return false;
    f->fields[f->n_fields - 1].in_spec = true;
    return true;
}

static void operator_(lexer *l, token *t) {
    char c = *l->at;
    if (c == '(' || c == '[' || c == '{') {
        lex_open_bracket(l, t, c);
        return;
    }
    if (c == ')' || c == ']' || c == '}') {
        lex_close_bracket(l, t, c);
        return;
    }
    if (field_colon(l)) {
        t->kind = TOKEN_COLON;
        l->at++;
        return;
    }
    for (size_t i = 0; i < COUNT_OF(operators); i++) {
        const char *text = operators[i].text;
        if (text[0] != c || !operators[i].kind) continue;
        if (text[1] && (l->at[1] != text[1] || (text[2] && l->at[2] != text[2]))) continue;
        l->at += strlen(text);
        t->kind = operators[i].kind;
        return;
    }
    if (c <= 0x20 || c >= 0x7f) {
        fail_character(l, t, l->at);
        return;
    }
    l->at++;
    t->kind = TOKEN_UNKNOWN;
}

/* ---- blocks ---- */

/* The byte after a string that begins at p. */
static const char *string_end(const char *p, const char *end) {
    const char quote = *p;
    const uint32_t n = lex_quotes(p, quote);
    for (p += n; p < end && (p = memchr(p, quote, (size_t)(end - p))); p++) {
        const char *slash = p;
        while (slash[-1] == '\\') slash--;
        if ((p - slash) % 2 == 0 && (n == 1 || lex_quotes(p, quote) == 3)) return p + n;
    }
    return end;
}

void lex_skip_block(lexer *l) {
    const char *p = l->at;
    while (p < l->end && strchr(" \t\f\r\n#", *p)) { /* a line of the block, or an empty one */
        for (;;) {
            while (!is(*p, SKIP_STOP)) p++;
            if (*p == '#')
                while (*p && *p != '\n') p++;
            else if (*p == '"' || *p == '\'')
                p = string_end(p, l->end);
            else if (*p == '\\')
                p += 2;
            else
                break; /* at the end of the line or of the text */
        }
        p += p < l->end;
    }
    l->at = p;
}

/* ---- magics ---- */

/* `name?`, `name??`, `?name`, `np.*cos*?`, alone on a line. */
static bool is_question(const char *p) {
    if (*p == '?') return true;
    while (is(*p, NAME_PART) || (unsigned char)*p >= 0x80 || *p == '.' || *p == '%' || *p == '*')
        p++;
    if (*p != '?') return false;
    while (*p == '?' || *p == ' ' || *p == '\t') p++;
    return *p == 0 || *p == '\n' || *p == '\r';
}

/* Moves to the end of the line and of those that a backslash joins to it. False: the text ends with
 * a backslash, *t is an error. */
static bool skip_joined_lines(lexer *l, token *t) {
    for (skip_comment(l); l->at[-1] == '\\'; skip_comment(l)) {
        const char *slash = l->at - 1;
        skip_line_end(l);
        if (l->at == l->end) {
            fail_at_end(l, t, slash, slash + 1, "unexpected EOF while parsing");
            return false;
        }
    }
    return true;
}

static void take_line(lexer *l, token *t, bool whole) {
    const char *start = l->src->text + t->lo;
    l->at = start;
    if (whole)
        l->at = l->end;
    else if (!skip_joined_lines(l, t))
        return;
    t->kind = TOKEN_MAGIC;
    char *text = arena_text(l->arena, start, (size_t)(l->at - start));
    t->text = (ast_text){text, (uint32_t)(l->at - start)};
    t->hi = lex_here(l, l->at);
    for (char *at = text; at && !whole && (at = strchr(at, '\\')); at++)
        if (at[1] == '\n' || (at[1] == '\r' && at[2] == '\n')) /* keeps the offsets */
            memset(at, ' ', at[1] == '\n' ? 2 : 3);
    if (t->text.at) return;
    gpa_no_memory(l->err);
    t->kind = TOKEN_ERROR;
}

void lex_magic(lexer *l, token *t) { take_line(l, t, false); }

/* ---- the next token ---- */

/* The position of errors at the end of the text: on its last line, not after it. */
static uint32_t last_offset(const lexer *l) {
    const char *p = l->end;
    if (p > l->src->text && p[-1] == '\n') p--;
    if (p < l->end && p > l->src->text && p[-1] == '\r') p--;
    return lex_here(l, p);
}

static bool layout(lexer *l, token *t) {
    if (l->line_start && l->n_brackets == 0 && !indentation(l, t)) return true;
    t->lo = t->hi = l->at == l->end ? last_offset(l) : lex_here(l, l->at);
    if (l->dedents > 0) {
        l->dedents--;
        t->kind = TOKEN_DEDENT;
        return true;
    }
    if (l->indent) {
        l->indent = false;
        t->kind = TOKEN_INDENT;
        return true;
    }
    return false;
}

/* The end of the text: an open bracket is an error; else a last NEWLINE, the DEDENTs and END. */
static void text_end(lexer *l, token *t) {
    if (l->n_brackets) {
        const char *open = l->src->text + l->brackets[l->n_brackets - 1].lo;
        char words[] = "'(' was never closed";
        words[1] = *open;
        fail_at_end(l, t, open, open + 1, words);
        return;
    }
    if (l->open_line) {
        l->open_line = false;
        l->line_start = true;
        t->kind = TOKEN_NEWLINE;
        return;
    }
    t->kind = TOKEN_END;
}

static void visible(lexer *l, token *t) {
    char c = *l->at;
    unsigned flags;
    int prefix = -1;
    if (c == '\'' || c == '"' || (is(c, NAME_START) && strchr("bBfFrRuU", c)))
        prefix = lex_string_prefix(l->at, &flags);
    if (prefix >= 0 && flags & PREFIX_FORMAT)
        lex_fstring_start(l, t, prefix, flags);
    else if (prefix >= 0)
        lex_string(l, t, prefix, flags);
    else if (is(c, NAME_START) || (unsigned char)c >= 0x80)
        name(l, t);
    else if (is(c, DIGIT) || (c == '.' && is(l->at[1], DIGIT)))
        number(l, t);
    else
        operator_(l, t);
}

void lex_next(lexer *l, token *t) {
    t->too_big = false;
    t->lo = lex_here(l, l->at);
    if (lex_in_fstring_text(l)) {
        lex_fstring_text(l, t);
        if (t->kind != TOKEN_ERROR) t->hi = lex_here(l, l->at);
        return;
    }
    if (layout(l, t)) return;
    bool statement = !l->open_line;
    if (!skip_blanks(l, t)) return;
    t->lo = t->hi = lex_here(l, l->at);
    if (l->at == l->end) {
        t->lo = t->hi = last_offset(l);
        text_end(l, t);
        return;
    }
    if (at_line_end(l)) {
        skip_line_end(l);
        t->hi = t->lo + 1;
        t->kind = TOKEN_NEWLINE;
        l->open_line = false;
        l->line_start = true;
        return;
    }
    l->open_line = true;
    if (l->magics && statement && !l->n_brackets &&
        (*l->at == '%' || *l->at == '!' || is_question(l->at))) {
        take_line(l, t, l->at[0] == '%' && l->at[1] == '%');
        return;
    }
    visible(l, t);
    if (t->kind != TOKEN_ERROR) t->hi = lex_here(l, l->at);
}
