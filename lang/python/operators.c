/* Operators: each row of `arithmetic` names the functions of Python's number protocol. */
#include "lang/python/operators.h"

static py_object *power(py_object *a, py_object *b) { return py.PyNumber_Power(a, b, py.none); }
static py_object *power_in_place(py_object *a, py_object *b) {
    return py.PyNumber_InPlacePower(a, b, py.none);
}

typedef py_object *(*binary_fn)(py_object *a, py_object *b);

/* The function of an operator; NULL: it is a comparison or none. */
static binary_fn arithmetic(ast_op op, bool update) {
    switch ((int)op) {
        case AST_OP_ADD: return update ? py.PyNumber_InPlaceAdd : py.PyNumber_Add;
        case AST_OP_SUB: return update ? py.PyNumber_InPlaceSubtract : py.PyNumber_Subtract;
        case AST_OP_MUL: return update ? py.PyNumber_InPlaceMultiply : py.PyNumber_Multiply;
        case AST_OP_MATMUL:
            return update ? py.PyNumber_InPlaceMatrixMultiply : py.PyNumber_MatrixMultiply;
        case AST_OP_DIV: return update ? py.PyNumber_InPlaceTrueDivide : py.PyNumber_TrueDivide;
        case AST_OP_FLOORDIV:
            return update ? py.PyNumber_InPlaceFloorDivide : py.PyNumber_FloorDivide;
        case AST_OP_MOD: return update ? py.PyNumber_InPlaceRemainder : py.PyNumber_Remainder;
        case AST_OP_POW: return update ? power_in_place : power;
        case AST_OP_LSHIFT: return update ? py.PyNumber_InPlaceLshift : py.PyNumber_Lshift;
        case AST_OP_RSHIFT: return update ? py.PyNumber_InPlaceRshift : py.PyNumber_Rshift;
        case AST_OP_BITAND: return update ? py.PyNumber_InPlaceAnd : py.PyNumber_And;
        case AST_OP_BITOR: return update ? py.PyNumber_InPlaceOr : py.PyNumber_Or;
        case AST_OP_BITXOR: return update ? py.PyNumber_InPlaceXor : py.PyNumber_Xor;
        default: return NULL;
    }
}

static int comparison(ast_op op) {
    switch ((int)op) {
        case AST_OP_LT: return PY_LT;
        case AST_OP_LE: return PY_LE;
        case AST_OP_EQ: return PY_EQ;
        case AST_OP_NE: return PY_NE;
        case AST_OP_GT: return PY_GT;
        default: return PY_GE;
    }
}

gpa_code python_binary(gpa_vm *vm, ast_op op, bool update, value a, value b, value *out) {
    python_scope s = python_enter(python_host_peek(vm));
    py_object *x = to_python(s.host, a), *y = x ? to_python(s.host, b) : NULL;
    binary_fn fn = arithmetic(op, update);
    gpa_code rc =
        !y   ? vm_err(vm)->code
        : fn ? from_python_take(s.host, fn(x, y), out)
             : from_python_take(s.host, py.PyObject_RichCompare(x, y, comparison(op)), out);
    py_drop(x);
    py_drop(y);
    python_leave(&s);
    return rc;
}

gpa_code python_unary(gpa_vm *vm, ast_op op, value a, value *out) {
    python_scope s = python_enter(python_host_peek(vm));
    py_object *x = proxy_peek(a);
    py_object *(*fn)(py_object *) = op == AST_OP_NEG   ? py.PyNumber_Negative
                                    : op == AST_OP_POS ? py.PyNumber_Positive
                                                       : py.PyNumber_Invert;
    gpa_code rc = from_python_take(s.host, fn(x), out);
    python_leave(&s);
    return rc;
}
