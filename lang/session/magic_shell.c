/* Child processes: !cmd, !!cmd, %sx, %%script and %%bash.
 *
 * A child of `!cmd` uses the terminal where the host owns one; else, and when its output is
 * assigned, it writes into pipes that are read until both are closed. An interrupt is passed on to
 * the child and is not the session's. Reading order: starting a child, pipes, the magics. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lang/session/magic.h"

extern char **environ;

enum { TICK_MS = 50, PATIENCE_MS = 1500 };

typedef struct {
    pid_t pid;
    int in, out, err; /* the parent's ends; -1: closed, or none */
    bool own_group;   /* it leads its own process group */
    int signals;      /* number of signals sent to it */
    struct timespec told;
    const char *input; /* input not written yet */
    size_t n_input;
    gpa_str *take_out, *take_err; /* NULL: displayed */
} child;

/* ---- starting a child ---- */

static void close_end(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

/* The pipes of a child: theirs[i] becomes its descriptor i. */
typedef struct {
    int ours[3], theirs[3];
} pipes;

static void close_pipes(pipes *p, bool all) {
    for (int i = 0; i < 3; i++) {
        close_end(&p->theirs[i]);
        if (all) close_end(&p->ours[i]);
    }
}

static bool open_pipes(pipes *p, bool input, bool merge) {
    int fd[2];
    *p = (pipes){{-1, -1, -1}, {-1, -1, -1}};
    for (int i = 0; i < 3; i++) {
        if (i == 2 && merge) break;
        if (i == 0 && !input) {
            p->theirs[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
            continue;
        }
        if (pipe2(fd, O_CLOEXEC)) {
            close_pipes(p, true);
            return false;
        }
        p->ours[i] = fd[i == 0];
        p->theirs[i] = fd[i != 0];
        fcntl(p->ours[i], F_SETFL, O_NONBLOCK);
    }
    return true;
}

/* Starts a program; `p` NULL: it inherits the descriptors. Returns an errno, or 0. */
static int spawn(char *const argv[], const pipes *p, bool merge, pid_t *pid) {
    posix_spawn_file_actions_t acts;
    posix_spawnattr_t attr;
    sigset_t none, usual;
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    posix_spawn_file_actions_init(&acts);
    posix_spawnattr_init(&attr);
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &usual);
    for (int i = 0; p && i < 3; i++)
        posix_spawn_file_actions_adddup2(&acts, i == 2 && merge ? p->theirs[1] : p->theirs[i], i);
    posix_spawn_file_actions_addclosefrom_np(&acts, 3);
    if (p) flags |= POSIX_SPAWN_SETPGROUP;
    posix_spawnattr_setflags(&attr, flags);
    int rc = posix_spawnp(pid, argv[0], &acts, &attr, argv, environ);
    posix_spawn_file_actions_destroy(&acts);
    posix_spawnattr_destroy(&attr);
    return rc;
}

/* ---- pipes ---- */

static void receive(gpa_session *s, int *fd, gpa_str *take, bool to_stderr) {
    char part[8192];
    ssize_t n = read(*fd, part, sizeof part);
    if (n > 0 && take)
        str_putn(take, part, (size_t)n);
    else if (n > 0)
        session_write(s, to_stderr, part, (size_t)n);
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        close_end(fd);
}

static void send(child *c) {
    ssize_t n = write(c->in, c->input, c->n_input);
    if (n > 0) c->input += n, c->n_input -= (size_t)n;
    if (!c->n_input || (n < 0 && errno != EAGAIN && errno != EINTR)) close_end(&c->in);
}

static void stop(child *c, int signal_number) {
    if (c->own_group)
        kill(-c->pid, signal_number);
    else
        kill(c->pid, signal_number);
}

static double since(const struct timespec *t) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - t->tv_sec) * 1e3 + (double)(now.tv_nsec - t->tv_nsec) * 1e-6;
}

/* Forwards an interrupt; a child that ignores it is killed. */
static void pass_interrupt(gpa_session *s, child *c) {
    static const int signals[] = {SIGINT, SIGTERM, SIGKILL};
    bool pressed = rt_interrupted(s->rt);
    if (pressed) vm_interrupt_clear(s->vm);
    if (!pressed && !(c->signals && since(&c->told) > (double)PATIENCE_MS)) return;
    if (c->own_group || c->signals)
        stop(c, signals[MIN(c->signals, 2)]); /* otherwise the terminal has signalled it */
    c->signals++;
    clock_gettime(CLOCK_MONOTONIC, &c->told);
}

