/* Interruptible waits and throttling.
 *
 * Programs with loops poll the interrupt flag and end by themselves, but work queued after them has
 * to run to its end. So the queue is kept short: an event (mark) every few launches, or after a
 * long one, and no more outstanding marks than the device passes in TUNE_CUDA_QUEUE_MAX_SECONDS.
 * The rate is measured, and bounded by the estimated cost of the launches, which recognizes a long
 * launch before it is done. */
#include "runtime/cuda/driver/wait.h"

#include <time.h>

#include "runtime/base/base.h"
#include "runtime/base/clock.h"
#include "runtime/cuda/driver/fault.h"
#include "runtime/cuda/driver/interrupt.h"
#include "runtime/cuda/driver/stream.h"
#include "runtime/tables/tuning.h"

#define CALL(name, ...) api_check(d->cu->name(__VA_ARGS__), #name, e)

gpa_code wait_open(gpa_dev *d, gpa_err *e) {
    cu_throttle *p = &d->throttle;
    gpa_code rc = CALL(event_create, &d->done, CU_EVENT_DISABLE_TIMING);
    *p = (cu_throttle){.allowed = 1};
    for (int i = 0; i < MARKS && !rc; i++)
        rc = CALL(event_create, &p->mark[i], CU_EVENT_DISABLE_TIMING);
    return rc;
}

void wait_close(gpa_dev *d) {
    for (int i = 0; i < MARKS; i++)
        if (d->throttle.mark[i]) d->cu->event_destroy(d->throttle.mark[i]);
    if (d->done) d->cu->event_destroy(d->done);
    for (int i = 0; i < 2; i++)
        if (d->clock[i]) d->cu->event_destroy(d->clock[i]);
    d->clock[0] = d->clock[1] = NULL;
    d->done = NULL;
    d->throttle = (cu_throttle){.allowed = 1};
}

/* Abandons a wait whose work does not end. */
static gpa_code abandon(gpa_dev *d, gpa_err *e) {
    gpa_err quiet = {0};
    fault_discard(d, true);
    stream_join(d, false, &quiet);
    if (!d->stuck) d->stuck = d->cu->event_record(d->done, d->stream) == CUDA_OK;
    gpa_interrupted(e);
    gpa_err_hint(e,
                 "a program on the GPU does not heed Ctrl-C: what needs the GPU waits for it, "
                 "`%%gpu reset` gives it up");
    return GPA_E_INTERRUPT;
}

/* Polls an event, first spinning, then with sleeps. */
gpa_code wait_event(gpa_dev *d, CUevent event, gpa_err *e) {
    double interrupted_at = 0;
    for (long polls = 0;; polls++) {
        CUresult r = d->cu->event_query(event);
        if (r != CUDA_NOT_READY) return api_check(r, "a program", e);
        if (polls < TUNE_CUDA_SPIN_POLLS) continue;
        if (interrupt_requested(d)) {
            if (interrupted_at == 0) interrupted_at = clock_seconds();
            if (clock_seconds() - interrupted_at > TUNE_CUDA_INTERRUPT_GRACE_SECONDS)
                return abandon(d, e);
        }
        nanosleep(&(struct timespec){0, polls < 10 * TUNE_CUDA_SPIN_POLLS ? 20000 : 500000}, NULL);
    }
}

gpa_code wait_idle(gpa_dev *d, gpa_err *e) {
    gpa_code rc = stream_join(d, false, e);
    if (!rc) rc = CALL(event_record, d->done, d->stream);
    if (!rc) rc = wait_event(d, d->done, e);
    if (rc) {
        fault_discard(d, false);
        return rc;
    }
    stream_settled(d);
    fault_deliver(d);
    return GPA_OK;
}

bool wait_is_stuck(gpa_dev *d) {
    if (d->stuck && d->cu->event_query(d->done) != CUDA_NOT_READY) d->stuck = false;
    return d->stuck;
}

gpa_code wait_usable(gpa_dev *d, gpa_err *e) {
    gpa_code rc = wait_is_stuck(d) ? wait_event(d, d->done, e) : GPA_OK;
    if (!rc) d->stuck = false;
    return rc;
}

/* Removes the first n marks, which were passed. */
static void remove_marks(cu_throttle *p, int n) {
    for (; n > 0; n--) {
        p->queued -= p->cost[p->first];
        p->first = (p->first + 1) % MARKS;
        p->n--;
    }
    if (!p->n) p->queued = 0;
}

gpa_code wait_throttle(gpa_dev *d, double cost, gpa_err *e) {
    cu_throttle *p = &d->throttle;
    gpa_code rc = GPA_OK;
    p->since += cost;
    if (++p->launches % TUNE_CUDA_LAUNCHES_PER_MARK && p->since < TUNE_CUDA_MARK_SECONDS)
        return GPA_OK;
    while (p->n && d->cu->event_query(p->mark[p->first]) == CUDA_OK) remove_marks(p, 1);
    while (!rc && p->n &&
           (p->n >= p->allowed || p->queued + p->since > TUNE_CUDA_QUEUE_MAX_SECONDS)) {
        double begun = clock_seconds();
        int half = p->n / 2 + 1;
        if ((rc = wait_event(d, p->mark[(p->first + half - 1) % MARKS], e))) return rc;
        remove_marks(p, half);
        double each = (clock_seconds() - begun) / half;
        p->allowed = each * (double)MARKS > TUNE_CUDA_QUEUE_MAX_SECONDS
                         ? MAX((int)(TUNE_CUDA_QUEUE_MAX_SECONDS / each), 1)
                         : MARKS;
    }
    int at = (p->first + p->n) % MARKS;
    rc = stream_join(d, false, e);
    if (!rc) rc = CALL(event_record, p->mark[at], d->stream);
    if (rc) return rc;
    p->cost[at] = p->since;
    p->queued += p->since;
    p->since = 0;
    p->n++;
    return GPA_OK;
}

double wait_clock(gpa_dev *d, bool begin) {
    gpa_err quiet = {0};
    float ms = 0;
    for (int i = 0; i < 2; i++)
        if (!d->clock[i] && d->cu->event_create(&d->clock[i], CU_EVENT_DEFAULT)) return -1;
    if (stream_join(d, false, &quiet) || d->cu->event_record(d->clock[!begin], d->stream) || begin)
        return -1;
    if (wait_event(d, d->clock[1], &quiet) || d->cu->event_elapsed(&ms, d->clock[0], d->clock[1]))
        return -1;
    return (double)ms * 1e-3;
}
