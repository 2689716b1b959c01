/* Jupyter kernel: a session behind five ZeroMQ sockets.
 *
 * Threads: the main thread evaluates, and owns the session and the stdin socket; the shell,
 * control, iopub and heartbeat sockets have one thread each; one more reads captured stdout and
 * stderr. Threads communicate through queues. Requests that need the session wait in `todo` for
 * the main thread, or in `soon`, which it looks at between the statements of a cell, too, and while
 * the debugger has stopped one; the receiving thread answers all others. Only the main thread gets
 * SIGINT. */
#ifndef GPA_KERNEL_H
#define GPA_KERNEL_H

#include <stdatomic.h>
#include <sys/types.h>
#include <time.h>

#include "kernel/adapter.h"
#include "kernel/channel.h"
#include "kernel/comm.h"
#include "kernel/wire.h"
#include "kernel/execute.h"
#include "kernel/iopub.h"
#include "lang/session.h"

typedef struct kernel {
    connection at;
    wire wire;
    void *zmq;
    iopub *iopub;
    channel shell, control;
    void *input;      /* the stdin socket */
    queue todo, soon; /* requests for the main thread: in their order; also while a cell runs */
    gpa_session *session;
    cell cell; /* what is being evaluated */
    comms comms;
    adapter adapter; /* the debugger of notebooks */
    pthread_mutex_t lock;
    message *parent; /* parent of output from outside the session: the last cell; `lock` guards it
                        and `muted` */
    bool muted;
    atomic_bool running, quitting;
    atomic_uint n_interrupts;
    struct timespec began;
    pid_t starter; /* parent process at startup */
    int log;       /* file descriptor of the kernel's own log */
} kernel;

/* Serves front ends until one requests shutdown. Returns the process's exit code. */
int kernel_run(const char *connection_file);
/* Interrupts the running cell, if any. Any thread, signal handlers. */
void kernel_interrupt(kernel *k);
/* Makes kernel_run return soon, whatever is running. Any thread, signal handlers. */
void kernel_quit(kernel *k);
/* Writes a line to the kernel's log, for the process that started it. Any thread. */
void kernel_log(const kernel *k, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
