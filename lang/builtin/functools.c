/* The module functools: reduce, partial, caches. */
#include "lang/builtin/all.h"
#include "lang/vm/kinds.h"
#include "lang/object/container.h"
#include "lang/vm/vm.h"

gpa_code functools_reduce(gpa_vm *vm, value *argv, value *out) {
    value it = v_unset(), so_far = value_retain(argv[2]);
    gpa_code rc = GPA_OK;
    TRY(vm_iter(vm, argv[1], &it));
    for (;;) {
        value pair[2] = {so_far, v_none()}, next = v_none();
        bool done = false;
        TRY(vm_poll(vm));
        TRY(iter_next(vm, it, &pair[1], &done));
        if (done) break;
        if (so_far.tag == V_UNSET) {
            so_far = pair[1];
            continue;
        }
        rc = vm_call(vm, argv[0], ARGS(2, pair), &next);
        value_release(vm, pair[1]);
        if (rc) goto out;
        value_release(vm, so_far);
        so_far = next;
    }
    if (so_far.tag == V_UNSET)
        rc = vm_fail(vm, GPA_E_TYPE, "reduce() of empty iterable with no initial value");
    else
        *out = value_retain(so_far);
out:
    value_release(vm, it);
    value_release(vm, so_far);
    return rc;
}

/* ---- partial ---- (fields: the function, a tuple of arguments, a dict of keywords) */

/* Prepends the arguments of the partial object to those of a call: *out, whose `values` and `names`
 * the caller frees, also after a failure. */
static gpa_code merge_arguments(gpa_vm *vm, const object_obj *o, const call_args *a,
                                call_args *out) {
    const tuple_obj *first = o->fields[1].tuple;
    const dict_obj *keywords = o->fields[2].dict;
    size_t capacity = first->count + a->n + keywords->count + a->n_named + 1, at = 0;
    value *values = mem_new(capacity * sizeof(value)), *names = mem_new(capacity * sizeof(value));
    size_t n = first->count + a->n, n_named = 0;
    *out = (call_args){.values = values, .names = names};
    if (!values || !names) return vm_no_memory(vm);
    memcpy(values, first->items, first->count * sizeof(value));
    if (a->n) memcpy(values + first->count, a->values, a->n * sizeof(value));
    for (const dict_entry *e; (e = dict_next(keywords, &at));) {
        bool overridden = false; /* a keyword of the call overrides a stored one */
        for (size_t i = 0; i < a->n_named; i++)
            overridden = overridden || strcmp(a->names[i].str->text, e->key.str->text) == 0;
        if (overridden) continue;
        names[n_named] = e->key;
        values[n + n_named++] = e->v;
    }
    for (size_t i = 0; i < a->n_named; i++) {
        names[n_named] = a->names[i];
        values[n + n_named++] = a->values[a->n + i];
    }
    out->n = n;
    out->n_named = n_named;
    return GPA_OK;
}

static gpa_code partial_call(gpa_vm *vm, object_obj *o, const call_args *a, value *out) {
    call_args all;
    gpa_code rc = merge_arguments(vm, o, a, &all);
    if (!rc) rc = vm_call(vm, o->fields[0], &all, out);
    mem_free((value *)all.values);
    mem_free((value *)all.names);
    return rc;
}

static gpa_code partial_attr(gpa_vm *vm, object_obj *o, const char *name, value *out) {
    (void)vm;
    static const char *const names[] = {"func", "args", "keywords"};
    *out = v_unset();
    for (size_t i = 0; i < 3; i++)
        if (strcmp(name, names[i]) == 0) *out = value_retain(o->fields[i]);
    return GPA_OK;
}

static gpa_code partial_repr(gpa_vm *vm, object_obj *o, gpa_str *out) {
    str_put(out, "functools.partial(");
    gpa_code rc = vm_repr(vm, o->fields[0], out);
    for (size_t i = 0; i < o->fields[1].tuple->count && !rc; i++) {
        str_put(out, ", ");
        rc = vm_repr(vm, o->fields[1].tuple->items[i], out);
    }
    size_t at = 0;
    for (const dict_entry *e; !rc && (e = dict_next(o->fields[2].dict, &at));) {
        str_printf(out, ", %s=", e->key.str->text);
        rc = vm_repr(vm, e->v, out);
    }
    str_putc(out, ')');
    return rc;
}

const object_kind partial_kind = {.type_name = "functools.partial",
                                  .call = partial_call,
                                  .attr = partial_attr,
                                  .repr = partial_repr};

