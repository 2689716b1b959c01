/* Session logs: %logstart, %logstop, %logon, %logoff, %logstate. A log is a program file of all
 * inputs of the session. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "lang/session/magic.h"

static const char head[] = "# gpa log file\n\n";
static const char *const modes[] = {"append", "backup", "global", "over", "rotate"};

static void write_text(session_log *l, const char *text, size_t n) {
    fwrite(text, 1, n, l->file);
    if (n && text[n - 1] != '\n') fputc('\n', l->file);
    fflush(l->file);
}

void log_input(gpa_session *s, const char *text, size_t n) {
    session_log *l = &s->log;
    if (!l->file || !l->active) return;
    if (l->timestamps) {
        char stamp[64];
        time_t now = time(NULL);
        struct tm local;
        localtime_r(&now, &local);
        strftime(stamp, sizeof stamp, "# %a, %d %b %Y %H:%M:%S\n", &local);
        fputs(stamp, l->file);
    }
    write_text(l, text, n);
}

void log_output(gpa_session *s, const char *text, size_t n) {
    session_log *l = &s->log;
    if (!l->file || !l->active || !l->outputs) return;
    for (size_t at = 0, end; at < n; at = end + 1) {
        const char *newline = memchr(text + at, '\n', n - at);
        end = newline ? (size_t)(newline - text) : n;
        fputs("#[Out]# ", l->file);
        write_text(l, text + at, end - at);
        if (end == at) fputc('\n', l->file);
    }
}

static void close_log(gpa_session *s) {
    if (s->log.file) fclose(s->log.file);
    s->log.file = NULL;
    s->log.active = false;
}

void log_free(gpa_session *s) {
    close_log(s);
    str_free(&s->log.path);
}

/* Renames x.002~ to x.003~, x.001~ to x.002~, x to x.001~. */
static void rotate(const char *path) {
    char from[PATH_MAX], to[PATH_MAX];
    int last = 0;
    do snprintf(from, sizeof from, "%s.%03d~", path, ++last);
    while (last < 999 && access(from, F_OK) == 0);
    for (; last > 0; last--) {
        snprintf(to, sizeof to, "%s.%03d~", path, last);
        if (last > 1)
            snprintf(from, sizeof from, "%s.%03d~", path, last - 1);
        else
            snprintf(from, sizeof from, "%s", path);
        rename(from, to);
    }
}

/* Opens the log's file in its mode; an errno, or 0. */
static int open_log(session_log *l) {
    char before[PATH_MAX];
    const char *path = l->path.text;
    bool there = access(path, F_OK) == 0, appends = *l->mode == 'a' || *l->mode == 'g';
    if (there && *l->mode == 'r') rotate(path);
    if (there && *l->mode == 'b') {
        snprintf(before, sizeof before, "%s~", path);
        rename(path, before);
    }
    l->file = fopen(path, appends ? "ae" : "we");
    if (!l->file) return errno;
    if (*l->mode != 'a') fputs(head, l->file);
    return 0;
}

/* The inputs of the session so far, and their values. */
static void log_past(void *user, const gpa_entry *e) {
    gpa_session *s = user;
    if (e->line == s->count) return; /* %logstart itself */
    log_input(s, e->input, strlen(e->input));
    if (e->output) log_output(s, e->output, strlen(e->output));
}

static void print_state(gpa_session *s) {
    const session_log *l = &s->log;
    static const char *const truth[] = {"False", "True"};
    if (!l->file) {
        session_printf(s, false, "Logging has not been activated.\n");
        return;
    }
    session_printf(s, false,
                   "Filename       : %s\nMode           : %s\nOutput logging : %s\n"
                   "Raw input log  : %s\nTimestamping   : %s\nState          : %s\n",
                   l->path.text, l->mode, truth[l->outputs], truth[l->raw], truth[l->timestamps],
                   l->active ? "active" : "temporarily suspended");
}

static const char *find_mode(const gpa_str *word) {
    for (size_t i = 0; i < COUNT_OF(modes); i++)
        if (strcmp(word->text, modes[i]) == 0) return modes[i];
    return NULL;
}

