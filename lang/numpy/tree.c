/* Trees of containers and leaves: nested lists, tuples and dicts of arrays and numbers, as the
 * arguments of differentiated functions are (JAX's pytrees).
 *
 * A skeleton is a tree whose leaves are all Ellipsis; keys of dicts are sorted. Two plain trees
 * have the same structure if their skeletons are equal. A tree with other containers (classes that
 * a program registers, named tuples, ordered dicts) is not plain: its skeleton is False. */
#include <stdlib.h>
#include <string.h>

#include "lang/numpy/all.h"
#include "lang/object/container.h"
#include "lang/object/kind.h"
#include "lang/vm/vm.h"

enum { MAX_DEPTH = 64 };

typedef struct {
    gpa_vm *vm;
    value leaf_class; /* whose instances are leaves */
    list_obj *leaves;
} flattening;

static bool is_leaf(const flattening *f, value v) {
    switch ((int)v.tag) {
        case V_BOOL:
        case V_INT:
        case V_FLOAT:
        case V_COMPLEX:
        case V_NUM:
        case V_ARRAY:
        case V_STR: return true;
        case V_OBJECT: return v.object->kind->instance && v.object->fields[1].o == f->leaf_class.o;
        default: return false;
    }
}

static gpa_code flatten(flattening *f, value tree, int depth, value *out);

/* Replaces the items of a skeleton, which are a tree's, by their skeletons; *plain false: one is
 * not plain. */
static gpa_code flatten_items(flattening *f, value *items, size_t n, int depth, bool *plain) {
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < n && !rc && *plain; i++) {
        value skeleton;
        rc = flatten(f, items[i], depth + 1, &skeleton);
        if (rc) return rc;
        *plain = skeleton.tag != V_BOOL;
        value_release(f->vm, items[i]);
        items[i] = skeleton;
    }
    return rc;
}

static int compare_keys(const void *a, const void *b) {
    return strcmp((*(dict_entry *const *)a)->key.str->text,
                  (*(dict_entry *const *)b)->key.str->text);
}

/* The entries of a dict in the order of their keys, for the caller to free; NULL: a key is not a
 * str, or memory is short. */
static dict_entry **sorted_entries(const dict_obj *d) {
    dict_entry **entries = mem_new((d->count + 1) * sizeof *entries), *e;
    size_t at = 0, n = 0;
    bool named = entries != NULL;
    while (named && n < d->count && (e = dict_next(d, &at))) {
        named = e->key.tag == V_STR && strlen(e->key.str->text) == e->key.str->size;
        entries[n++] = e;
    }
    if (named && n == d->count) {
        qsort(entries, n, sizeof *entries, compare_keys);
        return entries;
    }
    mem_free(entries);
    return NULL;
}

static gpa_code flatten_dict(flattening *f, dict_obj *d, int depth, value *out) {
    dict_entry **entries = d->ordered || d->module ? NULL : sorted_entries(d);
    gpa_code rc = GPA_OK;
    *out = v_bool(false);
    if (!entries) return GPA_OK;
    value skeleton = v_dict(f->vm);
    bool plain = true;
    if (skeleton.tag == V_UNSET) rc = GPA_E_MEMORY;
    for (size_t i = 0; i < d->count && !rc && plain; i++) {
        value one;
        if ((rc = flatten(f, entries[i]->v, depth + 1, &one))) break;
        plain = one.tag != V_BOOL;
        rc = dict_set(f->vm, skeleton.dict, entries[i]->key, one);
        value_release(f->vm, one);
    }
    mem_free(entries);
    if (!rc && plain) *out = value_retain(skeleton);
    value_release(f->vm, skeleton);
    return rc;
}

