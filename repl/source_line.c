/* Syntax highlighting of a single line. Text between the session's ranges is copied unchanged. A
 * line may be a fragment, so nothing is marked as wrong. */
#include "repl/source_line.h"

#include "repl/colour.h"

typedef struct {
    buf *out;
    const char *text;
    size_t done;
} writer;

static void put_part(void *user, size_t lo, size_t hi, gpa_style style) {
    writer *w = user;
    const char *colour = colour_of(style == GPA_STYLE_WRONG ? GPA_STYLE_PLAIN : (int)style);
    buf_putn(w->out, w->text + w->done, lo - w->done);
    buf_put(w->out, colour);
    buf_putn(w->out, w->text + lo, hi - lo);
    if (*colour) buf_put(w->out, COLOUR_END);
    w->done = hi;
}

void source_line_put(gpa_session *s, const char *text, size_t n, buf *out) {
    writer w = {out, text, 0};
    if (s) gpa_session_highlight(s, text, n, put_part, &w);
    buf_putn(out, text + w.done, n - w.done);
}
