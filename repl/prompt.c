/* The prompt. Lines are collected until the session says that they are a whole cell; Ctrl-C drops what was typed,
 * Ctrl-D on an empty line ends. Line editing is behind read_line: readline where it was built in, plain reads
 * elsewhere and when input is not a terminal. */
#include "repl/prompt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "repl/host.h"
#include "repl/line.h"

typedef struct {
    char *text;
    size_t len, cap;
} cell;

static bool cell_add(cell *c, const char *line) {
    size_t n = strlen(line), need = c->len + n + 2;
    if (need > c->cap) {
        char *grown = realloc(c->text, need * 2);
        if (!grown) return false;
        c->text = grown;
        c->cap = need * 2;
    }
    memcpy(c->text + c->len, line, n);
    memcpy(c->text + c->len + n, "\n", 2);
    c->len += n + 1;
    return true;
}

static bool blank(const cell *c) { return !c->text || c->text[strspn(c->text, " \t\r\n")] == 0; }

/* Reads one cell. False at the end of input. */
static bool read_cell(gpa_session *s, cell *c) {
    char prompt[32], more[32];
    int indent = 0;
    snprintf(prompt, sizeof prompt, "In [%d]: ", gpa_session_count(s));
    snprintf(more, sizeof more, "%*s: ", (int)strlen(prompt) - 2, "...");
    c->len = 0;
    for (;;) {
        bool interrupted;
        char *line = line_read(c->len ? more : prompt, indent, &interrupted);
        if (interrupted) {
            c->len = 0;
            indent = 0;
            continue;
        }
        if (!line) return c->len > 0;
        bool kept = cell_add(c, line);
        free(line);
        if (!kept) return false;
        if (blank(c)) {
            c->len = 0;
            continue;
        }
        if (gpa_session_check(s, c->text, c->len, &indent) != GPA_SRC_INCOMPLETE) return true;
    }
}

int prompt_loop(gpa_session *s, int explain) {
    cell c = {0};
    int status = 0, flags = explain ? GPA_EVAL_EXPLAIN : 0;
    gpa_code rc = GPA_OK;
    if (explain > 1) flags |= GPA_EVAL_SOURCE;
    line_begin(s);
    gpa_session_prepare(s);
    while (rc != GPA_E_EXIT && read_cell(s, &c)) {
        line_remember(c.text);
        rc = gpa_session_eval(s, NULL, c.text, c.len, flags, &status);
    }
    line_end();
    free(c.text);
    return rc == GPA_E_EXIT ? status : 0;
}
