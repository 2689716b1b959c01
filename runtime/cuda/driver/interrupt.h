/* Interrupts of running kernels. A launch that polls has an interrupt flag, that of its fault slot
 * (device.h), in mapped memory: setting it is a plain store, which is not delayed by the queue or a
 * lock of the driver. */
#ifndef GPA_CUDA_DRIVER_INTERRUPT_H
#define GPA_CUDA_DRIVER_INTERRUPT_H

#include "runtime/cuda/driver/device.h"

/* Requests that every launch, including future ones, ends; with `on` false withdraws the request
 * for future launches. Callable from any thread or a signal handler; withdrawing only from the
 * launching thread. */
void interrupt_request(gpa_dev *d, bool on);
/* True while a request is pending. */
static inline bool interrupt_requested(const gpa_dev *d) {
    return __atomic_load_n(&d->is_requested, __ATOMIC_SEQ_CST);
}
/* Publishes the flags; withdraws them before their memory is freed. */
void interrupt_open(gpa_dev *d);
void interrupt_close(gpa_dev *d);
/* Clears the flags of all launches, which must be done. */
void interrupt_settled(gpa_dev *d);

#endif
