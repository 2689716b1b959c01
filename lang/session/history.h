/* Input history of this session and, through a file, of earlier and concurrent sessions.
 *
 * The file has a line per entry, "SESSION LINE SECONDS<tab>INPUT" with \n and \\ for a newline and
 * a backslash; line 0 marks the start of a session. Each entry is appended by a single write, so
 * sessions may share the file, and a killed session loses nothing. The file is bounded in entries
 * and bytes: a session that finds it too large keeps the newest entries. */
#ifndef GPA_SESSION_HISTORY_H
#define GPA_SESSION_HISTORY_H

#include "lang/session.h"
#include "runtime/base/str.h"

typedef struct {
    int session, line;
    const char *input;
    char *own;    /* the input, if the entry owns it; NULL: it is borrowed from the session */
    char *output; /* NULL: there is none */
} history_entry;

typedef struct {
    char *path; /* NULL: in memory only */
    history_entry *entries;
    size_t n, cap;
    int session;           /* number of this session; 0: the file was not read yet */
    long long at;          /* number of bytes read of the file */
    unsigned long long id; /* inode of the file: truncation replaces it */
} history;

gpa_code history_init(history *h, const char *path);
void history_free(history *h);
/* Adds an entry of this session. The input, which ends with a zero and without blanks, is borrowed:
 * it outlives the history. A file that cannot be written is not used again: *reason (a
 * buffer of n bytes) gets the reason, else it is empty. GPA_E_MEMORY if the entry could not be
 * added. */
gpa_code history_add(history *h, int line, const char *input, size_t size, char *reason, size_t n);
/* Sets the value's text of the last entry. */
void history_set_output(history *h, const char *text, size_t n);
/* The entry of this session with this line number, or NULL. */
const history_entry *history_line(const history *h, int line);
gpa_code history_find(history *h, const gpa_history_query *q,
                      void (*each)(void *user, const gpa_entry *e), void *user);
/* Drops the inputs of this session from memory; the file is unchanged. */
void history_forget(history *h);

#endif
