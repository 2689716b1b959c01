/* Editing commands for text of several lines; readline's own commands take the text for one line.
 * Each command is a row of the table at the end.
 *
 * Reading order: positions in the text; lines and indentation; history and hints; the menu;
 * pasting; the editor; the table. */
#include "repl/keys.h"

#ifdef GPA_HAVE_READLINE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <readline/readline.h>

#include "repl/buf.h"
#include "repl/edit.h"
#include "repl/menu.h"
#include "repl/line.h"
#include "repl/vi.h"

enum { STEP = 4, PASTE_PATIENCE_MS = 2000, BURST_MS = 20 };

static bool for_menu, indenting = true;

bool keys_toggle_indentation(void) { return indenting = !indenting; }

void keys_begin(void) { for_menu = false; }
bool keys_of_menu(void) { return for_menu; }

/* ---- positions in the text ---- */

int keys_line_start(int at) {
    while (at > 0 && rl_line_buffer[at - 1] != '\n') at--;
    return at;
}

int keys_line_end(int at) {
    while (at < rl_end && rl_line_buffer[at] != '\n') at++;
    return at;
}

static int indent_at(int start) { return (int)strspn(rl_line_buffer + start, " "); }

static bool blank_before_point(void) {
    for (int i = keys_line_start(rl_point); i < rl_point; i++)
        if (rl_line_buffer[i] != ' ') return false;
    return true;
}

static bool blank(const char *text) { return text[strspn(text, " \t\r\n")] == 0; }

static int next_character(int at) {
    for (at++; at < rl_end && (rl_line_buffer[at] & 0xc0) == 0x80;) at++;
    return at;
}

/* The offset in the line beginning at `start` that is `cells` from its beginning, or the line's
 * end. */
static int at_cells(int start, size_t cells) {
    int at = start, end = keys_line_end(start);
    while (at < end &&
           gpa_text_width(rl_line_buffer + start, (size_t)(next_character(at) - start)) <= cells)
        at = next_character(at);
    return at;
}

/* ---- lines and indentation ---- */

/* The parse state of the first n bytes plus a line end, and the indentation of the next line. */
static gpa_src_state state_of(int n, int *indent) {
    buf b = {0};
    gpa_src_state state = GPA_SRC_COMPLETE;
    *indent = 0;
    buf_putn(&b, rl_line_buffer, (size_t)n);
    buf_putc(&b, '\n');
    if (!b.failed) state = gpa_session_check(edit_session(), b.text, b.len, indent);
    buf_free(&b);
    return state;
}

static void insert_blanks(int n) {
    for (; n > 0; n--) rl_insert_text(" ");
}

static bool key_waits(int ms) {
    struct pollfd fd = {STDIN_FILENO, POLLIN, 0};
    return poll(&fd, 1, ms) > 0;
}

/* A terminal without bracketed paste sends a pasted text as keys, faster than they are typed. If a
 * blank follows a line's end at once, the text has its own indentation, here and below. */
static struct {
    int point; /* after the indentation that was inserted last */
    struct timespec when;
    bool pasting;
} indented;

static bool in_burst(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - indented.when.tv_sec) * 1000 +
               (now.tv_nsec - indented.when.tv_nsec) / 1000000 <
           BURST_MS;
}

static int space(int count, int key) {
    if (count == 1 && rl_point == indented.point && in_burst()) {
        rl_delete_text(keys_line_start(rl_point), rl_point);
        rl_point = keys_line_start(rl_point);
        indented.pasting = true;
    }
    indented.point = -1;
    return rl_insert(count, key);
}

int keys_new_line(int count, int key) {
    int indent;
    (void)count, (void)key;
    indented.pasting = indented.pasting && key_waits(BURST_MS);
    if (indented.pasting || !indenting)
        indent = 0;
    else if (state_of(rl_point, &indent) != GPA_SRC_INCOMPLETE)
        indent = indent_at(keys_line_start(rl_point));
    int after = rl_point;
    while (after < rl_end && rl_line_buffer[after] == ' ') after++;
    rl_begin_undo_group();
    if (after > rl_point) rl_delete_text(rl_point, after);
    rl_insert_text("\n");
    insert_blanks(indent);
    rl_end_undo_group();
    indented.point = indent ? rl_point : -1;
    clock_gettime(CLOCK_MONOTONIC, &indented.when);
    return 0;
}

/* Enter: accepts a complete cell on its last line, in vi's command mode on any; otherwise inserts a
 * line. */
