/* Truth, hashes, identity and equality of values. */
#include "lang/object/container.h"
#include "lang/object/core.h"
#include "lang/object/kind.h"
#include "lang/object/number.h"

/* ---- truth ---- */

static gpa_code array_truth(gpa_vm *vm, gpa_arr *a, bool *out) {
    if (a->size == 0)
        return vm_fail(vm, GPA_E_VALUE,
                       "The truth value of an empty array is ambiguous. Use `array.size > 0` to "
                       "check that an array is not "
                       "empty.");
    if (a->size > 1)
        return vm_fail(vm, GPA_E_VALUE,
                       "The truth value of an array with more than one element is ambiguous. Use "
                       "a.any() or a.all()");
    gpa_val item;
    gpa_code rc = arr_item(vm_rt(vm), a, &item, vm_err(vm));
    if (!rc) *out = dtype_cast(item, (gpa_dtype)a->dtype, DT_BOOL).BOOL;
    return rc;
}

gpa_code value_truth(gpa_vm *vm, value v, bool *out) {
    *out = true;
    if (v.tag == V_BOOL || v.tag == V_INT)
        *out = v.i != 0;
    else if (v.tag == V_NONE || v.tag == V_UNSET)
        *out = false;
    else if (v.tag == V_STR || v.tag == V_BYTES)
        *out = v.str->size != 0;
    else if (v.tag == V_LIST)
        *out = v.list->count != 0;
    else if (v.tag == V_TUPLE)
        *out = v.tuple->count != 0;
    else if (v.tag == V_DICT)
        *out = dict_count(v.dict) != 0;
    else if (v.tag == V_SET)
        *out = v.set->d.count != 0;
    else if (v.tag == V_RANGE)
        *out = v.range->step > 0 ? v.range->start < v.range->stop : v.range->start > v.range->stop;
    else if (v.tag == V_ARRAY)
        return array_truth(vm, v.array->arr, out);
    else if (v.tag == V_OBJECT && v.object->kind->truth)
        return v.object->kind->truth(vm, v.object, out);
    else if (v.tag == V_OBJECT && v.object->kind->len) {
        int64_t n = 0;
        gpa_code rc = v.object->kind->len(vm, v.object, &n);
        *out = n != 0;
        return rc;
    } else {
        number n = number_of(v);
        if (n.kind != NUMBER_NOT)
            *out = n.kind == NUMBER_INT ? n.i != 0 : !(n.re == 0) || !(n.im == 0);
    }
    return GPA_OK;
}

uint64_t str_hash(str_obj *s) {
    if (s->hash == 0) {
        s->hash = hash_bytes(s->text, s->size, 0);
        if (s->hash == 0) s->hash = 1;
    }
    return s->hash;
}

/* True for an instance whose class defines such a method. */
static bool has_own(value v, const char *method) {
    return is_instance(v) && value_hooks.class_has(class_of_peek(v), method);
}

/* ---- hashes ---- */

enum { MAX_HASH_DEPTH = 5000 };

static gpa_code hash_at(gpa_vm *vm, value v, int depth, uint64_t *out);

/* Hash of values compared by identity (value_is). */
static uint64_t identity_hash(value v) {
    if (v.tag == V_ARRAY) return (uint64_t)(uintptr_t)v.array->arr >> 4;
    if (value_is_heap[v.tag]) return (uint64_t)(uintptr_t)v.o >> 4;
    return v.bits ^ (uint64_t)v.tag << 32 ^ v.aux;
}

/* CPython's tuple hash (xxHash). */
static gpa_code tuple_hash(gpa_vm *vm, const tuple_obj *t, int depth, uint64_t *out) {
    if (depth > MAX_HASH_DEPTH)
        return vm_fail(vm, GPA_E_RECURSION, "maximum recursion depth exceeded");
    uint64_t acc = 2870177450012600261u;
    for (size_t i = 0; i < t->count; i++) {
        uint64_t lane;
        gpa_code rc = hash_at(vm, t->items[i], depth + 1, &lane);
        if (rc) return rc;
        acc += lane * 14029467366897019727u;
        acc = (acc << 31 | acc >> 33) * 11400714785074694791u;
    }
    acc += t->count ^ (2870177450012600261u ^ 3527539u);
    *out = acc == UINT64_MAX ? 1546275796 : acc;
    return GPA_OK;
}

gpa_code value_hash(gpa_vm *vm, value v, uint64_t *out) { return hash_at(vm, v, 0, out); }

