/* The disk cache of programs: round trips, refused entries, eviction. */
#include "tests/unit/unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/exec/disk_cache.h"
#include "runtime/runtime.h"

static char top[] = "/tmp/gpa-disk-XXXXXX";
static char own[64], shared[64];

/* Two fresh folders, only the first of them in use. */
static void begin(void) {
    if (!strcmp(top + sizeof top - 7, "XXXXXX")) assert_non_null(mkdtemp(top));
    snprintf(own, sizeof own, "%s/a/own", top);
    snprintf(shared, sizeof shared, "%s/shared", top);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s/a %s", top, shared);
    assert_int_equal(system(command), 0);
    setenv("GPA_CACHE_DIR", own, 1);
    unsetenv("GPA_CACHE_SHARED");
    unsetenv("GPA_CACHE_LIMIT");
}

static bool holds(const char *key, const char *want) {
    size_t n = 0;
    char *got = disk_cache_get(key, strlen(key), &n);
    bool same = got && n == strlen(want) && !memcmp(got, want, n);
    mem_free(got);
    return same;
}

static void put(const char *key, const char *data) {
    disk_cache_put(key, strlen(key), data, strlen(data));
}

/* The paths of the entries; how many. */
static int files(const char *folder, char path[][256], int capacity) {
    int n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *x; d && (x = readdir(d));)
        if (x->d_name[0] != '.' && n < capacity)
            snprintf(path[n++], 256, "%s/%.100s", folder, x->d_name);
    if (d) closedir(d);
    return n;
}

static void programs_come_back(void **state) {
    (void)state;
    begin();
    assert_false(holds("key", "program"));
    put("key", "program");
    assert_true(holds("key", "program"));
    assert_false(holds("key2", "program"));
    put("key", "another");
    assert_true(holds("key", "another"));
    put("empty", "");
    assert_true(holds("empty", ""));
    char bytes[256], *back;
    size_t n;
    for (int i = 0; i < 256; i++) bytes[i] = (char)i;
    disk_cache_put(bytes, sizeof bytes, bytes, sizeof bytes);
    back = disk_cache_get(bytes, sizeof bytes, &n);
    assert_non_null(back);
    assert_int_equal(n, sizeof bytes);
    assert_memory_equal(back, bytes, n);
    mem_free(back);
}

/* An entry with any byte changed, truncated or extended is a miss, and the next put replaces it. */
static void damage_is_seen(void **state) {
    (void)state;
    char path[2][256];
    begin();
    put("some key", "some program");
    assert_int_equal(files(own, path, 2), 1);
    struct stat st;
    assert_int_equal(stat(path[0], &st), 0);
    for (off_t at = 0; at < st.st_size; at++) {
        int fd = open(path[0], O_RDWR);
        char c;
        assert_int_equal(pread(fd, &c, 1, at), 1);
        c ^= 0x20;
        assert_int_equal(pwrite(fd, &c, 1, at), 1);
        close(fd);
        assert_false(holds("some key", "some program"));
        put("some key", "some program");
        assert_true(holds("some key", "some program"));
    }
    for (off_t size = 0; size < st.st_size + 5; size++) {
        if (size == st.st_size) continue;
        assert_int_equal(truncate(path[0], size), 0);
        assert_false(holds("some key", "some program"));
        put("some key", "some program");
    }
    assert_true(holds("some key", "some program"));
}

/* A file with another key (a hash collision, or a copied file) is a miss. */
static void foreign_entries_are_not_used(void **state) {
    (void)state;
    char path[2][256], other[2][256];
    begin();
    put("key", "program");
    assert_int_equal(files(own, path, 2), 1);
    setenv("GPA_CACHE_DIR", shared, 1);
    put("yek", "foreign");
    assert_int_equal(files(shared, other, 2), 1);
    setenv("GPA_CACHE_DIR", own, 1);
    assert_int_equal(rename(other[0], path[0]), 0);
    assert_false(holds("key", "program"));
    assert_false(holds("key", "foreign"));
    put("key", "program");
    assert_true(holds("key", "program"));
}

static void age(const char *path, long seconds) {
    struct timespec t[2] = {{time(NULL) - seconds, 0}, {time(NULL) - seconds, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path, t, 0), 0);
}

static void the_oldest_goes(void **state) {
    (void)state;
    enum { N = 30, SIZE = 1000 };
    char data[SIZE + 1], key[16], path[64][256];
    begin();
    memset(data, 'x', SIZE);
    data[SIZE] = 0;
    for (int i = 0; i < N; i++) {
        char before[64][256];
        int n = files(own, before, 64);
        snprintf(key, sizeof key, "key %d", i);
        put(key, data);
        /* the new one becomes as old as its number says */
        int m = files(own, path, 64);
        assert_int_equal(m, n + 1);
        for (int k = 0; k < m; k++) {
            bool known = false;
            for (int j = 0; j < n; j++) known |= !strcmp(path[k], before[j]);
            if (!known) age(path[k], 100000 - i * 1000);
        }
    }
    assert_true(holds("key 0", data)); /* used now */
    setenv("GPA_CACHE_LIMIT", "20K", 1);
    put("key last", data);
    int left = files(own, path, 64);
    assert_in_range(left, 10, 15);
    assert_true(holds("key 0", data));
    assert_true(holds("key last", data));
    assert_true(holds("key 29", data));
    assert_false(holds("key 1", data));
    assert_false(holds("key 12", data));
    /* an entry larger than the limit is not stored */
    setenv("GPA_CACHE_LIMIT", "500", 1);
    put("large", data);
    assert_false(holds("large", data));
}

