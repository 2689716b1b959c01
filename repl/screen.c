/* Screen renderer: rows are built with their colours and compared with those on screen; only
 * changed rows are sent, in one write. This keeps typing in long cells fast over slow
 * connections. */
#include "repl/screen.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "repl/buf.h"
#include "repl/colour.h"

enum { TAB = 8, MIN_COLUMNS = 4 };

typedef struct {
    buf bytes;
    int width;
} row;

typedef struct {
    row *items;
    int n, cap;
} rows;

struct screen {
    int lines, columns;
    rows shown, next;
    int at_row, at_column; /* of the terminal's cursor, relative to the first displayed row */
    int cursor_row, cursor_column; /* of the text cursor in `next` */
    int top;                       /* first row of the text in the window */
    buf out;
};

/* ---- layout ---- */

typedef struct {
    rows *to;
    row *now;
    int column, columns;
    int margin; /* column where the text of the line begins: tabs are relative to it */
    int tint;   /* the active style */
    bool coloured, failed;
} layout;

static void next_row(layout *l) {
    if (l->now && l->tint && l->coloured) buf_put(&l->now->bytes, COLOUR_END);
    if (l->now) l->now->width = l->column;
    l->tint = 0;
    l->column = 0;
    if (l->to->n == l->to->cap) {
        int cap = l->to->cap ? l->to->cap * 2 : 16;
        row *grown = realloc(l->to->items, (size_t)cap * sizeof *grown);
        if (!grown) {
            l->failed = true;
            return; /* the last row is overwritten */
        }
        memset(grown + l->to->cap, 0, (size_t)(cap - l->to->cap) * sizeof *grown);
        l->to->items = grown;
        l->to->cap = cap;
        l->now = NULL;
    }
    l->now = &l->to->items[l->to->n++];
    buf_clear(&l->now->bytes);
}

static void put_tint(layout *l, int tint) {
    if (!l->coloured || tint == l->tint) return;
    if (*colour_of(l->tint)) buf_put(&l->now->bytes, COLOUR_END);
    buf_put(&l->now->bytes, colour_of(tint));
    l->tint = tint;
}

/* One character (or its replacement) of `width` cells; wraps if it does not fit. */
static void put_cells(layout *l, const char *text, size_t n, int width, int tint) {
    if (l->column + width > l->columns) next_row(l);
    put_tint(l, tint);
    buf_putn(&l->now->bytes, text, n);
    l->column += width;
}

/* The length of the character at s, at most n; 1 for an invalid byte. */
static size_t character(const char *s, size_t n) {
    unsigned char c = (unsigned char)*s;
    size_t want = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 0, have = 1;
    while (have < want && have < n && ((unsigned char)s[have] & 0xc0) == 0x80) have++;
    return want == have ? want : 1;
}

static void put_character(layout *l, const char *s, size_t n, int tint) {
    unsigned char c = (unsigned char)*s;
    if (c == '\t') {
        int width = TAB - (l->column - l->margin) % TAB;
        for (int i = 0; i < width; i++) put_cells(l, " ", 1, 1, tint);
    } else if (c < 0x20 || c == 0x7f) {
        char caret[2] = {'^', (char)(c ^ 0x40)};
        put_cells(l, caret, 2, 2, tint);
    } else if (n == 1 && c >= 0x80) {
        put_cells(l, "\xef\xbf\xbd", 3, 1, tint);
    } else {
        put_cells(l, s, n, c < 0x80 ? 1 : (int)gpa_text_width(s, n), tint);
    }
}

/* The end of an escape sequence: its first letter. */
static const char *escape_end(const char *s) {
    for (s++; *s && !((*s | 0x20) >= 'a' && (*s | 0x20) <= 'z');) s++;
    return *s ? s + 1 : s;
}

size_t screen_width(const char *prompt) {
    size_t width = 0;
    while (*prompt) {
        size_t n = *prompt == '\033' ? (size_t)(escape_end(prompt) - prompt)
                                     : character(prompt, strlen(prompt));
        if (*prompt != '\033') width += gpa_text_width(prompt, n);
        prompt += n;
    }
    return width;
}

/* A prompt: escape sequences and text in readline's ignore markers have no width. */
static void put_prompt(layout *l, const char *s) {
    while (*s) {
        if (*s == '\001' || *s == '\002') {
            s++;
        } else if (*s == '\033') {
            const char *end = escape_end(s);
            buf_putn(&l->now->bytes, s, (size_t)(end - s));
            s = end;
        } else {
            size_t n = character(s, strlen(s));
            put_character(l, s, n, 0);
            s += n;
        }
    }
    l->margin = l->column;
}

