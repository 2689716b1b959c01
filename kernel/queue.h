/* Thread-safe message queue. Its file descriptor is readable while the queue may have items, so
 * a thread can poll it together with sockets. */
#ifndef GPA_QUEUE_H
#define GPA_QUEUE_H

#include <pthread.h>
#include <stdbool.h>

typedef struct queue_link {
    struct queue_link *next;
} queue_link;

typedef struct {
    pthread_mutex_t lock;
    queue_link *head, **tail;
    int fd;
} queue;

bool queue_init(queue *q);
void queue_free(queue *q); /* the caller takes all items first */
/* Appends an item; its first member is its link. Any thread. */
void queue_put(queue *q, queue_link *item);
/* Removes the first item; NULL if the queue is empty. */
queue_link *queue_take(queue *q);
/* Makes the file descriptor readable. Any thread, any signal handler. */
void queue_wake(queue *q);
/* Calls `each` with every item, the first one first, while the queue is locked. */
void queue_each(queue *q, void (*each)(queue_link *item, void *user), void *user);

#endif
