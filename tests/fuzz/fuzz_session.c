/* Fuzz target: a session on the reference device. Any program ends with a value or an error and
 * leaks no memory. Magics run, except those that run commands or access files. */
#define FUZZ_MOST 400
#include "tests/fuzz/drive.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "lang/session.h"
#include "runtime/base/base.h"

enum { TICK_MS = 20, MOST_TICKS = 15 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static gpa_session *running; /* guarded by the lock, as is `ticks`: its run time */
static int ticks;

/* Watchdog: interrupts programs that run too long. */
static void *watch(void *unused) {
    for (;;) {
        usleep(TICK_MS * 1000);
        pthread_mutex_lock(&lock);
        if (running && ++ticks > MOST_TICKS) gpa_session_interrupt(running);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void set_running(gpa_session *s) {
    pthread_mutex_lock(&lock);
    running = s;
    ticks = 0;
    pthread_mutex_unlock(&lock);
}

static int holds(const char *text, size_t n, const char *word) {
    return memmem(text, n, word, strlen(word)) != NULL;
}

/* True for magics that run a command or access files or the environment, which are skipped. */
static int unsafe(const char *text, size_t n) {
    static const char *const words[] = {
        "open",      "save",   "load", "fromfile", "tofile",  "sleep",   "input",
        "bash",      "script", "%sh",  "%sx",      "system",  "%run",    "%cd",
        "writefile", "%hist",  "%env", "set_env",  "%device", "environ", "putenv"};
    for (size_t i = 0; i < n; i++)
        if (text[i] == '!' && !(i + 1 < n && text[i + 1] == '=')) return 1;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (holds(text, n, words[i])) return 1;
    return 0;
}

static void no_completion(void *user, const gpa_completion *c) { (void)user, (void)c; }
static void no_page(void *user, const gpa_repr *r) { (void)user, (void)r; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)data;
    static int64_t baseline = -1; /* blocks that the first session keeps: tables and devices */
    gpa_config c;
    gpa_err e = {0};
    gpa_session *s = NULL;
    int status;
    if (unsafe(text, size)) return 0;
    gpa_config_init(&c);
    c.device = "ref";
    if (gpa_session_new(&c, &s, &e)) __builtin_trap();
    if (baseline < 0) {
        pthread_t watcher;
        pthread_create(&watcher, NULL, watch, NULL);
    }
    set_running(s);
    gpa_session_eval(s, NULL, text, size, 0, &status);
    gpa_session_complete(s, text, size, size / 2, no_completion, NULL);
    gpa_session_inspect(s, &(gpa_inspection){text, size, size / 2, 1}, no_page, NULL);
    set_running(NULL);
    gpa_session_free(s);
    if (baseline < 0) baseline = mem_alive();
    if (mem_alive() != baseline) __builtin_trap();
    return 0;
}
