/* Coloured error reports. */
#ifndef GPA_REPORT_H
#define GPA_REPORT_H

#include "lang/session.h"
#include "repl/buf.h"

/* Appends the report. s (for the colours of source lines) may be NULL. */
void report_put(gpa_session *s, const gpa_diag *d, buf *out);

#endif
