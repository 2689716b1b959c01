/* Lazy evaluation: in-place operations, overlapping views, deferred errors and memory; random
 * programs run lazily and one operation at a time. */
#include "tests/unit/graph.h"

enum { N = 24, M = 18 };

/* ---- in-place operations on operands of pending work ---- */

static void test_in_place(void **state) {
    (void)state;
    const gpa_op ops[] = {OP_ADD,          OP_SUBTRACT,  OP_MULTIPLY, OP_DIVIDE,
                          OP_FLOOR_DIVIDE, OP_REMAINDER, OP_POWER};
    for (size_t i = 0; i < COUNT_OF(ops); i++) {
        for (int reduced = 0; reduced < 2; reduced++) {
            gpa_arr *a = data(SHAPE(N, M)), *same = data(SHAPE(N, M));
            gpa_arr *c = op1(OP_NEGATIVE, a), *want = op1(OP_NEGATIVE, same);
            if (reduced) {
                c = red(RED_SUM, c, 1, false);
                want = red(RED_SUM, want, 1, false);
            }
            gpa_opnd by = num(3);
            ok(arr_update(rt, ops[i], a, &by, &err));
            compare(c, want, 0);
            compare(a, op(ops[i], arr(same), num(3), num(0)), 0);
            drop_all();
        }
    }
}

static void test_assigned_value_is_kept(void **state) {
    (void)state;
    gpa_arr *a = data(SHAPE(N)), *s = opn(OP_ADD, a, 1), *t = opn(OP_ADD, data(SHAPE(N)), 1);
    assign(a, s); /* s now reads a */
    compare(s, t, 0);
    assign(a, opn(OP_MULTIPLY, a, 2));
    compare(s, t, 0);
    compare(a, opn(OP_MULTIPLY, t, 2), 0);
    drop_all();
}

static void test_overlap(void **state) {
    (void)state;
    struct {
        range to, from;
    } cases[] = {{FROM(1), TO(-1)},
                 {TO(-1), FROM(1)},
                 {{0, N, 2}, {1, N, 2}},
                 {{N - 1, INT64_MAX, -1}, ALL},
                 {{0, N / 2, 1}, FROM(N / 2)},
                 {{2, N - 2, 1}, {0, N - 4, 1}}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        gpa_arr *a = data(SHAPE(N)), *old = data(SHAPE(N)), *want;
        assign(SLICE(a, cases[i].to), opn(OP_ADD, SLICE(a, cases[i].from), 1));
        want = opn(OP_ADD, SLICE(old, cases[i].from), 1);
        compare(SLICE(a, cases[i].to), want, 0);
        drop_all();
    }
    gpa_arr *a = data(SHAPE(N, N)), *old = data(SHAPE(N, N)), *t, *u;
    ok(arr_transpose(rt, a, NULL, &t, &err));
    ok(arr_transpose(rt, old, NULL, &u, &err));
    assign(a, op2(OP_ADD, a, keep(t)));
    compare(a, op2(OP_ADD, old, keep(u)), 0);
    drop_all();
}

static void test_rows_of_itself(void **state) {
    (void)state;
    gpa_arr *a = data(SHAPE(N, M)), *old = data(SHAPE(N, M));
    assign(a, op2(OP_SUBTRACT, a, red(RED_MAX, a, 2, true)));
    compare(a, op2(OP_SUBTRACT, old, red(RED_MAX, old, 2, true)), 0);
    assign(a, op2(OP_DIVIDE, old, red(RED_SUM, old, 1, true)));
    compare(a, op2(OP_DIVIDE, old, red(RED_SUM, old, 1, true)), 1e-14);
    drop_all();
}

/* Pending work reads the row twice; a store to the next row must not overtake the second read. */
static void test_store_beside_phases(void **state) {
    (void)state;
    gpa_arr *a = data(SHAPE(N)), *old = data(SHAPE(N)), *mean, *want;
    ok(arr_mean(rt, a, NULL, &mean, &err));
    gpa_arr *top = red(RED_MAX, op2(OP_SUBTRACT, a, keep(mean)), 1, false);
    ONLY(a, old, top);
    assign(a, opn(OP_MULTIPLY, a, 0));
    ok(arr_mean(rt, old, NULL, &want, &err));
    compare(top, red(RED_MAX, op2(OP_SUBTRACT, old, keep(want)), 1, false), 1e-14);
    drop_all();
}

