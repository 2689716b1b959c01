/* The CPU device: every operation, cast, layout and reduction against the same values computed one
 * by one. */
#include "tests/unit/cpu.h"

/* Every row of op.def on every type it computes in, at sizes around the width of vectors. */
static void one_op(gpa_op op, gpa_dtype t, gpa_dtype to, size_t n) {
    job j = job_new(op_info[op].name, 1, 0);
    const int64_t one = 1;
    int arity = op_info[op].arity, in[3];
    int32_t v[3] = {-1, -1, -1};
    gpa_dtype types[3];
    for (int i = 0; i < arity; i++) {
        types[i] = op_operand_type(op, t, i);
        in[i] = job_array(&j, types[i], KIR_READ, n, 0, &one);
        fill(job_data(&j, in[i]), types[i], n);
        v[i] = load(&j, in[i]);
    }
    int out = job_array(&j, to, KIR_WRITE, n + 1, 0, &one);
    memset(job_data(&j, out), 0x5a, (n + 1) * dtype_size(to));
    int32_t r = arity == 1   ? kir_op1(j.f, op, v[0])
                : arity == 2 ? kir_op2(j.f, op, v[0], v[1])
                             : kir_op3(j.f, op, v[0], v[1], v[2]);
    store(&j, out, r);
    job_launch(&j, (int64_t[]){(int64_t)n});
    bool of_complex = dtype_is_complex(t), rounds = op_info[op].cost >= 20;
    bool in_lanes = of_complex && (op == OP_ABSOLUTE || op == OP_SIGN || op == OP_RECIPROCAL ||
                                   op == OP_SQRT || rounds);
    uint64_t allowed = in_lanes || (rounds && dtype_info[t].kind == 'F') ? 4 : 0;
    for (size_t i = 0; i < n; i++) {
        gpa_val x[3] = {{0}};
        for (int k = 0; k < arity; k++) x[k] = at(job_data(&j, in[k]), types[k], i);
        same(at(job_data(&j, out), to, i), op_scalar(op, t, x[0], x[1], x[2]), to, allowed,
             op_info[op].name, i);
    }
    const char *guard = (const char *)job_data(&j, out) + n * dtype_size(to);
    for (size_t i = 0; i < dtype_size(to); i++) assert_int_equal((unsigned char)guard[i], 0x5a);
    job_free(&j);
}

static void every_op_of_every_type(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 7, 8, 9, 100};
    NEED_PLUGIN();
    size_t turn = 0;
    for (int op = 0; op < OP_COUNT; op++)
        for (int t = 0; t < DT_COUNT; t++) {
            gpa_dtype compute, result;
            if (op_types((gpa_op)op, (gpa_dtype)t, &compute, &result) && compute == (gpa_dtype)t)
                one_op((gpa_op)op, compute, result, sizes[turn++ % COUNT_OF(sizes)]);
        }
    close_device();
}

static void every_cast(void **state) {
    (void)state;
    NEED_PLUGIN();
    for (int from = 0; from < DT_COUNT; from++)
        for (int to = 0; to < DT_COUNT; to++) {
            enum { N = 133 };
            job j = job_new("cast", 1, 0);
            const int64_t one = 1;
            int a = job_array(&j, (gpa_dtype)from, KIR_READ, N, 0, &one),
                b = job_array(&j, (gpa_dtype)to, KIR_WRITE, N, 0, &one);
            fill(job_data(&j, a), (gpa_dtype)from, N);
            store(&j, b, kir_cast(j.f, (gpa_dtype)to, load(&j, a)));
            job_launch(&j, (int64_t[]){N});
            for (size_t i = 0; i < N; i++) {
                gpa_val x = at(job_data(&j, a), (gpa_dtype)from, i);
                char what[64];
                snprintf(what, sizeof what, "cast of %s", dtype_info[from].name);
                same(at(job_data(&j, b), (gpa_dtype)to, i),
                     dtype_cast(x, (gpa_dtype)from, (gpa_dtype)to), (gpa_dtype)to, 0, what, i);
            }
            job_free(&j);
        }
    close_device();
}

