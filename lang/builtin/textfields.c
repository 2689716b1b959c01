/* Splitting of text into lines and fields, for loadtxt and genfromtxt. Lines end at \n, \r\n or \r.
 * A line is split at a delimiter, at white space, or at fixed widths, after its comment is removed;
 * if fields may be quoted, by a state machine over characters, since delimiters, comment signs and
 * newlines within quotes are text. */
#include "lang/builtin/textfields.h"

#include "lang/text/text.h"

void text_fields_init(text_fields *t, const char *text, size_t n) {
    *t = (text_fields){.at = text, .end = text + n};
    str_init(&t->unquoted);
}

void text_fields_free(text_fields *t) {
    str_free(&t->unquoted);
    mem_free(t->fields);
}

/* The length in bytes of the white space character, other than a newline, that a text begins with;
 * 0 if it begins with none. */
static size_t blank_length(const char *p, size_t n) {
    size_t length = 1;
    if (!n || *p == '\n' || *p == '\r') return 0;
    if ((unsigned char)*p < 0x80) return *p == ' ' || (*p >= '\t' && *p <= '\f');
    return text_is_space(text_decode(p, n, &length)) ? length : 0;
}

static field trimmed(field f, bool newlines) {
    for (size_t n;
         (n = newlines && f.n && (*f.p == '\n' || *f.p == '\r') ? 1 : blank_length(f.p, f.n));)
        f.p += n, f.n -= n;
    while (f.n) {
        size_t at = f.n - 1;
        while (at && ((unsigned char)f.p[at] & 0xC0) == 0x80) at--; /* the last code point */
        bool newline = newlines && (f.p[at] == '\n' || f.p[at] == '\r');
        if (!newline && blank_length(f.p + at, f.n - at) != f.n - at) break;
        f.n = at;
    }
    return f;
}

field field_trimmed(field f) { return trimmed(f, false); }
field field_content(field f) { return trimmed(f, true); }

/* The next line without its newline; false at the end of the text. */
static bool next_line(text_fields *t, field *line) {
    if (t->at >= t->end) return false;
    size_t left = (size_t)(t->end - t->at);
    const char *stop = memchr(t->at, '\n', left), *from = t->at;
    const char *early = memchr(from, '\r', stop ? (size_t)(stop - from) : left);
    if (early) stop = early;
    *line = (field){from, stop ? (size_t)(stop - from) : left};
    t->at = !stop ? t->end : stop + 1 + (*stop == '\r' && stop + 1 < t->end && stop[1] == '\n');
    t->lines++;
    return true;
}

bool text_fields_skip(text_fields *t) {
    field line;
    return next_line(t, &line);
}

static gpa_code push_field(gpa_vm *vm, text_fields *t, field f) {
    if (t->n == t->cap) {
        field *more = mem_resize(t->fields, (t->cap * 2 + 16) * sizeof *more);
        if (!more) return vm_no_memory(vm);
        t->fields = more;
        t->cap = t->cap * 2 + 16;
    }
    t->fields[t->n++] = f;
    return GPA_OK;
}

static void strip_comment(const text_fields *t, field *line) {
    for (size_t i = 0; i < t->n_comments; i++) {
        const char *at = memmem(line->p, line->n, t->comments[i].p, t->comments[i].n);
        if (at) line->n = (size_t)(at - line->p);
    }
}

/* ---- splitting ---- */

static gpa_code split_blanks(gpa_vm *vm, text_fields *t, field line) {
    const char *p = line.p, *end = line.p + line.n;
    gpa_code rc = GPA_OK;
    while (!rc) {
        for (size_t n; (n = blank_length(p, (size_t)(end - p)));) p += n;
        const char *from = p;
        while (p < end && !blank_length(p, (size_t)(end - p))) p++;
        if (p == from) break;
        rc = push_field(vm, t, (field){from, (size_t)(p - from)});
    }
    return rc;
}

static const char *find(field line, field what) {
    return what.n == 1 ? memchr(line.p, *what.p, line.n) : memmem(line.p, line.n, what.p, what.n);
}

