/* Startup and shutdown of the Jupyter kernel. The sockets are bound and served before the
 * session exists, so that a front end need not wait for it. Reading order: kernel_run, then its
 * callees above it. */
#include "kernel/kernel.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include <zmq.h>

#include "kernel/capture.h"
#include "kernel/debug.h"
#include "kernel/request.h"

enum { OUTPUT_LIMIT = 16 << 20, MAX_MESSAGE = 256 << 20, LINGER_MS = 1000, PATIENCE_MS = 1500 };

static kernel *served; /* for signal handlers, which take no argument */

void kernel_log(const kernel *k, const char *fmt, ...) {
    char text[512] = "gpa-kernel: ";
    va_list ap;
    va_start(ap, fmt);
    size_t n = strlen(text);
    vsnprintf(text + n, sizeof text - n - 1, fmt, ap);
    va_end(ap);
    strcat(text, "\n");
    ssize_t put = write(k->log, text, strlen(text));
    (void)put; /* a failure of the log cannot be reported */
}

/* ---- signals ---- */

void kernel_interrupt(kernel *k) {
    atomic_fetch_add(&k->n_interrupts, 1);
    if (atomic_load(&k->running)) gpa_session_interrupt(k->session);
    queue_wake(&k->soon); /* the debugger may wait */
}

/* Requests shutdown. A timer (SIGALRM) ends the process if shutdown takes too long. */
void kernel_quit(kernel *k) {
    struct itimerval patience = {.it_value = {PATIENCE_MS / 1000, PATIENCE_MS % 1000 * 1000}};
    if (atomic_exchange(&k->quitting, true)) return;
    setitimer(ITIMER_REAL, &patience, NULL);
    kernel_interrupt(k);
    queue_wake(&k->todo);
}

static void on_interrupt(int number) {
    int keep = errno;
    (void)number;
    kernel_interrupt(served);
    errno = keep;
}

static void on_terminate(int number) {
    int keep = errno;
    (void)number;
    kernel_quit(served);
    errno = keep;
}

static void on_alarm(int number) {
    (void)number;
    _exit(0);
}

static void catch_signal(int number, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

/* Blocks or unblocks in this thread the signals that only the main thread handles. */
static void block_signals(int how) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(how, &set, NULL);
}

/* ---- sockets ---- */

static void *bind_socket(kernel *k, connection_port port, int type) {
    static const int yes = 1, linger = LINGER_MS, unlimited = 0;
    static const int64_t size = MAX_MESSAGE;
    char endpoint[300];
    void *socket = zmq_socket(k->zmq, type);
    if (!socket) return NULL;
    zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger);
    zmq_setsockopt(socket, ZMQ_SNDHWM, &unlimited, sizeof unlimited);
    zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &size, sizeof size);
    if (type == ZMQ_ROUTER) zmq_setsockopt(socket, ZMQ_ROUTER_HANDOVER, &yes, sizeof yes);
    if (type == ZMQ_XPUB) zmq_setsockopt(socket, ZMQ_XPUB_VERBOSE, &yes, sizeof yes);
    if (port == PORT_STDIN)
        zmq_setsockopt(socket, ZMQ_ROUTER_MANDATORY, &yes,
                       sizeof yes); /* sending to an unknown identity fails */
    connection_endpoint(&k->at, port, endpoint, sizeof endpoint);
    if (zmq_bind(socket, endpoint) == 0) return socket;
    fprintf(stderr, "gpa-kernel: %s: %s\n", endpoint, zmq_strerror(errno));
    zmq_close(socket);
    return NULL;
}

static void *beat(void *socket) {
    zmq_msg_t m;
    zmq_msg_init(&m);
    while ((zmq_msg_recv(&m, socket, 0) >= 0 &&
            zmq_msg_send(&m, socket, zmq_msg_more(&m) ? ZMQ_SNDMORE : 0) >= 0) ||
           errno == EINTR)
        continue;
    zmq_msg_close(&m);
    zmq_close(socket);
    return NULL;
}

/* ---- lifecycle ---- */

static size_t output_limit(void) {
    const char *text = getenv("GPA_OUTPUT_LIMIT");
    unsigned long long n = text ? strtoull(text, NULL, 10) : 0;
    return n ? (size_t)n : OUTPUT_LIMIT;
}

/* Binds all sockets and starts their threads. On failure the process exits soon, so nothing is
 * undone. */
