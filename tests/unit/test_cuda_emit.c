/* Generated CUDA C compiles with NVRTC: operations, casts, reductions, scans, layouts and control
 * flow, for the oldest and for newer architectures. Needs no GPU. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/unit.h"

#include "runtime/cuda/build/nvrtc.h"
#include "runtime/cuda/emit/schedule.h"
#include "runtime/cuda/lib/attention.h"
#include "runtime/cuda/lib/batched.h"

enum { TOGETHER = 24, THREADS = 4 };

static const cu_target targets[] = {
    {.major = 7, .minor = 5}, {.major = 9}, {.major = 8, .cubin = true}};

/* Sources gathered into one compilation, each in its own namespace; compilations run in parallel.
 */
static gpa_str together;
static int gathered, made;
static size_t turn; /* compilations cycle through the targets */

typedef struct {
    pthread_t thread;
    char *source;
    cu_target target;
    gpa_code rc;
    gpa_err e;
} compilation;

static compilation running[THREADS];
static int n_running;

static void begin(void) {
    char why[160] = "";
    bool here = api_nvrtc(why, sizeof why) != NULL;
    if (!here) {
        print_message("no run-time compiler: %s\n", why);
        skip();
    }
    str_init(&together);
}

static void *compile(void *at) {
    compilation *c = at;
    char *ptx = NULL;
    size_t n = 0;
    c->rc = compile_fresh(c->source, c->target, EFFORT_QUICK, &ptx, &n, &c->e);
    mem_free(ptx);
    return NULL;
}

static void finish(void) {
    for (; n_running; n_running--) {
        compilation *c = &running[n_running - 1];
        pthread_join(c->thread, NULL);
        mem_free(c->source);
        if (c->rc) fail_msg("%s", c->e.msg);
    }
}

static void compile_for(cu_target target) {
    if (!gathered) return;
    if (n_running == THREADS) finish();
    compilation *c = &running[n_running++];
    *c = (compilation){.source = mem_text(together.text, together.len), .target = target};
    assert_non_null(c->source);
    assert_int_equal(pthread_create(&c->thread, NULL, compile, c), 0);
    str_clear(&together);
    gathered = 0;
}

static void compile_gathered(void) {
    if (gathered) compile_for(targets[turn++ % COUNT_OF(targets)]);
}

static void compile_all(void) {
    compile_gathered();
    finish();
    str_free(&together);
}

static void gather(const kir_func *f, const cu_plan *plan) {
    gpa_err e = {0};
    cu_source s;
    char name[24];
    gpa_code rc = kir_check(f, &e);
    if (!rc) {
        snprintf(name, sizeof name, "gpa_%d", made++);
        rc = emit_source(f, plan, NULL, name, &s, &e);
    }
    if (rc) fail_msg("%s", e.msg);
    str_printf(&together, "namespace n%d {\n%s}\n", made, s.text.text);
    emit_free(&s);
    if (++gathered == TOGETHER) compile_gathered();
}

/* A kernel with its parameters in one struct, like every generated one. */
static const char with_parameters[] =
    "struct g_params { const float *from; float *to; int n; };\n"
    "extern \"C\" __global__ void gpa(const __grid_constant__ g_params P) {\n"
    "    if (threadIdx.x < P.n) P.to[threadIdx.x] = P.from[threadIdx.x] + 1;\n"
    "}\n";

static char *built(cu_effort effort) {
    gpa_err e = {0};
    char *ptx = NULL;
    size_t n = 0;
    gpa_code rc = compile_fresh(with_parameters, (cu_target){.major = 9}, effort, &ptx, &n, &e);
    if (rc) fail_msg("%s", e.msg);
    return ptx;
}

/* Options of a quick build do not affect later builds of the process. Runs first. */
static void test_quick_then_full(void **state) {
    (void)state;
    begin();
    char *before = built(EFFORT_FULL), *quick = built(EFFORT_QUICK), *after = built(EFFORT_FULL);
    assert_string_equal(before, after);
    mem_free(before), mem_free(quick), mem_free(after);
    str_free(&together);
}

