/* The clock of durations. */
#ifndef GPA_BASE_CLOCK_H
#define GPA_BASE_CLOCK_H

#include <time.h>

/* Seconds since an arbitrary time, which no change of the date moves. Any thread. */
static inline double clock_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#endif
