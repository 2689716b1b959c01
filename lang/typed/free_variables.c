/* Free and global variables of compiled functions: dependences and their guards.
 *
 * Numbers and arrays become arguments of the program. All other values are part of the
 * specialization and are compared before every call.
 *
 * Reading order: dependences, guards at the call. */
#include <string.h>

#include "runtime/base/arena.h"
#include "runtime/tables/tuning.h"
#include "lang/object/container.h"
#include "lang/typed/loop.h"

/* ---- dependences ---- */

/* A scalar as an operand; false: not a scalar. */
static bool as_number(gpa_vm *vm, value v, gpa_opnd *out, gpa_code *rc) {
    value now = v_unset();
    *out = (gpa_opnd){0};
    *rc = GPA_OK;
    if (v.tag == V_ARRAY && !v.aux) return false;
    *rc = value_computed(vm, v, &now);
    if (*rc) return false;
    bool is = now.tag == V_BOOL || now.tag == V_INT || now.tag == V_FLOAT || now.tag == V_NUM ||
              now.tag == V_COMPLEX;
    if (is) *rc = arg_opnd(vm, now, out);
    value_release(vm, now);
    return is && !*rc;
}

static value current_value(gpa_vm *vm, const typed_dep *d) {
    if (!d->module) return d->cell.cell->v;
    value v = module_get_peek(d->module, d->name);
    return v.tag == V_UNSET ? vm_builtin_peek(vm, d->name) : v;
}

static gpa_code retain_static(lowering *lw, value v) {
    return list_append(lw->vm, lw->retained.list, v);
}

static gpa_code tuple_of_constants(lowering *lw, const ast_node *at, const tuple_obj *t, tv *out) {
    gpa_code rc = GPA_OK;
    if (typed_tuple(lw, (uint32_t)t->count, out)) return GPA_E_MEMORY;
    for (size_t i = 0; i < t->count && !rc; i++)
        rc = typed_value(lw, at, t->items[i], &out->items[i]);
    return rc;
}

static gpa_code static_value(lowering *lw, const ast_node *at, value v, tv *out) {
    if (v.tag == V_TUPLE) return tuple_of_constants(lw, at, v.tuple, out);
    bool text = v.tag == V_STR && lw->to->form == TYPED_KERNEL; /* kernels print strings */
    lw->fallback = lw->fallback || v.tag == V_STR || v.tag == V_LIST || v.tag == V_ARRAY;
    if (v.tag == V_ARRAY || v.tag == V_LIST || v.tag == V_DICT || (v.tag == V_STR && !text) ||
        v.tag == V_SET)
        return typed_fail(lw, at, GPA_E_TYPE,
                          "a compiled function of numbers cannot use a %s; give it as an argument",
                          value_type_name(v));
    *out = (tv){.kind = TV_STATIC, .constant = v};
    return retain_static(lw, v);
}

gpa_code typed_value(lowering *lw, const ast_node *at, value v, tv *out) {
    gpa_opnd o;
    gpa_code rc;
    if (!as_number(lw->vm, v, &o, &rc)) return rc ? rc : static_value(lw, at, v, out);
    typed_ty t = typed_of(&o);
    *out = (tv){.kind = TV_NUMBER, .t = t, .v = kir_const(lw->f, (gpa_dtype)t.dtype, o.v)};
    return GPA_OK;
}

/* Index of the parameter, or of the array, of dependence i. */
static uint32_t argument_index(const lowering *lw, size_t i, bool array) {
    uint32_t n = 0;
    for (int k = 0; k < lw->to->n_args; k++)
        n += array ? lw->to->args[k].rank > 0 : typed_is_scalar(lw->to->args[k]);
    for (size_t k = 0; k < i; k++)
        n += array ? lw->to->deps[k].ty.rank > 0 : typed_is_scalar(lw->to->deps[k].ty);
    return n;
}

static int add_array(lowering *lw, typed_ty t) {
    return kir_add_array(
        lw->f,
        (kir_array){.dtype = t.dtype,
                    .where = KIR_GLOBAL,
                    .ndim = lw->f->form == KIR_KERNEL ? (uint8_t)(t.rank - 1) : 0,
                    .group = lw->to->form == TYPED_CORE ? (uint16_t)(1 + lw->f->n_arrays) : 1});
}

