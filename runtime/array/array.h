/* Array handles inside runtime/: making them, and the graph nodes of their values.
 *
 * A handle (gpa_arr, runtime.h) is a strided view of a storage (exec/storage.h). Its strides and
 * offset index the storage in elements of the handle's dtype. */
#ifndef GPA_ARRAY_ARRAY_H
#define GPA_ARRAY_ARRAY_H

#include "runtime/exec/storage.h"
#include "runtime/graph/node.h"

/* A new handle on a storage (which gains a reference). base: the array it is a view of (retained),
 * NULL: none. */
gpa_code arr_handle(gpa_rt *rt, gpa_storage *s, const arr_layout *l, gpa_arr *base, gpa_arr **out,
                    gpa_err *e);
/* A new pending array with the value and shape of n; cuts graphs that grew too deep. */
gpa_code arr_of_node(gpa_rt *rt, node *n, gpa_arr **out, gpa_err *e);
/* The value of an array as a node of its shape (owned): a leaf if it is computed, else a view of
 * its storage's node by the handle's index map. Computes the storage (cut "shape") if the map is
 * not affine in the node's coordinates. */
gpa_code arr_node(gpa_rt *rt, gpa_arr *a, node **out, gpa_err *e);
/* The loop of a ufunc: an operation, the dtype it computes in and that of its result. */
typedef struct {
    gpa_op op;
    gpa_dtype compute, result;
} ufunc_loop;
/* An operand as a node of a dtype, broadcast to a shape (scalars stay SCALAR nodes). */
gpa_code opnd_node(gpa_rt *rt, const gpa_opnd *o, const arr_spec *as, node **out, gpa_err *e);
/* Computes the storage of `a` if it is pending: a->storage->buf is set afterwards. */
gpa_code arr_force(gpa_rt *rt, gpa_arr *a, gpa_cut why, gpa_err *e);
/* Truncates a computed 1-d array without views that owns its data to its first n elements. The
 * memory behind them is freed when memory is short. */
void arr_truncate(gpa_rt *rt, gpa_arr *a, int64_t n);
/* Binds a computed array of at most KIR_MAX_DIMS dimensions as an operand of a launch or library
 * call. */
void arr_bind(const gpa_arr *a, gpa_binding *b);

#endif
