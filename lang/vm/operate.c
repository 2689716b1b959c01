/* Operators on text and containers. Numbers are in lang/object/arithmetic.c, arrays and NumPy
 * scalars in lang/numpy/operate_array.c.
 *
 * Reading order: op_binary, then what it calls. */
#include "lang/vm/operate.h"

#include <string.h>

#include "runtime/base/base.h"

#include "lang/object/big.h"
#include "lang/object/container.h"
#include "lang/vm/foreign.h"
#include "lang/vm/format_interface.h"
#include "lang/vm/instance.h"
#include "lang/vm/jit_integers.h"
#include "lang/object/number.h"
#include "lang/object/numpy_scalar.h"
#include "lang/vm/array_interface.h"
#include "lang/vm/record.h"
#include "lang/text/text.h"

static bool is_numpy(value v) {
    return v.tag == V_ARRAY || v.tag == V_NUM || (v.tag == V_COMPLEX && v.aux);
}
static bool is_array(value v) { return v.tag == V_ARRAY && !v.aux; } /* not a lazy scalar */
static bool is_python_scalar(value v) {
    return is_int(v) || v.tag == V_FLOAT || v.tag == V_COMPLEX;
}
static bool is_sequence(value v) {
    return v.tag == V_STR || v.tag == V_LIST || v.tag == V_TUPLE || v.tag == V_BYTES;
}
static bool is_ordering(ast_op op) {
    return op == AST_OP_LT || op == AST_OP_LE || op == AST_OP_GT || op == AST_OP_GE;
}

/* In jitted functions the error is Numba's TypingError, a TypeError. */
static gpa_code unsupported(gpa_vm *vm, ast_op op, bool update, value a, value b) {
    gpa_code type_error = vm_in_jitted(vm) ? GPA_E_TYPING : GPA_E_TYPE;
    if (is_ordering(op))
        return vm_fail(vm, type_error, "'%s' not supported between instances of '%s' and '%s'",
                       ast_op_text(op), value_type_name(a), value_type_name(b));
    const char *name = op == AST_OP_POW ? (update ? "**=" : "** or pow()") : ast_op_text(op);
    return vm_fail(vm, type_error, "unsupported operand type(s) for %s%s: '%s' and '%s'", name,
                   update && op != AST_OP_POW ? "=" : "", value_type_name(a), value_type_name(b));
}

static gpa_code owned(gpa_vm *vm, value v, value *out) {
    *out = v;
    if (v.tag != V_UNSET) return GPA_OK;
    *out = v_none();
    return vm_err(vm)->code ? vm_err(vm)->code : vm_no_memory(vm);
}

/* ---- sequences ---- */

static gpa_code concatenate(gpa_vm *vm, value a, value b, value *out) {
    if (a.tag != b.tag)
        return vm_fail(vm, GPA_E_TYPE, "can only concatenate %s (not \"%s\") to %s",
                       value_type_name(a), value_type_name(b), value_type_name(a));
    if (a.tag == V_STR || a.tag == V_BYTES) return owned(vm, v_concat(vm, a, b), out);
    bool list = a.tag == V_LIST;
    size_t n = list ? a.list->count : a.tuple->count, m = list ? b.list->count : b.tuple->count;
    const value *x = list ? a.list->items : a.tuple->items,
                *y = list ? b.list->items : b.tuple->items;
    value v = list ? v_list(vm, n + m, NULL) : v_tuple(vm, n + m, NULL);
    if (v.tag == V_UNSET) return owned(vm, v, out);
    value *to = list ? v.list->items : v.tuple->items;
    for (size_t i = 0; i < n; i++) to[i] = value_retain(x[i]);
    for (size_t i = 0; i < m; i++) to[n + i] = value_retain(y[i]);
    *out = v;
    return GPA_OK;
}

