/* Device buffers as nodes see them: the record, and the count of the leaves that read it.
 *
 * A buffer has owners (storages of arrays) and readers (leaf nodes of pending work). When both are
 * 0 its `release` function gets it back: that of the caching pool which made it (exec/buffer.h).
 * With owners 0 and readers left its bytes count as `bytes_pending`: kept alive only by pending
 * work. */
#ifndef GPA_GRAPH_BUF_H
#define GPA_GRAPH_BUF_H

#include "runtime/backend.h"
#include "runtime/runtime.h"

struct gpa_device;

/* Facts about n int32 indices that begin at a byte, valid for one version of the buffer. */
typedef struct {
    int64_t n; /* 0: unknown */
    size_t at;
    uint32_t version, most; /* most: the largest as an unsigned number */
    bool rise;              /* no index is less than the one before it */
} buf_indices;

typedef struct gpa_buf {
    struct gpa_device *device;
    gpa_mem *mem;
    char *host;       /* the memory itself where the host sees it (after host_wait), else NULL */
    size_t bytes;     /* asked for */
    size_t room;      /* capacity of the block */
    int32_t owners;   /* storages that hold it */
    int32_t readers;  /* leaf nodes that hold it */
    uint32_t epoch;   /* the device's, when this memory was allocated */
    uint32_t version; /* raised by every store into it: a leaf made before is not the same value */
    struct doubt *doubt;  /* on which what it holds depends (deferred_error.h); NULL: on nothing */
    bool loose;           /* its block is larger than it needs (buf_shorten) */
    buf_indices looked;   /* the last facts found about indices in it (sparse.h) */
    struct gpa_buf *next; /* the pool's list of free blocks, or of loose ones */
    void (*release)(gpa_rt *rt, struct gpa_buf *b); /* called when owners and readers are both 0 */
} gpa_buf;

/* Counts a leaf node that reads b. */
void buf_read(gpa_rt *rt, gpa_buf *b);
/* Uncounts one; the last user of b releases it. */
void buf_unread(gpa_rt *rt, gpa_buf *b);

#endif
