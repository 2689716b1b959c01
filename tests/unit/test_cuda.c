/* The CUDA device on a real GPU: skipped without one. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#include "runtime/backend.h"
#include "runtime/base/clock.h"
#include "runtime/exec/disk_cache.h"
#include "runtime/base/str.h"

static const gpa_backend *be;
static gpa_dev *dev;

/* The plugin is two folders above this program, or in GPA_PLUGIN_DIR. */
static void need_device(void) {
    char path[4096], why[256] = "";
    const char *told = getenv("GPA_PLUGIN_DIR");
    gpa_backend_entry_fn fn;
    gpa_err e = {0};
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 64);
    if (n <= 0) skip();
    path[n] = 0;
    for (int i = 0; i < 3; i++) *strrchr(path, '/') = 0;
    if (told) snprintf(path, sizeof path - 64, "%s", told);
    strcat(path, "/gpa-cuda.so");
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL),
         *entry = lib ? dlsym(lib, GPA_BACKEND_ENTRY) : NULL;
    memcpy(&fn, &entry, sizeof fn);
    be = fn ? fn(GPA_BACKEND_ABI) : NULL;
    if (!be || !be->count(why, sizeof why)) {
        print_message("no GPU: %s\n", be ? why : dlerror());
        skip();
    }
    if (be->open(0, &dev, &e)) fail_msg("%s", e.msg);
}

static void check(gpa_code rc, const gpa_err *e) {
    if (rc) fail_msg("%s: %s", gpa_err_name(rc), e->msg);
}

static kir_ins ins(kir_code code, gpa_dtype t) {
    return (kir_ins){.code = (uint8_t)code, .type = (uint8_t)t, .a = -1, .b = -1, .c = -1};
}

static void *ask_to_stop(void *unused) {
    usleep(300000);
    be->interrupt(dev, true);
    return unused;
}

/* An endless loop ends soon after an interrupt request, and the device works afterwards. */
static void test_interrupt(void **state) {
    (void)state;
    need_device();
    gpa_err e = {0};
    gpa_prog *p;
    pthread_t other;
    kir_func *f = kir_new(KIR_MAP, "spin");
    f->ndim = 1;
    kir_open(f, ins(KIR_LOOP, DT_NONE));
    kir_close(f);
    check(kir_check(f, &e), &e);
    check(be->build(dev, f, &p, &e), &e);
    gpa_launch l = {.size = {1 << 16}};
    check(be->run(dev, p, &l, &e), &e); /* may wait for the compiler, as long as that takes */
    pthread_create(&other, NULL, ask_to_stop, NULL);
    double begun = clock_seconds();
    assert_int_equal(be->sync(dev, &e), GPA_E_INTERRUPT);
    assert_true(clock_seconds() - begun < 1.5);
    pthread_join(other, NULL);
    be->interrupt(dev, false);
    gpa_err_clear(&e);
    check(be->sync(dev, &e), &e);
    be->drop(dev, p);
    be->close(dev);
    kir_free(f);
}

/* An index out of range is reported once, with the line, the axis, the index and the extent; the
 * context stays. */
static void test_fault(void **state) {
    (void)state;
    need_device();
    gpa_err e = {0};
    gpa_prog *p;
    kir_fault_record record;
    memset(&record, 0, sizeof record);
    kir_func *f = kir_new(KIR_MAP, "bound");
    f->ndim = 1;
    kir_ins at = ins(KIR_INDEX, DT_I64), bound = ins(KIR_BOUND, DT_I64);
    bound.sub = 2;
    bound.a = kir_emit(f, at);
    bound.b = kir_const(f, DT_I64, (gpa_val){.I64 = 999});
    kir_emit(f, bound);
    check(kir_check(f, &e), &e);
    check(be->build(dev, f, &p, &e), &e);
    gpa_launch l = {.size = {1000}, .fault = &record};
    check(be->run(dev, p, &l, &e), &e);
    check(be->sync(dev, &e), &e);
    assert_int_equal(record.set, 1);
    assert_int_equal(record.kind, KIR_FT_INDEX);
    assert_int_equal(record.axis, 2);
    assert_int_equal(record.a, 999);
    assert_int_equal(record.b, 999);
    be->drop(dev, p);
    be->close(dev);
    kir_free(f);
}

static int32_t element(kir_func *f, kir_code code, int a, int32_t at, int32_t v) {
    kir_ins i = ins(code, code == KIR_LOADX ? (gpa_dtype)f->arrays[a].dtype : DT_NONE);
    i.sub = (uint16_t)a, i.a = at, i.b = v;
    return kir_emit(f, i);
}

/* A kernel that reverses each block through shared memory. */
static void test_kernel(void **state) {
    (void)state;
    need_device();
    enum { N = 128 };
    gpa_err e = {0};
    gpa_prog *p;
    gpa_mem *m;
    int32_t data[N];
    kir_func *f = kir_new(KIR_KERNEL, "turn");
    kir_array a = {.dtype = DT_I32, .where = KIR_GLOBAL, .access = KIR_READ | KIR_WRITE, .ndim = 1};
    int g = kir_add_array(f, a);
    a.where = KIR_SHARED, a.count = N, a.group = 1, a.ndim = 0;
    int s = kir_add_array(f, a);
    int32_t t = kir_cast(f, DT_I64, kir_emit(f, ins(KIR_THREAD, DT_I32)));
    element(f, KIR_STOREX, s, t, element(f, KIR_LOADX, g, t, -1));
    kir_emit(f, ins(KIR_BARRIER, DT_NONE));
    int32_t other = kir_op2(f, OP_SUBTRACT, kir_const(f, DT_I64, (gpa_val){.I64 = N - 1}), t);
    element(f, KIR_STOREX, g, t, element(f, KIR_LOADX, s, other, -1));
    check(kir_check(f, &e), &e);
    for (int i = 0; i < N; i++) data[i] = i * i;
    check(be->alloc(dev, sizeof data, &m, &e), &e);
    check(be->upload(dev, m, 0, data, sizeof data, &e), &e);
    gpa_binding bind[2] = {{.mem = m, .stride = {1}, .size = {N}}};
    gpa_launch l = {.grid = {1, 1, 1}, .block = {N, 1, 1}, .arrays = bind};
    check(be->build(dev, f, &p, &e), &e);
    check(be->run(dev, p, &l, &e), &e);
    check(be->download(dev, data, m, 0, sizeof data, &e), &e);
    for (int i = 0; i < N; i++) assert_int_equal(data[i], (N - 1 - i) * (N - 1 - i));
    be->free(dev, m);
    be->drop(dev, p);
    be->close(dev);
    kir_free(f);
}

UNIT_TESTS(TEST(test_interrupt), TEST(test_fault), TEST(test_kernel))
