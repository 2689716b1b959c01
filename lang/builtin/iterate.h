/* Construction of iterators, for the built-in functions and itertools. */
#ifndef GPA_BUILTIN_ITERATE_H
#define GPA_BUILTIN_ITERATE_H

#include "lang/vm/native.h"

/* An iterator with source `from` and extra (both retained), counters 0. */
gpa_code iter_over(gpa_vm *vm, const char *name, value from, value extra,
                   gpa_code (*next)(gpa_vm *, iter_obj *, value *, bool *), value *out);
/* The next value of an iterator that another one wraps: iter_next, but RecursionError where little
 * of the C stack is left. */
gpa_code wrapped_next(gpa_vm *vm, value it, value *out, bool *done);
/* A tuple of iterators, one over each of the iterables. */
gpa_code iters_of(gpa_vm *vm, const tuple_obj *iterables, value *out);
/* The next item of each iterator as a new tuple; *done if one ended, whose index is *at. */
gpa_code iters_next(gpa_vm *vm, const tuple_obj *iters, value *row, bool *done, size_t *at);

#endif
