/* Matrix products in host memory.
 *
 * Row i of C accumulates A[i][k] times row k of B: the inner loop is contiguous and vectorized by
 * the compiler. B is blocked for the cache. Halves are converted to float, multiplied, and rounded
 * once. Bool rows of B are packed into words of bits; a row of C is complete as soon as all its
 * bits are set. */
#include "runtime/base/base.h"
#include "runtime/graph/strided_copy.h"
#include "runtime/host/host.h"
#include "runtime/base/simd_clones.h"
#include "runtime/tables/tuning.h"

enum {
    WORD = 64 /* bits */
};

/* One product. */
typedef struct {
    int64_t m, n, k;
    const void *a, *b;
    int64_t a_row, a_col, b_row, b_col; /* strides in elements */
    void *c;                            /* contiguous, zeroed */
    const atomic_bool *stop;
} product;

/* ---- the loops of each dtype ---- */

/* Products wrap, so signed integers are multiplied as unsigned ones of their size. */
#define NAME(f) f##_BOOL
#define T uint8_t
#define MULTIPLY_ADD(c, a, b) (uint8_t)((c) | (((a) != 0) & ((b) != 0)))
#include "runtime/host/gemm_rows.inc"
#include "runtime/host/gemm_small.inc"
#undef NAME
#undef T
#undef MULTIPLY_ADD
#define MULTIPLY_ADD(c, a, b) (T)((c) + 1u * (a) * (b))
#define TEMPLATE "runtime/host/gemm_integer.inc"
#include "runtime/host/word_sizes.inc"
#undef MULTIPLY_ADD
#define MULTIPLY_ADD(c, a, b) ((c) + (a) * (b))
#define NAME(f) f##_F32
#define T float
#include "runtime/host/gemm_rows.inc"
#undef NAME
#undef T
#define NAME(f) f##_F64
#define T double
#include "runtime/host/gemm_rows.inc"
#undef NAME
#undef T
#undef MULTIPLY_ADD
#define NAME(f) f##_C64
#define T gpa_c64
#include "runtime/host/gemm_complex.inc"
#undef NAME
#undef T
#define NAME(f) f##_C128
#define T gpa_c128
#include "runtime/host/gemm_complex.inc"
#undef NAME
#undef T

/* ---- bools ---- */

/* Eight bytes to bits and back, the first byte the lowest bit; nonzero is true. */
static uint64_t bits_of(uint64_t bytes) {
    const uint64_t low = 0x7f7f7f7f7f7f7f7f;
    return (((((bytes & low) + low) | bytes) & ~low) >> 7) * 0x0102040810204080 >> 56;
}

static uint64_t bytes_of(uint64_t bits) {
    const uint64_t low = 0x7f7f7f7f7f7f7f7f;
    return ((((bits & 255) * 0x0101010101010101 & 0x8040201008040201) + low) & ~low) >> 7;
}

static void pack_bits(const uint8_t *from, int64_t n, int64_t step, uint64_t *to) {
    for (int64_t j = 0; j < n; j += 8) {
        uint8_t eight[8] = {0};
        uint64_t bytes;
        if (step == 1 && j + 8 <= n)
            memcpy(eight, from + j, 8);
        else
            for (int64_t l = 0; l < MIN(8, n - j); l++) eight[l] = from[(j + l) * step];
        memcpy(&bytes, eight, 8);
        if (j % WORD == 0) to[j / WORD] = 0;
        to[j / WORD] |= bits_of(bytes) << j % WORD;
    }
}

/* May write more than n bytes, but not beyond `end`. */
static void unpack_bits(const uint64_t *from, int64_t n, uint8_t *to, const uint8_t *end) {
    for (int64_t j = 0; j < n; j += 8) {
        const uint64_t bytes = bytes_of(from[j / WORD] >> j % WORD);
        if (end - to >= j + 8)
            memcpy(to + j, &bytes, 8);
        else
            memcpy(to + j, &bytes, (size_t)(n - j));
    }
}

/* ORs a row of bits into another; true if all bits are set then. */
GPA_SIMD_CLONES static bool fill_row(const uint64_t *row, int64_t words, uint64_t *to) {
    uint64_t all = ~UINT64_C(0);
    for (int64_t w = 0; w < words; w++) all &= to[w] |= row[w];
    return all == ~UINT64_C(0);
}

/* Words of scratch of gemm_bits: the rows of B, and one of C. */
static int64_t words_of(int64_t n, int64_t k) { return (n + WORD - 1) / WORD * (k + 1); }

