/* Messages between ranks: channel.h.
 *
 * MPI's own blocking calls poll without a pause, and never return if the other process has ended.
 * These poll with pauses that grow while nothing comes, and look for the process of the other rank
 * where it runs on the same host. */
#include "runtime/ranks/channel.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/base.h"
#include "runtime/base/clock.h"

enum {
    BLOCK = 1 << 30, /* bytes of a message: MPI counts in int */
    PAUSE_PART = 16, /* a pause is this part of the time waited so far */
    TIMER_SLACK_NANOSECONDS = 1000
};
static const double SPIN_SECONDS = 100e-6; /* until then a wait yields the processor only */
static const double MAX_PAUSE_SECONDS = 200e-6;
static const double MAX_IDLE_PAUSE_SECONDS = 5e-3;  /* of a worker on another host */
static const double MAX_ASLEEP_PAUSE_SECONDS = 0.2; /* of one that is woken */
static const double LOOK_SECONDS = 0.1;             /* between looks for the other process */
static const double ASLEEP_SECONDS = 0.01;          /* without a command: the worker is woken */
static const double INTERRUPTED_SECONDS = 1.5;      /* for a worker to see an interrupt */
static const double DATA_INTERRUPTED_SECONDS = 5;   /* and to send what it has begun to send */
static const double DEFAULT_LIMIT_SECONDS = 600;    /* of a wait for a message that was announced */

struct channel_sending {
    mpi_handle request;
    int to;
    char *owned; /* freed at the end; NULL: the caller's */
};

/* ---- failures ---- */

static bool is_here(const channel *l, int rank) {
    return strcmp(l->peers[rank].host, l->peers[l->rank].host) == 0;
}

bool channel_is_dead(const channel *l, int rank) {
    const channel_peer *p = &l->peers[rank];
    return p->pid && is_here(l, rank) && kill(p->pid, 0) && errno == ESRCH;
}

void channel_await_end(const channel *l, int rank) {
    enum { PAUSE_MICROSECONDS = 500 };
    if (!is_here(l, rank) || l->comm == l->mpi->world) return; /* they end together */
    for (int i = 0; i < 1000000 / PAUSE_MICROSECONDS && !channel_is_dead(l, rank); i++)
        usleep(PAUSE_MICROSECONDS);
}

void channel_kill(const channel *l, int rank) {
    if (is_here(l, rank) && !channel_is_dead(l, rank)) kill(l->peers[rank].pid, SIGKILL);
}

gpa_code channel_fail(const channel *l, int rank, const char *what, gpa_err *e) {
    return gpa_fail(e, GPA_E_DEVICE, "rank %d (process %d on %s) %s", rank, (int)l->peers[rank].pid,
                    l->peers[rank].host, what);
}

/* ---- waits ---- */

static sigset_t wake_signal(void) {
    sigset_t s;
    sigemptyset(&s);
    sigaddset(&s, SIGUSR2);
    return s;
}

void channel_prepare_worker(void) {
    const sigset_t woken = wake_signal();
    sigprocmask(SIG_BLOCK, &woken, NULL); /* pending until an idle worker waits for it */
}

/* A pause; that of an idle worker ends when it is woken (true). */
static bool rest(double seconds, bool idle) {
    const struct timespec t = {.tv_nsec = (long)(seconds * 1e9)};
    const sigset_t woken = wake_signal();
    if (idle) return sigtimedwait(&woken, NULL, &t) > 0;
    nanosleep(&t, NULL);
    return false;
}

typedef struct {
    double begun, looked, stopped;
    bool idle;  /* of a worker for commands: no time limit */
    bool reply; /* of rank 0: interrupts are passed on */
    bool data;  /* for data, not for a reply */
} waiting;

static waiting wait_begin(void) {
    double now = clock_seconds();
    return (waiting){.begun = now, .looked = now};
}

/* Passes an interrupt on to the rank that this one waits for. */
static gpa_code pass_interrupt(const channel *l, int peer, waiting *w, double now, gpa_err *e) {
    if (!l->stop || !__atomic_load_n(l->stop, __ATOMIC_RELAXED)) return GPA_OK;
    if (w->stopped == 0) w->stopped = now;
    if (is_here(l, peer)) kill(l->peers[peer].pid, SIGUSR1);
    if (now - w->stopped > (w->data ? DATA_INTERRUPTED_SECONDS : INTERRUPTED_SECONDS))
        return channel_fail(l, peer, "has not seen the interrupt", e);
    return GPA_OK;
}

/* One pause of a wait for a rank. */
static gpa_code wait_more(const channel *l, int peer, waiting *w, gpa_err *e) {
    double now = clock_seconds();
    if (now - w->begun < SPIN_SECONDS) {
        sched_yield();
        return GPA_OK;
    }
    const double most = !w->idle           ? MAX_PAUSE_SECONDS
                        : is_here(l, peer) ? MAX_ASLEEP_PAUSE_SECONDS
                                           : MAX_IDLE_PAUSE_SECONDS;
    if (rest(MIN((now - w->begun) / PAUSE_PART, most), w->idle)) w->begun = clock_seconds();
    if (now - w->looked < (w->reply ? LOOK_SECONDS / 4 : LOOK_SECONDS)) return GPA_OK;
    w->looked = now;
    if (channel_is_dead(l, peer)) return channel_fail(l, peer, "has ended", e);
    if (!w->idle && now - w->begun > l->limit)
        return channel_fail(l, peer, "does not answer (GPA_RANKS_TIMEOUT)", e);
    return w->reply ? pass_interrupt(l, peer, w, now, e) : GPA_OK;
}

