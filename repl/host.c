/* Host callbacks of a session at a terminal. Streams go through stdio; standard output is flushed
 * before anything is written to the error stream, so that a terminal shows them in order. The
 * session that Ctrl-C interrupts is in a global variable: a signal handler has no argument. */
#include "repl/host.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "repl/buf.h"
#include "repl/busy.h"
#include "repl/colour.h"
#include "repl/line.h"
#include "repl/pager.h"
#include "repl/picture.h"
#include "repl/terminal.h"

static gpa_session *volatile running;
static volatile sig_atomic_t at_prompt, pressed; /* state of Ctrl-C in the running cell */
static struct {
    bool in_line; /* the cursor is not at the beginning of a line */
    bool numbers; /* values are displayed as Out[n] */
    char *next;   /* initial text of the next cell */
    int lost;     /* errno of a failed write to standard output */
} host;

/* ---- streams ---- */

void host_hold_interrupts(sigset_t *before) {
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt, before);
}

/* Blocks Ctrl-C until the text is written: stdio drops data of an interrupted write. */
static void write_out(FILE *to, const char *text, size_t n, bool flush) {
    bool writes = flush || to == stderr || __flbf(to) || __fpending(to) + n >= __fbufsize(to);
    sigset_t before;
    if (writes) host_hold_interrupts(&before);
    if ((fwrite(text, 1, n, to) < n || (flush && fflush(to))) && to == stdout && !host.lost)
        host.lost = errno;
    if (writes) pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void put(gpa_stream s, const char *text, size_t n) {
    FILE *to = s == GPA_STDERR ? stderr : stdout;
    if (n == 0) return;
    busy_pause();
    if (s == GPA_STDERR) write_out(stdout, "", 0, true);
    write_out(to, text, n, false);
    if (isatty(fileno(to))) host.in_line = text[n - 1] != '\n';
    busy_resume(!host.in_line);
}

static void write_stream(void *user, gpa_stream s, const char *text, size_t n) {
    (void)user;
    put(s, text, n);
}

static void flush_streams(void *user) {
    (void)user;
    write_out(stdout, "", 0, true);
}

int host_finish_output(void) {
    write_out(stdout, "", 0, true);
    if (ferror(stdout) && !host.lost) host.lost = EIO; /* another writer failed */
    int lost = host.lost;
    clearerr(stdout);
    host.lost = 0;
    return lost;
}

void host_fresh_line(void) {
    busy_pause();
    write_out(stdout, "\n", host.in_line, true);
    host.in_line = false;
    busy_resume(true);
}

static const gpa_repr *find(const gpa_repr *r, size_t n, const char *mime) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(r[i].mime, mime) == 0) return &r[i];
    return NULL;
}

static const gpa_repr *plain_of(const gpa_repr *r, size_t n) { return find(r, n, "text/plain"); }

/* Draws a picture among the representations. */
static picture_result show_picture(const gpa_repr *r, size_t n) {
    const gpa_repr *picture = find(r, n, "image/png"), *words = find(r, n, "text/x-gpa-words");
    if (!picture) return PICTURE_UNWANTED;
    host_fresh_line();
    busy_pause();
    picture_result result =
        picture_draw(picture->data, picture->n, words ? words->data : NULL, words ? words->n : 0);
    busy_resume(true);
    return result;
}

static void show_display(void *user, const gpa_repr *r, size_t n, const char *id, bool update) {
    static const char wanted[] =
        "pictures are shown in this terminal by chafa, which is not there: sudo apt install "
        "chafa\n";
    const gpa_repr *text = plain_of(r, n);
    (void)user, (void)id, (void)update;
    picture_result picture = show_picture(r, n);
    if (picture == PICTURE_DRAWN || !text) return;
    put(GPA_STDOUT, text->data, text->n);
    if (!text->n || text->data[text->n - 1] != '\n') put(GPA_STDOUT, "\n", 1);
    if (picture == PICTURE_IMPOSSIBLE) put(GPA_STDERR, wanted, sizeof wanted - 1);
}

static void show_result(void *user, int count, const gpa_repr *r, size_t n) {
    const gpa_repr *text = plain_of(r, n);
    bool colour = colour_on(STDOUT_FILENO);
    buf b = {0};
    (void)user;
    if (!text) return;
    host_fresh_line();
    if (!host.numbers) {
        buf_clear(&b);
    } else if (colour) {
        const char *mark = colour_of(TINT_OUT), *number = colour_of(TINT_OUT_COUNT);
        buf_printf(&b, "%sOut[" COLOUR_END "%s%d" COLOUR_END "%s]:" COLOUR_END, mark, number, count,
                   mark);
    } else {
        buf_printf(&b, "Out[%d]:", count);
    }
    /* a value of several lines starts on the line after Out[n], so that its columns align */
    if (host.numbers) buf_putc(&b, memchr(text->data, '\n', text->n) ? '\n' : ' ');
    buf_putn(&b, text->data, text->n);
    buf_putc(&b, '\n');
    put(GPA_STDOUT, b.text ? b.text : "", b.len);
    flush_streams(NULL);
    buf_free(&b);
    if (isatty(STDOUT_FILENO)) show_picture(r, n);
}

void host_number_results(void) { host.numbers = true; }

