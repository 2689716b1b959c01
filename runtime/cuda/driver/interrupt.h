/* Asking programs to end. A launch that watches for it has a word of its own, that of its slot
 * (program.h), in memory that host and device see: setting it is a store, which no queue and no
 * lock of the driver delays. */
#ifndef GPA_CUDA_DRIVER_INTERRUPT_H
#define GPA_CUDA_DRIVER_INTERRUPT_H

#include "runtime/cuda/driver/device.h"

/* Every launch, those to come included, is asked to end; taken back (`on` false), only those
 * launched so far are. From any thread or a signal handler; taking back from the thread that
 * launches. */
void interrupt_request(gpa_dev *d, bool on);
/* Whether the user is asking. */
static inline bool interrupt_requested(const gpa_dev *d) {
    return __atomic_load_n(&d->is_requested, __ATOMIC_SEQ_CST);
}
/* The words are there from now on; they will be gone. */
void interrupt_open(gpa_dev *d);
void interrupt_close(gpa_dev *d);
/* All that was launched is done: its slots are free. */
void interrupt_settled(gpa_dev *d);

#endif