static void test_gather_generated(void **state) {
    (void)state;
    gpa_arr *a, *i, *got;
    ok(arr_iota(rt, N, 5, 3, &a, &err));
    ok(arr_from(rt, &(arr_spec){DT_I64, 1, (int64_t[]){2}}, (int64_t[]){-1, 4}, &i, &err));
    gpa_index ix = {.kind = IX_ARRAY, .arr = keep(i)};
    ok(arr_get(rt, keep(a), &(gpa_indices){&ix, 1}, NULL, &got, &err));
    double *v = values(keep(got));
    assert_true(v[0] == 5 + 3 * (N - 1) && v[1] == 17);
    test_free(v);
    drop_all();
}

static void test_store_into_pending(void **state) {
    (void)state;
    gpa_arr *z, *x = data(SHAPE(N)), *view;
    ok(arr_full(rt, &(arr_spec){DT_F64, 1, (int64_t[]){N}}, (gpa_val){.F64 = 0}, &z, &err));
    keep(z);
    view = SLICE(z, FROM(2));
    gpa_arr *twice = opn(OP_MULTIPLY, z, 2);
    assign(z, x);
    compare(z, x, 0);
    compare(view, SLICE(x, FROM(2)), 0);
    compare(twice, opn(OP_MULTIPLY, x, 0), 0);
    drop_all();
}

/* ---- late errors ---- */

static gpa_arr *int_array(int n, const int64_t *v) {
    gpa_arr *a;
    ok(arr_from(rt, &(arr_spec){DT_I64, 1, (int64_t[]){n}}, v, &a, &err));
    return keep(a);
}

static void test_bad_index(void **state) {
    (void)state;
    gpa_arr *a = data(SHAPE(10)), *i = int_array(3, (int64_t[]){1, -1, 12}), *got;
    gpa_opnd zero = {.weak = WEAK_INT, .dtype = DT_I64};
    gpa_index ix = {.kind = IX_ARRAY, .arr = op(OP_ADD, arr(i), zero, zero)};
    rt_set_location(rt, (gpa_span){1, 10, 14});
    gpa_code rc = arr_get(rt, a, &(gpa_indices){&ix, 1}, NULL, &got, &err);
    rt_set_location(rt, (gpa_span){1, 20, 24});
    if (!rc) {
        keep(got);
        gpa_arr *sum = opn(OP_ADD, got, 1);
        double v[3];
        rc = arr_read(rt, sum, v, &err);
    }
    assert_int_equal(rc, GPA_E_INDEX);
    assert_string_equal(err.msg, "index 12 is out of bounds for axis 0 with size 10");
    assert_int_equal(err.span.lo, 10);
    gpa_err_clear(&err);
    compare(opn(OP_ADD, a, 1), opn(OP_ADD, data(SHAPE(10)), 1), 0);
    drop_all();
}

static void test_gather(void **state) {
    (void)state;
    gpa_arr *a = data(SHAPE(N, M)), *i = int_array(3, (int64_t[]){5, -1, 0}), *got;
    gpa_index ix[2] = {{.kind = IX_ARRAY, .arr = i},
                       {.kind = IX_SLICE, .start = 2, .has_start = true}};
    ok(arr_get(rt, a, &(gpa_indices){ix, 2}, NULL, &got, &err));
    keep(got);
    gpa_arr *sum = red(RED_SUM, opn(OP_ADD, got, 1), 2, false);
    double *v = values(a), *s = values(sum);
    for (int r = 0; r < 3; r++) {
        int row = (int[]){5, N - 1, 0}[r];
        double want = 0;
        for (int j = 2; j < M; j++) want += v[row * M + j] + 1;
        assert_true(fabs(s[r] - want) < 1e-12);
    }
    test_free(v);
    test_free(s);
    drop_all();
}

