/* Launching: from needed values to finished steps. */
#ifndef GPA_EXEC_EXEC_H
#define GPA_EXEC_EXEC_H

#include "runtime/exec/device.h"
#include "runtime/exec/rt.h"
#include "runtime/plan/fuse.h"

/* Memory for an array of this shape, with one owner. When it is short: launches what is pending,
 * empties the pool, tries again; then a MemoryError in NumPy's words with what is live and the
 * largest names. */
gpa_code exec_alloc(gpa_rt *rt, gpa_dtype t, int ndim, const int64_t *shape, gpa_buf **out,
                    gpa_err *e);
/* Computes nodes, fused as far as they go; each becomes a leaf, and a pending storage of it gets
 * memory. Does not wait. */
gpa_code exec_nodes(gpa_rt *rt, node *const *n, size_t count, gpa_cut why, gpa_err *e);
/* Computes pending storages together; those that are computed already are passed over. */
gpa_code exec_storages(gpa_rt *rt, gpa_storage *const *s, size_t count, gpa_cut why, gpa_err *e);
/* Computes all pending arrays that are still referenced. What fails is reported once and then left
 * pending: an array that cannot be computed does not stand in the way of all that follows. */
gpa_code exec_pending(gpa_rt *rt, gpa_cut why, gpa_err *e);
/* Runs one store (root->into is set) after, or in one program with, the computation of the pending
 * storages given. *hazard (then the store did not happen): an operand overlaps the target and must
 * be computed first. */
gpa_code exec_store(gpa_rt *rt, const fuse_root *root, gpa_storage *const *also, size_t n_also,
                    bool *hazard, gpa_err *e);
/* Where a launch of f that may fault (`raises`) or only be stopped reports, until
 * exec_report_faults; owned by the runtime. */
gpa_code exec_add_fault_record(gpa_rt *rt, gpa_device *d, const kir_func *f, bool raises,
                               kir_fault_record **out, gpa_err *e);
/* Whether an interrupt can end f on the device before it is done, which is known only later. */
bool exec_may_stop(const gpa_device *d, const kir_func *f);
/* How many launches wait to be asked about; and whether one of them may have raised an error, not
 * only been stopped. */
size_t exec_unsettled(const gpa_rt *rt);
bool exec_may_raise(const gpa_rt *rt);
/* Whether a plan is being run: no other one can be begun. */
bool exec_is_busy(const gpa_rt *rt);
/* After sync or download, with their result: reports the first fault of the device's programs (a
 * bad index), at the place that wrote it. If the wait was broken off, what they compute is given
 * up. The result is that of the wait, or the fault's. */
gpa_code exec_report_faults(gpa_rt *rt, gpa_device *d, gpa_code waited, gpa_err *e);
/* Waits for the device's queued work and reports its first failure or fault. Costs nothing if
 * nothing was launched since the last wait. */
gpa_code exec_wait(gpa_rt *rt, gpa_device *d, gpa_err *e);
/* True if exec_wait would have nothing to do. */
static inline bool exec_is_idle(const gpa_rt *rt, const gpa_device *d) {
    return d->idle_since == rt->stats.launches + rt->stats.lib_calls + 1;
}
/* Frees the scratch memory of execution. */
void exec_free(gpa_rt *rt);

#endif
