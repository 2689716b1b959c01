/* The CPU device: compiled functions, faults, interrupts, matrix products, and random programs run
 * on the reference device too. */
#include "tests/unit/cpu.h"

#include <signal.h>

/* ---- compiled functions: branches, loops, checked indices, atomics ---- */

static int32_t ins(job *j, kir_ins i) { return kir_emit(j->f, i); }
static int32_t whole_number(job *j, int64_t n) {
    return kir_const(j->f, DT_I64, (gpa_val){.I64 = n});
}
static int32_t var(job *j, int32_t v) {
    return ins(j, (kir_ins){.code = KIR_VAR, .type = DT_I64, .a = v, .b = -1, .c = -1});
}
static int32_t get(job *j, int32_t v) {
    return ins(j, (kir_ins){.code = KIR_GET, .type = DT_I64, .a = v, .b = -1, .c = -1});
}
static void set(job *j, int32_t v, int32_t x) {
    ins(j, (kir_ins){.code = KIR_SET, .type = DT_NONE, .a = v, .b = x, .c = -1});
}
static void open(job *j, kir_code c, int32_t a) {
    kir_open(j->f, (kir_ins){.code = (uint8_t)c, .type = DT_NONE, .a = a, .b = -1, .c = -1});
}
static void leave(job *j, kir_code c, uint32_t n) {
    ins(j, (kir_ins){.code = (uint8_t)c, .type = DT_NONE, .imm = n, .a = -1, .b = -1, .c = -1});
}

/* Collatz steps: a loop with a break in its middle and two branches. */
static void loops_and_branches(void **state) {
    (void)state;
    enum { N = 1000 };
    NEED_PLUGIN();
    job j = job_new("collatz", 1, 0);
    int a = job_array(&j, DT_I64, KIR_READ, N, 0, (int64_t[]){1}),
        b = job_array(&j, DT_I64, KIR_WRITE, N, 0, (int64_t[]){1});
    int64_t *x = job_data(&j, a), *y = job_data(&j, b);
    for (int i = 0; i < N; i++) x[i] = i + 1;
    int32_t n = var(&j, load(&j, a)), steps = var(&j, -1), one = whole_number(&j, 1),
            two = whole_number(&j, 2);
    open(&j, KIR_LOOP, -1);
    open(&j, KIR_IF, kir_op2(j.f, OP_EQUAL, get(&j, n), one));
    leave(&j, KIR_BREAK, 0);
    kir_close(j.f);
    int32_t now = get(&j, n);
    open(&j, KIR_IF,
         kir_op2(j.f, OP_EQUAL, kir_op2(j.f, OP_REMAINDER, now, two), whole_number(&j, 0)));
    set(&j, n, kir_op2(j.f, OP_FLOOR_DIVIDE, now, two));
    leave(&j, KIR_ELSE, 0);
    set(&j, n, kir_op2(j.f, OP_ADD, kir_op2(j.f, OP_MULTIPLY, now, whole_number(&j, 3)), one));
    kir_close(j.f);
    set(&j, steps, kir_op2(j.f, OP_ADD, get(&j, steps), one));
    kir_close(j.f);
    store(&j, b, get(&j, steps));
    job_launch(&j, (int64_t[]){N});
    for (int64_t i = 0; i < N; i++) {
        int64_t want = 0;
        for (int64_t k = i + 1; k != 1; want++) k = k % 2 ? 3 * k + 1 : k / 2;
        same((gpa_val){.I64 = y[i]}, (gpa_val){.I64 = want}, DT_I64, 0, "collatz", (size_t)i);
    }
    job_free(&j);
    close_device();
}

/* Sums of every third number below each element, upwards and downwards, leaving out those that end
 * in 5. */
