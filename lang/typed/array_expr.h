/* Operations on whole arrays in compiled loops (TYPED_LOOP), inside lang/typed/. */
#ifndef GPA_TYPED_ARRAY_EXPR_H
#define GPA_TYPED_ARRAY_EXPR_H

#include "lang/typed/lower.h"

bool typed_has_array(const tv *in, int n);
/* An operation on n numbers and arrays, with NumPy's promotion and broadcasting: a new array. */
gpa_code typed_elementwise(lowering *lw, const ast_node *at, gpa_op op, const tv *in, int n,
                           tv *out);
/* A copy in C order. */
gpa_code typed_copy_array(lowering *lw, const ast_node *at, const tv *a, tv *out);
/* a @ b of vectors and matrices: a new array, or a number. */
gpa_code typed_matmul(lowering *lw, const ast_node *at, const tv *a, const tv *b, tv *out);

#endif
