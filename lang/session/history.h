/* What was entered, in this session and, through a file, in those before and beside it.
 *
 * The file has a line per entry, "SESSION LINE SECONDS<tab>INPUT" with \n and \\ for a newline and
 * a backslash; line 0 is the mark of a session that began. Entries are appended one by one, each by
 * one write, so that sessions may share the file and a killed one loses nothing. */
#ifndef GPA_SESSION_HISTORY_H
#define GPA_SESSION_HISTORY_H

#include "lang/session.h"
#include "runtime/base/str.h"

typedef struct {
    int session, line;
    char *input, *output; /* output: NULL when there is none */
} history_entry;

typedef struct {
    char *path; /* NULL: in memory only */
    history_entry *entries;
    size_t n, cap;
    int session;  /* this one's number; 0: the file was not looked at yet */
    long long at; /* how far the file was read */
    unsigned long long
        id; /* which file that was: another one stands in its place after it was shortened */
} history;

gpa_code history_init(history *h, const char *path);
void history_free(history *h);
/* Adds an entry of this session. A file that cannot be written to is not used again: *trouble (a
 * buffer of n bytes) says why, else it is empty. GPA_E_MEMORY when the entry could not be kept. */
gpa_code history_add(history *h, int line, const char *input, size_t size, char *trouble, size_t n);
/* The text of the value of the entry added last. */
void history_set_output(history *h, const char *text, size_t n);
/* An entry of this session by its line, or NULL. */
const history_entry *history_line(const history *h, int line);
gpa_code history_find(history *h, const gpa_history_query *q,
                      void (*each)(void *user, const gpa_entry *e), void *user);
/* Forgets the inputs of this session; the file stays as it is. */
void history_forget(history *h);

#endif
