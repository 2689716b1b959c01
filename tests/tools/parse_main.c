/* parse_main: prints syntax trees and syntax errors, for tests.
 *
 *   parse_main [-m] FILE...   prints each file's tree, or its error as a user sees it (-m: magics
 *                             are parsed)
 *   parse_main -d             reads frames "LENGTH\n" + bytes from stdin; answers each with one
 *                             line: "ok", or "ErrorName<TAB>line<TAB>column<TAB>message" (columns
 *                             in characters)
 *   parse_main -t N FILE      parses the file N times and prints the fastest, in microseconds */
#include <stdio.h>
#include <stdlib.h>

#include "lang/syntax/parse.h"
#include "runtime/base/base.h"
#include "runtime/base/clock.h"

static char *read_all(FILE *f, size_t *n) {
    gpa_str s;
    str_init(&s);
    char buffer[4096];
    size_t got;
    while ((got = fread(buffer, 1, sizeof buffer, f)) > 0) str_putn(&s, buffer, got);
    *n = s.len;
    return str_take(&s);
}

static int show(const char *name, const char *text, size_t n, const parse_options *o) {
    sources *texts = sources_new();
    intern *names = intern_new();
    gpa_err e = {.code = GPA_OK};
    ast_module *m = NULL;
    uint32_t id = 0;
    gpa_str out;
    str_init(&out);
    int rc = source_add(texts, &(source_text){SOURCE_FILE, name, text, n}, &id, &e) ||
             parse_module(source_get(texts, id), names, o, &m, &e);
    if (rc)
        source_render(texts, &e, NULL, &out);
    else
        ast_print_module(&out, m, names);
    fputs(out.text, stdout);
    str_free(&out);
    ast_release(m);
    intern_free(names);
    sources_free(texts);
    return rc;
}

/* One line for the differential test. */
static void answer(const char *text, size_t n) {
    sources *texts = sources_new();
    intern *names = intern_new();
    gpa_err e = {.code = GPA_OK};
    ast_module *m = NULL;
    uint32_t id = 0;
    parse_options o = {.magics = false};
    if (source_add(texts, &(source_text){SOURCE_FILE, "<string>", text, n}, &id, &e) ||
        parse_module(source_get(texts, id), names, &o, &m, &e)) {
        const source *src = source_get(texts, e.span.src);
        source_pos at = source_at(src, e.span.lo);
        printf("%s\t%u\t%u\t%s\n", gpa_err_name(e.code), at.line, at.column, e.msg);
    } else {
        puts("ok");
    }
    ast_release(m);
    intern_free(names);
    sources_free(texts);
}

static void answer_all(void) {
    char line[32];
    while (fgets(line, sizeof line, stdin)) {
        size_t n = (size_t)strtoul(line, NULL, 10);
        char *text = mem_zero(n + 1);
        if (!text || fread(text, 1, n, stdin) != n) exit(1);
        answer(text, n);
        fflush(stdout);
        mem_free(text);
    }
}

static void measure(const char *name, const char *text, size_t n, int times) {
    double best = 1e9;
    parse_options o = {.magics = false};
    for (int i = 0; i < times; i++) {
        sources *texts = sources_new();
        intern *names = intern_new();
        gpa_err e = {.code = GPA_OK};
        ast_module *m = NULL;
        uint32_t id = 0;
        double start = clock_seconds();
        if (source_add(texts, &(source_text){SOURCE_FILE, name, text, n}, &id, &e) ||
            parse_module(source_get(texts, id), names, &o, &m, &e))
            puts(e.msg);
        double took = clock_seconds() - start;
        best = MIN(best, took);
        ast_release(m);
        intern_free(names);
        sources_free(texts);
    }
    printf("%s: %zu bytes in %.0f us\n", name, n, best * 1e6);
}

int main(int argc, char **argv) {
    parse_options o = {.magics = false};
    int times = 0, rc = 0, i = 1;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        if (argv[i][1] == 'm') o.magics = true;
        if (argv[i][1] == 't' && i + 1 < argc) times = atoi(argv[++i]);
        if (argv[i][1] == 'd') {
            answer_all();
            return 0;
        }
    }
    for (; i < argc; i++) {
        FILE *f = strcmp(argv[i], "-") == 0 ? stdin : fopen(argv[i], "rb");
        if (!f) return 2;
        size_t n;
        char *text = read_all(f, &n);
        if (f != stdin) fclose(f);
        if (times)
            measure(argv[i], text, n, times);
        else
            rc |= show(argv[i], text, n, &o);
        mem_free(text);
    }
    return rc;
}
