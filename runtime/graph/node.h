/* The lazy computation graph: immutable, reference-counted, hash-consed nodes.
 *
 * A node is a value with a dtype and a shape that is not computed yet, or a leaf that exists in
 * memory. Equal nodes are one node: a weak table performs common-subexpression elimination.
 * (Integral scalars are not interned: a loop counter that happens to equal a constant must not make
 * another program.) Nodes retain their inputs; storages (storage.h) retain nodes. When a node is
 * computed it becomes a leaf on its buffer in place and releases its inputs.
 *
 * The inputs of an operation have its shape (broadcast by node_broadcast), except SCALAR nodes,
 * which have no shape and fit any, and the inputs of CONCAT. Constructors borrow their inputs and
 * return an owned node. They compute nothing; arr_of_node cuts a graph that grows too deep by
 * computing inputs first. */
#ifndef GPA_GRAPH_NODE_H
#define GPA_GRAPH_NODE_H

#include "runtime/ir/body.h"
#include "runtime/graph/buf.h"
#include "runtime/graph/shape.h"
#include "runtime/runtime.h"

struct gpa_storage;

typedef enum {
#define NODE(id, name, doc) NODE_##id,
#include "runtime/graph/node.def"
#undef NODE
    NODE_KINDS
} node_kind;

typedef struct node {
    int32_t refs;
    uint8_t kind; /* node_kind */
    uint8_t dtype;
    uint8_t ndim;
    uint8_t n_in;
    uint16_t sub;    /* row of the kind's table; GATHER: 1: known in bounds; CONCAT: dimension */
    uint16_t height; /* longest path to a leaf */
    gpa_axes axes;   /* REDUCE: the reduced dimensions of in[0]; the result has the others */
    uint32_t mark;   /* scratch: number of the last traversal that visited it */
    int32_t slot;    /* scratch: its index in that traversal's table */
    int64_t size;    /* elements */
    uint64_t hash;
    struct node *chain; /* next in its hash chain, or free list */
    struct gpa_storage
        *owner;     /* the first pending storage with this value (not retained); NULL: none */
    gpa_buf *buf;   /* BUF: counted as a reader */
    gpa_body *body; /* BODY; retained */
    gpa_val v;      /* SCALAR */
    gpa_span span;  /* source location */
    struct node **in;
    int64_t *shape; /* ndim */
    /* BUF, IOTA: strides[ndim], offset.
     * VIEW: start[k], then step[k][ndim]: coordinate k of in[0] is start[k] + sum over d of
     * step[k][d] * o[d]. GATHER: for each dimension k of in[0], -1: value of the next input; else
     * the output dimension it follows. */
    int64_t *map;
    uint16_t map_len;
    uint8_t size_class; /* of its slots, for the free lists */
    bool unchecked; /* GATHER: deferred bounds check: no program has checked all its indices yet */
    /* GATHER: a check that may have been this one's failed: a new use checks again. CONCAT: pending
     * at the end of a loop iteration */
    bool suspect;
} node;

static inline node *node_retain(node *n) {
    n->refs++;
    return n;
}
void node_release(gpa_rt *rt, node *n); /* NULL is ignored */

/* Leaves. */
gpa_code node_buf(gpa_rt *rt, gpa_buf *b, gpa_dtype t, const shape_layout *l, node **out,
                  gpa_err *e);
gpa_code node_iota(gpa_rt *rt, const shape_layout *l, node **out, gpa_err *e);
gpa_code node_scalar(gpa_rt *rt, gpa_dtype t, gpa_val v, node **out, gpa_err *e);

/* One operation; inputs have the type op_types calls `compute` (SELECT: in[0] bool); `result` is
 * the node's dtype. */
gpa_code node_op(gpa_rt *rt, gpa_op op, gpa_dtype result, node *const *in, node **out, gpa_err *e);
/* The same, with the result type that op_types gives for the dtype of the last operand. */
gpa_code node_op1(gpa_rt *rt, gpa_op op, node *a, node **out, gpa_err *e);
gpa_code node_op2(gpa_rt *rt, gpa_op op, node *a, node *b, node **out, gpa_err *e);
/* A conversion; a itself where it has the type. A cast of a SCALAR is folded. */
gpa_code node_cast(gpa_rt *rt, node *a, gpa_dtype to, node **out, gpa_err *e);

