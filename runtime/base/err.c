/* The error record. Messages longer than the record are truncated and end in an ellipsis. */
#include "runtime/base/err.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    gpa_code parent;
} rows[GPA_E_COUNT] = {
    [GPA_OK] = {"", GPA_OK},
#define GPA_E_OK GPA_OK
#define ERR(code, name, parent) [GPA_E_##code] = {name, GPA_E_##parent},
#include "runtime/base/err.def"
#undef ERR
};

static void put(char *to, size_t size, const char *fmt, va_list ap) {
    int n = vsnprintf(to, size, fmt, ap);
    if (n >= 0 && (size_t)n >= size) memcpy(to + size - 4, "...", 4);
}

gpa_code gpa_failv(gpa_err *e, gpa_code code, const char *fmt, va_list ap) {
    if (!e || e->code) return code;
    gpa_err_clear(e);
    e->code = code;
    put(e->msg, sizeof e->msg, fmt, ap);
    return code;
}

gpa_code gpa_fail(gpa_err *e, gpa_code code, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    gpa_failv(e, code, fmt, ap);
    va_end(ap);
    return code;
}

gpa_code gpa_no_memory(gpa_err *e) { return gpa_fail(e, GPA_E_MEMORY, "out of memory"); }

gpa_code gpa_interrupted(gpa_err *e) { return gpa_fail(e, GPA_E_INTERRUPT, "%s", ""); }

gpa_code gpa_fail_at(gpa_err *e, gpa_span where) {
    if (e->code && e->span.src == 0) e->span = where;
    return e->code;
}

void gpa_err_note(gpa_err *e, gpa_span where, const char *fmt, ...) {
    if (!e || !e->code || e->n_notes == GPA_ERR_NOTES) return;
    va_list ap;
    va_start(ap, fmt);
    e->notes[e->n_notes].span = where;
    put(e->notes[e->n_notes].text, sizeof e->notes[0].text, fmt, ap);
    e->n_notes++;
    va_end(ap);
}

void gpa_err_hint(gpa_err *e, const char *fmt, ...) {
    if (!e || !e->code || e->hint[0]) return;
    va_list ap;
    va_start(ap, fmt);
    put(e->hint, sizeof e->hint, fmt, ap);
    va_end(ap);
}

void gpa_err_clear(gpa_err *e) {
    e->code = GPA_OK;
    e->span = (gpa_span){0, 0, 0};
    e->n_notes = 0;
    e->msg[0] = e->hint[0] = 0;
}

const char *gpa_err_name(gpa_code code) { return rows[code].name; }

gpa_code gpa_err_parent(gpa_code code) { return rows[code].parent; }

int gpa_err_is(gpa_code code, gpa_code ancestor) {
    for (; code != GPA_OK && code != ancestor; code = rows[code].parent) {
        bool second_base = /* both are ValueErrors, too */
            code == GPA_E_AXIS || code == GPA_E_UNSUPPORTED_OPERATION;
        if (second_base && gpa_err_is(GPA_E_VALUE, ancestor)) return true;
    }
    return code == ancestor;
}

gpa_code gpa_err_find(const char *name) {
    for (int c = 1; c < GPA_E_COUNT; c++)
        if (strcmp(rows[c].name, name) == 0) return (gpa_code)c;
    return GPA_OK;
}

gpa_code gpa_err_of_errno(int number) {
    static const struct {
        int number;
        gpa_code code;
    } classes[] = {
        {ENOENT, GPA_E_FILE_NOT_FOUND},
        {EEXIST, GPA_E_FILE_EXISTS},
        {EACCES, GPA_E_PERMISSION},
        {EPERM, GPA_E_PERMISSION},
        {EISDIR, GPA_E_IS_DIRECTORY},
        {ENOTDIR, GPA_E_NOT_DIRECTORY},
        {EAGAIN, GPA_E_BLOCKING_IO},
        {EALREADY, GPA_E_BLOCKING_IO},
        {EINPROGRESS, GPA_E_BLOCKING_IO},
        {ECHILD, GPA_E_CHILD_PROCESS},
        {EPIPE, GPA_E_BROKEN_PIPE},
        {ESHUTDOWN, GPA_E_BROKEN_PIPE},
        {ECONNABORTED, GPA_E_CONNECTION_ABORTED},
        {ECONNREFUSED, GPA_E_CONNECTION_REFUSED},
        {ECONNRESET, GPA_E_CONNECTION_RESET},
        {EINTR, GPA_E_INTERRUPTED_CALL},
        {ESRCH, GPA_E_PROCESS_LOOKUP},
        {ETIMEDOUT, GPA_E_TIMEOUT},
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (classes[i].number == number) return classes[i].code;
    return GPA_E_OS;
}
