/* Iterators of the module itertools. Each is an iter_obj: the comment above its `next` describes
 * `source`, `extra` and the counters. Loops that may run long without a result call vm_poll. */
#include "lang/builtin/all.h"
#include "lang/builtin/iterate.h"
#include "lang/object/container.h"
#include "lang/vm/instance.h"
#include "lang/vm/vm.h"

static gpa_code make_iterator(gpa_vm *vm, const char *name, value iterable, value extra,
                              gpa_code (*next)(gpa_vm *, iter_obj *, value *, bool *), value *out) {
    value it = v_none();
    gpa_code rc = vm_iter(vm, iterable, &it);
    if (!rc) rc = iter_over(vm, name, it, extra, next, out);
    value_release(vm, it);
    return rc;
}

/* ---- infinite ---- */

/* source: the next number; extra: the step. */
static gpa_code count_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    (void)done;
    value next = v_none();
    gpa_code rc = vm_binary(vm, OP_ADD, it->source, it->extra, &next);
    if (rc) return rc;
    *out = it->source;
    it->source = next;
    return GPA_OK;
}

gpa_code itertools_count(gpa_vm *vm, value *argv, value *out) {
    return iter_over(vm, "itertools.count", argv[0], argv[1], count_next, out);
}

/* source: the iterator, or NONE after its end; extra: the items so far; at: index of the next. */
static gpa_code cycle_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    if (it->source.tag != V_NONE) {
        gpa_code rc = wrapped_next(vm, it->source, out, done);
        if (rc || !*done) return rc ? rc : list_append(vm, it->extra.list, *out);
        value_release(vm, it->source);
        it->source = v_none();
    }
    const list_obj *seen = it->extra.list;
    *done = seen->count == 0;
    if (*done) return GPA_OK;
    *out = value_retain(seen->items[it->at]);
    it->at = (it->at + 1) % (int64_t)seen->count;
    return GPA_OK;
}

gpa_code itertools_cycle(gpa_vm *vm, value *argv, value *out) {
    value seen = v_list(vm, 0, NULL);
    if (seen.tag == V_UNSET) return GPA_E_MEMORY;
    gpa_code rc = make_iterator(vm, "itertools.cycle", argv[0], seen, cycle_next, out);
    value_release(vm, seen);
    return rc;
}

/* source: the value; at: repetitions left, -1 without end. */
static gpa_code repeat_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    (void)vm;
    *done = it->at == 0;
    if (*done) return GPA_OK;
    if (it->at > 0) it->at--;
    *out = value_retain(it->source);
    return GPA_OK;
}

gpa_code itertools_repeat(gpa_vm *vm, value *argv, value *out) {
    int64_t times = -1;
    gpa_code rc = argv[1].tag == V_UNSET ? GPA_OK : arg_int(vm, argv[1], "times", &times);
    if (!rc && argv[1].tag != V_UNSET) times = MAX(times, 0);
    if (!rc) rc = iter_over(vm, "itertools.repeat", argv[0], v_none(), repeat_next, out);
    if (!rc) out->iter->at = times;
    return rc;
}

/* ---- chain, islice ---- */

/* source: an iterator of iterables; extra: the iterator over the current one, or NONE. */
static gpa_code chain_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    for (;;) {
        gpa_code rc;
        if (it->extra.tag == V_NONE) {
            value iterable = v_none();
            rc = wrapped_next(vm, it->source, &iterable, done);
            if (rc || *done) return rc;
            rc = vm_iter(vm, iterable, &it->extra);
            value_release(vm, iterable);
            if (rc) return rc;
        }
        rc = wrapped_next(vm, it->extra, out, done);
        if (rc || !*done) return rc;
        value_release(vm, it->extra);
        it->extra = v_none();
        *done = false;
        if ((rc = vm_poll(vm))) return rc;
    }
}

gpa_code itertools_chain(gpa_vm *vm, value *argv, value *out) {
    return make_iterator(vm, "itertools.chain", argv[0], v_none(), chain_next, out);
}

gpa_code itertools_from_iterable(gpa_vm *vm, value *argv, value *out) {
    if (argv[0].native->fn != itertools_chain)
        return vm_fail(vm, GPA_E_ATTRIBUTE,
                       "'builtin_function_or_method' object has no attribute 'from_iterable'");
    return make_iterator(vm, "itertools.chain", argv[1], v_none(), chain_next, out);
}

/* source: the iterator; at: items to skip before the next; end: items left to consider, -1 without
 * end; step. */
