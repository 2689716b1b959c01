/* Work divided among OpenMP's threads: items are taken one by one from a shared counter, so that uneven ones even out. */
#include "runtime/cpu/threads.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

gpa_code threads_wanted(int *out, gpa_err *e) {
    const char *text = getenv("GPA_NUM_THREADS");
    cpu_set_t set;
    *out = 1;
    if (text && *text) {
        char *end;
        long n = strtol(text, &end, 10);
        if (*end || n < 1 || n > THREADS_MOST) return gpa_fail(e, GPA_E_VALUE, "GPA_NUM_THREADS: '%.40s' is not a number of threads (1 to %d)", text, THREADS_MOST);
        *out = (int)n;
    } else if (!sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) > 1) {
        *out = CPU_COUNT(&set);
    }
    return GPA_OK;
}

static bool stopped(const int32_t *stop) { return __atomic_load_n(stop, __ATOMIC_RELAXED) != 0; }

static void take_items(int64_t n, int64_t *next, const int32_t *stop, threads_item item, void *arg) {
    while (!stopped(stop)) {
        int64_t i = __atomic_fetch_add(next, 1, __ATOMIC_RELAXED);
        if (i >= n) return;
        item(arg, i);
    }
}

void threads_each(int threads, int64_t n, const int32_t *stop, threads_item item, void *arg) {
    int64_t next = 0;
    int use = n < threads ? (int)n : threads;
    if (use <= 1) {
        take_items(n, &next, stop, item, arg);
        return;
    }
#pragma omp parallel num_threads(use)
    take_items(n, &next, stop, item, arg);
}
