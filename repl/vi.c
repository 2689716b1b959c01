/* vi command mode on texts of several lines. */
#include "repl/vi.h"

#ifdef GPA_HAVE_READLINE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/readline.h>

#include "repl/keys.h"

/* Commands that work on the cursor's line; their arguments (motions, characters) follow. */
static const char line_commands[] = " $%^|0123456789,;.ABCDEFPRTWXabcdefhilprstwxy~\b\177";
static const char changing[] = "ACDIPRSXacdiprsxy~"; /* what `.` repeats */

static struct {
    bool pending; /* a command of the line waits for its argument */
    char op;      /* of the pending command: 'c', 'd', 'y' or 0 */
    int count;
    bool lines; /* the latest kill holds whole lines */
    struct {
        char op, motion; /* the last operation on lines; 0: a later change was of another kind */
        int count;
    } last;
} vi;

bool vi_in_command_mode(void) { return rl_get_keymap() == vi_movement_keymap; }

/* ---- one line as readline's text ---- */

typedef struct {
    char *above, *below;
    const UNDO_LIST *undo; /* the newest record before */
} narrowing;

static bool narrow(narrowing *n) {
    int start = keys_line_start(rl_point), end = keys_line_end(rl_point);
    n->above = strndup(rl_line_buffer, (size_t)start);
    n->below = strdup(rl_line_buffer + end);
    if (!n->above || !n->below) {
        free(n->above);
        free(n->below);
        return false;
    }
    memmove(rl_line_buffer, rl_line_buffer + start, (size_t)(end - start));
    rl_end = end - start;
    rl_line_buffer[rl_end] = 0;
    rl_point -= start;
    rl_begin_undo_group(); /* so that no insertion extends an older record */
    n->undo = rl_undo_list;
    return true;
}

static void widen(narrowing *n) {
    int start = (int)strlen(n->above), rest = (int)strlen(n->below);
    for (UNDO_LIST *u = rl_undo_list; u && u != n->undo; u = u->next)
        if (u->what == UNDO_INSERT || u->what == UNDO_DELETE) u->start += start, u->end += start;
    rl_end_undo_group();
    rl_extend_line_buffer(start + rl_end + rest + 1);
    memmove(rl_line_buffer + start, rl_line_buffer, (size_t)rl_end);
    memcpy(rl_line_buffer, n->above, (size_t)start);
    memcpy(rl_line_buffer + start + rl_end, n->below, (size_t)rest + 1);
    rl_end += start + rest;
    rl_point += start;
    free(n->above);
    free(n->below);
}

/* In command mode the cursor is on a character, not after the last one of its line. At the end of
 * the text readline has moved it back, onto the newline if the last line is empty. */
static void stay_on_character(void) {
    int start = keys_line_start(rl_point);
    if (rl_point > start && rl_point + 1 == rl_end && rl_line_buffer[rl_point] == '\n') {
        rl_point = rl_end;
        return;
    }
    if (rl_point == start || rl_point != keys_line_end(rl_point)) return;
    for (rl_point--; rl_point > start && (rl_line_buffer[rl_point] & 0xc0) == 0x80;) rl_point--;
}

/* ---- whole lines ---- */

static int first_of_line(int start) { return start + (int)strspn(rl_line_buffer + start, " "); }

/* The lines from the cursor's to the one that a motion reaches: dd, dj, dk, dG. False: the motion
 * leaves the text. */
static bool lines_of(char op, char motion, int count, int *lo, int *hi) {
    *lo = keys_line_start(rl_point);
    *hi = keys_line_end(rl_point);
    if (motion == 'G') *hi = rl_end;
    int more = motion == op ? count - 1 : motion == 'G' ? 0 : count;
    for (; more > 0; more--) {
        if (motion == 'k' ? *lo == 0 : *hi == rl_end) return motion == op;
        if (motion == 'k')
            *lo = keys_line_start(*lo - 1);
        else
            *hi = keys_line_end(*hi + 1);
    }
    return true;
}

