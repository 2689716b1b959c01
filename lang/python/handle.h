/* The handle of a stand-in: a value that an object of Python owns. */
#ifndef GPA_PYTHON_HANDLE_H
#define GPA_PYTHON_HANDLE_H

#include "lang/python/convert.h"

/* Names of capsules: of a handle, and of the host that callbacks get. */
extern const char stand_in_handle_name[], stand_in_host_name[];

typedef struct handle {
    python_host *host;  /* NULL: the session has ended */
    py_object *capsule; /* borrowed: it owns the handle */
    value v;
    struct handle *prev, *next;
} handle;

static inline bool on_session_thread(const python_host *h) {
    return pthread_equal(h->thread, pthread_self());
}

#endif
