/* The caching allocator: segregated free lists by size class.
 *
 * There are eight size classes per power of two, so a block fits every request of its class with
 * at most an eighth of internal fragmentation. Free blocks are in the bin of their class; a
 * large request may also take a block of the next classes. Blocks are cached because fresh
 * memory is slow: on a CPU its pages must be faulted in and cleared, on a GPU an allocation
 * synchronizes with the device.
 *
 * Invariants: bytes_live is the capacity of blocks outside the bins, bytes_cached of those
 * inside; live + cached never exceeds the limit. */
#include "runtime/exec/buffer.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/exec/device.h"
#include "runtime/exec/deferred_error.h"
#include "runtime/exec/loop_log.h"
#include "runtime/exec/rt.h"
#include "runtime/tables/tuning.h"

enum {
    LOG2_MIN_BLOCK = 6, /* log2 of the smallest block */
    LOG2_CLASSES = 3,   /* log2 of the classes in a doubling */
    SIZE_CLASSES = (48 - LOG2_MIN_BLOCK) << LOG2_CLASSES,
};

#ifdef GPA_STRESS
#define CACHE_BLOCKS false
#else
#define CACHE_BLOCKS true
#endif

struct pool {
    gpa_buf *bin[SIZE_CLASSES];
    gpa_buf *truncated; /* in use and truncated (buf_truncate) */
    uint64_t live, cached;
    uint64_t limit; /* of live + cached; 0: none */
    /* Blocks have exactly the requested size and are not cached, so that a sanitizer detects
     * accesses out of bounds and after free. */
    bool exact;
};

/* ---- size classes ---- */

/* The class of a request, and its block size. SIZE_CLASSES when it is beyond all classes. */
static size_t class_of(size_t n, size_t *capacity) {
    if (n <= (size_t)1 << LOG2_MIN_BLOCK) n = ((size_t)1 << LOG2_MIN_BLOCK);
    size_t top = 63u - (size_t)__builtin_clzll(n); /* 2^top <= n */
    size_t step = (size_t)1 << (top > LOG2_CLASSES ? top - LOG2_CLASSES : 0);
    size_t rounded = (n + step - 1) & ~(step - 1);
    if (rounded < n) return SIZE_CLASSES;
    *capacity = rounded;
    top = 63u - (size_t)__builtin_clzll(rounded);
    return ((top - LOG2_MIN_BLOCK) << LOG2_CLASSES) +
           ((rounded >> (top - LOG2_CLASSES)) & ((1u << LOG2_CLASSES) - 1));
}

/* ---- the pool ---- */

/* The limit of rt_set_memory_limit or GPA_MEMORY_LIMIT, else all of the device's memory. */
static gpa_code read_limit(const gpa_rt *rt, const gpa_device *d, uint64_t *out, gpa_err *e) {
    const char *text = rt->memory_limit[0] ? rt->memory_limit : getenv("GPA_MEMORY_LIMIT");
    *out = d->caps.mem_total;
    if (!text || !*text || strcmp(text, "100%") == 0 ||
        str_read_bytes(text, d->caps.mem_total, out))
        return GPA_OK;
    gpa_fail(e, GPA_E_VALUE, "%s'%.40s' is not an amount of memory",
             rt->memory_limit[0] ? "" : "GPA_MEMORY_LIMIT: ", text);
    gpa_err_hint(e, "write it as 4G, 512M or 25%%");
    return GPA_E_VALUE;
}

static gpa_code open_pool(gpa_rt *rt, gpa_device *d, gpa_err *e) {
    if (d->pool) return GPA_OK;
    uint64_t limit;
    gpa_code rc = read_limit(rt, d, &limit, e);
    if (rc) return rc;
    d->pool = mem_zero(sizeof *d->pool);
    if (!d->pool) return gpa_no_memory(e);
    d->pool->limit = limit;
    d->pool->exact = !CACHE_BLOCKS || getenv("GPA_MEMORY_CHECK");
    return GPA_OK;
}

static void count_live(gpa_rt *rt, struct pool *p, int64_t change) {
    p->live += (uint64_t)change;
    rt->stats.bytes_live += (uint64_t)change;
    if (rt->stats.bytes_live > rt->stats.bytes_peak) rt->stats.bytes_peak = rt->stats.bytes_live;
}

static void count_cached(gpa_rt *rt, struct pool *p, int64_t change) {
    p->cached += (uint64_t)change;
    rt->stats.bytes_cached += (uint64_t)change;
}