static gpa_code islice_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    for (;;) {
        *done = it->end == 0;
        if (*done) return GPA_OK;
        gpa_code rc = wrapped_next(vm, it->source, out, done);
        if (rc || *done) return rc;
        if (it->end > 0) it->end--;
        if (it->at-- == 0) {
            it->at = it->step - 1;
            return GPA_OK;
        }
        value_release(vm, *out);
        *out = v_none();
        if (it->at % 1024 == 0 && (rc = vm_poll(vm))) return rc;
    }
}

gpa_code itertools_islice(gpa_vm *vm, value *argv, value *out) {
    static const char *const messages[] = {
        "Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.",
        "Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.",
        "Step for islice() must be a positive integer or None."};
    const tuple_obj *a = argv[1].tuple;
    int64_t at[3] = {0, -1, 1};
    if (a->count == 0 || a->count > 3)
        return vm_fail(vm, GPA_E_TYPE, "islice expected at %s %d arguments, got %zu",
                       a->count ? "most" : "least", a->count ? 4 : 2, a->count + 1);
    for (size_t i = 0; i < a->count; i++) {
        size_t which = a->count == 1 ? 1 : i;
        if (a->items[i].tag == V_NONE) continue;
        value v = a->items[i];
        gpa_code rc = arg_int(vm, v, "islice", &at[which]);
        if (rc && rc != GPA_E_TYPE && rc != GPA_E_OVERFLOW) return rc;
        if (rc) vm_clear_error(vm);
        if (rc || at[which] < (which == 2)) return vm_fail(vm, GPA_E_VALUE, "%s", messages[which]);
    }
    gpa_code rc = make_iterator(vm, "itertools.islice", argv[0], v_none(), islice_next, out);
    if (rc) return rc;
    out->iter->at = at[0];
    out->iter->end = at[1];
    out->iter->step = at[2];
    return GPA_OK;
}

/* ---- by a predicate ---- */

static gpa_code call_predicate(gpa_vm *vm, value fn, value v, bool *out) {
    if (fn.tag == V_NONE) return value_truth(vm, v, out);
    value r = v_none();
    gpa_code rc = vm_call(vm, fn, ARGS(1, &v), &r);
    if (!rc) rc = value_truth(vm, r, out);
    value_release(vm, r);
    return rc;
}

/* source: the iterator; extra: the function; at: 1 after the end. */
static gpa_code takewhile_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    value v = v_none();
    bool ok = false;
    *done = it->at != 0;
    if (*done) return GPA_OK;
    gpa_code rc = wrapped_next(vm, it->source, &v, done);
    if (rc || *done) return rc;
    rc = call_predicate(vm, it->extra, v, &ok);
    if (!rc && ok) {
        *out = v;
        return GPA_OK;
    }
    value_release(vm, v);
    *done = !rc;
    it->at = 1;
    return rc;
}

gpa_code itertools_takewhile(gpa_vm *vm, value *argv, value *out) {
    return make_iterator(vm, "itertools.takewhile", argv[1], argv[0], takewhile_next, out);
}

/* source: the iterator; extra: the function; at: 1 once the predicate has failed; step: test every
 * item (filterfalse). */
static gpa_code dropwhile_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    for (uint32_t n = 1;; n++) {
        value v = v_none();
        bool drop = false;
        gpa_code rc = wrapped_next(vm, it->source, &v, done);
        if (rc || *done) return rc;
        if (!it->at) rc = call_predicate(vm, it->extra, v, &drop);
        if (!rc && !drop) {
            it->at = it->step == 0;
            *out = v;
            return GPA_OK;
        }
        value_release(vm, v);
        if (!rc && n % 1024 == 0) rc = vm_poll(vm);
        if (rc) return rc;
    }
}

gpa_code itertools_dropwhile(gpa_vm *vm, value *argv, value *out) {
    return make_iterator(vm, "itertools.dropwhile", argv[1], argv[0], dropwhile_next, out);
}

gpa_code itertools_filterfalse(gpa_vm *vm, value *argv, value *out) {
    gpa_code rc = make_iterator(vm, "itertools.filterfalse", argv[1], argv[0], dropwhile_next, out);
    if (!rc) out->iter->step = 1;
    return rc;
}

/* source: the iterator of the data; extra: that of the selectors. */
static gpa_code compress_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    for (;;) {
        value v = v_none(), s = v_none();
        bool keep = false;
        gpa_code rc = wrapped_next(vm, it->source, &v, done);
        if (rc || *done) return rc;
        rc = wrapped_next(vm, it->extra, &s, done);
        if (!rc && !*done) rc = value_truth(vm, s, &keep);
        value_release(vm, s);
        if (!rc && !*done && keep) {
            *out = v;
            return GPA_OK;
        }
        value_release(vm, v);
        if (!rc && !*done) rc = vm_poll(vm);
        if (rc || *done) return rc;
    }
}

