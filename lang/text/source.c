/* Source texts and the renderer of errors.
 *
 * Reading order: the registry, locations, then drawing: the marks of an error are collected,
 * sorted by line, and each line with marks is drawn with them beneath it. */
#include "lang/text/source.h"

#include "lang/text/unicode.h"
#include "runtime/base/base.h"

struct sources {
    source **items; /* items[id - 1]; each is a block of its own, so its address is stable */
    size_t n, cap;
};

/* ---- the registry ---- */

sources *sources_new(void) { return mem_zero(sizeof(sources)); }

static void source_free(source *s) {
    if (!s) return;
    mem_free((char *)s->name);
    if (!s->borrowed) mem_free((char *)s->text);
    mem_free(s);
}

void sources_free(sources *s) {
    if (!s) return;
    for (size_t i = 0; i < s->n; i++) source_free(s->items[i]);
    mem_free(s->items);
    mem_free(s);
}

static gpa_code add(sources *s, const source_text *what, bool borrowed, uint32_t *id, gpa_err *e) {
    size_t n = what->n;
    if (n > (size_t)1 << 30) return gpa_fail(e, GPA_E_OVERFLOW, "source text is larger than 1 GiB");
    source *src = mem_zero(sizeof *src);
    if (!src || !mem_grow(&s->items, s->n, &s->cap, sizeof *s->items)) goto no_memory;
    *src = (source){
        .id = (uint32_t)s->n + 1, .kind = what->kind, .borrowed = borrowed, .len = (uint32_t)n};
    src->name = mem_text(what->name, strlen(what->name));
    src->text = borrowed ? what->text : mem_text(what->text, n);
    if (!src->name || !src->text) goto no_memory;
    s->items[s->n++] = src;
    *id = src->id;
    return GPA_OK;
no_memory:
    source_free(src);
    return gpa_no_memory(e);
}

gpa_code source_add(sources *s, const source_text *what, uint32_t *id, gpa_err *e) {
    return add(s, what, false, id, e);
}

gpa_code source_add_borrowed(sources *s, const source_text *what, uint32_t *id, gpa_err *e) {
    return add(s, what, true, id, e);
}

const source *source_get(const sources *s, uint32_t id) {
    return id >= 1 && id <= s->n ? s->items[id - 1] : NULL;
}

/* ---- locations ---- */

/* The start of the line after that at p; NULL: p is in the last one. Lines are counted when an
 * error or a debugger asks for one. */
static const char *next_line(const char *p, const char *end) {
    while (p < end && *p != '\n' && *p != '\r') p++;
    return p == end ? NULL : p + (p[0] == '\r' && p[1] == '\n' ? 2 : 1);
}

/* The line of a byte, from 1, and its first byte. */
static uint32_t line_of(const source *s, uint32_t byte, uint32_t *start) {
    const char *p = s->text, *next;
    uint32_t line = 1;
    for (; (next = next_line(p, s->text + s->len)) && next <= s->text + byte; line++) p = next;
    *start = (uint32_t)(p - s->text);
    return line;
}

source_pos source_at(const source *s, uint32_t byte) {
    if (!s) return (source_pos){0, 0};
    byte = MIN(byte, s->len);
    uint32_t start, line = line_of(s, byte, &start);
    return (source_pos){line, (uint32_t)unicode_width(s->text + start, byte - start) + 1};
}

const char *source_line(const source *s, uint32_t line, size_t *n) {
    const char *p = s->text, *end = s->text + s->len, *next;
    for (; line > 1 && (next = next_line(p, end)); line--) p = next;
    for (*n = 0; p + *n < end && p[*n] != '\n' && p[*n] != '\r'; ++*n) continue;
    return p;
}

void source_put_location(const sources *s, gpa_span at, const char *function, gpa_str *out) {
    const source *src = source_get(s, at.src);
    if (!src) return;
    uint32_t line = source_at(src, at.lo).line;
    if (src->kind == SOURCE_CELL)
        str_printf(out, "%s, line %u", src->name, line);
    else
        str_printf(out, "File \"%s\", line %u", src->name, line);
    if (function) str_printf(out, ", in %s", function);
}

/* ---- drawing ---- */

enum { MARKS = GPA_ERR_NOTES + 1, MARGIN = 4, GAP = 2, TAB = 4 };

/* A range of one line to underline, in bytes of the line, and its annotation. */
typedef struct {
    uint32_t line, lo, hi;
    const char *text; /* NULL: the error's own span */
} mark;

/* A line as displayed: without indentation, tabs as spaces, control characters as dots.
 * column[i] is the cell of byte i of the original. */
typedef struct {
    gpa_str text;
    uint32_t *column; /* n + 1 of them */
} shown_line;

static bool show_line(shown_line *l, const char *text, size_t n) {
    str_init(&l->text);
    l->column = mem_new((n + 1) * sizeof *l->column);
    if (!l->column) return false;
    uint32_t column = 0;
    bool margin = true;
    for (size_t i = 0; i < n;) {
        uint32_t cp = 0;
        size_t len = utf8_get(text + i, text + n, &cp);
        margin = margin && (text[i] == ' ' || text[i] == '\t');
        for (size_t k = 0; k < MAX(len, 1); k++) l->column[i + k] = column;
        if (margin) {
            i++;
        } else if (text[i] == '\t') {
            str_fill(&l->text, ' ', TAB - column % TAB);
            column += TAB - column % TAB;
            i++;
        } else if (len == 0 || cp < 0x20 || cp == 0x7f || (len > 1 && unicode_classes(cp) & U_N)) {
            str_putc(&l->text, '.');
            column++;
            i += MAX(len, 1);
        } else {
            str_putn(&l->text, text + i, len);
            column += (uint32_t)unicode_width(text + i, len);
            i += len;
        }
    }
    l->column[n] = column;
    return true;
}