static gpa_code wait_for(const channel *l, int peer, mpi_handle *request, gpa_err *e) {
    waiting w = wait_begin();
    gpa_code rc = GPA_OK;
    mpi_status status;
    w.reply = l->rank == 0, w.data = true;
    for (int done = 0; !rc;) {
        if (l->mpi->test(request, &done, &status)) return channel_fail(l, peer, "has failed", e);
        if (done) break;
        rc = wait_more(l, peer, &w, e);
    }
    return rc;
}

/* ---- wake-up ---- */

/* Wakes a worker that has had no command for a while. */
static void wake(channel *l, int rank) {
    const double now = clock_seconds(), before = l->spoken[rank];
    l->spoken[rank] = now;
    if (now - before > ASLEEP_SECONDS && is_here(l, rank)) kill(l->peers[rank].pid, SIGUSR2);
}

/* ---- messages ---- */

gpa_code channel_send(channel *l, int to, int tag, const void *from, size_t n, gpa_err *e) {
    const char *p = from;
    do {
        size_t part = MIN(n, (size_t)BLOCK);
        if (!mem_grow(&l->sending, l->n_sending, &l->cap_sending, sizeof *l->sending))
            return gpa_no_memory(e);
        struct channel_sending *s = &l->sending[l->n_sending];
        *s = (struct channel_sending){.to = to};
        if (l->mpi->isend(p, (int)part, l->mpi->byte, to, tag, l->comm, &s->request))
            return channel_fail(l, to, "cannot be reached", e);
        l->n_sending++;
        p += part;
        n -= part;
    } while (n);
    if (tag == CHANNEL_COMMAND) wake(l, to);
    return GPA_OK;
}

gpa_code channel_send_take(channel *l, int to, int tag, char *from, size_t n, gpa_err *e) {
    gpa_code rc = channel_send(l, to, tag, from, n, e);
    if (!rc)
        l->sending[l->n_sending - 1].owned = from;
    else
        mem_free(from);
    return rc;
}

gpa_code channel_finish_sends(channel *l, gpa_err *e) {
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < l->n_sending; i++) {
        struct channel_sending *s = &l->sending[i];
        if (!rc) rc = wait_for(l, s->to, &s->request, e);
        if (!rc) mem_free(s->owned); /* after a failure MPI may still read it */
    }
    l->n_sending = 0;
    return rc;
}

gpa_code channel_receive(channel *l, int from, int tag, void *to, size_t n, gpa_err *e) {
    char *p = to;
    gpa_code rc = GPA_OK;
    do {
        mpi_handle request;
        size_t part = MIN(n, (size_t)BLOCK);
        if (l->mpi->irecv(p, (int)part, l->mpi->byte, from, tag, l->comm, &request))
            return channel_fail(l, from, "cannot be reached", e);
        rc = wait_for(l, from, &request, e);
        p += part;
        n -= part;
    } while (n && !rc);
    return rc;
}

gpa_code channel_receive_text(channel *l, int from, int tag, gpa_str *out, gpa_err *e) {
    waiting w = wait_begin();
    mpi_status status;
    w.idle = l->rank != 0, w.reply = !w.idle;
    str_clear(out);
    for (int found = 0;;) {
        if (l->mpi->iprobe(from, tag, l->comm, &found, &status))
            return channel_fail(l, from, "has failed", e);
        if (found) break;
        gpa_code rc = wait_more(l, from, &w, e);
        if (rc) return rc;
    }
    char *to = str_reserve(out, status.count);
    if (!to) return gpa_no_memory(e);
    gpa_code rc = channel_receive(l, from, tag, to, status.count, e);
    if (!rc) str_commit(out, status.count);
    return rc;
}

/* ---- open and close ---- */

/* The time limit that the user has set. */
static gpa_code read_limit(double *out, gpa_err *e) {
    const char *text = getenv("GPA_RANKS_TIMEOUT");
    char *end;
    *out = DEFAULT_LIMIT_SECONDS;
    if (!text || !*text) return GPA_OK;
    *out = strtod(text, &end);
    if (!*end && *out > 0) return GPA_OK;
    return gpa_fail(e, GPA_E_VALUE, "GPA_RANKS_TIMEOUT: '%.40s' is not a number of seconds", text);
}

gpa_code channel_open(channel *l, const mpi_functions *m, mpi_handle comm, uint64_t identity,
                      gpa_err *e) {
    const int32_t *stop = l->stop;
    gpa_code rc = GPA_OK;
    *l = (channel){.mpi = m, .comm = comm};
    TRY(read_limit(&l->limit, e));
    m->comm_rank(comm, &l->rank);
    m->comm_size(comm, &l->size);
    channel_peer *own = &l->peers[l->rank];
    if (l->size > MPI_MAX_RANKS)
        return gpa_fail(e, GPA_E_VALUE, "%d ranks: at most %d are supported", l->size,
                        MPI_MAX_RANKS);
    prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NANOSECONDS); /* short pauses stay short */
    *own = (channel_peer){.identity = identity, .pid = (int32_t)getpid()};
    gethostname(own->host, sizeof own->host - 1);
    for (int r = 0; r < l->size; r++)
        if (r != l->rank) TRY(channel_send(l, r, CHANNEL_HELLO, own, sizeof *own, e));
    for (int r = 0; r < l->size; r++)
        if (r != l->rank)
            TRY(channel_receive(l, r, CHANNEL_HELLO, &l->peers[r], sizeof l->peers[r], e));
    TRY(channel_finish_sends(l, e));
    for (int r = 0; r < l->size; r++)
        if (l->peers[r].identity != own->identity)
            TRY(channel_fail(l, r, "runs another gpa, or on another kind of processor", e));
out:
    l->stop = stop;
    return rc;
}

void channel_free_sends(channel *l) {
    mem_free(l->sending);
    l->sending = NULL;
    l->n_sending = l->cap_sending = 0;
}
