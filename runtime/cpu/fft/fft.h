/* Discrete Fourier transforms over any number of axes, of any lengths, in host memory (LIB_FFT). */
#ifndef GPA_CPU_FFT_FFT_H
#define GPA_CPU_FFT_FFT_H

#include "runtime/base/err.h"
#include "runtime/ir/libcall.h"

typedef struct fft_tables fft_tables;

/* The threads of a call, and the flag that ends it early (GPA_E_INTERRUPT). */
typedef struct {
    int threads;
    const int32_t *stop;
} fft_context;

/* Runs a LIB_FFT call on up to ctx->threads threads. *s caches twiddle factors between calls: NULL
 * at first, then owned by the caller (fft_tables_free, fft_axis.h). GPA_E_MEMORY when memory is
 * short.
 */
gpa_code fft_run(fft_tables **s, const fft_context *ctx, const gpa_libcall *c, gpa_err *e);

#endif
