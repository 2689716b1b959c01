/* Integer widening of compiled functions: the operand type of Python's operators on integers, as in
 * Numba (https://numba.readthedocs.io/en/stable/proposals/integer-typing.html). */
#include "lang/vm/jit_integers.h"
#include "lang/object/number.h"

gpa_dtype jit_integer_type(gpa_op op, const jit_operand *in, int n) {
    gpa_sig s = (gpa_sig)op_info[op].sig;
    bool shift = op == OP_LEFT_SHIFT || op == OP_RIGHT_SHIFT;
    bool all_weak = true, all_bool = true, any_signed = false, any_u64 = false, any_weak = false;
    if (s == SIG_COMPARE || s == SIG_LOGIC || op == OP_DIVIDE) return DT_NONE;
    for (int i = 0; i < n; i++) {
        gpa_dtype t = in[i].dtype;
        if (t != DT_BOOL && !dtype_is_int(t)) return DT_NONE;
        all_weak = all_weak && in[i].weak;
        all_bool = all_bool && t == DT_BOOL;
        if (shift && i) continue;
        any_weak = any_weak || in[i].weak;
        any_u64 = any_u64 || (!in[i].weak && t == DT_U64);
        any_signed = any_signed || (!in[i].weak && dtype_info[t].kind != 'U');
    }
    if (all_weak || (all_bool && s == SIG_BITS)) return DT_NONE;
    return any_signed || (any_weak && !any_u64) ? DT_I64 : DT_U64;
}

static bool operand_of(value v, jit_operand *out) {
    bool array = v.tag == V_ARRAY && v.aux;
    out->weak = v.tag == V_INT || v.tag == V_BOOL;
    out->dtype = v.tag == V_NUM    ? (gpa_dtype)v.aux
                 : array           ? (gpa_dtype)v.array->arr->dtype
                 : v.tag == V_BOOL ? DT_BOOL
                                   : DT_I64;
    return out->weak || v.tag == V_NUM || array;
}

static gpa_code widen(gpa_vm *vm, value v, gpa_dtype t, value *out) {
    gpa_opnd o = {0};
    gpa_val item;
    gpa_code rc = arg_opnd(vm, v, &o);
    if (rc) return rc;
    item = o.v;
    gpa_dtype from = o.arr ? (gpa_dtype)o.arr->dtype : o.dtype;
    if (o.arr) rc = arr_item(vm_rt(vm), o.arr, &item, vm_err(vm));
    arg_opnd_release(vm, &o);
    if (rc) return rc;
    *out = v_num(vm, t, dtype_cast(item, from, t));
    return out->tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
}

gpa_code jit_widen_integers(gpa_vm *vm, gpa_op op, const value *in, int n, value *out) {
    jit_operand types[2] = {0};
    gpa_code rc = GPA_OK;
    bool scalars = op != OP_COUNT;
    for (int i = 0; i < n && scalars; i++) scalars = operand_of(in[i], &types[i]);
    gpa_dtype t = scalars ? jit_integer_type(op, types, n) : DT_NONE;
    for (int i = 0; i < n; i++) out[i] = v_none();
    for (int i = 0; i < n && !rc; i++)
        if (t != DT_NONE && !types[i].weak)
            rc = widen(vm, in[i], t, &out[i]);
        else
            out[i] = value_retain(in[i]);
    return rc;
}
