/* Completion menu. Candidates are kept as the session returned them, with the byte range of the
 * text that they replace. While the menu is open, [from, to) of the text holds the selected
 * candidate, and `typed` is the text it replaced. */
#include "repl/menu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <readline/readline.h>

#include "repl/buf.h"
#include "repl/colour.h"

enum { GAP = 2, MAX_NAME_WIDTH = 40, MAX_LISTED = 8 };

typedef struct {
    char *text, *details; /* "function (start, stop)", "float64 (3, 4)" */
    bool param;
    int order; /* position in the session's list */
} candidate;

static struct {
    candidate *items;
    int n, cap, selected; /* selected: -1: none */
    size_t from, to;
    char *typed;
    bool shown;
    int per_column; /* in the grid drawn last */
    buf note;       /* a signature, shown above the candidates */
    buf lines;
} menu;

/* ---- candidates ---- */

static void clear(void) {
    for (int i = 0; i < menu.n; i++) {
        free(menu.items[i].text);
        free(menu.items[i].details);
    }
    menu.n = 0;
    menu.selected = -1;
    menu.shown = false;
    free(menu.typed);
    menu.typed = NULL;
    buf_clear(&menu.note);
}

static char *describe(const gpa_completion *c) {
    buf b = {0};
    buf_put(&b, c->type && *c->type ? c->type : c->kind ? c->kind : "");
    if (c->signature && *c->signature) buf_printf(&b, "%s%s", b.len ? " " : "", c->signature);
    return b.text;
}

static void add(void *user, const gpa_completion *c) {
    (void)user;
    if (menu.n == menu.cap) {
        int cap = menu.cap ? menu.cap * 2 : 64;
        candidate *grown = realloc(menu.items, (size_t)cap * sizeof *grown);
        if (!grown) return;
        menu.items = grown;
        menu.cap = cap;
    }
    candidate *to = &menu.items[menu.n];
    *to =
        (candidate){strdup(c->text), describe(c), c->kind && strcmp(c->kind, "param") == 0, menu.n};
    if (!to->text) return;
    if (menu.n++ == 0) menu.from = c->start, menu.to = c->end;
}

/* Sort order: parameters of the call in their order, then names alphabetically, with those that
 * begin with an underscore last. */
static int compare(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    if (x->param != y->param) return y->param - x->param;
    if (x->param) return x->order - y->order;
    if ((x->text[0] == '_') != (y->text[0] == '_')) return x->text[0] == '_' ? 1 : -1;
    int folded = strcasecmp(x->text, y->text);
    return folded ? folded : strcmp(x->text, y->text);
}

/* At the start of an argument only parameters are candidates: a list of all names would hide the
 * signature. */
static void keep_params(void) {
    int kept = 0;
    for (int i = 0; i < menu.n; i++) {
        candidate c = menu.items[i];
        if (!c.param)
            free(c.text), free(c.details);
        else
            menu.items[kept++] = c;
    }
    menu.n = kept;
}

/* Removes candidates with the same text; the list is sorted. */
static void remove_duplicates(void) {
    int kept = 0;
    for (int i = 0; i < menu.n; i++) {
        candidate c = menu.items[i];
        if (kept && strcmp(menu.items[kept - 1].text, c.text) == 0)
            free(c.text), free(c.details);
        else
            menu.items[kept++] = c;
    }
    menu.n = kept;
}

static void put_text(const char *text) {
    rl_begin_undo_group();
    rl_delete_text((int)menu.from, (int)menu.to);
    rl_point = (int)menu.from;
    rl_insert_text(text);
    rl_end_undo_group();
    menu.to = menu.from + strlen(text);
}

/* Length of the candidates' common prefix in bytes, whole characters only. */
static size_t common_prefix(void) {
    size_t n = strlen(menu.items[0].text);
    for (int i = 1; i < menu.n; i++) {
        size_t same = 0;
        while (same < n && menu.items[i].text[same] == menu.items[0].text[same]) same++;
        n = same;
    }
    while (n && ((unsigned char)menu.items[0].text[n] & 0xc0) == 0x80) n--;
    return n;
}

static void note_signature(void *user, const gpa_about *a) {
    (void)user;
    if (a->signature) buf_put(&menu.note, a->signature);
}

static bool in_call(void) {
    size_t at = (size_t)rl_point;
    while (at && strchr(" \t\n", rl_line_buffer[at - 1])) at--;
    return at && strchr("(,", rl_line_buffer[at - 1]);
}

void menu_complete(gpa_session *s) {
    size_t n = (size_t)rl_end, cursor = (size_t)rl_point;
    clear();
    bool call = in_call();
    if (call)
        gpa_session_about(s, &(gpa_inspection){rl_line_buffer, n, cursor, 0}, note_signature, NULL);
    gpa_session_complete(s, rl_line_buffer, n, cursor, add, NULL);
    if (menu.note.len && menu.from == menu.to) keep_params();
    if (menu.n > 1) qsort(menu.items, (size_t)menu.n, sizeof *menu.items, compare);
    remove_duplicates();
    if (menu.n == 0 || menu.to > n || menu.from > menu.to) {
        menu.shown = menu.note.len > 0;
        if (!menu.shown) rl_ding();
        return;
    }
    size_t same = common_prefix(), there = menu.to - menu.from;
    bool extends = !call && same > there &&
                   strncmp(menu.items[0].text, rl_line_buffer + menu.from, there) == 0;
    if (menu.n == 1 && !menu.note.len) {
        put_text(menu.items[0].text);
        clear();
        return;
    }
    if (extends) {
        char *prefix = strndup(menu.items[0].text, same);
        if (prefix) put_text(prefix);
        free(prefix);
    }
    menu.typed = strndup(rl_line_buffer + menu.from, menu.to - menu.from);
    menu.shown = menu.typed != NULL;
}