/* Rows of B are packed when the first row of A needs them. */
static void gemm_bits(const product *p, uint64_t *scratch) {
    const int64_t words = (p->n + WORD - 1) / WORD;
    const uint8_t *pa = p->a, *pb = p->b, *end = (const uint8_t *)p->c + p->m * p->n;
    const uint64_t spare = p->n % WORD ? ~UINT64_C(0) << p->n % WORD : 0; /* padding bits */
    uint64_t *rows = scratch + words;
    int64_t ready = 0;
    for (int64_t i = 0; i < p->m && !hostcall_stopped(p->stop); i++) {
        uint8_t *to = (uint8_t *)p->c + i * p->n;
        bool full = false;
        memset(scratch, 0, (size_t)words * sizeof *scratch);
        scratch[words - 1] = spare;
        for (int64_t k = 0; k < p->k && !full; k++) {
            if (!pa[i * p->a_row + k * p->a_col]) continue;
            for (; ready <= k; ready++)
                pack_bits(pb + ready * p->b_row, p->n, p->b_col, rows + ready * words);
            full = fill_row(rows + k * words, words, scratch);
        }
        if (full)
            memset(to, 1, (size_t)p->n);
        else
            unpack_bits(scratch, p->n, to, end);
    }
}

/* The same where a row is one word: branch-free, several terms at a time. */
static void gemm_word(const product *p, uint64_t *rows) {
    enum { TERMS = 8 };
    const uint8_t *pa = p->a, *pb = p->b, *end = (const uint8_t *)p->c + p->m * p->n;
    const uint64_t spare = p->n % WORD ? ~UINT64_C(0) << p->n % WORD : 0;
    int64_t ready = 0;
    for (int64_t i = 0; i < p->m && !hostcall_stopped(p->stop); i++, pa += p->a_row) {
        uint64_t row = spare;
        for (int64_t k = 0; k < p->k && row != ~UINT64_C(0); k += TERMS) {
            const int64_t last = MIN(k + TERMS, p->k);
            for (; ready < last; ready++)
                pack_bits(pb + ready * p->b_row, p->n, p->b_col, rows + ready);
            for (int64_t l = k; l < last; l++)
                row |= rows[l] & (0 - (uint64_t)(pa[l * p->a_col] != 0));
        }
        unpack_bits(&row, p->n, (uint8_t *)p->c + i * p->n, end);
    }
}

/* ---- calls ---- */

typedef void gemm_function(const product *p);

/* By dtype; halves are computed as floats. */
static gemm_function *const gemm_functions[DT_COUNT] = {
    [DT_BOOL] = gemm_BOOL, [DT_I8] = gemm_1,    [DT_U8] = gemm_1,     [DT_I16] = gemm_2,
    [DT_U16] = gemm_2,     [DT_I32] = gemm_4,   [DT_U32] = gemm_4,    [DT_I64] = gemm_8,
    [DT_U64] = gemm_8,     [DT_F16] = gemm_F32, [DT_BF16] = gemm_F32, [DT_F32] = gemm_F32,
    [DT_F64] = gemm_F64,   [DT_C64] = gemm_C64, [DT_C128] = gemm_C128};
#define INTEGER_TABLE(f)                                                                    \
    [DT_I8] = f##_1, [DT_U8] = f##_1, [DT_I16] = f##_2, [DT_U16] = f##_2, [DT_I32] = f##_4, \
    [DT_U32] = f##_4, [DT_I64] = f##_8, [DT_U64] = f##_8
static gemm_function *const tall_functions[DT_COUNT] = {INTEGER_TABLE(tall)},
                            *const dot_functions[DT_COUNT] = {INTEGER_TABLE(dot)};
typedef void small_function(const product *p, int64_t batch, int64_t next_a, int64_t next_b);
static small_function *const small_functions[DT_COUNT] = {[DT_BOOL] = small_BOOL,
                                                          INTEGER_TABLE(small)};

/* A matrix to be packed: strides in elements. */
typedef struct {
    const char *first;
    int64_t rows, cols, row_stride, col_stride;
} matrix_view;

/* Packs a matrix of dtype t in C order in dtype `work`. */
static void pack(matrix_view m, gpa_dtype t, gpa_dtype work, char *to) {
    const int64_t item = (int64_t)dtype_size(t), size = (int64_t)dtype_size(work);
    if (t == work) {
        strided_copy(to, (int64_t[]){m.cols, 1}, m.first, (int64_t[]){m.row_stride, m.col_stride},
                     &(strided_elems){(size_t)item, 2, (int64_t[]){m.rows, m.cols}});
        return;
    }
    for (int64_t i = 0; i < m.rows; i++)
        for (int64_t j = 0; j < m.cols; j++, to += size) {
            const char *x = m.first + (i * m.row_stride + j * m.col_stride) * item;
            dtype_store(to, work, dtype_cast(dtype_load(x, t), t, work));
        }
}

/* How a call is computed. */
typedef struct {
    gpa_dtype t, work;    /* of the arrays; of the computation */
    bool tall, dot, bits; /* gemm_narrow.inc; packed bools */
    bool pack_a, pack_b;  /* B is packed by columns for dot products */
    char *a, *b, *c;      /* packed matrices of the batch */
    uint64_t *words;      /* of gemm_bits */
} method;

