/* Built-in functions on iterables.
 *
 * Iterators created here are lazy: `next` pulls from iterators kept in `source` (a tuple of them
 * for zip and map) and `extra` (a function, a sentinel). Loops over whole iterables call vm_poll
 * regularly: an iterable may be infinite. */
#include <math.h>
#include <pthread.h>

#include "lang/builtin/all.h"
#include "lang/builtin/iterate.h"
#include "lang/object/container.h"
#include "lang/vm/generator.h"
#include "lang/object/number.h"
#include "lang/vm/record.h"
#include "lang/vm/foreign.h"
#include "lang/vm/vm.h"

gpa_code iter_over(gpa_vm *vm, const char *name, value from, value extra,
                   gpa_code (*next)(gpa_vm *, iter_obj *, value *, bool *), value *out) {
    value it = v_iter(vm, name, next);
    if (it.tag == V_UNSET) return GPA_E_MEMORY;
    it.iter->source = value_retain(from);
    it.iter->extra = value_retain(extra);
    *out = it;
    return GPA_OK;
}

/* The address below which a function must not call another iterator: pages above the end of the
 * stack of this thread, for what such a call needs besides. */
static const char *stack_limit(void) {
    enum { NEEDED_BYTES = 256 << 10 };
    static _Thread_local const char *limit;
    pthread_attr_t attributes;
    void *low = NULL;
    size_t size = 0;
    if (limit || pthread_getattr_np(pthread_self(), &attributes)) return limit;
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    return limit = (const char *)low + NEEDED_BYTES;
}

gpa_code wrapped_next(gpa_vm *vm, value it, value *out, bool *done) {
    if ((const char *)__builtin_frame_address(0) < stack_limit())
        return vm_fail(vm, GPA_E_RECURSION, "maximum recursion depth exceeded");
    return iter_next(vm, it, out, done);
}

gpa_code iters_of(gpa_vm *vm, const tuple_obj *iterables, value *out) {
    value t = v_tuple(vm, iterables->count, NULL);
    if (t.tag == V_UNSET) return GPA_E_MEMORY;
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < iterables->count && !rc; i++)
        rc = vm_iter(vm, iterables->items[i], &t.tuple->items[i]);
    return native_finish(vm, rc, t, out);
}

gpa_code iters_next(gpa_vm *vm, const tuple_obj *iters, value *row, bool *done, size_t *at) {
    value t = v_tuple(vm, iters->count, NULL);
    if (t.tag == V_UNSET) return GPA_E_MEMORY;
    gpa_code rc = GPA_OK;
    *done = false;
    for (*at = 0; *at < iters->count; ++*at) {
        rc = wrapped_next(vm, iters->items[*at], &t.tuple->items[*at], done);
        if (rc || *done) break;
    }
    if (rc || *done)
        value_release(vm, t);
    else
        *row = t;
    return rc;
}

/* Lets a loop unpack the items of an iterator's tuples without building the tuple. */
static void set_row_access(iter_obj *it, size_t width,
                           gpa_code (*row)(gpa_vm *, iter_obj *, value *, bool *)) {
    if (width == 0 || width > ITER_ROW) return;
    it->row = row;
    it->width = width;
}

/* ---- enumerate, zip, map, filter ---- */

static gpa_code enumerate_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    value pair[2] = {v_int(it->at), v_none()};
    gpa_code rc = wrapped_next(vm, it->source, &pair[1], done);
    if (rc || *done) return rc;
    it->at++;
    rc = native_return(v_tuple(vm, 2, pair), out);
    value_release(vm, pair[1]);
    return rc;
}

static gpa_code enumerate_row(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    out[0] = v_int(it->at);
    out[1] = v_none();
    gpa_code rc = wrapped_next(vm, it->source, &out[1], done);
    if (!rc && !*done) it->at++;
    return rc;
}

