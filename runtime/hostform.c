/* Sparse matrices by rows in host memory, in other forms: transposed, dense, made of diagonals, of several side by side, of places in order.
 *
 * Values are moved by their size; only those that may meet at a place need their dtype. Reading order: places, transposes, dense ones, diagonals,
 * several side by side. */
#include "runtime/base.h"
#include "runtime/bysize.h"
#include "runtime/hostcall.h"
#include "runtime/sums.h"
#include "runtime/wide.h"

enum { LANES = 16, AHEAD = 12 /* places that memory is asked for */ };

/* ---- places ---- */

/* Each line fills LANES at least, of which the next ones take back what is theirs: lengths cannot be foreseen. */
GPA_WIDE void hostcall_lines(const int32_t *start, int64_t m, int32_t *line) {
    const int32_t last = start[m] - LANES;
    for (int64_t i = 0; i < m; i++) {
        int32_t s = start[i];
        if (s <= last) {
            for (int32_t w = 0; w < LANES; w++) line[s + w] = (int32_t)i;
            s += LANES;
        }
        for (; s < start[i + 1]; s++) line[s] = (int32_t)i;
    }
}

bool hostcall_starts(const int32_t *line, const int32_t *other, int64_t count, int64_t m, int32_t *start) {
    int64_t i = 0; /* lines that have begun */
    for (int64_t s = 0; s < count; s++) {
        if (s && !(line[s - 1] < line[s] || (line[s - 1] == line[s] && other[s - 1] < other[s]))) return false;
        for (; i <= line[s]; i++) start[i] = (int32_t)s;
    }
    for (; i <= m; i++) start[i] = (int32_t)count;
    return true;
}

/* ---- transposes ---- */

#define TURN(T)                                                                           \
    for (int64_t i = 0; i < a->m; i++)                                                    \
        for (int32_t s = a->start[i]; s < a->start[i + 1]; s++) {                         \
            const int32_t to = start[column[s]]++, next = start[column[MIN(s + AHEAD, last)]]; \
            __builtin_prefetch(line + next, 1);                                           \
            __builtin_prefetch((T *)at + next, 1);                                        \
            line[to] = (int32_t)i;                                                        \
            ((T *)at)[to] = ((const T *)a->at)[s];                                        \
        }

void hostcall_turn_rows(size_t item, const host_rows *a, int32_t *start, int32_t *line, void *at) {
    const int32_t *column = a->column, last = (int32_t)a->count - 1;
    memset(start, 0, (size_t)(a->n + 1) * sizeof *start);
    for (int64_t s = 0; s < a->count; s++) start[column[s]]++;
    for (int64_t k = 0, before = 0; k <= a->n; k++) {
        const int32_t here = start[k];
        start[k] = (int32_t)before;
        before += here;
    }
    BY_SIZE(item, TURN);
    memmove(start + 1, start, (size_t)a->n * sizeof *start); /* each has become the next one */
    start[0] = 0;
}
#undef TURN

/* ---- dense ones ---- */

#define DENSE(id, T, ADD)                                                                     \
    static void dense_##id(const host_rows *p, int64_t down, int64_t across, void *out) {     \
        const T *at = p->at;                                                                  \
        for (int64_t i = 0; i < p->m; i++)                                                    \
            for (int32_t s = p->start[i]; s < p->start[i + 1]; s++) {                         \
                T *to = (T *)out + i * down + p->column[s] * across, c = *to;                 \
                const T a = at[s];                                                            \
                ADD;                                                                          \
                *to = c;                                                                      \
            }                                                                                 \
    }                                                                                         \
    static void places_##id(const int32_t *row, const int32_t *column, const void *values, int64_t count, int64_t n, void *out) { \
        for (int64_t s = 0; s < count; s++) {                                                 \
            const T a = ((const T *)values)[s];                                               \
            T *to = (T *)out + row[s] * n + column[s], c = *to;                               \
            ADD;                                                                              \
            *to = c;                                                                          \
        }                                                                                     \
    }
SUM_TYPES(DENSE)
#undef DENSE

void hostcall_dense(gpa_dtype t, const host_rows *a, bool turned, void *out) {
    const int64_t down = turned ? 1 : a->n, across = turned ? a->m : 1;
#define SUM(id, T, ADD) if (t == DT_##id) dense_##id(a, down, across, out);
    SUM_TYPES(SUM)
#undef SUM
}

void hostcall_dense_places(gpa_dtype t, const int32_t *row, const int32_t *column, const void *at, int64_t count, int64_t m, int64_t n, void *out) {
    memset(out, 0, (size_t)(m * n) * dtype_size(t));
#define SUM(id, T, ADD) if (t == DT_##id) places_##id(row, column, at, count, n, out);
    SUM_TYPES(SUM)
#undef SUM
}

/* ---- diagonals ---- */

int64_t hostcall_diagonal_size(int64_t m, int64_t n, int64_t offset) { return MAX(0, MIN(m + MIN(offset, 0), n - MAX(offset, 0))); }

#define PUT(T)                                                                                                 \
    for (int64_t d = low; d < high; d++) {                                                                     \
        const T *from = (const T *)values + first[d] + MIN(0, offset[d]) * step;                               \
        T *put = (T *)at + to + d - low;                                                                       \
        for (int64_t j = i; j < end; j++) put[(j - i) * (high - low)] = from[j * step];                        \
    }

enum { DIAGONAL_PIECE = 2048 }; /* elements that are put together while they are in the nearest cache */

void hostcall_diagonals(size_t item, int64_t m, int64_t n, const int64_t *offset, const int64_t *first, int64_t count, const void *values, int64_t step,
                        int32_t *start, int32_t *column, void *at) {
    int64_t low = count, high = count, to = start[0] = 0;
    for (int64_t i = 0, end; i < m; i = end) { /* rows i .. end - 1 have the diagonals low .. high - 1, and are few */
        for (; low && offset[low - 1] >= -i; low--) continue;
        for (; high && offset[high - 1] >= n - i; high--) continue;
        end = MIN(m, low ? -offset[low - 1] : m);
        if (high) end = MIN(end, MAX(i + 1, n - offset[high - 1]));
        end = MIN(end, i + MAX(1, DIAGONAL_PIECE / MAX(1, high - low)));
        for (int64_t j = i; j < end; j++) start[j + 1] = (int32_t)(to + (j + 1 - i) * (high - low));
        for (int64_t d = low; d < high; d++)
            for (int64_t j = i; j < end; j++) column[to + (j - i) * (high - low) + d - low] = (int32_t)(j + offset[d]);
        BY_SIZE(item, PUT);
        to = start[end];
    }
}
#undef PUT

/* ---- several side by side ---- */

#define COPY(T) \
    for (int32_t s = from; s < end; s++) ((T *)at)[to + s - from] = ((const T *)b->at)[s];

void hostcall_beside(size_t item, const host_rows *a, int64_t blocks, int32_t *start, int32_t *column, void *at) {
    int32_t to = start[0] = 0;
    for (int64_t i = 0; i < a->m; i++) {
        int32_t before = 0;
        for (const host_rows *b = a; b < a + blocks; before += (int32_t)b->n, b++) {
            const int32_t from = b->start[i], end = b->start[i + 1];
            for (int32_t s = from; s < end; s++) column[to + s - from] = b->column[s] + before;
            BY_SIZE(item, COPY);
            to += end - from;
        }
        start[i + 1] = to;
    }
}
#undef COPY
