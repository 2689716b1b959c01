/* Operation tables: names, type rules, rows that NumPy lacks, partial reductions; the tuning table.
 * Comparison with NumPy is in tests/conformance/tables.py. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "tests/unit/unit.h"

#include "runtime/tables/op.h"

static gpa_op find(const char *name) { return op_find(name, strlen(name)); }

static void names_and_aliases(void **state) {
    (void)state;
    for (int op = 0; op < OP_COUNT; op++) assert_int_equal(find(op_info[op].name), op);
    assert_int_equal(find("mod"), OP_REMAINDER);
    assert_int_equal(find("abs"), OP_ABSOLUTE);
    assert_int_equal(find("true_divide"), OP_DIVIDE);
    assert_int_equal(find("bitwise_not"), OP_INVERT);
    assert_int_equal(find("atan2"), OP_ARCTAN2);
    assert_int_equal(find("ad"), OP_COUNT);
    assert_int_equal(find("addd"), OP_COUNT);
    assert_int_equal(op_find("add_more", 3), OP_ADD);
    for (int r = 0; r < RED_COUNT; r++)
        assert_int_equal(red_find(red_info[r].name, strlen(red_info[r].name)), r);
    assert_int_equal(op_info[OP_ADD].identity, RED_SUM);
    assert_int_equal(op_info[OP_DIVIDE].identity, RED_COUNT);
}

/* Every computing type has a function and a text, and type resolution is idempotent. */
static void rules_lead_to_functions(void **state) {
    (void)state;
    for (int op = 0; op < OP_COUNT; op++)
        for (int t = 0; t < DT_COUNT; t++) {
            gpa_dtype compute, result, again, same;
            if (!op_types((gpa_op)op, (gpa_dtype)t, &compute, &result)) continue;
            assert_non_null(op_function((gpa_op)op, compute));
            assert_true(op_types((gpa_op)op, compute, &again, &same));
            assert_int_equal(again, compute);
            assert_int_equal(same, result);
        }
    gpa_dtype c, r;
    assert_false(op_types(OP_BITWISE_AND, DT_F32, &c, &r));
    assert_false(op_types(OP_SUBTRACT, DT_BOOL, &c, &r));
    assert_true(op_types(OP_SIN, DT_BF16, &c, &r) && c == DT_BF16 && r == DT_BF16);
    assert_true(op_types(OP_COMPLEX, DT_F16, &c, &r) && c == DT_F32 && r == DT_C64);
    assert_int_equal(op_operand_type(OP_WHERE, DT_C64, 0), DT_BOOL);
    assert_int_equal(op_operand_type(OP_LDEXP, DT_F16, 1), DT_I64);
}

static gpa_val i8(int8_t i) { return (gpa_val){.I8 = i}; }

static gpa_val u64(uint64_t u) { return (gpa_val){.U64 = u}; }

static gpa_val f64(double d) { return (gpa_val){.F64 = d}; }

static void bits_for_kernels(void **state) {
    (void)state;
    gpa_val none = {.bits = {0, 0}};
    for (int a = -128; a < 128; a++) {
        uint8_t u = (uint8_t)a, back = 0;
        int zeros = u ? __builtin_clz(u) - 24 : 8, tail = u ? __builtin_ctz(u) : 8;
        for (int k = 0; k < 8; k++) back |= (uint8_t)((u >> k & 1) << (7 - k));
        assert_int_equal(op_scalar(OP_CLZ, DT_I8, i8((int8_t)a), none, none).I8, zeros);
        assert_int_equal(op_scalar(OP_CTZ, DT_I8, i8((int8_t)a), none, none).I8, tail);
        assert_int_equal(op_scalar(OP_BREV, DT_U8, (gpa_val){.U8 = u}, none, none).U8, back);
        for (int b = -128; b < 128; b += 5)
            assert_int_equal(op_scalar(OP_MULHI, DT_I8, i8((int8_t)a), i8((int8_t)b), none).I8,
                             (int8_t)(a * b >> 8));
    }
    assert_true(op_scalar(OP_MULHI, DT_U64, u64(UINT64_MAX), u64(UINT64_MAX), none).U64 ==
                UINT64_MAX - 1);
    assert_true(op_scalar(OP_MULHI, DT_U64, u64(0x123456789abcdef0), u64(0x10), none).U64 == 1);
    gpa_val least = {.I64 = INT64_MIN}, minus = {.I64 = -3};
    assert_true(op_scalar(OP_MULHI, DT_I64, least, minus, none).I64 == 1);
}

static void functions_of_math(void **state) {
    (void)state;
    gpa_val none = f64(0);
    assert_true(op_scalar(OP_FMA, DT_F64, f64(0.1), f64(10), f64(-1)).F64 == fma(0.1, 10, -1));
    assert_true(fabs(op_scalar(OP_GAMMA, DT_F64, f64(5), none, none).F64 - 24) < 1e-13);
    assert_true(fabs(op_scalar(OP_LGAMMA, DT_F64, f64(100), none, none).F64 - 359.1342053695754) <
                1e-10);
    assert_true(op_scalar(OP_IEEE_REMAINDER, DT_F64, f64(5), f64(3), none).F64 == -1);
}

