/* LU and Cholesky of small matrices in SIMD lanes: batched_lu.c includes this for each dtype, with
 *
 *   T        the dtype
 *   I        integers of its size
 *   TINY     the smallest number whose reciprocal is finite
 *   NAME(x)  a name with the suffix of the element size, as in lanes.h
 *
 * Element (i, j) of all matrices is the vector a[i * row_of(n) + j]. Factorizations are
 * left-looking, column by column: the earlier columns' contributions are subtracted four rows at a
 * time, with sums in registers. Reading order: loads and stores, LU, triangular solves, Cholesky,
 * calls. */

#define LANES ((int)(LANES_BYTES / sizeof(T)))
typedef T NAME(vec) __attribute__((vector_size(LANES_BYTES)));
typedef I NAME(mask) __attribute__((vector_size(LANES_BYTES)));

/* Layout of `count` matrices, `step` elements apart. Consecutive rows and columns are memory_row
 * and memory_column elements apart in memory, row and column vectors in lanes. */
typedef struct {
    T *memory;
    int64_t step, memory_row, memory_column, row, column;
    int64_t rows, columns;
    int count;
    bool triangle; /* only the elements on and below the diagonal */
} NAME(way);

/* True if the elements of a row are contiguous in memory and in lanes; the number of elements of a
 * row that are needed. */
static bool NAME(by_rows)(const NAME(way) * w) { return w->memory_column == 1 && w->column == 1; }
static int64_t NAME(width)(const NAME(way) * w, int64_t i) {
    return w->triangle ? i + 1 : w->columns;
}
static bool NAME(by_columns)(const NAME(way) * w) {
    return w->memory_row == 1 && w->row == 1 && !w->triangle;
}

static void NAME(bring)(const NAME(way) * w, NAME(vec) * a) {
    if (NAME(by_rows)(w) && w->memory_row == w->row && !w->triangle) {
        NAME(lanes_load)
        ((const I *)w->memory, w->step, w->count, w->rows * w->columns, (NAME(mask) *)a);
    } else if (NAME(by_rows)(w)) {
        for (int64_t i = 0; i < w->rows; i++) NAME(lanes_load)
        ((const I *)w->memory + i * w->memory_row, w->step, w->count, NAME(width)(w, i),
         (NAME(mask) *)a + i * w->row);
    } else if (NAME(by_columns)(w)) {
        for (int64_t j = 0; j < w->columns; j++) NAME(lanes_load)
        ((const I *)w->memory + j * w->memory_column, w->step, w->count, w->rows,
         (NAME(mask) *)a + j * w->column);
    } else {
        for (int64_t i = 0; i < w->rows; i++)
            for (int64_t j = 0; j < NAME(width)(w, i); j++)
                for (int l = 0; l < LANES; l++)
                    ((T *)(a + i * w->row + j * w->column))[l] =
                        w->memory[MIN(l, w->count - 1) * w->step + i * w->memory_row +
                                  j * w->memory_column];
    }
}

static void NAME(take)(const NAME(way) * w, const NAME(vec) * a) {
    if (NAME(by_rows)(w) && w->memory_row == w->row && !w->triangle) {
        NAME(lanes_store)
        ((const NAME(mask) *)a, w->rows * w->columns, (I *)w->memory, w->step, w->count);
    } else if (NAME(by_rows)(w)) {
        for (int64_t i = 0; i < w->rows; i++) NAME(lanes_store)
        ((const NAME(mask) *)a + i * w->row, NAME(width)(w, i), (I *)w->memory + i * w->memory_row,
         w->step, w->count);
    } else if (NAME(by_columns)(w)) {
        for (int64_t j = 0; j < w->columns; j++) NAME(lanes_store)
        ((const NAME(mask) *)a + j * w->column, w->rows, (I *)w->memory + j * w->memory_column,
         w->step, w->count);
    } else {
        for (int l = 0; l < w->count; l++)
            for (int64_t i = 0; i < w->rows; i++)
                for (int64_t j = 0; j < NAME(width)(w, i); j++)
                    w->memory[l * w->step + i * w->memory_row + j * w->memory_column] =
                        ((const T *)(a + i * w->row + j * w->column))[l];
    }
}

