/* Comms: messages between objects of the session (widgets) and of the front end. The session's
 * libraries own the objects; the kernel carries the messages, and lists the open comms for a front
 * end that connects again. */
#ifndef GPA_KERNEL_COMM_H
#define GPA_KERNEL_COMM_H

#include <pthread.h>

#include "kernel/request.h"
#include "lang/comm.h"

/* The open comms: their ids and targets, {id: {"target_name": name}}. */
typedef struct {
    pthread_mutex_t lock;
    json_t *open;
} comms;

bool comms_init(comms *c);
void comms_free(comms *c);

request_handler answer_comm, answer_comm_info;

/* The host's callback `comm` of kernel `user`. Any thread. */
void comm_send(void *user, const gpa_comm *m);
/* If a message updates the state of a widget, and so do all messages that wait at the end of the
 * queue: an earlier update of the same widget is merged into it, and then only acknowledged. So a
 * slider that moves while a cell runs costs one update. */
void comm_coalesce(queue *waiting, message *m);

#endif
