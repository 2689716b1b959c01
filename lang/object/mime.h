/* The representations of one value: what a front end may show in the place of its text.
 *
 * A bundle is filled by the `mimes` of an object's kind (lang/vm/native.h) and read by the session.
 * The plain text is not its business: that is always repr(). */
#ifndef GPA_SESSION_MIME_H
#define GPA_SESSION_MIME_H

#include "lang/object/value.h"

enum { MIME_MOST = 8 };

typedef struct {
    const char *mime;  /* "image/png": a constant, not copied */
    char *data, *meta; /* owned; meta: a JSON object, or NULL */
    size_t n;
} mime_item;

typedef struct mime_bundle {
    mime_item item[MIME_MOST];
    size_t n;
} mime_bundle;

/* Adds a representation; data (n bytes) and meta (may be NULL) are copied. GPA_E_MEMORY. */
gpa_code mime_add(gpa_vm *vm, mime_bundle *b, const char *mime, const char *data, size_t n,
                  const char *meta);
/* The bundle begins empty: `mime_bundle b = {.n = 0}`. */
void mime_clear(mime_bundle *b);

#endif