/* a * b + c over all combinations of strides: contiguous, transposed, reversed, broadcast, with
 * gaps. */
static void layouts(void **state) {
    (void)state;
    NEED_PLUGIN();
    static const int64_t shapes[][2] = {{1, 1},   {3, 5}, {5, 3}, {17, 40},  {1, 100},
                                        {100, 1}, {0, 4}, {4, 0}, {64, 1000}};
    for (size_t s = 0; s < COUNT_OF(shapes); s++)
        for (int way = 0; way < 6; way++) {
            int64_t r = shapes[s][0], c = shapes[s][1], n = r * c + 8;
            const int64_t strides[6][2] = {{c, 1}, {1, r}, {0, 1}, {1, 0}, {-c, -1}, {2 * c, 2}};
            const int64_t offsets[6] = {0, 0, 0, 0, r * c > 0 ? r * c - 1 : 0, 0};
            job j = job_new("layouts", 2, 0);
            int a = job_array(&j, DT_F32, KIR_READ, (size_t)(2 * n), offsets[way], strides[way]);
            int b = job_array(&j, DT_F64, KIR_READ, (size_t)n, 0, (int64_t[]){c, 1});
            int d = job_array(&j, DT_F64, KIR_WRITE, (size_t)(2 * n), 0,
                              way == 5 ? (int64_t[]){2 * c, 2} : (int64_t[]){c, 1});
            fill(job_data(&j, a), DT_F32, (size_t)(2 * n));
            fill(job_data(&j, b), DT_F64, (size_t)n);
            int32_t x = kir_cast(j.f, DT_F64, load(&j, a));
            store(&j, d, kir_op2(j.f, OP_ADD, kir_op2(j.f, OP_MULTIPLY, x, load(&j, b)), x));
            job_launch(&j, shapes[s]);
            const float *pa = job_data(&j, a);
            const double *pb = job_data(&j, b), *pd = job_data(&j, d);
            for (int64_t y = 0; y < r; y++)
                for (int64_t z = 0; z < c; z++) {
                    double v = pa[offsets[way] + y * strides[way][0] + z * strides[way][1]],
                           w = pb[y * c + z];
                    gpa_val want = {.F64 = v * w + v},
                            got = {.F64 = pd[y * j.bind[d].stride[0] + z * j.bind[d].stride[1]]};
                    same(got, want, DT_F64, 0, "layout", (size_t)(y * c + z));
                }
            job_free(&j);
        }
    close_device();
}

/* Results larger than the caches, with rows misaligned to vectors; operands are interleaved
 * columns. */
static void large_results(void **state) {
    (void)state;
    NEED_PLUGIN();
    static const int64_t pitches[] = {3008, 3001};
    for (size_t s = 0; s < COUNT_OF(pitches); s++) {
        int64_t rows = 3000, columns = 2900, pitch = pitches[s];
        size_t n = (size_t)(rows * pitch);
        job j = job_new("large", 2, 0);
        int a = job_array(&j, DT_F32, KIR_READ, 2 * n, 1, (int64_t[]){2 * pitch, 2}),
            b = job_array(&j, DT_F32, KIR_WRITE, n, 5, (int64_t[]){pitch, 1});
        float *x = job_data(&j, a), *y = job_data(&j, b);
        for (size_t i = 0; i < 2 * n; i++) x[i] = (float)(i % 8191);
        memset(y, 0, n * sizeof *y);
        store(&j, b,
              kir_op2(j.f, OP_ADD, load(&j, a), kir_const(j.f, DT_F32, (gpa_val){.F32 = 1})));
        job_launch(&j, (int64_t[]){rows, columns});
        for (int64_t r = 0; r < rows; r++)
            for (int64_t c = 0; c < pitch && r * pitch + c < (int64_t)n; c++) {
                int64_t k = r * pitch + c, p = k - 5;
                bool inside = p >= 0 && p % pitch < columns;
                if (y[k] != (inside ? x[1 + 2 * p] + 1 : 0)) wrong++;
            }
        job_free(&j);
    }
    close_device();
}

