/* Numba's type objects: NumPy's scalar types; f8[:,:] and f8(i4, f8[:]) are strings, as in text
 * signatures. */
#ifndef GPA_TYPED_TYPES_H
#define GPA_TYPED_TYPES_H

#include "lang/vm/native.h"

/* True for a scalar type, or the text of an array type. */
bool typed_is_type(value v);
/* The text of a signature: "int32(int32, float64[:])". */
gpa_code typed_signature_of(gpa_vm *vm, value result, value first, const tuple_obj *more,
                            value *out);
/* float32[:, :] as "float32[:,:]"; *is false: the subscript is not an array type. */
gpa_code typed_array_type(gpa_vm *vm, value type, value key, bool *is, value *out);

#endif
