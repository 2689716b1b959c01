/* Instructions about containers: unpacking, displays of lists and dicts, f-strings, items and
 * attributes. */
#include "lang/vm/step_body.h"

#include <stdio.h>

#include "lang/object/container.h"
#include "lang/vm/class.h"
#include "lang/vm/format_interface.h"
#include "lang/vm/operate.h"

static gpa_code store_result(gpa_vm *vm, frame *f, const ins *i, value v) {
    if (v.tag == V_UNSET) return vm->core.err.code ? vm->core.err.code : vm_no_memory(vm);
    return step_finish(vm, f, i, v, false, false);
}

/* ---- iteration ---- */

STEP(iter) {
    value v = v_none();
    BOUND(i->b);
    gpa_code rc = vm_iter(vm, r[i->b], &v);
    return rc ? rc : step_finish(vm, f, i, v, true, false);
}

/* The items of an iterable: borrowed from a list or tuple, else collected into *kept (owned). */
static gpa_code items_of(gpa_vm *vm, value v, const value **items, size_t *n, value *kept) {
    *kept = v_unset();
    if (v.tag == V_TUPLE) {
        *items = v.tuple->items;
        *n = v.tuple->count;
        return GPA_OK;
    }
    if (v.tag != V_LIST) {
        gpa_code rc = vm_collect(vm, v, kept);
        if (rc == GPA_E_TYPE && !vm->core.err.span.src &&
            strstr(vm->core.err.msg, "is not iterable")) {
            vm_clear_error(vm);
            return vm_fail(vm, GPA_E_TYPE, "cannot unpack non-iterable %s object",
                           value_type_name(v));
        }
        if (rc) return rc;
        v = *kept;
    }
    *items = v.list->items;
    *n = v.list->count;
    return GPA_OK;
}

STEP(unpack) {
    const value *items;
    size_t n, want = i->c;
    value kept;
    BOUND(i->b);
    gpa_code rc = items_of(vm, r[i->b], &items, &n, &kept);
    if (rc) return rc;
    if (n != want) {
        rc = n > want ? vm_fail(vm, GPA_E_VALUE, "too many values to unpack (expected %zu)", want)
                      : vm_fail(vm, GPA_E_VALUE,
                                "not enough values to unpack (expected %zu, got %zu)", want, n);
    } else {
        value whole = reg_take(f, i->b); /* unpacking may overwrite its register */
        for (size_t k = 0; k < n; k++) reg_put(vm, &r[i->a + k], value_retain(items[k]));
        value_release(vm, whole);
    }
    value_release(vm, kept);
    return rc;
}

STEP(unpack_star) {
    const value *items;
    size_t n, before = i->c, after = i[1].a;
    value kept;
    BOUND(i->b);
    gpa_code rc = items_of(vm, r[i->b], &items, &n, &kept);
    if (rc) return rc;
    if (n < before + after) {
        rc =
            vm_fail(vm, GPA_E_VALUE, "not enough values to unpack (expected at least %zu, got %zu)",
                    before + after, n);
    } else {
        value middle = v_list(vm, n - before - after, items + before);
        if (middle.tag == V_UNSET) {
            rc = vm->core.err.code;
        } else {
            value whole = reg_take(f, i->b);
            for (size_t k = 0; k < before; k++) reg_put(vm, &r[i->a + k], value_retain(items[k]));
            reg_put(vm, &r[i->a + before], middle);
            for (size_t k = 0; k < after; k++)
                reg_put(vm, &r[i->a + before + 1 + k], value_retain(items[n - after + k]));
            value_release(vm, whole);
        }
    }
    value_release(vm, kept);
    return rc;
}

/* ---- containers ---- */

/* Clears c temporaries from b on: their references were moved. */
static void consume_items(gpa_vm *vm, value *r, const ins *i) {
    for (unsigned k = 0; k < i->c; k++) reg_put(vm, &r[i->b + k], v_unset());
}

