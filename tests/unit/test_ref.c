/* The reference device, which is the definition of kir: one small program per instruction or rule,
 * built, verified, run in host memory. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/unit/ref.h"

#include "runtime/base/str.h"

/* ---- maps ---- */

static void chain_over_strides(void **state) {
    (void)state;
    bench b;
    const float x[6] = {0, 1, 2, 3, 4, 5}, row[3] = {10, 20, 30};
    start(&b, KIR_MAP, 2, 0);
    array(&b, DT_F32, 6, x, -3, 1); /* its rows in reverse order */
    array(&b, DT_F32, 3, row, 0, 1);
    array(&b, DT_F32, 6, NULL, 3, 1);
    b.bind[0].offset = 3;
    b.launch.size[0] = 2, b.launch.size[1] = 3;
    kir_add_param(b.f, DT_F32);
    b.params[0].F32 = 2;
    int32_t p = EMIT(&b, .code = KIR_PARAM, .type = DT_F32, .imm = 0);
    store(&b, 2, kir_op2(b.f, OP_ADD, kir_op2(b.f, OP_MULTIPLY, load(&b, 0), p), load(&b, 1)));
    launch_well(&b);
    const float want[6] = {16, 28, 40, 10, 22, 34};
    assert_memory_equal(DATA(&b, 2), want, sizeof want);
    finish(&b);
}

static void points_in_no_dimension(void **state) {
    (void)state;
    bench b;
    const double x = 2.25;
    start(&b, KIR_MAP, 0, 0);
    array(&b, DT_F64, 1, &x, 0, 0);
    array(&b, DT_F64, 1, NULL, 0, 0);
    store(&b, 1, kir_op1(b.f, OP_SQRT, load(&b, 0)));
    launch_well(&b);
    assert_true(*(double *)DATA(&b, 1) == 1.5);
    finish(&b);
}

static void generated_and_half(void **state) {
    (void)state;
    bench b;
    start(&b, KIR_MAP, 1, 0);
    array(&b, DT_F16, 4, NULL, 1, 0);
    b.launch.size[0] = 4;
    int k = kir_add_array(b.f, (kir_array){.dtype = DT_I64, .where = KIR_VIRTUAL});
    b.bind[k] = (gpa_binding){.offset = 2, .stride = {3}};
    int32_t i = EMIT(&b, .code = KIR_IOTA, .type = DT_I64, .sub = (uint16_t)k);
    int32_t h = kir_cast(b.f, DT_F16, i);
    store(&b, 0,
          kir_op2(b.f, OP_DIVIDE, h, kir_const(b.f, DT_F16, (gpa_val){.F16 = half_from_float(3)})));
    launch_well(&b);
    const uint16_t *got = DATA(&b, 0);
    for (int n = 0; n < 4; n++) assert_int_equal(got[n], half_from_float((float)(2 + 3 * n) / 3));
    finish(&b);
}

/* ---- reductions ---- */

static void softmax_of_rows(void **state) {
    (void)state;
    bench b;
    enum { ROWS = 3, N = 300 };
    double x[ROWS * N];
    for (int i = 0; i < ROWS * N; i++) x[i] = (i * 37 % 101) * 0.1;
    start(&b, KIR_MAP, 2, 2);
    array(&b, DT_F64, ROWS * N, x, N, 1);
    array(&b, DT_F64, ROWS * N, NULL, N, 1);
    b.launch.size[0] = ROWS, b.launch.size[1] = N;
    OPEN(&b, .code = KIR_EACH, .type = DT_NONE);
    int32_t most = reduce(&b, RED_MAX, load(&b, 0), -1);
    kir_close(b.f);
    OPEN(&b, .code = KIR_EACH, .type = DT_NONE);
    int32_t sum =
        reduce(&b, RED_SUM, kir_op1(b.f, OP_EXP, kir_op2(b.f, OP_SUBTRACT, load(&b, 0), most)), -1);
    kir_close(b.f);
    OPEN(&b, .code = KIR_EACH, .type = DT_NONE);
    int32_t e = kir_op1(b.f, OP_EXP, kir_op2(b.f, OP_SUBTRACT, load(&b, 0), most));
    store(&b, 1, kir_op2(b.f, OP_DIVIDE, e, sum));
    kir_close(b.f);
    launch_well(&b);
    const double *y = DATA(&b, 1);
    for (int r = 0; r < ROWS; r++) {
        double total = 0, all = 0;
        for (int i = 0; i < N; i++) total += y[r * N + i], all += exp(x[r * N + i] - 10);
        assert_true(fabs(total - 1) < 1e-12);
        assert_true(fabs(y[r * N + 5] - exp(x[r * N + 5] - 10) / all) < 1e-14);
    }
    finish(&b);
}

