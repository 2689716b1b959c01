/* Operators and subscripts on arrays and NumPy scalars. Operands carry their source locations, so
 * that an error about shapes marks them. */
#include <math.h>
#include <stdio.h>

#include "lang/numpy/all.h"
#include "lang/vm/machine.h"
#include "lang/object/number.h"
#include "lang/object/numpy_scalar.h"
#include "lang/numpy/float_errors.h"
#include "lang/numpy/numpy.h"
#include "lang/numpy/override.h"
#include "lang/vm/operate.h"
#include "lang/text/source.h"
#include "runtime/libcalls.h"
#include "runtime/tape.h"

/* ---- source locations ---- */

/* Source locations of the running instruction's operator and operands; empty in the library. */
typedef struct {
    gpa_span at, left, right;
} spans;

static spans current_spans(gpa_vm *vm) {
    spans p = {vm_where(vm), {0, 0, 0}, {0, 0, 0}};
    const frame *f = vm->depth ? &vm->frames[vm->depth - 1] : NULL;
    const ast_node *n = f && !f->module->hidden ? raise_node(f) : NULL;
    rt_set_location(vm->core.rt, p.at);
    vm->maybe_pending = true;
    if (!n) return p;
    if (n->kind == AST_BINARY) {
        p.left = n->binary.left->span;
        p.right = n->binary.right->span;
    } else if (n->kind == AST_AUGASSIGN) {
        p.left = n->augassign.target->span;
        p.right = n->augassign.value->span;
    } else if (n->kind == AST_COMPARE && n->compare.links.n == 1) {
        p.left = n->compare.first->span;
        p.right = n->compare.links.at[0]->link.right->span;
    } else if (n->kind == AST_LINK) {
        p.right = n->link.right->span;
    }
    return p;
}

/* ---- hints for shapes that cannot be broadcast ---- */

/* The source text of a span if it is a name, a call or a subscript, and short enough for a hint;
 * else
 * "". */
static void source_text_of(gpa_vm *vm, gpa_span at, char *to, size_t capacity) {
    const source *s = source_get(vm->core.sources, at.src);
    size_t n = at.hi - at.lo;
    to[0] = 0;
    if (!s || n == 0 || n >= capacity || strcspn(s->text + at.lo, " \n+-*/@%&|<>=~^") < n) return;
    memcpy(to, s->text + at.lo, n);
    to[n] = 0;
}

static bool fits(ast_op op, int na, const int64_t *a, int nb, const int64_t *b) {
    if (op == AST_OP_MATMUL) return na == 2 && nb == 2 && a[1] == b[0];
    for (int i = 1; i <= na && i <= nb; i++)
        if (a[na - i] != b[nb - i] && a[na - i] != 1 && b[nb - i] != 1) return false;
    return true;
}

/* "NAME AXES has shape (3,1)" */
static void hint_shape(gpa_vm *vm, const char *name, const char *axes, int n,
                       const int64_t *shape) {
    gpa_str s;
    str_init(&s);
    for (int d = 0; d < n; d++) str_printf(&s, "%s%lld", d ? "," : "", (long long)shape[d]);
    if (!s.failed) gpa_err_hint(vm_err(vm), "%s%s has shape (%s)", name, axes, s.text);
    str_free(&s);
}

/* Hints at new trailing axes of the operand with fewer dimensions, or at the transpose of a matrix,
 * where these make the shapes compatible. */
static void hint_shapes(gpa_vm *vm, ast_op op, const gpa_opnd *a, const gpa_opnd *b) {
    char name[32], axes[8 + 6 * GPA_MAX_DIMS];
    int64_t shape[GPA_MAX_DIMS];
    if (vm_err(vm)->code != GPA_E_VALUE || !a->arr || !b->arr) return;
    bool right = b->arr->ndim <= a->arr->ndim;
    const gpa_opnd *few = right ? b : a, *many = right ? a : b;
    int n = few->arr->ndim, most = many->arr->ndim;
    source_text_of(vm, few->span, name, sizeof name);
    if (!name[0] || n == 0) return;
    memcpy(shape, few->arr->shape, (size_t)n * sizeof *shape);
    if (n == 2 && most == 2) {
        shape[0] = few->arr->shape[1], shape[1] = few->arr->shape[0];
        if (fits(op, most, many->arr->shape, n, shape)) hint_shape(vm, name, ".T", n, shape);
        return;
    }
    size_t at = (size_t)snprintf(axes, sizeof axes, n == 1 ? "[:" : "[...");
    for (int k = n; k < most && op != AST_OP_MATMUL; k++) {
        shape[k] = 1;
        at += (size_t)snprintf(axes + at, sizeof axes - at, ", None");
        if (!fits(op, most, many->arr->shape, k + 1, shape)) continue;
        memcpy(axes + at, "]", 2);
        hint_shape(vm, name, axes, k + 1, shape);
        return;
    }
}

