/* Execution of cells (execute_request) and the messages they produce. Order of messages that
 * front ends see: busy, execute_input, output, execute_result or error, the reply, idle. All
 * output of a cell, also from child processes, is posted before its reply.
 *
 * Reading order: execute_cell, then its callees above it; the host callbacks come first. */
#include "kernel/execute.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

#include "kernel/json.h"
#include "kernel/capture.h"
#include "kernel/comm.h"
#include "kernel/debug.h"
#include "kernel/kernel.h"

static const json_t *member(const message *m, const char *name) {
    return json_object_get(m->content, name);
}

/* ---- host callbacks of the session ---- */

static void write_stream(void *user, gpa_stream s, const char *text, size_t n) {
    kernel *k = user;
    capture_drain(); /* output captured earlier is posted first */
    if (!k->cell.silent)
        iopub_stream(k->iopub, s == GPA_STDERR ? "stderr" : "stdout", k->cell.request, text, n);
}

static void show_result(void *user, int count, const gpa_repr *r, size_t n) {
    kernel *k = user;
    json_decref(k->cell.data);
    k->cell.data = bundle_json(r, n);
    capture_drain();
    if (!k->cell.silent && !k->cell.aside)
        iopub_post_take(k->iopub, "execute_result", k->cell.request,
                        json_pack("{s:i, s:O, s:o}", "execution_count", count, "data", k->cell.data,
                                  "metadata", bundle_meta(r, n)));
}

static void show_display(void *user, const gpa_repr *r, size_t n, const char *id, bool update) {
    kernel *k = user;
    json_t *transient = json_object();
    if (id) json_object_set_new(transient, "display_id", text_json(id, strlen(id)));
    capture_drain();
    if (k->cell.silent)
        json_decref(transient);
    else
        iopub_post_take(k->iopub, update ? "update_display_data" : "display_data", k->cell.request,
                        json_pack("{s:o, s:o, s:o}", "data", bundle_json(r, n), "metadata",
                                  bundle_meta(r, n), "transient", transient));
}

static void show_page(void *user, const gpa_repr *r, size_t n) {
    kernel *k = user;
    if (!k->cell.payload) k->cell.payload = json_array();
    json_array_append_new(k->cell.payload, json_pack("{s:s, s:o, s:i}", "source", "page", "data",
                                                     bundle_json(r, n), "start", 0));
}

static void next_input(void *user, const char *text, size_t n, bool replace) {
    kernel *k = user;
    if (!k->cell.payload) k->cell.payload = json_array();
    json_array_append_new(k->cell.payload,
                          json_pack("{s:s, s:o, s:b}", "source", "set_next_input", "text",
                                    text_json(text, n), "replace", replace));
}

static void clear_output(void *user, bool wait) {
    kernel *k = user;
    capture_drain();
    if (!k->cell.silent)
        iopub_post_take(k->iopub, "clear_output", k->cell.request,
                        json_pack("{s:b}", "wait", wait));
}

static void show_error(void *user, const gpa_diag *d) {
    kernel *k = user;
    json_decref(k->cell.error);
    k->cell.error = bundle_error(d);
    capture_drain();
    if (!k->cell.silent && !k->cell.aside)
        iopub_post_take(k->iopub, "error", k->cell.request, json_incref(k->cell.error));
}

/* The header of the request that outputs now have as their parent. */
static const char *request_header(void *user) {
    const kernel *k = user;
    return k->cell.header ? k->cell.header : "";
}

bool execute_waits(kernel *k) {
    return atomic_load(&k->n_interrupts) == k->cell.n_interrupts && !atomic_load(&k->quitting);
}

/* A message from the stdin socket, or NULL after `wait` milliseconds. */
static message *take_input(kernel *k, int wait) {
    zmq_pollitem_t polled = {k->input, 0, ZMQ_POLLIN, 0};
    message *m = NULL;
    const char *why;
    zmq_poll(&polled, 1, wait);
    wire_receive(&k->wire, k->input, &m, &why);
    return m;
}

/* Sends an input_request. The front end may still be connecting, so that the socket does not
 * know its identity yet: sending is retried for about two seconds. */
