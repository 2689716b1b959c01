/* Kernels on the reference device: shared memory, barriers, warps, atomics, and the races it finds.
 */
#include <stdio.h>

#include "tests/unit/ref.h"

static int32_t thread_of(bench *b, kir_thread row, unsigned axis) {
    return EMIT(b, .code = KIR_THREAD, .type = DT_I32, .sub = (uint16_t)row, .imm = axis);
}

static int32_t thread64(bench *b, kir_thread row) {
    return kir_cast(b->f, DT_I64, thread_of(b, row, 0));
}

/* A launch of so many blocks of so many threads, all along x. */
static void blocks(bench *b, uint32_t grid, uint32_t block) {
    for (int d = 0; d < 3; d++)
        b->launch.grid[d] = d ? 1 : grid, b->launch.block[d] = d ? 1 : block;
}

/* Each block reverses its part through shared memory: wrong without the barrier. */
static void blocks_share_and_wait(void **state) {
    (void)state;
    bench b;
    int32_t x[64];
    for (int i = 0; i < 64; i++) x[i] = i;
    start(&b, KIR_KERNEL, 0, 0);
    array(&b, DT_I32, 64, x, 0, 0);
    int shared = kir_add_array(b.f, (kir_array){.dtype = DT_I32,
                                                .where = KIR_SHARED,
                                                .access = KIR_READ | KIR_WRITE,
                                                .ndim = 1,
                                                .count = 16});
    kir_func *f = b.f;
    int32_t t = thread64(&b, KIR_TH_TID), width = thread64(&b, KIR_TH_BDIM);
    int32_t at = kir_op2(f, OP_ADD, t, kir_op2(f, OP_MULTIPLY, thread64(&b, KIR_TH_BID), width));
    int32_t back = kir_op2(f, OP_SUBTRACT, kir_op2(f, OP_SUBTRACT, width, int_const(&b, 1)), t);
    storex(&b, shared, t, loadx(&b, 0, at));
    EMIT(&b, .code = KIR_BARRIER, .type = DT_NONE, .sub = KIR_BA_BLOCK, .a = -1);
    storex(&b, 0, at, loadx(&b, shared, back));
    b.launch.grid[0] = 4, b.launch.block[0] = 16;
    b.launch.grid[1] = b.launch.grid[2] = b.launch.block[1] = b.launch.block[2] = 1;
    launch_well(&b);
    const int32_t *y = DATA(&b, 0);
    for (int i = 0; i < 64; i++) assert_int_equal(y[i], i / 16 * 16 + 15 - i % 16);
    finish(&b);
}

/* The sum of the lanes by shuffles down, and how many threads of the block have an odd index. */
static void warps_exchange_and_blocks_vote(void **state) {
    (void)state;
    bench b;
    start(&b, KIR_KERNEL, 0, 0);
    array(&b, DT_I32, 64, NULL, 0, 0);
    array(&b, DT_I32, 64, NULL, 0, 0);
    kir_func *f = b.f;
    int32_t t = thread_of(&b, KIR_TH_TID, 0), v = t;
    for (int32_t by = 16; by; by /= 2) {
        int32_t step = kir_const(f, DT_I32, (gpa_val){.I32 = by});
        v = kir_op2(f, OP_ADD, v,
                    EMIT(&b, .code = KIR_WARP, .type = DT_I32, .sub = KIR_WA_SHFL_DOWN, .a = v,
                         .b = step, .c = -1));
    }
    int32_t odd = kir_cast(
        f, DT_BOOL, kir_op2(f, OP_BITWISE_AND, t, kir_const(f, DT_I32, (gpa_val){.I32 = 1})));
    int32_t n = EMIT(&b, .code = KIR_BARRIER, .type = DT_I32, .sub = KIR_BA_COUNT, .a = odd);
    int32_t at = thread64(&b, KIR_TH_TID);
    storex(&b, 0, at, v);
    storex(&b, 1, at, n);
    b.launch.grid[0] = b.launch.grid[1] = b.launch.grid[2] = b.launch.block[1] = b.launch.block[2] =
        1;
    b.launch.block[0] = 64;
    launch_well(&b);
    const int32_t *sums = DATA(&b, 0), *odds = DATA(&b, 1);
    assert_int_equal(sums[0], 31 * 32 / 2);
    assert_int_equal(sums[32], 31 * 32 / 2 + 32 * 32);
    assert_int_equal(odds[63], 32);
    finish(&b);
}

