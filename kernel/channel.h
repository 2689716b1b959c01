/* The sockets through which requests come: shell and control. One thread each takes what arrives
 * and sends the answers. */
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
    unsigned asked, done; /* calls of channel_settle, guarded by `lock` */
    bool stopping;        /* guarded by `lock` */
} channel;

/* Starts the thread on a bound socket; false on failure. */
bool channel_start(channel *c, struct kernel *k, void *socket);
/* Sends what is still to be sent, closes the socket, ends the thread. */
void channel_stop(channel *c);
/* Answers a request through the channel it came from. Any thread. `content` is consumed; NULL:
 * there was no memory. */
void channel_answer_take(message *to, const char *type, json_t *content);
/* Waits until all that has arrived up to now has been taken in. Not from the channel's own thread.
 */
void channel_settle(channel *c);

#endif
