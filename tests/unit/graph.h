/* A small language for tests of arrays: a session on the reference device, operations that must not
 * fail, counters. */
#ifndef GPA_TESTS_GRAPH_H
#define GPA_TESTS_GRAPH_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/runtime.h"
#include "tests/unit/unit.h"

static gpa_rt *rt;
static gpa_err err;
static rt_stats before;

static inline void ok_at(gpa_code rc, const char *file, int line) {
    if (rc) print_error("%s: %s\n", gpa_err_name(rc), err.msg);
    _assert_int_equal((uintmax_t)rc, 0, file, line);
}
#define ok(call) ok_at(call, __FILE__, __LINE__)

static inline int graph_setup(void **state) {
    unit_setup(state);
    gpa_err_clear(&err);
    const char *device = getenv("GPA_DEVICE");
    return rt_new(&(rt_config){.device = device ? device : "ref"}, &rt, &err) != 0;
}

static inline int graph_teardown(void **state) {
    rt_free(rt);
    rt = NULL;
    return unit_teardown(state);
}

#define GRAPH_TEST(function) cmocka_unit_test_setup_teardown(function, graph_setup, graph_teardown)

/* Everything made is released at the end of a test by `drop_all`. */
enum { POOL = 4096 };
static gpa_arr *pool[POOL];
static int in_pool;

static inline gpa_arr *keep(gpa_arr *a) {
    assert_true(in_pool < POOL);
    return pool[in_pool++] = a;
}

static inline void drop_all(void) {
    while (in_pool) arr_release(rt, pool[--in_pool]);
}

/* Drops all but these, as a program's temporaries are gone when its statement ends. */
static inline void keep_only(int n, gpa_arr *const *these) {
    for (int i = 0; i < n; i++) arr_retain(these[i]);
    drop_all();
    for (int i = 0; i < n; i++) keep(these[i]);
}
#define ONLY(...)                                                            \
    keep_only((int)(sizeof((gpa_arr *[]){__VA_ARGS__}) / sizeof(gpa_arr *)), \
              (gpa_arr *[]){__VA_ARGS__})

#define SHAPE(...) \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]) { __VA_ARGS__ }

/* Float64 data that is not too regular. */
static inline gpa_arr *data(int ndim, const int64_t *shape) {
    int64_t n = 1;
    for (int d = 0; d < ndim; d++) n *= shape[d];
    double *v = test_malloc((size_t)MAX(n, 1) * sizeof *v);
    for (int64_t i = 0; i < n; i++) v[i] = (double)((i * 37 + 11) % 101) / 64 + 0.25;
    gpa_arr *a;
    ok(arr_from(rt, &(arr_spec){DT_F64, ndim, shape}, v, &a, &err));
    test_free(v);
    return keep(a);
}

static inline gpa_opnd num(double v) {
    return (gpa_opnd){.weak = WEAK_FLOAT, .dtype = DT_F64, .v.F64 = v};
}
static inline gpa_opnd arr(gpa_arr *a) { return (gpa_opnd){.arr = a}; }

static inline gpa_arr *op(gpa_op row, gpa_opnd a, gpa_opnd b, gpa_opnd c) {
    gpa_arr *out;
    ok(arr_ufunc(rt, row, (gpa_opnd[]){a, b, c}, NULL, &out, &err));
    return keep(out);
}
static inline gpa_arr *op1(gpa_op row, gpa_arr *a) { return op(row, arr(a), num(0), num(0)); }
static inline gpa_arr *op2(gpa_op row, gpa_arr *a, gpa_arr *b) {
    return op(row, arr(a), arr(b), num(0));
}
static inline gpa_arr *opn(gpa_op row, gpa_arr *a, double b) {
    return op(row, arr(a), num(b), num(0));
}

static inline gpa_arr *red(gpa_red row, gpa_arr *a, uint32_t axes, bool keepdims) {
    gpa_arr *out;
    ok(arr_reduce(rt, row, a,
                  &(arr_reduce_opts){.axes = axes, .keepdims = keepdims, .dtype = DT_NONE}, &out,
                  &err));
    return keep(out);
}

