/* Fourier transforms of several rows at once, one row per SIMD lane. */
#ifndef GPA_CPU_FFT_FFT_LANES_H
#define GPA_CPU_FFT_FFT_LANES_H

#include "runtime/cpu/fft/fft.h"
#include "runtime/cpu/fft/fft_tables.h"

/* Runs a call of rank 1 whose length radix_can: fft_axis_run. */
gpa_code fft_lanes_run(fft_tables *s, const fft_context *ctx, const gpa_libcall *c, void *in,
                       void *out, gpa_err *e);

#endif
