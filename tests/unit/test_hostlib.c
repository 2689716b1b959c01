/* The host's own transforms, factorizations and sparse products: against the definition, by what the factors multiply to, and
 * when memory is short. */
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/hostcall.h"

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
            gpa_libcall c = {.kind = LIB_FFT, .dtype = DT_C128, .fft = {.form = FFT_C2C, .inverse = inverse, .rank = 1, .ndim = 1}};
            c.fft.n[0] = n;
            c.fft.in.stride[0] = c.fft.out.stride[0] = 1;
            for (int64_t k = 0; k < n; k++) in[k] = (gpa_c128){number(), number()};
            assert_int_equal(hostcall_fft(&c, in, out, NULL, &e), GPA_OK);
            for (int64_t j = 0; j < n; j++) {
                double re = 0, im = 0;
                for (int64_t k = 0; k < n; k++) {
                    double turn = (inverse ? 2 : -2) * 3.14159265358979323846 * (double)(j * k % n) / (double)n;
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
static void equations(void **state) {
    (void)state;
    double a[2 * N * N], kept[2 * N * N], b[2 * N], right[2 * N];
    int32_t info = -1;
    gpa_err e = {0};
    srand(2);
    for (int i = 0; i < 2 * N * N; i++) kept[i] = a[i] = number();
    for (int i = 0; i < 2 * N; i++) right[i] = b[i] = number();
    gpa_libcall c = {.kind = LIB_SOLVE, .dtype = DT_F64, .matrix = {.batch = 2, .m = N, .n = N, .k = 1, .info = &info}};
    assert_int_equal(hostcall_matrix(&c, (void *[]){a, b, NULL, NULL}, NULL, &e), GPA_OK);
    assert_int_equal(info, 0);
    for (int m = 0; m < 2; m++)
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int j = 0; j < N; j++) sum += kept[m * N * N + i * N + j] * b[m * N + j];
            assert_true(fabs(sum - right[m * N + i]) < 1e-9);
        }
    for (int i = 0; i < N * N; i++) a[i] = i / N == 3 ? 0 : number(); /* a row of zeros */
    c.matrix.batch = 1;
    assert_int_equal(hostcall_matrix(&c, (void *[]){a, b, NULL, NULL}, NULL, &e), GPA_OK);
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
        for (int j = 0; j <= i; j++) kept[i * N + j] = kept[j * N + i] = a[i * N + j] = a[j * N + i] = (float)number();
    gpa_libcall c = {.kind = LIB_EIGH, .dtype = DT_F32, .matrix = {.batch = 1, .m = N, .n = N, .vectors = true, .info = &info}};
    assert_int_equal(hostcall_matrix(&c, (void *[]){a, w, NULL, NULL}, NULL, &e), GPA_OK);
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
    gpa_libcall c = {.kind = LIB_SPARSE, .dtype = DT_F64, .sparse = {.m = 3, .n = 3, .k = 2, .count = 3}};
    assert_int_equal(hostcall_sparse(&c, start, column, at, x, y, NULL, &e), GPA_OK);
    assert_memory_equal(y, ((const double[]){70, 7, 0, 0, 60, 6}), sizeof y);
    c.dtype = DT_F16;
    assert_int_equal(hostcall_sparse(&c, start, column, at, x, y, NULL, &e), GPA_E_TYPE);
}

/* ---- failures ---- */

static void interrupted(void **state) {
    (void)state;
    const atomic_bool stop = true;
    gpa_c128 in[8] = {{1, 0}}, out[8];
    gpa_err e = {0};
    gpa_libcall c = {.kind = LIB_FFT, .dtype = DT_C128, .fft = {.form = FFT_C2C, .rank = 1, .ndim = 1}};
    c.fft.n[0] = 8;
    c.fft.in.stride[0] = c.fft.out.stride[0] = 1;
    assert_int_equal(hostcall_fft(&c, in, out, &stop, &e), GPA_E_INTERRUPT);
}

static void short_of_memory(void **state) {
    (void)state;
    double a[N * N] = {1}, b[N];
    gpa_c128 in[8] = {{1, 0}}, out[8];
    int32_t info;
    gpa_libcall fft = {.kind = LIB_FFT, .dtype = DT_C128, .fft = {.form = FFT_C2C, .rank = 1, .ndim = 1}};
    gpa_libcall solve = {.kind = LIB_SOLVE, .dtype = DT_F64, .matrix = {.batch = 1, .m = N, .n = N, .k = 1, .info = &info}};
    fft.fft.n[0] = 8;
    fft.fft.in.stride[0] = fft.fft.out.stride[0] = 1;
    for (uint64_t n = 1; n < 6; n++) {
        gpa_err e = {0};
        mem_fail_at(n);
        gpa_code rc = hostcall_fft(&fft, in, out, NULL, &e);
        mem_fail_at(0);
        assert_int_equal(rc, n <= 4 ? GPA_E_MEMORY : GPA_OK);
        e = (gpa_err){0};
        mem_fail_at(n);
        rc = hostcall_matrix(&solve, (void *[]){a, b, NULL, NULL}, NULL, &e);
        mem_fail_at(0);
        assert_int_equal(rc, n <= 3 ? GPA_E_MEMORY : GPA_OK);
    }
}

UNIT_TESTS(TEST(transforms), TEST(equations), TEST(eigenvectors), TEST(sparse_products), TEST(interrupted), TEST(short_of_memory))
