/* Copies between buffers of any two devices: by the backend between its own devices, else through
 * host memory - directly where one side is host-visible, else in staging blocks. */
#include "runtime/exec/buffer.h"
#include "runtime/exec/deferred_error.h"
#include "runtime/exec/exec.h"
#include "runtime/tables/tuning.h"

gpa_code buf_copy(gpa_rt *rt, gpa_buf *to, size_t to_at, gpa_buf *from, size_t from_at, size_t n,
                  gpa_err *e) {
    const gpa_device *s = from->device, *t = to->device;
    gpa_code rc = buf_check(from, e);
    if (rc || !n) return rc;
    if (s == t) return s->be->copy(s->dev, to->mem, to_at, from->mem, from_at, n, e);
    /* Launches of one device never depend on deferred errors of another. */
    if (deferred_is_open(from->deferred)) rc = exec_wait(rt, from->device, e);
    if (rc) return rc;
    if (s->be == t->be && s->be->copy_from)
        return t->be->copy_from(t->dev, to->mem, to_at, s->dev, from->mem, from_at, n, e);
    if (from->host) {
        rc = exec_wait(rt, from->device, e);
        return rc ? rc : t->be->upload(t->dev, to->mem, to_at, from->host + from_at, n, e);
    }
    if (to->host) {
        rc = exec_wait(rt, to->device, e);
        return rc ? rc : s->be->download(s->dev, to->host + to_at, from->mem, from_at, n, e);
    }
    size_t part = MIN(n, (size_t)TUNE_DEVICE_COPY_STAGING_BYTES);
    void *block = mem_new(part);
    if (!block) return gpa_no_memory(e);
    for (size_t done = 0; done < n && !rc; done += part) {
        part = MIN(part, n - done);
        rc = s->be->download(s->dev, block, from->mem, from_at + done, part, e);
        if (!rc) rc = t->be->upload(t->dev, to->mem, to_at + done, block, part, e);
    }
    mem_free(block);
    return rc;
}