STEP(list) {
    value v = v_list(vm, i->c, r + i->b);
    if (v.tag != V_UNSET) consume_items(vm, r, i);
    return store_result(vm, f, i, v);
}

STEP(tuple) {
    value v = v_tuple(vm, i->c, r + i->b);
    if (v.tag != V_UNSET) consume_items(vm, r, i);
    return store_result(vm, f, i, v);
}

STEP(set) {
    value v = v_set(vm);
    gpa_code rc = v.tag == V_UNSET ? vm->core.err.code : GPA_OK;
    for (unsigned k = 0; k < i->c && !rc; k++) rc = set_add(vm, v.set, r[i->b + k]);
    if (rc) {
        value_release(vm, v);
        return rc;
    }
    consume_items(vm, r, i);
    return store_result(vm, f, i, v);
}

STEP(dict) {
    UNUSED;
    return store_result(vm, f, i, v_dict(vm));
}

STEP(append) {
    BOUND(i->b);
    gpa_code rc = list_append(vm, r[i->a].list, r[i->b]);
    if (!rc) reg_consume(vm, f, i->b);
    return rc;
}

/* "f() argument after": how an error begins that is about the arguments of a call. */
static const char *callee_title(gpa_vm *vm, value fn, char *buffer, size_t n) {
    if (fn.tag == V_METHOD) fn = fn.method->fn;
    const char *name = fn.tag == V_FUNC     ? func_name(vm, fn.func)
                       : fn.tag == V_NATIVE ? fn.native->name
                                            : value_type_name(fn);
    snprintf(buffer, n, "%s%s%s", fn.tag == V_FUNC ? sym_text(vm, fn.func->module->name) : "",
             fn.tag == V_FUNC ? "." : "", name);
    return buffer;
}

/* Rewrites the TypeError of iterating over a starred operand. */
static gpa_code fail_starred(gpa_vm *vm, value v, const value *fn) {
    char buffer[128];
    if (vm->core.err.code == GPA_E_TYPE && strstr(vm->core.err.msg, "is not iterable")) {
        vm_clear_error(vm);
        if (fn)
            return vm_fail(vm, GPA_E_TYPE, "%s() argument after * must be an iterable, not %s",
                           callee_title(vm, *fn, buffer, sizeof buffer), value_type_name(v));
        return vm_fail(vm, GPA_E_TYPE, "Value after * must be an iterable, not %s",
                       value_type_name(v));
    }
    return vm->core.err.code;
}

STEP(extend) {
    value all = v_unset();
    BOUND(i->b);
    gpa_code rc = vm_collect(vm, r[i->b], &all);
    if (rc) return fail_starred(vm, r[i->b], i->c ? &r[i->a - 2] : NULL);
    for (size_t k = 0; k < all.list->count && !rc; k++)
        rc = list_append(vm, r[i->a].list, all.list->items[k]);
    value_release(vm, all);
    if (!rc) reg_consume(vm, f, i->b);
    return rc;
}

STEP(set_add) {
    BOUND(i->b);
    gpa_code rc = set_add(vm, r[i->a].set, r[i->b]);
    if (!rc) reg_consume(vm, f, i->b);
    return rc;
}

STEP(set_extend) {
    value all = v_unset();
    BOUND(i->b);
    gpa_code rc = vm_collect(vm, r[i->b], &all);
    if (rc) return fail_starred(vm, r[i->b], NULL);
    for (size_t k = 0; k < all.list->count && !rc; k++)
        rc = set_add(vm, r[i->a].set, all.list->items[k]);
    value_release(vm, all);
    if (!rc) reg_consume(vm, f, i->b);
    return rc;
}

STEP(dict_set) {
    BOUND(i->b);
    BOUND(i->c);
    gpa_code rc = dict_set(vm, r[i->a].dict, r[i->b], r[i->c]);
    if (rc) return rc;
    reg_consume(vm, f, i->b);
    reg_consume(vm, f, i->c);
    return GPA_OK;
}