static void counted_loops(void **state) {
    (void)state;
    enum { N = 200 };
    NEED_PLUGIN();
    job j = job_new("counted", 1, 0);
    int a = job_array(&j, DT_I64, KIR_READ, N, 0, (int64_t[]){1}),
        b = job_array(&j, DT_I64, KIR_WRITE, N, 0, (int64_t[]){1});
    int64_t *x = job_data(&j, a), *y = job_data(&j, b);
    for (int i = 0; i < N; i++) x[i] = i - 20;
    int32_t sum = var(&j, -1), n = load(&j, a), zero = whole_number(&j, 0);
    for (int down = 0; down < 2; down++) {
        int32_t k = kir_open(j.f, (kir_ins){.code = KIR_FOR,
                                            .type = DT_I64,
                                            .a = down ? n : zero,
                                            .b = down ? zero : n,
                                            .c = whole_number(&j, down ? -3 : 3)});
        open(&j, KIR_IF,
             kir_op2(j.f, OP_EQUAL, kir_op2(j.f, OP_REMAINDER, k, whole_number(&j, 10)),
                     whole_number(&j, 5)));
        leave(&j, KIR_NEXT, 0);
        kir_close(j.f);
        set(&j, sum, kir_op2(j.f, OP_ADD, get(&j, sum), k));
        kir_close(j.f);
    }
    store(&j, b, get(&j, sum));
    job_launch(&j, (int64_t[]){N});
    for (int64_t i = 0; i < N; i++) {
        int64_t want = 0;
        for (int64_t k = 0; k < x[i]; k += 3) want += k % 10 == 5 ? 0 : k;
        for (int64_t k = x[i]; k > 0; k -= 3) want += k % 10 == 5 ? 0 : k;
        same((gpa_val){.I64 = y[i]}, (gpa_val){.I64 = want}, DT_I64, 0, "counted", (size_t)i);
    }
    job_free(&j);
    close_device();
}

/* y[i] = x[index[i]], the index checked and wrapped; then the same with one index out of range. */
static void checked_indices(void **state) {
    (void)state;
    enum { N = 1003, M = 50 };
    NEED_PLUGIN();
    job j = job_new("take", 1, 0);
    int x = job_array(&j, DT_F32, KIR_READ, M, 0, (int64_t[]){0}),
        k = job_array(&j, DT_I64, KIR_READ, N, 0, (int64_t[]){1});
    int y = job_array(&j, DT_F32, KIR_WRITE, N, 0, (int64_t[]){1});
    fill(job_data(&j, x), DT_F32, M);
    int64_t *index = job_data(&j, k);
    for (int i = 0; i < N; i++) index[i] = (int64_t)(roll() % (2 * M)) - M;
    int32_t i = ins(&j, (kir_ins){.code = KIR_BOUND,
                                  .type = DT_I64,
                                  .sub = 2,
                                  .a = load(&j, k),
                                  .b = whole_number(&j, M),
                                  .c = -1});
    store(
        &j, y,
        ins(&j,
            (kir_ins){
                .code = KIR_LOADX, .type = DT_F32, .sub = (uint16_t)x, .a = i, .b = -1, .c = -1}));
    job_launch(&j, (int64_t[]){N});
    assert_int_equal(j.fault.set, 0);
    for (size_t n = 0; n < N; n++) {
        size_t from = (size_t)(index[n] < 0 ? index[n] + M : index[n]);
        same(at(job_data(&j, y), DT_F32, n), at(job_data(&j, x), DT_F32, from), DT_F32, 0, "take",
             n);
    }
    index[700] = M;
    job_launch(&j, (int64_t[]){N});
    assert_int_equal(j.fault.set, 1);
    assert_int_equal(j.fault.kind, KIR_FT_INDEX);
    assert_int_equal(j.fault.axis, 2);
    assert_int_equal(j.fault.a, M);
    assert_int_equal(j.fault.b, M);
    job_free(&j);
    close_device();
}

