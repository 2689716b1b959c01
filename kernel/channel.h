/* Request sockets (shell and control) of the Jupyter protocol. One thread per socket receives
 * requests and sends replies. */
#ifndef GPA_CHANNEL_H
#define GPA_CHANNEL_H

#include "kernel/wire.h"

struct kernel;

typedef struct channel {
    struct kernel *kernel;
    void *socket;
    queue answers;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t settled;
    unsigned requested, done; /* calls of channel_settle: made and completed; guarded by `lock` */
    bool stopping;            /* guarded by `lock` */
} channel;

/* Starts the thread on a bound socket; false on failure. */
bool channel_start(channel *c, struct kernel *k, void *socket);
/* Sends the queued replies, closes the socket and joins the thread. */
void channel_stop(channel *c);
/* Queues the reply to a request on the channel that received it. Any thread. Consumes `content`;
 * NULL means out of memory. */
void channel_answer_take(message *to, const char *type, json_t *content);
/* Waits until the thread has received every message that has arrived so far. Not from the
 * channel's own thread. */
void channel_settle(channel *c);

#endif
