/* Debug Adapter Protocol: answers the requests of a debugger's front end from a session, and sends
 * its events. Notebooks send requests as messages of the control channel (debug.c), editors on
 * standard input (dap.c).
 *
 * A cell is a source by the path PREFIX + Murmur2 hash of its text + SUFFIX, which notebooks
 * compute, too. All functions are called on the evaluating thread. */
#ifndef GPA_KERNEL_ADAPTER_H
#define GPA_KERNEL_ADAPTER_H

#include <jansson.h>
#include <stdatomic.h>

#include "lang/debugger.h"

typedef struct adapter {
    gpa_session *session; /* NULL: not yet; then only initialize and disconnect are answered */
    void *user;
    /* Sends an event. Consumes it; NULL when out of memory. */
    void (*send)(void *user, json_t *event);
    /* Execution has stopped: answers requests until `resumed` is set. A failure ends the
     * evaluation. */
    gpa_code (*wait)(void *user);
    char prefix[64];      /* of the paths of cells */
    bool started;         /* since initialize, until disconnect */
    bool configured;      /* since configurationDone */
    bool entering;        /* the next pause is before the first line of a program */
    bool visiting;        /* the program runs: requests come between two of its statements */
    bool resumed;         /* while `stop` is set: execution is to continue */
    const gpa_stop *stop; /* NULL: execution has not stopped */
    atomic_llong seq;     /* of the last message */
    json_t *breakpoints;  /* of each path: a list of {line, condition, logMessage} */
    json_t *cells;        /* of each path: the text of a cell that did not run yet */
} adapter;

/* `session`, `user`, `send` and `wait` are set. */
void adapter_init(adapter *a);
void adapter_free(adapter *a);
/* The response to a request. NULL when out of memory. */
json_t *adapter_answer(adapter *a, const json_t *request);
/* The response that a request was fulfilled (why NULL), or why not. Consumes body (NULL: none). */
json_t *adapter_response(adapter *a, const json_t *request, json_t *body, const char *why);
/* Sends an event. Consumes body (NULL: none). Any thread. */
void adapter_event(adapter *a, const char *event, json_t *body);

/* ---- for the files of the adapter ---- */

/* A handler sets *body, and fails with a message in *why. */
typedef bool adapter_handler(adapter *a, const json_t *arguments, json_t **body, const char **why);
adapter_handler adapter_initialize, adapter_attach, adapter_configured, adapter_disconnect,
    adapter_info, adapter_dump, adapter_break, adapter_errors, adapter_source, adapter_modules,
    adapter_threads, adapter_continue, adapter_next, adapter_step_in, adapter_step_out,
    adapter_pause, adapter_stack, adapter_scopes, adapter_variables, adapter_evaluate, adapter_set,
    adapter_error_info, adapter_inspect, adapter_inspect_rich, adapter_copy;

/* The path of a source, in path[0..n). */
void adapter_path(const adapter *a, const gpa_source *s, char *path, size_t n);
/* The bytes of a file, to be freed; NULL with errno set. */
char *adapter_file(const char *path, size_t *n);
/* A text argument; "" if there is none. */
const char *adapter_text(const json_t *arguments, const char *name);
/* An integer argument. */
json_int_t adapter_number(const json_t *arguments, const char *name, json_int_t otherwise);
/* Stops reach the adapter from now on. */
void adapter_begin(adapter *a);

#endif
