/* Thread-safe queue with an eventfd. Invariant: while the queue has an item, the descriptor is
 * readable or the consumer is awake. */
#include "kernel/queue.h"

#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

bool queue_init(queue *q) {
    *q = (queue){.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    q->tail = &q->head;
    return q->fd >= 0 && pthread_mutex_init(&q->lock, NULL) == 0;
}

void queue_free(queue *q) {
    close(q->fd);
    pthread_mutex_destroy(&q->lock);
}

void queue_wake(queue *q) {
    uint64_t one = 1;
    ssize_t n = write(q->fd, &one, sizeof one); /* fails only if the counter is full: then the
                                                   descriptor is readable already */
    (void)n;
}

void queue_put(queue *q, queue_link *item) {
    item->next = NULL;
    pthread_mutex_lock(&q->lock);
    *q->tail = item;
    q->tail = &item->next;
    pthread_mutex_unlock(&q->lock);
    queue_wake(q);
}

queue_link *queue_take(queue *q) {
    uint64_t count;
    ssize_t n = 0;
    pthread_mutex_lock(&q->lock);
    queue_link *item = q->head;
    if (!item)
        n = read(q->fd, &count,
                 sizeof count); /* under the lock, so the wake-up for a new item is not lost */
    else if (!(q->head = item->next))
        q->tail = &q->head;
    (void)n;
    pthread_mutex_unlock(&q->lock);
    return item;
}

void queue_each(queue *q, void (*each)(queue_link *item, void *user), void *user) {
    pthread_mutex_lock(&q->lock);
    for (queue_link *item = q->head; item; item = item->next) each(item, user);
    pthread_mutex_unlock(&q->lock);
}
