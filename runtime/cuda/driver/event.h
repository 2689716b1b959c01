/* Events: the rows event_..., stream_wait and stream_query of gpa_backend. */
#ifndef GPA_CUDA_DRIVER_EVENT_H
#define GPA_CUDA_DRIVER_EVENT_H

#include "runtime/cuda/driver/device.h"

gpa_code event_new(gpa_dev *d, gpa_event **out, gpa_err *e);
void event_free(gpa_dev *d, gpa_event *x);
gpa_code event_record(gpa_dev *d, gpa_event *x, uint32_t stream, gpa_err *e);
gpa_code event_follow(gpa_dev *d, gpa_event *x, uint32_t stream, gpa_err *e);
gpa_code event_wait(gpa_dev *d, gpa_event *x, bool *faulted, gpa_err *e);
gpa_code event_query(gpa_dev *d, gpa_event *x, bool *passed, gpa_err *e);
gpa_code event_elapsed(gpa_dev *d, gpa_event *from, gpa_event *to, double *ms, gpa_err *e);
gpa_code event_stream_wait(gpa_dev *d, uint32_t stream, bool *faulted, gpa_err *e);
gpa_code event_stream_query(gpa_dev *d, uint32_t stream, bool *done, gpa_err *e);

#endif
