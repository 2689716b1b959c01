/* Shared by the tests of the CPU device: loading the plugin, one launch, comparison of values. */
#ifndef GPA_TESTS_UNIT_CPU_H
#define GPA_TESTS_UNIT_CPU_H

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#include "runtime/backend.h"
#include "runtime/ir/libcall.h"
#include "runtime/base/str.h"

static const gpa_backend *be;
static gpa_dev *dev;

/* The plugin is two folders above this program. */
static inline void load_plugin(void) {
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

static inline void close_device(void) {
    int found = wrong;
    wrong = 0;
    be->close(dev);
    assert_int_equal(found, 0);
}

static inline void check(gpa_code rc, const gpa_err *e) {
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

static inline job job_new(const char *name, int ndim, unsigned inner) {
    job j = {.f = kir_new(KIR_MAP, name)};
    j.f->ndim = (uint8_t)ndim;
    j.f->inner = (uint16_t)inner;
    return j;
}

/* An array of n elements bound with these strides. */
static inline int job_array(job *j, gpa_dtype t, int access, size_t n, int64_t offset,
                            const int64_t *stride) {
    kir_array a = {.dtype = (uint8_t)t,
                   .where = KIR_GLOBAL,
                   .access = (uint8_t)access,
                   .group = (uint16_t)j->f->n_arrays};
    gpa_err e = {0};
    int k;
    for (int d = 0; d < j->f->ndim; d++)
        a.zero |= (uint16_t)((stride[d] == 0) << d), a.unit |= (uint16_t)((stride[d] == 1) << d);
    k = kir_add_array(j->f, a);
    check(be->alloc(dev, n * dtype_size(t), &j->mem[k], &e), &e);
    j->bind[k] = (gpa_binding){.mem = j->mem[k], .offset = offset};
    for (int d = 0; d < j->f->ndim; d++) j->bind[k].stride[d] = stride[d];
    j->bind[k].size[0] = (int64_t)n;
    return k;
}

static inline void *job_data(const job *j, int k) { return be->base(j->mem[k]); }

static inline void job_launch(job *j, const int64_t *size) {
    gpa_launch l = {.arrays = j->bind, .params = j->params, .fault = &j->fault};
    gpa_err e = {0};
    check(kir_check(j->f, &e), &e);
    for (int d = 0; d < j->f->ndim; d++) l.size[d] = size[d];
    if (!j->p) check(be->build(dev, j->f, &j->p, &e), &e);
    check(be->run(dev, j->p, &l, &e), &e);
    check(be->sync(dev, &e), &e);
}

static inline void job_free(job *j) {
    for (size_t k = 0; k < j->f->n_arrays; k++) be->free(dev, j->mem[k]);
    if (j->p) be->drop(dev, j->p);
    kir_free(j->f);
}

static inline int32_t load(job *j, int k) {
    return kir_emit(j->f, (kir_ins){.code = KIR_LOAD,
                                    .type = j->f->arrays[k].dtype,
                                    .sub = (uint16_t)k,
                                    .a = -1,
                                    .b = -1,
                                    .c = -1});
}

static inline void store(job *j, int k, int32_t v) {
    kir_emit(j->f,
             (kir_ins){
                 .code = KIR_STORE, .type = DT_NONE, .sub = (uint16_t)k, .a = v, .b = -1, .c = -1});
}

/* ---- values ---- */

static uint64_t seed = 88172645463325252u;

static inline uint64_t roll(void) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return seed;
}

/* A number that meets the edges of its type often enough. */
static inline gpa_val any_value(gpa_dtype t) {
    static const double edges[] = {0,   -0.0, 1,     -1,   2,     0.5,   -3,       127,       128,
                                   255, 256,  32767, 1e10, -1e10, 65504, INFINITY, -INFINITY, NAN};
    gpa_val v = {0};
    bool edge = roll() % 4 == 0;
    double x = edge ? edges[roll() % COUNT_OF(edges)]
                    : ((double)(int64_t)roll() / 9.2e18) * (roll() % 2 ? 10 : 1000);
    double y = ((double)(int64_t)roll() / 9.2e18) * 10;
    if (dtype_is_complex(t))
        return dtype_cast((gpa_val){.C128 = {edge ? (double)(int)(roll() % 9) - 4 : x, y}}, DT_C128,
                          t);
    if (dtype_info[t].kind == 'F') return dtype_cast((gpa_val){.F64 = x}, DT_F64, t);
    if (t == DT_BOOL) return v.BOOL = roll() & 1, v;
    if (edge) {
        static const int64_t ints[] = {0,         1,         -1,        2,
                                       7,         INT8_MIN,  INT8_MAX,  INT16_MIN,
                                       INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX};
        return dtype_cast((gpa_val){.I64 = ints[roll() % COUNT_OF(ints)]}, DT_I64, t);
    }
    return dtype_cast((gpa_val){.I64 = (int64_t)(roll() % 200) - 100}, DT_I64, t);
}

static inline uint64_t order64(double x) {
    int64_t n;
    memcpy(&n, &x, sizeof n);
    return n < 0 ? (uint64_t)(INT64_MIN - n) ^ UINT64_C(1) << 63 : (uint64_t)n ^ UINT64_C(1) << 63;
}

static inline uint64_t order32(float x) {
    int32_t n;
    memcpy(&n, &x, sizeof n);
    return (uint64_t)(n < 0 ? (int64_t)INT32_MIN - n : (int64_t)n);
}

/* Distance in units of the last place; equal NaNs are at 0. */
static inline uint64_t ulps(double a, double b, gpa_dtype t) {
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b) ? 0 : UINT64_MAX;
    uint64_t x = t == DT_F64 || t == DT_C128 ? order64(a) : order32((float)a),
             y = t == DT_F64 || t == DT_C128 ? order64(b) : order32((float)b);
    return x > y ? x - y : y - x;
}

