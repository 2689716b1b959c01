/* Operators on objects of Python, by Python. */
#ifndef GPA_PYTHON_OPERATORS_H
#define GPA_PYTHON_OPERATORS_H

#include "lang/python/convert.h"
#include "lang/syntax/ast.h"

/* a op b, or with `update` a op= b; op a. */
gpa_code python_binary(gpa_vm *vm, ast_op op, bool update, value a, value b, value *out);
gpa_code python_unary(gpa_vm *vm, ast_op op, value a, value *out);
gpa_code proxy_next(gpa_vm *vm, value v, value *out, bool *done);

/* A class statement with a base of Python; super() in its methods (derive.c). */
gpa_code python_derive(gpa_vm *vm, const char *name, value bases, value members, value *out);
gpa_code python_super(gpa_vm *vm, value class, value self, value *out);
/* The class of Python for a class of gpa that is a base of one of Python, borrowed; NULL: none. */
py_object *class_counterpart_peek(python_host *h, value class);

#endif