static void test_empty_reductions(void **state) {
    (void)state;
    gpa_arr *none = data(SHAPE(0, 3)), *out;
    assert_int_equal(arr_reduce(rt, RED_MAX, none, NULL, &out, &err), GPA_E_VALUE);
    assert_string_equal(err.msg,
                        "zero-size array to reduction operation maximum which has no identity");
    gpa_err_clear(&err);
    assert_int_equal(arr_reduce(rt, RED_ARGMAX, none, NULL, &out, &err), GPA_E_VALUE);
    assert_string_equal(err.msg, "attempt to get argmax of an empty sequence");
    gpa_err_clear(&err);
    double *v = values(red(RED_SUM, none, 1, false));
    assert_true(v[0] == 0 && v[2] == 0);
    test_free(v);
    assert_int_equal(red(RED_MAX, none, 2, false)->size, 0);
    drop_all();
}

static void test_broadcast_error(void **state) {
    (void)state;
    gpa_arr *a = data(SHAPE(3, 4)), *b = data(SHAPE(3)), *out;
    assert_int_equal(arr_ufunc(rt, OP_ADD, (gpa_opnd[]){arr(a), arr(b)}, NULL, &out, &err),
                     GPA_E_VALUE);
    assert_string_equal(err.msg,
                        "operands could not be broadcast together with shapes (3,4) (3,) ");
    assert_int_equal(err.n_notes, 2);
    assert_string_equal(err.notes[1].text, "(3,)");
    gpa_err_clear(&err);
    drop_all();
}

/* ---- memory ---- */

static void test_too_much_memory(void **state) {
    (void)state;
    gpa_arr *out;
    assert_int_equal(
        arr_empty(rt, &(arr_spec){DT_F64, 2, (int64_t[]){1 << 24, 1 << 22}}, &out, &err),
        GPA_E_MEMORY);
    const char want[] =
        "Unable to allocate 512. TiB for an array with shape (16777216, 4194304) and data type "
        "float64";
    err.msg[sizeof want - 1] = 0;
    assert_string_equal(err.msg, want);
    gpa_err_clear(&err);
}

/* With a limit, pending work releases its memory before an allocation fails; the message lists what
 * is live. */
static void name_arrays(void *user, void (*each)(void *to, const char *name, const gpa_arr *a),
                        void *to) {
    for (int i = 0; i < in_pool; i++) each(to, i == 1 ? "big" : "small", pool[i]);
    (void)user;
}

static void test_memory_limit(void **state) {
    (void)state;
    const char *device = rt_device(rt);
    char name[16];
    snprintf(name, sizeof name, "%s", device);
    rt_free(rt);
    setenv("GPA_MEMORY_LIMIT", "1M", 1);
    ok(rt_new(&(rt_config){.device = name, .name_arrays = name_arrays}, &rt, &err));
    gpa_arr *a = data(SHAPE(10000)), *b = data(SHAPE(40000)), *out, *next;
    for (int i = 0; i < 200; i++) {
        ok(arr_ufunc(rt, OP_ADD, (gpa_opnd[]){arr(a), num(i)}, NULL, &next, &err));
        ok(arr_eval(rt, &next, 1, &err));
        ok(arr_ufunc(rt, OP_ADD, (gpa_opnd[]){arr(next), num(i)}, NULL, &out, &err));
        arr_release(rt, next);
        arr_release(rt, out);
    }
    assert_int_equal(arr_empty(rt, &(arr_spec){DT_F64, 1, (int64_t[]){100000}}, &out, &err),
                     GPA_E_MEMORY);
    assert_non_null(strstr(
        err.msg,
        "Unable to allocate 781. KiB for an array with shape (100000,) and data type float64"));
    assert_non_null(
        strstr(err.msg, "limit 1.00 MiB (GPA_MEMORY_LIMIT)\nlargest: big 312 KiB, small 78.1 KiB"));
    assert_string_equal(err.hint, "`del big` gives its memory back");
    gpa_err_clear(&err);
    compare(opn(OP_ADD, b, 0), b, 0);
    drop_all();
    unsetenv("GPA_MEMORY_LIMIT");
}

