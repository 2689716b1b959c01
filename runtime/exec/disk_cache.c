/* Disk cache of compiled programs: one file per entry (a header, the key, the program), LRU
 * eviction by modification time. A file is written under a temporary name and renamed, so that a
 * reader sees a whole file or none.
 *
 * Reading order: folders, reading, eviction, writing, the report for the user. */
#include "runtime/exec/disk_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/base.h"
#include "runtime/runtime.h"
#include "runtime/tables/tuning.h"

enum {
    PATH_CAPACITY = 4096,
    NAME_CAPACITY = 40,
};

static const char suffix[] = ".program", temporary[] = ".new-";

typedef struct {
    char magic[8];
    uint64_t n_key, n_data, checksum;
} file_header;

static const char magic[8] = "gpaprg3";

/* ---- folders ---- */

static uint64_t limit(void) {
    uint64_t bytes;
    const char *set = getenv("GPA_CACHE_LIMIT");
    return set && str_read_bytes(set, 0, &bytes) ? bytes : 256u << 20;
}

/* The folder that programs are written to; false: no environment variable names one. */
static bool own_folder(char *path) {
    const char *set = getenv("GPA_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    int n = -1;
    if (set && *set)
        n = snprintf(path, PATH_CAPACITY, "%s", set);
    else if (xdg && *xdg)
        n = snprintf(path, PATH_CAPACITY, "%s/gpa", xdg);
    else if (home && *home)
        n = snprintf(path, PATH_CAPACITY, "%s/.cache/gpa", home);
    return n > 0 && n < PATH_CAPACITY - 2 * NAME_CAPACITY;
}

static bool shared_folder(char *path) {
    const char *set = getenv("GPA_CACHE_SHARED");
    return set && *set &&
           snprintf(path, PATH_CAPACITY, "%s", set) < PATH_CAPACITY - 2 * NAME_CAPACITY;
}

/* Creates the folder, for the user alone, and its parents. */
static void make_folder(char *path) {
    for (char *p = path + 1; *p; p++) {
        if (*p != '/') continue;
        *p = 0;
        mkdir(path, 0777);
        *p = '/';
    }
    mkdir(path, 0700);
}

/* NULL if only this user and root can have written the file or changed the folder; else why it is
 * not trusted. */
static const char *why_untrusted(const struct stat *st) {
    if (st->st_uid != geteuid() && st->st_uid != 0) return "it belongs to another user";
    return st->st_mode & (S_IWGRP | S_IWOTH) ? "other users may write to it" : NULL;
}

/* Reports once per process why a folder of programs is not used, or not written to. */
static void report_once(const char *path, const char *what, const char *why) {
    static atomic_flag reported = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&reported))
        fprintf(stderr, "gpa: the compiled programs in %s are not %s: %s\n", path, what, why);
}

/* Opens a folder whose entries may be run. -1: it does not exist (*why is NULL), or it is not
 * trusted, for the reason *why. */
static int open_trusted(const char *path, const char **why) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *why = fd >= 0 && !fstat(fd, &st) ? why_untrusted(&st) : NULL;
    if (fd < 0 || !*why) return fd;
    close(fd);
    return -1;
}

static int open_folder(const char *path) {
    const char *why;
    int fd = open_trusted(path, &why);
    if (why) report_once(path, "used", why);
    return fd;
}

static void entry_name(char name[NAME_CAPACITY + 1], const char *key, size_t n) {
    snprintf(name, NAME_CAPACITY + 1, "%016llx%016llx%s", (unsigned long long)hash_bytes(key, n, 1),
             (unsigned long long)hash_bytes(key, n, 2), suffix);
}

static bool is_entry(const char *name) {
    size_t n = strlen(name);
    return n == 32 + sizeof suffix - 1 && strcmp(name + 32, suffix) == 0;
}

/* ---- reading ---- */

static bool read_all(int fd, char *to, size_t n) {
    for (ssize_t got; n; to += got, n -= (size_t)got)
        if ((got = read(fd, to, n)) <= 0) return false;
    return true;
}

