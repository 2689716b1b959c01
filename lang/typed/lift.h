/* Loops of functions under @jit, taken out of the virtual machine and compiled.
 *
 * A jitted function is run by the machine as any other, so it may do anything; but its loops, from
 * the outside in, are compiled (for the types that their variables have when the loop is reached)
 * and run as programs: a plain loop by one thread, a loop over prange by all there are. What a loop
 * does not give up is an error at its place, except what only the machine can do (making arrays,
 * arithmetic on whole arrays, printing): then that loop is run by the machine, and the loops inside
 * it are compiled.
 *
 * In a prange loop a variable is its own in every trip, or (when all that happens to it is x += e,
 * x *= e, x = min(x, e) ...) a reduction over all trips, or an error. */
#ifndef GPA_TYPED_LIFT_H
#define GPA_TYPED_LIFT_H

#include "lang/compile/typed_interface.h"
#include "lang/vm/vm.h"

/* Whether a loop of this function would be taken out; whether it returns; whether it goes over
 * prange. */
bool lift_wanted(gpa_vm *vm, const func_obj *fn, const ast_node *loop);
bool lift_returns(gpa_vm *vm, const func_obj *fn, const ast_node *loop);
bool lift_parallel(gpa_vm *vm, const func_obj *fn, const ast_node *loop);
/* `inner`: it stands in a loop that is not taken out. NULL when memory is short. Owned: lift_free.
 */
typed_lift *lift_new(gpa_vm *vm, const func_obj *fn, const ast_node *loop, bool inner);
void lift_free(gpa_vm *vm, typed_lift *l); /* NULL is ignored */

/* Runs the loop on the variables of a frame of fn. *it: what a for loop goes over (owned by the
 * caller; left alone when LIFT_NOT, else given back and set to what the function returns, or
 * UNSET). */
gpa_code lift_run(gpa_vm *vm, typed_lift *l, func_obj *fn, value *slots, value *it, lift_end *end);

#endif