static void a_shared_folder_is_only_read(void **state) {
    (void)state;
    char path[2][256];
    begin();
    setenv("GPA_CACHE_DIR", shared, 1);
    put("key", "shared program");
    setenv("GPA_CACHE_DIR", own, 1);
    assert_false(holds("key", "shared program"));
    setenv("GPA_CACHE_SHARED", shared, 1);
    assert_true(holds("key", "shared program"));
    put("mine", "own program");
    put("key", "own program");
    assert_true(holds("key", "own program"));
    assert_int_equal(files(shared, path, 2), 1);
    assert_int_equal(files(own, path, 2), 2);
}

/* Entries are machine code: a file that another user can write is never loaded. */
static void entries_of_others_are_refused(void **state) {
    (void)state;
    char path[2][256];
    struct stat st;
    begin();
    put("key", "program");
    assert_int_equal(stat(own, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(files(own, path, 2), 1);
    assert_int_equal(stat(path[0], &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    static const mode_t writable[] = {0720, 0702, 0777}, safe[] = {0700, 0755};
    for (size_t i = 0; i < COUNT_OF(writable); i++) {
        assert_int_equal(chmod(own, writable[i]), 0);
        assert_false(holds("key", "program"));
        put("new", "program"); /* nor is anything stored there */
        assert_int_equal(files(own, path, 2), 1);
        assert_int_equal(chmod(own, 0700), 0);
        assert_int_equal(chmod(path[0], writable[i]), 0);
        assert_false(holds("key", "program"));
        assert_int_equal(chmod(path[0], 0644), 0);
    }
    for (size_t i = 0; i < COUNT_OF(safe); i++) {
        assert_int_equal(chmod(own, safe[i]), 0);
        assert_true(holds("key", "program"));
    }
    assert_int_equal(chmod(path[0], 0666), 0);
    put("key", "program"); /* a refused entry is replaced */
    assert_true(holds("key", "program"));
    if (geteuid() == 0) {
        assert_int_equal(chown(path[0], 65534, 65534), 0);
        assert_false(holds("key", "program"));
        assert_int_equal(chown(path[0], 0, 0), 0);
        assert_int_equal(chown(own, 65534, 65534), 0);
        assert_false(holds("key", "program"));
        assert_int_equal(chown(own, 0, 0), 0);
        assert_true(holds("key", "program"));
    }
    char target[300];
    snprintf(target, sizeof target, "%s.moved", path[0]);
    assert_int_equal(rename(path[0], target), 0);
    assert_int_equal(symlink(target, path[0]), 0);
    assert_false(holds("key", "program"));
    assert_int_equal(unlink(path[0]), 0);
    assert_int_equal(mkfifo(path[0], 0600), 0);
    assert_false(holds("key", "program")); /* and does not wait for a writer */
}

/* Concurrent processes, also with a limit that makes them evict each other's entries: every entry
 * read is complete. */
static void processes_do_not_meet(void **state) {
    (void)state;
    enum { CHILDREN = 6, ROUNDS = 150 };
    begin();
    setenv("GPA_CACHE_LIMIT", "8K", 1);
    for (int c = 0; c < CHILDREN; c++) {
        if (fork()) continue;
        for (int i = 0; i < ROUNDS; i++) {
            char key[16], want[400];
            size_t n;
            snprintf(key, sizeof key, "key %d", i % 25);
            memset(want, 'a' + i % 25, sizeof want);
            char *got = disk_cache_get(key, strlen(key), &n);
            if (got && (n != sizeof want || memcmp(got, want, n))) _exit(1);
            mem_free(got);
            disk_cache_put(key, strlen(key), want, sizeof want);
        }
        _exit(0);
    }
    for (int c = 0; c < CHILDREN; c++) {
        int status;
        wait(&status);
        assert_int_equal(status, 0);
    }
}

static void nowhere_is_an_empty_cache(void **state) {
    (void)state;
    begin();
    setenv("GPA_CACHE_DIR", "/proc/nowhere", 1);
    put("key", "program");
    assert_false(holds("key", "program"));
    for (uint64_t n = 1; n < 6; n++) { /* and so is one without memory */
        begin();
        mem_fail_at(n);
        put("key", "program");
        mem_fail_at(0);
        put("key", "program");
        mem_fail_at(n);
        holds("key", "program");
        mem_fail_at(0);
        assert_true(holds("key", "program"));
    }
}

static void it_tells_and_clears(void **state) {
    (void)state;
    gpa_str s;
    char want[256];
    begin();
    put("one", "program");
    put("two", "program");
    str_init(&s);
    rt_programs(false, &s);
    snprintf(want, sizeof want, "%s: 2 programs, 84 bytes of at most 256 MiB\n", own);
    assert_string_equal(s.text, want);
    str_clear(&s);
    rt_programs(true, &s);
    snprintf(want, sizeof want, "%s: removed 2 programs, 84 bytes\n", own);
    assert_string_equal(s.text, want);
    assert_false(holds("one", "program"));
    setenv("GPA_CACHE_SHARED", shared, 1);
    str_clear(&s);
    rt_programs(false, &s);
    snprintf(want, sizeof want,
             "%s: 0 programs, 0 bytes of at most 256 MiB\n%s: 0 programs, 0 bytes (there is no "
             "such folder yet)\n",
             own, shared);
    assert_string_equal(s.text, want);
    str_free(&s);
    begin();
    rmdir(own);
    rmdir(top);
}

UNIT_TESTS(TEST(programs_come_back), TEST(damage_is_seen), TEST(foreign_entries_are_not_used),
           TEST(the_oldest_goes), TEST(a_shared_folder_is_only_read),
           TEST(entries_of_others_are_refused), TEST(processes_do_not_meet),
           TEST(nowhere_is_an_empty_cache), TEST(it_tells_and_clears))
