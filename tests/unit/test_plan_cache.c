/* Plan cache: a graph that was fused and lowered before is a hit, whatever its scalars and memory,
 * and no other graph is; the values are right either way. Expected values are computed here, in C.
 */
#include "runtime/ir/body.h"
#include "runtime/exec/rt.h"
#include "runtime/exec/program_cache.h"
#include "runtime/plan/loop_body.h"
#include "runtime/plan/plan_cache.h"
#include "tests/unit/graph.h"

enum { N = 30, M = 7 };

static uint64_t known_before;

/* Resets the count of hits that `known_is` checks. */
static void count(void) {
    rt_stats s;
    rt_get_stats(rt, &s);
    known_before = s.plans_known;
}

static void known_is(uint64_t want) {
    rt_stats s;
    rt_get_stats(rt, &s);
    count_is(s.plans_known - known_before, want);
    known_before = s.plans_known;
}

/* The i-th value of a seed. */
static double value(int seed, int64_t i) { return (double)((i * 31 + seed * 17) % 97) / 8 - 5; }

static gpa_arr *numbers(int seed, int ndim, const int64_t *shape) {
    double v[N * M];
    int64_t n = 1;
    gpa_arr *a;
    for (int d = 0; d < ndim; d++) n *= shape[d];
    assert_true(n <= N * M);
    for (int64_t i = 0; i < n; i++) v[i] = value(seed, i);
    ok(arr_from(rt, &(arr_spec){DT_F64, ndim, shape}, v, &a, &err));
    return keep(a);
}

static void expect(gpa_arr *a, int64_t n, double (*f)(int64_t i, const double *with),
                   const double *with) {
    double *v = values(a);
    assert_int_equal(a->size, n);
    for (int64_t i = 0; i < n; i++) {
        if (fabs(v[i] - f(i, with)) > 1e-12)
            fail_msg("element %lld: %.17g, not %.17g", (long long)i, v[i], f(i, with));
    }
    test_free(v);
}

/* (x * a + y) / b, of two seeds and two numbers */
static gpa_arr *chain(gpa_arr *x, gpa_arr *y, double a, double b) {
    return opn(OP_DIVIDE, op2(OP_ADD, opn(OP_MULTIPLY, x, a), y), b);
}
static double chained(int64_t i, const double *w) {
    return (value((int)w[0], i) * w[2] + value((int)w[1], i)) / w[3];
}

static void check_chain(int x, int y, double a, double b, int64_t n) {
    gpa_arr *r = chain(numbers(x, SHAPE(n)), numbers(y, SHAPE(n)), a, b);
    ONLY(r);
    eval(r);
    expect(r, n, chained, (double[]){x, y, a, b});
    drop_all();
}

static void test_numbers_and_memory(void **state) {
    (void)state;
    check_chain(1, 2, 2.5, 4, N);
    count();
    check_chain(1, 2, 2.5, 4, N);
    check_chain(3, 4, -1.25, 0.5, N); /* other memory, other scalars */
    check_chain(5, 6, 3, 7, N);
    known_is(3);
    check_chain(1, 2, 2.5, 2.5, N); /* one scalar for both: another graph, with one parameter */
    known_is(0);
    check_chain(1, 2, 0.75, 0.75, N);
    known_is(1);
    check_chain(1, 2, 0.75, 0.5, N);
    known_is(1);
}

enum { GATHERED = 4 };

static double gathered(int64_t i, const double *w) {
    return value((int)w[0], (int64_t)w[2 + i]) * w[1];
}

/* x[indices] * a for x of shape (N, 1): the host gathers a few elements of a vector itself. Indices
 * are checked on the host where it sees them, else by the program, which may fault: such plans are
 * not cached. */
