/* Cells: execute_request, and what the session says while one runs. On the thread that evaluates.
 */
#ifndef GPA_EXECUTE_H
#define GPA_EXECUTE_H

#include "kernel/request.h"
#include "lang/session.h"

/* The cell that runs. */
typedef struct {
    message *request;      /* NULL: none */
    bool silent;           /* nothing of it is shown */
    bool aside;            /* a user expression: its value and its error are kept, not shown */
    bool may_ask;          /* the front end answers input requests */
    unsigned n_interrupts; /* how many there were when it began */
    json_t *data;          /* of its value; owned, as are the others */
    json_t *error;
    json_t *payload;
} cell;

request_handler execute_cell;
/* The session's way to talk to this kernel. */
void execute_host(struct kernel *k, gpa_host *host);
/* A capture_sink for the kernel `user`: output of the last cell. */
void execute_captured(void *user, const char *name, const char *text, size_t n);

#endif
