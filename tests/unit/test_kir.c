/* kir: builder, verifier, printer, structural key. */
#include <string.h>

#include "tests/unit/unit.h"

#include "runtime/ir/kir.h"
#include "runtime/base/str.h"

#define EMIT(f, ...) kir_emit(f, (kir_ins){__VA_ARGS__})
#define OPEN(f, ...) kir_open(f, (kir_ins){.type = DT_NONE, __VA_ARGS__})

static int32_t f64(kir_func *f, double d) { return kir_const(f, DT_F64, (gpa_val){.F64 = d}); }

static int32_t load(kir_func *f, unsigned k) {
    return EMIT(f, .code = KIR_LOAD, .type = DT_F64, .sub = (uint16_t)k);
}

static void store(kir_func *f, unsigned k, int32_t v) {
    EMIT(f, .code = KIR_STORE, .type = DT_NONE, .sub = (uint16_t)k, .a = v);
}

static int32_t reduce(kir_func *f, gpa_red r, int32_t v) {
    return EMIT(f, .code = KIR_REDUCE, .type = DT_F64, .sub = (uint16_t)r, .a = v, .b = -1);
}

/* One float64 array to read and one to write, over one dimension; `same`: every point writes the
 * same element. */
static void head(kir_func *f, unsigned inner, unsigned same) {
    kir_reset(f, KIR_MAP, "test");
    f->ndim = 1;
    f->inner = (uint16_t)inner;
    kir_add_array(f, (kir_array){.dtype = DT_F64, .access = KIR_READ, .unit = 1, .group = 1});
    kir_add_array(
        f, (kir_array){
               .dtype = DT_F64, .access = KIR_WRITE, .unit = !same, .zero = same & 1, .group = 2});
}

static void heading(kir_func *f, unsigned inner) { head(f, inner, inner); }

static kir_func *new_map(unsigned inner) {
    kir_func *f = kir_new(KIR_MAP, "test");
    assert_non_null(f);
    heading(f, inner);
    return f;
}

/* The rule that the verifier reports as violated; "" for a valid program. */
static const char *rule(const kir_func *f) {
    static gpa_err e;
    gpa_err_clear(&e);
    if (kir_check(f, &e) == GPA_OK) return "";
    assert_int_equal(e.code, GPA_E_INTERNAL);
    return strrchr(e.msg, ':') + 2;
}

/* ---- building ---- */

static void equal_values_are_one(void **state) {
    (void)state;
    kir_func *f = new_map(0);
    int32_t x = load(f, 0), s = kir_op1(f, OP_SIN, x);
    assert_int_equal(load(f, 0), x);
    assert_int_equal(kir_op1(f, OP_SIN, x), s);
    assert_int_not_equal(kir_op1(f, OP_COS, x), s);
    assert_int_equal(f64(f, 1.5), f64(f, 1.5));
    assert_int_not_equal(f64(f, 0.0), f64(f, -0.0));
    assert_int_equal(f->n_consts, 3);
    assert_int_equal(kir_cast(f, DT_F64, x), x);
    kir_free(f);
}

static void stores_end_what_loads_know(void **state) {
    (void)state;
    kir_func *f = new_map(0);
    int32_t x = load(f, 0);
    store(f, 1, x);
    assert_int_not_equal(load(f, 0), x);
    kir_free(f);
}

static void regions_keep_their_values(void **state) {
    (void)state;
    kir_func *f = new_map(0);
    int32_t x = load(f, 0), yes = kir_op2(f, OP_GREATER, x, f64(f, 0));
    OPEN(f, .code = KIR_IF, .a = yes);
    int32_t inside = kir_op1(f, OP_SQRT, x);
    assert_int_equal(kir_op2(f, OP_GREATER, x, f64(f, 0)), yes);
    assert_int_equal(kir_op1(f, OP_SQRT, x), inside);
    EMIT(f, .code = KIR_ELSE, .type = DT_NONE);
    int32_t other = kir_op1(f, OP_SQRT, x);
    assert_int_not_equal(other, inside);
    kir_close(f);
    assert_int_not_equal(kir_op1(f, OP_SQRT, x), inside);
    assert_string_equal(rule(f), "");
    kir_free(f);
}

