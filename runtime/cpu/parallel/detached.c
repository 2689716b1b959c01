/* Library calls that an interrupt detaches: detached.h. */
#include "runtime/cpu/parallel/detached.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/base.h"
#include "runtime/cpu/parallel/threads.h"

enum {
    STACK_BYTES = 16 << 20,
    MAX_CALLS = 4,         /* detached calls that still run */
    POLL_MILLISECONDS = 20 /* an interrupt is to be answered within 100 */
};

typedef struct {
    const detached_call *call;
    void *arg;
    bool ended, detached;
} job;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* a job has ended */
static int running;                                       /* detached jobs */

/* Waits, with the lock held, until a job ends or the next poll is due. */
static void wait_for_change(void) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += POLL_MILLISECONDS * 1000000L;
    if (until.tv_nsec >= 1000000000L) until.tv_sec++, until.tv_nsec -= 1000000000L;
    pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &until);
}

static void *work(void *arg) {
    job *j = arg;
    j->call->run(j->arg);
    pthread_mutex_lock(&lock);
    j->ended = true; /* the caller frees j, unless it has detached it */
    bool detached = j->detached;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    if (!detached) return NULL;
    j->call->drop(j->arg);
    mem_free(j);
    pthread_mutex_lock(&lock);
    running--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Destructors of libraries would free what a detached call still uses. */
static void abandon_at_exit(int status, void *unused) {
    (void)unused;
    if (!detached_is_running()) return;
    fflush(NULL);
    _exit(status);
}

static bool start(job *j) {
    sigset_t before;
    pthread_attr_t attributes;
    pthread_t id;
    if (pthread_attr_init(&attributes)) return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    threads_block_signals(&before);
    bool started = !pthread_create(&id, &attributes, work, j);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}

/* Waits for the end of a job, with the lock held; false: it was detached. */
static bool wait_for_end(job *j, const int32_t *stop) {
    static bool registered;
    bool asks = true;
    while (!j->ended) {
        if (asks && threads_stopped(stop)) {
            if (!registered) registered = !on_exit(abandon_at_exit, NULL);
            j->detached = registered && j->call->take_over(j->arg);
            running += j->detached;
            if (j->detached) return false;
            asks = false;
        }
        wait_for_change();
    }
    return true;
}

bool detached_run(const detached_call *call, void *arg, const int32_t *stop) {
    job *j = mem_zero(sizeof *j);
    if (j) *j = (job){.call = call, .arg = arg};
    pthread_mutex_lock(&lock);
    while (running >= MAX_CALLS && !threads_stopped(stop)) wait_for_change();
    const bool full = running >= MAX_CALLS, started = j && !full && start(j);
    const bool ended = !full && (!started || wait_for_end(j, stop));
    pthread_mutex_unlock(&lock);
    if (ended || full) mem_free(j);
    if (full) call->drop(arg);
    if (!full && !started) call->run(arg);
    return ended;
}

bool detached_is_running(void) {
    pthread_mutex_lock(&lock);
    const bool any = running > 0;
    pthread_mutex_unlock(&lock);
    return any;
}