/* counts[k[i]] += 1 by all threads at once. */
static void scattered_stores(void **state) {
    (void)state;
    enum { N = 100000, M = 10 };
    NEED_PLUGIN();
    job j = job_new("count", 1, 0);
    int k = job_array(&j, DT_I64, KIR_READ, N, 0, (int64_t[]){1}),
        c = job_array(&j, DT_I32, KIR_READ | KIR_WRITE, M, 0, (int64_t[]){0});
    int64_t *index = job_data(&j, k);
    int32_t *counts = job_data(&j, c), want[M] = {0};
    memset(counts, 0, M * sizeof *counts);
    for (int i = 0; i < N; i++) want[index[i] = (int64_t)(roll() % M)]++;
    ins(&j, (kir_ins){.code = KIR_ATOMIC,
                      .type = DT_I32,
                      .sub = (uint16_t)c,
                      .imm = KIR_AT_ADD,
                      .a = load(&j, k),
                      .b = kir_const(j.f, DT_I32, (gpa_val){.I32 = 1}),
                      .c = -1});
    job_launch(&j, (int64_t[]){N});
    assert_memory_equal(counts, want, sizeof want);
    job_free(&j);
    close_device();
}

static void on_alarm(int signal) {
    (void)signal;
    be->interrupt(dev, true);
}

/* An endless loop ends when it is interrupted, and the device works on. */
static void interrupts(void **state) {
    (void)state;
    NEED_PLUGIN();
    job j = job_new("endless", 1, 0);
    int b = job_array(&j, DT_I64, KIR_WRITE, 1000, 0, (int64_t[]){1});
    gpa_err e = {0};
    open(&j, KIR_LOOP, -1);
    kir_close(j.f);
    store(&j, b, whole_number(&j, 7));
    check(be->build(dev, j.f, &j.p, &e), &e);
    gpa_launch l = {.size = {1000}, .arrays = j.bind, .params = j.params};
    signal(SIGALRM, on_alarm);
    ualarm(50000, 0);
    assert_int_equal(be->run(dev, j.p, &l, &e), GPA_E_INTERRUPT);
    be->interrupt(dev, false);
    gpa_err_clear(&e);
    assert_int_equal(be->sync(dev, &e), GPA_OK);
    job_free(&j);
    close_device();
}

/* ---- products ---- */

/* a @ b for operands in C order, F order, or with gaps between their elements. */
static void one_product(gpa_dtype t, const int64_t dims[4], int layout_a, int layout_b) {
    const int64_t batch = dims[0], m = dims[1], n = dims[2], k = dims[3];
    job j = job_new("gemm", 3, 0);
    const int64_t ways_a[3][3] = {{m * k, k, 1}, {m * k, 1, m}, {2 * m * k, 2 * k, 2}},
                  *sa = ways_a[layout_a];
    const int64_t ways_b[3][3] = {{k * n, n, 1}, {k * n, 1, k}, {0, n, 1}}, *sb = ways_b[layout_b];
    int a = job_array(&j, t, KIR_READ, (size_t)(2 * batch * m * k) + 1, 1, sa),
        b = job_array(&j, t, KIR_READ, (size_t)(batch * k * n), 0, sb);
    int c = job_array(&j, t, KIR_WRITE, (size_t)(batch * m * n), 0, (int64_t[]){m * n, n, 1});
    for (int x = 0; x < 2; x++)
        for (size_t i = 0; i < (size_t)j.bind[x].size[0]; i++) {
            gpa_val v = {.C128 = {(double)(roll() % 9) - 4, (double)(roll() % 9) - 4}};
            dtype_store((char *)job_data(&j, x) + i * dtype_size(t), t, dtype_cast(v, DT_C128, t));
        }
    gpa_libcall call = {.kind = LIB_GEMM,
                        .dtype = t,
                        .gemm = {.batch = batch,
                                 .m = m,
                                 .n = n,
                                 .k = k,
                                 .a = j.bind[a],
                                 .b = j.bind[b],
                                 .c = j.bind[c]}};
    gpa_err e = {0};
    if (be->lib_can(dev, &call)) {
        check(be->lib_run(dev, &call, &e), &e);
        for (int64_t x = 0; x < batch * m * n; x++) {
            int64_t i = x / (m * n), y = x / n % m, z = x % n;
            gpa_c128 sum = {0, 0};
            for (int64_t l = 0; l < k; l++) {
                gpa_c128 p = dtype_cast(at(job_data(&j, a), t,
                                           (size_t)(1 + i * sa[0] + y * sa[1] + l * sa[2])),
                                        t, DT_C128)
                                 .C128;
                gpa_c128 q =
                    dtype_cast(at(job_data(&j, b), t, (size_t)(i * sb[0] + l * sb[1] + z * sb[2])),
                               t, DT_C128)
                        .C128;
                sum.re += p.re * q.re - p.im * q.im, sum.im += p.re * q.im + p.im * q.re;
            }
            same(at(job_data(&j, c), t, (size_t)x), dtype_cast((gpa_val){.C128 = sum}, DT_C128, t),
                 t, 1, "gemm", (size_t)x);
        }
    }
    job_free(&j);
}

