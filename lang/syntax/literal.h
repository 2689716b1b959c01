/* Literals: from their spelling to their value. */
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

/* The text of a string literal, between its quotes: escapes decoded, line ends made \n. In the
 * arena. Failure: GPA_E_SYNTAX with CPython's words, or GPA_E_MEMORY. The span of the error is not
 * set. */
gpa_code literal_text(arena *a, const char *s, size_t n, unsigned flags, ast_text *out, gpa_err *e);

/* An integer literal (digits with their prefix and underscores, valid). False when it is 2**64 or
 * more. */
bool literal_integer(const char *s, size_t n, uint64_t *out);
/* A float literal (valid; in a zero-terminated text). False when memory is short. */
bool literal_real(arena *a, const char *s, size_t n, double *out);

#endif
