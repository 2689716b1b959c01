/* Host implementations of library calls: products against the definition, sorts against their
 * order, binary searches against counting. */
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/host/host.h"

static gpa_val small(gpa_dtype t) {
    gpa_c128 v = {rand() % 7 - 3, rand() % 5 - 2};
    return dtype_cast((gpa_val){.C128 = v}, DT_C128, t);
}

/* One element of a product by its definition, in complex128 (exact for these small numbers, but for
 * wrapped integers). */
static gpa_c128 by_definition(gpa_dtype t, const char *a, const char *b, const gpa_libcall *c,
                              const int64_t at[3]) {
    const int64_t batch = at[0], i = at[1], j = at[2];
    gpa_c128 sum = {0, 0};
    for (int64_t k = 0; k < c->gemm.k; k++) {
        const int64_t *as = c->gemm.a.stride, *bs = c->gemm.b.stride;
        int64_t item = (int64_t)dtype_size(t);
        const char *pa = a + (c->gemm.a.offset + batch * as[0] + i * as[1] + k * as[2]) * item;
        const char *pb = b + (c->gemm.b.offset + batch * bs[0] + k * bs[1] + j * bs[2]) * item;
        gpa_c128 x = dtype_cast(dtype_load(pa, t), t, DT_C128).C128,
                 y = dtype_cast(dtype_load(pb, t), t, DT_C128).C128;
        sum.re += x.re * y.re - x.im * y.im;
        sum.im += x.re * y.im + x.im * y.re;
    }
    return sum;
}

static void products(void **state) {
    (void)state;
    enum { CAPACITY = 20000 };
    char *a = test_malloc(CAPACITY * 16), *b = test_malloc(CAPACITY * 16),
         *out = test_malloc(CAPACITY * 16);
    srand(3);
    for (int t = 0; t < DT_COUNT; t++)
        for (int trial = 0; trial < 6; trial++) {
            gpa_libcall c = {.kind = LIB_GEMM, .dtype = (gpa_dtype)t};
            c.gemm.batch = 1 + rand() % 3;
            c.gemm.m = 1 + rand() % 20;
            c.gemm.n = 1 + rand() % 20;
            c.gemm.k = 1 + rand() % 140;
            bool ta = rand() % 2, tb = rand() % 2;
            int64_t as[3] = {c.gemm.m * c.gemm.k, ta ? 1 : c.gemm.k, ta ? c.gemm.m : 1};
            int64_t bs[3] = {rand() % 2 ? 0 : c.gemm.k * c.gemm.n, tb ? 1 : c.gemm.n,
                             tb ? c.gemm.k : 1};
            memcpy(c.gemm.a.stride, as, sizeof as);
            memcpy(c.gemm.b.stride, bs, sizeof bs);
            c.gemm.a.offset = rand() % 3;
            size_t item = dtype_size((gpa_dtype)t);
            for (size_t i = 0; i < CAPACITY; i++) {
                dtype_store(a + i * item, (gpa_dtype)t, small((gpa_dtype)t));
                dtype_store(b + i * item, (gpa_dtype)t, small((gpa_dtype)t));
            }
            gpa_err e = {0};
            assert_int_equal(
                hostcall_run(&c, &(host_operands){.in = {a, b}, .out = {out}}, NULL, &e), GPA_OK);
            for (int64_t q = 0; q < c.gemm.batch * c.gemm.m * c.gemm.n; q++) {
                int64_t batch = q / (c.gemm.m * c.gemm.n), i = q / c.gemm.n % c.gemm.m,
                        j = q % c.gemm.n;
                gpa_c128 want = by_definition((gpa_dtype)t, a, b, &c, (int64_t[]){batch, i, j});
                gpa_val got = dtype_load(out + (size_t)q * item, (gpa_dtype)t);
                if (dtype_is_int((gpa_dtype)t)) { /* wraps: compare what is left of it */
                    int64_t low = (int64_t)((uint64_t)dtype_cast(got, (gpa_dtype)t, DT_I64).I64 -
                                            (uint64_t)(int64_t)want.re);
                    if (dtype_info[t].kind == 'I') assert_int_equal(low & 0xff, 0);
                    continue;
                }
                gpa_val rounded = dtype_cast((gpa_val){.C128 = want}, DT_C128, (gpa_dtype)t);
                if (t == DT_BOOL) rounded.BOOL = want.re > 0;
                assert_memory_equal(&got, &rounded, item);
            }
        }
    test_free(a);
    test_free(b);
    test_free(out);
}

static double plain(gpa_val v, gpa_dtype t) { return dtype_cast(v, t, DT_F64).F64; }

/* True if x may precede y: NaN is last. */
static bool in_order(double x, double y) { return isnan(y) || x <= y; }