static void products(void **state) {
    (void)state;
    static const gpa_dtype types[] = {DT_F32, DT_F64, DT_C64, DT_C128};
    static const int64_t shapes[][4] = {{1, 5, 7, 3}, {4, 1, 1, 9},    {3, 8, 1, 5}, {2, 1, 6, 4},
                                        {5, 2, 3, 1}, {1, 65, 70, 33}, {2, 3, 4, 0}};
    NEED_PLUGIN();
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t s = 0; s < COUNT_OF(shapes); s++)
            for (int way = 0; way < 9; way++) one_product(types[t], shapes[s], way / 3, way % 3);
    close_device();
}

/* An interrupted product reports the interrupt: large ones, stacks, and many small ones. */
static void stopped_products(void **state) {
    (void)state;
    static const int64_t shapes[][4] = {{1, 64, 64, 64}, {4, 32, 32, 32}, {32, 2, 2, 2}};
    NEED_PLUGIN();
    for (size_t s = 0; s < COUNT_OF(shapes); s++) {
        const int64_t batch = shapes[s][0], m = shapes[s][1], n = shapes[s][2], k = shapes[s][3];
        job j = job_new("gemm", 3, 0);
        int a = job_array(&j, DT_F64, KIR_READ, (size_t)(batch * m * k), 0,
                          (int64_t[]){m * k, k, 1}),
            b = job_array(&j, DT_F64, KIR_READ, (size_t)(batch * k * n), 0,
                          (int64_t[]){k * n, n, 1}),
            c = job_array(&j, DT_F64, KIR_WRITE, (size_t)(batch * m * n), 0,
                          (int64_t[]){m * n, n, 1});
        gpa_libcall call = {.kind = LIB_GEMM,
                            .dtype = DT_F64,
                            .gemm = {.batch = batch,
                                     .m = m,
                                     .n = n,
                                     .k = k,
                                     .a = j.bind[a],
                                     .b = j.bind[b],
                                     .c = j.bind[c]}};
        gpa_err e = {0};
        if (be->lib_can(dev, &call)) {
            be->interrupt(dev, true);
            assert_int_equal(be->lib_run(dev, &call, &e), GPA_E_INTERRUPT);
            be->interrupt(dev, false);
            gpa_err_clear(&e);
            check(be->lib_run(dev, &call, &e), &e);
        }
        job_free(&j);
    }
    close_device();
}

/* ---- random programs, against the reference device ---- */

