/* Device memory of the CPU device: an aligned block of host memory. */
#ifndef GPA_CPU_PARALLEL_MEMORY_H
#define GPA_CPU_PARALLEL_MEMORY_H

#include <stddef.h>

struct gpa_mem {
    void *block; /* as allocated */
    char *base;  /* aligned */
    size_t n;    /* bytes from base on */
};

#endif