static void free_block(gpa_buf *b) {
    b->device->be->free(b->device->dev, b->mem);
    mem_free(b);
}

static gpa_buf *take_cached(gpa_rt *rt, struct pool *p, size_t bin, size_t n) {
    size_t last = MIN(bin + (n >= TUNE_LARGE_BLOCK_MIN_BYTES ? TUNE_LARGE_BLOCK_EXTRA_CLASSES : 0),
                      (size_t)SIZE_CLASSES - 1);
    for (; bin <= last; bin++) {
        gpa_buf *b = p->bin[bin];
        if (!b) continue;
        p->bin[bin] = b->next;
        count_cached(rt, p, -(int64_t)b->capacity);
        return b;
    }
    return NULL;
}

static gpa_code new_block(gpa_rt *rt, gpa_device *d, size_t capacity, gpa_buf **out, gpa_err *e) {
    struct pool *p = d->pool;
    if (p->limit && capacity > p->limit - MIN(p->limit, p->live)) return gpa_no_memory(e);
    if (p->limit && p->live + p->cached + capacity > p->limit) buf_trim(rt, d);
    gpa_buf *b = mem_zero(sizeof *b);
    if (!b) return gpa_no_memory(e);
    gpa_err first = {0};
    gpa_code rc = d->be->alloc(d->dev, capacity, &b->mem, &first);
    if (rc == GPA_E_MEMORY && p->cached) {
        buf_trim(rt, d);
        gpa_err_clear(&first);
        rc = d->be->alloc(d->dev, capacity, &b->mem, &first);
    }
    if (rc) {
        mem_free(b);
        return rc == GPA_E_MEMORY ? gpa_no_memory(e) : gpa_fail(e, rc, "%s", first.msg);
    }
    b->device = d;
    b->epoch = d->epoch;
    b->capacity = capacity;
    b->host = d->caps.host_visible ? d->be->base(b->mem) : NULL;
    b->is_distributed = d->be->host_access != NULL;
    *out = b;
    return GPA_OK;
}

static void unlink_truncated(struct pool *p, gpa_buf *b) {
    gpa_buf **at = &p->truncated;
    while (*at != b) at = &(*at)->next;
    *at = b->next;
    b->truncated = false;
}

void buf_unshare(gpa_rt *rt, gpa_buf *b) {
    size_t i = 0;
    if (!b->shared) return;
    while (rt->shared.at[i] != b) i++;
    rt->shared.at[i] = rt->shared.at[--rt->shared.n];
    b->shared = false;
}

static void put_cached(gpa_rt *rt, gpa_buf *b) {
    buf_unshare(rt, b);
    deferred_release(b->deferred);
    b->deferred = NULL;
    mem_free(b->host_copy);
    b->host_copy = NULL;
    struct pool *p = b->device->pool;
    size_t capacity;
    if (b->truncated) unlink_truncated(p, b);
    count_live(rt, p, -(int64_t)b->capacity);
    if (p->exact || b->epoch != b->device->epoch) {
        free_block(b);
        return;
    }
    size_t bin = class_of(b->capacity, &capacity);
    b->next = p->bin[bin];
    p->bin[bin] = b;
    count_cached(rt, p, (int64_t)b->capacity);
}

gpa_code buf_new(gpa_rt *rt, gpa_device *d, size_t n, gpa_buf **out, gpa_err *e) {
    gpa_code rc = open_pool(rt, d, e);
    if (rc) return rc;
    size_t capacity, bin = class_of(n, &capacity);
    if (bin >= SIZE_CLASSES) return gpa_no_memory(e);
    if (d->pool->exact) capacity = MAX(n, 1);
    gpa_buf *b = take_cached(rt, d->pool, bin, n);
    if (!b) {
        rc = new_block(rt, d, capacity, &b, e);
        if (rc) return rc;
    }
    count_live(rt, d->pool, (int64_t)b->capacity);
    b->bytes = n;
    b->owners = 1;
    b->readers = 0;
    b->version++;
    b->next = NULL;
    b->release = put_cached;
    loop_log_new(rt, b);
    *out = b;
    return GPA_OK;
}

/* ---- truncated buffers ---- */

void buf_truncate(gpa_rt *rt, gpa_buf *b, size_t n) {
    (void)rt;
    size_t capacity;
    struct pool *p = b->device->pool;
    b->bytes = n;
    if (b->truncated || b->host || class_of(n, &capacity) >= SIZE_CLASSES ||
        capacity >= b->capacity)
        return;
    b->truncated = true;
    b->next = p->truncated;
    p->truncated = b;
}

