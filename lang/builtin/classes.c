/* object, property, staticmethod, classmethod and super(). */
#include "lang/builtin/all.h"
#include "lang/vm/kinds.h"
#include "lang/object/container.h"
#include "lang/vm/foreign.h"
#include "lang/vm/instance.h"
#include "lang/vm/record.h"
#include "lang/vm/step.h"

/* ---- object ---- */

const object_kind plain_kind = {.type_name = "object"};

gpa_code object_new(gpa_vm *vm, value *argv, value *out) {
    value cls = argv[0];
    if (cls.tag == V_CLASS && cls.class->tuple)
        return vm_fail(vm, GPA_E_TYPE, "object.__new__(%s) is not safe, use %s.__new__()",
                       cls.class->text, cls.class->text);
    if (cls.tag == V_CLASS && !cls.class->error)
        return instance_empty(vm, cls.class, v_unset(), out);
    bool object = cls.tag == V_TYPE && cls.aux == V_OBJECT;
    if (!object)
        return vm_fail(vm, GPA_E_TYPE,
                       "object.__new__(X): X is not a class that can be made by it ('%s')",
                       cls.tag == V_TYPE ? type_name(cls.aux) : value_type_name(cls));
    if (argv[1].tuple->count || argv[2].dict->count)
        return vm_fail(vm, GPA_E_TYPE, "object() takes no arguments");
    return native_return(v_object(vm, &plain_kind, 0), out);
}

gpa_code object_init(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    if (argv[1].tuple->count || argv[2].dict->count)
        return vm_fail(vm, GPA_E_TYPE,
                       "object.__init__() takes exactly one argument (the instance to initialize)");
    return GPA_OK;
}

gpa_code object_repr(gpa_vm *vm, value *argv, value *out) {
    gpa_str s;
    str_init(&s);
    bool tuple = value_underlying(argv[0]).tag == V_TUPLE;
    gpa_code rc = tuple                  ? vm_repr(vm, value_underlying(argv[0]), &s)
                  : is_instance(argv[0]) ? record_default_repr(vm, argv[0].object, &s)
                                         : vm_repr(vm, argv[0], &s);
    return native_text(vm, rc, &s, out);
}

gpa_code object_str(gpa_vm *vm, value *argv, value *out) { return core_repr(vm, argv, out); }

gpa_code object_format(gpa_vm *vm, value *argv, value *out) {
    if (argv[1].tag == V_STR && argv[1].str->size == 0)
        return str_new(vm, (value[]){v_none(), argv[0], v_unset(), v_unset()}, out);
    return vm_fail(vm, GPA_E_TYPE, "unsupported format string passed to %s.__format__",
                   value_type_name(argv[0]));
}

gpa_code object_eq(gpa_vm *vm, value *argv, value *out) {
    value items = value_underlying(argv[0]), other = value_underlying(argv[1]);
    bool equal = false;
    if (items.tag == V_TUPLE && other.tag == V_TUPLE) {
        gpa_code rc = value_equal(vm, items, other, &equal);
        *out = v_bool(equal);
        return rc;
    }
    *out = value_is(argv[0], argv[1]) ? v_bool(true) : (value){.tag = V_NOT_IMPLEMENTED};
    return GPA_OK;
}

gpa_code object_ne(gpa_vm *vm, value *argv, value *out) {
    bool equal;
    gpa_code rc = value_equal(vm, argv[0], argv[1], &equal);
    if (!rc) *out = v_bool(!equal);
    return rc;
}

gpa_code object_hash(gpa_vm *vm, value *argv, value *out) {
    uint64_t h = (uint64_t)(uintptr_t)argv[0].o >> 4;
    value items = value_underlying(argv[0]);
    gpa_code rc = items.tag == V_TUPLE ? value_hash(vm, items, &h) : GPA_OK;
    *out = v_int((int64_t)h);
    return rc;
}

/* The attribute name among the arguments; 0 after a failure. */
static gpa_sym attribute_name(gpa_vm *vm, value name) {
    if (name.tag != V_STR)
        vm_fail(vm, GPA_E_TYPE, "attribute name must be string, not '%s'", value_type_name(name));
    gpa_sym s = name.tag == V_STR ? intern_get(vm->core.names, name.str->text, name.str->size) : 0;
    if (!s) vm_no_memory(vm);
    return s;
}

gpa_code object_setattr(gpa_vm *vm, value *argv, value *out) {
    gpa_sym name = attribute_name(vm, argv[1]);
    (void)out;
    if (!name) return vm->core.err.code;
    return class_of_peek(argv[0]) ? instance_set(vm, argv[0], name, argv[2], true)
                                  : attr_set(vm, argv[0], name, argv[2]);
}

gpa_code object_delattr(gpa_vm *vm, value *argv, value *out) {
    gpa_sym name = attribute_name(vm, argv[1]);
    bool there = false;
    (void)out;
    if (!name) return vm->core.err.code;
    if (!class_of_peek(argv[0])) return attr_delete(vm, argv[0], name);
    gpa_code rc = instance_delete(vm, argv[0], name, true, &there);
    return rc || there ? rc
                       : vm_fail(vm, GPA_E_ATTRIBUTE, "'%s' object has no attribute '%s'",
                                 value_type_name(argv[0]), argv[1].str->text);
}

