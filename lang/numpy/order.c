/* Functions of order: sort, argsort, partition, searchsorted. */
#include "lang/numpy/all.h"
#include "lang/object/big.h"
#include "lang/numpy/numpy.h"
#include "lang/numpy/override.h"
#include "runtime/libcalls.h"
#include "runtime/tape.h"

/* Checks kind=, which has no effect, as NumPy does. `letters`: first letters of valid kinds; NULL:
 * `whole` is the only one. */
static gpa_code check_kind(gpa_vm *vm, value kind, const char *what, const char *letters,
                           const char *whole, const char *kinds) {
    if (kind.tag == V_NONE && letters) return GPA_OK;
    const char *text = kind.tag == V_STR || kind.tag == V_BYTES ? kind.str->text : NULL;
    if (!text)
        return vm_fail(vm, GPA_E_TYPE, "%s kind must be str, not %s", what, value_type_name(kind));
    if (letters ? *text && strchr(letters, *text) : !strcmp(text, whole)) return GPA_OK;
    return vm_fail(vm, GPA_E_VALUE, "%s kind must be %s (got '%.40s')", what, kinds, text);
}

static gpa_code check_order(gpa_vm *vm, value order) {
    return order.tag == V_NONE
               ? GPA_OK
               : vm_fail(vm, GPA_E_VALUE, "Cannot specify order when the array has no fields.");
}

static gpa_code sort_with(gpa_vm *vm, value *argv,
                          gpa_code (*sorter)(gpa_rt *, gpa_arr *, int, gpa_arr **, gpa_err *),
                          value *out) {
    gpa_arr *a = NULL, *flat = NULL, *result = NULL;
    int axis = 0;
    gpa_code rc = GPA_OK;
    TRY(check_kind(vm, argv[2], "sort", "qQhHmMsS", NULL, "one of 'quick', 'heap', or 'stable'"));
    if (argv[2].tag != V_NONE && argv[4].tag != V_NONE)
        return vm_fail(vm, GPA_E_VALUE,
                       "`kind` and `stable` parameters can't be provided at the same time. Use "
                       "only one of them.");
    TRY(check_order(vm, argv[3]));
    TRY(arg_array(vm, argv[0], DT_NONE, &a));
    if (argv[1].tag == V_NONE) {
        TRY(arr_reshape(vm_rt(vm), a, 1, &(int64_t){-1}, &flat, vm_err(vm)));
        arr_release(vm_rt(vm), a);
        a = flat;
    } else {
        const bool indices = sorter == arr_argsort_order_k;
        TRY(arg_axis(vm, argv[1], indices ? MAX(a->ndim, 1) : a->ndim, &axis));
    }
    TRY(sorter(vm_rt(vm), a, axis, &result, vm_err(vm)));
    rc = np_return_array(vm, result, out);
out:
    arr_release(vm_rt(vm), a);
    return rc;
}

gpa_code np_sort(gpa_vm *vm, value *argv, value *out) {
    return sort_with(vm, argv, arr_sort_order_k, out);
} /* a, axis, kind, order, stable */
gpa_code np_argsort(gpa_vm *vm, value *argv, value *out) {
    return sort_with(vm, argv, arr_argsort_order_k, out);
} /* likewise */

gpa_code np_check_select_kind(gpa_vm *vm, value *argv,
                              value *out) { /* kind, order: of a partition */
    (void)out;
    gpa_code rc = check_kind(vm, argv[0], "select", NULL, "introselect", "'introselect'");
    return rc ? rc : check_order(vm, argv[1]);
}

