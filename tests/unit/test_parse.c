/* The front end: tokens, syntax trees, name resolution, error reports with carets, and incomplete
 * input.
 */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "lang/syntax/lex.h"
#include "lang/syntax/parse.h"
#include "lang/vm/library.h"

typedef struct {
    sources *texts;
    intern *names;
    ast_module *module;
    gpa_err err;
    gpa_str out;
} front;

static void open_front(front *f) {
    *f = (front){.texts = sources_new(), .names = intern_new()};
    str_init(&f->out);
    assert_true(f->texts && f->names);
}

static void close_front(front *f) {
    ast_release(f->module);
    str_free(&f->out);
    intern_free(f->names);
    sources_free(f->texts);
}

static gpa_code parse_text(front *f, const char *name, const char *text, bool magics) {
    uint32_t id = 0;
    parse_options o = {.magics = magics};
    source_kind kind = name[0] == 'I' ? SOURCE_CELL : SOURCE_FILE;
    assert_int_equal(
        source_add(f->texts, &(source_text){kind, name, text, strlen(text)}, &id, &f->err), GPA_OK);
    return parse_module(source_get(f->texts, id), f->names, &o, &f->module, &f->err);
}

static void expect_tree(const char *text, const char *tree) {
    front f;
    open_front(&f);
    if (parse_text(&f, "In [1]", text, true)) fail_msg("%s: %s", text, f.err.msg);
    ast_print_module(&f.out, f.module, f.names);
    assert_string_equal(f.out.text, tree);
    close_front(&f);
}

static void expect_error(const char *name, const char *text, const char *drawn) {
    front f;
    open_front(&f);
    assert_int_not_equal(parse_text(&f, name, text, true), GPA_OK);
    source_render(f.texts, &f.err, NULL, &f.out);
    assert_string_equal(f.out.text, drawn);
    close_front(&f);
}

/* ---- names and tokens ---- */

static void names_are_numbered(void **state) {
    (void)state;
    intern *t = intern_new();
    gpa_sym a = intern_get(t, "alpha", 5), first = a;
    char text[16];
    assert_int_equal(intern_get(t, "alpha!", 5), a);
    assert_int_equal(intern_find(t, "beta", 4), 0);
    for (int i = 0; i < 5000; i++) {
        int n = snprintf(text, sizeof text, "n%d", i);
        assert_int_equal(intern_get(t, text, (size_t)n), ++a);
    }
    assert_int_equal(intern_count(t), a);
    assert_string_equal(intern_text(t, first), "alpha");
    assert_string_equal(intern_text(t, 1), "False");
    assert_int_equal(intern_len(t, first + 11), 3);
    intern_free(t);
}

/* The kinds of a text's tokens, by name or spelling. */
static void expect_tokens(const char *text, const char *wanted) {
    front f;
    open_front(&f);
    uint32_t id = 0;
    lexer l;
    token t;
    arena *a = arena_new();
    assert_int_equal(
        source_add(f.texts, &(source_text){SOURCE_FILE, "t", text, strlen(text)}, &id, &f.err),
        GPA_OK);
    lex_start(&l, source_get(f.texts, id), f.names, a, false, &f.err);
    do {
        lex_next(&l, &t);
        str_printf(&f.out, "%s%s", f.out.len ? " " : "", token_info[t.kind].text);
    } while (t.kind != TOKEN_END && t.kind != TOKEN_ERROR);
    assert_string_equal(f.out.text, wanted);
    arena_free(a);
    close_front(&f);
}

static void tokens(void **state) {
    (void)state;
    expect_tokens("", "end");
    expect_tokens("# nothing\n\n", "end");
    expect_tokens("if x:\n  y\n\n  z",
                  "if name : newline indent name newline name newline dedent end");
    expect_tokens("a = [1,\n  2] \\\n + 3.5", "name = [ integer , integer ] + float newline end");
    expect_tokens("a**=b//c<<~d->...:=!=",
                  "name **= name // name << ~ name -> ... := != newline end");
    expect_tokens("f'a{b!r:>{w}}c'",
                  "f-string text { name ! name : text { name } } text end of f-string newline end");
    expect_tokens("0x_ff 1_0 1e5 .5 3j 0b1",
                  "integer integer float float imaginary integer newline end");
    expect_tokens("rb'x' Br\"x\" u'x' '''a\nb'''", "bytes bytes string string newline end");
    expect_tokens("not in is none None", "not in is name None newline end");
    expect_tokens("(", "( error");
}