/* ---- reductions ---- */

/* Reduces a rows x columns matrix along one axis (2: both), from memory in row or column order. */
static void one_reduction(gpa_red r, gpa_dtype t, int axis, const int64_t *size, bool by_columns) {
    unsigned inner = axis == 2 ? 3 : 1u << axis;
    job j = job_new(red_info[r].name, 2, inner);
    int64_t in_stride[2] = {by_columns ? 1 : size[1], by_columns ? size[0] : 1};
    int64_t out_stride[2] = {axis == 1, axis == 0}, outer = axis == 0   ? size[1]
                                                            : axis == 1 ? size[0]
                                                                        : 1;
    gpa_dtype to = red_info[r].arg ? DT_I64 : t;
    size_t n = (size_t)(size[0] * size[1]);
    int a = job_array(&j, t, KIR_READ, n, 0, in_stride),
        b = job_array(&j, to, KIR_WRITE, (size_t)outer, 0, out_stride);
    fill(job_data(&j, a), t, n);
    bool exact = !((r == RED_SUM || r == RED_PROD) && (dtype_is_float(t) || dtype_is_complex(t)));
    if (!exact)
        for (size_t i = 0; i < n; i++)
            dtype_store((char *)job_data(&j, a) + i * dtype_size(t), t,
                        dtype_cast((gpa_val){.F64 = r == RED_PROD ? (roll() % 2 ? 1 : -1)
                                                                  : (double)(roll() % 16)},
                                   DT_F64, t));
    each(&j);
    int32_t v = load(&j, a), at_ = -1;
    if (red_info[r].arg) {
        at_ = axis == 2 ? kir_op2(j.f, OP_ADD,
                                  kir_op2(j.f, OP_MULTIPLY, coordinate(&j, 0), extent(&j, 1)),
                                  coordinate(&j, 1))
                        : coordinate(&j, axis);
    }
    int32_t s = reduce(&j, r, to, v, at_);
    kir_close(j.f);
    store(&j, b, s);
    job_launch(&j, size);
    gpa_dtype st = dtype_info[t].compute;
    for (int64_t o = 0; o < outer; o++) {
        gpa_red_state want = red_start(r, t);
        for (int64_t y = axis == 1 ? o : 0; y < (axis == 1 ? o + 1 : size[0]); y++)
            for (int64_t x = axis == 0 ? o : 0; x < (axis == 0 ? o + 1 : size[1]); x++) {
                gpa_val e = at(job_data(&j, a), t, (size_t)(y * in_stride[0] + x * in_stride[1]));
                gpa_red_state one = {dtype_cast(e, t, st), axis == 0   ? y
                                                           : axis == 1 ? x
                                                                       : y * size[1] + x};
                want = red_combine(r, t, want, one);
            }
        gpa_val w = red_info[r].arg ? (gpa_val){.I64 = want.at} : dtype_cast(want.v, st, t);
        same(at(job_data(&j, b), to, (size_t)o), w, to, exact ? 0 : 1, red_info[r].name, (size_t)o);
    }
    job_free(&j);
}

static void every_reduction(void **state) {
    (void)state;
    static const int64_t sizes[][2] = {{1, 1}, {3, 5}, {4, 100}, {100, 3}, {33, 70}};
    NEED_PLUGIN();
    for (int r = 0; r < RED_COUNT; r++)
        for (int t = 0; t < DT_COUNT; t++) {
            if (!red_info[r].text[op_kind_index(dtype_info[t].kind)]) continue;
            for (size_t s = 0; s < COUNT_OF(sizes); s++)
                one_reduction((gpa_red)r, (gpa_dtype)t, (int)(s + (size_t)r) % 3, sizes[s],
                              (t + (int)s) % 2);
        }
    for (int axis = 0; axis < 3; axis++)
        for (int by = 0; by < 2; by++) {
            one_reduction(RED_SUM, DT_F32, axis, (int64_t[]){700, 1000}, by);
            one_reduction(RED_ARGMAX, DT_F32, axis, (int64_t[]){700, 1000}, by);
            one_reduction(RED_MIN, DT_I16, axis, (int64_t[]){3, 300000}, by);
            one_reduction(RED_SUM, DT_C64, axis, (int64_t[]){300000, 3}, by);
        }
    close_device();
}

