/* Colours the session's error report by the kind of each line: head, location, source line,
 * marks, hint. */
#include "repl/report.h"

#include <string.h>

#include "repl/colour.h"
#include "repl/source_line.h"

enum { PLACE_MARGIN = 2, SOURCE_MARGIN = 4 };

static void put_tinted(buf *out, int tint, const char *text, size_t n) {
    buf_put(out, colour_of(tint));
    buf_putn(out, text, n);
    if (*colour_of(tint)) buf_put(out, COLOUR_END);
}

static bool begins(const char *line, size_t n, const char *with) {
    return n >= strlen(with) && memcmp(line, with, strlen(with)) == 0;
}

static void put_label(const char *line, size_t n, size_t margin, int tint, buf *out) {
    const char *colon = memchr(line, ':', n);
    size_t label = colon ? (size_t)(colon - line) + 1 : n;
    buf_putn(out, line, margin);
    put_tinted(out, tint, line + margin, label - margin);
    buf_putn(out, line + label, n - label);
}

void report_put(gpa_session *s, const gpa_diag *d, buf *out) {
    if (!colour_on(2)) {
        buf_put(out, d->text);
        return;
    }
    bool source = false; /* the previous line was a location */
    for (const char *line = d->text; *line;) {
        size_t n = strcspn(line, "\n"), margin = strspn(line, " ");
        const char *body = line + margin;
        size_t left = n - margin;
        bool marks = left > 0 && (*body == '^' || *body == '~');
        bool named = begins(body, left, "In [") || begins(body, left, "File \"") ||
                     begins(body, left, "called from ");
        bool place = margin == PLACE_MARGIN && named;
        if (line == d->text) {
            put_label(line, n, 0, TINT_ERROR, out);
        } else if (place) {
            put_tinted(out, TINT_PLACE, line, n);
        } else if (source && margin >= SOURCE_MARGIN) {
            buf_putn(out, line, margin);
            source_line_put(s, body, left, out);
        } else if (marks) {
            put_tinted(out, TINT_ERROR, line, n);
        } else if (margin == PLACE_MARGIN &&
                   (begins(body, left, "hint:") || begins(body, left, "note:"))) {
            put_label(line, n, margin, TINT_NOTE, out);
        } else if (begins(line, n, "caused by ")) {
            put_label(line, n, strlen("caused by "), TINT_ERROR, out);
        } else {
            buf_putn(out, line, n);
        }
        source = place;
        line += n;
        if (*line) buf_putc(out, *line++);
    }
}
