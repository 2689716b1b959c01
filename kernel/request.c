/* Request dispatch of the Jupyter protocol: one row per message type, one handler per row.
 * Handlers that use the session run on the thread that owns it. */
#include "kernel/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "kernel/comm.h"
#include "kernel/debug.h"
#include "kernel/kernel.h"
#include "kernel/json.h"

/* ---- dispatch ---- */

typedef enum {
    IMMEDIATE,  /* on the thread that received it */
    QUEUED,     /* on the thread that owns the session, after what was received before */
    INTERLEAVED /* on that thread; if a cell runs, between two of its statements */
} request_dispatch;
enum { SHELL = 1, CONTROL = 2 }; /* the channels that accept it */

typedef struct {
    const char *type, *reply;
    int channels;
    request_dispatch dispatch;
    request_handler *handle;
} row;

static const row rows[] = {
#define REQUEST(type, reply, channels, dispatch, handle) {#type, reply, channels, dispatch, handle},
#include "kernel/requests.def"
#undef REQUEST
};

static const row *find(const kernel *k, const message *m) {
    int from = m->from == &k->control ? CONTROL : SHELL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].type, m->type) == 0) return rows[i].channels & from ? &rows[i] : NULL;
    return NULL;
}

void request_arrived(kernel *k, message *m) {
    const row *r = find(k, m);
    if (r && r->handle == answer_comm) comm_coalesce(&k->todo, m);
    if (!r || r->dispatch == IMMEDIATE) {
        request_handle(k, m);
    } else if (r->dispatch == INTERLEAVED) {
        queue_put(&k->soon, &m->link);
        if (atomic_load(&k->running)) gpa_session_visit(k->session);
    } else {
        queue_put(&k->todo, &m->link);
    }
}

void request_handle(kernel *k, message *m) {
    const row *r = find(k, m);
    iopub_status(k->iopub, m, "busy");
    if (!r) kernel_log(k, "a message of a type that is not known here: %s", m->type);
    json_t *content = r ? r->handle(k, m) : NULL;
    if (content) channel_answer_take(m, r->reply, content);
    iopub_status(k->iopub, m, "idle");
    message_release(m);
}

/* ---- handlers ---- */

/* One handler per request, in the order of REQUESTS. The protocol counts code points, the
 * session bytes: json.h converts. */

/* The request's code, "" when there is none. */
static const char *code_of(const message *m, size_t *n) {
    const json_t *code = json_object_get(m->content, "code");
    *n = json_string_length(code);
    return json_is_string(code) ? json_string_value(code) : "";
}

/* Byte offset of the request's cursor; the end of the code when there is none. */
static size_t cursor_of(const message *m, const char *code, size_t n) {
    const json_t *cursor = json_object_get(m->content, "cursor_pos");
    return json_is_integer(cursor) ? text_byte_at(code, n, json_integer_value(cursor)) : n;
}

json_t *answer_info(kernel *k, message *m) {
    (void)k, (void)m;
    json_t *mode = json_pack("{s:s, s:i}", "name", "ipython", "version", 3);
    /* The language is Python to front ends: highlighting in VS Code, parameters of papermill. */
    json_t *language =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:s}", "name", "python", "version", GPA_VERSION,
                  "mimetype", "text/x-python", "file_extension", ".gpa", "pygments_lexer",
                  "python3", "codemirror_mode", mode, "nbconvert_exporter", "script");
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:s, s:[{s:s, s:s}], s:[s], s:b}", "status", "ok",
        "protocol_version", "5.5", "implementation", "gpa", "implementation_version", GPA_VERSION,
        "language_info", language, "banner",
        "gpa " GPA_VERSION
        ": arrays with Python's syntax and NumPy's meaning, fused and run where they are fastest",
        "help_links", "text", "NumPy reference", "url", "https://numpy.org/doc/stable/reference/",
        "supported_features", "debugger", "debugger", 1);
}

/* ---- completion ---- */

typedef struct {
    const char *code;
    size_t n;
    json_t *matches, *types, *seen;
    json_int_t start, end;
} offers;

