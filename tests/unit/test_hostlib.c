/* Host transforms, factorizations and sparse products: against the definition, by the product of
 * the factors, and with failing allocations. */
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/host/sparse.h"

static double number(void) { return (double)(rand() % 2001 - 1000) / 500; }

/* ---- transforms ---- */

static void transforms(void **state) {
    (void)state;
    enum { MOST = 60 };
    gpa_c128 in[MOST], out[MOST];
    gpa_err e = {0};
    srand(1);
    for (int64_t n = 1; n <= MOST; n++)
        for (int inverse = 0; inverse < 2; inverse++) {
            gpa_libcall c = {.kind = LIB_FFT,
                             .dtype = DT_C128,
                             .fft = {.form = FFT_C2C, .inverse = inverse, .rank = 1, .ndim = 1}};
            c.fft.n[0] = n;
            c.fft.in.stride[0] = c.fft.out.stride[0] = 1;
            for (int64_t k = 0; k < n; k++) in[k] = (gpa_c128){number(), number()};
            assert_int_equal(hostcall_run(&c, &(host_operands){.in = {in}, .out = {out}}, NULL, &e),
                             GPA_OK);
            for (int64_t j = 0; j < n; j++) {
                double re = 0, im = 0;
                for (int64_t k = 0; k < n; k++) {
                    double turn = (inverse ? 2 : -2) * 3.14159265358979323846 *
                                  (double)(j * k % n) / (double)n;
                    re += in[k].re * cos(turn) - in[k].im * sin(turn);
                    im += in[k].re * sin(turn) + in[k].im * cos(turn);
                }
                assert_true(fabs(out[j].re - re) < 1e-11 && fabs(out[j].im - im) < 1e-11);
            }
        }
}

/* ---- factorizations ---- */

enum { N = 6 };

/* a x = b, with a by rows. */
static void solver_lib(void **state) {
    (void)state;
    double a[2 * N * N], kept[2 * N * N], b[2 * N], right[2 * N];
    int32_t info = -1;
    gpa_err e = {0};
    srand(2);
    for (int i = 0; i < 2 * N * N; i++) kept[i] = a[i] = number();
    for (int i = 0; i < 2 * N; i++) right[i] = b[i] = number();
    gpa_libcall c = {.kind = LIB_SOLVE,
                     .dtype = DT_F64,
                     .matrix = {.batch = 2, .m = N, .n = N, .k = 1, .info = &info}};
    assert_int_equal(hostcall_run(&c, &(host_operands){.out = {a, b}}, NULL, &e), GPA_OK);
    assert_int_equal(info, 0);
    for (int m = 0; m < 2; m++)
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int j = 0; j < N; j++) sum += kept[m * N * N + i * N + j] * b[m * N + j];
            assert_true(fabs(sum - right[m * N + i]) < 1e-9);
        }
    for (int i = 0; i < N * N; i++) a[i] = i / N == 3 ? 0 : number(); /* a row of zeros */
    c.matrix.batch = 1;
    assert_int_equal(hostcall_run(&c, &(host_operands){.out = {a, b}}, NULL, &e), GPA_OK);
    assert_true(info > 0);
}

/* Columns of the eigenvectors: a v = w v, in float32 to its precision. */
static void eigenvectors(void **state) {
    (void)state;
    float a[N * N], kept[N * N], w[N];
    int32_t info = -1;
    gpa_err e = {0};
    srand(3);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            kept[i * N + j] = kept[j * N + i] = a[i * N + j] = a[j * N + i] = (float)number();
    gpa_libcall c = {.kind = LIB_EIGH,
                     .dtype = DT_F32,
                     .matrix = {.batch = 1, .m = N, .n = N, .vectors = true, .info = &info}};
    assert_int_equal(hostcall_run(&c, &(host_operands){.out = {a, w}}, NULL, &e), GPA_OK);
    assert_int_equal(info, 0);
    for (int k = 0; k < N; k++) {
        assert_true(k == 0 || w[k - 1] <= w[k]);
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int j = 0; j < N; j++) sum += (double)kept[i * N + j] * (double)a[k * N + j];
            assert_true(fabs(sum - (double)w[k] * (double)a[k * N + i]) < 1e-5);
        }
    }
}