/* argv: a, a sorted list of indices, the axis (not negative). */
static gpa_code partition_with(gpa_vm *vm, value *argv,
                               gpa_code (*part)(gpa_rt *, gpa_arr *, const arr_partition_opts *,
                                                gpa_arr **, gpa_err *),
                               value *out) {
    gpa_arr *a = NULL, *result = NULL;
    const list_obj *list = argv[1].list;
    int64_t *indices = mem_new(MAX(list->count, 1) * sizeof *indices);
    gpa_code rc = indices ? GPA_OK : vm_no_memory(vm);
    for (size_t i = 0; i < list->count && !rc; i++)
        rc = arg_int(vm, list->items[i], "kth", &indices[i]);
    if (!rc) rc = arg_array(vm, argv[0], DT_NONE, &a);
    const arr_partition_opts o = {
        .axis = (int)argv[2].i, .n_kth = (int)list->count, .kth = indices};
    if (!rc) rc = part(vm_rt(vm), a, &o, &result, vm_err(vm));
    if (!rc) rc = np_return_array(vm, result, out);
    arr_release(vm_rt(vm), a);
    mem_free(indices);
    return rc;
}

gpa_code np_partition(gpa_vm *vm, value *argv, value *out) {
    return partition_with(vm, argv, arr_partition_order_k, out);
}
gpa_code np_argpartition(gpa_vm *vm, value *argv, value *out) {
    return partition_with(vm, argv, arr_argpartition_order_k, out);
}

gpa_code nd_sort(gpa_vm *vm, value *argv,
                 value *out) { /* self, axis, kind, order, stable: in place */
    value sorted = v_none();
    if (argv[0].tag == V_ARRAY && argv[0].array->arr->readonly)
        return vm_fail(vm, GPA_E_VALUE, "sort array is read-only");
    gpa_code rc = np_sort(vm, argv, &sorted);
    if (!rc) rc = nd_fill(vm, (value[]){argv[0], sorted}, out);
    value_release(vm, sorted);
    return rc;
}

gpa_code nd_partition(gpa_vm *vm, value *argv,
                      value *out) { /* self, kth, axis, kind, order: in place */
    value partition = v_none(), partition_with = v_none();
    if (argv[0].array->arr->readonly)
        return vm_fail(vm, GPA_E_VALUE, "partition array is read-only");
    gpa_code rc = np_library_func(vm, "partition", &partition);
    if (!rc) rc = vm_call(vm, partition, ARGS(5, argv), &partition_with);
    if (!rc) rc = nd_fill(vm, (value[]){argv[0], partition_with}, out);
    value_release(vm, partition_with);
    value_release(vm, partition);
    return rc;
}

gpa_code np_searchsorted(gpa_vm *vm, value *argv, value *out) { /* a, v, side, sorter */
    gpa_arr *a = NULL, *v = NULL, *result = NULL;
    value sorted = v_none();
    const char *side = "left";
    size_t n;
    gpa_code rc = GPA_OK;
    TRY(arg_text(vm, argv[2], "search side", &side, &n));
    bool right = strcmp(side, "right") == 0;
    if (!right && strcmp(side, "left") != 0)
        TRY(vm_fail(vm, GPA_E_VALUE, "search side must be 'left' or 'right' (got '%s')", side));
    if (argv[3].tag == V_NONE)
        sorted = value_retain(argv[0]);
    else
        TRY(np_take(vm, (value[]){argv[0], argv[3], v_none(), v_none(), v_none()}, &sorted));
    TRY(arg_array(vm, sorted, DT_NONE, &a));
    TRY(arg_array(vm, argv[1], DT_NONE, &v));
    if (argv[3].tag != V_NONE) {
        gpa_arr *all;
        TRY(arg_array(vm, argv[0], DT_NONE, &all));
        bool each = all->size == a->size;
        arr_release(vm_rt(vm), all);
        if (!each) TRY(vm_fail(vm, GPA_E_VALUE, "sorter.size must equal a.size"));
    }
    if (a->ndim != 1)
        TRY(vm_fail(vm, GPA_E_VALUE,
                    a->ndim ? "object too deep for desired array"
                            : "object of too small depth for desired array"));
    TRY(arr_searchsorted(vm_rt(vm), a, v, right, &result, vm_err(vm)));
    rc = np_return(vm, result, out);
out:
    arr_release(vm_rt(vm), a);
    arr_release(vm_rt(vm), v);
    value_release(vm, sorted);
    return rc;
}
