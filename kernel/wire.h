/* Messages on the wire: [identities] <IDS|MSG> signature header parent_header metadata content
 * [buffers]; and the connection file. */
#ifndef GPA_KERNEL_WIRE_H
#define GPA_KERNEL_WIRE_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "kernel/queue.h"
#include "kernel/sha256.h"

/* ---- the connection file ---- */

typedef enum { PORT_SHELL, PORT_CONTROL, PORT_STDIN, PORT_IOPUB, PORT_HB, N_PORTS } connection_port;

typedef struct {
    char transport[8], ip[256], key[256], scheme[32];
    char ports[N_PORTS][8];
} connection;

/* Reads a file. On failure false, and a sentence in why[0..n). */
bool connection_read(connection *c, const char *path, char *why, size_t n);
/* "tcp://127.0.0.1:5555", "ipc:///tmp/k-1". */
void connection_endpoint(const connection *c, connection_port port, char *text, size_t n);

/* ---- messages ---- */

typedef struct {
    hmac key;
    bool is_signed;       /* an empty key: nothing is */
    char session[37];     /* a UUID, this process's own */
    char user[64];        /* as it stands between quotes in JSON */
    atomic_ullong n_sent; /* numbers the messages */
} wire;

/* A request. Counted: the messages that answer it refer to it as their parent. Its members are not
 * changed once it has arrived, but for `aborted`, which belongs to the queue it is in. */
typedef struct message {
    queue_link link;
    atomic_int refs;
    bool aborted;
    size_t n_ids;
    bytes *ids;   /* the identities, to be sent back */
    bytes header; /* as it came */
    const char *type;
    json_t *head, *content; /* objects */
    struct channel *from;
} message;

/* What is sent. `content` is JSON. */
typedef struct {
    const char *type;
    const bytes *prefix; /* identities, or a topic */
    size_t n_prefix;
    bytes parent; /* n 0: none */
    bytes content;
} letter;

/* False, with a sentence on `why`, when the signature scheme is not known. */
bool wire_init(wire *w, const char *scheme, const char *key, const char **why);
/* Takes a message from a socket, without waiting: false when there is none. *out is NULL when it
 * was dropped: *why. */
bool wire_receive(const wire *w, void *socket, message **out, const char **why);
/* False when the socket does not take it (it is being closed). */
bool wire_send(wire *w, void *socket, const letter *l);

message *message_retain(message *m);
void message_release(message *m); /* NULL is ignored */

#endif
