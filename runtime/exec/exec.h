/* Plan execution: from needed values to queued launches. */
#ifndef GPA_EXEC_EXEC_H
#define GPA_EXEC_EXEC_H

#include "runtime/exec/captured.h"
#include "runtime/exec/device.h"
#include "runtime/exec/rt.h"
#include "runtime/plan/fuse.h"

/* Allocates memory for an array of this shape, with one owner. If memory is short: flushes
 * pending work, trims the pool and tries again; then MemoryError in NumPy's words, with memory
 * use and the largest named arrays. */
gpa_code exec_alloc(gpa_rt *rt, const arr_spec *x, gpa_buf **out, gpa_err *e);
/* MemoryError in the same words if an array of this shape exceeds the whole memory of the default
 * device. For lazy results whose deferred errors alone take as long as computing them. */
gpa_code exec_check_capacity(gpa_rt *rt, const arr_spec *x, gpa_err *e);
/* Computes nodes, fused where possible; each becomes a leaf, and a pending storage with its
 * value becomes computed. Does not wait. */
gpa_code exec_nodes(gpa_rt *rt, node *const *n, size_t count, gpa_cut why, gpa_err *e);
/* Computes pending storages together; skips computed ones. */
gpa_code exec_storages(gpa_rt *rt, gpa_storage *const *s, size_t count, gpa_cut why, gpa_err *e);
/* Computes all pending storages. One that fails is reported once and then stays pending, marked
 * `failed`, so that it does not block later work. */
gpa_code exec_pending(gpa_rt *rt, gpa_cut why, gpa_err *e);
/* Runs a store (root->into is set) after the computation of the given pending storages, or fused
 * with it into one program. *hazard: the store did not run, because an operand overlaps the target
 * and must first be computed into a temporary. */
gpa_code exec_store(gpa_rt *rt, const fuse_root *root, gpa_storage *const *also, size_t n_also,
                    bool *hazard, gpa_err *e);
/* *out: the captured program (captured.h) of a reduction `what` of operands, or NULL. *qualifies:
 * the operands qualify, the device's memory is visible to the host, and neither %explain nor a
 * profile records; without a program the caller then makes the reduction's node and gives it to
 * exec_capture_reduction, which computes it. */
gpa_code exec_find_captured(gpa_rt *rt, uint32_t what, const captured_operands *x,
                            const captured_program **out, bool *qualifies, gpa_err *e);
gpa_code exec_capture_reduction(gpa_rt *rt, uint32_t what, const captured_operands *x, node *n,
                                gpa_err *e);
/* Adds the fault record of a launch of f that may fault (`raises`), or only be interrupted; valid
 * until exec_report_faults, owned by the runtime. */
gpa_code exec_add_fault_record(gpa_rt *rt, gpa_device *d, const kir_func *f, bool raises,
                               kir_fault_record **out, gpa_err *e);
/* True if an interrupt may stop f on the device midway; whether it did is known only after a wait.
 */
bool exec_may_stop(const gpa_device *d, const kir_func *f);
/* The number of launches with unsettled fault records; and true if one of them may hold an
 * error, not only an interrupt. */
size_t exec_unsettled(const gpa_rt *rt);
bool exec_may_raise(const gpa_rt *rt);
/* True while a plan is being run: plans do not nest. */
bool exec_is_busy(const gpa_rt *rt);
/* After a wait (sync, download) with result `waited`: settles the device's fault records and
 * reports the first fault at its source location. After an interrupted wait the results of these
 * launches are given up. Returns `waited` if that is an error, else the fault's code. */
gpa_code exec_report_faults(gpa_rt *rt, gpa_device *d, gpa_code waited, gpa_err *e);
/* Waits for the device's queued work and reports its first failure or fault. Costs nothing if
 * nothing was launched since the last wait. */
gpa_code exec_wait(gpa_rt *rt, gpa_device *d, gpa_err *e);
/* The same, for host work that is logged: exec_wait makes the loop that is being recorded one that
 * is not replayed (loop_log.h). */
gpa_code exec_wait_launched(gpa_rt *rt, gpa_device *d, gpa_err *e);
/* True if exec_wait would have nothing to do. */
static inline bool exec_is_idle(const gpa_rt *rt, const gpa_device *d) {
    return d->idle_since == rt->stats.launches + rt->stats.lib_calls + 1;
}
/* Frees the scratch memory of execution. */
void exec_free(gpa_rt *rt);

#endif