static inline uint64_t distance(gpa_val a, gpa_val b, gpa_dtype t) {
    gpa_val x = dtype_cast(a, t, DT_C128), y = dtype_cast(b, t, DT_C128);
    if (dtype_is_complex(t) || t == DT_F32 || t == DT_F64) {
        uint64_t re = ulps(x.C128.re, y.C128.re, t), im = ulps(x.C128.im, y.C128.im, t);
        return MAX(re, im);
    }
    if (t == DT_F16 || t == DT_BF16) {
        if (isnan(x.C128.re) && isnan(y.C128.re)) return 0;
        int p = a.U16 & 0x8000 ? -(a.U16 & 0x7fff) : a.U16,
            q = b.U16 & 0x8000 ? -(b.U16 & 0x7fff) : b.U16;
        return (uint64_t)abs(p - q);
    }
    return memcmp(&a, &b, dtype_size(t)) ? UINT64_MAX : 0;
}

static inline void show(char *out, size_t n, gpa_val v, gpa_dtype t) {
    gpa_val c = dtype_cast(v, t, DT_C128);
    snprintf(out, n, "%.17g%+.17gj", c.C128.re, c.C128.im);
}

/* Zeros of different sign are different where a result must be exact. */
static inline bool sign_differs(gpa_val a, gpa_val b, gpa_dtype t) {
    gpa_val x = dtype_cast(a, t, DT_C128), y = dtype_cast(b, t, DT_C128);
    bool re = x.C128.re == 0 && signbit(x.C128.re) != signbit(y.C128.re);
    return re || (x.C128.im == 0 && signbit(x.C128.im) != signbit(y.C128.im));
}

/* Whether two finite complex numbers differ by no more than so many units in the last place of the
 * larger part: functions made of those of real numbers lose digits of the smaller one. */
static inline bool near(gpa_val got, gpa_val want, gpa_dtype t, uint64_t allowed) {
    gpa_c128 x = dtype_cast(got, t, DT_C128).C128, y = dtype_cast(want, t, DT_C128).C128;
    double size = fmax(fabs(y.re), fabs(y.im)) * (t == DT_C128 ? 0x1p-52 : 0x1p-23);
    return fmax(fabs(x.re - y.re), fabs(x.im - y.im)) <= (double)allowed * size;
}

static inline void same(gpa_val got, gpa_val want, gpa_dtype t, uint64_t allowed, const char *what,
                        size_t at) {
    char a[64], b[64];
    if (allowed && dtype_is_complex(t) && near(got, want, t, allowed)) return;
    uint64_t far = distance(got, want, t);
    if (far <= allowed && !(far == 0 && allowed == 0 && sign_differs(got, want, t))) return;
    show(a, sizeof a, got, t);
    show(b, sizeof b, want, t);
    if (wrong++ < 20)
        print_error("%s [%zu] (%s): got %s, not %s\n", what, at, dtype_info[t].name, a, b);
}

static inline void fill(void *p, gpa_dtype t, size_t n) {
    for (size_t i = 0; i < n; i++) dtype_store((char *)p + i * dtype_size(t), t, any_value(t));
}

static inline gpa_val at(const void *p, gpa_dtype t, size_t i) {
    return dtype_load((const char *)p + i * dtype_size(t), t);
}

/* ---- instructions ---- */

static inline int32_t coordinate(job *j, int d) {
    return kir_emit(
        j->f,
        (kir_ins){
            .code = KIR_INDEX, .type = DT_I64, .imm = (uint32_t)d, .a = -1, .b = -1, .c = -1});
}

static inline int32_t extent(job *j, int d) {
    return kir_emit(j->f, (kir_ins){.code = KIR_SIZE,
                                    .type = DT_I64,
                                    .sub = KIR_SPACE,
                                    .imm = (uint32_t)d,
                                    .a = -1,
                                    .b = -1,
                                    .c = -1});
}

static inline void each(job *j) {
    kir_open(j->f, (kir_ins){.code = KIR_EACH, .type = DT_NONE, .a = -1, .b = -1, .c = -1});
}

static inline int32_t reduce(job *j, gpa_red r, gpa_dtype t, int32_t a, int32_t b) {
    return kir_emit(
        j->f,
        (kir_ins){
            .code = KIR_REDUCE, .type = (uint8_t)t, .sub = (uint16_t)r, .a = a, .b = b, .c = -1});
}

#endif
