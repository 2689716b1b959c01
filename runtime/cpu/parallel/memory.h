/* Device memory of the CPU device: an aligned block of host memory. */
#ifndef GPA_CPU_PARALLEL_MEMORY_H
#define GPA_CPU_PARALLEL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

enum { MEMORY_ALIGN = 64 }; /* bytes, of every block */

struct gpa_mem {
    void *block; /* as allocated */
    char *base;  /* aligned */
    size_t n;    /* bytes from base on */
};

/* Gives *m a new block of n bytes, uninitialised and aligned; false: memory is short. Owned:
 * mem_free of the block. */
bool memory_block_new(struct gpa_mem *m, size_t n);

#endif
