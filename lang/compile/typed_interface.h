/* Interface to lang/typed/: loops of jitted functions as compiled programs, and Numba's types in
 * subscripts and calls. Defined in lang/typed/interface.c. */
#ifndef GPA_COMPILE_TYPED_INTERFACE_H
#define GPA_COMPILE_TYPED_INTERFACE_H

#include "lang/object/value.h"
#include "lang/syntax/ast.h"

/* A loop that is compiled for the types its variables have when it is reached. */
typedef struct typed_lift typed_lift;

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
    /* float32[:, :] as "float32[:,:]"; *is false: the subscript does not make an array type. */
    gpa_code (*array_type)(gpa_vm *vm, value type, value key, bool *is, value *out);
    /* A scalar type, or the text of an array type; "int32(int32, float64[:])". */
    bool (*is_type)(value v);
    gpa_code (*signature_of)(gpa_vm *vm, value result, value first, const tuple_obj *more,
                             value *out);
} typed_interface;
extern const typed_interface typed_compiler;

#endif
