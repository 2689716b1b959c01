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

/* FEW: most multiplications of a product that does not pay for vectors; BITS_FROM: terms of a bool
 * sum from which packing pays; THIN: columns that do not fill vectors. */
enum {
    BLOCK_K = 128,
    BLOCK_N = 512,
    FEW = 128,
    BITS_FROM = 2,
    WORD = 64,
    THIN = 32,
    THIN_ROWS = 64,
    THIN_K = 64,
    DEEP_K = 2048
};

/* One product: strides in elements. */
typedef struct {
    int64_t m, n, k;
    const void *a, *b;
    int64_t ar, ac, br, bc; /* row and column strides */
    void *c;                /* contiguous, zeroed */
    const atomic_bool *stop;
} product;

/* GEMM(ID, C type, accumulate a * b onto c). */
#define NUMBERS(GEMM)                                        \
    GEMM(U8, uint8_t, c = (uint8_t)(c + a * b))              \
    GEMM(U16, uint16_t, c = (uint16_t)(c + (uint32_t)a * b)) \
    GEMM(U32, uint32_t, c += a * b)                          \
    GEMM(U64, uint64_t, c += a * b)
#define INTEGERS(GEMM)                                       \
    GEMM(BOOL, uint8_t, c |= (uint8_t)((a != 0) & (b != 0))) \
    NUMBERS(GEMM)
#define GEMMS(GEMM)              \
    INTEGERS(GEMM)               \
    GEMM(F32, float, c += a * b) \
    GEMM(F64, double, c += a * b)

#define GEMM(id, T, STEP)                                                                     \
    GPA_SIMD_CLONES static void gemm_##id(const product *p) {                                 \
        const T *pa = p->a, *pb = p->b;                                                       \
        for (int64_t k0 = 0; k0 < p->k; k0 += BLOCK_K)                                        \
            for (int64_t j0 = 0; j0 < p->n; j0 += BLOCK_N) {                                  \
                int64_t k1 = MIN(k0 + BLOCK_K, p->k), j1 = MIN(j0 + BLOCK_N, p->n);           \
                for (int64_t i = 0; i < p->m && !hostcall_stopped(p->stop); i++)              \
                    for (int64_t k = k0; k < k1; k++) {                                       \
                        const T a = pa[i * p->ar + k * p->ac], *restrict rb = pb + k * p->br; \
                        T *restrict rc = (T *)p->c + i * p->n;                                \
                        for (int64_t j = j0; j < j1; j++) {                                   \
                            const T b = rb[j];                                                \
                            T c = rc[j];                                                      \
                            STEP;                                                             \
                            rc[j] = c;                                                        \
                        }                                                                     \
                    }                                                                         \
            }                                                                                 \
    }
GEMMS(GEMM)
#undef GEMM

/* A batch of small products, `next_a` and `next_b` elements apart. */
#define GEMM(id, T, STEP)                                                                     \
    static void few_##id(const product *p, int64_t count, int64_t next_a, int64_t next_b) {   \
        const T *pa = p->a, *pb = p->b;                                                       \
        T *to = p->c;                                                                         \
        for (; count > 0 && !hostcall_stopped(p->stop); count--, pa += next_a, pb += next_b)  \
            for (int64_t i = 0; i < p->m; i++)                                                \
                for (int64_t j = 0; j < p->n; j++) {                                          \
                    T c = 0;                                                                  \
                    for (int64_t k = 0; k < p->k; k++) {                                      \
                        const T a = pa[i * p->ar + k * p->ac], b = pb[k * p->br + j * p->bc]; \
                        STEP;                                                                 \
                    }                                                                         \
                    *to++ = c;                                                                \
                }                                                                             \
    }
INTEGERS(GEMM)
#undef GEMM

/* A product with few columns: blocks of rows of A are transposed, so that the rows of a column are
 * vectorized. */
#define GEMM(id, T, STEP)                                                                      \
    GPA_SIMD_CLONES static void thin_##id(const product *p) {                                  \
        T at[THIN_K * THIN_ROWS] = {0}, sum[THIN_ROWS];                                        \
        for (int64_t i = 0; i < p->m && !hostcall_stopped(p->stop); i += THIN_ROWS)            \
            for (int64_t k0 = 0; k0 < p->k; k0 += THIN_K) {                                    \
                const int64_t rows = MIN(p->m - i, THIN_ROWS), terms = MIN(p->k - k0, THIN_K); \
                const T *pa = (const T *)p->a + i * p->ar + k0 * p->ac,                        \
                        *pb = (const T *)p->b + k0 * p->br;                                    \
                for (int64_t r = 0; r < rows; r++)                                             \
                    for (int64_t k = 0; k < terms; k++)                                        \
                        at[k * THIN_ROWS + r] = pa[r * p->ar + k * p->ac];                     \
                for (int64_t j = 0; j < p->n; j++) {                                           \
                    T *to = (T *)p->c + i * p->n + j;                                          \
                    for (int64_t r = 0; r < THIN_ROWS; r++)                                    \
                        sum[r] = k0 && r < rows ? to[r * p->n] : 0;                            \
                    for (int64_t k = 0; k < terms; k++) {                                      \
                        const T b = pb[k * p->br + j * p->bc];                                 \
                        for (int64_t r = 0; r < THIN_ROWS; r++) {                              \
                            const T a = at[k * THIN_ROWS + r];                                 \
                            T c = sum[r];                                                      \
                            STEP;                                                              \
                            sum[r] = c;                                                        \
                        }                                                                      \
                    }                                                                          \
                    for (int64_t r = 0; r < rows; r++) to[r * p->n] = sum[r];                  \
                }                                                                              \
            }                                                                                  \
    }