static int enter(int count, int key) {
    int indent;
    if (menu_take()) {
        for_menu = true;
        return 0;
    }
    bool command = vi_in_command_mode();
    if (command) rl_point = rl_end;
    bool last = rl_line_buffer[keys_line_end(rl_point)] == 0 || blank(rl_line_buffer + rl_point);
    if (edit_asking() || blank(rl_line_buffer) ||
        (last && state_of(rl_end, &indent) != GPA_SRC_INCOMPLETE)) {
        indented.pasting = false;
        edit_done();
        return 0;
    }
    if (command) rl_vi_insertion_mode(1, key);
    return keys_new_line(count, key);
}

static int run_now(int count, int key) {
    (void)count, (void)key;
    edit_done();
    return 0;
}

/* Within the indentation: removes one level. */
static int backspace(int count, int key) {
    int margin = rl_point - keys_line_start(rl_point);
    if (count != 1 || margin == 0 || !blank_before_point()) return rl_rubout(count, key);
    int step = margin % STEP ? margin % STEP : STEP;
    rl_delete_text(rl_point - step, rl_point);
    rl_point -= step;
    return 0;
}

static bool starts_with_word(const char *line, const char *const *words) {
    for (; *words; words++) {
        size_t n = strlen(*words);
        if (strncmp(line, *words, n) == 0 && strchr(" :(\n", line[n])) return true;
    }
    return false;
}

/* A colon after `else` and similar keywords at the indentation of the block they end dedents the
 * line. */
static int colon(int count, int key) {
    static const char *const leaving[] = {"else", "elif", "except", "finally", NULL};
    static const char *const opening[] = {"if",   "for",  "while",  "try",     "with",
                                          "else", "elif", "except", "finally", NULL};
    int start = keys_line_start(rl_point), indent = indent_at(start);
    rl_insert(count, key);
    if (indent < STEP || start == 0 || rl_point != keys_line_end(rl_point)) return 0;
    int before = keys_line_start(start - 1);
    if (!starts_with_word(rl_line_buffer + start + indent, leaving) ||
        indent_at(before) != indent || starts_with_word(rl_line_buffer + before + indent, opening))
        return 0;
    rl_begin_undo_group();
    rl_delete_text(start, start + STEP);
    rl_point -= STEP;
    rl_end_undo_group();
    return 0;
}

/* The offset of the bracket that one closing at `at` would match, or -1. Ignores strings and
 * comments: at worst the indentation is not ideal. */
static int opener_before(int at) {
    int depth = 0;
    while (at-- > 0) {
        if (rl_line_buffer[at] && strchr(")]}", rl_line_buffer[at]))
            depth++;
        else if (rl_line_buffer[at] && strchr("([{", rl_line_buffer[at]) && depth-- == 0)
            return at;
    }
    return -1;
}

/* A closing bracket at the start of a line is indented like the line that opened it. */
static int closer(int count, int key) {
    int start = keys_line_start(rl_point), opener = opener_before(rl_point);
    int margin = opener >= 0 ? indent_at(keys_line_start(opener)) : 0;
    if (opener < 0 || opener >= start || !blank_before_point() || rl_point - start <= margin)
        return rl_insert(count, key);
    rl_begin_undo_group();
    rl_delete_text(start + margin, rl_point);
    rl_point = start + margin;
    rl_insert(count, key);
    rl_end_undo_group();
    return 0;
}

static int line_first(int count, int key) {
    (void)count, (void)key;
    rl_point = keys_line_start(rl_point);
    return 0;
}

static int to_first(int count, int key) {
    (void)count, (void)key;
    rl_point = 0;
    return 0;
}

static int to_last(int count, int key) {
    (void)count, (void)key;
    rl_point = rl_end;
    return 0;
}

static int kill_line(int count, int key) {
    (void)count, (void)key;
    int end = keys_line_end(rl_point);
    rl_kill_text(rl_point, end == rl_point && end < rl_end ? end + 1 : end);
    return 0;
}

static int kill_line_before(int count, int key) {
    (void)count, (void)key;
    int start = keys_line_start(rl_point);
    if (start == rl_point && start > 0) start--;
    rl_kill_text(start, rl_point);
    rl_point = start;
    return 0;
}

/* ---- history and hints ---- */

/* Moves to the line above or below. False: there is none. */
static bool move_line(int direction) {
    int start = keys_line_start(rl_point), end = keys_line_end(rl_point);
    if (direction < 0 ? start == 0 : end == rl_end) return false;
    size_t cells = gpa_text_width(rl_line_buffer + start, (size_t)(rl_point - start));
    rl_point = at_cells(direction < 0 ? keys_line_start(start - 1) : end + 1, cells);
    return true;
}