static bool ask(kernel *k, const char *prompt, bool hidden) {
    json_t *content =
        json_pack("{s:o, s:b}", "prompt", text_json(prompt, strlen(prompt)), "password", hidden);
    char *text = content ? json_dumps(content, JSON_COMPACT) : NULL;
    const message *m = k->cell.request;
    bool sent = false;
    for (int i = 0; text && !sent && execute_waits(k) && i < 100; i++) {
        if (i) message_release(take_input(k, 20));
        sent = wire_send(&k->wire, k->input,
                         &(letter){.type = "input_request",
                                   .prefix = m->ids,
                                   .n_prefix = m->n_ids,
                                   .parent = m->header,
                                   .content = {text, strlen(text)}});
    }
    free(text);
    json_decref(content);
    return sent;
}

static message *await_answer(kernel *k) {
    while (execute_waits(k)) {
        message *m = take_input(k, 50);
        if (m && strcmp(m->type, "input_reply") == 0) return m;
        message_release(m);
    }
    return NULL;
}

static gpa_code read_line(void *user, const char *prompt, bool hidden, char *line, size_t n) {
    kernel *k = user;
    message *m;
    const char *why;
    if (!k->cell.may_ask || k->cell.silent) return GPA_E_UNSUPPORTED;
    while (wire_receive(&k->wire, k->input, &m, &why))
        message_release(m); /* discard replies to earlier input requests */
    capture_drain();
    if (!ask(k, prompt, hidden)) return execute_waits(k) ? GPA_E_EOF : GPA_E_INTERRUPT;
    m = await_answer(k);
    if (!m) return GPA_E_INTERRUPT;
    const json_t *value = member(m, "value");
    snprintf(line, n, "%s", json_is_string(value) ? json_string_value(value) : "");
    message_release(m);
    return strcmp(line, "\x04") == 0 ? GPA_E_EOF : GPA_OK;
}

void execute_host(kernel *k, gpa_host *host) {
    *host = (gpa_host){.user = k,
                       .write = write_stream,
                       .result = show_result,
                       .error = show_error,
                       .display = show_display,
                       .clear = clear_output,
                       .page = show_page,
                       .next_input = next_input,
                       .input = read_line,
                       .comm = comm_send,
                       .request = request_header,
                       .visit = debug_visit,
                       .pretty = true};
}

void execute_captured(void *user, const char *name, const char *text, size_t n) {
    kernel *k = user;
    pthread_mutex_lock(&k->lock);
    if (!k->muted) iopub_stream(k->iopub, name, k->parent, text, n);
    pthread_mutex_unlock(&k->lock);
}

/* ---- evaluation ---- */

void execute_begin(kernel *k, message *m) {
    capture_drain(); /* late output belongs to the previous cell */
    k->cell = (cell){.request = m,
                     .silent = json_is_true(member(m, "silent")),
                     .may_ask = json_is_true(member(m, "allow_stdin"))};
    k->cell.n_interrupts = atomic_load(&k->n_interrupts);
    k->cell.header = strndup(m->header.data, m->header.n);
    pthread_mutex_lock(&k->lock);
    message_release(k->parent);
    k->parent = message_retain(m);
    k->muted = k->cell.silent;
    pthread_mutex_unlock(&k->lock);
}

void execute_end(kernel *k) {
    json_decref(k->cell.data);
    json_decref(k->cell.error);
    json_decref(k->cell.payload);
    free(k->cell.header);
    k->cell = (cell){.request = NULL};
}

gpa_code execute_call(kernel *k, gpa_code (*call)(kernel *k, void *user), void *user) {
    gpa_session_ready(k->session);
    atomic_store(&k->running, true);
    if (!execute_waits(k))
        gpa_session_interrupt(k->session); /* the interrupt came before `running` was set, so
                                              kernel_interrupt did not forward it */
    gpa_session_visit(k->session);         /* for a request that came before */
    gpa_code rc = call(k, user);
    atomic_store(&k->running, false);
    fflush(NULL);
    capture_drain();
    return rc;
}

typedef struct {
    const char *code;
    size_t n;
    int flags;
} evaluation;

static gpa_code evaluate(kernel *k, void *user) {
    const evaluation *e = user;
    int status;
    return gpa_session_eval(k->session, NULL, e->code, e->n, e->flags, &status);
}

