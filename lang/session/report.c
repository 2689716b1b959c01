/* Reports of errors: the whole text as a terminal shows it, and its parts. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lang/object/container.h"
#include "lang/vm/class.h"
#include "lang/session/magic.h"
#include "lang/session/state.h"

static void put_frame(gpa_session *s, const vm_frame *f, const char *before, gpa_str *text) {
    const source *src = source_get(s->sources, f->at.src);
    if (!src) return;
    str_put(text, before);
    source_put_location(s->sources, f->at, f->function, text);
    size_t n;
    const char *line = source_line(src, source_at(src, f->at.lo).line, &n);
    while (n && (*line == ' ' || *line == '\t')) line++, n--;
    str_put(text, "\n    ");
    str_putn(text, line, n);
    str_putc(text, '\n');
}

static bool is_module(const vm_frame *f) { return strcmp(f->function, "<module>") == 0; }

/* The name of a frame's function; NULL at module level. */
static const char *function_of(const vm_frame *f) { return is_module(f) ? NULL : f->function; }

static bool same_place(gpa_span a, gpa_span b) { return a.src == b.src && a.lo == b.lo; }

/* The number of repetitions of the last `period` frames before frame n. */
static size_t repetitions(const vm_frame *frames, size_t n, size_t period) {
    size_t same = 0;
    while (same + period < n &&
           same_place(frames[n - 1 - same].at, frames[n - 1 - same - period].at))
        same++;
    return same / period;
}

/* Repeated frames (direct or mutual recursion) are shown once, with a count. */
static void put_callers(gpa_session *s, const vm_frame *frames, size_t n, gpa_str *text) {
    enum { LONGEST_PERIOD = 8 };
    while (n > 0) {
        size_t period = 1, more = 0;
        while (period <= LONGEST_PERIOD && !(more = repetitions(frames, n, period))) period++;
        if (!more) period = 1;
        for (size_t i = 0; i < period; i++) put_frame(s, &frames[--n], "  called from ", text);
        if (more && period == 1)
            str_printf(text, "  (and %zu more calls of the same line)\n", more);
        else if (more)
            str_printf(text, "  (and %zu more repetitions of these %zu calls)\n", more, period);
        n -= more * period;
    }
}

/* The name of an error's class; x: its exception object, if any, whose class may be user-
 * defined. */
static const char *name_of(const gpa_err *e, const exc_obj *x) {
    return x ? exception_name(x) : gpa_err_name(e->code);
}

static void put_error(gpa_session *s, const gpa_err *e, const exc_obj *x, const char *function,
                      gpa_str *text) {
    str_put(text, name_of(e, x));
    if (e->msg[0]) str_printf(text, ": %s", e->msg);
    str_putc(text, '\n');
    source_render_location(s->sources, e, function, text);
}

/* Appends the exceptions that an exception was raised from, or during whose handling, nearest
 * first. */
static void put_causes(gpa_session *s, const exc_obj *x, gpa_str *text) {
    enum { DEEPEST = 8 };
    for (int i = 0; i < DEEPEST; i++) {
        value from = x->suppresses_context ? x->cause : x->context;
        if (from.tag != V_EXCEPTION) break;
        str_put(text, x->suppresses_context ? "caused by " : "while handling ");
        x = from.exc;
        put_error(s, &x->err, x, NULL, text);
    }
}

/* ---- %xmode ---- */

/* Python's traceback: causes first, callers before what they call, the error last. */
static void put_plain(gpa_session *s, const gpa_err *e, const exc_obj *x, const vm_frame *frames,
                      size_t n, gpa_str *text) {
    value from = !x ? v_none() : x->suppresses_context ? x->cause : x->context;
    if (from.tag == V_EXCEPTION) {
        put_plain(s, &from.exc->err, from.exc, NULL, 0, text);
        str_put(text, x->suppresses_context
                          ? "\nThe above exception was the direct cause of the following "
                            "exception:\n\n"
                          : "\nDuring handling of the above exception, another exception "
                            "occurred:\n\n");
    }
    str_put(text, "Traceback (most recent call last):\n");
    for (size_t i = 0; i + 1 < n; i++) put_frame(s, &frames[i], "  ", text);
    source_render_location(s->sources, e, n ? function_of(&frames[n - 1]) : NULL, text);
    str_printf(text, *e->msg ? "%s: %s\n" : "%s\n", name_of(e, x), e->msg);
}

/* The variables of the functions of the traceback, innermost first. */
static void put_variables(gpa_session *s, gpa_str *text) {
    size_t n;
    const debug_frame *frames = debug_error_frames(s->vm, &n);
    while (n-- > 0) {
        if (frames[n].locals.tag != V_DICT || !frames[n].locals.dict->count) continue;
        str_printf(text, "  variables of %s\n", frames[n].function);
        debug_put_variables(s, frames[n].locals, "    ", text);
    }
}