static bool start_sockets(kernel *k, pthread_t *heart) {
    void *sockets[N_PORTS];
    static const int types[N_PORTS] = {[PORT_SHELL] = ZMQ_ROUTER,
                                       [PORT_CONTROL] = ZMQ_ROUTER,
                                       [PORT_STDIN] = ZMQ_ROUTER,
                                       [PORT_IOPUB] = ZMQ_XPUB,
                                       [PORT_HB] = ZMQ_REP};
    k->zmq = zmq_ctx_new();
    for (int i = 0; i < N_PORTS; i++)
        if (!k->zmq || !(sockets[i] = bind_socket(k, (connection_port)i, types[i]))) return false;
    k->input = sockets[PORT_STDIN];
    k->iopub = iopub_start(&k->wire, sockets[PORT_IOPUB], output_limit());
    if (!k->iopub || pthread_create(heart, NULL, beat, sockets[PORT_HB])) return false;
    iopub_status(k->iopub, NULL, "starting");
    k->log = capture_start(execute_captured, k);
    return k->log >= 0 && channel_start(&k->control, k, sockets[PORT_CONTROL]) &&
           channel_start(&k->shell, k, sockets[PORT_SHELL]);
}

static void stop_sockets(kernel *k, pthread_t heart) {
    message *m;
    channel_stop(&k->shell);
    channel_stop(&k->control);
    capture_stop();
    iopub_stop(k->iopub);
    zmq_close(k->input);
    zmq_ctx_shutdown(k->zmq);
    pthread_join(heart, NULL);
    zmq_ctx_term(k->zmq);
    while ((m = (message *)queue_take(&k->todo)) || (m = (message *)queue_take(&k->soon)))
        message_release(m);
    queue_free(&k->todo);
    queue_free(&k->soon);
    adapter_free(&k->adapter);
    comms_free(&k->comms);
    message_release(k->parent);
}

static bool start_session(kernel *k) {
    gpa_err e = {0};
    gpa_config config;
    char path[4096];
    gpa_config_init(&config);
    execute_host(k, &config.host);
    if (gpa_history_path(path, sizeof path)) config.history = path;
    if (gpa_session_new(&config, &k->session, &e) == GPA_OK) return debug_start(k), true;
    kernel_log(k, "%s: %s", gpa_err_name(e.code), e.msg);
    return false;
}

static void serve(kernel *k) {
    while (!atomic_load(&k->quitting)) {
        message *m = (message *)queue_take(&k->todo);
        struct pollfd fds[] = {{k->todo.fd, POLLIN, 0}, {k->soon.fd, POLLIN, 0}};
        if (!m) m = (message *)queue_take(&k->soon);
        if (m)
            request_handle(k, m);
        else if (!atomic_load(&k->quitting) && poll(fds, 2, -1) < 0 && errno != EINTR)
            break;
    }
}

/* True if a process belongs to a session: field 6 of /proc/PID/stat, parsed after the process
 * name, which may contain anything. */
static bool in_session(const char *pid, pid_t session) {
    char path[64], text[512];
    int of = -1;
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    FILE *f = fopen(path, "re");
    if (!f) return false;
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    const char *name_end = strrchr(text, ')');
    return name_end && sscanf(name_end + 1, " %*c %*d %*d %d", &of) == 1 && of == session;
}

/* Terminates all processes that cells started, also those still in the background: front ends
 * start a kernel as a session leader. */
static void end_children(void) {
    signal(SIGTERM, SIG_IGN);
    if (getpgrp() == getpid()) kill(0, SIGTERM);
    DIR *all = getsid(0) == getpid() ? opendir("/proc") : NULL;
    for (struct dirent *one; all && (one = readdir(all));) {
        pid_t pid = (pid_t)strtol(one->d_name, NULL, 10);
        if (pid > 1 && pid != getpid() && in_session(one->d_name, getpid())) kill(pid, SIGTERM);
    }
    if (all) closedir(all);
}

int kernel_run(const char *connection_file) {
    static kernel k;
    pthread_t heart;
    char text[400];
    const char *why;
    served = &k;
    k.log = STDERR_FILENO;
    k.starter = getppid(); /* read before a front end can have had a reply and exited */
    clock_gettime(CLOCK_MONOTONIC, &k.began);
    if (!connection_read(&k.at, connection_file, text, sizeof text))
        return fprintf(stderr, "gpa-kernel: %s\n", text), 1;
    if (!wire_init(&k.wire, k.at.scheme, k.at.key, &why))
        return fprintf(stderr, "gpa-kernel: %s\n", why), 1;
    pthread_mutex_init(&k.lock, NULL);
    catch_signal(SIGINT, on_interrupt);
    catch_signal(SIGTERM, on_terminate);
    catch_signal(SIGALRM, on_alarm);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file too large for its limit is an OSError */
    block_signals(SIG_BLOCK);
    if (!queue_init(&k.todo) || !queue_init(&k.soon) || !comms_init(&k.comms) ||
        !start_sockets(&k, &heart))
        return 1;
    block_signals(SIG_UNBLOCK);
    bool started = start_session(&k);
    if (started) gpa_session_prepare(k.session);
    if (started) serve(&k);
    bool whole = !started || gpa_session_end(k.session);
    stop_sockets(&k, heart);
    end_children();
    if (!whole) _exit(0);
    wire_free(&k.wire);
    return !started;
}
