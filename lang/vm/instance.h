/* Instances of classes that programs write: how they are made, and their attributes.
 *
 * An attribute is, in this order: a property of the class, what the instance itself has, a member
 * of the class, what every object has (the rows of the type `object`), and what __getattr__ says.
 * Exceptions whose class a program wrote are instances, too. */
#ifndef GPA_OBJECT_INSTANCE_H
#define GPA_OBJECT_INSTANCE_H

#include "lang/vm/class.h"

/* An instance without attributes: what object.__new__(cls) gives. Of a class that derives from
 * tuple, the items are `items`, a TUPLE. */
gpa_code instance_empty(gpa_vm *vm, class_obj *c, value items, value *out);
/* An instance whose __init__ is a function that the caller is to run: *made (owned) and *init
 * (borrowed). Both stay UNSET where instance_new is to make it. */
gpa_code instance_begin(gpa_vm *vm, class_obj *c, value *made, value *init);
/* Calls a class: makes an instance with these arguments. */
gpa_code instance_new(gpa_vm *vm, class_obj *c, size_t n, const value *args, size_t n_named,
                      const value *names, value *out);
/* TypeError: what __init__ has returned is not None. */
gpa_code instance_fail_init(gpa_vm *vm, value returned);

/* Whether it is an instance whose class has such a member. */
bool instance_has(value v, const char *member);
/* The attributes that an instance, or an exception, has by itself; NULL: none yet. Borrowed. */
dict_obj *instance_fields_peek(value v);
/* What __dict__ is; *out stays UNSET where there is none. */
gpa_code instance_dict(gpa_vm *vm, value v, value *out);
/* *out stays UNSET when neither the instance nor its class has such an attribute. `self`, when not
 * NULL, asks for a call: a method's function comes as *out, and as *self (owned) what it is called
 * on, else *self is UNSET. */
gpa_code instance_attr(gpa_vm *vm, value v, gpa_sym name, value *out, value *self);
/* What __getattr__ says of a name that is not there; *handled: the class has one. */
gpa_code instance_missing(gpa_vm *vm, value v, gpa_sym name, value *out, bool *handled);
/* As the class says: by __setattr__ (unless `plain`), a property, __slots__. */
gpa_code instance_set(gpa_vm *vm, value v, gpa_sym name, value item, bool plain);
/* *there: the instance itself had it. */
gpa_code instance_delete(gpa_vm *vm, value v, gpa_sym name, bool plain, bool *there);

/* An instance leaves the vm's list; at the end of the vm all let go of their attributes. */
void instance_free(gpa_vm *vm, object_obj *o);
void instance_break_cycles(gpa_vm *vm);

#endif