static void float_sums_are_accurate(void **state) {
    (void)state;
    bench b;
    start(&b, KIR_MAP, 1, 1);
    array(&b, DT_F32, 1, NULL, 0, 0);
    b.launch.size[0] = 1000000;
    OPEN(&b, .code = KIR_EACH, .type = DT_NONE);
    int32_t sum = reduce(&b, RED_SUM, kir_const(b.f, DT_F32, (gpa_val){.F32 = 0.1f}), -1);
    kir_close(b.f);
    store(&b, 0, sum);
    launch_well(&b);
    assert_true(fabs(*(float *)DATA(&b, 0) - 100000.0015) < 0.02);
    finish(&b);
}

static void reductions_of_nothing(void **state) {
    (void)state;
    bench b;
    start(&b, KIR_MAP, 2, 2);
    array(&b, DT_I32, 2, NULL, 1, 0);
    array(&b, DT_I32, 2, NULL, 1, 0);
    b.launch.size[0] = 2, b.launch.size[1] = 0;
    OPEN(&b, .code = KIR_EACH, .type = DT_NONE);
    int32_t x = kir_cast(b.f, DT_I32, index_of(&b, 1)), sum = reduce(&b, RED_SUM, x, -1),
            prod = reduce(&b, RED_PROD, x, -1);
    kir_close(b.f);
    store(&b, 0, sum);
    store(&b, 1, prod);
    launch_well(&b);
    const int32_t *sums = DATA(&b, 0), *prods = DATA(&b, 1);
    assert_int_equal(sums[1], 0);
    assert_int_equal(prods[1], 1);
    finish(&b);
}

static void first_nan_is_the_greatest(void **state) {
    (void)state;
    bench b;
    const float x[5] = {1, 7, NAN, 9, NAN};
    start(&b, KIR_MAP, 1, 1);
    array(&b, DT_F32, 5, x, 1, 0);
    array(&b, DT_I64, 1, NULL, 0, 0);
    b.launch.size[0] = 5;
    OPEN(&b, .code = KIR_EACH, .type = DT_NONE);
    int32_t at = reduce(&b, RED_ARGMAX, load(&b, 0), index_of(&b, 0));
    kir_close(b.f);
    store(&b, 1, at);
    launch_well(&b);
    assert_int_equal(*(int64_t *)DATA(&b, 1), 2);
    finish(&b);
}

static void scans_round_at_every_point(void **state) {
    (void)state;
    bench b;
    uint16_t x[4];
    for (int i = 0; i < 4; i++) x[i] = half_from_float(i ? 1 : 2048);
    start(&b, KIR_MAP, 1, 1);
    array(&b, DT_F16, 4, x, 1, 0);
    array(&b, DT_F16, 4, NULL, 1, 0);
    b.launch.size[0] = 4;
    OPEN(&b, .code = KIR_EACH, .type = DT_NONE);
    store(&b, 1, EMIT(&b, .code = KIR_SCAN, .type = DT_F16, .sub = RED_SUM, .a = load(&b, 0)));
    kir_close(b.f);
    launch_well(&b);
    const uint16_t *y = DATA(&b, 1);
    for (int i = 0; i < 4; i++)
        assert_true(half_to_float(y[i]) == 2048); /* 2048 + 1 is 2048 in float16, each time */
    finish(&b);
}

/* ---- computed offsets, faults ---- */

