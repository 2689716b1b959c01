/* Debug Adapter Protocol: dispatch, sources, breakpoints, stops. Frames and variables are in
 * adapter_variables.c. */
#include "kernel/adapter.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/json.h"

static const char suffix[] = ".gpa";
enum { HASH_SEED = 0x6770 };

/* ---- dispatch ---- */

typedef enum { ALWAYS, STARTED, STOPPED, QUIET } moment;

static const struct {
    const char *command;
    moment when;
    adapter_handler *handle;
} rows[] = {
#define REQUEST(command, when, handle) {#command, when, handle},
#include "kernel/adapter_requests.def"
#undef REQUEST
};

const char *adapter_text(const json_t *arguments, const char *name) {
    const char *text = json_string_value(json_object_get(arguments, name));
    return text ? text : "";
}

json_int_t adapter_number(const json_t *arguments, const char *name, json_int_t otherwise) {
    const json_t *n = json_object_get(arguments, name);
    return json_is_integer(n) ? json_integer_value(n) : otherwise;
}

/* Why a request is refused now; NULL: it is not. */
static const char *refusal(const adapter *a, size_t row) {
    if (!a->session && rows[row].handle != adapter_initialize &&
        rows[row].handle != adapter_disconnect)
        return "no program was launched";
    switch (rows[row].when) {
        case ALWAYS: return NULL;
        case STARTED: return a->started ? NULL : "the debugger has not started";
        case STOPPED: return a->stop ? NULL : "execution has not stopped";
        case QUIET: return a->stop || !a->visiting ? NULL : "execution has not stopped";
    }
    return NULL;
}

json_t *adapter_response(adapter *a, const json_t *request, json_t *body, const char *why) {
    json_t *response = json_pack(
        "{s:s, s:I, s:I, s:s, s:b, s:o}", "type", "response", "seq", (json_int_t)++a->seq,
        "request_seq", adapter_number(request, "seq", 0), "command",
        adapter_text(request, "command"), "success", !why, "body", body ? body : json_object());
    if (why) json_object_set_new(response, "message", text_json(why, strlen(why)));
    return response;
}

json_t *adapter_answer(adapter *a, const json_t *request) {
    const char *command = adapter_text(request, "command"), *why = "this request is not supported";
    json_t *body = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].command, command) != 0) continue;
        why = refusal(a, i);
        if (why) break;
        bool done = rows[i].handle(a, json_object_get(request, "arguments"), &body, &why);
        why = done ? NULL : why ? why : "the request failed";
        break;
    }
    return adapter_response(a, request, body, why);
}

void adapter_event(adapter *a, const char *event, json_t *body) {
    a->send(a->user, json_pack("{s:s, s:I, s:s, s:o}", "type", "event", "seq", (json_int_t)++a->seq,
                               "event", event, "body", body ? body : json_object()));
}

/* ---- sources ---- */

/* MurmurHash2 (A. Appleby) of a text, as notebooks compute it. */
static uint32_t murmur2(const char *text, size_t n, uint32_t seed) {
    const uint32_t m = 0x5bd1e995;
    const unsigned char *p = (const unsigned char *)text;
    uint32_t h = seed ^ (uint32_t)n;
    for (; n >= 4; n -= 4, p += 4) {
        uint32_t k = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        k *= m;
        k ^= k >> 24;
        h = h * m ^ k * m;
    }
    for (size_t i = n; i-- > 0;) h ^= (uint32_t)p[i] << (8 * i);
    if (n) h *= m;
    h = (h ^ h >> 13) * m;
    return h ^ h >> 15;
}

static void cell_path(const adapter *a, const char *text, size_t len, char *path, size_t n) {
    snprintf(path, n, "%s%u%s", a->prefix, murmur2(text, len, HASH_SEED), suffix);
}

/* The path of a file by any of its names. */
static void file_path(const char *name, char *path, size_t n) {
    char *whole = realpath(name, NULL);
    snprintf(path, n, "%s", whole ? whole : name);
    free(whole);
}

void adapter_path(const adapter *a, const gpa_source *s, char *path, size_t n) {
    if (s->cell)
        cell_path(a, s->text, s->n, path, n);
    else
        file_path(s->name, path, n);
}

bool adapter_dump(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    const json_t *code = json_object_get(arguments, "code");
    char path[PATH_MAX];
    *why = "there is no code";
    if (!json_is_string(code)) return false;
    cell_path(a, json_string_value(code), json_string_length(code), path, sizeof path);
    json_object_set(a->cells, path, (json_t *)(uintptr_t)code);
    *body = json_pack("{s:s}", "sourcePath", path);
    return true;
}

typedef struct {
    const adapter *a;
    const char *path;
    json_t *text;
} search;

