/* Device memory: reference-counted buffers from a caching allocator over the backend's.
 *
 * A buffer has owners (storages of arrays) and readers (leaf nodes of pending work), and returns
 * to the pool when it has neither. A buffer with readers only counts as `bytes_pending`: kept
 * alive by pending work alone. Work is queued in order, so a block may be reused while launched
 * programs still use it. */
#ifndef GPA_EXEC_BUFFER_H
#define GPA_EXEC_BUFFER_H

#include "runtime/graph/buf.h"

/* Allocates n bytes, uninitialised, with one owner. GPA_E_MEMORY ("out of memory") if neither
 * the device nor the limit (GPA_MEMORY_LIMIT) allows it after trimming the pool: exec_alloc then
 * flushes pending work, and makes NumPy's message. */
gpa_code buf_new(gpa_rt *rt, struct gpa_device *d, size_t n, gpa_buf **out, gpa_err *e);
void buf_add_owner(gpa_rt *rt, gpa_buf *b);
void buf_remove_owner(gpa_rt *rt, gpa_buf *b);
/* Shortens the buffer to its first n bytes. The block keeps its capacity until buf_compact. */
void buf_truncate(gpa_rt *rt, gpa_buf *b, size_t n);
/* Moves truncated buffers into smaller blocks and frees the large ones; false: there were none.
 * Changes buffers' `mem`, so a launch must bind its arrays afterwards. */
bool buf_compact(gpa_rt *rt, struct gpa_device *d);
/* Pins the buffer, whose address is visible to user code: buf_compact does not move it. */
void buf_pin(gpa_buf *b);
/* Takes a buffer off the list of shared ones. */
void buf_unshare(gpa_rt *rt, gpa_buf *b);
/* A copy of n bytes from one buffer to another. */
typedef struct {
    gpa_buf *to, *from;
    size_t to_at, from_at, n;
} buf_transfer;
/* Copies n bytes between buffers of any two devices, after the work queued on the source. Waits for
 * a source whose contents are deferred, so launches never depend on deferred errors of another
 * device.
 */
gpa_code buf_copy(gpa_rt *rt, const buf_transfer *c, gpa_err *e);
/* Before the host uses n bytes of a buffer at `at` through b->host: memory that is distributed over
 * several processes is fetched. After exec_wait; valid until the next launch, or for good. */
gpa_code buf_fetch_host(const gpa_buf *b, size_t at, size_t n, gpa_host_use use, gpa_err *e);
static inline gpa_code buf_host_access(const gpa_buf *b, size_t at, size_t n, gpa_host_use use,
                                       gpa_err *e) {
    return b->host && b->is_distributed ? buf_fetch_host(b, at, n, use, e) : GPA_OK;
}
/* Frees all cached blocks of a device. */
void buf_trim(gpa_rt *rt, struct gpa_device *d);
/* The same, and frees the pool, for device_close_all. No buffer of the device may be alive. */
void buf_close_pool(gpa_rt *rt, struct gpa_device *d);
/* Bytes in use by a device's arrays, and bytes cached for reuse. */
void buf_usage(const struct gpa_device *d, uint64_t *live, uint64_t *cached);
/* GPA_E_DEVICE if the contents were lost in a device failure; the error of the launch that
 * should have written them, once it is known to have faulted. */
gpa_code buf_check(const gpa_buf *b, gpa_err *e);
/* The device's limit in bytes; 0: none. GPA_E_VALUE if GPA_MEMORY_LIMIT is unreadable. */
gpa_code buf_limit(gpa_rt *rt, struct gpa_device *d, uint64_t *out, gpa_err *e);
/* Bytes that may still be allocated within the limit. */
uint64_t buf_available(const struct gpa_device *d);

#endif
