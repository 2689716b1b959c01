/* Compilation by fixed-point iteration: the lowering pass is repeated until the inferred types
 * are stable. Also the list of specializations of a function.
 *
 * The kir of an iteration that widened a type is discarded. Types only widen, in a lattice of
 * finite height, so the iteration terminates. */
#include <stdio.h>
#include <string.h>

#include "runtime/base/arena.h"
#include "lang/object/container.h"
#include "lang/typed/loop.h"

/* ---- fixed-point iteration ---- */

/* Argument i of a generalized ufunc at the current loop index: a view of its core, or its only
 * element. */
static gpa_code core_argument(lowering *lw, int i, tv *out) {
    const typed_core *c = &lw->to->core;
    typed_ty t = lw->to->args[i];
    tview a = {.array = i, .dtype = t.dtype, .ndim = (uint8_t)(t.rank - 1)};
    int32_t c_stride = -1;
    a.offset = kir_const(lw->f, DT_I64, (gpa_val){.I64 = 0});
    for (int d = 0; d < c->loops; d++) {
        int32_t at = typed_emit(lw, KIR_INDEX, DT_I64, -1, -1, (uint32_t)d);
        int64_t elements = 1;
        for (int k = 0; k < a.ndim; k++)
            elements *= c->dim[i][k] < 0 ? 1 : c->const_size[c->dim[i][k]];
        int32_t by = c->packed >> i & 1 ? kir_const(lw->f, DT_I64, (gpa_val){.I64 = elements})
                                        : typed_axis(lw, KIR_STRIDE, i, d);
        a.offset = kir_op2(lw->f, OP_ADD, a.offset, kir_op2(lw->f, OP_MULTIPLY, at, by));
    }
    for (int d = a.ndim - 1; d >= 0; d--) {
        int64_t fixed = c->dim[i][d] < 0 ? 1 : c->const_size[c->dim[i][d]];
        a.size[d] = fixed >= 0 ? kir_const(lw->f, DT_I64, (gpa_val){.I64 = fixed})
                               : typed_axis(lw, KIR_SIZE, i, c->loops + d);
        bool dense = c->contiguous >> i & 1;
        a.stride[d] = dense ? c_stride : typed_axis(lw, KIR_STRIDE, i, c->loops + d);
        c_stride = c_stride < 0 ? a.size[d] : kir_op2(lw->f, OP_MULTIPLY, c_stride, a.size[d]);
    }
    if (!(c->scalars >> i & 1)) return typed_view_value(lw, &a, out);
    *out = typed_load(lw, &a);
    return GPA_OK;
}

void typed_begin_program(lowering *lw, const func_obj *fn) {
    kir_reset(lw->f, lw->to->form == TYPED_KERNEL ? KIR_KERNEL : KIR_MAP, func_name(lw->vm, fn));
    lw->n_slots = lw->n_shapes = lw->n_open = 0;
    lw->n_regions_made = 0;
    lw->changed = false;
    lw->nest = lw->regions = 0;
    lw->break_extra = 0;
    for (int i = 0; i < lw->to->n_args; i++) typed_declare(lw, lw->to->args[i]);
    for (size_t i = 0; i < lw->to->n_deps; i++) typed_declare(lw, lw->to->deps[i].ty);
    if (lw->to->form != TYPED_CORE) return;
    lw->f->ndim = lw->to->core.loops;
    lw->f->flags |= KIR_F_UNORDERED;
}

gpa_code typed_argument(lowering *lw, typed_ty t, uint32_t *number, int *array, tv *out) {
    if (t.rank) return typed_view(lw, (*array)++, t.rank - 1, t.unit_stride, NULL, out);
    *out = (tv){.kind = TV_NUMBER,
                .t = t,
                .v = typed_emit(lw, KIR_PARAM, (gpa_dtype)t.dtype, -1, -1, (*number)++)};
    return GPA_OK;
}

