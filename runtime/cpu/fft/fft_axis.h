/* Fourier transforms along one axis, of any length: mixed radix for many rows, the four-step
 * algorithm for long ones, Bluestein's algorithm for large prime factors. */
#ifndef GPA_CPU_FFT_FFT_AXIS_H
#define GPA_CPU_FFT_FFT_AXIS_H

#include "runtime/cpu/fft/fft.h"

/* Runs a call of rank 1 on up to ctx->threads threads; `in` is only read unless it is `out`. *s
 * caches twiddle factors between calls: NULL at first, then owned by the caller. GPA_E_MEMORY when
 * memory is short. */
gpa_code fft_axis_run(fft_tables **s, const fft_context *ctx, const gpa_libcall *c, void *in,
                      void *out, gpa_err *e);
void fft_tables_free(fft_tables *s);

#endif
