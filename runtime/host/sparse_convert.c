/* Conversions of CSR matrices in host memory: COO, transpose (CSC), dense, diagonals (DIA),
 * horizontal stack.
 *
 * Values are moved by size; only those that may be summed need their dtype. Reading order: row
 * indices, transposes, dense matrices, diagonals, stacks. */
#include "runtime/base/base.h"
#include "runtime/tables/by_size.h"
#include "runtime/host/host.h"
#include "runtime/host/sum_dtypes.h"
#include "runtime/base/simd_clones.h"

enum { LANES = 16, AHEAD = 12 /* entries that are prefetched */ };

/* ---- row indices ---- */

/* Every row stores at least LANES entries, and the next row overwrites the surplus: branch-free, as
 * lengths are unpredictable. */
GPA_SIMD_CLONES void hostcall_csr_row_indices(const int32_t *start, int64_t m, int32_t *line) {
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

bool hostcall_coo_row_starts(const int32_t *line, const int32_t *other, int64_t count, int64_t m,
                             int32_t *start) {
    int64_t i = 0; /* rows begun */
    for (int64_t s = 0; s < count; s++) {
        if (s && !(line[s - 1] < line[s] || (line[s - 1] == line[s] && other[s - 1] < other[s])))
            return false;
        for (; i <= line[s]; i++) start[i] = (int32_t)s;
    }
    for (; i <= m; i++) start[i] = (int32_t)count;
    return true;
}

/* ---- transposes ---- */

#define TURN(T)                                                                                \
    for (int64_t i = 0; i < a->m; i++)                                                         \
        for (int32_t s = a->start[i]; s < a->start[i + 1]; s++) {                              \
            const int32_t to = start[column[s]]++, next = start[column[MIN(s + AHEAD, last)]]; \
            __builtin_prefetch(line + next, 1);                                                \
            __builtin_prefetch((T *)at + next, 1);                                             \
            line[to] = (int32_t)i;                                                             \
            ((T *)at)[to] = ((const T *)a->at)[s];                                             \
        }

void hostcall_csr_transpose(size_t item, const host_csr *a, int32_t *start, int32_t *line,
                            void *at) {
    const int32_t *column = a->column, last = (int32_t)a->count - 1;
    memset(start, 0, (size_t)(a->n + 1) * sizeof *start);
    for (int64_t s = 0; s < a->count; s++) start[column[s]]++;
    for (int64_t k = 0, before = 0; k <= a->n; k++) {
        const int32_t here = start[k];
        start[k] = (int32_t)before;
        before += here;
    }
    BY_SIZE(item, TURN);
    memmove(start + 1, start,
            (size_t)a->n * sizeof *start); /* each start has become the next one */
    start[0] = 0;
}
#undef TURN

/* ---- dense matrices ---- */

#define DENSE(id, T, ADD)                                                                  \
    static void dense_##id(const host_csr *p, int64_t down, int64_t across, void *out) {   \
        const T *at = p->at;                                                               \
        for (int64_t i = 0; i < p->m; i++)                                                 \
            for (int32_t s = p->start[i]; s < p->start[i + 1]; s++) {                      \
                T *to = (T *)out + i * down + p->column[s] * across, c = *to;              \
                const T a = at[s];                                                         \
                ADD;                                                                       \
                *to = c;                                                                   \
            }                                                                              \
    }                                                                                      \
    static void places_##id(const int32_t *row, const int32_t *column, const void *values, \
                            int64_t count, int64_t n, void *out) {                         \
        for (int64_t s = 0; s < count; s++) {                                              \
            const T a = ((const T *)values)[s];                                            \
            T *to = (T *)out + row[s] * n + column[s], c = *to;                            \
            ADD;                                                                           \
            *to = c;                                                                       \
        }                                                                                  \
    }
SUM_TYPES(DENSE)
#undef DENSE

