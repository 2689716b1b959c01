/* Arrays as text: NumPy's array2string, repr and str. A summarised array reads only what it prints. */
#ifndef GPA_ARRAY_TEXT_H
#define GPA_ARRAY_TEXT_H

#include "lang/native.h"

gpa_code array_put_repr(gpa_vm *vm, gpa_arr *a, gpa_str *out);
gpa_code array_put_str(gpa_vm *vm, gpa_arr *a, gpa_str *out);

#endif
