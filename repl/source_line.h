/* A line of a program in colour. */
#ifndef GPA_SOURCE_LINE_H
#define GPA_SOURCE_LINE_H

#include "lang/session.h"
#include "repl/buf.h"

/* Appends n bytes of a program with the colours of its parts. s may be NULL: plain. */
void source_line_put(gpa_session *s, const char *text, size_t n, buf *out);

#endif