/* The argument at *at in the list of types, with its items if it is a tuple. */
static gpa_code argument_with_items(lowering *lw, int *at, uint32_t *number, int *array, tv *out) {
    typed_ty t = lw->to->args[(*at)++];
    *out = (tv){.kind = TV_NONE};
    if (!t.mark) return typed_argument(lw, t, number, array, out);
    if (t.mark == TYPED_NONE) return GPA_OK;
    gpa_code rc = typed_tuple(lw, (uint32_t)(t.mark - TYPED_TUPLE), out);
    for (uint32_t i = 0; i < out->n && !rc; i++)
        rc = argument_with_items(lw, at, number, array, &out->items[i]);
    return rc;
}

static gpa_code lower_once(lowering *lw, func_obj *fn, tv *out) {
    tv args[BODY_MAX_IN];
    uint32_t number = 0;
    int array = 0, n = 0;
    gpa_code rc = GPA_OK;
    lw->frame = NULL;
    typed_begin_program(lw, fn);
    for (int i = 0; i < lw->to->n_args && !rc; n++)
        rc = lw->to->form == TYPED_CORE ? core_argument(lw, i++, &args[n])
                                        : argument_with_items(lw, &i, &number, &array, &args[n]);
    const ast_scope *s = func_node(fn)->function.scope;
    if (!rc && (uint32_t)n != s->n_positional + s->n_keyword_only + s->has_args)
        rc = typed_fail(lw, func_node(fn), GPA_E_UNSUPPORTED,
                        "a compiled function of numbers has positional parameters only");
    if (!rc) rc = typed_inline(lw, func_node(fn), fn, args, out);
    if (rc) return rc;
    if (lw->to->form == TYPED_BODY && out->kind == TV_NONE)
        return typed_fail(lw, func_node(fn), GPA_E_TYPE,
                          "%s() returns no number: a compiled function of numbers must return one",
                          func_name(lw->vm, fn));
    if (lw->to->form == TYPED_BODY && out->kind != TV_NUMBER)
        return typed_fail(lw, func_node(fn), GPA_E_TYPE, "a ufunc gives one number, not %s %s",
                          typed_article(out), typed_kind(out));
    if (lw->to->form != TYPED_BODY && out->kind != TV_NONE)
        return typed_fail(lw, func_node(fn), GPA_E_TYPE,
                          "%s() returns a %s: it gives its results through its arrays",
                          func_name(lw->vm, fn), typed_kind(out));
    return GPA_OK;
}

/* Adds the argument types of the call to an error. */
static void add_type_hint(gpa_vm *vm, const func_obj *fn, const typed_fn *t) {
    gpa_str types;
    str_init(&types);
    typed_print_types(t->args, t->n_args, &types);
    if (!vm_err(vm)->hint[0])
        gpa_err_hint(vm_err(vm), "compiled for %s(%s)", func_name(vm, fn),
                     types.len ? types.text : "");
    str_free(&types);
}

/* Moves the program of the last iteration to the function. */
static gpa_code finish(lowering *lw, typed_fn *t, tv result) {
    kir_func *f = lw->f;
    gpa_err *e = vm_err(lw->vm);
    lw->f = NULL;
    if (t->form == TYPED_BODY) {
        typed_ty to = t->result.dtype == DT_NONE ? result.t : t->result;
        int32_t number = kir_cast(f, (gpa_dtype)to.dtype, result.v);
        return body_new_take(f, &number, 1, &t->body, e);
    }
    t->f = f;
    return f->failed ? gpa_no_memory(e) : kir_check(f, e);
}

