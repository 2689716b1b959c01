/* Classes of programs, and the descriptor protocol.
 *
 * A class is a CLASS value: a dict of members, its bases, and its method resolution order (Python's
 * C3 linearization). An instance is an OBJECT of instance_kind, a record (lang/vm/record.h) whose
 * members are the class's: field 0 is the dict of its attributes, field 1 its class. Instances of a
 * class that derives from an exception are EXCEPTION values that know their class. Instances of a
 * class that derives from tuple hold a tuple (value_underlying) in field 0, and attributes in field
 * 2 once there are any. Metaclasses, __del__, and classes derived from other built-in types are
 * rejected.
 *
 * Reference cycles (an instance that holds itself, a method that holds its class) are broken when
 * the vm is freed: it lists all classes and instances. Attributes of instances are in
 * lang/vm/instance.h. */
#ifndef GPA_OBJECT_CLASS_H
#define GPA_OBJECT_CLASS_H

#include "lang/vm/kinds.h"
#include "lang/vm/native.h"
#include "lang/vm/vm.h"

/* Fields of property, staticmethod/classmethod and super objects. */
enum { PROPERTY_GET, PROPERTY_SET, PROPERTY_DELETE, PROPERTY_DOC, PROPERTY_FIELDS };
enum { WRAPPED, WRAPPED_FIELDS };
enum { SUPER_CLASS, SUPER_SELF, SUPER_FIELDS };
/* A staticmethod or classmethod object around a function. */
gpa_code descriptor_new(gpa_vm *vm, const object_kind *kind, value function, value *out);

/* Creates a class from the namespace that its body made, which it keeps; bases: a TUPLE. TypeError
 * for incompatible bases. */
gpa_code class_new(gpa_vm *vm, struct code *body, value bases, value members, module_obj *module,
                   value *out);
/* Its syntax node, a CLASS. */
const ast_node *class_node(const class_obj *c);
/* A member of a class or of its base classes, borrowed; UNSET when there is none. */
value class_member_peek(gpa_vm *vm, const class_obj *c, gpa_sym name);
value class_text_peek(const class_obj *c, const char *name);
bool class_derives(const class_obj *c, const class_obj *from);
/* The same, searching only after `from` in the method resolution order of c: the lookup of super().
 */
value class_super_member(const class_obj *c, const class_obj *from, const char *name);
/* Calls `each` with the members of the class and of its base classes. */
void class_each_member(const class_obj *c, void (*each)(void *user, const char *name, value v),
                       void *user);

/* An attribute of the class; *out UNSET: no such one. */
gpa_code class_attr(gpa_vm *vm, class_obj *c, gpa_sym name, value *out);
gpa_code class_set_attr(gpa_vm *vm, class_obj *c, gpa_sym name, value item);
gpa_code class_delete_attr(gpa_vm *vm, class_obj *c, gpa_sym name, bool *there);
/* The descriptor protocol: what a member evaluates to when accessed through an instance, or (self
 * UNSET) through the class. */
gpa_code class_bind(gpa_vm *vm, value member, value self, value class, value *out);
/* __mro__: the class, its ancestors, the built-in exceptions among them, object. */
gpa_code class_ancestors(gpa_vm *vm, class_obj *c, value *out);

/* Unlinks a class from the vm's list and releases its code. At the end of the vm all classes
 * release their members. */
void class_unlink(gpa_vm *vm, class_obj *c);
void class_break_cycles(gpa_vm *vm);

#endif
