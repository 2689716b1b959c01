/* Records of the types that jitted functions are called with: what signatures and inspect_types()
 * show.
 *
 * A call's key encodes the types of its arguments in a few words, so that a call with types seen
 * before compares words and creates nothing. */
#include "lang/typed/call_types.h"

#include <string.h>

#include "lang/object/container.h"
#include "lang/typed/loop.h"
#include "lang/typed/types.h"

enum { MAX_KEY = 64 };

typedef struct {
    uint32_t at[MAX_KEY];
    uint32_t n;
    bool full;
} type_key;

static void add_word(type_key *k, uint32_t word) {
    k->full = k->full || k->n == MAX_KEY;
    if (!k->full) k->at[k->n++] = word;
}

/* A word per value, the tag in its highest byte; tuples, lists and functions add more. */
static void add_value(type_key *k, value v) {
    const uint32_t tag = (uint32_t)v.tag << 24, number = (uint32_t)V_NUM << 24;
    switch ((int)v.tag) {
        case V_BOOL: add_word(k, number | DT_BOOL); return;
        case V_INT: add_word(k, number | DT_I64); return;
        case V_FLOAT: add_word(k, number | DT_F64); return;
        case V_COMPLEX: add_word(k, number | DT_C128); return;
        case V_NUM: add_word(k, number | v.aux); return;
        case V_ARRAY: break;
        case V_TUPLE:
            add_word(k, tag | (uint32_t)v.tuple->count);
            for (size_t i = 0; i < v.tuple->count && !k->full; i++) add_value(k, v.tuple->items[i]);
            return;
        case V_LIST:
            add_word(k, tag | (v.list->count > 0));
            if (v.list->count && !k->full) add_value(k, v.list->items[0]);
            return;
        case V_FUNC:
            add_word(k, tag);
            add_word(k, (uint32_t)(uintptr_t)v.func);
            add_word(k, (uint32_t)((uint64_t)(uintptr_t)v.func >> 32));
            return;
        default: add_word(k, tag); return;
    }
    const gpa_arr *a = v.array->arr;
    if (v.aux) {
        add_word(k, number | a->dtype);
        return;
    }
    uint32_t layout = arr_is_contiguous(a) ? 0 : arr_is_f_contiguous(a) ? 1 : 2;
    add_word(k,
             tag | (uint32_t)a->dtype << 16 | (uint32_t)a->ndim << 8 | layout << 1 | a->readonly);
}

static bool same_key(const call_type *t, const type_key *k) {
    return t->n_key == k->n && memcmp(t->key, k->at, k->n * sizeof *k->at) == 0;
}

static gpa_code types_of_parameters(gpa_vm *vm, const code *c, const value *regs, value *out) {
    *out = v_tuple(vm, c->n_params, NULL);
    gpa_code rc = out->tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
    for (uint32_t i = 0; i < c->n_params && !rc; i++)
        rc = type_of_value(vm, value_underlying(regs[i]), &out->tuple->items[i]);
    return rc;
}

static gpa_code add(gpa_vm *vm, code *c, const value *regs, const type_key *k) {
    typed_calls *t = c->calls;
    if (!mem_grow(&t->at, t->n, &t->cap, sizeof *t->at)) return vm_no_memory(vm);
    call_type one = {
        .key = mem_new((k->n + 1) * sizeof *one.key), .n_key = k->n, .result = v_none()};
    gpa_code rc = one.key ? types_of_parameters(vm, c, regs, &one.args) : vm_no_memory(vm);
    if (rc) {
        mem_free(one.key);
        value_release(vm, one.args);
        return rc;
    }
    memcpy(one.key, k->at, k->n * sizeof *k->at);
    t->current = t->n;
    t->at[t->n++] = one;
    return GPA_OK;
}

gpa_code call_types_enter(gpa_vm *vm, code *c, const value *regs) {
    type_key k = {.n = 0};
    if (!c->calls && !(c->calls = mem_zero(sizeof *c->calls))) return vm_no_memory(vm);
    for (uint32_t i = 0; i < c->n_params && !k.full; i++) add_value(&k, value_underlying(regs[i]));
    if (k.full) return GPA_OK;
    typed_calls *t = c->calls;
    if (t->current < t->n && same_key(&t->at[t->current], &k)) return GPA_OK;
    for (t->current = 0; t->current < t->n; t->current++)
        if (same_key(&t->at[t->current], &k)) return GPA_OK;
    return add(vm, c, regs, &k);
}

/* Type of a variable in the loop that ran last, in program order; DT_NONE: unknown. */
static typed_ty type_in_loops(const code *c, uint32_t i) {
    typed_ty t = {.dtype = DT_NONE};
    for (uint32_t k = 0; k < c->n_lifts && t.dtype == DT_NONE; k++)
        if (c->lifts[k]->compiled) t = c->lifts[k]->compiled->types[i];
    return t;
}

static gpa_code record_variables(gpa_vm *vm, const code *c, call_type *t, const value *regs) {
    if (t->variables) return GPA_OK;
    t->variables = mem_zero((c->n_vars + 1u) * sizeof *t->variables);
    if (!t->variables) return vm_no_memory(vm);
    gpa_code rc = GPA_OK;
    for (uint32_t i = 0; i < c->n_vars; i++) t->variables[i] = v_unset();
    for (uint32_t i = 0; i < c->n_vars && !rc; i++) {
        typed_ty in_loop = type_in_loops(c, i);
        if (regs[i].tag != V_UNSET && regs[i].tag != V_CELL)
            rc = type_of_value(vm, value_underlying(regs[i]), &t->variables[i]);
        else if (in_loop.dtype != DT_NONE)
            rc = native_return(type_of_typed(vm, in_loop), &t->variables[i]);
    }
    return rc;
}

/* The result type joined with that of another result; owned by `to`. */
static gpa_code join_result(gpa_vm *vm, value *to, value result) {
    type_key k = {.n = 0};
    gpa_dtype known = typed_scalar_dtype(*to);
    value type;
    add_value(&k, result);
    bool scalar = k.at[0] >> 24 == V_NUM;
    if (known == DT_NONE || !scalar || (k.at[0] & 0xff) == known) return GPA_OK;
    gpa_code rc = type_of_value(vm, result, &type);
    if (rc) return rc;
    value joined = type_unify(vm, *to, type);
    value_release(vm, type);
    if (joined.tag == V_UNSET) return GPA_E_MEMORY;
    value_release(vm, *to);
    *to = joined;
    return GPA_OK;
}

gpa_code call_types_leave(gpa_vm *vm, code *c, const value *regs, value result) {
    typed_calls *t = c->calls;
    if (!t || t->current >= t->n) return GPA_OK;
    call_type *now = &t->at[t->current];
    result = value_underlying(result);
    if (now->result.tag != V_NONE) return join_result(vm, &now->result, result);
    gpa_code rc = record_variables(vm, c, now, regs);
    return rc ? rc : type_of_value(vm, result, &now->result);
}

void call_types_free(gpa_vm *vm, typed_calls *t, uint32_t n_variables) {
    for (size_t i = 0; t && i < t->n; i++) {
        mem_free(t->at[i].key);
        value_release(vm, t->at[i].args);
        value_release(vm, t->at[i].result);
        for (uint32_t k = 0; t->at[i].variables && k < n_variables; k++)
            value_release(vm, t->at[i].variables[k]);
        mem_free(t->at[i].variables);
    }
    if (t) mem_free(t->at);
    mem_free(t);
}