/* out[i] = x[index[i]], with the index wrapped and checked. */
static void gather(bench *b, const int64_t *index, size_t n) {
    const float x[3] = {10, 20, 30};
    start(b, KIR_MAP, 1, 0);
    array(b, DT_F32, 3, x, 0, 0);
    array(b, DT_I64, n, index, 1, 0);
    array(b, DT_F32, n, NULL, 1, 0);
    b->launch.size[0] = (int64_t)n;
    int32_t extent = EMIT(b, .code = KIR_SIZE, .type = DT_I64, .sub = 0, .imm = 0);
    int32_t at = EMIT(b, .code = KIR_BOUND, .type = DT_I64, .sub = 4, .a = load(b, 1), .b = extent);
    store(b, 2, loadx(b, 0, at));
}

static void indices_wrap_and_are_checked(void **state) {
    (void)state;
    bench b;
    const int64_t good[3] = {2, -3, -1}, bad[3] = {0, -4, 7};
    gather(&b, good, 3);
    launch_well(&b);
    const float want[3] = {30, 10, 30};
    assert_memory_equal(DATA(&b, 2), want, sizeof want);
    assert_int_equal(b.fault.set, 0);
    finish(&b);
    gather(&b, bad, 3);
    launch_well(&b);
    assert_int_equal(b.fault.set, 1);
    assert_int_equal(b.fault.kind, KIR_FT_INDEX);
    assert_int_equal(b.fault.axis, 4);
    assert_int_equal(b.fault.a, -4);
    assert_int_equal(b.fault.b, 3);
    finish(&b);
}

static void accesses_outside_are_internal_errors(void **state) {
    (void)state;
    bench b;
    const int64_t index[1] = {3};
    gather(&b, index, 1);
    b.f->flags = KIR_F_UNCHECKED;
    assert_int_equal(launch(&b), GPA_E_INTERNAL);
    assert_string_equal(b.e.msg, "kir: element 3 of array @0, which has 3, in instruction 3");
    finish(&b);
    start(&b, KIR_MAP, 1, 0);
    array(&b, DT_F32, 4, NULL, 2, 0);
    b.launch.size[0] = 3;
    store(&b, 0, kir_const(b.f, DT_F32, (gpa_val){.F32 = 1}));
    assert_int_equal(launch(&b), GPA_E_INTERNAL);
    finish(&b);
}

static void asserted(void **state) {
    (void)state;
    bench b;
    start(&b, KIR_MAP, 1, 0);
    b.launch.size[0] = 10;
    kir_set_span(b.f, (gpa_span){1, 5, 9});
    OPEN(&b, .code = KIR_IF, .type = DT_NONE,
         .a = kir_op2(b.f, OP_EQUAL, index_of(&b, 0), int_const(&b, 6)));
    EMIT(&b, .code = KIR_FAULT, .type = DT_NONE, .sub = KIR_FT_ASSERT,
         .imm = kir_add_text(b.f, "no six"), .a = index_of(&b, 0), .b = -1);
    kir_close(b.f);
    launch_well(&b);
    assert_int_equal(b.fault.kind, KIR_FT_ASSERT);
    assert_int_equal(b.fault.a, 6);
    assert_int_equal(b.f->spans[b.fault.line].lo, 5);
    finish(&b);
}

/* ---- control flow ---- */

