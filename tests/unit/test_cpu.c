/* The CPU device: compiled programs against the same values computed one by one. */
#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#include "runtime/backend.h"
#include "runtime/str.h"

/* The plugin finds the core in the executable: what it calls must be linked in. */
extern const void *const test_cpu_needs[];
const void *const test_cpu_needs[] = {(const void *)(uintptr_t)gpa_tables_hash, (const void *)(uintptr_t)str_printf,
                                      (const void *)(uintptr_t)kir_check, (const void *)(uintptr_t)red_combine};

static const gpa_backend *be;
static gpa_dev *dev;

/* The plugin lies two folders above this program. */
static void load_plugin(void) {
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 64);
    void *entry;
    gpa_backend_entry_fn fn;
    gpa_err e = {0};
    if (n <= 0) return;
    path[n] = 0;
    for (int i = 0; i < 3; i++) *strrchr(path, '/') = 0;
    strcat(path, "/gpa-cpu.so");
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!lib) {
        print_message("no CPU plugin: %s\n", dlerror());
        return;
    }
    entry = dlsym(lib, GPA_BACKEND_ENTRY);
    memcpy(&fn, &entry, sizeof fn);
    be = fn(GPA_BACKEND_ABI);
    if (be && be->open(0, &dev, &e)) fail_msg("%s", e.msg);
}

#define NEED_PLUGIN() (load_plugin(), be ? (void)0 : skip())

static int wrong; /* values of the current test */

static void close_device(void) {
    int found = wrong;
    wrong = 0;
    be->close(dev);
    assert_int_equal(found, 0);
}

static void check(gpa_code rc, const gpa_err *e) {
    if (rc) fail_msg("%s: %s", gpa_err_name(rc), e->msg);
}

/* ---- one launch ---- */

enum { MOST = 8 };

typedef struct {
    kir_func *f;
    gpa_mem *mem[MOST];
    gpa_binding bind[MOST];
    gpa_val params[MOST];
    kir_fault_record fault;
    gpa_prog *p;
} job;

static job job_new(const char *name, int ndim, unsigned inner) {
    job j = {.f = kir_new(KIR_MAP, name)};
    j.f->ndim = (uint8_t)ndim;
    j.f->inner = (uint16_t)inner;
    return j;
}

/* An array of n elements bound with these strides. */
static int job_array(job *j, gpa_dtype t, int access, size_t n, int64_t offset, const int64_t *stride) {
    kir_array a = {.dtype = (uint8_t)t, .where = KIR_GLOBAL, .access = (uint8_t)access, .group = (uint16_t)j->f->n_arrays};
    gpa_err e = {0};
    int k;
    for (int d = 0; d < j->f->ndim; d++) a.zero |= (uint16_t)((stride[d] == 0) << d), a.unit |= (uint16_t)((stride[d] == 1) << d);
    k = kir_add_array(j->f, a);
    check(be->alloc(dev, n * dtype_size(t), &j->mem[k], &e), &e);
    j->bind[k] = (gpa_binding){.mem = j->mem[k], .offset = offset};
    for (int d = 0; d < j->f->ndim; d++) j->bind[k].stride[d] = stride[d];
    j->bind[k].size[0] = (int64_t)n;
    return k;
}

static void *job_data(const job *j, int k) { return be->base(j->mem[k]); }

static void job_launch(job *j, const int64_t *size) {
    gpa_launch l = {.arrays = j->bind, .params = j->params, .fault = &j->fault};
    gpa_err e = {0};
    check(kir_check(j->f, &e), &e);
    for (int d = 0; d < j->f->ndim; d++) l.size[d] = size[d];
    if (!j->p) check(be->build(dev, j->f, &j->p, &e), &e);
    check(be->run(dev, j->p, &l, &e), &e);
    check(be->sync(dev, &e), &e);
}

static void job_free(job *j) {
    for (size_t k = 0; k < j->f->n_arrays; k++) be->free(dev, j->mem[k]);
    if (j->p) be->drop(dev, j->p);
    kir_free(j->f);
}

static int32_t load(job *j, int k) {
    return kir_emit(j->f, (kir_ins){.code = KIR_LOAD, .type = j->f->arrays[k].dtype, .sub = (uint16_t)k, .a = -1, .b = -1, .c = -1});
}

