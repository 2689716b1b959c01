/* The debugger of notebooks: debug_request and debug_event messages; and requests that are answered
 * while a cell runs. */
#include "kernel/debug.h"

#include <poll.h>

#include "kernel/capture.h"
#include "kernel/kernel.h"

static void send_event(void *user, json_t *event) {
    kernel *k = user;
    capture_drain();
    iopub_post_take(k->iopub, "debug_event", k->cell.request, event);
}

/* Execution has stopped. */
static gpa_code answer_until_resumed(void *user) {
    kernel *k = user;
    const bool visiting = k->adapter.visiting;
    k->adapter.visiting = false;
    while (!k->adapter.resumed && execute_waits(k)) {
        message *m = (message *)queue_take(&k->soon);
        struct pollfd fd = {k->soon.fd, POLLIN, 0};
        if (m)
            request_handle(k, m);
        else if (execute_waits(k))
            poll(&fd, 1, -1);
    }
    k->adapter.visiting = visiting;
    return k->adapter.resumed ? GPA_OK : GPA_E_INTERRUPT;
}

void debug_start(kernel *k) {
    k->adapter = (adapter){
        .session = k->session, .user = k, .send = send_event, .wait = answer_until_resumed};
    adapter_init(&k->adapter);
}

void debug_visit(void *user) {
    kernel *k = user;
    message *m;
    k->adapter.visiting = true;
    while ((m = (message *)queue_take(&k->soon))) request_handle(k, m);
    k->adapter.visiting = false;
}

typedef struct {
    const json_t *request;
    json_t *response;
} exchange;

static gpa_code answer(kernel *k, void *user) {
    exchange *x = user;
    x->response = adapter_answer(&k->adapter, x->request);
    return GPA_OK;
}

json_t *answer_debug(kernel *k, message *m) {
    exchange x = {m->content, NULL};
    if (atomic_load(&k->running)) {
        answer(k, &x);
    } else { /* no cell runs: what the request evaluates is one */
        execute_begin(k, m);
        execute_call(k, answer, &x);
        execute_end(k);
    }
    return x.response;
}
