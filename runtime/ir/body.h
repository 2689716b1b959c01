/* Bodies: compiled scalar functions as inlinable kir, the operation of an elementwise node.
 *
 * A body is a kir template. Its scalar parameters are the node's inputs; lower.c inlines the
 * template into the program under construction. So a user's function fuses with its neighbours as a
 * row of op.def does, and the program's key is that of the resulting kir: two functions with equal
 * code share one program. A body has no arrays and no side effects. It may have several results:
 * each is a node of its own on the same inputs (node.sub selects it). Bodies are reference-counted;
 * nodes retain them. */
#ifndef GPA_IR_BODY_H
#define GPA_IR_BODY_H

#include "runtime/ir/kir.h"

enum { BODY_MAX_IN = 32, BODY_MAX_OUT = 6 };

typedef struct gpa_body {
    int32_t refs;
    kir_func *f;                 /* params: the inputs' dtypes */
    int32_t value[BODY_MAX_OUT]; /* of f: the results, */
    uint8_t dtype[BODY_MAX_OUT]; /* and their dtypes */
    uint8_t n_out;
    int8_t trips; /* the parameter that is the trip count of a batched loop (loop_body.h); -1: it is
                     none */
    uint32_t cost; /* sum of op_info's costs; of loops, several iterations */
    char *text;    /* of a batched loop: an iteration as an expression, for %explain; NULL: none */
    int32_t *at;   /* scratch of body_emit: the new value of each instruction */
} gpa_body;

/* A body with n results, with one reference. Takes ownership of f, also on failure. GPA_E_INTERNAL
 * for kir that is not allowed in a body. */
gpa_code body_new_take(kir_func *f, const int32_t *values, int n, gpa_body **out, gpa_err *e);
static inline gpa_body *body_retain(gpa_body *b) {
    b->refs++;
    return b;
}
void body_release(gpa_body *b); /* NULL is ignored */

/* Inlines the body into f with in[i] for parameter i; false when memory ran out. body_value is then
 * the value of a result in f, until the next body_emit. */
bool body_emit(const gpa_body *b, kir_func *f, const int32_t *in);
static inline int32_t body_value(const gpa_body *b, int which) { return b->at[b->value[which]]; }

#endif