static void check_gather(int x, const int64_t *indices, double a) {
    gpa_arr *at, *g;
    ok(arr_from(rt, &(arr_spec){DT_I64, 1, (int64_t[]){GATHERED}}, indices, &at, &err));
    const gpa_index ix = {.kind = IX_ARRAY, .arr = keep(at)};
    double with[2 + GATHERED] = {x, a};
    for (int i = 0; i < GATHERED; i++)
        with[2 + i] = (double)(indices[i] < 0 ? indices[i] + N : indices[i]);
    ok(arr_get(rt, numbers(x, SHAPE(N, 1)), &(gpa_indices){&ix, 1}, NULL, &g, &err));
    gpa_arr *r = opn(OP_MULTIPLY, keep(g), a);
    ONLY(r);
    eval(r);
    expect(r, GATHERED, gathered, with);
    drop_all();
}

static void test_gathers(void **state) {
    (void)state;
    check_gather(1, (int64_t[]){0, 7, 29, 7}, 2);
    count();
    check_gather(2, (int64_t[]){5, 4, 3, 2}, -0.5);
    known_is(rt->device->caps.host_visible);
    check_gather(2, (int64_t[]){5, -1, 3, -30}, 3);
    check_gather(2, (int64_t[]){5, -1, 3, -30}, 3);
    known_is(0);
}

static double half_chained(int64_t i, const double *w) {
    return (double)((float)value(1, i) + (float)w[0]);
}

static void test_shapes_and_dtypes(void **state) {
    (void)state;
    check_chain(1, 2, 2.5, 4, N);
    count();
    check_chain(1, 2, 2.5, 4, N - 1);
    known_is(0);
    check_chain(3, 2, 2, 8, N - 1);
    check_chain(3, 2, 2, 8, N);
    known_is(2);
    for (int round = 0; round < 2; round++) {
        gpa_arr *single;
        ok(arr_cast(rt, numbers(1, SHAPE(N)), DT_F32, false, &single, &err));
        keep(single);
        eval(single);
        count();
        gpa_arr *sum = opn(OP_ADD, single, 0.5 + round);
        eval(sum);
        known_is((uint64_t)round);
        expect(sum, N, half_chained, (double[]){0.5 + round});
        drop_all();
    }
}

static double shifted(int64_t i, const double *w) {
    return value((int)w[0], (int64_t)w[1] + (int64_t)w[2] * i) * w[3];
}

/* Views of one array differ by extent and stride. */
static void test_views(void **state) {
    (void)state;
    const range r[] = {{0, N, 1}, {5, N, 1}, {0, N, 2}, {N - 1, INT64_MAX, -1}};
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < COUNT_OF(r); i++) {
            gpa_arr *a = numbers(round, SHAPE(N)), *part = SLICE(a, r[i]),
                    *twice = opn(OP_MULTIPLY, part, 2 + round);
            count();
            eval(twice);
            known_is((uint64_t)round);
            expect(twice, part->size, shifted,
                   (double[]){round, (double)r[i].start, (double)r[i].step, 2 + round});
            drop_all();
        }
    }
}

static double row_of(int64_t i, const double *w) {
    (void)w;
    int64_t row = i / M, k = i % M;
    return row < 2 ? 0 : value(1, (row - 1) * M + k) * 2 + value(1, (row - 2) * M + k);
}
static double fallen(int64_t i, const double *w) {
    (void)w;
    int64_t row = i / M;
    return value(1, i % M) + (double)row;
}

