/* Colour: palettes, syntax highlighting of program lines, coloured error reports. */
#include "repl/colour.h"
#include "repl/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---- palettes ---- */

enum { NEUTRAL, LIGHT, DARK, PALETTES };

static const char *const palette[TINT_COUNT][PALETTES] = {
    /*                         neutral         light              dark */
    [GPA_STYLE_PLAIN] = {"", "", ""},
    [GPA_STYLE_KEYWORD] = {"\033[1;32m", "\033[1;38;5;28m", "\033[1;38;5;114m"},
    [GPA_STYLE_BUILTIN] = {"\033[36m", "\033[38;5;24m", "\033[38;5;80m"},
    [GPA_STYLE_DEFINITION] = {"\033[1;34m", "\033[1;38;5;20m", "\033[1;38;5;111m"},
    [GPA_STYLE_STRING] = {"\033[33m", "\033[38;5;124m", "\033[38;5;180m"},
    [GPA_STYLE_NUMBER] = {"\033[35m", "\033[38;5;90m", "\033[38;5;176m"},
    [GPA_STYLE_COMMENT] = {"\033[2;3m", "\033[3;38;5;245m", "\033[3;38;5;245m"},
    [GPA_STYLE_OPERATOR] = {"", "\033[38;5;240m", "\033[38;5;250m"},
    [GPA_STYLE_BRACKET] = {"", "", ""},
    [GPA_STYLE_MAGIC] = {"\033[1;35m", "\033[1;38;5;125m", "\033[1;38;5;211m"},
    [GPA_STYLE_WRONG] = {"\033[1;31m", "\033[1;38;5;160m", "\033[1;38;5;203m"},
    [TINT_IN] = {"\033[32m", "\033[38;5;28m", "\033[38;5;71m"},
    [TINT_IN_COUNT] = {"\033[1;32m", "\033[1;38;5;28m", "\033[1;38;5;114m"},
    [TINT_OUT] = {"\033[31m", "\033[38;5;124m", "\033[38;5;167m"},
    [TINT_OUT_COUNT] = {"\033[1;31m", "\033[1;38;5;160m", "\033[1;38;5;203m"},
    [TINT_MORE] = {"\033[2;32m", "\033[38;5;65m", "\033[38;5;65m"},
    [TINT_HINT] = {"\033[2m", "\033[38;5;247m", "\033[38;5;242m"},
    [TINT_MATCH] = {"\033[1;4m", "\033[1;48;5;152m", "\033[1;48;5;238m"},
    [TINT_CHOSEN] = {"\033[7m", "\033[48;5;153m", "\033[48;5;24m"},
    [TINT_ERROR] = {"\033[1;31m", "\033[1;38;5;160m", "\033[1;38;5;203m"},
    [TINT_LOCATION] = {"\033[36m", "\033[38;5;24m", "\033[38;5;80m"},
    [TINT_NOTE] = {"\033[1;33m", "\033[1;38;5;130m", "\033[1;38;5;179m"},
};

static bool on[2]; /* standard output, standard error */
static int chosen;

static bool set(const char *name) {
    const char *v = getenv(name);
    return v && *v;
}

static bool set_to_other_than_0(const char *name) {
    return set(name) && strcmp(getenv(name), "0") != 0;
}

static int background(void) {
    const char *theme = getenv("GPA_THEME"), *term = getenv("TERM"), *colours = getenv("COLORFGBG");
    if (theme && strcmp(theme, "light") == 0) return LIGHT;
    if (theme && strcmp(theme, "dark") == 0) return DARK;
    if (theme && strcmp(theme, "neutral") == 0) return NEUTRAL;
    bool many = set("COLORTERM") || (term && strstr(term, "256color"));
    const char *back = colours ? strrchr(colours, ';') : NULL;
    if (!many || !back) return NEUTRAL;
    return strcmp(back, ";7") == 0 || strcmp(back, ";15") == 0 ? LIGHT : DARK;
}

const char *colour_unknown_theme(void) {
    const char *theme = getenv("GPA_THEME");
    return theme && *theme && strcmp(theme, "light") && strcmp(theme, "dark") &&
                   strcmp(theme, "neutral")
               ? theme
               : NULL;
}

bool colour_begin(const char *option) {
    bool known = !option || strcmp(option, "auto") == 0 || strcmp(option, "always") == 0 ||
                 strcmp(option, "never") == 0;
    bool automatic = !option || strcmp(option, "auto") == 0;
    chosen = background();
    for (int i = 0; i < 2; i++) {
        if (!automatic)
            on[i] = strcmp(option, "always") == 0;
        else if (set("NO_COLOR"))
            on[i] = false;
        else if (set_to_other_than_0("CLICOLOR_FORCE") || set_to_other_than_0("FORCE_COLOR"))
            on[i] = true;
        else if (set("CLICOLOR") && !set_to_other_than_0("CLICOLOR"))
            on[i] = false;
        else
            on[i] = terminal_capable() && isatty(STDOUT_FILENO + i);
    }
    return known;
}

bool colour_choose(const char *name) {
    static const struct {
        const char *name;
        int palette; /* -1: no colours */
    } names[] = {{"nocolor", -1},    {"neutral", NEUTRAL}, {"light", LIGHT},
                 {"lightbg", LIGHT}, {"dark", DARK},       {"linux", DARK}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcasecmp(name, names[i].name) != 0) continue;
        if (names[i].palette >= 0) chosen = names[i].palette;
        for (int fd = 0; fd < 2; fd++)
            on[fd] = names[i].palette >= 0 && terminal_capable() && isatty(STDOUT_FILENO + fd);
        return true;
    }
    return false;
}

bool colour_on(int fd) { return on[fd == STDERR_FILENO]; }

const char *colour_of(int tint) { return palette[tint][chosen]; }

/* ---- program lines ---- */

/* Syntax highlighting of a single line. Text between the session's ranges is copied unchanged. A
 * line may be a fragment, so nothing is marked as wrong. */

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

/* ---- error reports ---- */

/* Colours the session's error report by the kind of each line: head, location, source line, marks,
 * hint. */

enum { LOCATION_MARGIN = 2, SOURCE_MARGIN = 4 };

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
        bool location = margin == LOCATION_MARGIN && named;
        if (line == d->text) {
            put_label(line, n, 0, TINT_ERROR, out);
        } else if (location) {
            put_tinted(out, TINT_LOCATION, line, n);
        } else if (source && margin >= SOURCE_MARGIN) {
            buf_putn(out, line, margin);
            source_line_put(s, body, left, out);
        } else if (marks) {
            put_tinted(out, TINT_ERROR, line, n);
        } else if (margin == LOCATION_MARGIN &&
                   (begins(body, left, "hint:") || begins(body, left, "note:"))) {
            put_label(line, n, margin, TINT_NOTE, out);
        } else if (begins(line, n, "caused by ")) {
            put_label(line, n, strlen("caused by "), TINT_ERROR, out);
        } else {
            buf_putn(out, line, n);
        }
        source = location;
        line += n;
        if (*line) buf_putc(out, *line++);
    }
}