NUMBERS(GEMM)
#undef GEMM

/* A product with few rows and columns and long sums: rows of A and columns of B are contiguous, and
 * the terms of a sum are vectorized. */
#define GEMM(id, T, STEP)                                                           \
    GPA_SIMD_CLONES static void deep_##id(const product *p) {                       \
        for (int64_t k0 = 0; k0 < p->k && !hostcall_stopped(p->stop); k0 += DEEP_K) \
            for (int64_t i = 0; i < p->m; i++)                                      \
                for (int64_t j = 0; j < p->n; j++) {                                \
                    const int64_t terms = MIN(p->k - k0, DEEP_K);                   \
                    const T *ra = (const T *)p->a + i * p->ar + k0,                 \
                            *cb = (const T *)p->b + j * p->bc + k0;                 \
                    T *to = (T *)p->c + i * p->n + j, c = k0 ? *to : 0;             \
                    for (int64_t k = 0; k < terms; k++) {                           \
                        const T a = ra[k], b = cb[k];                               \
                        STEP;                                                       \
                    }                                                               \
                    *to = c;                                                        \
                }                                                                   \
    }
NUMBERS(GEMM)
#undef GEMM

/* Complex numbers, as pairs. */
#define GEMM_COMPLEX(id, T)                                                           \
    GPA_SIMD_CLONES static void gemm_##id(const product *p) {                         \
        const T *pa = p->a, *pb = p->b;                                               \
        for (int64_t i = 0; i < p->m && !hostcall_stopped(p->stop); i++)              \
            for (int64_t k = 0; k < p->k; k++) {                                      \
                const T a = pa[i * p->ar + k * p->ac], *restrict rb = pb + k * p->br; \
                T *restrict rc = (T *)p->c + i * p->n;                                \
                for (int64_t j = 0; j < p->n; j++) {                                  \
                    rc[j].re += a.re * rb[j].re - a.im * rb[j].im;                    \
                    rc[j].im += a.re * rb[j].im + a.im * rb[j].re;                    \
                }                                                                     \
            }                                                                         \
    }
GEMM_COMPLEX(C64, gpa_c64)
GEMM_COMPLEX(C128, gpa_c128)
#undef GEMM_COMPLEX

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
            if (!pa[i * p->ar + k * p->ac]) continue;
            for (; ready <= k; ready++)
                pack_bits(pb + ready * p->br, p->n, p->bc, rows + ready * words);
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
    for (int64_t i = 0; i < p->m && !hostcall_stopped(p->stop); i++, pa += p->ar) {
        uint64_t row = spare;
        for (int64_t k = 0; k < p->k && row != ~UINT64_C(0); k += TERMS) {
            const int64_t last = MIN(k + TERMS, p->k);
            for (; ready < last; ready++) pack_bits(pb + ready * p->br, p->n, p->bc, rows + ready);
            for (int64_t l = k; l < last; l++)
                row |= rows[l] & (0 - (uint64_t)(pa[l * p->ac] != 0));
        }
        unpack_bits(&row, p->n, (uint8_t *)p->c + i * p->n, end);
    }
}

/* ---- calls ---- */

/* Products wrap, so signed integers are multiplied as unsigned ones of their size. */
static void multiply(gpa_dtype t, const product *p) {
    switch (t) {
        case DT_BOOL: gemm_BOOL(p); return;
        case DT_I8:
        case DT_U8: gemm_U8(p); return;
        case DT_I16:
        case DT_U16: gemm_U16(p); return;
        case DT_I32:
        case DT_U32: gemm_U32(p); return;
        case DT_I64:
        case DT_U64: gemm_U64(p); return;
        case DT_F16:
        case DT_BF16:
        case DT_F32: gemm_F32(p); return;
        case DT_F64: gemm_F64(p); return;
        case DT_C64: gemm_C64(p); return;
        case DT_C128: gemm_C128(p); return;
        case DT_COUNT: return;
    }
}

/* A product with few columns, of a tall matrix (by columns) or a wide one (dot products); C need
 * not be zeroed. */
static void multiply_thin(gpa_dtype t, const product *p) {
    bool tall = p->m >= THIN_ROWS;
    switch (t) {
        case DT_I8:
        case DT_U8: (tall ? thin_U8 : deep_U8)(p); return;
        case DT_I16:
        case DT_U16: (tall ? thin_U16 : deep_U16)(p); return;
        case DT_I32:
        case DT_U32: (tall ? thin_U32 : deep_U32)(p); return;
        case DT_I64:
        case DT_U64: (tall ? thin_U64 : deep_U64)(p); return;
        default: return;
    }
}