static gpa_code hash_at(gpa_vm *vm, value v, int depth, uint64_t *out) {
    if (v.tag == V_INT &&
        (uint64_t)v.i < (1ull << 61) - 1) { /* the most frequent case: equals number_hash */
        *out = (uint64_t)v.i;
        return GPA_OK;
    }
    if (v.tag == V_STR || v.tag == V_BYTES) {
        *out = str_hash(v.str);
        return GPA_OK;
    }
    number n = number_of(v);
    if (n.kind != NUMBER_NOT) {
        *out = (uint64_t)number_hash(&n);
        return GPA_OK;
    }
    if (!has_own(v, "__hash__")) v = value_underlying(v);
    if (v.tag == V_TUPLE) return tuple_hash(vm, v.tuple, depth, out);
    if (v.tag == V_ARRAY && v.aux) {
        value now;
        gpa_code rc = value_computed(vm, v, &now);
        if (rc) return rc;
        rc = value_hash(vm, now, out);
        value_release(vm, now);
        return rc;
    }
    if (v.tag == V_SET && v.set->frozen) {
        *out = v.set->d.count;
        size_t at = 0;
        for (dict_entry *e; (e = dict_next(&v.set->d, &at));)
            *out ^= (e->hash ^ (e->hash << 16) ^ 89869747u) * 3644798167u;
        return GPA_OK;
    }
    if (v.tag == V_RANGE || v.tag == V_SLICE) {
        *out = v.tag;
        if (v.tag == V_RANGE) *out = hash_bytes(&v.range->start, 3 * sizeof v.range->start, 0);
        return GPA_OK;
    }
    if (v.tag == V_LIST || v.tag == V_DICT || v.tag == V_SET || v.tag == V_ARRAY)
        return vm_fail(vm, GPA_E_TYPE, "unhashable type: '%s'", value_type_name(v));
    if (v.tag == V_OBJECT && v.object->kind->hash) {
        bool handled;
        gpa_code rc = v.object->kind->hash(vm, v, out, &handled);
        if (rc || handled) return rc;
    }
    *out = v.tag == V_METHOD ? 31 * identity_hash(v.method->self) + identity_hash(v.method->fn)
                             : identity_hash(v);
    return GPA_OK;
}

bool value_is(value a, value b) {
    if (a.tag != b.tag) return false;
    if (a.tag == V_ARRAY && a.aux == b.aux)
        return a.array->arr == b.array->arr;          /* a.base creates a new object each time */
    if (a.tag == V_OBJECT && a.object->kind->foreign) /* each access creates a new proxy */
        return a.object->kind == b.object->kind && a.object->data == b.object->data;
    if (value_is_heap[a.tag]) return a.o == b.o;
    return a.aux == b.aux && (a.tag == V_NONE || a.tag == V_ELLIPSIS || a.tag == V_TYPE ||
                              a.tag == V_DTYPE || a.bits == b.bits);
}

/* ---- equality ---- */

enum { MAX_DEPTH = 400 };

static gpa_code equal(gpa_vm *vm, value a, value b, int depth, bool *out);

/* Equality of two lists or two tuples. */
static gpa_code equal_items(gpa_vm *vm, value a, value b, int depth, bool *out) {
    gpa_code rc = GPA_OK;
    value x, y;
    *out = items_count(a) == items_count(b);
    for (size_t i = 0, k = 0; *out && !rc && items_next(a, &i, &x); value_release(vm, x)) {
        if (!(*out = items_next(b, &k, &y))) continue;
        rc = equal(vm, x, y, depth + 1, out);
        value_release(vm, y);
    }
    *out = *out && items_count(a) == items_count(b);
    return rc;
}

static gpa_code equal_slices(gpa_vm *vm, const slice_obj *a, const slice_obj *b, int depth,
                             bool *out) {
    gpa_code rc = equal(vm, a->start, b->start, depth + 1, out);
    if (!rc && *out) rc = equal(vm, a->stop, b->stop, depth + 1, out);
    return rc || !*out ? rc : equal(vm, a->step, b->step, depth + 1, out);
}

/* The keys of OrderedDicts, in order. */
static gpa_code equal_keys(gpa_vm *vm, const dict_obj *a, const dict_obj *b, int depth, bool *out) {
    gpa_code rc = GPA_OK;
    size_t i = 0, k = 0;
    for (dict_entry e, f; !rc && *out && dict_next_own(a, &i, &e); dict_entry_drop(vm, &e))
        if ((*out = dict_next_own(b, &k, &f))) {
            rc = equal(vm, e.key, f.key, depth + 1, out);
            dict_entry_drop(vm, &f);
        }
    return rc;
}

static gpa_code equal_dicts(gpa_vm *vm, dict_obj *a, dict_obj *b, int depth, bool *out) {
    *out = dict_count(a) == dict_count(b);
    gpa_code rc = a->ordered && b->ordered ? equal_keys(vm, a, b, depth, out) : GPA_OK;
    size_t at = 0;
    for (dict_entry e; !rc && *out && dict_next_own(a, &at, &e); dict_entry_drop(vm, &e)) {
        value other;
        rc = dict_get_peek(vm, b, e.key, &other);
        if (rc) continue;
        if (other.tag == V_UNSET)
            *out = false;
        else
            rc = equal(vm, e.v, value_retain(other), depth + 1, out);
        value_release(vm, other);
    }
    return rc;
}

