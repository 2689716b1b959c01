/* list, tuple and range: construction and methods. */
#include "lang/builtin/all.h"
#include "lang/object/container.h"
#include "lang/vm/instance.h"
#include "lang/format/format.h"
#include "lang/object/number.h"

/* ---- list ---- */

gpa_code list_new(gpa_vm *vm, value *argv, value *out) {
    if (argv[1].tag == V_UNSET) return native_return(v_list(vm, 0, NULL), out);
    return vm_collect(vm, argv[1], out);
}

gpa_code list_m_append(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    return list_append(vm, argv[0].list, argv[1]);
}

gpa_code list_m_extend(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    value items;
    gpa_code rc = vm_collect(vm, argv[1], &items);
    if (rc) return rc;
    list_obj *l = argv[0].list;
    rc = list_reserve(vm, l, l->count + items.list->count);
    for (size_t i = 0; i < items.list->count && !rc; i++)
        rc = list_append(vm, l, items.list->items[i]);
    value_release(vm, items);
    return rc;
}

gpa_code list_m_insert(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    int64_t at;
    gpa_code rc = arg_int(vm, argv[1], "index", &at);
    if (rc) return rc;
    int64_t n = (int64_t)argv[0].list->count;
    if (at < 0) at = MAX(at + n, 0);
    return list_insert(vm, argv[0].list, (size_t)MIN(at, n), argv[2]);
}

gpa_code list_m_pop(gpa_vm *vm, value *argv, value *out) {
    int64_t at;
    gpa_code rc = arg_int(vm, argv[1], "index", &at);
    if (rc) return rc;
    int64_t n = (int64_t)argv[0].list->count;
    if (n == 0) return vm_fail(vm, GPA_E_INDEX, "pop from empty list");
    if (at < 0) at += n;
    if (at < 0 || at >= n) return vm_fail(vm, GPA_E_INDEX, "pop index out of range");
    *out = list_take(argv[0].list, (size_t)at);
    return GPA_OK;
}

/* Index of the first item equal to v in [from, to) of a list or a tuple, or -1. */
static gpa_code position(gpa_vm *vm, value sequence, int64_t from, int64_t to, value v,
                         int64_t *at) {
    gpa_code rc = GPA_OK;
    bool same = false;
    size_t next = (size_t)from;
    for (value item; !rc && !same && (int64_t)next < to && items_next(sequence, &next, &item);
         value_release(vm, item)) {
        same = value_is(item, v);
        if (!same && !(rc = vm_poll(vm))) rc = value_equal(vm, item, v, &same);
    }
    *at = !rc && same ? (int64_t)next - 1 : -1;
    return rc;
}

static gpa_code clamp(gpa_vm *vm, value v, int64_t n, int64_t *out) {
    gpa_code rc = arg_int(vm, v, "slice", out);
    if (rc) return rc;
    if (*out < 0) *out = MAX(*out + n, 0);
    *out = MIN(*out, n);
    return GPA_OK;
}

/* index(value, start, stop) of a list or a tuple; at -1: not found. */
static gpa_code index_in(gpa_vm *vm, value *argv, int64_t *at) {
    int64_t from, to, n = (int64_t)items_count(argv[0]);
    gpa_code rc = clamp(vm, argv[2], n, &from);
    if (!rc) rc = clamp(vm, argv[3], n, &to);
    return rc ? rc : position(vm, argv[0], from, to, argv[1], at);
}

static gpa_code count_in(gpa_vm *vm, value sequence, value v, value *out) {
    int64_t n = 0, at = -1;
    gpa_code rc = GPA_OK;
    do {
        rc = position(vm, sequence, at + 1, INT64_MAX, v, &at);
        n += at >= 0;
    } while (!rc && at >= 0);
    *out = v_int(n);
    return rc;
}

gpa_code list_m_remove(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    int64_t at;
    list_obj *l = argv[0].list;
    gpa_code rc = position(vm, argv[0], 0, INT64_MAX, argv[1], &at);
    if (rc) return rc;
    if (at < 0) return vm_fail(vm, GPA_E_VALUE, "list.remove(x): x not in list");
    if ((size_t)at < l->count)
        value_release(vm, list_take(l, (size_t)at)); /* == may have shortened it */
    return GPA_OK;
}

gpa_code list_m_index(gpa_vm *vm, value *argv, value *out) {
    int64_t at;
    gpa_code rc = index_in(vm, argv, &at);
    if (!rc && at < 0) return vm_fail_showing(vm, GPA_E_VALUE, "", argv[1], " is not in list");
    *out = v_int(at);
    return rc;
}