/* True if a batch of small products of integers or bools was done. */
static bool multiply_few(gpa_dtype t, const product *p, int64_t count, int64_t next_a,
                         int64_t next_b) {
    if (p->m * p->n > FEW || p->m * p->n * p->k > FEW) return false;
    switch (t) {
        case DT_BOOL: few_BOOL(p, count, next_a, next_b); return true;
        case DT_I8:
        case DT_U8: few_U8(p, count, next_a, next_b); return true;
        case DT_I16:
        case DT_U16: few_U16(p, count, next_a, next_b); return true;
        case DT_I32:
        case DT_U32: few_U32(p, count, next_a, next_b); return true;
        case DT_I64:
        case DT_U64: few_U64(p, count, next_a, next_b); return true;
        default: return false;
    }
}

/* Packs a matrix in C order in the dtype of the computation. */
static void pack(gpa_dtype t, gpa_dtype work, const char *from, int64_t rows, int64_t cols,
                 int64_t rs, int64_t cs, char *to) {
    int64_t item = (int64_t)dtype_size(t), size = (int64_t)dtype_size(work);
    if (t == work) {
        strided_copy(to, (int64_t[]){cols, 1}, from, (int64_t[]){rs, cs},
                     &(strided_elems){(size_t)item, 2, (int64_t[]){rows, cols}});
        return;
    }
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++, to += size)
            dtype_store(to, work,
                        dtype_cast(dtype_load(from + (i * rs + j * cs) * item, t), t, work));
}

gpa_code hostcall_gemm(const gpa_libcall *call, const host_operands *x, const atomic_bool *stop,
                       gpa_err *e) {
    const void *a = x->in[0], *b = x->in[1];
    void *c = x->out[0];
    const int64_t m = call->gemm.m, n = call->gemm.n, k = call->gemm.k, *as = call->gemm.a.stride,
                  *bs = call->gemm.b.stride;
    gpa_dtype t = call->dtype, work = dtype_info[t].compute;
    int64_t item = (int64_t)dtype_size(t);
    bool narrow = n <= THIN && dtype_is_int(t), tall = m >= THIN_ROWS && narrow;
    bool deep = narrow && !tall && k >= THIN_K, bits = !tall && t == DT_BOOL && k >= BITS_FROM;
    bool pack_a = work != t || (deep && as[2] != 1),
         pack_b = work != t || (deep ? bs[1] != 1 : !tall && !bits && bs[2] != 1);
    const product all = {m,
                         n,
                         k,
                         (const char *)a + call->gemm.a.offset * item,
                         (const char *)b + call->gemm.b.offset * item,
                         as[1],
                         as[2],
                         bs[1],
                         bs[2],
                         (char *)c + call->gemm.c.offset * item,
                         stop};
    if (multiply_few(t, &all, call->gemm.batch, as[0], bs[0]))
        return hostcall_stopped(stop) ? gpa_interrupted(e) : GPA_OK;
    size_t size = dtype_size(work);
    char *ra = pack_a ? mem_new((size_t)(m * k) * size) : NULL,
         *rb = pack_b ? mem_new((size_t)(k * n) * size) : NULL;
    char *rc = work != t ? mem_new((size_t)(m * n) * size) : NULL;
    uint64_t *words = bits ? mem_new((size_t)words_of(n, k) * sizeof *words) : NULL;
    gpa_code code = GPA_OK;
    if ((pack_a && !ra) || (work != t && !rc) || (pack_b && !rb) || (bits && !words))
        code = gpa_no_memory(e);
    for (int64_t i = 0; i < call->gemm.batch && !code; i++) {
        const char *pa = (const char *)a + (call->gemm.a.offset + i * as[0]) * item;
        const char *pb = (const char *)b + (call->gemm.b.offset + i * bs[0]) * item;
        char *to = (char *)c + (call->gemm.c.offset + i * m * n) * item;
        product p = {m, n, k, pa, pb, as[1], as[2], bs[1], bs[2], to, stop};
        if (pack_a) {
            pack(t, work, pa, m, k, as[1], as[2], ra);
            p.a = ra;
            p.ar = k;
            p.ac = 1;
        }
        if (pack_b) {
            if (deep)
                pack(t, work, pb, n, k, bs[2], bs[1], rb);
            else
                pack(t, work, pb, k, n, bs[1], bs[2], rb);
            p.b = rb;
            p.br = deep ? 1 : n;
            p.bc = deep ? k : 1;
        }
        if (work != t) p.c = rc;
        if (bits)
            (n > WORD ? gemm_bits : gemm_word)(&p, words);
        else if (tall || deep)
            multiply_thin(t, &p);
        else {
            memset(p.c, 0, (size_t)(m * n) * size);
            multiply(t, &p);
        }
        if (work != t) pack(work, t, rc, m, n, n, 1, to);
        if (hostcall_stopped(stop)) code = gpa_interrupted(e);
    }
    mem_free(ra);
    mem_free(rb);
    mem_free(rc);
    mem_free(words);
    return code;
}