gpa_code iterate_enumerate(gpa_vm *vm, value *argv, value *out) {
    value items = v_none();
    int64_t start;
    gpa_code rc = arg_int(vm, argv[1], "start", &start);
    if (!rc) rc = vm_iter(vm, argv[0], &items);
    if (!rc) rc = iter_over(vm, "enumerate", items, v_none(), enumerate_next, out);
    if (!rc) {
        out->iter->at = start;
        set_row_access(out->iter, 2, enumerate_row);
    }
    value_release(vm, items);
    return rc;
}

/* strict=True: all others must have ended with argument `at`. */
static gpa_code zip_strict(gpa_vm *vm, const tuple_obj *iters, size_t at) {
    if (at > 0)
        return vm_fail(vm, GPA_E_VALUE, "zip() argument %zu is shorter than argument%s%zu", at + 1,
                       at > 1 ? "s 1-" : " ", at);
    for (size_t i = 1; i < iters->count; i++) {
        value v = v_none();
        bool done = false;
        gpa_code rc = wrapped_next(vm, iters->items[i], &v, &done);
        if (rc) return rc;
        value_release(vm, v);
        if (!done)
            return vm_fail(vm, GPA_E_VALUE, "zip() argument %zu is longer than argument%s%zu",
                           i + 1, i > 1 ? "s 1-" : " ", i);
    }
    return GPA_OK;
}

static gpa_code zip_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    const tuple_obj *iters = it->source.tuple;
    *done = iters->count == 0;
    if (*done) return GPA_OK;
    size_t at;
    gpa_code rc = iters_next(vm, iters, out, done, &at);
    if (!rc && *done && it->step) rc = zip_strict(vm, iters, at);
    return rc;
}

static gpa_code zip_row(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    const tuple_obj *iters = it->source.tuple;
    gpa_code rc = GPA_OK;
    size_t at;
    for (at = 0; at < iters->count; at++) {
        out[at] = v_none();
        rc = wrapped_next(vm, iters->items[at], &out[at], done);
        if (rc || *done) break;
    }
    if (!rc && !*done) return GPA_OK;
    for (size_t i = 0; i < at; i++) value_release(vm, out[i]);
    return !rc && it->step ? zip_strict(vm, iters, at) : rc;
}

gpa_code iterate_zip(gpa_vm *vm, value *argv, value *out) {
    value iters = v_none();
    bool strict;
    gpa_code rc = value_truth(vm, argv[1], &strict);
    if (!rc) rc = iters_of(vm, argv[0].tuple, &iters);
    if (!rc) rc = iter_over(vm, "zip", iters, v_none(), zip_next, out);
    if (!rc) {
        out->iter->step = strict;
        set_row_access(out->iter, iters.tuple->count, zip_row);
    }
    value_release(vm, iters);
    return rc;
}

static gpa_code map_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    const tuple_obj *iters = it->source.tuple;
    value row = v_none();
    gpa_code rc;
    if (iters->count == 1) {
        rc = wrapped_next(vm, iters->items[0], &row, done);
        if (!rc && !*done) rc = vm_call(vm, it->extra, ARGS(1, &row), out);
    } else {
        size_t at;
        rc = iters_next(vm, iters, &row, done, &at);
        if (!rc && !*done) rc = vm_call(vm, it->extra, ARGS(iters->count, row.tuple->items), out);
    }
    value_release(vm, row);
    return rc;
}

gpa_code iterate_map(gpa_vm *vm, value *argv, value *out) {
    if (argv[1].tuple->count == 0)
        return vm_fail(vm, GPA_E_TYPE, "map() must have at least two arguments.");
    value iters = v_none();
    gpa_code rc = iters_of(vm, argv[1].tuple, &iters);
    if (!rc) rc = iter_over(vm, "map", iters, argv[0], map_next, out);
    value_release(vm, iters);
    return rc;
}