gpa_code typed_compile_fixed_point(gpa_vm *vm, func_obj *fn, typed_fn *t, bool *host) {
    lowering lw = {.vm = vm, .to = t, .retained = v_list(vm, 0, NULL), .arena = arena_new()};
    gpa_code rc = GPA_OK;
    tv result = {0};
    lw.f = kir_new(KIR_MAP, func_name(vm, fn));
    if (!lw.f || !lw.arena || lw.retained.tag == V_UNSET) TRY(vm_no_memory(vm));
    do {
        TRY(vm_poll(vm));
        TRY(t->form == TYPED_LOOP ? loop_lower(&lw, fn) : lower_once(&lw, fn, &result));
    } while (lw.changed);
    rc = finish(&lw, t, result);
out:
    if (host) *host = lw.fallback;
    if (rc && t->form != TYPED_LOOP) {
        add_type_hint(vm, fn, t);
        vm_trace_inner(vm, fn->name, lw.error_site.src ? lw.error_site : vm_err(vm)->span);
    }
    kir_free(lw.f);
    arena_free(lw.arena);
    typed_free_slots(&lw);
    mem_free(lw.shapes);
    mem_free(lw.open_regions);
    value_release(vm, lw.retained);
    return rc;
}

/* ---- specializations ---- */

void typed_clear(gpa_vm *vm, typed_fn *t) {
    for (size_t i = 0; i < t->n_deps; i++) {
        value_release(vm, t->deps[i].cell);
        value_release(vm, t->deps[i].snapshot);
    }
    mem_free(t->deps);
    body_release(t->body);
    arr_launch_cache_free(&t->cache);
    kir_free(t->f);
}

static void free_one(gpa_vm *vm, typed_fn *t) {
    typed_clear(vm, t);
    mem_free(t);
}

void typed_free_all(gpa_vm *vm, typed_fn *list) {
    while (list) {
        typed_fn *next = list->next;
        free_one(vm, list);
        list = next;
    }
}

static bool same_args(const typed_fn *t, const typed_request *r) {
    bool same = t->n_args == r->n && t->result.dtype == r->result;
    for (int i = 0; i < r->n && same; i++) same = typed_same_type(t->args[i], r->args[i]);
    return same;
}

static bool same_core(const typed_core *a, const typed_core *b) {
    return a->loops == b->loops && a->scalars == b->scalars && a->contiguous == b->contiguous &&
           a->packed == b->packed && memcmp(a->dim, b->dim, sizeof a->dim) == 0 &&
           memcmp(a->const_size, b->const_size, sizeof a->const_size) == 0;
}

gpa_code typed_get(gpa_vm *vm, typed_fn **compiled, func_obj *fn, const typed_request *r,
                   typed_fn **out) {
    static const typed_core none;
    const typed_core *core = r->core ? r->core : &none;
    bool varies = false;
    for (typed_fn **at = compiled; *at; at = &(*at)->next) {
        typed_fn *t = *at;
        if (t->form != r->form || !same_core(&t->core, core) || !same_args(t, r)) continue;
        *at = t->next; /* move to front, or evict */
        if (!typed_guards_hold(vm, t)) {
            varies = true;
            free_one(vm, t);
            break;
        }
        t->next = *compiled;
        *out = *compiled = t;
        return GPA_OK;
    }
    typed_fn *t = mem_zero(sizeof *t);
    if (!t) return vm_no_memory(vm);
    t->form = r->form;
    t->core = *core;
    t->n_args = r->n;
    memcpy(t->args, r->args, (size_t)r->n * sizeof *r->args);
    t->result = (typed_ty){.dtype = (uint8_t)r->result};
    t->globals_vary = varies;
    for (const typed_fn *other = *compiled; other; other = other->next)
        t->serial = MAX(t->serial, other->serial + 1);
    gpa_code rc = typed_compile_fixed_point(vm, fn, t, NULL);
    if (rc) {
        free_one(vm, t);
        return rc;
    }
    t->next = *compiled;
    *out = *compiled = t;
    return GPA_OK;
}

/* ---- introspection ---- */

void typed_print(const typed_fn *t, gpa_str *out) {
    if (t->f) kir_print(t->f, out);
}

size_t typed_array_bytes(const typed_fn *t, bool shared) {
    size_t n = 0;
    for (size_t k = 0; t->f && k < t->f->n_arrays; k++)
        if (t->f->arrays[k].where == (shared ? KIR_SHARED : KIR_LOCAL))
            n += t->f->arrays[k].count * dtype_size((gpa_dtype)t->f->arrays[k].dtype);
    return n;
}
