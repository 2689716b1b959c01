/* The runtime object: creation, destruction, interrupts, flush and sync. The other rt_* functions
 * of runtime.h are in the file of their topic: device.c, buffer.c, stream.c, explain.c, profile.c,
 * disk_cache.c, program_cache.c, unused_gather.c. */
#include "runtime/exec/rt.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/exec/exec.h"
#include "runtime/exec/explain.h"
#include "runtime/exec/precision.h"
#include "runtime/exec/profile.h"
#include "runtime/exec/unused_gather.h"
#include "runtime/exec/loop_batch.h"
#include "runtime/exec/loop_model.h"
#include "runtime/tables/tuning.h"

/* Rejects environment variables with unreadable values at startup. */
static gpa_code check_settings(gpa_err *e) {
    static const struct {
        const char *name;
        uint64_t total; /* percentages are not allowed here */
    } amounts[] = {{"GPA_MEMORY_LIMIT", 100}, {"GPA_CACHE_LIMIT", 0}};
    for (size_t i = 0; i < COUNT_OF(amounts); i++) {
        const char *text = getenv(amounts[i].name);
        uint64_t bytes;
        if (text && *text && !str_read_bytes(text, amounts[i].total, &bytes))
            return gpa_fail(e, GPA_E_VALUE, "%s: '%.40s' is not an amount of memory",
                            amounts[i].name, text);
    }
    const char *loops = getenv("GPA_LOOPS");
    if (loops && *loops && strcmp(loops, "on") != 0 && strcmp(loops, "off") != 0)
        return gpa_fail(e, GPA_E_VALUE, "GPA_LOOPS: '%.40s' is neither on nor off", loops);
    const char *precision = getenv("GPA_PRECISION");
    gpa_precision found;
    if (precision && *precision && !precision_find(precision, &found))
        return precision_unknown("GPA_PRECISION", precision, e);
    return GPA_OK;
}

gpa_code rt_new(const rt_config *c, gpa_rt **out, gpa_err *e) {
    mem_keep_pages();
    gpa_rt *rt = mem_zero(sizeof *rt);
    if (!rt) return gpa_no_memory(e);
    if (c) rt->config = *c;
    rt->pending.prev = rt->pending.next = &rt->pending;
    const char *loops = getenv("GPA_LOOPS");
    rt->loops_replayed = !loops || strcmp(loops, "off") != 0;
    rt->loops_everywhere = loops && strcmp(loops, "on") == 0;
    const char *precision = getenv("GPA_PRECISION");
    if (precision) precision_find(precision, &rt->precision);
    rt->pending_limit = TUNE_MIN_PENDING_BYTES;
    rt->nodes.on_unused_gather = unused_gather_keep;
    const char *name = c && c->device ? c->device : getenv("GPA_DEVICE"),
               *simulator = getenv("NUMBA_ENABLE_CUDASIM");
    if (!name && simulator && strcmp(simulator, "1") == 0)
        name = rt_reference_device(); /* Numba's variable for its simulator, which checks accesses
                                         like the reference device */
    gpa_code rc = check_settings(e);
    if (!rc && name && *name && !(rc = device_check_name(name, e)))
        snprintf(rt->device_name, sizeof rt->device_name, "%s", name);
    if (rc)
        rt_free(rt);
    else
        *out = rt;
    return rc;
}

void rt_free(gpa_rt *rt) {
    if (!rt) return;
    unused_gather_free(rt);
    loop_batch_free(rt);
    loop_replay_free(rt);
    exec_free(rt);
    explain_free(rt);
    profile_free(rt);
    node_free_all(rt);
    device_close_all(rt);
    mem_free(rt->shared.at);
    for (gpa_arr *a = rt->free_arrs, *next; a; a = next) {
        next = a->base;
        mem_free(a);
    }
    for (gpa_storage *s = rt->free_storages, *next; s; s = next) {
        next = s->next;
        mem_free(s);
    }
    mem_free(rt);
}

void rt_interrupt(gpa_rt *rt) {
    atomic_store(&rt->interrupted, true);
    for (gpa_device *d = rt->devices; d; d = d->next) d->be->interrupt(d->dev, true);
}

void rt_interrupt_clear(gpa_rt *rt) {
    atomic_store(&rt->interrupted, false);
    for (gpa_device *d = rt->devices; d; d = d->next) d->be->interrupt(d->dev, false);
}

bool rt_interrupted(const gpa_rt *rt) { return atomic_load(&rt->interrupted); }

void rt_set_location(gpa_rt *rt, gpa_span where) { rt->at = where; }

bool rt_has_pending(const gpa_rt *rt) { return rt->n_pending != 0; }

gpa_code rt_loop_edge(gpa_rt *rt, gpa_err *e) {
    return rt->n_pending ? loop_batch_edge(rt, e) : GPA_OK;
}

void rt_loop_dead(gpa_arr *a) {
    a->storage->likely_dead = a->refs == 1 && a->storage->refs == 1 && a->storage->node;
}

gpa_code rt_flush(gpa_rt *rt, gpa_err *e) {
    return rt->n_pending ? exec_pending(rt, CUT_USER, e) : loop_batch_flush(rt, e);
}

gpa_code rt_sync(gpa_rt *rt, gpa_err *e) {
    gpa_code rc = GPA_OK;
    for (gpa_device *d = rt->devices; d && !rc; d = d->next)
        if (!d->lost)
            rc = exec_report_faults(rt, d, device_result(rt, d, d->be->sync(d->dev, e), e), e);
    return rc;
}

void rt_get_stats(const gpa_rt *rt, rt_stats *out) { *out = rt->stats; }