/* Appends the leaves of a tree; *out: its skeleton, False if it is not plain. */
static gpa_code flatten(flattening *f, value tree, int depth, value *out) {
    bool plain = true;
    *out = v_bool(false);
    if (is_leaf(f, tree)) {
        *out = (value){.tag = V_ELLIPSIS};
        return list_append(f->vm, f->leaves, tree);
    }
    if (depth == MAX_DEPTH) return GPA_OK;
    if (tree.tag == V_NONE) *out = v_none();
    if (tree.tag == V_DICT) return flatten_dict(f, tree.dict, depth, out);
    if (tree.tag != V_LIST && tree.tag != V_TUPLE) return GPA_OK;
    const bool list = tree.tag == V_LIST;
    value made = list ? v_list(f->vm, tree.list->count, tree.list->items)
                      : v_tuple(f->vm, tree.tuple->count, tree.tuple->items);
    if (made.tag == V_UNSET) return GPA_E_MEMORY;
    gpa_code rc = flatten_items(f, list ? made.list->items : made.tuple->items,
                                list ? made.list->count : made.tuple->count, depth, &plain);
    if (!rc && plain) *out = value_retain(made);
    value_release(f->vm, made);
    return rc;
}

gpa_code tree_flatten(gpa_vm *vm, value *argv, value *out) { /* leaf_class, tree, leaves */
    if (argv[2].tag != V_LIST) return vm_fail(vm, GPA_E_TYPE, "a list of leaves is required");
    flattening f = {vm, argv[0], argv[2].list};
    return flatten(&f, argv[1], 0, out);
}

static gpa_code fill(gpa_vm *vm, value skeleton, const list_obj *leaves, size_t *at, value *out);

static gpa_code fill_items(gpa_vm *vm, value *items, size_t n, const list_obj *leaves, size_t *at) {
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < n && !rc; i++) {
        const value skeleton = items[i];
        value item;
        if ((rc = fill(vm, skeleton, leaves, at, &item))) break;
        items[i] = item;
        value_release(vm, skeleton);
    }
    return rc;
}

/* A dict with the keys of a skeleton. */
static gpa_code fill_dict(gpa_vm *vm, dict_obj *made, const dict_obj *skeleton,
                          const list_obj *leaves, size_t *at) {
    gpa_code rc = GPA_OK;
    size_t i = 0;
    for (dict_entry *e; !rc && (e = dict_next(skeleton, &i));) {
        value item;
        if ((rc = fill(vm, e->v, leaves, at, &item))) break;
        rc = dict_set(vm, made, e->key, item);
        value_release(vm, item);
    }
    return rc;
}

/* The tree of a skeleton, from the leaves from number *at on. */
static gpa_code fill(gpa_vm *vm, value skeleton, const list_obj *leaves, size_t *at, value *out) {
    gpa_code rc = GPA_OK;
    value made = v_none();
    if (skeleton.tag == V_ELLIPSIS) {
        if (*at == leaves->count) return vm_fail(vm, GPA_E_VALUE, "too few leaves for the tree");
        made = value_retain(leaves->items[(*at)++]);
    } else if (skeleton.tag == V_LIST) {
        made = v_list(vm, skeleton.list->count, skeleton.list->items);
        if (made.tag != V_UNSET)
            rc = fill_items(vm, made.list->items, made.list->count, leaves, at);
    } else if (skeleton.tag == V_TUPLE) {
        made = v_tuple(vm, skeleton.tuple->count, skeleton.tuple->items);
        if (made.tag != V_UNSET)
            rc = fill_items(vm, made.tuple->items, made.tuple->count, leaves, at);
    } else if (skeleton.tag == V_DICT) {
        made = v_dict(vm);
        if (made.tag != V_UNSET) rc = fill_dict(vm, made.dict, skeleton.dict, leaves, at);
    }
    if (made.tag == V_UNSET) rc = GPA_E_MEMORY;
    *out = made;
    if (rc) value_release(vm, made);
    return rc;
}

gpa_code tree_fill(gpa_vm *vm, value *argv, value *out) { /* skeleton, leaves */
    size_t at = 0;
    if (argv[1].tag != V_LIST) return vm_fail(vm, GPA_E_TYPE, "a list of leaves is required");
    gpa_code rc = fill(vm, argv[0], argv[1].list, &at, out);
    if (rc || at == argv[1].list->count) return rc;
    value_release(vm, *out);
    return vm_fail(vm, GPA_E_VALUE, "too many leaves for the tree");
}