static void copy_range(int lo, int hi) {
    int point = rl_point, mark = rl_mark;
    rl_point = lo;
    rl_mark = hi;
    rl_copy_region_to_kill(1, 'y');
    rl_point = point;
    rl_mark = mark;
}

static void operate_on_lines(char op, char motion, int count) {
    int lo, hi;
    if (!lines_of(op, motion, count, &lo, &hi)) {
        rl_ding();
        return;
    }
    vi.lines = true;
    vi.last.op = op == 'y' ? 0 : op;
    vi.last.motion = motion;
    vi.last.count = count;
    if (op == 'y') {
        copy_range(lo, hi);
        return;
    }
    rl_begin_undo_group();
    if (op == 'c') {
        int from = first_of_line(lo);
        rl_kill_text(from < hi ? from : lo, hi);
        rl_point = from < hi ? from : lo;
    } else {
        rl_kill_text(lo, hi);
        if (rl_line_buffer[lo] == '\n')
            rl_delete_text(lo, lo + 1);
        else if (lo > 0)
            rl_delete_text(lo - 1, lo), lo = keys_line_start(lo - 1);
        rl_point = first_of_line(lo);
    }
    rl_end_undo_group();
    if (op == 'c') rl_vi_insertion_mode(1, 'i');
}

int vi_change_lines(int count, int key) {
    (void)key;
    operate_on_lines('c', 'c', count);
    return 0;
}

int vi_yank_lines(int count, int key) {
    (void)key;
    operate_on_lines('y', 'y', count);
    return 0;
}

int vi_put(int count, int key) {
    if (!vi.lines) return rl_vi_put(count, key);
    rl_begin_undo_group();
    if (key == 'P') {
        int start = rl_point = keys_line_start(rl_point);
        rl_yank(1, key);
        rl_insert_text("\n");
        rl_point = first_of_line(start);
    } else {
        int end = rl_point = keys_line_end(rl_point);
        rl_insert_text("\n");
        rl_yank(1, key);
        rl_point = first_of_line(end + 1);
    }
    rl_end_undo_group();
    return 0;
}

int vi_redo(int count, int key) {
    if (!vi.last.op) return rl_vi_redo(count, key);
    operate_on_lines(vi.last.op, vi.last.motion, vi.last.count);
    return 0;
}

/* ---- commands of the whole text ---- */

int vi_command_mode(int count, int key) {
    int point = rl_point;
    bool first = point == keys_line_start(point);
    rl_vi_movement_mode(count, key);
    if (first) rl_point = point; /* readline moves to the character before */
    return 0;
}

int vi_open_below(int count, int key) {
    rl_point = keys_line_end(rl_point);
    keys_new_line(count, key);
    return rl_vi_insertion_mode(1, 'i');
}

int vi_open_above(int count, int key) {
    int start = keys_line_start(rl_point), indent = first_of_line(start) - start;
    (void)count, (void)key;
    rl_point = start;
    rl_begin_undo_group();
    for (int i = 0; i < indent; i++) rl_insert_text(" ");
    rl_insert_text("\n");
    rl_end_undo_group();
    rl_point = start + indent;
    return rl_vi_insertion_mode(1, 'i');
}

int vi_insert_first(int count, int key) {
    (void)count;
    rl_point = first_of_line(keys_line_start(rl_point));
    return rl_vi_insertion_mode(1, key);
}

int vi_join(int count, int key) {
    int end = keys_line_end(rl_point);
    (void)count, (void)key;
    if (end == rl_end) {
        rl_ding();
        return 0;
    }
    rl_begin_undo_group();
    rl_delete_text(end, first_of_line(end + 1));
    rl_point = end;
    if (end > 0 && rl_line_buffer[end - 1] != ' ' && rl_line_buffer[end] != ')') {
        rl_insert_text(" ");
        rl_point = end;
    }
    rl_end_undo_group();
    return 0;
}

