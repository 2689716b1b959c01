/* Busy indicator: its thread and state. All state is under one lock, which busy_pause holds until
 * busy_resume, so that the indicator is never drawn into output. The thread is created with the
 * first cell and sleeps while no cell runs. */
#include "repl/busy.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "repl/colour.h"
#include "repl/terminal.h"

enum { QUIET_MS = 1000, FRAME_MS = 100, LONGEST = 200 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t thread;
    bool made, running, shown, at_margin, ending;
    struct timespec began, quiet; /* start of the cell; time of the last output */
    char message[LONGEST];
} busy = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

static struct timespec now(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t;
}

static long long ms_since(struct timespec t) {
    struct timespec n = now();
    return (n.tv_sec - t.tv_sec) * 1000LL + (n.tv_nsec - t.tv_nsec) / 1000000;
}

static struct timespec in_ms(long ms) {
    struct timespec t = now();
    t.tv_nsec += ms % 1000 * 1000000L;
    t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000L;
    t.tv_nsec %= 1000000000L;
    return t;
}

static void erase(void) {
    static const char text[] = "\r\033[K";
    if (busy.shown && write(STDERR_FILENO, text, sizeof text - 1) < 0) busy.at_margin = false;
    busy.shown = false;
}

static void draw(void) {
    static const char *const frames[] = {"\u280b", "\u2819", "\u2839", "\u2838", "\u283c",
                                         "\u2834", "\u2826", "\u2827", "\u2807", "\u280f"};
    char text[LONGEST + 64];
    long long ms = ms_since(busy.began);
    const char *faint = colour_on(2) ? colour_of(TINT_HINT) : "",
               *end = colour_on(2) ? COLOUR_END : "";
    int n;
    if (*busy.message)
        n = snprintf(text, sizeof text, "\r%s\033[K", busy.message);
    else
        n = snprintf(text, sizeof text, "\r%s%s %lld s%s\033[K", faint, frames[ms / FRAME_MS % 10],
                     ms / 1000, end);
    busy.shown = write(STDERR_FILENO, text, (size_t)n) == n;
}

static void *watch(void *unused) {
    pthread_mutex_lock(&busy.lock);
    while (!busy.ending) {
        if (!busy.running) {
            pthread_cond_wait(&busy.wake, &busy.lock);
            continue;
        }
        long long quiet = ms_since(busy.quiet);
        struct timespec next = in_ms(quiet < QUIET_MS ? (long)(QUIET_MS - quiet) : FRAME_MS);
        if (quiet >= QUIET_MS && busy.at_margin) draw();
        pthread_cond_timedwait(&busy.wake, &busy.lock, &next);
    }
    pthread_mutex_unlock(&busy.lock);
    return unused;
}

/* The thread blocks signals: they must interrupt the evaluating thread's system calls. */
static void make_thread(void) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    busy.made = pthread_create(&busy.thread, NULL, watch, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void busy_begin(void) {
    if (!isatty(STDERR_FILENO) || !isatty(STDOUT_FILENO) || !terminal_capable()) return;
    if (!busy.made) make_thread();
    pthread_mutex_lock(&busy.lock);
    busy.running = busy.at_margin = true;
    busy.began = busy.quiet = now();
    *busy.message = 0;
    pthread_cond_signal(&busy.wake);
    pthread_mutex_unlock(&busy.lock);
}

void busy_end(void) {
    pthread_mutex_lock(&busy.lock);
    busy.running = false;
    erase();
    pthread_mutex_unlock(&busy.lock);
}

void busy_free(void) {
    if (!busy.made) return;
    pthread_mutex_lock(&busy.lock);
    busy.ending = true;
    pthread_cond_signal(&busy.wake);
    pthread_mutex_unlock(&busy.lock);
    pthread_join(busy.thread, NULL);
    busy.made = busy.ending = false;
}

void busy_pause(void) {
    pthread_mutex_lock(&busy.lock);
    erase();
}

void busy_resume(bool at_margin) {
    busy.at_margin = at_margin;
    busy.quiet = now();
    pthread_mutex_unlock(&busy.lock);
}

void busy_say(const char *text) {
    pthread_mutex_lock(&busy.lock);
    snprintf(busy.message, sizeof busy.message, "%s", text ? text : "");
    if (busy.running && busy.at_margin && text)
        draw();
    else
        erase();
    pthread_mutex_unlock(&busy.lock);
}