/* ---- trees ---- */

static void expressions(void **state) {
    (void)state;
    expect_tree("a + b * c ** -d", "(EXPR (BINARY + a (BINARY * b (BINARY ** c (UNARY - d)))))\n");
    expect_tree("a - b - c", "(EXPR (BINARY - (BINARY - a b) c))\n");
    expect_tree("-a ** 2", "(EXPR (UNARY - (BINARY ** a 2)))\n");
    expect_tree("not a < b <= c is not d and e or f",
                "(EXPR (BOOLOP or [(BOOLOP and [(UNARY not (COMPARE a [(LINK < b) (LINK <= c) "
                "(LINK is not d)])) e]) f]))\n");
    expect_tree("a if b else c if d else e", "(EXPR (IFEXP b a (IFEXP d c e)))\n");
    expect_tree("a[1:, ::2, ..., None](x, *y, k=1, **z).w",
                "(EXPR (ATTR (CALL (INDEX a (TUPLE [(SLICE 1 - -) (SLICE - - 2) (ELLIPSIS) "
                "(NONE)])) [x (STARRED y)] "
                "[(KEYWORD k 1) (KEYWORD - z)]) w))\n");
    expect_tree("(), (a,), [], {}, {a}, {a: b, **c}",
                "(EXPR (TUPLE [(TUPLE []) (TUPLE [a]) (LIST []) (DICT []) (SET [a]) (DICT [(PAIR a "
                "b) (PAIR - c)])]))\n");
    expect_tree("-9223372036854775808", "(EXPR (UNARY - (BIG \"9223372036854775808\")))\n");
    expect_tree("x = 1_000, 0xff, 0o17, 0b11, 1e3, 2.5j",
                "(ASSIGN [x] (TUPLE [1000 255 15 3 (FLOAT 1000) (IMAGINARY 2.5)]))\n");
}

static void texts(void **state) {
    (void)state;
    expect_tree("'a\\n\\x41\\u00e9' \"b\" r'\\n'",
                "(EXPR \"a\\x0aA\xc3\xa9"
                "b\\\\n\")\n");
    expect_tree("b'a\\x00' b'\\377'", "(EXPR (BYTES \"a\\x00\xff\"))\n");
    expect_tree("f'{{a}}'", "(EXPR (FSTRING [\"{a}\"]))\n");
    expect_tree("'x' f'{a!r:>{w}} {b=}'",
                "(EXPR (FSTRING [\"x\" (FIELD a 114 (FSTRING [\">\" (FIELD w 0 -)])) \" b=\" "
                "(FIELD b 114 -)]))\n");
    expect_tree("f'{f\"{a['b']}\"}'",
                "(EXPR (FSTRING [(FIELD (FSTRING [(FIELD (INDEX a \"b\") 0 -)]) 0 -)]))\n");
    expect_tree("f'{t:%H:%M}'", "(EXPR (FSTRING [(FIELD t 0 \"%H:%M\")]))\n");
}

