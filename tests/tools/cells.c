/* Evaluates pieces of programs for the test scripts: requests on stdin, answers on stdout
 * (tests/cells.py talks to it).
 *
 * A request is "VERB N\n" and N bytes: `new` begins a new session, `run` evaluates the bytes as a
 * cell. The answers are "KIND N\n" and N bytes: `out` (output, and the text of the displayed
 * value), `error` ("Type: message"), `report` (the whole report of the error); `done` ends every
 * request. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lang/session.h"
#include "runtime/base/base.h"

enum {
    LONGEST_SECONDS = 600
}; /* of one request; then SIGALRM ends the process and the script reports it */

static void answer(const char *kind, const char *text, size_t n) {
    printf("%s %zu\n", kind, n);
    fwrite(text, 1, n, stdout);
}

static void on_write(void *user, gpa_stream s, const char *text, size_t n) {
    (void)user;
    answer(s == GPA_STDOUT ? "out" : "report", text, n);
}

static void on_result(void *user, int count, const gpa_repr *r, size_t n) {
    (void)user, (void)count;
    for (size_t i = 0; i < n; i++)
        if (strcmp(r[i].mime, "text/plain") == 0) {
            answer("out", r[i].data, r[i].n);
            answer("out", "\n", 1);
        }
}

static void on_error(void *user, const gpa_diag *d) {
    (void)user;
    printf("error %zu\n%s%s%s", strlen(d->name) + (*d->msg ? 2 : 0) + strlen(d->msg), d->name,
           *d->msg ? ": " : "", d->msg);
    answer("report", d->text, strlen(d->text));
}

static gpa_session *begin(void) {
    gpa_config c;
    gpa_session *s = NULL;
    gpa_err e = {0};
    gpa_config_init(&c);
    c.host = (gpa_host){.write = on_write, .result = on_result, .error = on_error};
    if (gpa_session_new(&c, &s, &e) == GPA_OK) return s;
    fprintf(stderr, "no session: %s\n", e.msg);
    exit(1);
}

int main(void) {
    char verb[8];
    size_t n;
    gpa_session *s = NULL;
    int status;
    while (scanf("%7s %zu", verb, &n) == 2 && getchar() == '\n') {
        char *text = malloc(n + 1);
        if (!text || fread(text, 1, n, stdin) != n) return 1;
        text[n] = 0;
        alarm(LONGEST_SECONDS);
        if (strcmp(verb, "new") == 0) {
            gpa_session_free(s);
            s = begin();
        } else {
            if (!s) s = begin();
            gpa_session_eval(s, NULL, text, n, 0, &status);
        }
        alarm(0);
        answer("done", "", 0);
        fflush(stdout);
        free(text);
    }
    gpa_session_free(s);
    if (mem_alive()) {
        fprintf(stderr, "%lld blocks of memory alive at exit\n", (long long)mem_alive());
        return 1;
    }
    return 0;
}
