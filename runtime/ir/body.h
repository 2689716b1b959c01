/* A compiled function of numbers: the body of an elementwise node.
 *
 * A body is kir as a template. Its scalar parameters stand for the inputs of the node; lower.c
 * writes the template into the program under construction with the inputs' values in their place.
 * So a user's function fuses with its neighbours as a row of op.def does, and the program's key is
 * that of the kir it became: two functions that say the same share one program. A body has no
 * arrays and no effects but its values. It may have several: they are the outputs of one
 * computation, each a node of its own on the same inputs (node.sub says which). Graphs hold bodies;
 * whoever made one releases it. */
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
    int8_t trips;  /* the parameter that counts the trips of a rolled loop (loop_batch.h); -1: it is
                      none */
    uint32_t cost; /* as op_info's, summed; a loop counts several times */
    char *text;    /* of a rolled loop: one trip as an expression, for people; NULL: none */
    int32_t *at;   /* scratch of body_emit: where each instruction went */
} gpa_body;

/* A body with n results. Takes f over, also on failure. GPA_E_INTERNAL for kir that is no body. */
gpa_code body_new_take(kir_func *f, const int32_t *values, int n, gpa_body **out, gpa_err *e);
static inline gpa_body *body_retain(gpa_body *b) {
    b->refs++;
    return b;
}
void body_release(gpa_body *b); /* NULL is ignored */

/* Writes the body into f with in[i] for parameter i; false when memory ran out. body_value then
 * says where a result is. */
bool body_emit(const gpa_body *b, kir_func *f, const int32_t *in);
static inline int32_t body_value(const gpa_body *b, int which) { return b->at[b->value[which]]; }

#endif