static void store(job *j, int k, int32_t v) {
    kir_emit(j->f, (kir_ins){.code = KIR_STORE, .type = DT_NONE, .sub = (uint16_t)k, .a = v, .b = -1, .c = -1});
}

/* ---- values ---- */

static uint64_t seed = 88172645463325252u;

static uint64_t roll(void) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return seed;
}

/* A number that meets the edges of its type often enough. */
static gpa_val any_value(gpa_dtype t) {
    static const double edges[] = {0, -0.0, 1, -1, 2, 0.5, -3, 127, 128, 255, 256, 32767, 1e10, -1e10, 65504, INFINITY, -INFINITY, NAN};
    gpa_val v = {0};
    bool edge = roll() % 4 == 0;
    double x = edge ? edges[roll() % COUNT_OF(edges)] : ((double)(int64_t)roll() / 9.2e18) * (roll() % 2 ? 10 : 1000);
    double y = ((double)(int64_t)roll() / 9.2e18) * 10;
    if (dtype_is_complex(t))
        return dtype_cast((gpa_val){.C128 = {edge ? (double)(int)(roll() % 9) - 4 : x, y}}, DT_C128, t);
    if (dtype_info[t].kind == 'F') return dtype_cast((gpa_val){.F64 = x}, DT_F64, t);
    if (t == DT_BOOL) return v.BOOL = roll() & 1, v;
    if (edge) {
        static const int64_t ints[] = {0, 1, -1, 2, 7, INT8_MIN, INT8_MAX, INT16_MIN, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX};
        return dtype_cast((gpa_val){.I64 = ints[roll() % COUNT_OF(ints)]}, DT_I64, t);
    }
    return dtype_cast((gpa_val){.I64 = (int64_t)(roll() % 200) - 100}, DT_I64, t);
}

static uint64_t order64(double x) {
    int64_t n;
    memcpy(&n, &x, sizeof n);
    return n < 0 ? (uint64_t)(INT64_MIN - n) ^ UINT64_C(1) << 63 : (uint64_t)n ^ UINT64_C(1) << 63;
}

static uint64_t order32(float x) {
    int32_t n;
    memcpy(&n, &x, sizeof n);
    return (uint64_t)(n < 0 ? (int64_t)INT32_MIN - n : (int64_t)n);
}

/* Distance in units of the last place; equal NaNs are at 0. */
static uint64_t ulps(double a, double b, gpa_dtype t) {
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b) ? 0 : UINT64_MAX;
    uint64_t x = t == DT_F64 || t == DT_C128 ? order64(a) : order32((float)a), y = t == DT_F64 || t == DT_C128 ? order64(b) : order32((float)b);
    return x > y ? x - y : y - x;
}

static uint64_t distance(gpa_val a, gpa_val b, gpa_dtype t) {
    gpa_val x = dtype_cast(a, t, DT_C128), y = dtype_cast(b, t, DT_C128);
    if (dtype_is_complex(t) || t == DT_F32 || t == DT_F64) {
        uint64_t re = ulps(x.C128.re, y.C128.re, t), im = ulps(x.C128.im, y.C128.im, t);
        return MAX(re, im);
    }
    if (t == DT_F16 || t == DT_BF16) {
        if (isnan(x.C128.re) && isnan(y.C128.re)) return 0;
        int p = a.U16 & 0x8000 ? -(a.U16 & 0x7fff) : a.U16, q = b.U16 & 0x8000 ? -(b.U16 & 0x7fff) : b.U16;
        return (uint64_t)abs(p - q);
    }
    return memcmp(&a, &b, dtype_size(t)) ? UINT64_MAX : 0;
}

static void show(char *out, size_t n, gpa_val v, gpa_dtype t) {
    gpa_val c = dtype_cast(v, t, DT_C128);
    snprintf(out, n, "%.17g%+.17gj", c.C128.re, c.C128.im);
}

/* Zeros of different sign are different where a result must be exact. */
static bool sign_differs(gpa_val a, gpa_val b, gpa_dtype t) {
    gpa_val x = dtype_cast(a, t, DT_C128), y = dtype_cast(b, t, DT_C128);
    bool re = x.C128.re == 0 && signbit(x.C128.re) != signbit(y.C128.re);
    return re || (x.C128.im == 0 && signbit(x.C128.im) != signbit(y.C128.im));
}

