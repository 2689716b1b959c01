/* Streams beside the device's queue: kernels that were given different ones may run at the same
 * time.
 *
 * The rule that keeps the order of a program: who reads memory waits for those who wrote it, and
 * who writes it waits for those who used it. Memory remembers which streams used it, and when the
 * queue did. A stream waits for all that another one has been given so far, which is more than
 * needed and never less. What may touch any memory - library calls, raw modules - waits for all
 * streams, and they for it. */
#ifndef GPA_CUDA_DRIVER_STREAM_H
#define GPA_CUDA_DRIVER_STREAM_H

#include "runtime/cuda/driver/device.h"

/* Before something is put in the queue that reads or writes m: it waits for the streams that it
 * must. */
gpa_code stream_use(gpa_dev *d, gpa_mem *m, bool writes, gpa_err *e);
/* The same for all arrays of a launch. */
gpa_code stream_use_all(gpa_dev *d, const kir_func *f, const gpa_launch *l, gpa_err *e);
/* The queue waits for all streams; with `touches`, what comes next may use any memory, and they
 * will wait for it. */
gpa_code stream_join(gpa_dev *d, bool touches, gpa_err *e);
/* All work is done. */
void stream_settled(gpa_dev *d);
/* The stream of a launch, which may begin: it waits for what it must. */
gpa_code stream_begin(gpa_dev *d, const kir_func *f, const gpa_launch *l, CUstream *out,
                      gpa_err *e);
/* The driver's stream for a number, made at first need; 0: the queue. */
gpa_code stream_get(gpa_dev *d, uint32_t number, CUstream *out, gpa_err *e);
/* A number's stream waits for the event. */
gpa_code stream_follow(gpa_dev *d, uint32_t number, CUevent event, gpa_err *e);
/* Gives all streams back; they have nothing to do any more, or (serves false) cannot be taken
 * apart. */
void stream_close(gpa_dev *d, bool serves);

#endif
