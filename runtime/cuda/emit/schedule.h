/* Launch scheduling: the mapping of a launch to threads (vectorization, unrolling, tiling, thread
 * groups) and its grid. */
#ifndef GPA_CUDA_EMIT_SCHEDULE_H
#define GPA_CUDA_EMIT_SCHEDULE_H

#include "runtime/backend.h"
#include "runtime/cuda/emit/emit.h"

typedef struct {
    cu_plan plan;
    bool split;              /* rows are split among blocks: one launch per EACH */
    int64_t outer, accesses; /* outer points; accesses of the space or of the inner space */
    int64_t part_accesses;   /* accesses of one part of a row */
    int64_t tiles;           /* of a look-back scan, per outer point */
    uint32_t grid[3], block[3];
    uint32_t shared; /* bytes of dynamic shared memory */
} cu_schedule;

/* The inputs of scheduling. */
typedef struct {
    const kir_func *f;
    const cu_facts *facts;
    const gpa_launch *l;      /* extents and strides */
    const uint64_t *base;     /* per array: the address of its origin */
    const uint64_t *capacity; /* per array: elements in its memory */
    uint32_t units;           /* multiprocessors of the device */
} cu_schedule_input;

/* Deterministic: the same input gives the same schedule, and so the same bits. */
cu_schedule schedule_launch(const cu_schedule_input *in);

#endif
