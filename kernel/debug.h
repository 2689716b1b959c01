/* The debugger of notebooks: debug_request and debug_event messages; and requests that are answered
 * while a cell runs. */
#ifndef GPA_KERNEL_DEBUG_H
#define GPA_KERNEL_DEBUG_H

#include "kernel/request.h"

request_handler answer_debug;
/* Connects the adapter with the session. */
void debug_start(struct kernel *k);
/* Host callback: answers the requests in `soon`. */
void debug_visit(void *user);

#endif
