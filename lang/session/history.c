/* Input history of sessions, shared through a file. Invariant: `entries` are in the order in
 * which they became known. Data of the file beyond `at` is read before every query, so that
 * entries of concurrent sessions are found too.
 *
 * Reading order: lines of the file, entries, the file, the interface. */
#include "lang/session/history.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/base.h"

enum {
    KEPT_ENTRIES = 20000,            /* entries kept when the file is truncated */
    MAX_ENTRIES = 2 * KEPT_ENTRIES,  /* number of entries that triggers it */
    KEPT_BYTES = 4 << 20,            /* bytes of inputs kept then */
    MAX_FILE_BYTES = 2 * KEPT_BYTES, /* size of the file that triggers it */
    MAX_ENTRY_BYTES = 1 << 20        /* longer inputs are not written to the file */
};

/* ---- lines of the file ---- */

static void put_line(gpa_str *out, int session, int line, const char *input, size_t n) {
    str_printf(out, "%d %d %lld\t", session, line, (long long)time(NULL));
    for (size_t i = 0; i < n; i++) {
        if (input[i] == '\n')
            str_put(out, "\\n");
        else if (input[i] == '\r')
            str_put(out, "\\r");
        else if (input[i] == '\\')
            str_put(out, "\\\\");
        else
            str_putc(out, input[i]);
    }
    str_putc(out, '\n');
}

/* The unescaped input of a line; NULL when out of memory. */
static char *get_input(const char *text, size_t n) {
    char *out = mem_text(text, n);
    size_t to = 0;
    for (size_t i = 0; out && i < n; i++) {
        char c = text[i];
        if (c == '\\' && i + 1 < n) {
            c = text[++i];
            c = c == 'n' ? '\n' : c == 'r' ? '\r' : c;
        }
        out[to++] = c;
    }
    if (out) out[to] = 0;
    return out;
}

/* ---- entries ---- */

static void drop_entry(history_entry *e) {
    mem_free(e->own);
    mem_free(e->output);
}

static gpa_code add(history *h, const history_entry *e) {
    if (!mem_grow(&h->entries, h->n, &h->cap, sizeof *h->entries)) return GPA_E_MEMORY;
    h->entries[h->n++] = *e;
    return GPA_OK;
}

/* Consumes the input, also on failure. */
static gpa_code add_take(history *h, int session, int line, char *input) {
    gpa_code rc =
        input ? add(h, &(history_entry){session, line, input, input, NULL}) : GPA_E_MEMORY;
    if (rc) mem_free(input);
    return rc;
}

/* Drops the entries of this session, or of all others. */
static void drop(history *h, bool ours) {
    size_t kept = 0;
    for (size_t i = 0; i < h->n; i++) {
        if ((h->entries[i].session == h->session) == ours)
            drop_entry(&h->entries[i]);
        else
            h->entries[kept++] = h->entries[i];
    }
    h->n = kept;
}

/* ---- the file ---- */

/* Creates the parent folders of the path. */
static void make_folders(const char *path) {
    char part[4096];
    if (strlen(path) >= sizeof part) return;
    for (size_t i = 0; path[i]; i++) {
        part[i] = path[i];
        part[i + 1] = 0;
        if (path[i] == '/' && i > 0) {
            part[i] = 0;
            mkdir(part, 0700);
            part[i] = '/';
        }
    }
}

/* Opens the file under a lock, which closing releases; -1 with errno set. A session that truncates
 * the file replaces it while others wait for the lock: these open the new one. */
