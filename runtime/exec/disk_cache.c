/* One file per entry: a heading, the key, the program. Written under a name of its own and renamed,
 * so that a reader sees a whole file or none; the time of last use is the file's time of
 * modification.
 *
 * Reading order: folders, reading, making room, writing, what the user asks. */
#include "runtime/exec/disk_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/base.h"
#include "runtime/runtime.h"

enum { PATH_ROOM = 4096, NAME_ROOM = 40, SWEEPS = 32, FRESH = 600, ABANDONED = 3600 };

static const char suffix[] = ".program", unfinished[] = ".new-";

typedef struct {
    char magic[8];
    uint64_t n_key, n_data, sum;
} heading;

static const char magic[8] = "gpaprg3";

/* ---- folders ---- */

static uint64_t limit(void) {
    uint64_t bytes;
    const char *told = getenv("GPA_CACHE_LIMIT");
    return told && str_read_bytes(told, 0, &bytes) ? bytes : 256u << 20;
}

/* Where programs are kept; false when nowhere. */
static bool own_folder(char *path) {
    const char *told = getenv("GPA_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    int n = -1;
    if (told && *told)
        n = snprintf(path, PATH_ROOM, "%s", told);
    else if (xdg && *xdg)
        n = snprintf(path, PATH_ROOM, "%s/gpa", xdg);
    else if (home && *home)
        n = snprintf(path, PATH_ROOM, "%s/.cache/gpa", home);
    return n > 0 && n < PATH_ROOM - 2 * NAME_ROOM;
}

static bool shared_folder(char *path) {
    const char *told = getenv("GPA_CACHE_SHARED");
    return told && *told && snprintf(path, PATH_ROOM, "%s", told) < PATH_ROOM - 2 * NAME_ROOM;
}

static void make_folder(char *path) {
    for (char *p = path + 1; *p; p++) {
        if (*p != '/') continue;
        *p = 0;
        mkdir(path, 0777);
        *p = '/';
    }
    mkdir(path, 0777);
}

static void add_name(char *path, const char *key, size_t n) {
    size_t at = strlen(path);
    snprintf(path + at, PATH_ROOM - at, "/%016llx%016llx%s",
             (unsigned long long)hash_bytes(key, n, 1), (unsigned long long)hash_bytes(key, n, 2),
             suffix);
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
    heading h;
    char *all, *data = NULL;
    uint64_t most = (uint64_t)st->st_size;
    if (!read_all(fd, (char *)&h, sizeof h) || memcmp(h.magic, magic, sizeof magic)) return NULL;
    if (h.n_key != n || h.n_data > most || sizeof h + h.n_key + h.n_data != most) return NULL;
    size_t size = (size_t)(h.n_key + h.n_data);
    if (!(all = mem_new(size))) return NULL;
    if (read_all(fd, all, size) && !memcmp(all, key, n) && hash_bytes(all, size, 3) == h.sum)
        data = mem_text(all + n, (size_t)h.n_data);
    mem_free(all);
    *n_data = (size_t)h.n_data;
    return data;
}

static char *get_from(char *folder, bool own, const char *key, size_t n, size_t *n_data) {
    struct stat st;
    add_name(folder, key, n);
    int fd = open(folder, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    char *data = fstat(fd, &st) ? NULL : read_entry(fd, &st, key, n, n_data);
    if (data && own && st.st_mtime + FRESH < time(NULL)) futimens(fd, NULL);
    close(fd);
    return data;
}

char *disk_cache_get(const char *key, size_t n, size_t *n_data) {
    char folder[PATH_ROOM], *data = NULL;
    if (own_folder(folder)) data = get_from(folder, true, key, n, n_data);
    if (!data && shared_folder(folder)) data = get_from(folder, false, key, n, n_data);
    return data;
}

/* ---- making room ---- */

typedef struct {
    char name[NAME_ROOM + 1];
    int64_t used, bytes;
} entry;

typedef struct {
    entry *at;
    size_t n, cap;
    uint64_t bytes;
} entries;

static int by_use(const void *a, const void *b) {
    const entry *x = a, *y = b;
    return x->used < y->used ? -1 : x->used > y->used;
}

/* The entries of a folder, to be freed by the caller. What a process that died was writing is
 * removed. */
static void list(DIR *d, entries *all) {
    for (struct dirent *x; (x = readdir(d));) {
        struct stat st;
        bool whole = is_entry(x->d_name),
             part = strncmp(x->d_name, unfinished, sizeof unfinished - 1) == 0;
        if ((!whole && !part) || fstatat(dirfd(d), x->d_name, &st, AT_SYMLINK_NOFOLLOW)) continue;
        if (part && st.st_mtime + ABANDONED < time(NULL)) unlinkat(dirfd(d), x->d_name, 0);
        if (part || !mem_room(&all->at, all->n, &all->cap, sizeof *all->at)) continue;
        entry *e = &all->at[all->n++];
        snprintf(e->name, sizeof e->name, "%.40s", x->d_name);
        e->used = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
        e->bytes = st.st_size;
        all->bytes += (uint64_t)st.st_size;
    }
}

/* When a folder holds more than `past` bytes, removes what was used longest ago until at most
 * `most` are left; how many entries that were, and how many bytes there had been. */
static size_t shrink(const char *folder, uint64_t past, uint64_t most, uint64_t *bytes) {
    entries all = {0};
    size_t removed = 0;
    DIR *d = opendir(folder);
    if (!d) return 0;
    list(d, &all);
    *bytes = all.bytes;
    if (all.n > 1) qsort(all.at, all.n, sizeof *all.at, by_use);
    for (size_t i = 0; i<all.n && * bytes> past && all.bytes > most; i++) {
        removed += !unlinkat(dirfd(d), all.at[i].name, 0); /* or another process was first */
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

/* A folder of thousands of files is looked through once in a while: on the average whenever a
 * thirty-second part of the limit was written. */
static bool is_time(uint64_t most, uint64_t written, uint64_t dice) {
    return dice % MAX(most / SWEEPS / written, 1) == 0;
}

void disk_cache_put(const char *key, size_t n, const char *data, size_t n_data) {
    char folder[PATH_ROOM], path[PATH_ROOM], fresh[PATH_ROOM];
    uint64_t most = limit(), bytes;
    if (!own_folder(folder) || sizeof(heading) + n + n_data > most) return;
    char *all = mem_new(n + n_data);
    if (!all) return;
    memcpy(all, key, n);
    memcpy(all + n, data, n_data);
    heading h = {.n_key = n, .n_data = n_data, .sum = hash_bytes(all, n + n_data, 3)};
    memcpy(h.magic, magic, sizeof magic);
    make_folder(folder);
    memcpy(path, folder, sizeof path);
    add_name(path, key, n);
    snprintf(fresh, sizeof fresh, "%.*s/%s%ld-XXXXXX", PATH_ROOM - 2 * NAME_ROOM, folder,
             unfinished, (long)getpid());
    int fd = mkostemp(fresh, O_CLOEXEC);
    if (fd >= 0) {
        bool good = write_all(fd, &h, sizeof h) && write_all(fd, all, n + n_data);
        good = !fchmod(fd, 0644) && good;
        good = !close(fd) && good;
        if (!good || rename(fresh, path))
            unlink(fresh);
        else if (is_time(most, sizeof h + n + n_data, h.sum))
            shrink(folder, most, most / 4 * 3, &bytes);
    }
    mem_free(all);
}

/* ---- what the user asks ---- */

static void describe(const char *folder, uint64_t most, const char *note, gpa_str *out) {
    entries all = {0};
    char holds[32], cap[32];
    DIR *d = opendir(folder);
    if (d) list(d, &all), closedir(d);
    str_printf(out, "%s: %zu program%s, %s", folder, all.n, all.n == 1 ? "" : "s",
               str_bytes(holds, (double)all.bytes));
    if (most) str_printf(out, " of at most %s", str_bytes(cap, (double)most));
    str_printf(out, "%s\n", d ? note : " (there is no such folder yet)");
    mem_free(all.at);
}

void rt_programs(bool clear, gpa_str *out) {
    char folder[PATH_ROOM], held[32];
    uint64_t bytes = 0;
    bool own = own_folder(folder);
    if (own && clear) {
        size_t n = shrink(folder, 0, 0, &bytes);
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
