/* Streams and events: the backend's, or the host's clock for backends without streams. */

#include "runtime/base/base.h"
#include "runtime/base/clock.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/rt.h"
#include "runtime/programs.h"

struct rt_event {
    gpa_device *device; /* where it was recorded; NULL: not recorded */
    gpa_event *event;   /* NULL: the host's clock */
    double at;          /* its time by the host's clock, in milliseconds */
};

/* ---- streams ---- */

uint32_t rt_stream_new(gpa_rt *rt) { return ++rt->n_streams; }

/* After a wait for part of the work: if a launch has faulted, waits for all work and reports it. */
static gpa_code report_launch_faults(gpa_rt *rt, gpa_device *d, gpa_code rc, bool faulted,
                                     gpa_err *e) {
    if (!rc) return faulted ? rt_sync(rt, e) : GPA_OK;
    return exec_report_faults(rt, d, device_result(rt, d, rc, e), e);
}

gpa_code rt_stream_wait(gpa_rt *rt, uint32_t stream, gpa_err *e) {
    bool faulted = false;
    gpa_code rc = rt_flush(rt, e);
    if (rc || !stream || !rt->device || !rt->device->be->stream_wait)
        return rc ? rc : rt_sync(rt, e);
    gpa_device *d = rt->device;
    rc = d->be->stream_wait(d->dev, stream, &faulted, e);
    return report_launch_faults(rt, d, rc, faulted, e);
}

gpa_code rt_stream_query(gpa_rt *rt, uint32_t stream, bool *done, gpa_err *e) {
    gpa_code rc = rt_flush(rt, e);
    gpa_device *d = rt->device;
    if (rc || !d || !d->be->stream_query) return (*done = !rc) ? rt_sync(rt, e) : rc;
    return d->be->stream_query(d->dev, stream, done, e);
}

/* ---- events ---- */

gpa_code rt_event_new(gpa_rt *rt, rt_event **out, gpa_err *e) {
    (void)rt;
    return (*out = mem_zero(sizeof **out)) ? GPA_OK : gpa_no_memory(e);
}

static void reset_event(rt_event *x) {
    if (x->event && !x->device->lost) x->device->be->event_free(x->device->dev, x->event);
    x->event = NULL;
    x->device = NULL;
}

void rt_event_free(rt_event *x) {
    if (x) reset_event(x);
    mem_free(x);
}

gpa_code rt_event_record(gpa_rt *rt, rt_event *x, uint32_t stream, gpa_err *e) {
    gpa_device *d;
    gpa_code rc = rt_flush(rt, e);
    if (!rc) rc = device_default(rt, &d, e);
    if (rc) return rc;
    if (x->device != d) reset_event(x);
    if (!d->be->event_new)
        rc = rt_sync(rt, e);
    else if (!x->event)
        rc = d->be->event_new(d->dev, &x->event, e);
    if (rc) return rc;
    x->device = d;
    x->at = clock_seconds() * 1e3;
    return x->event ? d->be->event_record(d->dev, x->event, stream, e) : GPA_OK;
}

gpa_code rt_event_follow(gpa_rt *rt, rt_event *x, uint32_t stream, gpa_err *e) {
    gpa_code rc = rt_flush(rt, e);
    return rc || !x->event ? rc : x->device->be->event_follow(x->device->dev, x->event, stream, e);
}

gpa_code rt_event_wait(gpa_rt *rt, rt_event *x, gpa_err *e) {
    bool faulted = false;
    if (!x->event) return GPA_OK;
    gpa_code rc = x->device->be->event_wait(x->device->dev, x->event, &faulted, e);
    return report_launch_faults(rt, x->device, rc, faulted, e);
}

gpa_code rt_event_query(gpa_rt *rt, rt_event *x, bool *passed, gpa_err *e) {
    (void)rt;
    *passed = true;
    return x->event ? x->device->be->event_query(x->device->dev, x->event, passed, e) : GPA_OK;
}

gpa_code rt_event_elapsed(gpa_rt *rt, rt_event *from, rt_event *to, double *ms, gpa_err *e) {
    (void)rt;
    if (!from->device || !to->device)
        return gpa_fail(e, GPA_E_DEVICE, "an event that was not recorded has no time");
    *ms = to->at - from->at;
    if (from->device != to->device)
        return gpa_fail(e, GPA_E_DEVICE, "the events are of different devices: %s and %s",
                        from->device->caps.name, to->device->caps.name);
    return from->event && to->event
               ? to->device->be->event_elapsed(to->device->dev, from->event, to->event, ms, e)
               : GPA_OK;
}
