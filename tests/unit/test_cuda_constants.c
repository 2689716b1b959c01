/* The PTX pass that moves float64 immediates to constant memory, and text that it leaves unchanged.
 */
#include "tests/unit/unit.h"

#include "runtime/cuda/emit/ptx_constants.h"

static void expect(const char *ptx, const char *want) {
    gpa_str out;
    str_init(&out);
    ptx_constants_to_memory(ptx, &out);
    assert_string_equal(out.text, want);
    str_free(&out);
}

static void numbers_move(void **state) {
    (void)state;
    expect(
        ".version 9.0\n.target sm_90\n.address_size 64\n\n.visible .entry gpa()\n{\n\t.reg .f64 "
        "\t%fd<9>;\n"
        "\tmov.f64 \t%fd1, 0d3FF71547652B82FE;\n"
        "\tfma.rn.f64 \t%fd2, %fd1, 0dBFE62E42FEFA39EF, 0d3FF71547652B82FE;\n\tret;\n}\n",
        ".version 9.0\n.target sm_90\n.address_size 64\n.const .align 8 .b64 g_constants[2] = "
        "{0x3FF71547652B82FE, 0xBFE62E42FEFA39EF};\n\n"
        ".visible .entry gpa()\n{\n\t.reg .f64 \t%g_c<3>;\n\t.reg .f64 \t%fd<9>;\n"
        "\tld.const.f64 \t%g_c0, [g_constants+0];\n\tmov.f64 \t%fd1, %g_c0;\n"
        "\tld.const.f64 \t%g_c1, [g_constants+8];\n\tld.const.f64 \t%g_c2, [g_constants+0];\n"
        "\tfma.rn.f64 \t%fd2, %fd1, %g_c1, %g_c2;\n\tret;\n}\n");
}

static void others_stay(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "no PTX 0d3FF71547652B82FE",
        "mov.f64 \t%fd1, 0d3FF71547652B82FE;\n",
        /* it fits in an instruction */
        ".address_size 64\n{\n\tmov.f64 \t%fd1, 0d3FF0000000000000;\n}\n",
        /* another instruction */
        ".address_size 64\n{\n\tsetp.lt.f64 \t%p1, %fd1, 0d3FF71547652B82FE;\n}\n",
        /* a predicated one */
        ".address_size 64\n{\n\t@%p1 mov.f64 \t%fd1, 0d3FF71547652B82FE;\n}\n",
        /* too short */
        ".address_size 64\n{\n\tmov.f64 \t%fd1, 0d3FF71547652B82;\n}\n",
        ".address_size 64\n{\n\tmov.f32 \t%f1, 0f3FB8AA3B;\n}\n",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) expect(texts[i], texts[i]);
}

/* A table that is full leaves the rest where it is. */
static void many_numbers(void **state) {
    (void)state;
    gpa_str ptx, out;
    str_init(&ptx);
    str_init(&out);
    str_put(&ptx, ".address_size 64\n{\n");
    for (int i = 1; i <= 300; i++)
        str_printf(&ptx, "\tmov.f64 \t%%fd%d, 0d3FF00000%08X;\n", i, (unsigned)i);
    str_put(&ptx, "}\n");
    ptx_constants_to_memory(ptx.text, &out);
    assert_non_null(strstr(out.text, "g_constants[256]"));
    assert_non_null(strstr(out.text, "%g_c<256>"));
    assert_non_null(strstr(out.text, "mov.f64 \t%fd256, %g_c255;"));
    assert_non_null(strstr(out.text, "mov.f64 \t%fd257, 0d3FF0000000000101;"));
    str_free(&ptx);
    str_free(&out);
}

static void memory_runs_out(void **state) {
    (void)state;
    for (uint64_t n = 1; n < 6; n++) {
        gpa_str out;
        mem_fail_at(n);
        str_init(&out);
        ptx_constants_to_memory(".address_size 64\n{\n\tmov.f64 \t%fd1, 0d3FF71547652B82FE;\n}\n",
                                &out);
        mem_fail_at(0);
        assert_true(out.failed || strstr(out.text, "g_constants[1]"));
        str_free(&out);
    }
}

UNIT_TESTS(TEST(numbers_move), TEST(others_stay), TEST(many_numbers), TEST(memory_runs_out))