/* collatz(n): steps until 1, by LOOP, BREAK, IF and ELSE. */
static void loops_branches_variables(void **state) {
    (void)state;
    bench b;
    const int64_t x[4] = {1, 6, 7, 27};
    start(&b, KIR_MAP, 1, 0);
    array(&b, DT_I64, 4, x, 1, 0);
    array(&b, DT_I64, 4, NULL, 1, 0);
    b.launch.size[0] = 4;
    kir_func *f = b.f;
    int32_t n = variable(&b, load(&b, 0)), count = variable(&b, int_const(&b, 0));
    int32_t one = int_const(&b, 1), two = int_const(&b, 2), three = int_const(&b, 3);
    OPEN(&b, .code = KIR_LOOP, .type = DT_NONE);
    int32_t now = get(&b, n);
    OPEN(&b, .code = KIR_IF, .type = DT_NONE, .a = kir_op2(f, OP_EQUAL, now, one));
    EMIT(&b, .code = KIR_BREAK, .type = DT_NONE, .imm = 0);
    kir_close(f);
    OPEN(&b, .code = KIR_IF, .type = DT_NONE,
         .a = kir_cast(f, DT_BOOL, kir_op2(f, OP_REMAINDER, now, two)));
    set(&b, n, kir_op2(f, OP_ADD, kir_op2(f, OP_MULTIPLY, now, three), one));
    EMIT(&b, .code = KIR_ELSE, .type = DT_NONE);
    set(&b, n, kir_op2(f, OP_FLOOR_DIVIDE, now, two));
    kir_close(f);
    set(&b, count, kir_op2(f, OP_ADD, get(&b, count), one));
    kir_close(f);
    store(&b, 1, get(&b, count));
    launch_well(&b);
    const int64_t want[4] = {0, 8, 16, 111};
    assert_memory_equal(DATA(&b, 1), want, sizeof want);
    finish(&b);
}

/* Sum of the counters of range(a, b, c) but 4, and nothing after 20: FOR, NEXT and BREAK out of a
 * BLOCK. */
static void counting(void **state) {
    (void)state;
    static const struct {
        int64_t from, to, by, sum;
    } cases[] = {{0, 5, 1, 6},    {5, 0, 1, 0}, {5, 0, -1, 11},
                 {0, 100, 7, 21}, {3, 3, 1, 0}, {INT64_MAX - 1, INT64_MAX, 5, 0}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        bench b;
        start(&b, KIR_MAP, 0, 0);
        array(&b, DT_I64, 1, NULL, 0, 0);
        kir_func *f = b.f;
        int32_t sum = variable(&b, int_const(&b, 0));
        OPEN(&b, .code = KIR_BLOCK, .type = DT_NONE);
        int32_t k = OPEN(&b, .code = KIR_FOR, .type = DT_I64, .a = int_const(&b, cases[i].from),
                         .b = int_const(&b, cases[i].to), .c = int_const(&b, cases[i].by));
        OPEN(&b, .code = KIR_IF, .type = DT_NONE, .a = kir_op2(f, OP_EQUAL, k, int_const(&b, 4)));
        EMIT(&b, .code = KIR_NEXT, .type = DT_NONE, .imm = 0);
        kir_close(f);
        OPEN(&b, .code = KIR_IF, .type = DT_NONE,
             .a = kir_op2(f, OP_GREATER, k, int_const(&b, 20)));
        EMIT(&b, .code = KIR_BREAK, .type = DT_NONE, .imm = 1);
        kir_close(f);
        set(&b, sum, kir_op2(f, OP_ADD, get(&b, sum), k));
        kir_close(f);
        kir_close(f);
        store(&b, 0, get(&b, sum));
        launch_well(&b);
        assert_int_equal(*(int64_t *)DATA(&b, 0), cases[i].sum);
        finish(&b);
    }
}

static void endless_loops_are_interrupted(void **state) {
    (void)state;
    bench b;
    start(&b, KIR_MAP, 0, 0);
    OPEN(&b, .code = KIR_LOOP, .type = DT_NONE);
    kir_close(b.f);
    ref->interrupt(b.dev, true);
    assert_int_equal(launch(&b), GPA_E_INTERRUPT);
    finish(&b);
}

/* Squares through a LOCAL array. */
static void local_arrays_belong_to_a_point(void **state) {
    (void)state;
    bench b;
    start(&b, KIR_MAP, 1, 0);
    array(&b, DT_I64, 5, NULL, 1, 0);
    b.launch.size[0] = 5;
    int local = kir_add_array(
        b.f, (kir_array){
                 .dtype = DT_I64, .where = KIR_LOCAL, .access = KIR_READ | KIR_WRITE, .count = 3});
    int32_t i = index_of(&b, 0), slot = kir_op2(b.f, OP_REMAINDER, i, int_const(&b, 3));
    storex(&b, local, slot, i);
    store(&b, 0, kir_op2(b.f, OP_MULTIPLY, loadx(&b, local, slot), i));
    launch_well(&b);
    const int64_t want[5] = {0, 1, 4, 9, 16};
    assert_memory_equal(DATA(&b, 0), want, sizeof want);
    finish(&b);
}

