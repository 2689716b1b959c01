/* Allocation failure sweep: starts a session and runs programs in it while the n-th allocation
 * fails, for n = 1, 2, ... until none fails. Each time the session reports a MemoryError, works
 * afterwards, and frees all its memory. */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "lang/session.h"

enum {
    EACH = 2000,        /* n up to which each allocation fails once; beyond it the steps grow */
    ENOUGH_PASSES = 12, /* consecutive runs without a failure: the program has fewer allocations */
    MOST_TRIES = 4000   /* limit of attempts per program: the test takes seconds */
};

static void note_error(void *user, const gpa_diag *d) { *(gpa_code *)user = d->code; }

static gpa_code begin(gpa_session **s, gpa_code *reported) {
    gpa_config c;
    gpa_err e = {0};
    gpa_config_init(&c);
    c.device = "ref";
    c.host = (gpa_host){.user = reported, .error = note_error};
    return gpa_session_new(&c, s, &e);
}

static gpa_code run(gpa_session *s, const char *text) {
    int status = 0;
    return gpa_session_eval(s, NULL, text, strlen(text), 0, &status);
}

/* One attempt: the n-th allocation (0: none) of the start, or of the program, fails.
 */
static gpa_code attempt(const char *program, uint64_t n) {
    gpa_session *s = NULL;
    gpa_code reported = GPA_OK, rc;
    if (!program) mem_fail_at(n);
    rc = begin(&s, &reported);
    if (program) {
        assert_int_equal(rc, GPA_OK);
        mem_fail_at(n);
        rc = run(s, program);
        mem_fail_at(0);
        if (rc) assert_int_equal(reported, rc);
    }
    mem_fail_at(0);
    if (s &&
        run(s, "after = [1, 2]\nassert len(after) == 2\nassert (np.arange(4) + 1).sum() == 10\n"))
        fail_msg("allocation %llu: the session does not go on", (unsigned long long)n);
    gpa_session_free(s);
    if (rc && rc != GPA_E_MEMORY)
        fail_msg("allocation %llu: %s", (unsigned long long)n, gpa_err_name(rc));
    return rc;
}

/* SWEEP_FROM=N starts at the N-th allocation, to debug one failure. */
static void sweep_by(uint64_t step, const char *program) {
    const char *from = getenv("SWEEP_FROM");
    assert_int_equal(attempt(program, 0),
                     GPA_OK); /* allocates the tables and devices that outlive a session */
    int64_t before = mem_alive();
    uint64_t n = from ? strtoull(from, NULL, 10) : 1;
    for (int passes = 0, tries = 0; passes < ENOUGH_PASSES;
         n += step + (n > EACH ? (n - EACH) / 50 : 0)) {
        if (tries++ > MOST_TRIES)
            fail_msg("allocation %llu: it never passes", (unsigned long long)n);
        passes = attempt(program, n) ? 0 : passes + 1;
        if (mem_alive() != before)
            fail_msg("allocation %llu: %lld blocks lost", (unsigned long long)n,
                     (long long)(mem_alive() - before));
    }
}

static void sweep(const char *program) { sweep_by(1, program); }

static void start(void **state) {
    (void)state;
    sweep(NULL);
}

static void scalars_and_text(void **state) {
    (void)state;
    sweep(
        "x = [i * 2 for i in range(20)]\n"
        "d = {str(i): (i, [i]) for i in x}\n"
        "d.update(a=1); s = {1, 2} | {3}\n"
        "t = ', '.join(f'{k}={v!r:>10}' for k, v in d.items())\n"
        "t.split(', '); t.replace('=', ': ').upper(); sorted(x, key=lambda v: -v)\n"
        "a, *b = x; x[2:4] = 'abc'; del x[0]\n"
        "'{} {:5.1f}'.format(x, 2.5), 2 ** 62, 1e300, 2j, repr(d), str(s), list(zip(x, x)), "
        "dict(b=1, **d)\n");
}

static void functions_and_errors(void **state) {
    (void)state;
    sweep(
        "def f(a, b=2, *c, k=[], **kw):\n"
        "    'what f does'\n"
        "    def g():\n"
        "        nonlocal a\n"
        "        a += 1\n"
        "        return a + b\n"
        "    return [g(), g(), c, kw]\n"
        "f(1, 2, 3, z=4)\n"
        "f(*[1, 2], **{'k': 3})\n"
        "sum(i * i for i in range(9)), max([1, 2], key=lambda v: -v), list(map(f, [1, 2]))\n"
        "for bad in (lambda: 1 / 0, lambda: {}['k'], lambda: [][1], lambda: nope):\n"
        "    try:\n"
        "        bad()\n"
        "    except (ArithmeticError, LookupError, NameError) as e:\n"
        "        text = repr(e)\n"
        "    finally:\n"
        "        text += '.'\n"
        "import math, itertools, functools\n"
        "functools.reduce(lambda a, b: a * b, itertools.accumulate([1, 2, 3]), 1)\n");
}

