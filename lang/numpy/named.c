/* Results with names: a tuple (field 0) whose items are attributes, too. One row of `results` for each type. */
#include "lang/builtin/all.h"
#include "lang/builtin/kinds.h"
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

bool np_is_named(const object_kind *kind) {
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (results[i].kind == kind) return true;
    return false;
}

static const named *names_of(const object_obj *o) {
    const named *r = results;
    while (r->kind != o->kind) r++;
    return r;
}

static gpa_code fields_of(gpa_vm *vm, const named *r, size_t n, value *out) {
    gpa_code rc = native_give(v_tuple(vm, n, NULL), out);
    for (size_t i = 0; i < n && !rc; i++) {
        rc = native_give(v_str(vm, r->items[i], strlen(r->items[i])), &out->tuple->items[i]);
        if (rc) value_release(vm, *out);
    }
    return rc;
}

static gpa_code result_attr(gpa_vm *vm, object_obj *o, const char *name, value *out) {
    const named *r = names_of(o);
    *out = v_unset();
    if (strcmp(name, "_fields") == 0) return fields_of(vm, r, o->fields[0].tuple->count, out);
    for (size_t i = 0; i < o->fields[0].tuple->count; i++)
        if (strcmp(r->items[i], name) == 0) *out = value_retain(o->fields[0].tuple->items[i]);
    return GPA_OK;
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

static gpa_code result_getitem(gpa_vm *vm, object_obj *o, value key, value *out) { return vm_getitem(vm, o->fields[0], key, out); }
static gpa_code result_iter(gpa_vm *vm, object_obj *o, value *out) { return vm_iter(vm, o->fields[0], out); }
static gpa_code result_contains(gpa_vm *vm, object_obj *o, value item, bool *out) { return vm_contains(vm, o->fields[0], item, out); }

static gpa_code result_len(gpa_vm *vm, object_obj *o, int64_t *out) {
    (void)vm;
    *out = (int64_t)o->fields[0].tuple->count;
    return GPA_OK;
}

#define RESULT(variable, name)                                                                                   \
    const object_kind variable = {.type_name = name, .attr = result_attr, .repr = result_repr, .getitem = \
                                  result_getitem, .iter = result_iter, .len = result_len, .contains = result_contains}
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

gpa_code np_named(gpa_vm *vm, value *argv, value *out) { /* name, *values */
    const char *name;
    size_t n;
    gpa_code rc = arg_text(vm, argv[0], "name", &name, &n);
    if (rc) return rc;
    const named *r = results;
    while (strcmp(r->name, name) != 0) r++;
    rc = native_give(v_object(vm, r->kind, 1), out);
    if (!rc) out->object->fields[0] = value_retain(argv[1]);
    return rc;
}