static int walk(int direction) {
    if (edit_asking() || past_walk(direction, (size_t)rl_point)) return 0;
    rl_ding();
    return 0;
}

/* Moves by lines, at most to the first or last one, from which one step leads into the history. */
static int by_lines(int count, int direction) {
    if (menu_shown() && menu_move(direction)) {
        for_menu = true;
        return 0;
    }
    int moved = 0;
    while (moved < count && move_line(direction)) moved++;
    if (!moved) walk(direction);
    return 0;
}

static int up(int count, int key) {
    (void)key;
    return by_lines(count, -1);
}

static int down(int count, int key) {
    (void)key;
    return by_lines(count, 1);
}

static int older(int count, int key) {
    (void)count, (void)key;
    return walk(-1);
}

static int newer(int count, int key) {
    (void)count, (void)key;
    return walk(1);
}

/* Accepts n bytes of the suggestion. */
static void take_hint(size_t n) {
    char *text = strndup(edit_hint(), n);
    if (text) rl_insert_text(text);
    free(text);
}

static int right(int count, int key) {
    if (menu_move_column(1))
        for_menu = true;
    else if (edit_hint())
        take_hint(strcspn(edit_hint(), "\n"));
    else
        return rl_forward_char(count, key);
    return 0;
}

static int left(int count, int key) {
    if (menu_move_column(-1))
        for_menu = true;
    else
        return rl_backward_char(count, key);
    return 0;
}

static int right_word(int count, int key) {
    if (!edit_hint()) return rl_forward_word(count, key);
    const char *hint = edit_hint();
    size_t n = strcspn(hint, "\n"), skip = strspn(hint, " .,()[]{}=+-*/'\"");
    size_t word = skip + strcspn(hint + skip, " .,()[]{}=+-*/'\"\n");
    take_hint(word < n ? word : n);
    return 0;
}

static int line_last(int count, int key) {
    (void)count, (void)key;
    if (edit_hint())
        take_hint(strcspn(edit_hint(), "\n"));
    else
        rl_point = keys_line_end(rl_point);
    return 0;
}

/* ---- the menu ---- */

static int tab(int count, int key) {
    (void)count;
    for_menu = true;
    if (edit_asking()) return rl_insert(1, ' ');
    if (menu_shown() && menu_move(1)) return 0;
    if (blank_before_point() && key == '\t' && rl_end > 0)
        insert_blanks(STEP - (rl_point - keys_line_start(rl_point)) % STEP);
    else
        menu_complete(edit_session());
    return 0;
}

static int tab_back(int count, int key) {
    if (menu_shown() && menu_move(-1)) {
        for_menu = true;
        return 0;
    }
    return blank_before_point() ? backspace(count, key) : 0;
}

static int cancel(int count, int key) {
    if (!menu_shown()) return rl_abort(count, key);
    menu_cancel();
    return 0;
}

static int clear_screen(int count, int key) {
    (void)count, (void)key;
    edit_redraw(true);
    return 0;
}

/* ---- pasting ---- */

/* Inserts a pasted text. As the answer to a question it is accepted at a line's end; the lines
 * after it answer the next questions. */
static void insert_pasted(void *user, const char *text, size_t n) {
    size_t line = edit_asking() ? strcspn(text, "\n") : n;
    char *first = strndup(text, line);
    (void)user;
    rl_begin_undo_group();
    if (first) rl_insert_text(first);
    rl_end_undo_group();
    free(first);
    if (line == n) return;
    edit_keep_answers(text + line + 1);
    edit_done();
}

/* Bracketed paste: the terminal marks pasted text, so that none of it is taken for keys. An
 * incomplete paste is inserted as far as it came. */
static int paste(int count, int key) {
    static const char last[] = "\033[201~";
    size_t end = sizeof last - 1;
    buf raw = {0};
    (void)count, (void)key;
    size_t matched = 0; /* length of the end mark's prefix at the end of the text: reads no further
                           than the mark can extend */
    while (matched < end && key_waits(PASTE_PATIENCE_MS)) {
        char some[sizeof last];
        ssize_t n = read(STDIN_FILENO, some, end - matched);
        if (n <= 0) break;
        buf_putn(&raw, some, (size_t)n);
        matched = end < raw.len ? end : raw.len;
        while (matched && memcmp(raw.text + raw.len - matched, last, matched) != 0) matched--;
    }
    if (matched == end) raw.len -= end;
    int flags = edit_asking()           ? 0
                : blank(rl_line_buffer) ? GPA_CLEAN_PROMPTS | GPA_CLEAN_MARGIN
                                        : GPA_CLEAN_PROMPTS;
    gpa_text_clean(raw.text ? raw.text : "", raw.len, flags, insert_pasted, NULL);
    buf_free(&raw);
    return 0;
}

