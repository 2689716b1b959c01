/* Classes that programs write, and their instances.
 *
 * A class is a CLASS value: a dict of members, its bases, and the order in which its ancestors are
 * asked for a member that it lacks (Python's C3 order). An instance is an OBJECT of instance_kind,
 * a record (lang/vm/record.h) whose members are the class's: field 0 is the dict of its
 * attributes, field 1 its class. A class that derives from an exception has exceptions as its
 * instances, EXCEPTION values that know their class. One that derives from tuple has instances that
 * hold a tuple (value_plain) in field 0, and attributes in field 2 once there are any. Metaclasses,
 * __del__, and classes derived from other built-in types are refused.
 *
 * Cycles (an instance that holds itself, a method that holds its class) are broken when the vm
 * goes: it knows all classes and instances. What instances do is in lang/vm/instance.h. */
#ifndef GPA_OBJECT_CLASS_H
#define GPA_OBJECT_CLASS_H

#include "lang/vm/kinds.h"
#include "lang/vm/native.h"
#include "lang/vm/vm.h"

/* The fields of a property, of what @staticmethod and @classmethod make, and of what super() gives.
 */
enum { PROPERTY_GET, PROPERTY_SET, PROPERTY_DELETE, PROPERTY_DOC, PROPERTY_FIELDS };
enum { WRAPPED, WRAPPED_FIELDS };
enum { SUPER_CLASS, SUPER_SELF, SUPER_FIELDS };
/* A staticmethod or classmethod object around a function. */
gpa_code descriptor_new(gpa_vm *vm, const object_kind *kind, value function, value *out);

/* A class with the members of a dict, which it keeps, and which the body made; bases: a TUPLE.
 * TypeError for bases that do not go together. */
gpa_code class_new(gpa_vm *vm, struct code *body, value bases, value members, module_obj *module,
                   value *out);
/* Where it was written: a CLASS node. */
const ast_node *class_node(const class_obj *c);
/* The member of a class or of those it derives from, borrowed; UNSET when there is none. */
value class_member_peek(gpa_vm *vm, const class_obj *c, gpa_sym name);
value class_text_peek(const class_obj *c, const char *name);
bool class_derives(const class_obj *c, const class_obj *from);
/* The same of the class's ancestors alone that come behind `from` in its order: what super() asks.
 */
value class_member_behind(const class_obj *c, const class_obj *from, const char *name);
/* Calls each with the names of the class's members, and of those it derives from. */
void class_each_member(const class_obj *c, void (*each)(void *user, const char *name, value v),
                       void *user);

/* An attribute of the class; *out UNSET: no such one. */
gpa_code class_attr(gpa_vm *vm, class_obj *c, gpa_sym name, value *out);
gpa_code class_set_attr(gpa_vm *vm, class_obj *c, gpa_sym name, value item);
gpa_code class_delete_attr(gpa_vm *vm, class_obj *c, gpa_sym name, bool *there);
/* What a member gives when it is asked for through an instance, or (self UNSET) through the class.
 */
gpa_code class_bind(gpa_vm *vm, value member, value self, value class, value *out);
/* __mro__: the class, its ancestors, the built-in exceptions among them, object. */
gpa_code class_ancestors(gpa_vm *vm, class_obj *c, value *out);

/* A class leaves the vm's list, and gives back its code; at the end of the vm all let go of their
 * members. */
void class_forget(gpa_vm *vm, class_obj *c);
void class_break_cycles(gpa_vm *vm);

#endif