static int open_locked(const history *h) {
    for (;;) {
        struct stat ours, now;
        int fd = open(h->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (fd < 0 || flock(fd, LOCK_EX) || fstat(fd, &ours) || stat(h->path, &now)) return fd;
        if (ours.st_ino == now.st_ino && ours.st_dev == now.st_dev) return fd;
        close(fd);
    }
}

static bool write_all(int fd, const char *text, size_t n) {
    for (size_t done = 0; done < n;) {
        ssize_t w = write(fd, text + done, n - done);
        if (w < 0 && errno != EINTR) return false;
        if (w > 0) done += (size_t)w;
    }
    return true;
}

/* Parses whole lines into entries; *highest: the largest session number. */
static gpa_code read_lines(history *h, const char *text, size_t n, int *highest) {
    gpa_code rc = GPA_OK;
    for (size_t at = 0; at < n && !rc;) {
        const char *start = text + at, *end = memchr(start, '\n', n - at), *tab;
        if (!end) break;
        at = (size_t)(end - text) + 1;
        char *p;
        long session = strtol(start, &p, 10), line = strtol(p, &p, 10);
        tab = memchr(start, '\t', (size_t)(end - start));
        if (!tab || session <= 0 || session > INT32_MAX || line < 0 || line > INT32_MAX)
            continue; /* a damaged line */
        *highest = MAX(*highest, (int)session);
        if (line > 0 && session != h->session)
            rc = add_take(h, (int)session, (int)line, get_input(tab + 1, (size_t)(end - tab - 1)));
    }
    return rc;
}

/* The whole lines from `at` on; NULL (and *n 0) if there are none. Owned: mem_free. */
static char *read_rest(history *h, int fd, size_t *n) {
    struct stat st;
    *n = 0;
    if (fstat(fd, &st)) return NULL;
    if (h->id != st.st_ino ||
        st.st_size < h->at) { /* the file was replaced or truncated: read it again */
        if (h->id) drop(h, false);
        h->at = 0;
        h->id = st.st_ino;
    }
    if (st.st_size <= h->at) return NULL;
    size_t size = (size_t)(st.st_size - h->at);
    char *text = mem_new(size + 1);
    while (text && *n < size) {
        ssize_t got = pread(fd, text + *n, size - *n, (off_t)(h->at + (long long)*n));
        if (got <= 0) break;
        *n += (size_t)got;
    }
    while (*n && text[*n - 1] != '\n') --*n;
    h->at += (long long)*n;
    return text;
}

/* True if an entry belongs into the file: inputs that begin with a blank do not. */
static bool is_written(const char *input, size_t n) {
    return *input != ' ' && n <= MAX_ENTRY_BYTES;
}

/* The first of the newest entries that a truncated file keeps. */
static size_t first_kept(const history *h) {
    size_t first = h->n, bytes = 0;
    while (first > 0 && h->n - first < KEPT_ENTRIES) {
        size_t n = strlen(h->entries[first - 1].input);
        if (is_written(h->entries[first - 1].input, n)) bytes += n;
        if (bytes > KEPT_BYTES) break;
        first--;
    }
    return first;
}

/* Keeps the newest entries, in memory and in a new file, which replaces the old one. On failure the
 * old file stays. */
static void shorten(history *h) {
    gpa_str text, fresh;
    str_init(&text);
    str_init(&fresh);
    str_printf(&fresh, "%s.new", h->path);
    size_t first = first_kept(h);
    for (size_t i = 0; i < first; i++) drop_entry(&h->entries[i]);
    h->n -= first;
    memmove(h->entries, h->entries + first, h->n * sizeof *h->entries);
    for (size_t i = 0; i < h->n; i++) {
        const history_entry *e = &h->entries[i];
        size_t n = strlen(e->input);
        if (is_written(e->input, n)) put_line(&text, e->session, e->line, e->input, n);
    }
    int fd = text.failed || fresh.failed
                 ? -1
                 : open(fresh.text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd >= 0) {
        struct stat st;
        bool good = write_all(fd, text.text, text.len) && fstat(fd, &st) == 0;
        good = close(fd) == 0 && good && rename(fresh.text, h->path) == 0;
        if (good)
            h->id = st.st_ino, h->at = st.st_size;
        else
            unlink(fresh.text);
    }
    str_free(&text);
    str_free(&fresh);
}

/* Reads the file for the first time and allocates a number for this session. */
static gpa_code begin_session(history *h, char *reason, size_t capacity) {
    int highest = 0;
    size_t n;
    gpa_str mark;
    h->session = -1; /* no entry in the file belongs to this session */
    make_folders(h->path);
    int fd = open_locked(h);
    if (fd < 0) {
        snprintf(reason, capacity, "the history is not kept: %s: %s", h->path, strerror(errno));
        mem_free(h->path);
        h->path = NULL;
        h->session = 1;
        return GPA_OK;
    }
    char *text = read_rest(h, fd, &n);
    gpa_code rc = text ? read_lines(h, text, n, &highest) : GPA_OK;
    mem_free(text);
    h->session = highest + 1;
    if (!rc && (h->n > MAX_ENTRIES || h->at > MAX_FILE_BYTES)) {
        shorten(h);
        close(fd);
        fd = open_locked(h);
    }
    str_init(&mark);
    put_line(&mark, h->session, 0, "", 0);
    if (fd >= 0 && !mark.failed) write_all(fd, mark.text, mark.len);
    str_free(&mark);
    if (fd >= 0) close(fd);
    return rc;
}

/* Reads entries that other sessions added since the last call. */
static gpa_code refresh(history *h) {
    char reason[256];
    int highest = 0;
    size_t n;
    if (!h->session && !h->path) h->session = 1;
    if (!h->session) return begin_session(h, reason, sizeof reason);
    int fd = h->path ? open(h->path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) return GPA_OK;
    char *text = read_rest(h, fd, &n);
    close(fd);
    gpa_code rc = text ? read_lines(h, text, n, &highest) : GPA_OK;
    mem_free(text);
    return rc;
}

/* Truncates the file, which is open and locked, after reading what other sessions have added. */
static gpa_code truncate_file(history *h, int fd) {
    int highest = 0;
    size_t n;
    char *text = read_rest(h, fd, &n);
    gpa_code rc = text ? read_lines(h, text, n, &highest) : GPA_OK;
    mem_free(text);
    if (!rc) shorten(h);
    return rc;
}

/* ---- the interface ---- */

gpa_code history_init(history *h, const char *path) {
    *h = (history){.path = NULL};
    if (!path || !*path) return GPA_OK;
    h->path = mem_text(path, strlen(path));
    return h->path ? GPA_OK : GPA_E_MEMORY;
}

void history_free(history *h) {
    for (size_t i = 0; i < h->n; i++) drop_entry(&h->entries[i]);
    mem_free(h->entries);
    mem_free(h->path);
    *h = (history){.path = NULL};
}

void history_forget(history *h) { drop(h, true); }

gpa_code history_add(history *h, int line, const char *input, size_t size, char *reason, size_t n) {
    *reason = 0;
    size = strnlen(input, size); /* the input ends at a NUL */
    if (!h->session && h->path) {
        gpa_code rc = begin_session(h, reason, n);
        if (rc) return rc;
    }
    if (!h->session) h->session = 1;
    gpa_code rc = add(h, &(history_entry){h->session, line, input, NULL, NULL});
    if (rc || !h->path || !is_written(input, size)) return rc;
    gpa_str text;
    struct stat st;
    str_init(&text);
    put_line(&text, h->session, line, input, size);
    int fd = text.failed ? -1 : open_locked(h);
    if (fd >= 0) {
        write_all(fd, text.text, text.len);
        if (fstat(fd, &st) == 0 && st.st_size > MAX_FILE_BYTES) rc = truncate_file(h, fd);
        close(fd);
    }
    str_free(&text);
    return rc;
}

void history_set_output(history *h, const char *text, size_t n) {
    history_entry *e = h->n ? &h->entries[h->n - 1] : NULL;
    if (!e || e->session != h->session) return;
    mem_free(e->output);
    e->output = mem_text(text, n); /* NULL when out of memory */
}

const history_entry *history_line(const history *h, int line) {
    for (size_t i = h->n; i-- > 0;)
        if (h->entries[i].session == h->session && h->entries[i].line == line)
            return &h->entries[i];
    return NULL;
}

/* True if a later entry has the same input. */
static bool is_repeated(const history *h, size_t i) {
    for (size_t k = i + 1; k < h->n; k++)
        if (strcmp(h->entries[i].input, h->entries[k].input) == 0) return true;
    return false;
}

static bool fits(const history *h, const gpa_history_query *q, size_t i) {
    const history_entry *e = &h->entries[i];
    switch (q->kind) {
        case GPA_HISTORY_TAIL: return !q->here || e->session == h->session;
        case GPA_HISTORY_RANGE:
            return e->session == (q->session > 0 ? q->session : h->session + q->session) &&
                   e->line >= q->start && (!q->stop || e->line < q->stop);
        case GPA_HISTORY_SEARCH:
            return (!q->here || e->session == h->session) &&
                   fnmatch(q->pattern ? q->pattern : "*", e->input, 0) == 0 &&
                   !(q->unique && is_repeated(h, i));
    }
    return false;
}

gpa_code history_find(history *h, const gpa_history_query *q,
                      void (*each)(void *user, const gpa_entry *e), void *user) {
    gpa_code rc = refresh(h);
    size_t first = h->n, left = q->n > 0 && q->kind != GPA_HISTORY_RANGE ? (size_t)q->n : SIZE_MAX;
    while (!rc && first > 0 && left > 0)
        if (fits(h, q, --first)) left--;
    for (size_t i = first; !rc && i < h->n; i++) {
        const history_entry *e = &h->entries[i];
        if (fits(h, q, i)) each(user, &(gpa_entry){e->session, e->line, e->input, e->output});
    }
    return rc;
}

bool gpa_history_path(char *path, size_t n) {
    const char *told = getenv("GPA_HISTORY"), *state = getenv("XDG_STATE_HOME"),
               *home = getenv("HOME");
    int size = told              ? snprintf(path, n, "%s", told)
               : state && *state ? snprintf(path, n, "%s/gpa/history", state)
               : home && *home   ? snprintf(path, n, "%s/.local/state/gpa/history", home)
                                 : 0;
    return size > 0 && (size_t)size < n;
}
