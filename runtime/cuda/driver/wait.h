/* Waiting for the device so that Ctrl-C ends the wait, and never running far ahead of it. */
#ifndef GPA_CUDA_DRIVER_WAIT_H
#define GPA_CUDA_DRIVER_WAIT_H

#include "runtime/cuda/driver/device.h"

gpa_code wait_open(gpa_dev *d, gpa_err *e);
void wait_close(gpa_dev *d);
/* Until all queued work is done. GPA_E_INTERRUPT: the user asked to stop and the work did not end
 * for that; it goes on, and the device is stuck. */
gpa_code wait_idle(gpa_dev *d, gpa_err *e);
/* The same for an event. */
gpa_code wait_event(gpa_dev *d, CUevent event, gpa_err *e);
/* Before anything is queued or loaded: until a stuck device has done what it was given up for.
 * Where the driver would wait for it
 * - to load code, to make memory - an interrupt could not end the wait. */
gpa_code wait_usable(gpa_dev *d, gpa_err *e);
/* Whether the device is still stuck. */
bool wait_is_stuck(gpa_dev *d);
/* After a launch that will take about so many seconds: waits when more is queued than is done in a
 * fifth of a second. */
gpa_code wait_throttle(gpa_dev *d, double cost, gpa_err *e);
/* gpa_backend.clock, between events in the queue. */
double wait_clock(gpa_dev *d, bool begin);

#endif