/* Runs the same program on the reference device, on copies of the original arrays. */
static void on_reference(job *j, const int64_t *size, void **before, const size_t *bytes) {
    const gpa_backend *ref = &gpa_ref_backend;
    gpa_launch l = {.params = j->params};
    gpa_binding bind[MOST];
    gpa_mem *mem[MOST];
    gpa_dev *d;
    gpa_prog *p;
    gpa_err e = {0};
    check(ref->open(0, &d, &e), &e);
    for (size_t k = 0; k < j->f->n_arrays; k++) {
        check(ref->alloc(d, bytes[k], &mem[k], &e), &e);
        check(ref->upload(d, mem[k], 0, before[k], bytes[k], &e), &e);
        bind[k] = j->bind[k];
        bind[k].mem = mem[k];
    }
    l.arrays = bind;
    for (int n = 0; n < j->f->ndim; n++) l.size[n] = size[n];
    check(ref->build(d, j->f, &p, &e), &e);
    check(ref->run(d, p, &l, &e), &e);
    check(ref->sync(d, &e), &e);
    for (size_t k = 0; k < j->f->n_arrays; k++) {
        check(ref->download(d, before[k], mem[k], 0, bytes[k], &e), &e);
        ref->free(d, mem[k]);
    }
    ref->drop(d, p);
    ref->close(d);
}

typedef struct {
    job j;
    int64_t size[3];
    int ndim;
    unsigned inner;
    size_t count[MOST];
    int32_t pool[64]; /* values made so far */
    int n;
} recipe;

/* An array over the space: dimensions in random order, some reversed, some broadcast. */
static int any_array(recipe *r, gpa_dtype t, int access, unsigned still) {
    int64_t stride[3] = {0}, step = roll() % 4 ? 1 : 2, offset = 0;
    int order[3] = {0, 1, 2};
    for (int d = r->ndim - 1; d > 0; d--) {
        int k = roll() % 3 ? d : (int)(roll() % (unsigned)(d + 1)), o = order[d];
        order[d] = order[k], order[k] = o;
    }
    for (int i = r->ndim - 1; i >= 0; i--) {
        int d = order[i];
        bool stays = still >> d & 1 || (access == KIR_READ && roll() % 6 == 0);
        if (stays) continue;
        stride[d] = roll() % 6 ? step : -step;
        if (stride[d] < 0) offset += (r->size[d] - 1) * step;
        step *= r->size[d];
    }
    size_t n = (size_t)step + 2;
    int k = job_array(&r->j, t, access, n, offset, stride);
    r->count[k] = n;
    fill(job_data(&r->j, k), t, n);
    return k;
}

static int32_t any_of(recipe *r, gpa_dtype t) {
    int32_t v = r->pool[roll() % (unsigned)r->n];
    return kir_cast(r->j.f, t, v);
}

static void add_value(recipe *r, int32_t v) {
    if (r->n < (int)COUNT_OF(r->pool)) r->pool[r->n++] = v;
}

static void any_op(recipe *r) {
    for (;;) {
        gpa_op op = (gpa_op)(roll() % OP_COUNT);
        gpa_dtype t = (gpa_dtype)(roll() % DT_COUNT), compute, result;
        if (op_info[op].cost >= 20 || !op_types(op, t, &compute, &result) || compute != t) continue;
        if (op == OP_ABSOLUTE && dtype_is_complex(t)) continue;
        int32_t v[3] = {-1, -1, -1};
        for (int i = 0; i < op_info[op].arity; i++) v[i] = any_of(r, op_operand_type(op, t, i));
        int32_t x = op_info[op].arity == 1   ? kir_op1(r->j.f, op, v[0])
                    : op_info[op].arity == 2 ? kir_op2(r->j.f, op, v[0], v[1])
                                             : kir_op3(r->j.f, op, v[0], v[1], v[2]);
        add_value(r, x);
        return;
    }
}

/* Of the exact reductions one that the type has. */
static int32_t any_reduction(recipe *r) {
    for (;;) {
        gpa_red red = (gpa_red)(roll() % RED_COUNT);
        gpa_dtype t = (gpa_dtype)(roll() % DT_COUNT);
        bool rounds =
            (red == RED_SUM || red == RED_PROD) && (dtype_is_float(t) || dtype_is_complex(t));
        if (rounds || !red_info[red].text[op_kind_index(dtype_info[t].kind)]) continue;
        int32_t at_ = -1;
        if (red_info[red].arg)
            for (int d = 0; d < r->ndim; d++) {
                if (!(r->inner >> d & 1)) continue;
                int32_t c = coordinate(&r->j, d);
                at_ = at_ < 0 ? c
                              : kir_op2(r->j.f, OP_ADD,
                                        kir_op2(r->j.f, OP_MULTIPLY, at_, extent(&r->j, d)), c);
            }
        return reduce(&r->j, red, red_info[red].arg ? DT_I64 : t, any_of(r, t), at_);
    }
}

