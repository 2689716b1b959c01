/* Line editor: the event loop over GNU readline. readline keeps the text, its key bindings, kill
 * ring, undo and searches; its callback interface gets one key at a time. It does not draw: its
 * redisplay function only records that something changed. The screen is rendered here from the
 * text, its highlighting, the hint and the menu, when no key waits (a burst of keys is drawn once).
 *
 * readline's callbacks have no user argument, so the state is global. */
#include "repl/edit.h"

#ifdef GPA_HAVE_READLINE
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "repl/buf.h"
#include "repl/colour.h"
#include "repl/keys.h"
#include "repl/menu.h"
#include "repl/line.h"
#include "repl/screen.h"
#include "repl/terminal.h"
#include "repl/vi.h"

enum { TOO_LONG_TO_COLOUR = 1 << 18 };

static struct {
    gpa_session *session;
    screen *screen;
    const char *prompt, *more, *start;
    bool asking, changed, ended;
    char *got;       /* the accepted text */
    buf parameters;  /* parameters of the function whose call begins at the cursor */
    buf answers;     /* see edit_keep_answers */
    buf first, rest; /* the prompts after the string of the editing mode */
    uint8_t *tints;
    size_t tints_cap;
} edit;

gpa_session *edit_session(void) { return edit.session; }
bool edit_asking(void) { return edit.asking; }

/* Without colours a suggestion would be indistinguishable from input. */
const char *edit_hint(void) {
    bool wanted = !edit.asking && rl_end > 0 && rl_point == rl_end && colour_on(STDOUT_FILENO);
    return wanted ? past_hint(rl_line_buffer, (size_t)rl_end) : NULL;
}

/* ---- colours of the text ---- */

static void tint_part(void *user, size_t lo, size_t hi, gpa_style style) {
    (void)user;
    memset(edit.tints + lo, (int)style, hi - lo);
}

static char opener_of(char c) { return c == ')' ? '(' : c == ']' ? '[' : '{'; }

/* Matches brackets: an unmatched one is marked as wrong; the pair at the cursor is highlighted. */
static void pair_brackets(const char *text, size_t n, size_t cursor) {
    enum { DEEPEST = 256 };
    size_t open[DEEPEST], depth = 0;
    for (size_t i = 0; i < n; i++) {
        if (edit.tints[i] != GPA_STYLE_BRACKET) continue;
        if (strchr("([{", text[i])) {
            if (depth == DEEPEST) return;
            open[depth++] = i;
        } else if (depth && text[open[depth - 1]] == opener_of(text[i])) {
            size_t lo = open[--depth];
            bool at = lo == cursor || i == cursor || i + 1 == cursor ||
                      (lo + 1 == cursor && edit.tints[cursor] != GPA_STYLE_BRACKET);
            if (at) edit.tints[lo] = edit.tints[i] = TINT_MATCH;
        } else {
            edit.tints[i] = GPA_STYLE_WRONG;
        }
    }
    while (depth) edit.tints[open[--depth]] = GPA_STYLE_WRONG;
}

/* The styles of the text; NULL without colours. */
static const uint8_t *tints_of(const char *text, size_t n, size_t cursor) {
    if (edit.asking || !colour_on(STDOUT_FILENO) || n > TOO_LONG_TO_COLOUR) return NULL;
    if (n + 1 > edit.tints_cap) {
        uint8_t *grown = realloc(edit.tints, 2 * n + 256);
        if (!grown) return NULL;
        edit.tints = grown;
        edit.tints_cap = 2 * n + 256;
    }
    memset(edit.tints, GPA_STYLE_PLAIN, n + 1);
    gpa_session_highlight(edit.session, text, n, tint_part, NULL);
    pair_brackets(text, n, cursor);
    return edit.tints;
}

/* ---- display ---- */

static void keep_parameters(void *user, const gpa_about *a) {
    (void)user;
    const char *open = a->signature ? strchr(a->signature, '(') : NULL;
    buf_clear(&edit.parameters);
    if (open) buf_put(&edit.parameters, open + 1);
}

/* After `name(`: the parameters of the function, displayed as a hint that cannot be accepted.
 * NULL: none. */
static const char *parameters(const char *text, size_t n) {
    bool begins = n > 1 && text[n - 1] == '(' && !strchr(" \t\n([{=,", text[n - 2]);
    if (edit.asking || !begins || !colour_on(STDOUT_FILENO)) return NULL;
    buf_clear(&edit.parameters);
    gpa_session_about(edit.session, &(gpa_inspection){text, n, n, 0}, keep_parameters, NULL);
    return edit.parameters.len ? edit.parameters.text : NULL;
}

