/* Loop lifting (Numba's term): loops of @jit functions compiled and run from the interpreter.
 *
 * The virtual machine runs a jitted function like any other, so its body may use the whole
 * language. Its loops, outermost first, are compiled for the types that their variables have when
 * the loop is reached: a sequential loop is a program of one thread, a prange loop one of many
 * workers. An unsupported construct in a loop is an error with its location, except those that only
 * the interpreter can run (creating arrays, arithmetic on whole arrays, printing): then that loop
 * is interpreted and the loops inside it are compiled.
 *
 * A variable of a prange loop is private to each iteration, or a reduction (all updates are x += e,
 * x *= e, x = min(x, e) or x = max(x, e)), or the loop is an error (loop-carried dependence). */
#ifndef GPA_TYPED_LIFT_H
#define GPA_TYPED_LIFT_H

#include "lang/compile/typed_interface.h"
#include "lang/vm/vm.h"

/* True if the syntax of a loop allows compilation; if it contains a return; if it iterates over
 * prange. */
bool lift_eligible(gpa_vm *vm, const func_obj *fn, const ast_node *loop);
bool lift_returns(gpa_vm *vm, const func_obj *fn, const ast_node *loop);
bool lift_parallel(gpa_vm *vm, const func_obj *fn, const ast_node *loop);
/* Analyzes a loop; `inner`: an enclosing loop is interpreted. NULL: out of memory. Owned by the
 * caller: lift_free. */
typed_lift *lift_new(gpa_vm *vm, const func_obj *fn, const ast_node *loop, bool inner);
void lift_free(gpa_vm *vm, typed_lift *l); /* NULL is ignored */

/* Runs the loop on the variables of a frame of fn. *it: the iterable of a for loop, owned by the
 * caller; unchanged if LIFT_INTERPRET, else released and set to the function's return value, or
 * UNSET. */
gpa_code lift_run(gpa_vm *vm, typed_lift *l, func_obj *fn, value *slots, value *it, lift_end *end);

#endif