/* Transfers output until it ends, then waits for the child. Returns the status of waitpid. */
static int attend(gpa_session *s, child *c) {
    int status = 0;
    for (bool ended = false;;) {
        struct pollfd fds[3] = {{c->out, POLLIN, 0}, {c->err, POLLIN, 0}, {c->in, POLLOUT, 0}};
        bool open = c->out >= 0 || c->err >= 0;
        if (poll(fds, 3, open && !ended ? TICK_MS : open ? 0 : TICK_MS / 5) > 0) {
            if (fds[0].revents) receive(s, &c->out, c->take_out, false);
            if (fds[1].revents) receive(s, &c->err, c->take_err, true);
            if (fds[2].revents) send(c);
            continue;
        }
        /* No output: a grandchild may keep the pipes open long after the child has ended. */
        if (ended) break;
        pass_interrupt(s, c);
        ended = waitpid(c->pid, &status, WNOHANG) == c->pid;
    }
    close_end(&c->in);
    close_end(&c->out);
    close_end(&c->err);
    return status;
}

/* As Python's subprocess: minus the number of the signal that ended it. */
static int exit_code(int status) {
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* Starts argv and waits for it. `merge`: stderr goes to stdout. Returns an errno, or 0 and
 * *code. */
static int run(gpa_session *s, char *const argv[], child *c, bool merge, bool terminal, int *code) {
    pipes p;
    fflush(NULL); /* write earlier output first */
    if (!terminal && !open_pipes(&p, c->input, merge)) return errno;
    if (terminal && s->host.lend) s->host.lend(s->host.user, true);
    int rc = spawn(argv, terminal ? NULL : &p, merge, &c->pid);
    if (!terminal) close_pipes(&p, rc != 0);
    if (terminal && rc && s->host.lend) s->host.lend(s->host.user, false);
    if (rc) return rc;
    c->own_group = !terminal;
    c->in = terminal ? -1 : p.ours[0];
    c->out = terminal ? -1 : p.ours[1];
    c->err = terminal ? -1 : p.ours[2];
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, &before); /* a child may close its input early */
    *code = exit_code(attend(s, c));
    if (terminal && s->host.lend) s->host.lend(s->host.user, false);
    sigaction(SIGPIPE, &before, NULL);
    vm_interrupt_clear(s->vm);
    return 0;
}

/* ---- !cmd ---- */

static gpa_code give_lines(gpa_session *s, const gpa_str *text, value *out) {
    value list = v_list(s->vm, 0, NULL);
    gpa_code rc = list.tag == V_UNSET ? vm_err(s->vm)->code : GPA_OK;
    for (size_t at = 0, end; at < text->len && !rc; at = end + 1) {
        const char *newline = memchr(text->text + at, '\n', text->len - at);
        end = newline ? (size_t)(newline - text->text) : text->len;
        value line = v_str(s->vm, text->text + at, end - at);
        rc = line.tag == V_UNSET ? vm_err(s->vm)->code : list_append(s->vm, list.list, line);
        if (line.tag != V_UNSET) value_release(s->vm, line);
    }
    if (!rc)
        *out = list;
    else if (list.tag != V_UNSET)
        value_release(s->vm, list);
    return rc;
}

/* sh -c command; `take` NULL: on the terminal if there is one. */
static gpa_code run_shell(gpa_session *s, char *command, gpa_str *take, bool terminal, int *code) {
    char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, command, NULL};
    child c = {.take_out = take};
    int why = run(s, argv, &c, take, terminal, code);
    return why ? vm_fail(s->vm, GPA_E_OS, "[Errno %d] %s: 'sh'", why, strerror(why)) : GPA_OK;
}

gpa_code magic_terminal(gpa_session *s, const char *command, int *code) {
    char *copy = mem_text(command, strlen(command));
    gpa_code rc = copy ? run_shell(s, copy, NULL, s->host.terminal, code) : vm_no_memory(s->vm);
    mem_free(copy);
    return rc;
}

gpa_code magic_output(gpa_session *s, const char *command, gpa_str *out, int *code) {
    char *copy = mem_text(command, strlen(command));
    gpa_code rc = copy ? run_shell(s, copy, out, false, code) : vm_no_memory(s->vm);
    mem_free(copy);
    return rc;
}

