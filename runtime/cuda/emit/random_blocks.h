/* Alignment of accesses with blocks of random bits (Philox).
 *
 * A distribution that takes several numbers from a block divides its counter by 2 or 4: adjacent
 * points share a block. If the accesses of a launch are aligned to blocks, sharing is known at
 * compile time, and the source needs no test per point. */
#ifndef GPA_CUDA_EMIT_RANDOM_BLOCKS_H
#define GPA_CUDA_EMIT_RANDOM_BLOCKS_H

#include "runtime/backend.h"

static inline bool random_is_block(const kir_ins *i) {
    return i->code == KIR_OP && (i->sub == OP_PHILOX || i->sub == OP_PHILOX_HIGH);
}

/* The value whose bits above *shift are the block counter of instruction `at`; -1: the counter is
 * not a shifted value. */
int32_t random_block_counter(const kir_func *f, int32_t at, unsigned *shift);
/* True if the counters of all such blocks increase by 1 along dimension `last`, and are multiples
 * of `vec` (a power of two) at the start of every access of `vec` points. */
bool random_blocks_aligned(const kir_func *f, const gpa_launch *l, int last, unsigned vec);

#endif