/* ---- sparse products ---- */

static void sparse_products(void **state) {
    (void)state;
    const int32_t start[] = {0, 2, 2, 3}, column[] = {0, 2, 1};
    const double at[] = {1, 2, 3}, x[] = {10, 1, 20, 2, 30, 3};
    double y[6];
    gpa_err e = {0};
    gpa_libcall c = {
        .kind = LIB_SPMM, .dtype = DT_F64, .spmm = {.a = {.rows = 3, .cols = 3, .nnz = 3}, .k = 2}};
    assert_int_equal(
        hostcall_run(&c, &(host_operands){.in = {start, column, at, x}, .out = {y}}, NULL, &e),
        GPA_OK);
    assert_memory_equal(y, ((const double[]){70, 7, 0, 0, 60, 6}), sizeof y);
    c.dtype = DT_F16;
    assert_int_equal(
        hostcall_run(&c, &(host_operands){.in = {start, column, at, x}, .out = {y}}, NULL, &e),
        GPA_E_TYPE);
}

/* ---- sparse matrices by rows ---- */

enum {
    R = 40,
    C = 9000
}; /* wide enough that a row's columns are ordered by their bits, over several pages of them */

/* A matrix whose row i has so many values, in columns far apart; at most MOST in all. */
enum { MOST = R * 64 };
typedef struct {
    int32_t start[R + 1], column[MOST];
    double at[MOST];
} made_rows;

static host_csr make_rows(made_rows *m, int64_t rows, int64_t columns, int64_t each, int64_t step) {
    int32_t n = 0;
    for (int64_t i = 0; i < rows; i++) {
        m->start[i] = n;
        for (int64_t k = 0; k < (i % 5 == 3 ? 0 : each); k++, n++) {
            m->column[n] = (int32_t)((i * 7 + k * step) % columns);
            m->at[n] = (double)((i + 3 * k) % 11) - 5;
        }
    }
    m->start[rows] = n;
    return (host_csr){.dtype = DT_F64,
                      .rows = rows,
                      .cols = columns,
                      .nnz = n,
                      .indptr = m->start,
                      .indices = m->column,
                      .data = m->at};
}

static double element(const host_csr *a, int64_t i, int64_t j) {
    double sum = 0;
    for (int32_t s = a->indptr[i]; s < a->indptr[i + 1]; s++)
        if (a->indices[s] == j) sum += ((const double *)a->data)[s];
    return sum;
}

static void products_of_two(void **state) {
    (void)state;
    static made_rows x, y;
    const host_csr a = make_rows(&x, R, R, 6, 11), b = make_rows(&y, R, C, 60, 147);
    int32_t start[R + 1];
    gpa_err e = {0};
    assert_int_equal(hostcall_spgemm_indptr(&a, &b, start, NULL, &e), GPA_OK);
    int32_t *column = malloc((size_t)start[R] * sizeof *column);
    double *at = malloc((size_t)start[R] * sizeof *at);
    assert_int_equal(hostcall_spgemm(&a, &b, &(host_csr_out){start, column, at}, NULL, &e), GPA_OK);
    for (int64_t i = 0; i < R; i++)
        for (int32_t s = start[i]; s < start[i + 1]; s++) {
            double sum = 0;
            for (int64_t l = 0; l < R; l++) sum += element(&a, i, l) * element(&b, l, column[s]);
            assert_true(at[s] == sum);
            for (int32_t r = start[i]; r < s; r++) assert_true(column[r] != column[s]);
        }
    free(at);
    const atomic_bool stop = true;
    assert_int_equal(hostcall_spgemm_indptr(&a, &b, start, &stop, &e), GPA_E_INTERRUPT);
    for (uint64_t n = 1; n < 5; n++) {
        e = (gpa_err){0};
        mem_fail_at(n);
        gpa_code rc = hostcall_spgemm_indptr(&a, &b, start, NULL, &e);
        mem_fail_at(0);
        assert_int_equal(rc, n <= 1 ? GPA_E_MEMORY : GPA_OK);
    }
    host_csr halves = a;
    halves.dtype = DT_F16;
    assert_int_equal(hostcall_spgemm(&halves, &b, &(host_csr_out){start, column, NULL}, NULL, &e),
                     GPA_E_TYPE);
    free(column);
}

