/* Tuples in compiled functions: one kir value per item, each with its own type.
 *
 * A constant index selects the item at compile time; a runtime index is a chain of selects over
 * items of a common type, and a loop over numbers iterates over such indices. A loop over other
 * items is unrolled. CUDA's vector types are tuples of numbers of one type.
 *
 * Reading order: items, loops, vectors. */
#include <string.h>

#include "runtime/base/arena.h"
#include "lang/typed/all.h"
#include "lang/vm/kinds.h"
#include "lang/typed/lower.h"

gpa_code typed_tuple(lowering *lw, uint32_t n, tv *out) {
    *out = (tv){.kind = TV_TUPLE, .n = n, .items = arena_alloc(lw->arena, (n + 1) * sizeof(tv))};
    return out->items ? GPA_OK : vm_no_memory(lw->vm);
}

/* ---- items ---- */

static bool all_numbers(const tv *t) {
    bool numbers = true;
    for (uint32_t i = 0; i < t->n; i++) numbers = numbers && t->items[i].kind == TV_NUMBER;
    return numbers;
}

/* The item at a runtime index within 0 .. n - 1, converted to the common type. */
static gpa_code select_item(lowering *lw, const ast_node *at, const tv *t, int32_t index_id,
                            tv *out) {
    typed_ty common = {.dtype = DT_NONE};
    for (uint32_t i = 0; i < t->n; i++) {
        typed_ty before = common;
        common = typed_join(common, t->items[i].t);
        if (common.dtype == DT_NONE)
            return typed_fail(lw, at, GPA_E_TYPE,
                              "the items of the tuple are %s and %s: they have no type in common",
                              typed_name(before), typed_name(t->items[i].t));
    }
    int32_t v = typed_cast(lw, t->items[t->n - 1], common);
    for (uint32_t i = t->n - 1; i-- > 0;) {
        int32_t here = kir_op2(lw->f, OP_EQUAL, index_id, typed_int(lw, i).v);
        v = kir_op3(lw->f, OP_WHERE, here, typed_cast(lw, t->items[i], common), v);
    }
    *out = (tv){.kind = TV_NUMBER, .t = common, .v = v};
    return GPA_OK;
}

static gpa_code item_at(lowering *lw, const ast_node *n, const tv *t, const tv *index, tv *out) {
    static const typed_ty py_int = {.dtype = DT_I64, .weak = true};
    int32_t index_id = typed_cast(lw, *index, py_int), size = typed_int(lw, t->n).v,
            zero = typed_int(lw, 0).v;
    int32_t wrapped = kir_op3(lw->f, OP_WHERE, kir_op2(lw->f, OP_LESS, index_id, zero),
                              kir_op2(lw->f, OP_ADD, index_id, size), index_id);
    int32_t outside = kir_op2(lw->f, OP_LOGICAL_OR, kir_op2(lw->f, OP_LESS, wrapped, zero),
                              kir_op2(lw->f, OP_GREATER_EQUAL, wrapped, size));
    kir_set_span(lw->f, n->span);
    typed_open(lw, KIR_IF, DT_NONE, outside, -1, -1);
    typed_raise_here(lw, GPA_E_INDEX, kir_add_text(lw->f, "tuple index out of range"), -1);
    typed_close(lw, KIR_IF);
    return select_item(lw, n, t, wrapped, out);
}

gpa_code typed_tuple_item(lowering *lw, const ast_node *n, const tv *t, tv *out) {
    tv i;
    gpa_code rc = typed_number(lw, n->index.index, &i);
    if (rc) return rc;
    if (!dtype_is_int((gpa_dtype)i.t.dtype) && i.t.dtype != DT_BOOL)
        return typed_fail(lw, n->index.index, GPA_E_TYPE,
                          "tuple indices must be integers or slices, not %s", typed_name(i.t));
    if (!i.literal && (lw->to->form == TYPED_BODY || !t->n || !all_numbers(t)))
        return typed_fail(lw, n->index.index, GPA_E_TYPE,
                          "the index of this tuple must be a literal in a compiled function");
    if (!i.literal) return item_at(lw, n, t, &i, out);
    int64_t at = i.i < 0 ? i.i + t->n : i.i;
    if (at < 0 || at >= t->n) return typed_fail(lw, n, GPA_E_INDEX, "tuple index out of range");
    *out = t->items[at];
    return GPA_OK;
}

/* ---- loops ---- */

static void look_for_leaving(void *user, ast_node *n) {
    bool *found = user;
    *found = *found || n->kind == AST_BREAK || n->kind == AST_CONTINUE;
    if (!*found && n->kind != AST_FOR && n->kind != AST_WHILE)
        ast_each_child(n, look_for_leaving, found);
}

/* True if a break or continue in the list refers to the enclosing loop. */
static bool leaves_loop(const ast_list *l) {
    bool found = false;
    for (uint32_t i = 0; i < l->n && !found; i++) look_for_leaving(&found, l->at[i]);
    return found;
}

