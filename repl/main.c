/* The program gpa: arguments, scripts, and the choice between a file, a text, standard input and
 * the prompt.
 *
 * Exit codes: 0 success, 1 an uncaught error, 2 wrong usage, 130 interrupted; sys.exit(n) gives n.
 * Errors go to the error stream only. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lang/session.h"
#include "repl/colour.h"
#include "repl/host.h"
#include "repl/options.h"
#include "repl/prompt.h"
#include "repl/terminal.h"
#include "repl/picture.h"

/* Environment variable: the folder of gpa_session_restore, from the process before %restart. */
#define RESTORE "GPA_RESTORE"

enum { EXIT_UNCAUGHT = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130, EXIT_LEFT_ALIVE = 99 };

/* `gpa kernel ...`, `gpa --dap`: executes gpa-kernel, which is searched in the folder of this
 * executable, then on the search path, with the arguments from argv[1] on. Returns an exit code if
 * that fails. */
static int kernel_command(int argc, char **argv) {
    enum { NOT_FOUND = 127 };
    char path[PATH_MAX];
    static const char name[] = "gpa-kernel";
    char **args = calloc((size_t)argc + 1, sizeof *args);
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - sizeof name - 1);
    if (!args) return NOT_FOUND;
    path[n > 0 ? n : 0] = 0;
    char *slash = strrchr(path, '/');
    strcpy(slash ? slash + 1 : path, name);
    args[0] = path;
    for (int i = 1; i < argc; i++) args[i] = argv[i];
    execv(path, args);
    if (errno == ENOENT) execvp(name, args);
    fprintf(stderr, "gpa: gpa-kernel is not there: %s: %s\n", path, strerror(errno));
    if (errno == ENOENT)
        fputs("It is built where ZeroMQ and jansson are installed (libzmq3-dev, libjansson-dev).\n",
              stderr);
    free(args);
    return NOT_FOUND;
}

