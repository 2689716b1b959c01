/* There is one session, this process's: number 1, also known as 0. */
#include "kernel/history.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "kernel/text.h"

enum { THIS_SESSION = 1 };

void history_add(history *h, json_int_t line, const char *code, size_t n, json_t *output) {
    if (!h->entries) h->entries = json_array();
    json_t *entry = json_pack("[I, o, O]", line, text_json(code, n), output ? output : json_null());
    if (entry) json_array_append_new(h->entries, entry);
}

void history_free(history *h) { json_decref(h->entries); }

static bool wants_output(const json_t *request) { return json_is_true(json_object_get(request, "output")); }

static json_t *row(const json_t *entry, bool output) {
    json_t *line = json_array_get(entry, 0), *input = json_array_get(entry, 1), *result = json_array_get(entry, 2);
    return output ? json_pack("[i, O, [O, O]]", THIS_SESSION, line, input, result) : json_pack("[i, O, O]", THIS_SESSION, line, input);
}

/* Whether the same input comes again after entry i. */
static bool again(const history *h, size_t i) {
    json_t *input = json_array_get(json_array_get(h->entries, i), 1);
    for (size_t k = i + 1; k < json_array_size(h->entries); k++)
        if (json_equal(input, json_array_get(json_array_get(h->entries, k), 1))) return true;
    return false;
}

static bool fits(const history *h, size_t i, const json_t *request, const char *kind) {
    const json_t *entry = json_array_get(h->entries, i);
    if (strcmp(kind, "range") == 0) {
        const json_t *stop = json_object_get(request, "stop");
        json_int_t line = json_integer_value(json_array_get(entry, 0)), session = json_integer_value(json_object_get(request, "session"));
        return (session == 0 || session == THIS_SESSION) && line >= json_integer_value(json_object_get(request, "start")) &&
               (!json_is_integer(stop) || line < json_integer_value(stop));
    }
    if (strcmp(kind, "search") == 0) {
        const char *pattern = json_string_value(json_object_get(request, "pattern"));
        if (fnmatch(pattern ? pattern : "*", json_string_value(json_array_get(entry, 1)), 0) != 0) return false;
        return !json_is_true(json_object_get(request, "unique")) || !again(h, i);
    }
    return true;
}

json_t *history_find(const history *h, const json_t *request) {
    const char *kind = json_string_value(json_object_get(request, "hist_access_type"));
    const json_t *count = json_object_get(request, "n");
    json_t *found = json_array();
    if (!kind) kind = "tail";
    bool limited = strcmp(kind, "range") != 0 && json_is_integer(count) && json_integer_value(count) >= 0;
    size_t left = limited ? (size_t)json_integer_value(count) : SIZE_MAX;
    for (size_t i = json_array_size(h->entries); found && left && i-- > 0;) {
        if (!fits(h, i, request, kind)) continue;
        json_array_insert_new(found, 0, row(json_array_get(h->entries, i), wants_output(request)));
        left--;
    }
    return found;
}