static gpa_code filter_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    for (uint32_t n = 1;; n++) {
        value v = v_none(), kept = v_none();
        bool keep = false;
        gpa_code rc = wrapped_next(vm, it->source, &v, done);
        if (rc || *done) return rc;
        if (it->extra.tag == V_NONE)
            rc = value_truth(vm, v, &keep);
        else {
            rc = vm_call(vm, it->extra, ARGS(1, &v), &kept);
            if (!rc) rc = value_truth(vm, kept, &keep);
            value_release(vm, kept);
        }
        if (!rc && keep) {
            *out = v;
            return GPA_OK;
        }
        value_release(vm, v);
        if (!rc && n % 1024 == 0) rc = vm_poll(vm);
        if (rc) return rc;
    }
}

gpa_code iterate_filter(gpa_vm *vm, value *argv, value *out) {
    value items = v_none();
    gpa_code rc = vm_iter(vm, argv[1], &items);
    if (!rc) rc = iter_over(vm, "filter", items, argv[0], filter_next, out);
    value_release(vm, items);
    return rc;
}

/* ---- reversed, iter, next ---- */

static gpa_code reversed_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    *done = --it->at < 0;
    return *done ? GPA_OK : vm_getitem(vm, it->source, v_int(it->at), out);
}

gpa_code iterate_reversed(gpa_vm *vm, value *argv, value *out) {
    value v = argv[0], items = v_none();
    gpa_code rc = GPA_OK;
    int64_t n;
    bool handled;
    value own = v_none();
    TRY(record_call_member(vm, v, "__reversed__", NO_ARGS, &own, &handled));
    if (handled) {
        rc = vm_iter(vm, own, out);
        value_release(vm, own);
        goto out;
    }
    if (v.tag == V_DICT || v.tag == V_OBJECT) {
        TRY(vm_collect(vm, v, &items));
        v = items;
    } else if (v.tag != V_LIST && v.tag != V_TUPLE && v.tag != V_STR && v.tag != V_RANGE &&
               v.tag != V_BYTES && (v.tag != V_ARRAY || v.array->arr->ndim == 0)) {
        return vm_fail(vm, GPA_E_TYPE, "'%s' object is not reversible", value_type_name(v));
    }
    TRY(vm_len(vm, v, &n));
    TRY(iter_over(vm, v.tag == V_LIST ? "list_reverseiterator" : "reversed", v, v_none(),
                  reversed_next, out));
    out->iter->at = n;
out:
    value_release(vm, items);
    return rc;
}

static gpa_code sentinel_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    value v = v_none();
    gpa_code rc = vm_call(vm, it->source, NO_ARGS, &v);
    if (!rc) rc = value_equal(vm, v, it->extra, done);
    if (!rc && !*done)
        *out = v;
    else
        value_release(vm, v);
    return rc;
}

gpa_code iterate_iter(gpa_vm *vm, value *argv, value *out) {
    if (argv[1].tag == V_UNSET) return vm_iter(vm, argv[0], out);
    if (!vm_callable(argv[0])) return vm_fail(vm, GPA_E_TYPE, "iter(v, w): v must be callable");
    return iter_over(vm, "callable_iterator", argv[0], argv[1], sentinel_next, out);
}

/* next(v) of a built-in object other than an iterator, by the row __next__ of its type: files. */
static gpa_code next_by_row(gpa_vm *vm, value v, value *out, bool *done) {
    const native *row = native_find(owner_of_value(v), "__next__");
    if (!row) return vm_fail(vm, GPA_E_TYPE, "'%s' object is not an iterator", value_type_name(v));
    gpa_code rc = row->fn(vm, &v, out);
    *done = rc == GPA_E_STOP_ITERATION;
    if (*done) vm_clear_error(vm);
    return *done ? GPA_OK : rc;
}