static gpa_code repeat(gpa_vm *vm, value a, int64_t times, value *out) {
    size_t k = times > 0 ? (size_t)times : 0;
    if (a.tag == V_STR || a.tag == V_BYTES) {
        if (k && a.str->size > (size_t)UINT32_MAX / k) return vm_no_memory(vm);
        gpa_str s;
        str_init(&s);
        gpa_code rc = vm_fill(vm, &s, a.str->text, a.str->size, k);
        if (rc) {
            str_free(&s);
            return rc;
        }
        if (a.tag == V_STR) return owned(vm, v_str_take(vm, &s), out);
        value bytes = s.failed ? v_unset() : v_bytes(vm, s.text, s.len);
        str_free(&s);
        return owned(vm, bytes, out);
    }
    bool list = a.tag == V_LIST;
    size_t n = list ? a.list->count : a.tuple->count;
    const value *x = list ? a.list->items : a.tuple->items;
    if (n && k > SIZE_MAX / sizeof(value) / 4 / n) return vm_no_memory(vm);
    value v = list ? v_list(vm, n * k, NULL) : v_tuple(vm, n * k, NULL);
    if (v.tag == V_UNSET) return owned(vm, v, out);
    value *to = list ? v.list->items : v.tuple->items;
    gpa_code rc = GPA_OK;
    for (size_t j = 0; j < k && !rc; j++) {
        for (size_t i = 0; i < n; i++) *to++ = value_retain(x[i]);
        rc = vm_poll(vm);
    }
    return native_finish(vm, rc, v, out);
}

/* A repetition count: int, bool, NumPy's integer scalars, lazy ones too. *is: v is one. */
static gpa_code as_times(gpa_vm *vm, value v, int64_t *out, bool *is) {
    bool lazy = v.tag == V_ARRAY && v.aux;
    *is = false;
    if (v.tag != V_INT && v.tag != V_BOOL && v.tag != V_NUM && !lazy) return GPA_OK;
    value now;
    gpa_code rc = value_computed(vm, v, &now);
    if (rc) return rc;
    number n = number_of(now);
    *is = n.kind == NUMBER_INT && (now.tag != V_NUM || now.aux != DT_BOOL);
    *out = n.i;
    value_release(vm, now);
    return GPA_OK;
}

static gpa_code sequence(gpa_vm *vm, ast_op op, value a, value b, value *out, bool *handled) {
    int64_t times;
    *handled = true;
    if (op == AST_OP_ADD && is_sequence(a)) return concatenate(vm, a, b, out);
    if (op == AST_OP_MUL) {
        value s = is_sequence(a) ? a : b, n = is_sequence(a) ? b : a;
        bool counts;
        gpa_code rc = as_times(vm, n, &times, &counts);
        if (rc) return rc;
        if (counts) return repeat(vm, s, times, out);
        if (n.tag == V_BIG)
            return vm_fail(vm, GPA_E_OVERFLOW, "cannot fit 'int' into an index-sized integer");
        if (instance_has(n, "__index__")) {
            rc = arg_int(vm, n, "times", &times);
            return rc ? rc : repeat(vm, s, times, out);
        }
        return vm_fail(vm, GPA_E_TYPE, "can't multiply sequence by non-int of type '%s'",
                       value_type_name(n));
    }
    if (op == AST_OP_MOD && a.tag == V_STR) {
        gpa_str s;
        str_init(&s);
        gpa_code rc = formatter.percent(vm, a.str, b, &s);
        if (!rc) return owned(vm, v_str_take(vm, &s), out);
        str_free(&s);
        return rc;
    }
    *handled = false;
    return GPA_OK;
}

/* ---- sets and dicts ---- */

static gpa_code set_operator(gpa_vm *vm, ast_op op, value a, value b, value *out, bool *handled) {
    *handled = true;
    switch ((int)op) {
        case AST_OP_BITOR: return owned(vm, set_combine(vm, SET_UNION, a.set, b.set), out);
        case AST_OP_BITAND: return owned(vm, set_combine(vm, SET_INTERSECTION, a.set, b.set), out);
        case AST_OP_SUB: return owned(vm, set_combine(vm, SET_DIFFERENCE, a.set, b.set), out);
        case AST_OP_BITXOR: return owned(vm, set_combine(vm, SET_SYMMETRIC, a.set, b.set), out);
        default: *handled = false; return GPA_OK;
    }
}