static void statements(void **state) {
    (void)state;
    expect_tree("a = b, *c = d", "(ASSIGN [a (TUPLE [b (STARRED c)])] d)\n");
    expect_tree("a @= b; c: int = 1; del d, (e, f[0])",
                "(AUGASSIGN @ a b)\n(ANNASSIGN c int 1)\n(DEL [d e (INDEX f 0)])\n");
    expect_tree("if a: b\nelif c: d\nelse: e",
                "(IF a [(EXPR b)] [(IF c [(EXPR d)] [(EXPR e)])])\n");
    expect_tree("for i, j in x:\n  break\nelse: continue_",
                "(FOR (TUPLE [i j]) x [(BREAK)] [(EXPR continue_)])\n");
    expect_tree("try: a\nexcept (B, C) as d: e\nexcept: f\nelse: g\nfinally: h",
                "(TRY [(EXPR a)] [(EXCEPT (TUPLE [B C]) d [(EXPR e)]) (EXCEPT - - [(EXPR f)])] "
                "[(EXPR g)] [(EXPR h)])\n");
    expect_tree("with (a as b, c): pass", "(WITH [(WITHITEM a b) (WITHITEM c -)] [(PASS)])\n");
    expect_tree("with (a, b).c as d: pass",
                "(WITH [(WITHITEM (ATTR (TUPLE [a b]) c) d)] [(PASS)])\n");
    expect_tree("import a.b as c, d.e\nfrom ..f import g as h",
                "(IMPORT [(ALIAS a.b 1 c) (ALIAS d.e 0 d)])\n(FROM f 2 [(ALIAS g 1 h)])\n");
    expect_tree("@d(1)\ndef f(a, /, b=2, *c, e, **g) -> h:\n  'doc'",
                "(DEF f [(CALL d [1] [])] (FUNCTION f [(PARAM 0 a@0 - -) (PARAM 1 b@1 2 -) (PARAM "
                "3 c@3 - -) (PARAM 2 e@2 - -) "
                "(PARAM 4 g@4 - -)] h [(EXPR \"doc\")] \"doc\" {a b e c g}))\n");
    expect_tree("raise A from B; assert a, b; global c; return_",
                "(RAISE A B)\n(ASSERT a b)\n(GLOBAL [c])\n(EXPR return_)\n");
}

static void magics(void **state) {
    (void)state;
    expect_tree("%time f(x)\nx = !ls -l | wc\ny = %who\nz?\n",
                "(EXPR (MAGIC \"%time f(x)\"))\n(ASSIGN [x] (MAGIC \"!ls -l | wc\"))\n"
                "(ASSIGN [y] (MAGIC \"%who\"))\n(EXPR (MAGIC \"z?\"))\n");
    expect_tree("%%timeit\na\nb", "(EXPR (MAGIC \"%%timeit\\x0aa\\x0ab\"))\n");
    expect_tree("if a:\n  !ls\nb % c",
                "(IF a [(EXPR (MAGIC \"!ls\"))] [])\n(EXPR (BINARY % b c))\n");
}

/* ---- names ---- */

static void scopes(void **state) {
    (void)state;
    expect_tree("def f(a):\n  b = a\n  def g():\n    return a + c\n  return b",
                "(DEF f [] (FUNCTION f [(PARAM 1 a@cell0 - -)] - [(ASSIGN [b@1] a@cell0) (DEF g@2 "
                "[] (FUNCTION g [] - [(RETURN (BINARY + "
                "a@free0 c))] - {; a@cell0})) (RETURN b@1)] - {a* b g}))\n");
    expect_tree(
        "def f():\n  n = 0\n  def g():\n    def h():\n      nonlocal n\n      n += 1\n    return h",
        "(DEF f [] (FUNCTION f [] - [(ASSIGN [n@cell0] 0) (DEF g@1 [] (FUNCTION g [] - [(DEF h@0 "
        "[] (FUNCTION h [] - [(NONLOCAL "
        "[n@free0]) (AUGASSIGN + n@free0 1)] - {; n@free0})) (RETURN h@0)] - {h; n@cell0}))] - {n* "
        "g}))\n");
    expect_tree("[x * y for x in z]", "(EXPR (LISTCOMP (BINARY * x@0 y) [(CLAUSE x@0 z [])]))\n");
    expect_tree("def f(x):\n  return [x for x in x], {lambda: x for y in x}",
                "(DEF f [] (FUNCTION f [(PARAM 1 x@cell0 - -)] - [(RETURN (TUPLE [(LISTCOMP x@1 "
                "[(CLAUSE x@1 x@cell0 [])]) (SETCOMP "
                "(FUNCTION - [] - [(RETURN x@free0)] - {; x@cell0}) [(CLAUSE y@2 x@cell0 [])])]))] "
                "- {x* x y}))\n");
    expect_tree("def f(a):\n  return sum(i * a for i in a)",
                "(DEF f [] (FUNCTION f [(PARAM 1 a@cell0 - -)] - [(RETURN (CALL sum [(GENEXP "
                "(BINARY * i@1 a@free0) [(CLAUSE i@1 a@cell0 "
                "[])] {- i; a@cell0})] []))] - {a*}))\n");
    expect_tree("def f():\n  return any((w := v) for v in z), w",
                "(DEF f [] (FUNCTION f [] - [(RETURN (TUPLE [(CALL any [(GENEXP (NAMED w@free0 "
                "v@1) [(CLAUSE v@1 z [])] {- v; "
                "w@cell0})] []) w@cell0]))] - {w*}))\n");
    expect_tree("def f():\n  global g\n  g = 1\n  [(w := v) for v in g]\n  return w",
                "(DEF f [] (FUNCTION f [] - [(GLOBAL [g]) (ASSIGN [g] 1) (EXPR (LISTCOMP (NAMED "
                "w@1 v@0) [(CLAUSE v@0 g [])])) (RETURN "
                "w@1)] - {v w}))\n");
}

