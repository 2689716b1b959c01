/* Storages: creation, pending and computed values, release (the record: graph/storage.h). */
#ifndef GPA_EXEC_STORAGE_H
#define GPA_EXEC_STORAGE_H

#include "runtime/graph/storage.h"
#include "runtime/plan/cut.h"

/* A storage with one reference; the caller sets its value. */
gpa_code storage_new(gpa_rt *rt, gpa_dtype t, int64_t size, gpa_storage **out, gpa_err *e);
/* A computed storage that takes over one ownership of b. On failure b is released too. */
gpa_code storage_of_buf_take(gpa_rt *rt, gpa_buf *b, gpa_dtype t, int64_t size, gpa_storage **out,
                             gpa_err *e);
void storage_release(gpa_rt *rt, gpa_storage *s);

/* Makes a storage without a value pending, with value n (retained). */
void storage_set_node(gpa_rt *rt, gpa_storage *s, node *n);
/* Replaces the value of a pending storage by another one of as many elements and the same dtype. */
gpa_code storage_replace(gpa_rt *rt, gpa_storage *s, node *n, gpa_err *e);
/* Makes a pending storage computed; takes over one ownership of b. */
void storage_settle(gpa_rt *rt, gpa_storage *s, gpa_buf *b);
/* After a storage became pending: computes pending work if the graph has grown past what may stay
 * pending (height, number of arrays, bytes kept alive). */
gpa_code storage_limit_pending(gpa_rt *rt, gpa_storage *s, gpa_err *e);

#endif