static void same(gpa_val got, gpa_val want, gpa_dtype t, uint64_t allowed, const char *what, size_t at) {
    char a[64], b[64];
    uint64_t far = distance(got, want, t);
    if (far <= allowed && !(far == 0 && allowed == 0 && sign_differs(got, want, t))) return;
    show(a, sizeof a, got, t);
    show(b, sizeof b, want, t);
    if (wrong++ < 20) print_error("%s [%zu] (%s): got %s, not %s\n", what, at, dtype_info[t].name, a, b);
}

static void fill(void *p, gpa_dtype t, size_t n) {
    for (size_t i = 0; i < n; i++) dtype_store((char *)p + i * dtype_size(t), t, any_value(t));
}

static gpa_val at(const void *p, gpa_dtype t, size_t i) { return dtype_load((const char *)p + i * dtype_size(t), t); }

/* ---- tests ---- */

/* Every row of op.def on every type it computes in, at sizes around the width of vectors. */
static void one_op(gpa_op op, gpa_dtype t, gpa_dtype to, size_t n) {
    job j = job_new(op_info[op].name, 1, 0);
    const int64_t one = 1;
    int arity = op_info[op].arity, in[3];
    int32_t v[3] = {-1, -1, -1};
    gpa_dtype types[3];
    for (int i = 0; i < arity; i++) {
        types[i] = op_operand(op, t, i);
        in[i] = job_array(&j, types[i], KIR_READ, n, 0, &one);
        fill(job_data(&j, in[i]), types[i], n);
        v[i] = load(&j, in[i]);
    }
    int out = job_array(&j, to, KIR_WRITE, n + 1, 0, &one);
    memset(job_data(&j, out), 0x5a, (n + 1) * dtype_size(to));
    int32_t r = arity == 1 ? kir_op1(j.f, op, v[0]) : arity == 2 ? kir_op2(j.f, op, v[0], v[1]) : kir_op3(j.f, op, v[0], v[1], v[2]);
    store(&j, out, r);
    job_launch(&j, (int64_t[]){(int64_t)n});
    bool rounds = op_info[op].cost >= 20 && dtype_info[t].kind == 'F', modulus = op == OP_ABSOLUTE && dtype_is_complex(t);
    uint64_t allowed = rounds || modulus ? 4 : 0;
    for (size_t i = 0; i < n; i++) {
        gpa_val x[3] = {{0}};
        for (int k = 0; k < arity; k++) x[k] = at(job_data(&j, in[k]), types[k], i);
        same(at(job_data(&j, out), to, i), op_scalar(op, t, x[0], x[1], x[2]), to, allowed, op_info[op].name, i);
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
            int a = job_array(&j, (gpa_dtype)from, KIR_READ, N, 0, &one), b = job_array(&j, (gpa_dtype)to, KIR_WRITE, N, 0, &one);
            fill(job_data(&j, a), (gpa_dtype)from, N);
            store(&j, b, kir_cast(j.f, (gpa_dtype)to, load(&j, a)));
            job_launch(&j, (int64_t[]){N});
            for (size_t i = 0; i < N; i++) {
                gpa_val x = at(job_data(&j, a), (gpa_dtype)from, i);
                char what[64];
                snprintf(what, sizeof what, "cast of %s", dtype_info[from].name);
                same(at(job_data(&j, b), (gpa_dtype)to, i), dtype_cast(x, (gpa_dtype)from, (gpa_dtype)to), (gpa_dtype)to, 0, what, i);
            }
            job_free(&j);
        }
    close_device();
}