/* The fields of a partial object whose function is the partial object `inner`: its function, the
 * arguments of both. */
static gpa_code flatten(gpa_vm *vm, const object_obj *inner, const value *argv, value *fields) {
    const tuple_obj *first = inner->fields[1].tuple, *more = argv[1].tuple;
    fields[0] = value_retain(inner->fields[0]);
    fields[1] = v_tuple(vm, first->count + more->count, NULL);
    fields[2] = dict_copy(vm, inner->fields[2].dict);
    if (fields[1].tag == V_UNSET || fields[2].tag == V_UNSET) return vm_err(vm)->code;
    value *to = fields[1].tuple->items;
    for (size_t i = 0; i < first->count; i++) *to++ = value_retain(first->items[i]);
    for (size_t i = 0; i < more->count; i++) *to++ = value_retain(more->items[i]);
    return dict_update(vm, fields[2].dict, argv[2].dict);
}

gpa_code functools_partial(gpa_vm *vm, value *argv, value *out) {
    if (!vm_callable(argv[0]))
        return vm_fail(vm, GPA_E_TYPE, "the first argument must be callable");
    value o = v_object(vm, &partial_kind, 3);
    if (o.tag == V_UNSET) return GPA_E_MEMORY;
    if (argv[0].tag == V_OBJECT && argv[0].object->kind == &partial_kind) {
        gpa_code rc = flatten(vm, argv[0].object, argv, o.object->fields);
        return native_finish(vm, rc, o, out);
    }
    for (int i = 0; i < 3; i++) o.object->fields[i] = value_retain(argv[i]);
    *out = o;
    return GPA_OK;
}

/* ---- caches ---- (fields: the function, the dict of results, the capacity or None, hits, misses)
 */

/* Cache key: a tuple of the arguments, then a mark and names and values of keywords. */
static value cache_key(gpa_vm *vm, const call_args *a) {
    value t = v_tuple(vm, a->n + 2 * a->n_named + (a->n_named > 0), NULL);
    if (t.tag == V_UNSET) return t;
    value *to = t.tuple->items;
    for (size_t i = 0; i < a->n; i++) *to++ = value_retain(a->values[i]);
    if (a->n_named) *to++ = (value){.tag = V_ELLIPSIS};
    for (size_t i = 0; i < a->n_named; i++) {
        *to++ = value_retain(a->names[i]);
        *to++ = value_retain(a->values[a->n + i]);
    }
    return t;
}

/* The cached result of a key (owned), which becomes the most recently used; UNSET on a miss. */
static gpa_code cache_find(gpa_vm *vm, object_obj *o, value key, value *out) {
    dict_obj *d = o->fields[1].dict;
    gpa_code rc = dict_get_peek(vm, d, key, out);
    if (rc || out->tag == V_UNSET) return rc;
    value_retain(*out);
    if (o->fields[2].tag != V_INT) return GPA_OK;
    bool found;
    rc = dict_remove(vm, d, key, &found);
    if (!rc) rc = dict_set(vm, d, key, *out);
    if (rc) value_release(vm, *out);
    return rc;
}

static gpa_code cache_store(gpa_vm *vm, object_obj *o, value key, value v) {
    dict_obj *d = o->fields[1].dict;
    int64_t most = o->fields[2].tag == V_INT ? o->fields[2].i : INT64_MAX;
    if (most <= 0) return GPA_OK;
    gpa_code rc = dict_set(vm, d, key, v);
    for (bool found = true;
         !rc && found && (int64_t)d->count > most;) { /* a hash that changed may find no entry */
        size_t at = 0;
        value oldest = value_retain(dict_next(d, &at)->key);
        rc = dict_remove(vm, d, oldest, &found);
        value_release(vm, oldest);
    }
    return rc;
}

static gpa_code cache_call(gpa_vm *vm, object_obj *o, const call_args *a, value *out) {
    value key = cache_key(vm, a), hit = v_unset();
    if (key.tag == V_UNSET) return GPA_E_MEMORY;
    gpa_code rc = cache_find(vm, o, key, &hit);
    if (!rc && hit.tag != V_UNSET) {
        o->fields[3].i++;
        *out = hit;
    } else if (!rc) {
        o->fields[4].i++;
        rc = vm_call(vm, o->fields[0], a, out);
        if (!rc && (rc = cache_store(vm, o, key, *out))) {
            value_release(vm, *out);
            *out = v_unset();
        }
    }
    value_release(vm, key);
    return rc;
}