static cu_plan points(int vec, int unroll, uint64_t wide) {
    cu_plan p;
    memset(&p, 0, sizeof p);
    p.phase = PHASE_ALL;
    p.threads = TUNE_CUDA_POINT_THREADS;
    p.vec = (uint8_t)vec, p.unroll = (uint8_t)unroll, p.vectorized = wide;
    return p;
}

static cu_plan grouped(cu_group t, int vec, int unroll, int keep, int part) {
    cu_plan p = points(vec, unroll, vec > 1 ? ~UINT64_C(0) : 0);
    p.group = (uint8_t)t;
    p.row_accesses = (uint8_t)keep;
    p.width = 64;
    p.phase = (int16_t)part;
    return p;
}

/* ---- programs ---- */

static kir_ins ins(kir_code code, gpa_dtype t) {
    return (kir_ins){.code = (uint8_t)code, .type = (uint8_t)t, .a = -1, .b = -1, .c = -1};
}

static int array(kir_func *f, gpa_dtype t, int access, unsigned unit, unsigned zero) {
    kir_array a = {.dtype = (uint8_t)t,
                   .where = KIR_GLOBAL,
                   .access = (uint8_t)access,
                   .unit = (uint16_t)unit,
                   .zero = (uint16_t)zero,
                   .group = (uint16_t)f->n_arrays};
    return kir_add_array(f, a);
}

static int32_t load(kir_func *f, int a) {
    kir_ins i = ins(KIR_LOAD, (gpa_dtype)f->arrays[a].dtype);
    i.sub = (uint16_t)a;
    return kir_emit(f, i);
}

static void store(kir_func *f, int a, int32_t v) {
    kir_ins i = ins(KIR_STORE, DT_NONE);
    i.sub = (uint16_t)a;
    i.a = v;
    kir_emit(f, i);
}

static kir_func *map(const char *name, int ndim, unsigned inner) {
    kir_func *f = kir_new(KIR_MAP, name);
    f->ndim = (uint8_t)ndim;
    f->inner = (uint16_t)inner;
    f->flags = KIR_F_SMALL;
    return f;
}

static void test_operations(void **state) {
    (void)state;
    begin();
    for (int op = 0; op < OP_COUNT; op++) {
        for (int t = 0; t < DT_COUNT; t++) {
            gpa_dtype compute, result;
            if (op_info[op].composite || !op_types((gpa_op)op, (gpa_dtype)t, &compute, &result) ||
                compute != (gpa_dtype)t)
                continue;
            bool alike = t == DT_I16 || t == DT_I32 || t == DT_U8 || t == DT_U16 || t == DT_U32 ||
                         t == DT_BF16 || t == DT_C128;
            if (alike && op_info[op].cost >= 20)
                continue; /* the text is that of another width, and slow to compile */
            kir_func *f = map(op_info[op].name, 1, 0);
            int32_t v[3] = {-1, -1, -1};
            for (int k = 0; k < op_info[op].arity; k++)
                v[k] = load(f, array(f, op_operand_type((gpa_op)op, compute, k), KIR_READ, 1, 0));
            kir_ins i = ins(KIR_OP, result);
            i.sub = (uint16_t)op;
            i.a = v[0], i.b = v[1], i.c = v[2];
            store(f, array(f, result, KIR_WRITE, 1, 0), kir_emit(f, i));
            cu_plan p = points(1, 1, 0);
            gather(f, &p);
            kir_free(f);
        }
    }
    compile_all();
}

