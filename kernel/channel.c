/* Event loops of the shell and control sockets, one thread each. Only the channel's thread
 * touches its socket. Invariant: a call of channel_settle returns only after the socket was seen
 * empty after the call. */
#include "kernel/channel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

#include "kernel/kernel.h"
#include "kernel/request.h"

typedef struct {
    queue_link link;
    message *to;
    const char *type;
    char *text;
} answer;

void channel_answer_take(message *to, const char *type, json_t *content) {
    answer *a = malloc(sizeof *a);
    if (a) {
        *a = (answer){.to = message_retain(to),
                      .type = type,
                      .text = content ? json_dumps(content, JSON_COMPACT) : NULL};
        queue_put(&to->from->answers, &a->link);
    }
    json_decref(content);
}

static void send_answers(channel *c) {
    static const char no_memory[] =
        "{\"status\":\"error\",\"ename\":\"MemoryError\",\"evalue\":\"\",\"traceback\":[]}";
    answer *a;
    while ((a = (answer *)queue_take(&c->answers))) {
        const char *text = a->text ? a->text : no_memory;
        letter l = {.type = a->type,
                    .prefix = a->to->ids,
                    .n_prefix = a->to->n_ids,
                    .parent = a->to->header,
                    .content = {text, strlen(text)}};
        wire_send(&c->kernel->wire, c->socket, &l);
        message_release(a->to);
        free(a->text);
        free(a);
    }
}

static void take_requests(channel *c) {
    message *m;
    const char *why;
    while (wire_receive(&c->kernel->wire, c->socket, &m, &why)) {
        if (m) {
            m->from = c;
            request_arrived(c->kernel, m);
            send_answers(c);
        } else {
            kernel_log(c->kernel, "a message was dropped: %s", why);
        }
    }
}

/* True if the process that started the kernel has exited (checked only with JPY_PARENT_PID set):
 * the kernel then shuts down. */
static bool orphaned(const kernel *k) {
    return getenv("JPY_PARENT_PID") && getppid() != k->starter;
}

static void *serve(void *arg) {
    channel *c = arg;
    bool stopping = false;
    while (!stopping) {
        pthread_mutex_lock(&c->lock);
        unsigned requested = c->requested;
        stopping = c->stopping;
        pthread_mutex_unlock(&c->lock);
        take_requests(c);
        send_answers(c);
        pthread_mutex_lock(&c->lock);
        c->done = requested;
        pthread_cond_broadcast(&c->settled);
        bool again =
            c->requested != requested || c->stopping; /* a request that came in the meantime: its
                                                 wake-up may have been consumed already */
        pthread_mutex_unlock(&c->lock);
        if (orphaned(c->kernel)) kernel_quit(c->kernel);
        zmq_pollitem_t polled[] = {{c->socket, 0, ZMQ_POLLIN, 0},
                                   {NULL, c->answers.fd, ZMQ_POLLIN, 0}};
        if (!again && zmq_poll(polled, 2, c == &c->kernel->control ? 1000 : -1) < 0 &&
            errno != EINTR)
            break;
    }
    zmq_close(c->socket);
    return NULL;
}

bool channel_start(channel *c, struct kernel *k, void *socket) {
    *c = (channel){.kernel = k, .socket = socket};
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->settled, NULL);
    return queue_init(&c->answers) && pthread_create(&c->thread, NULL, serve, c) == 0;
}

void channel_stop(channel *c) {
    pthread_mutex_lock(&c->lock);
    c->stopping = true;
    pthread_mutex_unlock(&c->lock);
    queue_wake(&c->answers);
    pthread_join(c->thread, NULL);
    queue_free(&c->answers);
    pthread_cond_destroy(&c->settled);
    pthread_mutex_destroy(&c->lock);
}

void channel_settle(channel *c) {
    pthread_mutex_lock(&c->lock);
    unsigned mine = ++c->requested;
    queue_wake(&c->answers);
    while (!c->stopping && (int)(c->done - mine) < 0) pthread_cond_wait(&c->settled, &c->lock);
    pthread_mutex_unlock(&c->lock);
}
