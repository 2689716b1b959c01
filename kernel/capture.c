/* Capture of stdout and stderr through pipes. The state is global because file descriptors
 * belong to the process.
 *
 * Invariant: the reading thread never waits for the thread that evaluates, so a full pipe is
 * always drained. */
#include "kernel/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static const char *const names[2] = {"stdout", "stderr"};
static int ends[2] = {-1, -1},
           before[2] = {
               -1, -1}; /* read ends of the pipes; duplicates of the original descriptors 1 and 2 */
static int stop_pipe[2] = {-1, -1};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t thread;
static capture_sink *sink;
static void *sink_user;

void capture_drain(void) {
    char text[1 << 14];
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 2; i++) {
        ssize_t n;
        while (ends[i] >= 0 &&
               ((n = read(ends[i], text, sizeof text)) > 0 || (n < 0 && errno == EINTR)))
            if (n > 0) sink(sink_user, names[i], text, (size_t)n);
    }
    pthread_mutex_unlock(&lock);
}

static void *serve(void *arg) {
    (void)arg;
    struct pollfd fds[] = {{ends[0], POLLIN, 0}, {ends[1], POLLIN, 0}, {stop_pipe[0], POLLIN, 0}};
    while (poll(fds, 3, -1) >= 0 || errno == EINTR) {
        if (fds[2].revents) break;
        capture_drain();
    }
    return NULL;
}

static bool stand_in(int i) {
    int fds[2];
    if (pipe2(fds, O_CLOEXEC)) return false;
    fcntl(fds[0], F_SETFL, O_NONBLOCK);
    before[i] = fcntl(i + 1, F_DUPFD_CLOEXEC, 3);
    bool done = before[i] >= 0 && dup2(fds[1], i + 1) == i + 1;
    close(fds[1]);
    ends[i] = fds[0];
    return done;
}

int capture_start(capture_sink *to, void *user) {
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null >= 0) {
        dup2(null, 0);
        if (null > 0) close(null);
    }
    sink = to;
    sink_user = user;
    if (pipe2(stop_pipe, O_CLOEXEC) || !stand_in(0) || !stand_in(1)) return -1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    return pthread_create(&thread, NULL, serve, NULL) ? -1 : before[1];
}

void capture_stop(void) {
    fflush(NULL);
    close(stop_pipe[1]);
    pthread_join(thread, NULL);
    capture_drain();
    for (int i = 0; i < 2; i++) dup2(before[i], i + 1);
}