static void show_error(void *user, const gpa_diag *d) {
    buf b = {0};
    (void)user;
    if (isatty(STDERR_FILENO)) {
        if (pressed && isatty(STDIN_FILENO)) host.in_line = true; /* the terminal echoed ^C */
        pressed = 0;
        host_fresh_line();
    }
    report_put(running, d, &b);
    put(GPA_STDERR, b.text ? b.text : "", b.len);
    buf_free(&b);
}

static void show_page(void *user, const gpa_repr *r, size_t n) {
    const gpa_repr *text = plain_of(r, n);
    (void)user;
    if (!text) return;
    buf b = {0};
    host_fresh_line();
    page_put(running, text->data, text->n, pager_columns(), &b);
    busy_pause();
    pager_show(b.text ? b.text : "", b.len);
    busy_resume(true);
    buf_free(&b);
}

/* Only the current line can be cleared; where escape sequences are not understood another line
 * begins. */
static void clear_line(void *user, bool wait) {
    (void)user, (void)wait;
    if (!terminal_capable()) host_fresh_line();
    busy_pause();
    if (isatty(STDOUT_FILENO) && terminal_capable()) fputs("\033[2K\r", stdout);
    host.in_line = false;
    busy_resume(true);
}

/* ---- progress ---- */

static void show_progress(void *user, const char *text, double done, double left) {
    enum { WIDTH = 24 };
    static const char *const eighths[] = {" ",      "\u258f", "\u258e", "\u258d",
                                          "\u258c", "\u258b", "\u258a", "\u2589"};
    (void)user;
    if (!text) {
        busy_say(NULL);
        return;
    }
    buf b = {0};
    buf_printf(&b, "%s ", text);
    if (done >= 0) {
        int cells = (int)((done > 1 ? 1 : done) * (double)(WIDTH * 8));
        for (int i = 0; i < WIDTH; i++)
            buf_put(&b, i < cells / 8 ? "\u2588" : i == cells / 8 ? eighths[cells % 8] : " ");
        buf_printf(&b, "\u2595 %3.0f %%", 100 * done);
    }
    if (left >= 0) buf_printf(&b, ", %.0f s to go", left);
    busy_say(b.text);
    buf_free(&b);
}

/* ---- input ---- */

static gpa_code read_line(void *user, const char *prompt, bool hidden, char *line, size_t n) {
    char *text;
    (void)user;
    busy_pause();
    fflush(stdout);
    line_result r = hidden ? line_ask_hidden(prompt, &text) : line_ask(prompt, &text);
    host.in_line = false;
    busy_resume(true);
    if (r != LINE_CELL) return r == LINE_DROPPED ? GPA_E_INTERRUPT : GPA_E_EOF;
    snprintf(line, n, "%s", text);
    free(text);
    return GPA_OK;
}

static void keep_next(void *user, const char *text, size_t n, bool replace) {
    (void)user, (void)replace;
    free(host.next);
    while (n && text[n - 1] == '\n') n--;
    host.next = strndup(text, n);
}

char *host_next_input(void) {
    char *next = host.next;
    host.next = NULL;
    return next;
}

static void symbols_size(void *user, int *columns, int *rows) {
    (void)user;
    picture_size(columns, rows);
}

/* The busy indicator waits while another program has the terminal. */
static void lend_terminal(void *user, bool begin) {
    (void)user;
    if (begin)
        busy_pause();
    else
        busy_resume(false); /* the program may have left the cursor within a line */
}

static bool choose_theme(void *user, const char *name) {
    (void)user;
    return colour_choose(name);
}

static bool toggle_indentation(void *user) {
    (void)user;
    return line_toggle_indentation();
}

void host_init(gpa_host *h) {
    bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    *h = (gpa_host){.write = write_stream,
                    .flush = flush_streams,
                    .result = show_result,
                    .error = show_error,
                    .display = isatty(STDOUT_FILENO) ? show_display : NULL,
                    .clear = clear_line,
                    .page = show_page,
                    .next_input = keep_next,
                    .progress = show_progress,
                    .input = read_line,
                    .symbols = symbols_size,
                    .lend = lend_terminal,
                    .theme = choose_theme,
                    .autoindent = terminal ? toggle_indentation : NULL,
                    .pretty = terminal,
                    .terminal = terminal};
}

/* ---- Ctrl-C ---- */

static volatile sig_atomic_t interrupts;

int host_interrupts(void) { return interrupts; }

enum { PATIENCE = 2 }; /* seconds */

/* Code outside gpa - a driver, a library - may not be interruptible: repeated interrupts explain
 * the way out. */
static void on_interrupt(int signal_number) {
    static const char way_out[] =
        "\nThe call that is running does not answer Ctrl-C. Ctrl-\\ ends the process.\n";
    static struct timespec first;
    struct timespec now;
    int keep = errno;
    (void)signal_number;
    interrupts++;
    if (at_prompt || !running) return;
    pressed = 1;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!gpa_session_interrupt(running))
        first = now;
    else if (now.tv_sec - first.tv_sec >= PATIENCE &&
             write(STDERR_FILENO, way_out, sizeof way_out - 1) > 0)
        first = now;
    errno = keep;
}

void host_catch_interrupts(gpa_session *s) {
    struct sigaction action = {
        .sa_handler = s ? on_interrupt : SIG_DFL}; /* without a session nothing handles it */
    running = s;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

void host_at_prompt(bool yes) {
    at_prompt = yes;
    pressed = 0;
}
