/* Name mangling: inside class Foo, __x means _Foo__x. */
#ifndef GPA_SYNTAX_NAME_MANGLING_H
#define GPA_SYNTAX_NAME_MANGLING_H

#include "lang/syntax/ast.h"

/* Prefixes the names and attributes in a class body that begin with two underscores, and do not
 * end with two, with the class name. False: out of memory. */
bool mangle_names(intern *names, gpa_sym class, ast_list body);

#endif
