/* Fusion: number of steps and memory traffic of known expressions; values equal those of one
 * operation at a time. */
#include "runtime/ir/body.h"
#include "tests/unit/graph.h"

enum { N = 96, M = 40, F = 8 };

static void test_chain(void **state) {
    (void)state;
    gpa_arr *g = data(SHAPE(N, M)), *w = data(SHAPE(M));
    gpa_arr *v = op2(OP_MULTIPLY, opn(OP_DIVIDE, g, 255), w);
    gpa_arr *p = op1(OP_EXP, v), *q = op1(OP_EXP, op1(OP_NEGATIVE, v));
    gpa_arr *y = op2(OP_DIVIDE, op2(OP_SUBTRACT, p, q), op2(OP_ADD, p, q));
    ONLY(g, w, y);
    one_step(y, N * M * F + M * F, N * M * F);
    compare(y, op1(OP_TANH, op2(OP_MULTIPLY, opn(OP_DIVIDE, g, 255), w)), 1e-12);
    drop_all();
}

static void test_sum_of_products(void **state) {
    (void)state;
    gpa_arr *a = data(SHAPE(N, M)), *b = opn(OP_ADD, data(SHAPE(N, M)), 1);
    eval(b);
    gpa_arr *s = red(RED_SUM, op2(OP_MULTIPLY, a, b), UINT32_MAX, false);
    ONLY(a, b, s);
    one_step(s, 2 * N * M * F, F);
    double *x = values(a), *y = values(b), *got = values(s), want = 0;
    for (int i = 0; i < N * M; i++) want += x[i] * y[i];
    assert_true(fabs(*got - want) < 1e-12 * want);
    test_free(x);
    test_free(y);
    test_free(got);
    drop_all();
}

static gpa_arr *softmax(gpa_arr *x) {
    gpa_arr *p = op1(OP_EXP, op2(OP_SUBTRACT, x, red(RED_MAX, x, 2, true)));
    return op2(OP_DIVIDE, p, red(RED_SUM, p, 2, true));
}

static void test_softmax(void **state) {
    (void)state;
    gpa_arr *x = data(SHAPE(N, M)), *y = softmax(x);
    ONLY(x, y);
    one_step(y, N * M * F, N * M * F);
    double *v = values(x), *got = values(y);
    for (int i = 0; i < N; i++) {
        double top = -INFINITY, sum = 0;
        for (int j = 0; j < M; j++) top = fmax(top, v[i * M + j]);
        for (int j = 0; j < M; j++) sum += exp(v[i * M + j] - top);
        for (int j = 0; j < M; j++)
            assert_true(fabs(got[i * M + j] - exp(v[i * M + j] - top) / sum) < 1e-14);
    }
    test_free(v);
    test_free(got);
    drop_all();
}

static void test_variance(void **state) {
    (void)state;
    gpa_arr *x = data(SHAPE(N, M)), *all, *rows, *columns, *mean;
    ok(arr_var(rt, x, 0, NULL, &all, &err));
    one_step(keep(all), N * M * F, F);
    ok(arr_var(rt, x, 1, &(arr_reduce_opts){.axes = 2, .dtype = DT_NONE}, &rows, &err));
    one_step(keep(rows), N * M * F, N * F);
    ok(arr_var(rt, x, 1, &(arr_reduce_opts){.axes = 1, .dtype = DT_NONE}, &columns, &err));
    one_step(keep(columns), N * M * F, M * F);
    ok(arr_mean(rt, x, &(arr_reduce_opts){.axes = 2, .dtype = DT_NONE}, &mean, &err));
    one_step(keep(mean), N * M * F, N * F);
    double *v = values(x), *got = values(rows), *m = values(mean);
    for (int i = 0; i < N; i++) {
        double sum = 0, square = 0;
        for (int j = 0; j < M; j++) sum += v[i * M + j];
        const double middle = sum / (double)M;
        for (int j = 0; j < M; j++) square += (v[i * M + j] - middle) * (v[i * M + j] - middle);
        assert_true(fabs(m[i] - middle) < 1e-14);
        assert_true(fabs(got[i] - square / (M - 1)) < 1e-14);
    }
    test_free(v);
    test_free(got);
    test_free(m);
    drop_all();
}