static void composites_become_instructions(void **state) {
    (void)state;
    kir_func *f = new_map(0);
    int32_t x = load(f, 0), square = kir_op1(f, OP_SQUARE, x);
    assert_int_equal(f->code[square].sub, OP_MULTIPLY);
    assert_int_equal(kir_op2(f, OP_MULTIPLY, x, x), square);
    int32_t clip = kir_op3(f, OP_CLIP, x, f64(f, 0), f64(f, 1));
    assert_int_equal(f->code[clip].sub, OP_MINIMUM);
    assert_int_equal(f->code[f->code[clip].a].sub, OP_MAXIMUM);
    assert_int_equal(kir_op1(f, OP_POSITIVE, x), x);
    assert_int_equal(kir_op1(f, OP_CONJUGATE, x), x);
    assert_int_equal(f->code[kir_op1(f, OP_ISNAN, x)].type, DT_BOOL);
    store(f, 1, clip);
    assert_string_equal(rule(f), "");
    kir_free(f);
}

static int32_t i64(kir_func *f, int64_t n) { return kir_const(f, DT_I64, (gpa_val){.I64 = n}); }

static void powers_of_two_divide_by_shifts(void **state) {
    (void)state;
    kir_func *f = new_map(0);
    int32_t x = kir_cast(f, DT_I64, load(f, 0));
    assert_int_equal(kir_op2(f, OP_FLOOR_DIVIDE, x, i64(f, 32)),
                     kir_op2(f, OP_RIGHT_SHIFT, x, i64(f, 5)));
    assert_int_equal(kir_op2(f, OP_REMAINDER, x, i64(f, INT64_C(1) << 62)),
                     kir_op2(f, OP_BITWISE_AND, x, i64(f, (INT64_C(1) << 62) - 1)));
    assert_int_equal(kir_op2(f, OP_FLOOR_DIVIDE, x, i64(f, 1)), x);
    const int64_t others[] = {0, -1, -32, INT64_MIN, 3, 33};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        int32_t v = kir_op2(f, OP_REMAINDER, x, i64(f, others[i]));
        assert_int_equal(f->code[v].sub, OP_REMAINDER);
    }
    kir_free(f);
}

static void sizes_of_values_are_known(void **state) {
    (void)state;
    kir_func *f = new_map(0);
    int p = kir_add_param(f, DT_I64), u = kir_add_param(f, DT_U16);
    int32_t any =
        EMIT(f, .code = KIR_PARAM, .type = DT_I64, .imm = (uint32_t)p, .a = -1, .b = -1, .c = -1);
    int32_t small = kir_cast(
        f, DT_I64,
        EMIT(f, .code = KIR_PARAM, .type = DT_U16, .imm = (uint32_t)u, .a = -1, .b = -1, .c = -1));
    int32_t at = EMIT(f, .code = KIR_INDEX, .type = DT_I64, .a = -1, .b = -1, .c = -1),
            more = kir_op2(f, OP_ADD, at, i64(f, 255));
    assert_int_equal(kir_bits(f, any), -1);
    assert_int_equal(kir_bits(f, small), 16);
    assert_int_equal(kir_bits(f, i64(f, 255)), 8);
    assert_int_equal(kir_bits(f, i64(f, 256)), 9);
    assert_int_equal(kir_bits(f, i64(f, 0)), 0);
    assert_int_equal(kir_bits(f, i64(f, -1)), -1);
    assert_int_equal(kir_bits(f, more), kir_bits(f, at) + 1);
    assert_int_equal(kir_bits(f, kir_op2(f, OP_SUBTRACT, at, i64(f, 1))), -1);
    assert_int_equal(kir_bits(f, kir_op2(f, OP_MULTIPLY, at, small)),
                     -1); /* 64 bits do not fit in int64 */
    assert_int_equal(kir_bits(f, kir_op2(f, OP_MULTIPLY, small, small)), 32);
    assert_int_equal(kir_bits(f, kir_op2(f, OP_REMAINDER, any, small)), 16);
    assert_int_equal(kir_bits(f, kir_op2(f, OP_BITWISE_AND, any, i64(f, 7))), 3);
    assert_int_equal(kir_bits(f, kir_op2(f, OP_RIGHT_SHIFT, small, i64(f, 5))), 11);
    assert_int_equal(kir_bits(f, kir_op2(f, OP_RIGHT_SHIFT, small, i64(f, 60))), 0);
    assert_int_equal(kir_bits(f, kir_op2(f, OP_RIGHT_SHIFT, small, small)), 16);
    assert_int_equal(kir_bits(f, kir_op2(f, OP_RIGHT_SHIFT, any, i64(f, 5))), -1);
    int32_t up = kir_open(
        f, (kir_ins){.code = KIR_FOR, .type = DT_I64, .a = i64(f, 0), .b = any, .c = i64(f, 1)});
    assert_int_equal(kir_bits(f, up), 63);
    int32_t down = kir_open(
        f,
        (kir_ins){.code = KIR_FOR, .type = DT_I64, .a = small, .b = i64(f, -1), .c = i64(f, -1)});
    assert_int_equal(kir_bits(f, down), -1);
    kir_free(f);
}