static void load_some(recipe *r) {
    for (size_t k = 0; k < r->j.f->n_arrays; k++)
        if (r->j.f->arrays[k].access == KIR_READ) add_value(r, load(&r->j, (int)k));
    for (int d = 0; d < r->ndim; d++)
        if (roll() % 3 == 0) add_value(r, coordinate(&r->j, d));
}

static void put_result(recipe *r, unsigned still) {
    int32_t v = r->pool[r->n - 1];
    gpa_dtype t = (gpa_dtype)(r->j.f->code[v].type);
    store(&r->j, any_array(r, t, KIR_WRITE, still), v);
}

static void one_program(void) {
    static const int64_t extents[] = {1, 2, 3, 5, 8, 17, 33, 70};
    recipe r = {.ndim = 1 + (int)(roll() % 3)};
    for (int d = 0; d < r.ndim; d++) r.size[d] = extents[roll() % COUNT_OF(extents)];
    if (roll() % 2) r.inner = (unsigned)(roll() % (1u << r.ndim));
    r.j = job_new("random", r.ndim, r.inner);
    for (int k = (int)(roll() % 3); k >= 0; k--)
        any_array(&r, (gpa_dtype)(roll() % DT_COUNT), KIR_READ, 0);
    if (r.inner) {
        each(&r.j);
        load_some(&r);
        for (int k = (int)(roll() % 4); k > 0; k--) any_op(&r);
        int32_t v = any_reduction(&r);
        if (roll() % 3 == 0) put_result(&r, 0);
        kir_close(r.j.f);
        r.n = 0;
        add_value(&r, v);
    } else
        load_some(&r);
    for (int k = (int)(roll() % 6); k > 0; k--) any_op(&r);
    put_result(&r, r.inner);
    size_t bytes[MOST];
    void *before[MOST];
    for (size_t k = 0; k < r.j.f->n_arrays; k++) {
        bytes[k] = r.count[k] * dtype_size((gpa_dtype)r.j.f->arrays[k].dtype);
        before[k] = test_malloc(bytes[k]);
        memcpy(before[k], job_data(&r.j, (int)k), bytes[k]);
    }
    int old = wrong;
    job_launch(&r.j, r.size);
    on_reference(&r.j, r.size, before, bytes);
    for (size_t k = 0; k < r.j.f->n_arrays; k++) {
        gpa_dtype t = (gpa_dtype)r.j.f->arrays[k].dtype;
        for (size_t i = 0; i < r.count[k] && wrong < old + 3; i++)
            same(at(job_data(&r.j, (int)k), t, i), at(before[k], t, i), t, 0, "random", i);
        test_free(before[k]);
    }
    if (wrong > old && old == 0) {
        gpa_str s;
        str_init(&s);
        kir_print(r.j.f, &s);
        print_error("%s\nsizes %d: %d %d %d\n", s.text, r.ndim, (int)r.size[0], (int)r.size[1],
                    (int)r.size[2]);
        str_free(&s);
    }
    job_free(&r.j);
}

static void random_programs(void **state) {
    (void)state;
    const char *times = getenv("GPA_TEST_PROGRAMS");
    NEED_PLUGIN();
    for (int n = times ? atoi(times) : 200; n > 0; n--) one_program();
    close_device();
}

UNIT_TESTS(TEST(loops_and_branches), TEST(counted_loops), TEST(checked_indices),
           TEST(scattered_stores), TEST(interrupts), TEST(products), TEST(stopped_products),
           TEST(random_programs))