/* Appends the notes of an exception to its message, one per line. */
static void add_notes(gpa_err *e, const exc_obj *x) {
    size_t at = strlen(e->msg);
    for (size_t i = 0; x->notes.tag == V_LIST && i < x->notes.list->count; i++) {
        value note = x->notes.list->items[i];
        if (note.tag != V_STR || at + 2 >= sizeof e->msg) continue;
        snprintf(e->msg + at, sizeof e->msg - at, "\n%s", note.str->text);
        at = strlen(e->msg);
    }
}

/* ---- hints for shell commands ---- */

static bool is_command(const char *name, size_t n) {
    char path[512];
    for (const char *at = getenv("PATH"), *end; at && *at; at = *end ? end + 1 : end) {
        end = strchrnul(at, ':');
        int length = snprintf(path, sizeof path, "%.*s/%.*s", (int)(end - at), at, (int)n, name);
        if (length < (int)sizeof path && access(path, X_OK) == 0) return true;
    }
    return false;
}

/* A cell that begins with a shell command such as `cd folder`, `pip install` or `nvidia-smi` and
 * fails there gets a hint about the magic or `!`. */
static void hint_at_shell(const gpa_session *s, gpa_err *e) {
    const source *src = source_get(s->sources, e->span.src);
    size_t n, word = 0;
    if ((e->code != GPA_E_NAME && e->code != GPA_E_SYNTAX) || !src || src->kind != SOURCE_CELL ||
        source_at(src, e->span.lo).line != 1)
        return;
    const char *line = source_line(src, 1, &n);
    while (word < n && (isalnum((unsigned char)line[word]) || strchr("_-", line[word]))) word++;
    const char *rest = line + word, *end = line + n;
    while (rest < end && *rest == ' ') rest++;
    bool alone = rest == end && e->code == GPA_E_NAME,
         argued = rest > line + word && rest < end &&
                  (isalnum((unsigned char)*rest) || strchr("/.~", *rest) ||
                   (*rest == '-' && rest + 1 < end && rest[1] != ' '));
    if (!word || (!alone && !argued) || e->span.lo > word + 1 + (size_t)(rest - line)) return;
    const magic *row = magic_find(line, word);
    bool is_magic = row && row->kinds & MAGIC_LINE;
    if (!is_magic && !((argued || !*e->hint) && is_command(line, word))) return;
    *e->hint = '\0';
    gpa_err_hint(e, "did you mean: '%c%.*s'?", is_magic ? '%' : '!', (int)word, line);
}

void session_report(gpa_session *s, gpa_err *e, const exc_obj *x, const vm_frame *frames,
                    size_t n) {
    enum { SHOWN = 64 };
    gpa_frame trace[SHOWN];
    gpa_str text;
    gpa_diag d = {.code = e->code, .name = name_of(e, x), .msg = e->msg, .trace = trace};
    str_init(&text);
    bool of_magic = n > 1 && is_module(&frames[n - 1]) && is_module(&frames[n - 2]) &&
                    frames[n - 1].at.src == frames[n - 2].at.src;
    if (of_magic) n--; /* the statement of a magic, which its line shows */
    if (x) add_notes(e, x);
    hint_at_shell(s, e);
    put_error(s, e, x, n ? function_of(&frames[n - 1]) : NULL, &text);
    size_t first_line = strcspn(text.text ? text.text : "", "\n") + 1;
    if (n > 1) put_callers(s, frames, n - 1, &text);
    if (x) put_causes(s, x, &text);
    str_clear(&s->last_report);
    str_putn(&s->last_report, text.text, text.len);
    if (s->errors == ERRORS_MINIMAL) str_truncate(&text, first_line);
    if (s->errors == ERRORS_PLAIN) {
        str_clear(&text);
        put_plain(s, e, x, frames, n, &text);
    }
    if (s->errors == ERRORS_VERBOSE) put_variables(s, &text);
    const source *src = source_get(s->sources, e->span.src);
    if (src) {
        source_pos lo = source_at(src, e->span.lo), hi = source_at(src, e->span.hi);
        d.file = src->name;
        d.line = (int)lo.line, d.col = (int)lo.column;
        d.end_line = (int)hi.line, d.end_col = (int)hi.column;
    }
    size_t first = n > SHOWN ? n - SHOWN : 0;
    for (size_t i = first; i < n; i++) {
        const source *at = source_get(s->sources, frames[i].at.src);
        trace[d.n_trace++] = (gpa_frame){frames[i].function, at ? at->name : "",
                                         at ? (int)source_at(at, frames[i].at.lo).line : 0};
    }
    d.text = text.text;
    if (s->host.error) s->host.error(s->host.user, &d);
    str_free(&text);
}
