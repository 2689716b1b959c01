/* Shape arithmetic: text, broadcasting, reshaping, collapsing, overlap against brute force. */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "runtime/runtime.h"
#include "runtime/graph/shape.h"

#define SHAPE(...) \
    COUNT_OF(((int64_t[]){__VA_ARGS__})), (int64_t[]) { __VA_ARGS__ }

static void texts(void **state) {
    (void)state;
    char t[SHAPE_TEXT];
    assert_string_equal(shape_text(t, 0, NULL), "()");
    assert_string_equal(shape_text(t, 1, (int64_t[]){3}), "(3,)");
    assert_string_equal(shape_text(t, 2, (int64_t[]){3, -1}), "(3,newaxis)");
    int64_t wide[GPA_MAX_DIMS];
    for (int d = 0; d < GPA_MAX_DIMS; d++) wide[d] = INT64_MAX;
    const char *s = shape_text(t, GPA_MAX_DIMS, wide);
    assert_true(strlen(s) < SHAPE_TEXT);
    assert_string_equal(s + strlen(s) - 4, "...)");
}

static void sizes(void **state) {
    (void)state;
    gpa_err e = {0};
    int64_t n;
    assert_int_equal(shape_check(0, NULL, 8, &n, &e), GPA_OK);
    assert_int_equal(n, 1);
    assert_int_equal(shape_check(2, (int64_t[]){3, 0}, 8, &n, &e), GPA_OK);
    assert_int_equal(n, 0);
    assert_int_equal(shape_check(1, (int64_t[]){-1}, 8, &n, &e), GPA_E_VALUE);
    assert_string_equal(e.msg, "negative dimensions are not allowed");
    gpa_err_clear(&e);
    assert_int_equal(shape_check(3, (int64_t[]){0, 1ll << 40, 1ll << 40}, 8, &n, &e), GPA_E_VALUE);
    gpa_err_clear(&e);
    assert_int_equal(shape_check(1, (int64_t[]){1ll << 60}, 8, &n, &e), GPA_E_VALUE);
    gpa_err_clear(&e);
    int axis;
    assert_int_equal(shape_axis(-1, 2, &axis, &e), GPA_OK);
    assert_int_equal(axis, 1);
    assert_int_equal(shape_axis(2, 2, &axis, &e), GPA_E_AXIS);
    assert_string_equal(e.msg, "axis 2 is out of bounds for array of dimension 2");
}

static void broadcasting(void **state) {
    (void)state;
    int64_t s[GPA_MAX_DIMS] = {3};
    int n = 1;
    assert_true(shape_broadcast(&n, s, SHAPE(2, 1)));
    assert_int_equal(n, 2);
    assert_true(s[0] == 2 && s[1] == 3);
    assert_true(shape_broadcast(&n, s, SHAPE(1)));
    assert_false(shape_broadcast(&n, s, SHAPE(4)));
    int64_t z[GPA_MAX_DIMS] = {1};
    n = 1;
    assert_true(shape_broadcast(&n, z, SHAPE(0)));
    assert_int_equal(z[0], 0);
    int64_t out[3];
    assert_true(shape_broadcast_strides(2, (int64_t[]){3, 1}, (int64_t[]){1, 7}, 3,
                                        (int64_t[]){5, 3, 4}, out));
    assert_true(out[0] == 0 && out[1] == 1 && out[2] == 0);
    assert_false(
        shape_broadcast_strides(1, (int64_t[]){3}, (int64_t[]){1}, 1, (int64_t[]){1}, out));
    gpa_err e = {0};
    shape_mismatch(2, (int[]){2, 1}, (const int64_t *[]){(int64_t[]){3, 4}, (int64_t[]){3}}, &e);
    assert_string_equal(e.msg, "operands could not be broadcast together with shapes (3,4) (3,) ");
}

static void fit_fails(int64_t size, int ndim, int64_t *shape, const char *words) {
    gpa_err e = {0};
    assert_int_equal(shape_infer(size, ndim, shape, &e), GPA_E_VALUE);
    assert_string_equal(e.msg, words);
}

