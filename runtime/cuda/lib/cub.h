/* gpa-cub.so: sorting by CUB, and turning the values of sparse matrices, compiled by nvcc where
 * there is one. The CUDA device opens it at the first sort.
 *
 * Rows of elements are sorted ascending, NaN last, equal ones in the order they stand in.
 * Everything is queued on the stream, in the thread's current context; with
 * TUNE_CUDA_SORT_FIND_BITS_MIN_ELEMS 64-bit integers or more a sort also waits for the stream, to
 * see which of their bits differ. C++ and C read this file. */
#ifndef GPA_CUDA_LIB_CUB_H
#define GPA_CUDA_LIB_CUB_H

#include <stddef.h>
#include <stdint.h>

/* How the bits of an element are ordered. */
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
    int32_t ranks;   /* out gets each element's place in its row, as an int64; else the elements */
    int64_t rows, n; /* rows * n from 1 to INT32_MAX */
    const void *in;
    void *out;    /* does not overlap in */
    void *stream; /* a cudaStream_t */
} cub_sort_call;

/* `count` values of `bytes` each in the order of their keys, 0 <= key < n, those of one key in the
 * order they stand in, and with each its `other` (NULL: none; to_other is NULL too); how many keys
 * are less than k, for k up to n. */
typedef struct {
    int32_t bytes;    /* 1, 2, 4, 8 or 16 */
    int64_t n, count; /* count from 1 to INT32_MAX */
    const int32_t *key, *other;
    const void *at;
    int32_t *start, *to_other;
    void *to_at;
    void *stream; /* as above */
} cub_transpose_call;

/* One of the two; the other one is NULL. */
typedef struct {
    const cub_sort_call *sort;
    const cub_transpose_call *turn;
} cub_call;

/* With room NULL *bytes becomes how much working memory the call takes, and nothing is done; else
 * that much lies at room, a multiple of 256. Gives a cudaError_t: 0 is success. */
#ifdef __cplusplus
extern "C" {
#endif
typedef int cub_fn(const cub_call *c, void *room, size_t *bytes);
#ifdef __cplusplus
}
#endif
#define CUB_ENTRY "gpa_cub"

#endif
