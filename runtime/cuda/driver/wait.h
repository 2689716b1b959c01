/* Interruptible waits for the device, and throttling of the queue. */
#ifndef GPA_CUDA_DRIVER_WAIT_H
#define GPA_CUDA_DRIVER_WAIT_H

#include "runtime/cuda/driver/device.h"

gpa_code wait_open(gpa_dev *d, gpa_err *e);
void wait_close(gpa_dev *d);
/* Waits until all queued work is done. GPA_E_INTERRUPT: the user interrupted and the work did not
 * end; it continues, and the device is stuck. */
gpa_code wait_idle(gpa_dev *d, gpa_err *e);
/* Waits for an event, likewise. */
gpa_code wait_event(gpa_dev *d, CUevent event, gpa_err *e);
/* Before work is queued or code is loaded: waits until a stuck device has finished. The driver
 * itself would wait (to load code, to allocate) without a way to interrupt it. */
gpa_code wait_usable(gpa_dev *d, gpa_err *e);
/* True if the device is still stuck. */
bool wait_is_stuck(gpa_dev *d);
/* After a launch with an estimated `cost` in seconds: waits while more than
 * TUNE_CUDA_QUEUE_MAX_SECONDS of work is queued. */
gpa_code wait_throttle(gpa_dev *d, double cost, gpa_err *e);
/* gpa_backend.clock: the time between two events in the queue. */
double wait_clock(gpa_dev *d, bool begin);

#endif