gpa_code list_m_count(gpa_vm *vm, value *argv, value *out) {
    return count_in(vm, argv[0], argv[1], out);
}

gpa_code list_m_sort(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    bool reverse;
    gpa_code rc = value_truth(vm, argv[2], &reverse);
    return rc ? rc : list_sort(vm, argv[0].list, argv[1], reverse);
}

gpa_code list_m_reverse(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    (void)out;
    list_obj *l = argv[0].list;
    for (size_t i = 0, j = l->count; i + 1 < j; i++) {
        value v = l->items[i];
        l->items[i] = l->items[--j];
        l->items[j] = v;
    }
    return GPA_OK;
}

gpa_code list_m_copy(gpa_vm *vm, value *argv, value *out) {
    return native_return(v_list(vm, argv[0].list->count, argv[0].list->items), out);
}

gpa_code list_m_clear(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    list_clear(vm, argv[0].list);
    return GPA_OK;
}

/* ---- tuple ---- */

static gpa_code tuple_of(gpa_vm *vm, value v, value *out) {
    value items;
    if (v.tag == V_UNSET) return native_return(v_tuple(vm, 0, NULL), out);
    if (v.tag == V_TUPLE) {
        *out = value_retain(v);
        return GPA_OK;
    }
    gpa_code rc = vm_collect(vm, v, &items);
    if (rc) return rc;
    rc = native_return(v_tuple(vm, items.list->count, items.list->items), out);
    value_release(vm, items);
    return rc;
}

gpa_code tuple_new(gpa_vm *vm, value *argv, value *out) { /* cls, iterable */
    value items = v_none();
    gpa_code rc = tuple_of(vm, argv[1], &items);
    bool class = argv[0].tag == V_CLASS && argv[0].class->tuple;
    if (!rc && class)
        rc = instance_empty(vm, argv[0].class, items, out);
    else if (!rc)
        *out = value_retain(items);
    value_release(vm, items);
    return rc;
}

gpa_code tuple_m_index(gpa_vm *vm, value *argv, value *out) {
    int64_t at;
    gpa_code rc = index_in(vm, argv, &at);
    if (!rc && at < 0) return vm_fail(vm, GPA_E_VALUE, "tuple.index(x): x not in tuple");
    *out = v_int(at);
    return rc;
}

gpa_code tuple_m_count(gpa_vm *vm, value *argv, value *out) {
    return count_in(vm, argv[0], argv[1], out);
}

/* ---- range ---- */

gpa_code range_new(gpa_vm *vm, value *argv, value *out) {
    const tuple_obj *a = argv[1].tuple;
    int64_t at[3] = {0, 0, 1};
    if (a->count == 0) return vm_fail(vm, GPA_E_TYPE, "range expected at least 1 argument, got 0");
    if (a->count > 3)
        return vm_fail(vm, GPA_E_TYPE, "range expected at most 3 arguments, got %zu", a->count);
    for (size_t i = 0; i < a->count; i++) {
        gpa_code rc = arg_int(vm, a->items[i], "range", &at[a->count == 1 ? 1 : i]);
        if (rc) return rc;
    }
    if (at[2] == 0) return vm_fail(vm, GPA_E_VALUE, "range() arg 3 must not be zero");
    return native_return(v_range(vm, at[0], at[1], at[2]), out);
}

gpa_code range_m_index(gpa_vm *vm, value *argv, value *out) {
    int64_t at = -1;
    gpa_code rc = range_find(vm, argv[0].range, argv[1], &at);
    if (rc) return rc;
    if (at < 0 && (argv[1].tag == V_INT || argv[1].tag == V_BOOL || argv[1].tag == V_BIG))
        return vm_fail_showing(vm, GPA_E_VALUE, "", argv[1], " is not in range");
    if (at < 0) return vm_fail(vm, GPA_E_VALUE, "sequence.index(x): x not in sequence");
    *out = v_int(at);
    return GPA_OK;
}

gpa_code range_m_count(gpa_vm *vm, value *argv, value *out) {
    int64_t at = -1;
    gpa_code rc = range_find(vm, argv[0].range, argv[1], &at);
    *out = v_int(at >= 0);
    return rc;
}

gpa_code range_start(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_int(argv[0].range->start);
    return GPA_OK;
}

gpa_code range_stop(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_int(argv[0].range->stop);
    return GPA_OK;
}

gpa_code range_step(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_int(argv[0].range->step);
    return GPA_OK;
}