static void add_offer(void *user, const gpa_completion *c) {
    offers *o = user;
    if (json_object_get(o->seen, c->text)) return;
    json_object_set_new(o->seen, c->text, json_true());
    o->start = text_point_at(o->code, o->n, c->start);
    o->end = text_point_at(o->code, o->n, c->end);
    json_array_append_new(o->matches, text_json(c->text, strlen(c->text)));
    const char *more = *c->signature                                  ? c->signature
                       : *c->type && strcmp(c->kind, "instance") == 0 ? c->type
                                                                      : "";
    json_array_append_new(
        o->types, json_pack("{s:o, s:I, s:I, s:s, s:o}", "text",
                            text_json(c->text, strlen(c->text)), "start", o->start, "end", o->end,
                            "type", c->kind, "signature", text_json(more, strlen(more))));
}

json_t *answer_complete(kernel *k, message *m) {
    size_t n;
    const char *code = code_of(m, &n);
    size_t cursor = cursor_of(m, code, n);
    json_int_t here = text_point_at(code, n, cursor);
    offers o = {code, n, json_array(), json_array(), json_object(), here, here};
    gpa_session_complete(k->session, code, n, cursor, add_offer, &o);
    json_decref(o.seen);
    return json_pack("{s:s, s:o, s:I, s:I, s:{s:o}}", "status", "ok", "matches", o.matches,
                     "cursor_start", o.start, "cursor_end", o.end, "metadata",
                     "_jupyter_types_experimental", o.types);
}

/* ---- inspection ---- */

static void add_repr(void *user, const gpa_repr *r) {
    json_t *one = bundle_json(r, 1);
    json_object_update(user, one);
    json_decref(one);
}

json_t *answer_inspect(kernel *k, message *m) {
    size_t n;
    const char *code = code_of(m, &n);
    size_t cursor = cursor_of(m, code, n);
    json_t *data = json_object();
    bool source = json_integer_value(json_object_get(m->content, "detail_level")) > 0;
    int level = k->adapter.visiting ? -1 : source; /* while a cell runs nothing is computed */
    bool found = data && gpa_session_inspect(k->session, &(gpa_inspection){code, n, cursor, level},
                                             add_repr, data) == GPA_OK;
    return json_pack("{s:s, s:b, s:o, s:{}}", "status", "ok", "found", found, "data", data,
                     "metadata");
}

/* As ipykernel: a blank last line ends a block, where the session, as a prompt, wants an empty line
 * more; not the body of a cell magic. */
static bool ends_block(kernel *k, const char *code, size_t n) {
    size_t last = n, columns = strspn(code, " \t\r\n");
    while (last && code[last - 1] != '\n') last--;
    bool blank = last && strspn(code + last, " \t") == n - last;
    if (!blank || code[columns] == '%' || (last > 1 && code[last - 2] == '\\')) return false;
    char *longer = malloc(n + 2);
    if (!longer) return false;
    memcpy(longer, code, n);
    strcpy(longer + n, "\n");
    bool complete = gpa_session_check(k->session, longer, n + 1, NULL) == GPA_SRC_COMPLETE;
    free(longer);
    return complete;
}

/* The session guarantees that is_complete uses only the parser, so any thread may call it. */
json_t *answer_is_complete(kernel *k, message *m) {
    size_t n;
    int columns = 0;
    const char *code = code_of(m, &n), *state = "unknown";
    switch (gpa_session_check(k->session, code, n, &columns)) {
        case GPA_SRC_COMPLETE: state = "complete"; break;
        case GPA_SRC_INVALID: state = "invalid"; break;
        case GPA_SRC_INCOMPLETE:
            if (ends_block(k, code, n)) return json_pack("{s:s}", "status", "complete");
            return json_pack("{s:s, s:o}", "status", "incomplete", "indent",
                             json_sprintf("%*s", columns, ""));
    }
    return json_pack("{s:s}", "status", state);
}

/* ---- history ---- */

typedef struct {
    json_t *rows;
    bool output;
} history_rows;