/* ---- the key ---- */

static void softmax(kir_func *f, double scale) {
    head(f, 1, 0);
    OPEN(f, .code = KIR_EACH);
    int32_t most = reduce(f, RED_MAX, load(f, 0));
    kir_close(f);
    OPEN(f, .code = KIR_EACH);
    int32_t sum = reduce(f, RED_SUM, kir_op1(f, OP_EXP, kir_op2(f, OP_SUBTRACT, load(f, 0), most)));
    kir_close(f);
    OPEN(f, .code = KIR_EACH);
    int32_t e = kir_op1(f, OP_EXP, kir_op2(f, OP_SUBTRACT, load(f, 0), most));
    int32_t part = kir_op2(f, OP_DIVIDE, e, sum);
    store(f, 1, kir_op2(f, OP_MULTIPLY, part, f64(f, scale)));
    kir_close(f);
}

static void keys_tell_programs_apart(void **state) {
    (void)state;
    kir_func *f = kir_new(KIR_MAP, "a"), *g = kir_new(KIR_MAP, "b");
    gpa_str k, l;
    str_init(&k);
    str_init(&l);
    softmax(f, 2);
    kir_key(f, &k);
    softmax(g, 3); /* kir_reset leaves no trace of the previous program */
    kir_set_span(g, (gpa_span){1, 2, 3});
    softmax(g, 2);
    kir_key(g, &l);
    assert_int_equal(k.len, l.len);
    assert_memory_equal(k.text, l.text, k.len);
    for (int change = 0; change < 4; change++) {
        softmax(g, change == 0 ? 3 : 2);
        if (change == 1) g->flags = KIR_F_SMALL;
        if (change == 2) g->arrays[0].unit = 0;
        if (change == 3) kir_add_param(g, DT_F32);
        str_clear(&l);
        kir_key(g, &l);
        assert_true(k.len != l.len || memcmp(k.text, l.text, k.len) != 0);
    }
    str_free(&k);
    str_free(&l);
    kir_free(f);
    kir_free(g);
}

static void rebuilding_allocates_nothing(void **state) {
    (void)state;
    kir_func *f = kir_new(KIR_MAP, "test");
    gpa_str key;
    str_init(&key);
    softmax(f, 2);
    kir_key(f, &key);
    mem_fail_at(1);
    softmax(f, 2);
    str_clear(&key);
    kir_key(f, &key);
    mem_fail_at(0);
    assert_false(f->failed || key.failed);
    str_free(&key);
    kir_free(f);
}

static void memory_that_runs_out_is_remembered(void **state) {
    (void)state;
    bool whole = false;
    for (uint64_t n = 1; !whole; n++) {
        mem_fail_at(n);
        kir_func *f = kir_new(KIR_MAP, "test");
        if (f) {
            softmax(f, 2);
            gpa_err e;
            gpa_err_clear(&e);
            gpa_code rc = kir_check(f, &e);
            whole = rc == GPA_OK;
            assert_true(whole || rc == GPA_E_MEMORY);
        }
        mem_fail_at(0);
        kir_free(f);
    }
}

/* ---- printing ---- */

static void prints_as_text(void **state) {
    (void)state;
    kir_func *f = kir_new(KIR_MAP, "softmax");
    gpa_str out;
    str_init(&out);
    softmax(f, 2);
    kir_print(f, &out);
    assert_string_equal(out.text,
                        "map test, 1 dims, inner 0\n"
                        "  @0: global float64, read, unit 0, group 1\n"
                        "  @1: global float64, write, unit 0, group 2\n"
                        "  each {\n"
                        "    %1: float64 = load @0\n"
                        "    %2: float64 = reduce max %1\n"
                        "  }\n"
                        "  each {\n"
                        "    %5: float64 = load @0\n"
                        "    %6: float64 = subtract %5, %2\n"
                        "    %7: float64 = exp %6\n"
                        "    %8: float64 = reduce sum %7\n"
                        "  }\n"
                        "  each {\n"
                        "    %11: float64 = load @0\n"
                        "    %12: float64 = subtract %11, %2\n"
                        "    %13: float64 = exp %12\n"
                        "    %14: float64 = divide %13, %8\n"
                        "    %15: float64 = const 2\n"
                        "    %16: float64 = multiply %14, %15\n"
                        "    store @1 %16\n"
                        "  }\n");
    str_free(&out);
    kir_free(f);
}

