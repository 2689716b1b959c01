/* JSON values of session text: UTF-8 to JSON strings, base64, code point positions; MIME bundles
 * and errors. */
#include "kernel/json.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ---- */

/* Length of the UTF-8 character at p; 0 if it is malformed, -1 if the text ends within it. */
static int char_size(const unsigned char *p, size_t n) {
    int size = p[0] < 0x80   ? 1
               : p[0] < 0xc2 ? 0
               : p[0] < 0xe0 ? 2
               : p[0] < 0xf0 ? 3
               : p[0] < 0xf5 ? 4
                             : 0;
    for (int i = 1; i < size; i++) {
        if ((size_t)i == n) return -1;
        unsigned char lo = 0x80, hi = 0xbf; /* the range of the second byte excludes overlong forms,
                                               surrogates and code points above U+10FFFF */
        if (i == 1 && p[0] == 0xe0) lo = 0xa0;
        if (i == 1 && p[0] == 0xed) hi = 0x9f;
        if (i == 1 && p[0] == 0xf0) lo = 0x90;
        if (i == 1 && p[0] == 0xf4) hi = 0x8f;
        if (p[i] < lo || p[i] > hi) return 0;
    }
    return size;
}

/* Offset of the first byte from `at` on that is not part of a valid UTF-8 character, or n. */
static size_t well_formed(const char *text, size_t n, size_t at) {
    int size;
    while (at < n && (size = char_size((const unsigned char *)text + at, n - at)) > 0)
        at += (size_t)size;
    return at;
}

json_t *text_json(const char *text, size_t n) {
    static const char replacement[] = {'\xef', '\xbf', '\xbd'}; /* U+FFFD */
    size_t good = well_formed(text, n, 0);
    if (good == n) return json_stringn_nocheck(text, n);
    char *clean = malloc(3 * n);
    size_t out = 0;
    if (!clean) return NULL;
    for (size_t at = 0; at < n; at = good + 1) {
        good = well_formed(text, n, at);
        memcpy(clean + out, text + at, good - at);
        out += good - at;
        if (good == n) break;
        memcpy(clean + out, replacement, sizeof replacement);
        out += sizeof replacement;
    }
    json_t *json = json_stringn_nocheck(clean, out);
    free(clean);
    return json;
}

json_t *text_base64(const void *data, size_t n) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *p = data;
    char *text = malloc((n + 2) / 3 * 4 + 1);
    size_t out = 0;
    if (!text) return NULL;
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        uint32_t three = (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) |
                         (left > 2 ? p[i + 2] : 0u);
        text[out++] = digits[three >> 18];
        text[out++] = digits[three >> 12 & 63];
        text[out++] = left > 1 ? digits[three >> 6 & 63] : '=';
        text[out++] = left > 2 ? digits[three & 63] : '=';
    }
    json_t *json = json_stringn_nocheck(text, out);
    free(text);
    return json;
}

size_t text_unfinished(const char *text, size_t n) {
    for (size_t back = 1; back <= 3 && back <= n; back++)
        if (((unsigned char)text[n - back] & 0xc0) != 0x80)
            return char_size((const unsigned char *)text + n - back, back) < 0 ? back : 0;
    return 0;
}

static bool begins_char(char c) { return ((unsigned char)c & 0xc0) != 0x80; }

size_t text_byte_at(const char *text, size_t n, json_int_t point) {
    size_t at = 0;
    while (at < n && (!begins_char(text[at]) || point-- > 0)) at++;
    return at;
}

json_int_t text_point_at(const char *text, size_t n, size_t byte) {
    json_int_t points = 0;
    for (size_t i = 0; i < n && i < byte; i++) points += begins_char(text[i]);
    return points;
}

/* ---- MIME bundles ---- */

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

/* Length of the coloured prefix of a traceback line: the error's name, locations, carets,
 * "hint:". */
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
