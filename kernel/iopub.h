/* The channel that all front ends listen to: one thread owns its socket (XPUB) and sends, in order,
 * what others post.
 *
 * Stream text is gathered: it goes out when something else is posted, when there is much of it, or
 * after a tenth of a second. A front end that subscribes is welcomed. */
#ifndef GPA_IOPUB_H
#define GPA_IOPUB_H

#include "kernel/wire.h"

typedef struct iopub iopub;

/* Takes a bound socket and starts the thread. `limit`: bytes of stream text for one request, the
 * rest is left out. NULL on failure, the socket then stays the caller's. */
iopub *iopub_start(wire *w, void *socket, size_t limit);
/* Sends what was posted, closes the socket, ends the thread. */
void iopub_stop(iopub *p);

/* Any thread may post. `parent` (may be NULL) is the request it belongs to; `content` is consumed,
 * NULL when it could not be made for want of memory. */
void iopub_post_take(iopub *p, const char *type, message *parent, json_t *content);
/* `name`: "stdout" or "stderr". */
void iopub_stream(iopub *p, const char *name, message *parent, const char *text, size_t n);
void iopub_status(iopub *p, message *parent, const char *state);

#endif
