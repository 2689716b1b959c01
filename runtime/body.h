/* A compiled function of numbers: the body of an elementwise node.
 *
 * A body is kir as a template. Its scalar parameters stand for the inputs of the node; lower.c writes the template into
 * the program under construction with the inputs' values in their place. So a user's function fuses with its neighbours
 * as a row of op.def does, and the program's key is that of the kir it became: two functions that say the same share
 * one program. A body has no arrays and no effects but its value. Graphs hold bodies; whoever made one releases it. */
#ifndef GPA_BODY_H
#define GPA_BODY_H

#include "runtime/kir.h"

enum { BODY_MAX_IN = 32 };

typedef struct gpa_body {
    int32_t refs;
    kir_func *f;    /* params: the inputs' dtypes */
    int32_t value;  /* of f: the result */
    uint8_t dtype;  /* the result's */
    uint32_t cost;  /* as op_info's, summed; a loop counts several times */
    int32_t *at;    /* scratch of body_emit: where each instruction went */
} gpa_body;

/* Takes f over, also on failure. GPA_E_INTERNAL for kir that is no body. */
gpa_code body_new_take(kir_func *f, int32_t value, gpa_body **out, gpa_err *e);
static inline gpa_body *body_retain(gpa_body *b) {
    b->refs++;
    return b;
}
void body_release(gpa_body *b); /* NULL is ignored */

/* Writes the body into f with in[i] for parameter i; its value there, -1 when memory ran out. */
int32_t body_emit(const gpa_body *b, kir_func *f, const int32_t *in);

#endif
