/* The read-eval-print loop: IPython's prompts, a cell, its evaluation. Ctrl-C discards input and
 * never ends the session; Ctrl-D asks if there are variables to lose. */
#include "repl/prompt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "repl/buf.h"
#include "repl/busy.h"
#include "repl/colour.h"
#include "repl/host.h"
#include "repl/line.h"

static const char greeting[] =
    "gpa " GPA_VERSION "    name? explains a name, Tab completes it, exit leaves\n";

/* `In [7]: ` and a continuation prompt of the same width. */
static void make_prompts(int count, buf *first, buf *more) {
    bool colour = colour_on(STDOUT_FILENO);
    const char *in = colour ? colour_of(TINT_IN) : "",
               *number = colour ? colour_of(TINT_IN_COUNT) : "";
    const char *dots = colour ? colour_of(TINT_MORE) : "", *end = colour ? COLOUR_END : "";
    int width = snprintf(NULL, 0, "In [%d]: ", count);
    buf_clear(first);
    buf_clear(more);
    buf_printf(first, "%sIn [%s%s%d%s%s]: %s", in, end, number, count, end, in, end);
    buf_printf(more, "%s%*s: %s", dots, width - 2, "...", end);
}

/* True if a cell consists of this word. */
static bool is_word(const char *cell, const char *word) {
    cell += strspn(cell, " \t\r\n");
    size_t n = strlen(word);
    return strncmp(cell, word, n) == 0 && cell[n + strspn(cell + n, " \t\r\n")] == 0;
}

static bool blank(const char *cell) { return cell[strspn(cell, " \t\r\n")] == 0; }

/* Ctrl-D. */
static bool wants_to_leave(const gpa_session *s) {
    char *answer;
    if (gpa_session_count(s) == 1 || !isatty(STDIN_FILENO)) return true;
    line_result r = line_ask("Do you really want to exit ([y]/n)? ", &answer);
    if (r == LINE_END) fputc('\n', stdout);
    bool yes = r == LINE_END || (r == LINE_CELL && strchr("yY", answer[strspn(answer, " ")]));
    free(answer);
    if (!yes) fputc('\n', stdout);
    return yes;
}

/* The next cell, owned; NULL when the user quits. */
static char *read_cell(gpa_session *s, buf *first, buf *more) {
    for (;;) {
        char *text, *start = host_next_input();
        make_prompts(gpa_session_count(s), first, more);
        if (first->failed || more->failed) return NULL;
        host_fresh_line();
        line_result r = line_read(first->text, more->text, start, &text);
        free(start);
        switch (r) {
            case LINE_CELL:
                if (!blank(text)) return text;
                free(text);
                break;
            case LINE_DROPPED: fputs("KeyboardInterrupt\n\n", stdout); break;
            case LINE_END:
                fputc('\n', stdout);
                if (wants_to_leave(s)) return NULL;
                break;
        }
    }
}

int prompt_loop(gpa_session *s, int explain, bool banner) {
    buf first = {0}, more = {0};
    int status = 0, flags = explain ? GPA_EVAL_EXPLAIN : 0;
    gpa_code rc = GPA_OK;
    char *cell;
    if (explain > 1) flags |= GPA_EVAL_SOURCE;
    line_begin(s);
    host_number_results();
    gpa_session_prepare(s);
    if (banner && isatty(STDOUT_FILENO)) printf("%s\n", greeting);
    while (rc != GPA_E_EXIT && (cell = read_cell(s, &first, &more))) {
        gpa_session_ready(s);
        line_remember(cell);
        bool leave = is_word(cell, "exit") || is_word(cell, "quit");
        if (!leave) busy_begin();
        if (!leave) rc = gpa_session_eval(s, NULL, cell, strlen(cell), flags, &status);
        busy_end();
        free(cell);
        if (leave) break;
        host_fresh_line();
        if (rc != GPA_E_EXIT && isatty(STDOUT_FILENO)) fputc('\n', stdout);
    }
    busy_free();
    line_end();
    buf_free(&first);
    buf_free(&more);
    return rc == GPA_E_EXIT ? status : 0;
}