static void atomics_count(void **state) {
    (void)state;
    bench b;
    start(&b, KIR_MAP, 1, 0);
    array(&b, DT_I32, 3, NULL, 0, 0);
    b.launch.size[0] = 10;
    int32_t bin = kir_op2(b.f, OP_REMAINDER, index_of(&b, 0), int_const(&b, 3));
    EMIT(&b, .code = KIR_ATOMIC, .type = DT_I32, .sub = 0, .imm = KIR_AT_ADD, .a = bin,
         .b = kir_const(b.f, DT_I32, (gpa_val){.I32 = 1}), .c = -1);
    launch_well(&b);
    const int32_t want[3] = {4, 3, 3};
    assert_memory_equal(DATA(&b, 0), want, sizeof want);
    finish(&b);
}

static void divided_barriers_are_an_error(void **state) {
    (void)state;
    bench b;
    start(&b, KIR_KERNEL, 0, 0);
    int32_t zero = kir_const(b.f, DT_I32, (gpa_val){.I32 = 0});
    OPEN(&b, .code = KIR_IF, .type = DT_NONE,
         .a = kir_op2(b.f, OP_EQUAL, thread_of(&b, KIR_TH_TID, 0), zero));
    EMIT(&b, .code = KIR_BARRIER, .type = DT_NONE, .sub = KIR_BA_BLOCK, .a = -1);
    EMIT(&b, .code = KIR_ELSE, .type = DT_NONE);
    EMIT(&b, .code = KIR_BARRIER, .type = DT_NONE, .sub = KIR_BA_BLOCK, .a = -1);
    kir_close(b.f);
    blocks(&b, 1, 2);
    assert_int_equal(launch(&b), GPA_OK);
    assert_int_equal(b.fault.kind, KIR_FT_BARRIER);
    assert_int_equal(b.fault.thread[0], 0);
    assert_int_equal(b.fault.other_thread[0], 1);
    assert_int_equal(b.fault.how, 0);
    finish(&b);
}

/* A thread that ended does not come to a barrier. */
static void missed_barriers_are_an_error(void **state) {
    (void)state;
    bench b;
    start(&b, KIR_KERNEL, 0, 0);
    OPEN(&b, .code = KIR_IF, .type = DT_NONE,
         .a = kir_op2(b.f, OP_LESS, thread64(&b, KIR_TH_TID), int_const(&b, 3)));
    EMIT(&b, .code = KIR_BARRIER, .type = DT_NONE, .sub = KIR_BA_BLOCK, .a = -1);
    kir_close(b.f);
    blocks(&b, 1, 4);
    assert_int_equal(launch(&b), GPA_OK);
    assert_int_equal(b.fault.kind, KIR_FT_BARRIER);
    assert_int_equal(b.fault.other_thread[0], 3);
    assert_int_equal(b.fault.how, KIR_HOW_ENDED);
    finish(&b);
}

/* What threads do to one array: thread t touches element (t + by) % n, on both sides of what stands
 * between. */
typedef struct {
    kir_where where;
    enum { WRITES_THEN_READS, READS_THEN_WRITES, WRITES_TWICE, ADDS, READS } does;
    int64_t by; /* the second element, relative to the first */
    enum { NOTHING, WARP_MEETS, BLOCK_MEETS } between;
    uint32_t grid, block;
    int kind; /* the fault expected, or -1 */
} touching;

