/* User streams next to the device's queue: kernels in different streams may run concurrently.
 *
 * Read-after-write, write-after-read and write-after-write dependencies order them: a reader waits
 * for the writers of its memory, a writer for all users. Waiting for a stream means waiting for all
 * work queued in it so far, which is conservative. Work that may use any memory (library calls, raw
 * modules) waits for all streams, and all streams wait for it. */
#ifndef GPA_CUDA_DRIVER_STREAM_H
#define GPA_CUDA_DRIVER_STREAM_H

#include "runtime/cuda/driver/device.h"

/* Before work is queued that reads or writes m: makes the queue wait for the user streams that
 * conflict. */
gpa_code stream_use(gpa_dev *d, gpa_mem *m, bool writes, gpa_err *e);
/* The same for all arrays of a launch. */
gpa_code stream_use_all(gpa_dev *d, const kir_func *f, const gpa_launch *l, gpa_err *e);
/* Makes the queue wait for all user streams. `touches`: the next work may use any memory, and user
 * streams will wait for it. */
gpa_code stream_join(gpa_dev *d, bool touches, gpa_err *e);
/* Starts a new epoch; call only when all work is done. */
void stream_settled(gpa_dev *d);
/* The stream of a launch, which now waits for conflicting work. */
gpa_code stream_begin(gpa_dev *d, const kir_func *f, const gpa_launch *l, CUstream *out,
                      gpa_err *e);
/* The CUDA stream for a number, created at first use; 0: the queue. */
gpa_code stream_get(gpa_dev *d, uint32_t number, CUstream *out, gpa_err *e);
/* Makes a stream wait for the event. */
gpa_code stream_follow(gpa_dev *d, uint32_t number, CUevent event, gpa_err *e);
/* Destroys all user streams, which must be idle; serves false: leaks them. */
void stream_close(gpa_dev *d, bool serves);

#endif