/* ---- the editor ---- */

static char *read_back(const char *path) {
    FILE *f = fopen(path, "r");
    buf b = {0};
    char some[4096];
    for (size_t n; f && (n = fread(some, 1, sizeof some, f)) > 0;) buf_putn(&b, some, n);
    if (f) fclose(f);
    while (b.len && b.text[b.len - 1] == '\n') b.text[--b.len] = 0;
    if (f && !b.text) buf_put(&b, "");
    return b.text;
}

static int run_editor(const char *path) {
    const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR");
    buf command = {0};
    buf_printf(&command, "%s '%s'",
               visual && *visual   ? visual
               : editor && *editor ? editor
                                   : "vi",
               path);
    int status = command.failed ? -1 : system(command.text);
    buf_free(&command);
    return status;
}

/* Edits the text in $VISUAL or $EDITOR. */
static int in_editor(int count, int key) {
    const char *tmp = getenv("TMPDIR");
    buf path = {0};
    (void)count, (void)key;
    buf_printf(&path, "%s/gpa-XXXXXX.py", tmp && *tmp && !strchr(tmp, '\'') ? tmp : "/tmp");
    int fd = path.failed ? -1 : mkstemps(path.text, 3);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (f) {
        bool written = fprintf(f, "%s\n", rl_line_buffer) >= 0;
        written = fclose(f) == 0 && written;
        edit_lend();
        int status = written ? run_editor(path.text) : -1;
        edit_take_back();
        char *text = status == 0 ? read_back(path.text) : NULL;
        if (text) {
            rl_begin_undo_group();
            rl_delete_text(0, rl_end);
            rl_point = 0;
            rl_insert_text(text);
            rl_end_undo_group();
        } else {
            rl_ding();
        }
        free(text);
        unlink(path.text);
    }
    buf_free(&path);
    return 0;
}

/* ---- the table ---- */

#define BOTH "ei" /* keymaps: emacs, vi insertion, vi movement */
#define ALL "eim"

/* Each command replaces readline commands that know single lines only, wherever these are bound
 * (by ~/.inputrc too), and has key sequences of its own. */