static void touch(bench *b, const touching *x) {
    kir_func *f = b->f;
    int array_at = 0;
    if (x->where == KIR_SHARED)
        array_at = kir_add_array(f, (kir_array){.dtype = DT_I64,
                                                .where = KIR_SHARED,
                                                .access = KIR_READ | KIR_WRITE,
                                                .ndim = 1,
                                                .count = 64});
    int32_t t = thread64(b, KIR_TH_TID), width = thread64(b, KIR_TH_BDIM),
            n = kir_op2(f, OP_MULTIPLY, width, thread64(b, KIR_TH_GDIM));
    if (x->where == KIR_SHARED) n = width;
    int32_t me =
        x->where == KIR_SHARED
            ? t
            : kir_op2(f, OP_ADD, t, kir_op2(f, OP_MULTIPLY, thread64(b, KIR_TH_BID), width));
    int32_t next = kir_op2(f, OP_REMAINDER, kir_op2(f, OP_ADD, me, int_const(b, x->by)), n),
            seen = me;
    int32_t one = kir_op2(f, OP_ADD, me, int_const(b, 1));
    if (x->does == WRITES_THEN_READS || x->does == WRITES_TWICE) storex(b, array_at, me, one);
    if (x->does == READS_THEN_WRITES || x->does == READS) seen = loadx(b, array_at, me);
    if (x->between)
        EMIT(b, .code = KIR_BARRIER, .type = DT_NONE,
             .sub = x->between == WARP_MEETS ? KIR_BA_WARP : KIR_BA_BLOCK, .a = -1);
    if (x->does == WRITES_THEN_READS || x->does == READS) seen = loadx(b, array_at, next);
    if (x->does == READS_THEN_WRITES || x->does == WRITES_TWICE)
        storex(b, array_at, next, kir_op2(f, OP_ADD, one, int_const(b, 7)));
    if (x->does == ADDS)
        EMIT(b, .code = KIR_ATOMIC, .type = DT_I64, .sub = (uint16_t)array_at, .imm = KIR_AT_ADD,
             .a = int_const(b, 0), .b = one, .c = -1);
    storex(b, 1, me, seen);
    blocks(b, x->grid, x->block);
}

static void races_are_found(void **state) {
    (void)state;
    static const touching cases[] = {
        {KIR_GLOBAL, WRITES_THEN_READS, 0, NOTHING, 2, 8, -1},
        {KIR_GLOBAL, WRITES_THEN_READS, 1, NOTHING, 1, 8, KIR_FT_RACE},
        {KIR_GLOBAL, WRITES_THEN_READS, 1, BLOCK_MEETS, 1, 8, -1},
        {KIR_GLOBAL, WRITES_THEN_READS, 1, BLOCK_MEETS, 2, 8,
         KIR_FT_RACE}, /* no barrier orders two blocks */
        {KIR_GLOBAL, READS_THEN_WRITES, 1, NOTHING, 1, 8, KIR_FT_RACE},
        {KIR_GLOBAL, READS_THEN_WRITES, 1, BLOCK_MEETS, 1, 8, -1},
        {KIR_GLOBAL, WRITES_TWICE, 1, NOTHING, 1, 8, KIR_FT_RACE},
        {KIR_GLOBAL, WRITES_TWICE, 1, BLOCK_MEETS, 1, 8, -1},
        {KIR_GLOBAL, ADDS, 0, NOTHING, 4, 8, -1},
        {KIR_GLOBAL, READS, 1, NOTHING, 4, 8, -1},
        {KIR_SHARED, WRITES_THEN_READS, 1, NOTHING, 2, 32, KIR_FT_RACE},
        {KIR_SHARED, WRITES_THEN_READS, 1, BLOCK_MEETS, 2, 64, -1},
        {KIR_SHARED, WRITES_THEN_READS, 1, WARP_MEETS, 1, 32, -1},
        {KIR_SHARED, WRITES_THEN_READS, 1, WARP_MEETS, 1, 64,
         KIR_FT_RACE}, /* the next warp did not wait */
        {KIR_SHARED, WRITES_TWICE, 2, NOTHING, 1, 16, KIR_FT_RACE},
        {KIR_SHARED, READS, 0, NOTHING, 1, 4, KIR_FT_UNWRITTEN},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        bench b;
        start(&b, KIR_KERNEL, 0, 0);
        array(&b, DT_I64, 64, NULL, 0, 0);
        array(&b, DT_I64, 64, NULL, 0, 0);
        touch(&b, &cases[i]);
        assert_int_equal(launch(&b), GPA_OK);
        int kind = b.fault.set ? (int)b.fault.kind : -1;
        if (kind != cases[i].kind) print_error("case %zu\n", i);
        assert_int_equal(kind, cases[i].kind);
        if (kind == KIR_FT_RACE)
            assert_memory_not_equal(b.fault.thread, b.fault.other_thread, 3 * sizeof(int32_t));
        finish(&b);
    }
}

UNIT_TESTS(TEST(blocks_share_and_wait), TEST(warps_exchange_and_blocks_vote), TEST(atomics_count),
           TEST(divided_barriers_are_an_error), TEST(missed_barriers_are_an_error),
           TEST(races_are_found))
