/* Fourier transform of a long row by the four-step algorithm (Bailey 1990). */
#ifndef GPA_CPU_FFT_FFT_FOUR_STEP_H
#define GPA_CPU_FFT_FFT_FOUR_STEP_H

#include "runtime/cpu/fft/fft.h"
#include "runtime/cpu/fft/fft_tables.h"

/* A row of n1 * n2 points as a matrix of n1 rows. */
typedef struct {
    gpa_dtype dtype;
    gpa_fft_form form; /* FFT_R2C, FFT_C2R: of an odd number of reals */
    bool inverse;
    double scale;
    const char *in;
    char *out, *blocks; /* blocks: of rows as vectors, aligned */
    const radix *columns, *rows;
    const radix_twiddles *twiddles;
    int64_t n1, n2;
    int64_t pitch; /* points of a row in `blocks` */
    int64_t item;  /* bytes of a complex element */
    int64_t lanes, chunks;
    const int32_t *stop;
    bool failed;
} four_step;

/* The largest divisor of n that is at most its square root: the rows of the matrix. */
int64_t four_step_rows(int64_t n);
/* Prepares q for rows of n complex points; false when memory is short. *memory is scratch that the
 * caller frees afterwards, also on failure. */
bool four_step_new(fft_tables *s, const gpa_libcall *c, int64_t n, bool inverse, four_step *q,
                   char **memory);
/* Transforms a row, on up to ctx->threads threads; `out` may be `in`, as all columns are read
 * before rows are written. False when memory is short or the call was stopped. */
bool four_step_row(four_step *q, const fft_context *ctx, const char *in, char *out);
/* Runs a call of rank 1 with unit strides along the rows: fft_axis_run. */
gpa_code four_step_run(fft_tables *s, const fft_context *ctx, const gpa_libcall *c, void *in,
                       void *out, gpa_err *e);

#endif