static void test_casts(void **state) {
    (void)state;
    begin();
    for (int from = 0; from < DT_COUNT; from++) {
        kir_func *f = map("cast", 1, 0);
        int32_t a = load(f, array(f, (gpa_dtype)from, KIR_READ, 1, 0));
        for (int to = 0; to < DT_COUNT; to++)
            store(f, array(f, (gpa_dtype)to, KIR_WRITE, 1, 0), kir_cast(f, (gpa_dtype)to, a));
        kir_const(f, (gpa_dtype)from, dtype_cast((gpa_val){.I64 = 1}, DT_I64, (gpa_dtype)from));
        kir_add_param(f, (gpa_dtype)from);
        cu_plan p = points(from % 2 ? 2 : 1, 2, 3);
        gather(f, &p);
        kir_free(f);
    }
    compile_all();
}

/* max, sum of (x - max), store of x / sum: three regions over rows. */
static kir_func *row_program(gpa_red r, gpa_dtype t, unsigned outer_dims, unsigned inner_dims,
                             bool small) {
    unsigned n = outer_dims + inner_dims, inner = ((1u << inner_dims) - 1) << outer_dims;
    kir_func *f = map(red_info[r].name, (int)n, inner);
    bool arg = red_info[r].arg;
    if (!small) f->flags = 0;
    int x = array(f, t, KIR_READ, 1u << (n - 1), 0),
        out = array(f, arg ? DT_I64 : t, KIR_WRITE, 0, inner),
        all = array(f, t, KIR_WRITE, 1u << (n - 1), 0);
    kir_open(f, ins(KIR_EACH, DT_NONE));
    kir_ins i = ins(KIR_REDUCE, arg ? DT_I64 : t);
    i.sub = (uint16_t)r;
    i.a = load(f, x);
    if (arg) {
        kir_ins at = ins(KIR_INDEX, DT_I64);
        at.imm = n - 1;
        i.b = kir_emit(f, at);
    }
    int32_t v = kir_emit(f, i);
    kir_close(f);
    kir_open(f, ins(KIR_EACH, DT_NONE));
    i.a = load(f, x);
    store(f, all, t == DT_F32 && !arg ? kir_op2(f, OP_DIVIDE, i.a, v) : i.a);
    kir_close(f);
    store(f, out, v);
    return f;
}

static void test_reductions(void **state) {
    static const struct {
        cu_group group;
        int vec, unroll, keep, part;
    } layouts[] = {{GROUP_THREAD, 1, 1, 0, -1}, {GROUP_WARP, 2, 2, 0, -1},
                   {GROUP_WARP, 1, 1, 4, -1},   {GROUP_BLOCK, 2, 4, 0, -1},
                   {GROUP_BLOCK, 2, 1, 4, -1},  {GROUP_BLOCK, 1, 2, 0, 0},
                   {GROUP_BLOCK, 1, 2, 0, 1},   {GROUP_COLUMN, 1, 8, 0, -1},
                   {GROUP_COLUMN, 1, 4, 0, 0},  {GROUP_COLUMN, 1, 4, 0, 1}};
    (void)state;
    begin();
    int n = 0;
    for (int r = 0; r < RED_COUNT; r++) {
        for (int t = 0; t < DT_COUNT; t++) {
            gpa_dtype compute = dtype_info[t].compute;
            if (!red_info[r].text[op_kind_index(dtype_info[compute].kind)]) continue;
            for (size_t w = 0; w < COUNT_OF(layouts); w++) {
                bool always = (t == DT_F32 && r == RED_SUM) || (r == RED_ARGMAX && t == DT_C128);
                if (!always && (size_t)n++ % COUNT_OF(layouts) != w) continue;
                kir_func *f =
                    row_program((gpa_red)r, (gpa_dtype)t, 1 + w % 2, 1 + w / 3 % 2, w % 4 != 3);
                cu_plan p = grouped(layouts[w].group, layouts[w].vec, layouts[w].unroll,
                                    layouts[w].keep, layouts[w].part);
                gather(f, &p);
                kir_free(f);
            }
        }
    }
    compile_all();
}

