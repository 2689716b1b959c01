/* Copies between ordinary memory and the device's. */
#ifndef GPA_CUDA_DRIVER_TRANSFER_H
#define GPA_CUDA_DRIVER_TRANSFER_H

#include "runtime/cuda/driver/device.h"

/* `from` may be used again at return. */
gpa_code transfer_up(gpa_dev *d, CUdeviceptr to, const void *from, size_t n, gpa_err *e);
/* Waits for all queued work, too. */
gpa_code transfer_down(gpa_dev *d, void *to, CUdeviceptr from, size_t n, gpa_err *e);
/* From the memory of another device, behind all that is queued there; what is queued there later
 * waits for the copy. */
gpa_code transfer_from(gpa_dev *d, CUdeviceptr to, gpa_dev *other, CUdeviceptr from, size_t n,
                       gpa_err *e);
/* How many threads large copies are given on this machine; 0: it has too few processors for that to
 * be of use. */
int transfer_threads(void);
void transfer_close(gpa_dev *d);

#endif
