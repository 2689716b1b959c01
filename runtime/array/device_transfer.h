/* Device residency of arrays, and transfers between devices.
 *
 * An operation runs on the device that its operands share, else on the current one
 * (rt_set_device), to which the others are copied; code that allocates its results itself is
 * enclosed by device_scope_enter and device_scope_leave (runtime.h). Scalars and generated
 * values (arange) belong to no device. Pending work is computed before the current device
 * changes, so it runs on the device it was written for. */
#ifndef GPA_ARRAY_DEVICE_TRANSFER_H
#define GPA_ARRAY_DEVICE_TRANSFER_H

#include "runtime/array/array.h"
#include "runtime/exec/device.h"

/* The device that holds an array's elements or will; the current one if its operands do not
 * determine it. */
gpa_code arr_find_device(gpa_rt *rt, const gpa_arr *a, gpa_device **out, gpa_err *e);

/* Computes *a and, if it is on another device, replaces it (owned) by a copy on d. */
gpa_code arr_bring_to_device(gpa_rt *rt, gpa_device *d, gpa_arr **a, gpa_err *e);

#endif
