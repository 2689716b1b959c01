/* Waiting for the device so that Ctrl-C ends the wait, and never running far ahead of it. */
#ifndef GPA_CUDA_WAIT_H
#define GPA_CUDA_WAIT_H

#include "runtime/cuda/program.h"

gpa_code wait_open(gpa_dev *d, gpa_err *e);
void wait_close(gpa_dev *d);
/* Until all queued work is done. GPA_E_INTERRUPT: the user asked to stop and the work did not end for that; it goes on. */
gpa_code wait_done(gpa_dev *d, gpa_err *e);
/* After a launch that will take about so many seconds: waits when more is queued than is done in a fifth of a second. */
gpa_code wait_pace(gpa_dev *d, double cost, gpa_err *e);
/* gpa_backend.clock, between events in the queue. */
double wait_clock(gpa_dev *d, bool begin);

#endif
