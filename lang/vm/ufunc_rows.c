/* NumPy's ufuncs as values, one per row of op.def. */
#include "lang/vm/native.h"

static const ufunc ufuncs[OP_COUNT] = {
#define OP(id, name, ...) [OP_##id] = {OP_##id, name},
#define OPX(id, name, ...) [OP_##id] = {OP_##id, name},
#include "runtime/tables/op.def"
#undef OP
#undef OPX
};

const ufunc *ufunc_find(const char *name) {
    gpa_op op = op_find(name, strlen(name));
    return op == OP_COUNT ? NULL : &ufuncs[op];
}

const ufunc *ufunc_of(gpa_op op) { return &ufuncs[op]; }
