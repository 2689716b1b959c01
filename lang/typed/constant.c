/* Compile-time shapes of shared and local arrays.
 *
 * Global and captured variables in a shape are frozen (literal specialization): another value
 * compiles the function again. */
#include "lang/typed/all.h"
#include "lang/typed/lower.h"

static gpa_code not_constant(lowering *lw, const ast_node *n) {
    return typed_fail(lw, n, GPA_E_TYPE,
                      "the shape of an array in shared or local memory is a literal, or a global "
                      "integer or tuple of integers");
}

static gpa_code of_value(lowering *lw, const ast_node *n, value v, int most, int *ndim,
                         int64_t *size) {
    bool tuple = v.tag == V_TUPLE;
    size_t count = tuple ? v.tuple->count : 1;
    if (*ndim + (int)count > most)
        return typed_fail(lw, n, GPA_E_VALUE, "an array has at most %d dimensions here", most);
    for (size_t i = 0; i < count; i++) {
        value one = tuple ? v.tuple->items[i] : v;
        if (one.tag != V_INT) return not_constant(lw, n);
        size[(*ndim)++] = one.i;
    }
    return GPA_OK;
}

static gpa_code add(lowering *lw, const ast_node *n, int most, int *ndim, int64_t *size);

static gpa_code one(lowering *lw, const ast_node *n, int64_t *out) {
    int ndim = 0;
    gpa_code rc = add(lw, n, 1, &ndim, out);
    return rc;
}

static gpa_code arithmetic(lowering *lw, const ast_node *n, int64_t *out) {
    int64_t a, b;
    gpa_code rc = one(lw, n->binary.left, &a);
    if (!rc) rc = one(lw, n->binary.right, &b);
    if (rc) return rc;
    bool over = false;
    switch ((int)n->binary.op) {
        case AST_OP_ADD: over = __builtin_add_overflow(a, b, out); break;
        case AST_OP_SUB: over = __builtin_sub_overflow(a, b, out); break;
        case AST_OP_MUL: over = __builtin_mul_overflow(a, b, out); break;
        case AST_OP_FLOORDIV:
            if (a < 0 || b <= 0) return not_constant(lw, n);
            *out = a / b;
            break;
        case AST_OP_MOD:
            if (a < 0 || b <= 0) return not_constant(lw, n);
            *out = a % b;
            break;
        default: return not_constant(lw, n);
    }
    return over ? typed_fail(lw, n, GPA_E_OVERFLOW, "Python int too large to convert to C long")
                : GPA_OK;
}

static gpa_code add(lowering *lw, const ast_node *n, int most, int *ndim, int64_t *size) {
    gpa_code rc = GPA_OK;
    value v;
    tv t;
    if (n->kind == AST_TUPLE || n->kind == AST_LIST) {
        const ast_list *items = n->kind == AST_TUPLE ? &n->tuple.items : &n->list.items;
        for (uint32_t i = 0; i < items->n && !rc; i++) rc = add(lw, items->at[i], most, ndim, size);
        return rc;
    }
    if (n->kind == AST_NAME && n->name.storage.kind != AST_IN_SLOT &&
        n->name.storage.kind != AST_IN_CELL) {
        rc = typed_frozen(lw, n, &v);
        return rc ? rc : of_value(lw, n, v, most, ndim, size);
    }
    if (*ndim == most)
        return typed_fail(lw, n, GPA_E_VALUE, "an array has at most %d dimensions here", most);
    if (n->kind == AST_BINARY) return arithmetic(lw, n, &size[(*ndim)++]);
    if ((rc = typed_expr(lw, n, &t))) return rc;
    if (t.kind != TV_NUMBER || !t.literal) return not_constant(lw, n);
    size[(*ndim)++] = t.i;
    return GPA_OK;
}

gpa_code typed_sizes(lowering *lw, const ast_node *n, int most, int *ndim, int64_t *size) {
    *ndim = 0;
    return add(lw, n, most, ndim, size);
}
