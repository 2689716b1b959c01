/* Named tuples of results (EigResult, SVDResult, ...): a tuple (field 0) whose items are
 * attributes, too. `results` has one row per type. Operators work on the tuple (value_underlying).
 * Reading order: names, object operations, methods, construction. */
#include "lang/numpy/all.h"
#include "lang/vm/kinds.h"
#include "lang/object/container.h"
#include "lang/numpy/numpy.h"

typedef struct {
    const object_kind *kind;
    const char *name, *items[4];
} named;

static const named results[] = {
    {&cache_info_kind, "CacheInfo", {"hits", "misses", "maxsize", "currsize"}},
    {&eig_result_kind, "EigResult", {"eigenvalues", "eigenvectors"}},
    {&eigh_result_kind, "EighResult", {"eigenvalues", "eigenvectors"}},
    {&memory_info_kind, "MemoryInfo", {"free", "total"}},
    {&qr_result_kind, "QRResult", {"Q", "R"}},
    {&slogdet_result_kind, "SlogdetResult", {"sign", "logabsdet"}},
    {&svd_result_kind, "SVDResult", {"U", "S", "Vh"}},
    {&unique_all_kind, "UniqueAllResult", {"values", "indices", "inverse_indices", "counts"}},
    {&unique_counts_kind, "UniqueCountsResult", {"values", "counts"}},
    {&unique_inverse_kind, "UniqueInverseResult", {"values", "inverse_indices"}},
};

/* ---- names ---- */

static const named *row_of(const object_kind *kind) {
    const named *r = results;
    while (r->kind != kind) r++;
    return r;
}

static const named *names_of(const object_obj *o) { return row_of(o->kind); }

static size_t count_of(const named *r) {
    size_t n = 0;
    while (n < COUNT_OF(r->items) && r->items[n]) n++;
    return n;
}

/* Index of the item with this name; count_of(r) if there is none. */
static size_t find_item(const named *r, const char *name) {
    size_t i = 0, n = count_of(r);
    while (i < n && strcmp(r->items[i], name) != 0) i++;
    return i;
}

static gpa_code make_result(gpa_vm *vm, const named *r, value items, value *out) {
    gpa_code rc = native_return(v_object(vm, r->kind, 1), out);
    if (!rc) out->object->fields[0] = value_retain(items);
    return rc;
}

static gpa_code fields_of(gpa_vm *vm, const named *r, value *out) {
    size_t n = count_of(r);
    gpa_code rc = native_return(v_tuple(vm, n, NULL), out);
    for (size_t i = 0; i < n && !rc; i++) {
        rc = native_return(v_str(vm, r->items[i], strlen(r->items[i])), &out->tuple->items[i]);
        if (rc) value_release(vm, *out);
    }
    return rc;
}

/* ---- object operations ---- */

static gpa_code result_attr(gpa_vm *vm, object_obj *o, const char *name, value *out) {
    const named *r = names_of(o);
    size_t at = find_item(r, name);
    *out = v_unset();
    if (strcmp(name, "_fields") == 0) return fields_of(vm, r, out);
    if (strcmp(name, "_field_defaults") == 0) return native_return(v_dict(vm), out);
    if (at < o->fields[0].tuple->count) *out = value_retain(o->fields[0].tuple->items[at]);
    return GPA_OK;
}

static gpa_code result_set(gpa_vm *vm, object_obj *o, const char *name, value v) {
    const named *r = names_of(o);
    (void)v;
    if (find_item(r, name) < count_of(r))
        return vm_fail(vm, GPA_E_ATTRIBUTE, "can't set attribute");
    return vm_fail(vm, GPA_E_ATTRIBUTE, "'%s' object has no attribute '%s'", r->name, name);
}

static gpa_code result_repr(gpa_vm *vm, object_obj *o, gpa_str *out) {
    const named *r = names_of(o);
    gpa_code rc = GPA_OK;
    str_printf(out, "%s(", r->name);
    for (size_t i = 0; i < o->fields[0].tuple->count && !rc; i++) {
        str_printf(out, "%s%s=", i ? ", " : "", r->items[i]);
        rc = vm_repr(vm, o->fields[0].tuple->items[i], out);
    }
    str_put(out, ")");
    return rc;
}