static void indices(void **state) {
    (void)state;
    int32_t at[100];
    uint32_t most;
    bool rise;
    for (int i = 0; i < 100; i++) at[i] = i / 2;
    hostcall_index_range(at, 100, &most, &rise);
    assert_true(most == 49 && rise);
    at[63] = 49;
    hostcall_index_range(at, 100, &most, &rise);
    assert_true(most == 49 && !rise);
    at[0] = -1;
    hostcall_index_range(at, 63, &most, &rise);
    assert_true(most == UINT32_MAX && rise);
    hostcall_index_range(at, 0, &most, &rise);
    assert_true(most == 0 && rise);
}

static void unions(void **state) {
    (void)state;
    const int32_t start_a[] = {0, 2, 2, 3}, column_a[] = {0, 4, 1}, start_b[] = {0, 3, 4, 5},
                  column_b[] = {1, 4, 5, 2, 1};
    const int32_t at_a[] = {10, 20, 30}, at_b[] = {1, 2, 3, 4, 5}, columns[] = {0, 1, 4, 5, 2, 1};
    const host_csr a = {DT_I32, true, 3, 6, 3, start_a, column_a, at_a},
                   b = {DT_I32, true, 3, 6, 5, start_b, column_b, at_b},
                   none = {DT_I32, true, 3, 6, 0, (const int32_t[4]){0}, NULL, NULL};
    int32_t start[4], column[8], x[8], y[8];
    const host_csr_out out = {start, column, x};
    gpa_err e = {0};
    assert_int_equal(hostcall_csr_align(&a, &b, &out, y, NULL, &e), GPA_OK);
    assert_memory_equal(start, ((const int32_t[]){0, 4, 5, 6}), sizeof start);
    assert_memory_equal(column, columns, sizeof columns);
    assert_memory_equal(x, ((const int32_t[]){10, 0, 20, 0, 0, 30}), sizeof columns);
    assert_memory_equal(y, ((const int32_t[]){0, 1, 2, 3, 4, 5}), sizeof columns);
    assert_int_equal(hostcall_csr_align(&none, &b, &out, y, NULL, &e), GPA_OK);
    assert_memory_equal(start, start_b, sizeof start);
    assert_memory_equal(x, ((const int32_t[5]){0}), sizeof at_b);
    assert_memory_equal(y, at_b, sizeof at_b);
    const atomic_bool stop = true;
    assert_int_equal(hostcall_csr_align(&a, &b, &out, y, &stop, &e), GPA_E_INTERRUPT);
}

