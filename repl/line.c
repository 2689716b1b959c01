/* Reads cells by the editor (edit.h) or, without one, plain lines. */
#include "repl/line.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "repl/buf.h"
#include "repl/edit.h"
#include "repl/host.h"

static gpa_session *session;
static bool editing;

/* Shows the prompt and waits for a line; false if Ctrl-C came first, even before the wait. / */
static bool wait_for_line(const char *prompt) {
    sigset_t before;
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int seen = host_interrupts(), ready;
    host_hold_interrupts(&before);
    fputs(prompt, stdout);
    fflush(stdout);
    do ready = ppoll(&input, 1, NULL, &before);
    while (ready < 0 && errno == EINTR && host_interrupts() == seen);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return host_interrupts() == seen;
}

/* One line including its end. */
static line_result plain_line(const char *prompt, char **line) {
    size_t cap = 0;
    *line = NULL;
    bool interrupted = isatty(STDIN_FILENO) && !wait_for_line(prompt);
    errno = 0;
    if (!interrupted && getline(line, &cap, stdin) >= 0) return LINE_CELL;
    interrupted = interrupted || errno == EINTR;
    free(*line);
    *line = NULL;
    clearerr(stdin);
    if (interrupted) fputc('\n', stdout); /* after the ^C that the terminal echoes */
    return interrupted ? LINE_DROPPED : LINE_END;
}

static line_result plain_read(const char *prompt, const char *more, const char *start,
                              char **text) {
    buf cell = {0};
    line_result r;
    int indent;
    if (start) {
        /* no editor: the initial text is displayed and prepended to the input */
        buf_put(&cell, start);
        if (cell.len && cell.text[cell.len - 1] != '\n') buf_putc(&cell, '\n');
        printf("%s%s", prompt, cell.text);
    }
    for (;;) {
        char *line;
        r = plain_line(cell.len ? more : prompt, &line);
        if (r == LINE_DROPPED || (r == LINE_END && cell.len == 0)) break;
        if (line) buf_put(&cell, line);
        free(line);
        if (r == LINE_END || !cell.text || !cell.text[strspn(cell.text, " \t\r\n")] ||
            gpa_session_check(session, cell.text, cell.len, &indent) != GPA_SRC_INCOMPLETE) {
            r = LINE_CELL;
            break;
        }
    }
    if (r == LINE_CELL)
        *text = cell.text;
    else
        buf_free(&cell);
    return r;
}

void line_begin(gpa_session *s) {
    session = s;
    editing = edit_begin(s);
}

line_result line_read(const char *prompt, const char *more, const char *start, char **text) {
    *text = NULL;
    host_at_prompt(true);
    line_result r =
        editing ? edit_read(prompt, more, start, text) : plain_read(prompt, more, start, text);
    host_at_prompt(false);
    return r;
}

line_result line_ask(const char *prompt, char **text) {
    line_result r = editing ? edit_ask(prompt, text) : plain_line(prompt, text);
    if (*text) (*text)[strcspn(*text, "\r\n")] = 0;
    return r;
}

void line_remember(const char *text) {
    if (editing) edit_remember(text);
}

void line_end(void) {
    if (editing) edit_end();
    editing = false;
}
