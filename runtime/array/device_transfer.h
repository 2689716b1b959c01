/* Where arrays live, and moving them.
 *
 * Work follows data: an operation runs on the device that its operands share, else on the current
 * one (rt_set_device), to which the others are copied; device_scope_enter and device_scope_leave
 * (runtime.h) stand around what makes its results itself. Numbers and what is counted out (arange)
 * belong to no device. Pending work is computed before the current device changes, so it runs where
 * it was written. */
#ifndef GPA_ARRAY_DEVICE_TRANSFER_H
#define GPA_ARRAY_DEVICE_TRANSFER_H

#include "runtime/array/array.h"
#include "runtime/exec/device.h"

/* The device that an array's elements are on, or will be; the current one if that is open to
 * choice. */
gpa_code arr_find_device(gpa_rt *rt, const gpa_arr *a, gpa_device **out, gpa_err *e);

/* *a, owned, becomes a copy of itself on d if it is elsewhere; it is computed. */
gpa_code arr_bring_to_device(gpa_rt *rt, gpa_device *d, gpa_arr **a, gpa_err *e);

#endif
