/* The parser: recursive descent over Python 3.12's grammar without async and match, to a
 * resolved tree.
 *
 * Rejects what CPython's compiler rejects, with its messages and locations. Nesting is bounded:
 * no input can exhaust the stack. */
#ifndef GPA_SYNTAX_PARSE_H
#define GPA_SYNTAX_PARSE_H

#include "lang/syntax/ast.h"
#include "lang/text/source.h"

typedef struct {
    bool magics;  /* lines that begin with % or ! or end with ?, and `x = %...`, `x = !...`, become
                     MAGIC nodes */
    bool library; /* a text known to be valid: the bodies of functions outside of all blocks are
                     left for parse_rest */
    uint32_t from, to; /* byte range of the source to parse; `to` 0: to its end. Spans remain
                          relative to the source */
} parse_options;

/* Parses a source. On success *out is owned by the caller (ast_release). Failure: GPA_E_INCOMPLETE
 * when the text could be continued (an open bracket, an open triple-quoted string, a block not
 * begun), GPA_E_SYNTAX, GPA_E_INDENTATION or GPA_E_TAB, GPA_E_OVERFLOW for an int literal beyond 64
 * bits, GPA_E_MEMORY. */
gpa_code parse_module(const source *s, intern *names, const parse_options *o, ast_module **out,
                      gpa_err *e);

/* Parses and resolves the body of a function of m, an ast_module of the source s, if that is left.
 * Failure: as parse_module. */
gpa_code parse_rest(const source *s, intern *names, ast_module *m, ast_node *function, gpa_err *e);

typedef enum { PARSE_COMPLETE, PARSE_INCOMPLETE, PARSE_INVALID } parse_status;

/* Completeness check of the lines typed at a prompt: run them, ask for another line (*indent:
 * its initial indentation), or show the error. A compound statement is complete once a blank
 * line follows; a text that ends with two newlines is never continued merely because a block is
 * open. */
parse_status parse_check(const char *text, size_t n, const parse_options *o, uint32_t *indent);

#endif