void buf_pin(gpa_buf *b) {
    if (b->truncated) unlink_truncated(b->device->pool, b);
}

bool buf_compact(gpa_rt *rt, gpa_device *d) {
    struct pool *p = d->pool;
    gpa_err quiet = {0};
    bool any = false;
    gpa_mem *mem;
    size_t capacity;
    for (gpa_buf *b = p ? p->truncated : NULL, *next; b; b = next) {
        next = b->next;
        class_of(b->bytes, &capacity);
        if (b->epoch != d->epoch || d->be->alloc(d->dev, capacity, &mem, &quiet)) continue;
        if (d->be->copy(d->dev, &(gpa_copy){.to = mem, .from = b->mem, .n = b->bytes}, &quiet)) {
            d->be->free(d->dev, mem);
            continue;
        }
        d->be->free(d->dev, b->mem);
        b->mem = mem;
        count_live(rt, p, (int64_t)capacity - (int64_t)b->capacity);
        b->capacity = capacity;
        unlink_truncated(p, b);
        any = true;
    }
    return any;
}

void buf_trim(gpa_rt *rt, gpa_device *d) {
    struct pool *p = d->pool;
    if (!p) return;
    for (size_t i = 0; i < SIZE_CLASSES; i++) {
        while (p->bin[i]) {
            gpa_buf *b = p->bin[i];
            p->bin[i] = b->next;
            count_cached(rt, p, -(int64_t)b->capacity);
            free_block(b);
        }
    }
}

void buf_close_pool(gpa_rt *rt, gpa_device *d) {
    buf_trim(rt, d);
    mem_free(d->pool);
    d->pool = NULL;
}

void buf_usage(const gpa_device *d, uint64_t *live, uint64_t *cached) {
    *live = d->pool ? d->pool->live : 0;
    *cached = d->pool ? d->pool->cached : 0;
}

gpa_code buf_check(const gpa_buf *b, gpa_err *e) {
    if (b->epoch == b->device->epoch) return deferred_check(b->deferred, e);
    return gpa_fail(e, GPA_E_DEVICE, "the elements of this array were lost when %s failed",
                    b->device->caps.name);
}

gpa_code buf_fetch_host(const gpa_buf *b, size_t at, size_t n, gpa_host_use use, gpa_err *e) {
    const gpa_device *d = b->device;
    return d->be->host_access(d->dev, b->mem, &(gpa_host_access){at, n, use}, e);
}

uint64_t buf_available(const gpa_device *d) {
    const struct pool *p = d->pool;
    return p && p->limit ? p->limit - MIN(p->limit, p->live) : UINT64_MAX;
}

gpa_code buf_limit(gpa_rt *rt, gpa_device *d, uint64_t *out, gpa_err *e) {
    gpa_code rc = open_pool(rt, d, e);
    if (!rc) *out = d->pool->limit;
    return rc;
}

void rt_trim(gpa_rt *rt) {
    for (gpa_device *d = rt->devices; d; d = d->next) buf_trim(rt, d);
}

gpa_code rt_set_memory_limit(gpa_rt *rt, const char *text, gpa_err *e) {
    char before[sizeof rt->memory_limit];
    gpa_device *d;
    uint64_t limit = 0;
    memcpy(before, rt->memory_limit, sizeof before);
    snprintf(rt->memory_limit, sizeof rt->memory_limit, "%s", text ? text : "100%");
    gpa_code rc = device_default(rt, &d, e);
    if (!rc) rc = read_limit(rt, d, &limit, e);
    if (rc) {
        memcpy(rt->memory_limit, before, sizeof before);
        return rc;
    }
    for (d = rt->devices; d; d = d->next) {
        if (!d->pool || read_limit(rt, d, &limit, NULL)) continue;
        d->pool->limit = limit;
        if (limit && d->pool->live + d->pool->cached > limit) buf_trim(rt, d);
    }
    return GPA_OK;
}

/* ---- owners and readers ---- */

void buf_add_owner(gpa_rt *rt, gpa_buf *b) {
    if (b->owners++ == 0) rt->stats.bytes_pending -= b->capacity;
}

void buf_remove_owner(gpa_rt *rt, gpa_buf *b) {
    if (--b->owners) return;
    if (b->readers)
        rt->stats.bytes_pending += b->capacity;
    else
        b->release(rt, b);
}
