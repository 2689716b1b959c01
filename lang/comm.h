/* Messages of comms: Jupyter's connections between objects of a kernel and of a front end, which
 * widgets use. */
#ifndef GPA_COMM_H
#define GPA_COMM_H

#include <stddef.h>

typedef struct {
    const void *data;
    size_t n;
} gpa_buffer;

/* A message in either direction. Borrowed for the call. */
typedef struct {
    const char *type;               /* "comm_open", "comm_msg", "comm_close" */
    const char *content, *metadata; /* JSON objects */
    const gpa_buffer *buffers;
    size_t n_buffers;
} gpa_comm;

#endif