static void put_hint(layout *l, const char *hint) {
    while (*hint && *hint != '\n') {
        size_t n = character(hint, strlen(hint));
        int width = (int)gpa_text_width(hint, n);
        bool fits = l->column + width + (hint[n] && hint[n] != '\n') < l->columns;
        if (!fits && l->column + 1 < l->columns) put_cells(l, "\xe2\x80\xa6", 3, 1, TINT_HINT);
        if (!fits || (unsigned char)*hint < 0x20) return;
        put_character(l, hint, n, TINT_HINT);
        hint += n;
    }
}

/* Lays out a view in s->next, without the lines below, and the position of the cursor. */
static void lay_out(screen *s, const screen_view *v) {
    layout l = {.to = &s->next, .columns = s->columns, .coloured = colour_on(STDOUT_FILENO)};
    s->next.n = 0;
    next_row(&l);
    if (!l.now) return;
    put_prompt(&l, v->prompt);
    for (size_t i = 0; i <= v->n;) {
        if (l.column == l.columns) next_row(&l);
        size_t n = i < v->n ? character(v->text + i, v->n - i) : 1;
        bool wraps = i < v->n && v->text[i] != '\n' && (unsigned char)v->text[i] >= 0x80 &&
                     l.column + (int)gpa_text_width(v->text + i, n) > l.columns;
        if (wraps) next_row(&l);
        if (i <= v->cursor && v->cursor < i + n)
            s->cursor_row = s->next.n - 1, s->cursor_column = l.column;
        if (i == v->n) break;
        if (v->text[i] == '\n') {
            next_row(&l);
            put_prompt(&l, v->more);
        } else {
            put_character(&l, v->text + i, n, v->tints ? v->tints[i] : 0);
        }
        i += n;
    }
    if (v->hint) put_hint(&l, v->hint);
    if (l.tint && l.coloured) buf_put(&l.now->bytes, COLOUR_END);
    l.now->width = l.column;
}

/* Appends the lines below as rows; they contain their own colours. */
static void lay_below(screen *s, const char *below, int most) {
    layout l = {.to = &s->next, .columns = s->columns};
    for (; below && *below && most > 0; most--) {
        size_t n = strcspn(below, "\n");
        l.now = NULL;
        next_row(&l);
        if (!l.now) return;
        buf_putn(&l.now->bytes, below, n);
        l.now->width = s->columns - 1;
        below += n + (below[n] == '\n');
    }
}

/* ---- the window ---- */

static int count_lines(const char *text) {
    int n = 0;
    for (; text && *text; text++) n += *text == '\n';
    return n;
}

/* Drops the rows outside a window of `height` rows around the cursor. */
static void clip(screen *s, int height) {
    int n = s->next.n;
    if (s->cursor_row < s->top) s->top = s->cursor_row;
    if (s->cursor_row >= s->top + height) s->top = s->cursor_row - height + 1;
    if (s->top > n - height) s->top = n - height;
    if (s->top < 0) s->top = 0;
    if (n <= height) return;
    /* rows are swapped, so that their buffers are kept */
    for (int i = 0; i < height; i++) {
        row moved = s->next.items[i];
        s->next.items[i] = s->next.items[i + s->top];
        s->next.items[i + s->top] = moved;
    }
    s->next.n = height;
    s->cursor_row -= s->top;
}

/* ---- drawing ---- */

/* Moves the terminal's cursor to column 0 of a row; opens rows below the last one. */
static void go_to(screen *s, int to) {
    buf_putc(&s->out, '\r');
    if (to < s->at_row) buf_printf(&s->out, "\033[%dA", s->at_row - to);
    for (; s->at_row < to; s->at_row++) buf_putc(&s->out, '\n');
    s->at_row = to;
    s->at_column = 0;
}

static bool same_row(const row *a, const row *b) {
    return a->bytes.len == b->bytes.len &&
           (a->bytes.len == 0 || memcmp(a->bytes.text, b->bytes.text, a->bytes.len) == 0);
}

static void draw_row(screen *s, int i) {
    const row *r = &s->next.items[i];
    go_to(s, i);
    buf_putn(&s->out, r->bytes.text ? r->bytes.text : "", r->bytes.len);
    if (r->width < s->columns) buf_put(&s->out, "\033[K");
    s->at_column = r->width;
}