/* A loop over rows: only distances within a memory are part of the key. */
static void test_rows(void **state) {
    (void)state;
    gpa_arr *a = numbers(1, SHAPE(N, M)), *out;
    ok(arr_full(rt, &(arr_spec){DT_F64, SHAPE(N, M)}, (gpa_val){.F64 = 0}, &out, &err));
    keep(out);
    eval(out);
    for (int64_t i = 2; i < N; i++) {
        gpa_arr *to = SLICE(out, {i, i + 1, 1}), *above = SLICE(a, {i - 1, i, 1}),
                *first = SLICE(a, {i - 2, i - 1, 1});
        count();
        assign(to, op2(OP_ADD, opn(OP_MULTIPLY, above, 2), first));
        known_is(i > 2);
        ONLY(a, out);
    }
    expect(out, N * M, row_of, NULL);
    for (int64_t i = 1; i < N; i++) { /* in one memory: each row from the one above */
        count();
        assign(SLICE(a, {i, i + 1, 1}), opn(OP_ADD, SLICE(a, {i - 1, i, 1}), 1));
        known_is(i > 1);
        ONLY(a, out);
    }
    expect(a, N * M, fallen, NULL);
    for (int64_t i = 1; i < 4; i++) { /* the places come nearer until they overlap */
        gpa_arr *b = numbers(1, SHAPE(N));
        assign(SLICE(b, {8, 12, 1}), opn(OP_ADD, SLICE(b, {2 * i, 2 * i + 4, 1}), 1));
        double *v = values(b);
        for (int64_t k = 8; k < 12; k++) assert_true(v[k] == value(1, 2 * i + k - 8) + 1);
        test_free(v);
    }
    drop_all();
}

/* Elements of another size in the same memory: floats and their bits. */
static void test_bits(void **state) {
    (void)state;
    gpa_arr *a = numbers(1, SHAPE(N)), *bits;
    ok(arr_reinterpret(rt, a, DT_I32, &bits, &err));
    keep(bits);
    for (int64_t i = 0; i + 4 < N; i++) {
        gpa_arr *low = SLICE(bits, {2 * i + 1, 2 * i + 9, 2}), *part = SLICE(a, {i, i + 4, 1}),
                *sum = op2(OP_ADD, low, part);
        count();
        eval(sum);
        known_is(i > 0);
        double *v = values(sum);
        for (int64_t k = 0; k < 4; k++) {
            int32_t half[2];
            double x = value(1, i + k);
            memcpy(half, &x, sizeof x);
            assert_true(v[k] == (double)half[1] + x);
        }
        test_free(v);
        ONLY(a, bits);
    }
    drop_all();
}

static double summed(int64_t i, const double *w) {
    return value((int)w[0], i) + value((int)w[1], i);
}
static double moved(int64_t i, const double *w) {
    return i ? value((int)w[0], i - 1) + 1 : value((int)w[1], 0);
}

/* Whether operands share memory (aliasing) is part of the key. */
static void test_aliases(void **state) {
    (void)state;
    for (int round = 0; round < 3; round++) {
        gpa_arr *a = numbers(1, SHAPE(N)), *b = numbers(2, SHAPE(N));
        expect(op2(OP_ADD, a, b), N, summed, (double[]){1, 2});
        expect(op2(OP_ADD, a, a), N, summed, (double[]){1, 1});
        drop_all();
    }
    for (int round = 0; round < 6;
         round++) { /* a store into memory that is read elsewhere, and one that is not */
        bool own = round % 2;
        gpa_arr *a = numbers(1, SHAPE(N)), *b = numbers(2, SHAPE(N));
        assign(SLICE(a, FROM(1)), opn(OP_ADD, SLICE(own ? a : b, TO(-1)), 1));
        expect(a, N, moved, (double[]){own ? 1 : 2, 1});
        drop_all();
    }
    for (int round = 0; round < 3; round++) { /* in place, and into another */
        gpa_arr *a = numbers(1, SHAPE(N)), *b = numbers(2, SHAPE(N)), *o = numbers(3, SHAPE(N));
        count();
        assign(o, op2(OP_ADD, a, b));
        known_is(round > 0);
        expect(o, N, summed, (double[]){1, 2});
        assign(a, op2(OP_ADD, a, b));
        expect(a, N, summed, (double[]){1, 2});
        drop_all();
    }
}