/* A result of a compiled function; the inputs have the dtypes of its parameters. */
gpa_code node_body(gpa_rt *rt, gpa_body *body, int which, node *const *in, node **out, gpa_err *e);

/* The operation of an elementwise node on other inputs, of its inputs' dtypes. */
gpa_code node_like(gpa_rt *rt, const node *a, node *const *in, node **out, gpa_err *e);

/* An affine index map of a node a with n dimensions, to a result of this shape: coordinate k of a
 * is start[k] + sum over d of step[k][d] * o[d]. */
typedef struct {
    int ndim;
    const int64_t *shape;
    const int64_t *start, *step; /* n; n * ndim, row by row */
} node_map;

/* A view: a under an index map. Maps of views compose; a view of a leaf is a leaf. */
gpa_code node_view(gpa_rt *rt, node *a, const node_map *m, node **out, gpa_err *e);
gpa_code node_broadcast(gpa_rt *rt, node *a, int ndim, const int64_t *shape, node **out,
                        gpa_err *e);

enum { CONCAT_MAX_INPUTS = 16 };

/* Concatenation along a dimension of 2 to CONCAT_MAX_INPUTS nodes, none of them empty, whose other
 * extents and dtypes agree. Nodes of no dimensions (SCALAR) must be broadcast before. */
gpa_code node_concat(gpa_rt *rt, node *const *in, int n, int axis, node **out, gpa_err *e);

/* The indices of a gather from a node a, with a result of this shape. For dimension k of a:
 * index[k] is an int64 node of the result's shape (wrapped once when negative, bounds-checked when
 * the program runs), or NULL and from[k] is the dimension of the result whose coordinate it takes
 * (extents must agree). in_bounds: no index is negative or out of bounds, and none is checked. */
typedef struct {
    node *const *index;
    const int8_t *from;
    int ndim;
    const int64_t *shape;
    bool in_bounds;
} gather_map;

/* Gather: elements of `a` (a BUF or IOTA leaf) at computed indices. `unchecked` unless in_bounds.
 */
gpa_code node_gather(gpa_rt *rt, node *a, const gather_map *m, node **out, gpa_err *e);

/* Clears `unchecked`: the indices are known to be in bounds, or a launched program checks them. */
void node_bounds_checked(gpa_rt *rt, node *n);

/* A reduction drops the axes. The accumulator has a's dtype (any, all: cast to bool first). argmin
 * and argmax give int64 indices in C order of the reduced axes. */
gpa_code node_reduce(gpa_rt *rt, gpa_red red, node *a, gpa_axes axes, node **out, gpa_err *e);
/* Inclusive prefix reduction along the last dimension. */
gpa_code node_scan(gpa_rt *rt, gpa_red red, node *a, node **out, gpa_err *e);

/* The matrix product of two leaves (stacks of matrices) that a library computes when it is needed,
 * before any plan: fusion never sees one. `precision`: a gpa_precision. */
typedef struct {
    node *a, *b;
    gpa_dtype dtype;
    int precision, ndim;
    const int64_t *shape;
} node_factors;
gpa_code node_product(gpa_rt *rt, const node_factors *f, node **out, gpa_err *e);

/* n was computed into b, in C order: it becomes a leaf for all that hold it. */
void node_materialize(gpa_rt *rt, node *n, gpa_buf *b);
/* Frees the table and the free lists; no node may be alive. */
void node_free_all(gpa_rt *rt);

bool node_is_leaf(const node *n); /* BUF, IOTA or SCALAR: nothing to compute */
/* Each element depends on the same element of the inputs only. */
static inline bool node_is_elementwise(const node *n) {
    return n->kind >= NODE_OP && n->kind <= NODE_BODY;
}
/* A BUF, contiguous in C order. */
bool node_is_contiguous(const node *n);

#endif
