/* Values of literals: from source spelling to number or text. */
#ifndef GPA_SYNTAX_LITERAL_H
#define GPA_SYNTAX_LITERAL_H

#include "runtime/base/arena.h"
#include "lang/syntax/ast.h"
#include "runtime/base/err.h"

enum {
    LITERAL_RAW = 1,   /* backslashes stand for themselves */
    LITERAL_BYTES = 2, /* b'...': ASCII only, \u is not an escape */
    LITERAL_BRACES = 4 /* text of an f-string: {{ and }} are braces */
};

/* Decodes the text of a string literal between its quotes: escape sequences, line ends as \n.
 * Allocated in the arena. Fails with GPA_E_SYNTAX in CPython's words, or GPA_E_MEMORY; the span
 * of the error is not set. */
gpa_code literal_text(arena *a, const char *s, size_t n, unsigned flags, ast_text *out, gpa_err *e);

/* The value of a valid integer literal (digits with prefix and underscores). False if it is
 * 2**64 or more. */
bool literal_integer(const char *s, size_t n, uint64_t *out);
/* The value of a valid float literal in a zero-terminated text. False when out of memory. */
bool literal_real(arena *a, const char *s, size_t n, double *out);

#endif