static double row_less(int64_t i, const double *w) {
    double most = -1e9;
    for (int64_t k = 0; k < M; k++) most = fmax(most, value((int)w[0], i / M * M + k));
    return value((int)w[0], i) - most * w[1];
}
static double row_most(int64_t i, const double *w) {
    double most = -1e9;
    for (int64_t k = 0; k < M; k++) most = fmax(most, value((int)w[0], i * M + k));
    return most * w[1];
}
static double tripled(int64_t i, const double *w) { return value((int)w[0], i) + w[1]; }
static double gone(int64_t i, const double *w) { return (value((int)w[0], i) + w[1]) * 3; }

/* Plans of several steps and results: values that fusion cuts, and values that arrays hold, are
 * stored each time. */
static void test_steps_and_names(void **state) {
    (void)state;
    for (int round = 0; round < 3; round++) {
        double w[] = {round, 1 + round};
        gpa_arr *a = numbers(round, SHAPE(N, M)),
                *top = opn(OP_MULTIPLY, red(RED_MAX, a, 2, true), w[1]),
                *rest = op2(OP_SUBTRACT, a, top);
        ONLY(top, rest);
        count();
        eval(rest);
        known_is(round > 0);
        expect(rest, N * M, row_less, w);
        expect(top, N, row_most, w);
        drop_all();
    }
    for (int round = 0; round < 4; round++) {
        double w[] = {round, 2 + round};
        bool held = round % 2;
        gpa_arr *a = numbers(round, SHAPE(N)), *sum = opn(OP_ADD, a, w[1]),
                *result = opn(OP_MULTIPLY, sum, 3);
        if (held)
            ONLY(sum, result);
        else
            ONLY(result);
        count();
        eval(result);
        known_is(round > 1);
        expect(result, N, gone, w);
        if (held) expect(sum, N, tripled, w);
        drop_all();
    }
    for (int round = 0; round < 3; round++) { /* a transposed reader cuts: two steps, the first
                                                 one's memory read by the second */
        double w[] = {round, 4};
        gpa_arr *a = numbers(round, SHAPE(M, M)), *e = op1(OP_EXP, opn(OP_ADD, a, w[1])), *turned,
                *r;
        ok(arr_transpose(rt, e, NULL, &turned, &err));
        r = op2(OP_ADD, e, keep(turned));
        ONLY(r);
        eval(r);
        double *v = values(r);
        for (int64_t i = 0; i < M; i++)
            for (int64_t k = 0; k < M; k++)
                assert_true(fabs(v[i * M + k] / (exp(value(round, i * M + k) + 4) +
                                                 exp(value(round, k * M + i) + 4)) -
                                 1) < 1e-12);
        test_free(v);
        drop_all();
    }
}

static double bodied(int64_t i, const double *w) { return value((int)w[0], i) * w[1]; }

static gpa_body *times(double by) {
    gpa_body *b;
    kir_func *f = kir_new(KIR_MAP, "times");
    assert_non_null(f);
    kir_add_param(f, DT_F64);
    int32_t x =
        kir_emit(f, (kir_ins){.code = KIR_PARAM, .type = DT_F64, .a = -1, .b = -1, .c = -1});
    int32_t product = kir_op2(f, OP_MULTIPLY, x, kir_const(f, DT_F64, (gpa_val){.F64 = by}));
    ok(body_new_take(f, &product, 1, &b, &err));
    return b;
}

/* A function at the address of a freed one does not hit its plan. */
static void test_functions(void **state) {
    (void)state;
    for (int round = 0; round < 8; round++) {
        gpa_body *b = times(round);
        for (int twice = 0; twice < 2; twice++) {
            gpa_opnd in = arr(numbers(round, SHAPE(N)));
            gpa_arr *r;
            ok(arr_apply(rt, b, &in, NULL, &r, &err));
            keep(r);
            count();
            eval(r);
            known_is((uint64_t)twice);
            expect(r, N, bodied, (double[]){round, round});
            drop_all();
        }
        body_release(b);
    }
}

