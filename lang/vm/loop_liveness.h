/* Liveness of the variables of a loop: those that are dead at its back edge. */
#ifndef GPA_VM_LOOP_LIVENESS_H
#define GPA_VM_LOOP_LIVENESS_H

#include "lang/compile/code.h"

enum { LOOP_LIVENESS_VARS = 256 }; /* variables of a function that are examined */

/* A bit for each variable of a function. */
typedef struct {
    uint64_t bits[LOOP_LIVENESS_VARS / 64];
} loop_dead_vars;

/* Both are for code in which the debugger has replaced no instruction (code.ops).
 *
 * The last instruction of the loop whose body begins at head: that which jumps back. */
const ins *loop_last(const code *c, const ins *head);

/* The variables that hold a temporary at the end of an iteration: the next one assigns them before
 * it reads them, stores into an array or branches, and nothing after the loop reads them. An
 * approximation from below. */
void loop_find_dead(const code *c, const ins *head, loop_dead_vars *out);

#endif
