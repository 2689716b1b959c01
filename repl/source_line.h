/* Syntax highlighting of a program line. */
#ifndef GPA_SOURCE_LINE_H
#define GPA_SOURCE_LINE_H

#include "lang/session.h"
#include "repl/buf.h"

/* Appends n bytes of a program with colours. s may be NULL: plain. */
void source_line_put(gpa_session *s, const char *text, size_t n, buf *out);

#endif