static void match_source(void *user, const gpa_source *s) {
    search *x = user;
    char path[PATH_MAX];
    if (x->text || !s->cell) return;
    adapter_path(x->a, s, path, sizeof path);
    if (strcmp(path, x->path) == 0) x->text = text_json(s->text, s->n);
}

char *adapter_file(const char *path, size_t *n) {
    FILE *f = fopen(path, "re");
    char *text = NULL;
    FILE *to = f ? open_memstream(&text, n) : NULL;
    for (int c; to && (c = getc(f)) != EOF;) putc(c, to);
    if (to) fclose(to);
    if (f) fclose(f);
    return text;
}

/* The text of a source by its path: a cell, or the file as it is now. NULL: there is none. */
static json_t *read_source(const adapter *a, const char *path) {
    search x = {a, path, json_incref(json_object_get(a->cells, path))};
    size_t n;
    if (!x.text) gpa_debug_sources(a->session, match_source, &x);
    char *text = x.text ? NULL : adapter_file(path, &n);
    if (text) x.text = text_json(text, n);
    free(text);
    return x.text;
}

bool adapter_source(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    json_t *text = read_source(a, adapter_text(json_object_get(arguments, "source"), "path"));
    *why = "source unavailable";
    if (!text) return false;
    *body = json_pack("{s:o, s:s}", "content", text, "mimeType", "text/x-python");
    return true;
}

static void list_file(void *user, const gpa_source *s) {
    char path[PATH_MAX];
    if (s->cell || access(s->name, R_OK)) return;
    adapter_path(NULL, s, path, sizeof path);
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    json_array_append_new(
        user, json_pack("{s:I, s:s, s:s}", "id", (json_int_t)s->id, "name", name, "path", path));
}

bool adapter_modules(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    json_t *files = json_array();
    (void)arguments, (void)why;
    gpa_debug_sources(a->session, list_file, files);
    *body = json_pack("{s:o, s:i}", "modules", files, "totalModules", (int)json_array_size(files));
    return true;
}

/* ---- breakpoints ---- */

typedef struct {
    const adapter *a;
    const char *path; /* of the sources that are meant; NULL: of all */
    bool set;
} setting;

/* Sets or removes the breakpoints of a source. */
static void set_breakpoints(void *user, const gpa_source *s) {
    const setting *x = user;
    char path[PATH_MAX];
    size_t i;
    json_t *point;
    adapter_path(x->a, s, path, sizeof path);
    if (x->path && strcmp(path, x->path) != 0) return;
    json_array_foreach(json_object_get(x->a->breakpoints, path), i, point) {
        gpa_debug_break(x->a->session, s->id, (int)adapter_number(point, "line", 0), x->set);
    }
}

static void on_source(void *user, const gpa_source *s) {
    set_breakpoints(&(setting){user, NULL, true}, s);
}

typedef enum { NO_STATEMENT, STATEMENT, COMPILED_STATEMENT } line_kind;

typedef struct {
    line_kind *kinds; /* what begins on each line, from 1 */
    int n;
} lines;

static void add_line(void *user, int line, bool stops) {
    lines *l = user;
    if (line > 0 && line <= l->n) l->kinds[line] = stops ? STATEMENT : COMPILED_STATEMENT;
}

/* The lines at which execution can stop. n 0: the text is no program. */
static lines find_lines(adapter *a, const char *text, size_t n) {
    lines l = {NULL, 1};
    for (size_t i = 0; i < n; i++) l.n += text[i] == '\n';
    l.kinds = calloc((size_t)l.n + 1, sizeof *l.kinds);
    if (!l.kinds || gpa_debug_lines(a->session, text, n, add_line, &l)) l.n = 0;
    return l;
}

/* A requested breakpoint, moved to the next line with a statement; line 0 if there is none, or
 * execution cannot stop there: *why. */
static json_t *move_to_code(const lines *l, const json_t *requested, const char **why) {
    json_int_t line = adapter_number(requested, "line", 0), at = line;
    while (at > 0 && at <= l->n && l->kinds[at] == NO_STATEMENT) at++;
    bool past = l->n && at > l->n,
         compiled = !past && at > 0 && l->n && l->kinds[at] == COMPILED_STATEMENT;
    *why = past       ? "no statement begins here or below"
           : compiled ? "kernels and ufuncs run compiled: execution does not stop in them"
                      : NULL;
    if (*why) at = 0;
    json_t *point = json_pack("{s:I}", "line", at);
    static const char *const texts[] = {"condition", "logMessage"};
    for (size_t i = 0; i < 2; i++)
        if (*adapter_text(requested, texts[i]))
            json_object_set(point, texts[i], json_object_get(requested, texts[i]));
    return point;
}

