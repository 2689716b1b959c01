/* Debug Adapter Protocol on standard input and output, for editors: messages of JSON behind a
 * header `Content-Length: N`. The main thread owns the session and answers; one thread reads
 * messages, another one what the program writes to its standard output and error.
 *
 * Reading order: dap_main, then its callees above it. */
#include "kernel/dap.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/adapter.h"
#include "kernel/capture.h"
#include "kernel/json.h"
#include "kernel/queue.h"

enum { MAX_MESSAGE = 64 << 20 };

typedef struct {
    queue_link link;
    json_t *json;
} request;

typedef struct {
    adapter adapter;
    queue requests;
    int in; /* the editor's ends of standard input and output */
    FILE *out;
    pthread_mutex_t lock; /* of out */
    char *program;        /* NULL: nothing was launched */
    const char **argv;
    int argc;
    atomic_bool running;
    atomic_bool ending; /* the program is to end */
    atomic_bool gone;   /* the editor has closed its end */
    bool ran, ended;
} server;

/* ---- messages ---- */

static void send_json(void *user, json_t *json) {
    server *s = user;
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    pthread_mutex_lock(&s->lock);
    if (text) fprintf(s->out, "Content-Length: %zu\r\n\r\n%s", strlen(text), text);
    fflush(s->out);
    pthread_mutex_unlock(&s->lock);
    free(text);
    json_decref(json);
}

/* Reads n bytes of the editor's end of standard input; false at its end. Without a FILE, which a
 * thread that waits for input would lock against fflush(NULL). */
static bool read_bytes(const server *s, char *to, size_t n) {
    for (ssize_t got; n; to += got, n -= (size_t)got) {
        got = read(s->in, to, n);
        if (got < 0 && errno == EINTR)
            got = 0;
        else if (got <= 0)
            return false;
    }
    return true;
}

/* Reads a line of a header, without its end; false at the end of the input. */
static bool read_line(const server *s, char *line, size_t size) {
    size_t n = 0;
    for (char c = 0; c != '\n';) {
        if (!read_bytes(s, &c, 1)) return false;
        if (c != '\r' && c != '\n' && n + 1 < size) line[n++] = c;
    }
    line[n] = '\0';
    return true;
}

/* A message; NULL at the end of the input. One that is no JSON object is an empty one. */
static json_t *read_json(const server *s) {
    char line[256];
    size_t n = 0;
    do {
        if (!read_line(s, line, sizeof line)) return NULL;
        if (strncmp(line, "Content-Length:", 15) == 0) n = strtoul(line + 15, NULL, 10);
    } while (*line);
    char *text = n && n <= MAX_MESSAGE ? malloc(n + 1) : NULL;
    bool whole = text && read_bytes(s, text, n);
    json_t *json = whole ? json_loadb(text, n, 0, NULL) : NULL;
    free(text);
    return json || !whole ? json : json_object();
}

/* Makes the program end with KeyboardInterrupt, also before it has begun. */
static void end_program(server *s) {
    atomic_store(&s->ending, true);
    if (atomic_load(&s->running)) gpa_session_interrupt(s->adapter.session);
    queue_wake(&s->requests);
}

static void *read_requests(void *user) {
    server *s = user;
    for (json_t *json; (json = read_json(s));) {
        request *r = malloc(sizeof *r);
        const char *command = adapter_text(json, "command");
        bool last = strcmp(command, "disconnect") == 0 || strcmp(command, "terminate") == 0;
        if (!r) break;
        *r = (request){.json = json};
        queue_put(&s->requests, &r->link);
        if (atomic_load(&s->running)) gpa_session_visit(s->adapter.session);
        if (last) end_program(s);
    }
    atomic_store(&s->gone, true);
    end_program(s);
    return NULL;
}

/* ---- output ---- */

/* Output of the program, its libraries and its child processes. */
static void put_output(void *user, const char *name, const char *text, size_t n) {
    server *s = user;
    adapter_event(&s->adapter, "output",
                  json_pack("{s:s, s:o}", "category", name, "output", text_json(text, n)));
}

static void write_stream(void *user, gpa_stream to, const char *text, size_t n) {
    capture_drain(); /* output captured earlier is sent first */
    put_output(user, to == GPA_STDERR ? "stderr" : "stdout", text, n);
}

static void show_error(void *user, const gpa_diag *d) {
    capture_drain();
    put_output(user, "stderr", d->text, strlen(d->text));
}

/* ---- requests ---- */

static void visit(void *user);

/* The session of the program that is launched: its arguments, folder and environment. */
static bool start_session(server *s, const json_t *arguments, char *why, size_t n) {
    gpa_config config;
    gpa_err e = {0};
    const char *key;
    json_t *one, *given = json_object_get(arguments, "args");
    size_t i;
    json_object_foreach(json_object_get(arguments, "env"), key, one) {
        if (json_is_string(one)) setenv(key, json_string_value(one), 1);
    }
    s->argv = calloc(json_array_size(given) + 1, sizeof *s->argv);
    if (!s->argv) return false;
    s->argv[s->argc++] = s->program;
    json_array_foreach(given, i, one) {
        if (json_is_string(one)) s->argv[s->argc++] = strdup(json_string_value(one));
    }
    gpa_config_init(&config);
    config.host = (gpa_host){.user = s, .write = write_stream, .error = show_error, .visit = visit};
    config.argv = s->argv;
    config.argc = s->argc;
    if (gpa_session_new(&config, &s->adapter.session, &e) == GPA_OK) return true;
    snprintf(why, n, "%s: %s", gpa_err_name(e.code), e.msg);
    return false;
}