static gpa_code result_getitem(gpa_vm *vm, object_obj *o, value key, value *out) {
    return vm_getitem(vm, o->fields[0], key, out);
}
static gpa_code result_iter(gpa_vm *vm, object_obj *o, value *out) {
    return vm_iter(vm, o->fields[0], out);
}
static gpa_code result_contains(gpa_vm *vm, object_obj *o, value item, bool *out) {
    return vm_contains(vm, o->fields[0], item, out);
}

static gpa_code result_len(gpa_vm *vm, object_obj *o, int64_t *out) {
    (void)vm;
    *out = (int64_t)o->fields[0].tuple->count;
    return GPA_OK;
}

#define RESULT_METHODS                                                                       \
    .type_attr = np_named_attr, .attr = result_attr, .set = result_set, .repr = result_repr, \
    .getitem = result_getitem, .iter = result_iter, .len = result_len, .contains = result_contains
#define RESULT(variable, name) \
    const object_kind variable = {.type_name = name, .tuple = true, RESULT_METHODS}
RESULT(cache_info_kind, "functools._CacheInfo");
RESULT(eig_result_kind, "numpy.linalg._linalg.EigResult");
RESULT(eigh_result_kind, "numpy.linalg._linalg.EighResult");
RESULT(memory_info_kind, "numba.cuda.MemoryInfo");
RESULT(qr_result_kind, "numpy.linalg._linalg.QRResult");
RESULT(slogdet_result_kind, "numpy.linalg._linalg.SlogdetResult");
RESULT(svd_result_kind, "numpy.linalg._linalg.SVDResult");
RESULT(unique_all_kind, "numpy.lib._arraysetops_impl.UniqueAllResult");
RESULT(unique_counts_kind, "numpy.lib._arraysetops_impl.UniqueCountsResult");
RESULT(unique_inverse_kind, "numpy.lib._arraysetops_impl.UniqueInverseResult");
#undef RESULT
#undef RESULT_METHODS

/* ---- methods ---- */

gpa_code named_asdict(gpa_vm *vm, value *argv, value *out) { /* self */
    const named *r = names_of(argv[0].object);
    const tuple_obj *t = argv[0].object->fields[0].tuple;
    gpa_code rc = native_return(v_dict(vm), out);
    for (size_t i = 0; i < t->count && !rc; i++)
        rc = dict_set_text(vm, out->dict, r->items[i], t->items[i]);
    return rc;
}

/* Formats the keys that are not fields of r: "['foo', 'bar']". False if there are none. */
static bool format_unknown_fields(const named *r, dict_obj *given, gpa_str *out) {
    size_t at = 0, n = 0;
    for (dict_entry *e; (e = dict_next(given, &at));)
        if (find_item(r, e->key.str->text) == count_of(r))
            str_printf(out, "%s'%s'", n++ ? ", " : "[", e->key.str->text);
    str_put(out, n ? "]" : "");
    return n > 0;
}

gpa_code named_replace(gpa_vm *vm, value *argv, value *out) { /* self, **items */
    const named *r = names_of(argv[0].object);
    const tuple_obj *t = argv[0].object->fields[0].tuple;
    value items = v_none();
    gpa_str text;
    str_init(&text);
    gpa_code rc = GPA_OK;
    if (format_unknown_fields(r, argv[1].dict, &text))
        rc = vm_fail(vm, GPA_E_VALUE, "Got unexpected field names: %s", text.text);
    if (!rc) rc = native_return(v_tuple(vm, t->count, t->items), &items);
    for (size_t i = 0; i < t->count && !rc; i++) {
        value given = dict_text_peek(vm, argv[1].dict, r->items[i]);
        if (given.tag == V_UNSET) continue;
        value_release(vm, items.tuple->items[i]);
        items.tuple->items[i] = value_retain(given);
    }
    if (!rc) rc = make_result(vm, r, items, out);
    value_release(vm, items);
    str_free(&text);
    return rc;
}

gpa_code named_make(gpa_vm *vm, value *argv, value *out) { /* cls or self, iterable */
    const named *r =
        row_of(argv[0].tag == V_TYPE ? object_kinds[argv[0].aux - AUX_KIND] : argv[0].object->kind);
    value items = v_none();
    gpa_code rc = vm_call(vm, v_type(V_TUPLE), ARGS(1, &argv[1]), &items);
    if (!rc && items.tuple->count != count_of(r))
        rc = vm_fail(vm, GPA_E_TYPE, "Expected %zu arguments, got %zu", count_of(r),
                     items.tuple->count);
    if (!rc) rc = make_result(vm, r, items, out);
    value_release(vm, items);
    return rc;
}