static void test_laplace(void **state) {
    (void)state;
    gpa_arr *u = data(SHAPE(N, M));
    range in = {1, -1, 1};
    gpa_arr *s = op2(OP_ADD, op2(OP_ADD, SLICE(u, TO(-2), in), SLICE(u, FROM(2), in)),
                     op2(OP_ADD, SLICE(u, in, TO(-2)), SLICE(u, in, FROM(2))));
    gpa_arr *next = opn(OP_MULTIPLY, s, 0.25);
    ONLY(u, next);
    one_step(next, N * M * F, (N - 2) * (M - 2) * F);
    double *v = values(u), *got = values(next);
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < M - 1; j++) {
            double want = 0.25 * ((v[(i - 1) * M + j] + v[(i + 1) * M + j]) +
                                  (v[i * M + j - 1] + v[i * M + j + 1]));
            assert_true(got[(i - 1) * (M - 2) + j - 1] == want);
        }
    test_free(v);
    test_free(got);
    drop_all();
}

static gpa_arr *cnd(gpa_arr *d) {
    gpa_arr *k = op(OP_DIVIDE, num(1),
                    arr(opn(OP_ADD, opn(OP_MULTIPLY, op1(OP_ABSOLUTE, d), 0.2316419), 1)), num(0));
    gpa_arr *poly = opn(OP_MULTIPLY, k, 1.330274429);
    const double c[] = {-1.821255978, 1.781477937, -0.356563782, 0.31938153};
    for (int i = 0; i < 4; i++) poly = op2(OP_MULTIPLY, k, opn(OP_ADD, poly, c[i]));
    gpa_arr *bell = opn(OP_MULTIPLY, op1(OP_EXP, opn(OP_MULTIPLY, op2(OP_MULTIPLY, d, d), -0.5)),
                        0.39894228040143267794);
    gpa_arr *tail = op2(OP_MULTIPLY, bell, poly), *zero = opn(OP_GREATER, d, 0);
    return op(OP_WHERE, arr(zero), arr(op(OP_SUBTRACT, num(1), arr(tail), num(0))), arr(tail));
}

static void test_black_scholes(void **state) {
    (void)state;
    gpa_arr *s = data(SHAPE(N)), *x = opn(OP_ADD, s, 0.125), *t = opn(OP_ADD, s, 0.5);
    gpa_arr *leaves[2] = {x, t};
    ok(arr_eval(rt, leaves, 2, &err));
    const double r = 0.02, v = 0.3;
    gpa_arr *root = op1(OP_SQRT, t);
    gpa_arr *d1 =
        op2(OP_DIVIDE,
            op2(OP_ADD, op1(OP_LOG, op2(OP_DIVIDE, s, x)), opn(OP_MULTIPLY, t, r + 0.5 * v * v)),
            opn(OP_MULTIPLY, root, v));
    gpa_arr *d2 = op2(OP_SUBTRACT, d1, opn(OP_MULTIPLY, root, v));
    gpa_arr *c1 = cnd(d1), *c2 = cnd(d2), *e = op1(OP_EXP, opn(OP_MULTIPLY, t, -r));
    gpa_arr *call =
        op2(OP_SUBTRACT, op2(OP_MULTIPLY, s, c1), op2(OP_MULTIPLY, op2(OP_MULTIPLY, x, e), c2));
    gpa_arr *put =
        op2(OP_SUBTRACT,
            op2(OP_MULTIPLY, op2(OP_MULTIPLY, x, e), op(OP_SUBTRACT, num(1), arr(c2), num(0))),
            op2(OP_MULTIPLY, s, op(OP_SUBTRACT, num(1), arr(c1), num(0))));
    ONLY(s, x, t, call, put);
    mark();
    ok(arr_eval(rt, (gpa_arr *[]){call, put}, 2, &err));
    rt_stats st = since();
    count_is(st.launches, 1);
    count_is(st.bytes_read, 3 * N * F);
    count_is(st.bytes_written, 2 * N * F);
    /* call - put = s - x exp(-rt) */
    e = op1(OP_EXP, opn(OP_MULTIPLY, t, -r));
    compare(op2(OP_SUBTRACT, call, put), op2(OP_SUBTRACT, s, op2(OP_MULTIPLY, x, e)), 1e-9);
    drop_all();
}

