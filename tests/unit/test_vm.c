/* The virtual machine: bytecode, evaluation, exceptions and tracebacks, reference cycles,
 * interrupts, failing allocations. */
#include "tests/unit/unit.h"

#include "lang/compile/code.h"
#include "lang/syntax/parse.h"
#include "lang/vm/disassemble.h"
#include "lang/vm/vm.h"

typedef struct {
    sources *texts;
    intern *names;
    gpa_rt *rt;
    gpa_vm *vm;
    gpa_err err;
    gpa_str out;
    uint32_t last; /* the source evaluated last */
} machine;

static void on_write(void *user, bool to_stderr, const char *text, size_t n) {
    if (!to_stderr) str_putn(user, text, n);
}

static gpa_code open_machine(machine *m) {
    *m = (machine){.texts = sources_new(), .names = intern_new()};
    str_init(&m->out);
    if (!m->texts || !m->names) return GPA_E_MEMORY;
    gpa_code rc = rt_new(&(rt_config){.device = "ref"}, &m->rt, &m->err);
    if (rc) return rc;
    return vm_new(&(vm_config){.rt = m->rt,
                               .names = m->names,
                               .sources = m->texts,
                               .user = &m->out,
                               .write = on_write},
                  &m->vm, &m->err);
}

static void close_machine(machine *m) {
    vm_free(m->vm);
    rt_free(m->rt);
    if (m->names) intern_free(m->names);
    if (m->texts) sources_free(m->texts);
    str_free(&m->out);
}

static gpa_code parse(machine *m, const char *text, ast_module **ast) {
    parse_options o = {.magics = false};
    *ast = NULL;
    gpa_code rc = source_add(m->texts, &(source_text){SOURCE_CELL, "In [1]", text, strlen(text)},
                             &m->last, &m->err);
    return rc ? rc : parse_module(source_get(m->texts, m->last), m->names, &o, ast, &m->err);
}

static gpa_code eval(machine *m, const char *text) {
    ast_module *ast;
    value last = v_unset();
    gpa_code rc = parse(m, text, &ast);
    if (!rc) rc = vm_eval(m->vm, ast, NULL, &last);
    if (!rc && last.tag != V_UNSET) rc = vm_repr(m->vm, last, &m->out);
    value_release(m->vm, last);
    ast_release(ast);
    return rc;
}

/* What a program prints, and its last expression's repr. */
static void expect(const char *text, const char *printed) {
    machine m;
    assert_int_equal(open_machine(&m), GPA_OK);
    gpa_code rc = eval(&m, text);
    if (rc) print_error("%s: %s\n", gpa_err_name(rc), vm_err(m.vm)->msg);
    assert_int_equal(rc, GPA_OK);
    assert_string_equal(m.out.text, printed);
    close_machine(&m);
}

static void expect_code(const char *text, const char *listing) {
    machine m;
    ast_module *ast;
    assert_int_equal(open_machine(&m), GPA_OK);
    assert_int_equal(parse(&m, text, &ast), GPA_OK);
    const ast_node *f = ast->body.at[0]->def.function;
    code *c = code_new(ast, f, f->function.scope, f->function.name);
    assert_non_null(c);
    assert_int_equal(compile_code(m.vm, c, vm_main(m.vm), false), GPA_OK);
    code_print(m.vm, c, vm_main(m.vm), NULL, &m.out);
    assert_string_equal(m.out.text, listing);
    code_release(m.vm, c);
    ast_release(ast);
    close_machine(&m);
}

/* ---- code ---- */

static void loops_test_at_the_bottom(void **state) {
    (void)state;
    expect_code("def f(n):\n    s = 0\n    while s < n:\n        s += 2\n    return s\n",
                "f: 2 variables, 7 registers\n"
                "   0 MOVE s 0\n"
                "   1 JUMP -> 3\n"
                "   2 UPDATE_ADD s s 2\n"
                "   3 JUMP_LT s n 1 -> 2\n"
                "   5 RETURN s\n"
                "   6 CONST r4 None\n"
                "   7 RETURN r4\n");
}