/* True while readline shows a message (a search, for example) instead of the prompt. */
static bool in_message(void) { return rl_display_prompt && *rl_display_prompt; }

/* Puts the string of the editing mode before a prompt; before the others as many blanks. */
static const char *after_mode(buf *b, const char *prompt, bool first) {
    const char *mode = edit.asking ? "" : vi_mode_string();
    if (!*mode) return prompt;
    buf_clear(b);
    if (first)
        buf_put(b, mode);
    else
        buf_fill(b, ' ', screen_width(mode));
    buf_put(b, prompt);
    return b->failed ? prompt : b->text;
}

static screen_view view_of(const char *text, size_t n, size_t cursor) {
    screen_view v = {.prompt = after_mode(&edit.first, edit.prompt, true),
                     .more = after_mode(&edit.rest, edit.more, false),
                     .text = text,
                     .n = n,
                     .cursor = cursor};
    v.tints = tints_of(text, n, cursor);
    return v;
}

static void show(void) {
    size_t n = (size_t)rl_end, cursor = (size_t)rl_point;
    screen_view v = view_of(rl_line_buffer, n, cursor);
    edit.changed = false;
    if (in_message()) {
        v.prompt = rl_display_prompt;
    } else {
        v.below = menu_lines(screen_rows(edit.screen), screen_columns(edit.screen));
        v.hint = v.below ? NULL : edit_hint();
        if (!v.hint && !v.below && cursor == n) v.hint = parameters(rl_line_buffer, n);
    }
    fflush(stdout);
    screen_show(edit.screen, &v);
}

static void note_change(void) { edit.changed = true; }

void edit_redraw(bool clear) {
    if (clear)
        screen_clear(edit.screen);
    else
        screen_forget(edit.screen);
    edit.changed = true;
}

void edit_lend(void) {
    screen_erase(edit.screen);
    (*rl_deprep_term_function)();
    terminal_release();
}

void edit_take_back(void) {
    terminal_hold();
    (*rl_prep_term_function)(1);
    screen_measure(edit.screen);
    edit_redraw(false);
}

/* Draws the text in its final form. */
static void leave(const char *text) {
    size_t n = strlen(text);
    screen_view v = view_of(text, n, n + 1);
    fflush(stdout);
    screen_leave(edit.screen, &v);
}

/* Leaves the visible part of the text, without suggestions and menu. */
static void abandon(void) {
    screen_view v = view_of(rl_line_buffer, (size_t)rl_end, (size_t)rl_point);
    menu_take();
    fflush(stdout);
    screen_show(edit.screen, &v);
    screen_abandon(edit.screen);
}

/* ---- the loop ---- */

static void on_line(char *line) {
#if RL_READLINE_VERSION >= 0x0802
    rl_eof_found = 0; /* after Ctrl-D readline would end the row itself whenever it ends editing */
#endif
    edit.got = line;
    edit.ended = true;
    rl_callback_handler_remove();
}

void edit_done(void) { rl_newline(1, '\n'); }

static int begin_text(void) {
    if (edit.start) rl_insert_text(edit.start);
    return 0;
}

static void stop(void) {
    (*rl_deprep_term_function)();
    abandon();
    terminal_stop();
    (*rl_prep_term_function)(1);
    screen_measure(edit.screen);
    edit_redraw(false);
}

static void drop(void) {
    abandon();
    rl_free_line_state();
    rl_callback_sigcleanup();
    rl_callback_handler_remove();
}

static void key(void) {
    bool menu = menu_shown();
    past_load(edit.session);
    keys_begin();
    vi_read_key();
    /* any key other than the menu's own closes it */
    if (menu && !edit.ended && !RL_ISSTATE(RL_STATE_MULTIKEY) && !keys_of_menu())
        menu_take(), edit.changed = true;
}

