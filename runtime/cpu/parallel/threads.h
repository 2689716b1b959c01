/* Fork-join thread pool: parallel loops over items, taken dynamically. */
#ifndef GPA_CPU_PARALLEL_THREADS_H
#define GPA_CPU_PARALLEL_THREADS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/err.h"

typedef void (*threads_item)(void *arg, int64_t i);

enum { THREADS_MAX = 4096 };

/* The number of threads: GPA_NUM_THREADS, else the processors that the affinity mask and the
 * control groups of this process allow. GPA_E_VALUE if GPA_NUM_THREADS is not a valid number. */
gpa_code threads_wanted(int *out, gpa_err *e);
/* The CPU quota of the control groups listed in the file `groups` (/proc/self/cgroup), in
 * processors, rounded up; 0: unlimited. `mount` is where the hierarchies are mounted. */
int threads_limit(const char *groups, const char *mount);
/* Blocks all signals of the calling thread but those of its own faults, for the threads that it
 * creates; *before: the mask to restore. */
void threads_block_signals(sigset_t *before);
/* True once work has to stop early. */
static inline bool threads_stopped(const int32_t *stop) {
    return __atomic_load_n(stop, __ATOMIC_RELAXED) != 0;
}
/* Parallel for: calls item(arg, i) for every i < n on up to `threads` threads, in no order; hands
 * out no further items once *stop is set. With one thread, with one item, or nested in an item, it
 * runs on the calling thread alone. */
void threads_each(int threads, int64_t n, const int32_t *stop, threads_item item, void *arg);

#endif