static void sorts(void **state) {
    (void)state;
    static const int64_t sizes[] = {0, 1, 2, 39, 41, 300, 5000};
    enum { MOST = 5000 };
    char *in = test_malloc(2 * MOST * 16), *out = test_malloc(2 * MOST * 16);
    int64_t *at = test_malloc(2 * MOST * sizeof *at);
    srand(5);
    for (int t = 0; t < DT_COUNT; t++) {
        if (dtype_is_complex((gpa_dtype)t)) continue;
        for (size_t s = 0; s < COUNT_OF(sizes); s++) {
            size_t item = dtype_size((gpa_dtype)t);
            int64_t n = sizes[s];
            for (int64_t i = 0; i < 2 * n; i++) {
                double v = (rand() % 2000 - (dtype_info[t].kind == 'U' ? 0 : 1000)) / 8.0;
                if (dtype_is_float((gpa_dtype)t) && rand() % 9 == 0)
                    v = rand() % 2 ? (double)NAN : -0.0;
                dtype_store(in + (size_t)i * item, (gpa_dtype)t,
                            dtype_cast((gpa_val){.F64 = v}, DT_F64, (gpa_dtype)t));
            }
            gpa_libcall c = {.kind = LIB_SORT, .dtype = (gpa_dtype)t, .sort = {.rows = 2, .n = n}};
            gpa_err e = {0};
            assert_int_equal(hostcall_run(&c, &(host_operands){.in = {in}, .out = {out}}, NULL, &e),
                             GPA_OK);
            c.kind = LIB_ARGSORT;
            assert_int_equal(hostcall_run(&c, &(host_operands){.in = {in}, .out = {at}}, NULL, &e),
                             GPA_OK);
            for (int64_t i = 0; i < 2 * n; i++) {
                int64_t row = i / n * n;
                assert_true(at[i] >= 0 && at[i] < n);
                assert_memory_equal(out + (size_t)i * item, in + (size_t)(row + at[i]) * item,
                                    item);
                if (i == row) continue;
                double x =
                    plain(dtype_load(out + (size_t)(i - 1) * item, (gpa_dtype)t), (gpa_dtype)t);
                double y = plain(dtype_load(out + (size_t)i * item, (gpa_dtype)t), (gpa_dtype)t);
                assert_true(in_order(x, y));
                if (in_order(y, x)) assert_true(at[i - 1] < at[i]);
            }
        }
    }
    test_free(in);
    test_free(out);
    test_free(at);
}

static void complex_order(void **state) {
    (void)state;
    const double q = (double)NAN;
    gpa_c128 in[] = {{q, 2}, {3, 1}, {1, q}, {q, q}, {1, 0}, {q, 0}, {1, -1}, {0, q}}, out[8];
    gpa_libcall c = {.kind = LIB_SORT, .dtype = DT_C128, .sort = {.rows = 1, .n = 8}};
    gpa_err e = {0};
    assert_int_equal(hostcall_run(&c, &(host_operands){.in = {in}, .out = {out}}, NULL, &e),
                     GPA_OK);
    static const int want[] = {6, 4, 1, 7, 2, 5, 0, 3};
    for (int i = 0; i < 8; i++) assert_memory_equal(&out[i], &in[want[i]], sizeof out[i]);
}

static void searches(void **state) {
    (void)state;
    const double a[] = {-3, -1, -1, 0, 2, 2, 2, (double)NAN},
                 v[] = {-4, -3, -1, -0.0, 1, 2, 5, (double)NAN, -INFINITY, INFINITY};
    int64_t left[10], right[10];
    gpa_err e = {0};
    assert_int_equal(hostcall_run(&(gpa_libcall){.kind = LIB_SEARCHSORTED,
                                                 .dtype = DT_F64,
                                                 .search = {.n = 8, .count = 10, .right = false}},
                                  &(host_operands){.in = {a, v}, .out = {left}}, NULL, &e),
                     GPA_OK);
    assert_int_equal(hostcall_run(&(gpa_libcall){.kind = LIB_SEARCHSORTED,
                                                 .dtype = DT_F64,
                                                 .search = {.n = 8, .count = 10, .right = true}},
                                  &(host_operands){.in = {a, v}, .out = {right}}, NULL, &e),
                     GPA_OK);
    const int64_t want_left[] = {0, 0, 1, 3, 4, 4, 7, 7, 0, 7},
                  want_right[] = {0, 1, 3, 4, 4, 7, 7, 8, 0, 7};
    assert_memory_equal(left, want_left, sizeof left);
    assert_memory_equal(right, want_right, sizeof right);
    assert_int_equal(hostcall_run(&(gpa_libcall){.kind = LIB_SEARCHSORTED,
                                                 .dtype = DT_F64,
                                                 .search = {.n = 0, .count = 10, .right = false}},
                                  &(host_operands){.in = {a, v}, .out = {left}}, NULL, &e),
                     GPA_OK);
    for (int i = 0; i < 10; i++) assert_int_equal(left[i], 0);
}

static void short_of_memory(void **state) {
    (void)state;
    double in[64] = {3, 2, 1}, out[64];
    for (uint64_t n = 1; n < 8; n++) {
        gpa_libcall c = {.kind = LIB_SORT, .dtype = DT_F64, .sort = {.rows = 1, .n = 64}};
        gpa_err e = {0};
        mem_fail_at(n);
        gpa_code rc = hostcall_run(&c, &(host_operands){.in = {in}, .out = {out}}, NULL, &e);
        mem_fail_at(0);
        assert_true(rc == GPA_E_MEMORY || (rc == GPA_OK && n > 3));
    }
}

UNIT_TESTS(TEST(products), TEST(sorts), TEST(complex_order), TEST(searches), TEST(short_of_memory))