/* launch: {program, args, cwd, env, stopOnEntry, noDebug}. */
static bool launch(server *s, const json_t *arguments, char *why, size_t n) {
    const char *program = adapter_text(arguments, "program"), *cwd = adapter_text(arguments, "cwd");
    snprintf(why, n, "launch needs a program, once");
    if (!*program || s->program) return false;
    s->program = realpath(program, NULL);
    if (!s->program || access(s->program, R_OK)) {
        snprintf(why, n, "can't open file '%s': [Errno %d] %s", program, errno, strerror(errno));
        return false;
    }
    if (*cwd && chdir(cwd)) {
        snprintf(why, n, "[Errno %d] %s: '%s'", errno, strerror(errno), cwd);
        return false;
    }
    if (!start_session(s, arguments, why, n)) return false;
    s->adapter.started = true;
    if (json_is_true(json_object_get(arguments, "noDebug"))) return true;
    adapter_begin(&s->adapter);
    if (json_is_true(json_object_get(arguments, "stopOnEntry"))) {
        s->adapter.entering = true;
        gpa_debug_pause(s->adapter.session);
    }
    return true;
}

static json_t *respond(server *s, const json_t *asked) {
    const char *command = adapter_text(asked, "command");
    char why[PATH_MAX + 100];
    if (strcmp(command, "terminate") == 0) /* the reading thread has interrupted the program */
        return adapter_response(&s->adapter, asked, NULL, NULL);
    if (strcmp(command, "launch") != 0) return adapter_answer(&s->adapter, asked);
    bool done = launch(s, json_object_get(asked, "arguments"), why, sizeof why);
    if (done) adapter_event(&s->adapter, "initialized", NULL);
    return adapter_response(&s->adapter, asked, NULL, done ? NULL : why);
}

static void answer(server *s, const json_t *asked) {
    send_json(s, respond(s, asked));
    if (strcmp(adapter_text(asked, "command"), "disconnect") == 0) s->ended = true;
}

/* Answers the requests that have come. False: there were none. */
static bool answer_all(server *s) {
    request *r;
    bool any = false;
    while ((r = (request *)queue_take(&s->requests))) {
        answer(s, r->json);
        json_decref(r->json);
        free(r);
        any = true;
    }
    return any;
}

static void visit(void *user) {
    server *s = user;
    s->adapter.visiting = true;
    answer_all(s);
    s->adapter.visiting = false;
}

static void wait_for_request(server *s) {
    struct pollfd fd = {s->requests.fd, POLLIN, 0};
    if (!answer_all(s) && !atomic_load(&s->gone)) poll(&fd, 1, -1);
}

static gpa_code answer_until_resumed(void *user) {
    server *s = user;
    const bool visiting = s->adapter.visiting;
    s->adapter.visiting = false;
    while (!s->adapter.resumed && !atomic_load(&s->ending)) wait_for_request(s);
    s->adapter.visiting = visiting;
    return s->adapter.resumed && !atomic_load(&s->ending) ? GPA_OK : GPA_E_INTERRUPT;
}

/* ---- the program ---- */

static void run_program(server *s) {
    size_t n;
    int status = 0;
    char *text = adapter_file(s->program, &n);
    s->ran = true;
    gpa_session_ready(s->adapter.session);
    atomic_store(&s->running, true);
    if (atomic_load(&s->ending)) gpa_session_interrupt(s->adapter.session);
    gpa_session_visit(s->adapter.session); /* for a request that came before */
    gpa_code rc =
        text ? gpa_session_eval(s->adapter.session, s->program, text, n, GPA_EVAL_SCRIPT, &status)
             : GPA_E_OS;
    atomic_store(&s->running, false);
    free(text);
    fflush(NULL);
    capture_drain();
    if (rc && rc != GPA_E_EXIT) status = rc == GPA_E_INTERRUPT ? 130 : 1;
    adapter_event(&s->adapter, "exited", json_pack("{s:i}", "exitCode", status));
    adapter_event(&s->adapter, "terminated", NULL);
}

/* Keeps the editor's ends of standard input and output; both are the program's from now on. */
static bool open_streams(server *s) {
    int out = dup(STDOUT_FILENO);
    s->in = dup(STDIN_FILENO);
    s->out = out >= 0 ? fdopen(out, "w") : NULL;
    return s->in >= 0 && s->out && capture_start(put_output, s) >= 0;
}

int dap_main(void) {
    static server s;
    pthread_t reader;
    pthread_mutex_init(&s.lock, NULL);
    s.adapter = (adapter){.user = &s, .send = send_json, .wait = answer_until_resumed};
    adapter_init(&s.adapter);
    if (!queue_init(&s.requests) || !open_streams(&s) ||
        pthread_create(&reader, NULL, read_requests, &s))
        return perror("gpa: --dap"), 1;
    while (!s.ended) {
        bool gone = atomic_load(&s.gone);
        if (s.program && s.adapter.configured && !s.ran && !gone)
            run_program(&s);
        else
            wait_for_request(&s);
        if (gone) break;
    }
    if (s.adapter.session) gpa_session_end(s.adapter.session);
    capture_drain();
    fflush(s.out);
    _exit(0); /* the reading thread waits for the editor */
}
