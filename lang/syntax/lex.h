/* The lexer: source text to Python 3.12's tokens, one at a time.
 *
 * Indentation becomes INDENT and DEDENT; lines join inside brackets and after a backslash. An
 * f-string is FSTRING, then FTEXT and the tokens of its fields ({ ... }), then FEND; the lexer
 * itself detects where text ends and a field begins. String tokens carry their decoded text, in the
 * arena.
 *
 * A lexer is plain data: a copy of it saves the position. */
#ifndef GPA_SYNTAX_LEX_H
#define GPA_SYNTAX_LEX_H

#include "runtime/base/arena.h"
#include "lang/syntax/intern.h"
#include "lang/text/source.h"
#include "lang/syntax/token.h"
#include "lang/syntax/ast.h"

enum {
    LEX_MAX_BRACKETS = 200,
    LEX_MAX_INDENTS = 100,
    LEX_MAX_FSTRINGS = 100, /* nested in each other */
    LEX_MAX_FIELDS = 3      /* within one f-string: {a:{b:{c}}} */
};

typedef struct {
    token_kind kind;
    uint32_t lo, hi;
    bool too_big; /* INTEGER: beyond 64 bits; its digits are in `text` */
    union {
        gpa_sym sym;     /* NAME */
        int64_t integer; /* INTEGER */
        double real;     /* FLOAT, IMAGINARY */
        ast_text text;   /* STRING, BYTES, FTEXT, MAGIC, INTEGER that is too_big */
    };
} token;

typedef struct {
    uint32_t lo;     /* where the literal starts */
    uint32_t quotes; /* its delimiter: 1 or 3 */
    char quote;
    bool raw;
    uint8_t n_fields; /* nested fields that are open */
    struct {
        uint8_t depth; /* open brackets, including the field's own brace */
        bool in_spec;  /* after its colon, in the format specification */
    } fields[LEX_MAX_FIELDS];
} lex_fstring;

typedef struct {
    const source *src;
    intern *names;
    arena *arena;
    gpa_err *err;
    bool magics;

    const char *at, *end;
    bool line_start; /* at the start of a logical line */
    bool open_line;  /* tokens since the last NEWLINE */
    bool at_end;     /* the failure is an unexpected end of the text */

    uint8_t n_brackets;
    struct {
        char open;
        uint32_t lo;
    } brackets[LEX_MAX_BRACKETS];

    uint8_t n_indents;
    int32_t dedents; /* DEDENT tokens still to be delivered */
    bool indent;     /* an INDENT still to be delivered */
    struct {
        uint32_t column,
            alternative; /* columns with tab stops of 8 and of 1: both must order lines alike */
    } indents[LEX_MAX_INDENTS];

    uint8_t n_fstrings;
    lex_fstring fstrings[LEX_MAX_FSTRINGS];
} lexer;

/* Starts at the beginning of a source. All arguments are borrowed for the lexer's lifetime. */
void lex_start(lexer *l, const source *src, intern *names, arena *a, bool magics, gpa_err *err);
/* To be called right after lex_start: restricts the lexer to bytes [from, to), which end before
 * a newline or with the source. */
void lex_within(lexer *l, uint32_t from, uint32_t to);
/* To be called after the NEWLINE that opens a block of the outermost level in a valid text: skips
 * the block. Its text ends at the last line end before `at`. */
void lex_skip_block(lexer *l);
/* The next token. TOKEN_ERROR: *err is set. After the end every call returns TOKEN_END. */
void lex_next(lexer *l, token *t);
/* Rescans from token t, the last one delivered, to the end of its line as one MAGIC token: `x =
 * !ls`. */
void lex_magic(lexer *l, token *t);
/* The line of a byte offset, from 1. */
uint32_t lex_line(const lexer *l, uint32_t at);

#endif
