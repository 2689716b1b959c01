/* MIME bundles: the representations of a value that a front end may show instead of its text.
 *
 * A bundle is filled by `mimes` of an object's kind (lang/object/kind.h) and read by the session.
 * The plain text is repr(), unless the bundle has its own. */
#ifndef GPA_SESSION_MIME_H
#define GPA_SESSION_MIME_H

#include "lang/object/value.h"

enum { MIME_MOST = 16 };

typedef struct {
    const char *mime;  /* "image/png": a constant, not copied */
    char *data, *meta; /* owned; meta: a JSON object, or NULL */
    size_t n;
} mime_item;

typedef struct mime_bundle {
    mime_item item[MIME_MOST];
    size_t n;
    bool displayed; /* the value has displayed itself (_ipython_display_): nothing else is shown */
} mime_bundle;

/* Adds a representation; data (n bytes) and meta (may be NULL) are copied. GPA_E_MEMORY. */
gpa_code mime_add(gpa_vm *vm, mime_bundle *b, const char *mime, const char *data, size_t n,
                  const char *meta);
/* Frees the representations. An empty bundle is `{.n = 0}`. */
void mime_clear(mime_bundle *b);

#endif