/* ---- errors ---- */

static void carets(void **state) {
    (void)state;
    expect_error("In [7]", "x = 3\nif x = 4:\n    pass",
                 "SyntaxError: invalid syntax. Maybe you meant '==' or ':=' instead of '='?\n"
                 "  In [7], line 2\n    if x = 4:\n       ^~~~~\n");
    expect_error("a.gpa", "def f():\n    return (a b)\n",
                 "SyntaxError: invalid syntax. Perhaps you forgot a comma?\n"
                 "  File \"a.gpa\", line 2\n    return (a b)\n            ^~~\n");
    expect_error(
        "a.gpa", "x = (1,\ny = 2\n",
        "SyntaxError: '(' was never closed\n  File \"a.gpa\", line 1\n    x = (1,\n        ^\n");
    expect_error("a.gpa", "\tx = '\xe5\xad\x97' 1",
                 "IndentationError: unexpected indent\n  File \"a.gpa\", line 1\n    x = "
                 "'\xe5\xad\x97' 1\n    ^\n");
    expect_error("a.gpa", "x = '\xe5\xad\x97\xe5\xad\x97' $ 1",
                 "SyntaxError: invalid syntax\n  File \"a.gpa\", line 1\n"
                 "    x = '\xe5\xad\x97\xe5\xad\x97' $ 1\n               ^\n");
    expect_error(
        "a.gpa", "async def f(): pass",
        "SyntaxError: async and await are not part of gpa: work on arrays is queued, and waited "
        "for when its "
        "values are needed\n  File \"a.gpa\", line 1\n    async def f(): pass\n    ^~~~~\n");
}

static void notes_stand_under_operands(void **state) {
    (void)state;
    const char *text = "c = a[1:] @ w + b * mask";
    front f;
    open_front(&f);
    uint32_t id = 0;
    assert_int_equal(
        source_add(f.texts, &(source_text){SOURCE_CELL, "In [7]", text, strlen(text)}, &id, &f.err),
        GPA_OK);
    gpa_fail(&f.err, GPA_E_VALUE,
             "operands could not be broadcast together with shapes (3,4) (3,)");
    gpa_fail_at(&f.err, (gpa_span){id, 18, 19});
    gpa_err_note(&f.err, (gpa_span){id, 16, 17}, "(3,4)");
    gpa_err_note(&f.err, (gpa_span){id, 20, 24}, "(3,)");
    gpa_err_hint(&f.err, "b[:, None] has shape (3,1)");
    source_render(f.texts, &f.err, "f", &f.out);
    assert_string_equal(
        f.out.text,
        "ValueError: operands could not be broadcast together with shapes (3,4) (3,)\n"
        "  In [7], line 1, in f\n"
        "    c = a[1:] @ w + b * mask\n"
        "                    ~ ^ ~~~~\n"
        "                  (3,4)  (3,)\n"
        "  hint: b[:, None] has shape (3,1)\n");
    close_front(&f);
}