/* softmax of rows: three regions, the last one stores. */
static void softmax(int64_t rows, int64_t columns, const char *threads, float *copy) {
    setenv("GPA_NUM_THREADS", threads, 1);
    load_plugin();
    unsetenv("GPA_NUM_THREADS");
    job j = job_new("softmax", 2, 2);
    size_t n = (size_t)(rows * columns);
    int64_t stride[2] = {columns, 1};
    int a = job_array(&j, DT_F32, KIR_READ, n, 0, stride),
        b = job_array(&j, DT_F32, KIR_WRITE, n, 0, stride);
    float *x = job_data(&j, a), *y = job_data(&j, b);
    for (size_t i = 0; i < n; i++) x[i] = (float)(i * 2654435761u % 1000) / 50;
    each(&j);
    int32_t most = reduce(&j, RED_MAX, DT_F32, load(&j, a), -1);
    kir_close(j.f);
    each(&j);
    int32_t sum = reduce(&j, RED_SUM, DT_F32,
                         kir_op1(j.f, OP_EXP, kir_op2(j.f, OP_SUBTRACT, load(&j, a), most)), -1);
    kir_close(j.f);
    each(&j);
    store(&j, b,
          kir_op2(j.f, OP_DIVIDE,
                  kir_op1(j.f, OP_EXP, kir_op2(j.f, OP_SUBTRACT, load(&j, a), most)), sum));
    kir_close(j.f);
    job_launch(&j, (int64_t[]){rows, columns});
    for (int64_t r = 0; r < rows; r++) {
        double total = 0, top = -INFINITY;
        for (int64_t c = 0; c < columns; c++) top = fmax(top, (double)x[r * columns + c]);
        for (int64_t c = 0; c < columns; c++) total += exp((double)x[r * columns + c] - top);
        for (int64_t c = 0; c < columns; c++) {
            double want = exp((double)x[r * columns + c] - top) / total,
                   got = (double)y[r * columns + c];
            if (fabs(got - want) > 1e-5 * want + 1e-12) wrong++;
        }
    }
    memcpy(copy, y, n * sizeof *y);
    job_free(&j);
    close_device();
}

static void same_bits_on_any_number_of_threads(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{300, 700}, {2, 400000}, {1, 1}};
    NEED_PLUGIN();
    close_device();
    for (size_t s = 0; s < COUNT_OF(shapes); s++) {
        size_t n = (size_t)(shapes[s][0] * shapes[s][1]);
        float *one = test_malloc(n * sizeof *one), *three = test_malloc(n * sizeof *three);
        softmax(shapes[s][0], shapes[s][1], "1", one);
        softmax(shapes[s][0], shapes[s][1], "3", three);
        assert_memory_equal(one, three, n * sizeof *one);
        test_free(one);
        test_free(three);
    }
}

/* The error of a long float32 sum is a few units in the last place, as NumPy's pairwise sums have.
 */
static void sums_are_accurate(void **state) {
    (void)state;
    enum { N = 10000019 };
    NEED_PLUGIN();
    job j = job_new("sum", 1, 1);
    int a = job_array(&j, DT_F32, KIR_READ, N, 0, (int64_t[]){1}),
        b = job_array(&j, DT_F32, KIR_WRITE, 1, 0, (int64_t[]){0});
    float *x = job_data(&j, a);
    double want = 0;
    for (size_t i = 0; i < N; i++) want += (double)(x[i] = (float)(roll() % 1000003) / 1000003.0f);
    each(&j);
    int32_t s = reduce(&j, RED_SUM, DT_F32, load(&j, a), -1);
    kir_close(j.f);
    store(&j, b, s);
    job_launch(&j, (int64_t[]){N});
    double got = (double)*(float *)job_data(&j, b);
    if (fabs(got - want) > 4e-7 * want) print_error("got %.9g, not %.9g\n", got, want), wrong++;
    job_free(&j);
    close_device();
}