STEP(dict_merge) {
    value from = r[i->b], known;
    char buffer[128];
    BOUND(i->b);
    if (from.tag != V_DICT)
        return i->c
                   ? vm_fail(vm, GPA_E_TYPE, "%s() argument after ** must be a mapping, not %s",
                             callee_title(vm, r[i->a - 3], buffer, sizeof buffer),
                             value_type_name(from))
                   : vm_fail(vm, GPA_E_TYPE, "'%s' object is not a mapping", value_type_name(from));
    dict_obj *into = r[i->a].dict;
    size_t at = 0;
    gpa_code rc = GPA_OK;
    for (dict_entry e; !rc && dict_next_own(from.dict, &at, &e); dict_entry_drop(vm, &e)) {
        if (i->c && e.key.tag != V_STR)
            rc = vm_fail(vm, GPA_E_TYPE, "keywords must be strings");
        else if (i->c && !(rc = dict_get_peek(vm, into, e.key, &known)) && known.tag != V_UNSET)
            rc = vm_fail(vm, GPA_E_TYPE, "%s() got multiple values for keyword argument '%s'",
                         callee_title(vm, r[i->a - 3], buffer, sizeof buffer), e.key.str->text);
        if (!rc && !(rc = vm_poll(vm))) rc = dict_set(vm, into, e.key, e.v);
    }
    if (!rc) reg_consume(vm, f, i->b);
    return rc;
}

STEP(to_tuple) {
    const list_obj *l = r[i->b].list;
    value v = v_tuple(vm, l->count, l->items);
    if (v.tag == V_UNSET) return vm->core.err.code;
    return step_finish(vm, f, i, v, true, false);
}

STEP(slice) {
    value v = v_slice(vm, r[i->b], r[i->b + 1], r[i->b + 2]);
    if (v.tag == V_UNSET) return vm->core.err.code;
    for (unsigned k = 0; k < 3; k++) reg_put(vm, &r[i->b + k], v_unset());
    return store_result(vm, f, i, v);
}

STEP(string) {
    gpa_str s;
    str_init(&s);
    for (unsigned k = 0; k < i->c; k++) str_putn(&s, r[i->b + k].str->text, r[i->b + k].str->size);
    value v = v_str_take(vm, &s);
    if (v.tag != V_UNSET) consume_items(vm, r, i);
    return store_result(vm, f, i, v);
}

STEP(format) {
    value v = r[i->b], spec = i[1].a ? r[i[1].a - 1] : v_unset(), text = v_unset();
    gpa_str s;
    gpa_code rc = GPA_OK;
    BOUND(i->b);
    str_init(&s);
    if (i->c) {
        rc = i->c == 's'   ? vm_str(vm, v, &s)
             : i->c == 'a' ? formatter.ascii(vm, v, &s)
                           : vm_repr(vm, v, &s);
        if (!rc && spec.tag == V_STR) {
            text = v_str(vm, s.text, s.len);
            str_clear(&s);
            rc = text.tag == V_UNSET ? GPA_E_MEMORY
                                     : vm_format(vm, text, spec.str->text, spec.str->size, &s);
            value_release(vm, text);
        }
    } else if (spec.tag != V_STR && v.tag == V_STR) {
        str_putn(&s, v.str->text, v.str->size);
    } else {
        rc = spec.tag == V_STR ? vm_format(vm, v, spec.str->text, spec.str->size, &s)
                               : vm_format(vm, v, "", 0, &s);
    }
    value out = rc ? v_unset() : v_str_take(vm, &s);
    if (rc || out.tag == V_UNSET) {
        str_free(&s);
        return rc ? rc : vm->core.err.code;
    }
    if (i[1].a) reg_put(vm, &r[i[1].a - 1], v_unset());
    return step_finish(vm, f, i, out, true, false);
}

