/* Interface to lang/typed/: loops of jitted functions as compiled programs, and Numba's types as
 * dtypes. Defined in lang/typed/interface.c. */
#ifndef GPA_COMPILE_TYPED_INTERFACE_H
#define GPA_COMPILE_TYPED_INTERFACE_H

#include "lang/object/value.h"
#include "lang/syntax/ast.h"

struct code;

/* A loop that is compiled for the types its variables have when it is reached. */
typedef struct typed_lift typed_lift;

/* The types that a jitted function was called with. */
typedef struct typed_calls typed_calls;

typedef enum { LIFT_INTERPRET, LIFT_DONE, LIFT_RETURNED } lift_end;

typedef struct {
    /* True if a loop of this function is to be compiled; true if it contains a return. */
    bool (*loop_wanted)(gpa_vm *vm, const func_obj *fn, const ast_node *loop);
    bool (*loop_returns)(gpa_vm *vm, const func_obj *fn, const ast_node *loop);
    /* `inner`: the loop is nested in one that the interpreter runs. NULL when memory is short.
     * Owned: loop_free. */
    typed_lift *(*loop_new)(gpa_vm *vm, const func_obj *fn, const ast_node *loop, bool inner);
    void (*loop_free)(gpa_vm *vm, typed_lift *l); /* NULL is ignored */
    /* Runs the loop on the variables of a frame of fn. *it: the iterable of a for loop (owned by
     * the caller; unchanged when LIFT_INTERPRET, else released and set to the value the function
     * returns, or UNSET). */
    gpa_code (*loop_run)(gpa_vm *vm, typed_lift *l, func_obj *fn, value *slots, value *it,
                         lift_end *end);
    /* Called at the start of jitted code, whose parameters are the first registers, and at its
     * returns; records the types in c->calls. */
    gpa_code (*enter)(gpa_vm *vm, struct code *c, const value *regs);
    gpa_code (*leave)(gpa_vm *vm, struct code *c, const value *regs, value result);
    void (*free_calls)(gpa_vm *vm, typed_calls *t, uint32_t n_variables); /* NULL is ignored */
    /* The dtype of a scalar type of Numba; DT_NONE: not one. */
    gpa_dtype (*scalar_dtype)(value v);
} typed_interface;
extern const typed_interface typed_compiler;

#endif