/* x * by, by a loop that ends after its first iteration, or a counted loop of one. */
static gpa_body *looping(double by, kir_code loop) {
    gpa_body *b;
    kir_func *f = kir_new(KIR_MAP, "looping");
    assert_non_null(f);
    kir_add_param(f, DT_F64);
    int32_t x =
        kir_emit(f, (kir_ins){.code = KIR_PARAM, .type = DT_F64, .a = -1, .b = -1, .c = -1});
    int32_t zero = kir_const(f, DT_I64, (gpa_val){.I64 = 0}),
            one = kir_const(f, DT_I64, (gpa_val){.I64 = 1});
    if (loop == KIR_FOR)
        kir_open(f, (kir_ins){.code = KIR_FOR, .type = DT_I64, .a = zero, .b = one, .c = one});
    else
        kir_open(f, (kir_ins){.code = KIR_LOOP, .type = DT_NONE, .a = -1, .b = -1, .c = -1});
    kir_emit(f, (kir_ins){.code = KIR_BREAK, .type = DT_NONE, .a = -1, .b = -1, .c = -1});
    kir_close(f);
    int32_t sum = kir_op2(f, OP_MULTIPLY, x, kir_const(f, DT_F64, (gpa_val){.F64 = by}));
    ok(body_new_take(f, &sum, 1, &b, &err));
    return b;
}

/* A program with a loop can be interrupted on a device with memory of its own (which is reported
 * late): its plan is not cached there. */
static void test_stoppable(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        gpa_body *b = looping(i, i % 2 ? KIR_FOR : KIR_LOOP);
        for (int round = 0; round < 3; round++) {
            gpa_opnd in = arr(numbers(round, SHAPE(N)));
            gpa_arr *r;
            ok(arr_apply(rt, b, &in, NULL, &r, &err));
            keep(r);
            if (i >= 2) rt->device->caps.host_visible = false;
            count();
            eval(r);
            known_is(round && rt->device->caps.host_visible);
            expect(r, N, bodied, (double[]){round, i});
            drop_all();
        }
        body_release(b);
    }
}

/* More plans than the table has slots. */
static void test_many(void **state) {
    (void)state;
    for (int round = 0; round < 2; round++)
        for (int64_t n = 1; n < N; n++)
            for (int64_t m = 1; m < 40; m++) {
                gpa_arr *a, *sum;
                ok(arr_full(rt, &(arr_spec){DT_F64, SHAPE(n, m)}, (gpa_val){.F64 = (double)n}, &a,
                            &err));
                keep(a);
                eval(a);
                sum = red(RED_SUM, opn(OP_ADD, a, (double)m), 3, false);
                eval(sum);
                double *v = values(sum);
                assert_true(v[0] == (double)((n + m) * n * m));
                test_free(v);
                drop_all();
            }
}

/* A plan that is interrupted, cached or not, leaves its arrays pending. */
static void test_interrupt(void **state) {
    (void)state;
    for (int round = 0; round < 3; round++) {
        gpa_arr *r = chain(numbers(1, SHAPE(N)), numbers(2, SHAPE(N)), 2.5, 4);
        ONLY(r);
        rt_interrupt(rt);
        assert_int_equal(arr_eval(rt, &r, 1, &err), GPA_E_INTERRUPT);
        gpa_err_clear(&err);
        rt_interrupt_clear(rt);
        assert_true(arr_is_pending(r));
        count();
        eval(r);
        known_is(round > 0);
        expect(r, N, chained, (double[]){1, 2, 2.5, 4});
        drop_all();
    }
}

/* Allocation failure at any point: an error or the right values, and the right values afterwards.
 */