gpa_code iterate_next(gpa_vm *vm, value *argv, value *out) {
    bool done = false, record = false;
    record = is_foreign(argv[0]);
    gpa_code rc = record ? foreign.next(vm, argv[0], out, &done)
                         : record_next(vm, argv[0], out, &done, &record);
    bool iterator = !record && argv[0].tag == V_ITER;
    if (!record)
        rc = iterator ? iter_next(vm, argv[0], out, &done) : next_by_row(vm, argv[0], out, &done);
    if (rc || !done) return rc;
    value result = !iterator ? v_none() : generator_result(argv[0].iter);
    if (argv[1].tag == V_UNSET)
        rc = vm_raise(vm, GPA_E_STOP_ITERATION, result.tag != V_NONE, &result);
    else
        *out = value_retain(argv[1]);
    value_release(vm, result);
    return rc;
}

/* ---- min, max, sorted ---- */

/* Replaces `best` by v if v is smaller (larger); both are owned, and compared by `keys`. */
static gpa_code keep_extreme(gpa_vm *vm, bool largest, value key, value *best, value *best_key,
                             value v) {
    value k = v_none();
    bool better = best->tag == V_UNSET;
    gpa_code rc = GPA_OK;
    if (key.tag == V_NONE)
        k = value_retain(v);
    else
        rc = vm_call(vm, key, ARGS(1, &v), &k);
    if (!rc && !better)
        rc = largest ? vm_less(vm, *best_key, k, &better) : vm_less(vm, k, *best_key, &better);
    if (!rc && better) {
        value old = *best, old_key = *best_key;
        *best = v;
        *best_key = k;
        v = old;
        k = old_key;
    }
    value_release(vm, v);
    value_release(vm, k);
    return rc;
}

static gpa_code min_max(gpa_vm *vm, bool largest, value *argv, value *out) {
    const char *name = largest ? "max" : "min";
    const tuple_obj *args = argv[0].tuple;
    value it = v_unset(), best = v_unset(), best_key = v_unset();
    gpa_code rc = GPA_OK;
    if (args->count == 0)
        return vm_fail(vm, GPA_E_TYPE, "%s expected at least 1 argument, got 0", name);
    if (args->count > 1 && argv[2].tag != V_UNSET)
        return vm_fail(vm, GPA_E_TYPE,
                       "Cannot specify a default for %s() with multiple positional arguments",
                       name);
    TRY(vm_iter(vm, args->count > 1 ? argv[0] : args->items[0], &it));
    for (uint32_t n = 1;; n++) {
        value v = v_none();
        bool done = false;
        TRY(iter_next(vm, it, &v, &done));
        if (done) break;
        TRY(keep_extreme(vm, largest, argv[1], &best, &best_key, v));
        if (n % 1024 == 0) TRY(vm_poll(vm));
    }
    if (best.tag != V_UNSET) {
        *out = best;
        best = v_unset();
    } else if (argv[2].tag != V_UNSET)
        *out = value_retain(argv[2]);
    else
        rc = vm_fail(vm, GPA_E_VALUE, "%s() iterable argument is empty", name);
out:
    value_release(vm, it);
    value_release(vm, best);
    value_release(vm, best_key);
    return rc;
}

gpa_code iterate_min(gpa_vm *vm, value *argv, value *out) { return min_max(vm, false, argv, out); }
gpa_code iterate_max(gpa_vm *vm, value *argv, value *out) { return min_max(vm, true, argv, out); }

gpa_code iterate_sorted(gpa_vm *vm, value *argv, value *out) {
    value l = v_none();
    bool reverse;
    gpa_code rc = value_truth(vm, argv[2], &reverse);
    if (!rc) rc = vm_collect(vm, argv[0], &l);
    if (!rc) rc = list_sort(vm, l.list, argv[1], reverse);
    if (!rc)
        *out = l;
    else
        value_release(vm, l);
    return rc;
}

/* ---- sum, any, all ---- */

/* CPython's sum: Neumaier's compensated addition for floats, while all items are floats and ints.
 */
typedef struct {
    enum { SUM_INT, SUM_FLOAT, SUM_ANY } phase;
    int64_t i;
    double f, lost;
    value v;
} total;

