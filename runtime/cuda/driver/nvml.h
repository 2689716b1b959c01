/* Status of a GPU: utilization, temperature, memory, processes. Needs no context. */
#ifndef GPA_CUDA_DRIVER_NVML_H
#define GPA_CUDA_DRIVER_NVML_H

#include "runtime/backend.h"
#include "runtime/cuda/driver/api.h"

/* Fills `out` for CUDA device number i. GPA_E_DEVICE, with the reason. */
gpa_code nvml_status(const cu_driver *cu, int i, gpa_status *out, gpa_err *e);

#endif
