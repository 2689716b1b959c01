/* The registry of native functions: every .def table expanded into the arrays that
 * lang/vm/native_table.h declares.
 *
 * It is above all rooms that define natives, and calls no room: the interpreter reads its arrays.
 * The owner of a row is compared by address. */
#include <math.h>

#include "lang/typed/all.h"
#include "lang/builtin/file.h"
#include "lang/vm/kinds.h"
#include "lang/vm/native_table.h"
#include "lang/builtin/os.h"
#include "lang/numpy/numpy.h"

/* Docstrings that the rows name doc_NAME. */
#define DOC(name, text) static const char doc_##name[] = text;
#include "lang/numpy/doc/all.def"
#undef DOC

/* Kind of an owner's functions: functions of a module, or methods of a type. */
enum {
#define MODULE(id, name, doc) KIND_##id = NATIVE_FUNCTION,
#define TYPE(id, name) KIND_##id = NATIVE_METHOD,
#include "lang/vm/owners.def"
#undef MODULE
#undef TYPE
};

/* Docstrings of compiled functions, which rows name doc_NAME. */
#define DOC(name, text) static const char doc_##name[] = text;
#include "lang/typed/doc/all.def"
#undef DOC

const native native_rows_all[] = {
#define FN(owner, name, fn, signature, doc) {owner_##owner, name, fn, signature, doc, KIND_##owner},
#define STATIC(owner, name, fn, signature, doc) \
    {owner_##owner, name, fn, signature, doc, NATIVE_FUNCTION},
#define PROP(owner, name, fn, doc) {owner_##owner, name, fn, "self", doc, NATIVE_PROPERTY},
#define CONST(owner, name, value, doc)
#include "lang/library/natives.def"
#undef FN
#undef STATIC
#undef PROP
#undef CONST
    {NULL, NULL, NULL, NULL, NULL, 0},
};

const native_const native_consts_all[] = {
#define FN(owner, name, fn, signature, doc)
#define STATIC(owner, name, fn, signature, doc)
#define PROP(owner, name, fn, doc)
#define CONST(owner, name, value, doc) {owner_##owner, name, doc},
#include "lang/library/natives.def"
#undef CONST
    {NULL, NULL, NULL},
};

value native_make_const(gpa_vm *vm, const char *owner, const char *name) {
    (void)vm;
#define CONST(id, text, made, doc) \
    if (owner == owner_##id && strcmp(name, text) == 0) return made;
#include "lang/library/natives.def"
#undef FN
#undef STATIC
#undef PROP
#undef CONST
    return v_unset();
}

const object_kind *const object_kinds[OBJECT_KINDS + 1] = {
#define KIND(id, variable) [OBJECT_##id] = &variable,
#include "lang/vm/kinds.def"
#undef KIND
    [OBJECT_KINDS] = NULL,
};
