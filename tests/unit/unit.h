/* Shared by all unit tests: cmocka, and a check that a test frees all the memory it allocated.
 *
 * One program per test_*.c. Its main is one line: UNIT_TESTS(TEST(name), TEST(name), ...). */
#ifndef GPA_TESTS_UNIT_H
#define GPA_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/base/base.h"

/* Before and after each test: no block may stay alive that was not alive before. */
static int unit_setup(void **state) {
    int64_t *before = test_malloc(sizeof *before);
    *before = mem_alive();
    *state = before;
    return 0;
}

static int unit_teardown(void **state) {
    int64_t *before = *state, lost = mem_alive() - *before;
    mem_fail_at(0);
    test_free(before);
    if (lost) print_error("%lld blocks of memory left alive\n", (long long)lost);
    return lost ? -1 : 0;
}

/* Runs a group with TAP output: an expression, for main. */
#define unit_group(run, tests) (cmocka_set_message_output(CM_OUTPUT_TAP), run(tests, NULL, NULL))
#define TEST(function) cmocka_unit_test_setup_teardown(function, unit_setup, unit_teardown)
#define UNIT_TESTS(...)                                     \
    static const struct CMUnitTest tests[] = {__VA_ARGS__}; \
    int main(void) { return unit_group(cmocka_run_group_tests, tests); }

#endif
