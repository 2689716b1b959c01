/* Device buffers as nodes see them: the record, and the count of the leaves that read it.
 *
 * A buffer has owners (storages of arrays) and readers (leaf nodes of pending work). When both are
 * 0, `release` returns it to the caching pool that made it (exec/buffer.h). A buffer with readers
 * only counts as `bytes_pending`: pending work alone keeps it alive. */
#ifndef GPA_GRAPH_BUF_H
#define GPA_GRAPH_BUF_H

#include "runtime/backend.h"
#include "runtime/runtime.h"

struct gpa_device;

/* Cached facts about n int32 indices at a byte offset, valid for one version of the buffer: the
 * largest as uint32 (so that negative ones are out of bounds), and whether they ascend. */
typedef struct {
    int64_t n; /* 0: not examined */
    size_t at;
    uint32_t version, max;
    bool ascending;
} buf_indices;

/* The first n bytes of a buffer, as they were in one version, in host memory. */
typedef struct {
    uint32_t version;
    size_t n;
    char bytes[];
} buf_host_copy;

typedef struct gpa_buf {
    struct gpa_device *device;
    gpa_mem *mem;
    char *host;       /* its address on host-visible devices (access after exec_wait), else NULL */
    size_t bytes;     /* requested */
    size_t capacity;  /* size of the block */
    int32_t owners;   /* storages that hold it */
    int32_t readers;  /* leaf nodes that hold it */
    uint32_t epoch;   /* the device's at allocation; older than now: the contents are lost */
    uint32_t version; /* incremented by every store: an older leaf is another value */
    struct deferred_error *deferred; /* the launch that makes its contents valid; NULL: they are */
    bool truncated;                  /* its block is larger than necessary (buf_truncate) */
    bool is_distributed;             /* host access needs buf_host_access */
    bool shared;                     /* another language knows its address (shared_memory.c) */
    buf_indices index_facts;         /* facts examined last (sparse.h) */
    buf_host_copy *host_copy;        /* of what is read element by element (element.c), or NULL */
    uint32_t reads, reads_version;   /* elements read from the device, in that version */
    struct gpa_buf *next;            /* in the pool's list of free or of truncated blocks */
    void (*release)(gpa_rt *rt, struct gpa_buf *b); /* called when owners and readers are both 0 */
} gpa_buf;

/* Counts a leaf node that reads b. */
void buf_add_reader(gpa_rt *rt, gpa_buf *b);
/* Uncounts one; the last user of b releases it. */
void buf_remove_reader(gpa_rt *rt, gpa_buf *b);

#endif