static void test_scans(void **state) {
    (void)state;
    begin();
    for (int t = 0; t < DT_COUNT; t++) {
        for (int w = 0; w < 5; w++) {
            if (w > 1 && t % 3 != w - 2 && t != DT_F32) continue; /* the text is alike */
            kir_func *f = map("scan", 2, 2);
            int x = array(f, (gpa_dtype)t, KIR_READ, 2, 0),
                y = array(f, (gpa_dtype)t, KIR_WRITE, 2, 0);
            kir_open(f, ins(KIR_EACH, DT_NONE));
            kir_ins i = ins(KIR_SCAN, (gpa_dtype)t);
            i.sub = RED_SUM;
            i.a = load(f, x);
            store(f, y, kir_emit(f, i));
            kir_close(f);
            cu_plan p = grouped(w == 1 ? GROUP_THREAD : GROUP_BLOCK, w > 1 ? 2 : 1, w > 1 ? 4 : 1,
                                0, w > 2 ? w - 3 : -1);
            p.scan = w > 1 ? SCAN_TILED : SCAN_IN_PLACE;
            gather(f, &p);
            size_t bytes = dtype_size(dtype_info[t].compute);
            bool lookback = bytes == 4 || bytes == 8;
            assert_int_equal(emit_facts(f).lookback, lookback);
            p.scan = SCAN_LOOKBACK;
            if (lookback && w == 0) gather(f, &p);
            kir_free(f);
        }
    }
    compile_all();
}

static void test_layouts(void **state) {
    (void)state;
    begin();
    for (int n = 0; n <= KIR_MAX_DIMS; n++) {
        for (int way = 0; way < 5; way++) {
            kir_func *f = map("layout", n, 0);
            if (way == 3 || (way == 4 && n % 2)) f->flags = 0;
            unsigned last = n ? 1u << (n - 1) : 0;
            int a = array(f, DT_F32, KIR_READ, last, 0),
                b = array(f, DT_F64, KIR_READ, 0, n > 1 ? 1 : 0),
                c = array(f, DT_F64, KIR_READ | KIR_WRITE, last, 0);
            kir_array gen = {.dtype = DT_I64, .where = KIR_VIRTUAL};
            kir_ins iota = ins(KIR_IOTA, DT_I64);
            iota.sub = (uint16_t)kir_add_array(f, gen);
            int32_t v = kir_op2(f, OP_ADD, kir_cast(f, DT_F64, load(f, a)), load(f, b));
            v = kir_op2(f, OP_MULTIPLY, v, kir_cast(f, DT_F64, kir_emit(f, iota)));
            store(f, c, kir_op2(f, OP_ADD, v, load(f, c)));
            cu_plan p = points(way == 1 && n ? 2 : 1, 1 + way, way == 1 ? 5 : 0);
            if (way == 2 && n > 1) p.tile_dim = (uint8_t)(n - 1), p.width = TILE_SIDE;
            p.even_extent = way == 1 && n % 2;
            for (int k = 0; k <= c && way == 4; k++) p.strip_source[k] = (uint8_t)k;
            if (way == 4 && n > 1)
                p.strip_dim = (uint8_t)(n - 1), p.strip_source[c] = (uint8_t)b,
                p.strip_shift[c] = 2;
            gather(f, &p);
            kir_free(f);
        }
    }
    compile_all();
}

static int32_t number(kir_func *f, gpa_dtype t, int64_t v) {
    return kir_const(f, t, dtype_cast((gpa_val){.I64 = v}, DT_I64, t));
}

static int32_t two(kir_func *f, kir_code code, gpa_dtype t, int32_t a, int32_t b) {
    kir_ins i = ins(code, t);
    i.a = a, i.b = b;
    return kir_emit(f, i);
}

