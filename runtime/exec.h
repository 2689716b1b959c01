/* Launching: from needed nodes to finished steps. */
#ifndef GPA_EXEC_H
#define GPA_EXEC_H

#include "runtime/array.h"

/* Memory for size elements, with one owner. When it is short: launches what is pending, empties the pool, tries again; then a
 * MemoryError in NumPy's words with what is live and the largest names. */
gpa_code exec_alloc(gpa_rt *rt, gpa_dtype t, int ndim, const int64_t *shape, gpa_buf **out, gpa_err *e);
/* Computes nodes, fused as far as they go; each becomes a leaf, and its pending storages get memory. Does not wait. */
gpa_code exec_nodes(gpa_rt *rt, node *const *n, size_t count, gpa_cut why, gpa_err *e);
/* Computes all pending arrays that are still referenced. */
gpa_code exec_pending(gpa_rt *rt, gpa_cut why, gpa_err *e);
/* Reports the first fault of launched programs (a bad index), at the place that wrote it. Call after sync or download. */
gpa_code exec_faults(gpa_rt *rt, gpa_err *e);

#endif
