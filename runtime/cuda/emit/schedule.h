/* Which layout over threads a launch gets, and how many blocks. */
#ifndef GPA_CUDA_EMIT_SCHEDULE_H
#define GPA_CUDA_EMIT_SCHEDULE_H

#include "runtime/backend.h"
#include "runtime/cuda/emit/emit.h"

typedef struct {
    cu_plan plan;
    bool parts;            /* one launch per EACH, its inner points divided */
    int64_t outer, chunks; /* outer points; accesses of the space or of the inner space */
    int64_t length;        /* accesses of one part */
    int64_t tiles;         /* of a chain, per outer point */
    uint32_t grid[3], block[3];
    uint32_t shared; /* bytes of dynamic shared memory */
} cu_layout;

/* The layout for these extents, strides and addresses (base[a] is the address of array a's origin,
 * room[a] how many elements its memory holds) on a device with `units` multiprocessors. */
cu_layout plan_layout(const kir_func *f, const cu_facts *facts, const gpa_launch *l,
                      const uint64_t *base, const uint64_t *room, uint32_t units);

#endif
