/* Input of cells: the editor or plain lines, and the history list. */
#include "repl/line.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "repl/buf.h"
#include "repl/edit.h"
#include "repl/host.h"

#ifdef GPA_HAVE_READLINE
#include <readline/history.h>
#include <readline/readline.h>

/* ---- history list ---- */

enum { KEPT = 20000 };

static bool loaded;
static struct {
    char *typed;     /* the text before the walk, restored at its end */
    size_t prefix;   /* number of bytes of it that must match */
    const char *put; /* the current entry */
    int at;
} walk;

static void add_entry(void *user, const gpa_entry *e) {
    (void)user;
    HIST_ENTRY *last = history_length ? history_get(history_base + history_length - 1) : NULL;
    if (e->input[strspn(e->input, " \t\r\n")] && !(last && strcmp(last->line, e->input) == 0))
        add_history(e->input);
}

void past_load(gpa_session *s) {
    gpa_history_query all = {.kind = GPA_HISTORY_TAIL, .n = KEPT};
    if (loaded) return;
    loaded = true;
    using_history();
    stifle_history(KEPT);
    gpa_session_history(s, &all, add_entry, NULL);
    using_history();
}

static void end_walk(void) {
    free(walk.typed);
    walk.typed = NULL;
    walk.put = NULL;
}

void past_add(const char *text) {
    size_t n = strlen(text);
    end_walk();
    while (n && strchr(" \t\r\n", text[n - 1])) n--;
    if (n == 0 || *text == ' ') return;
    char *copy = strndup(text, n);
    HIST_ENTRY *last = history_length ? history_get(history_base + history_length - 1) : NULL;
    if (copy && !(last && strcmp(last->line, copy) == 0)) add_history(copy);
    using_history();
    free(copy);
}

static void replace(const char *text) {
    rl_begin_undo_group();
    rl_delete_text(0, rl_end);
    rl_point = 0;
    rl_insert_text(text);
    rl_end_undo_group();
}

bool past_walk(int direction, size_t prefix) {
    HIST_ENTRY **list = history_list();
    bool goes_on = walk.typed && strcmp(rl_line_buffer, walk.put ? walk.put : walk.typed) == 0;
    if (!goes_on) {
        end_walk();
        walk.typed = strdup(rl_line_buffer);
        walk.prefix = prefix;
        walk.at = history_length;
        if (!walk.typed) return false;
    }
    for (int i = walk.at + direction; list && i >= 0 && i < history_length; i += direction) {
        if (strncmp(list[i]->line, walk.typed, walk.prefix) != 0 ||
            strcmp(list[i]->line, rl_line_buffer) == 0)
            continue;
        walk.at = i;
        walk.put = list[i]->line;
        replace(walk.put);
        return true;
    }
    if (direction < 0 || walk.at == history_length) return false;
    walk.at = history_length;
    walk.put = NULL;
    replace(walk.typed);
    return true;
}

const char *past_hint(const char *text, size_t n) {
    HIST_ENTRY **list = history_list();
    for (int i = history_length - 1; list && i >= 0; i--) {
        const char *line = list[i]->line;
        if (line[0] == text[0] && strncmp(line, text, n) == 0 && line[n] && line[n] != '\n')
            return line + n;
    }
    return NULL;
}

void past_free(void) {
    end_walk();
    clear_history();
}
#endif

/* ---- cells ---- */

/* Reads cells by the editor (edit.h) or, without one, plain lines. */

static gpa_session *session;
static bool editing;

/* Shows the prompt and waits for a line; false if Ctrl-C came first, even before the wait. */
static bool wait_for_line(const char *prompt) {
    sigset_t before;
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int seen = host_interrupts(), ready;
    host_hold_interrupts(&before);
    fputs(prompt, stdout);
    fflush(stdout);
    do ready = ppoll(&input, 1, NULL, &before);
    while (ready < 0 && errno == EINTR && host_interrupts() == seen);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return host_interrupts() == seen;
}

/* One line including its end. */
static line_result plain_line(const char *prompt, char **line) {
    size_t cap = 0;
    *line = NULL;
    bool interrupted = isatty(STDIN_FILENO) && !wait_for_line(prompt);
    errno = 0;
    if (!interrupted && getline(line, &cap, stdin) >= 0) return LINE_CELL;
    interrupted = interrupted || errno == EINTR;
    free(*line);
    *line = NULL;
    clearerr(stdin);
    if (interrupted) fputc('\n', stdout); /* after the ^C that the terminal echoes */
    return interrupted ? LINE_DROPPED : LINE_END;
}

/* The answer to a question: one line. A prompt that no terminal shows is written, as input() does.
 */
static line_result plain_answer(const char *prompt, char **text) {
    if (!isatty(STDIN_FILENO)) fputs(prompt, stdout), fflush(stdout);
    line_result r = plain_line(prompt, text);
    if (*text) (*text)[strcspn(*text, "\r\n")] = 0;
    return r;
}

static line_result plain_read(const char *prompt, const char *more, const char *start,
                              char **text) {
    buf cell = {0};
    line_result r;
    int indent;
    if (start) {
        /* no editor: the initial text is displayed and prepended to the input */
        buf_put(&cell, start);
        if (cell.len && cell.text[cell.len - 1] != '\n') buf_putc(&cell, '\n');
        printf("%s%s", prompt, cell.text);
    }
    for (;;) {
        char *line;
        r = plain_line(cell.len ? more : prompt, &line);
        if (r == LINE_DROPPED || (r == LINE_END && cell.len == 0)) break;
        if (line) buf_put(&cell, line);
        free(line);
        if (r == LINE_END || !cell.text || !cell.text[strspn(cell.text, " \t\r\n")] ||
            gpa_session_check(session, cell.text, cell.len, &indent) != GPA_SRC_INCOMPLETE) {
            r = LINE_CELL;
            break;
        }
    }
    if (r == LINE_CELL)
        *text = cell.text;
    else
        buf_free(&cell);
    return r;
}

void line_begin(gpa_session *s) {
    session = s;
    editing = edit_begin(s);
}

line_result line_read(const char *prompt, const char *more, const char *start, char **text) {
    *text = NULL;
    host_at_prompt(true);
    line_result r =
        editing ? edit_read(prompt, more, start, text) : plain_read(prompt, more, start, text);
    host_at_prompt(false);
    return r;
}

line_result line_ask(const char *prompt, char **text) {
    if (!editing) return plain_answer(prompt, text);
    line_result r = edit_ask(prompt, text);
    if (*text) (*text)[strcspn(*text, "\r\n")] = 0;
    return r;
}

line_result line_ask_hidden(const char *prompt, char **text) {
    struct termios before, silent;
    bool terminal = tcgetattr(STDIN_FILENO, &before) == 0;
    silent = before;
    silent.c_lflag &= ~(tcflag_t)ECHO;
    if (terminal) tcsetattr(STDIN_FILENO, TCSADRAIN, &silent);
    line_result r = plain_answer(prompt, text);
    if (terminal) tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
    if (terminal) putchar('\n');
    return r;
}

bool line_toggle_indentation(void) { return editing && edit_toggle_indentation(); }

void line_remember(const char *text) {
    if (editing) edit_remember(text);
}

void line_end(void) {
    if (editing) edit_end();
    editing = false;
}