static void add_row(void *user, const gpa_entry *e) {
    history_rows *to = user;
    json_t *input = text_json(e->input, strlen(e->input));
    if (to->output)
        input = json_pack("[o, o]", input,
                          e->output ? text_json(e->output, strlen(e->output)) : json_null());
    json_array_append_new(to->rows, json_pack("[i, i, o]", e->session, e->line, input));
}

static int number(const message *m, const char *name) {
    return (int)json_integer_value(json_object_get(m->content, name));
}

json_t *answer_history(kernel *k, message *m) {
    const char *kind = json_string_value(json_object_get(m->content, "hist_access_type"));
    history_rows to = {json_array(), json_is_true(json_object_get(m->content, "output"))};
    gpa_history_query q = {.kind = !kind || strcmp(kind, "tail") == 0 ? GPA_HISTORY_TAIL
                                   : strcmp(kind, "range") == 0       ? GPA_HISTORY_RANGE
                                                                      : GPA_HISTORY_SEARCH,
                           .n = number(m, "n"),
                           .session = number(m, "session"),
                           .start = number(m, "start"),
                           .stop = number(m, "stop"),
                           .pattern = json_string_value(json_object_get(m->content, "pattern")),
                           .unique = json_is_true(json_object_get(m->content, "unique"))};
    gpa_session_history(k->session, &q, add_row, &to);
    return json_pack("{s:s, s:o}", "status", "ok", "history", to.rows);
}

/* ---- the process ---- */

json_t *answer_connect(kernel *k, message *m) {
    (void)m;
    return json_pack("{s:s, s:i, s:i, s:i, s:i, s:i}", "status", "ok", "shell_port",
                     atoi(k->at.ports[PORT_SHELL]), "iopub_port", atoi(k->at.ports[PORT_IOPUB]),
                     "stdin_port", atoi(k->at.ports[PORT_STDIN]), "hb_port",
                     atoi(k->at.ports[PORT_HB]), "control_port", atoi(k->at.ports[PORT_CONTROL]));
}

json_t *answer_interrupt(kernel *k, message *m) {
    (void)m;
    kernel_interrupt(k);
    return json_pack("{s:s}", "status", "ok");
}

json_t *answer_shutdown(kernel *k, message *m) {
    json_t *content = json_pack("{s:s, s:b}", "status", "ok", "restart",
                                json_is_true(json_object_get(m->content, "restart")));
    iopub_post_take(k->iopub, "shutdown_reply", m, json_incref(content));
    kernel_quit(k);
    return content;
}

/* Resource usage of the kernel for a front end's meter: average CPU percent since the start, and
 * memory in bytes. */
json_t *answer_usage(kernel *k, message *m) {
    (void)m;
    char host[256] = "";
    struct sysinfo system = {.mem_unit = 1};
    struct timespec now, used;
    long pages = 0;
    gethostname(host, sizeof host - 1);
    sysinfo(&system);
    clock_gettime(CLOCK_MONOTONIC, &now);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    FILE *f = fopen("/proc/self/statm", "re");
    if (f && fscanf(f, "%*s %ld", &pages) != 1) pages = 0;
    if (f) fclose(f);
    double wall =
        (double)(now.tv_sec - k->began.tv_sec) + (double)(now.tv_nsec - k->began.tv_nsec) * 1e-9;
    double cpu = (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
    json_int_t total = (json_int_t)system.totalram * system.mem_unit,
               rest = (json_int_t)system.freeram * system.mem_unit;
    return json_pack("{s:s, s:s, s:i, s:f, s:I, s:i, s:{s:I, s:I, s:f}}", "status", "ok",
                     "hostname", host, "pid", (int)getpid(), "kernel_cpu",
                     wall > 0 ? 100 * cpu / wall : 0.0, "kernel_memory",
                     (json_int_t)pages * sysconf(_SC_PAGESIZE), "cpu_count", get_nprocs(),
                     "host_virtual_memory", "total", total, "free", rest, "percent",
                     total ? 100 - 100 * (double)rest / (double)total : 0.0);
}