static gpa_code dict_union(gpa_vm *vm, value a, value b, value *out) {
    value d = dict_copy(vm, a.dict);
    gpa_code rc = d.tag == V_UNSET ? vm_err(vm)->code : dict_update(vm, d.dict, b.dict);
    return native_finish(vm, rc, d, out);
}

/* ---- comparisons ---- */

static gpa_code order(gpa_vm *vm, ast_op op, value a, value b, bool *out);

static bool by_sign(ast_op op, int sign) {
    return op == AST_OP_LT   ? sign < 0
           : op == AST_OP_LE ? sign <= 0
           : op == AST_OP_GT ? sign > 0
                             : sign >= 0;
}

/* Lexicographic order of two lists or two tuples: the first items that differ decide, else the
 * lengths. */
static gpa_code order_items(gpa_vm *vm, ast_op op, value a, value b, bool *out) {
    gpa_code rc = GPA_OK;
    bool same = true;
    value x, y;
    for (size_t i = 0, k = 0; same && !rc && items_next(a, &i, &x); value_release(vm, x)) {
        if (!items_next(b, &k, &y)) {
            value_release(vm, x);
            break;
        }
        rc = value_equal(vm, x, y, &same);
        if (!rc && !same) rc = op_compare(vm, op, x, y, out);
        value_release(vm, y);
    }
    size_t n = items_count(a), m = items_count(b);
    if (same) *out = by_sign(op, (n > m) - (n < m));
    return rc;
}

static gpa_code order_sets(gpa_vm *vm, ast_op op, set_obj *a, set_obj *b, bool *out) {
    bool less = op == AST_OP_LT || op == AST_OP_LE;
    gpa_code rc = less ? set_subset(vm, a, b, out) : set_subset(vm, b, a, out);
    if (op == AST_OP_LT || op == AST_OP_GT) *out = *out && a->d.count != b->d.count;
    return rc;
}

/* Python's ordering of values that are not arrays. */
static gpa_code order(gpa_vm *vm, ast_op op, value a, value b, bool *out) {
    number x = number_of(a), y = number_of(b);
    bool complex = x.kind == NUMBER_COMPLEX || y.kind == NUMBER_COMPLEX;
    if (x.kind != NUMBER_NOT && y.kind != NUMBER_NOT && !complex) {
        int sign = number_compare(&x, &y);
        *out = sign != 2 && by_sign(op, sign);
        return GPA_OK;
    }
    if (a.tag != b.tag) return unsupported(vm, op, false, a, b);
    if (a.tag == V_STR || a.tag == V_BYTES) {
        size_t n = MIN(a.str->size, b.str->size);
        int sign = memcmp(a.str->text, b.str->text, n);
        if (!sign) sign = (a.str->size > b.str->size) - (a.str->size < b.str->size);
        *out = by_sign(op, sign);
        return GPA_OK;
    }
    if (a.tag == V_LIST || a.tag == V_TUPLE) return order_items(vm, op, a, b, out);
    if (a.tag == V_SET) return order_sets(vm, op, a.set, b.set, out);
    return unsupported(vm, op, false, a, b);
}

static bool is_membership(ast_op op) { return op >= AST_OP_IN && op <= AST_OP_IS_NOT; }

static bool is_numpy_bool(value v) {
    return (v.tag == V_NUM && v.aux == DT_BOOL) ||
           (v.tag == V_ARRAY && v.aux && v.array->arr->dtype == DT_BOOL);
}

