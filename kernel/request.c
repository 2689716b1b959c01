/* Every request is enclosed in the states busy and idle, also one that is unknown. */
#include "kernel/request.h"

#include <string.h>

#include "kernel/answers.h"
#include "kernel/kernel.h"

typedef enum { AT_ONCE, IN_TURN } request_turn; /* IN_TURN: by the thread that owns the session */
enum { SHELL = 1, CONTROL = 2 };                /* where it may come from */

#define REQUESTS(R)                                                                     \
    R(kernel_info_request, "kernel_info_reply", SHELL | CONTROL, AT_ONCE, answer_info)  \
    R(execute_request, "execute_reply", SHELL, IN_TURN, execute_cell)                   \
    R(complete_request, "complete_reply", SHELL, IN_TURN, answer_complete)              \
    R(inspect_request, "inspect_reply", SHELL, IN_TURN, answer_inspect)                 \
    R(is_complete_request, "is_complete_reply", SHELL, AT_ONCE, answer_is_complete)     \
    R(history_request, "history_reply", SHELL, IN_TURN, answer_history)                 \
    R(comm_info_request, "comm_info_reply", SHELL, AT_ONCE, answer_comm_info)           \
    R(comm_open, "", SHELL, AT_ONCE, answer_comm_open)                                  \
    R(comm_msg, "", SHELL, AT_ONCE, answer_nothing)                                     \
    R(comm_close, "", SHELL, AT_ONCE, answer_nothing)                                   \
    R(connect_request, "connect_reply", SHELL, AT_ONCE, answer_connect)                 \
    R(interrupt_request, "interrupt_reply", SHELL | CONTROL, AT_ONCE, answer_interrupt) \
    R(shutdown_request, "shutdown_reply", SHELL | CONTROL, AT_ONCE, answer_shutdown)    \
    R(usage_request, "usage_reply", SHELL | CONTROL, AT_ONCE, answer_usage)

typedef struct {
    const char *type, *reply;
    int channels;
    request_turn turn;
    request_handler *handle;
} row;

static const row rows[] = {
#define R(type, reply, channels, turn, handle) {#type, reply, channels, turn, handle},
    REQUESTS(R)
#undef R
};

static const row *find(const kernel *k, const message *m) {
    int from = m->from == &k->control ? CONTROL : SHELL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].type, m->type) == 0) return rows[i].channels & from ? &rows[i] : NULL;
    return NULL;
}

void request_arrived(kernel *k, message *m) {
    const row *r = find(k, m);
    if (r && r->turn == IN_TURN)
        queue_put(&k->todo, &m->link);
    else
        request_handle(k, m);
}

void request_handle(kernel *k, message *m) {
    const row *r = find(k, m);
    iopub_status(k->iopub, m, "busy");
    if (!r) kernel_log(k, "a message of a type that is not known here: %s", m->type);
    json_t *content = r ? r->handle(k, m) : NULL;
    if (content) channel_answer_take(m, r->reply, content);
    iopub_status(k->iopub, m, "idle");
    message_release(m);
}
