/* Copies between buffers of any two devices: by the backend between its own devices, else through
 * host memory - directly where one side is host-visible, else in staging blocks. */
#include "runtime/exec/buffer.h"
#include "runtime/exec/deferred_error.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/loop_log.h"
#include "runtime/tables/tuning.h"

gpa_code buf_copy(gpa_rt *rt, const buf_transfer *c, gpa_err *e) {
    gpa_buf *to = c->to, *from = c->from;
    const gpa_copy copy = {to->mem, from->mem, c->to_at, c->from_at, c->n};
    const gpa_device *s = from->device, *t = to->device;
    gpa_code rc = buf_check(from, e);
    if (rc || !c->n) return rc;
    loop_log_refuse(rt, RT_LOOP_HOST);
    if (s == t) return s->be->copy(s->dev, &copy, e);
    /* Launches of one device never depend on deferred errors of another. */
    if (deferred_is_open(from->deferred)) rc = exec_wait(rt, from->device, e);
    if (rc) return rc;
    if (s->be == t->be && s->be->copy_from) return t->be->copy_from(t->dev, s->dev, &copy, e);
    if (from->host) {
        rc = exec_wait(rt, from->device, e);
        if (!rc) rc = buf_host_access(from, c->from_at, c->n, GPA_HOST_READ, e);
        return rc ? rc : t->be->upload(t->dev, to->mem, c->to_at, from->host + c->from_at, c->n, e);
    }
    if (to->host) {
        rc = exec_wait(rt, to->device, e);
        if (!rc) rc = buf_host_access(to, c->to_at, c->n, GPA_HOST_WRITE, e);
        return rc ? rc
                  : s->be->download(s->dev, to->host + c->to_at, from->mem, c->from_at, c->n, e);
    }
    size_t part = MIN(c->n, (size_t)TUNE_DEVICE_COPY_STAGING_BYTES);
    void *block = mem_new(part);
    if (!block) return gpa_no_memory(e);
    for (size_t done = 0; done < c->n && !rc; done += part) {
        part = MIN(part, c->n - done);
        rc = s->be->download(s->dev, block, from->mem, c->from_at + done, part, e);
        if (!rc) rc = t->be->upload(t->dev, to->mem, c->to_at + done, block, part, e);
    }
    mem_free(block);
    return rc;
}