static gpa_code read_dependence(lowering *lw, const ast_node *at, size_t i, tv *out) {
    const typed_dep *d = &lw->to->deps[i];
    if (d->ty.dtype == DT_NONE) return static_value(lw, at, d->snapshot, out);
    if (d->ty.rank)
        return typed_view(lw, (int)argument_index(lw, i, true), d->ty.rank - 1, d->ty.unit_stride,
                          NULL, out);
    *out = (tv){.kind = TV_NUMBER, .t = d->ty};
    out->v =
        typed_emit(lw, KIR_PARAM, (gpa_dtype)d->ty.dtype, -1, -1, argument_index(lw, i, false));
    return GPA_OK;
}

/* A dependence on an array. Arrays of dependences precede shared and local ones, so the next
 * iteration declares it. */
static gpa_code new_array(lowering *lw, const ast_node *at, const gpa_arr *a, typed_dep *d) {
    if (a->ndim > KIR_MAX_DIMS)
        return typed_fail(lw, at, GPA_E_UNSUPPORTED,
                          "compiled functions take arrays of at most %d dimensions, not %d",
                          KIR_MAX_DIMS, a->ndim);
    d->ty = typed_of_array(a);
    lw->changed = true;
    return GPA_OK;
}

/* Index of the dependence on the same variable, frozen or not; n_deps: none. */
static size_t find_dependence(const typed_fn *to, const typed_dep *d) {
    size_t i = 0;
    for (; i < to->n_deps; i++) {
        const typed_dep *x = &to->deps[i];
        if (x->module == d->module && x->name == d->name && x->frozen == d->frozen &&
            (d->module || x->cell.cell == d->cell.cell))
            break;
    }
    return i;
}

static gpa_code use_dependence(lowering *lw, const ast_node *at, typed_dep d, tv *out) {
    typed_fn *to = lw->to;
    size_t i = find_dependence(to, &d);
    if (i == to->n_deps) {
        gpa_opnd o;
        gpa_code rc;
        value v = current_value(lw->vm, &d);
        if (v.tag == V_UNSET)
            return typed_fail(lw, at, GPA_E_NAME, "name '%s' is not defined",
                              intern_text(vm_names(lw->vm), d.name));
        d.ty.dtype = DT_NONE;
        bool number = as_number(lw->vm, v, &o, &rc);
        if (rc) return rc;
        if (!mem_grow(&to->deps, to->n_deps, &to->cap_deps, sizeof *to->deps))
            return vm_no_memory(lw->vm);
        bool array = !number && v.tag == V_ARRAY && lw->to->form != TYPED_BODY;
        if (number) d.ty = typed_of(&o);
        if (array && (rc = new_array(lw, at, v.array->arr, &d))) return rc;
        d.snapshot = number || array ? v_none() : value_retain(v);
        value_retain(d.cell);
        to->deps[to->n_deps++] = d;
        if (number && argument_index(lw, to->n_deps, false) > BODY_MAX_IN)
            return typed_fail(lw, at, GPA_E_UNSUPPORTED,
                              "a compiled function has at most %d arguments and global numbers",
                              BODY_MAX_IN);
        if (number) kir_add_param(lw->f, (gpa_dtype)d.ty.dtype);
        if (array)
            return typed_view(lw, add_array(lw, d.ty), d.ty.rank - 1, d.ty.unit_stride, NULL, out);
    }
    return read_dependence(lw, at, i, out);
}

static typed_dep dependence_of(const lowering *lw, const ast_node *n) {
    typed_dep d = {.module = lw->frame->fn->module, .name = n->name.name, .cell = v_none()};
    if (n->name.storage.kind == AST_IN_FREE) {
        d.module = NULL;
        d.cell = lw->frame->fn->free[n->name.storage.slot];
    }
    return d;
}

