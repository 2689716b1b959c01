/* gpa-cub.so: sorting and grouping by CUB, compiled by nvcc where there is one. The CUDA device opens it at the first sort.
 *
 * Rows of elements are sorted ascending, NaN last, equal ones in the order they stand in. Everything is queued on the stream,
 * in the thread's current context. C++ and C read this file. */
#ifndef GPA_CUDA_CUB_H
#define GPA_CUDA_CUB_H

#include <stddef.h>
#include <stdint.h>

/* How the bits of an element are ordered. */
typedef enum { CUB_UNSIGNED, CUB_SIGNED, CUB_HALF, CUB_BFLOAT, CUB_FLOAT, CUB_DOUBLE } cub_order;

typedef struct {
    cub_order order;
    int32_t bytes;      /* of an element: 1, 2, 4 or 8 */
    int32_t ranks;      /* out gets each element's place in its row, as an int64; else the elements */
    int64_t rows, n;    /* rows * n from 1 to INT32_MAX */
    const void *in;
    void *out;          /* does not overlap in */
    void *room;         /* as much memory as cub_room says, at a multiple of 256 */
    void *stream;       /* a cudaStream_t */
} cub_sort_call;

/* The places of `count` keys, 0 <= key < n, in the order of the keys, equal ones in the order they stand in; how many keys are less than k, for k up to n. */
typedef struct {
    int64_t n, count;   /* count from 1 to INT32_MAX */
    const int32_t *key;
    int32_t *start, *place;
    void *room, *stream; /* as above */
} cub_group_call;

#ifdef __cplusplus
extern "C" {
#endif
typedef size_t cub_room_fn(const cub_sort_call *c); /* 0: CUB fails */
typedef int cub_sort_fn(const cub_sort_call *c);    /* a cudaError_t: 0 is success */
typedef size_t cub_group_room_fn(const cub_group_call *c);
typedef int cub_group_fn(const cub_group_call *c);
#ifdef __cplusplus
}
#endif
#define CUB_ROOM "gpa_cub_room"
#define CUB_SORT "gpa_cub_sort"
#define CUB_GROUP_ROOM "gpa_cub_group_room"
#define CUB_GROUP "gpa_cub_group"

#endif