/* The rank of this process if a launcher of MPI has started several; else -1. */
static int launched_rank(void) {
    const char *size = getenv("OMPI_COMM_WORLD_SIZE"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (!size) size = getenv("SLURM_STEP_NUM_TASKS"), rank = getenv("PMIX_RANK");
    return size && rank && atoi(size) > 1 ? atoi(rank) : -1;
}

/* True if Slurm's srun has started several processes that MPI cannot connect: each would run the
 * program. */
static bool is_singleton(void) {
    const char *size = getenv("SLURM_STEP_NUM_TASKS");
    return size && atoi(size) > 1 && getenv("SLURM_PROCID") && !getenv("PMIX_RANK") &&
           !getenv("OMPI_COMM_WORLD_SIZE");
}

static int refuse_singleton(void) {
    if (atoi(getenv("SLURM_PROCID")) == 0)
        fprintf(
            stderr,
            "gpa: srun started %s processes that MPI does not connect, so that each would run the "
            "program: use `srun --mpi=pmix`, `mpirun`, or one task\n",
            getenv("SLURM_STEP_NUM_TASKS"));
    return EXIT_USAGE;
}

/* `gpa rank-worker`: a worker of rank 0. */
static int serve_rank(void) {
    gpa_err e = {0};
    gpa_code rc = gpa_session_serve(&e);
    if (rc) fprintf(stderr, "gpa: a worker ends: %s: %s\n", gpa_err_name(rc), e.msg);
    return rc ? EXIT_UNCAUGHT : 0;
}

/* A launched rank but the first: a worker too, unless rank 0 only answers an option. */
static int serve_launched_rank(int argc, char **argv) {
    options o;
    int none = open("/dev/null", O_WRONLY | O_CLOEXEC), errors = dup(STDERR_FILENO);
    dup2(none, STDOUT_FILENO), dup2(none, STDERR_FILENO); /* rank 0 says it */
    int code = argc > 1 && strcmp(argv[1], "kernel") == 0 ? 0 : options_read(argc, argv, &o);
    fflush(stdout);
    dup2(errors, STDERR_FILENO);
    if (code >= 0) return code;
    options_free(&o);
    return o.dap ? 0 : serve_rank();
}

/* The device of the command line or the environment: several ranks are a device of their own. */
static const char *device_of(const options *o) {
    const char *named = o->device ? o->device : getenv("GPA_DEVICE");
    if (o->ranks) setenv("GPA_RANKS", o->ranks, 1);
    bool several = launched_rank() == 0 || (o->ranks && strcmp(o->ranks, "1") != 0);
    return o->device ? o->device : !named && several ? "ranks" : NULL;
}

/* Reads a whole stream, zero-terminated; NULL with errno set. Owned: free. */
static char *slurp(FILE *f, size_t *n) {
    size_t cap = 1 << 16;
    char *text = malloc(cap);
    *n = 0;
    while (text) {
        *n += fread(text + *n, 1, cap - *n - 1, f);
        if (ferror(f)) {
            int why = errno;
            free(text);
            errno = why;
            return NULL;
        }
        if (*n < cap - 1) break;
        char *grown = realloc(text, cap *= 2);
        if (!grown) free(text);
        text = grown;
    }
    if (text) text[*n] = 0;
    return text;
}

static int run_text(gpa_session *s, const options *o, const char *name, const char *text,
                    size_t n) {
    int status = 0, flags = o->echo ? GPA_EVAL_UNCOUNTED : GPA_EVAL_SCRIPT;
    if (o->explain) flags |= GPA_EVAL_EXPLAIN;
    if (o->explain > 1) flags |= GPA_EVAL_SOURCE;
    gpa_code rc = gpa_session_eval(s, name, text, n, flags, &status);
    if (rc == GPA_E_EXIT) return status;
    if (rc == GPA_E_INTERRUPT) return EXIT_INTERRUPTED;
    return rc ? EXIT_UNCAUGHT : 0;
}

static int run_file(gpa_session *s, const options *o, const char *path) {
    bool standard = strcmp(path, "-") == 0;
    FILE *f = standard ? stdin : fopen(path, "rb");
    size_t n;
    char *text = f ? slurp(f, &n) : NULL;
    if (f && !standard) fclose(f);
    if (!text) {
        fprintf(stderr, "gpa: can't open file '%s': [Errno %d] %s\n", path, errno, strerror(errno));
        return EXIT_USAGE;
    }
    int code = run_text(s, o, standard ? "<stdin>" : path, text, n);
    free(text);
    return code;
}

static bool has_program(const options *o) { return o->n_code || o->file; }

/* True if the program will show a prompt. */
static bool prompts(const options *o) {
    bool only_tells = (o->devices || o->cache) && !has_program(o);
    return o->interactive || (!has_program(o) && !only_tells && isatty(STDIN_FILENO));
}

/* Restarts the prompt in a new process image; options persist in the environment. */
static void restart(void *user, const char *folder) {
    const char *device = device_of(user);
    char *args[] = {"gpa", "-i", "--quiet", device ? "--device" : NULL, (char *)(uintptr_t)device,
                    NULL};
    setenv(RESTORE, folder, 1);
    fflush(stdout);
    execv("/proc/self/exe", args);
    unsetenv(RESTORE);
}

static void restore(gpa_session *s) {
    char *folder = strdup(getenv(RESTORE));
    unsetenv(RESTORE);
    if (folder) gpa_session_restore(s, folder);
    free(folder);
}

static int run(gpa_session *s, const options *o) {
    int code = 0;
    if (o->devices) gpa_session_devices(s);
    if (o->cache) gpa_session_programs(s, strcmp(o->cache, "clear") == 0);
    if (prompts(o) && !o->bare) gpa_session_init(s);
    if (getenv(RESTORE)) restore(s);
    for (int i = 0; i < o->n_code && !code; i++)
        code = run_text(s, o, "<string>", o->code[i], strlen(o->code[i]));
    if (o->file) code = run_file(s, o, o->file);
    if (prompts(o)) return prompt_loop(s, o->explain, !o->quiet && !has_program(o));
    if (!has_program(o) && !o->devices && !o->cache) return run_file(s, o, "-");
    return code;
}

/* Leak check in checked builds: no block may be alive after the session is freed. */
static int check_memory(int code) {
#ifdef GPA_CHECK
    if (gpa_session_live_blocks()) {
        fprintf(stderr, "gpa: %lld blocks of memory left alive\n", gpa_session_live_blocks());
        return EXIT_LEFT_ALIVE;
    }
#endif
    return code;
}

/* Flushes output; a write error (a full disk) makes the exit code nonzero. */
static int finish_output(int code) {
    int lost = host_finish_output();
    if (!lost) return code;
    if (lost != EBADF) fprintf(stderr, "gpa: standard output: %s\n", strerror(lost));
    return code ? code : EXIT_UNCAUGHT;
}

int main(int argc, char **argv) {
    options o;
    gpa_err e = {0};
    gpa_config config;
    gpa_session *s;
    char history[PATH_MAX];
    signal(SIGXFSZ, SIG_IGN); /* a file too large for its limit is an OSError */
    if (argc > 1 && strcmp(argv[1], "rank-worker") == 0) return serve_rank();
    if (is_singleton()) return refuse_singleton();
    if (launched_rank() > 0) return serve_launched_rank(argc, argv);
    if (argc > 1 && strcmp(argv[1], "kernel") == 0) return kernel_command(argc - 1, argv + 1);
    int code = options_read(argc, argv, &o);
    if (code >= 0) return options_free(&o), code;
    if (o.dap) {
        char *args[] = {argv[0], "dap"};
        if (o.device) setenv("GPA_DEVICE", o.device, 1);
        return options_free(&o), kernel_command(2, args);
    }
    /* sys.argv: the program's name, then its own arguments */
    const char **args = calloc((size_t)argc + 1, sizeof *args);
    if (!args) return EXIT_UNCAUGHT;
    args[0] = o.n_code ? "-c" : o.file ? o.file : "";
    for (int i = o.rest; i < argc; i++) args[1 + i - o.rest] = argv[i];
    colour_begin(o.colour);
    if (colour_unknown_theme())
        fprintf(stderr, "gpa: GPA_THEME: '%.40s' is not light, dark or neutral\n",
                colour_unknown_theme());
    if (picture_unknown_graphics())
        fprintf(stderr, "gpa: GPA_GRAPHICS: '%.40s' is not kitty, sixel, iterm, symbols or none\n",
                picture_unknown_graphics());
    gpa_config_init(&config);
    host_init(&config.host);
    if (prompts(&o)) config.host.restart = restart, config.host.user = &o;
    config.device = device_of(&o);
    config.argv = args;
    config.argc = 1 + argc - o.rest;
    if (prompts(&o) && gpa_history_path(history, sizeof history)) config.history = history;
    code = EXIT_UNCAUGHT;
    if (gpa_session_new(&config, &s, &e)) {
        fprintf(stderr, "gpa: %s: %s\n", gpa_err_name(e.code), e.msg);
        if (e.code == GPA_E_VALUE) code = EXIT_USAGE;
    } else {
        host_catch_interrupts(s);
        if (launched_rank() == 0 && gpa_session_open(s, "ranks", &e)) { /* the others wait for it */
            fprintf(stderr, "gpa: %s: %s\n", gpa_err_name(e.code), e.msg);
            exit(EXIT_UNCAUGHT);
        }
        if (o.device)
            gpa_session_prepare(s); /* named explicitly, so it will be used: initialize it now */
        /* Output is flushed before the session ends: a driver that crashes at exit loses none. */
        code = finish_output(run(s, &o));
        host_catch_interrupts(NULL);
        bool whole = gpa_session_end(s);
        if (!whole) _exit(finish_output(code));
        code = check_memory(code);
    }
    free(args);
    options_free(&o);
    return finish_output(code);
}