static void scans(void **state) {
    (void)state;
    NEED_PLUGIN();
    static const int64_t shapes[][2] = {{3, 50}, {50, 3}, {1, 1000}};
    for (size_t s = 0; s < COUNT_OF(shapes); s++)
        for (int axis = 0; axis < 2; axis++) {
            const int64_t *size = shapes[s];
            job j = job_new("scan", 2, 1u << axis);
            size_t n = (size_t)(size[0] * size[1]);
            int64_t stride[2] = {size[1], 1}, step = axis ? 1 : size[1], length = size[axis];
            int a = job_array(&j, DT_F32, KIR_READ, n, 0, stride),
                b = job_array(&j, DT_F32, KIR_WRITE, n, 0, stride);
            fill(job_data(&j, a), DT_F32, n);
            each(&j);
            store(&j, b,
                  kir_emit(j.f, (kir_ins){.code = KIR_SCAN,
                                          .type = DT_F32,
                                          .sub = RED_SUM,
                                          .a = load(&j, a),
                                          .b = -1,
                                          .c = -1}));
            kir_close(j.f);
            job_launch(&j, size);
            const float *x = job_data(&j, a), *y = job_data(&j, b);
            for (size_t o = 0; o < n / (size_t)length; o++) {
                size_t first = axis ? o * (size_t)size[1] : o;
                float sum = -0.0f; /* the identity that preserves a first element of -0.0 */
                for (int64_t i = 0; i < length; i++) {
                    size_t k = first + (size_t)(i * step);
                    sum += x[k];
                    same((gpa_val){.F32 = y[k]}, (gpa_val){.F32 = sum}, DT_F32, 0, "scan", k);
                }
            }
            job_free(&j);
        }
    close_device();
}

/* A program that has worked for a while is optimised, once, to the same bits; without a cache on
 * disk, which may hold the optimised code already. */
static void quick_code_is_optimised(void **state) {
    (void)state;
    enum { ROWS = 64, N = 1024, MOST_LAUNCHES = 1000 };
    static const int64_t size[] = {ROWS, N};
    static double kept[ROWS];
    unsetenv("GPA_CACHE_DIR"), unsetenv("XDG_CACHE_HOME"), unsetenv("HOME");
    NEED_PLUGIN();
    job j = job_new("sums", 2, 2);
    int a = job_array(&j, DT_F64, KIR_READ, ROWS * N, 0, (int64_t[]){N, 1}),
        b = job_array(&j, DT_F64, KIR_WRITE, ROWS, 0, (int64_t[]){1, 0});
    double *x = job_data(&j, a);
    for (size_t i = 0; i < ROWS * N; i++) x[i] = (double)(roll() % 1000003) / 1000003;
    each(&j);
    int32_t s = reduce(&j, RED_SUM, DT_F64, kir_op1(j.f, OP_EXP, load(&j, a)), -1);
    kir_close(j.f);
    store(&j, b, s);
    job_launch(&j, size);
    memcpy(kept, job_data(&j, b), sizeof kept);
    const double quick = be->compile_seconds(j.p);
    int launches = 0;
    for (; launches < MOST_LAUNCHES && be->compile_seconds(j.p) == quick; launches++)
        job_launch(&j, size);
    assert_in_range(launches, 1, MOST_LAUNCHES - 1);
    assert_memory_equal(kept, job_data(&j, b), sizeof kept);
    const double optimised = be->compile_seconds(j.p);
    for (int i = 0; i < MOST_LAUNCHES; i++) job_launch(&j, size);
    assert_true(be->compile_seconds(j.p) == optimised);
    job_free(&j);
    close_device();
}

UNIT_TESTS(TEST(every_cast), TEST(layouts), TEST(large_results), TEST(every_op_of_every_type),
           TEST(every_reduction), TEST(scans), TEST(same_bits_on_any_number_of_threads),
           TEST(sums_are_accurate), TEST(quick_code_is_optimised))
