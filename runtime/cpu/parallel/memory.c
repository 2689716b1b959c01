/* Device memory of the CPU device: memory.h. */
#include "runtime/cpu/parallel/memory.h"

#include <stdint.h>
#include <sys/mman.h>

#include "runtime/base/base.h"

enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };

/* Large blocks are aligned to huge pages and request them: fewer page faults, fewer TLB misses,
 * and cache set conflicts that do not depend on the page mapping. */
bool memory_block_new(struct gpa_mem *m, size_t n) {
    size_t align = n >= (size_t)HUGE_PAGE ? HUGE_PAGE : n >= 4 * PAGE ? PAGE : MEMORY_ALIGN;
    if (n > SIZE_MAX / 2 || !(m->block = mem_new(n + align + MEMORY_ALIGN))) return false;
    m->base = (char *)(((uintptr_t)m->block + align - 1) / align * align);
    m->n = n;
    if (align == HUGE_PAGE) madvise(m->base, n / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
    return true;
}
