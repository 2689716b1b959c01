/* Arrays in host memory: for reads, and for what the host computes itself.
 *
 * On a device whose memory is visible the elements are used where they are; otherwise they are
 * copied. */
#ifndef GPA_ARRAY_HOST_VIEW_H
#define GPA_ARRAY_HOST_VIEW_H

#include "runtime/array/array.h"
#include "runtime/exec/device.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/rt.h"
#include "runtime/graph/strided_copy.h"

/* The elements of a computed array to `to`, in C order. */
gpa_code host_read(gpa_rt *rt, gpa_arr *a, void *to, gpa_err *e);

/* The elements of an array for reading, computed if they were pending. */
typedef struct {
    const char *data; /* C order, contiguous */
    gpa_arr *arr;     /* whose memory it may be (an owner of it) */
    void *own;        /* the copy, if one was made */
} host_view;
/* Fills *h; given back with host_view_release, also after a failure. `data` may be the array's own
 * memory: a store into it shows. */
gpa_code host_view_get(gpa_rt *rt, gpa_arr *a, host_view *h, gpa_err *e);
/* The elements where they lie, if the host sees them there: `strides`, in elements, are those of
 * h->data. */
gpa_code host_view_get_strided(gpa_rt *rt, gpa_arr *a, host_view *h, int64_t *strides, gpa_err *e);
/* As host_view_get, converted to dtype t. */
gpa_code host_view_get_as(gpa_rt *rt, gpa_arr *a, gpa_dtype t, host_view *h, gpa_err *e);
void host_view_release(gpa_rt *rt, host_view *h);

/* The elements of an array for writing in place: `first` is its first element, `strides` in
 * elements. */
typedef struct {
    gpa_arr *arr;
    char *first;
    int64_t *strides;
    void *own;
    int64_t own_strides[GPA_MAX_DIMS];
} host_target;
/* Begins writing: what pending work still reads of the array is computed first. `keep`: the
 * elements are read or some of them stay. Ended by host_target_close, which brings the elements to
 * the device (also after a failure in between). */
gpa_code host_target_open(gpa_rt *rt, gpa_arr *a, bool keep, host_target *p, gpa_err *e);
/* The strides that host_target_open will give for a computed array. */
void host_target_strides(const gpa_arr *a, int64_t *out);
gpa_code host_target_close(gpa_rt *rt, host_target *p, gpa_err *e);

/* A new array of host-computed elements: *data is where to write them, in C order;
 * host_result_finish hands it to the device. On failure nothing is left. */
typedef struct {
    gpa_arr *arr;
    char *data;
    void *own;
} host_result;
gpa_code host_result_new(gpa_rt *rt, gpa_dtype t, int ndim, const int64_t *shape, host_result *n,
                         gpa_err *e);
gpa_code host_result_finish(gpa_rt *rt, host_result *n, gpa_arr **out, gpa_err *e);
void host_result_discard(gpa_rt *rt,
                         host_result *n); /* gives up: nothing happens after host_result_finish */

#endif