static void leave_fast_path(total *t) {
    if (t->phase == SUM_INT)
        t->v = v_int(t->i);
    else if (t->phase == SUM_FLOAT)
        t->v = v_float(isfinite(t->lost) ? t->f + t->lost : t->f);
    t->phase = SUM_ANY;
}

static void add_float(total *t, double x) {
    double s = t->f + x;
    t->lost += fabs(t->f) >= fabs(x) ? (t->f - s) + x : (x - s) + t->f;
    t->f = s;
}

/* Adds v (borrowed). */
static gpa_code add(gpa_vm *vm, total *t, value v) {
    bool whole = v.tag == V_INT || v.tag == V_BOOL;
    int64_t next;
    if (t->phase == SUM_INT && whole && !__builtin_add_overflow(t->i, v.i, &next))
        return t->i = next, GPA_OK;
    if (t->phase == SUM_INT && v.tag == V_FLOAT) {
        t->phase = SUM_FLOAT;
        t->f = (double)t->i;
        t->lost = 0;
    }
    if (t->phase == SUM_FLOAT && v.tag == V_FLOAT) {
        add_float(t, v.f);
        return GPA_OK;
    }
    if (t->phase == SUM_FLOAT && whole) {
        t->f += (double)v.i;
        return GPA_OK;
    }
    value sum = v_none();
    leave_fast_path(t);
    gpa_code rc = vm_binary(vm, OP_ADD, t->v, v, &sum);
    if (rc) return rc;
    value_release(vm, t->v);
    t->v = sum;
    return GPA_OK;
}

gpa_code iterate_sum(gpa_vm *vm, value *argv, value *out) {
    value start = argv[1], it = v_unset();
    gpa_code rc = GPA_OK;
    if (start.tag == V_STR)
        return vm_fail(vm, GPA_E_TYPE, "sum() can't sum strings [use ''.join(seq) instead]");
    total t = {SUM_ANY, 0, 0, 0, v_none()};
    if (start.tag == V_INT)
        t.phase = SUM_INT;
    else if (start.tag == V_FLOAT)
        t.phase = SUM_FLOAT;
    else
        t.v = value_retain(start);
    if (t.phase == SUM_INT) t.i = start.i;
    if (t.phase == SUM_FLOAT) t.f = start.f;
    TRY(vm_iter(vm, argv[0], &it));
    for (uint32_t n = 1;; n++) {
        value v = v_none();
        bool done = false;
        TRY(iter_next(vm, it, &v, &done));
        if (done) break;
        rc = add(vm, &t, v);
        value_release(vm, v);
        if (rc) goto out;
        if (n % 1024 == 0) TRY(vm_poll(vm));
    }
    leave_fast_path(&t);
    *out = value_retain(t.v);
out:
    value_release(vm, it);
    value_release(vm, t.v);
    return rc;
}

/* True if the truth value of any item is `wanted`. */
static gpa_code find_truth(gpa_vm *vm, value iterable, bool wanted, bool *found) {
    value it = v_unset();
    gpa_code rc = GPA_OK;
    *found = false;
    TRY(vm_iter(vm, iterable, &it));
    for (uint32_t n = 1; !*found; n++) {
        value v = v_none();
        bool done = false, truth = false;
        TRY(iter_next(vm, it, &v, &done));
        if (done) break;
        rc = value_truth(vm, v, &truth);
        value_release(vm, v);
        if (rc) goto out;
        *found = truth == wanted;
        if (n % 1024 == 0) TRY(vm_poll(vm));
    }
out:
    value_release(vm, it);
    return rc;
}

gpa_code iterate_any(gpa_vm *vm, value *argv, value *out) {
    bool found;
    gpa_code rc = find_truth(vm, argv[0], true, &found);
    if (!rc) *out = v_bool(found);
    return rc;
}

gpa_code iterate_all(gpa_vm *vm, value *argv, value *out) {
    bool found;
    gpa_code rc = find_truth(vm, argv[0], false, &found);
    if (!rc) *out = v_bool(!found);
    return rc;
}
