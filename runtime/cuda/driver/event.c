/* CUDA events and waiting for them.
 *
 * A wait reports only that a fault has occurred; the record is delivered when all work is done
 * (fault_deliver). */
#include "runtime/cuda/driver/event.h"

#include "runtime/base/base.h"
#include "runtime/cuda/driver/context.h"
#include "runtime/cuda/driver/fault.h"
#include "runtime/cuda/driver/stream.h"
#include "runtime/cuda/driver/wait.h"

#define CALL(name, ...) api_check(d->cu->name(__VA_ARGS__), #name, e)

struct gpa_event {
    CUevent at;
    unsigned generation; /* of the device */
};

gpa_code event_stream_wait(gpa_dev *d, uint32_t stream, bool *faulted, gpa_err *e) {
    CUstream s;
    *faulted = false;
    context_enter(d);
    if (wait_is_stuck(d)) return GPA_OK;
    gpa_code rc = stream_get(d, stream, &s, e);
    cu_user_stream *user = &d->user_streams[(stream - 1) % USER_STREAMS];
    if (!rc) rc = CALL(event_record, user->mark, s);
    if (!rc) rc = wait_event(d, user->mark, e);
    *faulted = !rc && fault_is_set(d);
    return rc;
}

/* Queries the streams themselves: an event recorded in an idle stream takes a while to pass. */
gpa_code event_stream_query(gpa_dev *d, uint32_t stream, bool *done, gpa_err *e) {
    CUstream s;
    *done = false;
    context_enter(d);
    gpa_code rc = stream_get(d, stream, &s, e);
    if (rc) return rc;
    CUresult r = d->cu->stream_query(s);
    for (int i = 0; i < USER_STREAMS && !stream && !r; i++)
        if (d->busy >> i & 1) r = d->cu->stream_query(d->user_streams[i].stream);
    *done = r == CUDA_OK;
    return r == CUDA_NOT_READY ? GPA_OK : api_check(r, "cuStreamQuery", e);
}

gpa_code event_new(gpa_dev *d, gpa_event **out, gpa_err *e) {
    gpa_event *x = mem_zero(sizeof *x);
    if (!x) return gpa_no_memory(e);
    context_enter(d);
    x->generation = d->generation;
    gpa_code rc = CALL(event_create, &x->at, CU_EVENT_DEFAULT);
    if (rc)
        mem_free(x);
    else
        *out = x;
    return rc;
}

void event_free(gpa_dev *d, gpa_event *x) {
    context_enter(d);
    if (context_serves(d, x->generation)) d->cu->event_destroy(x->at);
    mem_free(x);
}

static gpa_code check_event(const gpa_dev *d, const gpa_event *x, gpa_err *e) {
    return x->generation == d->generation
               ? GPA_OK
               : gpa_fail(e, GPA_E_DEVICE, "the event was lost when the GPU failed");
}

gpa_code event_record(gpa_dev *d, gpa_event *x, uint32_t stream, gpa_err *e) {
    CUstream s;
    context_enter(d);
    gpa_code rc = check_event(d, x, e);
    if (!rc) rc = wait_usable(d, e);
    if (!rc) rc = stream_get(d, stream, &s, e);
    if (!rc && !stream) rc = stream_join(d, false, e);
    return rc ? rc : CALL(event_record, x->at, s);
}

gpa_code event_follow(gpa_dev *d, gpa_event *x, uint32_t stream, gpa_err *e) {
    context_enter(d);
    gpa_code rc = check_event(d, x, e);
    return rc ? rc : stream_follow(d, stream, x->at, e);
}

gpa_code event_wait(gpa_dev *d, gpa_event *x, bool *faulted, gpa_err *e) {
    context_enter(d);
    gpa_code rc = check_event(d, x, e);
    if (!rc) rc = wait_event(d, x->at, e);
    *faulted = !rc && fault_is_set(d);
    return rc;
}

gpa_code event_query(gpa_dev *d, gpa_event *x, bool *passed, gpa_err *e) {
    context_enter(d);
    gpa_code rc = check_event(d, x, e);
    CUresult r = rc ? CUDA_OK : d->cu->event_query(x->at);
    *passed = r == CUDA_OK;
    return rc || r == CUDA_NOT_READY ? rc : api_check(r, "cuEventQuery", e);
}

gpa_code event_elapsed(gpa_dev *d, gpa_event *a, gpa_event *b, double *ms, gpa_err *e) {
    float between = 0;
    context_enter(d);
    gpa_code rc = check_event(d, a, e);
    if (!rc) rc = check_event(d, b, e);
    if (!rc) rc = wait_event(d, b->at, e);
    if (!rc) rc = CALL(event_elapsed, &between, a->at, b->at);
    *ms = (double)between;
    return rc;
}
