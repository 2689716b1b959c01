/* Line editing by GNU readline, through its callback interface so that Ctrl-C can end a read; without readline, or
 * when standard input is not a terminal, plain reads. */
#include "repl/line.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "repl/host.h"

static char *plain_read(const char *prompt) {
    char *line = NULL;
    size_t cap = 0;
    if (isatty(STDIN_FILENO)) {
        fputs(prompt, stdout);
        fflush(stdout);
    }
    ssize_t n = getline(&line, &cap, stdin);
    if (n < 0) {
        free(line);
        return NULL;
    }
    line[strcspn(line, "\n")] = 0;
    return line;
}

#ifdef GPA_HAVE_READLINE
#include <readline/history.h>
#include <readline/readline.h>

static gpa_session *session;
static bool editing; /* both ends are a terminal */
static volatile sig_atomic_t pressed;
static char *got;
static bool done;

static void on_press(int signal_number) {
    (void)signal_number;
    pressed = 1;
}

static void on_line(char *line) {
    got = line;
    done = true;
    rl_callback_handler_remove();
}

/* ---- completion ---- */

typedef struct {
    char **names;
    size_t n, cap;
} matches;

static void add_match(void *user, const gpa_completion *c) {
    matches *m = user;
    if (m->n + 2 > m->cap) {
        size_t cap = m->cap ? m->cap * 2 : 64;
        char **grown = realloc(m->names, cap * sizeof *grown);
        if (!grown) return;
        m->names = grown;
        m->cap = cap;
    }
    char *copy = strdup(c->text);
    if (copy) m->names[m->n++] = copy;
    m->names[m->n] = NULL;
}

static char *next_match(const char *text, int state) {
    static matches m;
    static size_t at;
    (void)text;
    if (state == 0) {
        free(m.names);
        m = (matches){0};
        at = 0;
        gpa_session_complete(session, rl_line_buffer, strlen(rl_line_buffer), (size_t)rl_point, add_match, &m);
    }
    return at < m.n ? m.names[at++] : NULL;
}

static char **complete(const char *text, int start, int end) {
    (void)start, (void)end;
    rl_attempted_completion_over = 1;
    rl_completion_append_character = 0;
    return rl_completion_matches(text, next_match);
}

/* In the indentation Tab means indentation. */
static int on_tab(int count, int key) {
    if (strspn(rl_line_buffer, " ") >= (size_t)rl_point) return rl_insert_text("    ");
    return rl_complete(count, key);
}

static int type_ahead;

static int insert_indent(void) {
    for (int i = 0; i < type_ahead; i++) rl_insert_text(" ");
    type_ahead = 0;
    return 0;
}

static char *edited_read(const char *prompt, int indent, bool *interrupted) {
    struct sigaction now = {.sa_handler = on_press}, before;
    sigemptyset(&now.sa_mask);
    sigaction(SIGINT, &now, &before);
    done = false;
    got = NULL;
    pressed = 0;
    type_ahead = indent;
    rl_callback_handler_install(prompt, on_line);
    while (!done) {
        struct pollfd fd = {STDIN_FILENO, POLLIN, 0};
        int ready = poll(&fd, 1, -1);
        if (pressed) {
            rl_callback_sigcleanup();
            rl_callback_handler_remove();
            fputs("\nKeyboardInterrupt\n", stdout);
            *interrupted = true;
            break;
        }
        if (ready > 0) rl_callback_read_char();
        else if (ready < 0 && errno != EINTR) break;
    }
    sigaction(SIGINT, &before, NULL);
    if (done && !got) fputc('\n', stdout);
    return got;
}

void line_begin(gpa_session *s) {
    session = s;
    editing = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (!editing) return;
    rl_readline_name = "gpa";
    rl_catch_signals = 0;
    rl_attempted_completion_function = complete;
    rl_basic_word_break_characters = " \t\n\"\\'`@$><=;|&{(.,:+-*/%^~[])}";
    rl_startup_hook = insert_indent;
    rl_bind_key('\t', on_tab);
}

void line_remember(const char *text) {
    if (!editing) return;
    char *copy = strdup(text);
    if (!copy) return;
    size_t n = strlen(copy);
    while (n && copy[n - 1] == '\n') copy[--n] = 0;
    if (n) add_history(copy);
    free(copy);
}

void line_end(void) { clear_history(); }
#else
void line_begin(gpa_session *s) { (void)s; }
void line_remember(const char *text) { (void)text; }
void line_end(void) {}
#endif

char *line_read(const char *prompt, int indent, bool *interrupted) {
    *interrupted = false;
    host_at_prompt(true);
#ifdef GPA_HAVE_READLINE
    char *line = editing ? edited_read(prompt, indent, interrupted) : plain_read(prompt);
#else
    (void)indent;
    char *line = plain_read(prompt);
#endif
    host_at_prompt(false);
    return line;
}