gpa_code cached_info(gpa_vm *vm, value *argv, value *out) {
    const object_obj *o = argv[0].object;
    value parts[4] = {o->fields[3], o->fields[4], o->fields[2],
                      v_int((int64_t)o->fields[1].dict->count)};
    value arguments[2] = {v_cstr(vm, "CacheInfo"), v_tuple(vm, 4, parts)};
    gpa_code rc = arguments[0].tag == V_UNSET || arguments[1].tag == V_UNSET
                      ? vm_err(vm)->code
                      : native_find(OWNER_NUMPY, "_result_tuple")->fn(vm, arguments, out);
    value_release(vm, arguments[0]);
    value_release(vm, arguments[1]);
    return rc;
}

gpa_code cached_clear(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    object_obj *o = argv[0].object;
    dict_clear(vm, o->fields[1].dict);
    o->fields[3].i = o->fields[4].i = 0;
    return GPA_OK;
}

gpa_code cached_wrapped(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = value_retain(argv[0].object->fields[0]);
    return GPA_OK;
}

const object_kind cached_kind = {
    .type_name = "functools._lru_cache_wrapper", .binds = true, .call = cache_call};

static gpa_code make_cache(gpa_vm *vm, value fn, value most, value *out) {
    value o = v_object(vm, &cached_kind, 5), d = v_dict(vm);
    if (o.tag == V_UNSET || d.tag == V_UNSET) {
        value_release(vm, o);
        value_release(vm, d);
        return GPA_E_MEMORY;
    }
    o.object->fields[0] = value_retain(fn);
    o.object->fields[1] = d;
    o.object->fields[2] = value_retain(most);
    o.object->fields[3] = o.object->fields[4] = v_int(0);
    *out = o;
    return GPA_OK;
}

gpa_code functools_cache(gpa_vm *vm, value *argv, value *out) {
    return make_cache(vm, argv[0], v_none(), out);
}

/* lru_cache(maxsize), before it is applied to a function. */
static gpa_code decorator_call(gpa_vm *vm, object_obj *o, const call_args *a, value *out) {
    if (a->n != 1 || a->n_named)
        return vm_fail(vm, GPA_E_TYPE,
                       "decorating_function() takes 1 positional argument but %zu were given",
                       a->n + a->n_named);
    return make_cache(vm, a->values[0], o->fields[0], out);
}

static const object_kind cache_decorator_kind = {.type_name = "function", .call = decorator_call};

static gpa_code wraps_call(gpa_vm *vm, object_obj *o, const call_args *a, value *out) {
    static const char *const copied[] = {"__name__", "__doc__"};
    if (a->n != 1 || a->n_named)
        return vm_fail(vm, GPA_E_TYPE,
                       "update_wrapper() takes 1 positional argument but %zu were given",
                       a->n + a->n_named);
    for (size_t i = 0; i < COUNT_OF(copied); i++) {
        value v = v_none();
        gpa_code rc = vm_attr(vm, o->fields[0], copied[i], &v);
        if (!rc) rc = vm_setattr(vm, a->values[0], copied[i], v);
        value_release(vm, v);
        if (gpa_err_is(rc, GPA_E_ATTRIBUTE) || gpa_err_is(rc, GPA_E_TYPE))
            vm_clear_error(vm);
        else if (rc)
            return rc;
    }
    *out = value_retain(a->values[0]);
    return GPA_OK;
}

static const object_kind wraps_kind = {.type_name = "function", .call = wraps_call};

static gpa_code decorator(gpa_vm *vm, const object_kind *kind, value field, value *out) {
    value o = v_object(vm, kind, 1);
    if (o.tag == V_UNSET) return GPA_E_MEMORY;
    o.object->fields[0] = value_retain(field);
    *out = o;
    return GPA_OK;
}

gpa_code functools_lru_cache(gpa_vm *vm, value *argv, value *out) {
    if (vm_callable(argv[0])) return make_cache(vm, argv[0], v_int(128), out);
    if (argv[0].tag != V_NONE && argv[0].tag != V_INT)
        return vm_fail(vm, GPA_E_TYPE,
                       "Expected first argument to be an integer, a callable, or None");
    return decorator(vm, &cache_decorator_kind, argv[0], out);
}

gpa_code functools_wraps(gpa_vm *vm, value *argv, value *out) {
    return decorator(vm, &wraps_kind, argv[0], out);
}
