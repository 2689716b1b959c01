/* Calls of gpa from threads of Python that are not the session's: the session's thread runs them,
 * while it waits in Python code.
 *
 * The calling thread queues the call and waits without the GIL until the session's thread waits,
 * too: until that is twice at the same instruction of Python. Then SIGURG interrupts what that
 * waits for (a lock, a sleep, a socket). The handler in Python runs the queued calls, and the wait
 * goes on. A thread that never waits is interrupted after a while all the same; while it runs gpa's
 * code, the calls wait. */
#include "lang/python/threads.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

typedef struct python_request {
    python_callback *call;
    py_object *self, *args, *result, *error[3]; /* NULL: the call has raised the error */
    bool started;                               /* guarded by the GIL, as is the queue */
    bool done;                                  /* guarded by the mutex */
    struct python_request *next;
} request;

/* Polling intervals of a waiting thread, and the total after which it interrupts the session's
 * thread in any case. */
enum {
    FIRST_NANOSECONDS = 500000,
    LONGEST_NANOSECONDS = 16000000,
    FORCE_AFTER_NANOSECONDS = 100000000
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;

static void finish(request *r) {
    pthread_mutex_lock(&mutex);
    r->done = true;
    pthread_cond_broadcast(&finished);
    pthread_mutex_unlock(&mutex);
}

/* Waits a while for the end of the call, without the GIL. */
static bool wait_for(request *r, long nanoseconds) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += nanoseconds;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    void *thread = py.PyEval_SaveThread();
    pthread_mutex_lock(&mutex);
    while (!r->done && pthread_cond_timedwait(&finished, &mutex, &until) != ETIMEDOUT)
        ;
    bool done = r->done;
    pthread_mutex_unlock(&mutex);
    py.PyEval_RestoreThread(thread);
    return done;
}

/* Removes a call that an interrupt came before. */
static void withdraw(python_host *h, request *r) {
    request **at = &h->requests;
    while (*at && *at != r) at = &(*at)->next;
    if (*at) *at = r->next;
    py.PyErr_SetObject(py.keyboard_interrupt, NULL);
}

/* True if the session's thread is at the same instruction of Python as at the last sample, or
 * where it ran calls before. */
static bool is_waiting(python_host *h, const request *r, py_object **last) {
    py_object *now = python_helper(h->position, 0, NULL);
    if (!now) py.PyErr_Clear();
    if (r->started) { /* meanwhile; then the session may have ended, too */
        if (now) py_drop(now);
        return false;
    }
    bool waits = now && now != py.none &&
                 (py.PyObject_RichCompareBool(now, *last, PY_EQ) == 1 ||
                  (h->waited && py.PyObject_RichCompareBool(now, h->waited, PY_EQ) == 1));
    if (now) {
        py_drop(*last);
        *last = now;
    }
    return waits;
}

/* Waits for the end of a queued call, and sees to it that the session's thread runs it. False: an
 * interrupt came before. */
static bool await(python_host *h, request *r) {
    py_object *position = py_keep(py.none);
    long waited = 0, next = FIRST_NANOSECONDS;
    bool interrupted = false;
    do {
        interrupted = !r->started && vm_interrupted(h->vm);
        if (interrupted) break;
        if (!r->started && h->in_python) {
            bool waits = is_waiting(h, r, &position);
            if (r->started) continue;
            if (waits) {
                py_drop(h->waited);
                h->waited = py_keep(position);
            }
            bool late = position != py.none && waited > FORCE_AFTER_NANOSECONDS;
            h->run_anywhere = h->run_anywhere || late;
            if (waits || late) pthread_kill(h->thread, SIGURG);
        }
        waited += next;
        next = MIN(2 * next, LONGEST_NANOSECONDS);
    } while (!wait_for(r, next));
    py_drop(position);
    return !interrupted;
}

py_object *python_run_on_session_thread(python_host *h, python_callback *call, py_object *self,
                                        py_object *args) {
    request r = {.call = call, .self = self, .args = args}, **last = &h->requests;
    while (*last) last = &(*last)->next;
    *last = &r;
    if (!await(h, &r)) {
        withdraw(h, &r);
        return NULL;
    }
    if (!r.result) py.PyErr_Restore(r.error[0], r.error[1], r.error[2]);
    return r.result;
}

void python_run_requests_at(python_host *h, py_object *position) {
    bool still = h->waited && py.PyObject_RichCompareBool(position, h->waited, PY_EQ) == 1;
    if (still || h->run_anywhere) python_run_requests(h);
}

void python_run_requests(python_host *h) {
    h->run_anywhere = false;
    for (request *r; (r = h->requests);) {
        raise_saved before;
        h->requests = r->next;
        r->started = true;
        raise_save(h->vm, &before);
        r->result = r->call(r->self, r->args);
        raise_restore(h->vm, &before);
        if (!r->result) py.PyErr_Fetch(&r->error[0], &r->error[1], &r->error[2]);
        if (!r->result && r->error[0] == py.keyboard_interrupt) py.PyErr_SetInterrupt();
        finish(r);
    }
}

void python_end_requests(python_host *h) {
    py_drop(h->waited);
    h->waited = NULL;
    for (request *r; (r = h->requests);) {
        h->requests = r->next;
        r->started = true;
        py.PyErr_SetString(py.runtime_error, "the session has ended");
        py.PyErr_Fetch(&r->error[0], &r->error[1], &r->error[2]);
        finish(r);
    }
}
