/* Sparse LU in host memory: fill-reducing orders of many graphs, solutions, singular matrices,
 * invalid parts. */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "runtime/host/sparse_lu.h"

enum { MOST = 400, VALUES = 6000 };

static uint64_t state = 1;

static int32_t next(int32_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)(state >> 33) % n;
}

static int32_t start[MOST + 1], column[VALUES], order[MOST], place[MOST];
static double at[VALUES], x[2 * MOST], b[2 * MOST];

static host_csr square(int32_t n, int32_t nnz) {
    return (host_csr){.dtype = DT_F64,
                      .rows = n,
                      .cols = n,
                      .nnz = nnz,
                      .indptr = start,
                      .indices = column,
                      .data = at};
}

/* A matrix with its diagonal and `more` other values, some of them at one place; every `full`-th
 * line has all columns. */
static host_csr made(int32_t n, int32_t more, int32_t full) {
    int32_t to = 0;
    for (int32_t i = 0; i < n; i++) {
        start[i] = to;
        const int32_t all = full && i % full == 0 ? n : 1 + more / n;
        for (int32_t k = 0; k < all && to < VALUES; k++, to++) {
            column[to] = all == n ? k : k ? next(n) : i;
            at[to] = column[to] == i ? 3 + n : 1 - next(3);
        }
    }
    start[n] = to;
    return square(n, to);
}

static void check_order(int32_t n) {
    bool seen[MOST] = {false};
    for (int32_t k = 0; k < n; k++) {
        assert_in_range(order[k], 0, n - 1);
        assert_false(seen[order[k]]);
        seen[order[k]] = true;
    }
}

/* Solves for two right hand sides; how far A x is from them. */
static double distance(const host_lu *lu, bool transposed) {
    gpa_err e = {0};
    double most = 0;
    for (int32_t i = 0; i < 2 * lu->n; i++) b[i] = 1 + i % 5;
    assert_int_equal(hostlu_solve(lu, transposed, 2, b, x, &e), GPA_OK);
    for (int32_t j = 0; j < lu->n; j++) /* a is given by columns */
        for (int32_t s = start[j]; s < start[j + 1]; s++)
            for (int32_t k = 0; k < 2; k++)
                b[2 * (transposed ? j : column[s]) + k] -=
                    at[s] * x[2 * (transposed ? column[s] : j) + k];
    for (int32_t i = 0; i < 2 * lu->n; i++) most = fmax(most, fabs(b[i]));
    return most;
}

static void solutions(void **unused) {
    gpa_err e = {0};
    (void)unused;
    for (int32_t k = 0; k < 300; k++) {
        const int32_t n = 1 + next(k < 250 ? 30 : MOST), full = k % 3 ? 0 : 1 + next(n);
        const host_csr a = made(n, n * next(6), n < 60 ? full : 0);
        host_lu lu = {.order = order, .perm_r = place};
        double operations = -1;
        assert_int_equal(hostlu_ordering(&a, order, &operations, NULL, &e), GPA_OK);
        check_order(n);
        assert_true(operations >= 0);
        assert_int_equal(hostlu_factor(&a, &lu, NULL, &e), GPA_OK);
        for (int transposed = 0; transposed < 2; transposed++)
            assert_true(distance(&lu, transposed) < 1e-10);
        hostlu_free(&lu);
    }
}

static void few_values_fill_in(void **unused) {
    enum { GRID = 20 };
    gpa_err e = {0};
    int32_t to = 0;
    double operations = 0;
    (void)unused;
    for (int32_t i = 0; i < GRID * GRID;
         i++) { /* five points of a grid; then an arrow that points the wrong way */
        const int32_t near[] = {i, i % GRID ? i - 1 : i, i % GRID < GRID - 1 ? i + 1 : i,
                                i >= GRID ? i - GRID : i, i < GRID * GRID - GRID ? i + GRID : i};
        start[i] = to;
        for (int k = 0; k < 5; k++) column[to++] = near[k];
    }
    start[GRID * GRID] = to;
    const host_csr grid = square(GRID * GRID, to);
    assert_int_equal(hostlu_ordering(&grid, order, &operations, NULL, &e), GPA_OK);
    check_order(GRID * GRID);
    assert_true(operations <
                2.0 * GRID * GRID * GRID * GRID); /* a third of what the order of the rows takes */
    to = 0;
    for (int32_t i = 0; i < MOST; i++) {
        start[i] = to;
        for (int32_t j = 0; j < MOST; j++)
            if (i == j || !i) column[to++] = j;
    }
    start[MOST] = to;
    const host_csr arrow = square(MOST, to);
    assert_int_equal(hostlu_ordering(&arrow, order, &operations, NULL, &e), GPA_OK);
    check_order(MOST);
    assert_int_equal(order[MOST - 1], 0);
}

static void singular(void **unused) {
    gpa_err e = {0};
    (void)unused;
    for (int32_t none = 0; none < 20;
         none++) { /* a column of zeros, and one that is another's double */
        for (int twice = 0; twice < 2; twice++) {
            const host_csr a = made(20, 0, 0);
            host_lu lu = {.order = order, .perm_r = place};
            if (twice)
                column[none] = column[(none + 7) % 20];
            else
                at[none] = 0;
            for (int32_t k = 0; k < 20; k++) order[k] = 19 - k;
            assert_int_equal(hostlu_factor(&a, &lu, NULL, &e), GPA_E_LINALG);
            assert_string_equal(e.msg, "Singular matrix");
            e = (gpa_err){0};
            hostlu_free(&lu);
        }
    }
    const host_csr a = made(20, 0, 0);
    host_lu lu = {.order = order, .perm_r = place};
    at[3] = NAN;
    assert_int_equal(hostlu_factor(&a, &lu, NULL, &e), GPA_OK);
    assert_true(isnan(distance(&lu, false)) || isnan(x[6]));
    hostlu_free(&lu);
}

static void stopped_and_short_of_memory(void **unused) {
    const atomic_bool stop = true;
    gpa_err e = {0};
    double operations;
    (void)unused;
    const host_csr a = made(300, 1200, 0);
    host_lu lu = {.order = order, .perm_r = place};
    assert_int_equal(hostlu_ordering(&a, order, &operations, &stop, &e), GPA_E_INTERRUPT);
    e = (gpa_err){0};
    assert_int_equal(hostlu_ordering(&a, order, &operations, NULL, &e), GPA_OK);
    assert_int_equal(hostlu_factor(&a, &lu, &stop, &e), GPA_E_INTERRUPT);
    hostlu_free(&lu);
    gpa_code rc = GPA_E_MEMORY;
    for (uint64_t n = 1; rc; n++) {
        mem_fail_at(n);
        rc = hostlu_ordering(&a, order, &operations, NULL, &e);
        mem_fail_at(0);
        e = (gpa_err){0};
        if (rc) assert_int_equal(rc, GPA_E_MEMORY);
    }
    rc = GPA_E_MEMORY;
    for (uint64_t n = 1; rc; n++) {
        lu = (host_lu){.order = order, .perm_r = place};
        mem_fail_at(n);
        rc = hostlu_factor(&a, &lu, NULL, &e);
        mem_fail_at(0);
        e = (gpa_err){0};
        if (rc) assert_int_equal(rc, GPA_E_MEMORY);
        hostlu_free(&lu);
    }
}

UNIT_TESTS(TEST(solutions), TEST(few_values_fill_in), TEST(singular),
           TEST(stopped_and_short_of_memory))
