/* The built-in tables, expanded from the .def files into arrays in the order of all.def. The owner
 * of a row is compared by address: each owner's name is one array. */
#include <math.h>

#include "lang/builtin/all.h"
#include "lang/builtin/file.h"
#include "lang/builtin/kinds.h"
#include "lang/builtin/os.h"
#include "lang/object/class.h"
#include "lang/vm/generator.h"
#include "lang/numpy/numpy.h"

#define MODULE(id, name, doc) static const char owner_##id[] = name;
#define TYPE(id, name) static const char owner_##id[] = name;
#include "lang/builtin/owners.def"
#undef MODULE
#undef TYPE

/* How the plain functions of an owner are called. */
enum {
#define MODULE(id, name, doc) KIND_##id = NATIVE_FUNCTION,
#define TYPE(id, name) KIND_##id = NATIVE_METHOD,
#include "lang/builtin/owners.def"
#undef MODULE
#undef TYPE
};

static const struct {
    const char *name, *doc; /* doc: of a module */
    bool module;
} owners[OWNER_COUNT] = {
#define MODULE(id, name_, doc_) [OWNER_##id] = {owner_##id, doc_, true},
#define TYPE(id, name_) [OWNER_##id] = {owner_##id, NULL, false},
#include "lang/builtin/owners.def"
#undef MODULE
#undef TYPE
};

/* Docstrings of compiled functions, which rows name doc_NAME. */
#define DOC(name, text) static const char doc_##name[] = text;
#include "lang/typed/doc/all.def"
#undef DOC

