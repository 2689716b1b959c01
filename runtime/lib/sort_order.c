/* Sorts that keep their operand's memory order (NumPy's order='K'). */
#include "runtime/array/memory_order.h"

gpa_code arr_sort_order_k(gpa_rt *rt, gpa_arr *a, int axis, gpa_arr **out, gpa_err *e) {
    memory_order o;
    gpa_arr *made = NULL;
    gpa_code rc = memory_order_enter(rt, a, true, &axis, &o, e);
    if (!rc) rc = arr_sort(rt, o.operand, axis, &made, e);
    return memory_order_leave_take(rt, rc, made, &o, out, e);
}

/* The permutation of a sort, computed in the operand's memory order, in C order. */
static gpa_code leave_in_c_order_take(gpa_rt *rt, gpa_code rc, gpa_arr *made, memory_order *o,
                                      gpa_arr **out, gpa_err *e) {
    gpa_arr *back = NULL;
    rc = memory_order_leave_take(rt, rc, made, o, &back, e);
    if (rc) return rc;
    if (arr_is_contiguous(back)) {
        *out = back;
        return GPA_OK;
    }
    rc = arr_copy(rt, back, out, e);
    arr_release(rt, back);
    return rc;
}

gpa_code arr_argsort_order_k(gpa_rt *rt, gpa_arr *a, int axis, gpa_arr **out, gpa_err *e) {
    memory_order o;
    gpa_arr *made = NULL;
    gpa_code rc = memory_order_enter(rt, a, true, &axis, &o, e);
    if (!rc) rc = arr_argsort(rt, o.operand, axis, &made, e);
    return leave_in_c_order_take(rt, rc, made, &o, out, e);
}

gpa_code arr_partition_order_k(gpa_rt *rt, gpa_arr *a, const arr_partition_opts *p, gpa_arr **out,
                               gpa_err *e) {
    memory_order o;
    arr_partition_opts permuted = *p;
    gpa_arr *made = NULL;
    gpa_code rc = memory_order_enter(rt, a, true, &permuted.axis, &o, e);
    if (!rc) rc = arr_partition(rt, o.operand, &permuted, &made, e);
    return memory_order_leave_take(rt, rc, made, &o, out, e);
}

gpa_code arr_argpartition_order_k(gpa_rt *rt, gpa_arr *a, const arr_partition_opts *p,
                                  gpa_arr **out, gpa_err *e) {
    memory_order o;
    arr_partition_opts permuted = *p;
    gpa_arr *made = NULL;
    gpa_code rc = memory_order_enter(rt, a, true, &permuted.axis, &o, e);
    if (!rc) rc = arr_argpartition(rt, o.operand, &permuted, &made, e);
    return leave_in_c_order_take(rt, rc, made, &o, out, e);
}