static void differences(void **state) {
    (void)state;
    const int32_t start_a[] = {0, 3, 3, 4}, start_b[] = {0, 2, 3, 4}, sorted_a[] = {0, 2, 4, 1},
                  sorted_b[] = {2, 5, 2, 1};
    const int32_t loose_a[] = {4, 0, 4, 1}, loose_b[] = {5, 0, 2, 1};
    const double at_a[] = {10, 20, 30, 7}, at_b[] = {1, 2, 3, 7};
    const host_csr a = {DT_F64, true, 3, 6, 4, start_a, sorted_a, at_a},
                   b = {DT_F64, true, 3, 6, 4, start_b, sorted_b, at_b},
                   c = {DT_F64, false, 3, 6, 4, start_a, loose_a, at_a},
                   d = {DT_F64, false, 3, 6, 4, start_b, loose_b, at_b};
    int32_t start[4], column[8];
    double at[8];
    const host_csr_out out = {start, column, at};
    gpa_err e = {0};
    assert_int_equal(hostcall_csr_binary(CSR_SUBTRACT, &a, &b, &out, NULL, &e), GPA_OK);
    assert_memory_equal(start, ((const int32_t[]){0, 4, 5, 5}), sizeof start);
    assert_memory_equal(column, ((const int32_t[]){0, 2, 4, 5, 2}), 5 * sizeof *column);
    assert_memory_equal(at, ((const double[]){10, 19, 30, -2, -3}), 5 * sizeof *at);
    assert_int_equal(hostcall_csr_binary(CSR_SUBTRACT, &c, &d, &out, NULL, &e), GPA_OK);
    assert_memory_equal(start, ((const int32_t[]){0, 3, 4, 4}), sizeof start);
    assert_memory_equal(column, ((const int32_t[]){5, 0, 4, 2}), 4 * sizeof *column);
    assert_memory_equal(at, ((const double[]){-1, 18, 40, -3}), 4 * sizeof *at);
    assert_int_equal(hostcall_csr_binary(CSR_MULTIPLY, &c, &d, &out, NULL, &e), GPA_OK);
    assert_true(start[3] == 2 && column[0] == 0 && at[0] == 40 && column[1] == 1 && at[1] == 49);
    assert_true(hostcall_csr_can_binary(CSR_ADD, DT_BOOL) &&
                !hostcall_csr_can_binary(CSR_SUBTRACT, DT_BOOL) &&
                !hostcall_csr_can_binary(CSR_ADD, DT_F16));
    for (uint64_t n = 1; n <= 5; n++) {
        e = (gpa_err){0};
        mem_fail_at(n);
        assert_int_equal(hostcall_csr_binary(CSR_ADD, &c, &d, &out, NULL, &e), GPA_E_MEMORY);
        mem_fail_at(0);
    }
    const atomic_bool stop = true;
    e = (gpa_err){0};
    assert_int_equal(hostcall_csr_binary(CSR_ADD, &a, &b, &out, &stop, &e), GPA_E_INTERRUPT);
}

static void rows_in_order(void **state) {
    (void)state;
    const int32_t start[] = {0, 4, 4, 6}, column[] = {5, 0, 5, 2, 1, 3};
    const double at[] = {1, 2, 4, 8, 16, 32};
    const host_csr a = {DT_F64, false, 3, 6, 6, start, column, at};
    int32_t to_start[4], to_column[6];
    double to[6];
    const host_csr_out out = {to_start, to_column, to};
    gpa_err e = {0};
    assert_false(hostcall_csr_is_canonical(&a));
    assert_false(hostcall_can_sum(DT_F16));
    assert_int_equal(hostcall_csr_sort_columns(&a, true, &out, NULL, &e), GPA_OK);
    assert_memory_equal(to_start, ((const int32_t[]){0, 3, 3, 5}), sizeof to_start);
    assert_memory_equal(to_column, ((const int32_t[]){0, 2, 5, 1, 3}), 5 * sizeof *to_column);
    assert_memory_equal(to, ((const double[]){2, 8, 5, 16, 32}), 5 * sizeof *to);
    assert_int_equal(hostcall_csr_sort_columns(&a, false, &out, NULL, &e), GPA_OK);
    assert_memory_equal(to_start, start, sizeof start);
    assert_memory_equal(to, ((const double[]){2, 8, 1, 4, 16, 32}), sizeof to);
    mem_fail_at(1);
    assert_int_equal(hostcall_csr_sort_columns(&a, true, &out, NULL, &e), GPA_E_MEMORY);
    mem_fail_at(0);
    const int64_t row[] = {2, 0, 0}, wanted[] = {3, 5, 1}, wrong[] = {3};
    assert_int_equal(hostcall_csr_select_indptr(&a, row, 3, to_start, &e), GPA_OK);
    assert_memory_equal(to_start, ((const int32_t[]){0, 2, 6, 10}), sizeof to_start);
    assert_int_equal(hostcall_csr_gather(&a, &(host_elements){row, wanted, 3}, to, NULL, &e),
                     GPA_OK);
    assert_memory_equal(to, ((const double[]){32, 5, 0}), 3 * sizeof *to);
    e = (gpa_err){0};
    assert_int_equal(hostcall_csr_select_indptr(&a, wrong, 1, to_start, &e), GPA_E_INDEX);
}