gpa_code itertools_compress(gpa_vm *vm, value *argv, value *out) {
    value selectors = v_none();
    gpa_code rc = vm_iter(vm, argv[1], &selectors);
    if (!rc) rc = make_iterator(vm, "itertools.compress", argv[0], selectors, compress_next, out);
    value_release(vm, selectors);
    return rc;
}

static gpa_code starmap_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    value row = v_none(), args = v_none();
    gpa_code rc = wrapped_next(vm, it->source, &row, done);
    if (rc || *done) return rc;
    rc = vm_collect(vm, row, &args);
    if (!rc) rc = vm_call(vm, it->extra, ARGS(args.list->count, args.list->items), out);
    value_release(vm, args);
    value_release(vm, row);
    return rc;
}

gpa_code itertools_starmap(gpa_vm *vm, value *argv, value *out) {
    return make_iterator(vm, "itertools.starmap", argv[1], argv[0], starmap_next, out);
}

/* ---- accumulate, pairwise, batched ---- */

/* source: the iterator; extra: a list of the function and the result so far (UNSET: none yet); at:
 * 1 if that result is the next item. */
static gpa_code accumulate_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    value *fn = &it->extra.list->items[0], *so_far = &it->extra.list->items[1], next = v_none();
    if (it->at) {
        it->at = 0;
        *out = value_retain(*so_far);
        return GPA_OK;
    }
    value pair[2] = {*so_far, v_none()};
    gpa_code rc = wrapped_next(vm, it->source, &pair[1], done);
    if (rc || *done) return rc;
    if (so_far->tag == V_UNSET)
        next = value_retain(pair[1]);
    else if (fn->tag == V_NONE)
        rc = vm_binary(vm, OP_ADD, pair[0], pair[1], &next);
    else
        rc = vm_call(vm, *fn, ARGS(2, pair), &next);
    value_release(vm, pair[1]);
    if (rc) return rc;
    value_release(vm, *so_far);
    *so_far = next;
    *out = value_retain(next);
    return GPA_OK;
}

gpa_code itertools_accumulate(gpa_vm *vm, value *argv, value *out) {
    bool begins = argv[2].tag != V_NONE;
    value kept = v_list(vm, 2, (value[]){argv[1], begins ? argv[2] : v_unset()});
    if (kept.tag == V_UNSET) return GPA_E_MEMORY;
    gpa_code rc = make_iterator(vm, "itertools.accumulate", argv[0], kept, accumulate_next, out);
    if (!rc) out->iter->at = begins;
    value_release(vm, kept);
    return rc;
}

/* source: the iterator; extra: the previous item, UNSET at the start. */
static gpa_code pairwise_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    gpa_code rc;
    if (it->extra.tag == V_UNSET) {
        rc = wrapped_next(vm, it->source, &it->extra, done);
        if (rc || *done) return rc;
    }
    value next = v_none();
    rc = wrapped_next(vm, it->source, &next, done);
    if (rc || *done) return rc;
    rc = native_return(v_tuple(vm, 2, (value[]){it->extra, next}), out);
    value_release(vm, it->extra);
    it->extra = next;
    return rc;
}

gpa_code itertools_pairwise(gpa_vm *vm, value *argv, value *out) {
    return make_iterator(vm, "itertools.pairwise", argv[0], v_unset(), pairwise_next, out);
}

static gpa_code batched_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    value batch = v_list(vm, 0, NULL);
    gpa_code rc = batch.tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
    bool over_now = false;
    for (int64_t i = 0; i < it->step && !rc && !over_now; i++) {
        value v = v_none();
        rc = wrapped_next(vm, it->source, &v, &over_now);
        if (!rc && !over_now) rc = list_append(vm, batch.list, v);
        value_release(vm, v);
    }
    if (!rc) *done = batch.list->count == 0;
    if (!rc && !*done) rc = native_return(v_tuple(vm, batch.list->count, batch.list->items), out);
    value_release(vm, batch);
    return rc;
}

gpa_code itertools_batched(gpa_vm *vm, value *argv, value *out) {
    int64_t n;
    gpa_code rc = arg_int(vm, argv[1], "n", &n);
    if (!rc && n < 1) rc = vm_fail(vm, GPA_E_VALUE, "n must be at least one");
    if (!rc) rc = make_iterator(vm, "itertools.batched", argv[0], v_none(), batched_next, out);
    if (!rc) out->iter->step = n;
    return rc;
}

/* ---- several iterables ---- */

