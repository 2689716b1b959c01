/* The launch view: what compiled code sees of one launch, a flat block of 64-bit slots.
 *
 * The driver (run.c) fills it, the emitter (emit.c) reads it. Pointers are stored as addresses;
 * strides and sizes are in elements. The base of an array is the address of its origin (its
 * binding's offset applied); of a VIRTUAL array it is the offset itself. */
#ifndef GPA_CPU_EMIT_LAUNCH_VIEW_H
#define GPA_CPU_EMIT_LAUNCH_VIEW_H

#include "runtime/backend.h"

enum {
    VIEW_FAULT,  /* cpu_fault_cell * */
    VIEW_STOP,   /* address of the 32-bit flag polled by loops */
    VIEW_PARAMS, /* const gpa_val * */
    VIEW_SIZE,   /* extents of the space */
    VIEW_ARRAYS = VIEW_SIZE + KIR_MAX_DIMS
};
enum {
    ARRAY_BASE,
    ARRAY_STRIDE,
    ARRAY_SIZE = ARRAY_STRIDE + KIR_MAX_DIMS,
    ARRAY_SLOTS = ARRAY_SIZE + KIR_MAX_DIMS
};
enum { VIEW_SLOTS = VIEW_ARRAYS + KIR_MAX_ARRAYS * ARRAY_SLOTS };

/* One compiled function. [lo, hi) is a range of the outer points in their order of travel.
 *
 * A function that computes a part of a region walks the inner points [from, to) only. It takes the
 * finished states of earlier regions from `done`, starts from the start states when `fresh` is not
 * 0, else from those in `part`, and leaves its states in `part`. Both point to the states of lo's
 * block of lanes; those of the blocks after it follow. A joining function combines the states in
 * `part` with those in `done` and leaves them in `part`, one block. */
typedef void (*cpu_fn)(const int64_t *view, int64_t lo, int64_t hi, int64_t from, int64_t to,
                       const void *done, void *part, int64_t fresh);

/* A state slot holds one reduction of `lanes` neighbouring outer points: `lanes` values of the
 * state's type, in 16 bytes each at most, and from byte 16 * lanes on as many int64 indices. */
#define STATE_SLOT(lanes) ((size_t)(lanes)*24)

#endif
