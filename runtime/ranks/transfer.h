/* Transfers of scattered bytes between two ranks: gather, message, scatter. */
#ifndef GPA_RANKS_TRANSFER_H
#define GPA_RANKS_TRANSFER_H

#include "runtime/ranks/channel.h"

typedef struct {
    char *at;
    size_t n;
} segment;

/* Sends the bytes of n segments; as with channel_send, they must not change until
 * channel_finish_sends. */
gpa_code transfer_send(channel *c, int to, const segment *s, size_t n, gpa_err *e);
/* Receives the bytes of n segments of the same sizes. */
gpa_code transfer_receive(channel *c, int from, const segment *s, size_t n, gpa_err *e);
/* The number of messages of such a transfer. */
size_t transfer_messages(const segment *s, size_t n);

#endif