static gpa_code split_delimited(gpa_vm *vm, text_fields *t, field line) {
    gpa_code rc = GPA_OK;
    for (const char *at = line.p; !rc && at;) {
        at = find(line, t->delimiter);
        size_t n = at ? (size_t)(at - line.p) : line.n;
        rc = push_field(vm, t, (field){line.p, n});
        if (at) line = (field){at + t->delimiter.n, line.n - n - t->delimiter.n};
    }
    return rc;
}

static gpa_code split_fixed(gpa_vm *vm, text_fields *t, field line) {
    gpa_code rc = GPA_OK;
    for (size_t i = 0; !rc && (t->n_widths == 1 ? line.n > 0 : i < t->n_widths); i++) {
        size_t n = MIN((size_t)t->widths[t->n_widths == 1 ? 0 : i], line.n);
        rc = push_field(vm, t, (field){line.p, n});
        line = (field){line.p + n, line.n - n};
    }
    return rc;
}

/* ---- quotes ---- */

typedef enum { BETWEEN, PLAIN, QUOTED } quoting;

static bool starts_with(const text_fields *t, field what) {
    return what.n && (size_t)(t->end - t->at) >= what.n && memcmp(t->at, what.p, what.n) == 0;
}

static bool starts_comment(const text_fields *t) {
    for (size_t i = 0; i < t->n_comments; i++)
        if (starts_with(t, t->comments[i])) return true;
    return false;
}

/* Ends a field whose text is in `unquoted` from `from` on. Its address is filled in later, since
 * the buffer may still move. */
static gpa_code end_field(gpa_vm *vm, text_fields *t, size_t *from) {
    gpa_code rc = push_field(vm, t, (field){(const char *)NULL, t->unquoted.len - *from});
    *from = t->unquoted.len;
    return rc;
}

/* Splits one line with quotes, which may contain newlines. A quote opens a field only at its start;
 * a doubled quote within quotes is one quote. */
static gpa_code split_quoted(gpa_vm *vm, text_fields *t) {
    gpa_code rc = GPA_OK;
    quoting state = BETWEEN;
    size_t from = 0;
    bool blanks = t->delimiter.n == 0, delimited = false;
    str_truncate(&t->unquoted, 0);
    for (; !rc && t->at < t->end; t->at++) {
        char c = *t->at;
        if (state == QUOTED) {
            if (c != t->quote)
                str_putc(&t->unquoted, c);
            else if (t->at + 1 < t->end && t->at[1] == c)
                str_putc(&t->unquoted, *++t->at);
            else
                state = PLAIN;
            t->lines += c == '\n';
        } else if (c == '\n' || c == '\r' || starts_comment(t)) {
            break;
        } else if (c == t->quote && state == BETWEEN) {
            state = QUOTED;
        } else if (blanks && blank_length(t->at, (size_t)(t->end - t->at))) {
            if (state == PLAIN) rc = end_field(vm, t, &from);
            state = BETWEEN;
            t->at += blank_length(t->at, (size_t)(t->end - t->at)) - 1;
        } else if (!blanks && starts_with(t, t->delimiter)) {
            rc = end_field(vm, t, &from);
            t->at += t->delimiter.n - 1;
            state = BETWEEN;
            delimited = true;
        } else {
            str_putc(&t->unquoted, c);
            state = PLAIN;
        }
    }
    if (!rc && (state != BETWEEN || delimited)) rc = end_field(vm, t, &from);
    field rest;
    if (t->at < t->end) next_line(t, &rest);
    if (!rc && t->unquoted.failed) rc = vm_no_memory(vm);
    const char *p = t->unquoted.text;
    for (size_t i = 0; i < t->n && !rc; p += t->fields[i++].n) t->fields[i].p = p ? p : "";
    return rc;
}

gpa_code text_fields_next(gpa_vm *vm, text_fields *t, bool *more) {
    gpa_code rc = GPA_OK;
    field line;
    t->n = 0;
    while (!rc && t->n == 0) {
        *more = t->at < t->end;
        if (!*more) return GPA_OK;
        if (t->quote) {
            rc = split_quoted(vm, t);
            continue;
        }
        next_line(t, &line);
        strip_comment(t, &line);
        if (field_trimmed(line).n == 0) continue;
        if (t->n_widths)
            rc = split_fixed(vm, t, line);
        else
            rc = t->delimiter.n ? split_delimited(vm, t, line) : split_blanks(vm, t, line);
    }
    return rc;
}