/* ---- operators ---- */

/* The type that messages name: NumPy applies the operator to the elements of an array. */
static const char *element_name(value v) {
    if (v.tag != V_ARRAY && v.tag != V_NUM) return value_type_name(v);
    char kind = dtype_info[v.tag == V_NUM ? v.aux : v.array->arr->dtype].kind;
    return kind == 'B' ? "bool" : kind == 'F' ? "float" : kind == 'C' ? "complex" : "int";
}

static gpa_code no_loop(gpa_vm *vm, ast_op op, value a, value b) {
    bool order = op >= AST_OP_LT && op <= AST_OP_GE;
    const char *words = order ? "'%s' not supported between instances of '%s' and '%s'"
                              : "unsupported operand type(s) for %s: '%s' and '%s'";
    vm_clear_error(vm);
    return vm_fail(vm, GPA_E_TYPE, words, op == AST_OP_POW ? "** or pow()" : ast_op_text(op),
                   element_name(a), element_name(b));
}

/* == and != with an operand that is neither array nor number: unequal everywhere. */
static gpa_code never_equal(gpa_vm *vm, ast_op op, value a, value b, value *out) {
    value array = a.tag == V_ARRAY ? a : b;
    gpa_val v = {.BOOL = op == AST_OP_NE};
    gpa_arr *result;
    if (array.tag != V_ARRAY) {
        *out = v_bool(op == AST_OP_NE);
        return GPA_OK;
    }
    gpa_code rc =
        arr_full(vm_rt(vm), &(arr_spec){DT_BOOL, array.array->arr->ndim, array.array->arr->shape},
                 v, &result, vm_err(vm));
    return rc ? rc : np_return(vm, result, out);
}

static bool is_operand(value v) {
    return v.tag == V_ARRAY || v.tag == V_NUM || v.tag == V_INT || v.tag == V_BOOL ||
           v.tag == V_FLOAT || v.tag == V_COMPLEX || v.tag == V_BIG || v.tag == V_LIST ||
           v.tag == V_TUPLE || v.tag == V_RANGE;
}

static gpa_code scalars(gpa_vm *vm, ast_op op, value a, value b, value *out) {
    if (numpy_scalar_binary(op, a, b, out)) return GPA_OK;
    value args[2] = {a, b};
    gpa_code rc = ufunc_numbers(vm, ast_op_row(op), args, out);
    if (rc || op == AST_OP_EQ || op == AST_OP_NE) return rc;
    return float_finish_check(vm, float_check_number(vm, ast_op_row(op), true, args, *out), out);
}

/* The operation that errors of a result are attributed to: a power with one of these exponents is
 * computed as another operation. */
static gpa_op attributed_row(ast_op op, value b) {
    const number n = number_of(b);
    const double x = number_real(&n);
    if (op != AST_OP_POW || (b.tag != V_INT && b.tag != V_FLOAT)) return ast_op_row(op);
    return x == 2 ? OP_SQUARE : x == 0.5 ? OP_SQRT : x == -1 ? OP_RECIPROCAL : ast_op_row(op);
}

/* True for Python's numbers and for NumPy's scalars, also lazy ones. */
static bool is_number(value v) { return v.tag == V_ARRAY ? v.aux != 0 : v.tag < V_STR; }

