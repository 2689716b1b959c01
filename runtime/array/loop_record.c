/* Recording of loops: an iteration is logged between its two back edges; after three of them, or
 * one of a loop whose model was kept, it is known whether the following ones can be replayed. */
#include "runtime/array/array.h"
#include "runtime/array/tape.h"
#include "runtime/array/tape_replay.h"
#include "runtime/base/clock.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/loop_model.h"
#include "runtime/tables/tuning.h"

enum { MAX_TRIES = 12 };

bool rt_loops_enabled(const gpa_rt *rt) {
    const gpa_device *d = rt->device;
    return rt->loops_replayed && !rt->loops_held && tape_is_replayable(rt) && d &&
           !d->caps.interprets && (d->caps.host_visible || d->caps.graphs || rt->loops_everywhere);
}

/* The clock without the time that programs took to compile. */
static double busy_seconds(const gpa_rt *rt) { return clock_seconds() - rt->stats.compile_seconds; }

bool rt_loop_gains_from_elements(const gpa_rt *rt) {
    return rt->device && !rt->device->caps.host_visible;
}

double rt_loop_clock(const gpa_rt *rt) {
    return !rt->loops_everywhere && rt->device && rt->device->caps.host_visible ? busy_seconds(rt)
                                                                                : 0;
}

static gpa_code ensure(gpa_rt *rt, gpa_err *e) {
    struct loop_replay *r = rt->loop_replay;
    if (r) return GPA_OK;
    if (!(r = rt->loop_replay = mem_zero(sizeof *r))) return gpa_no_memory(e);
    for (int i = 0; i < LOOP_RECORDED; i++) r->at[i] = &r->iterations[i];
    return GPA_OK;
}

/* Computes what is pending: first what the next iteration needs, then the rest by launches of their
 * own, which a replay omits but for the last iteration (loop_model.h: dead stores). */
static gpa_code compute_pending(gpa_rt *rt, gpa_err *e) {
    gpa_code rc = exec_pending(rt, CUT_LOOP, e);
    return rc || !rt->n_pending ? rc : exec_pending(rt, CUT_LOOP, e);
}

/* False if the memory may not suffice: the old values of the variables stay until the iteration
 * ends.
 */
static bool fits_memory(const gpa_rt *rt, const loop_log *g, size_t n) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        if (g->start[i].given.assigned && g->start[i].buf) bytes += g->start[i].buf->bytes;
    return bytes <= buf_available(rt->device) / 2;
}

gpa_code rt_loop_begin(gpa_rt *rt, const rt_loop_state *s, bool first, rt_loop_reason *why,
                       gpa_err *e) {
    *why = RT_LOOP_FINE;
    gpa_code rc = ensure(rt, e);
    if (!rc) rc = compute_pending(rt, e);
    if (rc) return rc;
    struct loop_replay *r = rt->loop_replay;
    if (first) rt_loop_stop(rt);
    loop_iteration *next = r->at[0];
    for (int i = 1; i < LOOP_RECORDED; i++) r->at[i - 1] = r->at[i];
    r->at[LOOP_RECORDED - 1] = next;
    loop_log_clear(&next->log);
    if (!rt_loops_enabled(rt) || rt->devices->next)
        *why = RT_LOOP_DEVICES;
    else if (exec_unsettled(rt) || rt->unused_gathers.n)
        *why = RT_LOOP_FAULT;
    else if (rt->n_pending) /* a padded or shifted array that may not be needed */
        *why = RT_LOOP_PENDING;
    else if (!loop_log_arrays(next->log.start, s->arrays, s->n_arrays + s->n_inputs))
        *why = RT_LOOP_STRUCTURE;
    else if (!fits_memory(rt, &next->log, s->n_arrays))
        *why = RT_LOOP_SHORT;
    if (*why) {
        rt_loop_stop(rt);
        return GPA_OK;
    }
    next->log.refused_at = (gpa_span){0, 0, 0};
    next->log.n_start = s->n_arrays;
    next->log.n_named = s->n_arrays + s->n_inputs;
    next->tape_before = tape_last(rt);
    next->began = busy_seconds(rt);
    r->key = s->key;
    r->left = s->left;
    r->logging = true;
    return GPA_OK;
}

gpa_span rt_loop_refused_at(const gpa_rt *rt) {
    const struct loop_replay *r = rt->loop_replay;
    return r ? r->at[LOOP_RECORDED - 1]->log.refused_at : (gpa_span){0, 0, 0};
}

/* Names what the arrays at the end of an iteration are. False: memory of an unknown origin. */
static bool name_ends(loop_iteration *x) {
    const loop_log *g = &x->log;
    for (size_t i = 0; i < g->n_start; i++) {
        const log_array *a = &x->end[i];
        size_t k = 0, first = 0;
        if (!a->buf || !loop_log_name(g, a->buf, &x->name[i])) return false;
        while (k < g->n_start && g->start[k].given.object != a->given.object) k++;
        while (x->end[first].given.object != a->given.object) first++;
        x->object[i] = k < g->n_start ? (int32_t)k : -1 - (int32_t)first;
        for (k = 0; k < g->n_start && g->start[k].storage != a->storage;) k++;
        for (first = 0; x->end[first].storage != a->storage;) first++;
        x->storage[i] = k < g->n_start ? (int32_t)k : -1 - (int32_t)first;
    }
    return true;
}

/* Ends the log of an iteration: what its variables and scalars were. */
static rt_loop_reason finish(const gpa_rt *rt, loop_iteration *x, const rt_loop_state *s) {
    if (x->log.why) return x->log.why;
    if (s->n_arrays != x->log.n_start || !loop_log_arrays(x->end, s->arrays, s->n_arrays))
        return RT_LOOP_STRUCTURE;
    x->tape_last = tape_last(rt);
    x->n_scalars = s->n_scalars;
    if (s->n_scalars) memcpy(x->scalars, s->scalars, s->n_scalars * sizeof *s->scalars);
    return name_ends(x) ? RT_LOOP_FINE : RT_LOOP_MEMORY;
}

gpa_code rt_loop_end(gpa_rt *rt, const rt_loop_state *s, bool *ready, rt_loop_reason *why,
                     gpa_err *e) {
    struct loop_replay *r = rt->loop_replay;
    *ready = false;
    *why = RT_LOOP_STRUCTURE;
    gpa_code rc = r && r->logging ? compute_pending(rt, e) : exec_pending(rt, CUT_LOOP, e);
    if (!r || !r->logging) return rc;
    r->logging = false;
    loop_iteration *x = r->at[LOOP_RECORDED - 1];
    *why = rc ? RT_LOOP_FAULT : rt->n_pending ? RT_LOOP_PENDING : finish(rt, x, s);
    if (!*why && busy_seconds(rt) - x->began > TUNE_LOOP_MAX_ITERATION_SECONDS) *why = RT_LOOP_LONG;
    r->n++;
    r->tries++;
    *ready = !*why && loop_model_again(r);
    if (!*why && !*ready && r->n >= LOOP_RECORDED) {
        rt_loop_reason no_model = tape_replay_make(rt, r);
        if (!no_model) no_model = loop_model_make(r);
        *ready = !no_model;
        if (*ready) loop_model_keep(r);
        if (no_model && r->tries >= MAX_TRIES) *why = no_model;
    }
    if (*why) rt_loop_stop(rt);
    return rc;
}
