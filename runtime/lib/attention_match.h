/* Attention written with NumPy: the product of a softmax of a pending product. */
#ifndef GPA_LIB_ATTENTION_MATCH_H
#define GPA_LIB_ATTENTION_MATCH_H

#include "runtime/array/array.h"

/* p @ v of dtype t as attention if p is softmax(q @ k' * scale + mask) over the last axis, not
 * computed yet; else *out stays NULL. */
gpa_code attention_of_softmax(gpa_rt *rt, gpa_arr *p, gpa_arr *v, gpa_dtype t, gpa_arr **out,
                              gpa_err *e);

/* An array of the elements of a leaf in memory, such as an operand of a pending product;
 * matmul.c. */
gpa_code matmul_leaf(gpa_rt *rt, const node *leaf, gpa_arr **out, gpa_err *e);

#endif