static gpa_code op_array(gpa_vm *vm, ast_op op, value a, value b, value *out) {
    gpa_opnd in[2] = {{.arr = NULL}, {.arr = NULL}};
    gpa_arr *result = NULL;
    gpa_code rc = GPA_OK;
    if (override_among(1, &a) || override_among(1, &b))
        return op == AST_OP_MATMUL
                   ? np_matmul(vm, (value[]){a, b, v_none()}, out)
                   : ufunc_call(vm, ufunc_of(ast_op_row(op)), ARGS(2, (value[]){a, b}), out);
    if (!is_operand(a) || !is_operand(b))
        return op == AST_OP_EQ || op == AST_OP_NE ? never_equal(vm, op, a, b, out)
                                                  : no_loop(vm, op, a, b);
    if (op == AST_OP_MATMUL && is_number(a) && is_number(b))
        return vm_fail(vm, GPA_E_TYPE, "unsupported operand type(s) for @: '%s' and '%s'",
                       value_type_name(a), value_type_name(b));
    if (a.tag != V_ARRAY && b.tag != V_ARRAY && a.tag < V_STR && b.tag < V_STR)
        return scalars(vm, op, a, b, out);
    if (op == AST_OP_POW && a.tag == V_ARRAY && !a.aux && a.array->arr->dtype == DT_BOOL &&
        b.tag == V_INT &&
        b.i == 2) /* NumPy's square, whose result is int8 where that of power is int64 */
        return ufunc_call(vm, ufunc_of(OP_SQUARE), ARGS(1, &a), out);
    spans p = current_spans(vm);
    TRY(arg_opnd(vm, a, &in[0]));
    TRY(arg_opnd(vm, b, &in[1]));
    in[0].span = p.left;
    in[1].span = p.right;
    rc = op == AST_OP_MATMUL
             ? arr_matmul(vm_rt(vm), &in[0], &in[1], &result, vm_err(vm))
             : arr_ufunc_order_k(vm_rt(vm), ast_op_row(op), in, NULL, &result, vm_err(vm));
    if (rc)
        hint_shapes(vm, op, &in[0], &in[1]);
    else if (op == AST_OP_MATMUL &&
             (rc = float_check_arr(vm, "_check_float_product", 2, (value[3]){a, b}, result)))
        arr_release(vm_rt(vm), result);
    else
        rc = op == AST_OP_MATMUL ? np_return_product(vm, result, out) : np_return(vm, result, out);
    if (!rc && op != AST_OP_MATMUL && float_checks_enabled(vm))
        rc = float_finish_check(
            vm, float_check_array(vm, attributed_row(op, b), (value[]){a, b}, v_unset(), *out),
            out);
out:
    arg_opnd_release(vm, &in[0]);
    arg_opnd_release(vm, &in[1]);
    return rc;
}

/* a @= b: matmul(a, b, out=a) with matrices in b, so that the result has the shape of a. */
static gpa_code update_product(gpa_vm *vm, value a, value b, value *out) {
    gpa_opnd rhs;
    gpa_code rc = arg_opnd(vm, b, &rhs);
    if (rc) return rc;
    bool vector = a.array->arr->ndim && rhs.arr && rhs.arr->ndim == 1;
    arg_opnd_release(vm, &rhs);
    if (vector)
        return vm_fail(vm, GPA_E_VALUE,
                       "inplace matrix multiplication requires the first operand to have at least "
                       "one and the second at least two dimensions.");
    return np_matmul(vm, (value[]){a, b, a}, out);
}

static gpa_code op_array_update(gpa_vm *vm, ast_op op, value a, value b, value *out) {
    gpa_opnd rhs = {.arr = NULL};
    gpa_code rc = GPA_OK;
    if (op != AST_OP_MATMUL && override_among(1, &b))
        return ufunc_call(vm, ufunc_of(ast_op_row(op)), ARGS(3, (value[]){a, b, a}), out);
    if (!is_operand(b)) return no_loop(vm, op, a, b);
    if (op == AST_OP_MATMUL) return update_product(vm, a, b, out);
    spans p = current_spans(vm);
    if (float_checks_enabled(vm)) { /* a trial run: the values to check must not be released yet */
        value trial = v_none();
        rc = op_array(vm, op, a, b, &trial);
        value_release(vm, trial);
        if (rc) return rc;
    }
    TRY(arg_opnd(vm, b, &rhs));
    rhs.span = p.right;
    rc = arr_update(vm_rt(vm), ast_op_row(op), a.array->arr, &rhs, vm_err(vm));
    if (rc)
        hint_shapes(vm, op, &(gpa_opnd){.arr = a.array->arr, .span = p.left}, &rhs);
    else
        *out = value_retain(a);
out:
    arg_opnd_release(vm, &rhs);
    return rc;
}

static gpa_code op_array_unary(gpa_vm *vm, gpa_op op, value a, value *out) {
    current_spans(vm);
    gpa_code rc = ufunc_call(vm, ufunc_of(op), ARGS(1, &a), out);
    if (rc || a.tag != V_NUM || out->tag != V_NUM || !dtype_is_int((gpa_dtype)out->aux)) return rc;
    return float_finish_check(vm, float_check_number(vm, op, true, &a, *out), out);
}

/* ---- subscripts ---- */

/* An int, or a NumPy integer. */
static inline bool plain_integer(value v, int64_t *i) {
    *i = v.i;
    if (v.tag == V_INT) return true;
    if (v.tag != V_NUM || !dtype_is_int((gpa_dtype)v.aux)) return false;
    const number n = number_of(v);
    *i = n.i;
    return n.kind == NUMBER_INT;
}

