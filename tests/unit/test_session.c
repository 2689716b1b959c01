/* Services of a session for front ends: completion, inspection, completeness of input, history. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lang/session.h"
#include "lang/session/magic.h"
#include "runtime/base/clock.h"
#include "runtime/base/str.h"

static gpa_session *begin(const char *kept, gpa_host host) {
    gpa_config c;
    gpa_err e = {0};
    gpa_session *s = NULL;
    gpa_config_init(&c);
    c.device = "ref";
    c.history = kept;
    c.host = host;
    assert_int_equal(gpa_session_new(&c, &s, &e), GPA_OK);
    return s;
}

static gpa_code run(gpa_session *s, const char *text) {
    return gpa_session_eval(s, NULL, text, strlen(text), 0, NULL);
}

/* ---- completion ---- */

static void note(void *user, const gpa_completion *c) {
    str_printf(user, "%s|%s|%s|%s [%zu,%zu)\n", c->text, c->kind, c->type, c->signature, c->start,
               c->end);
}

/* The offers at the end of the text hold each of the lines given, and none of those that begin with
 * '-'. */
static void offers(gpa_session *s, const char *text, const char *const *lines) {
    gpa_str got;
    str_init(&got);
    assert_int_equal(gpa_session_complete(s, text, strlen(text), strlen(text), note, &got), GPA_OK);
    for (; *lines; lines++) {
        const char *line = **lines == '-' ? *lines + 1 : *lines;
        bool found = got.text && strstr(got.text, line);
        if (found != (**lines != '-'))
            fail_msg("completing '%s': '%s' %s\n%s", text, line,
                     found ? "was offered" : "is missing", got.text ? got.text : "");
    }
    str_free(&got);
}

#define OFFERS(s, text, ...) offers(s, text, (const char *const[]){__VA_ARGS__, NULL})

static void completes_what_may_stand_there(void **state) {
    (void)state;
    gpa_session *s = begin(NULL, (gpa_host){.user = NULL});
    run(s,
        "import numpy as np\nimport math\nwide = np.zeros((3, 4), 'float32')\ndef shade(colour, *, "
        "alpha=1): return colour\nd = {'red': 1, 'rust': 2.0, 3: 4}\n");
    OFFERS(s, "wi", "wide|instance|float32 (3, 4)| [0,2)", "with|keyword", "-shade");
    OFFERS(s, "shade(al", "alpha=|param", "all|function");
    OFFERS(s, "shade(colour=al", "-alpha=");
    OFFERS(s, "np.linspace(0, 1, nu", "num=|param|| [18,20)");
    OFFERS(s, "np.linsp", "linspace|function|function|(start, stop, num=50");
    OFFERS(s, "wide.resh", "reshape|function|");
    OFFERS(s, "wide.resh", "reshape|");
    OFFERS(s, "np.lin", "linalg|module", "linspace|function");
    OFFERS(s, "math.co", "cos|function", "cosh|function", "-wide");
    OFFERS(s, "%timei", "%timeit|magic", "-%%timeit");
    OFFERS(s, "  %%ti", "%%timeit|magic||[-n N]", "%%time|");
    OFFERS(s, "%timeit np.linsp", "linspace|function");
    OFFERS(s, "d['r", "red|instance|int| [3,4)", "rust|instance|float|");
    OFFERS(s, "import nump", "numpy|module|| [7,11)");
    OFFERS(s, "import numpy.li", "numpy.linalg|module|| [7,15)");
    OFFERS(s, "from math import co", "cos|function", "-wide");
    OFFERS(s, "from nump", "numpy|module|| [5,9)");
    OFFERS(s, "open('tests/uni", "unit/|path|| [12,15)");
    OFFERS(s, "!ls tests/uni", "unit/|path");
    OFFERS(s, "%cd tests/uni", "unit/|path");
    OFFERS(s, "# wi", "-wide");
    OFFERS(s, "x = 'wi", "-wide");
    OFFERS(s, "", "wide|instance", "print|function");
    gpa_session_free(s);
}