/* Gather and scatter with bounds checks, a counted loop with BREAK and NEXT, a LOOP. */
static void test_control(void **state) {
    (void)state;
    begin();
    for (int small = 0; small < 2; small++) {
        kir_func *f = map("control", 1, 0);
        if (!small) f->flags = 0;
        int a = array(f, DT_I64, KIR_READ, 1, 0), b = array(f, DT_F16, KIR_READ, 0, 1),
            c = array(f, DT_F16, KIR_WRITE, 0, 1);
        int32_t at = two(f, KIR_BOUND, DT_I64, load(f, a), number(f, DT_I64, 10));
        kir_ins get = ins(KIR_LOADX, DT_F16);
        get.sub = (uint16_t)b, get.a = at;
        int32_t x = kir_emit(f, get);
        kir_ins var = ins(KIR_VAR, DT_F16);
        var.a = x;
        int32_t w = kir_emit(f, var);
        kir_ins open = ins(KIR_FOR, DT_I32);
        open.a = number(f, DT_I32, 0), open.b = number(f, DT_I32, 9),
        open.c = number(f, DT_I32, small ? 1 : 2);
        int32_t i = kir_open(f, open);
        kir_ins test = ins(KIR_IF, DT_NONE);
        test.a = kir_op2(f, OP_GREATER, i, number(f, DT_I32, 5));
        kir_open(f, test);
        kir_emit(f, ins(KIR_BREAK, DT_NONE));
        kir_emit(f, ins(KIR_ELSE, DT_NONE));
        kir_emit(f, ins(KIR_NEXT, DT_NONE));
        kir_close(f);
        kir_ins now = ins(KIR_GET, DT_F16);
        now.a = w;
        two(f, KIR_SET, DT_NONE, w, kir_op2(f, OP_ADD, kir_emit(f, now), x));
        kir_close(f);
        kir_open(f, ins(KIR_LOOP, DT_NONE));
        kir_emit(f, ins(KIR_BREAK, DT_NONE));
        kir_close(f);
        kir_ins put = ins(KIR_STOREX, DT_NONE);
        put.sub = (uint16_t)c, put.a = at, put.b = kir_emit(f, now);
        kir_emit(f, put);
        cu_plan p = points(1, 1, 0);
        gather(f, &p);
        kir_free(f);
    }
    compile_all();
}

/* Histograms: privatized, and in global memory. */
static void test_histograms(void **state) {
    (void)state;
    begin();
    for (int t = 0; t < DT_COUNT; t++) {
        if (!dtype_is_int((gpa_dtype)t)) continue;
        kir_func *f = map("bins", 1, 0);
        int a = array(f, DT_I64, KIR_READ, 1, 0),
            b = array(f, (gpa_dtype)t, KIR_READ | KIR_WRITE, 0, 1);
        kir_ins up = ins(KIR_ATOMIC, (gpa_dtype)t);
        up.sub = (uint16_t)b, up.imm = KIR_AT_ADD, up.a = load(f, a),
        up.b = number(f, (gpa_dtype)t, 1);
        kir_emit(f, up);
        cu_plan p = points(1 + t % 2, 2, 1);
        p.histogram_copies = dtype_size((gpa_dtype)t) >= 4;
        assert_int_equal(p.histogram_copies, emit_facts(f).histogram == b);
        gather(f, &p);
        kir_free(f);
    }
    compile_all();
}

/* Scatter: the phases that make the last of repeated indices win. */
static void test_scatter(void **state) {
    (void)state;
    begin();
    for (int part = PHASE_CLAIM; part <= PHASE_STORE; part++) {
        kir_func *f = map("scatter", 1, 0);
        int a = array(f, DT_I64, KIR_READ, 1, 0), b = array(f, DT_F32, KIR_READ, 1, 0),
            c = array(f, DT_F32, KIR_WRITE, 0, 1);
        kir_ins put = ins(KIR_STOREX, DT_NONE);
        put.sub = (uint16_t)c, put.a = load(f, a), put.b = load(f, b);
        kir_emit(f, put);
        cu_plan p = points(1, 1, 0);
        p.phase = (int16_t)part;
        gather(f, &p);
        kir_free(f);
    }
    compile_all();
}

