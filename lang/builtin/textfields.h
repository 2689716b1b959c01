/* Lines of a text and their fields, as loadtxt and genfromtxt read them.
 *
 * A text_fields borrows the text and the delimiters. Fields point into the text, or into
 * `unquoted`, and are valid until the next line is split. */
#ifndef GPA_BUILTIN_TEXTFIELDS_H
#define GPA_BUILTIN_TEXTFIELDS_H

#include "lang/vm/native.h"

typedef struct {
    const char *p;
    size_t n;
} field;

enum { MAX_COMMENTS = 64 };

typedef struct {
    const char *at, *end; /* the rest of the text */
    field comments[MAX_COMMENTS];
    size_t n_comments;
    field delimiter; /* n 0: white space */
    const int64_t
        *widths; /* widths of fixed-width columns, or NULL; a single one is that of all columns */
    size_t n_widths;
    char quote; /* 0: none */
    field *fields;
    size_t n, cap;    /* fields of the current line */
    size_t lines;     /* read so far */
    gpa_str unquoted; /* the contents of quoted fields */
} text_fields;

void text_fields_init(text_fields *t, const char *text, size_t n);
void text_fields_free(text_fields *t);
/* Skips a line; false at the end of the text. */
bool text_fields_skip(text_fields *t);
/* Splits the next line that has fields; *more is false at the end of the text. GPA_E_MEMORY. */
gpa_code text_fields_next(gpa_vm *vm, text_fields *t, bool *more);
/* The field without white space at its ends. */
field field_trimmed(field f);
/* The same, also without newlines, which quotes allow. */
field field_content(field f);

#endif
