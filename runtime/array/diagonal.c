/* Pattern matching on pending nodes: where(i == j, x, 0), a cast of i == j, and casts,
 * negations, transposes and finite multiples of diagonal matrices. Elements off the diagonal are
 * exact zeros, which a product with an infinity would not be. */
#include "runtime/array/diagonal.h"

#include <math.h>

enum { MAX_DEPTH = 8 };

/* The input of a cast to an integer dtype that holds all indices. */
static const node *without_index_cast(const node *n) {
    bool holds = n->kind == NODE_CAST && n->ndim == 2 && dtype_is_int((gpa_dtype)n->dtype) &&
                 dtype_size((gpa_dtype)n->dtype) >= 4;
    return holds && n->shape[0] <= INT32_MAX && n->shape[1] <= INT32_MAX ? n->in[0] : n;
}

/* True if one node is the row index and the other the column index, from the same start. */
static bool is_row_and_column(const node *i, const node *j) {
    if (i->kind != NODE_IOTA || j->kind != NODE_IOTA || i->ndim != 2 || j->ndim != 2) return false;
    if (!i->map[0]) return j->map[0] && is_row_and_column(j, i);
    return !i->map[1] && !j->map[0] && i->map[0] == j->map[1] && i->map[2] == j->map[2];
}

static bool is_zero(const node *n) {
    return n->kind == NODE_SCALAR && !n->v.bits[0] && !n->v.bits[1];
}

/* True for finite float scalars and for integers. */
static bool is_finite_number(const node *n) {
    if (n->kind != NODE_SCALAR) return false;
    return n->dtype == DT_F64   ? isfinite(n->v.F64)
           : n->dtype == DT_F32 ? isfinite(n->v.F32)
                                : dtype_is_int((gpa_dtype)n->dtype);
}

static bool is_transpose(const node *n) {
    const int64_t *start = n->map, *step = n->map + 2;
    return n->ndim == 2 && n->in[0]->ndim == 2 && !start[0] && !start[1] && !step[0] &&
           step[1] == 1 && step[2] == 1 && !step[3];
}

static bool is_diagonal(const node *n, int depth) {
    if (depth == MAX_DEPTH || n->ndim != 2) return false;
    if (n->kind == NODE_VIEW) return is_transpose(n) && is_diagonal(n->in[0], depth + 1);
    if (n->kind == NODE_CAST) return is_diagonal(n->in[0], depth + 1);
    if (n->kind != NODE_OP) return false;
    switch (n->sub) {
        case OP_EQUAL:
            return is_row_and_column(without_index_cast(n->in[0]), without_index_cast(n->in[1]));
        case OP_WHERE:
            return is_diagonal(n->in[0], depth + 1) && n->in[0]->dtype == DT_BOOL &&
                   is_zero(n->in[2]);
        case OP_NEGATIVE: return is_diagonal(n->in[0], depth + 1);
        case OP_MULTIPLY:
            return (is_finite_number(n->in[0]) && is_diagonal(n->in[1], depth + 1)) ||
                   (is_finite_number(n->in[1]) && is_diagonal(n->in[0], depth + 1));
    }
    return false;
}

gpa_code diagonal_of(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_err *e) {
    static const int64_t start[2] = {0, 0}, step[2] = {1, 1};
    node *n = NULL, *line = NULL;
    gpa_code rc = GPA_OK;
    *out = NULL;
    if (a->ndim != 2 || a->shape[0] != a->shape[1] || !a->size || !a->storage->node) return GPA_OK;
    TRY(arr_node(rt, a, &n, e));
    if (!is_diagonal(n, 0)) goto out;
    TRY(node_view(rt, n, &(node_map){1, a->shape, start, step}, &line, e));
    TRY(arr_of_node(rt, line, out, e));
out:
    if (line) node_release(rt, line);
    if (n) node_release(rt, n);
    return rc;
}