static void completion_runs_nothing(void **state) {
    (void)state;
    gpa_session *s = begin(NULL, (gpa_host){.user = NULL});
    run(s, "n = 0\ndef touch():\n    global n\n    n += 1\n    return 'x'\n");
    OFFERS(s, "touch().up", "-upper");
    OFFERS(s, "from nowhere_at_all import x", "-x|");
    assert_int_equal(run(s, "assert n == 0"), GPA_OK);
    gpa_session_free(s);
}

/* ---- inspection ---- */

static void copy_about(void *user, const gpa_about *a) {
    str_printf(user, "%s|%s|%s|%s|%s|%s|%s", a->name, a->signature ? a->signature : "",
               a->type ? a->type : "", a->doc ? a->doc : "", a->shape ? a->shape : "",
               a->dtype ? a->dtype : "", a->text ? a->text : "");
}

static void tells(gpa_session *s, const char *text, size_t cursor, int level, const char *want) {
    gpa_str got;
    str_init(&got);
    gpa_code rc = gpa_session_about(s, &(gpa_inspection){text, strlen(text), cursor, level},
                                    copy_about, &got);
    assert_int_equal(rc, want ? GPA_OK : GPA_E_NAME);
    if (want) assert_string_equal(got.text, want);
    str_free(&got);
}

static void tells_about_names(void **state) {
    (void)state;
    gpa_session *s = begin(NULL, (gpa_host){.user = NULL});
    run(s, "import numpy as np\na = np.zeros((2, 2))\ndef f(x, y=2):\n    'doc'\n    return x\n");
    tells(s, "f(1)", 0, 0, "f|f(x, y=2)|function|doc|||");
    tells(s, "f(1, ", 5, -1, "f|f(x, y=2)|function|doc|||");
    tells(s, "g = f((1, 2), \"a)b\", ", 21, -1, "f|f(x, y=2)|function|doc|||");
    tells(s, "a", 1, 0, "a||ndarray||(2, 2)|float64|[[0. 0.]\n [0. 0.]]");
    tells(s, "a", 1, -1, "a||ndarray||(2, 2)|float64|");
    tells(s, "nowhere", 3, 0, NULL);
    tells(s, "", 0, 0, NULL);
    gpa_session_free(s);
}

/* ---- completeness ---- */

static void knows_whole_cells(void **state) {
    (void)state;
    static const struct {
        const char *text;
        gpa_src_state want;
        int indent;
    } cases[] = {
        {"1 + 1", GPA_SRC_COMPLETE, 0},
        {"def f(x):", GPA_SRC_INCOMPLETE, 4},
        {"for i in x:\n    y", GPA_SRC_INCOMPLETE, 4},
        {"if x:\n  return 1\n", GPA_SRC_INVALID, 0},
        {"f(1,", GPA_SRC_INCOMPLETE, 0},
        {"x = = 1", GPA_SRC_INVALID, 0},
        {"%timeit 1", GPA_SRC_COMPLETE, 0},
        {"%%time\n1", GPA_SRC_INCOMPLETE, 0},
        {"%%time\n1\n\n", GPA_SRC_COMPLETE, 0},
        {"!ls", GPA_SRC_COMPLETE, 0},
        {"x = !ls", GPA_SRC_COMPLETE, 0},
        {"np.linspace?", GPA_SRC_COMPLETE, 0},
        {"print(\"\"\"a", GPA_SRC_INCOMPLETE, 0},
    };
    gpa_session *s = begin(NULL, (gpa_host){.user = NULL});
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int indent = -1;
        gpa_src_state got = gpa_session_check(s, cases[i].text, strlen(cases[i].text), &indent);
        if (got != cases[i].want ||
            (got == GPA_SRC_INCOMPLETE && cases[i].indent && indent != cases[i].indent))
            fail_msg("'%s': state %d, indent %d", cases[i].text, (int)got, indent);
    }
    gpa_session_free(s);
}

/* ---- times ---- */

