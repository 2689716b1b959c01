/* Where blocks of random bits begin.
 *
 * A law of several numbers a block divides its position by 2 or 4: neighbours share a block. Where
 * the accesses of a launch begin with one, the source needs not ask for each point whether the one
 * before has the same. */
#ifndef GPA_CUDA_EMIT_RANDOM_BLOCKS_H
#define GPA_CUDA_EMIT_RANDOM_BLOCKS_H

#include "runtime/backend.h"

static inline bool random_is_block(const kir_ins *i) {
    return i->code == KIR_OP && (i->sub == OP_PHILOX || i->sub == OP_PHILOX_HIGH);
}

/* The position that the counter of random bits `at` is part of, shifted by *shift; -1: it is a
 * counter by itself. */
int32_t random_block_counter(const kir_func *f, int32_t at, unsigned *shift);
/* Whether the positions of all such bits go up one by one along dimension `last`, and are multiples
 * of `vec`, a power of two, where an access of so many points begins. */
bool random_blocks_aligned(const kir_func *f, const gpa_launch *l, int last, unsigned vec);

#endif
