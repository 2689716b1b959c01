/* Sorts in their operand's memory order (NumPy's order='K'); indices are returned in C order. */
#include "runtime/array/memory_order.h"

/* memory_order_leave_take for indices: copies them to C order. */
static gpa_code leave_in_c_order_take(gpa_rt *rt, gpa_code rc, gpa_arr *made, axis_order *o,
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

typedef gpa_code sort_function(gpa_rt *rt, gpa_arr *a, int axis, gpa_arr **out, gpa_err *e);

static gpa_code sort_in_order(gpa_rt *rt, gpa_arr *a, int axis, sort_function *sort, gpa_arr **out,
                              gpa_err *e) {
    axis_order o;
    gpa_arr *made = NULL;
    gpa_code rc = memory_order_enter(rt, a, true, &axis, &o, e);
    if (!rc) rc = sort(rt, o.operand, axis, &made, e);
    return sort == arr_argsort ? leave_in_c_order_take(rt, rc, made, &o, out, e)
                               : memory_order_leave_take(rt, rc, made, &o, out, e);
}

gpa_code arr_sort_order_k(gpa_rt *rt, gpa_arr *a, int axis, gpa_arr **out, gpa_err *e) {
    return sort_in_order(rt, a, axis, arr_sort, out, e);
}

gpa_code arr_argsort_order_k(gpa_rt *rt, gpa_arr *a, int axis, gpa_arr **out, gpa_err *e) {
    return sort_in_order(rt, a, axis, arr_argsort, out, e);
}

typedef gpa_code partition_function(gpa_rt *rt, gpa_arr *a, const arr_partition_opts *p,
                                    gpa_arr **out, gpa_err *e);

static gpa_code partition_in_order(gpa_rt *rt, gpa_arr *a, const arr_partition_opts *p,
                                   partition_function *partition, gpa_arr **out, gpa_err *e) {
    axis_order o;
    arr_partition_opts permuted = *p;
    gpa_arr *made = NULL;
    gpa_code rc = memory_order_enter(rt, a, true, &permuted.axis, &o, e);
    if (!rc) rc = partition(rt, o.operand, &permuted, &made, e);
    return partition == arr_argpartition ? leave_in_c_order_take(rt, rc, made, &o, out, e)
                                         : memory_order_leave_take(rt, rc, made, &o, out, e);
}

gpa_code arr_partition_order_k(gpa_rt *rt, gpa_arr *a, const arr_partition_opts *p, gpa_arr **out,
                               gpa_err *e) {
    return partition_in_order(rt, a, p, arr_partition, out, e);
}

gpa_code arr_argpartition_order_k(gpa_rt *rt, gpa_arr *a, const arr_partition_opts *p,
                                  gpa_arr **out, gpa_err *e) {
    return partition_in_order(rt, a, p, arr_argpartition, out, e);
}