static const native rows[] = {
#define FN(owner, name, fn, signature, doc) {owner_##owner, name, fn, signature, doc, KIND_##owner},
#define STATIC(owner, name, fn, signature, doc) \
    {owner_##owner, name, fn, signature, doc, NATIVE_FUNCTION},
#define PROP(owner, name, fn, doc) {owner_##owner, name, fn, "self", doc, NATIVE_PROPERTY},
#define CONST(owner, name, value, doc)
#include "lang/builtin/all.def"
#undef FN
#undef STATIC
#undef PROP
#undef CONST
    {NULL, NULL, NULL, NULL, NULL, 0},
};

static const native_const consts[] = {
#define FN(owner, name, fn, signature, doc)
#define STATIC(owner, name, fn, signature, doc)
#define PROP(owner, name, fn, doc)
#define CONST(owner, name, value, doc) {owner_##owner, name, doc},
#include "lang/builtin/all.def"
#undef CONST
    {NULL, NULL, NULL},
};

/* The values of the constants: each expression may call on the vm. */
static value make_const(gpa_vm *vm, const char *owner, const char *name) {
    (void)vm;
#define CONST(id, text, made, doc) \
    if (owner == owner_##id && strcmp(name, text) == 0) return made;
#include "lang/builtin/all.def"
#undef FN
#undef STATIC
#undef PROP
#undef CONST
    return v_unset();
}

const object_kind *const object_kinds[OBJECT_KINDS + 1] = {
#define KIND(id, variable) [OBJECT_##id] = &variable,
#include "lang/builtin/kinds.def"
#undef KIND
    [OBJECT_KINDS] = NULL,
};

const char *owner_name(native_owner o) { return owners[o].name; }

const char *owner_doc(native_owner o) {
    return o < OWNER_COUNT && owners[o].doc ? owners[o].doc : "";
}

bool owner_is_module(native_owner o) { return o < OWNER_COUNT && owners[o].module; }

native_owner owner_find(const char *name) {
    for (int o = 0; o < OWNER_COUNT; o++)
        if (strcmp(owners[o].name, name) == 0) return (native_owner)o;
    return OWNER_COUNT;
}

static const uint8_t of_tag[V_COUNT] = {
    [V_UNSET] = OWNER_COUNT,
    [V_NONE] = OWNER_COUNT,
    [V_BOOL] = OWNER_BOOL,
    [V_INT] = OWNER_INT,
    [V_FLOAT] = OWNER_FLOAT,
    [V_NUM] = OWNER_GENERIC,
    [V_ELLIPSIS] = OWNER_COUNT,
    [V_NOT_IMPLEMENTED] = OWNER_COUNT,
    [V_DTYPE] = OWNER_DTYPE,
    [V_TYPE] = OWNER_TYPE,
    [V_NATIVE] = OWNER_NATIVE,
    [V_UFUNC] = OWNER_UFUNC,
    [V_COMPLEX] = OWNER_COMPLEX,
    [V_BIG] = OWNER_INT,
    [V_STR] = OWNER_STR,
    [V_BYTES] = OWNER_BYTES,
    [V_LIST] = OWNER_LIST,
    [V_TUPLE] = OWNER_TUPLE,
    [V_DICT] = OWNER_DICT,
    [V_SET] = OWNER_SET,
    [V_RANGE] = OWNER_RANGE,
    [V_SLICE] = OWNER_SLICE,
    [V_ARRAY] = OWNER_ARRAY,
    [V_FUNC] = OWNER_FUNCTION,
    [V_METHOD] = OWNER_COUNT,
    [V_MODULE] = OWNER_MODULE,
    [V_EXCEPTION] = OWNER_EXCEPTION,
    [V_ITER] = OWNER_ITERATOR,
    [V_OBJECT] = OWNER_OBJECT,
    [V_CELL] = OWNER_COUNT,
    [V_CLASS] = OWNER_TYPE,
};

native_owner owner_of_type(uint32_t aux) {
    if (aux >= AUX_KIND)
        return object_kinds[aux - AUX_KIND]->tuple
                   ? OWNER_NAMED
                   : owner_find(object_kinds[aux - AUX_KIND]->type_name);
    if (aux == AUX_FROZENSET) return OWNER_FROZENSET;
    if (aux >= AUX_ERROR) return OWNER_EXCEPTION;
    if (aux >= AUX_DTYPE) return OWNER_GENERIC;
    return (native_owner)of_tag[aux];
}

native_owner owner_of_value(value v) {
    if ((v.tag == V_COMPLEX || v.tag == V_ARRAY) && v.aux) return OWNER_GENERIC;
    if (v.tag == V_OBJECT)
        return v.object->kind->tuple ? OWNER_NAMED : owner_find(v.object->kind->type_name);
    if (v.tag == V_SET && v.set->frozen) return OWNER_FROZENSET;
    if (generator_is(v)) return OWNER_GENERATOR;
    return (native_owner)of_tag[v.tag];
}

bool native_takes(const native *row, value self) {
    if (self.tag == V_TYPE && row->owner == owners[OWNER_NAMED].name &&
        strcmp(row->name, "_make") == 0)
        return true; /* a method of the type */
    if (self.tag == V_CLASS && self.class->tuple && row->owner == owner_TUPLE)
        return strcmp(row->name, "__new__") == 0;
    if (self.tag == V_CLASS) return row->owner == owner_OBJECT || row->owner == owner_TYPE;
    if (self.tag == V_TYPE && row->owner != owner_TYPE) return strcmp(row->name, "__new__") == 0;
    for (native_owner o = owner_of_value(self); o != OWNER_COUNT; o = owner_next(o))
        if (row->owner == owners[o].name) return true;
    return self.tag == V_TYPE;
}

native_owner owner_next(native_owner o) {
    if (o == OWNER_GENERIC) return OWNER_ARRAY;
    if (o == OWNER_BOOL) return OWNER_INT;
    if (o == OWNER_FROZENSET) return OWNER_SET;
    if (o == OWNER_GENERATOR) return OWNER_ITERATOR;
    return OWNER_COUNT;
}

const native *native_find(native_owner o, const char *name) {
    for (; o != OWNER_COUNT; o = owner_next(o))
        for (const native *n = rows; n->owner; n++)
            if (n->owner == owners[o].name && strcmp(n->name, name) == 0) return n;
    return NULL;
}

const native *native_rows(native_owner o, size_t *n) {
    const native *first = rows;
    while (first->owner && (o == OWNER_COUNT || first->owner != owners[o].name)) first++;
    for (*n = 0; first[*n].owner && first[*n].owner == first->owner;) ++*n;
    return first;
}

const native_const *native_consts(native_owner o, size_t *n) {
    const native_const *first = consts;
    while (first->owner && (o == OWNER_COUNT || first->owner != owners[o].name)) first++;
    for (*n = 0; first[*n].owner && first[*n].owner == first->owner;) ++*n;
    return first;
}

const char *native_const_doc(native_owner o, const char *name) {
    size_t n;
    const native_const *c = native_consts(o, &n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(c[i].name, name) == 0) return c[i].doc;
    return "";
}

gpa_code native_const_value(gpa_vm *vm, native_owner o, const char *name, value *out) {
    size_t n;
    const native_const *c = native_consts(o, &n);
    *out = v_unset();
    for (size_t i = 0; i < n; i++)
        if (strcmp(c[i].name, name) == 0) {
            *out = make_const(vm, c->owner, name);
            return out->tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
        }
    const ufunc *u = o == OWNER_NUMPY ? ufunc_find(name) : NULL;
    if (u) *out = (value){.tag = V_UFUNC, .ufunc = u};
    return GPA_OK;
}