/* Left-looking update: c[i] -= sum of a[i][k] c[k] over k < min(i, most), for i from `from` to n;
 * c[from .. most] are used by later rows as soon as they are computed. */
GPA_SIMD_CLONES static void NAME(subtract)(const NAME(vec) * a, NAME(vec) * c, int64_t from,
                                           int64_t n, int64_t most) {
    int64_t row = row_of(n), i = from;
    for (; i + TOGETHER <= n; i += TOGETHER) {
        const NAME(vec) *r = a + i * row;
        NAME(vec) s0 = c[i], s1 = c[i + 1], s2 = c[i + 2], s3 = c[i + 3];
        int64_t common = MIN(i, most);
        for (int64_t k = 0; k < common; k++) {
            NAME(vec) x = c[k];
            s0 -= r[k] * x;
            s1 -= r[row + k] * x;
            s2 -= r[2 * row + k] * x;
            s3 -= r[3 * row + k] * x;
        }
        if (i < most) s1 -= r[row + i] * s0, s2 -= r[2 * row + i] * s0, s3 -= r[3 * row + i] * s0;
        if (i + 1 < most) s2 -= r[2 * row + i + 1] * s1, s3 -= r[3 * row + i + 1] * s1;
        if (i + 2 < most) s3 -= r[3 * row + i + 2] * s2;
        c[i] = s0, c[i + 1] = s1, c[i + 2] = s2, c[i + 3] = s3;
    }
    for (; i < n; i++)
        for (int64_t k = 0; k < MIN(i, most); k++) c[i] -= a[i * row + k] * c[k];
}

/* ---- LU with partial pivoting ---- */

/* Pivot search: per lane, the first row from j on with the element of c of largest magnitude. */
GPA_SIMD_CLONES static void NAME(choose)(const NAME(vec) * c, int64_t n, int64_t j,
                                         NAME(mask) * at) {
    const NAME(mask) no_sign = (NAME(mask)){0} + (I)(((uint64_t)1 << (8 * sizeof(I) - 1)) - 1);
    NAME(vec) best = (NAME(vec))((NAME(mask))c[j] & no_sign);
    NAME(mask) place = (NAME(mask)){0} + (I)j;
    for (int64_t i = j + 1; i < n; i++) {
        NAME(vec) size = (NAME(vec))((NAME(mask))c[i] & no_sign);
        NAME(mask) beyond = size > best;
        best = (NAME(vec))(((NAME(mask))size & beyond) | ((NAME(mask))best & ~beyond));
        place = (((NAME(mask)){0} + (I)i) & beyond) | (place & ~beyond);
    }
    *at = place;
}

static void NAME(exchange)(T *x, T *y, int64_t n, int64_t apart) {
    for (int64_t j = 0; j < n; j++) {
        T z = x[j * apart];
        x[j * apart] = y[j * apart];
        y[j * apart] = z;
    }
}

/* Divides c from j + 1 on by the pivot c[j]; a zero pivot skips the division and sets info to j
 * + 1 unless it is set. */
GPA_SIMD_CLONES static void NAME(divide)(NAME(vec) * c, int64_t n, int64_t j, int *info) {
    T by[LANES];
    bool reciprocal = true;
    for (int l = 0; l < LANES; l++) {
        by[l] = c[j][l];
        if (by[l] == 0) {
            by[l] = 1;
            if (!info[l]) info[l] = (int)j + 1;
        }
        reciprocal &= !(by[l] < TINY && by[l] > -TINY);
    }
    NAME(vec) d;
    memcpy(&d, by, sizeof d);
    if (reciprocal) {
        d = 1 / d;
        for (int64_t i = j + 1; i < n; i++) c[i] *= d;
    } else {
        for (int64_t i = j + 1; i < n; i++) c[i] /= d;
    }
}