/* a * b + c over rows and columns that lie in memory in every which way. */
static void layouts(void **state) {
    (void)state;
    NEED_PLUGIN();
    static const int64_t shapes[][2] = {{1, 1}, {3, 5}, {5, 3}, {17, 40}, {1, 100}, {100, 1}, {0, 4}, {4, 0}, {64, 1000}};
    for (size_t s = 0; s < COUNT_OF(shapes); s++)
        for (int way = 0; way < 6; way++) {
            int64_t r = shapes[s][0], c = shapes[s][1], n = r * c + 8;
            const int64_t strides[6][2] = {{c, 1}, {1, r}, {0, 1}, {1, 0}, {-c, -1}, {2 * c, 2}};
            const int64_t offsets[6] = {0, 0, 0, 0, r * c > 0 ? r * c - 1 : 0, 0};
            job j = job_new("layouts", 2, 0);
            int a = job_array(&j, DT_F32, KIR_READ, (size_t)(2 * n), offsets[way], strides[way]);
            int b = job_array(&j, DT_F64, KIR_READ, (size_t)n, 0, (int64_t[]){c, 1});
            int d = job_array(&j, DT_F64, KIR_WRITE, (size_t)(2 * n), 0, way == 5 ? (int64_t[]){2 * c, 2} : (int64_t[]){c, 1});
            fill(job_data(&j, a), DT_F32, (size_t)(2 * n));
            fill(job_data(&j, b), DT_F64, (size_t)n);
            int32_t x = kir_cast(j.f, DT_F64, load(&j, a));
            store(&j, d, kir_op2(j.f, OP_ADD, kir_op2(j.f, OP_MULTIPLY, x, load(&j, b)), x));
            job_launch(&j, shapes[s]);
            const float *pa = job_data(&j, a);
            const double *pb = job_data(&j, b), *pd = job_data(&j, d);
            for (int64_t y = 0; y < r; y++)
                for (int64_t z = 0; z < c; z++) {
                    double v = pa[offsets[way] + y * strides[way][0] + z * strides[way][1]], w = pb[y * c + z];
                    gpa_val want = {.F64 = v * w + v}, got = {.F64 = pd[y * j.bind[d].stride[0] + z * j.bind[d].stride[1]]};
                    same(got, want, DT_F64, 0, "layout", (size_t)(y * c + z));
                }
            job_free(&j);
        }
    close_device();
}


