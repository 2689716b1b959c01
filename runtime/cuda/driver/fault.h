/* Delivery of deferred errors: fault records that launches left in pinned memory. */
#ifndef GPA_CUDA_DRIVER_FAULT_H
#define GPA_CUDA_DRIVER_FAULT_H

#include "runtime/cuda/driver/device.h"

/* True if a launch that has ended has written a record. */
bool fault_is_set(const gpa_dev *d);
/* Copies the records to the callers of their launches and frees all slots. Call only when all work
 * is done. */
void fault_deliver(gpa_dev *d);
/* Drops the callers, which no longer wait, though work may be in flight. `interrupted`: their
 * records report the interrupt. */
void fault_discard(gpa_dev *d, bool interrupted);

#endif