static bool equal_ranges(const range_obj *a, const range_obj *b) {
    int64_t n = range_len(a);
    return n == range_len(b) &&
           (n == 0 || (a->start == b->start && (n == 1 || a->step == b->step)));
}

/* A dtype equals its name and the type objects that convert to it. */
static bool equal_dtype(gpa_dtype t, value v) {
    if (v.tag == V_DTYPE) return v.aux == (uint32_t)t;
    if (v.tag == V_STR) return dtype_find(v.str->text, v.str->size) == t;
    if (v.tag != V_TYPE) return false;
    if (v.aux >= AUX_DTYPE)
        return v.aux == AUX_DTYPE + (uint32_t)t || v.aux == AUX_DTYPE_CLASS + (uint32_t)t;
    return (v.aux == V_BOOL && t == DT_BOOL) || (v.aux == V_INT && t == DT_I64) ||
           (v.aux == V_FLOAT && t == DT_F64) || (v.aux == V_COMPLEX && t == DT_C128);
}

static gpa_code equal(gpa_vm *vm, value a, value b, int depth, bool *out) {
    *out = false;
    if (depth > MAX_DEPTH)
        return vm_fail(vm, GPA_E_RECURSION, "maximum recursion depth exceeded in comparison");
    if (a.tag == b.tag && value_is_heap[a.tag] && a.o == b.o && (a.tag != V_COMPLEX || depth)) {
        *out = true;
        return GPA_OK;
    }
    if (!has_own(a, "__eq__") && !has_own(b, "__eq__")) {
        a = value_underlying(a);
        b = value_underlying(b);
    }
    if (a.tag == V_STR && b.tag == V_STR) {
        *out = a.str->size == b.str->size && memcmp(a.str->text, b.str->text, a.str->size) == 0;
        return GPA_OK;
    }
    if (a.tag == V_ARRAY || b.tag == V_ARRAY || a.tag == V_OBJECT || b.tag == V_OBJECT)
        return value_hooks.equal(vm, a, b, out);
    number x = number_of(a), y = number_of(b);
    if (x.kind != NUMBER_NOT || y.kind != NUMBER_NOT) {
        *out = x.kind != NUMBER_NOT && y.kind != NUMBER_NOT && number_equal(&x, &y);
        return GPA_OK;
    }
    if (a.tag == V_DTYPE || b.tag == V_DTYPE) {
        *out =
            a.tag == V_DTYPE ? equal_dtype((gpa_dtype)a.aux, b) : equal_dtype((gpa_dtype)b.aux, a);
        return GPA_OK;
    }
    if (a.tag != b.tag) return GPA_OK;
    if (a.tag == V_LIST || a.tag == V_TUPLE) return equal_items(vm, a, b, depth, out);
    if (a.tag == V_DICT) return equal_dicts(vm, a.dict, b.dict, depth, out);
    if (a.tag == V_SET)
        return a.set->d.count == b.set->d.count ? set_subset(vm, a.set, b.set, out) : GPA_OK;
    if (a.tag == V_SLICE) return equal_slices(vm, a.slice, b.slice, depth, out);
    if (a.tag == V_METHOD)
        *out = value_is(a.method->self, b.method->self) && value_is(a.method->fn, b.method->fn);
    else if (a.tag == V_RANGE)
        *out = equal_ranges(a.range, b.range);
    else if (a.tag == V_BYTES)
        *out = a.str->size == b.str->size && memcmp(a.str->text, b.str->text, a.str->size) == 0;
    else
        *out = value_is(a, b);
    return GPA_OK;
}

gpa_code value_equal(gpa_vm *vm, value a, value b, bool *out) { return equal(vm, a, b, 0, out); }

gpa_code range_find(gpa_vm *vm, const range_obj *r, value v, int64_t *at) {
    value now;
    *at = -1;
    gpa_code rc = value_computed(vm, v, &now);
    if (rc) return rc;
    number n = number_of(now);
    value_release(vm, now);
    if (n.kind == NUMBER_COMPLEX && n.im == 0) n.kind = NUMBER_FLOAT;
    if (n.kind == NUMBER_FLOAT && n.re > -0x1p63 && n.re < 0x1p63 && n.re == (double)(int64_t)n.re)
        n = (number){.kind = NUMBER_INT, .i = (int64_t)n.re};
    if (n.kind != NUMBER_INT) return GPA_OK;
    if (r->step > 0 ? n.i < r->start || n.i >= r->stop : n.i > r->start || n.i <= r->stop)
        return GPA_OK;
    uint64_t from = (uint64_t)r->start,
             gap = r->step > 0 ? (uint64_t)n.i - from : from - (uint64_t)n.i;
    uint64_t step = r->step > 0 ? (uint64_t)r->step : 0 - (uint64_t)r->step;
    if (gap % step == 0) *at = (int64_t)(gap / step);
    return GPA_OK;
}