/* source: a tuple of iterators, NONE for one that ended; extra: the fill value. */
static gpa_code zip_longest_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    tuple_obj *iters = it->source.tuple;
    value row = v_tuple(vm, iters->count, NULL);
    if (row.tag == V_UNSET) return GPA_E_MEMORY;
    bool any = false;
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < iters->count && !rc; i++) {
        bool exhausted = iters->items[i].tag == V_NONE;
        if (!exhausted) rc = wrapped_next(vm, iters->items[i], &row.tuple->items[i], &exhausted);
        any = any || !exhausted;
        if (rc || !exhausted) continue;
        value_release(vm, iters->items[i]);
        iters->items[i] = v_none();
        row.tuple->items[i] = value_retain(it->extra);
    }
    *done = !any;
    if (rc || *done)
        value_release(vm, row);
    else
        *out = row;
    return rc;
}

gpa_code itertools_zip_longest(gpa_vm *vm, value *argv, value *out) {
    value iters = v_none();
    gpa_code rc = iters_of(vm, argv[0].tuple, &iters);
    if (!rc) rc = iter_over(vm, "itertools.zip_longest", iters, argv[1], zip_longest_next, out);
    value_release(vm, iters);
    return rc;
}

/* source: the iterator; extra: a list of the function, and of the item and key that start the next
 * group (UNSET: none). A group is collected when it is reached. */
static gpa_code groupby_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    value *fn = &it->extra.list->items[0], *item = fn + 1, *key = fn + 2;
    value group = v_list(vm, 0, NULL), own_key = v_unset(), pair[2];
    gpa_code rc = group.tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
    for (bool same = true; !rc && same;) {
        if (item->tag == V_UNSET) {
            bool over_now = false;
            if (!(rc = vm_poll(vm))) rc = wrapped_next(vm, it->source, item, &over_now);
            if (over_now) *item = v_unset();
            if (rc || over_now) break;
            if (fn->tag == V_NONE)
                *key = value_retain(*item);
            else
                rc = vm_call(vm, *fn, ARGS(1, item), key);
        }
        if (!rc && own_key.tag == V_UNSET)
            own_key = value_retain(*key);
        else if (!rc)
            rc = value_equal(vm, own_key, *key, &same);
        if (rc || !same) break;
        rc = list_append(vm, group.list, *item);
        value_release(vm, *item);
        value_release(vm, *key);
        *item = *key = v_unset();
    }
    *done = !rc && own_key.tag == V_UNSET;
    if (!rc && !*done) {
        pair[0] = own_key;
        pair[1] = v_none();
        rc = vm_iter(vm, group, &pair[1]);
        if (!rc) rc = native_return(v_tuple(vm, 2, pair), out);
        value_release(vm, pair[1]);
    }
    value_release(vm, own_key);
    value_release(vm, group);
    return rc;
}

gpa_code itertools_groupby(gpa_vm *vm, value *argv, value *out) {
    value kept = v_list(vm, 3, (value[]){argv[1], v_unset(), v_unset()});
    if (kept.tag == V_UNSET) return GPA_E_MEMORY;
    gpa_code rc = make_iterator(vm, "itertools.groupby", argv[0], kept, groupby_next, out);
    value_release(vm, kept);
    return rc;
}

/* source: the iterator, shared; extra: the list of its items, shared; at: index of the next. */
static gpa_code tee_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    list_obj *seen = it->extra.list;
    if ((size_t)it->at == seen->count) {
        value v = v_none();
        gpa_code rc = wrapped_next(vm, it->source, &v, done);
        if (rc || *done) return rc;
        rc = list_append(vm, seen, v);
        value_release(vm, v);
        if (rc) return rc;
    }
    *out = value_retain(seen->items[it->at++]);
    return GPA_OK;
}

gpa_code itertools_tee(gpa_vm *vm, value *argv, value *out) {
    int64_t n;
    value it = v_none(), seen = v_list(vm, 0, NULL), all = v_none();
    gpa_code rc = seen.tag == V_UNSET ? GPA_E_MEMORY : arg_int(vm, argv[1], "n", &n);
    if (!rc && n < 0) rc = vm_fail(vm, GPA_E_VALUE, "n must be >= 0");
    if (!rc) rc = vm_iter(vm, argv[0], &it);
    if (!rc) rc = native_return(v_tuple(vm, (size_t)n, NULL), &all);
    for (int64_t i = 0; !rc && i < n; i++)
        rc = iter_over(vm, "itertools._tee", it, seen, tee_next, &all.tuple->items[i]);
    if (rc)
        value_release(vm, all);
    else
        *out = all;
    value_release(vm, it);
    value_release(vm, seen);
    return rc;
}
