/* Copies between pageable host memory and device memory, and between devices. */
#ifndef GPA_CUDA_DRIVER_TRANSFER_H
#define GPA_CUDA_DRIVER_TRANSFER_H

#include "runtime/cuda/driver/device.h"

/* `from` may be reused on return. */
gpa_code transfer_up(gpa_dev *d, CUdeviceptr to, const void *from, size_t n, gpa_err *e);
/* Waits for all queued work first. */
gpa_code transfer_down(gpa_dev *d, void *to, CUdeviceptr from, size_t n, gpa_err *e);
/* From the memory of another device: waits for all work queued there; later work there waits for
 * the copy. */
gpa_code transfer_from(gpa_dev *d, CUdeviceptr to, gpa_dev *other, CUdeviceptr from, size_t n,
                       gpa_err *e);
/* Threads of large copies on this machine; 0: too few cores, the driver copies. */
int transfer_threads(void);
void transfer_close(gpa_dev *d);

#endif
