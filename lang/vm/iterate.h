/* Iterators over the language's own containers. */
#ifndef GPA_VM_ITERATE_H
#define GPA_VM_ITERATE_H

#include "lang/vm/native.h"

/* What the machine knows by heart. A range's iterator counts `end` down to 0 while `at` moves by
 * `step`; a list's has the list in `source` and its position in `at`. */
gpa_code iter_range_next(gpa_vm *vm, iter_obj *it, value *out, bool *done);
gpa_code iter_list_next(gpa_vm *vm, iter_obj *it, value *out, bool *done);

#endif