static void hear(void *user, const gpa_printed *what) {
    gpa_str *to = user;
    str_printf(to, "%u:", what->text);
    for (uint32_t i = 0; i < what->n; i++)
        str_printf(to, " %llx", (unsigned long long)what->args[i].U64 & 0xffffffffu);
    str_putc(to, '\n');
}

static void prints_its_arguments(void **state) {
    (void)state;
    bench b;
    gpa_str got;
    str_init(&got);
    start(&b, KIR_MAP, 1, 0);
    b.launch.size[0] = 2;
    b.launch.print = hear;
    b.launch.user = &got;
    int32_t i = index_of(&b, 0), seven = kir_const(b.f, DT_U32, (gpa_val){.U32 = 7});
    EMIT(&b, .code = KIR_ARG, .type = DT_NONE, .a = i);
    EMIT(&b, .code = KIR_ARG, .type = DT_NONE, .a = seven);
    EMIT(&b, .code = KIR_PRINT, .type = DT_NONE, .imm = kir_add_text(b.f, "\1: \1\n"));
    launch_well(&b);
    assert_string_equal(got.text, "0: 0 7\n0: 1 7\n");
    str_free(&got);
    finish(&b);
}

/* ---- memory ---- */

static void copies_stay_inside(void **state) {
    (void)state;
    bench b;
    start(&b, KIR_MAP, 0, 0);
    array(&b, DT_U8, 4, "abc", 0, 0);
    array(&b, DT_U8, 4, NULL, 0, 0);
    char got[4];
    assert_int_equal(ref->copy(b.dev, &(gpa_copy){b.bind[1].mem, b.bind[0].mem, 0, 0, 4}, &b.e),
                     GPA_OK);
    assert_int_equal(ref->download(b.dev, got, b.bind[1].mem, 0, 4, &b.e), GPA_OK);
    assert_string_equal(got, "abc");
    assert_int_equal(ref->download(b.dev, got, b.bind[1].mem, 2, 3, &b.e), GPA_E_INTERNAL);
    finish(&b);
}

/* Building and launching with the n-th allocation failing, for every n: MemoryError, no leak.
 */
static void short_memory_is_an_error(void **state) {
    (void)state;
    const int64_t index[1] = {2};
    gpa_code rc = GPA_E_MEMORY;
    for (uint64_t n = 1; rc; n++) {
        bench b;
        gather(&b, index, 1);
        mem_fail_at(n);
        rc = launch(&b);
        mem_fail_at(0);
        assert_true(rc == GPA_OK || rc == GPA_E_MEMORY);
        finish(&b);
    }
}

/* ---- programs that pass the verifier run ---- */

static uint32_t seed = 1;

static uint32_t chance(uint32_t n) {
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % n;
}

