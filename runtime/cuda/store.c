/* One file per entry: a heading, the key, the text. Written under a name of its own and renamed, so that a reader sees
 * a whole file or none; the time of last use is the file's time of modification. */
#include "runtime/cuda/store.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base.h"

enum { PATH_ROOM = 4096, MAX_BYTES = 256 << 20, SWEEP_EVERY = 64 };

typedef struct {
    char magic[8];
    uint64_t n_key, n_text, sum;
} heading;

static const char magic[8] = "gpaptx1";

/* The folder, made if need be; false when there is none. */
static bool folder(char *path) {
    const char *told = getenv("GPA_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = -1;
    if (told && *told) n = snprintf(path, PATH_ROOM, "%s", told);
    else if (xdg && *xdg) n = snprintf(path, PATH_ROOM, "%s/gpa", xdg);
    else if (home && *home) n = snprintf(path, PATH_ROOM, "%s/.cache/gpa", home);
    if (n <= 0 || n >= PATH_ROOM - 128) return false;
    for (char *p = path + 1; *p; p++) {
        if (*p != '/') continue;
        *p = 0;
        mkdir(path, 0777);
        *p = '/';
    }
    mkdir(path, 0777);
    return access(path, R_OK | X_OK) == 0;
}

static void entry_path(char *out, const char *dir, const char *key, size_t n) {
    snprintf(out, PATH_ROOM, "%.3900s/%016llx%016llx.ptx", dir, (unsigned long long)hash_bytes(key, n, 1), (unsigned long long)hash_bytes(key, n, 2));
}

static char *read_entry(int fd, const char *key, size_t n) {
    heading h;
    struct stat st;
    char *all = NULL, *text = NULL;
    if (read(fd, &h, sizeof h) != (ssize_t)sizeof h || memcmp(h.magic, magic, sizeof magic) || fstat(fd, &st)) return NULL;
    if (h.n_key != n || h.n_text > MAX_BYTES || (uint64_t)st.st_size != sizeof h + h.n_key + h.n_text) return NULL;
    size_t size = (size_t)(h.n_key + h.n_text), got = 0;
    if (!(all = mem_new(size + 1))) return NULL;
    for (ssize_t r; got < size && (r = read(fd, all + got, size - got)) > 0;) got += (size_t)r;
    if (got == size && !memcmp(all, key, n) && hash_bytes(all, size, 3) == h.sum) text = mem_text(all + n, (size_t)h.n_text);
    mem_free(all);
    return text;
}

char *store_get(const char *key, size_t n) {
    char dir[PATH_ROOM], path[PATH_ROOM];
    if (!folder(dir)) return NULL;
    entry_path(path, dir, key, n);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    char *text = read_entry(fd, key, n);
    if (text) futimens(fd, NULL); /* used now; a read-only cache keeps its times */
    close(fd);
    return text;
}

/* ---- eviction ---- */

typedef struct {
    char name[64];
    int64_t used, bytes;
} file;

static int by_use(const void *a, const void *b) {
    const file *x = a, *y = b;
    return x->used < y->used ? -1 : x->used > y->used;
}

/* Removes what was used longest ago until three quarters of the limit are left. */
static void sweep(const char *dir) {
    file *all = NULL;
    size_t n = 0, cap = 0;
    int64_t total = 0;
    DIR *d = opendir(dir);
    if (!d) return;
    for (struct dirent *x; (x = readdir(d));) {
        struct stat st;
        size_t len = strlen(x->d_name);
        bool ours = len > 4 && len < sizeof all->name && !strcmp(x->d_name + len - 4, ".ptx");
        if (!ours || fstatat(dirfd(d), x->d_name, &st, 0) || !mem_room(&all, n, &cap, sizeof *all)) continue;
        memcpy(all[n].name, x->d_name, len + 1);
        all[n].used = st.st_mtime;
        all[n].bytes = st.st_size;
        total += all[n++].bytes;
    }
    if (total > MAX_BYTES) qsort(all, n, sizeof *all, by_use);
    for (size_t i = 0; i < n && total > MAX_BYTES; i++)
        if (!unlinkat(dirfd(d), all[i].name, 0)) total -= all[i].bytes + MAX_BYTES / 4 / (int64_t)n;
    closedir(d);
    mem_free(all);
}

/* ---- writing ---- */

static bool write_all(int fd, const void *p, size_t n) {
    const char *at = p;
    for (ssize_t w; n; at += w, n -= (size_t)w)
        if ((w = write(fd, at, n)) <= 0) return false;
    return true;
}

void store_put(const char *key, size_t n, const char *text) {
    char dir[PATH_ROOM], path[PATH_ROOM], fresh[PATH_ROOM];
    size_t n_text = strlen(text);
    if (!folder(dir)) return;
    char *all = mem_new(n + n_text + 1);
    if (!all) return;
    memcpy(all, key, n);
    memcpy(all + n, text, n_text);
    heading h = {.n_key = n, .n_text = n_text, .sum = hash_bytes(all, n + n_text, 3)};
    memcpy(h.magic, magic, sizeof magic);
    entry_path(path, dir, key, n);
    snprintf(fresh, sizeof fresh, "%.3900s/.new-%ld-XXXXXX", dir, (long)getpid());
    int fd = mkstemp(fresh);
    if (fd >= 0) {
        bool good = write_all(fd, &h, sizeof h) && write_all(fd, all, n + n_text);
        good = !fchmod(fd, 0644) && good;
        good = !close(fd) && good;
        if (!good || rename(fresh, path)) unlink(fresh);
        else if (h.sum % SWEEP_EVERY == 0) sweep(dir);
    }
    mem_free(all);
}
