/* Messages between ranks: waits that use little CPU, see dead processes and have a time limit. */
#ifndef GPA_RANKS_CHANNEL_H
#define GPA_RANKS_CHANNEL_H

#include <sys/types.h>

#include "runtime/base/str.h"
#include "runtime/ranks/mpi.h"

/* Message tags. */
enum { CHANNEL_HELLO = 1, CHANNEL_COMMAND, CHANNEL_REPLY, CHANNEL_DATA };

/* The description that a rank sends to the others. */
typedef struct {
    uint64_t identity; /* of the program and the processor: must be that of all */
    int32_t pid;
    char host[60];
} channel_peer;

typedef struct {
    const mpi_functions *mpi;
    mpi_handle comm;
    int rank, size;
    channel_peer peers[MPI_MAX_RANKS];
    const int32_t *stop; /* rank 0: set by an interrupt, which is passed on to busy workers */
    struct channel_sending *sending;
    size_t n_sending, cap_sending;
    double spoken[MPI_MAX_RANKS]; /* when the last command was sent */
    double limit;                 /* seconds of a wait for a message that was announced */
} channel;

/* In a worker, before MPI starts threads: they must not take the signal that wakes it. */
void channel_prepare_worker(void);
/* All ranks call it: *l over the communicator. GPA_E_DEVICE if their
 * identities differ. */
gpa_code channel_open(channel *l, const mpi_functions *m, mpi_handle comm, uint64_t identity,
                      gpa_err *e);
/* Frees the list of sends, which must be finished. */
void channel_free_sends(channel *l);

/* Sends begin at once and end in channel_finish_sends; until then the memory must not change. */
gpa_code channel_send(channel *l, int to, int tag, const void *from, size_t n, gpa_err *e);
/* The same of memory that is freed when the send has ended, or failed. */
gpa_code channel_send_take(channel *l, int to, int tag, char *from, size_t n, gpa_err *e);
gpa_code channel_finish_sends(channel *l, gpa_err *e);
/* Receives n bytes. */
gpa_code channel_receive(channel *l, int from, int tag, void *to, size_t n, gpa_err *e);
/* Receives a message of any length into *out. A worker that waits for commands sleeps in between,
 * and fails once rank 0 has ended. */
gpa_code channel_receive_text(channel *l, int from, int tag, gpa_str *out, gpa_err *e);
/* True if the rank's process is known to have ended. */
bool channel_is_dead(const channel *l, int rank);
/* Waits for the end of the rank's process, on this host, for at most a second. */
void channel_await_end(const channel *l, int rank);
/* Kills the rank's process, on this host. */
void channel_kill(const channel *l, int rank);
/* GPA_E_DEVICE that names the rank. */
gpa_code channel_fail(const channel *l, int rank, const char *what, gpa_err *e);

#endif
