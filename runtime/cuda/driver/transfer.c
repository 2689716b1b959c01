/* Host-device copies through a ring of pinned staging buffers, and peer copies.
 *
 * Small copies go through the driver, which stages them itself; downloads of a few bytes use a
 * mapped buffer, which is faster. Large ones (the driver reaches 8 to 14 GB/s, the bus 55) are
 * split into chunks that several threads copy through a ring of pinned memory, double-buffered: a
 * thread fills one slot while the copy engine empties the other. Faulting in fresh destination
 * pages costs more than the copy, so huge pages are requested.
 *
 * Reading order: the ring, one thread, copies, between devices. */
#include "runtime/cuda/driver/transfer.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/base.h"
#include "runtime/cuda/driver/context.h"
#include "runtime/cuda/driver/wait.h"
#include "runtime/tables/tuning.h"

#define CALL(name, ...) api_check(d->cu->name(__VA_ARGS__), #name, e)

enum { HUGE_PAGE = 2 << 20 };

struct cu_ring {
    char *pinned; /* 2 * threads chunks */
    int threads;
    CUevent passed[TUNE_CUDA_TRANSFER_MAX_THREADS][2];
};

/* A copy in progress, shared by its threads. */
typedef struct {
    gpa_dev *d;
    char *host;
    CUdeviceptr at;
    size_t n, next; /* `next`: the next chunk. Atomic */
    bool up;
    int failed; /* the driver's first error */
} job;

typedef struct {
    job *j;
    int me;
} worker;

/* ---- the ring ---- */

static void free_ring(gpa_dev *d, struct cu_ring *r) {
    if (!r) return;
    for (int i = 0; i < r->threads; i++)
        for (int k = 0; k < 2; k++)
            if (r->passed[i][k]) d->cu->event_destroy(r->passed[i][k]);
    if (r->pinned) d->cu->host_free(r->pinned);
    mem_free(r);
}

int transfer_threads(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores / 2 >= TUNE_CUDA_TRANSFER_MIN_THREADS
               ? (int)MIN(cores * 3 / 4, TUNE_CUDA_TRANSFER_MAX_THREADS)
               : 0;
}

/* Creates the ring at the first large copy. NULL: copies go through the driver. */
static struct cu_ring *ensure_ring(gpa_dev *d) {
    if (d->ring || !d->transfer_threads) return d->ring;
    struct cu_ring *r = mem_zero(sizeof *r);
    void *pinned = NULL;
    bool good = r != NULL;
    if (r) r->threads = d->transfer_threads;
    for (int i = 0; good && i < r->threads; i++)
        for (int k = 0; k < 2; k++)
            good = good && !d->cu->event_create(&r->passed[i][k], CU_EVENT_DISABLE_TIMING);
    good =
        good && !d->cu->host_alloc(&pinned, 2 * (size_t)r->threads * TUNE_CUDA_TRANSFER_CHUNK_BYTES,
                                   CU_MEMHOSTALLOC_PORTABLE_MAPPED);
    if (r) r->pinned = pinned;
    if (!good) {
        d->transfer_threads = 0; /* not attempted again */
        free_ring(d, r);
    }
    return d->ring = good ? r : NULL;
}

void transfer_close(gpa_dev *d) {
    free_ring(d, d->ring);
    d->ring = NULL;
}

/* ---- one thread ---- */