/* ---- selection ---- */

bool menu_shown(void) { return menu.shown; }

bool menu_move(int by) {
    if (!menu.shown || menu.n == 0) return false;
    menu.selected =
        menu.selected < 0 ? (by > 0 ? 0 : menu.n - 1) : (menu.selected + by + menu.n) % menu.n;
    put_text(menu.items[menu.selected].text);
    return true;
}

bool menu_move_column(int by) {
    if (!menu.shown || menu.selected < 0) return false;
    int to = menu.selected + by * menu.per_column;
    if (to >= 0 && to < menu.n) menu_move(to - menu.selected);
    return true;
}

bool menu_take(void) {
    bool taken = menu.shown && menu.selected >= 0;
    clear();
    return taken;
}

void menu_cancel(void) {
    if (menu.shown && menu.selected >= 0) put_text(menu.typed);
    clear();
}

void menu_free(void) {
    clear();
    free(menu.items);
    buf_free(&menu.note);
    buf_free(&menu.lines);
    menu.items = NULL;
    menu.cap = 0;
}

/* ---- drawing ---- */

/* Appends at most `width` cells of a text, with … for the rest, then blanks up to `pad` cells. */
static void put_cut(const char *text, int width, int pad) {
    size_t n = strcspn(text, "\n"), all = n;
    int cells = (int)gpa_text_width(text, n);
    bool cut = cells > width || text[n];
    while (n && cut && cells > width - 1) {
        do n--;
        while (n && ((unsigned char)text[n] & 0xc0) == 0x80);
        cells = (int)gpa_text_width(text, n);
    }
    buf_putn(&menu.lines, text, cut ? n : all);
    if (cut && width > 0) buf_put(&menu.lines, "\xe2\x80\xa6"), cells++;
    if (cells < pad) buf_fill(&menu.lines, ' ', (size_t)(pad - cells));
}

static void put_tint(int tint) {
    if (colour_on(1)) buf_put(&menu.lines, colour_of(tint));
}

static void end_tint(void) {
    if (colour_on(1)) buf_put(&menu.lines, COLOUR_END);
}

static void put_faint(const char *text, int width) {
    put_tint(TINT_HINT);
    put_cut(text, width, 0);
    end_tint();
}

static int widest(void) {
    int width = 0;
    for (int i = 0; i < menu.n; i++) {
        int w = (int)gpa_text_width(menu.items[i].text, strlen(menu.items[i].text));
        if (w > width) width = w;
    }
    return width > MAX_NAME_WIDTH ? MAX_NAME_WIDTH : width;
}

static void put_candidate(int i, int width) {
    bool marked = i == menu.selected;
    if (marked) put_tint(TINT_CHOSEN);
    if (!colour_on(1)) buf_putc(&menu.lines, marked ? '>' : ' ');
    put_cut(menu.items[i].text, width, width);
    if (marked) end_tint();
}

/* Few candidates: one per row, with its details. */
static void put_list(int rows, int columns, int width) {
    int first = menu.selected >= rows ? menu.selected - rows + 1 : 0;
    for (int i = first; i < menu.n && i < first + rows; i++) {
        put_candidate(i, width);
        buf_fill(&menu.lines, ' ', GAP);
        put_faint(menu.items[i].details ? menu.items[i].details : "", columns - width - GAP - 2);
        buf_putc(&menu.lines, '\n');
    }
}

/* Many candidates: names in columns, in column-major order; the details of the selected one in the
 * last row. */
static void put_grid(int rows, int columns, int width) {
    int across = columns / (width + GAP);
    if (across < 1) across = 1;
    menu.per_column = (menu.n + across - 1) / across;
    if (menu.per_column > rows) menu.per_column = rows;
    int page = menu.per_column * across,
        first = menu.selected >= 0 ? menu.selected / page * page : 0;
    for (int r = 0; r < menu.per_column; r++) {
        for (int c = 0; c < across; c++) {
            int i = first + c * menu.per_column + r;
            if (i >= menu.n) break;
            put_candidate(i, width);
            buf_fill(&menu.lines, ' ', c + 1 < across ? GAP - !colour_on(1) : 0);
        }
        buf_putc(&menu.lines, '\n');
    }
    char position[64] = "";
    if (menu.n > page)
        snprintf(position, sizeof position, "%d-%d of %d  ", first + 1,
                 first + page < menu.n ? first + page : menu.n, menu.n);
    put_faint(position, columns - 1);
    if (menu.selected >= 0 && menu.items[menu.selected].details)
        put_faint(menu.items[menu.selected].details, columns - 1 - (int)strlen(position));
    buf_putc(&menu.lines, '\n');
}

const char *menu_lines(int rows, int columns) {
    if (!menu.shown) return NULL;
    buf_clear(&menu.lines);
    if (menu.note.len) {
        put_faint(menu.note.text, columns - 1);
        buf_putc(&menu.lines, '\n');
    }
    int width = widest(), shown_rows = rows / 3 > 2 ? rows / 3 : 2;
    menu.per_column = 1;
    if (menu.n && (menu.n <= MAX_LISTED || width + GAP > columns / 2))
        put_list(shown_rows > MAX_LISTED ? MAX_LISTED : shown_rows, columns, width);
    else if (menu.n)
        put_grid(shown_rows, columns, width);
    return menu.lines.text;
}
