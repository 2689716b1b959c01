/* Combinatorial iterators of itertools: product, permutations, combinations.
 *
 * source is the pool (a list; for product a tuple of lists), extra a list of indices of the next
 * result, and `at` is 1 while there is a next one. */
#include "lang/builtin/all.h"
#include "lang/builtin/iterate.h"
#include "lang/object/container.h"

/* List of n ints: 0, 1, ... or all 0. */
static gpa_code make_indices(gpa_vm *vm, size_t n, bool ascending, value *out) {
    *out = v_list(vm, n, NULL);
    if (out->tag == V_UNSET) return GPA_E_MEMORY;
    for (size_t i = 0; i < n; i++) out->list->items[i] = v_int(ascending ? (int64_t)i : 0);
    return GPA_OK;
}

/* The current result as a tuple: item c[i] of the pool, or of pool i. */
static gpa_code return_selection(gpa_vm *vm, const iter_obj *it, size_t r, value *out) {
    value t = v_tuple(vm, r, NULL);
    if (t.tag == V_UNSET) return GPA_E_MEMORY;
    const value *c = it->extra.list->items;
    for (size_t i = 0; i < r; i++) {
        const list_obj *pool =
            it->source.tag == V_TUPLE ? it->source.tuple->items[i].list : it->source.list;
        t.tuple->items[i] = value_retain(pool->items[c[i].i]);
    }
    *out = t;
    return GPA_OK;
}

/* ---- product ---- */

static gpa_code product_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    const tuple_obj *pools = it->source.tuple;
    *done = !it->at;
    if (*done) return GPA_OK;
    gpa_code rc = return_selection(vm, it, pools->count, out);
    value *c = it->extra.list->items;
    size_t i = pools->count;
    while (i > 0 && (size_t)++c[i - 1].i == pools->items[i - 1].list->count) c[--i].i = 0;
    it->at = i > 0;
    return rc;
}

gpa_code itertools_product(gpa_vm *vm, value *argv, value *out) {
    const tuple_obj *iterables = argv[0].tuple;
    int64_t repeat;
    value pools = v_none(), c = v_none();
    bool some = true;
    gpa_code rc = arg_int(vm, argv[1], "repeat", &repeat);
    if (!rc && repeat < 0) rc = vm_fail(vm, GPA_E_VALUE, "repeat argument cannot be negative");
    size_t n = rc ? 0 : iterables->count * (size_t)repeat;
    if (!rc) rc = native_return(v_tuple(vm, n, NULL), &pools);
    for (size_t i = 0; i < n && !rc; i++) {
        if (i < iterables->count)
            rc = vm_collect(vm, iterables->items[i], &pools.tuple->items[i]);
        else
            pools.tuple->items[i] = value_retain(pools.tuple->items[i % iterables->count]);
        some = some && !rc && pools.tuple->items[i].list->count > 0;
    }
    if (!rc) rc = make_indices(vm, n, false, &c);
    if (!rc) rc = iter_over(vm, "itertools.product", pools, c, product_next, out);
    if (!rc) out->iter->at = some;
    value_release(vm, c);
    value_release(vm, pools);
    return rc;
}

/* ---- permutations ---- (the indices are a permutation of all items) */

static void reverse(value *c, size_t n) {
    for (size_t i = 0; i + 1 < n - i; i++) {
        value v = c[i];
        c[i] = c[n - 1 - i];
        c[n - 1 - i] = v;
    }
}

/* Next permutation in lexicographic order of the first r items: the items after them are first put
 * in descending order. */
static bool next_permutation(value *c, size_t n, size_t r) {
    if (r < n) reverse(c + r, n - r);
    size_t i = n;
    while (i > 1 && c[i - 2].i > c[i - 1].i) i--;
    if (i < 2) return false;
    size_t j = n - 1;
    while (c[j].i < c[i - 2].i) j--;
    value v = c[i - 2];
    c[i - 2] = c[j];
    c[j] = v;
    reverse(c + i - 1, n - i + 1);
    return true;
}

/* end: r. */
static gpa_code permutations_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    *done = !it->at;
    if (*done) return GPA_OK;
    gpa_code rc = return_selection(vm, it, (size_t)it->end, out);
    it->at = it->end > 0 &&
             next_permutation(it->extra.list->items, it->extra.list->count, (size_t)it->end);
    return rc;
}

/* ---- combinations ---- (the indices ascend; step: they may also be equal) */

static bool next_combination(value *c, int64_t n, int64_t r, bool repetition) {
    int64_t i = r - 1;
    while (i >= 0 && c[i].i == (repetition ? n - 1 : n - r + i)) i--;
    if (i < 0) return false;
    int64_t from = c[i].i + 1;
    for (int64_t k = i; k < r; k++) c[k].i = repetition ? from : from + k - i;
    return true;
}

static gpa_code combinations_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    *done = !it->at;
    if (*done) return GPA_OK;
    gpa_code rc = return_selection(vm, it, (size_t)it->end, out);
    it->at = next_combination(it->extra.list->items, (int64_t)it->source.list->count, it->end,
                              it->step != 0);
    return rc;
}

typedef enum { PERMUTATIONS, COMBINATIONS, AGAIN } combinatoric;

static gpa_code make_combinatoric(gpa_vm *vm, value *argv, combinatoric how, const char *name,
                                  value *out) {
    value pool = v_none(), c = v_none();
    gpa_code rc = vm_collect(vm, argv[0], &pool);
    if (rc) return rc;
    int64_t n = (int64_t)pool.list->count, r = n;
    if (argv[1].tag != V_NONE || how != PERMUTATIONS) rc = arg_int(vm, argv[1], "r", &r);
    if (!rc && r < 0) rc = vm_fail(vm, GPA_E_VALUE, "r must be non-negative");
    bool some = how == AGAIN ? r == 0 || n > 0 : r <= n;
    if (!rc)
        rc = make_indices(vm,
                          how == PERMUTATIONS ? (size_t)n
                          : some              ? (size_t)r
                                              : 0,
                          how != AGAIN, &c);
    if (!rc)
        rc = iter_over(vm, name, pool, c,
                       how == PERMUTATIONS ? permutations_next : combinations_next, out);
    if (!rc) {
        out->iter->at = some;
        out->iter->end = r;
        out->iter->step = how == AGAIN;
    }
    value_release(vm, c);
    value_release(vm, pool);
    return rc;
}

gpa_code itertools_permutations(gpa_vm *vm, value *argv, value *out) {
    return make_combinatoric(vm, argv, PERMUTATIONS, "itertools.permutations", out);
}

gpa_code itertools_combinations(gpa_vm *vm, value *argv, value *out) {
    return make_combinatoric(vm, argv, COMBINATIONS, "itertools.combinations", out);
}

gpa_code itertools_combinations_again(gpa_vm *vm, value *argv, value *out) {
    return make_combinatoric(vm, argv, AGAIN, "itertools.combinations_with_replacement", out);
}
