/* Fourier transforms by FFTW, which is loaded at the first one. */
#ifndef GPA_CPU_FFT_FFT_H
#define GPA_CPU_FFT_FFT_H

#include "runtime/base/err.h"
#include "runtime/ir/libcall.h"

typedef struct fft fft;

/* Whether the call can be done; loads the library at first need (then *f is owned: fft_free). */
bool fft_can(fft **f, const gpa_libcall *c);
gpa_code fft_run(fft *f, int threads, const gpa_libcall *c, gpa_err *e);
void fft_free(fft *f);

#endif