/* A computation that fails is reported once; the session continues. */
static void test_failure_is_reported_once(void **state) {
    (void)state;
    gpa_arr *huge, *a = data(SHAPE(N));
    ok(arr_full(rt, &(arr_spec){DT_F64, 2, (int64_t[]){1 << 24, 1 << 22}}, (gpa_val){.F64 = 0},
                &huge, &err));
    keep(huge);
    assert_int_equal(rt_flush(rt, &err), GPA_E_MEMORY);
    gpa_err_clear(&err);
    gpa_arr *b = opn(OP_ADD, a, 1);
    ok(rt_flush(rt, &err));
    assert_false(arr_is_pending(b));
    assert_int_equal(arr_eval(rt, &huge, 1, &err), GPA_E_MEMORY);
    gpa_err_clear(&err);
    drop_all();
}

/* Ctrl-C: the launch fails, the session continues. */
static void test_interrupt(void **state) {
    (void)state;
    gpa_arr *a = data(SHAPE(N)), *b = opn(OP_ADD, a, 1);
    rt_interrupt(rt);
    assert_int_equal(arr_eval(rt, &b, 1, &err), GPA_E_INTERRUPT);
    assert_string_equal(err.msg, "");
    gpa_err_clear(&err);
    rt_interrupt_clear(rt);
    compare(b, opn(OP_ADD, data(SHAPE(N)), 1), 0);
    drop_all();
}

static void test_dropped_is_never_computed(void **state) {
    (void)state;
    gpa_arr *a = data(SHAPE(N));
    mark();
    opn(OP_ADD, a, 1);
    ONLY(a);
    assert_false(rt_has_pending(rt));
    ok(rt_flush(rt, &err));
    assert_int_equal(since().launches, 0);
    drop_all();
}

static void test_many_dimensions(void **state) {
    (void)state;
    int64_t shape[12], perm_shape = 1;
    int perm[12];
    for (int d = 0; d < 12; d++) {
        shape[d] = 2;
        perm[d] = (d * 5 + 3) % 12;
        perm_shape *= 2;
    }
    gpa_arr *a = data(12, shape), *t, *u;
    ok(arr_transpose(rt, a, perm, &t, &err));
    keep(t);
    gpa_arr *sum = op2(OP_ADD, a, t);
    double *x = values(a), *got = values(sum);
    for (int64_t i = 0; i < perm_shape; i++) {
        int64_t from = 0;
        for (int d = 0; d < 12; d++)
            if (i >> (11 - d) & 1) from |= (int64_t)1 << (11 - perm[d]);
        assert_true(got[i] == x[i] + x[from]);
    }
    test_free(x);
    test_free(got);
    ok(arr_copy(rt, t, &u, &err));
    compare(keep(u), t, 0);
    drop_all();
}

/* A failed allocation anywhere is a MemoryError without a leak. */
static void test_allocation_failures(void **state) {
    (void)state;
    gpa_arr *x = data(SHAPE(N, M));
    for (uint64_t n = 1; n < 400; n++) {
        gpa_arr *m = NULL, *d = NULL, *s = NULL;
        mem_fail_at(n);
        gpa_code rc = arr_mean(
            rt, x, &(arr_reduce_opts){.axes = 2, .keepdims = true, .dtype = DT_NONE}, &m, &err);
        if (!rc) rc = arr_ufunc(rt, OP_SUBTRACT, (gpa_opnd[]){arr(x), arr(m)}, NULL, &d, &err);
        if (!rc) rc = arr_reduce(rt, RED_SUM, d, NULL, &s, &err);
        if (!rc) rc = arr_eval(rt, &s, 1, &err);
        mem_fail_at(0);
        arr_release(rt, m);
        arr_release(rt, d);
        arr_release(rt, s);
        if (rc) assert_int_equal(rc, GPA_E_MEMORY);
        gpa_err_clear(&err);
        if (!rc) break;
    }
    assert_false(rt_has_pending(rt));
    drop_all();
}