static line_result loop(void) {
    edit.ended = false;
    edit.got = NULL;
    edit.changed = true;
    fflush(stdout);
    terminal_mend();
    screen_measure(edit.screen);
    screen_forget(edit.screen);
    terminal_hold();
    rl_callback_handler_install("", on_line);
    line_result r = LINE_CELL;
    while (!edit.ended) {
        terminal_event e = terminal_wait(edit.changed ? 0 : -1);
        switch (e) {
            case TERMINAL_NOTHING: show(); break;
            case TERMINAL_INPUT: key(); break;
            case TERMINAL_INTERRUPT:
                drop();
                edit.ended = true;
                r = LINE_DROPPED;
                break;
            case TERMINAL_RESIZED:
                screen_measure(edit.screen);
                edit.changed = true;
                break;
            case TERMINAL_STOP: stop(); break;
            case TERMINAL_CONTINUED:
                (*rl_prep_term_function)(1);
                edit_redraw(false);
                break;
        }
    }
    terminal_release();
    menu_take();
    if (r == LINE_CELL && edit.got)
        leave(edit.got);
    else if (r == LINE_CELL)
        r = LINE_END;
    return r;
}

static line_result take(char **text) {
    line_result r = loop();
    *text = edit.got;
    edit.got = NULL;
    return r;
}

/* Removes the first of the kept answers, owned; NULL: none. *whole: its line ended. */
static char *next_answer(bool *whole) {
    const char *kept = edit.answers.len ? edit.answers.text : NULL;
    if (!kept) return NULL;
    size_t n = strcspn(kept, "\n");
    *whole = kept[n] == '\n';
    char *answer = strndup(kept, n), *rest = strdup(kept + n + *whole);
    buf_clear(&edit.answers);
    if (rest) buf_put(&edit.answers, rest);
    free(rest);
    return answer;
}

void edit_keep_answers(const char *lines) {
    char *copy = strdup(lines);
    buf_clear(&edit.answers);
    if (copy) buf_put(&edit.answers, copy);
    free(copy);
}

/* Answers that no question took begin the cell. */
line_result edit_read(const char *prompt, const char *more, const char *start, char **text) {
    char *left = edit.answers.len && !start ? strdup(edit.answers.text) : NULL;
    buf_clear(&edit.answers);
    edit.prompt = prompt;
    edit.more = more;
    edit.start = left ? left : start;
    edit.asking = false;
    line_result r = take(text);
    free(left);
    return r;
}

line_result edit_ask(const char *prompt, char **text) {
    bool whole = false;
    char *answer = next_answer(&whole);
    if (whole && answer) {
        printf("%s%s\n", prompt, answer);
        *text = answer;
        return LINE_CELL;
    }
    edit.prompt = prompt;
    edit.more = "";
    edit.start = answer;
    edit.asking = true;
    line_result r = take(text);
    free(answer);
    if (r != LINE_CELL) buf_clear(&edit.answers);
    return r;
}

bool edit_toggle_indentation(void) { return keys_toggle_indentation(); }

/* ---- start and end ---- */

/* Programs are UTF-8. If the environment's locale is not, selects C.UTF-8, as Python does (PEP
 * 538). Sets the environment variable, since readline reads it. */
static void choose_locale(void) {
    const char *all = getenv("LC_ALL");
    if (setlocale(LC_CTYPE, "") && MB_CUR_MAX > 1) return;
    if (setlocale(LC_CTYPE, "C.UTF-8")) setenv(all && *all ? "LC_ALL" : "LC_CTYPE", "C.UTF-8", 1);
}

bool edit_begin(gpa_session *s) {
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !terminal_capable()) return false;
    edit.screen = screen_new();
    if (!edit.screen) return false;
    edit.session = s;
    terminal_begin();
    choose_locale();
    rl_readline_name = "gpa";
    rl_catch_signals = 0;
    rl_catch_sigwinch = 0;
    rl_change_environment = 0;
    rl_erase_empty_line = 1; /* readline must not end the line itself: `leave` does */
    rl_startup_hook = begin_text;
    keys_bind();
    rl_initialize(); /* with a custom redisplay function readline would not query the terminal */
    keys_replace();
    rl_redisplay_function = note_change;
    return true;
}

void edit_remember(const char *text) { past_add(text); }

void edit_end(void) {
    past_free();
    menu_free();
    screen_free(edit.screen);
    free(edit.tints);
    buf_free(&edit.parameters);
    buf_free(&edit.answers);
    buf_free(&edit.first);
    buf_free(&edit.rest);
    memset(&edit, 0, sizeof edit);
}
#else
bool edit_begin(gpa_session *s) { return (void)s, false; }
line_result edit_read(const char *prompt, const char *more, const char *start, char **text) {
    return (void)prompt, (void)more, (void)start, (void)text, LINE_END;
}
line_result edit_ask(const char *prompt, char **text) { return (void)prompt, (void)text, LINE_END; }
bool edit_toggle_indentation(void) { return false; }
void edit_remember(const char *text) { (void)text; }
void edit_end(void) {}
#endif