static bool record_failure(job *j, CUresult r) {
    int none = CUDA_OK;
    if (r)
        __atomic_compare_exchange_n(&j->failed, &none, r, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    return __atomic_load_n(&j->failed, __ATOMIC_RELAXED) != CUDA_OK;
}

/* Takes the next chunk; false if there is none. */
static bool take_chunk(job *j, size_t *at, size_t *n) {
    *at = __atomic_fetch_add(&j->next, 1, __ATOMIC_RELAXED) * TUNE_CUDA_TRANSFER_CHUNK_BYTES;
    *n = *at < j->n ? MIN(j->n - *at, (size_t)TUNE_CUDA_TRANSFER_CHUNK_BYTES) : 0;
    return *n != 0;
}

static void fill_and_send(job *j, struct cu_ring *r, int me) {
    const cu_driver *cu = j->d->cu;
    size_t at, n;
    for (int k = 0; take_chunk(j, &at, &n); k = !k) {
        char *slot = r->pinned + (size_t)(2 * me + k) * TUNE_CUDA_TRANSFER_CHUNK_BYTES;
        if (record_failure(j, cu->event_synchronize(r->passed[me][k])))
            return; /* until the previous upload of this slot is done */
        memcpy(slot, j->host + at, n);
        if (record_failure(j, cu->to_device(j->at + at, slot, n, j->d->stream)) ||
            record_failure(j, cu->event_record(r->passed[me][k], j->d->stream)))
            return;
    }
}

static void receive_and_empty(job *j, struct cu_ring *r, int me) {
    const cu_driver *cu = j->d->cu;
    size_t at[2] = {0}, n[2] = {0}; /* of the downloads into the two slots */
    for (int k = 0;; k = !k) {
        char *slot = r->pinned + (size_t)(2 * me + k) * TUNE_CUDA_TRANSFER_CHUNK_BYTES;
        if (n[k]) {
            if (record_failure(j, cu->event_synchronize(r->passed[me][k]))) return;
            memcpy(j->host + at[k], slot, n[k]);
        }
        if (take_chunk(j, &at[k], &n[k])) {
            if (record_failure(j, cu->to_host(slot, j->at + at[k], n[k], j->d->stream)) ||
                record_failure(j, cu->event_record(r->passed[me][k], j->d->stream)))
                return;
        } else if (!n[!k]) {
            return;
        }
    }
}

static void *work(void *arg) {
    worker *w = arg;
    context_enter(w->j->d);
    (w->j->up ? fill_and_send : receive_and_empty)(w->j, w->j->d->ring, w->me);
    return NULL;
}

static gpa_code run_threads(job *j, gpa_err *e) {
    worker w[TUNE_CUDA_TRANSFER_MAX_THREADS];
    pthread_t other[TUNE_CUDA_TRANSFER_MAX_THREADS];
    int threads = j->d->ring->threads, begun = 1;
    for (int i = 0; i < threads; i++) w[i] = (worker){j, i};
    while (begun < threads && !pthread_create(&other[begun], NULL, work, &w[begun])) begun++;
    work(&w[0]);
    for (int i = 1; i < begun; i++) pthread_join(other[i], NULL);
    return api_check(j->failed, "a transfer", e);
}

/* ---- copies ---- */

gpa_code transfer_up(gpa_dev *d, CUdeviceptr to, const void *from, size_t n, gpa_err *e) {
    if (n < TUNE_CUDA_TRANSFER_MIN_BYTES || !ensure_ring(d))
        return CALL(to_device, to, from, n, d->stream);
    job j = {.d = d, .host = (char *)(uintptr_t)from, .at = to, .n = n, .up = true};
    return run_threads(&j, e);
}

/* Asks for huge pages for fresh memory: faulting in small pages would take longer than the copy. */
static void request_huge_pages(char *to, size_t n) {
    uintptr_t first = ((uintptr_t)to + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1),
              last = ((uintptr_t)to + n) & ~(uintptr_t)(HUGE_PAGE - 1);
    if (first < last) madvise(to + (first - (uintptr_t)to), last - first, MADV_HUGEPAGE);
}

gpa_code transfer_down(gpa_dev *d, void *to, CUdeviceptr from, size_t n, gpa_err *e) {
    gpa_code rc = GPA_OK;
    if (n <= sizeof d->mapped->word) {
        TRY(CALL(to_host, d->mapped->word, from, n, d->stream));
        TRY(wait_idle(d, e));
        memcpy(to, d->mapped->word, n);
        goto out;
    }
    TRY(wait_idle(d, e)); /* the copy itself cannot be interrupted */
    if (n < TUNE_CUDA_TRANSFER_MIN_BYTES || !ensure_ring(d)) {
        TRY(CALL(to_host, to, from, n, d->stream));
        TRY(CALL(stream_synchronize, d->stream));
        goto out;
    }
    request_huge_pages(to, n);
    job j = {.d = d, .host = to, .at = from, .n = n};
    rc = run_threads(&j, e);
out:
    return rc;
}

/* ---- between devices ---- */

/* Enables peer access to a device's pool if the hardware supports it, so that copies bypass the
 * host; else the driver stages them. */
static void enable_peer_access(gpa_dev *owner, const gpa_dev *with) {
    uint64_t bit = UINT64_C(1) << (with->number & 63);
    cu_access access = {CU_LOCATION_DEVICE, with->device, CU_ACCESS_READ_WRITE};
    int can = 0;
    if (owner->peers & bit) return;
    owner->peers |= bit;
    if (!owner->cu->peer_can(&can, with->device, owner->device) && can)
        owner->cu->pool_share(owner->pool, &access, 1);
}

/* Makes later work of `late` wait for all work queued on `early`. */
static gpa_code order_after(gpa_dev *late, gpa_dev *early, gpa_err *e) {
    context_enter(early);
    gpa_code rc =
        api_check(early->cu->event_record(early->done, early->stream), "cuEventRecord", e);
    context_enter(late);
    return rc ? rc
              : api_check(late->cu->stream_wait_event(late->stream, early->done, 0),
                          "cuStreamWaitEvent", e);
}

gpa_code transfer_from(gpa_dev *d, CUdeviceptr to, gpa_dev *other, CUdeviceptr from, size_t n,
                       gpa_err *e) {
    enable_peer_access(d, other);
    enable_peer_access(other, d);
    gpa_code rc = order_after(d, other, e);
    if (!rc) rc = CALL(copy_peer, to, d->context, from, other->context, n, d->stream);
    return rc ? rc : order_after(other, d, e);
}