static void notes_on_other_lines(void **state) {
    (void)state;
    const char *text = "y = (first +\n     second)";
    front f;
    open_front(&f);
    uint32_t id = 0;
    assert_int_equal(
        source_add(f.texts, &(source_text){SOURCE_FILE, "x.gpa", text, strlen(text)}, &id, &f.err),
        GPA_OK);
    gpa_fail(&f.err, GPA_E_VALUE, "no");
    gpa_fail_at(&f.err, (gpa_span){id, 11, 12});
    gpa_err_note(&f.err, (gpa_span){id, 5, 10}, "a long text that is wide");
    gpa_err_note(&f.err, (gpa_span){id, 18, 24}, "(3,)");
    source_render(f.texts, &f.err, NULL, &f.out);
    assert_string_equal(f.out.text,
                        "ValueError: no\n"
                        "  File \"x.gpa\", line 1\n"
                        "    y = (first +\n"
                        "         ~~~~~ ^\n"
                        "    a long text that is wide\n"
                        "    second)\n"
                        "    ~~~~~~\n"
                        "     (3,)\n");
    close_front(&f);
}

/* ---- bounds ---- */

static void expect_code(const char *unit, int times, const char *end, gpa_code wanted) {
    front f;
    gpa_str text;
    str_init(&text);
    for (int i = 0; i < times; i++) str_put(&text, unit);
    str_put(&text, end);
    open_front(&f);
    assert_int_equal(parse_text(&f, "t", text.text, false), wanted);
    close_front(&f);
    str_free(&text);
}

static void nesting_is_bounded(void **state) {
    (void)state;
    expect_code("(", 200, "", GPA_E_INCOMPLETE);
    expect_code("(", 100000, "", GPA_E_SYNTAX);
    expect_code("-", 1000, "1", GPA_OK);
    expect_code("-", 100000, "1", GPA_E_RECURSION);
    expect_code("not ", 100000, "1", GPA_E_RECURSION);
    expect_code("lambda: ", 100000, "1", GPA_E_RECURSION);
    expect_code("a if b else ", 100000, "1", GPA_E_RECURSION);
    expect_code("1 + ", 1000, "1", GPA_OK);
    expect_code("1 + ", 100000, "1", GPA_E_RECURSION);
    expect_code("2 ** ", 100000, "1", GPA_E_RECURSION);
    expect_code("a.b", 1, "", GPA_OK);
    expect_code("f(", 150, "", GPA_E_INCOMPLETE);
    expect_code("'a' ", 100000, "", GPA_OK);
    expect_code("a = ", 100000, "1", GPA_OK);
    expect_code("if a: b\n", 100000, "", GPA_OK);
    expect_code("f'{", 200, "", GPA_E_SYNTAX);
}

static void memory_failure_is_reported(void **state) {
    (void)state;
    const char *text =
        "def f(a, *b):\n  return [lambda: x + f'{a!r:>{b}}' for x in b if x] + ['c' 'd', "
        "1_0.5_0]\nimport m.n as o\n";
    gpa_code rc = GPA_E_MEMORY;
    for (uint64_t n = 1; rc == GPA_E_MEMORY; n++) {
        assert_true(n < 1000);
        front f;
        open_front(&f);
        uint32_t id = 0;
        assert_int_equal(
            source_add(f.texts, &(source_text){SOURCE_FILE, "t", text, strlen(text)}, &id, &f.err),
            GPA_OK);
        mem_fail_at(n);
        rc = parse_module(source_get(f.texts, id), f.names, NULL, &f.module, &f.err);
        mem_fail_at(0);
        assert_int_equal(rc, f.err.code);
        close_front(&f);
    }
    assert_int_equal(rc, GPA_OK);
}

/* ---- the prompt ---- */

static void expect_status(const char *text, parse_status wanted, uint32_t margin) {
    parse_options o = {.magics = true};
    uint32_t indent = 99;
    parse_status status = parse_check(text, strlen(text), &o, &indent);
    if (status != wanted || indent != margin)
        fail_msg("%s: status %d, indent %u", text, (int)status, indent);
}