gpa_code magic_system(gpa_session *s, const char *command, size_t n, bool take, value *out) {
    gpa_str text, taken;
    str_init(&text);
    str_init(&taken);
    magic_expand(s, command, n, &text);
    while (text.len && strchr(" \t\r\n", text.text[text.len - 1]))
        str_truncate(&text, text.len - 1);
    gpa_code rc = text.failed ? vm_no_memory(s->vm) : GPA_OK;
    if (!rc && text.len && text.text[text.len - 1] == '&')
        rc = vm_fail(s->vm, GPA_E_OS, "Background processes not supported.");
    if (!rc && text.len) {
        int code = 0;
        rc = run_shell(s, text.text, take ? &taken : NULL, s->host.terminal && !take && !s->capture,
                       &code);
        if (!rc && !take)
            rc = module_set_text(
                s->vm, vm_main(s->vm), "_exit_code",
                v_int(code > 128 ? 128 - code
                                 : code)); /* a shell reports signals as 128 + number */
    }
    if (!rc && take) rc = give_lines(s, &taken, out);
    str_free(&text);
    str_free(&taken);
    return rc;
}

MAGIC(sx, BOTH, CODE, "command",
      "Run a shell command and return its output as a list of lines.\n"
      "\n"
      "`!!command` is the same.") {
    return m->body ? magic_system(m->s, m->body, m->n_body, true, out)
                   : magic_system(m->s, m->args, m->n, true, out);
}
MAGIC_ROW(system, magic_sx, BOTH, CODE, "command", "Alias for `%sx`.")

/* A program of the system named like the magic: %ls, %cat. */
static gpa_code magic_program(magic_call *m, value *out) {
    gpa_str line;
    str_init(&line);
    str_put(&line, m->row->name);
    if (strcmp(m->row->name, "ls") == 0)
        str_put(&line, m->s->host.terminal && !m->wanted ? " -F --color=auto" : " -F");
    if (strcmp(m->row->name, "ll") == 0) {
        str_clear(&line);
        str_put(&line, "ls -F -l");
    }
    if (m->n) str_putc(&line, ' ');
    str_putn(&line, m->args, m->n);
    gpa_code rc = line.failed ? vm_no_memory(m->s->vm)
                              : magic_system(m->s, line.text, line.len, m->wanted, out);
    str_free(&line);
    return rc;
}

MAGIC_ROW(ls, magic_program, LINE, CODE, "[arguments]",
          "List directory contents with the system's ls.")
MAGIC_ROW(ll, magic_program, LINE, CODE, "[arguments]",
          "List directory contents with sizes and times (ls -l).")
MAGIC_ROW(cat, magic_program, LINE, CODE, "file ...", "Print files with the system's cat.")
MAGIC_ROW(cp, magic_program, LINE, CODE, "[arguments]", "Copy files with the system's cp.")
MAGIC_ROW(mv, magic_program, LINE, CODE, "[arguments]", "Move files with the system's mv.")
MAGIC_ROW(rm, magic_program, LINE, CODE, "[arguments]", "Remove files with the system's rm.")
MAGIC_ROW(mkdir, magic_program, LINE, CODE, "[arguments]",
          "Create directories with the system's mkdir.")
MAGIC_ROW(rmdir, magic_program, LINE, CODE, "[arguments]",
          "Remove empty directories with the system's rmdir.")
MAGIC_ROW(man, magic_program, LINE, CODE, "name", "Display a page of the system's manual.")
MAGIC_ROW(clear, magic_program, LINE, CODE, "", "Clear the terminal.")

/* ---- %%script ---- */

enum { MOST_WORDS = 64 };

typedef struct {
    gpa_str words[MOST_WORDS]; /* the program and its arguments */
    int n;
    gpa_str out_name, err_name; /* --out, --err: names of variables; "": displayed */
    bool forgive;               /* --no-raise-error */
} script;

static gpa_code read_script(magic_call *m, const char *program, script *x) {
    gpa_str word;
    gpa_code rc = GPA_OK;
    str_init(&word);
    if (program) str_put(&x->words[x->n++], program);
    while (!rc && magic_word(m, &word)) {
        if (strcmp(word.text, "--no-raise-error") == 0)
            x->forgive = true;
        else if (strcmp(word.text, "--out") == 0)
            magic_word(m, &x->out_name);
        else if (strcmp(word.text, "--err") == 0)
            magic_word(m, &x->err_name);
        else if (strcmp(word.text, "--bg") == 0 || strcmp(word.text, "--proc") == 0)
            rc = magic_usage(m, "%%%%%s: %s is not there: gpa waits for its child processes",
                             m->row->name, word.text);
        else if (x->n == MOST_WORDS - 1)
            rc = magic_usage(m, "%%%%%s: too many arguments", m->row->name);
        else
            str_put(&x->words[x->n++], word.text);
    }
    str_free(&word);
    if (!rc && !x->n) rc = magic_usage(m, "%%%%script: a program is missing");
    return rc;
}

