/* set and frozenset: construction and methods. */
#include "lang/builtin/all.h"
#include "lang/object/container.h"

static gpa_code return_set(gpa_vm *vm, value iterable, bool frozen, value *out) {
    *out = iterable.tag == V_UNSET ? v_set(vm) : set_of(vm, iterable, frozen);
    if (out->tag == V_UNSET) return vm_err(vm)->code;
    out->set->frozen = frozen;
    return GPA_OK;
}

gpa_code set_new(gpa_vm *vm, value *argv, value *out) {
    return return_set(vm, argv[1], false, out);
}
gpa_code frozenset_new(gpa_vm *vm, value *argv, value *out) {
    return return_set(vm, argv[1], true, out);
}

/* TypeError for a mutating method on a frozenset. */
static gpa_code check_mutable(gpa_vm *vm, value self, const char *name) {
    if (!self.set->frozen) return GPA_OK;
    return vm_fail(vm, GPA_E_ATTRIBUTE, "'frozenset' object has no attribute '%s'", name);
}

gpa_code set_m_add(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    gpa_code rc = check_mutable(vm, argv[0], "add");
    return rc ? rc : set_add(vm, argv[0].set, argv[1]);
}

gpa_code set_m_remove(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    bool found;
    gpa_code rc = check_mutable(vm, argv[0], "remove");
    if (!rc) rc = set_remove(vm, argv[0].set, argv[1], &found);
    return !rc && !found ? vm_raise(vm, GPA_E_KEY, 1, &argv[1]) : rc;
}

gpa_code set_m_discard(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    bool found;
    gpa_code rc = check_mutable(vm, argv[0], "discard");
    return rc ? rc : set_remove(vm, argv[0].set, argv[1], &found);
}

gpa_code set_m_pop(gpa_vm *vm, value *argv, value *out) {
    size_t at = 0;
    bool found;
    set_arrange(argv[0].set);
    gpa_code rc = check_mutable(vm, argv[0], "pop");
    const dict_entry *e = dict_next(&argv[0].set->d, &at);
    if (rc) return rc;
    if (!e) {
        value message = v_cstr(vm, "pop from an empty set");
        if (message.tag == V_UNSET) return GPA_E_MEMORY;
        rc = vm_raise(vm, GPA_E_KEY, 1, &message);
        value_release(vm, message);
        return rc;
    }
    *out = value_retain(e->key);
    return set_remove(vm, argv[0].set, *out, &found);
}

gpa_code set_m_clear(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    gpa_code rc = check_mutable(vm, argv[0], "clear");
    if (!rc) dict_clear(vm, &argv[0].set->d);
    return rc;
}

gpa_code set_m_copy(gpa_vm *vm, value *argv, value *out) {
    return native_return(set_copy(vm, argv[0].set, argv[0].set->frozen), out);
}

/* ---- algebra ---- */

/* self op each of n iterables, in order, as a new set. */
static gpa_code set_operation(gpa_vm *vm, set_op op, value self, const value *others, size_t n,
                              value *out) {
    value so_far = set_copy(vm, self.set, self.set->frozen);
    for (size_t i = 0; i < n && so_far.tag != V_UNSET; i++) {
        value other = set_of(vm, others[i], false), next = v_unset();
        if (other.tag != V_UNSET) next = set_combine(vm, op, so_far.set, other.set);
        value_release(vm, other);
        value_release(vm, so_far);
        so_far = next;
    }
    *out = so_far;
    return so_far.tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
}

/* The same in place. */
static gpa_code set_operation_in_place(gpa_vm *vm, set_op op, const char *name, value self,
                                       const value *others, size_t n) {
    value made;
    gpa_code rc = check_mutable(vm, self, name);
    if (!rc) rc = set_operation(vm, op, self, others, n, &made);
    if (rc) return rc;
    self.set->arranged = false;
    dict_obj *a = &self.set->d, *b = &made.set->d, swap = *a;
    obj head_a = a->head, head_b = b->head;
    *a = *b;
    *b = swap;
    a->head = head_a;
    b->head = head_b;
    value_release(vm, made);
    return GPA_OK;
}

gpa_code set_m_union(gpa_vm *vm, value *argv, value *out) {
    return set_operation(vm, SET_UNION, argv[0], argv[1].tuple->items, argv[1].tuple->count, out);
}

gpa_code set_m_intersection(gpa_vm *vm, value *argv, value *out) {
    return set_operation(vm, SET_INTERSECTION, argv[0], argv[1].tuple->items, argv[1].tuple->count,
                         out);
}

gpa_code set_m_difference(gpa_vm *vm, value *argv, value *out) {
    return set_operation(vm, SET_DIFFERENCE, argv[0], argv[1].tuple->items, argv[1].tuple->count,
                         out);
}

gpa_code set_m_symmetric(gpa_vm *vm, value *argv, value *out) {
    return set_operation(vm, SET_SYMMETRIC, argv[0], &argv[1], 1, out);
}

gpa_code set_m_update(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    gpa_code rc = check_mutable(vm, argv[0], "update");
    argv[0].set->arranged = false;
    for (size_t i = 0; i < argv[1].tuple->count && !rc; i++) {
        value other = set_of(vm, argv[1].tuple->items[i], false);
        rc = other.tag == V_UNSET ? vm_err(vm)->code
                                  : dict_update(vm, &argv[0].set->d, &other.set->d);
        value_release(vm, other);
    }
    return rc;
}

gpa_code set_m_intersect(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    return set_operation_in_place(vm, SET_INTERSECTION, "intersection_update", argv[0],
                                  argv[1].tuple->items, argv[1].tuple->count);
}

gpa_code set_m_subtract(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    return set_operation_in_place(vm, SET_DIFFERENCE, "difference_update", argv[0],
                                  argv[1].tuple->items, argv[1].tuple->count);
}

gpa_code set_m_toggle(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    return set_operation_in_place(vm, SET_SYMMETRIC, "symmetric_difference_update", argv[0],
                                  &argv[1], 1);
}

/* ---- comparison ---- */

static gpa_code compare(gpa_vm *vm, value *argv, bool swapped, value *out) {
    value other = set_of(vm, argv[1], false);
    if (other.tag == V_UNSET) return vm_err(vm)->code;
    bool sub;
    gpa_code rc = swapped ? set_subset(vm, other.set, argv[0].set, &sub)
                          : set_subset(vm, argv[0].set, other.set, &sub);
    if (!rc) *out = v_bool(sub);
    value_release(vm, other);
    return rc;
}

gpa_code set_m_issubset(gpa_vm *vm, value *argv, value *out) {
    return compare(vm, argv, false, out);
}
gpa_code set_m_issuperset(gpa_vm *vm, value *argv, value *out) {
    return compare(vm, argv, true, out);
}

gpa_code set_m_isdisjoint(gpa_vm *vm, value *argv, value *out) {
    value common;
    gpa_code rc = set_operation(vm, SET_INTERSECTION, argv[0], &argv[1], 1, &common);
    if (rc) return rc;
    *out = v_bool(common.set->d.count == 0);
    value_release(vm, common);
    return GPA_OK;
}
