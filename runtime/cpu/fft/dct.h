/* Discrete cosine and sine transforms of types 1 to 4, through Fourier transforms. */
#ifndef GPA_CPU_FFT_DCT_H
#define GPA_CPU_FFT_DCT_H

#include "runtime/cpu/fft/fft.h"

typedef struct cosines cosines;

/* *s keeps factors between calls; NULL at first, then owned: dct_free. *f as in fft_run. */
gpa_code dct_run(cosines **s, fft_tables **f, const fft_context *ctx, const gpa_libcall *c,
                 gpa_err *e);
void dct_free(cosines *s);

#endif