/* A full set of plain integers: one element. */
static bool whole_index(const gpa_arr *a, value key, int64_t *ix) {
    if (a->ndim == 1 && plain_integer(key, ix)) return true;
    if (key.tag != V_TUPLE || key.tuple->count != a->ndim) return false;
    for (size_t i = 0; i < key.tuple->count; i++)
        if (!plain_integer(key.tuple->items[i], &ix[i])) return false;
    return a->ndim > 0;
}

static gpa_code op_array_getitem(gpa_vm *vm, value v, value key, value *out) {
    gpa_arr *a = v.array->arr, *result;
    gpa_index ix[ARG_MAX_INDEX];
    int64_t at[GPA_MAX_DIMS];
    int n = 0;
    bool one = false;
    if (!arr_is_pending(a) && whole_index(a, key, at) && !tape_is_active(vm_rt(vm), a) &&
        !rt_loop_is_recorded(vm_rt(vm))) {
        gpa_val item;
        gpa_code rc = arr_get_item(vm_rt(vm), a, at, a->ndim, &item, vm_err(vm));
        if (rc) return rc;
        *out = v_num(vm, (gpa_dtype)a->dtype, item);
        return out->tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
    }
    current_spans(vm);
    gpa_code rc = arg_index(vm, key, ix, &n);
    if (!rc) rc = arr_get(vm_rt(vm), a, &(gpa_indices){ix, n}, &one, &result, vm_err(vm));
    arg_index_release(vm, ix, n);
    if (!rc && (one || v.aux)) { /* a cast from or to a NumPy scalar keeps its value */
        gpa_arr *view = result;
        rc = arr_copy(vm_rt(vm), view, &result, vm_err(vm));
        arr_release(vm_rt(vm), view);
    }
    if (rc) return rc;
    *out = v_array_take(vm, result, one);
    return out->tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
}

/* A plain number stored in one element, only where it cannot be out of bounds. */
static bool plain_number(const gpa_arr *a, value item, gpa_dtype *t, gpa_val *v) {
    if (item.tag == V_INT && (a->dtype == DT_I64 || a->dtype == DT_F64 || a->dtype == DT_F32)) {
        *t = DT_I64;
        v->I64 = item.i;
    } else if (item.tag == V_FLOAT &&
               (a->dtype == DT_F64 || fabs(item.f) < 65504 || !isfinite(item.f)) &&
               (!dtype_is_int((gpa_dtype)a->dtype) || (item.f >= 0 && item.f < 128))) {
        *t = DT_F64;
        v->F64 = item.f;
    } else if (item.tag == V_NUM) {
        *t = (gpa_dtype)item.aux;
        v->bits[0] = item.bits;
        v->bits[1] = 0;
        if (dtype_is_float(*t) && dtype_size(*t) > dtype_size((gpa_dtype)a->dtype)) return false;
        return !arr_check_number(&(gpa_opnd){.element = true, .dtype = *t, .v = *v},
                                 (gpa_dtype)a->dtype, NULL);
    } else {
        return false;
    }
    return true;
}

static bool names_element(const gpa_arr *a, const gpa_index *ix, int n) {
    for (int i = 0; i < n; i++)
        if (ix[i].kind != IX_INT) return false;
    return n == a->ndim;
}

/* The value for one element: an array of size 1 counts as its element, other arrays are an error.
 */
static gpa_code one_element(gpa_vm *vm, const gpa_arr *a, gpa_opnd *rhs) {
    if (!rhs->arr || rhs->arr->ndim == 0) return GPA_OK;
    if (rhs->arr->size != 1)
        return dtype_is_complex((gpa_dtype)a->dtype)
                   ? vm_fail(vm, GPA_E_TYPE,
                             "only length-1 arrays can be converted to Python scalars")
                   : vm_fail(vm, GPA_E_VALUE, "setting an array element with a sequence.");
    gpa_arr *element;
    gpa_code rc =
        vm_warn(vm, GPA_E_DEPRECATION,
                "Conversion of an array with ndim > 0 to a scalar is deprecated, and will "
                "error in future. Ensure you extract a single element from your array "
                "before performing this operation. (Deprecated NumPy 1.25.)");
    if (!rc) rc = arr_reshape(vm_rt(vm), rhs->arr, 0, NULL, &element, vm_err(vm));
    if (rc) return rc;
    arr_release(vm_rt(vm), rhs->arr);
    rhs->arr = element;
    return GPA_OK;
}

static bool is_view(const gpa_index *ix, int n) {
    for (int i = 0; i < n; i++)
        if (ix[i].kind == IX_ARRAY) return false;
    return true;
}

