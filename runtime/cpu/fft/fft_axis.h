/* Fourier transforms along one axis by our own passes (mixed_radix.h): many lines side by side, or
 * one long line as many short ones, of lengths without such factors as a convolution of longer
 * ones. */
#ifndef GPA_CPU_FFT_FFT_AXIS_H
#define GPA_CPU_FFT_FFT_AXIS_H

#include "runtime/base/err.h"
#include "runtime/ir/libcall.h"

typedef struct smooth smooth;

/* Whether that is the way for the call, of rank 1. */
bool smooth_can(const gpa_libcall *c);
/* *s keeps factors between calls; NULL at first, then owned: smooth_free. The operand of a
 * transform to real numbers may be overwritten. */
gpa_code smooth_run(smooth **s, int threads, const gpa_libcall *c, void *in, void *out, gpa_err *e);
void smooth_free(smooth *s);

#endif