/* Every point writes `n` private elements, or all but one. */
static void private_elements(gpa_dtype t, int n, bool all) {
    kir_func *f = map("own", 1, 0);
    f->flags |= KIR_F_UNORDERED;
    int a = array(f, t, KIR_READ, 0, 1), b = array(f, t, KIR_WRITE, 0, 1);
    int32_t first =
        kir_op2(f, OP_MULTIPLY, kir_emit(f, ins(KIR_INDEX, DT_I64)), number(f, DT_I64, n));
    kir_ins open = ins(KIR_FOR, DT_I64);
    open.a = number(f, DT_I64, all ? 0 : 1), open.b = number(f, DT_I64, n),
    open.c = number(f, DT_I64, 1);
    int32_t i = kir_open(f, open);
    kir_ins get = ins(KIR_LOADX, t), put = ins(KIR_STOREX, DT_NONE);
    get.sub = (uint16_t)a, get.a = kir_op2(f, OP_ADD, first, i);
    put.sub = (uint16_t)b, put.a = get.a, put.b = kir_emit(f, get);
    kir_emit(f, put);
    kir_close(f);
    cu_plan p = points(1, 1, ~UINT64_C(0));
    cu_source s;
    gpa_err e = {0};
    assert_int_equal(emit_source(f, &p, NULL, "gpa", &s, &e), GPA_OK);
    assert_int_equal(strstr(s.text.text, "kept1[") != NULL,
                     all && n > 1 && n * (int)dtype_size(t) <= 96);
    emit_free(&s);
    gather(f, &p);
    kir_free(f);
}

static void test_private(void **state) {
    (void)state;
    begin();
    for (int t = 0; t < DT_COUNT; t++)
        for (int n = 1; n <= 10; n += 3) private_elements((gpa_dtype)t, n, n != 7);
    compile_all();
}

static void test_kernels(void **state) {
    (void)state;
    begin();
    for (int t = 0; t < DT_COUNT; t++) {
        kir_func *f = kir_new(KIR_KERNEL, "kernel");
        kir_array a = {
            .dtype = (uint8_t)t, .where = KIR_GLOBAL, .access = KIR_READ | KIR_WRITE, .ndim = 1};
        int g = kir_add_array(f, a);
        a.where = KIR_SHARED, a.count = 64, a.group = 1, a.ndim = 0;
        int s = kir_add_array(f, a);
        kir_ins i = ins(KIR_THREAD, DT_I32);
        int32_t at = kir_cast(f, DT_I64, kir_emit(f, i));
        kir_ins get = ins(KIR_LOADX, (gpa_dtype)t), put = ins(KIR_STOREX, DT_NONE);
        get.sub = (uint16_t)g, get.a = at;
        int32_t v = kir_emit(f, get);
        put.sub = (uint16_t)s, put.a = at, put.b = v;
        kir_emit(f, put);
        kir_ins wait = ins(KIR_BARRIER, DT_NONE);
        kir_emit(f, wait);
        for (int row = 0; row < KIR_AT_ROWS; row++) {
            bool bits = row == KIR_AT_AND || row == KIR_AT_OR || row == KIR_AT_XOR,
                 whole = t == DT_BOOL || dtype_is_int((gpa_dtype)t),
                 compares = row == KIR_AT_INC || row == KIR_AT_DEC || row == KIR_AT_MIN ||
                            row == KIR_AT_MAX;
            bool has = bits ? whole : row == KIR_AT_SUB ? t != DT_BOOL : true;
            if (!has || (t == DT_BOOL && (row == KIR_AT_INC || row == KIR_AT_DEC)) ||
                (t == DT_C128 && row != KIR_AT_ADD) || (dtype_is_complex((gpa_dtype)t) && compares))
                continue;
            kir_ins up = ins(KIR_ATOMIC, (gpa_dtype)t);
            up.sub = (uint16_t)(row % 2 ? s : g), up.imm = (uint32_t)row, up.a = at, up.b = v,
            up.c = row == KIR_AT_CAS ? v : -1;
            kir_emit(f, up);
        }
        kir_ins shuffle = ins(KIR_WARP, (gpa_dtype)t);
        shuffle.sub = KIR_WA_SHFL_DOWN, shuffle.a = v, shuffle.b = number(f, DT_I32, 1);
        kir_ins arg = ins(KIR_ARG, DT_NONE), print = ins(KIR_PRINT, DT_NONE);
        arg.a = kir_emit(f, shuffle);
        kir_emit(f, arg);
        print.imm = kir_add_text(f, "100% \"\1\"\n");
        kir_emit(f, print);
        cu_plan p = points(1, 1, 0);
        gather(f, &p);
        kir_free(f);
    }
    compile_all();
}

