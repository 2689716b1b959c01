/* Execution of cells (execute_request) and the session's host callbacks while one runs. On the
 * thread that evaluates. */
#ifndef GPA_EXECUTE_H
#define GPA_EXECUTE_H

#include "kernel/request.h"
#include "lang/session.h"

/* The running cell. */
typedef struct {
    message *request;      /* NULL: none */
    bool silent;           /* no output is shown */
    bool aside;            /* a user expression: its value and error are kept but not shown */
    bool may_ask;          /* the front end answers input requests */
    unsigned n_interrupts; /* value of the kernel's interrupt counter when the cell began */
    json_t *data;          /* of its value; owned, as are the next two */
    json_t *error;
    json_t *payload;
} cell;

request_handler execute_cell;
/* Fills the host callbacks by which the session reports to this kernel. */
void execute_host(struct kernel *k, gpa_host *host);
/* The capture_sink of kernel `user`: attributes captured output to the last cell. */
void execute_captured(void *user, const char *name, const char *text, size_t n);

#endif
