/* Instances of classes: creation and attribute access.
 *
 * Attribute lookup order: data descriptors of the class, the instance's own attributes, other
 * members of the class, attributes of every object (the rows of the type `object`), __getattr__.
 * Exceptions whose class a program defined are instances, too. */
#ifndef GPA_OBJECT_INSTANCE_H
#define GPA_OBJECT_INSTANCE_H

#include "lang/vm/class.h"

/* An instance without attributes: the result of object.__new__(cls). For a tuple subclass `items`
 * is its TUPLE. */
gpa_code instance_empty(gpa_vm *vm, class_obj *c, value items, value *out);
/* An instance whose __init__ the caller must run: *made (owned) and *init (borrowed). Both stay
 * UNSET if instance_new must create it. */
gpa_code instance_begin(gpa_vm *vm, class_obj *c, value *made, value *init);
/* Calls a class: creates an instance with these arguments. */
gpa_code instance_new(gpa_vm *vm, class_obj *c, const call_args *a, value *out);
/* TypeError: __init__ returned a value other than None. */
gpa_code instance_fail_init(gpa_vm *vm, value returned);

/* True for an instance whose class has such a member. */
bool instance_has(value v, const char *member);
/* The dict of own attributes of an instance or exception; NULL: none yet. Borrowed. */
dict_obj *instance_fields_peek(value v);
/* The entry of an own attribute in that dict, or NULL. Borrowed. */
dict_entry *instance_entry_peek(gpa_vm *vm, value v, gpa_sym name);
/* __dict__; *out stays UNSET if there is none. */
gpa_code instance_dict(gpa_vm *vm, value v, value *out);
/* *out stays UNSET if neither the instance nor its class has the attribute. `self`, if not NULL,
 * requests a method call: *out is the method's function and *self (owned) its receiver, else *self
 * is UNSET. */
gpa_code instance_attr(gpa_vm *vm, value v, gpa_sym name, value *out, value *self);
/* Calls __getattr__ for a missing attribute; *handled: the class has one. */
gpa_code instance_missing(gpa_vm *vm, value v, gpa_sym name, value *out, bool *handled);
/* Sets an attribute: by __setattr__ (unless `plain`), a data descriptor, or subject to __slots__.
 */
gpa_code instance_set(gpa_vm *vm, value v, gpa_sym name, value item, bool plain);
/* *there: the instance itself had the attribute. */
gpa_code instance_delete(gpa_vm *vm, value v, gpa_sym name, bool plain, bool *there);

/* Unlinks an instance from the vm's list. At the end of the vm all instances release their
 * attributes. */
void instance_free(gpa_vm *vm, object_obj *o);
void instance_break_cycles(gpa_vm *vm);

#endif
