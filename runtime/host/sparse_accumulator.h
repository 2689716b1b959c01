/* Sparse accumulator (SPA): the distinct columns of one row of a sparse product, in order of first
 * use.
 *
 * A hash table with linear probing. Slots of earlier rows need no clearing: a slot counts only if
 * the column it names points back to it (the sparse set of P. Briggs and L. Torczon, ACM Letters on
 * Programming Languages and Systems 2, 59-69, 1993). */
#ifndef GPA_HOST_SPARSE_ACCUMULATOR_H
#define GPA_HOST_SPARSE_ACCUMULATOR_H

#include "runtime/base/base.h"
#include "runtime/base/err.h"

enum {
    ACCUMULATOR_HASH_BITS = 32,
    ACCUMULATOR_MAX_BITS = 31,
    ACCUMULATOR_L1_BITS = 12 /* tables up to this size stay in the L1 cache */
};

typedef struct {
    int32_t *slot;   /* index into `column`; valid if home[] points back */
    uint32_t *home;  /* the slot of each column */
    int32_t *column; /* n of them; n = 0 begins a row */
    int32_t n;
    uint32_t mask;
    int shift;
} column_accumulator;

/* For rows of up to `most` columns, at least 1. Given back with accumulator_free, also after a
 * failure.
 */
static inline gpa_code accumulator_new(column_accumulator *r, int64_t most, gpa_err *e) {
    int bits = 1;
    while (bits < ACCUMULATOR_MAX_BITS && 1ll << bits < (bits < ACCUMULATOR_L1_BITS ? 8 : 2) * most)
        bits++;
    *r = (column_accumulator){.mask = (uint32_t)((1ull << bits) - 1),
                              .shift = ACCUMULATOR_HASH_BITS - bits};
    r->slot = mem_zero(((size_t)r->mask + 1) * sizeof *r->slot);
    r->home = mem_zero((size_t)most * sizeof *r->home);
    r->column = mem_new((size_t)most * sizeof *r->column);
    return r->slot && r->home && r->column ? GPA_OK : gpa_no_memory(e);
}

static inline void accumulator_free(column_accumulator *r) {
    mem_free(r->slot);
    mem_free(r->home);
    mem_free(r->column);
}

/* The index of a column in the row; a new column is appended. */
static inline int32_t accumulator_find(column_accumulator *r, int32_t column) {
    for (uint32_t h = (uint32_t)column * 0x9E3779B1u >> r->shift;; h = (h + 1) & r->mask) {
        const int32_t k = r->slot[h];
        if ((k < r->n) &
            (r->home[k] ==
             h)) { /* one branch: the entries that an earlier row left make two unpredictable */
            if (r->column[k] == column) return k;
            continue;
        }
        r->slot[h] = r->n;
        r->home[r->n] = h;
        r->column[r->n] = column;
        return r->n++;
    }
}

#endif
