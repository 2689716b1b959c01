/* Jupyter wire protocol: [identities] <IDS|MSG> signature header parent_header metadata content
 * [buffers]; and the connection file. */
#ifndef GPA_KERNEL_WIRE_H
#define GPA_KERNEL_WIRE_H

#include <jansson.h>
#include <pthread.h>
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

/* Reads a connection file. On failure returns false with a message in why[0..n). */
bool connection_read(connection *c, const char *path, char *why, size_t n);
/* ZeroMQ endpoint of a port: "tcp://127.0.0.1:5555", "ipc:///tmp/k-1". */
void connection_endpoint(const connection *c, connection_port port, char *text, size_t n);

enum { WIRE_DIGEST = 32 }; /* hexadecimal digits */

/* ---- messages ---- */

typedef struct {
    hmac key;
    bool is_signed; /* false if the key is empty */
    /* Of the signed messages received last, the first half of the signature: a message that comes
     * again is a replay, which is dropped. */
    struct {
        pthread_mutex_t lock; /* messages of several channels are received at once */
        char (*at)[WIRE_DIGEST];
        size_t n, next;
    } seen;
    char session[37];     /* UUID of this process */
    char user[64];        /* escaped for a JSON string */
    atomic_ullong n_sent; /* message counter */
} wire;

/* A received request, reference counted: messages that answer it refer to it as their parent.
 * Immutable once received, but for `aborted`, which belongs to the queue that holds the request. */
typedef struct message {
    queue_link link;
    atomic_int refs;
    bool aborted;
    size_t n_ids, n_buffers;
    bytes *ids;             /* routing identities, to be sent back */
    bytes header, metadata; /* as received */
    bytes *buffers;
    const char *type;
    json_t *head, *content; /* objects */
    struct channel *from;
} message;

/* A message to send. `content` is JSON. */
typedef struct {
    const char *type;
    const bytes *prefix; /* identities, or a topic */
    size_t n_prefix;
    bytes parent; /* n 0: none */
    bytes content;
    bytes metadata; /* n 0: none */
    const bytes *buffers;
    size_t n_buffers;
} letter;

/* False, with a message in *why, if the signature scheme is unknown. */
bool wire_init(wire *w, const char *scheme, const char *key, const char **why);
void wire_free(wire *w);
/* Receives a message without waiting; false if there is none. *out is NULL if the message was
 * dropped; then *why is the reason. */
bool wire_receive(wire *w, void *socket, message **out, const char **why);
/* False if the socket rejects the message (it is being closed). */
bool wire_send(wire *w, void *socket, const letter *l);

message *message_retain(message *m);
void message_release(message *m); /* NULL is ignored */

#endif