static gpa_code set_text(gpa_session *s, const gpa_str *name, const gpa_str *text) {
    if (!name->len) return GPA_OK;
    value v = v_str(s->vm, text->text, text->len);
    gpa_code rc = v.tag == V_UNSET ? vm_err(s->vm)->code
                                   : module_set_text(s->vm, session_scope(s), name->text, v);
    if (v.tag != V_UNSET) value_release(s->vm, v);
    return rc;
}

/* "Command 'b'exit 3
 * '' returned non-zero exit status 3.", IPython's message. */
static gpa_code fail_script(magic_call *m, int code) {
    gpa_str text;
    str_init(&text);
    value body = v_bytes(m->s->vm, m->body, m->n_body);
    if (body.tag != V_UNSET && vm_repr(m->s->vm, body, &text)) vm_clear_error(m->s->vm);
    if (body.tag != V_UNSET) value_release(m->s->vm, body);
    gpa_code rc =
        code < 0 ? vm_fail(m->s->vm, GPA_E_CALLED_PROCESS, "Command '%.500s' died with signal %d.",
                           text.text ? text.text : "", -code)
                 : vm_fail(m->s->vm, GPA_E_CALLED_PROCESS,
                           "Command '%.500s' returned non-zero exit status %d.",
                           text.text ? text.text : "", code);
    str_free(&text);
    return rc;
}

static gpa_code run_script(magic_call *m, const char *program) {
    gpa_session *s = m->s;
    script *x = mem_zero(sizeof *x);
    gpa_str out, err;
    char *argv[MOST_WORDS + 1] = {NULL};
    if (!x) return vm_no_memory(s->vm);
    str_init(&out);
    str_init(&err);
    gpa_code rc = read_script(m, program, x);
    for (int i = 0; i < x->n; i++) argv[i] = x->words[i].text;
    if (!rc) {
        child c = {.input = m->body,
                   .n_input = m->n_body,
                   .take_out = x->out_name.len ? &out : NULL,
                   .take_err = x->err_name.len ? &err : NULL};
        int code = 0, why = run(s, argv, &c, false, false, &code);
        if (why == ENOENT)
            session_printf(s, false, "Couldn't find program: '%s'\n", argv[0]);
        else if (why)
            rc = vm_fail(s->vm, GPA_E_OS, "[Errno %d] %s: '%s'", why, strerror(why), argv[0]);
        else if (c.signals)
            session_printf(s, false, "Process is %s.\n",
                           c.signals == 1   ? "interrupted"
                           : c.signals == 2 ? "terminated"
                                            : "killed");
        else if (code && !x->forgive)
            rc = fail_script(m, code);
    }
    gpa_code kept = rc ? rc : set_text(s, &x->out_name, &out);
    if (!kept) kept = set_text(s, &x->err_name, &err);
    for (int i = 0; i < MOST_WORDS; i++) str_free(&x->words[i]);
    str_free(&x->out_name);
    str_free(&x->err_name);
    mem_free(x);
    str_free(&out);
    str_free(&err);
    return kept;
}

MAGIC(script, CELL, WORDS, "[--out VAR] [--err VAR] [--no-raise-error] program [arguments]",
      "Run the cell by a program, which reads it from standard input.\n"
      "\n"
      "Options\n"
      "-------\n"
      "--out VAR          Store standard output in a variable.\n"
      "--err VAR          Store standard error in a variable.\n"
      "--no-raise-error   Do not raise an error for a nonzero exit status.") {
    return run_script(m, NULL);
}

MAGIC(bash, CELL, WORDS, "[--out VAR] [--err VAR] [--no-raise-error]",
      "Run the cell with bash; options as of %%script.") {
    return run_script(m, "bash");
}

MAGIC(sh, CELL, WORDS, "[--out VAR] [--err VAR] [--no-raise-error]",
      "Run the cell with sh; options as of %%script.") {
    return run_script(m, "sh");
}