bool adapter_break(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    const char *given = adapter_text(json_object_get(arguments, "source"), "path");
    char path[PATH_MAX];
    json_t *points = json_array(), *answers = json_array(), *requested;
    setting s = {a, path, false};
    size_t i;
    (void)why;
    file_path(given, path, sizeof path);
    json_t *text = read_source(a, path);
    lines l =
        text ? find_lines(a, json_string_value(text), json_string_length(text)) : (lines){NULL, 0};
    gpa_debug_sources(a->session, set_breakpoints, &s);
    json_array_foreach(json_object_get(arguments, "breakpoints"), i, requested) {
        const char *reason;
        json_t *point = move_to_code(&l, requested, &reason);
        json_int_t line = adapter_number(point, "line", 0);
        json_t *one =
            json_pack("{s:b, s:I, s:{s:s}}", "verified", line > 0, "line",
                      line ? line : adapter_number(requested, "line", 0), "source", "path", given);
        if (reason) json_object_set_new(one, "message", json_string(reason));
        json_array_append_new(answers, one);
        if (line)
            json_array_append_new(points, point);
        else
            json_decref(point);
    }
    json_object_set_new(a->breakpoints, path, points);
    s.set = true;
    gpa_debug_sources(a->session, set_breakpoints, &s);
    *body = json_pack("{s:o}", "breakpoints", answers);
    free(l.kinds);
    json_decref(text);
    return true;
}

bool adapter_errors(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    gpa_debug_errors which = GPA_ERRORS_NONE;
    size_t i;
    json_t *filter;
    (void)body, (void)why;
    json_array_foreach(json_object_get(arguments, "filters"), i, filter) {
        const char *name = json_string_value(filter);
        if (name && strcmp(name, "raised") == 0) which = GPA_ERRORS_RAISED;
        if (name && strcmp(name, "uncaught") == 0 && !which) which = GPA_ERRORS_UNCAUGHT;
    }
    gpa_debug_stop_on_errors(a->session, which);
    return true;
}

/* ---- stops ---- */

/* The breakpoint at the innermost frame's line; NULL: none. */
static const json_t *breakpoint_here(const adapter *a, const gpa_debug_frame *f) {
    char path[PATH_MAX];
    size_t i;
    json_t *point;
    adapter_path(a, &f->source, path, sizeof path);
    json_array_foreach(json_object_get(a->breakpoints, path), i, point) {
        if (adapter_number(point, "line", 0) == f->line) return point;
    }
    return NULL;
}

static void add_value(void *user, const gpa_variable *v) {
    json_object_set_new(user, "text", text_json(v->text, strlen(v->text)));
}

/* The message of a log point, with the values of {expressions}. */
static void log_message(adapter *a, const char *message) {
    json_t *value = json_object(), *all;
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    for (const char *at = message, *end; f && *at; at = end) {
        end = at + strcspn(at, "{");
        fwrite(at, 1, (size_t)(end - at), f);
        size_t inside = *end ? strcspn(end, "}") : 0;
        if (!inside) break;
        char *expression = strndup(end + 1, inside - 1);
        const char *error = "";
        json_object_clear(value);
        bool bad =
            expression && gpa_debug_evaluate(a->session, &(gpa_evaluation){0, expression, true},
                                             add_value, value, &error);
        fputs(bad ? error : adapter_text(value, "text"), f);
        free(expression);
        end += inside + (end[inside] == '}');
    }
    if (f) fputc('\n', f), fclose(f);
    all =
        text ? json_pack("{s:s, s:o}", "category", "console", "output", text_json(text, n)) : NULL;
    adapter_event(a, "output", all);
    free(text);
    json_decref(value);
}

/* True if a breakpoint does not stop: its condition is false, or it only logs. */
static bool passes(adapter *a) {
    gpa_debug_frame f;
    const json_t *point = gpa_debug_frame_at(a->session, 0, &f) ? breakpoint_here(a, &f) : NULL;
    const char *condition = adapter_text(point, "condition"),
               *message = adapter_text(point, "logMessage");
    if (*condition && !gpa_debug_condition(a->session, condition)) return true;
    if (*message) log_message(a, message);
    return *message;
}

