/* Debug Adapter Protocol: threads, frames, variables, evaluation. A frame's id is its number + 1.
 */
#include <limits.h>
#include <string.h>

#include "kernel/adapter.h"
#include "kernel/json.h"

/* ---- frames ---- */

bool adapter_threads(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    (void)a, (void)arguments, (void)why;
    *body = json_pack("{s:[{s:i, s:s}]}", "threads", "id", 1, "name", "MainThread");
    return true;
}

/* The frame that a request names; -1: none. */
static int frame_of(const json_t *arguments, const char *name) {
    json_int_t id = adapter_number(arguments, name, 0);
    return id > 0 && id <= INT_MAX ? (int)id - 1 : -1;
}

static json_t *frame_json(const adapter *a, int i, const gpa_debug_frame *f) {
    char path[PATH_MAX];
    adapter_path(a, &f->source, path, sizeof path);
    const char *name = strrchr(f->source.name, '/');
    return json_pack("{s:i, s:s, s:i, s:i, s:{s:s, s:s}}", "id", i + 1, "name", f->function, "line",
                     f->line, "column", f->column, "source", "name",
                     name ? name + 1 : f->source.name, "path", path);
}

bool adapter_stack(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    json_t *frames = json_array();
    json_int_t first = adapter_number(arguments, "startFrame", 0),
               most = adapter_number(arguments, "levels", 0);
    gpa_debug_frame f;
    (void)why;
    for (int i = (int)first; gpa_debug_frame_at(a->session, i, &f) && (!most || i < first + most);
         i++)
        json_array_append_new(frames, frame_json(a, i, &f));
    *body = json_pack("{s:o, s:i}", "stackFrames", frames, "totalFrames",
                      a->stop ? (int)a->stop->n_frames : 0);
    return true;
}

bool adapter_scopes(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    static const struct {
        const char *name, *hint;
    } of[] = {{"Locals", "locals"}, {"Globals", "globals"}};
    json_t *scopes = json_array();
    int frame = frame_of(arguments, "frameId");
    (void)why;
    for (int globals = 0; globals < 2; globals++) {
        int ref = gpa_debug_scope(a->session, frame, globals);
        if (!ref) continue;
        json_array_append_new(
            scopes, json_pack("{s:s, s:s, s:i, s:b}", "name", of[globals].name, "presentationHint",
                              of[globals].hint, "variablesReference", ref, "expensive", 0));
    }
    *body = json_pack("{s:o}", "scopes", scopes);
    return true;
}

/* ---- variables ---- */

static json_t *variable_json(const gpa_variable *v, const char *text_key) {
    json_t *out = json_pack(
        "{s:o, s:o, s:i, s:I, s:I}", text_key, text_json(v->text, strlen(v->text)), "type",
        text_json(v->type, strlen(v->type)), "variablesReference", v->ref, "namedVariables",
        (json_int_t)v->n_named, "indexedVariables", (json_int_t)v->n_indexed);
    if (*v->expression)
        json_object_set_new(out, "evaluateName", text_json(v->expression, strlen(v->expression)));
    return out;
}

static void add_variable(void *user, const gpa_variable *v) {
    json_t *out = variable_json(v, "value");
    json_object_set_new(out, "name", text_json(v->name, strlen(v->name)));
    json_array_append_new(user, out);
}

static bool list_members(adapter *a, int ref, size_t start, size_t count, json_t **body) {
    json_t *all = json_array();
    bool known = gpa_debug_members(a->session, ref, start, count, add_variable, all);
    *body = json_pack("{s:o}", "variables", all);
    return known;
}

bool adapter_variables(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    json_int_t start = adapter_number(arguments, "start", 0),
               count = adapter_number(arguments, "count", 0);
    *why = "these variables are gone";
    return list_members(a, (int)adapter_number(arguments, "variablesReference", 0),
                        start > 0 ? (size_t)start : 0, count > 0 ? (size_t)count : 0, body);
}

bool adapter_inspect(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    (void)arguments, (void)why;
    return list_members(a, gpa_debug_scope(a->session, -1, true), 0, 0, body);
}

static void keep_representations(void *user, const gpa_repr *r, size_t n) {
    json_object_set_new(user, "data", bundle_json(r, n));
    json_object_set_new(user, "metadata", bundle_meta(r, n));
}

bool adapter_inspect_rich(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    *body = json_pack("{s:{}, s:{}}", "data", "metadata");
    *why = "there is no such variable";
    return !gpa_debug_represent(a->session, a->stop ? frame_of(arguments, "frameId") : -1,
                                adapter_text(arguments, "variableName"), keep_representations,
                                *body);
}

bool adapter_copy(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    (void)body;
    *why = "there is no such variable";
    return gpa_debug_copy(a->session, frame_of(arguments, "srcFrameId"),
                          adapter_text(arguments, "srcVariableName"),
                          adapter_text(arguments, "dstVariableName"));
}

/* ---- evaluation ---- */

static void keep_result(void *user, const gpa_variable *v) {
    json_t **result = user;
    json_decref(*result);
    *result = variable_json(v, "result");
}

bool adapter_evaluate(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    const char *context = adapter_text(arguments, "context");
    bool full = strcmp(context, "hover") != 0 && strcmp(context, "watch") != 0;
    const gpa_evaluation what = {frame_of(arguments, "frameId"),
                                 adapter_text(arguments, "expression"), full};
    if (gpa_debug_evaluate(a->session, &what, keep_result, body, why)) return false;
    if (!*body) *body = json_pack("{s:s, s:i}", "result", "", "variablesReference", 0);
    return true;
}

bool adapter_set(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    const char *expression = adapter_text(arguments, "expression");
    const int frame = frame_of(arguments, "frameId");
    json_t *text = json_sprintf("%s = %s", expression, adapter_text(arguments, "value"));
    json_t *result = NULL;
    bool done =
        text &&
        !gpa_debug_evaluate(a->session, &(gpa_evaluation){frame, json_string_value(text), false},
                            keep_result, &result, why) &&
        !gpa_debug_evaluate(a->session, &(gpa_evaluation){frame, expression, false}, keep_result,
                            &result, why);
    if (done && result) {
        json_object_set(result, "value", json_object_get(result, "result"));
        json_object_del(result, "result");
    }
    *body = result;
    json_decref(text);
    return done;
}

bool adapter_error_info(adapter *a, const json_t *arguments, json_t **body, const char **why) {
    (void)arguments;
    *why = "execution has not stopped at an error";
    if (a->stop->why != GPA_STOP_ERROR) return false;
    *body = json_pack("{s:s, s:o, s:s}", "exceptionId", a->stop->error, "description",
                      text_json(a->stop->text, strlen(a->stop->text)), "breakMode", "always");
    return true;
}