static void test_memory(void **state) {
    (void)state;
    for (int failed = 1, n = 1; failed; n++) {
        gpa_arr *a = numbers(n, SHAPE(N, M)), *top = red(RED_MAX, a, 2, true),
                *rest = op2(OP_SUBTRACT, a, top);
        ONLY(rest);
        rt_trim(rt);
        mem_fail_at((uint64_t)n);
        gpa_code rc = arr_eval(rt, &rest, 1, &err);
        mem_fail_at(0);
        failed = rc != GPA_OK;
        assert_true(!rc || rc == GPA_E_MEMORY);
        gpa_err_clear(&err);
        expect(rest, N * M, row_less, (double[]){n, 1});
        drop_all();
        assert_true(n < 200);
    }
    ok(rt_set_memory_limit(rt, "2M", &err));
    for (int round = 0; round < 2; round++) { /* no memory for the results of a cached plan */
        gpa_arr *a, *sum;
        ok(arr_empty(rt, &(arr_spec){DT_F64, SHAPE(80000)}, &a, &err));
        sum = opn(OP_ADD, keep(a), 1);
        ONLY(sum, a);
        if (round == 0) eval(sum);
        if (round == 1) {
            ok(rt_set_memory_limit(rt, "700K", &err));
            assert_int_equal(arr_eval(rt, &sum, 1, &err), GPA_E_MEMORY);
            gpa_err_clear(&err);
            assert_true(arr_is_pending(sum));
            ok(rt_set_memory_limit(rt, NULL, &err));
            eval(sum);
        }
        drop_all();
    }
}

/* Stores of one scalar into two targets of other numbers of dimensions, whose strides and offsets
 * make the same sequence of words: the key delimits them. */
static void test_targets_of_other_dimensions(void **state) {
    (void)state;
    enum { BYTES = 64, TAG = 1 + DT_F64 };
    int64_t strides[2][2][8] = {{{1}, {3, 5, 0, BYTES, 0, 0, TAG}},
                                {{1, 0, BYTES, 0, 0, TAG, 3, 5}, {0}}};
    const uint8_t ndim[2][2] = {{1, 7}, {8, 0}};
    gpa_device *d;
    gpa_buf *b;
    node *n;
    plan_cache *cache = plan_cache_new((plan_programs){program_retain, program_release});
    ok(device_default(rt, &d, &err));
    ok(buf_new(rt, d, BYTES, &b, &err));
    ok(node_scalar(rt, DT_F64, (gpa_val){.F64 = 0.5}, &n, &err));
    const plan_device device = {d, d->epoch, &d->caps};
    gpa_storage storage = {.dtype = DT_F64, .buf = b};
    for (int graph = 0; graph < 3; graph++) {
        gpa_arr to[2];
        fuse_root root[2];
        for (int i = 0; i < 2; i++) {
            to[i] = (gpa_arr){.dtype = DT_F64,
                              .ndim = ndim[graph % 2][i],
                              .strides = strides[graph % 2][i],
                              .storage = &storage};
            root[i] = (fuse_root){.value = n, .into = &to[i]};
        }
        fuse_plan p = {.root = root, .n_root = 2, .cap_root = 2};
        assert_int_equal(plan_cache_find(cache, rt, &device, &p), graph == 2);
        if (graph == 0) plan_cache_insert(cache, &p);
    }
    plan_cache_free(cache);
    node_release(rt, n);
    buf_remove_owner(rt, b);
}

/* Loops whose descriptions and kinds of scalars make the same sequence of words, all 0: the key of
 * a body delimits them and is never cut short, so that each loop has a body of its own. */
static void test_keys_of_loop_bodies(void **state) {
    (void)state;
    static const struct {
        int n_words, n_scalars;
    } loops[] = {{10, 2}, {11, 1}, {12, 0}, {LOOP_MAX_WORDS - 2, 1}, {LOOP_MAX_WORDS, 0}};
    struct loop_batch *r = mem_zero(sizeof *r);
    assert_non_null(r);
    node *n;
    gpa_body *made[COUNT_OF(loops)];
    ok(node_scalar(rt, DT_F64, (gpa_val){.F64 = 0.5}, &n, &err));
    gpa_storage result = {.dtype = DT_F64, .node = n};
    iteration *t = r->current = &r->iteration[0];
    *t = (iteration){.storage = {&result}, .type = {DT_F64, DT_F64}, .n_nodes = 1, .n_out = 1};
    r->is_read[0] = true;
    for (int again = 0; again < 2; again++) {
        for (size_t i = 0; i < COUNT_OF(loops); i++) {
            gpa_body *b;
            memset(t->words, 0, sizeof t->words);
            t->n_words = loops[i].n_words;
            t->n_scalars = loops[i].n_scalars;
            ok(loop_find_body(r, t, false, &b, &err));
            assert_int_equal(t->n_words, loops[i].n_words);
            if (again) assert_ptr_equal(b, made[i]);
            for (size_t k = 0; k < i && !again; k++) assert_ptr_not_equal(b, made[k]);
            made[i] = b;
            body_release(b); /* the cache keeps it */
        }
    }
    loop_free_bodies(r);
    mem_free(r);
    node_release(rt, n);
}