static gpa_code unroll(lowering *lw, const ast_node *n, const tv *t) {
    gpa_code rc = GPA_OK;
    if (leaves_loop(&n->for_.body))
        return typed_fail(
            lw, n, GPA_E_UNSUPPORTED,
            "a loop over a tuple of arrays is unrolled: it cannot contain break or continue");
    for (uint32_t i = 0; i < t->n && !rc; i++) {
        rc = typed_assign_to(lw, n->for_.target, t->items[i]);
        if (!rc) rc = typed_block(lw, n->for_.body);
    }
    return rc;
}

gpa_code typed_for_tuple(lowering *lw, const ast_node *n, const tv *t) {
    tv one;
    if (!t->n) return GPA_OK;
    if (!all_numbers(t)) return unroll(lw, n, t);
    int32_t zero = typed_int(lw, 0).v, stop = typed_int(lw, t->n).v, step = typed_int(lw, 1).v;
    typed_open(lw, KIR_FOR, DT_I64, zero, stop, step);
    gpa_code rc = select_item(lw, n->for_.iter, t, (int32_t)lw->f->n_code - 1, &one);
    if (!rc) rc = typed_assign_to(lw, n->for_.target, one);
    if (!rc) rc = typed_block(lw, n->for_.body);
    typed_close(lw, KIR_FOR);
    return rc;
}

/* ---- vectors ---- */

enum { VECTOR_NAME, VECTOR_DTYPE, VECTOR_N, VECTOR_FIELDS };

static gpa_code call_vector(gpa_vm *vm, object_obj *o, const call_args *a, value *out) {
    (void)o, (void)a, (void)out;
    return vm_fail(vm, GPA_E_UNSUPPORTED,
                   "vectors exist in kernels only: functions under @cuda.jit");
}

static gpa_code repr_vector(gpa_vm *vm, object_obj *o, gpa_str *out) {
    (void)vm;
    str_put(out, o->fields[VECTOR_NAME].str->text);
    return GPA_OK;
}

static gpa_code attr_of_vector(gpa_vm *vm, object_obj *o, const char *name, value *out) {
    const char *own = o->fields[VECTOR_NAME].str->text;
    gpa_str doc;
    *out = v_unset();
    if (strcmp(name, "__doc__") != 0) return GPA_OK;
    str_init(&doc);
    str_printf(
        &doc,
        "Vector type of %lld %s, for kernels: components .x, .y, .z, .w.\n\nConstructed from "
        "scalars and shorter vectors.\n\n>>> from numba import cuda\n>>> cuda.%s\n%s",
        (long long)o->fields[VECTOR_N].i, dtype_info[o->fields[VECTOR_DTYPE].i].name, own, own);
    *out = v_str_take(vm, &doc);
    return out->tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
}

const object_kind cuda_vector_kind = {.type_name = "numba.cuda.VectorType",
                                      .call = call_vector,
                                      .attr = attr_of_vector,
                                      .repr = repr_vector};

gpa_code cuda_vector_type(gpa_vm *vm, value *argv, value *out) { /* name, dtype, n */
    gpa_dtype t;
    gpa_code rc = arg_dtype(vm, argv[1], &t);
    if (!rc) rc = native_return(v_object(vm, &cuda_vector_kind, VECTOR_FIELDS), out);
    if (rc) return rc;
    out->object->fields[VECTOR_NAME] = value_retain(argv[0]);
    out->object->fields[VECTOR_DTYPE] = v_int(t);
    out->object->fields[VECTOR_N] = argv[2];
    return GPA_OK;
}

bool typed_vector_part(const tv *v, const char *name, tv *out) {
    static const char names[] = "xyzw";
    for (uint32_t i = 0; i < v->n; i++) {
        if (name[0] != names[i] || name[1]) continue;
        *out = v->items[i];
        return true;
    }
    return false;
}

gpa_code typed_vector(lowering *lw, const ast_node *n, const object_obj *type, const tv *v,
                      uint32_t n_args, tv *out) {
    const char *name = type->fields[VECTOR_NAME].str->text;
    typed_ty t = {.dtype = (uint8_t)type->fields[VECTOR_DTYPE].i};
    uint32_t want = (uint32_t)type->fields[VECTOR_N].i, have = 0, given = 0;
    if (typed_tuple(lw, want, out)) return GPA_E_MEMORY;
    out->constant = v_obj(V_OBJECT, (object_obj *)(uintptr_t)type);
    for (uint32_t i = 0; i < n_args; i++) {
        const tv *items = v[i].kind == TV_TUPLE ? v[i].items : &v[i];
        uint32_t count = v[i].kind == TV_TUPLE ? v[i].n : 1;
        given += count;
        for (uint32_t k = 0; k < count && have < want; k++) {
            if (items[k].kind != TV_NUMBER || (dtype_is_complex((gpa_dtype)items[k].t.dtype)))
                return typed_fail(lw, n->call.args.at[i], GPA_E_TYPE,
                                  "%s() takes real numbers and vectors, not %s %s", name,
                                  typed_article(&items[k]), typed_kind(&items[k]));
            out->items[have++] = (tv){.kind = TV_NUMBER, .t = t, .v = typed_cast(lw, items[k], t)};
        }
    }
    return given == want ? GPA_OK
                         : typed_fail(lw, n, GPA_E_TYPE,
                                      "%s() takes %u numbers, as such or in vectors (%u given)",
                                      name, want, given);
}