/* ---- items and attributes ---- */

STEP(get_item) {
    value v = v_none();
    BOUND(i->b);
    BOUND(i->c);
    gpa_code rc = op_getitem(vm, r[i->b], r[i->c], &v);
    return rc ? rc : step_finish(vm, f, i, v, true, true);
}

STEP(set_item) {
    BOUND(i->a);
    BOUND(i->b);
    BOUND(i->c);
    const value *to = &r[i->a], *v = &r[i->c];
    const bool last = step_reads_last(f, r, i->c);
    gpa_code rc = to->tag == V_ARRAY && !to->aux
                      ? array_operators.setitem(vm, *to, r[i->b], *v, last)
                      : op_setitem(vm, *to, r[i->b], *v);
    if (rc) return rc;
    reg_consume(vm, f, i->c);
    reg_consume(vm, f, i->b);
    reg_consume(vm, f, i->a);
    return GPA_OK;
}

STEP(del_item) {
    BOUND(i->a);
    BOUND(i->b);
    gpa_code rc = op_delitem(vm, r[i->a], r[i->b]);
    if (rc) return rc;
    reg_consume(vm, f, i->b);
    reg_consume(vm, f, i->a);
    return GPA_OK;
}

STEP(old_item) {
    BOUND(i->b);
    BOUND(i->c);
    value old = v_unset();
    gpa_code rc = op_old_item(vm, r[i->b], r[i->c], &r[i[1].a], i[1].b, &old);
    return rc ? rc : step_finish(vm, f, i, old, false, false);
}

STEP(update_item) {
    BOUND(i->a);
    BOUND(i->b);
    BOUND(i->c);
    value old = i[1].b ? reg_take(f, i[1].b) : v_unset();
    const bool last = step_reads_last(f, r, i->c);
    gpa_code rc =
        op_update_item(vm, (ast_op)i[1].a, &(item_update){r[i->a], r[i->b], old, r[i->c], last});
    value_release(vm, old);
    if (rc) return rc;
    reg_consume(vm, f, i->a);
    reg_consume(vm, f, i->b);
    reg_consume(vm, f, i->c);
    return GPA_OK;
}

/* A failed look-up: in jitted functions the error is Numba's TypingError. */
static gpa_code attr_failed(gpa_vm *vm, gpa_code rc) {
    const bool typing = rc == GPA_E_ATTRIBUTE && vm->raised.tag == V_UNSET && vm_in_jitted(vm);
    if (typing) vm->core.err.code = GPA_E_TYPING;
    return typing ? GPA_E_TYPING : rc;
}

STEP(get_attr) {
    value v = v_none();
    BOUND(i->b);
    gpa_code rc = attr_get(vm, r[i->b], i[1].sym, &f->code->caches[i[1].cache], &v);
    return rc ? attr_failed(vm, rc) : step_finish(vm, f, i, v, true, false);
}

STEP(set_attr) {
    BOUND(i->a);
    BOUND(i->b);
    gpa_code rc = attr_set(vm, r[i->a], i[1].sym, r[i->b]);
    if (rc) return rc;
    reg_consume(vm, f, i->b);
    reg_consume(vm, f, i->a);
    return GPA_OK;
}

STEP(del_attr) {
    BOUND(i->a);
    gpa_code rc = attr_delete(vm, r[i->a], i[1].sym);
    if (!rc) reg_consume(vm, f, i->a);
    return rc;
}

STEP(get_method) {
    value fn = v_none(), self = v_unset();
    BOUND(i->b);
    gpa_code rc = attr_method(vm, r[i->b], i[1].sym, &f->code->caches[i[1].cache], &fn, &self);
    if (rc) return attr_failed(vm, rc);
    reg_consume(vm, f, i->b);
    reg_put(vm, &r[i->a], fn);
    reg_put(vm, &r[i->a + 1], self);
    return GPA_OK;
}