/* nextafter of halves: adjacent bit patterns, up to the infinities and through the subnormals. */
static void neighbours_of_halves(void **state) {
    (void)state;
    static const struct {
        gpa_dtype t;
        uint16_t infinity;
    } halves[] = {{DT_F16, 0x7c00}, {DT_BF16, 0x7f80}};
    for (size_t k = 0; k < COUNT_OF(halves); k++) {
        gpa_dtype t = halves[k].t;
        gpa_val none = {.bits = {0, 0}}, zero = none, top = {.F16 = halves[k].infinity},
                bottom = {.F16 = halves[k].infinity | 0x8000};
        for (uint16_t h = 0; h < halves[k].infinity; h++) {
            gpa_val x = {.F16 = h}, y = {.F16 = (uint16_t)(h + 1)}, minus = {.F16 = h | 0x8000};
            assert_int_equal(op_scalar(OP_NEXTAFTER, t, x, top, none).F16, y.F16);
            assert_int_equal(op_scalar(OP_NEXTAFTER, t, y, zero, none).F16, h);
            assert_int_equal(op_scalar(OP_NEXTAFTER, t, minus, bottom, none).F16, y.F16 | 0x8000);
        }
        gpa_val one = dtype_cast((gpa_val){.F64 = 1}, DT_F64, t),
                eps = op_scalar(OP_SPACING, t, one, none, none);
        assert_true(dtype_cast(eps, t, DT_F64).F64 == (t == DT_F16 ? 0x1p-10 : 0x1p-7));
    }
}

/* Reducing in two halves and combining gives what reducing at once gives. */
static void reductions_split(void **state) {
    (void)state;
    static const double x[] = {3, -1, 7, 7, NAN, 2, NAN, -5};
    static const gpa_red rows[] = {RED_MIN, RED_MAX, RED_FMIN, RED_FMAX, RED_ARGMIN, RED_ARGMAX};
    for (size_t r = 0; r < COUNT_OF(rows); r++)
        for (size_t n = 1; n <= COUNT_OF(x); n++)
            for (size_t cut = 0; cut <= n; cut++) {
                gpa_red_state whole = red_start(rows[r], DT_F64), half[2] = {whole, whole};
                for (size_t i = 0; i < n; i++) {
                    gpa_red_state one = {.v = f64(x[i]), .at = (int64_t)i};
                    whole = red_combine(rows[r], DT_F64, whole, one);
                    half[i >= cut] = red_combine(rows[r], DT_F64, half[i >= cut], one);
                }
                gpa_red_state there = red_combine(rows[r], DT_F64, half[0], half[1]);
                gpa_red_state back = red_combine(rows[r], DT_F64, half[1], half[0]);
                if (red_info[rows[r]].arg) {
                    assert_int_equal(there.at, whole.at);
                    assert_int_equal(back.at, whole.at);
                } else {
                    assert_true(there.v.F64 == whole.v.F64 ||
                                (isnan(there.v.F64) && isnan(whole.v.F64)));
                    assert_true(back.v.F64 == whole.v.F64 ||
                                (isnan(back.v.F64) && isnan(whole.v.F64)));
                }
            }
}

static void helpers_have_text(void **state) {
    (void)state;
    for (size_t i = 0; i < op_helper_count; i++) {
        assert_non_null(strstr(op_helpers[i].text, op_helpers[i].name));
        assert_non_null(strchr("IFC", op_helpers[i].kind));
    }
    assert_string_equal(op_info[OP_ADD].text[op_kind_index('F')], "(a + b)");
    assert_string_equal(op_info[OP_ADD].text[op_kind_index('U')],
                        op_info[OP_ADD].text[op_kind_index('I')]);
    assert_null(op_info[OP_DIVIDE].text[op_kind_index('I')]);
}

typedef struct {
    const char *name, *unit, *why, *date;
} constant;

/* Rows whose value no measurement has chosen yet: they say so. A new row may not. */
enum { UNMEASURED = 6 };

/* A value chosen for speed has the measurement that chose it and its date; a bound has a reason. */
static void constants_have_reasons(void **state) {
#define TUNE(name, value, unit, why, date) {#name, unit, why, date},
#define TUNE_L TUNE
#define TUNE_D TUNE
#define TUNE_C TUNE
#define LIMIT(name, value, unit, why) {#name, unit, why, NULL},
#define LIMIT_L LIMIT
#define LIMIT_D LIMIT
    static const constant rows[] = {
#include "runtime/tables/tuning.def"
    };
    int unmeasured = 0;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const constant *row = &rows[i];
        const char *shape = "dddd-dd-dd", *date = row->date;
        bool good = *row->unit && strlen(row->why) > 8;
        if (date && !strcmp(date, "-") && !strcmp(row->why, "not measured alone")) {
            unmeasured++;
            continue;
        }
        for (size_t k = 0; date && k <= strlen(shape) && good; k++)
            good = shape[k] == 'd' ? isdigit((unsigned char)date[k]) : date[k] == shape[k];
        if (!good) fail_msg("%s has no unit, no measurement, no date or no reason", row->name);
    }
    assert_int_equal(unmeasured, UNMEASURED);
}

UNIT_TESTS(TEST(names_and_aliases), TEST(rules_lead_to_functions), TEST(bits_for_kernels),
           TEST(functions_of_math), TEST(neighbours_of_halves), TEST(reductions_split),
           TEST(helpers_have_text), TEST(constants_have_reasons))