static void test_assignment(void **state) {
    (void)state;
    gpa_arr *a = data(SHAPE(N, M)), *b = data(SHAPE(N, M)), *c = data(SHAPE(N, M)), *old;
    ok(arr_copy(rt, a, &old, &err));
    eval(keep(old));
    gpa_arr *to = SLICE(a, FROM(1), FROM(1));
    gpa_arr *sum =
        op2(OP_ADD, op2(OP_ADD, to, SLICE(b, FROM(1), TO(-1))), SLICE(c, TO(-1), TO(-1)));
    ONLY(a, b, c, old, to, sum);
    mark();
    assign(to, sum);
    rt_stats s = since();
    count_is(s.launches, 1);
    count_is(s.bytes_read, 3 * (N - 1) * (M - 1) * F);
    count_is(s.bytes_written, (N - 1) * (M - 1) * F);
    double *x = values(old), *y = values(b), *z = values(c), *got = values(a);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            double want = x[i * M + j];
            if (i && j) want = want + y[i * M + j - 1] + z[(i - 1) * M + j - 1];
            assert_true(got[i * M + j] == want);
        }
    test_free(x);
    test_free(y);
    test_free(z);
    test_free(got);
    drop_all();
}

static void test_three_outputs(void **state) {
    (void)state;
    gpa_arr *a = data(SHAPE(N, M)), *b = data(SHAPE(M));
    gpa_arr *out[3] = {op2(OP_ADD, a, b), op2(OP_MULTIPLY, a, b), op1(OP_EXP, a)};
    mark();
    ok(rt_flush(rt, &err));
    rt_stats s = since();
    count_is(s.launches, 1);
    count_is(s.bytes_read, (N * M + M) * F);
    count_is(s.bytes_written, 3 * N * M * F);
    for (int i = 0; i < 3; i++) assert_false(arr_is_pending(out[i]));
    drop_all();
}

/* A value that an array still holds is stored by the step that computes it anyway, not recomputed
 * at the end of the cell. */
static void test_named_values(void **state) {
    (void)state;
    gpa_arr *x = data(SHAPE(N, M)), *top = red(RED_MAX, x, 2, true),
            *p = op1(OP_EXP, op2(OP_SUBTRACT, x, top));
    gpa_arr *sum = red(RED_SUM, p, 2, true);
    ONLY(x, top, p, sum);
    mark();
    eval(sum);
    ok(rt_flush(rt, &err));
    count_is(since().launches, 1);
    count_is(since().bytes_read, N * M * F);
    count_is(since().bytes_written, (N * M + 2 * N) * F);
    drop_all();
}

static void test_statistics_together(void **state) {
    (void)state;
    gpa_arr *x = data(SHAPE(N, M)), *mean, *var;
    ok(arr_mean(rt, x, NULL, &mean, &err));
    ok(arr_var(rt, x, 0, NULL, &var, &err));
    keep(mean);
    keep(var);
    red(RED_MAX, x, UINT32_MAX, false);
    mark();
    ok(rt_flush(rt, &err));
    count_is(since().launches, 1);
    count_is(since().bytes_read, N * M * F);
    drop_all();
}

