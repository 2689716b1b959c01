/* The pager is a child process that reads a pipe. While it runs Ctrl-C goes to it alone. */
#include "repl/pager.h"

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lang/session.h"

static bool measure(struct winsize *size) {
    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, size) == 0 &&
           size->ws_row > 0 && size->ws_col > 0;
}

int pager_columns(void) {
    struct winsize size;
    return measure(&size) ? size.ws_col : INT_MAX;
}

/* The width of a line of n bytes in cells; escape sequences have none. */
static size_t cells(const char *line, size_t n) {
    size_t width = 0;
    while (n) {
        const char *escape = memchr(line, '\033', n);
        size_t plain = escape ? (size_t)(escape - line) : n;
        width += gpa_text_width(line, plain);
        line += plain, n -= plain;
        while (n && *line != 'm') line++, n--;
        if (n) line++, n--;
    }
    return width;
}

/* True if the text has more rows than the terminal, minus one for the prompt. */
static bool is_long(const char *text, size_t n) {
    struct winsize size;
    if (!isatty(STDIN_FILENO) || !measure(&size)) return false;
    size_t rows = 0;
    for (size_t at = 0; at < n;) {
        const char *end = memchr(text + at, '\n', n - at);
        size_t len = end ? (size_t)(end - text) - at : n - at;
        size_t width = cells(text + at, len);
        rows += 1 + (width ? (width - 1) / size.ws_col : 0);
        at += len + 1;
    }
    return rows + 1 > size.ws_row;
}

static const char *command(void) {
    const char *pager = getenv("PAGER"), *term = getenv("TERM");
    if (pager && *pager) return pager;
    return term && strcmp(term, "dumb") != 0 ? "less -R" : "cat";
}

void pager_show(const char *text, size_t n) {
    struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt, pipe_before;
    fflush(stdout);
    FILE *to = is_long(text, n) ? popen(command(), "w") : NULL;
    if (to) {
        sigemptyset(&ignore.sa_mask);
        sigaction(SIGINT, &ignore, &interrupt);
        sigaction(SIGPIPE, &ignore, &pipe_before);
        fwrite(text, 1, n, to);
        int status = pclose(to);
        sigaction(SIGPIPE, &pipe_before, NULL);
        sigaction(SIGINT, &interrupt, NULL);
        if (status == 0) return;
        bool missing =
            status != -1 && (status >> 8) == 127; /* the shell did not find the program */
        if (!missing) return;
    }
    fwrite(text, 1, n, stdout);
    fflush(stdout);
}