/* %explain shows the programs of cached plans too. */
static void test_explained(void **state) {
    (void)state;
    for (int round = 0; round < 3; round++) {
        gpa_str text;
        gpa_arr *r = chain(numbers(1, SHAPE(N)), numbers(2, SHAPE(N)), 2.5, 4);
        ONLY(r);
        str_init(&text);
        if (round) rt_explain_start(rt, RT_EXPLAIN_PLAN);
        eval(r);
        if (round) rt_explain_stop(rt, &text);
        if (round) assert_non_null(strstr(text.text, "step 1"));
        expect(r, N, chained, (double[]){1, 2, 2.5, 4});
        str_free(&text);
        drop_all();
    }
}

/* The i-th of many different programs of x and y: each bit of i chooses an operation. */
static gpa_arr *distinct(gpa_arr *x, gpa_arr *y, int i) {
    gpa_arr *r = x;
    for (int bit = 0; bit < 12; bit++) r = op2(i >> bit & 1 ? OP_ADD : OP_MAXIMUM, r, y);
    return r;
}

/* The program cache is bounded: of many programs those used long ago are dropped and built again.
 */
static void test_bounded(void **state) {
    (void)state;
    enum { PROGRAMS = 3000 };
    rt_stats first, second, third;
    if (rt_is_gpu(rt)) {
        print_message("the bound of the program cache does not depend on the device\n");
        skip();
    }
    for (int round = 0; round < 2; round++) {
        rt_get_stats(rt, &first);
        for (int i = 0; i < PROGRAMS; i++) {
            gpa_arr *x = numbers(1, SHAPE(4)), *y = numbers(2, SHAPE(4)), *r = distinct(x, y, i);
            double *v = values(r), want = value(1, 0);
            for (int bit = 0; bit < 12; bit++)
                want = i >> bit & 1 ? want + value(2, 0) : MAX(want, value(2, 0));
            assert_true(v[0] == want);
            test_free(v);
            drop_all();
        }
        rt_get_stats(rt, &second);
        if (COUNTED) assert_true(second.compiles - first.compiles > PROGRAMS / 2);
    }
    gpa_arr *x = numbers(1, SHAPE(4)), *y = numbers(2, SHAPE(4));
    eval(distinct(x, y, PROGRAMS - 1)); /* used last: still there */
    rt_get_stats(rt, &third);
    count_is(third.compiles - second.compiles, 0);
    drop_all();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        GRAPH_TEST(test_numbers_and_memory),
        GRAPH_TEST(test_gathers),
        GRAPH_TEST(test_shapes_and_dtypes),
        GRAPH_TEST(test_views),
        GRAPH_TEST(test_rows),
        GRAPH_TEST(test_bits),
        GRAPH_TEST(test_aliases),
        GRAPH_TEST(test_steps_and_names),
        GRAPH_TEST(test_functions),
        GRAPH_TEST(test_stoppable),
        GRAPH_TEST(test_targets_of_other_dimensions),
        GRAPH_TEST(test_keys_of_loop_bodies),
        GRAPH_TEST(test_many),
        GRAPH_TEST(test_interrupt),
        GRAPH_TEST(test_memory),
        GRAPH_TEST(test_explained),
        GRAPH_TEST(test_bounded),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
