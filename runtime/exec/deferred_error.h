/* Deferred errors: faults of launched programs, which are known only after a wait for the device.
 *
 * A program reports a fault (an index out of bounds, an assertion, a race) into a record of its
 * launch while it runs; the host reads the record after a wait. Until then the memory that the
 * launch wrote, and everything computed from it, depends on that record: its errors are "deferred".
 * If the launch did fault, every read of such memory fails with the error of the fault, as often as
 * it is read.
 *
 * A record is allocated before its launch, and settling it allocates nothing, so no fault is lost
 * when memory is short. Records are queued in launch order. A record retains the records that its
 * launch depends on; these come earlier in the queue and are settled first, so each record is
 * settled once, in constant time per dependency, without a graph traversal. */
#ifndef GPA_EXEC_DEFERRED_ERROR_H
#define GPA_EXEC_DEFERRED_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/err.h"
#include "runtime/ir/kir.h"

struct gpa_device;

/* The record of one launch, reference-counted. */
typedef struct deferred_error deferred_error;

/* Unsettled records of all devices, in launch order; the queue owns a reference to each. */
typedef struct {
    deferred_error *first, *last;
    size_t n;         /* records */
    size_t n_raising; /* of those, the ones that may hold an error, not only an interrupt */
} deferred_queue;

/* A launch whose outcome is deferred. */
typedef struct {
    struct gpa_device *device;
    const kir_func *f;                   /* NULL: it cannot fault, but depends on several records */
    bool raises;                         /* the program may fault; false: it may only be stopped */
    deferred_error *const *dependencies; /* unsettled records that its operands depend on */
    size_t n_dependencies;
} deferred_launch;

/* Appends the record of a launch, which retains its dependencies. *out is borrowed from the queue.
 * GPA_E_MEMORY: nothing was appended. */
gpa_code deferred_push(deferred_queue *q, const deferred_launch *l, deferred_error **out,
                       gpa_err *e);
/* Where the program reports; valid until the record is settled. */
kir_fault_record *deferred_record(deferred_error *x);

deferred_error *deferred_retain(deferred_error *x); /* NULL stays NULL */
void deferred_release(deferred_error *x);           /* NULL is ignored */

/* Settles the records of a device (NULL: of every device), which has finished their launches.
 * `gave_up`: the wait was interrupted, so that their results are invalid. Fails with the first
 * error in launch order; a launch that was stopped counts as one unless the interrupt was
 * `answered` already. */
gpa_code deferred_settle(deferred_queue *q, const struct gpa_device *d, bool gave_up, bool answered,
                         gpa_err *e);

/* True if the launch is unsettled or has failed; false: what depends on it is a valid value. NULL
 * is a valid value. */
bool deferred_is_open(const deferred_error *x);
/* The error of the launch, or of the one it depends on, at its source location; GPA_OK while
 * none is known. */
gpa_code deferred_check(const deferred_error *x, gpa_err *e);

#endif