/* ---- the verifier ---- */

static void right_programs_pass(void **state) {
    (void)state;
    kir_func *f = kir_new(KIR_MAP, "test");
    softmax(f, 2);
    assert_string_equal(rule(f), "");
    heading(f, 0);
    assert_string_equal(rule(f), "");
    kir_free(f);
}

static void wrong_types_are_found(void **state) {
    (void)state;
    kir_func *f = new_map(0);
    int32_t one = kir_const(f, DT_I32, (gpa_val){.I32 = 1});
    kir_op2(f, OP_ADD, load(f, 0), one);
    assert_string_equal(rule(f), "the operands differ in type");
    heading(f, 0);
    kir_op1(f, OP_INVERT, load(f, 0));
    assert_string_equal(rule(f), "a value has no type");
    heading(f, 0);
    store(f, 1, kir_const(f, DT_I32, (gpa_val){.I32 = 1}));
    assert_string_equal(rule(f), "the value stored has not the array's dtype");
    heading(f, 0);
    OPEN(f, .code = KIR_IF, .a = load(f, 0));
    kir_close(f);
    assert_string_equal(rule(f), "a condition is not bool");
    kir_free(f);
}

static void wrong_access_is_found(void **state) {
    (void)state;
    kir_func *f = new_map(0);
    store(f, 0, load(f, 0));
    assert_string_equal(rule(f), "the array may not be written");
    heading(f, 0);
    load(f, 1);
    assert_string_equal(rule(f), "the array may not be read");
    heading(f, 0);
    EMIT(f, .code = KIR_LOAD, .type = DT_F64, .sub = 7);
    assert_string_equal(rule(f), "no such array");
    heading(f, 0);
    EMIT(f, .code = KIR_INDEX, .type = DT_I64, .imm = 1);
    assert_string_equal(rule(f), "no such coordinate");
    heading(f, 0);
    EMIT(f, .code = KIR_THREAD, .type = DT_I32);
    assert_string_equal(rule(f), "only a kernel has threads");
    kir_free(f);
}

static void wrong_regions_are_found(void **state) {
    (void)state;
    kir_func *f = new_map(1);
    load(f, 0);
    assert_string_equal(rule(f), "an array of inner dimensions is used outside of each");
    heading(f, 1);
    OPEN(f, .code = KIR_EACH);
    assert_string_equal(rule(f), "a region is not closed");
    heading(f, 1);
    OPEN(f, .code = KIR_EACH);
    int32_t x = load(f, 0);
    kir_close(f);
    store(f, 1, x);
    assert_string_equal(rule(f), "an operand is used outside of the region that made it");
    heading(f, 1);
    OPEN(f, .code = KIR_EACH);
    int32_t sum = reduce(f, RED_SUM, load(f, 0));
    kir_op1(f, OP_SQRT, sum);
    kir_close(f);
    assert_string_equal(rule(f), "a reduction is used inside its own region");
    heading(f, 0);
    OPEN(f, .code = KIR_EACH);
    assert_string_equal(rule(f), "there is no inner dimension to walk");
    heading(f, 0);
    EMIT(f, .code = KIR_BREAK, .type = DT_NONE);
    assert_string_equal(rule(f), "nothing encloses that could be left");
    heading(f, 0);
    reduce(f, RED_SUM, load(f, 0));
    assert_string_equal(rule(f), "a reduction stands directly in each");
    heading(f, 0);
    EMIT(f, .code = KIR_ELSE, .type = DT_NONE);
    assert_string_equal(rule(f), "else divides no if");
    kir_free(f);
}

UNIT_TESTS(TEST(equal_values_are_one), TEST(stores_end_what_loads_know),
           TEST(regions_keep_their_values), TEST(composites_become_instructions),
           TEST(powers_of_two_divide_by_shifts), TEST(sizes_of_values_are_known),
           TEST(keys_tell_programs_apart), TEST(rebuilding_allocates_nothing),
           TEST(memory_that_runs_out_is_remembered), TEST(prints_as_text),
           TEST(right_programs_pass), TEST(wrong_types_are_found), TEST(wrong_access_is_found),
           TEST(wrong_regions_are_found))