void hostcall_csr_add_to_dense(gpa_dtype t, const host_csr *a, bool turned, void *out) {
    const int64_t down = turned ? 1 : a->n, across = turned ? a->m : 1;
#define SUM(id, T, ADD) \
    if (t == DT_##id) dense_##id(a, down, across, out);
    SUM_TYPES(SUM)
#undef SUM
}

void hostcall_coo_add_to_dense(gpa_dtype t, const int32_t *row, const int32_t *column,
                               const void *at, int64_t count, int64_t m, int64_t n, void *out) {
    memset(out, 0, (size_t)(m * n) * dtype_size(t));
#define SUM(id, T, ADD) \
    if (t == DT_##id) places_##id(row, column, at, count, n, out);
    SUM_TYPES(SUM)
#undef SUM
}

/* ---- diagonals ---- */

int64_t hostcall_diagonal_size(int64_t m, int64_t n, int64_t offset) {
    return MAX(0, MIN(m + MIN(offset, 0), n - MAX(offset, 0)));
}

enum {
    TOGETHER = 8, /* rows whose values are stored together */
    PATTERN = 512 /* columns of the repeated pattern of rows; minimum of one row */
};

/* Row starts and columns of `rows` rows that have the same `wide` diagonals: after the first rows
 * the pattern of columns repeats, shifted. */
static GPA_SIMD_CLONES void diagonal_places(int64_t i, int64_t rows, const int64_t *offset,
                                            int64_t wide, int32_t to, int32_t *restrict start,
                                            int32_t *restrict column) {
    const int64_t some = MIN(rows, MAX(1, PATTERN / MAX(1, wide)));
    for (int64_t j = 0; j < rows; j++) start[j] = to + (int32_t)((j + 1) * wide);
    for (int64_t j = 0; j < some; j++)
        for (int64_t d = 0; d < wide; d++) column[j * wide + d] = (int32_t)(i + j + offset[d]);
    for (int64_t j = some; j < rows; j += some) {
        const int32_t *pattern = column;
        int32_t *restrict put = column + j * wide;
        for (int64_t s = 0, n = MIN(some, rows - j) * wide; s < n; s++)
            put[s] = pattern[s] + (int32_t)j;
    }
}

/* The values of these rows, several rows of each diagonal at a time, so that reads and writes are
 * contiguous. */
#define PUT(T)                                                                                 \
    for (int64_t j = 0; j < rows; j += TOGETHER)                                               \
        for (int64_t d = 0; d < wide; d++) {                                                   \
            const T *from = (const T *)values + first[d] + (MIN(0, offset[d]) + i + j) * step; \
            T *put = (T *)at + j * wide + d;                                                   \
            if (rows - j >= TOGETHER)                                                          \
                for (int64_t w = 0; w < TOGETHER; w++) put[w * wide] = from[w * step];         \
            else                                                                               \
                for (int64_t w = 0; w < rows - j; w++) put[w * wide] = from[w * step];         \
        }

static void diagonal_values(size_t item, int64_t i, int64_t rows, const int64_t *offset,
                            const int64_t *first, int64_t wide, const void *values, int64_t step,
                            void *at) {
    BY_SIZE(item, PUT);
}
#undef PUT

/* A word of a value of dtype t with a bit set if the value is not 0. */
static uint64_t value_bits(gpa_dtype t) {
    const uint64_t floats = UINT64_MAX >> 1, halves = UINT64_C(0x7fffffff7fffffff);
    return t == DT_F16 || t == DT_BF16   ? 0x7fff
           : t == DT_F32 || t == DT_C64  ? halves
           : t == DT_F64 || t == DT_C128 ? floats
                                         : UINT64_MAX;
}

#define MARK(STAYS)                         \
    for (int64_t s = 0; s < n; s++) {       \
        const uint8_t stays = (STAYS) != 0; \
        on[s] = stays;                      \
        left += stays;                      \
    }
#define MARK_OF(T) MARK(((const T *)at)[s] & (T)bits)

/* Marks the nonzeros among n values, and counts them. */
static GPA_SIMD_CLONES int64_t mark(gpa_dtype t, const void *at, int64_t n, uint8_t *restrict on) {
    const uint64_t bits = value_bits(t), *words = at;
    const size_t item = dtype_size(t);
    int64_t left = 0;
    if (item == 1)
        MARK_OF(uint8_t)
    else if (item == 2)
        MARK_OF(uint16_t)
    else if (item == 4)
        MARK_OF(uint32_t)
    else if (item == 8)
        MARK_OF(uint64_t)
    else
        MARK((words[2 * s] | words[2 * s + 1]) & bits)
    return left;
}
#undef MARK_OF
#undef MARK

/* Compacts consecutive rows of values to the marked ones, branch-free: every value is stored, and
 * overwritten by the next unless it is marked. */
#define KEEP(T)                                                        \
    for (int64_t l = 0, s = 0; l < rows; l++, start[l] = first + to)   \
        for (const int64_t end = start[l + 1] - first; s < end; s++) { \
            column[to] = column[s];                                    \
            ((T *)at)[to] = ((const T *)at)[s];                        \
            to += on[s];                                               \
        }

static void leave_out(size_t item, int64_t rows, const uint8_t *on, int32_t *start, int32_t *column,
                      void *at) {
    const int32_t first = start[0];
    int32_t to = 0;
    BY_SIZE(item, KEEP);
}
#undef KEEP

void hostcall_dia_to_csr(gpa_dtype t, int64_t m, int64_t n, const int64_t *offset,
                         const int64_t *first, int64_t count, const void *values, int64_t step,
                         uint8_t *on, int32_t *start, int32_t *column, void *at) {
    const size_t item = dtype_size(t);
    int64_t low = count, high = count;
    start[0] = 0;
    for (int64_t i = 0, end; i < m;
         i = end) { /* rows i .. end - 1 have the diagonals low .. high - 1 */
        const int64_t to = start[i];
        for (; low && offset[low - 1] >= -i; low--) continue;
        for (; high && offset[high - 1] >= n - i; high--) continue;
        const int64_t wide = high - low;
        end = MIN(m, low ? -offset[low - 1] : m);
        if (high) end = MIN(end, MAX(i + 1, n - offset[high - 1]));
        end = MIN(end, i + MAX(1, DIA_CHUNK / MAX(1, wide)));
        char *put = (char *)at + to * (int64_t)item;
        const int64_t all = (end - i) * wide;
        diagonal_places(i, end - i, offset + low, wide, (int32_t)to, start + i + 1, column + to);
        diagonal_values(item, i, end - i, offset + low, first + low, wide, values, step, put);
        if (mark(t, put, all, on) < all) leave_out(item, end - i, on, start + i, column + to, put);
    }
}

/* ---- stacks ---- */

#define COPY(T) \
    for (int32_t s = from; s < end; s++) ((T *)at)[to + s - from] = ((const T *)b->at)[s];

void hostcall_csr_hstack(size_t item, const host_csr *a, int64_t blocks, int32_t *start,
                         int32_t *column, void *at) {
    int32_t to = start[0] = 0;
    for (int64_t i = 0; i < a->m; i++) {
        int32_t before = 0;
        for (const host_csr *b = a; b < a + blocks; before += (int32_t)b->n, b++) {
            const int32_t from = b->start[i], end = b->start[i + 1];
            for (int32_t s = from; s < end; s++) column[to + s - from] = b->column[s] + before;
            BY_SIZE(item, COPY);
            to += end - from;
        }
        start[i + 1] = to;
    }
}
#undef COPY