static void reshaping(void **state) {
    (void)state;
    gpa_err e = {0};
    int64_t s[3] = {-1, 3}, out[4];
    assert_int_equal(shape_infer(6, 2, s, &e), GPA_OK);
    assert_int_equal(s[0], 2);
    fit_fails(6, 2, (int64_t[]){4, -1}, "cannot reshape array of size 6 into shape (4,newaxis)");
    fit_fails(6, 2, (int64_t[]){-1, -1}, "can only specify one unknown dimension");
    fit_fails(0, 2, (int64_t[]){0, -1}, "cannot reshape array of size 0 into shape (0,newaxis)");
    fit_fails(6, 0, NULL, "cannot reshape array of size 6 into shape ()");
    /* every second column of 4 x 6: rows do not join, columns divide */
    int64_t shape[2] = {4, 6}, strides[2] = {12, 2};
    assert_false(shape_reshape_strides(2, shape, (int64_t[]){13, 2}, 1, (int64_t[]){24}, out));
    assert_true(shape_reshape_strides(2, shape, strides, 1, (int64_t[]){24}, out));
    assert_int_equal(out[0], 2);
    assert_true(
        shape_reshape_strides(2, shape, (int64_t[]){1, 4}, 4, (int64_t[]){2, 2, 1, 6}, out));
    assert_true(out[0] == 2 && out[1] == 1 && out[3] == 4);
    assert_false(shape_reshape_strides(2, shape, (int64_t[]){1, 4}, 2, (int64_t[]){6, 4}, out));
    assert_true(shape_reshape_strides(0, NULL, NULL, 2, (int64_t[]){1, 1}, out));
    assert_true(shape_reshape_strides(2, (int64_t[]){1, 1}, (int64_t[]){5, 5}, 0, NULL, out));
}

static void collapsing(void **state) {
    (void)state;
    int64_t shape[4] = {2, 1, 3, 4}, a[4] = {12, 9, 4, 1}, b[4] = {4, 0, 0, 1};
    assert_int_equal(shape_collapse(4, shape, 1, (int64_t *[]){a}), 1);
    assert_true(shape[0] == 24 && a[0] == 1);
    int64_t again[4] = {2, 1, 3, 4}, c[4] = {12, 9, 4, 1};
    assert_int_equal(shape_collapse(4, again, 2, (int64_t *[]){c, b}), 3);
    assert_true(again[0] == 2 && again[1] == 3 && again[2] == 4 && b[1] == 0 && c[1] == 4);
}

/* ---- overlap ---- */

static void mark(const shape_layout *m, unsigned char *bytes, unsigned char bit) {
    int64_t at[3] = {0};
    for (int64_t n = shape_size(m->ndim, m->shape); n > 0; n--) {
        int64_t o = m->offset;
        for (int d = 0; d < m->ndim; d++) o += at[d] * m->strides[d];
        for (int64_t k = 0; k < m->item; k++) bytes[o * m->item + k] |= bit;
        for (int d = m->ndim - 1; d >= 0 && ++at[d] == m->shape[d]; d--) at[d] = 0;
    }
}

static void overlap_is_exact(void **state) {
    (void)state;
    enum { BYTES = 4096, CENTRE = 1024 };
    static unsigned char bytes[BYTES];
    srand(7);
    int some = 0, none = 0;
    for (int trial = 0; trial < 20000; trial++) {
        int64_t shape[2][3], strides[2][3];
        shape_layout m[2];
        for (int k = 0; k < 2; k++) {
            m[k] = (shape_layout){1 + rand() % 3, shape[k], strides[k], 0, rand() % 4 ? 4 : 8};
            m[k].offset = CENTRE / m[k].item + rand() % 16;
            for (int d = 0; d < m[k].ndim; d++) {
                shape[k][d] = rand() % 5;
                strides[k][d] = rand() % 25 - 12;
            }
        }
        memset(bytes, 0, sizeof bytes);
        mark(&m[0], bytes, 1);
        mark(&m[1], bytes, 2);
        bool meet = false;
        for (int i = 0; i < BYTES; i++) meet |= bytes[i] == 3;
        shape_overlap_kind got = shape_overlap(&m[0], &m[1]);
        assert_int_equal(got != OVERLAP_NONE, meet);
        if (meet)
            some++;
        else
            none++;
    }
    assert_true(some > 2000 && none > 2000);
}

static void overlap_of_slices(void **state) {
    (void)state;
    int64_t n = 1 << 20, five[2] = {500, 500}, rows[2] = {1000, 1};
    int64_t one = 1, two = 2, half = n / 2, back = -1;
    shape_layout all = {1, &n, &one, 0, 8}, even = {1, &half, &two, 0, 8},
                 odd = {1, &half, &two, 1, 8};
    shape_layout rev = {1, &n, &back, n - 1, 8}, left = {2, five, rows, 0, 8},
                 right = {2, five, rows, 500, 8};
    assert_int_equal(shape_overlap(&all, &all), OVERLAP_SAME);
    assert_int_equal(shape_overlap(&even, &odd), OVERLAP_NONE);
    assert_int_equal(shape_overlap(&all, &rev), OVERLAP_SOME);
    assert_int_equal(shape_overlap(&left, &right), OVERLAP_NONE);
    right.offset = 499;
    assert_int_equal(shape_overlap(&left, &right), OVERLAP_SOME);
    assert_true(shape_is_injective(2, five, rows));
    assert_false(shape_is_injective(2, five, (int64_t[]){0, 1}));
    assert_false(shape_is_injective(2, five, (int64_t[]){1, 1}));
}

UNIT_TESTS(TEST(texts), TEST(sizes), TEST(broadcasting), TEST(reshaping), TEST(collapsing),
           TEST(overlap_is_exact), TEST(overlap_of_slices))
