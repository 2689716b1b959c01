/* Work divided among OpenMP's threads: items are taken one by one from a shared counter, so that uneven ones even out. */
#include "runtime/cpu/threads.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

int threads_wanted(void) {
    const char *text = getenv("GPA_NUM_THREADS");
    long n = text ? strtol(text, NULL, 10) : 0;
    cpu_set_t set;
    if (n >= 1 && n <= 4096) return (int)n;
    if (!sched_getaffinity(0, sizeof set, &set)) n = CPU_COUNT(&set);
    return n >= 1 ? (int)n : 1;
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