/* for k in range(10000): b = b + 0.02; c = b + a */
static void test_loop(void **state) {
    (void)state;
    gpa_arr *a = data(SHAPE(M)), *b = data(SHAPE(M)), *c = NULL, *next;
    in_pool = 0;
    rt_stats early = {0};
    mark();
    for (int k = 0; k < 10000; k++) {
        ok(arr_ufunc(rt, OP_ADD, (gpa_opnd[]){arr(b), num(0.02)}, NULL, &next, &err));
        arr_release(rt, b);
        b = next;
        arr_release(rt, c);
        ok(arr_ufunc(rt, OP_ADD, (gpa_opnd[]){arr(b), arr(a)}, NULL, &c, &err));
        ok(rt_loop_edge(rt, &err));
        if (k == 100) rt_get_stats(rt, &early);
    }
    rt_stats s = since();
    if (COUNTED) assert_true(s.compiles <= 2);
    if (COUNTED) assert_true(s.launches <= 10000);
    count_is(s.bytes_live, early.bytes_live);
    count_is(s.bytes_cached, early.bytes_cached);
    double *got = values(c), *x = values(a);
    assert_true(fabs(got[3] - (2 * x[3] + 200)) < 1e-6);
    test_free(got);
    test_free(x);
    arr_release(rt, a);
    arr_release(rt, b);
    arr_release(rt, c);
}

/* One iteration of x, y = where(x > k, x - y, x * 1.5 + k), y * y + x */
static void iterate(gpa_arr **x, gpa_arr **y, int k) {
    gpa_arr *less, *more, *next, *square, *sum, *above;
    ok(arr_ufunc(rt, OP_GREATER, (gpa_opnd[]){arr(*x), {.dtype = DT_I64, .v.I64 = k}}, NULL, &above,
                 &err));
    ok(arr_ufunc(rt, OP_SUBTRACT, (gpa_opnd[]){arr(*x), arr(*y)}, NULL, &less, &err));
    ok(arr_ufunc(rt, OP_MULTIPLY, (gpa_opnd[]){arr(*x), num(1.5)}, NULL, &next, &err));
    ok(arr_ufunc(rt, OP_ADD, (gpa_opnd[]){arr(next), {.dtype = DT_I64, .v.I64 = k}}, NULL, &more,
                 &err));
    arr_release(rt, next);
    ok(arr_ufunc(rt, OP_WHERE, (gpa_opnd[]){arr(above), arr(less), arr(more)}, NULL, &next, &err));
    ok(arr_ufunc(rt, OP_MULTIPLY, (gpa_opnd[]){arr(*y), arr(*y)}, NULL, &square, &err));
    ok(arr_ufunc(rt, OP_ADD, (gpa_opnd[]){arr(square), arr(*x)}, NULL, &sum, &err));
    gpa_arr *gone[] = {less, more, square, above, *x, *y};
    for (size_t i = 0; i < COUNT_OF(gone); i++) arr_release(rt, gone[i]);
    *x = next;
    *y = sum;
}

/* Loop batching: equal bits, few launches, no more memory. */
static void test_loop_batching(void **state) {
    (void)state;
    enum { ITERATIONS = 252 };
    gpa_arr *x = data(SHAPE(N, M)), *y = opn(OP_DIVIDE, x, 900), *u, *v;
    eval(y);
    ok(arr_copy(rt, x, &u, &err));
    ok(arr_copy(rt, y, &v, &err));
    in_pool = 0;
    ok(rt_flush(rt, &err));
    for (int k = 0; k < ITERATIONS; k++) {
        iterate(&u, &v, k);
        ok(arr_eval(rt, (gpa_arr *[]){u, v}, 2, &err));
    }
    rt_stats early = {0};
    mark();
    for (int k = 0; k < ITERATIONS; k++) {
        iterate(&x, &y, k);
        ok(rt_loop_edge(rt, &err));
        ok(rt_loop_edge(rt, &err)); /* as of an inner loop that records nothing */
        if (k == 150) rt_get_stats(rt, &early);
    }
    ok(rt_flush(rt, &err));
    rt_stats s = since();
    if (COUNTED) assert_true(s.launches <= ITERATIONS / 10);
    if (COUNTED) assert_true(s.compiles <= 2);
    assert_true(s.bytes_live <= early.bytes_live);
    gpa_arr *pairs[2][2] = {{x, u}, {y, v}};
    for (int i = 0; i < 2; i++) {
        double *got = values(pairs[i][0]), *want = values(pairs[i][1]);
        assert_memory_equal(got, want, N * M * sizeof *got);
        test_free(got);
        test_free(want);
        arr_release(rt, pairs[i][0]);
        arr_release(rt, pairs[i][1]);
    }
}

