/* Fork-join thread pool: items are taken one by one from a shared atomic counter, which balances
 * uneven ones.
 *
 * The thread that owns the work takes items too, and at the end waits only for workers that have
 * entered: one that the system has not scheduled does not delay it. (A barrier would wait for it,
 * milliseconds for work of a tenth of one; hence not OpenMP.) Workers are created on first use and
 * stay; they spin for a moment before they sleep.
 *
 * A worker increments `inside` before it checks `open`, and the owner clears `open` before it reads
 * `inside` (both sequentially consistent), so no worker can touch work that has ended. Reading
 * order: number of threads, the pool, the parallel loop. */
#include "runtime/cpu/parallel/threads.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/base.h"
#include "runtime/tables/tuning.h"

/* ---- number of threads ---- */

/* A CPU quota in processors, rounded up: "QUOTA PERIOD" in one file (cgroup v2) or one number in
 * each of two (v1); 0: unlimited. */
static int limit_of(const char *quota_path, const char *period_path) {
    long long quota = 0, period = 0;
    FILE *f = fopen(quota_path, "r");
    if (!f) return 0;
    int found = fscanf(f, "%lld %lld", &quota, &period);
    fclose(f);
    if (found == 1 && (f = fopen(period_path, "r"))) {
        found += fscanf(f, "%lld", &period) == 1;
        fclose(f);
    }
    return found == 2 && quota > 0 && period > 0
               ? (int)MIN((quota + period - 1) / period, THREADS_MAX)
               : 0;
}

/* The lowest quota of a control group and its ancestors. */
static int limit_along(const char *mount, char *group, const char *quota, const char *period) {
    int least = 0;
    for (;;) {
        char paths[2][4200];
        snprintf(paths[0], sizeof paths[0], "%.2000s%.2000s/%s", mount, group, quota);
        snprintf(paths[1], sizeof paths[1], "%.2000s%.2000s/%s", mount, group, period);
        int n = limit_of(paths[0], paths[1]);
        if (n && (!least || n < least)) least = n;
        char *up = strrchr(group, '/');
        if (!up) return least;
        *up = 0;
    }
}

int threads_limit(const char *groups, const char *mount) {
    char line[4096], under[4096];
    int least = 0;
    FILE *f = fopen(groups, "r");
    while (f && fgets(line, sizeof line, f)) {
        char *names = strchr(line, ':'), *group = names ? strchr(names + 1, ':') : NULL;
        if (!group) continue;
        *group++ = 0;
        group[strcspn(group, "\n")] = 0;
        bool whole = !names[1], cpu = false;
        for (char *save, *name = strtok_r(names + 1, ",", &save); name;
             name = strtok_r(NULL, ",", &save))
            cpu = cpu || strcmp(name, "cpu") == 0;
        if (!whole && !cpu) continue;
        snprintf(under, sizeof under, "%.4000s%s", mount, whole ? "" : "/cpu");
        int n =
            limit_along(under, group, whole ? "cpu.max" : "cpu.cfs_quota_us", "cpu.cfs_period_us");
        if (n && (!least || n < least)) least = n;
    }
    if (f) fclose(f);
    return least;
}

gpa_code threads_wanted(int *out, gpa_err *e) {
    const char *text = getenv("GPA_NUM_THREADS");
    cpu_set_t set;
    *out = 1;
    if (text && *text) {
        char *end;
        long n = strtol(text, &end, 10);
        if (*end || n < 1 || n > THREADS_MAX)
            return gpa_fail(e, GPA_E_VALUE,
                            "GPA_NUM_THREADS: '%.40s' is not a number of threads (1 to %d)", text,
                            THREADS_MAX);
        *out = (int)n;
    } else if (!sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) > 1) {
        int limit = threads_limit("/proc/self/cgroup", "/sys/fs/cgroup");
        *out = limit ? MIN(limit, CPU_COUNT(&set)) : CPU_COUNT(&set);
    }
    return GPA_OK;
}

/* ---- the pool ---- */

static struct {
    struct worker {
        sem_t wake;
        bool called; /* posted, and will check for work once more */
    } worker[THREADS_MAX];
    int n;
    bool taken; /* in use: other work runs on the thread that has it */
    bool open;  /* there are items to take */
    int inside; /* workers that check for work or take items */
    bool awaited;
    sem_t left; /* posted by the last worker that leaves, if awaited */
    int use;    /* threads, the owner included */
    int64_t n_items, next;
    const int32_t *stop;
    threads_item item;
    void *arg;
} pool;