static void transposes(void **state) {
    (void)state;
    int32_t start[6], rows[6];
    const int32_t key[] = {3, 0, 3, 1, 0, 3}, other[] = {9, 8, 7, 6, 5, 4};
    const gpa_dtype types[] = {DT_I8, DT_F16, DT_F32, DT_C64, DT_C128};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        const size_t item = dtype_size(types[t]);
        gpa_libcall c = {
            .kind = LIB_SPARSE_TRANSPOSE, .dtype = types[t], .transpose = {.cols = 5, .nnz = 6}};
        unsigned char at[6 * 16], turned[6 * 16];
        for (size_t i = 0; i < sizeof at; i++) at[i] = (unsigned char)(i * 5 + 1);
        gpa_err e = {0};
        assert_int_equal(
            hostcall_run(&c, &(host_operands){.in = {key, other, at}, .out = {start, rows, turned}},
                         NULL, &e),
            GPA_OK);
        assert_memory_equal(start, ((const int32_t[]){0, 2, 3, 3, 6, 6}), sizeof start);
        assert_memory_equal(rows, ((const int32_t[]){8, 5, 6, 9, 7, 4}), sizeof rows);
        const size_t from[] = {1, 4, 3, 0, 2, 5};
        for (size_t i = 0; i < 6; i++)
            assert_memory_equal(turned + i * item, at + from[i] * item, item);
    }
}

/* ---- failures ---- */

static void interrupted(void **state) {
    (void)state;
    const atomic_bool stop = true;
    gpa_c128 in[8] = {{1, 0}}, out[8];
    gpa_err e = {0};
    gpa_libcall c = {
        .kind = LIB_FFT, .dtype = DT_C128, .fft = {.form = FFT_C2C, .rank = 1, .ndim = 1}};
    c.fft.n[0] = 8;
    c.fft.in.stride[0] = c.fft.out.stride[0] = 1;
    assert_int_equal(hostcall_run(&c, &(host_operands){.in = {in}, .out = {out}}, &stop, &e),
                     GPA_E_INTERRUPT);
}

static void short_of_memory(void **state) {
    (void)state;
    double a[N * N] = {1}, b[N];
    gpa_c128 in[8] = {{1, 0}}, out[8];
    int32_t info;
    gpa_libcall fft = {
        .kind = LIB_FFT, .dtype = DT_C128, .fft = {.form = FFT_C2C, .rank = 1, .ndim = 1}};
    gpa_libcall solve = {.kind = LIB_SOLVE,
                         .dtype = DT_F64,
                         .matrix = {.batch = 1, .m = N, .n = N, .k = 1, .info = &info}};
    fft.fft.n[0] = 8;
    fft.fft.in.stride[0] = fft.fft.out.stride[0] = 1;
    for (uint64_t n = 1; n < 6; n++) {
        gpa_err e = {0};
        mem_fail_at(n);
        gpa_code rc = hostcall_run(&fft, &(host_operands){.in = {in}, .out = {out}}, NULL, &e);
        mem_fail_at(0);
        assert_int_equal(rc, n <= 4 ? GPA_E_MEMORY : GPA_OK);
        e = (gpa_err){0};
        mem_fail_at(n);
        rc = hostcall_run(&solve, &(host_operands){.out = {a, b}}, NULL, &e);
        mem_fail_at(0);
        assert_int_equal(rc, n <= 3 ? GPA_E_MEMORY : GPA_OK);
    }
}

UNIT_TESTS(TEST(transforms), TEST(solver_lib), TEST(eigenvectors), TEST(sparse_products),
           TEST(products_of_two), TEST(indices), TEST(unions), TEST(differences),
           TEST(rows_in_order), TEST(transposes), TEST(interrupted), TEST(short_of_memory))
