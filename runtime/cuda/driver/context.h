/* The context of a device: created when it opens, and again after a fault. */
#ifndef GPA_CUDA_DRIVER_CONTEXT_H
#define GPA_CUDA_DRIVER_CONTEXT_H

#include "runtime/cuda/driver/device.h"

/* The initialized driver; NULL, with the reason, if there is none. */
const cu_driver *context_driver(char *why, size_t n);
/* Opens a device whose driver, hooks and number are set; after a failure context_close frees what
 * was allocated. */
gpa_code context_open(gpa_dev *d, gpa_err *e);
void context_close(gpa_dev *d);
/* True if the context has failed (every call fails, and its memory is lost) or is stuck. */
bool context_is_broken(gpa_dev *d);
/* Replaces a failed context, or one that a program keeps busy. GPA_E_DEVICE if the driver refuses.
 */
gpa_code context_restart(gpa_dev *d, gpa_err *e);
/* True if objects of a generation of the device can still be freed. They are leaked while a program
 * keeps the context busy. */
static inline bool context_serves(const gpa_dev *d, unsigned generation) {
    return generation == d->generation && !d->stuck;
}
/* Makes the device current for this thread. Takes 20 ns. */
static inline void context_enter(gpa_dev *d) { d->cu->context_set(d->context); }

#endif
