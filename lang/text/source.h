/* Source texts, locations in them, and the renderer of errors with carets.
 *
 * A session owns one registry. Every text that is parsed is registered and keeps its number, so
 * that an error or a traceback can show a line long after it ran. Spans (runtime/base/err.h) are
 * byte ranges of a registered text. */
#ifndef GPA_TEXT_SOURCE_H
#define GPA_TEXT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/err.h"
#include "runtime/base/str.h"

/* How a location is named: `In [7], line 1`, or `File "x.gpa", line 1`. */
typedef enum { SOURCE_CELL, SOURCE_FILE } source_kind;

typedef struct {
    uint32_t id; /* 1 .. */
    source_kind kind;
    const char *name; /* "In [7]", "<stdin>", "examples/heat.gpa" */
    const char *text; /* zero-terminated */
    bool borrowed;    /* the text is not the registry's own */
    uint32_t len;
} source;

/* Line and column of a location, from 1. A column is the width in terminal cells of the text
 * before it, plus 1. */
typedef struct {
    uint32_t line, column;
} source_pos;

typedef struct sources sources;

/* Owned: sources_free. NULL when out of memory. */
sources *sources_new(void);
void sources_free(sources *s);
/* A text to be registered. */
typedef struct {
    source_kind kind;
    const char *name, *text;
    size_t n; /* bytes of the text */
} source_text;
/* Registers a text; name and text are copied. GPA_E_MEMORY, or GPA_E_OVERFLOW for a text over 1
 * GiB. */
gpa_code source_add(sources *s, const source_text *what, uint32_t *id, gpa_err *e);
/* The same without a copy of the text, which ends with a zero and outlives the registry's use. */
gpa_code source_add_borrowed(sources *s, const source_text *what, uint32_t *id, gpa_err *e);
/* The source with this number, or NULL. Its address is stable until sources_free. */
const source *source_get(const sources *s, uint32_t id);
/* Line and column of a byte offset; {0, 0} when the source is unknown. */
source_pos source_at(const source *s, uint32_t byte);
/* The text of a line without its end; sets *n. */
const char *source_line(const source *s, uint32_t line, size_t *n);

/* `In [7], line 1` or `File "x.gpa", line 3, in f` (`function` may be NULL). Nothing for an unknown
 * source. */
void source_put_location(const sources *s, gpa_span at, const char *function, gpa_str *out);

/* Draws an error, each line ended by a newline:
 *
 *   ValueError: operands could not be broadcast together with shapes (3,4) (3,)
 *     In [7], line 1
 *       c = a[1:] @ w + b * mask
 *                     ^ ~~~~~~~~
 *                       (3,)
 *     hint: b[:, None] has shape (3,1)
 *
 * The error's span is marked ^ (^~~~ when longer), the spans of its notes ~~~~ with their texts
 * beneath, each as near to its mark as fits. A span over several lines is marked on its first.
 * Without a span: the head line alone. */
void source_render(const sources *s, const gpa_err *e, const char *function, gpa_str *out);
/* As source_render without the first line `ValueError: ...`: the location, the line with its
 * marks, the hint. */
void source_render_location(const sources *s, const gpa_err *e, const char *function, gpa_str *out);

#endif
