/* An allocation of the CPU device: struct gpa_mem of the plugin contract. */
#ifndef GPA_CPU_PARALLEL_MEMORY_H
#define GPA_CPU_PARALLEL_MEMORY_H

#include <stddef.h>

struct gpa_mem {
    void *block; /* as allocated */
    char *base;  /* aligned */
    size_t n;    /* bytes */
};

#endif
