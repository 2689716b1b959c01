/* Division of library calls: independent rows, batches and panels, and the bytes that a share of
 * them accesses. */
#ifndef GPA_RANKS_LIBRARY_SHARE_H
#define GPA_RANKS_LIBRARY_SHARE_H

#include "runtime/ir/libcall.h"
#include "runtime/ranks/region.h"

/* A call that any ranges of `n` units can execute with the bits of the whole call, if they begin at
 * multiples of `unit`. n 0: it cannot be divided. */
typedef struct {
    int64_t n, unit;
    int dim; /* FFT, DCT: the dimension that the units are of */
} library_units;

library_units library_units_of(const gpa_libcall *c);
/* The call of the units [lo, hi). */
gpa_libcall library_share(const gpa_libcall *c, const library_units *u, int64_t lo, int64_t hi);

/* The elements that a call accesses in an operand. */
typedef struct {
    const gpa_binding *binding;
    bool write;
    region r;
} library_access;

/* Of all operands of a call that can be divided, in the order of lib.def; returns how many. */
int library_accesses(const gpa_libcall *c, library_access *out);
/* The work of a call, as bytes of a launch. */
uint64_t library_bytes(const gpa_libcall *c);

#endif
