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
} host_dense;
/* Fills *h; given back with host_drop, also after a failure. `data` may be the array's own memory:
 * a store into it shows. */
gpa_code host_get(gpa_rt *rt, gpa_arr *a, host_dense *h, gpa_err *e);
/* The elements where they lie, if the host sees them there: `strides`, in elements, are those of
 * h->data. */
gpa_code host_get_strided(gpa_rt *rt, gpa_arr *a, host_dense *h, int64_t *strides, gpa_err *e);
/* As host_get, converted to dtype t. */
gpa_code host_get_as(gpa_rt *rt, gpa_arr *a, gpa_dtype t, host_dense *h, gpa_err *e);
void host_drop(gpa_rt *rt, host_dense *h);

/* The elements of an array for writing in place: `first` is its first element, `strides` in
 * elements. */
typedef struct {
    gpa_arr *arr;
    char *first;
    int64_t *strides;
    void *own;
    int64_t own_strides[GPA_MAX_DIMS];
} host_place;
/* Begins writing: what pending work still reads of the array is computed first. `keep`: the
 * elements are read or some of them stay. Ended by host_close, which brings the elements to the
 * device (also after a failure in between). */
gpa_code host_open(gpa_rt *rt, gpa_arr *a, bool keep, host_place *p, gpa_err *e);
/* The strides that host_open will give for a computed array. */
void host_strides(const gpa_arr *a, int64_t *out);
gpa_code host_close(gpa_rt *rt, host_place *p, gpa_err *e);

/* A new array of host-computed elements: *data is where to write them, in C order; host_made hands
 * it to the device. On failure nothing is left. */
typedef struct {
    gpa_arr *arr;
    char *data;
    void *own;
} host_new_array;
gpa_code host_new(gpa_rt *rt, gpa_dtype t, int ndim, const int64_t *shape, host_new_array *n,
                  gpa_err *e);
gpa_code host_made(gpa_rt *rt, host_new_array *n, gpa_arr **out, gpa_err *e);
void host_unmade(gpa_rt *rt, host_new_array *n); /* gives up: nothing happens after host_made */

#endif
