/* Integer widening of compiled functions (@jit, @vectorize, @guvectorize, @cuda.jit): Python's
 * operators compute integers in 64 bits, as Numba's do; the functions of NumPy keep NumPy's
 * promotion. */
#ifndef GPA_VM_JIT_INTEGERS_H
#define GPA_VM_JIT_INTEGERS_H

#include "lang/vm/native.h"

typedef struct {
    gpa_dtype dtype;
    bool weak; /* Python's own number (NEP 50) */
} jit_operand;

/* The type that an operator computes its n scalar operands in: int64, or uint64 if all are
 * unsigned (for shifts, if the left one is). Python's own ints are signed, but adopt the type of
 * a uint64. DT_NONE: NumPy's promotion decides (comparisons, division, floats, Python's ints). */
gpa_dtype jit_integer_type(gpa_op op, const jit_operand *in, int n);

/* The n operands in the type above, or as they are. `out` is owned, after a failure too. A lazy
 * NumPy scalar that is widened is computed. */
gpa_code jit_widen_integers(gpa_vm *vm, gpa_op op, const value *in, int n, value *out);

#endif
