/* The kernel: a session behind five sockets.
 *
 * Threads: the main one evaluates, and owns the session and the stdin socket; one each for the
 * sockets shell, control, iopub and heartbeat; one reads what is written to the file descriptors 1
 * and 2. They talk through queues. Requests that need the session wait in `todo` for the main
 * thread, all others are answered by the thread that takes them, so that they are answered while a
 * cell runs. SIGINT reaches the main thread only. */
#ifndef GPA_KERNEL_H
#define GPA_KERNEL_H

#include <stdatomic.h>
#include <sys/types.h>
#include <time.h>

#include "kernel/channel.h"
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
    void *input; /* the stdin socket */
    queue todo;
    gpa_session *session;
    cell cell; /* what is being evaluated */
    pthread_mutex_t lock;
    message *parent; /* of output from outside the session: the last cell; guarded by `lock`, as is
                        `muted` */
    bool muted;
    atomic_bool running, quitting;
    atomic_uint n_interrupts;
    struct timespec began;
    pid_t starter; /* the process that started this one */
    int log;       /* where the kernel's own reports go */
} kernel;

/* Serves front ends until one of them asks to shut down. The process's exit code. */
int kernel_run(const char *connection_file);
/* Interrupts the running cell; without one nothing happens. Any thread, signal handlers. */
void kernel_interrupt(kernel *k);
/* Ends kernel_run soon, whatever is running. Any thread, signal handlers. */
void kernel_quit(kernel *k);
/* A line for the one who started the kernel. Any thread. */
void kernel_log(const kernel *k, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