/* Results too large for the caches, in rows that begin anywhere between two vectors; operands are interleaved columns. */
static void large_results(void **state) {
    (void)state;
    NEED_PLUGIN();
    static const int64_t pitches[] = {3008, 3001};
    for (size_t s = 0; s < COUNT_OF(pitches); s++) {
        int64_t rows = 3000, columns = 2900, pitch = pitches[s];
        size_t n = (size_t)(rows * pitch);
        job j = job_new("large", 2, 0);
        int a = job_array(&j, DT_F32, KIR_READ, 2 * n, 1, (int64_t[]){2 * pitch, 2}), b = job_array(&j, DT_F32, KIR_WRITE, n, 5, (int64_t[]){pitch, 1});
        float *x = job_data(&j, a), *y = job_data(&j, b);
        for (size_t i = 0; i < 2 * n; i++) x[i] = (float)(i % 8191);
        memset(y, 0, n * sizeof *y);
        store(&j, b, kir_op2(j.f, OP_ADD, load(&j, a), kir_const(j.f, DT_F32, (gpa_val){.F32 = 1})));
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

static int32_t coordinate(job *j, int d) {
    return kir_emit(j->f, (kir_ins){.code = KIR_INDEX, .type = DT_I64, .imm = (uint32_t)d, .a = -1, .b = -1, .c = -1});
}

static int32_t extent(job *j, int d) {
    return kir_emit(j->f, (kir_ins){.code = KIR_SIZE, .type = DT_I64, .sub = KIR_SPACE, .imm = (uint32_t)d, .a = -1, .b = -1, .c = -1});
}

static void each(job *j) { kir_open(j->f, (kir_ins){.code = KIR_EACH, .type = DT_NONE, .a = -1, .b = -1, .c = -1}); }

static int32_t reduce(job *j, gpa_red r, gpa_dtype t, int32_t a, int32_t b) {
    return kir_emit(j->f, (kir_ins){.code = KIR_REDUCE, .type = (uint8_t)t, .sub = (uint16_t)r, .a = a, .b = b, .c = -1});
}

/* Reduces a rows x columns matrix along one axis (2: both), from memory in row or column order. */
static void one_reduction(gpa_red r, gpa_dtype t, int axis, const int64_t *size, bool by_columns) {
    unsigned inner = axis == 2 ? 3 : 1u << axis;
    job j = job_new(red_info[r].name, 2, inner);
    int64_t in_stride[2] = {by_columns ? 1 : size[1], by_columns ? size[0] : 1};
    int64_t out_stride[2] = {axis == 1, axis == 0}, outer = axis == 0 ? size[1] : axis == 1 ? size[0] : 1;
    gpa_dtype to = red_info[r].arg ? DT_I64 : t;
    size_t n = (size_t)(size[0] * size[1]);
    int a = job_array(&j, t, KIR_READ, n, 0, in_stride), b = job_array(&j, to, KIR_WRITE, (size_t)outer, 0, out_stride);
    fill(job_data(&j, a), t, n);
    bool exact = !((r == RED_SUM || r == RED_PROD) && (dtype_is_float(t) || dtype_is_complex(t)));
    if (!exact)
        for (size_t i = 0; i < n; i++)
            dtype_store((char *)job_data(&j, a) + i * dtype_size(t), t,
                        dtype_cast((gpa_val){.F64 = r == RED_PROD ? (roll() % 2 ? 1 : -1) : (double)(roll() % 16)}, DT_F64, t));
    each(&j);
    int32_t v = load(&j, a), at_ = -1;
    if (red_info[r].arg) {
        at_ = axis == 2 ? kir_op2(j.f, OP_ADD, kir_op2(j.f, OP_MULTIPLY, coordinate(&j, 0), extent(&j, 1)), coordinate(&j, 1)) : coordinate(&j, axis);
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
                gpa_red_state one = {dtype_cast(e, t, st), axis == 0 ? y : axis == 1 ? x : y * size[1] + x};
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
            if (!red_info[r].text[op_kind_at(dtype_info[t].kind)]) continue;
            for (size_t s = 0; s < COUNT_OF(sizes); s++)
                one_reduction((gpa_red)r, (gpa_dtype)t, (int)(s + (size_t)r) % 3, sizes[s], (t + (int)s) % 2);
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
    int a = job_array(&j, DT_F32, KIR_READ, n, 0, stride), b = job_array(&j, DT_F32, KIR_WRITE, n, 0, stride);
    float *x = job_data(&j, a), *y = job_data(&j, b);
    for (size_t i = 0; i < n; i++) x[i] = (float)(i * 2654435761u % 1000) / 50;
    each(&j);
    int32_t most = reduce(&j, RED_MAX, DT_F32, load(&j, a), -1);
    kir_close(j.f);
    each(&j);
    int32_t sum = reduce(&j, RED_SUM, DT_F32, kir_op1(j.f, OP_EXP, kir_op2(j.f, OP_SUBTRACT, load(&j, a), most)), -1);
    kir_close(j.f);
    each(&j);
    store(&j, b, kir_op2(j.f, OP_DIVIDE, kir_op1(j.f, OP_EXP, kir_op2(j.f, OP_SUBTRACT, load(&j, a), most)), sum));
    kir_close(j.f);
    job_launch(&j, (int64_t[]){rows, columns});
    for (int64_t r = 0; r < rows; r++) {
        double total = 0, top = -INFINITY;
        for (int64_t c = 0; c < columns; c++) top = fmax(top, (double)x[r * columns + c]);
        for (int64_t c = 0; c < columns; c++) total += exp((double)x[r * columns + c] - top);
        for (int64_t c = 0; c < columns; c++) {
            double want = exp((double)x[r * columns + c] - top) / total, got = (double)y[r * columns + c];
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

/* The error of a long float32 sum is a few units in the last place, as NumPy's pairwise sums have. */
static void sums_are_accurate(void **state) {
    (void)state;
    enum { N = 10000019 };
    NEED_PLUGIN();
    job j = job_new("sum", 1, 1);
    int a = job_array(&j, DT_F32, KIR_READ, N, 0, (int64_t[]){1}), b = job_array(&j, DT_F32, KIR_WRITE, 1, 0, (int64_t[]){0});
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
            int a = job_array(&j, DT_F32, KIR_READ, n, 0, stride), b = job_array(&j, DT_F32, KIR_WRITE, n, 0, stride);
            fill(job_data(&j, a), DT_F32, n);
            each(&j);
            store(&j, b, kir_emit(j.f, (kir_ins){.code = KIR_SCAN, .type = DT_F32, .sub = RED_SUM, .a = load(&j, a), .b = -1, .c = -1}));
            kir_close(j.f);
            job_launch(&j, size);
            const float *x = job_data(&j, a), *y = job_data(&j, b);
            for (size_t o = 0; o < n / (size_t)length; o++) {
                size_t first = axis ? o * (size_t)size[1] : o;
                float sum = 0;
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

/* ---- compiled functions: branches, loops, checked indices, atomics ---- */

static int32_t ins(job *j, kir_ins i) { return kir_emit(j->f, i); }
static int32_t whole_number(job *j, int64_t n) { return kir_const(j->f, DT_I64, (gpa_val){.I64 = n}); }
static int32_t var(job *j, int32_t v) { return ins(j, (kir_ins){.code = KIR_VAR, .type = DT_I64, .a = v, .b = -1, .c = -1}); }
static int32_t get(job *j, int32_t v) { return ins(j, (kir_ins){.code = KIR_GET, .type = DT_I64, .a = v, .b = -1, .c = -1}); }
static void set(job *j, int32_t v, int32_t x) { ins(j, (kir_ins){.code = KIR_SET, .type = DT_NONE, .a = v, .b = x, .c = -1}); }
static void open(job *j, kir_code c, int32_t a) { kir_open(j->f, (kir_ins){.code = (uint8_t)c, .type = DT_NONE, .a = a, .b = -1, .c = -1}); }
static void leave(job *j, kir_code c, uint32_t n) { ins(j, (kir_ins){.code = (uint8_t)c, .type = DT_NONE, .imm = n, .a = -1, .b = -1, .c = -1}); }

/* Steps of Collatz's walk: a loop with a way out in its middle and two branches. */
static void loops_and_branches(void **state) {
    (void)state;
    enum { N = 1000 };
    NEED_PLUGIN();
    job j = job_new("collatz", 1, 0);
    int a = job_array(&j, DT_I64, KIR_READ, N, 0, (int64_t[]){1}), b = job_array(&j, DT_I64, KIR_WRITE, N, 0, (int64_t[]){1});
    int64_t *x = job_data(&j, a), *y = job_data(&j, b);
    for (int i = 0; i < N; i++) x[i] = i + 1;
    int32_t n = var(&j, load(&j, a)), steps = var(&j, -1), one = whole_number(&j, 1), two = whole_number(&j, 2);
    open(&j, KIR_LOOP, -1);
    open(&j, KIR_IF, kir_op2(j.f, OP_EQUAL, get(&j, n), one));
    leave(&j, KIR_BREAK, 0);
    kir_close(j.f);
    int32_t now = get(&j, n);
    open(&j, KIR_IF, kir_op2(j.f, OP_EQUAL, kir_op2(j.f, OP_REMAINDER, now, two), whole_number(&j, 0)));
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

/* Sums of every third number below each element, upwards and downwards, leaving out those that end in 5. */
static void counted_loops(void **state) {
    (void)state;
    enum { N = 200 };
    NEED_PLUGIN();
    job j = job_new("counted", 1, 0);
    int a = job_array(&j, DT_I64, KIR_READ, N, 0, (int64_t[]){1}), b = job_array(&j, DT_I64, KIR_WRITE, N, 0, (int64_t[]){1});
    int64_t *x = job_data(&j, a), *y = job_data(&j, b);
    for (int i = 0; i < N; i++) x[i] = i - 20;
    int32_t sum = var(&j, -1), n = load(&j, a), zero = whole_number(&j, 0);
    for (int down = 0; down < 2; down++) {
        int32_t k = kir_open(j.f, (kir_ins){.code = KIR_FOR, .type = DT_I64, .a = down ? n : zero, .b = down ? zero : n, .c = whole_number(&j, down ? -3 : 3)});
        open(&j, KIR_IF, kir_op2(j.f, OP_EQUAL, kir_op2(j.f, OP_REMAINDER, k, whole_number(&j, 10)), whole_number(&j, 5)));
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
    int x = job_array(&j, DT_F32, KIR_READ, M, 0, (int64_t[]){0}), k = job_array(&j, DT_I64, KIR_READ, N, 0, (int64_t[]){1});
    int y = job_array(&j, DT_F32, KIR_WRITE, N, 0, (int64_t[]){1});
    fill(job_data(&j, x), DT_F32, M);
    int64_t *index = job_data(&j, k);
    for (int i = 0; i < N; i++) index[i] = (int64_t)(roll() % (2 * M)) - M;
    int32_t i = ins(&j, (kir_ins){.code = KIR_BOUND, .type = DT_I64, .sub = 2, .a = load(&j, k), .b = whole_number(&j, M), .c = -1});
    store(&j, y, ins(&j, (kir_ins){.code = KIR_LOADX, .type = DT_F32, .sub = (uint16_t)x, .a = i, .b = -1, .c = -1}));
    job_launch(&j, (int64_t[]){N});
    assert_int_equal(j.fault.set, 0);
    for (size_t n = 0; n < N; n++) {
        size_t from = (size_t)(index[n] < 0 ? index[n] + M : index[n]);
        same(at(job_data(&j, y), DT_F32, n), at(job_data(&j, x), DT_F32, from), DT_F32, 0, "take", n);
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
    int k = job_array(&j, DT_I64, KIR_READ, N, 0, (int64_t[]){1}), c = job_array(&j, DT_I32, KIR_READ | KIR_WRITE, M, 0, (int64_t[]){0});
    int64_t *index = job_data(&j, k);
    int32_t *counts = job_data(&j, c), want[M] = {0};
    memset(counts, 0, M * sizeof *counts);
    for (int i = 0; i < N; i++) want[index[i] = (int64_t)(roll() % M)]++;
    ins(&j, (kir_ins){.code = KIR_ATOMIC, .type = DT_I32, .sub = (uint16_t)c, .imm = KIR_AT_ADD, .a = load(&j, k), .b = kir_const(j.f, DT_I32, (gpa_val){.I32 = 1}), .c = -1});
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

/* ---- random programs, against the reference device ---- */

/* Runs the same program there, on copies of the arrays as they were before. */
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

/* An array over the space: any order of dimensions, some reversed, some standing still. */
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
        for (int i = 0; i < op_info[op].arity; i++) v[i] = any_of(r, op_operand(op, t, i));
        int32_t x = op_info[op].arity == 1 ? kir_op1(r->j.f, op, v[0]) : op_info[op].arity == 2 ? kir_op2(r->j.f, op, v[0], v[1]) : kir_op3(r->j.f, op, v[0], v[1], v[2]);
        add_value(r, x);
        return;
    }
}

/* Of the exact reductions one that the type has. */
static int32_t any_reduction(recipe *r) {
    for (;;) {
        gpa_red red = (gpa_red)(roll() % RED_COUNT);
        gpa_dtype t = (gpa_dtype)(roll() % DT_COUNT);
        bool rounds = (red == RED_SUM || red == RED_PROD) && (dtype_is_float(t) || dtype_is_complex(t));
        if (rounds || !red_info[red].text[op_kind_at(dtype_info[t].kind)]) continue;
        int32_t at_ = -1;
        if (red_info[red].arg)
            for (int d = 0; d < r->ndim; d++) {
                if (!(r->inner >> d & 1)) continue;
                int32_t c = coordinate(&r->j, d);
                at_ = at_ < 0 ? c : kir_op2(r->j.f, OP_ADD, kir_op2(r->j.f, OP_MULTIPLY, at_, extent(&r->j, d)), c);
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
    for (int k = (int)(roll() % 3); k >= 0; k--) any_array(&r, (gpa_dtype)(roll() % DT_COUNT), KIR_READ, 0);
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
        for (size_t i = 0; i < r.count[k] && wrong < old + 3; i++) same(at(job_data(&r.j, (int)k), t, i), at(before[k], t, i), t, 0, "random", i);
        test_free(before[k]);
    }
    if (wrong > old && old == 0) {
        gpa_str s;
        str_init(&s);
        kir_print(r.j.f, &s);
        print_error("%s\nsizes %d: %d %d %d\n", s.text, r.ndim, (int)r.size[0], (int)r.size[1], (int)r.size[2]);
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

UNIT_TESTS(TEST(every_cast), TEST(layouts), TEST(large_results), TEST(every_op_of_every_type), TEST(every_reduction),
           TEST(scans), TEST(same_bits_on_any_number_of_threads), TEST(sums_are_accurate), TEST(loops_and_branches),
           TEST(counted_loops), TEST(checked_indices), TEST(scattered_stores), TEST(interrupts), TEST(random_programs))
