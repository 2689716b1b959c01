/* The interface of gpa-cub.so: sorting and transposing sparse matrices by CUB, compiled by nvcc.
 * The CUDA device opens it at the first sort.
 *
 * Rows are sorted ascending and stably, NaN last. Work is queued on the stream, in the thread's
 * current context; with TUNE_CUDA_SORT_FIND_BITS_MIN_ELEMS 64-bit integers or more a sort also
 * waits for the stream, to find the bits that differ. Included by C and C++. */
#ifndef GPA_CUDA_LIB_CUB_H
#define GPA_CUDA_LIB_CUB_H

#include <stddef.h>
#include <stdint.h>

/* How the bits of an element are compared. */
typedef enum {
    CUB_UNSIGNED,
    CUB_SIGNED,
    CUB_HALF,
    CUB_BFLOAT,
    CUB_FLOAT,
    CUB_DOUBLE,
    CUB_COMPLEX
} cub_order;

typedef struct {
    cub_order order;
    int32_t bytes;   /* of an element: 1, 2, 4, 8, or 16 of a complex one */
    int32_t ranks;   /* argsort: out gets int64 indices in the row; else the elements */
    int64_t rows, n; /* rows * n from 1 to INT32_MAX */
    const void *in;
    void *out;    /* does not overlap in */
    void *stream; /* a cudaStream_t */
} cub_sort_call;

/* Sorts `count` values of `bytes` each stably by key, 0 <= key < n, and with each its `other`
 * (NULL: none, and to_other is NULL). start[k], for k up to n: the number of keys less than k. */
typedef struct {
    int32_t bytes;    /* 1, 2, 4, 8 or 16 */
    int64_t n, count; /* count from 1 to INT32_MAX */
    const int32_t *key, *other;
    const void *at;
    int32_t *start, *to_other;
    void *to_at;
    void *stream; /* as above */
} cub_transpose_call;

/* One of the two; the other is NULL. */
typedef struct {
    const cub_sort_call *sort;
    const cub_transpose_call *transpose;
} cub_call;

/* With scratch NULL sets *bytes to the size of the scratch memory and does nothing else; else
 * executes the call with that much scratch, aligned to 256 bytes. Returns a cudaError_t: 0 is
 * success. */
#ifdef __cplusplus
extern "C" {
#endif
typedef int cub_fn(const cub_call *c, void *scratch, size_t *bytes);
#ifdef __cplusplus
}
#endif
#define CUB_ENTRY "gpa_cub"

#endif
