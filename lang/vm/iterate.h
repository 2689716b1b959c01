/* Iterators over containers. */
#ifndef GPA_VM_ITERATE_H
#define GPA_VM_ITERATE_H

#include "lang/vm/native.h"

/* Iterators that the interpreter loop inlines. A range's iterator counts `end` down to 0 while `at`
 * advances by `step`; a list's holds the list in `source` and its index in `at`. */
gpa_code iter_range_next(gpa_vm *vm, iter_obj *it, value *out, bool *done);
gpa_code iter_list_next(gpa_vm *vm, iter_obj *it, value *out, bool *done);

#endif