int vi_go_to_line(int count, int key) {
    (void)key;
    rl_point = rl_explicit_arg ? 0 : keys_line_start(rl_end);
    for (int line = 1; rl_explicit_arg && line < count && keys_line_end(rl_point) < rl_end; line++)
        rl_point = keys_line_end(rl_point) + 1;
    rl_point = first_of_line(rl_point);
    return 0;
}

/* ---- keys ---- */

/* A motion of whole lines after an operator. */
static bool is_line_motion(int key) { return vi.op && key && (key == vi.op || strchr("jkG", key)); }

static void begin_command(int key) {
    bool operates = key && strchr("cdy", key);
    vi.op = operates ? (char)key : 0;
    vi.count = rl_explicit_arg ? rl_numeric_arg : 1;
    if (strchr(changing, key)) vi.last.op = 0;
    if (strchr("cdyxXsDC", key)) vi.lines = false;
}

/* True if readline waits for the rest of a key sequence after Escape, and `key` is in none: it is a
 * command that was typed soon after Escape. */
static bool follows_escape(int key) {
    const char sequence[] = {'\033', (char)key, 0};
    return RL_ISSTATE(RL_STATE_MULTIKEY) && rl_key_sequence_length == 1 &&
           rl_executing_keyseq[0] == *sequence && key > 0 &&
           !rl_function_of_keyseq(sequence, rl_get_keymap(), NULL);
}

void vi_read_key(void) {
    if (rl_editing_mode || RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH)) {
        rl_callback_read_char();
        return;
    }
    int key = rl_read_key();
    bool command = vi_in_command_mode();
    vi.pending = vi.pending && command;
    if (follows_escape(key)) {
        rl_callback_sigcleanup(); /* ends readline's wait for the rest */
        if (!command) vi_command_mode(1, 0);
        stay_on_character();
    } else if (!command || RL_ISSTATE(RL_STATE_MULTIKEY)) {
        rl_stuff_char(key);
        rl_callback_read_char();
        if (vi_in_command_mode()) stay_on_character();
        return;
    }
    if (vi.pending && RL_ISSTATE(RL_STATE_VIMOTION) && is_line_motion(key)) {
        rl_callback_sigcleanup(); /* ends readline's wait for a motion */
        operate_on_lines(vi.op, (char)key, vi.count);
        vi.pending = false;
        if (vi_in_command_mode()) stay_on_character();
        (*rl_redisplay_function)();
        return;
    }
    bool argument = vi.pending, of_line = argument || (key > 0 && strchr(line_commands, key));
    bool digit = key >= '0' && key <= '9';
    if (!argument && !digit && key > 0) begin_command(key);
    bool whole =
        !argument && ((vi.last.op && key == '.') || (vi.lines && key > 0 && strchr("pP", key)));
    narrowing n;
    bool narrowed = of_line && !whole && narrow(&n);
    rl_stuff_char(key); /* rl_execute_next would keep the count of the command before */
    rl_callback_read_char();
    if (narrowed) widen(&n);
    vi.pending = narrowed && (RL_ISSTATE(RL_STATE_VIMOTION) || RL_ISSTATE(RL_STATE_CHARSEARCH) ||
                              (!argument && key == 'r'));
    if (vi_in_command_mode() && !vi.pending) stay_on_character();
}

const char *vi_mode_string(void) {
    static char shown[64];
    const char *on = rl_variable_value("show-mode-in-prompt");
    size_t n = 0;
    if (!on || strcmp(on, "on") != 0) return "";
    const char *text = rl_variable_value(rl_editing_mode        ? "emacs-mode-string"
                                         : vi_in_command_mode() ? "vi-cmd-mode-string"
                                                                : "vi-ins-mode-string");
    for (; text && *text && n + 1 < sizeof shown; text++) /* \1 and \2 enclose escape sequences */
        if (*text != '\1' && *text != '\2') shown[n++] = *text;
    shown[n] = 0;
    return shown;
}
#endif