gpa_code named_index(gpa_vm *vm, value *argv, value *out) { /* self, value, start, stop */
    argv[0] = value_underlying(argv[0]);
    return tuple_m_index(vm, argv, out);
}

gpa_code named_count(gpa_vm *vm, value *argv, value *out) { /* self, value */
    argv[0] = value_underlying(argv[0]);
    return tuple_m_count(vm, argv, out);
}

/* Attributes of the type besides methods. False: not one of these; a failure leaves its error. */
bool np_named_attr(gpa_vm *vm, value type, const char *name, value *out) {
    static const char make[] = "_make";
    if (strcmp(name, make) == 0)
        return *out = v_method(vm, type,
                               (value){.tag = V_NATIVE, .native = native_find(OWNER_NAMED, make)}),
               true;
    if (strcmp(name, "_fields") == 0)
        return fields_of(vm, row_of(object_kinds[type.aux - AUX_KIND]), out), true;
    if (strcmp(name, "_field_defaults") == 0) return *out = v_dict(vm), true;
    return false;
}

/* ---- construction ---- */

/* "'a'", "'a' and 'b'", "'a', 'b', and 'c'". */
static gpa_code fail_missing_fields(gpa_vm *vm, const named *r, const value *items) {
    size_t n = 0, k = 0;
    gpa_str text;
    str_init(&text);
    for (size_t i = 0; i < count_of(r); i++) n += items[i].tag == V_UNSET;
    for (size_t i = 0; i < count_of(r); i++) {
        if (items[i].tag != V_UNSET) continue;
        str_printf(&text, "%s%s'%s'",
                   k && n > 2 ? ", "
                   : k        ? " "
                              : "",
                   k && k + 1 == n ? "and " : "", r->items[i]);
        k++;
    }
    gpa_code rc =
        vm_fail(vm, GPA_E_TYPE, "%s.__new__() missing %zu required positional argument%s: %s",
                r->name, n, n > 1 ? "s" : "", text.failed ? "" : text.text);
    str_free(&text);
    return rc;
}

gpa_code named_new(gpa_vm *vm, value *argv, value *out) { /* cls, *values, **named */
    const named *r = row_of(object_kinds[argv[0].aux - AUX_KIND]);
    const tuple_obj *given = argv[1].tuple;
    size_t n = count_of(r), at = 0;
    value items[COUNT_OF(r->items)], t = v_none();
    if (given->count > n)
        return vm_fail(vm, GPA_E_TYPE,
                       "%s.__new__() takes %zu positional arguments but %zu were given", r->name,
                       n + 1, given->count + 1);
    for (size_t i = 0; i < n; i++) items[i] = i < given->count ? given->items[i] : v_unset();
    for (dict_entry *e; (e = dict_next(argv[2].dict, &at));) {
        size_t i = find_item(r, e->key.str->text);
        if (i == n)
            return vm_fail(vm, GPA_E_TYPE, "%s.__new__() got an unexpected keyword argument '%s'",
                           r->name, e->key.str->text);
        if (items[i].tag != V_UNSET)
            return vm_fail(vm, GPA_E_TYPE, "%s.__new__() got multiple values for argument '%s'",
                           r->name, r->items[i]);
        items[i] = e->v;
    }
    for (size_t i = 0; i < n; i++)
        if (items[i].tag == V_UNSET) return fail_missing_fields(vm, r, items);
    gpa_code rc = native_return(v_tuple(vm, n, items), &t);
    if (!rc) rc = make_result(vm, r, t, out);
    value_release(vm, t);
    return rc;
}

gpa_code np_result_tuple(gpa_vm *vm, value *argv, value *out) { /* name, *values */
    const char *name;
    size_t n;
    gpa_code rc = arg_text(vm, argv[0], "name", &name, &n);
    if (rc) return rc;
    const named *r = results;
    while (strcmp(r->name, name) != 0) r++;
    return make_result(vm, r, argv[1], out);
}