/* ---- random programs ---- */

static uint64_t seed;
static int pick(int n) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)n);
}

enum { VARIABLES = 6, STATEMENTS = 30 };

static gpa_arr *var[VARIABLES];
static bool eager;

static void set(int i, gpa_arr *a) {
    arr_retain(a);
    arr_release(rt, var[i]);
    var[i] = a;
    if (eager) eval(a);
}

/* A view of an N x M array, or a row or column of it, broadcast back where it is used. */
static gpa_arr *operand(void) {
    gpa_arr *a = var[pick(VARIABLES)], *v;
    switch (pick(8)) {
        case 0: return SLICE(a, {N - 1, INT64_MAX, -1});
        case 1: return SLICE(a, ALL, {M - 1, INT64_MAX, -1});
        case 2: return SLICE(a, {3, 4, 1});
        case 3: return SLICE(a, ALL, {2, 3, 1});
        case 4: return red(RED_SUM, a, 1u << pick(2), true);
        case 5: return red(RED_MAX, a, 3, true);
        case 6:
            ok(arr_reshape(rt, a, 1, (int64_t[]){-1}, &v, &err));
            keep(v);
            v = opn(OP_MULTIPLY, v, 0.5);
            ok(arr_reshape(rt, v, 2, (int64_t[]){N, M}, &v, &err));
            return keep(v);
        default: return a;
    }
}

static gpa_arr *widen(gpa_arr *a) {
    gpa_arr *w;
    ok(arr_broadcast_to(rt, a, 2, (int64_t[]){N, M}, &w, &err));
    return keep(w);
}

/* Assigns the sum of two operands to part of a variable. */
static void assign_part(gpa_arr *variable, gpa_arr *a, gpa_arr *b) {
    range rows = {pick(4), N - pick(4), 1 + pick(2)};
    gpa_arr *target = SLICE(variable, rows);
    range all = {0, target->shape[0], 1};
    assign(target, SLICE(widen(op2(OP_ADD, a, b)), all));
}

/* Rows by computed numbers, negative ones too. */
static gpa_arr *gathered_rows(gpa_arr *a) {
    gpa_arr *r;
    int64_t rows[N];
    for (int i = 0; i < N; i++) rows[i] = pick(2 * N) - N;
    gpa_index ix = {.kind = IX_ARRAY, .arr = int_array(N, rows)};
    if (pick(2))
        ix.arr = op(OP_ADD, arr(ix.arr), (gpa_opnd){.weak = WEAK_INT, .dtype = DT_I64}, num(0));
    ok(arr_get(rt, widen(a), &(gpa_indices){&ix, 1}, NULL, &r, &err));
    return keep(r);
}

static void statement(void) {
    gpa_arr *a = operand(), *b = operand(), *r;
    int to = pick(VARIABLES);
    switch (pick(14)) {
        case 0: r = op2(OP_ADD, a, b); break;
        case 1: r = op2(OP_SUBTRACT, a, b); break;
        case 2: r = opn(OP_MULTIPLY, op2(OP_MULTIPLY, a, b), 0.125); break;
        case 3: r = op2(OP_MAXIMUM, a, b); break;
        case 4: r = op(OP_WHERE, arr(op2(OP_GREATER, a, b)), arr(a), num(0.5)); break;
        case 5: r = op1(OP_SQRT, op1(OP_ABSOLUTE, op2(OP_ADD, a, b))); break;
        case 6:
            ok(arr_scan(rt, &(arr_axis_reduction){RED_MAX, pick(2), DT_NONE}, widen(a), &r, &err));
            keep(r);
            break;
        case 7: r = op1(OP_TANH, a); break;
        case 8: assign_part(var[to], a, b); return;
        case 9: {
            gpa_arr *value = widen(a);
            gpa_opnd v = arr(value);
            ok(arr_update(rt, OP_ADD, var[to], &v, &err));
            return;
        }
        case 10: r = gathered_rows(a); break;
        case 11: { /* where a mask is true */
            gpa_index mask = {.kind = IX_ARRAY, .arr = op2(OP_LESS, widen(a), b)};
            gpa_opnd half = num(0.5);
            ok(arr_set(rt, var[to], &(gpa_indices){&mask, 1}, &half, &err));
            return;
        }
        case 12: { /* a row, by number */
            gpa_index row[1] = {{.kind = IX_INT, .i = pick(N)}};
            gpa_opnd v = arr(SLICE(widen(a), {2, 3, 1}));
            ok(arr_set(rt, var[to], &(gpa_indices){row, 1}, &v, &err));
            return;
        }
        default:
            r = op2(OP_DIVIDE, a,
                    op(OP_ADD, arr(op1(OP_ABSOLUTE, red(RED_SUM, b, 2, true))), num(1), num(0)));
            break;
    }
    r = widen(r);
    ok(arr_copy(rt, r, &r, &err));
    set(to, keep(r));
}