static gpa_code op_array_setitem(gpa_vm *vm, value v, value key, value item, bool last) {
    gpa_arr *a = v.array->arr, *element = NULL;
    gpa_index ix[ARG_MAX_INDEX];
    int64_t at[GPA_MAX_DIMS];
    gpa_opnd rhs = {.arr = NULL};
    gpa_dtype t;
    gpa_val one;
    int n = 0;
    gpa_code rc = GPA_OK;
    if (whole_index(a, key, at) && plain_number(a, item, &t, &one) && !dtype_is_complex(t)) {
        vm->maybe_pending = vm->maybe_pending || rt_loop_gains_from_elements(vm_rt(vm));
        return arr_set_item(vm_rt(vm), a, at, a->ndim, &(gpa_opnd){.dtype = t, .v = one},
                            vm_err(vm));
    }
    current_spans(vm);
    TRY(arg_index(vm, key, ix, &n));
    const bool single = names_element(a, ix, n);
    if (single && a->readonly) TRY(vm_fail(vm, GPA_E_VALUE, "assignment destination is read-only"));
    if (single) /* an index out of bounds is reported before a value that does not fit */
        TRY(arr_get(vm_rt(vm), a, &(gpa_indices){ix, n}, NULL, &element, vm_err(vm)));
    if (single && (item.tag == V_LIST ||
                   item.tag == V_TUPLE)) { /* the truth of a container is whether it has items */
        if (a->dtype != DT_BOOL) TRY(np_sequence_error(vm, (gpa_dtype)a->dtype, item));
        item = v_bool((item.tag == V_LIST ? item.list->count : item.tuple->count) != 0);
    }
    TRY(arg_element(vm, item, (gpa_dtype)a->dtype, &rhs));
    if (single) TRY(one_element(vm, a, &rhs));
    rhs.element = rhs.element && is_view(ix, n); /* through lists and masks it is cast */
    rhs.last = last && rhs.arr && (!item.aux || single);
    if (rhs.weak != WEAK_COMPLEX) TRY(np_check_cast(vm, &rhs, (gpa_dtype)a->dtype));
    rc = arr_set(vm_rt(vm), a, &(gpa_indices){ix, n}, &rhs, vm_err(vm));
out:
    arr_release(vm_rt(vm), element);
    arg_opnd_release(vm, &rhs);
    arg_index_release(vm, ix, n);
    return rc;
}

static gpa_code op_array_update_item(gpa_vm *vm, ast_op op, value v, value key, value item,
                                     bool last) {
    gpa_arr *view = NULL;
    gpa_index ix[ARG_MAX_INDEX];
    int64_t at[GPA_MAX_DIMS];
    int n = 0;
    bool one = false, viewed = false;
    value old = v_none(), new = v_none();
    gpa_code rc = GPA_OK;
    if (op != AST_OP_MATMUL && !v.aux &&
        !(!arr_is_pending(v.array->arr) && whole_index(v.array->arr, key, at))) {
        current_spans(vm);
        rc = arg_index(vm, key, ix, &n);
        viewed = !rc && is_view(ix, n);
        if (viewed)
            rc = arr_get(vm_rt(vm), v.array->arr, &(gpa_indices){ix, n}, &one, &view, vm_err(vm));
        arg_index_release(vm, ix, n);
        if (rc) return rc;
    }
    if (viewed && one) { /* a single element is computed as a scalar, then stored */
        arr_release(vm_rt(vm), view);
        viewed = false;
    }
    if (viewed) { /* the view shares the storage: updating it is all there is to do */
        value target = v_array_take(vm, view, false);
        if (last) arr_drop_value(vm_rt(vm), item.array->arr);
        rc = target.tag == V_UNSET ? vm_err(vm)->code : op_array_update(vm, op, target, item, &new);
        value_release(vm, target);
        value_release(vm, new);
        return rc;
    }
    rc = op_array_getitem(vm, v, key, &old);
    if (!rc) rc = op_update(vm, op, old, item, &new);
    value_release(vm, old);
    if (!rc && last) arr_drop_value(vm_rt(vm), item.array->arr);
    if (!rc) rc = op_array_setitem(vm, v, key, new, is_unshared_array(new));
    value_release(vm, new);
    return rc;
}

const array_interface array_operators = {
    .binary = op_array,
    .update = op_array_update,
    .unary = op_array_unary,
    .getitem = op_array_getitem,
    .setitem = op_array_setitem,
    .update_item = op_array_update_item,
    .cast_error = float_cast_error,
    .check_cast = float_check_cast,
    .trap_call = float_trap_call,
    .trap_launch = float_trap_launch,
    .call_ufunc = ufunc_call,
};
