/* Operators with a record operand: Python's order of methods and reflected methods, and NumPy's
 * protocols __array__, __array_ufunc__ and __array_priority__. */
#include <stdio.h>

#include "lang/vm/array_interface.h"
#include "lang/vm/instance.h"
#include "lang/vm/operate.h"
#include "lang/vm/record.h"

static const struct {
    const char *of_left, *of_right;
} operators[] = {
    [AST_OP_ADD] = {"__add__", "__radd__"},
    [AST_OP_SUB] = {"__sub__", "__rsub__"},
    [AST_OP_MUL] = {"__mul__", "__rmul__"},
    [AST_OP_DIV] = {"__truediv__", "__rtruediv__"},
    [AST_OP_FLOORDIV] = {"__floordiv__", "__rfloordiv__"},
    [AST_OP_MOD] = {"__mod__", "__rmod__"},
    [AST_OP_POW] = {"__pow__", "__rpow__"},
    [AST_OP_MATMUL] = {"__matmul__", "__rmatmul__"},
    [AST_OP_LSHIFT] = {"__lshift__", "__rlshift__"},
    [AST_OP_RSHIFT] = {"__rshift__", "__rrshift__"},
    [AST_OP_BITAND] = {"__and__", "__rand__"},
    [AST_OP_BITOR] = {"__or__", "__ror__"},
    [AST_OP_BITXOR] = {"__xor__", "__rxor__"},
    [AST_OP_EQ] = {"__eq__", "__eq__"},
    [AST_OP_NE] = {"__ne__", "__ne__"},
    [AST_OP_LT] = {"__lt__", "__gt__"},
    [AST_OP_LE] = {"__le__", "__ge__"},
    [AST_OP_GT] = {"__gt__", "__lt__"},
    [AST_OP_GE] = {"__ge__", "__le__"},
};

static gpa_code try_operand(gpa_vm *vm, value self, const char *name, value other, value *out,
                            bool *handled) {
    if (*handled) return GPA_OK;
    gpa_code rc = record_call_special(vm, self, name, ARGS(1, &other), out, handled);
    if (rc || !*handled || out->tag != V_NOT_IMPLEMENTED) return rc;
    *handled = false;
    return GPA_OK;
}

/* a != b of instances that define == only: its negation. */
static gpa_code opposite_of_equal(gpa_vm *vm, value a, value b, value *out, bool *handled) {
    bool equal = false;
    value answer = v_none();
    if (!class_of_peek(a) && !class_of_peek(b)) return GPA_OK;
    gpa_code rc = record_binary(vm, AST_OP_EQ, a, b, &answer, handled);
    if (!rc && *handled) rc = value_truth(vm, answer, &equal);
    value_release(vm, answer);
    if (!rc && *handled) *out = v_bool(!equal);
    return rc;
}

static bool is_numpy(value v) {
    return v.tag == V_ARRAY || v.tag == V_NUM || (v.tag == V_COMPLEX && v.aux);
}

/* Converts operand k, an instance, through __array__ when the other one is a NumPy value. */
static gpa_code array_operand(gpa_vm *vm, ast_op op, const value *operands, int k, value *out,
                              bool *handled) {
    value pair[] = {operands[0], operands[1]};
    if (!is_numpy(pair[1 - k])) return GPA_OK;
    pair[k] = v_none();
    gpa_code rc = record_array(vm, operands[k], &pair[k], handled);
    if (!rc && *handled) rc = op_binary(vm, op, pair[0], pair[1], out);
    value_release(vm, pair[k]);
    return rc;
}

/* True if a NumPy value leaves its operators to instances of the class: __array_ufunc__ is None, or
 * is absent and __array_priority__ exceeds the value's. */
static bool defers_to(value numpy, const class_obj *other) {
    if (!other || !is_numpy(numpy)) return false;
    value own = class_text_peek(other, "__array_ufunc__"),
          priority = class_text_peek(other, "__array_priority__");
    if (own.tag != V_UNSET) return own.tag == V_NONE;
    const bool scalar = numpy.tag != V_ARRAY || numpy.aux;
    const number n = number_of(priority);
    return n.kind != NUMBER_NOT && number_real(&n) > (scalar ? -1e6 : 0);
}