/* The operator `is`. NumPy has two objects of numpy.bool: equal ones are identical. */
static gpa_code identical(gpa_vm *vm, value a, value b, bool *out) {
    if (!is_numpy_bool(a) || !is_numpy_bool(b)) {
        *out = value_is(a, b);
        return GPA_OK;
    }
    value x, y;
    gpa_code rc = value_computed(vm, a, &x);
    if (rc) return rc;
    rc = value_computed(vm, b, &y);
    if (!rc) {
        *out = value_is(x, y);
        value_release(vm, y);
    }
    value_release(vm, x);
    return rc;
}

/* in, not in, is, is not */
static gpa_code membership(gpa_vm *vm, ast_op op, value a, value b, bool *out) {
    gpa_code rc = GPA_OK;
    if (op == AST_OP_IN || op == AST_OP_NOT_IN)
        rc = vm_contains(vm, b, a, out);
    else
        rc = identical(vm, a, b, out);
    if (op == AST_OP_NOT_IN || op == AST_OP_IS_NOT) *out = !*out;
    return rc;
}

gpa_code op_compare(gpa_vm *vm, ast_op op, value a, value b, bool *out) {
    if (is_membership(op)) return membership(vm, op, a, b, out);
    value v = v_none();
    bool handled = is_foreign(a) || is_foreign(b), numpy = is_numpy(a) || is_numpy(b);
    gpa_code rc = handled ? foreign.binary(vm, op, a, b, &v)
                  : a.tag == V_OBJECT || b.tag == V_OBJECT
                      ? record_binary(vm, op, a, b, &v, &handled)
                      : GPA_OK;
    if (!rc && !handled && numpy) rc = array_operators.binary(vm, op, a, b, &v);
    if (rc || handled || numpy) {
        if (!rc) rc = value_truth(vm, v, out);
        value_release(vm, v);
        return rc;
    }
    if (is_ordering(op)) return order(vm, op, value_underlying(a), value_underlying(b), out);
    rc = value_equal(vm, a, b, out);
    if (op == AST_OP_NE) *out = !*out;
    return rc;
}

gpa_code vm_less(gpa_vm *vm, value a, value b, bool *out) {
    if (a.tag == V_INT && b.tag == V_INT) {
        *out = a.i < b.i;
        return GPA_OK;
    }
    if (a.tag == V_FLOAT && b.tag == V_FLOAT) {
        *out = a.f < b.f;
        return GPA_OK;
    }
    return op_compare(vm, AST_OP_LT, a, b, out);
}

static gpa_code same_item(gpa_vm *vm, value at, value item, bool *out) {
    *out = value_is(at, item);
    return *out ? GPA_OK : op_compare(vm, AST_OP_EQ, at, item, out);
}

static gpa_code contains_item(gpa_vm *vm, value sequence, value item, bool *out) {
    gpa_code rc = GPA_OK;
    size_t i = 0;
    for (value at; !rc && !*out && items_next(sequence, &i, &at); value_release(vm, at))
        rc = same_item(vm, at, item, out);
    return rc;
}

static gpa_code contains_in_array(gpa_vm *vm, value a, value item, bool *out) {
    value same = v_none();
    gpa_arr *any = NULL;
    arr_reduce_opts opts = {.axes = UINT64_MAX, .dtype = DT_NONE};
    gpa_code rc = array_operators.binary(vm, AST_OP_EQ, a, item, &same);
    if (!rc && same.tag != V_ARRAY)
        rc = value_truth(vm, same, out);
    else if (!rc)
        rc = arr_reduce(vm_rt(vm), RED_ANY, same.array->arr, &opts, &any, vm_err(vm));
    if (any) {
        value v = v_array_take(vm, any, true);
        rc = v.tag == V_UNSET ? vm_err(vm)->code : value_truth(vm, v, out);
        value_release(vm, v);
    }
    value_release(vm, same);
    return rc;
}

