/* Scalar arguments of native functions, with Python's error messages. */
#include <math.h>

#include "lang/object/big.h"
#include "lang/object/number.h"
#include "lang/vm/record.h"
#include "runtime/tape.h"

gpa_code arg_untraced(gpa_vm *vm, const gpa_arr *a) {
    if (!tape_is_active(vm_rt(vm), a) || tape_is_mapped(vm_rt(vm), a)) return GPA_OK;
    return vm_fail(vm, GPA_E_TYPE,
                   "a number of Python has no derivative: apply functions of numpy, not float(), "
                   "int(), item() or math, to what is differentiated");
}

/* The numeric value of an argument; a lazy NumPy scalar is computed, a one-element array is read.
 */
static gpa_code scalar_of(gpa_vm *vm, value v, number *n, gpa_dtype *t) {
    *t = DT_NONE;
    if (v.tag == V_NUM || (v.tag == V_COMPLEX && v.aux))
        *t = v.tag == V_NUM ? (gpa_dtype)v.aux : DT_C128;
    if (v.tag != V_ARRAY || v.array->arr->size != 1) {
        *n = number_of(v);
        return GPA_OK;
    }
    gpa_val item;
    *t = (gpa_dtype)v.array->arr->dtype;
    gpa_code rc = arg_untraced(vm, v.array->arr);
    if (!rc) rc = arr_item(vm_rt(vm), v.array->arr, &item, vm_err(vm));
    if (!rc) *n = number_of_element(*t, item);
    return rc;
}

gpa_code arg_int(gpa_vm *vm, value v, const char *what, int64_t *out) {
    if (v.tag == V_INT || v.tag == V_BOOL) {
        *out = v.i;
        return GPA_OK;
    }
    if (v.tag == V_ARRAY && (v.array->arr->size != 1 || v.array->arr->ndim != 0))
        return vm_fail(vm, GPA_E_TYPE,
                       "only integer scalar arrays can be converted to a scalar index");
    number n;
    gpa_dtype t;
    bool handled;
    value index = v_none();
    gpa_code rc = record_call_member(vm, v, "__index__", NO_ARGS, &index, &handled);
    if (!rc && handled) {
        rc = index.tag == V_OBJECT ? vm_fail(vm, GPA_E_TYPE, "__index__ returned non-int (type %s)",
                                             value_type_name(index))
                                   : arg_int(vm, index, what, out);
        value_release(vm, index);
        return rc;
    }
    if (!rc) rc = scalar_of(vm, v, &n, &t);
    if (rc) return rc;
    if (n.kind == NUMBER_UINT || n.kind == NUMBER_BIG)
        return vm_fail(vm, GPA_E_OVERFLOW, "Python int too large to convert to C long");
    if (n.kind != NUMBER_INT || t == DT_BOOL)
        return vm_fail(vm, GPA_E_TYPE, "'%s' object cannot be interpreted as an integer",
                       value_type_name(v));
    *out = n.i;
    return GPA_OK;
}

gpa_code arg_any_int(gpa_vm *vm, value v, const char *what, value *out) {
    int64_t i = 0;
    value now = v_none();
    if (v.tag == V_BIG) return *out = value_retain(v), GPA_OK;
    gpa_code rc = value_computed(vm, v, &now);
    number n = rc ? (number){.kind = NUMBER_NOT} : number_of(now);
    value_release(vm, now);
    if (n.kind == NUMBER_UINT) return native_return(v_uint(vm, n.u), out);
    if (!rc) rc = arg_int(vm, v, what, &i);
    *out = v_int(i);
    return rc;
}

gpa_code arg_float(gpa_vm *vm, value v, const char *what, double *out) {
    number n;
    gpa_dtype t;
    bool handled;
    value plain = v_none();
    gpa_code rc = record_call_member(vm, v, "__float__", NO_ARGS, &plain, &handled);
    if (!rc && handled) {
        rc = plain.tag == V_OBJECT
                 ? vm_fail(vm, GPA_E_TYPE, "%s.__float__ returned non-float (type %s)",
                           value_type_name(v), value_type_name(plain))
                 : arg_float(vm, plain, what, out);
        value_release(vm, plain);
        return rc;
    }
    if (!rc) rc = scalar_of(vm, v, &n, &t);
    if (rc) return rc;
    if (v.tag == V_ARRAY && v.array->arr->size != 1)
        return vm_fail(vm, GPA_E_TYPE, "only length-1 arrays can be converted to Python scalars");
    if (n.kind == NUMBER_NOT || (n.kind == NUMBER_COMPLEX && t == DT_NONE))
        return vm_fail(vm, GPA_E_TYPE, "must be real number, not %s", value_type_name(v));
    if (n.kind == NUMBER_BIG && isinf(n.re))
        return vm_fail(vm, GPA_E_OVERFLOW, "int too large to convert to float");
    *out = n.re;
    return GPA_OK;
}

gpa_code arg_bool(gpa_vm *vm, value v, const char *what, bool *out) {
    (void)what;
    return value_truth(vm, v, out);
}

gpa_code arg_text(gpa_vm *vm, value v, const char *what, const char **text, size_t *n) {
    if (v.tag != V_STR)
        return vm_fail(vm, GPA_E_TYPE, "%s must be str, not %s", what, value_type_name(v));
    *text = v.str->text;
    *n = v.str->size;
    return GPA_OK;
}
