/* Records: library objects whose attributes and methods are written in gpa, in the library.
 *
 * A row of records.def makes a type. Code of the library gives it members, and calls it to make an
 * object:
 *
 *     Generator = _np._record("numpy.random.Generator")
 *
 *     @_np._member(Generator)
 *     def __init__(self, key):
 *         self._key = key
 *
 *     @_np._member(Generator)
 *     def _random(self, size=None):          # the method `random`: one leading underscore is not
 * part of the name
 *         ...
 *
 *     @_np._getter(Generator)
 *     def _key_words(self):                  # the attribute `key_words`, computed at each access
 *         ...
 *
 *     @_np._member(Generator)
 *     def __set_key_words__(self, words):    # assignment to it; without this it is read-only
 *         ...
 *
 *     @_np._static(Generator)
 *     def _seeded(seed):                     # Generator.seeded(1): a function of the type
 *         ...
 *
 *     _np._constant(Generator, "SIDES", 6)   # Generator.SIDES: an attribute of the type
 *
 * __mimes__ returns the representations of an object besides its text (lang/object/mime.h): a dict
 * from MIME types to str or bytes, or to a tuple of that and a str of JSON.
 * __init__, __repr__, __str__, __format__, __call__, __getitem__, __setitem__, __delitem__,
 * __enter__, __exit__, __len__, __iter__, __next__, __contains__, __array__, __hash__, __bool__,
 * the binary operators (__add__ and __radd__ ...), the unary ones and __abs__ mean what they mean
 * in Python. What is not defined behaves as it does for an object without it.
 *
 * Instances of classes that programs write (lang/vm/instance.h) are records, whose members are
 * their class's. */
#ifndef GPA_OBJECT_RECORD_H
#define GPA_OBJECT_RECORD_H

#include "lang/vm/machine.h"
#include "lang/vm/native.h"

/* Members other than methods are kept in a tuple: its length distinguishes a getter from a static
 * function. */
enum { RECORD_GETTER = 1, RECORD_STATIC = 2 };

/* Creates an object of the record type `kind` and calls its __init__. */
gpa_code record_new(gpa_vm *vm, const object_kind *kind, const call_args *a, value *out);
/* The methods by which classes define representations: a dict, MIME type to name (mime.def). */
gpa_code record_mime_methods(gpa_vm *vm, value *out);
/* True if objects of the kind are records. */
bool record_is(const object_kind *kind);
/* The dict of the type's members (name to function, to a tuple of one for a getter, or to a
 * constant), or NULL. Borrowed. */
dict_obj *record_members_peek(gpa_vm *vm, const object_kind *kind);
/* ---- record_operators.c ---- */

/* A binary operator with a record operand. *handled stays false if neither operand defines it. */
gpa_code record_binary(gpa_vm *vm, ast_op op, value a, value b, value *out, bool *handled);
/* a op= b by __iadd__ etc. *handled stays false if the type does not define it. */
gpa_code record_update(gpa_vm *vm, ast_op op, value a, value b, value *out, bool *handled);
gpa_code record_unary(gpa_vm *vm, ast_op op, value a, value *out, bool *handled);

/* ---- protocols ---- */

/* format() of a record with a specification of n bytes, appended; *handled: it defines __format__.
 */
gpa_code record_format(gpa_vm *vm, value v, const char *spec, size_t n, gpa_str *out,
                       bool *handled);
/* Calls a member (__float__, __index__, __round__ ...) with at most three arguments; *handled: it
 * has the member. */
gpa_code record_call_member(gpa_vm *vm, value v, const char *name, const call_args *a, value *out,
                            bool *handled);
/* Calls a special method (__array__, __add__ ...) of a record; *handled stays false for other
 * values and where it has no such method. */
gpa_code record_call_special(gpa_vm *vm, value v, const char *name, const call_args *a, value *out,
                             bool *handled);
/* <module.Class object at 0x...>: object.__repr__. */
gpa_code record_default_repr(gpa_vm *vm, object_obj *o, gpa_str *out);
/* Truth value by __bool__, else __len__, else true. */
gpa_code record_truth(gpa_vm *vm, object_obj *o, bool *out);
/* hash() of an object; *handled: it is a record that defines __hash__. */
gpa_code record_hash(gpa_vm *vm, value v, uint64_t *out, bool *handled);
/* abs() of a record; *handled stays false for other values. */
gpa_code record_abs(gpa_vm *vm, value v, value *out, bool *handled);
/* True if an object is its own iterator and defines __next__. */
bool record_is_own(const iter_obj *it);
/* The next value of a record that is an iterator; *handled stays false for other values. */
gpa_code record_next(gpa_vm *vm, value v, value *out, bool *done, bool *handled);
/* The result of __array__; *handled stays false for other values. */
gpa_code record_array(gpa_vm *vm, value v, value *out, bool *handled);

/* Natives of the module numpy that the library calls (rows of numpy.def). */
gpa_code record_type(gpa_vm *vm, value *argv, value *out);
gpa_code record_add(gpa_vm *vm, value *argv, value *out);
gpa_code record_constant(gpa_vm *vm, value *argv, value *out);
gpa_code record_member(gpa_vm *vm, value *argv, value *out);
gpa_code record_getter(gpa_vm *vm, value *argv, value *out);
gpa_code record_static(gpa_vm *vm, value *argv, value *out);

#endif