gpa_code op_contains_items(gpa_vm *vm, value v, value item, bool *out) {
    value it = v_none(), next;
    gpa_code rc = vm_iter(vm, v, &it);
    if (rc == GPA_E_TYPE) {
        vm_clear_error(vm);
        return vm_fail(vm, GPA_E_TYPE, "argument of type '%s' is not iterable", value_type_name(v));
    }
    if (rc) return rc;
    bool done = false;
    for (uint32_t n = 0; !rc && !*out; n++) {
        next = v_none();
        if (n % 1024 == 0 && (rc = vm_poll(vm))) break;
        rc = iter_next(vm, it, &next, &done);
        if (rc || done) break;
        rc = same_item(vm, next, item, out);
        value_release(vm, next);
    }
    value_release(vm, it);
    return rc;
}

static gpa_code contains_in_bytes(gpa_vm *vm, const str_obj *s, value item, bool *out) {
    number n = number_of(item);
    if (item.tag == V_BYTES)
        *out = text_find(s->text, s->size, item.str->text, item.str->size, 0) != SIZE_MAX;
    else if (n.kind != NUMBER_INT)
        return vm_fail(vm, GPA_E_TYPE, "a bytes-like object is required, not '%s'",
                       value_type_name(item));
    else if (n.i < 0 || n.i > 255)
        return vm_fail(vm, GPA_E_VALUE, "byte must be in range(0, 256)");
    else
        *out = s->size && memchr(s->text, (int)n.i, s->size);
    return GPA_OK;
}

gpa_code vm_contains(gpa_vm *vm, value v, value item, bool *out) {
    dict_entry *e;
    gpa_code rc;
    *out = false;
    switch (v.tag) {
        case V_LIST:
        case V_TUPLE: return contains_item(vm, v, item, out);
        case V_SET: return set_has(vm, v.set, item, out);
        case V_DICT:
            rc = dict_find_peek(vm, v.dict, item, &e);
            *out = e != NULL;
            return rc;
        case V_STR:
            if (item.tag != V_STR)
                return vm_fail(vm, GPA_E_TYPE,
                               "'in <string>' requires string as left operand, not %s",
                               value_type_name(item));
            *out =
                text_find(v.str->text, v.str->size, item.str->text, item.str->size, 0) != SIZE_MAX;
            return GPA_OK;
        case V_BYTES: return contains_in_bytes(vm, v.str, item, out);
        case V_RANGE: {
            int64_t at = -1;
            if (item.tag == V_OBJECT || is_array(item)) return op_contains_items(vm, v, item, out);
            rc = range_find(vm, v.range, item, &at);
            *out = at >= 0;
            return rc;
        }
        case V_ARRAY: return contains_in_array(vm, v, item, out);
        case V_OBJECT:
            if (v.object->kind->contains) return v.object->kind->contains(vm, v.object, item, out);
            return op_contains_items(vm, v, item, out);
        default: return op_contains_items(vm, v, item, out);
    }
}

/* ---- division by zero ---- */

static bool divides(ast_op op) {
    return op == AST_OP_DIV || op == AST_OP_FLOORDIV || op == AST_OP_MOD;
}
static bool is_scalar(value v) {
    return is_python_scalar(v) || v.tag == V_NUM || (v.tag == V_ARRAY && v.aux);
}

/* Division of Python numbers by zero with NumPy's results. */
static gpa_code lenient_quotient(gpa_vm *vm, ast_op op, value a, value b, value *out) {
    gpa_val v[2];
    gpa_dtype t[2], compute, result;
    for (int i = 0; i < 2; i++) {
        number n = number_of(i ? b : a);
        t[i] = n.kind == NUMBER_INT ? DT_I64 : n.kind == NUMBER_FLOAT ? DT_F64 : DT_C128;
        if (t[i] == DT_I64)
            v[i].I64 = n.i;
        else if (t[i] == DT_F64)
            v[i].F64 = n.re;
        else
            v[i].C128 = (gpa_c128){n.re, n.im};
    }
    if (!op_types(ast_op_row(op), dtype_promote(t[0], t[1]), &compute, &result))
        return op_number(vm, op, a, b, out);
    for (int i = 0; i < 2; i++) v[i] = dtype_cast(v[i], t[i], compute);
    value r = v_num(vm, result, op_scalar(ast_op_row(op), compute, v[0], v[1], v[1]));
    gpa_code rc = owned(vm, r, out);
    if (!rc) rc = value_to_python(vm, r, out);
    value_release(vm, r);
    return rc;
}

