/* NumPy's ufuncs as values, one per row of op.def. */
#include "lang/vm/native.h"

static const ufunc ufuncs[OP_COUNT] = {
#define OP(id, name, ...) [OP_##id] = {OP_##id, name},
#define OPX(id, name, ...) [OP_##id] = {OP_##id, name},
#include "runtime/tables/op.def"
#undef OP
#undef OPX
};

/* Ufuncs that are objects of their own in NumPy, next to the row that they compute. */
static const ufunc named[] = {{OP_DEGREES, "rad2deg"}, {OP_RADIANS, "deg2rad"}};

const ufunc *ufunc_find(const char *name) {
    for (size_t i = 0; i < COUNT_OF(named); i++)
        if (strcmp(named[i].name, name) == 0) return &named[i];
    gpa_op op = op_find(name, strlen(name));
    return op == OP_COUNT ? NULL : &ufuncs[op];
}

const ufunc *ufunc_of(gpa_op op) { return &ufuncs[op]; }
