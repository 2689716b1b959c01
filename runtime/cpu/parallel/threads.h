/* Work divided among threads. */
#ifndef GPA_CPU_PARALLEL_THREADS_H
#define GPA_CPU_PARALLEL_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/err.h"

typedef void (*threads_item)(void *arg, int64_t i);

enum { THREADS_MAX = 4096 };

/* GPA_NUM_THREADS, else the number of processors this process may use, by its affinity and its
 * control groups. A ValueError when it says no number of threads. */
gpa_code threads_wanted(int *out, gpa_err *e);
/* The processors that control groups allow a process whose groups the file `groups` tells
 * (/proc/self/cgroup), rounded up; 0: any number. */
int threads_limit(const char *groups, const char *mount);
/* Whether work is to end early. */
static inline bool threads_stopped(const int32_t *stop) {
    return __atomic_load_n(stop, __ATOMIC_RELAXED) != 0;
}
/* Calls item(arg, i) for every i < n, on up to `threads` threads, in no order; stops giving out
 * items once it is stopped. With one thread, or one item, or from within an item, nobody is woken.
 */
void threads_each(int threads, int64_t n, const int32_t *stop, threads_item item, void *arg);

#endif
