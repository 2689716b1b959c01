/* A queue between threads. Its file descriptor is readable while something may be in it, so that a
 * thread can wait for it together with sockets. */
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
void queue_free(queue *q); /* what is in it is the caller's to have taken */
/* Appends; the item's first member is its link. Any thread. */
void queue_put(queue *q, queue_link *item);
/* The first item, NULL when there is none. */
queue_link *queue_take(queue *q);
/* Makes the file descriptor readable once. Any thread, any signal handler. */
void queue_wake(queue *q);
/* Calls `each` with every item, while nothing can be put or taken. */
void queue_each(queue *q, void (*each)(queue_link *item));

#endif