static gpa_code eval(kernel *k, const char *code, size_t n, int flags) {
    return execute_call(k, evaluate, &(evaluation){code, n, flags});
}

/* {"status": "ok", "data", "metadata"} or {"status": "error", "ename", ...} for each expression. */
static json_t *user_expressions(kernel *k) {
    json_t *asked = json_object_get(k->cell.request->content, "user_expressions"),
           *answers = json_object(), *expression;
    const char *name;
    k->cell.aside = true;
    json_object_foreach(asked, name, expression) {
        json_t *answer;
        json_decref(k->cell.data);
        k->cell.data = NULL;
        if (!json_is_string(expression)) continue;
        if (eval(k, json_string_value(expression), json_string_length(expression),
                 GPA_EVAL_UNCOUNTED)) {
            answer = k->cell.error ? json_copy(k->cell.error) : json_object();
            json_object_set_new(answer, "status", json_string("error"));
        } else {
            answer =
                json_pack("{s:s, s:o, s:{}}", "status", "ok", "data",
                          k->cell.data ? json_incref(k->cell.data) : json_object(), "metadata");
        }
        json_object_set_new(answers, name, answer);
    }
    return answers;
}

static void mark_aborted(queue_link *item, void *user) {
    (void)user;
    message *m = (message *)item;
    if (strcmp(m->type, "execute_request") == 0) m->aborted = true;
}

/* Aborts the cells that are already queued after a failed one; later requests run. */
static void abort_waiting(kernel *k) {
    channel_settle(&k->shell);
    queue_each(&k->todo, mark_aborted, NULL);
}

static json_t *reply(kernel *k, gpa_code rc, int count) {
    if (rc && rc != GPA_E_EXIT) {
        json_t *content = k->cell.error ? json_copy(k->cell.error) : json_object();
        json_object_set_new(content, "status", json_string("error"));
        json_object_set_new(content, "execution_count", json_integer(count));
        return content;
    }
    json_t *payload = rc ? json_pack("[{s:s, s:b}]", "source", "ask_exit", "keepkernel", 0)
                      : k->cell.payload ? json_incref(k->cell.payload)
                                        : json_array();
    json_t *values = rc ? json_object() : user_expressions(k);
    return json_pack("{s:s, s:i, s:o, s:o}", "status", "ok", "execution_count", count,
                     "user_expressions", values, "payload", payload);
}

static bool blank(const char *code, size_t n) { return strspn(code, " \t\r\n") == n; }

/* `exit` and `quit` without parentheses are calls, as at the prompt. */
static bool leaves(const char *code, size_t n) {
    static const char *const words[] = {"exit", "quit"};
    for (size_t i = 0; i < 2; i++)
        if (n >= 4 && memcmp(code, words[i], 4) == 0 && blank(code + 4, n - 4)) return true;
    return false;
}

json_t *execute_cell(kernel *k, message *m) {
    const json_t *code = member(m, "code"), *stop = member(m, "stop_on_error");
    if (!json_is_string(code)) return NULL;
    const char *text = json_string_value(code);
    size_t n = json_string_length(code);
    int count = gpa_session_count(k->session);
    if (m->aborted)
        return json_pack("{s:s}", "status",
                         "aborted"); /* the cell did not run and gets no execution count */
    execute_begin(k, m);
    bool counted = !k->cell.silent && !json_is_false(member(m, "store_history"));
    if (!k->cell.silent)
        iopub_post_take(k->iopub, "execute_input", m,
                        json_pack("{s:O, s:i}", "code", code, "execution_count", count));
    gpa_code rc = blank(text, n)    ? GPA_OK
                  : leaves(text, n) ? GPA_E_EXIT
                                    : eval(k, text, n,
                                           k->cell.silent ? GPA_EVAL_SILENT
                                           : counted      ? 0
                                                          : GPA_EVAL_UNCOUNTED);
    if (!counted || blank(text, n)) count--; /* the count of the last counted cell */
    if (rc && !k->cell.silent && !json_is_false(stop)) abort_waiting(k);
    json_t *content = reply(k, rc, count);
    execute_end(k);
    return content;
}
