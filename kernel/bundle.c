#include "kernel/bundle.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/text.h"

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static json_t *data_json(const gpa_repr *r) {
    bool xml = ends_with(r->mime, "+xml");
    if ((strncmp(r->mime, "image/", 6) == 0 && !xml) || strcmp(r->mime, "application/pdf") == 0)
        return text_base64(r->data, r->n);
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

/* ---- errors ---- */

#define RED "\033[1;31m"
#define YELLOW "\033[33m"
#define BLUE "\033[34m"

static bool begins(const char *line, size_t n, const char *with) {
    return n >= strlen(with) && memcmp(line, with, strlen(with)) == 0;
}

/* The bytes of a line of the report that are coloured, from its first: the error's name, places,
 * carets, the word before a hint. */
static size_t coloured(const char *line, size_t n, const char *name, const char **colour) {
    *colour = RED;
    if (begins(line, n, name)) return strlen(name) + (line[strlen(name)] == ':');
    if (n && strspn(line, " ^~") >= n) return n;
    *colour = YELLOW;
    if (begins(line, n, "  hint:")) return strlen("  hint:");
    *colour = BLUE;
    return begins(line, n, "  In [") || begins(line, n, "  File ") ||
                   begins(line, n, "  called from ")
               ? n
               : 0;
}

static json_t *report_line(const char *line, size_t n, const char *name) {
    const char *colour;
    size_t m = coloured(line, n, name, &colour);
    char *text = NULL;
    int length =
        m ? asprintf(&text, "%s%.*s\033[0m%.*s", colour, (int)m, line, (int)(n - m), line + m) : -1;
    json_t *json = length >= 0 ? text_json(text, (size_t)length) : text_json(line, n);
    if (length >= 0) free(text);
    return json;
}

json_t *bundle_error(const gpa_diag *d) {
    json_t *lines = json_array();
    for (const char *at = d->text; at && *at;) {
        size_t n = strcspn(at, "\n");
        json_array_append_new(lines, report_line(at, n, d->name));
        at += n + (at[n] == '\n');
    }
    return json_pack("{s:o, s:o, s:o}", "ename", text_json(d->name, strlen(d->name)), "evalue",
                     text_json(d->msg, strlen(d->msg)), "traceback", lines);
}
