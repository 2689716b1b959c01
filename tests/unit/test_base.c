/* runtime/base: memory allocation, growing arrays, text buffers, error records. */
#include "tests/unit/unit.h"

#include "runtime/base/err.h"
#include "runtime/base/str.h"

static void gate_counts_and_fails(void **state) {
    (void)state;
    int64_t before = mem_alive();
    void *p = mem_new(0), *q = mem_zero(16);
    assert_non_null(p);
    assert_int_equal(mem_alive() - before, 2);
    mem_fail_at(2);
    void *r = mem_text("abc", 3);
    assert_string_equal(r, "abc");
    assert_null(mem_new(1));
    assert_null(mem_resize(q, 1 << 20));
    mem_fail_at(0);
    mem_free(p);
    mem_free(q);
    mem_free(r);
    mem_free(NULL);
    assert_int_equal(mem_alive(), before);
}

static void room_grows_and_keeps(void **state) {
    (void)state;
    int *items = NULL;
    size_t cap = 0;
    for (int i = 0; i < 100; i++) {
        assert_true(mem_grow(&items, (size_t)i, &cap, sizeof *items));
        items[i] = i;
    }
    size_t full = cap;
    mem_fail_at(1);
    assert_false(mem_grow(&items, full, &cap, sizeof *items));
    assert_int_equal(cap, full);
    for (int i = 0; i < 100; i++) assert_int_equal(items[i], i);
    mem_free(items);
}

static void text_grows_and_remembers_failure(void **state) {
    (void)state;
    gpa_str s;
    str_init(&s);
    assert_string_equal(s.text, "");
    str_printf(&s, "%d-%s", 42, "x");
    str_fill(&s, '.', 3);
    str_putc(&s, '!');
    assert_string_equal(s.text, "42-x...!");
    str_truncate(&s, 4);
    str_truncate(&s, 400);
    assert_string_equal(s.text, "42-x");
    mem_fail_at(1);
    str_fill(&s, 'y', 1000);
    mem_fail_at(0);
    assert_true(s.failed);
    str_put(&s, "ignored");
    assert_string_equal(s.text, "42-x");
    assert_null(str_take(&s));
    char *t = str_take(&s);
    assert_string_equal(t, "");
    mem_free(t);
}

static void first_error_wins(void **state) {
    (void)state;
    gpa_err e = {0};
    assert_int_equal(gpa_fail(&e, GPA_E_VALUE, "shapes %s", "(3,4) (3,)"), GPA_E_VALUE);
    gpa_fail(&e, GPA_E_TYPE, "later");
    assert_string_equal(e.msg, "shapes (3,4) (3,)");
    gpa_fail_at(&e, (gpa_span){1, 4, 9});
    gpa_fail_at(&e, (gpa_span){1, 0, 20});
    assert_int_equal(e.span.lo, 4);
    for (int i = 0; i < 10; i++) gpa_err_note(&e, e.span, "%d", i);
    assert_int_equal(e.n_notes, GPA_ERR_NOTES);
    char big[2 * GPA_ERR_TEXT];
    memset(big, 'a', sizeof big - 1);
    big[sizeof big - 1] = 0;
    gpa_err_clear(&e);
    gpa_fail(&e, GPA_E_KEY, "%s", big);
    assert_int_equal(strlen(e.msg), GPA_ERR_TEXT - 1);
    assert_string_equal(e.msg + GPA_ERR_TEXT - 4, "...");
    assert_true(gpa_err_is(GPA_E_KEY, GPA_E_LOOKUP));
    assert_false(gpa_err_is(GPA_E_KEY, GPA_E_VALUE));
    assert_int_equal(gpa_err_find("IndexError"), GPA_E_INDEX);
    assert_int_equal(gpa_err_find("NoSuchError"), GPA_OK);
}

UNIT_TESTS(TEST(gate_counts_and_fails), TEST(room_grows_and_keeps),
           TEST(text_grows_and_remembers_failure), TEST(first_error_wins))