static void prompts(void **state) {
    (void)state;
    expect_status("", PARSE_COMPLETE, 0);
    expect_status("a = 1", PARSE_COMPLETE, 0);
    expect_status("if a:", PARSE_INCOMPLETE, 4);
    expect_status("if a:\n", PARSE_INCOMPLETE, 4);
    expect_status("if a:\n    b", PARSE_INCOMPLETE, 4);
    expect_status("if a:\n    b\n", PARSE_INCOMPLETE, 4);
    expect_status("if a:\n    b\n\n", PARSE_COMPLETE, 0);
    expect_status("if a:\n    b\n    \n", PARSE_COMPLETE, 0);
    expect_status("if a: b", PARSE_COMPLETE, 0);
    expect_status("def f():\n    if a:\n        return b", PARSE_INCOMPLETE, 4);
    expect_status("def f():\n    if a:", PARSE_INCOMPLETE, 8);
    expect_status("%timeit f(1) + \\", PARSE_INCOMPLETE, 0);
    expect_status("%timeit f(1) + \\\n", PARSE_INCOMPLETE, 0);
    expect_status("%timeit f(1) + \\\n    2", PARSE_COMPLETE, 0);
    expect_status("f(a,", PARSE_INCOMPLETE, 0);
    expect_status("f(", PARSE_INCOMPLETE, 4);
    expect_status("f(\n    a,\n", PARSE_INCOMPLETE, 4);
    expect_status("'''abc", PARSE_INCOMPLETE, 0);
    expect_status("f'''{a", PARSE_INCOMPLETE, 0);
    expect_status("a = \\", PARSE_INCOMPLETE, 0);
    expect_status("@f", PARSE_INCOMPLETE, 0);
    expect_status("try:\n    a", PARSE_INCOMPLETE, 4);
    expect_status("'abc", PARSE_INVALID, 0);
    expect_status("a b", PARSE_INVALID, 0);
    expect_status("if a\n", PARSE_INVALID, 0);
    expect_status("x = (1 1,", PARSE_INVALID, 0);
    expect_status("class A:", PARSE_INCOMPLETE, 4);
    expect_status("class A:\n    def f(self):\n        pass\n", PARSE_INCOMPLETE, 4);
    expect_status("class A: pass", PARSE_COMPLETE, 0);
    expect_status("async def f():", PARSE_INVALID, 0);
    expect_status("%time f(", PARSE_COMPLETE, 0);
}

/* ---- bodies that are left ---- */

/* Parses a module of the library, at once or with the bodies of its functions afterwards. */
static void parse_library(front *f, const library_module *l, bool left) {
    uint32_t id = 0;
    const parse_options o = {.library = left};
    open_front(f);
    assert_int_equal(source_add(f->texts, &(source_text){SOURCE_FILE, l->module, l->text, l->size},
                                &id, &f->err),
                     GPA_OK);
    const source *src = source_get(f->texts, id);
    if (parse_module(src, f->names, &o, &f->module, &f->err))
        fail_msg("%s: %s", l->module, f->err.msg);
    for (uint32_t i = 0; i < f->module->body.n; i++) {
        ast_node *n = f->module->body.at[i];
        if (n->kind != AST_DEF) continue;
        assert_true(left || !n->def.function->function.rest.hi);
        if (parse_rest(src, f->names, f->module, n->def.function, &f->err))
            fail_msg("%s: %s", l->module, f->err.msg);
        assert_int_equal(n->def.function->function.rest.hi, 0);
    }
    ast_print_module(&f->out, f->module, f->names);
}

static void left_bodies_are_the_same(void **state) {
    (void)state;
    for (const library_module *l = library_modules; l->module; l++) {
        front whole, left;
        parse_library(&whole, l, false);
        parse_library(&left, l, true);
        assert_string_equal(left.out.text, whole.out.text);
        for (uint32_t i = 0; i < whole.module->body.n; i++)
            assert_memory_equal(&left.module->body.at[i]->span, &whole.module->body.at[i]->span,
                                sizeof(gpa_span));
        close_front(&left);
        close_front(&whole);
    }
}

UNIT_TESTS(TEST(names_are_numbered), TEST(tokens), TEST(expressions), TEST(texts), TEST(statements),
           TEST(magics), TEST(scopes), TEST(carets), TEST(notes_stand_under_operands),
           TEST(notes_on_other_lines), TEST(nesting_is_bounded), TEST(memory_failure_is_reported),
           TEST(prompts), TEST(left_bodies_are_the_same))