static gpa_code on_stop(void *user, const gpa_stop *stop) {
    static const char *const reasons[] = {[GPA_STOP_CALL] = "breakpoint",
                                          [GPA_STOP_BREAKPOINT] = "breakpoint",
                                          [GPA_STOP_STEP] = "step",
                                          [GPA_STOP_PAUSE] = "pause",
                                          [GPA_STOP_ERROR] = "exception"};
    adapter *a = user;
    if (stop->why == GPA_STOP_BREAKPOINT && passes(a)) return GPA_OK;
    a->stop = stop;
    a->resumed = false;
    const char *reason = a->entering ? "entry" : reasons[stop->why];
    a->entering = false;
    json_t *body =
        json_pack("{s:s, s:i, s:b}", "reason", reason, "threadId", 1, "allThreadsStopped", 1);
    if (*stop->error) {
        json_object_set_new(body, "description", json_string(stop->error));
        json_object_set_new(body, "text", text_json(stop->text, strlen(stop->text)));
    }
    adapter_event(a, "stopped", body);
    gpa_code rc = a->wait(a->user);
    a->stop = NULL;
    adapter_event(a, "continued", json_pack("{s:i, s:b}", "threadId", 1, "allThreadsContinued", 1));
    return rc;
}

static bool resume(adapter *a, gpa_resumption how, json_t **body) {
    gpa_debug_resume(a->session, how);
    a->resumed = true;
    *body = json_pack("{s:b}", "allThreadsContinued", 1);
    return true;
}

bool adapter_continue(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    (void)arguments, (void)why;
    return resume(a, GPA_CONTINUE, body);
}

bool adapter_next(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    (void)arguments, (void)why;
    return resume(a, GPA_NEXT, body);
}

bool adapter_step_in(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    (void)arguments, (void)why;
    return resume(a, GPA_STEP_IN, body);
}

bool adapter_step_out(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    (void)arguments, (void)why;
    return resume(a, GPA_STEP_OUT, body);
}

bool adapter_pause(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    (void)arguments, (void)why, (void)body;
    if (!a->stop) gpa_debug_pause(a->session);
    return true;
}

/* ---- lifecycle ---- */

void adapter_init(adapter *a) {
    snprintf(a->prefix, sizeof a->prefix, "/tmp/gpa_%ld/", (long)getpid());
    a->breakpoints = json_object();
    a->cells = json_object();
}

void adapter_free(adapter *a) {
    json_decref(a->breakpoints);
    json_decref(a->cells);
}

void adapter_begin(adapter *a) {
    a->started = true;
    gpa_debug_attach(a->session,
                     &(gpa_debugger){.user = a, .source = on_source, .stopped = on_stop});
}

bool adapter_initialize(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    (void)arguments, (void)why;
    if (a->session) adapter_begin(a);
    *body = json_pack(
        "{s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:[{s:s, s:s, s:b}, {s:s, s:s, s:b}]}",
        "supportsConfigurationDoneRequest", 1, "supportsConditionalBreakpoints", 1,
        "supportsLogPoints", 1, "supportsEvaluateForHovers", 1, "supportsSetExpression", 1,
        "supportsExceptionInfoRequest", 1, "supportsModulesRequest", 1, "supportTerminateDebuggee",
        1, "exceptionBreakpointFilters", "filter", "raised", "label", "Raised Exceptions",
        "default", 0, "filter", "uncaught", "label", "Uncaught Exceptions", "default", 0);
    return true;
}

bool adapter_attach(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    (void)arguments, (void)body, (void)why;
    adapter_event(a, "initialized", NULL);
    return true;
}

bool adapter_configured(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    (void)arguments, (void)body, (void)why;
    a->configured = true;
    return true;
}

bool adapter_disconnect(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    (void)arguments, (void)body, (void)why;
    if (a->stop) resume(a, GPA_CONTINUE, body);
    if (a->session) {
        gpa_debug_stop_on_errors(a->session, GPA_ERRORS_NONE);
        gpa_debug_attach(a->session, NULL);
    }
    json_object_clear(a->breakpoints);
    a->started = false;
    return true;
}

static json_t *all_breakpoints(const adapter *a) {
    json_t *all = json_array(), *points;
    const char *path;
    json_object_foreach(a->breakpoints, path, points) {
        if (json_array_size(points))
            json_array_append_new(all,
                                  json_pack("{s:s, s:O}", "source", path, "breakpoints", points));
    }
    return all;
}

bool adapter_info(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    json_t *stopped = json_array();
    (void)arguments, (void)why;
    if (a->stop) json_array_append_new(stopped, json_integer(1));
    *body = json_pack("{s:b, s:s, s:i, s:s, s:s, s:o, s:o, s:b, s:[s], s:b}", "isStarted",
                      a->started, "hashMethod", "Murmur2", "hashSeed", (int)HASH_SEED,
                      "tmpFilePrefix", a->prefix, "tmpFileSuffix", suffix, "breakpoints",
                      all_breakpoints(a), "stoppedThreads", stopped, "richRendering", 1,
                      "exceptionPaths", "Python Exceptions", "copyToGlobals", 1);
    return true;
}
