/* Library calls of a device (BLAS, LAPACK, FFT, sort, sparse): availability, and the call itself
 * with retry, profiling and statistics. */
#ifndef GPA_EXEC_LIBRARY_CALL_H
#define GPA_EXEC_LIBRARY_CALL_H

#include "runtime/exec/device.h"
#include "runtime/exec/rt.h"
#include "runtime/ir/libcall.h"

/* Names of the calls, for %explain and profiles. */
extern const char *const library_names[LIB_COUNT];

/* True if the device has a library for this call with the operands in their memory layouts. */
bool library_can(gpa_device *d, const gpa_libcall *c);
/* Queues the call; when the library lacks workspace, trims the pool and tries again. */
gpa_code library_run(gpa_rt *rt, gpa_device *d, const gpa_libcall *c, gpa_err *e);
/* The same in a replay of a loop: not counted, and the device's errors are for the caller. */
gpa_code library_run_again(gpa_rt *rt, gpa_device *d, const gpa_libcall *c, gpa_err *e);

#endif