static void memory_errors_are_caught(void **state) {
    (void)state;
    sweep(
        "n = 0\n"
        "for i in range(3):\n"
        "    try:\n"
        "        x = [str(k) for k in range(5)]\n"
        "        y = (np.arange(6.0) * i).reshape(2, 3) @ np.ones(3)\n"
        "        t = repr(y)\n"
        "    except MemoryError as e:\n"
        "        n += 1\n"
        "    finally:\n"
        "        n += 1\n");
}

static void arrays(void **state) {
    (void)state;
    sweep(
        "a = np.arange(12.0).reshape(3, 4)\n"
        "b = np.sqrt(a * 2 + 1)[::2, 1:] - a.mean(axis=1)[::2, None]\n"
        "a[1:] += a[:-1]; a[a > 5] = 0; a[[0, 2]] = a[[2, 0]]\n"
        "text = repr(a) + str(b.astype(np.float32)) + f'{b.sum():.3f}'\n");
}

static void array_library(void **state) {
    (void)state;
    sweep(
        "a = np.arange(12.0).reshape(3, 4)\n"
        "c = np.concatenate([a, a]).T @ np.ones((6, 2)); d = np.where(c > 1, c, -c).tolist()\n"
        "e = np.sort(a, axis=None), np.cumsum(a), a.argmax(), np.unique(a)\n"
        "f = np.einsum('ij,kj->ik', a, a) if hasattr(np, 'einsum') else 0\n"
        "np.add.at(a, [0, 1], 1); np.maximum.reduce(a); np.add.outer(a[0], a[1])\n"
        "for row in a: s = float(row.sum())\n");
}

static void array_errors(void **state) {
    (void)state;
    sweep(
        "for bad in (lambda: np.ones(3) + np.ones(4), lambda: np.ones(3)[5], lambda: "
        "np.zeros(2).sum(axis=3)):\n"
        "    try:\n"
        "        bad()\n"
        "    except (ValueError, IndexError) as e:\n"
        "        text = str(e)\n");
}

/* The output of a magic may be truncated when memory is short; the session and its variables stay
 * intact.
 */
static void magics(void **state) {
    (void)state;
    sweep_by(7,
             "import numpy as np\n"
             "a = np.arange(4.0); word = 'w'\n"
             "def f(x):\n"
             "    y = %who_ls\n"
             "    %timeit -n 1 -r 1 -q x + 1\n"
             "    return y\n"
             "f(2)\n"
             "r = %timeit -n 1 -r 2 -o -q a + 1\n"
             "%whos\n"
             "%time a.sum()\n"
             "%explain a * 2\n"
             "%prun -q (a + 2).sum()\n"
             "%history -n\n"
             "%config InlineBackend.figure_format = 'svg'\n"
             "%precision 3\n"
             "%precision\n"
             "f?\n"
             "np.*linsp*?\n"
             "%xdel word\n"
             "%reset -f out\n"
             "%%capture c\n"
             "print(1)\n"
             "display(a)\n");
}

static void errors_that_end_a_cell(void **state) {
    (void)state;
    gpa_session *s = NULL;
    gpa_code reported, rc = GPA_OK;
    assert_int_equal(begin(&s, &reported), GPA_OK);
    for (uint64_t n = 1; rc != GPA_E_ZERO_DIVISION || n < 400; n++) {
        mem_fail_at(n);
        rc = run(s, "def f(x):\n    return g(x) + 1\ndef g(x):\n    return 1 // x\nf(0)\n");
        mem_fail_at(0);
        assert_true(rc == GPA_E_ZERO_DIVISION || rc == GPA_E_MEMORY);
        assert_int_equal(reported, rc);
    }
    gpa_session_free(s);
}

UNIT_TESTS(TEST(start), TEST(scalars_and_text), TEST(functions_and_errors),
           TEST(memory_errors_are_caught), TEST(arrays), TEST(array_library), TEST(array_errors),
           TEST(magics), TEST(errors_that_end_a_cell))