/* Division by zero in jitted functions follows their error_model, for every kind of number. */
static gpa_code zero_divisor(gpa_vm *vm, ast_op op, value a, value b, value *out, bool *handled) {
    bool lenient = vm_is_lenient(vm);
    value left = v_none(), right = v_none();
    *handled = false;
    if (!is_scalar(a) || !is_scalar(b) || (lenient && (is_numpy(a) || is_numpy(b)))) return GPA_OK;
    gpa_code rc = value_to_python(vm, b, &right);
    if (rc || is_numpy(right)) goto out;
    number n = number_of(right);
    *handled = n.re == 0 && n.im == 0 && n.i == 0;
    if (*handled) rc = value_to_python(vm, a, &left);
    if (*handled && !rc)
        rc = lenient ? lenient_quotient(vm, op, left, right, out)
                     : op_number(vm, op, left, right, out);
out:
    value_release(vm, left);
    value_release(vm, right);
    return rc;
}

static gpa_code jitted_binary(gpa_vm *vm, ast_op op, value a, value b, value *out) {
    value in[2];
    gpa_code rc = jit_widen_integers(vm, ast_op_row(op), (value[]){a, b}, 2, in);
    if (!rc) rc = array_operators.binary(vm, op, in[0], in[1], out);
    value_release(vm, in[0]);
    value_release(vm, in[1]);
    return rc;
}

static gpa_code jitted_unary(gpa_vm *vm, gpa_op op, value a, value *out) {
    value in;
    gpa_code rc = jit_widen_integers(vm, op, &a, 1, &in);
    if (!rc) rc = array_operators.unary(vm, op, in, out);
    value_release(vm, in);
    return rc;
}

/* ---- views of dicts ---- */

static bool is_set_like(value v) { return v.tag == V_OBJECT && v.object->kind->set_like; }

/* The items of a view or an iterable as a set; a set itself. *out is owned. */
static gpa_code as_set(gpa_vm *vm, value v, value *out) {
    value items = v_none();
    if (v.tag == V_SET) {
        *out = value_retain(v);
        return GPA_OK;
    }
    *out = v_set(vm);
    if (out->tag == V_UNSET) return vm_err(vm)->code;
    gpa_code rc = vm_collect(vm, v, &items);
    for (size_t i = 0; !rc && i < items.list->count; i++)
        rc = set_add(vm, out->set, items.list->items[i]);
    value_release(vm, items);
    return rc;
}

/* An operator or comparison with the keys or items of a dict. Operators accept any iterable as the
 * other operand, comparisons only sets. */
static gpa_code view_binary(gpa_vm *vm, ast_op op, value a, value b, value *out, bool *handled) {
    bool compares = op >= AST_OP_EQ && op <= AST_OP_GE;
    bool sets = (is_set_like(a) || a.tag == V_SET) && (is_set_like(b) || b.tag == V_SET);
    bool bits =
        op == AST_OP_BITOR || op == AST_OP_BITAND || op == AST_OP_BITXOR || op == AST_OP_SUB;
    value left = v_none(), right = v_none();
    *handled = compares ? sets : bits;
    if (!*handled) return GPA_OK;
    gpa_code rc = as_set(vm, a, &left);
    if (!rc) rc = as_set(vm, b, &right);
    if (!rc && compares) {
        bool truth = false;
        rc = op_compare(vm, op, left, right, &truth);
        *out = v_bool(truth);
    } else if (!rc)
        rc = set_operator(vm, op, left, right, out, handled);
    value_release(vm, left);
    value_release(vm, right);
    return rc;
}

/* ---- dispatch ---- */

