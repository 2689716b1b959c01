/* The context of a device: what is made when it opens, and again when it starts afresh after a
 * fault. */
#ifndef GPA_CUDA_DRIVER_CONTEXT_H
#define GPA_CUDA_DRIVER_CONTEXT_H

#include "runtime/cuda/driver/device.h"

/* The driver, initialised; NULL, with the reason, where there is none. */
const cu_driver *context_driver(char *why, size_t n);
/* Fills a device whose driver and number are set; on failure context_close takes back what was
 * made. */
gpa_code context_open(gpa_dev *d, gpa_err *e);
void context_close(gpa_dev *d);
/* Whether the context has failed - every call fails, and its memory is lost - or is stuck. */
bool context_is_broken(gpa_dev *d);
/* A new context in the place of a failed one, or beside one that a program holds. GPA_E_DEVICE when
 * the driver does not give this process another one. */
gpa_code context_restart(gpa_dev *d, gpa_err *e);
/* Whether what was made in a life of the device can still be taken apart: not behind a program that
 * does not end. Else it is left. */
static inline bool context_serves(const gpa_dev *d, unsigned life) {
    return life == d->generation && !d->stuck;
}
/* Calls of the driver on this thread are about this device from now on. Quick: 20 ns. */
static inline void context_enter(gpa_dev *d) { d->cu->context_set(d->context); }

#endif
