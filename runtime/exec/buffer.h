/* Device memory: counted buffers from a caching pool over the backend's allocator.
 *
 * A buffer has owners (storages of arrays) and readers (leaf nodes of pending work). It goes back
 * to the pool when both are 0. With owners 0 and readers left its bytes count as `bytes_pending`:
 * kept alive only by pending work. Work is queued in order, so a block may be handed out again
 * while launched programs still use it. */
#ifndef GPA_EXEC_BUFFER_H
#define GPA_EXEC_BUFFER_H

#include "runtime/backend.h"
#include "runtime/runtime.h"

struct gpa_device;

/* n int32 indices from a byte on, at a version: the largest, negative ones being larger than
 * others, and whether none is below the one before it. */
typedef struct {
    int64_t n; /* 0: nobody has looked */
    size_t at;
    uint32_t version, most;
    bool rise;
} buf_indices;

typedef struct gpa_buf {
    struct gpa_device *device;
    gpa_mem *mem;
    char *host;       /* the memory itself where the host sees it (after exec_wait), else NULL */
    size_t bytes;     /* asked for */
    size_t room;      /* the block's real size */
    int32_t owners;   /* storages that hold it */
    int32_t readers;  /* leaf nodes that hold it */
    uint32_t epoch;   /* the device's, when this memory was taken */
    uint32_t version; /* raised by every store into it: a leaf made before is not the same value */
    struct deferred_error *deferred; /* the launch that makes its contents valid; NULL: they are */
    bool loose;                      /* its block is larger than it needs (buf_truncate) */
    buf_indices looked;              /* what was seen of them last (sparse.h) */
    struct gpa_buf *next;            /* the pool's list of free blocks, or of loose ones */
} gpa_buf;

/* n bytes, uninitialised, with one owner. GPA_E_MEMORY ("out of memory") when the device, the limit
 * (GPA_MEMORY_LIMIT) and an emptied cache have no room: exec_alloc then flushes, and makes NumPy's
 * message. */
gpa_code buf_new(gpa_rt *rt, struct gpa_device *d, size_t n, gpa_buf **out, gpa_err *e);
void buf_add_owner(gpa_rt *rt, gpa_buf *b);
void buf_remove_owner(gpa_rt *rt, gpa_buf *b);
void buf_add_reader(gpa_rt *rt, gpa_buf *b);
void buf_remove_reader(gpa_rt *rt, gpa_buf *b);
/* Only the first n bytes are wanted any more. The block stays as it is until buf_compact. */
void buf_truncate(gpa_rt *rt, gpa_buf *b, size_t n);
/* Moves what lies in blocks that are larger than it needs into smaller ones and gives the large
 * ones back to the device; whether there were any. Changes `mem` of buffers: of those bound for a
 * launch, it is looked at again. */
bool buf_compact(gpa_rt *rt, struct gpa_device *d);
/* The address of its memory is told to somebody who may keep it: buf_compact leaves it where it is.
 */
void buf_pin(gpa_buf *b);
/* Copies n bytes between buffers of any two devices, after the work queued on the source. Waits for
 * a source whose contents are deferred, so launches never depend on deferred errors of another
 * device.
 */
gpa_code buf_copy(gpa_rt *rt, gpa_buf *to, size_t to_at, gpa_buf *from, size_t from_at, size_t n,
                  gpa_err *e);
/* Gives every unused block back to the device. */
void buf_trim(gpa_rt *rt, struct gpa_device *d);
/* The same, and frees the pool itself: for device_close_all. No buffer of the device may be alive.
 */
void buf_close_pool(gpa_rt *rt, struct gpa_device *d);
/* What a device's arrays take, and what its pool keeps for reuse. */
void buf_usage(const struct gpa_device *d, uint64_t *live, uint64_t *cached);
/* GPA_E_DEVICE when what the memory held was lost with a failure of its device; the error of a
 * launch that should have written it and is known to have faulted. */
gpa_code buf_check(const gpa_buf *b, gpa_err *e);
/* The device's limit in bytes; 0: none. GPA_E_VALUE when GPA_MEMORY_LIMIT makes no sense. */
gpa_code buf_limit(gpa_rt *rt, struct gpa_device *d, uint64_t *out, gpa_err *e);

#endif