static gpa_code binary(gpa_vm *vm, ast_op op, bool update, value a, value b, value *out) {
    bool handled = false;
    gpa_code rc = GPA_OK;
    bool numpy = is_numpy(a) || is_numpy(b);
    if ((is_foreign(a) || is_foreign(b)) && !is_membership(op))
        return update ? foreign.update(vm, op, a, b, out) : foreign.binary(vm, op, a, b, out);
    if (divides(op) && vm_in_jitted(vm)) rc = zero_divisor(vm, op, a, b, out, &handled);
    if (rc || handled) return rc;
    if (is_python_scalar(b) && is_python_scalar(a) && !numpy) return op_number(vm, op, a, b, out);
    if (update && a.tag == V_OBJECT) rc = record_update(vm, op, a, b, out, &handled);
    if (rc || handled) return rc;
    if (a.tag == V_OBJECT || b.tag == V_OBJECT) rc = record_binary(vm, op, a, b, out, &handled);
    if (rc || handled) return rc;
    if (is_set_like(a) || is_set_like(b)) rc = view_binary(vm, op, a, b, out, &handled);
    if (rc || handled) return rc;
    if (!is_membership(op)) a = value_underlying(a), b = value_underlying(b);
    if (op >= AST_OP_EQ && op <= AST_OP_IS_NOT && (!numpy || is_membership(op))) {
        bool truth = false;
        rc = op_compare(vm, op, a, b, &truth);
        *out = v_bool(truth);
        return rc;
    }
    bool arrays = (is_array(a) || is_array(b)) && !(op == AST_OP_MOD && a.tag == V_STR);
    if (!arrays && (is_sequence(a) || is_sequence(b)) && !(op == AST_OP_ADD && !is_sequence(a)) &&
        !(op == AST_OP_ADD && numpy && a.tag != V_STR))
        rc = sequence(vm, op, a, b, out, &handled);
    if (rc || handled) return rc;
    if (numpy && vm_in_jitted(vm)) return jitted_binary(vm, op, a, b, out);
    if (numpy) return array_operators.binary(vm, op, a, b, out);
    if (a.tag == V_SET && b.tag == V_SET) rc = set_operator(vm, op, a, b, out, &handled);
    if (rc || handled) return rc;
    if (a.tag == V_DICT && b.tag == V_DICT && op == AST_OP_BITOR) return dict_union(vm, a, b, out);
    return unsupported(vm, op, update, a, b);
}

gpa_code op_binary(gpa_vm *vm, ast_op op, value a, value b, value *out) {
    return binary(vm, op, false, a, b, out);
}

static gpa_code extend(gpa_vm *vm, list_obj *l, value b) {
    value all = v_unset();
    gpa_code rc = vm_collect(vm, b, &all);
    if (rc) return rc;
    rc = list_reserve(vm, l, l->count + all.list->count);
    for (size_t i = 0; i < all.list->count && !rc; i++) rc = list_append(vm, l, all.list->items[i]);
    value_release(vm, all);
    return rc;
}

static gpa_code set_update(gpa_vm *vm, ast_op op, value a, value b) {
    value made = v_none();
    bool handled;
    gpa_code rc = set_operator(vm, op, a, b, &made, &handled);
    if (rc) return rc;
    dict_obj old = a.set->d, new = made.set->d; /* contents are swapped, reference counts stay */
    a.set->d = new;
    a.set->arranged = false;
    a.set->d.head = old.head;
    made.set->d = old;
    made.set->d.head = new.head;
    value_release(vm, made);
    return GPA_OK;
}

static gpa_code repeat_in_place(gpa_vm *vm, list_obj *l, int64_t times) {
    size_t n = l->count;
    if (times <= 0) list_clear(vm, l);
    if (times <= 1) return GPA_OK;
    if (n && (uint64_t)times > SIZE_MAX / sizeof(value) / 4 / n) return vm_no_memory(vm);
    gpa_code rc = list_reserve(vm, l, n * (size_t)times);
    for (size_t i = n; i < n * (size_t)times && !rc; i++) rc = list_append(vm, l, l->items[i - n]);
    return rc;
}

