/* Request dispatch of the Jupyter protocol: one row per message type, one handler per row.
 * Handlers that use the session run on the thread that owns it. */
#ifndef GPA_KERNEL_REQUEST_H
#define GPA_KERNEL_REQUEST_H

#include "kernel/wire.h"

/* ---- dispatch ---- */

struct kernel;

/* Returns the content of the reply, or NULL for none. */
typedef json_t *request_handler(struct kernel *k, message *m);

/* Dispatches a received request: answers it, or queues it for the thread that evaluates.
 * Consumes m. */
void request_arrived(struct kernel *k, message *m);
/* Handles a request on this thread, between the statuses busy and idle. Consumes m. */
void request_handle(struct kernel *k, message *m);

/* ---- handlers ---- */

request_handler answer_info, answer_complete, answer_inspect, answer_is_complete, answer_history,
    answer_connect, answer_interrupt, answer_shutdown, answer_usage;

#endif