MAGIC(logstart, LINE, WORDS, "[-o] [-r] [-t] [-q] [file [mode]]",
      "Start a log: a file of the session's inputs so far and from now on.\n"
      "\n"
      "The default file is gpa_log.gpa in mode rotate, that of another file backup.\n"
      "The modes: append continues a file; backup renames it to FILE~; over overwrites\n"
      "it; rotate renames it to FILE.001~, that to FILE.002~ and so on; global appends\n"
      "to a file in the home directory.\n"
      "\n"
      "Options\n"
      "-------\n"
      "-o    Log values too, as comments that begin with #[Out]#.\n"
      "-r    Accepted: inputs are always logged as typed.\n"
      "-t    Put a time stamp before each input.\n"
      "-q    Quiet: do not print the state of the log.") {
    gpa_session *s = m->s;
    session_log *l = &s->log;
    const char *given;
    size_t n;
    bool quiet = false, outputs = false, raw = false, stamps = false;
    gpa_str path, word;
    gpa_code rc = GPA_OK;
    for (int o; (o = magic_option(m, "ortq", &given, &n));) {
        if (o < 0) return vm_err(s->vm)->code;
        if (o == 'o') outputs = true;
        if (o == 'r') raw = true;
        if (o == 't') stamps = true;
        if (o == 'q') quiet = true;
    }
    str_init(&path);
    str_init(&word);
    bool named = magic_word(m, &path);
    if (!named) str_put(&path, "gpa_log.gpa");
    const char *mode = named ? "backup" : "rotate";
    if (magic_word(m, &word) && !(mode = find_mode(&word)))
        TRY(vm_fail(s->vm, GPA_E_VALUE, "invalid log mode %s given", word.text));
    if (l->file) TRY(vm_fail(s->vm, GPA_E_RUNTIME, "Log file is already active: %s", l->path.text));
    const char *home = *mode == 'g' ? getenv("HOME") : NULL;
    str_clear(&l->path);
    if (home && path.text[0] != '/') str_printf(&l->path, "%s/", home);
    magic_home(path.text, &l->path);
    l->mode = mode;
    int why = l->path.failed ? ENOMEM : open_log(l);
    if (why)
        TRY(vm_fail(s->vm, gpa_err_of_errno(why), "[Errno %d] %s: '%s'", why, strerror(why),
                    l->path.text));
    *l = (session_log){l->file, l->path, mode, true, outputs, raw, false};
    gpa_session_history(s, &(gpa_history_query){.kind = GPA_HISTORY_TAIL, .here = true}, log_past,
                        s);
    l->timestamps = stamps;
    if (!quiet) {
        session_printf(s, false,
                       "Activating auto-logging. Current session state plus future input "
                       "saved.\n");
        print_state(s);
    }
out:
    str_free(&path);
    str_free(&word);
    return rc;
}

MAGIC(logstop, LINE, WORDS, "", "Stop logging and close the log file.") {
    if (!m->s->log.file) session_printf(m->s, false, "Logging hadn't been started.\n");
    close_log(m->s);
    return GPA_OK;
}

static gpa_code switch_log(gpa_session *s, bool on) {
    static const char *const label[] = {"OFF", "ON"};
    if (!s->log.file)
        session_printf(s, false,
                       "\nLogging hasn't been started yet (use logstart for that).\n"
                       "\n"
                       "%%logon/%%logoff are for temporarily starting and stopping logging for a "
                       "logfile\n"
                       "which already exists. But you must first start the logging process with\n"
                       "%%logstart (optionally giving a logfile name).\n");
    else
        session_printf(s, false, "%s %s\n",
                       s->log.active == on ? "Logging is already" : "Switching logging", label[on]);
    if (s->log.file) s->log.active = on;
    return GPA_OK;
}

MAGIC(logoff, LINE, WORDS, "", "Suspend the log that %logstart has started.") {
    return switch_log(m->s, false);
}
MAGIC(logon, LINE, WORDS, "", "Resume the log that %logoff has suspended.") {
    return switch_log(m->s, true);
}
MAGIC(logstate, LINE, WORDS, "", "Print the state of the log.") {
    print_state(m->s);
    return GPA_OK;
}
