/* Sets of ranks. */
#ifndef GPA_RANKS_RANK_SET_H
#define GPA_RANKS_RANK_SET_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/ranks/mpi.h"

enum { RANK_SET_WORDS = MPI_MAX_RANKS / 64 };

/* Bit r % 64 of word r / 64: rank r is in the set. */
typedef struct {
    uint64_t word[RANK_SET_WORDS];
} rank_set;

static inline void rank_set_add(rank_set *s, int r) { s->word[r / 64] |= UINT64_C(1) << (r % 64); }

static inline bool rank_set_has(const rank_set *s, int r) {
    return s->word[r / 64] >> (r % 64) & 1;
}

/* The set of one rank. */
static inline rank_set rank_set_of(int r) {
    rank_set s = {{0}};
    rank_set_add(&s, r);
    return s;
}

static inline bool rank_set_equal(const rank_set *a, const rank_set *b) {
    return !memcmp(a, b, sizeof *a);
}

/* The lowest rank; -1: the set is empty. */
static inline int rank_set_first(const rank_set *s) {
    for (int i = 0; i < RANK_SET_WORDS; i++)
        if (s->word[i]) return 64 * i + __builtin_ctzll(s->word[i]);
    return -1;
}

/* True for the set of one rank. */
static inline bool rank_set_is_only(const rank_set *s, int r) {
    const rank_set one = rank_set_of(r);
    return rank_set_equal(s, &one);
}

static inline int rank_set_count(const rank_set *s) {
    int n = 0;
    for (int i = 0; i < RANK_SET_WORDS; i++) n += __builtin_popcountll(s->word[i]);
    return n;
}

#endif
