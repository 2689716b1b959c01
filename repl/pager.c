/* Help pages for a terminal, and paging of long texts. */
#include "repl/pager.h"

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "repl/colour.h"
#include "lang/session.h"
#include "repl/terminal.h"

/* ---- pages ---- */

static bool starts_with(const char *line, size_t n, const char *with) {
    size_t m = strlen(with);
    return n >= m && memcmp(line, with, m) == 0;
}

/* The length of `Label:` at the margin, else 0. */
static size_t label_length(const char *line, size_t n) {
    size_t at = 0;
    if (n == 0 || line[0] < 'A' || line[0] > 'Z') return 0;
    while (at < n && ((line[at] | 0x20) >= 'a' && (line[at] | 0x20) <= 'z')) at++;
    return at < n && line[at] == ':' ? at + 1 : 0;
}

/* Bytes of a line that fit in a row: all, or up to the last blank within the terminal's width. */
static size_t row_length(const char *line, size_t n, int columns) {
    size_t cut = 0;
    if (gpa_text_width(line, n) <= (size_t)columns) return n;
    for (size_t i = strspn(line, " "); i < n; i++) {
        if (line[i] != ' ') continue;
        if (gpa_text_width(line, i) > (size_t)columns) break;
        cut = i;
    }
    return cut ? cut : n;
}

static void put_row(gpa_session *s, const char *row, size_t n, size_t label, bool code, buf *out) {
    size_t margin = 0;
    while (margin < n && row[margin] == ' ') margin++;
    if (!colour_on(1)) {
        buf_putn(out, row, n);
    } else if (label) {
        buf_put(out, colour_of(TINT_OUT));
        buf_putn(out, row, label);
        buf_put(out, COLOUR_END);
        if (code)
            source_line_put(s, row + label, n - label, out);
        else
            buf_putn(out, row + label, n - label);
    } else if (starts_with(row + margin, n - margin, ">>> ") ||
               starts_with(row + margin, n - margin, "... ")) {
        buf_putn(out, row, margin);
        buf_put(out, colour_of(TINT_HINT));
        buf_putn(out, row + margin, 4);
        buf_put(out, COLOUR_END);
        source_line_put(s, row + margin + 4, n - margin - 4, out);
    } else if (code) {
        source_line_put(s, row, n, out);
    } else {
        buf_putn(out, row, n);
    }
    buf_putc(out, '\n');
}

/* The fields whose text is printed as it is. */
typedef enum { FIELD_OTHER, FIELD_DOCSTRING, FIELD_SOURCE } field;

/* The field that a line belongs to. Only the labels that follow a docstring end it: lines of a
 * docstring may look like labels. */
static field field_of(const char *line, size_t n, size_t label, field before) {
    if (!label) return before;
    if (before == FIELD_DOCSTRING)
        return starts_with(line, n, "File:") || starts_with(line, n, "Type:") ? FIELD_OTHER
                                                                              : before;
    return starts_with(line, n, "Source:")      ? FIELD_SOURCE
           : starts_with(line, n, "Docstring:") ? FIELD_DOCSTRING
                                                : FIELD_OTHER;
}

void page_put(gpa_session *s, const char *text, size_t n, int columns, buf *out) {
    field now = FIELD_OTHER;
    while (n && (text[n - 1] == '\n' || text[n - 1] == ' ')) n--;
    for (size_t at = 0; at < n;) {
        const char *line = text + at, *end = memchr(line, '\n', n - at);
        size_t left = end ? (size_t)(end - line) : n - at, label = label_length(line, left),
               margin = 0;
        field before = now;
        now = field_of(line, left, label, before);
        at += left + 1;
        if (before == FIELD_DOCSTRING && now == before) label = 0;
        bool code = now == FIELD_SOURCE || starts_with(line, left, "Signature:");
        while (margin < left && line[margin] == ' ') margin++;
        if (label) margin = label + strspn(line + label, " ");
        for (bool first = true; first || left; first = false) {
            if (!first) buf_fill(out, ' ', margin);
            size_t row = now != FIELD_OTHER
                             ? left
                             : row_length(line, left, first ? columns : columns - (int)margin);
            put_row(s, line, row, first ? label : 0, code, out);
            line += row;
            left -= row;
            while (left && *line == ' ') line++, left--;
        }
    }
}

/* ---- paging ---- */

/* The pager is a child process that reads a pipe. While it runs Ctrl-C goes to it alone. */

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
    const char *pager = getenv("PAGER");
    if (pager && *pager) return pager;
    return terminal_capable() ? "less -R" : "cat";
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