typedef struct {
    int64_t start, stop, step;
} range;
#define ALL ((range){0, INT64_MAX, 1})
#define FROM(a) ((range){a, INT64_MAX, 1})
#define TO(b) ((range){0, b, 1})

/* A slice along each of the first n dimensions. */
static inline gpa_arr *slice(gpa_arr *a, int n, const range *r) {
    gpa_index ix[8];
    gpa_arr *out;
    for (int i = 0; i < n; i++)
        ix[i] = (gpa_index){.kind = IX_SLICE,
                            .start = r[i].start,
                            .stop = r[i].stop,
                            .step = r[i].step,
                            .has_start = true,
                            .has_stop = r[i].stop != INT64_MAX,
                            .has_step = true};
    ok(arr_get(rt, a, &(gpa_indices){ix, n}, NULL, &out, &err));
    return keep(out);
}
#define SLICE(a, ...) \
    slice(a, (int)(sizeof((range[]){__VA_ARGS__}) / sizeof(range)), (range[]){__VA_ARGS__})

static inline void assign(gpa_arr *to, gpa_arr *value) {
    gpa_index all = {.kind = IX_ELLIPSIS};
    gpa_opnd v = arr(value);
    ok(arr_set(rt, to, &(gpa_indices){&all, 1}, &v, &err));
}

/* The elements as float64, to be freed with test_free. */
static inline double *values(gpa_arr *a) {
    gpa_arr *f;
    double *v = test_malloc((size_t)MAX(a->size, 1) * sizeof *v);
    ok(arr_cast(rt, a, DT_F64, false, &f, &err));
    ok(arr_read(rt, f, v, &err));
    arr_release(rt, f);
    return v;
}

static inline void compare_at(gpa_arr *a, gpa_arr *b, double rel, const char *file, int line) {
    _assert_int_equal((uintmax_t)a->size, (uintmax_t)b->size, file, line);
    double *x = values(a), *y = values(b);
    for (int64_t i = 0; i < a->size; i++) {
        bool near =
            fabs(x[i] - y[i]) <= rel * fmax(fabs(x[i]), fabs(y[i])) || (isnan(x[i]) && isnan(y[i]));
        if (!near) print_error("element %lld: %.17g and %.17g\n", (long long)i, x[i], y[i]);
        _assert_true((uintmax_t)near, "values agree", file, line);
    }
    test_free(x);
    test_free(y);
}
#define compare(a, b, rel) compare_at(a, b, rel, __FILE__, __LINE__)

static inline void mark(void) { rt_get_stats(rt, &before); }
static inline rt_stats since(void) {
    rt_stats s;
    rt_get_stats(rt, &s);
    s.launches -= before.launches;
    s.compiles -= before.compiles;
    s.bytes_read -= before.bytes_read;
    s.bytes_written -= before.bytes_written;
    return s;
}
static inline void eval(gpa_arr *a) { ok(arr_eval(rt, &a, 1, &err)); }

/* The stress build cuts at random, so there only values are tested, not how many steps they take.
 */
#ifdef GPA_STRESS
enum { COUNTED = 0 };
#else
enum { COUNTED = 1 };
#endif
static inline void count_is_at(uint64_t actual, uint64_t want, const char *file, int line) {
    if (COUNTED) _assert_int_equal(actual, want, file, line);
}
#define count_is(actual, want) count_is_at((uint64_t)(actual), (uint64_t)(want), __FILE__, __LINE__)

/* The array is computed now in one launch that moves so many bytes. */
static inline void one_step_at(gpa_arr *a, uint64_t read, uint64_t written, const char *file,
                               int line) {
    mark();
    eval(a);
    rt_stats s = since();
    if (!COUNTED) return;
    _assert_int_equal(s.launches, 1, file, line);
    _assert_int_equal(s.bytes_read, read, file, line);
    _assert_int_equal(s.bytes_written, written, file, line);
}
#define one_step(a, read, written) one_step_at(a, read, written, __FILE__, __LINE__)

#endif
