/* Comparisons of unboxed scalars: for the interpreter and for loops that it records. */
#ifndef GPA_VM_COMPARE_H
#define GPA_VM_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "lang/syntax/ast.h"

static inline __attribute__((always_inline)) bool compare_ints(ast_op op, int64_t a, int64_t b) {
    switch ((int)op) {
        case AST_OP_EQ: return a == b;
        case AST_OP_NE: return a != b;
        case AST_OP_LT: return a < b;
        case AST_OP_LE: return a <= b;
        case AST_OP_GT: return a > b;
        default: return a >= b;
    }
}

static inline __attribute__((always_inline)) bool compare_floats(ast_op op, double a, double b) {
    switch ((int)op) {
        case AST_OP_EQ: return a == b;
        case AST_OP_NE: return a != b;
        case AST_OP_LT: return a < b;
        case AST_OP_LE: return a <= b;
        case AST_OP_GT: return a > b;
        default: return a >= b;
    }
}

#endif
