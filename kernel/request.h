/* What front ends may ask: one row per message type, and the one place that handles them. */
#ifndef GPA_REQUEST_H
#define GPA_REQUEST_H

#include "kernel/wire.h"

struct kernel;

/* The content of the answer, or NULL for none. */
typedef json_t *request_handler(struct kernel *k, message *m);

/* A request has arrived: it is answered, or put in the queue of the thread that evaluates. Consumes
 * m. */
void request_arrived(struct kernel *k, message *m);
/* Handles a request on this thread, between the states busy and idle. Consumes m. */
void request_handle(struct kernel *k, message *m);

#endif