static void test_long_chain(void **state) {
    (void)state;
    gpa_arr *b = data(SHAPE(4)), *next;
    double *x = values(b);
    in_pool = 0;
    mark();
    for (int k = 0; k < 100000; k++) {
        ok(arr_ufunc(rt, OP_ADD, (gpa_opnd[]){arr(b), num(1)}, NULL, &next, &err));
        arr_release(rt, b);
        b = next;
    }
    double *got = values(b);
    for (int i = 0; i < 4; i++) assert_true(got[i] == x[i] + 100000);
    if (COUNTED) assert_true(since().compiles <= 3);
    test_free(x);
    test_free(got);
    arr_release(rt, b);
}

enum { WIDE = 8, ROUNDS = 56, WIDE_SIZE = 1000 };

/* WIDE values, of which each round replaces each by a product with its neighbour; their sum. */
static gpa_arr *wide_expression(gpa_arr *x) {
    gpa_arr *v[WIDE];
    for (int i = 0; i < WIDE; i++) v[i] = opn(OP_ADD, x, i / 64.0);
    for (int i = 0; i < WIDE * ROUNDS; i++)
        v[i % WIDE] =
            op2(OP_MINIMUM, v[i % WIDE], op2(OP_MULTIPLY, v[i % WIDE], v[(i + 1) % WIDE]));
    for (int i = 1; i < WIDE; i++) v[0] = op2(OP_ADD, v[0], v[i]);
    return v[0];
}

/* An expression of more operations than a program may have is cut between its two halves, where one
 * value crosses, not within one, where WIDE values do. */
static void test_partition(void **state) {
    (void)state;
    gpa_arr *x = data(SHAPE(WIDE_SIZE));
    gpa_arr *y = wide_expression(opn(OP_MULTIPLY, wide_expression(x), 0.125));
    ONLY(x, y);
    mark();
    eval(y);
    count_is(since().launches, 2);
    count_is(since().bytes_read, 2 * WIDE_SIZE * F);
    count_is(since().bytes_written, 2 * WIDE_SIZE * F);
    double *in = values(x), *got = values(y);
    for (int k = 0; k < WIDE_SIZE; k++) {
        double want = in[k];
        for (int half = 0; half < 2; half++) {
            double v[WIDE];
            for (int i = 0; i < WIDE; i++) v[i] = want + i / 64.0;
            for (int i = 0; i < WIDE * ROUNDS; i++)
                v[i % WIDE] = fmin(v[i % WIDE], v[i % WIDE] * v[(i + 1) % WIDE]);
            for (int i = 1; i < WIDE; i++) v[0] += v[i];
            want = half ? v[0] : v[0] * 0.125;
        }
        assert_true(got[k] == want);
    }
    test_free(in);
    test_free(got);
    drop_all();
}