gpa_code typed_frozen(lowering *lw, const ast_node *n, value *out) {
    typed_fn *to = lw->to;
    typed_dep d = dependence_of(lw, n);
    d.frozen = true;
    size_t i = find_dependence(to, &d);
    if (i == to->n_deps) {
        value v = current_value(lw->vm, &d);
        if (v.tag == V_UNSET)
            return typed_fail(lw, n, GPA_E_NAME, "name '%s' is not defined",
                              intern_text(vm_names(lw->vm), d.name));
        if (!mem_grow(&to->deps, to->n_deps, &to->cap_deps, sizeof *to->deps))
            return vm_no_memory(lw->vm);
        d.ty.dtype = DT_NONE;
        d.snapshot = value_retain(v);
        value_retain(d.cell);
        to->deps[to->n_deps++] = d;
    }
    *out = to->deps[i].snapshot;
    return GPA_OK;
}

/* Literal specialization: a kernel's small global integers (a tile width) are constants, unless
 * one was found to change between launches. */
static bool is_specialized(const lowering *lw, const ast_node *n) {
    typed_dep d = dependence_of(lw, n);
    value v = current_value(lw->vm, &d);
    return lw->to->form == TYPED_KERNEL && !lw->to->globals_vary && v.tag == V_INT && v.i >= 0 &&
           v.i <= TUNE_KERNEL_MAX_CONST_GLOBAL;
}

gpa_code typed_free_variable(lowering *lw, const ast_node *n, tv *out) {
    value v;
    if (!is_specialized(lw, n)) return use_dependence(lw, n, dependence_of(lw, n), out);
    gpa_code rc = typed_frozen(lw, n, &v);
    if (!rc) *out = typed_int(lw, v.i);
    return rc;
}

gpa_code typed_global(lowering *lw, const ast_node *at, module_obj *m, const char *name, tv *out) {
    gpa_sym sym =
        intern_find(vm_names(lw->vm), name, strlen(name)); /* interned since the module was run */
    return use_dependence(lw, at, (typed_dep){.module = m, .name = sym, .cell = v_none()}, out);
}

gpa_code typed_member(lowering *lw, const ast_node *n, module_obj *m, tv *out) {
    if (!m->builtin)
        return use_dependence(
            lw, n, (typed_dep){.module = m, .name = n->attr.name, .cell = v_none()}, out);
    value v = v_none();
    gpa_code rc =
        vm_attr(lw->vm, v_obj(V_MODULE, m), intern_text(vm_names(lw->vm), n->attr.name), &v);
    if (rc) return gpa_fail_at(vm_err(lw->vm), n->attr.name_span);
    rc = typed_value(lw, n, v, out);
    value_release(lw->vm, v);
    return rc;
}

void typed_declare(lowering *lw, typed_ty t) {
    if (t.rank)
        add_array(lw, t);
    else if (typed_is_scalar(t))
        kir_add_param(lw->f, (gpa_dtype)t.dtype);
}

/* ---- guards at the call ---- */

bool typed_guards_hold(gpa_vm *vm, const typed_fn *t) {
    for (size_t i = 0; i < t->n_deps; i++) {
        const typed_dep *d = &t->deps[i];
        value v = current_value(vm, d);
        gpa_opnd o;
        gpa_code rc;
        if (d->frozen) {
            if (v.tag != d->snapshot.tag || !value_is(v, d->snapshot)) return false;
            continue;
        }
        bool number = as_number(vm, v, &o, &rc);
        if (rc || number != typed_is_scalar(d->ty)) return false;
        if (d->ty.rank) {
            if (v.tag != V_ARRAY || !typed_same_type(typed_of_array(v.array->arr), d->ty))
                return false;
            continue;
        }
        if (number ? !typed_same_type(typed_of(&o), d->ty) : !value_is(v, d->snapshot))
            return false;
    }
    return true;
}

gpa_code typed_numbers(gpa_vm *vm, const typed_fn *t, gpa_opnd *to) {
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < t->n_deps && !rc; i++)
        if (typed_is_scalar(t->deps[i].ty) &&
            as_number(vm, current_value(vm, &t->deps[i]), to, &rc))
            to++;
    return rc;
}

int typed_arrays(gpa_vm *vm, const typed_fn *t, gpa_arr **to) {
    int n = 0;
    for (size_t i = 0; i < t->n_deps; i++)
        if (t->deps[i].ty.rank) to[n++] = current_value(vm, &t->deps[i]).array->arr;
    return n;
}
