/* The lazy graph: immutable, counted, hash-consed nodes.
 *
 * A node is a value of some dtype and shape that was asked for and not yet computed, or a leaf that
 * exists. Equal nodes are the same node (a weak table; whole-valued numbers are left apart, so that
 * a loop counter that happens to equal a constant does not make another program). Nodes hold their
 * inputs; storages (array.h) hold nodes. When a node is computed it turns into a leaf on its buffer
 * in place, and lets go of its inputs.
 *
 * The inputs of an operation have its shape (broadcast by node_broadcast), except SCALAR nodes,
 * which have no shape and fit anywhere. Makers borrow their inputs and give an owned node. They
 * never compute anything; a graph that grows too high is cut by arr_of_node, which computes inputs
 * first. */
#ifndef GPA_GRAPH_NODE_H
#define GPA_GRAPH_NODE_H

#include "runtime/ir/body.h"
#include "runtime/graph/buf.h"
#include "runtime/runtime.h"

struct gpa_storage;

/* NODE(ID, name) */
#define GPA_NODES(NODE)                                                                            \
    NODE(BUF, "buffer")    /* elements of device memory, by strides and an offset */               \
    NODE(IOTA, "iota")     /* its own element offset: strides and an offset, no memory */          \
    NODE(SCALAR, "number") /* one number of the host */                                            \
    NODE(OP, "op")         /* row sub of op.def */                                                 \
    NODE(CAST, "cast")                                                                             \
    NODE(BODY, "function") /* a compiled function of the inputs, elementwise */                    \
    NODE(VIEW, "view")     /* in[0] at affine coordinates */                                       \
    NODE(GATHER, "gather") /* in[0] (a BUF) at coordinates that are values */                      \
    NODE(REDUCE, "reduce") /* row sub of reduce.def over `axes` of in[0] (in[1]: indices of an arg \
                              reduction) */                                                        \
    NODE(SCAN, "scan")     /* running row sub of reduce.def along the last dimension */
typedef enum {
#define NODE(id, name) NODE_##id,
    GPA_NODES(NODE)
#undef NODE
        NODE_KINDS
} node_kind;

typedef struct node {
    int32_t refs;
    uint8_t kind; /* node_kind */
    uint8_t dtype;
    uint8_t ndim;
    uint8_t n_in;
    uint16_t sub;    /* of its table; GATHER: 1 where it is sure */
    uint16_t height; /* longest way down to a leaf */
    uint32_t axes;   /* REDUCE: bit per reduced dimension of in[0]; the result has the others */
    uint32_t mark;   /* scratch: the traversal that was here last (rt->mark) */
    int32_t slot;    /* scratch: its place in that traversal's table */
    int64_t size;    /* elements */
    uint64_t hash;
    struct node *chain; /* the weak table */
    struct gpa_storage
        *owner;     /* the first pending storage with this value; NULL: none (not counted) */
    gpa_buf *buf;   /* BUF (a reader of it) */
    gpa_body *body; /* BODY (counted) */
    gpa_val v;      /* SCALAR */
    gpa_span span;  /* who wrote it */
    struct node **in;
    int64_t *shape; /* ndim */
    /* BUF, IOTA: strides[ndim], offset.
     * VIEW: start[k], then step[k][ndim]: coordinate k of in[0] is start[k] + sum over d of
     * step[k][d] * o[d]. GATHER: for each dimension k of in[0], -1: value of the next input; else
     * the output dimension it follows. */
    int64_t *map;
    uint16_t map_len;
    uint8_t room;   /* size class, for the free lists */
    bool unchecked; /* GATHER: no program has checked all its places yet (unused_gather.h), */
    bool suspect; /* or one that may have been this one's has found an error: who asks for it again
                     checks it again */
} node;

static inline node *node_retain(node *n) {
    n->refs++;
    return n;
}
void node_release(gpa_rt *rt, node *n); /* NULL is ignored */

/* Leaves. */
gpa_code node_buf(gpa_rt *rt, gpa_buf *b, gpa_dtype t, int ndim, const int64_t *shape,
                  const int64_t *strides, int64_t offset, node **out, gpa_err *e);
gpa_code node_iota(gpa_rt *rt, int ndim, const int64_t *shape, const int64_t *strides,
                   int64_t offset, node **out, gpa_err *e);
gpa_code node_scalar(gpa_rt *rt, gpa_dtype t, gpa_val v, node **out, gpa_err *e);

/* One operation; inputs have the type op_types calls `compute` (SELECT: in[0] bool); `result` is
 * the node's dtype. */
gpa_code node_op(gpa_rt *rt, gpa_op op, gpa_dtype result, node *const *in, node **out, gpa_err *e);
gpa_code node_op1(gpa_rt *rt, gpa_op op, node *a, node **out,
                  gpa_err *e); /* result from op_types of a's dtype */
gpa_code node_op2(gpa_rt *rt, gpa_op op, node *a, node *b, node **out,
                  gpa_err *e); /* of b's dtype */
gpa_code node_cast(gpa_rt *rt, node *a, gpa_dtype to, node **out,
                   gpa_err *e); /* the same node when nothing changes */

/* A result of a compiled function; the inputs have the dtypes of its parameters. */
gpa_code node_body(gpa_rt *rt, gpa_body *body, int which, node *const *in, node **out, gpa_err *e);

/* Index maps; they compose, and on leaves give leaves. */
gpa_code node_view(gpa_rt *rt, node *a, int ndim, const int64_t *shape, const int64_t *start,
                   const int64_t *step, node **out, gpa_err *e);
gpa_code node_broadcast(gpa_rt *rt, node *a, int ndim, const int64_t *shape, node **out,
                        gpa_err *e);
/* The same elements in C order under another shape of the same size; *out NULL (and GPA_OK) when
 * that is no index map of a and cannot be pushed to its leaves: then a must be computed first. */
gpa_code node_reshape(gpa_rt *rt, node *a, int ndim, const int64_t *shape, node **out, gpa_err *e);

/* Elements of `a` (a BUF or IOTA leaf) at computed places. For dimension k of a: index[k] is an
 * int64 node of the given shape (wrapped once when negative, checked when the program runs), or
 * NULL and from[k] is the dimension of the result whose coordinate it takes (extents must agree).
 * `sure`: no index is negative or outside, and none is checked; else it is `unchecked`. */
gpa_code node_gather(gpa_rt *rt, node *a, node *const *index, const int8_t *from, int ndim,
                     const int64_t *shape, bool sure, node **out, gpa_err *e);

/* The places of a gather are known to be within bounds, or a program that was launched checks them.
 */
void node_bounds_checked(gpa_rt *rt, node *n);

/* Reductions drop the axes. The accumulator has a's dtype (any, all: cast to bool first). An arg
 * one gives int64 places in C order of the reduced axes. */
gpa_code node_reduce(gpa_rt *rt, gpa_red red, node *a, uint32_t axes, node **out, gpa_err *e);
gpa_code node_scan(gpa_rt *rt, gpa_red red, node *a, node **out,
                   gpa_err *e); /* along the last dimension */

/* n was computed into b, in C order: it becomes a leaf, whoever holds it. */
void node_materialize(gpa_rt *rt, node *n, gpa_buf *b);
/* Frees the table and the free lists, when no node is left. */
void node_free_all(gpa_rt *rt);

bool node_is_leaf(const node *n); /* nothing to compute */
/* Each element follows from the same element of the inputs. */
static inline bool node_is_elementwise(const node *n) {
    return n->kind >= NODE_OP && n->kind <= NODE_BODY;
}
/* A BUF, contiguous in C order. */
bool node_is_contiguous(const node *n);

#endif