static void finally_is_written_for_every_way_out(void **state) {
    (void)state;
    expect_code("def f(x):\n    try:\n        return x\n    finally:\n        x = 1\n",
                "f: 1 variables, 6 registers\n"
                "   0 MOVE r3 x\n"
                "   1 MOVE x 1\n"
                "   2 RETURN r3\n"
                "   3 MOVE x 1\n"
                "   4 JUMP -> 7\n"
                "   5 MOVE x 1\n"
                "   6 RERAISE r2\n"
                "   7 CONST r2 None\n"
                "   8 RETURN r2\n"
                "  guard 0-1 -> 5 in r2\n");
}

/* ---- running ---- */

static void values_of_cells(void **state) {
    (void)state;
    expect("x = 3\nx * 2", "6");
    expect("x = 3", "");
    expect("print('a')\n'b'", "a\n'b'");
    expect("def f(a, b=2, *c, d, **e): return (a, b, c, d, e)\nf(1, 5, 6, d=7, z=8)",
           "(1, 5, (6,), 7, {'z': 8})");
}

static void exceptions_pass_frames(void **state) {
    (void)state;
    machine m;
    const vm_frame *frames;
    assert_int_equal(open_machine(&m), GPA_OK);
    assert_int_equal(eval(&m, "def g():\n    return 1 / 0\ndef f():\n    return g()\nf()"),
                     GPA_E_ZERO_DIVISION);
    assert_int_equal(vm_trace(m.vm, &frames), 3);
    assert_string_equal(frames[0].function, "<module>");
    assert_string_equal(frames[2].function, "g");
    assert_int_equal(source_at(source_get(m.texts, m.last), vm_err(m.vm)->span.lo).line, 2);
    assert_int_equal(vm_exception_peek(m.vm).tag, V_EXCEPTION);
    vm_clear_error(m.vm);
    assert_int_equal(eval(&m, "try:\n    f()\nexcept ZeroDivisionError as e:\n    raise\n"),
                     GPA_E_ZERO_DIVISION);
    assert_int_equal(vm_trace(m.vm, &frames), 3);
    close_machine(&m);
}

static void recursion_is_bounded(void **state) {
    (void)state;
    expect("def f(n): return f(n + 1)\ntry:\n    f(0)\nexcept RecursionError as e:\n    print(e)\n",
           "maximum recursion depth exceeded\n");
    expect(
        "def f(n): return sorted([2, 1], key=lambda x: f(n + 1))\ntry:\n    f(0)\nexcept "
        "RecursionError as e:\n    print(e)\n",
        "maximum recursion depth exceeded\n");
}

static void cycles_are_broken(void **state) {
    (void)state;
    expect(
        "def f():\n    def g(n): return 0 if n == 0 else g(n - 1)\n    return g\ng = f()\nf.self = "
        "f\ng(3)",
        "0");
    expect(
        "def outer():\n    a = lambda: b\n    b = lambda: a\n    return a\nouter()() is not None",
        "True");
}

static void generators_stop_early(void **state) {
    (void)state;
    expect(
        "n = 0\ndef count(x):\n    global n\n    n += 1\n    return x\nany(count(i) > 2 for i in "
        "range(10)), n",
        "(True, 4)");
    expect("g = (i for i in range(3))\n(next(g), list(g), list(g))", "(0, [1, 2], [])");
}

static gpa_code interrupt_soon(void *user, const char *prompt, bool hidden, char *line, size_t n) {
    machine *m = ((struct { machine *m; } *)user)->m;
    (void)prompt, (void)hidden, (void)line, (void)n;
    vm_interrupt(m->vm);
    return GPA_OK;
}