gpa_code op_update(gpa_vm *vm, ast_op op, value a, value b, value *out) {
    gpa_code rc;
    int64_t times;
    bool counts = false;
    bool bits =
        op == AST_OP_BITOR || op == AST_OP_BITAND || op == AST_OP_BITXOR || op == AST_OP_SUB;
    if (is_array(a)) return array_operators.update(vm, op, a, b, out);
    if (a.tag == V_LIST && op == AST_OP_MUL && (rc = as_times(vm, b, &times, &counts))) return rc;
    if (a.tag == V_LIST && op == AST_OP_ADD && b.tag != V_ARRAY)
        rc = extend(vm, a.list, b);
    else if (counts)
        rc = repeat_in_place(vm, a.list, times);
    else if (a.tag == V_DICT && b.tag == V_DICT && op == AST_OP_BITOR)
        rc = dict_update(vm, a.dict, b.dict);
    else if (a.tag == V_SET && !a.set->frozen && b.tag == V_SET && bits)
        rc = set_update(vm, op, a, b);
    else
        return binary(vm, op, true, a, b, out);
    if (!rc) *out = value_retain(a);
    return rc;
}

gpa_code op_unary(gpa_vm *vm, ast_op op, value a, value *out) {
    if (is_numpy(a) && vm_in_jitted(vm)) return jitted_unary(vm, ast_op_row(op), a, out);
    if (numpy_scalar_unary(op, a, out)) return GPA_OK;
    if (is_numpy(a)) return array_operators.unary(vm, ast_op_row(op), a, out);
    if (a.tag == V_INT || a.tag == V_BOOL) {
        if (op == AST_OP_NEG && a.i == INT64_MIN) return big_unary(vm, op, a, out);
        *out = v_int(op == AST_OP_NEG ? -a.i : op == AST_OP_POS ? a.i : ~a.i);
        return GPA_OK;
    }
    if (a.tag == V_BIG) return big_unary(vm, op, a, out);
    if (a.tag == V_FLOAT && op != AST_OP_INVERT) {
        *out = v_float(op == AST_OP_NEG ? -a.f : a.f);
        return GPA_OK;
    }
    if (a.tag == V_COMPLEX && op != AST_OP_INVERT) {
        bool neg = op == AST_OP_NEG;
        return owned(vm,
                     v_complex(vm, neg ? -a.complex->re : a.complex->re,
                               neg ? -a.complex->im : a.complex->im),
                     out);
    }
    bool handled = is_foreign(a);
    gpa_code rc = handled ? foreign.unary(vm, op, a, out) : record_unary(vm, op, a, out, &handled);
    if (rc || handled) return rc;
    return vm_fail(vm, GPA_E_TYPE, "bad operand type for unary %s: '%s'", ast_op_text(op),
                   value_type_name(a));
}

gpa_code vm_binary(gpa_vm *vm, gpa_op op, value a, value b, value *out) {
    for (int k = AST_OP_ADD; k <= AST_OP_GE; k++)
        if (ast_op_row((ast_op)k) == op && k != AST_OP_POS && k != AST_OP_NEG && k != AST_OP_INVERT)
            return op_binary(vm, (ast_op)k, a, b, out);
    return array_operators.call_ufunc(vm, ufunc_of(op), ARGS(2, (value[]){a, b}), out);
}

gpa_code vm_unary(gpa_vm *vm, gpa_op op, value a, value *out) {
    if (op == OP_NEGATIVE) return op_unary(vm, AST_OP_NEG, a, out);
    if (op == OP_POSITIVE) return op_unary(vm, AST_OP_POS, a, out);
    if (op == OP_INVERT) return op_unary(vm, AST_OP_INVERT, a, out);
    if (op == OP_ABSOLUTE && numpy_scalar_absolute(a, out)) return GPA_OK;
    if (op == OP_ABSOLUTE && a.tag == V_NUM) return array_operators.unary(vm, op, a, out);
    return array_operators.call_ufunc(vm, ufunc_of(op), ARGS(1, &a), out);
}
