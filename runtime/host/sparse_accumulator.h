/* The columns of one row of a sparse matrix, each once, as they come.
 *
 * A column is found in a table with slots to spare. Those of a row before are void without being
 * cleared, as a slot counts only where a column of this row says that it stands there (P. Briggs,
 * L. Torczon, ACM Letters on Programming Languages and Systems 2, 59-69, 1993). */
#ifndef GPA_HOST_SPARSE_ACCUMULATOR_H
#define GPA_HOST_SPARSE_ACCUMULATOR_H

#include "runtime/base/base.h"
#include "runtime/base/err.h"

enum {
    ACCUMULATOR_HASH_BITS = 32,
    ACCUMULATOR_MAX_BITS = 31,
    ACCUMULATOR_L1_BITS = 12 /* bits of a table that stays in the nearest cache */
};

typedef struct {
    int32_t *slot;   /* which of the row's columns may stand there */
    uint32_t *home;  /* of each of these: its slot */
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

/* Which column of the row it is; a new one is number n as it was before. */
static inline int32_t accumulator_find(column_accumulator *r, int32_t column) {
    for (uint32_t h = (uint32_t)column * 0x9E3779B1u >> r->shift;; h = (h + 1) & r->mask) {
        const int32_t k = r->slot[h];
        if ((k < r->n) &
            (r->home[k] ==
             h)) { /* one branch: of what a row before left there neither can be foreseen */
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