/* The result of an operator that a NumPy value has left to an instance, which lacks it. */
static gpa_code deferred_in_vain(gpa_vm *vm, ast_op op, value a, value b, value *out) {
    const char *words = op >= AST_OP_LT && op <= AST_OP_GE
                            ? "'%s' not supported between instances of '%s' and '%s'"
                            : "unsupported operand type(s) for %s: '%s' and '%s'";
    if (op != AST_OP_EQ)
        return vm_fail(vm, GPA_E_TYPE, words, op == AST_OP_POW ? "** or pow()" : ast_op_text(op),
                       value_type_name(a), value_type_name(b));
    *out = v_bool(false);
    return GPA_OK;
}

/* True if a subclass on the right overrides the reflected method and so takes precedence;
 * comparisons always do. */
static bool overrides_reflected(ast_op op, const class_obj *left, const class_obj *right) {
    value own = class_text_peek(right, operators[op].of_right),
          inherited = class_text_peek(left, operators[op].of_right);
    return op >= AST_OP_EQ || inherited.tag == V_UNSET || !value_is(own, inherited);
}

/* True if the operator of a NumPy value on the left is a ufunc that the operand on the right takes
 * over: its class has an __array_ufunc__ other than None. */
static bool takes_ufuncs(value a, const class_obj *right) {
    if (!right || !(a.tag == V_ARRAY || a.tag == V_NUM)) return false;
    value own = class_text_peek(right, "__array_ufunc__");
    return own.tag != V_UNSET && own.tag != V_NONE;
}

gpa_code record_binary(gpa_vm *vm, ast_op op, value a, value b, value *out, bool *handled) {
    *handled = false;
    if ((size_t)op >= COUNT_OF(operators) || !operators[op].of_left) return GPA_OK;
    const class_obj *left = class_of_peek(a), *right = class_of_peek(b);
    if (takes_ufuncs(a, right)) {
        *handled = true;
        return array_operators.binary(vm, op, a, b, out);
    }
    const bool compares = op >= AST_OP_EQ && op <= AST_OP_GE, to_right = defers_to(a, right),
               to_left = compares && defers_to(b, left);
    gpa_code rc = to_right ? GPA_OK : array_operand(vm, op, (value[]){a, b}, 1, out, handled);
    if (rc || *handled) return rc;
    if (left && right && left != right && class_derives(right, left) &&
        overrides_reflected(op, left, right)) { /* the subclass's reflected method has precedence */
        rc = try_operand(vm, b, operators[op].of_right, a, out, handled);
        if (rc || *handled) return rc;
    }
    rc = try_operand(vm, a, operators[op].of_left, b, out, handled);
    bool again =
        left && left == right && op < AST_OP_EQ; /* same class: the reflected method is not tried */
    if (!rc && !again) rc = try_operand(vm, b, operators[op].of_right, a, out, handled);
    if (rc || *handled) return rc;
    if (to_right || to_left) {
        if (op == AST_OP_NE) return opposite_of_equal(vm, a, b, out, handled);
        *handled = true;
        return deferred_in_vain(vm, op, a, b, out);
    }
    if (left && class_text_peek(left, "__array_ufunc__").tag != V_NONE)
        rc = array_operand(vm, op, (value[]){a, b}, 0, out, handled);
    return rc || *handled || op != AST_OP_NE ? rc : opposite_of_equal(vm, a, b, out, handled);
}

gpa_code record_update(gpa_vm *vm, ast_op op, value a, value b, value *out, bool *handled) {
    char name[20];
    *handled = false;
    if ((size_t)op >= COUNT_OF(operators) || !operators[op].of_left) return GPA_OK;
    snprintf(name, sizeof name, "__i%s", operators[op].of_left + 2);
    return try_operand(vm, a, name, b, out, handled);
}

gpa_code record_unary(gpa_vm *vm, ast_op op, value a, value *out, bool *handled) {
    const char *name = op == AST_OP_NEG ? "__neg__" : op == AST_OP_POS ? "__pos__" : "__invert__";
    return record_call_special(vm, a, name, NO_ARGS, out, handled);
}