static void run(uint64_t s, double *results) {
    seed = s;
    for (int i = 0; i < VARIABLES; i++) {
        gpa_arr *a = data(SHAPE(N, M));
        ok(arr_cast(rt, opn(OP_MULTIPLY, a, 1 + 0.5 * i), DT_F64, true, &var[i], &err));
        drop_all();
    }
    for (int i = 0; i < STATEMENTS; i++) {
        statement();
        drop_all();
        if (pick(12) == 0) ok(rt_loop_edge(rt, &err));
    }
    for (int i = 0; i < VARIABLES; i++) {
        double *v = values(var[i]);
        memcpy(results + i * N * M, v, sizeof(double) * N * M);
        test_free(v);
        arr_release(rt, var[i]);
        var[i] = NULL;
    }
}

static void test_random_programs(void **state) {
    (void)state;
    double *lazy = test_malloc(sizeof(double) * VARIABLES * N * M),
           *plain = test_malloc(sizeof(double) * VARIABLES * N * M);
    unsigned part = 0, parts = 1; /* PART=0/4: every fourth program */
    const char *chosen = getenv("PART");
    if (chosen && *chosen) assert_true(sscanf(chosen, "%u/%u", &part, &parts) == 2 && part < parts);
    for (uint64_t s = 1 + part; s <= 100; s += parts) {
        eager = false;
        run(s, lazy);
        eager = true;
        run(s, plain);
        for (int i = 0; i < VARIABLES * N * M; i++) {
            bool near = fabs(lazy[i] - plain[i]) <= 1e-8 * fmax(1, fabs(plain[i])) ||
                        (isnan(lazy[i]) && isnan(plain[i]));
            if (!near)
                print_error("program %d, element %d: %g and %g\n", (int)s, i, lazy[i], plain[i]);
            assert_true(near);
        }
    }
    test_free(lazy);
    test_free(plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        GRAPH_TEST(test_in_place),
        GRAPH_TEST(test_assigned_value_is_kept),
        GRAPH_TEST(test_overlap),
        GRAPH_TEST(test_rows_of_itself),
        GRAPH_TEST(test_store_beside_phases),
        GRAPH_TEST(test_gather_generated),
        GRAPH_TEST(test_store_into_pending),
        GRAPH_TEST(test_bad_index),
        GRAPH_TEST(test_gather),
        GRAPH_TEST(test_empty_reductions),
        GRAPH_TEST(test_broadcast_error),
        GRAPH_TEST(test_too_much_memory),
        GRAPH_TEST(test_memory_limit),
        GRAPH_TEST(test_failure_is_reported_once),
        GRAPH_TEST(test_interrupt),
        GRAPH_TEST(test_dropped_is_never_computed),
        GRAPH_TEST(test_many_dimensions),
        GRAPH_TEST(test_allocation_failures),
        GRAPH_TEST(test_random_programs),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const char *part = getenv("PART");
    if (part && *part && strncmp(part, "0/", 2) != 0)
        cmocka_set_test_filter("test_random_programs"); /* the others belong to part 0 */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
