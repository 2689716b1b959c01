/* Descriptors: property, staticmethod, classmethod and super objects. */
#include "lang/vm/class.h"
#include "lang/vm/native_table.h"

const object_kind property_kind = {.type_name = "property"};

static gpa_code call_static(gpa_vm *vm, object_obj *o, const call_args *a, value *out) {
    return vm_call(vm, o->fields[WRAPPED], a, out);
}

const object_kind static_kind = {.type_name = "staticmethod", .call = call_static};
const object_kind classmethod_kind = {.type_name = "classmethod"};

gpa_code descriptor_new(gpa_vm *vm, const object_kind *kind, value function, value *out) {
    value v = v_object(vm, kind, WRAPPED_FIELDS);
    if (v.tag != V_UNSET) v.object->fields[WRAPPED] = value_retain(function);
    return native_return(v, out);
}

/* Attribute of super() that no class of the program defines: a row of tuple, object, or the
 * exceptions. */
static gpa_code row_of(gpa_vm *vm, const class_obj *c, value self, const char *name, value *out) {
    const native *row = c->tuple ? native_find(OWNER_TUPLE, name) : NULL;
    if (row && row->kind == NATIVE_METHOD) self = value_underlying(self);
    if (!row) row = native_find(c->error ? OWNER_EXCEPTION : OWNER_OBJECT, name);
    if (!row) return GPA_OK;
    if (row->kind == NATIVE_PROPERTY) return row->fn(vm, &self, out);
    value fn = {.tag = V_NATIVE, .native = row};
    if (strcmp(name, "__new__") == 0)
        *out = fn;
    else
        return native_return(v_method(vm, self, fn), out);
    return GPA_OK;
}

static gpa_code super_attr(gpa_vm *vm, object_obj *o, const char *name, value *out) {
    value self = o->fields[SUPER_SELF],
          class = self.tag == V_CLASS ? self : v_obj(V_CLASS, class_of_peek(self));
    value m = class_super_member(class.class, o->fields[SUPER_CLASS].class, name);
    bool bound = self.tag != V_CLASS && strcmp(name, "__new__") != 0;
    *out = v_unset();
    if (m.tag == V_UNSET) return row_of(vm, class.class, self, name, out);
    return class_bind(vm, m, bound ? self : v_unset(), class, out);
}

const object_kind super_kind = {.type_name = "super", .attr = super_attr};
