/* Transforms by cosines and sines, by Fourier transforms of as many numbers, or of numbers
 * continued. */
#ifndef GPA_CPU_FFT_DCT_H
#define GPA_CPU_FFT_DCT_H

#include "runtime/cpu/fft/fft.h"

typedef struct cosines cosines;

/* *s keeps factors between calls; NULL at first, then owned: cosines_free. *f as in fft_run. */
gpa_code cosines_run(cosines **s, smooth **f, int threads, const gpa_libcall *c, gpa_err *e);
void cosines_free(cosines *s);

#endif