/* One element of a long pending vector: the step that uses the vector has no dimensions. */
static void test_element_of_pending(void **state) {
    (void)state;
    const gpa_index at[] = {{.kind = IX_INT, .i = 5}, {.kind = IX_ELLIPSIS}};
    gpa_arr *x = data(SHAPE(100000)), *one;
    ok(arr_get(rt, opn(OP_ADD, opn(OP_MULTIPLY, x, 2), 1), &(gpa_indices){at, 2}, NULL, &one,
               &err));
    keep(one);
    ONLY(x, one); /* while an array holds it, the whole vector would be computed */
    gpa_arr *sum = opn(OP_ADD, one, 1);
    assert_int_equal(sum->ndim, 0);
    double *got = values(sum), *from = values(x);
    assert_true(got[0] == from[5] * 2 + 2);
    test_free(got);
    test_free(from);
    drop_all();
}

/* A sum of many different arrays splits. */
static void test_many_arrays(void **state) {
    (void)state;
    gpa_arr *sum = data(SHAPE(M)), *each[200];
    for (int i = 0; i < 200; i++) each[i] = data(SHAPE(M));
    gpa_arr *first = sum;
    for (int i = 0; i < 200; i++) sum = op2(OP_ADD, sum, each[i]);
    compare(sum, opn(OP_MULTIPLY, first, 201), 1e-12);
    drop_all();
}

/* A compiled function with a loop, x + 1 three times, fuses with its operand and its use. */
static gpa_body *three_more(void) {
    const kir_ins none = {.type = DT_F64, .a = -1, .b = -1, .c = -1};
    kir_func *f = kir_new(KIR_MAP, "three_more");
    kir_ins ins = none;
    gpa_body *b;
    kir_add_param(f, DT_F64);
    ins.code = KIR_PARAM;
    int32_t x = kir_emit(f, ins);
    ins.code = KIR_VAR, ins.a = x;
    int32_t v = kir_emit(f, ins);
    int32_t to = kir_const(f, DT_I64, (gpa_val){.I64 = 3}),
            from = kir_const(f, DT_I64, (gpa_val){.I64 = 0});
    int32_t by = kir_const(f, DT_I64, (gpa_val){.I64 = 1}),
            one = kir_const(f, DT_F64, (gpa_val){.F64 = 1});
    kir_open(f, (kir_ins){.code = KIR_FOR, .type = DT_I64, .a = from, .b = to, .c = by});
    ins = none;
    ins.code = KIR_GET, ins.a = v;
    int32_t sum = kir_op2(f, OP_ADD, kir_emit(f, ins), one);
    kir_emit(f, (kir_ins){.code = KIR_SET, .type = DT_NONE, .a = v, .b = sum, .c = -1});
    kir_close(f);
    int32_t result = kir_emit(f, ins);
    ok(body_new_take(f, &result, 1, &b, &err));
    return b;
}

static void test_body(void **state) {
    (void)state;
    gpa_body *b = three_more();
    gpa_arr *x = data(SHAPE(N, M)), *half = opn(OP_MULTIPLY, x, 0.5), *y;
    gpa_opnd in = arr(half);
    ok(arr_apply(rt, b, &in, NULL, &y, &err));
    gpa_arr *s = red(RED_SUM, opn(OP_MULTIPLY, keep(y), 2), 2, false);
    ONLY(x, s);
    one_step(s, N * M * F, N * F);
    compare(s, red(RED_SUM, opn(OP_ADD, x, 6), 2, false), 1e-12);
    body_release(b);
    drop_all();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        GRAPH_TEST(test_chain),
        GRAPH_TEST(test_sum_of_products),
        GRAPH_TEST(test_softmax),
        GRAPH_TEST(test_variance),
        GRAPH_TEST(test_laplace),
        GRAPH_TEST(test_black_scholes),
        GRAPH_TEST(test_assignment),
        GRAPH_TEST(test_three_outputs),
        GRAPH_TEST(test_statistics_together),
        GRAPH_TEST(test_named_values),
        GRAPH_TEST(test_loop),
        GRAPH_TEST(test_loop_batching),
        GRAPH_TEST(test_long_chain),
        GRAPH_TEST(test_partition),
        GRAPH_TEST(test_element_of_pending),
        GRAPH_TEST(test_many_arrays),
        GRAPH_TEST(test_body),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