static void interrupts_end_loops(void **state) {
    (void)state;
    machine m;
    struct {
        machine *m;
    } user = {&m};
    m = (machine){.texts = sources_new(), .names = intern_new()};
    str_init(&m.out);
    assert_int_equal(rt_new(&(rt_config){.device = "ref"}, &m.rt, &m.err), GPA_OK);
    vm_config c = {
        .rt = m.rt, .names = m.names, .sources = m.texts, .user = &user, .input = interrupt_soon};
    assert_int_equal(vm_new(&c, &m.vm, &m.err), GPA_OK);
    assert_int_equal(eval(&m, "x = 0\ninput()\nwhile True: x += 1"), GPA_E_INTERRUPT);
    assert_int_equal(eval(&m,
                          "ok = False\ntry:\n    input()\n    while True: pass\nexcept "
                          "KeyboardInterrupt:\n    ok = True\nok"),
                     GPA_OK);
    assert_string_equal(m.out.text, "True");
    assert_int_equal(eval(&m, "def g():\n    while True: yield 1\ninput()\nfor x in g(): pass"),
                     GPA_E_INTERRUPT);
    assert_int_equal(
        eval(&m, "import itertools\ndef h(): yield from itertools.count()\ninput()\nsum(h())"),
        GPA_E_INTERRUPT);
    assert_int_equal(eval(&m, "kept = g()\ninput()\nsum(kept)"), GPA_E_INTERRUPT);
    assert_int_equal(eval(&m, "list(kept) == []"), GPA_OK);
    close_machine(&m);
}

/* ---- when memory is short ---- */

static const char everything[] =
    "def f(a, *b, k=1, **c):\n"
    "    try:\n"
    "        return [a + x for x in b if x] + [k]\n"
    "    finally:\n"
    "        c['z'] = lambda: a\n"
    "d = {i: str(i) for i in range(10)}\n"
    "try:\n"
    "    d['no']\n"
    "except KeyError as e:\n"
    "    s = f'{e!r:>20} {len(d):04d}'\n"
    "ends = []\n"
    "def g(n):\n"
    "    try:\n"
    "        x = yield n\n"
    "        yield from (i + n for i in range(3))\n"
    "        return x\n"
    "    finally:\n"
    "        ends.append(n)\n"
    "for x in g(4):\n"
    "    if x == 5: break\n"
    "h = g(1)\n"
    "next(h), h.send(3)\n"
    "try:\n"
    "    h.throw(ValueError('v'))\n"
    "except ValueError:\n"
    "    h.close()\n"
    "next(g(7))\n"
    "print(f(1, 2, 3, k=4), sum(i * i for i in range(5)), list(g(2)), s, sorted(d, key=lambda q: "
    "-q)[:2], 'a' * 3, (1, 2) + (3,))\n";

/* Every allocation of a program fails once: it ends with a MemoryError or as it should, and nothing
 * is lost. */
static void memory_may_fail_anywhere(void **state) {
    (void)state;
    for (uint64_t n = 1;; n++) {
        machine m;
        assert_int_equal(open_machine(&m), GPA_OK);
        mem_fail_at(n);
        gpa_code rc = eval(&m, everything);
        mem_fail_at(0);
        if (rc && rc != GPA_E_MEMORY)
            print_error("allocation %d: %s: %s\n", (int)n, gpa_err_name(rc), vm_err(m.vm)->msg);
        close_machine(&m);
        if (!rc) break;
        assert_int_equal(rc, GPA_E_MEMORY);
    }
}

static void memory_may_fail_at_the_start(void **state) {
    (void)state;
    for (uint64_t n = 1;; n += 1 + n / 8) {
        machine m;
        mem_fail_at(n);
        gpa_code rc = open_machine(&m);
        mem_fail_at(0);
        close_machine(&m);
        if (!rc) break;
        assert_int_equal(rc, GPA_E_MEMORY);
    }
}

UNIT_TESTS(TEST(loops_test_at_the_bottom), TEST(finally_is_written_for_every_way_out),
           TEST(values_of_cells), TEST(exceptions_pass_frames), TEST(recursion_is_bounded),
           TEST(cycles_are_broken), TEST(generators_stop_early), TEST(interrupts_end_loops),
           TEST(memory_may_fail_anywhere), TEST(memory_may_fail_at_the_start))
