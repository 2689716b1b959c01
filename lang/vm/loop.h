/* Replay of loops: which back-edges record, and what a replay leaves in the variables. */
#ifndef GPA_VM_LOOP_H
#define GPA_VM_LOOP_H

#include "lang/vm/machine.h"

/* A back-edge to f->ip, of the topmost frame, after array operations: computes pending arrays, or
 * records the loop, or replays the iterations that follow, perhaps all of them: f->ip is where the
 * frame goes on. */
gpa_code loop_edge(gpa_vm *vm, frame *f);
/* Ends a recording: the loop was left. */
void loop_leave(gpa_vm *vm);
/* A warning is issued: the iteration that does is not replayed. */
void loop_warns(gpa_vm *vm);
/* Releases what a recording holds. */
void loop_free(gpa_vm *vm);

#endif