static void free_shown(shown_line *l) {
    str_free(&l->text);
    mem_free(l->column);
}

static void add_mark(const source *s, gpa_span span, const char *text, mark *marks, size_t *n) {
    if (span.src != s->id || span.lo > s->len) return;
    uint32_t start, line = line_of(s, span.lo, &start);
    size_t len;
    source_line(s, line, &len);
    uint32_t lo = MIN(span.lo - start, (uint32_t)len), hi = MIN(span.hi - start, (uint32_t)len);
    mark m = {line, lo, MAX(hi, lo), text};
    size_t at = (*n)++;
    for (; at > 0 &&
           (marks[at - 1].line > line || (marks[at - 1].line == line && marks[at - 1].lo > m.lo));
         at--)
        marks[at] = marks[at - 1];
    marks[at] = m;
}

/* Writes `text` into a row of cells, which is blank from the column on. */
static void put_at(gpa_str *row, uint32_t column, const char *text) {
    size_t width = unicode_width(row->text, row->len);
    if (column > width) str_fill(row, ' ', column - width);
    str_put(row, text);
}

/* The row of ^ and ~. The error's own mark overrides the others. */
static void put_underline(const shown_line *l, const mark *marks, size_t n, gpa_str *out) {
    uint32_t width = 0;
    for (size_t i = 0; i < n; i++)
        width = MAX(width, MAX(l->column[marks[i].hi], l->column[marks[i].lo] + 1));
    char *cells = mem_new(width + 1);
    if (!cells) {
        out->failed = true;
        return;
    }
    memset(cells, ' ', width);
    cells[width] = 0;
    for (int own = 0; own < 2; own++)
        for (size_t i = 0; i < n; i++) {
            if (own != (marks[i].text == NULL)) continue;
            uint32_t lo = l->column[marks[i].lo], hi = MAX(l->column[marks[i].hi], lo + 1);
            memset(cells + lo, '~', hi - lo);
            if (own) cells[lo] = '^';
        }
    str_fill(out, ' ', MARGIN);
    str_put(out, cells);
    str_putc(out, '\n');
    mem_free(cells);
}

/* The annotations beneath their marks, centred, on one row where they fit, otherwise on several. */
static void put_notes(const shown_line *l, const mark *marks, size_t n, gpa_str *out) {
    bool done[MARKS] = {false};
    for (size_t left = n; left > 0;) {
        gpa_str row;
        str_init(&row);
        str_fill(&row, ' ', MARGIN);
        bool any = false;
        for (size_t i = 0; i < n; i++) {
            if (done[i]) continue;
            if (!marks[i].text || !marks[i].text[0]) {
                done[i] = true;
                left--;
                continue;
            }
            uint32_t lo = MARGIN + l->column[marks[i].lo],
                     hi = MAX(MARGIN + l->column[marks[i].hi], lo + 1);
            uint32_t width = (uint32_t)unicode_width(marks[i].text, strlen(marks[i].text));
            uint32_t centred = lo + hi > width ? (lo + hi - width) / 2 : 0;
            uint32_t used = any ? (uint32_t)unicode_width(row.text, row.len) + GAP : 0;
            if (any && used > MAX(hi, centred + GAP)) continue; /* too far from its mark */
            put_at(&row, MAX(centred, used), marks[i].text);
            any = done[i] = true;
            left--;
        }
        if (any) {
            str_putn(out, row.text, row.len);
            str_putc(out, '\n');
        }
        out->failed |= row.failed;
        str_free(&row);
    }
}

static void put_marked_line(const source *s, const mark *marks, size_t n, gpa_str *out) {
    size_t len;
    const char *text = source_line(s, marks[0].line, &len);
    shown_line l;
    if (!show_line(&l, text, len)) {
        out->failed = true;
        return;
    }
    str_fill(out, ' ', MARGIN);
    str_putn(out, l.text.text, l.text.len);
    str_putc(out, '\n');
    put_underline(&l, marks, n, out);
    put_notes(&l, marks, n, out);
    free_shown(&l);
}

void source_render_location(const sources *s, const gpa_err *e, const char *function,
                            gpa_str *out) {
    const source *src = source_get(s, e->span.src);
    if (src) {
        mark marks[MARKS];
        size_t n = 0;
        add_mark(src, e->span, NULL, marks, &n);
        for (uint32_t i = 0; i < e->n_notes; i++)
            add_mark(src, e->notes[i].span, e->notes[i].text, marks, &n);
        str_put(out, "  ");
        source_put_location(s, e->span, function, out);
        str_putc(out, '\n');
        for (size_t i = 0, end; i < n; i = end) {
            for (end = i + 1; end < n && marks[end].line == marks[i].line;) end++;
            put_marked_line(src, marks + i, end - i, out);
        }
    }
    if (e->hint[0]) str_printf(out, "  hint: %s\n", e->hint);
}

void source_render(const sources *s, const gpa_err *e, const char *function, gpa_str *out) {
    str_put(out, gpa_err_name(e->code));
    if (e->msg[0]) str_printf(out, ": %s", e->msg);
    str_putc(out, '\n');
    source_render_location(s, e, function, out);
}