static char *read_entry(int fd, const struct stat *st, const char *key, size_t n, size_t *n_data) {
    file_header h;
    char *all, *data = NULL;
    uint64_t size_on_disk = (uint64_t)st->st_size;
    if (!read_all(fd, (char *)&h, sizeof h) || memcmp(h.magic, magic, sizeof magic)) return NULL;
    if (h.n_key != n || h.n_data > size_on_disk || sizeof h + h.n_key + h.n_data != size_on_disk)
        return NULL;
    size_t size = (size_t)(h.n_key + h.n_data);
    if (!(all = mem_new(size))) return NULL;
    if (read_all(fd, all, size) && !memcmp(all, key, n) && hash_bytes(all, size, 3) == h.checksum)
        data = mem_text(all + n, (size_t)h.n_data);
    mem_free(all);
    *n_data = (size_t)h.n_data;
    return data;
}

static char *get_from(const char *path, bool own, const char *key, size_t n, size_t *n_data) {
    struct stat st;
    char name[NAME_CAPACITY + 1], *data = NULL;
    int folder = open_folder(path);
    if (folder < 0) return NULL;
    entry_name(name, key, n);
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    close(folder);
    if (fd < 0) return NULL;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && !why_untrusted(&st))
        data = read_entry(fd, &st, key, n, n_data);
    if (data && own && st.st_mtime + TUNE_DISK_CACHE_TOUCH_SECONDS < time(NULL)) futimens(fd, NULL);
    close(fd);
    return data;
}

char *disk_cache_get(const char *key, size_t n, size_t *n_data) {
    char folder[PATH_CAPACITY], *data = NULL;
    if (own_folder(folder)) data = get_from(folder, true, key, n, n_data);
    if (!data && shared_folder(folder)) data = get_from(folder, false, key, n, n_data);
    return data;
}

/* ---- eviction ---- */

typedef struct {
    char name[NAME_CAPACITY + 1];
    int64_t used, bytes;
} entry;

typedef struct {
    entry *at;
    size_t n, cap;
    uint64_t bytes;
} entries;

static int compare_last_use(const void *a, const void *b) {
    const entry *x = a, *y = b;
    return x->used < y->used ? -1 : x->used > y->used;
}

/* Lists the entries of a folder (freed by the caller), and removes the temporary files that
 * processes left when they died. */
static void list(DIR *d, entries *all) {
    for (struct dirent *x; (x = readdir(d));) {
        struct stat st;
        bool whole = is_entry(x->d_name),
             partial = strncmp(x->d_name, temporary, sizeof temporary - 1) == 0;
        if ((!whole && !partial) || fstatat(dirfd(d), x->d_name, &st, AT_SYMLINK_NOFOLLOW))
            continue;
        if (partial && st.st_mtime + TUNE_DISK_CACHE_ABANDONED_SECONDS < time(NULL))
            unlinkat(dirfd(d), x->d_name, 0);
        if (partial || !mem_grow(&all->at, all->n, &all->cap, sizeof *all->at)) continue;
        entry *e = &all->at[all->n++];
        snprintf(e->name, sizeof e->name, "%.40s", x->d_name);
        e->used = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
        e->bytes = st.st_size;
        all->bytes += (uint64_t)st.st_size;
    }
}

/* If a folder holds more than `limit` bytes, removes the least recently used entries until at most
 * `target` are left. Returns the number of removed entries; *bytes: the size of the folder before.
 */
static size_t evict(const char *folder, uint64_t limit, uint64_t target, uint64_t *bytes) {
    entries all = {0};
    size_t removed = 0;
    DIR *d = opendir(folder);
    if (!d) return 0;
    list(d, &all);
    *bytes = all.bytes;
    if (all.n > 1) qsort(all.at, all.n, sizeof *all.at, compare_last_use);
    const bool over = all.bytes > limit;
    for (size_t i = 0; over && i < all.n && all.bytes > target; i++) {
        removed += !unlinkat(dirfd(d), all.at[i].name,
                             0); /* another process may have removed it already */
        all.bytes -= (uint64_t)all.at[i].bytes;
    }
    closedir(d);
    mem_free(all.at);
    return removed;
}

/* ---- writing ---- */

