/* Method tables of OBJECT values: small library types (an open file, a device context, a finfo).
 *
 * A kind is a constant that the room of the type defines. Kinds that have a type value are rows of
 * lang/vm/kinds.def; the value's `aux` is AUX_KIND plus the row. */
#ifndef GPA_OBJECT_KIND_H
#define GPA_OBJECT_KIND_H

#include "lang/object/value.h"

struct mime_bundle;

/* Arguments of a call: n positional values, then those of n_named keyword arguments, whose names
 * (STR values) are in `names`. Borrowed. */
typedef struct call_args {
    size_t n, n_named;
    const value *values, *names;
} call_args;
#define NO_ARGS (&(call_args){.n = 0})
/* n positional arguments: ARGS(2, pair). */
#define ARGS(n_, ...) (&(call_args){.n = (n_), .values = __VA_ARGS__})

typedef struct object_kind {
    const char *type_name; /* "numpy.finfo", "_io.TextIOWrapper" */
    bool tuple;            /* named tuple: field 0 is the tuple */
    bool instance;         /* instance of a class of a program: field 1 is the class */
    bool binds;            /* as a class member it binds to the instance, like a function */
    bool foreign;          /* an object of another language (lang/vm/foreign.h) */
    bool set_like;         /* a set in operators and comparisons: the keys and items of a dict */
    void (*free)(gpa_vm *vm, object_obj *o);                   /* may be NULL */
    gpa_code (*repr)(gpa_vm *vm, object_obj *o, gpa_str *out); /* may be NULL: <type object> */
    gpa_code (*str)(gpa_vm *vm, object_obj *o, gpa_str *out);  /* may be NULL: as repr */
    gpa_code (*enter)(gpa_vm *vm, object_obj *o, value *out);  /* `with`; may be NULL */
    gpa_code (*exit)(gpa_vm *vm, object_obj *o, value exc, bool *swallow); /* may be NULL */
    gpa_code (*attr)(gpa_vm *vm, object_obj *o, const char *name,
                     value *out); /* *out UNSET: no such attribute; may be NULL */
    gpa_code (*set)(gpa_vm *vm, object_obj *o, const char *name,
                    value v); /* may be NULL: attributes cannot be set */
    gpa_code (*call)(gpa_vm *vm, object_obj *o, const call_args *a, value *out); /* may be NULL */
    gpa_code (*getitem)(gpa_vm *vm, object_obj *o, value key, value *out);       /* may be NULL */
    gpa_code (*setitem)(gpa_vm *vm, object_obj *o, value key, value item);       /* may be NULL */
    gpa_code (*delitem)(gpa_vm *vm, object_obj *o, value key);                   /* may be NULL */
    gpa_code (*iter)(gpa_vm *vm, object_obj *o, value *out);                     /* may be NULL */
    gpa_code (*len)(gpa_vm *vm, object_obj *o, int64_t *out); /* may be NULL: has no len() */
    gpa_code (*contains)(gpa_vm *vm, object_obj *o, value item,
                         bool *out); /* may be NULL: by iteration */
    gpa_code (*mimes)(gpa_vm *vm, object_obj *o,
                      struct mime_bundle *out);              /* MIME representations besides text
                                                                (lang/object/mime.h); may be NULL */
    gpa_code (*truth)(gpa_vm *vm, object_obj *o, bool *out); /* may be NULL: by len, or true */
    bool (*equal)(const object_obj *a, const object_obj *b); /* may be NULL: by identity */
    gpa_code (*hash)(gpa_vm *vm, value v, uint64_t *out,
                     bool *handled); /* may be NULL: by identity, as when not handled */
    bool (*type_attr)(gpa_vm *vm, value type, const char *name,
                      value *out); /* an attribute of the type itself; may be NULL */
    bool (*derives)(const object_obj *o,
                    uint32_t type); /* for objects that stand for abstract types: true if `type`
                                       derives from it; may be NULL */
} object_kind;

/* Every row of kinds.def, in order, terminated by NULL. Defined in lang/library/natives.c. */
extern const object_kind *const object_kinds[];

/* A new object of a kind with n fields (NONE), data NULL. UNSET on failure. */
value v_object(gpa_vm *vm, const object_kind *kind, size_t n);

static inline bool is_kind(value v, const object_kind *kind) {
    return v.tag == V_OBJECT && v.object->kind == kind;
}
static inline bool is_instance(value v) { return v.tag == V_OBJECT && v.object->kind->instance; }
/* The class of an instance, or of an exception that a program's class made; else NULL. Borrowed. */
static inline class_obj *class_of_peek(value v) {
    if (is_instance(v)) return v.object->fields[1].class;
    return v.tag == V_EXCEPTION && v.exc->class.tag == V_CLASS ? v.exc->class.class : NULL;
}
/* Python's name of a type value: "int", "numpy.float32", "ValueError". */
const char *type_name(uint32_t aux);

#endif
