/* Library calls in host memory, which every device falls back on and is checked against: matrix
 * products, sorts, searches, FFT, factorizations, sparse matrices.
 *
 * Portable code: correct for every dtype first, and fast where that is simple. Calls poll *stop
 * (NULL: never set) and end with GPA_E_INTERRUPT once it is set. */
#ifndef GPA_HOST_HOST_H
#define GPA_HOST_HOST_H

#include <stdatomic.h>

#include "runtime/tables/dtype.h"
#include "runtime/ir/libcall.h"

/* The operands of a library call in host memory, in the order of its arm's bindings; those of a
 * matrix call, which it overwrites, are all in `out`. */
enum { HOST_INPUTS = 4, HOST_OUTPUTS = 4 };
typedef struct {
    const void *in[HOST_INPUTS];
    void *out[HOST_OUTPUTS];
} host_operands;

/* A library call on host memory: a column of lib.def, which declares these functions. Bindings'
 * offsets and strides count from the operands; outputs must not overlap inputs. */
typedef gpa_code host_call(const gpa_libcall *call, const host_operands *x, const atomic_bool *stop,
                           gpa_err *e);
#define LIB(id, name, arm, host, ...) host_call host;
#include "runtime/tables/lib.def"
#undef LIB

/* Runs the call by its row of lib.def; GPA_E_INTERNAL where that has no host implementation
 * (hostcall_none). */
host_call hostcall_run;

/* True once a call has to stop. */
static inline bool hostcall_stopped(const atomic_bool *stop) {
    return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

#endif
