/* The program gpa: arguments, scripts, and the choice between a file, a text, standard input and the prompt.
 *
 * Exit codes: 0 success, 1 an uncaught error, 2 wrong usage, 130 interrupted; sys.exit(n) gives n. Errors go to the
 * error stream only. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lang/session.h"
#include "repl/colour.h"
#include "repl/host.h"
#include "repl/prompt.h"

enum { EXIT_UNCAUGHT = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130, EXIT_LEFT_ALIVE = 99 };

static const char usage[] =
    "usage: gpa [options] [FILE | -c CODE | -] [arguments]\n"
    "\n"
    "  FILE           run a program (.gpa)\n"
    "  -c CODE        run a program given as text\n"
    "  -              read the program from standard input\n"
    "  -i             afterwards, stay at the prompt with its names\n"
    "  --device NAME  cpu, ref, cuda or cuda:N (default: the first GPU, else the CPU; or GPA_DEVICE)\n"
    "  --devices      say which devices are there, and why others are not\n"
    "  --cache WHAT   info: which compiled programs are kept on disk, and where; clear: removes them\n"
    "  --explain      afterwards, show the fused programs that ran; twice: with their generated code\n"
    "  --version      print the version\n"
    "  --help         print this text\n"
    "\n"
    "Without a program gpa shows a prompt.\n"
    "\n"
    "  GPA_DEVICE        the device to use                GPA_NUM_THREADS   threads of the CPU device\n"
    "  GPA_MEMORY_LIMIT  what arrays may take: 4G, 25%    GPA_PLUGIN_DIR    where the device plugins are\n"
    "  GPA_CACHE_DIR     where compiled programs are kept (default: ~/.cache/gpa)\n"
    "  GPA_CACHE_LIMIT   how much of them (default: 256M)\n"
    "  GPA_CACHE_SHARED  a second folder of compiled programs, only read: fill it by running with GPA_CACHE_DIR\n";

typedef struct {
    const char *file, *code, *device, *cache;
    bool interactive, devices;
    int explain;
    int rest; /* index of the first argument after the program */
} options;

/* 0 to go on, else an exit code plus one. */
static int read_options(int argc, char **argv, options *o) {
    int i = 1;
    for (; i < argc; i++) {
        const char *a = argv[i];
        if (a[0] != '-' || strcmp(a, "-") == 0) break;
        if (strcmp(a, "--help") == 0 || strcmp(a, "-h") == 0) return fputs(usage, stdout), 1;
        if (strcmp(a, "--version") == 0) return puts("gpa " GPA_VERSION), 1;
        if (strcmp(a, "-i") == 0) o->interactive = true;
        else if (strcmp(a, "--devices") == 0) o->devices = true;
        else if (strcmp(a, "--explain") == 0) o->explain++;
        else if (strncmp(a, "--device=", 9) == 0) o->device = a + 9;
        else if (strcmp(a, "--cache") == 0 && i + 1 < argc && (strcmp(argv[i + 1], "info") == 0 || strcmp(argv[i + 1], "clear") == 0)) o->cache = argv[++i];
        else if (strcmp(a, "--device") == 0 && i + 1 < argc) o->device = argv[++i];
        else if (strcmp(a, "-c") == 0 && i + 1 < argc) {
            o->code = argv[++i];
            i++;
            break;
        } else {
            fprintf(stderr, "gpa: %s: %s\n%s", a, strcmp(a, "--cache") == 0 ? "info or clear?" : strcmp(a, "-c") == 0 || strcmp(a, "--device") == 0 ? "an argument is missing" : "unknown option", usage);
            return EXIT_USAGE + 1;
        }
    }
    if (!o->code && i < argc) o->file = argv[i++];
    o->rest = i;
    return 0;
}

/* The whole of a stream, zero-terminated; NULL with errno set. Owned: free. */
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

static int run_text(gpa_session *s, const options *o, const char *name, const char *text, size_t n) {
    int status = 0, flags = GPA_EVAL_SCRIPT;
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

static int run(gpa_session *s, const options *o) {
    int code = 0;
    if (o->devices || o->cache) {
        if (o->devices) gpa_session_devices(s);
        if (o->cache) gpa_session_programs(s, strcmp(o->cache, "clear") == 0);
        if (!o->file && !o->code && !o->interactive) return 0;
    }
    if (o->code) code = run_text(s, o, "<string>", o->code, strlen(o->code));
    else if (o->file) code = run_file(s, o, o->file);
    else if (!o->interactive && !isatty(STDIN_FILENO)) return run_file(s, o, "-");
    else return prompt_loop(s, o->explain, true);
    return o->interactive ? prompt_loop(s, o->explain, false) : code;
}

/* In builds that check: no block may be alive once the session is gone. */
static int check_memory(int code) {
#ifdef GPA_CHECK
    if (gpa_session_live_blocks()) {
        fprintf(stderr, "gpa: %lld blocks of memory left alive\n", gpa_session_live_blocks());
        return EXIT_LEFT_ALIVE;
    }
#endif
    return code;
}

int main(int argc, char **argv) {
    options o = {0};
    gpa_err e = {0};
    gpa_config config;
    gpa_session *s;
    int stop = read_options(argc, argv, &o);
    if (stop) return stop - 1;
    /* sys.argv: the program's name, then its own arguments */
    const char **args = calloc((size_t)argc + 1, sizeof *args);
    if (!args) return EXIT_UNCAUGHT;
    args[0] = o.code ? "-c" : o.file ? o.file : "";
    for (int i = o.rest; i < argc; i++) args[1 + i - o.rest] = argv[i];
    colour_begin(NULL);
    gpa_config_init(&config);
    host_init(&config.host);
    config.device = o.device;
    config.argv = args;
    config.argc = 1 + argc - o.rest;
    int code = EXIT_UNCAUGHT;
    if (gpa_session_new(&config, &s, &e)) {
        fprintf(stderr, "gpa: %s: %s\n", gpa_err_name(e.code), e.msg);
        if (e.code == GPA_E_VALUE) code = EXIT_USAGE;
    } else {
        host_catch_interrupts(s);
        if (o.device) gpa_session_prepare(s); /* asked for, so it will be used */
        code = run(s, &o);
        bool whole = gpa_session_end(s);
        if (!whole) _exit(fflush(NULL) ? EXIT_UNCAUGHT : code);
        code = check_memory(code);
    }
    free(args);
    return fflush(stdout) ? EXIT_UNCAUGHT : code;
}