static method choose_method(const gpa_libcall *call) {
    const int64_t m = call->gemm.m, n = call->gemm.n, k = call->gemm.k;
    const int64_t *as = call->gemm.a.stride, *bs = call->gemm.b.stride;
    const gpa_dtype t = call->dtype;
    const bool narrow = n <= TUNE_HOST_GEMM_NARROW_MAX_COLS && dtype_is_int(t);
    method w = {
        .t = t, .work = dtype_info[t].compute, .tall = narrow && m >= TUNE_HOST_GEMM_TALL_ROWS};
    w.dot = narrow && !w.tall && k >= TUNE_HOST_GEMM_DOT_MIN_TERMS;
    w.bits = t == DT_BOOL && k >= TUNE_HOST_GEMM_PACK_MIN_TERMS;
    w.pack_a = w.work != t || (w.dot && as[2] != 1);
    w.pack_b = w.work != t || (w.dot ? bs[1] != 1 : !w.tall && !w.bits && bs[2] != 1);
    return w;
}

static void method_free(method *w) {
    mem_free(w->a);
    mem_free(w->b);
    mem_free(w->c);
    mem_free(w->words);
}

static gpa_code method_new(const gpa_libcall *call, method *w, gpa_err *e) {
    const int64_t m = call->gemm.m, n = call->gemm.n, k = call->gemm.k;
    const size_t size = dtype_size(w->work);
    const bool convert = w->work != w->t;
    if (w->pack_a) w->a = mem_new((size_t)(m * k) * size);
    if (w->pack_b) w->b = mem_new((size_t)(k * n) * size);
    if (convert) w->c = mem_new((size_t)(m * n) * size);
    if (w->bits) w->words = mem_new((size_t)words_of(n, k) * sizeof *w->words);
    const bool fits = (!w->pack_a || w->a) && (!w->pack_b || w->b) && (!convert || w->c) &&
                      (!w->bits || w->words);
    return fits ? GPA_OK : gpa_no_memory(e);
}

/* One product of the batch; p is packed where the method says so. */
static void multiply(const method *w, product p) {
    char *const to = p.c;
    const bool convert = w->work != w->t;
    if (w->pack_a) {
        pack((matrix_view){p.a, p.m, p.k, p.a_row, p.a_col}, w->t, w->work, w->a);
        p.a = w->a;
        p.a_row = p.k;
        p.a_col = 1;
    }
    if (w->pack_b) {
        pack(w->dot ? (matrix_view){p.b, p.n, p.k, p.b_col, p.b_row}
                    : (matrix_view){p.b, p.k, p.n, p.b_row, p.b_col},
             w->t, w->work, w->b);
        p.b = w->b;
        p.b_row = w->dot ? 1 : p.n;
        p.b_col = w->dot ? p.k : 1;
    }
    if (convert) p.c = w->c;
    if (w->bits) {
        (p.n > WORD ? gemm_bits : gemm_word)(&p, w->words);
    } else if (w->tall || w->dot) {
        (w->tall ? tall_functions : dot_functions)[w->t](&p);
    } else {
        memset(p.c, 0, (size_t)(p.m * p.n) * dtype_size(w->work));
        gemm_functions[w->t](&p);
    }
    if (convert) pack((matrix_view){w->c, p.m, p.n, p.n, 1}, w->work, w->t, to);
}

gpa_code hostcall_gemm(const gpa_libcall *call, const host_operands *x, const atomic_bool *stop,
                       gpa_err *e) {
    const int64_t m = call->gemm.m, n = call->gemm.n, k = call->gemm.k;
    const int64_t *as = call->gemm.a.stride, *bs = call->gemm.b.stride;
    const int64_t item = (int64_t)dtype_size(call->dtype);
    const char *a = (const char *)x->in[0] + call->gemm.a.offset * item,
               *b = (const char *)x->in[1] + call->gemm.b.offset * item;
    char *c = (char *)x->out[0] + call->gemm.c.offset * item;
    small_function *small = small_functions[call->dtype];
    product p = {m, n, k, a, b, as[1], as[2], bs[1], bs[2], c, stop};
    if (small && m * n <= TUNE_HOST_GEMM_SCALAR_MAX_WORK &&
        m * n * k <= TUNE_HOST_GEMM_SCALAR_MAX_WORK) {
        small(&p, call->gemm.batch, as[0], bs[0]);
        return hostcall_stopped(stop) ? gpa_interrupted(e) : GPA_OK;
    }
    method w = choose_method(call);
    gpa_code rc = method_new(call, &w, e);
    for (int64_t i = 0; i < call->gemm.batch && !rc; i++) {
        p.a = a + i * as[0] * item;
        p.b = b + i * bs[0] * item;
        p.c = c + i * m * n * item;
        multiply(&w, p);
        if (hostcall_stopped(stop)) rc = gpa_interrupted(e);
    }
    method_free(&w);
    return rc;
}