static const struct {
    const char *name;
    rl_command_func_t *does;
    const char *for_[3];
    const char *maps;
    const char *keys[6];
} table[] = {
    {"gpa-enter", enter, {"accept-line"}, BOTH, {"\r", "\n"}},
    {"gpa-new-line", keys_new_line, {"operate-and-get-next"}, BOTH, {"\017"}},
    {"gpa-run-now", run_now, {NULL}, "e", {"\033\r", "\033\n"}},
    {"gpa-backspace", backspace, {"backward-delete-char"}, BOTH, {"\177", "\010"}},
    {"gpa-space", space, {NULL}, BOTH, {" "}},
    {"gpa-colon", colon, {NULL}, BOTH, {":"}},
    {"gpa-closer", closer, {NULL}, BOTH, {")", "]", "}"}},
    {"gpa-tab", tab, {"complete", "tab-insert", "menu-complete"}, BOTH, {"\t"}},
    {"gpa-tab-back", tab_back, {"menu-complete-backward"}, BOTH, {"\033[Z"}},
    {"gpa-cancel", cancel, {NULL}, BOTH, {"\007"}},
    {"gpa-up", up, {"previous-history"}, ALL, {"\033[A", "\033OA"}},
    {"gpa-down", down, {"next-history"}, ALL, {"\033[B", "\033OB"}},
    {"gpa-older",
     older,
     {"history-search-backward", "history-substring-search-backward"},
     BOTH,
     {"\020", "\033[5~"}},
    {"gpa-newer",
     newer,
     {"history-search-forward", "history-substring-search-forward"},
     BOTH,
     {"\016", "\033[6~"}},
    {"gpa-right", right, {"forward-char", "forward-byte"}, ALL, {"\033[C", "\033OC"}},
    {"gpa-left", left, {"backward-char", "backward-byte"}, ALL, {"\033[D", "\033OD"}},
    {"gpa-right-word", right_word, {"forward-word"}, "e", {"\033[1;5C", "\033[1;3C"}},
    {"gpa-left-word", rl_backward_word, {NULL}, "e", {"\033[1;5D", "\033[1;3D"}},
    {"gpa-line-first", line_first, {"beginning-of-line"}, BOTH, {"\033[H", "\033OH", "\033[1~"}},
    {"gpa-line-last", line_last, {"end-of-line"}, BOTH, {"\033[F", "\033OF", "\033[4~"}},
    {"gpa-first", to_first, {"beginning-of-history"}, "e", {"\033<"}},
    {"gpa-last", to_last, {"end-of-history"}, "e", {"\033>"}},
    {"gpa-kill-line", kill_line, {"kill-line"}, "e", {"\013"}},
    {"gpa-kill-line-before",
     kill_line_before,
     {"unix-line-discard", "backward-kill-line"},
     BOTH,
     {"\025"}},
    {"gpa-clear-screen",
     clear_screen,
     {"clear-screen", "clear-display", "redraw-current-line"},
     ALL,
     {"\014"}},
    {"gpa-paste", paste, {"bracketed-paste-begin"}, ALL, {"\033[200~"}},
    {"gpa-editor", in_editor, {NULL}, "e", {"\030\005"}},
    {"gpa-vi-editor", in_editor, {NULL}, "m", {"v"}},
    {"gpa-vi-command-mode", vi_command_mode, {"vi-movement-mode"}, "i", {NULL}},
    {"gpa-vi-open-below", vi_open_below, {NULL}, "m", {"o"}},
    {"gpa-vi-open-above", vi_open_above, {NULL}, "m", {"O"}},
    {"gpa-vi-insert-first", vi_insert_first, {"vi-insert-beg"}, "m", {"I"}},
    {"gpa-vi-join", vi_join, {NULL}, "m", {"J"}},
    {"gpa-vi-go-to-line", vi_go_to_line, {"vi-fetch-history"}, "m", {"G"}},
    {"gpa-vi-first", to_first, {NULL}, "m", {"gg"}},
    {"gpa-vi-change-lines", vi_change_lines, {NULL}, "m", {"S"}},
    {"gpa-vi-yank-lines", vi_yank_lines, {NULL}, "m", {"Y"}},
    {"gpa-vi-put", vi_put, {"vi-put"}, "m", {"p", "P"}},
    {"gpa-vi-redo", vi_redo, {"vi-redo"}, "m", {"."}},
};
enum { COMMANDS = sizeof table / sizeof *table };

void keys_bind(void) {
    rl_variable_bind("bind-tty-special-chars", "off");
    rl_variable_bind("enable-bracketed-paste", "on");
    for (size_t i = 0; i < COMMANDS; i++) {
        rl_add_defun(table[i].name, table[i].does, -1);
        for (const char *m = table[i].maps; *m; m++) {
            Keymap map = *m == 'e'   ? emacs_standard_keymap
                         : *m == 'i' ? vi_insertion_keymap
                                     : vi_movement_keymap;
            for (size_t k = 0; k < 6 && table[i].keys[k]; k++)
                rl_bind_keyseq_in_map(table[i].keys[k], table[i].does, map);
        }
    }
}

/* the readline commands named in the table; NULL for those that this readline lacks. */
typedef struct {
    rl_command_func_t *of[COMMANDS][3];
} replaced;

static rl_command_func_t *stand_in(const replaced *r, rl_command_func_t *command) {
    for (size_t i = 0; i < COMMANDS; i++)
        for (size_t k = 0; k < 3; k++)
            if (r->of[i][k] == command) return table[i].does;
    return command;
}

/* readline stores the keymap of a prefix key in place of its command. */
static Keymap map_behind(const KEYMAP_ENTRY *e) {
    union {
        rl_command_func_t *function;
        Keymap map;
    } entry = {e->function};
    return entry.map;
}

static void replace_in(const replaced *r, Keymap map) {
    for (int i = 0; i < KEYMAP_SIZE; i++) {
        if (map[i].type == ISKMAP && map[i].function)
            replace_in(r, map_behind(&map[i]));
        else if (map[i].type == ISFUNC && map[i].function)
            map[i].function = stand_in(r, map[i].function);
    }
}

void keys_replace(void) {
    replaced r = {0};
    for (size_t i = 0; i < COMMANDS; i++)
        for (size_t k = 0; k < 3 && table[i].for_[k]; k++)
            r.of[i][k] = rl_named_function(table[i].for_[k]);
    replace_in(&r, emacs_standard_keymap);
    replace_in(&r, vi_insertion_keymap);
    replace_in(&r, vi_movement_keymap);
}
#endif
