/* Name resolution: the storage of each NAME of a tree. */
#ifndef GPA_COMPILE_SCOPE_H
#define GPA_COMPILE_SCOPE_H

#include "lang/syntax/ast.h"

/* Resolves a parsed module: sets m->scope, the scope of every FUNCTION, CLASS and GENEXP, and the
 * storage of every NAME, and makes the checks that CPython's compiler makes after parsing (return
 * outside function, duplicate arguments, ...). Failure: GPA_E_SYNTAX or GPA_E_MEMORY. */
gpa_code scope_resolve(ast_module *m, intern *names, gpa_err *e);
/* Resolves the body of a function of m, outside of all blocks, whose parsing was left (parse_rest),
 * and completes its scope. */
gpa_code scope_resolve_rest(ast_module *m, ast_node *function, intern *names, gpa_err *e);

#endif
