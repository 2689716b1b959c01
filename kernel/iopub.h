/* IOPub channel: output broadcast to all front ends. One thread owns the XPUB socket and sends
 * messages in the order in which other threads post them.
 *
 * Stream text is buffered until another message is posted, the buffer is large, or a tenth of a
 * second has passed. A new subscriber gets an iopub_welcome. */
#ifndef GPA_IOPUB_H
#define GPA_IOPUB_H

#include "kernel/wire.h"
#include "lang/comm.h"

typedef struct iopub iopub;

/* Takes a bound socket and starts the thread. `limit`: bytes of stream text per request; the
 * rest is dropped. Returns NULL on failure; the caller then keeps the socket. */
iopub *iopub_start(wire *w, void *socket, size_t limit);
/* Sends the queued messages, closes the socket and joins the thread. */
void iopub_stop(iopub *p);

/* Any thread may post. `parent` (may be NULL) is the request that caused the message. Consumes
 * `content`; NULL means out of memory. */
void iopub_post_take(iopub *p, const char *type, message *parent, json_t *content);
/* Posts a message of a comm, with its metadata and buffers; all are copied. */
void iopub_comm(iopub *p, message *parent, const gpa_comm *m);
/* `name`: "stdout" or "stderr". */
void iopub_stream(iopub *p, const char *name, message *parent, const char *text, size_t n);
void iopub_status(iopub *p, message *parent, const char *state);

#endif