static void take_items(int64_t n, int64_t *next, const int32_t *stop, threads_item item,
                       void *arg) {
    while (!threads_stopped(stop)) {
        int64_t i = __atomic_fetch_add(next, 1, __ATOMIC_RELAXED);
        if (i >= n) return;
        item(arg, i);
    }
}

static void pause_here(void) {
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

static void wait_for(sem_t *s) {
    for (int i = 0; i < TUNE_POOL_SPINS; i++) {
        if (!sem_trywait(s)) return;
        pause_here();
    }
    while (sem_wait(s) && errno == EINTR) continue;
}

/* Wakes the children of thread `at` (0: the owner) in a tree of TUNE_POOL_WAKES branches. */
static void call_others(int at) {
    for (int i = at * TUNE_POOL_WAKES + 1;
         i <= at * TUNE_POOL_WAKES + TUNE_POOL_WAKES && i < pool.use; i++) {
        struct worker *w = &pool.worker[i];
        if (!__atomic_exchange_n(&w->called, true, __ATOMIC_SEQ_CST)) sem_post(&w->wake);
    }
}

static void *work(void *arg) {
    struct worker *w = arg;
    for (;;) {
        wait_for(&w->wake);
        __atomic_store_n(&w->called, false, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&pool.inside, 1, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&pool.open, __ATOMIC_SEQ_CST)) {
            call_others((int)(w - pool.worker));
            take_items(pool.n_items, &pool.next, pool.stop, pool.item, pool.arg);
        }
        if (__atomic_fetch_sub(&pool.inside, 1, __ATOMIC_SEQ_CST) == 1 &&
            __atomic_exchange_n(&pool.awaited, false, __ATOMIC_SEQ_CST))
            sem_post(&pool.left);
    }
    return NULL;
}

void threads_block_signals(sigset_t *before) {
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    sigset_t all;
    sigfillset(&all);
    for (size_t i = 0; i < COUNT_OF(own); i++) sigdelset(&all, own[i]);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

/* If a thread cannot be created, the pool stays smaller. */
static void make_threads(int n) {
    sigset_t before;
    pthread_t id;
    if (pool.n >= n) return;
    if (!pool.n) sem_init(&pool.left, 0, 0), pool.n = 1;
    threads_block_signals(&before);
    for (; pool.n < n; pool.n++) {
        struct worker *w = &pool.worker[pool.n];
        sem_init(&w->wake, 0, 0);
        if (pthread_create(&id, NULL, work, w)) break;
        pthread_setname_np(id, "gpa");
        pthread_detach(id);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void wait_until_left(void) {
    for (int i = 0; i < TUNE_POOL_SPINS && __atomic_load_n(&pool.inside, __ATOMIC_SEQ_CST); i++)
        pause_here();
    while (__atomic_load_n(&pool.inside, __ATOMIC_SEQ_CST)) {
        __atomic_store_n(&pool.awaited, true, __ATOMIC_SEQ_CST);
        bool empty = !__atomic_load_n(&pool.inside, __ATOMIC_SEQ_CST);
        if (empty && __atomic_exchange_n(&pool.awaited, false, __ATOMIC_SEQ_CST)) return;
        while (sem_wait(&pool.left) && errno == EINTR) continue;
    }
}

/* ---- the parallel loop ---- */

void threads_each(int threads, int64_t n, const int32_t *stop, threads_item item, void *arg) {
    int64_t next = 0;
    if (MIN(n, threads) <= 1 || __atomic_exchange_n(&pool.taken, true, __ATOMIC_SEQ_CST)) {
        take_items(n, &next, stop, item, arg);
        return;
    }
    make_threads((int)MIN(n, threads));
    pool.use = (int)MIN(MIN(n, threads), pool.n);
    pool.n_items = n, pool.next = 0, pool.stop = stop, pool.item = item, pool.arg = arg;
    __atomic_store_n(&pool.open, true, __ATOMIC_SEQ_CST);
    call_others(0);
    take_items(n, &pool.next, stop, item, arg);
    __atomic_store_n(&pool.open, false, __ATOMIC_SEQ_CST);
    wait_until_left();
    __atomic_store_n(&pool.taken, false, __ATOMIC_SEQ_CST);
}
