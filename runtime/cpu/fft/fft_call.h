/* Accessors of a LIB_FFT call of rank 1, for the FFT algorithms. A row is the elements along the
 * transformed dimension, which is dimension 0; the other dimensions count rows. */
#ifndef GPA_CPU_FFT_FFT_CALL_H
#define GPA_CPU_FFT_FFT_CALL_H

#include "runtime/cpu/fft/fft.h"
#include "runtime/cpu/parallel/threads.h"

enum { FFT_LINE_BYTES = 64 }; /* of a cache line */

static inline char *fft_align(char *at) {
    return at + (FFT_LINE_BYTES - (uintptr_t)at % FFT_LINE_BYTES) % FFT_LINE_BYTES;
}

static inline bool fft_is_inverse(const gpa_libcall *c) {
    return c->fft.inverse || c->fft.form == FFT_C2R;
}

/* True for an odd number of real elements, which cannot be paired to complex ones. */
static inline bool fft_is_odd_real(const gpa_libcall *c) {
    return c->fft.form != FFT_C2C && c->fft.n[0] % 2;
}

/* True for a real transform through a complex one of half the length (half_length.h). */
static inline bool fft_is_half_length(const gpa_libcall *c) {
    return c->fft.form != FFT_C2C && c->fft.n[0] % 2 == 0;
}

static inline double fft_scale(const gpa_libcall *c) { return c->fft.scaled ? c->fft.scale : 1; }

/* The length of the complex transform that computes a row. */
static inline int64_t fft_complex_length(const gpa_libcall *c) {
    return fft_is_half_length(c) ? c->fft.n[0] / 2 : c->fft.n[0];
}

static inline int64_t fft_row_count(const gpa_libcall *c) {
    int64_t count = 1;
    for (int d = 1; d < c->fft.ndim; d++) count *= c->fft.n[d];
    return count;
}

/* The element offset at which row i of an array begins. */
static inline int64_t fft_row_offset(const gpa_libcall *c, const gpa_binding *b, int64_t i) {
    int64_t offset = 0;
    for (int d = 1; d < c->fft.ndim; i /= c->fft.n[d], d++)
        offset += i % c->fft.n[d] * b->stride[d];
    return offset;
}

/* Its address; complex: in an array of complex elements. */
static inline char *fft_row_at(const gpa_libcall *c, const gpa_binding *b, void *at, bool complex,
                               int64_t i) {
    const gpa_dtype t = complex ? c->dtype : dtype_info[c->dtype].real;
    return (char *)at + fft_row_offset(c, b, i) * (int64_t)dtype_size(t);
}

/* The error of a call that ended early: an interrupt, or memory was short. */
static inline gpa_code fft_fail(const fft_context *ctx, gpa_err *e) {
    return threads_stopped(ctx->stop) ? gpa_interrupted(e) : gpa_no_memory(e);
}

/* Prefetches n locations `step` bytes apart, two cache lines each. */
static inline void fft_prefetch(const char *at, int64_t step, int64_t n) {
    for (int64_t k = 0; k < n; k++, at += step) {
        __builtin_prefetch(at, 0, 2);
        __builtin_prefetch(at + FFT_LINE_BYTES, 0, 2);
    }
}

#endif
