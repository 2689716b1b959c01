/* The lines of a text and their fields, as loadtxt and genfromtxt read them.
 *
 * A text_fields borrows the text and what it splits by. Fields point into the text, or into
 * `unquoted`, and stay as they are until the next line is split. */
#ifndef GPA_BUILTIN_TEXTFIELDS_H
#define GPA_BUILTIN_TEXTFIELDS_H

#include "lang/vm/native.h"

typedef struct {
    const char *p;
    size_t n;
} field;

enum { MOST_WORDS = 64 };

typedef struct {
    const char *at, *end; /* the text that is left */
    field comments[MOST_WORDS];
    size_t n_comments;
    field delimiter;       /* n 0: spaces */
    const int64_t *widths; /* columns of fixed widths, where there are some; one stands for all */
    size_t n_widths;
    char quote; /* 0: none */
    field *fields;
    size_t n, cap;    /* fields of the line that was split last */
    size_t lines;     /* that were read */
    gpa_str unquoted; /* the contents of quoted fields */
} text_fields;

void text_fields_init(text_fields *t, const char *text, size_t n);
void text_fields_free(text_fields *t);
/* Passes over a line; false at the end of the text. */
bool text_fields_skip(text_fields *t);
/* Splits the next line that holds fields; *more is false at the end of the text. GPA_E_MEMORY. */
gpa_code text_fields_next(gpa_vm *vm, text_fields *t, bool *more);
/* A field without the blanks at its ends. */
field field_trimmed(field f);

#endif
