/* Transfers and waits of the CUDA device, over a driver that delays every copy until an event after
 * it is waited for, so that memory that is read too early, or reused too soon, gives wrong data. */
#include "tests/unit/unit.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "runtime/cuda/driver/transfer.h"
#include "runtime/cuda/driver/wait.h"
#include "runtime/tables/tuning.h"

typedef struct {
    void *to;
    const void *from;
    size_t n;
} copy;

struct CUevent_st {
    size_t behind; /* copies that stand before it */
};

enum { MOST = 1 << 14 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static copy queue[MOST];
static size_t queued, done, events, pinned;
static long queries_until_done;
static int failing; /* copies until one fails; 0: none does */

static void run_to(size_t n) {
    for (; done < n; done++) memcpy(queue[done].to, queue[done].from, queue[done].n);
}

static CUresult put(void *to, const void *from, size_t n) {
    pthread_mutex_lock(&lock);
    bool fails = failing && --failing == 0;
    if (!fails) queue[queued++] = (copy){to, from, n};
    pthread_mutex_unlock(&lock);
    assert_true(queued < MOST);
    return fails ? 999 : CUDA_OK;
}

static CUresult to_device(CUdeviceptr to, const void *from, size_t n, CUstream s) {
    (void)s;
    /* memory that is not pinned is read at once */
    if (n < TUNE_CUDA_TRANSFER_MIN_BYTES && !pinned)
        return memcpy((void *)(uintptr_t)to, from, n), CUDA_OK;
    return put((void *)(uintptr_t)to, from, n);
}
static CUresult to_host(void *to, CUdeviceptr from, size_t n, CUstream s) {
    return (void)s, put(to, (void *)(uintptr_t)from, n);
}
static CUresult record(CUevent e, CUstream s) {
    (void)s;
    pthread_mutex_lock(&lock);
    e->behind = queued;
    pthread_mutex_unlock(&lock);
    return CUDA_OK;
}
static CUresult reach_event(CUevent e) {
    pthread_mutex_lock(&lock);
    run_to(e->behind);
    pthread_mutex_unlock(&lock);
    return CUDA_OK;
}
static CUresult query(CUevent e) {
    if (queries_until_done && --queries_until_done) return CUDA_NOT_READY;
    return reach_event(e);
}
static CUresult wait_stream(CUstream s) {
    (void)s;
    pthread_mutex_lock(&lock);
    run_to(queued);
    pthread_mutex_unlock(&lock);
    return CUDA_OK;
}
static CUresult event_create(CUevent *e, unsigned flags) {
    return (void)flags, events++, (*e = calloc(1, sizeof **e)) ? CUDA_OK : CUDA_OUT_OF_MEMORY;
}
static CUresult event_destroy(CUevent e) { return events--, free(e), CUDA_OK; }
static CUresult host_alloc(void **p, size_t n, unsigned flags) {
    return (void)flags, pinned++, (*p = malloc(n)) ? CUDA_OK : CUDA_OUT_OF_MEMORY;
}
static CUresult host_free(void *p) { return pinned--, free(p), CUDA_OK; }
static CUresult set(CUcontext c) { return (void)c, CUDA_OK; }

static const cu_driver driver = {.to_device = to_device,
                                 .to_host = to_host,
                                 .event_record = record,
                                 .event_synchronize = reach_event,
                                 .event_query = query,
                                 .stream_synchronize = wait_stream,
                                 .event_create = event_create,
                                 .event_destroy = event_destroy,
                                 .host_alloc = host_alloc,
                                 .host_free = host_free,
                                 .context_set = set};

static cu_mapped shared;

static gpa_dev *begin(int threads) {
    gpa_err e = {0};
    gpa_dev *d = test_calloc(1, sizeof *d);
    d->cu = &driver;
    d->mapped = &shared;
    d->transfer_threads = threads;
    queued = done = 0;
    failing = 0;
    queries_until_done = 0;
    assert_int_equal(wait_open(d, &e), GPA_OK);
    return d;
}

static void end(gpa_dev *d) {
    transfer_close(d);
    wait_close(d);
    assert_int_equal(events, 0);
    assert_int_equal(pinned, 0);
    test_free(d);
}

/* Fills memory with a pattern that differs at every offset. */
static void mark(uint32_t *at, size_t n, uint32_t seed) {
    for (size_t i = 0; i < n / 4; i++) at[i] = (uint32_t)i * 2654435761u + seed;
}

static void there_and_back(size_t n, int threads, int times) {
    gpa_err e = {0};
    gpa_dev *d = begin(threads);
    char *from = malloc(n), *device = malloc(n), *back = malloc(n);
    for (int i = 0; i < times; i++) {
        mark((uint32_t *)(void *)from, n, (uint32_t)i);
        assert_int_equal(transfer_up(d, (CUdeviceptr)(uintptr_t)device, from, n, &e), GPA_OK);
        memset(from, 0xee, n); /* it may be used again at once */
        assert_int_equal(transfer_down(d, back, (CUdeviceptr)(uintptr_t)device, n, &e), GPA_OK);
        mark((uint32_t *)(void *)from, n, (uint32_t)i);
        assert_memory_equal(from, back, n);
    }
    free(from);
    free(device);
    free(back);
    end(d);
}

static void test_sizes(void **state) {
    (void)state;
    there_and_back(8, 4, 3);
    there_and_back(1 << 10, 4, 3);
    there_and_back(100000, 4, 3);
    there_and_back(TUNE_CUDA_TRANSFER_MIN_BYTES, 4, 3);
    there_and_back(TUNE_CUDA_TRANSFER_MIN_BYTES + 4, 5, 2);
    there_and_back((size_t)TUNE_CUDA_TRANSFER_MIN_BYTES + 12345 * 4, 1, 2);
    there_and_back((size_t)TUNE_CUDA_TRANSFER_MIN_BYTES * 2 - 4, TUNE_CUDA_TRANSFER_MAX_THREADS, 2);
}

/* A driver's error in one thread ends the copy, and is reported; the next copy works. */
static void test_failure(void **state) {
    (void)state;
    gpa_dev *d = begin(4);
    size_t n = TUNE_CUDA_TRANSFER_MIN_BYTES;
    char *host = malloc(n), *device = malloc(n);
    for (int up = 0; up < 2; up++) {
        gpa_err e = {0};
        CUdeviceptr at = (CUdeviceptr)(uintptr_t)device;
        failing = 5;
        assert_int_equal(up ? transfer_up(d, at, host, n, &e) : transfer_down(d, host, at, n, &e),
                         GPA_E_DEVICE);
        assert_non_null(strstr(e.msg, "a transfer"));
        wait_stream(NULL);
        gpa_err_clear(&e);
        mark((uint32_t *)(void *)host, n, 7);
        assert_int_equal(transfer_up(d, at, host, n, &e), GPA_OK);
        wait_stream(NULL);
        assert_memory_equal(host, device, n);
    }
    free(host);
    free(device);
    end(d);
}

/* A wait ends soon after an interrupt, even if the work does not; without an interrupt it
 * continues. */
static void test_interrupt(void **state) {
    (void)state;
    gpa_err e = {0};
    gpa_dev *d = begin(0);
    queries_until_done = 2500;
    assert_int_equal(wait_idle(d, &e), GPA_OK);
    queries_until_done = 1L << 60;
    d->is_requested = 1;
    assert_int_equal(wait_idle(d, &e), GPA_E_INTERRUPT);
    queries_until_done = 0;
    d->is_requested = 0;
    gpa_err_clear(&e);
    assert_int_equal(wait_idle(d, &e), GPA_OK);
    end(d);
}

/* Throttling: long launches do not accumulate in the queue; short ones are rarely polled. */
static void test_pace(void **state) {
    (void)state;
    gpa_err e = {0};
    gpa_dev *d = begin(0);
    for (int i = 0; i < 1000; i++) {
        queries_until_done = 3; /* nothing is done when first asked for */
        assert_int_equal(wait_throttle(d, 0.05, &e), GPA_OK);
        assert_true(d->throttle.n <= 4);
        assert_true(d->throttle.queued < 0.25);
    }
    for (int i = 0; i < 1000; i++) {
        queries_until_done = 3;
        assert_int_equal(wait_throttle(d, 1e-6, &e), GPA_OK);
        assert_in_range(d->throttle.n, 0, MARKS);
    }
    end(d);
}

UNIT_TESTS(TEST(test_sizes), TEST(test_failure), TEST(test_interrupt), TEST(test_pace))