static void send(screen *s) {
    size_t at = 0;
    while (at < s->out.len) {
        ssize_t n = write(STDOUT_FILENO, s->out.text + at, s->out.len - at);
        if (n <= 0) break;
        at += (size_t)n;
    }
    buf_clear(&s->out);
}

static void draw(screen *s) {
    int changed = 0;
    for (int i = 0; i < s->next.n; i++)
        changed += i >= s->shown.n || !same_row(&s->shown.items[i], &s->next.items[i]);
    bool hide = changed > 1;
    if (hide) buf_put(&s->out, "\033[?25l");
    for (int i = 0; i < s->next.n; i++)
        if (i >= s->shown.n || !same_row(&s->shown.items[i], &s->next.items[i])) draw_row(s, i);
    if (s->shown.n > s->next.n) {
        go_to(s, s->next.n);
        buf_put(&s->out, "\033[J");
    }
    if (s->at_row != s->cursor_row || s->at_column != s->cursor_column || changed) {
        go_to(s, s->cursor_row);
        if (s->cursor_column) buf_printf(&s->out, "\033[%dC", s->cursor_column);
        s->at_column = s->cursor_column;
    }
    if (hide) buf_put(&s->out, "\033[?25h");
    rows drawn = s->next;
    s->next = s->shown;
    s->shown = drawn;
    send(s);
}

/* ---- the public functions ---- */

static void free_rows(rows *r) {
    for (int i = 0; i < r->cap; i++) buf_free(&r->items[i].bytes);
    free(r->items);
}

screen *screen_new(void) {
    screen *s = calloc(1, sizeof *s);
    if (s) screen_measure(s);
    return s;
}

void screen_free(screen *s) {
    if (!s) return;
    free_rows(&s->shown);
    free_rows(&s->next);
    buf_free(&s->out);
    free(s);
}

void screen_measure(screen *s) {
    struct winsize size = {0};
    int lines = 24, columns = 80, up = 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0)
        lines = size.ws_row, columns = size.ws_col;
    if (columns < MIN_COLUMNS) columns = MIN_COLUMNS;
    if (lines == s->lines && columns == s->columns) return;
    /* the terminal has rewrapped the rows: the first one is this far above the cursor now */
    for (int i = 0; i < s->at_row; i++)
        up += s->shown.items[i].width > columns ? (s->shown.items[i].width - 1) / columns + 1 : 1;
    up += s->at_column / columns;
    if (up > lines - 1) up = lines - 1;
    if (s->shown.n) {
        buf_putc(&s->out, '\r');
        if (up) buf_printf(&s->out, "\033[%dA", up);
        buf_put(&s->out, "\033[J");
    }
    s->lines = lines;
    s->columns = columns;
    screen_forget(s);
}

int screen_rows(const screen *s) { return s->lines; }
int screen_columns(const screen *s) { return s->columns; }

void screen_show(screen *s, const screen_view *v) {
    int below = count_lines(v->below), height = s->lines > 1 ? s->lines : 1;
    lay_out(s, v);
    if (below > height - 1) below = height - 1;
    clip(s, height - below);
    lay_below(s, v->below, below);
    draw(s);
}

void screen_leave(screen *s, const screen_view *v) {
    lay_out(s, v);
    if (s->top || s->next.n > s->lines) {
        /* the window showed a part: redraw everything from its first row */
        go_to(s, 0);
        buf_put(&s->out, "\033[J");
        s->shown.n = 0;
    }
    s->cursor_row = s->next.n - 1;
    s->cursor_column = 0;
    draw(s);
    buf_put(&s->out, "\r\n");
    send(s);
    screen_forget(s);
}

void screen_forget(screen *s) {
    s->shown.n = 0;
    s->at_row = s->at_column = 0;
    s->top = 0;
}

void screen_abandon(screen *s) {
    if (s->shown.n) go_to(s, s->shown.n - 1);
    buf_put(&s->out, "\r\n");
    send(s);
    screen_forget(s);
}

void screen_erase(screen *s) {
    go_to(s, 0);
    buf_put(&s->out, "\033[J");
    send(s);
    screen_forget(s);
}

void screen_clear(screen *s) {
    screen_forget(s);
    buf_put(&s->out, "\033[H\033[2J");
}
