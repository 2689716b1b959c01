/* Interrupting kernels. A launch that polls has a flag, that of its fault slot (device.h), in
 * mapped memory: setting it is a store, which no queue and no lock of the driver delays. */
#ifndef GPA_CUDA_DRIVER_INTERRUPT_H
#define GPA_CUDA_DRIVER_INTERRUPT_H

#include "runtime/cuda/driver/device.h"

/* Requests that every launch, including future ones, ends; `on` false withdraws the request for
 * future launches. From any thread or a signal handler; withdrawing from the launching thread. */
void interrupt_request(gpa_dev *d, bool on);
/* True while a request is pending. */
static inline bool interrupt_requested(const gpa_dev *d) {
    return __atomic_load_n(&d->is_requested, __ATOMIC_SEQ_CST);
}
/* Publishes the flags; withdraws them before their memory is freed. */
void interrupt_open(gpa_dev *d);
void interrupt_close(gpa_dev *d);
/* All launches are done: clears their flags. */
void interrupt_settled(gpa_dev *d);

#endif
