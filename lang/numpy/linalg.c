/* Matrix factorizations and sparse products: the native part of numpy.linalg and scipy.sparse. Arguments were checked and brought to a common dtype by the
 * prelude. Reading order: factorizations, sparse matrices, results with names. */
#include "lang/builtin/all.h"
#include "lang/builtin/kinds.h"
#include "lang/numpy/numpy.h"

/* ---- factorizations ---- */

/* A tuple of n arrays, consumed, also on failure. */
static gpa_code give_tuple(gpa_vm *vm, gpa_code rc, int n, gpa_arr **parts, value *out) {
    if (!rc) rc = native_give(v_tuple(vm, (size_t)n, NULL), out);
    for (int i = 0; i < n; i++) {
        if (!rc) rc = np_return_array(vm, parts[i], &out->tuple->items[i]);
        else arr_release(vm_rt(vm), parts[i]);
    }
    return rc;
}

gpa_code linalg_lu(gpa_vm *vm, value *argv, value *out) { /* a */
    gpa_arr *a = NULL, *parts[2] = {NULL};
    gpa_code rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc) rc = arr_lu(vm_rt(vm), a, &parts[0], &parts[1], vm_err(vm));
    arr_release(vm_rt(vm), a);
    return give_tuple(vm, rc, 2, parts, out);
}

gpa_code linalg_solve(gpa_vm *vm, value *argv, value *out) { /* a, b */
    gpa_arr *a = NULL, *b = NULL, *x = NULL;
    gpa_code rc = GPA_OK;
    TRY(arg_array(vm, argv[0], DT_NONE, &a));
    TRY(arg_array(vm, argv[1], DT_NONE, &b));
    TRY(arr_solve(vm_rt(vm), a, b, &x, vm_err(vm)));
    rc = np_return_array(vm, x, out);
out:
    arr_release(vm_rt(vm), a);
    arr_release(vm_rt(vm), b);
    return rc;
}

gpa_code linalg_cholesky(gpa_vm *vm, value *argv, value *out) { /* a, upper */
    gpa_arr *a = NULL, *l = NULL;
    bool upper;
    gpa_code rc = GPA_OK;
    TRY(arg_bool(vm, argv[1], "upper", &upper));
    TRY(arg_array(vm, argv[0], DT_NONE, &a));
    TRY(arr_cholesky(vm_rt(vm), a, upper, &l, vm_err(vm)));
    rc = np_return_array(vm, l, out);
out:
    arr_release(vm_rt(vm), a);
    return rc;
}

gpa_code linalg_qr(gpa_vm *vm, value *argv, value *out) { /* a, k, vectors */
    gpa_arr *a = NULL, *parts[3] = {NULL};
    int64_t k;
    bool vectors;
    gpa_code rc = arg_int(vm, argv[1], "k", &k);
    if (!rc) rc = arg_bool(vm, argv[2], "vectors", &vectors);
    if (!rc) rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc) rc = arr_qr(vm_rt(vm), a, k, &parts[0], &parts[1], vectors ? &parts[2] : NULL, vm_err(vm));
    arr_release(vm_rt(vm), a);
    return give_tuple(vm, rc, !rc && vectors ? 3 : 2, parts, out);
}

gpa_code linalg_svd(gpa_vm *vm, value *argv, value *out) { /* a, full, vectors */
    gpa_arr *a = NULL, *parts[3] = {NULL}; /* s, u, vh */
    bool full, vectors;
    gpa_code rc = arg_bool(vm, argv[1], "full", &full);
    if (!rc) rc = arg_bool(vm, argv[2], "vectors", &vectors);
    if (!rc) rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc) rc = arr_svd(vm_rt(vm), a, full && vectors, vectors ? &parts[1] : NULL, &parts[0], vectors ? &parts[2] : NULL, vm_err(vm));
    arr_release(vm_rt(vm), a);
    return give_tuple(vm, rc, !rc && vectors ? 3 : 1, parts, out);
}

gpa_code linalg_eigh(gpa_vm *vm, value *argv, value *out) { /* a, upper, vectors */
    gpa_arr *a = NULL, *parts[2] = {NULL};
    bool upper, vectors;
    gpa_code rc = arg_bool(vm, argv[1], "upper", &upper);
    if (!rc) rc = arg_bool(vm, argv[2], "vectors", &vectors);
    if (!rc) rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc) rc = arr_eigh(vm_rt(vm), a, upper, &parts[0], vectors ? &parts[1] : NULL, vm_err(vm));
    arr_release(vm_rt(vm), a);
    return give_tuple(vm, rc, !rc && vectors ? 2 : 1, parts, out);
}

gpa_code linalg_eig(gpa_vm *vm, value *argv, value *out) { /* a, vectors */
    gpa_arr *a = NULL, *parts[2] = {NULL};
    bool vectors;
    gpa_code rc = arg_bool(vm, argv[1], "vectors", &vectors);
    if (!rc) rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc) rc = arr_eig(vm_rt(vm), a, &parts[0], vectors ? &parts[1] : NULL, vm_err(vm));
    arr_release(vm_rt(vm), a);
    return give_tuple(vm, rc, !rc && vectors ? 2 : 1, parts, out);
}

/* ---- sparse matrices ---- */

gpa_code sparse_product(gpa_vm *vm, value *argv, value *out) { /* indptr, indices, data, x */
    gpa_arr *in[4] = {NULL}, *y = NULL;
    gpa_code rc = GPA_OK;
    for (int i = 0; i < 4; i++) TRY(arg_array(vm, argv[i], DT_NONE, &in[i]));
    TRY(arr_sparse(vm_rt(vm), in[0], in[1], in[2], in[3], &y, vm_err(vm)));
    rc = np_return_array(vm, y, out);
out:
    for (int i = 0; i < 4; i++) arr_release(vm_rt(vm), in[i]);
    return rc;
}

/* ---- results with names ---- (a tuple, field 0, whose items have names, too) */

typedef struct {
    const object_kind *kind;
    const char *name, *items[3];
} named;

static const named results[] = {
    {&eig_result_kind, "EigResult", {"eigenvalues", "eigenvectors"}},
    {&eigh_result_kind, "EighResult", {"eigenvalues", "eigenvectors"}},
    {&qr_result_kind, "QRResult", {"Q", "R"}},
    {&slogdet_result_kind, "SlogdetResult", {"sign", "logabsdet"}},
    {&svd_result_kind, "SVDResult", {"U", "S", "Vh"}},
};

static const named *names_of(const object_obj *o) {
    const named *r = results;
    while (r->kind != o->kind) r++;
    return r;
}

static gpa_code result_attr(gpa_vm *vm, object_obj *o, const char *name, value *out) {
    const named *r = names_of(o);
    *out = v_unset();
    (void)vm;
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

#define RESULT(variable, name)                                                                                          \
    const object_kind variable = {.type_name = "numpy.linalg._linalg." name, .attr = result_attr, .repr = result_repr, \
                                  .getitem = result_getitem, .iter = result_iter, .len = result_len, .contains = result_contains}
RESULT(eig_result_kind, "EigResult");
RESULT(eigh_result_kind, "EighResult");
RESULT(qr_result_kind, "QRResult");
RESULT(slogdet_result_kind, "SlogdetResult");
RESULT(svd_result_kind, "SVDResult");
#undef RESULT

gpa_code linalg_result(gpa_vm *vm, value *argv, value *out) { /* name, *values */
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
