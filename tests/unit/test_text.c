/* Text and numbers without a VM: UTF-8, shortest float digits, NumPy's float formats, parsers,
 * comparison and hashes across numeric types. */
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lang/text/float_text.h"
#include "lang/object/number.h"
#include "lang/text/number_text.h"
#include "lang/text/text.h"

static void utf8_goes_there_and_back(void **state) {
    (void)state;
    char b[4];
    size_t len;
    for (uint32_t c = 1; c < 0x110000; c += c < 0x3000 ? 1 : 77) {
        if (c >= 0xD800 && c < 0xE000) continue;
        size_t n = text_encode(c, b);
        assert_int_equal(text_decode(b, n, &len), c);
        assert_int_equal(len, n);
        assert_int_equal(text_count(b, n), 1);
        if (n > 1) assert_int_equal(text_decode(b, n - 1, &len), 0xFFFD);
    }
    assert_int_equal(text_decode("\xC0\x80", 2, &len), 0xFFFD);     /* longer than need be */
    assert_int_equal(text_decode("\xED\xA0\x80", 3, &len), 0xFFFD); /* half of a pair */
    assert_int_equal(text_decode("\xF5\x80\x80\x80", 4, &len), 0xFFFD);
}

static void case_pairs_up(void **state) {
    (void)state;
    for (uint32_t c = 0; c < 0x2000; c++) {
        if (text_is_upper(c)) assert_int_equal(text_upper(text_lower(c)), c);
        assert_false(text_is_upper(c) && text_is_lower(c));
    }
    assert_int_equal(text_upper(0xE9), 0xC9);
    assert_int_equal(text_lower(0x42F), 0x44F);
    assert_int_equal(text_find("abcabc", 6, "ca", 2, 0), 2);
    assert_int_equal(text_rfind("abcabc", 6, "bc", 2), 4);
    assert_int_equal(text_width("a\xE6\x97\xA5", 4), 3);
}

/* Shortest digits: they read back, and one digit less does not. */
static void digits_are_shortest(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        double v;
        uint64_t bits =
            i < 2046 ? (uint64_t)i << 52 : seed & INT64_MAX; /* first the powers of two */
        memcpy(&v, &bits, sizeof v);
        if (!isfinite(v)) continue;
        decimal d = decimal_shortest(v, DT_F64);
        char text[64];
        snprintf(text, sizeof text, "%c.%se%d", d.digit[0], d.n > 1 ? d.digit + 1 : "0", d.exp);
        assert_true(strtod(text, NULL) == v);
        if (d.n < 2) continue;
        decimal less = decimal_rounded(v, d.n - 1);
        snprintf(text, sizeof text, "%c.%se%d", less.digit[0], less.n > 1 ? less.digit + 1 : "0",
                 less.exp);
        assert_true(strtod(text, NULL) != v);
    }
}

static void expect_form(double v, gpa_dtype t, bool scientific, float_form f, const char *want) {
    gpa_str s;
    str_init(&s);
    if (scientific)
        float_scientific(&s, v, t, &f);
    else
        float_positional(&s, v, t, &f);
    assert_string_equal(s.text, want);
    str_free(&s);
}

static void floats_take_numpys_forms(void **state) {
    (void)state;
    const float_form none = {-1, -1, -1, -1, -1, true, true, false, 'k'};
    float_form f = none;
    expect_form(1.0, DT_F64, false, f, "1.");
    expect_form((double)0.1f, DT_F32, false, f, "0.1");
    expect_form(65504, DT_F16, false, f, "65500.");
    expect_form(1e22, DT_F64, false, f, "10000000000000000000000.");
    expect_form(123456, DT_F64, true, f, "1.23456e+05");
    f.min_digits = 3;
    expect_form(0.1, DT_F64, false, f, "0.100");
    f = none;
    f.precision = 2;
    expect_form(9.9999, DT_F64, false, f, "10.");
    expect_form(9.9999, DT_F64, true, f, "1.e+01");
    f.unique = false;
    expect_form(1, DT_F64, false, f, "1.00");
    f = none;
    f.trim = '-';
    f.pad_left = f.pad_right = 4;
    expect_form(-1, DT_F64, false, f, "  -1     ");
}

static void parsers_follow_python(void **state) {
    (void)state;
    int64_t i;
    int_digits d;
    double re, im;
    assert_int_equal(parse_int(" -1_000 ", 8, 10, &i, &d), PARSE_OK);
    assert_int_equal(i, -1000);
    assert_int_equal(parse_int("0x1f", 4, 0, &i, &d), PARSE_OK);
    assert_int_equal(i, 31);
    assert_int_equal(parse_int("-9223372036854775808", 20, 10, &i, &d), PARSE_OK);
    assert_int_equal(parse_int("9223372036854775808", 19, 10, &i, &d), PARSE_TOO_LARGE);
    assert_true(d.n == 19 && d.base == 10 && !d.negative && d.text[0] == '9');
    assert_int_equal(parse_int("1__0", 4, 10, &i, &d), PARSE_BAD);
    assert_int_equal(parse_int("", 0, 10, &i, &d), PARSE_BAD);
    assert_int_equal(parse_int("012", 3, 0, &i, &d), PARSE_BAD);
    assert_int_equal(parse_float("1_0.5e1", 7, &re), PARSE_OK);
    assert_true(re == 105);
    assert_int_equal(parse_float("0x10", 4, &re), PARSE_BAD);
    assert_int_equal(parse_float("nan(1)", 6, &re), PARSE_BAD);
    assert_int_equal(parse_complex("(1-2j)", 6, &re, &im), PARSE_OK);
    assert_true(re == 1 && im == -2);
    assert_int_equal(parse_complex("-j", 2, &re, &im), PARSE_OK);
    assert_true(re == 0 && im == -1);
    assert_int_equal(parse_complex("1+2", 3, &re, &im), PARSE_BAD);
}

static void numbers_compare_by_worth(void **state) {
    (void)state;
    number big = number_of(v_int(INT64_MAX)), near = number_of(v_float(0x1p63)),
           one = number_of(v_int(1));
    number yes = number_of(v_bool(true)), nan = number_of(v_float(NAN)),
           half = number_of(v_float(0.5));
    gpa_val top = {.U64 = UINT64_MAX};
    number huge = number_of_element(DT_U64, top);
    assert_int_equal(number_compare(&big, &near), -1); /* though they are the same as floats */
    assert_int_equal(number_compare(&huge, &near), 1);
    assert_int_equal(number_compare(&half, &one), -1);
    assert_int_equal(number_compare(&nan, &one), 2);
    assert_true(number_equal(&one, &yes));
    assert_false(number_equal(&nan, &nan));
    number whole = number_of(v_float(1e15)), same = number_of(v_int(1000000000000000));
    assert_int_equal(number_hash(&whole), number_hash(&same));
    number minus = number_of(v_int(-1));
    assert_int_equal(number_hash(&minus), -2);
    assert_int_equal(number_hash(&half), 1152921504606846976);
}

UNIT_TESTS(TEST(utf8_goes_there_and_back), TEST(case_pairs_up), TEST(digits_are_shortest),
           TEST(floats_take_numpys_forms), TEST(parsers_follow_python),
           TEST(numbers_compare_by_worth))
