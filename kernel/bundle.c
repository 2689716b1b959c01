#include "kernel/bundle.h"

#include <stdbool.h>
#include <string.h>

#include "kernel/text.h"

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static json_t *data_json(const gpa_repr *r) {
    bool xml = ends_with(r->mime, "+xml");
    if ((strncmp(r->mime, "image/", 6) == 0 && !xml) || strcmp(r->mime, "application/pdf") == 0) return text_base64(r->data, r->n);
    if (strcmp(r->mime, "application/json") == 0 || ends_with(r->mime, "+json")) {
        json_t *json = json_loadb(r->data, r->n, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
        if (json) return json;
    }
    return text_json(r->data, r->n);
}

json_t *bundle_json(const gpa_repr *r, size_t n) {
    json_t *data = json_object();
    for (size_t i = 0; i < n; i++) json_object_set_new(data, r[i].mime, data_json(&r[i]));
    return data;
}

json_t *bundle_meta(const gpa_repr *r, size_t n) {
    json_t *meta = json_object();
    for (size_t i = 0; i < n; i++) {
        json_t *one = r[i].meta ? json_loads(r[i].meta, 0, NULL) : NULL;
        if (one) json_object_set_new(meta, r[i].mime, one);
    }
    return meta;
}

json_t *bundle_error(const gpa_diag *d) {
    json_t *lines = json_array();
    for (const char *at = d->text; at && *at;) {
        size_t n = strcspn(at, "\n");
        json_array_append_new(lines, text_json(at, n));
        at += n + (at[n] == '\n');
    }
    return json_pack("{s:o, s:o, s:o}", "ename", text_json(d->name, strlen(d->name)), "evalue", text_json(d->msg, strlen(d->msg)), "traceback", lines);
}
