/* Private names: inside of class Foo, __x means _Foo__x. */
#ifndef GPA_SYNTAX_NAME_MANGLING_H
#define GPA_SYNTAX_NAME_MANGLING_H

#include "lang/syntax/ast.h"

/* Gives the names and attributes in the body of a class that begin with two underscores, and do not
 * end with two, the name of the class. False: memory is short. */
bool private_names(intern *names, gpa_sym class, ast_list body);

#endif
