/* The primary context of a device and the objects allocated in it.
 *
 * The context is retained for the life of the process, since creating one is slow. Fault records
 * (written by the device) and interrupt flags (written by the host) are in mapped pinned memory. A
 * signal handler may write interrupt flags at any time, so they are withdrawn before the memory is
 * freed. */
#include "runtime/cuda/driver/context.h"

#include <stdio.h>

#include "runtime/base/base.h"
#include "runtime/cuda/driver/interrupt.h"
#include "runtime/cuda/driver/stream.h"
#include "runtime/cuda/driver/transfer.h"
#include "runtime/cuda/driver/wait.h"

#define CALL(name, ...) api_check(d->cu->name(__VA_ARGS__), #name, e)

enum { MIN_COMPUTE_CAPABILITY = 75 };

const cu_driver *context_driver(char *why, size_t n) {
    static bool ready;
    const cu_driver *cu = api_driver(why, n);
    if (!cu || ready) return cu;
    CUresult r = cu->init(0);
    if (r) {
        const char *text = NULL;
        cu->error_text(r, &text);
        snprintf(why, n, "the driver does not start: %s", text ? text : "unknown error");
        return NULL;
    }
    ready = true;
    return cu;
}

/* ---- parts ---- */

static int attribute(gpa_dev *d, int which) {
    int v = 0;
    d->cu->device_attribute(&v, which, d->device);
    return v;
}

static gpa_code read_attributes(gpa_dev *d, gpa_err *e) {
    d->target = (cu_target){.major = attribute(d, CU_ATTR_CC_MAJOR),
                            .minor = attribute(d, CU_ATTR_CC_MINOR)};
    d->units = (uint32_t)attribute(d, CU_ATTR_UNITS);
    d->max_threads = (uint32_t)attribute(d, CU_ATTR_MAX_THREADS);
    d->max_shared = (uint32_t)attribute(d, CU_ATTR_MAX_SHARED_OPTIN);
    if (d->target.major * 10 + d->target.minor < MIN_COMPUTE_CAPABILITY)
        return gpa_fail(e, GPA_E_DEVICE, "compute capability %d.%d: 7.5 or later is needed",
                        d->target.major, d->target.minor);
    if (!attribute(d, CU_ATTR_MEMORY_POOLS))
        return gpa_fail(e, GPA_E_DEVICE, "the driver has no memory pools");
    return GPA_OK;
}

/* The pool retains freed memory until an allocation fails. */
static gpa_code make_pool(gpa_dev *d, gpa_err *e) {
    uint64_t keep = UINT64_MAX;
    gpa_code rc = CALL(pool_default, &d->pool, d->device);
    return rc ? rc : CALL(pool_set, d->pool, CU_POOL_RELEASE_THRESHOLD, &keep);
}

/* Allocates mapped pinned memory. */
static gpa_code allocate_mapped(gpa_dev *d, size_t n, void *host, CUdeviceptr *seen, gpa_err *e) {
    void *p = NULL;
    gpa_code rc = CALL(host_alloc, &p, n, CU_MEMHOSTALLOC_PORTABLE_MAPPED);
    if (rc) return rc;
    memset(p, 0, n);
    memcpy(host, &p, sizeof p);
    return CALL(host_pointer, seen, p, 0);
}

static gpa_code allocate_cleared(gpa_dev *d, size_t n, CUdeviceptr *out, gpa_err *e) {
    gpa_code rc = CALL(alloc, out, n, d->stream);
    return rc ? rc : CALL(fill, *out, 0, n, d->stream);
}

static gpa_code allocate_parts(gpa_dev *d, gpa_err *e) {
    gpa_code rc = GPA_OK;
    d->generation++;
    TRY(CALL(context_set, d->context));
    TRY(CALL(stream_create, &d->stream, CU_STREAM_NON_BLOCKING));
    TRY(wait_open(d, e));
    TRY(make_pool(d, e));
    TRY(allocate_mapped(d, sizeof *d->mapped, &d->mapped, &d->mapped_address, e));
    TRY(allocate_cleared(d, FAULT_LOCK_BYTES * FAULT_SLOTS, &d->faults.locks, e));
    TRY(allocate_cleared(d, SEEN_BYTES * FAULT_SLOTS, &d->faults.seen, e));
    TRY(allocate_cleared(d, sizeof(uint32_t) * COUNTERS, &d->counters, e));
    TRY(stream_join(d, true, e)); /* user streams start after the memsets */
    d->faults.host = d->mapped->faults;
    d->faults.address = d->mapped_address + offsetof(cu_mapped, faults);
    d->interrupt_address = d->mapped_address + offsetof(cu_mapped, interrupt);
    interrupt_open(d);
    d->hooks->open(d);
out:
    return rc;
}

/* A program that does not end keeps the context busy: nothing can be freed, and the context is
 * leaked until the process exits. */
static void leak_parts(gpa_dev *d) {
    d->hooks->abandon(d);
    d->ring = NULL;
    d->done = d->clock[0] = d->clock[1] = NULL;
    d->counters = d->faults.locks = d->faults.seen = 0;
    d->mapped = NULL;
    d->stream = NULL;
    d->stuck = false;
    stream_close(d, false);
}

static void free_parts(gpa_dev *d) {
    const cu_driver *cu = d->cu;
    gpa_err quiet = {0};
    if (d->done && !wait_is_stuck(d)) wait_idle(d, &quiet); /* an interrupt ends the wait */
    interrupt_close(d);
    if (wait_is_stuck(d)) {
        leak_parts(d);
        return;
    }
    stream_close(d, true);
    d->hooks->close(d);
    transfer_close(d);
    wait_close(d);
    if (d->counters) cu->free(d->counters, d->stream);
    if (d->faults.locks) cu->free(d->faults.locks, d->stream);
    if (d->faults.seen) cu->free(d->faults.seen, d->stream);
    if (d->mapped) cu->host_free(d->mapped);
    if (d->stream) cu->stream_destroy(d->stream);
    d->counters = d->faults.locks = d->faults.seen = 0;
    d->faults.n = 0;
    d->mapped = NULL;
    d->stream = NULL;
}

/* ---- the context ---- */

gpa_code context_open(gpa_dev *d, gpa_err *e) {
    gpa_code rc = GPA_OK;
    d->transfer_threads = transfer_threads();
    TRY(CALL(device_get, &d->device, d->number));
    TRY(read_attributes(d, e));
    TRY(CALL(context_retain, &d->context, d->device));
    TRY(allocate_parts(d, e));
out:
    return rc;
}

void context_close(gpa_dev *d) {
    if (!d->context) return;
    context_enter(d);
    free_parts(d);
}

bool context_is_broken(gpa_dev *d) {
    context_enter(d);
    if (wait_is_stuck(d)) return true;
    CUresult r = d->stream ? d->cu->stream_query(d->stream) : CUDA_OK;
    return !d->stream || (r && r != CUDA_NOT_READY);
}

/* One attempt: a driver that refuses a process a new context after a fault (580 on an H100 does)
 * refuses it every time. */
gpa_code context_restart(gpa_dev *d, gpa_err *e) {
    gpa_code rc;
    context_enter(d);
    bool stuck = wait_is_stuck(d);
    free_parts(d);
    if (!stuck) d->cu->context_reset(d->device);
    d->second_context |= stuck;
    rc = stuck ? CALL(context_create, &d->context, 0, d->device)
               : CALL(context_retain, &d->context, d->device);
    return rc ? rc : allocate_parts(d, e);
}