/* LU factorization. at[j] is, per lane, the row exchanged with row j. c is scratch for a column. */
static void NAME(lu)(NAME(vec) * a, int64_t n, NAME(vec) * c, NAME(mask) * at, int *info) {
    int64_t row = row_of(n);
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < n; i++) c[i] = a[i * row + j];
        NAME(subtract)(a, c, 0, n, j);
        NAME(choose)(c, n, j, &at[j]);
        for (int64_t i = 0; i < n; i++) a[i * row + j] = c[i];
        for (int l = 0; l < LANES; l++)
            if (at[j][l] != j)
                NAME(exchange)((T *)(a + j * row) + l, (T *)(a + at[j][l] * row) + l, n, LANES);
        for (int64_t i = j; i < n; i++) c[i] = a[i * row + j];
        NAME(divide)(c, n, j, info);
        for (int64_t i = j + 1; i < n; i++) a[i * row + j] = c[i];
    }
}

/* ---- triangular solves ---- */

/* Solves L U y = y for one right-hand side, whose rows are already permuted. */
GPA_SIMD_CLONES static void NAME(substitute)(const NAME(vec) * a, int64_t n, NAME(vec) * y) {
    int64_t row = row_of(n);
    NAME(subtract)(a, y, 0, n, n);
    for (int64_t i = n - 1; i >= 0; i--) {
        y[i] /= a[i * row + i];
        for (int64_t k = 0; k < i; k++) y[k] -= a[k * row + i] * y[i];
    }
}

/* The same for four right-hand sides at a time. */
GPA_SIMD_CLONES static void NAME(substitute_four)(const NAME(vec) * a, int64_t n, NAME(vec) * y) {
    int64_t row = row_of(n);
    NAME(vec) *y1 = y + n, *y2 = y1 + n, *y3 = y2 + n;
    for (int64_t i = 0; i < n; i++) {
        const NAME(vec) *r = a + i * row;
        NAME(vec) s0 = y[i], s1 = y1[i], s2 = y2[i], s3 = y3[i];
        for (int64_t k = 0; k < i; k++)
            s0 -= r[k] * y[k], s1 -= r[k] * y1[k], s2 -= r[k] * y2[k], s3 -= r[k] * y3[k];
        y[i] = s0, y1[i] = s1, y2[i] = s2, y3[i] = s3;
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        const NAME(vec) *r = a + i * row;
        NAME(vec) s0 = y[i], s1 = y1[i], s2 = y2[i], s3 = y3[i];
        for (int64_t k = i + 1; k < n; k++)
            s0 -= r[k] * y[k], s1 -= r[k] * y1[k], s2 -= r[k] * y2[k], s3 -= r[k] * y3[k];
        y[i] = s0 / r[i], y1[i] = s1 / r[i], y2[i] = s2 / r[i], y3[i] = s3 / r[i];
    }
}

/* Solves for k right-hand sides, one after the other in y. */
static void NAME(solve)(const NAME(vec) * a, int64_t n, int64_t k, const NAME(mask) * at,
                        NAME(vec) * y) {
    for (int64_t j = 0; j < n; j++)
        for (int l = 0; l < LANES; l++)
            if (at[j][l] != j)
                NAME(exchange)((T *)(y + j) + l, (T *)(y + at[j][l]) + l, k, n * LANES);
    int64_t c = 0;
    for (; c + TOGETHER <= k; c += TOGETHER) NAME(substitute_four)(a, n, y + c * n);
    for (; c < k; c++) NAME(substitute)(a, n, y + c * n);
}

/* ---- Cholesky ---- */

