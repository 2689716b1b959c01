/* Data types: algebraic properties of promotion, bfloat16, loads and stores. Comparison with NumPy
 * is in tests/conformance/tables.py. */
#include <math.h>
#include <string.h>

#include "tests/unit/unit.h"

#include "runtime/tables/dtype.h"

static gpa_dtype find(const char *name) { return dtype_find(name, strlen(name)); }

static void promotion_is_a_law(void **state) {
    (void)state;
    for (int i = 0; i < DT_COUNT; i++)
        for (int j = 0; j < DT_COUNT; j++) {
            gpa_dtype a = (gpa_dtype)i, b = (gpa_dtype)j, p = dtype_promote(a, b);
            assert_int_equal(p, dtype_promote(b, a));
            assert_int_equal(dtype_promote(p, a), p);
            assert_true(dtype_can_cast(a, p, CAST_SAFE) && dtype_can_cast(b, p, CAST_SAFE));
            assert_true(!dtype_can_cast(a, b, CAST_SAFE) || dtype_can_cast(a, b, CAST_SAME_KIND));
        }
    assert_int_equal(dtype_promote(DT_F16, DT_BF16), DT_F32);
    assert_int_equal(dtype_promote(DT_BF16, DT_U8), DT_BF16);
    assert_int_equal(dtype_promote(DT_BF16, DT_I16), DT_F32);
    assert_int_equal(dtype_promote(DT_BF16, DT_C128), DT_C128);
    assert_int_equal(dtype_of_weak(WEAK_FLOAT, DT_BF16), DT_BF16);
    assert_int_equal(dtype_of_weak(WEAK_COMPLEX, DT_BF16), DT_C64);
}

static void names(void **state) {
    (void)state;
    for (int t = 0; t < DT_COUNT; t++) {
        assert_int_equal(find(dtype_info[t].name), t);
        assert_int_equal(dtype_find(&dtype_info[t].np_char, 1), t);
    }
    assert_int_equal(find("bfloat16"), DT_BF16);
    assert_int_equal(find("<f8"), DT_F64);
    assert_int_equal(find(">f8"), DT_NONE);
    assert_int_equal(find("<float64"), DT_NONE);
    assert_int_equal(find(""), DT_NONE);
}

static void halves_round_trip(void **state) {
    (void)state;
    for (uint32_t h = 0; h < 65536; h++) {
        bool nan16 = (h & 0x7fff) > 0x7c00, nanb = (h & 0x7fff) > 0x7f80;
        if (!nan16) assert_int_equal(half_from_float(half_to_float((uint16_t)h)), h);
        if (!nan16) assert_int_equal(half_from_double(half_to_float((uint16_t)h)), h);
        if (!nanb) assert_int_equal(bfloat_from_float(bfloat_to_float((uint16_t)h)), h);
        assert_int_equal(!!isnan(half_to_float((uint16_t)h)), nan16);
        assert_int_equal(!!isnan(bfloat_to_float((uint16_t)h)), nanb);
    }
    assert_true(isnan(half_to_float(half_from_float(NAN))) &&
                isnan(bfloat_to_float(bfloat_from_float(-NAN))));
    assert_int_equal(half_from_float(65519.99f), 0x7bff);
    assert_int_equal(half_from_float(65520.0f), 0x7c00);
    assert_int_equal(half_from_double(1 + 0x1p-11 + 0x1p-40),
                     0x3c01); /* rounding to float first would make a tie */
}

static void casts_have_hardware_edges(void **state) {
    (void)state;
    static const struct {
        double from;
        gpa_dtype to;
        int64_t want;
    } cases[] = {{300, DT_I8, 44},         {-1, DT_U8, 255},          {3e9, DT_I32, INT32_MIN},
                 {-1, DT_U32, UINT32_MAX}, {1e19, DT_I64, INT64_MIN}, {NAN, DT_I32, INT32_MIN},
                 {NAN, DT_I8, 0},          {-1.9, DT_I16, -1},        {NAN, DT_BOOL, 1},
                 {1e30, DT_U64, 0}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        gpa_val v = dtype_cast((gpa_val){.F64 = cases[i].from}, DT_F64, cases[i].to);
        assert_int_equal(dtype_cast(v, cases[i].to, DT_I64).I64, cases[i].want);
    }
}

static void elements_in_memory(void **state) {
    (void)state;
    unsigned char bytes[17] = {0};
    gpa_val z = {.C128 = {1.5, -2.5}};
    dtype_store(bytes + 1, DT_C128, z); /* unaligned */
    gpa_val back = dtype_load(bytes + 1, DT_C128);
    assert_true(back.C128.re == 1.5 && back.C128.im == -2.5);
    dtype_store(bytes, DT_I16, (gpa_val){.I16 = -2});
    assert_int_equal(dtype_load(bytes, DT_I16).bits[0], 0xfffe);
}

UNIT_TESTS(TEST(promotion_is_a_law), TEST(names), TEST(halves_round_trip),
           TEST(casts_have_hardware_edges), TEST(elements_in_memory))
