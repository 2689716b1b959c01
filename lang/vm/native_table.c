/* Owners of natives and table lookup. */
#include "lang/vm/native_table.h"

#include "lang/vm/generator.h"

#define MODULE(id, name, doc) const char owner_##id[] = name;
#define TYPE(id, name) const char owner_##id[] = name;
#include "lang/vm/owners.def"
#undef MODULE
#undef TYPE

static const struct {
    const char *name, *doc; /* doc: of a module */
    bool module;
} owners[OWNER_COUNT] = {
#define MODULE(id, name_, doc_) [OWNER_##id] = {owner_##id, doc_, true},
#define TYPE(id, name_) [OWNER_##id] = {owner_##id, NULL, false},
#include "lang/vm/owners.def"
#undef MODULE
#undef TYPE
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

/* The owner of the rows of a kind of object. Looked up by name once: a method call asks for it. */
static native_owner owner_of_kind(const object_kind *kind) {
    enum {
#define KIND(id, kind_) KIND_##id,
#include "lang/vm/kinds.def"
#undef KIND
        KINDS
    };
    static _Atomic(uint16_t) known[KINDS]; /* the owner plus 1; 0: not looked up yet */
    int i = 0;
    while (i < KINDS && object_kinds[i] != kind) i++;
    if (i == KINDS) return owner_find(kind->type_name);
    if (!known[i]) known[i] = (uint16_t)(owner_find(kind->type_name) + 1);
    return (native_owner)(known[i] - 1);
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
        return object_kinds[aux - AUX_KIND]->tuple ? OWNER_NAMED
                                                   : owner_of_kind(object_kinds[aux - AUX_KIND]);
    if (aux == AUX_FROZENSET) return OWNER_FROZENSET;
    if (aux == AUX_ORDERED_DICT) return OWNER_ORDERED_DICT;
    if (aux >= AUX_ERROR) return OWNER_EXCEPTION;
    if (aux == AUX_DTYPE_META) return OWNER_TYPE;
    if (aux >= AUX_DTYPE_CLASS) return OWNER_DTYPE;
    if (aux >= AUX_DTYPE) return OWNER_GENERIC;
    return (native_owner)of_tag[aux];
}

native_owner owner_of_value(value v) {
    if ((v.tag == V_COMPLEX || v.tag == V_ARRAY) && v.aux) return OWNER_GENERIC;
    if (v.tag == V_OBJECT)
        return v.object->kind->tuple ? OWNER_NAMED : owner_of_kind(v.object->kind);
    if (v.tag == V_SET && v.set->frozen) return OWNER_FROZENSET;
    if (v.tag == V_DICT && v.dict->ordered) return OWNER_ORDERED_DICT;
    if (generator_is(v)) return OWNER_GENERATOR;
    if (v.tag == V_FUNC && v.func->code->jit) return OWNER_JITTED;
    return (native_owner)of_tag[v.tag];
}

/* True if a type has a row of its base, too. NumPy's scalars have no setters ("shape="), as they
 * are immutable, and lack some methods of arrays. */
static bool is_inherited(native_owner o, native_owner base, const char *name) {
    static const char *const lacking[] = {"mT", "partition"};
    if (o != OWNER_GENERIC || base == o) return true;
    for (size_t i = 0; i < COUNT_OF(lacking); i++)
        if (strcmp(name, lacking[i]) == 0) return false;
    return !strchr(name, '=');
}

bool native_takes(const native *row, value self) {
    if (self.tag == V_TYPE && row->owner == owners[OWNER_NAMED].name &&
        strcmp(row->name, "_make") == 0)
        return true; /* a classmethod */
    if (self.tag == V_CLASS && self.class->tuple && row->owner == owner_TUPLE)
        return strcmp(row->name, "__new__") == 0;
    if (self.tag == V_CLASS) return row->owner == owner_OBJECT || row->owner == owner_TYPE;
    if (self.tag == V_TYPE && row->owner != owner_TYPE) return strcmp(row->name, "__new__") == 0;
    native_owner own = owner_of_value(self);
    for (native_owner o = own; o != OWNER_COUNT; o = owner_next(o))
        if (row->owner == owners[o].name) return is_inherited(own, o, row->name);
    return self.tag == V_TYPE;
}

native_owner owner_next(native_owner o) {
    if (o == OWNER_GENERIC) return OWNER_ARRAY;
    if (o == OWNER_BOOL) return OWNER_INT;
    if (o == OWNER_FROZENSET) return OWNER_SET;
    if (o == OWNER_ORDERED_DICT) return OWNER_DICT;
    if (o == OWNER_GENERATOR) return OWNER_ITERATOR;
    return OWNER_COUNT;
}

const native *native_find(native_owner o, const char *name) {
    const native_owner own = o;
    for (; o != OWNER_COUNT; o = owner_next(o))
        for (const native *n = native_rows_all; n->owner; n++)
            if (n->owner == owners[o].name && strcmp(n->name, name) == 0)
                return is_inherited(own, o, name) ? n : NULL;
    return NULL;
}

const native *native_rows(native_owner o, size_t *n) {
    const native *first = native_rows_all;
    while (first->owner && (o == OWNER_COUNT || first->owner != owners[o].name)) first++;
    for (*n = 0; first[*n].owner && first[*n].owner == first->owner;) ++*n;
    return first;
}

const native_const *native_consts(native_owner o, size_t *n) {
    const native_const *first = native_consts_all;
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
            *out = native_make_const(vm, c->owner, name);
            return out->tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
        }
    const ufunc *u = o == OWNER_NUMPY ? ufunc_find(name) : NULL;
    if (u) *out = (value){.tag = V_UFUNC, .ufunc = u};
    return GPA_OK;
}