/* A terminating program with every kind of instruction. */
static void much(bench *b, bool kernel) {
    start(b, kernel ? KIR_KERNEL : KIR_MAP, kernel ? 0 : 2, kernel ? 0 : 2);
    kir_func *f = b->f;
    array(b, DT_F32, 64, NULL, 8, 1);
    array(b, DT_I64, 64, NULL, 8, 0);
    int32_t i = int_const(b, 3), x,
            n = EMIT(b, .code = KIR_SIZE, .type = DT_I64, .sub = 0, .imm = 0);
    for (int d = 0; d < 3; d++)
        b->launch.grid[d] = 1, b->launch.block[d] = d ? 1 : 40, b->launch.size[d] = 8;
    if (kernel) {
        x = EMIT(b, .code = KIR_THREAD, .type = DT_I32, .sub = KIR_TH_TID);
        x = EMIT(b, .code = KIR_WARP, .type = DT_I32, .sub = KIR_WA_SHFL_XOR, .a = x, .b = x,
                 .c = -1);
        int32_t yes = kir_cast(f, DT_BOOL, x);
        EMIT(b, .code = KIR_BARRIER, .type = DT_I32, .sub = KIR_BA_COUNT, .a = yes);
        EMIT(b, .code = KIR_WARP, .type = DT_U32, .sub = KIR_WA_BALLOT, .a = yes, .b = -1, .c = -1);
        x = kir_cast(f, DT_F32, x);
    } else {
        OPEN(b, .code = KIR_EACH, .type = DT_NONE);
        x = reduce(b, RED_SUM, load(b, 0), -1);
        EMIT(b, .code = KIR_SCAN, .type = DT_F32, .sub = RED_MAX, .a = load(b, 0));
        reduce(b, RED_ARGMIN, load(b, 0), index_of(b, 1));
        kir_close(f);
        store(b, 1, index_of(b, 0));
    }
    int32_t var = variable(b, x), less = kir_op2(f, OP_LESS, x, get(b, var));
    OPEN(b, .code = KIR_BLOCK, .type = DT_NONE);
    OPEN(b, .code = KIR_IF, .type = DT_NONE, .a = less);
    set(b, var, kir_op1(f, OP_SQRT, x));
    EMIT(b, .code = KIR_ELSE, .type = DT_NONE);
    storex(b, 1, EMIT(b, .code = KIR_BOUND, .type = DT_I64, .a = i, .b = n), i);
    EMIT(b, .code = KIR_BREAK, .type = DT_NONE, .imm = 0);
    kir_close(f);
    EMIT(b, .code = KIR_FAULT, .type = DT_NONE, .sub = KIR_FT_ASSERT, .imm = KIR_NO_TEXT, .a = i,
         .b = -1);
    kir_close(f);
    EMIT(b, .code = KIR_ATOMIC, .type = DT_I64, .sub = 1, .imm = KIR_AT_CAS, .a = i, .b = i,
         .c = n);
    storex(b, 0, i, kir_op3(f, OP_WHERE, less, get(b, var), loadx(b, 0, i)));
}

static void mutate(kir_func *f) {
    kir_ins *k = &f->code[chance((uint32_t)f->n_code)];
    int32_t v = (int32_t)chance((uint32_t)f->n_code + 2) - 1;
    switch (chance(8)) {
        case 0: k->a = v; break;
        case 1: k->b = v; break;
        case 2: k->c = v; break;
        case 3: k->imm = chance(6); break;
        case 4: k->sub = (uint16_t)chance(12); break;
        case 5: k->type = (uint8_t)chance(DT_COUNT + 1); break;
        case 6: {
            uint8_t code = (uint8_t)chance(KIR_COUNT);
            if (code != KIR_LOOP && code != KIR_FOR && code != KIR_PRINT) k->code = code;
            break;
        }
        default: *k = f->code[chance((uint32_t)f->n_code)]; break;
    }
}

static void mutated_programs_are_refused_or_run(void **state) {
    (void)state;
    int ran = 0;
    for (int trial = 0; trial < 6000; trial++) {
        bench b;
        much(&b, trial & 1);
        for (uint32_t n = 1 + chance(2); n; n--) mutate(b.f);
        gpa_code rc = launch(&b);
        bool known = rc == GPA_OK || rc == GPA_E_INTERNAL || rc == GPA_E_DEVICE;
        if (!known) print_error("trial %d: %s\n", trial, b.e.msg);
        assert_true(known);
        ran += rc == GPA_OK;
        finish(&b);
    }
    assert_true(ran > 500);
}

UNIT_TESTS(TEST(chain_over_strides), TEST(points_in_no_dimension), TEST(generated_and_half),
           TEST(softmax_of_rows), TEST(float_sums_are_accurate), TEST(reductions_of_nothing),
           TEST(first_nan_is_the_greatest), TEST(scans_round_at_every_point),
           TEST(indices_wrap_and_are_checked), TEST(accesses_outside_are_internal_errors),
           TEST(asserted), TEST(loops_branches_variables), TEST(counting),
           TEST(local_arrays_belong_to_a_point), TEST(prints_its_arguments),
           TEST(endless_loops_are_interrupted),

           TEST(copies_stay_inside), TEST(short_memory_is_an_error),
           TEST(mutated_programs_are_refused_or_run))