gpa_code object_getattribute(gpa_vm *vm, value *argv, value *out) {
    gpa_sym name = attribute_name(vm, argv[1]);
    return name ? attr_get(vm, argv[0], name, NULL, out) : vm->core.err.code;
}

/* ---- property ---- */

gpa_code property_new(gpa_vm *vm, value *argv, value *out) { /* cls, then the fields in order */
    value v = v_object(vm, &property_kind, PROPERTY_FIELDS);
    for (size_t i = 0; v.tag != V_UNSET && i < PROPERTY_FIELDS; i++)
        v.object->fields[i] = value_retain(argv[1 + i]);
    return native_return(v, out);
}

static gpa_code wrap_function(gpa_vm *vm, value *argv, int field, value *out) {
    value parts[1 + PROPERTY_FIELDS];
    for (size_t i = 0; i < PROPERTY_FIELDS; i++) parts[1 + i] = argv[0].object->fields[i];
    parts[1 + field] = argv[1];
    return property_new(vm, parts, out);
}

static gpa_code return_field(value v, int field, value *out) {
    *out = value_retain(v.object->fields[field]);
    return GPA_OK;
}

gpa_code property_getter(gpa_vm *vm, value *argv, value *out) {
    return wrap_function(vm, argv, PROPERTY_GET, out);
}
gpa_code property_setter(gpa_vm *vm, value *argv, value *out) {
    return wrap_function(vm, argv, PROPERTY_SET, out);
}
gpa_code property_deleter(gpa_vm *vm, value *argv, value *out) {
    return wrap_function(vm, argv, PROPERTY_DELETE, out);
}

gpa_code property_fget(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    return return_field(argv[0], PROPERTY_GET, out);
}

gpa_code property_fset(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    return return_field(argv[0], PROPERTY_SET, out);
}

gpa_code property_fdel(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    return return_field(argv[0], PROPERTY_DELETE, out);
}

gpa_code property_doc(gpa_vm *vm, value *argv, value *out) {
    const value *fields = argv[0].object->fields;
    bool own = fields[PROPERTY_DOC].tag != V_NONE || fields[PROPERTY_GET].tag == V_NONE;
    return own ? return_field(argv[0], PROPERTY_DOC, out)
               : vm_attr(vm, fields[PROPERTY_GET], "__doc__", out);
}

/* ---- staticmethod, classmethod ---- */

gpa_code staticmethod_new(gpa_vm *vm, value *argv, value *out) {
    return descriptor_new(vm, &static_kind, argv[1], out);
}
gpa_code classmethod_new(gpa_vm *vm, value *argv, value *out) {
    return descriptor_new(vm, &classmethod_kind, argv[1], out);
}

gpa_code wrapped_function(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    return return_field(argv[0], WRAPPED, out);
}

gpa_code object_init_subclass(gpa_vm *vm, value *argv, value *out) {
    (void)vm, (void)argv;
    *out = v_none();
    return GPA_OK;
}

/* ---- super ---- */

/* The class in which the running method was defined, and the method's first argument. */
static gpa_code enclosing_method(gpa_vm *vm, value *class, value *self) {
    const frame *f = vm->depth ? &vm->frames[vm->depth - 1] : NULL;
    gpa_sym name = intern_find(vm->core.names, "__class__", 9);
    *class = *self = v_unset();
    if (!f || !f->fn || !f->code->n_params)
        return vm_fail(vm, GPA_E_RUNTIME, "super(): no arguments");
    const ast_scope *s = f->code->scope;
    for (uint32_t i = 0; i < s->n_frees; i++)
        if (s->frees[i].name == name) *class = f->free[i].cell->v;
    *self = f->regs[0].tag == V_CELL ? f->regs[0].cell->v : f->regs[0];
    if (class->tag == V_UNSET)
        return vm_fail(vm, GPA_E_RUNTIME, "super(): __class__ cell not found");
    return self->tag == V_UNSET ? vm_fail(vm, GPA_E_RUNTIME, "super(): arg[0] deleted") : GPA_OK;
}

gpa_code super_new(gpa_vm *vm, value *argv, value *out) { /* cls, type, object_or_type */
    value class = argv[1], self = argv[2];
    gpa_code rc = class.tag == V_UNSET ? enclosing_method(vm, &class, &self) : GPA_OK;
    if (rc) return rc;
    if (is_foreign(class) || (class.tag == V_CLASS && is_foreign(self)))
        return foreign.super(vm, class, self, out);
    if (class.tag != V_CLASS)
        return vm_fail(vm, GPA_E_TYPE, "super() argument 1 must be a type, not %s",
                       value_type_name(class));
    const class_obj *of = self.tag == V_CLASS ? self.class : class_of_peek(self);
    if (!of || !class_derives(of, class.class))
        return vm_fail(vm, GPA_E_TYPE,
                       "super(type, obj): obj must be an instance or subtype of type");
    value v = v_object(vm, &super_kind, SUPER_FIELDS);
    if (v.tag == V_UNSET) return vm->core.err.code;
    v.object->fields[SUPER_CLASS] = value_retain(class);
    v.object->fields[SUPER_SELF] = value_retain(self);
    *out = v;
    return GPA_OK;
}