static bool write_all(int fd, const void *p, size_t n) {
    const char *at = p;
    for (ssize_t w; n; at += w, n -= (size_t)w)
        if ((w = write(fd, at, n)) <= 0) return false;
    return true;
}

/* Listing a folder of thousands of files costs more than writing one, so the folder is listed at
 * random: on average once per limit / TUNE_DISK_CACHE_SCANS_PER_CAPACITY bytes written. */
static bool is_eviction_due(uint64_t capacity, uint64_t written, uint64_t random) {
    return random % MAX(capacity / TUNE_DISK_CACHE_SCANS_PER_CAPACITY / written, 1) == 0;
}

/* Writes the entry under a temporary name and renames it; false: nothing was stored, errno says
 * why. */
static bool write_entry(int folder, const char *name, const file_header *h, const char *all,
                        size_t n) {
    char fresh[NAME_CAPACITY + 1];
    static unsigned count; /* makes names unique within the process */
    snprintf(fresh, sizeof fresh, "%s%ld-%u", temporary, (long)getpid(),
             __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED));
    unlinkat(folder, fresh, 0); /* left by a process with the same id that died */
    int fd = openat(folder, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    bool good = write_all(fd, h, sizeof *h) && write_all(fd, all, n);
    int why = errno;
    good = !close(fd) && good;
    if (good && !renameat(folder, fresh, folder, name)) return true;
    if (good) why = errno;
    unlinkat(folder, fresh, 0);
    errno = why;
    return false;
}

void disk_cache_put(const char *key, size_t n, const char *data, size_t n_data) {
    char path[PATH_CAPACITY], name[NAME_CAPACITY + 1];
    uint64_t capacity = limit(), bytes;
    if (!own_folder(path) || sizeof(file_header) + n + n_data > capacity) return;
    char *all = mem_new(n + n_data);
    if (!all) return;
    memcpy(all, key, n);
    memcpy(all + n, data, n_data);
    file_header h = {.n_key = n, .n_data = n_data, .checksum = hash_bytes(all, n + n_data, 3)};
    memcpy(h.magic, magic, sizeof magic);
    make_folder(path);
    int folder = open_folder(path);
    entry_name(name, key, n);
    if (folder < 0)
        report_once(path, "kept", strerror(errno));
    else if (!write_entry(folder, name, &h, all, n + n_data))
        report_once(path, "kept", strerror(errno));
    else if (is_eviction_due(capacity, sizeof h + n + n_data, h.checksum))
        evict(path, capacity, capacity / 4 * 3, &bytes);
    if (folder >= 0) close(folder);
    mem_free(all);
}

/* ---- the report for the user ---- */

static void describe(const char *folder, uint64_t limit, const char *note, gpa_str *out) {
    entries all = {0};
    char holds[32], cap[32], refused[64];
    const char *why;
    DIR *d = opendir(folder);
    int trusted = open_trusted(folder, &why);
    if (d) list(d, &all), closedir(d);
    str_printf(out, "%s: %zu program%s, %s", folder, all.n, all.n == 1 ? "" : "s",
               str_bytes(holds, (double)all.bytes));
    if (limit) str_printf(out, " of at most %s", str_bytes(cap, (double)limit));
    if (why) snprintf(refused, sizeof refused, " (not used: %s)", why), note = refused;
    if (trusted >= 0) close(trusted);
    str_printf(out, "%s\n", d ? note : " (there is no such folder yet)");
    mem_free(all.at);
}

void rt_programs(bool clear, gpa_str *out) {
    char folder[PATH_CAPACITY], held[32];
    uint64_t bytes = 0;
    bool own = own_folder(folder);
    if (own && clear) {
        size_t n = evict(folder, 0, 0, &bytes);
        str_printf(out, "%s: removed %zu program%s, %s\n", folder, n, n == 1 ? "" : "s",
                   str_bytes(held, (double)bytes));
    } else if (own) {
        describe(folder, limit(), "", out);
    } else {
        str_put(out,
                "programs are not kept: neither GPA_CACHE_DIR nor XDG_CACHE_HOME nor HOME names a "
                "folder\n");
    }
    if (!clear && shared_folder(folder)) describe(folder, 0, " (shared, only read)", out);
}