static void times_are_written_as_ipython_does(void **state) {
    (void)state;
    static const struct {
        double seconds;
        int digits;
        const char *want;
    } cases[] = {
        {0, 3, "0 ns"},
        {851e-9, 3, "851 ns"},
        {0.401e-9, 3, "0.401 ns"},
        {5.48e-6, 3, "5.48 \u03bcs"},
        {1.5e-3, 3, "1.5 ms"},
        {0.9996e-3, 3, "1 ms"} /* IPython: 1e+03 \u03bcs */,
        {59.9, 3, "59.9 s"},
        {60, 3, "1min"},
        {61.5, 3, "1min 1s"},
        {3661, 3, "1h 1min 1s"},
        {90061, 3, "1d 1h 1min 1s"},
        {1.23456789, 6, "1.23457 s"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        gpa_str text;
        str_init(&text);
        magic_put_time(&text, cases[i].seconds, cases[i].digits);
        assert_string_equal(text.text, cases[i].want);
        str_free(&text);
    }
}

/* ---- history ---- */

static void note_entry(void *user, const gpa_entry *e) {
    str_printf(user, "%d/%d:%s%s%s;", e->session, e->line, e->input, e->output ? "=" : "",
               e->output ? e->output : "");
}

static void finds(gpa_session *s, gpa_history_query q, const char *want) {
    gpa_str got;
    str_init(&got);
    assert_int_equal(gpa_session_history(s, &q, note_entry, &got), GPA_OK);
    assert_string_equal(got.text ? got.text : "", want);
    str_free(&got);
}

static void history_outlives_a_session(void **state) {
    (void)state;
    char path[] = "/tmp/gpa-history-XXXXXX", file[64];
    assert_non_null(mkdtemp(path));
    snprintf(file, sizeof file, "%s/a/b/history", path);
    gpa_session *s = begin(file, (gpa_host){.user = NULL});
    run(s, "1 + 1");
    run(s, "def f(x):\n    return '\\\\' * x\n\n");
    run(s, " secret = 1");
    finds(s, (gpa_history_query){.kind = GPA_HISTORY_TAIL},
          "1/1:1 + 1=2;1/2:def f(x):\n    return '\\\\' * x;1/3: secret = 1;");
    gpa_session *other = begin(file, (gpa_host){.user = NULL});
    run(other, "2 * 3");
    finds(s, (gpa_history_query){.kind = GPA_HISTORY_TAIL, .n = 1}, "2/1:2 * 3;");
    gpa_session_free(s); /* inputs are in the history however the session ended */
    s = begin(file, (gpa_host){.user = NULL});
    run(s, "1 + 1");
    finds(s, (gpa_history_query){.kind = GPA_HISTORY_TAIL, .n = 3},
          "1/2:def f(x):\n    return '\\\\' * x;2/1:2 * 3;3/1:1 + 1=2;");
    finds(s, (gpa_history_query){.kind = GPA_HISTORY_TAIL, .here = true}, "3/1:1 + 1=2;");
    finds(s, (gpa_history_query){.kind = GPA_HISTORY_RANGE, .session = -2, .start = 1, .stop = 2},
          "1/1:1 + 1;");
    finds(s, (gpa_history_query){.kind = GPA_HISTORY_SEARCH, .pattern = "1*1", .unique = true},
          "3/1:1 + 1=2;");
    struct stat st;
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    gpa_session_free(s);
    gpa_session_free(other);
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", path);
    assert_int_equal(system(command), 0);
}

/* The file and what the sessions hold of it are bounded in bytes: the newest entries stay. */
static void history_is_bounded_in_bytes(void **state) {
    (void)state;
    enum { LARGE = 100 << 10, TOO_LARGE = 2 << 20, CELLS = 120, MOST = 9 << 20 };
    char path[] = "/tmp/gpa-history-XXXXXX", *cell = malloc(TOO_LARGE + 1);
    int fd = mkstemp(path);
    struct stat st;
    assert_true(fd >= 0 && cell);
    memset(cell, 'x', TOO_LARGE);
    cell[0] = '#';
    cell[TOO_LARGE] = 0;
    gpa_session *s = begin(path, (gpa_host){.user = NULL}),
                *other = begin(path, (gpa_host){.user = NULL});
    gpa_session_remember(other, "first = 1", 9);
    gpa_session_remember(s, cell, TOO_LARGE);
    for (int i = 0; i < CELLS; i++) {
        gpa_session_remember(s, cell, LARGE);
        assert_int_equal(stat(path, &st), 0);
        assert_true(st.st_size < MOST);
    }
    gpa_session_remember(other, "last = 1", 8);
    gpa_session_free(s);
    s = begin(path, (gpa_host){.user = NULL});
    finds(s, (gpa_history_query){.kind = GPA_HISTORY_TAIL, .n = 1}, "1/2:last = 1;");
    finds(s, (gpa_history_query){.kind = GPA_HISTORY_SEARCH, .pattern = "first*"}, "");
    gpa_session_free(s);
    gpa_session_free(other);
    close(fd);
    unlink(path);
    free(cell);
}

static void note_text(void *user, gpa_stream to, const char *text, size_t n) {
    (void)to;
    str_putn(user, text, n);
}

static void history_without_a_file_says_so(void **state) {
    (void)state;
    gpa_str output;
    str_init(&output);
    gpa_session *s =
        begin("/proc/nowhere/history", (gpa_host){.user = &output, .write = note_text});
    run(s, "a = 1");
    run(s, "b = 1");
    assert_string_equal(
        output.text,
        "gpa: the history is not kept: /proc/nowhere/history: No such file or directory\n");
    finds(s, (gpa_history_query){.kind = GPA_HISTORY_TAIL}, "1/1:a = 1;1/2:b = 1;");
    gpa_session_free(s);
    str_free(&output);
}

/* ---- progress ---- */

static size_t times(const char *text, const char *word) {
    size_t n = 0;
    for (; (text = strstr(text, word)); text++) n++;
    return n;
}

static void note_progress(void *user, const char *text, double done, double left) {
    (void)left;
    if (text)
        str_printf(user, "%s %s;", text, done < 0 ? "?" : done < 0.3 ? "begun" : "more");
    else
        str_put(user, "over;");
}

static void long_loops_tell_how_far_they_are(void **state) {
    (void)state;
    gpa_str output;
    str_init(&output);
    gpa_session *s = begin(NULL, (gpa_host){.user = &output, .progress = note_progress});
    assert_int_equal(run(s, "import time\nfor i in progress(range(3)): pass\n"), GPA_OK);
    assert_int_equal(output.len, 0); /* short work is not worth a bar */
    assert_int_equal(run(s,
                         "for i in progress(range(8), desc='long'):\n    if i == 0: "
                         "time.sleep(1.05)\n    if i == 1: break\n"),
                     GPA_OK);
    assert_string_equal(output.text, "long begun;over;");
    double began = clock_seconds(); /* ten times a second at most */
    assert_int_equal(
        run(s, "for i in progress(range(100000), desc='many'):\n    if i == 0: time.sleep(1.05)\n"),
        GPA_OK);
    assert_in_range(times(output.text, "many"), 1, (size_t)((clock_seconds() - began) * 10));
    gpa_session_free(s);
    str_free(&output);
}

/* ---- interrupts ---- */

static void note_code(void *user, const gpa_diag *d) { *(gpa_code *)user = d->code; }

static void an_interrupt_before_the_first_instruction_counts(void **state) {
    (void)state;
    gpa_code seen = GPA_OK;
    gpa_session *s = begin(NULL, (gpa_host){.user = &seen, .error = note_code});
    gpa_session_ready(s);
    gpa_session_interrupt(s);
    assert_int_equal(run(s, "x = 1"), GPA_E_INTERRUPT);
    assert_int_equal(seen, GPA_E_INTERRUPT);
    gpa_session_interrupt(s); /* while nothing runs: forgotten */
    assert_int_equal(run(s, "x = 1"), GPA_OK);
    gpa_session_free(s);
}

UNIT_TESTS(TEST(completes_what_may_stand_there), TEST(completion_runs_nothing),
           TEST(tells_about_names), TEST(knows_whole_cells),
           TEST(times_are_written_as_ipython_does), TEST(history_outlives_a_session),
           TEST(history_is_bounded_in_bytes), TEST(history_without_a_file_says_so),
           TEST(long_loops_tell_how_far_they_are),
           TEST(an_interrupt_before_the_first_instruction_counts))
