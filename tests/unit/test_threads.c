/* The thread pool: every item of a loop is done exactly once, from any calling thread, and cgroup
 * limits bound the number of threads. */
#include "unit.h"

#include <sys/stat.h>

#include "runtime/cpu/parallel/threads.c"

enum { ITEMS = 200 };

typedef struct {
    int done[ITEMS];
    int32_t stop;
} tally;

static void count(void *arg, int64_t i) {
    __atomic_fetch_add(&((tally *)arg)->done[i], 1, __ATOMIC_RELAXED);
}

static void count_late(void *arg, int64_t i) {
    if (i % 7 == 0) usleep(50);
    count(arg, i);
}

static void count_within(void *arg, int64_t i) {
    (void)i;
    threads_each(4, ITEMS, &((tally *)arg)->stop, count, arg);
}

static void stop_at_once(void *arg, int64_t i) {
    __atomic_store_n(&((tally *)arg)->stop, 1, __ATOMIC_RELAXED);
    count(arg, i);
}

static void expect(const tally *t, int64_t n, int each) {
    for (int64_t i = 0; i < ITEMS; i++) assert_int_equal(t->done[i], i < n ? each : 0);
}

static void each_item_once(void **state) {
    (void)state;
    for (int round = 0; round < 20000; round++) {
        tally t = {.stop = 0};
        int64_t n = round % ITEMS;
        threads_each(1 + round % 9, n, &t.stop, round % 100 ? count : count_late, &t);
        expect(&t, n, 1);
    }
}

static void work_within_work(void **state) {
    (void)state;
    tally t = {.stop = 0};
    threads_each(4, 30, &t.stop, count_within, &t);
    expect(&t, ITEMS, 30);
}

static void *own_work(void *arg) {
    for (int round = 0; round < 2000; round++) {
        tally t = {.stop = 0};
        threads_each(3, ITEMS, &t.stop, count, &t);
        for (int64_t i = 0; i < ITEMS; i++) *(bool *)arg = *(bool *)arg && t.done[i] == 1;
    }
    return NULL;
}

static void several_owners(void **state) {
    (void)state;
    pthread_t id[4];
    bool fine[4] = {true, true, true, true};
    for (int k = 0; k < 4; k++)
        assert_int_equal(pthread_create(&id[k], NULL, own_work, &fine[k]), 0);
    for (int k = 0; k < 4; k++) pthread_join(id[k], NULL);
    for (int k = 0; k < 4; k++) assert_true(fine[k]);
}

static void stops(void **state) {
    (void)state;
    tally t = {.stop = 0};
    threads_each(1, ITEMS, &t.stop, stop_at_once, &t);
    expect(&t, 1, 1);
    t = (tally){.stop = 0};
    threads_each(4, ITEMS, &t.stop, stop_at_once, &t);
    int done = 0;
    for (int64_t i = 0; i < ITEMS; i++) done += t.done[i];
    assert_in_range(done, 1, ITEMS - 1);
}

/* ---- control groups ---- */

static char folder[] = "/tmp/gpa-threads-XXXXXX";

static const char *put(const char *name, const char *text) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *p = path + strlen(folder) + 1; (p = strchr(p, '/')); *p++ = '/') {
        *p = 0;
        mkdir(path, 0700);
    }
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return path;
}

static int limit(const char *groups) { return threads_limit(put("groups", groups), folder); }

static void control_groups(void **state) {
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(threads_limit("/no/such/file", folder), 0);
    assert_int_equal(limit("0::/\n"), 0);
    put("a/b/cpu.max", "250000 100000\n");
    assert_int_equal(limit("0::/a/b\n"), 3);
    put("a/cpu.max", "max 100000\n");
    assert_int_equal(limit("0::/a/b\n"), 3);
    put("a/cpu.max", "200000 100000\n");
    assert_int_equal(limit("0::/a/b\n"), 2);
    assert_int_equal(limit("0::/a/b/c\n"), 2);
    assert_int_equal(limit("0::/other\n"), 0);
    put("cpu.max", "50000 100000\n");
    assert_int_equal(limit("0::/other\n"), 1);
    put("cpu/x/cpu.cfs_quota_us", "-1\n");
    put("cpu/x/cpu.cfs_period_us", "100000\n");
    assert_int_equal(limit("3:cpuacct,cpu:/x\n2:memory:/a/b\n"), 0);
    put("cpu/x/cpu.cfs_quota_us", "400000\n");
    assert_int_equal(limit("3:cpuacct,cpu:/x\n2:memory:/a/b\n"), 4);
    assert_int_equal(limit("no groups\n"), 0);
    char remove[300];
    snprintf(remove, sizeof remove, "rm -r %s", folder);
    assert_int_equal(system(remove), 0);
}

UNIT_TESTS(TEST(each_item_once), TEST(work_within_work), TEST(several_owners), TEST(stops),
           TEST(control_groups))