/* The kernels of batched linear algebra, each in its own compilation. */
static void test_small_matrices(void **state) {
    static const gpa_lib_kind kinds[] = {LIB_LU, LIB_SOLVE, LIB_CHOLESKY, LIB_QR,  LIB_SVD,
                                         LIB_QR, LIB_SVD,   LIB_EIGH,     LIB_EIGH};
    static const int64_t sizes[] = {5, 5, 5, 5, 5, 40, 70, 5, 17};
    static const gpa_dtype types[] = {DT_F32, DT_F64, DT_C64, DT_C128};
    (void)state;
    begin();
    for (size_t k = 0; k < COUNT_OF(kinds); k++)
        for (size_t t = k % 2; t < COUNT_OF(types); t += 2) {
            bool many =
                k + 1 == COUNT_OF(kinds); /* eigenvalues alone of many matrices: another kernel */
            int64_t n = sizes[k];
            gpa_libcall c = {.kind = kinds[k],
                             .dtype = types[t],
                             .matrix = {.batch = many ? 5000 : 2,
                                        .m = n,
                                        .n = n,
                                        .k = (int64_t)t + 1,
                                        .vectors = !many}};
            cu_target target = targets[turn % COUNT_OF(targets)];
            char *source = batched_program_source(&c, target.major >= 8);
            assert_non_null(source);
            str_put(&together, source);
            mem_free(source);
            gathered = 1;
            compile_gathered();
        }
    compile_all();
}

/* The kernels of attention, by mma.sync and by wgmma. */
static void test_attention(void **state) {
    static const int64_t sizes[][2] = {{64, 64}, {128, 128}, {40, 24}, {17, 33}, {256, 192}};
    (void)state;
    begin();
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        for (int hopper = 0; hopper < (i < 3 ? 2 : 1); hopper++) {
            const bool odd = (i + (size_t)hopper) % 2;
            const gpa_libcall c = {.kind = LIB_ATTENTION,
                                   .dtype = odd ? DT_BF16 : DT_F16,
                                   .attention = {.m = 1,
                                                 .n = 1,
                                                 .dk = sizes[i][0],
                                                 .dv = sizes[i][1],
                                                 .scale = odd ? 1 : -1,
                                                 .causal = odd,
                                                 .mask_form = (gpa_attention_mask)(i % 3)}};
            char *source = attention_program_source(&c, hopper, i != 3);
            assert_non_null(source);
            str_put(&together, source);
            mem_free(source);
            gathered = 1;
            compile_for(hopper ? (cu_target){.major = 9, .cubin = true, .specific = true}
                               : (cu_target){.major = 8, .cubin = true, .contract = true});
        }
    compile_all();
}

UNIT_TESTS(TEST(test_quick_then_full), TEST(test_small_matrices), TEST(test_attention),
           TEST(test_layouts), TEST(test_control), TEST(test_histograms), TEST(test_scatter),
           TEST(test_private), TEST(test_casts), TEST(test_scans), TEST(test_reductions),
           TEST(test_kernels), TEST(test_operations))