GPA_SIMD_CLONES static void NAME(cholesky)(NAME(vec) * a, int64_t n, NAME(vec) * c, int *info) {
    int64_t row = row_of(n);
    for (int64_t j = 0; j < n; j++) {
        NAME(vec) *r = a + j * row;
        int64_t i = j;
        for (; i + TOGETHER <= n; i += TOGETHER) {
            const NAME(vec) *x = a + i * row;
            NAME(vec) s0 = x[j], s1 = x[row + j], s2 = x[2 * row + j], s3 = x[3 * row + j];
            for (int64_t k = 0; k < j; k++)
                s0 -= x[k] * r[k], s1 -= x[row + k] * r[k], s2 -= x[2 * row + k] * r[k],
                    s3 -= x[3 * row + k] * r[k];
            c[i] = s0, c[i + 1] = s1, c[i + 2] = s2, c[i + 3] = s3;
        }
        for (; i < n; i++) {
            c[i] = a[i * row + j];
            for (int64_t k = 0; k < j; k++) c[i] -= a[i * row + k] * r[k];
        }
        T root[LANES];
        for (int l = 0; l < LANES; l++) {
            if (c[j][l] <= 0 && !info[l]) info[l] = (int)j + 1;
            root[l] = c[j][l] <= 0 ? 1 : (T)sqrt((double)c[j][l]); /* NaN propagates */
        }
        NAME(vec) d;
        memcpy(&d, root, sizeof d);
        r[j] = d;
        d = 1 / d;
        for (i = j + 1; i < n; i++) a[i * row + j] = c[i] * d;
    }
}

/* ---- calls ---- */

static int NAME(run)(const gpa_libcall *call, char *const *x, const int64_t *step, int count,
                     void *scratch, int *which) {
    int64_t n = call->matrix.n, row = row_of(n), k = call->kind == LIB_SOLVE ? call->matrix.k : n,
            item = sizeof(T);
    bool upper = call->matrix.upper || call->kind != LIB_CHOLESKY; /* the matrix is in C order */
    int info[LANES] = {0};
    NAME(vec) *a = scratch, *c = a + n * row, *y = c + 2 * n;
    NAME(mask) *at = (NAME(mask) *)(c + n);
    NAME(way)
    w = {.memory = (T *)(void *)x[0],
         .step = step[0] / item,
         .memory_row = upper ? n : 1,
         .memory_column = upper ? 1 : n,
         .row = row,
         .column = 1,
         .rows = n,
         .columns = n,
         .count = count,
         .triangle = call->kind == LIB_CHOLESKY};
    NAME(way)
    b = {.memory = (T *)(void *)x[1],
         .step = step[1] / item,
         .memory_row = 1,
         .memory_column = n,
         .row = 1,
         .column = n,
         .rows = n,
         .columns = k,
         .count = count};
    NAME(bring)(&w, a);
    if (call->kind == LIB_CHOLESKY)
        NAME(cholesky)(a, n, c, info);
    else
        NAME(lu)(a, n, c, at, info);
    if (call->kind == LIB_SOLVE) {
        NAME(bring)(&b, y);
    } else if (call->kind == LIB_INVERSE) {
        memset(y, 0, (size_t)(n * n) * sizeof *y);
        for (int64_t j = 0; j < n; j++) y[j * n + j] = (NAME(vec)){0} + 1;
    }
    if (call->kind == LIB_SOLVE || call->kind == LIB_INVERSE) NAME(solve)(a, n, k, at, y);
    for (int64_t i = 0; call->kind == LIB_INVERSE && i < n; i++)
        for (int64_t j = 0; j < n; j++) a[i * row + j] = y[j * n + i];
    if (call->kind == LIB_SOLVE)
        NAME(take)(&b, y);
    else
        NAME(take)(&w, a);
    for (int l = 0; call->kind == LIB_LU && l < count; l++)
        for (int64_t j = 0; j < n; j++)
            ((int32_t *)(void *)(x[1] + l * step[1]))[j] = (int32_t)at[j][l] + 1;
    for (int l = 0; call->kind != LIB_LU && l < count; l++)
        if (info[l]) return *which = l, info[l];
    return 0;
}

#undef LANES
#undef T
#undef I
#undef TINY
#undef NAME
