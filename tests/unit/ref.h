/* Shared by the tests of the reference device: a program under construction, one launch. */
#ifndef GPA_TESTS_UNIT_REF_H
#define GPA_TESTS_UNIT_REF_H

#include "tests/unit/unit.h"

#include "runtime/backend.h"

static const gpa_backend *const ref = &gpa_ref_backend;

enum { MOST = 4 };

/* A program under construction and what it will be launched on. */
typedef struct {
    gpa_dev *dev;
    kir_func *f;
    gpa_binding bind[MOST];
    gpa_val params[MOST];
    gpa_launch launch;
    kir_fault_record fault;
    gpa_err e;
} bench;

static inline void start(bench *b, kir_form form, int ndim, unsigned inner) {
    memset(b, 0, sizeof *b);
    assert_int_equal(ref->open(0, &b->dev, &b->e), GPA_OK);
    b->f = kir_new(form, "test");
    assert_non_null(b->f);
    b->f->ndim = (uint8_t)ndim;
    b->f->inner = (uint16_t)inner;
    b->launch.arrays = b->bind;
    b->launch.params = b->params;
    b->launch.fault = &b->fault;
}

static inline void finish(bench *b) {
    for (int i = 0; i < MOST; i++) ref->free(b->dev, b->bind[i].mem);
    kir_free(b->f);
    ref->close(b->dev);
}

/* Array k of the program: n elements of `t` copied from `data` (NULL: zeros), with strides along
 * the dimensions. */
static inline void array(bench *b, gpa_dtype t, size_t n, const void *data, int64_t s0,
                         int64_t s1) {
    int k = kir_add_array(b->f, (kir_array){.dtype = (uint8_t)t, .access = KIR_READ | KIR_WRITE});
    kir_array *a = &b->f->arrays[k];
    int64_t stride[2] = {s0, s1};
    for (int d = 0; d < 2 && d < b->f->ndim; d++) {
        b->bind[k].stride[d] = stride[d];
        if (stride[d] == 0) a->zero |= (uint16_t)(1 << d);
        if (stride[d] == 1) a->unit |= (uint16_t)(1 << d);
    }
    b->bind[k].size[0] = (int64_t)n;
    if (b->f->form == KIR_KERNEL) a->ndim = 1, b->bind[k].stride[0] = 1;
    assert_int_equal(ref->alloc(b->dev, n * dtype_size(t), &b->bind[k].mem, &b->e), GPA_OK);
    memset(ref->base(b->bind[k].mem), 0, n * dtype_size(t));
    if (data)
        assert_int_equal(ref->upload(b->dev, b->bind[k].mem, 0, data, n * dtype_size(t), &b->e),
                         GPA_OK);
}

#define DATA(b, k) ref->base((b)->bind[k].mem)

static inline gpa_code launch(bench *b) {
    gpa_prog *p = NULL;
    gpa_code rc = ref->build(b->dev, b->f, &p, &b->e);
    if (!rc) rc = ref->run(b->dev, p, &b->launch, &b->e);
    if (!rc) rc = ref->sync(b->dev, &b->e);
    ref->drop(b->dev, p);
    return rc;
}

static inline void launch_well(bench *b) {
    gpa_code rc = launch(b);
    if (rc) print_error("%s\n", b->e.msg);
    assert_int_equal(rc, GPA_OK);
}

#define EMIT(b, ...) kir_emit((b)->f, (kir_ins){__VA_ARGS__})
#define OPEN(b, ...) kir_open((b)->f, (kir_ins){__VA_ARGS__})

static inline int32_t load(bench *b, int k) {
    return EMIT(b, .code = KIR_LOAD, .type = b->f->arrays[k].dtype, .sub = (uint16_t)k);
}

static inline void store(bench *b, int k, int32_t v) {
    EMIT(b, .code = KIR_STORE, .type = DT_NONE, .sub = (uint16_t)k, .a = v);
}

static inline int32_t loadx(bench *b, int k, int32_t at) {
    return EMIT(b, .code = KIR_LOADX, .type = b->f->arrays[k].dtype, .sub = (uint16_t)k, .a = at);
}

static inline void storex(bench *b, int k, int32_t at, int32_t v) {
    EMIT(b, .code = KIR_STOREX, .type = DT_NONE, .sub = (uint16_t)k, .a = at, .b = v);
}

static inline int32_t index_of(bench *b, unsigned d) {
    return EMIT(b, .code = KIR_INDEX, .type = DT_I64, .imm = d);
}

static inline int32_t int_const(bench *b, int64_t i) {
    return kir_const(b->f, DT_I64, (gpa_val){.I64 = i});
}

static inline int32_t reduce(bench *b, gpa_red r, int32_t a, int32_t at) {
    uint8_t t = red_info[r].arg ? DT_I64 : b->f->code[a].type;
    return EMIT(b, .code = KIR_REDUCE, .type = t, .sub = (uint16_t)r, .a = a, .b = at);
}

static inline int32_t variable(bench *b, int32_t v) {
    return EMIT(b, .code = KIR_VAR, .type = b->f->code[v].type, .a = v);
}

static inline int32_t get(bench *b, int32_t var) {
    return EMIT(b, .code = KIR_GET, .type = b->f->code[var].type, .a = var);
}

static inline void set(bench *b, int32_t var, int32_t v) {
    EMIT(b, .code = KIR_SET, .type = DT_NONE, .a = var, .b = v);
}

#endif
