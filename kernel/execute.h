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
    char *header;          /* of the request; owned, as are the next three */
    json_t *data;          /* of its value */
    json_t *error;
    json_t *payload;
} cell;

request_handler execute_cell;
/* Makes a request that of the running cell, which outputs have as their parent, and ends that. The
 * session is called in between, in execute_call. */
void execute_begin(struct kernel *k, message *m);
void execute_end(struct kernel *k);
/* Calls the session on behalf of the running cell: interrupts reach it, and what it printed is
 * posted before this returns. */
gpa_code execute_call(struct kernel *k, gpa_code (*call)(struct kernel *k, void *user), void *user);
/* True while a cell that waits was neither interrupted nor told to quit. */
bool execute_waits(struct kernel *k);
/* Fills the host callbacks by which the session reports to this kernel. */
void execute_host(struct kernel *k, gpa_host *host);
/* The capture_sink of kernel `user`: attributes captured output to the last cell. */
void execute_captured(void *user, const char *name, const char *text, size_t n);

#endif
