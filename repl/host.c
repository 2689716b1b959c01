/* Streams go through stdio; standard output is flushed before anything is written to the error stream, so that a
 * terminal shows them in order. The session that Ctrl-C reaches is kept in a variable because a signal handler has no
 * other way to it. */
#include "repl/host.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static gpa_session *volatile running;
static volatile sig_atomic_t at_prompt;

static void write_stream(void *user, gpa_stream s, const char *text, size_t n) {
    (void)user;
    if (s == GPA_STDERR) fflush(stdout);
    fwrite(text, 1, n, s == GPA_STDERR ? stderr : stdout);
}

static void show_result(void *user, int count, const gpa_repr *r, size_t n) {
    (void)user;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(r[i].mime, "text/plain") != 0) continue;
        /* a value of several lines starts below its mark, so that its columns line up */
        printf("Out[%d]:%s%.*s\n", count, memchr(r[i].data, '\n', r[i].n) ? "\n" : " ", (int)r[i].n, r[i].data);
    }
    fflush(stdout);
}

static void show_error(void *user, const gpa_diag *d) {
    (void)user;
    fflush(stdout);
    fputs(d->text, stderr);
}

static gpa_code read_line(void *user, const char *prompt, char *line, size_t n) {
    (void)user;
    fputs(prompt, stdout);
    fflush(stdout);
    if (!fgets(line, (int)n, stdin)) return GPA_E_EOF;
    line[strcspn(line, "\n")] = 0;
    return GPA_OK;
}

void host_init(gpa_host *h) { *h = (gpa_host){.write = write_stream, .result = show_result, .error = show_error, .input = read_line}; }

static void on_interrupt(int signal_number) {
    (void)signal_number;
    if (!at_prompt && running) gpa_session_interrupt(running);
}

void host_catch_interrupts(gpa_session *s) {
    struct sigaction action = {.sa_handler = on_interrupt};
    running = s;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

void host_at_prompt(bool yes) { at_prompt = yes; }
