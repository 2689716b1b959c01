/* Host access to array elements: for reads, and for operations that the host computes. In place
 * on host-visible devices, through a copy on others. */
#ifndef GPA_ARRAY_HOST_VIEW_H
#define GPA_ARRAY_HOST_VIEW_H

#include "runtime/array/array.h"
#include "runtime/exec/buffer.h"
#include "runtime/exec/deferred_error.h"
#include "runtime/exec/device.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/rt.h"
#include "runtime/graph/shape.h"
#include "runtime/graph/strided_copy.h"

/* True if the host may read a buffer as it is: it has the elements, none can turn out to be
 * invalid, and no launch is under way. */
static inline bool host_can_read_now(const gpa_rt *rt, const gpa_buf *b) {
    return b->host && !b->is_distributed && !deferred_is_open(b->deferred) &&
           exec_is_idle(rt, b->device);
}

/* buf_host_access for a range of elements, and for those of a computed array. */
gpa_code host_access_strided(const gpa_buf *b, const shape_layout *m, gpa_host_use use, gpa_err *e);
gpa_code host_access_elements(const gpa_arr *a, gpa_host_use use, gpa_err *e);
/* Waits, and copies the elements of a computed array to `to` in C order. */
gpa_code host_read(gpa_rt *rt, gpa_arr *a, void *to, gpa_err *e);

/* The elements of an array for reading, computed if they were pending. */
typedef struct {
    const char *data; /* C order, contiguous */
    gpa_arr *arr;     /* the array that may own that memory (retained) */
    void *own;        /* a copy, if one was made */
} host_view;
/* Opens a contiguous view for reading; host_view_release also after a failure. `data` may be the
 * array's own memory, where later stores show. */
gpa_code host_view_get(gpa_rt *rt, gpa_arr *a, host_view *h, gpa_err *e);
/* The same without making it contiguous on host-visible devices: `strides`, in elements, are
 * those of h->data. */
gpa_code host_view_get_strided(gpa_rt *rt, gpa_arr *a, host_view *h, int64_t *strides, gpa_err *e);
/* As host_view_get, converted to dtype t. */
gpa_code host_view_get_as(gpa_rt *rt, gpa_arr *a, gpa_dtype t, host_view *h, gpa_err *e);
void host_view_release(gpa_rt *rt, host_view *h);

/* Write access to an array: `first` is its first element, strides in elements. */
typedef struct {
    gpa_arr *arr;
    char *first;
    int64_t *strides;
    void *own; /* a copy in C order; of elements that share memory, a copy of their extent */
    int64_t own_strides[GPA_MAX_DIMS];
} host_target;
/* Opens an array for writing, after computing pending work that reads it. `keep`: old elements
 * are read, or not all are overwritten. host_target_close uploads the elements; call it also
 * after a failure in between. */
gpa_code host_target_open(gpa_rt *rt, gpa_arr *a, bool keep, host_target *p, gpa_err *e);
/* The strides that host_target_open will give a computed array. */
void host_target_strides(const gpa_arr *a, int64_t *out);
gpa_code host_target_close(gpa_rt *rt, host_target *p, gpa_err *e);

/* A new array computed by the host: write `data` in C order, then host_result_finish, which
 * uploads it if necessary. On failure nothing remains. */
typedef struct {
    gpa_arr *arr;
    char *data;
    void *own;
} host_result;
gpa_code host_result_new(gpa_rt *rt, gpa_dtype t, int ndim, const int64_t *shape, host_result *n,
                         gpa_err *e);
gpa_code host_result_finish(gpa_rt *rt, host_result *n, gpa_arr **out, gpa_err *e);
/* Abandons it; does nothing after host_result_finish. */
void host_result_discard(gpa_rt *rt, host_result *n);

#endif
